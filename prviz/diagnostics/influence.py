"""Influence of single samples on the two ends of a curve, alpha_inf and beta_0, and both ends
without the most influential samples.

Extreme precision alpha_inf depends on the generated evaluation samples z with support from real
samples, c_X(z) > 0. Extreme recall beta_0 depends on the real ones with support from generated
samples, c_Y(z) > 0. In a family that counts in balls, a fit sample x *carries* z if x is counted
for z, and carries z *alone* if no other sample is counted. The share of samples z that are carried
is an error rate of the family's extreme classifier; for ipr without split it is improved precision
or recall. The end of the curve can differ from this share, since it belongs to the best classifier
without errors on samples of the other role. The end can be lower, and with a split it is 1 if no
classifier is without such errors.

Source: Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.3; Kynkäänniemi et al.
2019.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Unpack

import numpy as np

from prviz.arrays import Counts, Ints
from prviz.checks.facts import row_classes
from prviz.curves import PRCurve
from prviz.curves.frozen import ReadOnlyArrays
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_bandwidth, check_k, resolve_k
from prviz.measure.estimates import EstimateOptions, Measurement, PassOptions, measure
from prviz.measure.profiles import profile_pair
from prviz.neighbors import FEW, BallMembership, Distances
from prviz.neighbors.balls import ROLES, Role
from prviz.neighbors.threads import part_of
from prviz.samples import SamplePair, Split


class Extremes(NamedTuple):
    """Both ends of a curve: alpha_inf (precision) and beta_0 (recall)."""

    precision: float
    recall: float

    @classmethod
    def of(cls, curve: PRCurve) -> Extremes:
        """Both ends of a curve."""
        return cls(curve.extreme_precision, curve.extreme_recall)


class Distinct(NamedTuple):
    """Both ends of the families' curves on a subset of the rows.

    dropped : number of real and of generated rows left out.
    extremes : both ends by method; None if too few rows are left for this k.
    """

    dropped: tuple[int, int]
    extremes: Mapping[str, Extremes] | None


def extremes_over_k(
    pair: SamplePair,
    methods: Sequence[str],
    ks: Sequence[int],
    **options: Unpack[PassOptions],
) -> dict[str, list[Extremes]]:
    """Both ends of every family's curve at every k, measured as by `prviz.profile`; KDE has its
    automatic bandwidth.
    """
    shared = [name for name in methods if ESTIMATORS[name].shares_pass]
    calls: list[tuple[list[str], list[int]]] = [(shared, list(ks))] if shared else []
    calls += [([name], [k]) for name in methods if name not in shared for k in ks]
    ends: dict[str, list[Extremes]] = {name: [] for name in methods}
    progress = options.get("progress")
    for index, (names, numbers) in enumerate(calls):
        options["progress"] = part_of(progress, index, len(calls))
        profile = profile_pair(pair, names, ks=numbers, bandwidths=(), **options)
        for name in names:
            ends[name] += [Extremes.of(profile.curve(name, k)) for k in numbers]
    return ends


def distinct(
    pair: SamplePair,
    methods: Sequence[str],
    **options: Unpack[EstimateOptions],
) -> tuple[Distinct, Distinct, Distinct]:
    """Both ends of the curves with and without repeated rows: with all rows; with the first of
    equal rows in each set; and then also without generated rows that equal a real one.

    Every row stays in the part of the split that it was drawn for, and k does not change. If a case
    leaves out no more rows than the one before, its result is reused.

    pair, methods, options : as in `prviz.estimate`.

    Raises ValueError or TypeError as `prviz.estimate` does.
    """
    how = Measurement(**options)
    drawn = pair.split(how.split, how.seed)
    number = resolve_k(how.k, pair)
    requests = [(method, number, how.bandwidth) for method in methods]
    classes = row_classes(pair)
    result = list[Distinct]()
    real = classes[: pair.real.n]
    generated = classes[pair.real.n :]
    everything = np.arange(pair.real.n), np.arange(pair.generated.n)
    firsts = [np.sort(np.unique(side, return_index=True)[1]) for side in (real, generated)]
    fresh = firsts[1][~np.isin(generated[firsts[1]], real)]
    kept = everything, (firsts[0], firsts[1]), (firsts[0], fresh)
    for index, rows in enumerate(kept):
        dropped = (pair.real.n - len(rows[0]), pair.generated.n - len(rows[1]))
        if result and dropped == result[-1].dropped:
            result.append(result[-1])
            continue
        part = _only(drawn, rows)
        ends = None
        # Not checked for all rows, the first case: there `measure` raises the error for a k that is
        # too large.
        if part is not None and (not result or min(map(len, part.fit_rows)) > number):
            tick = part_of(how.progress, index, len(kept))
            estimates = measure(part, requests, how.seed, how.memory_limit, tick)
            ends = {estimate.method: Extremes.of(estimate.curve) for estimate in estimates}
        result.append(Distinct(dropped, ends))
    return result[0], result[1], result[2]


def _only(split: Split, rows: tuple[Ints, Ints]) -> Split | None:
    """The split restricted to ``rows``; None if it would have no fit or no evaluation samples."""
    if not split.held_out:
        if all(map(len, rows)):
            return rows_taken(split.pair, rows).split(None)
        return None
    fit, evaluate = (
        tuple(part[np.isin(part, kept)] for part, kept in zip(both, rows, strict=True))
        for both in (split.fit_rows, split.evaluate_rows)
    )
    if not all(map(len, (*fit, *evaluate))):
        return None
    return Split(split.pair, (fit[0], fit[1]), (evaluate[0], evaluate[1]), held_out=True)


def rows_taken(pair: SamplePair, rows: Sequence[Ints]) -> SamplePair:
    """The pair with the given rows of each set, in increasing order; a set that stays whole is not
    copied.
    """
    real, generated = (
        side if len(part) == side.n else side.take(part)
        for side, part in zip(pair, rows, strict=True)
    )
    return SamplePair(real, generated)


# Numbers of most influential samples that are removed.
REMOVED = (1, 2, 5)


def carries(method: str) -> bool:
    """True if a family's supports are counts of fit samples in one kind of balls, so that fit
    samples carry evaluation samples (see the module).
    """
    return ESTIMATORS[method].supports_are_counts


@dataclass(frozen=True, eq=False)
class Influence(ReadOnlyArrays):
    """Influence of the fit samples of one role: which evaluation samples of the other role they
    carry (see the module).

    method, k, bandwidth : the family, the number of neighbours and the given bandwidth.
    role : role of the fit samples: "real" for influence on precision, "generated" for influence on
    recall.
    rows : (n,) row of each fit sample in its own set.
    ball_members : for each evaluation sample, the number of fit samples that carry it, and a list
    of these if it is short.
    """

    method: str
    k: int
    bandwidth: float | None
    role: Role
    rows: Ints
    ball_members: BallMembership

    @property
    def carried(self) -> Counts:
        """(n,) number of evaluation samples of the other role that each fit sample carries."""
        return self.ball_members.carried

    @cached_property
    def alone(self) -> Counts:
        """(n,) number of evaluation samples that each fit sample carries alone."""
        sole = self.ball_members.counts[self.ball_members.points] == 1
        return np.bincount(self.ball_members.samples[sole], minlength=len(self.rows))

    @property
    def share(self) -> float:
        """Share of the other role's evaluation samples that some fit sample carries."""
        return float(np.mean(self.ball_members.counts > 0))

    def top(self, count: int) -> Ints:
        """Positions in `rows` of the ``count`` most influential samples: ordered by the number of
        samples they carry alone, then by the number they carry in all, then by row.

        Samples that carry nothing are left out.
        """
        order = np.lexsort((self.rows, -self.carried, -self.alone))[:count]
        return order[self.carried[order] > 0]

    def share_without(self, places: Ints) -> float:
        """`share`, computed as if the fit samples at ``places`` (at most FEW) carried nothing."""
        if len(places) > FEW:
            raise ValueError(f"places has {len(places)} entries; at most {FEW} are possible")
        taken = self.ball_members.points[np.isin(self.ball_members.samples, places)]
        left = self.ball_members.counts - np.bincount(
            taken, minlength=len(self.ball_members.counts)
        )
        # ``points`` lists the members only of balls with at most FEW members. A larger ball keeps a
        # member when at most FEW are removed, so its count need not change.
        return float(np.mean(left > 0))


class Removal(NamedTuple):
    """A measurement without the most influential samples.

    rows : removed rows, in their own set; empty: none was removed.
    extreme : the end of the curve: alpha_inf for real, beta_0 for generated fit samples.
    share : share of the other role's evaluation samples that the remaining fit samples carry, with
    their balls measured again.
    subtracted : the same share if the balls of the remaining samples had not changed.
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
    **options: Unpack[EstimateOptions],
) -> Influence:
    """Influence of the fit samples of ``role`` on the other role's evaluation samples, in the balls
    of one family.

    pair, method, options : as in `prviz.estimate`; the supports of the method must be counts.
    role : "real" for influence on alpha_inf, "generated" for influence on beta_0.

    Raises ValueError for another role or method; otherwise as `prviz.estimate` does.
    """
    estimator = ESTIMATORS.get(method)
    if estimator is None or not estimator.supports_are_counts:
        able = ", ".join(name for name in ESTIMATORS if carries(name))
        raise ValueError(
            f"method = {method!r}; a family that counts samples in balls is needed: {able}"
        )
    if role not in ROLES:
        raise ValueError(f'role = {role!r}; "real" or "generated" is needed')
    how = Measurement(**options)
    drawn = pair.split(how.split, how.seed)
    number = check_k(resolve_k(how.k, pair), drawn)
    width = check_bandwidth(how.bandwidth)
    sizes = len(drawn.fit_rows[0]), len(drawn.fit_rows[1])
    (balls,) = estimator.balls(k=number, bandwidth=width, sizes=sizes)
    distances = Distances(drawn, memory_limit=how.memory_limit)
    members = distances.ball_members(balls, role, progress=how.progress)
    return Influence(method, number, width, role, drawn.fit_rows[ROLES.index(role)], members)


def removals(
    pair: SamplePair,
    found: Influence,
    counts: Sequence[int] = REMOVED,
    **options: Unpack[PassOptions],
) -> tuple[Removal, ...]:
    """One end of the curve: with all samples, and measured again without the 1, 2 and 5 most
    influential fit samples.

    Balls and error rates are measured again on the split without the removed rows, with the same k.
    Evaluation samples are not removed, except without split, where they are the fit samples. The
    list ends where no further sample carries anything, or where the remaining samples are too few
    for k.

    pair, options : those with which ``found`` was measured.
    counts : numbers of samples to remove, at most FEW each.
    """
    how = Measurement(**options)
    drawn = pair.split(how.split, how.seed)
    side = ROLES.index(found.role)
    smallest = min(map(len, drawn.fit_rows))
    tops = dict.fromkeys(tuple(found.top(count).tolist()) for count in (0, *counts))
    able = [top for top in tops if min(smallest, len(found.rows) - len(top)) > found.k]
    requests = [(found.method, found.k, found.bandwidth)]
    result = []
    for index, top in enumerate(able):
        places = np.array(top, dtype=np.intp)
        rows = found.rows[places]
        tick = part_of(how.progress, index, len(able))
        left = without(drawn, found.role, rows)
        (estimate,) = measure(left, requests, how.seed, how.memory_limit, tick)
        shares = found.share_without(places)
        end = Extremes.of(estimate.curve)[side]
        n_real = estimate.supports.n_real
        of_real = found.role == "real"
        if of_real:
            carried = estimate.supports.c_real[n_real:]
        else:
            carried = estimate.supports.c_generated[:n_real]
        result.append(Removal(tuple(rows.tolist()), end, float(np.mean(carried > 0)), shares))
    return tuple(result)


def without(split: Split, role: Role, rows: Ints) -> Split:
    """The split without the given ``rows`` among the fit samples of one role.

    Without split these rows are removed from the evaluation samples too.
    """
    fit = [
        own[~np.isin(own, rows)] if each == role else own
        for each, own in zip(ROLES, split.fit_rows, strict=True)
    ]
    if not split.held_out:
        return rows_taken(split.pair, fit).split(None)
    return Split(split.pair, (fit[0], fit[1]), split.evaluate_rows, held_out=True)
