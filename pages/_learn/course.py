"""The course in the page: one component that draws all steps, and what Python measures for it
meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from pages._learn import steps
from pages._live.figure import load_published
from pages._shared import answers
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.live.message import as_text
from prviz.live.modules import bundle
from prviz.live.need import Need
from prviz.measure.estimates import Progress, estimate_repeated
from prviz.recent import LeastRecentlyUsed
from prviz.server.static_files import publish
from prviz.toys import toy

_FOLDER = Path(__file__).parent
# The last lesson: all families over the dimension, kNN over the samples in a few dimensions;
# centres 2 apart.
DISTANCE = 2.0
DIMENSIONS = tuple(2**power for power in range(1, 12))
N = 500
REPEATS = 10
SOME_DIMENSIONS = (2, 8, 64)
SIZES = (100, 200, 400, 800, 1600)
MORE_REPEATS = 40
# k of the curves of infinitely many samples: those of `figures.js`.
KS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30)
LIMIT_PROBLEM: Mapping[str, Any] = {"d": 2, "mu": 1.0}
# A colour on either theme.
LIGHTER = "light-dark({0}, color-mix(in srgb, {0} 65%, white))"
# Rays at which a curve is sent.
RAYS = 120


def javascript() -> str:
    """The course's modules as one."""
    return bundle(_FOLDER / "course.js")


STYLE = (_FOLDER / "course.css").read_text(encoding="utf-8")
SCRIPT = publish(javascript(), announced="learn")
_component = st.components.v2.component(
    "prviz_course",
    html='<div class="course-root"></div>',
    js=load_published(javascript(), announced="learn"),
    isolate_styles=False,
)


def thinned(curve: PRCurve) -> list[float]:
    """Vertices, one after the other, that are optimal along one of RAYS rays, both ends among them."""
    lams = np.append(np.tan(np.linspace(0, np.pi / 2, RAYS)[:-1]), np.inf)
    found: list[float] = curve.vertices[np.unique(curve.vertex_at(lams))].round(5).ravel().tolist()
    return found


def cell(d: int, n: int, methods: tuple[str, ...], repeats: int) -> dict[str, Any]:
    """These families in d dimensions on n samples per set: mean curves, and how far those are from
    the truth.
    """
    problem = toy("high-dimension", d=d, shift=DISTANCE)
    runs = estimate_repeated(
        lambda seed: problem.sample(n, seed), methods, repeats=repeats, split=0.5
    )
    truth = problem.truth()
    curves = {name: PRCurve.mean([run.curve for run in each]) for name, each in runs.items()}
    return {
        "d": d,
        "n": n,
        "curves": {name: thinned(curve) for name, curve in curves.items()},
        "iou": {name: round(curve.iou(truth), 4) for name, curve in curves.items()},
    }


def limits() -> dict[str, list[float]]:
    """kNN's curves for infinitely many samples, by k."""
    problem = toy("shifted-gaussians", **LIMIT_PROBLEM)
    return {str(k): thinned(problem.limit("knn", k)) for k in KS}


def cells(
    wanted: Sequence[tuple[int, int]], methods: tuple[str, ...], repeats: int, progress: Progress
) -> list[Any]:
    """A cell for each dimension and number of samples."""
    found: list[Any] = []
    for d, n in wanted:
        progress(len(found) / len(wanted))
        found.append(cell(d, n, methods, repeats))
    return found


# What takes longer than a drawing, by the name that the browser asks for it.
PARTS: Mapping[str, Callable[[Progress], Any]] = {
    "limits": lambda progress: limits(),  # noqa: ARG005 - they take no time worth a report
    "d": lambda progress: cells([(d, N) for d in DIMENSIONS], DEFAULT_METHODS, REPEATS, progress),
    "n": lambda progress: cells(
        [(d, n) for d in SOME_DIMENSIONS for n in SIZES], ("knn",), MORE_REPEATS, progress
    ),
}


@st.cache_resource
def shared() -> LeastRecentlyUsed:
    """The measurements of all sessions."""
    return LeastRecentlyUsed(len(PARTS))


def measurements(wished: object) -> dict[str, Any]:
    """What is measured of PARTS; the line measures the first of those wished that is not."""
    requests = {part: Need(("course", part), PARTS[part], 3.0, store=shared()) for part in PARTS}
    for part in wished if isinstance(wished, list) else ():
        if part in requests and not requests[part].known:
            answers.wait_for(requests[part])
    return {part: need.result for part, need in requests.items() if need.known}


@st.fragment
def draw() -> None:
    """Draw the course; the browser asks for one measurement after the other once it has drawn the
    first step.
    """
    state = st.session_state.get("course")
    # always there, so that the course keeps its place
    with answers.waiting(st.container(key="course-waits")):
        known = measurements(state.get("wish") if isinstance(state, Mapping) else None)
    content = {
        "lessons": dict(steps.LESSONS),
        "steps": steps.payload(),
        "style": STYLE,
        "script": SCRIPT,
        "measured": {
            "names": {name: ESTIMATORS[name].title for name in DEFAULT_METHODS},
            "colors": {
                name: LIGHTER.format(color)
                for name, color in figures.colors(DEFAULT_METHODS).items()
            },
            **known,
        },
    }
    _component(
        key="course", data=as_text(content), default={"wish": None}, on_wish_change=lambda: None
    )
