"""prc: coverage that needs several samples of the other set, in a ball that may hold more of the own one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from prviz.estimators.base import About, Supports
from prviz.neighbors import BallCounts, Balls, Nearest

__all__ = ["COVER", "PRC", "cover_balls", "cover_orders"]

# How many times more own samples a ball reaches for than it needs others: C of the paper.
COVER = 3


class _PRC:
    """Real samples within the (C k)-th nearest generated one, C = 3, fewer than k counted as none; and the mirror.

    Published are two numbers without split, with k = 3: the share of generated samples whose ball out to their
    (C k)-th nearest generated one holds at least k real samples, the fnr of [c_X >= k], and the same with the roles
    swapped, the fpr of [c_Y < k]. The family in between, which thresholds the ratio of the two counts where both are
    large enough, is this package's extension: its extreme classifiers are the published ones, and at C = k = 1 it is
    coverage. A real sample's ball need not hold k real ones, so even without split the extreme classifier may have
    fpr > 0; the curve's own ends are then those of other classifiers. A ball reaches no farther than the farthest
    other sample of its set.
    """

    name: ClassVar[str] = "prc"
    title: ClassVar[str] = "PRC"
    idea: ClassVar[str] = "Do k samples of the other set come close before 3 k of the own set do?"
    source: ClassVar[str] = (
        "Cheema, Urner 2023 (the two ends); Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 4.1"
    )
    about: ClassVar[About] = About(
        paper="Published scores as families · Sykes et al. 2026, 4.1",
        formula=r"c_X(z) = n\,[n \ge k], \quad n = |\{x \in X : \|x - z\| \le r_{3k}^Y(z)\}|",
        cost="The pass of the neighbour families; its balls reach three times as many neighbours.",
        biases=(
            "Too high on mixtures with re-weighted modes, since its balls reach three times as many neighbours; "
            "at k = 4 with a split closer than coverage."
        ),
        published=(
            "no split, k = 3: its extreme classifiers give PRC (Cheema, Urner 2023). The curve between "
            "them is prviz's extension."
        ),
    )
    tunes: ClassVar[Literal["k", "bandwidth"]] = "k"

    def several_balls(self, *, k: int, sizes: tuple[int, int]) -> tuple[Balls, ...]:
        """Balls out to the (C k)-th nearest sample of the other role."""
        return (cover_balls(k, COVER, *sizes),)

    def combined(self, counts: Sequence[BallCounts], *, k: int, n_real: int) -> Supports:
        """Counts around every evaluation sample, zero where they are below k."""
        enough = [_at_least(each, k) for each in (counts[0].real, counts[0].generated)]
        return Supports(enough[0], enough[1], n_real)


PRC = _PRC()


def cover_orders(k: int, cover: int, n_real: int, n_generated: int) -> tuple[int, int]:
    """Which nearest real and which nearest generated sample balls reach to: min(C k, n - 1) of each set."""
    return min(cover * k, n_real - 1), min(cover * k, n_generated - 1)


def cover_balls(k: int, cover: int, n_real: int, n_generated: int) -> Balls:
    """The balls that real samples are counted in reach to generated ones, and the other way round."""
    real, generated = cover_orders(k, cover, n_real, n_generated)
    return Balls(real=Nearest(generated, "generated"), generated=Nearest(real, "real"))


def _at_least(counts: NDArray[Any], k: int) -> NDArray[Any]:
    return np.where(counts >= k, counts, 0)
