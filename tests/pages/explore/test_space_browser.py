"""The panel Space in a browser: groups follow lam, a click on a curve opens them, figure and table
are linked.
"""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Locator, Page, expect

from prviz.diagnostics.confusion_groups import OptimalClassifiers
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.browser import box_of, click, enter, link_says, resize, wait_idle
from tests.pages.explore.test_explore_browser import drag_in, main_figure, number, slider
from tests.pages.live.test_live_browser import (
    all_measured,
    followed,
    place,
    sent,
)

__all__ = ["sent"]

PATH = "/?problem=mixtures&p.d=2&n=400&k=31&seed=3"


def explorer(page: Page, path: str = PATH) -> Locator:
    """The figure with the groups, of an open tab that has settled."""
    # the slider and the samples in one view
    resize(page, 1280, 2600)
    followed(page, path)
    click(page, "radio", "Decision")
    figure = page.locator(".live", has=page.locator("[data-group=kept]:visible"))
    click(figure, "button", "generated called generated")
    expect(figure.get_by_role("table")).to_be_visible()
    expect(figure).to_have_attribute("data-revision", re.compile("[0-9a-f]{12}"))
    all_measured(page)
    return figure


def classifiers(method: str = "knn") -> OptimalClassifiers:
    pair = toy("mixtures", d=2).sample(400, 3)
    return OptimalClassifiers.from_supports(estimate(pair, method, k=31, seed=3)[method].supports)


def counts(found: OptimalClassifiers, degrees: float) -> str:
    lam = float(f"{np.tan(np.radians(degrees)):.6g}") if degrees < 90 else np.inf
    return "|".join(str(len(group)) for group in found.groups(lam))


def chosen(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Family")


def drawn_in(figure: Locator, group: str) -> int:
    """Marks of one group on screen: of Plotly, or those that follow the hand until it catches
    up.
    """
    return figure.evaluate(
        """(node, group) => {
            const own = node.querySelector(`.group-${group}`).getAttribute('d');
            if (own) return own.match(/M/g).length;
            const trace = [...node.querySelectorAll('.scatterlayer .trace')]
                .find(each => each.__data__[0].trace.legendgroup === group);
            const hidden = !trace || !Number(getComputedStyle(trace).opacity);
            return hidden ? 0 : trace.querySelectorAll('.point').length;
        }""",
        group,
    )


def test_groups_and_counts_follow_lam_without_python(page: Page, sent: list[int]) -> None:
    figure = explorer(page)
    found = classifiers()
    assert figure.get_attribute("data-groups") == counts(found, 45)
    handle = slider(page, "Trade-off")
    before = len(sent)
    seen = set()
    page.mouse.move(*place(handle, 0.5))
    page.mouse.down()
    for degrees in range(48, 85, 3):
        lam = page.evaluate("window.__prviz.figure.controls.lam")
        page.mouse.move(*place(handle, degrees / 90))
        page.wait_for_function("lam => window.__prviz.figure.controls.lam !== lam", arg=lam)
        at = float(handle.input_value())
        expect(figure).to_have_attribute("data-groups", counts(found, at))
        numbers = [int(number) for number in (figure.get_attribute("data-groups") or "").split("|")]
        seen.add(tuple(numbers))
        assert [
            drawn_in(figure, group) for group in ("kept", "missed", "accepted", "rejected")
        ] == numbers
        expect(figure.get_by_role("button", name="generated called real")).to_contain_text(
            f": {numbers[2]}("
        )
    assert len(seen) >= 5
    assert len(sent) == before
    page.wait_for_function(
        "node => node.querySelector('.group-kept').getAttribute('d') === ''",
        arg=figure.element_handle(),
    )
    assert drawn_in(figure, "missed") == numbers[1]  # Plotly has caught up
    page.mouse.up()
    page.wait_for_url(re.compile(r"[?&]lam="))
    assert figure.get_attribute("data-groups") == counts(found, at)


def point_of(page: Page, curve: str) -> tuple[float, float]:
    """A point of a curve of the main figure, on the page."""
    plot = main_figure(page).locator(".js-plotly-plot").first
    x, y = plot.evaluate(
        """(plot, curve) => {
            const trace = plot._fullData.findIndex(each => each.legendgroup === curve && !(each.fill > 'none'));
            const points = plot.calcdata[trace], at = points[Math.floor(0.6 * points.length)];
            const { xaxis, yaxis } = plot._fullLayout;
            return [xaxis.c2p(at.x) + xaxis._offset, yaxis.c2p(at.y) + yaxis._offset];
        }""",
        curve,
    )
    box = box_of(plot)
    return box["x"] + x, box["y"] + y


def test_hovering_a_curve_previews_lam_and_a_click_sets_it_for_its_family(
    page: Page, sent: list[int]
) -> None:
    figure = explorer(page)
    found = classifiers()
    main = main_figure(page)
    address = page.url
    before = len(sent)
    x, y = point_of(page, "ipr")
    page.mouse.move(x + 5, y + 5)
    page.mouse.move(x, y, steps=3)
    expect(main).not_to_have_attribute("data-lam", re.compile("^(1|0.999.*)$"))
    lam = float(main.get_attribute("data-lam") or "nan")
    expect(figure).to_have_attribute("data-groups", counts(found, np.degrees(np.arctan(lam))))
    page.mouse.move(x, 1, steps=3)
    expect(main).to_have_attribute("data-lam", re.compile("^(1|0.999.*)$"))
    expect(figure).to_have_attribute("data-groups", counts(found, 45))
    assert (len(sent), page.url) == (before, address)
    click(page, "tab", "Numbers")
    expect(figure).to_have_count(0)
    wait_idle(page)
    x, y = point_of(page, "ipr")
    page.mouse.move(x, y, steps=3)
    expect(main.locator(".hovertext")).to_be_visible()
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url(re.compile(r"[?&]lam="))
    assert abs(float(page.url.partition("lam=")[2].split("&")[0]) / lam - 1) < 0.1
    page.mouse.move(x, 1, steps=3)
    # what is open stays
    expect(page.get_by_role("tab", name="Numbers")).to_have_attribute("aria-selected", "true")
    click(page, "tab", "Space")
    expect(chosen(page)).to_have_value("iPR")
    page.wait_for_url(lambda address: "panel=" not in address)
    wait_idle(page)
    lam = float(main.get_attribute("data-lam") or "nan")
    expect(figure).to_have_attribute(
        "data-groups", counts(classifiers("ipr"), np.degrees(np.arctan(lam)))
    )
    choose(page, "KDE")  # the later choice counts
    slider(page, "Trade-off").press("Home")
    link_says(page, "lam", "0.0")
    wait_idle(page)
    expect(chosen(page)).to_have_value("KDE")


def choose(page: Page, title: str) -> None:
    chosen(page).click()
    click(page, "option", title)
    expect(chosen(page)).to_have_value(title)


def rings(figure: Locator) -> int:
    return (figure.locator(".rings").get_attribute("d") or "").count("M")


def test_figure_and_table_share_one_selection(page: Page) -> None:
    figure = explorer(page)
    found = classifiers()
    figure.locator(".tools button[title='Box Select']").click()
    drag_in(figure, (0.62, 0.3), (0.72, 0.8))
    rows = figure.locator("tbody tr")
    expect(figure.get_by_role("button", name="selected:")).to_have_attribute("aria-pressed", "true")
    ids = page.evaluate(
        "() => [...document.querySelectorAll('.listed tbody input')].map(box => +box.dataset.id)"
    )
    assert 20 < len(ids) == rings(figure) == rows.locator("input:checked").count()
    inside = figure.evaluate("""node => {
        const { xaxis, yaxis } = node.querySelector('.js-plotly-plot')._fullLayout;
        const at = (axis, share) => axis.p2d(share * axis._length);
        return [at(xaxis, 0.62), at(xaxis, 0.72), at(yaxis, 0.8), at(yaxis, 0.3)];
    }""")
    split = toy("mixtures", d=2).sample(400, 3).split(0.5, 3)
    points = np.concatenate([side.values for side in split.evaluate])
    x, y = points.T
    expected = np.flatnonzero((x > inside[0]) & (x < inside[1]) & (y > inside[2]) & (y < inside[3]))
    assert abs(len(expected) - len(ids)) <= 2  # the mouse moves in whole pixels
    part = found.part(ids, 1.0)
    text = figure.locator(".selection p").inner_text()
    assert f"{part.n_real} real" in text
    assert f"{part.n_generated} generated" in text
    assert (
        f"missed ({part.missed}) or accepted ({part.accepted}) account for {part.alpha:.3g} of"
        " precision" in text
    )
    near = rows.locator("td:last-child").first
    expect(near).to_have_text(re.compile(r"^\d+ \([\d.]+\), "))  # Python's word
    rows.locator("input").first.click()
    expect(rows).to_have_count(len(ids) - 1)
    assert rings(figure) == len(ids) - 1
    click(figure, "button", "Clear selection")
    expect(figure.get_by_role("button", name="Clear selection")).to_be_hidden()
    assert rings(figure) == 0
    click(figure, "button", "generated called generated")
    box = rows.locator("input").nth(1)
    box.focus()
    page.keyboard.press("Space")
    expect(box).to_be_checked()
    assert rings(figure) == int(counts(found, 45).split("|")[3]) > 1
    click(figure, "button", "generated called generated")
    assert rings(figure) == 1
    wait_idle(page)
    resize(page, 1280, 720)
    # cuts what would not stay in sight
    page.locator(".st-key-part-panel").evaluate("panel => panel.scrollTo(0, 80)")
    choose(page, "iPR")  # another classifier of the same samples
    wait_idle(page)
    expect(figure.get_by_role("button", name="selected: 1")).to_be_visible()
    assert rings(figure) == 1
    enter(number(page, "Seed"), "4")
    expect(figure.get_by_role("button", name="selected")).to_be_hidden()
    expect(figure).to_have_attribute("data-groups", re.compile("[|]"))


def test_the_samples_follow_a_slider_while_it_is_held(page: Page) -> None:
    followed(page, "/?problem=shifted-gaussians&n=400&k=5")
    all_measured(page)
    samples = page.locator(".st-key-space .live")
    before = samples.get_attribute("data-revision")
    box = box_of(slider(page, "Seed"))
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8, middle)
    page.mouse.down()
    for step in range(20):  # many answers, and at the end a pause
        page.mouse.move(box["x"] + 8 + 4 * step, middle)
        page.wait_for_timeout(30)
    wait_idle(page)
    expect(samples).not_to_have_attribute("data-revision", before or "")
    held = drawn_of(samples)
    page.mouse.up()
    wait_idle(page)
    assert drawn_of(samples) == held


def drawn_of(samples: Locator) -> list[float]:
    return samples.locator(".js-plotly-plot").evaluate(
        "plot => [...plot._fullData[0].x.slice(0, 20)]"
    )
