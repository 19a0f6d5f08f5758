"""Findings of all checkpoints, kept beside the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from types import MappingProxyType
from typing import Any

from prviz.diagnostics.preflight import PairFacts
from prviz.measure.estimates import Progress
from prviz.neighbors.threads import part_of
from prviz.samples import SamplePair, Samples
from prviz.triage.access import SampleAccess
from prviz.triage.finding import TriageFinding
from prviz.triage.findings import RULES, Found, findings, sample_faults, usual_faults
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.memorisation import HeldOutDistances
from prviz.triage.pair_statistics import rows_in_time, rows_within
from prviz.triage.result_cache import kept
from prviz.triage.witnesses import WitnessEntry, witnesses_of


def findings_of(
    reference: Samples,
    measured: Sequence[MeasuredCheckpoint],
    held_out: HeldOutDistances,
    access: SampleAccess,
    *,
    holdout: Samples | None = None,
    witnesses: Mapping[str, WitnessEntry] = MappingProxyType({}),
    progress: Progress | None = None,
) -> dict[str, Found]:
    """`prviz.triage.findings.findings` of every checkpoint, by name.

    reference : the real samples as they were measured. measured : one measurement of each
    checkpoint.
    held_out : of this reference, and of ``holdout``, other real samples, if any. witnesses : what
    gives checkpoints away, by name, as far as it is known.
    A checkpoint whose file has changed since, or can't be read, is left out.
    """
    found = {}
    settings = access.settings
    memory: dict[str, Any] = {"memory_limit": access.memory_limit}
    how: dict[str, Any] = {
        "bandwidth": settings.bandwidth,
        "split": settings.split,
        "seed": settings.seed,
    }
    usual: Found | None = None if holdout is not None else ()

    def look(each: MeasuredCheckpoint, few: Mapping[str, int], step: Progress) -> Found | None:
        nonlocal usual
        name = each.checkpoint.name
        pair = access.pair(reference, each)
        if pair is None:
            return None
        if usual is None and holdout is not None:
            key = {"rules": RULES, "usual": holdout.digest, "real": reference.digest, **few}
            usual = _kept(access, key, lambda: usual_faults(reference, holdout, **memory))

        def witness() -> WitnessEntry | None:
            known = witnesses if name in witnesses else witnesses_of(reference, [each], access)
            return known.get(name)

        return findings(
            pair,
            each.estimate,
            **how,
            **memory,
            held_out=held_out,
            usual=usual or (),
            of_samples=partial(kept_faults, pair, held_out, access),
            witness=witness,
            progress=step,
        )

    for place, each in enumerate(measured):
        step = part_of(progress, place, len(measured))
        step(0.0)
        few = _fewer(reference.d, max(each.n_real, each.n_generated), access.memory_limit)
        of = {"findings": held_out.holdout, "method": each.method, "k": each.k}
        key = {"rules": RULES, **of, **how, **each.digests._asdict(), **few}
        here = kept(access.store, key, _from_facts, partial(look, each, few, step), _facts)
        if here is not None:
            found[each.checkpoint.name] = here
    return found


def fewer_rows(measured: Sequence[MeasuredCheckpoint], d: int, memory_limit: int) -> str:
    """A sentence on findings that compare fewer rows than there are, for want of memory; "" if none does."""
    rows = max(
        (
            rows
            for each in measured
            for rows in _fewer(d, max(each.n_real, each.n_generated), memory_limit).values()
        ),
        default=None,
    )
    if rows is None:
        return ""
    return f"findings compare {rows} samples of each set: --memory-limit leaves no room for more"


def _fewer(d: int, n: int, memory_limit: int) -> dict[str, int]:
    """Number of rows that findings compare where a small memory limit makes it smaller, for keys; else empty.

    n : number of samples of the larger set.
    """
    rows = rows_within(d, memory_limit)
    if rows < min(rows_in_time(d), n):
        return {"rows": rows}
    return {}


def kept_faults(
    pair: SamplePair,
    held_out: HeldOutDistances,
    access: SampleAccess,
    facts: PairFacts,
    progress: Progress | None = None,
) -> Found:
    """`sample_faults`, which no family changes: kept by themselves, since the deciding family may change."""
    limit = access.memory_limit
    key = {
        "rules": RULES,
        "of_samples": held_out.holdout,
        "real": pair.real.digest,
        "generated": pair.generated.digest,
        **_fewer(pair.d, max(each.n for each in pair), limit),
    }
    search = partial(sample_faults, pair, facts, held_out, memory_limit=limit, progress=progress)
    return _kept(access, key, search)


def _kept(access: SampleAccess, key: Mapping[str, Any], search: Callable[[], Found]) -> Found:
    """The findings of a key, searched and kept where they are not kept yet."""
    return kept(access.store, key, _from_facts, search, _facts)


def _facts(found: Found) -> list[dict[str, Any]]:
    return [asdict(each) for each in found]


def _from_facts(facts: Any) -> Found | None:
    """The findings in facts; None for anything else."""
    try:
        return tuple(TriageFinding(**each) for each in facts)
    except TypeError:
        return None
