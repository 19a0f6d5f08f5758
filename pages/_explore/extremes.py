"""Both ends of the curves: with and without split, against the true masses and over k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from pages._explore.live_view import linked, position
from pages._live.figure import Pane, live_figure
from pages._shared import answers
from pages._shared.text import plain
from prviz import figures
from prviz.diagnostics.influence import Extremes, extremes_over_k
from prviz.estimators import ESTIMATORS
from prviz.live import frames as _frames
from prviz.live import results
from prviz.live.needs import PROFILE_SECONDS
from prviz.live.problems import Problem, allowed
from prviz.measure.estimates import Progress
from prviz.reports.settings import ExploreSettings

TITLES = ("Precision end, α∞", "Recall end, β0")
ENDS = ("α∞", "β0")
LINES = {(True,): "With split.", (False,): "Without split.", (True, False): "Bold: with split. Thin, marked: without."}
Sweep = Mapping[str, tuple[Sequence[float], Sequence[Extremes]]]


def ends(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    """Every family's two ends with and without split, against the true masses."""
    other_settings = allowed(results.with_other_split(settings), problem)
    key, seconds = results.key(problem, other_settings), results.seconds(problem, other_settings)
    other = answers.tab_result(key, seconds, lambda tick: results.measure(problem, other_settings, tick))
    if other is None:
        return
    if other.approximation is not None:
        st.caption(f"The other split: {plain(other.approximation.label)}.")
    rows = [
        figures.ExtremeRow(name, (settings.split is not None) == mine, curve.extreme_precision, curve.extreme_recall)
        for mine, curves in ((True, found.curves), (False, other.curves))
        for name, curve in curves.items()
        if name in settings.methods
    ]
    masses = None if problem.toy is None else problem.toy.support_masses
    live_figure("extremes", [Pane("extremes", figures.extremes_figure(rows, truth=masses), wide=True)])


def over_k(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    st.markdown("##### Over k")
    tuned = [name for name in settings.methods if ESTIMATORS[name].tunes]
    names = [name for name in tuned if ESTIMATORS[name].tunes == "k" or settings.bandwidth is None]
    if not names:
        st.info("None of the chosen estimators depends on k.")
        return
    lines = _lines(problem, settings, names)
    if not lines:
        return
    repeated = " Where curves are means over repeats, the other split is of the first draw." * (settings.repeats > 1)
    st.caption(
        "Both ends at every number of neighbours k: a published extreme is a statement about k and the split as much "
        "as about the generator. With a split an end is 1 wherever every classifier of the family is wrong about some "
        f"sample of the other side.{repeated}" + (" Dashed: the truth." if problem.truth is not None else "")
    )
    truth = None if problem.truth is None else Extremes.of(problem.truth)
    now = position(problem, settings)
    panes = []
    for side, title in enumerate(TITLES):
        values = {
            held_out: {name: (ks, [pair[side] for pair in pairs]) for name, (ks, pairs) in sweep.items()}
            for held_out, sweep in lines.items()
        }
        true = None if truth is None else truth[side]
        figure = figures.extreme_sweep_figure(values, ylabel=ENDS[side], truth=true)
        name = f"extremes-over-k-{side}"
        panes.append(Pane(name, figure, f"{title}, over k", follow="k", caption=LINES[tuple(lines)]))
    curves, frames = linked(found.curves, problem.truth), _frames.profile_id(problem, settings)
    # The browser takes a figure over all k for the same as long as the frames are: other lines are another figure.
    drawn = [*("split" if held_out else "none" for held_out in lines), *names]
    live_figure(f"extremes-over-k-{'-'.join(drawn)}", panes, curves=curves, frames=frames, shown=now, legend=True)


def _lines(problem: Problem, settings: ExploreSettings, names: Sequence[str]) -> dict[bool, Sweep]:
    """Both ends at every k, with split (True) and without (False); the page says what is missing."""
    found: dict[bool, Sweep] = {}
    profile = _frames.known_frames(problem, settings)
    if profile is not None:
        content = profile.content
        columns = {name: [_frames.column(content, "k", name, key) for key in ("alpha_inf", "beta_0")] for name in names}
        both = {name: [Extremes(*each) for each in zip(*sides, strict=True)] for name, sides in columns.items()}
        found[settings.split is not None] = {name: (content["k"]["stops"], both[name]) for name in names}
    other = _other_over_k(problem, settings, names)
    if other is not None:
        found[settings.split is None] = other
    if not found:
        st.caption("Over k: measuring every value …")
    return {held_out: found[held_out] for held_out in (True, False) if held_out in found}


def _other_over_k(problem: Problem, settings: ExploreSettings, names: Sequence[str]) -> Sweep | None:
    """Both ends with the other split at every k; None while they are not measured."""
    other = allowed(replace(results.with_other_split(settings), methods=tuple(names)), problem)
    names, ks = [name for name in names if name in other.methods], problem.stops(other)[0]
    seconds = results.seconds(problem, other, ks=len(ks))
    if seconds > PROFILE_SECONDS:
        st.info("The other split at every k would take more than a minute here. Use fewer samples.")
        return None
    key = ("extremes-over-k", problem.key, tuple(names), ks, other.split)

    def measure(tick: Progress) -> Mapping[str, Sequence[Extremes]]:
        pair, seed = problem.draw(0)
        return extremes_over_k(pair, names, ks, split=other.split, seed=seed, progress=tick)

    made = answers.tab_result(key, seconds, measure)
    return None if made is None else {name: (ks, made[name]) for name in names}
