"""Curves beside the estimates: an upper bound of the truth, and the limits that more samples bring
estimates to.
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

# Longest estimated seconds of a bound, which a job measures, and of a limit, which is computed with
# the drawing.
BOUND_SECONDS = 60.0
INLINE_SECONDS = 0.1
# Area above which a bound is neither drawn nor said: with two digits, rounded up, it is 1.
WIDEST = 0.99
# Largest number of k at which limits are drawn over k, where they are smooth, and the steps of
# each.
MOST_LIMITS = 16
LIMIT_STEPS = 100

Swept = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def need(problem: Problem) -> Need[JudgedHalf] | None:
    """The bound; None where it is not shown, or would take too long."""
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
    """The curve to believe, where it is not among the families; None where it would take too
    long.
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
    """True while the curve to believe is still to be measured beside the families; stopped : keys
    of given-up work.
    """
    wanted = believed_need(problem)
    return wanted is not None and not wanted.known and wanted.key not in stopped


# ---- the bound: the same for every k and family, so that no choice among many makes it too low
# ----


def judged_half(problem: Problem) -> JudgedHalf | None:
    """What half of the first draw says; None while it is not measured or shown, and beside
    approximate curves.
    """
    if problem.settings.approximate or not _is_shown(problem):
        return None
    found: JudgedHalf | None = problem.stores.results.get(bound_key(problem))
    return found


def bound(problem: Problem) -> PRCurve | None:
    """`prviz.upper_bound` of the first draw; None while it is not measured, and beside approximate
    curves.
    """
    found = judged_half(problem)
    if found is None:
        return None
    return found.bound


def shade(problem: Problem) -> PRCurve | None:
    """The bound, if it leaves out more than a trace of the square."""
    found = bound(problem)
    if found is None or found.auc > WIDEST:
        return None
    return found


def too_few(problem: Problem) -> dict[str, float | bool | None] | None:
    """What too few independent samples say, where no truth is known: no area; None where there are
    enough.

    bound : the area that the truth does not exceed, None where that rules out nothing.
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
    """The key of the bound."""
    return ("bound", problem.key, problem.settings.split or 0.5)


def _is_shown(problem: Problem) -> bool:
    """True if the bound is drawn: where the truth is, on request."""
    return problem.truth is None or SHOW_BOUND in problem.settings.show


# ---- the limits ----


def limits(problem: Problem) -> NamedCurves:
    """`every_limit` where all are shown."""
    if SHOW_LIMITS in problem.settings.show:
        return every_limit(problem)
    return {}


def every_limit(problem: Problem) -> NamedCurves:
    """`ToyProblem.limit` at this k of the chosen families that have one, where it is quick.

    Coverage's takes long at a large k, where it lies close to the truth. Empty without a truth, and
    without split, which the limits are of.
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
    """IoU of the limits with the truth at some of these k, as (ks, IoUs) by the families that have
    one.
    """
    some = sorted({ks[round(place)] for place in np.linspace(0, len(ks) - 1, MOST_LIMITS)})
    able = [name for name in methods if name in LIMITS]
    found: dict[str, tuple[list[int], list[float]]] = {name: ([], []) for name in able}
    for done, (name, k) in enumerate((name, k) for name in able for k in some):
        progress(done / (len(able) * len(some)))
        found[name][0].append(k)
        found[name][1].append(limit_curve(truth, name, k, steps=LIMIT_STEPS).iou(truth))
    return found
