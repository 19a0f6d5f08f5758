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
import pandas as pd
from streamlit.testing.v1 import AppTest

from pages._explore import guide
from pages._explore.live_view import TOLD, understand
from pages._explore.session import PANEL_TAB
from prviz.live.explorer import Explorer, Question, Sink
from prviz.live.problems import Problem, problem_of
from prviz.live.store import PUBLIC
from prviz.reports.settings import ExploreSettings
from prviz.toys import toy
from tests.file_builders import npy

APP = str(Path(__file__).resolve().parent.parent / "app.py")


def assert_link_gives(settings: ExploreSettings, query: dict[str, str]) -> None:
    """The link restores these settings; of a toy it may leave out parameters at their defaults."""
    again, messages = ExploreSettings.from_query(query)
    assert (replace(again, parameters={}), messages) == (replace(settings, parameters={}), [])
    if settings.source == "toy":
        assert toy(again.problem, **again.parameters) == toy(
            settings.problem, **settings.parameters
        )


def load(
    page: str = "explore", /, state: Mapping[str, object] | None = None, **query: str
) -> AppTest:
    """A page as this address opens it, with these values in its session."""
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    for name, held in (state or {}).items():
        app.session_state[name] = held
    return healthy(app.run() if page == "explore" else app.switch_page(f"pages/{page}.py").run())


def opened(**query: str) -> AppTest:
    """The page of the server's first visitor, for whom nothing is measured yet."""
    PUBLIC.clear()
    app = load(state={guide.SHOWN: False}, **query)
    assert app.title[0].value == "Explore"
    return app


def healthy(app: AppTest) -> AppTest:
    assert [error.value for error in app.exception] == []
    return app


def widget(app: AppTest, key: str) -> Any:
    """The widget with this key, of whatever kind and wherever it stands."""
    nodes = [*app.main, *app.sidebar]
    return next(node for node in nodes if getattr(node, "key", None) == key)


def choose(app: AppTest, key: str, value: object) -> AppTest:
    """Give the widget with this key a value, as the user does; the page follows."""
    return healthy(widget(app, key).set_value(value).run())


def button(app: AppTest, name: str) -> Any:
    """The button of this key or label, or None."""
    return next((each for each in app.button if name in (each.key, each.label)), None)


def press(app: AppTest, name: str) -> AppTest:
    """Press the button of this key or label; the page follows."""
    found = button(app, name)
    assert found is not None, [each.label for each in app.button]
    return healthy(found.click().run())


def put(app: AppTest, **state: object) -> AppTest:
    """The page again, with these values in its session."""
    for key, value in state.items():
        app.session_state[key] = value
    return healthy(app.run())


def at_panel(app: AppTest, name: str) -> AppTest:
    """Explore with this panel open."""
    return put(app, **{PANEL_TAB: name})


def data_of(content: bytes | np.ndarray | pd.DataFrame) -> bytes:
    """The bytes of a file with this array (.npy) or table (.csv)."""
    if isinstance(content, np.ndarray):
        return npy(content)
    if isinstance(content, pd.DataFrame):
        return content.to_csv(index=False).encode()
    return content


def uploads(**query: str) -> AppTest:
    """Explore where files are uploaded, with none so far."""
    return choose(opened(**{"n": "100", **query}), "source", "upload")


def upload(
    app: AppTest, role: str, name: str, content: bytes | np.ndarray | pd.DataFrame
) -> AppTest:
    """Choose a file for this role, whose earlier file it replaces."""
    field = app.file_uploader(key=f"upload-{role}")
    return healthy(field.upload(name, data_of(content)).run())


def uploaded(
    real: np.ndarray,
    generated: np.ndarray,
    names: Sequence[str] = ("real.npy", "generated.npy"),
    **query: str,
) -> AppTest:
    """Explore with both files."""
    app = uploads(**query)
    for role, name, values in zip(("real", "generated"), names, (real, generated), strict=True):
        upload(app, role, name, values)
    return app


def normal(seed: int, n: int = 60, d: int = 5) -> np.ndarray:
    """Standard normal samples."""
    return np.random.default_rng(seed).normal(size=(n, d))


def elsewhere_and_back(app: AppTest) -> AppTest:
    """Explore again, after a visit to another page."""
    app.switch_page("pages/learn.py").run()
    return healthy(app.switch_page("pages/explore.py").run())


def bundled(name: str, n: int) -> Problem:
    """The problem of Explore with so many samples of a bundled checkpoint."""
    return problem_of(ExploreSettings(source="bundled", problem=name, n=n))


def figures(app: AppTest) -> list[dict[str, Any]]:
    """What every live figure was sent, the main one first."""
    sent = [each.proto.bytes for each in app.get("bidi_component")]
    return [json.loads(each) for each in sent if b'"panes":' in each]


def panes(app: AppTest) -> dict[str, dict[str, Any]]:
    """What every pane of the live figures was sent, by its name."""
    return {pane["id"]: pane for each in figures(app) for pane in each["panes"]}


def traces(pane: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The traces of a pane by name, but for those that only make an entry of the legend."""
    return {each["name"]: each for each in pane["figure"]["data"] if each.get("x") != [None]}


def html(app: AppTest) -> list[str]:
    """The pieces of HTML that the page writes itself, with spaces that break."""
    return [each.proto.body.replace("\u00a0", " ") for each in app.get("html")]


def payload(app: AppTest) -> dict:
    """What the main figure was sent by the page."""
    return figures(app)[0]


def said(app: AppTest) -> str:
    """All captions, notes and errors of the page, without the signs that escape Markdown, and with
    spaces that break.
    """
    boxes = (*app.markdown, *app.caption, *app.info, *app.success, *app.warning, *app.error)
    return "\n".join(each.value for each in boxes).translate({ord("\\"): "", 0xA0: " "})


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


def exported(app: AppTest) -> dict[str, Any]:
    """What every button of Export would save, by its label."""
    made: dict[str, Any] = {}
    with patch(
        "streamlit.download_button", lambda label, make, *_, **__: made.update({label: make()})
    ):
        put(app, export=True)
    return made


def last_word(app: AppTest) -> dict:
    """What the page sends once everything is measured."""
    for _ in range(10):
        ask(app)
        app.run()
        healthy(app)
        if not payload(app)["more"] and app.session_state["_Session"].waited_for is None:
            return payload(app)
    raise AssertionError("something is always missing")


def measured(**query: str) -> AppTest:
    """The page of the server's first visitor once everything is measured."""
    app = opened(**query)
    last_word(app)
    return app


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
