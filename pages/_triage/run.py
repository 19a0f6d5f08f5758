"""Measures checkpoints one after another in a thread, which can be stopped and continued. Its
outcomes can be read at any time.

First all checkpoints are measured with the nearest-neighbour families of estimators, which take a
fraction of the time; then with all families.

Nothing here uses Streamlit: the thread belongs to no session.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path

from pages._work.background import Background
from prviz.estimators import ESTIMATORS
from prviz.measure.workload import cut
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import CheckpointEvaluator, set_size
from prviz.triage.measured import CheckpointOutcome, ResultCache, TriageSettings

# Approximate share of the total time that the quick (nearest-neighbour) families take.
QUICK_SHARE = 0.1


def quick_of(settings: TriageSettings) -> tuple[str, ...]:
    """Those of the settings' families that are quick and give the first ranking; all of them if
    none is quick.
    """
    return (
        tuple(name for name in settings.methods if not ESTIMATORS[name].judges_all)
        or settings.methods
    )


class Run(Background):
    """A measurement of checkpoints in a thread, with its outcomes so far.

    seconds : estimated seconds for each checkpoint.
    """

    def __init__(
        self,
        reference: Samples,
        checkpoints: Sequence[Checkpoint],
        settings: TriageSettings,
        *,
        store: ResultCache,
        seconds: float,
    ) -> None:
        super().__init__(len(checkpoints), seconds * len(checkpoints))
        self.first_share = 1 / max(len(checkpoints), 1)
        self.checkpoints = tuple(checkpoints)
        self.settings = settings
        self.store = store
        self._reference = reference
        self._evaluator: CheckpointEvaluator | None = None
        # Path of a checkpoint's file -> its outcome. _found: measured with all estimator families.
        # _first: measured with the quick families only.
        self._found: dict[Path, CheckpointOutcome] = {}
        self._first: dict[Path, CheckpointOutcome] = {}
        self._quick = quick_of(settings)
        self._only_kept = False

    # ---- state of the measurement ----

    @property
    def done(self) -> int:
        return len(self._found)

    @property
    def seen(self) -> int:
        """Number that grows with each outcome: a checkpoint adds 1 once it is measured with the
        quick families, and 2 once it is measured with all families.
        """
        return self._ranked + self.done

    @property
    def _ranked(self) -> int:
        """Number of checkpoints measured at least with the quick families."""
        return len(self._first.keys() | self._found.keys())

    @property
    def share(self) -> float:
        """Share of the work that is done, from 0 to 1. The pass of the quick families counts as
        QUICK_SHARE of the work.
        """
        quick = 0.0
        if self._quick != self.settings.methods:
            quick = QUICK_SHARE
        part = self._part * (quick if self._ranked < self.total else 1 - quick)
        return min(
            (quick * self._ranked + (1 - quick) * self.done + part) / max(self.total, 1), 1.0
        )

    @property
    def now(self) -> Path | None:
        if not self.working:
            return None
        return next((each.path for each in self.checkpoints if each.path not in self._found), None)

    def outcomes(self, labelled: Sequence[Checkpoint]) -> tuple[CheckpointOutcome, ...]:
        """The outcomes so far, in the order of `labelled` and with the names and steps given
        there.

        An outcome is measured with all families, or with the quick families only: see
        `shown_settings`.
        """
        with self._lock:
            known = self._found if self._whole else {**self._first, **self._found}
            for each in labelled:
                found = known.get(each.path)
                if found is not None and found.checkpoint != each:
                    kept = self._found if each.path in self._found else self._first
                    kept[each.path] = known[each.path] = found.named(each)
            return tuple(known[each.path] for each in labelled if each.path in known)

    @property
    def _whole(self) -> bool:
        """True if every outcome of `outcomes` is measured with all families, none with the quick
        families only.
        """
        return len(self._found) == len(self.checkpoints) or not self._first

    def shown_settings(self) -> TriageSettings:
        """The settings of all outcomes of `outcomes`. Their families are the quick ones until all
        checkpoints are measured with all families.
        """
        if self._whole:
            return self.settings
        return replace(self.settings, methods=self._quick)

    # ---- start, stop, retry ----

    def know(self, other: Run, paths: Sequence[Path]) -> None:
        """Take over the outcomes that another run has for these files.

        The other run must have the same reference, and all families of this run.
        """
        methods = self.settings.methods
        with other._lock:
            known = {path: other._found[path] for path in paths if path in other._found}
        # leave out failures: the family at fault may be one that only the other run measures
        if methods != other.settings.methods:
            known = {path: each.of(methods) for path, each in known.items() if each.reason is None}
        self._found |= known

    def look(self) -> None:
        """Start the thread, but let it only read results from the cache and measure nothing."""
        self._only_kept = True
        super().start()

    def start(self, who: Hashable = None) -> None:
        self._only_kept = False
        super().start(who)

    def retry(self) -> None:
        """Measure the checkpoints that failed again."""
        with self._lock:
            self._found = {path: each for path, each in self._found.items() if each.reason is None}
            self._first = {path: each for path, each in self._first.items() if each.reason is None}
            # prepare anew: a checkpoint that can be read now may change the size to which all sets
            # are cut
            self._evaluator = None
        self.start()

    # ---- methods that run in the thread ----

    def _measure(self) -> None:
        if self._evaluator is None:
            reference = self._reference
            settings = self.settings
            size = reference.n
            for each in self.checkpoints if settings.equal_sizes else ():
                self._report(0.0)
                size = min(size, set_size(reference, each, settings) or size)
            reference = cut(reference, size, settings.seed)
            self._evaluator = CheckpointEvaluator(reference, settings, self.store, MEMORY_LIMIT)
        evaluator = self._evaluator
        with self._lock:  # drop the outcomes that were measured with sets of another size
            n = evaluator.reference.n
            self._found, self._first = (
                {
                    path: each
                    for path, each in found.items()
                    if all(one.n_real == n for one in each.measured)
                }
                for found in (self._found, self._first)
            )
        if self._quick != self.settings.methods:
            first = replace(self.settings, methods=self._quick)
            self._pass(
                CheckpointEvaluator(evaluator.reference, first, self.store, MEMORY_LIMIT),
                self._first,
            )
        self._pass(evaluator, self._found)
        self._evaluator = None  # free the memory of the reference and of what was computed from it
        if self._only_kept:
            self.stop()

    def _pass(self, evaluator: CheckpointEvaluator, found: dict[Path, CheckpointOutcome]) -> None:
        """Measure the checkpoints that have no outcome yet; after `look`, only read their results
        from the cache.
        """
        for each in self.checkpoints:
            if each.path in self._found or each.path in found:
                continue
            self._report(0.0)
            looked = None
            if self._only_kept:
                looked = evaluator.look(each)
            if looked is not None and looked.missing:
                continue
            outcome = evaluator.outcome(each, self._report) if looked is None else looked.known
            with self._lock:
                found[each.path] = outcome
                self._part = 0.0
