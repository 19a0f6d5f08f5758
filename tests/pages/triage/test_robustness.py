"""The part "How firm is it?" of the Triage page: measured to the end, and what it says is what the
rows say.
"""

from __future__ import annotations

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._triage import robustness, robustness_text as words
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.triage.memorisation import Excess, Memorisation
from prviz.triage.robustness import MapCell, WinnerMap
from tests.explore_app import button, choose, healthy, panes, press, put, run_ended, said
from tests.lab_app import until_done
from tests.line import measure
from tests.triage_found import bundled_found

KS = "firmness.ks.200.sqrt.0.5"
SHARES = "firmness.shares.200.200.sqrt.0.5"
METHODS = "firmness.methods.0.5.knn"


def script() -> None:
    from dataclasses import replace

    import streamlit as st

    from pages._triage import robustness
    from tests.triage_found import bundled_found, changed

    @st.cache_resource
    def found():
        return bundled_found(
            ("rbm-epoch-1", "rbm-epoch-30", "rbm-epoch-300"), n=200, failed=("rbm-epoch-3",)
        )

    shown = found()
    missing = st.session_state.get("missing", 0)
    if st.session_state.get("renamed"):
        shown = changed(shown, "renamed", lambda each: replace(each, name=f"new {each.name}"))
    if missing:
        shown = replace(
            shown, key=(missing, shown.key), outcomes=shown.outcomes[:-missing], total=4
        )
    robustness.draw(shown)


def opened(**state: object) -> AppTest:
    app = AppTest.from_function(script, default_timeout=60)
    return put(app, **state)


def small(app: AppTest) -> AppTest:
    """Two families, two k and one share of which two draws are made."""
    app.button_group(key=METHODS).set_value(["knn", "ipr"])
    app.text_input(key=KS).set_value("2, 14")
    app.button_group(key=SHARES).set_value([0.5])
    choose(app, "firmness.repeats", 2)
    return app


def signs(pane: dict) -> list[str]:
    return [
        text
        for each in pane["figure"]["data"]
        if each.get("mode") == "text"
        for text in each["text"]
    ]


@pytest.mark.exhaustive
def test_measured_to_the_end_the_words_say_what_the_rows_say() -> None:
    app = small(opened())
    assert "wins in the one cell that is measured" in said(app)  # nothing is measured twice
    assert "9 measurements" in said(app)
    until_done(press(app, "Start"))
    assert "Done: 9 of 9 measurements" in said(app)
    assert {"Rows as CSV", "Rows as Parquet"} <= {each.label for each in app.get("download_button")}
    drawn = panes(app)
    assert set(drawn) == {"winners", "draws", "fewer", "agreement"}
    assert len(signs(drawn["winners"])) == 4
    cells = app.dataframe[0].value
    settings = [[family, k] for family in ("kNN", "iPR") for k in (2, 14)]
    assert cells[["family", "k"]].to_numpy().tolist() == settings
    assert set(signs(drawn["winners"])) == {"ABC"[NAMES.index(name)] for name in cells["winner"]}
    assert app.dataframe[1].value["n"].tolist() == [100, 200]
    assert app.dataframe[1].value["draws"].tolist() == [2, 1]
    assert all(pane["caption"] for pane in drawn.values())
    at_half = cells["ahead by"].tolist()
    put(app, **{"triage-goal": 0.0})
    assert "Goal 0.00: precision first" in said(app)
    assert "Done: 9 of 9" in said(app)
    assert app.dataframe[0].value["ahead by"].tolist() != at_half
    _goes_on(app)


NAMES = ["rbm-epoch-1", "rbm-epoch-30", "rbm-epoch-300"]


def _goes_on(app: AppTest) -> None:
    """What was measured before the form or a name changed is not measured again."""
    put(app, renamed=True)
    assert "Done: 9 of 9" in said(app)
    assert app.dataframe[0].value["winner"].str.startswith("new rbm").all()
    choose(app, "firmness.repeats", 3)
    assert "9 of 12 measurements" in said(app)
    until_done(press(app, "Continue"))
    assert app.dataframe[1].value["draws"].tolist() == [3, 1]


def test_a_copy_of_the_reference_wins_no_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the verdict, which leaves it out."""
    none = Excess(0, 0.0, 0.0, -0.1, 0.0)
    copied = Memorisation(Excess(9, 0.1, 0.0, 0.05, 0.2), none, 0.5, (), "others")
    monkeypatch.setattr(robustness, "copies_of", lambda _: {NAMES[2]: copied})
    app = opened()
    assert "Left out, as copies of the reference: rbm-epoch-300." in said(app)
    assert app.dataframe[0].value["winner"].tolist() == [NAMES[1]]
    assert "6 measurements" in said(small(app))
    monkeypatch.setattr(robustness, "copies_of", lambda _: dict.fromkeys(NAMES, copied))
    assert "Left out" not in said(opened())


def test_while_checkpoints_are_to_come_it_waits_or_begins_with_those_there() -> None:
    app = opened(missing=2)
    assert "2 of 4 checkpoints are measured. This part begins when all are." in said(app)
    assert button(app, "Start") is None
    press(app, "Begin with these 2")
    assert button(app, "Start")
    assert "Of the 2 checkpoints that were measured when you took them" in said(app)
    assert button(opened(missing=3), "Begin with these 1") is None


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (KS, "2, x", "Neighbours k: '2, x' was given; whole numbers are needed"),
        (KS, "2, 100", "k = 100; an integer from 1 to 99"),
        (METHODS, [], "Families of classifiers: none is chosen"),
    ],
)
def test_what_can_not_be_measured_is_said(key: str, value: object, message: str) -> None:
    app = opened()
    choose(app, key, value)
    assert message in said(app)
    assert button(app, "Start") is None


def test_signs_go_on_after_z() -> None:
    assert [words.sign(place) for place in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        *("A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA")
    ]


def test_regions_are_said_from_the_largest_on() -> None:
    winners = ["aaa", "bba", "bba", "ccc", "ab"]
    cells = [
        MapCell(row, column, name, (0.1, 0.2, 0.3)[column], name != "a")
        for row, names in enumerate(winners)
        for column, name in enumerate(names)
    ]
    families = ("knn", "ipr", "kde", "hub", "coverage")
    found = WinnerMap(families, (1, 4, 9), tuple(cells), "a")
    signs = {"a": "A", "b": "B", "c": "C"}
    assert words.flips(found, signs) == [
        "**B: b** for k ≤ 4 with iPR and KDE, ahead by up to 0.200",
        "**C: c** at every k with Hub iPR, ahead by up to 0.300",
        "**B: b** for k = 4 with Coverage, ahead by 0.200",
    ]
    assert words.in_use(found, "ipr", [4], signs).startswith(
        "With the settings of this page (iPR, k = 4) **B: b** wins"
    )
    assert words.in_use(found, "knn", [4], signs) == words.in_use(found, "eas", [4], signs) == ""
    assert words.in_use(found, "hub", [], signs).startswith(
        "With the settings of this page (Hub iPR) **C: c** wins"
    )
    assert "from 2 to 4, so no one column" in words.in_use(found, "ipr", [2, 4], signs)
    flips_to = (
        "it flips to **B: b** for k ≤ 4 with iPR and KDE, ahead by up to 0.200, and to others in 2"
        " more regions."
    )
    assert words.verdict(found, signs) == f"**A: a** wins in **43 %** of the 14 cells; {flips_to}"


def test_firm_from_the_size_on_which_all_larger_ones_agree_too() -> None:
    def table(*same: float) -> pd.DataFrame:
        return pd.DataFrame(
            {"n": [10, 20, 40, 80], "same_winner": same, "tau": [0.5, float("nan"), 1.0, 1.0]}
        )

    assert words.firm_from(table(1, 0.8, 1, 1)) == 40
    assert words.firm_from(table(1, 1, 1, 1)) == 10
    assert words.firm_from(table(1, 1, 0.6, 1)) is None
    signs = {"x": "A"}
    assert "; from n = 40 on in all draws, at n = 20 in 80 % of them." in words.fewer_samples(
        table(1, 0.8, 1, 1), "knn", "x", signs
    )
    assert "in 40 % of the draws of n = 40 another one does" in words.fewer_samples(
        table(1, 1, 0.6, 1), "knn", "x", signs
    )
    said_of_all = words.fewer_samples(table(1, 1, 1, 1), "knn", "x", signs)
    assert "in every draw of fewer samples too, from n = 10 on" in said_of_all
    assert said_of_all.endswith(
        "Kendall's τ of the whole order: 0.50 at n = 10 and 1.00 at n = 40."
    )


def test_agreement_names_the_most_and_the_least_alike() -> None:
    names = ["knn", "ipr", "kde"]
    table = pd.DataFrame(
        [[1, 0.8, 0.2], [0.8, 1, -0.4], [0.2, -0.4, 1]], index=names, columns=names
    )
    assert (
        words.agreement(table)
        == "kNN and iPR (τ = 0.80) agree most; iPR and KDE (τ = −0.40) agree least."
    )
    assert words.agreement(table * 0 + 1) == "All families put the checkpoints in the same order."
    assert words.agreement(table.iloc[:2, :2]) == "kNN and iPR: τ = 0.80."
    assert "can be compared" in words.agreement(table * float("nan"))


def test_which_k_is_answered_for_one_checkpoint_and_taken_by_a_click() -> None:
    app = opened(**{"triage-best-k": True})
    for _ in range(100):
        if button(app, "Stop") is None and button(app, "use-triage-risk"):
            break
        run_ended(0.2)
        measure(app)
        healthy(app.run())
    found = bundled_found(("rbm-epoch-1", "rbm-epoch-30", "rbm-epoch-300"), n=200)
    one = max(found.measured, key=lambda each: each.summaries["auc"])
    use = button(app, "use-triage-risk")
    k = int(use.label.removeprefix("Use k = "))
    profile = prviz.profile(*found.pair(one), ks=(k, 14), bandwidths=())
    risks = {name: profile.curve(name, k).alpha(1.0) / 2 for name in DEFAULT_METHODS}
    name = min(risks, key=risks.__getitem__)
    assert f"k = {k} of {ESTIMATORS[name].title} gives the lowest held-out risk at λ = 1**" in said(
        app
    )
    assert f": {risks[name]:.3f} ± " in said(app)
    assert risks[name] <= min(profile.curve(name, 14).alpha(1.0) / 2 for name in DEFAULT_METHODS)
    healthy(use.click().run())
    assert app.session_state["triage.k"] == k
