"""Painting both sets in the panel Space. The picture is a toy problem, made of cells, so its true
curve is known after every stroke.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from pages._explore.session import change, explore_session, state
from prviz.live.problems import Problem
from prviz.live.space import is_painted
from prviz.live.state import PANELS, ROLE
from prviz.reports.settings import ExploreSettings, ParameterValue
from prviz.toys.painted import PAINTINGS, Painted

# Name of the picture with which painting starts.
FIRST = "Ring in a disc"


def canvas(problem: Problem) -> dict[str, Any] | None:
    """The grid of cells that the brush paints, and pictures on this grid to start from; None if the
    problem is not the toy "painting".
    """
    painted = problem.toy
    if not isinstance(painted, Painted) or not is_painted(problem):
        return None
    pictures = [
        {"name": name, "amounts": (real, generated)}
        for name, (d, real, generated) in PAINTINGS.items()
        if d == painted.d and len(real) == painted.side**2
    ]
    return {"columns": painted.side, "pictures": pictures}


def settings_of(before: ExploreSettings, family: str = "") -> ExploreSettings:
    """These settings with the toy "painting", starting from the first picture.

    family : a family to measure in addition to those of the settings.
    """
    d, real, generated = PAINTINGS[FIRST]
    parameters: dict[str, ParameterValue] = {
        "d": d,
        "real_weights": real,
        "generated_weights": generated,
    }
    methods = tuple(dict.fromkeys([*before.methods, *filter(None, [family])]))
    return replace(
        before,
        source="toy",
        problem=Painted.name,
        parameters=parameters,
        n=Painted.paper_n,
        k="sqrt",
        methods=methods,
    )


def begin(task: str = "", family: str = "") -> None:
    """Callback: start painting from the first picture.

    task, family : the exercise's name and its family, if the user paints for an exercise.
    """
    now = state().settings
    change(task=task, panel=PANELS[0], colour=ROLE)
    explore_session().next = settings_of(now, family), None


def offer(problem: Problem) -> None:
    """Draw a button that starts a painting, if another toy is shown."""
    if problem.toy is not None and not is_painted(problem):
        words = "Paint both sets yourself: truth and curves follow."
        st.button("Paint", help=words, on_click=begin, key="paint")
