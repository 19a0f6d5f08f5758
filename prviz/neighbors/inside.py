"""What the real fit samples say of each other: the same for every generated set that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import Role
from prviz.neighbors.passes import OwnRadii
from prviz.samples import Samples, Split

__all__ = ["RealRadii"]


class RealRadii:
    """Exact radii inside one real fit set: found with the first generated set, known for all others.

    They are exact squared distances in float64, whatever arithmetic the generated set asks for, and equal samples are
    merged alike each time: sharing them changes no result. Only the plan by rows uses them, which is that of up to 16
    counts of held-out samples: without split the pass inside a set counts besides, and can't be left out.

    Not for several threads at a time.
    """

    def __init__(self) -> None:
        self._of: tuple[Samples, NDArray[np.intp], bool] | None = None
        self._found: OwnRadii = {}

    @property
    def ks(self) -> tuple[int, ...]:
        """Which k are known, increasing."""
        return tuple(sorted(k for _, k in self._found))

    def check(self, split: Split) -> None:
        """Take the real fit samples of a split for those meant; ValueError where they were others before."""
        real, rows = split.pair.real, split.fit_rows[0]
        if self._of is None:
            self._of = real, rows, split.held_out
            return
        known, known_rows, held_out = self._of
        same = known is real or known.digest == real.digest
        if not same or held_out != split.held_out or not np.array_equal(known_rows, rows):
            raise ValueError("real_radii are those of other real fit samples; each set and split needs its own")

    def missing(self, own: Mapping[Role, Sequence[int]]) -> dict[Role, list[int]]:
        """Which k still have to be found for each role."""
        left = {role: [k for k in ks if (role, k) not in self._found] for role, ks in own.items()}
        return {role: ks for role, ks in left.items() if ks}

    def joined(self, found: OwnRadii) -> OwnRadii:
        """The radii just found with those known; those of the real set are kept."""
        self._found |= {key: radii for key, radii in found.items() if key[0] == "real"}
        return found | self._found
