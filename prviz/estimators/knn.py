"""The family "knn": a ball around each evaluation sample, out to its k-th nearest fit sample of
both roles pooled.
"""

from __future__ import annotations

from prviz.estimators.base import About, Estimator
from prviz.neighbors import Balls, Nearest


class _KNN(Estimator):
    """c_X(z) and c_Y(z): number of real and of generated fit samples within the distance from z to
    its k-th nearest fit sample of both roles, ties included.
    """

    name = "knn"
    title = "kNN"
    idea = "Among the k nearest samples of both sets, are more real or generated?"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 2.4"
    about = About(
        paper="Neighbour families · Sykes et al. 2026",
        formula=(
            r"c_X(z) = |\{x \in X : \|x - z\| \le r_k(z)\}|, \quad r_k(z)\ \text{to the }"
            r" k\text{-th "
            r"nearest of } X \cup Y"
        ),
        cost="One pass over all distances, shared by all neighbour families.",
        biases=(
            "At k = √n near the truth, at k = 4 farther from it, with a split and without (2026,"
            " Table 1)."
        ),
        published="split 50 %, k = √n (2026).",
    )
    tunes = "k"

    def balls(
        self, *, k: int, bandwidth: float | None, sizes: tuple[int, int]
    ) -> tuple[Balls, ...]:
        return (Balls(real=Nearest(k, "both"), generated=Nearest(k, "both")),)


KNN = _KNN()
