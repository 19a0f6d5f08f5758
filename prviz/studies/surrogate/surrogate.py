"""Surrogates: two known distributions fitted to a real and a generated set, whose truth can be computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from prviz.measure.estimates import Progress, part_of
from prviz.samples import SamplePair, Samples, as_samples
from prviz.studies.surrogate.components import Components, components_of
from prviz.studies.surrogate.densities import Density
from prviz.studies.surrogate.fitting import Covariance, Fit, FitOptions, fit_density, fit_tied_pair
from prviz.studies.surrogate.problems import Fitted, Scenario, SurrogateProblem, in_scenario
from prviz.studies.surrogate.truth import Once

__all__ = ["Surrogate", "SurrogateSources", "check_scenario", "fit_pair", "most_dimensions", "stand_in_of"]

# A set that does not vary in a direction gets a standard deviation there of this share of the real set's smallest one,
# or if that is more, of the other share of the largest one: a smaller one would be lost in rounding.
_LEAST_OF_SMALLEST, _LEAST_OF_LARGEST = 1e-2, 1e-5


@dataclass(frozen=True, eq=False)
class SurrogateSources:
    """The sets that a surrogate is fitted to.

    pair : the real and the generated set. shared : a third set, whose fit is the common part of scenario "common";
    None: both sets together. basis : the set whose principal components are used; None: the real one.

    Raises ValueError for sets of different dimensions.
    """

    pair: SamplePair
    shared: Samples | None = None
    basis: Samples | None = None
    _components: Once[Components] = field(init=False)

    def __post_init__(self) -> None:
        for name, samples in (("shared", self.shared), ("basis", self.basis)):
            if samples is not None and samples.d != self.pair.d:
                raise ValueError(f"{name} has {samples.d} features; {self.pair.d} are needed, as in the pair")
        for name, samples in zip(("real", "generated"), self.pair, strict=True):
            if samples.n < 2:
                raise ValueError(f"{name} has 1 sample; at least 2 are needed to fit a distribution")
        basis = self.pair.real if self.basis is None else self.basis
        object.__setattr__(self, "_components", Once(partial(components_of, basis)))

    @property
    def digests(self) -> dict[str, str]:
        """The digest of each set for keys."""
        extra = {"shared": self.shared, "basis": self.basis}
        told = {name: samples.digest[:32] for name, samples in extra.items() if samples is not None}
        return {"real": self.pair.real.digest[:32], "generated": self.pair.generated.digest[:32]} | told

    @property
    def components(self) -> Components:
        """The principal components, computed at their first use."""
        return self._components()


@dataclass(frozen=True, eq=False)
class Surrogate:
    """Densities fitted to two sets in the first d principal components of the real one.

    projected : the two sets in these coordinates. real, generated : the densities.
    options : how they were fitted. explained : share of the real set's variance that d components keep.
    least : the least variance that a direction was given. digests : see `SurrogateSources`.
    shared_set : the projected third set of scenario "common"; None: both sets together stand for it.
    """

    projected: SamplePair
    real: Density
    generated: Density
    options: FitOptions
    explained: float
    least: float
    digests: Mapping[str, str]
    shared_set: Samples | None = None

    @property
    def d(self) -> int:
        """Number of components."""
        return self.projected.d

    @cached_property
    def shared(self) -> Density:
        """The common part of scenario "common": fitted to the third set, or without one to both sets together."""
        third = np.concatenate([each.values for each in self.projected])
        values = third if self.shared_set is None else self.shared_set.values
        return fit_density(values, self.options, self.least)

    def fitted(self, scenario: Scenario = "common") -> Fitted:
        """The densities that a scenario needs."""
        return Fitted(self.real, self.generated, self.shared if scenario == "common" else None)

    def problem(self, scenario: Scenario = "pair", common: float = 0.5) -> SurrogateProblem:
        """The surrogate as a problem of known truth.

        Parameters
        ----------
        scenario : "pair": P fits the real set, Q the generated one; "real-real", "generated-generated": both are the
            same fit; "common": P and Q are both a third density with the weight ``common``, and for the rest the fit
            of the real and of the generated set. The paper's third set there is another checkpoint, at the weight 0.5.

        Raises ValueError for another scenario, or ``common`` outside (0, 1). Source: hal-05344404, section 5.3.
        """
        told = told_of(self.digests, self.d, self.options, scenario, common)
        sizes = (self.projected.real.n, self.projected.generated.n)
        return SurrogateProblem(told, sizes, Once(partial(_parts, self, scenario, common)))


def _parts(stand_in: Surrogate, scenario: Scenario, common: float) -> tuple[Density, Density]:
    return in_scenario(stand_in.fitted(scenario), scenario, common)


def told_of(
    digests: Mapping[str, str], d: int, options: FitOptions, scenario: Scenario, common: float
) -> dict[str, Any]:
    """The parameters that a surrogate problem depends on, and no others."""
    check_scenario(scenario, common)
    third = {"common": float(common)} if scenario == "common" else {}
    sets = {name: told for name, told in digests.items() if name != "shared" or third}
    return {**sets, "d": int(d), **options.parameters, "scenario": scenario, **third}


def check_scenario(scenario: str, common: float) -> None:
    """Raise ValueError for other scenarios, and for weights outside (0, 1)."""
    if scenario not in get_args(Scenario):
        raise ValueError(f"scenario = {scenario!r}; one of {', '.join(get_args(Scenario))} is needed")
    if isinstance(common, bool) or not isinstance(common, int | float) or not 0 < common < 1:
        raise ValueError(f"common = {common!r}; a share between 0 and 1 (both excluded) is needed")


def most_dimensions(real: Samples | ArrayLike) -> int:
    """The largest d of `fit_pair`: the number of directions in which the real set varies."""
    return components_of(as_samples(real, name="real")).most


def fit_pair(
    real: Samples | ArrayLike,
    generated: Samples | ArrayLike,
    *,
    d: int,
    fit: Fit = "gaussian",
    covariance: Covariance = "full",
    most_components: int = 8,
    seed: int = 0,
    shared: Samples | ArrayLike | None = None,
    basis: Samples | ArrayLike | None = None,
    progress: Progress | None = None,
) -> Surrogate:
    """Fit a known distribution to each of two sets, in the first d principal components of the real one.

    Parameters
    ----------
    real, generated : (n, D) and (m, D) samples.
    d : number of components, from 1 to `most_dimensions`.
    fit, covariance, most_components, seed : see `FitOptions`. Covariances are shrunk (`oas`) where there are fewer than
        10 samples for each direction; in directions where a set does not vary it gets a small width.
    shared : (l, D) a third set, for scenario "common". basis : (l, D) the set whose components are used.
    progress : called with the fraction done; may raise to stop.

    Raises
    ------
    ValueError, TypeError : malformed samples, fewer than 2 of them, a real set that does not vary, or another argument
        that can't be used.

    Source: hal-05344404, section 5.3.
    """
    pair = SamplePair(as_samples(real, name="real"), as_samples(generated, name="generated"))
    third = None if shared is None else as_samples(shared, name="shared")
    other = None if basis is None else as_samples(basis, name="basis")
    return stand_in_of(
        SurrogateSources(pair, third, other), d, FitOptions(fit, covariance, most_components, seed), progress
    )


def stand_in_of(sources: SurrogateSources, d: int, options: FitOptions, progress: Progress | None = None) -> Surrogate:
    """`fit_pair`, for sets whose principal components are used for several d."""
    components = sources.components
    components.check(d)
    projected = SamplePair(*(components.project(each, d) for each in sources.pair))
    variances = components.variances
    least = max(_LEAST_OF_SMALLEST**2 * float(variances[d - 1]), _LEAST_OF_LARGEST**2 * float(variances[0]))
    third = None if sources.shared is None else components.project(sources.shared, d)
    if options.fit == "gaussian" and options.covariance == "tied":
        densities = fit_tied_pair(projected.real.values, projected.generated.values, least)
    else:
        real, generated = (
            fit_density(each.values, options, least, progress=part_of(progress, i, 2))
            for i, each in enumerate(projected)
        )
        densities = (real, generated)
    return Surrogate(projected, *densities, options, components.explained(d), least, sources.digests, third)
