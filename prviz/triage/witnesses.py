"""What gives each checkpoint away, see `prviz.diagnostics.witness`, kept beside the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from prviz.diagnostics.witness import witness
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
_VERSION = 1


def witnesses_of(
    reference: Samples,
    measured: Sequence[MeasuredCheckpoint],
    settings: TriageSettings,
    *,
    load: Callable[[Checkpoint], Samples] | None = None,
    store: ResultCache | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> dict[str, WitnessEntry]:
    """The witness of every checkpoint, by name, without the areas; one whose file has changed since is left out.

    reference : the real samples as they were measured. measured : one measurement of each checkpoint.
    load : reads the samples of a checkpoint; None: its file. store : keeps what is found.
    """
    found = dict[str, WitnessEntry]()
    for each in measured:
        key = {"rules": RULES, "witness": _VERSION, "seed": settings.seed, **each.digests._asdict()}
        known = None if store is None else store.facts(key)
        if isinstance(known, dict) and "statements" in known:
            found[each.checkpoint.name] = known
            continue
        if (generated := samples_of(each, reference, settings, load)) is None:
            continue
        pair = SamplePair(reference, generated)
        entry = witness(pair, without=False, seed=settings.seed, memory_limit=memory_limit).entry()
        found[each.checkpoint.name] = entry
        if store is not None:
            store.put_facts(key, entry)
    return found
