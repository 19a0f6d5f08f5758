"""Texts and table columns of the experiments' section, and each experiment's settings for Explore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from prviz.reports.settings import ExploreSettings
from prviz.studies.kept_rows import Provenance
from prviz.studies.papers import Chart, ChartBand, ChartLine, CurveChart, HeatMap

_HEADS = {
    "ours": ("ours", "Mean over the repeats."),
    "spread": ("± spread", "Standard deviation over the repeats; – for a single one."),
    "repeats": ("repeats", "Fresh samples each."),
    "published": ("published", "As the paper prints it; – where it prints none."),
    "difference": ("difference", "Ours less the published value."),
}


def facts(provenance: Provenance) -> str:
    """Date, versions, machine and seconds of a measurement, as text."""
    libraries = ", ".join(f"{name} {version}" for name, version in provenance.versions.items())
    return f"Measured on {provenance.date} with {libraries} on {provenance.machine}, in {provenance.seconds:,.0f} s."


def legend(chart: Chart) -> str:
    """Text that explains the chart."""
    if isinstance(chart, HeatMap):
        return f"{chart.label}: the brighter, the higher, from {chart.low:g} to {chart.high:g}."
    if isinstance(chart, CurveChart):
        bands = [band for panel in chart.panels.values() for band in panel.values()]
        area = " Area: one standard deviation over the repeats to either side." if _spread(bands) else ""
        return f"Solid: mean curve over the repeats. Dashed: the truth.{area}"
    lines = [line for panel in chart.panels.values() for line in panel.values()]
    bars = " Bars: one standard deviation to either side." if _spread(lines) else ""
    return f"Mean over the repeats.{bars}" + (" Open symbols: published values." if chart.published else "")


def _spread(series: Sequence[ChartBand | ChartLine]) -> bool:
    """True if any of the series has a standard deviation; a single repeat has none."""
    return any(np.isfinite(each.sd if isinstance(each, ChartLine) else each.recall_sd).any() for each in series)


def alternative(chart: Chart, title: str) -> str:
    """Alternative text of a panel."""
    if isinstance(chart, HeatMap):
        return f"Heat map of {chart.label} by {', '.join(chart.x)}. The table below holds the numbers."
    names = ", ".join(chart.panels[title])
    if isinstance(chart, CurveChart):
        return f"Precision-recall curves of {names}. The table below holds their numbers."
    return f"{chart.y_title} over {chart.x_title}: {names}. The table below holds the numbers."


def table(found: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The columns that are not empty or constant, and their configuration."""
    empty = [name for name in ("spread", "published", "difference") if found[name].isna().all()]
    same = ["figure"] if found["figure"].nunique() == 1 else []
    shown = found.drop(columns=[*empty, *same])
    config: dict[str, Any] = {}
    for name in shown.columns:
        head, explanation = _HEADS.get(name, (name, None))
        format_ = "%+.3f" if name == "difference" else "%.3f"
        config[name] = (
            st.column_config.NumberColumn(head, help=explanation, format=None if name == "repeats" else format_)
            if name in _HEADS
            else st.column_config.Column(head, help=explanation)
        )
    return shown, config


_SAME = "Open this setting in Explore"
_CLASSES = ("cluster", "classifier", "knn")

# By experiment: one of its settings, with the paper's own number of samples.
EXPLORE: dict[str, tuple[ExploreSettings, str]] = {
    "table1": (ExploreSettings(problem="shifted-gaussians", parameters={"mu": 0.375}, n=10_000), _SAME),
    "mixtures": (ExploreSettings(problem="mixtures", n=10_000), _SAME),
    "same": (ExploreSettings(problem="identical", n=10_000, split=None), _SAME),
    "outlier": (ExploreSettings(problem="outlier", parameters={"mu": 0.375}, n=10_000, k=4, split=None), _SAME),
    "dimension": (ExploreSettings(problem="high-dimension", parameters={"d": 2048, "shift": 1.0}, n=10_000), _SAME),
    "sample-size": (
        ExploreSettings(problem="shifted-gaussians", parameters={"mu": 5 / 24}, n=1_000, repeats=10),
        _SAME,
    ),
    "truncation": (
        ExploreSettings("bundled", "truncation-0.5", n=1_797, methods=("knn", "ipr", "coverage")),
        "Open psi = 0.5 in Explore",
    ),
    "digits": (
        ExploreSettings("bundled", "digits-held-out", n=899, methods=(*_CLASSES, "coverage")),
        "Open both halves with all their classes in Explore",
    ),
    "common-classes": (ExploreSettings(problem="classes", parameters={"share": 0.5}, n=8_000, methods=_CLASSES), _SAME),
}
