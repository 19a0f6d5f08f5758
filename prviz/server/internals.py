"""The only file that uses names of Streamlit that may change in any version. Each of its functions
is a convenience.

If a name no longer exists, the function that uses it does nothing, and the pages work without it:
see `tests/server/test_internals.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def _convenience(without: T) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator: the function returns `without`, with one warning in the log, if the installed
    Streamlit lacks a name that it uses.
    """

    def made(function: Callable[P, T]) -> Callable[P, T]:
        said = False

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            nonlocal said
            try:
                return function(*args, **kwargs)
            except (ImportError, AttributeError, TypeError) as error:
                if not said:
                    logging.getLogger(__name__).warning(
                        "this Streamlit lacks a name that %s uses; prviz does without: %s",
                        function.__name__,
                        error,
                    )
                said = True
                return without

        return call

    return made


@_convenience("")
def session_id() -> str:
    """Id of the session whose page runs in this thread; "" outside a page.

    The address of an upload contains this id. A page uses it to find the refused uploads of its own
    session.
    """
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return ""
    return context.session_id


@_convenience(None)
def run_again(session: str) -> None:
    """Run the page of a session once more, unchanged, so that it shows at once which upload was
    refused. If Streamlit lacks a name used here, the next run shows it.
    """
    from streamlit.proto.ClientState_pb2 import ClientState

    found = _runtime()._session_mgr.get_active_session_info(session)
    if found is not None:
        again = ClientState()
        again.CopyFrom(found.session._client_state)
        again.fragment_id = ""
        found.session.request_rerun(again)


@_convenience(True)
def is_connected(session: str) -> bool:
    """True if a browser is connected to the session. If Streamlit lacks a name used here, True for
    every session, so that none is ended.
    """
    return bool(_runtime().is_active_session(session))


@_convenience(None)
def end_session(session: str) -> None:
    """End a session whose visitor has left, with its uploads. If Streamlit lacks a name used here,
    it ends the session by itself, later.

    The state of the session is emptied, because libraries may keep references to the session or its
    threads for long.
    """
    found = _runtime()._session_mgr.get_session_info(session)
    _runtime().close_session(session)
    if found is not None:
        # `clear` would keep the objects to which callbacks of widgets refer.
        found.session.session_state.__init__()
        found.session._fragment_storage.clear()


@_convenience(None)
def drop_upload(session: str, file: str) -> None:
    """Remove a file from an upload field, after the page has stored it elsewhere. If Streamlit
    lacks a name used here, the file stays in memory until the session ends.
    """
    _runtime().uploaded_file_mgr.remove_file(session, file)


@_convenience(None)
def use_own_pages() -> None:
    """Let `st.navigation` choose the page of the first request too.

    Until the app's script has run once, Streamlit treats a folder named `pages` as an older kind of
    multi-page app.
    """
    from streamlit.runtime.pages_manager import PagesManager

    PagesManager.uses_pages_directory = False


def _runtime() -> Any:
    from streamlit import runtime

    return runtime.get_instance()
