"""Lesson 5: both ends of the curve in three cases."""

from __future__ import annotations

import numpy as np
import pytest

from pages._learn import extremes
from prviz import scalars
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import estimate
from tests.lesson_app import drawn, hand, lesson, links, uncovered, verdict

KEYS = {name: f"{extremes.KEY}-{name}" for name in extremes.CASES}


def to_case(app, name: str):
    app.get("button_group")[1].set_value(name).run()
    return app


def frames(app) -> dict:
    return drawn(app)["model"]["constants"]["parts"][0]["frames"]


@pytest.mark.parametrize("name", extremes.CASES)
def test_every_frame_is_what_prviz_measures_there(name: str) -> None:
    app = lesson("5 Extremes") if name == "shifted" else to_case(lesson("5 Extremes"), name)
    case, sent = extremes.CASES[name], frames(app)
    assert len(sent) == len(case.stops)
    ends = drawn(app)["panes"][0]["figure"]["data"]
    for place in (0, len(case.stops) - 1):
        frame, problem = sent[str(place)], case.at(case.stops[place])
        pair = problem.sample(extremes.N, 0)
        held, free = (estimate(pair, DEFAULT_METHODS, split=ratio, seed=0) for ratio in (0.5, None))
        said = scalars(pair.real, pair.generated, k=5)
        masses = problem.support_masses
        assert frame["rows"]["truth"] == [masses.q_of_cosupp] * 2 + [masses.p_of_cosupp] * 2
        dots = {ends[int(index)]["name"]: change["x"] for index, change in frame["panes"]["ends"]["traces"].items()}
        for side, end in (("precision", "extreme_precision"), ("recall", "extreme_recall")):
            measured = [[getattr(found[method].curve, end) for method in DEFAULT_METHODS] for found in (held, free)]
            published = [said[side], said["coverage_precision" if side == "precision" else "coverage"]]
            np.testing.assert_allclose(dots[f"{side}, with split"], measured[0], atol=1e-4)
            np.testing.assert_allclose(dots[f"{side}, without split"], measured[1] + published, atol=1e-4)
        for method in DEFAULT_METHODS:
            np.testing.assert_allclose(
                np.reshape(frame["curves"][method], (-1, 2)), held[method].curve.vertices, atol=1e-6
            )
        assert f"improved precision {said['precision']:.2f}" in frame["words"]


def test_the_drawn_truth_is_the_truth_with_fewer_corners() -> None:
    for case in extremes.CASES.values():
        for stop in case.stops:
            truth = case.at(stop).truth()
            thin = extremes.thinned(truth)
            assert (thin.extreme_precision, thin.extreme_recall) == (truth.extreme_precision, truth.extreme_recall)
            assert len(thin.vertices) <= extremes.RAYS
            assert np.abs(thin.alpha([0.1, 1.0, 10.0]) - truth.alpha([0.1, 1.0, 10.0])).max() < 1e-4


def test_true_ends_saturate_for_gaussians_and_vanish_for_a_point() -> None:
    masses = {name: [case.at(stop).support_masses for stop in case.stops] for name, case in extremes.CASES.items()}
    assert all(set(each) == {1.0} for name in ("shifted", "narrow") for each in masses[name])
    assert {(each.q_of_supp_p, each.q_of_cosupp) for each in masses["dirac"]} == {(1.0, 0.0)}


def test_verdicts_follow_the_case_and_the_slider() -> None:
    app = lesson("5 Extremes")
    assert verdict(app, extremes.FALL).startswith(f"Right: **{extremes.FALL}**")
    hand(app, KEYS["shifted"], mu=2.0)
    assert uncovered(app)
    assert verdict(app, extremes.FALL).startswith(f"Not quite: **{extremes.RISE}**")
    app = to_case(lesson("5 Extremes"), "dirac")
    found = verdict(app, extremes.FALL)
    assert found.startswith(f"Not quite: **{extremes.STAY}**")
    assert "goes from 0 to 0" in found


def test_the_link_has_the_slider_s_stop_and_the_samples() -> None:
    app = hand(to_case(lesson("5 Extremes"), "narrow"), KEYS["narrow"], sigma=0.2)
    assert "problem=narrow-gaussian" in links(app)[0]
    assert all(part in links(app)[0] for part in ("p.sigma=0.2", "p.d=4", "n=200"))
    before = frames(app)["0"]["rows"]
    next(button for button in app.button if button.label == "Resample").click().run()
    assert frames(app)["0"]["rows"] != before
    assert "seed=1" in links(app)[0]
