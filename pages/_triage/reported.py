"""The numbers that papers report, of each checkpoint on the Triage page: measured once they are
asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from pages._shared import answers
from pages._triage.checkpoints import CheckpointResults, of_each
from prviz.measure.blind_spots import BLIND_SPOTS, number_title
from prviz.measure.estimates import Progress
from prviz.measure.frechet import (
    FrechetDifference,
    frechet,
    frechet_difference,
    measured_frechet,
)
from prviz.samples import SamplePair
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.reported import all_numbers

Numbers = Mapping[str, Mapping[str, float]]

# Seconds per value read, per product of two values, per d^3, and per pair of samples: per feature
# and besides.
_VALUE = 4e-9
_PRODUCT = 2e-10
_CUBE = 8e-9
_DISTANCE = 2e-9
_KERNEL = 2e-7
# Neighbours of the numbers that count them.
_K = 5
FRECHET = "frechet_distance"
_LOW = "frechet_low"
_HIGH = "frechet_high"
# Fréchet distances that one with its interval takes: of all samples, of two halves, and the
# influences.
_INTERVAL = 4


def asked(key: str, label: str, explained: str) -> bool:
    """True once the button was pressed; until then it is drawn here."""
    if not st.session_state.get(key):
        st.button(
            label,
            key=f"{key}-button",
            help=explained,
            icon=":material/search:",
            on_click=lambda: st.session_state.update({key: True}),
        )
    return bool(st.session_state.get(key))


def blind_spots() -> str:
    """What each number can't see, as a list."""
    return "What each can't see:\n" + "\n".join(
        f"- **{number_title(name)}**: {spot}" for name, spot in BLIND_SPOTS.items()
    )


def frechet_of(found: CheckpointResults) -> Numbers | None:
    """Fréchet distances by the checkpoint's name; None while a job measures them."""
    return _measured(found, "frechet", _only_frechet, _frechet_seconds(found))


def all_of(found: CheckpointResults) -> Numbers | None:
    """Every number of `BLIND_SPOTS` that there is, by the checkpoint's name; None while a job
    measures them.
    """
    d = found.reference.d
    n = found.reference.n
    seconds = _INTERVAL * _frechet_seconds(found) + n * n * (d * _DISTANCE + _KERNEL)
    return _measured(found, "all", partial(all_numbers, k=_K), seconds)


def cells(numbers: Mapping[str, float]) -> dict[str, str]:
    """Numbers as text by their titles; Fréchet distance with its interval, where there is one."""
    shown = {name: f"{value:.4g}" for name, value in numbers.items() if name in BLIND_SPOTS}
    if FRECHET in shown and _LOW in numbers:
        shown[FRECHET] += f" ({numbers[_LOW]:.4g} to {numbers[_HIGH]:.4g})"
    return {number_title(name): text for name, text in shown.items()}


def difference_of(
    found: CheckpointResults, one: MeasuredCheckpoint, other: MeasuredCheckpoint
) -> FrechetDifference | None:
    """How much farther one checkpoint is than another one; None while a job measures it, or where
    it can't be.
    """

    def measured(_: Progress) -> FrechetDifference | None:
        try:
            a, b = (measured_frechet(found.pair(each)) for each in (one, other))
        except (ValueError, OSError):
            return None
        return frechet_difference(found.reference, a, b)

    seconds = 2 * _INTERVAL * _frechet_seconds(found)
    return answers.tab_result(("triage-apart", one.digests, other.digests), seconds, measured)


def _only_frechet(pair: SamplePair) -> dict[str, float]:
    enough = pair.smaller > pair.d
    return {FRECHET: frechet(*pair) if enough else math.nan}


def _frechet_seconds(found: CheckpointResults) -> float:
    """Of one checkpoint."""
    n = found.reference.n
    d = found.reference.d
    return n * d * _VALUE * 10 + n * d * d * _PRODUCT + d**3 * _CUBE


def _measured(
    found: CheckpointResults,
    what: str,
    measure: Callable[[SamplePair], Mapping[str, float]],
    seconds: float,
) -> Numbers | None:
    """The numbers of each checkpoint by name; None while a job measures them.

    what : of the numbers, for the cache. seconds : that one checkpoint takes.
    """

    store = found.triage.store

    def numbers(checkpoint: Checkpoint) -> Mapping[str, float]:
        try:
            return measure(SamplePair(found.reference, found.load(checkpoint)))
        except (ValueError, OSError):  # a file that is gone or has changed: it has no numbers
            return {}

    def find(measured: MeasuredCheckpoint, search: Progress | None) -> Mapping[str, float] | None:
        key = {"numbers": what, **measured.digests._asdict()}
        known: Mapping[str, float] | None = store.known(key)
        if known is None and search is not None:
            known = store.remember(key, numbers(measured.checkpoint))
        return known

    known = of_each(found, f"triage-{what}", found.measured, find, lambda _: seconds)
    return known if len(known) == len(found.measured) else None
