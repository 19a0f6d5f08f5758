"""State of Explore in one browser session, beside the values of widgets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pages._shared.cache import of_session
from prviz.measure.estimates import K
from prviz.reports.settings import ExploreSettings, ParameterValue, Source
from prviz.toys import Value

# Keys of the widgets that other parts of the page or other pages set; a family's checkpoints and a toy's presets have
# keys of their own.
SOURCE, PROBLEM, FAMILY, APPROXIMATE = "source", "problem", "family", "approximate"
CHECKPOINT, PRESET = "checkpoint.{}", "preset.{}"
LAM_METHOD, COLOUR = "lambda-method", "space-colour"
# Entry of a link that names the open panel, the key of the panels' tabs, and their names, the first opening by itself.
PANEL, PANEL_TAB = "panel", "diagnostics"
PANELS = ("Space", "Extremes", "All numbers")
# Further entries of a link: the main figure's axes, their names, and its key; what the colours mean; hidden families.
VIEW, VIEWS, MAIN_VIEW = "view", ("PR", "Error space"), "main-view"
COLOURS, HIDDEN = "colour", "hidden"
# Names of panels in older links.
FORMER_PANELS = {"Ends": "Extremes"}


@dataclass
class ExploreSession:
    """The state of the page.

    start : the settings that widgets and figure begin with: those of the link, of another page, or the defaults.
    link_messages : what was wrong with the link. put : True until the page opens with the settings of another page.
    hidden : the families whose curves the user has hidden.
    good : by toy, the last parameters that it accepted.
    numbers : n, seed, split (0: none), repeats and the toys' parameters; `epoch` counts how often Python replaced the
        user's.
    about : the family whose card opens next; `about_turn` is the click on a row's (i) that last chose one.
    colour, method : what the colours of the panel Space mean, and the family in focus there; `chosen_turn` is the click
        in the main figure that last chose one.
    picked : what the user has selected in that panel, as the browser sent it.
    source : of the pair requested last. tunings : by source, its own k and bandwidth.
    far_off : keys of the errors on a surrogate that the user has asked for.
    kept_roles : digests of pairs whose names look swapped, and are not.
    enlarged : the open panel lies over the page, with all that it has. influential : its search for influential samples
        and duplicates is wanted.
    taken_k : the k that a button has set, in place of the figure's until its `taken_turn` has passed; `epoch_k` counts
        how often.
    """

    start: ExploreSettings | None = None
    link_messages: list[str] = field(default_factory=list)
    put: bool = False
    hidden: tuple[str, ...] = ()
    good: dict[str, Mapping[str, ParameterValue]] = field(default_factory=dict)
    numbers: dict[str, Value] = field(default_factory=dict)
    epoch: int = 0
    colour: str = "Role"
    method: str | None = None
    chosen_turn: object = None
    picked: Mapping[str, Any] = field(default_factory=dict)
    source: Source | None = None
    tunings: dict[Source, tuple[K, float | None]] = field(default_factory=dict)
    far_off: set[Hashable] = field(default_factory=set)
    kept_roles: set[str] = field(default_factory=set)
    taken_k: int | None = None
    taken_turn: object = None
    about: str | None = None
    about_turn: object = None
    epoch_k: int = 0
    enlarged: bool = False
    influential: bool = False

    def tuning(self, source: Source) -> tuple[K, float | None]:
        """k and bandwidth of this source: as the user left them there, else those that suit any data of its kind."""
        toy = ExploreSettings()
        return self.tunings.get(source, (toy.k, toy.bandwidth) if source == "toy" else ("sqrt", None))


def explore_session() -> ExploreSession:
    return of_session(ExploreSession)
