"""The checkpoints ranked for the page's goal: scores, intervals, and shares of what real samples get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages._shared import cache
from pages._triage.checkpoints import CheckpointResults, measurement, of_each
from pages._triage.possible import Ceiling
from pages._triage.session import GOAL
from prviz.live.store import LeastRecentlyUsed
from prviz.triage.decision import Basis, Judgement, KnownSides, bound_sides, judge
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint
from prviz.triage.memorisation import Memorisation
from prviz.triage.ranking import AreaSides, SharedReference, in_order, shared_reference, side_replicates, sides
from prviz.uncertainty.bootstrap import LEVEL

BALANCED = 0.5
BOOTSTRAP, CONFIDENCE = REPLICATES, LEVEL
# Cost of one curve of a replicate, on one core: seconds = BASE + SAMPLE * samples of a role.
BASE_SECONDS, SAMPLE_SECONDS = 3e-4, 4e-8
# Checkpoints whose sides are kept, a few numbers each.
_HELD = 10_000


class Replicates(NamedTuple):
    """Replicates of the checkpoints of these names, in this order."""

    names: tuple[str, ...]
    together: SharedReference


def goal() -> float:
    """The page's goal, from precision first (0) to recall first (1)."""
    return float(st.session_state.get(GOAL, BALANCED))


def sides_of(found: CheckpointResults) -> Mapping[str, Mapping[str, AreaSides]]:
    """The sides of every curve, by family and name."""
    return known_of(found).curves


def _both_sides(measured: Sequence[MeasuredCheckpoint]) -> tuple[list[AreaSides], AreaSides | None]:
    """The sides of one checkpoint's curves by each family, and those of their bound."""
    return [sides(each.curve) for each in measured], bound_sides(measured)


def known_of(found: CheckpointResults) -> KnownSides:
    """What holds of all checkpoints at every goal; of each it is computed once."""
    held: LeastRecentlyUsed = cache.remembered(("triage-sides-of-each",), lambda: LeastRecentlyUsed(_HELD))

    def compute() -> KnownSides:
        curves: dict[str, dict[str, AreaSides]] = {name: {} for name in found.settings.methods}
        bounds: dict[str, AreaSides | None] = {}
        for some in (each.measured for each in found.outcomes if each.measured):
            keys = tuple(measurement(found.settings, each) for each in some)
            own, bound = held.remembered(keys, partial(_both_sides, some))
            bounds[some[0].checkpoint.name] = bound
            for one, both in zip(some, own, strict=True):
                curves[one.method][one.checkpoint.name] = both
        return KnownSides(curves, bounds)

    return cache.remembered(("triage-sides", found.key), compute)


def by_score(found: CheckpointResults) -> list[str]:
    """Names by score, best first, without a bootstrap."""
    wanted, known = goal(), sides_of(found)[found.method]
    return sorted(known, key=lambda name: (-known[name].score(wanted), name))


def judgement_of(
    found: CheckpointResults,
    replicates: Replicates,
    known: Ceiling | None = None,
    copies: Mapping[str, Memorisation] = MappingProxyType({}),
) -> Judgement:
    """The decision at the page's goal, from what is known so far. known : the ceiling. copies : by name."""
    wanted = goal()
    names = replicates.names
    memorised = tuple(name for name in names if name in copies and copies[name].memorised)
    basis = Basis(found.method, {}, found.clause)

    def compute() -> Judgement:
        return judge(
            [each for outcome in found.outcomes for each in outcome.measured if each.checkpoint.name in names],
            wanted,
            found.settings.seed,
            memorised=memorised,
            yardstick=None if known is None else known.yardstick,
            basis=basis,
            known=known_of(found),
            drawn=replicates.together,
            top=None if known is None else known.replicates[found.method],
        )

    about = (found.key, found.clause, wanted, names, memorised, known is None)
    return cache.remembered(("triage-judgement", *about), compute)


def noise(found: CheckpointResults) -> float:
    """The margin that tells a checkpoint from the best with the settings in use, at the median; 0 while unknown."""
    replicates = replicates_of(found)
    margins = np.zeros(0) if replicates is None else judgement_of(found, replicates).table["margin"].to_numpy()[1:]
    return float(np.median(margins)) if len(margins) else 0.0


def replicates_of(found: CheckpointResults) -> Replicates | None:
    """Replicates of the checkpoints that have any, a job computing the others; None, with a message, without any."""
    keys = {name: measurement(found.settings, found.one(name)) for name in by_score(found)}  # the best first

    def draw(measured: MeasuredCheckpoint) -> NDArray[np.float64]:
        return side_replicates(measured, BOOTSTRAP, found.settings.seed, found.store)

    def seconds(measured: MeasuredCheckpoint) -> float:
        samples = len(measured.estimate.supports.c_real) / 2
        return BOOTSTRAP * len(measured.estimate.runs) * (BASE_SECONDS + SAMPLE_SECONDS * samples)

    drawn = of_each("triage-ranking", {key: found.one(name) for name, key in keys.items()}, draw, seconds)
    known = [each for each in in_order(found.measured) if keys[each.checkpoint.name] in drawn]
    if not known:
        return None
    names = tuple(each.checkpoint.name for each in known)
    return Replicates(names, shared_reference(known, [drawn[keys[name]] for name in names]))
