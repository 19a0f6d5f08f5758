"""Estimated supports of P and Q and their co-support: which of them contain given points, and the
shares of the samples in each.

A point z is in the estimated support of P where c_X(z) > 0, in that of Q where c_Y(z) > 0, and in
the estimated co-support where both are positive. Only the signs of c_X and c_Y count here, not
their ratio.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.arrays import Array, Floats
from prviz.estimators import ESTIMATORS, Supports
from prviz.estimators.base import check_bandwidth, check_k, resolve_k
from prviz.estimators.hub import HUB
from prviz.measure.estimates import K, Measurement, Methods, WorkOptions, measure, method_names
from prviz.neighbors import BallCounts, Distances
from prviz.samples import SamplePair, Samples, SamplesLike, Split, as_samples
from prviz.toys import ToyProblem

Classes: TypeAlias = NDArray[np.int8]
PointSupports: TypeAlias = tuple[Array, Array]

# Names of the classes of points, by index.
CLASSES = ("neither", "P only", "Q only", "both")


class ClassShares(NamedTuple):
    """Shares of the real and of the generated evaluation samples in each of CLASSES: (4,) each,
    with sum 1.

    For a family that measures only some samples, such as hub, the shares are of these samples.
    """

    real: Floats
    generated: Floats

    @property
    def p_of_cosupport(self) -> float:
        """Share of the real samples in the estimated co-support, an estimate of P(cosupp) =
        beta_0.
        """
        return float(self.real[3])

    @property
    def q_of_cosupport(self) -> float:
        """Share of the generated samples in the estimated co-support, an estimate of Q(cosupp) =
        alpha_inf.
        """
        return float(self.generated[3])


def support_classes(c_real: ArrayLike, c_generated: ArrayLike) -> Classes:
    """Class of each point, (m,), as index in CLASSES: 1 if c_X > 0, plus 2 if c_Y > 0."""
    real, generated = (np.asarray(side) > 0 for side in (c_real, c_generated))
    return real.astype(np.int8) + np.int8(2) * generated.astype(np.int8)


def true_classes(problem: ToyProblem, z: SamplesLike) -> Classes:
    """Class of each point by the true distributions.

    "both" is the co-support. A point in both closed supports but outside the co-support, such as a
    point mass of one distribution inside the other's Gaussian, belongs to the distribution whose
    density is infinitely larger there.
    """
    real, generated, both = problem.in_supports(z)
    sided = problem.log_ratio(z)
    return support_classes(real & (both | (sided < 0)), generated & (both | (sided > 0)))


def class_shares(supports: Supports) -> ClassShares:
    """Shares of each set's evaluation samples in each class."""
    classes = support_classes(supports.c_real, supports.c_generated)
    sides = classes[: supports.n_real], classes[supports.n_real :]
    real, generated = (np.bincount(side, minlength=len(CLASSES)) / len(side) for side in sides)
    return ClassShares(real, generated)


def says_support(method: str) -> Literal["everywhere", "samples", "never"]:
    """Where a family estimates supports: "everywhere", at some of its own "samples" only, or
    "never".

    Trained classifiers give every point a positive probability for either side, so their supports
    are positive everywhere and say nothing. The family hub is defined only at hub samples.
    """
    if ESTIMATORS[method].needs_split:
        return "never"
    if method == HUB.name:
        return "samples"
    return "everywhere"


def supports_at(
    split: Split,
    points: SamplesLike,
    methods: Methods = None,
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    **options: Unpack[WorkOptions],
) -> dict[str, PointSupports]:
    """Supports c_X and c_Y, (m,) each, of any points (m, d), by families fitted on a split.

    Each point is treated as a held-out evaluation sample: no fit sample is left out, even without
    split. Of a family with several seeded runs the supports are those of the first run.

    split : its fit samples define the supports.
    points : of the same dimension as the samples.

    Other parameters are as in `prviz.estimate`. ValueError for points of another dimension, and for
    a family that has no supports at such points, see `says_support`.
    """
    names = method_names(methods)
    points = as_samples(points, name="points")
    for name in names:
        if says_support(name) != "everywhere":
            raise ValueError(f"methods: {name} states no support at points other than its samples")
    if points.d != split.pair.d:
        raise ValueError(f"points have {points.d} features; the samples have {split.pair.d}")
    how = Measurement(**options)
    number = check_k(resolve_k(k, split.pair), split)
    width = check_bandwidth(bandwidth)
    requests = []
    joint = []
    for name in names:
        if ESTIMATORS[name].shares_pass and not ESTIMATORS[name].supports_are_counts:
            joint.append(name)
        else:
            requests.append((name, number, width))
    extended = _with_points(split, points)
    estimates = measure(extended, requests, how.seed, how.memory_limit, how.progress)
    supports = {
        each.method: (each.supports.c_real[: points.n], each.supports.c_generated[: points.n])
        for each in estimates
    }
    supports |= {name: _combined(name, split, extended, number, how.memory_limit) for name in joint}
    return {name: supports[name] for name in names}


def _with_points(split: Split, points: Samples) -> Split:
    """A split with the same fit samples, and ``points`` in place of its real evaluation samples.

    The first point is also the only generated evaluation sample, because a set must not be empty.
    """
    sides = []
    rows = []
    evaluate = []
    for side, fit, extra in zip(
        split.pair, split.fit_rows, (points.values, points.values[:1]), strict=True
    ):
        sides.append(np.concatenate([side.values[fit], extra]))
        rows.append(np.arange(len(fit)))
        evaluate.append(np.arange(len(fit), len(fit) + len(extra)))
    pair = SamplePair(
        Samples(sides[0], split.pair.real.name), Samples(sides[1], split.pair.generated.name)
    )
    return Split(pair, (rows[0], rows[1]), (evaluate[0], evaluate[1]), held_out=True)


def _combined(
    method: str, split: Split, extended: Split, k: int, memory_limit: int
) -> PointSupports:
    """Supports at the points by a family that combines several counts, such as EAS, which chooses
    among families by their counts around all evaluation samples.

    The choice for c_X looks only at generated samples, that for c_Y only at real ones. The points
    change neither, because they are added as real samples for c_X, and as generated ones for c_Y.
    """
    family = ESTIMATORS[method]
    n = len(extended.evaluate_rows[0])
    n_real = len(split.evaluate_rows[0])
    balls = family.balls(
        k=k, bandwidth=None, sizes=(len(split.fit_rows[0]), len(split.fit_rows[1]))
    )
    counted = [
        Distances(each, memory_limit=memory_limit).count(balls) for each in (extended, split)
    ]
    real_side = [_joined(points, samples, n) for points, samples in zip(*counted, strict=True)]
    generated_side = [
        _joined(points, samples, n, last=True) for points, samples in zip(*counted, strict=True)
    ]
    return (
        family.combined(real_side, k=k, n_real=n + n_real).c_real[:n],
        family.combined(generated_side, k=k, n_real=n_real).c_generated[-n:],
    )


def _joined(points: BallCounts, samples: BallCounts, n: int, *, last: bool = False) -> BallCounts:
    """Ball counts of the first n ``points`` followed by those of ``samples``; in the opposite order
    if ``last``.
    """
    sides = [(points.real[:n], samples.real), (points.generated[:n], samples.generated)]
    real, generated = (np.concatenate(side[::-1] if last else side) for side in sides)
    return BallCounts(real, generated, samples.radii)


class PointGrid(NamedTuple):
    """Evenly spaced points in one or two dimensions.

    axes : coordinates along each axis.
    points : (m, d) points in an order such that values at them reshape to `shape`, rows from bottom
    to top.
    """

    axes: tuple[Floats, ...]
    points: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the grid: (cells,) or (rows, columns)."""
        return tuple(len(axis) for axis in reversed(self.axes))


def grid_over(pair: SamplePair, cells: int, *, margin: float = 0.08) -> PointGrid:
    """A grid of ``cells`` points along each axis that covers all samples, with a margin on each
    side.

    margin : as a share of the range of the samples.

    ValueError for more than two dimensions.
    """
    if pair.d > 2:
        raise ValueError(f"d = {pair.d}; a grid is for 1 or 2 dimensions")
    axes = []
    for feature in range(pair.d):
        ends = [float(end(side.values[:, feature])) for side in pair for end in (np.min, np.max)]
        room = margin * (max(ends) - min(ends)) or 1.0
        axes.append(np.linspace(min(ends) - room, max(ends) + room, cells))
    points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, pair.d)
    return PointGrid(tuple(axes), points)
