"""Expected time of a measurement on this machine, and the choice of a seeded subsample if it would
take too long.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from prviz.arrays import Ints
from prviz.neighbors import native
from prviz.neighbors.threads import available_threads, one_blas_thread
from prviz.samples import CUT, SamplePair, Samples

# The cost model and its measured or chosen constants, most of them in seconds. The estimate is the
# sum of
#   FIXED
#   + values * VALUE, and values * DRAWN if the samples are drawn
#   + curves * (HULL + HULL_POINT * points)
#   + pairs * d * product * PRODUCT / threads
#   + compare * (pairs * PER_PAIR + points * k * RANK) / threads
#   + WHOLE * points, without split
#   + DIRECT * the time of a pass for four curves, for every k of each family with a pass of its own
#   + FIXED_FAMILY + FIXED_VALUE * values, for each family that is fitted once for all k
# points: evaluation samples. pairs: pairs of an evaluation and a fit sample, and pairs inside the
# fit sets; without split, each pair of samples once and pairs inside a set twice. curves: methods *
# ks + bandwidths. PER_PAIR is BASE + COUNT * curves for up to FEW curves. More curves share a sort
# or a histogram: PER_PAIR is then BULK, and BULK_RANK takes the place of RANK. Without compiled
# inner loops, compare is multiplied by NUMPY.
# A measurement that takes longer than this is not live: it shows progress and offers a subsample.
LIVE_SECONDS = 1.0
FIXED = 0.02  # Starting threads, and computing summaries.
VALUE = 1.5e-8  # Preparing one value of the samples.
DRAWN = 3e-8  # Drawing one value of the samples.
HULL = 2e-4  # The hull of one curve.
HULL_POINT = 6e-8  # Sorting one sample's supports for a curve.
PRODUCT = 1.3  # A product with blocks and error bounds, relative to the bare product.
FEW = 8
BASE = 5.0
COUNT = 2.0
RANK = 700.0  # In comparisons: adding one more neighbour to a point's list.
BULK = 18.0
BULK_RANK = 3500.0
NUMPY = 1.3
WHOLE = 3e-5  # Neighbour lists and radius bounds of one point.
DIRECT = 2.0  # In passes for four curves: one k of a family with a pass of its own.
FIXED_FAMILY = 0.1
# Measured for trees, perceptrons and clusters; linear classifiers take less.
FIXED_VALUE = 1.5e-6
# Approximate curves, on two cores: seconds = lists * (LIST + LIST_VALUE * d + LIST_FIT * sqrt(fit
# samples of a set)). At most LISTS_AT_MOST lists are searched: those of 10,000 evaluation and
# 20,000 fit samples per set, in two indexes.
LISTS_AT_MOST = 80_000
LIST = 5e-5
LIST_VALUE = 1.1e-6
LIST_FIT = 1.3e-6
# FILE_SECONDS: if a whole file would take longer on the reference machine, only the largest number
# in FILE_ROWS that fits is measured of each set by default; all rows if that is already NEARLY_ALL
# of them (as a share).
FILE_SECONDS = 10.0
FILE_ROWS = (1_000, 2_000, 5_000, 10_000)
NEARLY_ALL = 0.9
PROBE_ROWS = 384
PROBE_FEATURES = 64
PROBE_RUNS = 15


class Machine(NamedTuple):
    """A machine's speed: seconds per multiply-add of a distance product and per comparison on one
    thread, the number of threads, and whether the C loops are compiled.
    """

    product: float
    compare: float
    threads: int
    compiled: bool


# The two-core machine on which the constants were measured. A decision based on it is the same on
# every machine.
REFERENCE = Machine(2e-11, 5e-10, 2, compiled=True)


def _fastest(work: Callable[[], object]) -> float:
    """The shortest of PROBE_RUNS timings, in seconds: other processes can only make a timing
    longer.
    """
    seconds = math.inf
    for _ in range(PROBE_RUNS):
        start = time.perf_counter()
        work()
        seconds = min(seconds, time.perf_counter() - start)
    return seconds


@lru_cache(maxsize=1)
def _speed() -> tuple[float, float]:
    """`Machine.product` and `Machine.compare` of this machine, measured once per process."""
    rows = np.random.default_rng(0).standard_normal((PROBE_ROWS, PROBE_FEATURES), dtype=np.float32)
    product = rows @ rows.T
    distances = PROBE_ROWS**2
    with one_blas_thread():  # More threads would wait for each other on a busy machine.
        multiplied = _fastest(lambda: rows @ rows.T) / (distances * PROBE_FEATURES)
        return multiplied, _fastest(lambda: np.count_nonzero(product <= 0, axis=1)) / distances


def fit_size(n: int, split: float | None) -> int:
    """Number of samples, among ``n``, that define the classifiers; as `SamplePair.split` draws
    them.
    """
    if split is None:
        return n
    return min(max(round(split * n), 1), max(n - 1, 1))


class Options(TypedDict, total=False):
    """Extent of a measurement, without the sizes of the pair.

    methods : number of estimators that share a pass over the distances; default 4.
    direct : number of estimators that need a pass of their own for every k; default 0.
    fixed : number of classifiers that are fitted once for all k; default 0.
    ks : number of values of k; default 1.
    bandwidths : number of values of the bandwidth, for the one family that uses it; default 0.
    split : share that defines the classifiers; None: all samples define and measure them; default
    0.5.
    drawn : True if the samples are drawn for the measurement, as for a toy; default False.
    """

    methods: int
    direct: int
    fixed: int
    ks: int
    bandwidths: int
    split: float | None
    drawn: bool


def estimate_seconds(n_real: int, n_generated: int, d: int, **options: Unpack[Options]) -> float:
    """Expected seconds of one measurement on this machine, roughly.

    n_real, n_generated, d : sizes and dimension of the pair.
    options : see `Options`.
    """
    return _seconds(
        Machine(*_speed(), available_threads(), native.library() is not None),
        n_real,
        n_generated,
        d,
        options,
    )


def _seconds(machine: Machine, n_real: int, n_generated: int, d: int, options: Options) -> float:
    split = options.get("split", 0.5)
    ks = options.get("ks", 1)
    curves = options.get("methods", 4) * ks + options.get("bandwidths", 0)
    values = (n_real + n_generated) * d * (VALUE + (DRAWN if options.get("drawn") else 0.0))
    alone = options.get("direct", 0) * ks
    fixed = options.get("fixed", 0)
    fitted = fixed * (FIXED_FAMILY + FIXED_VALUE * (n_real + n_generated) * d)
    once = 0.0
    if alone:
        once = DIRECT * _pass_seconds(n_real, n_generated, d, 4, split, machine)
    shared = 0.0
    if curves:
        shared = _pass_seconds(n_real, n_generated, d, curves, split, machine)
    return FIXED + values + fitted + alone * once + shared


def _pass_seconds(
    n_real: int, n_generated: int, d: int, curves: int, split: float | None, machine: Machine
) -> float:
    """Expected seconds of one pass over the distances for this number of curves."""
    fit = (fit_size(n_real, split), fit_size(n_generated, split))
    evaluate = n_real + n_generated - (0 if split is None else sum(fit))
    # Pairs inside the fit sets are needed for the radii of ipr and of the automatic bandwidth.
    inside = fit[0] ** 2 + fit[1] ** 2
    bulk = curves > FEW
    k = math.isqrt(min(n_real, n_generated))
    if split is None and not bulk:
        pairs = inside / 2 + fit[0] * fit[1]
    else:
        pairs = inside + evaluate * sum(fit)
    compared = pairs * (BULK if bulk else BASE + COUNT * curves) + evaluate * k * (
        BULK_RANK if bulk else RANK
    )
    compare = machine.compare * (1.0 if machine.compiled else NUMPY)
    shared = pairs * d * machine.product * PRODUCT + compared * compare
    whole = 0.0 if split is not None or bulk else evaluate * WHOLE
    return whole + curves * (HULL + evaluate * HULL_POINT) + shared / machine.threads


def approximate_seconds(
    n_real: int, n_generated: int, d: int, *, split: float | None = 0.5
) -> float:
    """Expected seconds of `prviz.approximate`, roughly; the number of families does not matter."""
    fit = max(fit_size(n_real, split), fit_size(n_generated, split))
    lists = min(3 * (n_real + n_generated), LISTS_AT_MOST)
    return (
        0.1 + lists * (LIST + LIST_VALUE * d + LIST_FIT * math.sqrt(fit)) * 2 / available_threads()
    )


def needs_subsample(
    n_real: int,
    n_generated: int,
    d: int,
    *,
    limit: float = LIVE_SECONDS,
    **options: Unpack[Options],
) -> bool:
    """True if the pair is too large to be measured at once: the expected time exceeds ``limit``
    seconds.
    """
    return estimate_seconds(n_real, n_generated, d, **options) > limit


def live_size(
    n_real: int,
    n_generated: int,
    d: int,
    *,
    limit: float = LIVE_SECONDS,
    **options: Unpack[Options],
) -> int:
    """The largest n, at least 2, such that a `subsample` of n samples per set is expected to be
    measured within ``limit`` seconds.
    """
    low = 2
    high = max(n_real, n_generated)
    while low < high:
        middle = (low + high + 1) // 2
        if needs_subsample(
            min(middle, n_real), min(middle, n_generated), d, limit=limit, **options
        ):
            high = middle - 1
        else:
            low = middle
    return low


def default_rows(n_real: int, n_generated: int, d: int) -> int:
    """Number of rows of each set of a file that are measured by default: all, or a number in
    FILE_ROWS. It is the same on every machine.
    """
    rows = max(n_real, n_generated)

    def fits(n: int) -> bool:
        return _seconds(REFERENCE, min(n, n_real), min(n, n_generated), d, {}) <= FILE_SECONDS

    few = max(filter(fits, FILE_ROWS), default=FILE_ROWS[0])
    if fits(rows) or few > NEARLY_ALL * rows:
        return rows
    return few


def subsample_rows(size: int, n: int, seed: int = 0) -> Ints:
    """The row numbers, increasing, that `subsample` draws from a set of ``size`` samples; at most
    ``n``.
    """
    if n >= size:
        return np.arange(size)
    return np.sort(np.random.default_rng(seed).permutation(size)[:n])


def cut(samples: Samples, size: int, seed: int) -> Samples:
    """At most ``size`` samples, drawn by the seed. If some are left out, the samples get a note
    that says so.
    """
    if samples.n <= size:
        return samples
    drawn = samples.take(subsample_rows(samples.n, size, seed))
    return replace(drawn, notes=(*samples.notes, f"{CUT} {size:,} of {samples.n:,} samples"))


def subsample(pair: SamplePair, n: int, seed: int = 0) -> SamplePair:
    """At most ``n`` samples of each set, drawn without replacement, with their labels and images.

    The rows keep their order. The draws of both sets start from the same seed, so that swapping the
    roles swaps the result. A set of at most ``n`` samples stays whole.
    """
    if n < 2:
        raise ValueError(f"n = {n}; a subsample of at least 2 samples per set is needed")
    return pair.having(cut(pair.real, n, seed), cut(pair.generated, n, seed))


def duration(seconds: float) -> str:
    """A rounded number of seconds as text, such as "about 5 min"."""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"
