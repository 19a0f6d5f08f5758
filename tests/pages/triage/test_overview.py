"""The part All numbers of the page Triage: its figures and numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages._triage.checkpoints import CheckpointResults
from pages._triage.overview import DEFAULT
from prviz import bundled_pair, frechet_distance, scalars
from prviz.measure.blind_spots import BLIND_SPOTS, number_title
from prviz.triage.inputs import Checkpoint
from prviz.triage.yardstick import yardstick
from prviz.uncertainty.bootstrap import bootstrap
from tests.explore_app import figures, healthy
from tests.marks import exhaustive
from tests.triage_app import part, settled
from tests.triage_found import MIXTURE, bundled_found, changed

N = 300


@cache
def five() -> CheckpointResults:
    return bundled_found(n=N, failed=("rbm-epoch-1",))


def many() -> CheckpointResults:
    """Forty checkpoints, of steps from 1 to 1000, one of them with a name of a bad kind."""
    found = five()
    first = [outcome for outcome in found.outcomes if outcome.measured]
    outcomes = []
    for place in range(40):
        name = "<img src=x onerror=alert(1)> $x$" if place == 3 else f"step-{place}"
        checkpoint = Checkpoint(Path("x.npz"), name, float(1 + place * 25))
        of = first[place % len(first)]
        measured = tuple(replace(each, checkpoint=checkpoint) for each in of.measured)
        outcomes.append(of._replace(checkpoint=checkpoint, measured=measured))
    return replace(found, key="many", outcomes=tuple(outcomes), total=40)


def opened(found: CheckpointResults) -> AppTest:
    return part("overview", found)


def sent(app: AppTest) -> dict[str, dict]:
    """What each live figure was sent, by its group of panes: the first, the summaries, the
    panels.
    """
    return dict(zip(("curves", "steps", "panels"), figures(app), strict=True))


def traces(pane: dict) -> list[dict]:
    return pane["figure"]["data"]


@exhaustive
def test_bands_are_those_of_the_bootstrap_when_an_outcome_has_come_too() -> None:
    found = five()
    early = replace(found, key="early", outcomes=found.outcomes[:3])
    app = opened(early)
    app.session_state["found"] = found
    settled(app)
    drawn = {pane["id"].removeprefix("triage-"): pane for pane in sent(app)["steps"]["panes"]}
    expected = {
        each.checkpoint.name: bootstrap(each.estimate, 200).intervals for each in found.measured
    }
    for key, pane in drawn.items():
        points = next(trace for trace in traces(pane) if "customdata" in trace)
        assert points["customdata"] == list(MIXTURE)
        for place, name in enumerate(MIXTURE):
            value = points["y"][place]
            bars = points["error_y"]
            assert value == found.one(name).summaries[key]
            ends = (value - bars["arrayminus"][place], value + bars["array"][place])
            assert ends == pytest.approx(expected[name][key])
    row = app.dataframe[0].value.set_index("checkpoint").loc["mixture-em-5"]
    low, high = expected["mixture-em-5"]["auc"]
    assert (
        row["AuC"] == f"{found.one('mixture-em-5').summaries['auc']:.3f} ({low:.3f} to {high:.3f})"
    )


@exhaustive
def test_names_lead_every_figure() -> None:
    content = sent(opened(five()))
    assert {each["standout"] for each in content.values()} == {"triage"}
    (trade,) = content["curves"]["panes"]
    assert traces(trade)[-1]["customdata"] == list(MIXTURE)
    assert [pane["item"] for pane in content["panels"]["panes"]] == list(MIXTURE)


def test_numbers_are_chosen_and_nothing_is_drawn_of_none() -> None:
    app = opened(replace(five(), key="one", outcomes=five().outcomes[:1]))
    healthy(app.multiselect[0].set_value(["beta_at_005"]).run())
    assert [pane["id"] for pane in sent(app)["steps"]["panes"]] == ["triage-beta_at_005"]
    healthy(app.multiselect[0].set_value([]).run())
    assert len(app.get("bidi_component")) == 2


@exhaustive
def test_forty_come_twelve_at_a_time_and_wide_steps_offer_a_logarithm() -> None:
    app = opened(many())
    content = sent(app)
    assert len(content["panels"]["panes"]) == 12
    _, page = app.button_group
    healthy(page.set_value(36).run())
    assert [pane["item"] for pane in sent(app)["panels"]["panes"]] == [
        f"step-{i}" for i in range(36, 40)
    ]
    axis, _ = app.button_group
    healthy(axis.set_value("log").run())
    assert {pane["figure"]["layout"]["xaxis"]["type"] for pane in sent(app)["steps"]["panes"]} == {
        "log"
    }


@pytest.mark.one_in(3)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_and_without_steps(count: int) -> None:
    found = five()
    few = replace(found, outcomes=found.outcomes[:count])
    app = opened(changed(few, count, lambda each: replace(each, step=None)))
    if not count:
        assert "No checkpoint" in app.info[0].value
        return
    content = sent(app)
    assert len(content["panels"]["panes"]) == count
    assert not app.button_group
    assert content["steps"]["panes"][0]["figure"]["layout"]["xaxis"]["ticktext"] == list(
        MIXTURE[:count]
    )


@exhaustive
def test_the_ceiling_is_in_every_figure_and_first_in_the_table() -> None:
    found = five()
    app = opened(found)
    possible = yardstick(
        found.reference, found.settings, None, size=max(each.n_generated for each in found.measured)
    )
    top = possible.ceiling["knn"].summaries
    content = sent(app)
    corner = next(
        trace
        for trace in traces(content["curves"]["panes"][0])
        if trace["line"].get("dash") == "dash"
    )
    assert corner["x"][1:] == [top["f8_recall"]] * 2
    for pane, key in zip(content["steps"]["panes"], DEFAULT, strict=True):
        (line,) = pane["figure"]["layout"]["shapes"]
        assert (line["y0"], line["y1"]) == (top[key], top[key])
    for pane in content["panels"]["panes"]:
        assert sum(trace.get("line", {}).get("dash") == "dash" for trace in traces(pane)) == 1
    first = app.dataframe[0].value.iloc[0]
    assert (first["checkpoint"], first["AuC"]) == ("real against real", f"{top['auc']:.3f}")


@exhaustive
@pytest.mark.slow
def test_what_papers_report_is_added_and_ranked() -> None:
    app = opened(bundled_found(("classes-3", "vae-b0.2-e40", "diffusion-e300")))
    assert "Fréchet distance" not in app.dataframe[0].value
    next(button for button in app.button if "papers report" in button.label).click()
    table = settled(app).dataframe[0].value.set_index("checkpoint")
    found = scalars(*bundled_pair("classes-3"), k=5)
    for name in BLIND_SPOTS:
        if name in found:
            assert table.loc["classes-3", number_title(name)].startswith(f"{found[name]:.4g}")
    distance = frechet_distance(*bundled_pair("classes-3"))
    interval = f"{distance.value:.4g} ({distance.low:.4g} to {distance.high:.4g})"
    assert table.loc["classes-3", "Fréchet distance"] == interval
    assert 1 < float(table.loc["classes-3", "class score"]) < 10
    last = figures(app)[-1]
    assert last["panes"][0]["figure"]["data"][0]["x"][:3] == [
        "AuC",
        "F8, leaning to precision",
        "F8, leaning to recall",
    ]
