"""All checkpoints measured against one reference, each result cached when it is measured."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace
from pathlib import Path

from prviz.measure.estimates import Progress, part_of
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import one_blas_thread, threads_at_most
from prviz.samples import Samples
from prviz.triage.checkpoint_evaluator import (
    LEAST_ROWS,
    CheckpointEvaluator,
    CheckpointState,
    cut,
    equal_size,
    samples_at,
)
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, PairDigests, TriageSettings
from prviz.triage.result_cache import ResultCache

__all__ = [
    "LEAST_ROWS",
    "CheckpointOutcome",
    "MeasuredCheckpoint",
    "PairDigests",
    "TriageSettings",
    "measure_all",
    "measure_elsewhere",
    "unequal",
]

# Most checkpoints submitted to an executor at a time: enough for many workers, few enough to stop soon.
_AHEAD = 64

_LOCAL = threading.local()


def measure_all(
    reference: Samples,
    checkpoints: Sequence[Checkpoint],
    settings: TriageSettings | None = None,
    *,
    store: ResultCache | None = None,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Iterator[CheckpointOutcome]:
    """The result of `prviz.estimate` for every checkpoint against the reference, in their order, one by one.

    One checkpoint is in memory at a time. A checkpoint that can't be read, has another dimension, values that are no
    numbers or too few samples gives a `CheckpointOutcome` with a reason; the others go on. The radii inside the real
    set are computed once for all checkpoints. A result does not depend on the other checkpoints, except for the common
    size under ``equal_sizes``.

    Parameters
    ----------
    reference : the real samples.
    store : the cache of results; None: nothing is cached. A family that the user registered is always measured, since
        its name does not identify its code.
    memory_limit : bytes beyond the samples of the reference and of one checkpoint.
    progress : called with the fraction done; may raise to stop.

    Raises
    ------
    ValueError, TypeError : settings that do not fit the reference, before anything is measured.
    OSError : a result can't be cached.
    """
    evaluator = _evaluator(reference, checkpoints, settings or TriageSettings(), store, memory_limit)
    return (
        evaluator.outcome(checkpoint, part_of(progress, place, len(checkpoints)))
        for place, checkpoint in enumerate(checkpoints)
    )


def measure_elsewhere(
    reference: Path,
    checkpoints: Sequence[Checkpoint],
    executor: Executor,
    settings: TriageSettings | None = None,
    *,
    store: ResultCache | None = None,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Iterator[CheckpointOutcome]:
    """`measure_all` on the workers of an executor, in the order in which checkpoints are finished.

    This process reads every file to look up its results in the cache; a worker reads the files without results, by the
    same paths, on one thread.

    reference : file of the real samples. memory_limit : bytes of each worker beyond the samples.

    Raises as `measure_all`, and ReadError for the reference.
    """
    settings = settings or TriageSettings()
    real = samples_at(reference, settings)
    evaluator = _evaluator(real, checkpoints, settings, store, memory_limit)
    work = _Elsewhere(reference.absolute(), real.digest, evaluator.reference.n, settings, memory_limit)
    return _spread(evaluator, work, checkpoints, executor, progress or (lambda _: None))


def unequal(measured: Iterable[MeasuredCheckpoint]) -> str | None:
    """A sentence on sets of different sizes, real or generated; None: all sizes are equal."""
    sizes = {size for each in measured for size in (each.n_real, each.n_generated)}
    if len(sizes) < 2:
        return None
    return (
        f"the sets have {min(sizes)} to {max(sizes)} samples; sizes bias every family, so compare equal ones: "
        "equal sizes cut all to the smallest"
    )


def _evaluator(
    reference: Samples,
    checkpoints: Sequence[Checkpoint],
    settings: TriageSettings,
    store: ResultCache | None,
    memory_limit: int,
) -> CheckpointEvaluator:
    """The evaluator of a reference, which is cut under ``equal_sizes``."""
    evaluator = CheckpointEvaluator(reference, settings, store, memory_limit)
    if not settings.equal_sizes:
        return evaluator
    size = equal_size(reference, checkpoints, settings)
    return CheckpointEvaluator(cut(reference, size, settings.seed), settings, store, memory_limit)


@dataclass(frozen=True)
class _Elsewhere:
    """The part of a worker's job that all checkpoints share: path, digest and size of the reference, and settings."""

    reference: Path
    digest: str
    size: int
    settings: TriageSettings
    memory_limit: int

    def run(self, checkpoint: Checkpoint, names: tuple[str, ...]) -> CheckpointOutcome:
        """Measure some families of a checkpoint, in the worker."""
        with threads_at_most(1), one_blas_thread():
            try:
                evaluator = replace(self, settings=replace(self.settings, methods=names)).evaluator()
            except (ValueError, OSError) as error:
                return CheckpointOutcome(checkpoint, (), reason=f"the worker can't measure it: {error}")
            return evaluator.outcome(checkpoint, lambda _: None)

    def evaluator(self) -> CheckpointEvaluator:
        """The evaluator of this thread, kept for the next checkpoint."""
        if getattr(_LOCAL, "work", None) != self:
            real = samples_at(self.reference, self.settings)
            if real.digest != self.digest:
                raise ValueError(f"{self.reference} has other contents there")
            real = cut(real, self.size, self.settings.seed)
            _LOCAL.work, _LOCAL.evaluator = self, CheckpointEvaluator(real, self.settings, None, self.memory_limit)
        evaluator: CheckpointEvaluator = _LOCAL.evaluator
        return evaluator


def _spread(
    evaluator: CheckpointEvaluator,
    work: _Elsewhere,
    checkpoints: Sequence[Checkpoint],
    executor: Executor,
    progress: Progress,
) -> Iterator[CheckpointOutcome]:
    """Submit the checkpoints without cached results; yield and cache the outcomes."""
    waiting, running, done = iter(checkpoints), dict[Future[CheckpointOutcome], CheckpointState](), 0
    try:
        while True:
            while len(running) < _AHEAD and (each := next(waiting, None)) is not None:
                looked = evaluator.look(each)
                if looked.missing:
                    there = replace(each, path=each.path.absolute())
                    running[executor.submit(work.run, there, looked.missing)] = looked
                    continue
                done += 1
                progress(done / len(checkpoints))
                yield looked.known
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                outcome = evaluator.joined(running.pop(future), future.result())
                evaluator.keep(outcome)
                done += 1
                progress(done / len(checkpoints))
                yield outcome
    finally:
        for future in running:
            future.cancel()
