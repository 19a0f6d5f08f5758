"""Explore's answers in stages, by Streamlit's own test driver: samples in the hand, jobs, stop,
errors.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._shared import answers
from prviz.estimators import DEFAULT_METHODS
from prviz.figures.pr import BOUND, pr_figure
from prviz.live import bounds, needs, problems, results, view as live_view
from prviz.live.explorer import STOPPED
from prviz.live.figure import plain_figure
from prviz.live.state import VIEWS
from prviz.measure.estimates import Progress
from prviz.reports.settings import ExploreSettings
from prviz.toys import TOYS, toy
from prviz.uncertainty.upper_bound import NO_LOWER_BOUND
from tests.explore_app import (
    ask,
    at_panel,
    choose,
    elsewhere_and_back,
    last_word,
    measured,
    move,
    opened,
    panes,
    payload,
    press,
    question,
    said,
    sliders,
    vertices,
    vertices_in,
)
from tests.marks import exhaustive, exhaustive_but

MEASURE = results.measure

# ---- the samples in the hand ----

LINK = {"problem": "shifted-gaussians", "p.mu": "0.25", "p.d": "8", "n": "150", "seed": "7"}


def test_what_the_browser_can_not_send_changes_nothing() -> None:
    app = opened(problem="finite", n="50", k="3")
    before = sliders(app)
    names = ("n", "seed", "p.separation", "p.real_weights")
    for value in ("x", None, -1, 1e12, float("nan"), [1], {}):
        assert sliders(move(app, **dict.fromkeys(names, value))) == before, value
    for weights in ([], True, "0.5", [0.5], [1, 1, 1, 2], [0.1] * 5, ["a"] * 4, [None] * 4):
        assert sliders(move(app, **{"p.real_weights": weights})) == before, weights
    assert not app.error


@exhaustive
def test_a_preset_and_another_problem_win_over_the_hand() -> None:
    app = opened(problem="shifted-gaussians", n="150")
    move(app, **{"p.mu": 1.5, "n": 200})
    choose(app, "preset.shifted-gaussians", "mu = 5/24 (0.21)")
    assert sliders(app)["p.mu"] == 5 / 24
    assert sliders(app)["n"] == 10_000
    # A move of the hand that was under way belongs to the samples before.
    question(app, lambda line: None, {"p.mu": 1.5, "n": 200}, of=["toy", "mixtures"])
    app.run()
    assert sliders(app)["p.mu"] == 5 / 24
    move(app, n=130)
    choose(app, "problem", "outlier")
    assert sliders(app)["p.mu"] == 3 / 8
    assert sliders(app)["n"] == 130
    move(app, **{"p.value": -3.0})
    choose(app, "problem", "shifted-gaussians")
    assert sliders(app)["p.mu"] == 5 / 24
    choose(app, "problem", "outlier")
    assert sliders(app)["p.value"] == -3.0


@pytest.mark.parametrize("name", exhaustive_but(TOYS, "shifted-gaussians", "mixtures"))
def test_every_number_of_a_toy_is_a_slider_with_the_default_among_its_stops(name: str) -> None:
    app = opened(problem=name, n="60", **({"p.d": "3"} if "d" in TOYS[name] else {}))
    assert app.radio(key="problem").value == name
    assert set(vertices(app)) == {"truth", *DEFAULT_METHODS}
    found = controls(app)
    for spec in toy(name).specs:
        if spec.kind == "weights":
            each = (
                [found[f"p.means.{i}"]["value"] for i in range(len(spec.default))]
                if spec.name == "means"
                else None
            )
            assert tuple(each or found[f"p.{spec.name}"]["value"]) == spec.default
            continue
        slider = found[f"p.{spec.name}"]
        assert slider["values"] == sorted(set(slider["values"]))
        assert (slider["values"][0], slider["values"][-1]) == (spec.low, spec.high)
        assert 20 <= len(slider["values"]) <= 205
        assert slider["value"] in slider["values"]


def test_numbers_that_a_toy_refuses_together_are_told_and_the_last_good_ones_stay() -> None:
    six = dict.fromkeys(("p.real_weights", "p.generated_weights"), "0.5,0,0.5,1,0,1")
    app = opened(problem="painted", n="100", **six)
    before = vertices(app)
    move(app, **{"p.d": 2})
    assert "a square number of them is needed" in app.error[0].value
    assert vertices(app) == before
    assert sliders(app)["p.d"] == 1


def by_id(answer: dict) -> dict[str, dict]:
    return {control["id"]: control for control in answer["controls"]}


def controls(app: AppTest) -> dict[str, dict]:
    return by_id(payload(app))


def test_weights_are_bars_that_sum_to_one_and_a_link_and_a_preset_set_them() -> None:
    app = opened(
        n="100",
        **{"p.means": "0.0,4.0", "p.real_weights": "1.0,1.0", "p.generated_weights": "0.25,0.75"},
    )
    bars = controls(app)
    assert [bars[f"p.{side}_weights"]["value"] for side in ("real", "generated")] == [
        [0.5, 0.5],
        [0.25, 0.75],
    ]
    assert all(bars[f"p.{side}_weights"]["total"] for side in ("real", "generated"))
    assert [bars[f"p.means.{i}"]["value"] for i in range(2)] == [0, 4]
    # Pulled as the browser does, and moved: the truth is that of the weights on screen.
    move(app, **{"p.real_weights": [0.2, 0.8], "p.means.1": 5})
    truth = toy(
        "mixtures", means=(0, 5), real_weights=(0.2, 0.8), generated_weights=(0.25, 0.75)
    ).truth()
    np.testing.assert_allclose(vertices(app)["truth"], truth.vertices, atol=1e-9)
    choose(app, "preset.mixtures", "weights of 2024 (n = 1,000)")
    bars = controls(app)
    assert bars["p.real_weights"]["value"] == [0.3, 0.2, 0.5, 0]
    assert [bars[f"p.means.{i}"]["value"] for i in range(4)] == [0, -5, 3, 5]


def test_weights_stay_across_pages_and_problems_and_in_the_link() -> None:
    app = opened(problem="finite", n="100")
    move(app, **{"p.real_weights": [0.2, 0.2, 0.6, 0.0]})
    elsewhere_and_back(app)
    assert sliders(app)["p.real_weights"] == [0.2, 0.2, 0.6, 0]
    choose(app, "problem", "boxes")
    choose(app, "problem", "finite")
    assert sliders(app)["p.real_weights"] == [0.2, 0.2, 0.6, 0]
    assert app.query_params["p.real_weights"] == "0.2,0.2,0.6,0.0"


def test_a_painting_is_a_line_or_a_grid_of_bars() -> None:
    for d, columns in ((1, 0), (2, 5)):
        bars = controls(opened(problem="painted", n="50", **{"p.d": str(d)}))["p.real_weights"]
        assert (bars["columns"], bars["total"], len(bars["names"])) == (columns, False, 25)


# ---- curves beside the estimates ----


def lines(answer: dict) -> dict[str, list]:
    """The vertices of the curves that are drawn beside the estimates, each by a trace of its legend
    group.
    """
    drawn = {trace["legendgroup"] for trace in answer["panes"][0]["figure"]["data"]}
    return {
        name: found for name, found in vertices_in(answer, part="lines").items() if name in drawn
    }


@pytest.mark.parametrize(
    "query",
    [
        {"k": "3", "methods": "ipr"},
        pytest.param({"split": "none", "repeats": "3"}, marks=exhaustive),
    ],
)
def test_the_bound_is_the_librarys_whatever_is_on_screen(query: dict[str, str]) -> None:
    answer = last_word(opened(**LINK | {"p.mu": "1"}, show="bound", **query))
    bound = prviz.upper_bound(*toy("shifted-gaussians", mu=1, d=8).sample(150, 7), seed=7)
    np.testing.assert_allclose(lines(answer)[BOUND], bound.vertices, atol=1e-9)
    assert NO_LOWER_BOUND in answer["panes"][0]["help"]


@exhaustive
def test_a_bound_that_leaves_nothing_out_is_not_drawn() -> None:
    answer = last_word(opened(**LINK | {"p.mu": "0"}, show="bound"))
    assert by_id(answer)["show"]["options"][0][1] == "95 % bound: rules nothing out"
    assert (
        prviz.upper_bound(*toy("shifted-gaussians", mu=0, d=8).sample(150, 7), seed=7).auc
        > bounds.WIDEST
    )
    assert BOUND not in lines(answer)
    assert NO_LOWER_BOUND not in answer["panes"][0]["help"]


@exhaustive
def test_limits_are_of_the_families_on_screen_at_this_k() -> None:
    app = opened(**LINK, k="4", methods="knn,coverage,ipr", show="limits")
    problem = toy("shifted-gaussians", mu=0.25, d=8)
    for k in (4, 5):
        shown = lines(last_word(move(app, k=k)))
        for title, name in (("kNN", "knn"), ("Coverage", "coverage"), ("iPR", "ipr")):
            np.testing.assert_allclose(
                shown[f"{title} at n = ∞"], problem.limit(name, k).vertices, atol=1e-9
            )
        assert sum("n = ∞" in name for name in shown) == 3
    assert "kNN at n = ∞" in lines(last_word(move(app, k=30)))
    assert not lines(last_word(opened(**LINK, show="limits", split="none")))


@exhaustive
def test_beside_a_truth_bound_and_limits_are_drawn_once_they_are_asked_for() -> None:
    app = opened(**LINK | {"p.mu": "1"})
    assert not lines(last_word(app))
    assert controls(app)["show"]["value"] == []
    assert lines(last_word(move(app, show=["limits", "bound", "more"]))).keys() > {BOUND}
    assert app.query_params["show"] == "bound,limits"
    assert not lines(last_word(move(app, show=[])))


@pytest.mark.parametrize(("view", "offered"), [(VIEWS[0], True), (VIEWS[1], False)])
def test_bound_and_limits_are_offered_where_they_are_drawn(view: str, *, offered: bool) -> None:
    problem = problems.problem_of(ExploreSettings(problem="shifted-gaussians", n=50))
    assert any(each.id == "show" for each in live_view.controls(problem, view)) == offered


# ---- answers in stages ----


def in_background(monkeypatch: pytest.MonkeyPatch, coarse: int = 0) -> None:
    """All is measured by a job, after curves of so few samples."""
    monkeypatch.setattr(needs, "INLINE_SECONDS", 0.0)
    monkeypatch.setattr(needs, "coarse_size", lambda problem: coarse)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The n of every measurement from now on."""
    measured: list[int] = []

    def measure(problem: problems.Problem, progress: Progress | None = None) -> results.Results:
        measured.append(problem.settings.n)
        return MEASURE(problem, progress)

    monkeypatch.setattr(results, "measure", measure)
    return measured


def test_first_a_coarse_drawing_then_the_exact_one_then_the_frames(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = vertices(opened(n="400", k="4"))
    app = opened(n="100")
    in_background(monkeypatch, 80)
    move(app, n=400, k=4)
    assert payload(app)["coarse"] == 80
    assert payload(app)["more"]
    assert vertices(app) != exact
    assert "k" not in app.query_params  # the link waits for the final one
    assert sliders(app)["n"] == 400
    answer = ask(app)
    final = next(each for each in answer if each["kind"] == "curves" and not each["coarse"])
    assert vertices_in(final, payload(app)["vertices"]) == exact
    (frames,) = [each for each in answer if each["kind"] == "frames"]
    app.run()
    assert vertices(app) == exact
    assert app.query_params["k"] == "4"
    assert frames["id"] == payload(app)["frames"]
    assert not payload(app)["more"]


def test_the_line_says_what_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(**LINK, show="bound")
    first, *_, last = [each for each in ask(app, seed=8, k=4) if each["kind"] == "curves"]
    app.run()
    page = payload(app)
    assert vertices_in(last, first["vertices"]) == vertices_in(page)
    # but what is of the page alone, or measured meanwhile
    shared = page.keys() - {"token", "above", "more", "vertices"}
    assert {name: last[name] for name in shared} == {name: page[name] for name in shared}
    assert page["token"] not in json.dumps(last)


@pytest.mark.parametrize(
    "query",
    [
        {"methods": "knn,hub", "split": "none"},
        pytest.param({"repeats": "3"}, marks=exhaustive),
    ],
)
def test_a_known_profile_answers_every_stop_without_measuring(
    monkeypatch: pytest.MonkeyPatch, query: dict[str, str]
) -> None:
    alone = {k: vertices(move(opened(n="120", **query), k=k, bandwidth=1.3)) for k in (2, 9)}
    app = measured(n="120", **query)
    sizes = counted(monkeypatch)
    for k, expected in alone.items():
        assert vertices(move(app, k=k, bandwidth=1.3)) == expected
        assert not payload(app)["more"]
    assert sizes == []
    move(app, k=59 if "split" in query else 57)
    assert sizes == [120]


def test_stop_keeps_what_was_drawn_before_and_can_be_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = opened(n="100")
    first = vertices(app)
    in_background(monkeypatch, 80)
    stopped = app.session_state["_Session"].stopped
    stopped[question(app, lambda line: None, {"n": 400}).needs[1].key] = STOPPED  # as the line does
    app.run()
    answer = payload(app)
    states = ("more", "stale", "coarse", "other")
    assert [answer[name] for name in states] == [False, True, 0, False]
    assert vertices(app) == first
    assert "Stopped" in app.info[0].value
    assert "n" in app.query_params
    press(app, "Compute it after all")
    assert payload(app)["coarse"]
    assert not last_word(app)["other"]
    assert app.query_params["n"] == "400"
    assert not app.info
    # Nothing can be drawn of another toy yet: the browser hears that what it has is not of this
    # one.
    monkeypatch.setattr(needs, "coarse_size", lambda problem: 0)
    choose(app, "problem", "outlier")
    assert payload(app)["other"]
    assert not last_word(app)["other"]


def test_what_goes_wrong_in_a_job_is_told_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(n="100")
    first = vertices(app)

    def measure(*given: object) -> results.Results:
        raise ValueError("these data are *too* strange")

    in_background(monkeypatch)
    monkeypatch.setattr(results, "measure", measure)
    move(app, seed=5)
    last_word(app)
    assert "too" in app.info[0].value
    assert "strange" in app.info[0].value
    assert vertices(app) == first
    assert payload(app)["stale"]
    monkeypatch.setattr(results, "measure", MEASURE)
    move(app, seed=6)
    last_word(app)
    assert not app.info
    assert vertices(app) != first


def test_a_profile_that_fails_leaves_the_drawing_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(*given: object) -> results.Profiles:
        raise MemoryError

    monkeypatch.setattr(results, "make_profile", make)
    app = measured(n="100")
    assert "Not enough memory" in app.info[0].value
    assert not payload(app)["stale"]
    assert vertices(move(app, k=3)) != {}


@exhaustive
def test_an_open_tab_gets_its_own_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "INLINE_SECONDS", 0.0)
    app = measured(n="100")
    at_panel(app, "Extremes")
    press(app, "enlarge")
    last_word(app)
    assert "extremes" in panes(app)


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_figure_is_that_of_the_library_with_the_truth_on_top(repeats: int) -> None:
    settings = ExploreSettings(
        problem="shifted-gaussians",
        n=100,
        parameters={"d": 2},
        repeats=repeats,
        k=5,
        show=("limits",),
    )
    problem = problems.problem_of(settings)
    found = results.results(problem)
    table = live_view.numbers(problem, found)
    drawn = live_view.curve_space(problem, found, table).figure
    whole = pr_figure(
        found.curves,
        truth=problem.truth,
        limits=bounds.limits(problem),
        bands=found.bands,
        notes={name: f"IoU {curve.iou(problem.truth):.2f}" for name, curve in found.curves.items()},
    )
    expected = plain_figure(whole)
    expected["data"].sort(key=lambda trace: trace["legendgroup"] == "truth")
    for axis, title, ticks in (("xaxis", "recall", [0, 0.5, 1]), ("yaxis", "precision", [0.5, 1])):
        expected["layout"][axis]["title"]["text"] = title
        expected["layout"][axis] |= {"tickvals": ticks, "showgrid": False}
    assert drawn["layout"] == expected["layout"]
    for ours, theirs in zip(drawn["data"], expected["data"], strict=True):
        # of all but the bands, which the browser knows not
        placed = {"x", "y", "text", "customdata", "marker", "mode"}
        assert {name: theirs[name] for name in theirs.keys() - placed} == {
            name: ours[name] for name in ours.keys() - placed
        }
        assert ("x" in ours) == bool(theirs.get("fill"))
        assert ours["mode"] == "lines"


@exhaustive
def test_what_the_browser_has_is_not_sent_again() -> None:
    app = opened(**LINK)
    page = payload(app)
    have = list(page["vertices"])
    truth = next(curve["key"] for curve in page["curves"] if curve["id"] == "truth")
    for step in ({"k": 6}, {"seed": 8}):
        for message in ask(app, have=have, **step):
            if message["kind"] == "curves":
                assert truth not in message["vertices"]
                assert not message["vertices"].keys() & set(have)
                assert {curve["key"] for curve in message["curves"]} <= {
                    *have,
                    *message["vertices"],
                }
                have += message["vertices"]
                assert not any("x" in trace for trace in message["panes"][0]["figure"]["data"])


def test_a_question_that_comes_while_the_page_is_drawn_is_not_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the browser would take the page's older k for the answer to its newest question."""
    app = opened(**LINK, k="4")
    held = app.session_state["_ExploreSession"]
    answer = answers.answer
    before = held.asked

    def asked_meanwhile(*given: Any) -> Any:
        held.asked += 1
        held.update(lambda state: state.with_values({"k": 9}))
        return answer(*given)

    monkeypatch.setattr(answers, "answer", asked_meanwhile)
    app.run()
    assert sliders(app)["k"] == 4
    assert payload(app)["asked"] == before


def test_a_bound_that_was_stopped_says_so_and_is_taken_up_again() -> None:
    app = opened(**LINK, show="bound")
    shared = app.session_state["_Session"]
    need = bounds.need(shared.shown.problem)
    assert need is not None
    shared.stopped[need.key] = "Stopped"
    app.run()
    assert "Stopped: the bound is not drawn." in said(app)
    press(app, "Compute it after all")
    assert need.key not in shared.stopped


# ---- one wait at a time ----


def _two_waits() -> None:
    """A part with two results to wait for, of which the first comes while the part is drawn."""

    from pages._shared import answers
    from pages._shared.cache import session

    with answers.waiting():
        answers.tab_result(("first",), 60.0, lambda _: "found")
        session().results.put(("first",), "found")
        answers.tab_result(("second",), 60.0, lambda _: "found")


def test_a_result_that_comes_while_the_part_is_drawn_leaves_one_wait() -> None:
    app = AppTest.from_function(_two_waits).run()
    assert not app.exception
    assert [each.value for each in app.caption] == [
        "Being measured …",
        "Being measured after the rest of this panel …",
    ]
    assert not app.run().exception
    assert [each.value for each in app.caption] == ["Being measured …"]
