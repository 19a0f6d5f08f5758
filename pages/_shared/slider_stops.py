"""The stops of the sliders for k and the bandwidth, which are also the values of a profile."""

from __future__ import annotations

from pages._shared.sources import Problem
from prviz.estimators import ESTIMATORS
from prviz.measure.workload import fit_size
from prviz.reports.settings import ExploreSettings

# Stops of the bandwidth, in mean k-NN radii at k = sqrt(n).
UNITS = tuple(round(0.5 + 0.02 * step, 2) for step in range(76))


def largest_k(settings: ExploreSettings, problem: Problem) -> int:
    """The largest k that the smaller set of fit samples allows."""
    return min(fit_size(n, settings.split) for n in problem.sizes[:2]) - 1


def stops(problem: Problem, settings: ExploreSettings) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """(every k, every bandwidth) of the sliders, whatever k, bandwidth and lam are.

    No bandwidths where no family tunes one.
    """
    top = largest_k(settings, problem)
    root = min(problem.root_k, top)
    tuned = any(ESTIMATORS[name].tunes == "bandwidth" for name in settings.methods)
    # Every k up to 20, then steps of about 4 %: fine for small k, few stops in all.
    ks, value = {root}, 1.0
    while value <= min(top, max(4 * root, 60)):
        ks.add(round(value))
        value = value + 1 if value < 20 else value * 1.04
    return tuple(sorted(ks)), UNITS if tuned else ()
