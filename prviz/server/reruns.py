"""Runs of a page that the browser asks for while another is about to begin."""

from __future__ import annotations

from typing import Any


def guard_reruns() -> None:
    """Let no part of a page that was left run again, and keep the clicks of a run that another one replaces.

    A live figure, or a clock in a page, may ask for a run of its part between the click on another page and that
    one's first answer. Streamlit would then name the old page in the pending run, and the click was lost, or run the
    part that is gone, and the new page stayed empty. It also ends a run where the next is asked for, and forgets the
    buttons that were pressed for it if it had not come to them. The names read and replaced here are internal to it.
    """
    from streamlit.runtime.app_session import AppSession
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.state.session_state import SessionState

    request_rerun, press = AppSession.request_rerun, SessionState.on_script_will_rerun
    if request_rerun.__module__ == __name__:
        return
    waiting: dict[str, dict[str, Any]] = {}  # by session, what was pressed for a run that has not come to it

    def request(session: Any, wanted: Any) -> None:
        if wanted is not None and not wanted.fragment_id:
            now = session._client_state.page_script_hash
            session._prviz_left = now if now != wanted.page_script_hash else ""
        elif wanted is not None:
            if wanted.page_script_hash == getattr(session, "_prviz_left", "") != "":
                return
            session._prviz_left = ""  # the browser has come to another page
        if wanted is not None:
            sent = wanted.widget_states.widgets
            pressed = {**waiting.get(session.id, {}), **{each.id: each for each in sent if _is_pressed(each)}}
            sent.extend(pressed[name] for name in pressed.keys() - {each.id for each in sent})
            if pressed:
                waiting[session.id] = pressed
        request_rerun(session, wanted)

    def begin(state: Any, *states: Any, **options: Any) -> None:
        context = get_script_run_ctx()
        if context is not None:
            waiting.pop(context.session_id, None)
        press(state, *states, **options)

    request.__module__ = __name__
    AppSession.request_rerun = request  # type: ignore[assignment, method-assign]
    SessionState.on_script_will_rerun = begin  # type: ignore[assignment, method-assign]


def _is_pressed(state: Any) -> bool:
    """Whether this is a button, or the like, that was pressed: what a browser sends only once."""
    kind = state.WhichOneof("value") or ""
    return kind.endswith("trigger_value") and bool(getattr(state, kind))
