"""``prviz triage``: the ranking, the failed files with reasons, and the cost of a second run."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from PIL import Image

import prviz
from prviz.cli.triage_outputs import TriageOutputs
from prviz.curves.summaries import rounded_up
from prviz.estimators import VERDICT_METHODS
from prviz.readers import read
from prviz.readers.paths import data_folder
from prviz.reports.document import schema
from prviz.triage import ranking
from prviz.triage.inputs import Checkpoint, checkpoints_of, folder_of_parts
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import CheckpointOutcome, TriageSettings
from tests.cli.commands import KNN, Output, Refused, Run, numpy_files
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
def test_the_bundled_mixture_is_ranked_by_its_iterations(run: Run, tmp_path: Path) -> None:
    options = [*KNN, "--out", tmp_path / "out"]
    first = run("triage", DIGITS, *MIXTURE, *options)
    rows = ranked(first.out)
    assert [row[:3] for row in rows] == [
        [str(place), f"mixture-em-{step}", step]
        for place, step in enumerate(("20", "5", "2", "1"), start=1)
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
    second = run("triage", DIGITS, *MIXTURE[::-1], *options)
    assert second.out == first.out
    assert second.err.count("(kept)") == 4
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir()} == kept


def test_a_folder_with_broken_files_is_ranked_without_them(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (folder / "older").mkdir(parents=True)
    draw = np.random.default_rng(0).standard_normal
    for name, values in {
        "real": draw((120, 3)),
        "iter-1k": draw((120, 3)) + 1.5,
        "iter-20k": draw((100, 3)),
        "iter-3k": draw((120, 4)),
        "older/iter-9k": draw((100, 3)),
    }.items():
        np.save(folder / f"{name}.npy", values)
    (folder / "iter-4k.npy").write_bytes(b"\x93NUMPY\x01\x00 broken")
    (folder / "notes.txt").write_text("")
    (folder / "about.csv").write_text("file,step\niter-1k.npy,1\niter-20k,9\n")
    line = ("triage", folder / "real.npy", folder, "--metadata", folder / "about.csv")
    options = ("--method", "knn,coverage", "--k", "4", "--split", "none", "--goal", "recall")
    out = run(*line, *options, status=1).out
    assert [row[1:3] for row in ranked(out)] == [["iter-20k", "9"], ["iter-1k", "1"]]
    for text in (
        "k = 4, against 120 samples of real.npy; best first for the goal 1 (recall)",
        "the sets have 100 to 120 samples",
        "1 file is left out, as names of samples end in .npy",
        "'notes.txt'",
        "in folders of a folder are left out, unless these are named too: 'older'",
    ):
        assert out.count(text) == 1
    failed = out[out.index("Failed, 2 of 4:") :].splitlines()[1:]
    assert [text.split(": ", 1)[0].strip() for text in failed] == [
        str(folder / f"iter-{n}k.npy") for n in (3, 4)
    ]
    assert "generated ones have 4" in failed[0]
    assert "corrupt" in failed[1]
    # by two families: two checkpoints, ceiling, floor; copies, faults, findings, witnesses of both,
    # replicates of them and the ceiling
    assert len(list((tmp_path / "cache").iterdir())) == 19
    out = run(*line, "--equal-sizes", "--seed", "3", status=1).out
    assert "against 100 samples of real.npy" in out
    assert "the sets have" not in out


def test_nothing_that_can_be_read_is_status_2_with_the_reasons(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m.npy").write_bytes(b"")
    out = run("triage", DIGITS, tmp_path, tmp_path / "gone.npy", status=2).out
    assert out.startswith("Failed, 2 of 2:")
    assert "\x1b" not in out
    assert "empty (0 bytes)" in out
    assert "No such file" in out


def test_a_failure_has_the_lines_that_convert_the_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "frames.npy"
    draw = np.random.default_rng(0).standard_normal
    np.save(file, draw((200, 4, 16)))
    np.save(tmp_path / "flat.npy", draw(900))
    out = run("triage", DIGITS, tmp_path, status=2).out
    first, *recipe = out.strip().partition(f"{file}: ")[2].splitlines()
    assert first.endswith(":")
    exec("\n".join(recipe), {})
    assert len(list(tmp_path.iterdir())) == 3


def test_a_reference_in_parts_ranks_and_is_measured_again(
    run: Run, refused: Refused, tmp_path: Path
) -> None:
    parts = tmp_path / "parts"
    *_, checkpoint = numpy_files(
        tmp_path, **{"parts/emb_0": (60, 1.0), "parts/emb_1": (60, 1.0), "a": (80, 1.2)}
    ).values()
    (parts / "below").mkdir()
    report = tmp_path / "r.json"
    assert (
        "against 120 samples of parts;"
        in run("triage", parts, checkpoint, *KNN, "--report", report).out
    )
    run("triage", "--rerun", report)
    assert "or embed folders of pictures" in refused("triage", parts / "below", checkpoint)


def test_a_link_to_another_checkpoint_is_said(run: Run, tmp_path: Path) -> None:
    files = numpy_files(tmp_path, real=(120, 1.0), step1=(120, 1.0), step2=(120, 1.0)).values()
    assert "the same samples as" not in run("triage", *files, *KNN).out
    (tmp_path / "latest.npy").symlink_to("step2.npy")
    out = " ".join(run("triage", *files, tmp_path / "latest.npy", *KNN).out.split())
    assert re.search(r"(step2|latest) holds the same samples as (latest|step2)", out)


def test_a_holdout_of_another_encoder_is_called_the_holdout(
    refused: Refused, tmp_path: Path
) -> None:
    holdout = numpy_files(tmp_path, held=(120, 1.0))["held"]
    error = refused("triage", *MIXTURE[:2], *KNN, "--holdout", holdout)
    assert "holdout: its samples have 4 features, those of the reference" in error


def test_folders_of_parts_are_remarked_with_what_joins_them(run: Run, tmp_path: Path) -> None:
    parts = ("early/gpu0", "early/gpu1", "late/img_emb_0", "late/img_emb_1", "early-1", "early-2")
    real, *files = numpy_files(
        tmp_path, real=(120, 1.0), **dict.fromkeys(parts, (60, 1.0))
    ).values()
    early, late = (str(tmp_path / name) for name in ("early", "late"))
    assert str(folder_of_parts([late])) == late
    said = run("triage", real, early, late, *KNN).out
    (joining,) = re.findall(r"join them: (numpy\.save\(.*\))", said)
    exec(joining, {"numpy": np, "prviz": prviz})
    rows = np.concatenate([np.load(path) for path in files[:2]])
    np.testing.assert_array_equal(np.load(f"{early}.npy"), rows)
    assert "join them" not in run("triage", real, *files[4:], f"{early}.npy", *KNN).out


def test_closed_outputs_are_no_error(tmp_path: Path) -> None:
    best = tmp_path / "best"
    line = ["triage", *MIXTURE[:2], *KNN, "--best-file", str(best)]
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
    refused: Refused,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    option: str,
    name: str,
    named: str,
) -> None:
    """An output among the checkpoints is none of them, and so nothing else would see it."""
    folder = tmp_path / "runs"
    real, made = numpy_files(tmp_path, **{"real": (120, 1.0), "runs/a": (120, 1.2)}).values()
    table = pd.DataFrame(np.load(made), columns=list("xyzu"))
    table.to_csv(folder / "b.csv", index=False)
    table.to_parquet(folder / "c.parquet")
    before = (folder / name).read_bytes()
    there = [folder] if named == "folder" else sorted(folder.iterdir())
    monkeypatch.chdir(folder)
    error = refused("triage", real, *there, *KNN, option, name)
    assert f"{name}' would take the place of samples" in error
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("name", ["report.csv", "report.parquet"])
def test_an_earlier_report_among_the_checkpoints_is_written_anew(
    run: Run, tmp_path: Path, name: str
) -> None:
    real, made = numpy_files(tmp_path, **{"real": (120, 1.0), "runs/a": (120, 1.2)}).values()
    for _ in range(2):
        run("triage", real, made.parent, *KNN, "--report", made.with_name(name))


def test_long_names_are_cut_where_they_stay_different(run: Run, tmp_path: Path) -> None:
    names = ["long" * 40 + "-a", "long" * 40 + "-b"]
    # two that are different in the middle alone stay whole
    names += ["same" * 20 + middle + "same" * 20 for middle in "ab"]
    sizes = (300, 100, 300, 300)
    real, *files = numpy_files(
        tmp_path, real=(300, 1.0), **{name: (n, 1.0) for name, n in zip(names, sizes, strict=True)}
    ).values()
    out, _, notes = run("triage", real, *files[:2], *KNN).out.partition("\n\nNote: ")
    assert "long" * 20 not in out
    assert f"the size of {'long' * 40}-b" in notes  # notes may have code with paths
    assert {row[1][-2:] for row in ranked(out)} == {"-a", "-b"}
    assert max(map(len, out[out.index("      checkpoint") :].splitlines()[:3])) < 160
    assert "same" * 20 + "a" in run("triage", real, *files[2:], *KNN).out


def test_a_label_that_is_not_there_is_said_before_the_work(
    refused: Refused, tmp_path: Path
) -> None:
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((120, 3)), columns=list("xyz"))
    files = [tmp_path / "real.csv", tmp_path / "a.csv"]
    for file in files:
        table.assign(label="p").to_csv(file, index=False)
    error = refused("triage", *files, *KNN, "--by", "kind")
    assert "'real.csv': there is no label 'kind' with a value for each sample" in error


def test_results_are_never_kept_among_the_checkpoints(refused: Refused, tmp_path: Path) -> None:
    error = refused("triage", DIGITS, tmp_path, "--out", f"{tmp_path}/.")
    assert "is a folder of checkpoints" in error


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
def test_bad_arguments_are_one_line(refused: Refused, options: list[str], message: str) -> None:
    assert message in refused("triage", DIGITS, *MIXTURE, *options)


def test_a_cache_that_can_not_be_written_costs_nothing_but_time(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    files = numpy_files(tmp_path, real=(60, 1.0), gen=(60, 1.2)).values()
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "file" / "inside"))
    found = run("triage", *files)
    assert len(ranked(found.out)) == 1
    refused = run("triage", *files, "--out", tmp_path / "file" / "inside", status=2)
    for each in (found, refused):
        assert "a result can't be kept there" in each.err


@pytest.mark.exhaustive
def test_an_exact_copy_of_the_reference_is_called_memorised_first(
    run: Run, refused: Refused, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    real, held, good, copy = (tmp_path / f"{name}.npy" for name in ("real", "held", "good", "copy"))
    for path in (real, held, good):
        values = rng.normal(size=(300, 4))
        # features that shuffling takes apart
        values[:, 1:] = 2 * values[:, :1] + 0.3 * values[:, 1:]
        np.save(path, values)
    copy.write_bytes(real.read_bytes())
    reports = [tmp_path / "report.json", tmp_path / "report.html"]
    options = [part for path in reports for part in ("--report", path)]
    line = ("triage", real, good, copy, "--holdout", held, "--method", "knn,kde")
    out = run(*line, *options).out
    assert out.startswith("Memorised: ")
    assert "copy: 300 exact copies" in out
    assert "300 held-out real samples against 300" in out
    assert "nearest: generated row 1, real row 1, distance 0" in out
    report = json.loads(reports[0].read_text())
    page = reports[1].read_text()
    checkpoints = {each["name"]: each for each in report["checkpoints"]}
    assert {name: each["memorisation"]["memorised"] for name, each in checkpoints.items()} == {
        "copy": True,
        "good": False,
    }
    for each in checkpoints.values():
        most = rounded_up(each["at_most"], 4)
        assert most in out
        assert f"at most {most}" in page
    assert checkpoints["good"]["share_of_ceiling"]["knn"]["reaches_ceiling"]
    for family in report["rankings"].values():
        best = {each["checkpoint"]: each["best"] for each in family["lines"]}
        assert best == {"copy": None, "good": 1.0}
    assert "<b>Memorised: copy</b>" in page
    assert "Best: copy" not in page
    assert page.count("No other one is left.") == 2  # by each family
    run("triage", "--rerun", reports[0])
    error = refused("triage", real, good, "--holdout", copy, *KNN)
    assert "300 of 300 samples are in the reference too" in error


def test_a_report_says_that_sets_were_cut_so_that_it_is_repeated(run: Run, tmp_path: Path) -> None:
    files = numpy_files(tmp_path, real=(240, 1.0), few=(60, 1.2), many=(150, 1.0)).values()
    report = tmp_path / "report.json"
    out = run("triage", *files, *KNN, "--report", report).out
    assert "all sets are cut to 60 samples, the size of few, as the largest has 240" in out
    told = json.loads(report.read_text())
    assert told["settings"]["equal_sizes"]
    assert [each["n"] for each in (told["reference"], *told["checkpoints"])] == [60, 60, 60]
    assert "numbers equal" in run("triage", "--rerun", report).out


def report_of(text: str) -> dict[str, Any]:
    """The report in this text, as the schema wants it."""
    report: dict[str, Any] = json.loads(text)
    Draft202012Validator(schema()).validate(report)
    return report


@pytest.mark.verdict
def test_machines_get_json_a_file_and_a_status(run: Run, tmp_path: Path) -> None:
    Draft202012Validator.check_schema(schema())
    at = numpy_files(tmp_path, real=(200, 1.0), narrow=(200, 0.3), good=(200, 1.0))
    line = ("triage", *at.values(), "--best-file", tmp_path / "best")
    out, err = run(*line, "--json", "-", "--fail-under", "AUC=0.5", "--fail-under", "ceiling=0.5")
    report = report_of(out)
    assert {name: report["verdict"][name] for name in ("best", "told_apart", "also")} == {
        "best": "good",
        "told_apart": True,
        "also": [],
    }
    assert report["verdict"]["sentence"] in err
    for each in report["checkpoints"]:
        keys = {one["key"] for one in each["findings"]}
        assert ("narrow" in keys) == (each["name"] == "narrow")
        assert set(each["scores"]) == set(VERDICT_METHODS)
        assert each["at_most"] >= min(each["scores"].values())
    assert (tmp_path / "best").read_text() == f"{at['good']}\n"
    out, err = run(*line, *KNN, "--fail-under", "auc=0.999", "--report", "-", status=3)
    assert out.startswith("<!doctype html>")
    assert "--fail-under: good has auc 0." in err
    assert "  narrow: Too narrow." in err
    copy = tmp_path / "copy.npy"
    copy.write_bytes(at["real"].read_bytes())
    err = run("triage", at["real"], copy, *KNN, "--fail-under", "AUC=0.5", status=3).err
    assert "copy copies the reference" in err


@pytest.mark.thorough
@pytest.mark.verdict
def test_under_200_samples_nothing_is_ranked_wherever_it_is_said(run: Run, tmp_path: Path) -> None:
    at = numpy_files(tmp_path, real=(199, 1.0), narrow=(199, 0.3), good=(199, 1.0))
    page = tmp_path / "report.html"
    line = ("triage", *at.values())
    reports = ("--report", page, "--report", tmp_path / "report.csv")
    out, err = run(*line, *reports, "--fail-under", "score=0.1", status=3)
    few = "Too few samples to rank. With under 200 samples of a set "
    assert out.startswith(few)
    assert "so that score is unsure" in err
    for text in (out, page.read_text()):
        assert few in text
        assert "may be best too" not in text
        assert "Best: " not in text
        assert "nan to" not in text
    report = report_of(run(*line, "--json", "-").out)
    assert not report["verdict"]["told_apart"]
    ranked = report["rankings"]["tightest"]["lines"]
    assert {each["best"] for each in ranked} == {None}
    assert all(each["at_most"] for each in ranked)
    assert not any(each["share_of_ceiling"] for each in report["checkpoints"])


def test_a_schema_refuses_what_is_no_report(run: Run, tmp_path: Path) -> None:
    real = numpy_files(tmp_path, real=(60, 1.0))["real"]
    (tmp_path / "broken.npy").write_bytes(b"")
    report = report_of(run("triage", real, tmp_path / "broken.npy", "--json", "-", status=2).out)
    assert report["verdict"]["best"] is None
    for name, value in (("verdict", {"best": "a"}), ("goal", 2), ("checkpoints", []), ("more", 1)):
        assert list(Draft202012Validator(schema()).iter_errors({**report, name: value}))


@pytest.mark.exhaustive
def test_very_different_sizes_are_cut_unless_all_rows_are_wanted(run: Run, tmp_path: Path) -> None:
    at = numpy_files(tmp_path, real=(200, 1.0), few=(80, 1.0), many=(190, 1.0))
    line = ("triage", *at.values(), "--k", "3", *KNN)
    flags = json.loads(run(*line, "--json", "-").out)["checkpoints"][0]["flags"]
    cut = next(each for each in flags if each["title"] == "Sets cut")
    assert cut["text"].startswith("the real set is cut to 80 of 200 samples")
    out = run(*line, "--all-rows").out
    assert "against 200 samples of real.npy" in out
    assert "the sets have 80 to 200 samples" in out


@pytest.mark.exhaustive
def test_a_folder_is_watched_and_a_half_written_file_waited_for(tmp_path: Path) -> None:
    at = numpy_files(tmp_path, real=(100, 1.0), whole=(100, 1.0))
    folder = tmp_path / "run"
    best = tmp_path / "best"
    folder.mkdir()
    np.save(folder / "step-1.npy", 0.3 * np.load(at["whole"]))
    data = at["whole"].read_bytes()
    (folder / "step-2.npy").write_bytes(data[:-1000])
    line = ("triage", at["real"], folder, "--watch", "--best-file", best, "--k", "3", *KNN)
    with subprocess.Popen(
        [sys.executable, "-m", "prviz", *map(str, line)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watching:
        said = iter(watching.stderr.readline, "")
        try:
            assert any("step-2.npy: 'step-2.npy': truncated or corrupt" in line for line in said)
            until(best.exists)
            assert best.read_text() == f"{folder / 'step-1.npy'}\n"
            (folder / "step-2.npy").write_bytes(data)
            until(lambda: best.read_text() == f"{folder / 'step-2.npy'}\n")
            watching.send_signal(signal.SIGINT)
            out, _ = watching.communicate(timeout=60)
        finally:
            watching.kill()  # it runs on where the tests' own parent ignores SIGINT
    assert watching.returncode == 0
    assert "Failed" not in out
    assert [len(rows) for rows in map(ranked, out.split("What is wrong:")) if rows] == [1, 2]


@pytest.fixture
def twelve(tmp_path: Path) -> list[Path]:
    """Small checkpoints in the sub-folder "run", beside real.npy."""
    (tmp_path / "run").mkdir()
    rng = np.random.default_rng(0)
    paths = [tmp_path / "run" / f"step-{step}.npy" for step in range(12)]
    for path in (tmp_path / "real.npy", *paths):
        np.save(path, rng.normal(size=(40, 2)))
    return paths


Reports = list[tuple[int, int, bool]]


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reports:
    """Of each report of found.json: the number of checkpoints, of those in all, and whether that
    is all.
    """
    states: Reports = []
    write = TriageOutputs.write

    def recorded(self: TriageOutputs, *given: Any, **options: Any) -> None:
        write(self, *given, **options)
        found = json.loads((tmp_path / "found.json").read_text())
        states.append((len(found["checkpoints"]), found["total"], found["complete"]))

    monkeypatch.setattr(TriageOutputs, "write", recorded)
    return states


Watch = Callable[..., Output]


@pytest.fixture
def watch(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Watch the twelve files with this in place of each pause."""

    def watched(wait: Callable[[float], None], *, status: int = 0) -> Output:
        monkeypatch.setattr(
            "prviz.cli.triage.time", SimpleNamespace(sleep=wait, monotonic=time.monotonic)
        )
        line = ("triage", tmp_path / "real.npy", tmp_path / "run", "--watch", *KNN)
        written = ("--json", tmp_path / "found.json", "--out", tmp_path / "out")
        return run(*line, *written, status=status)

    return watched


@pytest.mark.thorough
def test_a_watched_folder_is_reported_while_it_is_measured_and_a_file_that_goes_is_not_counted_again(
    twelve: list[Path], reports: Reports, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = list[int]()
    spread_of = ranking.spread_of

    def counted(*given: Any, **options: Any) -> Any:
        drawn.append(1)
        return spread_of(*given, **options)

    monkeypatch.setattr(ranking, "spread_of", counted)
    steps = iter(
        (
            lambda: time.sleep(1.05),
            twelve[3].unlink,
            lambda: [path.unlink(missing_ok=True) for path in twelve],
        )
    )

    def wait(_: float) -> None:
        if (step := next(steps, None)) is None:
            raise KeyboardInterrupt
        step()

    said = watch(wait, status=2)
    assert reports == [(4, 12, False), (8, 12, False), (12, 12, True), (11, 11, True)]
    assert len(drawn) == 12  # each checkpoint's once, however often it is reported
    assert "and 11 more files: still being written" in said.err
    assert "4 of 12 measured so far" in said.err
    assert "no checkpoint is left" in said.err
    assert [len(rows) for rows in map(ranked, said.out.split("What is wrong:")) if rows] == [12, 11]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("twelve")
def test_slow_files_of_a_watched_folder_are_reported_in_time(
    reports: Reports, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before there are as many as else make a report."""
    monkeypatch.setattr("prviz.cli.triage._PERIOD", 0.0)
    monkeypatch.setattr("prviz.cli.triage._WRITINGS", 0.0)
    write = TriageOutputs.write

    def third_is_last(*given: Any, **options: Any) -> None:
        write(*given, **options)
        if len(reports) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(TriageOutputs, "write", third_is_last)
    watch(time.sleep)
    assert [count for count, *_ in reports] == [1, 2, 3]


@pytest.mark.exhaustive
def test_a_file_that_goes_while_others_are_measured_is_not_counted_until_they_are(
    twelve: list[Path], reports: Reports, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = list[str]()
    outcome = CheckpointEvaluator.outcome

    def measure(
        self: CheckpointEvaluator, checkpoint: Checkpoint, progress: Any
    ) -> CheckpointOutcome:
        measured.append(checkpoint.name)
        if len(measured) == 6:
            twelve[0].unlink()
        return outcome(self, checkpoint, progress)

    waits = iter([1.05])

    def wait(_: float) -> None:
        time.sleep(next(waits, 0.0))
        if reports and reports[-1][0] == reports[-1][1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(CheckpointEvaluator, "outcome", measure)
    # between two looks at the files of the last report
    monkeypatch.setattr("prviz.cli.triage.PAUSE", 0.0)
    watch(wait)
    # 4, then 3 of them before the portion that was begun is measured
    assert [each[:2] for each in reports] == [(4, 12), (3, 11), (7, 11), (11, 11)]
    assert len(measured) == 13  # the one that was interrupted, once more


@pytest.mark.exhaustive
def test_a_generator_without_sevens_has_them_at_the_top(run: Run, tmp_path: Path) -> None:
    with np.load(DIGITS) as archive:
        features = archive["features"]
        digit = archive["digit"]
    order = np.random.default_rng(0).permutation(len(digit))
    real = order[:500]
    others = order[500:1000]
    files = [tmp_path / "real.npz", tmp_path / "without.npy"]
    np.savez(files[0], features=features[real], digit=digit[real])
    np.save(files[1], features[others[digit[others] != 7]])
    line = ("triage", *files, "--key", "features", *KNN)
    out, err = run(*line, "--by", "digit", "--json", "-")
    first = report_of(out)["checkpoints"][0]["classes"][0]
    assert (first["label"], first["worse"]) == ("7", True)
    assert "without by class, the worst first: 1 of " in err


def test_labels_that_do_not_meet_are_a_note_and_a_status(run: Run, tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(80, 3))
    files = [tmp_path / "real.npz", tmp_path / "numbers.npz"]
    np.savez(files[0], x=values, label=np.repeat(["cat", "dog"], 40))
    np.savez(files[1], x=values[::-1] + 0.1, label=np.repeat([0, 1], 40))
    said = run("triage", *files, *KNN, "--by", "label", status=1).out
    assert (
        "numbers is not compared class by class: no label of numbers.npz is in real.npz: '0', '1' "
        "against" in said
    )
    assert "by class, the worst first" not in said


@pytest.mark.exhaustive
def test_folders_of_pictures_name_the_command_that_does_it_all(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    run("embed", "real pictures", "-o", "real.npy.safetensors", "--encoder", "pixels:4")
    pictures = "prviz triage 'real pictures' models --encoder pixels:32"
    features = "prviz triage real.npy.safetensors models --encoder pixels:4"
    for reference, command, end in (
        ("real pictures", pictures, " (prviz embed --list shows other encoders)\n"),
        ("real.npy.safetensors", features, "\n"),
    ):
        error = run("triage", reference, "models", status=2).err
        assert error.endswith(command + end)
        out = run(*shlex.split(command)[1:], *KNN).out
        assert re.search(r"^ +1  m", out, re.M), out
        assert "m 1" in out
        assert "m2" in out
    assert "embed the pictures first: prviz embed models -o DIR --each --encoder ENCODER" in error
    np.save("plain.npy", rng.normal(size=(30, 48)))
    assert (
        "prviz triage plain.npy models --encoder ENCODER, the one that made plain.npy\n"
        in run("triage", "plain.npy", "models", status=2).err
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["words", "numbers"])
def test_a_column_that_classes_are_told_by_is_no_feature(
    kind: str, run: Run, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    for name, counts in (("real", (80, 80, 80)), ("made", (120, 120, 0))):
        group = np.repeat([0, 1, 2], counts)
        values = rng.normal(size=(240, 3)) + 4 * group[:, None]
        frame = pd.DataFrame(values, columns=["age", "rate", "size"])
        frame.to_csv(tmp_path / f"{name}_bare.csv", index=False)
        number = group.astype(float if name == "made" else int)  # as pandas has them beside gaps
        frame["habitat"] = np.array(["wood", "lake", ""])[group] if kind == "words" else number
        frame.to_csv(tmp_path / f"{name}.csv", index=False)

    def triaged(end: str, *options: str) -> tuple[Any, str]:
        """Report and output on the files whose names end so."""
        report = tmp_path / f"report{end}.json"
        files = [tmp_path / f"{name}{end}.csv" for name in ("real", "made")]
        out = run("triage", *files, *KNN, *options, "--json", report).out
        return json.loads(report.read_text()), out

    right, _ = triaged("_bare")
    found, out = triaged("", "--by", "habitat")
    named = {"words": "without a label", "numbers": "2"}[kind]
    assert f"{named}: 80 real, none generated" in out
    assert found["reference"]["d"] == 3
    assert found["checkpoints"][0]["families"] == right["checkpoints"][0]["families"]
    run("triage", "--rerun", tmp_path / "report.json")


def test_a_memory_limit_below_the_default_gives_large_arrays_back_as_soon_as_they_are_freed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr("prviz.cli.triage.return_large_arrays", lambda: called.append("yes"))
    line = ("triage", *numpy_files(tmp_path, real=(20, 1.0), one=(20, 1.0)).values(), *KNN)
    run(*line)
    assert called == []
    run(*line, "--memory-limit", "60MB")
    assert called == ["yes"]
