"""Checks a surrogate: compares areas of estimates on samples of the surrogate with those on the
data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from prviz.arrays import Floats
from prviz.estimators import DEFAULT_METHODS
from prviz.estimators.base import resolve_k
from prviz.measure.estimates import K, Progress, Wanted, measure, passes
from prviz.measure.workload import estimate_seconds, subsample
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import SamplePair, Samples
from prviz.studies.surrogate.densities import Kernels, WeighedSamples

# A setting: method, k, and share of the samples to fit (None: no split).
Setting = tuple[str, K, float | None]
# Largest number of samples of a set that are measured.
MOST_MEASURED = 2_000
# Fewest samples of a set with which k = 5 is measured; a split leaves half of them.
_FEWEST_OF_FIVE = 16
SPLITS = (None, 0.5)
# Number of splits of the data over which areas are averaged.
_OWN_SPLITS = 3
# Number of samples drawn from the surrogate at each end of the range of sharpness.
_AT_ENDS = 4
# Number of samples drawn from the surrogate at the chosen sharpness.
_AT_CHOSEN = 5
# Sharpness is searched from 1 / WIDEST to WIDEST.
WIDEST = 1.25
# If the mean difference of areas changes by less than this over the range of sharpness, sharpness
# stays 1.
_LEAST_CHANGE = 0.02
# Largest sharpness (or inverse) with which a surrogate passes. Beyond it the classifier has missed
# much of the difference between the sets.
MOST_SHARPENED = 1.12
# Least share of settings whose area on the data is in its 95 % interval. It is far below 95 %,
# because all settings share one draw of the data, so that their errors are correlated.
LEAST_INSIDE = 0.5


class Prediction(NamedTuple):
    """How well a surrogate predicts the areas that are measured on the data.

    settings : the settings measured.
    own : (s,) their areas on the data, means over three splits.
    low, high : (s,) 95 % interval of the area on one more sample of the surrogate, if areas are
    normal.
    off : mean over the settings of |area on the data - mean area on the surrogate|.
    inside : share of the settings whose area on the data is in its interval.
    sharpness : the factor on the classifier's log odds at which mean areas agree.
    passes : True if ``inside`` is at least a half, and ``sharpness`` from 1 / `MOST_SHARPENED` to
    `MOST_SHARPENED`.
    """

    settings: tuple[Setting, ...]
    own: Floats
    low: Floats
    high: Floats
    off: float
    inside: float
    sharpness: float
    passes: bool


class PredictedKernels(NamedTuple):
    """P and Q for the sharpness at which areas on samples of the surrogate agree with those on the
    data.
    """

    real: Kernels
    generated: Kernels
    prediction: Prediction


def predicted(
    pair: SamplePair, samples: WeighedSamples, seed: int = 0, progress: Progress | None = None
) -> PredictedKernels:
    """Choose the sharpness of a surrogate, and compare areas on fresh samples of it with those on
    the data.

    The mean difference between the areas on data and surrogate is measured at both ends of the
    range of sharpness; the chosen sharpness is where it is 0 by interpolation.
    """
    tick = progress or (lambda _: None)
    few = subsample(pair, MOST_MEASURED, seed)
    settings = _settings(few)
    own = np.mean([areas(few, settings, seed + i) for i in range(_OWN_SPLITS)], axis=0)
    runs = _OWN_SPLITS + 2 * _AT_ENDS + _AT_CHOSEN
    done = _OWN_SPLITS
    rng = np.random.default_rng(seed)

    def drawn(densities: tuple[Kernels, Kernels], draws: int) -> Floats:
        nonlocal done
        found = []
        for _ in range(draws):
            tick(done / runs)
            done += 1
            sets = (
                Samples(density.sample(side.n, rng))
                for density, side in zip(densities, few, strict=True)
            )
            found.append(areas(SamplePair(*sets), settings, done))
        return np.stack(found)

    ends = np.log([1 / WIDEST, WIDEST])
    gaps = [
        float((own - drawn(samples.densities(np.exp(at)), _AT_ENDS).mean(axis=0)).mean())
        for at in ends
    ]
    sharpness = 1.0
    if gaps[1] - gaps[0] > _LEAST_CHANGE:
        at = float(np.interp(0.0, gaps, [-1.0, 1.0]))
        sharpness = WIDEST**at
    chosen = samples.densities(sharpness)
    return PredictedKernels(
        *chosen, _prediction(settings, own, drawn(chosen, _AT_CHOSEN), sharpness)
    )


def _prediction(
    settings: tuple[Setting, ...], own: Floats, drawn: Floats, sharpness: float
) -> Prediction:
    """Compare the areas on the data (s,) with the areas ``drawn`` on several samples of the
    surrogate (m, s).
    """
    count = len(drawn)
    means = drawn.mean(axis=0)
    half = stdtrit(count - 1, 0.975) * drawn.std(axis=0, ddof=1) * np.sqrt(1 + 1 / count)
    apart = np.abs(own - means)
    inside = float((apart <= half).mean())
    is_good = inside >= LEAST_INSIDE and abs(np.log(sharpness)) <= np.log(MOST_SHARPENED)
    return Prediction(
        settings,
        own,
        means - half,
        means + half,
        float(apart.mean()),
        inside,
        sharpness,
        bool(is_good),
    )


def _settings(pair: SamplePair) -> tuple[Setting, ...]:
    """The default families at k = sqrt(n) and, if there are enough samples, at k = 5; each with and
    without split.
    """
    ks: tuple[K, ...] = ("sqrt", 5)
    if pair.smaller < _FEWEST_OF_FIVE:
        ks = ("sqrt",)
    by_split = ((method, k) for method in DEFAULT_METHODS for k in ks)
    return tuple((method, k, split) for method, k in by_split for split in SPLITS)


def areas(pair: SamplePair, settings: Sequence[Setting], seed: int) -> Floats:
    """(s,) area under the curve of each setting on a pair of sets."""
    found = dict[Setting, float]()
    for split in SPLITS:
        some = [each for each in settings if each[2] == split]
        wanted: list[Wanted] = [(method, resolve_k(k, pair), None) for method, k, _ in some]
        estimates = measure(pair.split(split, seed), wanted, seed, MEMORY_LIMIT)
        found |= {each: one.curve.auc for each, one in zip(some, estimates, strict=True)}
    return np.array([found[each] for each in settings])


def predicted_seconds(pair: SamplePair, d: int) -> float:
    """Estimated seconds of `predicted` and of the classifier before it."""
    real, generated = (min(each.n, MOST_MEASURED) for each in pair)
    runs = _OWN_SPLITS + 2 * _AT_ENDS + _AT_CHOSEN
    once = [estimate_seconds(real, generated, d, ks=2, split=split) for split in SPLITS]
    learnt = estimate_seconds(pair.real.n, pair.generated.n, d, **passes(["tightest"]))
    return runs * sum(once) + learnt
