"""The report of a triage: all its results as one structure of dicts, lists, numbers and text.

Schema "prviz-triage", version 1. Missing entries are None.

    schema, schema_version
    versions       prviz, numpy, scipy, sklearn, python
    conventions    by subject, in words: axes, directions, balls, k, split, seeds, intervals, score
    settings       the fields of `prviz.triage.measured.TriageSettings`
    goal           from 0 (precision first) to 1 (recall first)
    bootstrap      replicates, seed, level
    complete       True if all of the ``total`` checkpoints are in it, measured or failed
    note           on sets of different sizes, and on checkpoints by another encoder than the
                   reference
    flags          warnings on the samples that no finding mentions, one of each kind: a list of
                   level, title, text, features
    reference      name, path (as given), n, d, digest, encoder (as `prviz embed` wrote it, see
                   `prviz.Samples`)
    verdict        best (name of a checkpoint; None: nothing was measured), told_apart (no other
                   checkpoint may be best), also (checkpoints that may be best), headline, sentence,
                   memorised (candidates left out as copies of the reference), family (that the
                   verdict rests on), second_family (that orders scores below 0.1; None: none does),
                   disagreement (a sentence, or "")
    checkpoints    a list of
                   name, path, step, extra (other numbers by name), n, digest, encoder, reason (why
                   the checkpoint failed), and
                   families: by name k, bandwidth {real, generated}, vertices {fpr, fnr}, summaries
                   by key (each with value, low, high), upper_bound of the true curve (confidence,
                   auc, vertices)
                   memorisation: memorised, exact and near copies (number, share, expected, low,
                   high), pairs, sentence
                   share_of_ceiling: by family share, low, high, reaches_ceiling, sentence
                   scores: by family, at the goal
                   at_most: upper bound of the true score at 95 %
                   classes: a list, worst first, of label, role, n, others, missed, expected, low,
                   high, worse, few (see `prviz.triage.classes.ClassShare`); None: not requested
                   flags: all flags of this checkpoint, notes too
                   witness: see `prviz.Witness.entry`, with areas for the best checkpoints only;
                   None: not searched
                   findings: a list of key, title, sentence, number, unit, low, high, level,
                   borderline; None: not searched
    yardstick      source, and by family ceiling and floor: k, score, auc, summaries by key,
                   vertices {fpr, fnr}
    rankings       by family: reason (why there is none), and lines, best first, of
                   checkpoint, score, low, high (spread of draws), best (share of the replicates),
                   behind, loses, margin (None below 200 samples, and for copies, which are not
                   compared), tied_with_best (see `prviz.triage.ranking.ranking`),
                   front (no checkpoint is better on both sides), precision, recall (both sides of
                   the score),
                   second, second_low, second_high (score by second_family; None: there is none),
                   at_most (score of the upper bound)

n and digest describe the samples as measured; with ``equal_sizes``, after all sets were cut to one
size. `schema` returns the JSON schema, prviz/reports/triage.schema.json.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from os import PathLike, fspath
from typing import Any, TypeAlias

import numpy as np

import prviz
from prviz.curves import PRCurve
from prviz.reports.export import CONVENTIONS as OF_CURVES, bound_entry
from prviz.samples import Samples
from prviz.triage.decision import (
    Aside,
    Basis,
    Judgement,
    basis_of,
    capped_summaries,
    judge,
    sides_of_one,
    told_apart,
)
from prviz.triage.finding import TriageFinding
from prviz.triage.flagged import warnings_of
from prviz.triage.measure import other_encoders, unequal
from prviz.triage.measured import REPLICATES, CheckpointOutcome, MeasuredCheckpoint, ResultCache
from prviz.triage.memorisation import CONFIDENCE, Memorisation, copies_text
from prviz.triage.ranking import AreaSides, score, summary_intervals
from prviz.triage.triage import TriageResults
from prviz.triage.yardstick import Yardstick
from prviz.uncertainty.bootstrap import LEVEL, Interval, intervals_at_most

SCHEMA = "prviz-triage"
SCHEMA_VERSION = 1

Document: TypeAlias = dict[str, Any]

# Reason why a family has no ranking although another one has.
NOT_ALL = "not every checkpoint is measured by this family"

CONVENTIONS = {
    **{
        name: OF_CURVES[name]
        for name in (
            "roles",
            "fpr",
            "fnr",
            "curve",
            "precision",
            "recall",
            "balls",
            "k",
            "split",
            "upper_bound",
        )
    },
    "axes": "recall from left to right, precision upwards; more of either is better",
    "bandwidth": "of the family kde: a distance; null: the family has no bandwidth",
    "sizes": (
        "equal_sizes cuts all sets, by the seed, to the size of the smallest one that can be"
        " measured"
    ),
    "f8": f"f8_precision is the {OF_CURVES['f8_precision']}; f8_recall {OF_CURVES['f8_recall']}",
    "intervals": (
        "they show the spread of draws, and are not intervals of the truth. Of a summary:"
        " percentiles of replicates of this checkpoint alone, with its evaluation samples drawn"
        " again with replacement and supports as they are. Of a score: the same, with the real"
        " samples drawn once for all checkpoints"
    ),
    "score": (
        "(1 - goal) * precision + goal * recall, the two sides of the area under the curve, each"
        " doubled: the area of the rays lam >= 1 and that of the rays lam <= 1; at goal 0.5 it is"
        " the area itself"
    ),
    "seeds": (
        "settings.seed: of the split, of equal sizes and of families that use chance;"
        " bootstrap.seed: of the replicates"
    ),
    "digest": (
        "SHA-256 of shape, type and values of the samples as they were measured, not of the file"
    ),
}


def schema() -> Document:
    """The JSON schema of a report (draft 2020-12)."""
    found: Document = json.loads(
        files("prviz.reports").joinpath("triage.schema.json").read_text("utf-8")
    )
    return found


def document(
    found: TriageResults,
    path: str | PathLike[str],
    *,
    replicates: int = REPLICATES,
    total: int | None = None,
    store: ResultCache | None = None,
    copied: Collection[str] = (),
) -> Document:
    """The report of the outcomes of a triage, in the structure that the module's docstring
    describes.

    Parameters
    ----------
    found : outcomes, in the order of the report, with all that a triage found. If it has no
        judgement, the checkpoints are judged here.
    path : path of the real samples' file, as it should stand in the report.
    replicates : number of replicates of each bootstrap; its seed is that of the settings.
    store : caches the bootstrap replicates behind intervals and rankings; None: no cache.
    total : number of all checkpoints, also of those not yet measured; None: the number of outcomes.
    copied : names of further checkpoints known to copy the reference, which are left out of
        rankings.

    Raises
    ------
    ValueError : no outcomes.
    """
    if not found.outcomes:
        raise ValueError("outcomes is empty; at least one checkpoint is needed")
    settings = found.settings
    measured = found.measured
    left_out = {*found.memorised, *copied}
    judged = partial(
        judge,
        measured,
        found.goal,
        settings.seed,
        aside=Aside(left_out, told_apart(found.witnesses, found.findings), found.yardstick),
        replicates=replicates,
        store=store,
    )
    by_family = {
        name: _judged_by(name, measured, lambda basis: judged(basis=basis))
        for name in settings.methods
    }
    judgement = found.judgement
    if measured and judgement is None:
        judgement = judged()
    entries = []
    for outcome in found.outcomes:
        entry = _checkpoint(outcome, replicates, settings.seed, store)
        entries.append(
            entry | _beside(outcome, found, by_family) | _scored(entry["name"], judgement)
        )
    if total is None:
        total = len(entries)
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "versions": _versions(),
        "conventions": dict(CONVENTIONS),
        "settings": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(settings).items()
        },
        "goal": float(found.goal),
        "bootstrap": {"replicates": replicates, "seed": settings.seed, "level": LEVEL},
        "complete": total == len(entries),
        "total": total,
        "note": "; ".join(filter(None, (unequal(measured), other_encoders(measured)))) or None,
        "reference": _reference(found.reference, path, measured),
        "flags": [each.entry() for each in warnings_of(found.outcomes, found.findings)],
        "yardstick": None if found.yardstick is None else _yardstick(found.yardstick, found.goal),
        "verdict": _verdict(judgement),
        "checkpoints": entries,
        "rankings": {name: _ranking(each) for name, each in by_family.items()},
    }


def _judged_by(
    method: str, measured: Sequence[MeasuredCheckpoint], judged: Callable[[Basis], Judgement]
) -> Judgement | str:
    """The judgement if only this family's curves count; or, as text, the reason why there is
    none.
    """
    if not measured:
        return "nothing was measured"
    names = {each.checkpoint.name for each in measured}
    if {each.checkpoint.name for each in measured if each.method == method} != names:
        return NOT_ALL
    try:
        return judged(basis_of(measured, method))
    except ValueError as error:  # raised if the runs of two checkpoints evaluate different samples
        return str(error)


def _versions() -> Document:
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"prviz": prviz.__version__, **libraries, "python": platform.python_version()}


def _reference(
    reference: Samples, path: str | PathLike[str], measured: Sequence[MeasuredCheckpoint]
) -> Document:
    """The entry on the real samples: as they were measured, or, if nothing was measured, as they
    were read.
    """
    n = reference.n
    digest = reference.digest
    if measured:
        n = measured[0].n_real
        digest = measured[0].digests.real
    return {
        "name": reference.name,
        "path": fspath(path),
        "n": n,
        "d": reference.d,
        "digest": digest,
        "encoder": dict(reference.encoder) or None,
    }


def _beside(
    outcome: CheckpointOutcome, found: TriageResults, by_family: Mapping[str, Judgement | str]
) -> Document:
    """Results on a checkpoint besides its curves, such as findings; None for an analysis that was
    not done.
    """
    name = outcome.checkpoint.name
    shares = {}
    for method, judged in by_family.items():
        if not isinstance(judged, str) and name in judged.shares:
            shares[method] = judged.shares[name]._asdict()
    copies = found.memorisation.get(name)
    findings = found.findings.get(name)
    classes = found.classes.get(name)
    return {
        "memorisation": None if copies is None else _copies(copies),
        "share_of_ceiling": shares,
        "flags": [each.entry() for each in (outcome.measured[0].flags if outcome.measured else ())],
        "findings": None if findings is None else [_finding(each) for each in findings],
        "witness": found.witnesses.get(name),
        "classes": None if classes is None else [each._asdict() for each in classes],
    }


def _verdict(judgement: Judgement | None) -> Document:
    if judgement is None:
        return {
            "best": None,
            "told_apart": False,
            "also": [],
            "sentence": "Nothing could be measured.",
        }
    found = judgement.decision
    return {
        "best": found.best,
        "told_apart": found.told_apart,
        "also": list(found.also),
        "headline": found.headline.head,
        "sentence": found.sentence,
        "memorised": list(found.memorised),
        "family": found.basis.method,
        "second_family": found.basis.second,
        "disagreement": found.disagreement,
    }


def _scored(name: str, judgement: Judgement | None) -> Document:
    """A checkpoint's score by each family, and the upper bound of its true score."""
    if judgement is None:
        return {"scores": {}, "at_most": None}
    scores = {}
    for method, of_family in judgement.scores.items():
        if name in of_family:
            scores[method] = of_family[name]
    return {"scores": scores, "at_most": judgement.at_most.get(name)}


def _finding(found: TriageFinding) -> Document:
    entry = asdict(found)
    del entry["evidence"]  # the name of a view on the page, which means nothing in a report
    for name in ("number", "low", "high"):
        entry[name] = (
            float(entry[name]) if entry[name] is not None and np.isfinite(entry[name]) else None
        )
    return entry


def _yardstick(found: Yardstick, goal: float) -> Document:
    return {
        "source": found.source,
        **{
            name: {
                method: {
                    "k": each.k,
                    "score": score(each.curve, goal),
                    "auc": each.summaries["auc"],
                    "summaries": dict(each.summaries),
                    "vertices": _vertices(each.curve),
                }
                for method, each in measured.items()
            }
            for name, measured in (("ceiling", found.ceiling), ("floor", found.floor))
        },
    }


def _copies(found: Memorisation) -> Document:
    return {
        "memorised": found.memorised,
        "source": found.source,
        "threshold": found.threshold,
        "confidence": CONFIDENCE,
        "exact": found.exact._asdict(),
        "near": found.near._asdict(),
        "pairs": [each._asdict() for each in found.pairs],
        "sentence": copies_text(found),
    }


def copied_in(report: Document) -> set[str]:
    """Names of the checkpoints that copy the reference; rankings do not compare them."""
    found = set()
    for each in report["checkpoints"]:
        copies = each.get("memorisation")
        if copies and copies["memorised"]:
            found.add(each["name"])
    return found


def curve_of(entry: Document) -> PRCurve:
    """The curve of a report's entry with vertices; it equals the measured curve to the last bit."""
    return PRCurve(np.column_stack([entry["vertices"]["fpr"], entry["vertices"]["fnr"]]))


def curves_of(report: Document, family: str) -> dict[str, PRCurve]:
    """The curves of all checkpoints by one family, by name of the checkpoint."""
    return {
        each["name"]: curve_of(found)
        for each in report["checkpoints"]
        if (found := each["families"].get(family)) is not None
    }


def ceiling_of(report: Document, family: str) -> Document | None:
    """The ceiling of one family (real samples against real samples): its k, score, summaries and
    vertices.

    None if the report has no ceiling.
    """
    found: Document | None = (report.get("yardstick") or {}).get("ceiling", {}).get(family)
    # ceilings in older reports have no vertices
    return found if found is not None and "vertices" in found else None


def _checkpoint(
    outcome: CheckpointOutcome, replicates: int, seed: int, store: ResultCache | None
) -> Document:
    checkpoint = outcome.checkpoint
    first = next(iter(outcome.measured), None)
    path = checkpoint.path
    below = checkpoint.below
    known = sides_of_one(outcome.measured)
    return {
        "name": checkpoint.name,
        # The path as given; or, if the file must lie in a folder, relative to this folder.
        "path": str(
            path.relative_to(below) if below is not None and path.is_relative_to(below) else path
        ),
        "step": _short(checkpoint.step),
        "extra": {name: _short(value) for name, value in checkpoint.extra.items()},
        "n": None if first is None else first.n_generated,
        "digest": None if first is None else first.digests.generated,
        "encoder": None if first is None else dict(first.encoder) or None,
        "reason": outcome.reason,
        "families": {
            each.method: _family(
                each, known[each.method], summary_intervals(each, replicates, seed, store)
            )
            for each in outcome.measured
        },
    }


def _vertices(curve: PRCurve) -> Document:
    fpr, fnr = curve.vertices.T
    return {"fpr": fpr.tolist(), "fnr": fnr.tolist()}


def _family(
    measured: MeasuredCheckpoint,
    known: tuple[AreaSides, AreaSides | None],
    intervals: Mapping[str, Interval],
) -> Document:
    """A checkpoint's results by one family, as an entry of the report.

    known : the two halves of the area (precision and recall side), and those of the upper bound, at
    which areas are cut off.
    """
    own, most = known
    sigma = measured.estimate.bandwidth
    intervals = intervals_at_most(intervals, None if most is None else most.score(0.5))
    return {
        "k": measured.k,
        "bandwidth": (
            None if sigma is None else {"real": float(sigma[0]), "generated": float(sigma[1])}
        ),
        "vertices": _vertices(measured.curve),
        "upper_bound": None if measured.bound is None else bound_entry(measured.bound),
        "summaries": {
            key: {
                "value": value,
                **(intervals[key]._asdict() if intervals else {"low": None, "high": None}),
            }
            for key, value in capped_summaries(measured, own).items()
        },
    }


def _ranking(judged: Judgement | str) -> Document:
    if isinstance(judged, str):
        return {"reason": judged, "lines": []}
    lines = []
    for line in judged.table.drop(columns="step").to_dict("records"):
        entry = {name: _plain(value) for name, value in line.items()}
        lines.append(entry | {"at_most": judged.at_most[line["checkpoint"]]})
    return {"reason": None, "lines": lines}


def _plain(value: Any) -> Any:
    """A value as a type that JSON has; None for nan."""
    if isinstance(value, np.generic):
        value = value.item()
    if value != value:
        return None
    return value


def _short(value: float | None) -> float | None:
    """A whole number as an int, so that JSON has 20 and not 20.0; any other value unchanged."""
    if value is None:
        return None
    if float(value).is_integer() and abs(value) < 2**53:
        return int(value)
    return float(value)
