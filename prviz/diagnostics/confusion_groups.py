"""Confusion groups: the samples divided in four by the classifier of a family that is optimal at
lam.

At every lam one classifier gives the point of the precision-recall curve: it calls a sample real if
its key c_Y / c_X is at most a cut. A sample whose supports are both 0 has no key; a classifier
calls either all such samples real or none. The classifier divides the evaluation samples into

    kept: real called real               accepted: generated called real
    missed: real called generated        rejected: generated called generated

so that fpr = |missed| / n_real and fnr = |accepted| / n_generated, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prviz.arguments import checked_choice
from prviz.arrays import Flags, Floats, Ints
from prviz.curves.frozen import ReadOnlyArrays
from prviz.curves.pr_curve import score_keys
from prviz.estimators import Supports

# Level of a point without a key, c_X = c_Y = 0.
NO_SUPPORT = -2

GROUPS = {
    "kept": "real called real",
    "missed": "real called generated",
    "accepted": "generated called real",
    "rejected": "generated called generated",
}

# Largest absolute log ratio: likelihood ratios beyond it leave the range of float64, and no lam in
# use is as large.
_LARGEST_LOG = 700.0


class ConfusionGroups(NamedTuple):
    """The positions of each group's samples among all evaluation samples, in increasing order."""

    kept: Ints
    missed: Ints
    accepted: Ints
    rejected: Ints


class Part(NamedTuple):
    """Contribution of some selected samples to the confusion groups and to the curve at one lam.

    n_real, n_generated : numbers of selected samples.
    missed, accepted : numbers of wrongly classified real and generated samples among them.
    alpha : their part of alpha(lam) = lam fpr + fnr.
    beta : their part of beta(lam) = fpr + fnr / lam.

    Parts of disjoint selections add up; all samples together give alpha(lam) and beta(lam).
    """

    n_real: int
    n_generated: int
    missed: int
    accepted: int
    alpha: float
    beta: float


@dataclass(frozen=True, eq=False)
class OptimalClassifiers(ReadOnlyArrays):
    """The classifiers that are optimal at some lam, as cuts on one key per sample.

    keys : (m,) in [0, inf], real samples first. A sample with a small key looks real; nan: both
    supports are 0.
    n_real : from 1 to m - 1.
    breakpoints : (v - 1,) decreasing values of lam at which the optimal classifier changes from j
    to j + 1; at that lam itself it is j + 1.
    cuts : (v,) classifier j calls samples with a key <= cuts[j] real; -inf: none, inf: all.
    unsupported : (v,) True if classifier j calls samples without a key real.

    `from_supports` returns the classifiers at the vertices of a family's hull, `from_log_ratio`
    those of the true distributions.
    """

    keys: Floats
    n_real: int
    breakpoints: Floats
    cuts: Floats
    unsupported: Flags

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.n_real < len(self.keys):
            raise ValueError(
                f"n_real = {self.n_real}; 1 to {len(self.keys) - 1} of {len(self.keys)} must be"
                " real"
            )
        if not len(self.cuts) == len(self.unsupported) == len(self.breakpoints) + 1:
            raise ValueError(
                f"{len(self.cuts)} cuts and {len(self.unsupported)} flags for"
                f" {len(self.breakpoints)} breakpoints; one more is needed"
            )
        if not bool(np.all(self.breakpoints[1:] < self.breakpoints[:-1])):
            raise ValueError("breakpoints must be decreasing")

    @classmethod
    def from_supports(cls, supports: Supports) -> OptimalClassifiers:
        """The classifiers of one run of a family, one for each vertex of the hull of its error
        rates.

        The error rates of a vertex are counts divided by the numbers of samples, so the two counts
        are known exactly. They identify the classifier among all prefixes of the sorted samples,
        the two trivial classifiers and, if there is a 0/0, [c_X > 0] and [c_Y = 0].
        """
        c_real, c_generated = (
            np.asarray(c, dtype=float) for c in (supports.c_real, supports.c_generated)
        )
        n_real = supports.n_real
        without = supports.both_zero
        keys = np.where(without, np.nan, score_keys(c_real, c_generated))
        finite = np.unique(keys[np.isfinite(keys)])
        cuts = np.concatenate([[-np.inf], finite, [np.inf]])
        unsupported = cuts >= 1
        # Three classifiers are added where some samples have no key: one that calls keys up to 1
        # and these samples real, and the two end classifiers [c_X > 0] and [c_Y = 0].
        if np.any(without):
            cuts = np.concatenate([cuts, [1.0, cuts[-2], 0.0]])
            unsupported = np.append(unsupported, [True, False, True])
        counts = np.stack(_wrong(keys, n_real, cuts, unsupported), axis=1).tolist()
        place = {tuple(count): index for index, count in reversed(list(enumerate(counts)))}
        curve = supports.rates().curve()
        vertices = np.rint(curve.vertices * [n_real, len(keys) - n_real]).astype(np.intp).tolist()
        chosen = [place[tuple(vertex)] for vertex in vertices]
        return cls(keys, n_real, curve.breakpoints, cuts[chosen], unsupported[chosen])

    @classmethod
    def from_log_ratio(cls, log_ratio: ArrayLike, n_real: int) -> OptimalClassifiers:
        """Optimal classifiers of the true distributions, [q(z) < lam p(z)], from log q - log p of
        each sample, real samples first.

        They are optimal for the two distributions, not for these samples, so their error rates on
        the samples need not lie on the hull. Samples that only P can give (-inf) are always called
        real, samples that only Q can give (inf) never.
        """
        logs = np.asarray(log_ratio, dtype=float)
        finite = np.isfinite(logs)
        keys = np.where(
            finite,
            np.exp(np.clip(logs, -_LARGEST_LOG, _LARGEST_LOG)),
            np.where(logs > 0, np.inf, 0.0),
        )
        steps = np.unique(keys[finite])[::-1]
        return cls(keys, n_real, steps, np.append(steps, 0.0), np.zeros(len(steps) + 1, dtype=bool))

    @property
    def n_generated(self) -> int:
        """Number of generated samples."""
        return len(self.keys) - self.n_real

    def index_at(self, lam: float) -> int:
        """Index of the classifier that is optimal at lam in [0, inf].

        Where two classifiers are optimal, it is the one with the larger fpr, as in
        `PRCurve.vertex_at`.
        """
        if not lam >= 0:
            raise ValueError(f"lam = {lam}; a value in [0, inf] is needed")
        return int(np.searchsorted(-self.breakpoints, -lam, side="right"))

    def calls_real(self, index: int) -> Flags:
        """(m,) True for the samples that classifier ``index`` calls real."""
        called: Flags = (self.keys <= self.cuts[index]) | (
            np.isnan(self.keys) & self.unsupported[index]
        )
        return called

    @cached_property
    def needed(self) -> Ints:
        """(v,) the least level (see `levels_of`) at which classifier j calls a sample real."""
        return self.levels_of(self.cuts)

    @cached_property
    def levels(self) -> Ints:
        """(m,) the level of each sample, see `levels_of`."""
        return self.levels_of(self.keys)

    def levels_of(self, keys: ArrayLike) -> Ints:
        """The level of each key: the number of distinct cuts at or above it, minus 1; NO_SUPPORT
        for points without a key.

        The levels let a front end classify without the keys: classifier j calls a sample real if
        its level is at least ``needed[j]``; a sample without a key, if ``unsupported[j]`` is True.
        """
        values = np.asarray(keys, dtype=float)
        cuts = np.unique(self.cuts)
        levels = len(cuts) - 1 - np.searchsorted(cuts, values, side="left")
        return np.where(np.isnan(values), NO_SUPPORT, levels)

    @cached_property
    def counts(self) -> tuple[Ints, Ints]:
        """(v,) number of missed real samples, n_real fpr, and number of accepted generated samples,
        n_generated fnr, of every classifier.
        """
        return _wrong(self.keys, self.n_real, self.cuts, self.unsupported)

    def groups(self, lam: float) -> ConfusionGroups:
        """The four confusion groups at lam."""
        called_real = self.calls_real(self.index_at(lam))
        real = np.arange(len(self.keys)) < self.n_real
        sides = (real & called_real, real & ~called_real, ~real & called_real, ~real & ~called_real)
        return ConfusionGroups(*(np.flatnonzero(side) for side in sides))

    def most_extreme(self, group: str, lam: float, count: int) -> Ints:
        """Positions of at most ``count`` samples of a group, those with keys farthest from the cut
        first.

        All keys of a group lie on one side of the cut, so the order does not depend on lam. Equal
        keys are ordered by position; samples without a key come last. ValueError for a group that
        is not in GROUPS.
        """
        checked_choice("group", group, GROUPS)
        places: Ints = getattr(self.groups(lam), group)
        sign = -1.0
        if group in ("kept", "accepted"):
            sign = 1.0
        return places[np.argsort(sign * self.keys[places], kind="stable")][:count]

    def part(self, places: ArrayLike, lam: float) -> Part:
        """The `Part` of the samples at the given positions, at lam; a repeated position counts
        once.
        """
        chosen = np.unique(np.asarray(places, dtype=np.intp))
        if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < len(self.keys):
            raise ValueError(
                f"places run from {chosen[0]} to {chosen[-1]}; 0 to {len(self.keys) - 1} are needed"
            )
        real = chosen < self.n_real
        called_real = self.calls_real(self.index_at(lam))[chosen]
        n_real, missed, accepted = (
            int(np.sum(group)) for group in (real, real & ~called_real, ~real & called_real)
        )
        fpr = missed / self.n_real
        fnr = accepted / self.n_generated
        alpha = fnr
        beta = fpr
        if fpr > 0:
            alpha += lam * fpr
        if fnr > 0:
            beta += fnr / lam if lam > 0 else np.inf
        return Part(n_real, len(chosen) - n_real, missed, accepted, float(alpha), float(beta))


def _wrong(keys: Floats, n_real: int, cuts: Floats, unsupported: Flags) -> tuple[Ints, Ints]:
    """(v,) number of real samples that each classifier calls generated, and number of generated
    samples that it calls real.
    """
    called_real = []
    for side in (keys[:n_real], keys[n_real:]):
        without = int(np.count_nonzero(np.isnan(side)))
        known = np.sort(side)[: len(side) - without]  # NaN is sorted last
        called_real.append(
            np.searchsorted(known, cuts, side="right") + np.where(unsupported, without, 0)
        )
    return n_real - called_real[0], called_real[1]
