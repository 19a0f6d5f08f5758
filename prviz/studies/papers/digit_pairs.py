"""Pairs of the bundled digits as problems: classes that one side has and the other not, and truncated samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from prviz.curves import PRCurve
from prviz.readers.bundled import bundled_pair
from prviz.samples import SamplePair, Samples

__all__ = ["REAL_CLASSES", "DigitClasses", "TruncatedDigits"]

REAL_CLASSES = 5


@dataclass(frozen=True)
class DigitClasses:
    """Digits 0 to 4 of one half of the real digits against digits 0 to q - 1 of the other; no picture is in both.

    The truth is what the papers expect: recall up to min(1, q / 5) at precision min(1, 5 / q), as if digits were
    equally likely and told apart at sight (Simon, Webster, Rabin 2019, section 6).
    """

    q: int
    name: ClassVar[str] = "digit-classes"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Number of generated classes."""
        return {"q": self.q}

    @property
    def default_n(self) -> int:
        """Number of pictures of the larger side."""
        pair = self._whole()
        return max(pair.real.n, pair.generated.n)

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n pictures of each side, drawn without replacement."""
        return _some(self._whole(), n, seed)

    @property
    def digest(self) -> str:
        """Digest of the bundled pictures."""
        return _digest("digits-held-out")

    def truth(self) -> PRCurve:
        """The rectangle."""
        recall, precision = min(1.0, self.q / REAL_CLASSES), min(1.0, REAL_CLASSES / self.q)
        return PRCurve.from_error_rates([0.0, recall], [precision, 0.0])

    def _whole(self) -> SamplePair:
        halves = bundled_pair("digits-held-out")
        return SamplePair(_below(halves.real, REAL_CLASSES), _below(halves.generated, self.q))


@dataclass(frozen=True)
class TruncatedDigits:
    """All digits against samples of the converged mixture with its latents pulled to their mean: psi of 0, 0.1, ... 1.

    No truth is known. All psi are drawn alike, as row i is the same latent vector at every psi.
    """

    psi: float
    name: ClassVar[str] = "truncated-digits"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The share of the latents' distance to their mean that is left."""
        return {"psi": self.psi}

    @property
    def drawn_as(self) -> TruncatedDigits:
        """The pair without truncation."""
        return TruncatedDigits(1.0)

    @property
    def default_n(self) -> int:
        """All samples."""
        return bundled_pair(f"truncation-{self.psi:.1f}").real.n

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n samples of each side, drawn without replacement."""
        return _some(bundled_pair(f"truncation-{self.psi:.1f}"), n, seed)

    @property
    def digest(self) -> str:
        """Digest of the bundled pictures."""
        return _digest(f"truncation-{self.psi:.1f}")

    def truth(self) -> PRCurve | None:
        """None: the truth is not known."""
        return None


@lru_cache(maxsize=32)
def _digest(name: str) -> str:
    return bundled_pair(name).digest


def _below(samples: Samples, digit: int) -> Samples:
    return samples.take(np.flatnonzero(samples.labels["digit"] < digit))


def _some(pair: SamplePair, n: int, seed: int) -> SamplePair:
    """At most n samples of each side in their order, from two independent streams of one seed."""
    if n < 1:
        raise ValueError(f"n = {n}; at least 1 is needed")
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    sides = (pair.real, pair.generated)
    return SamplePair(*(_part(side, n, stream) for side, stream in zip(sides, streams, strict=True)))


def _part(samples: Samples, n: int, rng: np.random.Generator) -> Samples:
    return samples if n >= samples.n else samples.take(np.sort(rng.permutation(samples.n)[:n]))
