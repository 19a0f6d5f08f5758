"""Loops in C equal those of NumPy, and NumPy does their work without a library or with an older one."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.neighbors import Distances, kernels, native
from prviz.neighbors._c import build
from prviz.neighbors.balls import ROLES, Role
from prviz.neighbors.kernels import Scratch, sort_nearly_sorted
from prviz.neighbors.point_sets import PointSet
from prviz.neighbors.products import choose_arithmetic
from prviz.neighbors.rows import DistinctRows, RowView, pair_distances
from prviz.neighbors.sweep import Radii, SampleRadii, SortedRows
from prviz.neighbors.tiles import Tile, make_tile
from tests.hard_pairs import KINDS, all_balls, counts, make_pair

N = 137
TILES = ("normal", "twins", "integers", "plane", "wide")


def drawn(kind: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    if kind == "twins":  # products of near twins come out on either side of 0
        return np.repeat(rng.normal(size=(N, 40)), 2, axis=0)[:N] + 1e-5 * rng.normal(size=(N, 40))
    if kind == "integers":
        return rng.integers(0, 3, size=(N, 40)).astype(np.float64)
    return rng.normal(size=(N, 2 if kind == "plane" else 40)) * 100


def tile_of(kind: str, columns: slice) -> Tile:
    rows = RowView(drawn(kind))
    arithmetic = choose_arithmetic([rows], wide=kind == "wide")
    point_set = PointSet(DistinctRows(rows), arithmetic)
    return make_tile(point_set, slice(3, 90), point_set, Scratch(), columns=columns)


def reference(tile: Tile) -> np.ndarray:
    """The tile's distances, exactly."""
    values = tile.left.rows.source
    return np.sum((values[tile.rows][:, None] - values[tile.columns][None]) ** 2, axis=-1)


@pytest.fixture(params=TILES)
def tile(request: pytest.FixtureRequest) -> Tile:
    return tile_of(request.param, slice(0, N))


def both_ways(work: Callable[[], Any]) -> tuple[Any, Any]:
    """Results of some work with the library and without it."""
    assert native.library() is not None
    with_it = work()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "library", lambda: None)
        return with_it, work()


def test_the_library_is_there_where_there_is_a_compiler() -> None:
    # If not: it is compiled when prviz is installed, and by `python prviz/neighbors/_c/build.py`.
    compiler = shutil.which(os.environ.get("CC") or "cc")
    assert (native.library() is not None) == (compiler is not None)


def test_the_tiles_of_these_tests_are_of_every_kind() -> None:
    kinds = {kind: tile_of(kind, slice(0, N)) for kind in TILES}
    assert (kinds["twins"].values < 0).any()
    assert {kind for kind, each in kinds.items() if each.arithmetic.exact} == {"integers", "plane"}
    assert {kind for kind, each in kinds.items() if each.values.dtype == np.float64} == {"plane", "wide"}


@pytest.mark.parametrize("d", [1, 7, 8, 9, 16, 63, 128, 129, 136, 300, 2049])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_reference_distances_are_numpys_bit_for_bit(d: int, dtype: type) -> None:
    rng = np.random.default_rng(d)
    a, b = (
        RowView((rng.normal(size=(20, d)) * 7).astype(dtype), rng.permutation(20)),
        RowView(rng.normal(size=(9, d)).astype(dtype)),
    )
    rows, columns = rng.integers(0, 20, 50), rng.integers(0, 9, 50)
    expected = np.sum((a.take(rows).astype(np.float64) - b.take(columns)) ** 2, axis=-1)
    for found in both_ways(lambda: pair_distances(a, rows, b, columns)):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("sides", ["rows", "columns", "both", "none"])
def test_entries_within_limits(tile: Tile, sides: str, share: float) -> None:
    values, rng = tile.values, np.random.default_rng(1)
    some = np.quantile(values, np.clip(share + 0.01 * rng.normal(size=sum(values.shape)), 0, 1)).astype(values.dtype)
    by_row = some[: len(values)] if sides in ("rows", "both") else None
    by_column = some[len(values) :] if sides in ("columns", "both") else None
    within = np.zeros(values.shape, dtype=bool)
    if by_row is not None:
        within |= values <= by_row[:, None]
    if by_column is not None:
        within |= values <= by_column
    rows, columns = np.nonzero(within)
    starts = np.searchsorted(rows, np.arange(len(values) + 1))
    for found in both_ways(lambda: kernels.entries_within(values, by_row, by_column, tile.scratch)):
        for part, expected in zip(found, (rows, columns, values[rows, columns], starts), strict=True):
            assert np.array_equal(part, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lists_are_filled_and_what_has_no_place_is_told(dtype: type) -> None:
    rng = np.random.default_rng(2)
    owners, samples = rng.integers(0, 30, 400), rng.integers(0, 1000, 400)
    values, limits = rng.random(400).astype(dtype), rng.random(30).astype(dtype)
    begun = rng.integers(0, 9, 30)

    def work() -> tuple[np.ndarray, list[list[tuple[float, int]]]]:
        filled, lists = begun.copy(), (np.zeros((30, 9), dtype), np.zeros((30, 9), np.int32))
        left = kernels.append((owners, samples, values), limits, filled, lists)
        held = [[(lists[0][i, j], lists[1][i, j]) for j in range(start, filled[i])] for i, start in enumerate(begun)]
        return np.sort(left), held

    (left, held), (left_too, held_too) = both_ways(work)
    assert np.array_equal(left, left_too)
    assert held == held_too
    near = [[i for i in np.flatnonzero(owners == owner) if values[i] <= limits[owner]] for owner in range(30)]
    expected = [some[: 9 - start] for some, start in zip(near, begun, strict=True)]
    assert held == [[(values[i], samples[i]) for i in some] for some in expected]
    assert left.tolist() == sorted(i for some, start in zip(near, begun, strict=True) for i in some[9 - start :])
    assert len(left)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pairs_are_counted_or_kept(dtype: type) -> None:
    rng = np.random.default_rng(3)
    first, second, values = rng.integers(0, 30, 400), rng.integers(0, 20, 400), rng.random(400).astype(dtype)
    values[:40] = 0.25
    values[40:80] = 0.5

    def work() -> tuple[np.ndarray, ...]:
        found = np.zeros(30, np.int64), np.zeros(20, np.int64)
        return *kernels.tally(first, second, values, (0.25, 0.5), found), *found

    between = (values > 0.25) & (values <= 0.5)
    expected = (
        first[between], second[between], values[between],
        np.bincount(first[values <= 0.25], minlength=30), np.bincount(second[values <= 0.25], minlength=20),
    )  # fmt: skip
    for found in both_ways(work):
        assert all(map(np.array_equal, found, expected))


@pytest.mark.parametrize("q", [1, 2, 7, 200])
def test_counts_within_the_same_radii_around_every_point(tile: Tile, q: int) -> None:
    distances = reference(tile)
    # Some of them are distances themselves, some next to one, and some equal.
    squared = np.sort(np.random.default_rng(q).choice(distances.ravel(), q))
    squared[q // 2 :] = np.nextafter(squared[q // 2 :], np.inf)
    expected = (distances[None] <= squared[:, None, None]).sum(axis=2)
    for found in both_ways(lambda: Radii(tile.arithmetic, squared).counts(tile)):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("q", [1, 2, 7, 90])
def test_counts_of_balls_around_every_sample(tile: Tile, q: int) -> None:
    distances = reference(tile)
    squared = np.sort(distances, axis=0)[:q].T.copy()
    squared[::3] = np.nextafter(squared[::3], -np.inf)
    squared = np.maximum(squared, 0.0)
    expected = (distances[None] <= squared.T[:, None]).sum(axis=2)
    for found in both_ways(lambda: SampleRadii(tile.right, squared).counts(tile)):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    "orders", [{ROLES: 5}, {("real",): 3, ("generated",): 40}, {("real",): 60, ("generated",): 60, ROLES: N}]
)
def test_rows_in_the_exact_order(tile: Tile, orders: dict[tuple[Role, ...], int]) -> None:
    point_set, columns = tile.right, dict(zip(ROLES, (slice(0, 71), slice(71, N)), strict=True))
    tiles = {
        role: make_tile(tile.left, tile.rows, point_set, tile.scratch, columns=part, buffer=role)
        for role, part in columns.items()
    }
    near = {role: reference(each) for role, each in tiles.items()}
    asked = {among: np.unique([1, (top + 1) // 2, top]) for among, top in orders.items()}
    for among, some in asked.items():
        radii = np.sort(np.concatenate([near[role] for role in among], axis=1), axis=1)[:, some - 1]
        for role in ("real", "generated"):
            expected = (near[role][:, None] <= radii[:, :, None]).sum(axis=2).T
            for found in both_ways(
                lambda role=role, among=among, some=some: SortedRows(tiles, orders).counts(among, some, role)
            ):
                assert np.array_equal(found, expected)


def test_rows_nearly_sorted_are_sorted_with_their_numbers() -> None:
    rng = np.random.default_rng(4)
    values = np.sort(rng.integers(0, 50, (30, 80)) / 7.0, axis=1)
    values[::2, 10:20] = values[::2, 19:9:-1]
    order = np.argsort(values, axis=1, kind="stable")

    def work() -> tuple[np.ndarray, np.ndarray]:
        found = values.copy(), np.tile(np.arange(80), (30, 1))
        sort_nearly_sorted(*found)
        return found

    for found in both_ways(work):
        assert np.array_equal(found[0], np.take_along_axis(values, order, axis=1))
        assert np.array_equal(found[1], order)


@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize("kind", KINDS)
def test_the_engine_counts_the_same_without_the_library(kind: str, split: float | None) -> None:
    pair = make_pair(kind, 9, 60, 50).split(split, 1)
    few, many = (
        both_ways(lambda: counts(Distances(pair), 4, None)),
        [each for k in range(1, 9) for each in all_balls(k, None)],
    )
    assert few[0] == few[1]
    one, other = both_ways(lambda: Distances(pair).count(many))
    for mine, theirs in zip(one, other, strict=True):
        assert np.array_equal(mine.real, theirs.real)
        assert np.array_equal(mine.generated, theirs.generated)
        assert mine.radii == theirs.radii


def test_arrays_of_other_kinds_are_numpys() -> None:
    array = np.zeros((4, 6))
    assert native.serves(array, array)
    for other in (array.T, array[:, ::2], array.astype(np.float32), array.astype(">f8")):
        assert not native.serves(array, other)
    assert not native.serves(np.zeros(3, dtype=np.float16))


@pytest.mark.parametrize("number", [-1, 5])
def test_numbers_of_samples_that_are_not_there_are_refused(number: int) -> None:
    a, places = np.zeros((5, 9)), np.array([0, number])
    with pytest.raises(IndexError, match=r"there are 5"):
        native.pair_distances(a, places, a, np.array([0, 0]), np.empty(2))
    lists = np.zeros((5, 3)), np.zeros((5, 3), np.int32)
    with pytest.raises(IndexError, match=r"there are 5"):
        native.append(places, places, np.zeros(2), np.ones(5), np.zeros(5, np.int64), lists)


M, K, Q, E, ROOM = 4, 6, 2, 5, 3  # rows and columns of a tile, limits, entries, room for what is found
W, S, D, V = np.int64, np.int32, np.float64, np.float32

# What each function reads, in its order, as the arguments in C say: the shape and precision of an array, or a number.
READ: dict[str, list[tuple[tuple[int, ...], type] | float]] = {
    "append": [((E,), W), ((E,), W), ((E,), V), E, ((M,), V), ((M,), W), K, ((M, K), V), ((M, K), S), ((E,), W)],
    "entries_within": [
        ((M, K), V), M, K, ((M,), V), ((K,), V), ROOM, ((ROOM,), W), ((ROOM,), W), ((ROOM,), V), ((M + 1,), W)
    ],
    "pair_distances": [((M, K), V), ((E,), W), ((Q, K), V), ((E,), W), E, K, ((E,), D)],
    "rank_columns": [
        ((M, K), V), M, K, ((K, Q), D), Q, ((K,), V), ((K,), D), 0, ((M, Q + 1), W), ROOM, ((ROOM,), W), ((ROOM,), W)
    ],
    "rank_rows": [
        ((M, K), V), M, K, ((Q,), D), Q, ((M,), D), 0.0, 0, ((M, Q + 1), W), ROOM, ((ROOM,), W), ((ROOM,), W)
    ],
    "sort_nearly_sorted": [((M, K), V), ((M, K), W), M, K],
    "tally": [
        ((E,), W), ((E,), W), ((E,), V), E, 0.0, 1.0, ((M,), W), ((Q,), W), ((E,), S), ((E,), S), ((E,), V)
    ],
}  # fmt: skip
# Axes of arrays that no other number tells the length of: samples that are there, of which some are read.
FREE = {("pair_distances", 0, 0), ("pair_distances", 2, 0), ("tally", 6, 0), ("tally", 7, 0)}


def misread(name: str, place: int, array: np.ndarray) -> list[np.ndarray]:
    """Arrays that the function would misread."""
    axes = [axis for axis in range(array.ndim) if (name, place, axis) not in FREE]
    longer = [np.concatenate([array, array.take([0], axis)], axis) for axis in axes]
    shorter = [array.take(range(array.shape[axis] - 1), axis) for axis in axes]
    other = array.astype(np.float16), array[..., None], array.repeat(2, -1)[..., ::2]
    return [*longer, *shorter, *other]


@pytest.mark.parametrize("name", READ)
def test_arrays_that_would_be_read_as_something_else_are_refused(name: str) -> None:
    given = [np.zeros(*each) if isinstance(each, tuple) else each for each in READ[name]]

    def call(*arguments: Any) -> int:
        return native._call(native.library(), name, np.dtype(V), *arguments)

    assert call(*given) >= 0
    for place, each in enumerate(given):
        wrong = misread(name, place, each) if isinstance(each, np.ndarray) else [each + 1] if each > 1 else []
        for instead in wrong:
            with pytest.raises(ValueError, match=f"^{name}: "):
                call(*given[:place], instead, *given[place + 1 :])
    with pytest.raises(ValueError, match="argument"):
        call(*given[:-1])


def loaded_from(library: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(native, "LIBRARY", library)
    return native.library.__wrapped__()


def test_a_library_is_compiled_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build.compile_library(tmp_path / "made.so")
    assert [each.name for each in tmp_path.iterdir()] == ["made.so"]
    assert loaded_from(tmp_path / "made.so", monkeypatch) is not None


@pytest.mark.parametrize("compiler", ["no-such-compiler", "false"])
def test_without_a_compiler_that_works_there_is_none(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    assert not build.compile_library(tmp_path / "made.so")
    assert not list(tmp_path.iterdir())
    assert loaded_from(tmp_path / "made.so", monkeypatch) is None


def test_where_nothing_can_be_written_there_is_none(tmp_path: Path) -> None:
    assert not build.compile_library(tmp_path / "no such folder" / "made.so")


def test_a_library_from_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "digest", lambda: "0123456789abcdef")
    assert loaded_from(build.LIBRARY, monkeypatch) is None


def test_what_is_no_library_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made.so").write_bytes(b"no library")
    assert loaded_from(tmp_path / "made.so", monkeypatch) is None


def test_a_library_that_adds_in_another_order_is_not_used() -> None:
    class Other:
        """Nearly the right sum."""

        def pair_distances_float64(self, *given: Any) -> int:
            native.library().pair_distances_float64(*given)
            squared = ctypes.cast(given[-1], ctypes.POINTER(ctypes.c_double))
            squared[0] = np.nextafter(squared[0], 0.0)
            return 1

    assert native._adds_like_numpy(native.library())
    assert not native._adds_like_numpy(Other())
