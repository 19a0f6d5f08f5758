"""Data like yours: a density of known truth fitted to a pair of sets, and every estimator tried on its samples."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages import _runs
from pages._lab import (
    _stand_in_beside,
    _stand_in_data,
    _stand_in_fits,
    _stand_in_form,
    _stand_in_lines,
    _stand_in_paper,
    _stand_in_verdict,
)
from pages._lab._stand_in_data import Data
from pages._lab._stand_in_fits import Quality
from pages._lab._stand_in_form import KEEP, Asked, Fit
from pages._lab._stand_in_jobs import made
from pages._live import live_figure
from pages._text import plain

IDEA = (
    "How far an estimate is from the truth depends on the data: how many samples, in how many dimensions, of what "
    "shape. Of your own data the truth is unknown. So **a stand-in is fitted to them**: a Gaussian, or a mixture of "
    "several, that looks like your real samples, and another one like your generated samples. Of these the true "
    "precision-recall curve can be computed, and fresh samples can be drawn, as many as you have. What an estimator "
    "gets wrong there, it is likely to get wrong on your data too."
)
OWN, PAPER = "Your data", "The paper's figures 8 to 10"
CURVES, OVER_K, OVER_D = "Curves", "Over k", "Over d"


def show() -> None:
    """The visitor's own pair, or the paper's experiment."""
    view = st.segmented_control(
        "What", [OWN, PAPER], default=OWN, required=True, key="stand-in.view", label_visibility="collapsed", **KEEP
    )
    if view == PAPER:
        _stand_in_paper.show()
        return
    data = _stand_in_data.choose()
    if data is not None:
        _own(data)


def _own(data: Data) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        most = made(_stand_in_fits.directions(data), "nothing can be fitted.")
        if most is None:
            return
        shape = _stand_in_form.fit(most)
        fitted = made(_stand_in_fits.quality(data, shape), "how good the stand-in is, is not known.")
        if fitted is not None:
            _stand_in_fits.card(fitted, data)
    with right:
        asked = _stand_in_form.measured(data, shape, most)
    if asked is not None:
        _measure(data, shape, asked, fitted)


def _measure(data: Data, shape: Fit, asked: Asked, fitted: Quality | None) -> None:
    try:
        work = _stand_in_fits.work(data, shape, asked, fitted, "Data like yours")
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return

    def draw(rows: pd.DataFrame, complete: bool) -> None:
        mine = rows[rows["d"] == shape.d]
        found = _stand_in_verdict.ranked(mine)
        _stand_in_verdict.show(found, data, shape, asked, complete=complete)
        _closer(rows, found, data, shape, asked, fitted if complete else None)

    _runs.box(work, draw)


def _closer(
    rows: pd.DataFrame,
    found: list[_stand_in_verdict.Ranked],
    data: Data,
    shape: Fit,
    asked: Asked,
    fitted: Quality | None,
) -> None:
    """One of the other views of the same rows."""
    views = [CURVES, OVER_K, *([OVER_D] if len(asked.dims) > 1 else [])]
    view = st.segmented_control("Look closer", views, default=views[0], required=True, key="stand-in.closer")
    if view == OVER_D:
        _over_d(rows, asked)
    elif view == OVER_K:
        mine = rows[rows["d"] == shape.d]
        live_figure(
            "stand-in-over-k", _stand_in_lines.panes(mine, "k_used", "neighbours k", ("iou", "excess", "deficit"))
        )
    elif fitted is None:
        st.caption("The curves come when everything is measured.")
    else:
        _stand_in_beside.show(found, data, shape, asked, fitted)


def _over_d(rows: pd.DataFrame, asked: Asked) -> None:
    k = asked.ks[0]
    if len(asked.ks) > 1:
        k = st.segmented_control(
            "Neighbours k",
            list(asked.ks),
            default=k,
            format_func=lambda each: "√n" if each == "sqrt" else str(each),
            required=True,
            key="stand-in.over-d-k",
        )
    some = _stand_in_lines.at_k(rows, k)
    live_figure("stand-in-over-d", _stand_in_lines.panes(some, "d", "dimension d", ("iou", "excess", "deficit")))
