"""Findings about a checkpoint, each with its evidence, and the samples behind them."""

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
    """Draw the part "What is wrong with it?"."""
    leave.leave()
    if not found.measured:
        st.info(NONE_YET)
        return
    st.caption(
        "Findings about one checkpoint, from its curve, its rows and their neighbours: each with a number and the "
        "samples that show it."
    )
    measured, row = diagnosis_choice.choose(found)
    pair = _pair(found, measured)
    if pair is None:
        return
    case = Diagnosis(found, measured, pair)
    with row:
        diagnosis_choice.to_explore(case)
    diagnosis_choice.headline(case)
    problems = _findings(case)
    if problems is not None:
        finding_cards.show(case, problems)
    diagnosis_samples.show(case)


def _pair(found: CheckpointResults, measured: MeasuredCheckpoint) -> SamplePair | None:
    """Samples of the checkpoint; None, with a message, if they can't be read any more."""
    try:
        return found.pair(measured)
    except (ValueError, OSError, MemoryError) as error:
        reason = plain(str(error).partition("\n")[0] or "Not enough memory")
        st.error(
            f"The samples of **{plain(measured.checkpoint.name)}** can't be read any more, so there are "
            f"no findings. Its curve stays as measured. {reason}",
            icon=":material/block:",
        )
        return None


def _findings(case: Diagnosis) -> tuple[TriageFinding, ...] | None:
    """All findings; None while a job computes them."""
    pair, estimate, options = case.pair, case.estimate, case.options
    work: Callable[[Progress], Any] = lambda tick: findings(pair, estimate, progress=tick, **options)  # noqa: E731
    seconds = case.seconds(2) + case.bootstrap_seconds
    found: tuple[TriageFinding, ...] | None = case.known("findings", seconds, work)
    return found
