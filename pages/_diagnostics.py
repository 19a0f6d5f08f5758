"""The tabs beside the curve; each computes only when it is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from pages import _cache, _results
from pages._live import Pane, live_figure
from pages._live_view import largest_k, legal, root_k
from pages._sources import Problem
from prviz import evaluate, figures
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.projection import shown_coordinates
from prviz.samples import SamplePair, Split
from prviz.settings import Settings

SWEPT_UNITS = tuple(round(float(u), 3) for u in np.geomspace(0.5, 2.0, 13))


def show(problem: Problem, settings: Settings, found: _results.Results) -> None:
    # What costs nothing more to draw comes first: the first tab is open on every visit.
    first: dict[str, Callable[[Problem, Settings, _results.Results], None]]
    first = {"Samples": samples} if problem.truth is None else {"Bias along the curve": bias}
    rest = {"Co-support and extremes": extremes, "Over k": over_k, "Over bandwidth": over_bandwidth, "Samples": samples}
    pages = first | rest
    tabs = st.tabs(
        list(pages), on_change="rerun", key="diagnostics" if problem.truth is None else "diagnostics-with-truth"
    )
    for tab, draw in zip(tabs, pages.values(), strict=True):
        if tab.open:
            with tab:
                draw(problem, settings, found)


def extremes(problem: Problem, settings: Settings, found: _results.Results) -> None:
    st.caption(
        "Extreme precision α∞ (the curve's left end) and extreme recall β0 (its right end) are all that most published "
        "metrics report. Their true values are masses of the **co-support**, the part of space that both distributions "
        "reach: Q(cosupp) and P(cosupp). Q(supp P), the mass inside the support of the real data, is what improved "
        "precision speaks of; it can be 1 where the co-support is empty."
    )
    other_settings = legal(_results.with_other_split(settings), problem)
    key, seconds = _results.key(problem, other_settings), _results.seconds(problem, other_settings)
    if not _cache.ready(key, seconds, lambda tick: _results.measure(problem, other_settings, tick)):
        return
    other = _results.results(problem, other_settings)
    rows = [
        figures.ExtremeRow(name, (settings.split is not None) == mine, curve.extreme_precision, curve.extreme_recall)
        for mine, curves in ((True, found.curves), (False, other.curves))
        for name, curve in curves.items()
    ]
    masses = None if problem.toy is None else problem.toy.support_masses
    live_figure("extremes", [Pane("extremes", figures.extremes_figure(rows, truth=masses), wide=True)])


def bias(problem: Problem, settings: Settings, found: _results.Results) -> None:
    st.caption(
        "Estimated minus true precision along the curve, from the recall end (λ small) to the precision end (λ large). "
        "Above zero the estimator is too optimistic, below zero too pessimistic."
    )
    if problem.truth is not None:
        live_figure("bias", [Pane("bias-curve", figures.bias_figure(found.curves, problem.truth), wide=True)])


def over_k(problem: Problem, settings: Settings, found: _results.Results) -> None:
    names = tuple(name for name in settings.methods if ESTIMATORS[name].tunes == "k" or settings.bandwidth is None)
    top = largest_k(settings, problem)
    root = min(root_k(problem), top)
    ks = tuple(sorted({min(int(k), top) for k in (1, 2, 3, 4, 5, *np.geomspace(7, max(3 * root, 8), 8).round(), root)}))
    _swept(
        problem,
        settings,
        names,
        ks=ks,
        unit=1.0,
        xlabel="neighbours k (log scale)",
        current=float(root if settings.k == "sqrt" else settings.k),
    )


def over_bandwidth(problem: Problem, settings: Settings, found: _results.Results) -> None:
    if "kde" not in settings.methods:
        st.info("None of the chosen estimators depends on this value.")
        return
    unit = _results.unit(problem, settings)
    _swept(
        problem,
        settings,
        ("kde",),
        bandwidths=tuple(u * unit for u in SWEPT_UNITS),
        unit=unit,
        xlabel="bandwidth in mean k-NN radii (log scale)",
        current=settings.bandwidth,
    )


def _swept(
    problem: Problem,
    settings: Settings,
    names: tuple[str, ...],
    *,
    ks: tuple[int, ...] = (),
    bandwidths: tuple[float, ...] = (),
    unit: float,
    xlabel: str,
    current: float | None,
) -> None:
    """IoU with the truth, or the area where no truth is known, at every swept value."""
    _say_what_sweeps_show(problem, settings, over_k=bool(ks))
    if not names:
        st.info("None of the chosen estimators depends on this value.")
        return
    key = ("sweep", problem.key, names, ks, bandwidths, settings.split)
    seconds = _results.seconds(problem, settings, values=max(len(ks), len(bandwidths)))

    def compute(progress: _cache.Progress | None = None) -> Mapping[tuple[str, float], PRCurve]:
        pair, seed = problem.draw(0)
        return evaluate.sweep(
            pair, names, ks=ks, bandwidths=bandwidths, split=settings.split, seed=seed, progress=progress
        )

    if not _cache.ready(key, seconds, compute):
        return
    swept = _cache.remembered(key, compute)
    figure = _sweep_figure(problem, names, swept, unit=unit, xlabel=xlabel, current=current)
    live_figure(f"sweep-{'k' if ks else 'bandwidth'}", [Pane("sweep", figure, wide=True)])


def _say_what_sweeps_show(problem: Problem, settings: Settings, *, over_k: bool) -> None:
    known = problem.truth is not None
    st.caption(
        ("Agreement with the truth (IoU)" if known else "Area under the curve (no truth is known for these data)")
        + " at every value at once: a flat line is a choice that hardly matters, a peak one that does."
        + (" Of the first repeat alone." if settings.repeats > 1 else "")
        + (
            " KDE has a bandwidth of its own and does not follow k."
            if over_k and settings.bandwidth is not None
            else ""
        )
    )


def _sweep_figure(
    problem: Problem, names: tuple[str, ...], swept: Mapping[tuple[str, float], PRCurve], *, unit: float, **options: Any
) -> go.Figure:
    truth = problem.truth
    lines: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    for (name, x), curve in swept.items():
        lines[name][0].append(x / unit)
        lines[name][1].append(curve.auc if truth is None else curve.iou(truth))
    ylabel = "area under the curve" if truth is None else "IoU with the truth"
    return figures.iou_sweep_figure(lines, ylabel=ylabel, log_x=True, **options)


def samples(problem: Problem, settings: Settings, found: _results.Results) -> None:
    titles = {name: ESTIMATORS[name].title for name in settings.methods}
    name = st.segmented_control(
        "Coloured by the votes of",
        list(titles),
        format_func=titles.get,
        required=True,
        default=settings.methods[0],
        key="samples-method",
    )
    name = name if name in titles else settings.methods[0]
    st.caption(
        "Evaluation samples, coloured by how much more support each gets from generated samples than "
        "from real ones. That ratio is all that the estimator knows of a sample."
    )
    points, axes, notes, pictures = _cache.remembered(
        ("samples", problem.key, settings.split), lambda: _as_shown(problem, settings)
    )
    supports = found.estimates[name].supports
    is_real = np.arange(len(points)) < supports.n_real
    figure = figures.samples_figure(
        points, is_real, c_real=supports.c_real, c_generated=supports.c_generated, axis_titles=axes, notes=notes
    )
    if pictures:
        st.caption("Hover a point to see its picture.")
    live_figure("samples", [Pane("samples", figure, wide=True, pictures=pictures)])


def _as_shown(problem: Problem, settings: Settings) -> tuple[Any, ...]:
    """Coordinates, axes, notes and pictures of the evaluation samples: the same at every k."""
    pair, seed = problem.draw(0)
    split = pair.split(settings.split, seed)
    return *shown_coordinates(split.evaluate), _notes(split), _pictures(split.evaluate)


def _notes(split: Split) -> list[str]:
    """The row of each evaluation sample in its own file or draw, counted from 1, and its labels."""
    notes = []
    for side, rows in zip(split.evaluate, (split.evaluate_real, split.evaluate_generated), strict=True):
        columns = list(side.labels.items())[:3]
        notes += [
            ", ".join([f"row {row + 1}", *(f"{name} {str(column[i])[:24]}" for name, column in columns)])
            for i, row in enumerate(rows)
        ]
    return notes


def _pictures(evaluated: SamplePair) -> tuple[str, ...]:
    if any(side.images is None for side in evaluated):
        return ()
    return tuple(figures.picture_data_uri(image) for side in evaluated for image in side.images)
