"""Helpers of families that fit models with scikit-learn: one thread, and samples in units without
overflow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from prviz.arrays import Array, Floats
from prviz.neighbors.threads import one_blas_thread, one_openmp_thread

# Largest absolute value after rescaling: its square, times any number of features, is finite in
# float64.
_LARGEST = 1e150


@contextmanager
def one_thread() -> Iterator[None]:
    """Restrict BLAS and OpenMP to one thread, so that a fitted model does not depend on the number
    of cores.

    The library of the model must be loaded before.
    """
    with one_blas_thread(), one_openmp_thread():
        yield


@dataclass(frozen=True, eq=False)
class Rescaled:
    """Rescaling: values divided by ``first``, minus ``shift`` (d,), divided by ``second``; no
    square overflows.
    """

    first: float
    shift: Floats
    second: float

    @classmethod
    def of(cls, values: Array) -> Rescaled:
        """Units in which these values are centred and the sample farthest out has the norm 1."""
        first = float(np.abs(values).max()) or 1.0
        scaled = values / first
        shift = scaled.mean(axis=0, dtype=float)
        scaled = scaled - shift
        return cls(first, shift, float(np.sqrt(np.einsum("ij,ij->i", scaled, scaled).max())) or 1.0)

    def apply(self, values: Array) -> Floats:
        """Values in these units, clipped to +-1e150."""
        with np.errstate(over="ignore"):
            scaled = (np.asarray(values, dtype=float) / self.first - self.shift) / self.second
        return np.clip(scaled, -_LARGEST, _LARGEST)
