"""The section "Data like yours" in a real Chromium: from a bundled pair to the verdict, and its
setting in Explore.
"""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser import WAIT_MS, visit, wait_idle
from tests.pages.explore.test_explore_browser import about


def test_the_best_setting_on_a_surrogate_goes_to_explore(page: Page) -> None:
    visit(page, "/bias_lab?section=Data+like+yours")
    page.get_by_role("button", name="Settings").click(timeout=8 * WAIT_MS)
    page.get_by_role("slider", name="Dimensions d").press("Home")
    page.keyboard.press("Escape")
    bars = page.locator(".live", has_text="Area minus true area on a surrogate of your data")
    expect(bars).to_contain_text("d = 1", timeout=8 * WAIT_MS)
    expect(page.get_by_text("Done: 10 of 10 measurements.")).to_be_visible()
    verdict = page.get_by_role("heading", level=3).first
    expect(verdict).to_contain_text(": the area")
    best = verdict.inner_text().partition(": the area")[0]
    expect(bars.locator(".ytick").first).to_contain_text(best.partition(",")[0])
    page.get_by_text("Look closer").click()
    curves = page.locator(".live", has_text="The surrogate: its truth and one fresh sample")
    expect(curves.locator(".pane")).to_have_count(2)
    expect(curves.locator(".pane").first.locator(".legendtext").first).to_have_text("truth")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")
    family, k, split = re.fullmatch(r"(\w+), k = (√n|\d+), (no split|split \d+%)", best).groups()
    expect(about(page)).to_contain_text(
        "Digits against Boltzmann machine along its epochs, Epoch 300"
    )
    wait_idle(page)
    number = page.get_by_role("spinbutton", name="Neighbours k")
    expect(number).to_have_value("42" if k == "√n" else k)
    expect(page.locator(".live").first).to_contain_text(f"precision / recall: {family} ")
    told = {"no split": "none", "split 50 %": "0.5"}[split]
    page.wait_for_function(
        "told => (new URLSearchParams(location.search).get('split') ?? '0.5') === told", arg=told
    )


# Shows the progress of a job, as `pages/_live/follow.js` does, with the longest of texts.
WAITS = """() => {
    const follow = document.querySelector(".follow");
    follow.hidden = false;
    follow.querySelector("span").textContent =
        "Making a surrogate, and comparing it with your data: about 14 s left";
    const [, bar, text] = [...follow.children].map((each) => each.getBoundingClientRect());
    return { bar: bar.width, end: text.right, window: innerWidth };
}"""


def test_what_is_waited_for_is_whole_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, "/bias_lab?section=Data+like+yours")
    page.locator(".follow").first.wait_for(state="attached")
    shown = page.evaluate(WAITS)
    assert shown["bar"] >= 40
    assert shown["end"] <= shown["window"]
