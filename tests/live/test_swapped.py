"""Swapped roles: every curve, the truth and the limits are mirrored exactly, and lam becomes 1 /
lam.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from prviz.estimators import DEFAULT_METHODS
from prviz.live import bounds, results
from prviz.live.problems import problem_of
from prviz.live.state import ExploreState
from prviz.reports.settings import ExploreSettings

TOY = ExploreSettings(problem="modes", parameters={"d": 3}, n=80, k=4)
BUNDLED = ExploreSettings(source="bundled", problem="mixture-em-5", n=80)


def silent(share: float = 0.0) -> None:
    """Nobody waits."""


@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize("settings", [TOY, BUNDLED], ids=["toy", "bundled"])
def test_precision_and_recall_are_swapped_exactly(
    settings: ExploreSettings, split: float | None
) -> None:
    known = problem_of(replace(settings, split=split))
    swapped = problem_of(replace(settings, split=split, swapped=True))
    assert swapped.key[:2] != known.key[:2]
    assert np.array_equal(swapped.pair.real.values, known.pair.generated.values)
    before = results.measure(known, silent).curves
    after = results.measure(swapped, silent).curves
    assert tuple(before) == tuple(after) == DEFAULT_METHODS
    for name, curve in before.items():
        assert np.array_equal(after[name].vertices, curve.mirrored().vertices), name
        for lam in (0.25, 1.0, 8.0):
            assert after[name].alpha(lam) == curve.beta(1 / lam)
    if known.truth is not None and swapped.truth is not None:
        assert np.array_equal(swapped.truth.vertices, known.truth.mirrored().vertices)
    limits = bounds.every_limit(known)
    assert all(
        np.array_equal(curve.vertices, limits[name].mirrored().vertices)
        for name, curve in bounds.every_limit(swapped).items()
    )


def test_one_press_there_one_back_and_other_data_have_their_own_roles() -> None:
    state = ExploreState().with_settings(replace(TOY, lam=4.0))
    swapped = state.with_roles_swapped()
    assert (swapped.settings.swapped, swapped.settings.lam) == (True, 0.25)
    assert swapped.to_query()["swapped"] == "yes"
    assert ExploreState.from_query(swapped.to_query())[0].settings == swapped.settings
    assert swapped.with_roles_swapped().settings == state.settings
    assert swapped.with_data("toy", "modes").settings.swapped
    assert not swapped.with_data("toy", "mixtures").settings.swapped
    end = ExploreState().with_settings(replace(TOY, lam=0.0)).with_roles_swapped()
    assert end.settings.lam == math.inf
    assert end.with_roles_swapped().settings.lam == 0.0


def test_the_line_of_settings_says_it() -> None:
    assert "roles swapped" in replace(TOY, swapped=True).line(8)
    assert "swapped" not in TOY.line(8)
