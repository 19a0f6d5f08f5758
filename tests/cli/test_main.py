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
from collections.abc import Callable
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

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command; its exit status, stdout and stderr."""

    def run_command(*arguments: object) -> tuple[int, str, str]:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse's way out
            status = stop.code if isinstance(stop.code, int) else -1
        out, err = capsys.readouterr()
        return status, out, err

    return run_command


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


def assert_one_line_error(result: tuple[int, str, str], *parts: str) -> None:
    status, out, err = result
    assert status == 2
    assert out == ""
    assert err.startswith("prviz: error: ")
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


@pytest.mark.parametrize("name", ["-x.npy", "--json.npy"])
def test_a_file_that_looks_like_an_option_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    (tmp_path / name).write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["triage", "real.npy", name])
    assert f"a file whose name begins with - is named as in ./{name}" in capsys.readouterr().err


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"prviz {prviz.__version__}\n", "")


def test_the_command_alone_prints_its_help(run: Run) -> None:
    status, out, err = run()
    assert (status, err) == (0, "")
    for name in ("app", "curve", "sweep", "experiment", "battery", "triage", "parity"):
        assert re.search(rf"^    {name}\s", out, re.MULTILINE)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "app",
        "curve",
        "embed",
        "sweep",
        "experiment",
        "battery",
        "benchmark",
        "triage",
        "parity",
    ],
)
def test_every_help_says_percent_as_it_is_written(run: Run, command: str) -> None:
    status, out, _ = run(*command.split(), "--help")
    assert status == 0
    assert "%%" not in out


def test_an_unknown_command_is_refused_with_the_closest_one(run: Run) -> None:
    assert_one_line_error(run("tirage"), "'tirage'", "did you mean 'triage'?")
    assert_one_line_error(
        run("xyz"),
        "'xyz'",
        "app, curve, embed, sweep, experiment, battery, benchmark, triage, parity",
    )
    assert_one_line_error(run("--frobnicate"))


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
    run: Run, tmp_path: Path, text: str, part: str
) -> None:
    (tmp_path / "grid.toml").write_text(text)
    start = time.monotonic()
    found = run("sweep", tmp_path / "grid.toml")
    assert_one_line_error(found, "grid.toml", part)
    assert len(found[2]) < 400
    assert time.monotonic() - start < 10


def test_features_and_labels_of_a_table_are_named(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("real.csv", "generated.csv"):
        table_of = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
        table_of.assign(target=rng.integers(0, 2, 60)).to_csv(tmp_path / name, index=False)
    lines = table(run("curve", *sorted(tmp_path.iterdir(), reverse=True), "--method", "knn")[1])
    assert [line.split("  ")[-1] for line in lines[:2]] == ["60 x 3, labels target"] * 2
    assert lines[2] == "features   a, b, c"
    assert run("triage", *sorted(tmp_path.iterdir(), reverse=True), "--method", "knn")[1].endswith(
        "Note: the features of real.csv are a, b, c.\n"
    )
    assert "60 x 3, labels target, float64" in repr(prviz.read(tmp_path / "real.csv"))


@pytest.mark.verdict
def test_curve_prints_one_aligned_line_per_method(run: Run, files: tuple[Path, Path]) -> None:
    status, out, err = run("curve", *files)
    assert (status, err) == (0, "")
    lines = table(out)
    assert "real.npy" in lines[0]
    assert lines[0].endswith("60 x 3")
    assert lines[1].endswith("50 x 3")
    assert [line.split()[0] for line in lines[3:-2]] == list(VERDICT_METHODS)
    assert len({len(line.partition("  refuted, ")[0]) for line in lines[2:-2]}) == 1
    bound = prviz.upper_bound(*map(np.load, files))
    assert lines[-2] == f"the true AuC is at most {rounded_up(bound.auc, 4)}, with 95 % confidence"
    assert lines[-1].endswith("; with under 200 samples of a set that is all: too few to say more")
    assert table(run("curve", *files, "--method", "tightest")[1])[-2:] == lines[-2:]


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
    differ = SimpleNamespace(told_apart=True)
    alike = SimpleNamespace(told_apart=False)
    for arguments in (default, chosen):
        assert by(arguments, grouped, found=differ)[1].startswith(
            "the sets differ; with under 200 samples"
        )
        assert by(arguments, grouped, found=alike)[1].startswith(
            "the sets are not told apart; with under 200"
        )
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
    rng = np.random.default_rng(0)
    sides = rng.normal(size=(2, 300, 3))
    sides[1][:, 1] = np.maximum(sides[1][:, 1], 0)
    for name, values in zip(("real", "generated"), sides, strict=True):
        lines = ["<a>,b,c", *(",".join(map(str, row)) for row in values.tolist())]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    options = ("--method", "knn", "--json", tmp_path / "all.json", "--html", tmp_path / "all.html")
    status, out, _ = run("curve", tmp_path / "real.csv", tmp_path / "generated.csv", *options)
    assert status == 0
    share = share_text(float((sides[0][:, 1] < 0).mean()))
    first, second = out.splitlines()[-2:]
    assert first == f"what gives it away: b below 0: 0 % generated, {share} real"
    found = prviz.witness(*(prviz.read(tmp_path / f"{name}.csv") for name in ("real", "generated")))
    assert second == f"  area {found.area:.2f}; without this one: {found.area_without:.2f}"
    kept = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert kept["witness"] == found.entry()
    assert f"<b>{GIVES_AWAY}</b>: b below 0: " in (tmp_path / "all.html").read_text("utf-8")


@pytest.mark.exhaustive
def test_what_remains_is_measured_beside_the_curve_to_believe_where_it_takes_long(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = np.random.default_rng(0).normal(size=(2, 200, 2))
    sides[1][:, 1] = 0
    paths = [tmp_path / f"{name}.npy" for name in ("real", "generated")]
    for path, values in zip(paths, sides, strict=True):
        np.save(path, values)
    monkeypatch.setattr(curve_command, "AREA_SECONDS", 0.0)
    _, out, _ = run("curve", *paths, "--method", "knn")
    assert out.splitlines()[-1] == f"  {NO_AREAS}"
    remedy = NO_AREAS.split(": ")[1].split()[:2]
    _, out, _ = run("curve", *paths, *remedy)
    assert out.splitlines()[-1].startswith("  area 0.0")


def test_the_numbers_are_the_librarys(run: Run, files: tuple[Path, Path]) -> None:
    _, out, _ = run("curve", *files, "--method", "ipr", "--k", "10", "--split", "none")
    row = table(out)[-1].split()
    curve = prviz.pr_curve(np.load(files[0]), np.load(files[1]), "ipr", k=10, split=None)
    assert row[:3] == ["ipr", "10", f"{curve.auc:.4f}"]
    assert row[3:5] == [f"{curve.extreme_precision:.4f}", f"{curve.extreme_recall:.4f}"]
    # half of the real samples are out of the generator's reach, none of its own is out of theirs
    assert curve.extreme_precision > 0.8
    assert curve.extreme_recall < 0.7


def test_roles_are_not_exchangeable(run: Run, files: tuple[Path, Path]) -> None:
    options = ("--method", "knn", "--k", "5", "--split", "none")
    forth = table(run("curve", files[0], files[1], *options)[1])[-1].split()
    back = table(run("curve", files[1], files[0], *options)[1])[-1].split()
    assert forth[3:5] == back[3:5][::-1]
    assert forth[3] != forth[4]


def test_methods_by_comma_and_by_repetition(run: Run, files: tuple[Path, Path]) -> None:
    _, by_comma, _ = run("curve", *files, "--method", "kde,knn")
    _, by_repetition, _ = run(
        "curve", *files, "--method", "kde", "--method", "knn", "--method", "kde"
    )
    assert by_comma == by_repetition
    assert [line.split()[0] for line in table(by_comma)[3:-1]] == ["kde", "knn"]


def test_the_papers_parameters_are_options(run: Run, files: tuple[Path, Path]) -> None:
    method = "prc:k_prime=1:c=1"
    options = (
        "--method",
        f"coverage,{method}",
        "--k",
        "5",
        "--b",
        "2",
        "--eps",
        "0.1",
        "--bootstrap",
        "5",
    )
    _, out, _ = run("curve", *files, *options)
    head, covered, *_, prc, _, _, bound = (line.split() for line in table(out)[2:])
    assert bound[:3] == ["the", "true", "AuC"]
    assert "F2 to P" in " ".join(head)
    assert "P@.1" in head
    assert [covered[0], prc[0]] == ["coverage", method]
    curve = prviz.pr_curve(np.load(files[0]), np.load(files[1]), "coverage", k=5)
    numbers = summaries(curve, 2.0, 0.1)
    assert f"{numbers['f2_precision']:.4f}" in covered
    assert covered[1:] == prc[1:]
    found = json.loads(run("curve", *files, *options, "--json")[1])
    assert found["methods"][method]["summaries"] == pytest.approx(numbers)
    assert set(found["methods"][method]["intervals"]["summaries"]) == set(numbers)
    assert found["conventions"]["f2_precision"].endswith("b = 2")
    assert (found["settings"]["b"], found["settings"]["eps"]) == (2.0, 0.1)
    assert_one_line_error(
        run("curve", *files, "--method", "prc:c=0"), "c = 0; an integer from 1 to 100"
    )
    assert_one_line_error(
        run("curve", *files, "--b", "0"), "'0' is not a number from 0.001 to 1000"
    )
    assert_one_line_error(run("curve", *files, "--eps", "2"), "'2' is not a number from 0 to 1")


def test_one_file_with_both_roles(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    np.savez(tmp_path / "both.npz", real=np.load(files[0]), generated=np.load(files[1]))
    status, together, _ = run("curve", tmp_path / "both.npz", "--method", "knn")
    assert status == 0
    assert together.splitlines()[2:] == run("curve", *files, "--method", "knn")[1].splitlines()[2:]


def test_keys_choose_the_arrays(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    real, generated = (np.load(path) for path in files)
    np.savez(tmp_path / "several.npz", one=real, two=generated, three=real)
    knn = ("--method", "knn")
    expected = run("curve", *files, *knn)[1].splitlines()[2:]
    both = run(
        "curve", tmp_path / "several.npz", "--real-key", "one", "--generated-key", "two", *knn
    )
    assert both[1].splitlines()[2:] == expected
    apart = run("curve", tmp_path / "several.npz", files[1], "--real-key", "three", *knn)
    assert apart[1].splitlines()[2:] == expected
    assert_one_line_error(run("curve", tmp_path / "several.npz", files[1]), "--real-key", "two")
    assert_one_line_error(run("curve", files[0], tmp_path / "several.npz"), "--generated-key")
    assert_one_line_error(
        run("curve", tmp_path / "several.npz", "--real-key", "one"), "--generated-key"
    )


def test_json_on_stdout_is_all_of_stdout(run: Run, files: tuple[Path, Path]) -> None:
    status, out, err = run("curve", *files, "--method", "knn", "--seed", "7", "--json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    digests = [prviz.read(path).digest for path in files]
    assert all(digest in out for digest in digests)
    assert prviz.__version__ in out
    assert answer["settings"]["seed"] == 7


def test_files_are_written_and_the_same_each_time(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    written = [tmp_path / name for name in ("curve.json", "curve.csv", "curve.html")]
    options = [part for path in written for part in (f"--{path.suffix[1:]}", path)]
    assert run("curve", *files, *options)[0] == 0
    first = [path.read_bytes() for path in written[:2]]
    rows = list(csv.reader(io.StringIO(first[1].decode())))
    assert len(rows) > len(DEFAULT_METHODS)
    assert run("curve", *files, *options)[0] == 0
    assert [path.read_bytes() for path in written[:2]] == first
    page = written[2].read_text(encoding="utf-8")
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
    ],
)
def test_bad_arguments(
    run: Run, files: tuple[Path, Path], arguments: list[str], parts: list[str]
) -> None:
    assert_one_line_error(run("curve", *files, *arguments), *parts)


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


def test_families_that_know_no_k_show_none_and_classifiers_need_a_split(
    run: Run, files: tuple[Path, Path]
) -> None:
    status, out, _ = run("curve", *files, "--method", "cluster,classifier", "--k", "5")
    assert status == 0
    assert [line.split()[:2] for line in table(out)[-3:-1]] == [
        ["cluster", "-"],
        ["classifier", "-"],
    ]
    status, _, error = run("curve", *files, "--method", "classifier", "--split", "none")
    assert status == 2
    assert "measured on held-out samples only" in error


def test_hub_is_there_for_whoever_asks(run: Run, files: tuple[Path, Path]) -> None:
    status, out, _ = run("curve", *files, "--method", "hub", "--k", "5")
    assert status == 0
    assert table(out)[-1].split()[0] == "hub"


@pytest.mark.exhaustive
def test_approximate_curves_say_so_everywhere(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    written = [tmp_path / name for name in ("curve.json", "curve.csv", "curve.html")]
    options = [part for path in written for part in (f"--{path.suffix[1:]}", path)]
    status, out, err = run("curve", *files, "--approximate", "--k", "5", *options)
    assert (status, err) == (0, "")
    label = out.splitlines()[2]
    assert label.startswith(
        "approximate: lists hold 100 % of the true neighbours; curves within IoU "
    )
    document = json.loads(written[0].read_text())["approximate"]
    assert document["label"] == label
    assert set(document["errors"]) == set(DEFAULT_METHODS)
    assert document["evaluated"] == {"real": 30, "generated": 25}
    names = {row[0] for row in csv.reader(io.StringIO(written[1].read_text()))} - {"curve"}
    assert names == {f"{name} (approximate)" for name in DEFAULT_METHODS}
    page = written[2].read_text(encoding="utf-8")
    assert label in page
    assert "kNN (approximate)" in page
    # Only the data are on stdout; the label on stderr tells the user that they are approximate.
    status, out, err = run("curve", *files, "--approximate", "--k", "5", "--json")
    assert json.loads(out)["approximate"]["label"] == label
    assert err == f"prviz: {label}\n"
    assert json.loads(run("curve", *files, "--json")[1])["approximate"] is None


class _Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    clock = iter([0.0, 0.5, 2.0, 2.05, 4.0])
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with watched(12.3) as progress:
        assert progress is not None
        for fraction in (0.1, 0.2, 0.3, 0.5):
            progress(fraction)
    shown = [part.strip() for part in terminal.getvalue().split("\r") if part.strip()]
    # Nothing in the first second, nor twice within a tenth of a second; the pace counts from the
    # first report.
    assert shown == ["this should take about 12 s", "20%, about 12 s left", "50%, about 4 s left"]
    assert terminal.getvalue().endswith("\r" + " " * len("50%, about 4 s left") + " \r")
    assert "\n" not in terminal.getvalue()


def test_what_was_there_before_says_nothing_about_the_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = _Terminal()
    clock = iter([0.0, 0.0, 2.0])
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with watched(None) as progress:
        assert progress is not None
        progress(0.5)  # of a sweep that goes on
        progress(0.6)
    assert "60%, about 8 s left" in terminal.getvalue()


def test_quick_work_and_unwatched_work_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := _Terminal())
    with watched(0.2) as progress:
        assert progress is not None
        progress(0.5)
    assert terminal.getvalue() == ""
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


def test_unreadable_files(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    assert_one_line_error(run("curve", tmp_path / "nothing.npy", files[1]), "nothing.npy")
    np.save(tmp_path / "flat.npy", np.zeros((40, 2)))
    assert_one_line_error(run("curve", files[0], tmp_path / "flat.npy"), "3", "2")
    assert_one_line_error(run("curve", files[0]), "real.npy")


def test_a_pickle_is_refused_with_the_lines_that_convert_it(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "model.pkl").write_bytes(b"\x80\x04.")
    status, out, err = run("curve", tmp_path / "model.pkl", files[1])
    assert (status, out) == (2, "")
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
    _, _, err = run("curve", path, files[1])
    subprocess.run([sys.executable, "-c", "\n".join(err.splitlines()[1:])], check=True)
    assert prviz.read(tmp_path / "a  b").n == 40


@pytest.mark.exhaustive
def test_a_full_disk_leaves_the_old_file_and_is_named(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        # a file can't grow beyond, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        for option in ("--json", "--csv", "--html"):
            assert_one_line_error(
                run("curve", *files, "--method", "knn", option, out), f"{out}: File too large"
            )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["generated.npy", "out", "real.npy"]
    assert_one_line_error(
        run("curve", *files, "--csv", "/dev/full"), "/dev/full: No space left on device"
    )
    assert_one_line_error(run("sweep", tmp_path / "nothing.toml"), "nothing.toml: No such file")


def test_samples_are_never_overwritten(run: Run, files: tuple[Path, Path]) -> None:
    before = files[0].read_bytes()
    assert_one_line_error(run("curve", *files, "--json", files[0]), "overwrite")
    assert_one_line_error(run("parity", *files, "--json", files[0]), "overwrite")
    assert_one_line_error(run("curve", *files, "--json", "x", "--csv", "./x"), "another output")
    assert files[0].read_bytes() == before


def test_a_hostile_file_name_stays_text(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    hostile = tmp_path / "\x1b[2J\n<b>.npy"
    hostile.write_bytes(files[0].read_bytes())
    status, out, _ = run("curve", hostile, files[1], "--method", "knn")
    assert status == 0
    assert "\x1b" not in out
    assert_one_line_error(run("curve", hostile, tmp_path / "\x1b[2J.npy"))


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


@pytest.mark.parametrize("port", ["0", "65536", "x", "-1"])
def test_app_refuses_what_is_no_port(run: Run, port: str) -> None:
    assert_one_line_error(run("app", f"--port={port}"), "--port", "65535")


@pytest.mark.parametrize(
    "host", ["", "http://example.com", "a/b", "a b/", "café.example", "*@x", "[x"]
)
def test_app_refuses_what_is_no_host(run: Run, host: str) -> None:
    assert_one_line_error(run("app", "--allow-host", host), "--allow-host", "example.com")


@pytest.mark.parametrize("site", ["", "example.com", "https://a/b", "https://a;b"])
def test_app_refuses_what_is_no_origin(run: Run, site: str) -> None:
    assert_one_line_error(run("app", "--allow-frame", site), "--allow-frame", "https://example.com")


@pytest.mark.parametrize("path", ["a b", "a//b", "../a", "http://a", "a?b"])
def test_app_refuses_what_is_no_base_path(run: Run, path: str) -> None:
    assert_one_line_error(run("app", "--base-path", path), "--base-path", path, "tools/prviz")


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
        assert run("app", "--no-browser", *options)[0] == 0
    assert served == [None, tmp_path.resolve(), None]


def test_app_refuses_a_folder_that_it_can_not_serve(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "circle").symlink_to("circle")
    for name, reason in (
        ("nothing", "is not there"),
        ("file", "is not a folder"),
        ("circle", "is not there"),
    ):
        assert_one_line_error(run("app", "--data", tmp_path / name), "--data", name, reason)


def test_app_says_that_a_port_is_taken(run: Run) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        status, out, err = run("app", "--no-browser", "--port", port)
    assert (status, out) == (1, "")
    assert err.startswith(f"prviz: error: port {port} of 127.0.0.1 can't be used")
    assert err.count("\n") == 1


def test_app_says_that_a_host_does_not_exist(run: Run) -> None:
    status, out, err = run("app", "--no-browser", "--host", "no host of this name")
    assert (status, out) == (1, "")
    assert "no host of this name" in err


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
def test_embed_says_that_it_has_no_columns_of_features(
    run: Run, tmp_path: Path, option: str
) -> None:
    line = [tmp_path / "t.csv", "-o", tmp_path / "t.safetensors", "--encoder", "pixels:8"]
    found = run("embed", *line, option, "a")
    assert_one_line_error(
        found, f"{option}: of a table prviz embed reads the texts alone", "--column"
    )


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
