"""How curves differ from a pinned state, in one sentence: direction, family, and what was
changed.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from prviz.live import snapshots
from prviz.live.problems import problem_of
from prviz.reports.settings import ExploreSettings

CALL = """([now, then]) => {
    const state = (each) => ({ ...each, numbers: new Map(each.numbers), names: new Map(each.names) });
    return live.difference.differenceText(state(now), state(then));
}"""
NAMES = [["knn", "kNN"], ["ipr", "iPR"]]


def _state(numbers: dict[str, float], compared: bool = True, **settings: Any) -> dict[str, Any]:
    problem = problem_of(ExploreSettings(problem="modes", **settings))
    words = snapshots.words(problem)
    return {
        "numbers": [*numbers.items()],
        "names": NAMES,
        "compared": compared,
        "noise": 0.02,
        "words": words,
    }


PINNED = _state({"knn": 0.87, "ipr": 0.52}, k=20)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (
            _state({"knn": 0.49, "ipr": 0.51}, k=1),
            "kNN: overlap 0.49, pinned 0.87; lower since k fell from 20 to 1.",
        ),
        (
            _state({"knn": 0.9, "ipr": 0.9}, k=30),
            "iPR: overlap 0.90, pinned 0.52; higher since k rose from 20 to 30.",
        ),
        (
            _state({"knn": 0.86}, k=18),
            "kNN: overlap 0.86, pinned 0.87; no more than chance, though k fell from 20 to 18.",
        ),
        (
            _state({"knn": 0.5}, False, k=20, n=500, split=None),
            (
                "kNN: area 0.50, pinned 0.87; lower since n fell from 2,000 to 500 and the split is"
                " none, not 50 %."
            ),
        ),
        (_state({"knn": 0.87, "ipr": 0.52}, k=20), ""),
        (
            _state({"knn": 0.87}, k=20, methods=("knn",)),
            (
                "kNN: overlap 0.87, pinned 0.87; no more than chance, though the choice of families"
                " changed."
            ),
        ),
        (_state({"kde": 0.5}, k=1), "None of the pinned curves is drawn now."),
    ],
)
def test_the_difference_from_a_pinned_state(
    blank: Page, now: dict[str, Any], expected: str
) -> None:
    assert blank.evaluate(CALL, [now, PINNED]) == expected


def test_of_other_data_no_setting_is_named(blank: Page) -> None:
    other = snapshots.words(problem_of(ExploreSettings(problem="mixtures", k=1)))
    changes = blank.evaluate(
        "([now, then]) => live.difference.changes(now, then)", [other, PINNED["words"]]
    )
    assert changes == "the data are others"
