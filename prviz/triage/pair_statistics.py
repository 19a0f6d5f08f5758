"""Statistics of a pair that findings rest on: how generated samples differ from held-out real ones.

The real samples are cut into two halves. One, the *fit* half, defines what is compared: clusters,
principal directions, neighbours. The generated samples are then compared by two-sample tests with
the other, the *held-out* half. Each half is used as either one, and every statistic is the mean of
the two. So for two sets of one distribution every difference is chance alone, of known size,
whatever the dimension.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np

from prviz.arrays import Array, Flags, Floats, Ints, Rng
from prviz.checks.facts import row_classes, set_facts
from prviz.checks.features import deciding
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.point_sets import RowView
from prviz.neighbors.queries import NearestRows, Part
from prviz.neighbors.threads import Progress, one_blas_thread, one_openmp_thread, part_of
from prviz.recent import LeastRecentlyUsed
from prviz.samples import SamplePair
from prviz.triage.row_sets import BLOCK_VALUES, RowSet, coordinates, mixing_weights, unit_of

# A halving draws rows of each set and cuts them at random into two halves. Of a set of at least
# ROWS rows it draws no fewer than ROWS, however many features there are, unless memory is short.
ROWS = 1_200
# Most rows that a halving draws of each set, for both halves together.
MOST_ROWS = 6_000
# Most multiplications for the distances of a halving, rows^2 times features: those of 5,000 rows of
# 64 features.
WORK = 1_600_000_000
# Bytes of memory per compared row and coordinate, at the peak: eleven float64 matrices, and some
# room.
_ROW_BYTES = 96
# Bytes of memory per value in a block of features, at the peak, with all that is computed from the
# block.
_BLOCK_BYTES = 256
# k of the neighbour whose distance counts as the distance to a set, since the first neighbour is
# noisy.
K = 3
# k of the neighbour whose distance is compared with that of the nearest one.
LOCAL = 10
# Number of nearest samples of both sets among which a real sample must have a generated one.
VOID = 20
# Number of nearest samples of both sets among which a generated sample must have a real one.
FEW = 5
# Quantile of the distances from held-out real samples to the fit half, beyond which a sample is off
# the support.
FAR = 0.98
# Quantile of the distances from held-out samples to the fit half below which a sample is near.
NEAR = 0.02
# Two generated samples count as one repeated if they are this many times nearer than the quantile
# NEAR of real ones.
TIGHT = 3.0
# Fewest fit samples per cluster on average, and most clusters, for the shares of clusters.
FINE = (30, 24)
# Fewest fit samples per cluster on average, and most clusters, for the spreads and centres of
# clusters.
COARSE = (30, 16)
# Least share of generated samples on the support for which only these are compared; below it, all
# are.
LEFT = 0.15
# Most features for which another order is searched: the search takes time in d^3.
PERMUTED = 1_024
# Mean square of a feature's differences, in units of chance, above which the feature is tried in
# another place.
DISORDER = 3.0
# Squared difference between the sets, in units of chance, above which it is no chance: the mean
# over the deciles of a feature, and the median over its correlations. For d features log(d) is
# added to the first number, 2 log(d) to the second.
UNLIKE = (5.0, 9.0)
DECILES = np.arange(0.1, 0.95, 0.1)
# Standard error of a decile over that of a mean, about right for a Gaussian.
DECILE = 1.3
# How far the share of a decile may be off by chance, in units of sqrt(1 / n + 1 / m): 2.5 standard
# errors of a share of a half. Deciles of repeated values may jump that far.
JUMPS = 1.25
# Least variance of a feature within a cluster, in units of the mean feature's variance: with less,
# any move of the centre would be sure.
FLOOR = 1e-3
# Misfit of one feature by chance: 1 for its distribution and 1 for its correlations.
CHANCE = 2.0
# Ratio of a cluster's generated share to its real share below which the cluster counts as empty.
EMPTY = 0.12
# Number of random halvings of the sets. A finding that not all of them show is borderline.
HALVINGS = 3
# Most bytes of real rows that are cached for further generated sets, for each halving. Values
# derived from them take up to five times as much.
_KEPT_BYTES = 10_000_000
_REAL = LeastRecentlyUsed(HALVINGS)
# Most rounds of k-means, and of the search for an order of the features.
_ROUNDS = 10
# Stands for 0 in denominators and logarithms.
_TINY = 1e-12
# Least mean squared correlation of two real features, in units of chance, that can be lost.
RELATED = 5.0


@dataclass(frozen=True, kw_only=True)
class PairStatistics:
    """How generated samples differ from held-out real ones.

    Names that end in _z are z-scores against chance; off_z is that of off. All ratios and
    differences are of generated to real samples, and real samples are the held-out ones.

    Nearest neighbours:

    off : share of generated samples off the support, less the share of real samples off it.
    compact : for generated samples off the support, median ratio of the distance to other generated
        samples to the distance to fit samples; nan for fewer than five samples.
    left : share of generated samples on the support. The statistics below compare these alone,
        unless they are fewer than LEFT.
    radius : log ratio of the distances to fit samples.
    unreached : share of real samples that lie beyond the reach of generated ones, less the share of
        generated samples beyond it.
    void : share of real samples without a generated one among their VOID nearest samples, of as
        many samples of both sets.
    bare : share of generated samples off the support without a real one among their FEW nearest
        samples, of as many samples of both sets; nan for fewer than five samples.
    tight : share of generated samples much closer to another generated one than real samples are to
        each other, less that share of real samples.
    nearest : log ratio of the distances to the nearest sample of the own set.
    uneven : log ratio of the nearest distance over the LOCAL-th. It does not change by stretching;
        it is below 0 if samples were averaged with their neighbours, above 0 if noise was added.

    Shares of the clusters of real samples:

    mass_z : z-score of the differences of all shares.
    moved : share of generated samples that would have to change their cluster.
    worst, best : lowest and highest z-score of one cluster's difference.
    empty : real share of the clusters that are nearly empty of generated samples, less their
        generated share.
    seldom, often : ratio of the shares of the clusters that are generated too seldom, and of those
        that are generated too often.
    by_mass : part of the move of the mean that the differences of shares explain.

    Spreads:

    total, top, low : log ratio of the distances from the cluster centres: in all directions, in the
        principal directions that hold half of the variance, and in those beyond 80 % of it.
    spread : largest distance between the two sets' distribution functions of these distances.
    low_quarter : like low, of the lower quartiles.
    anisotropy : real variance per direction in the directions of top, over that in those of low.
    tail : log ratio of the distance of the last of 20 samples from its centre over the distance of
        the middle one.
    all_total, all_top, all_low, all_spread : like those without all_, with one centre for all
        samples.
    added, whole_added : variance that generated samples have beyond the real one, over the real
        one: within the clusters, and in the whole set.
    within, whole : the real variance within the clusters, and in the whole set.
    whole_chance : standard error of whole_added.
    offset : squared distance of the real mean from the origin, over the variance of the set.

    Moves of the cluster centres:

    centre_z : z-score of all moves.
    after_shift, after_scale, after_stretch, after_features : z-score of the moves that remain after
        the best shift, the best factor from the origin, the best factor from the mean, and the best
        factors of each feature; nan if there are so many parameters that they fit any moves.
    stretch : the best factor from the mean, less 1; 0 for a single cluster, whose centre is the
        mean.
    factor : the best factor from the origin, less 1.

    Features:

    deciles : mean squared difference of the features' deciles, in units of chance.
    deciles_shift, deciles_scale, deciles_features : the difference that remains after a shift of
        each feature, one factor for all, and a factor for each feature.
    scale : logarithm of the one factor.
    features : number of features.
    related : mean squared correlation of the ranks of two generated features, over that of two real
        ones, beyond chance; nan if real features are hardly correlated.
    disordered : number of features that fit better in another place.
    misfit, misfit_ordered : how badly these features fit by deciles and correlations: in their own
        places, and in the better ones.
    """

    off: float
    off_z: float
    compact: float
    left: float
    radius: float
    radius_z: float
    unreached: float
    unreached_z: float
    tight: float
    tight_z: float
    void: float
    bare: float
    nearest: float
    nearest_z: float
    uneven: float
    uneven_z: float
    mass_z: float
    moved: float
    worst: float
    best: float
    by_mass: float
    empty: float
    seldom: float
    often: float
    total: float
    total_z: float
    top: float
    top_z: float
    low: float
    low_z: float
    low_quarter: float
    tail: float
    tail_z: float
    spread: float
    anisotropy: float
    added: float
    all_total: float
    all_total_z: float
    all_top: float
    all_top_z: float
    all_low: float
    all_low_z: float
    all_spread: float
    whole_added: float
    whole_chance: float
    within: float
    whole: float
    offset: float
    centre_z: float
    after_shift: float
    after_scale: float
    after_stretch: float
    after_features: float
    stretch: float
    stretch_z: float
    factor: float
    deciles: float
    deciles_shift: float
    deciles_scale: float
    deciles_features: float
    misfit: float
    misfit_ordered: float
    related: float
    disordered: float
    scale: float
    features: float


def rows_in_time(d: int) -> int:
    """Most rows that a halving draws of each set of d features: more would take too long."""
    return min(max(math.isqrt(WORK // d), ROWS), MOST_ROWS)


def rows_within(d: int, memory_limit: int) -> int:
    """`rows_in_time`, or as many rows as fit into memory_limit bytes if these are fewer: at least
    510 in 50 MB, ROWS in 280 MB.
    """
    few_features = memory_limit // (_ROW_BYTES * d)
    more_features_than_rows = math.isqrt(memory_limit // (2 * _ROW_BYTES))
    return min(max(few_features, more_features_than_rows), rows_in_time(d))


def rows_at_once(d: int, memory_limit: int) -> int:
    """Most rows whose features fit into memory all at once, at most `rows_in_time`."""
    return min(memory_limit // (_ROW_BYTES * d), rows_in_time(d))


def halvings(
    pair: SamplePair,
    *,
    seed: int = 0,
    rows: int = MOST_ROWS,
    times: int = HALVINGS,
    of_each: bool | None = None,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> tuple[PairStatistics, ...]:
    """The statistics of a pair by several random halvings; see `mean_statistics`.

    seed : of the draws of rows, the halves and the clusters. It is not the seed of a bootstrap:
        findings depend neither on that nor on the order of the rows.
    rows : most rows that each halving draws of each set, for both halves together; of larger sets
        each halving takes other rows.
    times : number of halvings.
    of_each : True if each feature is divided by its spread; None: if one or two features hold the
        distances alone, so that the others count too.
    memory_limit : bytes beyond the samples; below 280 MB fewer rows of many features are compared,
        see `rows_within`.
    progress : called with the fraction done; may raise to stop.

    No matrix is larger than (2 rows, 2 rows), however many features there are; many features are
    read in blocks.
    """
    # More threads make products of such small matrices several times slower.
    with (
        one_blas_thread(),
        one_openmp_thread(),
    ):
        if of_each is None:
            of_each = bool(deciding(set_facts(pair.real)))
        most = min(rows, rows_within(pair.d, memory_limit))
        compared = _Compared(pair, most, memory_limit, of_each=of_each)
        found = []
        for turn in range(times):
            part_of(progress, turn, times)(0.0)
            found.append(_halved(compared, np.random.default_rng((seed, turn)), turn))
        return tuple(found)


def mean_statistics(drawn: Sequence[PairStatistics]) -> PairStatistics:
    """The mean of every statistic over the halvings, leaving out nan."""
    return PairStatistics(
        **{
            field.name: _mean([getattr(each, field.name) for each in drawn])
            for field in fields(drawn[0])
        }
    )


T = TypeVar("T")


def _order_of(values: Array) -> Ints:
    """An order of the rows that depends only on their values."""
    return np.lexsort(values.T[: min(8, values.shape[1])])


class _Compared:
    """The rows of a pair that are compared, in an order that depends on their values alone.

    rows : most rows per set; one row of each group, as the tests take rows as independent.
    wide : True if there are more features than rows of both sets; these are then compared in fewer
        coordinates.
    of_each : True if each feature is divided by its spread.
    """

    def __init__(
        self, pair: SamplePair, rows: int, memory_limit: int, *, of_each: bool = False
    ) -> None:
        self._pair = pair
        self._rows = rows
        self._apart = memory_limit < MEMORY_LIMIT
        self._block = min(BLOCK_VALUES, memory_limit // _BLOCK_BYTES)
        mixed = (np.random.default_rng(0).permutation(part.n) for part in pair)
        orders = (_order_of(part.values) for part in pair)
        self._orders = [
            order[mix] if len(order) > rows else order
            for order, mix in zip(orders, mixed, strict=True)
        ]
        numbers = (part.n if part.groups is None else len(np.unique(part.groups)) for part in pair)
        self.wide = pair.d > sum(min(number, rows) for number in numbers)
        classes = row_classes(pair) if self.wide else np.empty(0, np.intp)
        self._classes = [classes[: pair.real.n], classes[pair.real.n :]]
        self._of_every: dict[str, float] = {}
        self._of_each = of_each

    def drawn(self, rng: Rng, turn: int) -> tuple[RowSet, RowSet, Floats, Floats]:
        """Rows of both sets in random order, as `RowSet` and as coordinates. Of large sets each
        turn takes other rows.
        """
        rows: list[Ints] = []
        for whole, part in zip(self._orders, self._pair, strict=True):
            order = whole
            if len(whole) > self._rows and part.groups is None:
                first = turn * self._rows
                order = np.take(whole, np.arange(first, first + self._rows), mode="wrap")
            rows.append(_one_of_each(order[rng.permutation(len(order))], part.groups)[: self._rows])
        real = self._real(rows[0])
        sets = real, RowSet(self._pair.generated.values, rows[1], real.unit, self._block)
        if not self.wide:
            return *sets, sets[0].features(), sets[1].features()
        classes = [each[chosen] for each, chosen in zip(self._classes, rows, strict=True)]
        points, others = coordinates(sets, classes)
        return *sets, points, others

    def deciles(self, real: RowSet, generated: RowSet) -> dict[str, float]:
        """`_deciles` of the drawn rows. If each turn draws all rows, they are computed once."""
        found = self._of_every or _deciles(real, generated, not self.wide)
        if all(part.groups is None and part.n <= self._rows for part in self._pair):
            self._of_every = found
        return found

    def _real(self, rows: Ints) -> RowSet:
        """The chosen real rows. Those of small sets are cached for further generated sets."""
        real = self._pair.real

        def chosen(values: Array, rows: Ints) -> RowSet:
            plain = RowSet(values, rows, block=self._block)
            unit = unit_of(plain, whole=not self.wide, of_each=self._of_each)
            return RowSet(values, rows, unit, self._block)

        if self._apart or self.wide or len(rows) * real.d * 8 > _KEPT_BYTES:
            return chosen(real.values, rows)
        # The cache holds a copy of the rows, not a view that would keep the whole set in memory.
        return _REAL.remembered(
            (real.digest, rows.tobytes(), self._block, self._of_each),
            lambda: chosen(real.values[rows], np.arange(len(rows))),
        )


def _one_of_each(rows: Ints, groups: Array | None) -> Ints:
    """The first row of each group, in the order of ``rows``; all rows if there are no groups."""
    if groups is None:
        return rows
    return rows[np.sort(np.unique(groups[rows], return_index=True)[1])]


def _halved(compared: _Compared, rng: Rng, turn: int) -> PairStatistics:
    real, generated, points, others = compared.drawn(rng, turn)
    h = len(real) // 2
    g = len(generated) // 2
    folds = []
    near = NearestRows(RowView(points), RowView(others))
    ways = [(slice(0, h), slice(0, g)), (slice(h, len(points)), slice(g, len(others)))]
    for (fit, one), (held, other) in (ways, ways[::-1]):
        fold = _Fold(
            real, generated, points, others, fit, held, one, other, wide=compared.wide, near=near
        )
        folds.append(fold.statistics(rng))
    both = {name: _mean([fold[name] for fold in folds]) for name in folds[0]}
    return PairStatistics(
        **both,
        **_whole(real, points, others, not compared.wide),
        **compared.deciles(real, generated),
    )


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    if known:
        return sum(known) / len(known)
    return math.nan


@dataclass(frozen=True, eq=False)
class _Fold:
    """One of the two uses of the halves: ``fit`` and ``held`` of the real set, ``one`` and
    ``other`` of the generated set.

    real, generated : the rows by their features.
    points, others : the same rows in coordinates with the same distances.
    wide : True if there are fewer coordinates than features.
    near : searches among the coordinates.
    """

    real: RowSet
    generated: RowSet
    points: Floats
    others: Floats
    fit: slice
    held: slice
    one: slice
    other: slice
    wide: bool
    near: NearestRows

    def statistics(self, rng: Rng) -> dict[str, float]:
        """All statistics with ``fit`` as the fit half."""
        fit = self.points[self.fit]
        d = self.real.d
        real = (0, self.fit), (0, self.held)
        own = self._once("radii", lambda: _radii(self.near, real[0]))
        of_held = self._once("nearest", lambda: self.near.among(real[1], real[0], VOID))
        found, on, on_held = _neighbours(
            self.near, *real, (1, self.one), (1, self.other), own, of_held
        )
        held = self.points[self.held][on_held]
        generated = np.concatenate([self.others[self.one], self.others[self.other]])[on]
        found |= _masses(held, generated, self._centres(FINE, rng)[0])
        centres, seed = self._centres(COARSE, rng)
        features = d if d > len(self.points) else None
        around = {"": centres, "all_": fit.mean(axis=0)[None]}
        principal = {
            prefix: self._principal((prefix, seed), each, features)
            for prefix, each in around.items()
        }
        found |= _spreads(held, generated, around, principal, features)
        members = cluster_of(held, centres), cluster_of(generated, centres)
        return found | _moves(self._features(centres, on, on_held), *members)

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """A value that follows from the real rows and this fit half alone, computed once and
        cached.
        """
        return self.real.known.remembered((self.fit.start, key), compute)

    def _centres(self, sizes: tuple[int, int], rng: Rng) -> tuple[Floats, int]:
        """Centres of clusters of the fit samples, and the seed that they were searched with."""
        fit = self.points[self.fit]
        seed = int(rng.integers(2**31))
        count = _count(fit, sizes)
        return self._once((count, seed), lambda: clusters(fit, count, seed, self.real.d)), seed

    def _principal(
        self, key: Hashable, centres: Floats, features: int | None
    ) -> tuple[Floats, Floats]:
        """`_principal_of` the fit samples, cached."""
        fit = self.points[self.fit]
        return self._once(key, lambda: _principal_of(fit, centres, features))

    def _features(self, centres: Floats, on: Flags, on_held: Flags) -> Iterator[_Features]:
        """Features of the rows on the support, of the centres of clusters and of the mean, block by
        block.
        """
        fit = self.points[self.fit]
        weights = None
        if self.wide:
            weights = mixing_weights(fit, centres)
        for columns in self.real.columns(whole=not self.wide):
            real = self.real.features(columns)
            generated = self.generated.features(columns)
            mean = real[self.fit].mean(axis=0)
            if weights is not None:
                centres = weights @ (real[self.fit] - mean) + mean
            yield (
                real[self.held][on_held],
                np.concatenate([generated[self.one], generated[self.other]])[on],
                centres,
                mean,
            )


# ---- neighbours ----


def _neighbours(
    near: NearestRows,
    fit: Part,
    held: Part,
    one: Part,
    other: Part,
    own: Floats,
    of_held: tuple[Ints, Floats],
) -> tuple[dict[str, float], Flags, Flags]:
    """Statistics of distances; and True for the generated and the held-out samples on the support.

    own : radii of the fit samples. of_held : nearest fit samples of the held-out samples, with
        distances.
    """
    own_one = _radii(near, one)
    near_held, held_void = of_held
    near_one, one_to_fit = near.among(one, fit, K)
    near_other, other_to_fit = near.among(other, fit, K)
    near_own, other_local = near.among(other, one, LOCAL)
    near_held_one, held_to_one = near.among(held, one, K)
    held_local = held_void[:, :LOCAL]
    held_to_fit = held_local[:, :K]
    other_to_one = other_local[:, :K]
    as_many = min(len(own), len(own_one))

    def first(points: Part, among: Part, of_all: Floats, k: int = 1) -> Floats:
        """Distances to the k nearest of the first ``as_many`` samples; ``of_all`` : of them all."""
        number, rows = among
        if as_many == rows.stop - rows.start:
            return of_all[:, :k]
        return near.among(points, (number, slice(rows.start, rows.start + as_many)), k)[1]

    void = _void(first(held, fit, held_void, VOID), first(held, one, held_to_one))
    bare = _void(first(other, one, other_local, FEW), first(other, fit, other_to_fit))

    radii_held = held_to_fit[:, -1] / own[near_held[:, 0]]
    to_fit = np.concatenate([one_to_fit, other_to_fit])
    radii = to_fit[:, -1] / own[np.concatenate([near_one, near_other])[:, 0]]
    limit = np.quantile(radii_held, FAR)
    off = radii > limit
    off_held = radii_held > limit
    lost = off[len(own_one) :]
    on, on_held = (
        (~off, ~off_held) if off.mean() < 1 - LEFT else (np.ones_like(off), np.ones_like(off_held))
    )
    compact = other_to_one[lost, -1] / np.maximum(other_to_fit[lost, -1], _TINY)

    mirrored = other_to_one[:, -1] / own_one[near_own[:, 0]]
    reach = np.quantile(mirrored, FAR)
    unreached = held_to_one[:, -1] / own_one[near_held_one[:, 0]] > reach

    gaps_held = held_to_fit[:, 0] / own[near_held[:, 0]]
    gaps = other_to_one[:, 0] / own[near_other[:, 0]]
    tight = np.quantile(gaps_held, NEAR) / TIGHT
    on_other = on[len(own_one) :]
    uneven, uneven_held = (
        np.log(np.maximum(each[:, 0], _TINY)) - np.log(np.maximum(each[:, -1], _TINY))
        for each in (other_local, held_local)
    )
    bent = _shifted(
        uneven_held, uneven, np.zeros(len(gaps_held), np.intp), np.zeros(len(gaps), np.intp), 1
    )
    found = {
        **_share("off", off, off_held),
        "compact": float(np.median(compact)) if lost.sum() >= 5 else math.nan,
        "left": 1.0 - float(off.mean()),
        "radius": _log_ratio(radii[on], radii_held[on_held]),
        "radius_z": _rank_z(radii[on], radii_held[on_held]),
        **_share("unreached", unreached, mirrored > reach),
        **_share("tight", (gaps < tight) & ~lost, gaps_held < tight),
        "void": float(void.mean()),
        "bare": float(bare[lost].mean()) if lost.sum() >= 5 else math.nan,
        "nearest": _log_ratio(gaps[on_other], gaps_held[on_held]),
        "nearest_z": _rank_z(gaps[on_other], gaps_held[on_held]),
        "uneven": bent[0],
        "uneven_z": bent[1],
    }
    return found, on, on_held


def _log_ratio(generated: Floats, held: Floats) -> float:
    """Logarithm of the ratio of medians, generated over held-out; 0 without generated samples."""
    medians = (
        max(float(np.median(each)), _TINY) for each in (generated if len(generated) else held, held)
    )
    return math.log(next(medians)) - math.log(next(medians))


def _void(own: Floats, others: Floats) -> Flags:
    """True for points whose nearest samples in both sets are all of their own set.

    own : distances to the nearest samples of the own set, increasing; as many are examined as it
        has columns. others : distances to the nearest samples of the other set, increasing.
    """
    return own[:, -1] <= others[:, 0]


def _radii(near: NearestRows, points: Part) -> Floats:
    """Distance from each point to its K-th nearest other point. Where points repeat, it is at least
    the smallest positive one.
    """
    distances = near.among(points, points, K + 1)[1][:, -1]
    least = 1.0
    if (distances > 0).any():
        least = distances[distances > 0].min()
    return np.maximum(distances, least)


def _share(name: str, generated: Flags, held: Flags) -> dict[str, float]:
    """Share of flagged generated samples less share of flagged held-out ones, and its z-score."""
    n = len(held)
    m = len(generated)
    pooled = (held.sum() + generated.sum() + 1) / (n + m + 2)
    difference = float(generated.mean() - held.mean())
    return {
        name: difference,
        f"{name}_z": difference / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m)),
    }


def _rank_z(generated: Floats, held: Floats) -> float:
    """z-score of the rank-sum test, generated against held-out; 0 without samples.

    The same as `scipy.stats.ranksums`, which takes ten times as long to compute a p-value too.
    """
    n = len(generated)
    m = len(held)
    if not n or not m:
        return 0.0
    ordered = np.sort(np.concatenate([generated, held]))
    ends = [np.searchsorted(ordered, generated, side) for side in ("left", "right")]
    ranks = (ends[0] + ends[1] + 1) / 2
    return float((ranks.sum() - n * (n + m + 1) / 2) / math.sqrt(n * m * (n + m + 1) / 12))


def _distance(one: Floats, other: Floats) -> float:
    """Largest distance between two empirical distribution functions, as in
    `scipy.stats.ks_2samp`.
    """
    both = np.concatenate([one, other])
    shares = [np.searchsorted(np.sort(each), both, "right") / len(each) for each in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


# ---- clusters: shares, spreads, centres ----


def _count(values: Floats, sizes: tuple[int, int]) -> int:
    return int(np.clip(len(values) // sizes[0], 1, sizes[1]))


def clusters(values: Floats, count: int, seed: int, features: int | None = None) -> Floats:
    """Centres of ``count`` clusters by k-means; fewer if there are fewer different rows.

    features : number of features for which the values are coordinates; None: as many as columns.
    """
    from sklearn.cluster import KMeans

    rounded = (values / (np.abs(values).max() or 1.0)).round(9) + 0.0  # 0.0 instead of -0.0
    different = len({row.tobytes() for row in rounded})
    # scikit-learn takes the tolerance as a multiple of the mean variance of a column, here of a
    # feature.
    tolerance = 1e-4 * (values.shape[1] / features if features else 1.0)
    k_means = KMeans(
        min(count, different), n_init=1, max_iter=_ROUNDS, random_state=seed, tol=tolerance
    )
    return np.asarray(k_means.fit(values).cluster_centers_)


def cluster_of(values: Floats, centres: Floats) -> Ints:
    """Index of the nearest centre for every row."""
    from scipy.cluster.vq import vq

    return np.asarray(vq(values, centres, check_finite=False)[0])


def _masses(held: Floats, generated: Floats, centres: Floats) -> dict[str, float]:
    """Statistics of the shares of both sets in the clusters."""
    n = len(held)
    m = len(generated)
    counts, others = (
        np.bincount(cluster_of(each, centres), minlength=len(centres)) for each in (held, generated)
    )
    p = counts / n
    q = others / m
    pooled = (counts + others + 1) / (n + m + 1)
    chance = np.sqrt(np.maximum(pooled * (1 - pooled), _TINY) * (1 / n + 1 / m))
    z = (q - p) / chance
    freedom = max(len(centres) - 1, 1)
    empty = (q < EMPTY * p) & (z < -3)
    more = z > 2
    less = z < -2
    return {
        "mass_z": (float((z**2 * (1 - pooled)).sum()) - freedom) / math.sqrt(2 * freedom),
        "moved": float((q - p)[more].sum() + (p - q)[less].sum()) / 2,
        "worst": float(z.min()),
        "best": float(z.max()),
        "by_mass": _by_mass(held, generated, (q - p) @ centres),
        "empty": float((p - q)[empty].sum()),
        "seldom": float(q[less].sum() / p[less].sum()) if less.any() else 1.0,
        "often": float(q[more].sum() / max(p[more].sum(), 1 / n)) if more.any() else 1.0,
    }


def _by_mass(held: Floats, generated: Floats, moved: Floats) -> float:
    """Part of the move of the mean that the moved shares of the clusters explain."""
    move = generated.mean(axis=0) - held.mean(axis=0)
    return float(moved @ move / max(float(move @ move), _TINY))


def _spreads(
    held: Floats,
    generated: Floats,
    centres: Mapping[str, Floats],
    principal: Mapping[str, tuple[Floats, Floats]],
    features: int | None = None,
) -> dict[str, float]:
    """Spreads around the cluster centres and around one centre of all, in all directions and in
    bands of principal directions.

    centres : prefix of the names of statistics -> centres: those of the clusters, or the one
    centre.
    principal : variances of the fit samples around these along their principal directions, and the
        directions.
    features : number of features if it exceeds that of the rows; else None.
    """
    found: dict[str, float] = {}
    for prefix, around in centres.items():
        sides = [(each, cluster_of(each, around)) for each in (held, generated)]
        residuals = [_less(each, around[cluster]) for each, cluster in sides]
        variances, axes = principal[prefix]
        directions = features or len(variances)
        held_up = np.cumsum(variances) / max(float(variances.sum()), _TINY)
        top = int(np.searchsorted(held_up, 0.5)) + 1
        low = min(int(np.searchsorted(held_up, 0.8)) + 1, directions - 1)
        energies = [_energies(each, axes, top, low, whole=features is None) for each in residuals]
        distances = []
        for name in ("total", "top", "low"):
            one, other = (np.log(each[name] + _TINY) for each in energies)
            log, z = _shifted(one, other, sides[0][1], sides[1][1], len(around))
            found |= {f"{prefix}{name}": log / 2, f"{prefix}{name}_z": z}
            distances.append(_distance(one, other))
            if name == "total" and not prefix:
                found["tail"], found["tail_z"] = _tail(one, other)
            if name == "low" and not prefix:
                found["low_quarter"] = float(np.quantile(other, 0.25) - np.quantile(one, 0.25)) / 2
        found[f"{prefix}spread"] = max(distances)
        if not prefix:
            weights = np.bincount(sides[0][1], minlength=len(around)) / np.maximum(
                np.bincount(sides[1][1], minlength=len(around)), 1
            )
            own = weights[sides[1][1]]
            # All weights are 0 if no cluster has samples of both sets.
            mean = np.average(energies[1]["total"], weights=own if own.any() else None)
            added = mean - energies[0]["total"].mean()
            real = max(float(energies[0]["total"].mean()), _TINY)
            if features:
                minor = variances[low:].sum() / (directions - low)
            else:
                minor = variances[low:].mean()
            found |= {
                "anisotropy": float(variances[:top].mean() / max(float(minor), _TINY)),
                "added": float(added) / real,
                "within": real,
            }
    return found


def _tail(one: Floats, other: Floats) -> tuple[float, float]:
    """How much farther the last of 20 samples lies from the middle one in ``other`` than in
    ``one``, both given as logarithms: half the difference, and its z-score.

    The error of a quantile is that of its share, times the slope of the quantile over the share
    there.
    """
    reach = 0.0
    variance = 0.0
    for sign, values in ((-1, one), (1, other)):
        low, last, high, less, middle, more = np.quantile(values, [0.92, 0.95, 0.98, 0.4, 0.5, 0.6])
        reach += sign * float(last - middle)
        errors = math.sqrt(0.05 * 0.95) * (high - low) / 0.06, math.sqrt(0.25) * (more - less) / 0.2
        variance += float(errors[0] ** 2 + errors[1] ** 2) / len(values)
    return reach / 2, reach / math.sqrt(variance) if variance > 0 else 0.0


def _less(rows: Floats, others: Floats) -> Floats:
    """``rows - others``, computed in the memory of ``others``, which the caller no longer needs."""
    return np.subtract(rows, others, out=others)


def _principal_of(fit: Floats, around: Floats, features: int | None) -> tuple[Floats, Floats]:
    """`_principal` of the fit samples, each relative to the nearest of the centres ``around``."""
    residuals = _less(fit, around[cluster_of(fit, around)])
    return _principal(residuals, len(fit), features)


def _principal(residuals: Floats, n: int, features: int | None) -> tuple[Floats, Floats]:
    """Variances along the principal directions, the largest first, and these directions, (d, r).

    If features outnumber rows, the eigenvalues of the products of the rows are the same
    variances; those of all other directions are 0.
    """
    if features is None:
        variances, axes = np.linalg.eigh(residuals.T @ residuals / n)
        return np.clip(variances[::-1], 0, None), axes[:, ::-1]
    variances, mixed = np.linalg.eigh(residuals @ residuals.T / n)
    variances = np.clip(variances[::-1], 0, None)
    mixed = mixed[:, ::-1]
    known = variances > len(residuals) * np.finfo(np.float64).eps * max(float(variances[0]), _TINY)
    axes = residuals.T @ (mixed[:, known] / np.sqrt(n * variances[known]))
    return np.where(known, variances, 0.0), axes


def _energies(
    residuals: Floats, axes: Floats, top: int, low: int, *, whole: bool
) -> dict[str, Floats]:
    """Squared lengths of the rows in all directions ("total"), in the first ``top`` and in those
    beyond the first ``low`` ones.

    whole : True if the axes are all directions.
    """
    if whole:
        main = residuals @ axes[:, :top]
        beyond = residuals @ axes[:, low:]
    else:
        main = residuals @ axes[:, : max(top, low)]
        beyond = residuals - main[:, :low] @ axes[:, :low].T
    bands = {"total": residuals, "top": main[:, :top], "low": beyond}
    return {name: np.square(band).sum(axis=1) for name, band in bands.items()}


def _shifted(
    one: Floats, other: Floats, mine: Ints, others: Ints, count: int
) -> tuple[float, float]:
    """Mean shift of a value from one set to the other within clusters, and its z-score. Shares of
    clusters have no effect.
    """
    shifts = []
    weights = []
    errors = []
    for cluster in range(count):
        a = one[mine == cluster]
        b = other[others == cluster]
        if min(len(a), len(b)) >= 5:
            shifts.append(b.mean() - a.mean())
            weights.append(min(len(a) / len(one), len(b) / len(other)))
            errors.append(a.var() / len(a) + b.var() / len(b))
    if not shifts:
        return 0.0, 0.0
    shares = np.array(weights) / sum(weights)
    shift = float(shares @ shifts)
    error = math.sqrt(float(shares**2 @ errors))
    return shift, shift / error if error > 0 else 0.0


# Features of held-out rows, of generated rows and of cluster centres, and their mean over the fit
# samples, for one block of features.
_Features: TypeAlias = tuple[Floats, Floats, Floats, Floats]


def _moves(blocks: Iterable[_Features], mine: Ints, others: Ints) -> dict[str, float]:
    """Moves of the cluster centres, and what is left of them after a shift, a factor and a stretch.

    mine, others : cluster of each held-out and of each generated row.
    """
    parts = [_moved(*block, mine, others) for block in blocks]
    at, by, weight, apart = (np.concatenate(each, axis=1) for each in zip(*parts, strict=True))
    names = (
        "centre_z",
        "after_shift",
        "after_scale",
        "after_stretch",
        "after_features",
        "stretch_z",
    )
    if not len(at):
        return dict.fromkeys((*names, "stretch", "factor"), 0.0)

    def left(model: Floats, parameters: int = 0) -> float:
        freedom = by.size - parameters
        # With a parameter for every coordinate of every move, the model fits any moves.
        if freedom <= 0:
            return math.nan
        return (float((weight * np.square(by - model)).sum()) - freedom) / math.sqrt(2 * freedom)

    def slope(on: Floats, axis: int | None = None) -> Floats:
        return np.asarray(
            (weight * on * by).sum(axis=axis) / np.maximum((weight * on**2).sum(axis=axis), _TINY)
        )

    factor = float(slope(at))
    stretch = float(slope(apart))
    d = by.shape[1]
    moved = (float((weight * np.square(by)).sum()) - by.size) / math.sqrt(2 * by.size)
    return {
        "centre_z": moved,
        "after_shift": left(np.broadcast_to(slope(np.ones_like(at), 0), by.shape), d),
        "after_scale": left(factor * at, 1),
        "after_stretch": left(stretch * apart, int(apart.any())),
        "after_features": left(slope(at, 0) * at, d),
        "stretch": stretch,
        "stretch_z": stretch * math.sqrt(float((weight * apart**2).sum())),
        "factor": factor,
    }


def _moved(
    held: Floats, generated: Floats, centres: Floats, mean: Floats, mine: Ints, others: Ints
) -> tuple[Floats, Floats, Floats, Floats]:
    """Of clusters with enough rows: centre, move, weight of the move, and centre relative to the
    mean.
    """
    means = [np.empty((0, held.shape[1]))]
    moves = [np.empty((0, held.shape[1]))]
    weights = []
    weights.append(means[0])
    for cluster in range(len(centres)):
        a = held[mine == cluster]
        b = generated[others == cluster]
        if min(len(a), len(b)) >= 10:
            chance = np.maximum(a.var(axis=0), FLOOR) / len(a) + np.maximum(
                b.var(axis=0), FLOOR
            ) / len(b)
            # Centres of the fit half, since the noise of held-out centres is also in the moves and
            # would look like a factor.
            means.append(centres[cluster][None])
            moves.append((b.mean(axis=0) - a.mean(axis=0))[None])
            weights.append((1 / chance)[None])
    at, by, weight = (np.concatenate(each) for each in (means, moves, weights))
    # With a single cluster its centre is the mean, and their difference only rounding.
    return at, by, weight, at - mean if len(centres) > 1 else np.zeros_like(at)


# ---- the sets as wholes ----


def _whole(real: RowSet, points: Floats, others: Floats, whole: bool) -> dict[str, float]:
    """Total variance of the generated set over the real one, less 1; its standard error; the total
    real variance; and the squared distance of the real mean from the origin, over that variance.
    """
    squares = [np.square(each - each.mean(axis=0)).sum(axis=1) for each in (points, others)]
    unit = max(float(squares[0].mean()), _TINY)
    error = math.sqrt(sum(float((each / unit).var()) / len(each) for each in squares))
    mean = np.concatenate(
        [real.features(columns).mean(axis=0) for columns in real.columns(whole=whole)]
    )
    offset = float(np.square(mean).sum()) / unit
    return {
        "whole_added": float(squares[1].mean()) / unit - 1,
        "whole_chance": error,
        "whole": unit,
        "offset": offset,
    }


def _deciles(real: RowSet, generated: RowSet, whole: bool) -> dict[str, float]:
    """Differences of the features' deciles, and what is left of them after repairs of the generated
    features.
    """
    chance = math.sqrt(1 / len(real) + 1 / len(generated))
    parts = []

    def of_real(columns: slice) -> tuple[Floats, Floats, Floats]:
        values = real.features(columns)
        ordered = np.sort(values.T, axis=1)
        return _quantiles(ordered, DECILES), values.var(axis=0), _steps(ordered, DECILES, chance)

    for columns in real.columns(whole=whole):
        key = "deciles", columns.start, len(generated)
        mine, variances, steps = real.known.remembered(key, partial(of_real, columns))
        values = generated.features(columns)
        theirs = _quantiles(np.sort(values.T, axis=1), DECILES)
        spread = np.sqrt((variances + values.var(axis=0)) / 2)
        parts.append((mine, theirs, spread[:, None], steps))
    one, other, spread, steps = (np.concatenate(each) for each in zip(*parts, strict=True))
    unit = np.maximum(DECILE * chance * np.maximum(spread, 1e-3), steps)

    def left(repaired: Floats, error: Floats = unit) -> Floats:
        return np.asarray(np.square((repaired - one) / error).mean(axis=1))

    def factors(axis: int | None) -> Floats:
        return np.asarray(
            (one * other).sum(axis=axis) / np.maximum((one * one).sum(axis=axis), _TINY)
        )

    plain = left(other)
    factor = float(factors(None))
    safe = abs(factor) if abs(factor) > 1e-6 else 1.0
    each = np.where(np.abs(factors(1)) > 1e-6, np.abs(factors(1)), 1.0)
    return {
        "deciles": float(plain.mean()),
        "deciles_shift": float(left(other - np.median(other - one, axis=1)[:, None]).mean()),
        "deciles_scale": float(left(other / safe, unit / min(safe, 1.0)).mean()),
        "deciles_features": float(
            left(other / each[:, None], unit / np.minimum(each, 1.0)[:, None]).mean()
        ),
        **_order(real, generated),
        "scale": math.log(safe),
        "features": float(len(one)),
    }


def _quantiles(ordered: Floats, at: Floats) -> Floats:
    """`np.quantile` of each row of sorted values, (d, len(at))."""
    place = at * (ordered.shape[1] - 1)
    below = np.floor(place).astype(np.intp)
    part = place - below
    low = ordered[:, below]
    high = ordered[:, np.minimum(below + 1, ordered.shape[1] - 1)]
    rise = high - low
    return np.asarray(np.where(part < 0.5, low + rise * part, high - rise * (1 - part)))


def _steps(ordered: Floats, at: Floats, chance: float) -> Floats:
    """How far deciles may jump by chance between values that repeat, (d, 9); 0 for features whose
    values mostly differ.

    ordered : (d, n) sorted values of each feature.
    """
    repeat = (np.diff(ordered, axis=1) == 0).mean(axis=1) > 0.5
    found = np.zeros((len(ordered), len(at)))
    repeated = ordered[repeat]
    low = _quantiles(repeated, np.clip(at - JUMPS * chance, 0, 1))
    found[repeat] = _quantiles(repeated, np.clip(at + JUMPS * chance, 0, 1)) - low
    return found


def _order(real: RowSet, generated: RowSet) -> dict[str, float]:
    """How well the generated features fit in this and in the best other order, by distributions and
    correlations of ranks.

    Another order is searched only if two features differ beyond chance, or all correlations do.
    Then the features that fit badly are moved, judged by their correlations with those that fit. If
    correlations still don't fit, all features are moved. Ranks keep values that are mostly 0 from
    changing what chance gives.
    """
    from scipy.optimize import linear_sum_assignment

    found = {"misfit": 0.0, "misfit_ordered": 0.0, "disordered": 0.0, "related": math.nan}
    if not 2 <= real.d <= PERMUTED:
        return found
    sides = [each.in_one_unit() for each in (real, generated)]
    angles = real.known.remembered("angles", lambda: _angles(sides[0])), _angles(sides[1])
    related = [
        np.square(each[~np.eye(real.d, dtype=bool)]).mean() - 1 / len(side)
        for each, side in zip(angles, sides, strict=True)
    ]
    if related[0] * len(real) > RELATED:
        found["related"] = float(related[1] / related[0])
    chance = 1 / len(real) + 1 / len(generated)
    squares = np.square(angles[1] - angles[0])
    apart = np.median(squares / chance, axis=1)
    shares = real.known.remembered("shares", lambda: _shares_up_to_deciles(sides[0]))
    plain = _unlike(shares, sides[1], len(real))
    among = math.log(real.d)
    beyond = (plain > UNLIKE[0] + among) | (apart > UNLIKE[1] + 2 * among)
    if np.count_nonzero(beyond) < 2 and squares.mean() < DISORDER * chance:
        return found
    wrong = np.flatnonzero((plain > DISORDER) | (apart > DISORDER))
    right = np.setdiff1d(np.arange(real.d), wrong)
    parts = [each[wrong][:, right] / math.sqrt(chance * max(len(right), 1)) for each in angles]
    order = np.arange(real.d)
    before = np.zeros(real.d)
    after = np.zeros(real.d)
    if len(wrong):
        of_wrong = (shares[0][wrong], shares[1][wrong])
        cost = _all_unlike(of_wrong, sides[1][:, wrong], len(real)) + _squares(*parts)
        places = linear_sum_assignment(cost)[1]
        order[wrong] = wrong[places]
        before[wrong] = np.diag(cost)
        after[wrong] = cost[np.arange(len(wrong)), places]
    if _misfit(angles, order) > DISORDER * chance:
        of_chance = [each / math.sqrt(chance) for each in angles]
        order, before, after = _matched(of_chance, _all_unlike(shares, sides[1], len(real)))
    moved = order != np.arange(real.d)
    if moved.any():
        # Misfits of features that stay in place count too.
        left = np.maximum(after[~moved] - UNLIKE[0] - among, 0).sum() / moved.sum()
        found["misfit"] = float(before[moved].mean())
        found["misfit_ordered"] = float(after[moved].mean() + left)
    return found | {"disordered": float(moved.sum())}


def _misfit(angles: Sequence[Floats], order: Ints) -> float:
    """Mean squared difference of correlations, with the generated features in this order."""
    return float(np.square(angles[0] - angles[1][np.ix_(order, order)]).mean())


def _matched(angles: Sequence[Floats], unlike: Floats) -> tuple[Ints, Floats, Floats]:
    """The order of the generated features that fits best by all correlations and distributions, and
    the misfit of each feature before and after, beyond chance.

    angles : `_angles` of both sets, in units of chance. unlike : (real, generated) misfit of two
        features by their distributions.

    The first round compares the sorted correlations of each feature, which do not depend on the
    order (Ding et al. 2021); later rounds compare its correlations with the features in the order
    of the round before.
    """
    from scipy.optimize import linear_sum_assignment

    places = np.arange(len(unlike))
    # A feature's correlation with itself is always 1.
    sides = [each - np.diag(np.diag(each)) for each in angles]

    def fits(order: Ints) -> Floats:
        apart = np.square(sides[0] - sides[1][np.ix_(order, order)]).mean(axis=1)
        return np.asarray(apart + unlike[places, order])

    before = fits(places)
    best = places
    after = before
    compared = [np.sort(each, axis=1) for each in sides]
    last = math.inf
    for _ in range(_ROUNDS):
        order = linear_sum_assignment(unlike + _squares(*compared) / len(unlike))[1]
        left = fits(order)
        if left.mean() >= last:
            break
        last = float(left.mean())
        if last < after.mean():
            best = order
            after = left
        compared = [sides[0], sides[1][:, order]]
    return best, before - CHANCE, np.maximum(after - CHANCE, 0)


def _angles(values: Floats) -> Floats:
    """Fisher's z of the rank correlations of every two features."""
    return np.arctanh(np.clip(_correlations(_ranks(values)), -0.99, 0.99))


def _unlike(real: tuple[Floats, Floats], generated: Floats, n_real: int) -> Floats:
    """For each feature, mean squared difference of the shares of values up to the real deciles, in
    units of chance.

    real : `_shares_up_to_deciles` of ``n_real`` samples.
    """
    at, shares = real
    return _mean_squares(shares, _shares_up_to(at, generated), n_real, len(generated))


def _all_unlike(real: tuple[Floats, Floats], generated: Floats, n_real: int) -> Floats:
    """`_unlike` of every real feature (rows) with every generated one (columns)."""
    at, shares = real
    # Sorted values are looked up faster.
    order = np.argsort(at, axis=None)
    found = np.empty((len(at), generated.shape[1]))
    below = np.empty(at.size)
    for place, row in enumerate(np.sort(generated, axis=0).T):
        below[order] = np.searchsorted(row, at.ravel()[order], "right")
        found[:, place] = _mean_squares(
            shares, below.reshape(at.shape) / len(generated), n_real, len(generated)
        )
    return found


def _shares_up_to_deciles(real: Floats) -> tuple[Floats, Floats]:
    """The deciles of each feature, (d, 9), and the share of its values up to each."""
    at = np.quantile(real, DECILES, axis=0, method="inverted_cdf").T
    return at, _shares_up_to(at, real)


def _shares_up_to(at: Floats, values: Floats) -> Floats:
    """For each feature, the share of its values up to each of the numbers ``at``, (d, 9)."""
    columns = np.sort(values, axis=0).T
    below = [np.searchsorted(row, ends, "right") for row, ends in zip(columns, at, strict=True)]
    return np.stack(below) / len(values)


def _mean_squares(real: Floats, generated: Floats, n_real: int, n_generated: int) -> Floats:
    """For each feature, mean squared difference of shares, in units of chance."""
    pooled = np.average([real, generated], axis=0, weights=[n_real, n_generated])
    chance = np.maximum(pooled * (1 - pooled), _TINY) * (1 / n_real + 1 / n_generated)
    return np.asarray((np.square(generated - real) / chance).mean(axis=1))


def _ranks(values: Floats) -> Floats:
    """Ranks of the values of each feature; equal values share a rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=0))


def _squares(one: Floats, other: Floats) -> Floats:
    """Squared distances from all rows of one array to all rows of the other."""
    return np.asarray(
        np.square(one).sum(axis=1)[:, None] + np.square(other).sum(axis=1) - 2 * one @ other.T
    )


def _correlations(values: Floats) -> Floats:
    centred = values - values.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(lengths > 0, lengths, 1.0)
    return np.asarray(unit.T @ unit)
