"""Key presses on the live figure: every pane follows, and Python hears of a series once."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.pages.explore.test_explore_browser import slider
from tests.pages.live.test_live_browser import at_stop, followed, sent, settled

__all__ = ["sent"]

# Where each line is in its plot, in data units, at shares of its length.
_PATHS = """() => [...document.querySelectorAll('.live .js-plotly-plot')].map(plot => [...plot.querySelectorAll(
    '.scatterlayer .js-line')].filter(line => line.closest('.trace')?.__data__[0].trace.meta !== 'limit').map(line => {
    const { xaxis, yaxis } = plot._fullLayout, length = line.getTotalLength();
    return [0, 0.2, 0.4, 0.6, 0.8, 1].map(share => {
        const { x, y } = line.getPointAtLength(share * length);
        return [xaxis.p2c(x) / xaxis.range[1], yaxis.p2c(y) / yaxis.range[1]];
    });
}))"""

# The same, up to where Plotly has come, and the lengths of what Python alone can draw, as soon as every figure shows
# this stop.
_PAINTED = f"""async stop => {{
    const shown = () => [...document.querySelectorAll('.live[data-stop]')].every(each => each.dataset.stop === stop);
    while (!shown()) await new Promise(requestAnimationFrame);
    await new Promise(done => setTimeout(() => requestAnimationFrame(done)));
    const limits = [...document.querySelectorAll('.live .scatterlayer .trace')].filter(trace =>
        trace.__data__[0].trace.meta === 'limit').flatMap(trace => [...trace.querySelectorAll('.js-line')]);
    return [({_PATHS})(), document.querySelector('.live').dataset.settled, limits.map(line => line.getTotalLength())];
}}"""

# What five presses of an arrow key do, 300 ms apart by the page's own clock: a busy machine delays both sides alike.
_KEYS = """async range => {
    for (let i = 0; i < 5; i++) {
        range.stepUp();
        range.dispatchEvent(new Event("input"));
        await new Promise(done => setTimeout(done, 300));
    }
}"""


def paths(page: Page) -> list[Any]:
    found: list[Any] = page.evaluate(_PATHS)
    return found


@pytest.mark.thorough
def test_every_pane_and_figure_shows_the_hands_curves_before_plotly_draws_them(page: Page) -> None:
    figure = followed(page)
    before = paths(page)
    for _ in range(4):
        slider(page, "Neighbours k").press("ArrowRight")
    painted, settled_at, limits = page.evaluate(_PAINTED, "9|auto")
    assert settled_at == "5|auto"
    assert not any(limits)
    settled(figure)
    moved = 0
    for old, ours, plotly in zip(before, painted, paths(page), strict=True):
        assert len(ours) == len(plotly)
        for line, other, was in zip(ours, plotly, old, strict=True):
            np.testing.assert_allclose(line, other, atol=0.01)
            moved += not np.allclose(line, was, atol=0.01)
    assert moved >= 3  # of the four estimates, in the main figure


# The next drawing of the main figure, before Plotly has come to it, and how much of the page is fading meanwhile. By an
# observer, which misses nothing: beside other work frames come too late to see either.
_NEXT = f"""() => new Promise(resolve => {{
    const root = document.querySelector('.live.screen'), fading = new Set();
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
        resolve([drawn, root.dataset.settled ?? '', stale, [...fading]]);
    }};
    const observer = new MutationObserver(look);
    observer.observe(document.body, {{ subtree: true, attributeFilter: ['d', 'data-stale'] }});
}})"""


def test_other_samples_are_on_screen_before_plotly_draws_them_and_nothing_fades(page: Page) -> None:
    figure = followed(page)
    before = paths(page)[0]
    seed = slider(page, "Seed")
    seed.focus()
    page.evaluate(f"() => {{ window.__next = ({_NEXT})(); }}")
    seed.press("ArrowRight")
    painted, settled_at, stale, fading = page.evaluate("window.__next")
    assert settled_at == ""
    assert stale == 0  # the page follows later
    assert fading == []
    settled(figure)
    np.testing.assert_allclose(painted, paths(page)[0], atol=0.01)
    assert sum(not np.allclose(line, was, atol=1e-3) for line, was in zip(painted, before, strict=True)) >= 3


@pytest.mark.thorough
def test_python_hears_of_a_series_of_keys_once(page: Page, sent: list[int]) -> None:
    figure = followed(page)
    handle, before = slider(page, "Neighbours k"), len(sent)
    handle.evaluate(_KEYS)
    assert len(sent) == before
    page.wait_for_url(re.compile(r"[?&]k=10(&|$)"))
    at_stop(figure, r"^10\|")
