"""Findings of all checkpoints, kept beside the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from types import MappingProxyType
from typing import Any

from prviz.diagnostics.preflight import PairFacts
from prviz.measure.estimates import Progress
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import part_of
from prviz.samples import SamplePair, Samples
from prviz.triage.finding import TriageFinding
from prviz.triage.findings import RULES, Found, findings, sample_faults, usual_faults
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint, TriageSettings
from prviz.triage.memorisation import HeldOutDistances, samples_of
from prviz.triage.pair_statistics import rows_in_time, rows_within
from prviz.triage.result_cache import ResultCache
from prviz.triage.witnesses import WitnessEntry, witnesses_of


def findings_of(
    reference: Samples,
    measured: Sequence[MeasuredCheckpoint],
    settings: TriageSettings,
    held_out: HeldOutDistances,
    *,
    holdout: Samples | None = None,
    witnesses: Mapping[str, WitnessEntry] = MappingProxyType({}),
    load: Callable[[Checkpoint], Samples] | None = None,
    store: ResultCache | None = None,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> dict[str, Found]:
    """`prviz.triage.findings.findings` of every checkpoint, by name.

    reference : the real samples as they were measured. measured : one measurement of each
    checkpoint.
    held_out : of this reference, and of ``holdout``, other real samples, if any. witnesses : what
    gives checkpoints away, by name, as far as it is known.
    load : reads the samples of a checkpoint; None: its file. store : keeps the findings.
    A checkpoint whose file has changed since, or can't be read, is left out.
    """
    found = {}
    usual: Found | None = None if holdout is not None else ()
    for place, each in enumerate(measured):
        step = part_of(progress, place, len(measured))
        step(0.0)
        rows = _few_rows(each, reference.d, memory_limit)
        few = {} if rows is None else {"rows": rows}
        key = {**_key(each, settings, held_out), **few}
        if store is not None and (known := _from_facts(store.facts(key))) is not None:
            found[each.checkpoint.name] = known
            continue
        if (generated := samples_of(each, reference, settings, load)) is None:
            continue
        if usual is None and holdout is not None:
            usual_key = {"rules": RULES, "usual": holdout.digest, "real": reference.digest, **few}
            usual = _kept(
                store,
                usual_key,
                partial(usual_faults, reference, holdout, memory_limit=memory_limit),
            )
        pair = SamplePair(reference, generated)
        samples_key = {
            "rules": RULES,
            "of_samples": held_out.holdout,
            **each.digests._asdict(),
            **few,
        }
        search = partial(sample_faults, pair, held_out=held_out, memory_limit=memory_limit)
        here = found[each.checkpoint.name] = findings(
            pair,
            each.estimate,
            bandwidth=settings.bandwidth,
            split=settings.split,
            seed=settings.seed,
            memory_limit=memory_limit,
            held_out=held_out,
            usual=usual or (),
            of_samples=partial(_kept_faults, store, samples_key, search),
            witness=partial(
                _witness, witnesses, reference, each, settings, load, store, memory_limit
            ),
            progress=step,
        )
        if store is not None:
            store.put_facts(key, [asdict(one) for one in here])
    return found


def _witness(
    known: Mapping[str, WitnessEntry],
    reference: Samples,
    measured: MeasuredCheckpoint,
    settings: TriageSettings,
    load: Callable[[Checkpoint], Samples] | None,
    store: ResultCache | None,
    memory_limit: int,
) -> WitnessEntry | None:
    """What gives a checkpoint away, measured where it is not known; None where its file has changed."""
    name = measured.checkpoint.name
    if name not in known:
        known = witnesses_of(
            reference, [measured], settings, load=load, store=store, memory_limit=memory_limit
        )
    return known.get(name)


def fewer_rows(measured: Sequence[MeasuredCheckpoint], d: int, memory_limit: int) -> str:
    """A sentence on findings that compare fewer rows than there are, for want of memory; "" if none does."""
    rows = max(
        (rows for each in measured if (rows := _few_rows(each, d, memory_limit))), default=None
    )
    if rows is None:
        return ""
    return f"findings compare {rows} samples of each set: --memory-limit leaves no room for more"


def _few_rows(measured: MeasuredCheckpoint, d: int, memory_limit: int) -> int | None:
    """Number of rows that findings compare where a small memory limit makes it smaller; None where it does not."""
    rows = rows_within(d, memory_limit)
    if rows < min(rows_in_time(d), max(measured.n_real, measured.n_generated)):
        return rows
    return None


def _kept_faults(
    store: ResultCache | None,
    key: Mapping[str, Any],
    search: Callable[[PairFacts], Found],
    facts: PairFacts,
) -> Found:
    """`sample_faults`, which no family changes: kept by themselves, since the deciding family may change."""
    return _kept(store, key, partial(search, facts))


def _kept(store: ResultCache | None, key: Mapping[str, Any], search: Callable[[], Found]) -> Found:
    """The findings of a key, searched and kept where they are not kept yet."""
    if store is None:
        return search()
    if (known := _from_facts(store.facts(key))) is not None:
        return known
    found = search()
    store.put_facts(key, [asdict(each) for each in found])
    return found


def _key(
    measured: MeasuredCheckpoint, settings: TriageSettings, held_out: HeldOutDistances
) -> Mapping[str, Any]:
    """Everything that findings depend on."""
    return {
        "rules": RULES,
        "findings": held_out.holdout,
        "real": measured.digests.real,
        "generated": measured.digests.generated,
        "method": measured.method,
        "k": measured.k,
        "bandwidth": settings.bandwidth,
        "split": settings.split,
        "seed": settings.seed,
    }


def _from_facts(facts: Any) -> Found | None:
    """The findings in facts; None for anything else."""
    try:
        return tuple(TriageFinding(**each) for each in facts)
    except TypeError:
        return None
