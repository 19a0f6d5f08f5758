"""Learn by Streamlit's own test driver: open a lesson, move its sliders as the browser would, answer its question."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from tests.explore_app import APP, healthy


def lesson(name: str) -> AppTest:
    """The page at this lesson, checked to be it."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.session_state["lesson"] = name
    app.run()
    app.switch_page("pages/learn.py").run()
    healthy(app)
    assert app.title[0].value == "Learn"
    return app


def payload(app: AppTest) -> dict:
    """What the lesson's figure was sent."""
    return json.loads(app.get("bidi_component")[0].proto.bytes[12:])


def move(app: AppTest, key: str, **values: object) -> AppTest:
    """The hand sets these controls; the others stay at what Python has shown."""
    sent = payload(app)
    held = {control["id"]: control["value"] for control in sent["controls"]}
    epoch = next((control["epoch"] for control in sent["controls"] if control["group"] == "data"), "")
    app.session_state[key] = {"values": {**held, "epoch": epoch, "turn": sent["turn"] + 1, **values}}
    app.run()
    healthy(app)
    return app


def answer(app: AppTest, key: str, option: str | None = None) -> str:
    """What the page says after this prediction (by default its first) and "Reveal"."""
    radio = app.radio(key=f"guess.{key}")
    radio.set_value(option or radio.options[0]).run()
    app.button(key=f"reveal.{key}").click().run()
    healthy(app)
    boxes = [*app.success, *app.info]
    return boxes[-1].value
