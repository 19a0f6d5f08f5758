"""Published scalars, and two scores per generated sample, from the same balls as the curves.

The k-NN ball of a sample reaches to the k-th nearest other sample of its set; the sample itself is
left out by index. With B_k(x) the ball of a real sample x among n, and B_k(y) that of a generated
sample y among m:

    precision           share of generated samples in B_k(x) of some x
    recall              share of real samples in B_k(y) of some y
                        (Kynkäänniemi et al. 2019)
    density             number of pairs with y in B_k(x), divided by k m
    coverage            share of real samples x with some y in B_k(x)
                        (Naeem et al. 2020)
    coverage_precision  share of generated samples y with some x in B_k(y)
    eas_precision       min(precision, coverage_precision)
    eas_recall          min(recall, coverage)
                        (Khayatkhoei, AbdAlmageed 2023)
    prc_precision       share of generated samples y with at least k x in B_Ck(y)
    prc_recall          share of real samples x with at least k y in B_Ck(x)
                        (Cheema, Urner 2023)
    ppr_precision       mean over y of 1 - prod over x of (1 - tau_X(|y - x|))
    ppr_recall          mean over x of 1 - prod over y of (1 - tau_Y(|x - y|))
                        (Park, Kim 2023)

    frechet_distance    distance of Gaussians with the means and covariances of the sets
                        (Dowson, Landau 1982; Heusel et al. 2017)
    kid, kid_std        unbiased squared maximum mean discrepancy with a cubic kernel
                        (Binkowski et al. 2018)
    clipped_density     density in which no single sample or ball can count too much
    clipped_coverage    coverage as the share of good samples that reaches it
                        (Salvy, Talbot, Thirion 2025)
    vendi_*             effective number of different samples in one set (Friedman, Dieng 2023)
    rke_*               effective number of modes in one set (Jalali, Li, Farnia 2023)

tau_X(d) = max(0, 1 - d / R_X), R_X = a times the mean k-NN radius inside the real set; tau_Y
likewise. All shares lie in [0, 1] except density, which may exceed 1. `prviz.measure.blind_spots`
says what each scalar can't see.

`conventions` computes the scalars by every published convention, to explain why two tools
disagree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from prviz.arguments import checked_choice, checked_number, checked_whole
from prviz.arrays import Array, Counts, Floats
from prviz.checks.flags import checked_pair
from prviz.measure.balls import check_neighbours, open_radii, own_radii
from prviz.measure.spelling import prdc_names
from prviz.neighbors import Distances, count_held, count_in_balls, largest_ratios, smallest_holding
from prviz.neighbors.point_sets import RowView
from prviz.neighbors.threads import Progress, part_of
from prviz.samples import SamplePair, SamplesLike, as_samples

BallKind: TypeAlias = Literal["closed", "open"]

_ROLES = ("real", "generated")


@prdc_names
def scalars(
    real: SamplesLike,
    generated: SamplesLike,
    *,
    k: int = 5,
    ball: BallKind = "closed",
    prc_k: int = 3,
    prc_c: int = 3,
    ppr_k: int = 4,
    ppr_a: float = 1.2,
    progress: Progress | None = None,
) -> dict[str, float]:
    """The numbers that papers report, without split: shares in balls, distances of two sets,
    diversity of one.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    k : int
        Number of neighbours, for all shares but those of PRC and PPR.
    ball : {"closed", "open"}
        Kind of ball for all shares but the clipped ones. "closed" counts a sample at exactly the
        radius (<=); "open" does not (<), like the package prdc. The two differ at ties only, and
        for PPR not at all. Closed balls compare squared distances, as the curves do; open balls
        compare distances, as prdc does.
    prc_k, prc_c : int
        k and C of PRC, 3 and 3 as published. A ball reaches at most to the farthest sample of its
        own set.
    ppr_k : int
        k of PPR, 4 as published.
    ppr_a : float
        a of PPR, 1.2 as published.
    progress : callable, optional
        Called with the fraction done; may raise to stop.

    Returns
    -------
    dict of str to float
        precision, recall, density, coverage, coverage_precision, eas_precision, eas_recall,
        prc_precision, prc_recall, ppr_precision, ppr_recall, frechet_distance, kid, kid_std,
        clipped_density, clipped_coverage, vendi_real, vendi_generated, rke_real, rke_generated, in
        this order. frechet_distance is nan where n <= d or m <= d, where it means nothing
        (`prviz.frechet_distance` gives it all the same); frechet_distance and the eight numbers
        after it are nan where values are too large for them.

    Raises
    ------
    ValueError, TypeError
        If samples are malformed, a k is not an integer from 1 to min(n, m) - 1, prc_c is below 1,
        ppr_a is not positive and finite, or ``ball`` is neither "closed" nor "open".

    Notes
    -----
    The module `prviz.measure.scalars` gives each formula with its source. See also Sykes, Simon,
    Rabin, Fadili 2026 (hal-05344404), section 4.1.
    """
    pair = checked_pair(real, generated)
    how = ShareSettings(k=k, ball=ball, prc_k=prc_k, prc_c=prc_c, ppr_k=ppr_k, ppr_a=ppr_a)
    return scalars_of(pair, how, progress=progress)


def compute_prdc(
    real_features: SamplesLike, fake_features: SamplesLike, nearest_k: int
) -> dict[str, float]:
    """Precision, recall, density and coverage with the names and conventions of the package prdc,
    equal to the last digit.

    It can replace ``prdc.compute_prdc`` by a change of the import alone. It prints nothing and
    stores no matrix of distances. `prviz.scalars` has more numbers, and counts a sample at exactly
    the radius.

    Parameters
    ----------
    real_features, fake_features : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    nearest_k : int
        Number of neighbours.

    Returns
    -------
    dict of str to float
        precision, recall, density, coverage.

    Raises
    ------
    ValueError, TypeError
        If samples are malformed, or nearest_k is not an integer from 1 to min(n, m) - 1.

    Notes
    -----
    Source: Naeem et al. 2020, and prdc 0.2: open balls, without split.
    """
    pair = checked_pair(real_features, fake_features)
    check_neighbours("nearest_k", nearest_k, pair.smaller)
    counts = contained(pair, *(open_radii(own_radii(side.values, nearest_k)) for side in pair))
    return {
        "precision": share(counts.real_balls),
        "recall": share(counts.generated_balls),
        # Multiplied by 1 / k, as in prdc, because a division would round differently.
        "density": (1.0 / float(nearest_k)) * float(counts.real_balls.mean()),
        "coverage": share(counts.in_real_balls),
    }


@dataclass(frozen=True, kw_only=True)
class ShareSettings:
    """Settings of the shares in `scalars`; the fields are arguments of `scalars`.

    `check` raises ValueError or TypeError for values that can't be used.
    """

    k: int = 5
    ball: BallKind = "closed"
    prc_k: int = 3
    prc_c: int = 3
    ppr_k: int = 4
    ppr_a: float = 1.2

    def check(self, smaller: int) -> None:
        """Raise an error for settings that can't be used if the smaller set has ``smaller``
        samples.
        """
        for name, value in (("k", self.k), ("prc_k", self.prc_k), ("ppr_k", self.ppr_k)):
            check_neighbours(name, value, smaller)
        checked_whole("prc_c", self.prc_c, 1)
        needed = "a positive finite number"
        checked_number("ppr_a", self.ppr_a, needed, lambda found: 0 < found < math.inf)
        checked_choice("ball", self.ball, get_args(BallKind))


def scalars_of(
    pair: SamplePair,
    how: ShareSettings,
    *,
    frechet_distance: float | None = None,
    progress: Progress | None = None,
) -> dict[str, float]:
    """`scalars` of a pair. If ``frechet_distance`` is given, it is not computed again."""
    how.check(pair.smaller)
    first = part_of(progress, 0, 4)
    if how.ball == "closed":
        counts, covers = _closed(pair, how, first)
    else:
        counts, covers = _open(pair, how)
    first(1.0)
    precision = share(counts.real_balls)
    recall = share(counts.generated_balls)
    coverage = share(counts.in_real_balls)
    mirrored = share(counts.in_generated_balls)
    ppr = _ppr(pair, how.ppr_k, how.ppr_a)
    part_of(progress, 1, 4)(1.0)
    if frechet_distance is None:
        frechet_distance = _frechet(pair)
    sets = numbers_of_sets(pair, how.k, part_of(progress, 2, 4, 2))
    return {
        "precision": precision,
        "recall": recall,
        "density": int(counts.real_balls.sum()) / (how.k * pair.generated.n),
        "coverage": coverage,
        "coverage_precision": mirrored,
        "eas_precision": min(precision, mirrored),
        "eas_recall": min(recall, coverage),
        "prc_precision": share(covers[0], how.prc_k),
        "prc_recall": share(covers[1], how.prc_k),
        "ppr_precision": ppr[0],
        "ppr_recall": ppr[1],
        "frechet_distance": frechet_distance,
        **{name: each.value for name, each in sets.items()},
    }


def _frechet(pair: SamplePair) -> float:
    """The Frechet distance; nan if there are too few samples for it to be meaningful."""
    from prviz.measure.frechet import frechet

    if pair.smaller > pair.d:
        return frechet(*pair)
    return math.nan


class NumberOfSets(NamedTuple):
    """A scalar; if it is nan, ``caveat`` says why, otherwise it is ""."""

    value: float
    caveat: str = ""


def numbers_of_sets(
    pair: SamplePair, k: int, progress: Progress | None = None
) -> dict[str, NumberOfSets]:
    """KID with its standard deviation, the two clipped scalars, Vendi and RKE; each with the reason
    if it is nan.
    """
    from prviz.measure.clipped import clipped
    from prviz.measure.kernel_scores import half_spread, kid, rke, vendi

    tick = part_of(progress, 0, 8)
    kernel = kid(*pair, progress=part_of(progress, 0, 8, 3))
    shares = clipped(*pair, k=k)
    tick(4)
    bandwidth = half_spread(pair.real)
    why = ""
    if bandwidth == 0:
        equal = not (pair.real.values != pair.real.values[0]).any()
        why = "so near each other that its square is 0"
        if equal:
            why = "all equal"
        why = f"its bandwidth is half the spread of the real samples, which are {why}"
    elif math.isnan(bandwidth):
        why = "the squares of these numbers are too large for it"
    numbers = {
        "kid": NumberOfSets(kernel.value, kernel.caveat),
        "kid_std": NumberOfSets(kernel.std, kernel.caveat),
        "clipped_density": NumberOfSets(shares.density),
        "clipped_coverage": NumberOfSets(shares.coverage),
    }
    for place, (role, samples) in enumerate(zip(_ROLES, pair, strict=True)):
        numbers[f"vendi_{role}"] = NumberOfSets(vendi(samples))
        tick(5 + place)
    for place, (role, samples) in enumerate(zip(_ROLES, pair, strict=True)):
        modes = math.nan if why else rke(samples, bandwidth=bandwidth)
        if why or not math.isnan(modes):
            far = ""
        else:
            far = "these numbers are so large that nothing is left of the real spread"
        numbers[f"rke_{role}"] = NumberOfSets(modes, why or far)
        tick(7 + place)
    return numbers


def realism(real: SamplesLike, generated: SamplesLike, *, k: int = 3) -> Floats:
    """Realism score: how real each generated sample looks.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    k : int
        Number of neighbours, 1 to n - 1; 3 as published.

    Returns
    -------
    ndarray of shape (m,)
        Score of each generated sample, in order: at least 1 if a ball in use holds the sample, inf
        if it equals a real sample whose ball is in use, otherwise 0 if all balls in use have radius
        0.

    Raises
    ------
    ValueError, TypeError
        As `scalars`, for k above n - 1.

    Notes
    -----
    realism(y) = max over x of r(x) / |y - x|, with r(x) the distance from a real sample x to its
    k-th nearest other real one. Balls with a radius above the median are not used. The score is the
    ratio of distances, as in the published formula; its authors' code takes the ratio of squares.
    Source: Kynkäänniemi et al. 2019, equation 3 and section 5.
    """
    pair, radii = _real_balls(checked_pair(real, generated), k)
    used = np.flatnonzero(radii <= np.median(radii))
    return largest_ratios(pair.generated.values, pair.real.values[used], radii[used])


def rarity(real: SamplesLike, generated: SamplesLike, *, k: int = 3) -> Floats:
    """Rarity score: how uncommon each generated sample is among real ones.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    k : int
        Number of neighbours, 1 to n - 1; 3 as published.

    Returns
    -------
    ndarray of shape (m,)
        Score of each generated sample, in order and in the units of the data; nan outside all
        balls.

    Raises
    ------
    ValueError, TypeError
        As `scalars`, for k above n - 1.

    Notes
    -----
    rarity(y) = the smallest radius of a closed k-NN ball of a real sample that holds y.
    Source: Han, Choi, Choi, Kim, Ha, Choi 2022, rarity score, section 3.
    """
    pair, radii = _real_balls(checked_pair(real, generated), k)
    return smallest_holding(pair.generated.values, pair.real.values, radii)


class Contained(NamedTuple):
    """Counts for both sets: how many balls contain each sample, and how many samples of the other
    set are in each ball.

    real_balls : (m,) number of real balls that hold each generated sample.
    generated_balls : (n,) number of generated balls that hold each real sample.
    in_real_balls : (n,) number of generated samples in each real ball.
    in_generated_balls : (m,) number of real samples in each generated ball.
    """

    real_balls: Counts
    generated_balls: Counts
    in_real_balls: Counts
    in_generated_balls: Counts


def contained(pair: SamplePair, real_radii: Floats, generated_radii: Floats) -> Contained:
    """`Contained` for closed balls with these radii around all samples; a ball with a negative
    radius contains nothing.
    """
    real = pair.real.values
    generated = pair.generated.values
    return Contained(
        _balls_holding(generated, real, real_radii),
        _balls_holding(real, generated, generated_radii),
        _points_inside(real, real_radii, generated),
        _points_inside(generated, generated_radii, real),
    )


def _closed(
    pair: SamplePair, how: ShareSettings, progress: Progress
) -> tuple[Contained, tuple[Counts, Counts]]:
    """Counts in the closed balls of iPR and coverage, and counts in the closed balls of PRC, from
    one pass over the distances.
    """
    from prviz.estimators.eas import EAS
    from prviz.estimators.prc import cover_balls

    n = pair.real.n
    sizes = (pair.real.n, pair.generated.n)
    prc = cover_balls(how.prc_k, how.prc_c, *sizes)
    balls = [*EAS.balls(k=how.k, bandwidth=None, sizes=sizes), prc]
    ipr, coverage, cover = Distances(pair.split(None)).count(balls, progress=progress)
    counts = Contained(ipr.real[n:], ipr.generated[:n], coverage.generated[:n], coverage.real[n:])
    return counts, (cover.real[n:], cover.generated[:n])


def _open(pair: SamplePair, how: ShareSettings) -> tuple[Contained, tuple[Counts, Counts]]:
    """The same counts as `_closed`, but in open balls."""
    from prviz.estimators.prc import cover_orders

    real = pair.real.values
    generated = pair.generated.values
    orders = cover_orders(how.prc_k, how.prc_c, pair.real.n, pair.generated.n)
    covers = (
        _points_inside(generated, open_radii(own_radii(generated, orders[1])), real),
        _points_inside(real, open_radii(own_radii(real, orders[0])), generated),
    )
    return (
        contained(pair, *(open_radii(own_radii(side, how.k)) for side in (real, generated))),
        covers,
    )


def _ppr(pair: SamplePair, k: int, width: float) -> tuple[float, float]:
    from prviz.estimators.ppr import chances, tent_radius

    real, generated = (RowView(side.values) for side in pair)
    sides = ((real, generated), (generated, real))
    inside = (chances(points, fit, tent_radius(fit, k, width)) for fit, points in sides)
    precision, recall = (math.fsum(side.tolist()) / len(side) for side in inside)
    return precision, recall


def _balls_holding(points: Array, centres: Array, radii: Floats) -> Counts:
    """For each point, the number of balls that contain it."""
    rows = np.flatnonzero(radii >= 0)
    if not len(rows):
        return np.zeros(len(points), np.int64)
    return count_in_balls(points, centres, radii[rows], centre_rows=rows)


def _points_inside(centres: Array, radii: Floats, points: Array) -> Counts:
    """For each ball, the number of points in it."""
    rows = np.flatnonzero(radii >= 0)
    counts = np.zeros(len(centres), np.int64)
    if len(rows):
        counts[rows] = count_held(centres, radii[rows], points, centre_rows=rows)
    return counts


def share(counts: Counts, least: int = 1) -> float:
    """Share of the counts that are at least ``least``."""
    return int(np.count_nonzero(counts >= least)) / len(counts)


def _real_balls(pair: SamplePair, k: int) -> tuple[SamplePair, Floats]:
    check_neighbours("k", k, pair.real.n, "real")
    return pair, own_radii(pair.real.values, k)


# ---- published conventions ----


# The largest float16; and the smallest number that is rounded to infinity in float16.
_HALF_MAX = 65504.0
_HALF_LIMIT = 65520.0


class Convention(NamedTuple):
    """The scalars by one published convention; nan for a scalar that does not exist in it.

    precision, recall, density, coverage : as in `prviz.scalars`, except for the difference.
    realism : the median over generated samples, see `prviz.realism`.
    name, meaning : short name and description of the difference from the convention of
    `prviz.scalars`.
    tools : published code that uses this convention.
    caveat : text that says why scalars do not exist; "" if all do.
    """

    precision: float
    recall: float
    density: float
    coverage: float
    realism: float
    name: str = ""
    meaning: str = ""
    tools: str = ""
    caveat: str = ""


_NOTHING = Convention(math.nan, math.nan, math.nan, math.nan, math.nan)


def conventions(
    real: SamplesLike,
    generated: SamplesLike,
    k: int = 5,
    *,
    progress: Progress = lambda _: None,
) -> list[Convention]:
    """Scalars by every published convention: first by that of `prviz.scalars`, then by others, each
    of which differs from it in one point.

    real, generated : (n, d) and (m, d) samples; n and m may differ.
    k : number of neighbours, 1 to min(n, m) - 1.
    progress : called with the fraction done; may raise to stop.

    Each convention is computed exactly as described, on float64 distances. So the float16
    conventions round exact distances once, while the tools also round in between. Distances whose
    squares differ in the last bit may tie here but not in the curves, which compare squares.

    Raises ValueError or TypeError if samples are malformed or k is out of range.
    """
    pair = checked_pair(real, generated)
    check_neighbours("k", k, pair.smaller)
    base = _Balls.of(pair, k)
    closed = base.numbers()
    most = pair.smaller - 1
    alone = _NOTHING._replace(caveat=f"the smaller set has no {k + 1} other samples")
    rows: dict[str, Callable[[], Convention]] = {
        "closed": lambda: closed,
        "open": lambda: base.numbers(open_radii),
        "self counted": lambda: _Balls.of(pair, k - 1, k).numbers(),
        "k + 1": lambda: _Balls.of(pair, k + 1, k).numbers() if k < most else alone,
        "squared": lambda: closed._replace(realism=base.realism(np.square)),
        "all balls": lambda: closed._replace(realism=base.realism(up_to=100)),
        "float16": (
            lambda: base.numbers(half_radii)._replace(realism=math.nan, caveat=_NO_HALF_REALISM)
        ),
        "float16 samples": lambda: _rounded(pair, k),
        "scaled": lambda: _Balls.of(_scaled(pair), k).numbers(),
        "swapped": lambda: _Balls.of(SamplePair(pair.generated, pair.real), k).numbers(),
        "other side": lambda: base.numbers(average=_other_side),
    }
    found = []
    for place, (name, (meaning, tools)) in enumerate(_ROWS.items()):
        progress((place + 1) / (len(_ROWS) + 1))
        found.append(rows[name]()._replace(name=name, meaning=meaning, tools=tools))
    return found


_NO_HALF_REALISM = "no published code has a realism of rounded distances"
_ROWS = {
    "closed": (
        "a sample at exactly the radius is inside; the radius reaches to the k-th other sample",
        "prviz, torch-fidelity",
    ),
    "open": (
        "a sample at exactly the radius is outside: differs only where distances tie",
        "prdc, dgm-eval, improved-precision-and-recall-metric-pytorch, emergent_asymmetry_pr",
    ),
    "self counted": (
        "every sample is its own first neighbour, so the radius reaches to the (k-1)-th other one",
        "code that calls scikit-learn's kneighbors(X) with the fitted X itself for k neighbours",
    ),
    "k + 1": (
        "the radius reaches to the (k+1)-th other sample",
        "code that corrects for the sample itself twice",
    ),
    "squared": (
        "distances stay squared: the same comparisons, but realism is the ratio of squares",
        "improved-precision-and-recall-metric",
    ),
    "all balls": (
        "realism over all balls, those above the median radius too",
        (
            "improved-precision-and-recall-metric by default, "
            "improved-precision-and-recall-metric-pytorch"
        ),
    ),
    "float16": ("distances and radii are rounded to float16 before they are compared", ""),
    "float16 samples": ("samples, distances and radii are rounded to float16", "stylegan3"),
    "scaled": ("features are centred and scaled by mean and deviation of the real set", ""),
    "swapped": (
        "the generated set is taken for the real one",
        "tools whose first argument is the other set; torch-fidelity's changed between versions",
    ),
    "other side": (
        (
            "averaged over balls instead of samples: precision over real balls that hold a"
            " generated sample, recall over generated balls, density over real balls, coverage over"
            " generated samples"
        ),
        "",
    ),
}


@dataclass(frozen=True, eq=False)
class _Balls:
    """Two sets, the radii of the balls around their samples, and the k by which counts are divided
    for density.
    """

    pair: SamplePair
    real: Floats
    generated: Floats
    k: int

    @classmethod
    def of(cls, pair: SamplePair, order: int, k: int | None = None) -> _Balls:
        """Balls out to each sample's order-th nearest other sample in its set; of radius 0 for
        order 0.
        """
        radii = [own_radii(side.values, order) if order else np.zeros(side.n) for side in pair]
        return cls(pair, radii[0], radii[1], order if k is None else k)

    def numbers(
        self,
        threshold: Callable[[Floats], Floats] = lambda radii: radii,
        average: Callable[[Contained, int], tuple[float, float, float, float]] | None = None,
    ) -> Convention:
        """The scalars of one convention, from closed balls whose radii are first changed by
        ``threshold``.
        """
        held = contained(self.pair, threshold(self.real), threshold(self.generated))
        return Convention(*(average or _published)(held, self.k), self.realism())

    def realism(
        self, change: Callable[[Floats], Floats] = lambda ratios: ratios, up_to: float = 50
    ) -> float:
        """Median realism of the generated samples, from the real balls whose radii are up to this
        percentile.
        """
        selected = np.flatnonzero(self.real <= np.percentile(self.real, up_to))
        ratios = largest_ratios(
            self.pair.generated.values, self.pair.real.values[selected], self.real[selected]
        )
        middle = np.sort(change(ratios))[[(len(ratios) - 1) // 2, len(ratios) // 2]]
        return float(middle[0] if middle[0] == middle[1] else middle.mean())


def _published(held: Contained, k: int) -> tuple[float, float, float, float]:
    density = int(held.real_balls.sum()) / (k * len(held.real_balls))
    return share(held.real_balls), share(held.generated_balls), density, share(held.in_real_balls)


def _other_side(held: Contained, k: int) -> tuple[float, float, float, float]:
    density = int(held.in_real_balls.sum()) / (k * len(held.in_real_balls))
    return (
        share(held.in_real_balls),
        share(held.in_generated_balls),
        density,
        share(held.real_balls),
    )


def half_radii(radii: Floats) -> Floats:
    """For each radius, the largest distance that, rounded to float16, is at most the radius rounded
    to float16.

    Rounding keeps the order. So the k-th smallest rounded distance is the rounded k-th smallest
    distance, and comparing exact distances with this limit gives the same result as comparing
    rounded numbers.
    """
    with np.errstate(over="ignore"):
        rounded = radii.astype(np.float16)
        above = np.nextafter(rounded, np.float16(np.inf)).astype(float)
        middle = np.where(rounded >= _HALF_MAX, _HALF_LIMIT, (rounded.astype(float) + above) / 2)
        to_even = middle.astype(np.float16) == rounded
    limits = np.where(to_even, middle, np.nextafter(middle, 0.0))
    return np.where(np.isinf(rounded), np.finfo(np.float64).max, limits)


def _rounded(pair: SamplePair, k: int) -> Convention:
    """The scalars from samples rounded to float16; nan if a value is too large for float16."""
    if any(float(np.abs(side.values).max()) >= _HALF_LIMIT for side in pair):
        return _NOTHING._replace(
            caveat=f"float16 ends at {_HALF_MAX:,.0f}, and a value here is beyond"
        )
    real, generated = (as_samples(side.values.astype(np.float16)) for side in pair)
    halves = SamplePair(real, generated)
    return (
        _Balls.of(halves, k).numbers(half_radii)._replace(realism=math.nan, caveat=_NO_HALF_REALISM)
    )


def _scaled(pair: SamplePair) -> SamplePair:
    """The pair with features centred by the real mean and divided by the real standard deviation
    (with divisor n); a constant feature is only centred.
    """
    mean, deviation = (f(pair.real.values, axis=0, dtype=float) for f in (np.mean, np.std))
    deviation = np.where(deviation > 0, deviation, 1.0)
    real, generated = (as_samples((side.values - mean) / deviation) for side in pair)
    return SamplePair(real, generated)
