"""The bias lab by Streamlit's own test driver: open a section, start its measurements, wait for
their end.
"""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.explore_app import button, healthy, load, run_ended


def section(name: str) -> AppTest:
    """The page at this section, opened by its link and checked to be it."""
    app = load("bias_lab", section=name)
    assert app.title[0].value == "Bias lab"
    return app


def until_done(app: AppTest) -> AppTest:
    """Ask again and again, as the browser does, until nothing is at work."""
    for _ in range(2000):
        if button(app, "Stop") is None:
            return app
        run_ended(0.2)
        app.run()
        healthy(app)
    raise AssertionError("the measurements never ended")
