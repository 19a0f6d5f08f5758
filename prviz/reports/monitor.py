"""Generated samples measured while training runs: one call per step, which says whether it is the best so far."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prviz.measure.estimates import K, method_names
from prviz.neighbors import MEMORY_LIMIT
from prviz.readers.atomic_files import write_whole
from prviz.readers.errors import quoted
from prviz.reports.trackers import check_csv, log_csv, metrics, whole_step
from prviz.samples import SamplePair, Samples, as_samples
from prviz.triage.finding import TriageFinding
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import CheckpointOutcome, TriageSettings
from prviz.triage.ranking import score
from prviz.triage.result_cache import ResultCache
from prviz.triage.run import TriageRun

# Takes a step and the values of its metrics by name.
Tracker: TypeAlias = Callable[[int, Mapping[str, float]], object]

# Best steps of each family that a new one is compared with: those far behind change nothing.
_RIVALS = 5


class MonitorVerdict(NamedTuple):
    """What `Monitor.log` says of a step.

    Parameters
    ----------
    step : int
        The step.
    is_best : bool
        True if it is the one to take of all steps so far.
    best_step : int
        The step to take.
    told_apart : bool
        True if no other of the best steps may be best as well.
    memorised : bool
        True if its samples copy the real ones; then it is best only if all are such.
    faults : tuple of TriageFinding
        What is wrong with it, the fault that explains most first.
    metrics : mapping of str to float
        The row that was written.
    sentence : str
        The decision in words.
    """

    step: int
    is_best: bool
    best_step: int
    told_apart: bool
    memorised: bool
    faults: tuple[TriageFinding, ...]
    metrics: Mapping[str, float]
    sentence: str


class Monitor:
    """Measures the samples of a training run against real ones, step by step.

    A run that was stopped goes on: a monitor of the same directory, real samples and settings knows the earlier steps.

    Parameters
    ----------
    real : array_like or Samples
        (n, d) real samples.
    directory : path-like
        Folder, made where it is missing, for ``metrics.csv`` (a row a step), ``results`` and ``steps.json``.
    holdout : array_like or Samples, optional
        Other real samples, with which copies are compared; None: the real ones themselves.
    methods : sequence of str, optional
        Names in ESTIMATORS; None: DEFAULT_METHODS, in one pass.
    k : int or "sqrt"
        As in `prviz.pr_curve`.
    split : float or None
        As in `prviz.pr_curve`.
    seed : int
        Of the split and of the resampling.
    goal : float
        From 0, precision first, to 1, recall first.
    keep_samples : bool
        True to keep the samples as ``step-N.npy`` beside the row, for `prviz triage`.
    trackers : sequence of callable
        Each is called with the step and its metrics, see `prviz.reports.training`.
    memory_limit : int
        As in `prviz.pr_curve`.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve`, and for a directory that holds other metrics.

    Examples
    --------
    >>> import tempfile
    >>> import prviz
    >>> real, generated = prviz.toy("mixtures").sample(200, seed=0)
    >>> monitor = prviz.Monitor(real, directory=tempfile.mkdtemp(), methods=["knn"])
    >>> monitor.log(1000, generated).is_best
    True
    """

    def __init__(
        self,
        real: Samples | ArrayLike,
        *,
        directory: str | os.PathLike[str],
        holdout: Samples | ArrayLike | None = None,
        methods: Sequence[str] | None = None,
        k: K = "sqrt",
        split: float | None = 0.5,
        seed: int = 0,
        goal: float = 0.5,
        keep_samples: bool = False,
        trackers: Sequence[Tracker] = (),
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        settings = TriageSettings(tuple(method_names(methods or None)), k=k, split=split, seed=seed)
        reference = as_samples(real, name="real")
        other = None if holdout is None else as_samples(holdout, name="holdout")
        self._folder, self._keep, self._trackers = Path(directory), keep_samples, tuple(trackers)
        store = ResultCache(self._folder / "results")
        self._evaluator = CheckpointEvaluator(reference, settings, store, memory_limit)
        self._run = TriageRun(reference, settings, holdout=other, goal=goal, store=store, memory_limit=memory_limit)
        self._folder.mkdir(parents=True, exist_ok=True)
        check_csv(self._table, settings.methods)
        self._steps: dict[int, dict[str, Any]] = self._read_steps()
        self._outcomes = dict(self._known())

    def log(self, step: int, generated: Samples | ArrayLike) -> MonitorVerdict:
        """Measure the samples of a step, write its row, and say what follows.

        Parameters
        ----------
        step : int
            A whole number from 0. One that is there already is measured anew; its row stays.
        generated : array_like or Samples
            (m, d) generated samples.

        Returns
        -------
        MonitorVerdict
            Whether it is the best step so far, and what is wrong with it.

        Raises
        ------
        ValueError, TypeError
            Samples or a step that can't be measured; nothing is written.
        OSError
            The directory can't be written to.
        """
        step = whole_step(step)
        checkpoint = self._checkpoint(step)
        samples = as_samples(generated, name=checkpoint.name)
        measured = self._evaluator.measured(checkpoint, SamplePair(self._run.reference, samples))
        outcome = CheckpointOutcome(checkpoint, measured)
        if self._keep:
            stream = io.BytesIO()
            np.save(stream, np.asarray(samples.values))
            write_whole(checkpoint.path, stream.getvalue())

        def load(asked: Checkpoint) -> Samples:
            if asked == checkpoint:
                return samples
            raise OSError("only the samples of this step are at hand")

        found = self._run.results([outcome, *self._rivals(step)], load=load)
        if found.judgement is None:
            raise ValueError("methods is empty; at least one family is needed")
        decision, copies = found.judgement.decision, found.memorisation[checkpoint.name]
        row = {name: value for each in measured for name, value in metrics(each.curve, each.method).items()}
        self._outcomes[step] = outcome
        self._steps[step] = {
            "digest": samples.digest,
            "n": samples.n,
            "memorised": copies.memorised,
        }
        write_whole(self._folder / "steps.json", json.dumps(self._steps, indent=0).encode())
        log_csv(self._table, {step: row})
        for tracker in self._trackers:
            tracker(step, row)
        best = next(each.checkpoint.step for each in found.outcomes if each.checkpoint.name == decision.best)
        return MonitorVerdict(
            step,
            decision.best == checkpoint.name,
            int(best or 0),
            decision.told_apart,
            copies.memorised,
            found.findings.get(checkpoint.name, ()),
            row,
            decision.sentence,
        )

    @property
    def _table(self) -> Path:
        return self._folder / "metrics.csv"

    def _checkpoint(self, step: int) -> Checkpoint:
        return Checkpoint(self._folder / f"step-{step}.npy", f"step-{step}", float(step))

    def _rivals(self, step: int) -> list[CheckpointOutcome]:
        """The best of the other steps, of every family a few, which are no copies of the real samples."""
        others = {
            name: each for name, each in self._outcomes.items() if name != step and not self._steps[name]["memorised"]
        }
        chosen = set[int]()
        for place in range(len(self._evaluator.settings.methods)):
            scores = {name: score(each.measured[place].curve, self._run.goal) for name, each in others.items()}
            chosen |= set(sorted(scores, key=scores.__getitem__)[-_RIVALS:])
        return [others[name] for name in sorted(chosen)]

    def _read_steps(self) -> dict[int, dict[str, Any]]:
        path = self._folder / "steps.json"
        try:
            found = json.loads(path.read_bytes())
            return {
                int(step): {"digest": str(each["digest"]), "n": int(each["n"]), "memorised": bool(each["memorised"])}
                for step, each in found.items()
            }
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise ValueError(
                f"{quoted(str(path))}: no list of steps; give the monitor a directory of its own"
            ) from None

    def _known(self) -> dict[int, CheckpointOutcome]:
        """The steps of an earlier run that were measured against the same real samples by the same settings."""
        found = {}
        for step, each in self._steps.items():
            checkpoint = self._checkpoint(step)
            if measured := self._evaluator.kept(checkpoint, each["digest"], each["n"]):
                found[step] = CheckpointOutcome(checkpoint, measured)
        return found
