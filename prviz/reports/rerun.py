"""Repeats a triage: measures the files that a report names again, without cached results, and
compares all numbers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import prviz
from prviz.measure.estimates import Progress
from prviz.measure.workload import cut
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import part_of
from prviz.readers.errors import error_text, quoted
from prviz.reports.document import Document, copied_in, curve_of, document
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import CheckpointEvaluator, samples_at
from prviz.triage.measured import TriageSettings
from prviz.triage.triage import TriageResults

# Largest number of checkpoints that a rerun accepts, since a report may come from a stranger.
MOST_CHECKPOINTS = 10_000
# Largest number of replicates that a rerun accepts, over all checkpoints and families.
MOST_REPLICATES = 10_000_000
_MOST_SEED = 2**63 - 1
# Largest number of differences that are listed; a forged report could have millions.
_MOST_DIFFERENCES = 1_000

_COMPARED = ("reference", "checkpoints", "rankings")
# Entries that older reports of the same schema lack; they don't count as differences.
_ADDED = {"upper_bound", "at_most", "encoder", "scores", "second", "second_low", "second_high"}
# Entries that are not compared, because a rerun does not measure them: the report does not name the
# file of held-out samples.
_NOT_COMPARED = {
    "name",
    "path",
    "reason",
    "memorisation",
    "share_of_ceiling",
    "findings",
    "witness",
    "classes",
}

UNCUT = (
    "the report was made before areas and scores were cut to the upper bound: those above it differ"
)


class Rerun(NamedTuple):
    """Result of a rerun.

    numbers : how many numbers were compared.
    different : how many values differ.
    differences : a line for each of the first thousand differences.
    notes : remarks on the comparison, such as that another version of prviz wrote the report.
    """

    numbers: int
    different: int
    differences: tuple[str, ...]
    notes: tuple[str, ...]


def rerun(
    report: Document,
    folder: Path,
    *,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Rerun:
    """Measure again what a report describes, and compare every number exactly.

    Only files that the report names are opened, by `prviz.read`, which never unpickles. Their paths
    are relative to ``folder`` or, if there is no such file, to the current folder. A file is
    measured only if its samples have the digest in the report.

    report : read by `prviz.reports.report_json.from_json`.
    folder : the folder that holds the report.

    Raises
    ------
    ValueError : settings that this version can't measure; files that are missing or have other
        contents; or more work than any report by prviz needs: more than 10,000 checkpoints, the
        same file twice, or more than 10,000,000 replicates of all checkpoints and families
        together.
    """
    settings = _settings(report)
    _check_work(report, settings)
    recorded = report["reference"]
    reference, _, problem = _found(recorded, folder, settings)
    checkpoints = []
    problems = [problem]
    for each in report["checkpoints"]:
        _, path, problem = _found(each, folder, settings, reference)
        checkpoints.append(Checkpoint(path, each["name"], each["step"], each["extra"]))
        problems.append(problem)
    if wrong := [each for each in problems if each is not None]:
        if len(wrong) > 3:
            more = f"; and {len(wrong) - 3} more files are missing or different"
        else:
            more = ""
        raise ValueError("; ".join(wrong[:3]) + more)
    if reference is None:  # only in a forged report: a reference always has a digest
        raise ValueError("this is no report: its reference has no digest")
    evaluator = CheckpointEvaluator(
        cut(reference, recorded["n"], settings.seed), settings, None, memory_limit
    )
    step = progress or (lambda _: None)
    outcomes = [
        evaluator.outcome(each, part_of(step, place, len(checkpoints)))
        for place, each in enumerate(checkpoints)
    ]
    replicates = report["bootstrap"]["replicates"]
    again = document(
        TriageResults(
            reference=evaluator.reference,
            outcomes=outcomes,
            settings=settings,
            goal=report["goal"],
        ),
        recorded["path"],
        replicates=replicates,
        copied=copied_in(report),
    )
    return _compared(report, again)


def _settings(report: Document) -> TriageSettings:
    recorded = dict(report["settings"])
    known = {field.name for field in fields(TriageSettings)}
    if unknown := sorted(set(recorded) - known):
        raise ValueError(
            f"the report has the setting {quoted(unknown[0])}, which this prviz does not know"
        )
    try:
        return TriageSettings(**{**recorded, "methods": tuple(recorded["methods"])})
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"the report's settings are not possible: {quoted(str(error))}") from None


def _check_work(report: Document, settings: TriageSettings) -> None:
    """Raise ValueError for a report that would take more time or memory than any report that prviz
    writes.
    """
    count = len(report["checkpoints"])
    replicates = report["bootstrap"]["replicates"]
    if count > MOST_CHECKPOINTS:
        raise ValueError(
            f"the report has {count} checkpoints; at most {MOST_CHECKPOINTS} are measured again"
        )
    if (total := count * len(settings.methods) * replicates) > MOST_REPLICATES:
        raise ValueError(
            f"the report asks for {total} replicates, {replicates} of each of {count} checkpoints"
            f" by {len(settings.methods)} families; at most {MOST_REPLICATES} are drawn again"
        )
    if settings.seed > _MOST_SEED:
        raise ValueError("the report's seed is too large; at most 2^63 - 1 is possible")
    names = set[str]()
    for each in report["checkpoints"]:
        if (path := os.path.normpath(each["path"])) in names:
            raise ValueError(
                f"the report names {quoted(each['path'])} twice; every file is measured once"
            )
        names.add(path)


def _found(
    recorded: Mapping[str, Any],
    folder: Path,
    settings: TriageSettings,
    reference: Samples | None = None,
) -> tuple[Samples | None, Path, str | None]:
    """The samples that an entry of the report names, their path, and the problem if they can't be
    used.

    reference : the real samples, whose named features give the order of features. An entry without
        digest, that is a checkpoint that failed, is not checked.
    """
    given = Path(recorded["path"])
    places = list(dict.fromkeys([folder / given, given]))
    there = []
    for place in places:
        try:
            if place.exists():
                there.append(place)
        except (OSError, ValueError):
            continue
    if recorded["digest"] is None:
        return None, (there or places)[0], None
    problem = f"{quoted(recorded['path'])} is neither beside the report nor here"
    for path in there:
        try:
            samples = samples_at(path, settings)
            if reference is not None:
                samples = SamplePair(reference, samples).generated
            samples = cut(samples, recorded["n"], settings.seed)
        except (ValueError, OSError) as error:
            problem = error_text(error)
            continue
        if samples.digest == recorded["digest"]:
            return samples, path, None
        problem = f"{quoted(recorded['path'])} has other contents than when the report was made"
    return None, places[0], problem


def _compared(before: Document, now: Document) -> Rerun:
    differences = []
    numbers = 0
    different = 0
    areas = _areas_of_curves(now)
    uncut = False
    for where, left, right in _pairs(before, now):
        numbers += any(
            isinstance(each, int | float) and not isinstance(each, bool) for each in (left, right)
        )
        if (
            left is ...
            or right is ...
            or left != right
            or isinstance(left, bool) != isinstance(right, bool)
        ):
            different += 1
            uncut |= left == areas.get(where, ...)
            if different <= _MOST_DIFFERENCES:
                differences.append(
                    f"{', '.join(where)}: {_told(left)} in the report, {_told(right)} now"
                )
    notes = []
    if (version := before["versions"].get("prviz")) != prviz.__version__:
        notes.append(
            f"the report was made by prviz {quoted(str(version))}, this is {prviz.__version__}"
        )
    if uncut:
        notes.append(UNCUT)
    if not before["complete"]:
        notes.append("the report was made before all of its checkpoints were measured")
    return Rerun(numbers, different, tuple(differences), tuple(notes))


def _areas_of_curves(report: Document) -> dict[tuple[str, ...], float]:
    """The areas of all curves, by position in the report.

    Older reports have these areas where newer ones have areas cut off at the upper bound.
    """
    found = dict[tuple[str, ...], float]()
    for each in report["checkpoints"]:
        for name, family in each["families"].items():
            found["checkpoints", each["name"], "families", name, "summaries", "auc", "value"] = (
                curve_of(family).auc
            )
    return found


def _pairs(before: Document, now: Document) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Every value that either report has: its position, its old and its new value; ... stands for a
    missing value.
    """
    new = dict(_leaves(now, _COMPARED))
    for where, left in _leaves(before, _COMPARED):
        yield where, left, new.pop(where, ...)
    for where, right in new.items():
        if _ADDED.isdisjoint(where):
            yield where, ..., right


def _told(value: Any) -> str:
    if value is ...:
        return "absent"
    if isinstance(value, str):
        return quoted(value)
    return repr(value)[:80]


def _leaves(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every number or text below the given keys of a report, with its position: the keys that lead
    to it.

    In a position, checkpoints and lines of rankings are identified by name, not by index.
    """
    waiting = [_inside((), {key: value.get(key) for key in keys})]
    while waiting:
        where, found = next(waiting[-1], (None, None))
        if where is None:
            waiting.pop()
        elif isinstance(found, dict | list):
            waiting.append(_inside(where, found))
        else:
            yield where, found


def _inside(
    where: tuple[str, ...], value: dict[str, Any] | list[Any]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The entries of a dict or list, yielded one by one, since a forged report could have
    millions.
    """
    if isinstance(value, dict):
        yield from (
            ((*where, key), each) for key, each in value.items() if key not in _NOT_COMPARED
        )
    else:
        for at, each in enumerate(value, start=1):
            name = None
            if isinstance(each, dict):
                name = each.get("name", each.get("checkpoint"))
            # a line of a ranking is found by name, so its place becomes a value to compare
            if isinstance(name, str) and "name" not in each:
                each = {**each, "place": at}
            yield (*where, name if isinstance(name, str) else str(at)), each
