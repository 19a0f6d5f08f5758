"""What visitors of one server share: what is measured of toys and bundled sets, never of
uploads.
"""

from __future__ import annotations

import numpy as np
import pytest

from pages._explore import live_view
from pages._explore.session import ExploreSession
from pages._shared.cache import Session
from prviz.live.need import Need
from prviz.live.needs import curves
from prviz.live.problems import Problem, Uploaded
from prviz.live.state import ExploreState
from prviz.live.store import PUBLIC
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair

OWN = Uploaded(SamplePair(np.eye(60), np.eye(60) + 1), ("a", "b"), (None, None))


def of_two_visitors(settings: ExploreSettings) -> list[Problem]:
    PUBLIC.clear()
    return [
        live_view.wanted(ExploreSession(ExploreState(settings=settings), uploaded=OWN), Session())
        for _ in range(2)
    ]


def computed(problem: Problem) -> Need:
    """The curves of a problem, as a job measures and keeps them."""
    need = curves(problem)
    need.store.put(need.key, need.compute(lambda _: None))
    return need


@pytest.mark.parametrize(("source", "problem"), [("toy", "mixtures"), ("bundled", "rbm-epoch-300")])
def test_what_is_measured_for_one_visitor_the_next_one_finds(source: str, problem: str) -> None:
    one, other = of_two_visitors(ExploreSettings(source=source, problem=problem, n=100))
    need = computed(one)
    assert curves(other).result is need.result


def test_what_is_measured_of_an_upload_is_its_visitors_alone() -> None:
    one, other = of_two_visitors(ExploreSettings(source="upload"))
    need = computed(one)
    assert need.known
    assert not curves(other).known
    assert all(len(store) == 0 for store in vars(PUBLIC).values())


def test_what_a_visitor_uses_stays_whatever_others_do() -> None:
    one, other = of_two_visitors(ExploreSettings(problem="mixtures", n=100))
    need = computed(one)
    PUBLIC.clear()
    assert curves(one).result is need.result
    assert not curves(other).known
