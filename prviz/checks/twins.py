"""Samples that have others far nearer than all the rest, such as frames of a video or crops of one
picture, wherever they stand in the file.
"""

from __future__ import annotations

from contextlib import suppress
from weakref import WeakKeyDictionary

import numpy as np

from prviz.arrays import Flags, Floats, Ints
from prviz.neighbors import MEMORY_LIMIT, nearest_rows
from prviz.samples import SamplePair, Samples

# Most twins of a sample that are searched.
_MOST = 4
# Neighbours between which distances must rise as in an even density. Their ratio gives its
# dimension.
_BETWEEN = (5, 10)
# Least ratio of the distances to the first sample that is no twin and to the last twin.
_APART = 3.0
# Least share of the samples, beyond those by chance, that have twins. Where samples lie in lumps
# whose numbers are chance, at most 0.82 have one to four others of their lump: max over m of
# P(1 <= Poisson(m) <= 4).
_SHARE = 0.85
# Largest share of the generated samples that have twins among the real ones: more show that
# samples lie in lumps.
_ACROSS = 0.1
# Number of samples from which that share is estimated.
_ASKED = 1_000
# Fewest such samples.
_LEAST = 40
_found_of_sets: WeakKeyDictionary[Samples, Ints | None] = WeakKeyDictionary()
# Results of `_of_some`: a reference is asked for them with each of its checkpoints.
_distances_of_sets: WeakKeyDictionary[Samples, Floats] = WeakKeyDictionary()


def without_twins(pair: SamplePair, memory_limit: int = MEMORY_LIMIT) -> SamplePair:
    """The pair with one of each group of real twins, and of generated ones if real ones have any;
    the pair itself without them.
    """
    rows = rows_without_twins(pair, memory_limit)
    if rows is None:
        return pair
    return SamplePair(*(each.take(some) for each, some in zip(pair, rows, strict=True)))


def rows_without_twins(
    pair: SamplePair, memory_limit: int = MEMORY_LIMIT
) -> tuple[Ints, Ints] | None:
    """The rows of both sets that `without_twins` leaves; None: all."""
    real = _rows(pair.real, memory_limit)
    if real is None or _lie_in_lumps(pair, memory_limit):
        return None
    generated = _rows_of(pair.generated, memory_limit, share=0.0)
    return real, np.arange(pair.generated.n) if generated is None else generated


def _lie_in_lumps(pair: SamplePair, memory_limit: int) -> bool:
    """True if generated samples are as near to some real ones as twins are."""
    rows = np.arange(min(pair.generated.n, _ASKED))
    k = _BETWEEN[1]
    distances = nearest_rows(
        pair.generated.values, rows, k, pair.real.values, memory_limit=memory_limit
    )[1]
    # The first column is the sample itself.
    distances = np.insert(distances, 0, 0.0, axis=1)
    return float((_twins(distances) > 0).mean()) > _ACROSS


def _rows(samples: Samples, memory_limit: int) -> Ints | None:
    """One row of each group of twins; None if twins are no more than chance, or groups are known.

    Equal samples are no twins: other rules count them.
    """
    if samples not in _found_of_sets:
        _found_of_sets[samples] = None
        with suppress(ValueError):  # Values whose squares are not finite.
            _found_of_sets[samples] = _rows_of(samples, memory_limit)
    return _found_of_sets[samples]


def _rows_of(samples: Samples, memory_limit: int, *, share: float = _SHARE) -> Ints | None:
    if samples.groups is not None or samples.n < _LEAST:
        return None
    distances = _of_some(samples, memory_limit)
    known, dimension = _rising(distances)
    if not dimension:
        return None
    by_chance = sum(_APART ** (-dimension * each) for each in range(1, _MOST + 1))
    least = by_chance + share * (1 - by_chance)
    if float((_twins(distances)[known] > 0).mean()) < least:
        return None
    rows = np.arange(samples.n)
    near, distances = _near(samples, rows, memory_limit)
    twin = np.arange(1, _MOST + 1) <= _twins(distances)[:, None]
    # The first one of each group in the file.
    first = np.where(twin, near[:, 1 : _MOST + 1], samples.n).min(axis=1) > rows
    return np.flatnonzero(first)


def even_dimension(samples: Samples, memory_limit: int = MEMORY_LIMIT) -> float | None:
    """Dimension of an even density in which distances to neighbours rise as here; None if too few
    samples tell it.
    """
    if samples.n < _LEAST:
        return None
    return _rising(_of_some(samples, memory_limit))[1]


def _of_some(samples: Samples, memory_limit: int) -> Floats:
    """The distances of `_near` of at most _ASKED samples, kept for later calls."""
    if samples not in _distances_of_sets:
        rows = np.arange(samples.n)
        if samples.n > _ASKED:
            rows = np.sort(np.random.default_rng(0).choice(samples.n, _ASKED, replace=False))
        _distances_of_sets[samples] = _near(samples, rows, memory_limit)[1]
    return _distances_of_sets[samples]


def _rising(distances: Floats) -> tuple[Flags, float | None]:
    """Which samples have distances that rise, and the dimension; None if they are too few."""
    low, high = _BETWEEN
    known = (distances[:, 1] > 0) & (distances[:, high] > distances[:, low])
    if np.count_nonzero(known) < _LEAST:
        return known, None
    rise = float(np.log(distances[known, high] / distances[known, low]).mean())
    return known, sum(1 / each for each in range(low, high)) / rise


def _near(samples: Samples, rows: Ints, memory_limit: int) -> tuple[Ints, Floats]:
    """The nearest samples of some rows, itself or one equal to it first, and their distances."""
    k = _BETWEEN[1] + 1
    return nearest_rows(samples.values, rows, k, samples.values, memory_limit=memory_limit)


def _twins(distances: Floats) -> Ints:
    """Number of twins of each sample; 0 for one that another equals."""
    gaps = distances[:, 2 : _MOST + 2] > _APART * distances[:, 1 : _MOST + 1]
    number = np.where(gaps.any(axis=1), np.argmax(gaps, axis=1) + 1, 0)
    return np.where(distances[:, 1] > 0, number, 0)
