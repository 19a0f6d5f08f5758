"""The page Triage by Streamlit's own test driver: open it, start its measurements, wait for their end."""

from __future__ import annotations

import time

import pandas as pd
from streamlit.testing.v1 import AppTest

from tests.explore_app import APP, healthy
from tests.lab_app import button


def triage(**query: str) -> AppTest:
    """The page as this address opens it."""
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page("pages/triage.py").run()
    assert app.title[0].value == "Triage"
    healthy(app)
    return app


def until_done(app: AppTest) -> AppTest:
    """Ask again and again, as the browser does, until nothing is at work."""
    for _ in range(1000):
        if button(app, "Stop") is None:
            return app
        time.sleep(0.02)
        app.run()
        healthy(app)
    raise AssertionError("the measurements never ended")


def table(app: AppTest) -> pd.DataFrame:
    """The checkpoints as they are shown."""
    found: pd.DataFrame = app.dataframe[0].value
    return found
