"""Calls of the loops in `_c/kernels.c`, which are compiled at the installation of prviz where there
is a compiler.

Each loop stands beside its NumPy twin, which has equal results, in `kernels` and in
`point_sets.pair_distances`. `serves` is True if the library can be called with the given arrays;
otherwise the NumPy twin does the work. The C functions release the GIL.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Array, Ints
from prviz.neighbors._c.build import LIBRARY, digest

# int32 array, for numbers of samples and counts.
Small = NDArray[np.int32]

# Suffix of the C functions' names, by dtype of the values. It is a table because NumPy takes longer
# to give a dtype's name.
_PRECISIONS = {np.dtype(np.float32): "float32", np.dtype(np.float64): "float64"}
# The parameters of each C function, in order, as "name" or "name:kind[axes]". A name alone is an
# integer: the length of all axes of that name. The kind is V, the dtype of the values, or one of
# _KINDS; without axes it is a number, with axes an array.
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
        "tile:V[m,n] m n limits:V[n,q] q reach:V[n] errors:D[n] exact counts:I[m,q+1] room"
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


class _Parameter(NamedTuple):
    """One parameter of a C function. ``lengths``: for each axis of an array, the name of its length
    and a number to add to it; empty for a number.
    """

    text: str
    kind: str
    lengths: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, text: str) -> _Parameter:
        """Parse one parameter of a signature in _SIGNATURES."""
        rest = text.partition(":")[2]
        axes = [each.partition("+") for each in rest[2:-1].split(",") if each]
        return cls(text, rest[:1], tuple((axis, int(more or 0)) for axis, _, more in axes))

    @property
    def passed_as(self) -> Any:
        """The ctypes type with which this parameter is passed."""
        if self.lengths:
            return ctypes.c_void_p
        if self.kind == "D":
            return ctypes.c_double
        return ctypes.c_int64

    def reads(self, array: Array, dtype: np.dtype[Any], lengths: dict[str, Any]) -> bool:
        """True if an array can be passed as this parameter. If the length of an axis is not in
        ``lengths`` yet, it is added.
        """
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
    """The compiled library. None if it was not compiled, if it was compiled from other sources, or
    if it adds in another order than NumPy.
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
    """True if the library adds squares in NumPy's order. The order changes at certain numbers of
    terms, so lengths below and above these are tried.
    """
    first = np.zeros(1, dtype=np.int64)
    for d in (1, 7, 8, 15, 100, 128, 129, 257, 1000, 2049):
        a, b = np.random.default_rng(d).standard_normal((2, 1, d))
        squared = np.empty(1)
        call("pair_distances", a.dtype, a, first, b, first, 1, d, squared, found=found)
        if squared[0] != np.sum(np.square(a - b), axis=-1)[0]:
            return False
    return True


def serves(*arrays: Array) -> bool:
    """True if the library is compiled and can take these arrays: contiguous, and all float32 or all
    float64.
    """
    dtype = arrays[0].dtype
    alike = all(
        each.dtype == dtype and each.flags.c_contiguous and each.flags.aligned for each in arrays
    )
    return dtype in _PRECISIONS and alike and library() is not None


def call(
    name: str, dtype: np.dtype[Any], *arguments: Array | float | None, found: Any = None
) -> int:
    """Call a C function for values of ``dtype``. Arrays are passed as pointers, None as a null
    pointer.

    found : the library; None: the compiled one.
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
                    f"{name}: {shape} was given as {parameter.text}; axis lengths {lengths} and"
                    f" {dtype} for V are needed"
                )
            given.append(value.ctypes.data)
        elif lengths.setdefault(parameter.text, value) == value:
            given.append(value)
        else:
            raise ValueError(
                f"{name}: {parameter.text} = {value}; the arrays need {lengths[parameter.text]}"
            )
    return int(getattr(found or library(), f"{name}_{_PRECISIONS[dtype]}")(*given))


def indices(numbers: Ints, size: int) -> Ints:
    """Indices as contiguous int64; IndexError unless all are from 0 to ``size`` - 1."""
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < size:
        raise IndexError(
            f"indices from {numbers.min()} to {numbers.max()}; 0 to {size - 1} are needed"
        )
    return np.ascontiguousarray(numbers, dtype=np.int64)
