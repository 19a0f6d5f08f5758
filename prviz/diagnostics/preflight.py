"""Checks a pair before it is measured: findings, each with one sentence on its effect on the
estimators.

Findings contain names from untrusted files, so callers must render them as plain text, not as
markup.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from prviz.arrays import Floats, Floats32
from prviz.checks import flags, provenance
from prviz.checks.facts import DataFacts, Duplicates, compare_rows, moments, row_blocks, set_facts
from prviz.checks.finding import Finding, Findings, Level, grade, in_order, ratio
from prviz.estimators.base import resolve_k
from prviz.measure.workload import fit_size
from prviz.neighbors.point_sets import RowView
from prviz.recent import LeastRecentlyUsed
from prviz.samples import (
    CUT,
    SamplePair,
    Samples,
    SamplesLike,
    SplitRatio,
    notes_of,
    pair_of,
    split_share,
)

ROWS = 5_000  # most rows from which an effective dimension is computed
VALUES = 2**25  # most values from which an effective dimension is computed: 128 MB of float32
# Cached effective dimensions by digest, since curves, triage findings and pages ask for them again.
_KNOWN = LeastRecentlyUsed(4_096)


class EffectiveDimension(NamedTuple):
    """Participation ratio of the covariance spectrum (`value`), computed from this number of
    `rows`.
    """

    value: float
    rows: int


def effective_dimension(
    samples: Samples, *, seed: int = 0, of_bulk: bool = False
) -> EffectiveDimension:
    """Participation ratio of the covariance spectrum: (sum of eigenvalues)^2 / sum of squared
    eigenvalues.

    The ratio is 1 for points on a line, d for an isotropic point set and 0 if all rows are equal.
    The sum of the eigenvalues is the trace of the covariance, and the sum of their squares is its
    squared Frobenius norm; the (n, n) Gram matrix has the same trace and norm. With few rows the
    ratio is too low: about d / (1 + d / n) for n rows of an isotropic Gaussian. Of more than 5,000
    rows (or 2^25 values) a seeded subset is used.

    of_bulk : True to move rows that are farther from the median of the set than half of all rows in
    to the median distance. In heavy tails a few far rows would otherwise decide the ratio by
    chance.
    """
    centred, scale = centred_rows(samples, seed=seed)
    if not scale:
        return EffectiveDimension(0.0, len(centred))
    if of_bulk:
        centred -= np.median(centred, axis=0)
        lengths = np.linalg.norm(centred, axis=1, keepdims=True)
        if middle := np.median(lengths):
            centred *= middle / np.maximum(lengths, middle)
        centred -= centred.mean(axis=0)
    gram = centred @ centred.T if len(centred) < samples.d else centred.T @ centred
    trace = float(np.trace(gram, dtype=float))
    squared = float(np.einsum("ij,ij->", gram, gram, dtype=float))
    return EffectiveDimension(trace**2 / squared, len(centred))


def _known_dimension(samples: Samples) -> EffectiveDimension:
    return _KNOWN.remembered(samples.digest, lambda: effective_dimension(samples))


def centred_rows(samples: Samples, *, seed: int = 0) -> tuple[Floats32, float]:
    """Rows for the effective dimension: centred, and divided by their largest absolute entry.

    The second value is this divisor; 0 if all rows are equal.
    """
    limit = max(2, min(ROWS, VALUES // samples.d))
    values = RowView(samples.values)
    if samples.n > limit:
        drawn = np.sort(np.random.default_rng(seed).choice(samples.n, limit, replace=False))
        values = RowView(samples.values, drawn)
    blocks = list(row_blocks(len(values), samples.d))
    ends = [(values.take(rows).max(), values.take(rows).min()) for rows in blocks]
    unit = float(max(max(most, -least) for most, least in ends)) or 1.0
    first = values.take(slice(1))
    total = np.zeros((1, samples.d))
    constant = np.ones(samples.d, dtype=bool)
    for rows in blocks:
        block = values.take(rows)
        # adding each block to the total in this way gives the same bits as one sum over all rows;
        # the values are scaled, so they can't overflow
        total = np.concatenate([total, block / unit]).sum(axis=0, keepdims=True)
        constant &= (block == first).all(axis=0)
    mean = total / len(values)

    def centred(rows: slice) -> Floats:
        block: Floats = values.take(rows) / unit - mean
        block[:, constant] = 0  # the mean is rounded, so the difference may not be 0
        return block

    largest = max(float(np.abs(centred(rows)).max()) for rows in blocks)
    scale = 0.0
    if largest:
        scale = max(largest * unit, float(np.finfo(np.float64).tiny))
    result = np.empty((len(values), samples.d), dtype=np.float32)
    for rows in blocks:
        result[rows] = centred(rows) / (largest or 1.0)
    return result, scale


# ---- findings that only this module makes ----


DIMENSION_RATIO = 2.0
# Effective dimension above which the nearest and the farthest neighbour are almost equally far (a
# rule of thumb).
HIGH_DIMENSION = 30.0


@dataclass(frozen=True, eq=False, kw_only=True)
class PairFacts(DataFacts):
    """Facts about a pair, computed once for all findings.

    ``fit`` and ``evaluate`` are the numbers of real and of generated samples that define and that
    measure the classifiers. Unless ``held_out``, the same samples do both.
    """

    fit: tuple[int, int]
    evaluate: tuple[int, int]
    effective: tuple[EffectiveDimension, EffectiveDimension]


def _effective(facts: PairFacts) -> Finding:
    real, generated = facts.effective
    unequal = ratio(real.value, generated.value) > DIMENSION_RATIO
    high = max(real.value, generated.value) > HIGH_DIMENSION
    effect = "Low enough for balls of neighbours to be local."
    if high:
        effect = (
            "In so many directions all distances are nearly equal: on Gaussians curves come out too"
            " high, of iPR most, of Coverage least."
        )
    if unequal:
        flat = "real"
        if generated.value < real.value:
            flat = "generated"
        effect = (
            f"The {flat} set varies in far fewer directions, so its k-NN balls are small: iPR and"
            " KDE see it cover little of the other one."
        )
    value = f"{real.value:.1f} real, {generated.value:.1f} generated, of {facts.pair.d:,}"
    rows = min(real.rows, generated.rows)
    if real.rows < facts.pair.real.n or generated.rows < facts.pair.generated.n:
        value += f" (from {rows:,} seeded rows)"
    return Finding("Effective dimension", value, grade(unequal or high), effect)


# ---- the preflight ----


# with fewer evaluation samples in a set, the steps of the error rates are visible in a curve
FEW_EVALUATED = 50
LOWEST_K = 3  # the smallest published k
# above this share of a set's fit samples, k neighbours are not local
LARGE_SHARE = 0.25


@dataclass(frozen=True)
class Preflight:
    """Result of `preflight`: the findings, in the order in which to read them, and the facts that
    they are based on.
    """

    findings: Findings
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
    def troubles(self) -> Findings:
        """The findings that are not "ok", warnings first."""
        return in_order(self.findings)


def preflight(
    real: SamplePair | SamplesLike,
    generated: SamplesLike | None = None,
    *,
    k: int | Literal["sqrt"] | None = None,
    split: SplitRatio = 0.5,
    known: Preflight | None = None,
) -> Preflight:
    """Check a pair before it is measured.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. A `SamplePair` may take the place of both.
    k : int or "sqrt", optional
        Number of neighbours that will be used; None or "sqrt": floor(sqrt(n)), with n the size of
        the smaller set.
    split : float or "none", optional
        Share of each set that will define the classifiers; None or "none": no split.
    known : Preflight, optional
        A preflight of the same pair at another k or split; its facts about the data are reused.

    Returns
    -------
    Preflight
        Findings on sizes, dimension, duplicates inside and across the sets, constant features,
        norms, spread, scales, effective dimension, k and evaluation samples; on encoders, if a file
        names one; on names that look swapped; and on decisions made when the files were read. Every
        value is exact except effective dimensions above 5,000 rows, which come from a seeded draw.

    Raises
    ------
    ValueError
        If k is below 1, or split is outside (0, 1).
    """
    pair = pair_of(real, generated)
    split = split_share(split)
    if k is None:
        k = "sqrt"
    neighbours = resolve_k(k, pair)
    fit = (fit_size(pair.real.n, split), fit_size(pair.generated.n, split))
    evaluate = fit if split is None else (pair.real.n - fit[0], pair.generated.n - fit[1])
    chosen: dict[str, Any] = {
        "k": neighbours,
        "fit": fit,
        "evaluate": evaluate,
        "held_out": split is not None,
    }
    if known is not None and known.facts.pair.digest == pair.digest:
        facts = replace(known.facts, **chosen)
    else:
        facts = PairFacts(
            pair=pair,
            **chosen,
            rows=compare_rows(pair),
            real=moments(pair.real),
            generated=moments(pair.generated),
            drawn=(set_facts(pair.real), set_facts(pair.generated)),
            effective=(_known_dimension(pair.real), _known_dimension(pair.generated)),
        )
    findings = (
        *flags.single_rows(facts),
        *flags.value_findings(facts),
        _effective(facts),
        _neighbours(facts),
        _evaluation(facts),
        *flags.only_seen(facts),
        *provenance.encoders(pair),
        *provenance.picture_sizes(pair),
        *provenance.names(pair),
        *_as_read(pair),
    )
    return Preflight(findings, facts.rows.counts, *facts.effective, facts)


def _as_read(pair: SamplePair) -> list[Finding]:
    """A finding on what the readers changed in the files, such as columns left out; empty if they
    changed nothing.
    """
    said = [
        f"{' and '.join(names)}: {note}"
        for note, names in notes_of(pair).items()
        if not note.startswith(CUT)  # a finding on sizes says that
    ]
    effect = "Distances are measured in all features that were read as such."
    if said:
        return [Finding("As read", "; ".join(said), "note", effect)]
    return []


def _neighbours(facts: PairFacts) -> Finding:
    n = min(facts.fit)
    k = facts.k
    value = f"k = {k:,} of {n:,} fit samples in the smaller set"
    if k >= n:
        effect = (
            f"No sample has {k:,} others of its own set: iPR and the automatic KDE bandwidth need k"
            f" below {n:,}."
        )
        return Finding("Neighbours", value, "warning", effect)
    effect = (
        "A ball of k neighbours is local and holds enough of them to count, in every estimator."
    )
    if k < LOWEST_K:
        effect = "Fewer neighbours than any paper uses: kNN and Coverage take few values."
    elif k > LARGE_SHARE * n:
        effect = "A ball holds a large part of a set, so that it is not local."
    return Finding("Neighbours", value, grade(k < LOWEST_K or k > LARGE_SHARE * n), effect)


def _evaluation(facts: PairFacts) -> Finding:
    n = min(facts.evaluate)
    how = "the fit samples themselves, no split"
    if facts.held_out:
        how = "held out"
    value = f"{facts.evaluate[0]:,} real, {facts.evaluate[1]:,} generated, {how}"
    effect = f"Error rates move in steps of 1 / {n:,}, fine enough for every estimator."
    if n < FEW_EVALUATED:
        effect = f"Error rates move in steps of 1 / {n:,}, so that curves are coarse."
    if n == 0:
        effect = (
            "A set of one sample leaves nothing to measure error rates with: no estimator can be"
            " held out."
        )
    return Finding("Evaluation samples", value, grade(n < FEW_EVALUATED, n == 0), effect)
