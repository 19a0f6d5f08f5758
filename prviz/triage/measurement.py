"""What a ranking or a comparison needs to know of a measured checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from prviz.curves import PRCurve
from prviz.estimators import Supports

__all__ = ["Digested", "Measurement", "Named", "runs_of"]


class Named(Protocol):
    """A checkpoint, as far as a ranking tells of it."""

    @property
    def name(self) -> str:
        """Different from those of all others."""
        ...

    @property
    def step(self) -> float | None:
        """How far it was trained, where that is known."""
        ...


class Digested(Protocol):
    """What was measured."""

    @property
    def real(self) -> str:
        """Digest of the real samples."""
        ...


class Measurement(Protocol):
    """One checkpoint measured by one family, as far as a ranking needs it.

    checkpoint : with a name of its own. method : a name in ESTIMATORS. curve : the mean over the runs.
    rates : the supports of the evaluation samples, of one run or of each run of a family with several.
    """

    @property
    def checkpoint(self) -> Named:
        """Which one."""
        ...

    @property
    def method(self) -> str:
        """The family, a name in ESTIMATORS."""
        ...

    @property
    def digests(self) -> Digested:
        """Of what was measured."""
        ...

    @property
    def curve(self) -> PRCurve:
        """Its curve."""
        ...

    @property
    def rates(self) -> Supports | Sequence[Supports]:
        """What its replicates are drawn from."""
        ...


def runs_of(measured: Measurement) -> tuple[Supports, ...]:
    """The supports of each run."""
    rates = measured.rates
    return (rates,) if isinstance(rates, Supports) else tuple(rates)
