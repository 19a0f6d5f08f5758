"""The notebooks of the documentation, executed in order, and what they have kept of it."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    """Its cells of code."""
    found = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def run(source: str, names: dict[str, Any]) -> Any:
    """Execute a cell; the value of its last line, where that is one."""
    body = ast.parse(source).body
    last = body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        return None
    exec(compile(ast.Module(body[:-1], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_holds_what_it_shows(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    names: dict[str, Any] = {}
    for cell in cells(path):
        value = run("".join(cell["source"]), names)
        printed = capsys.readouterr().out
        kept = [each for each in cell["outputs"] if each["output_type"] == "stream"]
        assert printed == "".join("".join(each["text"]) for each in kept)
        shown = [
            each["data"] for each in cell["outputs"] if each["output_type"] == "execute_result"
        ]
        assert len(shown) == (value is not None)
        if shown and "text/html" not in shown[0]:
            assert "".join(shown[0]["text/plain"]).split() == repr(value).split()


RIGHT: tuple[dict[str, Any], ...] = (
    {"precision_end": 1.0, "recall_end": 0.6},
    {"precision": 0.5, "recall": 0.25},
    {"answer": "b"},
    {"at_most": 0.45},
    {"answer": "b"},
)
WRONG: tuple[dict[str, Any], ...] = (
    {"precision_end": 0.6, "recall_end": 1.0},
    {"precision": 0.25, "recall": 0.5},
    {"answer": "a"},
    {"at_most": 0.3},
    {"answer": "c"},
)


@pytest.mark.parametrize("answers", [RIGHT, WRONG], ids=["right", "wrong"])
def test_the_exercises_mark_answers(answers: tuple[dict[str, Any], ...]) -> None:
    names: dict[str, Any] = {}
    found = []
    for cell in cells(ROOT / "docs" / "notebooks" / "exercises.ipynb"):
        source = "".join(cell["source"])
        if "mark(\n" in source:
            names |= answers[len(found)]
            found.append(run(source, names))
        else:
            run(source, names)
    assert len(found) == len(RIGHT)
    assert {each.split(":")[0] for each in found} == (
        {"right"} if answers is RIGHT else {"not right; try again"}
    )
