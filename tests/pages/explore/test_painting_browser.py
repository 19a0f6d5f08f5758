"""Painting in the scatter, the goal of a link, and answers of a class, in a browser."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from prviz.reports.settings import ExploreSettings
from prviz.toys import toy
from prviz.toys.painted import PAINTINGS
from tests.browser import PHONE, Opener, box_of, click, drag, visit, wait_idle, wait_until
from tests.marks import exhaustive

SIDE = 12
Cell = tuple[int, int]


def link(n: int = 200, methods: tuple[str, ...] = ("knn", "ipr"), **more: str) -> str:
    d, real, generated = PAINTINGS["Ring in a disc"]
    parameters = {"d": d, "real_weights": real, "generated_weights": generated}
    settings = ExploreSettings(problem="painted", parameters=parameters, n=n, methods=methods)
    return f"/?{urlencode(settings.to_query() | more)}"


def settings_of(page: Page) -> ExploreSettings:
    return ExploreSettings.from_query(dict(parse_qsl(urlsplit(page.url).query)))[0]


def amounts(page: Page, side: int) -> list[float]:
    name = ("real", "generated")[side]
    cells = page.locator(f".live-place [role=slider][aria-label^='{name.title()} amounts']")
    return [
        float(each) / 100
        for each in cells.evaluate_all(
            "cells => cells.map(cell => cell.getAttribute('aria-valuenow'))"
        )
    ]


def place(page: Page, row: int, column: int) -> tuple[float, float]:
    box = box_of(page.locator(".brush .sheet"))
    x = box["x"] + (column + 0.5) / SIDE * box["width"]
    return x, box["y"] + (row + 0.5) / SIDE * box["height"]


def stroke(page: Page, first: Cell, last: Cell) -> None:
    drag(page, place(page, *first), place(page, *last), steps=1)


def true_area(page: Page) -> float:
    """Of the truth that is drawn."""
    found: float = page.evaluate(
        """() => {
            const { curves } = window.__prviz.figure.payload, { vertices } = curves.find(({ id }) => id === "truth");
            const alpha = lam => Math.min(1, ...vertices.map(([fpr, fnr]) => lam * fpr + fnr));
            return [0.2, 0.5, 1, 2, 5].reduce((sum, lam) => sum + alpha(lam), 0);
        }"""
    )
    return found


def expected(page: Page) -> float:
    truth = toy(
        "painted",
        d=2,
        real_weights=tuple(amounts(page, 0)),
        generated_weights=tuple(amounts(page, 1)),
    ).truth()
    return float(truth.alpha(np.array([0.2, 0.5, 1, 2, 5])).sum())


def follows(page: Page) -> None:
    """The drawn truth is that of the cells, and the link holds them."""
    wait_until(page, lambda: abs(true_area(page) - expected(page)) < 1e-6)
    wait_idle(page)
    wait_until(
        page, lambda: settings_of(page).parameters["generated_weights"] == tuple(amounts(page, 1))
    )


def test_a_stroke_moves_cells_truth_and_curves_and_is_undone(page: Page) -> None:
    visit(page, link())
    expect(page.locator(".cells rect").first).to_be_attached()
    before = amounts(page, 1), true_area(page)
    curve = page.locator(".live.screen .js-line")
    drawn = curve.evaluate_all("lines => lines.map(line => line.getAttribute('d'))")
    stroke(page, (5, 3), (5, 8))
    after = amounts(page, 1)
    cells = [i for i in range(SIDE**2) if after[i] != before[0][i]]
    assert cells == [5 * SIDE + column for column in range(3, 9) if after[5 * SIDE + column] == 0.5]
    assert len(cells) >= 4
    follows(page)
    assert true_area(page) != pytest.approx(before[1])
    assert curve.evaluate_all("lines => lines.map(line => line.getAttribute('d'))") != drawn
    click(page, "button", "Undo")
    assert amounts(page, 1) == before[0]
    follows(page)
    assert true_area(page) == pytest.approx(before[1])
    # with Shift a stroke erases
    page.keyboard.down("Shift")
    stroke(page, (1, 4), (1, 7))
    page.keyboard.up("Shift")
    assert amounts(page, 1)[SIDE + 4 : SIDE + 8] == [0, 0, 0, 0]
    # keys: the brush on the real set
    tools = page.get_by_role("group", name="Brush")
    click(tools, "button", "Real")
    sheet = page.get_by_role("application", name=re.compile("Paint real"))
    sheet.focus()
    for _ in range(SIDE):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    row = amounts(page, 0)[:SIDE]
    assert sorted(row) == [0.0] * (SIDE - 1) + [0.5]
    page.keyboard.press("Delete")
    assert sum(amounts(page, 0)[:SIDE]) == 0
    tools.get_by_label("Start from").select_option("Checkerboard")
    assert tuple(amounts(page, 0)) == PAINTINGS["Checkerboard"][1]
    follows(page)
    click(tools, "button", "Clear")
    assert sum(amounts(page, 0)) == sum(amounts(page, 1)) == 1
    # unpressed, the pointer selects samples again
    click(tools, "button", "Real")
    expect(page.locator(".brush.off")).to_be_attached()


def diagonals(parity: int) -> list[tuple[Cell, Cell]]:
    """First and last cell of the diagonals that make every second field of the board."""
    return [
        ((max(0, shift), max(0, -shift)), (SIDE - 1 - max(0, -shift), SIDE - 1 - max(0, shift)))
        for shift in range(1 - SIDE, SIDE)
        if shift % 2 == parity
    ]


@exhaustive
def test_the_goal_of_a_link_is_reached_by_painting(page: Page) -> None:
    visit(page, link(n=2000, methods=("ipr",), task="ipr-one"))
    goal = page.get_by_role("group", name="Task")
    expect(goal).to_contain_text("Make iPR say 1 where the truth is 0.")
    expect(goal).to_have_attribute("data-reached", "false")
    tools = page.get_by_role("group", name="Brush")
    click(tools, "button", "Clear")
    for name, parity in (("Real", 0), ("Generated", 1)):
        click(tools, "button", name)
        for first, last in diagonals(parity):
            stroke(page, first, last)
            stroke(page, first, last)
    middle = SIDE**2 // 2 + SIDE // 2
    page.keyboard.down("Shift")  # of the generated set the cell that Clear has left
    stroke(page, divmod(middle, SIDE), divmod(middle, SIDE))
    page.keyboard.up("Shift")
    expect(goal).to_have_attribute("data-reached", "true", timeout=60_000)
    expect(goal).to_contain_text("Reached: iPR 1.00, truth 0.00.")
    wait_idle(page)
    assert "task=ipr-one" in page.url
    # the address follows the last stroke
    wait_until(page, lambda: toy("painted", **settings_of(page).parameters).truth().auc == 0)


@exhaustive
def test_the_truth_is_hidden_until_an_answer_and_codes_of_a_class_are_counted(page: Page) -> None:
    visit(page, "/?problem=modes&n=200&k=5&p.d=2&methods=knn,ipr&task=closest")
    verdict = page.locator(".live.screen .verdict")
    expect(verdict).to_have_text("Which curve comes closest to the truth?")
    truth = (
        "() => document.querySelector('.live .js-plotly-plot').data.find(each => "
        "each.legendgroup === 'truth')"
    )
    page.wait_for_function(f"{truth.removeprefix('() => ')}?.visible === 'legendonly'")
    assert "truth" not in page.locator(".live.screen .curve-labels").text_content()
    task = page.get_by_role("group", name="Task")
    reveal = task.get_by_role("button", name="Reveal")
    expect(reveal).to_be_disabled()
    for hidden in (".rows .bar", ".st-key-part-export", ".st-key-part-panel [role=tablist]"):
        expect(page.locator(hidden).first).to_be_hidden()
    plot = page.locator(".live.screen .pane.fit .plot")
    place_before = plot.bounding_box()
    click(task, "button", "kNN")
    reveal.click()
    expect(page.locator(".live.screen .curve-labels")).to_contain_text("truth")
    expect(page.locator(".rows .bar").first).to_be_visible()
    assert plot.bounding_box() == place_before
    said = task.get_by_role("status").first
    code = re.search(r"closest\.[0-9a-f]{4}\.knn", said.text_content() or "")
    assert code is not None
    # the largest overlap on screen is that of the answer
    numbers = page.locator(".rows .row").evaluate_all(
        "rows => rows.map(row => [row.dataset.curve, +row.querySelector('b').textContent])"
    )
    best = max(numbers, key=lambda each: each[1])[0]
    assert best in (task.get_attribute("data-right") or "").split(",")
    task.get_by_text("Codes of a class").click()
    other = code[0].replace("knn", "ipr")
    codes = [code[0], other, code[0], "closest.zzzz.knn", "<b>"]
    task.get_by_label("Codes of a class, one a line").fill("\n".join(codes))
    counted = task.locator("li[data-answer]").evaluate_all(
        "lines => lines.map(({ dataset }) => [dataset.answer, dataset.count])"
    )
    assert counted == [["knn", "2"], ["ipr", "1"]]
    expect(task).to_contain_text("2 of other settings or no code")


@exhaustive
def test_a_finger_paints_on_a_phone(new_page: Opener) -> None:
    page = new_page(fresh=True, size=PHONE, has_touch=True, is_mobile=True)
    visit(page, link())
    sheet = page.locator(".brush .sheet")
    # in the middle, above the low sheet of k
    sheet.evaluate("(sheet) => sheet.scrollIntoView({ block: 'center' })")
    wait_idle(page)
    before = amounts(page, 1)
    page.touchscreen.tap(*place(page, 5, 5))
    wait_until(page, lambda: amounts(page, 1) != before)
    assert amounts(page, 1)[5 * SIDE + 5] == 0.5
    assert sheet.evaluate("sheet => getComputedStyle(sheet).touchAction") == "none"
    for tool in page.locator(".brush-tools :is(button, select)").all():
        box = box_of(tool)
        assert min(box["width"], box["height"]) >= 44
    follows(page)


@exhaustive
def test_a_frame_holds_the_figure_alone(page: Page) -> None:
    page.goto("/?problem=modes&n=200&k=5&p.d=2&methods=knn,ipr&task=highest&embed=true")
    expect(page.get_by_role("group", name="Task")).to_be_visible(timeout=60_000)
    wait_idle(page)
    expect(page.locator(".st-key-part-panel")).to_be_hidden()
    expect(page.locator('[data-testid="stSidebar"]')).to_be_hidden()
    wide = box_of(page.locator(".live.screen .plot").first)
    assert wide["width"] >= 300
