"""Summaries of a curve (area, extremes, F-scores and others), one per column of the table of
numbers; and the first lam at which a curve differs from the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from prviz.arguments import checked_share
from prviz.curves.pr_curve import Divergence, PRCurve

TRUTH = "truth"


class Summary(NamedTuple):
    """One number that summarises a curve. ``key`` names it in exports, ``label`` and
    ``explanation`` on screen; ``of`` computes it.

    ``short`` heads a column in the terminal, where P stands for precision and R for recall.
    """

    key: str
    label: str
    explanation: str
    of: Callable[[PRCurve], float]
    short: str


def _divergence(name: Divergence) -> Callable[[PRCurve], float]:
    return lambda curve: curve.divergence(name)


class Column(NamedTuple):
    """One column of the table of numbers: key in exports, label and explanation on screen."""

    key: str
    label: str
    explanation: str


# Defaults: weight b of the F-score, and recall eps of alpha@eps (hal-05344404, section 4.4).
B = 8.0
EPS = 0.05


@lru_cache(maxsize=32)
def summary_list(b: float = B, eps: float = EPS) -> tuple[Summary, ...]:
    """All summaries, in the order of the table's columns.

    b : weight of the F-score's favoured side, from 1e-100 to 1e100.
    eps : recall of alpha@eps, in [0, 1].

    Raises ValueError for values outside these ranges.
    """
    trivial = PRCurve.from_error_rates([], [])
    trivial.f_score(b, leaning="precision")
    trivial.precision_at(eps)
    weight = f"{b:g}"
    end = f"{eps:g}"
    named = weight.replace(".", "_")
    digits = end.replace(".", "")
    return (
        Summary(
            "auc",
            "AuC",
            "Area under the curve: 1 when both distributions are equal, 0 when they share nothing.",
            lambda curve: curve.auc,
            "AuC",
        ),
        Summary(
            "alpha_inf",
            "α∞, extreme precision",
            "Left end of the curve: the share of generated samples where both distributions have"
            " mass, the co-support.",
            lambda curve: curve.extreme_precision,
            "extr P",
        ),
        Summary(
            "beta_0",
            "β0, extreme recall",
            "Right end of the curve: the share of real samples where both distributions have mass,"
            " the co-support.",
            lambda curve: curve.extreme_recall,
            "extr R",
        ),
        Summary(
            f"f{named}_precision",
            f"F{weight}, leaning to precision",
            f"Best balance of precision and recall along the curve when precision counts {weight}"
            " times as much.",
            lambda curve: curve.f_score(b, leaning="precision"),
            f"F{weight} to P",
        ),
        Summary(
            f"f{named}_recall",
            f"F{weight}, leaning to recall",
            f"Best balance of precision and recall along the curve when recall counts {weight}"
            " times as much.",
            lambda curve: curve.f_score(b, leaning="recall"),
            f"F{weight} to R",
        ),
        Summary(
            "median_precision",
            "PR median, precision",
            "Precision at the point whose ray from the origin halves the area under the curve.",
            lambda curve: curve.median.alpha,
            "med P",
        ),
        Summary(
            "median_recall",
            "PR median, recall",
            "Recall at the point whose ray from the origin halves the area under the curve.",
            lambda curve: curve.median.beta,
            "med R",
        ),
        Summary(
            f"alpha_at_{digits}",
            f"α@{end}",
            f"Precision where recall is {end}, a little inside the left end.",
            lambda curve: curve.precision_at(eps),
            f"P@{end.removeprefix('0')}",
        ),
        Summary(
            f"beta_at_{digits}",
            f"β@{end}",
            f"Recall where precision is {end}, a little inside the right end.",
            lambda curve: curve.recall_at(eps),
            f"R@{end.removeprefix('0')}",
        ),
        Summary(
            "one_minus_tv",
            "1 - TV",
            "Overlap of the two distributions, 1 minus their total variation: precision where it"
            " equals recall.",
            lambda curve: 1.0 - curve.total_variation,
            "1-TV",
        ),
    )


SUMMARIES = summary_list()

_AT_LEAST = (
    "Samples can show that this divergence is at least a certain size (see the row of the bound),"
    " never that it is at most one."
)
_INFINITE = (
    "Infinite if generated samples lie where no real one can be; a single sample decides that. "
    + _AT_LEAST
)
# Divergences of the generated from the real distribution. Computed from an upper bound of the true
# curve, they are lower bounds.
DIVERGENCES: tuple[Summary, ...] = (
    Summary(
        "tv",
        "Total variation",
        f"1 - precision at λ = 1, from 0 to 1. {_AT_LEAST}",
        _divergence("tv"),
        "TV",
    ),
    Summary(
        "hellinger",
        "Hellinger, squared",
        f"From 0 to 1. {_AT_LEAST}",
        _divergence("hellinger"),
        "H2",
    ),
    Summary(
        "js", "Jensen-Shannon", f"From 0 to log 2 = 0.693. {_AT_LEAST}", _divergence("js"), "JS"
    ),
    Summary("kl", "Kullback-Leibler", f"In nats. {_INFINITE}", _divergence("kl"), "KL"),
    Summary("chi2", "χ²", f"Pearson's. {_INFINITE}", _divergence("chi2"), "chi2"),
)

# If the area under a true curve is smaller than this, the IoU with it is nearly 0 or 1 and says
# nothing about the estimate, so areas are compared instead.
NO_AREA = 1e-3
# Label and explanation of the columns that need a true curve, in the order of the fields of
# `Comparison`.
COMPARISONS: dict[str, tuple[str, str]] = {
    "iou": (
        "IoU",
        (
            "Area shared with the truth, divided by the area that either of the two covers; 1 is"
            " perfect."
        ),
    ),
    "excess": (
        "excess",
        "Share of the joint area where the curve lies beyond the truth: too optimistic.",
    ),
    "deficit": ("deficit", "Share of the joint area that the curve misses: too pessimistic."),
}


def table_columns(compared: bool, b: float = B, eps: float = EPS) -> list[Column]:
    """The columns of the table of numbers, in order; with ``compared``, also those that need a true
    curve.

    b, eps : as in `summary_list`.
    """
    first = []
    if compared:
        first = [Column(key, *texts) for key, texts in COMPARISONS.items()]
    return first + [Column(each.key, each.label, each.explanation) for each in summary_list(b, eps)]


def summaries(curve: PRCurve, b: float = B, eps: float = EPS) -> dict[str, float]:
    """Every summary of one curve, by key.

    b, eps : as in `summary_list`.
    """
    return {summary.key: float(summary.of(curve)) for summary in summary_list(b, eps)}


def numbers(
    curve: PRCurve, truth: PRCurve | None = None, b: float = B, eps: float = EPS
) -> dict[str, float]:
    """One row of the table of numbers, by key: first the comparison with the truth, if it is known,
    then `summaries`.
    """
    compared = {}
    if truth is not None:
        compared = {key: float(value) for key, value in curve.compare(truth)._asdict().items()}
    return compared | summaries(curve, b, eps)


def rounded_up(value: float, digits: int) -> str:
    """An upper bound as text, rounded up so that the text is a bound, too."""
    units = 10**digits
    return f"{math.ceil(units * value - 1e-9) / units:.{digits}f}"


def with_area_at_most(values: Mapping[str, float], most: float | None) -> dict[str, float]:
    """The summaries, with "auc" limited to ``most``, the area under an upper bound of the truth;
    None: not limited.
    """
    found = dict(values)
    if most is not None:
        found["auc"] = min(found["auc"], most)
    return found


class FirstDifferences(NamedTuple):
    """The first lam in (0, inf) at which an estimate differs from the truth by more than a margin;
    None if it never does.

    precision : first as lam rises from 0, where both precisions are 0; |alpha_E - alpha_T| exceeds
    the margin.
    recall : first as lam falls from inf, where both recalls are 0; |beta_E - beta_T| exceeds the
    margin.
    """

    precision: float | None
    recall: float | None


def first_differences(curve: PRCurve, truth: PRCurve, by: float = 0.05) -> FirstDifferences:
    """The lam of `first_difference` for precision; and for recall, computed from the mirrored
    curves, whose precision is the recall.
    """
    mirrored = first_difference(curve.mirrored(), truth.mirrored(), by)
    return FirstDifferences(
        first_difference(curve, truth, by), None if mirrored is None else 1.0 / mirrored
    )


# A margin exceeded by no more than this counts as not exceeded. Rates are often exact fractions, so
# gaps of exactly the margin are common. Whether rounding puts such a gap above the margin depends
# on the processor, and on the nine digits that are sent to the browser.
SLACK = 1e-7


def first_difference(curve: PRCurve, truth: PRCurve, by: float = 0.05) -> float | None:
    """The largest lam up to which |alpha_E - alpha_T| <= by (+ `SLACK`); None if that holds for
    every lam.

    Between two neighbouring breakpoints of the curves both precisions are linear, alpha = lam fpr +
    fnr. So the breakpoints show in which piece the margin is exceeded, and one division gives the
    lam in it. Beyond the last breakpoint both precisions are constant.

    curve, truth : the estimate E and the reference T.
    by : the margin, in (0, 1); ValueError otherwise.
    """
    checked_share("by", by)
    lams = np.unique(np.concatenate((curve.breakpoints, truth.breakpoints)))
    gaps = curve.alpha(lams) - truth.alpha(lams)
    beyond = np.flatnonzero(np.abs(gaps) > by + SLACK)
    if not len(beyond):
        return None
    end = int(beyond[0])
    low = float(lams[end - 1]) if end else 0.0
    high = float(lams[end])
    # The vertices (fpr, fnr) of both curves that are optimal from `low` to `high`.
    (f, n), (true_f, true_n) = (
        each.vertices[each.vertex_at(high)].tolist() for each in (curve, truth)
    )
    # The two lines are parallel, apart from rounding: the gap is the same on the whole piece, so it
    # exceeds the margin from `low` on.
    if f == true_f:
        return low
    lam = (float(np.copysign(by, gaps[end])) - (n - true_n)) / (f - true_f)
    return float(np.clip(lam, low, high))
