"""The painted toy: cells, samples and truth of any painting; tests/toys/test_toys.py tests every
toy.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare, kstest

from prviz.reports.settings import LONGEST_VALUE, ExploreSettings
from prviz.toys import toy
from prviz.toys.painted import MOST_CELLS, Painted

STEPS = [round(step / 20, 2) for step in range(21)]


def painted(d: int, p: Any, q: Any) -> Painted:
    return toy("painted", d=d, real_weights=tuple(p), generated_weights=tuple(q))


@st.composite
def paintings(draw: st.DrawFn) -> Painted:
    d = draw(st.sampled_from([1, 2, 3]))
    count = draw(st.integers(1, 5)) ** (1 if d == 1 else 2)
    side = st.lists(st.sampled_from(STEPS), min_size=count, max_size=count).filter(any)
    return painted(d, draw(side), draw(side))


def drawn_in(problem: Painted, z: np.ndarray) -> int:
    """Cell of a point, counted from the top left: the slow twin of `cell_of`."""
    count = len(problem.masses[0])
    side = count if problem.d == 1 else math.isqrt(count)
    if problem.d == 1:
        (found,) = [i for i in range(side) if i / side < z[0] < (i + 1) / side]
        return found
    rows = [(row, column) for row in range(side) for column in range(side)]
    (found,) = [
        i
        for i, (row, column) in enumerate(rows)
        if column / side < z[0] < (column + 1) / side
        and 1 - (row + 1) / side < z[1] < 1 - row / side
    ]
    return found


@settings(max_examples=40)
@given(paintings(), st.integers(0, 1000))
def test_log_ratio_and_truth_are_those_of_the_masses(problem: Painted, seed: int) -> None:
    p, q = (np.array(problem.parameters[name]) for name in ("real_weights", "generated_weights"))
    p = p / p.sum()
    q = q / q.sum()
    z = np.random.default_rng(seed).random((50, problem.d))
    cells = np.array([drawn_in(problem, point) for point in z])
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.where((p == 0) & (q == 0), 0, np.log(q) - np.log(p))[cells]
    assert_allclose(problem.log_ratio(z), expected, atol=1e-12)
    lam = np.exp(np.linspace(-4, 4, 17))
    assert_allclose(
        problem.truth().alpha(lam), np.minimum(lam[:, None] * p, q).sum(axis=1), atol=1e-12
    )
    masses = problem.support_masses
    assert (
        masses.q_of_supp_p
        == masses.q_of_cosupp
        == pytest.approx(sum(b for a, b in zip(p, q, strict=True) if a))
    )
    assert (
        masses.p_of_supp_q
        == masses.p_of_cosupp
        == pytest.approx(sum(a for a, b in zip(p, q, strict=True) if b))
    )


@pytest.mark.parametrize("d", [1, 2])
def test_sampling_finds_the_truth_within_its_error(d: int) -> None:
    rng = np.random.default_rng(d)
    problem = painted(d, *rng.choice(STEPS, (2, 36)))
    sampled = problem.truth_by_sampling(200_000, seed=3)
    assert sampled.curve.auc == pytest.approx(problem.truth().auc, abs=5 * sampled.auc_error)
    real, generated = problem.sample(100_000, seed=1)
    for side, masses in zip((real, generated), problem.masses, strict=True):
        shares = problem.shares(side.values)
        assert np.all(np.abs(shares - masses) <= 5 * np.sqrt(masses / 100_000))
        assert_array_equal(shares[masses == 0], 0)


class Borders:
    """Random generator at its worst: every sample at the border of its cell."""

    def __init__(self, cells: np.ndarray, u: float) -> None:
        self.cells = cells
        self.u = u

    def choice(self, count: int, size: int, p: np.ndarray) -> np.ndarray:
        return self.cells

    def random(self, shape: tuple[int, int]) -> np.ndarray:
        return np.full(shape, self.u)


@pytest.mark.parametrize("u", [0.0, 1.0 - 2.0**-53])
@pytest.mark.parametrize(
    ("d", "count"), [(1, 49), (1, MOST_CELLS), (2, 49), (2, MOST_CELLS), (3, 100)]
)
def test_no_sample_leaves_its_cell_at_a_border(d: int, count: int, u: float) -> None:
    problem = painted(d, [1.0] * count, [1.0] * count)
    cells = np.arange(count)
    z = problem._draw(count, problem.masses[0], Borders(cells, u))  # type: ignore[arg-type]
    assert_array_equal(problem.cell_of(z), cells)


def test_cells_hold_their_lower_borders_and_the_last_one_its_upper_one() -> None:
    line = painted(1, [1, 0, 1, 1], [1, 1, 0, 1])
    borders = np.array([[0.0], [0.25], [0.5], [0.75], [1.0], [1.0 + 1e-9], [-1e-9]])
    assert line.cell_of(borders).tolist() == [0, 1, 2, 3, 3, -1, -1]
    assert_allclose(line.log_ratio(borders), [0, np.inf, -np.inf, 0, 0, 0, 0])
    fine = painted(1, [1] * 49, [1] * 49)  # 1 / 49 * 49 is below 1
    assert fine.cell_of(np.arange(49)[:, None] / 49).tolist() == list(range(49))


def test_rows_are_painted_from_the_top_and_further_features_tell_nothing() -> None:
    corners = np.array([[0.1, 0.9], [0.9, 0.9], [0.1, 0.1], [0.9, 0.1]])
    assert painted(2, [1, 1, 1, 1], [1, 1, 1, 1]).cell_of(corners).tolist() == [0, 1, 2, 3]
    plane, space = (painted(d, [1, 0, 0, 0.5], [0, 0, 1, 0.5]) for d in (2, 40))
    assert plane.truth().auc == space.truth().auc
    real, _ = space.sample(20_000, seed=0)
    assert np.all(np.abs(real.values[:, 2:].mean(axis=0) - 0.5) < 0.01)
    assert (np.unique(space.cell_of(real.values))).tolist() == [0, 3]


@pytest.mark.parametrize(
    ("d", "p", "q", "message"),
    [
        (
            1,
            [1, 1],
            [1],
            "real_weights has 2 entries, generated_weights has 1; one of each per cell",
        ),
        (1, [1] * 257, [1] * 257, "real_weights has 257 entries"),
        (
            2,
            [1] * 12,
            [1] * 12,
            "real_weights has 12 entries; in d = 2 the cells make a square grid",
        ),
        (1, [0, 0], [1, 1], "real_weights = all 0; at least one amount must be above 0"),
        (1, [1, 1], [0, 0], "generated_weights = all 0"),
        (1, [], [], "real_weights has 0 entries"),
    ],
)
def test_what_is_no_painting_is_refused(d: int, p: list, q: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        painted(d, p, q)


def test_the_largest_painting_fits_into_a_link() -> None:
    # 0.05, 0.15, ...: the longest to write
    amounts = tuple((STEPS[1::2] * MOST_CELLS)[:MOST_CELLS])
    chosen = ExploreSettings(
        problem="painted",
        parameters={"d": 2, "real_weights": amounts, "generated_weights": amounts},
    )
    query = chosen.to_query()
    assert max(map(len, query.values())) <= LONGEST_VALUE
    assert len(urlencode(query)) < 8000  # characters that every server accepts in one line
    assert ExploreSettings.from_query(dict(parse_qsl(urlencode(query)))) == (chosen, [])


@pytest.mark.parametrize("seed", range(3))
def test_the_truth_of_a_painting_is_the_sum_over_its_cells_in_fractions(seed: int) -> None:
    twentieths = np.random.default_rng(seed).integers(0, 21, (2, 144))
    problem = painted(2, *twentieths / 20)
    p, q = ([Fraction(int(each), int(side.sum())) for each in side] for side in twentieths)
    for lam in (Fraction(1, 7), Fraction(1), Fraction(3, 2), Fraction(20)):
        exact = sum(min(lam * a, b) for a, b in zip(p, q, strict=True))
        assert float(problem.truth().alpha(float(lam))) == pytest.approx(float(exact), abs=1e-14)


def test_samples_of_a_painting_fall_into_its_cells_by_their_masses() -> None:
    problem = painted(2, *np.random.default_rng(5).integers(1, 21, (2, 144)) / 20)
    n = 50_000
    for side, masses in zip(problem.sample(n, seed=7), problem.masses, strict=True):
        counts = np.bincount(problem.cell_of(side.values), minlength=144)
        assert chisquare(counts, n * masses).pvalue > 1e-3
        inside = side.values * 12 % 1  # place in the cell
        assert kstest(inside[:, 0], "uniform").pvalue > 1e-3
        assert kstest(inside[:, 1], "uniform").pvalue > 1e-3
