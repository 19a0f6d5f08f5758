"""Films and pinned states of Explore in a browser: by themselves, by hand, saved, and in a link."""

from __future__ import annotations

import io
import re
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser import box_of, click, enter, visit, wait_idle
from tests.marks import exhaustive, thorough

SMALL = "/?problem=shifted-gaussians&n=200&p.d=2&k=5&methods=knn"


@thorough
def test_a_film_over_k_is_played_scrubbed_saved_and_closed(page: Page) -> None:
    visit(page, SMALL)
    k = page.locator("[data-prviz=k] input[type=range]")
    click(page, "button", "Play")
    film = page.get_by_role("group", name="Play over")
    click(film, "button", "neighbours k")
    frame = page.get_by_label("Frame of the film")
    told = page.locator(".film output")
    box = box_of(page.locator(".live.screen .film"))
    play = box_of(page.locator(".live.screen .stage button").first)
    assert play["y"] + play["height"] <= box["y"]
    # played to its end, the largest that frames have
    expect(told).to_have_text("k = 60", timeout=60_000)
    expect(frame).to_have_value(frame.get_attribute("max") or "")
    frame.press("Home")
    expect(told).to_have_text("k = 1")
    with page.expect_download(timeout=60_000) as saved:
        click(page, "button", "Save film")
    made = Image.open(io.BytesIO(Path(saved.value.path()).read_bytes()))
    assert made.format == "GIF"
    assert getattr(made, "n_frames", 1) == int(frame.get_attribute("max") or 0) + 1
    page.keyboard.press("Escape")
    expect(frame).to_be_hidden()
    assert k.is_visible()
    # a film changes no setting
    expect(page.locator("[data-prviz=k] input[type=number]")).to_have_value("5")


@exhaustive
def test_a_pinned_state_is_compared_in_a_sentence_and_comes_with_the_link(page: Page) -> None:
    visit(page, SMALL)
    click(page, "button", "Pin", exact=True)
    expect(page.get_by_role("button", name="Compare 1")).to_be_visible()
    number = page.locator("[data-prviz=k] input[type=number]")
    enter(number, "60")
    verdict = page.locator(".live.screen .verdict")
    sentence = re.compile(r"kNN: overlap .* k rose from 5 to 60")
    expect(verdict).to_have_text(sentence)
    expect(page.locator(".live.screen .ghosts path")).to_have_count(1)
    wait_idle(page)
    page.reload()
    expect(verdict).to_have_text(sentence, timeout=60_000)
    click(page, "button", "Compare 1")
    expect(page.get_by_role("heading", name="Pinned, on the same axes")).to_be_visible()
    heads = page.locator(".states h3")
    expect(heads).to_have_text(["k 5", "on screen: k 60"])
    assert len({*_paths(page)}) == 2
    enter(number, "40")
    expect(heads).to_have_text(["k 5", "on screen: k 40"])
    page.locator(".states").get_by_role("button", name="Pin", exact=True).click()
    expect(heads).to_have_text(["k 5", "k 40"])
    click(page, "button", "Take away k 5")
    expect(heads).to_have_text(["as on screen"])
    expect(page.locator(".states")).to_contain_text("Change a setting: it is drawn here.")
    click(page, "button", "Take away as on screen")
    expect(page.get_by_role("button", name=re.compile("Compare"))).to_be_hidden()


@exhaustive
def test_a_state_measured_for_another_visit_is_compared_too(page: Page) -> None:
    for _ in range(2):
        visit(page, SMALL)
        for k in ("6", "7"):
            number = page.locator("[data-prviz=k] input[type=number]")
            enter(number, k)
            pin = page.get_by_role("button", name="Pin", exact=True)
            expect(pin).to_have_attribute("aria-pressed", "false")
            pin.click()
            expect(pin).to_have_attribute("aria-pressed", "true")
        click(page, "button", "Compare 2")
        expect(page.locator(".states h3")).to_have_text(["k 6", "k 7"])
        page.evaluate("sessionStorage.clear()")


def _paths(page: Page) -> list[str | None]:
    """The last curve of each state that stands side by side."""
    states = page.locator(".states section")
    return [state.locator("path.line").last.get_attribute("d") for state in states.all()]


# Groups of the traces that Plotly draws in the main figure.
_DRAWN = """() => [...new Set((document.querySelector('.live.screen .js-plotly-plot')?._fullData ?? [])
    .filter(({ visible }) => visible === true).map(({ legendgroup }) => legendgroup))]"""


@exhaustive
def test_a_film_over_n_shows_no_curve_of_other_samples(page: Page) -> None:
    visit(page, "/?source=bundled&problem=rbm-epoch-30&n=400&k=5&methods=knn")
    page.wait_for_function(f"() => ({_DRAWN})().includes('bound')", timeout=60_000)
    assert {*page.evaluate(_DRAWN)} == {"knn", "tightest", "bound"}
    page.locator(".live.screen:not([data-more=true])").wait_for(timeout=60_000)
    click(page, "button", "Play")
    page.get_by_role("group", name="Play over").get_by_role("button", name="samples n").click()
    page.get_by_label("Frame of the film").press("Home")
    expect(page.locator(".film output")).to_have_text("n = 50", timeout=60_000)
    page.wait_for_function(f"() => ({_DRAWN})().join() === 'knn'")
    expect(page.locator(".live.screen .curve-labels text")).to_have_text(["kNN"])
    expect(page.locator(".rows [data-curve=tightest] b")).to_have_text("–")
    page.keyboard.press("Escape")
    page.wait_for_function(f"() => ({_DRAWN})().length === 3")
