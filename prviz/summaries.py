"""The numbers of a curve that stand in the table, each with its label and one plain sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from prviz.curves import PRCurve

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COMPARISONS", "SUMMARIES", "Summary", "explanations", "summaries", "summary_table"]

TRUTH = "truth"


class Summary(NamedTuple):
    """One number of a curve: its key in exports, its label on screen, what it says, and how to get it."""

    key: str
    label: str
    explanation: str
    of: Callable[[PRCurve], float]


SUMMARIES: tuple[Summary, ...] = (
    Summary(
        "auc",
        "AuC",
        "Area under the curve: 1 when both distributions are equal, 0 when they share nothing.",
        lambda curve: curve.auc,
    ),
    Summary(
        "alpha_inf",
        "α∞, extreme precision",
        "Left end of the curve: the share of generated samples that fall where real ones are possible.",
        lambda curve: curve.extreme_precision,
    ),
    Summary(
        "beta_0",
        "β0, extreme recall",
        "Right end of the curve: the share of real samples that the generator is able to produce.",
        lambda curve: curve.extreme_recall,
    ),
    Summary(
        "f8_precision",
        "F8, leaning to precision",
        "Best balance of precision and recall along the curve when precision counts 8 times as much.",
        lambda curve: curve.f_score(8.0, leaning="precision"),
    ),
    Summary(
        "f8_recall",
        "F8, leaning to recall",
        "Best balance of precision and recall along the curve when recall counts 8 times as much.",
        lambda curve: curve.f_score(8.0, leaning="recall"),
    ),
    Summary(
        "median_precision",
        "PR median, precision",
        "Precision at the point whose ray from the origin halves the area under the curve.",
        lambda curve: curve.median.alpha,
    ),
    Summary(
        "median_recall",
        "PR median, recall",
        "Recall at the point whose ray from the origin halves the area under the curve.",
        lambda curve: curve.median.beta,
    ),
    Summary(
        "alpha_at_005",
        "α@0.05",
        "Precision where recall is 0.05: a left end that single outliers can't move much.",
        lambda curve: curve.precision_at(0.05),
    ),
    Summary(
        "beta_at_005",
        "β@0.05",
        "Recall where precision is 0.05: a right end that single outliers can't move much.",
        lambda curve: curve.recall_at(0.05),
    ),
    Summary(
        "one_minus_tv",
        "1 - TV",
        "Overlap of the two distributions, 1 minus their total variation: precision where it equals recall.",
        lambda curve: 1.0 - curve.total_variation,
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


def explanations() -> dict[str, str]:
    """One plain sentence by column label of `summary_table`."""
    compared = dict(COMPARISONS.values())
    return compared | {summary.label: summary.explanation for summary in SUMMARIES}


def summaries(curve: PRCurve) -> dict[str, float]:
    """Every summary of one curve by key."""
    return {summary.key: float(summary.of(curve)) for summary in SUMMARIES}


def summary_table(curves: Mapping[str, PRCurve], truth: PRCurve | None = None) -> pd.DataFrame:
    """One row per curve, indexed by name: the comparison with the truth if known, then all summaries.

    curves : by name, in the order of the rows.
    truth : the first row, named "truth", with IoU 1; None: no such row, and no columns IoU, excess, deficit.
    """
    import pandas as pd

    shown = list(curves.items()) if truth is None else [(TRUTH, truth), *curves.items()]
    rows = [_row(curve, truth) for _, curve in shown]
    return pd.DataFrame(rows, index=pd.Index([name for name, _ in shown], name="curve", dtype=object))


def _row(curve: PRCurve, truth: PRCurve | None) -> dict[str, float]:
    compared: dict[str, float] = {}
    if truth is not None:
        values = curve.compare(truth)._asdict()
        compared = {label: values[key] for key, (label, _) in COMPARISONS.items()}
    return compared | {summary.label: float(summary.of(curve)) for summary in SUMMARIES}
