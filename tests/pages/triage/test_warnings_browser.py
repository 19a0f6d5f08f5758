"""Warnings on the samples on Triage's first screen, in a browser: beside the verdicts, whole, and
over nothing.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from pages._triage import table
from prviz.live.modules import bundle
from tests.browser import (
    LAPTOP,
    Opener,
    choose_files,
    cut_texts,
    overlaps,
    resize,
    visit,
    wait_idle,
)
from tests.file_builders import npy
from tests.pages.triage.test_triage_browser import measured

TOP = ".st-key-triage-warnings .flags"
BESIDE = (".verdict-box .flags", ".evidence .flags")
PARTS = (
    f"{TOP} p",
    f"{TOP} summary",
    ".verdict-box h2",
    ".verdict-box > p",
    *(f"{part} {tag}" for part in BESIDE for tag in ("p", "summary")),
    ".st-key-triage-goal-box",
    ".st-key-triage-curves-box .main-svg:first-child",
    ".ranking .head",
    ".ranking tbody .name",
    ".ranking tbody .warns",
    ".ranking tbody .score",
    ".st-key-triage-steps-box .main-svg:first-child",
    ".evidence h4",
    ".evidence section > p > :last-child",  # the first one is shortened
    ".st-key-triage-part",
)


FITS = """() => [...document.querySelectorAll(".st-key-triage-screen .plot")].every((plot) =>
    Math.abs(plot.clientWidth - plot.querySelector(".main-svg").getBoundingClientRect().width) < 1.5)"""


def files() -> tuple[bytes, list[tuple[str, bytes]]]:
    """A reference that repeats rows, a good checkpoint, one row repeated, and one with a feature in
    other units.
    """
    real, good, units = np.random.default_rng(0).normal(size=(3, 200, 5))
    real[:40] = real[0]
    units[:, 3] *= 300
    row = np.repeat(good[:1], 200, axis=0)
    return npy(real), [
        (f"step-{i}.npy", npy(each)) for i, each in enumerate((good, row, units), start=1)
    ]


@pytest.mark.exhaustive
def test_warnings_stand_beside_the_verdicts_at_every_size(new_page: Opener) -> None:
    page = new_page(size=LAPTOP)
    visit(page, "/triage?data=upload&methods=knn")
    reference, checkpoints = files()
    choose_files(page, "Reference", ("real.npy", reference))
    wait_idle(page)
    choose_files(page, "all at once", *checkpoints)
    measured(page)
    expect(page.locator(f"{TOP} p")).to_have_count(1)
    expect(page.locator(TOP)).to_contain_text("Duplicates inside the real set: 39 of 200 real rows")
    assert page.get_by_text("Duplicates inside the real set").count() == 1
    expect(page.locator(".ranking tbody tr", has=page.locator(".warns"))).to_have_count(2)
    for name, text in (
        ("step-2", "the generated set is one row 200 times"),
        ("step-3", "feature 4"),
    ):
        page.locator(".ranking tbody tr", has_text=name).click()
        expect(page.locator(".evidence section").first).to_contain_text(text)
    for width, height in ((1366, 768), (390, 844), (820, 1180)):
        resize(page, width, height)
        # Once Plotly has drawn for the new width.
        page.wait_for_function(FITS)
        wait_idle(page)
        assert not overlaps(page, PARTS), width
        assert not cut_texts(page, TOP)
        assert not [text for part in BESIDE for text in cut_texts(page, part)]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_row_has_its_bound_rounded_up_its_warnings_and_its_tie_in_the_table(
    new_page: Opener,
) -> None:
    page = new_page()
    page.goto("/_stcore/health")
    script = bundle(table._FOLDER / "table.js")
    rows = [
        {
            "id": name,
            "run": "",
            "color": "",
            "score": score,
            "place": score,
            "low": 0.9,
            "high": 1,
            "most": most,
            "told": name,
        }
        | {
            "ties": most is None,
            "families": [],
            "fault": "",
            "level": "",
            "sentence": "",
            "warnings": warnings,
        }
        for name, score, most, warnings in (
            ("warned", 0.98, 0.9923, ["Key among the features: so.", "<b>Spread</b>: so."]),
            ("equal", 0.9923, 0.9923, []),
            ("unknown", 0.9, None, []),
        )
    ]
    choice = {"selected": None, "ticked": [], "starred": [], "hidden": [], "notes": {}}
    spec = {
        "heard": None,
        "group": "t",
        "spread": "draws",
        "ceiling": None,
        "families": [],
        "rows": rows,
        "choice": choice,
    }
    page.evaluate(
        """async ([script, spec]) => {
            const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
            document.body.innerHTML = '<div id="table"><div class="ranking"></div></div>';
            const data = new TextEncoder().encode(spec), parentElement = document.getElementById("table");
            (await import(url)).default({ data, parentElement, setStateValue: () => {} });
        }""",
        [script, json.dumps(spec)],
    )
    expect(page.locator("td.most")).to_have_text(["0.993", "0.993", ""])
    expect(page.locator("tr.ties .name")).to_have_text(["unknown"])
    label = "Warning: Key among the features: so.\n<b>Spread</b>: so."
    assert [each.get_attribute("aria-label") for each in page.locator(".warns").all()] == [label]
