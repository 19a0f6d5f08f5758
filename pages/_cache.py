"""Bounded results of one browser session, and the gate that long computations pass: progress, estimate, stop."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from prviz.samples import SamplePair, Samples

T = TypeVar("T")

Progress = Callable[[float], None]

# Each session has its own store, so that no session sees another's data, and it forgets the oldest entries.
CAPACITY = 48
CAPACITY_BYTES = 400_000_000


@dataclass(frozen=True, eq=False)
class _Entry:
    value: Any
    size: int


def _store() -> OrderedDict[Hashable, _Entry]:
    store: OrderedDict[Hashable, _Entry] = st.session_state.setdefault("_results", OrderedDict())
    return store


def known(key: Hashable) -> bool:
    """Whether `remembered` would answer at once."""
    return key in _store()


def remembered(key: Hashable, compute: Callable[[], T]) -> T:
    """The result of `compute` for this key; the key must hold the digest of everything that decides it."""
    store = _store()
    if key not in store:
        value = compute()
        store[key] = _Entry(value, _size(value))
        while len(store) > CAPACITY or (len(store) > 1 and sum(e.size for e in store.values()) > CAPACITY_BYTES):
            store.popitem(last=False)
    store.move_to_end(key)
    result: T = store[key].value
    return result


def _size(value: object) -> int:
    """Bytes of the samples in a result; curves and figures are small beside them."""
    sides = tuple(value) if isinstance(value, SamplePair) else (value,)
    return sum(side.values.nbytes for side in sides if isinstance(side, Samples))


def computed_with_progress(key: Hashable, seconds: float, compute: Callable[[Progress], T]) -> bool:
    """Run a long computation in sight of the user; False if the user has stopped it.

    Streamlit interrupts a script at its next message to the browser, so every tick of the bar is where Stop takes hold.
    """
    if known(key):
        return True
    if st.session_state.get("_stopped") == key:
        st.info("Stopped: the figures below still show the settings before.", icon=":material/pause:")
        st.button("Compute it after all", on_click=_stop, args=(None,))
        return False
    panel = st.empty()
    with panel.container(key="prviz-job"):
        bar = st.progress(0.0, text=f"Computing: about {_words(seconds)}")
        st.button("Stop", on_click=_stop, args=(key,), key="stop-job")
    began = time.monotonic()

    def tick(share: float) -> None:
        left = seconds if share < 0.05 else (time.monotonic() - began) * (1 / share - 1)
        bar.progress(min(share, 1.0), text=f"Computing: about {_words(left)} left")

    remembered(key, lambda: compute(tick))
    panel.empty()
    return True


def _stop(key: Hashable) -> None:
    st.session_state["_stopped"] = key


def _words(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
