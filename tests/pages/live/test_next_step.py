"""Try next: what the line says beside the verdict is what the rows say after the click."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import pr_curve
from prviz.toys import toy
from tests.browser import LAPTOP, Opener, overlaps, visit

METHODS = ("knn", "ipr", "kde")


def frames(k: dict[str, list[float]], bandwidth: dict[str, list[float]]) -> dict[str, Any]:
    """Overlaps by family at k = 1, 2, ... and at bandwidths 1, 2, ..."""

    def table(known: dict[str, list[float]]) -> dict[str, Any]:
        rows = {name: [[value] for value in values] for name, values in known.items()}
        stops = list(range(1, 1 + max(map(len, known.values()), default=0)))
        return {"stops": stops, "rows": rows, "curves": rows}

    return {"k": table(k), "bandwidth": table(bandwidth)}


@pytest.mark.parametrize(
    ("k", "bandwidth", "noise", "expected"),
    [
        # the mean of all three counts
        (
            {"knn": [0.5, 0.9, 0.8], "ipr": [0.5, 0.5, 0.8], "kde": [0.6, 0.6, 0.6]},
            {"kde": [0.6, 0.95]},
            0.01,
            ["k", 3, "Try k = 3: kNN 0.80"],
        ),
        (
            {"knn": [0.7, 0.72], "ipr": [0.5, 0.5], "kde": [0.6, 0.6]},
            {"kde": [0.6, 0.95]},
            0.01,
            ["bandwidth", 2, "Try bandwidth 2: KDE 0.95"],
        ),
        # of several the first one that gains is named
        (
            {"knn": [0.5, 0.6], "ipr": [0.5, 0.9], "kde": [0.6, 0.6]},
            {},
            0.01,
            ["k", 2, "Try k = 2: kNN 0.60"],
        ),
        # one would fall by more than chance; none grows by more than chance; nothing else to try
        ({"knn": [0.5, 0.9], "ipr": [0.5, 0.4], "kde": [0.6, 0.6]}, {}, 0.01, None),
        ({"knn": [0.5, 0.6], "ipr": [0.5, 0.6], "kde": [0.6, 0.6]}, {}, 0.2, None),
        ({"knn": [0.9], "ipr": [0.9], "kde": [0.9]}, {}, 0.01, None),
    ],
)
def test_it_proposes_what_helps_and_harms_no_curve(
    blank: Page,
    k: dict[str, list[float]],
    bandwidth: dict[str, list[float]],
    noise: float,
    expected: list[Any] | None,
) -> None:
    curves = [{"id": name, "name": ESTIMATORS[name].title, "row": [k[name][0]]} for name in METHODS]
    found = blank.evaluate(
        """([frames, curves, noise]) => {
            const step = live.next_step.nextStep(frames, curves, { k: 1, bandwidth: null }, noise);
            return step && [step.slider, step.value, step.text];
        }""",
        [frames(k, bandwidth), curves, noise],
    )
    assert found == expected


@pytest.mark.exhaustive
def test_it_says_what_the_rows_say_after_the_click(new_page: Opener) -> None:
    page = new_page(size=LAPTOP)
    visit(page, "/?problem=modes&p.d=8&n=400&k=1&methods=knn,coverage")
    line = page.locator(".live.screen .next")
    expect(line).to_be_visible()
    figure = page.locator(".st-key-part-pr-figure .plot")
    before = figure.bounding_box()
    said = re.fullmatch(r"Try k = (\d+): (\w+) (\S+)", line.inner_text())
    assert said is not None
    k, title, then = said.groups()
    (name,) = (each for each in ("knn", "coverage") if ESTIMATORS[each].title == title)
    problem = toy("modes", d=8)
    pair = problem.sample(400, 0)
    curve = pr_curve(*pair, method=name, k=int(k))
    assert f"{curve.iou(problem.truth()):.2f}" == then
    places = [each.bounding_box() for each in (line, page.locator(".verdict").first)]
    page.locator(".progress").first.evaluate(
        "bar => { bar.hidden = false; }"
    )  # something is measured
    page.locator(".live.screen").evaluate("root => { root.dataset.more = true; }")
    page.locator(".live.screen .plot").hover()
    assert [each.bounding_box() for each in (line, page.locator(".verdict").first)] == places
    assert not overlaps(page, [".said", ".progress button", ".st-key-main-view button", ".help"])
    line.click()
    expect(page.locator(f'.row[data-curve="{name}"] b')).to_have_text(then)
    expect(line).to_be_hidden()
    expect(page.get_by_role("slider", name="Neighbours k")).to_be_focused()
    assert figure.bounding_box() == before


@pytest.mark.exhaustive
def test_without_a_truth_nothing_is_proposed(new_page: Opener) -> None:
    page = new_page(size=LAPTOP)
    visit(page, "/?source=bundled&problem=mixture-em-1&n=100&k=3")
    page.locator("[data-prviz=k] .over-stops small", has_text="area").wait_for()
    expect(page.locator(".live.screen .next")).to_be_hidden()
