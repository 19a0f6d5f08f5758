"""The section "Data like yours" in a real Chromium: from a bundled pair to the verdict, and its setting in Explore."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser import visit, wait_idle
from tests.pages.explore.test_explore_browser import about


def test_the_best_setting_on_a_stand_in_goes_to_explore(page: Page) -> None:
    visit(page, "/bias_lab?section=Data+like+yours")
    page.get_by_role("slider", name="Dimensions d").press("Home")
    expect(page.get_by_text("1 of 64", exact=True)).to_be_visible()  # the fit is told
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("Done: 6 of 6 measurements.")).to_be_visible()
    verdict = page.get_by_text("On data like yours (1,797 real and 1,797 generated samples, d = 1, one Gaussian")
    expect(verdict).to_be_visible()
    best = verdict.locator("strong").inner_text()
    bars = page.locator(".live", has_text="Closest to the truth first")
    expect(bars.locator(".ytick").first).to_contain_text(best.partition(",")[0])
    curves = page.locator(".live", has_text="The surrogate: its truth and one fresh sample")
    expect(curves.locator(".pane")).to_have_count(2)
    expect(curves.locator(".pane").first.locator(".legendtext").first).to_have_text("truth")
    page.get_by_role("button", name=f"Apply to your real curve: {best}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")
    family, k, split = re.fullmatch(r"(\w+), k = (√n|\d+), (no split|split \d+%)", best).groups()
    expect(about(page)).to_contain_text("Digits against Gaussian mixture along EM, EM converged")
    wait_idle(page)
    number = page.get_by_role("spinbutton", name="Neighbours k")
    expect(number).to_have_value("42" if k == "√n" else k)
    expect(page.locator(".live").first).to_contain_text(f"precision / recall: {family} ")
    told = {"no split": "none", "split 50%": "0.5"}[split]
    page.wait_for_function("told => (new URLSearchParams(location.search).get('split') ?? '0.5') === told", arg=told)
