"""What is wrong with a checkpoint: findings in plain words, each with its evidence, and the samples behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages._shared import leave
from pages._shared.text import plain
from pages._triage import diagnosis_choice, diagnosis_samples, finding_cards
from pages._triage.checkpoints import NONE_YET, CheckpointResults
from pages._triage.diagnosis_data import Diagnosis
from pages._work.jobs import Progress
from prviz.samples import SamplePair
from prviz.triage.findings import TriageFinding, findings
from prviz.triage.measured import MeasuredCheckpoint


def show(found: CheckpointResults) -> None:
    """The part of the page."""
    leave.leave()
    if not found.measured:
        st.info(NONE_YET)
        return
    st.caption(
        "What the curve, the rows and their neighbours say of one checkpoint: each finding with its number, and with "
        "the samples that it is seen on."
    )
    measured, row = diagnosis_choice.choose(found)
    pair = _pair(found, measured)
    if pair is None:
        return
    case = Diagnosis(found, measured, pair)
    with row:
        diagnosis_choice.to_explore(case)
    diagnosis_choice.headline(case)
    faults = _findings(case)
    if faults is not None:
        finding_cards.show(case, faults)
    diagnosis_samples.show(case)


def _pair(found: CheckpointResults, measured: MeasuredCheckpoint) -> SamplePair | None:
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


def _findings(case: Diagnosis) -> tuple[TriageFinding, ...] | None:
    """Everything found wrong; None while that is looked for."""
    pair, estimate, options = case.pair, case.estimate, case.options
    work: Callable[[Progress], Any] = lambda tick: findings(pair, estimate, progress=tick, **options)  # noqa: E731
    seconds = case.seconds(2) + case.bootstrap_seconds
    return case.known("findings", seconds, work)
