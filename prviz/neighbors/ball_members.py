"""Members of balls: the fit samples of one role that are counted for each evaluation sample of the other role."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Nearest, Role
from prviz.neighbors.orders import Ranking
from prviz.neighbors.passes import Block, CountTask, Runner, known_ball, nearest_ball
from prviz.neighbors.point_sets import DistinctRows, PointSet
from prviz.neighbors.prepare import Prepared
from prviz.neighbors.tiles import Ball, Tile, make_tile

__all__ = ["FEW", "BallMembership", "find_ball_members", "pairs_met"]

# Most ball members of an evaluation sample that are listed; beyond, only their number is kept, to bound memory.
FEW = 5

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class BallMembership:
    """Ball members: the fit samples of one role that are counted for the evaluation samples of the other role.

    counts : (m,) number of ball members of each evaluation sample: c_X(z) of a family that counts in these balls.
    carried : (n,) number of evaluation samples that each fit sample is counted for; its sum is that of ``counts``.
    points, samples : (p,) every pair of an evaluation sample with at most FEW ball members and one of its members, as
        indices of the evaluation and of the fit samples, in increasing order.
    """

    counts: NDArray[np.int64]
    carried: NDArray[np.int64]
    points: Places
    samples: Places

    def __post_init__(self) -> None:
        for each in (self.counts, self.carried, self.points, self.samples):
            each.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return BallMembership, (self.counts, self.carried, self.points, self.samples)

    @property
    def nbytes(self) -> int:
        """Bytes of the four arrays."""
        return sum(each.nbytes for each in (self.counts, self.carried, self.points, self.samples))


def pairs_met(prepared: Prepared, task: CountTask) -> int:
    """Number of distances that `find_ball_members` computes."""
    return len(prepared.evaluate[_other(task.role)]) * sum(len(prepared.fit[each]) for each in _members(task))


def _other(role: Role) -> Role:
    return "generated" if role == "real" else "real"


def _members(task: CountTask) -> tuple[Role, ...]:
    """Roles whose distances from the evaluation samples a task needs: the counted one and those that set the radii."""
    if task.around == "fit" or not isinstance(task.rule, Nearest):
        return (task.role,)
    return tuple(role for role in ROLES if role == task.role or task.rule.among in (role, "both"))


def find_ball_members(
    prepared: Prepared, task: CountTask, known: Ball | float | None, runner: Runner
) -> BallMembership:
    """Exact ball members of role ``task.role``, by blocks of evaluation samples; memory grows with n + m, not n m.

    known : the balls around fit samples, or one squared radius for all balls; None: balls that reach to neighbours.
    """
    role, needed = _other(task.role), _members(task)
    points, samples = prepared.evaluate[role], prepared.fit[task.role]
    counts, carried = np.empty(len(points), np.int64), np.zeros(len(samples))
    pairs: list[tuple[Places, Places]] = []
    lock = threading.Lock()

    def work(block: Block) -> int:
        fit, scratch = prepared.fit, runner.scratch()
        tiles = {
            each: make_tile(points, block.rows, fit[each], slice(0, len(fit[each])), each, scratch) for each in needed
        }
        tile = tiles[task.role]
        ball = known_ball(tile, known) if known is not None else _reaching(prepared, role, task, tiles)
        rows, columns = _inside(tile, ball)
        counts[block.rows] = _weighted(rows, samples, columns, len(tile.values))
        few = (counts[block.rows] <= FEW)[rows]
        with lock:
            carried[:] += _weighted(columns, points, rows + block.rows.start, len(samples))
            pairs.append((rows[few] + block.rows.start, columns[few]))
        return sum(each.rechecked for each in tiles.values())

    columns = sum(len(prepared.fit[each]) for each in needed)
    runner.run(work, runner.row_blocks({role: points}, columns, prepared.itemsize))
    few_points, few_samples = _originals(pairs, points.merged, samples.merged)
    every = samples.merged.expand(np.rint(carried).astype(np.int64))
    return BallMembership(points.merged.expand(counts), every, few_points, few_samples)


def _reaching(prepared: Prepared, role: Role, task: CountTask, tiles: dict[Role, Tile]) -> Ball:
    """Balls around a block's points out to their k-th nearest among one role or both."""
    if not isinstance(task.rule, Nearest):
        raise TypeError(f"{task.rule} has one radius for all; it must be known")
    reached = [tiles[each] for each in ROLES if task.rule.among in (each, "both")]
    order = prepared.order(task.rule.k, role, task.rule.among)
    return nearest_ball(Ranking(reached, [tile.nearest(order) for tile in reached]), order)


def _inside(tile: Tile, ball: Ball) -> tuple[Places, Places]:
    """Rows and columns of all entries within the balls."""
    picked = tile.entries([ball.reach])
    inside = tile.within(picked, ball)
    return picked.rows[inside], picked.columns[inside]


def _weighted(places: Places, point_set: PointSet, others: Places, n: int) -> NDArray[np.float64]:
    """Number of ``others``, samples of the point set, at each of n places; each duplicate counts."""
    weights = np.ones(len(others)) if point_set.weights is None else point_set.weights[others]
    return np.bincount(places, weights=weights, minlength=n).astype(np.float64)


def _originals(
    pairs: list[tuple[Places, Places]], points: DistinctRows, samples: DistinctRows
) -> tuple[Places, Places]:
    """Pairs of distinct rows as pairs of original rows, in order."""
    rows, columns = (np.concatenate(side) for side in zip(*pairs, strict=True))
    which, columns = _rows_of(columns, samples)
    repeated, found = _rows_of(rows[which], points)
    order = np.lexsort((columns[repeated], found))
    return found[order], columns[repeated][order]


def _rows_of(distinct: Places, merged: DistinctRows) -> tuple[Places, Places]:
    """Original rows of each distinct row: the position in ``distinct``, and the original row."""
    if merged.inverse is None:
        return np.arange(len(distinct)), distinct
    order = np.argsort(merged.inverse, kind="stable")
    starts = np.searchsorted(merged.inverse[order], np.arange(len(merged.rows) + 1))
    sizes = np.diff(starts)[distinct]
    which = np.repeat(np.arange(len(distinct)), sizes)
    within = np.arange(len(which)) - (np.cumsum(sizes) - sizes)[which]
    return which, order[starts[distinct][which] + within]
