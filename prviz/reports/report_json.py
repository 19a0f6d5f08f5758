"""Writes a report as strict JSON, and reads it back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from prviz.readers.errors import quoted
from prviz.reports.document import SCHEMA, SCHEMA_VERSION, Document
from prviz.reports.export import no_constant

_MOST_BYTES = 256 * 1024**2
# Largest number of commas and brackets in a report's JSON, to limit memory: an empty list takes two
# bytes of text but twenty times as much memory. The largest valid report has fewer.
_MOST_VALUES = 10_000_000
_MOST_REPLICATES = 100_000
_NUMBER = (int, float)
_WORD = (str, type(None))

# Entries of a report that prviz reads, with their types; all other entries are only compared by a
# rerun.
_HEAD: Mapping[str, tuple[type, ...]] = {
    "versions": (dict,),
    "settings": (dict,),
    "goal": _NUMBER,
    "bootstrap": (dict,),
    "complete": (bool,),
    "reference": (dict,),
    "checkpoints": (list,),
    "rankings": (dict,),
}
_SETTINGS = {
    "methods": (list,),
    "k": (int, str),
    "bandwidth": (*_NUMBER, type(None)),
    "split": (*_NUMBER, type(None)),
    "seed": (int,),
    "equal_sizes": (bool,),
    "key": _WORD,
}
_REFERENCE = {"name": (str,), "path": (str,), "n": (int,), "digest": (str,)}
_CHECKPOINT = {
    "name": (str,),
    "path": (str,),
    "step": (*_NUMBER, type(None)),
    "extra": (dict,),
    "n": (int, type(None)),
    "digest": _WORD,
    "reason": _WORD,
    "families": (dict,),
}


def to_json(report: Document) -> str:
    """The report as JSON in ASCII; numbers have all their digits, and none is NaN or infinite."""
    return json.dumps(report, indent=1, allow_nan=False) + "\n"


def from_json(text: str) -> Document:
    """The report in JSON text that `to_json` wrote, with the same numbers to the last bit.

    Raises ValueError for any other text, and for another schema version.
    """
    try:
        found = json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is no report: not JSON ({quoted(str(error))})") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise ValueError(f"this is no report: JSON without the schema {SCHEMA!r}")
    if (schema_version := found.get("schema_version")) != SCHEMA_VERSION:
        raise ValueError(
            f"this report has schema version {quoted(str(schema_version))}; this prviz reads"
            f" version {SCHEMA_VERSION}: use the prviz that wrote it"
        )
    _check(found, _HEAD, "the report")
    _check(found["settings"], _SETTINGS, "settings")
    _check(found["reference"], _REFERENCE, "reference")
    for where, key, least, most in (
        ("the report", "goal", 0, 1),
        ("settings", "seed", 0, math.inf),
        ("reference", "n", 1, math.inf),
    ):
        value = (found if where == "the report" else found[where])[key]
        if not least <= value <= most:
            legal = f"from {least} to {most}" if most < math.inf else f"from {least}"
            raise ValueError(
                f"this is no report: {key} of {where} is {quoted(str(value))}; a number {legal} is"
                " needed"
            )
    names = [_checkpoint(each, place) for place, each in enumerate(found["checkpoints"], start=1)]
    if not names or len(set(names)) < len(names):
        raise ValueError("this is no report: it needs checkpoints, each with a name of its own")
    _check(found["bootstrap"], {"replicates": (int,), "seed": (int,)}, "bootstrap")
    if not 2 <= found["bootstrap"]["replicates"] <= _MOST_REPLICATES:
        raise ValueError(
            f"this report has no possible number of replicates, which is 2 to {_MOST_REPLICATES}"
        )
    return found


def read_report(path: Path) -> Document:
    """The report in a JSON file.

    Raises ValueError as `from_json` does, and for a file that can't be read or is too large.
    """
    where = quoted(path.name)
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a possible path"
        raise ValueError(
            f"{where}: can't be opened ({reason}); check path and permissions"
        ) from None
    if len(data) > _MOST_BYTES:
        raise ValueError(f"{where}: more than {_MOST_BYTES // 1024**2} MiB; that is no report")
    if sum(map(data.count, (b",", b"[", b"{"))) > _MOST_VALUES:
        raise ValueError(f"{where}: more than {_MOST_VALUES} values; that is no report")
    try:
        return from_json(data.decode("utf-8"))
    except ValueError as error:
        if isinstance(error, UnicodeDecodeError):
            reason = "this is no report: not text in UTF-8"
        else:
            reason = str(error)
        raise ValueError(f"{where}: {reason}") from None


def _checkpoint(entry: Any, place: int) -> str:
    """Check the entries of a checkpoint, and return its name."""
    if not isinstance(entry, dict):
        raise ValueError(f"this is no report: its checkpoint {place} is no object")
    _check(entry, _CHECKPOINT, f"checkpoint {place}")
    numbers = [each for each in (entry["step"], *entry["extra"].values()) if each is not None]
    try:
        finite = all(type(each) in _NUMBER and math.isfinite(each) for each in numbers)
    except OverflowError:
        finite = False
    if not finite:
        raise ValueError(
            f"this is no report: checkpoint {place} has a step or extra that is no finite number"
        )
    if (entry["digest"] is None) != (entry["n"] is None) or (
        entry["n"] is not None and entry["n"] < 1
    ):
        raise ValueError(
            f"this is no report: checkpoint {place} needs both digest and n, or neither"
        )
    name: str = entry["name"]
    return name


def _check(entry: Mapping[str, Any], kinds: Mapping[str, tuple[type, ...]], where: str) -> None:
    for key, kind in kinds.items():
        value = entry.get(key, ...)
        if not isinstance(value, kind) or (isinstance(value, bool) and bool not in kind):
            problem = "is missing"
            if value is not ...:
                problem = f"is {quoted(repr(value)[:80])}"
            raise ValueError(f"this is no report: {key} of {where} {problem}")
