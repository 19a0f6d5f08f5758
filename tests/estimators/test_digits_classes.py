"""Sajjadi et al. 2018, section 4.1, on the bundled digits: classes 0 to 4 against 0 to q - 1, and
the ideal rectangle.

`python -m tests.estimators.test_digits_classes [FIGURE.html]` prints the table that these tests
judge, and draws it.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

import prviz
from prviz.curves import PRCurve
from prviz.figures import iou_sweep_figure
from prviz.measure.estimates import estimate_repeated
from prviz.samples import SamplePair, Samples
from tests.marks import exhaustive_but

METHODS = ("cluster", "classifier", "knn", "coverage")
REAL = 5
COUNTS = range(1, 10)
SEEDS = 5


def ideal(q: int) -> PRCurve:
    """Recall up to min(1, q / 5) at a precision of min(1, 5 / q): digits equally likely and told
    apart at sight.
    """
    return PRCurve.from_error_rates([0.0, min(1.0, q / REAL)], [min(1.0, REAL / q), 0.0])


@lru_cache(maxsize=1)
def _halves() -> SamplePair:
    return prviz.bundled_pair("digits-held-out")


def digits_pair(q: int) -> SamplePair:
    """Digits 0 to 4 of one half of the real set, 0 to q - 1 of the other: no picture is in both."""
    halves = _halves()
    return SamplePair(_below(halves.real, REAL), _below(halves.generated, q))


def _below(samples: Samples, digit: int) -> Samples:
    return samples.take(np.flatnonzero(samples.labels["digit"] < digit))


@lru_cache(maxsize=len(COUNTS))
def curves(q: int) -> dict[str, PRCurve]:
    """The mean over SEEDS splits."""
    found = estimate_repeated(lambda _: digits_pair(q), METHODS, repeats=SEEDS)
    return {name: PRCurve.mean([each.curve for each in runs]) for name, runs in found.items()}


def table() -> list[tuple[int, dict[str, float]]]:
    """(q, IoU with the ideal by method)."""
    return [(q, {name: curve.iou(ideal(q)) for name, curve in curves(q).items()}) for q in COUNTS]


@pytest.mark.parametrize("q", COUNTS)
def test_the_ideal_is_the_curve_of_the_classes(q):
    p, generated = (np.r_[np.full(m, 1 / m), np.zeros(10 - m)] for m in (REAL, q))
    np.testing.assert_allclose(
        ideal(q).vertices, prviz.discrete_curve(p, generated).vertices, atol=1e-12
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("method", METHODS)
def test_modes_that_were_added_cost_precision_and_not_recall(method):
    found = [curves(q)[method] for q in range(5, 10)]
    precision = [curve.precision_at(0.9) for curve in found]
    assert all(before > after for before, after in pairwise(precision))
    assert precision[0] > 0.9
    assert precision[-1] < 0.65
    assert all(curve.recall_at(0.2) > 0.95 for curve in found)


@pytest.mark.exhaustive
@pytest.mark.parametrize("method", METHODS)
def test_modes_that_were_dropped_cost_recall_and_not_precision(method):
    found = [curves(q)[method] for q in range(1, 6)]
    recall = [curve.recall_at(0.5) for curve in found]
    assert all(before + 0.05 < after for before, after in pairwise(recall))
    assert all(curve.precision_at(0.05) > 0.9 for curve in found)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("q", exhaustive_but(COUNTS, 2, 7))
def test_every_method_comes_close_to_the_ideal(q):
    for method, curve in curves(q).items():
        assert curve.iou(ideal(q)) > 0.7, method


@pytest.mark.parametrize("q", exhaustive_but((1, 2, 3, 7, 8, 9), 2, 7))
@pytest.mark.parametrize("method", METHODS)
def test_swapping_the_roles_swaps_what_is_lost(method, q):
    """A library that takes real for generated would pass no more than one of the two."""
    pair = digits_pair(q)
    curve = prviz.pr_curve(pair.generated, pair.real, method)
    assert curve.iou(ideal(q).mirrored()) > 0.65 > curve.iou(ideal(q))


def drawn() -> go.Figure:
    """The table as lines."""
    found = {name: (list(COUNTS), [row[name] for _, row in table()]) for name in METHODS}
    figure = iou_sweep_figure(
        found, xlabel="generated classes q", ylabel="IoU with the ideal rectangle"
    )
    return figure.update_xaxes(type="linear", rangemode="tozero", dtick=None, tickformat=None)


def standalone(figure: go.Figure) -> go.Figure:
    """A copy with explicit light colours, for files that no page gives a theme to."""
    copy = go.Figure(figure)
    light = {"paper_bgcolor": "#ffffff", "plot_bgcolor": "#ffffff"}
    copy.update_layout(template="plotly_white", font={"color": "#262730"}, **light)
    return copy


if __name__ == "__main__":
    sys.stdout.write(
        "| q | ideal recall, precision | "
        + " | ".join(METHODS)
        + " |\n|---|---|"
        + "---|" * len(METHODS)
        + "\n"
    )
    for count, row in table():
        rectangle = f"{min(1.0, count / REAL):.2f}, {min(1.0, REAL / count):.2f}"
        sys.stdout.write(
            f"| {count} | {rectangle} | "
            + " | ".join(f"{iou:.2f}" for iou in row.values())
            + " |\n"
        )
    if len(sys.argv) > 1:
        standalone(drawn()).write_html(sys.argv[1])
