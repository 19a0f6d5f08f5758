"""The sweep plan, for profiles over many k and radii: one sort or histogram per block of points
serves all requests.

Counts in balls of given radii follow from the rank of each distance among the radii. Counts in
balls out to a k-th neighbour follow from the samples around each point, sorted exactly by distance.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from prviz.arrays import Array, Flags, Floats, Ints
from prviz.neighbors.balls import ROLES, CountRequest, Role
from prviz.neighbors.blocks import RowBlock, Runner, run_evaluations, run_rows
from prviz.neighbors.by_rows import OwnRadii
from prviz.neighbors.kernels import (
    Entries,
    Ranked,
    number_below,
    sort_numbered,
    true_places,
)
from prviz.neighbors.native import Small
from prviz.neighbors.point_sets import PointSet
from prviz.neighbors.prepared import Prepared
from prviz.neighbors.products import Arithmetic, round_down
from prviz.neighbors.tiles import Tile, make_tile

# Larger than any distance in a tile's units. Its low bits are 0, like those of a widened float32.
_PADDING = 2.0**1000
# 1 in the dtype of the counts: NumPy adds a 1 of another dtype 20 times more slowly.
_ONE = np.int32(1)


def bytes_needed(
    prepared: Prepared, requests: Sequence[CountRequest], own: Mapping[Role, int]
) -> int:
    """Bytes of the radii inside the roles and of the counts, which exist twice while they are
    concatenated.
    """
    points = sum(
        len(point_set.merged.inverse if point_set.merged.inverse is not None else point_set)
        for point_set in prepared.evaluate.values()
    )
    return 8 * len(requests) * points + sum(
        8 * len(prepared.fit[role]) * (k + 1) for role, k in own.items()
    )


def own_orders(prepared: Prepared, own: Mapping[Role, int], runner: Runner) -> dict[Role, Floats]:
    """For each role, (n, k + 1) exact squared distances from each fit sample to itself and to its k
    nearest others, increasing.
    """
    squared = {role: np.empty((len(prepared.fit[role]), k + 1)) for role, k in own.items()}

    def work(block: RowBlock) -> int:
        point_set = prepared.fit[block.role]
        tile = make_tile(point_set, block.rows, point_set, runner.scratch())
        order = own[block.role] + 1
        found = tile.nearest(order)
        nearest = np.full(found.values.shape, np.inf)
        rows, slots = np.nonzero(np.isfinite(found.values))
        if tile.arithmetic.exact:
            nearest[rows, slots] = tile.arithmetic.unscaled(found.values[rows, slots])
        else:
            nearest[rows, slots] = tile.reference(rows, found.columns[rows, slots])
        squared[block.role][block.rows] = np.sort(nearest, axis=1)[:, :order]
        return tile.rechecked

    sizes = {role: len(squared[role]) for role in own}
    run_rows(work, prepared, sizes, sizes, runner)
    return squared


class _Group(NamedTuple):
    """Requests that can be counted together in one pass over a tile.

    requests : sorted, by increasing radius or by increasing k.
    radii : the balls, if their radii are known beforehand; None: balls out to a k-th neighbour.
    orders : by role of the balls' centres, the order of the neighbour that each request's ball
    reaches to (k, or k + 1 where the centre is in the set itself); empty if radii are known.
    counts : (requests, points) by role of the evaluation points.
    """

    requests: list[CountRequest]
    radii: Radii | SampleRadii | None
    orders: dict[Role, Ints]
    counts: dict[Role, Small]

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles among which neighbours are counted off."""
        return self.requests[0].rule.roles

    @property
    def counted(self) -> Role:
        """The role whose samples are counted."""
        return self.requests[0].role

    @property
    def around_fit(self) -> bool:
        """True if the balls are around fit samples."""
        return self.requests[0].around == "fit"

    def add(
        self,
        block: RowBlock,
        tiles: Mapping[Role, Tile],
        ordered: SortedRows | None,
        lock: threading.Lock,
    ) -> None:
        """Add the counts of one block of points.

        If there are several balls around one fit sample, an evaluation sample is counted only in
        the smallest ball that holds it; `finish` adds it to the larger ones.
        """
        role = block.role
        if self.radii is not None:
            self.counts[role][:, block.rows] = self.radii.counts(tiles[self.counted])
        if ordered is None or role not in self.orders:
            return
        if not self.around_fit:
            found = ordered.counts(self.roles, self.orders[role], self.counted)
            self.counts[role][:, block.rows] = found
            return
        for member, (ranks, samples) in ordered.held(self.roles, self.orders[role]).items():
            counts = self.counts[member]
            with lock:
                np.add.at(counts.reshape(-1), ranks * counts.shape[1] + samples, _ONE)

    def finish(self) -> None:
        """Make the counts cumulative: a ball around a fit sample also holds what its smaller balls
        hold.
        """
        for counts in self.counts.values() if self.around_fit and self.orders else ():
            np.cumsum(counts, axis=0, out=counts)


def count_by_sweep(
    prepared: Prepared,
    requests: Sequence[CountRequest],
    fixed: Mapping[CountRequest, float],
    own: OwnRadii,
    runner: Runner,
) -> dict[CountRequest, dict[Role, Small]]:
    """For each request, the counts for the evaluation samples of each role.

    ``fixed`` holds the squared radius of requests with one radius for all balls, ``own`` the
    squared radii inside the roles. No fit set may have weights.
    """
    groups = _grouped(prepared, requests, fixed, own)
    largest: dict[Role, dict[tuple[Role, ...], int]] = {role: {} for role in ROLES}
    for group in groups:
        for role, orders in group.orders.items():
            before = largest[role].get(group.roles, 0)
            largest[role][group.roles] = max(before, int(orders.max()))
    lock = threading.Lock()

    def count(block: RowBlock, tiles: Mapping[Role, Tile]) -> None:
        some = largest[block.role]
        ordered = None
        if some:
            ordered = SortedRows(tiles, some)
        for group in groups:
            group.add(block, tiles, ordered, lock)

    run_evaluations(count, prepared, runner)
    for group in groups:
        group.finish()
    by_request: dict[CountRequest, dict[Role, Small]] = {}
    for group in groups:
        for index, request in enumerate(group.requests):
            by_request[request] = {role: some[index] for role, some in group.counts.items()}
    return by_request


def _grouped(
    prepared: Prepared,
    requests: Sequence[CountRequest],
    fixed: Mapping[CountRequest, float],
    own: OwnRadii,
) -> list[_Group]:
    """Groups of requests counted together: balls of one radius, balls around fit samples, or balls
    out to neighbours.
    """
    kinds: defaultdict[tuple[str, tuple[Role, ...], Role], list[CountRequest]] = defaultdict(list)
    for request in requests:
        if request.rule.one_radius:
            kinds["one radius", (), request.role].append(request)
        elif request.around == "fit":
            kinds["fit", (), request.role].append(request)
        else:
            kinds["neighbors", request.rule.roles, request.role].append(request)
    groups = []
    for (kind, _, role), some in kinds.items():
        radii: Radii | SampleRadii | None = None
        orders: dict[Role, Ints] = {}
        if kind == "one radius":
            some.sort(key=fixed.__getitem__)
            squared = np.array([fixed[request] for request in some])
            radii = Radii(prepared.arithmetic, squared)
        elif kind == "fit" and prepared.held_out:
            some.sort(key=_k)
            squared = np.stack([own[role, request.rule.k] for request in some], axis=1)
            radii = SampleRadii(prepared.fit[role], squared)
        else:
            some.sort(key=_k)
            # Without split every fit sample is an evaluation sample, so what its balls contain is
            # found in its own row of the tile.
            for centre in (role,) if kind == "fit" else ROLES:
                numbers = [prepared.order(request.rule, centre) for request in some]
                orders[centre] = np.array(numbers)
        counts = {
            evaluated: np.zeros((len(some), len(points)), np.int32)
            for evaluated, points in prepared.evaluate.items()
        }
        groups.append(_Group(some, radii, orders, counts))
    return groups


def _k(request: CountRequest) -> int:
    return request.rule.k


class Radii:
    """Balls of several radii around every point. ``squared`` are the exact squared radii (q,),
    increasing.
    """

    def __init__(self, arithmetic: Arithmetic, squared: Floats) -> None:
        self._limits = _scaled(arithmetic, squared)

    def counts(self, tile: Tile) -> Small:
        """(q, m) number of samples within each of the q radii around each row of a tile."""
        errors = tile.arithmetic.error(tile.norms, self._limits[-1])
        ranked = tile.ranked(self._limits, errors)
        return _decided(tile, ranked, self._limits[None, :], np.zeros_like(ranked.columns))


class SampleRadii:
    """Several balls around each sample of a set, which has no weights."""

    def __init__(self, point_set: PointSet, squared: Floats) -> None:
        """``squared``: (n, q) exact squared radii, increasing along each row."""
        arithmetic = point_set.arithmetic
        self._limits = _scaled(arithmetic, squared)
        # Rounded to the tiles' dtype, in which they take half the memory: the search among them
        # waits for the caches. The errors contain the rounding.
        self._rounded = round_down(self._limits, arithmetic.dtype)
        farthest = self._limits[:, -1]
        rounding = float(np.finfo(arithmetic.dtype).eps) * farthest
        self._errors = arithmetic.error(point_set.norms, farthest) + rounding

    def counts(self, tile: Tile) -> Small:
        """(q, m) for each row of a tile, the number of samples whose balls of each size hold it;
        the tile's columns are the whole set.
        """
        found = tile.ranked(self._rounded, self._errors)
        return _decided(tile, found, self._limits, found.columns)


def _decided(tile: Tile, ranked: Ranked, limits: Floats, which: Ints) -> Small:
    """(q, m) number of entries at or below each limit. Undecided entry i is decided by its
    reference distance, compared with the limits in row which[i].
    """
    counts, rows, columns = ranked
    reference = _scaled(tile.arithmetic, tile.reference(rows, columns + tile.columns.start))
    places = number_below(limits, which, reference)
    counts += np.bincount(rows * counts.shape[1] + places, minlength=counts.size).reshape(
        counts.shape
    )
    return np.cumsum(counts[:, :-1], axis=1, dtype=np.int32).T


def _scaled(arithmetic: Arithmetic, squared: Floats) -> Floats:
    return np.ascontiguousarray(arithmetic.scaled(squared), dtype=np.float64)


class SortedRows:
    """The samples of both roles around each row of a block, sorted exactly by distance; none may
    have weights.

    ``orders``: by roles among which neighbours are ranked, the largest order needed.
    """

    def __init__(self, tiles: Mapping[Role, Tile], orders: Mapping[tuple[Role, ...], int]) -> None:
        both = [tiles[role] for role in ROLES]
        limits = _limits(tiles, orders)
        found = [tile.entries([limits]) for tile in both]
        real, generated = (np.diff(entries.starts) for entries in found)
        values, slots = _sorted(both[0], found)
        inside = np.arange(values.shape[1]) < (real + generated)[:, None]
        _resolve(both, found, (values, slots), inside)
        first = slots < real[:, None]
        self._found = dict(zip(ROLES, found, strict=True))
        self._before = dict(zip(ROLES, (np.zeros_like(real), real), strict=True))
        self._slots = slots
        self._places = {ROLES[:1]: first & inside, ROLES[1:]: ~first & inside, ROLES: inside}
        self._counts = {
            role: np.cumsum(self._places[role,], axis=1, dtype=np.int32) for role in ROLES
        }
        self._last = _ends_of_ties(values, inside)

    def counts(self, among: tuple[Role, ...], orders: Ints, role: Role) -> Small:
        """(orders, m) number of samples of ``role`` at or below the order-th smallest distance to
        samples of the roles ``among``.
        """
        return self._counts[role].ravel()[self._ends(among, orders)]

    def held(self, among: tuple[Role, ...], orders: Ints) -> dict[Role, tuple[Ints, Ints]]:
        """For each role, the samples around each row up to the largest of the ``orders``, as two
        arrays (s,): the number of orders whose distance is smaller than the sample's, and the index
        of the sample.
        """
        m, length = self._slots.shape
        ends = self._ends(among, orders)
        steps = np.bincount((ends + ends // length + 1).ravel(), minlength=m * (length + 1))
        beyond = np.cumsum(steps.reshape(m, length + 1)[:, :length], axis=1)
        held = {}
        for role in ROLES:
            rows, places = true_places(self._places[role,] & (beyond < len(orders)))
            entries = self._found[role]
            numbers = self._slots[rows, places] - self._before[role][rows] + entries.starts[rows]
            held[role] = beyond[rows, places], entries.columns[numbers]
        return held

    def _ends(self, among: tuple[Role, ...], orders: Ints) -> Ints:
        """(orders, m) flat position of the last sample at or below the order-th smallest distance
        of each row.
        """
        places = self._places[among]
        m, length = places.shape
        flat = np.flatnonzero(places)
        starts = np.searchsorted(flat, np.arange(m) * length)
        ends: Ints = flat[starts + orders[:, None] - 1]
        if self._last is None:
            return ends
        return self._last.ravel()[ends]


def _limits(tiles: Mapping[Role, Tile], orders: Mapping[tuple[Role, ...], int]) -> Array:
    """(m, 1) limits that certainly include all samples up to the orders needed."""
    bounds = [tiles[role].bound(orders[role,]) for role in ROLES if (role,) in orders]
    if ROLES in orders and max(orders.get((role,), 0) for role in ROLES) < orders[ROLES]:
        # The order-th nearest sample of both roles is no farther than the order-th nearest of one
        # role.
        bounds.append(np.minimum.reduce([tile.bound(orders[ROLES]) for tile in tiles.values()]))
    limits: Array = np.maximum.reduce(bounds)
    return limits


def _sorted(tile: Tile, found: Sequence[Entries]) -> tuple[Floats, Ints]:
    """For each row, the sorted values (m, length) of the entries of two tiles, padded. Also each
    value's number among the row's unsorted entries, those of the first tile counted first.

    The result lies in a buffer of the tile, valid until the next block is sorted.
    """
    lengths = [np.diff(entries.starts) for entries in found]
    m = len(lengths[0])
    length = max(1, int(np.add(*lengths).max()))
    keys = tile.scratch.take("keys", m, length, np.float64)
    keys[...] = _PADDING
    for entries, before in zip(found, (np.zeros_like(lengths[0]), lengths[0]), strict=True):
        first = np.arange(m) * length + before - entries.starts[:-1]
        keys.ravel()[np.arange(len(entries.rows)) + first.take(entries.rows)] = entries.values
    return sort_numbered(keys, tile.arithmetic.dtype)


def _resolve(
    tiles: Sequence[Tile],
    found: Sequence[Entries],
    ordered: tuple[Floats, Ints],
    inside: Flags,
) -> None:
    """Replace approximate distances by reference distances if they are too close to each other for
    their order to be certain, and sort those rows again.
    """
    values, slots = ordered
    arithmetic = tiles[0].arithmetic
    if arithmetic.exact:
        return
    farthest = values[np.arange(len(values)), np.maximum(inside.sum(axis=1) - 1, 0)]
    reach = arithmetic.error(tiles[0].norms, farthest)
    close = (values[:, 1:] <= values[:, :-1] + 2 * reach[:, None]) & inside[:, 1:]
    unclear = np.zeros(values.shape, dtype=np.bool_)
    unclear[:, 1:] = close
    unclear[:, :-1] |= close
    rows, places = true_places(unclear)
    if not len(rows):
        return
    real = np.diff(found[0].starts)
    numbers = slots[rows, places]
    first = numbers < real[rows]
    for tile, entries, mine, before in zip(
        tiles, found, (first, ~first), (np.zeros_like(real), real), strict=True
    ):
        owners = rows[mine]
        columns = entries.columns[entries.starts[owners] + numbers[mine] - before[owners]]
        values[owners, places[mine]] = arithmetic.scaled(
            tile.reference(owners, columns + tile.columns.start)
        )
    some = np.flatnonzero((values[:, 1:] < values[:, :-1]).any(axis=1))
    # Sorting again is cheap: the rows are nearly sorted, and the sort is stable.
    order = np.argsort(values[some], axis=1, kind="stable")
    values[some] = np.take_along_axis(values[some], order, axis=1)
    slots[some] = np.take_along_axis(slots[some], order, axis=1)


def _ends_of_ties(values: Floats, inside: Flags) -> Ints | None:
    """For every flat index, the last flat index with the same value in its row; None if no two
    values in a row are equal.
    """
    same = (values[:, 1:] == values[:, :-1]) & inside[:, 1:]
    if not same.any():
        return None
    m, length = values.shape
    ends = np.arange(m * length).reshape(m, length)
    ends[:, :-1][same] = m * length
    return np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
