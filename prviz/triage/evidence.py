"""What a finding was seen on: where an end of the curve is read, rows that repeat, directions, sizes, kinds of samples.

A generator misses a real sample where it hardly ever makes the like. Of the groups that the classifier optimal at lam
makes (`prviz.diagnostics.confusion_groups`) that is "real kept": it tells these from everything generated. Its counterpart is "generated
rejected", told from everything real.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.curves import PRCurve
from prviz.diagnostics.facts import centred_rows, row_blocks, row_classes
from prviz.samples import SamplePair, Samples

__all__ = [
    "END",
    "LISTED_KINDS",
    "Kind",
    "Repeated",
    "Scales",
    "Spectrum",
    "kinds",
    "lam_at_end",
    "most_repeated",
    "scales",
    "spectrum",
]

Floats = NDArray[np.float64]

# Both ends are read a little inside the curve: recall where precision is 0.05, and precision where recall is.
END = 0.05
# A column of labels with more values than this, or with fewer than 3 samples to each, names samples rather than kinds.
LISTED_KINDS = 50
_PER_KIND = 3


def lam_at_end(curve: PRCurve, side: Literal["precision", "recall"]) -> float:
    """Where an end of the curve is read: alpha(lam) = END on the recall side, beta(lam) = END on the other.

    1 where even the middle of the curve, alpha = beta, is no farther out: such sets share next to nothing.
    """
    if curve.alpha(1.0) <= END:
        return 1.0
    return END / curve.recall_at(END) if side == "recall" else curve.precision_at(END) / END


class Repeated(NamedTuple):
    """A generated row that occurs several times: where it does first, how often, and how often in the real set."""

    row: int
    times: int
    real: int


def most_repeated(pair: SamplePair, most: int = 10) -> tuple[Repeated, ...]:
    """The generated rows that occur most often, exactly equal; those that occur once are never among them.

    most : how many different ones at most, the commonest first, then by row.
    """
    classes = row_classes(pair)
    real, generated = classes[: pair.real.n], classes[pair.real.n :]
    values, first, counts = np.unique(generated, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))[:most]
    order = order[counts[order] > 1]
    return tuple(Repeated(int(first[i]), int(counts[i]), int(np.sum(real == values[i]))) for i in order)


@dataclass(frozen=True, eq=False)
class Spectrum:
    """How the variance of a set is shared among its principal directions.

    shares : (r,) of the variance, decreasing, their sum 1; empty where all rows are equal. rows : that it comes from.
    variance : all of it, the sum over the features. dimension : 1 / sum of squared shares.
    """

    shares: Floats
    rows: int
    variance: float

    def __post_init__(self) -> None:
        shares = np.array(self.shares, dtype=np.float64)
        shares.flags.writeable = False
        object.__setattr__(self, "shares", shares)

    def __reduce__(self) -> tuple[Any, ...]:
        return Spectrum, (self.shares, self.rows, self.variance)

    @property
    def dimension(self) -> float:
        """The effective dimension: that of `prviz.preflight`; 0 where all rows are equal."""
        return float(1.0 / np.sum(self.shares**2)) if len(self.shares) else 0.0

    def directions(self, share: float) -> int:
        """How many of the leading directions hold this share of the variance."""
        return int(np.searchsorted(np.cumsum(self.shares), share - 1e-9) + 1) if len(self.shares) else 0


def spectrum(samples: Samples, *, seed: int = 0) -> Spectrum:
    """The shares of the principal directions, from the rows that the effective dimension of `preflight` comes from."""
    centred, scale = centred_rows(samples, seed=seed)
    if not scale:
        return Spectrum(np.empty(0), len(centred), 0.0)
    gram = (centred @ centred.T if len(centred) < samples.d else centred.T @ centred).astype(np.float64)
    values = np.clip(np.linalg.eigvalsh(gram)[::-1], 0.0, None)
    total = float(values.sum())
    with np.errstate(over="ignore"):
        return Spectrum(values / total, len(centred), total / len(centred) * scale**2)


class Scales(NamedTuple):
    """Sizes of one set, each at 101 even shares from the least to the greatest.

    norms : of its rows. spreads : standard deviations of its features.
    """

    norms: Floats
    spreads: Floats


def scales(samples: Samples, sd: ArrayLike) -> Scales:
    """Norms and spreads of a set, sd : (d,) its standard deviations (`prviz.preflight` has them)."""
    with np.errstate(over="ignore"):
        norms = np.concatenate(
            [
                np.linalg.norm(samples.values[rows].astype(np.float64), axis=1)
                for rows in row_blocks(samples.n, samples.d)
            ]
        )
    shares = np.linspace(0.0, 1.0, 101)
    return Scales(np.quantile(norms, shares), np.quantile(np.asarray(sd, dtype=np.float64), shares))


class Kind(NamedTuple):
    """The samples with one value of a label: how many there are, and how many of them are among the chosen ones."""

    value: str
    n: int
    chosen: int

    @property
    def share(self) -> float:
        """Of these samples that are chosen."""
        return self.chosen / self.n


def kinds(column: NDArray[Any], rows: ArrayLike, chosen: ArrayLike) -> tuple[Kind, ...]:
    """How the chosen rows spread over the values of a label, those with the largest share first, then the commoner.

    column : (n,) the label of every sample. rows : those that are looked at. chosen : some of them.

    Nothing where the label has one value among the rows, or so many that it names samples rather than kinds of them.
    """
    labels = np.asarray(column)[np.asarray(rows, dtype=np.intp)].astype(str)
    values, counts = np.unique(labels, return_counts=True)
    if not 2 <= len(values) <= min(LISTED_KINDS, len(labels) // _PER_KIND):
        return ()
    picked = np.asarray(column)[np.asarray(chosen, dtype=np.intp)].astype(str)
    held = [int(np.sum(picked == value)) for value in values]
    found = [Kind(str(value), int(n), k) for value, n, k in zip(values, counts, held, strict=True)]
    return tuple(sorted(found, key=lambda each: (-each.share, -each.n, each.value)))
