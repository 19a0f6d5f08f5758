"""Section "Data like yours": ranks estimators on a surrogate of a pair of sets.

The surrogate is a density whose true curve is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import pandas as pd
import streamlit as st

from pages._explore import controls
from pages._lab import surrogate_fits, surrogate_form, surrogate_paper
from pages._lab.surrogate_form import Data, MeasurementRequest
from pages._live.figure import live_figure
from pages._shared import answers, cache, work_box
from pages._shared.widgets import choose_one, plain, say_refusal
from pages._triage.session import METHOD, METHODS, SPLIT, K
from prviz import figures
from prviz.curves import NamedCurves, PRCurve
from prviz.figures import SettingError
from prviz.live.figure import Pane
from prviz.live.need import Need
from prviz.measure import estimates
from prviz.measure.estimates import K as Neighbours, Progress
from prviz.measure.workload import estimate_seconds, subsample
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair
from prviz.studies.surrogate import Prediction, Surrogate, verdict
from prviz.studies.surrogate.predictive import LEAST_INSIDE

IDEA = (
    "How far an estimate is from the truth depends on the data: how many samples, in how many"
    " dimensions, of what shape. Of your own data the truth is unknown. So **a surrogate is made of"
    " them**: a small Gaussian around every sample, each real or generated as often as a classifier"
    " that has not seen it says. Of this density the true precision-recall curve can be computed,"
    " and fresh samples can be drawn, as many as you have. Where estimators measure the same areas"
    " on them as on your data, what an estimator gets wrong there, it is likely to get wrong on"
    " your data too; where they don't, nothing is recommended."
)
CURVES = "Curves"
OVER_K = "Over k"
OVER_D = "Over d"
REFUSED = "No surrogate of your data is good enough; unknown"
# Seed of the sample that is drawn from the surrogate, and of all splits.
SEED = 1
# If the area under the surrogate's true curve is below this, a message says that the two sets
# hardly overlap.
HARDLY = 0.02


class CurvesBeside(NamedTuple):
    """The surrogate's true curve, and curves by family: of a fresh sample from the surrogate
    (fresh), and of the user's data (own).
    """

    truth: PRCurve
    fresh: NamedCurves
    own: NamedCurves


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
        d = surrogate_form.dimension(most)
        request = surrogate_form.measured(data, d, most)
    if request is None:
        st.warning("Something is missing in the settings.", icon=":material/tune:")
        return
    made: Surrogate | None = answers.result(
        surrogate_fits.surrogate(data, d), "no surrogate can be made."
    )
    if made is None or made.prediction is None:
        return
    if not made.prediction.passes:
        st.subheader(REFUSED, anchor=False)
        st.write(refusal(made.prediction))
        surrogate_fits.card(made, made.prediction, data)
        return
    try:
        work = surrogate_fits.work(data, d, request, made, "Data like yours")
    except ValueError as error:
        say_refusal(plain(str(error)))
        return
    prediction = made.prediction

    def draw(rows: pd.DataFrame, complete: bool) -> None:
        found = ranked(rows[rows["d"] == d])
        show_verdict(found, data, d, complete=complete)
        with st.expander("Look closer", key="stand-in.open", on_change="rerun") as closer:
            if closer.open:
                _closer(rows, found, data, d, request, made if complete else None)
        with st.expander("The surrogate"):
            surrogate_fits.card(made, prediction, data)
        with st.expander("All settings", key="stand-in.table"):
            _table(found)

    work_box.box(work, draw)


def refusal(prediction: Prediction) -> str:
    """Text that says why the surrogate fails its predictive check."""
    if prediction.inside < LEAST_INSIDE:
        return (
            f"{100 * prediction.inside:.0f} % of the settings measure an area on your data that"
            " they also measure on samples of the surrogate; at least"
            f" {100 * LEAST_INSIDE:.0f} % is required. On average the two areas are"
            f" {prediction.off:.2f} apart."
        )
    if prediction.sharpness > 1:
        return (
            "On your data, settings measure smaller areas than on the surrogate: its classifier"
            " misses what tells the sets apart."
        )
    return (
        "On your data, settings measure larger areas than on the surrogate: its classifier tells"
        " samples apart that these settings do not."
    )


def _closer(
    rows: pd.DataFrame,
    found: list[RankedSetting],
    data: Data,
    d: int,
    request: MeasurementRequest,
    made: Surrogate | None,
) -> None:
    views = [CURVES, OVER_K, *([OVER_D] if len(request.dims) > 1 else [])]
    view = choose_one(
        "Look closer", views, views[0], key="stand-in.closer", label_visibility="collapsed"
    )
    measures: tuple[surrogate_paper.Measure, ...] = ("iou", "excess", "deficit")
    if view == OVER_D:
        k = request.ks[0]
        if len(request.ks) > 1:
            titles = {each: "√n" if each == "sqrt" else str(each) for each in request.ks}
            k = choose_one("Neighbours k", titles, k, key="stand-in.over-d-k")
        some = surrogate_paper.at_k(rows, k)
        live_figure("stand-in-over-d", surrogate_paper.panes(some, "d", "dimension d", measures))
    elif view == OVER_K:
        mine = rows[rows["d"] == d]
        live_figure(
            "stand-in-over-k", surrogate_paper.panes(mine, "k_used", "neighbours k", measures)
        )
    elif made is None:
        st.caption("The curves come when everything is measured.")
    else:
        _beside(found, data, d, request, made)


def _beside(
    found: Sequence[RankedSetting],
    data: Data,
    d: int,
    request: MeasurementRequest,
    made: Surrogate,
) -> None:
    best: dict[str, RankedSetting] = {}
    for each in found:  # the best setting is first: keep each family's first
        best.setdefault(each.method, each)
    settings = list(best.values())
    pair = data.pair
    n = request.n

    def compute(progress: Progress) -> CurvesBeside:
        problem = made.problem()
        fresh = _curves(problem.sample(n or problem.default_n, SEED), settings)
        progress(0.5)
        own = _curves(pair if n is None else subsample(pair, n, SEED), settings)
        return CurvesBeside(problem.truth(), fresh, own)

    sizes = (pair.real.n, pair.generated.n) if n is None else (n, n)
    seconds = len(settings) * (estimate_seconds(*sizes, d) + estimate_seconds(*sizes, pair.d))
    chosen = tuple((each.method, each.k, each.split) for each in settings)
    key = ("stand-in-beside", pair.digest, d, n, chosen)
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
    if beside.truth.auc < HARDLY:
        st.info(
            f"In these {d} dimensions the two sets hardly overlap: the area under the true"
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


# The figure shows at most this many of the best settings (MOST_BEST) and of the worst (MOST_LAST);
# the table has all.
MOST_BEST = 10
MOST_LAST = 6
# A setting whose IoU with the truth is below this counts as far from the truth.
FAR = 0.5
# Columns of numbers in the table: label, format and help text, by field of RankedSetting.
_NUMBERS = {
    "iou": ("IoU", "%.3f", "Shared area over joint area: 1 is perfect."),
    "spread": ("±", "%.3f", "Standard deviation of the IoU over the repeats."),
    "excess": ("Excess", "%.3f", "Invented area: too optimistic."),
    "deficit": ("Deficit", "%.3f", "Missed area: too pessimistic."),
    "low": ("Off from", "%.3f", "Area minus true area: lower end of its interval."),
    "high": ("to", "%.3f", "Upper end of the interval."),
}
RANKING_COLUMNS = {
    "rank": st.column_config.NumberColumn(
        "Rank", help="Settings that the repeats do not tell apart from the best are ties."
    ),
    "setting": st.column_config.TextColumn("Setting"),
    **{
        name: st.column_config.NumberColumn(label, format=digits, help=about)
        for name, (label, digits, about) in _NUMBERS.items()
    },
}


class RankedSetting(NamedTuple):
    """One setting (family, k, split) with its errors on the surrogate."""

    method: str
    k: Neighbours | None
    split: float | None
    iou: float
    spread: float
    excess: float
    deficit: float
    rank: int
    error: float
    low: float
    high: float

    @property
    def setting(self) -> str:
        return self.label.partition(", ")[2]

    @property
    def label(self) -> str:
        return surrogate_fits.setting_text(self.method, self.k, self.split)

    @property
    def mark(self) -> Literal["best", "", "avoid"]:
        """The setting's mark in the figure: "best" for the first of the ranking, "avoid" for
        settings far from the truth.
        """
        if self.iou < FAR:
            return "avoid"
        if self.rank == 1:
            return "best"
        return ""

    @property
    def off(self) -> str:
        """Text that says how far the area could be from the true area."""
        if math.isnan(self.low):
            return "no curve has any area"
        if self.low >= 0:
            return f"the area could be {self.low:.2f} to {self.high:.2f} too high"
        if self.high <= 0:
            return f"the area could be {-self.high:.2f} to {-self.low:.2f} too low"
        return f"the area could be up to {-self.low:.2f} too low or {self.high:.2f} too high"


def ranked(rows: pd.DataFrame) -> list[RankedSetting]:
    found = []
    for row in verdict(rows).to_dict("records"):
        k = None if pd.isna(row["k"]) else row["k"]
        setting = RankedSetting(
            method=str(row["method"]),
            k=k if k in (None, "sqrt") else int(k),
            split=None if pd.isna(row["split"]) else float(row["split"]),
            rank=int(row["rank"]),
            **{name: float(row[name]) for name in ("error", *_NUMBERS)},
        )
        found.append(setting)
    return found


def show_verdict(
    found: list[RankedSetting],
    data: Data,
    d: int,
    *,
    complete: bool,
) -> None:
    """Draw how far the area could be from the true one with the best setting, a button that applies
    this setting, and a figure of every setting's error.
    """
    best = found[0]

    def apply() -> None:
        controls.put(applied(best, data.settings))
        st.session_state.update({METHODS: [best.method], SPLIT: best.split, METHOD: ""})
        if best.k is not None:
            st.session_state[K] = None if best.k == "sqrt" else best.k
        cache.wish_page("pages/explore.py")

    far = ""
    if best.iou < FAR:
        far = " :red-badge[far from the truth]"
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
        f"Area minus true area on a surrogate of your data, d = {d}",
        wide=True,
        alt=(
            "Intervals of the error of each setting, the closest first; all numbers are in the"
            " table below."
        ),
        help=(
            f"★ closest to the truth of {len(found)} settings, ✕ avoid (IoU below {FAR:g}). Each"
            " line holds 95 % of fresh samples of the surrogate, were errors normal."
        ),
    )
    live_figure("stand-in-ranked", [pane])


def _table(found: list[RankedSetting]) -> None:
    rows = pd.DataFrame([{**each._asdict(), "setting": each.label} for each in found])
    st.dataframe(
        rows[list(RANKING_COLUMNS)],
        hide_index=True,
        column_config=RANKING_COLUMNS,
    )


def applied(best: RankedSetting, settings: ExploreSettings) -> ExploreSettings:
    """The settings of Explore with the family, k and split of `best`."""
    k = settings.k if best.k is None else best.k
    return replace(settings, methods=(best.method,), k=k, split=best.split, bandwidth=None)
