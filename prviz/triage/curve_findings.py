"""Findings on the curve and the number of samples: hardly any overlap, outliers, lost directions,
few samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.checks.row_order import CONSEQUENCE, NEXT, TOGETHER, dependence_text, dependent_sets
from prviz.checks.twins import rows_without_twins
from prviz.curves import PRCurve
from prviz.diagnostics.influence import REMOVED, Influence
from prviz.diagnostics.preflight import (
    DIMENSION_RATIO,
    FEW_EVALUATED,
    PairFacts,
    effective_dimension,
)
from prviz.samples import SamplePair
from prviz.triage.finding import FaultRule, Found, Level, TriageFinding, grade, percent
from prviz.uncertainty.bootstrap import Spread

# Overlap, 1 - TV, below which the sets count as apart.
APART = 0.1
# Share of the other set that loses all support without the 5 most influential samples, up to which
# an end of the curve does not depend on outliers.
OUTLIERS = 0.05
# Like OUTLIERS, but divided by the 5 samples' share of their own set. Above both limits an end of
# the curve depends on outliers.
OUTLIERS_SHARE = 5.0
# Least ratio of the ends of the range of lam over which a point of the curve stays optimal, for a
# mode re-weighting.
KINK = 3.0
# Largest move, in either error rate, of a point that counts as staying optimal: the noise of a rate
# from a few hundred samples.
KINK_MOVE = 0.03
# Least distance of a mode re-weighting from either end of the curve, and from error rates of 0.
KINK_INSIDE = 0.05
# Width of the interval of AuC above which samples are too few to tell checkpoints apart.
WIDE = 0.1


def apart(spread: Spread) -> Found:
    """A finding if the sets share hardly any mass."""
    overlap = spread.interval_of("one_minus_tv")
    value = 1.0 - spread.curve.total_variation
    if overlap.high >= APART:
        return ()
    sentence = (
        f"Both sets share only {percent(value)} of their mass: the generator is hardly trained or"
        " has collapsed altogether, or the two don't come from the same encoder and preprocessing."
    )
    low = overlap.low
    high = overlap.high
    return (
        TriageFinding(
            "apart",
            "Hardly any overlap",
            sentence,
            value,
            "warning",
            "preflight",
            low=low,
            high=high,
        ),
    )


def doubts(spread: Spread, facts: PairFacts, independent: int) -> Found:
    """Findings that directions are lost, and that samples are too few.

    independent : number of independent evaluation samples in the smaller set.
    """
    return tuple(fault for fault in (_flat(facts), _few(spread, independent)) if fault is not None)


def dependent(pair: SamplePair) -> Found:
    """A finding if the order of the rows, or twins among the real samples, show that they are not
    independent, and no groups are known.
    """
    found = dependent_sets(pair)
    if not found:
        rows = rows_without_twins(pair)
        if rows is None:
            return ()
        share = 1 - len(rows[0]) / pair.real.n
        sentence = (
            f"{percent(share)} of the real samples have an earlier one far nearer than all others,"
            f" and are left out where faults are searched for. {CONSEQUENCE}"
        )
        return (TriageFinding("dependent", TOGETHER, sentence, share, "warning", "preflight"),)
    share = max(each.share for each in found.values())
    text = dependence_text(found)
    sentence = f"{text[0].upper()}{text[1:]}. {CONSEQUENCE}"
    return (TriageFinding("dependent", TOGETHER, sentence, share, "warning", "preflight"),)


def outlier_faults(found: Influence) -> Found:
    """A finding if an end of the curve depends on few samples: without them, much of the other set
    would lose all support.
    """
    top = found.top(REMOVED[-1])
    lost = found.share - found.share_without(top)
    if lost <= max(OUTLIERS, OUTLIERS_SHARE * len(top) / len(found.rows)):
        return ()
    side, other = ("precision", "generated") if found.role == "real" else ("recall", "real")
    several = f"{len(top)} of {len(found.rows):,} {found.role} samples"
    sentence = (
        f"The extreme {side} hangs on outliers: without {several}, {percent(lost)} of the {other}"
        f" samples would lose all support. Read {side} a little inside the curve, at 0.05 of the"
        " other, rather than at its end."
    )
    return (
        TriageFinding(
            "outliers", f"Outliers carry extreme {side}", sentence, lost, grade(lost), "outliers"
        ),
    )


def _flat(facts: PairFacts) -> TriageFinding | None:
    real, generated = (each.value for each in facts.effective)
    # A distant mode or outlier also lowers the number of directions, but raises the variance.
    gained = np.linalg.norm(facts.generated.sd) > np.linalg.norm(facts.real.sd)
    if real <= DIMENSION_RATIO * generated or gained:
        return None
    bulk = [effective_dimension(each, of_bulk=True).value for each in facts.pair]
    if bulk[0] <= DIMENSION_RATIO * bulk[1]:  # without outliers both sets vary alike
        return None
    sentence = (
        f"The generated samples vary in about {generated:.1f} directions, the real ones in"
        f" {real:.1f}: collapse."
    )
    return TriageFinding(
        "flat", "Fewer directions", sentence, generated / real, "warning", "dimension", "ratio"
    )


def _few(spread: Spread, n: int) -> TriageFinding | None:
    low, high = spread.interval_of("auc")
    if high - low <= WIDE and n >= FEW_EVALUATED:
        return None
    sentence = (
        f"With {n:,} samples to evaluate in the smaller set, 95 % of the draws of AuC lie within"
        f" {high - low:.2f} of each other: small differences between checkpoints can't be seen,"
        " nor faults that few samples show."
    )
    level: Level = "warning" if n < FEW_EVALUATED else "note"
    return TriageFinding(
        "few", "Too few samples", sentence, high - low, level, "interval", low=low, high=high
    )


class ModeReweighting(NamedTuple):
    """A kink of the curve: a point that stays optimal, nearly unmoved, over a wide range of lam.

    ratio : ratio of the ends of that range; 1 if there is no kink. lam : their geometric mean. fpr,
        fnr : the point.
    """

    ratio: float
    lam: float
    fpr: float
    fnr: float


def mode_reweighting(curve: PRCurve) -> ModeReweighting:
    """The mode re-weighting (a kink) with the widest range of lam inside a curve.

    On that range, all optimal vertices lie within KINK_MOVE of each other in both rates. Their
    middle is at least KINK_INSIDE away from both ends of the curve and from rates of 0.
    """
    fpr, fnr = curve.vertices.T
    lo = np.append(curve.breakpoints, 0.0)
    hi = np.insert(curve.breakpoints, 0, np.inf)
    last = np.minimum(
        np.searchsorted(fpr, fpr + KINK_MOVE, side="right"),
        np.searchsorted(-fnr, KINK_MOVE - fnr, side="right"),
    )
    last = np.maximum(last - 1, np.arange(len(fpr)))
    f = (fpr + fpr[last]) / 2
    n = (fnr + fnr[last]) / 2
    inside = (f >= KINK_INSIDE) & (n >= KINK_INSIDE)
    inside &= (f <= curve.extreme_recall - KINK_INSIDE) & (
        n <= curve.extreme_precision - KINK_INSIDE
    )
    if not inside.any():
        return ModeReweighting(1.0, float("nan"), float("nan"), float("nan"))
    places = np.flatnonzero(inside)
    ratios = hi[places] / lo[last[places]]
    place = places[int(np.argmax(ratios))]
    ends = float(lo[last[place]]), float(hi[place])
    return ModeReweighting(
        float(ratios.max()), float(np.sqrt(ends[0] * ends[1])), float(f[place]), float(n[place])
    )


# The rules of the findings in this module.
NAMED = (
    FaultRule(
        key="flat",
        number="as many directions as the real samples",
        listed="Fewer directions",
        seen=(
            f"the generated effective dimension is below 1 / {DIMENSION_RATIO:g} of the real one"
        ),
    ),
    FaultRule(
        key="outliers",
        number="of the other set would lose all support",
        listed="Outliers",
        seen=(
            f"5 samples alone carry more than {100 * OUTLIERS:.0f} % of the other set, and far more"
            " than their share"
        ),
    ),
    FaultRule(
        key="dependent",
        number="of the samples have their nearest one in a row beside theirs",
        listed="Rows that belong together",
        seen=f"nearest samples at most {NEXT} rows apart, far more often than by chance",
    ),
    FaultRule(
        key="few",
        number="width of 95 % of AuC's draws",
        listed="Too few samples",
        seen=(
            f"AuC's draws spread more than {WIDE:g}, or fewer than {FEW_EVALUATED} of a set measure"
            " it"
        ),
    ),
    FaultRule(
        key="apart",
        number="of the mass in common",
        listed="Hardly any overlap",
        seen=f"less than {100 * APART:.0f} % of the mass is shared",
    ),
)
