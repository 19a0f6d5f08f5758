"""Touch and double clicks on the main figure."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import LAPTOP, PHONE, Opener, box_of, visit
from tests.marks import exhaustive, thorough

RANGES = "plot => [plot.layout.xaxis.range, plot.layout.yaxis.range].map(range => [...range])"


@exhaustive
@pytest.mark.parametrize("touch", [True, False])
def test_taps_and_double_clicks_leave_the_axes_where_they_were(
    new_page: Opener, touch: bool
) -> None:
    size = PHONE if touch else LAPTOP
    page = new_page(fresh=True, size=size, has_touch=touch, is_mobile=touch)
    visit(page, "/?n=100&p.d=2")
    plot = page.locator(".live.screen .plot").first
    expect(plot.locator(".js-line").first).to_be_attached()
    plot.scroll_into_view_if_needed()
    before = plot.evaluate(RANGES)
    box = box_of(plot)
    for x, y in ((0.5, 0.5), (0.3, 0.6)):
        place = (box["x"] + x * box["width"], box["y"] + y * box["height"])
        if touch:
            page.touchscreen.tap(*place)
            page.touchscreen.tap(*place)
        else:
            page.mouse.dblclick(*place)
        page.wait_for_timeout(400)  # what Plotly waits for a second click
        assert plot.evaluate(RANGES) == before, (x, y)


@thorough
def test_a_mouse_that_is_pressed_on_a_curve_moves_lam_along_it(page: Page) -> None:
    visit(page)
    screen = page.locator(".live.screen")
    dot = screen.locator(".lam-marks circle[data-curve=ipr]")
    box = dot.bounding_box() or {}
    x = box["x"] + box["width"] / 2
    y = box["y"] + box["height"] / 2
    page.mouse.move(x - 30, y - 30)
    page.mouse.move(x, y, steps=5)
    expect(screen.locator(".hoverlayer .hovertext")).not_to_have_count(0)
    page.mouse.down()
    page.mouse.move(x + 40, y + 150, steps=8)
    lam = float(screen.get_attribute("data-lam") or 0)
    page.mouse.up()
    assert 0 < lam < 0.8
    page.wait_for_url(re.compile("[?&]lam=0"))
    page.mouse.move(5, 5)  # it stays
    expect(screen).to_have_attribute("data-lam", str(screen.get_attribute("data-lam")))
    assert float(screen.get_attribute("data-lam") or 0) == pytest.approx(lam, rel=0.02)


@exhaustive
@pytest.mark.parametrize("size", [(390, 844), (820, 1180)])
def test_a_finger_moves_lam_along_a_curve(new_page: Opener, size: tuple[int, int]) -> None:
    page = new_page(fresh=True, size=size, has_touch=True, is_mobile=True)
    visit(page)
    grip = page.locator(".live.screen .curve-grips path[data-curve=ipr]")
    grip.scroll_into_view_if_needed()
    before = page.locator(".live.screen").get_attribute("data-lam")
    scrolled = page.evaluate("scrollY")
    # From the middle of the curve towards its end at high precision, which is straight up at last.
    places = grip.evaluate("""path => [0.5, 0.6, 0.7, 0.8].map(share => {
        const { x, y } = path.getPointAtLength(share * path.getTotalLength()), { left, top } =
            path.ownerSVGElement.getBoundingClientRect();
        return { x: left + x, y: top + y, share };
    })""")
    client = page.context.new_cdp_session(page)
    lams = []
    for step, place in enumerate(places):
        kind = "touchMove" if step else "touchStart"
        client.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": place["x"], "y": place["y"]}]},
        )
        page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        lams.append(float(page.locator(".live.screen").get_attribute("data-lam") or 0))
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert str(lams[0]) == str(float(before or 0))  # a touch alone moves nothing
    assert lams[1] < lams[2] < lams[3]
    assert page.evaluate("scrollY") == scrolled
    # The dot is where the finger was, and Python hears of it.
    x, y = page.evaluate("""() => {
        const { x, y, width, height } = document.querySelector(
            ".live.screen .lam-marks circle[data-curve=ipr]").getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    }""")
    assert abs(x - places[-1]["x"]) < 8
    assert abs(y - places[-1]["y"]) < 8
    page.wait_for_url(re.compile("[?&]lam="))
