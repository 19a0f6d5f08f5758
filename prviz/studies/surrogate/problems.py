"""A pair of fitted densities as a problem of known truth, which sweeps measure as they measure a
toy.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy import linalg

from prviz.arguments import checked_whole
from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.curves.ground_truth import (
    AREA_ERROR,
    LogRatios,
    SampledTruth,
    finite_masses,
    sampled_truth,
    shifted_gaussians,
)
from prviz.samples import SamplePair, Samples, SamplesLike, as_samples
from prviz.studies.surrogate.densities import Density, Kernels, blocks, mixed

Value = TypeVar("Value")

AnyDensity: TypeAlias = Density | Kernels

TRUTH_SAMPLES = 100_000
# Largest number of kernel evaluations for a truth, so that more kernels mean fewer points.
_KERNELS_AT_POINTS = 40_000_000
# Fewest points of a set for a truth.
_FEWEST_POINTS = 10_000
# Number of truths that are cached.
_MOST_KEPT = 64
# Two covariances count as equal if their variances along each direction differ relatively by less
# than this.
_EQUAL = 1e-9


class Once(Generic[Value]):
    """A value that is computed at its first use, in one thread; other threads wait for it."""

    def __init__(self, compute: Callable[[], Value]) -> None:
        self._compute: Callable[[], Value] | None = compute
        self._lock = threading.Lock()
        self._found: list[Value] = []

    def __call__(self) -> Value:
        """The value; if computing it raised an error, the next call tries again."""
        with self._lock:
            if self._compute is not None:
                self._found.append(self._compute())
                self._compute = None  # frees the function with its data, which may be large
            return self._found[0]


_kept: OrderedDict[tuple[str, str, int], Once[SampledTruth]] = OrderedDict()
_lock = threading.Lock()


def density_truth(real: AnyDensity, generated: AnyDensity, n: int = TRUTH_SAMPLES) -> SampledTruth:
    """The true curve of a pair of densities, and the standard error of its area; cached by digest.

    Equal densities, and two Gaussians of equal covariance, have a closed form (`shifted_gaussians`
    at their Mahalanobis distance). For other densities it is the curve of the likelihood-ratio
    classifiers on n samples of each density.

    Source: hal-05344404, section 5.3.
    """
    key = (real.digest, generated.digest, n)
    with _lock:
        once = _kept.get(key) or Once(lambda: _truth(real, generated, n))
        _kept[key] = once
        _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return once()


def _truth(real: AnyDensity, generated: AnyDensity, n: int) -> SampledTruth:
    if real.digest == generated.digest:
        return SampledTruth(finite_masses([1.0], [1.0]), 0.0)
    if isinstance(real, Kernels) or isinstance(generated, Kernels):
        most = max(len(each.weights) for each in (real, generated))
        n = min(n, max(_FEWEST_POINTS, _KERNELS_AT_POINTS // most // 10 * 10))
        return _sampled(lambda size, seed: sampled_log_ratios(real, generated, size, seed), n)
    if real.components > 1 or generated.components > 1:
        return _sampled(lambda size, seed: sampled_log_ratios(real, generated, size, seed), n)
    shift, scales = _axes(real, generated)
    if np.abs(scales - 1).max() <= _EQUAL:
        return SampledTruth(shifted_gaussians(float(np.linalg.norm(shift))), AREA_ERROR)
    return _sampled(lambda size, seed: _along_axes(shift, scales, size, seed), n)


def _sampled(log_ratios: LogRatios, n: int) -> SampledTruth:
    """A truth computed from n samples.

    Its error is stated as at least 1 / n, the smallest error rate that n samples can show.
    """
    curve, error = sampled_truth(log_ratios, n=n)
    return SampledTruth(curve, max(error, 1.0 / n))


def log_ratio(real: AnyDensity, generated: AnyDensity, z: SamplesLike) -> Floats:
    """The log ratio log q(z) - log p(z), (m,), at the points z (m, d)."""
    if isinstance(real, Kernels) and isinstance(generated, Kernels):
        return real.log_ratio(generated, z)
    return generated.log_density(z) - real.log_density(z)


def sampled_log_ratios(
    real: AnyDensity, generated: AnyDensity, size: int, seed: int
) -> tuple[Floats, Floats]:
    """Log ratios of ``size`` fresh real and ``size`` fresh generated samples, which are drawn in
    blocks to save memory.
    """
    streams = np.random.default_rng(seed).spawn(2)
    first, second = (
        np.concatenate(
            [
                log_ratio(real, generated, density.sample(rows.stop - rows.start, rng))
                for rows in blocks(size, real.d)
            ]
        )
        for density, rng in zip((real, generated), streams, strict=True)
    )
    return first, second


def _axes(real: Density, generated: Density) -> tuple[Floats, Floats]:
    """Shift (d,) and variances (d,) of Q in coordinates where P = N(0, I) and Q = N(shift,
    diag(variances)).

    Both densities must be single Gaussians.
    """
    gap = generated.means[0] - real.means[0]
    root = real.roots[0]
    other = generated.roots[0]
    white = linalg.solve_triangular(root, other, lower=True)
    axes, widths, _ = np.linalg.svd(white)
    return axes.T @ linalg.solve_triangular(root, gap, lower=True), widths**2


def _along_axes(shift: Floats, scales: Floats, size: int, seed: int) -> tuple[Floats, Floats]:
    """Log ratios of fresh samples of two Gaussians.

    They are drawn in the coordinates of `_axes`, in which a log ratio is a sum over coordinates.
    """
    streams = np.random.default_rng(seed).spawn(2)
    constant = -0.5 * float(np.log(scales).sum())
    widths = np.sqrt(scales)
    found = (np.empty(size), np.empty(size))
    for rows in blocks(size, len(scales)):
        z, y = (rng.standard_normal((rows.stop - rows.start, len(scales))) for rng in streams)
        found[0][rows] = constant + 0.5 * _squares(z) - 0.5 * _squares((z - shift) / widths)
        found[1][rows] = constant + 0.5 * _squares(shift + widths * y) - 0.5 * _squares(y)
    return found


def _squares(z: Floats) -> Floats:
    result: Floats = np.einsum("ij,ij->i", z, z)
    return result


Scenario = Literal["pair", "real-real", "generated-generated", "common"]

#: Scenario -> its two densities, and in which direction its errors are biased (hal-05344404,
#: section 5.3).
SCENARIOS: Mapping[Scenario, str] = {
    "pair": (
        "the fit of the real set against the fit of the generated set; it favours curves that are"
        " too low"
    ),
    "real-real": "the fit of the real set against itself; it favours curves that are too high",
    "generated-generated": (
        "the fit of the generated set against itself; it favours curves that are too high"
    ),
    "common": (
        "both fits, each mixed with the same third density: a part that real and generated share"
    ),
}

# Largest n * d of a set to draw: 1.6 GB of float64.
_MOST_VALUES = 200_000_000


class Fitted(NamedTuple):
    """Fitted densities of the real set and of the generated set, and the third density that the
    scenario "common" adds to both.
    """

    real: AnyDensity
    generated: AnyDensity
    shared: Density | None = None


def in_scenario(fitted: Fitted, scenario: Scenario, common: float) -> tuple[AnyDensity, AnyDensity]:
    """P and Q of a scenario.

    common : in the scenario "common", the weight of the third density in P and in Q.
    """
    if scenario == "real-real":
        return fitted.real, fitted.real
    if scenario == "generated-generated":
        return fitted.generated, fitted.generated
    real = fitted.real
    generated = fitted.generated
    if scenario == "pair" or fitted.shared is None:
        return real, generated
    if isinstance(real, Kernels) or isinstance(generated, Kernels):
        raise TypeError("scenario = 'common' is of Gaussians")
    return mixed(fitted.shared, real, common), mixed(fitted.shared, generated, common)


@dataclass(frozen=True, eq=False)
class SurrogateProblem:
    """A pair of known densities P and Q as a problem of known truth.

    Problems with equal parameters are equal.

    Parameters
    ----------
    labels : parameters that identify the problem, writable as JSON. See `parameters`.
    sizes : numbers of samples of the two sets.
    parts : function that returns P and Q, called at the first use. A pickled problem contains both
    densities.
    """

    name: ClassVar[str] = "hybrid"

    labels: Mapping[str, Any]
    sizes: tuple[int, int]
    parts: Callable[[], tuple[AnyDensity, AnyDensity]]

    def __reduce__(self) -> tuple[Any, ...]:
        return SurrogateProblem, (dict(self.labels), self.sizes, partial(_both, *self.parts()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SurrogateProblem) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> str:
        return json.dumps(dict(self.labels), sort_keys=True)

    @property
    def parameters(self) -> dict[str, Any]:
        """Digests of the sets, dimension, options of the fit, and scenario, as a new dict on every
        access.
        """
        return dict(self.labels)

    @property
    def d(self) -> int:
        """Number of features of every sample."""
        return int(self.labels["d"])

    @property
    def scenario(self) -> Scenario:
        """The scenario's name, a key of SCENARIOS."""
        found: Scenario = self.labels["scenario"]
        return found

    @property
    def real(self) -> AnyDensity:
        """The density P of the real samples."""
        return self.parts()[0]

    @property
    def generated(self) -> AnyDensity:
        """The density Q of the generated samples."""
        return self.parts()[1]

    @property
    def default_n(self) -> int:
        """The size of the smaller of the two sets."""
        return min(self.sizes)

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """Draw n fresh samples for the smaller set, and for the larger set in proportion to the
        data.

        With n = default_n both sets have the sizes of the data. The two sets use independent random
        streams of one seed. Raises ValueError for n < 1, a negative seed, or more than 200,000,000
        values in a set.
        """
        checked_whole("n", n, 1)
        checked_whole("seed", seed, 0)
        sizes = [
            n if size == self.default_n else round(n * (size / self.default_n))
            for size in self.sizes
        ]
        if max(sizes) * self.d > _MOST_VALUES:
            raise ValueError(
                f"n = {n}; at most {_MOST_VALUES // self.d} samples of dimension {self.d} are drawn"
                " at once"
            )
        streams = np.random.default_rng(seed).spawn(2)
        drawn = [
            part.sample(size, rng)
            for part, size, rng in zip(self.parts(), sizes, streams, strict=True)
        ]
        for values in drawn:
            values.setflags(write=False)
        return SamplePair(Samples(drawn[0], "real"), Samples(drawn[1], "generated"))

    def log_ratio(self, z: SamplesLike) -> Floats:
        """The log ratio log q(z) - log p(z), (m,), at the points z (m, d)."""
        return log_ratio(*self.parts(), as_samples(z, name="z"))

    def truth(self) -> PRCurve:
        """The true curve; its area is accurate to about `truth_error`. See `density_truth`."""
        return self._truth.curve

    @property
    def truth_error(self) -> float:
        """Standard error of the area under the true curve; for closed forms the accuracy of the
        area.
        """
        return self._truth.auc_error

    @property
    def _truth(self) -> SampledTruth:
        return density_truth(*self.parts())


def _both(real: AnyDensity, generated: AnyDensity) -> tuple[AnyDensity, AnyDensity]:
    return real, generated
