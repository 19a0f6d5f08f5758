"""Surrogates: densities fitted to a pair of sets, tasks that measure estimators on samples of them,
and a ranking of settings by their error against the truth.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy.special import stdtrit

from prviz.arguments import checked_choice, checked_share, checked_whole
from prviz.measure.estimates import Progress
from prviz.neighbors.threads import part_of
from prviz.samples import SamplePair, Samples, SamplesLike, as_samples, by_role
from prviz.studies.surrogate.densities import Components, Density, WeighedSamples, components_of
from prviz.studies.surrogate.fitting import fit_gaussian
from prviz.studies.surrogate.predictive import Prediction, predicted
from prviz.studies.surrogate.problems import (
    AnyDensity,
    Fitted,
    Once,
    Scenario,
    SurrogateProblem,
    in_scenario,
)

if TYPE_CHECKING:
    import pandas as pd

#: gaussian: one Gaussian per set. kernels: `WeighedSamples`, which can have any shape.
Fit = Literal["gaussian", "kernels"]

# A fitted set's standard deviation in any direction is at least this share of the real set's
# smallest one, since anything smaller would be lost in rounding.
_LEAST_OF_SMALLEST = 1e-2
# A fitted set's standard deviation is also at least this share of the real set's largest one.
_LEAST_OF_LARGEST = 1e-5


@dataclass(frozen=True, eq=False)
class SurrogateSources:
    """The sets that a surrogate is fitted to.

    pair : the real and the generated set.
    shared : a third set, whose fitted Gaussian is the common part in the scenario "common"; None:
        both sets together.
    basis : the set whose principal components are used; None: the real one.
    Raises ValueError for sets of different dimensions.
    """

    pair: SamplePair
    shared: Samples | None = None
    basis: Samples | None = None
    _components: Once[Components] = field(init=False)

    def __post_init__(self) -> None:
        for name, samples in (("shared", self.shared), ("basis", self.basis)):
            if samples is not None and samples.d != self.pair.d:
                raise ValueError(
                    f"{name} has {samples.d} features; {self.pair.d} are needed, as in the pair"
                )
        for name, samples in by_role(self.pair):
            if samples.n < 2:
                raise ValueError(
                    f"{name} has 1 sample; at least 2 are needed to fit a distribution"
                )
        basis = self.pair.real if self.basis is None else self.basis
        object.__setattr__(self, "_components", Once(partial(components_of, basis)))

    @property
    def digests(self) -> dict[str, str]:
        """The digest of each set, by role; part of the keys of rows."""
        extra = {"shared": self.shared, "basis": self.basis}
        digests = {
            name: samples.digest[:32] for name, samples in extra.items() if samples is not None
        }
        return {
            "real": self.pair.real.digest[:32],
            "generated": self.pair.generated.digest[:32],
        } | digests

    @property
    def components(self) -> Components:
        """The principal components, computed at the first use."""
        return self._components()


@dataclass(frozen=True, eq=False, kw_only=True)
class Surrogate:
    """Densities fitted to two sets in the first d principal components of the real one.

    projected : the two sets in these coordinates.
    real, generated : the fitted densities.
    fit, seed : how the densities were fitted.
    explained : share of the real set's variance that d components keep.
    least : the least variance that a direction can have in the fit.
    digests : see `SurrogateSources`.
    shared_set : the third set of the scenario "common", projected; None: both sets together.
    prediction : result of the predictive check of kernels; None for Gaussians.
    """

    projected: SamplePair
    real: AnyDensity
    generated: AnyDensity
    fit: Fit
    seed: int
    explained: float
    least: float
    digests: Mapping[str, str]
    shared_set: Samples | None = None
    prediction: Prediction | None = None

    @property
    def d(self) -> int:
        """Number of components."""
        return self.projected.d

    @cached_property
    def shared(self) -> Density:
        """The common part of the scenario "common": a Gaussian fitted to the third set or, without
        one, to both sets together.
        """
        third = np.concatenate([each.values for each in self.projected])
        values = third if self.shared_set is None else self.shared_set.values
        return fit_gaussian(values, self.least)

    def fitted(self, scenario: Scenario = "common") -> Fitted:
        """The densities that a scenario needs."""
        return Fitted(self.real, self.generated, self.shared if scenario == "common" else None)

    def problem(self, scenario: Scenario = "pair", common: float = 0.5) -> SurrogateProblem:
        """The surrogate as a problem of known truth.

        Parameters
        ----------
        scenario : "pair": P fits the real set, Q the generated one. "real-real",
            "generated-generated": P and Q are the same fit. "common": P and Q contain a third
            density with weight ``common``, and the fit of the real and of the generated set with
            the remaining weight. In the paper the third set is from another checkpoint, with weight
            0.5.
        common : weight of the common part, between 0 and 1.

        Raises ValueError for another scenario, or ``common`` outside (0, 1). Source: hal-05344404,
        section 5.3.
        """
        return _problem(
            self.digests,
            self.projected,
            self.d,
            _fit_labels(self.fit, self.seed),
            scenario,
            common,
            lambda: self.fitted(scenario),
        )


def _problem(
    digests: Mapping[str, str],
    pair: SamplePair,
    d: int,
    fit: Mapping[str, str | int],
    scenario: Scenario,
    common: float,
    fitted: Callable[[], Fitted],
) -> SurrogateProblem:
    """The problem of one scenario; its parameters are only those that it depends on."""
    checked_choice("scenario", scenario, get_args(Scenario))
    checked_share("common", common)
    if scenario == "common" and fit["fit"] == "kernels":
        raise ValueError("scenario = 'common' needs fit = 'gaussian'")
    third = {}
    if scenario == "common":
        third = {"common": float(common)}
    sets = {name: digest for name, digest in digests.items() if name != "shared" or third}
    parameters = {**sets, "d": int(d), **fit, "scenario": scenario, **third}
    parts = Once(lambda: in_scenario(fitted(), scenario, common))
    return SurrogateProblem(parameters, (pair.real.n, pair.generated.n), parts)


def _fit_labels(fit: Fit, seed: int) -> dict[str, str | int]:
    """The parameters of a problem that identify its fit."""
    checked_choice("fit", fit, get_args(Fit))
    checked_whole("fit_seed", seed, 0)
    if fit == "gaussian":
        return {"fit": fit}
    return {"fit": fit, "fit_seed": seed}


def most_dimensions(real: SamplesLike) -> int:
    """The largest d of `fit_pair`: the number of directions in which the real set varies."""
    return components_of(as_samples(real, name="real")).most


def fit_pair(
    real: SamplesLike,
    generated: SamplesLike,
    *,
    d: int,
    fit: Fit = "gaussian",
    seed: int = 0,
    shared: SamplesLike | None = None,
    basis: SamplesLike | None = None,
) -> Surrogate:
    """Fit a known distribution to each of two sets, in the first d principal components of the real
    one.

    Parameters
    ----------
    real, generated : (n, D) and (m, D) samples.
    d : number of components, from 1 to `most_dimensions`.
    fit : "gaussian": mean and covariance of each set, shrunk (`oas`) where there are fewer than 10
        samples per dimension. "kernels": kernels on the samples of both sets, weighted by the best
        classifier (`WeighedSamples`), with a predictive check (`predicted`).
    seed : of the classifier and of the check's samples.
    shared : (l, D) a third set, for the scenario "common".
    basis : (l, D) the set whose components are used; None: the real one.

    Raises
    ------
    ValueError, TypeError : malformed samples, fewer than 2 of them, a real set that does not vary,
        or another argument that can't be used.

    Source: hal-05344404, section 5.3.
    """
    pair = SamplePair.of(real, generated)
    third = None
    if shared is not None:
        third = as_samples(shared, name="shared")
    other = None
    if basis is not None:
        other = as_samples(basis, name="basis")
    return surrogate_of(SurrogateSources(pair, third, other), d, fit, seed)


def surrogate_of(
    sources: SurrogateSources,
    d: int,
    fit: Fit = "kernels",
    seed: int = 0,
    progress: Progress | None = None,
) -> Surrogate:
    """The surrogate of `fit_pair`, from sources whose principal components are reused for several
    d.
    """
    components = sources.components
    components.check(d)
    projected = SamplePair(*(components.project(each, d) for each in sources.pair))
    variances = components.variances
    least = max(
        _LEAST_OF_SMALLEST**2 * float(variances[d - 1]), _LEAST_OF_LARGEST**2 * float(variances[0])
    )
    third = None
    if sources.shared is not None:
        third = components.project(sources.shared, d)
    _fit_labels(fit, seed)
    densities: list[AnyDensity]
    prediction = None
    if fit == "gaussian":
        densities = [fit_gaussian(each.values, least) for each in projected]
    else:
        weighed = WeighedSamples.of(projected, least, seed, part_of(progress, 0, 2))
        *densities, prediction = predicted(projected, weighed, seed, part_of(progress, 1, 2))
    return Surrogate(
        projected=projected,
        real=densities[0],
        generated=densities[1],
        fit=fit,
        seed=seed,
        explained=components.explained(d),
        least=least,
        digests=sources.digests,
        shared_set=third,
        prediction=prediction,
    )


# ---- surrogates as problems of a sweep ----


def surrogate_problems(
    sources: SurrogateSources,
    ds: Sequence[int],
    fit: Fit,
    seed: int,
    scenarios: Sequence[Scenario],
    common: float = 0.5,
) -> list[SurrogateProblem]:
    """A problem for every d and scenario, for use in `SweepGrid`; a surrogate is fitted at its
    first use.

    fit, seed, common : see `fit_pair` and `Surrogate.problem`.
    Raises ValueError for no d or no scenario, and for a d above the number of features, or above
    the number of real samples minus one.
    """
    labels = _fit_labels(fit, seed)
    basis = sources.basis or sources.pair.real
    most = min(basis.d, basis.n - 1)
    found = []
    for d in ds:
        why = f", with {basis.d} features and {basis.n} real samples,"
        checked_whole("d", d, 1, most, why)
        parts = Once(partial(_fitted, sources, d, fit, seed, "common" in scenarios))
        found += [
            _problem(sources.digests, sources.pair, d, labels, name, common, parts)
            for name in scenarios
        ]
    if not found:
        raise ValueError(f"ds = {ds!r}, scenarios = {scenarios!r}; at least one of each is needed")
    return found


def _fitted(sources: SurrogateSources, d: int, fit: Fit, seed: int, with_shared: bool) -> Fitted:
    """The densities without the projected sets, whose memory can then be freed."""
    return surrogate_of(sources, d, fit, seed).fitted("common" if with_shared else "pair")


# ---- ranking of settings ----


Prefer = Literal["iou", "excess", "deficit"]

# Settings are ranked among rows with the same values in these columns.
_AMONG = ["d", "n"]
# Columns that identify a setting.
_SETTING = [*_AMONG, "method", "k", "bandwidth", "split"]
_VALUES = ["iou", "excess", "deficit"]


def verdict(rows: pd.DataFrame, prefer: Prefer = "iou") -> pd.DataFrame:
    """Rank settings of estimators among those with the same d and n, the best first.

    The order of the rows does not matter.

    Parameters
    ----------
    rows : rows of problems from `surrogate_problems`. Means are taken over the repeats of every
        scenario, then over scenarios with equal weight: the paper's scenarios favour curves that
        are too low or too high.
    prefer : "iou", where the largest is best; "excess" or "deficit", where the smallest is.

    Returns
    -------
    One line per setting with the columns
    d, n, method, k, bandwidth, split : the setting.
    rank : from 1, within d and n; equal values have equal ranks.
    iou, excess, deficit : means; excess and deficit are the areas of overestimation and of
        underestimation.
    spread : standard deviation of the preferred number over repeats; nan for one repeat.
    repeats, scenarios : their numbers.
    tied : True for the best setting, and for settings no farther from it than the larger of the two
        spreads. Settings with fewer scenarios than others, as during a run, come last and are not
        tied.
    error : mean of the area under the curve minus the true area; nan where no curve has any area.
    low, high : 95 % interval of the error on one more sample, for normal errors (Student's t, over
        the repeats of all scenarios); equal to the error for a single repeat.

    Raises
    ------
    ValueError : another ``prefer``, or rows without a known truth.
    """
    import pandas as pd

    checked_choice("prefer", prefer, get_args(Prefer))
    if len(rows) and rows[_VALUES].isna().any(axis=None):
        raise ValueError(
            "rows has some without iou, excess and deficit; rows of pairs whose truth is known are"
            " needed"
        )
    table = _means(rows, prefer)
    keys = ["scenarios", prefer, "method", "k", "bandwidth", "split"]
    rising = [False, prefer != "iou", True, True, True, True]
    table = table.sort_values([*_AMONG, *keys], ascending=[True, True, *rising], ignore_index=True)
    groups = [
        _ranked(group, prefer) for _, group in table.groupby(_AMONG, dropna=False, sort=False)
    ]
    columns = [
        "d",
        "n",
        "rank",
        "method",
        "k",
        "bandwidth",
        "split",
        "iou",
        "spread",
        "excess",
        "deficit",
    ]
    columns += ["error", "low", "high"]
    ranked = pd.concat(groups, ignore_index=True) if groups else table.assign(rank=0, tied=False)
    return ranked[[*columns, "repeats", "scenarios", "tied"]]


def _means(rows: pd.DataFrame, prefer: Prefer) -> pd.DataFrame:
    """A line per setting: means over scenarios; the spread is the root of the mean variance over
    repeats.
    """
    distinct = rows.drop_duplicates("key").sort_values("key")
    scenarios = distinct["parameters"].map(
        lambda parameters: str(json.loads(parameters).get("scenario", ""))
    )
    grouped = distinct.groupby(
        [*(distinct[name] for name in _SETTING), scenarios.rename("scenario")], dropna=False
    )
    found = grouped[_VALUES].mean()
    found["variance"] = grouped[prefer].var()
    found["repeats"] = grouped.size()
    settings = found.reset_index().groupby(_SETTING, dropna=False)
    table = settings[_VALUES].mean()
    table["spread"] = np.sqrt(settings["variance"].mean())
    table["repeats"] = settings["repeats"].min()
    table["scenarios"] = settings.size()
    errors = _area_errors(distinct).groupby([distinct[name] for name in _SETTING], dropna=False)
    table["error"] = errors.mean()
    count = errors.size()
    half = (
        stdtrit(np.maximum(count - 1, 1), 0.975) * errors.std().fillna(0.0) * np.sqrt(1 + 1 / count)
    )
    table["low"], table["high"] = table["error"] - half, table["error"] + half
    return table.reset_index()


def _area_errors(rows: pd.DataFrame) -> pd.Series:
    """Area minus true area of each row.

    The true area follows from area, excess and deficit, because excess and deficit are shares of
    the joint area. Rows with an area of 0 get the median over the other rows of their problem.
    """
    joint = rows["auc"] / (1 - rows["deficit"]).where(rows["auc"] > 0)
    truth = (joint * (1 - rows["excess"])).groupby(rows["parameters"]).transform("median")
    return rows["auc"] - truth


def _ranked(group: pd.DataFrame, prefer: Prefer) -> pd.DataFrame:
    """The settings of one d and n, which are sorted from the best on, with the columns rank and
    tied added.
    """
    complete = group["scenarios"] == group["scenarios"].iloc[0]
    gap = (group[prefer] - group[prefer].iloc[0]).abs()
    spread = group["spread"].fillna(0.0)
    tied = complete & (gap <= np.maximum(spread, spread.iloc[0]))
    changed = (group[prefer].diff() != 0) | (group["scenarios"].diff() != 0)
    places = np.arange(1, len(group) + 1)
    return group.assign(rank=np.maximum.accumulate(np.where(changed, places, 0)), tied=tied)
