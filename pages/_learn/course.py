"""The component of the Learn page, which draws all steps of the course."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from pages._learn import measured, steps
from pages._live.figure import load_published
from prviz import figures
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.live.modules import as_text, bundle
from prviz.server.static_files import publish

_FOLDER = Path(__file__).parent
# CSS for a colour: unchanged on a light page, lighter on a dark page.
LIGHTER = "light-dark({0}, color-mix(in srgb, {0} 65%, white))"


def javascript() -> str:
    """The JavaScript modules of the course, bundled into one."""
    return bundle(_FOLDER / "course.js")


STYLE = (_FOLDER / "course.css").read_text(encoding="utf-8")
SCRIPT = publish(javascript(), announced="learn")
_component = st.components.v2.component(
    "prviz_course",
    html='<div class="course-root"></div>',
    js=load_published(javascript(), announced="learn"),
    isolate_styles=False,
)


def measurements() -> dict[str, Any]:
    """The stored measurements that the course's figures show, with names and colours for the
    curves.
    """
    shown = (*DEFAULT_METHODS, measured.BELIEVED)
    names = {name: ESTIMATORS[name].title for name in shown}
    colors = {name: LIGHTER.format(color) for name, color in figures.colors(shown).items()}
    return {
        "names": {**names, measured.BOUND: "bound"},
        "colors": {**colors, measured.BOUND: "var(--soft)"},
        **measured.kept(),
    }


def draw() -> None:
    """Draw the course."""
    content = {
        "lessons": dict(steps.LESSONS),
        "steps": steps.payload(),
        "style": STYLE,
        "script": SCRIPT,
        "measured": measurements(),
    }
    _component(key="course", data=as_text(content))
