"""The line's route: who is answered, what is refused, and what ends an answer."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from starlette.applications import Starlette

from pages._live import route
from prviz.live import results
from prviz.live.explorer import CurvesQuestion, Question, Sink
from prviz.live.problems import Problem, problem_of
from prviz.reports.settings import ExploreSettings
from tests.waiting import until

SETTINGS = ExploreSettings(
    problem="shifted-gaussians", n=60, methods=("knn",), parameters={"d": 2}, k=3
)
T = TypeVar("T")
Answer = tuple[int, dict[bytes, bytes], bytes]


@pytest.fixture
def visitor() -> Iterator[route.Visitor]:
    visitor = route.Visitor()
    problem = problem_of(SETTINGS)

    def understand(asked: Any, sink: Sink) -> Question:
        return CurvesQuestion(int(asked["q"]), problem, lambda *found: b'{"n":60}', sink)

    visitor.understand = understand
    yield visitor
    visitor.close()
    until(lambda: not any(thread.name == "prviz-explorer" for thread in threading.enumerate()), 30)


async def _posted(
    body: bytes, token: str, leave: asyncio.Event | None, path: str, base: str
) -> Answer:
    head: dict[str, Any] = {}
    content = bytearray()
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body}
        await (leave or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        head.update(message if message["type"] == "http.response.start" else {})
        content.extend(message.get("body", b""))

    headers = [(b"x-prviz-token", token.encode()), (b"content-length", str(len(body)).encode())]
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": headers,
        "query_string": b"",
        "root_path": "",
    }
    await route.VisitorLine(Starlette(), base)(scope, receive, send)
    return head["status"], dict(head["headers"]), bytes(content)


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of this, in a thread without a loop: browser tests leave theirs running in this
    one.
    """
    with ThreadPoolExecutor() as pool:
        return pool.submit(asyncio.run, work).result()


def posted(body: bytes, token: str, path: str = "/live/ask", base: str = "") -> Answer:
    return run(_posted(body, token, None, path, base))


def test_an_answer_is_a_line_for_each_message(visitor: route.Visitor) -> None:
    status, headers, content = posted(b'{"q": 7}', visitor.token)
    lines = [json.loads(line) for line in content.splitlines()]
    assert status == 200
    assert [line["kind"] for line in lines if line["kind"] != "progress"] == [
        "curves",
        "frames",
        "done",
    ]
    assert {line["q"] for line in lines} == {7}
    assert lines[0]["n"] == 60
    assert headers[b"content-encoding"] == b"identity"  # else lines are held back
    assert headers[b"cache-control"] == b"no-store"


def test_it_is_below_the_path_that_the_app_is_served_at(visitor: route.Visitor) -> None:
    assert posted(b'{"q": 1}', visitor.token, "/below/live/ask", "below/")[0] == 200
    assert posted(b'{"q": 1}', visitor.token, "/live/ask", "below/")[0] == 404


@pytest.mark.parametrize("token", ["", "x", "é"])
def test_a_foreign_token_is_not_answered(visitor: route.Visitor, token: str) -> None:
    assert posted(b'{"q": 1}', token)[0] == 410


def test_a_dead_token_is_not_answered(visitor: route.Visitor) -> None:
    visitor.close()
    assert posted(b'{"q": 1}', visitor.token)[0] == 410


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"{}", b'{"q": "x"}', b'{"q": null}', b"\xff", b"[" * 19_000]
)
def test_junk_is_refused(visitor: route.Visitor, body: bytes) -> None:
    assert posted(body, visitor.token)[0] == 400


def test_a_question_has_a_limit(visitor: route.Visitor) -> None:
    assert posted(b" " * 20_001, visitor.token)[0] == 413


def slow(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Measurements go on for ever; their blocks."""
    blocks: list[int] = []

    def measure(problem: Problem, progress: Any) -> results.Results:
        while True:
            blocks.append(1)
            progress(0.5)
            threading.Event().wait(0.002)

    monkeypatch.setattr(results, "measure", measure)
    return blocks


def test_work_ends_where_nobody_reads_any_more(
    monkeypatch: pytest.MonkeyPatch, visitor: route.Visitor
) -> None:
    blocks = slow(monkeypatch)

    async def leave() -> None:
        leaving = asyncio.Event()
        answer = asyncio.create_task(_posted(b'{"q": 1}', visitor.token, leaving, "/live/ask", ""))
        while not blocks:
            await asyncio.sleep(0.01)
        leaving.set()
        await asyncio.wait_for(answer, 30)

    run(leave())
    until(lambda: not visitor.explorer._working, 5)


def test_the_end_of_the_server_ends_every_answer(
    monkeypatch: pytest.MonkeyPatch, visitor: route.Visitor
) -> None:
    blocks = slow(monkeypatch)

    async def end() -> Answer:
        answer = asyncio.create_task(_posted(b'{"q": 1}', visitor.token, None, "/live/ask", ""))
        while not blocks:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(route.close_all)
        return await asyncio.wait_for(answer, 30)

    status, _, content = run(end())
    assert status == 200
    assert json.loads(content.splitlines()[-1])["kind"] == "gone"


def test_a_page_that_only_follows_is_answered_whatever_page_it_is(visitor: route.Visitor) -> None:
    visitor.understand = None
    status, _, content = posted(b'{"q": 3, "follow": true, "stop": true}', visitor.token)
    assert (status, [json.loads(line)["kind"] for line in content.splitlines()]) == (
        200,
        ["page", "done"],
    )
    assert posted(b'{"q": 4}', visitor.token)[0] == 400


@pytest.mark.exhaustive
def test_a_thousand_questions_at_once_are_answered_one_after_the_other(
    visitor: route.Visitor,
) -> None:
    async def flood() -> list[Answer]:
        bodies = [b'{"q": %d, "follow": true}' % number for number in range(1, 1001)]
        return await asyncio.gather(
            *(_posted(body, visitor.token, None, "/live/ask", "") for body in bodies)
        )

    answers = run(flood())
    assert {status for status, *_ in answers} == {200}
    last = [json.loads(content.splitlines()[-1])["kind"] for *_, content in answers]
    assert set(last) <= {"done", "superseded"}
    assert "done" in last
