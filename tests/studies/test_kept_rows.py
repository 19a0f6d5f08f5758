"""The file that keeps the rows of a run: whole, checked, shared by several runs, of one version of
the computation.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Container
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from prviz.readers import atomic_files
from prviz.studies import tasks as _tasks
from prviz.studies.tasks import as_parquet, run_tasks, table
from tests.browser import ROOT

COLUMNS: _tasks.Columns = {
    "key": "string",
    "word": "string",
    "n": "Int64",
    "auc": "float64",
    "held": "boolean",
}


@dataclass(frozen=True)
class Number:
    """A row of one number, with empty cells here and there."""

    number: int

    @property
    def keys(self) -> list[str]:
        return [str(self.number)]

    def left(self, known: Container[str]) -> Number | None:
        return None if str(self.number) in known else self

    def run(self) -> list[dict[str, Any]]:
        n = self.number
        row = {"key": str(n), "word": "wörd", "n": n, "auc": n / 7, "held": n % 2 == 0}
        for name, every, empty in (("word", 3, None), ("n", 4, None), ("auc", 5, float("nan"))):
            if n % every == 0:
                row[name] = empty
        return [row]


class Forbidden(Executor):
    """Nothing is left to be done."""

    def submit(self, *_given: Any, **_options: Any) -> Future[Any]:
        raise AssertionError("it is measured again")


def run(numbers: Any, out: Path, executor: Executor | None = None, **options: Any) -> pd.DataFrame:
    tasks = [Number(number) for number in numbers]
    if executor is not None:
        return run_tasks(tasks, COLUMNS, executor, out=out, **options)
    with ThreadPoolExecutor(1) as pool:
        return run_tasks(tasks, COLUMNS, pool, out=out, **options)


def keys(out: Path) -> set[str]:
    return set(pd.read_parquet(out)["key"])


# ---- damage ----


def test_a_flipped_bit_is_refused_or_changes_no_number(tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    whole = run(range(12), out)
    data = out.read_bytes()
    draw = random.Random(0)
    refused = []
    for place in draw.sample(range(8 * len(data)), 250):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        out.write_bytes(flipped)
        try:
            pd.testing.assert_frame_equal(run(range(12), out, Forbidden()), whole)
        except ValueError as error:
            refused.append(str(error))
        assert out.read_bytes() == flipped
    assert 80 < len(refused) < 250
    assert all(told.startswith(f"out = {str(out)!r} ") and "\n" not in told for told in refused)


@pytest.mark.parametrize(
    "made", [lambda rows: as_parquet(rows, COLUMNS), lambda rows: rows.to_parquet(index=False)]
)
def test_rows_of_another_version_of_the_computation_are_never_mixed_with_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[pd.DataFrame], bytes]
) -> None:
    """Of a file of before there were versions, too: it has no checksum."""
    out = tmp_path / "rows.parquet"
    out.write_bytes(made(table((row for n in range(3) for row in Number(n).run()), COLUMNS)))
    before = out.read_bytes()
    monkeypatch.setattr(_tasks, "COMPUTATION", 99)
    with pytest.raises(
        ValueError, match=r"was not written by this version of prviz.*name another path"
    ):
        run(range(9), out, Forbidden())
    assert out.read_bytes() == before


# ---- how often and how it is written ----


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 40), (1.0, 12)])
def test_a_file_is_written_now_and_then_and_at_the_end_not_for_every_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, expected: int
) -> None:
    """Every five seconds; where a write takes a second, 19 seconds after it."""
    now = [1000.0]
    writes = []
    plain = _tasks.write_whole
    out = tmp_path / "rows.parquet"

    def counted(path: Path, data: bytes) -> None:
        writes.append(len(data))
        plain(path, data)
        now[0] += seconds

    def a_second_later(_rows: pd.DataFrame) -> None:
        now[0] += 1.0

    monkeypatch.setattr(_tasks, "write_whole", counted)
    monkeypatch.setattr(_tasks.time, "monotonic", lambda: now[0])
    run(range(200), out, on_rows=a_second_later)
    assert len(writes) == expected
    assert keys(out) == {str(n) for n in range(200)}


class _StopError(Exception):
    pass


def test_whatever_stops_a_run_all_that_came_is_in_the_file(tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    came = []

    def stop(rows: pd.DataFrame) -> None:
        came.extend(rows["key"])
        if len(came) == 7:
            raise _StopError

    with pytest.raises(_StopError):
        run(range(50), out, on_rows=stop)
    assert keys(out) == set(came)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_a_full_disk_is_told_and_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    run(range(3), out)
    before = out.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        # a file can't grow beyond, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        with pytest.raises(
            OSError, match=r"rows\.parquet' can't be written \(.*\); what was in it still is"
        ):
            run(range(9), out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]
    assert len(run(range(9), out)) == 9


# ---- several runs ----


def test_two_runs_on_one_file_lose_no_row_of_each_other(tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"

    def other(rows: pd.DataFrame) -> None:
        if rows["key"][0] == "5":
            run(range(100, 120), out)

    found = run(range(20), out, on_rows=other)
    assert list(found["key"]) == [str(n) for n in range(20)]
    assert keys(out) == {str(n) for n in (*range(20), *range(100, 120))}
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_one_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_text("0")

    def count() -> None:
        for _ in range(40):
            with atomic_files.locked(path):
                path.write_text(str(int(path.read_text()) + 1))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert path.read_text() == "160"
    assert [each.name for each in tmp_path.iterdir()] == ["count"]
    with (
        atomic_files.locked(path),
        pytest.raises(OSError, match=r"another process has held .*\.count\.lock for 0 s"),
    ):
        atomic_files.locked(path, 0).__enter__()


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    code = """
import os, signal, sys
from pathlib import Path
from prviz.readers.atomic_files import locked
with locked(Path(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    path = tmp_path / "rows.parquet"
    subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, check=False, timeout=60)
    assert [each.name for each in tmp_path.iterdir()] == [".rows.parquet.lock"]
    with atomic_files.locked(path, 0):
        pass
    assert list(tmp_path.iterdir()) == []


def test_without_locks_on_the_file_system_runs_still_take_each_others_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def none(*_given: object) -> None:
        raise OSError(os.strerror(38))

    monkeypatch.setattr(fcntl, "flock", none)
    test_two_runs_on_one_file_lose_no_row_of_each_other(tmp_path)
