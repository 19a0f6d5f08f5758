"""How long a measurement will take on this machine, and a seeded subsample for when that is too long."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors import native
from prviz.neighbors.threads import available_threads, one_blas_thread
from prviz.samples import SamplePair, Samples

__all__ = [
    "LIVE_SECONDS",
    "Options",
    "approximate_seconds",
    "duration",
    "estimate_seconds",
    "fit_size",
    "live_size",
    "needs_subsample",
    "subsample",
    "subsample_rows",
]

# The cost model, all of it: every constant that was measured or chosen is here.
#   seconds = FIXED + (VALUE, and DRAWN if they are drawn) * values + curves * (HULL + HULL_POINT * points)
#             + [pairs * d * product * PRODUCT + compare * (pairs * PER_PAIR + points * k * RANK)] / threads
#             + WHOLE * points without split
#             + DIRECT * such a pass of four curves, for every k of every family that shares none
#             + FIXED_FAMILY + FIXED_VALUE * values, for every family that is fitted once, whatever k
# points: evaluation samples; pairs: those of an evaluation and a fit sample and those inside the fit sets, or, without
# split, each pair of samples once and those inside a role twice; curves: methods * ks + bandwidths. PER_PAIR is
# BASE + COUNT * curves up to FEW curves; more share a sort or a histogram: BULK, and BULK_RANK instead of RANK.
# Where the inner loops were not compiled, compare is NUMPY times what it is.
LIVE_SECONDS = 1.0  # longer than this is not live: show progress, offer a subsample
FIXED = 0.02  # threads and summaries
VALUE = 1.5e-8  # preparing one value of the samples
DRAWN = 3e-8  # drawing it besides
HULL, HULL_POINT = 2e-4, 6e-8  # from the supports to the curve
PRODUCT = 1.3  # what blocks and bounds add to a bare product
FEW = 8
BASE, COUNT, RANK = 5.0, 2.0, 700.0  # passes over a block of distances, and keeping one more neighbour of a point
BULK, BULK_RANK = 18.0, 3500.0
NUMPY = 1.3
WHOLE = 3e-5  # lists and guesses
DIRECT = 2.0  # one k of a family that goes over the data by itself, in passes of four families
FIXED_FAMILY, FIXED_VALUE = 0.1, 1.5e-6  # of trees, perceptrons and clusters; linear classifiers take less
# Approximate curves, on two cores: seconds = lists * (LIST + LIST_VALUE * d + LIST_FIT * sqrt(fit samples of a set))
LISTS_AT_MOST = 80_000  # of 10,000 evaluation samples and 20,000 fit samples per set, in two indexes
LIST, LIST_VALUE, LIST_FIT = 5e-5, 1.1e-6, 1.3e-6
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


class Options(TypedDict, total=False):
    """What a measurement is made of, beside the sizes of the pair.

    methods : number of estimators that share a pass over the data; 4.
    direct : number of those that go over the data by themselves for every k; 0.
    fixed : number of those that are fitted once, whatever k; 0.
    ks : values of k; 1.
    bandwidths : values of the bandwidth besides, of the one family that tunes it; 0.
    split : share that defines the classifiers; None: all samples define them and all measure them; 0.5.
    drawn : whether the samples are drawn for it, as those of a toy problem are; False.
    """

    methods: int
    direct: int
    fixed: int
    ks: int
    bandwidths: int
    split: float | None
    drawn: bool


def estimate_seconds(n_real: int, n_generated: int, d: int, **options: Unpack[Options]) -> float:
    """Seconds that one measurement should take on this machine: a rough figure.

    n_real, n_generated, d : sizes and dimension of the pair; the rest: see `Options`.
    """
    split, ks = options.get("split", 0.5), options.get("ks", 1)
    curves = options.get("methods", 4) * ks + options.get("bandwidths", 0)
    values = (n_real + n_generated) * d * (VALUE + (DRAWN if options.get("drawn") else 0.0))
    alone, fixed = options.get("direct", 0) * ks, options.get("fixed", 0)
    fitted = fixed * (FIXED_FAMILY + FIXED_VALUE * (n_real + n_generated) * d)
    once = DIRECT * _pass_seconds(n_real, n_generated, d, 4, split) if alone else 0.0
    shared = _pass_seconds(n_real, n_generated, d, curves, split) if curves else 0.0
    return FIXED + values + fitted + alone * once + shared


def _pass_seconds(n_real: int, n_generated: int, d: int, curves: int, split: float | None) -> float:
    """Of one pass over the distances that serves so many curves."""
    fit = (fit_size(n_real, split), fit_size(n_generated, split))
    evaluate = n_real + n_generated - (0 if split is None else sum(fit))
    inside = fit[0] ** 2 + fit[1] ** 2  # for the radii of ipr and of the automatic bandwidth
    bulk, speed, k = curves > FEW, _speed(), math.isqrt(min(n_real, n_generated))
    pairs = inside / 2 + fit[0] * fit[1] if split is None and not bulk else inside + evaluate * sum(fit)
    compared = pairs * (BULK if bulk else BASE + COUNT * curves) + evaluate * k * (BULK_RANK if bulk else RANK)
    compare = speed.compare * (1.0 if native.library() else NUMPY)
    shared = pairs * d * speed.product * PRODUCT + compared * compare
    whole = 0.0 if split is not None or bulk else evaluate * WHOLE
    return whole + curves * (HULL + evaluate * HULL_POINT) + shared / available_threads()


def approximate_seconds(n_real: int, n_generated: int, d: int, *, split: float | None = 0.5) -> float:
    """Seconds that `prviz.approximate` should take: a rough figure, the same for any number of families."""
    fit = max(fit_size(n_real, split), fit_size(n_generated, split))
    lists = min(3 * (n_real + n_generated), LISTS_AT_MOST)
    return 0.1 + lists * (LIST + LIST_VALUE * d + LIST_FIT * math.sqrt(fit)) * 2 / available_threads()


def needs_subsample(
    n_real: int, n_generated: int, d: int, *, limit: float = LIVE_SECONDS, **options: Unpack[Options]
) -> bool:
    """Whether the pair is too large to be measured live: its estimated time exceeds ``limit`` seconds."""
    return estimate_seconds(n_real, n_generated, d, **options) > limit


def live_size(n_real: int, n_generated: int, d: int, *, limit: float = LIVE_SECONDS, **options: Unpack[Options]) -> int:
    """The largest n for `subsample` whose estimated time is within ``limit`` seconds; at least 2."""
    low, high = 2, max(n_real, n_generated, 2)
    while low < high:
        middle = (low + high + 1) // 2
        if needs_subsample(min(middle, n_real), min(middle, n_generated), d, limit=limit, **options):
            high = middle - 1
        else:
            low = middle
    return low


def _drawn(samples: Samples, n: int, seed: int) -> Samples:
    if n >= samples.n:
        return samples
    return samples.take(subsample_rows(samples.n, n, seed))


def subsample_rows(size: int, n: int, seed: int = 0) -> NDArray[np.intp]:
    """Which rows of a set of ``size`` samples `subsample` draws, increasing: at most ``n``."""
    if n >= size:
        return np.arange(size)
    return np.sort(np.random.default_rng(seed).permutation(size)[:n])


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


def duration(seconds: float) -> str:
    """So many seconds in words, as exact as an estimate is."""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60)} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
