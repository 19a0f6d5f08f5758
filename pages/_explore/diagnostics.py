"""The tabs beside the curve; each computes only when it is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages._explore import cosupport, influence, lam_explorer, live_view, tail, takeaway
from pages._explore import frames as _frames
from pages._explore.live_view import linked, position
from pages._explore.session import PANEL_TABS, explore_session
from pages._live.figure import FIGURE, Pane, Table, live_figure, moved
from pages._shared import answers, best_setting, bounds, results
from pages._shared.sources import Problem
from pages._shared.text import plain
from prviz import figures
from prviz.curves.limits import LIMITS, limit_seconds
from prviz.curves.summaries import summaries, summary_list
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import ExploreSettings

BIAS = (
    "Estimated minus true precision along the curve, from the recall end (λ small) to the precision end (λ large). "
    "Above zero the estimator is too optimistic, below zero too pessimistic."
)
# Ends of lam between which a risk weighs both errors.
LAMS = (0.01, 100.0)


def draw(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    if found.approximation is not None:
        st.caption(f"Also approximate: {plain(found.approximation.label.partition(': ')[2])}.")
    # The first tab is open on every visit, so it is one that needs no further measurement.
    first: dict[str, Callable[[Problem, ExploreSettings, results.Results], None]]
    first = {"Samples": lam_explorer.draw} if problem.truth is None else {"Bias along the curve": bias}
    sweeps = {"Over k": over_k, "Over bandwidth": over_bandwidth, "Stability": stability}
    ends = {"Tail": tail.draw, "Extremes": influence.draw, "Co-support map": cosupport.draw}
    rest = {"Samples": lam_explorer.draw, "Error space": error_space, "All numbers": all_numbers}
    pages = first | sweeps | ends | rest
    tabs = st.tabs(list(pages), on_change="rerun", key=PANEL_TABS[problem.truth is not None])
    for tab, draw in zip(tabs, pages.values(), strict=True):
        if tab.open:
            with tab:
                draw(problem, settings, found)


def error_space(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    _following("error", [live_view.error_space(problem, settings, found)], problem, settings, found)


def all_numbers(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    _following("numbers", [], problem, settings, found, table=live_view.numbers(problem, settings, found))
    takeaway.summary(problem, settings, found)


def bias(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    if problem.truth is not None:
        figure = figures.bias_figure(found.curves, problem.truth)
        _following("bias", [Pane("bias-curve", figure, follow="bias", wide=True, help=BIAS)], problem, settings, found)


def _following(
    key: str,
    panes: Sequence[Pane],
    problem: Problem,
    settings: ExploreSettings,
    found: results.Results,
    *,
    legend: bool = False,
    table: Table | None = None,
) -> None:
    """A figure that follows the main one's sliders in the browser."""
    curves, shown = linked(found.curves, problem.truth), position(problem, settings)
    frames = _frames.profile_id(problem, settings)
    for pane in panes:
        pane.figure.for_each_trace(lambda trace: trace.update(showlegend=trace.legendgroup == "now"))
    live_figure(key, panes, curves=curves, frames=frames, shown=shown, legend=legend, table=table)


def _followers(settings: ExploreSettings) -> list[str]:
    """The chosen methods that depend on k or the bandwidth."""
    return [name for name in settings.methods if ESTIMATORS[name].tunes]


def over_k(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    names = [name for name in _followers(settings) if ESTIMATORS[name].tunes == "k" or settings.bandwidth is None]
    if problem.truth is None:
        _best_setting(problem, settings, names)
    other = " KDE has a bandwidth of its own and does not follow k." if settings.bandwidth is not None else ""
    _swept("k", "neighbours k (log scale)", names, problem, settings, found, other)


def over_bandwidth(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    names = [name for name in settings.methods if ESTIMATORS[name].tunes == "bandwidth"]
    label = "bandwidth in mean k-NN radii at k = √n (log scale)"
    _swept("bandwidth", label, names, problem, settings, found)


def _swept(
    control: str,
    xlabel: str,
    names: Sequence[str],
    problem: Problem,
    settings: ExploreSettings,
    found: results.Results,
    other: str = "",
) -> None:
    """IoU with the truth, or the area where no truth is known, at every stop of one slider."""
    if not names:
        st.info("None of the chosen estimators depends on this value.")
        return
    frames = _frames_or_notice(problem, settings)
    if frames is None:
        return
    known = problem.truth is not None
    lines = {name: (frames[control]["stops"], _frames.column(frames, control, name)) for name in names}
    st.caption(
        ("Agreement with the truth (IoU)" if known else "Area under the curve (no truth is known for these data)")
        + " at every value at once: a flat line is a choice that hardly matters, a peak one that does."
        + other
    )
    if known:
        best = {name: max(zip(ys, (-x for x in xs), strict=True)) for name, (xs, ys) in lines.items()}
        words = ", ".join(f"{ESTIMATORS[name].title} {-x:g} (IoU {iou:.3f})" for name, (iou, x) in best.items())
        st.markdown(f"**Best {control} for this problem** (stars): {words}.")
    limits = _limits(problem, settings, names, [int(k) for k in frames["k"]["stops"]]) if control == "k" else {}
    if limits:
        st.caption("Dotted: what ever more samples come to at this k. The rest to 1 is the price of k.")
    figure = figures.iou_sweep_figure(
        lines,
        limits=limits,
        xlabel=xlabel,
        ylabel="IoU with the truth" if known else "area under the curve",
        current=position(problem, settings)[control],
        best=known,
        log_x=True,
    )
    pane = Pane("sweep", figure, follow=control, wide=True)
    _following(f"sweep-{control}", [pane], problem, settings, found)


def _best_setting(problem: Problem, settings: ExploreSettings, names: Sequence[str]) -> None:
    """Nothing while the curves at every k are not measured, and without split."""
    profile = results.profile(problem, settings)
    if profile is None or settings.split is None or not names:
        return
    curves = {(name, k): profile.curve(name, k) for name in names for k in problem.stops(settings)[0]}
    lam, now = min(max(settings.lam, LAMS[0]), LAMS[1]), int(position(problem, settings)["k"] or 1)
    best_setting.draw(curves, lam, problem.judged(settings.split), now, _take, key="best-setting")


def _take(k: int) -> None:
    """Callback: this k, until the user moves a slider of the figure, which then holds it."""
    held = explore_session()
    held.taken_k, held.taken_turn = k, moved(FIGURE).get("turn")
    held.epoch_k += 1


def _limits(problem: Problem, settings: ExploreSettings, names: Sequence[str], ks: Sequence[int]) -> bounds.Swept:
    """Limits over k for the figure; empty while they are not computed, and where there is none."""
    truth = problem.truth
    if truth is None or settings.split is None or not set(names) & set(LIMITS):
        return {}
    seconds = bounds.MOST_LIMITS * sum(limit_seconds(truth, name, sum(ks) // len(ks)) for name in names)
    key = ("limits-over-k", *problem.key[1:3], tuple(names), tuple(ks))
    measure = partial(bounds.limits_over_k, truth, names, ks)
    return answers.tab_result(key, seconds, measure) or {}


def stability(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    """Every summary against k, one small panel each."""
    names = _followers(settings)
    if not names:
        st.info("None of the chosen estimators depends on k.")
        return
    frames = _frames_or_notice(problem, settings)
    if frames is None:
        return
    st.caption(
        "Every number of the table against k (log scale), all on one scale from 0 to 1: where a line is steep, a "
        "published value depends on its k." + (" Dashed: the truth." if problem.truth is not None else "")
    )
    now = position(problem, settings)["k"]
    true = {} if problem.truth is None else summaries(problem.truth, settings.b, settings.eps)
    panes = []
    for summary in summary_list(settings.b, settings.eps):
        lines = {name: (frames["k"]["stops"], _frames.column(frames, "k", name, summary.key)) for name in names}
        figure = figures.stability_figure(lines, truth=true.get(summary.key), current=now)
        panes.append(Pane(f"stability-{summary.key}", figure, summary.label, follow="k", small=True))
    _following("stability", panes, problem, settings, found, legend=True)


def _frames_or_notice(problem: Problem, settings: ExploreSettings) -> Mapping[str, Any] | None:
    """Curves and numbers at every stop; where they are missing, the page says why."""
    if settings.approximate:
        st.info("Approximate curves are measured at one k and bandwidth at a time; exact ones at all of them.")
        return None
    found = _frames.known_frames(problem, settings)
    if found is not None:
        return found.content
    ks, units = problem.stops(settings)
    if results.seconds(problem, settings, ks=len(ks), bandwidths=len(units)) > answers.PROFILE_SECONDS:
        st.info("Measuring every value at once would take more than a minute here. Use fewer samples.")
    else:
        st.caption("It comes as soon as every value is measured.")
    return None
