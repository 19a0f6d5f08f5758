"""The family "kde": a ball of fixed radius around each evaluation sample, which gives the ratio of
two Parzen density estimates with uniform kernels.
"""

from __future__ import annotations

from prviz.estimators.base import About, Estimator
from prviz.neighbors import Balls, MeanNearest, Within


class _KDE(Estimator):
    """c_X(z) and c_Y(z): number of real and of generated fit samples within the bandwidth of z. The
    bandwidth is given, or the mean k-NN radius inside each set.
    """

    name = "kde"
    title = "KDE"
    idea = "Within a fixed distance, are more real or generated samples found?"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 2.4; automatic bandwidth: Sykes"
        " et al. 2024"
    )
    about = About(
        paper="Neighbour families · Sykes et al. 2026",
        formula=(
            r"c_X(z) = |\{x \in X : \|x - z\| \le \sigma_X\}|, \quad \sigma_X\ \text{the mean }"
            r" k\text{-NN "
            r"radius inside } X, \quad \text{or given}"
        ),
        cost="One pass over all distances, shared by all neighbour families.",
        biases=(
            "One width serves dense and thin regions, so the transitions to the extremes are not"
            " well estimated (2026, 5.1.2)."
        ),
        published="split 50 %, k = √n, automatic bandwidth (2024); one common bandwidth (2026).",
    )
    tunes = "bandwidth"

    def balls(
        self, *, k: int, bandwidth: float | None, sizes: tuple[int, int]
    ) -> tuple[Balls, ...]:
        if bandwidth is not None:
            return (Balls(real=Within(bandwidth), generated=Within(bandwidth)),)
        return (Balls(real=MeanNearest(k, "real"), generated=MeanNearest(k, "generated")),)


KDE = _KDE()
