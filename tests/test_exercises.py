"""The exercises for a class: each marks what is right, what is wrong, and what is left open."""

from __future__ import annotations

import ast
import json
from typing import Any

from tests.browser import ROOT

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


def marked(answers: tuple[dict[str, Any], ...] | None) -> list[str]:
    """What the cells that mark say, one after the other, with these answers in place of those that are open."""
    found = []
    names: dict[str, Any] = {}
    cells = json.loads((ROOT / "docs" / "exercises.ipynb").read_text("utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body[-1]
        is_mark = isinstance(last, ast.Expr)
        if is_mark and answers is not None:
            names |= answers[len(found)]
        exec(compile(ast.Module(body[:-1] if is_mark else body, []), "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            found.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))  # noqa: S307
    return found


def test_answers_are_marked() -> None:
    assert marked(None) == ["not answered yet"] * len(RIGHT)
    assert all(each.startswith("right: ") for each in marked(RIGHT))
    assert marked(WRONG) == ["not right; try again"] * len(WRONG)
