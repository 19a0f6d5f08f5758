"""Loops of `_c/kernels.c`, compiled when prviz was installed; NumPy does their work where they were
not.

Every function here has a twin in NumPy, in the function that calls it, with the same results.
`serves` is True for arrays that the library can take. The functions let other threads run
meanwhile.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Array, Floats, Ints
from prviz.neighbors._c.build import LIBRARY, digest

# Arrays of this package: values of a tile or of samples, distances in float64, numbers of samples,
# counts.
Small = NDArray[np.int32]

# Suffix of the C functions by precision of the values; looked up, as NumPy takes longer to name a
# dtype.
_PRECISIONS = {np.dtype(np.float32): "float32", np.dtype(np.float64): "float64"}
# The parameters of each function of the library, in order. A name alone is a whole number: the
# length of all axes of that name. After a colon stands the kind, V the precision of the values or
# one of _KINDS, and the axes of an array.
_SIGNATURES = {
    "append": (
        "owners:I[e] samples:I[e] values:V[e] e limits:V[p] filled:I[p] length"
        " list_values:V[p,length] list_samples:S[p,length] left:I[e]"
    ),
    "entries_within": (
        "tile:V[m,n] m n by_row:V[m] by_column:V[n] room rows:I[room] columns:I[room]"
        " values:V[room] starts:I[m+1]"
    ),
    "pair_distances": "a:V[x,d] rows:I[p] b:V[y,d] columns:I[p] p d out:D[p]",
    "rank_columns": (
        "tile:V[m,n] m n limits:D[n,q] q reach:V[n] errors:D[n] exact counts:I[m,q+1] room"
        " rows:I[room] columns:I[room]"
    ),
    "rank_rows": (
        "tile:V[m,n] m n limits:D[q] q errors:D[m] largest_error:D exact counts:I[m,q+1] room"
        " rows:I[room] columns:I[room]"
    ),
    "tally": (
        "first:I[e] second:I[e] values:V[e] e low:D high:D first_counts:I[x] second_counts:I[y]"
        " first_kept:S[e] second_kept:S[e] values_kept:V[e]"
    ),
}
_KINDS = {"I": np.dtype(np.int64), "S": np.dtype(np.int32), "D": np.dtype(np.float64)}
# Entries of a tile per slot of the first output buffer: usually a smaller share is found.
_SHARE = 8


class _Parameter(NamedTuple):
    """``lengths``: name of each axis's length of an array, and how much is added to it; empty for a
    number.
    """

    text: str
    kind: str
    lengths: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, text: str) -> _Parameter:
        """Parse one part of a signature."""
        rest = text.partition(":")[2]
        axes = [each.partition("+") for each in rest[2:-1].split(",") if each]
        return cls(text, rest[:1], tuple((axis, int(more or 0)) for axis, _, more in axes))

    @property
    def passed_as(self) -> Any:
        """Type of the parameter in C."""
        if self.lengths:
            return ctypes.c_void_p
        if self.kind == "D":
            return ctypes.c_double
        return ctypes.c_int64

    def reads(self, array: Array, dtype: np.dtype[Any], lengths: dict[str, Any]) -> bool:
        """True if the function can read an array; new lengths are added to the known ones."""
        if array.ndim != len(self.lengths) or not array.flags.c_contiguous:
            return False
        for (axis, more), n in zip(self.lengths, array.shape, strict=True):
            if lengths.setdefault(axis, n - more) != n - more:
                return False
        return array.dtype == (dtype if self.kind == "V" else _KINDS[self.kind])


_PARAMETERS = {
    name: [_Parameter.of(each) for each in signature.split()]
    for name, signature in _SIGNATURES.items()
}


@functools.cache
def library() -> Any:
    """Compiled library; None if not compiled, compiled from other sources, or if it does not add as
    NumPy does.
    """
    if np.dtype(np.intp) != np.int64:
        return None
    try:
        found = ctypes.CDLL(str(LIBRARY))
        found.source.restype = ctypes.c_char_p
        if found.source() != digest().encode():
            return None
    except (OSError, AttributeError):
        return None
    for name, parameters in _PARAMETERS.items():
        for precision in _PRECISIONS.values():
            function = getattr(found, f"{name}_{precision}")
            function.restype = ctypes.c_int64
            function.argtypes = [each.passed_as for each in parameters]
    if _adds_like_numpy(found):
        return found
    return None


def _adds_like_numpy(found: Any) -> bool:
    """True if the library adds squares in NumPy's order, below and above the length where that
    order changes.
    """
    first = np.zeros(1, dtype=np.int64)
    for d in (1, 7, 8, 15, 100, 128, 129, 257, 1000, 2049):
        a, b = np.random.default_rng(d).standard_normal((2, 1, d))
        squared = np.empty(1)
        _call(found, "pair_distances", a.dtype, a, first, b, first, 1, d, squared)
        if squared[0] != np.sum(np.square(a - b), axis=-1)[0]:
            return False
    return True


def serves(*arrays: Array) -> bool:
    """True if the library is there and takes these arrays: contiguous, of one of two precisions."""
    dtype = arrays[0].dtype
    alike = all(
        each.dtype == dtype and each.flags.c_contiguous and each.flags.aligned for each in arrays
    )
    return dtype in _PRECISIONS and alike and library() is not None


def _call(found: Any, name: str, dtype: np.dtype[Any], *arguments: Array | float | None) -> int:
    """Call a function of the library, on values of precision ``dtype``: arrays go as pointers, None
    as none.
    """
    lengths: dict[str, Any] = {}
    given: list[Any] = []
    for parameter, value in zip(_PARAMETERS[name], arguments, strict=True):
        if isinstance(value, np.ndarray):
            if not parameter.reads(value, dtype, lengths):
                shape = (
                    f"an array of shape {value.shape}, dtype {value.dtype} and strides"
                    f" {value.strides}"
                )
                raise ValueError(
                    f"{name}: {shape} as {parameter.text}, with {lengths} and V of {dtype}"
                )
            given.append(value.ctypes.data)
        elif lengths.setdefault(parameter.text, value) == value:
            given.append(value)
        else:
            raise ValueError(
                f"{name}: {parameter.text} = {value}; the arrays have {lengths[parameter.text]}"
            )
    return int(getattr(found, f"{name}_{_PRECISIONS[dtype]}")(*given))


def _indices(numbers: Ints, size: int) -> Ints:
    """Indices as the functions need them, checked against ``size``."""
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < size:
        raise IndexError(f"numbers from {numbers.min()} to {numbers.max()}; there are {size}")
    return np.ascontiguousarray(numbers, dtype=np.int64)


def pair_distances(a: Array, rows: Ints, b: Array, columns: Ints, out: Floats) -> None:
    """`rows.pair_distances` of rows of two arrays."""
    pairs = a, _indices(rows, len(a)), b, _indices(columns, len(b))
    if not _call(library(), "pair_distances", a.dtype, *pairs, len(out), a.shape[1], out):
        raise MemoryError("no memory for the parts of a sum")


def entries_within(
    tile: Array, by_row: Array | None, by_column: Array | None
) -> tuple[Ints, Ints, Array, Ints]:
    """`kernels.entries_within`."""
    m, n = tile.shape
    starts = np.empty(len(tile) + 1, dtype=np.int64)
    room = -1
    count = tile.size // _SHARE
    while count > room:
        room = count
        found = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, tile.dtype)
        count = _call(
            library(),
            "entries_within",
            tile.dtype,
            tile,
            m,
            n,
            by_row,
            by_column,
            room,
            *found,
            starts,
        )
    rows, columns, values = (each[:count] for each in found)
    return rows, columns, values, starts


def append(
    owners: Ints,
    samples: Ints,
    values: Array,
    limits: Array,
    filled: Ints,
    lists: tuple[Array, Small],
) -> Ints:
    """`kernels.append`."""
    left = np.empty(len(owners), dtype=np.int64)
    new = (
        _indices(owners, len(filled)),
        np.ascontiguousarray(samples, dtype=np.int64),
        values,
        len(values),
    )
    count = _call(
        library(), "append", values.dtype, *new, limits, filled, lists[0].shape[1], *lists, left
    )
    return left[:count]


def tally(
    first: Ints, second: Ints, values: Array, low: float, high: float, counts: tuple[Ints, Ints]
) -> tuple[Small, Small, Array]:
    """`kernels.tally`."""
    pairs = _indices(first, len(counts[0])), _indices(second, len(counts[1])), values, len(values)
    kept = (
        np.empty(len(values), np.int32),
        np.empty(len(values), np.int32),
        np.empty(len(values), values.dtype),
    )
    count = _call(library(), "tally", values.dtype, *pairs, float(low), float(high), *counts, *kept)
    ones, others, their_values = (each[:count].copy() for each in kept)  # kept for long
    return ones, others, their_values


def ranked(
    name: str, tile: Array, limits: Floats, more: tuple[Array | float, ...], exact: bool
) -> tuple[Ints, Ints, Ints]:
    """Ranks of entries: "rank_rows" among limits (q,) that all share, "rank_columns" among those of
    columns (n, q).
    """
    m, n = tile.shape
    q = limits.shape[-1]
    room = -1
    count = tile.size // _SHARE
    while count > room:
        room = count
        counts = np.zeros((m, q + 1), np.int64)
        unclear = np.empty(room, np.int64), np.empty(room, np.int64)
        balls = limits, q, *more, int(exact)
        count = _call(library(), name, tile.dtype, tile, m, n, *balls, counts, room, *unclear)
    rows, columns = (each[:count] for each in unclear)
    return counts, rows, columns
