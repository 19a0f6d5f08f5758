"""Frozen (immutable) dataclasses whose arrays are read-only, also after unpickling."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class ReadOnlyArrays:
    """Base of frozen dataclasses: arrays are copied and made read-only, also when an object is
    unpickled.
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            if isinstance(value := getattr(self, field.name), np.ndarray):
                array = value.copy()
                array.flags.writeable = False
                object.__setattr__(self, field.name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))
