"""List of what has to be measured for given settings, the most urgent first: the curves, what the
open panel waits for, the curves at every stop of the sliders, and the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from prviz.live import bounds, results, snapshots
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.measure.workload import live_size

# Curves that are estimated to take more than INLINE_SECONDS are first drawn from a subsample that
# takes COARSE_SECONDS.
INLINE_SECONDS = 0.15
COARSE_SECONDS = 0.04
# Fewest samples per set for coarse curves; with fewer, they would mislead.
COARSE_LEAST = 50
# If the curves at every k and bandwidth are estimated to take more seconds than this, only those at
# the current settings are measured.
PROFILE_SECONDS = 60.0
COMPUTING = "Computing"


def needs(
    problem: Problem, panel: Need[Any] | None = None, snapshots: Sequence[Need[Any]] = ()
) -> list[Need[Any]]:
    """Everything that must be measured for these settings, known or not, in the order of measuring.

    panel : what the open panel waits for. snapshots : what a film and pinned states need.
    """
    exact = curves(problem)
    rough = coarse(problem)
    first = None
    if rough is not None and exact.seconds > INLINE_SECONDS:
        first = replace(curves(rough), kind="coarse")
    rest = (panel, profile(problem), bounds.believed_need(problem), bounds.need(problem))
    wanted = (first, exact, *snapshots, *rest)
    return [need for need in wanted if need is not None]


def missing(wanted: Sequence[Need[Any]], stopped: Collection[Hashable]) -> list[Need[Any]]:
    """The needs without a result, except those that were stopped; none if the measurement of the
    curves was stopped.

    Coarse curves are left out once the exact ones are known.
    """
    open_needs = [need for need in wanted if not need.known]
    if any(need.kind == "curves" and need.key in stopped for need in open_needs):
        return []
    exact = any(need.kind == "curves" for need in open_needs)
    return [
        need for need in open_needs if need.key not in stopped and (exact or need.kind != "coarse")
    ]


def curves(problem: Problem) -> Need[results.Results]:
    """`Need` that measures the curves at these settings."""
    return Need(
        results.key(problem),
        partial(results.measure, problem),
        results.seconds(problem),
        COMPUTING,
        problem.stores.results,
        partial(results.known, problem),
        "curves",
    )


def profile(problem: Problem) -> Need[Any] | None:
    """`Need` that measures the curves at every k and bandwidth of the sliders; None if that takes
    too long.
    """
    ks, units = problem.stops
    seconds = results.seconds(problem, ks=len(ks), bandwidths=len(units))
    if problem.settings.approximate or seconds > PROFILE_SECONDS:
        return None
    return Need(
        results.profile_key(problem),
        partial(snapshots.make_profile, problem),
        seconds,
        "Preparing every k and bandwidth",
        problem.stores.profiles,
        kind="frames",
    )


def coarse(problem: Problem) -> Problem | None:
    """The problem with a subsample for coarse curves, and with k at most a quarter of its fit
    samples; None if the subsample would be too small.
    """
    n = coarse_size(problem)
    if n < COARSE_LEAST:
        return None
    small = problem.having(n=min(n, problem.settings.n), repeats=1, approximate=False)
    top = small.largest_k
    return small.having(k=max(min(problem.k, (top + 1) // 4, top), 1))


def coarse_size(problem: Problem) -> int:
    """Number of samples per set with which drawing and measuring samples takes COARSE_SECONDS."""
    return live_size(*problem.sizes, limit=COARSE_SECONDS, **results.work(problem))
