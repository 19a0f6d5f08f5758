"""The visitor's line: an HTTP route of the app's server to which the browser sends questions
directly, past Streamlit.

The answer is a stream of lines; each line is a message as JSON. A visitor is identified by a token,
which only the visitor's page gets and which ends with the session.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from prviz.live.explorer import Explorer, Question, Sink
from prviz.server.internals import session_id
from prviz.server.sessions import sessions
from prviz.server.uploads import TOKEN

ADDRESS = "/live/ask"
# Most bytes of a question.
MOST_BYTES = 20_000
# Tell browsers, proxies and servers not to store the answer, and not to hold back lines in order to
# compress or join them.
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no", "content-encoding": "identity"}
_MALFORMED = 400
_GONE = 410
_TOO_LONG = 413

# Session-state key of a list of objects. When the session ends, the `clear` of each object is
# called.
BAGS = "_bags"
# A function that makes a `Question` from the JSON object that the browser sends.
Ask = Callable[[Mapping[str, Any], Sink], Question]


class Visitor:
    """One visitor: their token, the `Explorer` that measures and answers for them, and the function
    that reads their questions.
    """

    def __init__(self, session: str = "") -> None:
        self.session, self.token = session, secrets.token_urlsafe(32)
        self.explorer = Explorer()
        self.understand: Ask | None = None
        self._lock = threading.Lock()
        _visitors[self.token] = self

    def ask(self, text: bytes, sink: Sink) -> Question:
        """Let the explorer answer a question given as JSON.

        Raises ValueError, TypeError or KeyError for a text that is no question.
        """
        asked = json.loads(text)
        if not isinstance(asked, dict) or (self.understand is None and not asked.get("follow")):
            raise TypeError("a question must be a JSON object")
        with self._lock:  # take questions one at a time, in the order of their arrival
            if asked.get("stop"):
                self.explorer.stop()
            if self.understand is None or asked.get("follow"):
                question = Question(int(asked["q"]), sink)
                if asked.get("stop"):
                    question.send("page")
            else:
                question = self.understand(asked, sink)
            self.explorer.ask(question)
        return question

    def close(self) -> None:
        """End all work of this visitor and forget the token."""
        _visitors.pop(self.token, None)
        self.explorer.close()
        sessions.left(self.session)


_visitors: dict[str, Visitor] = {}


# Streamlit releases the visitor at most a second after the session's connection ends.
@st.cache_resource(scope="session", on_release=lambda visitor: visitor.close(), show_spinner=False)
def visitor() -> Visitor:
    """The visitor whose page runs in this thread; created at the first call in a session."""
    bags: list[Any] = st.session_state.setdefault(BAGS, [])
    made = Visitor(session_id())

    def clear() -> None:
        for bag in bags:
            bag.clear()

    sessions.opened(made.session, st.context.cookies.get(TOKEN), clear)
    return made


def close_all() -> None:
    """End every answer. Called when the server shuts down, as it would wait for open answers."""
    for each in list(_visitors.values()):
        each.close()


async def _ask(request: Request) -> Response:
    """Answer a question with a stream of messages. The stream ends when the answer is complete, a
    newer question arrives, or the browser disconnects.
    """
    found = _visitors.get(request.headers.get("x-prviz-token", ""))
    if found is None:
        return PlainTextResponse("This page has lost its session.\n", _GONE)
    length = request.headers.get("content-length", "")
    if not length.isdigit() or int(length) > MOST_BYTES:
        return PlainTextResponse(
            "A question needs a content-length of at most 20,000 bytes.\n", _TOO_LONG
        )
    loop = asyncio.get_running_loop()
    lines = asyncio.Queue[bytes | None]()

    def send(line: bytes | None) -> None:  # the explorer's thread calls this
        loop.call_soon_threadsafe(lines.put_nowait, line)

    try:
        question = await asyncio.to_thread(found.ask, await request.body(), send)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return PlainTextResponse("This is not a question.\n", _MALFORMED)

    async def answer() -> AsyncIterator[bytes]:
        try:
            while (line := await lines.get()) is not None:
                yield line
        finally:
            question.open = False

    return StreamingResponse(answer(), media_type="application/x-ndjson", headers=_HEADERS)


class VisitorLine:
    """ASGI middleware that answers questions before Streamlit's own layers, whose compression could
    delay or break the stream.

    base_path : path below which the app is served.
    """

    def __init__(self, app: ASGIApp, base_path: str = "") -> None:
        below = base_path.strip("/")
        self._app = app
        self._route = Route(f"/{below}{ADDRESS}" if below else ADDRESS, _ask)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a question, or pass any other request on to the app."""
        asked = scope["type"] == "http" and (scope["method"], scope["path"]) == (
            "POST",
            self._route.path,
        )
        await (self._route.app if asked else self._app)(scope, receive, send)
