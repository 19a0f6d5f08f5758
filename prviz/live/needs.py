"""What settings need, most urgent first: curves, what the open panel waits for, every k and bandwidth, the bound."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from prviz.live import bounds, frames, results
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.measure.workload import live_size
from prviz.reports.settings import ExploreSettings

# Seconds: curves estimated to take longer are drawn from a subsample first, within COARSE_SECONDS.
INLINE_SECONDS = 0.15
COARSE_SECONDS = 0.04
# Fewest samples per set that make coarse curves worth drawing.
COARSE_LEAST = 50
# Seconds: every k and bandwidth are not measured where they are estimated to take longer, but one by one.
PROFILE_SECONDS = 60.0
COMPUTING = "Computing"


def needs(problem: Problem, settings: ExploreSettings, panel: Need[Any] | None = None) -> list[Need[Any]]:
    """All that these settings need, known or not, in the order in which it is to be measured.

    panel : what the open panel waits for.
    """
    curves = Need(
        results.key(problem, settings),
        partial(results.measure, problem, settings),
        results.seconds(problem, settings),
        COMPUTING,
        problem.stores.results,
        partial(results.known, problem, settings),
    )
    wanted = (curves, panel, profile(problem, settings), bounds.need(problem, settings))
    return [need for need in wanted if need is not None]


def profile(problem: Problem, settings: ExploreSettings) -> Need[Any] | None:
    """Every k and bandwidth; None where they would take too long."""
    ks, units = problem.stops(settings)
    seconds = results.seconds(problem, settings, ks=len(ks), bandwidths=len(units))
    if settings.approximate or seconds > PROFILE_SECONDS:
        return None
    return Need(
        results.profile_key(problem, settings),
        partial(frames.make_profile, problem, settings),
        seconds,
        "Preparing every k and bandwidth",
        problem.stores.profiles,
    )


def coarse(problem: Problem, settings: ExploreSettings) -> tuple[Problem, ExploreSettings] | None:
    """A subsample of the problem, k at most a quarter of its fit samples; None where it would be too small."""
    n = coarse_size(problem, settings)
    if n < COARSE_LEAST:
        return None
    small = problem.smaller(n)
    top = small.largest_k(settings.split)
    k = max(min(problem.k_of(settings), (top + 1) // 4, top), 1)
    return small, replace(settings, n=n, repeats=1, k=k, approximate=False)


def coarse_size(problem: Problem, settings: ExploreSettings) -> int:
    """Samples per set that are drawn and measured within COARSE_SECONDS."""
    return live_size(*problem.sizes, limit=COARSE_SECONDS, **results.work(problem, settings))
