"""Radii inside the real fit samples, shared by all generated sets that are compared with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import Role
from prviz.neighbors.passes import OwnRadii
from prviz.samples import Samples, Split

__all__ = ["RealRadii"]


class RealRadii:
    """Exact radii inside one real fit set: computed with the first generated set, reused for all others.

    Radii are exact squared distances in float64 whatever the arithmetic, and duplicates are merged alike each time, so
    that sharing changes no result. Only the plan by rows (up to 16 counts of held-out samples) uses them: without split
    the pass inside a set also counts, and can't be left out. Not thread-safe.
    """

    def __init__(self) -> None:
        self._of: tuple[Samples, NDArray[np.intp], bool] | None = None
        self._found: OwnRadii = {}

    @property
    def ks(self) -> tuple[int, ...]:
        """Known values of k, increasing."""
        return tuple(sorted(k for _, k in self._found))

    def check(self, split: Split) -> None:
        """Bind to the real fit samples of a split. Raises ValueError if bound to others before."""
        real, rows = split.pair.real, split.fit_rows[0]
        if self._of is None:
            self._of = real, rows, split.held_out
            return
        known, known_rows, held_out = self._of
        same = known is real or known.digest == real.digest
        if not same or held_out != split.held_out or not np.array_equal(known_rows, rows):
            raise ValueError("real_radii are those of other real fit samples; each set and split needs its own")

    def missing(self, own: Mapping[Role, Sequence[int]]) -> dict[Role, list[int]]:
        """Values of k whose radii are still unknown, by role."""
        left = {role: [k for k in ks if (role, k) not in self._found] for role, ks in own.items()}
        return {role: ks for role, ks in left.items() if ks}

    def joined(self, found: OwnRadii) -> OwnRadii:
        """New radii together with the known ones; new radii of the real set are kept."""
        self._found |= {key: radii for key, radii in found.items() if key[0] == "real"}
        return found | self._found
