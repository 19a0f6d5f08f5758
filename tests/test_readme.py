"""What the README shows works as it stands there."""

from __future__ import annotations

import re

import pytest

import prviz
from prviz.cli.main import main
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.measure.workload import subsample
from tests.browser import ROOT
from tests.file_builders import VALUES, npy

README, PYTHON, CONTRIBUTING = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/python.md", "CONTRIBUTING.md")
)
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


@pytest.mark.thorough
def test_the_python_lines_run(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (first,) = python_blocks(README)
    assert len(first.strip().splitlines()) <= 11
    names: dict[str, object] = {}
    exec(first, names)
    assert isinstance(names["curve"], PRCurve)
    blocks = python_blocks(PYTHON)
    try:
        for block in blocks:
            exec(block, names)
        assert isinstance(
            prviz.pr_curve(names["real"], names["generated"], "first_feature"), PRCurve
        )
    finally:
        ESTIMATORS.pop("first_feature", None)
    (start,) = python_blocks((ROOT / "docs" / "index.md").read_text("utf-8"))
    exec(start, {})


def python_blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_the_shell_line_runs(tmp_path, monkeypatch) -> None:
    (line,) = re.findall(r"`(prviz curve [^`]*)`", README)
    monkeypatch.chdir(tmp_path)
    for name in ("real.npy", "generated.npy"):
        (tmp_path / name).write_bytes(npy(VALUES))
    assert main(line.split()[1:]) == 0
    assert (tmp_path / "out.json").exists()
    assert "<svg" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_every_file_it_names_exists() -> None:
    text = "".join(path.read_text("utf-8") for path in DOCUMENTS)
    for name in re.findall(r"`((?:prviz|pages|tests)/[\w/.]+)`", text):
        assert (ROOT / name).exists(), name
    for document in DOCUMENTS:
        for link in re.findall(r"\]\((?!made/)([\w./-]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def test_the_areas_that_it_gives_are_those_measured() -> None:
    pair = prviz.bundled_pair("mixture-converged")
    few = subsample(pair, 300, 0)
    all_ = pair
    areas = [
        prviz.estimate(each, "knn", k=k)["knn"].curve.auc
        for each, k in ((few, 4), (all_, 4), (all_, "sqrt"))
    ]
    told = re.search(
        r"AuC of (0\.\d\d) with 300 digits .*? of (0\.\d\d)\n? *with all 1,797 .*? of (0\.\d\d)"
        r" with",
        README,
        re.DOTALL,
    )
    assert told is not None
    assert [f"{area:.2f}" for area in areas] == list(told.groups())


def test_the_readme_and_the_glossary_are_short() -> None:
    assert len(README.splitlines()) <= 110
    assert (
        len(CONTRIBUTING.partition("## Glossary\n")[2].partition("## ")[0].strip().splitlines())
        <= 40
    )
