"""The numbers that papers fix, behind More on Explore: which are there, what they change, links,
and what hubs say.
"""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._explore.controls import parameter_values
from pages._explore.session import COLOUR, LAM_METHOD
from prviz.curves.summaries import summaries, table_columns
from prviz.estimators import ESTIMATORS
from prviz.live.state import PANELS
from prviz.reports.settings import ExploreSettings
from tests.benchmarks.results import newest
from tests.explore_app import (
    at_panel,
    choose,
    healthy,
    last_word,
    opened,
    payload,
    press,
    said,
    vertices,
)
from tests.marks import exhaustive

SUMMARY_KEYS = ["summary-b", "summary-eps"]


def keys(app: AppTest) -> list[str]:
    return [
        str(each.key)
        for each in app.number_input
        if str(each.key).startswith(("parameter.", "summary-"))
    ]


def small(**query: str) -> AppTest:
    return opened(**({"n": "100", "p.d": "3"} | query))


def test_only_the_parameters_of_the_families_on_screen_are_there() -> None:
    app = small()
    assert keys(app) == SUMMARY_KEYS
    app = small(methods="knn,prc,cluster")
    assert keys(app) == [
        "parameter.prc.k_prime",
        "parameter.prc.c",
        "parameter.cluster.clusters",
        *SUMMARY_KEYS,
    ]
    for name, family in ESTIMATORS.items():
        for each in family.parameters:
            assert (
                parameter_values(ExploreSettings())[f"parameter.{name}.{each.name}"] == each.default
            )


@exhaustive
def test_a_changed_number_changes_curve_legend_and_link_and_comes_back() -> None:
    app = small(methods="coverage,prc", k="4")
    before = vertices(app)
    choose(app, "parameter.prc.k_prime", 1)
    choose(app, "parameter.prc.c", 1)
    last_word(app)
    method = "prc:k_prime=1:c=1"
    assert app.query_params["methods"] in (f"coverage,{method}", [f"coverage,{method}"])
    after = vertices(app)
    assert list(after) == ["truth", "coverage", method]
    assert after[method] == after["coverage"] == before["coverage"] != before["prc"]
    named = {curve["id"]: curve for curve in payload(app)["curves"]}
    assert named[method]["name"] == "PRC (k_prime = 1, c = 1)"
    again = small(methods=f"coverage,{method}", k="4")
    assert again.number_input(key="parameter.prc.c").value == 1
    assert vertices(again) == after
    choose(app, "parameter.prc.k_prime", 0)
    choose(app, "parameter.prc.c", 3)
    last_word(app)
    assert vertices(app) == before


@exhaustive
def test_a_family_keeps_its_numbers_while_it_is_off() -> None:
    app = small(methods="knn,cluster:clusters=5")
    group = next(each for each in app.button_group if "cluster" in each.value)
    group.set_value([]).run()
    assert "parameter.cluster.clusters" not in keys(app)
    choose(app, group.key, ["cluster"])
    last_word(app)
    assert list(vertices(app)) == ["truth", "knn", "cluster:clusters=5"]


@exhaustive
def test_every_tab_takes_them_and_samples_stays_with_the_family() -> None:
    app = small(methods="knn,prc:c=2,ppr:a=1.5,cluster:clusters=5,hub:t=1")
    last_word(app)
    for tab in reversed(PANELS):
        at_panel(app, tab)
    choose(app, COLOUR, "Decision")
    choose(app, LAM_METHOD, "prc:c=2")
    choose(app, "parameter.prc.c", 4)
    last_word(app)
    assert app.session_state[LAM_METHOD] == "prc:c=4"


@exhaustive
def test_b_and_eps_change_the_tables_columns_only() -> None:
    app = small(methods="knn", k="5")
    last_word(app)
    before = vertices(app)
    choose(app, "summary-b", 2.0)
    choose(app, "summary-eps", 0.2)
    sent = last_word(app)
    assert vertices(app) == before
    assert [column["label"] for column in sent["table"]["columns"]] == [
        column.label for column in table_columns(True, 2.0, 0.2)
    ]
    problem = prviz.toy("mixtures", d=3)
    curve = prviz.pr_curve(*problem.sample(100, seed=0), "knn", k=5)
    assert sent["table"]["rows"]["knn"][3:] == pytest.approx(
        list(summaries(curve, 2.0, 0.2).values()), abs=1e-8
    )
    at_panel(app, "Numbers")
    press(app, "enlarge")
    assert "F2, leaning to recall" in said(app)
    healthy(app)
    again = small(methods="knn", k="5", b="2", eps="0.2")
    assert again.number_input(key="summary-eps").value == 0.2
    assert last_word(again)["table"] == sent["table"]


@exhaustive
@pytest.mark.parametrize("split", [0.5, None])
def test_explore_says_how_many_samples_are_hubs_and_that_they_cost_more(
    split: float | None,
) -> None:
    app = small(methods="hub", n="200", split="none" if split is None else str(split))
    sent = last_word(app)
    pair = prviz.toy("mixtures", d=3).sample(200, seed=0)
    run = prviz.estimate(pair, "hub", split=split)["hub"].supports
    share = len(run.c_real) / (400 if split is None else 200)
    assert share > 0.5
    told = (
        f"Hub iPR: {100 * share:.0f} % of the samples are hubs at this k: this costs more than iPR on all"
        " of them."
    )
    assert told in sent["panes"][0]["help"]
    choose(app, "parameter.hub.t", 30)
    few = last_word(app)["panes"][0]["help"]
    assert "of the samples are hubs at this k." in few
    assert "costs" not in few
    assert "hubs" not in last_word(small())["panes"][0]["help"]


def test_hubs_cost_more_wherever_it_was_measured() -> None:
    """The sentence on screen, from tests/benchmarks/hub.py --costs."""
    column = "processor time over iPR's"
    lines = [line["figures"] for line in newest("hub") if column in line["figures"]]
    many = [line[column] for line in lines if int(line["hubs"].rstrip("%")) >= 50]
    assert len(many) >= 12
    assert min(many) > 1
