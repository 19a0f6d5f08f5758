"""The last lesson: paint P and Q, and compare each estimator's curve from samples with the exact one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import streamlit as st

from pages._learn.lesson import (
    Verdict,
    curve_pane,
    explore_link,
    lam_at,
    lam_slider,
    learn_session,
    linked,
    question,
    value,
)
from pages._live.figure import Bars, Model, Pane, Slider, live_figure
from pages._shared import answers, families, results, sources
from pages._shared.cache import session
from pages._shared.widgets import begin, choose_one
from pages._work.jobs import JobRequest
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.measure import estimates
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair
from prviz.toys import toy
from prviz.toys.painted import Painted, cell_names

TITLE = "Draw: your own P and Q"
IDEA = (
    "Paint a real density **P** and a generated density **Q**. Both are even inside each cell, so the curve of your "
    "painting is exact: for every trade-off **λ**, the precision α(λ) adds up the smaller of λp and q over all cells "
    "(p and q: the shares of a cell), and the recall β(λ) is α(λ)/λ. The curve follows while you "
    "paint. When you let go, samples are drawn from the painting, and every estimator tries to find that curve "
    "again from the samples alone: can you paint a pair that fools it?"
)
DIMENSIONS = {1: "On a line (1-D)", 2: "On a grid (2-D)"}
SIDES = {1: 25, 2: 12}
SIZES = (100, 200, 300, 500, 700, 1000, 1500, 2000)
SEEDS = range(50)
SPLIT = 0.5
# The toy's presets with the cells that the page shows.
PRESETS: dict[int, dict[str, Mapping[str, Any]]] = {
    d: {
        name: preset
        for name, preset in toy("painted").presets.items()
        if preset["d"] == d and len(cast(tuple[float, ...], preset["real_weights"])) == side**d
    }
    for d, side in SIDES.items()
}
OPTIMISTIC, PESSIMISTIC, EVEN = "Too optimistic", "Too pessimistic", "Neither: both errors are about equal"
# Seconds that an answer waits for the estimates; after that it has the truth alone, and they follow.
WAIT_SECONDS = 0.25
NOTE = "Estimating from the samples"
AWAY = "The samples and the estimates follow when you let go."


class PaintingState(NamedTuple):
    """The painting, and the samples drawn from it."""

    d: int
    p: tuple[float, ...]
    q: tuple[float, ...]
    n: int = 500
    seed: int = 0

    @property
    def key(self) -> str:
        return f"lesson-draw-{self.d}"

    def settings(self, methods: tuple[str, ...] = DEFAULT_METHODS) -> ExploreSettings:
        return ExploreSettings(
            problem="painted",
            parameters={"d": self.d, "real_weights": self.p, "generated_weights": self.q},
            n=self.n,
            seed=self.seed,
            methods=methods,
            split=SPLIT,
            lam=lam_at(self.key),
        )


def _state(d: int) -> PaintingState:
    """The user's painting, or the one that a button has set; the session keeps it across pages."""
    first = next(iter(PRESETS[d].values()))
    held, begun = learn_session(), PaintingState(d, first["real_weights"], first["generated_weights"])
    begun = cast(PaintingState, held.begun.get(begun.key, begun))
    if value(begun.key, "epoch", None) != held.epoch(begun.key):
        return begun
    p, q = (legal(value(begun.key, side, ()), getattr(begun, side)) for side in ("p", "q"))
    n, seed = (int(value(begun.key, name, getattr(begun, name))) for name in ("n", "seed"))
    found = begun._replace(p=p, q=q, n=n if n in SIZES else begun.n, seed=seed if seed in SEEDS else begun.seed)
    held.begun[begun.key] = found
    return found


@st.fragment
def draw() -> None:
    now = _state(choose_one("Paint", DIMENSIONS, 1, key="draw-d"))
    with st.container(horizontal=True):
        for name, each in PRESETS[now.d].items():
            new = now._replace(p=each["real_weights"], q=each["generated_weights"])
            st.button(name, on_click=learn_session().put, args=(new.key, new), key=f"draw.{name}")
        both = {
            "Q = P": ("content_copy", now._replace(q=now.p)),
            "Swap": ("swap_horiz", now._replace(p=now.q, q=now.p)),
        }
        for label, (icon, new) in both.items():
            st.button(
                label, on_click=learn_session().put, args=(new.key, new), key=f"draw.{icon}", icon=f":material/{icon}:"
            )
    place = st.container()
    with st.expander("Estimators that run on your samples", icon=":material/tune:"):
        methods = families.choose(DEFAULT_METHODS, lambda key, names: begin(f"draw.{key}", names))
        st.caption(
            f"Each with k = √n neighbours and a split: {SPLIT:.0%} of the samples define its classifiers, the rest "
            "measures their errors. Those that are fitted to the samples take a moment longer."
        )
    with place:
        problem, found, more = measured(now.key, now.settings(methods))
        painting = cast(Painted, problem.toy)
        curves = {} if found is None else dict(found.curves)
        panes = _panes(now, painting, problem.pair, curves)
        epoch, side = learn_session().epoch(now.key), SIDES[now.d]
        common: dict[str, Any] = {"epoch": epoch, "group": "painting", "columns": side if now.d == 2 else 0}
        names, axis = cell_names(now.d, side), ("0", "0.5", "1") if now.d == 1 else ()
        explanation = (
            f"Samples of each side, at most {SIZES[-1]}: more would be too slow while you paint. Explore takes more."
        )
        controls: list[Slider | Bars] = [
            Bars("p", "Real density P", names, now.p, figures.REAL_COLOR, axis=axis, **common),
            Bars("q", "Generated density Q", names, now.q, figures.GENERATED_COLOR, axis=axis, **common),
            lam_slider(group="painting"),
            Slider("n", "Samples per side", SIZES, now.n, now.n, group="data", epoch=epoch, help=explanation),
            Slider("seed", "Draw others (seed)", list(SEEDS), now.seed, now.seed, group="data", epoch=epoch),
        ]
        live_figure(
            now.key,
            panes,
            controls=controls,
            curves=linked(painting.truth(), curves),
            model=Model("cells", constants(now, panes, curves)),
            answer={"more": more},
        )
    text = (
        f"Most published metrics use no split: all {now.n} samples of each side define the classifiers and the same "
        f"samples measure them. Would {ESTIMATORS['knn'].title} without a split be too optimistic on this painting "
        "(more area invented than missed), or too pessimistic?"
    )

    def answer() -> Verdict:
        problem = sources.toy_problem(now.settings())
        curve = estimates.estimate(problem.pair, "knn", split=None, seed=now.seed)["knn"].curve
        found = curve.compare(cast(PRCurve, problem.truth))
        gap = found.excess - found.deficit
        verdict = EVEN if abs(gap) < 0.005 else OPTIMISTIC if gap > 0 else PESSIMISTIC
        return Verdict(
            verdict,
            f"Without a split it invents {found.excess:.1%} of the joint area and misses {found.deficit:.1%} of it; "
            f"what both share, the IoU, is {found.iou:.1%}.",
        )

    question(now.key, text, (OPTIMISTIC, PESSIMISTIC, EVEN), answer, about=now)
    explore_link(now.settings(methods))


def _panes(now: PaintingState, painting: Painted, pair: SamplePair, curves: dict[str, PRCurve]) -> list[Pane]:
    truth = painting.truth()
    compared = {name: curve.compare(truth) for name, curve in curves.items()}
    notes = {name: f"IoU {each.iou:.2f}" for name, each in compared.items()}
    found = [
        curve_pane(
            curves,
            truth,
            "Dashed: the painting's own curve, with the point at λ. IoU: the area that an estimate shares with it, "
            "over the area of both together.",
            "The exact curve and the estimates",
            notes,
        ),
        samples_pane(painting, pair, SIDES[now.d]),
    ]
    if not compared:
        return found
    caption = "Left: area that the estimate misses (too pessimistic). Right: area that it invents (too optimistic)."
    if truth.auc < 1e-3:
        caption += " The truth has no area here, so that any area at all is 100 % invented."
    title = "How far each estimate is from the truth"
    return [*found, Pane("bias", figures.iou_bars(compared), title, wide=True, caption=caption)]


# ---- estimates and samples, and the panes without them during a drag ----


def legal(amounts: Sequence[float], otherwise: tuple[float, ...]) -> tuple[float, ...]:
    """The browser's amounts if they are a valid painting with the cells of `otherwise`, else `otherwise`."""
    good = len(amounts) == len(otherwise) and all(0 <= each <= 1 for each in amounts) and any(amounts)
    return tuple(map(float, amounts)) if good else otherwise


def measured(
    key: str, settings: ExploreSettings
) -> tuple[sources.Problem, results.Results | None, dict[str, Any] | None]:
    """(problem, its estimates or None, status of a job that computes them or None)."""
    problem = sources.toy_problem(settings)
    jobs, found, more = session().jobs, results.known(problem, settings), None
    request = JobRequest(
        results.key(problem, settings),
        lambda tick: results.measure(problem, settings, tick),
        results.seconds(problem, settings),
        NOTE,
    )
    jobs.keep({request.key})
    if answers.stop_clicked(key):
        jobs.stop(request.key)
    if found is None and request.key not in jobs.stopped:
        if all(ESTIMATORS[name].shares_pass for name in settings.methods):  # one pass over the samples: quick
            found = results.results(problem, settings)
        elif (job := answers.awaited_job(request, WAIT_SECONDS)) is not None:
            more = answers.progress_of(job, NOTE)
        else:
            found = results.known(problem, settings)
    if found is None:
        answers.say_stopped(request.key, "this painting has no estimates yet.", where="draw")
    return problem, found, more


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
