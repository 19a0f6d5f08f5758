"""What gives each checkpoint away, see `prviz.diagnostics.witness`, as it is kept and reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from prviz.curves.summaries import with_area_at_most
from prviz.estimators.tightest import TIGHTEST
from prviz.triage.finding import NO_FAULTS, TriageFinding
from prviz.triage.measured import MeasuredCheckpoint

# A `prviz.Witness` as `Witness.entry` gives it, in JSON's own types.
WitnessEntry: TypeAlias = Mapping[str, Any]
# Number of the rules that a witness is found by: raise it where they find another one.
VERSION = 8
# The best checkpoints, so many, of which it is measured what remains: each area takes as long as a
# curve to believe.
_BEST = 5


def entry_of_facts(facts: Any) -> WitnessEntry | None:
    """The witness in facts; None for anything else."""
    if isinstance(facts, dict) and "statements" in facts:
        return facts
    return None


def believed_areas(measured: Sequence[MeasuredCheckpoint]) -> dict[str, float]:
    """Areas under the curve to believe of the best checkpoints, by name, where it was measured."""
    found = dict[str, float]()
    for each in (one for one in measured if one.method == TIGHTEST.name):
        most = None if each.own_bound is None else each.own_bound.auc
        found[each.checkpoint.name] = with_area_at_most(each.summaries, most)["auc"]
    return dict(sorted(found.items(), key=lambda item: -item[1])[:_BEST])


def told_apart(
    witnesses: Mapping[str, WitnessEntry], findings: Mapping[str, Sequence[TriageFinding]]
) -> dict[str, bool]:
    """By name, True for checkpoints that differ from real samples by more than chance.

    A sure finding says so too: trees see no copies, and may miss a mode.
    """
    apart = {name: bool(each["told_apart"]) for name, each in witnesses.items()}
    for name, faults in findings.items():
        if any(each.key not in NO_FAULTS and not each.borderline for each in faults):
            apart[name] = True
    return apart
