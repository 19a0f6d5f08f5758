"""Toy problem: the sampler, the log-density ratio and the truth of one pair, in one object."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from prviz.arrays import Array, Flags, Floats, Ints, Rng
from prviz.curves import PRCurve
from prviz.curves.ground_truth import AREA_ERROR, SampledTruth, finite_masses, sampled_truth
from prviz.curves.limits import limit_curve
from prviz.samples import SamplePair, Samples, SamplesLike, as_samples

Value = int | float | tuple[float, ...]

# Largest n * d of one drawn set: 1.6 GB of float64.
MOST_VALUES = 200_000_000


class SupportMasses(NamedTuple):
    """Masses of supports, to compare the extremes of a curve with (hal-05344404, section 4.3).

    supp is the closed support. The literature took Q(supp P) for alpha_inf, which is Q(cosupp), the
    mass where P and Q have the same null sets (Proposition 20). The other two mirror these: beta_0
    = P(cosupp).
    """

    q_of_supp_p: float
    q_of_cosupp: float
    p_of_supp_q: float
    p_of_cosupp: float


class InSupports(NamedTuple):
    """True for points, (m,) each, in the closed supports and in the co-support.

    See `SupportMasses`.
    """

    real: Flags
    generated: Flags
    both: Flags


@dataclass(frozen=True)
class Parameter:
    """One adjustable number of a toy problem.

    name : keyword of `toy`. label, help : plain text for the page. default : value of the paper.
    low, high : inclusive bounds, for "weights" of every entry. step : increment of a slider.
    kind : "int", "float", or "weights" for a tuple with one number per mode or box (the mixtures'
    means too).
    total : True for the shares of a whole, as the weights of a few modes are: only their ratios
    count.
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
        """The value as int, float or tuple of floats.

        ValueError or TypeError names the legal values.
        """
        if self.kind != "weights":
            return self._number(value)
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise TypeError(f"{self.name} = {value!r}; {self._legal}")
        return tuple(float(self._number(entry)) for entry in value)

    def _number(self, value: Any) -> int | float:
        kind: Any = Integral if self.kind == "int" else Real
        if isinstance(value, bool | np.bool_) or not isinstance(value, kind):
            raise TypeError(f"{self.name} = {value!r}; {self._legal}")
        number: int | float = int(value) if self.kind == "int" else float(value)
        if not self.low <= number <= self.high:
            raise ValueError(f"{self.name} = {value}; {self._legal}")
        return number

    @property
    def _legal(self) -> str:
        """End of an error message: the legal values."""
        kinds = {"int": "a whole number", "float": "a number", "weights": "a number for each mode,"}
        return f"{kinds[self.kind]} from {self.low:g} to {self.high:g} is needed"


def _check_whole(name: str, value: Any, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < low:
        raise ValueError(f"{name} = {value!r}; a whole number of at least {low} is needed")


def dimension(default: int) -> Parameter:
    """Parameter d, common to nearly all problems."""
    return Parameter(
        "d", "dimension d", default, 1, 4096, 1, "Number of features of every sample.", "int"
    )


def shares(name: str, label: str, default: tuple[float, ...], text: str) -> Parameter:
    """A parameter of the shares of a whole, one for each mode or box."""
    return Parameter(name, label, default, 0.0, 1.0, 0.05, text, "weights", total=True)


@dataclass(frozen=True)
class ToyProblem(ABC):
    """Two known distributions: P, the real one, and Q, the generated one.

    settings : pairs (name, value); missing parameters have their defaults. `toy` takes keywords
    instead.
        Two problems of one class with the same settings are equal.

    Subclasses define the specs, the two samplers, the log ratio, the supports, their masses and the
    truth.

    Raises
    ------
    ValueError : an unknown parameter, or a value out of its bounds. TypeError : a value of another
    type.
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
        """Raise ValueError for values that are each legal but not together.

        Most problems have no such check.
        """

    @property
    def parameters(self) -> dict[str, Value]:
        """All parameters with their current values, as a new dict."""
        return dict(self.settings)

    def _number(self, name: str) -> float:
        value = self.parameters[name]
        if isinstance(value, tuple):
            return math.nan
        return float(value)

    def _weights(self, name: str) -> Floats:
        return np.asarray(self.parameters[name], dtype=float)

    def _scaled(self, name: str) -> Floats:
        """Weights of sum 1."""
        weights = self._weights(name)
        scaled: Floats = weights / weights.sum()
        return scaled

    def _check_any(self, name: str, what: str) -> None:
        """Raise ValueError if all weights are 0."""
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
        """Samples per distribution in the paper's setting, or a number of this package where the
        paper names none.
        """
        for label, n in self.preset_n.items():
            if self == type(self)(tuple(self.presets[label].items())):
                return n
        return self.paper_n

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """Draw n real and n generated samples, (n, d) each, from two independent streams of one
        seed.

        Raises ValueError for n < 1, a negative seed, or n * d above 200,000,000.
        """
        _check_whole("n", n, 1)
        _check_whole("seed", seed, 0)
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

        Values: inf where only Q has mass, -inf where only P has mass, 0 where neither has (0/0 has
        the key 1). Raises ValueError for points of another dimension.
        """
        values = as_samples(z, name="z").values
        if values.shape[1] != self.d:
            raise ValueError(f"z has {values.shape[1]} features; {self.name} has d = {self.d}")
        return self._log_ratio(values)

    def in_supports(self, z: SamplesLike) -> InSupports:
        """True for points of z (m, d) in supp P, in supp Q and in the co-support.

        The co-support holds the points of both supports where the density ratio is neither 0 nor
        infinite. Raises ValueError for points of another dimension.
        """
        log_ratio = self.log_ratio(z)
        real, generated = self._in_supports(as_samples(z, name="z").values)
        return InSupports(real, generated, real & generated & np.isfinite(log_ratio))

    def truth(self) -> PRCurve:
        """The true precision-recall curve.

        Computed once per problem, within `truth_error` in area.
        """
        return self._cached_truth

    @cached_property
    def _cached_truth(self) -> PRCurve:
        return self._truth()

    def limit(self, method: str, k: int) -> PRCurve:
        """The curve that `method` ("knn", "coverage" or "ipr") tends to with more samples at a
        fixed k, with a split.

        What lies between it and the truth is the price of k: no further sample repairs it. See
        `prviz.curves.limits.limit_curve`, also for the errors raised.
        """
        return limit_curve(self.truth(), method, k)

    @property
    def truth_error(self) -> float:
        """Largest error of the area under `truth`.

        0 for finite masses, else 1e-6 (see `ground_truth`).
        """
        return self.area_error

    def truth_by_sampling(self, n: int = 100_000, seed: int = 0) -> SampledTruth:
        """The truth by Monte Carlo of the likelihood ratio (hal-05344404, section 5.1).

        A check of `truth`.

        `auc_error` of the result is the standard error of the area; see
        `prviz.curves.ground_truth.sampled_truth`.
        """

        def log_ratios(size: int, child: int) -> tuple[Floats, Floats]:
            real, generated = self.sample(size, child)
            return self.log_ratio(real), self.log_ratio(generated)

        return sampled_truth(log_ratios, n=n, seed=seed)

    @property
    def support_masses(self) -> SupportMasses:
        """Closed-form masses of the supports and the co-support.

        All 1 where both reach everywhere.
        """
        return SupportMasses(1.0, 1.0, 1.0, 1.0)

    @abstractmethod
    def _draw_real(self, n: int, rng: Rng) -> Array: ...

    @abstractmethod
    def _draw_generated(self, n: int, rng: Rng) -> Array: ...

    @abstractmethod
    def _log_ratio(self, z: Array) -> Floats: ...

    def _in_supports(self, z: Array) -> tuple[Flags, Flags]:
        """True for rows of z in supp P, and in supp Q; for all where both reach everywhere."""
        return np.ones(len(z), dtype=bool), np.ones(len(z), dtype=bool)

    @abstractmethod
    def _truth(self) -> PRCurve: ...


class CellMasses(ToyProblem):
    """P and Q with the masses p_c and q_c on cells c, such as boxes, uniform inside each.

    Base class.

    Cells overlap at most in borders, so the density ratio is q_c / p_c on cell c and the curve is
    that of the masses: alpha(lam) = sum over c of min(lam p_c, q_c), exactly.
    """

    area_error = 0.0

    @property
    def masses(self) -> tuple[Floats, Floats]:
        """Masses p and q of the cells, each of sum 1."""
        return self._scaled("real_weights"), self._scaled("generated_weights")

    @abstractmethod
    def cell_of(self, z: Array) -> Ints:
        """Cell of each row of z (m, d), -1 outside all."""

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
        # 0/0 for cells without mass in P and Q, and outside all cells.
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
        """Supports and co-support agree but for borders, which have no mass.

        Masses of the cells in common.
        """
        p, q = self.masses
        q_mass = float(q[p > 0].sum())
        p_mass = float(p[q > 0].sum())
        return SupportMasses(q_mass, q_mass, p_mass, p_mass)
