"""How sure and how varied the classes of generated samples are, by a vote of labelled real
neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Array, Ints
from prviz.checks.flags import checked_pair
from prviz.measure.balls import check_integer
from prviz.neighbors import nearest_rows
from prviz.samples import SamplesLike


class ClassEntropy(NamedTuple):
    """Entropies of classes, in nats.

    overall : of the classes of all samples together, at most log(number of classes): high where
    they are varied.
    within : mean entropy of one sample's class: low where each sample is surely of one class.
    score : exp(overall - within), from 1 to the number of classes, built like the Inception score.
    """

    overall: float
    within: float
    score: float


def class_entropy(
    real: SamplesLike,
    generated: SamplesLike,
    labels: ArrayLike | None = None,
    *,
    k: int = 10,
) -> ClassEntropy:
    """Entropies of the classes of generated samples.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples.
    labels : array_like of shape (n,)
        Class of each real sample. There is no score without classes.
    k : int
        Number of real neighbours that vote on a generated sample's class, 1 to n.

    Returns
    -------
    ClassEntropy
        The two entropies and their score.

    Raises
    ------
    ValueError, TypeError
        Malformed samples or labels, or an illegal k.

    Notes
    -----
    p(c | y) = share of class c among the k nearest real samples of y; score = exp(mean over y of
    KL(p(c | y), p(c))). It never compares with how often a class is real: a model that is right
    about every class, and one that draws each real sample's class equally often, both score
    highest. The Inception score has a trained classifier's p(c | y). Source: Salimans et al. 2016;
    Sajjadi et al. 2018, Figure 10 has both parts.
    """
    pair = checked_pair(real, generated)
    if labels is None:
        raise ValueError("labels = None; a class for each real sample is needed")
    codes = _codes(labels, pair.real.n)
    check_integer("k", k, pair.real.n, "the real set,")
    rows, _ = nearest_rows(pair.generated.values, np.arange(pair.generated.n), k, pair.real.values)
    votes = np.stack(
        [(codes[rows] == code).mean(axis=1) for code in range(codes.max() + 1)], axis=1
    )
    overall = _entropy(votes.mean(axis=0))
    within = float(np.mean([_entropy(each) for each in votes]))
    return ClassEntropy(overall, within, float(np.exp(overall - within)))


def _codes(labels: ArrayLike, n: int) -> Ints:
    found = np.asarray(labels)
    if found.shape != (n,):
        raise ValueError(
            f"labels has the shape {found.shape}; {(n,)}, one for each real sample, is needed"
        )
    return np.unique(found, return_inverse=True)[1].reshape(-1)


def _entropy(chances: Array) -> float:
    positive = chances[chances > 0]
    return float(-(positive * np.log(positive)).sum())
