"""Requests of a page that the visitor has left, and clicks just before another request."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime import scriptrunner
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.state.session_state import SessionState

from prviz.server.reruns import guard_reruns


class Session:
    """What a session of Streamlit holds for a request: its name, and the page that ran last."""

    def __init__(self, page: str) -> None:
        self.id = "a visitor"
        self._client_state = SimpleNamespace(page_script_hash=page)


def wanted(page: str, part: str = "") -> ClientState:
    return ClientState(page_script_hash=page, fragment_id=part)


@pytest.fixture
def passed_on(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    passed, requests = list[Any](), ScriptRequests()

    def request(_: Any, wanted: Any) -> None:
        passed.append(wanted)
        requests.request_rerun(RerunData())

    monkeypatch.setattr(AppSession, "request_rerun", request)
    monkeypatch.setattr(SessionState, "on_script_will_rerun", lambda *_, **__: None)
    monkeypatch.setattr(
        scriptrunner,
        "get_script_run_ctx",
        lambda: SimpleNamespace(session_id="a visitor", fragment_ids_this_run=["figure"], script_requests=requests),
    )
    guard_reruns()
    guard_reruns()  # a second time changes nothing
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


def test_a_click_is_carried_until_a_run_has_come_to_it(passed_on: list[Any]) -> None:
    session: Any = Session("explore")
    press, moved = WidgetState(id="start", trigger_value=True), WidgetState(id="k", int_value=7)
    clicked, part = wanted("explore"), wanted("explore", "figure")
    clicked.widget_states.widgets.extend([press, WidgetState(id="k", int_value=5)])
    part.widget_states.widgets.append(moved)
    later = wanted("explore")
    for each in (clicked, part, later):  # the first two are replaced before they begin
        AppSession.request_rerun(session, each)
    assert list(part.widget_states.widgets) == [moved, press]
    assert list(later.widget_states.widgets) == [press]
    SessionState().on_script_will_rerun(later.widget_states)
    after = wanted("explore")
    AppSession.request_rerun(session, after)
    assert not after.widget_states.widgets
    assert passed_on == [clicked, part, later, after]
