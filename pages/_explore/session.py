"""State of Explore in one browser session, except the values of its widgets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from pages._shared.cache import of_session
from prviz.live.explorer import Conversation
from prviz.live.problems import Uploaded
from prviz.live.state import ExploreState
from prviz.reports.settings import ExploreSettings

# Keys of widgets that other modules set. A family's name completes CHECKPOINT, a toy's name PRESET.
SOURCE = "source"
PROBLEM = "problem"
FAMILY = "family"
APPROXIMATE = "approximate"
CHECKPOINT = "checkpoint.{}"
PRESET = "preset.{}"
LAM_METHOD = "lambda-method"
COLOUR = "space-colour"
# Widget keys: of the tabs of panels, and of the choice of the main figure's axes.
PANEL_TAB = "diagnostics"
MAIN_VIEW = "main-view"


@dataclass
class ExploreSession(Conversation):
    """State of the Explore page. It starts with what the link says, or with what another page has
    set.

    link_messages : what was wrong with the link.
    uploaded : the pair in the upload fields.
    about : the family whose card opens next. method : the family in focus in the panel Space.
    picked : the samples selected in the panel Space, as the browser sent them.
    far_off : keys of the surrogate errors that the user has asked for.
    dismissed : warnings that the user no longer wants to see, by the pair's digest and their title.
    next : settings with which the next run of the page starts, and the uploaded pair if they are
    for one.
    enlarged : True if the open panel is enlarged over the page. influential : True if the user has
    asked for influential samples and duplicates.
    """

    uploaded: Uploaded | None = None
    link_messages: list[str] = field(default_factory=list)
    about: str | None = None
    method: str | None = None
    picked: Mapping[str, Any] = field(default_factory=dict)
    far_off: set[Hashable] = field(default_factory=set)
    dismissed: set[tuple[str, str]] = field(default_factory=set)
    next: tuple[ExploreSettings, Uploaded | None] | None = None
    enlarged: bool = False
    influential: bool = False


def explore_session() -> ExploreSession:
    return of_session(ExploreSession)


def state() -> ExploreState:
    """The state of the page; at its first call, the state that the link describes."""
    held = explore_session()
    if held.state is None:
        held.state, held.link_messages = ExploreState.from_query(st.query_params.to_dict())
    return held.state


def change(**values: Any) -> None:
    """Replace these fields of the page's state."""
    explore_session().update(lambda now: replace(now, **values))
