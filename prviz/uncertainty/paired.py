"""Two generators against the same real samples: which is better, and whether it could be the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prviz.curves import PRCurve
from prviz.estimators import Supports, resolve_k
from prviz.measure.estimates import K, estimate
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import SamplePair, Samples, as_samples
from prviz.uncertainty.bootstrap import LEVEL, REPLICATES, Spread, check_resampling, interval
from prviz.uncertainty.resampling import draws, evaluated_together, ranked, replicate

__all__ = ["Difference", "GeneratorComparison", "compare", "compare_runs"]


class Difference(NamedTuple):
    """One summary of two generators.

    Parameters
    ----------
    a, b : float
        Its values.
    difference : float
        a - b.
    low, high : float
        The interval of the difference. Where it holds 0, the samples don't tell the two apart.
    share_above : float
        Share of the replicates in which a is above b; one in which they are equal counts half.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    share_above: float


@dataclass(frozen=True, eq=False)
class GeneratorComparison:
    """Two generators measured against the same real samples, by one family.

    Parameters
    ----------
    a, b : Spread
        The curve of each and its replicates: the same real samples drawn again for both, the generated ones of
        each by themselves.
    """

    a: Spread
    b: Spread

    def __reduce__(self) -> tuple[Any, ...]:
        return GeneratorComparison, (self.a, self.b)

    @cached_property
    def differences(self) -> Mapping[str, Difference]:
        """Both values of every summary and their difference, by the keys of `prviz.curves.summaries`."""
        return {key: self._difference(key) for key in self.a.values}

    def _difference(self, key: str) -> Difference:
        a, b = self.a.values[key], self.b.values[key]
        apart = self.a.replicates[key] - self.b.replicates[key]
        above = float(np.mean((np.sign(apart) + 1) / 2))
        return Difference(a, b, a - b, *interval(apart, self.a.level), above)


def compare(
    real: Samples | ArrayLike,
    generated_a: Samples | ArrayLike,
    generated_b: Samples | ArrayLike,
    method: str = "knn",
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    memory_limit: int = MEMORY_LIMIT,
) -> GeneratorComparison:
    """Two generators on the same real samples: a paired bootstrap of the difference of every summary.

    Both are measured at the same k, with the same real samples to fit and to evaluate: which of them are drawn depends
    on the seed and on how many there are. Each replicate draws the real evaluation samples again once, for both, so
    that what they have in common cancels in the difference; the generated ones of each by themselves. As in
    `prviz.bootstrap` the supports stay as they are. A bias that both share cancels too, as far as it is the same: it
    depends on how many samples there are, so give both generators as many.

    Parameters
    ----------
    real, generated_a, generated_b : array_like or Samples
        (n, d), (m_a, d) and (m_b, d) samples.
    method, bandwidth, split, seed, memory_limit : optional
        As in `prviz.pr_curve`; the seed is also that of the replicates.
    k : int or "sqrt"
        Number of neighbours, or "sqrt": floor(sqrt(n)), n the size of the smallest of the three sets.
    replicates, level : optional
        As in `prviz.bootstrap`.

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
    pairs = [SamplePair(reference, each) for each in named]
    number = min(resolve_k(k, pair) for pair in pairs)
    options: dict[str, Any] = {"k": number, "bandwidth": bandwidth, "split": split, "seed": seed}
    found = [estimate(pair, method, memory_limit=memory_limit, **options)[method] for pair in pairs]
    curves, runs = (found[0].curve, found[1].curve), (found[0].runs, found[1].runs)
    return compare_runs(curves, runs, replicates, seed, level)


def compare_runs(
    curves: tuple[PRCurve, PRCurve],
    runs: tuple[Sequence[Supports], Sequence[Supports]],
    replicates: int,
    seed: int,
    level: float,
    progress: Callable[[float], None] = lambda _: None,
) -> GeneratorComparison:
    """The same of two that are measured already, by one family. ``progress`` is told the share that is done.

    curves : of a and b. runs : the supports of each run of a and of b.

    Raises
    ------
    ValueError : real samples that are not the same for both.
    """
    orders, sizes = [[ranked(run) for run in some] for some in runs], evaluated_together(runs)
    made = []
    for done, (drawn, of_a, of_b) in enumerate(draws(sizes, replicates, seed)):
        progress(done / replicates)
        made.append((replicate(orders[0], drawn, of_a), replicate(orders[1], drawn, of_b)))
    a, b = (Spread(curve, some, level) for curve, some in zip(curves, zip(*made, strict=True), strict=True))
    return GeneratorComparison(a, b)
