"""Estimates and samples of the lesson on paintings, and the panes without them during a drag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages._live.figure import Pane, moved
from pages._shared import answers, cache, results, sources
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair
from prviz.toys.painted import Painted

# Seconds that an answer waits for the estimates; after that it has the truth alone, and they follow.
WAIT_SECONDS = 0.25
NOTE = "Estimating from the samples"
AWAY = "The samples and the estimates follow when you let go."


def fits(preset: Mapping[str, Any], sides: Mapping[int, int]) -> bool:
    """True if a painting has the cells that the page shows."""
    d = int(preset["d"])
    cells: int = sides[d] ** d
    return len(preset["real_weights"]) == cells


def legal(amounts: Sequence[float], otherwise: tuple[float, ...]) -> tuple[float, ...]:
    """The browser's amounts if they are a valid painting with the cells of `otherwise`, else `otherwise`."""
    good = len(amounts) == len(otherwise) and all(0 <= each <= 1 for each in amounts) and any(amounts)
    return tuple(map(float, amounts)) if good else otherwise


def cell_names(d: int, side: int) -> list[str]:
    """Name of each cell."""
    if d == 1:
        return [f"{cell / side:g} to {(cell + 1) / side:g}" for cell in range(side)]
    return [f"row {cell // side + 1}, column {cell % side + 1}" for cell in range(side * side)]


def measured(
    key: str, settings: ExploreSettings
) -> tuple[sources.Problem, results.Results | None, dict[str, Any] | None]:
    """(problem, its estimates or None, status of a job that computes them or None)."""
    problem = sources.toy_problem(settings)
    wanted, queue = results.key(problem, settings), cache.desk()
    queue.keep({wanted})
    if _stop(key):
        queue.stop(wanted)
    found, more = results.known(problem, settings), None
    if found is None and wanted not in queue.stopped:
        found, more = _estimated(problem, settings)
    if found is None:
        answers.say_stopped(wanted, "this painting has no estimates yet.", where="draw")
    return problem, found, more


def _estimated(
    problem: sources.Problem, settings: ExploreSettings
) -> tuple[results.Results | None, dict[str, Any] | None]:
    """Estimates, at once if all families share one pass over the samples, else by a job that is awaited briefly."""
    if all(ESTIMATORS[name].shares_pass for name in settings.methods):
        return results.results(problem, settings), None
    job = cache.desk().ask(
        results.key(problem, settings),
        lambda tick: results.measure(problem, settings, tick),
        results.seconds(problem, settings),
    )
    job.wait(WAIT_SECONDS)
    if job.done and not job.cancelled:
        return answers.taken(job, cache.results()), None
    return None, answers.told(job, NOTE)


def _stop(key: str) -> bool:
    """True once for each click on Stop."""
    hand = moved(key)
    news = bool(hand.get("stop")) and hand.get("turn") != st.session_state.get(f"{key}-stop")
    if news:
        st.session_state[f"{key}-stop"] = hand.get("turn")
    return news


def linked(curves: Mapping[str, PRCurve]) -> dict[str, tuple[str, str, PRCurve]]:
    color = figures.colors(curves)
    return {name: (ESTIMATORS[name].title, color[name], curve) for name, curve in curves.items()}


def samples_pane(toy: Painted, pair: SamplePair, side: int) -> Pane:
    """Pane of the samples, with the painted densities."""
    real, generated = (each.values for each in pair)
    title = "Samples from the painting"
    if toy.d > 1:
        caption = "Circles: real. Diamonds: generated. Drawn evenly inside the cells that you painted."
        figure = figures.painted_plane_figure(real, generated, side=side)
        return Pane("samples", figure, title, caption=caption, square=True)
    shares = toy.shares(real), toy.shares(generated)
    figure = figures.painted_line_figure(toy.masses, shares, (real[:, 0], generated[:, 0]))
    caption = "Lines: the densities that you painted. Filled: how the samples fall. Below: the samples one by one."
    return Pane("samples", figure, title, caption=caption)


def constants(state: Any, panes: Sequence[Pane], curves: Mapping[str, PRCurve]) -> dict[str, Any]:
    """Constants of the model "cells": the measured painting, and the panes without estimates (`_live/models.js`)."""
    line = state.d == 1
    gone: dict[str, Any] = {"x": [], "y": []}
    samples = [0, 1, 4, 5] if line else [0, 1]
    names = {name: ESTIMATORS[name].title for name in curves}
    away: dict[str, Any] = {
        "samples": {"traces": {str(index): gone for index in samples}},
        "pr": {"traces": {str(i + 1): {**gone, "name": title} for i, title in enumerate(names.values())}},
    }
    if len(panes) > 2:
        zeros = [0.0] * len(curves)
        away["bias"] = {"traces": {"0": {"x": zeros}, "1": {"x": zeros}}, "annotations": [""] * len(curves)}
    return {
        "measured": {"p": list(state.p), "q": list(state.q), "n": state.n, "seed": state.seed},
        "estimates": list(curves),
        "away": away,
        "lines": {"pane": "samples", "traces": [2, 3]} if line else None,
        "words": AWAY,
    }
