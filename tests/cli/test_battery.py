"""``prviz battery``: its table, its counts, its messages, and a resumed run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from prviz.studies.battery import CHECKS, COLUMNS, battery_tasks, judge
from prviz.studies.tasks import run_tasks
from tests.cli.commands import Refused, Run

CHECK = "gaussian-mixture-mode-dropping-invention"


def test_the_truth_alone_needs_no_run(run: Run) -> None:
    disjoint = "gaussian-high-dim-one-disjoint-dim"
    out = run("battery", disjoint, CHECK, "--reading", "knn@10", "i-prec/i-rec", "--oracle").out
    lines = {
        tuple(line.split()[:2]): line.split()[2:]
        for line in out.splitlines()
        if line.startswith("gaussian")
    }
    assert lines == {
        (CHECK, "bounds"): ["TT-", "TT-", "TTT", "TTT"],
        (CHECK, "purpose"): ["TT-", "TT-", "TTT", "TTT"],
        (disjoint, "purpose"): ["TT-", "TT-", "TTF", "TTF"],
        (disjoint, "bounds"): ["TT-", "TT-", "FFF", "FFF"],
    }
    assert (
        "i-prec/i-rec passes: fidelity 3 of 4 (truth 3, paper 2), diversity 3 of 4 (truth 3,"
        " paper 2)" in out
    )
    assert "knn@10 passes: fidelity 4 of 4 (truth 4), diversity 4 of 4 (truth 4)" in out


@pytest.mark.exhaustive
def test_a_stopped_run_goes_on_where_it_was(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    tasks = battery_tasks([CHECK], ["density/coverage"], repeats=2)
    with ThreadPoolExecutor(1) as pool:
        run_tasks(tasks[:1], COLUMNS, pool, out=out)
    before = pd.read_parquet(out)
    options = ("--reading", "density/coverage", "--repeats", "2", "--out", out)
    said = run("battery", CHECK, *options).out
    after = pd.read_parquet(out).set_index("key")
    assert len(after) == 20 > len(before)
    # not made again
    assert (after.loc[before["key"], "seconds"].to_numpy() == before["seconds"].to_numpy()).all()
    for line in judge(after.reset_index(), ["density/coverage"]).to_dict("records"):
        assert line["verdict"] + line["oracle"] + line["published"] in said
    assert f"20 rows in {out}" in said


def test_unknown_names_are_refused_with_what_is_allowed(refused: Refused) -> None:
    error = refused("battery", "sphere", "--oracle")
    assert "there is no check 'sphere'; the checks are " in error
    assert all(name in error for name in CHECKS)
    error = refused("battery", CHECK, "--reading", "knn@2", "--oracle")
    assert "there is no reading 'knn@2'; it may be i-prec/i-rec" in error
    assert "a point of 1, 3, 10, 100, 1000, ends, f8, auc" in error
