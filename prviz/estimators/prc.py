"""The family "prc": precision and recall cover. A point's ball out to its (C k)-th nearest sample
of one set must contain k samples of the other set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prviz.estimators.base import About, Estimator, Supports
from prviz.neighbors import BallCounts, Balls, Nearest
from prviz.toys.base import Parameter

# C of the paper: a ball reaches to the (C k)-th nearest sample of its centre's own set, and must
# hold k samples of the other set.
COVER = 3


class _PRC(Estimator):
    """c_X(z): number of real samples within the distance from z to its (C k)-th nearest generated
    one, with C = 3; 0 if there are fewer than k. c_Y mirrors it.

    The paper has two numbers, without split and with k = 3. The first is the share of generated
    samples whose ball out to the (C k)-th nearest generated sample holds at least k real ones: the
    fnr of [c_X >= k]. The second has the roles swapped: the fpr of [c_Y < k]. The classifiers in
    between, which threshold the ratio of the two counts where both are at least k, are this
    package's extension. Its extreme classifiers are the published ones, and at C = k = 1 it is
    coverage. A real sample's ball need not hold k real ones, so even without split the extreme
    classifier may have fpr > 0; other classifiers are then the ends of the curve. A ball reaches at
    most to the farthest other sample of its set.
    """

    name = "prc"
    title = "PRC"
    idea = "Do k samples of the other set come close to a point before 3 k of its own set?"
    source = (
        "Cheema, Urner 2023 (the two ends); Sykes, Simon, Rabin, Fadili 2026 (hal-05344404),"
        " section 4.1"
    )
    about = About(
        paper="Published scores as families · Sykes et al. 2026, 4.1",
        formula=r"c_X(z) = n\,[n \ge k], \quad n = |\{x \in X : \|x - z\| \le r_{3k}^Y(z)\}|",
        cost="One pass, shared by all neighbour families, with balls out to 3 k neighbours.",
        biases=(
            "With a split closer to the truth than Coverage at k = 4 on shifted Gaussians; too high"
            " on mixtures, more than Coverage at k = √n."
        ),
        published=(
            "no split, k = 3: its end classifiers give PRC (Cheema, Urner 2023). The curve between "
            "them is prviz's extension."
        ),
    )
    tunes = "k"
    parameters = (
        Parameter(
            "k_prime",
            "k' of PRC",
            0,
            0,
            20_000,
            1,
            "Samples of the other set that a ball must hold; 0: as many as k, as published (2023).",
            "int",
        ),
        Parameter(
            "c",
            "C of PRC",
            COVER,
            1,
            100,
            1,
            "A ball reaches to the C k-th nearest sample; 3 as published (2023).",
            "int",
        ),
    )

    def balls(
        self, *, k: int, bandwidth: float | None, sizes: tuple[int, int]
    ) -> tuple[Balls, ...]:
        """Balls out to the (C k)-th nearest sample of the other role."""
        return (cover_balls(k, self.value("c"), *sizes),)

    def combined(self, counts: Sequence[BallCounts], *, k: int, n_real: int) -> Supports:
        """Counts around every evaluation sample; a count below the required number k' becomes 0."""
        least = self.value("k_prime") or k
        c_real, c_generated = (
            np.where(side >= least, side, 0) for side in (counts[0].real, counts[0].generated)
        )
        return Supports(c_real, c_generated, n_real)


PRC = _PRC()


def cover_orders(k: int, cover: int, n_real: int, n_generated: int) -> tuple[int, int]:
    """How many nearest real, and how many nearest generated samples a ball reaches to: C k, at most
    n - 1 in a set of n samples. C is ``cover``.
    """
    return min(cover * k, n_real - 1), min(cover * k, n_generated - 1)


def cover_balls(k: int, cover: int, n_real: int, n_generated: int) -> Balls:
    """Balls out to the (C k)-th nearest generated sample, in which real samples are counted; and
    balls with the roles swapped. C is ``cover``; see `cover_orders` for small sets.
    """
    real, generated = cover_orders(k, cover, n_real, n_generated)
    return Balls(real=Nearest(generated, "generated"), generated=Nearest(real, "real"))
