"""Small pairs of sets, and the supports that a family has on a pair."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from prviz.estimators import Supports
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair, Samples


def gaussians(
    n_real: int = 60, n_generated: int = 45, d: int = 9, shift: float = 0.4, seed: int = 3
) -> SamplePair:
    rng = np.random.default_rng(seed)
    return SamplePair(rng.normal(size=(n_real, d)), rng.normal(size=(n_generated, d)) + shift)


def ties(n_real: int = 40, n_generated: int = 30, d: int = 3) -> SamplePair:
    rng = np.random.default_rng(4)
    return SamplePair(rng.integers(0, 4, (n_real, d)), rng.integers(1, 5, (n_generated, d)))


PAIRS = pytest.mark.parametrize("pair", [gaussians(), ties()], ids=["gaussians", "ties"])
SPLITS = pytest.mark.parametrize("split", [0.5, None])


def swapped(pair: SamplePair) -> SamplePair:
    return SamplePair(pair.generated, pair.real)


def dropped_mode() -> SamplePair:
    """The generator lacks one of two modes."""
    rng = np.random.default_rng(5)
    modes = np.repeat([[0.0], [40.0]], 150, axis=0)
    return SamplePair(rng.normal(size=(300, 8)) + modes, rng.normal(size=(300, 8)))


def pooled(sides: Iterable[Samples]) -> np.ndarray:
    return np.concatenate([side.values for side in sides])


def supports(pair: SamplePair, method: str, **options: Any) -> Supports:
    return estimate(pair, method, **options)[method].supports


def lists(found: Supports) -> tuple[list[float], list[float]]:
    return found.c_real.tolist(), found.c_generated.tolist()
