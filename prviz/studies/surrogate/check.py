"""Quality of a surrogate: a two-sample test of each set against fresh samples of its own fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Floats
from prviz.estimators._fitting import one_thread
from prviz.measure.estimates import Progress
from prviz.measure.workload import subsample_rows
from prviz.neighbors import nearest_rows
from prviz.neighbors.threads import part_of
from prviz.samples import Samples
from prviz.studies.surrogate.densities import Density
from prviz.studies.surrogate.fitting import fit_density
from prviz.studies.surrogate.surrogate import Surrogate
from prviz.studies.tasks import check_whole

# Most samples of either kind that are compared, and number of neighbours of each.
MOST_COMPARED = 1000
NEIGHBOURS = 10
# Replicates under "the fit is right": of exchanged labels, of quick refits and of slow ones.
_EXCHANGES = 999
_REFITS = 99
_FEW_REFITS = 19
# Largest number of samples, and of products n * d^2, of a quick refit.
_QUICK_SIZE = 300
_QUICK_REFIT = 30_000_000
# Samples per direction below which a Gaussian is fitted too closely to its set for an exchange of
# labels.
_SURE = 50
# A fit is poor if the p-value is at most the first number and the statistic at least the second.
_LEVEL = 0.01
_MATERIAL = 0.05


@dataclass(frozen=True)
class FitCheck:
    """One set against fresh samples of its fit, by the 10 nearest neighbours of every sample among both.

    own : mean share of samples of the set among the neighbours of a sample of the set; half where
    the fit is right.
    fresh : mean share of fresh samples among the neighbours of a fresh sample.
    statistic : the root of the mean of (own - expected)^2 and (fresh - expected)^2, with the mean
    shares expected where
        the fit is right.
    p_value : probability of such a statistic, or a larger one, where the fit is right.
    poor : True if p_value is at most 0.01 (or the least that the draws allow) and the statistic at
    least 0.05.
    name : "real" or "generated".

    Source of the statistic: Mondal, Biswas, Ghosh 2015. Unlike the share over both kinds together,
    it also detects that one kind lies closer together than the other.
    """

    name: str
    own: float
    fresh: float
    statistic: float
    p_value: float
    poor: bool

    @property
    def words(self) -> str:
        """The check in one or two plain sentences."""
        shares = (
            f"Among the {NEIGHBOURS} nearest neighbours of a {self.name} sample {self.own:.0%} are"
            f" {self.name} ones, and among those of a sample drawn from the fit {self.fresh:.0%}"
            " are drawn from the fit"
        )
        if not self.poor:
            return f"{shares}: the fit looks like the {self.name} set."
        return (
            f"{shares}: a good fit has about half of each. The fit is poor, so the {self.name} set"
            " has a shape that the surrogate lacks: read the verdict with care."
        )


class FitChecks(NamedTuple):
    """The checks of both sets."""

    real: FitCheck
    generated: FitCheck

    @property
    def poor(self) -> bool:
        """True if one of the fits is poor."""
        return self.real.poor or self.generated.poor


def fit_check(stand_in: Surrogate, seed: int = 0, progress: Progress | None = None) -> FitChecks:
    """Test each set against fresh samples of its own fit, in the coordinates of the estimators.

    At most 1,000 samples of either kind are compared. The p-value comes from exchanging set and fit
    at random. Where a Gaussian has fewer than 50 samples per direction, or a covariance was shrunk,
    even the right fit differs from its set; there the p-value comes from the whole procedure: sets
    are drawn from the fit, fitted again and compared with their own fits.

    seed : seed of the draws. progress : called with the fraction done; may raise to stop.

    Raises ValueError for a seed that is no whole number from 0.
    """
    check_whole("seed", seed, 0)
    streams = np.random.SeedSequence(seed).spawn(2)
    with one_thread():
        real, generated = (
            _check(stand_in, name, np.random.default_rng(stream), part_of(progress, i, 2))
            for i, (name, stream) in enumerate(zip(("real", "generated"), streams, strict=True))
        )
    return FitChecks(real, generated)


def _check(
    stand_in: Surrogate, name: str, rng: np.random.Generator, progress: Progress
) -> FitCheck:
    samples: Samples = getattr(stand_in.projected, name)
    density: Density = getattr(stand_in, name)
    progress(0.0)
    neighbours = _neighbours(samples.values, density, rng)
    is_own = np.arange(len(neighbours)) < len(neighbours) // 2
    own, fresh = _shares(neighbours, is_own)
    if density.shrinkage > 0 or (density.components == 1 and samples.n < _SURE * samples.d):
        chance = np.array(list(_refits(stand_in, samples.n, density, rng, progress)))
    else:
        chance = np.array([_shares(neighbours, rng.permutation(is_own)) for _ in range(_EXCHANGES)])
    expected = chance.mean(axis=0)
    statistic = _distance(np.array([[own, fresh]]), expected)[0]
    others = _distance(chance, expected)
    p_value = (1 + int((others >= statistic).sum())) / (1 + len(others))
    poor = bool(p_value <= max(_LEVEL, 1 / (1 + len(others))) and statistic >= _MATERIAL)
    return FitCheck(name, own, fresh, float(statistic), p_value, poor)


def _neighbours(values: Floats, density: Density, rng: np.random.Generator) -> NDArray[np.intp]:
    """(2 m, k) rows of the nearest neighbours of every sample among m of the set, first, and m fresh ones."""
    m = min(len(values), MOST_COMPARED)
    own = values[subsample_rows(len(values), m, int(rng.integers(1 << 31)))]
    points = np.concatenate((own, density.sample(m, rng)))
    k = min(NEIGHBOURS, 2 * m - 1)
    nearest, _ = nearest_rows(points, np.arange(2 * m), k + 1, points)
    is_self = nearest == np.arange(2 * m)[:, None]
    is_self[~is_self.any(axis=1), -1] = (
        True  # the sample comes after more than k duplicates of itself
    )
    others: NDArray[np.intp] = nearest[~is_self].reshape(2 * m, k)
    return others


def _shares(neighbours: NDArray[np.intp], is_own: NDArray[np.bool_]) -> tuple[float, float]:
    """Mean share of the set among its samples' neighbours, and of fresh samples among fresh samples' neighbours."""
    near = is_own[neighbours].mean(axis=1)
    return float(near[is_own].mean()), float(1 - near[~is_own].mean())


def _refits(
    stand_in: Surrogate, n: int, density: Density, rng: np.random.Generator, progress: Progress
) -> Iterator[tuple[float, float]]:
    """Shares of sets of n samples drawn from the fit, each against a fit of its own."""
    quick = density.components == 1 and n <= _QUICK_SIZE and n * density.d**2 <= _QUICK_REFIT
    draws = _REFITS if quick else _FEW_REFITS
    for done in range(draws):
        progress(done / draws)
        values = density.sample(n, rng)
        refitted = fit_density(values, stand_in.options, stand_in.least, (density.components,))
        neighbours = _neighbours(values, refitted, rng)
        yield _shares(neighbours, np.arange(len(neighbours)) < len(neighbours) // 2)


def _distance(shares: Floats, expected: Floats) -> Floats:
    """(b,) root mean squared difference of shares (b, 2) from the expected ones (2,)."""
    result: Floats = np.sqrt(((shares - expected) ** 2).mean(axis=1))
    return result
