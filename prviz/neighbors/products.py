r"""Squared distances from matrix products, and a proven bound on their error against the reference
distances.

Let u be the unit roundoff of the products (2^-24 or 2^-53), gamma_m = m u / (1 - m u), mu any fixed
centre, 2^s a power of two (exact to multiply by), a = 2^s (x - mu), and a' = a rounded. With |a|
Euclidean norms, S = (|a| + |b|)^2 and D the true squared distance times 4^s, which does not depend
on the centre:

1. Input.     |a' - a| <= delta |a| with delta <= u (1 + u), so
   | |a'-b'|^2 - D | <= (2 delta + delta^2) S.
2. Products. Up to r = PART features, one inner product of d + 2 terms, (-2a', |a'|^2, 1) . (b', 1,
   |b'|^2), with the squared norms rounded once from float64: in whatever order its terms are added,
   fused or not, it errs by at most gamma_{d+2} (|a'| + |b'|)^2, and the rounded norms add u (|a'|^2
   + |b'|^2). With more than r features: |a'|^2 + |b'|^2 first, then p = ceil(d / r) inner products
   of at most r terms of -2a' . b', one after the other, each added as a whole (`adds_once`). The
   errors are at most gamma_{r+p} 2 |a'| |b'| and gamma_{p+2} (|a'|^2 + |b'|^2), with 2 |a'| |b'| <=
   (|a'| + |b'|)^2 / 2.
3. Reference. The float64 reference itself errs by gamma_{d+2} D, at its own unit roundoff, and D <=
   S.

Hence |approximate - reference| <= C S, in float32 with C = gamma_{d+10} or gamma_{(r+p)/2 + p+10},
in float64 with gamma_{2d+20}.
Underflow adds at most eta, a constant far below all that; a norm enlarged by sqrt(eta / C) absorbs
it.

**Around one point.** A sample b at distance sqrt(t) from a has |b| <= |a| + sqrt(t): samples near
the threshold t err by at most C (2|a| + sqrt(t))^2. Far samples have larger errors, but lie beyond
the threshold by more than these. So with q = sqrt(2 C), C' = C / (1 - q)^2 and

    E(a, t) = C' (|a| + min(|a| + sqrt(t), L))^2

with L the largest norm of all, which bounds every b, near or far: an approximate distance below t -
E is within t for certain, one above t + E is outside. Far outliers do not widen it. (h(D) = D + C
(2|a| + sqrt D)^2 and g(D) = D - C (2|a| + sqrt D)^2 bracket the approximate distance; h grows, and
g does beyond sqrt(D) = 2 C |a| / (1 - C), before which C' covers its dip.) Likewise an approximate
k-th smallest distance v is within E(a, v) of the reference one, and distances outside v -+ 2 E(a,
v) are on their side of the reference k-th smallest. The two sides are alike, so the same holds
around a fit sample.

**No error at all** when every value is an integer multiple of one power of two and the integers are
small enough for (|a| + |b|)^2 to fit the significand: then every partial sum is exact, ties
included, and nothing is rechecked.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from prviz.arrays import Array, Floats

# Most terms of an inner product that are added before the sum is rounded into the result: shorter
# parts have a tighter error bound, but much shorter ones take longer.
PART = 96

# Scaled norms are at most 2^30, so every scaled squared distance is far below this.
_BEYOND = 2.0**100

# xgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), all of them pointers.
_GEMM = {np.dtype(np.float32): "sgemm", np.dtype(np.float64): "dgemm"}
_GEMM_INTS = (2, 3, 4, 7, 9, 12)

# Sizes m and n that `adds_once` tries: BLAS has separate code for ranges of sizes and for
# remainders at their edges.
_PROBED = (1, 2, 3, 7, 16, 33, 130, 515)


def round_up(values: Array, dtype: Any) -> Array:
    """For each value the smallest number of ``dtype`` that is >= it."""
    with np.errstate(over="ignore"):
        rounded = values.astype(dtype)
        return np.where(rounded < values, np.nextafter(rounded, np.array(np.inf, dtype)), rounded)


def round_down(values: Array, dtype: Any) -> Array:
    """For each value the largest number of ``dtype`` that is <= it."""
    return -round_up(-values, dtype)


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """Arithmetic in which approximate distances are computed: from values minus ``centre``, times
    2^``exponent``, in ``dtype``.

    ``constant`` is C' of the module docstring, 0 where the products are exact, and ``largest`` its
    L; ``direct``, for few features: reference distances are computed coordinate by coordinate,
    without products.
    """

    dtype: Any
    centre: Floats
    exponent: int
    constant: float = 0.0
    padding: float = 0.0
    largest: float = math.inf
    direct: bool = False

    @property
    def exact(self) -> bool:
        """True if the tiles hold the reference distances themselves."""
        return self.constant == 0.0

    def error(self, norms: Floats, squared: Any) -> Floats:
        """E(a, t) of the module docstring, for scaled norms |a| and squared radii t, which
        broadcast.
        """
        others = np.minimum(norms + np.sqrt(np.maximum(squared, 0.0)), self.largest)
        reach: Floats = self.constant * np.square(norms + others)
        return reach

    def widened(self, nearest: Array, norms: Floats) -> Array:
        """Limits that include every sample that, within rounding, may be as near as these
        approximate distances; the arguments broadcast.
        """
        if self.exact:
            return nearest
        wide = nearest.astype(np.float64)
        return round_up(wide + 2 * self.error(norms, wide), self.dtype)

    def scaled(self, squared: Any) -> Any:
        """Squared radii converted to the units of the tiles; radii far beyond any distance are
        limited, to stay finite.
        """
        if self.direct:
            return squared
        with np.errstate(over="ignore"):
            return np.minimum(np.ldexp(squared, 2 * self.exponent), _BEYOND)

    def unscaled(self, squared: Any) -> Floats:
        """Squared distances of a tile converted to the units of the data, as float64."""
        return np.ldexp(np.asarray(squared, dtype=np.float64), -2 * self.exponent)

    def round(self, values: Array, out: Array) -> None:
        """Write the vectors a' of the module docstring to ``out``: 2^exponent (x - centre), rounded
        once.
        """
        narrow = values.dtype.itemsize <= out.dtype.itemsize and abs(self.exponent) < 100
        if narrow and np.all(self.centre.astype(out.dtype) == self.centre):
            # Only the subtraction rounds, once, to the dtype of ``out``; multiplying by a power of
            # two is exact.
            np.subtract(values, self.centre.astype(out.dtype), out=out, dtype=out.dtype)
            out *= out.dtype.type(2.0**self.exponent)
            return
        out[:] = np.ldexp(values - self.centre, self.exponent)

    def padded_norms(self, squares: Floats) -> Floats:
        """Upper bounds on the norms of the exact vectors, from rounded squares: the factor 1 + 1e-6
        covers the rounding in either precision.
        """
        return np.sqrt(squares) * (1 + 1e-6) + self.padding


def banded(dtype: Any, centre: Floats, largest: float) -> Arithmetic:
    """Arithmetic for values scaled to norms of at most 2^30, with the error bound of the module
    docstring.
    """
    d = len(centre)
    exponent = 0
    if largest:
        exponent = min(30 - math.frexp(largest)[1], 900)
    parts = -(-d // PART)
    terms = d + 10 if parts == 1 else (PART + parts) / 2 + parts + 10
    unit, terms = (2.0**-24, terms) if dtype == np.float32 else (2.0**-53, 2 * d + 20)
    bound = terms * unit / (1 - terms * unit)
    # Bound on the error that underflow adds: of inputs, of products, and of the reference squares.
    eta = (d + 8) * (2.0**-90 + math.ldexp(1.0, min(2 * exponent - 1070, 900)))
    constant = bound / (1 - math.sqrt(2 * bound)) ** 2
    padding = math.sqrt(eta / bound)
    return Arithmetic(
        dtype,
        centre,
        exponent,
        constant,
        padding,
        math.ldexp(largest, exponent) * (1 + 1e-5) + padding,
    )


def add_products(left: Array, right: Array, out: Array, times: float = 1.0) -> None:
    """``out += times * (left @ right.T)``, each entry rounded once more than its inner product,
    whose terms are added in any order.

    left : (m, k), right : (n, k), out : (m, n), in one of BLAS's precisions and each row
    contiguous.
    times : plus or minus a power of two, so that it rounds nothing.
    """
    if adds_once(out.dtype, left.shape[1]):
        _add_by_blas(left, right, out, times)
    else:
        add_products_by_numpy(left, right, out, times)


def add_products_by_numpy(left: Array, right: Array, out: Array, times: float = 1.0) -> None:
    """`add_products` without BLAS's own addition: NumPy multiplies, scales and adds in three
    passes.
    """
    found = left @ right.T
    found *= times
    out += found


@functools.cache
def adds_once(dtype: np.dtype[Any], k: int) -> bool:
    """True if BLAS is available and computes an inner product of ``k`` terms before it adds the
    result to ``out``; tested by a trial.

    In the trial, the terms add up to just over half of the smallest step above 1: if BLAS added
    them to a 1 one by one, each would be rounded away and the 1 would stay. One trial is enough,
    because the order in which BLAS adds does not depend on the values.
    """
    if dtype not in _GEMM or _routine(_GEMM[dtype]) is None:
        return False
    step = np.finfo(dtype).eps
    half = 2 ** (k - 1).bit_length()
    for m, n in itertools.product(_PROBED, repeat=2):
        left = np.ones((m, k), dtype)
        right = np.full((n, k), step / (2 * half), dtype)
        left[:, 0] = half + 1 - (k - 1)
        out = np.ones((m, n), dtype)
        _add_by_blas(left, right, out)
        if not np.all(out == 1 + step):
            return False
    return True


def _add_by_blas(left: Array, right: Array, out: Array, times: float = 1.0) -> None:
    # BLAS stores by columns and sees our rows as columns, so the product is computed transposed:
    # out.T += right @ left.T.
    m, k = left.shape
    n = len(right)
    given = [(each.shape, each.dtype) for each in (left, right, out)]
    if given != [(shape, out.dtype) for shape in ((m, k), (n, k), (m, n))]:
        raise ValueError(
            f"left, right and out are {given}; (m, k), (n, k) and (m, n) of one precision are"
            " needed"
        )
    factors = np.array([times, 1.0], out.dtype)
    alpha = factors.ctypes.data
    beta = factors[1:].ctypes.data
    columns, rows, terms, right_step, left_step, out_step = (
        ctypes.byref(ctypes.c_int(each))
        for each in (n, m, k, _step(right), _step(left), _step(out))
    )
    _routine(_GEMM[out.dtype])(
        b"T",
        b"N",
        columns,
        rows,
        terms,
        alpha,
        right.ctypes.data,
        right_step,
        left.ctypes.data,
        left_step,
        beta,
        out.ctypes.data,
        out_step,
    )


def _step(array: Array) -> int:
    """Number of items from one row to the next in memory. NumPy may give a single row any
    stride.
    """
    return array.strides[0] // array.itemsize if len(array) > 1 else max(array.shape[1], 1)


@functools.cache
def _routine(name: str) -> Any:
    """The BLAS function behind SciPy's C interface, for ctypes, which releases the GIL; None if it
    is not declared as expected.
    """
    # Imported only when it is needed: with few features it is not.
    from scipy.linalg import cython_blas

    capsule = getattr(cython_blas, "__pyx_capi__", {}).get(name)
    if capsule is None:
        return None
    named = ctypes.pythonapi.PyCapsule_GetName
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    named.restype = ctypes.c_char_p
    named.argtypes = [ctypes.py_object]
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    signature: bytes = named(capsule)
    arguments = signature.removeprefix(b"void (").removesuffix(b")").split(b", ")
    if (
        len(arguments) != 13
        or tuple(i for i, each in enumerate(arguments) if each == b"int *") != _GEMM_INTS
    ):
        return None
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(pointer(capsule, signature))
