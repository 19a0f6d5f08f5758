"""The family "eas": at each end of the curve, whichever of iPR and coverage gives the lower
value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prviz.arrays import Array
from prviz.estimators.base import About, Estimator, Supports
from prviz.estimators.coverage import COVERAGE
from prviz.estimators.ipr import IPR
from prviz.neighbors import BallCounts, Balls


class _EAS(Estimator):
    """c_X is the support of iPR or of coverage, of whichever family has the lower extreme
    precision; c_Y is chosen likewise by the lower extreme recall.

    The paper has two numbers, without split: min(precision, coverage_precision) and min(recall,
    coverage). They are the fnr of the better of the two families' classifiers [c_X > 0], and the
    fpr of the better of their classifiers [c_Y = 0]. The classifiers in between, which threshold
    the ratio of the two chosen supports, are this package's extension. The curve's ends are the
    published numbers, unless another classifier with fpr = 0 or fnr = 0 does better. Which family
    is lower is decided on the evaluation samples, as published; a tie goes to iPR.
    """

    name = "eas"
    title = "EAS"
    idea = "What is left when iPR and coverage must both find the sets alike?"
    source = (
        "Khayatkhoei, AbdAlmageed 2023 (the two ends); Sykes, Simon, Rabin, Fadili 2026"
        " (hal-05344404), section 4.1"
    )
    about = About(
        paper="Published scores as families · Sykes et al. 2026, 4.1",
        formula=(
            r"c_X = c_X^{\text{iPR}}\ \text{or}\ c_X^{\text{cov}}, \quad "
            r"\text{whichever is positive for fewer } y; \quad c_Y\ \text{likewise}"
        ),
        cost="One pass over all distances, shared with iPR and Coverage.",
        biases=(
            "The lower of iPR and Coverage at either end, with iPR's faults where iPR is lower:"
            " far too low without split at small k, too high on mixtures with a split."
        ),
        published=(
            "no split, k = 5: its end classifiers give EAS (Khayatkhoei, AbdAlmageed 2023). The"
            " curve between them is prviz's extension."
        ),
    )
    tunes = "k"
    chosen_by_evaluation = True

    def balls(
        self, *, k: int, bandwidth: float | None, sizes: tuple[int, int]
    ) -> tuple[Balls, ...]:
        """The balls of iPR and those of coverage."""
        return tuple(
            ball
            for family in (IPR, COVERAGE)
            for ball in family.balls(k=k, bandwidth=bandwidth, sizes=sizes)
        )

    def combined(self, counts: Sequence[BallCounts], *, k: int, n_real: int) -> Supports:
        """For c_X and for c_Y separately, the counts of iPR or of coverage, whichever gives the
        lower value at that end of the curve.
        """
        c_real = _lower([each.real for each in counts], slice(n_real, None))
        c_generated = _lower([each.generated for each in counts], slice(0, n_real))
        return Supports(c_real, c_generated, n_real)


EAS = _EAS()


def _lower(counts: Sequence[Array], others: slice) -> Array:
    """Choose, among the counts of several families, those that are positive for the fewest
    ``others`` (samples of the other set); of equally good ones the first.
    """
    return min(counts, key=lambda family: int(np.count_nonzero(family[others])))
