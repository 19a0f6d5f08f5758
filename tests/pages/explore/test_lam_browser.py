"""The lambda explorer in a browser: groups follow the hand, a click chooses the curve, figure and table are linked."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Locator, Page, expect

from prviz.diagnostics.confusion_groups import OptimalClassifiers
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.browser import wait_idle
from tests.pages.explore.test_explore_browser import main_figure, slider
from tests.pages.live.test_live_browser import followed, place, sent  # noqa: F401 - a fixture

PATH = "/?problem=mixtures&p.d=2&n=400&k=31&seed=3"


def explorer(page: Page, path: str = PATH) -> Locator:
    """The figure with the groups, of an open tab that has settled."""
    page.set_viewport_size({"width": 1280, "height": 2600})  # the slider and the samples in one view
    followed(page, path)
    page.get_by_role("tab", name="Samples").click()
    figure = page.locator(".live", has=page.locator(".chips"))
    expect(figure.get_by_role("table")).to_be_visible()
    expect(figure).to_have_attribute("data-revision", re.compile("[0-9a-f]{12}"))
    wait_idle(page)
    return figure


def classifiers(method: str = "knn") -> OptimalClassifiers:
    pair = toy("mixtures", d=2).sample(400, 3)
    return OptimalClassifiers.from_supports(estimate(pair, method, k=31, seed=3)[method].supports)


def counts(found: OptimalClassifiers, degrees: float) -> str:
    lam = float(f"{np.tan(np.radians(degrees)):.6g}") if degrees < 90 else np.inf
    return "|".join(str(len(group)) for group in found.groups(lam))


def chosen(page: Page) -> Locator:
    return page.get_by_role("radiogroup", name="Classifier of").locator("[aria-checked=true]")


def drawn_in(figure: Locator, group: str) -> int:
    """Marks of one group on screen: of Plotly, or those that follow the hand until it catches up."""
    return figure.evaluate(
        """(node, group) => {
            const own = node.querySelector(`.group-${group}`).getAttribute('d');
            if (own) return own.match(/M/g).length;
            const trace = [...node.querySelectorAll('.scatterlayer .trace')]
                .find(each => each.__data__[0].trace.legendgroup === group);
            const hidden = !trace || trace.querySelector('.points').style.display === 'none';
            return hidden ? 0 : trace.querySelectorAll('.point').length;
        }""",
        group,
    )


def test_groups_and_counts_follow_lam_without_python(page: Page, sent: list[int]) -> None:  # noqa: F811
    figure, found = explorer(page), classifiers()
    assert figure.get_attribute("data-groups") == counts(found, 45)
    handle, before, seen = slider(page, "Trade-off"), len(sent), set()
    page.mouse.move(*place(handle, 0.5))
    page.mouse.down()
    for degrees in range(48, 85, 3):
        lam = page.evaluate("window.__prviz.sliders.lam")
        page.mouse.move(*place(handle, degrees / 90))
        page.wait_for_function("lam => window.__prviz.sliders.lam !== lam", arg=lam)
        at = float(handle.input_value())
        expect(figure).to_have_attribute("data-groups", counts(found, at))
        numbers = [int(number) for number in (figure.get_attribute("data-groups") or "").split("|")]
        seen.add(tuple(numbers))
        assert [drawn_in(figure, group) for group in ("kept", "missed", "accepted", "rejected")] == numbers
        expect(figure.locator(".legendtext").nth(1)).to_have_text(f"real missed: {numbers[1]}")
        expect(figure.get_by_role("button", name="generated accepted")).to_contain_text(f": {numbers[2]} (")
    assert len(seen) >= 5
    assert len(sent) == before
    page.wait_for_function(
        "node => node.querySelector('.group-kept').getAttribute('d') === ''", arg=figure.element_handle()
    )
    assert drawn_in(figure, "missed") == numbers[1]  # Plotly has caught up
    page.mouse.up()
    page.wait_for_url(re.compile(r"[?&]lam="))
    assert figure.get_attribute("data-groups") == counts(found, at)


def test_a_click_on_a_curve_takes_it_and_its_lam(page: Page) -> None:
    figure = explorer(page)
    expect(chosen(page)).to_have_text("kNN")
    plot = main_figure(page).locator(".js-plotly-plot").first
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """plot => {
            const trace = plot._fullData.findIndex(each => each.legendgroup === 'ipr'), points = plot.calcdata[trace];
            const { xaxis, yaxis } = plot._fullLayout, at = points[Math.floor(0.6 * points.length)];
            return [xaxis.c2p(at.x) + xaxis._offset, yaxis.c2p(at.y) + yaxis._offset];
        }"""
    )
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + x + 5, box["y"] + y + 5)
    page.mouse.move(box["x"] + x, box["y"] + y, steps=3)
    expect(plot.locator(".hovertext")).to_be_visible()
    page.mouse.down()
    page.mouse.up()
    expect(chosen(page)).to_have_text("iPR")
    page.wait_for_url(re.compile(r"[?&]lam="))
    wait_idle(page)
    lam = float(main_figure(page).get_attribute("data-lam") or "nan")
    assert abs(lam - 1) > 0.01
    expect(figure).to_have_attribute("data-groups", counts(classifiers("ipr"), np.degrees(np.arctan(lam))))
    page.get_by_role("radio", name="KDE").click()  # the later choice counts
    expect(chosen(page)).to_have_text("KDE")
    slider(page, "Trade-off").press("Home")
    page.wait_for_url(re.compile(r"[?&]lam=0\.0(&|$)"))
    wait_idle(page)
    expect(chosen(page)).to_have_text("KDE")


def rings(figure: Locator) -> int:
    return (figure.locator(".rings").get_attribute("d") or "").count("M")


def test_figure_and_table_share_one_selection(page: Page) -> None:
    figure, found = explorer(page), classifiers()
    figure.locator(".modebar-btn[data-title='Box Select']").click()
    area = figure.locator(".nsewdrag").bounding_box()
    assert area is not None
    page.mouse.move(area["x"] + 0.62 * area["width"], area["y"] + 0.1 * area["height"])
    page.mouse.down()
    page.mouse.move(area["x"] + 0.72 * area["width"], area["y"] + 0.6 * area["height"], steps=6)
    page.mouse.up()
    rows = figure.locator("tbody tr")
    expect(figure.get_by_role("button", name="selected:")).to_have_attribute("aria-pressed", "true")
    ids = page.evaluate("() => [...document.querySelectorAll('.listed tbody input')].map(box => +box.dataset.id)")
    assert 20 < len(ids) == rings(figure) == rows.locator("input:checked").count()
    inside = figure.evaluate("""node => {
        const { xaxis, yaxis } = node.querySelector('.js-plotly-plot')._fullLayout;
        const at = (axis, share) => axis.p2d(share * axis._length);
        return [at(xaxis, 0.62), at(xaxis, 0.72), at(yaxis, 0.6), at(yaxis, 0.1)];
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
    assert f"missed ({part.missed}) or accepted ({part.accepted}) account for {part.alpha:.3g} of precision" in text
    near = rows.locator("td:last-child").first
    expect(near).to_have_text(re.compile(r"^\d+ \([\d.]+\), "))  # Python's word
    rows.locator("input").first.click()
    expect(rows).to_have_count(len(ids) - 1)
    assert rings(figure) == len(ids) - 1
    figure.get_by_role("button", name="Clear selection").click()
    expect(figure.get_by_text("Nothing is selected.").first).to_be_visible()
    assert rings(figure) == 0
    figure.get_by_role("button", name="generated rejected").click()
    box = rows.locator("input").nth(1)
    box.focus()
    page.keyboard.press("Space")
    expect(box).to_be_checked()
    assert rings(figure) == 1
    wait_idle(page)
    page.get_by_role("radio", name="iPR").click()  # another classifier of the same samples
    wait_idle(page)
    expect(figure.get_by_role("button", name="selected: 1")).to_be_visible()
    assert rings(figure) == 1
    page.get_by_role("spinbutton", name="Seed, exact value").fill("4")
    page.get_by_role("spinbutton", name="Seed, exact value").press("Enter")
    expect(figure.get_by_role("button", name="selected: 0")).to_be_visible()
