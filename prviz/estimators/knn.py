"""knn: the ball around an evaluation point that holds its k nearest fit samples of both roles pooled."""

from __future__ import annotations

from typing import ClassVar, Literal

from prviz.neighbors import Balls, Nearest

__all__ = ["KNN"]


class _KNN:
    """Real and generated samples within the pooled k-th neighbour; closed, so ties come along."""

    name: ClassVar[str] = "knn"
    title: ClassVar[str] = "kNN"
    idea: ClassVar[str] = "Among the k nearest samples of both sets, are more real or generated?"
    source: ClassVar[str] = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 2.4"
    tunes: ClassVar[Literal["k", "bandwidth"]] = "k"

    def balls(self, *, k: int, bandwidth: float | None) -> Balls:  # noqa: ARG002
        """The balls it counts in."""
        return Balls(real=Nearest(k, "both"), generated=Nearest(k, "both"))


KNN = _KNN()
