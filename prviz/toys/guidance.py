"""A toy problem for classifier-free guidance in closed form: the classes of a mixture are pushed
away from each other.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from prviz.arrays import Array, Floats, Rng
from prviz.curves import PRCurve
from prviz.curves.ground_truth import finite_masses
from prviz.toys.base import Parameter, ToyProblem, Value, dimension

# Densities are integrated over _CELLS cells around each class, which reach _REACH standard
# deviations to each side.
_CELLS = 8_000
_REACH = 14.0
_MOST_CLASSES = 8
_CLASSES: dict[str, Value] = {"d": 2, "means": (-1.0, 0.0, 1.5), "weights": (0.4, 0.3, 0.3)}
_SCALE = (
    "1 is the mixture itself, 0 ignores the class that was asked for; above 1 each class moves away"
    " from the others."
)


class Guidance(ToyProblem):
    """P and Q: a mixture of classes N(mu_c * ones, I), drawn with two guidance scales.

    Under guidance with scale w, class c has the density p(z | c)^w p(z)^(1 - w) / Z_c(w), where p
    is the density of the whole mixture. All means lie on the diagonal, so only the density along it
    changes, and Z_c is a one-dimensional integral.
    """

    name = "guidance"
    title = "Guidance: each class pushed away from the others"
    source = (
        "Ho, Salimans 2022 (classifier-free guidance); a sweep against a reference scale: Sykes,"
        " Simon, Rabin, Fadili 2026 (hal-05344404), section 5.4.2 and Figure 15"
    )
    summary = (
        "A conditional generator is asked for every class by its share. Guided, it draws what is"
        " typical of a class and not of the others, so that what lies between the classes is lost."
    )
    specs = (
        dimension(2),
        Parameter(
            "means",
            "mean of class",
            _CLASSES["means"],
            -20.0,
            20.0,
            0.5,
            "Position of each class on every coordinate; two classes are sqrt(d) times that apart.",
            "weights",
        ),
        Parameter(
            "weights",
            "share of class",
            _CLASSES["weights"],
            0.0,
            1.0,
            0.05,
            "How often each class is asked for; only ratios count.",
            "weights",
            True,
        ),
        Parameter(
            "reference",
            "scale of P",
            1.0,
            0.0,
            10.0,
            0.5,
            f"Guidance scale of the real set. {_SCALE}",
        ),
        Parameter(
            "scale",
            "scale of Q",
            4.0,
            0.0,
            10.0,
            0.5,
            f"Guidance scale of the generated set. {_SCALE}",
        ),
    )
    presets = {
        "scale 4 against none": {**_CLASSES, "reference": 1.0, "scale": 4.0},
        "scale 1 against 5, as a sweep begins": {**_CLASSES, "reference": 5.0, "scale": 1.0},
        "scale 10 against 5, where it ends": {**_CLASSES, "reference": 5.0, "scale": 10.0},
    }

    def _check(self) -> None:
        means = self._weights("means")
        weights = self._weights("weights")
        if not 1 <= len(means) == len(weights) <= _MOST_CLASSES:
            raise ValueError(
                f"means and weights have {len(means)} and {len(weights)} entries; one each per"
                f" class is needed, for 1 to {_MOST_CLASSES} classes"
            )
        self._check_any("weights", "weight")

    @property
    def _asked(self) -> tuple[Floats, Floats]:
        """The classes with a weight above 0: positions along the diagonal, and shares of the
        classes.
        """
        means = self._weights("means")
        weights = self._weights("weights")
        asked = weights > 0
        return means[asked] * np.sqrt(self.d), weights[asked] / weights[asked].sum()

    def _draw_real(self, n: int, rng: Rng) -> Array:
        return self._draw(n, self._number("reference"), rng)

    def _draw_generated(self, n: int, rng: Rng) -> Array:
        return self._draw(n, self._number("scale"), rng)

    def _draw(self, n: int, scale: float, rng: Rng) -> Array:
        """Draw samples: first the class by its share, then the position along the diagonal by
        inverting its distribution function; all other directions are Gaussian.
        """
        edges = self._edges
        masses = np.exp(self._log_masses(scale))
        asked = rng.choice(len(masses), size=n, p=self._asked[1])
        line = np.empty(n)
        for place, each in enumerate(masses):
            rows = np.flatnonzero(asked == place)
            below = np.cumsum(each)
            cells = np.minimum(
                np.searchsorted(below, rng.random(len(rows)) * below[-1]), len(each) - 1
            )
            line[rows] = edges[cells] + rng.random(len(rows)) * np.diff(edges)[cells]
        z = rng.standard_normal((n, self.d))
        z += ((line - z.sum(axis=1) / np.sqrt(self.d)) / np.sqrt(self.d))[:, None]
        return z

    def _log_ratio(self, z: Array) -> Floats:
        y = z.sum(axis=1, dtype=float) / np.sqrt(self.d)
        return self._log_guided(y, self._number("scale")) - self._log_guided(
            y, self._number("reference")
        )

    def _log_guided(self, y: Floats, scale: float) -> Floats:
        """Log ratio of the guided density to the mixture's density, at positions y along the
        diagonal.
        """
        log_ratio: Floats = logsumexp(
            self._tilts(y, scale)
            - self._log_totals(scale)[:, None]
            + np.log(self._asked[1])[:, None],
            axis=0,
        )
        return log_ratio

    @property
    def _edges(self) -> Floats:
        """Edges of the cells on the diagonal, fine around each class.

        There are no cells between classes that are far apart, as densities are negligible there.
        """
        centres, _ = self._asked
        return np.unique(
            [np.linspace(centre - _REACH, centre + _REACH, _CELLS + 1) for centre in centres]
        )

    def _log_masses(self, scale: float) -> Floats:
        """Log mass of each guided class in each cell, (classes, cells); each class has total mass
        1.
        """
        return self._log_unscaled(scale) - self._log_totals(scale)[:, None]

    def _log_totals(self, scale: float) -> Floats:
        """Log of each class's total mass before it is scaled to 1: log Z_c."""
        totals: Floats = logsumexp(self._log_unscaled(scale), axis=1)
        return totals

    def _log_unscaled(self, scale: float) -> Floats:
        edges = self._edges
        middles = 0.5 * (edges[:-1] + edges[1:])
        mixture = logsumexp(_log_joint(middles, *self._asked), axis=0)
        masses: Floats = self._tilts(middles, scale) + mixture + np.log(np.diff(edges))
        return masses

    def _tilts(self, y: Floats, scale: float) -> Floats:
        """Log of (p(y | c) / p(y))^w for each class c, with w = ``scale``."""
        joint = _log_joint(y, *self._asked)
        tilts: Floats = scale * (joint - np.log(self._asked[1])[:, None] - logsumexp(joint, axis=0))
        return tilts

    def _truth(self) -> PRCurve:
        if self._number("reference") == self._number("scale"):
            return finite_masses([1.0], [1.0])
        shares = np.log(self._asked[1])[:, None]
        p, q = (
            np.exp(logsumexp(self._log_masses(self._number(name)) + shares, axis=0))
            for name in ("reference", "scale")
        )
        return finite_masses(p, q)


def _log_joint(y: Floats, centres: Floats, shares: Floats) -> Floats:
    """Log of share times density of each class at each position, (classes, len(y)), without a
    constant that all classes share.
    """
    return np.log(shares)[:, None] - 0.5 * (y - centres[:, None]) ** 2
