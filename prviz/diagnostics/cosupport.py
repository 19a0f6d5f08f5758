"""Where a family believes P, Q or both to have mass: at any points, on a grid, and as shares of the samples.

A point z is in the estimated support of P where c_X(z) > 0, in that of Q where c_Y(z) > 0, and in the estimated
co-support where both are. Only the signs of the supports count here, not their ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.estimators import ESTIMATORS, CountingEstimator, Supports
from prviz.estimators.base import check_bandwidth, check_k, needs_split, resolve_k
from prviz.estimators.hub import HUB
from prviz.measure.estimates import K, Progress, measure, method_names
from prviz.neighbors import MEMORY_LIMIT, BallCounts, Distances
from prviz.samples import SamplePair, Samples, Split, as_samples
from prviz.toys import ToyProblem

__all__ = [
    "CLASSES",
    "ClassShares",
    "PointGrid",
    "class_shares",
    "grid_over",
    "says_support",
    "support_classes",
    "supports_at",
    "true_classes",
]

Classes: TypeAlias = NDArray[np.int8]
Floats: TypeAlias = NDArray[np.float64]
PointSupports: TypeAlias = tuple[NDArray[Any], NDArray[Any]]

# What a class of a point is called, by its number.
CLASSES = ("neither", "P only", "Q only", "both")


class ClassShares(NamedTuple):
    """Shares of the real and of the generated evaluation samples in each of CLASSES, (4,) each, of sum 1.

    Of a family that measures some samples only they are shares of these.
    """

    real: Floats
    generated: Floats

    @property
    def p_of_cosupport(self) -> float:
        """Share of the real samples in the estimated co-support, to be compared with P(cosupp), which is beta_0."""
        return float(self.real[3])

    @property
    def q_of_cosupport(self) -> float:
        """Share of the generated samples in it, to be compared with Q(cosupp), which is alpha_inf."""
        return float(self.generated[3])


def support_classes(c_real: ArrayLike, c_generated: ArrayLike) -> Classes:
    """The class of each point, (m,), as its place in CLASSES: 1 where c_X > 0, and 2 more where c_Y > 0."""
    real, generated = (np.asarray(side) > 0 for side in (c_real, c_generated))
    return real.astype(np.int8) + np.int8(2) * generated.astype(np.int8)


def true_classes(problem: ToyProblem, z: Samples | ArrayLike) -> Classes:
    """The class of each point by the distributions themselves.

    "both" is the co-support. A point of both closed supports that is not in it, as that of a point mass inside a
    Gaussian, counts for the one whose density is infinitely larger.
    """
    real, generated, both = problem.in_supports(z)
    sided = problem.log_ratio(z)
    return support_classes(real & (both | (sided < 0)), generated & (both | (sided > 0)))


def class_shares(supports: Supports) -> ClassShares:
    """How many of the evaluation samples of either set are in each class."""
    classes = support_classes(supports.c_real, supports.c_generated)
    sides = classes[: supports.n_real], classes[supports.n_real :]
    real, generated = (np.bincount(side, minlength=len(CLASSES)) / len(side) for side in sides)
    return ClassShares(real, generated)


def says_support(method: str) -> Literal["everywhere", "samples", "never"]:
    """Where a family states a support: at any point, at some of its own samples only, or nowhere.

    Trained classifiers give every point a chance of either side, so their supports are positive everywhere. Hubs are
    samples, and no other point is one.
    """
    if needs_split(ESTIMATORS[method]):
        return "never"
    return "samples" if method == HUB.name else "everywhere"


def supports_at(
    split: Split,
    points: Samples | ArrayLike,
    methods: Sequence[str] | str | None = None,
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> dict[str, PointSupports]:
    """c_X and c_Y, (m,) each, that the families fitted on a split give to any points (m, d).

    Each point is measured as an evaluation sample of its place would be: the fit samples are those of the split, and
    none is left out. Without split an evaluation sample is a fit sample too, and its own neighbour it is not; a point
    here is always a newcomer. A family of several seeded runs gives those of the first.

    split : what the families are fitted on. points : of the same dimension. The rest: as in `prviz.estimate`.
    Raises ValueError for points of another dimension, and for a family that states no support at them, see
    `says_support`.
    """
    names, places = method_names(methods), as_samples(points, name="points")
    for name in names:
        if says_support(name) != "everywhere":
            raise ValueError(f"methods: {name} states no support at points that are not its samples")
    if places.d != split.pair.d:
        raise ValueError(f"points have {places.d} features; the samples have {split.pair.d}")
    number, width = check_k(resolve_k(k, split.pair), split), check_bandwidth(bandwidth)
    decided = [name for name in names if isinstance(ESTIMATORS[name], CountingEstimator)]
    rest = [name for name in names if name not in decided]
    there = _with_points(split, places)
    wanted = [(name, number, width) for name in rest]
    measured = measure(there, wanted, seed, memory_limit, progress) if rest else []
    found = {each.method: _first(each.supports, places.n) for each in measured}
    found |= {name: _decided(name, split, there, number, memory_limit) for name in decided}
    return {name: found[name] for name in names}


def _with_points(split: Split, points: Samples) -> Split:
    """The same fit samples with the points as real evaluation samples, and the first as a generated one too."""
    sides, rows, asked = [], [], []
    for side, fit, extra in zip(split.pair, split.fit_rows, (points.values, points.values[:1]), strict=True):
        sides.append(np.concatenate([side.values[fit], extra]))
        rows.append(np.arange(len(fit)))
        asked.append(np.arange(len(fit), len(fit) + len(extra)))
    pair = SamplePair(Samples(sides[0], split.pair.real.name), Samples(sides[1], split.pair.generated.name))
    return Split(pair, (rows[0], rows[1]), (asked[0], asked[1]), held_out=True)


def _first(supports: Supports, n: int) -> PointSupports:
    return supports.c_real[:n], supports.c_generated[:n]


def _decided(method: str, split: Split, there: Split, k: int, memory_limit: int) -> PointSupports:
    """Of a family that decides something on all evaluation samples together: on those, not on the points.

    The decision for c_X is made on generated samples alone, so points among the real ones leave it as it is.
    """
    family = ESTIMATORS[method]
    if not isinstance(family, CountingEstimator):
        raise TypeError(f"{method} does not put its supports together from several counts")
    n, n_real = len(there.evaluate_rows[0]), len(split.evaluate_rows[0])
    real, generated = map(len, split.fit_rows)
    balls = family.several_balls(k=k, sizes=(real, generated))
    counted = [Distances(each, memory_limit=memory_limit).count(balls) for each in (there, split)]
    before = [_joined(points, samples, n) for points, samples in zip(*counted, strict=True)]
    behind = [_joined(points, samples, n, last=True) for points, samples in zip(*counted, strict=True)]
    return (
        family.combined(before, k=k, n_real=n + n_real).c_real[:n],
        family.combined(behind, k=k, n_real=n_real).c_generated[-n:],
    )


def _joined(points: BallCounts, samples: BallCounts, n: int, *, last: bool = False) -> BallCounts:
    """The counts around n points, before or behind those around the evaluation samples."""
    sides = [(points.real[:n], samples.real), (points.generated[:n], samples.generated)]
    real, generated = (np.concatenate(side[::-1] if last else side) for side in sides)
    return BallCounts(real, generated, samples.radii)


class PointGrid(NamedTuple):
    """Evenly spaced points in one or two dimensions.

    axes : the coordinates along each axis. points : (m, d), the last axis outermost, so that supports of them reshape
    to `shape`, rows from bottom to top.
    """

    axes: tuple[Floats, ...]
    points: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """(cells,) or (rows, columns)."""
        return tuple(len(axis) for axis in reversed(self.axes))


def grid_over(pair: SamplePair, cells: int, *, margin: float = 0.08) -> PointGrid:
    """``cells`` points along each axis over all samples and a margin, as a share of their range, on either side.

    Raises ValueError for more than two dimensions.
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
