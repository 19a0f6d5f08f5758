"""All checkpoints measured against one reference, each result cached when it is measured."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import prviz
from prviz.checks.flags import flags_of
from prviz.checks.provenance import encoder_difference
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_k, resolve_k
from prviz.estimators.registered import Registered
from prviz.measure.estimates import Estimate, Progress, measure
from prviz.measure.workload import cut
from prviz.neighbors import Distances, RealRadii
from prviz.neighbors.threads import part_of
from prviz.readers import TABLES, WITH_KEYS, AmbiguousKeyError, Limits, kind_of, read_chosen
from prviz.readers.columns import ColumnChoice
from prviz.readers.errors import error_text, one_line
from prviz.samples import SamplePair, Samples, Split
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import (
    CheckpointOutcome,
    MeasuredCheckpoint,
    PairDigests,
    ResultCache,
    TriageSettings,
)
from prviz.uncertainty.upper_bound import judge_half

# Fewest samples in the reference and in a checkpoint for a measurement.
LEAST_ROWS = 20

# Ratio of the largest to the smallest set above which sets are cut to equal sizes, unless the user
# decides otherwise.
UNEVEN = 2.0

# Errors that fail one checkpoint, while the others are measured.
FAILURES = (ValueError, TypeError, OSError, MemoryError)

# A function that starts further work on a pair during its measurement. It returns True if the work
# takes half of the memory.
Beside: TypeAlias = Callable[[SamplePair], bool]


def _sizes(measured: Iterable[MeasuredCheckpoint]) -> set[int]:
    """The sizes of all sets, real and generated."""
    pairs = [(each.n_real, each.n_generated) for each in measured]
    return set().union(*pairs)


def unequal(measured: Iterable[MeasuredCheckpoint]) -> str | None:
    """A sentence on sets of different sizes, real or generated; None: all sizes are equal."""
    sizes = _sizes(measured)
    if len(sizes) < 2:
        return None
    return (
        f"the sets have {min(sizes)} to {max(sizes)} samples; curves depend on sizes, so compare"
        " equal ones: equal sizes cut all to the smallest"
    )


def uneven(measured: Iterable[MeasuredCheckpoint]) -> bool:
    """True if the measured sets differ in size by more than the factor UNEVEN, and should be cut to
    equal sizes.
    """
    sizes = _sizes(measured)
    return bool(sizes) and max(sizes) > UNEVEN * min(sizes)


class SetSizes(NamedTuple):
    """Smallest and largest set of a triage.

    smallest : name of the smallest, "" for the reference.
    """

    least: int
    most: int
    smallest: str

    @property
    def uneven(self) -> bool:
        """True if the sizes differ by more than the factor UNEVEN, so that all sets should be cut
        to the smallest.
        """
        return self.most > UNEVEN * self.least


def set_size(reference: Samples, checkpoint: Checkpoint, settings: TriageSettings) -> int | None:
    """The size of a checkpoint's set; None if it can't be measured, for a reason that the run
    reports.
    """
    try:
        return _read(reference, checkpoint, settings).n
    except FAILURES:
        return None


def set_sizes(
    reference: Samples,
    checkpoints: Iterable[Checkpoint],
    settings: TriageSettings,
    size: Callable[[Checkpoint], int | None] | None = None,
) -> SetSizes:
    """The sizes of all sets that can be measured.

    size : function for the size of a checkpoint's set, None if it can't be measured; by default the
        file is read.
    """
    sizes = {"": reference.n}
    for checkpoint in checkpoints:
        n = set_size(reference, checkpoint, settings) if size is None else size(checkpoint)
        if n is not None:
            sizes[checkpoint.name] = n
    smallest = min(sizes, key=sizes.__getitem__)
    return SetSizes(sizes[smallest], max(sizes.values()), smallest)


def other_encoders(measured: Iterable[MeasuredCheckpoint]) -> str | None:
    """A sentence on checkpoints by another encoder than the reference; None if there are none."""
    found = {
        each.checkpoint.name: each.encoder_difference
        for each in measured
        if each.encoder_difference
    }
    if not found:
        return None
    name, difference = next(iter(found.items()))
    return (
        f"{len(found)} by another encoder than the reference, so that their curves say nothing:"
        f" embed both by one ({name}: {difference})"
    )


def same_samples(measured: Iterable[MeasuredCheckpoint]) -> str | None:
    """A sentence that names checkpoints with the same samples, such as a link to the latest
    checkpoint; None if all samples differ.
    """
    first: dict[str, str] = {}
    found: dict[str, None] = {}
    for each in measured:
        name = each.checkpoint.name
        earlier = first.setdefault(each.digests.generated, name)
        if earlier != name:
            found[f"{one_line(name)} holds the same samples as {one_line(earlier)}"] = None
    if not found:
        return None
    said = next(iter(found))
    if len(found) > 1:
        said += f", and {len(found) - 1} more hold those of another"
    return said


def evaluator_of(
    reference: Samples,
    checkpoints: Sequence[Checkpoint],
    settings: TriageSettings,
    store: ResultCache | None,
    memory_limit: int,
) -> CheckpointEvaluator:
    """An evaluator against a reference; under ``equal_sizes`` the reference is cut to the size of
    the smallest set.
    """
    evaluator = CheckpointEvaluator(reference, settings, store, memory_limit)
    if not settings.equal_sizes:
        return evaluator
    real = cut(reference, set_sizes(reference, checkpoints, settings).least, settings.seed)
    return CheckpointEvaluator(real, settings, store, memory_limit)


class Result(NamedTuple):
    """Result of one family: its estimate, the seconds of the pass, and the upper bound that it
    measures itself, if it does.
    """

    estimate: Estimate
    seconds: float
    bound: PRCurve | None = None


class CheckpointState(NamedTuple):
    """What is known of a checkpoint before it is measured: cached results, digests, and families
    without a result.
    """

    known: CheckpointOutcome
    digests: PairDigests
    missing: tuple[str, ...]


class CheckpointEvaluator:
    """Measures checkpoints against one reference and caches the results; not thread-safe.

    bounded : False to leave out the bound that is measured with the best classifier.
    beside : starts other work on a pair while it is measured, such as `Triage.beside`.

    Raises ValueError or TypeError for settings that do not fit the reference.
    """

    def __init__(
        self,
        reference: Samples,
        settings: TriageSettings,
        store: ResultCache | None,
        memory_limit: int,
        *,
        bounded: bool = True,
        beside: Beside | None = None,
    ) -> None:
        if reference.n < LEAST_ROWS:
            raise ValueError(
                f"reference: {reference.n} {'sample' if reference.n == 1 else 'samples'}; at least"
                f" {LEAST_ROWS} are needed"
            )
        _legal(SamplePair(reference, reference), settings)
        self.reference = reference
        self.settings = settings
        self._store = store
        self._memory = memory_limit
        self._bounded = bounded
        self._beside = beside or (lambda _: False)
        self._radii = RealRadii()

    def outcome(self, checkpoint: Checkpoint, progress: Progress) -> CheckpointOutcome:
        """Measure a checkpoint, or find its results in the cache; cache new results."""
        try:
            found, missing = self._measured(checkpoint, self._pair(checkpoint), progress)
        except FAILURES as error:
            outcome = _failed(checkpoint, error)
        else:
            outcome = CheckpointOutcome(checkpoint, self._in_order(found), missing)
        self.keep(outcome)
        progress(1.0)
        return outcome

    def measured(self, checkpoint: Checkpoint, pair: SamplePair) -> tuple[MeasuredCheckpoint, ...]:
        """Measure a pair under the name of a checkpoint, or find its results in the cache; cache
        new results.
        """
        results, fresh = self._measured(checkpoint, pair, lambda _: None)
        outcome = CheckpointOutcome(checkpoint, self._in_order(results), fresh)
        self.keep(outcome)
        return outcome.measured

    def kept(self, checkpoint: Checkpoint, digest: str, n: int) -> tuple[MeasuredCheckpoint, ...]:
        """The cached results of a checkpoint by all families, by the digest and number of its
        samples; () if one is missing.
        """
        digests = PairDigests(self.reference.digest, digest)
        found = []
        k = math.isqrt(min(self.reference.n, n)) if self.settings.k == "sqrt" else self.settings.k
        for name in self.settings.methods:
            key = self._key(digests, name, None if ESTIMATORS[name].tunes is None else k)
            if (result := self._kept(key)) is None:
                return ()
            found.append(
                MeasuredCheckpoint(
                    checkpoint=checkpoint,
                    estimate=result.estimate,
                    n_real=self.reference.n,
                    n_generated=n,
                    seconds=result.seconds,
                    digests=digests,
                    own_bound=result.bound,
                )
            )
        return tuple(found)

    def look(self, checkpoint: Checkpoint) -> CheckpointState:
        """What is known of a checkpoint, without measuring it."""
        try:
            pair = self._pair(checkpoint)
        except FAILURES as error:
            return CheckpointState(_failed(checkpoint, error), PairDigests("", ""), ())
        cached, missing = self._cached(checkpoint, pair)
        return CheckpointState(
            CheckpointOutcome(checkpoint, self._in_order(cached)), _digests(pair), missing
        )

    def joined(self, looked: CheckpointState, outcome: CheckpointOutcome) -> CheckpointOutcome:
        """The cached results of a checkpoint joined with those of a worker, in the order of the
        families.
        """
        checkpoint = looked.known.checkpoint
        if outcome.reason is not None:
            return outcome._replace(checkpoint=checkpoint)
        if any(each.digests != looked.digests for each in outcome.measured):
            return CheckpointOutcome(
                checkpoint, (), reason="it changed while it was measured; start again"
            )
        found = {
            each.method: each.named(checkpoint)
            for each in (*looked.known.measured, *outcome.measured)
        }
        return CheckpointOutcome(checkpoint, self._in_order(found), outcome.fresh)

    def keep(self, outcome: CheckpointOutcome) -> None:
        """Cache the new results of an outcome. Raises OSError if they can't be written."""
        for each in outcome.measured:
            if (
                self._store is not None
                and each.method in outcome.fresh
                and _repeatable(each.method)
            ):
                key = self._key(each.digests, each.method, each.k)
                self._store.put(key, each.estimate, each.seconds)
                if each.own_bound is not None:
                    self._store.put_facts(_bound_key(key), each.own_bound.vertices.tolist())

    def _pair(self, checkpoint: Checkpoint) -> SamplePair:
        """The real samples and the checkpoint's samples, cut to the same size under
        ``equal_sizes``.
        """
        generated = _read(self.reference, checkpoint, self.settings)
        if self.settings.equal_sizes:
            generated = cut(generated, self.reference.n, self.settings.seed)
        return SamplePair(self.reference, generated)

    def _measured(
        self, checkpoint: Checkpoint, pair: SamplePair, progress: Progress
    ) -> tuple[dict[str, MeasuredCheckpoint], tuple[str, ...]]:
        """Results by family, from the cache or measured now, and the names of the families measured
        now.
        """
        found, missing = self._cached(checkpoint, pair)
        if missing:
            memory = self._memory // 2 if self._beside(pair) else self._memory
            results = self._results(pair, missing, memory, progress)
            found |= {each.estimate.method: _of_pair(checkpoint, pair, each) for each in results}
        return found, missing

    def _results(
        self, pair: SamplePair, names: Sequence[str], memory_limit: int, progress: Progress
    ) -> list[Result]:
        """Measure these families on a pair."""
        settings = self.settings
        began = time.perf_counter()
        split = pair.split(settings.split, settings.seed)
        distances = None
        if any(ESTIMATORS[name].shares_pass for name in names):
            distances = Distances(split, memory_limit=memory_limit, real_radii=self._radii)
        number = resolve_k(settings.k, pair)
        requests = [(name, number, settings.bandwidth) for name in names]
        bounded = [name for name in names if self._has_bound(name)]
        parts = part_of(progress, 0, 2) if bounded else progress
        estimates = measure(
            split, requests, settings.seed, memory_limit, parts, distances=distances
        )
        bounds: dict[str, PRCurve] = {}
        for name in bounded:
            tick = part_of(progress, 1, 2)
            half = judge_half(split, settings.seed, memory_limit=memory_limit, progress=tick)
            bounds[name] = half.bound
        seconds = time.perf_counter() - began
        return [Result(each, seconds, bounds.get(each.method)) for each in estimates]

    def _cached(
        self, checkpoint: Checkpoint, pair: SamplePair
    ) -> tuple[dict[str, MeasuredCheckpoint], tuple[str, ...]]:
        """The cached results by family, and the names of the families without one."""
        cached: dict[str, MeasuredCheckpoint] = {}
        for name in self.settings.methods:
            if self._store is None or not _repeatable(name):
                continue
            k = None
            if ESTIMATORS[name].tunes is not None:
                k = resolve_k(self.settings.k, pair)
            if (result := self._kept(self._key(_digests(pair), name, k))) is not None:
                cached[name] = _of_pair(checkpoint, pair, result)
        return cached, tuple(name for name in self.settings.methods if name not in cached)

    def _kept(self, key: Mapping[str, Any]) -> Result | None:
        """The cached result of a key, with its bound; None if either is missing."""
        known = None
        if self._store is not None:
            known = self._store.get(key)
        if known is None or self._store is None:
            return None
        bound = None
        if self._has_bound(key["method"]):
            try:
                bound = PRCurve(self._store.facts(_bound_key(key)))
            except (TypeError, ValueError):
                return None
        return Result(*known, bound)

    def _has_bound(self, method: str) -> bool:
        """True if an upper bound is measured and cached together with this family."""
        return self._bounded and ESTIMATORS[method].judges_all

    def _in_order(self, found: Mapping[str, MeasuredCheckpoint]) -> tuple[MeasuredCheckpoint, ...]:
        return tuple(found[name] for name in self.settings.methods if name in found)

    def _key(self, digests: PairDigests, name: str, k: int | None) -> dict[str, Any]:
        """The cache key of a result: everything on which it depends."""
        settings = self.settings
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


def _bound_key(key: Mapping[str, Any]) -> dict[str, Any]:
    """The cache key of the upper bound that is measured together with a family."""
    return {**key, "what": "bound"}


def _of_pair(checkpoint: Checkpoint, pair: SamplePair, result: Result) -> MeasuredCheckpoint:
    return MeasuredCheckpoint(
        checkpoint=checkpoint,
        estimate=result.estimate,
        n_real=pair.real.n,
        n_generated=pair.generated.n,
        seconds=result.seconds,
        own_bound=result.bound,
        digests=_digests(pair),
        encoder=pair.generated.encoder,
        encoder_difference=encoder_difference(pair),
        flags=flags_of(pair),
    )


def _digests(pair: SamplePair) -> PairDigests:
    return PairDigests(pair.real.digest, pair.generated.digest)


def _repeatable(name: str) -> bool:
    """True if the family is part of prviz, so that its results may be cached. A registered family
    may change its code under the same name.
    """
    estimator = ESTIMATORS[name]
    return type(estimator).__module__.startswith("prviz.") and not isinstance(estimator, Registered)


def _failed(checkpoint: Checkpoint, error: BaseException) -> CheckpointOutcome:
    choices = error.choices if isinstance(error, AmbiguousKeyError) else ()
    reason = error_text(error)
    if isinstance(error, MemoryError):
        reason = "does not fit into memory; save a random subset of the rows"
    recipe = tuple(str(error).strip().splitlines()[1:])
    return CheckpointOutcome(checkpoint, (), reason=reason, choices=choices, recipe=recipe)


def samples_at(path: Path, settings: TriageSettings, below: Path | None = None) -> Samples:
    """The samples of a file. Where it may hold several arrays or roles, the settings name one.

    The samples are copied into memory: a training run may truncate the file while they are
    measured.

    Raises ReadError as `prviz.read`.
    """
    key = settings.key
    if key is not None and kind_of(path.name) not in (TABLES if "=" in key else WITH_KEYS):
        key = None
    choice = ColumnChoice.of(settings.features, settings.drop, settings.group, shared=True)
    return read_chosen(
        path, choice, key=key, limits=Limits(min_rows=LEAST_ROWS, copied=True), below=below
    )


def _legal(pair: SamplePair, settings: TriageSettings) -> Split:
    """The split of a pair. Raises ValueError unless every family can be measured on it."""
    split = pair.split(settings.split, settings.seed)
    if any(ESTIMATORS[name].tunes is not None for name in settings.methods):
        check_k(resolve_k(settings.k, pair), split)
    return split


def _read(reference: Samples, checkpoint: Checkpoint, settings: TriageSettings) -> Samples:
    """The samples of a checkpoint. Raises ValueError unless they can be measured."""
    generated = samples_at(checkpoint.path, settings, checkpoint.below)
    _legal(SamplePair(reference, generated), settings)
    return generated
