"""The stand-in of a pair: what can be asked of it, how it was fitted, how good it is, and what to measure on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from pages._lab.surrogate_data import Data
from pages._lab.surrogate_form import MOST_COMPONENTS, Fit, MeasurementRequest
from pages._shared import cache, work_box
from pages._work.jobs import JobRequest, Progress
from prviz.measure.estimates import part_of, passes
from prviz.measure.workload import estimate_seconds
from prviz.studies.cells import COLUMNS
from prviz.studies.surrogate import FitCheck, FitOptions, Scenario, Surrogate, fit_check
from prviz.studies.surrogate.surrogate import SurrogateSources, stand_in_of
from prviz.studies.surrogate.tasks import hybrid_problems
from prviz.studies.sweeps import sweep_cells

SCENARIOS: dict[str, tuple[Scenario, ...]] = {
    "pair": ("pair",),
    "itself": ("real-real", "generated-generated"),
    "common": ("common",),
}
# Rough seconds: per multiply-add of a covariance or a projection; of EM per sample, component and step, and per
# squared dimension besides; of a sampled truth, and per dimension besides, several times as many for a mixture.
PER_PRODUCT = 1e-9
EM, EM_SQUARE, EM_SAMPLES, EM_STEPS = 2.3e-7, 3e-10, 10_000, 240
CHECK, CHECK_FEW, FEW_PER_DIRECTION = 0.5, 1.5, 50
TRUTH, TRUTH_DIMENSION, TRUTH_MIXTURE = 0.4, 0.03, 4
POOR = (
    "your data have a shape that it misses, so the verdict below tells less about them. Another density or another d "
    "may do better."
)


class Quality(NamedTuple):
    """A fitted stand-in, and the tests of both sets against fresh samples of their own fits."""

    stand_in: Surrogate
    real: FitCheck
    generated: FitCheck


def sources(data: Data) -> SurrogateSources:
    """The sets, whose principal components are computed once for all d."""
    found: SurrogateSources = cache.remembered(
        ("stand-in-sources", data.pair.digest), lambda: SurrogateSources(data.pair)
    )
    return found


def directions(data: Data) -> JobRequest:
    """The number of directions in which the real set varies: the largest d."""
    held = sources(data)
    seconds = PER_PRODUCT * data.pair.real.n * data.pair.d**2
    key = ("stand-in-directions", data.pair.digest)
    return JobRequest(key, lambda _: held.components.most, seconds, "Looking for the directions in which the data vary")


def quality(data: Data, shape: Fit) -> JobRequest:
    """The fit, and how good it is."""
    held, options = sources(data), FitOptions(shape.fit, shape.covariance, MOST_COMPONENTS)

    def compute(progress: Progress) -> Quality:
        stand_in = stand_in_of(held, shape.d, options, part_of(progress, 0, 2))
        return Quality(stand_in, *fit_check(stand_in, 0, part_of(progress, 1, 2)))

    seconds = fit_seconds(data, shape) + check_seconds(data, shape)
    return JobRequest(("stand-in-quality", data.pair.digest, shape), compute, seconds, "Fitting the stand-in")


def check_seconds(data: Data, shape: Fit) -> float:
    """A rough figure: where samples are few for d, chance is measured by fitting again and again."""
    few = min(data.pair.real.n, data.pair.generated.n) < FEW_PER_DIRECTION * shape.d
    again = shape.fit == "mixture" and shape.covariance == "full"
    return CHECK + (CHECK_FEW if few else 0.0) + (fit_seconds(data, shape) if again else 0.0)


def fit_seconds(data: Data, shape: Fit) -> float:
    """A rough figure: both sets' projections, covariances and, for a mixture, EM up to most components."""
    sizes = (data.pair.real.n, data.pair.generated.n)
    once = PER_PRODUCT * sum(sizes) * shape.d * (data.pair.d + shape.d)
    if shape.fit == "gaussian":
        return once
    tried, square = MOST_COMPONENTS * (MOST_COMPONENTS + 1) / 2, 0 if shape.covariance == "diag" else shape.d**2
    return once + sum(min(n, EM_SAMPLES) for n in sizes) * tried * EM_STEPS * (EM + EM_SQUARE * square)


# ---- what is said of it ----


def card(found: Quality, data: Data) -> None:
    """The numbers of the fit, and plain warnings where it is not to be trusted."""
    stand_in = found.stand_in
    real, generated = stand_in.real, stand_in.generated
    shrunk = max(real.shrinkage, generated.shrinkage)
    facts = {
        "Samples, real and generated": f"{data.pair.real.n:,} and {data.pair.generated.n:,}",
        "Dimensions kept": f"{stand_in.d:,} of {data.pair.d:,}",
        "Variance kept": f"{stand_in.explained:.1%}",
        "Clouds found": f"{real.components} and {generated.components}",
        "Shrinkage": f"{shrunk:.0%}" if shrunk else "none",
        "Test of the fit, real": _told(found.real),
        "Test of the fit, generated": _told(found.generated),
    }
    with st.container(horizontal=True, key="stand-in-facts"):
        for label, value in facts.items():
            st.markdown(f"{label}  \n**{value}**")
    st.caption(
        "Variance kept: the share of the real samples' spread that lies in these directions. Shrinkage: how far "
        "covariances were pulled towards a round cloud, where samples are too few for them. Test of the fit: how far "
        "each set and fresh samples of its own fit keep apart, from 0 (not at all) to 0.5; where p is small, chance "
        "does not explain it."
    )
    _warn(found, data)


def _told(check: FitCheck) -> str:
    return f"{check.statistic:.2f}, p = {check.p_value:.3f}"


def _shares(found: Quality) -> str:
    real, generated = found.real, found.generated
    return (
        "Of the nearest neighbours of a sample, its own kind makes up "
        f"{real.own:.0%} (real) and {real.fresh:.0%} (drawn from their fit), "
        f"{generated.own:.0%} (generated) and {generated.fresh:.0%} (drawn from theirs); about 50% each is good"
    )


def _warn(found: Quality, data: Data) -> None:
    stand_in = found.stand_in
    if found.real.poor or found.generated.poor:
        st.warning(f"**The stand-in is poor**: {POOR} {_shares(found)}.", icon=":material/warning:")
    else:
        st.success(f"The stand-in looks like your data. {_shares(found)}.", icon=":material/check:")
    n, d = min(data.pair.real.n, data.pair.generated.n), stand_in.d
    shrunk = max(stand_in.real.shrinkage, stand_in.generated.shrinkage)
    if shrunk:
        st.warning(
            f"{n:,} samples are few for d = {d}: a covariance has {d * (d + 1) // 2:,} numbers. The fit "
            f"was pulled towards a round cloud by {shrunk:.0%}; a smaller d, or a diagonal covariance, needs less.",
            icon=":material/compress:",
        )
    if stand_in.generated.raised:
        st.info(
            f"In {stand_in.generated.raised} of these {d} directions the generated samples do not vary; the stand-in "
            "gives them a very small width there.",
            icon=":material/info:",
        )


# ---- what is measured on it ----


def work(data: Data, shape: Fit, asked: MeasurementRequest, fitted: Quality | None, title: str) -> work_box.WorkRequest:
    """The tasks, those of this d first. Raises ValueError for what these samples do not allow.

    fitted : the stand-in of this d, if it is there; else the tasks fit it, as they do those of the other d.
    """
    scenarios, options = SCENARIOS[asked.scenario], FitOptions(shape.fit, shape.covariance, MOST_COMPONENTS)
    dims = sorted(asked.dims, key=lambda d: d != shape.d)
    later = dims if fitted is None else dims[1:]
    problems = [] if fitted is None else [fitted.stand_in.problem(each, asked.common) for each in scenarios]
    problems += hybrid_problems(sources(data), later, options, scenarios, asked.common)
    sizes = [asked.n], [None]
    tasks = sweep_cells(problems, asked.methods, asked.ks, [None], asked.splits, *sizes, asked.repeats, 0)
    key = ("stand-in", data.pair.digest, shape, asked)
    return work_box.WorkRequest(key, title, tasks, COLUMNS, seconds(data, shape, asked, dims), data.private)


def seconds(data: Data, shape: Fit, asked: MeasurementRequest, dims: Sequence[int]) -> float:
    """A rough figure: fits, sampled truths, and every measurement."""
    rows, total = (data.pair.real.n, data.pair.generated.n), 0.0
    share = 1.0 if asked.n is None else asked.n / min(rows)
    sizes = [math.ceil(n * share) for n in rows]
    for d in dims:
        scenarios = len(SCENARIOS[asked.scenario])
        total += fit_seconds(data, Fit(d, shape.fit, shape.covariance))
        truth = TRUTH + TRUTH_DIMENSION * d * (1 if shape.fit == "gaussian" else TRUTH_MIXTURE)
        total += 0 if asked.scenario == "itself" else truth
        for split in asked.splits:
            options = {**passes(asked.methods), "ks": len(asked.ks), "split": split, "drawn": True}
            total += scenarios * asked.repeats * estimate_seconds(*sizes, d, **options)  # type: ignore[misc, arg-type]
    return total
