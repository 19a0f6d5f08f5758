"""What the user has chosen: the link there and back, the sliders' values, what is remembered of
other data.
"""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace

import pytest

from prviz.live.state import PANELS, ExploreState
from prviz.reports.settings import FIRST_VIEW, ExploreSettings


def opened(**query: str) -> ExploreState:
    state, messages = ExploreState.from_query(query)
    assert messages == []
    return state


def test_the_first_state_has_no_link_and_no_link_is_the_first_view() -> None:
    assert opened().to_query() == {}
    assert opened().settings.to_query() == FIRST_VIEW.to_query()


def test_a_link_comes_back_with_what_is_open_and_drawn() -> None:
    query = {
        "n": "150",
        "panel": "Extremes",
        "view": "Error space",
        "colour": "Belief",
        "hidden": "ipr",
        "k": "7",
    }
    assert opened(**query).to_query() == query
    assert opened(panel="Ends").panel == "Extremes"
    assert opened(panel="All numbers").panel == "Numbers"


def test_what_is_switched_off_and_what_is_not_drawn_beside_so_many_come_back_apart() -> None:
    state = opened(methods="knn,kde,ipr").with_values(
        {"hidden": ["tightest", "ipr"], "folded": ["knn", "nobody"]}
    )
    assert (state.hidden, state.folded) == (("ipr", "tightest"), ("knn",))
    query = state.to_query()
    # the curve to believe is not chosen
    assert (query["hidden"], query["folded"]) == (
        "ipr,tightest",
        "knn",
    )
    again = opened(**query)
    assert (again.hidden, again.folded) == (state.hidden, state.folded)
    assert (
        not {"hidden", "folded"} & state.with_values({"hidden": [], "folded": []}).to_query().keys()
    )


def test_what_a_hostile_link_says_becomes_legal() -> None:
    state, messages = ExploreState.from_query(
        {"panel": "x", "view": "<b>", "hidden": "knn,nobody", "n": "1e9"}
    )
    assert (state.panel, state.view, state.hidden) == (PANELS[0], "PR", ("knn",))
    # what gives it away
    assert opened(source="bundled", problem="rbm-epoch-30").panel == PANELS[-1]
    told = opened(source="bundled", problem="rbm-epoch-30", panel="Space").to_query()
    assert told["panel"] == "Space"
    assert state.settings.n == ExploreSettings().n
    assert len(messages) == 3
    assert "view: '<b>' is ignored (expected one of PR, Error space)." in messages


def test_what_explore_does_not_know_in_a_link_is_said() -> None:
    state, messages = ExploreState.from_query({"k": "9", "bandwith": "2", "panel": "Extremes"})
    assert (state.settings.k, state.panel) == (9, "Extremes")
    assert messages == ["The link has entries that Explore does not know: 'bandwith'."]


def test_it_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        opened().panel = "Extremes"  # type: ignore[misc]


def test_the_values_of_the_sliders_make_another_state() -> None:
    state = opened(problem="shifted-gaussians")
    moved = state.with_values(
        {"n": 120, "seed": 3, "split": 20, "k": 9, "bandwidth": 1.5, "angle": 90, "p.mu": 0.5}
    )
    settings = moved.settings
    assert (settings.n, settings.seed, settings.split, settings.k) == (120, 3, 0.2, 9)
    assert (settings.bandwidth, settings.lam, settings.parameters["mu"]) == (1.5, math.inf, 0.5)
    assert moved.with_values({"split": 0, "k": "sqrt", "bandwidth": None}).settings.split is None
    assert state.settings.n == ExploreSettings().n


def test_one_entry_of_several_moves_alone() -> None:
    state = opened(problem="mixtures").with_values({"p.means.1": 4.5})
    first = opened(problem="mixtures").settings.parameters["means"]
    assert isinstance(first, tuple)
    assert state.settings.parameters["means"] == (first[0], 4.5, *first[2:])


@pytest.mark.parametrize("value", ["x", None, -1, 1e12, 10**400, math.nan, math.inf, [1], {}])
def test_what_no_slider_can_send_is_left_out(value: object) -> None:
    state = opened(problem="shifted-gaussians")
    names = ("n", "seed", "repeats", "split", "k", "angle", "p.mu", "p.d", "hidden", "folded")
    assert state.with_values(dict.fromkeys(names, value)) == state


def test_parameters_that_the_toy_refuses_together_raise() -> None:
    state = opened(
        problem="painted",
        **dict.fromkeys(("p.real_weights", "p.generated_weights"), "0.5,0,0.5,1,0,1"),
    )
    with pytest.raises(ValueError, match="square number"):
        state.with_values({"p.d": 2})


def test_weights_are_shares() -> None:
    weights = {
        "p.means": "0.0,4.0",
        "p.real_weights": "1.0,1.0",
        "p.generated_weights": "0.25,0.75",
    }
    parameters = opened(problem="mixtures", **weights).settings.parameters
    assert (parameters["real_weights"], parameters["generated_weights"]) == (
        (0.5, 0.5),
        (0.25, 0.75),
    )


def test_each_toy_remembers_its_numbers_and_each_source_its_k_and_bandwidth() -> None:
    state = opened(problem="shifted-gaussians", n="150").with_values(
        {"p.mu": 0.5, "k": 9, "bandwidth": 1.5}
    )
    other = state.with_data("toy", "outlier")
    assert (other.settings.n, other.settings.k) == (150, 9)
    assert "mu" in other.settings.parameters  # its own, at its default
    assert other.settings.parameters["mu"] != 0.5
    upload = other.with_data("upload", "", 77)
    assert (upload.settings.n, upload.settings.k, upload.settings.bandwidth) == (77, "sqrt", None)
    # rows of an upload are chosen where it is read
    assert upload.with_values({"n": 50}).settings.n == 77
    back = upload.with_values({"k": 3}).with_data("toy", "shifted-gaussians")
    assert (back.settings.n, back.settings.k, back.settings.parameters["mu"]) == (150, 9, 0.5)
    assert back.with_data("upload", "", 77).settings.k == 3


def test_settings_of_another_page_replace_all() -> None:
    settings = replace(FIRST_VIEW, problem="outlier", n=90, k=4)
    state = opened(hidden="knn").with_settings(settings)
    assert (state.settings.problem, state.n, state.tuning("toy")) == ("outlier", 90, (4, None))
    assert state.hidden == ("knn",)
