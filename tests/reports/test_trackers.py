"""Summaries in TensorBoard event files and in a CSV: read back by other code, never twice, never
half.
"""

from __future__ import annotations

import csv
import re
import resource
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from prviz.cli.main import main
from prviz.curves import PRCurve
from prviz.reports.trackers import log_csv, log_tensorboard, metrics, rows_of, steps_of
from prviz.triage.inputs import Checkpoint
from tests.browser import ROOT

CURVE = PRCurve.from_error_rates([0.1, 0.5], [0.4, 0.125])
NAMES = list(metrics(CURVE, "knn"))


# ---- a reader of event files that shares no code with the writer ----


def crc32c(data: bytes) -> int:
    """Castagnoli's checksum bit by bit, masked as event files have it."""
    found = 0xFFFFFFFF
    for byte in data:
        found ^= byte
        for _ in range(8):
            found = (found >> 1) ^ (0x82F63B78 if found & 1 else 0)
    found ^= 0xFFFFFFFF
    return (((found >> 15) | (found << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(data: bytes) -> Iterator[bytes]:
    while data:
        length, check = struct.unpack("<QI", data[:12])
        assert check == crc32c(data[:8])
        body = data[12 : 12 + length]
        (check,) = struct.unpack("<I", data[12 + length : 16 + length])
        assert check == crc32c(body)
        yield body
        data = data[16 + length :]


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of every field of a protocol buffer."""

    def varint(at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            shift = shift + 7
            at = at + 1
            if not data[at - 1] & 0x80:
                return value, at

    at = 0
    while at < len(data):
        tag, at = varint(at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(at)
            yield tag >> 3, value
            continue
        length, at = (8, at) if kind == 1 else (4, at) if kind == 5 else varint(at)
        yield tag >> 3, data[at : at + length]
        at += length


def scalars(folder: Path) -> list[tuple[int, str, float]]:
    """Step, tag and value of every scalar in a folder, its first record being the version of the
    format.
    """
    found = []
    for path in sorted(folder.glob("*tfevents*")):
        first, *others = records(path.read_bytes())
        assert (3, b"brain.Event:2") in fields(first)
        for event in others:
            told = dict(fields(event))
            assert isinstance(told[5], bytes)
            for _, value in fields(told[5]):
                assert isinstance(value, bytes)
                of = dict(fields(value))
                assert isinstance(of[1], bytes)
                found.append((int(told.get(2, 0)), of[1].decode(), struct.unpack("<f", of[2])[0]))  # type: ignore[arg-type]
    return found


def as_read(rows: dict[int, dict[str, float]]) -> list[tuple[int, str, float]]:
    """What `scalars` gives of logged rows, in single precision."""
    found = []
    for step, row in rows.items():
        found += [(step, name, float(np.float32(value))) for name, value in row.items()]
    return found


# ---- TensorBoard ----


def test_events_are_read_back_and_never_written_twice(tmp_path: Path) -> None:
    first = {0: metrics(CURVE), 1000: metrics(CURVE, "ipr")}
    assert log_tensorboard(tmp_path / "run", first) == [0, 1000]
    assert scalars(tmp_path / "run") == as_read(first)
    assert log_tensorboard(tmp_path / "run", first) == []
    other = PRCurve.from_error_rates([0.2], [0.2])
    assert log_tensorboard(tmp_path / "run", {0: metrics(CURVE), 2000: metrics(other)}) == [2000]
    assert sorted(scalars(tmp_path / "run")) == sorted(as_read({**first, 2000: metrics(other)}))
    made = list((tmp_path / "run").iterdir())
    body = b"not an event"
    (made[0].parent / "events.out.tfevents.1.prviz").write_bytes(
        struct.pack("<QI", len(body), 0) + body + b"0000"
    )
    assert log_tensorboard(tmp_path / "run", first) == []
    for path in made:
        path.write_bytes(path.read_bytes()[:-7])  # as a copy that was cut short
    assert log_tensorboard(tmp_path / "run", {2000: metrics(other)}) == [2000]


def test_without_tensorboardx_the_line_that_installs_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(ValueError, match=re.escape('pip install "prviz[tensorboard]"')):
        log_tensorboard(tmp_path, {0: metrics(CURVE)})
    np.save(tmp_path / "step-1.npy", np.zeros((30, 2)))
    line = ["triage", str(tmp_path / "real.npy"), str(tmp_path), "--tensorboard", str(tmp_path)]
    assert main(line) == 2
    assert 'pip install "prviz[tensorboard]"' in capsys.readouterr().err
    assert len(list(tmp_path.iterdir())) == 1


# ---- CSV ----


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_rows_of_new_steps_are_appended(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    assert log_csv(path, {10: metrics(CURVE)}) == [10]
    before = path.read_text()
    assert log_csv(path, {10: dict.fromkeys(NAMES, 0.5)}) == []
    assert path.read_text() == before
    path.write_text(before.rstrip("\n"))  # as some editors leave it
    assert log_csv(path, {10: metrics(CURVE), 20: dict(reversed(metrics(CURVE).items()))}) == [20]
    found = rows(path)
    assert [each.pop("step") for each in found] == ["10", "20"]
    for each in found:
        assert {name: float(value) for name, value in each.items()} == metrics(CURVE)
    assert path.read_text().startswith(before)
    assert log_csv(path, {}) == []  # nothing could be measured


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "step,loss\n1,0.5\n",
            "its columns are 'step', 'loss', those needed are 'step', 'prviz/knn/auc'",
        ),
        ("a,b\n", "its columns are"),
        (",".join(["step", *NAMES]) + "\n1.5" + ",1" * 10 + "\n", "row 2 is not a whole step"),
        (",".join(["step", *NAMES]) + "\n1,2\n", "row 2 is not a whole step with 10 values"),
        ('"', "is no file of these metrics"),
    ],
)
def test_another_file_is_refused_and_stays(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)):
        log_csv(path, {1: metrics(CURVE)})
    assert path.read_text() == text
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is no file of these metrics"):
        log_csv(path, {1: metrics(CURVE)})


def test_a_full_disk_leaves_the_old_rows(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    log_csv(path, {step: metrics(CURVE) for step in range(5)})
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
        with pytest.raises(OSError, match="what was there before still is"):
            log_csv(path, {9: metrics(CURVE)})
        with pytest.raises(OSError, match="can't be written to"):
            log_tensorboard(tmp_path / "run", {step: metrics(CURVE) for step in range(30)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["metrics.csv"]
    assert not list((tmp_path / "run").iterdir())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({1.5: 0.0}, "step = 1.5"),
        ({float("nan"): 0.0}, "step = nan"),
        ({-1: 0.0}, "step = -1"),
        ({1: float("nan")}, "finite"),
        ({1: 0, 2: None}, "other"),
    ],
)
def test_what_no_tracker_takes_is_refused(
    tmp_path: Path, given: dict[int, float | None], message: str
) -> None:
    filled = {step: {"b" if value is None else "a": value or 0.0} for step, value in given.items()}
    with pytest.raises(ValueError, match=message):
        log_csv(tmp_path / "m.csv", filled)


@pytest.mark.exhaustive
def test_the_metrics_in_a_folder_of_checkpoints_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name in ("real", "step-1"):
        np.save(f"{name}.npy", np.random.default_rng(0).random((40, 3)))
    for there in ("1 new steps", "0 new steps, 1 were there already"):
        assert main(["triage", "real.npy", ".", "--k", "3", "--metrics", "metrics.csv"]) == 0
        assert f"metrics.csv: {there}" in capsys.readouterr().err


# ---- steps ----


def test_steps_that_trackers_can_not_count_in_are_left_out_and_told() -> None:
    def checkpoint(name: str, step: float | None) -> Checkpoint:
        return Checkpoint(Path(name), name, step)

    steps = {"a": 5.0, "b": 0.5, "c": None, "d": 1e300}
    found = steps_of([checkpoint(name, step) for name, step in steps.items()])
    assert found.steps == {"a": 5}
    assert found.left_out == "not logged, without a whole step from 0: 'b', 'c', 'd'"
    with pytest.raises(ValueError, match="'a' and 'b' both are step 5"):
        steps_of([checkpoint("a", 5.0), checkpoint("b", 5.0)])
    with pytest.raises(ValueError, match="no checkpoint has a whole step"):
        steps_of([checkpoint("a", None)])
    assert rows_of([], {}) == {}


@pytest.mark.exhaustive
def test_the_shell_logs_what_it_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0).standard_normal
    for name in ("real", "step-1", "step-2k", "final"):
        np.save(f"{name}.npy", draw((40, 3)))
    line = ["triage", "real.npy", "step-2k.npy", "final.npy", "step-1.npy", "--k", "3"]
    line += ["--metrics", "metrics.csv", "--tensorboard", "runs/prviz", "--method", "knn,ipr"]
    assert main(line) == 0
    error = capsys.readouterr().err
    assert "not logged, without a whole step from 0: 'final'" in error
    assert "metrics.csv: 2 new steps" in error
    found = rows(tmp_path / "metrics.csv")
    assert [each["step"] for each in found] == ["1", "2000"]
    logged = scalars(tmp_path / "runs" / "prviz")
    assert len(logged) == 2 * 2 * len(NAMES)
    by_step = {each["step"]: each for each in found}
    for step, name, value in logged:
        assert value == np.float32(by_step[str(step)][name])
    assert main(line) == 0
    assert "metrics.csv: 0 new steps, 2 were there already" in capsys.readouterr().err
    assert scalars(tmp_path / "runs" / "prviz") == logged
    assert main([*line[:-1], "kde"]) == 2
    assert "is no file of these metrics" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_the_recipe_of_the_guide_logs_in_a_training_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = (ROOT / "docs/training.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    (recipe,) = [each for each in blocks if "Monitor" in each]
    assert len(recipe.strip().splitlines()) <= 10
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0).standard_normal
    done: list[int] = []
    names = {"train": done.append, "embed": np.asarray, "real": draw((50, 2))}
    exec(recipe, {**names, "sample": lambda: draw((50, 2)) + 1})
    assert len(done) > 1000
    logged = rows(tmp_path / "runs" / "prviz" / "metrics.csv")
    assert [int(each["step"]) for each in logged] == [0, 1000, 2000]
    assert set(metrics(CURVE)) < set(logged[0])
