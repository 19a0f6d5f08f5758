"""Checkpoints measured, and searched for faults, by the workers of an executor, which read the
files.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from prviz.measure.estimates import Progress
from prviz.neighbors.threads import one_thread_of_a_worker
from prviz.readers.errors import error_text
from prviz.samples import SamplePair, Samples
from prviz.studies.tasks import AHEAD_ELSEWHERE, Call, finished
from prviz.triage.decision import basis_of, looked_into
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import (
    FAILURES,
    CheckpointEvaluator,
    CheckpointState,
    evaluator_of,
    samples_at,
)
from prviz.triage.measured import CheckpointOutcome, ResultCache, TriageSettings
from prviz.triage.triage import Triage

_LOCAL = threading.local()


def measure_elsewhere(
    triage: Triage,
    checkpoints: Sequence[Checkpoint],
    executor: Executor,
    *,
    reference: Path,
    holdout: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[CheckpointOutcome]:
    """The outcomes of checkpoints on the workers of an executor, in the order in which they are
    finished.

    This process reads every file to look up its results in the cache. A worker reads each file
    without cached results once, by the same path, on one thread. It also searches for copies and
    faults, and draws the replicates that the decision needs; the store caches what it finds.

    triage : its memory limit is that of each worker.
    reference, holdout : paths of the files of its real samples.

    Raises ValueError or TypeError if settings do not fit the reference, before anything is
    measured; OSError if a result can't be cached.
    """
    settings = triage.settings
    real = triage.reference
    evaluator = evaluator_of(real, checkpoints, settings, triage.store, triage.memory_limit)
    work = _Elsewhere(
        reference=reference.absolute(),
        digest=real.digest,
        size=evaluator.reference.n,
        settings=settings,
        memory_limit=triage.memory_limit,
        holdout=holdout and holdout.absolute(),
    )
    report = progress or (lambda _: None)

    def calls() -> Iterator[tuple[CheckpointState, Call[_Answer] | None]]:
        for each in checkpoints:
            state = evaluator.look(each)
            there = replace(each, path=each.path.absolute())
            yield state, partial(work.run, there, state.missing) if state.missing else None

    def outcomes() -> Iterator[CheckpointOutcome]:
        answers = finished(executor, calls(), AHEAD_ELSEWHERE, lost=_lost)
        for done, (state, found) in enumerate(answers, start=1):
            outcome = state.known
            if found is not None:
                outcome = evaluator.joined(state, found.outcome)
                evaluator.keep(outcome)
                for key, facts in found.facts:
                    triage.store.put_facts(key, facts)
            report(done / len(checkpoints))
            yield outcome

    return outcomes()


class _Answer(NamedTuple):
    """What a worker sends back: an outcome, and facts about the samples to cache, by key."""

    outcome: CheckpointOutcome
    facts: Sequence[tuple[Mapping[str, Any], Any]] = ()


def _lost(state: CheckpointState) -> _Answer:
    """The answer for a checkpoint whose measurement ended every worker that tried it."""
    reason = (
        "each worker that measured it ended, perhaps because memory ran out; give workers more, or"
        " save a random subset of the rows"
    )
    return _Answer(CheckpointOutcome(state.known.checkpoint, (), reason=reason))


class _Noted(ResultCache):
    """A cache in memory that notes the facts which a cache in a folder would write."""

    def __init__(self) -> None:
        super().__init__(None)
        self.noted: list[tuple[Mapping[str, Any], Any]] = []

    def put_facts(self, key: Mapping[str, Any], facts: Any) -> None:
        self.noted.append((key, facts))


@dataclass(frozen=True, kw_only=True)
class _Elsewhere:
    """The part of a worker's task that all checkpoints share: files of real samples, digest and
    size of the reference, settings.
    """

    reference: Path
    digest: str
    size: int
    settings: TriageSettings
    memory_limit: int
    holdout: Path | None

    def run(self, checkpoint: Checkpoint, names: tuple[str, ...]) -> _Answer:
        """Measure some families of a checkpoint and search it for faults, in the worker."""
        with one_thread_of_a_worker():
            try:
                worker = self._worker(names)
            except (ValueError, OSError) as error:
                reason = f"the worker can't measure it: {error_text(error)}"
                return _Answer(CheckpointOutcome(checkpoint, (), reason=reason))
            outcome = worker.evaluator.outcome(checkpoint, lambda _: None)
            worker.noted.clear()
            # If the search fails here, the calling process repeats it and reports the error.
            with suppress(*FAILURES):
                worker.look_into(outcome)
            return _Answer(outcome, tuple(worker.noted))

    def _worker(self, names: tuple[str, ...]) -> _Worker:
        """The worker of this thread; it is kept as long as the families stay the same."""
        worker: _Worker | None = getattr(_LOCAL, "worker", None)
        if worker is None or (worker.work, worker.evaluator.settings.methods) != (self, names):
            worker = _LOCAL.worker = _Worker.of(self, names)
        return worker


class _LastPair:
    """The pair that was measured last, so that a worker reads each file once."""

    def __init__(self) -> None:
        self._pair: SamplePair | None = None

    def hold(self, pair: SamplePair) -> bool:
        """Remember the pair. It serves as a `prviz.triage.measure.Beside` that takes no memory."""
        self._pair = pair
        return False

    def load(self, checkpoint: Checkpoint) -> Samples:
        """The generated samples of the last pair. Raises ValueError if no pair has been
        measured.
        """
        if self._pair is None:
            raise ValueError(f"{checkpoint.name} is not measured")
        return self._pair.generated


class _Worker(NamedTuple):
    """What a worker's thread keeps: the reference, its distances, and the facts that were noted."""

    work: _Elsewhere
    triage: Triage
    evaluator: CheckpointEvaluator
    noted: list[tuple[Mapping[str, Any], Any]]

    @classmethod
    def of(cls, work: _Elsewhere, names: tuple[str, ...]) -> _Worker:
        """A worker that has read its files. Raises ReadError; and ValueError if the reference has
        other contents on the worker's machine.
        """
        real = samples_at(work.reference, work.settings)
        if real.digest != work.digest:
            raise ValueError(f"{work.reference} has other contents there")
        store = _Noted()
        last = _LastPair()
        holdout = None
        if work.holdout is not None:
            holdout = samples_at(work.holdout, work.settings)
        triage = Triage(
            reference=real,
            settings=work.settings,
            holdout=holdout,
            store=store,
            memory_limit=work.memory_limit,
            load=last.load,
        )
        evaluator = CheckpointEvaluator(
            triage.real(work.size),
            replace(work.settings, methods=names),
            None,
            work.memory_limit,
            beside=last.hold,
        )
        return cls(work, triage, evaluator, store.noted)

    def look_into(self, outcome: CheckpointOutcome) -> None:
        """Search the samples of a checkpoint, and note the facts that are found."""
        if not outcome.measured:
            return
        for each in looked_into(outcome.measured):
            for look in (self.triage.copies, self.triage.witness, self.triage.faults):
                look(each, lambda _: None)
        basis = basis_of(outcome.measured)
        for each in outcome.measured:
            if each.method in (basis.method, basis.second):
                self.triage.replicates(each, lambda _: None)
