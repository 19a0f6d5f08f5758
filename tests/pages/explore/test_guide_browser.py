"""The first minute of Explore in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import Opener


def test_the_five_steps_end_in_explore_and_are_shown_once(new_page: Opener) -> None:
    page = new_page(fresh=True, newcomer=True, has_touch=True, reduced_motion="reduce")
    page.goto("/")
    steps = page.locator(".guide")
    lead = page.locator(".guide .next")
    point = page.locator(".guide .figure .now")
    before = point.get_attribute("cx")
    page.locator(".hand[data-hand=line]").press("ArrowLeft")
    expect(point).not_to_have_attribute("cx", str(before))
    # the two rates under the scatter, and the point that they make, in its own ink
    fpr, fnr = (float(text.split()[0]) / 100 for text in page.locator(".rate b").all_inner_texts())
    said = page.locator(".guide .figure .name.halo").text_content() or ""
    recall, precision = map(float, re.findall(r"0\.\d+", said))
    together = page.locator(".guide .point")
    weight = float(together.locator("p").first.inner_text().split()[-1])
    expect(together.locator("p").last).to_have_text(f"precision = {weight:g} × real + generated")
    assert recall == pytest.approx(fpr + fnr / weight, abs=0.02)
    assert precision == pytest.approx(weight * fpr + fnr, abs=0.02)
    ink = point.evaluate("node => getComputedStyle(node).fill")
    expect(together.locator("i")).to_have_css("background-color", ink)
    lead.tap()
    expect(steps).to_have_attribute("data-step", "2")
    page.get_by_role("button", name="Sweep").tap()
    expect(page.locator(".guide path.truth")).to_be_visible()
    lead.tap()
    page.get_by_role("button", name="New samples").tap()
    expect(page.locator(".guide path.ghost")).to_have_count(1)
    lead.tap()
    k = page.get_by_label("Neighbours k")
    usual = k.input_value(), k.get_attribute("max")
    k.fill("0")
    expect(page.locator(".guide .overlap b").last).to_have_text("0.45")
    lead.tap()
    page.get_by_label("Trade-off lambda").fill("8")
    expect(page.locator(".guide .name.halo")).to_contain_text("recall")
    assert page.url.endswith("?step=5")
    lead.tap()
    expect(page.locator(".row").first).to_contain_text("kNN")
    expect(steps).to_have_count(0)
    assert "seed=2" in page.url  # the new samples
    k = page.get_by_role("slider", name="Neighbours k")
    assert (k.input_value(), k.get_attribute("max")) == usual
    page.goto("/")
    expect(page.locator(".row").first).to_be_visible()
    expect(steps).to_have_count(0)
