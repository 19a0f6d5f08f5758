"""Folders of made-up checkpoints, for tests of triage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from prviz.arrays import Floats
from prviz.diagnostics.preflight import preflight
from prviz.measure.estimates import Progress
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import part_of
from prviz.readers.safe_folder import Below
from prviz.samples import SamplePair, Samples
from prviz.triage.finding import TriageFinding
from prviz.triage.findings import sample_faults
from prviz.triage.inputs import Checkpoint, checkpoints_below
from prviz.triage.measure import evaluator_of
from prviz.triage.measured import CheckpointOutcome, ResultCache, TriageSettings
from prviz.triage.pair_statistics import MOST_ROWS, PairStatistics, halvings, mean_statistics


def drawn(seed: int, n: int = 60, shift: float = 0.0, d: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)) + shift


REFERENCE = Samples(drawn(0), "real")


def folder_of(path: Path, count: int = 3) -> Path:
    path.mkdir(parents=True)
    for place in range(1, count + 1):
        np.save(path / f"step-{place}.npy", drawn(place, shift=1 / place))
    return path


def areas(outcomes: list[CheckpointOutcome]) -> dict[str, float]:
    return {each.checkpoint.name: each.measured[0].curve.auc for each in outcomes if each.measured}


def listed_below(below: Below, folder: str = "", metadata: str | None = None) -> list[Checkpoint]:
    """The sample files right in a folder below another."""
    names = [
        f"{folder}/{name}" if folder else name
        for name in below.files(folder)[0]
        if name.endswith(".npy")
    ]
    return checkpoints_below(below, names, metadata)


def measure_all(
    reference: Samples,
    checkpoints: Sequence[Checkpoint],
    settings: TriageSettings | None = None,
    *,
    store: ResultCache | None = None,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Iterator[CheckpointOutcome]:
    """The outcome of every checkpoint against the reference, one by one, in their order."""
    settings = settings or TriageSettings()
    evaluator = evaluator_of(reference, checkpoints, settings, store, memory_limit)
    return (
        evaluator.outcome(checkpoint, part_of(progress, place, len(checkpoints)))
        for place, checkpoint in enumerate(checkpoints)
    )


def pair_statistics(pair: SamplePair, *, seed: int = 0, rows: int = MOST_ROWS) -> PairStatistics:
    """All statistics of a pair, means over `halvings`."""
    return mean_statistics(halvings(pair, seed=seed, rows=rows))


def faults_of(real: Samples | Floats, generated: Samples | Floats) -> tuple[TriageFinding, ...]:
    """The faults of the generated samples, the surest first."""
    pair = SamplePair(real, generated)
    return sample_faults(pair, preflight(pair).facts)


def keys_of(real: Samples | Floats, generated: Samples | Floats) -> list[str]:
    return [each.key for each in faults_of(real, generated)]
