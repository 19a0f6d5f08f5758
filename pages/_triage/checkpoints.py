"""The checkpoints measured so far, which every part of the Triage page reads."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import streamlit as st

from pages._shared import cache
from pages._shared.uploads import Uploaded
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, TriageSettings

# Session key of the selected checkpoint's name, shared by all parts of the page.
SELECTED = "triage-selected"
NONE_YET = "No checkpoint is measured by this family yet."


@dataclass(frozen=True, eq=False)
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
        """Measurements by this family."""
        return tuple(each for outcome in self.outcomes for each in outcome.measured if each.method == method)

    @property
    def names(self) -> list[str]:
        """Names of the measured checkpoints."""
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


def measurement(settings: TriageSettings, measured: MeasuredCheckpoint) -> tuple[Hashable, ...]:
    """Key of everything that decides a measurement, for caching results computed from this measurement alone."""
    how = (settings.bandwidth, settings.split, settings.seed)
    return (*measured.digests, measured.method, measured.k, *how)


def selected(found: CheckpointResults) -> str | None:
    """Name of the selected checkpoint; None if it is not measured."""
    name = st.session_state.get(SELECTED)
    return name if name in found.names else None


def select(name: str | None) -> None:
    """Make this checkpoint the selected one."""
    st.session_state[SELECTED] = name
