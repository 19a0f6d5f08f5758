"""Data like yours: a density of known truth fitted to a pair of sets, and every estimator tried on its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages._lab import (
    surrogate_data,
    surrogate_fits,
    surrogate_form,
    surrogate_lines,
    surrogate_paper,
    surrogate_verdict,
)
from pages._lab.surrogate_data import Data
from pages._lab.surrogate_fits import SCENARIOS, Quality
from pages._lab.surrogate_form import Fit, MeasurementRequest
from pages._lab.surrogate_verdict import RankedSetting
from pages._live.figure import Pane, live_figure
from pages._shared import work_box
from pages._shared.text import plain
from pages._work.jobs import JobRequest, Progress
from prviz import figures
from prviz.curves import PRCurve
from prviz.measure import estimates
from prviz.measure.workload import estimate_seconds, subsample
from prviz.samples import SamplePair

IDEA = (
    "How far an estimate is from the truth depends on the data: how many samples, in how many dimensions, of what "
    "shape. Of your own data the truth is unknown. So **a surrogate is fitted to them**: a Gaussian, or a mixture of "
    "several, that looks like your real samples, and another one like your generated samples. Of these the true "
    "precision-recall curve can be computed, and fresh samples can be drawn, as many as you have. What an estimator "
    "gets wrong there, it is likely to get wrong on your data too."
)
OWN, PAPER = "Your data", "The paper's figures 8 to 10"
CURVES, OVER_K, OVER_D = "Curves", "Over k", "Over d"
# Seed of the fresh sample and of the splits.
SEED = 1
# Area under the true curve below which a message says that the two fits hardly overlap.
HARDLY = 0.02


class CurvesBeside(NamedTuple):
    """Curves by method: of a fresh sample of the surrogate, whose truth is known, and of the data themselves."""

    truth: PRCurve
    fresh: Mapping[str, PRCurve]
    own: Mapping[str, PRCurve]


def show() -> None:
    view = st.segmented_control(
        "What",
        [OWN, PAPER],
        default=OWN,
        required=True,
        key="stand-in.view",
        label_visibility="collapsed",
        persist_state="session",
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
    found: list[RankedSetting],
    data: Data,
    shape: Fit,
    request: MeasurementRequest,
    fitted: Quality | None,
) -> None:
    views = [CURVES, OVER_K, *([OVER_D] if len(request.dims) > 1 else [])]
    view = st.segmented_control("Look closer", views, default=views[0], required=True, key="stand-in.closer")
    measures: tuple[surrogate_lines.Measure, ...] = ("iou", "excess", "deficit")
    if view == OVER_D:
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
        live_figure("stand-in-over-d", surrogate_lines.panes(some, "d", "dimension d", measures))
    elif view == OVER_K:
        mine = rows[rows["d"] == shape.d]
        live_figure("stand-in-over-k", surrogate_lines.panes(mine, "k_used", "neighbours k", measures))
    elif fitted is None:
        st.caption("The curves come when everything is measured.")
    else:
        _beside(found, data, shape, request, fitted)


def _beside(
    found: Sequence[RankedSetting], data: Data, shape: Fit, request: MeasurementRequest, fitted: Quality
) -> None:
    best: dict[str, RankedSetting] = {}
    for each in found:  # the best first
        best.setdefault(each.method, each)
    settings = list(best.values())
    beside: CurvesBeside | None = work_box.job_result(
        _beside_job(settings, data, shape, request, fitted), "these curves were not measured."
    )
    if beside is None:
        return
    notes = {each.method: each.setting for each in settings}
    left = Pane(
        "fresh",
        figures.pr_figure(beside.fresh, truth=beside.truth, notes=notes),
        "The surrogate: its truth and one fresh sample",
        f"Dashed: the true curve of the surrogate, area {beside.truth.auc:.2f}. Solid: what each family's best setting "
        "makes of one fresh sample.",
        square=True,
    )
    right = Pane(
        "own",
        figures.pr_figure(beside.own, notes=notes),
        "Your data: the same settings",
        "Their truth is unknown. Where these curves look like those of the surrogate, they are likely to err alike.",
        square=True,
    )
    if beside.truth.auc < HARDLY:  # the fits of fewer dimensions are projections of these, which overlap no less
        st.info(
            f"In these {shape.d} dimensions the two fits hardly overlap: the area under the true curve is "
            f"{beside.truth.auc:.4f}, and an estimate with any area at all is far off. Fewer dimensions keep more in "
            "common.",
            icon=":material/info:",
        )
    live_figure("stand-in-beside", [left, right])


def _beside_job(
    settings: Sequence[RankedSetting], data: Data, shape: Fit, request: MeasurementRequest, fitted: Quality
) -> JobRequest[Any]:
    pair, n = data.pair, request.n

    def compute(progress: Progress) -> CurvesBeside:
        problem = fitted.surrogate.problem(SCENARIOS[request.scenario][0], request.common)
        fresh = _curves(problem.sample(n or problem.default_n, SEED), settings)
        progress(0.5)
        own = _curves(pair if n is None else subsample(pair, n, SEED), settings)
        return CurvesBeside(problem.truth(), fresh, own)

    sizes = (pair.real.n, pair.generated.n) if n is None else (n, n)
    seconds = len(settings) * (estimate_seconds(*sizes, shape.d) + estimate_seconds(*sizes, pair.d))
    chosen = tuple((each.method, each.k, each.split) for each in settings)
    key = ("stand-in-beside", pair.digest, shape, request.scenario, request.common, n, chosen)
    return JobRequest(key, compute, seconds, "Measuring one fresh sample and your own data")


def _curves(pair: SamplePair, settings: Sequence[RankedSetting]) -> dict[str, PRCurve]:
    return {
        each.method: estimates.pr_curve(
            pair.real, pair.generated, each.method, k="sqrt" if each.k is None else each.k, split=each.split, seed=SEED
        )
        for each in settings
    }
