"""Ways in which a generator fails, each by a strength alone and with an exact curve: what a number can't tell apart.

Every one is a toy problem, so that its curve, its samples and its link are of the same pair. Beside modes that lie far
apart, each a unit Gaussian, what happens to the modes and what happens inside each of them have these curves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from prviz.curves import PRCurve
from prviz.toys import ToyProblem, toy

__all__ = ["FAILURES", "Failure", "matched"]


@dataclass(frozen=True)
class Failure:
    """One way to fail: at the strength `mild` not at all, at `severe` nearly altogether.

    name : its key in `FAILURES`. does : what the generator does, as in "A drops modes". label : what the strength is.
    mild, severe : the ends; mild may be the larger one. step : a sensible increment, positive.
    problem : the pair of real and generated data at a strength between the two.
    """

    name: str
    does: str
    label: str
    mild: float
    severe: float
    step: float
    problem: Callable[[float], ToyProblem]

    def curve(self, strength: float) -> PRCurve:
        """The true curve; ValueError for a strength that is not from mild to severe."""
        low, high = sorted((self.mild, self.severe))
        if not low <= strength <= high:
            raise ValueError(f"strength = {strength}; {self.name} needs a number from {low:g} to {high:g}")
        return _truth(self, strength)

    def stops(self) -> list[float]:
        """The strengths from mild to severe, a step apart."""
        steps = round(abs(self.severe - self.mild) / self.step)
        return [round(self.mild + (self.severe - self.mild) * i / steps, 6) for i in range(steps + 1)]


@lru_cache(maxsize=512)
def _truth(failure: Failure, strength: float) -> PRCurve:
    """The truth with its numbers, which are computed once for a page that asks for them at every stop."""
    return failure.problem(strength).truth()


def matched(failure: Failure, number: Callable[[PRCurve], float], target: float) -> float:
    """The strength at which a number of the curve is nearest to the target, to 6 decimals.

    number : a summary in [0, 1]. Between the first two stops that have the target between them, by bisection; where it
    jumps there, the nearer side; where no stops have it between them, the nearest stop, of several the mildest.
    """

    def off(strength: float) -> float:
        return number(failure.curve(strength)) - target

    stops = failure.stops()
    gaps = [off(stop) for stop in stops]
    crossed = next((i for i in range(len(stops) - 1) if gaps[i] * gaps[i + 1] < 0), None)
    if crossed is not None:
        ends = _bisected(off, stops[crossed], stops[crossed + 1])
        stops, gaps = [*stops, *ends], [*gaps, *map(off, ends)]
    return stops[min(range(len(stops)), key=lambda i: round(abs(gaps[i]), 9))]


def _bisected(off: Callable[[float], float], one: float, other: float) -> tuple[float, float]:
    """The two ends, to 6 decimals, of what 24 halvings leave of a range over which `off` changes its sign."""
    sign = off(one) > 0
    for _ in range(24):
        middle = 0.5 * (one + other)
        one, other = (middle, other) if (off(middle) > 0) == sign else (one, middle)
    return round(one, 6), round(other, 6)


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
"""The failures by name; the widths and the shift are in units of a real mode's standard deviation."""
