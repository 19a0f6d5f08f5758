"""Measurements on surrogates: the cells of a sweep, whose distributions are fitted when the first cell runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from prviz.measure.estimates import K
from prviz.samples import SamplePair, Samples
from prviz.studies.surrogate.densities import Density
from prviz.studies.surrogate.fitting import Covariance, Fit, FitOptions
from prviz.studies.surrogate.problems import Fitted, Scenario, SurrogateProblem, in_scenario
from prviz.studies.surrogate.surrogate import Surrogate, SurrogateSources, stand_in_of, told_of
from prviz.studies.surrogate.truth import Once
from prviz.studies.sweeps import sweep_cells
from prviz.studies.tasks import Task

__all__ = ["hybrid_problems", "hybrid_tasks"]


def hybrid_tasks(
    data: SamplePair | Surrogate | Sequence[Surrogate],
    *,
    ds: Sequence[int] | None = None,
    scenarios: Sequence[Scenario] = ("pair",),
    methods: Sequence[str] | str | None = None,
    ks: Sequence[K] = ("sqrt",),
    bandwidths: Sequence[float | None] = (None,),
    splits: Sequence[float | None] = (0.5,),
    repeats: int = 1,
    seed: int = 0,
    n: int | None = None,
    fit: Fit = "gaussian",
    covariance: Covariance = "full",
    most_components: int = 8,
    fit_seed: int = 0,
    common: float = 0.5,
    shared: Samples | None = None,
    basis: Samples | None = None,
) -> list[Task]:
    """Tasks of `prviz.studies.tasks.run_tasks` that measure estimators on surrogates; columns: `cells.COLUMNS`.

    Parameters
    ----------
    data : the pair of sets, or fitted surrogates, which have their own d and options of the fit.
    ds : numbers of principal components; each is fitted once, when the first task that needs it runs.
    scenarios, common, shared, basis : see `Surrogate.problem` and `fit_pair`.
    methods, ks, bandwidths, splits, repeats, seed : see `prviz.sweep`.
    n : samples of the smaller set; None: the number in the data.
    fit, covariance, most_components, fit_seed : see `FitOptions`.

    Raises ValueError, TypeError for arguments that can't be used; tasks raise ValueError for a d above the data's rank.
    """
    if isinstance(data, SamplePair):
        options = FitOptions(fit, covariance, most_components, fit_seed)
        problems = hybrid_problems(SurrogateSources(data, shared, basis), ds or (), options, scenarios, common)
    else:
        problems = [each.problem(name, common) for each in _listed(data) for name in scenarios]
    if not problems:
        raise ValueError(f"ds = {ds!r}, scenarios = {scenarios!r}; at least one of each is needed")
    return list(sweep_cells(problems, methods, ks, bandwidths, splits, [n], [None], repeats, seed))


def _listed(data: Surrogate | Sequence[Surrogate]) -> Sequence[Surrogate]:
    return [data] if isinstance(data, Surrogate) else data


def hybrid_problems(
    sources: SurrogateSources,
    ds: Sequence[int],
    options: FitOptions,
    scenarios: Sequence[Scenario],
    common: float = 0.5,
) -> list[SurrogateProblem]:
    """A problem for every d and scenario, fitted at its first use.

    Raises ValueError for a d that is above the number of features, or of the real set's samples less one.
    """
    basis = sources.basis or sources.pair.real
    most = min(basis.d, basis.n - 1)
    found = []
    for d in ds:
        if isinstance(d, bool) or not isinstance(d, int) or not 1 <= d <= most:
            raise ValueError(f"ds has {d!r}; with {basis.d} features and {basis.n} real samples, 1 to {most} is needed")
        parts = Once(partial(_fitted, sources, d, options, "common" in scenarios))
        found += [_problem(sources, d, options, scenario, common, parts) for scenario in scenarios]
    return found


def _fitted(sources: SurrogateSources, d: int, options: FitOptions, with_shared: bool) -> Fitted:
    """The densities without the projected sets, which are freed."""
    return stand_in_of(sources, d, options).fitted("common" if with_shared else "pair")


def _problem(
    sources: SurrogateSources,
    d: int,
    options: FitOptions,
    scenario: Scenario,
    common: float,
    fitted: Callable[[], Fitted],
) -> SurrogateProblem:
    sizes = (sources.pair.real.n, sources.pair.generated.n)
    told = told_of(sources.digests, d, options, scenario, common)
    return SurrogateProblem(told, sizes, Once(partial(_parts, fitted, scenario, common)))


def _parts(fitted: Callable[[], Fitted], scenario: Scenario, common: float) -> tuple[Density, Density]:
    return in_scenario(fitted(), scenario, common)
