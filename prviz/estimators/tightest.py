"""tightest: at every lam the best classifier of four families and many k, judged on samples that did not choose it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.curves import hull
from prviz.curves.pr_curve import score_keys
from prviz.estimators.base import About, Estimator, Supports, check_k, resolve_k
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
# How often the evaluation samples are halved: each half judges the classifiers that the other has chosen.
HALVINGS = 10


class _Tightest(Estimator):
    """Cross-fitted minimum over the classifiers of four families and all k of KS.

    Every held-out classifier lies above the truth, so the lowest of them comes closest: no truth is needed to prefer
    it. Chosen and judged by the same samples it would come out too low. So the evaluation samples are halved, by the
    seed, and each half judges the classifiers that the other has chosen as the best for every lam: HALVINGS times, of
    which the mean counts. Where these err more than kNN at k = sqrt(n), over all lam, that is the estimate: what chance
    prefers is not taken.

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
        """Supports of the evaluation samples, each by the choices of others.

        Raises
        ------
        ValueError : without split.
        """
        if not split.held_out:
            raise ValueError("split = None; tightest is measured on held-out samples only: a share in (0, 1) is needed")
        theta, n_real = cross_fitted(split, seed, progress).theta, len(split.evaluate_rows[0])
        return (Supports(np.where(theta < np.pi / 2, np.cos(theta), 0.0), np.sin(theta), n_real),)


TIGHTEST = _Tightest()


class CrossFitted(NamedTuple):
    """What the halves have chosen.

    settings : method and k of every candidate, the default first.
    scores : (c, m) angles, arctan(c_Y / c_X), of the evaluation samples by every candidate.
    theta : (m,) the angle of lam below which each sample is called generated.
    default : True if that is by the default alone, which errs less.
    """

    settings: list[tuple[str, int]]
    scores: Floats
    theta: Floats
    default: bool


def cross_fitted(
    split: Split, seed: int, progress: Callable[[float], None] | None = None, memory_limit: int = MEMORY_LIMIT
) -> CrossFitted:
    """Choose classifiers of all candidates, or the default's alone, for every lam.

    Raises ValueError: fewer than two samples of a set to fit.
    """
    check_k(1, split)
    sizes = (len(split.fit_rows[0]), len(split.fit_rows[1]))
    root = min(resolve_k("sqrt", split.pair), min(sizes) - 1)
    numbers = [number for number in KS if number < min(sizes)] or [1]
    settings = [(KNN, root), *((family, number) for family in FAMILIES for number in numbers)]
    needed = [family.balls(k=number, bandwidth=None, sizes=sizes)[0] for family, number in settings]
    scores = np.stack(
        [
            np.arctan(score_keys(*(np.asarray(side, dtype=np.float64) for side in (counts.real, counts.generated))))
            for counts in Distances(split, memory_limit=memory_limit).count(needed, progress=progress)
        ]
    )
    real = np.arange(scores.shape[1]) < len(split.evaluate_rows[0])
    units = [_units(part.group_numbers, rows) for part, rows in zip(split.pair, split.evaluate_rows, strict=True)]
    divisible = all(len(np.unique(each)) > 1 for each in units)
    theta = _cross_fit(scores, real, seed, units) if divisible else None
    alone = _angles(scores[:1], real, scores[:1])  # as in its own curve: nothing is chosen but where to cut
    names = [(family.name, k) for family, k in settings]
    if theta is None or mean_risk(alone, real) <= mean_risk(theta, real):
        return CrossFitted(names, scores, alone, default=True)
    return CrossFitted(names, scores, theta, default=False)


def _units(groups: NDArray[np.intp] | None, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Numbers of the rows from 0, the same for those of one group: they stay in one half."""
    if groups is None:
        return np.arange(len(rows))
    return np.unique(groups[rows], return_inverse=True)[1].reshape(-1)


def _cross_fit(scores: Floats, real: Flags, seed: int, units: Sequence[NDArray[np.intp]]) -> Floats:
    """Mean angle of lam, (m,), below which the choices of halves without a sample call it generated.

    units : `_units` of the real samples and of the generated ones.
    """
    sizes = [int(each.max()) + 1 for each in units]
    # A role's halves depend on its size alone, so that exchanging the roles mirrors the curve.
    draws = [np.random.default_rng(seed), np.random.default_rng(seed)]
    theta = np.zeros(len(real))
    for _ in range(HALVINGS):
        halves = [draw.permutation(size) % 2 == 1 for draw, size in zip(draws, sizes, strict=True)]
        half = np.concatenate([side[unit] for side, unit in zip(halves, units, strict=True)])
        for judged in (half, ~half):
            theta[judged] += _angles(scores[:, ~judged], real[~judged], scores[:, judged]) / HALVINGS
    return np.minimum(theta, np.pi / 2)


def mean_risk(theta: Floats, real: Flags) -> float:
    """sin(a) fpr + cos(a) fnr, integrated over all angles a of lam, where samples are called generated below theta."""
    return float((1.0 - np.cos(theta[real])).mean() + (1.0 - np.sin(theta[~real])).mean())


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
