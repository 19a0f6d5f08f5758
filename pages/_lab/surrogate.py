"""Data like yours: a density of known truth fitted to a pair of sets, and every estimator tried on its samples."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages._lab import (
    surrogate_beside,
    surrogate_data,
    surrogate_fits,
    surrogate_form,
    surrogate_lines,
    surrogate_paper,
    surrogate_verdict,
)
from pages._lab.surrogate_data import Data
from pages._lab.surrogate_fits import Quality
from pages._lab.surrogate_form import KEEP, Fit, MeasurementRequest
from pages._live.figure import live_figure
from pages._shared import work_box
from pages._shared.text import plain

IDEA = (
    "How far an estimate is from the truth depends on the data: how many samples, in how many dimensions, of what "
    "shape. Of your own data the truth is unknown. So **a surrogate is fitted to them**: a Gaussian, or a mixture of "
    "several, that looks like your real samples, and another one like your generated samples. Of these the true "
    "precision-recall curve can be computed, and fresh samples can be drawn, as many as you have. What an estimator "
    "gets wrong there, it is likely to get wrong on your data too."
)
OWN, PAPER = "Your data", "The paper's figures 8 to 10"
CURVES, OVER_K, OVER_D = "Curves", "Over k", "Over d"


def show() -> None:
    """Draw the user's own pair, or the paper's experiment."""
    view = st.segmented_control(
        "What", [OWN, PAPER], default=OWN, required=True, key="stand-in.view", label_visibility="collapsed", **KEEP
    )
    if view == PAPER:
        surrogate_paper.show()
        return
    data = surrogate_data.choose()
    if data is not None:
        _own(data)


def _own(data: Data) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        most = work_box.job_result(surrogate_fits.directions(data), "nothing can be fitted.")
        if most is None:
            return
        shape = surrogate_form.fit(most)
        fitted = work_box.job_result(surrogate_fits.quality(data, shape), "how good the surrogate is, is not known.")
        if fitted is not None:
            surrogate_fits.card(fitted, data)
    with right:
        request = surrogate_form.measured(data, shape, most)
    if request is not None:
        _measure(data, shape, request, fitted)


def _measure(data: Data, shape: Fit, request: MeasurementRequest, fitted: Quality | None) -> None:
    try:
        work = surrogate_fits.work(data, shape, request, fitted, "Data like yours")
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return

    def draw(rows: pd.DataFrame, complete: bool) -> None:
        mine = rows[rows["d"] == shape.d]
        found = surrogate_verdict.ranked(mine)
        surrogate_verdict.show(found, data, shape, request, complete=complete)
        _closer(rows, found, data, shape, request, fitted if complete else None)

    work_box.box(work, draw)


def _closer(
    rows: pd.DataFrame,
    found: list[surrogate_verdict.RankedSetting],
    data: Data,
    shape: Fit,
    request: MeasurementRequest,
    fitted: Quality | None,
) -> None:
    """Draw one of the other views of the same rows."""
    views = [CURVES, OVER_K, *([OVER_D] if len(request.dims) > 1 else [])]
    view = st.segmented_control("Look closer", views, default=views[0], required=True, key="stand-in.closer")
    if view == OVER_D:
        _over_d(rows, request)
    elif view == OVER_K:
        mine = rows[rows["d"] == shape.d]
        live_figure(
            "stand-in-over-k", surrogate_lines.panes(mine, "k_used", "neighbours k", ("iou", "excess", "deficit"))
        )
    elif fitted is None:
        st.caption("The curves come when everything is measured.")
    else:
        surrogate_beside.show(found, data, shape, request, fitted)


def _over_d(rows: pd.DataFrame, request: MeasurementRequest) -> None:
    k = request.ks[0]
    if len(request.ks) > 1:
        k = st.segmented_control(
            "Neighbours k",
            list(request.ks),
            default=k,
            format_func=lambda each: "√n" if each == "sqrt" else str(each),
            required=True,
            key="stand-in.over-d-k",
        )
    some = surrogate_lines.at_k(rows, k)
    live_figure("stand-in-over-d", surrogate_lines.panes(some, "d", "dimension d", ("iou", "excess", "deficit")))
