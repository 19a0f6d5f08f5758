"""Lesson 4 in a browser: it follows the hand without Python and is what Python draws; keys reach the answer."""

from __future__ import annotations

import json
import re

import numpy as np
from playwright.sync_api import Page, WebSocket, expect

from pages._learn import samples
from pages._learn.samples import KS, MembersRequest
from prviz import figures
from tests.browser import visit, wait_idle
from tests.pages.explore.test_explore_browser import slider
from tests.pages.live.test_live_browser import place

_PLANE = """() => JSON.stringify(document.querySelector('.live .js-plotly-plot')._fullData.map(trace =>
    [trace.name, Array.from(trace.x, v => v ?? null), Array.from(trace.y, v => v ?? null)]))"""

_PATHS = "group => [...group.querySelectorAll('.js-line, .live-line')].map(path => path.getAttribute('d')).join()"


def plane(page: Page) -> list:
    return json.loads(page.evaluate(_PLANE))


def expected(point: int, k: int, degrees: float) -> list:
    found = samples.measured(MembersRequest("knn", 0.5, 0))
    view = samples.view(found, found.stops[KS.index(k)], point - 1, float(np.tan(np.radians(degrees))))
    sides = [[side.values for side in pair] for pair in (found.split.fit, found.split.evaluate)]
    low, high = found.bounds
    drawn = figures.votes_figure(view, *sides, numbers=found.numbers, low=low, high=high)
    return [[trace.name, list(trace.x), list(trace.y)] for trace in drawn.data]


def same(found: list, wanted: list) -> None:
    assert [name for name, *_ in found] == [name for name, *_ in wanted]
    for (name, *got), (_, *should) in zip(found, wanted, strict=True):
        for mine, theirs in zip(got, should, strict=True):
            numbers = [np.array([np.nan if v is None else v for v in each], dtype=float) for each in (mine, theirs)]
            np.testing.assert_allclose(*numbers, atol=2e-3, err_msg=name)


def test_a_whole_lesson_from_the_votes_to_the_answer(page: Page) -> None:
    sent: list[int] = []
    page.on("websocket", lambda socket: watch(socket, sent))
    visit(page, "/learn?lesson=4+Samples")
    figure = page.locator(".live").first
    expect(figure).to_have_attribute("data-revision", re.compile("."))
    wait_idle(page)
    spokes, handle = page.locator(".scatterlayer .trace").nth(5), slider(page, "Point that is judged")
    before, paths = len(sent), spokes.evaluate(_PATHS)
    page.mouse.move(*place(handle, 0.5))
    page.mouse.down()
    page.mouse.move(*place(handle, 0.4))
    page.wait_for_function(f"([group, old]) => ({_PATHS})(group) !== old", arg=[spokes.element_handle(), paths])
    assert len(sent) == before  # drawn by the browser alone
    page.mouse.up()
    page.get_by_role("button", name="middle").focus()
    page.keyboard.press("Enter")
    handle.focus()
    page.keyboard.press("ArrowRight")
    for name, steps in (("Neighbours k", 2), ("Trade-off", 9)):
        slider(page, name).focus()
        for _ in range(steps):
            page.keyboard.press("ArrowRight")
    page.wait_for_function("node => node.dataset.settled === node.dataset.stop", arg=figure.element_handle())
    wait_idle(page)
    k = KS[KS.index(5) + 2]
    same(plane(page), expected(42, k, 54))
    status = page.locator(".live .status")
    expect(status).to_contain_text(f"Its ball reaches over its {k} nearest fit samples")
    expect(page.get_by_text(f"On screen is kNN at k = {k} with a split.")).to_be_visible()
    page.locator(".scatterlayer .trace").nth(10).locator(".point").first.hover(force=True)
    page.mouse.down()
    page.mouse.up()
    number = samples.measured(MembersRequest("knn", 0.5, 0)).numbers[0][0]
    expect(status).to_contain_text(f"Point {number} is real")
    page.get_by_role("radio", name=samples.BELOW).focus()
    page.keyboard.press("Space")
    reveal = page.get_by_role("button", name="Reveal").first
    expect(reveal).to_be_enabled()  # once Python has heard of the prediction
    reveal.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Against the truth, on this sample")).to_be_visible()


def watch(socket: WebSocket, sent: list[int]) -> None:
    socket.on("framesent", lambda payload: sent.append(len(payload)))
