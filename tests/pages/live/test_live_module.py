"""The live figure's JavaScript by itself, in a browser without an app, against prviz's own
arithmetic.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from pages._live import figure
from prviz.curves import PRCurve
from prviz.curves.refuted import refuted_runs
from prviz.curves.summaries import first_differences
from prviz.estimators import ESTIMATORS
from prviz.figures.pr import LIMIT, limit_label
from prviz.figures.theme import number
from prviz.live.figure import Slider
from prviz.measure.estimates import estimate
from prviz.toys import TOYS, toy
from tests.marks import exhaustive_but

RNG = np.random.default_rng(0)
CURVES = {
    "disjoint": PRCurve.from_error_rates([0.0], [0.0]),
    "equal": PRCurve.from_error_rates([], []),
    "three": PRCurve.from_error_rates([0.0, 0.2, 0.5], [0.6, 0.2, 0.0]),
    "many": PRCurve.from_error_rates(*RNG.random((2, 50))),
    "smooth": toy("shifted-gaussians").truth(),
}


@pytest.mark.parametrize("name", CURVES)
def test_the_drawn_points_are_those_of_python(blank: Page, name: str) -> None:
    curve = CURVES[name]
    found = blank.evaluate(
        "v => live.curve.sample(v).map(p => [p.lam, p.alpha, p.beta])", curve.vertices.tolist()
    )
    lam, alpha, beta = curve.sample(200)
    finite = np.array(
        [[np.inf if each is None else each for each in point] for point in found], dtype=float
    )
    np.testing.assert_allclose(
        finite[1:-1], np.column_stack([lam, alpha, beta])[1:-1], rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(
        finite[[0, -1], 1:], [[alpha[0], beta[0]], [alpha[-1], beta[-1]]], atol=1e-12
    )


def test_points_at_one_lam_are_those_of_python(blank: Page) -> None:
    curve = CURVES["many"]
    lams = [0.0, 1e-6, *curve.breakpoints.tolist(), 0.3, 1.0, 7.0, 1e6]
    found = blank.evaluate(
        "([v, lams]) => lams.map(lam => live.curve.pointAt(v, lam)).map(p => [p.alpha, p.beta,"
        " p.fpr, p.fnr])",
        [curve.vertices.tolist(), lams],
    )
    expected = np.column_stack(
        [curve.alpha(lams), curve.beta(lams), curve.vertices[curve.vertex_at(lams)]]
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    ends = blank.evaluate(
        "v => { const p = live.curve.pointAt(v, Infinity); return [p.alpha, p.beta]; }",
        curve.vertices.tolist(),
    )
    assert ends == [curve.extreme_precision, 0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CURVES)
def test_one_walk_finds_what_a_search_at_every_lam_finds(blank: Page, name: str) -> None:
    curve = CURVES[name]
    lams = [0.0, *np.sort([1e-6, *curve.breakpoints, *np.geomspace(1e-3, 1e3, 50)]).tolist()]
    walked, searched = (
        np.array(
            blank.evaluate(
                f"([v, lams]) => {call}.map(at => [at.lam, at.alpha, at.beta])",
                [curve.vertices.round(9).tolist(), lams],
            )
        )
        for call in (
            "live.curve.pointsAlong(v, lams)",
            "lams.map(lam => live.curve.pointAt(v, lam))",
        )
    )
    np.testing.assert_allclose(walked, searched, atol=1e-6)  # as far as vertices travel rounded
    ends = blank.evaluate(
        "v => live.curve.pointsAlong(v, [1, Infinity]).map(at => at.alpha)", curve.vertices.tolist()
    )
    np.testing.assert_allclose(ends, curve.alpha([1.0, np.inf]), atol=1e-12)


@pytest.mark.parametrize("name", exhaustive_but(TOYS, "mixtures", "outlier"))
def test_rounded_vertices_mislead_nobody(blank: Page, name: str) -> None:
    """Those of a smooth truth lie closer than the digits that travel."""
    curve = toy(name).truth()
    lams = [0.01, 0.3, 1.0, 2.0, 30.0]
    travelled = curve.vertices.round(9).tolist()  # as live_figure sends them
    found = blank.evaluate(
        "([v, lams]) => lams.map(lam => live.curve.pointAt(v, lam).alpha)", [travelled, lams]
    )
    np.testing.assert_allclose(found, curve.alpha(lams), atol=1e-6)


def test_numbers_read_as_in_python(blank: Page) -> None:
    values = [
        0.0,
        1.0,
        -1.0,
        0.5,
        12.34,
        123.4,
        1234.0,
        99.95,
        0.0001234,
        0.00001234,
        1e10,
        1e-10,
        2 / 3,
        100.0,
        999.5,
    ]
    assert blank.evaluate("values => values.map(x => live.curve.general(x))", values) == [
        number(value) for value in values
    ]
    assert blank.evaluate("() => [live.curve.general(Infinity), live.curve.general(NaN)]") == [
        "∞",
        "none",
    ]


FRAMES = {
    "id": "one",
    "k": {
        "stops": [1, 2],
        "curves": {"kde": [[0, 1, 1, 0], [0, 0.5, 0.5, 0]]},
        "rows": {"kde": [[0.1], [0.2]]},
    },
    "bandwidth": {
        "stops": [0.5],
        "curves": {"kde": [[0, 0.25, 0.25, 0]]},
        "rows": {"kde": [[0.3]]},
    },
}
PAYLOAD = {
    "frames": "one",
    "shown": {"k": 2, "bandwidth": None},
    "curves": [
        {"id": "truth", "vertices": [[0, 0]]},
        {"id": "kde", "vertices": [[0, 0.5], [0.5, 0]]},
    ],
    "table": {"rows": {"truth": [1], "kde": [0.2]}},
}


@pytest.mark.parametrize(
    ("frames", "at", "row"),
    [
        ("one", {"k": 1, "bandwidth": None}, 0.1),
        ("one", {"k": 2, "bandwidth": None}, 0.2),
        ("one", {"k": 1, "bandwidth": 0.5}, 0.3),
        ("one", {"k": 7, "bandwidth": 0.5}, 0.3),  # k moves nothing here
        ("one", {"k": 7, "bandwidth": None}, None),
        ("one", {"k": 1, "bandwidth": 0.6}, None),
        ("another", {"k": 1, "bandwidth": None}, None),
        ("", {"k": 1, "bandwidth": None}, None),
    ],
)
def test_only_frames_of_this_problem_and_stop_are_drawn(
    blank: Page, frames: str, at: dict, row: float | None
) -> None:
    found = blank.evaluate(
        """([frames, payload, at]) => {
            window.__prviz.frames.set(frames.id, frames);
            return live.frames.curvesAt(payload, at)?.map(c => [c.id, c.row[0], c.vertices]) ?? null;
        }""",
        [FRAMES, {**PAYLOAD, "frames": frames}, at],
    )
    assert (found is None) == (row is None)
    if found is not None:
        assert [each[:2] for each in found] == [["truth", 1], ["kde", row]]
        assert len(found[1][2]) == 2


def test_equal_curves_are_named_after_the_first_of_them(blank: Page) -> None:
    one = [[0, 1], [1, 0]]
    near = [[0, 1 - 1e-10], [1, 0]]
    other = [[0, 1 - 1e-8], [1, 0]]
    curves = [
        ("truth", one),
        ("a", one),
        ("b", other),
        ("c", near),
        ("d", [*one, [1, 0]]),
        ("e", one),
    ]
    found = blank.evaluate(
        "curves => [...live.rows.equalTo(curves.map(([id, vertices]) => ({ id, vertices })))]",
        curves,
    )
    assert found == [["c", "a"], ["e", "a"]]


ROWS = """([names, payload, clicks]) => {
    document.body.innerHTML = '<div id="rows"></div>';
    const sent = [], curves = names.map((id) => ({ id, name: id, color: "red" }));
    const figure = {
        payload: { rows: true, curves, table: { columns: [{ key: "auc" }] }, ...payload }, panes: [], line: {},
        parts: { rows: document.querySelector("#rows") }, root: document.body, rows: live.rows.noRows(),
        timers: { start: () => {} }, redraw: () => {}, follow: () => {},
    };
    live.rows.makeRows(figure);
    for (const id of clicks) {
        figure.rows.list.get(id).box.click();
        sent.push(figure.line.hidden);
    }
    return [figure.rows.drawn, [...figure.rows.off], sent];
}"""


def test_what_is_switched_off_is_told_apart_from_what_is_too_much_to_draw(blank: Page) -> None:
    names = list("abcdefgh")
    drawn, off, sent = blank.evaluate(ROWS, [names, {}, ["b", "h", "b"]])
    assert sent[0] == {"hidden": ["b"], "folded": ["g", "h"]}
    assert sent[1] == {"hidden": ["b"], "folded": ["g"]}
    assert sent[2] == {"hidden": [], "folded": ["a", "g"]}  # six are drawn: the first goes
    assert (drawn, off) == (list("cdefhb"), [])
    assert blank.evaluate(ROWS, [names, sent[0], []]) == [list("acdef"), ["b"], []]
    assert blank.evaluate(ROWS, [names[:3], {"hidden": ["a"]}, []]) == [["b", "c"], ["a"], []]


@pytest.mark.parametrize(
    "name",
    exhaustive_but(("mixtures", "shifted-gaussians", "boxes", "narrow-gaussian", "dirac"), "boxes"),
)
@pytest.mark.parametrize("by", [0.02, 0.05])
def test_curves_leave_the_truth_where_python_says(blank: Page, name: str, by: float) -> None:
    problem = toy(name, d=64)
    truth = problem.truth()
    pair = problem.sample(600, 0)
    estimates = [
        estimate(pair, k=k)[method].curve
        for k in (3, 20)
        for method in ("knn", "kde", "ipr", "coverage")
    ]
    found = blank.evaluate(
        """([curves, truth, by]) => {
            const { firstDifference, mirrored } = live.curve;
            return curves.map(
                c => [firstDifference(c, truth, by), firstDifference(mirrored(c), mirrored(truth), by)]);
        }""",
        [
            [curve.vertices.round(9).tolist() for curve in [*estimates, truth]],
            truth.vertices.round(9).tolist(),
            by,
        ],
    )
    for (up, down), curve in zip(found, [*estimates, truth], strict=True):
        expected = first_differences(curve, truth, by)
        inverse = None if expected.recall is None else 1 / expected.recall
        for here, there in ((up, expected.precision), (down, inverse)):
            # Vertices travel with nine digits, which is not enough for a place far beyond the axis,
            # or nowhere.
            at, wanted = (np.inf if each is None else each for each in (here, there))
            assert np.clip(at, 1e-4, 1e4) == pytest.approx(np.clip(wanted, 1e-4, 1e4), rel=1e-5)


def test_what_was_on_its_way_before_a_move_does_not_undo_it(blank: Page) -> None:
    """The page may be drawn, of what Python knew before, between a question and its answer."""
    blank.set_content(Path(figure.__file__).with_name("live.html").read_text())
    k = vars(Slider("k", "k", [1, 2, 3], 1, 1))
    payload = {
        "controls": [k],
        "curves": [],
        "panes": [],
        "table": None,
        "frames": "",
        "shown": None,
        "legend": False,
    }
    payload |= {
        "lines": [],
        "vertices": {},
        "rows": True,
        "token": "a visitor",
        "of": ["toy", "modes"],
    }
    found = blank.evaluate(
        """async ([payload, k]) => {
            const sent = [], seen = [], parentElement = document.body;
            window.URL = function (path) { return path; }; // of this module, which has no address
            window.fetch = (_, { body }) => {
                sent.push(JSON.parse(body));
                const whole = new Response('{"q":1,"kind":"done"}\\n');
                return sent.length > 1 ? new Promise(() => {}) : Promise.resolve(whole);
            };
            const page = (value, asked) => {
                const text = JSON.stringify({ ...payload, controls: [{ ...k, value, resolved: value }], asked });
                const data = new TextEncoder().encode(text);
                live.default({ data, parentElement, setStateValue: () => {}, setTriggerValue: () => {} });
                seen.push(+document.querySelector("input[type=range]").value + 1);
            };
            page(1, 0);
            const range = document.querySelector("input[type=range]");
            range.value = "1";
            range.oninput();
            page(1, 1); // the move waits for the answer to the first question
            for (let i = 0; sent.length < 2 && i < 500; i++) await new Promise(done => setTimeout(done, 20));
            page(1, 1);
            page(3, 2);
            return [seen, sent.map(({ q, of, values }) => [q, of, values])];
        }""",
        [payload, k],
    )
    assert found == [[1, 2, 2, 3], [[1, ["toy", "modes"], {}], [2, ["toy", "modes"], {"k": 2}]]]


def test_the_agreement_without_a_truth_is_the_lowest_iou_of_two_curves(blank: Page) -> None:
    for names in (
        ("three", "many", "smooth"),
        ("smooth", "equal"),
        ("disjoint", "three"),
        ("many", "many"),
    ):
        curves = [CURVES[name] for name in names]
        found = blank.evaluate(
            "curves => live.without_truth.agreement(curves)",
            [curve.vertices.tolist() for curve in curves],
        )
        assert found == pytest.approx(min(a.iou(b) for a in curves for b in curves), abs=1e-3)
    assert (
        blank.evaluate("v => live.without_truth.agreement([v])", CURVES["many"].vertices.tolist())
        is None
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bound", ["three", "smooth", "equal"])
def test_what_lies_beyond_the_bound_is_found_as_python_finds_it(blank: Page, bound: str) -> None:
    for name, curve in CURVES.items():
        pair = [curve.vertices.tolist(), CURVES[bound].vertices.tolist()]
        found = blank.evaluate("([curve, bound]) => live.curve.refutedLams(curve, bound)", pair)
        runs = refuted_runs(curve, CURVES[bound])
        assert (found is None) == (runs == []), name
        if runs:
            last = runs[-1][1]
            assert found[0] == pytest.approx(runs[0][0])
            assert found[1] == pytest.approx(last) or (found[1] is None) == np.isinf(last)


def test_a_family_that_is_hidden_takes_its_limit_along(blank: Page) -> None:
    curves = [{"id": name, "name": ESTIMATORS[name].title} for name in ("knn", "ipr")]
    data = [{"legendgroup": name} for name in ("knn", "ipr", "truth", "bound")]
    data += [
        {"legendgroup": limit_label(name), "name": limit_label(name), "meta": LIMIT}
        for name in ("knn", "ipr")
    ]
    shown = blank.evaluate(
        "([curves, data]) => live.pane.inked({ payload: { curves } }, { spec: {} }, data, new"
        " Set(['knn']))",
        [curves, data],
    )
    assert [each.get("visible", True) for each in shown] == [
        "legendonly",
        True,
        True,
        True,
        "legendonly",
        True,
    ]
