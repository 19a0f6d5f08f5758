"""Findings of the preflight about the data: value, level and effect on the estimators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from prviz.diagnostics.facts import Duplicates, EffectiveDimension, Moments
from prviz.samples import SamplePair

__all__ = ["Finding", "Level", "PairFacts", "data_findings", "grade"]

Level = Literal["ok", "note", "warning"]

# Ratios between the two sets (or their inverse) above which a mismatch is a note, or a warning.
SIZE_RATIOS = (1.01, 1.5)
NORM_RATIOS = (1.25, 2.0)
SPREAD_RATIOS = (1.25, 3.0)
DIMENSION_RATIO = 2.0
FEW_FEATURES = (1.5, 0.05)  # features that hold the real variance, number or share: fewer decide all distances
HIGH_DIMENSION = 30.0  # effective dimension above which nearest and farthest neighbours hardly differ: rule of thumb
MANY_ROWS = 0.01  # share of duplicated rows that is a warning
LARGE_VARIANCE = 0.05  # share of a set's variance that is a warning in features the other set never varies


@dataclass(frozen=True)
class Finding:
    """One finding: title, value as text, level and effect on the estimators."""

    title: str
    value_text: str
    level: Level
    effect: str


@dataclass(frozen=True, eq=False)
class PairFacts:
    """Facts about a pair for all findings, computed once.

    ``fit`` and ``evaluate`` are the numbers of fit and of evaluation samples, real first; both are the same samples
    unless ``held_out``.
    """

    pair: SamplePair
    k: int
    fit: tuple[int, int]
    evaluate: tuple[int, int]
    held_out: bool
    copies: Duplicates
    real: Moments
    generated: Moments
    effective: tuple[EffectiveDimension, EffectiveDimension]


def grade(note: bool, warning: bool = False) -> Level:
    """Level of a finding: "warning" or "note" where these are True, else "ok"."""
    return "warning" if warning else "note" if note else "ok"


def _ratio(first: float, second: float) -> float:
    """Ratio of the larger to the smaller; 1 for equal values, inf when only one of them is 0 or infinite."""
    if first == second:
        return 1.0
    low, high = sorted((first, second))
    return math.inf if low == 0 or math.isinf(high) else high / low


def _sizes(facts: PairFacts) -> Finding:
    real, generated = facts.pair.real.n, facts.pair.generated.n
    ratio = _ratio(real, generated)
    effect = "Sizes as good as equal: counts and radii of both sets are comparable in every estimator."
    if ratio > SIZE_RATIOS[0]:
        effect = (
            "Counts scale with a set's size and the smaller set's k-NN balls are wider, so every "
            "estimator is biased: "
            "draw equal sizes."
        )
    value = f"{real:,} real, {generated:,} generated"
    return Finding("Sizes", value, grade(ratio > SIZE_RATIOS[0], ratio > SIZE_RATIOS[1]), effect)


def _dimension(facts: PairFacts) -> Finding:
    real, generated = facts.pair.real.values.dtype, facts.pair.generated.values.dtype
    if real == generated:
        effect = "One space, one precision: every estimator measures distances between the values as given."
        return Finding("Dimension", f"{facts.pair.d:,} features, {real}", "ok", effect)
    effect = (
        "Values stored in different precisions differ by rounding, so copies across the sets go "
        "unnoticed here and "
        "lie at a small distance in every estimator."
    )
    return Finding("Dimension", f"{facts.pair.d:,} features, real {real}, generated {generated}", "note", effect)


def _repeats(facts: PairFacts, role: Literal["real", "generated"]) -> Finding:
    title = f"Duplicates inside the {role} set"
    copies, pair = facts.copies, facts.pair
    is_real = role == "real"
    repeats, most, n = (
        (copies.real, copies.most_real, pair.real.n)
        if is_real
        else (copies.generated, copies.most_generated, pair.generated.n)
    )
    if not repeats:
        return Finding(title, "none", "ok", "No row repeats, so no copy shrinks a radius of ipr, kde or coverage.")
    effect = (
        "Copies shrink the k-NN radii of their set, to 0 for a row that occurs more than k times: "
        "ipr and kde see a "
        "smaller support"
    )
    if facts.held_out:
        effect += ", and a row with copies on both sides of the split is not held out"
    value = f"{repeats:,} of {n:,} rows repeat an earlier one; the commonest row occurs {most:,} times"
    return Finding(title, value, grade(True, most > facts.k or repeats > MANY_ROWS * n), effect + ".")


def _shared(facts: PairFacts) -> Finding:
    title, shared, n = "Rows in both sets", facts.copies.shared_generated, facts.pair.generated.n
    if not shared:
        effect = "No generated row is an exact copy of a real one, so no estimator rewards mere memory."
        return Finding(title, "none", "ok", effect)
    effect = "A copy lies at distance 0 from its real row, so every estimator takes memorised samples for perfect ones."
    if shared == n and facts.copies.shared_real == facts.pair.real.n:
        effect = "Both sets hold the same rows, perhaps one file twice: every estimator compares a set with itself."
    value = f"{shared:,} of {n:,} generated rows are exact copies of real ones"
    return Finding(title, value, grade(True, shared > MANY_ROWS * n), effect)


def _participation(weights: NDArray[np.float64]) -> float:
    """Effective number of weights: (sum)^2 / sum of squares; 0 when all are 0."""
    squares = float(np.square(weights).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def _variances(moments: Moments) -> NDArray[np.float64]:
    """Variances in units of the largest one, so that none overflows."""
    largest = float(moments.sd.max())
    return np.square(moments.sd / largest) if largest else moments.sd


def _alone(one: Moments, other: Moments) -> float:
    """Share of one set's variance in features that never vary in the other set."""
    variances = _variances(one)
    return float(variances[other.constant].sum() / variances.sum()) if variances.any() else 0.0


def _constant(facts: PairFacts) -> Finding:
    both = int((facts.real.constant & facts.generated.constant).sum())
    one = int((facts.real.constant ^ facts.generated.constant).sum())
    if not both and not one:
        effect = "Every feature varies in both sets and counts in the distances of every estimator."
        return Finding("Constant features", "none", "ok", effect)
    value = f"{both:,} in both sets, {one:,} in one set only, of {facts.pair.d:,}"
    effect = "A feature that never varies tells no estimator anything, unless its two constants differ."
    share = max(_alone(facts.real, facts.generated), _alone(facts.generated, facts.real))
    if one:
        amount = f"{share:.1%}" if share >= 0.001 else "under 0.1%"
        value += f"; the latter hold {amount} of the other set's variance"
        effect = (
            "A feature that varies in one set only can tell the sets apart by itself, which lowers precision "
            "or recall in every estimator, the more of the variance it holds."
        )
    return Finding("Constant features", value, grade(True, share > LARGE_VARIANCE), effect)


def _norms(facts: PairFacts) -> Finding:
    real, generated = facts.real, facts.generated
    value = f"median {real.norm:.4g} real, {generated.norm:.4g} generated"
    if real.normalised and generated.normalised:
        effect = "Distances of every estimator are those between directions."
        return Finding("Norms", "both sets are l2-normalised", "ok", effect)
    if real.normalised or generated.normalised:
        which = "real" if real.normalised else "generated"
        effect = (
            f"Only the {which} set is l2-normalised, and every estimator measures just that: normalise both or none."
        )
        return Finding("Norms", value, "warning", effect)
    ratio = _ratio(real.norm, generated.norm)
    effect = "Vectors of similar length: no estimator sees a difference of units."
    if ratio > NORM_RATIOS[0]:
        effect = (
            "One set lies further out, as after another preprocessing or encoder, and every "
            "estimator counts that as "
            "lost precision and recall."
        )
    return Finding("Norms", value, grade(ratio > NORM_RATIOS[0], ratio > NORM_RATIOS[1]), effect)


def _spread(facts: PairFacts) -> Finding:
    varying = (facts.real.sd > 0) & (facts.generated.sd > 0)
    if not varying.any():
        effect = "At least one set has no spread: its k-NN radii are 0, so ipr and kde see nothing but its own points."
        return Finding("Spread", "no feature varies in both sets", "warning", effect)
    ratios = facts.generated.sd[varying] / facts.real.sd[varying]
    ratio = float(np.median(ratios))
    far = _ratio(ratio, 1.0)
    effect = "Both sets spread alike, feature by feature: radii of ipr, kde and coverage are comparable."
    if far > SPREAD_RATIOS[0]:
        direction = "narrower, which costs recall" if ratio < 1 else "wider, which costs precision"
        effect = f"The generated set is {direction} in every estimator; collapse does that, but so do other units."
    value = f"generated sd / real sd: median {ratio:.3g}, from {ratios.min():.3g} to {ratios.max():.3g}"
    return Finding("Spread", value, grade(far > SPREAD_RATIOS[0], far > SPREAD_RATIOS[1]), effect)


def _scales(facts: PairFacts) -> Finding:
    count, d = _participation(_variances(facts.real)), facts.pair.d
    few = d > 1 and count < max(FEW_FEATURES[0], FEW_FEATURES[1] * d)
    effect = "The real variance is shared by many features, so all of them count in every estimator's distances."
    if few:
        effect = "The features of largest spread decide all distances of every estimator: consider scaling."
    return Finding("Feature scales", f"about {count:.1f} of {d:,} features hold the real variance", grade(few), effect)


def _effective(facts: PairFacts) -> Finding:
    real, generated = facts.effective
    unequal = _ratio(real.value, generated.value) > DIMENSION_RATIO
    high = max(real.value, generated.value) > HIGH_DIMENSION
    effect = "Low enough for neighbours to be nearer than the rest, which every estimator relies on."
    if high:
        effect = (
            "In so many directions all distances are nearly equal, so radii depend little on the "
            "place: expect ipr and "
            "coverage to err most, and every estimator to change with k."
        )
    if unequal:
        flat = "generated" if generated.value < real.value else "real"
        effect = (
            f"The {flat} set varies in far fewer directions, so its k-NN balls are small: ipr and kde "
            "see it cover "
            "little of the other one."
        )
    value = f"{real.value:.1f} real, {generated.value:.1f} generated, of {facts.pair.d:,}"
    rows = min(real.rows, generated.rows)
    if real.rows < facts.pair.real.n or generated.rows < facts.pair.generated.n:
        value += f" (from {rows:,} seeded rows)"
    return Finding("Effective dimension", value, grade(unequal or high), effect)


def data_findings(facts: PairFacts) -> tuple[Finding, ...]:
    """Findings about the values, in reading order."""
    return (
        _sizes(facts),
        _dimension(facts),
        _repeats(facts, "real"),
        _repeats(facts, "generated"),
        _shared(facts),
        _constant(facts),
        _norms(facts),
        _spread(facts),
        _scales(facts),
        _effective(facts),
    )
