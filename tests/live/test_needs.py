"""What settings need, and in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import prviz
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.live import bounds, needs, results, snapshots
from prviz.live.need import Need
from prviz.live.problems import allowed, problem_of
from prviz.reports.settings import ExploreSettings

SETTINGS = ExploreSettings(
    problem="shifted-gaussians", n=100, methods=("knn", "ipr"), parameters={"d": 2}, k=3
)


def nothing(_: float) -> None:
    return None


def test_the_curves_come_first_then_the_open_panel_the_frames_and_a_bound_that_is_shown() -> None:
    assert [need.key[0] for need in needs.needs(problem_of(SETTINGS))] == ["results", "profile"]
    problem = problem_of(replace(SETTINGS, show=("bound",)))
    panel = Need(("panel",), lambda _: 1, 0.1, "the panel", problem.stores.results)
    found = needs.needs(problem, panel)
    assert [need.key[0] for need in found] == ["results", "panel", "profile", "bound"]
    assert [need.result for need in found] == [None] * 4
    for need in found:
        assert need.store is not None
        need.store.put(need.key, need.compute(nothing))
    assert all(need.result for need in needs.needs(problem, panel))
    assert snapshots.known_frames(problem) is not None
    assert bounds.bound(problem) is not None


def test_every_k_and_bandwidth_is_known_once_the_frames_are() -> None:
    problem = problem_of(SETTINGS)
    profile = needs.profile(problem)
    assert profile is not None
    problem.stores.profiles.put(profile.key, profile.compute(nothing))
    for k in problem.stops[0]:
        assert needs.needs(problem.having(k=k))[0].result
    assert not needs.needs(problem.having(split=0.3))[0].result


def test_approximate_curves_and_long_profiles_are_measured_one_by_one() -> None:
    assert needs.profile(problem_of(replace(SETTINGS, approximate=True))) is None
    many = replace(SETTINGS, n=20_000, repeats=20, parameters={"d": 128})
    assert needs.profile(problem_of(many)) is None


def test_a_coarse_drawing_has_fewer_samples_and_a_k_that_they_allow() -> None:
    problem = problem_of(replace(SETTINGS, n=20_000, k=2000))
    small = needs.coarse(problem)
    assert small is not None
    assert small.settings.n == needs.coarse_size(problem) < 20_000
    assert small.k <= small.largest_k / 4 + 1
    assert results.measure(small).curves.keys() == {"knn", "ipr"}


def test_settings_are_made_legal_for_the_samples() -> None:
    settings = allowed(problem_of(replace(SETTINGS, n=10, split=0.05, k=50))).settings
    assert (settings.split, settings.k) == (0.5, 4)
    unsplit = replace(
        SETTINGS, split=None, methods=("knn", *(n for n, f in ESTIMATORS.items() if f.needs_split))
    )
    assert allowed(problem_of(unsplit)).settings.methods == ("knn",)
    approximate = replace(SETTINGS, approximate=True, methods=("ppr",))
    assert allowed(problem_of(approximate)).settings.methods == DEFAULT_METHODS


@pytest.mark.exhaustive
def test_without_a_truth_the_curve_to_believe_is_measured_once_and_drawn_before_the_others() -> (
    None
):
    settings = ExploreSettings(
        source="bundled", problem="mixture-em-1", n=80, methods=("knn", "ipr"), k=3
    )
    problem = problem_of(settings)
    need = bounds.believed_need(problem)
    assert need is not None
    assert need.key in [each.key for each in needs.needs(problem)]
    found = results.measure(problem)
    assert results.Answer(problem, found).drawn is found
    need.store.put(need.key, need.compute(nothing))  # type: ignore[union-attr]
    for other in (
        problem,
        problem.having(k=5),
        problem.having(split=0.3),
        problem.having(methods=("kde",)),
    ):
        drawn = results.Answer(other, found).drawn
        assert list(drawn.curves) == ["tightest", "knn", "ipr"]
        assert drawn.estimates["tightest"].curve is drawn.curves["tightest"]
    pair, seed = problem.draw(0)
    alone = prviz.pr_curve(*pair, "tightest", seed=seed)
    assert np.array_equal(drawn.curves["tightest"].vertices, alone.vertices)
    for without in ({"split": None}, {"approximate": True}, {"methods": ("knn", "tightest")}):
        assert bounds.believed_need(problem.having(**without)) is None
    assert bounds.believed_need(problem_of(SETTINGS)) is None  # its truth is known
