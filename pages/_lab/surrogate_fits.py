"""The surrogate of a pair: its fit, the quality of the fit, and the measurements on it, each when
it is waited for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages._lab.surrogate_form import Data, Fit, MeasurementRequest
from pages._shared import answers, cache, work_box
from prviz.live.need import Need
from prviz.measure.estimates import passes
from prviz.measure.workload import Options, estimate_seconds
from prviz.recent import LeastRecentlyUsed
from prviz.studies.surrogate import Scenario
from prviz.studies.surrogate.choice import (
    CheckedSurrogate,
    cheap_kinds,
    checked,
    fit_seconds,
    trial_seconds,
)
from prviz.studies.surrogate.surrogate import SurrogateSources, surrogate_problems
from prviz.studies.sweeps import COLUMNS, sweep_cells

SCENARIOS: dict[str, tuple[Scenario, ...]] = {
    "pair": ("pair",),
    "itself": ("real-real", "generated-generated"),
    "common": ("common",),
}
# Seconds of work that starts by itself.
AT_ONCE = 60.0
# Rough seconds per multiply-add of a covariance; of a sampled truth, and per dimension besides,
# several times as many for a mixture.
PER_PRODUCT = 1e-9
TRUTH = 0.4
TRUTH_DIMENSION = 0.03
TRUTH_MIXTURE = 4
POOR = "its fresh samples can be told from your data, so that its errors say nothing about them."


def best(data: Data, shapes: Sequence[Fit]) -> tuple[Fit, CheckedSurrogate | None, int]:
    """The shape that fits best, its quality and of how many it is the best; the first one, until
    all are tried.
    """
    quick = cheap_kinds(data.pair, shapes[0].d)
    cheap = [each for each in shapes if len(shapes) == 1 or each.options in quick]
    tried: dict[Fit, CheckedSurrogate] = {}
    for shape in cheap:
        found = answers.result(quality(data, shape), "how good the surrogate is, is not known.")
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


def directions(data: Data) -> Need[Any]:
    """The number of directions in which the real set varies: the largest d."""
    held = _sources(data)
    seconds = PER_PRODUCT * data.pair.real.n * data.pair.d**2
    key = ("stand-in-directions", data.pair.digest)
    return Need(
        key,
        lambda _: held.components.most,
        seconds,
        "Looking for the directions",
        cache.session().results,
    )


def quality(data: Data, shape: Fit) -> Need[Any]:
    """Job that fits the surrogate and tests the fit."""
    held = _sources(data)
    seconds = trial_seconds(data.pair, shape.d, shape.options)
    store = cache.session().results if data.private else _shared()
    key = ("stand-in-quality", data.pair.digest, shape)
    note = f"Trying {shape.words}"
    return Need(
        key, lambda progress: checked(held, shape.d, shape.options, progress), seconds, note, store
    )


def card(found: CheckedSurrogate, data: Data) -> None:
    surrogate = found.surrogate
    real = surrogate.real
    generated = surrogate.generated
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
        "Test of the fit: how far each set and fresh samples of its own fit keep apart, from 0 (not"
        " at all) to 0.5; where p is small, chance does not explain it. Shrinkage: how far"
        " covariances were pulled towards a sphere, where samples are too few for them."
    )
    if found.poor:
        st.warning(f"**The surrogate is poor**: {POOR}", icon=":material/warning:")
    else:
        st.success("The surrogate looks like your data.", icon=":material/check:")
    n = min(data.pair.real.n, data.pair.generated.n)
    d = surrogate.d
    if shrunk:
        st.warning(
            f"{n:,} samples are few for d = {d}: a covariance has {d * (d + 1) // 2:,} numbers. The"
            f" fit was pulled towards a sphere by {shrunk:.0%}; a smaller d, or a diagonal"
            " covariance, needs less.",
            icon=":material/compress:",
        )
    if surrogate.generated.raised:
        st.info(
            f"In {surrogate.generated.raised} of these {d} directions the generated samples do not"
            " vary; the surrogate gives them a very small width there.",
            icon=":material/info:",
        )


def work(
    data: Data, shape: Fit, request: MeasurementRequest, fitted: CheckedSurrogate | None, title: str
) -> work_box.WorkRequest:
    """The tasks, those of this d first; raises ValueError for what these samples do not allow."""
    scenarios = SCENARIOS[request.scenario]
    dims = sorted(request.dims, key=lambda d: d != shape.d)
    later = dims if fitted is None else dims[1:]
    if fitted is None:
        problems = []
    else:
        problems = [fitted.surrogate.problem(each, request.common) for each in scenarios]
    problems += surrogate_problems(_sources(data), later, shape.options, scenarios, request.common)
    sizes = [request.n], [None]
    tasks = sweep_cells(
        problems, request.methods, request.ks, [None], request.splits, *sizes, request.repeats, 0
    )
    key = ("stand-in", data.pair.digest, shape, request)
    own = (data.pair.real.n, data.pair.generated.n)
    seconds = 0.0
    share = 1.0 if request.n is None else request.n / min(own)
    counts = [math.ceil(n * share) for n in own]
    for d in dims:
        count = len(SCENARIOS[request.scenario])
        seconds += fit_seconds(data.pair, d, shape.options)
        truth = TRUTH + TRUTH_DIMENSION * d * (1 if shape.fit == "gaussian" else TRUTH_MIXTURE)
        if request.scenario == "itself":
            seconds += 0
        else:
            seconds += truth
        for split in request.splits:
            measured: Options = {
                **passes(request.methods),
                "ks": len(request.ks),
                "split": split,
                "drawn": True,
            }
            seconds += (
                count * request.repeats * estimate_seconds(counts[0], counts[1], d, **measured)
            )
    return work_box.WorkRequest(
        key, title, tasks, COLUMNS, seconds, data.private, at_once=seconds <= AT_ONCE
    )
