"""Bounded results of one browser session, and the gate that long computations pass: progress, estimate, stop."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from prviz.samples import SamplePair, Samples
from prviz.workload import LIVE_SECONDS

T = TypeVar("T")
Sides = TypeVar("Sides", Samples, SamplePair)

Progress = Callable[[float], None]

# Each session has its own store, so that no session sees another's data, and it forgets the oldest entries. Samples
# have a store of their own, bounded in bytes: a large pair must not push out what was computed from it.
CAPACITY = 48
SAMPLES_CAPACITY = 24
SAMPLES_BYTES = 400_000_000


def _store(name: str) -> OrderedDict[Hashable, Any]:
    store: OrderedDict[Hashable, Any] = st.session_state.setdefault(name, OrderedDict())
    return store


def clear() -> None:
    """Forget everything read or computed in this session."""
    _store("_results").clear()
    _store("_samples").clear()


def known(key: Hashable) -> bool:
    """Whether `remembered` would answer at once."""
    return key in _store("_results")


def remembered(key: Hashable, compute: Callable[[], T]) -> T:
    """The result of `compute` for this key; the key must hold the digest of everything that decides it."""
    store = _store("_results")
    if key not in store:
        store[key] = compute()
        while len(store) > CAPACITY:
            store.popitem(last=False)
    store.move_to_end(key)
    result: T = store[key]
    return result


def held_samples(key: Hashable, make: Callable[[], Sides]) -> Sides:
    """Samples read or drawn before, or made now; the newest stay whatever their size."""
    store = _store("_samples")
    if key not in store:
        store[key] = make()
        while len(store) > 2 and (len(store) > SAMPLES_CAPACITY or sum(map(_bytes, store.values())) > SAMPLES_BYTES):
            store.popitem(last=False)
    store.move_to_end(key)
    sides: Sides = store[key]
    return sides


def _bytes(sides: Samples | SamplePair) -> int:
    return sum(side.values.nbytes for side in (sides if isinstance(sides, SamplePair) else (sides,)))


def ready(key: tuple[Any, ...], seconds: float, compute: Callable[[Progress], object]) -> bool:
    """Whether `remembered` may be asked now: the result is there, or comes within a moment.

    Otherwise the page is run again and computes it in sight of the user (`run_waiting`); False where the user has
    stopped that, and is told so here. For use in a fragment, which could not be interrupted by a button of its own.
    """
    if known(key) or seconds <= LIVE_SECONDS:
        return True
    if key not in st.session_state.setdefault("_stopped", set()):
        st.session_state["_waiting"] = (key, seconds, compute)
        st.rerun(scope="app")
    st.info("Stopped: what follows still shows the settings before.", icon=":material/pause:")
    st.button("Compute it after all", on_click=_resume, args=(key,), key=f"after-all-{key[0]}")
    return False


def run_waiting(slot: DeltaGenerator) -> None:
    """Run what `ready` has asked for, with a progress bar, an estimate and a way to stop it.

    Streamlit interrupts a script at its next message to the browser, so every tick of the bar is where Stop takes hold.
    """
    if "_waiting" not in st.session_state:
        return
    key, seconds, compute = st.session_state.pop("_waiting")
    with slot.container(key="prviz-job"):
        bar = st.progress(0.0, text=f"Computing: about {_words(seconds)}")
        st.button("Stop", on_click=_stop, args=(key,), key="stop-job")
    began = time.monotonic()

    def tick(share: float) -> None:
        left = seconds if share < 0.05 else (time.monotonic() - began) * (1 / share - 1)
        bar.progress(min(share, 1.0), text=f"Computing: about {_words(left)} left")

    remembered(key, lambda: compute(tick))
    slot.empty()


def _stop(key: Hashable) -> None:
    st.session_state.setdefault("_stopped", set()).add(key)


def _resume(key: Hashable) -> None:
    st.session_state["_stopped"].discard(key)


def _words(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
