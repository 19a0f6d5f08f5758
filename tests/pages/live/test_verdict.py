"""The verdict in the browser says what Python's says."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page

from prviz.curves.summaries import TRUTH, numbers, table_columns
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.verdict_twin import FamilyNumbers, verdict, verdict_sentence

Case = tuple[list[FamilyNumbers], float | None, dict[str, bool | int]]
TITLES = [*(family.title for family in ESTIMATORS.values()), "PRC (c = 4)"]
# Halves of the last printed digit, thresholds and ends: where two languages could part.
EDGES = [0.0, 1.0, 0.125, 0.375, 0.995, 0.9949999, 0.005, 0.05, 0.95, 0.950001, 1 / 3, 0.001, 0.0009999, 1e-12]

# One of every sentence: all of them are compared.
PIECES = (
    *("times", "more than", "misses", "invents", "whole", "closer", "closest", "farthest", "equally", "None is"),
    *("close to", "is 0:", "almost 0:", "less than", "Areas from", "agree", "Every area", "The area of", "No curve"),
)


def cases(count: int = 3000) -> list[Case]:
    """Random areas of overlap, excess and deficit, with many ties, edges and states."""
    rng, found = np.random.default_rng(0), list[Case]()
    for index in range(count):
        digits, size = int(rng.choice([1, 2, 3, 9])), int(rng.integers(0, 7))
        area = float(rng.choice(EDGES) if index % 3 else np.round(rng.random(), digits))
        rows = []
        for title in rng.permutation(TITLES)[:size]:
            shared = min(float(rng.choice(EDGES)), 1.0) if index % 2 else float(np.round(rng.random(), digits))
            excess = float(rng.choice(EDGES) if index % 5 == 0 else np.round(rng.random() ** 3, digits))
            if index % 7 == 1:  # all close
                shared, excess = 1 - shared / 30, area * excess / 30
            union = max(area + excess, 1e-9)
            parts = shared * area / union, excess / union, (1 - shared) * area / union
            rows.append(FamilyNumbers(str(title), shared * area + excess, *parts))
        states: dict[str, bool | int] = {name: True for name in ("approximate", "stale") if rng.random() < 0.2}
        states |= {"coarse": int(rng.integers(1, 9999))} if rng.random() < 0.2 else {}
        found.append((rows, area if index % 4 else None, states))
    return found


def test_both_give_the_same_sentences(blank: Page) -> None:
    asked = cases()
    said = blank.evaluate(
        "cases => cases.map(([rows, area, states]) => live.verdict.verdict(rows, area, states))",
        [[[row._asdict() for row in rows], area, states] for rows, area, states in asked],
    )
    expected = [verdict_sentence(rows, area, **states) for rows, area, states in asked]  # type: ignore[arg-type]
    assert said == expected
    for piece in PIECES:
        assert any(piece in sentence for sentence in expected), piece


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([0.5, 0.1], "Believe 0.21: held-out curves lie above the truth, up to chance."),
        ([0.1], "The area is 0.21 by the best classifier."),
        ([], "The area of Best classifier is 0.21."),
    ],
)
def test_without_a_truth_the_best_classifier_is_to_be_believed(blank: Page, others: list[float], said: str) -> None:
    rows = [{"title": f"family {area}", "auc": area} for area in others]
    rows.insert(0, {"title": "Best classifier", "auc": 0.2149, "believed": True})
    assert blank.evaluate("rows => live.verdict.verdict(rows, null)", rows) == said


def test_the_numbers_come_from_the_rows_of_the_table(blank: Page) -> None:
    problem = toy("finite")
    truth, found = problem.truth(), estimate(problem.sample(300, 0), k=5)
    curves = {name: found[name].curve for name in DEFAULT_METHODS}
    for known in (truth, None):
        shown = curves if known is None else {TRUTH: known, **curves}
        rows = [
            {"id": name, "name": ESTIMATORS[name].title if name in curves else "truth", "row": [*values.values()]}
            for name, curve in shown.items()
            for values in [numbers(curve, known)]
        ]
        table = {"columns": [column._asdict() for column in table_columns(known is not None)]}
        said = blank.evaluate("([rows, table]) => live.verdict.verdictAt(rows, table)", [rows, table])
        assert said == verdict(curves, known)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ""),
        ({"bound": 0.78}, ""),
        ({"bound": 0.7}, " iPR sees more than the true area, with 95 % confidence."),
        ({"coarse": 1200}, ""),
    ],
)
def test_the_verdict_stands_where_the_markup_has_a_place_for_it(
    blank: Page, more: dict[str, object], expected: str
) -> None:
    columns = [column._asdict() for column in table_columns(False)]
    rows = [0.78] * len(columns)
    curves = [{"id": "ipr", "name": "iPR", "row": rows, "vertices": [[0, 0.7], [0.7, 0]]}]
    curves.append({"id": "kde", "name": "KDE", "row": [0.9] * len(columns), "vertices": [[0, 1], [0.5, 0]]})  # hidden
    panes = [{"note": "approximate"}]
    said = blank.evaluate(
        """([columns, curves, panes, more]) => {
            document.body.innerHTML = '<div class="live"><p class="verdict"></p></div>';
            const payload = { rows: true, table: { columns }, panes, stale: false, ...more };
            const verdict = document.querySelector(".verdict");
            const rows = { hidden: new Set(["kde"]) };
            live.readout.showWords({ payload, controls: { list: [] }, parts: { verdict }, rows }, { curves });
            return document.querySelector(".live").textContent;
        }""",
        [columns, curves, panes, more],
    )
    state = "First look at 1,200 samples, approximate" if "coarse" in more else "Approximate"
    assert said == f"{state}: The area of iPR is 0.78.{expected}"


def test_the_side_on_which_most_is_missing_is_that_of_all_curves(blank: Page) -> None:
    """Of a dropped mode recall's, of an invented one precision's; of both, and where curves differ, none."""
    dropped, invented, both = [[0, 1], [0.8, 0]], [[0, 0.8], [1, 0]], [[0, 0.8], [0.8, 0]]
    said = blank.evaluate(
        "cases => cases.map((curves) => live.without_truth.missingSide(curves))",
        [[dropped], [invented, invented], [both], [dropped, invented], [[[0, 1], [0.99, 0]]], []],
    )
    sentence = " Mostly {} is missing."
    assert said == [sentence.format("recall"), sentence.format("precision"), "", "", "", ""]
