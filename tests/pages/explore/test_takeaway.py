"""Export on Explore: nothing until it is opened, and a link with what differs from the defaults and
the open panel.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pages._explore.session import PANEL_TAB
from prviz.curves import PRCurve
from prviz.figures import paper
from prviz.live import bounds
from prviz.live.state import PANELS
from prviz.reports.export import python_snippet
from prviz.reports.settings import ExploreSettings
from tests.explore_app import (
    about,
    at_panel,
    button,
    exported,
    healthy,
    move,
    normal,
    opened,
    press,
    put,
    sliders,
    upload,
    uploads,
    vertices,
)

QUICK = {"n": "100", "p.d": "2"}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What each drawing is asked to show beside the curves."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "pages._explore.takeaway.pr_svg", lambda *given, **more: found.append(more) or ""
    )
    return found


def test_nothing_is_made_before_it_is_opened(drawn: list[dict[str, Any]]) -> None:
    app = opened(**QUICK)
    assert not app.get("download_button")
    assert not app.code
    assert not drawn
    put(app, export=True)
    assert [button.label for button in app.get("download_button")] == [
        "PDF one column",
        "PDF two columns",
        "HTML",
        "Table as CSV",
        "Curves as CSV",
        "Everything as JSON",
    ]
    assert [each.get("wide", False) for each in drawn] == [False, True]
    assert not app.code
    put(app, **{"export-python": True})
    settings, _ = ExploreSettings.from_query(dict(app.query_params))
    assert app.code[0].value.rstrip().endswith(python_snippet(settings).rstrip()[-200:])


def test_the_figure_has_what_stands_beside_the_curves_on_screen(
    drawn: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # leaves nothing out
    monkeypatch.setattr(bounds, "bound", lambda problem: PRCurve.from_error_rates([], []))
    app = opened(**QUICK, methods="knn,ipr", folded="ipr", show="limits,bound")
    put(app, export=True)
    assert [(sorted(each["limits"]), each["bound"]) for each in drawn] == [(["knn"], None)] * 2


def test_a_pdf_holds_what_is_on_screen_or_the_page_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: dict[str, dict[str, Any]] = {}

    def note(curves: Any, width: str, **beside: Any) -> bytes:
        made[width] = {"curves": list(curves), **beside}
        return b""

    monkeypatch.setattr(paper, "pdf", note)
    app = opened(**QUICK, methods="knn,ipr", folded="ipr", show="limits", repeats="2")
    exported(app)
    assert list(made) == list(paper.WIDTHS)
    for beside in made.values():
        assert beside["curves"] == list(beside["limits"]) == list(beside["bands"]) == ["knn"]
    monkeypatch.setattr(paper, "is_installed", lambda: False)
    healthy(app.run())
    said = [caption.value for caption in app.caption if "PDF" in caption.value]
    assert said == ["No PDF: it needs Matplotlib, which is not installed: pip install matplotlib."]


def test_the_exported_page_warns_as_explore_does() -> None:
    assert "<b>Warning</b>: " in exported(opened(**(QUICK | {"problem": "dirac"})))["HTML"]


OUT = "Leave them out"
IN = "Use them as features"


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("answer", "files"),
    [(OUT, "both"), (IN, "both"), (OUT, "one"), (OUT, "together"), (IN, "together")],
)
def test_the_code_reads_the_columns_that_were_chosen(
    answer: str, files: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run from the files on disk it gives the curve on screen; one file may lack the column that
    was asked about.
    """
    frame = pd.DataFrame(normal(0, 120, 3), columns=["a", "b", "c d"])
    asked = frame.assign(umap_x=10 * normal(1, 120, 1))
    if files == "one":
        tables = {"real": asked[:60], "generated": frame[60:]}
    elif files == "both":
        tables = {"real": asked[:60], "generated": asked[60:]}
    else:
        tables = {"real": asked.assign(is_generated=[0, 1] * 60)}
    app = uploads(methods="knn")
    for role, table in tables.items():
        table.to_csv(tmp_path / f"{role}.csv", index=False)
        upload(app, role, f"{role}.csv", table)
        while button(app, answer) is not None:
            press(app, answer)
    put(app, **{"export": True, "export-python": True})
    code = app.code[0].value
    monkeypatch.chdir(tmp_path)
    result: dict[str, Any] = {}
    exec(compile(code, "code", "exec"), result)
    pair = result["draw"](0)
    assert pair.d == (3 if answer == OUT else 4)
    assert np.allclose(vertices(app)["knn"], result["curves"]["knn"].vertices, atol=1e-9)


@pytest.mark.exhaustive
def test_no_file_holds_a_family_that_is_hidden() -> None:
    made = exported(opened(**QUICK, hidden="ipr,coverage"))
    for label in ("Table as CSV", "Curves as CSV"):
        names = {line.split(",")[0].strip('"') for line in made[label].splitlines()[1:]}
        assert names == {"knn", "kde", "truth"}
    assert sorted(json.loads(made["Everything as JSON"])["methods"]) == ["kde", "knn"]
    assert re.findall('<tr><th scope="row">([^<]*)', made["HTML"]) == ["truth", "kNN", "KDE"]


def test_the_link_is_the_address_bar_and_restores_the_screen() -> None:
    app = opened(**QUICK)
    assert app.query_params == QUICK
    first = vertices(app)
    moved = {"p.d": 5, "n": 120, "seed": 123456, "k": 7}
    back = {name: sliders(app)[name] for name in moved}
    move(app, **moved)
    assert app.query_params == {name: str(value) for name, value in moved.items()}
    assert "120 real and 120 generated samples in 5 dimensions" in about(app)
    assert vertices(opened(**app.query_params)) == vertices(app)
    assert vertices(move(app, **back)) == first


def test_the_open_panel_is_in_the_link_unless_it_opens_by_itself() -> None:
    app = opened(**QUICK)
    at_panel(app, "Extremes")
    assert app.query_params["panel"] == "Extremes"
    again = opened(**app.query_params)
    assert again.session_state[PANEL_TAB] == "Extremes"
    assert again.query_params == app.query_params
    at_panel(app, PANELS[0])
    assert "panel" not in app.query_params


@pytest.mark.parametrize("panel", ["nothing", "<b>x</b>", ""])
def test_a_panel_that_is_none_opens_the_first(panel: str) -> None:
    app = opened(**QUICK, panel=panel)
    assert app.session_state[PANEL_TAB] == PANELS[0]
    assert app.query_params == QUICK


def test_bundled_data_and_a_link_of_every_setting_open() -> None:
    link = {"source": "bundled", "problem": "mixture-converged", "n": "100", "panel": "Extremes"}
    app = opened(**link)
    assert app.query_params == link
    full = {
        "source": "toy",
        "problem": "mixtures",
        "k": "sqrt",
        "split": "0.5",
        "bandwidth": "auto",
        "lam": "1.0",
    }
    assert opened(**QUICK, **full).query_params == QUICK
