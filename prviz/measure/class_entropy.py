"""Entropies that tell how certain and how varied the classes of generated samples are. The class of
a generated sample is voted on by its nearest real samples, which have labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prviz.arguments import checked_whole
from prviz.arrays import Array, Ints
from prviz.checks.flags import checked_pair
from prviz.neighbors import nearest_rows
from prviz.samples import SamplesLike, missing


class ClassEntropy(NamedTuple):
    """Entropies of classes, in nats.

    overall : entropy of the classes of all samples together, at most log(number of classes): high
    if classes are varied.
    within : mean entropy of a single sample's class: low if each sample's class is certain.
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
        Class of each real sample; needed, because without classes there is no score.
    k : int
        Number of real neighbours that vote on a generated sample's class, 1 to n.

    Returns
    -------
    ClassEntropy
        The two entropies and their score.

    Raises
    ------
    ValueError, TypeError
        If samples or labels are malformed, or k is out of range.

    Notes
    -----
    p(c | y) = share of class c among the k nearest real samples of y; score = exp(mean over y of
    KL(p(c | y), p(c))). The score ignores how frequent each class is among real samples: it is
    highest if classes are certain and equally frequent among generated samples. The Inception score
    takes p(c | y) from a trained classifier instead. Source: Salimans et al. 2016; Sajjadi et al.
    2018, Figure 10, shows both entropies.
    """
    pair = checked_pair(real, generated)
    if labels is None:
        raise ValueError("labels = None; a class for each real sample is needed")
    codes = _codes(labels, pair.real.n)
    checked_whole("k", k, 1, pair.real.n, ", the size of the real set,")
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
    absent = missing(found)
    if absent.any():
        raise ValueError(
            f"{absent.sum()} of {n} labels are missing, the first of real sample"
            f" {np.argmax(absent) + 1}; a class for each is needed"
        )
    try:
        return np.unique(found, return_inverse=True)[1].reshape(-1)
    except TypeError:
        raise TypeError("labels are of several types, which have no order; one is needed") from None


def _entropy(chances: Array) -> float:
    positive = chances[chances > 0]
    return float(-(positive * np.log(positive)).sum())
