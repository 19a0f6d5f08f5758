"""Shared by all lessons: sliders' values, a question that is answered after a guess, links to Explore."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st

from pages._live.figure import Pane, Slider, lam_angle, moved
from pages._shared.cache import of_session
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import ExploreSettings


@dataclass
class LearnSession:
    """State of the lessons beside the values of widgets, by the key of a question or figure.

    revealed : the guess, and what it was about, whose answer is on screen.
    drawn : keys of the jobs that the figure on screen waits for.
    seeds : of the samples, counted up by Resample. begun : values that a button has set, and `epochs`, how often.
    """

    revealed: dict[str, object] = field(default_factory=dict)
    drawn: dict[str, list[Any]] = field(default_factory=dict)
    seeds: Counter[str] = field(default_factory=Counter)
    begun: dict[str, Any] = field(default_factory=dict)
    epochs: Counter[str] = field(default_factory=Counter)

    def put(self, key: str, values: Any) -> None:
        """Replace the values of this figure's controls, whatever the user has set."""
        self.begun[key] = values
        self.epochs[key] += 1

    def epoch(self, key: str) -> str:
        """An id of the last replacement; values that the browser sends with another one are ignored."""
        return str(self.epochs[key])


def learn_session() -> LearnSession:
    return of_session(LearnSession)


class Verdict(NamedTuple):
    """The computed answer, one of the question's options, and its explanation with the numbers."""

    answer: str
    why: str


def value(key: str, control: str, default: Any) -> Any:
    """Value of a control of this lesson's figure."""
    found = moved(key).get(control)
    return default if found is None else found


def lam_slider(angle: float = 45.0, group: str = "estimator") -> Slider:
    """Slider of lam = tan(angle), from the recall end to the precision end."""
    return Slider(
        "angle",
        "Trade-off λ = precision / recall",
        [float(stop) for stop in range(91)],
        angle,
        angle,
        marks=[(lam_angle(0.1), "λ = 1/10"), (45, "λ = 1"), (lam_angle(10), "λ = 10")],
        angle=True,
        help="λ says how many recall points one precision point is worth, as an angle: λ = tan(angle).",
        group=group,
    )


def curve_pane(
    curves: Mapping[str, PRCurve],
    truth: PRCurve,
    caption: str,
    title: str = "The precision-recall curve",
    notes: Mapping[str, str] | None = None,
) -> Pane:
    """Pane of the curves beside the truth, with the point at lam."""
    figure = figures.pr_figure(curves, truth=truth, notes=notes)
    return Pane("pr", figure, title, caption=caption, follow="pr", square=True)


def linked(truth: PRCurve, curves: Mapping[str, PRCurve], name: str = "truth") -> dict[str, tuple[str, str, PRCurve]]:
    """Title, colour and curve of the truth and of every family, as a live figure takes them."""
    colors = figures.colors(curves)
    families = {method: (ESTIMATORS[method].title, colors[method], curve) for method, curve in curves.items()}
    return {"truth": (name, figures.TRUTH_COLOR, truth), **families}


def lam_at(key: str, angle: float = 45.0) -> float:
    """Value of the figure's slider of lam."""
    degrees = float(value(key, "angle", angle))
    return math.inf if degrees >= 90 else float(f"{math.tan(math.radians(degrees)):.6g}")


def question(key: str, text: str, options: Sequence[str], answer: Callable[[], Verdict], *, about: Any = None) -> None:
    """Draw a question; after a guess its computed answer, which a change of `about` hides again."""
    with st.container(border=True, key=f"question-{key}"):
        st.markdown(f"**Predict, then reveal.** {text}")
        guess = st.radio("Your prediction", options, index=None, key=f"guess.{key}", label_visibility="collapsed")
        state, revealed = (guess, about), learn_session().revealed
        st.button(
            "Reveal", key=f"reveal.{key}", disabled=guess is None, on_click=revealed.__setitem__, args=(key, state)
        )
        if guess is None or revealed.get(key) != state:
            return
        found = answer()
        right = guess == found.answer
        box, icon = (st.success, ":material/check:") if right else (st.info, ":material/lightbulb:")
        box(f"{'Right' if right else 'Not quite'}: **{found.answer}**. {found.why}", icon=icon)


def explore_link(settings: ExploreSettings, label: str = "Open this in Explore") -> None:
    """Draw a link that opens the problem in Explore, in a new tab."""
    st.link_button(label, f"./?{urlencode(settings.to_query())}", icon=":material/open_in_new:")
