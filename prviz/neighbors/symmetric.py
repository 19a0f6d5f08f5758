"""Plan without a split: every pair of samples is computed once and used from both sides.

Two passes over tiles. Across the sets, for the nearest of the other role; then inside each set, for the nearest of its
own role, and for counts in balls that reach to the nearest of the other. Radii known only after a pass need no further
pass: balls that reach to the nearest of the own role are counted from the lists of the other role, which are made long
enough; and where all balls have one radius, bounds on it decide all but a few pairs (see `BoundedRadiusCounts`). Only
where that fails are tiles computed again.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from prviz.neighbors.balls import ROLES, Role
from prviz.neighbors.count_requests import (
    Counted,
    CountRequest,
    FixedRadiusRequest,
    NearestBallRequest,
    NearestRequest,
    RequestPlan,
)
from prviz.neighbors.lists import NeighbourLists, bytes_needed
from prviz.neighbors.neighbour_lists import CollectedLists
from prviz.neighbors.passes import Counts, CountTask, OwnRadii, Runner
from prviz.neighbors.point_sets import DistinctRows, PointSet
from prviz.neighbors.prepare import Prepared
from prviz.neighbors.radius_bounds import (
    BYTES_PER_ENTRY,
    BoundedRadiusCounts,
    Key,
    RandomSubset,
    likely_radius,
    take_samples,
)
from prviz.neighbors.tile_schedule import ScheduledTile, across_roles, blocks_of_points, inside_roles
from prviz.neighbors.tiles import Ball, Floats, Pairs, Rows, Tile, TileRequest, make_tile

__all__ = ["SymmetricPlan"]

# Side of a tile in samples (large: fast products, few steps per entry), fewest tiles along a set (for all threads), and
# largest share of the memory that tiles may take.
_SIDE, _LEAST_TILES, _TILES_SHARE = 1250, 2, 1 / 8
# Longest list as a share of the set; longer lists cost more than tiles computed again.
_LONGEST = 1 / 16


class SymmetricPlan:
    """The counts of some tasks on a pair without split.

    ``fits``: True if the plan is possible within the memory limit; never for sets with merged duplicates, whose lists
    would need weights.
    """

    def __init__(
        self, prepared: Prepared, tasks: Collection[CountTask], memory: int, threads: int, block_bytes: int | None
    ) -> None:
        self._prepared, self._tasks = prepared, tasks
        self._sizes = {role: len(point_set) for role, point_set in prepared.fit.items()}
        self._questions = RequestPlan.of(tasks)
        self._orders = self._questions.list_orders()
        self._side = self._tile_side(memory, threads, block_bytes)
        self._sampled_at_once = int(_TILES_SHARE * memory / (threads * 2 * prepared.itemsize))  # 2: and a copy
        self._gathered = CollectedLists(prepared)
        self._again: list[NearestBallRequest] = []
        self._counts = {(task, role): np.zeros(self._sizes[role], np.int64) for task in tasks for role in ROLES}
        self._count_lock = threading.Lock()
        self._left = self._memory_left(memory, threads)
        self.fits = not prepared.weighted and self._lists_bytes(self._orders, roomy=False) <= self._left

    @property
    def _entry_bytes(self) -> int:
        """Bytes of an entry of a tile, with all arrays computed from it."""
        return 4 * self._prepared.itemsize + 4

    def _tile_side(self, memory: int, threads: int, block_bytes: int | None) -> int:
        if block_bytes is not None:
            return max(1, math.isqrt(block_bytes // self._prepared.itemsize))
        affordable = math.isqrt(int(_TILES_SHARE * memory / (threads * self._entry_bytes)))
        return max(1, min(_SIDE, affordable, -(-max(self._sizes.values()) // _LEAST_TILES)))

    def _memory_left(self, memory: int, threads: int) -> int:
        """Bytes for lists and pairs within radius bounds: what tiles and results leave."""
        itemsize, d = self._prepared.itemsize, self._prepared.fit["real"].rows.d
        tile, factors = self._side**2 * self._entry_bytes, 2 * self._side * (d + 2) * itemsize
        return memory - threads * (tile + factors) - sum(n * 24 * (len(self._tasks) + 4) for n in self._sizes.values())

    def _lists_bytes(self, orders: Mapping[Key, int], *, roomy: bool) -> int:
        itemsize = self._prepared.itemsize
        return sum(bytes_needed(self._sizes[role], k, itemsize, roomy=roomy) for (role, _), k in orders.items())

    @property
    def entries(self) -> int:
        """Number of distances in both passes together."""
        return sum(place.entries for place in [*self._across(), *self._inside()])

    def _inside(self) -> list[ScheduledTile]:
        return inside_roles(self._sizes, self._side)

    def _across(self) -> list[ScheduledTile]:
        return across_roles(self._sizes["real"], self._sizes["generated"], self._side)

    def own_radii(self, own: Mapping[Role, Collection[int]], runner: Runner) -> OwnRadii:
        """Both passes: exact squared radii inside each role, as `passes.own_radii`.

        Raises
        ------
        TooManyTiesError : more samples are equally near than the lists hold; another plan is needed.
        """
        self._look_ahead(runner)
        self._pass(self._across(), (), runner)
        self._gathered.settle(True, runner)
        known = []
        for each, who in self._questions.known.items():
            ball = self._balls(each.centre, self._gathered.radii(*each[:3], runner))
            known.append(CountRequest.by(each.centre, each.member, ball, who))
        self._pass(self._inside(), known, runner)
        self._gathered.settle(False, runner)
        return {(role, k): self._gathered.radii(role, role, k, runner) for role, ks in own.items() for k in ks}

    def counts(
        self, own: OwnRadii, fixed: Mapping[CountTask, float], runner: Runner
    ) -> dict[CountTask, dict[Role, Counts]]:
        """Counts, from the radii inside the roles and the squared radii of the tasks with one radius for all."""
        for ranked in self._questions.ranked:
            self._count_ranked(ranked, runner)
        again = []
        for reaching, who in self._questions.late.items():
            key = (reaching.centre, reaching.k)
            radii = own[key] if key in own else self._gathered.radii(*reaching[:3], runner)
            asked = CountRequest.by(reaching.centre, reaching.member, self._balls(reaching.centre, radii), who)
            if reaching in self._again:
                again.append(asked)
            else:
                self._count_listed(asked, runner)
        self._gathered.lists.clear()
        again += self._guessed(fixed, runner)
        self._gathered.bounded.clear()
        for places in (self._across(), self._inside()):
            roles = {(each.centre, each.member) for each in again}
            needed = [each for each in places if roles & {(each.left, each.right), (each.right, each.left)}]
            runner.expect(sum(place.entries for place in needed))
            self._pass(needed, again, runner)
        return {task: {role: self._counts[task, role] for role in ROLES} for task in self._tasks}

    def _look_ahead(self, runner: Runner) -> None:
        """Estimate distances to neighbours, lengths of the lists for the late balls, and single radii."""
        samples = take_samples(self._prepared, self._orders, self._sampled_at_once, runner)
        for reaching in self._questions.late:
            centre, member = reaching.centre, reaching.member
            if centre != member:
                radii = samples[centre, centre].radii(self._prepared.order(reaching.k, centre, centre))
                self._lengthen(reaching, samples[centre, member], radii)
        self._roomy = self._lists_bytes(self._orders, roomy=True) <= self._left // 2
        fit = self._prepared.fit
        for key, order in self._orders.items():
            reach = samples[key].reach(min(order, self._sizes[key[1]]))
            self._gathered.lists[key] = NeighbourLists(fit[key[0]], fit[key[1]], order, reach, roomy=self._roomy)
        left = self._left - self._lists_bytes(self._orders, roomy=self._roomy)
        pairs = dict.fromkeys((_in_order(each.centre, each.member), each.rule) for each in self._questions.fixed)
        room = max(left, 0) // BYTES_PER_ENTRY // max(len(pairs), 1)
        for (left_role, right_role), rule in pairs:
            limits = likely_radius(rule, self._prepared, samples)
            bounded = BoundedRadiusCounts(fit[left_role], fit[right_role], *limits, room)
            self._gathered.bounded[(left_role, right_role), rule] = bounded

    def _lengthen(self, reaching: NearestBallRequest, sample: RandomSubset, radii: Floats) -> None:
        """Lengthen the lists for late balls of these radii, or plan to count these balls in tiles computed again."""
        key, held = (reaching.centre, reaching.member), sample.held(radii)
        order = held + held // 8 + 2
        longer = self._orders | {key: max(order, self._orders[key])}
        too_long = order > min(_LONGEST * self._sizes[reaching.member], sample.length)
        if too_long or self._lists_bytes(longer, roomy=False) > self._left:
            self._again.append(reaching)
        else:
            self._orders = longer

    def _pass(self, places: Sequence[ScheduledTile], asked: Sequence[CountRequest], runner: Runner) -> None:
        def work(place: ScheduledTile) -> int:
            fit = self._prepared.fit
            tile = make_tile(fit[place.left], place.rows, fit[place.right], place.columns, "tile", runner.scratch())
            self._take(tile, place, asked)
            return tile.rechecked

        runner.run(work, places)

    def _take(self, tile: Tile, place: ScheduledTile, asked: Sequence[CountRequest]) -> None:
        """Add a tile to the lists and bounded counts, and count in requested balls; near entries are picked once."""
        wanted = [(each, want) for each in asked for want in each.wanted(place)]
        few = [tile.is_sparse(want.ball.reach) for _, want in wanted]
        limits = self._gathered.limits(tile, place)
        limits += [want.ball.reach for (_, want), sparse in zip(wanted, few, strict=True) if sparse]
        picked = tile.entries(limits)
        self._gathered.add(tile, picked, place)
        for (each, want), sparse in zip(wanted, few, strict=True):
            by_row, by_column = tile.count_among(picked, want) if sparse else tile.count_by_masks(want)
            sides = (each.per_centre, each.per_member)
            self._credit(place, *(sides if want.ball.around_rows else sides[::-1]), by_row, by_column)

    def _credit(
        self,
        place: ScheduledTile,
        rows: Sequence[Counted],
        columns: Sequence[Counted],
        by_row: Counts,
        by_column: Counts,
    ) -> None:
        """Add a tile's counts to those of its rows, or of those of its columns that are not rows too."""
        fresh = slice(place.new_columns, place.columns.stop)
        with self._count_lock:
            for key in rows:
                self._counts[key][place.rows] += by_row
            for key in columns:
                self._counts[key][fresh] += by_column[fresh.start - place.columns.start :]

    def _balls(self, centre: Role, squared: Floats | float) -> Ball:
        point_set = self._prepared.fit[centre]
        return Ball.of(point_set.arithmetic, np.broadcast_to(squared, len(point_set)), point_set.norms)

    def _count_ranked(self, ranked: NearestRequest, runner: Runner) -> None:
        """Count samples around all points of a role, out to a neighbour that is one of them."""
        role, rule = ranked
        members = ROLES if rule.among == "both" else (rule.among,)
        order = self._prepared.order(rule.k, role, rule.among)

        def work(block: ScheduledTile) -> int:
            ranking = self._gathered.ranking(role, members, block.rows)
            for member, counts in zip(members, ranking.counts(order), strict=True):
                key = (CountTask(member, "evaluation", rule), role)
                if key in self._counts:
                    self._counts[key][block.rows] = counts
            return sum(pairs.rechecked for pairs in ranking.tiles)

        runner.run(work, blocks_of_points(role, self._sizes[role]))

    def _count_listed(self, asked: CountRequest, runner: Runner) -> None:
        """Count in balls from the lists of their centres, or in tiles where a list may be shorter than its ball."""
        left, right = self._prepared.fit[asked.centre], self._prepared.fit[asked.member]
        lists, beyond = self._gathered.lists[asked.centre, asked.member], np.zeros(len(left), dtype=np.bool_)

        def work(block: ScheduledTile) -> int:
            ball, pairs = asked.ball.part(block.rows), Pairs(left=left, rows=block.rows, right=right)
            listed = lists.candidates(block.rows)
            inside = listed.values <= ball.sure[:, None]
            unsure, slots = np.nonzero((listed.values <= ball.possible[:, None]) ^ inside)
            inside[unsure, slots] = pairs.reference(unsure, listed.columns[unsure, slots]) <= ball.squared[unsure]
            beyond[block.rows] = lists.complete(block.rows) < ball.possible
            inside[beyond[block.rows]] = False
            held = np.bincount(listed.columns[inside], minlength=len(right))
            with self._count_lock:
                for key in asked.per_centre:
                    self._counts[key][block.rows] += inside.sum(axis=1)
                for key in asked.per_member:
                    self._counts[key] += held
            return pairs.rechecked

        runner.run(work, blocks_of_points(asked.centre, len(left)))
        if beyond.any():
            self._count_in_tiles(asked, np.flatnonzero(beyond), runner)

    def _count_in_tiles(self, asked: CountRequest, centres: Rows, runner: Runner) -> None:
        """Count in the balls around some points."""
        whole, others = self._prepared.fit[asked.centre], self._prepared.fit[asked.member]
        few, ball = PointSet(DistinctRows(whole.rows.subset(centres)), whole.arithmetic), asked.ball.part(centres)

        def work(place: ScheduledTile) -> int:
            tile = make_tile(few, place.rows, others, place.columns, "tile", runner.scratch())
            want = TileRequest(ball.part(place.rows), rows=True, columns=True)
            ((by_centre, by_member),) = tile.count([want])
            with self._count_lock:
                for key in asked.per_centre:
                    self._counts[key][centres[place.rows]] += by_centre
                for key in asked.per_member:
                    self._counts[key][place.columns] += by_member
            return tile.rechecked

        places = across_roles(len(few), len(others), self._side)
        runner.expect(sum(place.entries for place in places))
        runner.run(work, places)

    def _guessed(self, fixed: Mapping[CountTask, float], runner: Runner) -> list[CountRequest]:
        """Count in balls of one estimated radius; return the requests for which that failed."""
        failed = []

        def work(block: _Group) -> int:
            each, who = block
            key, squared = _in_order(each.centre, each.member), fixed[who[0][0]]
            found = self._gathered.bounded[key, each.rule].counts(squared)
            if found is None:
                failed.append(CountRequest.by(each.centre, each.member, self._balls(each.centre, squared), who))
                return 0
            first, second, rechecked = found
            # Inside a role every point is within its own ball, and each pair counts for both of its points.
            counts = first + second + 1 if each.centre == each.member else first if each.centre == key[0] else second
            for counted in who:
                self._counts[counted] = counts
            return rechecked

        runner.run(work, [_Group(each, who) for each, who in self._questions.fixed.items()])
        return failed


class _Group(NamedTuple):
    """Bounded counts of one radius."""

    balls: FixedRadiusRequest
    who: list[Counted]

    @property
    def entries(self) -> int:
        """Number of distances."""
        return 0


def _in_order(centre: Role, member: Role) -> Key:
    """The roles as tiles have them: rows first."""
    return (centre, member) if centre == member else ROLES
