"""The surrogate of a pair: its fit, the quality of the fit, and the measurements on it, in jobs of the session."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages._lab.surrogate_form import MOST_COMPONENTS, Data, Fit, MeasurementRequest
from pages._shared import cache, work_box
from pages._work.jobs import JobRequest, Progress
from pages._work.store import LeastRecentlyUsed
from prviz.measure.estimates import part_of, passes
from prviz.measure.workload import Options, estimate_seconds
from prviz.studies.surrogate import FitCheck, FitOptions, Scenario, Surrogate, fit_check
from prviz.studies.surrogate.surrogate import SurrogateSources, surrogate_of, surrogate_problems
from prviz.studies.sweeps import COLUMNS, sweep_cells

SCENARIOS: dict[str, tuple[Scenario, ...]] = {
    "pair": ("pair",),
    "itself": ("real-real", "generated-generated"),
    "common": ("common",),
}
# Seconds of work that starts by itself.
AT_ONCE = 60.0
# Rough seconds: per multiply-add of a covariance or a projection; of EM per sample, component and step, and per
# squared dimension besides; of a sampled truth, and per dimension besides, several times as many for a mixture.
PER_PRODUCT = 1e-9
EM, EM_SQUARE, EM_SAMPLES, EM_STEPS = 2.3e-7, 3e-10, 10_000, 240
CHECK, CHECK_FEW, FEW_PER_DIRECTION = 0.5, 1.5, 50
TRUTH, TRUTH_DIMENSION, TRUTH_MIXTURE = 0.4, 0.03, 4
# Seconds: a density whose fit and test take longer is not tried unless it is chosen.
TRY_SECONDS = 20.0
POOR = "its fresh samples can be told from your data, so the verdict tells less about them."


class Quality(NamedTuple):
    """A fitted surrogate, and the tests of both sets against fresh samples of their own fits."""

    surrogate: Surrogate
    real: FitCheck
    generated: FitCheck

    @property
    def poor(self) -> bool:
        return self.real.poor or self.generated.poor

    @property
    def apart(self) -> float:
        """How far the worse fitted set and fresh samples of its fit keep apart."""
        return max(self.real.statistic, self.generated.statistic)


def best(data: Data, shapes: Sequence[Fit]) -> tuple[Fit, Quality | None, int]:
    """The shape that fits best, its quality and of how many it is the best; the first one, until all are tried."""
    cheap = [shapes[0], *(each for each in shapes[1:] if quality(data, each).seconds < TRY_SECONDS)]
    tried: dict[Fit, Quality] = {}
    for shape in cheap:
        found = work_box.job_result(quality(data, shape), "how good the surrogate is, is not known.")
        if found is None:
            return cheap[0], tried.get(cheap[0]), 1
        tried[shape] = found
    shape = min(tried, key=lambda each: tried[each].apart)
    return shape, tried[shape], len(tried)


@st.cache_resource
def _shared() -> LeastRecentlyUsed:
    """Fits of bundled sets, for all visitors."""
    return LeastRecentlyUsed(64)


def _sources(data: Data) -> SurrogateSources:
    """The sets, whose principal components are computed once for all d."""
    found: SurrogateSources = cache.remembered(
        ("stand-in-sources", data.pair.digest), lambda: SurrogateSources(data.pair)
    )
    return found


def directions(data: Data) -> JobRequest[Any]:
    """The number of directions in which the real set varies: the largest d."""
    held = _sources(data)
    seconds = PER_PRODUCT * data.pair.real.n * data.pair.d**2
    key = ("stand-in-directions", data.pair.digest)
    return JobRequest(key, lambda _: held.components.most, seconds, "Looking for the directions in which the data vary")


def quality(data: Data, shape: Fit) -> JobRequest[Any]:
    """Job that fits the surrogate and tests the fit."""
    held, options = _sources(data), FitOptions(shape.fit, shape.covariance, MOST_COMPONENTS)

    def compute(progress: Progress) -> Quality:
        surrogate = surrogate_of(held, shape.d, options, part_of(progress, 0, 2))
        return Quality(surrogate, *fit_check(surrogate, 0, part_of(progress, 1, 2)))

    # Where samples are few for d, the test fits many times.
    few = min(data.pair.real.n, data.pair.generated.n) < FEW_PER_DIRECTION * shape.d
    refits = shape.fit == "mixture" and shape.covariance == "full"
    seconds = _fit_seconds(data, shape) * (1 + refits) + CHECK + (CHECK_FEW if few else 0.0)
    note = f"Trying {shape.words}"
    store = None if data.private else _shared()
    return JobRequest(("stand-in-quality", data.pair.digest, shape), compute, seconds, note, store)


def _fit_seconds(data: Data, shape: Fit) -> float:
    """Estimated seconds of the fit: projections, covariances and, for a mixture, EM up to most components."""
    sizes = (data.pair.real.n, data.pair.generated.n)
    once = PER_PRODUCT * sum(sizes) * shape.d * (data.pair.d + shape.d)
    if shape.fit == "gaussian":
        return once
    tried, square = MOST_COMPONENTS * (MOST_COMPONENTS + 1) / 2, 0 if shape.covariance == "diag" else shape.d**2
    return once + sum(min(n, EM_SAMPLES) for n in sizes) * tried * EM_STEPS * (EM + EM_SQUARE * square)


def card(found: Quality, data: Data) -> None:
    surrogate = found.surrogate
    real, generated = surrogate.real, surrogate.generated
    shrunk = max(real.shrinkage, generated.shrinkage)
    facts = {
        "Samples, real and generated": f"{data.pair.real.n:,} and {data.pair.generated.n:,}",
        "Dimensions kept": f"{surrogate.d:,} of {data.pair.d:,}",
        "Variance kept": f"{surrogate.explained:.1%}",
        "Components found": f"{real.components} and {generated.components}",
        "Shrinkage": f"{shrunk:.0%}" if shrunk else "none",
        **{
            f"Test of the fit, {role}": f"{check.statistic:.2f}, p = {check.p_value:.3f}"
            for role, check in (("real", found.real), ("generated", found.generated))
        },
    }
    with st.container(horizontal=True, key="stand-in-facts"):
        for label, value in facts.items():
            st.markdown(f"{label}  \n**{value}**")
    st.caption(
        "Test of the fit: how far each set and fresh samples of its own fit keep apart, from 0 (not at all) to 0.5; "
        "where p is small, chance does not explain it. Shrinkage: how far covariances were pulled towards a sphere, "
        "where samples are too few for them."
    )
    if found.poor:
        st.warning(f"**The surrogate is poor**: {POOR}", icon=":material/warning:")
    else:
        st.success("The surrogate looks like your data.", icon=":material/check:")
    n, d = min(data.pair.real.n, data.pair.generated.n), surrogate.d
    if shrunk:
        st.warning(
            f"{n:,} samples are few for d = {d}: a covariance has {d * (d + 1) // 2:,} numbers. The fit "
            f"was pulled towards a sphere by {shrunk:.0%}; a smaller d, or a diagonal covariance, needs less.",
            icon=":material/compress:",
        )
    if surrogate.generated.raised:
        st.info(
            f"In {surrogate.generated.raised} of these {d} directions the generated samples do not vary; the surrogate "
            "gives them a very small width there.",
            icon=":material/info:",
        )


def work(
    data: Data, shape: Fit, request: MeasurementRequest, fitted: Quality | None, title: str
) -> work_box.WorkRequest:
    """The tasks, those of this d first; raises ValueError for what these samples do not allow."""
    scenarios, options = SCENARIOS[request.scenario], FitOptions(shape.fit, shape.covariance, MOST_COMPONENTS)
    dims = sorted(request.dims, key=lambda d: d != shape.d)
    later = dims if fitted is None else dims[1:]
    problems = [] if fitted is None else [fitted.surrogate.problem(each, request.common) for each in scenarios]
    problems += surrogate_problems(_sources(data), later, options, scenarios, request.common)
    sizes = [request.n], [None]
    tasks = sweep_cells(problems, request.methods, request.ks, [None], request.splits, *sizes, request.repeats, 0)
    key = ("stand-in", data.pair.digest, shape, request)
    own, seconds = (data.pair.real.n, data.pair.generated.n), 0.0
    share = 1.0 if request.n is None else request.n / min(own)
    counts = [math.ceil(n * share) for n in own]
    for d in dims:
        count = len(SCENARIOS[request.scenario])
        seconds += _fit_seconds(data, Fit(d, shape.fit, shape.covariance))
        truth = TRUTH + TRUTH_DIMENSION * d * (1 if shape.fit == "gaussian" else TRUTH_MIXTURE)
        seconds += 0 if request.scenario == "itself" else truth
        for split in request.splits:
            measured: Options = {**passes(request.methods), "ks": len(request.ks), "split": split, "drawn": True}
            seconds += count * request.repeats * estimate_seconds(counts[0], counts[1], d, **measured)
    return work_box.WorkRequest(key, title, tasks, COLUMNS, seconds, data.private, at_once=seconds <= AT_ONCE)
