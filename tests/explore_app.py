"""Explore by Streamlit's own test driver: open it, move its sliders as the browser would, read what
it was sent.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from streamlit.testing.v1 import AppTest

from pages._explore import guide
from pages._explore.live_view import TOLD, understand
from prviz.live.explorer import Explorer, Question, Sink
from prviz.live.store import PUBLIC
from prviz.reports.settings import ExploreSettings
from prviz.toys import toy

APP = str(Path(__file__).resolve().parent.parent / "app.py")


def assert_link_gives(settings: ExploreSettings, query: dict[str, str]) -> None:
    """The link restores these settings; of a toy it may leave out parameters at their defaults."""
    again, messages = ExploreSettings.from_query(query)
    assert (replace(again, parameters={}), messages) == (replace(settings, parameters={}), [])
    if settings.source == "toy":
        assert toy(again.problem, **again.parameters) == toy(
            settings.problem, **settings.parameters
        )


def opened(**query: str) -> AppTest:
    """The page of the server's first visitor, for whom nothing is measured yet."""
    PUBLIC.clear()
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.session_state[guide.SHOWN] = False
    app.run()
    assert app.title[0].value == "Explore"
    healthy(app)
    return app


def healthy(app: AppTest) -> None:
    assert [error.value for error in app.exception] == []


def figures(app: AppTest) -> list[Any]:
    """Every live figure of the page, the main one first."""
    return [each for each in app.get("bidi_component") if each.proto.component_name == "prviz_live"]


def payload(app: AppTest) -> dict:
    """What the main figure was sent by the page."""
    return json.loads(figures(app)[0].proto.bytes)


def question(app: AppTest, sink: Sink, values: Mapping[str, object], **rest: object) -> Question:
    """The browser's next question, after these sliders were moved."""
    held = app.session_state["_ExploreSession"]
    shared = app.session_state["_Session"]
    of = [held.state.settings.source, held.state.settings.problem]
    sent = {"q": held.asked + 1, "of": of, "values": values, **rest}
    return understand(held, shared)(json.loads(json.dumps(sent)), sink)


def move(app: AppTest, **values: object) -> AppTest:
    """The user moves these sliders, and the page follows."""
    question(app, lambda line: None, values)
    app.run()
    healthy(app)
    return app


def tell(app: AppTest, name: str, value: object) -> AppTest:
    """The main figure tells the page."""
    with patch("streamlit.session_state", app.session_state):
        TOLD[name](value)
    app.run()
    healthy(app)
    return app


def ask(app: AppTest, *, have: Sequence[str] = (), **values: object) -> list[dict]:
    """All messages of the line's answer, after these sliders were moved."""
    shared = app.session_state["_Session"]
    lines = queue.Queue[bytes | None]()
    explorer = Explorer(shared.stopped)
    explorer.expect(shared.waited_for)
    explorer.ask(question(app, lines.put, values, have=list(have)))
    return [json.loads(line) for line in iter(lambda: lines.get(timeout=60), None)]


def run_ended(seconds: float) -> None:
    """Wait until the runs in the background have ended, at most so long each."""
    for thread in threading.enumerate():
        if thread.name == "prviz-run":
            thread.join(seconds)


def last_word(app: AppTest) -> dict:
    """What the page sends once everything is measured."""
    for _ in range(10):
        ask(app)
        app.run()
        healthy(app)
        if not payload(app)["more"] and app.session_state["_Session"].waited_for is None:
            return payload(app)
    raise AssertionError("something is always missing")


def sliders(app: AppTest) -> dict[str, object]:
    return {slider["id"]: slider["value"] for slider in payload(app)["controls"]}


def about(app: AppTest) -> str:
    """What the main figure says behind its question mark, its data first."""
    return str(payload(app)["panes"][0]["help"])


def vertices(app: AppTest) -> dict[str, list]:
    return vertices_in(payload(app))


def vertices_in(
    content: dict, known: Mapping[str, list] | None = None, part: str = "curves"
) -> dict[str, list]:
    """The curves of a message by their ids. known : flat vertices by key that the browser has
    already.
    """
    flat = {**(known or {}), **content["vertices"]}
    return {
        curve["id"]: np.reshape(flat[curve["key"]], (-1, 2)).tolist() for curve in content[part]
    }
