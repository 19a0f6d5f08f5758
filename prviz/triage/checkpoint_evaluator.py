"""Where one checkpoint after the other comes to be measured against the reference, or found measured."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import prviz
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_k, resolve_k, shares_pass
from prviz.estimators.registered import Registered
from prviz.measure.estimates import Progress
from prviz.measure.estimates import measure as measure_families
from prviz.measure.workload import subsample_rows
from prviz.neighbors import Distances, RealRadii
from prviz.readers import WITH_KEYS, AmbiguousKeyError, Limits, ReadError, read
from prviz.readers.errors import quoted
from prviz.samples import SamplePair, Samples, Split
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, PairDigests, TriageSettings
from prviz.triage.result_cache import CachedResult, ResultCache

__all__ = ["LEAST_ROWS", "CheckpointEvaluator", "CheckpointState", "cut", "equal_size", "samples_at"]

# Fewer samples say nothing of a checkpoint.
LEAST_ROWS = 20

# What a checkpoint may fail by, the others going on.
FAILURES = (ValueError, TypeError, OSError, MemoryError)


def equal_size(reference: Samples, checkpoints: Sequence[Checkpoint], settings: TriageSettings) -> int:
    """The size of the smallest set that can be measured."""
    sizes = [reference.n]
    for each in checkpoints:
        try:
            sizes.append(_read(reference, each, settings).n)
        except FAILURES:
            continue  # told when its turn comes
    return min(sizes)


def cut(samples: Samples, size: int, seed: int) -> Samples:
    """At most ``size`` samples, drawn by the seed."""
    return samples if samples.n <= size else samples.take(subsample_rows(samples.n, size, seed))


class CheckpointState(NamedTuple):
    """A checkpoint before it is measured: what is kept of it, its digests, and which families are missing."""

    known: CheckpointOutcome
    digests: PairDigests
    missing: tuple[str, ...]


class CheckpointEvaluator:
    """The reference with what is known of it; not for several threads at a time.

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
        """Measure a checkpoint, or find its results; keep what is new."""
        try:
            pair = self._pair(checkpoint)
            found = self._kept(pair)
            missing = self._missing(found)
            fresh = self._measured(pair, missing, progress) if missing else {}
        except FAILURES as error:
            outcome = _failed(checkpoint, error)
        else:
            outcome = self._told(checkpoint, pair, found | fresh, missing)
        self.keep(outcome)
        progress(1.0)
        return outcome

    def look(self, checkpoint: Checkpoint) -> CheckpointState:
        """What is known of a checkpoint without measuring it."""
        try:
            pair = self._pair(checkpoint)
        except FAILURES as error:
            return CheckpointState(_failed(checkpoint, error), PairDigests("", ""), ())
        found = self._kept(pair)
        return CheckpointState(self._told(checkpoint, pair, found, ()), _digests(pair), self._missing(found))

    def joined(self, looked: CheckpointState, outcome: CheckpointOutcome) -> CheckpointOutcome:
        """What was known of a checkpoint and what a worker found, in the order of the families."""
        checkpoint = looked.known.checkpoint
        if outcome.reason is not None:
            return CheckpointOutcome(checkpoint, (), reason=outcome.reason, choices=outcome.choices)
        if any(each.digests != looked.digests for each in outcome.measured):
            return CheckpointOutcome(checkpoint, (), reason="it changed while it was measured; start again")
        found = {each.method: each for each in (*looked.known.measured, *outcome.measured)}
        measured = tuple(replace(found[name], checkpoint=checkpoint) for name in self._settings.methods)
        return CheckpointOutcome(checkpoint, measured, outcome.fresh)

    def keep(self, outcome: CheckpointOutcome) -> None:
        """Keep what was measured now. Raises OSError where that fails."""
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

    def _kept(self, pair: SamplePair) -> dict[str, CachedResult]:
        """The results that the store has."""
        found: dict[str, CachedResult] = {}
        for name in self._settings.methods:
            if self._store is None or not _repeatable(name):
                continue
            k = None if ESTIMATORS[name].tunes is None else resolve_k(self._settings.k, pair)
            kept = self._store.get(self._key(_digests(pair), name, k))
            found |= {} if kept is None else {name: kept}
        return found

    def _missing(self, found: Mapping[str, CachedResult]) -> tuple[str, ...]:
        return tuple(name for name in self._settings.methods if name not in found)

    def _told(
        self, checkpoint: Checkpoint, pair: SamplePair, known: Mapping[str, CachedResult], fresh: tuple[str, ...]
    ) -> CheckpointOutcome:
        measured = tuple(
            MeasuredCheckpoint(
                checkpoint, name, kept.k, kept.runs, pair.real.n, pair.generated.n, kept.seconds, _digests(pair)
            )
            for name, kept in ((name, known[name]) for name in self._settings.methods if name in known)
        )
        return CheckpointOutcome(checkpoint, measured, fresh)

    def _measured(self, pair: SamplePair, names: Sequence[str], progress: Progress) -> dict[str, CachedResult]:
        settings, began = self._settings, time.perf_counter()
        split = pair.split(settings.split, settings.seed)
        distances = None
        if any(shares_pass(ESTIMATORS[name]) for name in names):
            distances = Distances(split, memory_limit=self._memory, real_radii=self._radii)
        number = resolve_k(settings.k, pair)
        wanted = [(name, number, settings.bandwidth) for name in names]
        found = measure_families(split, wanted, settings.seed, self._memory, progress, distances=distances)
        seconds = time.perf_counter() - began
        return {each.method: CachedResult(each.k, each.runs, seconds) for each in found}

    def _key(self, digests: PairDigests, name: str, k: int | None) -> dict[str, Any]:
        """All that decides a result."""
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
    """Whether the family's name tells what it does."""
    estimator = ESTIMATORS[name]
    return type(estimator).__module__.startswith("prviz.") and not isinstance(estimator, Registered)


def _failed(checkpoint: Checkpoint, error: BaseException) -> CheckpointOutcome:
    choices = error.choices if isinstance(error, AmbiguousKeyError) else ()
    return CheckpointOutcome(checkpoint, (), reason=_reason(error), choices=choices)


def _reason(error: BaseException) -> str:
    """What went wrong, on one line."""
    if isinstance(error, MemoryError):
        return "does not fit into memory; save a random subset of the rows"
    return (str(error).splitlines() or [type(error).__name__])[0]


def samples_at(path: Path, settings: TriageSettings, below: Path | None = None) -> Samples:
    """The samples of a file, of the array that the settings name where its format can hold several.

    They are copied into memory: a run that is still writing its checkpoints must not end who looks at them.

    Raises ReadError as `prviz.read`, and for a file that changed meanwhile.
    """
    key = settings.key if path.suffix.lower() in WITH_KEYS else None
    before = _version(path)
    samples = read(path, key=key, limits=Limits(min_rows=LEAST_ROWS, copied=True), below=below)
    if _version(path) != before:
        raise ReadError(
            f"{quoted(path.name)}: it changed while it was read. Measure it again when it is written whole."
        )
    return samples


def _version(path: Path) -> tuple[int, ...] | None:
    """What tells whether another file stands there, or another content; None: nothing does."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _check(reference: Samples, settings: TriageSettings) -> None:
    """Raise ValueError for settings that no checkpoint could be measured with."""
    if reference.n < LEAST_ROWS:
        raise ValueError(f"reference: {reference.n} samples; at least {LEAST_ROWS} are needed")
    _legal(SamplePair(reference, reference), settings)


def _legal(pair: SamplePair, settings: TriageSettings) -> Split:
    """The split of a pair, if every family can be measured on it."""
    split = pair.split(settings.split, settings.seed)
    if any(ESTIMATORS[name].tunes is not None for name in settings.methods):
        check_k(resolve_k(settings.k, pair), split)
    return split


def _read(reference: Samples, checkpoint: Checkpoint, settings: TriageSettings) -> Samples:
    """The samples of a checkpoint, if they can be measured."""
    generated = samples_at(checkpoint.path, settings, checkpoint.below)
    _legal(SamplePair(reference, generated), settings)
    return generated
