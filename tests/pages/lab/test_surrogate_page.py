"""The section "Data like yours" by Streamlit's test driver: an upload from its fit to Explore,
warnings, refusals.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._lab import surrogate_paper
from pages._lab.surrogate import REFUSED, applied, ranked
from pages._lab.surrogate_form import as_k
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import ExploreSettings
from prviz.studies.surrogate import check
from prviz.studies.sweeps import COLUMNS
from prviz.studies.tasks import run_tasks
from tests.explore_app import about, healthy, payload, run_ended
from tests.file_builders import npy
from tests.lab_app import section
from tests.line import measure


def uploaded(real: np.ndarray, generated: np.ndarray) -> AppTest:
    app = section("Data like yours")
    app.segmented_control(key="stand-in.source").set_value("upload").run()
    for role, values in (("real", real), ("generated", generated)):
        app.file_uploader(key=f"upload-{role}").upload(f"{role}-secret.npy", npy(values)).run()
    return until(app, lambda: "Variance kept" in words(app))


def until(app: AppTest, reached) -> AppTest:
    """Ask again, as the browser does while something is at work."""
    for _ in range(600):
        healthy(app)
        if reached():
            return app
        run_ended(0.2)
        measure(app)
        app.run()
    raise AssertionError("it never came")


def words(app: AppTest) -> str:
    said = [*app.markdown, *app.caption, *app.warning, *app.success, *app.info, *app.error]
    return "\n".join(each.value for each in said).replace("\\", "")


def captions(app: AppTest) -> str:
    """Titles of the figures."""
    drawn = [each.proto.bytes for each in app.get("bidi_component") if each.proto.bytes]
    return "\n".join(pane["title"] for each in drawn for pane in json.loads(each).get("panes", ()))


def clouds(seed: int, n: int = 80) -> np.ndarray:
    """Two clouds far apart, which no single Gaussian looks like."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 8.0 * (np.arange(n) % 2)[:, None]


def test_an_upload_from_its_fit_to_explore() -> None:
    app = uploaded(clouds(0), clouds(1))
    until(app, lambda: "the best fit of 6" in captions(app))
    assert "The surrogate looks like your data" in words(app)
    assert "**2 and 2**" in words(app)  # a mixture, as the data are: no Gaussian has this shape
    assert app.subheader[0].value != REFUSED
    app.segmented_control(key="stand-in.fit").set_value("gaussian").run()
    until(app, lambda: "Done: " in words(app))
    assert app.subheader[0].value == REFUSED
    assert "stand-in.apply" not in {each.key for each in app.button}
    assert "The surrogate is poor" in app.warning[0].value
    app.segmented_control(key="stand-in.fit").set_value("best").run()
    until(app, lambda: "Done: " in words(app))
    assert "so far" not in app.subheader[0].value
    table = app.dataframe[0].value
    assert list(table["iou"]) == sorted(table["iou"], reverse=True)
    np.testing.assert_allclose(table["iou"] + table["excess"] + table["deficit"], np.ones(16))
    assert (table["low"] <= table["high"]).all()
    best = table["setting"][0]
    app.button(key="stand-in.apply").click().run()
    healthy(app)
    assert app.title[0].value == "Explore"
    assert "80 real and 80 generated" in about(app)
    shown = payload(app)
    assert len(shown["curves"]) == 1
    values = {slider["id"]: slider["value"] for slider in shown["controls"]}
    split = f"split {values['split']:g}%" if values["split"] else "no split"
    assert (app.session_state["triage.methods"], app.session_state["triage.split"]) == (
        [next(name for name, each in ESTIMATORS.items() if best.startswith(f"{each.title},"))],
        values["split"] / 100 if values["split"] else None,
    )
    assert f"k = {'√n' if values['k'] == 'sqrt' else values['k']}, {split}" in best
    assert best.startswith(shown["curves"][0]["name"])
    assert "secret" not in json.dumps(dict(app.query_params))


def test_few_samples_for_their_dimension_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_REFITS", 9)  # the page says the same of fewer draws
    rng = np.random.default_rng(2)
    app = uploaded(rng.normal(size=(12, 30)), rng.normal(size=(14, 30)))
    assert app.slider(key="stand-in.d").max == 11  # 12 samples vary in 11 directions
    assert "12 samples are few for d = 11: a covariance has 66 numbers" in words(app)
    app.multiselect(key="stand-in.ks").set_value(["√n", "11"]).run()
    assert "k" in app.error[0].value
    app.multiselect(key="stand-in.ks").set_value(["√n", "-2"]).run()
    assert "a whole number from 1, or √n, is needed" in words(app)
    assert "Done: " not in words(app)


def test_a_k_is_a_number_or_the_root() -> None:
    assert [as_k(text) for text in ("√n", "sqrt", " 7", "0", "-1", "2.5", "٣", "")] == [
        "sqrt",
        "sqrt",
        7,
        *[None] * 5,
    ]


def test_the_paper_s_figures_come_from_its_three_scenarios() -> None:
    tasks = surrogate_paper.tasks((2,), 60)
    first = [task for task in tasks if task.problem.parameters["scenario"] == "common"]
    rest = [task for task in tasks if task.problem.parameters["scenario"] != "common"]
    assert (len(first), len(rest)) == (2, 2 * 2 * 11)
    rows = surrogate_paper.with_scenario(
        run_tasks([*first, *rest[:4]], COLUMNS, executor=ThreadPoolExecutor(1))
    )
    assert set(rows["scenario"]) == set(surrogate_paper.FIGURES)
    knn = rows[(rows["method"] == "knn") & (rows["scenario"] == "pair") & (rows["k"] == "sqrt")]
    line = surrogate_paper.lines(knn, "d", "iou")[1]
    assert (line.split, line.xs, line.means) == (
        0.5,
        [2.0],
        [knn[knn["split"] == 0.5]["iou"].item()],
    )
    said = surrogate_paper.says(rows)
    best = rows[rows["scenario"] == "common"]["iou"].max()
    assert said[2].startswith("**Figure 10**: at d = 2")
    assert f"IoU {best:.2f}" in said[2]
    assert f"0.9 at d = 2 (here {line.means[0]:.2f})" in said[3]
    assert surrogate_paper.tasks()[0].n is None  # as many as the digits
    found = ranked(rows[rows["scenario"] == "common"])
    settings = applied(found[0], ExploreSettings(k=9, bandwidth=2.0))
    assert (settings.methods, settings.k, settings.split) == (
        (found[0].method,),
        found[0].k,
        found[0].split,
    )
    assert settings.bandwidth is None
