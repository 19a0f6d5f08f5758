"""A tile sorted whole answers as the tile itself does, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.neighbors.clouds import Cloud, Merged, Rows
from prviz.neighbors.kernels import Scratch
from prviz.neighbors.products import choose_arithmetic
from prviz.neighbors.sorting import SortedTile
from prviz.neighbors.tiles import Tile, make_tile

N = 37


def drawn(kind: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    if kind == "twins":  # products of near twins come out on either side of 0
        return np.repeat(rng.normal(size=(N, 40)), 2, axis=0)[:N] + 1e-5 * rng.normal(size=(N, 40))
    if kind == "integers":
        return rng.integers(0, 3, size=(N, 40)).astype(np.float64)
    return rng.normal(size=(N, 2 if kind == "plane" else 40)) * 100


def tile_of(kind: str, columns: slice) -> Tile:
    rows = Rows(drawn(kind))
    arithmetic = choose_arithmetic([rows], wide=kind == "wide")
    cloud = Cloud(Merged(rows), arithmetic)
    return make_tile(cloud, slice(3, 30), cloud, columns, "tile", Scratch())


@pytest.fixture(params=["normal", "twins", "integers", "plane", "wide"])
def tile(request: pytest.FixtureRequest) -> Tile:
    return tile_of(request.param, slice(0, N))


def limits_of(tile: Tile) -> np.ndarray:
    """Every distance, what is just beside it, and what is beyond all."""
    some = np.sort(tile.values, axis=1).astype(np.float64)
    beside = [np.nextafter(some, -np.inf), some, np.nextafter(some, np.inf), np.full_like(some, np.inf)]
    return np.maximum(np.concatenate(beside, axis=1), 0.0)


def test_the_tiles_of_these_tests_are_of_every_kind() -> None:
    kinds = {kind: tile_of(kind, slice(0, N)) for kind in ("normal", "twins", "integers", "plane", "wide")}
    assert (kinds["twins"].values < 0).any()
    assert {kind for kind, each in kinds.items() if each.arithmetic.exact} == {"integers", "plane"}
    assert {kind for kind, each in kinds.items() if each.values.dtype == np.float64} == {"plane", "wide"}


def test_counts_are_those_of_comparisons_one_by_one(tile: Tile) -> None:
    limits, rows = limits_of(tile), SortedTile(tile, "sorted")
    wide = tile.values.astype(np.float64)[:, :, None]
    assert np.array_equal(rows.within(limits), (wide <= limits[:, None]).sum(axis=1))
    below = rows.below(limits)
    # At 0 the sign of what is as good as 0 is not looked at.
    some = limits > 0
    assert np.array_equal(below[some], (wide < limits[:, None]).sum(axis=1)[some])


def test_two_limits_at_once_count_as_each_alone(tile: Tile) -> None:
    rows = SortedTile(tile, "sorted")
    low = limits_of(tile)[:, :-N]  # the last are beyond all
    for high in (low, low * 1.5, np.full_like(low, np.inf)):
        below, within = rows.between(low, high)
        assert np.array_equal(below, rows.below(low))
        assert np.array_equal(within, rows.within(high))


@pytest.mark.parametrize("kind", ["normal", "twins", "wide"])
def test_samples_are_in_the_order_of_their_distances(kind: str) -> None:
    tile = tile_of(kind, slice(5, 28))
    m, n = tile.values.shape
    found = SortedTile(tile, "sorted").samples(tuple(np.indices((m, n))))
    assert np.array_equal(np.sort(found, axis=1), np.broadcast_to(np.arange(5, 28), (m, n)))
    values = np.take_along_axis(tile.values, found - 5, axis=1)
    assert (np.diff(values, axis=1) >= 0).all()


@pytest.mark.parametrize("order", [1, 2, N // 2, N, N + 5])
def test_nearest_are_those_of_the_tile(tile: Tile, order: int) -> None:
    rows, limits = SortedTile(tile, "sorted"), tile.bound(order)
    assert (rows.bound(order) <= limits).all()
    found, expected = rows.up_to(limits), tile.up_to(limits)
    finite = np.sort(found.values, axis=1)
    assert np.array_equal(finite, np.sort(expected.values, axis=1)[:, : finite.shape[1]])
    if not tile.arithmetic.exact:
        for row in range(len(found.values)):
            mine, theirs = (each.columns[row][np.isfinite(each.values[row])] for each in (found, expected))
            assert np.array_equal(np.sort(mine), np.sort(theirs))
