"""The co-support map in more than two dimensions: the evaluation samples in two linked projections."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages._live.figure import Pane, live_figure
from pages._shared import answers, cache, results, sample_display
from pages._shared.sources import Problem
from pages._work.jobs import Progress
from prviz import figures
from prviz.diagnostics.cosupport import support_classes
from prviz.diagnostics.projection import Projection, discriminant_projection, principal_projection
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import ExploreSettings
from prviz.samples import Split

# Seconds for two projections = BASE + VALUE * number of values; measured on two cores.
PROJECTION_BASE, PROJECTION_VALUE = 0.4, 2e-7
CLASS_LIST = "in the support of P only, of Q only, of both, or of neither"


def split_of(problem: Problem, settings: ExploreSettings) -> Split:
    pair, seed = problem.draw(0)
    return pair.split(settings.split, seed)


def show(problem: Problem, settings: ExploreSettings, found: results.Results, names: Sequence[str]) -> None:
    key = ("projections", problem.key, settings.split)
    compute = partial(_projected, problem, settings)
    n_real, n_generated, d = problem.sizes
    if not answers.ready(key, PROJECTION_BASE + PROJECTION_VALUE * (n_real + n_generated) * d, compute):
        return
    principal, discriminant = cache.remembered(key, lambda: compute(lambda _: None))
    titles = {name: ESTIMATORS[name].title for name in names}
    name = st.segmented_control(
        "Supports by",
        list(titles),
        format_func=titles.__getitem__,
        required=True,
        default=names[0],
        key="cosupport-votes",
    )
    name = name if name in titles else names[0]
    last = min(4, principal.points.shape[1])
    seconds = {"discriminant": "Linear discriminant", "components": "The last two components"}
    second = st.segmented_control(
        "Beside the first two components",
        list(seconds),
        format_func=seconds.__getitem__,
        required=True,
        default="discriminant",
        key="cosupport-second",
    )
    st.caption(
        f"Every evaluation sample, coloured by where this family believes it to be: {CLASS_LIST} (open). Both "
        "pictures show the same samples: point at one, or draw around several, and they are ringed in both."
    )
    _linked(problem, settings, found, name, (principal, discriminant if second != "components" else None), last)


def _projected(problem: Problem, settings: ExploreSettings, progress: Progress) -> tuple[Projection, Projection]:
    split = split_of(problem, settings)
    principal = principal_projection(split.evaluate)
    progress(0.5)
    return principal, discriminant_projection(split.fit, split.evaluate)


def _linked(
    problem: Problem,
    settings: ExploreSettings,
    found: results.Results,
    name: str,
    projections: tuple[Projection, Projection | None],
    last: int,
) -> None:
    """The first two components, and the discriminant or the last two, in two panes that mark the same samples."""
    principal, discriminant = projections
    supports, split = found.estimates[name].supports, split_of(problem, settings)
    rows = np.arange(len(principal.points)) if supports.rows is None else supports.rows
    said = sample_display.evaluated(problem, settings, found).notes
    classes = support_classes(supports.c_real, supports.c_generated)
    options: dict[str, Any] = {"rows": rows, "notes": [said[row] for row in rows]}
    is_real, link = np.arange(len(rows)) < supports.n_real, repr((problem.key, settings.split))
    link = hashlib.sha256(link.encode()).hexdigest()[:12]

    def pane(key: str, title: str, caption: str, projection: Projection, columns: slice) -> Pane:
        figure = figures.support_samples_figure(
            projection.points[rows, columns], is_real, classes, axis_titles=projection.titles[columns], **options
        )
        return Pane(f"cosupport-{key}", figure, title, caption, link=link)

    first = pane("components", "Principal components", "Where the samples vary most.", principal, slice(0, 2))
    if discriminant is None:
        words = "Where they vary most beside that."
        other = pane("further", "Further components", words, principal, slice(last - 2, last))
    else:
        held = "samples that are not shown" if split.held_out else "the same samples, which flatters it"
        words = f"The direction that best tells real from generated, found on {held}."
        other = pane("discriminant", "Linear discriminant", words, discriminant, slice(0, 2))
    live_figure("cosupport-samples", [first, other])
