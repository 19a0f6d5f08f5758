"""The commands of docs/large.md run as they stand there, and its figures are those of the code."""

from __future__ import annotations

import pickle
import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from prviz.cli.main import main
from prviz.readers import read
from prviz.studies.tasks import AHEAD_ELSEWHERE
from prviz.triage.elsewhere import _Elsewhere
from prviz.triage.inputs import checkpoints_of
from prviz.triage.measured import TriageSettings
from tests.benchmarks.results import newest
from tests.browser import ROOT, free_port
from tests.studies.test_sweeps_elsewhere import CONFIG, started, wait_for_workers

PAGE = (ROOT / "docs" / "large.md").read_text("utf-8")
BLOCKS = re.findall(r"```bash\n(.*?)```", PAGE, flags=re.DOTALL)
FAMILIES = ("knn", "kde", "ipr", "coverage")


def normal(path: Path, n: int, d: int, seed: int) -> None:
    np.save(path, np.random.default_rng(seed).standard_normal((n, d)))


@pytest.mark.thorough
def test_the_commands_of_the_cluster_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    normal(tmp_path / "real.npy", 60, 3, 0)
    normal(tmp_path / "gen.npy", 60, 3, 1)
    (tmp_path / "checkpoints").mkdir()
    for step in (1, 2):
        normal(tmp_path / "checkpoints" / f"step-{step}.npy", 60, 3, step)
    (tmp_path / "grid.toml").write_text(CONFIG)
    port = str(free_port())
    lines = BLOCKS[0].replace("host", "127.0.0.1").replace("8786", port).splitlines()
    install, scheduler, worker, triage, sweep = lines
    assert install == 'pip install "prviz[dask]"'
    processes = [started(tmp_path, *scheduler.split())]
    try:
        worker = worker.replace("--nworkers 16", "--nworkers 2")
        processes.append(started(tmp_path, *worker.split()))
        wait_for_workers(f"tcp://127.0.0.1:{port}", processes, tmp_path)
        for line in (triage, sweep):
            assert line.startswith("prviz ")
            assert main(line.split()[1:]) == 0
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
    assert "step-2" in (tmp_path / "report.html").read_text("utf-8")
    assert len(pd.read_parquet(tmp_path / "grid.parquet")) == 30


@pytest.mark.thorough
def test_the_commands_of_large_sets_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    normal(tmp_path / "real.npy", 80, 3, 0)
    normal(tmp_path / "generated.npy", 80, 3, 1)
    exact, approximate = BLOCKS[1].splitlines()
    assert approximate == f"{exact} --approximate"
    for line in (exact, approximate):
        assert main(line.split()[1:]) == 0
    assert "approximate: lists hold" in capsys.readouterr().out


@pytest.mark.parametrize("n", [2_000, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_the_page_says_what_moves_over_the_network(
    n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("copies", "witness", "faults"):  # a few lines of text
        monkeypatch.setattr(f"prviz.triage.triage.Triage.{name}", lambda *_: None)
    for seed, name in enumerate(("real", "step-1")):
        normal(tmp_path / f"{name}.npy", n, 2, seed)
    work = _Elsewhere(
        reference=tmp_path / "real.npy",
        digest=read(tmp_path / "real.npy").digest,
        size=n,
        settings=TriageSettings(FAMILIES),
        memory_limit=10**9,
        holdout=None,
    )
    call = partial(work.run, checkpoints_of([tmp_path / "step-1.npy"])[0], FAMILIES)
    assert len(pickle.dumps(call)) < 1_000
    told = re.search(rf"(0\.\d+) MB for {n:,}", PAGE)
    assert told is not None
    assert len(pickle.dumps(call())) / 1e6 == pytest.approx(float(told[1]), rel=0.06)


def test_the_page_says_how_many_tasks_wait() -> None:
    assert f"{AHEAD_ELSEWHERE} tasks at most are with the scheduler" in PAGE


def test_at_100_000_samples_exact_curves_take_as_long() -> None:
    case = "two sets of 100,000 x 64, four curves, split 0.5, "
    exact, approximate = (
        line["figures"]["processor time (s)"]
        for line in sorted(newest("scale"), key=lambda line: line["case"], reverse=True)
        if line["case"].startswith(case)
    )
    assert 0.8 < exact / approximate < 1.25


def test_the_page_says_how_far_off_the_million_was() -> None:
    case = "two sets of 1,000,000 x 64, four curves, split 0.5, approximate"
    (line,) = (each for each in newest("scale") if each["case"] == case)
    told = re.search(r"lists held (\d+) % .*? within IoU (0\.\d\d)", PAGE, re.DOTALL)
    assert told is not None
    assert f"lists hold {told[1]} %" in line["figures"]["printed"]
    assert f"within IoU {told[2]}" in line["figures"]["printed"]
