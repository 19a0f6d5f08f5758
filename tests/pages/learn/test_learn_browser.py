"""Learn in a real Chromium: the figures follow the hand without Python, and the keyboard alone is enough."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from pages._learn import LESSONS
from prviz.curves.ground_truth import finite_masses, scaled_gaussians
from tests.browser import Tab, beside, visit, wait_idle, wait_until


def open_lesson(page: Page, name: str) -> Locator:
    """The figure of a lesson, drawn, opened by its link."""
    visit(page, f"/learn?lesson={name.replace(' ', '+')}")
    return shown_lesson(page, name)


def shown_lesson(page: Page, name: str) -> Locator:
    """The figure of the lesson that is open, drawn."""
    expect(page.get_by_role("heading", level=1)).to_have_text("Learn")
    expect(page.get_by_role("heading", level=2)).to_have_text(LESSONS[name].TITLE)
    figure = page.locator(".live", has=page.locator(".control")).first
    expect(figure).to_have_attribute("data-revision", re.compile("[0-9a-f]{12}"))
    wait_idle(page)
    return figure


def paths(figure: Locator, pane: int) -> list[str]:
    lines = figure.locator(".pane").nth(pane).locator(".scatterlayer .js-line")
    return lines.evaluate_all("lines => lines.map(line => line.getAttribute('d'))")


_SHAPES = """root => [...root.querySelectorAll('.panes path, .lam-marks *')].map(
    (node) => ['d', 'cx', 'cy', 'transform'].map((name) => node.getAttribute(name)).join()).join()"""


def press_across(page: Page, slider: Locator) -> None:
    """Press the mouse on a slider, far from its handle, and hold it."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    low, high, value = (float(slider.evaluate(f"each => each.{name}")) for name in ("min", "max", "value"))
    share = 0.2 if value > (low + high) / 2 else 0.8
    page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()


def mark(figure: Locator, pane: int) -> tuple[float, float]:
    dot = figure.locator(".pane").nth(pane).locator("circle[data-curve=truth]")
    return float(dot.get_attribute("data-x") or "nan"), float(dot.get_attribute("data-y") or "nan")


def tab_to(page: Page, target: Locator) -> None:
    """Move the focus there with the Tab key alone."""
    for _ in range(120):
        if target.evaluate("node => node === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the Tab key does not reach it")


def test_a_whole_lesson_with_the_keyboard_alone(page: Page) -> None:
    figure = open_lesson(page, "1 Overlap")
    before = paths(figure, 2)
    tab_to(page, figure.get_by_role("slider", name="Width of the generated data"))
    page.keyboard.press("Home")
    truth = scaled_gaussians(0.2, 1, distance=1.0)
    expect(figure.locator(".status")).to_contain_text(f"{truth.alpha(1.0):.2f} / {truth.beta(1.0):.2f}")
    wait_until(page, lambda: paths(figure, 2) != before)
    tab_to(page, figure.get_by_role("slider", name=re.compile("Trade-off")))
    at_one = figure.locator(".pane").nth(2).locator("circle").get_attribute("data-x") or ""
    page.keyboard.press("PageUp")
    expect(figure.locator(".pane").nth(2).locator("circle")).not_to_have_attribute("data-x", at_one)
    recall, precision = mark(figure, 2)
    assert precision == pytest.approx(truth.alpha(precision / recall), abs=2e-3)
    expect(page.get_by_text("The generator now has width 0.2.")).to_be_visible()  # Python has heard
    wait_idle(page)
    tab_to(page, page.get_by_test_id("stRadio").get_by_role("radio").first)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Reveal")).to_be_enabled()
    wait_idle(page)
    tab_to(page, page.get_by_role("button", name="Reveal"))
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("^(Right|Not quite)"))).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Next: 2 Classifier"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2)).to_have_text(LESSONS["2 Classifier"].TITLE)
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)


@pytest.fixture(scope="module")
def phone(warm: Tab) -> Iterator[Page]:
    """One visitor who takes all lessons."""
    tab = beside(warm, viewport={"width": 390, "height": 844}, color_scheme="dark")
    open_lesson(tab.page, next(iter(LESSONS)))
    yield tab.page
    tab.page.close()
    tab.check()


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_fits_a_phone_and_follows_its_first_slider(phone: Page, name: str) -> None:
    page = phone
    page.get_by_test_id("stButtonGroup").first.get_by_role("radio", name=name, exact=True).click()
    figure = shown_lesson(page, name)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for plot in figure.locator(".plot").all():
        assert len(plot.get_attribute("aria-label") or "") > 20
    quiet = figure.get_attribute("data-more") == "false"  # what a lesson goes on to measure comes in answers of its own
    turn, before = figure.get_attribute("data-turn"), figure.evaluate(_SHAPES)
    press_across(page, figure.get_by_role("slider").and_(figure.locator("input")).first)
    wait_until(page, lambda: figure.evaluate(_SHAPES) != before)
    assert not quiet or figure.get_attribute("data-turn") == turn  # Python hears of it when the hand lets go
    page.mouse.up()
    expect(figure).not_to_have_attribute("data-turn", str(turn))
    wait_idle(page)
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)


def test_explore_is_as_it_was_after_a_lesson(page: Page) -> None:
    open_lesson(page, "2 Classifier")
    pages = page.locator(".st-key-prviz-bar")
    pages.get_by_role("link", name="Explore").click()
    k = page.get_by_role("spinbutton", name="Neighbours k")
    expect(k).to_have_value("5")
    wait_idle(page)
    page.get_by_role("slider", name="Neighbours k").press("ArrowRight")
    page.get_by_role("button", name="precision end").click()
    page.wait_for_url(re.compile(r"[?&]k=6&.*lam=inf"))
    wait_idle(page)
    pages.get_by_role("link", name="Learn").click()
    expect(page.get_by_role("heading", level=2)).to_have_text(LESSONS["2 Classifier"].TITLE)
    wait_idle(page)
    pages.get_by_role("link", name="Explore").click()
    expect(k).to_have_value("6")
    page.wait_for_url(re.compile(r"[?&]k=6&.*lam=inf"))
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)


def test_lam_moves_point_tangent_and_areas_together(page: Page) -> None:
    figure = open_lesson(page, "2 Classifier")
    areas = paths(figure, 0)
    revision = figure.get_attribute("data-revision")
    figure.get_by_role("button", name="λ = 10").click()
    expect(figure).to_have_attribute("data-lam", re.compile(r"^(9|10)\."))
    lam = float(figure.get_attribute("data-lam") or "nan")
    assert figure.get_attribute("data-revision") == revision  # not a word from Python yet
    wait_until(page, lambda: paths(figure, 0)[:2] != areas[:2])
    (fpr, fnr), (recall, precision) = mark(figure, 1), mark(figure, 2)
    assert precision == pytest.approx(lam * fpr + fnr, abs=1e-6)
    assert recall == pytest.approx(fpr + fnr / lam, abs=1e-6)
    wait_idle(page)
    for view in ("ROC curve", "Mode-collapse region"):
        page.get_by_role("radio", name=view).click()
        expect(figure.locator(".pane h3").nth(1)).to_have_text(view)
        wait_idle(page)
        x, y = mark(figure, 1)
        assert (x, 1 - y) == pytest.approx((fpr, fnr) if view == "ROC curve" else (fnr, fpr), abs=1e-6)


def test_pulled_bars_sum_to_one_and_move_both_curves(page: Page) -> None:
    figure = open_lesson(page, "3 Modes")
    bar = figure.get_by_role("slider", name="Generated modes q, A")
    before = paths(figure, 1)
    bar.focus()
    page.keyboard.press("PageUp")
    expect(bar).to_have_attribute("aria-valuenow", "20")
    shares = [
        int(figure.get_by_role("slider", name=f"Generated modes q, {mode}").get_attribute("aria-valuenow") or 0)
        for mode in "ABCD"
    ]
    assert shares == [20, 40, 8, 32]
    expect(figure.locator(".status")).to_contain_text(
        f"modes alone {finite_masses([0.2, 0.2, 0.6, 0], [0.2, 0.4, 0.08, 0.32]).alpha(1.0):.2f}"
    )
    wait_until(page, lambda: all(old != new for old, new in zip(before, paths(figure, 1), strict=True)))
    box = figure.get_by_role("group", name="Real modes p").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] - 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.53, steps=6)
    page.mouse.up()
    expect(figure.get_by_role("slider", name="Real modes p, D")).to_have_attribute("aria-valuenow", "50")
    wait_idle(page)
    page.get_by_role("button", name="Perfect").click()
    expect(bar).to_have_attribute("aria-valuenow", "25")
    expect(figure.locator(".status")).to_contain_text("1.00 / 1.00")
