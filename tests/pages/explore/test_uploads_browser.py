"""Uploads in a real Chromium: every format, refusals, archives of several arrays, and who sees
what.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests import file_zoo
from tests.browser import TABLET, Tab, beside, box_of, resize, wait_idle
from tests.pages.explore.test_explore_browser import (
    about,
    main_figure,
    no_trouble,
    open_uploads,
    plain_npy,
    upload,
    upload_pair,
)


@pytest.fixture(scope="module")
def page(warm: Tab) -> Iterator[Page]:
    """One visitor who uploads for several tests, each both files anew."""
    tab = beside(warm)
    open_uploads(tab.page)
    yield tab.page
    tab.close()


def test_refusals_are_readable_and_lose_nothing(page: Page) -> None:
    upload_pair(page)
    wait_idle(page)
    # One file: test_explore_page.py has one of each extension, tests/readers/ all of them.
    for name, content, fragment in file_zoo.refused()[:1]:
        upload(page, "Real samples", name, content)
        card = page.locator(".st-key-part-refusal")
        expect(card).to_contain_text("Shown: real.npy against generated.npy")
        expect(card).to_contain_text(name)
        expect(card).to_contain_text(fragment)
        opacity = page.locator(".st-key-part-pr-figure").evaluate(
            "figure => Number(getComputedStyle(figure).opacity)"
        )
        assert opacity < 0.5
        wide = page.viewport_size
        resize(page, *TABLET)
        box = box_of(card)
        assert box["x"] + box["width"] <= 820 - 10
        assert wide is not None
        page.set_viewport_size(wide)
        expect(about(page)).to_contain_text("60 real and 60 generated samples in 5 dimensions")
        expect(main_figure(page)).to_be_visible()
        no_trouble(page)


@pytest.mark.thorough
def test_hostile_names_are_plain_text(page: Page) -> None:
    name = "<img src=x onerror=alert(1)>**b** $x$ =1+1 secret.npy"
    upload(page, "Real samples", name, plain_npy(0))
    upload(page, "Generated samples", "../../etc/[link](http://x) secret.npy", plain_npy(1))
    expect(about(page)).to_contain_text("60 real and 60 generated samples")
    expect(about(page)).to_contain_text("<img src=x onerror=alert(1)>**b** $x$ =1+1")
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("a[href='http://x']").count() == 0
