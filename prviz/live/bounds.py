"""Curves drawn beside the estimates: an upper bound on the truth, and the limits of the families'
estimates for ever more samples.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from prviz.curves import NamedCurves, PRCurve
from prviz.curves.limits import LIMITS, limit_curve, limit_seconds
from prviz.estimators.tightest import FEWEST, TIGHTEST
from prviz.live import results
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.measure.estimates import Progress
from prviz.reports.settings import SHOW_BOUND, SHOW_LIMITS
from prviz.uncertainty.upper_bound import JudgedHalf, judge_half

# An upper bound, or the curve of `tightest`, is measured in the background if that takes at most
# this many seconds by estimate; otherwise not at all.
BOUND_SECONDS = 60.0
# A limit is computed while the figure is drawn if that takes at most this many seconds by estimate;
# otherwise not at all.
INLINE_SECONDS = 0.1
# Upper bounds with a larger area are not shown: rounded up to two digits, the area would be 1.
WIDEST = 0.99
# Most values of k at which limits are computed for a plot over k; between them the limits are
# smooth.
MOST_LIMITS = 16
# Number of steps in which a limit is computed numerically for such a plot.
LIMIT_STEPS = 100

Swept = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def need(problem: Problem) -> Need[JudgedHalf] | None:
    """`Need` that measures the upper bound; None if the bound is not shown, if it would take more
    than BOUND_SECONDS, or for approximate curves.
    """
    if not _is_shown(problem):
        return None
    split = problem.settings.split or 0.5
    seconds = results.seconds(problem.having(methods=(TIGHTEST.name,), split=split, repeats=1))
    if problem.settings.approximate or seconds > BOUND_SECONDS:
        return None

    def measure(tick: Progress) -> JudgedHalf:
        pair, seed = problem.draw(0)
        return judge_half(pair.split(split, seed), seed, progress=tick)

    return Need(
        bound_key(problem),
        measure,
        seconds,
        "Upper bound of the truth",
        problem.stores.results,
        partial(judged_half, problem),
        "bound",
    )


def believed_need(problem: Problem) -> Need[Any] | None:
    """`Need` that measures the curve of the family `tightest`; None if it would take more than
    BOUND_SECONDS, or if it is not needed, see `results.believed`.
    """
    alone = results.believed(problem)
    if alone is None or (seconds := results.seconds(alone)) > BOUND_SECONDS:
        return None
    return Need(
        results.believed_key(alone),
        partial(results.fitted_once, alone, TIGHTEST.name),
        seconds,
        "Best classifier",
        problem.stores.results,
        kind="bound",
    )


def is_pending(problem: Problem, stopped: Collection[Hashable]) -> bool:
    """True as long as the page waits for the curve of `tightest`: it is needed, not yet measured,
    and its measurement has not ended without a result.

    stopped : keys of the needs (see `Need`) whose measurement failed or was stopped.
    """
    wanted = believed_need(problem)
    return wanted is not None and not wanted.known and wanted.key not in stopped


# ---- the upper bound: one for all k and families, because the lowest of many bounds would be too
# low ----


def judged_half(problem: Problem) -> JudgedHalf | None:
    """The upper bound and the test of `judge_half`, on a split of the first draw; None as long as
    they are not measured, if the bound is not shown, or for approximate curves.
    """
    if problem.settings.approximate or not _is_shown(problem):
        return None
    found: JudgedHalf | None = problem.stores.results.get(bound_key(problem))
    return found


def bound(problem: Problem) -> PRCurve | None:
    """The upper bound on the truth (`prviz.upper_bound`) from the first draw; None as long as it is
    not measured, and for approximate curves.
    """
    found = judged_half(problem)
    if found is None:
        return None
    return found.bound


def shade(problem: Problem) -> PRCurve | None:
    """The upper bound to be shown as a shade; None if its area is above WIDEST, as it then excludes
    next to nothing of the unit square.
    """
    found = bound(problem)
    if found is None or found.auc > WIDEST:
        return None
    return found


def too_few(problem: Problem) -> dict[str, float | bool | None] | None:
    """Statements for the page if no truth is known and there are too few independent samples for a
    reliable area; None if there are enough.

    bound : upper bound on the true area, None if it excludes nothing. apart : True if the two sets
    differ by more than chance.
    """
    if (
        problem.truth is not None
        or problem.settings.approximate
        or min(problem.independent) >= FEWEST
    ):
        return None
    found = judged_half(problem)
    if found is None:
        return {"bound": None, "apart": None}
    drawn = shade(problem)
    return {"bound": None if drawn is None else drawn.auc, "apart": found.told_apart}


def bound_key(problem: Problem) -> tuple[Hashable, ...]:
    """Key of the upper bound in the store of results."""
    return ("bound", problem.key, problem.settings.split or 0.5)


def _is_shown(problem: Problem) -> bool:
    """True if the upper bound is shown: always if no truth is known, otherwise if the user has
    switched it on.
    """
    return problem.truth is None or SHOW_BOUND in problem.settings.show


# ---- the limits ----


def limits(problem: Problem) -> NamedCurves:
    """The limits to draw, by family: those of `every_limit` if the user has switched limits on,
    otherwise none.
    """
    if SHOW_LIMITS in problem.settings.show:
        return every_limit(problem)
    return {}


def every_limit(problem: Problem) -> NamedCurves:
    """Limits of the families' estimates for ever more samples, at this k: of those chosen families
    whose limit is known and quick to compute.

    The limit of coverage takes long at a large k, where it is close to the truth. There are no
    limits without a known truth or without a split.
    """
    settings = problem.settings
    toy = problem.toy
    k = problem.k
    if settings.split is None or settings.approximate:
        return {}
    if toy is None or problem.truth is None:
        return {}
    quick = [
        name
        for name in settings.methods
        if name in LIMITS and limit_seconds(problem.truth, name, k) <= INLINE_SECONDS
    ]
    return {
        name: problem.stores.results.remembered(
            ("limit", *problem.key[:3], name, k), partial(toy.limit, name, k)
        )
        for name in quick
    }


def limits_over_k(
    truth: PRCurve, methods: Sequence[str], ks: Sequence[int], progress: Progress
) -> Swept:
    """IoU of each family's limit with the truth: family -> (values of k, IoU at each).

    ks : values of k, of which at most MOST_LIMITS are used.
    """
    some = sorted({ks[round(place)] for place in np.linspace(0, len(ks) - 1, MOST_LIMITS)})
    able = [name for name in methods if name in LIMITS]
    found: dict[str, tuple[list[int], list[float]]] = {name: ([], []) for name in able}
    for done, (name, k) in enumerate((name, k) for name in able for k in some):
        progress(done / (len(able) * len(some)))
        found[name][0].append(k)
        found[name][1].append(limit_curve(truth, name, k, steps=LIMIT_STEPS).iou(truth))
    return found
