"""Loops in C equal those of NumPy, and NumPy does their work without a library or with an older
one.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.neighbors import Distances, native
from prviz.neighbors._c import build
from prviz.neighbors.kernels import append
from prviz.neighbors.point_sets import RowView, pair_distances
from tests.hard_pairs import SOME_KINDS, all_balls, counts, make_pair


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


@pytest.mark.parametrize("d", [1, 7, 8, 9, 16, 63, 128, 129, 136, 300, 2049])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_reference_distances_are_numpys_bit_for_bit(d: int, dtype: type) -> None:
    rng = np.random.default_rng(d)
    a = RowView((rng.normal(size=(20, d)) * 7).astype(dtype), rng.permutation(20))
    b = RowView(rng.normal(size=(9, d)).astype(dtype))
    rows = rng.integers(0, 20, 50)
    columns = rng.integers(0, 9, 50)
    expected = np.sum((a.take(rows).astype(np.float64) - b.take(columns)) ** 2, axis=-1)
    for found in both_ways(lambda: pair_distances(a, rows, b, columns)):
        assert np.array_equal(found, expected)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize("kind", SOME_KINDS)
def test_the_engine_counts_the_same_without_the_library(kind: str, split: float | None) -> None:
    pair = make_pair(kind, 9, 60, 50).split(split, 1)
    few = both_ways(lambda: counts(Distances(pair), 4, None))
    many = [each for k in range(1, 9) for each in all_balls(k, None)]
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
    a = RowView(np.zeros((5, 9)))
    places = np.array([0, number])
    with pytest.raises(IndexError, match=r"0 to 4 are needed"):
        pair_distances(a, places, a, np.array([0, 0]))
    lists = np.zeros((5, 3)), np.zeros((5, 3), np.int32)
    with pytest.raises(IndexError, match=r"0 to 4 are needed"):
        append((places, places, np.zeros(2)), np.ones(5), np.zeros(5, np.int64), lists)


M = 4
K = 6
Q = 2
E = 5
ROOM = 3  # rows and columns of a tile, limits, entries, room for what is found
W = np.int64
S = np.int32
D = np.float64
V = np.float32

# What each function reads, in its order, as the arguments in C say: the shape and precision of an
# array, or a number.
READ: dict[str, list[tuple[tuple[int, ...], type] | float]] = {
    "append": [
        ((E,), W),
        ((E,), W),
        ((E,), V),
        E,
        ((M,), V),
        ((M,), W),
        K,
        ((M, K), V),
        ((M, K), S),
        ((E,), W),
    ],
    "entries_within": [
        ((M, K), V),
        M,
        K,
        ((M,), V),
        ((K,), V),
        ROOM,
        ((ROOM,), W),
        ((ROOM,), W),
        ((ROOM,), V),
        ((M + 1,), W),
    ],
    "pair_distances": [((M, K), V), ((E,), W), ((Q, K), V), ((E,), W), E, K, ((E,), D)],
    "rank_columns": [
        ((M, K), V),
        M,
        K,
        ((K, Q), V),
        Q,
        ((K,), V),
        ((K,), D),
        0,
        ((M, Q + 1), W),
        ROOM,
        ((ROOM,), W),
        ((ROOM,), W),
    ],
    "rank_rows": [
        ((M, K), V),
        M,
        K,
        ((Q,), D),
        Q,
        ((M,), D),
        0.0,
        0,
        ((M, Q + 1), W),
        ROOM,
        ((ROOM,), W),
        ((ROOM,), W),
    ],
    "tally": [
        ((E,), W),
        ((E,), W),
        ((E,), V),
        E,
        0.0,
        1.0,
        ((M,), W),
        ((Q,), W),
        ((E,), S),
        ((E,), S),
        ((E,), V),
    ],
}
# Axes of arrays that no other number tells the length of: samples that are there, of which some are
# read.
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
        return native.call(name, np.dtype(V), *arguments)

    assert call(*given) >= 0
    for place, each in enumerate(given):
        wrong = (
            misread(name, place, each)
            if isinstance(each, np.ndarray)
            else [each + 1]
            if each > 1
            else []
        )
        for instead in wrong:
            with pytest.raises(ValueError, match=f"^{name}: "):
                call(*given[:place], instead, *given[place + 1 :])
    with pytest.raises(ValueError, match="argument"):
        call(*given[:-1])


def loaded_from(library: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(native, "LIBRARY", library)
    return native.library.__wrapped__()


@pytest.mark.thorough
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
