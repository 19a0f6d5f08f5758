"""Requests of a page that the visitor has left."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession

from prviz.server.left_pages import ignore_left_pages


class Session:
    """What a session of Streamlit holds for a request: the page that ran last."""

    def __init__(self, page: str) -> None:
        self._client_state = SimpleNamespace(page_script_hash=page)


def wanted(page: str, part: str = "") -> ClientState:
    return ClientState(page_script_hash=page, fragment_id=part)


@pytest.fixture
def passed_on(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    passed: list[Any] = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda _, wanted: passed.append(wanted))
    ignore_left_pages()
    ignore_left_pages()  # a second time changes nothing
    return passed


def test_a_part_of_a_page_that_was_left_does_not_run_again(passed_on: list[Any]) -> None:
    session: Any = Session("explore")
    leave, late, new = wanted("triage"), wanted("explore", "figure"), wanted("triage", "table")
    for each in (leave, late, late, new):
        AppSession.request_rerun(session, each)
    assert passed_on == [leave, new]


def test_everything_else_runs(passed_on: list[Any]) -> None:
    session: Any = Session("explore")
    requests = [wanted("explore"), wanted("explore", "figure"), None, wanted("triage"), wanted("triage", "table")]
    # back by the server itself, as `st.switch_page` does, of which no request tells
    requests += [wanted("explore", "figure"), wanted("explore")]
    for each in requests:
        AppSession.request_rerun(session, each)
    assert passed_on == requests
