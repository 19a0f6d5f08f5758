"""Searches for one factor, spread or shift whose repair leaves no other fault.

Such a change of the whole set moves its clusters, which looks like modes that are missing, invented
or re-weighted, or like samples between the real ones. So if features differ and such a fault is
inferred, the generated set is repaired and searched for faults again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from prviz.arrays import Floats
from prviz.diagnostics.column_tests import column_tests, known_tests
from prviz.samples import SamplePair, Samples
from prviz.triage.column_faults import change
from prviz.triage.finding import TriageFinding
from prviz.triage.placement_faults import ASKED, OFFSET, scaled_by, shifted_by
from prviz.triage.shape_faults import INTERVAL, MENDED, spread_by

# Least ratio of the magnitudes of generated and real values, or its inverse, for a factor to be
# named.
FACTOR = 1.05
TINY = float(np.finfo(float).tiny)
# Least step of some feature, in units of chance, for a shift or factor to be named where modes may
# be missing instead. Of 17 draws without some modes that a shift or factor explained too, the
# largest step was 3.2.
FAR = 3.5


def repair_fault(
    pair: SamplePair,
    leaves: Callable[[SamplePair], bool],
    *,
    far: bool = False,
    shown: str = "",
) -> TriageFinding | None:
    """The fault whose repair makes all features alike and leaves no other fault; None if no repair
    does.

    leaves : returns True if faults are left in a pair whose features are alike.
    far : True if a feature must differ by so much that missing modes would show after any repair.
    shown : key of the fault that halvings show. If it is a shift, features alone decide whether it
        is another fault; a factor stays one where a spread is the same.
    """
    real, generated = (each.values.astype(float) for each in pair)
    chance = math.sqrt(1 / len(real) + 1 / len(generated))
    plain = known_tests(pair)
    if not len(plain.differ) or (far and float(plain.steps.max()) < FAR * chance):
        return None
    for factor, shift, fault in _repairs(real, generated, shown):
        repaired = factor * generated + shift
        # as float32, repaired counts are whole numbers again
        with np.errstate(over="ignore"):
            repaired = repaired.astype(np.float32)
        tests = column_tests(pair.real.values.astype(np.float32), repaired)
        if len(tests.differ):
            continue
        left = np.square(tests.steps).sum() / np.square(plain.steps).sum()
        is_known = shown == "shifted" and fault is None
        # missing modes of many features leave more
        if fault is None and not is_known and left > MENDED:
            continue
        if is_known or not leaves(SamplePair(pair.real, Samples(repaired))):
            return fault or shifted_by(1 - float(left))
    return None


def _repairs(
    real: Floats, generated: Floats, shown: str
) -> Iterator[tuple[float, Floats, TriageFinding | None]]:
    """Factor and shift that repair the generated values, and the fault that they repair (None for a
    shift).
    """
    centre = real.mean(axis=0)
    sized = []
    for place, named in ((np.zeros_like(centre), _scaled), (centre, spread_by)):
        log, error = _size(real - place, generated - place)
        if abs(log) > max(math.log(FACTOR), INTERVAL * error):
            ratio = math.exp(log)
            ends = [math.exp(log + sign * INTERVAL * error) for sign in (-1, 1)]
            sized.append((1 / ratio, place - place / ratio, named(ratio, *ends)))
    # If the real mean is near the origin, a factor from the origin equals one from the mean, which
    # is a spread: the spread is tried first.
    if shown != "scale" and np.square(centre).sum() <= OFFSET * real.var(axis=0).sum():
        sized.reverse()
    yield from sized
    yield 1.0, centre - generated.mean(axis=0), None
    # values that repeat fit after the exact shift alone
    if real.shape[1] <= ASKED:
        columns = zip(real.T, generated.T, strict=True)
        yield 1.0, np.array([-change(*each)[1] for each in columns]), None


def _scaled(ratio: float, *_: float) -> TriageFinding:
    return scaled_by(ratio)


def _size(real: Floats, generated: Floats) -> tuple[float, float]:
    """Logarithm of the ratio of the mean absolute values, generated over real, and its standard
    error. The surest features count most; the error holds even if all features are correlated.
    """
    sizes = [np.abs(each) for each in (real, generated)]
    one, other = (each.mean(axis=0) for each in sizes)
    known = (one > 0) & (other > 0)
    if not known.any():
        return 0.0, 0.0
    errors = sum(
        np.square(size.std(axis=0)[known] / of[known]) / len(size)
        for size, of in zip(sizes, (one, other), strict=True)
    )
    logs = np.log(other[known] / one[known])
    weights = 1 / np.maximum(errors, TINY)
    return float(np.average(logs, weights=weights)), math.sqrt(1 / float(weights.mean()))
