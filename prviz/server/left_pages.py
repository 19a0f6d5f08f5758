"""Parts of a page that the visitor has just left, and that ask to run once more before the browser knows of it."""

from __future__ import annotations

from typing import Any


def ignore_left_pages() -> None:
    """Let no part of a page that was left run again.

    A live figure, or a clock in a page, may ask for a run of its part between the click on another page and that
    one's first answer. Streamlit would then name the old page in the pending run, and the click was lost, or run the
    part that is gone, and the new page stayed empty. `AppSession.request_rerun` and `_client_state` are internal to it.
    """
    from streamlit.runtime.app_session import AppSession

    request_rerun = AppSession.request_rerun
    if request_rerun.__module__ == __name__:
        return

    def request(session: Any, wanted: Any) -> None:
        if wanted is not None and not wanted.fragment_id:
            now = session._client_state.page_script_hash
            session._prviz_left = now if now != wanted.page_script_hash else ""
        elif wanted is not None:
            if wanted.page_script_hash == getattr(session, "_prviz_left", "") != "":
                return
            session._prviz_left = ""  # the browser has come to another page
        request_rerun(session, wanted)

    request.__module__ = __name__
    AppSession.request_rerun = request  # type: ignore[assignment, method-assign]
