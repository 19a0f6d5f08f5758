"""What the README shows works as it stands there."""

from __future__ import annotations

import re

import prviz
from prviz.cli.main import main
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from tests.browser import ROOT
from tests.file_builders import VALUES, npy

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_lines_run() -> None:
    first, more, own, _ = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)  # the last: test_trackers.py
    names: dict[str, object] = {}
    exec(first, names)
    assert isinstance(names["curve"], PRCurve)
    assert len(first.strip().splitlines()) <= 11
    exec(more, names)
    try:
        exec(own, names)
        assert "first_feature" in ESTIMATORS
        assert isinstance(prviz.pr_curve(names["real"], names["generated"], "first_feature"), PRCurve)
    finally:
        ESTIMATORS.pop("first_feature", None)
    assert len(own.replace("\n\n", "\n").strip().splitlines()) <= 8


def test_the_shell_line_runs(tmp_path, monkeypatch) -> None:
    (line,) = re.findall(r"`(prviz curve [^`]*)`", README)
    monkeypatch.chdir(tmp_path)
    for name in ("real.npy", "generated.npy"):
        (tmp_path / name).write_bytes(npy(VALUES))
    assert main(line.split()[1:]) == 0
    assert (tmp_path / "out.json").exists()
    assert "plotly" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_every_file_it_names_exists() -> None:
    for name in re.findall(r"`((?:prviz|pages|tests)/[\w/.]+)`|\]\((\.readme/[\w.]+)\)", README):
        path = ROOT / (name[0] or name[1])
        assert path.exists(), path
