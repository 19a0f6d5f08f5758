"""The benchmarks keep their results, and docs/measured.md shows the newest of them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import engine, results, table

# Helpers, and what counts instead of timing: the mutants that tests miss, the draws that an
# interval holds, findings of kinds that tuned nothing.
NO_BENCHMARKS = {
    "memory",
    "plain_slider",
    "mutants",
    "frechet_intervals",
    "held_findings",
    "fresh_kinds",
}
SCRIPTS = {path.stem for path in Path(results.__file__).parent.glob("*.py")} - NO_BENCHMARKS


def test_the_documents_have_the_tables_of_the_kept_results() -> None:
    for path, made in ((table.DOCUMENT, table.tables()), (table.LARGE, table.large_tables())):
        document = path.read_text("utf-8")
        assert document == table.written(document, made), "python -m tests.benchmarks.table --write"


def test_every_benchmark_keeps_its_results_and_has_a_table() -> None:
    assert set(table.ABOUT) == SCRIPTS - {"results", "table", "faults"}
    for name in table.ABOUT:
        script = (Path(results.__file__).parent / f"{name}.py").read_text("utf-8")
        assert re.search(r"\b(record|line_of)\(", script), name
    assert {path.stem for path in results.FOLDER.iterdir()} <= set(table.ABOUT)


def test_the_newest_line_of_a_case_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    monkeypatch.setattr("sys.argv", ["engine.py", "--only", "a b", "--rows", "/home/me/rows"])
    results.record("engine", "one", seconds=3.0, other_seconds=2.0, peak_mb=1234.56)
    results.record("engine", "two", figures={"p50 (ms)": 17.123456, "says": "a|b"})
    line = results.record("engine", "one", seconds=1.0, other_seconds=4.0)
    assert [each["case"] for each in results.newest("engine")] == ["one", "two"]
    assert results.newest("engine")[0] == line
    assert (line["ratio"], line["peak_mb"]) == (0.25, None)
    assert line["command"] == "python -m tests.benchmarks.engine --only 'a b' --rows rows"
    assert line["machine"]["cores"] >= 1
    assert set(line) >= {"date", "commit"}
    assert table.tables().splitlines()[-4:] == [
        "| case | prviz | against | ratio | p50 (ms) | says |",
        "| --- | --- | --- | --- | --- | --- |",
        "| one | 1 s | 4 s | 0.250 |  |  |",
        "| two |  |  |  | 17.1 | a\\|b |",
    ]
    assert results.newest("hub") == []


@pytest.mark.thorough
def test_a_part_has_a_table_of_its_own_and_lines_say_which_blas_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "512")
    monkeypatch.setattr(results, "blas_kernels", lambda: {"other.libs": "A", "numpy.libs": "B"})
    results.record("engine", "one", seconds=3.0)
    monkeypatch.setattr(engine, "TILE", 25)
    engine.limit(sizes=((60, 4),), repeats=1)
    lines = results.newest("engine")
    assert "B, A in other.libs, " in lines[1]["machine"]["blas"]
    assert "OPENBLAS_L2_SIZE=512" in lines[1]["machine"]["blas"]
    assert [line["case"] for line in lines[1:]] == [
        f"60 x 4: {title}, B kernel" for title in engine.WORK.values()
    ]
    assert set(lines[1]["figures"]) == {"ns per pair", *engine.AGAINST.values()}
    ratio = re.fullmatch(
        r"(\S+) \((\S+), (\S+), (\S+)\) of \S+ s", lines[1]["figures"]["all pairs once"]
    )
    assert ratio is not None
    assert float(ratio[2]) <= float(ratio[3]) <= float(ratio[4])
    heads = [line for line in table.tables().splitlines() if line.startswith("| case")]
    assert heads == [
        "| case | prviz |",
        f"| case | prviz | ns per pair | {' | '.join(engine.AGAINST.values())} |",
    ]


def test_tiles_of_a_set_and_itself_meet_each_two_rows_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "TILE", 4)
    rows = np.arange(10)
    met = np.zeros((10, 10), dtype=int)
    for left, right in engine.tiles((rows, rows)):
        met[np.ix_(left, right)] += 1
    assert (np.maximum(met, met.T) == 1).all()
    assert met.sum() == 3 * 4 * 4 + 2 * 4 * 2 + 2 * 2
    assert len(engine.tiles((rows, rows[::-1]))) == 9


def test_kept_commands_name_no_path_of_one_machine() -> None:
    files = results.FOLDER.glob("*.jsonl")
    lines = [json.loads(line) for each in files for line in each.read_text("utf-8").splitlines()]
    commands = [shlex.split(line["command"]) for line in lines]
    assert len(commands) > 100
    assert not [each for command in commands for each in command if Path(each).is_absolute()]
