"""Runs of a page that the browser asks for while another is about to begin, or waits for its work."""

from __future__ import annotations

from dataclasses import replace
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


def is_asked() -> bool:
    """True if the browser has asked for a run that has not begun: what only waits then ends its waiting."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    return context is not None and _asked_for(context.script_requests) is not None


def give_way() -> None:
    """End this run of a part of the page where the browser has asked for another, which begins at once.

    By itself Streamlit runs a part to its end before it runs it again, unless the run that is asked for is marked as
    one of `st.rerun(scope="fragment")`; that call itself would put this run's page in the place of another that is
    asked for. What this run has not come to stays on screen as it was. Does nothing in a run of the whole page, of
    which a run of a part would leave the rest undone. The names read and replaced here are internal to Streamlit.
    """
    import streamlit
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    requests = None if context is None or not context.fragment_ids_this_run else context.script_requests
    if requests is None:
        return
    with requests._lock:
        asked = _asked_for(requests)
        if asked is not None and asked.fragment_id_queue:
            requests._rerun_data = replace(asked, is_fragment_scoped_rerun=True)
    if asked is not None:
        streamlit.empty()  # where Streamlit looks for what is asked; it is never drawn


def _asked_for(requests: Any) -> Any:
    """The run that these requests of a session ask for and that has not begun; None if there is none."""
    return requests._rerun_data if requests is not None and requests._state.name == "RERUN" else None


def _is_pressed(state: Any) -> bool:
    """Whether this is a button, or the like, that was pressed: what a browser sends only once."""
    kind = state.WhichOneof("value") or ""
    return kind.endswith("trigger_value") and bool(getattr(state, kind))
