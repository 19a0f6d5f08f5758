"""State of Explore in one browser session, beside the values of widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pages._shared.cache import of_session
from prviz.reports.settings import ExploreSettings, ParameterValue
from prviz.toys import Value

# Keys of the widgets that other parts of the page or other pages set; a family's checkpoints and a toy's presets have
# keys of their own.
SOURCE, PROBLEM, FAMILY, SPLIT, APPROXIMATE = "source", "problem", "family", "split", "approximate"
CHECKPOINT, PRESET = "checkpoint.{}", "preset.{}"
LAM_METHOD = "lambda-method"
# Entry of a link that names the open panel; by whether a truth is known, the key of the panels' tabs and the panel that
# opens by itself.
PANEL, PANEL_TABS = "panel", {False: "diagnostics", True: "diagnostics-with-truth"}
FIRST_PANEL = {False: "Samples", True: "Bias along the curve"}


@dataclass
class ExploreSession:
    """The state of the page.

    start : the settings that widgets and figure begin with: those of the link, of another page, or the defaults.
    link_messages : what was wrong with the link. put : True until the page opens with the settings of another page.
    good : by toy, the last parameters that it accepted.
    numbers : n, the seed and the toys' parameters; `epoch` counts how often Python replaced the user's.
    method : the family of the tab Samples; `chosen_turn` is the click in the main figure that last chose one.
    picked : what the user has selected in that tab, as the browser sent it.
    taken_k : the k that a button has set, in place of the figure's until its `taken_turn` has passed; `epoch_k` counts
        how often.
    """

    start: ExploreSettings | None = None
    link_messages: list[str] = field(default_factory=list)
    put: bool = False
    good: dict[str, Mapping[str, ParameterValue]] = field(default_factory=dict)
    numbers: dict[str, Value] = field(default_factory=dict)
    epoch: int = 0
    method: str | None = None
    chosen_turn: object = None
    picked: Mapping[str, Any] = field(default_factory=dict)
    taken_k: int | None = None
    taken_turn: object = None
    epoch_k: int = 0


def explore_session() -> ExploreSession:
    return of_session(ExploreSession)
