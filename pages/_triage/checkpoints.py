"""The checkpoints measured so far, which every part of the Triage page reads."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from pages._shared import cache
from pages._shared.uploads import Uploaded
from pages._triage.session import session
from prviz.measure.estimates import Estimate
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, TriageSettings

NONE_YET = "No checkpoint is measured by this family yet."


@dataclass(frozen=True, eq=False, kw_only=True)
class CheckpointResults:
    """The checkpoints measured so far, in the order of the list.

    key : equal keys, equal contents; part of every cache key of a result computed from these checkpoints.
    reference : the real samples as measured. load : reads a checkpoint's samples as measured, with labels and pictures.
    settings : how all are measured. method : the selected family, one of `settings.methods`.
    outcomes : measurements and failures so far. total : the number of checkpoints.
    uploaded : where pictures of the samples come from, for `pages._shared.media`.
    """

    key: Hashable
    reference: Samples
    load: Callable[[Checkpoint], Samples]
    settings: TriageSettings
    method: str
    outcomes: tuple[CheckpointOutcome, ...]
    total: int
    uploaded: Uploaded | None = None

    @property
    def complete(self) -> bool:
        return len(self.outcomes) == self.total

    @property
    def measured(self) -> tuple[MeasuredCheckpoint, ...]:
        """Measurements by the selected family."""
        return self.by(self.method)

    def by(self, method: str) -> tuple[MeasuredCheckpoint, ...]:
        return tuple(each for outcome in self.outcomes for each in outcome.measured if each.method == method)

    @property
    def names(self) -> list[str]:
        return [each.checkpoint.name for each in self.measured]

    def one(self, name: str, method: str | None = None) -> MeasuredCheckpoint:
        """The measurement of the checkpoint of this name; KeyError if there is none."""
        for each in self.by(self.method if method is None else method):
            if each.checkpoint.name == name:
                return each
        raise KeyError(name)

    def pair(self, measured: MeasuredCheckpoint) -> SamplePair:
        """The samples behind a measurement.

        Raises
        ------
        ReadError, OSError : the files can't be read any more.
        ValueError : the files have changed.
        """
        key = ("triage-samples", measured.digests.real, measured.digests.generated, measured.checkpoint.path)
        generated = cache.held_samples(key, lambda: self.load(measured.checkpoint))
        pair = SamplePair(self.reference, generated)
        if (pair.real.digest, pair.generated.digest) != tuple(measured.digests):
            raise ValueError(f"{measured.checkpoint.name} has changed since it was measured; measure it again")
        return pair


def estimate_of(measured: MeasuredCheckpoint) -> Estimate:
    return Estimate(measured.method, measured.k, measured.estimate.supports.bandwidth, measured.estimate.runs)


def measurement(settings: TriageSettings, measured: MeasuredCheckpoint) -> tuple[Hashable, ...]:
    """Key of everything that decides a measurement, for caching results computed from this measurement alone."""
    how = (settings.bandwidth, settings.split, settings.seed)
    return (*measured.digests, measured.method, measured.k, *how)


def selected(found: CheckpointResults) -> str | None:
    """Name of the selected checkpoint; None if it is not measured."""
    name = session().selected
    return name if name in found.names else None


def select(name: str | None) -> None:
    session().selected = name


def count_of(count: int, noun: str) -> str:
    """The number with its noun: 1 file, 2 files."""
    return f"{count} {noun}{'s' * (count != 1)}"
