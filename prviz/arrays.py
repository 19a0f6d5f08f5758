"""Aliases of array types for signatures, and of NumPy's random number generator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
# Floats of any precision.
AnyFloats = NDArray[np.floating]
# Positions (n, 2) in a figure.
Points = Floats
# Indices of rows, or other positions.
Ints = NDArray[np.intp]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Rng = np.random.Generator
