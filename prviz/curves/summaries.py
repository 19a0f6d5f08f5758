"""Summaries of a curve, as in the table: each with its label and a plain sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from prviz.curves.pr_curve import PRCurve

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "COMPARISONS",
    "SUMMARIES",
    "Column",
    "Summary",
    "explanations",
    "numbers",
    "summaries",
    "summary_table",
    "table_columns",
]

TRUTH = "truth"


class Summary(NamedTuple):
    """One number of a curve: key in exports, label on screen, explanation, function and short name.

    The short name heads a column in the terminal, where P is precision and R recall.
    """

    key: str
    label: str
    explanation: str
    of: Callable[[PRCurve], float]
    short: str


class Column(NamedTuple):
    """One column of the table: key in exports, label on screen and explanation."""

    key: str
    label: str
    explanation: str


SUMMARIES: tuple[Summary, ...] = (
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
        "Left end of the curve: the share of generated samples where both distributions have mass, the co-support.",
        lambda curve: curve.extreme_precision,
        "extr P",
    ),
    Summary(
        "beta_0",
        "β0, extreme recall",
        "Right end of the curve: the share of real samples where both distributions have mass, the co-support.",
        lambda curve: curve.extreme_recall,
        "extr R",
    ),
    Summary(
        "f8_precision",
        "F8, leaning to precision",
        "Best balance of precision and recall along the curve when precision counts 8 times as much.",
        lambda curve: curve.f_score(8.0, leaning="precision"),
        "F8 to P",
    ),
    Summary(
        "f8_recall",
        "F8, leaning to recall",
        "Best balance of precision and recall along the curve when recall counts 8 times as much.",
        lambda curve: curve.f_score(8.0, leaning="recall"),
        "F8 to R",
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
        "alpha_at_005",
        "α@0.05",
        "Precision where recall is 0.05: a left end that single outliers can't move much.",
        lambda curve: curve.precision_at(0.05),
        "P@.05",
    ),
    Summary(
        "beta_at_005",
        "β@0.05",
        "Recall where precision is 0.05: a right end that single outliers can't move much.",
        lambda curve: curve.recall_at(0.05),
        "R@.05",
    ),
    Summary(
        "one_minus_tv",
        "1 - TV",
        "Overlap of the two distributions, 1 minus their total variation: precision where it equals recall.",
        lambda curve: 1.0 - curve.total_variation,
        "1-TV",
    ),
)

# Label and explanation of the columns that need a truth, in the order of `Comparison`'s fields.
COMPARISONS: dict[str, tuple[str, str]] = {
    "iou": (
        "IoU",
        "Area shared with the truth, divided by the area that either of the two covers; 1 is perfect.",
    ),
    "excess": ("excess", "Share of that area where the curve lies beyond the truth: too optimistic."),
    "deficit": ("deficit", "Share of that area that the curve misses: too pessimistic."),
}


def table_columns(compared: bool) -> list[Column]:
    """Columns of the table in order; ``compared`` adds those that need a truth."""
    first = [Column(key, *texts) for key, texts in COMPARISONS.items()] if compared else []
    return first + [Column(summary.key, summary.label, summary.explanation) for summary in SUMMARIES]


def explanations() -> dict[str, str]:
    """Explanation of each column of `summary_table`, by its label."""
    return {column.label: column.explanation for column in table_columns(True)}


def summaries(curve: PRCurve) -> dict[str, float]:
    """Every summary of one curve by key."""
    return {summary.key: float(summary.of(curve)) for summary in SUMMARIES}


def numbers(curve: PRCurve, truth: PRCurve | None = None) -> dict[str, float]:
    """One row of the table by key: the comparison with the truth if known, then every summary."""
    compared = {} if truth is None else {key: float(value) for key, value in curve.compare(truth)._asdict().items()}
    return compared | summaries(curve)


def summary_table(curves: Mapping[str, PRCurve], truth: PRCurve | None = None) -> pd.DataFrame:
    """One row per curve, indexed by name: the comparison with the truth if known, then all summaries.

    curves : by name, in the order of the rows.
    truth : the first row, named "truth", with IoU 1; None: no such row, and no columns IoU, excess, deficit.
    """
    import pandas as pd

    shown = list(curves.items()) if truth is None else [(TRUTH, truth), *curves.items()]
    labels = {column.key: column.label for column in table_columns(truth is not None)}
    rows = [{labels[key]: value for key, value in numbers(curve, truth).items()} for _, curve in shown]
    return pd.DataFrame(rows, index=pd.Index([name for name, _ in shown], name="curve", dtype=object))
