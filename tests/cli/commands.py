"""Types of the fixtures that run commands, and files for these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

KNN = ("--method", "knn")


class Output(NamedTuple):
    """What a command has written to stdout and stderr."""

    out: str
    err: str


Run = Callable[..., Output]
Refused = Callable[..., str]


def numpy_files(folder: Path, **sets: tuple[int, float]) -> dict[str, Path]:
    """Normal samples in four dimensions, others in each file: by name their number and spread."""
    paths = {name: folder / f"{name}.npy" for name in sets}
    for seed, (path, (n, spread)) in enumerate(zip(paths.values(), sets.values(), strict=True)):
        path.parent.mkdir(exist_ok=True)
        np.save(path, spread * np.random.default_rng(seed).normal(size=(n, 4)))
    return paths
