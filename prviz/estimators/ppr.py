"""The family "ppr": the probability that a point is in a support whose border is uncertain, from a
tent function around every sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from prviz.arrays import Floats
from prviz.estimators.base import About, Estimator, Runs, Supports
from prviz.neighbors import multiply_within, nearest_radii
from prviz.neighbors.point_sets import RowView, slices
from prviz.neighbors.table import WORTH_A_TABLE, DistanceTable
from prviz.neighbors.threads import Progress, on_all_cores
from prviz.samples import Split
from prviz.toys.base import Parameter

# The paper's a and k: the radius R of the tents is a times the mean distance to the k-th nearest
# sample of the same set.
WIDTH = 1.2
NEIGHBOURS = 4
# Factors whose product is at most this need no further factor: 1 - product is 1 in float64.
_NEGLIGIBLE = 2.0**-54
# Number of distances of a table that are processed at a time.
_BLOCK = 1 << 17


class _PPR(Estimator):
    """c_X(z) = 1 - prod over real fit samples x of (1 - tau(|z - x|)), tau(d) = max(0, 1 - d / R),
    and its mirror.

    R is 1.2 (a of the paper) times the mean k-NN radius inside the set of the tents' centres. The
    paper has two numbers, without split and at k = 4: the mean of c_X over generated samples and
    the mean of c_Y over real ones. The first is the fnr of the randomised classifier that answers
    "real" with probability c_X. The classifiers that threshold c_Y / c_X are this package's
    extension; the published numbers are means of supports, not ends of the curve. Without split a
    sample's own tent is left out of its product, by index, because it alone would make the support
    1.
    """

    name = "ppr"
    title = "PPR"
    idea = "Is the point more likely in the real set's support or in the generated one's?"
    source = (
        "Park, Kim 2023 (the two means); Sykes, Simon, Rabin, Fadili 2026 (hal-05344404),"
        " equation 20"
    )
    about = About(
        paper="Published scores as families · Sykes et al. 2026, 4.1",
        formula=(
            r"c_X(z) = 1 - \prod_{x \in X} \bigl(1 - \max(0,\, 1 - \|x - z\| / R_X)\bigr), \quad"
            r" R_X = "
            r"1.2\ \text{mean}\ r_k^X"
        ),
        cost=(
            "Its own pass for every k, with a float64 distance for every pair within R: the slowest"
            " neighbour family."
        ),
        biases=(
            "Near the truth on well separated modes. On shifted Gaussians too high, far more at k ="
            " √n: there both supports of most samples are near 1, and their ratio says little."
        ),
        published=(
            "no split, k = 4: the means of its supports give PPR (Park, Kim 2023). Thresholding"
            " their ratio is prviz's extension."
        ),
    )
    tunes = "k"
    parameters = (
        Parameter(
            "a",
            "Width a of PPR",
            WIDTH,
            0.1,
            10.0,
            0.1,
            "R is a times the mean k-NN radius; 1.2 as published (2023).",
        ),
    )

    def runs(
        self,
        split: Split,
        *,
        k: int,
        seed: int,
        progress: Progress,
    ) -> Runs:
        """Supports of every evaluation sample, and the radius R of each set; one run."""
        values = split.pair.real.values, split.pair.generated.values
        fit = [RowView(*side) for side in zip(values, split.fit_rows, strict=True)]
        evaluate = [RowView(*side) for side in zip(values, split.evaluate_rows, strict=True)]
        radii = [tent_radius(side, k, self.value("a")) for side in fit]
        supports = []
        for role, (side, radius) in enumerate(zip(fit, radii, strict=True)):
            own = [index == role and not split.held_out for index in range(len(evaluate))]
            parts = [
                chances(points, side, radius, apart=apart)
                for points, apart in zip(evaluate, own, strict=True)
            ]
            supports.append(np.concatenate(parts))
        return (
            Supports(supports[0], supports[1], len(split.evaluate_rows[0]), (radii[0], radii[1])),
        )

    def runs_over_k(
        self,
        split: Split,
        *,
        ks: Sequence[int],
        seed: int,
        progress: Progress,
    ) -> list[Runs]:
        """The results of `runs` at every k, from one table of distances if the split is small
        enough.
        """
        if len(ks) < WORTH_A_TABLE or not DistanceTable.fits(split):
            return super().runs_over_k(split, ks=ks, seed=seed, progress=progress)
        table = DistanceTable(split)
        found = list[Runs]()
        for index, k in enumerate(ks):
            progress(index / len(ks))
            radii = [_tent(table.radii(role, k), self.value("a")) for role in (0, 1)]
            supports = [
                np.concatenate(
                    [
                        _chances_by_table(
                            between, radius, apart=role == side and not split.held_out
                        )
                        for side, between in enumerate(table.distances[role])
                    ]
                )
                for role, radius in enumerate(radii)
            ]
            found.append(
                (
                    Supports(
                        supports[0], supports[1], len(split.evaluate_rows[0]), (radii[0], radii[1])
                    ),
                )
            )
        return found


PPR = _PPR()


def tent_radius(fit: RowView, k: int, width: float) -> float:
    """The radius R of the tents: ``width`` times the mean distance from a sample to its k-th
    nearest other sample of the same set.
    """
    rows = fit.numbers(np.arange(len(fit)))
    radii = nearest_radii(fit.source, rows, k, rows)
    return _tent(radii, width)


def _tent(radii: Floats, width: float) -> float:
    return width * (math.fsum(radii.tolist()) / len(radii))


def chances(points: RowView, fit: RowView, radius: float, *, apart: bool = False) -> Floats:
    """For every point z, 1 - prod over fit samples x of (1 - tau(|z - x|)): (n,) in [0, 1].

    Factors are multiplied in the order of the rows. A tent of radius zero is 1 at its sample and 0
    elsewhere.

    apart : True if the points are the fit samples; each is then left out of its own product.
    """
    return 1.0 - multiply_within(
        points,
        fit,
        radius,
        lambda squared: _missed(np.sqrt(squared), radius),
        apart=apart,
        least=_NEGLIGIBLE,
    )


def _missed(distances: Floats, radius: float) -> Floats:
    """The values 1 - tau(d) for distances d."""
    shares = np.divide(distances, radius, out=np.zeros_like(distances), where=distances > 0)
    return 1.0 - np.maximum(0.0, 1.0 - shares)


def _chances_by_table(distances: Floats, radius: float, *, apart: bool) -> Floats:
    """`chances` computed from a table of distances, with one row per fit sample and one column per
    point.
    """
    found = np.empty(distances.shape[1])

    def fill(part: slice) -> None:
        missed = _missed(distances[:, part], radius)
        if apart:
            columns = np.arange(part.start, part.stop)
            missed[columns, columns - part.start] = 1.0
        # NumPy multiplies row by row here, so in the order of the fit samples.
        found[part] = 1.0 - np.multiply.reduce(missed, axis=0)

    on_all_cores(fill, slices(len(found), max(1, _BLOCK // len(distances))))
    return found
