"""The checkpoints ranked for the page's goal: scores, intervals, and shares of what real samples
get.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages._shared import cache
from pages._triage.checkpoints import CheckpointResults, known_sides_of_one, measurement, of_each
from pages._triage.possible import Ceiling
from pages._triage.session import GOAL
from prviz.triage.decision import Aside, Judgement, KnownSides, Ready, judge
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint
from prviz.triage.memorisation import Memorisation
from prviz.triage.ranking import (
    TOLD_APART,
    AreaSides,
    SharedReference,
    in_order,
    shared_reference,
    side_replicates,
)
from prviz.uncertainty.bootstrap import LEVEL

BALANCED = 0.5
BOOTSTRAP = REPLICATES
CONFIDENCE = LEVEL
# Cost of one curve of a replicate, on one core: seconds = BASE + SAMPLE * samples of a role.
BASE_SECONDS = 3e-4
SAMPLE_SECONDS = 4e-8


class Replicates(NamedTuple):
    """Replicates, by family, of the checkpoints of these names, in this order."""

    names: tuple[str, ...]
    drawn: Mapping[str, SharedReference]


def goal() -> float:
    """The page's goal, from precision first (0) to recall first (1)."""
    return float(st.session_state.get(GOAL, BALANCED))


def sides_of(found: CheckpointResults) -> Mapping[str, Mapping[str, AreaSides]]:
    """The sides of every curve, by family and name."""
    return known_of(found).curves


def known_of(found: CheckpointResults) -> KnownSides:
    """What holds of all checkpoints at every goal; of each it is computed once."""

    def compute() -> KnownSides:
        curves: dict[str, dict[str, AreaSides]] = {name: {} for name in found.settings.methods}
        bounds: dict[str, dict[str, AreaSides | None]] = {}
        for some in (each.measured for each in found.outcomes if each.measured):
            name = some[0].checkpoint.name
            for method, (own, most) in known_sides_of_one(found.settings, some).items():
                curves.setdefault(method, {})[name] = own
                bounds.setdefault(method, {})[name] = most
        return KnownSides(curves, bounds)

    return cache.remembered(("triage-sides", found.key), compute)


def by_score(found: CheckpointResults) -> list[str]:
    """Names, best first, without a bootstrap."""
    wanted = goal()
    known = sides_of(found)
    second = found.basis.second
    scores = {name: each.score(wanted) for name, each in known[found.method].items()}
    told = {name for name in scores if second is not None and scores[name] < TOLD_APART}
    others = {name: known[str(second)][name].score(wanted) for name in told}
    return sorted(scores, key=lambda name: (name in told, -others.get(name, scores[name]), name))


def drawn_family(found: CheckpointResults) -> str:
    """The family whose curves are drawn: where all scores are next to nothing that which orders,
    else their own.
    """
    second = found.basis.second
    wanted = goal()
    scores = (each.score(wanted) for each in sides_of(found)[found.method].values())
    if second is None or max(scores) >= TOLD_APART:
        return found.method
    return second


def judgement_of(
    found: CheckpointResults,
    replicates: Replicates,
    known: Ceiling | None = None,
    copies: Mapping[str, Memorisation] = MappingProxyType({}),
    apart: Mapping[str, bool] = MappingProxyType({}),
) -> Judgement:
    """The decision at the page's goal, from what is known so far.

    known : the ceiling. copies : by name. apart : as in `prviz.triage.decision.judge`.
    """
    wanted = goal()
    names = replicates.names
    memorised = tuple(name for name in names if name in copies and copies[name].memorised)
    top = None if known is None else known.replicates.get(found.method)

    def compute() -> Judgement:
        return judge(
            [
                each
                for outcome in found.outcomes
                for each in outcome.measured
                if each.checkpoint.name in names
            ],
            wanted,
            found.settings.seed,
            aside=Aside(memorised, apart, None if known is None else known.yardstick),
            basis=found.basis,
            ready=Ready(known_of(found), replicates.drawn, top),
        )

    about = (found.key, wanted, names, memorised, tuple(apart.items()), known is None)
    return cache.remembered(("triage-judgement", *about), compute)


def noise(found: CheckpointResults) -> float:
    """The margin that tells a checkpoint from the best with the settings in use, at the median; 0
    while unknown.
    """
    replicates = replicates_of(found)
    if replicates is None:
        margins = np.zeros(0)
    else:
        margins = judgement_of(found, replicates).table["margin"].dropna().to_numpy()[1:]
    if len(margins):
        return float(np.median(margins))
    return 0.0


def replicates_of(found: CheckpointResults) -> Replicates | None:
    """Replicates of the checkpoints that have any, a job computing the others; None, with a
    message, without any.
    """
    methods = [found.method] if found.basis.second is None else [found.method, found.basis.second]
    # the best first
    order = [found.one(name, method) for name in by_score(found) for method in methods]
    keys = {
        (each.checkpoint.name, each.method): measurement(found.settings, each) for each in order
    }

    def draw(measured: MeasuredCheckpoint) -> NDArray[np.float64]:
        return side_replicates(measured, BOOTSTRAP, found.settings.seed, found.store)

    def seconds(measured: MeasuredCheckpoint) -> float:
        samples = len(measured.estimate.supports.c_real) / 2
        return BOOTSTRAP * len(measured.estimate.runs) * (BASE_SECONDS + SAMPLE_SECONDS * samples)

    drawn = of_each("triage-ranking", dict(zip(keys.values(), order, strict=True)), draw, seconds)
    names = [
        each.checkpoint.name
        for each in in_order(found.measured)
        if all(keys[each.checkpoint.name, method] in drawn for method in methods)
    ]
    if not names:
        return None
    shared = {
        method: shared_reference(
            [found.one(name, method) for name in names],
            [drawn[keys[name, method]] for name in names],
        )
        for method in methods
    }
    return Replicates(tuple(names), shared)
