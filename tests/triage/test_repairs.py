"""Shifts, factors and spreads that look like other faults, and what only looks like them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from prviz.arrays import Floats
from prviz.samples import SamplePair
from prviz.triage.repairs import repair_fault
from tests.triage_files import keys_of


def _table(n: int, seed: int) -> tuple[Floats, np.ndarray]:
    """Three groups of nine features, of which one in large units holds nearly all of the
    distance.
    """
    fixed = np.random.default_rng(219)
    rng = np.random.default_rng((219, seed))
    modes = rng.choice(3, n, p=[1 / 2, 1 / 3, 1 / 6])
    values = 2 * fixed.normal(size=(3, 9))[modes]
    values += rng.normal(size=(n, 9)) @ fixed.normal(size=(9, 9)) * 0.3
    values[:, 4] = 5e4 + 1.5e4 * values[:, 4]
    values[:, 1] = 40 + 12 * values[:, 1]
    return values, modes


def _bent(n: int, seed: int) -> Floats:
    """A surface in three dimensions."""
    rng = np.random.default_rng((3, seed))
    angle = 3 * np.pi * (rng.random(n) - 0.5)
    height = 2 * rng.random(n)
    fold = np.sign(angle) * (np.cos(angle) - 1)
    return np.stack([np.sin(angle), height, fold], axis=1) + 0.05 * rng.normal(size=(n, 3))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda x: x + 0.5 * x.std(axis=0), "shifted"),
        (lambda x: x + x.std(axis=0) * np.resize([1, -1], 9), "shifted"),
        (lambda x: 0.8 * x, "scale"),
        (lambda x: 1.25 * x, "scale"),
        (lambda x: x.mean(axis=0) + 0.8 * (x - x.mean(axis=0)), "narrow"),
    ],
)
def test_one_feature_in_large_units_hides_no_shift_and_no_factor(
    change: Callable[[Floats], Floats], key: str
) -> None:
    """They were called dropped, invented or re-weighted modes."""
    values, _ = _table(800, 1)
    assert keys_of(values[:400], change(values[400:]))[0] == key


def test_modes_that_are_missing_are_still_said_where_one_feature_is_in_large_units() -> None:
    values, modes = _table(1400, 2)
    assert keys_of(values[:400], values[400:][modes[400:] != 1][:400])[0] == "dropping"


@pytest.mark.parametrize("seed", [4, 9, 19, 32])
def test_samples_that_are_missing_are_no_shift_that_would_mend_them(seed: int) -> None:
    """One shift leaves all features alike, and clusters too few to tell."""
    rng = np.random.default_rng((7, seed))
    values = rng.random((1000, 5))
    last = 10 * np.sin(np.pi * values[:, 0] * values[:, 1]) + 20 * (values[:, 2] - 0.5) ** 2
    last += 10 * values[:, 3] + rng.normal(size=1000)
    values = np.column_stack([values, last])
    made = values[120:][last[120:] > np.quantile(last, 0.25)][:120]
    assert keys_of(values[:120], made)[0] == "dropping"


@pytest.mark.parametrize("seed", range(2))
def test_a_bent_surface_that_is_shifted_is_no_early_checkpoint(seed: int) -> None:
    values = _bent(800, seed)
    move = np.random.default_rng(seed).choice([-1, 1], 3) * values.std(axis=0)
    assert keys_of(values[:400], values[400:] + move)[0] == "shifted"


@pytest.mark.parametrize(
    ("change", "differs", "far", "found"),
    [
        (lambda x: x + 1.0, False, False, True),
        (lambda x: x + 1.0, True, False, False),
        (lambda x: x, False, False, False),
        (lambda x: x * [1, 2, 1], False, False, False),
        (lambda x: x + 0.2, False, False, True),
        (lambda x: x + 0.2, False, True, False),
    ],
)
def test_a_repair_must_leave_no_fault_and_no_feature_that_differs(
    change: Callable[[Floats], Floats], differs: bool, far: bool, found: bool
) -> None:
    values = _bent(800, 5)
    pair = SamplePair(values[:400], change(values[400:]))
    fault = repair_fault(pair, lambda _: differs, far=far)
    assert (fault is not None) == found
    if fault is not None:
        assert fault.key == "shifted"


def test_a_borderline_shift_that_no_feature_shows_is_none() -> None:
    """A draw without a fault: the features hang together, so that clusters move together."""
    rng = np.random.default_rng((9029, 1))
    modes = rng.choice(2, 1690, p=[2 / 3, 1 / 3])
    waves = np.arange(1, 25)
    places = np.linspace(0, 1, 512)
    heights = rng.normal(size=(1690, 24)) / waves ** np.array([1.0, 1.6])[modes][:, None]
    values = heights @ np.cos(np.pi * waves[:, None] * places)
    values += 0.05 * rng.normal(size=values.shape) + 2.0 * modes[:, None] * places
    assert keys_of(values[:250], values[250:430]) == []
