"""Summaries of curves in trackers of training runs: TensorBoard event files, and CSV for any other
tracker.

    metrics(curve, "knn")                               {"prviz/knn/auc": 0.61, ...}, to pass to
                                                        any tracker
    log_tensorboard("runs/today", {1000: metrics(...)})  scalars in the folder that TensorBoard
                                                        shows
    log_csv("metrics.csv", {1000: metrics(...)})        a column step, then one per metric

`prviz.Monitor` measures and logs in one call; `prviz.reports.training` has trackers and callbacks.
Trackers count in whole steps and take one value per metric and step. `steps_of` leaves out
checkpoints with another step or none, and says so.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import reprlib
import secrets
import struct
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prviz.curves import PRCurve
from prviz.curves.summaries import summaries
from prviz.readers.atomic_files import write_whole
from prviz.readers.errors import listed, one_line, quoted
from prviz.readers.paths import PathLike
from prviz.reports.export import csv_text

if TYPE_CHECKING:
    from prviz.triage.inputs import Checkpoint
    from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint

# Step -> name of a metric -> its value.
Rows = Mapping[int, Mapping[str, float]]

STEP = "step"
_SUFFIX = ".prviz"
_MOST_BYTES = 256 * 1024**2
_LARGEST_STEP = 2**53


def metrics(curve: PRCurve, family: str = "knn") -> dict[str, float]:
    """Every summary of a curve, by the name that trackers show: prviz/<family>/<key of
    `prviz.curves.summaries`>.
    """
    return _named(summaries(curve), family)


def metrics_of(measured: Sequence[MeasuredCheckpoint]) -> dict[str, float]:
    """The `metrics` of one checkpoint by all its families; areas are cut off at the upper bound."""
    from prviz.triage.decision import summaries_of_one

    found: dict[str, float] = {}
    for family, values in summaries_of_one(measured).items():
        found |= _named(values, family)
    return found


def _named(values: Mapping[str, float], family: str) -> dict[str, float]:
    return {f"prviz/{family}/{key}": value for key, value in values.items()}


class Steps(NamedTuple):
    """Steps of checkpoints by name, all whole numbers; and a sentence on the checkpoints left out,
    or None.
    """

    steps: Mapping[str, int]
    left_out: str | None


def steps_of(checkpoints: Iterable[Checkpoint]) -> Steps:
    """The steps of checkpoints by name, without checkpoints whose step is not a whole number from
    0.

    Raises
    ------
    ValueError : two checkpoints have the same step, or no checkpoint has a whole step.
    """
    found: dict[str, int] = {}
    by_step: dict[int, str] = {}
    others = []
    for each in checkpoints:
        step = each.step
        if step is None or not float(step).is_integer() or not 0 <= step < _LARGEST_STEP:
            others.append(each.name)
        elif (first := by_step.setdefault(int(step), each.name)) != each.name:
            raise ValueError(
                f"{quoted(first)} and {quoted(each.name)} both are step {int(step)}; a tracker"
                " keeps one: log the checkpoints of one run at a time, or give them steps of their"
                " own by --metadata"
            )
        else:
            found[each.name] = int(step)
    if not found:
        raise ValueError(
            "no checkpoint has a whole step from 0, which trackers count in; name the files by it,"
            " as in step-1000.npy, or give it by --metadata"
        )
    left_out = None
    if others:
        left_out = f"not logged, without a whole step from 0: {listed(others, most=5)}"
    return Steps(found, left_out)


def rows_of(
    outcomes: Iterable[CheckpointOutcome], steps: Mapping[str, int]
) -> dict[int, dict[str, float]]:
    """The metrics of every measured checkpoint with a step, by all families; a dict from step to
    metrics, ordered by step.
    """
    rows: dict[int, dict[str, float]] = {}
    for outcome in outcomes:
        if outcome.measured and outcome.checkpoint.name in steps:
            rows[steps[outcome.checkpoint.name]] = metrics_of(outcome.measured)
    return dict(sorted(rows.items()))


def log_csv(path: PathLike, rows: Rows) -> list[int]:
    """Append the rows of new steps to a CSV file with a column "step" and one column per metric.

    A missing file is created. Rows of steps that the file already has are not changed. The file is
    replaced as a whole, so it never has half a row. Only one process may write at a time: otherwise
    only the rows of the last one would be kept.

    Returns
    -------
    The steps that were written.

    Raises
    ------
    ValueError : the existing file is not such a CSV file, or has other columns.
    OSError : the file can't be read or written; it is then unchanged.
    """
    target = Path(os.path.realpath(path))
    rows = _checked(rows)
    if not rows:
        return []
    text, head, known = _read_csv(target, list(next(iter(rows.values()))))
    new = [step for step in rows if step not in known]
    if new:
        written = csv_text([[step, *(rows[step][name] for name in head[1:])] for step in new])
        begun = text or csv_text([head])
        _write_csv(target, begun + ("" if begun.endswith(("\n", "\r")) else "\n") + written)
    return new


def remove_row(path: PathLike, families: Sequence[str], step: int) -> None:
    """Remove the row of a step, if there is one, from a CSV file with the metrics of ``families``.

    Raises
    ------
    ValueError, OSError : as `log_csv`.
    """
    target = Path(os.path.realpath(path))
    _, head, known = _read_csv(target, _names(families))
    if known.pop(step, None) is not None:
        rows = [[one, *map(float, values)] for one, values in known.items()]
        _write_csv(target, csv_text([head, *rows]))


def read_rows(path: PathLike, families: Sequence[str]) -> dict[int, dict[str, str]]:
    """The rows of a CSV file with the metrics of ``families``, by step; values are text.

    Raises
    ------
    ValueError, OSError : as `log_csv`.
    """
    _, head, rows = _read_csv(Path(os.path.realpath(path)), _names(families))
    return {step: dict(zip(head[1:], values, strict=True)) for step, values in rows.items()}


def check_csv(
    path: PathLike, families: Sequence[str], *, remedy: str = "name another file"
) -> None:
    """Raise the errors that `log_csv` would raise for ``families``; called before anything is
    measured.

    remedy : advice at the end of the error message.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise ValueError(
            f"metrics = {quoted(str(path))}: there is no folder {quoted(str(target.parent))}"
        )
    _read_csv(target, _names(families), remedy)


def log_tensorboard(folder: PathLike, rows: Rows) -> list[int]:
    """Append metrics as scalars to TensorBoard event files in a folder, which is created if
    missing.

    Each call writes one file, completely or not at all. A value that an earlier call wrote for the
    same metric and step is not written again. TensorBoard reads only the newest file of a folder,
    so use another folder than the training run, such as runs/today-prviz beside runs/today.
    TensorBoard shows it as a separate run.

    Returns
    -------
    The steps with at least one new value.

    Raises
    ------
    ValueError : tensorboardX is not installed; the message says how to install it.
    OSError : the folder can't be written to.
    """
    require_tensorboard()
    rows = {whole_step(step): _values(found) for step, found in rows.items()}
    known = set(_logged(Path(folder)))
    # Values are compared in single precision, in which event files store them.
    new = {
        step: {
            name: value
            for name, value in found.items()
            if (name, step, struct.unpack("<f", struct.pack("<f", value))[0]) not in known
        }
        for step, found in rows.items()
    }
    new = {step: found for step, found in new.items() if found}
    if new:
        name = f"events.out.tfevents.{int(time.time()):010d}.{secrets.token_hex(8)}{_SUFFIX}"
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            write_whole(Path(folder) / name, _event_file(new))
        except OSError as error:
            raise OSError(
                f"{quoted(str(folder))}: can't be written to ({error.strerror})"
            ) from error
    return list(new)


def require_tensorboard() -> None:
    """Raise ValueError, with the command that installs it, if tensorboardX is missing."""
    try:
        import tensorboardX  # noqa: F401
    except ImportError:
        raise ValueError(
            'tensorboardX is not installed; `pip install "prviz[tensorboard]"` brings it'
        ) from None


def whole_step(step: int) -> int:
    """The step as an int; raises ValueError unless it is a whole number from 0 and below 2^53."""
    if not is_step(step):
        raise ValueError(f"step = {shown(step)}; a whole number from 0, below 2^53, is needed")
    return int(step)


def shown(value: Any) -> str:
    """The repr of a value for a message, on one line of limited length."""
    return one_line(reprlib.repr(value))


def is_step(step: Any) -> bool:
    """True for a whole number from 0 and below 2^53, of any numeric type."""
    try:
        return not isinstance(step, bool) and bool(0 <= step < _LARGEST_STEP and step == int(step))
    except (TypeError, ValueError):  # for text, None or an array
        return False


def _checked(rows: Rows) -> dict[int, dict[str, float]]:
    """The rows, checked: steps are whole numbers, values finite, and all rows have the same
    metrics.

    Raises ValueError otherwise.
    """
    found = {whole_step(step): _values(row) for step, row in rows.items()}
    names = set(next(iter(found.values()), {}))
    for step, row in found.items():
        if set(row) != names:
            raise ValueError(
                f"rows: step {step} has other metrics than the first; all need the same"
            )
    return found


def _names(families: Sequence[str]) -> list[str]:
    """The columns of a CSV file with the metrics of ``families``."""
    trivial = PRCurve.from_error_rates([0.0, 1.0], [1.0, 0.0])
    return [name for family in families for name in metrics(trivial, family)]


def _write_csv(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        kept = "what was there before still is"
        raise OSError(f"{quoted(path.name)}: can't be written ({reason}); {kept}") from error


def _values(found: Mapping[str, float]) -> dict[str, float]:
    for name, value in found.items():
        if not math.isfinite(value):
            raise ValueError(f"{name} = {value}; a finite number is needed")
    return {name: float(value) for name, value in found.items()}


def _read_csv(
    path: Path, names: Sequence[str], remedy: str = "name another file"
) -> tuple[str, list[str], dict[int, list[str]]]:
    """A CSV file's text, its columns, and its values by step.

    A missing file is read as an empty one, with the columns that ``names`` need.
    """
    where = quoted(path.name)
    wanted = [STEP, *names]
    if path.exists() and not path.is_file():
        raise ValueError(f"{where} is no file; {remedy}")
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return "", wanted, {}
    except OSError as error:
        raise OSError(f"{where}: can't be read ({error.strerror}); {remedy}") from error
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError(f"more than {_MOST_BYTES // 1024**2} MiB")
        text = data.decode("utf-8")
        head, *body = list(csv.reader(io.StringIO(text, newline=""), strict=True)) or [wanted]
        if head != wanted and (head[:1] != [STEP] or sorted(head) != sorted(wanted)):
            raise ValueError(
                f"its columns are {listed(head, most=4)}, those needed are {listed(wanted, most=4)}"
            )
        rows: dict[int, list[str]] = {}
        for number, row in enumerate(body, start=2):
            if row:
                _check_row(number, row, len(head))
                rows.setdefault(int(row[0]), row[1:])
        return text, head, rows
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{where} is no file of these metrics: {error}; {remedy}") from None


def _check_row(number: int, row: Sequence[str], columns: int) -> None:
    """Raise ValueError unless the first column of a row is a whole step, and every other column a
    number.
    """
    if len(row) != columns or not re.fullmatch(r"[0-9]{1,16}", row[0]):
        raise ValueError(f"row {number} is not a whole step with {columns - 1} values")
    for text in row[1:]:
        if not _is_number(text):
            raise ValueError(f"row {number} has {quoted(text)}, which is no number")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _event_file(rows: Rows) -> bytes:
    """The bytes of an event file: its version, then one event per step with all scalars of this
    step.
    """
    from tensorboardX.proto.event_pb2 import Event
    from tensorboardX.proto.summary_pb2 import Summary
    from tensorboardX.record_writer import masked_crc32c

    now = time.time()
    events = [Event(wall_time=now, file_version="brain.Event:2")]
    for step, found in rows.items():
        values = [Summary.Value(tag=name, simple_value=value) for name, value in found.items()]
        events.append(Event(wall_time=now, step=step, summary=Summary(value=values)))
    contents = b""
    # TensorBoard's record format: length, checksum of the length, data, checksum of the data.
    for data in (each.SerializeToString() for each in events):
        length = struct.pack("<Q", len(data))
        contents += (
            length
            + struct.pack("<I", masked_crc32c(length))
            + data
            + struct.pack("<I", masked_crc32c(data))
        )
    return contents


def _logged(folder: Path) -> Iterator[tuple[str, int, float]]:
    """Name, step and value of every scalar that earlier calls of `log_tensorboard` wrote to a
    folder.

    A record that can't be parsed is skipped: then its values are written a second time.
    """
    from google.protobuf.message import DecodeError
    from tensorboardX.proto.event_pb2 import Event

    for path in sorted(folder.glob(f"events.out.tfevents.*{_SUFFIX}")):
        for data in _records(path):
            try:
                event = Event.FromString(data)
            except DecodeError:
                continue
            for value in event.summary.value:
                yield value.tag, event.step, value.simple_value


def _records(path: Path) -> Iterator[bytes]:
    """The data of every record of an event file, up to the first incomplete one."""
    with path.open("rb") as stream:
        while len(head := stream.read(12)) == 12:
            (length,) = struct.unpack("<Q", head[:8])
            if length > _MOST_BYTES or len(data := stream.read(length + 4)) < length + 4:
                return
            yield data[:-4]
