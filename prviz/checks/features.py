"""Findings on the features of a pair: constant features, norms, spreads, scales, keys, and weights
of samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from prviz.arrays import Ints
from prviz.checks.facts import SURE, DataFacts, SetFacts, variances
from prviz.checks.finding import (
    Finding,
    called,
    called_all,
    dropped_text,
    features_text,
    grade,
    grade_of,
    leave_out_text,
    ratio,
)
from prviz.quoting import first_names
from prviz.readers.suspects import (
    FIRST_ROWS,
    are_weights,
    called_weights,
    is_amount,
    is_key,
    may_be_keys,
)
from prviz.samples import SamplePair, Samples

NORM_RATIOS = (1.25, 2.0)
SPREAD_RATIOS = (1.25, 3.0)
# Share of a set's variance, held by features that are constant in the other set, above which the
# finding is a warning.
LARGE_VARIANCE = 0.05
# Effective number of features (participation ratio of their variances) below which a few features
# are said to decide all distances: as a number, and as a share of d.
FEW_FEATURES = (1.5, 0.05)
# Share of the squared distance between two samples above which one or two features are said to
# decide it.
_DECIDES = 0.95
# Like _DECIDES, for fewer than five features, each of which holds much of the distance.
_DECIDES_OF_FEW = 0.99
# Standard error of the logarithm of an interquantile range of n rows, times sqrt(n): the largest
# that was met for heavy-tailed data.
_RANGE_ERROR = 1.6
# Least ratio of the interquartile range to the range from first to last decile. Below it, only a
# few rows make the feature wide.
_BODY = 0.05
# Ratio of the interquartile ranges of both sets up to which most rows count as spread alike.
_BULK = 2.0
# Least share of the squared distance, in units of 1 / d, that a feature must hold for its spread to
# matter.
_MATTERS = 0.25
# Largest share of the features that can be reported as keys: where more look like keys, the data
# are whole numbers by nature.
_KEYS_AT_MOST = 0.2
# For a feature that is constant in one set only: number of varying rows expected there, from their
# share in the other set, above which the feature is not constant by chance.
_RARELY = 20.0
# Probability (see `_overlap`) above which the median norms of the two sets say little.
_LENGTHS_OVERLAP = 0.25
NEVER_VARIES = (
    "A feature that never varies tells no estimator anything, unless its two constants differ."
)
KEY = "Key among the features"
WEIGHTS = "Weights among the features"
SCALES = "Feature scales"


def constant_features(facts: DataFacts) -> Finding:
    """Finding on features that never vary in one set, or in both."""
    title = "Constant features"
    samples = facts.pair.real
    both = np.flatnonzero(facts.real.constant & facts.generated.constant)
    one = np.flatnonzero(facts.real.constant ^ facts.generated.constant)
    if not len(both) and not len(one):
        effect = "Every feature varies in both sets and counts in the distances of every estimator."
        return Finding(title, "none", "ok", effect)
    value = f"{len(both):,} in both sets, {len(one):,} in one set only, of {samples.d:,}"
    if apart := _other_constants(facts, both):
        features = called_all(samples, apart)
        effect = (
            f"Each set has a value of its own in {first_names(features)}, which tells the sets"
            f" apart by itself: {leave_out_text(samples, apart)}."
        )
        return Finding(title, value, "warning", effect, features)
    if not len(one):
        return Finding(title, value, "note", NEVER_VARIES)
    share = _alone(facts, one)
    amount = "under 0.1 %"
    if share >= 0.001:
        amount = f"{100 * share:.1f} %"
    value += f"; the latter hold {amount} of the other set's variance{features_text(samples, one)}"
    effect = (
        "A feature that varies in one set only tells the sets apart by itself, which lowers the"
        " curves of kNN, KDE, iPR and Coverage, the more of the variance it holds."
    )
    tells = _alone(facts, one, _RARELY) > LARGE_VARIANCE
    return Finding(title, value, grade(True, tells), effect, called_all(samples, one))


def _alone(facts: DataFacts, features: Ints, rows: float = -1) -> float:
    """Largest share of a set's variance in those of some features that never vary in the other set.

    rows : only features count that were expected to vary in more than so many rows there: in few
        samples, a feature that is rarely other than 0 can be 0 throughout.
    """
    sides = list(zip(facts.pair, (facts.real, facts.generated), strict=True))
    largest = 0.0
    for (fixed, of_fixed), (moving, of_moving) in (sides, sides[::-1]):
        here = features[of_fixed.constant[features]]
        differs = (moving.values[:, here] != fixed.values[0, here]).mean(axis=0)
        squares = variances(of_moving)
        if squares.any():
            sure = here[differs * fixed.n > rows]
            largest = max(largest, float(squares[sure].sum() / squares.sum()))
    return largest


def _other_constants(facts: DataFacts, constant: Ints) -> list[int]:
    """Features that are constant in both sets, at two values that differ by more than rounding."""
    if min(each.n for each in facts.pair) < _RARELY:
        return []
    real, generated = (each.values[0, constant].astype(float) for each in facts.pair)
    with np.errstate(over="ignore"):
        far = np.abs(real - generated) > 1e-3 * np.maximum(np.abs(real), np.abs(generated))
    # Two different whole numbers, such as the numbers of two stations, may lie close together, but
    # do not differ by rounding.
    far |= (real != generated) & (real == np.rint(real)) & (generated == np.rint(generated))
    return list(map(int, constant[far]))


def norms(facts: DataFacts) -> Finding:
    """Finding on the lengths of the rows."""
    real = facts.real
    generated = facts.generated
    value = f"median {real.norm:.4g} real, {generated.norm:.4g} generated"
    if real.normalised and generated.normalised:
        effect = "Distances of every estimator are those between directions."
        return Finding("Norms", "both sets are l2-normalised", "ok", effect)
    if real.normalised or generated.normalised:
        which = "generated"
        if real.normalised:
            which = "real"
        effect = (
            f"Only the {which} set is l2-normalised, and distances measure just that: normalise"
            " both or none."
        )
        return Finding("Norms", value, "warning", effect)
    far = ratio(real.norm, generated.norm)
    if far <= NORM_RATIOS[0]:
        effect = "Vectors of similar length: no estimator sees a difference of units."
    elif _overlap(facts) > _LENGTHS_OVERLAP:
        effect = "Vectors of both sets have many lengths, which overlap."
        far = 1.0
    else:
        effect = (
            "One set lies further out, as after another preprocessing or encoder, which alone"
            " lowers the curves of kNN, KDE, iPR and Coverage."
        )
    return Finding("Norms", value, grade_of(far, NORM_RATIOS), effect)


def _overlap(facts: DataFacts) -> float:
    """Probability that a row of the set with the shorter median norm is longer than a row of the
    other set.
    """
    scale = max(each.unit for each in facts.drawn)
    real, generated = (
        np.sort(np.linalg.norm(each.rows * (each.unit / scale), axis=1)) for each in facts.drawn
    )
    longer = float(np.searchsorted(generated, real).mean()) / len(generated)
    return min(longer, 1 - longer)


def spread(facts: DataFacts) -> Finding:
    """Finding on the spreads of the features: the median ratio of generated to real, and the
    features that differ most.
    """
    varying = (facts.real.sd > 0) & (facts.generated.sd > 0)
    if not varying.any():
        effect = (
            "At least one set has no spread: its k-NN radii are 0, so iPR and KDE see nothing but"
            " its own points."
        )
        return Finding("Spread", "no feature varies in both sets", "warning", effect)
    ratios = facts.generated.sd[varying] / facts.real.sd[varying]
    middle = float(np.median(ratios))
    far = ratio(middle, 1.0)
    value = (
        f"generated sd / real sd: median {middle:.3g}, from {ratios.min():.3g} to"
        f" {ratios.max():.3g}"
    )
    sure = _unlike_spreads(facts)
    if far > SPREAD_RATIOS[1] or (far > SPREAD_RATIOS[0] and not sure):
        direction = "wider, which costs precision most"
        if middle < 1:
            direction = "narrower, which costs recall most"
        effect = f"The generated set is {direction}; collapse does that, but so do other units."
        level = grade(True, far > SPREAD_RATIOS[1] and _bulk_differs(facts))
        return Finding("Spread", value, level, effect)
    if sure:
        features = called_all(facts.pair.real, sure)
        effect = f"Another spread in {first_names(features)}: units or coding may differ there."
        return Finding("Spread", value, "warning", effect, features)
    apart = np.maximum(ratios, 1 / ratios)
    unlike = _unlike_spreads(facts, SPREAD_RATIOS[0], 0.0)
    at = int(np.argmax(apart))
    widest = int(np.flatnonzero(varying)[at])
    if not unlike and apart[at] > SPREAD_RATIOS[1]:
        unlike = [widest]
    if unlike:
        features = called_all(facts.pair.real, unlike)
        do = "does" if len(features) == 1 else "do"
        effect = f"Most features spread alike, but {first_names(features)} {do} not."
        return Finding("Spread", value, "note", effect, features)
    effect = (
        "Both sets spread alike, feature by feature: radii of iPR, KDE and Coverage are comparable."
    )
    if apart[at] > SPREAD_RATIOS[0]:
        wider = "generated" if ratios[at] > 1 else "real"
        effect = (
            f"{called(facts.pair.real, widest)} spreads {apart[at]:.3g} times as far in the "
            f"{wider} set, which these samples can't tell from {SPREAD_RATIOS[0]:g} times: radii "
            "of balls are comparable."
        )
    return Finding("Spread", value, "ok", effect)


def _bulk_differs(facts: DataFacts) -> bool:
    """False if only the tails of the sets differ: the median ratio of their interquartile ranges is
    at most _BULK.
    """
    real, generated = (each.ranges(np.arange(facts.pair.d))[0] for each in facts.drawn)
    known = (real > 0) & (generated > 0)
    if known.mean() < 0.5:  # most features are mostly 0, so that quartiles can't tell
        return True
    return ratio(float(np.median(generated[known] / real[known])), 1.0) > _BULK


def _unlike_spreads(
    facts: DataFacts, factor: float = SPREAD_RATIOS[1], matters: float = _MATTERS
) -> list[int]:
    """Features whose spread differs between the sets by more than ``factor`` and by more than
    chance, the worst first.

    Three measures must agree: the standard deviation, which alone would report heavy tails, and two
    interquantile ranges, which alone would report features that are mostly 0.

    matters : least share of the squared distance that a feature must hold, in units of 1 / d.
    """
    real, generated = facts.drawn
    error = _RANGE_ERROR * math.sqrt(sum(1 / len(each.rows) for each in facts.drawn))
    beyond = math.log(factor) + SURE * error
    held = np.maximum(real.shares, generated.shares)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_sd = np.log(generated.moments.sd) - np.log(real.moments.sd)
    # Only features whose standard deviations differ: quantiles of all features would take longer
    # than all other flags together.
    columns = np.flatnonzero((held > matters / facts.pair.d) & ~(np.abs(by_sd) <= beyond))
    if not len(columns):
        return []
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        measured, others = (
            np.vstack([each.ranges(columns), each.moments.sd[columns]]) for each in facts.drawn
        )
        logs = np.log(others) - np.log(measured)
    known = np.isfinite(logs)
    # Where a feature has no range of deciles, too few rows vary to compare its spread.
    known[:, ~known[1]] = False
    least = np.where(known, np.abs(logs), np.inf).min(axis=0)
    wider = (np.where(known, logs, 1) > 0).all(axis=0)
    narrower = (np.where(known, logs, -1) < 0).all(axis=0)
    quartiles, deciles = np.where(others[1] > measured[1], others[:2], measured[:2])
    # If quartiles are narrower than _BODY times the deciles, a few rows alone make the wider set
    # wide.
    sure = (wider | narrower) & (quartiles > _BODY * deciles) & np.isfinite(least)
    found = np.flatnonzero(sure & (least > beyond))
    return list(map(int, columns[found[np.argsort(-least[found])]]))


def scales(facts: DataFacts) -> Finding:
    """Finding on features that decide the distances between real samples."""
    return scales_of(facts.drawn[0], facts.pair.real, "two real samples")


def deciding(facts: SetFacts) -> int:
    """Number of features, 1 or 2, that alone decide the distances between samples; 0 if no two
    do.
    """
    d = len(facts.shares)
    if d < 5:
        return int(d > 1 and facts.top[0] > _DECIDES_OF_FEW)
    return next((number for number in (1, 2) if facts.top[number - 1] > _DECIDES), 0)


def scales_of(facts: SetFacts, samples: Samples, between: str) -> Finding:
    """Finding on features that decide the distances within one set. between : words for the two
    ends of such a distance, such as "two real samples".
    """
    d = samples.d
    order = np.argsort(-facts.shares, kind="stable")
    if few := deciding(facts):
        features = called_all(samples, order[:few])
        share = facts.top[few - 1]
        amount = "over 99.9 %"
        if share < 0.999:
            amount = f"{100 * share:.1f} %"
        hold = "holds" if few == 1 else "hold"
        value = f"{' and '.join(features)} {hold} {amount} of the distance between {between}"
        rest = f"the other {d - few:,} features hardly count"
        if d - few == 1:
            rest = "the other one hardly counts"
        how = dropped_text(samples, order[:few].tolist())
        effect = f"So {rest}: leave out what is no feature{how}, or bring all to one scale."
        return Finding(SCALES, value, "warning", effect, features)
    weights = variances(facts.moments)
    squares = float(np.square(weights).sum())
    # Effective number of features that hold the variance.
    count = float(weights.sum()) ** 2 / squares if squares else 0.0
    uneven = d > 1 and count < max(FEW_FEATURES[0], FEW_FEATURES[1] * d)
    value = (
        f"about {count:.1f} of {d:,} features hold the variance of {between.replace('two ', '')}"
    )
    effect = (
        "The variance is shared by many features, so all of them count in every estimator's"
        " distances."
    )
    if uneven:
        effect = (
            "The features of largest spread decide all distances of every estimator: consider"
            " scaling."
        )
    return Finding(SCALES, value, grade(uneven), effect)


def keys(pair: SamplePair) -> list[Finding]:
    """A warning about keys: features whose values are whole numbers, all different in both sets, so
    that they number the samples.
    """
    if pair.d < 2 or pair.smaller < FIRST_ROWS:
        return []
    candidates = np.flatnonzero(may_be_keys(pair.real.values) & may_be_keys(pair.generated.values))
    if len(candidates) > max(1, _KEYS_AT_MOST * pair.d):
        return []
    names = dict(enumerate(pair.real.features))
    found = [
        each
        for each in candidates.tolist()
        if not is_amount(names.get(each, "")) and all(is_key(one.values[:, each]) for one in pair)
    ]
    what = "whole numbers, all different in both sets"
    said = "A key says which sample it is, not what it is like, and hides copies"
    return _no_features(KEY, pair.real, found, what, said)


def weights(facts: DataFacts) -> list[Finding]:
    """A warning about weights of samples: features that are such weights by name and by values
    (`are_weights`).
    """
    names = facts.pair.real.features
    found = [feature for feature, name in enumerate(names) if called_weights(name)]
    looks = (are_weights([each.rows[:, at] * each.unit for each in facts.drawn]) for at in found)
    # A name such as weight may also be a measurement of a body; the values decide.
    if not all(looks):
        found = []
    what = "by name and values weights of samples"
    said = "Weights are not supported, and are compared as features are"
    return _no_features(WEIGHTS, facts.pair.real, found, what, said)


def _no_features(
    title: str, samples: Samples, found: Sequence[int], what: str, said: str
) -> list[Finding]:
    """A warning about columns that are no features, if any were found."""
    features = called_all(samples, found)
    effect = f"{said}: {leave_out_text(samples, found)}."
    value = f"{', '.join(features)}: {what}"
    if found:
        return [Finding(title, value, "warning", effect, features)]
    return []
