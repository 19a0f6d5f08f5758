"""What families that fit models with scikit-learn share: one thread each, and samples in harmless units."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.threads import one_blas_thread, one_openmp_thread

__all__ = ["Rescaled", "one_thread"]

Floats = NDArray[np.float64]

# Its square, times any number of features, is a float64.
_LARGEST = 1e150


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread here: what is fitted must not depend on the number of cores.

    What is fitted needs its library loaded before.
    """
    with one_blas_thread(), one_openmp_thread():
        yield


@dataclass(frozen=True, eq=False)
class Rescaled:
    """Values divided by ``first``, less ``shift`` (d,), divided by ``second``: no square of them leaves float64."""

    first: float
    shift: Floats
    second: float

    @classmethod
    def of(cls, values: NDArray[Any]) -> Rescaled:
        """Units in which these values are centred and the sample farthest out has the norm 1."""
        first = float(np.abs(values).max()) or 1.0
        scaled = values / first
        shift = scaled.mean(axis=0, dtype=np.float64)
        scaled = scaled - shift
        return cls(first, shift, float(np.sqrt(np.einsum("ij,ij->i", scaled, scaled).max())) or 1.0)

    def apply(self, values: NDArray[Any]) -> Floats:
        """The values in these units; what is far too large is cut."""
        with np.errstate(over="ignore"):
            scaled = (np.asarray(values, dtype=np.float64) / self.first - self.shift) / self.second
        return np.clip(scaled, -_LARGEST, _LARGEST)
