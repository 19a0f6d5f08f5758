"""The page Triage by Streamlit's own test driver: open it, edit its table, read its figures."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

import prviz
from prviz.estimators import ESTIMATORS
from tests.explore_app import healthy, load, press
from tests.lab_app import until_done
from tests.line import measure

SLOW = "slow"


def triage(part: str = "Report", **query: str) -> AppTest:
    """The page as this address opens it, with this part open: by default one that takes little to
    draw.
    """
    app = load("triage", {"triage-part": part}, **query)
    assert app.title[0].value == "Triage"
    return app


def begin(app: AppTest) -> AppTest:
    """Start what does not begin by itself."""
    label = next(
        (each.label for each in until_done(app).button if each.label in ("Start", "Continue")), None
    )
    return app if label is None else press(app, label)


def table(app: AppTest) -> pd.DataFrame:
    """The checkpoints as they are shown."""
    found: pd.DataFrame = app.dataframe[0].value
    return found


def edit(app: AppTest, row: int, **cells: object) -> AppTest:
    """Type into a row of the table."""
    states = app._tree.get_widget_states()
    typed = states.widgets.add()
    typed.id = app.dataframe[0].proto.id
    typed.string_value = json.dumps(
        {"edited_rows": {row: cells}, "added_rows": [], "deleted_rows": []}
    )
    app._run(states)
    healthy(app)
    return app


@contextmanager
def slow_family(*, after: int) -> Iterator[threading.Event]:
    """A family by the name of SLOW: the event lets it go on after so many measurements."""
    go = threading.Event()
    seen = []

    def centres(fit, evaluate):
        """Closeness to the mean of either set."""
        seen.append(1)
        if len(seen) > after:
            assert go.wait(60)
        z = np.concatenate(evaluate)
        return tuple(np.exp(-np.linalg.norm(z - side.mean(axis=0), axis=1)) for side in fit)

    known = dict(ESTIMATORS)
    prviz.register(SLOW, centres)
    try:
        yield go
    finally:
        go.set()
        ESTIMATORS.clear()
        ESTIMATORS.update(known)


def settled(app: AppTest) -> AppTest:
    """The page again and again, as the browser asks, until nothing is waited for."""
    for _ in range(300):
        healthy(app.run())
        if not measure(app):
            return app
    raise AssertionError("the part was never done")


def _alone() -> None:
    """The script of one part of the page alone, with the jobs that it waits for."""
    from importlib import import_module

    import streamlit as st

    from pages._shared import answers

    with answers.waiting():
        import_module(f"pages._triage.{st.session_state['name']}").draw(st.session_state["found"])


def part(name: str, found: object, **state: object) -> AppTest:
    """The part of the page in this module alone, done."""
    app = AppTest.from_function(_alone, default_timeout=60)
    for key, value in {"name": name, "found": found, **state}.items():
        app.session_state[key] = value
    return settled(app)
