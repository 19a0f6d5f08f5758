"""Evidence for a finding: samples at an end of the curve, repeated rows, principal directions,
norms and spreads, and label values that are common among chosen samples.

A real sample that the generator misses is in the confusion group "kept" of the optimal classifier
at lam (`prviz.diagnostics.confusion_groups`), a generated sample that the generator invents in the
group "rejected".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Array, Floats
from prviz.checks.facts import row_blocks, row_classes
from prviz.curves import PRCurve
from prviz.curves.frozen import ReadOnlyArrays
from prviz.diagnostics.preflight import centred_rows
from prviz.samples import SamplePair, Samples

# Precision at which the recall end is read, and recall at which the precision end is read: a little
# inside the curve, as in `prviz.curves.summaries`.
END = 0.05
# Most values of a label column whose values are kinds; a column with more names samples.
LISTED_KINDS = 50
# Fewest samples per value, on average, of a label column whose values are kinds.
_PER_KIND = 3


def lam_at_end(curve: PRCurve, side: Literal["precision", "recall"]) -> float:
    """The lam at which an end of the curve is read: alpha(lam) = END for recall, beta(lam) = END
    for precision.

    It is 1 if alpha(1) = beta(1) is at most END.
    """
    if curve.alpha(1.0) <= END:
        return 1.0
    if side == "recall":
        return END / curve.recall_at(END)
    return curve.precision_at(END) / END


class Repeated(NamedTuple):
    """A generated row that repeats: its first index, its number of copies, and its number of copies
    in the real set.
    """

    row: int
    times: int
    real: int


def most_repeated(pair: SamplePair, most: int = 10) -> tuple[Repeated, ...]:
    """The generated rows that occur more than once, exactly equal; the commonest first, then by
    row.

    most : number of different rows at most.
    """
    classes = row_classes(pair)
    real = classes[: pair.real.n]
    generated = classes[pair.real.n :]
    values, first, counts = np.unique(generated, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))[:most]
    order = order[counts[order] > 1]
    return tuple(
        Repeated(int(first[i]), int(counts[i]), int(np.sum(real == values[i]))) for i in order
    )


@dataclass(frozen=True, eq=False)
class Spectrum(ReadOnlyArrays):
    """Shares of the variance of a set along its principal directions.

    shares : (r,) decreasing, their sum 1; empty where all rows are equal. rows : number of rows
        that the shares are computed from.
    variance : sum of the features' variances.
    """

    shares: Floats
    rows: int
    variance: float

    @property
    def dimension(self) -> float:
        """The effective dimension: that of `prviz.preflight`; 0 where all rows are equal."""
        if len(self.shares):
            return float(1.0 / np.sum(self.shares**2))
        return 0.0

    def directions(self, share: float) -> int:
        """Number of leading directions that hold this share of the variance."""
        if len(self.shares):
            return int(np.searchsorted(np.cumsum(self.shares), share - 1e-9) + 1)
        return 0


def spectrum(samples: Samples, *, seed: int = 0) -> Spectrum:
    """The shares of the principal directions, from the rows that `preflight` takes for the
    effective dimension.
    """
    centred, scale = centred_rows(samples, seed=seed)
    if not scale:
        return Spectrum(np.empty(0), len(centred), 0.0)
    gram = (centred @ centred.T if len(centred) < samples.d else centred.T @ centred).astype(
        np.float64
    )
    values = np.clip(np.linalg.eigvalsh(gram)[::-1], 0.0, None)
    total = float(values.sum())
    with np.errstate(over="ignore"):
        return Spectrum(values / total, len(centred), total / len(centred) * scale**2)


class Scales(NamedTuple):
    """Quantiles of one set at 101 even shares from 0 to 1.

    norms : norms of the rows. spreads : standard deviations of the features.
    """

    norms: Floats
    spreads: Floats


def scales(samples: Samples, sd: ArrayLike) -> Scales:
    """Quantiles of the rows' norms and of the features' standard deviations.

    sd : (d,) the standard deviations, which `prviz.preflight` has computed.
    """
    with np.errstate(over="ignore"):
        blocks = (samples.values[rows].astype(float) for rows in row_blocks(samples.n, samples.d))
        norms = np.concatenate([np.linalg.norm(block, axis=1) for block in blocks])
    shares = np.linspace(0.0, 1.0, 101)
    return Scales(np.quantile(norms, shares), np.quantile(np.asarray(sd, dtype=float), shares))


class Kind(NamedTuple):
    """One value of a label.

    n : number of samples with this value. chosen : number of these that are chosen.
    """

    value: str
    n: int
    chosen: int

    @property
    def share(self) -> float:
        """Share of these samples that are chosen."""
        return self.chosen / self.n


def kinds(column: Array, rows: ArrayLike, chosen: ArrayLike) -> tuple[Kind, ...]:
    """How many of the chosen rows have each value of a label. The value with the largest share of
    chosen rows is first, then the commonest.

    column : (n,) the label of every sample. rows : indices of the rows to count. chosen : some of
        these indices.

    Empty where the label has one value among the rows, or so many values that they name samples
    rather than kinds.
    """
    counts = Counter(map(str, np.asarray(column)[np.asarray(rows, dtype=np.intp)]))
    if not 2 <= len(counts) <= min(LISTED_KINDS, counts.total() // _PER_KIND):
        return ()
    chosen_counts = Counter(map(str, np.asarray(column)[np.asarray(chosen, dtype=np.intp)]))
    listed = [Kind(value, n, chosen_counts[value]) for value, n in counts.items()]
    return tuple(sorted(listed, key=lambda kind: (-kind.share, -kind.n, kind.value)))
