"""The numbers that papers report, for many checkpoints: pairs of equal Frechet distance, and rank
correlations of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Floats
from prviz.measure.class_entropy import class_entropy
from prviz.measure.frechet import FrechetDistance, measured_frechet
from prviz.measure.scalars import ShareSettings, scalars_of
from prviz.samples import SamplePair

# Two Frechet distances count as equal if their ratio is at most 1 + EQUAL.
EQUAL = 0.05
# Names of labels that hold the class of a real sample; the first one found is used.
CLASS_LABELS = ("digit", "class", "label")


class OppositePair(NamedTuple):
    """Two checkpoints of equal Frechet distance, one precise and one diverse: on opposite sides of
    the diagonal where both F8 scores are equal.

    precise, diverse : names of the two checkpoints. distances : their Frechet distances, in this
        order. sides : of each, its precision-weighted F8 score minus its recall-weighted one.
    """

    precise: str
    diverse: str
    distances: tuple[float, float]
    sides: tuple[float, float]

    @property
    def apart(self) -> float:
        """The smaller of the two distances from the diagonal."""
        return min(abs(each) for each in self.sides)


def opposite_pairs(
    names: Sequence[str],
    distances: Sequence[float],
    sides: Sequence[float],
) -> list[OppositePair]:
    """Pairs of checkpoints with equal Frechet distances on opposite sides of the diagonal, the pair
    farthest from the diagonal first.

    names, distances, sides : names, Frechet distances and `OppositePair.sides` of all checkpoints.
        A checkpoint whose distance is nan is in no pair.
    """
    pairs = []
    for one, other in combinations(range(len(names)), 2):
        near, far = sorted((distances[one], distances[other]))
        if far <= near * (1 + EQUAL) and sides[one] * sides[other] < 0:
            first, second = (one, other) if sides[one] > 0 else (other, one)
            at = (distances[first], distances[second]), (sides[first], sides[second])
            pairs.append(OppositePair(names[first], names[second], *at))
    return sorted(pairs, key=lambda pair: -pair.apart)


def all_numbers(pair: SamplePair, *, k: int = 5) -> dict[str, float]:
    """`prviz.scalars`, and the class score where a label of the real samples is their class.

    The ends of the interval of the Frechet distance are "frechet_low" and "frechet_high", where it
    has one.
    """
    distance = FrechetDistance(math.nan, math.nan, "")
    if pair.smaller > pair.d:
        distance = measured_frechet(pair).distance()
    found = scalars_of(pair, ShareSettings(k=k), frechet_distance=distance.value)
    if math.isfinite(distance.low):
        found |= {"frechet_low": distance.low, "frechet_high": distance.high}
    name = next((name for name in CLASS_LABELS if name in pair.real.labels), None)
    if name is not None:
        found["class_score"] = class_entropy(
            pair.real, pair.generated, pair.real.labels[name]
        ).score
    return found


class RankAgreement(NamedTuple):
    """Rank correlations between numbers over checkpoints.

    names : the m numbers. values : (m, m); nan where a number is known for no checkpoint or is
        constant.
    """

    names: tuple[str, ...]
    values: Floats


def rank_agreement(columns: Mapping[str, ArrayLike]) -> RankAgreement:
    """Spearman's correlation of every two columns, over the checkpoints where both are known.

    columns : the numbers by name, one per checkpoint, all of the same length.
    """
    import pandas as pd

    table = pd.DataFrame(columns, dtype=float)
    table = table.where(np.isfinite(table))
    values = table.corr("spearman", min_periods=3).to_numpy(copy=True)
    np.fill_diagonal(values, np.where(table.nunique() > 1, 1.0, math.nan))
    return RankAgreement(tuple(columns), values)
