"""The page Triage by Streamlit's own test driver: open it, edit its table, read its figures."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

import prviz
from prviz.estimators import ESTIMATORS
from tests.explore_app import APP, healthy
from tests.lab_app import press, until_done

SLOW = "slow"


def triage(part: str = "Report", **query: str) -> AppTest:
    """The page as this address opens it, with this part open: by default one that takes little to
    draw.
    """
    app = AppTest.from_file(APP, default_timeout=60)
    app.session_state["triage-part"] = part
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page("pages/triage.py").run()
    assert app.title[0].value == "Triage"
    healthy(app)
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


def figures(app: AppTest) -> dict[str, dict[str, Any]]:
    """What every pane of the page was sent, by its name."""
    sent = [json.loads(each.proto.bytes) for each in app.get("bidi_component")]
    return {pane["id"]: pane for content in sent for pane in content.get("panes", ())}
