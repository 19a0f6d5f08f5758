"""Influence of single samples on the two ends of a curve, and the ends without the most influential samples.

Extreme precision alpha_inf depends on the generated evaluation samples z with support from real samples, c_X(z) > 0;
extreme recall beta_0 on the real ones with support from generated samples, c_Y(z) > 0. In a family that counts in
balls, a fit sample x *carries* z if x is counted for z, and carries z *alone* if no other sample is counted. The share
of z that are carried is the error rate of the family's extreme classifier: for ipr without split, improved precision
or recall. The end of the curve belongs to the best classifier without an error on the other side, so that it can be
lower, or, with a split, be 1 if every classifier has such an error.

Source: Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.3; Kynkäänniemi et al. 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.diagnostics.extremes import Extremes, rows_taken
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_bandwidth, check_k, resolve_k
from prviz.measure.estimates import Estimate, K, Progress, measure, part_of
from prviz.neighbors import FEW, MEMORY_LIMIT, BallMembership, Distances
from prviz.neighbors.balls import ROLES, Role
from prviz.samples import SamplePair, Split

__all__ = [
    "REMOVED",
    "Influence",
    "Removal",
    "carries",
    "influence",
    "removals",
    "without",
]

Places = NDArray[np.intp]

# Numbers of the most influential samples to remove.
REMOVED = (1, 2, 5)


def carries(method: str) -> bool:
    """True if the family counts fit samples in one kind of balls, so that they carry evaluation samples."""
    return ESTIMATORS[method].supports_are_counts


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence of the fit samples of one role: the evaluation samples of the other role that they carry.

    method, k, bandwidth : the family, the number of neighbours and the given bandwidth.
    role : role of the fit samples: "real" for the precision side, "generated" for the recall side.
    rows : (n,) row of each fit sample in its own set.
    ball_members : number of fit samples that carry each evaluation sample, and their list where it is short.
    """

    method: str
    k: int
    bandwidth: float | None
    role: Role
    rows: Places
    ball_members: BallMembership

    def __post_init__(self) -> None:
        rows = np.array(self.rows)
        rows.flags.writeable = False
        object.__setattr__(self, "rows", rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return Influence, (self.method, self.k, self.bandwidth, self.role, self.rows, self.ball_members)

    @property
    def carried(self) -> NDArray[np.int64]:
        """Number, (n,), of evaluation samples of the other role that each fit sample carries."""
        return self.ball_members.carried

    @cached_property
    def alone(self) -> NDArray[np.int64]:
        """Number, (n,), of evaluation samples that each fit sample carries alone."""
        sole = self.ball_members.counts[self.ball_members.points] == 1
        return np.bincount(self.ball_members.samples[sole], minlength=len(self.rows))

    @property
    def share(self) -> float:
        """Share of the other role's evaluation samples that are carried."""
        return float(np.mean(self.ball_members.counts > 0))

    def top(self, count: int) -> Places:
        """Positions in `rows` of the ``count`` samples that carry most alone, then most in all, then come first.

        Samples that carry nothing are left out.
        """
        order = np.lexsort((self.rows, -self.carried, -self.alone))[:count]
        return order[self.carried[order] > 0]

    def share_without(self, places: Places) -> float:
        """`share` if these samples, at most FEW, carried nothing and nothing else changed.

        Raises
        ------
        ValueError : more than FEW places.
        """
        if len(places) > FEW:
            raise ValueError(f"places has {len(places)} entries; at most {FEW} are possible")
        taken = self.ball_members.points[np.isin(self.ball_members.samples, places)]
        left = self.ball_members.counts - np.bincount(taken, minlength=len(self.ball_members.counts))
        # Ball members are not listed for a sample with more than FEW of them; it stays carried without FEW.
        return float(np.mean(left > 0))


class Removal(NamedTuple):
    """Measurement without the samples that carry most.

    rows : removed rows, in their own set; empty: none.
    extreme : alpha_inf of the curve on the precision side, beta_0 on the recall side.
    share : share of the other role's evaluation samples that the remaining samples carry, with balls measured again.
    subtracted : that share if the balls of the remaining samples did not change.
    """

    rows: tuple[int, ...]
    extreme: float
    share: float
    subtracted: float


def influence(
    pair: SamplePair,
    method: str,
    *,
    role: Role,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Influence:
    """Influence of the fit samples of ``role`` on the other role's evaluation samples, in the balls of one family.

    Parameters
    ----------
    pair, method, k, bandwidth, split, seed, memory_limit : as in `prviz.estimate`, whose supports are the counts.
    role : "real" for influence on alpha_inf, "generated" for influence on beta_0.
    progress : called with the fraction done; may raise to stop.

    Raises
    ------
    ValueError, TypeError : a role or a method other than these, or as `prviz.estimate`.
    """
    estimator = ESTIMATORS.get(method)
    if estimator is None or not estimator.supports_are_counts:
        able = ", ".join(name for name in ESTIMATORS if carries(name))
        raise ValueError(f"method = {method!r}; a family that counts samples in balls is needed: {able}")
    if role not in ROLES:
        raise ValueError(f'role = {role!r}; "real" or "generated" is needed')
    drawn = pair.split(split, seed)
    number, width = check_k(resolve_k(k, pair), drawn), check_bandwidth(bandwidth)
    sizes = len(drawn.fit_rows[0]), len(drawn.fit_rows[1])
    (balls,) = estimator.balls(k=number, bandwidth=width, sizes=sizes)
    members = Distances(drawn, memory_limit=memory_limit).ball_members(balls, role, progress=progress)
    return Influence(method, number, width, role, drawn.fit_rows[ROLES.index(role)], members)


def removals(
    pair: SamplePair,
    found: Influence,
    counts: Sequence[int] = REMOVED,
    *,
    split: float | None = 0.5,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> tuple[Removal, ...]:
    """The extreme with all samples, and measured again without the 1, 2 and 5 samples that carry most.

    Every ball and every rate is measured again on the split without these rows, with the same k. The evaluation samples
    stay the same; without split a removed sample is missing from both parts. Removals stop where no further samples
    carry anything, or where the remaining samples are too few for k.

    Parameters
    ----------
    pair, split, seed : those of ``found``.
    counts : numbers of samples to remove, at most FEW each.
    """
    drawn, side = pair.split(split, seed), ROLES.index(found.role)
    smallest = min(map(len, drawn.fit_rows))
    tops = dict.fromkeys(tuple(found.top(count).tolist()) for count in (0, *counts))
    able = [top for top in tops if min(smallest, len(found.rows) - len(top)) > found.k]
    requests = [(found.method, found.k, found.bandwidth)]
    result = []
    for index, top in enumerate(able):
        places = np.array(top, dtype=np.intp)
        rows = found.rows[places]
        tick = part_of(progress, index, len(able))
        (estimate,) = measure(without(drawn, found.role, rows), requests, seed, memory_limit, tick)
        shares = found.share_without(places)
        end = Extremes.of(estimate.curve)[side]
        result.append(Removal(tuple(rows.tolist()), end, _carried_share(estimate, found.role), shares))
    return tuple(result)


def _carried_share(estimate: Estimate, role: Role) -> float:
    """Share of the other role's evaluation samples with support from ``role``."""
    supports = estimate.supports
    if role == "real":
        return float(np.mean(supports.c_real[supports.n_real :] > 0))
    return float(np.mean(supports.c_generated[: supports.n_real] > 0))


def without(split: Split, role: Role, rows: Places) -> Split:
    """Split with some rows of one role removed: from its fit samples only, or, without split, from the data."""
    fit = [own[~np.isin(own, rows)] if each == role else own for each, own in zip(ROLES, split.fit_rows, strict=True)]
    if not split.held_out:
        return rows_taken(split.pair, fit).split(None)
    return Split(split.pair, (fit[0], fit[1]), split.evaluate_rows, held_out=True)
