"""Confusion groups: the samples divided in four by the classifier of a family that is optimal at lam.

At every lam one classifier gives the point of the precision-recall curve: [key <= cut] on the key c_Y / c_X of each
evaluation sample. This classifier divides the samples into

    real kept           called real                      generated accepted   called real
    real missed         called generated                 generated rejected   called generated

so that fpr = |real missed| / n_real and fnr = |generated accepted| / n_generated, exactly. As lam falls from inf to 0
the cut never rises: one number per sample says from which classifier on the sample is called generated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.curves.pr_curve import score_keys
from prviz.estimators import Supports

__all__ = ["GROUPS", "ConfusionGroups", "OptimalClassifiers", "Part"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

GROUPS = {
    "kept": "real kept",
    "missed": "real missed",
    "accepted": "generated accepted",
    "rejected": "generated rejected",
}

# Largest absolute log ratio: beyond it a likelihood ratio leaves the range of float64, and every lam in use is smaller.
_LARGEST_LOG = 700.0


class ConfusionGroups(NamedTuple):
    """Positions of the samples of each group among all evaluation samples, increasing."""

    kept: Rows
    missed: Rows
    accepted: Rows
    rejected: Rows


class Part(NamedTuple):
    """Contribution of a selection of samples to both sets and to the curve, at one lam.

    n_real, n_generated : numbers of selected samples. missed, accepted : numbers of wrongly classified ones among them.
    share_real, share_generated : shares of all real and of all generated evaluation samples.
    alpha : part of lam fpr + fnr = alpha(lam). beta : part of fpr + fnr / lam = beta(lam). The parts of disjoint
    selections add up; all samples together give alpha(lam) and beta(lam) of these classifiers.
    """

    n_real: int
    n_generated: int
    missed: int
    accepted: int
    share_real: float
    share_generated: float
    alpha: float
    beta: float


@dataclass(frozen=True, eq=False)
class OptimalClassifiers:
    """One classifier per piece of lam, as thresholds on one key per sample.

    keys : (m,) in [0, inf], real samples first; a sample with a small key looks real.
    n_real : from 1 to m - 1.
    breakpoints : (v - 1,) decreasing: lam at which classifier j hands over to j + 1; at lam itself j + 1 decides.
    cuts : (v,) decreasing: classifier j calls samples with a key <= cuts[j] real; -inf: none, inf: all.

    Build it with `from_supports`, whose classifiers are the vertices of the family's own hull, or with
    `from_log_ratio`.
    """

    keys: Floats
    n_real: int
    breakpoints: Floats
    cuts: Floats

    def __post_init__(self) -> None:
        for name in ("keys", "breakpoints", "cuts"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if not 1 <= self.n_real < len(self.keys):
            raise ValueError(f"n_real = {self.n_real}; 1 to {len(self.keys) - 1} of {len(self.keys)} must be real")
        if len(self.cuts) != len(self.breakpoints) + 1:
            raise ValueError(f"{len(self.cuts)} cuts for {len(self.breakpoints)} breakpoints; one more is needed")
        if not all(bool(np.all(values[1:] < values[:-1])) for values in (self.cuts, self.breakpoints)):
            raise ValueError("cuts and breakpoints must be decreasing")

    def __reduce__(self) -> tuple[Any, ...]:
        return OptimalClassifiers, (self.keys, self.n_real, self.breakpoints, self.cuts)

    @classmethod
    def from_supports(cls, supports: Supports) -> OptimalClassifiers:
        """Classifiers of a family from the supports of one run: the vertices of the hull of its error rates.

        The rates of a vertex are counts over numbers of samples, so the number c of samples called real is known
        exactly, and so is the cut: the c-th smallest key.
        """
        keys = score_keys(*(np.asarray(c, dtype=np.float64) for c in (supports.c_real, supports.c_generated)))
        n_real, curve = supports.n_real, supports.rates().curve()
        missed, accepted = np.rint(curve.vertices * [n_real, len(keys) - n_real]).astype(np.intp).T
        ladder = np.concatenate(([-np.inf], np.sort(keys)))
        return cls(keys, n_real, curve.breakpoints, ladder[n_real - missed + accepted])

    @classmethod
    def from_log_ratio(cls, log_ratio: ArrayLike, n_real: int) -> OptimalClassifiers:
        """Classifiers of the truth, [q(z) < lam p(z)], from log q - log p of each sample, real ones first.

        These classifiers are optimal for the two distributions, not for these samples: their rates need not lie on the
        hull. Samples that only P can give (-inf) are always called real, samples that only Q can give (inf) never.
        """
        logs = np.asarray(log_ratio, dtype=np.float64)
        finite = np.isfinite(logs)
        keys = np.where(finite, np.exp(np.clip(logs, -_LARGEST_LOG, _LARGEST_LOG)), np.where(logs > 0, np.inf, 0.0))
        steps = np.unique(keys[finite])[::-1]
        return cls(keys, n_real, steps, np.append(steps, 0.0))

    @property
    def n_generated(self) -> int:
        """Number of generated samples."""
        return len(self.keys) - self.n_real

    def index_at(self, lam: float) -> int:
        """Index of the optimal classifier at lam in [0, inf]; of two the one of larger fpr, as `PRCurve.vertex_at`."""
        if not lam >= 0:
            raise ValueError(f"lam = {lam}; a value in [0, inf] is needed")
        return int(np.searchsorted(-self.breakpoints, -lam, side="right"))

    @cached_property
    def last(self) -> Rows:
        """Index, (m,), of the last classifier, counted from fpr = 0, that calls each sample real; -1 without one."""
        return self.last_of(self.keys)

    def last_of(self, keys: ArrayLike) -> Rows:
        """As `last`, for any points with these keys."""
        return np.searchsorted(-self.cuts, -np.asarray(keys, dtype=np.float64), side="right") - 1

    @cached_property
    def counts(self) -> tuple[Rows, Rows]:
        """Numbers, (v,), of missed real and of accepted generated samples: n_real fpr and n_generated fnr."""
        real, generated = np.sort(self.keys[: self.n_real]), np.sort(self.keys[self.n_real :])
        missed = self.n_real - np.searchsorted(real, self.cuts, side="right")
        return missed, np.searchsorted(generated, self.cuts, side="right")

    def groups(self, lam: float) -> ConfusionGroups:
        """The four groups at lam."""
        called_real = self.last >= self.index_at(lam)
        real = np.arange(len(self.keys)) < self.n_real
        sides = (real & called_real, real & ~called_real, ~real & called_real, ~real & ~called_real)
        return ConfusionGroups(*(np.flatnonzero(side) for side in sides))

    def most_extreme(self, group: str, lam: float, count: int) -> Rows:
        """Positions of at most ``count`` samples of a group, by decreasing distance of their keys from the cut.

        All keys of a group lie on one side of the cut, so that the order does not depend on lam; equal keys are ordered
        by position. Raises ValueError for a group not in GROUPS.
        """
        if group not in GROUPS:
            raise ValueError(f"group = {group!r}; one of {', '.join(GROUPS)} is needed")
        places: Rows = getattr(self.groups(lam), group)
        sign = 1.0 if group in ("kept", "accepted") else -1.0
        order: Rows = places[np.argsort(sign * self.keys[places], kind="stable")][:count]
        return order

    def part(self, places: ArrayLike, lam: float) -> Part:
        """Contribution at lam of the samples at these positions, each counted once."""
        chosen = np.unique(np.asarray(places, dtype=np.intp))
        if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < len(self.keys):
            raise ValueError(f"places run from {chosen[0]} to {chosen[-1]}; 0 to {len(self.keys) - 1} are needed")
        real, called_real = chosen < self.n_real, self.last[chosen] >= self.index_at(lam)
        n_real, missed, accepted = (int(np.sum(group)) for group in (real, real & ~called_real, ~real & called_real))
        fpr, fnr = missed / self.n_real, accepted / self.n_generated
        alpha = (lam * fpr if fpr > 0 else 0.0) + fnr
        beta = fpr + (fnr / lam if fnr > 0 and lam > 0 else np.inf if fnr > 0 else 0.0)
        n_generated = len(chosen) - n_real
        shares = n_real / self.n_real, n_generated / self.n_generated
        return Part(n_real, n_generated, missed, accepted, *shares, float(alpha), float(beta))
