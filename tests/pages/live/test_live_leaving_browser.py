"""A live figure that leaves the page while Plotly draws it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import at_page, click, resize, visit, wait_idle
from tests.pages.live.test_live_browser import followed

# Plotly tells of a drawing when it is done, which takes it a second here.
_SLOW = """() => {
    const react = Plotly.react;
    window.__begun = window.__told = 0;
    Plotly.react = (plot, ...rest) => {
        window.__begun += 1;
        return react(plot, ...rest).then(async () => {
            await new Promise((done) => setTimeout(done, 1000));
            window.__told += 1;
            plot.emit("plotly_react", {});
        });
    };
}"""


def test_a_figure_may_leave_while_plotly_draws_it(page: Page) -> None:
    followed(page)
    page.evaluate(_SLOW)
    resize(page, 1000, 900)  # every pane is drawn anew
    page.wait_for_function("() => window.__begun")
    click(page, "link", "Learn")
    at_page(page, "Learn")
    page.wait_for_function("() => window.__told === window.__begun")
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    # The page fixture fails on an uncaught error.


# Other samples are asked for in the same moment as another page.
_ASK_AND_LEAVE = """() => {
    [...document.querySelectorAll(".st-key-prviz-bar a")].find((link) => link.textContent === "Learn").click();
    const slider = document.querySelector("[data-prviz=n] input[type=range]");
    slider.valueAsNumber += 3;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    slider.dispatchEvent(new Event("change", { bubbles: true }));
}"""


def test_a_figure_that_asks_while_the_visitor_leaves_neither_holds_nor_empties_the_page(
    page: Page,
) -> None:
    for _ in range(3):
        visit(page)
        expect(page.locator("[data-prviz=n] input[type=range]")).to_be_visible()
        page.evaluate(_ASK_AND_LEAVE)
        at_page(page, "Learn")
        wait_idle(page)
        at_page(page, "Learn")
