"""Key presses on the live figure: every pane follows, and Python hears of a series once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser import POLL_MS, WAIT_MS, link_says, press_often
from tests.marks import exhaustive
from tests.pages.explore.test_explore_browser import slider
from tests.pages.live.test_live_browser import PATH, at_stop, followed, sent, settled

__all__ = ["sent"]

# Where each line is in its plot, in data units, at shares of its length.
_PATHS = """() => [...document.querySelectorAll('.live .js-plotly-plot')].map(plot => [...plot.querySelectorAll(
    '.scatterlayer .js-line')].filter(line => {
    const { meta, legendgroup } = line.closest('.trace').__data__[0].trace;
    return meta !== 'limit' && legendgroup !== 'bound'; // which may come later
}).map(line => {
    const { xaxis, yaxis } = plot._fullLayout, length = line.getTotalLength();
    return [0, 0.2, 0.4, 0.6, 0.8, 1].map(share => {
        const { x, y } = line.getPointAtLength(share * length);
        return [xaxis.p2c(x) / xaxis.range[1], yaxis.p2c(y) / yaxis.range[1]];
    });
}))"""

# The same, and the lengths of what Python alone can draw, as soon as every figure shows this stop.
_PAINTED = f"""async stop => {{
    const shown = () => [...document.querySelectorAll('.live[data-stop]')].every(each => each.dataset.settled === stop);
    while (!shown()) await new Promise(requestAnimationFrame);
    const limits = [...document.querySelectorAll('.live .scatterlayer .trace')].filter(trace =>
        trace.__data__[0].trace.meta === 'limit').flatMap(trace => [...trace.querySelectorAll('.js-line')]);
    return [({_PATHS})(), limits.map(line => line.getTotalLength())];
}}"""

# What five presses of an arrow key do, 300 ms apart by the page's own clock: a busy machine delays
# both sides alike.
_KEYS = """async range => {
    for (let i = 0; i < 5; i++) {
        range.stepUp();
        range.dispatchEvent(new Event("input"));
        await new Promise(done => setTimeout(done, 300));
    }
}"""

# What Chromium calls it in a trace.
_STYLES = "UpdateLayoutTree"


def paths(page: Page) -> list[Any]:
    found: list[Any] = page.evaluate(_PATHS)
    return found


@exhaustive
def test_every_pane_and_figure_shows_the_curves_of_the_stop_without_python(page: Page) -> None:
    followed(page, PATH + "&show=limits")
    before = paths(page)
    press_often(slider(page, "Neighbours k"), 4)
    drawn, limits = page.evaluate(_PAINTED, "9|auto")
    assert not any(limits)
    link_says(page, "k", "9")
    moved = 0
    for old, ours, pythons in zip(before, drawn, paths(page), strict=True):
        assert len(ours) == len(pythons)
        for line, other, was in zip(ours, pythons, old, strict=True):
            np.testing.assert_allclose(line, other, atol=0.01)
            moved += not np.allclose(line, was, atol=0.01)
    assert moved >= 3  # of the four estimates, in the main figure


# The next drawing of the main figure, and how much of the page is fading meanwhile. By an
# observer, which misses nothing: beside other work frames come too late to see either.
_NEXT = f"""() => new Promise(resolve => {{
    const fading = new Set();
    const before = JSON.stringify(({_PATHS})()[0]);
    let stale = 0;
    const look = () => {{
        stale = Math.max(stale, document.querySelectorAll('[data-stale=true]').length);
        for (const {{ effect: {{ target }} }} of document.getAnimations()) {{
            if (target.closest('[data-stale=true]')) fading.add(target.className);
        }}
        const drawn = ({_PATHS})()[0];
        if (JSON.stringify(drawn) === before) return;
        observer.disconnect();
        resolve([drawn, stale, [...fading]]);
    }};
    const observer = new MutationObserver(look);
    observer.observe(document.body, {{ subtree: true, attributeFilter: ['d', 'data-stale'] }});
}})"""


@exhaustive
def test_other_samples_are_drawn_and_nothing_fades(page: Page) -> None:
    figure = followed(page)
    before = paths(page)[0]
    seed = slider(page, "Seed")
    seed.focus()
    page.evaluate(f"() => {{ window.__next = ({_NEXT})(); }}")
    seed.press("ArrowRight")
    painted, stale, fading = page.evaluate("window.__next")
    assert stale == 0  # the page follows later
    assert fading == []
    settled(figure)
    np.testing.assert_allclose(painted, paths(page)[0], atol=0.01)
    assert (
        sum(
            not np.allclose(line, was, atol=1e-3) for line, was in zip(painted, before, strict=True)
        )
        >= 3
    )


@exhaustive
def test_python_hears_of_a_series_of_keys_once(page: Page, sent: list[int]) -> None:
    figure = followed(page)
    handle = slider(page, "Neighbours k")
    before = len(sent)
    handle.evaluate(_KEYS)
    assert len(sent) == before
    link_says(page, "k", "10")
    at_stop(figure, r"^10\|")


# For two seconds, whether the grey is said and whether it is drawn, whenever these differ.
_GREY = """async () => {
    const wrong = [], end = performance.now() + 2000;
    const said = () => [...document.querySelectorAll('.live.screen .curve-labels .aside')]
        .some(each => each.textContent.includes('grey'));
    const drawn = () => [...document.querySelectorAll('.live.screen .js-fill')].some(each =>
        each.closest('.trace').__data__[0].trace.legendgroup === 'bound' && each.getAttribute('d')?.length > 20);
    const seen = new Set();
    while (performance.now() < end) {
        await new Promise(requestAnimationFrame);
        if (said() !== drawn()) wrong.push([said(), drawn()]);
        seen.add(said());
    }
    return [wrong, [...seen]];
}"""


@exhaustive
def test_the_grey_is_said_where_it_is_drawn(page: Page) -> None:
    followed(page, "/?problem=modes&n=300&k=5&split=none&show=bound")
    assert page.evaluate(_GREY) == [[], [True]]
    slider(page, "Neighbours k").press("ArrowRight")
    slider(page, "Seed").press("ArrowRight")
    wrong, seen = page.evaluate(_GREY)
    assert wrong == []
    assert True in seen


def test_a_step_of_lam_styles_little_of_the_page_anew(page: Page) -> None:
    """A rule `:has(...) *` of the whole page would have the browser style all of it at each
    step.
    """
    followed(page)
    total = page.locator("*").count()
    lam = page.locator("[data-prviz=angle] input[type=range]")
    styled = styled_by(page, lambda: lam.press("ArrowRight"), 20)
    assert len(styled) >= 20
    assert np.median(styled) < total / 4


def test_other_samples_have_little_of_the_page_styled_anew(page: Page) -> None:
    """They draw the figure anew; with `:has` on what is around it twice 300 elements were styled."""
    figure = followed(page)
    seed = slider(page, "Seed")

    def step() -> None:
        before = figure.get_attribute("data-revision") or ""
        seed.press("ArrowRight")
        expect(figure).not_to_have_attribute("data-revision", before, timeout=WAIT_MS)

    step()
    styled = styled_by(page, step, 6)
    assert 0 < np.median(sorted(styled)[-12:]) < 150  # two of each step


def styled_by(page: Page, act: Callable[[], object], times: int) -> list[int]:
    """How many elements each drawing styles anew, while something is done so many times."""
    styled: list[int] = []
    ended: list[None] = []
    line = page.context.new_cdp_session(page)
    line.on("Tracing.dataCollected", lambda told: styled.extend(_styled(told["value"])))
    line.on("Tracing.tracingComplete", lambda _: ended.append(None))
    line.send("Tracing.start", {"traceConfig": {"includedCategories": ["devtools.timeline"]}})
    for _ in range(times):
        act()
    line.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(POLL_MS)
    return styled


def _styled(events: list[dict[str, Any]]) -> list[int]:
    """How many elements each drawing has styled anew."""
    found = [event["args"].get("elementCount", 0) for event in events if event["name"] == _STYLES]
    return [count for count in found if count]
