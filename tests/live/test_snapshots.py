"""Frames of a film and pinned states: which there are, what a browser is sent, and their links."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from prviz.live import needs, results, snapshots
from prviz.live.explorer import CurvesQuestion
from prviz.live.problems import Problem, problem_of
from prviz.live.state import PINS, ExploreState
from prviz.live.store import Stores
from prviz.reports.settings import ExploreSettings

SMALL = ExploreSettings(problem="mixtures", n=100, k=3, methods=("knn", "kde"))


def _problem(**settings: object) -> Problem:
    return problem_of(replace(SMALL, **settings), stores=Stores())  # type: ignore[arg-type]


def test_a_film_over_n_begins_at_50_and_ends_on_the_limit_of_those_that_have_one() -> None:
    problem = _problem()
    stops = snapshots.stops(problem, "n")
    assert [stop.value for stop in stops[:3]] == [50, 75, 100]
    assert math.isinf(stops[-1].value)
    last = snapshots.need(stops[-1].problem, "", limit=True).compute(lambda _: None)
    assert set(last.curves) == {"knn"}
    assert problem.toy is not None
    np.testing.assert_array_equal(last.curves["knn"].vertices, problem.toy.limit("knn", 3).vertices)


@pytest.mark.parametrize("settings", [{"k": "sqrt"}, {"split": None}])
def test_without_a_limit_a_film_ends_at_most_samples(settings: dict[str, object]) -> None:
    assert math.isfinite(snapshots.stops(_problem(**settings), "n")[-1].value)


def test_sizes_that_allow_another_k_only_are_no_frames() -> None:
    # 75 fit samples hold 60 neighbours, 50 do not
    assert snapshots.stops(_problem(k=60), "n")[0].value == 150


def test_a_film_over_draws_begins_with_this_one() -> None:
    stops = snapshots.stops(_problem(seed=7), "seed")
    assert [stop.value for stop in stops] == list(range(7, 27))


def test_a_frame_is_what_its_settings_give() -> None:
    stop = snapshots.stops(_problem(), "n")[0]
    found = snapshots.need(stop.problem, "").compute(lambda _: None)
    for name, curve in results.measure(_problem(n=50)).curves.items():
        np.testing.assert_array_equal(found.curves[name].vertices, curve.vertices)
    content = json.loads(found.text)
    assert content["words"]["n"] == ["n", 50, "50"]
    assert content["noise"] == results.noise(stop.problem)


def test_a_question_brings_frames_after_the_curves_once() -> None:
    problem = _problem()
    lines = list[bytes | None]()
    wishes = snapshots.film_needs(problem, "n")[:1]
    question = CurvesQuestion(1, problem, lambda _: b"{}", lines.append, snapshots=wishes)
    kinds = [need.kind for need in question.needs]
    assert kinds.index("curves") < kinds.index("snapshot") < kinds.index("frames")
    wishes[0].store.put(wishes[0].key, wishes[0].compute(lambda _: None))  # type: ignore[union-attr]
    question.say()
    question.say()
    assert [json.loads(line or b"")["kind"] for line in lines] == ["snapshot"]


def test_pinned_states_come_back_from_a_link() -> None:
    pins = (SMALL, replace(SMALL, k=20), ExploreSettings(problem="modes", k=5))
    state = ExploreState(settings=SMALL)
    for pin in pins:
        state = state.with_pin(pin)
    found, messages = ExploreState.from_query(state.to_query())
    assert not messages
    assert found.pins == pins


def test_a_state_is_pinned_once_and_no_more_than_four() -> None:
    state = ExploreState().with_pin(SMALL).with_pin(SMALL)
    assert state.pins == ()
    for k in range(1, 9):
        state = state.with_pin(replace(SMALL, k=k))
    assert [pin.k for pin in state.pins] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "text",
    ["problem=nothing", "k=0", "source=upload", "n=1e99", "problem=mixtures&p.d=x", "%00&=&"],
)
def test_hostile_pins_are_left_out_with_a_word(text: str) -> None:
    state, messages = ExploreState.from_query({"problem": "mixtures", PINS[0]: text})
    assert state.pins == () or state.pins[0].problem
    assert all(message.startswith("pin1: ") for message in messages)


def test_an_upload_is_no_link() -> None:
    state = ExploreState().with_pin(replace(SMALL, source="upload", problem="digest"))
    assert PINS[0] not in state.to_query()
    assert snapshots.pinned(_problem(), state.pins) == []


def test_a_pinned_state_holds_the_curve_to_believe_as_soon_as_that_is_measured() -> None:
    problem = _problem(source="bundled", problem="mixture-converged")
    before = snapshots.pin_id(problem)
    assert before == snapshots.snapshot_id(problem)
    alone = results.believed(problem)
    assert alone is not None
    believed = replace(results.measure(_problem()).estimates["knn"], method="tightest")
    problem.stores.results.put(results.believed_key(alone), (believed,))
    assert snapshots.pin_id(problem) != before
    (need,) = snapshots.pin_needs([problem])
    sent = json.loads(need.compute(lambda _: None).text)
    assert sent["id"] == snapshots.pin_id(problem)
    assert [each["id"] for each in sent["curves"]] == ["tightest", "knn", "kde"]
    assert set(sent["rows"]) == {"tightest", "knn", "kde"}


def test_the_same_pin_is_measured_once() -> None:
    problem = _problem()
    (need,) = snapshots.pin_needs(snapshots.pinned(problem, [SMALL]))
    assert need.key == snapshots.need(problem, "").key
    assert need in needs.needs(problem, None, [need])


def test_a_film_as_a_file_has_a_frame_for_each_snapshot_that_is_measured() -> None:
    problem = _problem()
    for each in snapshots.film_needs(problem, "seed")[:3]:
        problem.stores.snapshots.put(each.key, each.compute(lambda _: None))
    need = snapshots.gif_need(problem, "seed", ("kde",))
    assert not need.known
    found = json.loads(need.compute(lambda _: None).text)
    assert found["file"] == "prviz-mixtures-seed.gif"
    assert found["data"].startswith("R0lGOD")
