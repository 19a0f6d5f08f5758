"""Bundled checkpoints measured for real, for tests of single parts of the Triage page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pages._triage.checkpoints import CheckpointResults
from prviz.measure.workload import cut
from prviz.readers.bundled import bundled_pair, bundled_path
from prviz.readers.paths import data_folder
from prviz.samples import Samples
from prviz.triage.comparison import PairedDifference, compare_curves, difference_of
from prviz.triage.decision import Basis
from prviz.triage.inputs import Checkpoint, step_of
from prviz.triage.measure import samples_at
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, TriageSettings
from tests.triage_files import measure_all

MIXTURE = ("mixture-em-1", "mixture-em-2", "mixture-em-5", "mixture-em-10", "mixture-em-20")


def compare_two(
    a: MeasuredCheckpoint,
    b: MeasuredCheckpoint,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
    points: int = 201,
    **options: float,
) -> PairedDifference:
    """The difference of two measurements, from their joint replicates."""
    return difference_of(
        a, b, compare_curves(a, b, bootstrap, seed, confidence), points=points, **options
    )


def bundled_found(
    names: Sequence[str] = MIXTURE,
    settings: TriageSettings | None = None,
    *,
    n: int = 1797,
    failed: Sequence[str] = (),
) -> CheckpointResults:
    """These checkpoints against `n` of the digits, and some that failed. No AppTest is needed to
    make it.
    """
    settings = settings or TriageSettings()
    reference = cut(bundled_pair(names[0]).real, n, 0)

    def load(checkpoint: Checkpoint) -> Samples:
        return bundled_pair(checkpoint.path.stem).generated

    checkpoints = [Checkpoint(bundled_path(name), name, step_of(name)) for name in names]
    outcomes = list(measure_all(reference, checkpoints, settings))
    for name in failed:
        outcomes.append(
            CheckpointOutcome(
                Checkpoint(data_folder() / f"{name}.npz", name), (), reason="'x.npz': corrupt."
            )
        )
    key = ("bundled", tuple(names), settings, n)
    return CheckpointResults(
        key=key,
        reference=reference,
        load=load,
        settings=settings,
        basis=Basis(settings.methods[0], ""),
        outcomes=tuple(outcomes),
        total=len(outcomes),
    )


def files_found(
    folder: Path,
    reference: Samples,
    sets: Mapping[str, np.ndarray],
    settings: TriageSettings | None = None,
    **fields: Any,
) -> CheckpointResults:
    """Checkpoints from files of these sets, by name, which are written into a folder."""
    settings = settings or TriageSettings()
    for name, values in sets.items():
        np.save(folder / f"{name}.npy", values)
    checkpoints = [Checkpoint(folder / f"{name}.npy", name) for name in sets]
    known: dict[str, Any] = {
        "key": ("files", str(folder), tuple(sets), settings),
        "load": lambda each: samples_at(each.path, settings),
        "basis": Basis(settings.methods[0], ""),
        "outcomes": tuple(measure_all(reference, checkpoints, settings)),
        "total": len(sets),
    }
    return CheckpointResults(reference=reference, settings=settings, **(known | fields))


def changed(
    found: CheckpointResults, key: object, change: Callable[[Checkpoint], Checkpoint]
) -> CheckpointResults:
    """The same measurements, of checkpoints that say something else of themselves."""
    outcomes = []
    for each in found.outcomes:
        checkpoint = change(each.checkpoint)
        measured = tuple(replace(one, checkpoint=checkpoint) for one in each.measured)
        outcomes.append(each._replace(checkpoint=checkpoint, measured=measured))
    return replace(found, key=(key, found.key), outcomes=tuple(outcomes))
