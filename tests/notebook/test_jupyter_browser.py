"""The widget in JupyterLab: it draws, its sliders and Python move it, and a kernel may restart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.notebook.jupyter import WAIT_MS, notebook, opened, run_all, running_lab
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive, pytest.mark.thorough]
pytest.importorskip("jupyterlab", reason="pip install jupyterlab ipykernel, as .ci/run --all does")

CELLS = (
    "import prviz\ntoy = prviz.toy('mixtures', d=8)\npair = toy.sample(400, seed=0)\n"
    "w = prviz.widget(pair)\nw",
    "v = prviz.widget(pair, truth=toy.truth())\nv",
)
RUN = """async (code) => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const run = kernel.requestExecute({ code });
  let text = "";
  run.onIOPub = ({ header, content }) => { text += content.text ?? content.evalue ?? ""; };
  await run.done;
  return text;
}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A JupyterLab of this Python, with its address and its folder."""
    folder = tmp_path_factory.mktemp("lab")
    with running_lab(folder) as address:
        yield address, folder


@pytest.fixture
def page(chromium: Browser, lab: tuple[str, Path]) -> Iterator[Page]:
    """A notebook with two widgets, each of which has measured all that it draws."""
    address, folder = lab
    (folder / "two.ipynb").write_text(notebook(*CELLS))
    made = chromium.new_page(viewport={"width": 1280, "height": 1400})
    asked: list[str] = []
    made.on("request", lambda request: asked.append(request.url))
    opened(made, address, "two.ipynb")
    run_all(made)
    drawn = "document.querySelectorAll(\".prviz-widget .live[data-more='false']\").length === 2"
    made.wait_for_function(drawn, timeout=WAIT_MS)
    yield made
    foreign = [url for url in asked if not re.match(r"(http://127|ws://127|blob:|data:)", url)]
    assert foreign == []
    made.close()


def number(page: Page, place: int) -> str:
    field = page.locator(".prviz-widget").nth(place).locator("[data-prviz=k] input[type=number]")
    return field.input_value()


def drawn(page: Page, place: int) -> str:
    return (
        page.locator(".prviz-widget .plot")
        .nth(place)
        .evaluate("""(plot) =>
        JSON.stringify(plot.data.filter(({ legendgroup }) => legendgroup === "knn").map(({ x }) => [...x]))""")
    )


def test_sliders_move_curves_and_python_and_python_moves_sliders(page: Page) -> None:
    before = [drawn(page, place) for place in (0, 1)]
    slider = page.locator(".prviz-widget").first.locator("[data-prviz=k] input[type=range]")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowLeft")
    until(lambda: drawn(page, 0) != before[0])
    moved = number(page, 0)
    until(lambda: page.evaluate(RUN, "print(w.k)").strip() == moved)
    assert drawn(page, 1) == before[1]

    page.evaluate(RUN, "w.k = 9; w.lam = 3; w.families = ('knn', 'ipr')")
    until(lambda: number(page, 0) == "9")
    rows = page.locator(".prviz-widget").first.locator("[data-prviz=iou-row] .name")
    expect(rows).to_contain_text(["Best classifier", "kNN", "iPR"], timeout=WAIT_MS)
    angle = page.locator(".prviz-widget").first.locator("[data-prviz=angle] output")
    expect(angle).to_have_text("λ = 3.08")  # of whole degrees
    equal = "import numpy\nfound = prviz.estimate(pair, list(w.families), k=9)\nprint(all("
    equal += "numpy.array_equal(w.curves[n].vertices, found[n].curve.vertices) for n in found))"
    assert page.evaluate(RUN, equal).strip() == "True"
    assert number(page, 1) == "20"


def test_panels_follow_the_sliders_of_their_own_widget(page: Page) -> None:
    first, second = (page.locator(".prviz-widget").nth(place) for place in (0, 1))
    for widget in (first, second):
        widget.locator("[data-panel=numbers] summary").click()
    cell = "[data-panel=numbers] tbody tr:first-child td:first-of-type"
    for widget in (first, second):
        expect(widget.locator(cell)).to_have_text(re.compile("[0-9]"), timeout=WAIT_MS)
    before = [
        widget.locator("[data-panel=numbers] tbody").inner_text() for widget in (first, second)
    ]
    assert page.evaluate(RUN, "print(w.panels)").strip() == "('numbers',)"
    slider = first.locator("[data-prviz=k] input[type=range]")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    until(lambda: first.locator("[data-panel=numbers] tbody").inner_text() != before[0])
    assert second.locator("[data-panel=numbers] tbody").inner_text() == before[1]
    page.evaluate(RUN, "v.panels = ()")
    expect(second.locator("[data-panel=numbers]")).not_to_have_attribute("open", "")


def test_without_a_kernel_the_last_figure_stays(page: Page, lab: tuple[str, Path]) -> None:
    pictures = page.locator("[class^=prviz-] > div > svg")
    expect(page.locator("div[class^=prviz-]:not(.prviz-widget)").first).to_be_hidden()
    curve = drawn(page, 0)
    kernel = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    page.evaluate(f"{kernel}.restart()")
    gone = page.get_by_text("The kernel has gone. The curves stay; run the cell again to go on.")
    expect(gone).to_have_count(2, timeout=WAIT_MS)
    assert drawn(page, 0) == curve

    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    until(lambda: "<svg" in (lab[1] / "two.ipynb").read_text())
    opened(page, lab[0], "two.ipynb?reset")
    expect(pictures.first).to_be_visible(timeout=WAIT_MS)


def test_ten_thousand_samples_in_64_dimensions(chromium: Browser, lab: tuple[str, Path]) -> None:
    address, folder = lab
    cell = "import prviz\nw = prviz.widget(prviz.toy('mixtures', d=64).sample(10_000, seed=0))\nw"
    (folder / "large.ipynb").write_text(notebook(cell))
    page = opened(chromium.new_page(), address, "large.ipynb")
    run_all(page)
    page.wait_for_selector(".prviz-widget .lam-marks", state="attached", timeout=WAIT_MS)
    before = drawn(page, 0)
    page.locator("[data-prviz=k] button", has_text="5").first.click()
    until(lambda: drawn(page, 0) != before, 120)
    page.close()
