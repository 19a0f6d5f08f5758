"""From samples to the curve, against a second way that shares no line with the first one.

The other way: float64 double loops for the supports, exact fractions for error rates and hull. What
is asked: the same vertices to the last bit, alpha to the last digits, and neither roles nor threads
that change a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.neighbors import blocks, threads
from prviz.samples import SamplePair
from tests import slow_twins
from tests.estimators.pairs import SPLITS, lists, swapped
from tests.hard_pairs import KINDS, make_pair

# Families whose supports are counts, or sums over balls: the same bits for exchanged roles.
FAMILIES = ("knn", "kde", "ipr", "coverage", "eas", "prc", "ppr", "hub")
LAMS = (
    Fraction(0),
    Fraction(1, 100),
    Fraction(1, 3),
    Fraction(1),
    Fraction(5, 2),
    Fraction(40),
    Fraction(10**6),
)
Point = tuple[Fraction, Fraction]


def error_rates(c_real: Sequence[float], c_generated: Sequence[float], n_real: int) -> list[Point]:
    """(fpr, fnr) of every classifier: thresholds at each value of c_Y / c_X, both ends, and the
    trivial two.
    """

    def key(x: float, y: float) -> float:
        if x == 0:
            return 1.0 if y == 0 else np.inf
        return y / x

    keys = [key(x, y) for x, y in zip(c_real, c_generated, strict=True)]
    called_real = [[each <= cut for each in keys] for cut in sorted(set(keys)) if cut < np.inf]
    called_real += [[x > 0 for x in c_real], [y == 0 for y in c_generated]]
    points = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
    for called in called_real:
        missed = sum(not each for each in called[:n_real])
        accepted = sum(called[n_real:])
        points.append((Fraction(missed, n_real), Fraction(accepted, len(keys) - n_real)))
    return points


def exact_hull(points: Sequence[Point]) -> list[Point]:
    """Vertices of the lower-left hull, fpr increasing, fnr decreasing to 0; none lies on a line
    between others.
    """
    found: list[Point] = []
    for x, y in sorted(set(points)):
        if found and y >= found[-1][1]:
            continue
        while len(found) > 1:
            (ax, ay), (bx, by) = found[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            found.pop()
        found.append((x, y))
    return found


def floats(points: Sequence[Point]) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in points]


def check(pair: SamplePair, split: float | None, k: int) -> None:
    """Every family on one pair."""
    drawn = pair.split(split, 3)
    found = estimate(pair, FAMILIES, k=k, split=split, seed=3)
    for name, each in found.items():
        found_lists = lists(each.supports)
        if name in DEFAULT_METHODS:
            assert found_lists == slow_twins.supports(drawn, name, k, None)
        points = error_rates(*found_lists, each.supports.n_real)
        assert each.curve.vertices.tolist() == floats(exact_hull(points)), name
        for lam in LAMS:
            exact = float(min(lam * fpr + fnr for fpr, fnr in points))
            assert float(each.curve.alpha(float(lam))) == pytest.approx(exact, rel=4e-16, abs=0), (
                name,
                lam,
            )


@pytest.mark.one_in(4)
@SPLITS
@pytest.mark.parametrize("kind", ["continuous", "float32", "ternary", "duplicates", "near ties"])
def test_every_curve_is_the_exact_hull_of_double_loops(kind: str, split: float | None) -> None:
    check(make_pair(kind, 3, 26, 22), split, 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("d", [1, 2, 9, 64])
@pytest.mark.parametrize("kind", KINDS)
def test_every_curve_is_the_exact_hull_of_double_loops_on_all_kinds_of_data(
    kind: str, d: int
) -> None:
    for split in (0.5, None):
        for k in (1, 4, 9):
            check(make_pair(kind, d, 40, 34), split, k)


def drawn_pair(seed: int, n: int, m: int, kind: int) -> SamplePair:
    rng = np.random.default_rng(seed)
    real = rng.normal(size=(n, 3))
    generated = 0.8 * rng.normal(size=(m, 3)) + 0.4
    if kind == 1:
        real = np.round(2 * real)
        generated = np.round(2 * generated)
    return SamplePair(real, generated)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", [0, 1])
@SPLITS
def test_exchanged_roles_mirror_the_vertices_to_the_last_bit(
    split: float | None, kind: int
) -> None:
    for seed in range(3):
        check_exchanged(drawn_pair(seed, 40 + seed, 36, kind), split)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_exchanged_roles_mirror_the_vertices_of_all_kinds_of_data(kind: str) -> None:
    for split in (0.5, None):
        for d in (2, 9):
            check_exchanged(make_pair(kind, d, 40, 34), split)


def check_exchanged(pair: SamplePair, split: float | None) -> None:
    """Every family on one pair and on its two sets in exchanged roles."""
    one = estimate(pair, FAMILIES, k=4, split=split)
    other = estimate(swapped(pair), FAMILIES, k=4, split=split)
    for name in FAMILIES:
        assert (
            one[name].curve.vertices[::-1, ::-1].tolist() == other[name].curve.vertices.tolist()
        ), name


@pytest.mark.thorough
@SPLITS
def test_the_number_of_threads_changes_no_bit(
    split: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of more threads than there are cores, and where a block of distances has few rows."""
    names = [name for name, each in ESTIMATORS.items() if split is not None or not each.needs_split]
    pair = drawn_pair(5, 260, 240, 0)
    monkeypatch.setattr(blocks, "_CACHE_BYTES", 40_000)
    found = []
    for count in (1, 2, 4):
        monkeypatch.setattr(
            threads.os, "sched_getaffinity", lambda _, count=count: set(range(count)), raising=False
        )
        assert threads.available_threads() == count
        estimates = estimate(pair, names, k=5, split=split, seed=1)
        found.append({name: each.curve.vertices.tobytes() for name, each in estimates.items()})
    assert found[0] == found[1] == found[2]
