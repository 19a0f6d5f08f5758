"""What is known of the checkpoints at one moment: what every part of the Triage page draws from."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import streamlit as st

from pages._shared import cache
from pages._shared.uploads import Uploaded
from prviz.measure.estimates import Estimate
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, TriageSettings

# The checkpoint that is looked at, by name: the same one in every part of the page.
SELECTED = "triage-selected"
NONE_YET = "No checkpoint is measured by this family yet."


@dataclass(frozen=True, eq=False)
class CheckpointResults:
    """The checkpoints measured so far, in the order of the list.

    key : equal keys, equal contents; it belongs into the key of whatever is remembered of them.
    reference : the real samples as they are measured. load : the samples of a checkpoint, with labels and pictures
    where they have some, as they are measured.
    settings : how all are measured. method : the family that is looked at, one of `settings.methods`.
    outcomes : what became of each, those that failed among them. total : how many there will be.
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
        """Those measured by the family that is looked at."""
        return self.by(self.method)

    def by(self, method: str) -> tuple[MeasuredCheckpoint, ...]:
        """Those measured by this family."""
        return tuple(each for outcome in self.outcomes for each in outcome.measured if each.method == method)

    @property
    def names(self) -> list[str]:
        """Of those that are measured."""
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
        ReadError, OSError : they can't be read any more.
        ValueError : they are others by now.
        """
        key = ("triage-samples", measured.digests.real, measured.digests.generated, measured.checkpoint.path)
        generated = cache.held_samples(key, lambda: self.load(measured.checkpoint))
        pair = SamplePair(self.reference, generated)
        if (pair.real.digest, pair.generated.digest) != tuple(measured.digests):
            raise ValueError(f"{measured.checkpoint.name} has changed since it was measured; measure it again")
        return pair


def estimate_of(measured: MeasuredCheckpoint) -> Estimate:
    """The same as an estimate of the core."""
    return Estimate(measured.method, measured.k, measured.rates[0].bandwidth, measured.rates)


def measurement(settings: TriageSettings, measured: MeasuredCheckpoint) -> tuple[Hashable, ...]:
    """Stands for everything that decides a measurement: belongs into the key of whatever is remembered of it alone."""
    how = (settings.bandwidth, settings.split, settings.seed)
    return (*measured.digests, measured.method, measured.k, *how)


def selected(found: CheckpointResults) -> str | None:
    """The checkpoint that is looked at, if it is measured."""
    name = st.session_state.get(SELECTED)
    return name if name in found.names else None


def select(name: str | None) -> None:
    """Look at this one from now on."""
    st.session_state[SELECTED] = name
