"""The part Report of the page Triage, and the page that stands alone in a browser without a
network.
"""

from __future__ import annotations

import html
import json
import re
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from pages._triage.checkpoints import CheckpointResults
from pages._triage.report import files
from pages._triage.session import REFERENCE
from prviz.cli.main import main
from prviz.readers.paths import data_folder
from prviz.recent import LeastRecentlyUsed
from prviz.reports.files import FORMATS
from prviz.reports.page import to_html
from prviz.reports.report_json import from_json
from prviz.triage.measured import TriageSettings
from prviz.triage.triage import Triage, TriageResults
from prviz.triage.yardstick import yardstick
from tests.browser import click
from tests.marks import exhaustive, thorough
from tests.triage_app import part
from tests.triage_found import bundled_found, changed

# Where on the screen the middle of the last curve is.
POINT = """(figure) => {
    const line = figure.calcdata[1], at = line[Math.floor(line.length / 2)], { xaxis, yaxis } = figure._fullLayout;
    const { left, top } = figure.getBoundingClientRect();
    return [left + xaxis._offset + xaxis.d2p(at.x), top + yaxis._offset + yaxis.d2p(at.y)];
}"""
NASTY = "</script><img src=x onerror=alert(1)>"


@cache
def found() -> CheckpointResults:
    return bundled_found(
        ("mixture-em-1", "mixture-em-20"), TriageSettings(("knn", "ipr"), seed=3), n=200
    )


def results_of(of: CheckpointResults, **known: Any) -> TriageResults:
    return TriageResults(
        reference=of.reference, outcomes=of.outcomes, settings=of.settings, **known
    )


@exhaustive
def test_the_lines_repeat_the_triage(tmp_path: Path, monkeypatch, capsys) -> None:
    of = bundled_found(("mixture-em-1", "classes-3"), TriageSettings(("knn", "ipr"), seed=3), n=200)
    app = part("report", of, **{"triage-goal": 0.75})
    assert len(app.get("download_button")) == len(FORMATS)
    assert "ranked for the goal 0.75" in app.markdown[0].value
    assert "Faults of 0 of 2 checkpoints are named so far" in app.info[0].value
    line, again = (each.value for each in app.code)
    assert "data_folder()" in line.splitlines()[0]
    words = shlex.split(line.splitlines()[1].replace('"$OLDPWD"', str(tmp_path)))
    monkeypatch.chdir(data_folder())
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    assert main(words[1:]) == 0
    assert {each.name for each in tmp_path.glob("prviz-*")} == {
        "prviz-triage.html",
        "prviz-triage.json",
    }
    told = json.loads((tmp_path / "prviz-triage.json").read_text())
    assert (told["goal"], told["settings"]["seed"], told["settings"]["methods"]) == (
        0.75,
        3,
        ["knn", "ipr"],
    )
    capsys.readouterr()
    words = shlex.split(again.splitlines()[1].replace('"$OLDPWD"', str(tmp_path)))
    assert main(words[1:]) == 0
    assert "numbers equal" in capsys.readouterr().out


@exhaustive
def test_what_still_streams_in_is_said_and_paths_tell_nothing_of_the_machine(
    tmp_path: Path,
) -> None:
    below = tmp_path / "served"
    outcomes = []
    for each in found().outcomes:
        checkpoint = replace(
            each.checkpoint, path=below / "run" / f"{each.checkpoint.name}.npz", below=below
        )
        outcomes.append(each._replace(checkpoint=checkpoint))
    outcomes[0] = outcomes[0]._replace(
        checkpoint=replace(outcomes[0].checkpoint, path=below / "-x; rm $HOME.npz")
    )
    some = replace(found(), key="served", outcomes=tuple(outcomes), total=5)
    app = part("report", some, **{REFERENCE: "real/-a b.npy"})
    assert "2 of 5 checkpoints are measured so far" in app.info[0].value
    line, again = (each.value for each in app.code)
    assert shlex.split(line)[2:5] == [
        "real/-a b.npy",
        "./-x; rm $HOME.npz",
        "run/mixture-em-20.npz",
    ]
    assert str(tmp_path) not in line + again
    uploads = [
        each._replace(
            checkpoint=replace(each.checkpoint, path=tmp_path / "7" / "gen.npy", below=None)
        )
        for each in outcomes
    ]
    uploaded = replace(some, key="uploads", outcomes=tuple(uploads))
    made = files(uploaded, results_of(uploaded), "real.npy", LeastRecentlyUsed(4))
    told = from_json(made[".json"]().decode())
    assert [each["path"] for each in told["checkpoints"]] == ["gen.npy", "gen.npy"]
    assert (told["complete"], told["total"], told["reference"]["path"]) == (False, 5, "real.npy")
    page = made[".html"]().decode()
    assert "Made while 2 of 5 checkpoints were measured." in page
    assert str(tmp_path) not in page
    assert made[".parquet"]()[:4] == b"PAR1"
    assert made[".csv"]().startswith(b'"schema_version"')


@exhaustive
def test_files_hold_the_ceiling_the_copies_and_the_faults() -> None:
    of = found()
    possible = yardstick(
        of.reference, of.settings, None, size=max(each.n_generated for each in of.measured)
    )
    triage = Triage(reference=of.reference, settings=of.settings, load=of.load)
    copies = triage.of_each(triage.copies, of.measured)
    faults = triage.of_each(triage.faults, of.measured[:1])
    ((worst, named),) = faults.items()
    assert named
    results = results_of(of, memorisation=copies, yardstick=possible, findings=faults)
    made = files(of, results, "digits.npz", LeastRecentlyUsed(4))
    told = from_json(made[".json"]().decode())
    assert told["yardstick"]["source"] == possible.source
    for each in told["checkpoints"]:
        assert each["memorisation"]["near"]["number"] == copies[each["name"]].near.number
        assert set(each["share_of_ceiling"]) == set(of.settings.methods)
        titles = [one.title for one in named] if each["name"] == worst else None
        assert (each["findings"] and [one["title"] for one in each["findings"]]) == titles
    assert html.escape(named[0].sentence) in made[".html"]().decode()


@thorough
def test_the_page_stands_alone_without_a_network(chromium: Browser, tmp_path: Path) -> None:
    first = found().outcomes[0].checkpoint
    of = changed(
        found(), "nasty", lambda each: replace(each, name=NASTY) if each is first else each
    )
    report = from_json(
        files(of, results_of(of), "digits.npz", LeastRecentlyUsed(4))[".json"]().decode()
    )
    path = tmp_path / "report.html"
    path.write_text(to_html(report), encoding="utf-8")
    context = chromium.new_context(offline=True, accept_downloads=True, color_scheme="dark")
    asked = list[str]()
    said = list[str]()
    context.route(re.compile(r"^(?!file:|blob:|data:)"), lambda route: route.abort())
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append("a dialog"))
    page.goto(path.as_uri())
    expect(page.locator("section:visible .drawn[data-drawn] .main-svg >> nth=0")).to_be_visible()
    expect(page.locator("section:visible .drawn[data-drawn]")).to_have_count(12)
    point = page.locator("section:visible .drawn[data-figure='auc'] .points path").first
    assert point.evaluate("(node) => node.getBBox().width") > 5
    curves = page.locator(".drawn[data-family='knn'][data-figure='curves']")
    best = page.locator("section:visible tbody tr").first
    curves.scroll_into_view_if_needed()
    page.mouse.move(*curves.evaluate(POINT))
    expect(page.locator("section:visible .told")).to_have_text("Standing out: mixture-em-20")
    expect(best).to_have_class("marked")
    page.mouse.move(5, 5)
    page.locator("section:visible tbody tr button", has_text="img src=x").click()
    expect(page.locator("section:visible .told")).to_have_text(f"Standing out: {NASTY}")
    assert (
        page.evaluate("document.querySelector(\"[data-figure='curves']\").data[1].opacity") == 0.2
    )
    click(page, "button", "iPR", exact=True)
    expect(page.locator("section:visible .drawn[data-drawn]")).to_have_count(12)
    expect(page.locator("section:visible h2").first).to_have_text("Ranking by iPR")
    with page.expect_download() as download:
        page.locator("#save").click()
    assert from_json(download.value.path().read_text()) == report
    assert [url for url in asked if not url.startswith(("file:", "blob:"))] == []
    assert said == []
    context.close()
