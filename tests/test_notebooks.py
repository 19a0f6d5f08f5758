"""The notebooks of the documentation, executed in order, and what they have kept of it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prviz
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


@pytest.fixture(scope="module", autouse=True)
def beside_the_notebooks() -> Iterator[None]:
    """What lies beside a notebook is imported by it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs" / "notebooks"))
        yield


@pytest.mark.exhaustive
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


EXERCISES = [
    "".join(cell["source"]) for cell in cells(ROOT / "docs" / "notebooks" / "exercises.ipynb")
]
ASKED = [source for source in EXERCISES if "..." in source]
RIGHT = (("1", "0.6"), ("0.5", "0.25"), ("b",), ("0.45",), ("b",))
# What is answered to which exercise, and what the mark then says.
SAID = (
    *((place, answers, "right: ") for place, answers in enumerate(RIGHT)),
    *((place, ["..."] * len(answers), "not answered yet") for place, answers in enumerate(RIGHT)),
    (0, ("1", "..."), "recall_end: not answered yet"),
    (0, ("0.6", "1"), "precision_end: not right; precision is the share of what it makes"),
    (0, ("1", "0.4"), "recall_end: not right; that is the share it lost"),
    (0, ("1", "60"), "recall_end: a number from 0 to 1 is wanted (percent"),
    (1, ("0.7", "0.35"), "precision: not right; λ weighs the real samples"),
    (1, ("0.4", "0.2"), "precision: not right; that is the precision at λ = 1"),
    (1, ("0.9", "0.45"), "precision: not right; it is the sum"),
    (1, ("lam * fpr + fnr", "0.5"), "recall: not right; precision is λ times recall"),
    (2, ("(B)",), "right: without a split each sample votes on itself"),
    (2, ("a",), "answer: not right; who votes"),
    (2, ("c",), "answer: one of the letters a, b is wanted"),
    (3, ("estimate.auc",), "at_most: not right; the true area is higher"),
    (3, ("round(bound.auc, 2)",), "at_most: not right; that is below the bound"),
    (3, ("bound.auc",), "at_most: not right; it holds, but two digits"),
    (3, ("0.5",), "at_most: not right; it holds, but two digits"),
    (3, ("bound",), "at_most: a number from 0 to 1 is wanted"),
    (4, ("a",), "answer: not right; it would have to hold for the striped pair"),
    (4, ("c",), "answer: not right; it would have to hold for the striped pair"),
    (4, ("d",), "answer: not right; what did exercise 4 show?"),
    (4, ("yes",), "answer: one of the letters a, b, c, d is wanted"),
)
MALFORMED = ("[1, ...]", "None", "'half'", "1j", "float('nan')", "-10**400", "[0.1] * 3", "print")


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    """What the cells without a question define."""
    names: dict[str, Any] = {}
    for source in EXERCISES:
        if source not in ASKED:
            run(source, names)
    return names


def marked(
    place: int, answers: Iterable[str], names: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> str:
    """What the mark of an exercise says of the answers in place of its dots."""
    capsys.readouterr()
    left = iter(answers)
    run(re.sub(r"\.\.\.", lambda _: next(left), ASKED[place]), dict(names))
    assert not list(left)
    return capsys.readouterr().out


@pytest.mark.one_in(7)
@pytest.mark.parametrize(("place", "answers", "said"), SAID)
def test_an_exercise_marks_answers_and_hints_at_slips(
    place: int,
    answers: tuple[str, ...],
    said: str,
    given: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = marked(place, answers, given, capsys)
    assert said in found
    assert len(found.splitlines()) == 1


@pytest.mark.parametrize("answer", MALFORMED)
def test_a_malformed_answer_is_told_what_is_wanted(
    answer: str, given: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for place, answers in enumerate(RIGHT):
        if len(answers) > 1 or place == 3:
            assert "is wanted" in marked(place, [answer] * len(answers), given, capsys)


def test_what_the_exercises_say_of_their_own_data(
    given: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """An estimate would claim too much, and so does a bound that is rounded to the nearest."""
    truth = given["problem"].truth()
    assert given["estimate"].auc < truth.auc < round(given["bound"].auc, 2) < given["bound"].auc
    assert np.all(given["bound"].alpha([0.2, 1.0, 5.0]) >= truth.alpha([0.2, 1.0, 5.0]))
    assert given["areas"]["striped"] == pytest.approx(given["areas"]["even"], abs=0.01)
    without, with_one = map(float, re.findall(r"[01]\.\d+", marked(2, "b", given, capsys)))
    assert without < with_one - 0.1


def test_marks_are_computed_from_the_data_of_the_notebook(
    given: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    marks = given["marks"]
    capsys.readouterr()
    marks.lost_mode([0.5, 0.25, 0.25], 1, 0.5)
    marks.lost_mode([0.5, 0.25, 0.25], 1, 0.6)
    marks.one_classifier(4.0, 0.2, 0.1, 0.9, 0.225)
    marks.one_classifier(4.0, 0.2, 0.1, 0.5, 0.25)
    marks.claim(prviz.PRCurve.from_error_rates([0.5], [0.5]), given["problem"].truth(), 1)
    first_words = [line.split(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert first_words == ["right", "recall_end", "right", "precision", "right"]
