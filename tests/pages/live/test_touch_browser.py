"""Touch and double clicks on the main figure."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import AppServer, open_tab, visit, wait_idle

RANGES = "plot => [plot.layout.xaxis.range, plot.layout.yaxis.range].map(range => [...range])"


@pytest.mark.parametrize("touch", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_taps_and_double_clicks_leave_the_axes_where_they_were(
    app_server: AppServer, chromium: Browser, touch: bool
) -> None:
    size = {"width": 390, "height": 844} if touch else {"width": 1366, "height": 768}
    tab = open_tab(chromium, app_server.url, viewport=size, has_touch=touch, is_mobile=touch)
    visit(tab.page)
    wait_idle(tab.page)
    plot = tab.page.locator(".live.screen .plot").first
    expect(plot.locator(".js-line").first).to_be_attached()
    plot.scroll_into_view_if_needed()
    before = plot.evaluate(RANGES)
    box = plot.bounding_box()
    assert box is not None
    for x, y in ((0.5, 0.5), (0.3, 0.6), (0.7, 0.4), (0.4, 0.3)):
        place = (box["x"] + x * box["width"], box["y"] + y * box["height"])
        if touch:
            tab.page.touchscreen.tap(*place)
            tab.page.touchscreen.tap(*place)
        else:
            tab.page.mouse.dblclick(*place)
        tab.page.wait_for_timeout(400)  # what Plotly waits for a second click
        assert plot.evaluate(RANGES) == before, (x, y)
    tab.check()
    tab.context.close()
