"""How good a stand-in is: a two-sample test of each set against fresh samples of its own fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.estimators._fitting import one_thread
from prviz.measure.estimates import Progress, part_of
from prviz.measure.workload import subsample_rows
from prviz.neighbors import nearest_rows
from prviz.samples import Samples
from prviz.studies.surrogate.densities import Density
from prviz.studies.surrogate.fitting import refitted
from prviz.studies.surrogate.surrogate import Surrogate
from prviz.studies.tasks import check_whole

__all__ = ["FitCheck", "FitChecks", "fit_check"]

Floats = NDArray[np.float64]

# Samples of either kind that are compared at most, and neighbours of each that are looked at.
MOST_COMPARED = 1000
NEIGHBOURS = 10
# Draws under "the fit is right": labels exchanged, or sets drawn from the fit and fitted again.
_EXCHANGES, _REFITS, _FEW_REFITS = 999, 99, 19
# Samples, and products of a refit, above which there are few of them.
_QUICK_SIZE, _QUICK_REFIT = 300, 30_000_000
# Samples per direction from which what a Gaussian was fitted to no longer shows.
_SURE = 50
# A fit is poor where chance explains the difference this rarely, and the difference is this large besides.
_LEVEL, _MATERIAL = 0.01, 0.05


@dataclass(frozen=True)
class FitCheck:
    """One set against fresh samples of its fit, by the 10 nearest neighbours of every sample among both.

    own : mean share of samples of the set among the neighbours of a sample of the set; half where the fit is right.
    fresh : mean share of fresh samples among the neighbours of a fresh sample.
    statistic : the root of the mean of (own - expected)^2 and (fresh - expected)^2; expected is what they are on
        average where the fit is right.
    p_value : how often chance gives such a statistic, or a larger one, where the fit is right.
    poor : p_value is at most 0.01 (or the least that the draws allow), and the statistic at least 0.05.
    name : "real" or "generated".

    Source of the statistic: Mondal, Biswas, Ghosh 2015, which unlike the share over both kinds together also sees that
    one kind lies closer together than the other.
    """

    name: str
    own: float
    fresh: float
    statistic: float
    p_value: float
    poor: bool

    @property
    def words(self) -> str:
        """What it says, in one or two plain sentences."""
        told = (
            f"Among the {NEIGHBOURS} nearest neighbours of a {self.name} sample {self.own:.0%} are {self.name} ones, "
            f"and among those of a sample drawn from the fit {self.fresh:.0%} are drawn from the fit"
        )
        if not self.poor:
            return f"{told}: the fit looks like the {self.name} set."
        return (
            f"{told}: a good fit has about half of each. The fit is poor, so the {self.name} set has a shape that the "
            "stand-in lacks: read the verdict with care."
        )


class FitChecks(NamedTuple):
    """The checks of both sets."""

    real: FitCheck
    generated: FitCheck

    @property
    def poor(self) -> bool:
        """Whether one of them is."""
        return self.real.poor or self.generated.poor


def fit_check(stand_in: Surrogate, seed: int = 0, progress: Progress | None = None) -> FitChecks:
    """Test each set against fresh samples of its own fit, in the coordinates in which the estimators see them.

    At most 1,000 samples of either kind are compared. Chance is measured by exchanging set and fit at random. Where a
    Gaussian has fewer than 50 samples for each direction, or a covariance was shrunk, even the right fit differs from
    its set; there chance is measured by the whole procedure: sets are drawn from the fit, fitted again and compared
    with their own fits.

    seed : of the draws. progress : called with the fraction done; may raise to stop.

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


def _check(stand_in: Surrogate, name: str, rng: np.random.Generator, progress: Progress) -> FitCheck:
    samples: Samples = getattr(stand_in.projected, name)
    density: Density = getattr(stand_in, name)
    progress(0.0)
    neighbours = _neighbours(samples.values, density, rng)
    own, fresh = _shares(neighbours, np.arange(len(neighbours)) < len(neighbours) // 2)
    if density.shrinkage > 0 or (density.components == 1 and samples.n < _SURE * samples.d):
        chance = np.array(list(_refits(stand_in, samples.n, density, rng, progress)))
    else:
        chance = np.array(list(_exchanges(neighbours, rng)))
    expected = chance.mean(axis=0)
    statistic, others = _distance(np.array([[own, fresh]]), expected)[0], _distance(chance, expected)
    p_value = (1 + int((others >= statistic).sum())) / (1 + len(others))
    poor = bool(p_value <= max(_LEVEL, 1 / (1 + len(others))) and statistic >= _MATERIAL)
    return FitCheck(name, own, fresh, float(statistic), p_value, poor)


def _neighbours(values: Floats, density: Density, rng: np.random.Generator) -> NDArray[np.intp]:
    """(2 m, k) rows of the nearest others of every sample among m of the set, first, and m fresh ones."""
    m = min(len(values), MOST_COMPARED)
    some = values[subsample_rows(len(values), m, int(rng.integers(1 << 31)))]
    points = np.concatenate((some, density.sample(m, rng)))
    k = min(NEIGHBOURS, 2 * m - 1)
    found, _ = nearest_rows(points, np.arange(2 * m), k + 1, points)
    is_self = found == np.arange(2 * m)[:, None]
    is_self[~is_self.any(axis=1), -1] = True  # behind more than k duplicates of itself
    others: NDArray[np.intp] = found[~is_self].reshape(2 * m, k)
    return others


def _shares(neighbours: NDArray[np.intp], is_own: NDArray[np.bool_]) -> tuple[float, float]:
    """Mean share of the set among the neighbours of its samples, and of fresh ones among those of fresh ones."""
    near = is_own[neighbours].mean(axis=1)
    return float(near[is_own].mean()), float(1 - near[~is_own].mean())


def _exchanges(neighbours: NDArray[np.intp], rng: np.random.Generator) -> Iterator[tuple[float, float]]:
    """Shares where it is left to chance which half is the set."""
    is_own = np.arange(len(neighbours)) < len(neighbours) // 2
    for _ in range(_EXCHANGES):
        yield _shares(neighbours, rng.permutation(is_own))


def _refits(
    stand_in: Surrogate, n: int, density: Density, rng: np.random.Generator, progress: Progress
) -> Iterator[tuple[float, float]]:
    """Shares of sets of n samples that are drawn from the fit, each against a fit of its own."""
    quick = density.components == 1 and n <= _QUICK_SIZE and n * density.d**2 <= _QUICK_REFIT
    draws = _REFITS if quick else _FEW_REFITS
    for done in range(draws):
        progress(done / draws)
        values = density.sample(n, rng)
        neighbours = _neighbours(values, refitted(values, density, stand_in.options, stand_in.least), rng)
        yield _shares(neighbours, np.arange(len(neighbours)) < len(neighbours) // 2)


def _distance(shares: Floats, expected: Floats) -> Floats:
    """(b,) root mean squared difference of shares (b, 2) from the expected ones (2,)."""
    result: Floats = np.sqrt(((shares - expected) ** 2).mean(axis=1))
    return result
