"""Faults of the whole set: another scale, a shift, another order of the features, or only one set
normalised; and faults of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from prviz.arrays import Floats, Ints
from prviz.checks.facts import row_blocks, row_classes
from prviz.checks.flags import MANY_ROWS, discrete
from prviz.diagnostics.column_tests import ColumnCounts
from prviz.diagnostics.preflight import PairFacts
from prviz.diagnostics.whole_rows import row_property
from prviz.neighbors import nearest_rows
from prviz.samples import SamplePair
from prviz.triage.column_faults import BESIDE
from prviz.triage.finding import SEVERE, FaultRule, Found, TriageFinding, grade, percent
from prviz.triage.memorisation import CONFIDENCE, Memorisation
from prviz.triage.pair_statistics import PairStatistics
from prviz.triage.shape_faults import (
    CLEAR,
    MENDED,
    MOVED,
    MOVED_BOTH,
    MOVED_BY_SHARES,
    SURE,
    SURE_MASS,
    UNLIKE,
    own_modes,
    reshaped,
)

# Mean squared difference of deciles, in units of chance, above which features count as different.
# Chance alone gives up to 5.5.
DIFFERENT = 8.0
# Like DIFFERENT, where cluster centres move too.
DIFFERENT_BOTH = 5.0
# Difference of deciles at which samples fall into other clusters, so that clusters say nothing.
HUGE = 50.0
# Largest part of the difference of deciles that a repair may leave where clusters say nothing.
LITTLE = 0.05
# Largest part of their misfit that features may keep in another order. Modes in other shares look
# like another order too, but keep 0.23 and more.
REORDERED = 0.15
# Largest difference of the features' deciles, or of the cluster centres, that a repair may leave to
# explain the fault, in units of chance.
FITS = 4.0
# z-score of the shares of the clusters below which these shares explain no move of the mean.
LIKE_MASS = 2.0
# Parts of a move of the mean that the shares of clusters explain: above the first, the shares may
# be the cause of the move; above the second, they are.
BY_MASS = (MOVED_BY_SHARES, 0.6)
# Ratio of norms from which on nothing but a factor can be compared.
FAR = 10.0
# Most features on which a factor of FAR or more is tried.
ASKED = 64
# Factor by which the remaining difference of deciles counts more where clusters say nothing.
SURER = 3.0
# Least squared distance of the real mean from the origin, over the variance, at which a factor from
# the origin differs from one from the mean.
OFFSET = 0.08
# Least absolute logarithm of the ratio of norms for one set to count as normalised: norms of 1 may
# be chance where those of the other set are nearly 1 too.
NORM_DIFFERS = 0.02
# Ratio of the greatest to the least norm above which the rows of a set have no common norm.
NORM_SPREADS = 2.0
# Most different values of a feature that counts as rounded.
FEW_VALUES = 20
# Least ratio of the numbers of different values of a feature, real over generated, for the
# generated ones to count as rounded.
FINER = 4


def rounded(facts: PairFacts) -> TriageFinding | None:
    """The fault that most generated features take far fewer values than the real ones, although
    rows differ; None if there is none.
    """
    rows = [each.rows[:, _spread_evenly(facts.pair.d)] for each in facts.drawn]
    n = min(map(len, rows))
    real, generated = (
        np.array(
            [len(np.unique(column)) for column in np.random.default_rng(0).permutation(each)[:n].T]
        )
        for each in rows
    )
    few = (real >= FINER * generated) & (generated > 1) & (generated <= FEW_VALUES)
    different = facts.pair.generated.n - facts.rows.counts.generated
    if 2 * np.count_nonzero(few) <= len(few) or different < 2 * generated[few].max():
        return None
    sentence = (
        f"Generated values are coarsely rounded: among {n:,} samples half of the generated features"
        f" take at most {np.median(generated):.0f} different values, half of the real ones at least"
        f" {np.median(real):.0f}. Check decimals and types of numbers."
    )
    return TriageFinding(
        "columns", "Rounded values", sentence, float(few.mean()), "warning", "preflight"
    )


def normalised(facts: PairFacts) -> TriageFinding | None:
    """The fault that one set has norm 1 and the other has not, by more than rounding; None if there
    is none.
    """
    real = facts.real
    generated = facts.generated
    if real.norm:
        ratio = generated.norm / real.norm
    elif generated.norm:
        ratio = math.inf
    else:
        ratio = 1.0
    other = generated if real.normalised else real
    differs = True
    if 0 < ratio < math.inf:
        differs = abs(math.log(ratio)) > NORM_DIFFERS
    differs |= other.least_norm > 0 and other.greatest_norm > NORM_SPREADS * other.least_norm
    if real.normalised == generated.normalised or not differs:
        return None
    which = "real" if real.normalised else "generated"
    sentence = (
        f"Only the {which} set is l2-normalised: norms of the other lie between"
        f" {other.least_norm:.3g} and {other.greatest_norm:.3g}. Normalise both or none."
    )
    return _different_scales(sentence, ratio)


def rescaled(facts: PairFacts) -> TriageFinding | None:
    """The fault of a factor so large that nothing else can be compared, if its removal makes the
    features alike.
    """
    if not facts.real.norm or not facts.generated.norm:
        return None
    if abs(math.log(facts.generated.norm / facts.real.norm)) < math.log(FAR):
        return None
    real, generated = _asked(facts)
    # For counts only the exact factor fits: the ratio of the medians of their values other than 0.
    middles = [
        float(np.median(np.abs(each[each != 0]))) for each in (real, generated) if each.any()
    ]
    factors = [facts.generated.norm / facts.real.norm]
    if len(middles) == 2:
        factors.append(middles[1] / middles[0])
    left = [math.hypot(*_steps(real, generated / each)) for each in factors]
    if min(left) > MENDED * math.hypot(*_steps(real, generated)):
        return None
    return scaled_by(factors[int(np.argmin(left))])


def standardised_otherwise(facts: PairFacts) -> TriageFinding | None:
    """The fault that most features hardly overlap, but are alike if both sets have median 0 and one
    spread; None if there is none.
    """
    real, generated = _asked(facts)
    apart = _steps(real, generated)
    if float(np.median(apart)) < BESIDE:
        return None
    sides = []
    for values in (real, generated):
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
        sides.append((values - middle) / np.where(high > low, high - low, 1.0))
    if math.hypot(*_steps(*sides)) > MENDED * math.hypot(*apart):
        return None
    sentence = (
        "Most features of the two sets hardly overlap, but are alike once both sets have the same"
        " median and spread: check that both are standardised, or scaled to a range, in one way."
    )
    ratio = facts.generated.norm / facts.real.norm if facts.real.norm else math.inf
    return _different_scales(sentence, ratio)


def _asked(facts: PairFacts) -> tuple[Floats, Floats]:
    """Some features of both sets, spread evenly over all."""
    chosen = _spread_evenly(facts.pair.d)
    real, generated = (each.values[:, chosen].astype(float) for each in facts.pair)
    return real, generated


def _spread_evenly(d: int) -> Ints:
    """Up to ASKED of d features."""
    return np.unique(np.linspace(0, d - 1, min(d, ASKED)).astype(np.intp))


def _steps(real: Floats, generated: Floats) -> list[float]:
    """Largest distance between the two distribution functions of each feature, up to rounding."""
    digit = 1e-9 * (float(np.abs(real).max()) or 1.0)
    columns = zip(np.rint(real / digit).T, np.rint(generated / digit).T, strict=True)
    return [ColumnCounts.of(*each).largest_step() for each in columns]


def misplaced(of: PairStatistics) -> TriageFinding | None:
    """The fault that one repair of the whole set explains: another order of the features, a factor,
    a shift, or a factor per feature; None if there is none.
    """
    if _disordered(of):
        return _other_order(of)
    found = _moved(of)
    if found is None:
        return None
    if found.key == "shifted":
        fits = of.deciles_shift < min(FITS, max(MENDED * of.deciles, UNLIKE))
        # A shift does not change the spread.
        fits &= abs(of.whole_added) < CLEAR * of.whole_chance
    else:
        fits = min(of.deciles_scale, of.deciles_features) < FITS
    if fits:
        return found
    return None


def _moved(of: PairStatistics) -> TriageFinding | None:
    """The fault of a factor, a shift, or a factor per feature that explains most of what differs;
    None if there is none.
    """
    if of.deciles > HUGE and (far := _far_away(of)):
        return far
    both = of.centre_z > MOVED_BOTH and of.deciles > DIFFERENT_BOTH
    one_way = any(
        of.centre_z - max(left, 0.0) > MOVED_BOTH and left < 1.5
        for left in (of.after_shift, of.after_scale)
    )
    moved = of.centre_z > MOVED or both or one_way
    different = of.deciles > DIFFERENT or both
    if _scaled(of):
        return scaled_by(math.exp(of.scale) if different and not moved else 1 + of.factor)
    if not (moved or different) or (of.off_z > SURE and own_modes(of) and not moved):
        return None
    if one_way and _displaced(of):
        return shifted_by(1 - max(of.after_shift, 0.0) / of.centre_z)
    return _repaired(of, moved, different)


def _repaired(of: PairStatistics, moved: bool, different: bool) -> TriageFinding | None:
    """The fault whose repair leaves least of the moves of the clusters and of the differences of
    the features.
    """

    def left(centres: float, deciles: float) -> float:
        """The part of the difference that a repair leaves: the larger one of clusters and features;
        of features alone if clusters say nothing (nan).
        """
        if math.isnan(centres):
            if different:
                return SURER * deciles / of.deciles
            return 1.0
        parts = [deciles / of.deciles] if different else []
        return max([*parts, max(centres, 0.0) / of.centre_z] if moved else parts)

    factor = of.scale if different else of.factor
    by_place = _by_place(of)
    scaled = left(of.after_scale, of.deciles_scale) if _alike(of, factor) and by_place else 1.0
    shifted = left(of.after_shift, of.deciles_shift) if by_place else 1.0
    # Factors per feature must be uneven, and the mean away from the origin: otherwise it is a
    # spread or noise.
    uneven = of.deciles_features < 0.5 * of.deciles_scale and of.offset > OFFSET
    # around one centre, a factor of each feature fits any moves
    uneven &= not math.isnan(of.after_features)
    by_feature = left(of.after_features, of.deciles_features) if by_place and uneven else 1.0
    best = min(shifted, by_feature, scaled)
    stretched = max(of.after_stretch, 0.0) / of.centre_z if moved else 1.0
    alike = stretched < min(MENDED, 2 * best) and reshaped(of) and scaled > best
    if best > MENDED or stretched < best or alike:
        return None
    if scaled < MENDED and scaled < best + 0.1:
        return scaled_by(math.exp(of.scale) if different else 1 + of.factor)
    if by_feature < 0.7 * shifted or (
        by_feature < shifted + 0.03 and of.deciles_features < 0.75 * of.deciles_shift
    ):
        return scaled_by(math.exp(of.scale), " one per feature,")
    return shifted_by(1 - shifted)


def _by_place(of: PairStatistics) -> bool:
    """True if a shift or a factor may be the cause of the moves, and not the shares of clusters,
    which also move the mean.
    """
    little = LITTLE * of.deciles > of.deciles_shift and 0.1 * of.centre_z > of.after_shift
    fits = of.by_mass < BY_MASS[1] and of.deciles_shift < 1.3 and (of.after_shift < 1 or little)
    return of.by_mass < BY_MASS[0] or of.mass_z < LIKE_MASS or fits


def _alike(of: PairStatistics, factor: float) -> bool:
    """True if the spread and the mean of the whole set change by the same factor.

    factor : less 1, or as a logarithm.
    """
    error = of.whole_chance / max(1 + of.whole_added, 1e-12)
    spread = abs(_whole(of) - factor) < max(1.5 * error, 0.3 * abs(factor))
    return spread and of.offset > OFFSET and abs(of.factor - factor) < 0.5 * abs(factor)


def _disordered(of: PairStatistics) -> bool:
    """True if features fit well in another order and badly in this one. The more features there
    are, the less each must improve.
    """
    mended = min(REORDERED * of.misfit, max(FITS, LITTLE * of.misfit))
    least = 1 + (DIFFERENT - 1) * math.sqrt(2 / max(of.disordered, 2))
    return of.disordered >= 2 and of.misfit > least and of.misfit_ordered < mended


def _other_order(of: PairStatistics) -> TriageFinding:
    sentence = (
        f"{of.disordered:.0f} of {of.features:.0f} features stand in another place: in another"
        " order they fit those of the real set. Check how both files were written."
    )
    share = of.disordered / of.features
    return TriageFinding(
        "permuted", "Features in another order", sentence, share, "warning", "preflight"
    )


def _displaced(of: PairStatistics) -> bool:
    """True if one shift explains the moves of all clusters, and shares and spreads of the clusters
    fit.
    """
    alone = (
        min(of.after_stretch, of.after_scale) > MENDED * of.centre_z
        and of.after_shift < of.after_features
    )
    return (
        alone
        and of.after_shift < 0.1 * of.centre_z
        and of.mass_z < SURE_MASS
        and abs(of.whole_added) < 0.1
    )


def _whole(of: PairStatistics) -> float:
    """Log ratio of the spreads of the whole sets, generated over real."""
    return 0.5 * math.log(max(1 + of.whole_added, 1e-12))


def _far_away(of: PairStatistics) -> TriageFinding | None:
    """The fault of a factor or shift so large that samples fall into other clusters, which then say
    nothing; None if there is none.
    """
    if of.deciles_scale < LITTLE * of.deciles and abs(_whole(of) - of.scale) < 0.3 * abs(of.scale):
        return scaled_by(math.exp(of.scale))
    if of.deciles_shift < LITTLE * of.deciles and of.by_mass < BY_MASS[1]:
        return shifted_by(1 - of.deciles_shift / of.deciles)
    return None


def shifted_by(explained: float) -> TriageFinding:
    """The fault of a shift of the whole set. explained : part of the difference that it
    explains.
    """
    sentence = (
        "The generated set is displaced as a whole: one shift of all samples explains"
        f" {percent(explained)} of what differs. Check centring and preprocessing."
    )
    return TriageFinding("shifted", "Shifted features", sentence, explained, "warning", "preflight")


def _scaled(of: PairStatistics) -> bool:
    """True if one factor from the origin explains the spread within the clusters and the places of
    their centres.
    """
    wider = of.total if abs(of.total_z) > abs(of.all_total_z) else of.all_total
    if (
        max(abs(of.total_z), abs(of.all_total_z)) < SURE
        or wider * of.factor <= 0
        or of.offset < OFFSET
    ):
        return False
    mended = of.after_scale < max(MENDED * of.centre_z, FITS)
    return (
        mended
        and 0.5 < of.factor / wider < 2
        and of.after_scale < min(of.after_stretch, of.centre_z) - 3
    )


def scaled_by(factor: float, how: str = "") -> TriageFinding:
    """The fault of a factor of the whole set, or of one factor per feature."""
    sentence = (
        f"Generated values are real ones times a factor,{how} about {factor:.3g}: check units and"
        " preprocessing."
    )
    return _different_scales(sentence, factor)


def _different_scales(sentence: str, ratio: float) -> TriageFinding:
    return TriageFinding(
        "scale", "Different scales", sentence, ratio, "warning", "preflight", "ratio"
    )


# ---- faults of rows ----

# Title of a few samples that are generated again and again, with small changes.
NEARLY = "Nearly repeated samples"
# Number of repeated generated rows from which on they are no chance, if no real row repeats and no
# row is in both sets: of sets of one size. Of a smaller real set fewer are expected.
ALONE = 5
# Number of random draws of both sets from all rows, with which repeats are compared.
PERMUTATIONS = 100
# Probability below which rows farther away than all real ones, or other numbers of zeros, are no
# chance.
CHANCE = 1e-4
# Rows of the smaller set up to which rows farther away are searched.
MOST_ROWS = 6_000
# Largest share of rows farther away. More of them have another cause.
FEW = 0.1
# Least ratio of the numbers of values other than 0 per row that counts.
DENSER = 1.25


def row_faults(facts: PairFacts, memorised: Memorisation) -> Found:
    """Faults of rows: exact repeats in either set, and exact copies of the reference."""
    found = []
    copies = facts.rows.counts
    n = facts.pair.real.n
    m = facts.pair.generated.n
    share = copies.generated / m
    usual = copies.real / n
    # Rows of few values repeat by chance. They no longer do once noise is added to one set.
    natural = discrete(facts.drawn[0].rows)
    if (usual - share > SEVERE and not natural) or copies.most_real == n:
        different = n - copies.real
        left = "a single real sample"
        if different != 1:
            left = f"{different:,} different real samples"
        sentence = (
            f"{percent(usual)} of the real samples repeat an earlier one exactly, the commonest"
            f" occurs {copies.most_real:,} times; of the generated ones {percent(share)} do. Curve"
            f" and scores compare with {left} only: is the reference a few samples, copied?"
        )
        found.append(
            TriageFinding(
                "repeated", "Repeated real samples", sentence, usual, "warning", "duplicates"
            )
        )
    if share - usual > MANY_ROWS and _more_than_real(facts):
        sentence = (
            f"{percent(share)} of the generated samples repeat an earlier one exactly, the"
            f" commonest occurs {copies.most_generated:,} times; of the real ones"
            f" {percent(usual)} do."
        )
        found.append(
            TriageFinding("collapse", "Repeated samples", sentence, share, "warning", "duplicates")
        )
    if memorised.exact.low > 0:
        share = memorised.exact.share
        sentence = (
            f"{percent(share)} of the generated samples are rows of the reference, exactly,"
            f" {percent(memorised.exact.expected)} of other real ones: the generator repeats its"
            " training data, or the two files overlap. The curve counts them as perfect."
        )
        found.append(
            TriageFinding(
                "copies", "Copies of real samples", sentence, share, "warning", "duplicates"
            )
        )
    return tuple(found)


def _more_than_real(facts: PairFacts) -> bool:
    """True if generated rows repeat more often than by chance, if both sets were random draws from
    all rows.
    """
    copies = facts.rows.counts
    enough = copies.generated * facts.pair.real.n >= ALONE * facts.pair.generated.n
    if enough and copies.real == copies.shared_generated == 0:
        return True
    classes = row_classes(facts.pair)
    rng = np.random.default_rng(0)
    others = [
        _repeats_more(rng.permutation(classes), facts.pair.real.n) for _ in range(PERMUTATIONS)
    ]
    error = max(float(np.std(others)), float(np.finfo(float).tiny))
    return (_repeats_more(classes, facts.pair.real.n) - float(np.mean(others))) / error > SURE


def _repeats_more(classes: Ints, n: int) -> float:
    """Share of the rows from n on that repeat an earlier one of these, less the same share of the
    first n rows.
    """
    shares = [
        1 - np.count_nonzero(np.bincount(each)) / len(each) for each in (classes[n:], classes[:n])
    ]
    return float(shares[0] - shares[1])


def one_row(facts: PairFacts) -> TriageFinding | None:
    """The fault of a real set that is one row repeated."""
    n = facts.pair.real.n
    if n < 2 or facts.rows.counts.real < n - 1:
        return None
    sentence = (
        f"The real set is one row {n:,} times: it has no spread, and nothing can be compared"
        " with it."
    )
    return TriageFinding(
        "single", "One row repeated", sentence, float(n), "warning", "duplicates", "ratio"
    )


def of_whole_rows(pair: SamplePair) -> TriageFinding | None:
    """What single rows show where no statistic of both sets does: a property of all rows of one
    set, or rows farther away than any real one.
    """
    if (found := row_property(pair)) is not None:
        share = found.generated - found.real
        sentence = f"Rows of one set differ in what all of them are: {found.text}."
        return TriageFinding("rows", "Rows that differ", sentence, share, "warning", "preflight")
    if (sparse := other_density(pair)) is not None:
        return sparse
    real, generated = (each.values for each in pair)
    if min(pair.real.n, pair.generated.n) > MOST_ROWS:
        return None
    usual = nearest_rows(real, np.arange(len(real)), 2, real)[1][:, -1]
    away = nearest_rows(generated, np.arange(len(generated)), 1, real)[1][:, 0]
    count = int(np.count_nonzero(away > usual.max()))
    left = np.arange(count)
    if count > FEW * len(away):
        return None
    # The chance that the farthest rows of both sets are all generated.
    if np.prod((len(away) - left) / (len(away) + len(usual) - left)) > CHANCE:
        return None
    share = count / len(away)
    sentence = (
        f"{percent(share)} of the generated samples ({count:,}) lie farther from all real ones than"
        " any real one does from the others: they are off the manifold, while the others fit."
    )
    return TriageFinding("off", "Off the manifold", sentence, share, grade(share), "precision end")


def other_density(pair: SamplePair) -> TriageFinding | None:
    """The fault of rows with far more values of 0, or far fewer but some: noise leaves none."""
    filled = []
    for samples in pair:
        blocks = row_blocks(*samples.values.shape)
        filled.append(
            np.concatenate([np.count_nonzero(samples.values[rows], axis=1) for rows in blocks])
        )
    real, generated = (float(each.mean()) for each in filled)
    if min(real, generated) == 0 or max(real, generated) / min(real, generated) < DENSER:
        return None
    if pair.d - generated < (pair.d - real) / 2:
        return None
    size = math.sqrt(pair.real.n * pair.generated.n / (pair.real.n + pair.generated.n))
    step = ColumnCounts.of(*(each.astype(float) for each in filled)).largest_step()
    if 2 * math.exp(-2 * (size * step) ** 2) > CHANCE:
        return None
    sentence = (
        f"A generated row holds {generated:.3g} values other than 0, a real one {real:.3g}, on"
        " average: zeros were lost or added."
    )
    ratio = generated / real
    return TriageFinding(
        "rows", "Rows that differ", sentence, ratio, "warning", "preflight", "ratio"
    )


def nearly_repeated(of: PairStatistics) -> TriageFinding:
    """The fault of a few samples that the generator repeats with small changes."""
    sentence = (
        f"{percent(of.tight)} of the generated samples lie far closer to another generated one than"
        " real samples do to each other: a few samples again and again, with small changes."
    )
    return TriageFinding("collapse", NEARLY, sentence, of.tight, "warning", "dimension")


def near_copies(of: Memorisation) -> TriageFinding:
    """The fault of near copies: samples much closer to one sample of the reference than to the
    next.
    """
    near = of.near
    share = of.near.value
    sentence = (
        f"About {percent(share)} of the generated samples ({100 * CONFIDENCE:.0f} % interval"
        f" {percent(near.low)} to {percent(near.high)}) lie much closer to one real sample than to"
        " the next, which other real samples hardly ever do: near copies of the reference."
    )
    return TriageFinding("near_copies", "Near copies", sentence, share, "warning", "precision end")


# Rules that are tried in this order before all others: beside such a fault nothing else can be
# compared.
WHOLES: tuple[Callable[[PairFacts], TriageFinding | None], ...] = (
    rounded,
    normalised,
    rescaled,
)
# The rules of the findings in this module.
NAMED = (
    FaultRule(
        key="repeated",
        number="of the real rows repeat another",
        listed="Repeated real samples",
        seen=f"{100 * SEVERE:.0f} % more real than generated rows repeat another",
    ),
    FaultRule(
        key="collapse",
        number="of the generated rows repeat another",
        listed="Repeated samples",
        seen=(
            f"{100 * MANY_ROWS:.0f} % more generated than real rows repeat another, or others"
            " nearly"
        ),
        excludes=frozenset({"off", "invention", "wide", "noise", "tails"}),
    ),
    FaultRule(key="single", number="times the same real row"),
    FaultRule(
        key="copies",
        number="of the generated rows are rows of the reference",
        listed="Copies",
        seen=(
            "generated rows that are rows of the reference, or much closer to one than to the next"
        ),
    ),
    FaultRule(
        key="rows",
        number="of the rows, or the ratio of their values other than 0",
        listed="Rows that differ",
        seen=(
            "all rows of one set alone hold fractions or values below 0, or have length 1; or far"
            " more values of 0"
        ),
    ),
    FaultRule(key="near_copies", number="of the generated samples nearly copy a real one"),
    FaultRule(
        key="scale",
        number="the real values",
        listed="Different scales, shifted or permuted features",
        seen="one factor, shift or order that makes the sets fit",
        follows=True,
    ),
    FaultRule(
        key="shifted", number="the part of the difference that one shift explains", follows=True
    ),
    FaultRule(key="permuted", number="of the features are in another place", follows=True),
)
