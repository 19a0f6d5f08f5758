"""The ranking of the checkpoints: the page's goal, the bootstrap, and the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages._shared import answers, cache
from pages._triage.checkpoints import CheckpointResults
from pages._work.jobs import Progress
from prviz.triage.measured import REPLICATES, PairDigests
from prviz.triage.ranking import AreaSides, SharedReference, in_order, ranking, sides, together
from prviz.uncertainty.bootstrap import LEVEL

GOAL = "triage-goal"
BALANCED = 0.5
BOOTSTRAP, CONFIDENCE = REPLICATES, LEVEL
# Least number of replicates while results come in: each new one needs another bootstrap, computed at once.
LEAST_BOOTSTRAP = 20
# Cost of one curve of a replicate, on one core: seconds = BASE + SAMPLE * samples of a role.
BASE_SECONDS, SAMPLE_SECONDS = 3e-4, 4e-8
_LAST = "_triage-together"


class RankingTable(NamedTuple):
    """The table of `prviz.triage.ranking.ranking`, best first.

    bootstrap : the number of replicates.
    """

    table: pd.DataFrame
    bootstrap: int


class _Replicates(NamedTuple):
    """Replicates, with the family, settings and reference that they are of, and the checkpoints' digests by name."""

    of: tuple[Any, ...]
    digests: Mapping[str, PairDigests]
    bootstrap: int
    together: SharedReference


def goal() -> float:
    """The page's goal, from precision first (0) to recall first (1)."""
    return float(st.session_state.get(GOAL, BALANCED))


def sides_of(found: CheckpointResults) -> Mapping[str, Mapping[str, AreaSides]]:
    """Precision side and recall side of every curve, by family and name."""

    def compute() -> Mapping[str, Mapping[str, AreaSides]]:
        methods = found.settings.methods
        return {name: {each.checkpoint.name: sides(each.curve) for each in found.by(name)} for name in methods}

    return cache.remembered(("triage-sides", found.key), compute)


def by_score(found: CheckpointResults) -> list[str]:
    """Names by score, best first, without a bootstrap."""
    wanted, known = goal(), sides_of(found)[found.method]
    return sorted(known, key=lambda name: (-known[name].score(wanted), name))


def ranked(found: CheckpointResults) -> RankingTable | None:
    """The ranking, or the former one while a job computes it; None, with a message, if there is none yet."""
    made = _replicates(found)
    if made is None:
        return None
    names = list(made.digests)
    steps = [found.one(name).checkpoint.step for name in names]
    return RankingTable(ranking(made.together, names, goal(), CONFIDENCE, steps=steps), made.bootstrap)


def _replicates(found: CheckpointResults) -> _Replicates | None:
    ordered = in_order(found.measured)
    digests = {each.checkpoint.name: each.digests for each in ordered}
    cost = sum(
        len(each.estimate.runs) * (BASE_SECONDS + SAMPLE_SECONDS * len(each.estimate.supports.c_real) / 2)
        for each in found.measured
    )
    most = int(answers.INLINE_SECONDS / cost)
    bootstrap = BOOTSTRAP if found.complete else min(max(most, LEAST_BOOTSTRAP), BOOTSTRAP)
    of = (found.method, found.settings, ordered[0].digests.real)
    key = ("triage-ranking", of, tuple(digests.values()), bootstrap)  # a checkpoint may have another name by now

    def compute(progress: Progress) -> _Replicates:
        return _Replicates(of, digests, bootstrap, together(ordered, bootstrap, found.settings.seed, progress))

    if answers.ready(key, bootstrap * cost, compute):
        made: _Replicates = cache.remembered(key, lambda: compute(lambda _: None))._replace(digests=digests)
        st.session_state[_LAST] = made
        return made
    last: _Replicates | None = st.session_state.get(_LAST)
    holds = last is not None and last.of == of and last.digests.items() <= digests.items()
    return last if holds else None
