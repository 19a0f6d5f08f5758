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
from tests.explore_app import healthy, move, opened, vertices

QUICK = {"n": "100", "p.d": "2"}


def test_nothing_is_made_before_it_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[dict[str, object]] = []
    monkeypatch.setattr(
        "pages._explore.takeaway.pr_svg", lambda *given, **more: drawn.append(more) or ""
    )
    app = opened(**QUICK)
    assert not app.get("download_button")
    assert not app.code
    assert not drawn
    app.session_state["export"] = True
    app.run()
    healthy(app)
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
    app.session_state["export-python"] = True
    app.run()
    healthy(app)
    settings, _ = ExploreSettings.from_query(dict(app.query_params))
    assert app.code[0].value.rstrip().endswith(python_snippet(settings).rstrip()[-200:])


def test_the_figure_has_what_stands_beside_the_curves_on_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "pages._explore.takeaway.pr_svg", lambda *given, **more: drawn.append(more) or ""
    )
    # leaves nothing out
    monkeypatch.setattr(bounds, "bound", lambda problem: PRCurve.from_error_rates([], []))
    app = opened(**QUICK, methods="knn,ipr", folded="ipr", show="limits,bound")
    app.session_state["export"] = True
    app.run()
    healthy(app)
    assert [(sorted(each["limits"]), each["bound"]) for each in drawn] == [(["knn"], None)] * 2


def test_a_pdf_holds_what_is_on_screen_or_the_page_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: dict[str, dict[str, Any]] = {}

    def note(curves: Any, width: str, **beside: Any) -> bytes:
        made[width] = {"curves": list(curves), **beside}
        return b""

    monkeypatch.setattr(paper, "pdf", note)
    monkeypatch.setattr(
        "streamlit.download_button",
        lambda label, make, *_, **__: label.startswith("PDF") and make(),
    )
    app = opened(**QUICK, methods="knn,ipr", folded="ipr", show="limits", repeats="2")
    app.session_state["export"] = True
    app.run()
    healthy(app)
    assert list(made) == list(paper.WIDTHS)
    for beside in made.values():
        assert beside["curves"] == list(beside["limits"]) == list(beside["bands"]) == ["knn"]
    monkeypatch.setattr(paper, "is_installed", lambda: False)
    app.run()
    healthy(app)
    said = [caption.value for caption in app.caption if "PDF" in caption.value]
    assert said == ["No PDF: it needs Matplotlib, which is not installed: pip install matplotlib."]


def test_the_exported_page_warns_as_explore_does(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    monkeypatch.setattr(
        "streamlit.download_button",
        lambda label, make, *_, **__: label == "HTML" and pages.append(make()),
    )
    app = opened(**(QUICK | {"problem": "dirac"}))
    app.session_state["export"] = True
    app.run()
    healthy(app)
    assert "<b>Warning</b>: " in pages[-1]


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
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c d"])
    asked = frame.assign(umap_x=10 * rng.normal(size=120))
    if files == "one":
        tables = {"real": asked[:60], "generated": frame[60:]}
    elif files == "both":
        tables = {"real": asked[:60], "generated": asked[60:]}
    else:
        tables = {"real": asked.assign(is_generated=[0, 1] * 60)}
    app = opened(n="100", methods="knn")
    app.segmented_control(key="source").set_value("upload").run()
    for role, table in tables.items():
        text = table.to_csv(index=False)
        (tmp_path / f"{role}.csv").write_text(text)
        app.file_uploader(key=f"upload-{role}").upload(f"{role}.csv", text.encode()).run()
        for button in [each for each in app.button if each.label == answer]:
            button.click().run()
    healthy(app)
    app.session_state["export"] = app.session_state["export-python"] = True
    app.run()
    healthy(app)
    code = app.code[0].value
    monkeypatch.chdir(tmp_path)
    result: dict[str, Any] = {}
    exec(compile(code, "code", "exec"), result)
    pair = result["draw"](0)
    assert pair.d == (3 if answer == OUT else 4)
    assert np.allclose(vertices(app)["knn"], result["curves"]["knn"].vertices, atol=1e-9)


@pytest.mark.exhaustive
def test_no_file_holds_a_family_that_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, str] = {}
    monkeypatch.setattr(
        "streamlit.download_button",
        lambda label, make, *_, **__: made.update({label: make()}),
        raising=True,
    )
    app = opened(**QUICK, hidden="ipr,coverage")
    app.session_state["export"] = True
    app.run()
    healthy(app)
    for label in ("Table as CSV", "Curves as CSV"):
        assert {line.split(",")[0].strip('"') for line in made[label].splitlines()[1:]} == {
            "knn",
            "kde",
            "truth",
        }
    assert sorted(json.loads(made["Everything as JSON"])["methods"]) == ["kde", "knn"]
    assert re.findall('<tr><th scope="row">([^<]*)', made["HTML"]) == ["truth", "kNN", "KDE"]


def test_the_link_is_the_address_bar_and_restores_the_screen() -> None:
    app = opened(**QUICK)
    assert app.query_params == QUICK
    move(app, k=7)
    assert app.query_params == QUICK | {"k": "7"}
    assert vertices(opened(**app.query_params)) == vertices(app)


def test_the_open_panel_is_in_the_link_unless_it_opens_by_itself() -> None:
    app = opened(**QUICK)
    app.session_state[PANEL_TAB] = "Extremes"
    app.run()
    healthy(app)
    assert app.query_params["panel"] == "Extremes"
    again = opened(**app.query_params)
    assert again.session_state[PANEL_TAB] == "Extremes"
    assert again.query_params == app.query_params
    app.session_state[PANEL_TAB] = PANELS[0]
    app.run()
    assert "panel" not in app.query_params


@pytest.mark.parametrize("panel", ["nothing", "<b>x</b>", ""])
def test_a_panel_that_is_none_opens_the_first(panel: str) -> None:
    app = opened(**QUICK, panel=panel)
    assert app.session_state[PANEL_TAB] == PANELS[0]
    assert app.query_params == QUICK


def test_bundled_data_and_a_link_of_every_setting_open() -> None:
    app = opened(source="bundled", problem="mixture-converged", n="100", panel="Extremes")
    assert app.query_params == {
        "source": "bundled",
        "problem": "mixture-converged",
        "n": "100",
        "panel": "Extremes",
    }
    full = {
        "source": "toy",
        "problem": "mixtures",
        "k": "sqrt",
        "split": "0.5",
        "bandwidth": "auto",
        "lam": "1.0",
    }
    assert opened(**QUICK, **full).query_params == QUICK
