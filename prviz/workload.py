"""How long a measurement will take on this machine, and a seeded subsample for when that is too long."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from prviz.samples import SamplePair, Samples

__all__ = ["LIVE_SECONDS", "estimate_seconds", "fit_size", "live_size", "needs_subsample", "subsample"]

# The cost model, all of it: every constant that was measured or chosen is here.
#   seconds = FIXED + FACTOR * (distances * (d * product + SELECT * compare) + tests * compare)
LIVE_SECONDS = 2.0  # longer than this is not live: offer a subsample
FIXED = 0.01  # sorting, hulls and summaries
FACTOR = 1.5  # what blocks, bounds and exact re-checks add to the bare loops
SELECT = 4.0  # keeping the nearest neighbours of one distance, in units of one counted comparison
PROBE_ROWS = 384
PROBE_FEATURES = 64
PROBE_RUNS = 3


class _Speed(NamedTuple):
    """Seconds for one multiply-add of a distance product and for one counted comparison."""

    product: float
    compare: float


def _fastest(work: Callable[[], object]) -> float:
    """The least of a few timings: other processes only ever add to one."""
    seconds = math.inf
    for _ in range(PROBE_RUNS):
        start = time.perf_counter()
        work()
        seconds = min(seconds, time.perf_counter() - start)
    return seconds


@lru_cache(maxsize=1)
def _speed() -> _Speed:
    """Measure one small float32 product and one count: a few milliseconds, once per process."""
    rows = np.random.default_rng(0).standard_normal((PROBE_ROWS, PROBE_FEATURES), dtype=np.float32)
    product = rows @ rows.T
    distances = PROBE_ROWS**2
    return _Speed(
        _fastest(lambda: rows @ rows.T) / (distances * PROBE_FEATURES),
        _fastest(lambda: np.count_nonzero(product <= 0, axis=1)) / distances,
    )


def fit_size(n: int, split: float | None) -> int:
    """How many of ``n`` samples define the classifiers, as `SamplePair.split` draws them."""
    return n if split is None else min(max(round(split * n), 1), max(n - 1, 1))


def estimate_seconds(
    n_real: int,
    n_generated: int,
    d: int,
    *,
    methods: int = 4,
    curves: int = 1,
    split: float | None = 0.5,
) -> float:
    """Seconds that one measurement should take on this machine: a rough figure.

    Parameters
    ----------
    n_real, n_generated, d : sizes and dimension of the pair.
    methods : number of estimators.
    curves : number of values of k or the bandwidth that one pass over the data serves.
    split : share that defines the classifiers; None: all samples define them and all measure them.
    """
    fit = (fit_size(n_real, split), fit_size(n_generated, split))
    evaluate = n_real + n_generated - (0 if split is None else sum(fit))
    across = evaluate * sum(fit)
    inside = fit[0] ** 2 + fit[1] ** 2  # for the radii of ipr and of the automatic bandwidth
    speed = _speed()
    distances = (across + inside) * (d * speed.product + SELECT * speed.compare)
    return FIXED + FACTOR * (distances + across * methods * curves * speed.compare)


def needs_subsample(
    n_real: int,
    n_generated: int,
    d: int,
    *,
    methods: int = 4,
    curves: int = 1,
    split: float | None = 0.5,
    limit: float = LIVE_SECONDS,
) -> bool:
    """Whether the pair is too large to be measured live: its estimated time exceeds ``limit`` seconds."""
    return estimate_seconds(n_real, n_generated, d, methods=methods, curves=curves, split=split) > limit


def live_size(
    n_real: int,
    n_generated: int,
    d: int,
    *,
    methods: int = 4,
    curves: int = 1,
    split: float | None = 0.5,
    limit: float = LIVE_SECONDS,
) -> int:
    """The largest n for `subsample` whose estimated time is within ``limit`` seconds; at least 2."""
    low, high = 2, max(n_real, n_generated, 2)
    while low < high:
        middle = (low + high + 1) // 2
        sizes = (min(middle, n_real), min(middle, n_generated))
        if needs_subsample(*sizes, d, methods=methods, curves=curves, split=split, limit=limit):
            high = middle - 1
        else:
            low = middle
    return low


def _drawn(samples: Samples, n: int, seed: int) -> Samples:
    if n >= samples.n:
        return samples
    return samples.take(np.sort(np.random.default_rng(seed).permutation(samples.n)[:n]))


def subsample(pair: SamplePair, n: int, seed: int = 0) -> SamplePair:
    """At most ``n`` samples of each set, drawn without replacement, with their labels and images.

    The rows keep their order. Both sets are drawn by the same stream, so that swapping the roles swaps the
    result. A set of ``n`` or fewer stays whole.

    Raises
    ------
    ValueError : n below 2.
    """
    if n < 2:
        raise ValueError(f"n = {n}; a subsample of at least 2 samples per set is needed")
    return SamplePair(_drawn(pair.real, n, seed), _drawn(pair.generated, n, seed))
