"""Shared by all lessons: sliders' values, a question that is answered after a guess, links to Explore."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st

from pages._live.figure import Slider, lam_angle, moved
from prviz.reports.settings import ExploreSettings


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


def lam_at(key: str, angle: float = 45.0) -> float:
    """Value of the figure's slider of lam."""
    degrees = float(value(key, "angle", angle))
    return math.inf if degrees >= 90 else float(f"{math.tan(math.radians(degrees)):.6g}")


def question(key: str, text: str, options: Sequence[str], answer: Callable[[], Verdict], *, about: Any = None) -> None:
    """Draw a question with options to guess from, and reveal the computed answer after a guess.

    answer : computes the verdict. about : a change of this value hides the answer again.
    """
    with st.container(border=True, key=f"question-{key}"):
        st.markdown(f"**Predict, then reveal.** {text}")
        guess = st.radio("Your prediction", options, index=None, key=f"guess.{key}", label_visibility="collapsed")
        state = (guess, about)

        def reveal() -> None:
            st.session_state[f"revealed.{key}"] = state

        st.button("Reveal", key=f"reveal.{key}", disabled=guess is None, on_click=reveal)
        if guess is None or st.session_state.get(f"revealed.{key}") != state:
            return
        found = answer()
        right = guess == found.answer
        box, icon = (st.success, ":material/check:") if right else (st.info, ":material/lightbulb:")
        box(f"{'Right' if right else 'Not quite'}: **{found.answer}**. {found.why}", icon=icon)


def explore_link(settings: ExploreSettings, label: str = "Open this in Explore") -> None:
    """Draw a link that opens the problem in Explore, in a new tab."""
    st.link_button(label, f"./?{urlencode(settings.to_query())}", icon=":material/open_in_new:")
