"""The command line, run as a person runs it: arguments in; output, files and exit status out."""

from __future__ import annotations

import contextlib
import csv
import gc
import io
import json
import os
import pty
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tarfile
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, expect

import prviz
from prviz.cli import curve as curve_command, main as main_module
from prviz.cli.curve import NO_AREAS
from prviz.cli.main import main
from prviz.cli.terminal import memory_size, watched
from prviz.curves.summaries import rounded_up, summaries
from prviz.diagnostics.named_columns import share_text
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, VERDICT_METHODS
from prviz.neighbors import Distances
from prviz.readers.paths import PICTURES_VARIABLE, served_folder
from prviz.samples import SamplePair
from tests.browser import (
    ROOT,
    AppServer,
    Tab,
    free_port,
    open_tab,
    running_app,
    visit,
    wait_healthy,
)
from tests.cli.commands import KNN, Refused, Run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A real and a generated set of 60 and 50 points; the generated one misses half of the real
    one.
    """
    rng = np.random.default_rng(0)
    real = rng.normal(size=(60, 3)) + 6 * (np.arange(60) % 2)[:, None] + 20  # the norms are alike
    generated = rng.normal(size=(50, 3)) + 20
    np.save(tmp_path / "real.npy", real)
    np.save(tmp_path / "generated.npy", generated)
    return tmp_path / "real.npy", tmp_path / "generated.npy"


@pytest.fixture(autouse=True)
def _quick_areas(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What remains without what gives the samples away is measured by tests of verdicts alone."""
    if not request.node.get_closest_marker("verdict"):
        monkeypatch.setattr(curve_command, "AREA_SECONDS", 0.0)


def table(out: str) -> list[str]:
    """The lines on samples, families and the bound, without those on what tells the sets apart."""
    return out.partition(GIVES_AWAY.lower())[0].splitlines()


@pytest.mark.parametrize("name", ["-x.npy", "--json.npy"])
def test_a_file_that_looks_like_an_option_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused, name: str
) -> None:
    (tmp_path / name).write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    error = refused("triage", "real.npy", name)
    assert f"a file whose name begins with - is named as in ./{name}" in error


def test_version(run: Run) -> None:
    assert run("--version") == (f"prviz {prviz.__version__}\n", "")


COMMANDS = (
    "app",
    "curve",
    "embed",
    "sweep",
    "experiment",
    "battery",
    "benchmark",
    "triage",
    "parity",
)


def test_the_command_alone_prints_its_help(run: Run) -> None:
    out, err = run()
    assert err == ""
    for name in COMMANDS:
        assert re.search(rf"^    {name}\s", out, re.MULTILINE)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_help_says_percent_as_it_is_written(run: Run, command: str) -> None:
    assert "%%" not in run(*command.split(), "--help").out


def test_an_unknown_command_is_refused_with_the_closest_one(refused: Refused) -> None:
    assert "'tirage': did you mean 'triage'?" in refused("tirage").replace("; ", ": ")
    error = refused("xyz")
    assert "'xyz'" in error
    assert ", ".join(COMMANDS) in error
    assert refused("--frobnicate")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"problems{'.a' * 500_000} = 1", "1,000,012 characters; at most 10,000"),
        (f"problems = {'[' * 9_000}", "too deeply"),
        (f"problems{'.a' * 4_900} = 1", "}}}; a list is needed"),
        (f"problems = [{{{'a.' * 4_900}a = 1}}]", "}}}; a toy's name, a table with toy"),
        (f"{'a' * 9_000} = 1", "aaa'; its keys may be problems"),
    ],
)
def test_a_hostile_configuration_is_refused_at_once(
    refused: Refused, tmp_path: Path, text: str, part: str
) -> None:
    (tmp_path / "grid.toml").write_text(text)
    start = time.monotonic()
    error = refused("sweep", tmp_path / "grid.toml")
    assert "grid.toml" in error
    assert part in error
    assert len(error) < 400
    assert time.monotonic() - start < 10


def test_features_and_labels_of_a_table_are_named(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    files = [tmp_path / "real.csv", tmp_path / "generated.csv"]
    for file in files:
        table_of = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
        table_of.assign(target=rng.integers(0, 2, 60)).to_csv(file, index=False)
    lines = table(run("curve", *files, *KNN).out)
    assert [line.split("  ")[-1] for line in lines[:2]] == ["60 x 3, labels target"] * 2
    assert lines[2] == "features   a, b, c"
    out = run("triage", *files, *KNN).out
    assert out.endswith("Note: the features of real.csv are a, b, c.\n")
    assert "60 x 3, labels target, float64" in repr(prviz.read(files[0]))


@pytest.mark.verdict
def test_curve_prints_one_aligned_line_per_method(run: Run, files: tuple[Path, Path]) -> None:
    out, err = run("curve", *files)
    assert err == ""
    lines = table(out)
    assert "real.npy" in lines[0]
    assert lines[0].endswith("60 x 3")
    assert lines[1].endswith("50 x 3")
    assert [line.split()[0] for line in lines[3:-2]] == list(VERDICT_METHODS)
    assert len({len(line.partition("  refuted, ")[0]) for line in lines[2:-2]}) == 1
    bound = prviz.upper_bound(*map(np.load, files))
    assert lines[-2] == f"the true AuC is at most {rounded_up(bound.auc, 4)}, with 95 % confidence"
    assert lines[-1].endswith("; with under 200 samples of a set that is all: too few to say more")
    assert table(run("curve", *files, "--method", "tightest").out)[-2:] == lines[-2:]


def test_few_independent_samples_conclude_what_either_test_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(0).normal(size=(300, 2))
    grouped = SamplePair(*(prviz.Samples(values, groups=np.arange(300) // 10) for _ in range(2)))
    half = SimpleNamespace(bound=None, told_apart=False)
    monkeypatch.setattr(curve_command, "judge_half", lambda *_, **__: half)
    default = SimpleNamespace(method=None, split=0.5, seed=0, memory_limit=10**9)
    chosen = SimpleNamespace(**vars(default) | {"method": ["tightest"]})
    believed = {"tightest": SimpleNamespace(method="tightest")}
    by = partial(curve_command._bound, estimates=believed)
    differ, alike = (SimpleNamespace(told_apart=told) for told in (True, False))
    for arguments in (default, chosen):
        for found, said in ((differ, "differ"), (alike, "are not told apart")):
            sentence = by(arguments, grouped, found=found)[1]
            assert sentence.startswith(f"the sets {said}; with under 200 samples")
    # neither areas, nor that they would take long
    measured = SimpleNamespace(arguments=default, pair=grouped, found=differ)
    assert curve_command._with_areas(measured) is differ
    # 300 that are independent are enough
    assert by(default, SamplePair(values, values), found=differ) == (None, "")
    assert curve_command._bound(chosen, grouped, {}, differ) == (None, "")


LIGHT = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"sklearn", "pandas", "plotly", "streamlit", "faiss", "pyarrow", "PIL"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
from prviz.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.thorough
def test_curve_of_the_light_installation_says_what_is_missing(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    """Numpy, scipy and threadpoolctl alone: the families, their bound, and one sentence."""
    light = [sys.executable, "-c", LIGHT, "curve", *map(str, files)]
    done = subprocess.run(
        [*light, "--json", str(tmp_path / "all.json")], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    lines = table(done.stdout)
    assert [line.split()[0] for line in lines[3:-2]] == list(DEFAULT_METHODS)
    assert lines[-2].startswith("the true AuC is at most ")
    missing = "the curve to believe and its bound need scikit-learn, which is not installed"
    assert lines[-1] == f"{missing}: pip install scikit-learn"
    assert set(json.loads((tmp_path / "all.json").read_text())["methods"]) == set(DEFAULT_METHODS)
    refused = subprocess.run(
        [*light, "--method", "tightest"], capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert missing in refused.stderr


def test_triage_of_the_light_installation_says_at_once_what_is_missing(
    files: tuple[Path, Path],
) -> None:
    light = [sys.executable, "-c", LIGHT, "triage", *map(str, files)]
    done = subprocess.run(light, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "prviz: error: prviz triage needs pandas and scikit-learn, which are not installed: pip"
        " install pandas scikit-learn\n"
    )


@pytest.mark.verdict
def test_what_gives_the_samples_away_is_said_written_and_drawn(run: Run, tmp_path: Path) -> None:
    sides = np.random.default_rng(0).normal(size=(2, 300, 3))
    sides[1][:, 1] = np.maximum(sides[1][:, 1], 0)
    paths = [tmp_path / "real.csv", tmp_path / "generated.csv"]
    for path, values in zip(paths, sides, strict=True):
        pd.DataFrame(values, columns=["<a>", "b", "c"]).to_csv(path, index=False)
    out = run("curve", *paths, *KNN, *written_to(tmp_path, "json", "html")).out
    share = share_text(float((sides[0][:, 1] < 0).mean()))
    found = prviz.witness(*map(prviz.read, paths))
    assert out.splitlines()[-2:] == [
        f"what gives it away: b below 0: 0 % generated, {share} real",
        f"  area {found.area:.2f}; without this one: {found.area_without:.2f}",
    ]
    assert json.loads((tmp_path / "curve.json").read_text("utf-8"))["witness"] == found.entry()
    assert f"<b>{GIVES_AWAY}</b>: b below 0: " in (tmp_path / "curve.html").read_text("utf-8")


@pytest.mark.exhaustive
def test_what_remains_is_measured_beside_the_curve_to_believe_where_it_takes_long(
    run: Run, tmp_path: Path
) -> None:
    sides = np.random.default_rng(0).normal(size=(2, 200, 2))
    sides[1][:, 1] = 0
    paths = [tmp_path / "real.npy", tmp_path / "generated.npy"]
    for path, values in zip(paths, sides, strict=True):
        np.save(path, values)
    assert run("curve", *paths, *KNN).out.splitlines()[-1] == f"  {NO_AREAS}"
    remedy = NO_AREAS.split(": ")[1].split()[:2]
    assert run("curve", *paths, *remedy).out.splitlines()[-1].startswith("  area 0.0")


def test_the_numbers_are_the_librarys(run: Run, files: tuple[Path, Path]) -> None:
    options = ("--method", "ipr", "--k", "10", "--split", "none")
    row, back = (
        table(run("curve", *each, *options).out)[-1].split() for each in (files, files[::-1])
    )
    curve = prviz.pr_curve(np.load(files[0]), np.load(files[1]), "ipr", k=10, split=None)
    assert row[:3] == ["ipr", "10", f"{curve.auc:.4f}"]
    assert row[3:5] == [f"{curve.extreme_precision:.4f}", f"{curve.extreme_recall:.4f}"]
    # half of the real samples are out of the generator's reach, none of its own is out of theirs
    assert curve.extreme_precision > 0.8
    assert curve.extreme_recall < 0.7
    assert back[3:5] == row[3:5][::-1]  # roles are not exchangeable


def test_methods_by_comma_and_by_repetition(run: Run, files: tuple[Path, Path]) -> None:
    by_comma = run("curve", *files, "--method", "kde,knn")
    repeated = ("--method", "kde", *KNN, "--method", "kde")
    assert by_comma == run("curve", *files, *repeated)
    assert [line.split()[0] for line in table(by_comma.out)[3:-1]] == ["kde", "knn"]


def test_the_papers_parameters_are_options(run: Run, files: tuple[Path, Path]) -> None:
    method = "prc:k_prime=1:c=1"
    numbered = ("--k", "5", "--b", "2", "--eps", "0.1", "--bootstrap", "5")
    line = ("curve", *files, "--method", f"coverage,{method}", *numbered)
    head, covered, *_, prc, _, _, bound = (row.split() for row in table(run(*line).out)[2:])
    assert bound[:3] == ["the", "true", "AuC"]
    assert "F2 to P" in " ".join(head)
    assert "P@.1" in head
    assert [covered[0], prc[0]] == ["coverage", method]
    curve = prviz.pr_curve(np.load(files[0]), np.load(files[1]), "coverage", k=5)
    numbers = summaries(curve, 2.0, 0.1)
    assert f"{numbers['f2_precision']:.4f}" in covered
    assert covered[1:] == prc[1:]
    found = json.loads(run(*line, "--json").out)
    assert found["methods"][method]["summaries"] == pytest.approx(numbers)
    assert set(found["methods"][method]["intervals"]["summaries"]) == set(numbers)
    assert found["conventions"]["f2_precision"].endswith("b = 2")
    assert (found["settings"]["b"], found["settings"]["eps"]) == (2.0, 0.1)


def test_one_file_with_both_roles(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    np.savez(tmp_path / "both.npz", real=np.load(files[0]), generated=np.load(files[1]))
    together, apart = (run("curve", *each, *KNN) for each in ([tmp_path / "both.npz"], files))
    assert together.out.splitlines()[2:] == apart.out.splitlines()[2:]


def test_keys_choose_the_arrays(
    run: Run, refused: Refused, files: tuple[Path, Path], tmp_path: Path
) -> None:
    real, generated = (np.load(path) for path in files)
    several = tmp_path / "several.npz"
    np.savez(several, one=real, two=generated, three=real)
    expected = run("curve", *files, *KNN).out.splitlines()[2:]
    for chosen in (
        (several, "--real-key", "one", "--generated-key", "two"),
        (several, files[1], "--real-key", "three"),
    ):
        assert run("curve", *chosen, *KNN).out.splitlines()[2:] == expected
    for unclear, option in (
        ((several, files[1]), "'two', 'three'. Choose one with key=... Here: --real-key"),
        ((files[0], several), "--generated-key"),
        ((several, "--real-key", "one"), "--generated-key"),
    ):
        assert option in refused("curve", *unclear)


def test_json_on_stdout_is_all_of_stdout(run: Run, files: tuple[Path, Path]) -> None:
    out, err = run("curve", *files, *KNN, "--seed", "7", "--json")
    assert err == ""
    assert json.loads(out)["settings"]["seed"] == 7
    for text in (*(prviz.read(path).digest for path in files), prviz.__version__):
        assert text in out


def written_to(folder: Path, *kinds: str) -> list[object]:
    """Options that write curve.json and others there."""
    return [part for kind in kinds for part in (f"--{kind}", folder / f"curve.{kind}")]


def test_files_are_written_and_the_same_each_time(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    line = ("curve", *files, *written_to(tmp_path, "json", "csv", "html"))
    written = [tmp_path / "curve.json", tmp_path / "curve.csv"]
    run(*line)
    first = [path.read_bytes() for path in written]
    assert first[1].count(b"\n") > len(DEFAULT_METHODS)
    run(*line)
    assert [path.read_bytes() for path in written] == first
    page = (tmp_path / "curve.html").read_text(encoding="utf-8")
    assert "<html" in page
    assert "src=" not in page


def test_the_html_figure_stands_alone(
    run: Run, files: tuple[Path, Path], tmp_path: Path, chromium: Browser
) -> None:
    path = tmp_path / "figure.html"
    run("curve", *files, "--html", path)
    foreign = (
        "<script>document.title = 'run'</script><img src='no' onerror=\"document.title = 'run'\">"
    )
    text = path.read_text(encoding="utf-8")
    assert len(text) < 100_000
    path.write_text(text.replace("<body>", f"<body>{foreign}"), encoding="utf-8")
    tab: Tab = open_tab(chromium, "http://127.0.0.1")
    tab.page.goto(path.as_uri())
    for name in DEFAULT_METHODS:
        assert tab.page.get_by_role("row", name=ESTIMATORS[name].title).count() == 1
    assert tab.page.locator("body > svg").bounding_box()["width"] > 500
    assert "real.npy" in tab.page.title()  # no script has run
    tab.context.close()
    tab.check()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--method", "gan"], ["'gan'", "knn, kde, ipr, coverage, eas, prc, ppr"]),
        (["--k", "0"], ["--k", "'0'", "sqrt"]),
        (["--k", "1000"], ["k"]),
        (["--split", "1"], ["--split", "'1'", "none"]),
        (["--bandwidth", "-1"], ["--bandwidth", "positive"]),
        (["--bandwidth", "nan"], ["--bandwidth", "positive"]),
        (["--seed", "x"], ["--seed", "'x'"]),
        (["--json", "no/such/folder/x.json"], ["--json", "no folder"]),
        (["--json", "--csv", "-"], ["stdout"]),
        (["--memory-limit", "lots"], ["--memory-limit", "'lots'", "500MB, 1.5GB"]),
        (["--memory-limit=-1GB"], ["--memory-limit", "500MB, 1.5GB"]),
        (["--memory-limit", "1.5XB"], ["--memory-limit", "500MB, 1.5GB"]),
        (["--memory-limit", "500"], ["--memory-limit", "500 bytes", "at least 1MB"]),
        (["--memory-limit", "2MB"], ["memory_limit = 2000000"]),
        (
            ["--approximate", "--method", "hub"],
            ["hub can't be approximated", "knn, kde, ipr, coverage"],
        ),
        (["--frobnicate"], ["--frobnicate"]),
        (["--method", "prc:c=0"], ["c = 0; an integer from 1 to 100"]),
        (["--b", "0"], ["'0' is not a number from 0.001 to 1000"]),
        (["--eps", "2"], ["'2' is not a number from 0 to 1"]),
        (["--method", "classifier", "--split", "none"], ["measured on held-out samples only"]),
    ],
)
def test_bad_arguments(
    refused: Refused, files: tuple[Path, Path], arguments: list[str], parts: list[str]
) -> None:
    error = refused("curve", *files, *arguments)
    for part in parts:
        assert part in error


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500MB", 500_000_000),
        ("1GB", 10**9),
        ("1.5GB", 1_500_000_000),
        ("1.5 gb", 1_500_000_000),
        ("2GiB", 2**31),
        ("2000000", 2_000_000),
        ("70000kB", 70_000_000),
    ],
)
def test_sizes_of_memory(text: str, size: int) -> None:
    assert memory_size(text) == size


@pytest.mark.exhaustive
def test_the_memory_limit_reaches_the_engine(
    run: Run, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []
    counted = Distances.__init__

    def init(self: Distances, *arguments: object, memory_limit: int, **options: object) -> None:
        limits.append(memory_limit)
        counted(self, *arguments, memory_limit=memory_limit, **options)

    monkeypatch.setattr(Distances, "__init__", init)
    unlimited = run("curve", *files)
    assert run("curve", *files, "--memory-limit", "60MB") == unlimited
    assert set(limits[: len(limits) // 2]) == {10**9}
    assert set(limits[len(limits) // 2 :]) == {60_000_000}


def test_families_that_know_no_k_show_none(run: Run, files: tuple[Path, Path]) -> None:
    out = run("curve", *files, "--method", "cluster,classifier,hub", "--k", "5").out
    assert [line.split()[:2] for line in table(out)[3:-1]] == [
        ["cluster", "-"],
        ["classifier", "-"],
        ["hub", "5"],
    ]


@pytest.mark.exhaustive
def test_approximate_curves_say_so_everywhere(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    line = ("curve", *files, "--approximate", "--k", "5")
    out, err = run(*line, *written_to(tmp_path, "json", "csv", "html"))
    assert err == ""
    label = out.splitlines()[2]
    assert label.startswith(
        "approximate: lists hold 100 % of the true neighbours; curves within IoU "
    )
    document = json.loads((tmp_path / "curve.json").read_text())["approximate"]
    assert document["label"] == label
    assert set(document["errors"]) == set(DEFAULT_METHODS)
    assert document["evaluated"] == {"real": 30, "generated": 25}
    rows = csv.reader(io.StringIO((tmp_path / "curve.csv").read_text()))
    assert {row[0] for row in rows} == {
        "curve",
        *(f"{name} (approximate)" for name in DEFAULT_METHODS),
    }
    page = (tmp_path / "curve.html").read_text(encoding="utf-8")
    assert label in page
    assert "kNN (approximate)" in page
    # Only the data are on stdout; the label on stderr tells the user that they are approximate.
    out, err = run(*line, "--json")
    assert json.loads(out)["approximate"]["label"] == label
    assert err == f"prviz: {label}\n"
    assert json.loads(run("curve", *files, "--json").out)["approximate"] is None


class _Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("expected", "times", "fractions", "said"),
    [
        # Nothing in the first second, nor twice within a tenth of a second; the pace counts from
        # the first report.
        (
            12.3,
            [0.0, 0.5, 2.0, 2.05, 4.0],
            [0.1, 0.2, 0.3, 0.5],
            ["this should take about 12 s", "20%, about 12 s left", "50%, about 4 s left"],
        ),
        # a sweep that goes on: what was there before says nothing about the time left
        (None, [0.0, 0.0, 2.0], [0.5, 0.6], ["60%, about 8 s left"]),
        (0.2, [0.0, 0.5], [0.5], []),  # quick work
    ],
)
def test_progress_is_one_line_that_goes_away(
    monkeypatch: pytest.MonkeyPatch,
    expected: float | None,
    times: list[float],
    fractions: list[float],
    said: list[str],
) -> None:
    terminal = _Terminal()
    clock = iter(times)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with watched(expected) as progress:
        assert progress is not None
        for fraction in fractions:
            progress(fraction)
    shown = [part.strip() for part in terminal.getvalue().split("\r") if part.strip()]
    assert shown == said
    assert "\n" not in terminal.getvalue()
    if said:
        assert terminal.getvalue().endswith(f"\r{' ' * len(said[-1])} \r")


def test_work_that_nobody_watches_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with watched(100.0) as progress:
        assert progress is None


@pytest.mark.thorough
def test_control_c_stops_with_one_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    paths = [tmp_path / name for name in ("real.npy", "generated.npy")]
    for path in paths:
        np.save(path, rng.normal(size=(60_000, 64)).astype(np.float32))
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "prviz", "curve", *map(str, paths), "--split", "none"]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        while b" left" not in seen:
            assert select.select([ours], [], [], 120)[0], seen
            seen += os.read(ours, 1000)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert time.monotonic() - start < 10
        assert process.stdout is not None
        assert process.stdout.read() == b""
    # how a terminal whose other side is closed says that nothing is left
    with contextlib.suppress(OSError):
        while part := os.read(ours, 1000):
            seen += part
    os.close(ours)
    assert b"this should take about" in seen
    lines = seen.decode().replace("\r\n", "\n").split("\r")
    assert lines[-1] == "prviz: error: interrupted\n"
    assert lines[-2].strip() == ""
    assert "\n" not in "".join(lines[:-1])


def test_unreadable_files(refused: Refused, files: tuple[Path, Path], tmp_path: Path) -> None:
    np.save(tmp_path / "flat.npy", np.zeros((40, 2)))
    for given, said in (
        ((tmp_path / "nothing.npy", files[1]), "nothing.npy"),
        ((files[0], tmp_path / "flat.npy"), "real samples have 3 features, generated ones have 2"),
        ((files[0],), "real.npy"),
    ):
        assert said in refused("curve", *given)


def test_a_pickle_is_refused_with_the_lines_that_convert_it(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "model.pkl").write_bytes(b"\x80\x04.")
    out, err = run("curve", tmp_path / "model.pkl", files[1], status=2)
    assert out == ""
    message, *recipe = err.splitlines()
    assert message.startswith("prviz: error: 'model.pkl'")
    assert recipe[0].startswith("import numpy as np")
    compile("\n".join(recipe), "recipe", "exec")


def test_the_lines_of_a_recipe_are_printed_as_they_are_run(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    """Also an indented line, and a name with two spaces."""
    path = tmp_path / "a  b.tar"
    with tarfile.open(path, "w") as archive:
        for place in range(40):
            one = tmp_path / f"{place}.npy"
            np.save(one, np.full(3, place))
            archive.add(one, f"deep/{place}.npy")
    err = run("curve", path, files[1], status=2).err
    subprocess.run([sys.executable, "-c", "\n".join(err.splitlines()[1:])], check=True)
    assert prviz.read(tmp_path / "a  b").n == 40


@pytest.mark.exhaustive
def test_a_full_disk_leaves_the_old_file_and_is_named(
    refused: Refused, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        # a file can't grow beyond, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        for option in ("--json", "--csv", "--html"):
            assert f"{out}: File too large" in refused("curve", *files, *KNN, option, out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["generated.npy", "out", "real.npy"]
    error = refused("curve", *files, "--csv", "/dev/full")
    assert "/dev/full: No space left on device" in error
    assert "nothing.toml: No such file" in refused("sweep", tmp_path / "nothing.toml")


def test_samples_are_never_overwritten(refused: Refused, files: tuple[Path, Path]) -> None:
    before = files[0].read_bytes()
    for command in ("curve", "parity"):
        assert "overwrite" in refused(command, *files, "--json", files[0])
    assert "another output" in refused("curve", *files, "--json", "x", "--csv", "./x")
    assert files[0].read_bytes() == before


def test_a_hostile_file_name_stays_text(
    run: Run, refused: Refused, files: tuple[Path, Path], tmp_path: Path
) -> None:
    hostile = tmp_path / "\x1b[2J\n<b>.npy"
    hostile.write_bytes(files[0].read_bytes())
    assert "\x1b" not in run("curve", hostile, files[1], *KNN).out
    assert refused("curve", hostile, tmp_path / "\x1b[2J.npy")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("command", ["curve --method knn", ""])
def test_a_reader_that_stops_reading_is_no_error(files: tuple[Path, Path], command: str) -> None:
    line = [sys.executable, "-m", "prviz", *command.split()]
    line += [*map(str, files), "--json"] if command else []
    with subprocess.Popen(
        line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("option", "remedy", "values"),
    [
        ("--port", "65535", ["0", "65536", "x", "-1"]),
        (
            "--allow-host",
            "example.com",
            ["", "http://example.com", "a/b", "a b/", "café.example", "*@x", "[x"],
        ),
        ("--allow-frame", "https://example.com", ["", "example.com", "https://a/b", "https://a;b"]),
        ("--base-path", "tools/prviz", ["a b", "a//b", "../a", "http://a", "a?b"]),
        ("--data", "is not there", ["nothing", "circle"]),
        ("--data", "is not a folder", ["file"]),
    ],
)
def test_app_refuses_what_it_can_not_serve(
    refused: Refused,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    remedy: str,
    values: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    Path("circle").symlink_to("circle")
    for value in values:
        error = refused("app", f"{option}={value}")
        for part in (option, value, remedy):
            assert part in error


@pytest.mark.exhaustive
def test_app_below_a_base_path_prints_the_address_that_answers(
    tmp_path: Path, chromium: Browser
) -> None:
    with running_app(
        tmp_path / "log", options=["--base-path", "/tools/prviz/"], base_path="/tools/prviz"
    ) as server:
        assert f"prviz: {server.url}  (Ctrl-C" in server.log.read_text()
        tab = open_tab(chromium, server.url)
        visit(tab.page, "/tools/prviz/learn")
        tab.page.get_by_role("link", name="Explore", exact=True).click()
        expect(tab.page).to_have_url(re.compile(r"/tools/prviz/(\?|$)"))
        expect(tab.page.locator(".live .js-line").first).to_be_attached()
        tab.check()
        tab.context.close()


def test_app_serves_pictures_of_the_folder_it_is_told_and_of_no_other(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda *_, **__: served.append(served_folder()))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setenv(PICTURES_VARIABLE, "/")  # whatever the shell had there
    (tmp_path / "link").symlink_to(tmp_path)
    for options in ([], ["--data", tmp_path / "link" / "."], []):
        run("app", "--no-browser", *options)
    assert served == [None, tmp_path.resolve(), None]


def test_app_says_that_an_address_can_not_be_used(run: Run) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        out, err = run("app", "--no-browser", "--port", port, status=1)
    assert out == ""
    assert err.startswith(f"prviz: error: port {port} of 127.0.0.1 can't be used")
    assert err.count("\n") == 1
    unknown = run("app", "--no-browser", "--host", "no host of this name", status=1)
    assert unknown.out == ""
    assert "no host of this name" in unknown.err


APP = """
import streamlit as st
from prviz.server import sessions
if __name__ == "__main__":
    st.set_page_config(page_title="mini")
    pages = [st.Page("pages/first.py", title="First", default=True), st.Page("pages/second.py", title="Second")]
    st.navigation(pages).run()
else:
    app = st.App(__file__, **sessions.options())
"""


@pytest.fixture
def two_pages(tmp_path: Path) -> Path:
    """An app with a folder named pages, one file of which is no page."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "app.py").write_text(APP)
    for name in ("first", "second", "orphan"):
        (tmp_path / "pages" / f"{name}.py").write_text(
            f"import streamlit as st\nst.title({name!r})\n"
        )
    return tmp_path / "app.py"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("path", "title", "found"), [("/second", "second", True), ("/orphan", "first", False)]
)
def test_the_first_request_reaches_the_right_router(
    two_pages: Path, chromium: Browser, path: str, title: str, found: bool
) -> None:
    # with Streamlit's older router, app.py would not run here, and "orphan" would be a page
    port = free_port()
    code = "import sys; from pathlib import Path; from prviz.cli import main; "
    code += f"main.app_root = lambda: Path({str(two_pages.parent)!r}); "
    url = f"http://127.0.0.1:{port}"
    code += f"sys.exit(main.main(['app', '--port', '{port}']))"
    log = two_pages.with_name("log")
    browser = two_pages.with_name("browser")
    browser.write_text(f'#!/bin/sh\necho "$1" > {two_pages.with_name("opened")}\n')
    browser.chmod(0o700)
    env = {**os.environ, "BROWSER": f"{browser} %s", "STREAMLIT_SERVER_HEADLESS": "false"}
    with (
        log.open("wb") as out,
        subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT, stdout=out, stderr=out, env=env
        ) as process,
    ):
        try:
            wait_healthy(AppServer(url, process, log))
            assert two_pages.with_name("opened").read_text() == f"{url}\n"
            tab = open_tab(chromium, url)
            visit(tab.page, path)
            assert tab.page.locator("h1").first.inner_text() == title
            assert tab.page.title() == "mini"
            assert tab.page.get_by_test_id("stSidebarNavLink").all_inner_texts() == [
                "First",
                "Second",
            ]
            assert bool(tab.page.get_by_text("Page not found").count()) is not found
            tab.context.close()
        finally:
            process.terminate()
    assert process.returncode == 0, log.read_text()


@pytest.mark.parametrize("option", ["--features", "--drop", "--group"])
def test_embed_says_that_it_has_no_columns_of_features(refused: Refused, option: str) -> None:
    line = ("embed", "t.csv", "-o", "t.safetensors", "--encoder", "pixels:8", option, "a")
    error = refused(*line)
    assert f"{option}: of a table prviz embed reads the texts alone" in error
    assert "--column" in error


@pytest.mark.parametrize("command", [[], ["curve", "none.npy", "none.npy"]])
def test_garbage_is_searched_for_less_often_while_a_command_runs_alone(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = gc.get_threshold()
    seen = []
    run = main_module._run
    monkeypatch.setattr(
        main_module, "_run", lambda argv: seen.append(gc.get_threshold()) or run(argv)
    )
    main(command)
    assert seen[0][0] > usual[0]
    assert gc.get_threshold() == usual
