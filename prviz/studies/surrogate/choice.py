"""The kind of density that fits a pair best: of those that are quickly fitted the one that the test likes best."""

from __future__ import annotations

from typing import NamedTuple, get_args

from prviz.measure.estimates import Progress
from prviz.neighbors.threads import part_of
from prviz.samples import SamplePair
from prviz.studies.surrogate.check import FitCheck, FitChecks, fit_check
from prviz.studies.surrogate.fitting import Covariance, Fit, FitOptions
from prviz.studies.surrogate.surrogate import Surrogate, SurrogateSources, surrogate_of

# Seconds: a kind whose fit and test take longer is not tried, except the first.
TRY_SECONDS = 20.0
# Rough seconds: per multiply-add of a covariance or a projection; of EM per sample, component and
# step, and per squared dimension besides; of a test, and besides where samples are few for their
# dimension.
_PER_PRODUCT = 1e-9
_EM = 2.3e-7
_EM_SQUARE = 3e-10
_EM_SAMPLES = 10_000
_EM_STEPS = 240
_CHECK = 0.5
_CHECK_FEW = 1.5
_FEW_PER_DIRECTION = 50


class CheckedSurrogate(NamedTuple):
    """A fitted surrogate, and the tests of both sets against fresh samples of their own fits."""

    surrogate: Surrogate
    real: FitCheck
    generated: FitCheck

    @property
    def poor(self) -> bool:
        """True if one of the fits is poor."""
        return FitChecks(self.real, self.generated).poor

    @property
    def apart(self) -> float:
        """How far the worse fitted set and fresh samples of its fit keep apart."""
        return max(self.real.statistic, self.generated.statistic)


def kinds() -> list[FitOptions]:
    """Every kind of density, the quickest to fit first."""
    return [
        FitOptions(fit, covariance) for fit in get_args(Fit) for covariance in get_args(Covariance)
    ]


def cheap_kinds(pair: SamplePair, d: int) -> list[FitOptions]:
    """The kinds that the best one is chosen from; see `TRY_SECONDS`."""
    first, *others = kinds()
    return [first, *(each for each in others if trial_seconds(pair, d, each) < TRY_SECONDS)]


def checked(
    sources: SurrogateSources, d: int, options: FitOptions, progress: Progress
) -> CheckedSurrogate:
    """Fit one kind and test the fit."""
    surrogate = surrogate_of(sources, d, options, part_of(progress, 0, 2))
    return CheckedSurrogate(surrogate, *fit_check(surrogate, 0, part_of(progress, 1, 2)))


def best_surrogate(sources: SurrogateSources, d: int, progress: Progress) -> CheckedSurrogate:
    """The one of `cheap_kinds` whose fresh samples keep least apart from the sets."""
    tried = cheap_kinds(sources.pair, d)
    found = (
        checked(sources, d, kind, part_of(progress, i, len(tried))) for i, kind in enumerate(tried)
    )
    return min(found, key=lambda each: each.apart)


def fit_seconds(pair: SamplePair, d: int, options: FitOptions) -> float:
    """Estimated seconds of a fit: projections, covariances and, for a mixture, EM up to most components."""
    sizes = (pair.real.n, pair.generated.n)
    once = _PER_PRODUCT * sum(sizes) * d * (pair.d + d)
    if options.fit == "gaussian":
        return once
    tried = options.most_components * (options.most_components + 1) / 2
    square = 0 if options.covariance == "diag" else d**2
    return once + sum(min(n, _EM_SAMPLES) for n in sizes) * tried * _EM_STEPS * (
        _EM + _EM_SQUARE * square
    )


def trial_seconds(pair: SamplePair, d: int, options: FitOptions) -> float:
    """Estimated seconds of a fit and its test, which fits many times where samples are few for d."""
    few = min(pair.real.n, pair.generated.n) < _FEW_PER_DIRECTION * d
    refits = options.fit == "mixture" and options.covariance == "full"
    return fit_seconds(pair, d, options) * (1 + refits) + _CHECK + (_CHECK_FEW if few else 0.0)
