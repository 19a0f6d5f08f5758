"""Queries about a selection of points, against double loops on the pairs that break fast
distances.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from prviz.neighbors import (
    count_held,
    count_in_balls,
    largest_ratios,
    multiply_within,
    nearest_radii,
    queries,
    smallest_holding,
)
from prviz.neighbors.point_sets import RowView
from prviz.neighbors.queries import NearestRows
from tests import slow_twins
from tests.hard_pairs import KINDS, make_pair, typical_radius
from tests.neighbors.test_native import both_ways

CASES = [(kind, d) for kind in KINDS for d in (1, 3, 9, 40)]
HARD = pytest.mark.parametrize(("kind", "d"), CASES)


def distance(a, b) -> float:
    return math.sqrt(slow_twins.squared_distance(a, b))


def hard(kind: str, d: int):
    """Points, centres, and radii of balls around the centres, one of which holds nothing but its
    centre.
    """
    pair = make_pair(kind, d)
    centres = pair.real.values
    radii = nearest_radii(centres, np.arange(len(centres)), 4)
    radii[3] = 0.0
    return pair.generated.values, centres, radii


@pytest.mark.one_in(3)
@HARD
def test_counts_in_and_of_balls(kind, d):
    points, centres, radii = hard(kind, d)
    inside = [[distance(y, x) <= r for x, r in zip(centres, radii, strict=True)] for y in points]
    assert count_in_balls(points, centres, radii).tolist() == np.sum(inside, axis=1).tolist()
    assert count_held(centres, radii, points).tolist() == np.sum(inside, axis=0).tolist()
    rows = np.array([0, 4, 7])
    some = np.array([2, 3])
    found = count_held(centres, radii[some], points, centre_rows=some, rows=rows)
    assert found.tolist() == np.array(inside)[rows][:, some].sum(axis=0).tolist()


@pytest.mark.parametrize("d", [2, 12])
@pytest.mark.parametrize("seed", range(5))
def test_a_single_ball_among_many_points(d, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(400, d))
    centre = rng.normal(size=(1, d)) / 2
    # 126 of 400 points down to a handful: few enough to be picked out one by one, and many enough
    # for a mask.
    for share in (0.01, 0.3):
        radius = float(np.quantile([distance(z, centre[0]) for z in points], share))
        expected = [int(distance(z, centre[0]) <= radius) for z in points]
        assert sum(expected) > 0
        assert count_in_balls(points, centre, np.array([radius])).tolist() == expected
        assert count_held(centre, np.array([radius]), points).tolist() == [sum(expected)]


def tent(radius: float):
    return lambda squared: np.minimum(np.sqrt(squared) / radius, 1.0)


def slow_product(z, centres, radius: float, leave_out: int | None) -> float:
    product = 1.0
    for j, x in enumerate(centres):
        if j != leave_out:
            product *= min(distance(z, x) / radius, 1.0)
    return product


@pytest.mark.one_in(7)
@HARD
@pytest.mark.parametrize("factors", [2, 256])
def test_products(kind, d, factors, monkeypatch):
    monkeypatch.setattr(queries, "_FACTORS", factors)
    pair = make_pair(kind, d)
    radius = 2 * typical_radius(pair)
    points = pair.generated.values
    centres = pair.real.values
    found = multiply_within(RowView(points), RowView(centres), radius, tent(radius))
    assert found.tolist() == [slow_product(z, centres, radius, None) for z in points]
    found = multiply_within(RowView(centres), RowView(centres), radius, tent(radius), apart=True)
    assert found.tolist() == [slow_product(z, centres, radius, i) for i, z in enumerate(centres)]
    rows = np.array([1, 5])
    found = multiply_within(RowView(points, rows), RowView(centres, rows), radius, tent(radius))
    assert found.tolist() == [slow_product(z, centres[rows], radius, None) for z in points[rows]]


def test_products_in_small_parts_are_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(70, 12))
    centres = rng.normal(size=(90, 12))
    whole = multiply_within(RowView(points), RowView(centres), 5.0, tent(5.0))
    assert len(set(whole.tolist())) > 60
    monkeypatch.setattr(queries, "_PAIRS", 100)
    assert np.array_equal(multiply_within(RowView(points), RowView(centres), 5.0, tent(5.0)), whole)


def test_a_product_is_not_continued_below_the_least(monkeypatch):
    monkeypatch.setattr(queries, "_FACTORS", 4)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 9))
    centres = rng.normal(size=(300, 9))
    asked = []

    def factor(squared):
        asked.append(len(squared))
        return tent(20.0)(squared)

    whole = multiply_within(RowView(points), RowView(centres), 20.0, factor)
    everything = sum(asked)
    asked.clear()
    short = multiply_within(RowView(points), RowView(centres), 20.0, factor, least=1e-3)
    assert sum(asked) < everything / 4
    assert np.all(whole < 1e-3)
    assert np.all((short >= whole) & (short <= 1e-3))


@HARD
def test_largest_ratios(kind, d):
    points, centres, radii = hard(kind, d)
    expected = [
        max(
            r / distance(z, x) if distance(z, x) > 0 else math.inf
            for x, r in zip(centres, radii, strict=True)
        )
        for z in points
    ]
    assert largest_ratios(points, centres, radii).tolist() == expected


@HARD
def test_the_smallest_ball_that_holds_a_point(kind, d):
    points, centres, radii = hard(kind, d)
    expected = [
        min(
            (r for x, r in zip(centres, radii, strict=True) if distance(z, x) <= r),
            default=math.nan,
        )
        for z in points
    ]
    np.testing.assert_array_equal(smallest_holding(points, centres, radii), expected)


@HARD
@pytest.mark.parametrize("samples", [(1, slice(2, 9)), (1, slice(None)), (0, slice(1, None))])
def test_the_nearest_of_a_part(kind, d, samples):
    pair = make_pair(kind, d)
    number, rows = samples
    among = (pair.real, pair.generated)[number].values[rows]
    points = pair.real.values[3:12]
    squared = np.array(
        [[slow_twins.squared_distance(point, each) for each in among] for point in points]
    )
    order = np.argsort(squared, axis=1, kind="stable")[:, :5]
    near = NearestRows(*(RowView(part.values) for part in pair))
    found, distances = near.among((0, slice(3, 12)), samples, 5)
    assert found.tolist() == order.tolist()
    assert distances.tolist() == np.sqrt(np.take_along_axis(squared, order, axis=1)).tolist()


def test_blocks_of_many_points():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(1300, 10))
    centres = rng.normal(size=(900, 10))
    radii = nearest_radii(centres, np.arange(900), 3)
    distances = np.sqrt(np.sum((points[:, None] - centres) ** 2, axis=2))
    assert np.array_equal(largest_ratios(points, centres, radii), (radii / distances).max(axis=1))
    holding = np.where(distances <= radii, radii, np.inf).min(axis=1)
    np.testing.assert_array_equal(
        smallest_holding(points, centres, radii), np.where(holding < np.inf, holding, np.nan)
    )
    assert np.array_equal(count_held(centres, radii, points), (distances <= radii).sum(axis=0))
    expected = np.multiply.accumulate(np.minimum(distances / 4.0, 1.0), axis=1)[:, -1]
    for found in both_ways(
        lambda: multiply_within(RowView(points), RowView(centres), 4.0, tent(4.0))
    ):
        assert np.array_equal(found, expected)
