"""Uploads in a real Chromium: every format, refusals, archives of several arrays, and who sees
what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests import file_zoo
from tests.browser import Tab, beside, wait_idle
from tests.file_builders import npz
from tests.pages.explore.test_explore_browser import (
    about,
    main_figure,
    no_trouble,
    open_uploads,
    plain_npy,
    upload,
)


@pytest.fixture(scope="module")
def uploads(warm: Tab) -> Iterator[Page]:
    """One visitor who uploads for several tests, each both files anew."""
    tab = beside(warm)
    open_uploads(tab.page)
    yield tab.page
    tab.page.close()
    tab.check()


def test_refusals_are_readable_and_lose_nothing(uploads: Page) -> None:
    page = uploads
    upload(page, "Real samples", "real.npy", plain_npy(0))
    upload(page, "Generated samples", "generated.npy", plain_npy(1))
    expect(about(page)).to_contain_text("60 real and 60 generated samples in 5 dimensions")
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
        page.set_viewport_size({"width": 820, "height": 1180})
        box = card.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 820 - 10
        assert wide is not None
        page.set_viewport_size(wide)
        expect(about(page)).to_contain_text("60 real and 60 generated samples in 5 dimensions")
        expect(main_figure(page)).to_be_visible()
        no_trouble(page)


@pytest.mark.exhaustive
def test_one_file_with_both_roles_is_a_pair(new_page: Callable[..., Page]) -> None:
    page = new_page()
    open_uploads(page)
    for name, content in file_zoo.pairs()[:2]:
        upload(page, "Real samples", name, content)
        expect(about(page)).to_contain_text(re.compile(f"{re.escape(name)}.*no truth is known"))
        no_trouble(page)


@pytest.mark.thorough
def test_several_arrays_are_asked_for(uploads: Page) -> None:
    page = uploads
    values = np.random.default_rng(0).normal(size=(60, 5))
    upload(page, "Real samples", "two.npz", npz(feats=values, reps=values[:40]))
    upload(page, "Generated samples", "generated.npy", plain_npy(1))
    page.get_by_role("combobox", name=re.compile("several arrays fit")).click()
    page.get_by_role("option", name="reps").click()
    expect(about(page)).to_contain_text("40 real and 60 generated samples in 5 dimensions")
    no_trouble(page)


@pytest.mark.thorough
def test_hostile_names_are_plain_text_and_another_visitor_does_not_see_them(
    uploads: Page, new_page: Callable[..., Page]
) -> None:
    page = uploads
    name = "<img src=x onerror=alert(1)>**b** $x$ =1+1 secret.npy"
    upload(page, "Real samples", name, plain_npy(0))
    upload(page, "Generated samples", "../../etc/[link](http://x) secret.npy", plain_npy(1))
    expect(about(page)).to_contain_text("60 real and 60 generated samples")
    expect(about(page)).to_contain_text("<img src=x onerror=alert(1)>**b** $x$ =1+1")
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("a[href='http://x']").count() == 0
    assert "secret" in page.content()
    visitor = new_page(fresh=True)
    open_uploads(visitor)
    assert "secret" not in visitor.content()
    expect(visitor.get_by_text("60 real and 60")).to_have_count(0)
