"""Lessons by Streamlit's own test driver: open one, move its sliders as the browser would, predict, read the answer."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.explore_app import APP, healthy


def lesson(name: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["lesson"] = name
    app.switch_page("pages/learn.py").run()
    assert app.title[0].value == "Learn"
    healthy(app)
    return app


def drawn(app: AppTest) -> dict[str, Any]:
    """What the lesson's figure was sent."""
    return json.loads(app.get("bidi_component")[0].proto.bytes[12:])


def hand(app: AppTest, key: str, **values: object) -> AppTest:
    """The hand sets these controls of the figure; the others stay."""
    held = {control["id"]: control["value"] for control in drawn(app)["controls"]}
    app.session_state[key] = {"values": {**held, **values, "turn": drawn(app)["turn"] + 1}}
    app.run()
    healthy(app)
    return app


def verdict(app: AppTest, guess: str) -> str:
    """What the page says to this prediction."""
    app.radio[0].set_value(guess).run()
    reveal = next(button for button in app.button if button.label == "Reveal")
    reveal.click().run()
    healthy(app)
    return [*app.success, *app.info][0].value


def uncovered(app: AppTest) -> bool:
    """Whether the answer is still to be predicted."""
    return not [*app.success, *app.info]


def links(app: AppTest) -> list[str]:
    return [found.proto.url for found in app.get("link_button")]
