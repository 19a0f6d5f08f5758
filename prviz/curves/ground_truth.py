"""True precision-recall curves of known pairs: exact error rates of likelihood-ratio classifiers.

The best classifier at lam calls z real where the log ratio log q(z) - log p(z) is at most log lam,
so that

    fpr(t) = P(log ratio > t)      fnr(t) = Q(log ratio <= t)      t = log lam

are on the true curve's hull for every t (Simon, Webster, Rabin 2019, Theorem 4; hal-05344404,
section 5.1). A truth is the hull of many such points. Each point is exact. Between two thresholds
the polygon is slightly too optimistic: if thresholds are h(t) = h0 exp(|t| / 4) apart, the error of
the area is at most about h0^2 / 24, for any two distributions, and so below `AREA_ERROR`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from prviz.arguments import checked_floats
from prviz.arrays import Floats
from prviz.curves.pr_curve import PRCurve

LogRatios = Callable[[int, int], tuple[Floats, Floats]]

# Bound on the error of a truth's area under the curve.
AREA_ERROR = 1e-6
# Accepted difference of a distribution's total mass from 1: sums and float32 masses are rounded.
ROUNDING = 1e-5
# h0 of the module docstring: the distance of two thresholds near t = 0.
_STEP = 0.004
# _CORE: thresholds are dense up to this |t|; the rays beyond it cover less than 1e-10 of the unit
# square. _FAR: sparse thresholds up to this |t| serve alpha(lam) and beta(lam) at extreme lam, down
# to rates of `_UNDERFLOW`.
_CORE = 25.0
_FAR = 320.0
# Rounding error of 1 - cdf: a smaller upper tail can't be told from 0, so tails are at least this.
_CANCELLATION = 1e-14
# Smallest rate: with smaller ones, slopes of the hull and ratios of slopes would leave float64's
# range.
_UNDERFLOW = 1e-140


class SampledTruth(NamedTuple):
    """A Monte Carlo truth and the standard error of its area under the curve."""

    curve: PRCurve
    auc_error: float


def _thresholds() -> Floats:
    """Thresholds t for the log ratio, dense where the angle of the ray lam = exp(t) changes
    fast.
    """
    end = 4.0 * -np.expm1(-_CORE / 4.0)
    core = -4.0 * np.log1p(-np.linspace(0.0, end, round(end / _STEP)) / 4.0)
    side = np.concatenate((core, np.linspace(_CORE, _FAR, 151)[1:]))
    return np.concatenate((-side[:0:-1], side))


def _mutual(fpr: Floats, fnr: Floats) -> PRCurve:
    """The curve of two distributions with the same null sets, for which alpha_inf = beta_0 = 1.

    A rate that underflows to 0 would make alpha_inf or beta_0 smaller than 1, so rates are at least
    `_UNDERFLOW`.
    """
    return PRCurve.from_error_rates(np.clip(fpr, _UNDERFLOW, 1.0), np.clip(fnr, _UNDERFLOW, 1.0))


def discrete_curve(p: ArrayLike, q: ArrayLike) -> PRCurve:
    """The exact precision-recall curve between two discrete distributions.

        alpha(lam) = sum over i of min(lam p_i, q_i)
        beta(lam) = alpha(lam) / lam                    for lam in [0, inf]

    The curve runs from (recall 0, precision alpha_inf = q-mass where p > 0) to (recall beta_0 =
    p-mass where q > 0, precision 0).

    Parameters
    ----------
    p, q : array_like
        (m,) masses of the real and of the generated distribution over the same m outcomes;
        non-negative, with sum 1 within 1e-5 (small differences are scaled away). Divide counts by
        their total first.

    Returns
    -------
    PRCurve
        The exact curve.

    Raises
    ------
    ValueError
        If the masses are not two lists of equal length, one is negative or not finite, or a total
        is not 1.

    Notes
    -----
    Source: Sajjadi et al. 2018, Theorem 2 and equation 4.
    """
    real = _masses(p, "p")
    generated = _masses(q, "q")
    if len(real) != len(generated):
        raise ValueError(
            f"p has {len(real)} masses, q has {len(generated)}; one of each per outcome is needed"
        )
    return finite_masses(real, generated)


def _masses(values: ArrayLike, name: str) -> Floats:
    masses = checked_floats(name, values, "masses of total 1")
    if masses.ndim != 1 or len(masses) == 0:
        raise ValueError(f"{name} has shape {masses.shape}; a list of at least one mass is needed")
    if not bool(np.all(np.isfinite(masses) & (masses >= 0))):
        wrong = masses[~(np.isfinite(masses) & (masses >= 0))][0]
        raise ValueError(f"{name} holds {wrong}; every mass must be finite and not negative")
    if abs(float(masses.sum()) - 1.0) > ROUNDING:
        raise ValueError(f"{name} has the total {masses.sum():g}; masses of total 1 are needed")
    return masses


def finite_masses(p: ArrayLike, q: ArrayLike) -> PRCurve:
    """The exact curve of two distributions on m cells: alpha(lam) = sum over cells of min(lam p,
    q).

    Cells are points, or regions on which the ratio of the densities is constant. alpha_inf is the
    q-mass of the cells with p > 0 and beta_0 the p-mass of those with q > 0. Source: Sajjadi et al.
    2018, Theorem 2.

    p, q : (m,) non-negative masses of the real and the generated distribution, each scaled to sum
    1.
    """
    real = _normalised(p, "p")
    generated = _normalised(q, "q")
    if real.shape != generated.shape:
        raise ValueError(
            f"p has {real.size} masses, q has {generated.size}; one of each per cell is needed"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        # A cell with p = q = 0 gives nan; it sorts last and has no effect.
        order = np.argsort(generated / real, kind="stable")
    real = real[order]
    generated = generated[order]
    fpr = np.append(np.cumsum(real[::-1])[::-1][1:], 0.0)
    return PRCurve.from_error_rates(np.minimum(fpr, 1.0), np.minimum(np.cumsum(generated), 1.0))


def _normalised(masses: ArrayLike, name: str) -> Floats:
    values = np.asarray(masses, dtype=float)
    if (
        values.ndim != 1
        or not bool(np.all(np.isfinite(values) & (values >= 0)))
        or not values.sum() > 0
    ):
        raise ValueError(
            f"{name} = {values.tolist()}; a list of non-negative masses, not all 0, is needed"
        )
    scaled: Floats = values / values.sum()
    return scaled


def shifted_gaussians(distance: float) -> PRCurve:
    """The curve of N(0, I) and N(m, I), |m| = distance: fpr = 1 - Phi(y), fnr = Phi(y - distance).

    y is the coordinate along m; the log ratio is distance * y - distance^2 / 2. alpha_inf = beta_0
    = 1 at any distance, and alpha(1) = 2 Phi(-distance / 2). Raises ValueError for a negative
    distance.
    """
    if not 0 <= distance < np.inf:
        raise ValueError(f"distance = {distance}; a finite number of at least 0 is needed")
    if distance == 0:
        return finite_masses([1.0], [1.0])
    y = _thresholds() / distance + distance / 2.0
    return _mutual(special.ndtr(-y), special.ndtr(y - distance))


def scaled_gaussians(scale: float, d: int, *, distance: float = 0.0) -> PRCurve:
    """The curve of N(0, I) and N(m, scale^2 I) in R^d, |m| = distance.

    With c = m / (1 - scale^2) the log ratio is a |z - c|^2 + b, a = (1 - scale^-2) / 2 and b = -d
    log scale + distance^2 / (2 (1 - scale^2)); |z - c|^2 is (non-central) chi-squared under both
    distributions: with non-centrality |c|^2 under P, and in units of scale^2 with non-centrality
    scale^2 |c|^2 under Q. alpha_inf = beta_0 = 1.
    """
    if not (0 < scale < np.inf and d >= 1 and 0 <= distance < np.inf):
        raise ValueError(
            f"scale = {scale}, d = {d}, distance = {distance}; scale > 0, d >= 1, distance >= 0 are"
            " needed"
        )
    if scale == 1:
        return shifted_gaussians(distance)
    gap = 1.0 - scale**2
    slope = 0.5 * (1.0 - scale**-2)
    offset = distance**2 / (2.0 * gap) - d * np.log(scale)
    radius2 = np.maximum((_thresholds() - offset) / slope, 0.0)
    inside_p, outside_p = _chi_squared(radius2, d, (distance / gap) ** 2)
    inside_q, outside_q = _chi_squared(radius2 / scale**2, d, (scale * distance / gap) ** 2)
    if scale < 1:
        return _mutual(inside_p, outside_q)
    return _mutual(outside_p, inside_q)


def _chi_squared(x: Floats, d: int, centrality: float) -> tuple[Floats, Floats]:
    """P(X <= x) and P(X > x) for X non-central chi-squared; the upper tail is at least
    `_CANCELLATION`.
    """
    if centrality == 0:
        return special.chdtr(d, x), special.chdtrc(d, x)
    inside = special.chndtr(x, d, centrality)
    outside = 1.0 - inside
    return inside, np.maximum(outside, _CANCELLATION)


@np.errstate(under="ignore")  # far from a mode its density is 0
def line_mixtures(means: ArrayLike, p: ArrayLike, q: ArrayLike) -> PRCurve:
    """The curve of two mixtures of unit Gaussians with the same means on a line.

    The curve also holds for isotropic mixtures in R^d whose means lie on one line: their log ratio
    depends only on the projection y on that line. The line is cut into cells, finer where the log
    ratio is near 0 and changes. Each cell's two masses are differences of Phi; cells sorted by
    their log ratio give classifiers with exact error rates. alpha_inf = beta_0 = 1.

    means : (m,) positions along the line, in units of the common standard deviation.
    p, q : (m,) weights of the real and the generated mixture, each scaled to sum 1.
    """
    centres = np.asarray(means, dtype=float)
    real = _normalised(p, "p")
    generated = _normalised(q, "q")
    if not centres.shape == real.shape == generated.shape or not bool(np.all(np.isfinite(centres))):
        raise ValueError(
            f"means = {centres.tolist()} for {real.size} and {generated.size} weights; "
            "one finite mean per weight is needed"
        )
    if np.array_equal(real, generated) or np.ptp(centres) == 0:
        return finite_masses([1.0], [1.0])
    edges = _cell_edges(centres, real, generated)
    ratios = mixture_log_ratio(edges, centres, real, generated)
    order = np.argsort(np.concatenate((ratios[:1], 0.5 * (ratios[:-1] + ratios[1:]), ratios[-1:])))
    mass_p, mass_q = (_cell_masses(edges, centres, weights)[order] for weights in (real, generated))
    fpr = np.append(np.cumsum(mass_p[::-1])[::-1][1:], 0.0)
    return _mutual(fpr, np.cumsum(mass_q))


@np.errstate(under="ignore")  # far from a mode its density is 0
def mixture_log_ratio(y: Floats, means: Floats, p: Floats, q: Floats) -> Floats:
    """The log ratio log q(y) - log p(y) of two mixtures of unit Gaussians on a line, at the
    positions y (m,).
    """
    return _log_mixture(y, means, q) - _log_mixture(y, means, p)


def _log_mixture(y: Floats, means: Floats, weights: Floats) -> Floats:
    """Log density of the mixture at the positions y, without -y^2 / 2 and a constant: both cancel
    in the log ratio.
    """
    used = weights > 0
    exponents = y[:, None] * means[used] + (np.log(weights[used]) - 0.5 * means[used] ** 2)
    top = exponents.max(axis=1)
    result: Floats = top + np.log(np.exp(exponents - top[:, None]).sum(axis=1))
    return result


def _cell_edges(means: Floats, p: Floats, q: Floats) -> Floats:
    """Edges of cells in which the log ratio changes little. The cells are those of a grid that
    contains the bends of both densities, bisected until the change is small.
    """
    start = np.linspace(means.min() - 39.0, means.max() + 39.0, 2001)
    edges = np.unique(np.concatenate((start, _bends(means, p), _bends(means, q))))
    for _ in range(60):
        ratios = mixture_log_ratio(edges, means, p, q)
        height = 4.0 * np.sign(ratios) * -np.expm1(-np.abs(ratios) / 4.0)
        wide = np.flatnonzero(np.abs(np.diff(height)) > _STEP)
        middles = 0.5 * (edges[wide] + edges[wide + 1])
        if not len(wide):
            break
        edges = np.unique(np.concatenate((edges, middles)))
    return edges


def _bends(means: Floats, weights: Floats) -> Floats:
    """Positions around each point at which another mode becomes the largest, where the log density
    bends.
    """
    used = weights > 0
    m = means[used]
    w = np.log(weights[used])
    i, j = np.nonzero(m[:, None] < m)
    positions = 0.5 * (m[i] + m[j]) + (w[i] - w[j]) / (m[j] - m[i])
    steps = np.concatenate((-(2.0 ** np.arange(7)), [0.0], 2.0 ** np.arange(7)))
    return (positions[:, None] + steps / (m[j] - m[i])[:, None]).ravel()


def _cell_masses(edges: Floats, means: Floats, weights: Floats) -> Floats:
    """Masses of the intervals (-inf, e0), (e0, e1), ..., (e_last, inf) under the mixture, accurate
    in both tails.
    """
    cuts = np.concatenate(([-np.inf], edges, [np.inf]))
    masses = np.zeros(len(cuts) - 1)
    for mean, weight in zip(means[weights > 0], weights[weights > 0], strict=True):
        below = special.ndtr(cuts - mean)
        above = special.ndtr(mean - cuts)
        left = cuts[1:] <= mean
        masses += weight * np.where(left, np.diff(below), -np.diff(above))
    return np.maximum(masses, 0.0)


def sampled_truth(
    log_ratios: LogRatios, *, n: int = 100_000, seed: int = 0, batches: int = 10
) -> SampledTruth:
    """Monte Carlo truth for pairs without a closed form, from likelihood-ratio classifiers on n
    fresh samples of each set.

    The classifiers are known, not fitted. Only the choice of the best one at each lam over-fits,
    which makes the curve too low by O(1 / sqrt(n)).

    log_ratios : maps (size, seed) to the log ratios, possibly infinite, of ``size`` fresh real and
    generated samples.
    n : total number of samples of each set, a multiple of ``batches``.
    seed : the seeds of the batches are derived from it.
    batches : at least 2; auc_error is the standard error of the batches' areas, sd / sqrt(batches).

    Source: hal-05344404, section 5.1 (n = 100,000).
    """
    if batches < 2 or n < batches or n % batches:
        raise ValueError(
            f"n = {n}, batches = {batches}; at least 2 batches and n a multiple of them are needed"
        )
    seeds = np.random.SeedSequence(seed).generate_state(batches)
    drawn = [log_ratios(n // batches, int(child)) for child in seeds]
    areas = [_empirical(*pair).auc for pair in drawn]
    curve = _empirical(*(np.concatenate(side) for side in zip(*drawn, strict=True)))
    return SampledTruth(curve, float(np.std(areas, ddof=1) / np.sqrt(batches)))


def _empirical(real: Floats, generated: Floats) -> PRCurve:
    """The curve of the classifiers [log ratio <= t], for every t among these log ratios of real and
    generated samples.
    """
    return PRCurve.from_error_rates(
        *likelihood_ratio_rates(real, generated, np.unique(np.append(real, generated)))
    )


def likelihood_ratio_rates(
    real: Floats, generated: Floats, thresholds: Sequence[float] | Floats
) -> tuple[Floats, Floats]:
    """Error rates (fpr, fnr) of the classifiers "real where the log ratio <= t", for each threshold
    t, on samples with these log ratios.
    """
    fpr = 1.0 - np.searchsorted(np.sort(real), thresholds, side="right") / len(real)
    fnr = np.searchsorted(np.sort(generated), thresholds, side="right") / len(generated)
    return fpr, fnr
