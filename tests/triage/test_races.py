"""Triage beside what changes its files, fills its disk or shares its results: nothing is lost, all
is told.
"""

from __future__ import annotations

import ast
import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.cli.main import main
from prviz.readers import npy as npy_reader
from prviz.readers.safe_folder import Below
from prviz.readers.source import FileSource
from prviz.samples import Samples
from prviz.triage import measure as triage_measure
from prviz.triage.inputs import checkpoints_of
from prviz.triage.measure import samples_at
from prviz.triage.measured import CheckpointOutcome, ResultCache, TriageSettings
from tests import file_builders
from tests.marks import exhaustive_but
from tests.triage_files import REFERENCE, areas, drawn, folder_of, listed_below, measure_all

ROOT = Path(__file__).resolve().parents[2]


# ---- files that change while they are read ----

CHANGES = ("deleted", "truncated", "emptied", "replaced", "rewritten")
FORMATS = ("npy", "npz", "csv", "parquet", "safetensors", "feather")


def contents(extension: str, values: np.ndarray) -> bytes:
    """A file of these values."""
    columns = {f"c{place}": column for place, column in enumerate(values.T)}
    made = {
        "npy": lambda: file_builders.npy(values),
        "npz": lambda: file_builders.npz(feats=values),
        "csv": lambda: file_builders.csv(values),
        "parquet": lambda: file_builders.parquet(columns),
        "safetensors": lambda: file_builders.tensor("F64", values),
        "feather": lambda: file_builders.feather(columns),
    }
    return made[extension]()


def change(path: Path, how: str, other: bytes) -> None:
    if how == "deleted":
        path.unlink(missing_ok=True)
    elif how == "truncated":
        os.truncate(path, path.stat().st_size // 2)
    elif how == "emptied":
        os.truncate(path, 0)
    elif how == "replaced":
        (path.parent / "beside").write_bytes(other)
        (path.parent / "beside").replace(path)
    else:
        path.write_bytes(other)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("extension", FORMATS)
def test_a_file_that_changes_while_it_is_read_is_told_and_never_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extension: str, how: str
) -> None:
    """Changed before and after every time that a reader opens it."""
    values = drawn(1, n=400)
    other = contents(extension, drawn(2, n=400, shift=1.0))
    path = tmp_path / f"step-1.{extension}"
    store = ResultCache(tmp_path / "kept")
    whole = contents(extension, values)
    plain_open = FileSource.open
    opened = 0

    def measured(at: int | None) -> CheckpointOutcome:
        """Changed at this place: 2 k is right before, 2 k + 1 right after it is opened for the k-th
        time.
        """
        nonlocal opened
        opened = 0

        def racing(source: FileSource) -> Any:
            nonlocal opened
            here = opened
            opened = opened + 1
            if at == 2 * here:
                change(path, how, other)
            stream = plain_open(source)
            if at == 2 * here + 1:
                change(path, how, other)
            return stream

        path.write_bytes(whole)
        os.utime(path, ns=(0, 0))
        monkeypatch.setattr(FileSource, "open", racing)
        (outcome,) = measure_all(REFERENCE, checkpoints_of([path]), store=store)
        return outcome

    assert measured(None).reason is None
    places = 2 * opened
    (kept,) = store.folder.iterdir()
    kept.unlink()
    assert places >= 2
    for at in range(places):
        outcome = measured(at)
        assert outcome.measured == ()
        assert path.name in str(outcome.reason)
        assert len(str(outcome.reason).splitlines()) == 1
        assert list(store.folder.iterdir()) == []
    monkeypatch.setattr(FileSource, "open", plain_open)
    path.write_bytes(whole)
    assert measured(None).measured[0].digests.generated == Samples(values).digest


def test_a_large_file_that_is_cut_off_after_it_was_read_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npy_reader, "MAPPED_FROM", 1)  # large is what is mapped elsewhere
    folder = folder_of(tmp_path / "run", 1)
    found = checkpoints_of(folder)
    path = folder / "step-1.npy"
    base = samples_at(path, TriageSettings()).values
    while base is not None:
        assert not isinstance(base, np.memmap)  # reading on would end the process
        base = base.base
    (before,) = measure_all(REFERENCE, found)
    plain = triage_measure.measure

    def cut_off(*given: Any, **options: Any) -> Any:
        os.truncate(path, 0)
        return plain(*given, **options)

    monkeypatch.setattr(triage_measure, "measure", cut_off)
    (after,) = measure_all(REFERENCE, found)
    assert path.stat().st_size == 0
    assert after.measured[0].digests == before.measured[0].digests
    assert areas([after]) == areas([before])


def test_files_that_vanish_while_they_are_listed_fail_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path / "run", 3)
    files = Below.files

    def listed(below: Below, name: str = "") -> Any:
        found = files(below, name)
        (folder / "step-2.npy").unlink()
        return found

    monkeypatch.setattr(Below, "files", listed)
    outcomes = list(measure_all(REFERENCE, listed_below(Below(tmp_path), "run")))
    assert [each.reason is None for each in outcomes] == [True, False, True]
    assert "'step-2.npy': can't be opened: not there" in str(outcomes[1].reason)


class Disk:
    """So many bytes fit into new files; then there is no space left."""

    def __init__(self, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = room
        plain = Path.open
        disk = self

        class Written(io.FileIO):
            def write(self, data: Any) -> int:
                fits = min(disk.room, len(data))
                disk.room -= super().write(data[:fits])
                if fits < len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return fits

        def opened(path: Path, mode: str = "r", *given: Any, **options: Any) -> Any:
            return (
                Written(path, mode)
                if set(mode) & set("wxa")
                else plain(path, mode, *given, **options)
            )

        monkeypatch.setattr(Path, "open", opened)


@pytest.mark.exhaustive
def test_a_full_disk_is_told_and_what_was_kept_before_still_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path / "run", 3)
    out = tmp_path / "out"
    np.save(tmp_path / "real.npy", REFERENCE.values)
    line = ["triage", str(tmp_path / "real.npy"), str(folder), "--method", "knn"]
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    # what is found beside the curves would be kept before or after them
    monkeypatch.setattr("prviz.triage.triage.available_threads", lambda: 1)
    assert main(line) == 0
    whole = capsys.readouterr().out
    results = (path for path in (tmp_path / "cache").iterdir() if "c_real_0" in np.load(path).files)
    sizes = {path.stat().st_size for path in results}
    for room in (0, min(sizes) - 1, 2 * max(sizes) + 100):
        with monkeypatch.context() as patched:
            Disk(room, patched)
            assert main([*line, "--out", str(out)]) == 2
            told = capsys.readouterr()
            assert told.out == ""
            assert (
                "a result can't be kept there (No space left on device); earlier results are kept"
                in told.err
            )
            before = {path.name: path.read_bytes() for path in out.iterdir()}
            assert len(before) == (2 if room > max(sizes) else 0)
            assert not [name for name in before if name.endswith(".tmp")]
            patched.setenv("PRVIZ_CACHE", str(tmp_path / f"other-{room}"))
            Disk(room, patched)
            assert main(line) == 0
            told = capsys.readouterr()
            assert told.out == whole
            assert (
                "a result can't be kept there (No space left on device); the next run measures"
                " again" in told.err
            )
        assert main([*line, "--out", str(out)]) == 0
        told = capsys.readouterr()
        assert told.out == whole
        assert told.err.count("(kept)") == len(before)
        assert before.items() <= {path.name: path.read_bytes() for path in out.iterdir()}.items()
        for path in out.iterdir():
            path.unlink()


# ---- one folder for several ----

_WORKER = """
import json, sys
from prviz.readers import read
from prviz.triage.inputs import checkpoints_of
from tests.triage_files import measure_all
from prviz.triage.measured import TriageSettings
from prviz.triage.measured import ResultCache
real, folder, kept, limit = sys.argv[1:]
real, found = read(real), checkpoints_of(folder)
answers = []
for seed in range(4):
    print(flush=True)
    sys.stdin.readline()
    store = ResultCache(kept, int(limit) or None)
    outcomes = list(measure_all(real, found, TriageSettings(seed=seed), store=store))
    answers.append([[each.checkpoint.name, each.measured[0].curve.auc] for each in outcomes])
print(json.dumps(answers), flush=True)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("limit", exhaustive_but((0, 3000), 3000), ids=["all stay", "most go"])
def test_two_processes_share_a_folder_of_results(tmp_path: Path, limit: int) -> None:
    folder = folder_of(tmp_path / "run", 3)
    kept = tmp_path / "kept"
    np.save(tmp_path / "real.npy", REFERENCE.values)
    line = [
        sys.executable,
        "-c",
        _WORKER,
        str(tmp_path / "real.npy"),
        str(folder),
        str(kept),
        str(limit),
    ]
    pipe = subprocess.PIPE
    both = [
        subprocess.Popen(line, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for _ in range(2)
    ]
    try:
        for _ in range(4):
            for each in both:
                assert each.stdout is not None
                assert each.stdout.readline() == "\n", each.communicate()[1]
            for each in both:  # both at once
                assert each.stdin is not None
                each.stdin.write("\n")
                each.stdin.flush()
        ended = [each.communicate() for each in both]
    finally:
        for each in both:
            each.kill()
            each.wait()
    assert [(each.returncode, error) for each, (_, error) in zip(both, ended, strict=True)] == [
        (0, "")
    ] * 2
    one, other = (json.loads(out) for out, _ in ended)
    found = checkpoints_of(folder)
    alone = [
        list(map(list, areas(list(measure_all(REFERENCE, found, TriageSettings(seed=s)))).items()))
        for s in range(4)
    ]
    assert one == other == alone
    names = [path.name for path in kept.iterdir()]
    assert all(name.endswith(".npz") and not name.startswith(".") for name in names)
    if limit:
        assert sum(path.stat().st_size for path in kept.iterdir()) <= 2 * limit
    else:
        assert len(names) == 12
        again = list(measure_all(REFERENCE, found, TriageSettings(seed=3), store=ResultCache(kept)))
        assert [each.fresh for each in again] == [()] * 3


def test_a_limited_folder_forgets_what_cut_off_writing_left(tmp_path: Path) -> None:
    (outcome,) = measure_all(REFERENCE, checkpoints_of(folder_of(tmp_path / "run", 1)))
    store = ResultCache(tmp_path / "kept", 10_000)
    store.folder.mkdir()
    left = store.folder / f".{'0' * 64}.0123456789abcdef.tmp"
    mine = store.folder / ".mine.tmp"
    being_written = store.folder / f".{'1' * 64}.0123456789abcdef.tmp"
    for path in (left, mine, being_written):
        path.write_bytes(bytes(20_000))
    for path in (left, mine):
        os.utime(path, ns=(0, 0))
    store.put({"method": "knn", "n": 1}, outcome.measured[0].estimate, 1.0)
    assert not left.exists()
    assert mine.exists()
    assert being_written.exists()
    assert store.get({"method": "knn", "n": 1}) is not None


def test_a_result_that_another_process_deletes_at_once_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (outcome,) = measure_all(REFERENCE, checkpoints_of(folder_of(tmp_path / "run", 1)))
    store = ResultCache(tmp_path / "kept", 10_000)
    replace = Path.replace

    def and_gone(path: Path, target: Path) -> Path:
        found = replace(path, target)
        target.unlink()
        return found

    monkeypatch.setattr(Path, "replace", and_gone)
    store.put({"method": "knn", "n": 1}, outcome.measured[0].estimate, 1.0)
    assert store.trouble is None
    assert list(store.folder.iterdir()) == []


def test_headers_are_read_beside_a_thread_that_makes_a_syntax_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.11 refuses the second of two at once, as the app's pages make one where they
    open.
    """
    left = [2]
    makes = ast.parse

    def parse(*given: Any, **options: Any) -> ast.AST:
        if left[0]:
            left[0] -= 1
            raise SystemError("AST constructor recursion depth mismatch")
        return makes(*given, **options)

    np.save(tmp_path / "a.npy", drawn(1))
    store = ResultCache(tmp_path / "kept")
    store.put_facts({"a": 1}, [1])
    with monkeypatch.context() as patched:
        patched.setattr(ast, "parse", parse)
        facts = store.facts({"a": 1})
        left[0] = 2
        found = samples_at(tmp_path / "a.npy", TriageSettings())
    assert facts == [1]
    assert found.n == len(drawn(1))
