"""tightest: at every lam the best classifier of four families and many k, judged on samples that did not choose it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from prviz.curves import hull
from prviz.curves.pr_curve import score_keys
from prviz.estimators.base import About, Estimator, Supports
from prviz.estimators.coverage import COVERAGE
from prviz.estimators.ipr import IPR
from prviz.estimators.kde import KDE
from prviz.estimators.knn import KNN
from prviz.neighbors import MEMORY_LIMIT, Distances
from prviz.samples import Split

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

FAMILIES = (KNN, KDE, IPR, COVERAGE)
# Numbers of neighbours tried, each about 1.6 times the one before.
KS = (3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377)
# Parts that the evaluation samples are cut into: all but one choose the classifiers that the one judges.
FOLDS = 5


class _Tightest(Estimator):
    """Cross-fitted minimum over the classifiers of four families and all k of KS.

    Every held-out classifier lies above the truth, so the lowest of them comes closest: no truth is needed to prefer
    it. Chosen and judged by the same samples it would come out too low. So the evaluation samples are cut, by the seed,
    into FOLDS parts: each judges the classifiers that the others have chosen as the best for every lam.

    The supports of a sample are cos(theta) and sin(theta), with theta the angle of lam, arctan(lam) in [0, pi / 2],
    below which the chosen classifiers call the sample generated; their ratio estimates the density ratio q / p.
    """

    name = "tightest"
    title = "Tightest"
    idea = "Does the classifier that errs least on other samples, of any family and k, call the point real?"
    source = "Simon, Webster, Rabin 2019, Theorem 5; the cross-fitting is prviz's own"
    about = About(
        paper="Best of the neighbour families · Simon et al. 2019, Theorem 5",
        formula=(
            r"c_X(z) = \cos\theta(z), \quad c_Y(z) = \sin\theta(z), \quad \theta(z)\ \text{the angle of } \lambda\ "
            r"\text{below which } z \text{ is called generated}"
        ),
        cost="The pass of the neighbour families at ten k, and ten k at once.",
        biases="Above the truth (Theorem 5), or a little below, as the curve is the hull of the evaluated error rates.",
        published="not published: the best of what is, chosen without a truth.",
    )
    needs_split = True
    chosen_by_evaluation = True

    def runs(
        self, split: Split, *, k: int, bandwidth: float | None, seed: int, progress: Callable[[float], None]
    ) -> tuple[Supports, ...]:
        """Supports of the evaluation samples, those of each fold by the choice of the others.

        Raises
        ------
        ValueError : without split.
        """
        if not split.held_out:
            raise ValueError("split = None; tightest is measured on held-out samples only: a share in (0, 1) is needed")
        n_real, n_generated = map(len, split.evaluate_rows)
        _, scores = candidates(split, progress)
        # A role's folds depend on its size alone, so that exchanging the roles mirrors the curve.
        folds = np.concatenate([np.random.default_rng(seed).permutation(n) % FOLDS for n in (n_real, n_generated)])
        real = np.arange(n_real + n_generated) < n_real
        theta = np.empty(len(real))
        for fold in range(FOLDS):
            judged = folds == fold
            theta[judged] = _angles(scores[:, ~judged], real[~judged], scores[:, judged])
        c_real = np.where(theta < np.pi / 2, np.cos(theta), 0.0)
        return (Supports(c_real, np.sin(theta), n_real),)


TIGHTEST = _Tightest()


def candidates(
    split: Split, progress: Callable[[float], None] | None = None, memory_limit: int = MEMORY_LIMIT
) -> tuple[list[tuple[str, int]], Floats]:
    """Method and k of every candidate, and (c, m) angles, arctan(c_Y / c_X), of the evaluation samples."""
    sizes = (len(split.fit_rows[0]), len(split.fit_rows[1]))
    numbers = [number for number in KS if number < min(sizes)] or [1]
    settings = [(family, number) for family in FAMILIES for number in numbers]
    needed = [family.balls(k=number, bandwidth=None, sizes=sizes)[0] for family, number in settings]
    scores = [
        np.arctan(score_keys(*(np.asarray(side, dtype=np.float64) for side in (counts.real, counts.generated))))
        for counts in Distances(split, memory_limit=memory_limit).count(needed, progress=progress)
    ]
    return [(family.name, number) for family, number in settings], np.stack(scores)


def _angles(scores: Floats, real: Flags, others: Floats) -> Floats:
    """Angle of lam, (l,), below which the classifiers that are best on some samples call other samples generated.

    scores : (c, m) angles, arctan(c_Y / c_X), of the choosing samples by every candidate. real : (m,) True for the real
    ones. others : (c, l) angles of the other samples.
    """
    chosen, ends = best_classifiers(scores, real)
    called_real = np.zeros(others.shape[1])
    for (candidate, cut), width in zip(chosen, -np.diff(ends), strict=True):
        called_real += np.where(others[candidate] <= cut, width, 0.0)
    return np.clip(np.pi / 2 - called_real, 0.0, np.pi / 2)


def best_classifiers(scores: Floats, real: Flags) -> tuple[list[tuple[int, float]], Floats]:
    """Candidate and cut of the best classifier for every piece of lam, and the angles, falling, between the pieces."""
    fpr, fnr, cuts, candidates = [np.array([0.0, 1.0])], [np.array([1.0, 0.0])], [np.array([np.inf, -np.inf])], [0, 0]
    for candidate, score in enumerate(scores):
        distinct = np.unique(score)
        tried = (distinct[1:] + distinct[:-1]) / 2
        fpr.append(1.0 - np.searchsorted(np.sort(score[real]), tried, side="right") / np.count_nonzero(real))
        fnr.append(np.searchsorted(np.sort(score[~real]), tried, side="right") / np.count_nonzero(~real))
        cuts.append(tried)
        candidates += [candidate] * len(tried)
    rates, cut = np.stack([np.concatenate(fpr), np.concatenate(fnr)]), np.concatenate(cuts)
    vertices = hull.lower_hull(rates[0], rates[1])
    places = [int(np.flatnonzero((vertex == rates.T).all(axis=1))[0]) for vertex in vertices]
    ends = np.arctan(np.concatenate([[np.inf], hull.edge_lams(vertices), [0.0]]))
    return [(candidates[place], float(cut[place])) for place in places], ends
