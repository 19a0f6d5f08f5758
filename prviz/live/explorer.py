"""Requests (questions) from one visitor's browser, and the thread that measures what they need, the
most urgent first.

A newer question replaces the older one. Work that the newer question also needs continues; other
work ends at its next progress report. If the newer question needs something more urgent, that is
measured first, inside the progress report of the current work, which then continues.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, ClassVar

from prviz.live import needs, results, snapshots
from prviz.live.modules import as_text
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.live.results import Answer
from prviz.live.snapshots import Snapshot
from prviz.live.state import ExploreState
from prviz.neighbors.threads import available_threads, low_priority
from prviz.server.limits import limits
from prviz.server.work_queue import WorkQueue, foreground

# After curves are sent, no work in the background begins for this number of seconds: the browser is
# drawing, perhaps on this processor, and if the user moves a slider, the next question comes soon.
REST_SECONDS = 0.06
# Least seconds between two messages about the progress of one measurement.
PROGRESS_SECONDS = 0.2
# Seconds between two checks whether watched parts of the page must be drawn again.
LOOK_SECONDS = 0.2
# If the browser has not drawn a part of the page after this number of seconds, it is told again:
# the message may have been lost.
AGAIN_SECONDS = 2.0
# Work counts as long from this number of estimated seconds on. Long and short work of all visitors
# wait in separate queues.
LONG_SECONDS = 1.0
# Share of the work that must be done before the remaining time is extrapolated from the elapsed
# time; until then the initial estimate is used.
FIRST_SHARE = 0.05
STOPPED = "Stopped"

Sink = Callable[[bytes | None], None]
# Function that converts curves to the content of a message, as JSON.
Draw = Callable[[Answer], bytes]


class SupersededError(Exception):
    """Raised inside a measurement to end it, because no question needs it any more."""


class Question:
    """One request of a browser, answered line by line until all results are sent or another
    question replaces it.

    number : identifies the answer for the browser. sink : called with each line of the answer, and
    with None after the last. needs : what is to be measured; in this class only what the open panel
    waits for.
    """

    def __init__(self, number: int, sink: Sink) -> None:
        self.number = number
        self.needs: list[Need[Any]] = []
        # Keys of the panel's needs whose results the page knows about.
        self.told: set[Hashable] = set()
        self.open = True
        self._sink = sink
        self._said: set[Hashable] = set()  # Keys of the needs whose results were sent.

    def take_panel(self, panel: Need[Any] | None) -> None:
        """Replace the needs by what the open panel waits for; None: by nothing."""
        self.needs = [] if panel is None else [panel]

    def send(self, kind: str, content: Mapping[str, Any] | bytes = b"{}") -> None:
        """Send one line of the answer, unless the question is closed. content : the message, as a
        mapping or as JSON.
        """
        if not isinstance(content, bytes):
            content = as_text(content)
        if self.open:
            head = f'{{"q":{self.number},"kind":"{kind}"'.encode()
            self._sink(head + (b"}" if content == b"{}" else b"," + content[1:]) + b"\n")

    def end(self, kind: str) -> None:
        """Send the last message of the answer and close the question."""
        if self.open:
            self.send(kind)
            self.open = False
            self._sink(None)

    def say(self) -> bool:
        """Send every result that is known but not sent yet; return True if the browser gets
        something to draw.
        """
        drawn = False
        for need in self.needs:
            if need.key not in self._said and need.known:
                self._said.add(need.key)
                drawn = self._tell(need) or drawn
        return drawn

    def _tell(self, need: Need[Any]) -> bool:  # noqa: ARG002 - the page knows the need
        self.send("page")
        return False


class CurvesQuestion(Question):
    """A question for the main figure: the curves, and everything that is drawn from them.

    draw : function that converts curves to the content of a message. held : ids that the browser
    has, among them the id of its frames. snapshots : what a film and pinned states need.
    """

    def __init__(
        self,
        number: int,
        problem: Problem,
        draw: Draw,
        sink: Sink,
        held: Collection[str] = (),
        snapshots: Sequence[Need[Snapshot]] = (),
    ) -> None:
        super().__init__(number, sink)
        self.problem = problem
        self._draw = draw
        self._held = held
        self._snapshots = snapshots
        self.take_panel(None)

    def take_panel(self, panel: Need[Any] | None) -> None:
        """Set what the open panel waits for, in addition to the needs of the curves."""
        self.needs = needs.needs(self.problem, panel, self._snapshots)

    def _tell(self, need: Need[Any]) -> bool:
        if need.kind == "panel":
            if need.key not in self.told:
                super()._tell(need)
            self.told.add(need.key)
            return False
        if need.kind in ("snapshot", "gif"):
            found = need.result
            if found is not None:
                self.send(need.kind, found.text)
            return False
        if need.kind != "frames":
            return self._say_curves()
        known = snapshots.known_frames(self.problem)
        if known is not None and known.content["id"] not in self._held:
            self.send("frames", known.text)
        return False

    def _say_curves(self) -> bool:
        """Send the curves at the settings, or coarse curves as long as the exact ones are not
        measured. The curves are sent again once their upper bound is known.
        """
        exact = needs.curves(self.problem).result
        if exact is not None:
            drawn = (each for each in self.needs if each.kind in ("coarse", "curves", "bound"))
            self._said |= {each.key for each in drawn if each.known}
            self.send("curves", self._draw(Answer(self.problem, exact)))
            return True
        rough = needs.coarse(self.problem)
        found = None
        if rough is not None:
            found = results.known(rough)
        if rough is None or found is None:
            return False
        self.send("curves", self._draw(Answer(rough, found, rough.settings.n)))
        return True


@dataclass
class _Watched:
    """A part of the page that must be drawn again when the value of `state` changes, which is
    checked regularly.

    drawn : the state that the page shows. every : seconds between checks. due : time of the next
    check. inside : the parts of the page that contain this one, outermost first; when one of them
    is drawn, this part is watched anew, or no longer exists.
    """

    state: Callable[[], Hashable]
    drawn: Hashable
    every: float
    due: float
    inside: tuple[str, ...]


class Explorer:
    """Answers the questions of one visitor, one at a time.

    stopped : by key of a need, the text that says why it is not measured: the user has stopped it,
    or it failed. panel : what the open panel of the page waits for.
    """

    # Queues shared by all visitors: urgent and other work, each with a queue for short and one for
    # long work.
    _queues: ClassVar[dict[tuple[bool, ...], WorkQueue]] = {
        kind: WorkQueue(available_threads()) for kind in product((False, True), repeat=2)
    }
    # On a shared server, the queue for work on the curves at every stop of the sliders.
    _stops: ClassVar[WorkQueue] = WorkQueue(1)

    def __init__(self, stopped: dict[Hashable, str] | None = None) -> None:
        self.stopped = {} if stopped is None else stopped
        self.panel: Need[Any] | None = None
        self._told: set[Hashable] = set()
        self._question: Question | None = None
        self._changed = threading.Condition()
        self._working = self._closed = False
        # The needs that are being measured. More urgent work interrupts other work, so there may be
        # several: the interrupted one comes first.
        self._measuring: list[Need[Any]] = []
        self._watched: dict[str, _Watched] = {}
        self._rest_until = 0.0

    # ---- called by the page and the route, from any thread ----

    def ask(self, question: Question) -> None:
        """Begin to answer this question; the answer to the previous one ends."""
        question.told = self._told
        question.take_panel(self.panel)
        with self._changed:
            before = self._question
            self._question = question
            if before is not None:
                before.end("superseded")
            if self._closed:
                question.end("gone")
            elif not self._working:
                self._working = True
                threading.Thread(target=self._work, name="prviz-explorer", daemon=True).start()
            self._changed.notify()
        foreground.look_again()

    def expect(self, panel: Need[Any] | None) -> None:
        """Set what the open panel waits for, so that it is measured too."""
        self.panel = panel
        self._told = set()
        question = self._question
        if question is not None:
            question.told = self._told
            question.take_panel(panel)

    @property
    def busy(self) -> bool:
        """True while something is being measured."""
        return bool(self._measuring)

    def watch(
        self,
        part: str,
        state: Callable[[], Hashable],
        drawn: Hashable,
        every: float,
        inside: tuple[str, ...] = (),
    ) -> None:
        """Watch a part of the page: the browser is told to draw it again when its state changes,
        until it does.

        state : called about every `every` seconds, from any thread. drawn : the state that the page
        shows. inside : the parts that contain this one, outermost first.
        """
        self._watched[part] = _Watched(state, drawn, every, time.monotonic() + every, inside)

    def unwatch(self, part: str) -> None:
        """Stop watching this part of the page and the parts inside it, because it is about to be
        drawn.
        """
        for name, each in list(self._watched.items()):
            if part in (name, *each.inside):
                self._watched.pop(name, None)

    def begin_page(self) -> None:
        """Stop watching all parts of the page, because the page is about to be drawn."""
        self._watched.clear()

    def turn_to(self, problem: Problem) -> None:
        """End the current answer if its question is about other data or settings than those of this
        problem.
        """
        question = self._question
        if not isinstance(question, CurvesQuestion):
            return
        if results.key(question.problem) != results.key(problem):
            question.end("superseded")

    def stop(self) -> None:
        """Stop the measurement that the current question waits for; the next one begins."""
        question = self._question
        if question is not None:
            for need in needs.missing(question.needs, self.stopped)[:1]:
                self.stopped[need.key] = STOPPED

    def close(self) -> None:
        """End the answer and all work, because the visitor has left."""
        with self._changed:
            self._closed = True
            if self._question is not None:
                self._question.end("gone")
            self._question = self.panel = None
            self._watched.clear()
            self._changed.notify()

    # ---- run in the explorer's own thread ----

    def _work(self) -> None:
        while True:
            with self._changed:
                question = self._question
                if question is None or not question.open:
                    self._working = False
                    return
            try:
                self._step(question)
            except SupersededError:
                continue
            except Exception:
                logging.getLogger(__name__).exception("an answer failed")
                question.end("failed")

    def _step(self, question: Question) -> None:
        """Send the results that are known, and measure the most urgent one that is not."""
        self._say(question)
        rest = needs.missing(question.needs, self.stopped)
        self._look(question)
        if not rest and not self._watched:
            question.end("done")
        if not rest:
            self._wait(question, LOOK_SECONDS)
            return
        wait = self._rest_until - time.monotonic()
        if not rest[0].urgent and wait > 0:
            self._wait(question, wait)
            return
        self._measure(rest[0], question)

    def _wait(self, question: Question, seconds: float) -> None:
        with self._changed:
            if self._question is question and question.open:
                self._changed.wait(seconds)

    def _look(self, question: Question) -> None:
        """Tell the browser which watched parts of the page to draw again."""
        now = time.monotonic()
        for part, each in list(self._watched.items()):
            if now < each.due:
                continue
            each.due = now + each.every
            if each.state() == each.drawn:
                continue
            # The lock keeps another question from replacing this one between the check and the
            # message.
            with self._changed:
                if question.open:
                    each.due = now + max(each.every, AGAIN_SECONDS)
                    question.send("news", {"part": part})

    def _say(self, question: Question) -> None:
        if question.say():
            self._rest_until = time.monotonic() + REST_SECONDS

    def _measure(self, need: Need[Any], question: Question) -> None:
        """Measure a need, store its result or its error, and tell the browser."""
        # Work that interrupts other work does not wait in a queue, except urgent work that
        # interrupts work that is not urgent.
        inside = any(each.urgent or not need.urgent for each in self._measuring)
        self._measuring.append(need)
        progress = self._progress(need)
        queue = self._queues[need.urgent, need.seconds >= LONG_SECONDS]
        if not need.urgent and _is_soon(need):
            queue = self._stops
        try:
            with ExitStack() as turn:
                if need.urgent:
                    turn.enter_context(foreground.drawing())
                if not inside:
                    turn.enter_context(queue.turn(partial(progress, 0.0)))
                if need.store is not None and need.known:
                    return  # It was measured for another visitor while it waited for its turn.
                with low_priority(limits.shared and not _is_soon(need)):
                    found = need.compute(progress)
            if need.store is not None:
                need.store.put(need.key, found)
        except (ValueError, TypeError, MemoryError, OSError) as error:
            self.stopped[need.key] = str(error) or "Not enough memory"
            question.send("page")
        finally:
            self._measuring.pop()

    def _progress(self, need: Need[Any]) -> Callable[..., None]:
        """The progress function for a measurement, to be called with the share done. It may raise
        to end the work, or measure something more urgent first.

        While the work waits in a queue, the function is also called with the place in that queue.
        """
        began = said = drawn = time.monotonic()
        checked: list[Need[Any]] = []
        answered = self._question

        def progress(share: float, place: int = 0) -> None:
            nonlocal began, said, drawn, checked, answered
            if not _is_soon(need):
                # The work does not give way while this visitor has a question that is not answered
                # yet.
                foreground.give_way(lambda: self._question is not answered)
            question = answered = self._needed(need)
            if question.needs is not checked:  # The question or the open panel has changed.
                checked = question.needs
                first = next(iter(needs.missing(checked, self.stopped)), None)
                if first is not None and all(each.key != first.key for each in self._measuring):
                    self._measure(first, question)
                    self._say(question)
            now = time.monotonic()
            if place:
                began = now
            limits.check(now - began)
            if need.pieces and now - drawn > need.pieces:
                drawn = now
                question.send("page")
            if now - said > PROGRESS_SECONDS:
                said = now
                self._look(question)
                left = _seconds_left(now - began, share, need.seconds)
                note = need.note
                if place:
                    note = f"{note}, place {place} in the queue"
                content = {
                    "note": note,
                    "share": round(share, 3),
                    "left": round(left, 1),
                    "quiet": not need.urgent,
                }
                question.send("progress", content)

        return progress

    def _needed(self, need: Need[Any]) -> Question:
        """The open question that needs this result; raises SupersededError if there is none."""
        question = self._question
        wanted = (
            question is not None
            and question.open
            and any(each.key == need.key for each in question.needs)
        )
        if question is None or not wanted or self._closed or need.key in self.stopped:
            raise SupersededError
        return question


def _is_soon(need: Need[Any]) -> bool:
    """True for work that never gives way to other work: curves, and on a shared server short
    measurements of the curves at every stop of the sliders, which spare the browser a question for
    each step of a drag.
    """
    stops = limits.shared and need.kind == "frames" and need.seconds < LONG_SECONDS
    return need.urgent or stops


def _seconds_left(gone: float, share: float, expected: float) -> float:
    """Estimated seconds left, extrapolated from the share that is done. At the start, what is left
    of the initial estimate; if that time has passed, as long as the work has taken so far.
    """
    if share > FIRST_SHARE:
        return gone * (1 - share) / share
    return max(expected - gone, gone)


# ---- the questions of one session ----

# Largest number of a question: JavaScript counts exactly up to here.
MOST_QUESTIONS = 2**53
# Function that makes the content of a message from the requested problem, the number of the
# question, the results to draw, and the keys of curves whose vertices the browser has.
Content = Callable[[Problem, int, Answer, set[str]], bytes]


@dataclass
class Conversation:
    """The user's choices, and the questions from the browser that change them, each by `update`.

    asked : number of the browser's last question. refused : text that says why the toy does not
    accept the parameters that the user has set last.
    """

    state: ExploreState | None = None
    asked: int = 0
    refused: str = ""
    lock: threading.RLock = field(default_factory=threading.RLock)

    def update(
        self, change: Callable[[ExploreState], ExploreState] = lambda now: now
    ) -> ExploreState:
        """Replace the state by `change(state)` and return it; may be called from any thread."""
        with self.lock:
            self.state = change(self.state or ExploreState())
            return self.state

    def understand(
        self, sent: Mapping[str, Any], sink: Sink, wanted: Callable[[], Problem], content: Content
    ) -> CurvesQuestion:
        """Make a question from what a browser has sent. Values of controls in it change the state
        first.

        wanted : returns the problem that the state selects. Raises ValueError, TypeError or
        KeyError for anything that is no question.
        """
        values = sent.get("values")
        number = int(sent["q"])
        have = set(map(str, sent.get("have", ())))
        if not 0 < number <= MOST_QUESTIONS:
            raise ValueError("a question must have a number from 1 to 2**53")
        self.asked = max(self.asked, number)
        settings = self.update().settings
        # Values of controls are ignored if the user has moved them while other data were shown.
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
        if over and over in snapshots.films(asked):  # Most questions ask for no film.
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
        """Pin or unpin a state of the figure: the one with this snapshot id if it is pinned,
        otherwise the state of ``asked``.
        """
        settings = snapshots.to_pin(asked)
        for pin in self.update().pins:
            held = snapshots.pinned(asked, [pin])
            if any(snapshots.pin_id(each) == snapshot for each in held):
                settings = pin
        self.update(lambda now: now.with_pin(settings))
