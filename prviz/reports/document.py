"""All results of a triage as one plain structure.

Schema "prviz-triage", version 1; missing entries are None:

    schema, schema_version
    versions       prviz, numpy, scipy, sklearn, python
    conventions    by subject, in words: axes, directions, balls, k, split, seeds, intervals, score
    settings       the fields of `prviz.triage.measured.TriageSettings`
    goal           from 0, precision first, to 1, recall first
    bootstrap      replicates, seed, level
    complete       True if it has all of the ``total`` checkpoints, measured or failed
    note           on sets of different sizes
    reference      name, path (as it was given), n, d, digest
    checkpoints    a list of: name, path, step, extra (other numbers by name), n, digest, reason (why it failed), and
                   families: by name k, bandwidth {real, generated}, vertices {fpr, fnr}, summaries by key, each with
                   value, low and high, and upper_bound (confidence, auc, vertices) of the true curve
    rankings       by family: reason (why there is none), and lines, best first: checkpoint, score, low, high, best
                   (share of the replicates), tied_with_best, ties (in words), front (beaten in both directions by
                   none), precision, recall (the two sides of the score), at_most (the score of the upper bound)

n and digest are of the samples as they were measured: with ``equal_sizes``, of those left.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from os import PathLike, fspath
from typing import Any, TypeAlias

import numpy as np

import prviz
from prviz.curves import PRCurve
from prviz.reports.export import CONVENTIONS as OF_CURVES
from prviz.reports.export import bound_entry
from prviz.samples import Samples
from prviz.studies.tasks import check_whole
from prviz.triage.measure import unequal
from prviz.triage.measured import REPLICATES, CheckpointOutcome, MeasuredCheckpoint, TriageSettings
from prviz.triage.ranking import rank
from prviz.uncertainty.bootstrap import LEVEL, Interval, bootstrap, evaluated

SCHEMA = "prviz-triage"
SCHEMA_VERSION = 1

Document: TypeAlias = dict[str, Any]

CONVENTIONS = {
    **{
        name: OF_CURVES[name]
        for name in ("roles", "fpr", "fnr", "curve", "precision", "recall", "balls", "k", "split", "upper_bound")
    },
    "axes": "recall from left to right, precision upwards; more of either is better",
    "bandwidth": "of kde: a distance; null: the family has none",
    "sizes": "equal_sizes cuts all sets, by the seed, to the smallest of those that can be measured",
    "f8": f"f8_precision is the {OF_CURVES['f8_precision']}; f8_recall {OF_CURVES['f8_recall']}",
    "intervals": "of a summary: percentiles of replicates of this checkpoint alone, its evaluation samples drawn again "
    "with replacement, supports as they are; of a score: the same, the real ones drawn once for all checkpoints",
    "score": "(1 - goal) * precision + goal * recall, the two sides of the area under the curve, each doubled: that of "
    "the rays lam >= 1 and that of lam <= 1; at goal 0.5 the area itself",
    "seeds": "settings.seed: of split, equal sizes and families fitted with chance; bootstrap.seed: of the replicates",
    "digest": "SHA-256 of shape, type and values of the samples as they were measured, not of the file",
}


def document(
    reference: Samples,
    path: str | PathLike[str],
    outcomes: Sequence[CheckpointOutcome],
    settings: TriageSettings,
    goal: float = 0.5,
    *,
    replicates: int = REPLICATES,
    total: int | None = None,
) -> Document:
    """The report of some outcomes, as described above.

    Parameters
    ----------
    reference : the real samples. path : their file, as the report names it.
    outcomes : outcomes of the checkpoints, in the order of the report.
    goal : as in `prviz.triage.ranking.rank`.
    replicates : replicates of each bootstrap, whose seed is that of the settings.
    total : number of checkpoints when all are measured; None: these are all.

    Raises
    ------
    ValueError : no outcomes, or an argument out of bounds.
    """
    if not outcomes:
        raise ValueError("outcomes is empty; at least one checkpoint is needed")
    if not 0 <= goal <= 1:
        raise ValueError(f"goal = {goal}; a number from 0 (precision first) to 1 (recall first) is needed")
    check_whole("replicates", replicates, 2)
    measured = [each for outcome in outcomes for each in outcome.measured]
    n, digest = reference.n, reference.digest
    if measured:
        n, digest = measured[0].n_real, measured[0].digests.real
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "versions": {"prviz": prviz.__version__, **libraries, "python": platform.python_version()},
        "conventions": dict(CONVENTIONS),
        "settings": {**asdict(settings), "methods": list(settings.methods)},
        "goal": float(goal),
        "bootstrap": {"replicates": replicates, "seed": settings.seed, "level": LEVEL},
        "complete": total is None or total == len(outcomes),
        "total": len(outcomes) if total is None else total,
        "note": unequal(measured),
        "reference": {"name": reference.name, "path": fspath(path), "n": n, "d": reference.d, "digest": digest},
        "checkpoints": [_checkpoint(each, replicates, settings.seed) for each in outcomes],
        "rankings": {name: _ranking(measured, name, goal, replicates, settings.seed) for name in settings.methods},
    }


def curves_of(report: Document, family: str) -> dict[str, PRCurve]:
    """The curves of one family by the checkpoints' names, equal to those measured to the last bit."""
    return {
        each["name"]: PRCurve(np.column_stack([found["vertices"]["fpr"], found["vertices"]["fnr"]]))
        for each in report["checkpoints"]
        if (found := each["families"].get(family)) is not None
    }


def _checkpoint(outcome: CheckpointOutcome, replicates: int, seed: int) -> Document:
    checkpoint, first = outcome.checkpoint, next(iter(outcome.measured), None)
    path, below = checkpoint.path, checkpoint.below
    return {
        "name": checkpoint.name,
        # as it was given, or relative to the folder that the file must be in
        "path": str(path.relative_to(below) if below is not None and path.is_relative_to(below) else path),
        "step": _short(checkpoint.step),
        "extra": {name: _short(value) for name, value in checkpoint.extra.items()},
        "n": None if first is None else first.n_generated,
        "digest": None if first is None else first.digests.generated,
        "reason": outcome.reason,
        "families": {each.method: _family(each, replicates, seed) for each in outcome.measured},
    }


def _family(measured: MeasuredCheckpoint, replicates: int, seed: int) -> Document:
    fpr, fnr = measured.curve.vertices.T
    sigma = measured.estimate.bandwidth
    try:
        evaluated(measured.estimate.runs)
    except ValueError:  # runs that evaluate different samples can't be resampled together
        intervals: Mapping[str, Interval] = {}
    else:
        intervals = bootstrap(measured.estimate, replicates, seed=seed, level=LEVEL).intervals
    return {
        "k": measured.k,
        "bandwidth": None if sigma is None else {"real": float(sigma[0]), "generated": float(sigma[1])},
        "vertices": {"fpr": fpr.tolist(), "fnr": fnr.tolist()},
        "upper_bound": None if measured.bound is None else bound_entry(measured.bound),
        "summaries": {
            key: {"value": value, **(intervals[key]._asdict() if intervals else {"low": None, "high": None})}
            for key, value in measured.summaries.items()
        },
    }


def _ranking(measured: Sequence[MeasuredCheckpoint], method: str, goal: float, replicates: int, seed: int) -> Document:
    by_method = [each for each in measured if each.method == method]
    try:
        table = rank(by_method, goal, replicates, seed, LEVEL)
    except ValueError as error:
        return {"reason": str(error) if by_method else "nothing was measured", "lines": []}
    lines = [
        {name: value.item() if isinstance(value, np.generic) else value for name, value in line.items()}
        for line in table.drop(columns="step").to_dict("records")
    ]
    return {"reason": None, "lines": lines}


def _short(value: float | None) -> float | None:
    """A whole number as an int: 20, not 20.0."""
    if value is None:
        return None
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else float(value)
