"""Data like yours: a density of known truth fitted to a pair of sets, and every estimator tried on
its samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

import pandas as pd
import streamlit as st

from pages._explore import controls
from pages._lab import surrogate_fits, surrogate_form, surrogate_paper
from pages._lab.surrogate_fits import SCENARIOS
from pages._lab.surrogate_form import Data, Fit, MeasurementRequest
from pages._live.figure import live_figure
from pages._shared import answers, cache, work_box
from pages._shared.text import plain
from pages._shared.widgets import choose_one
from pages._triage.session import METHOD, METHODS, SPLIT, K
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.figures import SettingError
from prviz.live.figure import Pane
from prviz.live.need import Need
from prviz.measure import estimates
from prviz.measure.estimates import K as Neighbours
from prviz.measure.estimates import Progress
from prviz.measure.workload import estimate_seconds, subsample
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair
from prviz.studies.surrogate import verdict
from prviz.studies.surrogate.choice import CheckedSurrogate
from prviz.studies.surrogate.predictive import (
    LEAST_INSIDE,
    Prediction,
    areas_of,
    own_areas,
    prediction,
)

IDEA = (
    "How far an estimate is from the truth depends on the data: how many samples, in how many"
    " dimensions, of what shape. Of your own data the truth is unknown. So **a surrogate is fitted"
    " to them**: a Gaussian, or a mixture of several, that looks like your real samples, and"
    " another one like your generated samples. Of these the true precision-recall curve can be"
    " computed, and fresh samples can be drawn, as many as you have. What an estimator gets wrong"
    " there, it is likely to get wrong on your data too."
)
CURVES = "Curves"
OVER_K = "Over k"
OVER_D = "Over d"
REFUSED = "No surrogate of your data is good enough; unknown"
# Seed of the fresh sample and of the splits.
SEED = 1
# Area under the true curve below which a message says that the two fits hardly overlap.
HARDLY = 0.02


class CurvesBeside(NamedTuple):
    """Curves by method: of a fresh sample of the surrogate, whose truth is known, and of the data
    themselves.
    """

    truth: PRCurve
    fresh: Mapping[str, PRCurve]
    own: Mapping[str, PRCurve]


def draw() -> None:
    head = st.container(horizontal=True, vertical_alignment="center", key="stand-in-head")
    data = surrogate_form.choose(head)
    if data is None:
        return
    if not isinstance(data, Data):
        surrogate_paper.draw()
        return
    most = answers.result(surrogate_fits.directions(data), "nothing can be fitted.")
    if most is None:
        return
    with head.popover("Settings", icon=":material/tune:"):
        shapes = surrogate_form.fits(most)
        request = surrogate_form.measured(data, shapes[0].d, most)
    with head:
        shape, fitted, tried = surrogate_fits.best(data, shapes)
    if request is None:
        st.warning("Something is missing in the settings.", icon=":material/tune:")
        return
    if fitted is None:
        return
    try:
        work = surrogate_fits.work(data, shape, request, fitted, "Data like yours")
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return

    def draw(rows: pd.DataFrame, complete: bool) -> None:
        mine = rows[rows["d"] == shape.d]
        found = ranked(mine)
        refusal = _refusal(mine, data, shape, request, fitted, complete=complete)
        _conclude(
            refusal, partial(show_verdict, found, data, shape, fitted, tried, complete=complete)
        )
        with st.expander("Look closer", key="stand-in.open", on_change="rerun") as closer:
            if closer.open:
                _closer(rows, found, data, shape, request, fitted if complete else None)
        with st.expander("The surrogate", expanded=bool(refusal)):
            surrogate_fits.card(fitted, data)
        with st.expander("All settings", key="stand-in.table"):
            _table(found)

    work_box.box(work, draw)


def _conclude(refusal: str | None, verdict: Callable[[], None]) -> None:
    """Say why there is no verdict, or draw it once that is known."""
    if refusal:
        st.subheader(REFUSED, anchor=False)
        st.write(refusal)
    elif refusal is not None:
        verdict()


def _refusal(
    rows: pd.DataFrame,
    data: Data,
    shape: Fit,
    request: MeasurementRequest,
    fitted: CheckedSurrogate,
    *,
    complete: bool,
) -> str | None:
    """Why the surrogate is not good enough for a verdict; "" where it is, None until that is known.

    Other scenarios than a pair have other areas, so that only the test of the fit can refuse.
    """
    if fitted.poor:
        return "The best fit is poor, as *The surrogate* shows."
    if not complete or request.scenario != "pair":
        return ""
    found = _prediction(rows, data, shape, request, fitted)
    if found is None or found.passes:
        if found is None:
            return None
        return ""
    return (
        f"{found.inside:.0%} of the settings measure an area on your data that samples of the"
        f" surrogate have too; at least {LEAST_INSIDE:.0%} is asked. On average their areas are"
        f" {found.off:.2f} apart."
    )


def _prediction(
    rows: pd.DataFrame,
    data: Data,
    shape: Fit,
    request: MeasurementRequest,
    fitted: CheckedSurrogate,
) -> Prediction | None:
    """How the areas of settings on the data compare with those on the surrogate; None until that is
    known.
    """
    pair = fitted.surrogate.projected
    settings = list(areas_of(rows))
    n = request.n

    def compute(progress: Progress) -> Prediction:
        measured = pair if n is None else subsample(pair, n, SEED)
        return prediction(rows, own_areas(measured, settings, SEED, progress))

    sizes = (pair.real.n, pair.generated.n) if n is None else (n, n)
    seconds = len(request.splits) * estimate_seconds(*sizes, shape.d, ks=len(request.ks))
    key = ("stand-in-prediction", data.pair.digest, shape, request)
    job = Need(key, compute, seconds, "Measuring your own data", cache.session().results)
    found: Prediction | None = answers.result(job, "whether the surrogate predicts is not known.")
    return found


def _closer(
    rows: pd.DataFrame,
    found: list[RankedSetting],
    data: Data,
    shape: Fit,
    request: MeasurementRequest,
    fitted: CheckedSurrogate | None,
) -> None:
    views = [CURVES, OVER_K, *([OVER_D] if len(request.dims) > 1 else [])]
    view = choose_one("Look closer", views, views[0], key="stand-in.closer")
    measures: tuple[surrogate_paper.Measure, ...] = ("iou", "excess", "deficit")
    if view == OVER_D:
        k = request.ks[0]
        if len(request.ks) > 1:
            titles = {each: "√n" if each == "sqrt" else str(each) for each in request.ks}
            k = choose_one("Neighbours k", titles, k, key="stand-in.over-d-k")
        some = surrogate_paper.at_k(rows, k)
        live_figure("stand-in-over-d", surrogate_paper.panes(some, "d", "dimension d", measures))
    elif view == OVER_K:
        mine = rows[rows["d"] == shape.d]
        live_figure(
            "stand-in-over-k", surrogate_paper.panes(mine, "k_used", "neighbours k", measures)
        )
    elif fitted is None:
        st.caption("The curves come when everything is measured.")
    else:
        _beside(found, data, shape, request, fitted)


def _beside(
    found: Sequence[RankedSetting],
    data: Data,
    shape: Fit,
    request: MeasurementRequest,
    fitted: CheckedSurrogate,
) -> None:
    best: dict[str, RankedSetting] = {}
    for each in found:  # the best first
        best.setdefault(each.method, each)
    settings = list(best.values())
    pair = data.pair
    n = request.n

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
    job = Need(
        key,
        compute,
        seconds,
        "Measuring one fresh sample and your own data",
        cache.session().results,
    )
    beside: CurvesBeside | None = answers.result(job, "these curves were not measured.")
    if beside is None:
        return
    notes = {each.method: each.setting for each in settings}
    left = Pane(
        "fresh",
        figures.pr_figure(beside.fresh, truth=beside.truth, notes=notes),
        "The surrogate: its truth and one fresh sample",
        f"Dashed: the true curve of the surrogate, area {beside.truth.auc:.2f}. Solid: what each"
        " family's best setting makes of one fresh sample.",
        square=True,
    )
    right = Pane(
        "own",
        figures.pr_figure(beside.own, notes=notes),
        "Your data: the same settings",
        "Their truth is unknown. Where these curves look like those of the surrogate, they are"
        " likely to err alike.",
        square=True,
    )
    # the fits of fewer dimensions are projections of these, which overlap no less
    if beside.truth.auc < HARDLY:
        st.info(
            f"In these {shape.d} dimensions the two fits hardly overlap: the area under the true"
            f" curve is {beside.truth.auc:.4f}, and an estimate with any area at all is far off."
            " Fewer dimensions keep more in common.",
            icon=":material/info:",
        )
    live_figure("stand-in-beside", [left, right])


def _curves(pair: SamplePair, settings: Sequence[RankedSetting]) -> dict[str, PRCurve]:
    return {
        each.method: estimates.pr_curve(
            pair.real,
            pair.generated,
            each.method,
            k="sqrt" if each.k is None else each.k,
            split=each.split,
            seed=SEED,
        )
        for each in settings
    }


# Settings in the figure: the best, and the last; the table has all.
MOST_BEST = 10
MOST_LAST = 6
# An IoU below which an estimate tells little.
FAR = 0.5
RANKING_COLUMNS = {
    "rank": st.column_config.NumberColumn(
        "Rank", help="Settings that the repeats do not tell apart from the best are ties."
    ),
    "setting": st.column_config.TextColumn("Setting"),
    "iou": st.column_config.NumberColumn(
        "IoU", format="%.3f", help="Shared area over joint area: 1 is perfect."
    ),
    "spread": st.column_config.NumberColumn(
        "±", format="%.3f", help="Standard deviation of the IoU over the repeats."
    ),
    "excess": st.column_config.NumberColumn(
        "Excess", format="%.3f", help="Invented area: too optimistic."
    ),
    "deficit": st.column_config.NumberColumn(
        "Deficit", format="%.3f", help="Missed area: too pessimistic."
    ),
    "low": st.column_config.NumberColumn(
        "Off from", format="%+.3f", help="Area minus true area, lower end."
    ),
    "high": st.column_config.NumberColumn("to", format="%+.3f", help="Upper end."),
}


class RankedSetting(NamedTuple):
    """One setting with its errors on the surrogate."""

    method: str
    k: Neighbours | None
    split: float | None
    iou: float
    spread: float
    excess: float
    deficit: float
    rank: int
    tie: bool
    error: float
    low: float
    high: float

    @property
    def setting(self) -> str:
        k = "" if self.k is None else f"k = {'√n' if self.k == 'sqrt' else self.k}, "
        return k + ("no split" if self.split is None else f"split {self.split:.0%}")

    @property
    def label(self) -> str:
        return f"{ESTIMATORS[self.method].title}, {self.setting}"

    @property
    def mark(self) -> Literal["best", "", "avoid"]:
        """How the figure marks it: the first in the ranking, and those far from the truth."""
        if self.iou < FAR:
            return "avoid"
        if self.rank == 1:
            return "best"
        return ""

    @property
    def off(self) -> str:
        """How far the area could be off, in words."""
        if math.isnan(self.low):
            return "no curve has any area"
        if self.low >= 0:
            return f"the area could be {self.low:.2f} to {self.high:.2f} too high"
        if self.high <= 0:
            return f"the area could be {-self.high:.2f} to {-self.low:.2f} too low"
        return f"the area could be up to {-self.low:.2f} too low or {self.high:.2f} too high"


def ranked(rows: pd.DataFrame) -> list[RankedSetting]:
    return [
        RankedSetting(
            method=str(row["method"]),
            k=None if pd.isna(row["k"]) else "sqrt" if row["k"] == "sqrt" else int(row["k"]),
            split=None if pd.isna(row["split"]) else float(row["split"]),
            iou=float(row["iou"]),
            spread=float(row["spread"]),
            excess=float(row["excess"]),
            deficit=float(row["deficit"]),
            rank=int(row["rank"]),
            tie=bool(row["tied"]),
            **{name: float(row[name]) for name in ("error", "low", "high")},
        )
        for row in verdict(rows).to_dict("records")
    ]


def show_verdict(
    found: list[RankedSetting],
    data: Data,
    shape: Fit,
    fitted: CheckedSurrogate,
    tried: int,
    *,
    complete: bool,
) -> None:
    """Draw how far the area could be off with the closest setting, the button that applies it, and
    all as intervals.
    """
    best = found[0]

    def apply() -> None:
        controls.put(applied(best, data.settings))
        st.session_state.update({METHODS: [best.method], SPLIT: best.split, METHOD: ""})
        if best.k is not None:
            st.session_state[K] = None if best.k == "sqrt" else best.k
        cache.wish_page("pages/explore.py")

    far = " :red-badge[far from the truth]" if best.iou < FAR else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        said = best.off if complete else f"so far, {best.off}"
        st.subheader(f"{best.label}: {said}{far}", anchor=False, width="content")
        st.button(
            "Apply",
            type="primary",
            icon=":material/arrow_forward:",
            key="stand-in.apply",
            on_click=apply,
            help=f"Sets Explore and Triage to {best.label}.",
        )
    if cache.page_wished():
        st.rerun()
    many = f", the best fit of {tried}" if tried > 1 else ""
    if len(found) <= MOST_BEST + MOST_LAST:
        shown = found
    else:
        shown = [*found[:MOST_BEST], *found[-MOST_LAST:]]
    drawn = [
        SettingError(each.method, each.setting, each.error, each.low, each.high, each.mark)
        for each in shown
    ]
    pane = Pane(
        "ranked",
        figures.error_intervals(drawn),
        f"Area minus true area on a surrogate{many}: {shape.words}, d = {shape.d}",
        wide=True,
        alt=(
            "Intervals of the error of each setting, the closest first; all numbers are in the"
            " table below."
        ),
        help=(
            f"★ closest to the truth of {len(found)} settings, ✕ avoid (IoU below {FAR:g}). Each"
            " line holds 95% of fresh samples of the surrogate, were errors normal. How far your"
            " own area is off also depends on how well the surrogate fits."
        ),
    )
    live_figure("stand-in-ranked", [pane])


def _table(found: list[RankedSetting]) -> None:
    rows = [
        (
            each.rank,
            each.label,
            each.iou,
            each.spread,
            each.excess,
            each.deficit,
            each.low,
            each.high,
        )
        for each in found
    ]
    st.dataframe(
        pd.DataFrame(rows, columns=list(RANKING_COLUMNS)),
        hide_index=True,
        column_config=RANKING_COLUMNS,
    )


def applied(best: RankedSetting, settings: ExploreSettings) -> ExploreSettings:
    """Explore's settings with this family, k and split."""
    k = settings.k if best.k is None else best.k
    return replace(settings, methods=(best.method,), k=k, split=best.split, bandwidth=None)
