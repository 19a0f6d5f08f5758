"""The visitor's line for tests without a browser."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def measure(app: AppTest) -> bool:
    """Measure what the open part of the page waits for, as the line does for a browser; False if
    that is nothing.
    """
    held = app.session_state["_Session"] if "_Session" in app.session_state else None  # noqa: SIM401 - it has no get
    if held is None or held.waited_for is None or held.waited_for.key in held.stopped:
        return False
    need = held.waited_for
    reason = ""
    try:
        need.store.put(need.key, need.compute(lambda share: None))
    except (ValueError, MemoryError) as error:
        reason = str(error)
    if reason:
        held.stopped[need.key] = reason
    return True
