"""Settings ranked by their closeness to the truth of a surrogate, with direction and size of their errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Prefer", "verdict"]

Prefer = Literal["iou", "excess", "deficit"]

# Columns within which settings are ranked, and columns that identify a setting.
_AMONG = ["d", "n"]
_SETTING = [*_AMONG, "method", "k", "bandwidth", "split"]
_VALUES = ["iou", "excess", "deficit"]


def verdict(rows: pd.DataFrame, prefer: Prefer = "iou") -> pd.DataFrame:
    """Settings ranked among those of the same d and n, the best first; the order of the rows does not matter.

    Parameters
    ----------
    rows : those of `hybrid_tasks`. Means are taken over the repeats of every scenario, then over the scenarios, each of
        which counts the same: the paper's scenarios favour curves that are too low or too high.
    prefer : "iou", the largest is best; "excess" or "deficit", the smallest is.

    Returns
    -------
    One line per setting: d, n, rank (from 1, within d and n; equal numbers for equal values), method, k, bandwidth,
    split, iou, spread (standard deviation of the preferred number over repeats; nan with a single one), excess and
    deficit (the expected areas of overestimation and of underestimation), repeats and scenarios (their numbers), and
    tied: True for the best, and for settings no farther from it than the larger of their two spreads. Settings measured
    in fewer scenarios than others, as during a run, come last and are not tied.

    Raises
    ------
    ValueError : another ``prefer``, or rows without a known truth.
    """
    if prefer not in get_args(Prefer):
        raise ValueError(f"prefer = {prefer!r}; one of {', '.join(get_args(Prefer))} is needed")
    if len(rows) and rows[_VALUES].isna().any(axis=None):
        raise ValueError("rows has some without iou, excess and deficit; rows of pairs whose truth is known are needed")
    table = _means(rows, prefer)
    keys = ["scenarios", prefer, "method", "k", "bandwidth", "split"]
    rising = [False, prefer != "iou", True, True, True, True]
    table = table.sort_values([*_AMONG, *keys], ascending=[True, True, *rising], ignore_index=True)
    groups = [_ranked(group, prefer) for _, group in table.groupby(_AMONG, dropna=False, sort=False)]
    columns = ["d", "n", "rank", "method", "k", "bandwidth", "split", "iou", "spread", "excess", "deficit"]
    return _joined(groups, table)[[*columns, "repeats", "scenarios", "tied"]]


def _means(rows: pd.DataFrame, prefer: Prefer) -> pd.DataFrame:
    """A line per setting: means over its scenarios, and the root of the mean variance over repeats."""
    told = rows.drop_duplicates("key").sort_values("key")
    scenarios = told["parameters"].map(_scenario)
    grouped = told.groupby([*(told[name] for name in _SETTING), scenarios.rename("scenario")], dropna=False)
    found = grouped[_VALUES].mean()
    found["variance"] = grouped[prefer].var()
    found["repeats"] = grouped.size()
    settings = found.reset_index().groupby(_SETTING, dropna=False)
    table = settings[_VALUES].mean()
    table["spread"] = np.sqrt(settings["variance"].mean())
    table["repeats"] = settings["repeats"].min()
    table["scenarios"] = settings.size()
    return table.reset_index()


def _scenario(parameters: Any) -> str:
    """The scenario that a row's parameters name."""
    return str(json.loads(parameters).get("scenario", ""))


def _ranked(group: pd.DataFrame, prefer: Prefer) -> pd.DataFrame:
    """Settings of one d and n, best first, with rank and tied."""
    complete = group["scenarios"] == group["scenarios"].iloc[0]
    gap = (group[prefer] - group[prefer].iloc[0]).abs()
    spread = group["spread"].fillna(0.0)
    tied = complete & (gap <= np.maximum(spread, spread.iloc[0]))
    changed = (group[prefer].diff() != 0) | (group["scenarios"].diff() != 0)
    places = np.arange(1, len(group) + 1)
    return group.assign(rank=np.maximum.accumulate(np.where(changed, places, 0)), tied=tied)


def _joined(groups: list[pd.DataFrame], empty: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    return pd.concat(groups, ignore_index=True) if groups else empty.assign(rank=0, tied=False)
