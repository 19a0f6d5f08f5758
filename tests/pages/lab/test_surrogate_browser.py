"""The section "Data like yours" in a real Chromium: from a bundled pair to the verdict, and its
setting in Explore.
"""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import PHONE, WAIT_MS, at_page, click, resize, visit
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
    click(page, "button", "Apply")
    at_page(page, "Explore")
    expect(about(page)).to_contain_text(
        "Digits against Boltzmann machine along its epochs, Epoch 300"
    )
    family = best.partition(",")[0]
    expect(page.locator(".live").first).to_contain_text(f"precision / recall: {family} ")


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
    resize(page, *PHONE)
    visit(page, "/bias_lab?section=Data+like+yours")
    page.locator(".follow").first.wait_for(state="attached")
    shown = page.evaluate(WAITS)
    assert shown["bar"] >= 40
    assert shown["end"] <= shown["window"]
