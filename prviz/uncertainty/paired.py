"""Two generators compared on the same real samples, with intervals of their differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prviz.curves.frozen import ReadOnlyArrays
from prviz.estimators import resolve_k
from prviz.measure.estimates import Estimate, K, estimate
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import SamplePair, Samples, SplitRatio, as_samples
from prviz.uncertainty.bootstrap import LEVEL, REPLICATES, Spread, check_resampling, interval, replicated


class Difference(NamedTuple):
    """One summary of two generators.

    a, b, difference : values of the two generators, and a - b.
    low, high : interval of the difference. If it holds 0, the samples don't distinguish the two.
    share_above : share of the replicates in which a is above b; a replicate with equal values counts half.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    share_above: float


@dataclass(frozen=True, eq=False)
class GeneratorComparison(ReadOnlyArrays):
    """Two generators measured against the same real samples, by one family.

    Parameters
    ----------
    a, b : Spread
        Curve and replicates of each generator: the same draws of real samples for both, independent draws of
        generated ones.
    """

    a: Spread
    b: Spread

    @cached_property
    def differences(self) -> Mapping[str, Difference]:
        """Difference of every summary, with both values, by the keys of `prviz.curves.summaries`."""
        differences = {}
        for key, a in self.a.values.items():
            b, apart = self.b.values[key], self.a.replicates[key] - self.b.replicates[key]
            above = float(np.mean((np.sign(apart) + 1) / 2))
            differences[key] = Difference(a, b, a - b, *interval(apart, self.a.level), above)
        return differences


def compare(
    real: Samples | ArrayLike,
    generated_a: Samples | ArrayLike,
    generated_b: Samples | ArrayLike,
    method: str = "knn",
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: SplitRatio = 0.5,
    seed: int = 0,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    memory_limit: int = MEMORY_LIMIT,
) -> GeneratorComparison:
    """Paired bootstrap of two generators on the same real samples: the difference of every summary.

    Both are measured at the same k, with the same real samples to fit and to evaluate, chosen by the seed and their
    number. Each replicate draws the real evaluation samples once for both generators, so that common variation cancels
    in the difference; generated samples are drawn separately. As in `prviz.bootstrap` the supports stay fixed. An equal
    bias of both cancels too; bias depends on the number of samples, so give both generators equally many.

    Parameters
    ----------
    real, generated_a, generated_b : array_like or Samples
        (n, d), (m_a, d) and (m_b, d) samples.
    method : str
        A name in ESTIMATORS.
    k : int or "sqrt"
        Number of neighbours, or "sqrt": floor(sqrt(n)), n the size of the smallest of the three sets.
    bandwidth, split, seed : optional
        As in `prviz.pr_curve`; the seed is also that of the replicates.
    replicates, level : optional
        As in `prviz.bootstrap`.
    memory_limit : int
        As in `prviz.pr_curve`.

    Returns
    -------
    GeneratorComparison
        Both curves with their replicates, and the interval of the difference of every summary.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve` and `prviz.bootstrap`.
    """
    check_resampling(replicates, seed, level)
    reference = as_samples(real, name="real")
    named = (as_samples(generated_a, name="generated_a"), as_samples(generated_b, name="generated_b"))
    pairs = [SamplePair(reference, generated) for generated in named]
    number = min(resolve_k(k, pair) for pair in pairs)
    a, b = (
        estimate(pair, method, k=number, bandwidth=bandwidth, split=split, seed=seed, memory_limit=memory_limit)[method]
        for pair in pairs
    )
    return compare_estimates(a, b, replicates, seed, level)


def compare_estimates(
    a: Estimate,
    b: Estimate,
    replicates: int,
    seed: int,
    level: float,
    progress: Callable[[float], None] = lambda _: None,
) -> GeneratorComparison:
    """`compare` for two generators measured already, by one family; progress is called with the fraction done.

    Raises ValueError: real samples that are not the same for both.
    """
    curves_a, curves_b = zip(*replicated((a.runs, b.runs), replicates, seed, progress), strict=True)
    return GeneratorComparison(Spread(a.curve, curves_a, level), Spread(b.curve, curves_b, level))
