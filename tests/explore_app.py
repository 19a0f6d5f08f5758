"""Explore by Streamlit's own test driver: open it, move its sliders as the browser would, read what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from prviz.reports.settings import ExploreSettings
from prviz.toys import toy

APP = str(Path(__file__).resolve().parent.parent / "app.py")
LIVE = "explore"


def assert_link_gives(settings: ExploreSettings, query: dict[str, str]) -> None:
    """The link restores these settings; of a toy it may leave out parameters at their defaults."""
    again, messages = ExploreSettings.from_query(query)
    assert (replace(again, parameters={}), messages) == (replace(settings, parameters={}), [])
    if settings.source == "toy":
        assert toy(again.problem, **again.parameters) == toy(settings.problem, **settings.parameters)


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert app.title[0].value == "Explore"
    healthy(app)
    return app


def healthy(app: AppTest) -> None:
    assert [error.value for error in app.exception] == []


def payload(app: AppTest) -> dict:
    """What the main figure was sent."""
    content = app.get("bidi_component")[0].proto.bytes
    return json.loads(content[12:])


def move(app: AppTest, **values: object) -> AppTest:
    """The hand sets these sliders; the others stay at what Python has shown."""
    sliders = payload(app)["controls"]
    held = {slider["id"]: slider["value"] for slider in sliders}
    epoch = next(slider["epoch"] for slider in sliders if slider["group"] == "data")
    turn = payload(app)["turn"] + 1
    app.session_state[LIVE] = {"values": {**held, "epoch": epoch, "turn": turn, **values}}
    app.run()
    healthy(app)
    return app


def job_ended(seconds: float) -> None:
    """Wait until the jobs in the background have ended, at most so long: polling takes their time."""
    for thread in threading.enumerate():
        if thread.name in {"prviz-job", "prviz-run"}:
            thread.join(seconds)


def until(app: AppTest, reached: Callable[[dict], object]) -> dict:
    """Ask again and again, as the browser does while there is `more`; the answer that is wanted."""
    for _ in range(400):
        if reached(payload(app)):
            return payload(app)
        assert payload(app)["more"] is not None
        job_ended(0.2)
        app.run()
        healthy(app)
    raise AssertionError("the answer never came")


def last_word(app: AppTest) -> dict:
    return until(app, lambda answer: answer["more"] is None)


def sliders(app: AppTest) -> dict[str, object]:
    return {slider["id"]: slider["value"] for slider in payload(app)["controls"]}


def about(app: AppTest) -> str:
    """What the main figure says behind its question mark, its data first."""
    return str(payload(app)["panes"][0]["help"])


def vertices(app: AppTest) -> dict[str, list]:
    return {curve["id"]: curve["vertices"] for curve in payload(app)["curves"]}
