"""The verdict: the settings closest to the truth on the surrogate, and a button that applies the best one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import pandas as pd
import streamlit as st

from pages._explore import controls
from pages._lab.surrogate_data import Data
from pages._lab.surrogate_form import Fit, MeasurementRequest
from pages._live.figure import Pane, live_figure
from pages._shared import leave
from prviz import figures
from prviz.estimators import ESTIMATORS
from prviz.figures import RankedBar
from prviz.measure.estimates import K
from prviz.reports.settings import ExploreSettings
from prviz.studies.surrogate import verdict

# Bars in the figure; the table has all settings.
MOST_BARS = 12
# Share of the joint area: a smaller difference of excess and deficit counts as none.
EVEN = 0.01
# An IoU below which an estimate tells little.
FAR = 0.5
COLUMNS = {
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


def show(found: list[RankedSetting], data: Data, shape: Fit, request: MeasurementRequest, *, complete: bool) -> None:
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
        leave.wish("pages/explore.py")

    label = f"Apply to your real curve: {best.label}"
    st.button(label, type="primary", icon=":material/arrow_forward:", key="stand-in.apply", on_click=apply)
    if leave.wished():
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
        st.dataframe(pd.DataFrame(rows, columns=list(COLUMNS)), hide_index=True, column_config=COLUMNS)


def applied(best: RankedSetting, settings: ExploreSettings) -> ExploreSettings:
    """Explore's settings with this family, k and split."""
    k = settings.k if best.k is None else best.k
    return replace(settings, methods=(best.method,), k=k, split=best.split, bandwidth=None)
