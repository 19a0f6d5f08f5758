"""The family "tightest": the best classifier that many learners form together; its curve is the
closest to the truth.
"""

from __future__ import annotations

import numpy as np

from prviz.estimators import cross_fitting
from prviz.estimators.base import About, Estimator, Runs, Supports
from prviz.neighbors.threads import Progress
from prviz.samples import Split

# Number of thresholds (cuts) of the score at which errors are counted. They are fixed beforehand:
# the best of all possible thresholds would give too low a curve.
CUTS = 17
# Fewest samples per set for a reliable area. With fewer, only an upper bound can be stated, and
# whether the sets differ.
FEWEST = 200


class _Tightest(Estimator):
    """The error rates of one combined score of neighbour families, regressions and trees, at 17
    fixed cuts.

    The curve of every held-out classifier lies above the true one, so the lowest curve is the
    closest, and it can be chosen without knowing the truth. For each of five folds the learners are
    fitted on the other four; the weights of their log odds minimise the log loss on these four. So
    each sample is judged once, by learners that have not seen it, and the curve depends on neither
    split, k nor bandwidth.

    The supports of a sample are c_X = cos(theta) and c_Y = sin(theta). tan(theta) is the lam at
    which the best classifier's decision on the sample changes, with theta in steps of a right angle
    / 17; c_Y / c_X estimates the density ratio q / p.
    """

    name = "tightest"
    title = "Best classifier"
    idea = "Does one classifier, made of neighbours, regressions and trees, call the point real?"
    source = (
        "Simon, Webster, Rabin 2019, Theorem 5; Wolpert 1992, stacking; the combination is"
        " prviz's own"
    )
    about = About(
        paper="Curve to believe · Simon et al. 2019, Theorem 5",
        formula=(
            r"c_X(z) = \cos\theta(z), \quad c_Y(z) = \sin\theta(z), \quad "
            r"\tan\theta(z) \approx q(z) / p(z)\ \text{by the best classifier}"
        ),
        cost=(
            "Five folds, in each of them neighbours at six k, four logistic regressions and two"
            " forests."
        ),
        biases=(
            "Above the truth (Theorem 5), apart from chance. Neither k nor bandwidth moves it."
        ),
        published="not published: the lowest of all held-out curves is the closest to the truth.",
    )
    needs_split = True
    judges_all = True
    fits = 6
    chosen_by_evaluation = True

    def runs(
        self,
        split: Split,
        *,
        k: int,
        seed: int,
        progress: Progress,
    ) -> Runs:
        """Supports of all samples, each from learners and weights that have not seen it.

        Raises
        ------
        ValueError : without split.
        """
        if not split.held_out:
            raise ValueError(
                "split = None; tightest is measured on held-out samples only: a share in (0, 1) is"
                " needed"
            )
        levels = cross_fitting.of_all(split.pair, seed, progress=progress).levels(CUTS)
        sines = np.sin(np.linspace(0, np.pi / 2, 2 * CUTS + 1))
        return (Supports(sines[2 * CUTS - levels], sines[levels], split.pair.real.n),)


TIGHTEST = _Tightest()
