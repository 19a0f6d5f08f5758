"""Lesson 6: two generators that one number can't tell apart."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scipy.optimize import brentq
from streamlit.testing.v1 import AppTest

from prviz.curves.ground_truth import finite_masses, shifted_gaussians
from prviz.curves.summaries import SUMMARIES
from prviz.figures import gap_bars, rival_paths, rival_traces
from prviz.reports.settings import ExploreSettings
from prviz.toys.failures import FAILURES
from tests.browser import visit, wait_idle
from tests.explore_app import APP, healthy, payload

KEY = "lesson-number"
NUMBERS = {summary.key: summary for summary in SUMMARIES}
KEYS = ("auc", "f8_precision", "f8_recall", "median_precision", "median_recall", "alpha_at_005")


def lesson(**state: object) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    app.run()
    app.switch_page("pages/learn.py")
    for name, value in {"lesson": "6 One number", **state}.items():
        app.session_state[name.replace("__", ".")] = value
    app.run()
    healthy(app)
    assert app.header[0].value == "One number?"
    return app


def numbers(curve: object) -> list[float]:
    return [NUMBERS[key].of(curve) for key in KEYS]


def moved_to(app: AppTest, **values: float) -> AppTest:
    sent = payload(app)
    held = {control["id"]: control["value"] for control in sent["controls"]}
    epoch = sent["controls"][0]["epoch"]
    app.session_state[KEY] = {"values": {**held, "epoch": epoch, "turn": sent["turn"] + 1, **values}}
    app.run()
    healthy(app)
    return app


def values(app: AppTest) -> list[float]:
    return [control["value"] for control in payload(app)["controls"]]


def answered(app: AppTest, guess: str) -> str:
    app.radio(key=f"guess.{KEY}").set_value(guess).run()
    app.button(key=f"reveal.{KEY}").click().run()
    healthy(app)
    boxes = [box.value for box in (*app.success, *app.info)]
    assert len(boxes) == 1
    return boxes[0]


def test_the_first_view_has_both_curves_their_numbers_and_an_exact_frame_for_every_stop() -> None:
    sent = payload(lesson())
    assert [control["id"] for control in sent["controls"]] == ["a_drop", "b_shift"]
    (drop, shift), (a_part, b_part, both) = sent["controls"], sent["model"]["constants"]["parts"]
    curves = finite_masses([1 - drop["value"], drop["value"]], [1, 0]), shifted_gaussians(shift["value"])
    rows = sent["table"]["rows"]
    assert (rows["A"], rows["B"]) == (pytest.approx(numbers(curves[0])), pytest.approx(numbers(curves[1])))
    assert rows["gap"] == pytest.approx(np.subtract(rows["A"], rows["B"]))
    for part, control, index in ((a_part, drop, 0), (b_part, shift, 1)):
        assert len(part["frames"]) == len(control["values"])
        failure, place = FAILURES[control["id"][2:]], len(control["values"]) // 3
        frame, curve = part["frames"][str(place)], failure.curve(control["values"][place])
        assert frame["rows"]["AB"[index]] == pytest.approx(numbers(curve), abs=1e-4)
        drawn = frame["panes"]["pr"]["traces"]
        assert [drawn[str(trace)] for trace in rival_traces(index)] == rival_paths(curve)
    assert len(both["frames"]) == len(drop["values"]) * len(shift["values"])
    gaps = np.subtract(a_part["frames"]["7"]["rows"]["A"], b_part["frames"]["9"]["rows"]["B"]).tolist()
    assert both["frames"]["7,9"]["rows"]["gap"] == pytest.approx(gaps, abs=1e-4)
    bars = both["frames"]["7,9"]["panes"]["gaps"]["traces"]
    assert np.allclose([bars["0"]["x"], bars["1"]["x"]], gap_bars(gaps), atol=1e-4)
    assert len(json.dumps(sent)) < 1_000_000


def test_match_moves_b_to_the_exact_root_and_says_what_tells_them_apart() -> None:
    app = moved_to(lesson(), a_drop=0.5)
    assert "it tells them apart" in app.markdown[1].value
    app.button(key="number.match").click().run()
    healthy(app)
    root = brentq(lambda shift: shifted_gaussians(shift).auc - 0.5, 0.5, 3.0, xtol=1e-10)
    assert values(app) == [0.5, pytest.approx(root, abs=1e-5)]
    assert values(app)[1] in payload(app)["controls"][1]["values"]
    assert payload(app)["table"]["rows"]["gap"][0] == pytest.approx(0.0, abs=1e-5)
    gaps = np.abs(np.subtract(numbers(finite_masses([0.5, 0.5], [1, 0])), numbers(shifted_gaussians(root))))
    said = app.markdown[1].value
    assert "**AuC** is 0.500 for A and 0.500 for B: it can't tell them apart" in said
    assert f"{NUMBERS[KEYS[int(gaps.argmax())]].label} by {gaps.max():.3f}" in said.split("; ")[0]
    moved_to(app, b_shift=2.0)
    assert values(app) == [0.5, 2.0]
    assert "it tells them apart" in app.markdown[1].value


def test_values_sent_before_a_match_do_not_undo_it() -> None:
    app = moved_to(lesson(), a_drop=0.5, b_shift=3.0)
    app.button(key="number.match").click().run()
    matched = values(app)
    app.session_state[KEY] = {"values": {"a_drop": 0.5, "b_shift": 3.0, "epoch": "0", "turn": 9}}
    app.run()
    assert values(app) == matched


def test_the_verdict_follows_the_chosen_number_and_the_generators() -> None:
    mirrored = lesson(number__b="invent")
    kept = 1 - values(mirrored)[0]
    told = answered(mirrored, "α@0.05")
    other = numbers(finite_masses([1, 0], [kept, 1 - kept]))
    gaps = np.abs(np.subtract(numbers(finite_masses([kept, 1 - kept], [1, 0])), other))
    assert gaps[3:].tolist() == pytest.approx([gaps.max()] * 3)  # three numbers are equally good at it
    assert told.startswith("Right: **α@0.05**")
    assert f"differs by {gaps.max():.3f}, as far as" in told
    told = answered(mirrored, "F8, leaning to recall")
    assert told.startswith("Not quite: **PR median, precision**")
    same = answered(lesson(number__b="drop"), "None of them does")
    assert same.startswith("Right: **None of them does**")
    perfect = answered(lesson(number__chosen="alpha_at_005"), "PR median, recall")
    assert "**PR median, recall**" in perfect  # B without any shift has A's α@0.05 of 1
    assert "1.000 for A and 1.000 for B" in perfect


def test_a_new_state_covers_the_answer_and_both_links_lead_to_the_same_pairs() -> None:
    app = lesson()
    answered(app, "None of them does")
    moved_to(app, a_drop=0.6)
    assert not [*app.success, *app.info]
    links = [button.proto.url for button in app.get("link_button")]
    shares, strengths = [], values(app)
    for link in links:
        query = {name: found[0] for name, found in parse_qs(urlsplit(link).query).items()}
        settings, messages = ExploreSettings.from_query(query)
        assert messages == []
        shares.append(settings)
    assert tuple(shares[0].parameters["real_weights"]) == pytest.approx((0.4, 0.6))
    assert (shares[0].problem, shares[1].problem) == ("finite", "scaled-gaussian")
    assert shares[1].parameters["shift"] == strengths[1]


def test_every_pair_of_failures_can_be_shown() -> None:
    app = lesson()
    for name, other in zip(FAILURES, reversed(FAILURES), strict=True):
        app.selectbox(key="number.a").set_value(name)
        app.selectbox(key="number.b").set_value(other).run()
        healthy(app)
        assert [control["id"] for control in payload(app)["controls"]] == [f"a_{name}", f"b_{other}"]
        assert len(json.dumps(payload(app))) < 1_000_000


def test_the_whole_lesson_by_keyboard(page: Page) -> None:
    visit(page, "/learn")
    page.get_by_role("radio", name="6 One number").press("Enter")
    expect(page.get_by_role("heading", name="One number?")).to_be_visible()
    figure = page.locator(".live", has=page.locator(".control"))
    expect(figure.get_by_role("heading", name="Both precision-recall curves")).to_be_visible()
    expect(figure.locator(".barlayer path")).to_have_count(12)
    wait_idle(page)
    slider = figure.get_by_role("slider", name="A, which drops modes")
    state = "figure => [figure.dataset.revision, figure.dataset.turn]"
    path = "figure => figure.querySelectorAll('.scatterlayer .js-line')[1].getAttribute('d')"
    bars = "figure => [...figure.querySelectorAll('.barlayer path')].map(bar => bar.getAttribute('d')).join()"
    before = [figure.evaluate(each) for each in (state, path, bars)]
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()  # while it is held, nothing is asked of Python
    for _ in range(5):
        slider.press("ArrowRight")
    dropped = float(slider.get_attribute("aria-valuetext") or "nan")
    cell = figure.locator("tbody tr").first.locator("td").first
    expect(cell).to_have_text(f"{1 - dropped:.3f}")
    assert figure.evaluate(state) == before[0]
    assert figure.evaluate(path) != before[1]
    assert figure.evaluate(bars) != before[2]
    page.mouse.up()
    expect(page.get_by_text("it tells them apart")).to_contain_text(f"{1 - dropped:.3f} for A")
    page.get_by_role("button", name="Match").press("Enter")
    expect(page.get_by_text("it can't tell them apart")).to_contain_text(f"{1 - dropped:.3f} for B")
    expect(figure.locator("tbody tr").nth(2).locator("td").first).to_have_text("0.000")
    page.get_by_test_id("stRadio").get_by_role("radio", name="PR median, precision").press("Space")
    reveal = page.get_by_role("button", name="Reveal")
    expect(reveal).to_be_enabled()
    reveal.press("Enter")
    expect(page.get_by_text("Press Match to see it")).to_contain_text("PR median, precision")
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)
