"""True curves of the battery's pairs that `prviz.curves.ground_truth` does not have.

These are pairs with an outlier, with distant modes, and of one mode against two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy import special

from prviz.arrays import Floats
from prviz.curves import PRCurve, ground_truth

# Replaces rates that are positive but too small for a float, since an exact 0 would change the ends
# of the curve.
_ALMOST_NONE = 1e-140


def equal() -> PRCurve:
    """P = Q: alpha(lam) = min(lam, 1)."""
    return ground_truth.finite_masses([1.0], [1.0])


def disjoint() -> PRCurve:
    """P and Q with disjoint supports: alpha(lam) = 0."""
    return ground_truth.finite_masses([1.0, 0.0], [0.0, 1.0])


# Cached truths of N(0, I) against N(m, I) at a distance |m|, and against N(0, scale^2 I), in R^d.
shifted = lru_cache(maxsize=128)(ground_truth.shifted_gaussians)
scaled = lru_cache(maxsize=256)(ground_truth.scaled_gaussians)


@lru_cache(maxsize=256)
def dropped_modes(gap: float, p: tuple[float, ...], q: tuple[float, ...]) -> PRCurve:
    """The true curve of two mixtures of unit Gaussians on a line, ``gap`` apart, with weights p
    (real) and q (generated).
    """
    return ground_truth.line_mixtures(gap * np.arange(len(p)), p, q)


def distant_modes(p: tuple[float, ...], q: tuple[float, ...]) -> PRCurve:
    """The true curve of two mixtures of Gaussians that are so far apart that it depends only on
    their weights.

    Still alpha_inf = beta_0 = 1, because every support is the whole space. Neighbouring modes
    overlap by 2 Phi(-gap / 2), which is 1e-23 at a gap of 20 standard deviations; for lam up to
    1e20 the curve has an error of this order.
    """
    vertices = ground_truth.finite_masses(p, q).vertices
    return PRCurve.from_error_rates(*np.clip(vertices, _ALMOST_NONE, 1.0).T)


@lru_cache(maxsize=256)
def shifted_with_outlier(distance: float, share: float, role: str) -> PRCurve:
    """The true curve of two unit Gaussians at a distance, where ``share`` of one distribution is
    moved to a point at which the other has no mass.

    role : the role whose distribution has this outlier. The optimal classifiers never misclassify
        the outlier, so all error rates of its distribution shrink by the factor 1 - share. For a
        real outlier alpha(lam) becomes alpha(lam (1 - share)), for a generated one (1 - share)
        alpha(lam / (1 - share)).
    """
    left = [1.0 - share if role == each else 1.0 for each in ("real", "generated")]
    return PRCurve.from_error_rates(*(shifted(distance).vertices * left).T)


@lru_cache(maxsize=64)
def one_against_two(mu: float, d: int) -> PRCurve:
    """The true curve of P = N(-mu/2 1, I) / 2 + N(mu/2 1, I) / 2 against Q = N(0, (1 + mu^2) I) in
    R^d.

    Let D = mu sqrt(d), s^2 = 1 + mu^2, a = (1 - s^-2) / 2, y the coordinate along the diagonal, and
    r^2 the squared distance from the diagonal. The log ratio is a r^2 + h(y) with h(y) = -d ln s +
    a y^2 + D^2 / 8 - ln cosh(D y / 2). Given y, r^2 is chi-squared with d - 1 degrees of freedom
    under P, and s^2 times that under Q; y is integrated by quadrature. In one dimension r = 0, and
    the log ratio is h(y).
    """
    if mu == 0:
        return equal()
    distance = mu * np.sqrt(d)
    s = np.sqrt(1.0 + mu * mu)
    a = (1.0 - s**-2) / 2.0

    def h(y: Floats) -> Floats:
        log_cosh = (
            np.abs(distance * y / 2.0) + np.log1p(np.exp(-np.abs(distance * y))) - np.log(2.0)
        )
        height: Floats = a * y * y - d * np.log(s) + distance**2 / 8.0 - log_cosh
        return height

    if d == 1:
        return _on_a_line(h, distance / 2.0, s)
    # Thresholds of the log ratio. Around 0 they are 0.02 apart, which changes the area by about
    # 1e-5.
    far = np.concatenate((np.arange(9.5, 40.0, 0.5), np.arange(40.0, 320.0, 20.0)))
    thresholds = np.concatenate((-far[::-1], np.linspace(-9.0, 9.0, 901), far))
    real, real_weights = _nodes(1.0, distance / 2.0, 4.0 / distance)
    generated, generated_weights = _nodes(s, 0.0, 4.0 / distance)
    real_weights = real_weights * (_bell(real - distance / 2.0) + _bell(real + distance / 2.0))
    generated_weights = generated_weights * 2.0 * _bell(generated / s) / s
    beyond = np.maximum((thresholds[:, None] - h(real)) / a, 0.0)
    within = np.maximum((thresholds[:, None] - h(generated)) / (a * s * s), 0.0)
    fpr = special.gammaincc((d - 1) / 2.0, beyond / 2.0) @ real_weights
    fnr = special.gammainc((d - 1) / 2.0, within / 2.0) @ generated_weights
    return PRCurve.from_error_rates(
        np.clip(fpr, _ALMOST_NONE, 1.0), np.clip(fnr, _ALMOST_NONE, 1.0)
    )


def _nodes(sd: float, centre: float, bend: float) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on [0, centre + 39 sd].

    The panels of the quadrature are finer near 0 (on the scale ``bend``) and around ``centre``.
    """
    far = (-39.0, -8.0, -5.0, -2.5, 0.0, 2.5, 5.0, 8.0, 39.0)
    cuts = {0.0, bend, 4.0 * bend, *(cut for step in far if (cut := centre + step * sd) > 0)}
    edges = np.array(sorted(cuts))
    x, w = np.polynomial.legendre.leggauss(24)
    half = np.diff(edges)[:, None] / 2.0
    return (edges[:-1, None] + half * (1.0 + x)).ravel(), (half * w).ravel()


def _bell(y: Floats) -> Floats:
    density: Floats = np.exp(-y * y / 2.0) / np.sqrt(2.0 * np.pi)
    return density


def _on_a_line(h: Callable[[Floats], Floats], centre: float, s: float) -> PRCurve:
    """The curve for d = 1: the half line is cut into cells, which are sorted by h; each has its
    exact mass under P and Q.
    """
    edges = np.concatenate(([0.0], np.geomspace(1e-6, centre + 40.0 * s, 10_000)))
    heights = h(0.5 * (edges[1:] + edges[:-1]))
    p = _mass(edges - centre) + _mass(edges + centre)
    q = 2.0 * _mass(edges / s)
    order = np.argsort(heights)
    above = np.append(np.cumsum(p[order][::-1])[::-1][1:], 0.0)
    below = np.cumsum(q[order])
    return PRCurve.from_error_rates(
        np.clip(above, _ALMOST_NONE, 1.0), np.clip(below, _ALMOST_NONE, 1.0)
    )


def _mass(cuts: Floats) -> Floats:
    """Mass of a standard normal between neighbouring cuts, accurate in the upper tail too."""
    masses: Floats = np.where(
        cuts[1:] > 0, -np.diff(special.ndtr(-cuts)), np.diff(special.ndtr(cuts))
    )
    return masses
