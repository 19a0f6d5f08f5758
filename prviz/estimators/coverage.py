"""coverage: the ball around an evaluation sample that reaches its k-th nearest sample of the other role."""

from __future__ import annotations

from prviz.estimators.base import About, Estimator
from prviz.neighbors import Balls, Nearest


class _Coverage(Estimator):
    """Number of real samples within the k-th nearest generated one, and of generated within the k-th nearest real."""

    name = "coverage"
    title = "Coverage"
    idea = "Does the other set come close before k samples of the own set do?"
    source = "Naeem et al. 2020, as extended by Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 4.2"
    about = About(
        paper="Neighbour families · Sykes et al. 2026",
        formula=(
            r"c_X(z) = |\{x \in X : \|x - z\| \le r_k^Y(z)\}|, \quad r_k^Y(z)\ \text{to the } k\text{-th "
            r"nearest of } Y"
        ),
        cost="One pass over all distances, shared by all neighbour families.",
        biases=(
            "At k = √n the closest of the four, with or without split (2026, Table 1), and not moved by an "
            "outlier (2024, 4.3). At k = 4 too high with a split."
        ),
        published=(
            "no split, k = 5: coverage (Naeem et al. 2020) is an error rate of its end classifier; the curve's extreme "
            "recall lies at or below it."
        ),
    )
    tunes = "k"

    def balls(self, *, k: int, bandwidth: float | None, sizes: tuple[int, int]) -> tuple[Balls, ...]:
        return (Balls(real=Nearest(k, "generated"), generated=Nearest(k, "real")),)


COVERAGE = _Coverage()
