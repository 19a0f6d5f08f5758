"""Error rates of classifiers and their precision-recall curve: exact, without a grid of lambda.

A classifier f answers f(z) = 1, "z is real". With fpr(f) = P(f = 0), the share of real samples
called generated, and fnr(f) = Q(f = 1), the share of generated samples called real, the curve is

    precision  alpha(lam) = min over f of  lam * fpr(f) + fnr(f)
    recall     beta(lam)  = alpha(lam) / lam                                 lam in [0, inf]

The curve is therefore given by the lower-left convex hull of the points (fpr, fnr), together with
the trivial classifiers (0, 1) and (1, 0). Every summary below is a closed form in the vertices of
that hull.

Source: Simon, Webster, Rabin 2019, Theorem 4; Sykes, Simon, Rabin, Fadili 2026 (hal-05344404),
section 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import prviz
from prviz.arguments import (
    checked_choice,
    checked_floats,
    checked_list,
    checked_number,
    checked_whole,
)
from prviz.arrays import Floats, Ints
from prviz.curves import hull, shown
from prviz.curves.frozen import ReadOnlyArrays

Divergence: TypeAlias = Literal["kl", "js", "hellinger", "chi2", "tv"]

# Smaller rates count as 0, because products and quotients of two of them would leave the range of
# float64.
SMALLEST_RATE = 1e-150


class Comparison(NamedTuple):
    """Difference of an estimated curve E from a reference T, as shares of the union of their areas.

    Parameters
    ----------
    iou : float
        |E and T| / |E or T|; 1 where both areas are zero.
    excess : float
        |E minus T| / |E or T|: the estimate is too optimistic.
    deficit : float
        |T minus E| / |E or T|: the estimate is too pessimistic.

    Notes
    -----
    ``iou + excess + deficit = 1``.
    """

    iou: float
    excess: float
    deficit: float


class CurvePoint(NamedTuple):
    """One point of a curve: the trade-off lam between the two errors, precision alpha, and recall
    ``beta = alpha / lam``.
    """

    lam: float
    alpha: float
    beta: float


def _rates(values: ArrayLike, name: str) -> Floats:
    rates = checked_floats(name, values, "rates in [0, 1]").reshape(-1)
    rates[(rates > 0) & (rates < SMALLEST_RATE)] = 0.0
    if not bool(np.all((rates >= 0) & (rates <= 1))):
        raise ValueError(
            f"{name} holds {rates[~((rates >= 0) & (rates <= 1))][0]}; every rate must lie in"
            " [0, 1]"
        )
    rates.flags.writeable = False
    return rates


@dataclass(frozen=True, eq=False)
class ErrorRates(ReadOnlyArrays):
    """Error rates of a family of classifiers, one entry per classifier.

    Parameters
    ----------
    fpr : ndarray of shape (m,)
        Share of real evaluation samples called generated, in [0, 1].
    fnr : ndarray of shape (m,)
        Share of generated evaluation samples called real, in [0, 1].

    Raises
    ------
    ValueError
        If a rate is outside [0, 1], or the arrays have different lengths.
    TypeError
        If a rate is complex.
    """

    fpr: Floats
    fnr: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "fpr", _rates(self.fpr, "fpr"))
        object.__setattr__(self, "fnr", _rates(self.fnr, "fnr"))
        if len(self.fpr) != len(self.fnr):
            raise ValueError(
                f"fpr has {len(self.fpr)} entries, fnr has {len(self.fnr)}; one each is needed"
            )

    @classmethod
    def from_supports(cls, c_real: ArrayLike, c_generated: ArrayLike, n_real: int) -> ErrorRates:
        """Error rates of all classifiers f_gamma(z) = [gamma c_X(z) >= c_Y(z)] (> for gamma < 1),
        both ends of the family included.

        Parameters
        ----------
        c_real, c_generated : array_like of shape (n_real + n_generated,)
            Non-negative supports c_X and c_Y, real evaluation samples first.
        n_real : int
            Number of real evaluation samples; at least one real and one generated sample are
            needed.

        Returns
        -------
        ErrorRates
            One entry per distinct prefix of the sorted samples and, if there is a 0/0, one more for
            each end of the family.

        Raises
        ------
        ValueError
            If the supports differ in shape, are negative or not finite, or ``n_real`` is not
            possible.

        Notes
        -----
        The evaluation samples are sorted by the key c_Y / c_X, and each distinct prefix is one
        classifier: it calls the samples of the prefix real. 0/0 has the key 1; c/0 with c > 0 has
        the key inf and is never called real. The ends of the family, f_inf = [c_X > 0] and f_0 =
        [c_Y = 0], differ from a prefix where there is 0/0: held-out samples in no ball at all.
        Source: hal-05344404, equation 5, section 4.2 and Remark 16.
        """
        supports = (
            checked_floats("c_real", c_real, "non-negative numbers"),
            checked_floats("c_generated", c_generated, "non-negative numbers"),
        )
        first = supports[0].shape
        second = supports[1].shape
        if first != second or len(first) != 1:
            raise ValueError(f"supports have shapes {first} and {second}; two equal 1-D are needed")
        checked_whole("n_real", n_real, 1, first[0] - 1, f" of {first[0]} samples")
        if not all(bool(np.all((c >= 0) & np.isfinite(c))) for c in supports):
            raise ValueError("supports must be non-negative and finite")
        keys, generated = _sorted_by_key(score_keys(*supports), n_real)
        prefix_ends = np.flatnonzero(np.append(keys[1:] != keys[:-1], True) & np.isfinite(keys))
        generated_called_real = np.cumsum(generated, dtype=np.int64)[prefix_ends]
        real_called_generated = n_real - (prefix_ends + 1 - generated_called_real)
        if np.any((supports[0] == 0) & (supports[1] == 0)):
            for called_real in (supports[0] > 0, supports[1] == 0):
                real_called_generated = np.append(
                    real_called_generated, np.count_nonzero(~called_real[:n_real])
                )
                generated_called_real = np.append(
                    generated_called_real, np.count_nonzero(called_real[n_real:])
                )
        return cls(real_called_generated / n_real, generated_called_real / (len(keys) - n_real))

    def curve(self) -> PRCurve:
        """The precision-recall curve of these classifiers and the two trivial ones.

        Returns
        -------
        PRCurve
            The lower-left hull of the error rates.
        """
        return PRCurve(
            hull.lower_hull(
                np.concatenate(([1.0], self.fpr, [0.0])), np.concatenate(([0.0], self.fnr, [1.0]))
            )
        )


def checked_curves(curves: Iterable[PRCurve]) -> list[PRCurve]:
    """The curves as a list; TypeError for anything but curves."""
    found = checked_list("curves", curves, "curves")
    for place, curve in enumerate(found):
        if not isinstance(curve, PRCurve):
            raise TypeError(f"curves[{place}] is {type(curve).__name__}; a PRCurve is needed")
    return found


def _costs(lam: ArrayLike) -> Floats:
    """Convert values of lam to floats; ValueError for anything but numbers."""
    return checked_floats("lam", lam, "numbers in [0, inf]")


def even_rays(count: int) -> Floats:
    """Values of lam on rays from the origin at evenly spaced angles, from 0 to infinity."""
    lams = np.tan(np.linspace(0.0, np.pi / 2, count))
    lams[-1] = np.inf
    return lams


def score_keys(c_real: Floats, c_generated: Floats) -> Floats:
    """The keys c_Y / c_X by which samples are sorted: small for samples that look real, large for
    samples that look generated. 0/0 gives 1, c/0 gives inf.
    """
    keys = np.full(c_real.shape, np.inf)
    np.divide(c_generated, c_real, out=keys, where=c_real > 0)
    keys[(c_real == 0) & (c_generated == 0)] = 1.0
    return keys


def _sorted_by_key(keys: Floats, n_real: int) -> tuple[Floats, NDArray[np.uint64]]:
    """Sort the keys; return them, and for each key 1 if its sample is generated, 0 if it is real.

    One sort of 64-bit integers is faster than an argsort with two look-ups by its indices.
    Non-negative floats are ordered like their bits. The sign bit, always 0, is shifted out, and the
    role is put into the bit that becomes free.
    """
    bits = keys.view(np.uint64) << np.uint64(1)
    ordered = np.sort(bits | (np.arange(len(bits)) >= n_real))
    return (ordered >> np.uint64(1)).view(np.float64), ordered & np.uint64(1)


# If the mass of P or Q beyond an end of the curve is below this, it is a rounding error of summed
# rates and makes no divergence infinite.
_ROUNDING = 1e-12
# Arguments of `checked_number` for a recall or a precision: what is accepted as text, and the test
# of it.
_SHARE = ("a value in [0, 1]", lambda found: 0 <= found <= 1)

# For each f-divergence: the convex function f on (0, inf), f(0), and the limit of f(t) / t for
# large t.
_DIVERGENCES: dict[str, tuple[Callable[[Floats], Floats], float, float]] = {
    "kl": (lambda t: t * np.log(t), 0.0, math.inf),
    "js": (
        lambda t: (t * np.log(t) - (t + 1) * np.log((t + 1) / 2)) / 2,
        math.log(2) / 2,
        math.log(2) / 2,
    ),
    "hellinger": (lambda t: (np.sqrt(t) - 1) ** 2 / 2, 0.5, 0.5),
    "chi2": (lambda t: (t - 1) ** 2, 1.0, math.inf),
    "tv": (lambda t: np.abs(t - 1) / 2, 0.5, 0.5),
}


@dataclass(frozen=True, eq=False)
class PRCurve(ReadOnlyArrays):
    """A precision-recall curve, stored as its lower-left hull of error rates.

    Build it with `from_error_rates`, which takes any points.

    Parameters
    ----------
    vertices : ndarray of shape (m, 2)
        Error rates (fpr, fnr) of the hull, from (0, alpha_inf) to (beta_0, 0); both columns are
        strictly monotone.

    Raises
    ------
    ValueError
        If the vertices have another shape or do not form a lower hull.

    Examples
    --------
    >>> from prviz import PRCurve
    >>> PRCurve.from_error_rates([0.5], [0.25]).alpha(1.0)
    0.75
    """

    vertices: Floats

    def __post_init__(self) -> None:
        vertices = checked_floats("vertices", self.vertices, "pairs (fpr, fnr)")
        if vertices.ndim != 2 or vertices.shape[1] != 2 or len(vertices) == 0:
            raise ValueError(
                f"vertices have shape {vertices.shape}; (m, 2) with m at least 1 is needed"
            )
        if vertices[0, 0] != 0 or vertices[-1, 1] != 0 or not hull.is_lower_hull(vertices):
            raise ValueError(
                "vertices must run along a lower hull from fpr = 0 to fnr = 0; use"
                " PRCurve.from_error_rates"
            )
        vertices.flags.writeable = False
        object.__setattr__(self, "vertices", vertices)

    @classmethod
    def from_error_rates(cls, fpr: ArrayLike, fnr: ArrayLike) -> PRCurve:
        """The curve of the classifiers with these error rates and of the trivial ones, (0, 1) and
        (1, 0).

        Parameters
        ----------
        fpr, fnr : array_like of shape (m,)
            Error rates in [0, 1], in any order; m may be 0.

        Returns
        -------
        PRCurve
            The lower-left hull of all points.

        Raises
        ------
        ValueError
            If a rate is outside [0, 1], or the arrays have different lengths.
        """
        return ErrorRates(np.asarray(fpr), np.asarray(fnr)).curve()

    @classmethod
    def mean(cls, curves: Iterable[PRCurve]) -> PRCurve:
        """The curve whose alpha(lam) is the mean of the curves' alpha(lam) at every lam.

        Parameters
        ----------
        curves : iterable of PRCurve
            At least one curve.

        Returns
        -------
        PRCurve
            The mean curve, exact: the mean of lower envelopes is the Minkowski mean of the hulls.

        Raises
        ------
        ValueError
            If there is no curve.

        Notes
        -----
        Source: hal-05344404, section 5.1.3.
        """
        curves = checked_curves(curves)
        if not curves:
            raise ValueError("curves is empty; the mean of at least one curve is needed")
        if len(curves) == 1:
            return curves[0]
        return cls(hull.minkowski_mean([curve.vertices for curve in curves]))

    def __repr__(self) -> str:
        return f"PRCurve({shown.line(self)}; {len(self.vertices)} vertices)"

    def _repr_html_(self) -> str:
        return shown.as_html({"": self}, {"": shown.COLOR})

    def plot(self, truth: PRCurve | None = None) -> Any:
        """The curve as a Plotly figure; `prviz.plot` draws several curves, `prviz.save` writes a
        file for a paper.

        Parameters
        ----------
        truth : PRCurve, optional
            The true curve, drawn dashed.

        Returns
        -------
        plotly.graph_objects.Figure
            The figure.
        """
        return prviz.plot(self, truth=truth)

    def plot_matplotlib(self, ax: Any = None, truth: PRCurve | None = None) -> Any:
        """Draw the curve in axes of Matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: axes of a new figure as wide as one column.
        truth : PRCurve, optional
            The true curve, drawn dashed.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        return prviz.plot_matplotlib(self, truth=truth, ax=ax)

    @cached_property
    def breakpoints(self) -> Floats:
        """Values of lam, (m - 1,), decreasing, at which the optimal vertex changes: entry j is the
        negated slope of the edge from vertex j to vertex j + 1.
        """
        return hull.edge_lams(self.vertices)

    @cached_property
    def _pieces(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The pieces (f, n, lo, hi) of the curve: the vertex (f_j, n_j) is optimal for lam in
        [lo_j, hi_j].
        """
        ends = np.concatenate(([np.inf], self.breakpoints, [0.0]))
        return self.vertices[:, 0], self.vertices[:, 1], ends[1:], ends[:-1]

    @cached_property
    def _areas(self) -> Floats:
        """Area under each piece of the curve."""
        return hull.sector_areas(*self._pieces)

    def vertex_at(self, lam: ArrayLike) -> Ints:
        """Index of the vertex that is optimal at lam.

        Parameters
        ----------
        lam : array_like
            Values in [0, inf].

        Returns
        -------
        ndarray of int
            The index; where two vertices are optimal, the one with the larger fpr.

        Raises
        ------
        ValueError
            If a lam is negative or nan.
        """
        values = _costs(lam)
        if not bool(np.all(values >= 0)):
            raise ValueError(f"lam = {values.min()}; values in [0, inf] are needed")
        return np.searchsorted(-self.breakpoints, -values, side="right")

    def _optimal_at(self, lam: ArrayLike) -> tuple[Floats, Floats, Floats]:
        values = _costs(lam)
        optimal = self.vertices[self.vertex_at(values)]
        return values, optimal[..., 0], optimal[..., 1]

    def _vertex_at(self, lam: float) -> tuple[float, float]:
        """The error rates (fpr, fnr) of the vertex that is optimal at a single lam; faster than
        `_optimal_at`, for the summaries.
        """
        fpr, fnr = self.vertices[(-self.breakpoints).searchsorted(-lam, side="right")].tolist()
        return fpr, fnr

    def alpha(self, lam: ArrayLike) -> Any:
        """Precision alpha(lam) = min over f of lam fpr(f) + fnr(f).

        Parameters
        ----------
        lam : array_like
            Values in [0, inf].

        Returns
        -------
        float or ndarray
            Precision in [0, 1], non-decreasing in lam: alpha(0) = 0, alpha(inf) is the extreme
            precision. A float for a float, else an array.
        """
        one: Any = lam
        if isinstance(one, float) and one >= 0:
            fpr, fnr = self._vertex_at(one)
            return min((float(one) * fpr if fpr > 0 else 0.0) + fnr, 1.0)
        values, f, n = self._optimal_at(lam)
        with np.errstate(invalid="ignore"):
            result = np.minimum(np.where(f > 0, values * f, 0.0) + n, 1.0)
        if result.ndim == 0:
            return float(result)
        return result

    def beta(self, lam: ArrayLike) -> Any:
        """Recall beta(lam) = alpha(lam) / lam = min over f of fpr(f) + fnr(f) / lam.

        Parameters
        ----------
        lam : array_like
            Values in [0, inf].

        Returns
        -------
        float or ndarray
            Recall in [0, 1], non-increasing in lam: beta(0) is the extreme recall, beta(inf) = 0. A
            float for a float, else an array.
        """
        one: Any = lam
        if isinstance(one, float) and one > 0:
            fpr, fnr = self._vertex_at(one)
            return min(fpr + (fnr / float(one) if fnr > 0 else 0.0), 1.0)
        values, f, n = self._optimal_at(lam)
        with np.errstate(divide="ignore", invalid="ignore"):
            result = np.minimum(f + np.where(n > 0, n / values, 0.0), 1.0)
        if result.ndim == 0:
            return float(result)
        return result

    @cached_property
    def auc(self) -> float:
        """Area under precision as a function of recall, in [0, 1]; 1 only if P = Q, 0 only if P and
        Q are disjoint.
        """
        return float(self._areas.sum())

    @property
    def extreme_precision(self) -> float:
        """Extreme precision alpha_inf, the limit of alpha(lam) for large lam. Of the true curve it
        is Q(cosupp(P, Q)), hal-05344404, Proposition 20.
        """
        return float(self.vertices[0, 1])

    @property
    def extreme_recall(self) -> float:
        """Extreme recall beta_0, the limit of beta(lam) as lam goes to 0. Of the true curve it is
        P(cosupp(P, Q)).
        """
        return float(self.vertices[-1, 0])

    @property
    def total_variation(self) -> float:
        """Total variation distance 1 - alpha(1), in [0, 1]; 0 only if P = Q."""
        return 1.0 - float(self.alpha(1.0))

    def weighted_variation(self, lam: ArrayLike) -> Any:
        """Total variation norm of lam P - Q: half the area between the densities lam p and q.

        Parameters
        ----------
        lam : array_like
            Trade-offs in [0, inf).

        Returns
        -------
        float or ndarray
            (lam + 1) / 2 - alpha(lam), of the shape of lam; the total variation distance at lam =
            1.

        Raises
        ------
        ValueError
            If a lam is negative or nan.

        Notes
        -----
        Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), equation 2.
        """
        values = _costs(lam)
        return (values + 1) / 2 - self.alpha(values)

    @property
    def edge_masses(self) -> tuple[Floats, Floats]:
        """Masses of P and of Q, (m - 1,) each, one entry per edge, of those finite distributions
        that have this curve.
        """
        return np.diff(self.vertices[:, 0]), -np.diff(self.vertices[:, 1])

    def divergence(self, name: Divergence) -> float:
        """The f-divergence D_f(Q || P) of the generated from the real distribution, from the whole
        curve.

        Parameters
        ----------
        name : {"kl", "js", "hellinger", "chi2", "tv"}
            "kl": Kullback-Leibler divergence of Q from P, in nats, infinite if Q has mass where P
            has none. "js": Jensen-Shannon divergence, in [0, log 2]. "hellinger": squared Hellinger
            distance, in [0, 1]. "chi2": Pearson's chi-squared divergence, infinite like "kl". "tv":
            total variation distance 1 - alpha(1).

        Returns
        -------
        float
            The divergence, in [0, inf]; 0 only for P = Q. For an estimate it is the divergence of
            the finite distributions that its hull stands for; whether it is finite depends on the
            ends of the curve.

        Raises
        ------
        ValueError
            If ``name`` is not one of these.

        Notes
        -----
        D_f(Q || P) = integral of (min(1, lam) - alpha(lam)) f''(lam) over lam. On a hull this is a
        sum over finite distributions. An edge with masses p (difference of fpr) and q (difference
        of fnr) gives p f(q / p). Mass of P alone, beyond the hull's end, is multiplied by f(0),
        mass of Q alone by the limit of f(t) / t. Source: Polyanskiy, Wu, Information Theory (2025),
        chapter 7.
        """
        function, at_zero, slope = _DIVERGENCES[checked_choice("name", name, _DIVERGENCES)]
        p, q = self.edge_masses
        only_real = 1.0 - self.extreme_recall
        only_generated = 1.0 - self.extreme_precision
        total = float(np.sum(p * function(q / p))) + only_real * at_zero
        return max(total + (only_generated * slope if only_generated > _ROUNDING else 0.0), 0.0)

    def f_score(self, b: float, *, leaning: Literal["precision", "recall"]) -> float:
        """Largest weighted harmonic mean of precision and recall along the curve.

        Parameters
        ----------
        b : float
            Weight of the favoured side, from 1e-100 to 1e100.
        leaning : {"precision", "recall"}
            "precision": max (b^2 + 1) / (b^2 / alpha + 1 / beta), the F_b of hal-05344404, section
            4.4; it tends to alpha_inf for large b. "recall": with alpha and beta exchanged, the
            F_beta of Sajjadi et al. 2018; it tends to beta_0 for large b.

        Returns
        -------
        float
            The F-score, in [0, 1].

        Raises
        ------
        ValueError
            If ``b`` is out of range, or ``leaning`` is neither of the two.

        Notes
        -----
        Along one piece the score is a Moebius function of lam, hence monotone, so the maximum is at
        a breakpoint.
        """
        b = checked_number(
            "b", b, "a positive weight from 1e-100 to 1e100", lambda found: 1e-100 <= found <= 1e100
        )
        checked_choice("leaning", leaning, ("precision", "recall"))
        weight = b * b if leaning == "precision" else 1.0 / (b * b)
        lam = self.breakpoints
        alpha = self.vertices[:-1, 0] * lam + self.vertices[:-1, 1]
        scale = (weight + 1.0) * alpha / (weight + lam)
        return float(min(np.max(scale, initial=0.0), 1.0))

    @cached_property
    def median(self) -> CurvePoint:
        """The point of the curve through which a ray alpha = lam beta halves the area
        (hal-05344404, section 4.4); its lam is nan if the area is 0.
        """
        if self.auc == 0:
            return CurvePoint(float("nan"), 0.0, 0.0)
        lam = hull.halving_lam(*self._pieces, self._areas)
        return CurvePoint(lam, self.alpha(lam), self.beta(lam))

    def precision_at(self, recall: float = 0.05) -> float:
        """alpha@recall: the largest precision among points of at least this recall.

        Parameters
        ----------
        recall : float
            Recall in [0, 1]; at 0 the result is the extreme precision.

        Returns
        -------
        float
            Precision in [0, 1]; 0 where no point has that recall.

        Raises
        ------
        ValueError
            If ``recall`` is outside [0, 1].

        Notes
        -----
        Source: hal-05344404, section 4.4, with recall = 0.05.
        """
        recall = checked_number("recall", recall, *_SHARE)
        if recall > self.extreme_recall:
            return 0.0
        return float(self.alpha(hull.lam_at_recall(*self._pieces, recall)))

    def recall_at(self, precision: float = 0.05) -> float:
        """beta@precision: the largest recall among points of at least this precision.

        Parameters
        ----------
        precision : float
            Precision in [0, 1]; at 0 the result is the extreme recall.

        Returns
        -------
        float
            Recall in [0, 1]; 0 where no point has that precision.

        Raises
        ------
        ValueError
            If ``precision`` is outside [0, 1].
        """
        precision = checked_number("precision", precision, *_SHARE)
        return self.mirrored().precision_at(precision)

    def mirrored(self) -> PRCurve:
        """The curve with the roles of real and generated exchanged: alpha(lam) becomes beta(1 /
        lam).

        Returns
        -------
        PRCurve
            The mirrored curve.
        """
        return PRCurve(hull.lower_hull(self.vertices[:, 1], self.vertices[:, 0]))

    def iou(self, other: PRCurve) -> float:
        """Intersection over union of the areas under the two curves.

        Parameters
        ----------
        other : PRCurve
            The curve to compare with.

        Returns
        -------
        float
            IoU in [0, 1]; 1 only for equal curves.
        """
        return self.compare(other).iou

    def compare(self, other: PRCurve) -> Comparison:
        """Difference of this curve (the estimate) from another one (the reference), in closed form.

        Parameters
        ----------
        other : PRCurve
            The reference, such as the true curve.

        Returns
        -------
        Comparison
            IoU, excess and deficit.

        Raises
        ------
        TypeError
            If ``other`` is not a PRCurve.
        """
        if not isinstance(other, PRCurve):
            raise TypeError(f"other is {type(other).__name__}; a PRCurve is needed")
        if np.array_equal(self.vertices, other.vertices):
            return Comparison(1.0, 0.0, 0.0)
        both, excess, deficit = hull.overlap(self._pieces, other._pieces)
        union = both + excess + deficit
        return Comparison(both / union, excess / union, deficit / union)

    def sample(self, n: int = 200) -> tuple[Floats, Floats, Floats]:
        """Points for drawing, from lam = 0 to lam = inf: n rays of equal angle and every visible
        corner.

        Parameters
        ----------
        n : int
            Number of rays, at least 2.

        Returns
        -------
        lam, alpha, beta : ndarray
            The points, in increasing lam.

        Raises
        ------
        ValueError
            If there are fewer than 2 rays.

        Notes
        -----
        A corner is visible if its vertex is optimal over more than the angle between two rays. On a
        smooth curve corners are closer together, and the points on the rays are enough.
        """
        n = checked_whole("n", n, 2)
        angles = np.arctan(np.concatenate(([np.inf], self.breakpoints, [0.0])))
        wide = np.flatnonzero(-np.diff(angles) > np.pi / 2 / (n - 1))
        ends = np.insert(np.append(self.breakpoints, 0.0), 0, np.inf)
        lam = np.unique(np.concatenate((even_rays(n), ends[wide], ends[wide + 1])))
        return lam, self.alpha(lam), self.beta(lam)


# Curves by name, in the order in which they are drawn.
NamedCurves: TypeAlias = Mapping[str, PRCurve]
