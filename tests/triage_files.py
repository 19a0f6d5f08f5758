"""Folders of made-up checkpoints, for tests of triage."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from prviz.readers.safe_folder import Below
from prviz.samples import Samples
from prviz.triage.inputs import Checkpoint, checkpoints_below
from prviz.triage.measured import CheckpointOutcome


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
