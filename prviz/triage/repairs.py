"""One factor, one spread or one shift that leaves nothing to find.

What these do to the clusters looks like modes that are missing, invented or made too often, and
like samples between the real ones. So where features differ and such a fault is inferred, the
generated set is repaired and looked into again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from prviz.arrays import Floats
from prviz.diagnostics.column_tests import column_tests, known_tests
from prviz.samples import SamplePair, Samples
from prviz.triage.finding import TriageFinding
from prviz.triage.placement_faults import OFFSET, scaled_by, shifted_by
from prviz.triage.shape_faults import INTERVAL, spread_by

# Least factor, or its inverse, that is one.
FACTOR = 1.05
TINY = float(np.finfo(float).tiny)
# Largest step of a feature, in units of chance, that a shift or a factor must explain where missing
# modes may: 17 draws without some modes, which one of them explained too, had 3.2 at most.
FAR = 3.5


def repair_fault(
    pair: SamplePair,
    leaves: Callable[[SamplePair], bool],
    *,
    far: bool = False,
    is_shift: bool = False,
) -> TriageFinding | None:
    """The fault whose repair makes all features alike and leaves no other; None without one.

    leaves : True if faults are left in a pair whose features are alike. far : True if a feature
    must differ so much that modes that are missing would show after any repair. is_shift : True if
    halvings say that it is a shift: then the features alone say whether it is another fault.
    """
    real, generated = (each.values.astype(float) for each in pair)
    chance = math.sqrt(1 / len(real) + 1 / len(generated))
    plain = known_tests(pair)
    if not len(plain.differ) or (far and float(plain.steps.max()) < FAR * chance):
        return None
    for factor, shift, fault in _repairs(real, generated):
        repaired = factor * generated + shift
        tests = column_tests(real, repaired)
        if len(tests.differ):
            continue
        is_known = is_shift and fault is None
        if is_known or not leaves(SamplePair(pair.real, Samples(repaired))):
            left = np.square(tests.steps).sum() / np.square(plain.steps).sum()
            return fault or shifted_by(1 - float(left))
    return None


def _repairs(
    real: Floats, generated: Floats
) -> Iterator[tuple[float, Floats, TriageFinding | None]]:
    """Factor and shift of generated values, and the fault that they mend; None: a shift."""
    centre = real.mean(axis=0)
    sized = []
    for place, named in ((np.zeros_like(centre), _scaled), (centre, spread_by)):
        log, error = _size(real - place, generated - place)
        if abs(log) > max(math.log(FACTOR), INTERVAL * error):
            ratio = math.exp(log)
            ends = [math.exp(log + sign * INTERVAL * error) for sign in (-1, 1)]
            sized.append((1 / ratio, place - place / ratio, named(ratio, *ends)))
    # near the origin a factor from there and one from the mean are the same, and a spread
    if np.square(centre).sum() <= OFFSET * real.var(axis=0).sum():
        sized.reverse()
    yield from sized
    yield 1.0, centre - generated.mean(axis=0), None


def _scaled(ratio: float, *_: float) -> TriageFinding:
    return scaled_by(ratio)


def _size(real: Floats, generated: Floats) -> tuple[float, float]:
    """Logarithm of the ratio of the sizes of the values, in which the surest features count most,
    and its standard error, as if all features hung together.
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
