"""The co-support map and the tails in a real Chromium: they follow the hand, and mark the same
samples everywhere.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page, expect

from tests.browser import (
    Opener,
    box_of,
    click,
    drag,
    enter,
    link_says,
    path_of,
    press_often,
    resize,
    wait_idle,
)
from tests.pages.explore.test_explore_browser import (
    box_zoom,
    drag_in,
    main_figure,
    number,
    open_explore,
    point_at,
    slider,
)
from tests.pages.live.test_live_browser import all_measured, at_stop, drawn, followed, settled

PATH = "/?problem=mixtures&n=200&p.d=8&k=5&seed=3"


def opened_tab(page: Page, name: str) -> Locator:
    """The last live figure of the tab, drawn."""
    click(page, "tab", name, exact=True)
    figure = page.get_by_role("tabpanel", name=name, exact=True).locator(".live").last
    expect(figure).to_have_attribute("data-revision", re.compile("[0-9a-f]{12}"))
    return figure


def test_the_tails_follow_k_and_lam_and_python_draws_the_same(page: Page, new_page: Opener) -> None:
    followed(page, PATH)
    figure = opened_tab(page, "Extremes")
    before = figure.locator(".js-line").nth(1).get_attribute("d")
    press_often(slider(page, "Neighbours k"), 4)
    at_stop(figure, r"^9\|")
    expect(figure.locator(".js-line").nth(1)).not_to_have_attribute("d", before or "")
    settled(figure)
    local = drawn(page)  # the curves and both tails
    link_says(page, "k", "9")
    wait_idle(page)
    again = new_page()
    open_explore(again, path_of(page))
    opened_tab(again, "Extremes")
    all_measured(again)
    expected = drawn(again)
    assert len(local) == len(expected) == 3
    for pane, other in zip(local, expected, strict=True):
        for trace, fresh in zip(pane["traces"], other["traces"], strict=True):
            assert trace["name"] == fresh["name"]
            assert trace["text"] == fresh["text"]
            for part in ("x", "y"):
                one, two = (np.array(each[part], dtype=float) for each in (trace, fresh))
                np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)
    lam = slider(page, "Trade-off")
    press_often(lam, 10)
    marks = figure.locator(".lam-marks").first
    at = float(np.tan(np.radians(55.0)))
    page.wait_for_function(
        "([svg, lam]) => Math.abs(svg.dataset.lam - lam) < 1e-9", arg=[marks.element_handle(), at]
    )
    dot = marks.locator("circle[data-curve=knn]")
    main = main_figure(page).locator("circle[data-curve=knn]").first
    assert float(dot.get_attribute("data-y") or "nan") == float(
        main.get_attribute("data-y") or "nan"
    )
    assert float(dot.get_attribute("data-x") or "nan") == at


def box_select(page: Page, scatter: Locator) -> None:
    """Select the samples in the middle of a scatter."""
    scatter.hover()
    scatter.locator(".tools button[title='Box Select']").click()
    drag_in(scatter, (0.3, 0.2), (0.7, 0.8))


def ringed(figure: Locator) -> list[list[str]]:
    """The rows that are ringed in each pane."""
    found: list[Any] = figure.locator(".rings").evaluate_all(
        "svgs => svgs.map(svg => [...svg.children].map(ring => ring.dataset.row).sort())"
    )
    return found


def test_samples_marked_in_one_projection_are_ringed_in_the_other(page: Page) -> None:
    resize(page, 1280, 2200)
    open_explore(page, PATH)
    click(page, "radio", "Score")
    scatter = page.locator(".st-key-samples")
    expect(scatter.locator(".cbfill, .cbfills").first).to_be_attached()
    wait_idle(page)
    box_select(page, scatter)
    figure = page.locator(".st-key-cosupport-samples .live")
    expect(figure.locator(".pane")).to_have_count(2)
    left, right = figure.locator(".js-plotly-plot").all()
    left.scroll_into_view_if_needed()
    point_at(page, left, trace=0, point=0)
    expect(right.locator(".rings circle")).to_have_count(1)
    # the sample under the pointer: where several lie close, whichever is nearest
    (row,), (same,) = ringed(figure)
    assert row == same
    area = box_of(left.locator(".nsewdrag").first)
    corners = [(0.02, 0.02), (0.02, 0.98), (0.5, 0.98), (0.5, 0.02), (0.02, 0.02)]
    places = [(area["x"] + x * area["width"], area["y"] + y * area["height"]) for x, y in corners]
    drag(page, *places)
    expect(figure.locator(".status")).to_have_text(
        re.compile(r"Marked: \d+ samples \(.*\d+ both: real.*\)")
    )
    page.mouse.move(area["x"] - 20, area["y"] - 20)
    marked = ringed(figure)
    assert marked[0] == marked[1]
    count = int(re.findall(r"\d+", figure.locator(".status").inner_text())[0])
    assert 0 < count == len(marked[0]) < 200
    # They stay, with their places, under a zoom and beside other components; a family of other
    # classes keeps them.
    box_zoom(page, right, selects=True)
    page.mouse.move(area["x"] - 20, area["y"] - 20)
    assert ringed(figure) == marked
    click(page, "radio", "The last two components")
    expect(figure.get_by_role("heading", name="Further components")).to_be_visible()
    family = page.get_by_role("combobox", name="Family")
    # a menu closes where its panel scrolls
    family.evaluate("node => node.scrollIntoView({ block: 'center' })")
    wait_idle(page)
    family.click()
    click(page, "option", "iPR")
    wait_idle(page)
    assert ringed(figure) == marked
    # Other samples: nothing is selected, so that nothing is marked.
    seeds = number(page, "Seed")
    enter(seeds, "4")
    link_says(page, "seed", "4")
    expect(figure).to_have_count(0)
