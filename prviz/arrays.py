"""What the package calls an array in its signatures, and what draws random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
AnyFloats = NDArray[np.floating]  # of any precision
Points = Floats  # places in a figure, (n, 2)
Ints = NDArray[np.intp]  # rows, places, positions
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Rng = np.random.Generator
