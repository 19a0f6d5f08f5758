"""A server that is started anew under an open page: the page says so, and comes back where it
was.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import expect

import tests.browser
from tests.browser import Opener, click, running_app, visit, wait_idle
from tests.pages.explore.test_explore_browser import slider


def test_the_page_comes_back_where_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, new_page: Opener
) -> None:
    port = tests.browser.free_port()
    monkeypatch.setattr(tests.browser, "free_port", lambda: port)
    with ExitStack() as first:
        server = first.enter_context(running_app(tmp_path / "first"))
        page = new_page(url=server.url)
        visit(page, "/?n=60&d=2&k=3&methods=knn")
        k = page.locator("[data-prviz=k] input[type=range]")
        status = page.locator(".live.screen .status")
        k.press("ArrowRight")
        expect(page.locator("[data-prviz=k] input[type=number]")).to_have_value("4")
        expect(page.locator(".live.screen")).to_have_attribute("data-more", "false")
        wait_idle(page)
    # Streamlit's own dialog asks for the internet, of which the app has no need.
    dialog = page.get_by_role("dialog", name="Connection error")
    words = dialog.locator("h2 + div > div")
    expect(words).to_have_css("visibility", "hidden")
    said = words.evaluate("(each) => getComputedStyle(each, '::after').content")
    assert said == '"prviz does not answer. As soon as it runs again, this page comes back."'
    click(dialog, "button", "Close")
    k.press("ArrowRight")
    slider(page, "Seed").press("ArrowRight")
    expect(status).to_have_text("Reconnecting …")
    with running_app(tmp_path / "second"):
        expect(status).not_to_have_text("Reconnecting …", timeout=60_000)
        expect(page.locator("[data-prviz=k] input[type=number]")).to_have_value("5")
        expect(page.locator("[data-prviz=seed] input[type=number]")).to_have_value("1")
        expect(page.locator(".live.screen")).to_have_attribute("data-more", "false", timeout=60_000)
        click(page, "link", "Triage")
        expect(page.locator(".ranking")).to_be_visible()
