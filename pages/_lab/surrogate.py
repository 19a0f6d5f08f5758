"""Data like yours: a density of known truth fitted to a pair of sets, and every estimator tried on its samples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages._explore import controls
from pages._lab import surrogate_fits, surrogate_form, surrogate_paper
from pages._lab.surrogate_fits import SCENARIOS, Quality
from pages._lab.surrogate_form import Data, Fit, MeasurementRequest
from pages._live.figure import Pane, live_figure
from pages._shared import cache, work_box
from pages._shared.text import plain
from pages._shared.widgets import choose_one
from pages._work.jobs import JobRequest, Progress
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.figures import RankedBar
from prviz.measure import estimates
from prviz.measure.estimates import K
from prviz.measure.workload import estimate_seconds, subsample
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair
from prviz.studies.surrogate import verdict

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


def draw() -> None:
    look: dict[str, Any] = {"label_visibility": "collapsed", "persist_state": "session"}
    if choose_one("What", [OWN, PAPER], OWN, key="stand-in.view", **look) == PAPER:
        surrogate_paper.draw()
        return
    data = surrogate_form.choose()
    if data is None:
        return
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
    if request is None:
        return
    try:
        work = surrogate_fits.work(data, shape, request, fitted, "Data like yours")
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return

    def draw(rows: pd.DataFrame, complete: bool) -> None:
        found = ranked(rows[rows["d"] == shape.d])
        show_verdict(found, data, shape, request, complete=complete)
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
        live_figure("stand-in-over-k", surrogate_paper.panes(mine, "k_used", "neighbours k", measures))
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
    job = JobRequest(key, compute, seconds, "Measuring one fresh sample and your own data")
    beside: CurvesBeside | None = work_box.job_result(job, "these curves were not measured.")
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


def _curves(pair: SamplePair, settings: Sequence[RankedSetting]) -> dict[str, PRCurve]:
    return {
        each.method: estimates.pr_curve(
            pair.real, pair.generated, each.method, k="sqrt" if each.k is None else each.k, split=each.split, seed=SEED
        )
        for each in settings
    }


# Bars in the figure; the table has all settings.
MOST_BARS = 12
# Share of the joint area: a smaller difference of excess and deficit counts as none.
EVEN = 0.01
# An IoU below which an estimate tells little.
FAR = 0.5
RANKING_COLUMNS = {
    "rank": st.column_config.NumberColumn(
        "Rank", help="Settings that the repeats do not tell apart from the best are ties."
    ),
    "setting": st.column_config.TextColumn("Setting"),
    "iou": st.column_config.NumberColumn("IoU", format="%.3f", help="Shared area over joint area: 1 is perfect."),
    "spread": st.column_config.NumberColumn("±", format="%.3f", help="Standard deviation of the IoU over the repeats."),
    "excess": st.column_config.NumberColumn("Excess", format="%.3f", help="Invented area: too optimistic."),
    "deficit": st.column_config.NumberColumn("Deficit", format="%.3f", help="Missed area: too pessimistic."),
    "tie": st.column_config.TextColumn("Tie", help="Not told apart from the best by so few repeats."),
}


class RankedSetting(NamedTuple):
    """One setting with its errors on the surrogate."""

    method: str
    k: K | None
    split: float | None
    iou: float
    spread: float
    excess: float
    deficit: float
    rank: int
    tie: bool

    @property
    def setting(self) -> str:
        k = "" if self.k is None else f"k = {'√n' if self.k == 'sqrt' else self.k}, "
        return k + ("no split" if self.split is None else f"split {self.split:.0%}")

    @property
    def label(self) -> str:
        return f"{ESTIMATORS[self.method].title}, {self.setting}"

    @property
    def accuracy(self) -> str:
        """IoU with its spread (none for a single repeat), as text."""
        return f"{self.iou:.2f}" + ("" if math.isnan(self.spread) else f" ± {self.spread:.2f}")

    @property
    def words(self) -> str:
        both = f"invents {self.excess:.0%} of the joint area (excess) and misses {self.deficit:.0%} of it (deficit)"
        if abs(self.excess - self.deficit) < EVEN:
            return f"it {both}: it leans to neither side"
        return f"it {both}: on the whole it is too {'optimistic' if self.excess > self.deficit else 'pessimistic'}"


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
        )
        for row in verdict(rows).to_dict("records")
    ]


def show_verdict(
    found: list[RankedSetting], data: Data, shape: Fit, request: MeasurementRequest, *, complete: bool
) -> None:
    """Draw the verdict as text, bars and table, and the button that applies it."""
    sizes = data.sizes if request.n is None else f"but only {request.n:,} samples per set"
    best, ties = found[0], [each for each in found[1:] if each.tie]
    st.markdown("##### 3. The verdict for your data" + ("" if complete else " :gray-badge[so far]"))
    st.markdown(
        f"On data like yours ({sizes}, d = {shape.d}, {shape.words}), **{best.label}** comes closest "
        f"to the truth: IoU {best.accuracy}. Keep in mind that {best.words}."
    )
    if ties:
        names = "; ".join(each.label for each in ties[:4]) + ("; and others" if len(ties) > 4 else "")
        st.caption(f"The repeats do not tell it apart from: {names}.")
    if best.iou < FAR:
        st.warning(
            "Even the best of these settings is far from the truth on data like yours: don't trust such a curve.",
            icon=":material/warning:",
        )

    def apply() -> None:
        controls.put(applied(best, data.settings))
        cache.wish_page("pages/explore.py")

    label = f"Apply to your real curve: {best.label}"
    st.button(label, type="primary", icon=":material/arrow_forward:", key="stand-in.apply", on_click=apply)
    if cache.page_wished():
        st.rerun()
    bars = [RankedBar(each.method, each.setting, *each[3:7]) for each in found[:MOST_BARS]]
    caption = "Beside each name its IoU with the truth, ± one standard deviation over the repeats; 1 is perfect." + (
        f" The best {MOST_BARS} of {len(found)} settings." if len(found) > MOST_BARS else ""
    )
    title = "Closest to the truth first"
    live_figure("stand-in-ranked", [Pane("ranked", figures.ranked_bars(bars), title, caption, wide=True)])
    with st.expander("The ranking as a table", key="stand-in.table"):
        rows = [
            (each.rank, each.label, *each[3:7], "with the best" if each.tie and place else "")
            for place, each in enumerate(found)
        ]
        st.dataframe(pd.DataFrame(rows, columns=list(RANKING_COLUMNS)), hide_index=True, column_config=RANKING_COLUMNS)


def applied(best: RankedSetting, settings: ExploreSettings) -> ExploreSettings:
    """Explore's settings with this family, k and split."""
    k = settings.k if best.k is None else best.k
    return replace(settings, methods=(best.method,), k=k, split=best.split, bandwidth=None)
