"""Every checkpoint measured against one reference, each result kept as soon as it is there."""

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

# Checkpoints handed out at once: enough for many workers, few enough to stop soon.
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
    """What `prviz.estimate` gives for every checkpoint against the reference, in their order, as they come.

    One checkpoint is in memory at a time. One that can't be read, has another dimension, values that are no numbers or
    too few samples is an `CheckpointOutcome` with a reason; the others go on. The radii inside the real set, which no checkpoint
    changes, are found once. A result does not depend on the other checkpoints, except for the size that all are cut to
    where ``equal_sizes`` asks for it.

    Parameters
    ----------
    reference : the real samples.
    store : keeps results, and has those of earlier; None: nothing is kept. A family that the user registered is always
        measured, since its name alone does not tell what it does.
    memory_limit : bytes above the samples of the reference and of one checkpoint.
    progress : called with the fraction done; may raise to stop.

    Raises
    ------
    ValueError, TypeError : settings that do not fit the reference, before anything is measured.
    OSError : a result can't be kept.
    """
    desk = _desk(reference, checkpoints, settings or TriageSettings(), store, memory_limit)
    return (desk.outcome(each, part_of(progress, place, len(checkpoints))) for place, each in enumerate(checkpoints))


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
    """The same as `measure_all` on the workers of an executor, as they come: not always in the order of the list.

    Here the files are read to know what is kept; a worker reads those that are left, by the same paths, on one thread.

    reference : file of the real samples. memory_limit : of each worker, above the samples.

    Raises as `measure_all`, and ReadError for the reference.
    """
    settings = settings or TriageSettings()
    real = samples_at(reference, settings)
    desk = _desk(real, checkpoints, settings, store, memory_limit)
    work = _Elsewhere(reference.absolute(), real.digest, desk.reference.n, settings, memory_limit)
    return _spread(desk, work, checkpoints, executor, progress or (lambda _: None))


def unequal(measured: Iterable[MeasuredCheckpoint]) -> str | None:
    """One sentence on sets of different sizes, real or generated; None: all are as large."""
    sizes = {size for each in measured for size in (each.n_real, each.n_generated)}
    if len(sizes) < 2:
        return None
    return (
        f"the sets have {min(sizes)} to {max(sizes)} samples; sizes bias every family, so compare equal ones: "
        "equal sizes cut all to the smallest"
    )


def _desk(
    reference: Samples,
    checkpoints: Sequence[Checkpoint],
    settings: TriageSettings,
    store: ResultCache | None,
    memory_limit: int,
) -> CheckpointEvaluator:
    """The desk of a reference, cut if all are to be of equal size."""
    desk = CheckpointEvaluator(reference, settings, store, memory_limit)
    if not settings.equal_sizes:
        return desk
    size = equal_size(reference, checkpoints, settings)
    return CheckpointEvaluator(cut(reference, size, settings.seed), settings, store, memory_limit)


@dataclass(frozen=True)
class _Elsewhere:
    """What a worker needs besides the checkpoint: how to come by the reference, by path and digest, and its size."""

    reference: Path
    digest: str
    size: int
    settings: TriageSettings
    memory_limit: int

    def run(self, checkpoint: Checkpoint, names: tuple[str, ...]) -> CheckpointOutcome:
        """In the worker: some families of a checkpoint."""
        with threads_at_most(1), one_blas_thread():
            try:
                desk = replace(self, settings=replace(self.settings, methods=names)).desk()
            except (ValueError, OSError) as error:
                return CheckpointOutcome(checkpoint, (), reason=f"the worker can't measure it: {error}")
            return desk.outcome(checkpoint, lambda _: None)

    def desk(self) -> CheckpointEvaluator:
        """The desk of this thread, kept for the next checkpoint."""
        if getattr(_LOCAL, "work", None) != self:
            real = samples_at(self.reference, self.settings)
            if real.digest != self.digest:
                raise ValueError(f"{self.reference} has other contents there")
            real = cut(real, self.size, self.settings.seed)
            _LOCAL.work, _LOCAL.desk = self, CheckpointEvaluator(real, self.settings, None, self.memory_limit)
        desk: CheckpointEvaluator = _LOCAL.desk
        return desk


def _spread(
    desk: CheckpointEvaluator,
    work: _Elsewhere,
    checkpoints: Sequence[Checkpoint],
    executor: Executor,
    progress: Progress,
) -> Iterator[CheckpointOutcome]:
    """Hand out what is not kept; give and keep what comes back."""
    waiting, running, done = iter(checkpoints), dict[Future[CheckpointOutcome], CheckpointState](), 0
    try:
        while True:
            while len(running) < _AHEAD and (each := next(waiting, None)) is not None:
                looked = desk.look(each)
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
                outcome = desk.joined(running.pop(future), future.result())
                desk.keep(outcome)
                done += 1
                progress(done / len(checkpoints))
                yield outcome
    finally:
        for future in running:
            future.cancel()
