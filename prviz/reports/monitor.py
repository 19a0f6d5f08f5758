"""Measures generated samples during training: one call per step, which returns whether the step is
the best so far.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from prviz import estimators
from prviz.arguments import checked_list, checked_path, checked_whole
from prviz.checks.finding import Findings
from prviz.checks.flags import say
from prviz.estimators.base import checked_k
from prviz.measure.estimates import K, method_names
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.engine import check_memory_limit
from prviz.readers import Limits, read
from prviz.readers.atomic_files import write_whole
from prviz.readers.paths import PathLike
from prviz.reports.monitor_folder import (
    MonitorFolder,
    StepRecord,
    kept_methods,
    listed_steps,
    settings_of,
    unmeasured_text,
)
from prviz.reports.trackers import metrics_of, whole_step
from prviz.samples import SamplePair, Samples, SamplesLike, as_samples
from prviz.triage.decision import Decision
from prviz.triage.finding import Found
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import FAILURES
from prviz.triage.measured import CheckpointOutcome, ResultCache, TriageSettings
from prviz.triage.ranking import check_goal, score
from prviz.triage.triage import Triage, TriageResults
from prviz.warning import warn

# A tracker is called with a step and the values of its metrics by name.
Tracker: TypeAlias = Callable[[int, Mapping[str, float]], object]

# Number of best steps by each family with which a new step is compared; steps far behind would not
# change the verdict.
_RIVALS = 5
# Reasons why an earlier step can't be compared.
_NO_RESULT = (
    "what was measured of it is missing, damaged or of another version, and its samples are not"
    " kept"
)
_NO_RECORD = "metrics.csv has it, steps.json has not"


class MonitorVerdict(NamedTuple):
    """Result of `Monitor.log` for a step.

    Parameters
    ----------
    step : int
        The step.
    is_best : bool or None
        True if it is the best step so far; None while some earlier step can't be compared.
    best_step : int or None
        The best step so far; None while some earlier step can't be compared.
    told_apart : bool
        True if no other step may be the best one too.
    memorised : bool
        True if the samples of the step copy the real ones. Such a step is the best only if the
        samples of all steps do.
    faults : tuple of TriageFinding
        What is wrong with the samples, the fault that explains most first.
    metrics : mapping of str to float
        The row written to metrics.csv.
    sentence : str
        The verdict in words, or why there is none.
    unmeasured : tuple of int
        Earlier steps that can't be compared, because their results are missing or damaged.
    flags : tuple of Finding
        Properties of the generated and the real samples that change what the numbers mean,
        warnings first.
    """

    step: int
    is_best: bool | None
    best_step: int | None
    told_apart: bool
    memorised: bool
    faults: Found
    metrics: Mapping[str, float]
    sentence: str
    unmeasured: tuple[int, ...] = ()
    flags: Findings = ()


class Monitor:
    """Measures the samples of a training run against real ones, step by step.

    A stopped run can be continued: a monitor with the same directory, real samples and settings
    reads the earlier steps. A directory belongs to one set of real samples and one choice of
    settings, except ``goal``; with other samples or settings an error is raised. Several monitors
    may log to a directory at the same time. If the results of an earlier step can't be read, it is
    measured again, provided its samples were kept; otherwise no step is called the best until that
    step is logged again.

    Parameters
    ----------
    real : array_like or Samples
        (n, d) real samples.
    directory : path-like
        Folder for ``metrics.csv`` (a row per step), ``steps.json``, ``settings.json`` and
        ``results``; created if it is missing.
    holdout : array_like or Samples, optional
        Other real samples, which tell how many near copies chance explains; None: the real ones
        themselves.
    methods : sequence of str, optional
        Names in ESTIMATORS. None: DEFAULT_METHODS and ``tightest``, whose curve is the one to
        believe and which then judges the steps; ``tightest`` is left out without a split, without
        scikit-learn, and in a directory that was begun without it.
    k : int or "sqrt"
        As in `prviz.pr_curve`.
    split : float or None
        As in `prviz.pr_curve`.
    seed : int
        Seed of the split and of the resampling.
    goal : float
        Weight of recall in the score, from 0 (only precision counts) to 1 (only recall counts).
    keep_samples : bool
        True to keep the samples as ``step-N.npy`` in the directory, for `prviz triage`, and so that
        another version of prviz can measure them again.
    trackers : sequence of callable
        Each is called with the step and its metrics, see `prviz.reports.training`.
    memory_limit : int
        As in `prviz.pr_curve`.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve`; and if the directory belongs to other settings, other real samples or
        another version of prviz, or has damaged files.

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
        real: SamplesLike,
        *,
        directory: PathLike,
        holdout: SamplesLike | None = None,
        methods: Sequence[str] | None = None,
        k: K = "sqrt",
        split: float | None = 0.5,
        seed: int = 0,
        goal: float = 0.5,
        keep_samples: bool = False,
        trackers: Sequence[Tracker] = (),
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        folder = checked_path("directory", directory)
        if methods is None:
            methods = usual_methods(folder, split)
        chosen = method_names(methods)
        settings = TriageSettings(tuple(chosen), k=checked_k(k), split=split, seed=seed)
        check_goal(goal)
        checked_whole("seed", seed, 0)
        check_memory_limit(memory_limit)
        if not isinstance(keep_samples, bool | np.bool_):
            raise TypeError(f"keep_samples = {keep_samples!r}; True or False is needed")
        trackers = checked_list(
            "trackers", trackers, "functions of a step and its metrics", callable
        )
        reference = as_samples(real, name="real")
        other = None
        if holdout is not None:
            other = as_samples(holdout, name="holdout")
        self._keep, self._trackers = keep_samples, tuple(trackers)
        self._folder = MonitorFolder(
            folder, settings_of(reference, settings, other), settings.methods
        )
        store = ResultCache(self._folder.path / "results", given_as="results")
        self._goal = goal
        self._triage = Triage(
            reference=reference,
            settings=settings,
            holdout=other,
            store=store,
            memory_limit=memory_limit,
            load=self._load,
        )
        # raises an error if the holdout can't be compared with the real samples
        self._triage.held_out(reference)
        self._evaluator = self._triage.evaluator(reference.n)
        self._at_hand: tuple[Checkpoint, Samples] | None = None
        self._steps = dict[int, StepRecord]()
        self._outcomes = dict[int, CheckpointOutcome]()
        self._unmeasured = dict[int, str]()
        with self._folder.locked():
            self._open()

    def log(self, step: int, generated: SamplesLike) -> MonitorVerdict:
        """Measure the samples of a step, write its row in metrics.csv, and judge it against the
        earlier steps.

        Parameters
        ----------
        step : int
            A whole number from 0. A step that was logged before is measured again, and its row
            replaced.
        generated : array_like or Samples
            (m, d) generated samples.

        Returns
        -------
        MonitorVerdict
            Whether it is the best step so far, and what is wrong with it.

        Raises
        ------
        ValueError, TypeError
            The samples or the step can't be measured, or a monitor with other settings has taken
            over the directory meanwhile; nothing is written.
        OSError
            The directory can't be written to.
        """
        step = whole_step(step)
        checkpoint = self._checkpoint(step)
        samples = as_samples(generated, name=checkpoint.name)
        pair = SamplePair(self._triage.reference, samples)
        # raises an error if a monitor with other settings has taken over the directory meanwhile
        self._folder.other_version()
        measured = self._evaluator.measured(checkpoint, pair)
        say(pair, once_for=pair.real.digest)
        outcome = CheckpointOutcome(checkpoint, measured)
        row = _row(outcome)
        with self._folder.locked():
            self._open()
            if self._keep:
                stream = io.BytesIO()
                np.save(stream, pair.generated.values)
                write_whole(checkpoint.path, stream.getvalue())
            self._at_hand = checkpoint, pair.generated
            # without the areas after remedies: they take long, and the verdict on a step does not
            # show them
            found = self._triage.results([outcome, *self._rivals(step)], self._goal, areas=False)
            self._at_hand = None
            if found.judgement is None:
                raise ValueError("methods is empty; at least one family is needed")
            copies = found.memorisation[checkpoint.name]
            self._outcomes[step] = outcome
            self._steps[step] = StepRecord(pair.generated.digest, samples.n, copies.memorised)
            self._unmeasured.pop(step, None)
            # The old row is removed before the record is written, the new one added after: a
            # process killed in between leaves no row, never a wrong one.
            self._folder.remove_others({step: row})
            self._folder.write_steps(self._steps)
            self._folder.add_rows({**self._missing_rows(), step: row})
        for tracker in self._trackers:
            tracker(step, row)
        return self._verdict(step, found, found.judgement.decision, row)

    def _open(self) -> None:
        """Read all steps that the directory holds now; the caller holds its lock.

        Raises ValueError if the directory belongs to other settings.
        """
        older = self._folder.other_version()
        known = self._folder.steps()
        changed = [step for step in known if known[step] != self._steps.get(step)]
        self._steps.update(known)
        for step in changed:
            self._outcomes.pop(step, None)
            self._unmeasured.pop(step, None)
            if (outcome := self._known(step, known[step])) is None:
                self._unmeasured[step] = _NO_RESULT
            else:
                self._outcomes[step] = outcome
        self._unmeasured = {
            step: why for step, why in self._unmeasured.items() if why != _NO_RECORD
        }
        self._unmeasured |= dict.fromkeys(
            self._folder.rows().keys() - self._steps.keys(), _NO_RECORD
        )
        if older:
            self._renew(older)
        else:
            self._folder.check_rows(
                {step: _row(self._outcomes[step]) for step in changed if step in self._outcomes}
            )
        self._folder.write_settings()

    def _renew(self, older: str) -> None:
        """Replace all rows that another version of prviz wrote.

        Raises ValueError if the samples of some steps were not kept.
        """
        folder = self._folder.path
        if self._unmeasured:
            raise ValueError(
                f"directory = {str(folder)!r} holds steps of {older}, whose numbers can't be"
                f" compared with those of this one, and {listed_steps(list(self._unmeasured))}"
                " can't be measured again, as the samples are not kept there (keep_samples=True"
                " keeps them); give another directory"
            )
        rows = {step: _row(each) for step, each in self._outcomes.items()}
        self._folder.remove_others(rows)
        self._folder.add_rows(rows)
        warn(
            str(folder),
            f"{folder}: its steps are of {older}; the rows of metrics.csv are now those of this"
            " version and these settings, measured again from the kept samples where no kept"
            " result was such",
        )

    def _known(self, step: int, record: StepRecord) -> CheckpointOutcome | None:
        """The result of an earlier step: the stored one, or a new measurement of the samples if
        they were kept; None if neither exists.
        """
        checkpoint = self._checkpoint(step)
        measured = self._evaluator.kept(checkpoint, record.digest, record.n)
        if measured:
            return CheckpointOutcome(checkpoint, measured)
        if not checkpoint.path.is_file():
            return None
        try:
            samples = read(checkpoint.path, limits=Limits(copied=True))
            if samples.digest != record.digest:
                return None
            pair = SamplePair(self._triage.reference, samples)
            return CheckpointOutcome(checkpoint, self._evaluator.measured(checkpoint, pair))
        except FAILURES:
            return None

    def _load(self, asked: Checkpoint) -> Samples:
        """The samples of the step that is being logged; raises OSError for any other step."""
        if self._at_hand is None or asked != self._at_hand[0]:
            raise OSError("only the samples of the step that is being logged are available")
        return self._at_hand[1]

    def _missing_rows(self) -> dict[int, Mapping[str, float]]:
        """Rows of earlier steps that metrics.csv lacks, for example after a log that was
        interrupted.
        """
        missing = sorted(self._outcomes.keys() - self._folder.rows().keys())
        return {step: _row(self._outcomes[step]) for step in missing}

    def _verdict(
        self, step: int, found: TriageResults, decision: Decision, row: Mapping[str, float]
    ) -> MonitorVerdict:
        name = self._checkpoint(step).name
        best = next(
            each.checkpoint.step for each in found.outcomes if each.checkpoint.name == decision.best
        )
        verdict = MonitorVerdict(
            step=step,
            is_best=decision.best == name,
            best_step=int(best or 0),
            told_apart=decision.told_apart,
            memorised=found.memorisation[name].memorised,
            faults=tuple(found.findings.get(name, ())),
            metrics=row,
            sentence=decision.sentence,
            flags=next(
                each.measured[0].flags for each in found.outcomes if each.checkpoint.name == name
            ),
        )
        if not self._unmeasured:
            return verdict
        return verdict._replace(
            is_best=None,
            best_step=None,
            told_apart=False,
            sentence=unmeasured_text(self._unmeasured),
            unmeasured=tuple(sorted(self._unmeasured)),
        )

    def _checkpoint(self, step: int) -> Checkpoint:
        return Checkpoint(self._folder.path / f"step-{step}.npy", f"step-{step}", float(step))

    def _rivals(self, step: int) -> list[CheckpointOutcome]:
        """The steps with which ``step`` is compared: the best _RIVALS by each family, without those
        that copy the real samples.
        """
        others = {
            name: each
            for name, each in self._outcomes.items()
            if name != step and not self._steps[name].memorised
        }
        chosen = set[int]()
        for place in range(len(self._evaluator.settings.methods)):
            scores = {
                name: score(each.measured[place].curve, self._goal) for name, each in others.items()
            }
            chosen |= set(sorted(scores, key=scores.__getitem__)[-_RIVALS:])
        return [others[name] for name in sorted(chosen)]


def usual_methods(directory: Path, split: float | None) -> Sequence[str]:
    """The default families and ``tightest``; without ``tightest`` if there is no split or the
    directory was begun without it.
    """
    if split is None or kept_methods(directory) == list(estimators.DEFAULT_METHODS):
        return estimators.DEFAULT_METHODS
    return estimators.verdict_methods()


def _row(outcome: CheckpointOutcome) -> dict[str, float]:
    """A step's metrics by all families: its row in metrics.csv."""
    return metrics_of(outcome.measured)
