"""What every lesson shares: its sliders' values, a question to answer before the page computes it, links to Explore."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st

from pages._live.figure import Slider, lam_angle, moved
from prviz.reports.settings import ExploreSettings


class Verdict(NamedTuple):
    """The answer that the page has computed, one of the question's options, and why, with the numbers."""

    answer: str
    why: str


def value(key: str, control: str, default: Any) -> Any:
    """Where a control of this lesson's figure stands."""
    found = moved(key).get(control)
    return default if found is None else found


def lam_slider(angle: float = 45.0, group: str = "estimator") -> Slider:
    """lam = tan(angle), from the recall end to the precision end."""
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
    """Where the figure's lam slider stands."""
    degrees = float(value(key, "angle", angle))
    return math.inf if degrees >= 90 else float(f"{math.tan(math.radians(degrees)):.6g}")


def question(key: str, text: str, options: Sequence[str], answer: Callable[[], Verdict], *, about: Any = None) -> None:
    """Predict, then reveal: the options first, the page's own computation after a choice.

    answer : computes the verdict from what is on screen. about : what it depends on; when that changes, the answer is
    covered again.
    """
    with st.container(border=True, key=f"question-{key}"):
        st.markdown(f"**Predict, then reveal.** {text}")
        guess = st.radio("Your prediction", options, index=None, key=f"guess.{key}", label_visibility="collapsed")
        asked = (guess, about)

        def reveal() -> None:
            st.session_state[f"revealed.{key}"] = asked

        st.button("Reveal", key=f"reveal.{key}", disabled=guess is None, on_click=reveal)
        if guess is None or st.session_state.get(f"revealed.{key}") != asked:
            return
        found = answer()
        right = guess == found.answer
        box, icon = (st.success, ":material/check:") if right else (st.info, ":material/lightbulb:")
        box(f"{'Right' if right else 'Not quite'}: **{found.answer}**. {found.why}", icon=icon)


def explore_link(settings: ExploreSettings, label: str = "Open this in Explore") -> None:
    """A new tab with the same problem on the Explore page."""
    st.link_button(label, f"./?{urlencode(settings.to_query())}", icon=":material/open_in_new:")
