"""Memorisation: generated samples that copy a real one, exactly or nearly, more often than other
real samples do.

A near copy is much nearer to one real sample than to the next. In an even density of dimension d
the ratio of the two distances is the d-th root of a uniform number, whatever the density: samples
that only vary too little have the ratios of other real ones, though their distances are smaller
(`tests/benchmarks/memorisation.py` measures it).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Flags, Floats, Ints
from prviz.checks.facts import compare_rows, row_classes, set_facts
from prviz.checks.flags import discrete
from prviz.checks.twins import even_dimension
from prviz.neighbors import MEMORY_LIMIT, nearest_rows
from prviz.samples import SamplePair, Samples, independent_number

# Quantile of the held-out ratios that sets the threshold of near copies. A near copy has a ratio of
# at most its square: about NEAR ** 2 of other real samples do, too few for a moderate error of the
# model to matter. Where real samples keep apart, as on a lattice, its square may be more than the
# quantile of an even density, which is taken instead.
NEAR = 0.02
# If even copies may miss the threshold, as in few dimensions, the quantile NEAR itself is the
# threshold, provided that surely more than _MARGIN * NEAR of the samples lie below it: no error of
# the model explains so many.
_MARGIN = 2.0
# Fewest different real samples to which the samples below the quantile NEAR must be nearest.
_DIFFERENT = 5
# Probability that an interval holds. The rest bounds false alarms: one test is made per checkpoint.
CONFIDENCE = 0.99
# Largest share of the holdout that may also be in the reference.
MOST_SHARED = 0.05
# Least ratio of the number of rows that are once in both sets to the largest one by chance, for
# copies where features take few values.
_ACROSS = 1.5
# Least share of different rows among generated ones: fewer are a few rows again and again.
_DISTINCT = 0.2
_TINY = float(np.finfo(np.float64).tiny)
# Number of nearest pairs in the result.
_PAIRS = 5


class Excess(NamedTuple):
    """A share of the generated samples, the share expected of real ones, and the interval of the
    difference.
    """

    number: int
    share: float
    expected: float
    low: float
    high: float

    @property
    def value(self) -> float:
        """The difference of the shares."""
        return self.share - self.expected


class NearPair(NamedTuple):
    """A generated sample and the real one nearest to it, by row, from 0."""

    generated: int
    real: int
    distance: float


class Memorisation(NamedTuple):
    """Copies of the reference among generated samples.

    exact : samples at distance 0; their interval counts only copies of rows that the reference
        holds once, as other rows repeat among real samples too.
    near : samples at most ``threshold`` times as far from the nearest real sample as from the next,
        exact copies among them.
    pairs : the nearest pairs, nearest first.
    source : where the expected shares are from, in words.
    """

    exact: Excess
    near: Excess
    threshold: float
    pairs: tuple[NearPair, ...]
    source: str

    @property
    def memorised(self) -> bool:
        """True if generated samples are exact or near copies more often than other real samples
        are, beyond chance.
        """
        return self.exact.low > 0 or self.near.low > 0


class HeldOutDistances(NamedTuple):
    """Distances of real samples to the reference, which those of generated samples are compared
    with.

    values : (n, 2) distances to the two nearest other samples.
    independent : number of samples that count as independent.
    source : which real samples these are, in words.
    holdout : digest of the holdout; "" without one.
    """

    values: Floats
    independent: float
    source: str
    holdout: str = ""


def held_out_distances(
    reference: Samples, holdout: Samples | None = None, *, memory_limit: int = MEMORY_LIMIT
) -> HeldOutDistances:
    """Distances from the holdout to the reference; without one, those inside the reference, leaving
    each sample out.

    Two samples of the reference that are nearest to each other share their distance, so that n of
    them count as n / 2. Of a reference with groups the whole group of a sample is left out. Only
    tiles of the distances are in memory.

    Raises ValueError: a holdout of which more than MOST_SHARED occurs in the reference, or of
    another dimension.
    """
    if holdout is None:
        if reference.group_numbers is not None:
            values = _of_other_groups(reference, reference.group_numbers, memory_limit)
            return HeldOutDistances(
                values, reference.n_independent / 2, "the reference itself, each group left out"
            )
        # The nearest sample is the sample itself, or one equal to it: skip it.
        values = _nearest(reference, reference, 3, memory_limit)[1][:, 1:]
        return HeldOutDistances(
            values, _independent(reference) / 2, "the reference itself, each sample left out"
        )
    shared = check_holdout(reference, holdout)
    source = f"{holdout.n} held-out real samples"
    if shared:
        source += f", {shared} of them in the reference too"
    distances = _nearest(holdout, reference, memory_limit=memory_limit)[1]
    return HeldOutDistances(distances, holdout.n_independent, source, holdout.digest)


def _independent(samples: Samples) -> int:
    """Effective number of independent samples. Samples of one group, or equal ones, are not
    independent.
    """
    repeats = row_classes([samples])
    return min(samples.n_independent, independent_number(repeats))


def _of_other_groups(reference: Samples, groups: Ints, memory_limit: int) -> Floats:
    """(n, 2) distances of each sample to the two nearest samples of other groups. Raises ValueError
    if there are no two.
    """
    sizes = np.bincount(groups)
    most = int(sizes.max())
    if reference.n - most < 2:
        raise ValueError(
            "groups: nearly all real samples are of one group; samples of other groups are needed"
        )
    found = np.empty((reference.n, 2))
    # Among the nearest neighbours, two more than the largest group has samples, at least two are of
    # other groups.
    step = max(1, memory_limit // (64 * (most + 2)))
    order = np.argsort(groups, kind="stable")
    for start in range(0, reference.n, step):
        rows = order[start : start + step]
        k = int(sizes[groups[rows]].max()) + 2
        near, distances = nearest_rows(
            reference.values, rows, k, reference.values, memory_limit=memory_limit
        )
        other = groups[near] != groups[rows][:, None]
        first = np.argsort(~other, axis=1, kind="stable")[:, :2]
        found[rows] = np.take_along_axis(distances, first, axis=1)
    return found


def check_holdout(reference: Samples, holdout: Samples) -> int:
    """Number of samples of a holdout that occur in the reference.

    Raises ValueError: it is more than MOST_SHARED of them, or the holdout has another dimension.
    """
    if holdout.d != reference.d:
        raise ValueError(
            f"holdout: its samples have {holdout.d} features, those of the reference"
            f" {reference.d}; both must come from the same encoder"
        )
    shared = compare_rows(SamplePair(reference, holdout)).counts.shared_generated
    if shared > MOST_SHARED * holdout.n:
        raise ValueError(
            f"holdout: {shared} of {holdout.n} samples are in the reference too; at most"
            f" {100 * MOST_SHARED:.0f} % may be: give real samples that the reference does not hold"
        )
    return shared


def memorisation(
    reference: Samples,
    generated: Samples,
    held_out: HeldOutDistances,
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> Memorisation:
    """Exact and near copies of the reference among generated samples, compared with held-out real
    ones.

    The interval of each difference joins those of its two shares (Newcombe 1998, method 10, with
    the intervals of Clopper and Pearson).
    """
    rows, distances = _nearest(generated, reference, memory_limit=memory_limit)
    ratios = _ratios(distances)
    usual = _ratios(held_out.values)
    drawn = _independent(generated)
    known = usual[usual > 0]
    wide = 0.0
    if len(known):
        wide = float(np.quantile(known, NEAR, method="lower"))
        even = NEAR ** (1 / (even_dimension(reference, memory_limit) or math.inf))
        if wide**2 > even:
            wide = even
    threshold = wide**2
    near = _excess(ratios <= wide**2, usual <= wide**2, held_out.independent, drawn)
    if near.low <= 0:
        below = ratios <= wide
        more = _excess(below, usual <= wide, held_out.independent, drawn)
        if more.low > _MARGIN * NEAR and len(np.unique(rows[below, 0])) >= _DIFFERENT:
            threshold = wide
            near = more
    first = np.argsort(distances[:, 0], kind="stable")[:_PAIRS]
    equal, usually = (each[:, 0] == 0 for each in (distances, held_out.values))
    exact = _excess(equal, usually, held_out.independent, drawn)
    alone, seldom = (each[:, -1] > 0 for each in (distances, held_out.values))
    once = _excess(equal & alone, usually & seldom, held_out.independent, drawn)
    if _by_nature(reference, generated):
        once, near = (each._replace(low=min(each.low, 0.0)) for each in (once, near))
    return Memorisation(
        exact._replace(low=once.low, high=once.high),
        near,
        threshold,
        tuple(NearPair(int(row), int(rows[row, 0]), float(distances[row, 0])) for row in first),
        held_out.source,
    )


def _by_nature(reference: Samples, generated: Samples) -> bool:
    """True if features take few values, and rows that occur twice are no more often in both sets
    than in either one: whatever the distributions p and q, the sum of p q is at most the geometric
    mean of those of p p and q q.
    """
    if not discrete(set_facts(reference).rows):
        return False
    # As many generated rows as real ones, so that a copied row is seldom there again and again.
    rows = np.random.default_rng(0).permutation(generated.n)[: reference.n]
    classes = row_classes([reference, generated.take(rows)])
    real, own = (
        np.bincount(each, minlength=int(classes.max()) + 1)
        for each in (classes[: reference.n], classes[reference.n :])
    )
    if np.count_nonzero(own) < _DISTINCT * len(rows):
        return False
    both, of_real, of_own = (
        int(np.count_nonzero((real == one) & (own == 2 - one))) for one in (1, 2, 0)
    )
    least = both - 2 * math.sqrt(both)
    return least <= _ACROSS * 2 * math.sqrt(of_real * of_own)


def _nearest(
    points: Samples, among: Samples, k: int = 2, memory_limit: int = MEMORY_LIMIT
) -> tuple[Ints, Floats]:
    return nearest_rows(
        points.values, np.arange(points.n), k, among.values, memory_limit=memory_limit
    )


def _ratios(distances: Floats) -> Floats:
    """Distance to the nearest over distance to the second nearest; 1 where both are 0, as for
    copies of a row that repeats.
    """
    return np.where(
        distances[:, -1] > 0, distances[:, 0] / np.maximum(distances[:, -1], _TINY), 1.0
    )


def memorisation_of_facts(facts: Any) -> Memorisation | None:
    """Converts cached facts to a `Memorisation`; None if the facts are something else."""
    try:
        exact, near, threshold, pairs, source = facts
        return Memorisation(
            Excess(*exact),
            Excess(*near),
            threshold,
            tuple(NearPair(*each) for each in pairs),
            source,
        )
    except (TypeError, ValueError):
        return None


def memorised_text(found: Mapping[str, Memorisation]) -> str | None:
    """The warning on checkpoints that copy the reference, which comes before any ranking; None if
    none does. ``found`` is by checkpoint name.
    """
    lines = [f"  {name}: {copies_text(each)}" for name, each in found.items() if each.memorised]
    if not lines:
        return None
    return "\n".join(
        ["Memorised: copies of the reference rank high and are no new samples.", *lines]
    )


def copies_text(found: Memorisation) -> str:
    """The copies of one checkpoint in words."""
    near = found.near
    nearest = found.pairs[0]
    return (
        f"{found.exact.number} exact copies; {100 * near.share:.1f} % of its samples are at most"
        f" {found.threshold:.2g} times as far from one real sample as from the next,"
        f" {100 * near.expected:.1f} % expected from {found.source} (difference"
        f" {100 * near.low:+.1f} % to {100 * near.high:+.1f} %, {100 * CONFIDENCE:.0f} % interval);"
        f" nearest: generated row {nearest.generated + 1}, real row {nearest.real + 1}, distance"
        f" {nearest.distance:.4g}"
    )


def _excess(flags: Flags, usual: Flags, independent: float, drawn: int) -> Excess:
    """The `Excess` of flagged generated samples over flagged real ones.

    usual : flags of the real samples. independent, drawn : number of independent samples that the
        real ones, and the generated ones, count as.
    """
    number = int(np.count_nonzero(flags))
    share = number / len(flags)
    expected = float(usual.mean())
    low, high = binomial_interval(
        number if drawn == len(flags) else share * drawn, drawn, 1 - CONFIDENCE
    )
    least, most = binomial_interval(expected * independent, independent, 1 - CONFIDENCE)
    return Excess(
        number,
        share,
        expected,
        share - expected - math.hypot(share - low, most - expected),
        share - expected + math.hypot(high - share, expected - least),
    )


def binomial_interval(count: float, n: float, level: float) -> tuple[float, float]:
    """Clopper-Pearson interval of a share, with confidence 1 - level.

    Counts of effective samples need not be whole.
    """
    from scipy.special import betainccinv, betaincinv

    tail = level / 2
    low = 0.0
    if count > 0:
        low = float(betaincinv(count, n - count + 1, tail))
    return low, float(betainccinv(count + 1, n - count, tail)) if count < n else 1.0
