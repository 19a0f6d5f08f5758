"""The checkpoints ranked for the page's goal: scores, intervals, and shares of what real samples
get.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from pages._shared import cache
from pages._triage.checkpoints import CheckpointResults, known_of, of_each
from pages._triage.session import GOAL
from prviz.triage.decision import Aside, Judgement, judge
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint
from prviz.triage.memorisation import Memorisation
from prviz.triage.ranking import TOLD_APART, in_order
from prviz.triage.yardstick import Yardstick
from prviz.uncertainty.bootstrap import LEVEL

BALANCED = 0.5
BOOTSTRAP = REPLICATES
CONFIDENCE = LEVEL
# Cost of one curve of a replicate, on one core: seconds = BASE + SAMPLE * samples of a role.
BASE_SECONDS = 3e-4
SAMPLE_SECONDS = 4e-8


def goal() -> float:
    """The page's goal, from precision first (0) to recall first (1)."""
    return float(st.session_state.get(GOAL, BALANCED))


def by_score(found: CheckpointResults) -> list[str]:
    """Names, best first, without a bootstrap."""
    wanted = goal()
    known = found.sides
    second = found.basis.second
    scores = {name: own.score(wanted) for name, (own, _) in known[found.method].items()}
    told = {name for name in scores if second is not None and scores[name] < TOLD_APART}
    others = {name: known[str(second)][name][0].score(wanted) for name in told}
    return sorted(scores, key=lambda name: (name in told, -others.get(name, scores[name]), name))


def drawn_family(found: CheckpointResults) -> str:
    """The family whose curves are drawn: where all scores are next to nothing that which orders,
    else their own.
    """
    second = found.basis.second
    wanted = goal()
    scores = (own.score(wanted) for own, _ in found.sides[found.method].values())
    if second is None or max(scores) >= TOLD_APART:
        return found.method
    return second


def judgement_of(
    found: CheckpointResults,
    names: Sequence[str],
    ceiling: Yardstick | None = None,
    copies: Mapping[str, Memorisation] = MappingProxyType({}),
    apart: Mapping[str, bool] = MappingProxyType({}),
) -> Judgement:
    """The decision at the page's goal, from what is known so far.

    names : of the checkpoints with replicates. copies : by name. apart : as in
    `prviz.triage.decision.Aside`.
    """
    wanted = goal()
    memorised = tuple(name for name in names if name in copies and copies[name].memorised)
    triage = found.triage

    def compute() -> Judgement:
        return judge(
            [each for each in found.everything if each.checkpoint.name in names],
            wanted,
            found.settings.seed,
            aside=Aside(memorised, apart, ceiling),
            basis=found.basis,
            replicates=triage.bootstrap,
            store=triage.store,
        )

    about = (found.key, wanted, names, memorised, tuple(apart.items()), ceiling is None)
    return cache.remembered(("triage-judgement", *about), compute)


def noise(found: CheckpointResults) -> float:
    """The margin that tells a checkpoint from the best with the settings in use, at the median; 0
    while unknown.
    """
    names = replicates_of(found)
    if not names:
        return 0.0
    margins = judgement_of(found, names).table["margin"].dropna()[1:]
    return float(margins.median()) if len(margins) else 0.0


def replicates_of(found: CheckpointResults) -> tuple[str, ...]:
    """Names of the checkpoints that have replicates; a job draws those of the others, the best
    first.
    """
    methods = [found.method] if found.basis.second is None else [found.method, found.basis.second]
    find = found.triage.replicates

    def seconds(measured: MeasuredCheckpoint) -> float:
        samples = len(measured.estimate.supports.c_real) / 2
        return BOOTSTRAP * len(measured.estimate.runs) * (BASE_SECONDS + SAMPLE_SECONDS * samples)

    order = [found.one(name, method) for name in by_score(found) for method in methods]
    of_each(found, "triage-ranking", order, find, seconds)
    drawn = set(found.names)
    for method in methods:
        drawn &= known_of((found.one(name, method) for name in found.names), find).keys()
    names = (each.checkpoint.name for each in in_order(found.measured))
    return tuple(name for name in names if name in drawn)
