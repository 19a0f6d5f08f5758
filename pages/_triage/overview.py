"""Part "All numbers": every summary of every checkpoint, in figures over the training steps and in
a table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pages._live.figure import live_figure
from pages._shared.widgets import choose_one
from pages._triage import reported
from pages._triage.checkpoints import NONE_YET, CheckpointResults, ceiling_of, of_each
from pages._triage.table import GROUP
from prviz.curves.summaries import DIVERGENCES, SUMMARIES, Summary
from prviz.figures import theme
from prviz.figures.reported import agreement_of_numbers_figure
from prviz.figures.triage import (
    CEILING,
    CheckpointView,
    StepAxis,
    checkpoint_panels,
    checkpoint_trade_figure,
    in_order,
    step_axes,
    step_words,
    steps_figure,
)
from prviz.live.figure import Pane
from prviz.measure.blind_spots import BLIND_SPOTS, number_title
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.ranking import AT_MOST
from prviz.triage.reported import rank_agreement
from prviz.uncertainty.bootstrap import Interval

KEY = "triage-overview"
ALL = "triage-all-numbers"
DEFAULT = ("auc", "alpha_inf", "beta_0", "f8_precision", "f8_recall", "one_minus_tv")
# Most panels on screen at a time: more would take too long to draw.
MOST_PANELS = 12
# Seconds to compute the intervals of all summaries, for each evaluation sample, on a slow machine.
_SECONDS = 2e-4
# Summaries of the curve; the page compares how they rank checkpoints with how the numbers do that
# papers report.
_CURVES = ("auc", "f8_precision", "f8_recall")
_MOST = "True AuC, 95 %"
_LIMIT = (
    "In brackets the 95 % interval of the value for ever more samples, without the bias of so few."
)
_BY_KEY = {each.key: each for each in SUMMARIES}
_AXES: dict[StepAxis, str] = {"linear": "linear", "log": "logarithmic", "even": "evenly spaced"}


def draw(found: CheckpointResults) -> None:
    if not found.measured:
        st.info(NONE_YET)
        return
    top = st.container()
    heading = st.container()
    work = st.container()
    known = ceiling_of(found)
    ceiling = None
    if known is not None:
        ceiling = known.ceiling[found.method]
    with work:
        intervals = _intervals(found)
        if left := len(found.measured) - len(intervals):
            st.caption(
                f"The spreads of {left} of {len(found.measured)} checkpoints are still to come."
            )
    views, stepped = in_order(
        [
            CheckpointView(
                name=each.checkpoint.name,
                step=each.checkpoint.step,
                curve=each.curve,
                summaries=found.summaries(each),
                intervals=found.intervals(each, intervals.get(each.checkpoint.name, {})),
                bound=each.bound,
            )
            for each in found.measured
        ]
    )
    with top:
        _trade(views, ceiling)
    heading.markdown(
        "##### Summaries over the steps" if stepped else "##### Summaries of each checkpoint"
    )
    _summaries(views, stepped, ceiling)
    st.markdown("##### One by one")
    with st.container():
        start = _first(views)
    bounded = any(view.bound is not None for view in views)
    st.caption(
        "Precision (up) against recall, both from 0 to 1; grey: all other checkpoints; dashed: real"
        " against real"
        + (
            "; shaded: the true curve does not reach there, with 95 % confidence."
            if bounded
            else "."
        ),
        help=AT_MOST if bounded else None,
    )
    seen = views[start : start + MOST_PANELS]
    figures = checkpoint_panels(
        views, [view.name for view in seen], None if ceiling is None else ceiling.curve
    )
    panes = [
        Pane(
            f"triage-one-{slot}",
            figure,
            view.name if view.step is None else f"{view.name} (step {step_words(view.step)})",
            small=True,
            item=view.name,
            alt=_area_words(view),
        )
        for slot, (view, figure) in enumerate(zip(seen, figures, strict=True))
    ]
    live_figure(f"{KEY}-panels", panes, standout=GROUP)
    st.markdown("##### All numbers")
    more = None
    if reported.asked(ALL, "Add what else papers report", reported.blind_spots()):
        more = reported.all_of(found)
    _table(views, ceiling, more or {})
    if more:
        _agreement(found, more)


def _table(
    views: Sequence[CheckpointView], ceiling: MeasuredCheckpoint | None, more: reported.Numbers
) -> None:
    rows = [
        {
            "checkpoint": view.name,
            "step": "" if view.step is None else step_words(view.step),
            **({} if view.bound is None else {_MOST: f"at most {view.bound.auc:.3f}"}),
            **{each.label: _with_interval(view, each.key) for each in SUMMARIES},
            **reported.cells(more.get(view.name, {})),
            **{each.label: _at_least(view, each) for each in DIVERGENCES},
        }
        for view in views
    ]
    if ceiling is not None:
        tops = {each.label: f"{ceiling.summaries[each.key]:.3f}" for each in SUMMARIES}
        rows.insert(0, {"checkpoint": CEILING, **tops})
    text = st.column_config.TextColumn
    columns = {_MOST: text(_MOST, help=AT_MOST, width=120)}
    for each in (*SUMMARIES, *DIVERGENCES):
        columns[each.label] = text(each.label, help=each.explanation, width=170)
    for name, spot in BLIND_SPOTS.items():
        limit, width = (f" {_LIMIT}", 170) if name == reported.FRECHET else ("", 120)
        columns[number_title(name)] = text(help=f"Can't see: {spot}.{limit}", width=width)
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=columns)
    st.caption(
        "In brackets: 95 % of the draws; for the distances on the right, the least that the true"
        " distance can be."
    )


def _agreement(found: CheckpointResults, more: reported.Numbers) -> None:
    """Draw the rank correlations between different numbers: whether they rank the checkpoints
    alike.
    """
    rows = [
        {
            **{_BY_KEY[key].label: found.summaries(each)[key] for key in _CURVES},
            **{
                number_title(name): more[each.checkpoint.name].get(name, math.nan)
                for name in BLIND_SPOTS
            },
        }
        for each in found.measured
    ]
    table = pd.DataFrame(rows)
    agreement = rank_agreement(
        {str(name): table[name].to_numpy() for name in table if table[name].nunique() > 1}
    )
    words = f"Rank correlation of {len(agreement.names)} numbers over {len(rows)} checkpoints."
    figure = agreement_of_numbers_figure(agreement.names, agreement.values)
    live_figure(
        "triage-agreement",
        [Pane("triage-agreement-map", figure, "Which numbers rank alike", wide=True, alt=words)],
    )
    st.caption(
        "1: the same order, −1: the opposite one. Small distances and large shares are good:"
        " between the two kinds, −1 is agreement."
    )


def _intervals(found: CheckpointResults) -> dict[str, Mapping[str, Interval]]:
    """By the checkpoint's name, the intervals of its summaries that are known so far. A job
    computes the others, one checkpoint after another.
    """

    def seconds(measured: MeasuredCheckpoint) -> float:
        return _SECONDS * sum(len(run.c_real) for run in measured.estimate.runs)

    find = found.triage.intervals
    return of_each(found, "triage-intervals", found.measured, find, seconds)


def _trade(views: Sequence[CheckpointView], ceiling: MeasuredCheckpoint | None) -> None:
    above = sum(view.summaries["f8_precision"] > view.summaries["f8_recall"] for view in views)
    alt = (
        f"{above} of {len(views)} checkpoints are better in precision than in recall. All numbers"
        " are in the table."
    )
    title = "Above the diagonal precision is the better side, below it recall"
    corner = None
    if ceiling is not None:
        corner = (ceiling.summaries["f8_recall"], ceiling.summaries["f8_precision"])
    figure = checkpoint_trade_figure(views, ceiling=corner)
    caption = f"F8 counts one of the two 8 times as much as the other. {_order_words(views)}"
    live_figure(
        KEY,
        [Pane("triage-trade", figure, title, square=True, alt=alt, caption=caption)],
        standout=GROUP,
    )


def _with_interval(view: CheckpointView, key: str) -> str:
    interval = view.intervals.get(key)
    value = f"{view.summaries[key]:.3f}"
    if interval is None:
        return value
    return f"{value} ({interval[0]:.3f} to {interval[1]:.3f})"


def _order_words(views: Sequence[CheckpointView]) -> str:
    unknown = sum(view.step is None for view in views)
    if len(views) == 1:
        return "One checkpoint is measured."
    if not unknown:
        return "Colours: from blue (first step) to orange (last)."
    if unknown == len(views):
        least = "No step is known"
    else:
        least = f"The step of {unknown} of {len(views)} is not known"
    return f"{least}: colours, from blue to orange, and axes follow the order of the list."


def _summaries(
    views: Sequence[CheckpointView], stepped: bool, ceiling: MeasuredCheckpoint | None
) -> None:
    chosen = st.multiselect(
        "Numbers",
        list(_BY_KEY),
        default=list(DEFAULT),
        format_func=lambda key: _BY_KEY[key].label,
        key="triage-overview-numbers",
        persist_state="session",
    )
    # use a container even if it stays empty, so that the elements below keep their place
    with st.container():
        axis = _axis(views)
    if not chosen:
        st.caption("Choose at least one number.")
        return
    st.caption(
        "Bars: 95 % of the draws, if other samples were drawn to evaluate the same checkpoint. The"
        " estimator's bias and other training runs are not in them. Dashed: real against real."
    )
    panes = [
        Pane(
            f"triage-{key}",
            steps_figure(
                views, key, axis=axis, ceiling=None if ceiling is None else ceiling.summaries[key]
            ),
            _BY_KEY[key].label,
            caption=_BY_KEY[key].explanation,
        )
        for key in chosen
    ]
    live_figure(f"{KEY}-steps", panes, standout=GROUP)


def _axis(views: Sequence[CheckpointView]) -> StepAxis:
    """The spacing of the training steps on the axis. The user can choose it only if the steps
    differ by large factors.
    """
    axes = {axis: _AXES[axis] for axis in step_axes(views)}
    if len(axes) == 1:
        return "linear"
    return choose_one(
        "Axis of the steps", axes, "linear", key="triage-overview-axis", persist_state="session"
    )


def _area_words(view: CheckpointView) -> str:
    most = ""
    if view.bound is not None:
        most = f", in truth at most {view.bound.auc:.3f}"
    return f"AuC {view.summaries['auc']:.3f}{most}."


def _at_least(view: CheckpointView, divergence: Summary) -> str:
    least = ""
    if view.bound is not None:
        least = f" (at least {theme.number(divergence.of(view.bound))})"
    return f"{theme.number(divergence.of(view.curve))}{least}"


def _first(views: Sequence[CheckpointView]) -> int:
    """Index of the first checkpoint that gets a panel. The user can choose it if there are more
    checkpoints than panels.
    """
    # The options' texts must not change when checkpoints are added, as Streamlit identifies an
    # option by its text.
    starts = {
        first: f"{first + 1} to {first + MOST_PANELS}"
        for first in range(0, len(views), MOST_PANELS)
    }
    if len(starts) < 2:
        return 0
    label = f"{len(views)} checkpoints, {MOST_PANELS} at a time"
    return choose_one(label, starts, 0, key="triage-overview-page", persist_state="session")
