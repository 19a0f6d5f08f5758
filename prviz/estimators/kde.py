"""kde: a ball of fixed radius around an evaluation point, the uniform-kernel Parzen density ratio."""

from __future__ import annotations

from typing import ClassVar, Literal

from prviz.neighbors import Balls, MeanNearest, Within

__all__ = ["KDE"]


class _KDE:
    """Samples within the bandwidth: the given one, or per class the mean k-NN radius inside it."""

    name: ClassVar[str] = "kde"
    title: ClassVar[str] = "KDE"
    idea: ClassVar[str] = "Within a fixed distance, are more real or generated samples found?"
    source: ClassVar[str] = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 2.4; automatic bandwidth: Sykes et al. 2024"
    )
    tunes: ClassVar[Literal["k", "bandwidth"]] = "bandwidth"

    def balls(self, *, k: int, bandwidth: float | None) -> Balls:
        """The balls it counts in."""
        if bandwidth is not None:
            return Balls(real=Within(bandwidth), generated=Within(bandwidth))
        return Balls(real=MeanNearest(k, "real"), generated=MeanNearest(k, "generated"))


KDE = _KDE()
