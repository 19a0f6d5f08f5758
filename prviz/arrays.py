"""Aliases of array types for signatures, and of NumPy's random number generator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
AnyFloats = NDArray[np.floating]  # of any precision
Points = Floats  # (n, 2) positions in a figure
Ints = NDArray[np.intp]  # rows or positions
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Rng = np.random.Generator
