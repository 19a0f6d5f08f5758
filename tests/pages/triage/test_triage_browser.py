"""Triage in a real Chromium: checkpoints below the folder that the app was started with, and many
uploads at once.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from prviz.cli.main import main
from tests.browser import (
    LAPTOP,
    Opener,
    choose_files,
    click,
    running_app,
    saved,
    visit,
    wait_idle,
)
from tests.file_builders import npy


def drawn(seed: int, shift: float = 0.0, n: int = 150) -> bytes:
    """A file of n samples, so far from those of shift 0."""
    return npy(np.random.default_rng(seed).normal(shift, 1.0, size=(n, 6)).astype(np.float32))


def cells(page: Page, rows: int) -> list[list[str]]:
    """What the list says to a screen reader, row by row."""
    if not page.get_by_test_id("stDataFrame").locator("canvas").count():
        page.get_by_text("Names, steps and state").click()
    found = page.get_by_test_id("stDataFrame").first.locator("canvas table tbody tr")
    expect(found).to_have_count(rows)
    return found.evaluate_all(
        "(rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) =>"
        " cell.textContent))"
    )


def measured(page: Page) -> None:
    """Wait for what begins by itself, to the last checkpoint's fault."""
    expect(page.get_by_text("Done:")).to_be_attached()
    expect(page.locator(".ranking tbody tr .chip").first).to_be_visible(timeout=60_000)
    expect(page.locator(".ranking tbody tr:not(:has(.chip))")).to_have_count(0, timeout=60_000)
    wait_idle(page)


def test_a_folder_is_triaged_where_it_lies(
    tmp_path: Path, new_page: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    run = tmp_path / "served" / "run"
    run.mkdir(parents=True)
    (run.parent / "real.npy").write_bytes(drawn(0))
    for step, shift in ((500, 3.0), (9000, 1.0), (20000, 0.0)):
        (run / f"step-{step}.npy").write_bytes(drawn(step, shift))
    with running_app(tmp_path / "log", options=["--data", str(run.parent)]) as server:
        page = new_page(url=server.url)
        visit(page, "/triage?data=folder&folder=run&reference=real.npy")
        measured(page)
        rows = cells(page, 3)
        assert [row[0] for row in rows] == ["step-500", "step-9000", "step-20000"]
        page.reload()
        measured(page)
        assert [row[3] for row in cells(page, 3)] == ["kept from before"] * 3
        # The folder grows while one of its checkpoints is looked at.
        page.locator(".ranking tbody tr", has_text="step-9000").click()
        expect(page.locator(".ranking")).to_have_attribute("data-selected", "step-9000")
        whole = drawn(30000, 0.2)
        (run / "step-30000.npy").write_bytes(whole[:500])
        expect(page.get_by_text("1 not written to the end yet")).to_be_visible()
        (run / "step-30000.npy").write_bytes(whole)
        expect(page.locator(".ranking tbody tr")).to_have_count(4)
        expect(page.locator(".ranking")).to_have_attribute("data-selected", "step-9000")
        measured(page)


def test_twelve_uploads_of_which_one_is_broken_down_to_a_report(page: Page, tmp_path: Path) -> None:
    visit(page, "/triage?data=upload&methods=knn")
    many = [(f"epoch-{step}.npy", drawn(step, 3.0 - step / 4)) for step in range(1, 12)]
    many.append(("epoch-12.npz", b"PK\x03\x04 broken"))
    choose_files(page, "Reference", ("real.npy", drawn(0)))
    expect(page.get_by_text("Now add the checkpoints.")).to_be_visible()
    wait_idle(page)
    choose_files(page, "all at once", *many)
    measured(page)
    rows = cells(page, 12)
    assert [row[0] for row in rows] == [f"epoch-{step}" for step in range(1, 13)]
    assert [row[3] for row in rows[:11]] == ["measured"] * 11
    assert rows[11][3].startswith("failed: 'epoch-12.npz'")
    expect(page.get_by_text("1 of 12 could not be measured")).to_be_visible()
    assert "epoch" not in page.url
    drilled(page)
    click(page, "radio", "Report")
    note = page.get_by_text("Names and steps that were changed in the table below").bounding_box()
    names = page.get_by_text("Names, steps and state").bounding_box()
    assert note
    assert names
    assert note["y"] < names["y"]
    report = saved(page, "Page (HTML)", tmp_path).read_text("utf-8")
    assert all(f"epoch-{step}" in report for step in range(1, 13))


def test_a_ranking_in_a_report_is_whole_on_a_laptop(chromium: Browser, tmp_path: Path) -> None:
    """Down to its last column, which says what may be best and what is wrong."""
    files = []
    for seed, shift in enumerate((0.0, 4.0, 0.0)):
        files.append(str(tmp_path / f"epoch-{seed:05}.npy"))
        Path(files[-1]).write_bytes(drawn(seed, shift, n=250))
    report = tmp_path / "report.html"
    out = ["--out", str(tmp_path / "kept"), "--report", str(report)]
    assert main(["triage", *files, "--method", "tightest,knn", *out]) == 0
    page = chromium.new_page(viewport={"width": LAPTOP[0], "height": LAPTOP[1]})
    page.goto(report.as_uri())
    ranking = page.get_by_role("region", name="Ranking by Best classifier")
    expect(ranking.get_by_role("columnheader", name="best in")).to_be_visible()
    assert ranking.evaluate("box => box.scrollWidth <= box.clientWidth")
    page.close()


def drilled(page: Page) -> None:
    """From the ranking's last row to what is wrong with it, and the samples that show it."""
    page.locator(".ranking tbody tr").last.click()
    expect(page.locator(".evidence h4").first).to_contain_text(re.compile("epoch-[1-4] "))
    wait_idle(page)
    click(page, "radio", "What is wrong with it?")
    expect(page.get_by_role("combobox", name="Checkpoint")).to_have_value(
        re.compile("epoch-[1-4] ")
    )
    expect(
        page.locator('[class*="st-key-triage-card"]').get_by_text("Shifted features")
    ).to_be_visible()
    expect(page.get_by_text("Generated, none real near").last).to_be_visible()
    wait_idle(page)
    page.get_by_role("button", name="Show the evidence").first.click()
    expect(page.locator('[class*="st-key-triage-card"] .live .main-svg').first).to_be_visible()
    wait_idle(page)
