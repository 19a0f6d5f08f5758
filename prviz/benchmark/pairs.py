"""The benchmark's pairs.

A toy, its parameters, a size and seeds, frozen by digests of their samples.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from prviz.curves import PRCurve
from prviz.samples import SamplePair
from prviz.toys import toy

VERSION = 1
"""Raised whenever a pair, its samples or a score changes.

Figures of two versions can't be compared.
"""
N = 1000
DRAWS = 3
# Samples are rounded, and their digest is that of fewer decimals, so that the last bit of a
# machine's logarithm does not change it.
_DECIMALS = 6
_DIGEST_DECIMALS = 3
_DIGESTS = Path(__file__).with_name("digests.json")


class ForeignSamplesError(ValueError):
    """Samples as this machine draws them are not those of the benchmark."""


@dataclass(frozen=True)
class BenchmarkPair:
    """One pair: `toy` with `parameters`, `N` samples of each side, drawn with the seeds 0, 1, ...,
    `DRAWS` - 1.
    """

    name: str
    toy: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def drawn(self, draw: int) -> SamplePair:
        """The samples, whatever their digest."""
        pair = toy(self.toy, **self.parameters).sample(N, seed=draw)
        real, generated = (np.round(side.values, _DECIMALS) for side in pair)
        return SamplePair.of(real, generated)

    def sample(self, draw: int) -> SamplePair:
        """The samples of this draw.

        Raises
        ------
        ForeignSamplesError : they differ from those that the benchmark was made with.
        """
        pair = self.drawn(draw)
        if digests().get(self.name, [])[draw : draw + 1] != [digest(pair)]:
            raise ForeignSamplesError(
                f"draw {draw} of {self.name!r} has other samples on this machine than version"
                f" {VERSION} of the benchmark; NumPy {np.__version__} may draw differently"
            )
        return pair

    @cached_property
    def truth(self) -> PRCurve:
        """The true curve."""
        return toy(self.toy, **self.parameters).truth()


PAIRS = MappingProxyType(
    {
        pair.name: pair
        for pair in (
            BenchmarkPair("same distribution, d = 64", "identical", {"d": 64}),
            BenchmarkPair("near Gaussians, d = 64", "shifted-gaussians", {"d": 64, "mu": 0.125}),
            BenchmarkPair("far Gaussians, d = 64", "shifted-gaussians", {"d": 64, "mu": 0.25}),
            BenchmarkPair("Gaussians, d = 2", "shifted-gaussians", {"d": 2, "mu": 1.0}),
            BenchmarkPair("narrower, d = 16", "scaled-gaussian", {"d": 16, "scale": 0.8}),
            BenchmarkPair("high dimension, d = 512", "high-dimension", {"d": 512, "shift": 1.0}),
            BenchmarkPair("mode dropped and invented, d = 8", "mixtures", {"d": 8}),
            BenchmarkPair("mode dropped and invented, d = 64", "modes", {"d": 64}),
            BenchmarkPair(
                "classes dropped, d = 16", "classes", {"d": 16, "classes": 20, "share": 0.5}
            ),
            BenchmarkPair("guidance, d = 2", "guidance", {"d": 2}),
            BenchmarkPair("painted, d = 1", "painted"),
            BenchmarkPair("atoms, d = 2", "finite", {"d": 2}),
        )
    }
)


def digest(pair: SamplePair) -> str:
    """The digest of samples as a machine draws them, which may differ in the last decimals."""
    real, generated = (np.round(side.values, _DIGEST_DECIMALS) for side in pair)
    return SamplePair.of(real, generated).digest


@cache
def digests() -> dict[str, list[str]]:
    """Digests of the samples by pair and draw, as they were when this version was frozen."""
    found = json.loads(_DIGESTS.read_text("utf-8"))
    return {} if found["version"] != VERSION else found["pairs"]


def freeze() -> None:
    """Write the digests of this machine's samples: once for a version."""
    pairs = {
        name: [digest(pair.drawn(draw)) for draw in range(DRAWS)] for name, pair in PAIRS.items()
    }
    _DIGESTS.write_text(
        json.dumps({"version": VERSION, "pairs": pairs}, indent=1) + "\n", encoding="utf-8"
    )
