"""What gives each checkpoint away, see `prviz.diagnostics.witness`, kept beside the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from prviz.curves.summaries import with_area_at_most
from prviz.diagnostics.witness import Witness, with_areas, witness
from prviz.estimators.tightest import TIGHTEST
from prviz.measure.estimates import Progress
from prviz.recent import LeastRecentlyUsed
from prviz.samples import SamplePair, Samples
from prviz.triage.access import SampleAccess
from prviz.triage.findings import RULES
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.result_cache import kept

# Witnesses of pairs by what they depend on: of each a few numbers and sentences.
_KNOWN = LeastRecentlyUsed(256)

# A `prviz.Witness` as `Witness.entry` gives it, in JSON's own types.
WitnessEntry: TypeAlias = Mapping[str, Any]
# Number of the rules that a witness is found by: raise it where they find another one.
_VERSION = 8
# The best checkpoints, so many, of which it is measured what remains: each area takes as long as a
# curve to believe.
_BEST = 5


def witnesses_of(
    reference: Samples,
    measured: Sequence[MeasuredCheckpoint],
    access: SampleAccess,
    areas: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, WitnessEntry]:
    """The witness of every checkpoint, by name; one whose file has changed since is left out.

    reference : the real samples as they were measured. measured : one measurement of each
    checkpoint.
    areas : under the curve to believe, by the names of the checkpoints of which it is measured what
    remains without what gives them away; of the others no area is.
    """
    found = dict[str, WitnessEntry]()
    seed = access.settings.seed
    limited: dict[str, Any] = {"seed": seed, "memory_limit": access.memory_limit}
    for each in measured:
        name = each.checkpoint.name
        plain = {"rules": RULES, "witness": _VERSION, "seed": seed, **each.digests._asdict()}

        def look(
            each: MeasuredCheckpoint = each, plain: Mapping[str, Any] = plain
        ) -> WitnessEntry | None:
            if (pair := access.pair(reference, each)) is None:
                return None
            told = known_witness(pair, access)
            area = areas.get(each.checkpoint.name)
            if area is None:
                return told.entry()
            if access.store is not None:
                access.store.put_facts(plain, told.entry())
            return with_areas(told, pair, area=area, **limited).entry()

        key = {**plain, "areas": True} if name in areas else plain
        if (entry := kept(access.store, key, _entry, look)) is not None:
            found[name] = entry
    return found


def known_witness(
    pair: SamplePair, access: SampleAccess, progress: Progress | None = None
) -> Witness:
    """`prviz.witness` without areas; that of a pair asked for lately is known."""
    seed = access.settings.seed
    limit = access.memory_limit
    return _KNOWN.remembered(
        (pair.digest, pair.real.features, seed, limit),
        lambda: witness(pair, without=False, seed=seed, memory_limit=limit, progress=progress),
    )


def _entry(facts: Any) -> WitnessEntry | None:
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


def told_apart(witnesses: Mapping[str, WitnessEntry]) -> dict[str, bool]:
    """By name, True for checkpoints that are told from real samples by more than chance."""
    return {name: bool(each["told_apart"]) for name, each in witnesses.items()}
