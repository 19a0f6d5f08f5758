"""The verdict in the browser says what Python's says."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page

from prviz.curves.summaries import TRUTH, numbers, table_columns
from prviz.curves.verdict import FamilyNumbers, verdict_sentence
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.reports.verdict import verdict
from prviz.toys import toy

Case = tuple[list[FamilyNumbers], float | None, bool, bool]
TITLES = [*(family.title for family in ESTIMATORS.values()), "PRC (c = 4)"]
# Halves of the last printed digit, thresholds and ends: where two languages could part.
EDGES = [0.0, 1.0, 0.125, 0.375, 0.995, 0.9949999, 0.005, 0.05, 0.95, 0.950001, 1 / 3, 0.001, 0.0009999, 1e-12]

# One of every sentence: all of them are compared.
PIECES = (
    *("times", "more than", "misses", "invents", "whole", "closer", "closest", "farthest", "equally", "None is"),
    *("close to", "is 0:", "almost 0:", "less than", "areas from", "agree", "every area", "the area of", "No curve"),
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
        found.append((rows, area if index % 4 else None, bool(rng.random() < 0.2), bool(rng.random() < 0.2)))
    return found


def test_both_give_the_same_sentences(blank: Page) -> None:
    asked = cases()
    said = blank.evaluate(
        "cases => cases.map(([rows, area, ...said]) => live.verdict.verdict(rows, area, Object.assign({}, ...said)))",
        [
            [[row._asdict() for row in rows], area, {"approximate": approximate}, {"stale": stale}]
            for rows, area, approximate, stale in asked
        ],
    )
    expected = [
        verdict_sentence(rows, area, approximate=approximate, stale=stale) for rows, area, approximate, stale in asked
    ]
    assert said == expected
    for piece in PIECES:
        assert any(piece in sentence for sentence in expected), piece


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
    ],
)
def test_the_verdict_stands_where_the_markup_has_a_place_for_it(
    blank: Page, more: dict[str, object], expected: str
) -> None:
    columns = [column._asdict() for column in table_columns(False)]
    curves = [{"id": "ipr", "name": "iPR", "row": [0.78] * len(columns)}]
    panes = [{"note": "approximate"}]
    said = blank.evaluate(
        """([columns, curves, panes, more]) => {
            document.body.innerHTML = '<div class="live"><p class="verdict"></p></div>';
            const payload = { rows: true, table: { columns }, panes, stale: false, ...more };
            const verdict = document.querySelector(".verdict");
            live.readout.showWords({ payload, controls: { list: [] }, parts: { verdict } }, { curves });
            return document.querySelector(".live").textContent;
        }""",
        [columns, curves, panes, more],
    )
    assert said == "Approximate: Without a truth: the area of iPR is 0.78." + expected
