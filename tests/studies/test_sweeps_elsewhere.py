"""Sweeps and triage on a real Dask scheduler with two worker processes, and `prviz sweep` in the
shell.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from distributed import KilledWorker

import prviz
from prviz.cli.main import main
from prviz.cli.sweep import read_config
from prviz.readers import read, read_chosen
from prviz.samples import Samples
from prviz.studies.tasks import dask_executor, finished
from prviz.triage.elsewhere import _Elsewhere, measure_elsewhere
from prviz.triage.inputs import Checkpoint, checkpoints_of
from prviz.triage.measured import ResultCache, TriageSettings
from prviz.triage.triage import Triage
from tests.browser import free_port
from tests.triage_files import measure_all

GRID = {
    "problems": ["shifted-gaussians"],
    "methods": ["knn", "ipr"],
    "ks": (3, "sqrt"),
    "ns": (200, 300),
    "dims": (4,),
    "repeats": 8,
}
START_SECONDS = 60
# Other folders and processes are to find this checkout first.
_PATHS = os.pathsep.join(
    [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
)
CHECKOUT = {**os.environ, "PYTHONPATH": _PATHS}


def without_time(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="seconds")


def started(folder: Path, *line: str) -> subprocess.Popen[bytes]:
    """A process of Dask on this machine, in another folder than the samples."""
    command = [sys.executable, "-W", "ignore", "-m", *line, "--no-dashboard"]
    with (folder / "dask.log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=CHECKOUT)


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Address of a scheduler and its two workers, each a process of its own."""
    port = str(free_port())
    address = f"tcp://127.0.0.1:{port}"
    host = ("--host", "127.0.0.1")
    line = ("distributed.cli.dask_scheduler", *host, "--port", port, "--no-jupyter")
    processes = [started(tmp_path, *line)]
    line = ("distributed.cli.dask_worker", address, *host, "--nthreads", "1", "--no-nanny")
    for name in ("one", "two"):
        options = ("--name", name, "--local-directory", str(tmp_path))
        processes.append(started(tmp_path, *line, *options))
    try:
        wait_for_workers(address, processes, tmp_path)
        yield address, processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def wait_for_workers(address: str, processes: list[subprocess.Popen[bytes]], folder: Path) -> None:
    from distributed import Client

    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and all(process.poll() is None for process in processes):
        try:
            with Client(address, timeout=2) as client:
                client.wait_for_workers(2, timeout=START_SECONDS)
                return
        except OSError:
            continue
    log = (folder / "dask.log").read_text()
    raise RuntimeError(f"no scheduler with two workers at {address}:\n{log}")


def test_other_machines_give_the_same_rows_and_a_dead_worker_loses_none(
    scheduler: tuple, tmp_path: Path
) -> None:
    address, workers = scheduler
    out = tmp_path / "sweep.parquet"
    came = []

    def kill_one(rows: pd.DataFrame) -> None:
        came.append(rows)
        if len(came) == 2:
            workers[0].kill()

    with dask_executor(address) as executor:
        found = prviz.sweep(**GRID, executor=executor, out=out, on_rows=kill_one)
    assert workers[0].poll() is not None
    assert workers[1].poll() is None
    pd.testing.assert_frame_equal(without_time(found), without_time(prviz.sweep(**GRID)))
    assert set(pd.read_parquet(out)["key"]) == set(found["key"])
    assert pd.concat(came)["key"].is_unique


def test_checkpoints_are_measured_by_other_machines_even_if_one_dies(
    scheduler: tuple,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, workers = scheduler
    draw = np.random.default_rng(0).standard_normal
    folder = tmp_path / "run"
    folder.mkdir()
    np.save(tmp_path / "real.npy", draw((300, 3)))
    for step in range(12):
        np.save(folder / f"step-{step}.npy", draw((300, 3)) + step / 6)
    np.save(folder / "step-99.npy", draw((300, 2)))
    monkeypatch.chdir(tmp_path)
    checkpoints = checkpoints_of("run")
    settings = TriageSettings(("knn", "kde"), equal_sizes=True)
    store = ResultCache(tmp_path / "kept")
    found = {}
    with dask_executor(address) as executor:
        triage = Triage(reference=read("real.npy"), settings=settings, store=store)
        for each in measure_elsewhere(triage, checkpoints, executor, reference=Path("real.npy")):
            found[each.checkpoint.name] = each
            if len(found) == 3:
                workers[0].kill()
    assert workers[0].poll() is not None
    assert workers[1].poll() is None
    here = list(measure_all(read(tmp_path / "real.npy"), checkpoints, settings))
    assert [found[each.checkpoint.name].checkpoint for each in here] == checkpoints
    for each in here:
        there = found[each.checkpoint.name]
        assert (there.fresh, there.reason) == (each.fresh, each.reason)
        for ours, theirs in zip(each.measured, there.measured, strict=True):
            assert (ours.method, ours.k, ours.digests) == (theirs.method, theirs.k, theirs.digests)
            mine = ours.estimate.supports
            other = theirs.estimate.supports
            np.testing.assert_array_equal(mine.c_real, other.c_real)
            np.testing.assert_array_equal(mine.c_generated, other.c_generated)
    kept = list(measure_all(read(tmp_path / "real.npy"), checkpoints, settings, store=store))
    assert all(each.fresh == () for each in kept)
    line = ["triage", "real.npy", "run", "--out", "kept", "--k", "4"]
    with monkeypatch.context() as here_alone:  # workers look for copies and faults too
        for name in ("findings", "memorisation", "sample_faults", "witness"):
            here_alone.setattr(f"prviz.triage.triage.{name}", None)
        assert main([*line, "--scheduler", address]) == 1
    first = capsys.readouterr()
    assert "(kept)" not in first.err
    assert main(line) == 1
    second = capsys.readouterr()
    assert second.err.count("(kept)") == 12
    assert second.out == first.out


def save_sets(folder: Path, *names: str) -> None:
    """A file of samples for each name."""
    draw = np.random.default_rng(0).standard_normal
    for name in names:
        np.save(folder / f"{name}.npy", draw((60, 3)))


def test_a_worker_reads_each_file_once_and_leaves_nothing_to_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_sets(tmp_path, "real", "step-1", "step-2")
    real = read(tmp_path / "real.npy")
    checkpoints = checkpoints_of([tmp_path / "step-1.npy", tmp_path / "step-2.npy"])
    store = ResultCache(tmp_path / "kept")
    triage = Triage(reference=real, settings=TriageSettings(("knn", "kde")), store=store)
    times = Counter[tuple[str, bool]]()

    def counted(path: Path, *rest: Any, **options: Any) -> Samples:
        here = threading.current_thread() is threading.main_thread()
        times[path.name, here] += 1
        return read_chosen(path, *rest, **options)

    monkeypatch.setattr("prviz.triage.measure.read_chosen", counted)
    with ThreadPoolExecutor(1) as executor:
        reference = tmp_path / "real.npy"
        found = list(measure_elsewhere(triage, checkpoints, executor, reference=reference))
    assert [each.reason for each in found] == [None, None]
    assert times == {
        ("real.npy", False): 1,
        **{(f"step-{step}.npy", here): 1 for step in (1, 2) for here in (True, False)},
    }
    for name in ("triage.findings", "triage.witness", "triage.memorisation", "ranking.replicated"):
        monkeypatch.setattr(f"prviz.triage.{name}", None)
    for each in found:
        by_knn = each.measured[0]
        for look in (triage.faults, triage.witness, triage.copies, triage.replicates):
            assert look(by_knn, lambda _: None) is not None


def killed(*_: Any, **__: Any) -> None:
    raise KilledWorker("task", SimpleNamespace(address="tcp://127.0.0.1:1"), 3)


def test_a_checkpoint_that_no_worker_survives_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_sets(tmp_path, "real", "one", "two")
    triage = Triage(reference=read(tmp_path / "real.npy"), settings=TriageSettings(("knn",)))
    run = _Elsewhere.run

    def ends(self: _Elsewhere, checkpoint: Checkpoint, names: tuple[str, ...]) -> Any:
        return (killed if checkpoint.name == "one" else run)(self, checkpoint, names)

    monkeypatch.setattr(_Elsewhere, "run", ends)
    with ThreadPoolExecutor(1) as executor:
        there = checkpoints_of([tmp_path / "one.npy", tmp_path / "two.npy"])
        outcomes = measure_elsewhere(triage, there, executor, reference=tmp_path / "real.npy")
        one, two = sorted(outcomes, key=lambda each: each.checkpoint.name)
    assert "each worker that measured it ended, perhaps because memory ran out" in one.reason
    assert two.reason is None


def test_a_sweep_that_no_worker_survives_says_so() -> None:
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(
            ChildProcessError,
            match=r'memory ran out.*script.* below `if __name__ == "__main__":`',
        ),
    ):
        list(finished(executor, [("tag", killed)], 1))


def test_a_scheduler_that_ends_is_a_clear_error() -> None:
    class Ended(Executor):
        def submit(self, *_: Any, **__: Any) -> Future[Any]:
            future = Future[Any]()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(ConnectionError, match="the scheduler has ended; once one is there"):
        list(finished(Ended(), [("tag", print)], 1))


def test_nobody_at_that_address_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prviz.studies.tasks.CONNECT_SECONDS", 1)
    address = f"tcp://127.0.0.1:{free_port()}"
    with (
        pytest.raises(ValueError, match=f"no scheduler answers at {address}"),
        dask_executor(address),
    ):
        pass


CONFIG = """
problems = ["identical", {toy = "shifted-gaussians", mu = 0.5, d = 3}, {real = "real.npy", generated = "gen.npy"}]
methods = ["knn", "kde"]
ks = [3, "sqrt"]
bandwidths = ["auto", 1.5]
splits = [0.5, "none"]
ns = [60]
dims = [3]
"""


def shell(*line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "prviz", "sweep", *line]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=CHECKOUT)


def test_the_shell_measures_a_configuration_and_goes_on_where_it_was(tmp_path: Path) -> None:
    for index, name in enumerate(("real", "gen")):
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(index).normal(size=(70, 3)))
    (tmp_path / "grid.toml").write_text(CONFIG)
    done = shell("grid.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = pd.read_parquet(tmp_path / "grid.parquet")
    assert len(rows) == 3 * 2 * 5
    assert done.stdout.startswith("30 rows in grid.parquet")
    # What each pair of samples gave, as it came: three problems, with and without split; of files
    # no truth is known.
    lines = done.stderr.splitlines()
    assert sorted(line.split(":")[0].partition(" d=3 ")[2] for line in lines) == (
        ["n=60 split=0.5 repeat=0"] * 3 + ["n=60 split=none repeat=0"] * 3
    )
    assert sum(": AuC knn k=3 " in line for line in lines) == 2
    assert sum(": IoU knn k=3 " in line and "kde bandwidth=1.5 " in line for line in lines) == 4
    expected = prviz.sweep(**read_config(tmp_path / "grid.toml"))
    key = sorted(expected["key"])
    assert sorted(rows["key"]) == key
    pd.testing.assert_series_equal(
        rows.set_index("key")["auc"].loc[key], expected.set_index("key")["auc"].loc[key]
    )
    before = (tmp_path / "grid.parquet").read_bytes()
    again = shell("grid.toml", cwd=tmp_path)
    assert (again.stdout, again.stderr) == (done.stdout, "")
    assert (tmp_path / "grid.parquet").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("problems = [", "grid.toml is not TOML"),
        ("methods = ['knn']", "has no key 'problems'"),
        ("problem = ['identical']", "has the key 'problem'; its keys may be problems, methods"),
        ("problems = 'identical'", "problems = 'identical'; a list is needed"),
        ("problems = [{toy = 'identical', e = 3}]", "has no parameter 'e'"),
        ("problems = [{real = 'a.npy'}]", "a table with real and generated is needed"),
        ("problems = ['identical']\nks = [0]", "k = 0; an"),
        ("problems = ['identical']\nrepeats = 'many'", "repeats = 'many'"),
    ],
)
def test_a_bad_configuration_names_the_key(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "grid.toml").write_text(text)
    assert main(["sweep", str(tmp_path / "grid.toml")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("prviz: error: ")
    assert not (tmp_path / "grid.parquet").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's malloc")
def test_a_worker_of_dask_keeps_freed_memory_while_it_measures_and_no_longer() -> None:
    text = """
import resource
import numpy as np
from prviz.neighbors.threads import one_thread_of_a_worker

def pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(1 << 19)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(pages())
with one_thread_of_a_worker():
    print(pages())
print(pages())
"""
    # as Dask starts its workers
    dask = {**CHECKOUT, "MALLOC_TRIM_THRESHOLD_": "65536"}
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=dask)
    before, during, after = map(int, run.stdout.split())
    assert during < before / 5
    assert after > before / 2


def test_a_script_without_a_guard_is_told_so_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import prviz\nprviz.sweep('mixtures', ['knn'], ns=[100])\n")
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert ended.stderr.count("Traceback") == 1
    assert 'below `if __name__ == "__main__":`' in ended.stderr
