"""What is wrong with a checkpoint: findings in plain words, each with its evidence, and the samples behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages._jobs import Progress
from pages._lab import _leave
from pages._text import plain
from pages._triage import _fault_cards, _fault_choice, _fault_samples
from pages._triage._fault_case import Case
from pages._triage._found import NONE_YET, Found
from prviz.samples import SamplePair
from prviz.triage.findings import Fault, findings
from prviz.triage.measured import Measured


def show(found: Found) -> None:
    """The part of the page."""
    _leave.leave()
    if not found.measured:
        st.info(NONE_YET)
        return
    st.caption(
        "What the curve, the rows and their neighbours say of one checkpoint: each finding with its number, and with "
        "the samples that it is seen on."
    )
    measured, row = _fault_choice.choose(found)
    pair = _pair(found, measured)
    if pair is None:
        return
    case = Case(found, measured, pair)
    with row:
        _fault_choice.to_explore(case)
    _fault_choice.headline(case)
    faults = _findings(case)
    if faults is not None:
        _fault_cards.show(case, faults)
    _fault_samples.show(case)


def _pair(found: Found, measured: Measured) -> SamplePair | None:
    """The samples; None where they can't be had any more, which is said."""
    try:
        return found.pair(measured)
    except (ValueError, OSError, MemoryError) as error:
        reason = plain(str(error).partition("\n")[0] or "Not enough memory")
        st.error(
            f"The samples of **{plain(measured.checkpoint.name)}** can't be read any more, so what is wrong with it "
            f"can't be looked at. Its curve stays as it was measured. {reason}",
            icon=":material/block:",
        )
        return None


def _findings(case: Case) -> tuple[Fault, ...] | None:
    """Everything found wrong; None while that is looked for."""
    pair, estimate, options = case.pair, case.estimate, case.options
    work: Callable[[Progress], Any] = lambda tick: findings(pair, estimate, progress=tick, **options)  # noqa: E731
    seconds = case.seconds(2) + case.bootstrap_seconds
    return case.known("findings", seconds, work)
