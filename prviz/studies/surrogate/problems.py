"""A pair of fitted densities as a problem of known truth, which sweeps measure like a toy."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.curves import PRCurve
from prviz.curves.ground_truth import SampledTruth
from prviz.samples import SamplePair, Samples, as_samples
from prviz.studies.surrogate.densities import Density, mixed
from prviz.studies.surrogate.truth import density_truth
from prviz.studies.tasks import check_whole

__all__ = ["SCENARIOS", "Fitted", "Scenario", "SurrogateProblem", "in_scenario"]

Floats = NDArray[np.float64]
Scenario = Literal["pair", "real-real", "generated-generated", "common"]

#: Scenario -> the two densities, and the direction of errors that the scenario favours (hal-05344404, section 5.3).
SCENARIOS: Mapping[Scenario, str] = {
    "pair": "the fit of the real set against the fit of the generated set; it favours curves that are too low",
    "real-real": "the fit of the real set against itself; it favours curves that are too high",
    "generated-generated": "the fit of the generated set against itself; it favours curves that are too high",
    "common": "both fits, each mixed with the same third density: a part that real and generated share",
}

# Largest n * d of one drawn set: 1.6 GB of float64.
_MOST_VALUES = 200_000_000


class Fitted(NamedTuple):
    """The densities of the real set, of the generated set, and of the part that scenario "common" adds to both."""

    real: Density
    generated: Density
    shared: Density | None = None


def in_scenario(fitted: Fitted, scenario: Scenario, common: float) -> tuple[Density, Density]:
    """P and Q of a scenario; ``common`` is the weight of the shared part in both."""
    if scenario == "real-real":
        return fitted.real, fitted.real
    if scenario == "generated-generated":
        return fitted.generated, fitted.generated
    if scenario == "pair" or fitted.shared is None:
        return fitted.real, fitted.generated
    return mixed(fitted.shared, fitted.real, common), mixed(fitted.shared, fitted.generated, common)


@dataclass(frozen=True, eq=False)
class SurrogateProblem:
    """A pair of known densities P and Q as a problem of known truth. Equal parameters mean equal problems.

    Parameters
    ----------
    told : parameters that identify the problem, which can be written as JSON. See `parameters`.
    sizes : numbers of samples of the two sets.
    parts : returns P and Q; called at their first use. Pickling includes both densities.
    """

    name: ClassVar[str] = "hybrid"

    told: Mapping[str, Any]
    sizes: tuple[int, int]
    parts: Callable[[], tuple[Density, Density]]

    def __reduce__(self) -> tuple[Any, ...]:
        return SurrogateProblem, (dict(self.told), self.sizes, partial(_both, *self.parts()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SurrogateProblem) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> str:
        return json.dumps(dict(self.told), sort_keys=True)

    @property
    def parameters(self) -> dict[str, Any]:
        """Digests of the sets, dimension, options of the fit and scenario; a fresh dict."""
        return dict(self.told)

    @property
    def d(self) -> int:
        """Number of features of every sample."""
        return int(self.told["d"])

    @property
    def scenario(self) -> Scenario:
        """A name in SCENARIOS."""
        found: Scenario = self.told["scenario"]
        return found

    @property
    def real(self) -> Density:
        """P."""
        return self.parts()[0]

    @property
    def generated(self) -> Density:
        """Q."""
        return self.parts()[1]

    @property
    def default_n(self) -> int:
        """The size of the smaller of the two sets."""
        return min(self.sizes)

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """Draw fresh samples, from two independent streams of one seed: n of the smaller set.

        The larger set has the same ratio to n as in the data: with n = default_n both have the data's own sizes.
        Raises ValueError for n < 1, a negative seed, or more than 200,000,000 values in a set.
        """
        check_whole("n", n, 1)
        check_whole("seed", seed, 0)
        sizes = [n if size == self.default_n else round(n * (size / self.default_n)) for size in self.sizes]
        if max(sizes) * self.d > _MOST_VALUES:
            raise ValueError(
                f"n = {n}; at most {_MOST_VALUES // self.d} samples of dimension {self.d} are drawn at once"
            )
        streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
        drawn = [part.sample(size, rng) for part, size, rng in zip(self.parts(), sizes, streams, strict=True)]
        for values in drawn:
            values.setflags(write=False)
        return SamplePair(Samples(drawn[0], "real"), Samples(drawn[1], "generated"))

    def log_ratio(self, z: Samples | ArrayLike) -> Floats:
        """The log ratio log q(z) - log p(z), (m,), of points z (m, d)."""
        values = as_samples(z, name="z")
        return self.generated.log_density(values) - self.real.log_density(values)

    def truth(self) -> PRCurve:
        """The true curve, within `truth_error` in area; see `density_truth`."""
        return self._truth.curve

    @property
    def truth_error(self) -> float:
        """Error of the area under the truth: its standard error where the truth is sampled."""
        return self._truth.auc_error

    @property
    def _truth(self) -> SampledTruth:
        return density_truth(*self.parts())


def _both(real: Density, generated: Density) -> tuple[Density, Density]:
    return real, generated
