"""The verdict in the browser says what Python's says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from prviz.curves import PRCurve
from prviz.curves.refuted import refuted_runs
from prviz.curves.summaries import TRUTH, numbers, table_columns
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.verdict_twin import FamilyNumbers, Few, straight, verdict, verdict_sentence

Case = tuple[list[FamilyNumbers], float | None, dict[str, Any]]
TITLES = [*(family.title for family in ESTIMATORS.values()), "PRC (c = 4)"]
# Halves of the last printed digit, thresholds and ends: where two languages could part.
EDGES = [
    0.0,
    1.0,
    0.125,
    0.375,
    0.995,
    0.9949999,
    0.005,
    0.05,
    0.95,
    0.950001,
    1 / 3,
    0.001,
    0.0009999,
    1e-12,
]

# One of every sentence: all of them are compared.
PIECES = (
    *(
        "too high.",
        "too low.",
        "mostly too high:",
        "mostly too low:",
        "too high here,",
        ": overlap ",
        "closer",
        "closest",
        "Both",
        "None is",
    ),
    *(
        "close to",
        "is 0:",
        "almost 0:",
        "less than",
        "Areas from",
        "agree",
        "Every area",
        "The area of",
        "No curve",
    ),
    *(
        "All five",
        "overlaps are alike",
        "areas are alike",
        "Too few samples to believe",
        "The sets differ",
    ),
    *(
        "not told apart",
        "differ; the true",
        "differ. Too few",
        " curves, ",
        "Areas so far: ",
        "Area so far: ",
    ),
)


def cases(count: int = 1500) -> list[Case]:
    """Random areas of overlap, excess and deficit, with many ties, edges and states."""
    rng = np.random.default_rng(0)
    found = list[Case]()
    for index in range(count):
        digits = int(rng.choice([1, 2, 3, 9]))
        size = int(rng.integers(0, 7))
        area = float(rng.choice(EDGES) if index % 3 else np.round(rng.random(), digits))
        rows = []
        for title in rng.permutation(TITLES)[:size]:
            shared = (
                min(float(rng.choice(EDGES)), 1.0)
                if index % 2
                else float(np.round(rng.random(), digits))
            )
            excess = float(
                rng.choice(EDGES) if index % 5 == 0 else np.round(rng.random() ** 3, digits)
            )
            if index % 7 == 1:  # all close
                shared = 1 - shared / 30
                excess = area * excess / 30
            union = max(area + excess, 1e-9)
            parts = shared * area / union, excess / union, (1 - shared) * area / union
            rows.append(FamilyNumbers(str(title), shared * area + excess, *parts))
        states: dict[str, Any] = {
            name: True for name in ("approximate", "stale") if rng.random() < 0.2
        }
        states |= {"coarse": int(rng.integers(1, 9999))} if rng.random() < 0.2 else {}
        states |= {"noise": float(rng.choice([0.01, 0.05, 0.2]))} if index % 2 else {}
        states |= {"folded": int(rng.integers(0, size + 1))} if index % 3 == 0 else {}
        states |= {"agreement": float(rng.choice(EDGES))} if index % 8 == 0 else {}
        states |= {"pending": True} if index % 16 == 8 else {}
        if index % 12 == 4:
            bound = None if index % 24 == 4 else float(rng.choice(EDGES))
            states["few"] = Few(bound, None if index % 36 == 4 else bool(rng.random() < 0.5))
        found.append((rows, area if index % 4 else None, states))
    return found


def test_both_give_the_same_sentences(blank: Page) -> None:
    asked = cases()
    said = blank.evaluate(
        "cases => cases.map(([rows, area, states]) => live.verdict.verdict(rows, area, states))",
        [
            [[row._asdict() for row in rows], area, states | {"few": few and few._asdict()}]
            for rows, area, states in asked
            for few in [states.get("few")]
        ],
    )
    expected = [verdict_sentence(rows, area, **states) for rows, area, states in asked]
    assert said == expected
    for piece in PIECES:
        assert any(piece in sentence for sentence in expected), piece


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (
            [0.5, 0.1],
            "The best classifier is right 88 times in 100; a coin is in 50."
            " Believe its curve: area 0.21.",
        ),
        (
            [0.5, 0.3],
            "The best classifier is right 88 times in 100; a coin is in 50."
            " Believe its curve, the lowest: area 0.21.",
        ),
        (
            [0.1],
            "The best classifier is right 88 times in 100; a coin is in 50. Its area is 0.21.",
        ),
        ([], "The area of Best classifier is 0.21."),
    ],
)
def test_without_a_truth_the_best_classifier_is_to_be_believed(
    blank: Page, others: list[float], said: str
) -> None:
    rows = [{"title": f"family {area}", "auc": area} for area in others]
    best = {"title": "Best classifier", "auc": 0.2149, "believed": True, "balanced": 0.25}
    rows.insert(0, best)
    assert blank.evaluate("rows => live.verdict.verdict(rows, null)", rows) == said


def test_the_numbers_come_from_the_rows_of_the_table(blank: Page) -> None:
    problem = toy("finite")
    truth = problem.truth()
    found = estimate(problem.sample(300, 0), k=5)
    curves = {name: found[name].curve for name in DEFAULT_METHODS}
    for known in (truth, None):
        rows = lines_of(curves, known)
        table = {"columns": columns_of(known)}
        lines = [curve.vertices.tolist() for curve in curves.values()]
        said = blank.evaluate(
            """([rows, table, lines]) => {
                const agreement = live.without_truth.agreement(lines);
                return live.verdict.verdictAt(rows, table, { agreement });
            }""",
            [rows, table, lines],
        )
        assert said == verdict(curves, known)


def lines_of(curves: dict[str, PRCurve], truth: PRCurve | None = None) -> list[dict[str, Any]]:
    """What the browser holds of these curves, the truth first."""
    drawn = curves if truth is None else {TRUTH: truth, **curves}
    return [
        {
            "id": name,
            "name": "truth" if name == TRUTH else ESTIMATORS[name].title,
            "vertices": curve.vertices.tolist(),
            "row": [*numbers(curve, truth).values()],
        }
        for name, curve in drawn.items()
    ]


def columns_of(truth: PRCurve | None) -> list[dict[str, Any]]:
    return [column._asdict() for column in table_columns(truth is not None)]


SHOWN = """([columns, curves, rows, more]) => {
    document.body.innerHTML = '<div class="live"><p class="verdict"></p></div>';
    const payload = { rows: true, table: { columns }, panes: [{ note: "" }], stale: false, lines: [], ...more };
    const verdict = document.querySelector(".verdict"), sets = { hidden: new Set(rows.hidden), off: new Set(rows.off) };
    const figure = { payload, controls: { list: [] }, parts: { verdict }, rows: sets, film: { open: false } };
    live.readout.showWords(figure, { curves });
    return document.querySelector(".live").textContent;
}"""
UP_TO = straight(0.5, 0.5)


def shown(
    page: Page,
    curves: dict[str, PRCurve],
    truth: PRCurve | None = None,
    *,
    rows: dict[str, Any],
    **more: Any,
) -> str:
    """The verdict on screen, with `hidden` curves and those that are switched `off`."""
    lines = lines_of(curves, truth)
    if bound := more.pop("line", None):
        more["lines"] = [{"id": "bound", "vertices": bound.vertices.tolist()}]
    said: str = page.evaluate(
        SHOWN, [columns_of(truth), lines, {"hidden": [], "off": [], **rows}, more]
    )
    return said


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ""),
        ({"panes": [{"note": "approximate"}]}, "Approximate: "),
        (
            {"panes": [{"note": "approximate"}], "coarse": 1200},
            "First look at 1,200 samples, approximate: ",
        ),
    ],
)
def test_the_verdict_stands_where_the_markup_has_a_place_for_it(
    blank: Page, more: dict[str, Any], expected: str
) -> None:
    curves = {"ipr": UP_TO, "kde": PRCurve.from_error_rates([], [])}
    said = shown(blank, curves, rows={"hidden": ["kde"], "off": ["kde"]}, **more)
    assert said == f"{expected}The area of iPR is {UP_TO.auc:.2f}."


def test_the_verdict_is_of_every_measured_family_however_many_are_drawn(blank: Page) -> None:
    """Those that are folded count, in any order; those that the user has switched off do not."""
    names = list(ESTIMATORS)[:9]
    ends = dict(zip(names, np.linspace(0.3, 0.9, len(names)), strict=True))
    curves = {name: straight(end, end) for name, end in ends.items()}
    truth = curves[names[8]]
    said = shown(blank, curves, truth, rows={"hidden": names[6:]})
    title = ESTIMATORS[names[8]].title
    assert said.startswith("Of 9 curves, 6 drawn: ")
    assert re.search(rf"{title} (is|are) close to the truth: 1.00", said)
    again = dict(reversed(curves.items()))
    assert shown(blank, again, truth, rows={"hidden": names[:3]}) == said
    without = shown(blank, curves, truth, rows={"hidden": names[6:], "off": names[8:]})
    assert without.startswith("Of 8 curves, 6 drawn: ")
    assert title not in without


def test_a_curve_that_leaves_the_bound_anywhere_is_refuted_whatever_its_area(blank: Page) -> None:
    bound = straight(0.9, 0.3)
    across = straight(0.25, 0.5)
    inside = straight(0.5, 0.2)
    assert across.auc < bound.auc
    curves = {"kde": across, "knn": inside}
    said = shown(blank, curves, rows={}, line=bound)
    assert said.endswith(" KDE is too high where thin (95\u00a0%).")
    errors = [{"follow": "error"}]
    said = shown(blank, curves, rows={}, line=bound, panes=errors)
    assert said.endswith(" KDE is too low (95\u00a0%).")  # of error rates, in one weight of line
    all_out = dict.fromkeys(["knn", "kde", "ipr"], across)
    assert " 3 curves are too high where thin (95\u00a0%)." in shown(
        blank, all_out, rows={}, line=bound
    )
    assert "thin" not in shown(blank, curves, rows={})
    assert "thin" not in shown(blank, {"knn": inside, "kde": bound}, rows={}, line=bound)
    assert "thin" not in shown(blank, {"knn": inside, "tightest": across}, rows={}, line=bound)


def test_a_truth_without_area_has_its_areas_compared(blank: Page) -> None:
    """Total collapse: the table has no overlap with it, which would be 0 or 1."""
    truth = PRCurve.from_error_rates([0.0], [0.0])
    curves = {"knn": straight(0.1, 0.1), "kde": UP_TO}
    lines = [
        {**line, "id": name, "name": name}
        for name, line in zip((TRUTH, *curves), lines_of({"ipr": truth, **curves}), strict=True)
    ]
    said = blank.evaluate(SHOWN, [columns_of(None), lines, {"hidden": [], "off": []}, {}])
    assert (
        said
        == f"The true area is 0: kde has {UP_TO.auc:.2f}. knn is closer: {curves['knn'].auc:.2f}."
    )


def test_numbers_that_chance_alone_makes_are_not_ranked(blank: Page) -> None:
    rows = [
        FamilyNumbers(title, 0.36, iou, 1 - iou, 0.0)._asdict()
        for title, iou in (("a", 0.69), ("b", 0.7))
    ]
    rows += [FamilyNumbers(title, 0.36, 0.704, 0.296, 0.0)._asdict() for title in "cd"]
    say = "([rows, noise]) => live.verdict.verdict(rows, 0.254, { noise })"
    assert (
        blank.evaluate(say, [rows, 0.03])
        == "All four are too high. Their overlaps are alike: 0.69 to 0.70."
    )
    assert (
        blank.evaluate(say, [rows, 0.0]) == "All four are too high. c, d and b are closest: 0.70."
    )
    rows.append(FamilyNumbers("e", 0.3, 0.84, 0.16, 0.0)._asdict())
    said = "All five are too high. e is closest: 0.84."
    assert blank.evaluate(say, [rows, 0.03]) == said


def test_areas_that_agree_do_not_make_curves_alike(blank: Page) -> None:
    """A generator that invents and one that drops modes have one area, and two curves."""
    leans = straight(0.1, 0.8)
    assert leans.auc == pytest.approx(leans.mirrored().auc)
    said = shown(blank, {"kde": leans, "knn": leans.mirrored()}, rows={})
    area = f"{leans.auc:.2f}"
    overlap = f"{leans.iou(leans.mirrored()):.2f}"
    assert (
        said
        == f"The areas are alike ({area}), the curves are not: two of them have an overlap of {overlap}."
    )


def test_the_side_on_which_most_is_missing_is_that_of_all_curves(blank: Page) -> None:
    """Of a dropped mode recall's, of an invented one precision's; of both, and where curves differ,
    none.
    """
    dropped = [[0, 1], [0.8, 0]]
    invented = [[0, 0.8], [1, 0]]
    both = [[0, 0.8], [0.8, 0]]
    said = blank.evaluate(
        "cases => cases.map((curves) => live.without_truth.missingSide(curves))",
        [[dropped], [invented, invented], [both], [dropped, invented], [[[0, 1], [0.99, 0]]], []],
    )
    sentence = " Mostly {} is missing."
    assert said == [sentence.format("recall"), sentence.format("precision"), "", "", "", ""]


def test_the_row_of_a_curve_beyond_the_bound_says_where_it_is_refuted(blank: Page) -> None:
    bound = straight(0.9, 0.3)
    across = straight(0.25, 0.5)
    near = straight(0.25, 0.49)
    curves = {"kde": across, "knn": bound, "tightest": near}
    lines = [
        {"id": name, "name": name, "vertices": curve.vertices.tolist(), "row": [curve.auc]}
        for name, curve in curves.items()
    ]
    said = blank.evaluate(
        """([curves, bound]) => {
            const make = () => document.createElement("b"), parts = ["missed", "invented", "number", "same", "refuted"];
            const cells = () => Object.fromEntries([["box", make()], ...parts.map((name) => [name, make()])]);
            const list = new Map(curves.map(({ id }) => [id, cells()]));
            const payload = { lines: [{ id: "bound", vertices: bound }] };
            live.rows.fillRows({ payload, rows: { list }, task: { secret: false }, film: {} }, curves);
            return [...list.values()].map(({ box, refuted }) => [refuted.textContent, box.title, box.className]);
        }""",
        [lines, bound.vertices.tolist()],
    )
    (low, _), *_, (_, high) = 2 * refuted_runs(curves["kde"], bound)
    (mark, title, kind), inside, own = said
    assert (mark, kind) == (" refuted", "refuted")
    assert "thin" not in title  # in error space nothing is
    assert f"Refuted for λ from {low:.3g} to {'∞' if np.isinf(high) else f'{high:.3g}'}" in title
    assert inside[0] == inside[2] == ""
    assert "Refuted" not in inside[1]
    assert own[0] == own[2] == ""
    assert "efuted" not in own[1]
    assert "Beyond its own bound on the truth (95 %) for λ from" in own[1]


def test_no_family_is_named_twice() -> None:
    rows = [
        FamilyNumbers("kNN", 0.30, 0.96, 0.04, 0.0),
        FamilyNumbers("KDE", 0.31, 0.94, 0.06, 0.0),
        FamilyNumbers("iPR", 0.60, 0.49, 0.51, 0.0),
        FamilyNumbers("Coverage", 0.30, 0.97, 0.03, 0.0),
    ]
    said = "KDE and iPR are too high, kNN and Coverage are close to the truth: 0.96 to 0.97."
    assert verdict_sentence(rows, 0.29, noise=0.03) == said
