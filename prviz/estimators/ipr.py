"""ipr: the k-NN balls around the fit samples themselves, those of improved precision and recall."""

from __future__ import annotations

from typing import ClassVar, Literal

from prviz.neighbors import Balls, Nearest

__all__ = ["IPR"]


class _IPR:
    """Fit samples of each class whose ball to their own k-th nearest classmate holds the point."""

    name: ClassVar[str] = "ipr"
    title: ClassVar[str] = "iPR"
    idea: ClassVar[str] = "Which samples have the point in their own neighbourhood: more real or more generated ones?"
    source: ClassVar[str] = (
        "Kynkäänniemi et al. 2019, extended by Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 4.2"
    )
    tunes: ClassVar[Literal["k", "bandwidth"]] = "k"

    def balls(self, *, k: int, bandwidth: float | None) -> Balls:  # noqa: ARG002
        """The balls it counts in."""
        return Balls(real=Nearest(k, "real"), generated=Nearest(k, "generated"), around="fit")


IPR = _IPR()
