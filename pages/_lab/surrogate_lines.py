"""Lines over k or over d, from the rows of a measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pages._live.figure import Pane
from prviz import figures
from prviz.figures import SettingLine
from prviz.measure.estimates import K

Measure = Literal["iou", "excess", "deficit"]
NAMES: dict[Measure, str] = {"iou": "IoU with the truth", "excess": "excess", "deficit": "deficit"}
SAYS: dict[Measure, str] = {
    "iou": "Shared area over joint area of estimate and truth: 1 is perfect.",
    "excess": "Area that the estimate has invented, as a share of the joint area: too optimistic.",
    "deficit": "Area that the estimate has missed, as a share of the joint area: too pessimistic.",
}
MARKS = "Filled marks: with a split; open marks: without. Bars: ± one standard deviation over the repeats."


def at_k(rows: pd.DataFrame, k: K) -> pd.DataFrame:
    """Rows of one k, and of families without k."""
    return rows[(rows["k"] == str(k)) | rows["k"].isna()]


def lines(rows: pd.DataFrame, x: Literal["k_used", "d"], measure: Measure) -> list[SettingLine]:
    """One line per family and split, in the order of the rows."""
    found = []
    for _, part in rows.groupby(["method", "split"], dropna=False, sort=False):
        method, split = str(part["method"].iloc[0]), part["split"].iloc[0]
        xs: list[float] = []
        means, spreads = [part[measure].mean()], [_spread(part[measure])]
        if part[x].notna().any():
            groups = part.groupby(x)[measure]
            xs, means = [float(value) for value in groups.mean().index], groups.mean().tolist()
            spreads = [_spread(values) for _, values in groups]
        found.append(SettingLine(method, None if pd.isna(split) else float(split), xs, means, spreads))
    return found


def _spread(values: pd.Series) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def panes(rows: pd.DataFrame, x: Literal["k_used", "d"], xlabel: str, measures: Sequence[Measure]) -> list[Pane]:
    """One pane per measure: the first wide, with the legend, the others side by side."""
    found = []
    for place, measure in enumerate(measures):
        figure = figures.setting_lines_figure(
            lines(rows, x, measure),
            xlabel=xlabel,
            ylabel=NAMES[measure],
            top=1.0 if measure == "iou" else None,
            legend=place == 0,
            height=420 if place == 0 else 300,
        )
        caption = f"{SAYS[measure]} {MARKS}" if place == 0 else SAYS[measure]
        title = f"{NAMES[measure][0].upper()}{NAMES[measure][1:]} over {xlabel}"
        found.append(Pane(f"{x}-{measure}", figure, title, caption, wide=place == 0))
    return found
