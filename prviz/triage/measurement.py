"""Protocols of a measured checkpoint, as far as rankings and comparisons need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from prviz.curves import PRCurve
from prviz.estimators import Supports

__all__ = ["Digested", "Measurement", "Named", "runs_of"]


class Named(Protocol):
    """A checkpoint, as far as a ranking needs it."""

    @property
    def name(self) -> str:
        """Name that no other checkpoint of a list has."""
        ...

    @property
    def step(self) -> float | None:
        """Training step; None: not known."""
        ...


class Digested(Protocol):
    """Digests of the samples that were measured."""

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
        """The checkpoint that was measured."""
        ...

    @property
    def method(self) -> str:
        """The family, a name in ESTIMATORS."""
        ...

    @property
    def digests(self) -> Digested:
        """Digests of the samples that were measured."""
        ...

    @property
    def curve(self) -> PRCurve:
        """The curve: the mean over the runs."""
        ...

    @property
    def rates(self) -> Supports | Sequence[Supports]:
        """The supports that replicates are drawn from."""
        ...


def runs_of(measured: Measurement) -> tuple[Supports, ...]:
    """The supports of each run."""
    rates = measured.rates
    return (rates,) if isinstance(rates, Supports) else tuple(rates)
