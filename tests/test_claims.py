"""Sentences of cards and tooltips that state a direction or an end, each computed."""

from __future__ import annotations

from typing import Literal

import pytest

from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import estimate
from prviz.measure.scalars import scalars
from prviz.readers.bundled import bundled_names, bundled_pair


@pytest.mark.parametrize("k", [3, "sqrt"])
def test_without_a_split_the_curves_lie_lower(k: int | Literal["sqrt"]) -> None:
    """The tooltips of Split, on every bundled checkpoint."""
    for name in bundled_names():
        held_out, same = (estimate(bundled_pair(name), DEFAULT_METHODS, k=k, split=split) for split in (0.5, None))
        for method in DEFAULT_METHODS:
            auc = same[method].curve.auc, held_out[method].curve.auc
            assert auc[0] < auc[1] or auc == (0, 0), (name, method)


@pytest.mark.parametrize("name", ["digits-held-out", "rbm-epoch-100", "truncation-0.2"])
def test_the_ends_of_a_curve_are_at_most_the_published_scores(name: str) -> None:
    """The cards of ipr and coverage: below them on some checkpoint, above them on none."""
    pair = bundled_pair(name)
    published = scalars(*pair, k=3)
    curves = {method: found.curve for method, found in estimate(pair, ("ipr", "coverage"), k=3, split=None).items()}
    assert curves["ipr"].extreme_precision <= published["precision"] + 1e-12
    assert curves["ipr"].extreme_recall <= published["recall"] + 1e-12
    assert curves["coverage"].extreme_recall <= published["coverage"] + 1e-12
