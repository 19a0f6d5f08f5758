"""The directory of a `Monitor`: its settings, its logged steps, and the table of their metrics.

``settings.json`` holds what all steps have in common, ``steps.json`` what was logged at each step,
and ``metrics.csv`` a row per step. A directory belongs to the settings and real samples of the
first monitor that opens it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import prviz
from prviz.quoting import first_names
from prviz.readers.atomic_files import locked, write_whole
from prviz.readers.errors import error_text, quoted
from prviz.reports.trackers import Rows, check_csv, is_step, log_csv, read_rows, remove_row, shown
from prviz.samples import Samples
from prviz.studies.tasks import COMPUTATION
from prviz.triage.measured import TriageSettings

# Seconds that a step waits for other monitors that are writing to the directory.
_WAIT = 600.0
_MOST_BYTES = 256 * 1024**2
_MOST_SAMPLES = 2**53
_DIGEST = re.compile(r"[0-9a-f]{64}")
# Keys of settings.json that name the version that measured the steps. Steps of another version are
# measured again if their samples were kept.
_VERSIONS = ("prviz", "computation")
_REMEDY = "give the monitor a directory of its own"
# Settings that are digests -> what an error calls them.
_TITLES = {
    "real": "the real samples",
    "holdout": "the held-out samples",
}


class StepRecord(NamedTuple):
    """What was logged at a step: the digest and number of its samples.

    memorised : True if the samples copy the real ones.
    """

    digest: str
    n: int
    memorised: bool


class MonitorFolder:
    """The files in the directory of one monitor.

    settings : settings and digests that all steps have in common, see `settings_of`.
    families : names in ESTIMATORS; their metrics are the columns of the table.

    Raises
    ------
    ValueError : the path is no directory, or one of its files can't be used.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], families: Sequence[str]) -> None:
        self.path = path
        self.table = path / "metrics.csv"
        self._settings, self._families = dict(settings), tuple(families)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ValueError(f"directory = {str(path)!r} is a file; a folder is needed") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ValueError(
                f"directory = {str(path)!r} can't be made ({reason}); name another folder"
            ) from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the directory, so that no other monitor reads or writes it meanwhile."""
        self.path.mkdir(parents=True, exist_ok=True)
        with locked(self.path / "steps.json", _WAIT):
            yield

    def other_version(self) -> str:
        """Name of the version of prviz that measured the steps; "" if it is the running one.

        Raises
        ------
        ValueError : the directory belongs to other settings or real samples.
        """
        known = self._read("settings.json")
        if known is not None:
            self._check_settings(known)
        check_csv(self.table, self._families, remedy=_REMEDY)
        if known is None:
            if self.steps() or self.rows():
                return "a version that did not keep its settings"
            return ""
        if all(known.get(name) == self._settings[name] for name in _VERSIONS):
            return ""
        return f"prviz {known.get('prviz')} (computation {known.get('computation')})"

    def write_settings(self) -> None:
        """Write settings.json, so that the directory belongs to this monitor's settings."""
        if self._read("settings.json") != self._settings:
            write_whole(self.path / "settings.json", json.dumps(self._settings, indent=0).encode())

    def steps(self) -> dict[int, StepRecord]:
        """The record of every logged step, by step; raises ValueError if steps.json is
        malformed.
        """
        known = self._read("steps.json")
        try:
            return {_step(text): _record(text, fields) for text, fields in (known or {}).items()}
        except ValueError as error:
            raise ValueError(
                f"{str(self.path / 'steps.json')!r}: no list of steps: {error}; {_REMEDY}"
            ) from None

    def write_steps(self, steps: Mapping[int, StepRecord]) -> None:
        """Write the records of all logged steps to steps.json."""
        text = json.dumps({step: each._asdict() for step, each in sorted(steps.items())}, indent=0)
        write_whole(self.path / "steps.json", text.encode())

    def rows(self) -> dict[int, dict[str, str]]:
        """The rows of metrics.csv by step, with values as text."""
        return read_rows(self.table, self._families)

    def check_rows(self, rows: Rows) -> None:
        """Raise ValueError if metrics.csv has other values than ``rows``, the measured ones."""
        for step, name, text in self._differing(rows):
            raise ValueError(
                f"{str(self.table)!r}: step {step} has {name} = {quoted(text)}, but it was measured"
                f" to be {rows[step][name]!r}; remove the line of this step, which the next log"
                f" writes again, or {_REMEDY}"
            )

    def remove_others(self, rows: Rows) -> None:
        """Remove the rows of metrics.csv that differ from ``rows``, the measured ones of the same
        steps.
        """
        for step in {step for step, _, _ in self._differing(rows)}:
            remove_row(self.table, self._families, step)

    def add_rows(self, rows: Rows) -> None:
        """Append the ``rows`` that metrics.csv lacks."""
        log_csv(self.table, rows)

    def _differing(self, rows: Rows) -> Iterator[tuple[int, str, str]]:
        known = self.rows()
        for step, row in rows.items():
            for name, text in known.get(step, {}).items():
                if float(text) != row[name]:
                    yield step, name, text

    def _read(self, name: str) -> dict[str, Any] | None:
        """The JSON object in a file of the directory; None if there is no such file.

        Raises ValueError if the file holds anything else.
        """
        path = self.path / name
        what = "no settings of a monitor"
        if name == "steps.json":
            what = "no list of steps"
        if not path.exists():
            return None
        if not path.is_file():
            raise ValueError(f"{str(path)!r} is no file; {_REMEDY}")
        try:
            with path.open("rb") as stream:
                found = json.loads(stream.read(_MOST_BYTES))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{str(path)!r}: {what} ({error_text(error)}); {_REMEDY}") from None
        if not isinstance(found, dict):
            raise ValueError(f"{str(path)!r}: {what}, but {shown(found)}; {_REMEDY}")
        return found

    def _check_settings(self, known: Mapping[str, Any]) -> None:
        """Raise ValueError if ``known``, the directory's settings, differ from this monitor's in
        more than the version.
        """
        differing = []
        for name, value in self._settings.items():
            if name in _VERSIONS or known.get(name) == value:
                continue
            if name in _TITLES:
                differing.append(f"{_TITLES[name]} are others")
            else:
                differing.append(f"{name} = {value!r} here, {known.get(name)!r} there")
        if differing:
            raise ValueError(
                f"directory = {str(self.path)!r} belongs to a monitor of other settings:"
                f" {'; '.join(differing)}. Steps of different settings can't be compared: give"
                " another directory, or the same settings and the same real samples in the same"
                " order"
            )


def settings_of(real: Samples, settings: TriageSettings, holdout: Samples | None) -> dict[str, Any]:
    """Everything that the numbers of a step depend on, except its samples, as JSON types."""
    k = settings.k
    split = settings.split
    return {
        "prviz": prviz.__version__,
        "computation": COMPUTATION,
        "methods": list(settings.methods),
        "k": k if isinstance(k, str) else int(k),
        "bandwidth": settings.bandwidth,
        "split": None if split is None else float(split),
        "seed": int(settings.seed),
        "real": real.digest,
        "holdout": None if holdout is None else holdout.digest,
    }


def kept_methods(directory: Path) -> object:
    """The families that measured a directory's steps, read from its settings.json; None if they
    can't be read.
    """
    try:
        with (directory / "settings.json").open("rb") as stream:
            found = json.loads(stream.read(_MOST_BYTES))
    # a damaged file is reported by the method that needs it
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(found, dict):
        return found.get("methods")
    return None


def unmeasured_text(unmeasured: Mapping[int, str]) -> str:
    """The message that no step can be called the best, because some steps can't be compared, with a
    remedy.
    """
    reasons = dict.fromkeys(unmeasured.values())
    steps = {
        why: listed_steps([step for step, of in unmeasured.items() if of == why]) for why in reasons
    }
    why = "; ".join(f"{named}: {reason}" for reason, named in steps.items())
    return (
        f"Which step is best is not known, because not all can be compared ({why}). Log these steps"
        f" again with their samples, or {_REMEDY}."
    )


def listed_steps(steps: Sequence[int]) -> str:
    """The first few steps as text, and how many more there are."""
    title = "step" if len(steps) == 1 else "steps"
    return f"{title} {first_names(list(map(str, sorted(steps))), 5)}"


def _step(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,16}", text) or not is_step(int(text)):
        raise ValueError(f"{quoted(text)} is no whole step from 0, below 2^53")
    return int(text)


def _record(step: str, fields: Any) -> StepRecord:
    """A record of ``steps.json``; raises ValueError if it is malformed."""
    if not isinstance(fields, dict):
        raise ValueError(f"step {step} has {shown(fields)} for digest, n and memorised")
    digest = fields.get("digest")
    n = fields.get("n")
    memorised = fields.get("memorised")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ValueError(
            f"step {step} has digest = {shown(digest)}; 64 digits from 0 to f are needed"
        )
    if isinstance(n, bool) or not isinstance(n, int) or not 0 < n < _MOST_SAMPLES:
        raise ValueError(
            f"step {step} has n = {shown(n)}; a whole number of samples from 1 is needed"
        )
    if not isinstance(memorised, bool):
        raise ValueError(f"step {step} has memorised = {shown(memorised)}; true or false is needed")
    return StepRecord(digest, n, memorised)
