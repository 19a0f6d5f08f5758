"""Published conventions: the scalars that each gives on the same two sets, to explain why two tools disagree."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.measure.scalars import Contained, check_integer, contained, open_radii, own_radii, share
from prviz.neighbors import largest_ratios
from prviz.samples import SamplePair, Samples, as_samples

__all__ = ["Convention", "conventions"]

Floats = NDArray[np.float64]

# The largest float16, and the smallest number that rounds to infinity instead.
_HALF_MAX, _HALF_LIMIT = 65504.0, 65520.0


@dataclass(frozen=True)
class Convention:
    """One convention and its numbers; a number that does not exist is nan.

    name, meaning : what differs from the first row.
    precision, recall, density, coverage : as in `prviz.scalars`, except for the difference.
    realism : the median over generated samples, see `prviz.realism`.
    tools : published code that uses this convention.
    """

    name: str
    meaning: str
    precision: float
    recall: float
    density: float
    coverage: float
    realism: float
    tools: str = ""


class _Numbers(NamedTuple):
    precision: float
    recall: float
    density: float
    coverage: float
    realism: float


_NOTHING = _Numbers(*[math.nan] * 5)


def conventions(real: Samples | ArrayLike, generated: Samples | ArrayLike, k: int = 5) -> list[Convention]:
    """Scalars by every published convention: first that of `prviz.scalars`; each other differs from it in one point.

    real, generated : (n, d) and (m, d) samples; n and m may differ.
    k : neighbours, 1 to min(n, m) - 1.

    Each row follows its description exactly, on float64 distances. So the float16 rows round exact distances once,
    while the tools also round in between, and distances whose squares differ in the last bit may tie here but not in
    the curves, which compare squares.

    Raises
    ------
    ValueError, TypeError : malformed samples, or an illegal k.
    """
    pair = SamplePair(as_samples(real, name="real"), as_samples(generated, name="generated"))
    check_integer("k", k, min(pair.real.n, pair.generated.n) - 1, "one less than the smaller set")
    base = _Balls.of(pair, k)
    closed = base.numbers()
    swapped = SamplePair(pair.generated, pair.real)
    numbers: dict[str, _Numbers] = {
        "closed": closed,
        "open": base.numbers(open_radii),
        "self counted": _Balls.of(pair, k - 1, k).numbers(),
        "k + 1": _Balls.of(pair, k + 1, k).numbers() if k + 1 < min(pair.real.n, pair.generated.n) else _NOTHING,
        "squared": closed._replace(realism=base.realism(np.square)),
        "all balls": closed._replace(realism=base.realism(up_to=100)),
        "float16": base.numbers(half_radii)._replace(realism=math.nan),
        "float16 samples": _rounded(pair, k),
        "scaled": _Balls.of(_scaled(pair), k).numbers(),
        "swapped": _Balls.of(swapped, k).numbers(),
        "other side": base.numbers(average=_other_side),
    }
    return [Convention(name, meaning, *numbers[name], tools=tools) for name, (meaning, tools) in _ROWS.items()]


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
    "k + 1": ("the radius reaches to the (k+1)-th other sample", "code that corrects for the sample itself twice"),
    "squared": (
        "distances stay squared: the same comparisons, but realism is the ratio of squares",
        "improved-precision-and-recall-metric",
    ),
    "all balls": (
        "realism over all balls, those above the median radius too",
        "improved-precision-and-recall-metric by default, improved-precision-and-recall-metric-pytorch",
    ),
    "float16": ("distances and radii are rounded to float16 before they are compared", ""),
    "float16 samples": ("samples, distances and radii are rounded to float16", "stylegan3"),
    "scaled": ("features are centred and scaled by mean and deviation of the real set", ""),
    "swapped": (
        "the generated set is taken for the real one",
        "tools whose first argument is the other set; torch-fidelity's changed between versions",
    ),
    "other side": (
        "averaged over balls instead of samples: precision over real balls that hold a generated sample, recall over "
        "generated balls, density over real balls, coverage over generated samples",
        "",
    ),
}


@dataclass(frozen=True, eq=False)
class _Balls:
    """Two sets, the radii of the balls around their samples, and the divisor k of density."""

    pair: SamplePair
    real: Floats
    generated: Floats
    k: int

    @classmethod
    def of(cls, pair: SamplePair, order: int, k: int | None = None) -> _Balls:
        """Balls that reach to the order-th nearest other sample; of radius 0 for order 0."""
        radii = [own_radii(side.values, order) if order else np.zeros(side.n) for side in pair]
        return cls(pair, radii[0], radii[1], order if k is None else k)

    def numbers(
        self,
        threshold: Callable[[Floats], Floats] = lambda radii: radii,
        average: Callable[[Contained, int], tuple[float, float, float, float]] | None = None,
    ) -> _Numbers:
        """All numbers of closed balls, with radii changed by ``threshold``."""
        held = contained(self.pair, threshold(self.real), threshold(self.generated))
        return _Numbers(*(average or _published)(held, self.k), self.realism())

    def realism(self, change: Callable[[Floats], Floats] = lambda ratios: ratios, up_to: float = 50) -> float:
        """Median realism of the generated samples, from balls up to a percentile of the radii."""
        selected = np.flatnonzero(self.real <= np.percentile(self.real, up_to))
        ratios = largest_ratios(self.pair.generated.values, self.pair.real.values[selected], self.real[selected])
        middle = np.sort(change(ratios))[[(len(ratios) - 1) // 2, len(ratios) // 2]]
        return float(middle[0] if middle[0] == middle[1] else middle.mean())


def _published(held: Contained, k: int) -> tuple[float, float, float, float]:
    density = int(held.real_balls.sum()) / (k * len(held.real_balls))
    return share(held.real_balls), share(held.generated_balls), density, share(held.in_real_balls)


def _other_side(held: Contained, k: int) -> tuple[float, float, float, float]:
    density = int(held.in_real_balls.sum()) / (k * len(held.in_real_balls))
    return share(held.in_real_balls), share(held.in_generated_balls), density, share(held.real_balls)


def half_radii(radii: Floats) -> Floats:
    """Largest distances that, rounded to float16, are at most these radii rounded to float16.

    Rounding keeps the order: the k-th smallest rounded distance is the rounded k-th smallest one, and comparing
    rounded numbers equals comparing exact ones with this limit.
    """
    with np.errstate(over="ignore"):
        rounded = radii.astype(np.float16)
        above = np.nextafter(rounded, np.float16(np.inf)).astype(np.float64)
        middle = np.where(rounded >= _HALF_MAX, _HALF_LIMIT, (rounded.astype(np.float64) + above) / 2)
        to_even = middle.astype(np.float16) == rounded
    limits = np.where(to_even, middle, np.nextafter(middle, 0.0))
    return np.where(np.isinf(rounded), np.finfo(np.float64).max, limits)


def _rounded(pair: SamplePair, k: int) -> _Numbers:
    """Numbers of float16 samples; nan where a value is too large for float16."""
    if any(float(np.abs(side.values).max()) >= _HALF_LIMIT for side in pair):
        return _NOTHING
    real, generated = (as_samples(side.values.astype(np.float16)) for side in pair)
    halves = SamplePair(real, generated)
    return _Balls.of(halves, k).numbers(half_radii)._replace(realism=math.nan)


def _scaled(pair: SamplePair) -> SamplePair:
    """Features less the real mean, over the real deviation (divided by n); a constant feature is only centred."""
    mean, deviation = (f(pair.real.values, axis=0, dtype=np.float64) for f in (np.mean, np.std))
    deviation = np.where(deviation > 0, deviation, 1.0)
    real, generated = (as_samples((side.values - mean) / deviation) for side in pair)
    return SamplePair(real, generated)
