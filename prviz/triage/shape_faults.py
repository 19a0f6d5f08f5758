"""Faults of support, shape and shares, each with the share of the samples that it explains."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from prviz.triage.finding import FaultRule, TriageFinding, grade, percent
from prviz.triage.pair_statistics import PairStatistics

Part: TypeAlias = tuple[float, TriageFinding]

# z-score beyond which a difference is no chance: in 1,440 comparisons of real with real samples
# from nine sets (n = 250 to 800) no statistic that is compared with it exceeded 3.5.
SURE = 4.0
# Number of standard errors to each end of an interval of 95 %.
INTERVAL = 1.96
# Least z-score of a difference that supports a finding but does not make one.
CLEAR = 2.58
# Least z-score of the shares of the clusters: a sum of squares, whose tail is longer.
SURE_MASS = 4.5
# Moves of the cluster centres, in units of chance, from which on they count. Features are
# correlated, so that chance alone gives up to 17.
MOVED = 20.0
# Like MOVED, where the deciles differ too.
MOVED_BOTH = 6.0
# Largest part of a difference that a repair may leave to explain it.
MENDED = 0.3
# Ratio of distances to generated and to real samples below which samples off the support form modes
# of their own.
COMPACT = 0.75
# Least share of samples off the support without a real one among their nearest, for them to form
# modes of their own.
BARE = 0.7
# Least share of real samples without a generated one among their nearest, from which on modes are
# missing and not just generated less often.
VOID_SHARE = 0.015
# Least z-score of real samples beyond the reach of generated ones, from which on modes are missing.
BEYOND = 2.0
# Log ratio of the distances to the nearest and to the tenth nearest sample, compared with real
# samples, below which samples were averaged with neighbours.
AVERAGED = -0.04
# Least difference of log spreads by which minor directions must have shrunk more than main ones for
# samples to be smoothed.
TILT = 0.03
# Least part of the moves of the cluster centres that neither a shift nor a factor explains, for a
# filter to have bent the set.
BENT = 0.25
# Least absolute log ratio of the distances to the nearest sample at which samples lie closer than
# real ones.
CLOSER = 0.04
# Least z-score of the distances to real samples at which samples lie farther than real ones.
FARTHER = 2.5
# Largest real variance within the clusters, over that of the whole set, at which clusters count as
# points.
POINT = 1e-9
# Log ratio of distances above which real distances are 0, as between copies, so that the ratio says
# nothing.
ENDLESS = math.log(1e6)
# Least absolute log ratio of the reach of the farthest samples, generated over real, for light
# tails.
SHORTER = 0.1
# Least difference of the deciles, in units of chance, that counts.
UNLIKE = 1.5
# Part of that difference that a shift of each feature leaves below which samples between the real
# ones are no cause: 28 coarse models left 0.45 or more.
BY_SHIFT = 0.4
# Least z-score of light tails if samples are surely missing.
LIKELY = 2.0
# Ratio of the squared correlations of the features, generated over real, below which they are lost.
UNRELATED = 0.1
# Ratio of the lower quartile of the added spread to its median below which only some samples are
# off the support.
SOME = 0.6
# Part of the move of the mean that the shares of the clusters explain, above which shares may be
# its cause.
MOVED_BY_SHARES = 0.4


def off_support(of: PairStatistics) -> Part | None:
    """The fault of invented modes, or of single samples off the manifold; None if there is none."""
    if of.off_z < SURE:
        return None
    if own_modes(of) and (narrowed(of) or (_widened(of) and of.left < 0.5)):
        return None
    if own_modes(of):
        sentence = (
            f"About {percent(of.off)} of the generated samples have no real samples near by and lie"
            " close to each other: invented modes."
        )
        finding = TriageFinding(
            "invention", "Invented modes", sentence, of.off, grade(of.off), "precision end"
        )
        return of.off, finding
    if _widened(of):
        return None
    return _scattered(of.off)


def own_modes(of: PairStatistics) -> bool:
    """True if samples off the support lie close to each other, with no real samples among their
    nearest.
    """
    return of.compact < COMPACT and of.bare > BARE


def _scattered(share: float) -> Part:
    sentence = (
        f"About {percent(share)} of the generated samples have no real samples near by, nor each"
        " other: they are off the manifold, while the others fit."
    )
    return share, TriageFinding(
        "off", "Off the manifold", sentence, share, grade(share), "precision end"
    )


def _widened(of: PairStatistics) -> bool:
    """True if samples lie farther from the cluster centres than real ones, or all of them farther
    from the mean.
    """
    farther = (
        max(of.total_z, of.low_z, of.all_total_z, of.radius_z) > SURE and of.radius_z > FARTHER
    )
    return farther or _stretched(of, 1)


def of_shares(of: PairStatistics) -> bool:
    """True if no sample lies farther from real ones, and the shares of the clusters explain the
    move of the mean: nothing was moved or spread.
    """
    return of.by_mass > MOVED_BY_SHARES and max(of.off_z, of.radius_z) < CLEAR


def moved_each(of: PairStatistics) -> bool:
    """True if features differ, and a shift of each explains most of it."""
    return of.deciles > UNLIKE and of.deciles_shift < BY_SHIFT * of.deciles


def narrowed(of: PairStatistics) -> bool:
    """True if samples lie closer to the cluster centres than real ones, or all of them closer to
    the mean.
    """
    within = min(of.total_z, of.low_z, of.top_z) < -SURE and of.nearest < -CLOSER
    return (
        within
        or _stretched(of, -1)
        or (of.all_total_z < -SURE and of.nearest < -CLOSER and of.total_z < -1.5)
    )


def _stretched(of: PairStatistics, sign: Literal[-1, 1]) -> bool:
    """True if one factor from the mean, above 1 (sign 1) or below 1 (sign -1), explains both the
    spread and the places of the clusters.
    """
    explained = (
        of.centre_z > MOVED_BOTH
        and of.after_stretch < MENDED * of.centre_z
        and sign * of.stretch_z > SURE
    )
    alike = (
        sign * of.all_total_z > 1.5
        and sign * of.whole_added > 2.5 * of.whole_chance
        and sign * of.nearest > 0
    )
    return explained and alike


class _Ratio(NamedTuple):
    """A ratio of spreads with its interval of 95 %, and its text."""

    low: float
    high: float
    ratio: float
    text: str


def _surest(of: PairStatistics, sign: Literal[-1, 1]) -> _Ratio | None:
    """The ratio of spreads that is most surely above 1 (sign 1) or below 1 (sign -1), preferably
    one over all directions; None if none is sure.
    """
    known = {
        "the spread": (of.total, of.total_z),
        "the spread of the whole set": (of.all_total, of.all_total_z),
        "the spread in minor directions": (of.low, of.low_z),
        "the spread in the main directions": (of.top, of.top_z),
        "the distance to the mean": (math.log(max(1 + of.stretch, 1e-12)), of.stretch_z),
        "the distance to the real samples": (of.radius, of.radius_z),
    }
    likely = {
        name: each
        for name, each in known.items()
        if sign * each[1] > SURE and sign * each[0] > 0 and each[0] < ENDLESS
    }
    preferred = [name for name in ("the spread", "the spread of the whole set") if name in likely]
    if not likely:
        return None
    name = max(preferred or likely, key=lambda each: sign * known[each][1])
    log, z = known[name]
    error = INTERVAL * abs(log / z)
    ratio = math.exp(log)
    return _Ratio(
        math.exp(log - error),
        math.exp(log + error),
        ratio,
        f"{name} is {ratio:.2f} times the real one",
    )


def reshaped(of: PairStatistics) -> Part | None:
    """The fault of a shape that is too narrow, too wide, blurred, noisy or coarse; None if the
    shape fits, or if real modes have no spread.
    """
    if of.within <= POINT * of.whole or max(of.radius, of.nearest) > ENDLESS:
        return None
    if not _widened(of) and not narrowed(of):
        return None
    wholenarrowed = of.all_total_z < -SURE and of.whole_added < -SURE * of.whole_chance
    if (wholenarrowed and of.nearest < 0) or not _widened(of):
        return _blurred(of) or _with_spread(of, -1)
    if _coarse(of):
        return _undertrained(of)
    if _minor_more(of):
        some = of.low_quarter < SOME * of.low and of.off < 0.9
        if some:
            return _scattered(max(of.off, of.spread))
        return _noisy(of)
    return _with_spread(of, 1)


def _shape(
    of: PairStatistics, key: str, title: str, sentence: str, ratio: float, *ends: float
) -> Part:
    """The fault of a shape. Its size is the share of samples that the change of the spread
    explains.
    """
    size = max(of.spread, of.all_spread, 0.0 if own_modes(of) else of.off)
    evidence = {"narrow": "recall end", "blurred": "dimension"}.get(key, "precision end")
    low, high = ends or (None, None)
    return size, TriageFinding(
        key, title, sentence, ratio, grade(size), evidence, "ratio", low, high
    )


def _blurred(of: PairStatistics) -> Part | None:
    averaged = of.uneven_z < -SURE and of.uneven < AVERAGED
    bands = ((of.low, of.top), (of.all_low, of.all_top))
    smooth = all(low < 1.6 * min(top, 0.0) - TILT for low, top in bands)
    left = min(of.after_shift, of.after_scale, of.after_stretch, of.after_features)
    bent = of.centre_z > MOVED and left > BENT * of.centre_z and of.uneven_z < -1.5
    if of.nearest_z >= -CLEAR or not (averaged or ((smooth or bent) and not _stretched(of, -1))):
        return None
    near = math.exp(of.nearest)
    minor = math.exp(of.low)
    main = math.exp(of.top)
    sentence = (
        f"Fine differences are lost: generated samples are {near:.2f} times as far from their"
        f" nearest as real ones, and the spread is {minor:.2f} times the real one in minor"
        f" directions, {main:.2f} times in the main ones. Averaged or smoothed samples."
    )
    return _shape(of, "blurred", "Blurred", sentence, near)


def _with_spread(of: PairStatistics, sign: Literal[-1, 1]) -> Part | None:
    """The fault of a set that is too wide (sign 1) or too narrow (sign -1); None if no ratio of
    spreads is sure.
    """
    if (spread := _surest(of, sign)) is None:
        return None
    return _shape(of, *_spread_text(sign > 0, spread.text), spread.ratio, spread.low, spread.high)


def _spread_text(wide: bool, text: str) -> tuple[str, str, str]:
    """Key, title and sentence of a set that is too wide, or too narrow."""
    if wide:
        return "wide", "Too wide", f"Generated samples vary too much: {text}."
    sentence = (
        f"Generated samples vary too little: {text}. What is typical is made too often, the rest"
        " too seldom."
    )
    return "narrow", "Too narrow", sentence


def spread_by(ratio: float, low: float, high: float) -> TriageFinding:
    """The fault of another spread of the whole set about its mean, which explains all that
    differs.
    """
    called = _spread_text(
        ratio > 1, f"the spread of the whole set is {ratio:.2f} times the real one"
    )
    evidence = "precision end" if ratio > 1 else "recall end"
    return TriageFinding(*called, ratio, "warning", evidence, "ratio", low, high)


def _undertrained(of: PairStatistics) -> Part:
    away = math.exp(of.radius)
    title = "Under-trained"
    why = "An early checkpoint, or too coarse a model."
    if of.related < UNRELATED:
        title = "Unrelated features"
        why = (
            f"The squared correlation of two features is {max(of.related, 0):.2f} times the real"
            " one on average: each feature was shuffled by itself, or a model draws each one alone."
        )
    sentence = (
        f"Generated samples fill the space between real ones: they lie {away:.2f} times as far from"
        f" real samples as those from each other, while the variance of the whole set fits. {why}"
    )
    return _shape(of, "coarse", title, sentence, away)


def _minor_more(of: PairStatistics) -> bool:
    """True if minor directions gain more spread than main ones, as if noise of one size were added
    to all directions.
    """
    added = math.expm1(2 * of.low)
    main_added = max(math.expm1(2 * of.top), 0.0)
    tilted = of.all_low > 0.1 + 2.5 * max(of.all_top, 0.0) and of.low > 1.3 * of.top
    more = (
        added > main_added * of.anisotropy**0.4 + 0.02
        and of.all_low > 1.5 * max(of.all_top, 0.0) + 0.03
    )
    return (tilted or more) and of.low_z > SURE


def _noisy(of: PairStatistics) -> Part:
    minor = math.exp(of.low)
    main = math.exp(of.top)
    sentence = (
        "Noise was added: in directions in which real samples hardly vary the spread is"
        f" {minor:.2f} times theirs, in the main ones {main:.2f} times."
    )
    return _shape(of, "noise", "Noise added", sentence, minor)


def _coarse(of: PairStatistics) -> bool:
    """True if samples spread within the modes while the whole set keeps its variance. Added noise
    would raise both.
    """
    expected = of.added * of.within / max(of.whole, 1e-12)
    # Where the expected gain of variance is far above chance, half of it is far from all of it and
    # from none.
    if expected > 5 * of.whole_chance:
        return of.whole_added < expected / 2
    if of.whole_added > 2 * of.whole_chance:
        return False
    noisy = (
        of.all_low > 0.08
        and of.top > 0
        and of.all_top > -0.03
        and of.whole_added > 0.5 * of.whole_chance
    )
    minor = (
        of.all_low > 0.08
        and of.low > 0.4
        and of.low > 3 * of.top
        and min(of.top, of.all_top) > -0.06
    )
    return not noisy and not minor


def _short_tails(of: PairStatistics) -> Part:
    """The fault of missing samples far from all others, in whatever cluster."""
    reach = math.exp(of.tail)
    sentence = (
        "Samples far from all others are missing: measured by the middle one, the last of 20"
        f" generated samples lies {reach:.2f} times as far from the centre of its cluster as the"
        " last of 20 real ones. Tails are too light."
    )
    missing = max(of.unreached, 0.01)
    return missing, TriageFinding(
        "tails", "Light tails", sentence, reach, grade(missing), "recall end", "ratio"
    )


def other_shares(of: PairStatistics) -> Part | None:
    """The fault of modes that are missing, or generated in other shares; None if there is none."""
    reaches = not narrowed(of)  # a narrow mode leaves the edge of its real mode unreached
    unreached = of.unreached_z > SURE and reaches
    # Where real samples are unreached, some are surely missing.
    least = LIKELY if unreached else SURE
    # A wide mode with a smaller share also lightens the tails of all modes together.
    alike = of.mass_z < SURE_MASS and of.empty <= 0.1
    if of.tail_z < -least and of.tail < -SHORTER and alike and reaches:
        return _short_tails(of)
    if (of.mass_z < SURE_MASS and of.worst > -SURE and not unreached) or of.left < 0.5:
        return None
    beyond = (of.void > VOID_SHARE and not _widened(of)) or of.unreached_z > BEYOND
    if of.empty > 0.1 or (beyond and reaches):
        missing = max(of.empty, of.unreached if unreached else 0.0, of.moved, 0.01)
        sentence = (
            f"About {percent(missing)} of the real data is hardly ever generated, while the rest"
            " is: modes or a class are missing."
        )
        return missing, TriageFinding(
            "dropping", "Dropped modes", sentence, missing, grade(missing), "recall end"
        )
    moved = max(of.moved, 0.0)
    seldom = "hardly ever"
    if of.seldom > 0:
        seldom = f"{1 / of.seldom:.1f} times too seldom"
    if of.often > 1:
        made = f"made {of.often:.1f} times too often, others {seldom}"
    else:
        made = f"made {seldom}"
    sentence = (
        f"The generated samples hold the real modes in other shares: about {percent(moved)} of them"
        f" would have to change their mode. Parts are {made}."
    )
    return moved, TriageFinding(
        "reweighting", "Re-weighted modes", sentence, moved, grade(moved), "kink"
    )


# Rules that are tried one after the other; each gives the fault that explains most by itself.
SHAPES: tuple[Callable[[PairStatistics], Part | None], ...] = (off_support, reshaped, other_shares)
# The rules of the findings in this module.
NAMED = (
    FaultRule(
        key="dropping",
        number="of the real data is hardly ever generated",
        listed="Dropped modes",
        seen="real samples without a generated one among their neighbours, or beyond their reach",
        excludes=frozenset({"wide", "noise"}),
        follows=True,
    ),
    FaultRule(
        key="invention",
        number="of the generated samples form modes without real ones",
        listed="Invented modes",
        seen="generated samples without a real one among their neighbours, close to each other",
        excludes=frozenset({"narrow", "blurred"}),
    ),
    FaultRule(
        key="off",
        number="of the generated samples lie off the real support",
        listed="Off the manifold",
        seen="generated samples without real ones near by, nor each other, while the others fit",
        excludes=frozenset({"narrow", "blurred"}),
    ),
    FaultRule(
        key="reweighting",
        number="of the samples would have to change their mode",
        listed="Re-weighted modes",
        seen="other shares in the real clusters, none of which is empty",
        follows=True,
    ),
    FaultRule(
        key="narrow",
        number="the real spread",
        listed="Too narrow, too wide",
        seen="another spread within the clusters and as a whole, alike in all directions",
        excludes=frozenset({"off", "invention", "wide", "noise"}),
        follows=True,
    ),
    FaultRule(
        key="wide",
        number="the real spread",
        excludes=frozenset({"dropping", "narrow", "blurred", "invention"}),
    ),
    FaultRule(
        key="blurred",
        number="the real distance to the nearest sample",
        listed="Blurred",
        seen=(
            "nearest samples closer than the tenth nearest explain, or spread lost in minor"
            " directions"
        ),
        excludes=frozenset({"off", "invention", "wide", "noise"}),
        follows=True,
    ),
    FaultRule(
        key="tails",
        number="the real reach of the farthest samples",
        listed="Light tails",
        seen=(
            "the farthest of each cluster nearer than real ones, by the middle one, and no cluster"
            " empty"
        ),
        excludes=frozenset({"off", "invention", "wide", "noise", "dropping"}),
    ),
    FaultRule(
        key="noise",
        number="the real spread in the minor directions",
        listed="Noise added",
        seen="spread added in minor directions more than in main ones",
        excludes=frozenset({"dropping", "narrow", "blurred"}),
    ),
    FaultRule(
        key="coarse",
        number="the real distance to real samples",
        listed="Under-trained",
        seen="samples between the real ones, while the variance of the whole set fits",
        excludes=frozenset({"narrow"}),
        follows=True,
    ),
)
