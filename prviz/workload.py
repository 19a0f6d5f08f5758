"""How long a measurement will take on this machine, and a seeded subsample for when that is too long."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from prviz.neighbors.threads import available_threads, one_blas_thread
from prviz.samples import SamplePair, Samples

__all__ = ["LIVE_SECONDS", "estimate_seconds", "fit_size", "live_size", "needs_subsample", "subsample"]

# The cost model, all of it: every constant that was measured or chosen is here.
#   seconds = FIXED + VALUE * values + [distances * d * product * PRODUCT
#             + compare * (across * (BASE + COUNT * tests) + points * k * RANK * tests)] / threads
# fitted to runs of n = 500 to 10,000 and d = 64 to 1,024 with and without split, all within a factor of 1.4.
LIVE_SECONDS = 1.0  # longer than this is not live: show progress, offer a subsample
FIXED = 0.012  # sorting, hulls and summaries
VALUE = 1.5e-8  # preparing one value of the samples
PRODUCT = 1.3  # what blocks and bounds add to a bare product
BASE, COUNT = 1.5, 0.75  # passes over a block of distances: always, and per family and value of k
RANK = 300.0  # keeping one more neighbour of one point
PROBE_ROWS = 384
PROBE_FEATURES = 64
PROBE_RUNS = 15


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
    """Measure one small float32 product and one count on one core: some milliseconds, once per process."""
    rows = np.random.default_rng(0).standard_normal((PROBE_ROWS, PROBE_FEATURES), dtype=np.float32)
    product = rows @ rows.T
    distances = PROBE_ROWS**2
    with one_blas_thread():  # more threads on a busy machine would wait for each other
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
    speed, tests, k = _speed(), methods * curves, math.isqrt(min(n_real, n_generated))
    passes = across * (BASE + COUNT * tests) + evaluate * k * RANK * tests
    shared = (across + inside) * d * speed.product * PRODUCT + passes * speed.compare
    return FIXED + VALUE * (n_real + n_generated) * d + shared / available_threads()


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
