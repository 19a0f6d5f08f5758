"""Explore's script by Streamlit's own test driver: every source, every toy, bounded memory,
separate sessions.
"""

from __future__ import annotations

import gc
import json
import math
import re
import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._explore import far_off
from pages._explore.session import PANEL_TAB
from pages._shared import best_setting, cache
from pages._shared.widgets import plain
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, VERDICT_METHODS
from prviz.live import problems, results, store
from prviz.live.problems import problem_of
from prviz.measure import workload
from prviz.measure.risk import lowest_risk
from prviz.readers.bundled import BUNDLED
from prviz.reports.export import from_json, to_json
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair
from prviz.studies.surrogate import fit_pair
from prviz.toys import toy
from tests import file_zoo
from tests.explore_app import (
    about,
    ask,
    figures,
    healthy,
    last_word,
    move,
    opened,
    payload,
    run_ended,
    sliders,
    vertices,
)
from tests.file_builders import npy
from tests.waiting import until


def test_first_view_is_bounded_modes_with_four_curves_and_the_truth() -> None:
    app = opened()
    assert list(vertices(app)) == ["truth", *DEFAULT_METHODS]
    assert [pane["id"] for pane in payload(app)["panes"]] == ["pr"]
    table = payload(app)["table"]
    columns = [column["key"] for column in table["columns"]]
    rows = {name: dict(zip(columns, row, strict=True)) for name, row in table["rows"].items()}
    assert list(rows) == ["truth", *DEFAULT_METHODS]
    assert rows["truth"]["iou"] == 1
    assert [row["iou"] + row["excess"] + row["deficit"] for row in rows.values()] == pytest.approx(
        [1] * 5
    )
    assert rows["truth"]["auc"] == pytest.approx(toy("modes").truth().auc)


def test_a_press_swaps_the_roles_and_mirrors_what_is_drawn() -> None:
    app = opened(n="100", k="5", lam="4.0", **{"p.d": "2"})
    before = vertices(app)
    angle = sliders(app)["angle"]
    app.button(key="swap").click().run()
    healthy(app)
    after = vertices(app)
    assert list(after) == list(before)
    for name, curve in before.items():
        np.testing.assert_allclose(np.array(after[name])[::-1, ::-1], curve, atol=1e-9)
    assert sliders(app)["angle"] == 90 - angle
    assert "Real and generated are swapped here." in about(app)
    assert app.query_params["swapped"] == "yes"
    assert app.query_params["lam"] == "0.25"
    app.button(key="swap").click().run()
    assert vertices(app) == before
    assert "swapped" not in app.query_params


@pytest.mark.one_in(3)
@pytest.mark.parametrize("family", BUNDLED)
def test_every_bundled_family_opens(family: str) -> None:
    app = opened(source="bundled", problem=BUNDLED[family].checkpoints[-1].name, n="200")
    assert set(vertices(app)) == set(DEFAULT_METHODS)
    assert "no truth is known" in about(app)
    (popover,) = [
        each for each in app.sidebar if each.type == "popover" and " · " in each.proto.popover.label
    ]
    assert re.fullmatch(
        r"200 \+ 200 × 64 · (all clear|\d things? to know)", popover.proto.popover.label
    )
    assert not [each.value for each in (*app.main.markdown, *app.main.caption) if "×" in each.value]


def test_k_bandwidth_and_lam_change_what_they_should() -> None:
    app = opened(n="300")
    first = vertices(app)
    with_k = vertices(move(app, k=2))
    assert with_k["truth"] == first["truth"]
    assert all(with_k[name] != first[name] for name in DEFAULT_METHODS)
    wide = vertices(move(app, k="sqrt", bandwidth=1.6))
    assert wide["kde"] != first["kde"]
    assert wide["knn"] == first["knn"]
    assert vertices(move(app, bandwidth=None, angle=60.0)) == first
    assert app.query_params["lam"] == "1.73205"


def test_settings_survive_a_change_of_source() -> None:
    app = opened(n="200", split="0.3", seed="7", repeats="2")
    app.segmented_control(key="source").set_value("bundled").run()
    healthy(app)
    app.segmented_control(key="source").set_value("toy").run()
    healthy(app)
    assert app.query_params["seed"] == "7"
    assert (sliders(app)["split"], sliders(app)["repeats"]) == (30, 2)
    assert app.radio(key="problem").value == "mixtures"


def test_repeats_give_a_band_and_the_mean_curve() -> None:
    app = opened(n="100", repeats="3")
    traces = payload(app)["panes"][0]["figure"]["data"]
    assert sum("±" in trace["name"] for trace in traces) == len(DEFAULT_METHODS)


@pytest.mark.parametrize("split", ["none", "0.1", "0.9"])
def test_any_split_with_very_few_samples_keeps_k_legal(split: str) -> None:
    app = opened(problem="identical", n="20", split=split, k="500")
    slider = payload(app)["controls"][0]
    assert slider["number"][1] >= 1
    assert 1 <= slider["resolved"] <= slider["number"][1]


PANES: dict[str, set[str]] = {
    "Space": {"samples-role"},
    "Extremes": {"tail-precision", "tail-recall"},
    "Numbers": set(),
}


@pytest.mark.parametrize("source", ["toy", pytest.param("bundled", marks=pytest.mark.exhaustive)])
def test_every_panel_draws_what_it_is_about(source: str) -> None:
    app = opened(source=source, problem="mixtures" if source == "toy" else "rbm-epoch-30", n="100")
    for tab, panes in PANES.items():
        app.session_state[PANEL_TAB] = tab
        app.run()
        healthy(app)
        last_word(app)
        drawn = [json.loads(each.proto.bytes) for each in figures(app)[1:]]
        assert panes == {pane["id"] for each in drawn for pane in each["panes"]}, tab


@pytest.mark.one_in(2)
@pytest.mark.parametrize("panel", ["Extremes", "Numbers"])
def test_a_hidden_family_is_hidden_in_every_panel(panel: str) -> None:
    app = opened(n="100", panel=panel, methods="knn,kde,ipr", hidden="ipr")
    last_word(app)
    assert "ipr" in vertices(app)  # its row stays, to be shown again
    drawn = [json.loads(each.proto.bytes) for each in figures(app)[1:]]
    assert len(drawn) == 1
    for each in drawn:
        assert {curve["id"] for curve in each["curves"]} == {"truth", "knn", "kde"}
        assert not [
            trace
            for pane in each["panes"]
            for trace in pane["figure"]["data"]
            if "iPR" in str(trace["name"])
        ]
        assert "ipr" not in (each["table"] or {}).get("rows", {})


def test_a_family_that_is_too_many_to_be_drawn_is_in_every_panel() -> None:
    app = opened(n="100", panel="Numbers", methods="knn,kde,ipr", folded="ipr")
    last_word(app)
    for each in (json.loads(found.proto.bytes) for found in figures(app)[1:]):
        assert {curve["id"] for curve in each["curves"]} == {"truth", "knn", "kde", "ipr"}


def test_errors_of_a_poor_surrogate_are_unknown() -> None:
    assert far_off.SurrogateErrors({"knn": 0.48}, poor=True).known is None
    assert far_off.SurrogateErrors({"knn": 0.02}, poor=False).known == {"knn": 0.02}
    assert "unknown" in far_off.UNKNOWN


@pytest.mark.parametrize(("error", "poor"), [(0.6, False), (0.1, True)])
def test_errors_that_lift_the_truth_above_its_bound_say_nothing(
    monkeypatch: pytest.MonkeyPatch, error: float, poor: bool
) -> None:
    chance = prviz.PRCurve.from_error_rates([0.0, 1.0], [1.0, 0.0])
    problem = problems.problem_of(ExploreSettings(source="bundled", problem="rbm-epoch-30"))
    bound = prviz.PRCurve.from_error_rates([0.0, 0.2, 1.0], [1.0, 0.2, 0.0])
    assert chance.auc - 0.6 < bound.auc < chance.auc - 0.1
    monkeypatch.setattr(far_off.bounds, "bound", lambda _: bound)
    monkeypatch.setattr(far_off.results, "known_curves", lambda _: {"knn": chance})
    errors = far_off.SurrogateErrors({"knn": error}, poor=False)
    assert far_off.against_bound(problem, errors).poor is poor


@pytest.mark.exhaustive
def test_an_enlarged_panel_shows_all_that_it_has_and_goes_back() -> None:
    app = opened(n="100", panel="Ends")  # a link with the panel's former name
    last_word(app)

    def panes() -> set[str]:
        drawn = [json.loads(each.proto.bytes) for each in figures(app)[1:]]
        return {pane["id"] for each in drawn for pane in each["panes"]}

    beside = panes()
    app.button(key="enlarge").click().run()
    last_word(app)
    app.run()
    healthy(app)
    assert {"tail-precision-large", "bias-curve", "extremes"} <= panes()
    assert "first differs from the truth" in " ".join(each.value for each in app.markdown)
    app.button(key="enlarge").click().run()
    assert panes() == beside == {"tail-precision", "tail-recall"}


def test_error_space_takes_the_place_of_the_main_figure() -> None:
    app = opened(n="100")
    before = vertices(app)
    app.segmented_control(key="main-view").set_value("Error space").run()
    healthy(app)
    assert [pane["id"] for pane in payload(app)["panes"]] == ["error"]
    assert vertices(app) == before


def plain_npy(seed: int) -> bytes:
    return npy(np.random.default_rng(seed).normal(size=(60, 5)))


def upload(app: AppTest, role: str, name: str, content: bytes) -> None:
    app.file_uploader(key=f"upload-{role}").upload(name, content).run()
    healthy(app)


def one_of_each(files: Sequence[tuple]) -> list[tuple]:
    """One file of every extension."""
    return list({name.rpartition(".")[2]: (name, *rest) for name, *rest in files}.values())


@pytest.fixture(scope="module")
def uploads() -> AppTest:
    app = opened(n="100", methods="knn")
    return app.segmented_control(key="source").set_value("upload").run()


@pytest.mark.exhaustive
def test_every_accepted_format_is_measured(uploads: AppTest) -> None:
    files = one_of_each(file_zoo.accepted())
    names = {"generated": files[-1][0]}
    upload(uploads, "generated", *files[-1])
    for place, (name, content) in enumerate(files):  # in turn in each role, against the one before
        role = ("real", "generated")[place % 2]
        upload(uploads, role, name, content)
        names[role] = name
        assert not uploads.error
        assert about(uploads).startswith(f"{names['real']} against {names['generated']}: ")
        assert list(vertices(uploads)) == ["knn"]


def test_every_refusal_is_readable_and_loses_nothing(uploads: AppTest) -> None:
    for role in ("real", "generated"):
        upload(uploads, role, f"{role}.npy", plain_npy(len(role)))
    before = vertices(uploads)
    for name, content, fragment in one_of_each(file_zoo.refused()):
        upload(uploads, "real", name, content)
        said = "".join(each.value for each in (*uploads.error, *uploads.code)).replace("\\", "")
        assert name in said
        assert fragment in said
        assert "60 real and 60 generated samples in 5 dimensions" in about(uploads)
        assert vertices(uploads) == before


def test_one_table_gives_both_sides() -> None:
    uploads = opened(n="100", methods="knn")
    uploads.segmented_control(key="source").set_value("upload").run()
    values = np.random.default_rng(0).normal(size=(80, 2))
    frame = pd.DataFrame(values, columns=["a", "b"]).assign(split=["train", "gan"] * 40)
    upload(uploads, "generated", "asked.csv", frame.to_csv(index=False).encode())
    for role, value in (("Real rows", "split=train"), ("Generated rows", "split=gan")):
        next(box for box in uploads.selectbox if box.label == role).set_value(value).run()
    assert "40 real and 40 generated samples in 2 dimensions" in about(uploads)
    uploads.file_uploader(key="upload-generated").set_value(None)
    named = frame.drop(columns="split").assign(is_generated=[0, 0, 0, 1] * 20)
    upload(uploads, "real", "named.csv", named.to_csv(index=False).encode())
    assert not uploads.error
    assert "60 real and 20 generated samples in 2 dimensions" in about(uploads)
    healthy(uploads)


def test_a_column_of_texts_may_tell_both_sets_apart() -> None:
    uploads = opened(n="100", methods="knn")
    uploads.segmented_control(key="source").set_value("upload").run()
    values = np.random.default_rng(0).normal(size=(80, 2))
    frame = pd.DataFrame(values, columns=["a", "b"]).assign(method=["original", "CTGAN"] * 40)
    upload(uploads, "real", "asked.csv", frame.to_csv(index=False).encode())
    for role, value in (("Real rows", "method=original"), ("Generated rows", "method=CTGAN")):
        next(box for box in uploads.selectbox if box.label == role).set_value(value).run()
    assert "40 real and 40 generated samples in 2 dimensions" in about(uploads)
    assert not uploads.error


def test_features_in_another_order_are_said_on_the_page() -> None:
    app = opened(n="100", methods="knn")
    app.segmented_control(key="source").set_value("upload").run()
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 3)), columns=["a", "b", "c"])
    upload(app, "real", "real.csv", frame.to_csv(index=False).encode())
    upload(
        app, "generated", "made.csv", (frame[["c", "a", "b"]] + 0.5).to_csv(index=False).encode()
    )
    last_word(app)
    assert any("**Order of features**" in each.value for each in app.markdown)
    assert app.session_state["_Session"].uploaded.swapped().pair.reordered


@pytest.mark.parametrize(("answer", "d"), [("Leave them out", 2), ("Use them as features", 3)])
@pytest.mark.parametrize("together", [False, True])
def test_columns_that_look_like_no_features_are_asked_about_once(
    answer: str, d: int, *, together: bool
) -> None:
    app = opened(n="100", methods="knn")
    app.segmented_control(key="source").set_value("upload").run()
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"]).assign(
        umap_x=rng.normal(size=80)
    )
    if together:
        upload(
            app,
            "real",
            "t.csv",
            frame.assign(is_generated=[0, 1] * 40).to_csv(index=False).encode(),
        )
    else:
        upload(app, "real", "real.csv", frame[:40].to_csv(index=False).encode())
    asked = [each.value for each in app.info if "look like no features" in each.value]
    assert len(asked) == 1
    assert "**umap" in asked[0]
    assert not app.error
    next(each for each in app.button if each.label == answer).click().run()
    healthy(app)
    if not together:
        upload(app, "generated", "made.csv", frame[40:].to_csv(index=False).encode())
    assert not [each for each in app.info if "look like no features" in each.value]
    assert f"40 real and 40 generated samples in {d} dimensions" in about(app)


def words_of(app: AppTest) -> str:
    """All that the page says in messages, captions and Markdown."""
    return " ".join(each.value for each in (*app.error, *app.caption, *app.markdown))


@pytest.mark.parametrize(
    ("column", "button"),
    [
        (["ab"[place % 2] for place in range(80)], "Leave it out"),  # texts
        ([""] * 80, "Leave it out"),  # empty in every row
        ([math.sin(place) for place in range(80)], "Leave out"),  # a time, by its name
        ([1e4 * math.sin(place) for place in range(80)], "Leave out"),  # of far other units
    ],
)
def test_what_may_be_no_feature_is_left_out_by_a_button(column: list[Any], button: str) -> None:
    app = opened(n="100", methods="knn")
    app.segmented_control(key="source").set_value("upload").run()
    values = np.random.default_rng(0).normal(size=(80, 8))
    frame = pd.DataFrame(values, columns=list("abcdefgh")).assign(time=column)
    upload(app, "real", "real.csv", frame[:40].to_csv(index=False).encode())
    upload(app, "generated", "made.csv", frame[40:].to_csv(index=False).encode())
    last_word(app)
    assert "--" not in words_of(app).replace("\\", "")
    next(each for each in app.button if each.label == button).click().run()
    healthy(app)
    assert not app.error
    assert "40 real and 40 generated samples in 8 dimensions" in about(app)
    assert button not in [each.label for each in app.button]


def test_uploads_stay_in_their_session() -> None:
    one = opened(n="100")
    two = opened(n="100")
    for app in (one, two):
        app.segmented_control(key="source").set_value("upload").run()
    upload(one, "real", "secret.npy", plain_npy(0))
    upload(one, "generated", "hidden.npy", plain_npy(1))
    assert "secret" in about(one)
    two.run()
    everything = str(two.main) + str(two.sidebar)
    assert "secret" not in everything
    assert "hidden" not in everything


@pytest.mark.exhaustive
def test_forgotten_uploads_are_gone() -> None:
    app = opened(n="100")
    app.segmented_control(key="source").set_value("upload").run()
    for role in ("real", "generated"):
        upload(app, role, f"{role}.npy", plain_npy(len(role)))
    assert "60 real" in about(app)
    for role in ("real", "generated"):
        app.file_uploader(key=f"upload-{role}").set_value(None)
    app.run()
    assert "60 real" in about(app)
    names = {r"real\.npy · 60 × 5", r"generated\.npy · 60 × 5"}
    assert names <= {each.value for each in app.caption}
    assert app.button(key="forget").label == "Remove both"
    app.button(key="forget").click().run()
    healthy(app)
    assert "60 real" not in about(app)
    assert app.session_state["_Session"].uploaded is None


@pytest.mark.exhaustive
def test_many_changes_leave_memory_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "CAPACITY", 4)
    monkeypatch.setattr(store, "SAMPLES_CAPACITY", 2)
    small = store.Stores()
    monkeypatch.setattr(store, "PUBLIC", small)
    app = opened(problem="high-dimension", n="100", methods="knn", **{"p.d": "2048"})

    def change(seeds: range) -> int:
        for seed in seeds:
            move(app, seed=seed)
        return taken()

    def taken() -> int:
        run_ended(60)  # a thread that ends still holds what it had
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    # what is held, by NumPy too, and not what the allocator keeps of what was given back
    tracemalloc.start(1)
    try:
        before = change(range(5))  # the stores are full by then
        assert len(small.results) == store.CAPACITY
        # A pair has 3,276,800 bytes: keeping one of them would show.
        assert change(range(5, 11)) - before < 3_000_000
        assert len(small.results) == store.CAPACITY
    finally:
        tracemalloc.stop()


def test_the_store_of_samples_forgets_the_oldest_but_never_the_newest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store, "SAMPLES_BYTES", 3 * 8000)
    monkeypatch.setattr(cache.st, "session_state", {})
    made = []

    def pair(key: int, rows: int = 10) -> SamplePair:
        made.append(key)
        return SamplePair(np.zeros((rows, 50)), np.zeros((rows, 50)))

    for key in range(5):
        cache.held_samples(key, lambda key=key: pair(key))
    for key in (4, 3, 2, 1):
        cache.held_samples(key, lambda key=key: pair(key))
    assert made == [0, 1, 2, 3, 4, 1]
    cache.held_samples("huge", lambda: pair(9, rows=1000))
    cache.held_samples("huge", lambda: pytest.fail("it was there"))


def test_a_pair_larger_than_the_store_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "SAMPLES_BYTES", 1)
    measured = []
    measure = results.measure
    monkeypatch.setattr(results, "measure", lambda *given: measured.append(1) or measure(*given))
    app = opened(n="100")
    assert len(measured) == 1
    move(app, k=3)
    assert len(measured) == 2


def test_json_holds_what_is_drawn_also_with_repeats() -> None:
    settings = ExploreSettings(n=100, repeats=3)
    problem = problems.problem_of(settings)
    found = results.measure(problem)
    written = from_json(
        to_json(found.estimates, pair=problem.pair, settings=settings, curves=found.curves)
    )
    for name, curve in found.curves.items():
        assert np.array_equal(written.curves[name].vertices, curve.vertices)
        assert not np.array_equal(found.estimates[name].curve.vertices, curve.vertices)


@pytest.mark.exhaustive
def test_collapsed_sets_take_a_bandwidth_too() -> None:
    app = opened(n="100")
    app.segmented_control(key="source").set_value("upload").run()
    for role in ("real", "generated"):
        upload(app, role, f"{role}.npy", npy(np.zeros((30, 2))))
    move(app, bandwidth=1.5)
    last_word(app)
    assert "30 real" in about(app)
    # without a truth the curve to believe is beside them
    assert set(vertices(app)) == set(VERDICT_METHODS)
    assert [slider["id"] for slider in payload(app)["controls"]] == [
        *("k", "bandwidth", "seed", "split", "repeats", "angle")
    ]


def test_few_rows_for_an_explicit_k_are_refused_with_the_screen_left_alone() -> None:
    app = opened(n="100")
    app.segmented_control(key="source").set_value("upload").run()
    for role in ("real", "generated"):
        upload(app, role, f"{role}.npy", plain_npy(len(role)))
    before = vertices(move(app, k=5))
    for role in ("real", "generated"):
        upload(app, role, f"few-{role}.npy", npy(np.random.default_rng(1).normal(size=(6, 5))))
    assert "6 real rows; k = 5 needs at least 7" in app.error[0].value.replace("\\", "")
    assert "Shown: **real\\.npy against generated\\.npy**" in [each.value for each in app.markdown]
    assert vertices(app) == before
    app.button(key="keep-shown").click().run()
    healthy(app)
    assert not app.error
    assert vertices(app) == before


@pytest.mark.exhaustive
def test_an_example_is_read_from_two_files_and_stays_while_other_pages_and_sources_are_shown() -> (
    None
):
    app = opened(n="100", methods="knn")
    app.segmented_control(key="source").set_value("upload").run()
    assert [
        html.proto.body for html in app.get("html") if 'class="prviz-no-pair"' in html.proto.body
    ]
    next(each for each in app.button if each.label == "Try an example").click().run()
    healthy(app)
    last_word(app)
    assert about(app).startswith(
        "digits.npy against mixture.npy: 1,797 real and 1,797 generated samples in 64"
    )
    shown = vertices(app)
    for source in ("toy", "upload"):
        app.segmented_control(key="source").set_value(source).run()
    app.switch_page("pages/learn.py").run()
    app.switch_page("pages/explore.py").run()
    healthy(app)
    assert vertices(app) == shown
    assert r"digits\.npy · 1,797 × 64" in [each.value for each in app.caption]
    assert not [
        html.proto.body for html in app.get("html") if 'class="prviz-no-pair"' in html.proto.body
    ]


def test_swapping_exchanges_sets_names_and_code_and_keep_silences_the_offer() -> None:
    app = opened(n="100", methods="knn")
    app.segmented_control(key="source").set_value("upload").run()
    sets = {
        role: np.random.default_rng(len(role)).normal(size=(60, 5))
        for role in ("real", "generated")
    }
    for role, other in (("real", "generated"), ("generated", "real")):
        upload(app, role, f"{other}.npy", npy(sets[other]))
    assert about(app).startswith("generated.npy against real.npy")
    app.button(key="swap-roles").click().run()
    healthy(app)
    assert about(app).startswith("real.npy against generated.npy")
    held = app.session_state["_Session"].uploaded
    assert held.files == ("real.npy", "generated.npy")
    assert np.array_equal(held.pair.real.values, sets["real"])
    curve = prviz.pr_curve(
        *(sets[role].astype(held.pair.real.values.dtype) for role in sets), "knn", split=0.5
    )
    assert np.allclose(vertices(app)["knn"], curve.vertices, atol=1e-9)
    assert not [each for each in app.button if each.key == "swap-roles"]
    app.button(key="forget").click().run()
    for role, other in (("real", "generated"), ("generated", "real")):
        app.file_uploader(key=f"upload-{role}.2").upload(f"{other}.npy", npy(sets[other])).run()
    app.button(key="keep-roles").click().run()
    healthy(app)
    app.run()
    assert about(app).startswith("generated.npy against real.npy")
    assert not [each for each in app.button if each.key == "keep-roles"]


def warnings_of(app: AppTest) -> list[str]:
    """The warnings over the figure, those behind the button too."""
    return [
        each.value
        for each in app.main.markdown
        if each.value.startswith(":orange[:material/warning:]")
    ]


def more_of(app: AppTest) -> list[str]:
    """The labels of the buttons that hold further warnings."""
    labels = [each.proto.popover.label for each in app.main.get("popover")]
    return [label for label in labels if label.endswith(" more")]


def uploaded(
    app: AppTest, real: np.ndarray, generated: np.ndarray, names: Sequence[str] = ("a.npy", "b.npy")
) -> None:
    app.segmented_control(key="source").set_value("upload").run()
    for role, name, values in zip(("real", "generated"), names, (real, generated), strict=True):
        upload(app, role, name, npy(values))


@pytest.mark.exhaustive
def test_a_warning_on_the_samples_stands_over_the_figure_once_and_none_over_clean_ones() -> None:
    rng = np.random.default_rng(0)
    clean = rng.normal(size=(200, 5))
    row = np.repeat(rng.normal(size=(1, 5)), 200, axis=0)
    app = opened(n="100", methods="knn")
    assert not warnings_of(app)
    assert last_word(app)["above"] == ""
    uploaded(app, clean, rng.normal(size=(200, 5)))
    assert not warnings_of(app)
    assert last_word(app)["above"] == ""
    app = opened(n="100", methods="knn")
    uploaded(app, clean, row)
    # The preflight behind the sidebar's line has further findings that only follow from this one.
    effect = (
        "It has no spread and its k-NN radii are 0, so that no curve means anything: give different"
        " samples."
    )
    text = plain(f"the generated set is one row 200 times. {effect}")
    assert warnings_of(app) == [f":orange[:material/warning:] **One row repeated**: {text}"]
    assert not more_of(app)
    assert not [
        each for each in app.button if each.key in ("swap-roles", "keep-roles", "dismiss-shared")
    ]
    assert last_word(app)["above"].startswith("part-flags-")


def test_several_warnings_hide_none_of_one_another_and_are_dismissed_one_by_one() -> None:
    rng = np.random.default_rng(0)
    real, made = rng.normal(size=(2, 200, 6))
    real[:, 2] *= 1e4
    made[:, 2] *= 1e4
    made[:60] = real[:60]
    app = opened(n="100", methods="knn")
    uploaded(app, real, made, ("generated.npy", "real.npy"))
    titles = ["Rows in both sets", "Feature scales", "These look swapped"]

    def titles_of(app: AppTest) -> list[str]:
        return [re.findall(r"\*\*(.*?)\*\*", each)[0] for each in warnings_of(app)]

    assert titles_of(app) == titles
    assert more_of(app) == ["2 more"]
    app.button(key="dismiss-shared").click().run()
    assert titles_of(app) == titles[1:]
    assert more_of(app) == ["1 more"]
    app.button(key="swap-roles").click().run()
    healthy(app)
    assert about(app).startswith("real.npy against generated.npy")
    # Of the other pair of roles nothing has been dismissed.
    assert titles_of(app) == titles[:2]
    assert more_of(app) == ["1 more"]


@pytest.mark.exhaustive
def test_the_rows_mark_the_bound_of_a_truth_that_is_not_known() -> None:
    app = opened(source="bundled", problem="rbm-epoch-30", n="200")
    pair = problems.problem_of(
        ExploreSettings(source="bundled", problem="rbm-epoch-30", n=200)
    ).pair
    assert last_word(app)["bound"] == pytest.approx(prviz.upper_bound(*pair).auc)
    assert last_word(opened(n="100"))["bound"] is None


@pytest.mark.thorough
def test_a_button_measures_how_far_every_family_could_be_off() -> None:
    app = opened(source="bundled", problem="rbm-epoch-30", n="200", methods="knn,ipr")
    assert last_word(app)["errors"] is None
    app.button(key="far-off").click().run()
    for _ in range(3):
        last_word(app)
        app.run()
    errors = payload(app)["errors"]
    pair = problems.problem_of(
        ExploreSettings(source="bundled", problem="rbm-epoch-30", n=200)
    ).pair
    surrogate = fit_pair(*pair, d=32, fit="kernels")
    truth = surrogate.problem().truth()
    sample = surrogate.problem().sample(200, 1)
    expected = {
        name: prviz.pr_curve(*sample, name, split=0.5, seed=1).auc - truth.auc
        for name in ("knn", "ipr")
    }
    poor = not surrogate.prediction.passes
    assert errors is None if poor else errors == pytest.approx(expected)
    said = far_off.UNKNOWN if poor else far_off.SAID
    assert said in [each.value for each in app.caption]
    move(app, k=3)
    assert last_word(app)["errors"] is None
    assert not [each for each in opened(n="100").button if each.key == "far-off"]


@pytest.mark.exhaustive
def test_k_and_bandwidth_of_a_toy_stay_with_the_toy() -> None:
    app = opened(n="200")
    move(app, k=7, bandwidth=1.3)
    app.segmented_control(key="source").set_value("bundled").run()
    healthy(app)
    assert (sliders(app)["k"], sliders(app)["bandwidth"]) == ("sqrt", None)
    assert "bandwidth" not in app.query_params
    move(app, k=11)
    app.segmented_control(key="source").set_value("toy").run()
    assert (sliders(app)["k"], sliders(app)["bandwidth"]) == (7, 1.3)
    app.segmented_control(key="source").set_value("bundled").run()
    assert (sliders(app)["k"], sliders(app)["bandwidth"]) == (11, None)
    linked = opened(source="bundled", problem="rbm-epoch-30", n="100", k="9", bandwidth="1.2")
    assert (sliders(linked)["k"], sliders(linked)["bandwidth"]) == (9, 1.2)


def test_all_rows_of_a_large_pair_are_a_choice_that_outlives_a_visit_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workload, "FILE_SECONDS", 0.0)
    monkeypatch.setattr(workload, "FILE_ROWS", (20,))
    app = opened(n="100", methods="knn")
    app.segmented_control(key="source").set_value("upload").run()
    for role in ("real", "generated"):
        upload(app, role, f"{role}.npy", plain_npy(len(role)))
    (rows,) = [each for each in app.segmented_control if each.key.startswith("rows-")]
    assert "20 real and 20 generated" in about(app)
    rows.set_value(60).run()
    assert "60 real and 60 generated" in about(app)
    app.switch_page("pages/learn.py").run()
    app.switch_page("pages/explore.py").run()
    healthy(app)
    assert "60 real and 60 generated" in about(app)


@pytest.mark.exhaustive
def test_over_k_has_the_limits_of_the_families_that_have_one() -> None:
    app = opened(problem="shifted-gaussians", n="60", **{"p.d": "2", "p.mu": "1"})
    app.session_state[PANEL_TAB] = "Numbers"
    app.run()
    app.button(key="enlarge").click().run()
    for _ in range(3):
        last_word(app)
        app.run()
    drawn = [json.loads(each.proto.bytes) for each in figures(app)]
    (sweep,) = [each for each in drawn if [pane["id"] for pane in each["panes"]] == ["sweep"]]
    lines = {
        trace["name"]: trace
        for trace in sweep["panes"][0]["figure"]["data"]
        if "∞" in trace.get("name", "")
    }
    *named, entry = lines  # the last is the legend's
    assert [*named, entry] == ["kNN at n = ∞", "iPR at n = ∞", "Coverage at n = ∞", "at n = ∞"]
    problem = toy("shifted-gaussians", d=2, mu=1)
    for k, iou in list(zip(lines["kNN at n = ∞"]["x"], lines["kNN at n = ∞"]["y"], strict=True))[
        ::5
    ]:
        assert iou == pytest.approx(problem.limit("knn", int(k)).iou(problem.truth()), abs=0.002)


@pytest.mark.exhaustive
def test_one_click_takes_the_k_of_the_lowest_risk_until_the_user_moves_on() -> None:
    app = opened(source="bundled", problem="rbm-epoch-30", n="200", panel="Numbers")
    last_word(app)
    app.run()
    # beside the verdict there is no second advice
    assert not [each for each in app.button if each.label.startswith("Use k")]
    app.button(key="enlarge").click().run()
    problem = problems.problem_of(ExploreSettings(source="bundled", problem="rbm-epoch-30", n=200))
    profile = prviz.profile(*problem.pair, ks=problem.stops[0])
    curves = {
        (method, k): profile.curve(method, k) for method in DEFAULT_METHODS for k in profile.ks
    }
    best = lowest_risk(curves, 1.0, 100, 100)
    line = f"k = {best.k} of {ESTIMATORS[best.method].title} gives the lowest held-out risk"
    by_k = f"by k: **{ESTIMATORS[best.method].title}, k = {best.k}**"
    assert any(line in each.value or by_k in each.value for each in app.markdown)
    app.button(key="use-best-over-k").click().run()
    healthy(app)
    assert app.query_params["k"] == str(best.k)
    assert payload(app)["controls"][0]["value"] == best.k
    assert app.button(key="use-best-over-k").disabled
    move(app, k=best.k + 1)
    assert app.query_params["k"] == str(best.k + 1)


def test_a_family_that_k_does_not_move_may_have_the_lowest_risk() -> None:
    """Not one that the samples have chosen which judge it: its risk is too low."""
    low, lower, lowest = (
        prviz.PRCurve.from_error_rates([0.0, end], [end, 0.0]) for end in (0.2, 0.1, 0.0)
    )
    fixed = {"classifier-boosting": low, "tightest": lower, "eas": lowest}
    assert ESTIMATORS["eas"].chosen_by_evaluation
    assert best_setting.lower_risk(fixed, 1.0, 0.15) == ("tightest", pytest.approx(0.05))
    assert best_setting.lower_risk(fixed, 1.0, 0.05) is None
    assert best_setting.lower_risk({}, 1.0, 0.15) is None


@pytest.mark.exhaustive
def test_encoders_of_the_bundled_digits_are_one_click_away() -> None:
    app = opened(source="bundled", problem="mixture-em-1", n="200", panel="Numbers")
    assert [each.label for each in app.expander] == ["Encoders"]
    app.session_state["encoders"] = True

    def areas() -> list[dict]:
        ask(app)
        app.run()
        healthy(app)
        drawn = [
            each.proto
            for each in app.get("bidi_component")
            if each.proto.component_name == "prviz_live"
        ]
        panes = [pane for each in drawn for pane in json.loads(each.bytes)["panes"]]
        return [pane for pane in panes if pane["id"] == "encoders-areas"]

    until(areas, 60)
    (pane,) = areas()
    lines = {each["name"]: each for each in pane["figure"]["data"]}
    assert {"pixels", "random network"} <= set(lines)
    assert lines["random network"]["x"][-1] == 256
    assert lines["character recogniser"]["x"][-1] == 32
    digits = problem_of(ExploreSettings(source="bundled", problem="mixture-em-1", n=200)).pair
    assert lines["pixels"]["y"][-1] == pytest.approx(prviz.pr_curve(*digits).auc, abs=1e-4)
    assert "Encoders" not in [each.label for each in opened(panel="Numbers").expander]
