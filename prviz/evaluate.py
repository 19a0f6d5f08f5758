"""From samples to curves: the one place that strings split, supports, error rates and curve together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.curves import ErrorRates, PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, BallEstimator, DirectEstimator, Supports
from prviz.estimators.base import check_bandwidth, check_k, resolve_k
from prviz.neighbors import MEMORY_LIMIT, Distances
from prviz.samples import SamplePair, Samples, Split, as_samples

__all__ = [
    "Band",
    "Estimate",
    "band",
    "estimate",
    "estimate_repeated",
    "mean_radius",
    "measure",
    "method_names",
    "pr_curve",
]

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

    @property
    def runs(self) -> tuple[Supports, ...]:
        """The supports of every run that the curve is the mean of."""
        return (self.supports,)

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
    def meaning(self) -> str:
        """What the band is, for legends."""
        return "mean ± σ"

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
    memory_limit: int = MEMORY_LIMIT,
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
    memory_limit : bytes that may be used above the samples themselves, which may be memory-mapped; it changes the
        speed, never the result.

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
    options: dict[str, Any] = {"k": k, "bandwidth": bandwidth, "split": split, "seed": seed}
    return estimate(pair, (method,), memory_limit=memory_limit, **options)[method].curve


def estimate(
    pair: SamplePair,
    methods: Sequence[str] | str | None = None,
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> dict[str, Estimate]:
    """Several families on the same split of one pair, in one pass over its distances; see `pr_curve`.

    methods : names in ESTIMATORS; None: the default ones. The result has their order.
    progress : called with the fraction done, between blocks; may raise to stop.
    """
    number = resolve_k(k, pair)
    wanted = [(method, number, bandwidth) for method in method_names(methods)]
    return {each.method: each for each in measure(pair.split(split, seed), wanted, seed, memory_limit, progress)}


def estimate_repeated(
    draw: Callable[[int], SamplePair],
    methods: Sequence[str] | str | None = None,
    *,
    repeats: int,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
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
    options: dict[str, Any] = {"k": k, "bandwidth": bandwidth, "split": split, "memory_limit": memory_limit}
    runs = []
    for repeat in range(repeats):
        tick = None if progress is None else _part(progress, repeat, 1, repeats)
        runs.append(estimate(draw(seed + repeat), methods, seed=seed + repeat, progress=tick, **options))
    return {method: tuple(run[method] for run in runs) for method in method_names(methods)}


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
    real, generated = Distances(drawn).mean_radii(check_k(resolve_k(k, pair), drawn))
    return (real + generated) / 2


def measure(
    split: Split,
    wanted: Sequence[tuple[str, int, float | None]],
    seed: int,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
    *,
    distances: Distances | None = None,
) -> list[Estimate]:
    """One estimate per (method, k, bandwidth), all families that count in balls in one pass.

    Of the progress each different estimate is an equal share. ``distances``: those of the split, if at hand.
    """
    checked = [(method, check_k(k, split), check_bandwidth(width)) for method, k, width in wanted]
    n_real = len(split.evaluate_rows[0])
    supports: dict[tuple[str, int, float | None], Supports] = {}
    balls = {
        each: estimator.balls(k=each[1], bandwidth=each[2])
        for each in checked
        if isinstance(estimator := ESTIMATORS[each[0]], BallEstimator)
    }
    tell, total = progress or (lambda _: None), len(dict.fromkeys(checked))
    if balls:
        tick = _part(tell, 0, len(balls), total)
        distances = distances or Distances(split, memory_limit=memory_limit)
        counted = distances.count(list(balls.values()), progress=tick)
        supports |= {
            each: Supports(counts.real, counts.generated, n_real, counts.radii)
            for each, counts in zip(balls, counted, strict=True)
        }
    for each in dict.fromkeys(checked):
        if isinstance(estimator := ESTIMATORS[each[0]], DirectEstimator):
            tell(len(supports) / total)
            supports[each] = estimator.supports(split, k=each[1], bandwidth=each[2], seed=seed)
            tell(len(supports) / total)
    return [Estimate(each[0], each[1], supports[each].bandwidth, supports[each]) for each in checked]


def method_names(methods: Sequence[str] | str | None) -> list[str]:
    """The names asked for, each once; None: DEFAULT_METHODS. Raises ValueError for others, or for none at all."""
    names = list(DEFAULT_METHODS) if methods is None else [methods] if isinstance(methods, str) else list(methods)
    unknown = [name for name in names if name not in ESTIMATORS]
    if unknown or not names:
        raise ValueError(f"methods = {methods!r}; one or more of {', '.join(ESTIMATORS)} are needed")
    return list(dict.fromkeys(names))


def _part(progress: Progress, begun: int, size: int, total: int) -> Progress:
    """The progress of one part of the whole."""
    return lambda fraction: progress((begun + size * fraction) / total)
