"""Results of a sweep: a heat map by setting and estimator, and tables."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages._lab import sweep_grid
from pages._live.figure import Pane, live_figure
from prviz import figures
from prviz.curves.summaries import COMPARISONS, SUMMARIES
from prviz.studies.sweeps import SETTINGS, sweep_means

KEY = "lab-sweep"
# Numbers that the heat map can show; AuC is the estimate's alone.
NUMBERS = {
    "iou": ("IoU", COMPARISONS["iou"][1]),
    "excess": ("Excess", "Share of the area under either curve that only the estimate covers: too optimistic."),
    "deficit": ("Deficit", "Share of the area under either curve that only the truth covers: too pessimistic."),
    "auc": ("AuC", next(each.explanation for each in SUMMARIES if each.key == "auc")),
}
# Settings in the heat map; the table has all.
MOST_SETTINGS = 40
# Rows in the table; the files have all.
MOST_ROWS = 500
_ROOTS = {"sqrt": "√n"}


def draw(rows: pd.DataFrame, complete: bool) -> None:
    number = st.segmented_control(
        "Shown",
        list(NUMBERS),
        format_func=lambda key: NUMBERS[key][0],
        default="iou",
        required=True,
        key="sweep.number",
    )
    number = number if number in NUMBERS else "iou"
    means = sweep_means(rows, number)
    texts = [_setting_texts(row) for row in means[list(SETTINGS)].to_dict("records")]
    _figure(means, texts, number, complete)
    _tables(means, rows, number)


def _setting_texts(row: Mapping[Hashable, Any]) -> dict[str, str]:
    """The settings of a row in words, without the estimator and settings that it does not have."""
    found = {"problem": _problem(str(row["problem"]), str(row["parameters"]))}
    values = {name: row[name] for name in ("d", "n", "split", "k", "bandwidth")}
    words = {"split": "no split", "n": "n as published"}
    for name, value in values.items():
        if not pd.isna(value):
            found[name] = f"{name} = {_ROOTS.get(value, value)}"
        elif name in words:
            found[name] = words[name]
    return found


def _problem(name: str, parameters: str) -> str:
    """The problem's title in the form, whatever its dimension."""
    wanted = json.loads(parameters) | {"d": None}
    for title, problem in sweep_grid.problems().items():
        if problem.name == name and json.loads(json.dumps(problem.parameters)) | {"d": None} == wanted:
            return title
    return name


def _labels(texts: Sequence[Mapping[str, str]]) -> tuple[list[str], str]:
    """A label per row with the settings that differ between rows, and a text with the common ones."""
    names = list(dict.fromkeys(name for each in texts for name in each))
    same = [name for name in names if len({each.get(name) for each in texts}) == 1]
    labels = []
    for each in texts:
        lines = each["problem"].split(", ", 1) if "problem" not in same else []
        rest = ", ".join(each[name] for name in names if name in each and name not in (*same, "problem"))
        labels.append("\n".join([*lines, rest]).strip() or each["problem"])
    return labels, ", ".join(texts[0][name] for name in same)


def _figure(means: pd.DataFrame, texts: Sequence[Mapping[str, str]], number: str, complete: bool) -> None:
    (name, explained), (labels, common) = NUMBERS[number], _labels(texts)
    methods, settings = list(dict.fromkeys(means["method"])), list(dict.fromkeys(labels))[:MOST_SETTINGS]
    labelled = means.assign(setting=labels)
    values = {
        part: labelled.pivot(index="setting", columns="method", values=part)
        .reindex(index=settings, columns=methods)
        .to_numpy(dtype=float, na_value=math.nan)
        for part in ("mean", "spread", "repeats")
    }
    figure = figures.sweep_figure(
        methods, settings, **values, label=name, less_is_better=number in ("excess", "deficit")
    )
    words = [explained, "± is the standard deviation over the repeats."]
    words += [f"Everywhere: {common}."] if common else []
    words += [] if complete else ["Not everything is measured yet."]
    left = len(set(labels)) - len(settings)
    words += [f"{left} more settings are in the table."] if left else []
    title = f"{name}, mean over the repeats"
    live_figure(KEY, [Pane("sweep", figure, title, caption=" ".join(words), wide=True)])


def _tables(means: pd.DataFrame, rows: pd.DataFrame, number: str) -> None:
    with st.expander("Means and spreads as a table"):
        st.dataframe(means.drop(columns="parameters").round(4), hide_index=True)
    with st.expander("Every row"):
        st.dataframe(rows.drop(columns=["key", "parameters"]).head(MOST_ROWS).round(4), hide_index=True)
        if len(rows) > MOST_ROWS:
            st.caption(f"The first {MOST_ROWS} of {len(rows)} rows; the files below have all.")
