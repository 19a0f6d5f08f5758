"""The panels beside the main figure, as tabs. Only the open panel computes anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from pages._explore import encoders, extremes, gives_away, space, takeaway
from pages._explore.live_view import over, shown_alone, visible
from pages._explore.session import PANEL_TAB, explore_session, state
from pages._live.figure import live_figure
from pages._shared import answers, best_setting
from pages._shared.cache import session
from pages._shared.widgets import plain
from prviz import figures
from prviz.curves.limits import LIMITS, limit_seconds
from prviz.curves.summaries import summaries, summary_list
from prviz.live import bounds, results, snapshots as _frames, view
from prviz.live.figure import Pane
from prviz.live.problems import Problem
from prviz.live.state import PANELS, panels
from prviz.live.view import following

OVER_K_HELP = (
    "Star: the largest. Dotted: the limit for ever more samples at this k; its distance from 1 is"
    " the price of that k."
)
# lam is clipped to this range before a risk is computed with it as the weight of errors.
LAMS = (0.01, 100.0)


def draw(problem: Problem, found: results.Results) -> None:
    """Draw the open panel, beside the curve or enlarged over the page."""
    draws = dict(
        zip(PANELS, (space.draw, extremes.draw, all_numbers, gives_away.draw), strict=True)
    )
    with st.container(key="part-panel"):
        _enlarge()
        order = panels(state().settings.source)
        for name, tab in zip(order, st.tabs(order, on_change="rerun", key=PANEL_TAB), strict=True):
            if tab.open:
                with tab:
                    if found.approximation is not None:
                        st.caption(
                            "Also approximate: "
                            f"{plain(found.approximation.label.partition(': ')[2])}."
                        )
                    # the first panel, Space, gets all results: it may show a family that is hidden
                    # in the figure
                    draws[name](problem, found if name == PANELS[0] else shown_alone(found))


def _enlarge() -> None:
    """Draw the button that enlarges the open panel over the page, or, on a second click or with
    Escape, puts it back beside the figure.
    """
    enlarged = explore_session().enlarged
    # screen.css tells from this element whether the panel is enlarged. If the container's key told
    # it, Streamlit would create all figures in the container anew at each change.
    st.html(f'<i class="panel-{"enlarged" if enlarged else "beside"}"></i>')
    icon = "open_in_full"
    words = "Enlarge this panel"
    shortcut = None
    if enlarged:
        icon = "close_fullscreen"
        words = "Back beside the curve"
        shortcut = "Escape"
    st.button(
        words,
        key="enlarge",
        help=words,
        icon=f":material/{icon}:",
        type="tertiary",
        shortcut=shortcut,
        on_click=_turn_over,
    )


def _turn_over() -> None:
    """Callback: enlarge the panel over the page, or put it back beside the curve."""
    held = explore_session()
    held.enlarged = not held.enlarged


def all_numbers(problem: Problem, found: results.Results) -> None:
    drawn = shown_alone(results.Answer(problem, found).drawn)
    table = replace(view.numbers(problem, drawn), turned=True)
    live_figure("numbers", [], table=table, follow=following(problem, drawn))
    enlarged = explore_session().enlarged
    by_k = visible(over(problem).get("k", []))
    encoders.draw(problem)
    if enlarged:
        if problem.truth is None:
            _best_setting(problem, by_k)
        takeaway.summary(problem, found)
        if _frames.comparable(problem) is not None:
            _over_k(problem, found, by_k)
        stability(problem, found)


def _over_k(problem: Problem, found: results.Results, names: Sequence[str]) -> None:
    """Draw the IoU with the truth at every k, and its limit as the number of samples grows.

    names : the families that k changes.
    """
    frames = _frames.known_frames(problem)
    if frames is None or not names:
        return
    ks = [int(k) for k in frames.content["k"]["stops"]]
    lines = {name: (ks, _frames.column(frames.content, "k", name)) for name in names}
    limits = _limits(problem, names, ks)
    figure = figures.iou_sweep_figure(
        lines,
        limits=limits,
        xlabel="neighbours k",
        ylabel="IoU with the truth",
        best="highest",
    )
    pane = Pane("sweep", figure, "IoU over k", follow="k", wide=True, help=OVER_K_HELP)
    live_figure("sweep", [pane], follow=following(problem, found))


def _best_setting(problem: Problem, names: Sequence[str]) -> None:
    """Draw the family and k with the lowest held-out risk, among all families, also hidden ones.

    names : the families that k changes. Nothing is drawn without a split, nor before the curves at
    every k and the curve to believe are measured.
    """
    profile = results.profile(problem)
    pending = bounds.is_pending(problem, session().stopped)
    if profile is None or problem.settings.split is None or not names or pending:
        return
    curves = {(name, k): profile.curve(name, k) for name in names for k in problem.stops[0]}
    fixed = {
        name: curve for name, curve in results.known_curves(problem).items() if name not in names
    }
    best_setting.draw(
        curves,
        min(max(problem.settings.lam, LAMS[0]), LAMS[1]),
        problem.judged,
        problem.k,
        _take,
        key="best-over-k",
        fixed=fixed,
    )


def _take(k: int) -> None:
    """Callback: set the slider of k to this value."""
    explore_session().update(lambda now: now.with_values({"k": k}))


def _limits(problem: Problem, names: Sequence[str], ks: Sequence[int]) -> bounds.Swept:
    """For `iou_sweep_figure`: by family, the limit of the IoU at each k as the number of samples
    grows. Empty until computed, and if no family has such a limit.
    """
    truth = problem.truth
    if truth is None or problem.settings.split is None or not set(names) & set(LIMITS):
        return {}
    seconds = bounds.MOST_LIMITS * sum(
        limit_seconds(truth, name, sum(ks) // len(ks), steps=bounds.LIMIT_STEPS) for name in names
    )
    key = ("limits-over-k", *problem.key[1:3], tuple(names), tuple(ks))
    measure = partial(bounds.limits_over_k, truth, names, ks)
    return answers.tab_result(key, seconds, measure) or {}


def stability(problem: Problem, found: results.Results) -> None:
    """Draw every summary against k, each in a small panel."""
    settings = problem.settings
    names = visible(problem.tuned)
    if not names:
        st.info("None of the chosen estimators depends on k.")
        return
    frames = _frames_or_notice(problem)
    if frames is None:
        return
    st.caption(
        "Every number of the table against k (log scale), all on one scale from 0 to 1: where a"
        " line is steep, a published value depends on its k."
        + (" Dashed: the truth." if problem.truth is not None else "")
    )
    true = {}
    if problem.truth is not None:
        true = summaries(problem.truth, settings.b, settings.eps)
    panes = []
    for summary in summary_list(settings.b, settings.eps):
        lines = {
            name: (frames["k"]["stops"], _frames.column(frames, "k", name, summary.key))
            for name in names
        }
        figure = figures.stability_figure(lines, truth=true.get(summary.key)).update_layout(
            showlegend=False
        )
        panes.append(
            Pane(f"stability-{summary.key}", figure, summary.label, follow="k", small=True)
        )
    live_figure("stability", panes, legend=True, follow=following(problem, found))


def _frames_or_notice(problem: Problem) -> Mapping[str, Any] | None:
    """Curves and numbers at every stop of the sliders. None if they are missing: the page then says
    why.
    """
    why = view.no_frames(problem)
    found = _frames.known_frames(problem)
    if why or found is None:
        st.caption(why or "Over k: measuring every value …")
        return None
    return found.content
