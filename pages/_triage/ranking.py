"""The checkpoints ranked for the page's goal: scores, intervals, and shares of what real samples get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from pages._shared import answers, cache
from pages._triage.checkpoints import CheckpointResults
from pages._triage.possible import ceiling_of
from pages._triage.session import GOAL, session
from pages._work.jobs import Progress
from prviz.triage.measured import REPLICATES, PairDigests
from prviz.triage.ranking import AreaSides, SharedReference, in_order, ranking, sides, together
from prviz.triage.yardstick import CeilingShare, shares_of_ceiling
from prviz.uncertainty.bootstrap import LEVEL

BALANCED = 0.5
BOOTSTRAP, CONFIDENCE = REPLICATES, LEVEL
# Least number of replicates while results come in: each new one needs another bootstrap, computed at once.
LEAST_BOOTSTRAP = 20
# Cost of one curve of a replicate, on one core: seconds = BASE + SAMPLE * samples of a role.
BASE_SECONDS, SAMPLE_SECONDS = 3e-4, 4e-8


class Replicates(NamedTuple):
    """Replicates, with the family, settings and reference that they are of, and the checkpoints' digests by name."""

    of: tuple[Any, ...]
    digests: Mapping[str, PairDigests]
    bootstrap: int
    together: SharedReference


def goal() -> float:
    """The page's goal, from precision first (0) to recall first (1)."""
    return float(st.session_state.get(GOAL, BALANCED))


def sides_of(found: CheckpointResults) -> Mapping[str, Mapping[str, AreaSides]]:
    """The sides of every curve, by family and name."""

    def compute() -> Mapping[str, Mapping[str, AreaSides]]:
        methods = found.settings.methods
        return {name: {each.checkpoint.name: sides(each.curve) for each in found.by(name)} for name in methods}

    return cache.remembered(("triage-sides", found.key), compute)


def by_score(found: CheckpointResults) -> list[str]:
    """Names by score, best first, without a bootstrap."""
    wanted, known = goal(), sides_of(found)[found.method]
    return sorted(known, key=lambda name: (-known[name].score(wanted), name))


def ranked(found: CheckpointResults, replicates: Replicates) -> pd.DataFrame:
    """The ranking at the page's goal, as `prviz.triage.ranking.ranking` gives it."""
    names = list(replicates.digests)
    steps = [found.one(name).checkpoint.step for name in names]
    return ranking(replicates.together, names, goal(), CONFIDENCE, steps=steps)


def noise(found: CheckpointResults) -> float:
    """The margin that tells a checkpoint from the best with the settings in use, at the median; 0 while unknown."""
    replicates = replicates_of(found)
    margins = np.zeros(0) if replicates is None else ranked(found, replicates)["margin"].to_numpy()[1:]
    return float(np.median(margins)) if len(margins) else 0.0


def shares_of(found: CheckpointResults, replicates: Replicates) -> Mapping[str, CeilingShare]:
    """Shares of the ceiling by the checkpoint's name; empty until the ceiling is measured."""
    known = ceiling_of(found)
    if known is None:
        return {}
    measured, own = [found.one(name) for name in replicates.digests], replicates.together
    ceiling, seed = known.yardstick.ceiling[found.method], found.settings.seed
    return shares_of_ceiling(measured, ceiling, goal(), seed, own=own, top=known.replicates[found.method])


def replicates_of(found: CheckpointResults) -> Replicates | None:
    """All replicates, or the former ones while a job computes these; None, with a message, if there are none yet."""
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

    def compute(progress: Progress) -> Replicates:
        return Replicates(of, digests, bootstrap, together(ordered, bootstrap, found.settings.seed, progress))

    kept = session()
    if answers.ready(key, bootstrap * cost, compute):
        kept.replicates = cache.remembered(key, lambda: compute(lambda _: None))._replace(digests=digests)
        return kept.replicates
    last = kept.replicates
    holds = last is not None and last.of == of and last.digests.items() <= digests.items()
    return last if holds else None
