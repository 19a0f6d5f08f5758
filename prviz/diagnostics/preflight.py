"""Preflight: findings about a pair before it is measured, each with its effect on the estimators in one sentence.

All texts are plain text: names come from untrusted files, so callers must not render them as markup.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from prviz.diagnostics.facts import Duplicates, EffectiveDimension, duplicates, effective_dimension, moments
from prviz.diagnostics.findings import Finding, Level, PairFacts, data_findings, grade
from prviz.measure.workload import estimate_seconds, fit_size, live_size, needs_subsample, subsample
from prviz.samples import SamplePair

__all__ = [
    "Finding",
    "Level",
    "Preflight",
    "estimate_seconds",
    "live_size",
    "needs_subsample",
    "preflight",
    "subsample",
]

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
    pair: SamplePair,
    *,
    k: int | Literal["sqrt"] | None = None,
    split: float | None = 0.5,
    known: Preflight | None = None,
) -> Preflight:
    """Check a pair before it is measured.

    Parameters
    ----------
    pair : SamplePair
        Real and generated samples.
    k : int or "sqrt", optional
        Number of neighbours that will be used; None or "sqrt": floor(sqrt(n)), n the size of the smaller set.
    split : float, optional
        Share of each set that will define the classifiers; None: no split.
    known : Preflight, optional
        The preflight of the same pair at another k or split, whose counts over the data are used again.

    Returns
    -------
    Preflight
        Findings on sizes, dimension, duplicates inside and across the sets, constant features, norms, spread,
        scales, effective dimension, k and evaluation samples; and on names that look swapped. Every
        value is exact except effective dimensions above 5,000 rows, which come from a seeded draw.

    Raises
    ------
    ValueError
        k below 1, or split outside (0, 1).
    """
    smaller = min(pair.real.n, pair.generated.n)
    neighbours = math.isqrt(smaller) if k is None or k == "sqrt" else k
    if neighbours < 1:
        raise ValueError(f"k = {k}; at least 1 neighbour is needed")
    if split is not None and not 0 < split < 1:
        raise ValueError(f"split = {split}; a share between 0 and 1 (both excluded) is needed, or None")
    same = known is not None and known.facts.pair.digest == pair.digest
    facts = _gather(pair, neighbours, split, known.facts if known is not None and same else None)
    findings = (*data_findings(facts), _neighbours(facts), _evaluation(facts), *_names(pair))
    return Preflight(findings, facts.copies, *facts.effective, facts)


def _gather(pair: SamplePair, k: int, split: float | None, known: PairFacts | None) -> PairFacts:
    fit = (fit_size(pair.real.n, split), fit_size(pair.generated.n, split))
    evaluate = fit if split is None else (pair.real.n - fit[0], pair.generated.n - fit[1])
    chosen: dict[str, Any] = {"k": k, "fit": fit, "evaluate": evaluate, "held_out": split is not None}
    if known is not None:
        return replace(known, **chosen)
    return PairFacts(
        pair=pair,
        **chosen,
        copies=duplicates(pair),
        real=moments(pair.real),
        generated=moments(pair.generated),
        effective=(effective_dimension(pair.real), effective_dimension(pair.generated)),
    )


def _neighbours(facts: PairFacts) -> Finding:
    n, k = min(facts.fit), facts.k
    value = f"k = {k:,} of {n:,} fit samples in the smaller set"
    if k >= n:
        effect = f"No sample has {k:,} others of its own set: ipr and the automatic kde bandwidth need k below {n:,}."
        return Finding("Neighbours", value, "warning", effect)
    effect = "A ball of k neighbours is local and holds enough of them to count, in every estimator."
    if k < LOWEST_K:
        effect = "Fewer neighbours than any paper uses: knn and coverage take few values, and every estimator is noisy."
    elif k > LARGE_SHARE * n:
        effect = "A ball holds a large part of a set, so every estimator blurs the two and finds them too alike."
    return Finding("Neighbours", value, grade(k < LOWEST_K or k > LARGE_SHARE * n), effect)


def _evaluation(facts: PairFacts) -> Finding:
    n = min(facts.evaluate)
    how = "held out" if facts.held_out else "the fit samples themselves, no split"
    value = f"{facts.evaluate[0]:,} real, {facts.evaluate[1]:,} generated, {how}"
    effect = f"Error rates move in steps of 1 / {n:,}, fine enough for every estimator."
    if n < FEW_EVALUATED:
        effect = f"Error rates move in steps of 1 / {n:,}, so the curve of every estimator is coarse and noisy."
    if n == 0:
        effect = "A set of one sample leaves nothing to measure error rates with: no estimator can be held out."
    return Finding("Evaluation samples", value, grade(n < FEW_EVALUATED, n == 0), effect)


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
