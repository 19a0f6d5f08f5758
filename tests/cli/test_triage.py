"""``prviz triage``: the ranking, the failed files with reasons, and the cost of a second run."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from PIL import Image

import prviz
from prviz.cli.main import main
from prviz.cli.triage_outputs import TriageOutputs
from prviz.curves.summaries import rounded_up
from prviz.estimators import VERDICT_METHODS
from prviz.readers import read
from prviz.readers.bundled import bundled_pair
from prviz.readers.paths import data_folder
from prviz.reports.document import schema
from prviz.triage import ranking
from prviz.triage.inputs import Checkpoint, checkpoints_of, folder_of_parts
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import CheckpointOutcome, TriageSettings
from prviz.triage.triage import TriageResults
from tests.ranked import rank
from tests.triage_files import measure_all
from tests.waiting import until

DATA = data_folder()
MIXTURE = [str(DATA / f"mixture-em-{step}.npz") for step in (1, 2, 5, 20)]
DIGITS = str(DATA / "digits.npz")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))


def ranked(out: str) -> list[list[str]]:
    """Place, name, step, score, low, high and best of every line of the ranking."""
    line = re.compile(
        r" *(\d+)  (\S+) +(\S+)  ([\d.]+)  ([\d.]+) to ([\d.]+)(?: +\d\.\d+)? +((?:[<>] )?\d+) %",
        re.M,
    )
    return [list(found) for found in line.findall(out)]


@pytest.mark.exhaustive
def test_the_bundled_mixture_is_ranked_by_its_iterations(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line = ["triage", DIGITS, *MIXTURE, "--method", "knn", "--out", str(tmp_path / "out")]
    assert main(line) == 0
    first = capsys.readouterr()
    rows = ranked(first.out)
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("1", "mixture-em-20", "20"),
        ("2", "mixture-em-5", "5"),
        ("3", "mixture-em-2", "2"),
        ("4", "mixture-em-1", "1"),
    ]
    measured = [
        each.measured[0]
        for each in measure_all(read(DIGITS), checkpoints_of(MIXTURE), TriageSettings())
    ]
    table = rank(measured, 0.5, seed=0)
    assert [row[3:6] for row in rows] == [
        [f"{each[name]:.4f}" for name in ("score", "low", "high")]
        for each in table.to_dict("records")
    ]
    assert all(float(low) <= float(score) <= float(high) for _, _, _, score, low, high, _ in rows)
    assert (
        "k = 42, against 1797 samples of digits.npz; best first for the goal 0.5 (balanced)"
        in first.out
    )
    assert "Note" not in first.out
    assert "Failed" not in first.out
    kept = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    # four checkpoints, their copies, faults, findings, witnesses and replicates, ceiling, its
    # replicates, floor
    assert len(kept) == 27
    assert main(line[:2] + line[2:6][::-1] + line[6:]) == 0
    second = capsys.readouterr()
    assert second.out == first.out
    assert second.err.count("(kept)") == 4
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir()} == kept


def test_a_folder_with_broken_files_is_ranked_without_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    draw = np.random.default_rng(0).standard_normal
    np.save(folder / "real.npy", draw((120, 3)))
    np.save(folder / "iter-1k.npy", draw((120, 3)) + 1.5)
    np.save(folder / "iter-20k.npy", draw((100, 3)))
    np.save(folder / "iter-3k.npy", draw((120, 4)))
    (folder / "iter-4k.npy").write_bytes(b"\x93NUMPY\x01\x00 broken")
    (folder / "notes.txt").write_text("")
    (folder / "older").mkdir()
    np.save(folder / "older" / "iter-9k.npy", draw((100, 3)))
    (folder / "about.csv").write_text("file,step\niter-1k.npy,1\niter-20k,9\n")
    line = [
        "triage",
        str(folder / "real.npy"),
        str(folder),
        "--metadata",
        str(folder / "about.csv"),
    ]
    assert (
        main([*line, "--method", "knn,coverage", "--k", "4", "--split", "none", "--goal", "recall"])
        == 1
    )
    out = capsys.readouterr().out
    assert [row[1:3] for row in ranked(out)] == [["iter-20k", "9"], ["iter-1k", "1"]]
    assert (
        out.count("k = 4, against 120 samples of real.npy; best first for the goal 1 (recall)") == 1
    )
    assert "the sets have 100 to 120 samples" in out
    assert "1 file is left out, as names of samples end in .npy" in out
    assert out.count("'notes.txt'") == 1
    assert "in folders of a folder are left out, unless these are named too: 'older'" in out
    failed = out[out.index("Failed, 2 of 4:") :].splitlines()[1:]
    assert [text.split(": ", 1)[0].strip() for text in failed] == [
        str(folder / f"iter-{n}k.npy") for n in (3, 4)
    ]
    assert "generated ones have 4" in failed[0]
    assert "corrupt" in failed[1]
    # by two families: two checkpoints, ceiling, floor; copies, faults, findings, witnesses of both,
    # replicates of them and the ceiling
    assert len(list((tmp_path / "cache").iterdir())) == 19
    assert main([*line, "--equal-sizes", "--seed", "3"]) == 1
    out = capsys.readouterr().out
    assert "against 100 samples of real.npy" in out
    assert "the sets have" not in out


def test_nothing_that_can_be_read_is_status_2_with_the_reasons(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a\x1b[31m.npy").write_bytes(b"")
    assert main(["triage", DIGITS, str(tmp_path), str(tmp_path / "gone.npy")]) == 2
    out = capsys.readouterr().out
    assert out.startswith("Failed, 2 of 2:")
    assert "\x1b" not in out
    assert "empty (0 bytes)" in out
    assert "No such file" in out


def test_a_failure_has_the_lines_that_convert_the_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "frames.npy"
    draw = np.random.default_rng(0).standard_normal
    np.save(file, draw((200, 4, 16)))
    np.save(tmp_path / "flat.npy", draw(900))
    assert main(["triage", DIGITS, str(tmp_path)]) == 2
    first, *recipe = capsys.readouterr().out.strip().partition(f"{file}: ")[2].splitlines()
    assert first.endswith(":")
    exec("\n".join(recipe), {})
    assert len(list(tmp_path.iterdir())) == 3


def test_a_reference_in_parts_ranks_and_is_measured_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    draw = np.random.default_rng(0).standard_normal((200, 4))
    (tmp_path / "parts" / "below").mkdir(parents=True)
    for part, rows in enumerate(np.split(draw[:120], 2)):
        np.save(tmp_path / "parts" / f"emb_{part}.npy", rows)
    np.save(tmp_path / "a.npy", draw[120:] + 0.5)
    report = tmp_path / "r.json"
    sets = [str(tmp_path / "parts"), str(tmp_path / "a.npy")]
    assert main(["triage", *sets, "--method", "knn", "--report", str(report)]) == 0
    assert "against 120 samples of parts;" in capsys.readouterr().out
    assert main(["triage", "--rerun", str(report)]) == 0
    assert main(["triage", str(tmp_path / "parts" / "below"), sets[1]]) == 2
    assert "or embed folders of pictures" in capsys.readouterr().err


def test_a_link_to_another_checkpoint_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    draw = np.random.default_rng(0).standard_normal((3, 120, 4))
    for name, rows in zip(("real", "step1", "step2"), draw, strict=True):
        np.save(tmp_path / f"{name}.npy", rows)
    real, first, second = (str(tmp_path / f"{name}.npy") for name in ("real", "step1", "step2"))
    assert main(["triage", real, first, second, "--method", "knn"]) == 0
    assert "the same samples as" not in capsys.readouterr().out
    (tmp_path / "latest.npy").symlink_to("step2.npy")
    latest = str(tmp_path / "latest.npy")
    assert main(["triage", real, first, second, latest, "--method", "knn"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert re.search(r"(step2|latest) holds the same samples as (latest|step2)", out)


def test_a_holdout_of_another_encoder_is_called_the_holdout(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    holdout = tmp_path / "held.npy"
    np.save(holdout, np.random.default_rng(0).standard_normal((120, 5)))
    assert main(["triage", *MIXTURE[:2], "--method", "knn", "--holdout", str(holdout)]) == 2
    error = capsys.readouterr().err
    assert "holdout: its samples have 5 features, those of the reference" in error


def test_folders_of_parts_are_remarked_with_what_joins_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    draw = np.random.default_rng(0).standard_normal((5, 60, 4))
    np.save(tmp_path / "real.npy", draw[:2].reshape(120, 4))
    for folder, name in (("early", "gpu"), ("late", "img_emb_")):
        (tmp_path / folder).mkdir()
        for part in (0, 1):
            np.save(tmp_path / folder / f"{name}{part}.npy", draw[2 + part])
            np.save(tmp_path / f"{folder}-{part + 1}.npy", draw[2 + part])
    real, early, late = (str(tmp_path / name) for name in ("real.npy", "early", "late"))
    assert str(folder_of_parts([late])) == late
    assert main(["triage", real, early, late, "--method", "knn"]) == 0
    said = capsys.readouterr().out
    (joining,) = re.findall(r"join them: (numpy\.save\(.*\))", said)
    exec(joining, {"numpy": np, "prviz": prviz})
    np.testing.assert_array_equal(np.load(f"{early}.npy"), draw[2:4].reshape(120, 4))
    steps = [f"{early}-1.npy", f"{early}-2.npy", f"{early}.npy"]
    assert main(["triage", real, *steps, "--method", "knn"]) == 0
    assert "join them" not in capsys.readouterr().out


def test_closed_outputs_are_no_error(tmp_path: Path) -> None:
    best = tmp_path / "best"
    line = ["triage", *MIXTURE[:2], "--method", "knn", "--best-file", str(best)]
    command = shlex.join([sys.executable, "-m", "prviz", *line])
    assert subprocess.run(f"exec {command} >&- 2>&-", shell=True, check=False).returncode == 0
    assert best.read_text().strip() == MIXTURE[1]


@pytest.mark.parametrize(
    ("option", "name", "named"),
    [
        ("--best-file", "a.npy", "folder"),
        ("--best-file", "a.npy", "files"),
        ("--report", "b.csv", "folder"),
        ("--report", "b.csv", "files"),
        ("--report", "c.parquet", "folder"),
    ],
)
def test_no_output_takes_the_place_of_a_checkpoint(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    option: str,
    name: str,
    named: str,
) -> None:
    """An output among the checkpoints is none of them, and so nothing else would see it."""
    draw = np.random.default_rng(0).standard_normal((4, 120, 3))
    np.save(tmp_path / "real.npy", draw[0])
    folder = tmp_path / "runs"
    folder.mkdir()
    np.save(folder / "a.npy", draw[1])
    pd.DataFrame(draw[2], columns=list("xyz")).to_csv(folder / "b.csv", index=False)
    pd.DataFrame(draw[3], columns=list("xyz")).to_parquet(folder / "c.parquet")
    before = (folder / name).read_bytes()
    there = [folder] if named == "folder" else sorted(folder.iterdir())
    line = ["triage", str(tmp_path / "real.npy"), *map(str, there), "--method", "knn", option]
    monkeypatch.chdir(folder)
    assert main([*line, name]) == 2
    assert f"{name}' would take the place of samples" in capsys.readouterr().err
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("name", ["report.csv", "report.parquet"])
def test_an_earlier_report_among_the_checkpoints_is_written_anew(tmp_path: Path, name: str) -> None:
    draw = np.random.default_rng(0).standard_normal((2, 120, 3))
    (tmp_path / "runs").mkdir()
    np.save(tmp_path / "real.npy", draw[0])
    np.save(tmp_path / "runs" / "a.npy", draw[1])
    report = tmp_path / "runs" / name
    line = ["triage", str(tmp_path / "real.npy"), str(tmp_path / "runs"), "--method", "knn"]
    for _ in range(2):
        assert main([*line, "--report", str(report)]) == 0


def test_long_names_are_cut_where_they_stay_different(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    draw = np.random.default_rng(0).standard_normal((3, 300, 3))
    np.save(tmp_path / "real.npy", draw[0])
    for part, ending in ((draw[1], "a"), (draw[2, :100], "b")):
        np.save(tmp_path / f"{'long' * 40}-{ending}.npy", part)
    line = ["triage", str(tmp_path / "real.npy"), *map(str, tmp_path.glob("long*"))]
    assert main([*line, "--method", "knn"]) == 0
    out, _, notes = capsys.readouterr().out.partition("\n\nNote: ")
    assert "long" * 20 not in out
    assert f"the size of {'long' * 40}-b" in notes  # notes may have code with paths
    assert {row[1][-2:] for row in ranked(out)} == {"-a", "-b"}
    assert max(map(len, out[out.index("      checkpoint") :].splitlines()[:3])) < 160
    # two that are different in the middle alone stay whole
    for middle in ("a", "b"):
        np.save(tmp_path / f"{'same' * 20}{middle}{'same' * 20}.npy", draw[1])
    line = ["triage", str(tmp_path / "real.npy"), *map(str, tmp_path.glob("same*"))]
    assert main([*line, "--method", "knn"]) == 0
    assert "same" * 20 + "a" in capsys.readouterr().out


def test_a_label_that_is_not_there_is_said_before_the_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((120, 3)), columns=list("xyz"))
    for name in ("real.csv", "a.csv"):
        table.assign(label="p").to_csv(tmp_path / name, index=False)
    line = ["triage", str(tmp_path / "real.csv"), str(tmp_path / "a.csv"), "--method", "knn"]
    assert main([*line, "--by", "kind"]) == 2
    error = capsys.readouterr().err
    assert "'real.csv': there is no label 'kind' with a value for each sample" in error
    assert "1 of 1" not in error


def test_results_are_never_kept_among_the_checkpoints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["triage", DIGITS, str(tmp_path), "--out", f"{tmp_path}/."]) == 2
    assert "is a folder of checkpoints" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "best"], "methods = "),
        (["--k", "900"], "k must be 1 to 897"),
        (["--goal", "2"], "'2' is neither precision, balanced, recall nor a number from 0 to 1"),
        (["--split", "1"], "'1' is neither a share"),
        (["--seed", "-1"], "not a whole number from 0"),
        (["--seed", str(2**63)], "not a whole number from 0 to 2^63 - 1"),
        (["--metadata", DIGITS], "'digits.npz': not a CSV file"),
        (
            ["--fail-under", "AUC"],
            "'AUC' is no NAME=NUMBER with one of the names score, ceiling, auc",
        ),
        (["--json", "-", "--report", "-"], "both write to standard output"),
        (["--json", "a.txt"], "its name must end in .json"),
        (
            ["--watch", "--scheduler", "tcp://a:1"],
            "--watch and --scheduler can't be given together",
        ),
        (["--best-file", DIGITS], "would take the place of samples"),
        (["--out", DIGITS], "is a file; a folder is needed"),
    ],
)
def test_bad_arguments_are_one_line(
    capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    try:
        status = main(["triage", DIGITS, *MIXTURE, *options])
    except SystemExit as stop:
        status = stop.code
    error = capsys.readouterr().err
    assert status == 2
    assert message in error
    assert error.count("\n") == 1


def test_a_cache_that_can_not_be_written_costs_nothing_but_time(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    np.save(tmp_path / "real.npy", bundled_pair("mixture-em-1").real.values[:60])
    np.save(tmp_path / "gen.npy", bundled_pair("mixture-em-1").generated.values[:60])
    line = ["triage", str(tmp_path / "real.npy"), str(tmp_path / "gen.npy")]
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "file" / "inside"))
    assert main(line) == 0
    found = capsys.readouterr()
    assert len(ranked(found.out)) == 1
    assert "a result can't be kept there" in found.err
    assert main([*line, "--out", str(tmp_path / "file" / "inside")]) == 2
    assert "a result can't be kept there" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_an_exact_copy_of_the_reference_is_called_memorised_first(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    for name in ("real", "held", "good"):
        values = rng.normal(size=(300, 4))
        # features that shuffling takes apart
        values[:, 1:] = 2 * values[:, :1] + 0.3 * values[:, 1:]
        np.save(tmp_path / f"{name}.npy", values)
    np.save(tmp_path / "copy.npy", np.load(tmp_path / "real.npy"))
    real, held, good, copy = (
        str(tmp_path / f"{name}.npy") for name in ("real", "held", "good", "copy")
    )
    report = tmp_path / "report.json"
    page = tmp_path / "report.html"
    line = [
        "triage",
        real,
        good,
        copy,
        "--holdout",
        held,
        "--method",
        "knn,kde",
        "--report",
        str(report),
    ]
    line += ["--report", str(page)]
    assert main(line) == 0
    out = capsys.readouterr().out
    assert out.startswith("Memorised: ")
    assert "copy: 300 exact copies" in out
    assert "300 held-out real samples against 300" in out
    checkpoints = {each["name"]: each for each in json.loads(report.read_text())["checkpoints"]}
    assert checkpoints["copy"]["memorisation"]["memorised"]
    assert not checkpoints["good"]["memorisation"]["memorised"]
    for each in checkpoints.values():
        most = rounded_up(each["at_most"], 4)
        assert most in out
        assert f"at most {most}" in page.read_text()
    assert checkpoints["good"]["share_of_ceiling"]["knn"]["reaches_ceiling"]
    assert "<b>Memorised: copy</b>" in page.read_text()
    assert "nearest: generated row 1, real row 1, distance 0" in out
    for family in json.loads(report.read_text())["rankings"].values():
        best = {each["checkpoint"]: each["best"] for each in family["lines"]}
        assert best == {"copy": None, "good": 1.0}
    assert "Best: copy" not in page.read_text()
    assert page.read_text().count("No other one is left.") == 2  # by each family
    assert main(["triage", "--rerun", str(report)]) == 0
    assert main(["triage", real, good, "--holdout", copy, "--method", "knn"]) == 2
    assert "300 of 300 samples are in the reference too" in capsys.readouterr().err


def test_a_report_says_that_sets_were_cut_so_that_it_is_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = numpy_files(tmp_path, real=(240, 1.0), few=(60, 1.2), many=(150, 1.0))
    report = tmp_path / "report.json"
    assert main(["triage", *files.values(), "--method", "knn", "--report", str(report)]) == 0
    assert "all sets are cut to 60 samples, the size of few" in capsys.readouterr().out
    told = json.loads(report.read_text())
    assert told["settings"]["equal_sizes"]
    assert [each["n"] for each in (told["reference"], *told["checkpoints"])] == [60, 60, 60]
    assert main(["triage", "--rerun", str(report)]) == 0
    assert "numbers equal" in capsys.readouterr().out


def numpy_files(folder: Path, **sets: tuple[int, float]) -> dict[str, str]:
    """Normal samples in four dimensions: by name their number and spread."""
    for seed, (name, (n, spread)) in enumerate(sets.items()):
        np.save(folder / f"{name}.npy", spread * np.random.default_rng(seed).normal(size=(n, 4)))
    return {name: str(folder / f"{name}.npy") for name in sets}


@pytest.mark.verdict
def test_machines_get_json_a_file_and_a_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    at = numpy_files(tmp_path, real=(200, 1.0), narrow=(200, 0.3), good=(200, 1.0))
    line = ["triage", at["real"], at["narrow"], at["good"], "--best-file", str(tmp_path / "best")]
    assert (
        main([*line, "--json", "-", "--fail-under", "AUC=0.5", "--fail-under", "ceiling=0.5"]) == 0
    )
    out, err = capsys.readouterr()
    report = json.loads(out)
    Draft202012Validator.check_schema(schema())
    Draft202012Validator(schema()).validate(report)
    assert {name: report["verdict"][name] for name in ("best", "told_apart", "also")} == {
        "best": "good",
        "told_apart": True,
        "also": [],
    }
    assert report["verdict"]["sentence"] in err
    found = {
        each["name"]: [one["key"] for one in each["findings"]] for each in report["checkpoints"]
    }
    assert "narrow" in found["narrow"]
    assert "narrow" not in found["good"]
    for each in report["checkpoints"]:
        assert set(each["scores"]) == set(VERDICT_METHODS)
        assert each["at_most"] >= min(each["scores"].values())
    assert (tmp_path / "best").read_text() == f"{at['good']}\n"
    assert main([*line, "--method", "knn", "--fail-under", "auc=0.999", "--report", "-"]) == 3
    out, err = capsys.readouterr()
    assert out.startswith("<!doctype html>")
    assert "--fail-under: good has auc 0." in err
    assert "  narrow: Too narrow." in err
    np.save(tmp_path / "copy.npy", np.load(at["real"]))
    assert (
        main(
            [
                "triage",
                at["real"],
                str(tmp_path / "copy.npy"),
                "--method",
                "knn",
                "--fail-under",
                "AUC=0.5",
            ]
        )
        == 3
    )
    assert "copy copies the reference" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.verdict
def test_under_200_samples_nothing_is_ranked_wherever_it_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    at = numpy_files(tmp_path, real=(199, 1.0), narrow=(199, 0.3), good=(199, 1.0))
    page = tmp_path / "report.html"
    table = tmp_path / "report.csv"
    line = ["triage", at["real"], at["narrow"], at["good"]]
    reports = ["--report", str(page), "--report", str(table)]
    assert main([*line, *reports, "--fail-under", "score=0.1"]) == 3
    out, err = capsys.readouterr()
    assert out.startswith("Too few samples to rank. With under 200 samples of a set ")
    assert "so that score is unsure" in err
    said = page.read_text()
    assert "Too few samples to rank. With under 200 samples of a set " in said
    for text in (out, said):
        assert "may be best too" not in text
        assert "Best: " not in text
        assert "nan to" not in text
    assert main([*line, "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema()).validate(report)
    assert not report["verdict"]["told_apart"]
    ranked = report["rankings"]["tightest"]["lines"]
    assert {each["best"] for each in ranked} == {None}
    assert all(each["at_most"] for each in ranked)
    assert not any(each["share_of_ceiling"] for each in report["checkpoints"])


def test_a_schema_refuses_what_is_no_report(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    at = numpy_files(tmp_path, real=(60, 1.0))
    (tmp_path / "broken.npy").write_bytes(b"")
    assert main(["triage", at["real"], str(tmp_path / "broken.npy"), "--json", "-"]) == 2
    report = json.loads(capsys.readouterr().out)
    validator = Draft202012Validator(schema())
    validator.validate(report)
    assert report["verdict"]["best"] is None
    for name, value in (("verdict", {"best": "a"}), ("goal", 2), ("checkpoints", []), ("more", 1)):
        assert list(validator.iter_errors({**report, name: value}))


@pytest.mark.exhaustive
def test_very_different_sizes_are_cut_unless_all_rows_are_wanted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    at = numpy_files(tmp_path, real=(200, 1.0), few=(80, 1.0), many=(190, 1.0))
    line = ["triage", *at.values(), "--k", "3", "--method", "knn"]
    assert main(line) == 0
    out = capsys.readouterr().out
    assert "against 80 samples of real.npy" in out
    assert "all sets are cut to 80 samples, the size of few, as the largest has 200" in out
    assert main([*line, "--json", "-"]) == 0
    flags = json.loads(capsys.readouterr().out)["checkpoints"][0]["flags"]
    cut = next(each for each in flags if each["title"] == "Sets cut")
    assert cut["text"].startswith("the real set is cut to 80 of 200 samples")
    assert main([*line, "--all-rows"]) == 0
    out = capsys.readouterr().out
    assert "against 200 samples of real.npy" in out
    assert "the sets have 80 to 200 samples" in out


@pytest.mark.exhaustive
def test_a_folder_is_watched_and_a_half_written_file_waited_for(tmp_path: Path) -> None:
    at = numpy_files(tmp_path, real=(100, 1.0), whole=(100, 1.0))
    run = tmp_path / "run"
    best = tmp_path / "best"
    run.mkdir()
    np.save(run / "step-1.npy", 0.3 * np.load(at["whole"]))
    data = Path(at["whole"]).read_bytes()
    (run / "step-2.npy").write_bytes(data[:-1000])
    command = [
        sys.executable,
        "-m",
        "prviz",
        "triage",
        at["real"],
        str(run),
        "--watch",
        "--best-file",
        str(best),
    ]
    with subprocess.Popen(
        [*command, "--k", "3", "--method", "knn"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watching:
        said = iter(watching.stderr.readline, "")
        try:
            assert any("step-2.npy: 'step-2.npy': truncated or corrupt" in line for line in said)
            until(best.exists)
            assert best.read_text() == f"{run / 'step-1.npy'}\n"
            (run / "step-2.npy").write_bytes(data)
            until(lambda: best.read_text() == f"{run / 'step-2.npy'}\n")
            watching.send_signal(signal.SIGINT)
            out, _ = watching.communicate(timeout=60)
        finally:
            watching.kill()  # it runs on where the tests' own parent ignores SIGINT
    assert watching.returncode == 0
    assert "Failed" not in out
    assert [len(rows) for rows in map(ranked, out.split("What is wrong:")) if rows] == [1, 2]


def twelve_small_files(folder: Path) -> list[Path]:
    """Checkpoints in the sub-folder "run" of a folder, beside real.npy."""
    (folder / "run").mkdir()
    rng = np.random.default_rng(0)
    np.save(folder / "real.npy", rng.normal(size=(40, 2)))
    paths = [folder / "run" / f"step-{step}.npy" for step in range(12)]
    for path in paths:
        np.save(path, rng.normal(size=(40, 2)))
    return paths


@pytest.mark.thorough
def test_a_watched_folder_is_reported_while_it_is_measured_and_a_file_that_goes_is_not_counted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    written = tmp_path / "found.json"
    paths = twelve_small_files(tmp_path)
    drawn = Counter[str]()
    states = list[tuple[int, int, bool]]()
    write = TriageOutputs.write
    spread_of = ranking.spread_of

    def counted(estimate: Any, *given: Any, **options: Any) -> Any:
        drawn["intervals"] += 1
        return spread_of(estimate, *given, **options)

    def recorded(self: TriageOutputs, *given: Any, **options: Any) -> None:
        write(self, *given, **options)
        found = json.loads(written.read_text())
        states.append((len(found["checkpoints"]), found["total"], found["complete"]))

    steps = iter(
        (
            lambda: time.sleep(1.05),
            paths[3].unlink,
            lambda: [path.unlink(missing_ok=True) for path in paths],
        )
    )

    def wait(_: float) -> None:
        if (step := next(steps, None)) is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(TriageOutputs, "write", recorded)
    monkeypatch.setattr(ranking, "spread_of", counted)
    monkeypatch.setattr(
        "prviz.cli.triage.time", SimpleNamespace(sleep=wait, monotonic=time.monotonic)
    )
    line = [
        "triage",
        str(tmp_path / "real.npy"),
        str(run),
        "--watch",
        "--method",
        "knn",
        "--json",
        str(written),
    ]
    assert main([*line, "--out", str(tmp_path / "out")]) == 2
    assert states == [(4, 12, False), (8, 12, False), (12, 12, True), (11, 11, True)]
    assert drawn["intervals"] == 12  # each checkpoint's once, however often it is reported
    said = capsys.readouterr()
    assert "and 11 more files: still being written" in said.err
    assert "4 of 12 measured so far" in said.err
    assert "no checkpoint is left" in said.err
    assert [len(rows) for rows in map(ranked, said.out.split("What is wrong:")) if rows] == [12, 11]


@pytest.mark.exhaustive
def test_slow_files_of_a_watched_folder_are_reported_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before there are as many as else make a report."""
    twelve_small_files(tmp_path)
    counts = list[int]()
    write = TriageOutputs.write

    def recorded(self: TriageOutputs, found: TriageResults, *given: Any, **options: Any) -> None:
        write(self, found, *given, **options)
        counts.append(len(found.outcomes))
        if len(counts) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(TriageOutputs, "write", recorded)
    monkeypatch.setattr("prviz.cli.triage._PERIOD", 0.0)
    monkeypatch.setattr("prviz.cli.triage._WRITINGS", 0.0)
    line = ["triage", str(tmp_path / "real.npy"), str(tmp_path / "run"), "--watch"]
    assert main([*line, "--method", "knn", "--out", str(tmp_path / "out")]) == 0
    assert counts == [1, 2, 3]


@pytest.mark.exhaustive
def test_a_file_that_goes_while_others_are_measured_is_not_counted_until_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    written = tmp_path / "found.json"
    paths = twelve_small_files(tmp_path)
    states = list[tuple[int, int]]()
    measured = list[str]()
    write = TriageOutputs.write
    outcome = CheckpointEvaluator.outcome

    def recorded(self: TriageOutputs, *given: Any, **options: Any) -> None:
        write(self, *given, **options)
        found = json.loads(written.read_text())
        states.append((len(found["checkpoints"]), found["total"]))

    def measure(
        self: CheckpointEvaluator, checkpoint: Checkpoint, progress: Any
    ) -> CheckpointOutcome:
        measured.append(checkpoint.name)
        if len(measured) == 6:
            paths[0].unlink()
        return outcome(self, checkpoint, progress)

    waits = iter([1.05])

    def wait(_: float) -> None:
        time.sleep(next(waits, 0.0))
        if states and states[-1][0] == states[-1][1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(TriageOutputs, "write", recorded)
    monkeypatch.setattr(CheckpointEvaluator, "outcome", measure)
    # between two looks at the files of the last report
    monkeypatch.setattr("prviz.cli.triage.PAUSE", 0.0)
    monkeypatch.setattr(
        "prviz.cli.triage.time", SimpleNamespace(sleep=wait, monotonic=time.monotonic)
    )
    line = [
        "triage",
        str(tmp_path / "real.npy"),
        str(run),
        "--watch",
        "--method",
        "knn",
        "--json",
        str(written),
    ]
    assert main([*line, "--out", str(tmp_path / "out")]) == 0
    # 4, then 3 of them before the portion that was begun is measured
    assert states == [(4, 12), (3, 11), (7, 11), (11, 11)]
    assert len(measured) == 13  # the one that was interrupted, once more


@pytest.mark.exhaustive
def test_a_generator_without_sevens_has_them_at_the_top(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with np.load(DIGITS) as archive:
        features = archive["features"]
        digit = archive["digit"]
    order = np.random.default_rng(0).permutation(len(digit))
    real = order[:500]
    others = order[500:1000]
    np.savez(tmp_path / "real.npz", features=features[real], digit=digit[real])
    np.save(tmp_path / "without.npy", features[others[digit[others] != 7]])
    line = [
        "triage",
        str(tmp_path / "real.npz"),
        str(tmp_path / "without.npy"),
        "--key",
        "features",
    ]
    assert main([*line, "--method", "knn", "--by", "digit", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    Draft202012Validator(schema()).validate(report)
    first = report["checkpoints"][0]["classes"][0]
    assert (first["label"], first["worse"]) == ("7", True)
    assert "without by class, the worst first: 1 of " in err
    assert main([*line, "--method", "knn", "--by", "colour"]) == 2
    assert "'real.npz': there is no label 'colour'" in capsys.readouterr().err


def test_labels_that_do_not_meet_are_a_note_and_a_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(80, 3))
    names = np.repeat(["cat", "dog"], 40)
    np.savez(tmp_path / "real.npz", x=values, label=names)
    np.savez(tmp_path / "numbers.npz", x=values[::-1] + 0.1, label=np.repeat([0, 1], 40))
    line = [
        "triage",
        str(tmp_path / "real.npz"),
        str(tmp_path / "numbers.npz"),
        "--out",
        str(tmp_path / "kept"),
    ]
    assert main([*line, "--method", "knn", "--by", "label"]) == 1
    said = capsys.readouterr().out
    assert (
        "numbers is not compared class by class: no label of numbers.npz is in real.npz: '0', '1' "
        "against" in said
    )
    assert "by class, the worst first" not in said


@pytest.mark.exhaustive
def test_folders_of_pictures_name_the_command_that_does_it_all(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run as it is printed it embeds both by one encoder, that of the reference where its file
    names it.
    """
    rng = np.random.default_rng(0)
    for folder in ("real pictures", "models/m 1", "models/m2"):
        (tmp_path / folder).mkdir(parents=True)
        for number in range(30):
            pixels = rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / folder / f"{number}.png")
    monkeypatch.chdir(tmp_path)
    assert (
        main(["embed", "real pictures", "-o", "real.npy.safetensors", "--encoder", "pixels:4"]) == 0
    )
    pictures = "prviz triage 'real pictures' models --encoder pixels:32"
    features = "prviz triage real.npy.safetensors models --encoder pixels:4"
    for reference, command, end in (
        ("real pictures", pictures, " (prviz embed --list shows other encoders)\n"),
        ("real.npy.safetensors", features, "\n"),
    ):
        capsys.readouterr()
        assert main(["triage", reference, "models"]) == 2
        error = capsys.readouterr().err
        assert error.endswith(command + end)
        assert main([*shlex.split(command)[1:], "--method", "knn"]) == 0
        out = capsys.readouterr().out
        assert re.search(r"^ +1  m", out, re.M), out
        assert "m 1" in out
        assert "m2" in out
    assert "embed the pictures first: prviz embed models -o DIR --each --encoder ENCODER" in error
    np.save("plain.npy", rng.normal(size=(30, 48)))
    assert main(["triage", "plain.npy", "models"]) == 2
    assert (
        "prviz triage plain.npy models --encoder ENCODER, the one that made plain.npy\n"
        in capsys.readouterr().err
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["words", "numbers"])
def test_a_column_that_classes_are_told_by_is_no_feature(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    bare = []
    for name, counts in (("real", (80, 80, 80)), ("made", (120, 120, 0))):
        group = np.repeat([0, 1, 2], counts)
        frame = pd.DataFrame(
            rng.normal(size=(240, 3)) + 4 * group[:, None], columns=["age", "rate", "size"]
        )
        frame.to_csv(tmp_path / f"{name}_bare.csv", index=False)
        bare.append(str(tmp_path / f"{name}_bare.csv"))
        number = group.astype(float if name == "made" else int)  # as pandas has them beside gaps
        frame["habitat"] = np.array(["wood", "lake", ""])[group] if kind == "words" else number
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    assert main(["triage", *bare, "--method", "knn", "--json", str(tmp_path / "bare.json")]) == 0
    line = [str(tmp_path / "real.csv"), str(tmp_path / "made.csv"), "--by", "habitat"]
    capsys.readouterr()
    assert main(["triage", *line, "--method", "knn", "--json", str(tmp_path / "by.json")]) == 0
    named = {"words": "without a label", "numbers": "2"}[kind]
    assert f"{named}: 80 real, none generated" in capsys.readouterr().out
    found, right = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("by", "bare"))
    assert found["reference"]["d"] == 3
    assert found["checkpoints"][0]["families"] == right["checkpoints"][0]["families"]
    assert main(["triage", "--rerun", str(tmp_path / "by.json")]) == 0


def test_a_memory_limit_below_the_default_gives_large_arrays_back_as_soon_as_they_are_freed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr("prviz.cli.triage.return_large_arrays", lambda: called.append("yes"))
    for name in ("real", "one"):
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(len(name)).normal(size=(20, 2)))
    line = ["triage", str(tmp_path / "real.npy"), str(tmp_path / "one.npy"), "--method", "knn"]
    assert main([*line, "--out", str(tmp_path / "kept")]) == 0
    assert called == []
    assert main([*line, "--out", str(tmp_path / "kept"), "--memory-limit", "60MB"]) == 0
    assert called == ["yes"]
