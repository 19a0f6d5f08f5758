"""coverage: the ball around an evaluation point that reaches its k-th nearest sample of the other role."""

from __future__ import annotations

from typing import ClassVar, Literal

from prviz.neighbors import Balls, Nearest

__all__ = ["COVERAGE"]


class _Coverage:
    """Real samples within the k-th nearest generated one, generated within the k-th nearest real."""

    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "Coverage"
    idea: ClassVar[str] = "Does the other set come close before k samples of the own set do?"
    source: ClassVar[str] = (
        "Naeem et al. 2020, as extended by Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 4.2"
    )
    tunes: ClassVar[Literal["k", "bandwidth"]] = "k"

    def balls(self, *, k: int, bandwidth: float | None) -> Balls:  # noqa: ARG002
        """The balls it counts in."""
        return Balls(real=Nearest(k, "generated"), generated=Nearest(k, "real"))


COVERAGE = _Coverage()
