"""The same triage again: from the files that a report names, without any kept result, number by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import prviz
from prviz.measure.estimates import Progress, part_of
from prviz.neighbors import MEMORY_LIMIT
from prviz.readers.errors import quoted
from prviz.reports.document import Document, document
from prviz.samples import Samples
from prviz.triage.checkpoint_evaluator import CheckpointEvaluator, cut, samples_at
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import Settings

__all__ = ["Rerun", "rerun"]

_COMPARED = ("reference", "checkpoints", "rankings")
# What is not measured: where files are, how they are called and why one failed, in words.
_NOT_COMPARED = {"name", "path", "reason"}


class Rerun(NamedTuple):
    """What came of measuring again.

    numbers : how many numbers were compared. differences : one line for each that is another now. notes : what else is
    different, such as the version of prviz.
    """

    numbers: int
    differences: tuple[str, ...]
    notes: tuple[str, ...]


def rerun(
    report: Document, folder: Path, *, memory_limit: int = MEMORY_LIMIT, progress: Progress | None = None
) -> Rerun:
    """Measure again what a report of `prviz.reports.text.from_json` tells of, and compare every number exactly.

    Only files that the report names are opened, by `prviz.read`, which never unpickles: relative to ``folder``, else
    to the current folder. Contents are compared first, by their digests.

    folder : where the report is.

    Raises
    ------
    ValueError : settings that are not possible here, or files that are missing or have other contents.
    """
    settings = _settings(report)
    told = report["reference"]
    reference, _, problem = _found(told, folder, settings)
    checkpoints, problems = [], [problem]
    for each in report["checkpoints"]:
        _, path, problem = _found(each, folder, settings)
        checkpoints.append(Checkpoint(path, each["name"], each["step"], each["extra"]))
        problems.append(problem)
    if wrong := [each for each in problems if each is not None]:
        raise ValueError(_refusal(wrong))
    if reference is None:  # a digest is never missing from a reference
        raise ValueError("this is no report: its reference has no digest")
    desk = CheckpointEvaluator(cut(reference, told["n"], settings.seed), settings, None, memory_limit)
    step = progress or (lambda _: None)
    outcomes = [desk.outcome(each, part_of(step, place, len(checkpoints))) for place, each in enumerate(checkpoints)]
    replicates = report["bootstrap"]["replicates"]
    again = document(desk.reference, told["path"], outcomes, settings, report["goal"], replicates=replicates)
    return _compared(report, again)


def _settings(report: Document) -> Settings:
    told, known = dict(report["settings"]), {field.name for field in fields(Settings)}
    if unknown := sorted(set(told) - known):
        raise ValueError(f"the report has the setting {quoted(unknown[0])}, which this prviz does not know")
    try:
        return Settings(**{**told, "methods": tuple(told["methods"])})
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"the report's settings are not possible: {quoted(str(error))}") from None


def _found(told: Mapping[str, Any], folder: Path, settings: Settings) -> tuple[Samples | None, Path, str | None]:
    """The samples of what the report tells of, their path, and what is wrong with them.

    Of a checkpoint that failed nothing is checked: it is to fail again.
    """
    given = Path(told["path"])
    places = list(dict.fromkeys([folder / given, given]))
    there = [each for each in places if _is_file(each)]
    if told["digest"] is None:
        return None, (there or places)[0], None
    problem = f"{quoted(told['path'])} is neither beside the report nor here"
    for path in there:
        try:
            samples = cut(samples_at(path, settings), told["n"], settings.seed)
        except (ValueError, OSError) as error:
            problem = str(error).splitlines()[0]
            continue
        if samples.digest == told["digest"]:
            return samples, path, None
        problem = f"{quoted(told['path'])} has other contents than when the report was made"
    return None, places[0], problem


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _refusal(problems: list[str]) -> str:
    shown = "; ".join(problems[:3])
    return shown if len(problems) <= 3 else f"{shown}; and {len(problems) - 3} more files are missing or different"


def _compared(before: Document, now: Document) -> Rerun:
    differences, numbers = [], 0
    old, new = dict(_leaves(before, _COMPARED)), dict(_leaves(now, _COMPARED))
    for where in dict.fromkeys([*old, *new]):
        left, right = old.get(where, ...), new.get(where, ...)
        numbers += any(isinstance(each, int | float) and not isinstance(each, bool) for each in (left, right))
        if left is ... or right is ... or left != right or isinstance(left, bool) != isinstance(right, bool):
            differences.append(f"{', '.join(where)}: {_told(left)} in the report, {_told(right)} now")
    notes = []
    if (version := before["versions"].get("prviz")) != prviz.__version__:
        notes.append(f"the report was made by prviz {quoted(str(version))}, this is {prviz.__version__}")
    if not before["complete"]:
        notes.append("the report was made before all of its checkpoints were measured")
    return Rerun(numbers, tuple(differences), tuple(notes))


def _told(value: Any) -> str:
    return "absent" if value is ... else quoted(value) if isinstance(value, str) else repr(value)[:80]


def _leaves(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every single value below these keys, with where it is; those of a checkpoint by its name."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((key,), value.get(key)) for key in reversed(keys)]
    while waiting:
        where, found = waiting.pop()
        if isinstance(found, dict):
            inside = [(key, each) for key, each in found.items() if key not in _NOT_COMPARED]
            waiting += [((*where, key), each) for key, each in reversed(inside)]
        elif isinstance(found, list):
            numbered = list(enumerate(found, start=1))
            waiting += [((*where, _place(each, at)), each) for at, each in reversed(numbered)]
        else:
            yield where, found


def _place(entry: Any, at: int) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else str(at)
