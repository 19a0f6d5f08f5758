"""The plan by rows, which serves every case: blocks of evaluation points are compared with whole
fit sets.

It gives the counts in balls and the members of balls.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from prviz.arrays import Counts, Floats, Ints
from prviz.curves.frozen import ReadOnlyArrays
from prviz.neighbors.balls import ROLES, CountRequest, Role, Rule
from prviz.neighbors.blocks import RowBlock, Runner, run_evaluations, run_rows
from prviz.neighbors.kernels import ranges
from prviz.neighbors.point_sets import DistinctRows, PointSet
from prviz.neighbors.prepared import Prepared
from prviz.neighbors.tiles import Ball, Ranking, Tile, make_tile

# For each (role, k): exact squared distances from the fit samples of the role to their k-th nearest
# neighbours of the same role.
OwnRadii: TypeAlias = dict[tuple[Role, int], Floats]

# An evaluation sample's ball members are listed if there are at most this many. Of larger balls
# only the number of members is kept, to bound memory.
FEW = 5


def own_radii(prepared: Prepared, own: Mapping[Role, Sequence[int]], runner: Runner) -> OwnRadii:
    """For each (role, k): exact squared distances from the fit samples of the role, duplicates
    merged, to their k-th nearest neighbours of the same role.
    """
    squared = {(role, k): np.empty(len(prepared.fit[role])) for role, ks in own.items() for k in ks}

    def work(block: RowBlock) -> int:
        point_set = prepared.fit[block.role]
        ks = own[block.role]
        tile = make_tile(point_set, block.rows, point_set, runner.scratch())
        # The sample itself comes first, so its k-th nearest other sample is entry k + 1 (see
        # Prepared.order).
        ranking = Ranking([tile], [tile.nearest(max(ks) + 1)])
        everything = np.arange(len(tile.values))
        for k in ks:
            squared[block.role, k][block.rows] = ranking.exact(k + 1, everything).squared
        return tile.rechecked

    sizes = {role: len(prepared.fit[role]) for role in own}
    run_rows(work, prepared, sizes, sizes, runner)
    return squared


def count_by_rows(
    prepared: Prepared,
    requests: Sequence[CountRequest],
    known: Mapping[CountRequest, Ball | float],
    runner: Runner,
) -> dict[CountRequest, dict[Role, Counts]]:
    """For each request, the counts for the evaluation samples of each role, one count per distinct
    sample.

    ``known`` holds the balls whose radii need no search here: a `Ball` for balls around fit
    samples, a squared radius for a rule with one radius for all balls.
    """
    counts = _RowCounts(prepared, requests, known)
    run_evaluations(counts.add, prepared, runner)
    return counts.found


class _RowCounts:
    """The counts of all requests, found block by block.

    found : the counts, by request and by role of the evaluation samples.
    """

    def __init__(
        self,
        prepared: Prepared,
        requests: Sequence[CountRequest],
        known: Mapping[CountRequest, Ball | float],
    ) -> None:
        sizes = {role: len(points) for role, points in prepared.evaluate.items()}
        self.found: dict[CountRequest, dict[Role, Counts]] = {}
        for request in requests:
            self.found[request] = {role: np.empty(n, np.int64) for role, n in sizes.items()}
        self._known = known
        # For each rule whose neighbours are searched in the tiles, the roles of these neighbours;
        # and by role of the evaluation samples, which neighbour the balls reach to.
        self._among = {each.rule: each.rule.roles for each in requests if each not in known}
        self._orders: dict[Role, dict[Rule, int]] = {role: {} for role in ROLES}
        for role, orders in self._orders.items():
            for rule in self._among:
                orders[rule] = prepared.order(rule, role)

    def add(self, block: RowBlock, tiles: Mapping[Role, Tile]) -> None:
        """Count for one block of evaluation samples; their neighbours are ranked once for all
        requests.
        """
        orders = self._orders[block.role]
        largest = max(orders.values(), default=0)
        candidates = {role: tile.nearest(largest) for role, tile in tiles.items() if orders}
        rankings: dict[tuple[Role, ...], Ranking] = {}
        for roles in dict.fromkeys(self._among.values()):
            rankings[roles] = Ranking(
                [tiles[role] for role in roles], [candidates[role] for role in roles]
            )
        # Pooled neighbours of both roles are counted by the ranking itself, all other balls in the
        # tile of the role that is counted.
        pooled: dict[Rule, Sequence[Counts]] = {}
        for rule, roles in self._among.items():
            if roles == ROLES:
                pooled[rule] = rankings[roles].counts(orders[rule])
        balls: dict[Role, dict[CountRequest, Ball]] = {role: {} for role in ROLES}
        for request, found in self.found.items():
            rule = request.rule
            role = request.role
            if request in self._known:
                balls[role][request] = _known_ball(tiles[role], self._known[request])
            elif rule in pooled:
                found[block.role][block.rows] = pooled[rule][ROLES.index(role)]
            else:
                balls[role][request] = rankings[self._among[rule]].ball(orders[rule])
        for role, some in balls.items():
            if some:
                counted = tiles[role].count(list(some.values()))
                for request, (by_row, _) in zip(some, counted, strict=True):
                    self.found[request][block.role][block.rows] = by_row


def _known_ball(tile: Tile, ball: Ball | float) -> Ball:
    """Convert an entry of ``known`` to a `Ball`: a squared radius becomes balls of that radius
    around the points of the tile's rows.
    """
    if isinstance(ball, Ball):
        return ball
    return Ball.of(tile.arithmetic, np.full(tile.norms.shape, ball), tile.norms)


@dataclass(frozen=True, eq=False)
class BallMembership(ReadOnlyArrays):
    """The fit samples of one role that are counted for the evaluation samples of the other role.

    counts : (m,) number of ball members of each evaluation sample z: c_X(z) or c_Y(z) of a family
    that counts in these balls.
    carried : (n,) number of evaluation samples for which each fit sample is counted; ``carried``
    and ``counts`` have the same sum.
    points, samples : (p,) pairs of an evaluation sample and one of its ball members, for all
    evaluation samples with at most FEW members, as indices of the evaluation and of the fit
    samples, in increasing order.
    """

    counts: Counts
    carried: Counts
    points: Ints
    samples: Ints

    @property
    def nbytes(self) -> int:
        """Bytes of the four arrays."""
        return sum(each.nbytes for each in (self.counts, self.carried, self.points, self.samples))


def find_ball_members(
    prepared: Prepared, request: CountRequest, known: Ball | float | None, runner: Runner
) -> BallMembership:
    """The exact ball members of role ``request.role``, in memory that grows with n + m instead of n
    m.

    known : the balls around fit samples, or one squared radius for all balls; None if the radii are
    distances from the evaluation samples to their neighbours.
    """
    role = request.evaluated
    points = prepared.evaluate[role]
    samples = prepared.fit[request.role]
    counts = np.empty(len(points), np.int64)
    carried = np.zeros(len(samples))
    pairs: list[tuple[Ints, Ints]] = []
    lock = threading.Lock()

    def work(block: RowBlock) -> int:
        scratch = runner.scratch()
        tiles = {
            each: make_tile(points, block.rows, prepared.fit[each], scratch, buffer=each)
            for each in request.reached
        }
        tile = tiles[request.role]
        if known is not None:
            ball = _known_ball(tile, known)
        else:
            order = prepared.order(request.rule, role)
            reached = [tiles[each] for each in request.rule.roles]
            ball = Ranking(reached, [each.nearest(order) for each in reached]).ball(order)
        picked = tile.entries([ball.reach])
        inside = tile.within(picked, ball)
        rows = picked.rows[inside]
        columns = picked.columns[inside]
        counts[block.rows] = _weighted(rows, samples, columns, len(tile.values))
        few = (counts[block.rows] <= FEW)[rows]
        with lock:
            carried[:] += _weighted(columns, points, rows + block.rows.start, len(samples))
            pairs.append((rows[few] + block.rows.start, columns[few]))
        return sum(each.rechecked for each in tiles.values())

    width = sum(len(prepared.fit[each]) for each in request.reached)
    run_rows(work, prepared, {role: len(points)}, {role: width}, runner)
    return _of_original_rows(points.merged, samples.merged, counts, carried, pairs)


def _of_original_rows(
    points: DistinctRows,
    samples: DistinctRows,
    counts: Counts,
    carried: Floats,
    pairs: Sequence[tuple[Ints, Ints]],
) -> BallMembership:
    """Ball members as indices of original rows, in increasing order, computed from ball members as
    indices of distinct rows (duplicates merged).
    """
    rows = np.concatenate([rows for rows, _ in pairs])
    columns = np.concatenate([columns for _, columns in pairs])
    which, few_samples = _rows_of(columns, samples)
    repeated, few_points = _rows_of(rows[which], points)
    few_samples = few_samples[repeated]
    order = np.lexsort((few_samples, few_points))
    every = samples.expand(np.rint(carried).astype(np.int64))
    return BallMembership(points.expand(counts), every, few_points[order], few_samples[order])


def _weighted(places: Ints, point_set: PointSet, others: Ints, n: int) -> Floats:
    """Number of times that each index from 0 to n - 1 occurs in ``places``. An occurrence counts as
    often as its sample in ``others`` occurs in the data.
    """
    weights = np.ones(len(others)) if point_set.weights is None else point_set.weights[others]
    return np.bincount(places, weights=weights, minlength=n).astype(np.float64)


def _rows_of(distinct: Ints, merged: DistinctRows) -> tuple[Ints, Ints]:
    """All original rows equal to the distinct rows with the indices ``distinct``. Returns two
    concatenated arrays: positions in ``distinct``, and original rows.
    """
    if merged.inverse is None:
        return np.arange(len(distinct)), distinct
    order = np.argsort(merged.inverse, kind="stable")
    starts = np.searchsorted(merged.inverse[order], np.arange(len(merged.rows) + 1))
    sizes = np.diff(starts)[distinct]
    return np.repeat(np.arange(len(distinct)), sizes), order[ranges(starts[distinct], sizes)]
