"""The surrogate's true curve and the estimates of one fresh sample, beside the real data's own estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages._lab.surrogate_data import Data
from pages._lab.surrogate_fits import SCENARIOS, Quality
from pages._lab.surrogate_form import Fit, MeasurementRequest
from pages._lab.surrogate_verdict import RankedSetting
from pages._live.figure import Pane, live_figure
from pages._shared.work_box import job_result
from pages._work.jobs import JobRequest, Progress
from prviz import figures
from prviz.curves import PRCurve
from prviz.measure import estimates
from prviz.measure.workload import estimate_seconds, subsample
from prviz.samples import SamplePair

# Seed of the fresh sample and of the splits.
SEED = 1
# Area under the true curve below which a message says that the two fits hardly overlap.
HARDLY = 0.02


class CurvesBeside(NamedTuple):
    """Curves by method: of a fresh sample of the surrogate, whose truth is known, and of the data themselves."""

    truth: PRCurve
    fresh: Mapping[str, PRCurve]
    own: Mapping[str, PRCurve]


def best_of_each(found: Sequence[RankedSetting]) -> list[RankedSetting]:
    """Every family's best setting."""
    best: dict[str, RankedSetting] = {}
    for each in found:
        best.setdefault(each.method, each)
    return list(best.values())


def show(found: Sequence[RankedSetting], data: Data, shape: Fit, request: MeasurementRequest, fitted: Quality) -> None:
    """Draw both figures, with every family's best setting."""
    settings = best_of_each(found)
    beside: CurvesBeside | None = job_result(
        _job(settings, data, shape, request, fitted), "these curves were not measured."
    )
    if beside is None:
        return
    notes = {each.method: each.setting for each in settings}
    left = Pane(
        "fresh",
        figures.pr_figure(beside.fresh, truth=beside.truth, notes=notes),
        "The surrogate: its truth and one fresh sample",
        f"Dashed: the true curve of the surrogate, area {beside.truth.auc:.2f}. Solid: what each family's best setting "
        "makes of one fresh sample.",
        square=True,
    )
    right = Pane(
        "own",
        figures.pr_figure(beside.own, notes=notes),
        "Your data: the same settings",
        "Their truth is unknown. Where these curves look like those of the surrogate, they are likely to err alike.",
        square=True,
    )
    if beside.truth.auc < HARDLY:
        st.info(
            f"In these {shape.d} dimensions the two fits hardly overlap: the area under the true curve is "
            f"{beside.truth.auc:.4f}, and an estimate with any area at all is far off. Fewer dimensions keep more in "
            "common.",
            icon=":material/info:",
        )
    live_figure("stand-in-beside", [left, right])


def _job(
    settings: Sequence[RankedSetting], data: Data, shape: Fit, request: MeasurementRequest, fitted: Quality
) -> JobRequest[Any]:
    pair, n = data.pair, request.n

    def compute(progress: Progress) -> CurvesBeside:
        problem = fitted.surrogate.problem(SCENARIOS[request.scenario][0], request.common)
        fresh = _curves(problem.sample(n or problem.default_n, SEED), settings)
        progress(0.5)
        own = _curves(pair if n is None else subsample(pair, n, SEED), settings)
        return CurvesBeside(problem.truth(), fresh, own)

    sizes = (pair.real.n, pair.generated.n) if n is None else (n, n)
    seconds = len(settings) * (estimate_seconds(*sizes, shape.d) + estimate_seconds(*sizes, pair.d))
    chosen = tuple((each.method, each.k, each.split) for each in settings)
    key = ("stand-in-beside", pair.digest, shape, request.scenario, request.common, n, chosen)
    return JobRequest(key, compute, seconds, "Measuring one fresh sample and your own data")


def _curves(pair: SamplePair, settings: Sequence[RankedSetting]) -> dict[str, PRCurve]:
    """Curves by method, in the order of the settings."""
    return {
        each.method: estimates.pr_curve(
            pair.real, pair.generated, each.method, k="sqrt" if each.k is None else each.k, split=each.split, seed=SEED
        )
        for each in settings
    }
