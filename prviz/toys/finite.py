"""Toy problems with a finite number of separate classes; each class is a unit cube around a lattice
point.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from prviz.arrays import Array, Flags, Floats, Ints, Rng
from prviz.toys.base import CellMasses, Parameter, Value, dimension, shares

# Tolerance, in units of a cube's side, when samples are assigned to cubes: a sample that rounding
# puts outside its cube must not be lost. Cubes are at least one side apart.
_ROUNDING = 1e-6


class _Classes(CellMasses):
    """Base class: P and Q with masses p_c and q_c on classes c, uniform inside each class.

    A class is a cube of side 1; the cubes are disjoint. The centre of class c is the lattice point
    whose coordinates are the digits of c, times the separation.
    """

    @property
    def _lattice(self) -> tuple[int, int]:
        """Base and number of the digits with which the classes are numbered.

        The base is the smallest with which every class has a lattice point of its own; its digits
        are the coordinates along the first axes.
        """
        total = len(self.masses[0])
        base = 2
        digits = 1
        while base**self.d < total:
            base += 1
        while base**digits < total:
            digits += 1
        return base, digits

    def _draw(self, n: int, weights: Floats, rng: Rng) -> Array:
        base, digits = self._lattice
        classes = rng.choice(len(weights), size=n, p=weights)
        z = rng.random((n, self.d))
        z -= 0.5
        z[:, :digits] += self._number("separation") * (
            classes[:, None] // base ** np.arange(digits) % base
        )
        return z

    def cell_of(self, z: Array) -> Ints:
        """Index of the class of each row of z (m, d), -1 outside every cube."""
        base, digits = self._lattice
        p = self.masses[0]
        separation = self._number("separation")
        places = np.rint(z[:, :digits] / separation)
        reach = 0.5 + _ROUNDING
        inside: Flags = np.all(np.abs(z[:, :digits] - separation * places) <= reach, axis=1)
        inside &= ((places >= 0) & (places < base)).all(axis=1) & (
            np.abs(z[:, digits:]) <= reach
        ).all(axis=1)
        codes = np.where(inside[:, None], places, 0).astype(np.intp) @ base ** np.arange(digits)
        return np.where(inside & (codes < len(p)), codes, -1)


_WEIGHTS = "One mass per box, at least 0; they are scaled to sum 1."


def _example(p: tuple[float, ...], q: tuple[float, ...]) -> dict[str, Value]:
    return {"d": 2, "real_weights": p, "generated_weights": q, "separation": 3.0}


class FiniteExamples(_Classes):
    """The six small examples (a) to (f) of Sajjadi et al., on up to 16 boxes.

    Their text calls (e) and (f) "noisy versions" of (a) and (b). Their figure shows the masses
    without numbers; 0.9 and 0.1 in (e) and (f) are prviz's choice.
    """

    name = "finite"
    title = "Mode collapse: six small examples"
    source = "Sajjadi, Bachem, Lucic, Bousquet, Gelly 2018, section 3, Figures 2 and 3"
    summary = (
        "A few separate boxes with a share of the real and of the generated samples each: a dropped"
        " mode, an invented one, a perfect copy, nothing in common, and two noisy versions. The"
        " curve follows from the shares alone."
    )
    specs: ClassVar[tuple[Parameter, ...]] = (
        dimension(2),
        shares("real_weights", "real shares p", (0.5, 0.5, 0.0, 0.0), _WEIGHTS),
        shares("generated_weights", "generated shares q", (1.0, 0.0, 0.0, 0.0), _WEIGHTS),
        Parameter(
            "separation",
            "separation of the boxes",
            3.0,
            2.0,
            50.0,
            0.5,
            "Distance of neighbouring boxes' centres, in units of a box's side.",
        ),
    )
    presets = {
        "(a) mode collapse: one of two modes is dropped": _example((0.5, 0.5, 0, 0), (1, 0, 0, 0)),
        "(b) a second mode is invented": _example((1, 0, 0, 0), (0.5, 0.5, 0, 0)),
        "(c) perfect generator: identical": _example((0.5, 0.5, 0, 0), (0.5, 0.5, 0, 0)),
        "(d) nothing in common": _example((0.5, 0.5, 0, 0), (0, 0, 0.5, 0.5)),
        "(e) (a) with noise: a mode nearly dropped": _example((0.5, 0.5, 0, 0), (0.9, 0.1, 0, 0)),
        "(f) (b) with noise: a mode over-weighted": _example((0.9, 0.1, 0, 0), (0.5, 0.5, 0, 0)),
    }
    paper_n = 2_000

    def _check(self) -> None:
        real = len(self._weights("real_weights"))
        generated = len(self._weights("generated_weights"))
        if not 1 <= real <= 16 or real != generated:
            raise ValueError(
                f"real_weights has {real} entries, generated_weights has {generated}; "
                "one of each per box is needed, for 1 to 16 boxes"
            )
        for name in ("real_weights", "generated_weights"):
            self._check_any(name, "share")


class DroppedMode(FiniteExamples):
    """The modes and weights of `Mixtures`, with boxes as modes instead of Gaussians.

    Modes have bounded support, so alpha_inf and beta_0 are sums of the modes' weights.
    """

    name = "modes"
    title = "Mode dropped, mode invented"
    source = (
        "Shares of Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), Figure 3, on the boxes of"
        " Sajjadi et al. 2018"
    )
    summary = (
        "The generator drops one of three modes, invents another and gets the shares of the two"
        " others wrong. The modes are boxes that end: the curve begins at the share of generated"
        " samples that could be real, and ends at the share of real ones that could be generated."
    )
    specs = (
        dimension(64),
        replace(FiniteExamples.specs[1], default=(0.2, 0.2, 0.6, 0.0)),
        replace(FiniteExamples.specs[2], default=(0.0, 0.5, 0.1, 0.4)),
        FiniteExamples.specs[3],
    )
    presets = {}


class CommonClasses(_Classes):
    """P and Q have equally many, equally likely classes; the fraction rho of them is common to
    both.

    alpha(lam) = rho min(lam, 1). The number of common classes is rounded to an integer, and `rho`
    is the fraction after rounding.
    """

    name = "classes"
    title = "Many classes, some in common"
    source = "Simon, Webster, Rabin 2019, section 6 and Figure 3"
    summary = (
        "Real and generated data have 80 classes each, but only a share of them in common. The true"
        " curve is a rectangle of that size; methods that merge classes see more in common than"
        " there is."
    )
    specs = (
        dimension(64),
        Parameter(
            "classes",
            "classes on each side",
            80,
            1,
            500,
            1,
            "Number of equally likely classes of each side.",
            "int",
        ),
        Parameter(
            "share",
            "common share rho",
            0.5,
            0.0,
            1.0,
            0.05,
            "Share of the classes that both sides have; rounded to a whole number of classes.",
        ),
        Parameter(
            "separation",
            "separation of the classes",
            10.0,
            2.0,
            100.0,
            1.0,
            "Distance of neighbouring classes' centres, in units of a class's side.",
        ),
    )
    presets = {
        f"rho = {percent} %": {"d": 64, "classes": 80, "share": percent / 100, "separation": 10.0}
        for percent in (50, 0, 25, 75, 100)
    }

    @property
    def rho(self) -> float:
        """The fraction of common classes after rounding.

        alpha_inf, beta_0 and alpha(1) all equal it.
        """
        return self._common / int(self._number("classes"))

    @property
    def _common(self) -> int:
        return round(self._number("share") * self._number("classes"))

    @property
    def masses(self) -> tuple[Floats, Floats]:
        """Masses p and q of the classes."""
        classes = int(self._number("classes"))
        common = self._common
        total = 2 * classes - common
        p = np.zeros(total)
        p[:classes] = 1.0 / classes
        return p, p[::-1]
