"""tightest: the curve to believe, of the best classifier that many learners together make."""

from __future__ import annotations

import numpy as np

from prviz.estimators import cross_fitting
from prviz.estimators.base import About, Estimator, Runs, Supports
from prviz.neighbors.threads import Progress
from prviz.samples import Split

# Cuts at which the score is judged, fixed before it is seen: the best of them all would come out
# too low.
CUTS = 17
# Samples of a set below which its area is unsure: only a bound, and whether the sets differ, are to
# be said of so few.
FEWEST = 200


class _Tightest(Estimator):
    """The error rates of one classifier that neighbours, regressions and trees make together, at 17
    fixed cuts.

    Every held-out classifier lies above the truth, so the lowest of them comes closest: no truth is
    needed to prefer it. In each of five folds the learners are fitted on the other four, and the
    weights by which their log odds are added are those of the least log loss on these four. So each
    sample is judged once, by what has not seen it, and neither split, k nor bandwidth plays a part.

    The supports of a sample are sin and cos of the angle of lam from which on it is called real, in
    steps of a right angle over 17; their ratio estimates the density ratio q / p.
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
            "Above the truth (Theorem 5), but for the chance of the samples. Neither k nor"
            " bandwidth moves it."
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
        """Supports of all samples, each by learners and weights that have not seen it.

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
