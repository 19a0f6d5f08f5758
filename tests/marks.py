"""Of a test's cases, those of the README's run: the others repeat it, and are for `.ci/run
--all`.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

# For `.ci/run --all`: what repeats a shorter test with more seeds, sizes or families.
exhaustive = pytest.mark.exhaustive
# For `.ci/run`: what is too long for the README's run.
thorough = pytest.mark.thorough


def exhaustive_but(cases: Iterable[object], *quick: object) -> list[object]:
    """The cases for ``parametrize``, all of them exhaustive but the quick ones."""
    every = list(cases)
    assert all(case in every for case in quick)
    return [
        case if case in quick else pytest.param(case, marks=pytest.mark.exhaustive)
        for case in every
    ]
