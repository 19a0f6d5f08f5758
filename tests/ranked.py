"""A ranking of checkpoints by one family alone, from replicates that are drawn for it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.ranking import in_order, ranking, together


def rank(
    measured: Sequence[MeasuredCheckpoint],
    goal: float = 0.5,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """The checkpoints ranked for a goal, whatever their order."""
    ordered = in_order(measured)
    names = [each.checkpoint.name for each in ordered]
    steps = [each.checkpoint.step for each in ordered]
    return ranking(together(ordered, bootstrap, seed), names, goal, confidence, steps=steps)
