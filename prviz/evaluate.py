"""From samples to curves: the one place that strings split, supports, error rates and curve together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.curves import ErrorRates, PRCurve
from prviz.estimators import ESTIMATORS, BallEstimator, DirectEstimator, Supports
from prviz.estimators.base import check_bandwidth, check_k, resolve_k
from prviz.neighbors import Distances
from prviz.samples import SamplePair, Samples, Split, as_samples

__all__ = ["Band", "Estimate", "band", "estimate", "estimate_repeated", "mean_radius", "pr_curve", "sweep"]

K: TypeAlias = int | Literal["sqrt"]
Progress: TypeAlias = Callable[[float], None]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """One family measured once.

    method : its name in ESTIMATORS.
    k : the number of neighbours used, "sqrt" resolved.
    bandwidth : radii of the real and of the generated balls, in the units of the data; None: the family has
    none.
    supports : c_real and c_generated of every evaluation sample.
    rates : error rates of its classifiers; curve : their lower hull.
    """

    method: str
    k: int
    bandwidth: tuple[float, float] | None
    supports: Supports

    @cached_property
    def rates(self) -> ErrorRates:
        """Error rates (fpr, fnr) of every classifier of the family."""
        return ErrorRates.from_supports(self.supports.c_real, self.supports.c_generated, self.supports.n_real)

    @cached_property
    def curve(self) -> PRCurve:
        """The precision-recall curve."""
        return self.rates.curve()


@dataclass(frozen=True, eq=False)
class Band:
    """Mean and standard deviation of repeated curves along rays of equal lam; all (m,), lam increasing.

    The deviation is that of the repeats themselves (divided by their number, not one less), as in
    hal-05344404, section 5.1.3. alpha = lam beta holds for the mean and for both sides.
    """

    lam: Floats
    alpha_mean: Floats
    alpha_sd: Floats
    beta_mean: Floats
    beta_sd: Floats

    @property
    def alpha_low(self) -> Floats:
        """Mean precision less one deviation; not clipped."""
        return self.alpha_mean - self.alpha_sd

    @property
    def alpha_high(self) -> Floats:
        """Mean precision plus one deviation; not clipped."""
        return self.alpha_mean + self.alpha_sd

    @property
    def beta_low(self) -> Floats:
        """Mean recall less one deviation; not clipped."""
        return self.beta_mean - self.beta_sd

    @property
    def beta_high(self) -> Floats:
        """Mean recall plus one deviation; not clipped."""
        return self.beta_mean + self.beta_sd


def pr_curve(
    real: Samples | ArrayLike,
    generated: Samples | ArrayLike,
    method: str = "knn",
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
) -> PRCurve:
    """The precision-recall curve of ``generated`` against ``real``, by one family of classifiers.

    Parameters
    ----------
    real, generated : (n, d) and (m, d) samples; n and m may differ.
    method : a name in ESTIMATORS.
    k : number of neighbours, or "sqrt": floor(sqrt(n)), n the size of the smaller set before the split.
    bandwidth : of kde, in the units of the data; None: per class, the mean k-NN radius inside that class.
    split : share of each set that defines the classifiers while the rest measures them; None: no split.
    seed : of the split.

    Returns
    -------
    PRCurve from (recall 0, extreme precision) to (extreme recall, precision 0).

    Raises
    ------
    ValueError, TypeError : malformed samples, an unknown method, k outside 1 .. (smaller fit set) - 1, a
        bandwidth that is not positive, or a split outside (0, 1).

    Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), sections 2 and 4.
    """
    pair = SamplePair(as_samples(real, name="real"), as_samples(generated, name="generated"))
    return estimate(pair, (method,), k=k, bandwidth=bandwidth, split=split, seed=seed)[method].curve


def estimate(
    pair: SamplePair,
    methods: Sequence[str] | str | None = None,
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, Estimate]:
    """Several families on the same split of one pair, in one pass over its distances; see `pr_curve`.

    methods : names in ESTIMATORS; None: all of them. The result has their order.
    progress : called with the fraction done, between blocks; may raise to stop.
    """
    number = resolve_k(k, pair)
    wanted = [(method, number, bandwidth) for method in _names(methods)]
    return {each.method: each for each in _measure(pair.split(split, seed), wanted, seed, progress)}


def sweep(
    pair: SamplePair,
    methods: Sequence[str] | str | None = None,
    *,
    ks: Sequence[K] = (),
    bandwidths: Sequence[float] = (),
    split: float | None = 0.5,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[tuple[str, float | int], PRCurve]:
    """Curves of several families at many values of what each tunes, in one pass over the distances.

    A family that tunes k appears at every k. kde appears at every bandwidth if any is given; else at every k,
    by the bandwidth that follows from it. Keys are (method, value); each curve equals that of a separate run.

    Raises
    ------
    ValueError : neither ks nor bandwidths, or a family that is left without a value.
    """
    numbers = list(dict.fromkeys(resolve_k(k, pair) for k in ks))
    wanted: dict[tuple[str, float | int], tuple[str, int, float | None]] = {}
    for method in _names(methods):
        if ESTIMATORS[method].tunes == "bandwidth" and len(bandwidths):
            # A given bandwidth makes k irrelevant; any legal one will do.
            wanted |= {(method, float(width)): (method, 1, width) for width in bandwidths}
        elif numbers:
            wanted |= {(method, k): (method, k, None) for k in numbers}
        else:
            raise ValueError(f"nothing to sweep {method} over: ks is empty")
    measured = _measure(pair.split(split, seed), list(wanted.values()), seed, progress)
    return {key: each.curve for key, each in zip(wanted, measured, strict=True)}


def estimate_repeated(
    draw: Callable[[int], SamplePair],
    methods: Sequence[str] | str | None = None,
    *,
    repeats: int,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, tuple[Estimate, ...]]:
    """Estimates of several families over repeated draws: ``draw(s)`` gives the pair of seed s.

    Seeds are seed, seed + 1, ..., also of the split; `PRCurve.mean` and `band` sum the curves up.

    Raises
    ------
    ValueError : repeats below 1.
    """
    if repeats < 1:
        raise ValueError(f"repeats = {repeats}; at least 1 is needed")
    options: dict[str, Any] = {"k": k, "bandwidth": bandwidth, "split": split}
    runs = []
    for repeat in range(repeats):
        tick = None if progress is None else _share(progress, repeat, repeats)
        runs.append(estimate(draw(seed + repeat), methods, seed=seed + repeat, progress=tick, **options))
    return {method: tuple(run[method] for run in runs) for method in _names(methods)}


def band(curves: Sequence[PRCurve], points: int = 201) -> Band:
    """Mean and deviation of curves along rays of equal lam = tan(theta), theta even over [0, pi / 2].

    Raises
    ------
    ValueError : no curves, or fewer than 2 points.

    Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.3.
    """
    if not len(curves) or points < 2:
        raise ValueError(f"{len(curves)} curves at {points} points; at least 1 and 2 are needed")
    lam = np.tan(np.linspace(0.0, np.pi / 2, points))
    lam[-1] = np.inf
    alpha = np.array([curve.alpha(lam) for curve in curves])
    beta = np.array([curve.beta(lam) for curve in curves])
    return Band(lam, alpha.mean(axis=0), alpha.std(axis=0), beta.mean(axis=0), beta.std(axis=0))


def mean_radius(pair: SamplePair, *, k: K = "sqrt", split: float | None = 0.5, seed: int = 0) -> float:
    """The unit for bandwidths: the mean k-NN radius inside each fit set, averaged over the two sets."""
    drawn = pair.split(split, seed)
    real, generated = Distances(drawn).mean_radii(check_k(resolve_k(k, pair), drawn.fit))
    return (real + generated) / 2


def _measure(
    split: Split, wanted: Sequence[tuple[str, int, float | None]], seed: int, progress: Progress | None
) -> list[Estimate]:
    """One estimate per (method, k, bandwidth), all families that count in balls in one pass."""
    checked = [(method, check_k(k, split.fit), check_bandwidth(width)) for method, k, width in wanted]
    n_real = split.evaluate.real.n
    supports: dict[tuple[str, int, float | None], Supports] = {}
    balls = {
        each: estimator.balls(k=each[1], bandwidth=each[2])
        for each in checked
        if isinstance(estimator := ESTIMATORS[each[0]], BallEstimator)
    }
    if balls:
        counted = Distances(split).count(list(balls.values()), progress=progress)
        supports |= {
            each: Supports(counts.real, counts.generated, n_real, counts.radii)
            for each, counts in zip(balls, counted, strict=True)
        }
    for each in checked:
        if isinstance(estimator := ESTIMATORS[each[0]], DirectEstimator):
            supports[each] = estimator.supports(split, k=each[1], bandwidth=each[2], seed=seed)
    return [Estimate(each[0], each[1], supports[each].bandwidth, supports[each]) for each in checked]


def _names(methods: Sequence[str] | str | None) -> list[str]:
    names = list(ESTIMATORS) if methods is None else [methods] if isinstance(methods, str) else list(methods)
    unknown = [name for name in names if name not in ESTIMATORS]
    if unknown or not names:
        raise ValueError(f"methods = {methods!r}; one or more of {', '.join(ESTIMATORS)} are needed")
    return list(dict.fromkeys(names))


def _share(progress: Progress, index: int, total: int) -> Progress:
    return lambda fraction: progress((index + fraction) / total)
