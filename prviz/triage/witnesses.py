"""What gives each checkpoint away, see `prviz.diagnostics.witness`, kept beside the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from prviz.curves.summaries import with_area_at_most
from prviz.diagnostics.witness import with_areas, witness
from prviz.estimators.tightest import TIGHTEST
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import SamplePair, Samples
from prviz.triage.findings import RULES
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint, TriageSettings
from prviz.triage.memorisation import samples_of
from prviz.triage.result_cache import ResultCache

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
    settings: TriageSettings,
    *,
    load: Callable[[Checkpoint], Samples] | None = None,
    store: ResultCache | None = None,
    memory_limit: int = MEMORY_LIMIT,
    areas: Mapping[str, float] | None = None,
) -> dict[str, WitnessEntry]:
    """The witness of every checkpoint, by name; one whose file has changed since is left out.

    reference : the real samples as they were measured. measured : one measurement of each
    checkpoint.
    load : reads the samples of a checkpoint; None: its file. store : keeps what is found.
    areas : under the curve to believe, by the names of the checkpoints of which it is measured what
    remains without what gives them away; of the others no area is.
    """
    found = dict[str, WitnessEntry]()
    for each in measured:
        plain: dict[str, Any] = {
            "rules": RULES,
            "witness": _VERSION,
            "seed": settings.seed,
            **each.digests._asdict(),
        }
        area = (areas or {}).get(each.checkpoint.name)
        key = plain if area is None else {**plain, "areas": True}
        known = None if store is None else store.facts(key)
        if isinstance(known, dict) and "statements" in known:
            found[each.checkpoint.name] = known
            continue
        if (generated := samples_of(each, reference, settings, load)) is None:
            continue
        pair = SamplePair(reference, generated)
        limited: dict[str, Any] = {"seed": settings.seed, "memory_limit": memory_limit}
        told = witness(pair, without=False, **limited)
        entry = (told if area is None else with_areas(told, pair, area=area, **limited)).entry()
        found[each.checkpoint.name] = entry
        if store is not None:
            store.put_facts(plain, told.entry())
            if area is not None:
                store.put_facts(key, entry)
    return found


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
