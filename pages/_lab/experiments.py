"""Section "Experiments": experiments from the papers. Their results at paper size are stored; the
visitor can also run them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages._live.figure import live_figure
from pages._shared import cache, work_box
from pages._shared.widgets import choose_one, described, explore_link, plain
from prviz import figures
from prviz.live.figure import Pane
from prviz.measure.curve_conventions import PAPERS, SELF_COUNTING, CurveConvention, PaperConvention
from prviz.neighbors.threads import available_threads
from prviz.reports.settings import ExploreSettings
from prviz.studies.kept_rows import Provenance
from prviz.studies.papers import (
    EXPERIMENTS,
    Chart,
    ChartBand,
    ChartLine,
    CurveChart,
    Experiment,
    HeatMap,
    LineChart,
    Mode,
)
from prviz.studies.papers.base import stored
from prviz.studies.papers.forensics import CONVENTION_COLUMNS, DRAWINGS, read_by, spreads_by

IDEA = (
    "How good is an estimate of a precision-recall curve? That can be measured where the true curve"
    " is known. These are the experiments of the papers that the estimators come from: the"
    " published figures beside those measured here."
)
# In a heat map with more rows than this, only the first panel has row labels.
FEW_ROWS = 5
KEPT = "Paper size"
RUN = "Run it yourself"
MODES: dict[Mode, str] = {"quick": "Quick", "paper": "Paper size"}
_HEADS = {
    "ours": ("ours", "Mean over the repeats."),
    "spread": ("± spread", "Standard deviation over the repeats; – for a single one."),
    "repeats": ("repeats", "Fresh samples each."),
    "published": ("published", "As the paper prints it; – where it prints none."),
    "difference": ("difference", "Ours less the published value."),
    "bound": (
        "upper bound",
        "The same number of a curve by this family that is above the true one in at least 95 % of"
        " draws; – without split.",
    ),
}


def draw() -> None:
    names = list(EXPERIMENTS)
    head = st.container(horizontal=True, vertical_alignment="center", key="experiment-head")
    with head:
        name: str = st.selectbox(
            "Experiment",
            names,
            format_func=lambda name: EXPERIMENTS[name].title,
            key=cache.follow_address("experiment", names),
            label_visibility="collapsed",
            width=360,
        )
    cache.write_choice("bias_lab", "experiment", name, names[0])
    experiment = EXPERIMENTS[name]
    try:
        kept = stored(experiment)
    except ValueError as error:
        st.warning(
            plain(f"The result at paper size can't be shown: {error}."),
            icon=":material/broken_image:",
        )
        kept = None
    with head:
        result = RUN
        if kept is not None:
            result = choose_one(
                "Result",
                (KEPT, RUN),
                key=cache.follow_address("result", (KEPT, RUN)),
                label_visibility="collapsed",
            )
            cache.write_choice("bias_lab", "result", result, KEPT)
        with st.popover("About", icon=":material/help:", type="tertiary"):
            st.markdown(f"**{plain(experiment.question)}**")
            st.caption(f"Source: {plain(experiment.source)}")
            if kept is not None:
                st.markdown(plain(experiment.setting("paper")))
                st.caption(plain(facts(kept.facts)))
                _shell(kept.facts.command)
        explore_link(ExploreSettings(**experiment.explore), experiment.explore_title)
    if kept is None or result == RUN:
        _run(experiment)
    else:
        _draw(experiment, kept.rows, complete=True, key="kept")


def _run(experiment: Experiment) -> None:
    mode = choose_one("Size", MODES, "quick", key="mode", label_visibility="collapsed")
    work = work_box.WorkRequest(
        ("experiment", experiment.name, mode),
        f"{experiment.name} {mode}",
        experiment.tasks(mode),
        experiment.columns,
        experiment.seconds(mode) / available_threads(),
    )
    work_box.box(work, lambda rows, complete: _draw(experiment, rows, complete=complete, key="run"))
    with st.expander("What is measured"):
        st.markdown(plain(experiment.setting(mode)))
        _shell(f"prviz experiment {experiment.name}" + (" --paper" if mode == "paper" else ""))


def _shell(line: str) -> None:
    st.caption("The same in the shell:")
    st.code(line, language="bash", wrap_lines=True)


# ---- draw a result: message, figure, table ----


def _draw(experiment: Experiment, rows: pd.DataFrame, *, complete: bool, key: str) -> None:
    """Draw an experiment's message and its figure; below them, folded, a table of all numbers."""
    values = _choices(experiment, rows, key)
    convention: CurveConvention | PaperConvention | None = None
    at = experiment.chosen(rows, values)
    rows = experiment.chosen(
        rows, {name: value for name, value in values.items() if name != experiment.along}
    )
    head = st.container(horizontal=True, vertical_alignment="top")
    message = head.container(width="content")
    if experiment.columns is CONVENTION_COLUMNS:
        with head:
            convention = _convention(key)
        if convention is not None:
            rows = at = read_by(rows, convention)
    said = plain(experiment.message(at))
    message.subheader(said if complete else f"So far: {said}", anchor=False)
    chart = experiment.chart(rows)
    if isinstance(chart, LineChart) and experiment.along:
        chart = replace(chart, mark=float(values[experiment.along]))
    draw_chart(chart, f"experiment-{key}", "The table below holds")
    with st.expander("All numbers"):
        st.markdown(plain(experiment.says(rows)))
        _table(spreads_by(experiment.table(at), convention))


def _choices(experiment: Experiment, rows: pd.DataFrame, key: str) -> dict[str, Any]:
    """Draw the choices that an experiment offers, such as k; return the chosen values by label.

    Only values that have rows are offered.
    """
    if not experiment.choices or not len(rows):
        return {}
    known = experiment.ordered(rows)
    values = dict[str, Any]()
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"experiment-choices-{key}"
    ):
        for label, first in experiment.choices.items():
            offered = list(dict.fromkeys(known[label]))
            begun = first if first in offered else offered[0]
            name = f"{key}-{experiment.name}-{label}"
            if label == experiment.along:
                values[label] = st.select_slider(
                    f"Threshold {label}", offered, begun, key=name, width=240
                )
            else:
                titles = {each: f"k = {each}" if label == "k" else str(each) for each in offered}
                values[label] = choose_one(
                    label, titles, begun, key=name, label_visibility="collapsed"
                )
    return values


def draw_chart(chart: Chart, key: str, numbers: str, height: int | None = None) -> None:
    """Draw every panel of a chart.

    numbers : for screen readers, beginning of the sentence on where the numbers are. height :
    height of each panel in pixels, in place of the panel's own.
    """
    panels = figures.experiment_figures(chart)
    square = isinstance(chart, CurveChart)
    if height is not None:
        panels = {title: figure.update_layout(height=height) for title, figure in panels.items()}
    panes = [
        Pane(
            f"panel{place}",
            figure,
            title,
            square=square,
            alt=_alternative(chart, title, numbers),
            help="" if place else _legend(chart),
        )
        for place, (title, figure) in enumerate(panels.items())
    ]
    many = isinstance(chart, HeatMap) and len(chart.y) > FEW_ROWS
    kind = "side-by-side"
    if many:
        kind = "side-by-side-rows"
    with st.container(key=f"{kind}-{key}"):
        live_figure(key, panes)


def _convention(key: str) -> CurveConvention | PaperConvention | None:
    """Draw a small button that opens the choice of conventions that the paper leaves open.

    Returns None for prviz's own convention.
    """
    texts = "\n".join(f"- **{name}**: {text}" for name, text in SELF_COUNTING.items())
    with st.popover(
        "More",
        icon=":material/tune:",
        type="tertiary",
        help="Conventions that the paper leaves open.",
    ):
        paper = st.selectbox("As computed by", ["prviz", "2024", "2026"], key=f"{key}-paper")
        if paper != "prviz":
            st.caption(
                "Nine rays; kNN and Coverage take a sample for its own neighbour; ± of a mean of"
                " ten runs."
            )
            return PAPERS[paper]
        itself = st.segmented_control(
            "Self-counting",
            list(SELF_COUNTING),
            default="count",
            required=True,
            key=f"{key}-self",
            help=texts,
        )
        drawing = st.selectbox("Curves", DRAWINGS, format_func=_drawing, key=f"{key}-rays")
    convention = CurveConvention(itself, *drawing)
    if convention == CurveConvention():
        return None
    return convention


def _drawing(drawing: tuple[int | None, bool]) -> str:
    rays, gammas = drawing
    if rays is None:
        return "exact"
    return f"{rays:,} rays" + ", thresholds too" * gammas


def facts(provenance: Provenance) -> str:
    """Text on a stored measurement: its date, versions of libraries, machine and seconds."""
    libraries = ", ".join(f"{name} {version}" for name, version in provenance.versions.items())
    return (
        f"Measured on {provenance.date} with {libraries} on {provenance.machine}, in"
        f" {provenance.seconds:,.0f} s."
    )


def _legend(chart: Chart) -> str:
    if isinstance(chart, HeatMap):
        signed = ""
        if chart.signed:
            signed = f" {', '.join(chart.signed)}: red above 0, blue below."
        return (
            f"{chart.label}, from {chart.low:g} to {chart.high:g}, brighter is higher.{signed}"
            f" {chart.note}".strip()
        )
    if isinstance(chart, CurveChart):
        bands = [band for panel in chart.panels.values() for band in panel.values()]
        if _spread(bands):
            area = " Area: one standard deviation over the repeats to either side."
        else:
            area = ""
        truth = ""
        if chart.truths:
            truth = " Dashed: the truth."
        return f"Solid: mean curve over the repeats.{truth}{area}"
    lines = [line for panel in chart.panels.values() for line in panel.values()]
    bars = ""
    if _spread(lines):
        bars = " Bars: one standard deviation to either side."
    return f"Mean over the repeats.{bars}" + (
        " Open symbols: published values." if chart.published else ""
    )


def _spread(series: Sequence[ChartBand | ChartLine]) -> bool:
    """True if at least one of the series has a standard deviation, which needs two repeats."""
    return any(
        np.isfinite(each.sd if isinstance(each, ChartLine) else each.recall_sd).any()
        for each in series
    )


def _alternative(chart: Chart, title: str, numbers: str) -> str:
    if isinstance(chart, HeatMap):
        return f"Heat map of {chart.label} by {', '.join(chart.x)}. {numbers} the numbers."
    names = ", ".join(chart.panels[title])
    if isinstance(chart, CurveChart):
        return f"Precision-recall curves of {names}. {numbers} their numbers."
    return f"{chart.y_title} over {chart.x_title}: {names}. {numbers} the numbers."


def _table(found: pd.DataFrame) -> None:
    """Draw a table of measured means, their spread, the published numbers and the differences from
    these.

    Empty and constant columns are left out.
    """
    optional = ("spread", "published", "difference", "bound")
    empty = [name for name in optional if name in found and found[name].isna().all()]
    same = []
    if "figure" in found and found["figure"].nunique() == 1:
        same = ["figure"]
    shown = found.drop(columns=[*empty, *same])
    if "published" not in shown:
        st.caption("The paper prints no number that these could be compared with.")
    config = {}
    for name in shown.columns:
        head, explanation = _HEADS.get(name, (name, None))
        if "ours" not in shown and shown[name].dtype.kind == "f":
            config[name] = st.column_config.NumberColumn(name, format="%.3f")
        elif name in _HEADS:
            digits = None if name == "repeats" else "%.3f"
            config[name] = st.column_config.NumberColumn(head, help=explanation, format=digits)
        else:
            config[name] = st.column_config.Column(head, help=explanation)
    words = described("Figures of the experiment")
    st.dataframe(shown, hide_index=True, column_config=config, placeholder="–", **words)
