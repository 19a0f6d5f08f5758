"""The answers of the line: what comes first, what ends what, what goes on, and what the browser is
told.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

import pytest

from pages._live import follow as live_follow
from prviz.live import explorer, needs, results
from prviz.live.explorer import STOPPED, CurvesQuestion, Explorer, Question
from prviz.live.need import Need
from prviz.live.problems import Problem, problem_of
from prviz.live.store import Stores
from prviz.measure.estimates import Progress
from prviz.reports.settings import ExploreSettings
from prviz.server import work_queue
from prviz.server.limits import TOO_LONG, limits
from prviz.server.work_queue import WorkQueue, foreground
from tests.waiting import until

SETTINGS = ExploreSettings(
    problem="shifted-gaussians",
    n=100,
    methods=("knn", "ipr"),
    parameters={"d": 2},
    k=3,
    show=("bound",),
)
MEASURE = results.measure


class Visitor:
    """An explorer and what it has said to each question."""

    def __init__(self) -> None:
        self.explorer, self.stores = Explorer(), Stores()
        self.lines: dict[int, queue.Queue[bytes | None]] = {}

    def ask(self, settings: ExploreSettings, frames: Collection[str] = ()) -> int:
        number = len(self.lines) + 1
        self.lines[number] = queue.Queue()
        problem = problem_of(settings, stores=self.stores)
        self.explorer.ask(CurvesQuestion(number, problem, drawn, self.lines[number].put, frames))
        return number

    def messages(self, number: int) -> Iterator[dict[str, Any]]:
        """What is said to this question, to the last word."""
        for line in iter(lambda: self.lines[number].get(timeout=30), None):
            message = json.loads(line)
            assert message.pop("q") == number
            yield message

    def kinds(self, number: int) -> list[str]:
        said = [message["kind"] for message in self.messages(number)]
        return [kind for kind in said if kind != "progress"]


def drawn(answer: results.Answer) -> bytes:
    settings = answer.problem.settings
    names = list(answer.found.curves)
    return json.dumps(
        {"n": settings.n, "k": settings.k, "names": names, "coarse": answer.coarse}
    ).encode()


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    visitor = Visitor()
    yield visitor
    visitor.explorer.close()
    until(lambda: not any(thread.name == "prviz-explorer" for thread in threading.enumerate()), 30)


def slowly(monkeypatch: pytest.MonkeyPatch, n: int) -> tuple[dict[object, int], threading.Event]:
    """Measurements of this n go on, in small blocks that are counted by k, until the event."""
    blocks: dict[object, int] = {}
    go = threading.Event()

    def measure(problem: Problem, progress: Progress) -> results.Results:
        settings = problem.settings
        while settings.n == n and not go.is_set():
            blocks[settings.k] = blocks.get(settings.k, 0) + 1
            progress(0.3)
            go.wait(0.002)
        return MEASURE(problem, progress)

    monkeypatch.setattr(results, "measure", measure)
    return blocks, go


def test_curves_come_first_then_the_frames_and_the_bound(visitor: Visitor) -> None:
    said = [each for each in visitor.messages(visitor.ask(SETTINGS)) if each["kind"] != "progress"]
    assert [each["kind"] for each in said] == ["curves", "frames", "curves", "done"]
    assert said[0] == {"kind": "curves", "n": 100, "k": 3, "names": ["knn", "ipr"], "coarse": 0}
    (frames,) = [each for each in said if each["kind"] == "frames"]
    assert set(frames) == {"kind", "id", "columns", "k", "bandwidth"}
    # All is known now, and the browser holds the frames.
    assert visitor.kinds(visitor.ask(replace(SETTINGS, k=5), [frames["id"]])) == ["curves", "done"]
    assert visitor.kinds(visitor.ask(replace(SETTINGS, k=5))) == ["curves", "frames", "done"]


@pytest.mark.exhaustive
def test_where_measuring_takes_long_coarse_curves_come_before(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    monkeypatch.setattr(needs, "INLINE_SECONDS", 0.0)
    monkeypatch.setattr(needs, "coarse_size", lambda problem: 60)
    said = list(visitor.messages(visitor.ask(SETTINGS)))
    first, second = [each for each in said if each["kind"] == "curves"][:2]
    assert (first["n"], first["coarse"], second["n"], second["coarse"]) == (60, 60, 100, 0)
    # No coarse ones where the exact ones are known.
    first, *_ = visitor.messages(visitor.ask(SETTINGS))
    assert first["coarse"] == 0


def test_work_that_gives_way_to_others_does_not_hold_its_own_visitors_next_question(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    monkeypatch.setattr(work_queue, "GIVE_WAY_SECONDS", 60.0)
    given = threading.Event()
    wait = foreground.give_way

    def give_way(until: Callable[[], bool] = lambda: False) -> None:
        given.set()
        wait(until)

    monkeypatch.setattr(foreground, "give_way", give_way)
    with foreground.drawing():  # of another visitor, all the time
        visitor.ask(SETTINGS)
        assert given.wait(30)
        moved = visitor.messages(visitor.ask(replace(SETTINGS, k=5)))
        assert next(each for each in moved if each["kind"] != "progress")["k"] == 5


def test_a_newer_question_ends_the_work_of_the_older_one(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    blocks, go = slowly(monkeypatch, 100)
    first = visitor.ask(SETTINGS)
    until(lambda: blocks.get(3, 0) > 2, 30)
    second = visitor.ask(replace(SETTINGS, k=5))
    assert visitor.kinds(first) == ["superseded"]
    until(lambda: blocks.get(5, 0) > 2, 30)
    assert visitor.explorer._measuring[-1].key == results.key(problem_of(replace(SETTINGS, k=5)))
    go.set()
    assert visitor.kinds(second)[0] == "curves"
    assert visitor.stores.results.get(results.key(problem_of(SETTINGS))) is None


@pytest.mark.exhaustive
def test_more_urgent_work_comes_inside_what_goes_on(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    begun: list[str] = []
    go = threading.Event()

    def profile(problem: Problem, progress: Progress) -> results.Profiles:
        begun.append("profile")
        while not go.is_set():
            progress(0.3)
            go.wait(0.002)
        return MAKE(problem, progress)

    MAKE = results.make_profile
    monkeypatch.setattr(results, "make_profile", profile)
    first = visitor.ask(SETTINGS)
    until(lambda: begun, 30)
    second = visitor.ask(replace(SETTINGS, k=7))
    said = visitor.messages(second)
    assert next(each for each in said if each["kind"] == "curves")["k"] == 7
    go.set()
    assert "frames" in [each["kind"] for each in said]
    assert begun == ["profile"]
    assert visitor.kinds(first)[0] == "curves"


def test_nobody_reads_and_work_ends(monkeypatch: pytest.MonkeyPatch, visitor: Visitor) -> None:
    blocks, _ = slowly(monkeypatch, 100)
    visitor.ask(SETTINGS)
    until(lambda: blocks, 30)
    question = visitor.explorer._question
    assert question is not None
    question.open = False  # as the route does where the connection has ended
    until(lambda: not visitor.explorer._working, 1)


def test_a_visitor_who_leaves_ends_everything(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    blocks, _ = slowly(monkeypatch, 100)
    asked = visitor.ask(SETTINGS)
    until(lambda: blocks, 30)
    visitor.explorer.close()
    assert visitor.kinds(asked) == ["gone"]
    until(lambda: not visitor.explorer._working, 1)
    assert visitor.kinds(visitor.ask(SETTINGS)) == ["gone"]


@pytest.mark.exhaustive
def test_stop_gives_up_the_curves_and_all_that_follows_or_what_follows_alone(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    blocks, go = slowly(monkeypatch, 100)
    first = visitor.ask(SETTINGS)
    until(lambda: blocks, 30)
    visitor.explorer.stop()
    assert visitor.explorer.stopped == {results.key(problem_of(SETTINGS)): STOPPED}
    assert visitor.kinds(first) == ["done"]
    assert visitor.kinds(visitor.ask(SETTINGS)) == ["done"]
    go.set()
    visitor.explorer.stopped.clear()
    visitor.explorer.stopped[results.profile_key(problem_of(SETTINGS))] = STOPPED
    assert visitor.kinds(visitor.ask(SETTINGS)) == ["curves", "curves", "done"]


def test_an_error_is_kept_and_the_page_has_news(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    def measure(*given: object) -> results.Results:
        raise ValueError("too strange")

    monkeypatch.setattr(results, "measure", measure)
    monkeypatch.setattr(needs, "profile", lambda *given: None)
    kinds = visitor.kinds(visitor.ask(SETTINGS))
    assert kinds == ["page", "done"]
    assert set(visitor.explorer.stopped.values()) == {"too strange"}


def test_what_the_open_panel_waits_for_comes_after_the_curves(visitor: Visitor) -> None:
    made: list[int] = []
    panel = Need(("panel",), lambda tick: made.append(1), 0.1, "the panel", visitor.stores.results)
    visitor.explorer.expect(panel)
    assert visitor.kinds(visitor.ask(SETTINGS)) == ["curves", "page", "frames", "curves", "done"]
    assert made == [1]
    # the page is told already
    assert visitor.kinds(visitor.ask(SETTINGS)) == [
        "curves",
        "frames",
        "done",
    ]
    visitor.explorer.expect(panel)  # and has been drawn
    assert visitor.kinds(visitor.ask(SETTINGS)) == ["curves", "page", "frames", "done"]
    visitor.explorer.expect(None)
    assert visitor.kinds(visitor.ask(SETTINGS)) == ["curves", "frames", "done"]


@pytest.mark.exhaustive
def test_other_visitors_curves_come_before_frames(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    blocks, go = slowly(monkeypatch, 90)
    other = Visitor()
    waiting = other.ask(replace(SETTINGS, n=90))
    until(lambda: blocks, 30)
    mine = visitor.ask(SETTINGS)  # its curves are measured at once, its frames wait
    assert next(visitor.messages(mine))["kind"] == "curves"
    time.sleep(0.3)
    assert visitor.stores.profiles.get(results.profile_key(problem_of(SETTINGS))) is None
    go.set()
    assert "frames" in visitor.kinds(mine)
    assert other.kinds(waiting)[-1] == "done"


@pytest.mark.parametrize("change", [{"seed": 1}, {"k": 4}, {"split": 0.3}, {"methods": ("knn",)}])
def test_the_page_ends_the_answer_about_other_data(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor, change: dict[str, Any]
) -> None:
    blocks, go = slowly(monkeypatch, 100)
    asked = visitor.ask(SETTINGS)
    until(lambda: blocks, 30)
    visitor.explorer.turn_to(problem_of(SETTINGS))
    question = visitor.explorer._question
    assert question is not None
    assert question.open
    other = replace(SETTINGS, **change)
    visitor.explorer.turn_to(problem_of(other))
    assert visitor.kinds(asked) == ["superseded"]
    go.set()


# ---- parts of a page that follow work ----


def follow(visitor: Visitor) -> int:
    number = len(visitor.lines) + 1
    visitor.lines[number] = queue.Queue()
    visitor.explorer.ask(Question(number, visitor.lines[number].put))
    return number


def test_a_part_is_told_of_until_it_is_drawn_anew(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer, "AGAIN_SECONDS", 0.05)
    state = {"run": 0, "other": 0}
    for part in state:
        visitor.explorer.watch(part, lambda part=part: state[part], 0, 0.01)
    number = follow(visitor)
    state["run"] = 1
    messages = visitor.messages(number)
    # the first may be lost
    assert [next(messages) for _ in range(2)] == [{"kind": "news", "part": "run"}] * 2
    visitor.explorer.unwatch("run")
    visitor.explorer.watch("other", lambda: 0, 0, 60.0)
    assert visitor.explorer._watched.keys() == {"other"}
    visitor.explorer.begin_page()
    assert visitor.kinds(number)[-1] == "done"


def test_news_are_not_lost_to_a_question_that_comes_while_they_are_found(visitor: Visitor) -> None:
    second: list[int] = []

    def state() -> int:
        if not second:
            second.append(follow(visitor))
        return 1

    visitor.explorer.watch("run", state, 0, 0.01)
    follow(visitor)
    until(lambda: second, 30)
    assert next(visitor.messages(second[0])) == {"kind": "news", "part": "run"}


def test_a_page_without_curves_waits_for_one_result_and_is_drawn_piece_by_piece(
    visitor: Visitor,
) -> None:
    store = Stores().results
    go = threading.Event()

    def compute(progress: Progress) -> str:
        while not go.is_set():
            progress(0.5)
            go.wait(0.002)
        return "made"

    visitor.explorer.expect(Need(("a part",), compute, 9.0, "The open part", store, pieces=0.01))
    number = follow(visitor)
    until(lambda: not visitor.lines[number].empty(), 30)

    again = follow(visitor)  # the page was drawn: what is measured goes on
    assert visitor.kinds(number)[-1] == "superseded"
    assert visitor.explorer.busy
    go.set()
    assert visitor.kinds(again)[-2:] == ["page", "done"]
    assert store.get(("a part",)) == "made"
    visitor.explorer.expect(Need(("another",), lambda _: None, 9.0, "", store))
    assert visitor.kinds(follow(visitor)) == ["page", "done"]


def test_what_no_part_waits_for_any_more_is_given_up(visitor: Visitor) -> None:
    given_up = threading.Event()

    def compute(progress: Progress) -> None:
        try:
            while True:
                progress(0.1)
                time.sleep(0.001)
        finally:
            given_up.set()

    visitor.explorer.expect(Need(("a part",), compute, 9.0, "", visitor.stores.results))
    number = follow(visitor)
    until(lambda: visitor.explorer.busy, 30)
    visitor.explorer.expect(None)
    assert given_up.wait(30)
    assert visitor.kinds(number) == ["done"]


@pytest.mark.exhaustive
def test_a_thousand_questions_are_one_visitors_work(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    _, go = slowly(monkeypatch, 100)
    numbers = [visitor.ask(replace(SETTINGS, k=1 + place % 9)) for place in range(1000)]
    working = [thread for thread in threading.enumerate() if thread.name == "prviz-explorer"]
    assert len(working) == 1
    go.set()
    assert {tuple(visitor.kinds(number)[-1:]) for number in numbers[:-1]} == {("superseded",)}
    assert visitor.kinds(numbers[-1])[-1] == "done"


def test_parts_inside_one_that_is_drawn_anew_are_forgotten_unless_they_are_drawn_again(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_follow.st, "fragment", lambda drawn: drawn)
    monkeypatch.setattr(live_follow, "visitor", lambda: visitor)
    monkeypatch.setattr(live_follow, "listen", lambda *_, **__: None)
    inner = ["first", "second"]

    def follow(part: str, draw: Callable[[], None] = lambda: None) -> None:
        live_follow.follow(part, draw, lambda: 0, lambda: 60.0)

    def outer() -> None:
        for part in inner:
            follow(part, partial(follow, f"{part} inside"))

    follow("beside")
    follow("outer", outer)
    everything = {"beside", "outer", "first", "first inside", "second", "second inside"}
    assert visitor.explorer._watched.keys() == everything
    inner.remove("first")
    follow("outer", outer)
    assert visitor.explorer._watched.keys() == everything - {"first", "first inside"}
    visitor.explorer.unwatch("outer")
    assert visitor.explorer._watched.keys() == {"beside"}


@pytest.mark.exhaustive
def test_long_work_waits_for_its_turn_and_says_its_place(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    queue = WorkQueue(1)
    monkeypatch.setitem(Explorer._queues, (False, True), queue)
    monkeypatch.setattr(explorer, "PROGRESS_SECONDS", 0.0)
    made: list[str] = []
    store = visitor.stores.results
    visitor.explorer.expect(Need(("long",), lambda tick: made.append("long"), 5.0, "Long", store))
    with queue.turn(lambda _: None):
        mine = visitor.ask(SETTINGS)
        said = visitor.messages(mine)
        before = list(takewhile(lambda message: "queue" not in message.get("note", ""), said))
        assert "curves" in {message["kind"] for message in before}  # which wait for nobody
        assert next(said)["note"] == "Long, place 1 in the queue"
        visitor.explorer.expect(
            Need(("short",), lambda tick: made.append("short"), 0.5, store=store)
        )
        again = visitor.ask(SETTINGS)
        until(lambda: made == ["short"], 30)
    assert visitor.kinds(again)[-1] == "done"
    visitor.explorer.expect(Need(("long",), lambda tick: made.append("long"), 5.0, "Long", store))
    assert visitor.kinds(visitor.ask(SETTINGS))[-1] == "done"
    assert made == ["short", "long"]


def test_in_a_crowd_the_stops_of_the_sliders_wait_for_those_of_other_visitors_alone(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    stops = WorkQueue(1)
    beyond = WorkQueue(1)
    monkeypatch.setattr(limits, "shared", True)
    monkeypatch.setattr(Explorer, "_stops", stops)
    monkeypatch.setitem(Explorer._queues, (False, False), beyond)
    with beyond.turn(lambda _: None):
        with stops.turn(lambda _: None):
            said = visitor.messages(visitor.ask(SETTINGS))
            notes = (message.get("note", "") for message in said)
            assert next(note for note in notes if "queue" in note).startswith("Preparing every k")
        assert "frames" in (message["kind"] for message in said)


def test_work_ends_at_the_time_limit_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    monkeypatch.setattr(limits, "seconds", 0.1)
    _, go = slowly(monkeypatch, SETTINGS.n)
    monkeypatch.setattr(needs, "profile", lambda *given: None)
    assert visitor.kinds(visitor.ask(SETTINGS)) == ["page", "done"]
    assert set(visitor.explorer.stopped.values()) == {TOO_LONG}
    go.set()
