"""Findings: what is wrong with a checkpoint, in plain words, each with its number and its evidence.

A fault is named by the statistic that shows it and nothing else does (`prviz.triage.pair_statistics`), each compared
with what held-out real samples get. A sentence says what is observed; the evidence shows the samples that it concerns.
Findings depend on the samples alone, not on the seed of the split or of the bootstrap.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from prviz.curves import PRCurve
from prviz.diagnostics.influence import REMOVED, Influence, carries, influence
from prviz.diagnostics.preflight import DIMENSION_RATIO, FEW_EVALUATED, MANY_ROWS, PairFacts, preflight
from prviz.measure.estimates import Estimate, Progress, part_of
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.balls import ROLES
from prviz.samples import SamplePair
from prviz.triage.memorisation import CONFIDENCE, HeldOutDistances, Memorisation, held_out_distances, memorisation
from prviz.triage.pair_statistics import PairStatistics, halvings, mean_statistics
from prviz.uncertainty.bootstrap import LEVEL, Spread, bootstrap

Level = Literal["note", "warning"]

# z-score beyond which a difference is no chance: in 1,440 draws of real against real from nine sets (n = 250 to 800) no
# one that is held against it exceeded 3.5.
SURE = 4.0
INTERVAL = 1.96  # standard errors to the ends of an interval of 95 %
CLEAR = 2.58  # z-score of what only supports a finding
SURE_MASS = 4.5  # of the shares of the clusters: a sum of squares, whose tail is longer
# Moves of cluster centres and differences of deciles that count, in units of chance: both depend on how features hang
# together, so that chance alone gives up to 17 and 5.5. The lower pair counts where both are reached.
MOVED, DIFFERENT = 20.0, 8.0
MOVED_BOTH, DIFFERENT_BOTH = 6.0, 5.0
HUGE, LITTLE = 50.0, 0.05  # a difference of deciles beside which clusters say nothing; the part that a repair leaves
FITS = 4.0  # differences of features that fit again, in units of chance
MENDED = 0.3  # a repair explains a difference if it leaves less of it
LIKE_MASS = 2.0  # z-score of the shares of the clusters below which they move nothing
BY_MASS = (0.4, 0.6)  # part of a move of the mean from which on the shares of the modes may be, and are, its cause
# Generated samples off the support form modes of their own if their nearest generated ones are so much nearer.
COMPACT = 0.75
BARE = 0.7  # least share of them without a real one among the nearest
# Least share of real samples without a generated one among their nearest, and least z-score of those beyond its reach,
# from which on modes are missing rather than re-weighted.
VOID_SHARE, BEYOND = 0.015, 2.0
# The same of samples that were averaged with their neighbours: log ratio of the distances to near and less near ones.
AVERAGED = -0.04
# Part of the samples above which a finding is a warning.
SEVERE = 0.2
# Log ratio of spreads by which minor directions shrink more than main ones where samples are smoothed.
TILT = 0.03
# Part of the moves of the cluster centres that no shift and no factor explains where a filter has bent the set.
BENT = 0.25
# Least squared distance of the real mean from the origin, over the variance: nearer, a factor from the origin and one
# from the mean are the same.
OFFSET = 0.08
# Least log ratio of the distances to the nearest, and least z-score of those to the real samples, of other shapes.
CLOSER, FARTHER = 0.04, 2.5
# Part of the noise of the mean sample that its quarter of least noise has, below which only some samples are off.
SOME = 0.6
# A fault is left out beside another that explains so many times more of the samples.
MINOR = 3.0
# Overlap, 1 - TV, below which the sets count as apart.
APART = 0.1
# Least relative distance of a norm ratio from 1: rows of norm 1 are no sign of normalisation where those of the other
# set have nearly the same norm.
NORM_DIFFERS = 0.02
# Share of an extreme that the 5 most influential samples alone may hold, and the same in multiples of their share of
# the samples; beyond both, the extreme hangs on outliers.
OUTLIERS = 0.05
OUTLIERS_SHARE = 5.0
# Ratio of the ends of the range of lam over which one point of the curve is optimal that counts as a kink.
KINK = 3.0
KINK_MOVE = 0.03  # largest move of the point in either error rate: the noise of a rate from a few hundred samples
KINK_INSIDE = 0.05  # least distance to either end of the curve, and to error rates of 0
# Width of the interval of AuC above which samples are too few to tell checkpoints apart.
WIDE = 0.1
# Fewest samples per set for statistics of two halves.
LEAST = 60

# What follows from a fault that explains more, and would contradict it: no list names a fault and its reverse.
EXCLUDES: Mapping[str, frozenset[str]] = {
    "wide": frozenset({"dropping", "narrow", "blurred", "invention"}),
    "noise": frozenset({"dropping", "narrow", "blurred"}),
    "coarse": frozenset({"narrow"}),
    "dropping": frozenset({"wide", "noise"}),
    "narrow": frozenset({"off", "invention", "wide", "noise"}),
    "blurred": frozenset({"off", "invention", "wide", "noise"}),
    "invention": frozenset({"narrow", "blurred"}),
    "off": frozenset({"narrow", "blurred"}),
    "collapse": frozenset({"off", "invention", "wide", "noise"}),
}

EVIDENCE: Mapping[str, str] = {
    "recall end": "the right end of the curve, and the real samples that are missed there",
    "precision end": "the left end of the curve, and the generated samples that are rejected there",
    "kink": "the kink of the curve, and the samples on both sides of its classifier",
    "duplicates": "rows that repeat another one, and both ends of the curve without them",
    "dimension": "directions in which the samples vary",
    "outliers": "the samples that carry most others, and both ends of the curve without them",
    "interval": "the band of the curve",
    "preflight": "norms and spreads of both sets",
}
"""Evidence in words, by the key that a finding names."""

NUMBERS: Mapping[str, str] = {
    "dropping": "of the real data is hardly ever generated",
    "invention": "of the generated samples form modes without real ones",
    "off": "of the generated samples lie off the real support",
    "reweighting": "of the samples would have to change their mode",
    "narrow": "the real spread",
    "wide": "the real spread",
    "blurred": "the real distance to the nearest sample",
    "noise": "the real spread in the minor directions",
    "coarse": "the real distance to real samples",
    "collapse": "of the generated rows repeat another",
    "copies": "of the generated rows are rows of the reference",
    "near_copies": "of the generated samples nearly copy a real one",
    "scale": "the real values",
    "shifted": "the part of the difference that one shift explains",
    "permuted": "of the features are in another place",
    "flat": "as many directions as the real samples",
    "outliers": "of the other set would lose all support",
    "few": "width of AuC's 95 % interval",
    "apart": "of the mass in common",
}
"""What the number of a finding is, by the finding's key."""


LOOKED_FOR: Mapping[str, str] = {
    "Dropped modes": "real samples without a generated one among their neighbours, or beyond their reach",
    "Invented modes": "generated samples without a real one among their neighbours, close to each other",
    "Off the manifold": "generated samples without real ones near by, nor each other, while the others fit",
    "Re-weighted modes": "other shares in the real clusters, none of which is empty",
    "Too narrow, too wide": "another spread within the clusters and as a whole, alike in all directions",
    "Blurred": "nearest samples closer than the tenth nearest explain, or spread lost in minor directions",
    "Noise added": "spread added in minor directions more than in main ones",
    "Under-trained": "samples between the real ones, while the variance of the whole set fits",
    "Repeated samples": f"{MANY_ROWS:.0%} more generated than real rows repeat another, or others nearly",
    "Copies": "generated rows that are rows of the reference, or much closer to one than to the next",
    "Different scales, shifted or permuted features": "one factor, shift or order that makes the sets fit",
    "Fewer directions": f"the generated effective dimension is below 1 / {DIMENSION_RATIO:g} of the real one",
    "Outliers": f"5 samples alone carry more than {OUTLIERS:.0%} of the other set, and far more than their share",
    "Too few samples": f"AuC's interval is wider than {WIDE:g}, or fewer than {FEW_EVALUATED} of a set measure it",
    "Hardly any overlap": f"less than {APART:.0%} of the mass is shared",
}
"""What is looked for, by title."""


@dataclass(frozen=True)
class TriageFinding:
    """One thing that is wrong, or may be.

    key : a key of NUMBERS. title : two or three words. sentence : the observation in plain words, with its number.
    number : that number, a share unless ``unit`` says otherwise. low, high : its interval of 95 %, if any.
    level : a warning needs action; a note does not. evidence : a key of EVIDENCE. borderline : True if not each of
    several random halvings of the samples shows it by itself.
    """

    key: str
    title: str
    sentence: str
    number: float
    level: Level
    evidence: str
    unit: Literal["share", "ratio"] = "share"
    low: float | None = None
    high: float | None = None
    borderline: bool = False


def findings(
    pair: SamplePair,
    estimate: Estimate,
    *,
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    replicates: int = 200,
    level: float = LEVEL,
    memory_limit: int = MEMORY_LIMIT,
    held_out: HeldOutDistances | None = None,
    progress: Progress | None = None,
) -> tuple[TriageFinding, ...]:
    """All findings, the fault that explains most first; none for a faultless pair of enough samples.

    pair, bandwidth, split, seed, memory_limit : those that ``estimate`` was measured with by `prviz.estimate`.
    held_out : what copies are compared with; None: the reference itself.
    replicates, level : of the bootstrap that gives the intervals of the curve; no fault is named by it.

    Outliers are searched for families that count samples in balls of their own.
    """
    spread = bootstrap(estimate, replicates, seed=seed, level=level)
    part_of(progress, 0, 4)(1.0)
    facts = preflight(pair, k=estimate.k, split=split).facts
    part_of(progress, 1, 4)(1.0)
    kinked = mode_reweighting(spread.curve).ratio >= KINK
    faults = tuple(
        replace(fault, evidence="recall end") if fault.evidence == "kink" and not kinked else fault
        for fault in sample_faults(pair, facts, held_out)
    )
    misplaced = any(fault.key in {"scale", "shifted", "permuted"} for fault in faults)
    faults += (() if misplaced else _apart(spread)) + _doubts(spread, facts)
    if not misplaced and carries(estimate.method):
        for place, role in enumerate(ROLES):
            influenced = influence(
                pair,
                estimate.method,
                role=role,
                k=estimate.k or "sqrt",
                bandwidth=bandwidth,
                split=split,
                seed=seed,
                memory_limit=memory_limit,
                progress=part_of(progress, 2 + place, 4),
            )
            faults += outlier_faults(influenced)
    return faults


def sample_faults(
    pair: SamplePair, facts: PairFacts, held_out: HeldOutDistances | None = None
) -> tuple[TriageFinding, ...]:
    """The faults that the samples themselves show, the one that explains most first."""
    copies = memorisation(pair.real, pair.generated, held_out or held_out_distances(pair.real))
    if min(pair.real.n, pair.generated.n) < LEAST:
        return _rows(facts, copies)
    return agreed_faults(halvings(pair), facts, copies)


def agreed_faults(drawn: Sequence[PairStatistics], facts: PairFacts, copies: Memorisation) -> tuple[TriageFinding, ...]:
    """The faults that the mean of several halvings shows; borderline where not every halving alone shows them too.

    Where the mean shows none and a halving does, that one's first fault, borderline.
    """
    single = [named_faults(each, facts, copies) for each in drawn]
    listed = named_faults(mean_statistics(drawn), facts, copies) or next((each[:1] for each in single if each), ())
    return tuple(
        fault if votes == len(drawn) else _borderline(fault, votes, len(drawn))
        for fault in listed
        for votes in [sum(any(other.key == fault.key for other in each) for each in single)]
    )


def _borderline(fault: TriageFinding, votes: int, of: int) -> TriageFinding:
    shown = f" Borderline: {votes} of {of} random halvings of the samples, each by itself, show it."
    return replace(fault, sentence=fault.sentence + shown, level="note", borderline=True)


def named_faults(statistics: PairStatistics, facts: PairFacts, copies: Memorisation) -> tuple[TriageFinding, ...]:
    """The faults that explain these statistics and copies, the one that explains most first."""
    rows = _rows(facts, copies)
    whole = _normalised(facts) or _misplaced(statistics)
    if whole is not None:
        return (whole, *rows)
    parts = [(fault.number, fault) for fault in rows]
    copied = {fault.key for fault in rows}
    if copies.near.low > 0 and "copies" not in copied:
        parts.append((copies.near.value, _near_copies(copies)))
    parts += [part for part in (_off(statistics), _reshaped(statistics), _moved(statistics)) if part is not None]
    invented = any(fault.key == "invention" for _, fault in parts)
    if statistics.tight_z > SURE and (not invented or statistics.tight > statistics.off) and "collapse" not in copied:
        parts.append((statistics.tight, _nearly_repeated(statistics)))
    if any(fault.key == "collapse" for _, fault in parts):  # samples that repeat others move all else
        parts = [part for part in parts if part[1].key not in EXCLUDES["collapse"]]
    parts.sort(key=lambda part: -part[0])
    sure = {"collapse", "copies", "near_copies"}  # rows that repeat others are seen by themselves
    against = EXCLUDES.get(parts[0][1].key, frozenset()) if parts else frozenset()
    listed = (fault for size, fault in parts if fault.key in sure or MINOR * size > parts[0][0])
    return tuple(fault for fault in listed if fault.key not in against)


# ---- faults of the rows themselves ----


def _rows(facts: PairFacts, memorised: Memorisation) -> tuple[TriageFinding, ...]:
    """Exact repeats and exact copies."""
    found, copies, n, m = [], facts.copies, facts.pair.real.n, facts.pair.generated.n
    share, usual = copies.generated / m, copies.real / n
    if share - usual > MANY_ROWS:
        sentence = (
            f"{percent(share)} of the generated samples repeat an earlier one exactly, the commonest occurs "
            f"{copies.most_generated:,} times; of the real ones {percent(usual)} do."
        )
        found.append(TriageFinding("collapse", "Repeated samples", sentence, share, "warning", "duplicates"))
    if memorised.exact.low > 0:
        share = memorised.exact.share
        sentence = (
            f"{percent(share)} of the generated samples are rows of the reference, exactly: the generator repeats its "
            "training data, or the two files overlap. The curve counts them as perfect."
        )
        found.append(TriageFinding("copies", "Copies of real samples", sentence, share, "warning", "duplicates"))
    return tuple(found)


def _nearly_repeated(of: PairStatistics) -> TriageFinding:
    sentence = (
        f"{percent(of.tight)} of the generated samples lie far closer to another generated one than real samples do "
        "to each other: a few samples again and again, with small changes."
    )
    return TriageFinding("collapse", "Nearly repeated samples", sentence, of.tight, "warning", "dimension")


def _near_copies(of: Memorisation) -> TriageFinding:
    near, share = of.near, of.near.value
    sentence = (
        f"About {percent(share)} of the generated samples ({CONFIDENCE:.0%} interval {percent(near.low)} to "
        f"{percent(near.high)}) lie much closer to one real sample than to the next, which other real samples hardly "
        "ever do: near copies of the reference."
    )
    return TriageFinding("near_copies", "Near copies", sentence, share, "warning", "precision end")


# ---- faults of the whole set: scale, shift, order of the features ----


def _normalised(facts: PairFacts) -> TriageFinding | None:
    """One set of norm 1 and another that is not; no difference of rounding."""
    real, generated = facts.real, facts.generated
    ratio = _relative(generated.norm, real.norm)
    other = generated if real.normalised else real
    differs = abs(math.log(ratio)) > NORM_DIFFERS if 0 < ratio < math.inf else True
    if real.normalised == generated.normalised or not differs:
        return None
    which = "real" if real.normalised else "generated"
    sentence = (
        f"Only the {which} set is l2-normalised: norms of the other lie between {other.least_norm:.3g} and "
        f"{other.greatest_norm:.3g}. Normalise both or none."
    )
    return TriageFinding("scale", "Different scales", sentence, ratio, "warning", "preflight", "ratio")


def _misplaced(of: PairStatistics) -> TriageFinding | None:
    """A repair of the whole set that explains what differs: another order, a factor, a shift, a factor per feature."""
    if (
        of.disordered >= 2
        and of.misfit > DIFFERENT
        and of.misfit_ordered < min(MENDED * of.misfit, max(FITS, LITTLE * of.misfit))
    ):
        share = of.disordered / of.features
        sentence = (
            f"{of.disordered:.0f} of {of.features:.0f} features stand in another place: in another order they fit "
            "those of the real set. Check how both files were written."
        )
        return TriageFinding("permuted", "Features in another order", sentence, share, "warning", "preflight")
    if of.deciles > HUGE and (far := _far_away(of)):
        return far
    both = of.centre_z > MOVED_BOTH and of.deciles > DIFFERENT_BOTH
    one_way = any(of.centre_z - max(left, 0.0) > MOVED_BOTH and left < 1.5 for left in (of.after_shift, of.after_scale))
    moved, different = of.centre_z > MOVED or both or one_way, of.deciles > DIFFERENT or both
    if _scaled(of):
        return _scale(math.exp(of.scale) if different and not moved else 1 + of.factor)
    if not (moved or different) or (of.off_z > SURE and _own_modes(of) and not moved):
        return None
    if one_way and _displaced(of):
        return _shift(1 - max(of.after_shift, 0.0) / of.centre_z)

    def left(centres: float, deciles: float) -> float:
        """The larger part of what differs that a repair leaves."""
        parts = [deciles / of.deciles] if different else []
        return max([*parts, max(centres, 0.0) / of.centre_z] if moved else parts)

    # Where the shares of the clusters explain part of the move of the mean, a shift has to fit all the better.
    by_place = (
        of.by_mass < BY_MASS[0]
        or of.mass_z < LIKE_MASS
        or (of.by_mass < BY_MASS[1] and of.after_shift < 1 and of.deciles_shift < 1.3)
    )
    factor = of.scale if different else of.factor
    error = of.whole_chance / max(1 + of.whole_added, 1e-12)
    alike = abs(_whole(of) - factor) < max(1.5 * error, 0.3 * abs(factor))  # the spread has the same factor
    alike &= of.offset > OFFSET and abs(of.factor - factor) < 0.5 * abs(factor)  # and so has the mean
    scaled = left(of.after_scale, of.deciles_scale) if alike and by_place else 1.0
    shifted = left(of.after_shift, of.deciles_shift) if by_place else 1.0
    uneven = of.deciles_features < 0.5 * of.deciles_scale and of.offset > OFFSET  # else it is a spread, or noise
    by_feature = left(of.after_features, of.deciles_features) if by_place and uneven else 1.0
    best = min(shifted, by_feature, scaled)
    stretched = max(of.after_stretch, 0.0) / of.centre_z if moved else 1.0
    if best > MENDED or stretched < best or (stretched < MENDED and _reshaped(of) and scaled > best):
        return None
    if scaled < MENDED and scaled < best + 0.1:
        return _scale(math.exp(of.scale) if different else 1 + of.factor)
    if by_feature < 0.7 * shifted or (by_feature < shifted + 0.03 and of.deciles_features < 0.75 * of.deciles_shift):
        return _scale(math.exp(of.scale), " one per feature,")
    return _shift(1 - shifted)


def _displaced(of: PairStatistics) -> bool:
    """True if one shift explains the moves of all clusters, whose shares and spreads are those of the real ones."""
    alone = min(of.after_stretch, of.after_scale) > MENDED * of.centre_z and of.after_shift < of.after_features
    return alone and of.after_shift < 0.1 * of.centre_z and of.mass_z < SURE_MASS and abs(of.whole_added) < 0.1


def _whole(of: PairStatistics) -> float:
    """Log ratio of the spreads of the whole sets."""
    return 0.5 * math.log(max(1 + of.whole_added, 1e-12))


def _far_away(of: PairStatistics) -> TriageFinding | None:
    """A factor or a shift so large that samples fall into other clusters, which say nothing then."""
    if of.deciles_scale < LITTLE * of.deciles and abs(_whole(of) - of.scale) < 0.3 * abs(of.scale):
        return _scale(math.exp(of.scale))
    if of.deciles_shift < LITTLE * of.deciles and of.by_mass < BY_MASS[1]:
        return _shift(1 - of.deciles_shift / of.deciles)
    return None


def _shift(explained: float) -> TriageFinding:
    sentence = (
        f"The generated set is displaced as a whole: one shift of all samples explains {percent(explained)} of what "
        "differs. Check centring and preprocessing."
    )
    return TriageFinding("shifted", "Shifted features", sentence, explained, "warning", "preflight")


def _scaled(of: PairStatistics) -> bool:
    """True if one factor from the origin explains both the spread and the places of the clusters."""
    wider = of.total if abs(of.total_z) > abs(of.all_total_z) else of.all_total
    if max(abs(of.total_z), abs(of.all_total_z)) < SURE or wider * of.factor <= 0 or of.offset < OFFSET:
        return False
    return 0.5 < of.factor / wider < 2 and of.after_scale < min(of.after_stretch, of.centre_z) - 3


def _scale(factor: float, how: str = "") -> TriageFinding:
    sentence = f"Generated values are real ones times a factor,{how} about {factor:.3g}: check units and preprocessing."
    return TriageFinding("scale", "Different scales", sentence, factor, "warning", "preflight", "ratio")


# ---- faults of the support, of the shapes and of the shares: the part of the samples that each explains ----


def _off(of: PairStatistics) -> tuple[float, TriageFinding] | None:
    if of.off_z < SURE:
        return None
    if _own_modes(of) and (_narrowed(of) or (_widened(of) and of.left < 0.5)):
        return None
    if _own_modes(of):
        sentence = (
            f"About {percent(of.off)} of the generated samples have no real samples near by and lie close to each "
            "other: invented modes."
        )
        finding = TriageFinding("invention", "Invented modes", sentence, of.off, _grade(of.off), "precision end")
        return of.off, finding
    if _widened(of):
        return None
    return _scattered(of.off)


def _own_modes(of: PairStatistics) -> bool:
    """True if samples off the support lie close to each other, and have no real neighbours."""
    return of.compact < COMPACT and of.bare > BARE


def _scattered(share: float) -> tuple[float, TriageFinding]:
    sentence = (
        f"About {percent(share)} of the generated samples have no real samples near by, nor each other: they are off "
        "the manifold, while the others fit."
    )
    return share, TriageFinding("off", "Off the manifold", sentence, share, _grade(share), "precision end")


def _widened(of: PairStatistics) -> bool:
    """True if samples lie farther from the clusters, or all of them farther from the mean."""
    farther = max(of.total_z, of.low_z, of.all_total_z, of.radius_z) > SURE and of.radius_z > FARTHER
    return farther or _stretched(of, 1)


def _narrowed(of: PairStatistics) -> bool:
    """True if samples lie closer within the clusters, or all of them closer to the mean."""
    within = min(of.total_z, of.low_z, of.top_z) < -SURE and of.nearest < -CLOSER
    return within or _stretched(of, -1) or (of.all_total_z < -SURE and of.nearest < -CLOSER and of.total_z < -1.5)


def _stretched(of: PairStatistics, sign: Literal[-1, 1]) -> bool:
    """True if one factor from the mean, above 1 (sign 1) or below, explains the spread and the clusters' places."""
    explained = of.centre_z > MOVED_BOTH and of.after_stretch < MENDED * of.centre_z and sign * of.stretch_z > SURE
    alike = sign * of.all_total_z > 1.5 and sign * of.whole_added > 2.5 * of.whole_chance and sign * of.nearest > 0
    return explained and alike


class _Ratio(NamedTuple):
    """A ratio of spreads and its interval, which lies on one side of 1 where the z-score is beyond SURE."""

    low: float
    high: float
    ratio: float
    text: str


def _surest(of: PairStatistics, sign: Literal[-1, 1]) -> _Ratio | None:
    """The ratio of the spreads that is surest to be above 1 (sign 1) or below: no direction is said of another."""
    known = {
        "the spread": (of.total, of.total_z),
        "the spread of the whole set": (of.all_total, of.all_total_z),
        "the spread in minor directions": (of.low, of.low_z),
        "the spread in the main directions": (of.top, of.top_z),
        "the distance to the mean": (math.log(max(1 + of.stretch, 1e-12)), of.stretch_z),
        "the distance to the real samples": (of.radius, of.radius_z),
    }
    likely = {name: each for name, each in known.items() if sign * each[1] > SURE and sign * each[0] > 0}
    preferred = [name for name in ("the spread", "the spread of the whole set") if name in likely]
    if not likely:
        return None
    name = max(preferred or likely, key=lambda each: sign * known[each][1])
    log, z = known[name]
    error = INTERVAL * abs(log / z)
    ratio = math.exp(log)
    return _Ratio(math.exp(log - error), math.exp(log + error), ratio, f"{name} is {ratio:.2f} times the real one")


def _reshaped(of: PairStatistics) -> tuple[float, TriageFinding] | None:
    """Too narrow, too wide, blurred, noisy or coarse."""
    if not _widened(of) and not _narrowed(of):
        return None
    size = max(of.spread, of.all_spread, 0.0 if _own_modes(of) else of.off)
    level = _grade(size)
    near, minor, main = math.exp(of.nearest), math.exp(of.low), math.exp(of.top)

    def finding(key: str, title: str, number: float, sentence: str, *ends: float) -> tuple[float, TriageFinding]:
        evidence = {"narrow": "recall end", "blurred": "dimension"}.get(key, "precision end")
        low, high = ends or (None, None)
        return size, TriageFinding(key, title, sentence, number, level, evidence, "ratio", low, high)

    whole_narrowed = of.all_total_z < -SURE and of.whole_added < -SURE * of.whole_chance
    if (whole_narrowed and of.nearest < 0) or not _widened(of):
        averaged = of.uneven_z < -SURE and of.uneven < AVERAGED
        bands = ((of.low, of.top), (of.all_low, of.all_top))
        smooth = all(low < 1.6 * min(top, 0.0) - TILT for low, top in bands)
        left = min(of.after_shift, of.after_scale, of.after_stretch, of.after_features)
        bent = of.centre_z > MOVED and left > BENT * of.centre_z and of.uneven_z < -1.5
        if of.nearest_z < -CLEAR and (averaged or ((smooth or bent) and not _stretched(of, -1))):
            return finding(
                "blurred",
                "Blurred",
                near,
                f"Fine differences are lost: generated samples are {near:.2f} times as far from their nearest as real "
                f"ones, and the spread is {minor:.2f} times the real one in minor directions, {main:.2f} times in the "
                "main ones. Averaged or smoothed samples.",
            )
        if (spread := _surest(of, -1)) is None:
            return None
        said = (
            f"Generated samples vary too little: {spread.text}. What is typical is made too often, the rest too seldom."
        )
        return finding("narrow", "Too narrow", spread.ratio, said, spread.low, spread.high)
    if _coarse(of):
        return finding(
            "coarse",
            "Under-trained",
            (away := math.exp(of.radius)),
            f"Generated samples fill the space between real ones: they lie {away:.2f} times as far from real samples "
            "as those from each other, while the variance of the whole set fits. An early checkpoint, or too coarse a "
            "model.",
        )
    added, main_added = math.expm1(2 * of.low), max(math.expm1(2 * of.top), 0.0)
    tilted = of.all_low > 0.1 + 2.5 * max(of.all_top, 0.0) and of.low > 1.3 * of.top
    minor_more = added > main_added * of.anisotropy**0.4 + 0.02 and of.all_low > 1.5 * max(of.all_top, 0.0) + 0.03
    if (tilted or minor_more) and of.low_z > SURE:
        if of.low_quarter < SOME * of.low and of.off < 0.9:
            return _scattered(max(of.off, of.spread))
        return finding(
            "noise",
            "Noise added",
            minor,
            f"Noise was added: in directions in which real samples hardly vary the spread is {minor:.2f} times theirs, "
            f"in the main ones {main:.2f} times.",
        )
    if (spread := _surest(of, 1)) is None:
        return None
    said = f"Generated samples vary too much: {spread.text}."
    return finding("wide", "Too wide", spread.ratio, said, spread.low, spread.high)


def _coarse(of: PairStatistics) -> bool:
    """True if samples spread within the modes while the whole set keeps its variance: noise would add to both alike."""
    expected = of.added * of.within / max(of.whole, 1e-12)
    if expected > 5 * of.whole_chance:  # half of it is then far from both
        return of.whole_added < expected / 2
    if of.whole_added > 2 * of.whole_chance:
        return False
    noisy = of.all_low > 0.08 and of.top > 0 and of.all_top > -0.03 and of.whole_added > 0.5 * of.whole_chance
    minor = of.all_low > 0.08 and of.low > 0.4 and of.low > 3 * of.top and min(of.top, of.all_top) > -0.06
    return not noisy and not minor


def _moved(of: PairStatistics) -> tuple[float, TriageFinding] | None:
    """Modes that are missing, or made in other shares."""
    narrowed = _narrowed(of)  # a narrow mode does not reach its own edge either
    unreached = of.unreached_z > SURE and not narrowed
    if (of.mass_z < SURE_MASS and of.worst > -SURE and not unreached) or of.left < 0.5:
        return None
    beyond = (of.void > VOID_SHARE and not _widened(of)) or of.unreached_z > BEYOND
    if of.empty > 0.1 or (beyond and not narrowed):
        missing = max(of.empty, of.unreached if unreached else 0.0, of.moved, 0.01)
        sentence = (
            f"About {percent(missing)} of the real data is hardly ever generated, while the rest is: modes or a class "
            "are missing."
        )
        return missing, TriageFinding("dropping", "Dropped modes", sentence, missing, _grade(missing), "recall end")
    moved = max(of.moved, 0.0)
    sentence = (
        f"The generated samples hold the real modes in other shares: about {percent(moved)} of them would have to "
        f"change their mode. Parts are made {of.often:.1f} times too often, others "
        + (f"{1 / of.seldom:.1f} times too seldom." if of.seldom > 0 else "hardly ever.")
    )
    return moved, TriageFinding("reweighting", "Re-weighted modes", sentence, moved, _grade(moved), "kink")


# ---- what the curve and its size leave open ----


def _apart(spread: Spread) -> tuple[TriageFinding, ...]:
    overlap, value = spread.intervals["one_minus_tv"], spread.values["one_minus_tv"]
    if overlap.high >= APART:
        return ()
    sentence = (
        f"Both sets share only {percent(value)} of their mass: the generator is hardly trained or has collapsed "
        "altogether, or the two don't come from the same encoder and preprocessing."
    )
    low, high = overlap.low, overlap.high
    return (TriageFinding("apart", "Hardly any overlap", sentence, value, "warning", "preflight", low=low, high=high),)


def _doubts(spread: Spread, facts: PairFacts) -> tuple[TriageFinding, ...]:
    return tuple(fault for fault in (_flat(facts), _few(spread, facts)) if fault is not None)


def outlier_faults(found: Influence) -> tuple[TriageFinding, ...]:
    """A finding if an extreme hangs on the few samples that alone support most samples of the other role."""
    top = found.top(REMOVED[-1])
    lost = found.share - found.share_without(top)
    if lost <= max(OUTLIERS, OUTLIERS_SHARE * len(top) / len(found.rows)):
        return ()
    side, other = ("precision", "generated") if found.role == "real" else ("recall", "real")
    several = f"{len(top)} of {len(found.rows):,} {found.role} samples"
    sentence = (
        f"The extreme {side} hangs on outliers: without {several}, {percent(lost)} of the {other} samples would lose "
        f"all support. Read {side} a little inside the curve, at 0.05 of the other, rather than at its end."
    )
    return (TriageFinding("outliers", f"Outliers carry extreme {side}", sentence, lost, _grade(lost), "outliers"),)


def _flat(facts: PairFacts) -> TriageFinding | None:
    real, generated = (each.value for each in facts.effective)
    # A distant mode or outlier also lowers the number of directions, but raises the variance.
    gained = np.linalg.norm(facts.generated.sd) > np.linalg.norm(facts.real.sd)
    if real <= DIMENSION_RATIO * generated or gained:
        return None
    sentence = f"The generated samples vary in about {generated:.1f} directions, the real ones in {real:.1f}: collapse."
    number = _relative(generated, real)
    return TriageFinding("flat", "Fewer directions", sentence, number, "warning", "dimension", "ratio")


def _few(spread: Spread, facts: PairFacts) -> TriageFinding | None:
    low, high = spread.intervals["auc"]
    n = min(facts.evaluate)
    if high - low <= WIDE and n >= FEW_EVALUATED:
        return None
    sentence = (
        f"With {n:,} samples to evaluate in the smaller set, AuC could lie from {low:.2f} to {high:.2f}: small "
        "differences between checkpoints can't be seen, nor faults that few samples show."
    )
    level: Level = "warning" if n < FEW_EVALUATED else "note"
    return TriageFinding("few", "Too few samples", sentence, high - low, level, "interval", low=low, high=high)


def _relative(one: float, other: float) -> float:
    return one / other if other else float("inf") if one else 1.0


def _far(ratio: float) -> float:
    return max(ratio, _relative(1.0, ratio))


def _grade(share: float) -> Level:
    return "warning" if share > SEVERE else "note"


def percent(share: float) -> str:
    """A share in percent, in two digits."""
    return f"{100 * share:.0f} %" if share >= 0.095 or share == 0 else f"{100 * share:.1f} %"


# ---- mode re-weighting: the corner that re-weighted modes leave inside a curve ----


class ModeReweighting(NamedTuple):
    """The point of a curve that stays optimal, nearly unmoved, over the widest range of lam; ratio 1 without one.

    ratio : ratio of the ends of that range. lam : their geometric mean. fpr, fnr : the point.
    """

    ratio: float
    lam: float
    fpr: float
    fnr: float


def mode_reweighting(curve: PRCurve) -> ModeReweighting:
    """The mode re-weighting with the widest range of lam inside a curve.

    The range is that on which any of several vertices is optimal that lie within KINK_MOVE of each other in both rates,
    their middle at least KINK_INSIDE away from both ends and from rates of 0.
    """
    fpr, fnr = curve.vertices.T
    lo, hi = np.append(curve.breakpoints, 0.0), np.insert(curve.breakpoints, 0, np.inf)
    last = np.minimum(
        np.searchsorted(fpr, fpr + KINK_MOVE, side="right"), np.searchsorted(-fnr, KINK_MOVE - fnr, side="right")
    )
    last = np.maximum(last - 1, np.arange(len(fpr)))
    f, n = (fpr + fpr[last]) / 2, (fnr + fnr[last]) / 2
    inside = (f >= KINK_INSIDE) & (n >= KINK_INSIDE)
    inside &= (f <= curve.extreme_recall - KINK_INSIDE) & (n <= curve.extreme_precision - KINK_INSIDE)
    if not inside.any():
        return ModeReweighting(1.0, float("nan"), float("nan"), float("nan"))
    places = np.flatnonzero(inside)
    ratios = hi[places] / lo[last[places]]
    place = places[int(np.argmax(ratios))]
    ends = float(lo[last[place]]), float(hi[place])
    return ModeReweighting(float(ratios.max()), float(np.sqrt(ends[0] * ends[1])), float(f[place]), float(n[place]))
