"""Products of rows added to an array: one call of BLAS; NumPy needs another array and another pass."""

from __future__ import annotations

import ctypes
import functools
import itertools
from typing import Any

import numpy as np

from prviz.neighbors.native import Array

__all__ = ["add_products", "add_products_by_numpy", "adds_once"]

# xgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), all of them pointers.
_NAMES = {np.dtype(np.float32): "sgemm", np.dtype(np.float64): "dgemm"}
_INTS = (2, 3, 4, 7, 9, 12)

# Sizes that `adds_once` tries: BLAS has separate code for ranges of sizes and for remainders at their edges.
_PROBED = (1, 2, 3, 7, 16, 33, 130, 515)


def add_products(left: Array, right: Array, out: Array, times: float = 1.0) -> None:
    """``out += times * (left @ right.T)``, each entry rounded once more than its inner product, in any order of that.

    left : (m, k), right : (n, k), out : (m, n), in one of BLAS's precisions and each row contiguous.
    times : plus or minus a power of two, so that it rounds nothing.
    """
    if adds_once(out.dtype, left.shape[1]):
        _add_by_blas(left, right, out, times)
    else:
        add_products_by_numpy(left, right, out, times)


def add_products_by_numpy(left: Array, right: Array, out: Array, times: float = 1.0) -> None:
    """`add_products` in more passes."""
    found = left @ right.T
    found *= times
    out += found


@functools.cache
def adds_once(dtype: np.dtype[Any], k: int) -> bool:
    """True if BLAS is available and adds an inner product of ``k`` terms to ``out`` as a whole, found by trying it.

    The terms add up to just more than half of what changes a 1: any of them added by itself would be lost, and the
    others with it. In what order BLAS adds depends on no value.
    """
    if dtype not in _NAMES or _routine(_NAMES[dtype]) is None:
        return False
    step, half = np.finfo(dtype).eps, 2 ** (k - 1).bit_length()
    for m, n in itertools.product(_PROBED, repeat=2):
        left, right = np.ones((m, k), dtype), np.full((n, k), step / (2 * half), dtype)
        left[:, 0] = half + 1 - (k - 1)
        out = np.ones((m, n), dtype)
        _add_by_blas(left, right, out)
        if not np.all(out == 1 + step):
            return False
    return True


def _add_by_blas(left: Array, right: Array, out: Array, times: float = 1.0) -> None:
    # Rows are columns to BLAS, which stores by columns, so the product is transposed: out.T += right @ left.T.
    (m, k), n = left.shape, len(right)
    given = [(each.shape, each.dtype) for each in (left, right, out)]
    if given != [(shape, out.dtype) for shape in ((m, k), (n, k), (m, n))]:
        raise ValueError(f"left, right and out are {given}; (m, k), (n, k) and (m, n) of one precision are needed")
    factors = np.array([times, 1.0], out.dtype)
    alpha, beta = factors.ctypes.data, factors[1:].ctypes.data
    columns, rows, terms, right_step, left_step, out_step = (
        ctypes.byref(ctypes.c_int(each)) for each in (n, m, k, _step(right), _step(left), _step(out))
    )
    _routine(_NAMES[out.dtype])(
        b"T", b"N", columns, rows, terms, alpha, right.ctypes.data, right_step, left.ctypes.data, left_step,
        beta, out.ctypes.data, out_step,
    )  # fmt: skip


def _step(array: Array) -> int:
    """Items from one row to the next; the stride of a single row may be anything in NumPy."""
    return array.strides[0] // array.itemsize if len(array) > 1 else max(array.shape[1], 1)


@functools.cache
def _routine(name: str) -> Any:
    """BLAS's function behind SciPy's interface for C, which lets other threads run; None if its form is another."""
    from scipy.linalg import cython_blas  # not for few dimensions, which need no such product

    capsule = getattr(cython_blas, "__pyx_capi__", {}).get(name)
    if capsule is None:
        return None
    named, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    named.restype, named.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature: bytes = named(capsule)
    arguments = signature.removeprefix(b"void (").removesuffix(b")").split(b", ")
    if len(arguments) != 13 or tuple(i for i, each in enumerate(arguments) if each == b"int *") != _INTS:
        return None
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(pointer(capsule, signature))
