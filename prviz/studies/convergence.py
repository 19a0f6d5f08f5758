"""Errors of estimates over the dimension and over the number of samples, beside the bound of the theory.

Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), Theorem 6. For subgaussian P and Q with
densities in a Sobolev ball, N samples of each and the bandwidth sigma ~ N^(-1/(2+d)), the plug-in
KDE estimate of the overlap satisfies

    E |alpha_hat(lam) - alpha(lam)| <= C (lam + 1) N^(-1/(2+d)),     C free of N, lam, P and Q, but not of d

This is an upper bound for the plug-in estimate. For the classifiers of `prviz.measure.estimates`
the paper bounds the bias in this way (Proposition 14, Remark 15) and leaves the rest open: the
measured slope may be steeper than the exponent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Unpack

import numpy as np

from prviz.curves import Comparison, PRCurve
from prviz.measure.estimates import (
    EstimateOptions,
    Progress,
    estimate_repeated,
    mean_radius,
    method_names,
)
from prviz.neighbors.threads import part_of
from prviz.toys import ToyProblem

# Distance of the first seeds of two consecutive sizes; repeats of one size have consecutive seeds.
_APART = 10_000


def rate_exponent(d: int) -> float:
    """The exponent -1 / (2 + d) of N in the theorem's bound; ValueError for d < 1."""
    if d < 1:
        raise ValueError(f"d = {d}; a dimension of at least 1 is needed")
    return -1.0 / (2 + d)


def factor_to_gain(exponent: float, gain: float = 2.0) -> float:
    """The factor of N that divides an error ~ N^exponent by `gain`: gain^(-1/exponent).

    2^(2 + d) for the theorem's exponent and gain 2; inf where the error does not fall (exponent >=
    0) or on overflow.
    """
    if gain <= 1:
        raise ValueError(f"gain = {gain}; a factor above 1 is needed")
    if exponent >= 0:
        return float("inf")
    with np.errstate(over="ignore"):
        return float(np.float64(gain) ** (-1.0 / exponent))


def shrunk_bandwidth(unit: float, n: int, *, first: int, d: int) -> float:
    """The theorem's bandwidth unit * (n / first)^(-1/(2+d)).

    `unit` at n = `first`, in the units of the data.
    """
    return float(unit * (n / first) ** rate_exponent(d))


class Slope(NamedTuple):
    """A line's slope by least squares, and its standard error (nan for two points)."""

    value: float
    error: float


def fitted_slope(sizes: Sequence[float], errors: Sequence[float]) -> Slope:
    """The slope of log(error) on log(size): the exponent b of error ~ size^b.

    sizes, errors : positive, of the same length, at least two different sizes; otherwise raises
    ValueError.
    """
    xs = np.asarray(sizes, dtype=np.float64)
    ys = np.asarray(errors, dtype=np.float64)
    if (
        xs.shape != ys.shape
        or xs.ndim != 1
        or len(np.unique(xs)) < 2
        or not bool(np.all((xs > 0) & (ys > 0)))
    ):
        raise ValueError(
            f"sizes = {xs.tolist()}, errors = {ys.tolist()}; one positive error for each size is"
            " needed"
        )
    x = np.log(xs) - np.log(xs).mean()
    y = np.log(ys) - np.log(ys).mean()
    slope = float(x @ y / (x @ x))
    if len(xs) == 2:
        return Slope(slope, float("nan"))
    return Slope(slope, float(np.sqrt(((y - slope * x) ** 2).sum() / (len(xs) - 2) / (x @ x))))


class ErrorMeasurement(NamedTuple):
    """Estimates of one problem by method, over repeated draws.

    curves : the mean curve. comparisons : the mean of IoU, excess and deficit of the single draws.
    errors : the mean of |alpha(lam) - true alpha(lam)| of the single draws.
    """

    curves: dict[str, PRCurve]
    comparisons: dict[str, Comparison]
    errors: dict[str, float]


def measured(
    problem: ToyProblem,
    methods: Sequence[str] | None = None,
    *,
    n: int,
    repeats: int,
    lam: float = 1.0,
    **options: Unpack[EstimateOptions],
) -> ErrorMeasurement:
    """Several families on repeated draws of n samples per set, against the truth.

    Options as in `prviz.estimate`.

    The draws and their splits have the seeds seed, seed + 1, ... Raises as `estimate_repeated`.
    """
    runs = estimate_repeated(
        lambda child: problem.sample(n, child), methods, repeats=repeats, **options
    )
    truth = problem.truth()
    found = ErrorMeasurement({}, {}, {})
    for method, each in runs.items():
        curves = [run.curve for run in each]
        compared = np.mean([curve.compare(truth) for curve in curves], axis=0)
        errors = [abs(curve.alpha(lam) - truth.alpha(lam)) for curve in curves]
        found.curves[method] = PRCurve.mean(curves)
        found.comparisons[method] = Comparison(*compared.tolist())
        found.errors[method] = float(np.mean(errors))
    return found


@dataclass(frozen=True)
class Convergence:
    """Mean errors |alpha(lam) - true alpha(lam)| of one problem over the samples per set.

    d : the dimension. sizes : increasing. errors : one for each size, by method.
    """

    d: int
    sizes: tuple[int, ...]
    errors: Mapping[str, tuple[float, ...]]

    def slope(self, method: str) -> Slope:
        """The measured exponent of N."""
        return fitted_slope(self.sizes, self.errors[method])


def convergence(
    problem: ToyProblem,
    sizes: Sequence[int],
    methods: Sequence[str] | None = None,
    *,
    repeats: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> Convergence:
    """Errors over the sizes, each from draws of its own, with k = sqrt(n) and for kde the theorem's bandwidth.

    The bandwidth is `shrunk_bandwidth`; at the smallest size it is the mean k-NN radius of the
    first draw. Raises ValueError unless the sizes increase, and as `measured`.
    """
    if len(sizes) < 2 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(f"sizes = {list(sizes)}; at least two increasing numbers are needed")
    unit = mean_radius(problem.sample(sizes[0], seed), split=0.5, seed=seed)
    errors = []
    for place, n in enumerate(sizes):
        width = shrunk_bandwidth(unit, n, first=sizes[0], d=problem.d)
        at_size = measured(
            problem,
            methods,
            n=n,
            repeats=repeats,
            bandwidth=width,
            seed=seed + _APART * place,
            progress=part_of(progress, sum(sizes[:place]), sum(sizes), n),
        )
        errors.append(at_size.errors)
    names = method_names(methods)
    return Convergence(
        problem.d, tuple(sizes), {name: tuple(each[name] for each in errors) for name in names}
    )
