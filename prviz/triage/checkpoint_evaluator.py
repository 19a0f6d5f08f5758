"""One checkpoint measured against the reference, or its cached result found."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import prviz
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_k, resolve_k
from prviz.estimators.registered import Registered
from prviz.measure.estimates import Progress
from prviz.measure.estimates import measure as measure_families
from prviz.measure.workload import subsample_rows
from prviz.neighbors import Distances, RealRadii
from prviz.readers import WITH_KEYS, AmbiguousKeyError, Limits, read
from prviz.samples import SamplePair, Samples, Split
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, PairDigests, TriageSettings
from prviz.triage.result_cache import CachedResult, ResultCache

__all__ = ["LEAST_ROWS", "CheckpointEvaluator", "CheckpointState", "cut", "equal_size", "samples_at"]

# Fewest samples of a checkpoint or reference that are measured.
LEAST_ROWS = 20

# Errors that fail one checkpoint and leave the others running.
FAILURES = (ValueError, TypeError, OSError, MemoryError)


def equal_size(reference: Samples, checkpoints: Sequence[Checkpoint], settings: TriageSettings) -> int:
    """The size of the smallest set that can be measured."""
    sizes = [reference.n]
    for checkpoint in checkpoints:
        try:
            sizes.append(_read(reference, checkpoint, settings).n)
        except FAILURES:
            continue  # reported when the checkpoint is measured
    return min(sizes)


def cut(samples: Samples, size: int, seed: int) -> Samples:
    """At most ``size`` samples, drawn by the seed."""
    return samples if samples.n <= size else samples.take(subsample_rows(samples.n, size, seed))


class CheckpointState(NamedTuple):
    """A checkpoint before it is measured: its cached results, its digests, and the families still to be measured."""

    known: CheckpointOutcome
    digests: PairDigests
    missing: tuple[str, ...]


class CheckpointEvaluator:
    """Measures checkpoints against one reference and caches the results; not thread-safe.

    Raises ValueError or TypeError for settings that do not fit the reference.
    """

    def __init__(
        self, reference: Samples, settings: TriageSettings, store: ResultCache | None, memory_limit: int
    ) -> None:
        _check(reference, settings)
        self.reference, self._settings = reference, settings
        self._store, self._memory = store, memory_limit
        self._radii = RealRadii()

    def outcome(self, checkpoint: Checkpoint, progress: Progress) -> CheckpointOutcome:
        """Measure a checkpoint, or find its results in the cache; cache new results."""
        try:
            pair = self._pair(checkpoint)
            cached = self._cached(pair)
            missing = self._missing(cached)
            fresh = self._measured(pair, missing, progress) if missing else {}
        except FAILURES as error:
            outcome = _failed(checkpoint, error)
        else:
            outcome = self._outcome_of(checkpoint, pair, cached | fresh, missing)
        self.keep(outcome)
        progress(1.0)
        return outcome

    def look(self, checkpoint: Checkpoint) -> CheckpointState:
        """The state of a checkpoint, without measuring it."""
        try:
            pair = self._pair(checkpoint)
        except FAILURES as error:
            return CheckpointState(_failed(checkpoint, error), PairDigests("", ""), ())
        cached = self._cached(pair)
        return CheckpointState(self._outcome_of(checkpoint, pair, cached, ()), _digests(pair), self._missing(cached))

    def joined(self, looked: CheckpointState, outcome: CheckpointOutcome) -> CheckpointOutcome:
        """The cached results of a checkpoint and those of a worker together, in the order of the families."""
        checkpoint = looked.known.checkpoint
        if outcome.reason is not None:
            return CheckpointOutcome(checkpoint, (), reason=outcome.reason, choices=outcome.choices)
        if any(each.digests != looked.digests for each in outcome.measured):
            return CheckpointOutcome(checkpoint, (), reason="it changed while it was measured; start again")
        by_method = {each.method: each for each in (*looked.known.measured, *outcome.measured)}
        measured = tuple(replace(by_method[name], checkpoint=checkpoint) for name in self._settings.methods)
        return CheckpointOutcome(checkpoint, measured, outcome.fresh)

    def keep(self, outcome: CheckpointOutcome) -> None:
        """Cache the new results of an outcome. Raises OSError where that fails."""
        for each in outcome.measured:
            if self._store is not None and each.method in outcome.fresh and _repeatable(each.method):
                self._store.put(
                    self._key(each.digests, each.method, each.k), CachedResult(each.k, each.rates, each.seconds)
                )

    def _pair(self, checkpoint: Checkpoint) -> SamplePair:
        """The samples to measure."""
        generated = _read(self.reference, checkpoint, self._settings)
        if self._settings.equal_sizes:
            generated = cut(generated, self.reference.n, self._settings.seed)
        return SamplePair(self.reference, generated)

    def _cached(self, pair: SamplePair) -> dict[str, CachedResult]:
        """The cached results by family."""
        cached: dict[str, CachedResult] = {}
        for name in self._settings.methods:
            if self._store is None or not _repeatable(name):
                continue
            k = None if ESTIMATORS[name].tunes is None else resolve_k(self._settings.k, pair)
            result = self._store.get(self._key(_digests(pair), name, k))
            cached |= {} if result is None else {name: result}
        return cached

    def _missing(self, cached: Mapping[str, CachedResult]) -> tuple[str, ...]:
        return tuple(name for name in self._settings.methods if name not in cached)

    def _outcome_of(
        self, checkpoint: Checkpoint, pair: SamplePair, known: Mapping[str, CachedResult], fresh: tuple[str, ...]
    ) -> CheckpointOutcome:
        measured = tuple(
            MeasuredCheckpoint(
                checkpoint, name, result.k, result.runs, pair.real.n, pair.generated.n, result.seconds, _digests(pair)
            )
            for name, result in ((name, known[name]) for name in self._settings.methods if name in known)
        )
        return CheckpointOutcome(checkpoint, measured, fresh)

    def _measured(self, pair: SamplePair, names: Sequence[str], progress: Progress) -> dict[str, CachedResult]:
        settings, began = self._settings, time.perf_counter()
        split = pair.split(settings.split, settings.seed)
        distances = None
        if any(ESTIMATORS[name].shares_pass for name in names):
            distances = Distances(split, memory_limit=self._memory, real_radii=self._radii)
        number = resolve_k(settings.k, pair)
        requests = [(name, number, settings.bandwidth) for name in names]
        estimates = measure_families(split, requests, settings.seed, self._memory, progress, distances=distances)
        seconds = time.perf_counter() - began
        return {each.method: CachedResult(each.k, each.runs, seconds) for each in estimates}

    def _key(self, digests: PairDigests, name: str, k: int | None) -> dict[str, Any]:
        """Everything that a result depends on."""
        settings = self._settings
        return {
            "prviz": prviz.__version__,
            "real": digests.real,
            "generated": digests.generated,
            "method": name,
            "k": None if k is None else int(k),
            "bandwidth": None if ESTIMATORS[name].tunes is None else settings.bandwidth,
            "split": settings.split,
            "seed": settings.seed,
        }


def _digests(pair: SamplePair) -> PairDigests:
    return PairDigests(pair.real.digest, pair.generated.digest)


def _repeatable(name: str) -> bool:
    """True if the family is part of prviz: the name of a registered one doesn't identify its code."""
    estimator = ESTIMATORS[name]
    return type(estimator).__module__.startswith("prviz.") and not isinstance(estimator, Registered)


def _failed(checkpoint: Checkpoint, error: BaseException) -> CheckpointOutcome:
    choices = error.choices if isinstance(error, AmbiguousKeyError) else ()
    return CheckpointOutcome(checkpoint, (), reason=_reason(error), choices=choices)


def _reason(error: BaseException) -> str:
    """The error in one line."""
    if isinstance(error, MemoryError):
        return "does not fit into memory; save a random subset of the rows"
    return (str(error).splitlines() or [type(error).__name__])[0]


def samples_at(path: Path, settings: TriageSettings, below: Path | None = None) -> Samples:
    """The samples of a file; where its format can hold several arrays, of the one that the settings name.

    The samples are copied into memory: a training run may truncate the file while they are measured.

    Raises ReadError as `prviz.read`.
    """
    key = settings.key if path.suffix.lower() in WITH_KEYS else None
    return read(path, key=key, limits=Limits(min_rows=LEAST_ROWS, copied=True), below=below)


def _check(reference: Samples, settings: TriageSettings) -> None:
    """Raise ValueError for settings by which no checkpoint can be measured."""
    if reference.n < LEAST_ROWS:
        raise ValueError(f"reference: {reference.n} samples; at least {LEAST_ROWS} are needed")
    _legal(SamplePair(reference, reference), settings)


def _legal(pair: SamplePair, settings: TriageSettings) -> Split:
    """The split of a pair; ValueError unless every family can be measured on it."""
    split = pair.split(settings.split, settings.seed)
    if any(ESTIMATORS[name].tunes is not None for name in settings.methods):
        check_k(resolve_k(settings.k, pair), split)
    return split


def _read(reference: Samples, checkpoint: Checkpoint, settings: TriageSettings) -> Samples:
    """The samples of a checkpoint; ValueError unless they can be measured."""
    generated = samples_at(checkpoint.path, settings, checkpoint.below)
    _legal(SamplePair(reference, generated), settings)
    return generated
