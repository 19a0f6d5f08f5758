"""Scores from kernels: KID between two sets, and the diversity of one set (Vendi score and RKE)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import numpy as np

from prviz.arguments import checked_positive, checked_whole
from prviz.arrays import Array, Floats, Ints
from prviz.checks.flags import checked_pair
from prviz.measure.frechet import (
    BLOCK,
    DIGITS,
    TOO_SMALL,
    blocks,
    shift_of,
    unit_of,
    variance_of_mean,
)
from prviz.neighbors.threads import Progress, check_progress
from prviz.samples import SamplePair, Samples, SamplesLike, as_samples

Kernel = Callable[[Floats, Floats], Floats]


class _ValueAndDeviation(NamedTuple):
    value: float
    std: float


class KernelDistance(_ValueAndDeviation):
    """KID: its value and its standard deviation; ``value, std = kid(...)`` unpacks both.

    value : the distance; nan where numbers are too large for it or rounding leaves no digit. std :
    standard deviation of the value. caveat : text that says why the value is nan; "" if it is a
    number.
    """

    caveat: str

    def __new__(cls, value: float, std: float, caveat: str = "") -> Self:
        """Make a distance with its standard deviation and a caveat; as a tuple it is (value,
        std).
        """
        made = super().__new__(cls, value, std)
        made.caveat = caveat
        return made


def kid(
    real: SamplesLike,
    generated: SamplesLike,
    *,
    subsets: int | None = None,
    subset_size: int = 1000,
    seed: int = 2020,
    progress: Progress | None = None,
) -> KernelDistance:
    """Kernel distance (KID where the samples are Inception features): the unbiased squared maximum
    mean discrepancy.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ, each at least 2.
    subsets : int, optional
        None: one value from all samples, and its standard deviation. A number: mean and standard
        deviation over this many random subsets, as in torch-fidelity (100) and dgm-eval.
    subset_size : int
        Samples per subset, or all if there are fewer.
    seed : int
        Seed of the subsets; 2020 as in torch-fidelity, whose random stream is used.
    progress : callable, optional
        Called with the fraction done, between blocks; may raise to stop.

    Returns
    -------
    KernelDistance
        The value may be below 0, because it is unbiased. With subsets the deviation is that of a
        single subset's value and does not shrink with their number. Where no digit is certain, the
        value is nan and ``caveat`` says why.

    Raises
    ------
    ValueError, TypeError
        If samples are malformed, a set has a single one, subsets is below 1, or subset_size below
        2.

    Notes
    -----
    KID is the mean of k(x, x') over x != x', plus the mean of k(y, y') over y != y', minus twice
    the mean of k(x, y), with k(x, y) = (x . y / d + 1)^3.

    Deviation from all samples: sqrt(4 var(g) / n + 4 var(h) / m) with g(x) = mean k(x, X) - mean
    k(x, Y) and h(y) = mean k(y, Y) - mean k(y, X), the leading term of the variance. Single rows
    add to g and h by chance, so it is too large where both sets have the same distribution: 1.7
    times on the bundled digits.

    Samples far from zero would lose digits by rounding. For them k is replaced by
    k(x, y) - f(x) - f(y), which has the same KID for any f. With x = c + a, y = c + b,
    u = a . c / d, v = b . c / d, r = a . b / d and q = |c|^2 / d + 1 + u + v the new kernel is
    3 u v (2 |c|^2 / d + 2 + u + v) + 3 q^2 r + 3 q r^2 + r^3. The deviation is then that of the
    new kernel. Source: Binkowski, Sutherland, Arbel, Gretton 2018; Sutherland et al. 2017.
    """
    pair = checked_pair(real, generated)
    subset_size = checked_whole("subset_size", subset_size, 2)
    checked_whole("seed", seed, 0)
    smaller = pair.smaller
    if smaller < 2:
        raise ValueError("KID needs at least 2 samples of each set; one has 1")
    all_values = (pair.real.n + pair.generated.n) ** 2 // 2
    if subsets is None:
        return _with_digits(pair, lambda kernel: _whole(pair, kernel), progress, all_values)
    subsets = checked_whole("subsets", subsets, 1)
    size = min(subset_size, smaller)

    def over_subsets(kernel: _Cubic) -> tuple[float, float]:
        stream = np.random.RandomState(seed)
        values: list[float] = []
        while len(values) < subsets:
            drawn = [
                [stream.choice(samples.n, size, replace=False) for samples in pair]
                for _ in range(min(_TOGETHER, subsets - len(values)))
            ]
            values += _values_of_subsets(pair, drawn, kernel)
        return float(np.mean(values)), float(np.std(values))

    passes = -(-subsets // _TOGETHER)
    if _in_one_pass(pair, min(_TOGETHER, subsets), size):
        total = passes * all_values
    else:
        total = 3 * subsets * size**2
    return _with_digits(pair, over_subsets, progress, total)


# _TOGETHER: most subsets whose values are computed in one pass over the kernel. _ONE_MORE: cost of
# each further subset in such a pass, as a share of the pass.
_TOGETHER = 128
_ONE_MORE = 1 / 24
# Samples are far from zero if the squared norm of their mean is more than this many times their
# mean squared distance from the mean.
_FAR = 1e4
# Factor: the rounding error of a sum of products is at most this times sqrt(d) times the size of
# the terms, because rounding errors add like independent ones.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)


class _Cubic:
    """KID's kernel for blocks of rows: as published, or around a centre (see the notes of `kid`).

    centre : (d,); None: the published kernel.
    progress : called with the share of ``total`` kernel values computed so far.
    """

    def __init__(
        self,
        centre: Floats | None = None,
        progress: Progress | None = None,
        total: int = 1,
    ) -> None:
        self.centre = centre
        check_progress(progress)
        self._progress = progress
        self._total = total
        self._done = 0

    def __call__(self, rows: Floats, others: Floats) -> Floats:
        """Kernel values (n, m) of rows (n, d) with others (m, d)."""
        if self._progress is not None:
            self._done += len(rows) * len(others)
            self._progress(min(self._done / self._total, 1.0))
        if self.centre is None:
            products: Floats = rows @ others.T
            products /= rows.shape[1]
            products += 1.0
            return products * products * products
        rows = rows - self.centre
        others = others - self.centre
        return self._around(
            self._along(rows)[:, None], self._along(others), rows @ others.T / rows.shape[1]
        )

    def diagonal(self, values: Array) -> Floats:
        """Kernel values (n,) of each row with itself."""
        if self.centre is None:
            return np.hstack(
                [((block**2).sum(1) / block.shape[1] + 1.0) ** 3 for block in blocks(values)]
            )
        found = []
        for block in blocks(values):
            rows = block - self.centre
            along = self._along(rows)
            found.append(self._around(along, along, (rows**2).sum(1) / rows.shape[1]))
        return np.hstack(found)

    def _along(self, rows: Floats) -> Floats:
        along: Floats = rows @ self.centre / rows.shape[1]  # type: ignore[operator]
        return along

    def _around(self, u: Floats, v: Floats, r: Floats) -> Floats:
        base = self._base
        q = base + u + v
        return 3 * u * v * (base + q) + r * (3 * q * (q + r) + r * r)

    @property
    def _base(self) -> float:
        if self.centre is None:
            return 1.0
        return float(self.centre @ self.centre) / len(self.centre) + 1.0

    def rounding(self, pair: SamplePair) -> float:
        """Approximate bound on the rounding error of KID: the sum of the absolute values of its
        terms, times the relative error of one term.
        """
        centre = np.zeros(pair.d) if self.centre is None else self.centre
        moments = np.zeros(4)
        for samples in pair:
            for block in blocks(samples.values):
                size = np.sqrt(((block - centre) ** 2).sum(1) / pair.d)
                moments += (size[:, None] ** np.arange(4)).sum(0) / samples.n
        # Coefficients of |a|^i |b|^j in the kernel's terms, for i, j = 1 .. 3, with g = |c| and
        # base = g^2 + 1.
        base = np.float64(self._base)
        g = np.sqrt(np.maximum(base - 1.0, 0.0))
        mixed = 3 * g**3 + 6 * base * g
        coefficients = np.zeros((4, 4))
        coefficients[1:, 1:] = [
            [6 * g**2 * base + 3 * base**2, mixed, 3 * g**2],
            [mixed, 6 * g**2 + 3 * base, 3 * g],
            [3 * g**2, 3 * g, 1.0],
        ]
        if self.centre is None:
            coefficients[0, 0] = 1.0
        return _ROUNDING * math.sqrt(pair.d) * float(moments @ coefficients @ moments)


def _with_digits(
    pair: SamplePair,
    compute: Callable[[_Cubic], tuple[float, float]],
    progress: Progress | None,
    total: int,
) -> KernelDistance:
    """KID by the published kernel, or by the kernel around the mean if the published one leaves
    fewer than six digits; nan if both do.
    """
    found = (math.nan, math.nan)
    rounding = math.inf
    with np.errstate(over="ignore", invalid="ignore"):
        mean = sum(side.values.mean(axis=0, dtype=float) for side in pair) / 2
        # The mean of a constant feature is set to its exact value: a computed mean is rounded, and
        # the centred values would be nothing but rounding error.
        first = pair.real.values[0].astype(float)
        varies = np.any([(side.values != first).any(axis=0) for side in pair], axis=0)
        mean = np.where(varies, mean, first)
        if not _is_far(pair, mean):
            plain = _Cubic(None, progress, total)
            found = compute(plain)
            rounding = plain.rounding(pair)
        if math.isfinite(found[0]) and rounding <= DIGITS * abs(found[0]):
            return KernelDistance(*found)
        centred = _Cubic(mean, progress, total)
        other = compute(centred)
        other_rounding = centred.rounding(pair)
    if other == (0.0, 0.0) and varies.any():
        return KernelDistance(math.nan, math.nan, TOO_SMALL)
    # Near 0 it is enough if the rounding error is small compared with the standard deviation.
    if math.isfinite(found[0]) and rounding <= DIGITS * other[1]:
        return KernelDistance(*found)
    if math.isfinite(other[0]) and other_rounding <= DIGITS * max(abs(other[0]), other[1]):
        return KernelDistance(*other)
    if not math.isfinite(other[0]):
        largest = max(float(np.abs(side.values).max()) for side in pair)
        why = f"numbers of up to {largest:.3g} are too large: the kernel takes their sixth powers"
    else:
        why = (
            f"rounding alone is up to about {other_rounding:.2g}, beside a value of {other[0]:.2g}:"
            " no digits hold"
        )
    return KernelDistance(math.nan, math.nan, why)


def _is_far(pair: SamplePair, mean: Floats) -> bool:
    """True if the mean is so far from zero, compared with the spread, that kernel values tell more
    about the mean than about the spread.
    """
    around = sum(
        float(((block - mean) ** 2).sum()) / side.n
        for side in pair
        for block in blocks(side.values)
    )
    return float(mean @ mean) > _FAR * around / 2


def _whole(pair: SamplePair, kernel: _Cubic) -> tuple[float, float]:
    n = pair.real.n
    m = pair.generated.n
    own, other_own, across, back = _cubic_sums(pair, kernel)
    value = own.sum() / (n * (n - 1)) + other_own.sum() / (m * (m - 1)) - 2 * across.sum() / (n * m)
    lean = own / (n - 1) - across / m
    other_lean = other_own / (m - 1) - back / n
    unit = unit_of(lean, other_lean)
    variance = variance_of_mean(np.ldexp(lean, -unit), pair.real)
    variance += variance_of_mean(np.ldexp(other_lean, -unit), pair.generated)
    return float(value), 2 * math.ldexp(math.sqrt(variance), unit)


def _values_of_subsets(
    pair: SamplePair, drawn: Sequence[Sequence[Ints]], kernel: _Cubic
) -> list[float]:
    """KID of each subset, given as (real rows, generated rows); all subsets have equal size."""
    size = len(drawn[0][0])
    if _in_one_pass(pair, len(drawn), size):
        inside = [_chosen_sums(pair, (role, role), drawn, kernel) for role in range(2)]
        diagonals = [kernel.diagonal(samples.values) for samples in pair]
        without = [
            sums - [diagonal[rows[role]].sum() for rows in drawn]
            for role, (sums, diagonal) in enumerate(zip(inside, diagonals, strict=True))
        ]
        across = _chosen_sums(pair, (0, 1), drawn, kernel)
        return list((without[0] + without[1]) / (size * (size - 1)) - 2 * across / size**2)
    found = []
    for rows in drawn:
        part = SamplePair.of(pair.real.values[rows[0]], pair.generated.values[rows[1]])
        found.append(_whole(part, kernel)[0])
    return found


def _in_one_pass(pair: SamplePair, subsets: int, size: int) -> bool:
    """True if one pass over the kernel values of all samples costs less than one pass per
    subset.
    """
    return (pair.real.n + pair.generated.n) ** 2 / 2 * (
        1 + subsets * _ONE_MORE
    ) < 3 * subsets * size**2


def _chosen_sums(
    pair: SamplePair, roles: tuple[int, int], drawn: Sequence[Sequence[Ints]], kernel: _Cubic
) -> Floats:
    """For each subset, the sum of the kernel over all pairs of its rows, between the two roles or
    inside one; computed tile by tile.
    """
    sides = [tuple(pair)[role] for role in roles]
    chosen = []
    for role, samples in zip(roles, sides, strict=True):
        inside = np.zeros((samples.n, len(drawn)))
        for place, rows in enumerate(drawn):
            inside[rows[role], place] = 1.0
        chosen.append(inside)
    sums = np.zeros(len(drawn))
    for first, block in enumerate(blocks(sides[0].values)):
        for second, others in enumerate(blocks(sides[1].values)):
            if roles[0] == roles[1] and second < first:
                continue
            tile = kernel(block, others) @ chosen[1][second * BLOCK : second * BLOCK + len(others)]
            part = (tile * chosen[0][first * BLOCK : first * BLOCK + len(block)]).sum(0)
            if roles[0] == roles[1] and second > first:
                sums += 2 * part
            else:
                sums += part
    return sums


def kernel_share(pair: SamplePair) -> float:
    """The share 1 - KID / (mean of k(x, x') + mean of k(y, y')): 1 if KID is 0, and 0 if the mean
    of k(x, y) is 0.
    """
    n = pair.real.n
    m = pair.generated.n
    with np.errstate(over="ignore", invalid="ignore"):
        own, other_own, across, _ = _cubic_sums(pair, _Cubic())
        share = (
            2
            * across.sum()
            / (n * m)
            / (own.sum() / (n * (n - 1)) + other_own.sum() / (m * (m - 1)))
        )
    if math.isfinite(share):
        return float(share)
    return math.nan


def _cubic_sums(pair: SamplePair, kernel: _Cubic) -> tuple[Floats, Floats, Floats, Floats]:
    """Four arrays of sums of KID's kernel: of each real sample over the other real ones; of each
    generated sample over the other generated ones; of each real sample over the generated set; of
    each generated sample over the real set.
    """
    real = pair.real.values
    generated = pair.generated.values
    own, other_own = (
        _sums(each, each, kernel)[0] - kernel.diagonal(each) for each in (real, generated)
    )
    return own, other_own, *_sums(real, generated, kernel)


def vendi(samples: SamplesLike, *, order: float = 1.0) -> float:
    """Vendi score: how many different samples a set holds in effect, 1 to n.

    Parameters
    ----------
    samples : array_like or Samples
        (n, d) samples of one set.
    order : float
        Order of the Renyi entropy, positive, also infinity; 1 is Shannon's, as published.

    Returns
    -------
    float
        The exponential of the entropy of the eigenvalues of K / n, K the cosines between samples,
        at most d.

    Raises
    ------
    ValueError, TypeError
        If samples are malformed, or the order is not positive.

    Notes
    -----
    The eigenvalues of K / n that are not 0 are those of the (d, d) matrix of the normalised
    samples, so no (n, n) matrix is needed. A sample of zeros has no direction and stays zero, as in
    dgm-eval. Source: Friedman, Dieng 2023.
    """
    order = checked_positive("order", order)
    values = as_samples(samples, name="samples").values
    gram = np.zeros((values.shape[1],) * 2)
    for block in blocks(values):
        unit = of_length_one(block)
        gram += unit.T @ unit
    chances = np.linalg.eigvalsh(gram / len(values))
    chances = chances[chances > 1e-12]
    if order == 1:
        return float(np.exp(-(chances * np.log(chances)).sum()))
    if order == math.inf:
        return float(1 / chances.max())
    # divided by the largest, since a high power of a small chance is 0
    log_sum = np.log(((chances / chances.max()) ** order).sum()) + order * np.log(chances.max())
    return float(np.exp(log_sum / (1 - order)))


def of_length_one(values: Array) -> Array:
    """Scale each row to length 1, even where the length itself would overflow or underflow; rows of
    zeros stay.

    Parameters
    ----------
    values : ndarray
        (n, d) values.

    Returns
    -------
    ndarray
        (n, d) rows of length 1, or of length 0.
    """
    largest = np.abs(values).max(axis=1, keepdims=True)
    scaled = values / np.where(largest > 0, largest, 1)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.where(lengths > 0, lengths, 1)


def rke(samples: SamplesLike, *, bandwidth: float) -> float:
    """Exponential of the Renyi kernel entropy of order 2: how many modes a set holds in effect, 1
    to n.

    Parameters
    ----------
    samples : array_like or Samples
        (n, d) samples of one set.
    bandwidth : float
        sigma of the Gaussian kernel, positive: modes closer than sigma count as one. The paper sets
        it by hand; `prviz.scalars` takes half the root mean square distance between real samples.

    Returns
    -------
    float
        1 / mean of k(x, x')^2 over all pairs, with k(x, x') = exp(-|x - x'|^2 / (2 sigma^2)).

    Raises
    ------
    ValueError, TypeError
        If samples are malformed, or the bandwidth is not positive.

    Notes
    -----
    Source: Jalali, Li, Farnia 2023.
    """
    values = as_samples(samples, name="samples").values
    bandwidth = checked_positive("bandwidth", bandwidth)
    centre = values.mean(axis=0, dtype=float)

    def squared_kernel(rows: Floats, others: Floats) -> Floats:
        rows = (rows - centre) / bandwidth
        others = (others - centre) / bandwidth
        if _ROUNDING * max((rows**2).sum(1).max(), (others**2).sum(1).max()) > DIGITS:
            from scipy.spatial.distance import cdist

            exact: Floats = np.exp(-cdist(rows, others, "sqeuclidean"))
            return exact
        squared = (rows**2).sum(1)[:, None] + (others**2).sum(1) - 2 * rows @ others.T
        kernel: Floats = np.exp(-np.maximum(squared, 0.0))
        return kernel

    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        mean = _sums(values, values, squared_kernel)[0].sum() / len(values) ** 2
    if mean > 0:
        return float(1 / mean)
    return math.nan


def half_spread(samples: Samples) -> float:
    """Half the root mean square distance between samples; nan where numbers are too large for
    it.
    """
    shift = shift_of(samples, samples)
    with np.errstate(over="ignore", invalid="ignore"):
        if shift.any():
            mean = sum((block - shift).sum(axis=0) for block in blocks(samples.values)) / samples.n
        else:
            mean = samples.values.mean(axis=0, dtype=float)
        total = sum(float(((block - shift - mean) ** 2).sum()) for block in blocks(samples.values))
    spread = math.sqrt(2 * total / max(samples.n - 1, 1)) / 2
    if math.isfinite(spread):
        return spread
    return math.nan


def _sums(values: Array, others: Array, kernel: Kernel) -> tuple[Floats, Floats]:
    """Sums of the kernel: for each row of ``values`` over all ``others``, and for each row of
    ``others`` over all ``values``; computed tile by tile.

    If ``values`` and ``others`` are the same set, each tile is computed once and used for both of
    its sides, and the two results are the same array.
    """
    same = others is values
    sums = np.zeros(len(values))
    back = np.zeros(len(others))
    for first, rows in enumerate(blocks(values)):
        for second, each in enumerate(blocks(others)):
            if same and second < first:
                continue
            tile = kernel(rows, each)
            sums[first * BLOCK : first * BLOCK + len(rows)] += tile.sum(1)
            if not (same and second == first):
                back[second * BLOCK : second * BLOCK + len(each)] += tile.sum(0)
    if same:
        return (sums + back, sums + back)
    return (sums, back)
