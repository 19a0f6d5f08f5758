"""Plan without a split: the distance of every pair of samples is computed once and used for both
samples.

There are two passes over tiles. The first, across the sets, finds the nearest samples of the other
role. The second, inside each set, finds the nearest samples of the same role and counts in balls
out to a neighbour of the other role, whose radii the first pass gave.

Balls whose radii only the second pass gives need no third pass. Such a ball reaches to a neighbour
of its centre's own role. If samples of the other role are counted in it, the lists of the first
pass are made long enough for these counts. Where all balls have one radius, bounds on it decide all
but a few pairs (see `BoundedRadiusCounts`). Only where that fails are tiles computed again.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from prviz.arrays import Array, Counts, Floats, Ints
from prviz.neighbors.balls import (
    ROLES,
    CountRequest,
    Nearest,
    Role,
    Rule,
    Within,
    squared_threshold,
)
from prviz.neighbors.blocks import Runner
from prviz.neighbors.by_rows import OwnRadii
from prviz.neighbors.kernels import Entries
from prviz.neighbors.lists import (
    BYTES_PER_PAIR,
    BoundedRadiusCounts,
    NeighbourLists,
    RandomSubset,
    bytes_needed,
)
from prviz.neighbors.point_sets import DistinctRows, PointSet, slices
from prviz.neighbors.prepared import Prepared
from prviz.neighbors.tiles import Ball, Pairs, Ranking, Tile, make_tile

# _SIDE: samples along a side of a tile (many, for fast products and few steps per entry).
# _LEAST_TILES: least number of tiles along a set, so that all threads have work. _TILES_SHARE:
# largest share of the memory for tiles.
_SIDE = 1250
_LEAST_TILES = 2
_TILES_SHARE = 1 / 8
# Longest list as a share of the set: longer lists cost more than computing the tiles again.
_LONGEST = 1 / 16
# If a larger share of a tile's entries is inside a ball, counting by masks costs less than picking
# entries out one by one.
_CROWDED = 1 / 5
# Number of points whose lists are processed at a time.
_LIST_ROWS = 1024

# Key: the roles of points and of the samples in their lists. Counted: a request and the role of its
# evaluation points.
Key: TypeAlias = tuple[Role, Role]
Counted: TypeAlias = tuple[CountRequest, Role]


class SharedBalls(NamedTuple):
    """Balls around all points of role ``centre``, in which points of role ``member`` are counted.
    Several requests may share them.
    """

    centre: Role
    member: Role
    rule: Rule

    @property
    def in_order(self) -> Key:
        """The two roles in the order of tiles: rows, columns."""
        if self.centre == self.member:
            return (self.centre, self.member)
        return ROLES


class PendingCount(NamedTuple):
    """Balls whose radii are known, with the counts that are still to be made in them."""

    shared: SharedBalls
    ball: Ball
    counted: Sequence[Counted]

    @property
    def per_centre(self) -> list[Counted]:
        """The counts that have one number per ball: how many points it contains."""
        return [each for each in self.counted if each[0].around == "evaluation"]

    @property
    def per_member(self) -> list[Counted]:
        """The counts that have one number per point: how many balls contain it."""
        return [each for each in self.counted if each[0].around == "fit"]


class ScheduledTile(NamedTuple):
    """A tile that is to be computed: points of role ``left`` against points of role ``right``,
    which may be the same.
    """

    left: Role
    rows: slice
    right: Role
    columns: slice

    def entries(self) -> int:
        """Number of distances."""
        return int((self.rows.stop - self.rows.start) * (self.columns.stop - self.columns.start))

    @property
    def fresh(self) -> slice:
        """The columns of the tile whose samples are not also among its rows. Inside a role, rows
        and columns may share samples.
        """
        first = (
            max(self.rows.stop, self.columns.start)
            if self.left == self.right
            else self.columns.start
        )
        return slice(first, self.columns.stop)


def _across(n_real: int, n_generated: int, side: int) -> list[ScheduledTile]:
    """Tiles of the real points (rows) against the generated ones (columns)."""
    tiles = (
        ScheduledTile("real", rows, "generated", columns)
        for columns in slices(n_generated, side)
        for rows in slices(n_real, side)
    )
    return _disjoint_first(tiles, side)


def _disjoint_first(tiles: Iterable[ScheduledTile], side: int) -> list[ScheduledTile]:
    """Put tiles without common rows or columns first, so that threads that start together do not
    both compute the limits of the same points.
    """

    def later(place: ScheduledTile) -> bool:
        row, column = (each.start // side for each in (place.rows, place.columns))
        return (row % 2, column) != (0, row + 1) if place.left == place.right else row != column

    return sorted(tiles, key=later)


class SymmetricPlan:
    """Counts for all requests of a pair without split.

    ``fits``: True if the plan is possible within the memory limit; it never is for sets with merged
    duplicates, because lists do not store weights.
    """

    def __init__(
        self,
        prepared: Prepared,
        requests: Collection[CountRequest],
        memory: int,
        threads: int,
        block_bytes: int | None,
    ) -> None:
        self._prepared = prepared
        self._requests = requests
        self._sizes = {role: len(point_set) for role, point_set in prepared.fit.items()}
        # Requests by the way they are counted. _ranked: from the lists that also give the radii.
        # _known: radii come from the first pass, counts from the second. _late: radii come from the
        # second pass only. _fixed: balls of one radius.
        self._ranked: dict[SharedBalls, list[Counted]] = {}
        self._known: dict[SharedBalls, list[Counted]] = {}
        self._late: dict[SharedBalls, list[Counted]] = {}
        self._fixed: dict[SharedBalls, list[Counted]] = {}
        for request in requests:
            for role in ROLES:
                around_fit = request.around == "fit"
                rule = request.rule
                shared = SharedBalls(
                    *((request.role, role) if around_fit else (role, request.role)), rule
                )
                if rule.one_radius:
                    group = self._fixed
                elif not around_fit and request.role in rule.roles:
                    group = self._ranked
                else:
                    group = self._late if shared.centre in rule.roles else self._known
                group.setdefault(shared, []).append((request, role))
        self._orders = self._list_orders()
        itemsize = prepared.itemsize
        entry_bytes = 4 * itemsize + 4  # Of a tile's entry and all computed from it.
        if block_bytes is not None:
            self._side = max(1, math.isqrt(block_bytes // itemsize))
        else:
            affordable = math.isqrt(int(_TILES_SHARE * memory / (threads * entry_bytes)))
            self._side = max(
                1, min(_SIDE, affordable, -(-max(self._sizes.values()) // _LEAST_TILES))
            )
        # The factor 2 is for the sampled distances and a copy of them.
        self._sampled_at_once = int(_TILES_SHARE * memory / (threads * 2 * itemsize))
        self._lists: dict[Key, NeighbourLists] = {}
        self._bounded: dict[tuple[Key, Rule], BoundedRadiusCounts] = {}
        self._again: list[SharedBalls] = []
        self._counts = {
            (request, role): np.zeros(self._sizes[role], np.int64)
            for request in requests
            for role in ROLES
        }
        self._count_lock = threading.Lock()
        # The bytes that tiles and results leave are for lists, and for pairs within radius bounds.
        tile = (
            self._side**2 * entry_bytes
            + 2 * self._side * (prepared.fit["real"].rows.d + 2) * itemsize
        )
        results = sum(n * 24 * (len(requests) + 4) for n in self._sizes.values())
        self._left = memory - threads * tile - results
        self.fits = (
            not prepared.weighted and self._lists_bytes(self._orders, roomy=False) <= self._left
        )

    def _list_orders(self) -> dict[Key, int]:
        """For each pair of roles (points, samples), the number of nearest samples that each point's
        list needs; inside a role the point itself is one of them.
        """
        orders: dict[Key, int] = {}
        needed = [
            (role if shared.rule.one_radius else shared.centre, role, shared.rule.k)
            for shared in [*self._ranked, *self._known, *self._late, *self._fixed]
            for role in shared.rule.roles
        ]
        needed += [(shared.centre, shared.member, 1) for shared in self._late]
        for centre, among, k in needed:
            orders[centre, among] = max(k + 1, orders.get((centre, among), 0))
        return orders

    def _lists_bytes(self, orders: Mapping[Key, int], *, roomy: bool) -> int:
        itemsize = self._prepared.itemsize
        return sum(
            bytes_needed(self._sizes[role], k, itemsize, roomy=roomy)
            for (role, _), k in orders.items()
        )

    @cached_property
    def _across(self) -> list[ScheduledTile]:
        return _across(self._sizes["real"], self._sizes["generated"], self._side)

    @cached_property
    def _inside(self) -> list[ScheduledTile]:
        """Tiles that cover every pair of samples of one role. Samples are divided into blocks: a
        pair from two blocks is in one tile, pairs from a single block are in two tiles.

        They are ordered by blocks of columns, so that factors that are not stored are computed
        once. Inside a block the rows are divided into two halves; the second half is compared with
        half of the columns only.
        """
        tiles = []
        for role, n in self._sizes.items():
            for across in slices(n, self._side):
                middle = (across.start + across.stop) // 2
                halves = [
                    slice(*ends)
                    for ends in ((across.start, middle), (middle, across.stop))
                    if ends[0] < ends[1]
                ]
                tiles += [
                    ScheduledTile(
                        role, rows, role, slice(max(rows.start, across.start), across.stop)
                    )
                    for rows in [*slices(across.start, self._side), *halves]
                ]
        return _disjoint_first(tiles, self._side)

    @property
    def entries(self) -> int:
        """Number of distances in both passes together."""
        return sum(map(ScheduledTile.entries, [*self._across, *self._inside]))

    def own_radii(self, own: Mapping[Role, Collection[int]], runner: Runner) -> OwnRadii:
        """Run both passes over the tiles; return the exact squared radii inside each role, as
        `by_rows.own_radii` does.

        Raises TooManyTiesError: more samples are equally near than the lists hold, so another plan
        is needed.
        """
        self._look_ahead(runner)
        self._pass(self._across, (), runner)
        self._settle(True, runner)
        known = [
            PendingCount(
                shared,
                self._balls(shared.centre, self._radii(shared.centre, shared.rule, runner)),
                counted,
            )
            for shared, counted in self._known.items()
        ]
        self._pass(self._inside, known, runner)
        self._settle(False, runner)
        return {
            (role, k): self._radii(role, Nearest(k, role), runner)
            for role, ks in own.items()
            for k in ks
        }

    def counts(
        self, own: OwnRadii, fixed: Mapping[CountRequest, float], runner: Runner
    ) -> dict[CountRequest, dict[Role, Counts]]:
        """All counts, computed from the radii inside the roles and the squared radii of requests
        with one radius for all balls.
        """
        for centre, rule in dict.fromkeys((shared.centre, shared.rule) for shared in self._ranked):
            self._count_ranked(centre, rule, runner)
        again = []
        for shared, counted in self._late.items():
            key = (shared.centre, shared.rule.k)
            radii = own[key] if key in own else self._radii(shared.centre, shared.rule, runner)
            pending = PendingCount(shared, self._balls(shared.centre, radii), counted)
            if shared in self._again:
                again.append(pending)
            else:
                self._count_listed(pending, runner)
        self._lists.clear()
        again += self._count_bounded(fixed, runner)
        self._bounded.clear()
        roles = {each.shared.in_order for each in again}
        for places in (self._across, self._inside):
            needed = [each for each in places if (each.left, each.right) in roles]
            runner.expect(sum(map(ScheduledTile.entries, needed)))
            self._pass(needed, again, runner)
        return {
            request: {role: self._counts[request, role] for role in ROLES}
            for request in self._requests
        }

    def _look_ahead(self, runner: Runner) -> None:
        """Before the passes, estimate from a few points: distances to neighbours, bounds on radii
        that all balls share, and how long lists must be for balls whose radii only the second pass
        gives.
        """
        fit = self._prepared.fit
        samples = dict[Key, RandomSubset]()

        def sample(key: Key) -> int:
            order = min(self._orders[key], self._sizes[key[1]])
            samples[key] = RandomSubset(
                fit[key[0]], fit[key[1]], order, self._sampled_at_once, runner.scratch()
            )
            return 0

        runner.run(sample, list(self._orders))
        for shared in self._late:
            centre = shared.centre
            member = shared.member
            if centre != member:
                radii = samples[centre, centre].radii(self._prepared.order(shared.rule, centre))
                self._lengthen(shared, samples[centre, member], radii)
        roomy = self._lists_bytes(self._orders, roomy=True) <= self._left // 2
        for key, order in self._orders.items():
            reach = samples[key].reach(min(order, self._sizes[key[1]]))
            self._lists[key] = NeighbourLists(
                fit[key[0]],
                fit[key[1]],
                order,
                reach,
                tight=samples[key].is_tight(reach),
                roomy=roomy,
            )
        left = self._left - self._lists_bytes(self._orders, roomy=roomy)
        bounded = dict.fromkeys((shared.in_order, shared.rule) for shared in self._fixed)
        room = max(left, 0) // BYTES_PER_PAIR // max(len(bounded), 1)
        for key, rule in bounded:
            limits = self._likely_radius(rule, samples)
            self._bounded[key, rule] = BoundedRadiusCounts(fit[key[0]], fit[key[1]], *limits, room)

    def _likely_radius(
        self, rule: Rule, samples: Mapping[Key, RandomSubset]
    ) -> tuple[float, float]:
        """Bounds, in the tiles' units, between which the squared radius of a rule very likely
        lies.
        """
        if isinstance(rule, Within):
            squared = float(self._prepared.arithmetic.scaled(squared_threshold(rule.radius)))
            return squared, squared
        (role,) = rule.roles
        low, high = samples[role, role].mean_radius(self._prepared.order(rule, role))
        return low * low, high * high

    def _lengthen(self, shared: SharedBalls, sample: RandomSubset, radii: Floats) -> None:
        """Make the centres' lists long enough to hold all samples in their balls, whose radii only
        the second pass gives. If the lists would be too long, note that these balls are to be
        counted in tiles computed again.

        sample, radii : a random subset of the centres, and the approximate radii of their balls.
        """
        key = (shared.centre, shared.member)
        held = sample.held(radii)
        order = held + held // 8 + 2
        longer = self._orders | {key: max(order, self._orders[key])}
        too_long = order > min(_LONGEST * self._sizes[shared.member], sample.length)
        if too_long or self._lists_bytes(longer, roomy=False) > self._left:
            self._again.append(shared)
        else:
            self._orders = longer

    def _pass(
        self, places: Sequence[ScheduledTile], pending: Sequence[PendingCount], runner: Runner
    ) -> None:
        """Compute tiles; add their entries to the lists and to the bounded counts, and count in the
        pending balls. For all three, near entries are picked out of a tile only once.
        """
        fit = self._prepared.fit

        def work(place: ScheduledTile) -> int:
            tile = make_tile(
                fit[place.left],
                place.rows,
                fit[place.right],
                runner.scratch(),
                columns=place.columns,
            )
            # For each ball: the counts to be made for the tile's rows, and those for its columns.
            # In a tile inside one role, balls are around the rows and around the columns that are
            # not also rows.
            wanted: list[tuple[Ball, list[Counted], list[Counted]]] = []
            for each in pending:
                roles = each.shared.centre, each.shared.member
                if roles == (place.left, place.right):
                    wanted.append((each.ball.part(place.rows), each.per_centre, each.per_member))
                if roles == (place.right, place.left) and place.fresh.start < place.fresh.stop:
                    wanted.append(
                        (each.ball.part(place.columns).turned(), each.per_member, each.per_centre)
                    )
            few = [tile.is_sparse(ball.reach) for ball, _, _ in wanted]
            limits = self._list_limits(tile, place) + self._bounded_limits(tile, place)
            limits += [
                ball.reach for (ball, _, _), sparse in zip(wanted, few, strict=True) if sparse
            ]
            picked = tile.entries(limits)
            self._add_to_lists(tile, picked, place)
            self._add_to_bounded(tile, picked, place)
            for (ball, rows, columns), sparse in zip(wanted, few, strict=True):
                by_row, by_column = (
                    tile.count_among(picked, ball, bool(columns))
                    if sparse
                    else tile.count_by_masks(ball, bool(columns))
                )
                with self._count_lock:
                    for key in rows:
                        self._counts[key][place.rows] += by_row
                    for key in columns:
                        self._counts[key][place.fresh] += by_column[
                            place.fresh.start - place.columns.start :
                        ]
            return tile.rechecked

        runner.run(work, places, ScheduledTile.entries)

    def _list_limits(self, tile: Tile, place: ScheduledTile) -> list[Array]:
        """Limits of the lists of the tile's rows (m, 1), and of those columns that are not also
        rows (1, n).
        """
        limits: list[Array] = []
        if (place.left, place.right) in self._lists:
            limits.append(
                self._lists[place.left, place.right].limits(place.rows, lambda: tile)[:, None]
            )
        if (place.right, place.left) in self._lists and place.fresh.start < place.fresh.stop:
            first = place.fresh.start
            lists = self._lists[place.right, place.left]
            of_columns = np.full((1, tile.values.shape[1]), -np.inf, tile.values.dtype)
            of_columns[0, first - place.columns.start :] = lists.limits(
                place.fresh, lambda: tile.turned(first)
            )
            limits.append(of_columns)
        return limits

    def _add_to_lists(self, tile: Tile, picked: Entries, place: ScheduledTile) -> None:
        rows, columns, values, _ = picked
        if (place.left, place.right) in self._lists:
            lists = self._lists[place.left, place.right]
            lists.add(place.rows, rows, columns + tile.columns.start, values)
        skipped = place.fresh.start - place.columns.start
        if (place.right, place.left) in self._lists and skipped < tile.values.shape[1]:
            if skipped:
                fresh = columns >= skipped
                rows = rows[fresh]
                columns = columns[fresh]
                values = values[fresh]
            lists = self._lists[place.right, place.left]
            lists.add(place.fresh, columns - skipped, rows + tile.rows.start, values)

    def _bounded_of(self, place: ScheduledTile) -> list[BoundedRadiusCounts]:
        """The bounded counts to which this tile contributes."""
        of_roles = [
            bounded
            for (key, _), bounded in self._bounded.items()
            if key == (place.left, place.right)
        ]
        return [bounded for bounded in of_roles if not bounded.given_up]

    def _bounded_limits(self, tile: Tile, place: ScheduledTile) -> list[Array]:
        """Limits of the bounded counts, (m, 1) each. A count for which a tile has too many entries
        is given up: masks then cost less.
        """
        limits: list[Array] = []
        for bounded in self._bounded_of(place):
            if not tile.is_sparse(np.array([[bounded.high]]), _CROWDED):
                bounded.give_up()
            if not bounded.given_up:
                limits.append(np.full((len(tile.values), 1), bounded.high))
        return limits

    def _add_to_bounded(self, tile: Tile, picked: Entries, place: ScheduledTile) -> None:
        if not (counters := self._bounded_of(place)):
            return
        first = picked.rows + tile.rows.start
        second = picked.columns + tile.columns.start
        values = picked.values
        if place.left == place.right and place.rows.stop > place.columns.start:
            once = second > first
            first = first[once]
            second = second[once]
            values = values[once]
        for bounded in counters:
            bounded.add(first, second, values)

    def _settle(self, across: bool, runner: Runner) -> None:
        """Rebuild the lists of nearest samples that turn out too short.

        across : True for the lists of samples of the other role, False for those of the own role.

        All tiles must have been added. All points whose lists are too short are rebuilt together,
        because that takes hardly longer than rebuilding one.
        """
        short: dict[Key, list[Ints]] = {
            key: [] for key in self._lists if (key[0] != key[1]) == across
        }

        def find(block: tuple[Key, slice]) -> int:
            key, rows = block
            short[key].append(self._lists[key].finish(rows))
            return 0

        def look(key: Key) -> int:
            self._lists[key].look_again(np.concatenate(short[key]), runner.scratch())
            return 0

        runner.run(
            find, [(key, rows) for key in short for rows in slices(self._sizes[key[0]], _LIST_ROWS)]
        )
        runner.run(look, [key for key, some in short.items() if any(map(len, some))])

    def _radii(self, role: Role, rule: Rule, runner: Runner) -> Floats:
        """Exact squared distances from all points of a role to the neighbour that the rule's radius
        reaches to, computed from the lists.
        """
        order = self._prepared.order(rule, role)
        squared = np.empty(self._sizes[role])

        def work(rows: slice) -> int:
            ranking = self._ranking(role, rule.roles, rows)
            squared[rows] = ranking.exact(order, np.arange(rows.stop - rows.start)).squared
            return ranking.tiles[0].rechecked

        runner.run(work, slices(len(squared), _LIST_ROWS))
        return squared

    def _ranking(self, role: Role, members: Sequence[Role], rows: slice) -> Ranking:
        """The nearest samples around some points, of one role or both, ranked from the lists."""
        fit = self._prepared.fit
        lists = [self._lists[role, member].candidates(rows) for member in members]
        return Ranking(
            [Pairs(left=fit[role], rows=rows, right=fit[member]) for member in members], lists
        )

    def _balls(self, centre: Role, squared: Floats | float) -> Ball:
        point_set = self._prepared.fit[centre]
        return Ball.of(
            point_set.arithmetic, np.broadcast_to(squared, len(point_set)), point_set.norms
        )

    def _count_ranked(self, centre: Role, rule: Rule, runner: Runner) -> None:
        """Count the samples in balls around all points of a role, from the lists of nearest
        samples. Such a ball reaches to one of the samples that are counted in it.
        """
        order = self._prepared.order(rule, centre)

        def work(rows: slice) -> int:
            ranking = self._ranking(centre, rule.roles, rows)
            for member, counts in zip(rule.roles, ranking.counts(order), strict=True):
                for key in self._ranked.get(SharedBalls(centre, member, rule), ()):
                    self._counts[key][rows] = counts
            return sum(pairs.rechecked for pairs in ranking.tiles)

        runner.run(work, slices(self._sizes[centre], _LIST_ROWS))

    def _count_listed(self, pending: PendingCount, runner: Runner) -> None:
        """Count the points in balls, from each centre's list of its nearest points. If a list may
        end inside its ball, the points in this ball are counted in tiles computed again.
        """
        (centre, member, _), balls, _ = pending
        left = self._prepared.fit[centre]
        right = self._prepared.fit[member]
        lists = self._lists[centre, member]
        beyond = np.zeros(len(left), dtype=np.bool_)

        def work(rows: slice) -> int:
            ball = balls.part(rows)
            pairs = Pairs(left=left, rows=rows, right=right)
            listed = lists.candidates(rows)
            inside = listed.values <= ball.sure[:, None]
            unsure, slots = np.nonzero((listed.values <= ball.possible[:, None]) ^ inside)
            inside[unsure, slots] = (
                pairs.reference(unsure, listed.columns[unsure, slots]) <= ball.squared[unsure]
            )
            beyond[rows] = lists.complete(rows) < ball.possible
            inside[beyond[rows]] = False
            held = np.bincount(listed.columns[inside], minlength=len(right))
            with self._count_lock:
                for key in pending.per_centre:
                    self._counts[key][rows] += np.count_nonzero(inside, axis=1)
                for key in pending.per_member:
                    self._counts[key] += held
            return pairs.rechecked

        runner.run(work, slices(len(left), _LIST_ROWS))
        if beyond.any():
            self._count_in_tiles(pending, np.flatnonzero(beyond), runner)

    def _count_in_tiles(self, pending: PendingCount, centres: Ints, runner: Runner) -> None:
        """Count the points in the balls around these centres, in tiles computed again."""
        whole = self._prepared.fit[pending.shared.centre]
        others = self._prepared.fit[pending.shared.member]
        few = PointSet(DistinctRows(whole.rows.subset(centres)), whole.arithmetic)
        balls = pending.ball.part(centres)

        def work(place: ScheduledTile) -> int:
            tile = make_tile(few, place.rows, others, runner.scratch(), columns=place.columns)
            ((by_centre, by_member),) = tile.count([balls.part(place.rows)], columns=True)
            with self._count_lock:
                for key in pending.per_centre:
                    self._counts[key][centres[place.rows]] += by_centre
                for key in pending.per_member:
                    self._counts[key][place.columns] += by_member
            return tile.rechecked

        places = _across(len(few), len(others), self._side)
        runner.expect(sum(map(ScheduledTile.entries, places)))
        runner.run(work, places, ScheduledTile.entries)

    def _count_bounded(
        self, fixed: Mapping[CountRequest, float], runner: Runner
    ) -> list[PendingCount]:
        """Count the points in balls that share one radius, by `BoundedRadiusCounts`. Return the
        counts still to be made: those for which its bounds on the radius failed.
        """
        failed = []

        def work(shared: SharedBalls) -> int:
            counted = self._fixed[shared]
            squared = fixed[counted[0][0]]
            within = self._bounded[shared.in_order, shared.rule].counts(squared)
            if within is None:
                failed.append(PendingCount(shared, self._balls(shared.centre, squared), counted))
                return 0
            first, second, rechecked = within
            # Inside a role every point is in its own ball, and each pair counts for both of its
            # points.
            if shared.centre == shared.member:
                counts = first + second + 1
            else:
                counts = first if shared.centre == shared.in_order[0] else second
            for key in counted:
                self._counts[key] = counts
            return rechecked

        runner.run(work, list(self._fixed))
        return failed
