"""The main figure follows the hand in the browser; Python hears of it when the hand lets go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from prviz.curves.summaries import table_columns
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import ExploreSettings
from tests.browser import (
    POLL_MS,
    Opener,
    Tab,
    beside,
    box_of,
    click,
    enter,
    link_says,
    path_of,
    press_often,
    wait_idle,
    wait_until,
)
from tests.marks import exhaustive, thorough
from tests.pages.explore.test_explore_browser import (
    box_zoom,
    hide,
    line_of,
    main_figure,
    number,
    open_explore,
    row,
    slider,
)

BANDWIDTH = "KDE bandwidth"
PATH = "/?problem=shifted-gaussians&n=150&p.d=4&k=5&seed=3"

# What Plotly holds of every pane, whether Python or the browser made it.
_DRAWN = """plots => plots.map(plot => ({
    traces: plot._fullData.filter(({ meta, legendgroup, visible }) =>
        visible !== false && meta !== 'limit' && legendgroup !== 'now').map(trace => ({
        name: trace.name, x: Array.from(trace.x ?? []), y: Array.from(trace.y ?? []), text: [...(trace.text || [])],
        custom: [...(trace.customdata || [])].map(row => Array.from(row, v => v === null || v === Infinity ? 1e9 : v)),
    })),
    notes: (plot.layout.annotations || []).map(note => note.text),
    ranges: ['xaxis', 'yaxis'].map(axis => Array.from(plot._fullLayout[axis].range)),
}))"""

# The page may wait for something else once it has followed: nothing is on its way for longer than
# that takes.
_QUIET = """() => {
    const busy = document.querySelector('.live[data-more=true], [data-test-script-state="running"]');
    if (busy) window.__quietSince = undefined;
    else window.__quietSince ??= performance.now();
    return window.__quietSince && performance.now() - window.__quietSince > 1500;
}"""

_TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def followed(page: Page, path: str = PATH) -> Locator:
    """The main figure of a page that has its frames."""
    open_explore(page, path)
    page.wait_for_function("() => window.__prviz?.frames.size > 0")
    all_measured(page)
    return main_figure(page)


def all_measured(page: Page) -> None:
    """Wait until nothing is measured in the background any more, about which the page would ask
    Python.
    """
    page.evaluate("() => { window.__quietSince = undefined; }")
    # several servers that begin at once take long
    page.wait_for_function(_QUIET, timeout=90_000, polling=POLL_MS)
    wait_idle(page)


def drawn(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.locator(".live .js-plotly-plot").evaluate_all(_DRAWN)
    return found


def assert_alike(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """The same drawing; what is drawn in the browser may differ from Python's by rounding."""
    assert [len(pane["traces"]) for pane in found] == [len(pane["traces"]) for pane in expected]
    for pane, other in zip(found, expected, strict=True):
        assert pane["notes"] == other["notes"]
        np.testing.assert_allclose(pane["ranges"], other["ranges"], atol=1e-9)
        for trace, fresh in zip(pane["traces"], other["traces"], strict=True):
            assert (trace["name"], trace["text"]) == (fresh["name"], fresh["text"])
            for part in ("x", "y", "custom"):
                # vertices travel with nine digits
                np.testing.assert_allclose(trace[part], fresh[part], atol=1e-6)


def place(handle: Locator, stop: float) -> tuple[float, float]:
    """Where the mouse holds the slider at this share of its way."""
    box = box_of(handle)
    return box["x"] + 8 + (box["width"] - 16) * stop, box["y"] + box["height"] / 2


def at_stop(figure: Locator, pattern: str) -> None:
    expect(figure).to_have_attribute("data-stop", re.compile(pattern))


def settled(figure: Locator) -> None:
    """The hand's last move is painted, in the frame after it, and Plotly has caught up: here and in
    every figure.
    """
    figure.page.evaluate(_TWO_FRAMES)
    figure.page.wait_for_function(
        """root => [...document.querySelectorAll(".live[data-stop]")].every(
            each => each.dataset.stop === root.dataset.stop && each.dataset.settled === root.dataset.stop)""",
        arg=figure.element_handle(),
    )


@pytest.fixture
def sent(page: Page) -> list[int]:
    """A running list of what the page has sent to Python, one entry per message."""
    return messages_of(page)


def messages_of(page: Page) -> list[int]:
    messages: list[int] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda payload: messages.append(len(payload))),
    )
    return messages


@pytest.fixture(scope="module")
def visitor(warm: Tab) -> Iterator[tuple[Page, list[int]]]:
    """One visitor of PATH for the tests that begin there, and what the page has sent to Python."""
    tab = beside(warm)
    messages = messages_of(tab.page)
    followed(tab.page)
    yield tab.page, messages
    tab.close()


@pytest.fixture
def shared(visitor: tuple[Page, list[int]]) -> Page:
    """The visitor's page with the samples, k and bandwidth of PATH again; zoom and tab stay as they
    were left.
    """
    page, _ = visitor
    all_measured(page)  # the test before may have left a move on its way
    moved = False
    for label, text, query in (
        ("Seed", "3", r"[?&]seed=3(&|$)"),
        ("Neighbours k", "5", r"[?&]k=5(&|$)"),
        (BANDWIDTH, "", "^(?!.*bandwidth=)"),
    ):
        if not re.search(query, page.url):
            field = number(page, label)
            enter(field, text)
            page.wait_for_url(re.compile(query))
            moved = True
    if moved:
        all_measured(page)
    at_stop(main_figure(page), r"^5\|auto$")
    return page


def test_a_drag_is_drawn_without_a_word_to_python_which_hears_of_its_end(
    visitor: tuple[Page, list[int]],
) -> None:
    page, sent = visitor
    figure = main_figure(page)
    handle = slider(page, "Neighbours k")
    before = len(sent)
    assert before > 0
    seen = set()
    page.mouse.move(*place(handle, 0.1))
    page.mouse.down()
    for share in np.linspace(0.1, 0.9, 13):
        page.mouse.move(*place(handle, float(share)))
        page.evaluate(_TWO_FRAMES)
        seen.add(page.locator(".scatterlayer .js-line").nth(1).get_attribute("d"))
    assert len(seen) > 8
    settled(figure)  # the pointer rests, but holds
    page.evaluate(_TWO_FRAMES)
    assert len(sent) == before
    page.mouse.up()
    k = slider(page, "Neighbours k").get_attribute("aria-valuetext")
    link_says(page, "k", k)
    at_stop(figure, rf"^{k}\|auto$")


@thorough
def test_what_the_browser_draws_is_what_python_draws(shared: Page, new_page: Callable) -> None:
    page = shared
    figure = main_figure(shared)
    for name, pattern in (("Neighbours k", r"^(?!5\|)"), ("Bandwidth", r"\|(?!auto)")):
        revision = figure.get_attribute("data-revision")
        table = page.locator("[data-prviz-place=rows]").inner_text()
        press_often(slider(page, name), 7)
        at_stop(figure, pattern)
        settled(figure)
        local = drawn(page)
        expect(figure).not_to_have_attribute("data-revision", revision or "")  # Python has answered
        all_measured(page)
        assert_alike(drawn(page)[:1], local[:1])
        assert page.locator("[data-prviz-place=rows]").inner_text() != table
    again = new_page()
    open_explore(again, path_of(page))
    all_measured(page)
    all_measured(again)
    assert_alike(drawn(again), drawn(page))
    assert (
        again.locator("[data-prviz-place=rows]").inner_text()
        == page.locator("[data-prviz-place=rows]").inner_text()
    )


@exhaustive
def test_an_answer_in_the_middle_of_the_next_drag_does_not_jump_back(page: Page) -> None:
    held: list[Any] = []
    holding: list[bool] = []

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(
            lambda message: held.append((socket, message)) if holding else socket.send(message)
        )

    page.route_web_socket(re.compile("_stcore/stream"), between)
    figure = followed(page)
    handle = slider(page, "Neighbours k")
    asked_before = figure.get_attribute("data-asked") or ""
    holding.append(True)
    page.mouse.move(*place(handle, 0.2))
    page.mouse.down()
    page.mouse.move(*place(handle, 0.4))
    page.mouse.up()
    asked = handle.get_attribute("aria-valuetext")
    wait_until(page, lambda: held)
    page.mouse.down()
    page.mouse.move(*place(handle, 0.8))
    kept = handle.get_attribute("aria-valuetext")
    assert kept != asked
    wait_until(
        page,
        lambda: any(ForwardMsg.FromString(each).HasField("script_finished") for _, each in held),
    )
    holding.clear()
    for socket, message in held:
        socket.send(message)
    expect(figure).not_to_have_attribute("data-asked", asked_before)
    assert handle.get_attribute("aria-valuetext") == kept
    at_stop(figure, rf"^{kept}\|")
    settled(figure)
    at_stop(figure, rf"^{kept}\|")
    page.mouse.up()
    link_says(page, "k", kept)
    at_stop(figure, rf"^{kept}\|")


@exhaustive
def test_a_lost_visitor_is_known_again_and_a_lost_server_is_asked_again(page: Page) -> None:
    followed(page)
    page.route("**/live/ask", lambda route: route.fulfill(status=410), times=1)
    enter(number(page, "Seed"), "4")
    link_says(page, "seed", "4")
    page.route("**/live/ask", lambda route: route.abort(), times=1)
    enter(number(page, "Seed"), "5")
    link_says(page, "seed", "5")


@exhaustive
def test_keys_move_and_a_screen_reader_hears_of_it_once(shared: Page) -> None:
    page = shared
    figure = main_figure(shared)
    handle = slider(page, "Neighbours k")
    assert handle.get_attribute("aria-valuetext") == "5"
    figure.locator("[role=status]").first.evaluate("""node => {
        window.said = 0;
        new MutationObserver(() => { window.said += 1; }).observe(node, {childList: true, subtree: true});
    }""")
    press_often(handle, 15)
    assert handle.get_attribute("aria-valuetext") == "20"
    expect(figure.locator(".spoken")).to_contain_text("k = 20. At λ = 1, precision / recall: truth")
    assert page.evaluate("window.said") <= 2
    handle.press("Home")
    expect(handle).to_have_attribute("aria-valuetext", "1")
    at_stop(figure, r"^1\|")
    link_says(page, "k", "1")


@exhaustive
def test_numbers_over_k_come_with_the_frames_also_where_the_table_was_there_before(
    page: Page,
) -> None:
    open_explore(page, f"{PATH}&panel=All+numbers")
    expect(page.locator(".turned .over polyline").first).to_be_attached()


@exhaustive
def test_the_table_reads_as_a_table_and_follows(shared: Page) -> None:
    page = shared
    figure = main_figure(shared)
    click(page, "tab", "Numbers")
    table = page.get_by_role("table", name="Summaries of every curve, the truth first")
    columns = table_columns(True)
    expect(table.get_by_role("rowheader")).to_have_text([column.label for column in columns])
    assert table.get_by_role("rowheader").first.get_attribute("title") == columns[0].explanation
    expect(table.get_by_role("columnheader")).to_have_text(
        ["truth", *(ESTIMATORS[name].title for name in ExploreSettings().methods), "over k"]
    )
    numbers = table.locator("tbody td:nth-child(3)")  # of kNN
    before = numbers.first.inner_text()
    expect(table.locator("tbody td").first).to_have_text("1.000")
    expect(table.locator("tbody svg")).to_have_count(len(columns))
    slider(page, "Neighbours k").press("ArrowRight")
    at_stop(figure, r"^6\|")
    expect(numbers.first).not_to_have_text(before)
    iou, excess, deficit = map(float, numbers.all_inner_texts()[:3])
    assert iou + excess + deficit == pytest.approx(1, abs=0.002)
    assert float(row(page, "knn").locator("b").inner_text()) == pytest.approx(iou, abs=0.006)


@exhaustive
def test_the_table_fits_a_phone(new_page: Opener) -> None:
    page = new_page(size=(390, 900), color_scheme="dark")
    followed(page)
    click(page, "tab", "Numbers")
    box = page.locator(".readout:not([hidden])")
    page.wait_for_function("node => node.scrollWidth <= node.clientWidth", arg=box.element_handle())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    color = box.locator("td").nth(1).evaluate("node => getComputedStyle(node).color")
    assert min(map(int, re.findall(r"\d+", color)[:3])) > 150  # light on dark


@exhaustive
def test_repeats_are_followed_without_their_bands(page: Page) -> None:
    figure = followed(page, PATH + "&repeats=3&show=bound")
    filled = figure.locator(".pane").first.locator(".js-fill")
    lengths = "nodes => nodes.map(node => (node.getAttribute('d') || '').length)"
    # the bands, and the shade of the bound
    assert sum(length > 20 for length in filled.evaluate_all(lengths)) > 1
    figure.evaluate("""root => new MutationObserver(() => {
        if (root.dataset.stop.startsWith("6|") && !window.asked) window.asked = requestAnimationFrame(() => {
            window.followed = [...root.querySelector(".pane").querySelectorAll(".js-fill")]
                .map(fill => (fill.getAttribute("d") || "").length);  // before Python can have answered
        });
    }).observe(root, { attributes: true, attributeFilter: ["data-stop"] })""")
    slider(page, "Neighbours k").press("ArrowRight")
    at_stop(figure, r"^6\|")
    page.wait_for_function("window.followed")
    # the shade of the bound
    assert sum(length > 20 for length in page.evaluate("window.followed")) <= 1
    link_says(page, "k", "6")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.live .js-fill')].filter(f =>"
        " f.getAttribute('d').length > 20).length > 1"
    )


# These leave a zoom, hidden entries and another tab to those that share their page.


@thorough
def test_zoom_and_hidden_entries_survive_a_drag(shared: Page) -> None:
    page = shared
    figure = main_figure(shared)
    hide(page, "ipr")
    plot = figure.locator(".js-plotly-plot").first
    box_zoom(page, plot)
    zoomed = plot.evaluate("plot => plot._fullLayout.xaxis.range")
    handle = slider(page, "Neighbours k")
    page.mouse.move(*place(handle, 0.3))
    page.mouse.down()
    for share in (0.4, 0.5, 0.6):
        page.mouse.move(*place(handle, share))
        page.evaluate(_TWO_FRAMES)
    groups = plot.locator(".scatterlayer .trace").evaluate_all(
        "nodes => nodes.map(n => n.__data__[0].trace.legendgroup)"
    )
    assert "ipr" not in groups
    assert {"knn", "kde", "coverage"} <= set(groups)
    assert figure.locator(".pane").first.locator("circle[data-curve=ipr]").count() == 0
    page.mouse.up()
    settled(figure)
    wait_idle(page)
    assert plot.evaluate("plot => plot._fullLayout.xaxis.range") == zoomed
    assert plot.evaluate(f"plot => {line_of('ipr')}.visible") == "legendonly"


@exhaustive
def test_a_zoom_in_mid_drag_shows_the_hands_curves(shared: Page) -> None:
    page = shared
    figure = main_figure(shared)
    slider(page, "Neighbours k").press("ArrowRight")
    page.evaluate(
        "() => window.Plotly.relayout(document.querySelector('.live .js-plotly-plot'),"
        " {'xaxis.range': [0, 0.5]})"
    )
    at_stop(figure, r"^6\|")
    moved = figure.locator(".js-line").nth(1).get_attribute("d")
    settled(figure)
    first, caught_up = (
        np.array(re.findall(r"[\d.]+", path or ""), dtype=float)[:2]
        for path in (moved, figure.locator(".js-line").nth(1).get_attribute("d"))
    )
    np.testing.assert_allclose(first, caught_up, atol=1.0)
