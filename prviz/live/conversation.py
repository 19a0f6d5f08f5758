"""What a browser asks in the live figure, understood: the state that its questions change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from prviz.live import snapshots
from prviz.live.explorer import CurvesQuestion, Sink
from prviz.live.problems import Problem
from prviz.live.results import Answer
from prviz.live.state import ExploreState

# Largest number of a question: what JavaScript counts to exactly.
MOST_QUESTIONS = 2**53
# Makes the content of curves: of what is asked for, the number of the question, what is known, and
# the keys of the vertices that the browser has.
Content = Callable[[Problem, int, Answer, set[str]], bytes]


@dataclass
class Conversation:
    """What the user has chosen, and the questions that change it, each by `update`.

    asked : number of the browser's last question. refused : why the toy refuses what the user has
    just moved.
    """

    state: ExploreState | None = None
    asked: int = 0
    refused: str = ""
    lock: threading.RLock = field(default_factory=threading.RLock)

    def update(
        self, change: Callable[[ExploreState], ExploreState] = lambda now: now
    ) -> ExploreState:
        """Replace the state by what `change` makes of it, which is returned; in any thread."""
        with self.lock:
            self.state = change(self.state or ExploreState())
            return self.state

    def understand(
        self, sent: Mapping[str, Any], sink: Sink, wanted: Callable[[], Problem], content: Content
    ) -> CurvesQuestion:
        """The question that a browser has sent: its values change the state that is answered.

        wanted : the problem that the state asks for. Raises ValueError, TypeError or KeyError for
        anything that is no question.
        """
        values = sent.get("values")
        number = int(sent["q"])
        have = set(map(str, sent.get("have", ())))
        if not 0 < number <= MOST_QUESTIONS:
            raise ValueError("a question has a number")
        self.asked = max(self.asked, number)
        settings = self.update().settings
        # What was moved for other data must not count for these.
        if (
            isinstance(values, Mapping)
            and values
            and sent.get("of") == [settings.source, settings.problem]
        ):
            try:
                self.update(lambda state: state.with_values(values))
                self.refused = ""
            except ValueError as error:
                self.refused = str(error)
        asked = wanted()
        wishes = snapshots.pin_needs(snapshots.pinned(asked, self.update().pins))
        over = str(sent.get("film", ""))
        film = dict[str, Any]()
        if over and over in snapshots.films(asked):  # most questions are of no film
            film = snapshots.film_content(asked, over)
            wishes += snapshots.film_needs(asked, over)
            if sent.get("gif"):
                now = self.update()
                wishes.append(snapshots.gif_need(asked, over, (*now.hidden, *now.folded)))

        def draw(answer: Answer) -> bytes:
            return content(asked, number, answer, have)

        question = CurvesQuestion(number, asked, draw, sink, have, wishes)
        if film:
            question.send("film", film)
        if self.refused:
            question.send("page")
        return question

    def pin(self, asked: Problem, snapshot: object) -> None:
        """Pin what is asked for, or take it away; or a state that is pinned, by its snapshot's
        id.
        """
        settings = snapshots.to_pin(asked)
        for pin in self.update().pins:
            held = snapshots.pinned(asked, [pin])
            if any(snapshots.pin_id(each) == snapshot for each in held):
                settings = pin
        self.update(lambda now: now.with_pin(settings))
