"""ppr: the chance to be in a support whose border is uncertain, by a tent around every sample of a set."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.estimators.base import About, Supports
from prviz.neighbors import multiply_within, nearest_radii
from prviz.samples import Split

__all__ = ["NEIGHBOURS", "PPR", "WIDTH", "Some", "chances", "tent_radius"]

# The tents' radius is so many times the mean distance to the so-manieth nearest: a and k of the paper.
WIDTH, NEIGHBOURS = 1.2, 4
# One less this or anything smaller is 1 in float64.
_NEGLIGIBLE = 2.0**-54


class Some(NamedTuple):
    """Some rows of an array of samples."""

    values: NDArray[Any]
    rows: NDArray[np.intp]


class _PPR:
    """c_X(z) = 1 - prod over real fit samples x of (1 - tau(|z - x|)), tau(d) = max(0, 1 - d / R), and its mirror.

    R is a = 1.2 times the mean k-NN radius inside the set whose samples carry the tents. Published are two numbers
    without split, at k = 4: the mean of c_X over generated samples and the mean of c_Y over real ones. c_X is a chance,
    so the first is the fnr of the classifier that answers "real" with chance c_X, which tosses a coin. The family,
    which thresholds c_Y / c_X without a coin, is this package's extension; its ends are not the published numbers, but
    the means of its supports are. Without split a sample leaves itself out by index: it would be certain of its own
    side, and no two sets would overlap.
    """

    name: ClassVar[str] = "ppr"
    title: ClassVar[str] = "PPR"
    idea: ClassVar[str] = "Is the point more likely in the real set's support or in the generated one's?"
    source: ClassVar[str] = (
        "Park, Kim 2023 (the two means); Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), equation 20"
    )
    about: ClassVar[About] = About(
        paper="Published scores as families · Sykes et al. 2026, 4.1",
        formula=(
            r"c_X(z) = 1 - \prod_{x \in X} \bigl(1 - \max(0,\, 1 - \|x - z\| / R_X)\bigr), \quad R_X = "
            r"1.2\ \text{mean}\ r_k^X"
        ),
        cost=(
            "Its own pass for every k, with a float64 distance for every pair within R: the slowest neighbour family."
        ),
        biases=(
            "Nearly right on well separated modes. On sets that overlap in one cloud far too high: where "
            "samples are dense both supports are near 1, and their ratio says little."
        ),
        published=(
            "no split, k = 4: the means of its supports give PPR (Park, Kim 2023). Thresholding their "
            "ratio is prviz's extension."
        ),
    )
    tunes: ClassVar[Literal["k", "bandwidth"]] = "k"

    def supports(self, split: Split, *, k: int, bandwidth: float | None, seed: int) -> Supports:  # noqa: ARG002
        """Chances of every evaluation sample, and the two radii."""
        values = split.pair.real.values, split.pair.generated.values
        fit = [Some(*each) for each in zip(values, split.fit_rows, strict=True)]
        asked = [Some(*each) for each in zip(values, split.evaluate_rows, strict=True)]
        radii = [tent_radius(each, k, WIDTH) for each in fit]
        found = []
        for role, (some, radius) in enumerate(zip(fit, radii, strict=True)):
            own = [each == role and not split.held_out for each in range(len(asked))]
            parts = [chances(points, some, radius, apart=apart) for points, apart in zip(asked, own, strict=True)]
            found.append(np.concatenate(parts))
        return Supports(found[0], found[1], len(split.evaluate_rows[0]), (radii[0], radii[1]))


PPR = _PPR()


def tent_radius(fit: Some, k: int, width: float) -> float:
    """R: ``width`` times the mean distance to the k-th nearest other sample of the same set."""
    radii = nearest_radii(fit.values, fit.rows, k, fit.rows)
    return width * (math.fsum(radii.tolist()) / len(radii))


def chances(asked: Some, fit: Some, radius: float, *, apart: bool = False) -> NDArray[np.float64]:
    """1 - prod over fit samples x of (1 - tau(|z - x|)) for every point z asked about: (n,) in [0, 1].

    The product is taken in the order of the rows. A tent of radius zero is 1 at its own place and 0 elsewhere.
    apart : the points are the fit samples themselves, and each leaves itself out.
    """

    def factor(squared: NDArray[np.float64]) -> NDArray[np.float64]:
        distances = np.sqrt(squared)
        shares = np.divide(distances, radius, out=np.zeros_like(distances), where=distances > 0)
        missed: NDArray[np.float64] = 1.0 - np.maximum(0.0, 1.0 - shares)
        return missed

    places: dict[str, Any] = {"rows": asked.rows, "centre_rows": fit.rows, "apart": apart}
    return 1.0 - multiply_within(asked.values, fit.values, radius, factor, **places, least=_NEGLIGIBLE)
