"""Failures of a generator, each with one strength and an exact curve: different failures can have the same summary.

Each failure is a toy problem, so that curve, samples and link belong to the same pair. For modes far apart, each a unit
Gaussian, changes of the modes' weights and changes inside every mode have these curves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from prviz.curves import PRCurve
from prviz.toys import ToyProblem, toy


@dataclass(frozen=True)
class Failure:
    """One way to fail: no failure at the strength `mild`, nearly complete failure at `severe`.

    name : key in `FAILURES`. does : what the generator does, as in "A drops modes". label : meaning of the strength.
    mild, severe : the range of the strength; mild may be the larger end. step : increment of a slider, positive.
    problem : function from a strength to the toy problem.
    """

    name: str
    does: str
    label: str
    mild: float
    severe: float
    step: float
    problem: Callable[[float], ToyProblem]

    def curve(self, strength: float) -> PRCurve:
        """The true curve; ValueError for a strength outside mild to severe."""
        low, high = sorted((self.mild, self.severe))
        if not low <= strength <= high:
            raise ValueError(f"strength = {strength}; {self.name} needs a number from {low:g} to {high:g}")
        return _truth(self, strength)

    def stops(self) -> list[float]:
        """Strengths from mild to severe, a step apart."""
        steps = round(abs(self.severe - self.mild) / self.step)
        return [round(self.mild + (self.severe - self.mild) * i / steps, 6) for i in range(steps + 1)]


@lru_cache(maxsize=512)
def _truth(failure: Failure, strength: float) -> PRCurve:
    """The truth, cached with its summaries for pages that show them at every stop."""
    return failure.problem(strength).truth()


def matched(failure: Failure, number: Callable[[PRCurve], float], target: float) -> float:
    """The strength at which a summary of the curve is nearest to the target, to 6 decimals.

    number : a summary in [0, 1]. The strength comes from bisection between the first two stops with the target between
    them, at a jump from the nearer side; without such stops it is the nearest stop, of several the mildest.
    """

    def off(strength: float) -> float:
        return number(failure.curve(strength)) - target

    stops = failure.stops()
    gaps = [off(stop) for stop in stops]
    crossed = next((i for i in range(len(stops) - 1) if gaps[i] * gaps[i + 1] < 0), None)
    if crossed is not None:
        low, high = stops[crossed], stops[crossed + 1]
        sign = off(low) > 0
        for _ in range(24):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if (off(middle) > 0) == sign else (low, middle)
        ends = round(low, 6), round(high, 6)
        stops, gaps = [*stops, *ends], [*gaps, *map(off, ends)]
    return stops[min(range(len(stops)), key=lambda i: round(abs(gaps[i]), 9))]


def _shares(p: tuple[float, ...], q: tuple[float, ...]) -> ToyProblem:
    return toy("finite", d=2, real_weights=p, generated_weights=q)


def _gaussians(*, shift: float = 0.0, scale: float = 1.0) -> ToyProblem:
    return toy("scaled-gaussian", d=1, shift=shift, scale=scale)


def _failures() -> tuple[Failure, ...]:
    dropped, invented, width = (
        "share of the real modes dropped",
        "share of its samples in invented modes",
        "their width",
    )
    return (
        Failure("drop", "drops modes", dropped, 0.0, 0.9, 0.02, lambda w: _shares((1 - w, w), (1.0, 0.0))),
        Failure("invent", "invents modes", invented, 0.0, 0.9, 0.02, lambda w: _shares((1.0, 0.0), (1 - w, w))),
        Failure(
            "reweight",
            "re-weights modes",
            "share of its samples in half of the modes",
            0.5,
            0.99,
            0.01,
            lambda w: _shares((0.5, 0.5), (w, 1 - w)),
        ),
        Failure("shift", "shifts every mode", "shift", 0.0, 4.0, 0.1, lambda m: _gaussians(shift=m)),
        Failure("shrink", "narrows every mode", width, 1.0, 0.05, 0.025, lambda s: _gaussians(scale=s)),
        Failure("widen", "widens every mode", width, 1.0, 5.0, 0.1, lambda s: _gaussians(scale=s)),
    )


FAILURES: Mapping[str, Failure] = MappingProxyType({failure.name: failure for failure in _failures()})
"""Failures by name; widths and shift are in units of a real mode's standard deviation."""
