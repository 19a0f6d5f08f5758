"""Without a split: every pair of samples met once, and used from both sides.

Three passes over tiles. Inside each set, for the nearest neighbours of its own role; across the sets, for the nearest
of the other role and for counts in balls whose radii the first pass gave; inside each set again, for counts in balls
whose radii needed both. The last one finds the tiles of the first where memory allows to keep them.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Mapping, Sequence
from functools import partial

import numpy as np

from prviz.neighbors.balls import ROLES, Nearest, Role
from prviz.neighbors.kernels import Scratch
from prviz.neighbors.lists import Lists, bytes_needed
from prviz.neighbors.orders import Ranking
from prviz.neighbors.passes import Counts, OwnRadii, Runner, Task
from prviz.neighbors.places import Place, across_roles, blocks_of_points, inside_roles
from prviz.neighbors.prepare import Prepared
from prviz.neighbors.tiles import Array, Ball, Floats, Pairs, Tile, Wanted, make_tile

__all__ = ["Symmetric"]

# Few features: a product is as quickly made again as stored, and a small tile stays in the caches.
_WORTH_KEEPING = 256
_ROWS = 500

Key = tuple[Role, Role]


class Symmetric:
    """The counts of some tasks on a pair without split.

    own : per role, the k whose radii inside the role are asked for. ``fits``: whether this plan is possible in the
    memory given; it is not for sets with merged duplicates, whose lists would have to hold weights.
    """

    def __init__(
        self,
        prepared: Prepared,
        tasks: Collection[Task],
        own: Mapping[Role, Collection[int]],
        memory: int,
        threads: int,
        block_bytes: int | None,
    ) -> None:
        self._prepared = prepared
        self._tasks = [(task, role) for task in tasks for role in ROLES]
        self._own = own
        self._orders = self._list_orders()
        self._rows = _ROWS if block_bytes is None else max(1, math.isqrt(block_bytes // prepared.itemsize))
        self._columns = 4 * self._rows
        self._lists: dict[Key, Lists] = {}
        self._kept: dict[tuple[Role, int, int], Array] = {}
        self._counts = {each: np.zeros(len(prepared.fit[each[1]]), np.int64) for each in self._tasks}
        self._count_lock = threading.Lock()
        self._roomy, self._keep, self.fits = self._budget(memory, threads)

    def _list_orders(self) -> dict[Key, int]:
        """How many neighbours the points of the first role need among the second: an order with themselves in it."""
        orders: dict[Key, int] = {(role, role): max(ks) + 1 for role, ks in self._own.items()}
        for task, role in self._tasks:
            if isinstance(task.rule, Nearest):
                among = task.rule.among
                centre = role if task.around == "evaluation" else task.role
                for member in ROLES if among == "both" else (among,):
                    orders[centre, member] = max(task.rule.k + 1, orders.get((centre, member), 0))
        return orders

    def _budget(self, memory: int, threads: int) -> tuple[bool, bool, bool]:
        """Whether there is room for long lists, for the tiles of the first pass, and for the plan at all."""
        sizes = {role: len(cloud) for role, cloud in self._prepared.fit.items()}
        itemsize, d = self._prepared.itemsize, self._prepared.fit["real"].rows.d
        tile, factors = self._rows * self._columns, (self._rows + self._columns) * (d + 2)
        left = memory - threads * (tile * (4 * itemsize + 3) + factors * itemsize)
        left -= sum(n * 24 * (len(self._tasks) + 4) for n in sizes.values())

        def lists(roomy: bool) -> int:
            return sum(bytes_needed(sizes[role], k, itemsize, roomy=roomy) for (role, _), k in self._orders.items())

        roomy = lists(roomy=True) <= left // 2
        left -= lists(roomy)
        tiles = sum(n * (n + self._columns) // 2 for n in sizes.values()) * itemsize
        return roomy, d >= _WORTH_KEEPING and tiles <= left, left >= 0 and not self._prepared.weighted

    @property
    def entries(self) -> int:
        """Number of distances in all passes together."""
        inside = sum(place.entries for place in self._inside())
        return 2 * inside + sum(place.entries for place in self._across())

    def _inside(self) -> list[Place]:
        sizes = {role: len(cloud) for role, cloud in self._prepared.fit.items()}
        return inside_roles(sizes, self._rows, self._columns)

    def _across(self) -> list[Place]:
        n_real, n_generated = (len(self._prepared.fit[role]) for role in ROLES)
        return across_roles(n_real, n_generated, self._rows, self._columns)

    def own_radii(self, runner: Runner) -> OwnRadii:
        """The first pass: exact squared radii inside each role, as `passes.own_radii`.

        Raises
        ------
        TooManyTiesError : so many samples are equally near that the lists can't hold them: another plan is needed.
        """
        self._start_lists(inside=True)

        def work(place: Place) -> int:
            left = self._prepared.fit[place.left]
            tile = make_tile(left, place.rows, left, place.columns, "" if self._keep else "tile", runner.scratch())
            self._gather(tile, place)
            if self._keep:
                self._kept[place.key] = tile.values
            return tile.redone

        runner.run(work, [place for place in self._inside() if (place.left, place.left) in self._lists])
        return {(role, k): self._radii(role, role, k, runner) for role, ks in self._own.items() for k in ks}

    def counts(self, own: OwnRadii, fixed: Mapping[Task, float], runner: Runner) -> dict[Task, dict[Role, Counts]]:
        """The other two passes, from the radii inside the roles and the squared radius of those who have one for all.

        Raises
        ------
        TooManyTiesError : as `own_radii`.
        """
        squared = {(role, role, k): radii for (role, k), radii in own.items()}
        self._start_lists(inside=False)
        across = self._balls(squared, fixed, runner, across=True)

        def cross(place: Place) -> int:
            tile = self._tile(place, runner)
            self._count(tile, place, across)
            self._gather(tile, place)
            return tile.redone

        runner.run(cross, self._across())
        self._count_from_lists(runner)
        inside = self._balls(squared, fixed, runner, across=False)
        self._lists.clear()

        def within(place: Place) -> int:
            tile = self._tile(place, runner)
            self._count(tile, place, inside)
            return tile.redone

        roles = {role for _, role in inside}
        runner.run(within, [place for place in self._inside() if place.left in roles])
        return {task: {role: self._counts[task, role] for role in ROLES} for task, _ in self._tasks}

    def _start_lists(self, *, inside: bool) -> None:
        for (role, among), order in self._orders.items():
            if (role == among) == inside:
                left, right = self._prepared.fit[role], self._prepared.fit[among]
                self._lists[role, among] = Lists(left, right, order, roomy=self._roomy)

    def _tile(self, place: Place, runner: Runner) -> Tile:
        left, right = self._prepared.fit[place.left], self._prepared.fit[place.right]
        kept = self._kept.pop(place.key, None) if place.left == place.right else None
        if kept is not None:
            return Tile(
                left=left, rows=place.rows, right=right, columns=place.columns, values=kept, scratch=runner.scratch()
            )
        return make_tile(left, place.rows, right, place.columns, "tile", runner.scratch())

    def _gather(self, tile: Tile, place: Place) -> None:
        """Show the tile to the lists of its rows and, turned, to those of its columns."""
        key, turned = (place.left, place.right), (place.right, place.left)
        if key in self._lists:
            self._lists[key].add(tile)
        if turned in self._lists and place.new_columns < place.columns.stop:
            self._lists[turned].add(tile.turned(place.new_columns))

    def _radii(self, role: Role, among: Role, k: int, runner: Runner) -> Floats:
        """Exact squared distances of all points of a role to their k-th nearest among a role, from the lists."""
        order = self._prepared.order(k, role, among)
        squared = np.empty(len(self._prepared.fit[role]))

        def work(block: Place) -> int:
            ranking = self._ranking(role, (among,), block.rows, runner.scratch())
            squared[block.rows] = ranking.exact(order, np.arange(block.rows.stop - block.rows.start)).squared
            return ranking.tiles[0].redone

        runner.run(work, blocks_of_points(role, len(squared)))
        return squared

    def _ranking(self, role: Role, members: Sequence[Role], rows: slice, scratch: Scratch) -> Ranking:
        fit = self._prepared.fit
        lists = [self._lists[role, member].candidates(rows, scratch) for member in members]
        return Ranking([Pairs(left=fit[role], rows=rows, right=fit[member]) for member in members], lists)

    def _count_from_lists(self, runner: Runner) -> None:
        """Tasks whose samples are themselves among the nearest that make the radius."""
        rules = {(role, task.rule) for task, role in self._tasks if _from_lists(task)}
        for role, rule in rules:
            if isinstance(rule, Nearest):
                work = partial(self._count_listed, role, rule, runner)
                runner.run(work, blocks_of_points(role, len(self._prepared.fit[role])))

    def _count_listed(self, role: Role, rule: Nearest, runner: Runner, block: Place) -> int:
        members = ROLES if rule.among == "both" else (rule.among,)
        ranking = self._ranking(role, members, block.rows, runner.scratch())
        order = self._prepared.order(rule.k, role, rule.among)
        for member, counts in zip(members, ranking.counts(order), strict=True):
            key = (Task(member, "evaluation", rule), role)
            if key in self._counts:
                self._counts[key][block.rows] = counts
        return sum(pairs.redone for pairs in ranking.tiles)

    def _balls(
        self,
        squared: dict[tuple[Role, Role, int], Floats],
        fixed: Mapping[Task, float],
        runner: Runner,
        *,
        across: bool,
    ) -> dict[tuple[Task, Role], Ball]:
        """The balls of all tasks to be counted in one pass, around all points of their role; exact radii on demand."""
        balls = {}
        for task, role in self._tasks:
            if _from_lists(task) or (task.role != role) != across:
                continue
            centre = role if task.around == "evaluation" else task.role
            cloud = self._prepared.fit[centre]
            if isinstance(task.rule, Nearest) and task.rule.among != "both":
                key = (centre, task.rule.among, task.rule.k)
                if key not in squared:
                    squared[key] = self._radii(*key, runner)
                radii = squared[key]
            else:
                radii = np.full(len(cloud), fixed[task])
            balls[task, role] = Ball.of(cloud.arithmetic, radii[:, None], cloud.norms[:, None])
        return balls

    def _count(self, tile: Tile, place: Place, balls: Mapping[tuple[Task, Role], Ball]) -> None:
        """Count a tile's entries for its rows, and for those of its columns that are not among the rows."""
        fresh = slice(place.new_columns, place.columns.stop)
        wanted: list[tuple[tuple[Task, Role], Wanted]] = []
        for (task, role), ball in balls.items():
            around_points = task.around == "evaluation"
            as_rows = (role, task.role) == (place.left, place.right)
            as_columns = (role, task.role) == (place.right, place.left) and fresh.start < fresh.stop
            if as_rows and as_columns and not isinstance(task.rule, Nearest):
                # One radius for all: the same entries serve both sides.
                wanted.append(((task, role), Wanted(ball.part(place.rows), rows=True, columns=True)))
                continue
            if as_rows:
                limits = ball.part(place.rows) if around_points else ball.part(place.columns).turned()
                wanted.append(((task, role), Wanted(limits)))
            if as_columns:
                limits = ball.part(place.columns).turned() if around_points else ball.part(place.rows)
                wanted.append(((task, role), Wanted(limits, rows=False, columns=True)))
        counted = tile.count([each for _, each in wanted])
        with self._count_lock:
            for (key, asked), (by_row, by_column) in zip(wanted, counted, strict=True):
                if asked.rows:
                    self._counts[key][place.rows] += by_row
                if asked.columns:
                    self._counts[key][fresh] += by_column[fresh.start - place.columns.start :]


def _from_lists(task: Task) -> bool:
    """Whether the samples a task counts are among the neighbours that make its radius."""
    return isinstance(task.rule, Nearest) and task.around == "evaluation" and task.rule.among in (task.role, "both")
