"""The lesson "Draw": a painting's exact curve, samples from it, and what every estimator makes of them."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect
from streamlit.testing.v1 import AppTest

import prviz
from pages._learn import painting
from pages._shared.families import by_paper
from prviz.curves.ground_truth import finite_masses
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.reports.settings import ExploreSettings
from tests.browser import visit, wait_idle
from tests.explore_app import APP, healthy
from tests.explore_app import opened as explored
from tests.explore_app import payload as explore_payload

LINE, GRID = painting.PRESETS[1], painting.PRESETS[2]


def opened(d: int = 1) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60).run()
    app.switch_page("pages/learn.py")
    app.session_state["lesson"] = "Draw"
    app.session_state["draw-d"] = d
    app.run()
    healthy(app)
    assert app.header[0].value == painting.TITLE
    return app


def payload(app: AppTest) -> dict[str, Any]:
    content = app.get("bidi_component")[0].proto.bytes
    found: dict[str, Any] = json.loads(content[12:])
    return found


def shown(app: AppTest) -> dict[str, Any]:
    return {control["id"]: control["value"] for control in payload(app)["controls"]}


def hand(app: AppTest, d: int = 1, **values: Any) -> AppTest:
    """The browser sends what the hand has set."""
    now = payload(app)
    epoch = now["controls"][0]["epoch"]
    app.session_state[f"lesson-draw-{d}"] = {
        "values": {**shown(app), "epoch": epoch, "turn": now["turn"] + 1, **values}
    }
    app.run()
    healthy(app)
    return app


def vertices(app: AppTest) -> dict[str, list]:
    return {curve["id"]: curve["vertices"] for curve in payload(app)["curves"]}


def link(app: AppTest) -> ExploreSettings:
    (button,) = app.get("link_button")
    settings, messages = ExploreSettings.from_query(dict(parse_qsl(button.proto.url.partition("?")[2])))
    assert messages == []
    return settings


@pytest.mark.parametrize("d", [1, 2])
def test_first_view_is_a_painting_with_its_truth_and_four_estimates_of_it(d: int) -> None:
    app = opened(d)
    first = next(iter(painting.PRESETS[d].values()))
    assert shown(app) == {
        "p": list(first["real_weights"]), "q": list(first["generated_weights"]), "angle": 45, "n": 500, "seed": 0
    }  # fmt: skip
    problem = prviz.toy("painted", **first)
    found = prviz.estimate(problem.sample(500, seed=0))
    curves = {"truth": problem.truth(), **{name: each.curve for name, each in found.items()}}
    assert vertices(app) == {name: curve.vertices.round(9).tolist() for name, curve in curves.items()}
    assert [pane["id"] for pane in payload(app)["panes"]] == ["pr", "samples", "bias"]
    names = [trace["name"] for trace in payload(app)["panes"][0]["figure"]["data"]]
    told = [f"{ESTIMATORS[m].title}, IoU {each.curve.iou(problem.truth()):.2f}" for m, each in found.items()]
    assert names == ["truth", *told]


def test_the_hand_paints_another_pair_and_python_measures_that_one() -> None:
    app = opened()
    p, q = ([round(float(each), 2) for each in side] for side in np.random.default_rng(0).choice([0, 0.4, 1], (2, 25)))
    hand(app, p=p, q=q, n=200, seed=3)
    problem = prviz.toy("painted", d=1, real_weights=tuple(p), generated_weights=tuple(q))
    pair = problem.sample(200, seed=3)
    assert vertices(app)["truth"] == finite_masses(p, q).vertices.round(9).tolist()
    for name, each in prviz.estimate(pair, seed=3).items():
        assert vertices(app)[name] == each.curve.vertices.round(9).tolist()
    constants = payload(app)["model"]["constants"]
    assert constants["measured"] == {"p": p, "q": q, "n": 200, "seed": 3}
    assert constants["estimates"] == list(DEFAULT_METHODS)
    for trace, samples in zip(payload(app)["panes"][1]["figure"]["data"][4:], pair, strict=True):
        drawn = np.frombuffer(base64.b64decode(trace["x"]["bdata"]), trace["x"]["dtype"])
        np.testing.assert_array_equal(drawn, samples.values[:, 0])
    told = link(app)
    assert told.lam == pytest.approx(1.0)
    assert prviz.toy("painted", **told.parameters) == problem
    assert replace(told, lam=1.0, parameters={}) == ExploreSettings(problem="painted", n=200, seed=3)


def test_amounts_that_are_no_painting_change_nothing() -> None:
    app = opened()
    before = vertices(app)
    hand(app, p=[0.0] * 25, q=[0.5] * 7, n=10**9, seed=-1)
    assert vertices(app) == before


def test_buttons_replace_the_painting_also_in_the_hand() -> None:
    app = opened()
    epoch = payload(app)["controls"][0]["epoch"]
    app.button(key="draw.Comb").click().run()
    assert shown(app)["q"] == list(LINE["Comb"]["generated_weights"])
    assert payload(app)["controls"][0]["epoch"] != epoch
    app.button(key="draw.swap_horiz").click().run()
    assert shown(app)["p"] == list(LINE["Comb"]["generated_weights"])
    app.button(key="draw.content_copy").click().run()
    assert shown(app)["p"] == shown(app)["q"] == list(LINE["Comb"]["generated_weights"])
    assert vertices(app)["truth"] == [[0.0, 1.0], [1.0, 0.0]]
    healthy(app)


def test_a_grid_is_painted_apart_from_the_line_and_both_are_kept() -> None:
    app = opened()
    app.button(key="draw.Holes").click().run()
    app.segmented_control(key="draw-d").set_value(2).run()
    app.button(key="draw.P and Q").click().run()
    healthy(app)
    assert shown(app)["p"] == list(GRID["P and Q"]["real_weights"])
    assert payload(app)["controls"][0]["columns"] == 12
    assert link(app).parameters == GRID["P and Q"]
    explore = explored(**link(app).to_query())
    assert [each.value for each in (*explore.error, *explore.warning)] == []
    assert explore_payload(explore)["curves"][0]["vertices"] == vertices(app)["truth"]
    app.segmented_control(key="draw-d").set_value(1).run()
    assert shown(app)["q"] == list(LINE["Holes"]["generated_weights"])


def test_every_registered_family_runs_and_slow_ones_in_a_job_that_can_be_stopped() -> None:
    app = opened()
    for paper, families in by_paper().items():
        app.button_group(key=f"draw.methods.{paper}").set_value([each.name for each in families])
    hand(app, n=100)
    wanted = ["truth", *ESTIMATORS]
    for _ in range(600):
        answer = payload(app)
        if answer["more"] is None:
            break
        assert [curve["id"] for curve in answer["curves"]] == ["truth"]  # and no estimate of anything else
        assert [pane["id"] for pane in answer["panes"]] == ["pr", "samples"]
        app.run()
        healthy(app)
    assert [curve["id"] for curve in payload(app)["curves"]] == wanted
    hand(app, n=2000, stop=True)
    assert payload(app)["more"] is None
    assert [curve["id"] for curve in payload(app)["curves"]] == ["truth"]
    assert any("no estimates yet" in each.value for each in app.info)
    (again,) = [each for each in app.button if each.label == "Compute it after all"]
    again.click().run()
    healthy(app)
    assert payload(app)["more"]["note"]
    hand(app, n=100)  # known: at once, and the job is dropped
    assert [curve["id"] for curve in payload(app)["curves"]] == wanted


def revealed(app: AppTest, guess: str) -> str:
    app.radio(key="guess.lesson-draw-1").set_value(guess).run()
    app.button(key="reveal.lesson-draw-1").click().run()
    healthy(app)
    (box,) = [*app.success, *[each for each in app.info if "Not quite" in each.value]]
    return box.value


def test_the_verdict_is_that_of_the_painting_on_screen() -> None:
    app = opened()
    app.button(key="draw.content_copy").click().run()  # nobody sees more in common than everything
    assert revealed(app, painting.PESSIMISTIC).startswith("Right: **Too pessimistic**")
    left, right = [1.0] * 12 + [0.0] * 13, [0.0] * 12 + [1.0] * 13
    hand(app, p=left, q=right)
    assert not app.success  # another painting: covered again
    assert revealed(app, painting.PESSIMISTIC).startswith("Not quite: **Too optimistic**")
    problem = prviz.toy("painted", d=1, real_weights=left, generated_weights=right)
    found = prviz.pr_curve(*problem.sample(500, seed=0), "knn", split=None).compare(problem.truth())
    assert f"invents {found.excess:.1%}" in revealed(app, painting.OPTIMISTIC)
    assert "The truth has no area here" in payload(app)["panes"][2]["caption"]


# ---- in the browser ----


def lines(figure: Locator) -> list[str]:
    found: list[str] = (
        figure.locator(".pane")
        .first.locator(".js-line")
        .evaluate_all("nodes => nodes.map(node => node.getAttribute('d') || '')")
    )
    return found


def wait_answer(figure: Locator, turn: str) -> None:
    """Python has answered, and its estimates are drawn."""
    expect(figure).not_to_have_attribute("data-turn", turn)
    figure.page.wait_for_function(
        "node => [...node.querySelector('.pane').querySelectorAll('.js-line')].slice(1)"
        ".filter(line => (line.getAttribute('d') || '').length > 20).length === 4",
        arg=figure.element_handle(),
    )
    wait_idle(figure.page)


def test_a_stroke_by_mouse_and_one_by_keyboard(page: Page) -> None:
    sent: list[int] = []

    def watch(socket: WebSocket) -> None:
        socket.on("framesent", lambda data: sent.append(len(data)))

    page.on("websocket", watch)
    visit(page, "/learn?lesson=Draw")
    figure = page.locator(".live").first
    bars = figure.get_by_role("group", name="Generated density Q").get_by_role("slider")
    expect(bars).to_have_count(25)
    page.wait_for_function("() => document.querySelectorAll('.live .pane .js-line').length >= 5")
    wait_idle(page)
    area, turn, before = figure.locator(".area").nth(1), figure.get_attribute("data-turn") or "", lines(figure)
    assert sum(len(each) > 20 for each in before) == 5
    words, box = len(sent), area.bounding_box()
    assert box is not None

    def place(x: float, y: float) -> tuple[float, float]:
        return box["x"] + box["width"] * x, box["y"] + box["height"] * y

    # Two far points of one stroke: the bars between are painted too, at the heights between.
    page.mouse.move(*place(0.58, 1 - 0.94 * 0.2))
    page.mouse.down()
    page.mouse.move(*place(0.98, 1 - 0.94 * 1.0))
    amounts = [int(each.get_attribute("aria-valuenow") or -1) for each in bars.all()][14:]
    assert amounts == sorted(amounts)
    assert (amounts[0], amounts[-1]) == (20, 100)
    assert all(amount % 5 == 0 for amount in amounts)
    expect(figure.locator(".status")).to_contain_text("when you let go")
    page.wait_for_function("([node, d]) => node.querySelector('.pane').querySelector('.js-line')"
                           ".getAttribute('d') !== d", arg=[figure.element_handle(), before[0]])  # fmt: skip
    painted = lines(figure)
    assert all(len(each) < 20 for each in painted[1:5])  # the estimates were of another painting
    samples = figure.locator(".pane").nth(1).element_handle()
    page.wait_for_function("(pane) => { const dots = [...pane.querySelectorAll('.live-dots')];"
                           " return dots.length === 2 && !dots.some((each) => each.getAttribute('d')); }",
                           arg=samples)  # fmt: skip # and so were the samples
    assert len(sent) == words  # all of it without a word to Python
    page.mouse.up()
    wait_answer(figure, turn)
    assert len(sent) > words
    q = [int(each.get_attribute("aria-valuenow") or -1) / 100 for each in bars.all()]
    vertices = finite_masses(LINE["Dropped mode"]["real_weights"], q)
    alpha = vertices.alpha(1.0)
    expect(figure.locator(".status")).to_contain_text(f"truth {alpha:.2f} / {alpha:.2f}")
    # The keyboard: one stop of Tab, arrows between bars and up and down, Delete.
    turn = figure.get_attribute("data-turn") or ""
    bars.nth(24).focus()
    page.keyboard.press("ArrowLeft")
    expect(bars.nth(23)).to_be_focused()
    expect(area.locator("[tabindex='0']")).to_have_count(1)
    was = int(bars.nth(23).get_attribute("aria-valuenow") or -1)
    page.keyboard.press("ArrowDown")
    expect(bars.nth(23)).to_have_attribute("aria-valuenow", str(was - 5))
    page.keyboard.press("Delete")
    expect(bars.nth(23)).to_have_attribute("aria-valuetext", "0 %")
    wait_answer(figure, turn)
    # A grid: the brush that is chosen, diagonal strokes without gaps, and never nothing at all.
    page.get_by_text("On a grid (2-D)").click()
    cells = page.get_by_role("group", name="Real density P").get_by_role("slider")
    expect(cells).to_have_count(144)
    wait_idle(page)
    figure = page.locator(".live").first
    tools = figure.locator(".tools").first
    tools.get_by_role("button", name="Clear").click()
    expect(cells.and_(page.locator("[aria-valuenow='100']"))).to_have_count(1)
    cells.nth(78).focus()
    page.keyboard.press("Delete")
    expect(cells.nth(78)).to_have_attribute("aria-valuenow", "100")  # the last one stays
    tools.get_by_role("button", name="Light").click()
    expect(tools.get_by_role("button", name="Light")).to_have_attribute("aria-pressed", "true")
    box = figure.locator(".area").first.bounding_box()
    assert box is not None
    page.mouse.move(*place(0.04, 0.04))
    page.mouse.down()
    page.mouse.move(*place(0.96, 0.96))
    page.mouse.up()
    light = cells.and_(page.locator("[aria-valuenow='30']"))
    expect(light).to_have_count(12)
    assert [int(each.get_attribute("data-index") or -1) for each in light.all()] == list(range(0, 144, 13))
