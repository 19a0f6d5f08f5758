"""State of Explore in one browser session, beside the values of widgets."""

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

# Keys of the widgets that other parts of the page or other pages set; a family's checkpoints and a
# toy's presets have keys of their own.
SOURCE = "source"
PROBLEM = "problem"
FAMILY = "family"
APPROXIMATE = "approximate"
CHECKPOINT = "checkpoint.{}"
PRESET = "preset.{}"
LAM_METHOD = "lambda-method"
COLOUR = "space-colour"
# Keys of the panels' tabs and of the main figure's axes.
PANEL_TAB = "diagnostics"
MAIN_VIEW = "main-view"


@dataclass
class ExploreSession(Conversation):
    """The state of the page, at first the link's, or what another page has put.

    link_messages : what was wrong with the link.
    uploaded : the pair in the upload fields.
    about : the family whose card opens next. method : the family in focus in the panel Space.
    picked : what the user has selected in that panel, as the browser sent it.
    far_off : keys of the errors on a surrogate that the user has asked for.
    dismissed : warnings that the user no longer wants to see: a pair's digest and the title of
    each.
    next : settings, and an upload if they are of one, that the next run of the page begins with.
    enlarged : the open panel lies over the page, with all that it has. influential : its search for
    influential samples
        and duplicates is wanted.
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
    """What the user has chosen: the link's at first."""
    held = explore_session()
    if held.state is None:
        held.state, held.link_messages = ExploreState.from_query(st.query_params.to_dict())
    return held.state


def change(**values: Any) -> None:
    """Replace parts of the state."""
    explore_session().update(lambda now: replace(now, **values))
