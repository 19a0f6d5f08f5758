"""Preflight: findings about a pair before it is measured, each with its effect on the estimators in one sentence.

All texts are plain text: names come from untrusted files, so callers must not render them as markup.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.measure.workload import fit_size
from prviz.neighbors.kernels import slices
from prviz.samples import SamplePair, Samples, SplitRatio, pair_of, split_share

BLOCK = 2**20  # values per block: 8 MB of float64
ROWS = 5_000  # most rows for an effective dimension
VALUES = 2**25  # values for an effective dimension, at most: 128 MB of float32


class Duplicates(NamedTuple):
    """Exactly equal rows (0.0 and -0.0 are equal).

    real, generated : number of rows of the set that repeat an earlier row of the set.
    most_real, most_generated : number of times the commonest row of the set occurs, 1 without repeats.
    shared_real, shared_generated : number of rows of the set that also occur in the other set.
    """

    real: int
    generated: int
    most_real: int
    most_generated: int
    shared_real: int
    shared_generated: int


class Moments(NamedTuple):
    """Standard deviation (population) of each feature, constant features; median, least and greatest row norm."""

    sd: NDArray[np.float64]
    constant: NDArray[np.bool_]
    norm: float
    least_norm: float
    greatest_norm: float

    @property
    def normalised(self) -> bool:
        """True if every row has the euclidean norm 1, up to float16 rounding."""
        return self.least_norm > 0.998 and self.greatest_norm < 1.002


class EffectiveDimension(NamedTuple):
    """Participation ratio of the covariance spectrum, and the number of rows it was computed from."""

    value: float
    rows: int


def row_blocks(n: int, d: int) -> Iterator[slice]:
    """Slices of the rows of (n, d) values in order, of about 8 MB of float64 each."""
    return iter(slices(n, max(1, BLOCK // d)))


def _hashes(samples: Samples) -> NDArray[np.uint64]:
    """A 64-bit hash of each row as float64: equal rows have equal hashes, whatever their dtype and the sign of 0."""
    odd = np.random.default_rng(0).integers(0, 2**63, samples.d, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    hashes = np.empty(samples.n, np.uint64)
    for rows in row_blocks(samples.n, samples.d):
        words = (samples.values[rows].astype(np.float64) + 0.0).view(np.uint64)  # -0.0 + 0.0 is 0.0
        # Small whole numbers have only zeros in the low half, and a product never moves bits downwards.
        words ^= words >> np.uint64(32)
        hashes[rows] = (words * odd).sum(axis=1, dtype=np.uint64)
    return hashes


def _rows(pair: SamplePair, index: NDArray[np.intp]) -> NDArray[np.float64]:
    """Rows of the two sets by their index, real ones first, without stacking the sets."""
    result = np.empty((len(index), pair.d))
    is_real = index < pair.real.n
    result[is_real] = pair.real.values[index[is_real]]
    result[~is_real] = pair.generated.values[index[~is_real] - pair.real.n]
    return result + 0.0


def row_classes(pair: SamplePair) -> NDArray[np.intp]:
    """Number of each row, real ones first, equal for equal rows only: hashed, then verified."""
    hashes = np.concatenate([_hashes(pair.real), _hashes(pair.generated)])
    _, first, classes = np.unique(hashes, return_index=True, return_inverse=True)
    classes = classes.reshape(-1).astype(np.intp)
    candidates = np.flatnonzero(first[classes] != np.arange(len(hashes)))
    collided: dict[bytes, int] = {}
    for block in row_blocks(len(candidates), pair.d):
        index = candidates[block]
        rows = _rows(pair, index)
        other = (rows != _rows(pair, first[classes[index]])).any(axis=1)
        for row, position in zip(rows[other], index[other], strict=True):
            classes[position] = len(first) + collided.setdefault(row.tobytes(), len(collided))
    return classes


def duplicates(pair: SamplePair) -> Duplicates:
    """Count equal rows inside each set and across the two, exactly, in O(n d)."""
    classes = row_classes(pair)
    count = int(classes.max()) + 1
    real = np.bincount(classes[: pair.real.n], minlength=count)
    generated = np.bincount(classes[pair.real.n :], minlength=count)
    return Duplicates(
        pair.real.n - int(np.count_nonzero(real)),
        pair.generated.n - int(np.count_nonzero(generated)),
        int(real.max()),
        int(generated.max()),
        int(real[generated > 0].sum()),
        int(generated[real > 0].sum()),
    )


def moments(samples: Samples) -> Moments:
    """Spread of each feature and length of each row, in float64."""
    values = samples.values
    scale = float(max(values.max(), -values.min())) or 1.0  # no square of a scaled value overflows or vanishes
    mean, squares = np.zeros(samples.d), np.zeros(samples.d)
    for rows in row_blocks(samples.n, samples.d):
        mean += (values[rows].astype(np.float64) / scale).sum(axis=0) / samples.n
    constant = np.ones(samples.d, dtype=bool)
    norms = np.empty(samples.n)
    for rows in row_blocks(samples.n, samples.d):
        constant &= (values[rows] == values[0]).all(axis=0)
        block = values[rows].astype(np.float64) / scale
        norms[rows] = np.linalg.norm(block, axis=1)
        squares += np.square(block - mean).sum(axis=0)
    sd = np.where(constant, 0.0, np.sqrt(squares / samples.n))  # the mean of equal values is off by rounding
    with np.errstate(over="ignore"):
        summary = np.array([np.median(norms), norms.min(), norms.max()]) * scale
        return Moments(sd * scale, constant, *map(float, summary))


def effective_dimension(samples: Samples, *, seed: int = 0) -> EffectiveDimension:
    """Participation ratio of the covariance spectrum: (sum of eigenvalues)^2 / sum of squared eigenvalues.

    The ratio is 1 for points on a line, d for an isotropic point set and 0 when all rows are equal. The sum of the
    eigenvalues is the trace of the covariance, the sum of their squares its squared Frobenius norm, and the (n, n)
    Gram matrix has the same two. From n rows the ratio is low: d / (1 + d / n) for an isotropic Gaussian. Above 5,000
    rows (or 2^25 values) a seeded draw without replacement is used.
    """
    centred, scale = centred_rows(samples, seed=seed)
    if not scale:
        return EffectiveDimension(0.0, len(centred))
    gram = centred @ centred.T if len(centred) < samples.d else centred.T @ centred
    trace = float(np.trace(gram, dtype=np.float64))
    squared = float(np.einsum("ij,ij->", gram, gram, dtype=np.float64))
    return EffectiveDimension(trace**2 / squared, len(centred))


def centred_rows(samples: Samples, *, seed: int = 0) -> tuple[NDArray[np.float32], float]:
    """Rows for an effective dimension, centred and scaled to the largest entry 1; and the scale.

    The scale is 0 where all rows are equal.
    """
    limit = max(2, min(ROWS, VALUES // samples.d))
    values = samples.values
    if samples.n > limit:
        values = values[np.sort(np.random.default_rng(seed).choice(samples.n, limit, replace=False))]
    unit = float(max(values.max(), -values.min())) or 1.0
    centred = values / unit  # no sum overflows
    centred = centred - centred.mean(axis=0, dtype=np.float64)
    centred[:, (values == values[0]).all(axis=0)] = 0  # not exactly 0 by rounding of the mean
    largest = float(np.abs(centred).max())
    scale = max(largest * unit, float(np.finfo(np.float64).tiny)) if largest else 0.0
    return (centred / (largest or 1.0)).astype(np.float32), scale


# ---- findings about the data ----


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


@dataclass(frozen=True, eq=False, kw_only=True)
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
            "Counts scale with a set's size and the smaller set's k-NN balls are wider: without split the curves of "
            "knn and coverage come out lower. Draw equal sizes."
        )
    value = f"{real:,} real, {generated:,} generated"
    return Finding("Sizes", value, grade(ratio > SIZE_RATIOS[0], ratio > SIZE_RATIOS[1]), effect)


def _dimension(facts: PairFacts) -> Finding:
    real, generated = facts.pair.real.values.dtype, facts.pair.generated.values.dtype
    if real == generated:
        effect = "One space, one precision: every estimator measures distances between the values as given."
        return Finding("Dimension", f"{facts.pair.d:,} features, {real}", "ok", effect)
    effect = (
        "Values stored in different precisions differ by rounding, so copies across the sets go unnoticed here and "
        "lie at a small distance in every estimator."
    )
    return Finding("Dimension", f"{facts.pair.d:,} features, real {real}, generated {generated}", "note", effect)


def _repeats(facts: PairFacts, role: Literal["real", "generated"]) -> Finding:
    title, copies, pair = f"Duplicates inside the {role} set", facts.copies, facts.pair
    repeats, most, n = copies.real, copies.most_real, pair.real.n
    if role == "generated":
        repeats, most, n = copies.generated, copies.most_generated, pair.generated.n
    if not repeats:
        return Finding(title, "none", "ok", "No row repeats, so no copy shrinks a radius of ipr, kde or coverage.")
    effect = (
        "Copies shrink the k-NN radii of their set, to 0 for a row that occurs more than k times: ipr and kde see a "
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
    effect = "A copy lies at distance 0 from its real row: a generator that repeats real rows scores as a perfect one."
    if shared == n and facts.copies.shared_real == facts.pair.real.n:
        effect = "Both sets hold the same rows, perhaps one file twice: every estimator compares a set with itself."
    value = f"{shared:,} of {n:,} generated rows are exact copies of real ones"
    return Finding(title, value, grade(True, shared > MANY_ROWS * n), effect)


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
            "A feature that varies in one set only tells the sets apart by itself, which lowers the curves of knn, "
            "kde, ipr and coverage, the more of the variance it holds."
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
        effect = f"Only the {which} set is l2-normalised, and distances measure just that: normalise both or none."
        return Finding("Norms", value, "warning", effect)
    ratio = _ratio(real.norm, generated.norm)
    effect = "Vectors of similar length: no estimator sees a difference of units."
    if ratio > NORM_RATIOS[0]:
        effect = (
            "One set lies further out, as after another preprocessing or encoder, which alone lowers the curves of "
            "knn, kde, ipr and coverage."
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
        direction = "narrower, which costs recall most" if ratio < 1 else "wider, which costs precision most"
        effect = f"The generated set is {direction}; collapse does that, but so do other units."
    value = f"generated sd / real sd: median {ratio:.3g}, from {ratios.min():.3g} to {ratios.max():.3g}"
    return Finding("Spread", value, grade(far > SPREAD_RATIOS[0], far > SPREAD_RATIOS[1]), effect)


def _scales(facts: PairFacts) -> Finding:
    weights, d = _variances(facts.real), facts.pair.d
    squares = float(np.square(weights).sum())
    count = float(weights.sum()) ** 2 / squares if squares else 0.0  # effective number of features
    few = d > 1 and count < max(FEW_FEATURES[0], FEW_FEATURES[1] * d)
    effect = "The real variance is shared by many features, so all of them count in every estimator's distances."
    if few:
        effect = "The features of largest spread decide all distances of every estimator: consider scaling."
    return Finding("Feature scales", f"about {count:.1f} of {d:,} features hold the real variance", grade(few), effect)


def _effective(facts: PairFacts) -> Finding:
    real, generated = facts.effective
    unequal = _ratio(real.value, generated.value) > DIMENSION_RATIO
    high = max(real.value, generated.value) > HIGH_DIMENSION
    effect = "Low enough for balls of neighbours to be local."
    if high:
        effect = (
            "In so many directions all distances are nearly equal: on Gaussians curves come out too high, of ipr most, "
            "of coverage least."
        )
    if unequal:
        flat = "generated" if generated.value < real.value else "real"
        effect = (
            f"The {flat} set varies in far fewer directions, so its k-NN balls are small: ipr and kde see it cover "
            "little of the other one."
        )
    value = f"{real.value:.1f} real, {generated.value:.1f} generated, of {facts.pair.d:,}"
    rows = min(real.rows, generated.rows)
    if real.rows < facts.pair.real.n or generated.rows < facts.pair.generated.n:
        value += f" (from {rows:,} seeded rows)"
    return Finding("Effective dimension", value, grade(unequal or high), effect)


# ---- the preflight ----


FEW_EVALUATED = 50  # evaluation samples per set below which the steps of the error rates show
LOWEST_K = 3  # the smallest published k
LARGE_SHARE = 0.25  # share of a set's fit samples in one ball above which a ball is hardly local
LONGEST_NAME = 80  # characters of a name to show

_GENERATED_WORDS = (
    "fakes?|gen|generated|generator|samples?|sampled|synth|synthetic|epochs?|steps?|iter|checkpoint|ckpt|"
    "gan|vae|diffusion"
)
_REAL_WORDS = "reals?|ref|reference|train|training|val|valid|validation|test|ground|groundtruth|gt|truth|original"
_WORDS = {"generated": re.compile(_GENERATED_WORDS), "real": re.compile(_REAL_WORDS)}


@dataclass(frozen=True)
class Preflight:
    """Findings in reading order, with duplicates, effective dimensions and all other facts."""

    findings: tuple[Finding, ...]
    duplicates: Duplicates
    effective_real: EffectiveDimension
    effective_generated: EffectiveDimension
    facts: PairFacts

    @property
    def level(self) -> Level:
        """The most serious level of any finding."""
        levels = {finding.level for finding in self.findings}
        return grade("note" in levels, "warning" in levels)

    @property
    def troubles(self) -> tuple[Finding, ...]:
        """The findings that are not ok, warnings first."""
        troubles = [finding for finding in self.findings if finding.level != "ok"]
        return tuple(sorted(troubles, key=lambda finding: finding.level != "warning"))


def preflight(
    real: SamplePair | Samples | ArrayLike,
    generated: Samples | ArrayLike | None = None,
    *,
    k: int | Literal["sqrt"] | None = None,
    split: SplitRatio = 0.5,
    known: Preflight | None = None,
) -> Preflight:
    """Check a pair before it is measured.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. A `SamplePair` in the place of both will do.
    k : int or "sqrt", optional
        Number of neighbours that will be used; None or "sqrt": floor(sqrt(n)), n the size of the smaller set.
    split : float or "none", optional
        Share of each set that will define the classifiers; None or "none": no split.
    known : Preflight, optional
        The preflight of the same pair at another k or split, whose counts over the data are used again.

    Returns
    -------
    Preflight
        Findings on sizes, dimension, duplicates inside and across the sets, constant features, norms, spread,
        scales, effective dimension, k and evaluation samples; on encoders, where a file names one; and on names that
        look swapped. Every value is exact except effective dimensions above 5,000 rows, which come from a seeded draw.

    Raises
    ------
    ValueError
        k below 1, or split outside (0, 1).
    """
    pair = pair_of(real, generated)
    split = split_share(split)
    smaller = min(pair.real.n, pair.generated.n)
    neighbours = math.isqrt(smaller) if k is None or k == "sqrt" else k
    if neighbours < 1:
        raise ValueError(f"k = {k}; at least 1 neighbour is needed")
    fit = (fit_size(pair.real.n, split), fit_size(pair.generated.n, split))
    evaluate = fit if split is None else (pair.real.n - fit[0], pair.generated.n - fit[1])
    chosen: dict[str, Any] = {"k": neighbours, "fit": fit, "evaluate": evaluate, "held_out": split is not None}
    if known is not None and known.facts.pair.digest == pair.digest:
        facts = replace(known.facts, **chosen)
    else:
        facts = PairFacts(
            pair=pair,
            **chosen,
            copies=duplicates(pair),
            real=moments(pair.real),
            generated=moments(pair.generated),
            effective=(effective_dimension(pair.real), effective_dimension(pair.generated)),
        )
    of_values = (_sizes, _dimension, partial(_repeats, role="real"), partial(_repeats, role="generated"), _shared)
    of_features = (_constant, _norms, _spread, _scales, _effective)
    of_setting = (_neighbours, _evaluation)
    findings = [finding(facts) for finding in (*of_values, *of_features, *of_setting)]
    return Preflight((*findings, *_encoders(pair), *_names(pair)), facts.copies, *facts.effective, facts)


def _neighbours(facts: PairFacts) -> Finding:
    n, k = min(facts.fit), facts.k
    value = f"k = {k:,} of {n:,} fit samples in the smaller set"
    if k >= n:
        effect = f"No sample has {k:,} others of its own set: ipr and the automatic kde bandwidth need k below {n:,}."
        return Finding("Neighbours", value, "warning", effect)
    effect = "A ball of k neighbours is local and holds enough of them to count, in every estimator."
    if k < LOWEST_K:
        effect = "Fewer neighbours than any paper uses: knn and coverage take few values."
    elif k > LARGE_SHARE * n:
        effect = "A ball holds a large part of a set, so that it is not local."
    return Finding("Neighbours", value, grade(k < LOWEST_K or k > LARGE_SHARE * n), effect)


def _evaluation(facts: PairFacts) -> Finding:
    n = min(facts.evaluate)
    how = "held out" if facts.held_out else "the fit samples themselves, no split"
    value = f"{facts.evaluate[0]:,} real, {facts.evaluate[1]:,} generated, {how}"
    effect = f"Error rates move in steps of 1 / {n:,}, fine enough for every estimator."
    if n < FEW_EVALUATED:
        effect = f"Error rates move in steps of 1 / {n:,}, so that curves are coarse."
    if n == 0:
        effect = "A set of one sample leaves nothing to measure error rates with: no estimator can be held out."
    return Finding("Evaluation samples", value, grade(n < FEW_EVALUATED, n == 0), effect)


# Entries of `Samples.encoder` that decide the features; source and versions may differ.
_SAME_ENCODER = ("encoder", "weights_sha256", "transform")


def encoder_difference(pair: SamplePair) -> str:
    """What differs between the encoders of the two sets, as plain text; "" unless both are known and differ."""
    real, generated = pair.real.encoder, pair.generated.encoder
    differing = [key for key in _SAME_ENCODER if real.get(key, "") != generated.get(key, "")]
    if not differing or not real or not generated:
        return ""
    key = differing[0]
    ends = [_shown(each.get(key, "")) or "none" for each in (real, generated)]
    return f"{key.replace('_', ' ')}: {ends[0]} real, {ends[1]} generated"


def _encoders(pair: SamplePair) -> tuple[Finding, ...]:
    known = [side for side in pair if side.encoder]
    if not known:
        return ()
    name = _shown(known[0].encoder["encoder"])
    if difference := encoder_difference(pair):
        effect = (
            "Two encoders put the same sample at two places: no estimator compares anything then. Embed both by one."
        )
        return (Finding("Encoder", difference, "warning", effect),)
    if len(known) == 1:
        side = "real" if known[0] is pair.real else "generated"
        effect = "The other file does not say what made it; only one encoder for both makes samples comparable."
        return (Finding("Encoder", f"{name}, {side} samples only", "note", effect),)
    return (Finding("Encoder", name, "ok", "Both sets are of the same encoder, weights and transform."),)


def _role(name: str) -> str:
    """Role named by the words of a file name; "" where they name none or both."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[a-z]+", spaced.lower())
    roles = [role for role, known in _WORDS.items() if any(known.fullmatch(word) for word in words)]
    return roles[0] if len(roles) == 1 else ""


def _shown(name: str) -> str:
    """Name on one line, without control characters, of at most LONGEST_NAME characters."""
    plain = "".join(character if character.isprintable() else "\ufffd" for character in name)
    return plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1] + "…"


def _names(pair: SamplePair) -> tuple[Finding, ...]:
    roles = (_role(pair.real.name), _role(pair.generated.name))
    if roles not in {("generated", "real"), ("generated", ""), ("", "real")}:
        return ()
    value = f"real: {_shown(pair.real.name)}; generated: {_shown(pair.generated.name)}"
    effect = "If the names mean what they say, precision and recall of every estimator are exchanged: swap the files."
    return (Finding("These look swapped", value, grade(True, all(roles)), effect),)
