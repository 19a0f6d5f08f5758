"""Warnings on the samples over Explore's figure, in a browser: they have room of their own at every
size.
"""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser import (
    LAPTOP,
    PHONE,
    TABLET,
    Opener,
    box_of,
    click,
    cut_texts,
    overlaps,
    resize,
    visit,
    wait_idle,
    wait_until,
)
from tests.file_builders import npy
from tests.pages.explore.test_explore_browser import (
    about,
    main_figure,
    open_uploads,
    painted,
    upload,
)

FLAGS = "[class*=st-key-part-flags-]"
PLOT = ".st-key-part-pr-figure .plot"
# All that stands around it.
PARTS = (
    f"{FLAGS} p",
    f"{FLAGS} button",
    ".live.screen .verdict",
    ".st-key-main-view button",
    ".st-key-part-pr-figure .pane > .help summary",
    f"{PLOT} .main-svg:first-child",
    ".st-key-part-pr-figure input[type=range]",
    ".st-key-part-pr-figure .marks button",
    ".rows .row",
    "[role=tablist] button",
)
# In each frame of the page: top and height of the plot's box, height of what is drawn in it, and of
# the warnings.
RECORD = """() => {
    window.__frames = [];
    const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
    const look = () => {
        const plot = box(".st-key-part-pr-figure .plot");
        const drawn = box(".st-key-part-pr-figure .main-svg")?.height;
        const said = box("[class*=st-key-part-flags-][data-shown]")?.height ?? 0;
        const frame = [plot.top, plot.height, drawn, said].map(Math.round);
        const last = window.__frames.at(-1);
        if (JSON.stringify(last) !== JSON.stringify(frame)) window.__frames.push(frame);
        requestAnimationFrame(look);
    };
    look();
}"""


def sets(bad: bool) -> tuple[bytes, bytes]:
    """A clean pair, or one that shares rows and is decided by one feature."""
    real, made = np.random.default_rng(0).normal(size=(2, 200, 8))
    if bad:
        real[:, 2] *= 1e4
        made[:, 2] *= 1e4
        made[:60] = real[:60]
    return npy(real), npy(made)


def resized(page: Page, size: tuple[int, int]) -> None:
    """Another window, once the figure is drawn for it."""
    resize(page, *size)
    fits = f"""() => {{
        const plot = document.querySelector("{PLOT}"), drawn = plot.querySelector(".main-svg");
        return Math.abs(plot.clientWidth - drawn.getBoundingClientRect().width) < 1.5;
    }}"""
    page.wait_for_function(fits)
    wait_idle(page)


def one_step(page: Page) -> list[list[int]]:
    """The frames since `RECORD`: with the room of the warnings the plot is drawn for what is left,
    at once.
    """
    frames: list[list[int]] = page.evaluate("() => window.__frames")
    assert len({top for top, *_ in frames}) == 2, frames
    assert all(abs(height - drawn) <= 1 for _, height, drawn, _ in frames), frames
    assert all((said > 0) == (top > frames[0][0]) for top, _, _, said in frames), frames
    return frames


def test_warnings_have_room_of_their_own_at_every_size_and_nothing_moves_twice(
    new_page: Opener,
) -> None:
    page = new_page(size=LAPTOP)
    open_uploads(page)
    before = page.locator(PLOT).first.bounding_box()
    real, made = sets(bad=True)
    upload(page, "Real samples", "generated.npy", real)
    page.evaluate(RECORD)
    upload(page, "Generated samples", "real.npy", made)
    expect(about(page)).to_contain_text("200 real and 200 generated samples in 8 dimensions")
    flags = page.locator(FLAGS)
    expect(flags).to_have_attribute("data-shown", "")
    wait_idle(page)
    frames = one_step(page)
    assert before is not None
    assert abs(frames[0][1] - before["height"]) <= 1
    # The first one whole, and how many more, each a click away.
    expect(flags.locator("p").first).to_contain_text(
        "Rows in both sets: 60 of 200 generated rows are exact copies"
    )
    expect(flags.locator("p").first).to_contain_text(
        "a generator that repeats real rows scores as a perfect one."
    )
    expect(flags.get_by_role("button", name="Dismiss")).to_be_visible()
    for size in (LAPTOP, PHONE, TABLET):
        resized(page, size)
        assert not overlaps(page, PARTS), size
        assert not cut_texts(page, FLAGS), size
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
    resized(page, LAPTOP)
    last = box_of(page.locator(".st-key-part-pr-figure .marks button").last)
    assert last["y"] + last["height"] <= LAPTOP[1]
    click(flags, "button", "2 more")
    for text in ("feature 3 holds over 99.9 %", "real: generated.npy; generated: real.npy"):
        expect(page.get_by_text(text).last).to_be_visible()
    click(page, "button", "Keep", exact=True)
    expect(flags.get_by_role("button", name="1 more")).to_be_visible()


def test_clean_samples_look_as_a_toy_does_and_copies_are_said_in_one_step(
    new_page: Opener,
) -> None:
    page = new_page(size=LAPTOP)
    visit(page, "/?n=100&p.d=2")
    painted(page)
    toy = page.locator(PLOT).first.bounding_box()
    open_uploads(page)
    real, made = sets(bad=False)
    for field, name, content in (
        ("Real samples", "a.npy", real),
        ("Generated samples", "b.npy", made),
    ):
        upload(page, field, name, content)
    expect(about(page)).to_contain_text("200 real and 200 generated samples in 8 dimensions")
    wait_idle(page)
    assert not page.locator(FLAGS).count()
    expect(main_figure(page)).to_be_visible()
    wait_until(page, lambda: page.locator(PLOT).first.bounding_box() == toy)
    # The same families again, whose lines the page could paint anew in the room that they had.
    page.evaluate(RECORD)
    values = np.random.default_rng(0).normal(size=(2, 200, 8))
    upload(page, "Generated samples", "c.npy", npy(np.r_[values[0, :60], values[1, 60:]]))
    expect(page.locator(f"{FLAGS} p").first).to_contain_text(
        "60 of 200 generated rows are exact copies"
    )
    expect(page.locator(FLAGS)).to_have_attribute("data-shown", "")
    wait_idle(page)
    one_step(page)
