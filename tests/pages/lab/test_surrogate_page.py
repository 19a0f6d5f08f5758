"""The section "Data like yours" by Streamlit's test driver: an upload from its fit to Explore,
warnings, refusals.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._lab import surrogate_fits, surrogate_paper
from pages._lab.surrogate import REFUSED, applied, ranked, refusal
from pages._lab.surrogate_form import FIRST_D, FIRST_PAIR, as_k
from prviz.estimators import ESTIMATORS
from prviz.readers.bundled import bundled_pair
from prviz.reports.settings import ExploreSettings
from prviz.studies.surrogate import Prediction
from prviz.studies.surrogate.predictive import WIDEST
from prviz.studies.surrogate.surrogate import SurrogateSources, surrogate_of
from prviz.studies.sweeps import COLUMNS
from prviz.studies.tasks import run_tasks
from tests.benchmarks.surrogate_laws import laws
from tests.explore_app import (
    about,
    choose,
    healthy,
    payload,
    press,
    run_ended,
    said,
    sliders,
    upload,
)
from tests.lab_app import section
from tests.line import measure


def uploaded(real: np.ndarray, generated: np.ndarray) -> AppTest:
    app = choose(section("Data like yours"), "stand-in.source", "upload")
    for role, values in (("real", real), ("generated", generated)):
        upload(app, role, f"{role}-secret.npy", values)
    return until(app, lambda: "Variance kept" in said(app))


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


def shifted(seed: int, shift: float = 0.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(200, 2)) + shift


def test_an_upload_from_its_surrogate_to_explore() -> None:
    app = uploaded(shifted(0), shifted(1, 0.7))
    until(app, lambda: "Done: " in said(app))
    assert surrogate_fits.GOOD in said(app)
    assert app.subheader[0].value != REFUSED
    assert "so far" not in app.subheader[0].value
    table = next(each.value for each in app.dataframe if "iou" in each.value)
    assert list(table["iou"]) == sorted(table["iou"], reverse=True)
    np.testing.assert_allclose(table["iou"] + table["excess"] + table["deficit"], np.ones(16))
    assert (table["low"] <= table["high"]).all()
    best = table["setting"][0]
    choose(app, "stand-in.ks", ["√n", "200"])
    assert "200" in app.error[0].value
    choose(app, "stand-in.ks", ["√n", "5"])
    until(app, lambda: "Done: " in said(app))
    press(app, "stand-in.apply")
    assert app.title[0].value == "Explore"
    assert "200 real and 200 generated" in about(app)
    shown = payload(app)
    assert len(shown["curves"]) == 1
    values = sliders(app)
    split = f"split {values['split']:g}%" if values["split"] else "no split"
    assert (app.session_state["triage.methods"], app.session_state["triage.split"]) == (
        [next(name for name, each in ESTIMATORS.items() if best.startswith(f"{each.title},"))],
        values["split"] / 100 if values["split"] else None,
    )
    assert f"k = {'√n' if values['k'] == 'sqrt' else values['k']}, {split}" in best
    assert best.startswith(shown["curves"][0]["name"])
    assert "secret" not in json.dumps(dict(app.query_params))


def test_a_surrogate_that_predicts_other_areas_is_refused() -> None:
    pair = laws()["bent Gaussians, d = 8"].draw(1_000, 1)
    found = uploaded(*(each.values for each in pair))
    assert found.subheader[0].value == REFUSED
    assert "stand-in.apply" not in {each.key for each in found.button}
    assert "Done: " not in said(found)
    assert "its classifier misses what tells the sets apart" in said(found)


@pytest.mark.thorough
def test_the_page_opens_on_a_pair_that_a_surrogate_predicts() -> None:
    sources = SurrogateSources(bundled_pair(FIRST_PAIR))
    prediction = surrogate_of(sources, FIRST_D).prediction
    assert prediction is not None
    assert prediction.passes


def test_a_refusal_says_what_is_missed() -> None:
    good = Prediction((), np.zeros(0), np.zeros(0), np.zeros(0), 0.02, 0.9, 1.2, passes=False)
    assert "misses what tells the sets apart" in refusal(good)
    assert "tells samples apart that these settings do not" in refusal(good._replace(sharpness=0.8))
    assert refusal(good._replace(inside=0.25)).startswith("25 % of the settings measure an area")


def test_a_sharpness_at_an_end_of_the_range_is_said() -> None:
    texts = [surrogate_fits.sharpness_text(value) for value in (WIDEST, 1.04, 1 / WIDEST)]
    assert texts == ["1.25 or more", "1.04", "0.8 or less"]


def test_few_samples_are_refused() -> None:
    rng = np.random.default_rng(2)
    app = uploaded(rng.normal(size=(12, 30)), rng.normal(size=(14, 30)))
    assert app.slider(key="stand-in.d").max == 11  # 12 samples vary in 11 directions
    assert app.subheader[0].value == REFUSED
    choose(app, "stand-in.ks", ["√n", "-2"])
    assert "a whole number from 1, or √n, is needed" in said(app)
    assert "Done: " not in said(app)


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
    overlap = knn[knn["split"] == 0.5]["iou"].item()
    assert (line.split, line.xs, line.means) == (0.5, [2.0], [overlap])
    told = surrogate_paper.says(rows)
    best = rows[rows["scenario"] == "common"]["iou"].max()
    assert told[2].startswith("**Figure 10**: at d = 2")
    assert f"IoU {best:.2f}" in told[2]
    assert f"0.9 at d = 2 (here {line.means[0]:.2f})" in told[3]
    assert surrogate_paper.tasks()[0].n is None  # as many as the digits
    found = ranked(rows[rows["scenario"] == "common"])
    settings = applied(found[0], ExploreSettings(k=9, bandwidth=2.0))
    assert (settings.methods, settings.k, settings.split) == (
        (found[0].method,),
        found[0].k,
        found[0].split,
    )
    assert settings.bandwidth is None
