"""The panels below a widget's figure: Explore's Space, Extremes and Numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from prviz.estimators import ESTIMATORS
from prviz.live import view
from prviz.live.evaluated import evaluated
from prviz.live.extremes import tails
from prviz.live.figure import Following, figure_content
from prviz.live.needs import INLINE_SECONDS
from prviz.live.results import Answer
from prviz.live.space import COLOURS, near_need, space

PANELS = ("space", "extremes", "numbers")


@dataclass
class PanelChoices:
    """What is chosen in Space: the meaning of its colours, the family in focus, and the samples
    selected.
    """

    colour: str = COLOURS[0]
    family: str = ""
    picked: Mapping[str, Any] = field(default_factory=dict)

    def take(self, values: Mapping[str, Any], families: tuple[str, ...]) -> None:
        """Take over what a browser sends, as far as it is a choice."""
        if values.get("colour") in COLOURS:
            self.colour = values["colour"]
        if values.get("family") in families:
            self.family = values["family"]
        if isinstance(values.get("picked"), list):
            self.picked = values

    def offered(self, families: tuple[str, ...]) -> dict[str, Any]:
        """The choices for a browser: by name its options, each with a title, and the one that
        holds.
        """
        colours = zip(COLOURS, ("Sets", "Score", "Decision"), strict=True)
        named = [(name, ESTIMATORS[name].title) for name in families]
        found: dict[str, Any] = {"colour": [list(colours), self.colour]}
        if self.colour != COLOURS[0]:
            found["family"] = [named, self._family(families)]
        return found

    def _family(self, families: tuple[str, ...]) -> str:
        return self.family if self.family in families else families[0]

    def content(self, panel: str, answer: Answer) -> bytes:
        """All that a panel draws, as JSON."""
        problem = answer.problem
        found = answer.found
        panes = []
        table = None
        explorer = None
        follow: Following | None = view.following(problem, found)
        if panel == "numbers":
            table = replace(view.numbers(problem, found), turned=True)
        elif panel == "extremes":
            panes = tails(problem, found, beside=True)
        else:
            shown = evaluated(problem)
            is_role = self.colour == COLOURS[0]
            name = "" if is_role else self._family(problem.settings.methods)
            made = space(problem, found, shown, name, self.colour)
            panes = [made.pane]
            follow = made.follow
            picked = made.picked(self.picked)
            near = near_need(problem, shown, made.wanted(picked))
            known: Mapping[int, list[str]] = {}
            if near.seconds <= INLINE_SECONDS and made.wanted(picked):
                known = problem.stores.results.remembered(
                    near.key, lambda: near.compute(lambda _: None)
                )
            explorer = made.filled(shown, picked, known)
        return figure_content(
            panes,
            table=table,
            legend=False,
            explorer=explorer,
            standout="",
            **(follow or Following({}))._asdict(),
        )
