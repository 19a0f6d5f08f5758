"""Base class of toy problems: one object has the sampler, the log-density ratio and the true curve
of a pair.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from prviz.arguments import checked_list, checked_number, checked_whole
from prviz.arrays import Array, Flags, Floats, Ints, Rng
from prviz.curves import PRCurve
from prviz.curves.ground_truth import AREA_ERROR, SampledTruth, finite_masses, sampled_truth
from prviz.curves.limits import limit_curve
from prviz.samples import SamplePair, Samples, SamplesLike, as_samples

Value = int | float | tuple[float, ...]

# Most values n * d that are drawn for one set: 1.6 GB of float64.
MOST_VALUES = 200_000_000


class SupportMasses(NamedTuple):
    """Masses of the supports of P and Q, to be compared with the extremes of a curve (hal-05344404,
    section 4.3).

    supp is the closed support. The literature took Q(supp P) for alpha_inf. But alpha_inf is
    Q(cosupp), where cosupp is the set on which P and Q have the same null sets (Proposition 20).
    Likewise beta_0 is P(cosupp), not P(supp Q).
    """

    q_of_supp_p: float
    q_of_cosupp: float
    p_of_supp_q: float
    p_of_cosupp: float


class InSupports(NamedTuple):
    """For each point, three flags (m,): True if the point is in the closed support of P (``real``),
    in that of Q (``generated``), and in the co-support (``both``).

    See `SupportMasses`.
    """

    real: Flags
    generated: Flags
    both: Flags


@dataclass(frozen=True)
class Parameter:
    """One adjustable parameter of a toy problem.

    name : keyword argument of `toy`.
    label, help : plain text for the page.
    default : value of the paper.
    low, high : inclusive bounds; for "weights", bounds of every entry.
    step : increment of a slider.
    kind : "int", "float", or "weights" for a tuple with one number per mode or box (also used for
    the means of mixtures).
    total : True if only the ratios of the entries matter, as for weights of modes.
    """

    name: str
    label: str
    default: Value
    low: float
    high: float
    step: float
    help: str
    kind: Literal["float", "int", "weights"] = "float"
    total: bool = False

    def checked(self, value: Any) -> Value:
        """Check a value and return it as int, float or tuple of floats. The ValueError or TypeError
        says which values are accepted.
        """
        if self.kind != "weights":
            return self._number(value)
        entries = checked_list(self.name, value, "numbers")
        return tuple(float(self._number(entry)) for entry in entries)

    def _number(self, value: Any) -> int | float:
        if self.kind == "int":
            return checked_whole(self.name, value, int(self.low), self.high)
        needed = f"a number from {self.low:g} to {self.high:g}"
        return checked_number(
            self.name, value, needed, lambda found: self.low <= found <= self.high
        )


def dimension(default: int) -> Parameter:
    """The parameter d (number of features), which nearly all toy problems have."""
    return Parameter(
        "d", "dimension d", default, 1, 4096, 1, "Number of features of every sample.", "int"
    )


def shares(name: str, label: str, default: tuple[float, ...], text: str) -> Parameter:
    """A parameter of the kind "weights" with one entry per mode or box, of which only the ratios
    matter.
    """
    return Parameter(name, label, default, 0.0, 1.0, 0.05, text, "weights", total=True)


@dataclass(frozen=True)
class ToyProblem(ABC):
    """A pair of known distributions: P, of real samples, and Q, of generated samples.

    settings : pairs (name, value); parameters that are missing have their defaults. The function
    `toy` takes them as keyword arguments. Two problems of one class are equal if their settings
    are.

    Subclasses define the parameters (``specs``), the two samplers, the log ratio, the supports, the
    masses of these and the true curve.

    Raises
    ------
    ValueError : if a parameter is unknown, or a value is out of bounds.
    TypeError : if a value has the wrong type.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    summary: ClassVar[str]
    specs: ClassVar[tuple[Parameter, ...]]
    presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {}
    paper_n: ClassVar[int] = 10_000
    preset_n: ClassVar[Mapping[str, int]] = {}
    dtype: ClassVar[type[np.float32 | np.float64]] = np.float64
    area_error: ClassVar[float] = AREA_ERROR

    settings: tuple[tuple[str, Value], ...] = field(default=())

    def __post_init__(self) -> None:
        given = dict(self.settings)
        legal = [spec.name for spec in self.specs]
        for name in given:
            if name not in legal:
                raise ValueError(
                    f"{self.name} has no parameter {name!r}; its parameters are {', '.join(legal)}"
                )
        values = tuple(
            (spec.name, spec.checked(given.get(spec.name, spec.default))) for spec in self.specs
        )
        object.__setattr__(self, "settings", values)
        self._check()

    def _check(self) -> None:  # noqa: B027
        """Raise ValueError if values contradict each other, though each is accepted by itself.

        Most toy problems accept all combinations of values.
        """

    @property
    def parameters(self) -> dict[str, Value]:
        """All parameters of the toy with their current values, as a new dict."""
        return dict(self.settings)

    def _number(self, name: str) -> float:
        value = self.parameters[name]
        if isinstance(value, tuple):
            return math.nan
        return float(value)

    def _weights(self, name: str) -> Floats:
        return np.asarray(self.parameters[name], dtype=float)

    def _scaled(self, name: str) -> Floats:
        """The entries of this parameter, scaled to sum 1."""
        weights = self._weights(name)
        scaled: Floats = weights / weights.sum()
        return scaled

    def _check_any(self, name: str, what: str) -> None:
        """Raise ValueError if all entries of this parameter are 0."""
        if not self._weights(name).sum() > 0:
            raise ValueError(
                f"{name} = {self.parameters[name]}; at least one {what} must be above 0"
            )

    @property
    def d(self) -> int:
        """Number of features of every sample."""
        return int(self._number("d"))

    @property
    def default_n(self) -> int:
        """Number of samples per distribution in the paper's setting, or prviz's choice if the paper
        states none.
        """
        for label, n in self.preset_n.items():
            if self == type(self)(tuple(self.presets[label].items())):
                return n
        return self.paper_n

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """Draw n real and n generated samples, (n, d) each, from two independent streams of one
        seed.

        ValueError if n is below 1, the seed is negative, or n * d is above 200,000,000.
        """
        checked_whole("n", n, 1)
        checked_whole("seed", seed, 0)
        if n * self.d > MOST_VALUES:
            raise ValueError(
                f"n = {n}; at most {MOST_VALUES // self.d} samples of dimension {self.d} are drawn"
                " at once"
            )
        first, second = np.random.default_rng(int(seed)).spawn(2)
        real = self._draw_real(int(n), first)
        generated = self._draw_generated(int(n), second)
        return SamplePair(Samples(real, "real"), Samples(generated, "generated"))

    def log_ratio(self, z: SamplesLike) -> Floats:
        """The log ratio log q(z) - log p(z), (m,), of points z (m, d).

        It is inf where only Q has mass, -inf where only P has mass, and 0 where neither has.
        ValueError for points of another dimension.
        """
        values = as_samples(z, name="z").values
        if values.shape[1] != self.d:
            raise ValueError(f"z has {values.shape[1]} features; {self.name} has d = {self.d}")
        return self._log_ratio(values)

    def in_supports(self, z: SamplesLike) -> InSupports:
        """For each point of z (m, d), three flags: True if it is in supp P, in supp Q, and in the
        co-support.

        The co-support contains the points of both supports at which the density ratio is neither 0
        nor infinite. ValueError for points of another dimension.
        """
        log_ratio = self.log_ratio(z)
        real, generated = self._in_supports(as_samples(z, name="z").values)
        return InSupports(real, generated, real & generated & np.isfinite(log_ratio))

    def truth(self) -> PRCurve:
        """The true precision-recall curve.

        It is computed once per problem; its area is exact within `truth_error`.
        """
        return self._cached_truth

    @cached_property
    def _cached_truth(self) -> PRCurve:
        return self._truth()

    def limit(self, method: str, k: int) -> PRCurve:
        """The curve to which the estimates of the family `method` ("knn", "coverage" or "ipr") tend
        with more samples, at a fixed k and with a split.

        The area between this curve and the truth is the bias at that k, which no number of samples
        removes. See `prviz.curves.limits.limit_curve`, also for the errors raised.
        """
        return limit_curve(self.truth(), method, k)

    @property
    def truth_error(self) -> float:
        """Largest error of the area under `truth`.

        It is 0 for toys with finite masses, otherwise 1e-6 (see `ground_truth`).
        """
        return self.area_error

    def truth_by_sampling(self, n: int = 100_000, seed: int = 0) -> SampledTruth:
        """The true curve by Monte Carlo, with the likelihood ratio (hal-05344404, section 5.1).

        It serves to check `truth`. `auc_error` of the result is the standard error of the area; see
        `prviz.curves.ground_truth.sampled_truth`.
        """

        def log_ratios(size: int, child: int) -> tuple[Floats, Floats]:
            real, generated = self.sample(size, child)
            return self.log_ratio(real), self.log_ratio(generated)

        return sampled_truth(log_ratios, n=n, seed=seed)

    @property
    def support_masses(self) -> SupportMasses:
        """Closed-form masses of the supports and the co-support.

        All masses are 1 if both distributions have positive density everywhere.
        """
        return SupportMasses(1.0, 1.0, 1.0, 1.0)

    @abstractmethod
    def _draw_real(self, n: int, rng: Rng) -> Array: ...

    @abstractmethod
    def _draw_generated(self, n: int, rng: Rng) -> Array: ...

    @abstractmethod
    def _log_ratio(self, z: Array) -> Floats: ...

    def _in_supports(self, z: Array) -> tuple[Flags, Flags]:
        """For each row of z, True if it is in supp P, and True if it is in supp Q.

        All flags are True if both densities are positive everywhere.
        """
        return np.ones(len(z), dtype=bool), np.ones(len(z), dtype=bool)

    @abstractmethod
    def _truth(self) -> PRCurve: ...


class CellMasses(ToyProblem):
    """Base class: P and Q with masses p_c and q_c on cells c, such as boxes, and uniform inside
    each cell.

    Cells overlap at most in borders, so the density ratio is q_c / p_c on cell c, and the curve is
    exactly that of the masses: alpha(lam) = sum over c of min(lam p_c, q_c).
    """

    area_error = 0.0

    @property
    def masses(self) -> tuple[Floats, Floats]:
        """Masses p and q of the cells, each of sum 1."""
        return self._scaled("real_weights"), self._scaled("generated_weights")

    @abstractmethod
    def cell_of(self, z: Array) -> Ints:
        """Index of the cell of each row of z (m, d), -1 outside all cells."""

    @abstractmethod
    def _draw(self, n: int, masses: Floats, rng: Rng) -> Array: ...

    def _draw_real(self, n: int, rng: Rng) -> Array:
        return self._draw(n, self.masses[0], rng)

    def _draw_generated(self, n: int, rng: Rng) -> Array:
        return self._draw(n, self.masses[1], rng)

    def _log_ratio(self, z: Array) -> Floats:
        p, q = self.masses
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.log(q) - np.log(p)
        # The log ratio of 0/0 is set to 0: for cells in which neither P nor Q has mass, and for
        # points outside all cells.
        ratios = np.append(np.where((p == 0) & (q == 0), 0.0, ratios), 0.0)
        return ratios[self.cell_of(z)]

    def _in_supports(self, z: Array) -> tuple[Flags, Flags]:
        cells = self.cell_of(z)
        real, generated = (np.append(masses > 0, False)[cells] for masses in self.masses)
        return real, generated

    def _truth(self) -> PRCurve:
        return finite_masses(*self.masses)

    @property
    def support_masses(self) -> SupportMasses:
        """Masses of the supports and the co-support.

        Each is the mass of the cells in which both distributions have mass: the supports' common
        part and the co-support differ only in borders, whose mass is 0.
        """
        p, q = self.masses
        q_mass = float(q[p > 0].sum())
        p_mass = float(p[q > 0].sum())
        return SupportMasses(q_mass, q_mass, p_mass, p_mass)
