"""Findings: what is wrong with a checkpoint, in plain words, each with its number and its evidence.

No finding proves a cause. A curve loses its recall end where real samples are not generated, whether a mode was dropped
or every mode is too narrow; a sentence says what is observed, and the evidence shows the samples that it concerns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from prviz.curves import PRCurve
from prviz.diagnostics.influence import REMOVED, Influence, carries, influence
from prviz.diagnostics.preflight import DIMENSION_RATIO, FEW_EVALUATED, MANY_ROWS, PairFacts, preflight
from prviz.measure.estimates import Estimate, Progress, part_of
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.balls import ROLES
from prviz.samples import SamplePair
from prviz.uncertainty.bootstrap import LEVEL, Spread, bootstrap

Level = Literal["note", "warning"]

# Share of an end of the curve: lost where the end's interval lies below 1 - LOST (a smaller loss can't be told from a
# tail that few fit samples reach); a warning above SEVERE.
LOST = 0.05
SEVERE = 0.2
# Overlap, 1 - TV, below which the sets count as apart.
APART = 0.1
# Ratios of norms and of spreads: one set counts as a multiple of the other where both exceed SCALED and differ from
# each other by less than SCALED_ALIKE (other units multiply both by the same factor).
SCALED = 2.0
SCALED_ALIKE = 1.25
# Share of an extreme that the 5 most influential samples alone may hold, and the same in multiples of their share of
# the samples; beyond both, the extreme hangs on outliers.
OUTLIERS = 0.05
OUTLIERS_SHARE = 5.0
# Ratio of the ends of the range of lam over which one point is optimal: mode re-weighting from 3 on, if that of the
# replicates is at least 2. Two modes of which one is generated 3 times too often relative to the other give 3.
KINK = 3.0
KINK_SURE = 2.0
KINK_MOVE = 0.03  # largest move of the point in either error rate: the noise of a rate from a few hundred samples
KINK_INSIDE = 0.05  # least distance to either end of the curve, and to error rates of 0
# Width of the interval of AuC above which samples are too few to tell checkpoints apart.
WIDE = 0.1

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


@dataclass(frozen=True)
class TriageFinding:
    """One thing that is wrong, or may be.

    key : dropping, invention, reweighting, collapse, flat, outliers, few or apart.
    title : two or three words. sentence : the observation in plain words, with its number.
    number : that number, a share unless ``unit`` says otherwise. low, high : its interval, if any.
    level : a warning needs action; a note does not. evidence : a key of EVIDENCE.
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
    progress: Progress | None = None,
) -> tuple[TriageFinding, ...]:
    """All findings, the warnings first; none for a faultless pair of enough samples.

    Sets on different scales, or with hardly any overlap, get no findings of the curve: these would follow from the
    scales.

    pair, bandwidth, split, seed, memory_limit : those that ``estimate`` was measured with by `prviz.estimate`.
    replicates, level : of the bootstrap that decides whether a number could be chance; see `prviz.bootstrap`.

    The thresholds suit families whose curve of two equal distributions is near (1, 1) at this n and dimension, as knn.
    Outliers are searched for families that count samples in balls of their own.
    """
    spread = bootstrap(estimate, replicates, seed=seed, level=level)
    part_of(progress, 0, 4)(1.0)
    facts = preflight(pair, k=estimate.k, split=split).facts
    part_of(progress, 1, 4)(1.0)
    found = list(sample_faults(spread, facts))
    apart = any(fault.key == "apart" for fault in found)
    found += () if apart else curve_faults(spread)
    if carries(estimate.method) and not apart:
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
            found += outlier_faults(influenced)
    return tuple(sorted(found, key=lambda fault: fault.level != "warning"))


def curve_faults(spread: Spread) -> tuple[TriageFinding, ...]:
    """Findings of the curve and its replicates: dropping, invention and re-weighting."""
    faults = (_lost(spread, "recall"), _lost(spread, "precision"), _reweighted(spread))
    return tuple(fault for fault in faults if fault is not None)


def sample_faults(spread: Spread, facts: PairFacts) -> tuple[TriageFinding, ...]:
    """Findings of the samples: sets far apart, duplicates, fewer directions and too few samples."""
    found = (_apart(spread, facts), _repeated(facts), _flat(facts), _few(spread, facts))
    return tuple(fault for fault in found if fault is not None)


def outlier_faults(found: Influence) -> tuple[TriageFinding, ...]:
    """A finding if an extreme hangs on the few samples that alone support most samples of the other role."""
    top = found.top(REMOVED[-1])
    lost = found.share - found.share_without(top)
    if lost <= max(OUTLIERS, OUTLIERS_SHARE * len(top) / len(found.rows)):
        return ()
    side, other = ("precision", "generated") if found.role == "real" else ("recall", "real")
    several = f"{len(top)} of {len(found.rows):,} {found.role} samples"
    sentence = (
        f"The extreme {side} hangs on outliers: without {several}, {_percent(lost)} of the {other} samples would lose "
        f"all support. Read {side} a little inside the curve, at 0.05 of the other, rather than at its end."
    )
    return (TriageFinding("outliers", f"Outliers carry extreme {side}", sentence, lost, _grade(lost), "outliers"),)


def _lost(spread: Spread, side: Literal["precision", "recall"]) -> TriageFinding | None:
    own, other = ("beta_at_005", "alpha_at_005") if side == "recall" else ("alpha_at_005", "beta_at_005")
    held, lost = spread.intervals[own], 1.0 - spread.values[own]
    if held.high >= 1.0 - LOST:
        return None
    kept = "precision" if side == "recall" else "recall"
    rest = f"while {kept} holds" if spread.intervals[other].high >= 1.0 - LOST else f"and {kept} is lost as well"
    if side == "recall":
        key, title = "dropping", "Dropped modes"
        sentence = (
            f"About {_percent(lost)} of the real data is hardly ever generated, {rest}: modes were dropped, or made "
            "too narrow to reach it."
        )
    else:
        key, title = "invention", "Invented samples"
        sentence = (
            f"About {_percent(lost)} of the generated samples lie where real ones hardly ever do, {rest}: modes were "
            "invented, or made too wide."
        )
    low, high = 1.0 - held.high, 1.0 - held.low
    return TriageFinding(key, title, sentence, lost, _grade(lost), f"{side} end", low=low, high=high)


def _reweighted(spread: Spread) -> TriageFinding | None:
    found = mode_reweighting(spread.curve)
    if found.ratio < KINK:
        return None
    ratios = np.minimum([mode_reweighting(each).ratio for each in spread.curves], 1e9)
    low, high = (float(end) for end in np.quantile(ratios, [(1 - spread.level) / 2, (1 + spread.level) / 2]))
    if low < KINK_SURE:
        return None
    sentence = (
        f"The curve has a kink at lambda = {found.lam:.2g}: what both sets hold is made in other shares than it has. "
        f"{_percent(found.fpr)} of the real samples are made too often and {_percent(1 - found.fpr)} too seldom, by "
        f"factors that lie {found.ratio:.1f} times apart."
    )
    return TriageFinding(
        "reweighting", "Re-weighted modes", sentence, found.ratio, "warning", "kink", "ratio", low, high
    )


def _apart(spread: Spread, facts: PairFacts) -> TriageFinding | None:
    real, generated = facts.real, facts.generated
    norm, varies = _relative(generated.norm, real.norm), (real.sd > 0) & (generated.sd > 0)
    sd = float(np.median(generated.sd[varies] / real.sd[varies])) if varies.any() else float("nan")
    ratios = f"generated norms are {norm:.3g} times the real ones"
    ratios += ", and no feature varies in both" if np.isnan(sd) else f", spreads {sd:.3g} times"
    if real.normalised != generated.normalised:
        which = "real" if real.normalised else "generated"
        sentence = f"Only the {which} set is l2-normalised ({ratios}): normalise both or none."
        return TriageFinding("apart", "Different scales", sentence, norm, "warning", "preflight", "ratio")
    directions = _relative(facts.effective[1].value, facts.effective[0].value)
    alike = _far(norm / sd) < SCALED_ALIKE if norm > 0 and np.isfinite(norm) and sd > 0 else False
    if min(_far(norm), _far(sd)) > SCALED and alike and _far(directions) < DIMENSION_RATIO:
        sentence = f"One set is a multiple of the other in size ({ratios}): check units and preprocessing."
        return TriageFinding("apart", "Different scales", sentence, norm, "warning", "preflight", "ratio")
    overlap, value = spread.intervals["one_minus_tv"], spread.values["one_minus_tv"]
    if overlap.high >= APART:
        return None
    sentence = (
        f"Both sets share only {_percent(value)} of their mass ({ratios}): the generator is hardly trained or has "
        "collapsed altogether, or the two don't come from the same encoder and preprocessing, which is to be checked "
        "before anything else."
    )
    return TriageFinding(
        "apart", "Hardly any overlap", sentence, value, "warning", "preflight", low=overlap.low, high=overlap.high
    )


def _repeated(facts: PairFacts) -> TriageFinding | None:
    share, usual = facts.copies.generated / facts.pair.generated.n, facts.copies.real / facts.pair.real.n
    if share - usual <= MANY_ROWS:
        return None
    sentence = (
        f"{_percent(share)} of the generated samples repeat an earlier one exactly, the commonest occurs "
        f"{facts.copies.most_generated:,} times; of the real ones {_percent(usual)} do."
    )
    return TriageFinding("collapse", "Repeated samples", sentence, share, "warning", "duplicates")


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


def _percent(share: float) -> str:
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
