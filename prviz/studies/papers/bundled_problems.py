"""Problems that draw rows of bundled data without replacement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from prviz.arguments import checked_whole
from prviz.curves import PRCurve
from prviz.samples import SamplePair


class BundledProblem(ABC):
    """A pair of bundled sets of samples, whose truth is not known.

    The fields of a subclass, a dataclass, are the parameters of the problem.
    """

    name: ClassVar[str]

    @abstractmethod
    def whole(self) -> SamplePair:
        """All samples, from which `sample` draws."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The fields of the dataclass with their values."""
        return dict(vars(self))

    @property
    def default_n(self) -> int:
        """Number of samples in the larger set."""
        return max(side.n for side in self.whole())

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n samples of each set, drawn without replacement."""
        return at_most(self.whole(), n, seed)

    def source(self) -> SamplePair:
        """The pair of bundled sets whose digest identifies the data."""
        return self.whole()

    @property
    def digest(self) -> str:
        """Digest of the bundled samples."""
        return _digest(self)

    def truth(self) -> PRCurve | None:
        """None: the truth is not known."""
        return None


@lru_cache(maxsize=256)
def _digest(problem: BundledProblem) -> str:
    return problem.source().digest


def at_most(pair: SamplePair, n: int, seed: int) -> SamplePair:
    """At most n samples of each set, in their original order.

    The two sets use independent random streams of one seed.
    """
    checked_whole("n", n, 1)
    streams = np.random.default_rng(seed).spawn(2)
    real, generated = (
        side if n >= side.n else side.take(np.sort(stream.permutation(side.n)[:n]))
        for side, stream in zip(pair, streams, strict=True)
    )
    return SamplePair(real, generated)
