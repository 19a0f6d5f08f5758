"""Chooses the results that a page draws now: the final ones or, while these are measured, coarse
ones or those of earlier settings.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._live.follow import listen
from pages._live.route import visitor
from pages._shared.cache import session
from pages._shared.widgets import plain
from prviz.live import needs
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.live.results import Answer, results
from prviz.measure.estimates import Progress

T = TypeVar("T")


def answer(problem: Problem, before: Callable[[], Answer]) -> Answer:
    """The curves that the page draws at once: the final ones if they are known or quick to measure,
    else coarse ones, else those of `before`.

    What is not final is measured in the background, and the visitor's line announces it. If a
    measurement fails, the session's `stopped` has the reason by key.
    """
    stopped = session().stopped
    curves = needs.curves(problem)
    found = curves.result
    if found is None and curves.seconds <= needs.INLINE_SECONDS and curves.key not in stopped:
        found = _computed(curves)
    if found is not None:
        return Answer(problem, found)
    rough = needs.coarse(problem)
    if rough is None or curves.key in stopped:
        return replace(before(), stale=True)
    return Answer(rough, results(rough), rough.settings.n)


def _computed(need: Need[T]) -> T | None:
    """Compute a result now, store and return it; None after an error, whose text goes into the
    session's `stopped`.
    """
    try:
        found = need.compute(lambda _: None)
    except (ValueError, MemoryError) as error:
        session().stopped[need.key] = str(error) or "Not enough memory"
        return None
    if need.store is None:
        return found
    return need.store.put(need.key, found)


def result(need: Need[T], effect: str = "this was not measured.") -> T | None:
    """A result for the open part of the page: the known one, or computed now if that is quick; None
    while the part has to wait for it.

    Without a result, draws that it is being measured, or that it was stopped. effect : what is
    missing without it.
    """
    held = session()
    if not need.known and need.seconds <= needs.INLINE_SECONDS and need.key not in held.stopped:
        _computed(need)
    if need.known:
        return need.result
    if need.key in held.stopped:
        say_stopped(need.key, effect, where="aside")
    elif _comes_first():
        st.caption("Being measured after the rest of this panel …")
    else:
        st.caption("Being measured …")
        wait_for(need)
    return None


def tab_result(
    key: tuple[Any, ...],
    seconds: float,
    compute: Callable[[Progress], T],
    note: str = "The open part",
    pieces: float = 0.0,
) -> T | None:
    """`result` for a computation that is given as a function; the session stores the result."""
    return result(Need(key, compute, seconds, note, session().results, pieces=pieces))


def _comes_first() -> bool:
    """True if the part already waits for an earlier result, as it waits for one at a time. If only
    a fragment of it is drawn, the earlier result may have come in the meantime.
    """
    held = session()
    before = held.waited_for
    return before is not None and (held.drawing or not before.known)


def wait_for(need: Need[Any]) -> None:
    """Have this result measured in the background for the part that is being drawn, unless its
    measurement was stopped.
    """
    held = session()
    if not _comes_first() and need.key not in held.stopped:
        held.waited_for = need
        visitor().explorer.expect(need)
        with held.progress or nullcontext():
            listen(waits=True)


@contextmanager
def waiting(progress: DeltaGenerator | None = None) -> Iterator[None]:
    """Context in which a part of the page is drawn that may wait for results, one at a time. At its
    end, measuring for a former part stops.

    progress : container for the progress bar; by default the bar is where the result will be.
    """
    held = session()
    held.waited_for = None
    held.progress = progress
    held.drawing = True
    visitor().explorer.stopped = held.stopped
    try:
        yield
    finally:  # also if an exception ends the drawing
        held.drawing = False
    if held.waited_for is None:
        visitor().explorer.expect(None)


def say_stopped(key: tuple[Any, ...], effect: str, where: str = "") -> None:
    """If the computation with this key was stopped, draw why, and a button that resumes it."""
    stopped = session().stopped
    reason = stopped.get(key)
    if reason is None:
        return
    st.info(f"{plain(reason)}: {effect}", icon=":material/pause:")
    st.button(
        "Compute it after all",
        on_click=_resume,
        args=(stopped, key),
        key=f"after-all-{key[0]}{where}",
    )


def _resume(stopped: dict[Hashable, str], key: Hashable) -> None:
    stopped.pop(key, None)
