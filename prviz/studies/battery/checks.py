"""The checks of the sanity battery: Gaussians, mixtures, bounded and discrete supports.

`CHECKS` lists them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from prviz.arrays import Floats, Rng
from prviz.curves import PRCurve, ground_truth
from prviz.studies.battery import _truths
from prviz.studies.battery.base import (
    Check,
    Criterion,
    N,
    Point,
    Sampler,
    TrueExtremes,
    both,
    normal,
)
from prviz.studies.battery.rules import (
    bell,
    down,
    down_mid,
    flat,
    low_high,
    near,
    one,
    settle,
    up,
    wide,
    zero,
)

Weights = tuple[float, ...]


def _even(low: float, high: float, n: int) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, n).tolist())


def _logarithmic(low: float, high: float, n: int) -> tuple[float, ...]:
    return tuple(np.logspace(low, high, n).tolist())


def _whole(low: float, high: float) -> tuple[float, ...]:
    """Whole numbers from 10^low to 10^high, evenly spaced on a logarithmic scale."""
    return tuple(map(float, np.unique(np.logspace(low, high, 20).astype(int))))


# Index of the middle of a sweep of 51 points.
_MIDDLE = 25
_CENTRED = (*both("bounds", one(_MIDDLE), zero(0), zero(-1)), *both("purpose", bell(_MIDDLE)))

# ---- a shifted Gaussian ----

# Largest shift of the mean, by dim.
_WIDEST = {1: 6.0, 8: 3.0, 64: 1.0}


def _shifted(at: Point, n: int, rng: Rng) -> Floats:
    return at.x + rng.standard_normal((n, at.dim))


def _distance(at: Point) -> float:
    """Distance of the two means; rounded, so that shifts x and -x give the same float."""
    return round(abs(at.x) * math.sqrt(at.dim), 12)


# P = N(0, I), Q = N(mu 1, I): alpha(1) = 2 Phi(-|mu| sqrt(d) / 2).
_MEAN = Check(
    name="gaussian-mean-difference",
    title="A shifted Gaussian",
    summary=(
        "The generated Gaussian moves through the real one: 1 where they are equal, 0 at both ends."
    ),
    x_label="shift of the mean",
    sweep={dim: _even(-widest, widest, 51) for dim, widest in _WIDEST.items()},
    generated=_shifted,
    truth=lambda at: _truths.shifted(_distance(at)),
    criteria=_CENTRED,
)

# The pair of _MEAN with one more sample, in the real or the generated set: the outlier is at c on
# every coordinate, where c is the largest shift. It is one of n + 1 = 1001 samples.
_OUTLIER_SHARE = 1.0 / 1001.0


def _with_outlier(draw: Sampler, scenario: str) -> Sampler:
    def drawn(at: Point, n: int, rng: Rng) -> Floats:
        samples = draw(at, n, rng)
        if at.scenario != scenario:
            return samples
        return np.concatenate((samples, np.full((1, at.dim), _WIDEST[at.dim])))

    return drawn


def _truth_with_outlier(at: Point) -> PRCurve:
    role = "generated"
    if at.scenario == "real_outlier":
        role = "real"
    return _truths.shifted_with_outlier(_distance(at), _OUTLIER_SHARE, role)


_OUTLIER = replace(
    _MEAN,
    name="gaussian-mean-difference-with-outlier",
    title="A shifted Gaussian and one outlier",
    summary=(
        "As before, and a single sample of one set lies where the generated Gaussian ends up. It"
        " should not matter."
    ),
    scenarios=("real_outlier", "syn_outlier"),
    real=_with_outlier(normal, "real_outlier"),
    generated=_with_outlier(_shifted, "syn_outlier"),
    truth=_truth_with_outlier,
)


# Both sets: the first coordinate is normal, shifted by mu in the generated set; the second is
# Pareto distributed (shape 1.01, minimum 1).
def _with_tail(
    at: Point,  # noqa: ARG001
    n: int,
    rng: Rng,
    shift: float = 0.0,
) -> Floats:
    return np.column_stack((shift + rng.standard_normal(n), 1.0 + rng.pareto(1.01, n)))


_PARETO = replace(
    _MEAN,
    name="gaussian-mean-difference-with-pareto",
    title="A shifted Gaussian and a heavy tail",
    summary=(
        "The shift is along one feature; the other is the same in both sets and has no variance to"
        " scale it by."
    ),
    sweep={2: _even(-6.0, 6.0, 51)},
    real=_with_tail,
    generated=lambda at, n, rng: _with_tail(at, n, rng, at.x),
    truth=lambda at: _truths.shifted(round(abs(at.x), 12)),
)

# ---- other Gaussians ----

# P = N(0, I), Q = N(0, s^2 I).
_SPREAD = Check(
    name="gaussian-std-difference",
    title="A wider or narrower Gaussian",
    summary=(
        "The generated Gaussian grows from a speck in the middle of the real one to a cloud around"
        " it. The check wants full fidelity for the speck, which the true curve of any lambda in"
        " use denies in high dimension."
    ),
    x_label="standard deviation of the generated Gaussian",
    sweep={
        dim: _logarithmic(-decades, decades, 51)
        for dim, decades in {1: 3.0, 8: 1.0, 64: 0.5}.items()
    },
    generated=lambda at, n, rng: at.x * normal(at, n, rng),
    truth=lambda at: _truths.scaled(1.0 if at.place == _MIDDLE else at.x, at.dim),
    criteria=(
        *both("bounds", one(_MIDDLE)),
        Criterion("bounds", "fidelity", one(0)),
        Criterion("bounds", "diversity", zero(0)),
        Criterion("bounds", "fidelity", zero(-1)),
        Criterion("bounds", "diversity", wide(-1)),
        Criterion("purpose", "fidelity", down()),
        Criterion("purpose", "diversity", low_high(bell(_MIDDLE), up())),
    ),
)

# P = N(0, I), Q = N((6, 0), I); in both sets the second coordinate is multiplied by c.
_ONE_SCALED = Check(
    name="gaussian-scaling-one-dimension",
    title="One feature in other units",
    summary=(
        "Two distant Gaussians; the feature that tells nothing changes its unit, which should"
        " change nothing."
    ),
    x_label="factor of the second feature",
    sweep={2: _logarithmic(-3.0, 3.0, 20)},
    fresh_real=True,
    real=lambda at, n, rng: normal(at, n, rng) * (1.0, at.x),
    generated=lambda at, n, rng: np.add(normal(at, n, rng), (6.0, 0.0)) * (1.0, at.x),
    truth=lambda _: _truths.shifted(6.0),
    criteria=(*both("invariance", flat()), *both("bounds", zero(0), zero(-1))),
)


# The first coordinate is N(0, 1) against N(6, 1); x more coordinates are N(0, 1) in both sets.
def _with_useless(at: Point, n: int, rng: Rng, shift: float = 0.0) -> Floats:
    drawn = rng.standard_normal((n, 1 + int(at.x)))
    drawn[:, 0] += shift
    return drawn


_HIGH_DIMENSION = Check(
    name="gaussian-high-dim-one-disjoint-dim",
    title="Apart along one feature of many",
    summary=(
        "Two distant Gaussians, and more and more features that tell nothing. They are as distant"
        " as ever."
    ),
    x_label="features that tell nothing",
    sweep={1: _whole(0, 3)},
    fresh_real=True,
    features=lambda at: 1 + int(at.x),
    real=_with_useless,
    generated=lambda at, n, rng: _with_useless(at, n, rng, 6.0),
    truth=lambda _: _truths.shifted(6.0),
    criteria=(*both("purpose", flat()), *both("bounds", zero(0), zero(-1))),
)

# ---- mixtures ----

_MODES = 10
_ALIKE = (1 / _MODES,) * _MODES
# Standard deviation of the modes, by dim.
_MODE_SD = {1: 1 / 6, 8: 1 / 3, 64: 1.0}


def _first_modes(modes: int, of: int = _MODES) -> Weights:
    """Weights of ``of`` modes: equal for the first ``modes``, 0 for all others."""
    return (1 / modes,) * modes + (0.0,) * (of - modes)


def _faded(at: Point) -> Weights:
    """Weights of the modes after all but the first have lost the share x of their weight."""
    left = np.r_[1.0, np.full(_MODES - 1, 1.0 - at.x)]
    return tuple((left / left.sum()).tolist())


def _on_diagonal(at: Point, n: int, rng: Rng, weights: Weights) -> Floats:
    """Samples of a mixture of ten Gaussians centred at 0, 10/9, ..., 10 on every coordinate."""
    centres = np.linspace(0.0, 10.0, _MODES)[rng.choice(_MODES, n, p=weights)]
    return centres[:, None] + _MODE_SD[at.dim] * rng.standard_normal((n, at.dim))


def _dropping_truth(at: Point, weights: Weights) -> PRCurve:
    gap = 10.0 / (_MODES - 1) * np.sqrt(at.dim) / _MODE_SD[at.dim]
    return _truths.dropped_modes(gap, _ALIKE, weights)


def _dropping_ends(weights: Sequence[float]) -> TrueExtremes:
    return TrueExtremes(1.0, np.count_nonzero(weights) / _MODES)


def _dropping_criteria(quantile: float) -> tuple[Criterion, ...]:
    return (
        *both("bounds", one(0)),
        Criterion("bounds", "fidelity", one(-1)),
        Criterion("purpose", "fidelity", flat()),
        Criterion("purpose", "diversity", down_mid(quantile)),
    )


_SIMULTANEOUS = Check(
    name="gaussian-mixture-simultaneous-mode-dropping",
    title="Nine of ten modes fade at once",
    summary=(
        "The generator keeps to what is real, and nine of ten modes become rare until only one is"
        " left."
    ),
    x_label="share of the weight that nine modes lose",
    sweep=dict.fromkeys(_MODE_SD, _even(0.0, 1.0, 50)),
    real=lambda at, n, rng: _on_diagonal(at, n, rng, _ALIKE),
    generated=lambda at, n, rng: _on_diagonal(at, n, rng, _faded(at)),
    truth=lambda at: _dropping_truth(at, _faded(at)),
    ends=lambda at: _dropping_ends(_faded(at)),
    criteria=_dropping_criteria(0.95),
)

_SEQUENTIAL = replace(
    _SIMULTANEOUS,
    name="gaussian-mixture-sequential-mode-dropping",
    title="Modes vanish one by one",
    summary=(
        "The generator keeps to what is real, and loses one mode after the other: recall falls by a"
        " tenth each."
    ),
    x_label="modes dropped",
    sweep=dict.fromkeys(_MODE_SD, tuple(map(float, range(_MODES)))),
    generated=lambda at, n, rng: _on_diagonal(at, n, rng, _first_modes(_MODES - at.place)),
    truth=lambda at: _dropping_truth(at, _first_modes(_MODES - at.place)),
    ends=lambda at: _dropping_ends(_first_modes(_MODES - at.place)),
    criteria=_dropping_criteria(0.5),
)

# P: uniform over the first five of ten distant modes in the plane; Q: uniform over the first m. 21
# is the first seed for which all ten centres, drawn from N(0, 10^2), are at least 20 standard
# deviations of a mode apart.
CENTRES = 10.0 * np.random.default_rng(21).standard_normal((_MODES, 2))
CENTRES.flags.writeable = False


def _of_first(n: int, rng: Rng, modes: int) -> Floats:
    return CENTRES[rng.integers(modes, size=n)] + 0.25 * rng.standard_normal((n, 2))


_INVENTION = Check(
    name="gaussian-mixture-mode-dropping-invention",
    title="Modes dropped, then modes invented",
    summary=(
        "With few modes the generator misses real ones, with many it invents some: recall rises,"
        " precision falls."
    ),
    x_label="modes of the generator",
    sweep={2: tuple(map(float, range(1, _MODES + 1)))},
    real=lambda _, n, rng: _of_first(n, rng, 5),
    generated=lambda at, n, rng: _of_first(n, rng, at.place + 1),
    truth=lambda at: _truths.distant_modes(_first_modes(5), _first_modes(at.place + 1)),
    ends=lambda at: TrueExtremes(min(1.0, 5 / at.x), min(1.0, at.x / 5)),
    criteria=(
        *both("bounds", one(4)),
        Criterion("bounds", "fidelity", one(0)),
        Criterion("bounds", "diversity", one(-1)),
        Criterion("purpose", "fidelity", down()),
        Criterion("purpose", "diversity", up()),
    ),
)


# P: two equal modes, at -mu/2 and mu/2 on every coordinate; Q = N(0, (1 + mu^2) I).
def _two_modes(at: Point, n: int, rng: Rng) -> Floats:
    centres = np.where(rng.random((n, 1)) < 0.5, -at.x / 2, at.x / 2)
    return centres + normal(at, n, rng)


_ONE_AGAINST_TWO = Check(
    name="one-vs-two-modes",
    title="One wide mode in the place of two",
    summary=(
        "The real modes part, and the generator covers both and the gap between them with one wide"
        " Gaussian."
    ),
    x_label="distance of the modes per feature",
    sweep=dict.fromkeys((1, 8, 64), _even(0.0, 5.0, 20)),
    fresh_real=True,
    real=_two_modes,
    generated=lambda at, n, rng: np.sqrt(1.0 + at.x**2) * normal(at, n, rng),
    truth=lambda at: _truths.one_against_two(at.x, at.dim),
    criteria=(
        *both("bounds", one(0)),
        Criterion("purpose", "fidelity", down()),
        Criterion("purpose", "diversity", low_high(down(), flat())),
    ),
)

# ---- bounded supports ----


def _directions(n: int, d: int, rng: Rng) -> Floats:
    drawn = rng.standard_normal((n, d))
    directions: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return directions


# P: uniform on the unit sphere; Q: uniform on the sphere of radius r.
_SHELLS = Check(
    name="uniform-hypersphere-surface",
    title="Shells of different radius",
    summary="Two shells share nothing unless their radii are equal, however close they are.",
    x_label="radius of the generated shell",
    sweep=dict.fromkeys((2, 16, 128), _even(0.1, 1.9, 51)),
    real=lambda at, n, rng: _directions(n, at.dim, rng),
    generated=lambda at, n, rng: at.x * _directions(n, at.dim, rng),
    truth=lambda at: _truths.equal() if at.place == _MIDDLE else _truths.disjoint(),
    criteria=_CENTRED,
)

_COUNTS = _whole(2, 4)


def _part(at: Point, n: int) -> int:
    """Number of samples at a point for a size ``n``, in proportion to the x samples for a size of
    1000.
    """
    return max(round(at.x * n / N), 2)


# P = U[0, 1]^d, Q = U[s, 1 + s]^d with s = 1 - 0.2^(1/d): a fifth of each cube lies in the other.
_SHARED = 0.2
_CUBES = Check(
    name="uniform-hypercube-varying-size",
    title="Overlapping cubes, growing samples",
    summary=(
        "A fifth of each cube lies in the other. The score should be 0.2, and settle as both"
        " samples grow."
    ),
    x_label="samples per set",
    sweep=dict.fromkeys((1, 8, 64), _COUNTS),
    fresh_real=True,
    sizes=lambda at, n: (_part(at, n), _part(at, n)),
    real=lambda at, n, rng: rng.random((n, at.dim)),
    generated=lambda at, n, rng: 1.0 - _SHARED ** (1.0 / at.dim) + rng.random((n, at.dim)),
    truth=lambda _: ground_truth.finite_masses(
        [1.0 - _SHARED, _SHARED, 0.0], [0.0, _SHARED, 1.0 - _SHARED]
    ),
    criteria=(*both("data", settle()), *both("purpose", near(_SHARED, -1))),
)

_CUBES_GENERATED = replace(
    _CUBES,
    name="uniform-hypercube-varying-syn-size",
    title="Overlapping cubes, a growing generated sample",
    summary=(
        "As before, but only the generated sample grows: the score should not depend on how many"
        " there are."
    ),
    x_label="generated samples",
    fresh_real=False,
    sizes=lambda at, n: (n, _part(at, n)),
    criteria=(*both("hyperparameters", settle()), *both("purpose", near(_SHARED, -1))),
)


# A solid ball of radius 0.8, and around it a solid torus: a disc of radius 0.1 with centre (1, 0),
# rotated about the axis.
def _ball(n: int, rng: Rng) -> Floats:
    return 0.8 * np.cbrt(rng.random((n, 1))) * _directions(n, 3, rng)


def _torus(n: int, rng: Rng) -> Floats:
    radius = 0.1 * np.sqrt(rng.random(n))
    angle, turn = 2.0 * np.pi * rng.random((2, n))
    out = 1.0 + radius * np.cos(angle)
    return np.column_stack((out * np.cos(turn), out * np.sin(turn), radius * np.sin(angle)))


def _ball_or_torus(with_ball: str) -> Sampler:
    return lambda at, n, rng: _ball(n, rng) if at.scenario == with_ball else _torus(n, rng)


_SPHERE_TORUS = Check(
    name="sphere-torus",
    title="A ball inside a ring",
    summary=(
        "A ball and a ring around it, a gap between them: 0, however many samples are generated."
    ),
    x_label="generated samples",
    sweep={3: _COUNTS},
    scenarios=("real_sphere", "real_torus"),
    sizes=lambda at, n: (n, _part(at, n)),
    real=_ball_or_torus("real_sphere"),
    generated=_ball_or_torus("real_torus"),
    truth=lambda _: _truths.disjoint(),
    criteria=(*both("purpose", settle()), *both("bounds", zero(-1))),
)


# Both sets are drawn from c N(0, 1); in one set the values are rounded to whole numbers.
def _rounded(scenario: str) -> Sampler:
    def drawn(at: Point, n: int, rng: Rng) -> Floats:
        values = at.x * normal(at, n, rng)
        if at.scenario == scenario:
            return np.rint(values)
        return values

    return drawn


_DISCRETE = Check(
    name="discrete-numerical-vs-continuous-numerical",
    title="Whole numbers against any numbers",
    summary=(
        "One set holds whole numbers only. Whole numbers have probability zero among all numbers,"
        " so that densities share nothing; but each whole number is one of all numbers, which is"
        " what the check asks for."
    ),
    x_label="standard deviation before rounding",
    sweep={1: _logarithmic(0, 3, 20)},
    scenarios=("real_discrete", "real_continuous"),
    fresh_real=True,
    real=_rounded("real_discrete"),
    generated=_rounded("real_continuous"),
    truth=lambda _: _truths.disjoint(),
    ends=lambda at: TrueExtremes(*((0.0, 1.0) if at.scenario == "real_discrete" else (1.0, 0.0))),
    criteria=(
        *both("purpose", flat()),
        Criterion("bounds", "fidelity", zero(0), "real_discrete"),
        Criterion("bounds", "diversity", wide(0), "real_discrete"),
        Criterion("bounds", "fidelity", one(0), "real_continuous"),
        Criterion("bounds", "diversity", zero(0), "real_continuous"),
        Criterion("bounds", "fidelity", zero(-1), "real_discrete"),
        Criterion("bounds", "diversity", wide(-1), "real_discrete"),
        Criterion("bounds", "fidelity", one(-1), "real_continuous"),
        Criterion("bounds", "diversity", zero(-1), "real_continuous"),
    ),
)

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        check.name: check
        for check in (
            _MEAN,
            _OUTLIER,
            _SPREAD,
            _SIMULTANEOUS,
            _SEQUENTIAL,
            _INVENTION,
            _SHELLS,
            _CUBES,
            _CUBES_GENERATED,
            _SPHERE_TORUS,
            _ONE_AGAINST_TWO,
            _ONE_SCALED,
            _PARETO,
            _HIGH_DIMENSION,
            _DISCRETE,
        )
    }
)
