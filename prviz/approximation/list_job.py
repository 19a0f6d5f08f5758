"""The computation behind `prviz.approximate`: two indexes of fit samples, radii and counts from
lists of nearest fit samples, and exact counts to compare with.

A ball may reach beyond the list of its point. What is done then depends on the ball's rule:

- a ball out to a k-th neighbour: samples beyond the list are not counted, so the count is a lower
  bound;
- one radius for all balls: the real and the generated ball of the point shrink by the factor that
  brings both inside their lists. With a uniform density around the point the ratio of the two
  counts does not change, and a family uses only this ratio.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from prviz.arrays import Array, Ints
from prviz.curves import PRCurve
from prviz.estimators import Supports
from prviz.neighbors import Balls, Distances, Nearest, Within, count_in_balls, nearest_radii
from prviz.neighbors.balls import ROLES, Role, Rule
from prviz.neighbors.faiss_lists import ListIndex, Units
from prviz.neighbors.point_sets import RowView, pair_distances, slices
from prviz.neighbors.threads import Progress, check_progress
from prviz.samples import Split

# Length of the lists: _REACH times k, because balls can hold more than k samples, and at least
# _SHORTEST.
_REACH = 2.0
_SHORTEST = 64
# Only a random part of the fit samples has a ball: at least _CENTRES, and so many that an
# evaluation sample is in _HOLDING balls on average.
_CENTRES = 20_000
_HOLDING = 30
# Number of evaluation samples with which the search is tuned.
_TUNED_ON = 200
# Bytes of the lists that are computed at a time.
_LIST_BYTES = 1 << 24
# Most distances between fit samples that may be computed for the exact radii, with which
# approximate curves are compared.
_CHECKED_DISTANCES = 5e8


class ApproximateLists(NamedTuple):
    """For each role, the distances from m points to the nearest fit samples of that role, as far as
    lists contain them.

    squared : by role, (m, length) squared distances, increasing; a point that is a fit sample is in
    its own list.
    whole : by role, True if the lists contain all fit samples of the role.
    """

    squared: Mapping[Role, Array]
    whole: Mapping[Role, bool]

    def reach(self, role: Role) -> Array:
        """Squared distance, (m,), up to which each list is complete."""
        ends: Array = self.squared[role][:, -1]
        if self.whole[role]:
            return np.full(len(ends), np.inf)
        return ends


def ball_counts(
    lists: ApproximateLists, balls: Balls, fixed: Mapping[Rule, float], role: Role | None
) -> tuple[Array, Array]:
    """Number of real and of generated fit samples, (m,) each, in the ball around each point.

    fixed : squared radius of each rule that has one radius for all points.
    role : role of the points if they are fit samples, which are left out of their own radius;
    otherwise None.
    """
    squared = {each: _squared_radius(balls.rule(each), lists, fixed, role) for each in ROLES}
    if balls.real.one_radius and balls.generated.one_radius:
        # Factor, at most 1, by which the radii shrink so that both balls are within their lists.
        shrink = np.ones(len(squared["real"]))
        for each in ROLES:
            reach = lists.reach(each)
            radius = squared[each]
            shrink = np.minimum(
                shrink, np.divide(reach, radius, out=np.ones(len(reach)), where=radius > reach)
            )
        squared = {each: radius * shrink for each, radius in squared.items()}
    real, generated = (
        np.count_nonzero(lists.squared[each] <= squared[each][:, None], axis=1) for each in ROLES
    )
    return real, generated


def _squared_radius(
    rule: Rule, lists: ApproximateLists, fixed: Mapping[Rule, float], role: Role | None
) -> Array:
    """Squared radius of the ball around each point: (m,)."""
    if rule.one_radius:
        return np.full(len(lists.squared[ROLES[0]]), fixed[rule])
    near = np.hstack([lists.squared[each] for each in rule.roles])
    order = rule.k + (role in rule.roles)
    return np.partition(near, order - 1, axis=1)[:, order - 1]


class ListJob:
    """The indexes of the fit samples of a split, one index per role, and what is computed with
    them.

    split, balls, k, seed : what to compute; ``balls`` has the balls of each family by its name.
    memory_limit : bytes that may be used besides the samples; half of them are for the indexes.
    """

    def __init__(
        self,
        split: Split,
        balls: Mapping[str, Balls],
        *,
        k: int,
        seed: int,
        memory_limit: int,
        progress: Progress | None,
    ) -> None:
        self.split = split
        self.balls = balls
        self.k = k
        self.seed = seed
        self._memory_limit = memory_limit
        check_progress(progress)
        self._progress = progress
        self._searched = 0
        self._to_search = 1
        self._reported = 0.0
        self._report(0.0)
        self.length = max(_SHORTEST, math.ceil(_REACH * k) + 1)
        self.values = {role: each.values for role, each in zip(ROLES, split.pair, strict=True)}
        self.fit_rows = dict(zip(ROLES, split.fit_rows, strict=True))
        self.evaluate_rows = dict(zip(ROLES, split.evaluate_rows, strict=True))
        self.units = Units.of(*self.values.values())
        self.indexes: dict[Role, ListIndex] = {}
        # The fit samples that have a ball, in random order, so that the first ones, whatever their
        # number, are a random sample.
        self.centres: dict[Role, Ints] = {}
        total = sum(map(len, self.fit_rows.values()))
        for role, rows in self.fit_rows.items():
            n = len(rows)
            room = memory_limit / 2 * len(rows) / total
            self.indexes[role] = ListIndex(
                self.values[role],
                rows,
                self.units,
                room=room,
                seed=seed,
                tick=lambda: self._report(0.0),
            )
            self.centres[role] = self._random(n, min(n, max(_CENTRES, math.ceil(_HOLDING * n / k))))
        self._own: dict[tuple[Role, int], Array] = {}

    def _random(self, n: int, count: int) -> Ints:
        """``count`` random positions from 0 to n - 1. Both roles use the same seed, so that
        swapping the roles swaps the draws.
        """
        return np.random.default_rng(self.seed).permutation(n)[:count]

    def _report(self, fraction: float) -> None:
        self._reported = max(self._reported, fraction)
        if self._progress is not None:
            self._progress(self._reported)

    def _search(self, role: Role, points: Array, length: int) -> tuple[Array, Ints]:
        """Search the lists of these points among the fit samples of ``role``. Searches take most of
        the time, so they move the progress from 0.1 to 0.8.
        """
        self._report(0.1 + 0.7 * min(1.0, self._searched / self._to_search))
        self._searched += len(points)
        return self.indexes[role].search(points, length)

    def plan(self, evaluated: int) -> None:
        """Set how many searches count as the whole progress of computing the supports of
        ``evaluated`` samples.
        """
        own = {
            key for each in self.balls.values() for role in ROLES if (key := each.request(role).own)
        }
        around_points = any(each.around == "evaluation" for each in self.balls.values())
        self._to_search = (
            sum(len(self.centres[role]) for role, _ in own) + 2 * evaluated * around_points + 1
        )

    def draw(self, count: int) -> tuple[Ints, Ints]:
        """Positions of ``count`` random evaluation samples of each set."""
        real, generated = (self._random(len(self.evaluate_rows[role]), count) for role in ROLES)
        return real, generated

    def tune(self, goal: float) -> float:
        """Widen the search until the lists of a few evaluation samples contain the share ``goal``
        of the true neighbours; return the share reached.
        """
        few = zip(ROLES, self.draw(_TUNED_ON // 2), strict=True)
        values = np.concatenate(
            [self.values[role][self.evaluate_rows[role][rows]] for role, rows in few]
        )
        points = self.units.apply(values)
        held = []
        for index in self.indexes.values():
            held.append(
                index.widen(
                    points,
                    order=self.k,
                    length=self.length,
                    goal=goal,
                    tick=lambda: self._report(0.0),
                )
            )
        return min(held)

    def own_radii(self, role: Role, k: int) -> Array:
        """(centres,) distance from each fit sample that has a ball to its k-th nearest other fit
        sample of the same role.
        """
        if (role, k) not in self._own:
            samples = RowView(self.values[role])
            radii = []
            for rows in self._parts(self.fit_rows[role][self.centres[role]]):
                _, places = self._search(role, self.units.apply(self.values[role][rows]), k + 1)
                last = np.count_nonzero(places >= 0, axis=1) - 1
                neighbours = self.fit_rows[role][places[np.arange(len(rows)), last]]
                # Reference distances decide: without split the neighbour lies exactly on the ball's
                # border and must count as inside.
                radii.append(np.sqrt(pair_distances(samples, rows, samples, neighbours)))
            self._own[role, k] = np.concatenate(radii)
        return self._own[role, k]

    def _parts(self, places: Ints) -> Iterator[Ints]:
        return (
            places[part] for part in slices(len(places), max(1, _LIST_BYTES // (64 * self.length)))
        )

    @cached_property
    def fixed(self) -> dict[Rule, float]:
        """For each rule with one radius for all points, its squared radius in the units of the
        lists.
        """
        rules = {each.rule(role) for each in self.balls.values() for role in ROLES}
        radii = {
            rule: rule.single_radius(lambda role, k: float(np.mean(self.own_radii(role, k))))
            for rule in rules
        }
        return {
            rule: (radius / self.units.scale) ** 2
            for rule, radius in radii.items()
            if radius is not None
        }

    def supports(self, rows: tuple[Ints, Ints], most: int | None = None) -> dict[str, Supports]:
        """Supports of the evaluation samples in these rows. Of the balls around fit samples, at
        most ``most`` per role are used.
        """
        counted = self._around_points(rows)
        for name, balls in self.balls.items():
            if balls.around == "fit":
                counted[name] = self._around_fit(rows, balls, most)
        places = np.concatenate([rows[0], len(self.evaluate_rows["real"]) + rows[1]])
        supports = {}
        for name, balls in self.balls.items():
            fixed = [
                self.fixed[rule] for rule in (balls.real, balls.generated) if rule in self.fixed
            ]
            radii = [math.sqrt(squared) * self.units.scale for squared in fixed]
            bandwidth = None
            if len(radii) == len(ROLES):
                bandwidth = (radii[0], radii[1])
            supports[name] = Supports(
                counted[name][0], counted[name][1], len(rows[0]), bandwidth, places
            )
        return supports

    def _around_points(self, rows: tuple[Ints, Ints]) -> dict[str, Array]:
        around = {name: balls for name, balls in self.balls.items() if balls.around == "evaluation"}
        counted: dict[str, list[Array]] = {name: [] for name in around}
        whole = {role: self.length >= len(rows) for role, rows in self.fit_rows.items()}
        sides = zip(ROLES, rows, strict=True) if around else ()
        for role, each in sides:
            own = None if self.split.held_out else role
            for part in self._parts(each):
                points = self.units.apply(self.values[role][self.evaluate_rows[role][part]])
                squared = {among: self._search(among, points, self.length)[0] for among in ROLES}
                lists = ApproximateLists(squared, whole)
                for name, balls in around.items():
                    counted[name].append(np.stack(ball_counts(lists, balls, self.fixed, own)))
        return {name: np.hstack(each) for name, each in counted.items()}

    def _around_fit(self, rows: tuple[Ints, Ints], balls: Balls, most: int | None) -> Array:
        around = {
            role: (rows[self.centres[role][:most]], self.own_radii(role, balls.rule(role).k)[:most])
            for role, rows in self.fit_rows.items()
        }
        parts = []
        for side, places in zip(ROLES, rows, strict=True):
            for part in self._parts(places):
                self._report(0.0)
                evaluated = self.evaluate_rows[side][part]
                points = self.values[side]
                counts = [
                    count_in_balls(
                        points, self.values[role], radii, rows=evaluated, centre_rows=centres
                    )
                    for role, (centres, radii) in around.items()
                ]
                parts.append(np.stack(counts))
        return np.hstack(parts)

    def checked(self, rows: tuple[Ints, Ints]) -> dict[str, tuple[PRCurve, PRCurve]]:
        """For each family, the approximate and the exact curve on the evaluation samples in these
        rows.
        """
        largest = max(map(len, self.fit_rows.values()))
        most = max(_CENTRES // 10, int(_CHECKED_DISTANCES / largest))
        approximate = self.supports(rows, most)
        # The indexes are not needed any more: they are removed to leave their memory to the exact
        # distances.
        self.indexes.clear()
        centres = {role: each[:most] for role, each in self.centres.items()}
        chosen = (self.evaluate_rows["real"][rows[0]], self.evaluate_rows["generated"][rows[1]])
        split = Split(self.split.pair, self.split.fit_rows, chosen, held_out=True)
        measured = exact_supports(
            split,
            self.balls,
            centres,
            fit_again=not self.split.held_out,
            memory_limit=self._memory_limit,
            progress=lambda part: self._report(0.85 + 0.15 * part),
        )
        return {
            name: (approximate[name].rates().curve(), measured[name].rates().curve())
            for name in self.balls
        }


# ---- exact supports to compare with ----


def exact_supports(
    split: Split,
    balls: Mapping[str, Balls],
    centres: Mapping[Role, Ints],
    *,
    fit_again: bool,
    memory_limit: int,
    progress: Progress,
) -> dict[str, Supports]:
    """For each family that counts in balls, exact supports of a few evaluation samples, from all
    fit samples.

    centres : by role, positions of the fit samples that have a ball; mean radii are means over
    these.
    fit_again : True if the evaluation samples are also fit samples, which are left out of their own
    radius.
    """
    n_real = len(split.evaluate_rows[0])
    centred = _Centred(split, centres)
    held_out: dict[str, list[Balls]] = {}
    counts: dict[str, tuple[Array, Array]] = {}
    for name, each in balls.items():
        if each.around == "fit":
            real = centred.counts("real", each.real)
            counts[name] = real, centred.counts("generated", each.generated)
            continue
        held_out[name] = [
            replace(
                each,
                real=centred.as_held_out(each.real, role, fit_again),
                generated=centred.as_held_out(each.generated, role, fit_again),
            )
            for role in ROLES
        ]
    if held_out:
        different = list(dict.fromkeys(chain.from_iterable(held_out.values())))
        distances = Distances(split, memory_limit=memory_limit)
        counted = dict(zip(different, distances.count(different, progress=progress), strict=True))
        for name, (of_real, of_generated) in held_out.items():
            first = counted[of_real]
            second = counted[of_generated]
            counts[name] = (
                np.concatenate([first.real[:n_real], second.real[n_real:]]),
                np.concatenate([first.generated[:n_real], second.generated[n_real:]]),
            )
    return {name: Supports(*counts[name], n_real) for name in balls}


class _Centred:
    """The balls around some fit samples of a split.

    centres : by role, the positions of these fit samples.
    """

    def __init__(self, split: Split, centres: Mapping[Role, Ints]) -> None:
        self._split = split
        self._values = {role: side.values for role, side in zip(ROLES, split.pair, strict=True)}
        self._fit_rows = dict(zip(ROLES, split.fit_rows, strict=True))
        self._rows = {role: rows[centres[role]] for role, rows in self._fit_rows.items()}
        self._radii = dict[tuple[Role, int], Array]()

    def radii(self, role: Role, k: int) -> Array:
        """Distance from each centre of this role to its k-th nearest other fit sample of the same
        role.
        """
        if (role, k) not in self._radii:
            self._radii[role, k] = nearest_radii(
                self._values[role], self._rows[role], k, self._fit_rows[role]
            )
        return self._radii[role, k]

    def mean_radius(self, role: Role, k: int) -> float:
        """Mean of `radii` over the centres of this role."""
        return math.fsum(self.radii(role, k).tolist()) / len(self._rows[role])

    def as_held_out(self, rule: Rule, role: Role, fit_again: bool) -> Rule:
        """Convert a rule to one that gives the same balls around points of this role if they are
        treated as held-out samples. A point that is also a fit sample is then its own nearest
        neighbour, so k grows by 1.
        """
        radius = rule.single_radius(self.mean_radius)
        if radius is not None:
            return Within(radius)
        if isinstance(rule, Nearest) and fit_again and role in rule.roles:
            return Nearest(rule.k + 1, rule.among)
        return rule

    def counts(self, role: Role, rule: Rule) -> Array:
        """For each evaluation sample, real ones first, the number of balls around the centres of
        this role that contain it.
        """
        radii = self.radii(role, rule.k)
        counted = []
        for side, rows in zip(self._split.pair, self._split.evaluate_rows, strict=True):
            centres = self._rows[role]
            counted.append(
                count_in_balls(
                    side.values, self._values[role], radii, rows=rows, centre_rows=centres
                )
            )
        return np.concatenate(counted)
