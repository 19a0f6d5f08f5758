"""Background work of "Data like yours": fits the surrogate, checks it, and measures settings on
it.
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from pages._lab.surrogate_form import Data, MeasurementRequest
from pages._shared import cache, work_box
from prviz.estimators import ESTIMATORS
from prviz.live.need import Need
from prviz.measure.estimates import K, passes
from prviz.measure.workload import estimate_seconds
from prviz.recent import LeastRecentlyUsed
from prviz.studies.surrogate import Prediction, Surrogate
from prviz.studies.surrogate.predictive import (
    LEAST_INSIDE,
    MOST_SHARPENED,
    WIDEST,
    predicted_seconds,
)
from prviz.studies.surrogate.surrogate import SurrogateSources, surrogate_of, surrogate_problems
from prviz.studies.sweeps import COLUMNS, SweepGrid, sweep_cells

# Measurements that are estimated to take fewer seconds than this start without a click.
AT_ONCE = 60.0
# Rough costs in seconds. PER_PRODUCT: one multiply-add of a covariance. The surrogate's true curve:
# TRUTH + TRUTH_SAMPLE for each sample.
PER_PRODUCT = 1e-9
TRUTH = 2.0
TRUTH_SAMPLE = 5e-4
GOOD = "The surrogate predicts what settings measure on your data."


@st.cache_resource
def _shared() -> LeastRecentlyUsed:
    """Cache of the surrogates of bundled sets, shared by all visitors."""
    return LeastRecentlyUsed(64)


def _sources(data: Data) -> SurrogateSources:
    """The pair as source of surrogates: its principal components are computed once for every
    dimension d.
    """
    return cache.remembered(
        ("stand-in-sources", data.pair.digest), lambda: SurrogateSources(data.pair)
    )


def directions(data: Data) -> Need[Any]:
    """Job that finds the largest dimension d of a surrogate: the number of directions in which the
    real set varies.
    """
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


def surrogate(data: Data, d: int) -> Need[Any]:
    """Job that makes the surrogate, and compares the areas measured on it with those on the
    data.
    """
    held = _sources(data)
    store = cache.session().results if data.private else _shared()
    return Need(
        ("stand-in-surrogate", data.pair.digest, d),
        lambda progress: surrogate_of(held, d, progress=progress),
        predicted_seconds(data.pair, d),
        "Making a surrogate, and comparing it with your data",
        store,
    )


def card(found: Surrogate, prediction: Prediction, data: Data) -> None:
    """Draw facts about the surrogate, and the result of its predictive check."""
    facts = {
        "Samples, real and generated": f"{data.pair.real.n:,} and {data.pair.generated.n:,}",
        "Dimensions kept": f"{found.d:,} of {data.pair.d:,}",
        "Variance kept": f"{100 * found.explained:.1f} %",
        "Sharpness": sharpness_text(prediction.sharpness),
        "Areas alike": f"{100 * prediction.inside:.0f} %",
        "Areas apart, on average": f"{prediction.off:.2f}",
    }
    with st.container(horizontal=True, key="stand-in-facts"):
        for label, value in facts.items():
            st.markdown(f"{label}  \n**{value}**")
    if prediction.passes:
        st.success(GOOD, icon=":material/check:")
    st.caption(
        "Sharpness: the factor on the classifier's log odds with which settings measure, on "
        f"average, the areas that they measure on your data; at most {MOST_SHARPENED:g}, or one "
        "over that, is allowed. Areas alike: share of settings whose area on your data is one "
        f"that samples of the surrogate have too; at least {100 * LEAST_INSIDE:.0f} % is asked. "
        "Areas apart: from the area on your data to the mean one on the surrogate."
    )
    rows = [
        (setting_text(*setting), *areas)
        for setting, *areas in zip(
            prediction.settings, prediction.own, prediction.low, prediction.high, strict=True
        )
    ]
    titles = ["Setting", "Area on your data", "Surrogate, from", "to"]
    numbers = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(
        pd.DataFrame(rows, columns=titles),
        hide_index=True,
        column_config=dict.fromkeys(titles[1:], numbers),
    )


def sharpness_text(sharpness: float) -> str:
    """The sharpness as text. If it is at an end of the range that was tried, the text ends in "or
    more" or "or less".
    """
    if sharpness >= WIDEST:
        return f"{WIDEST:g} or more"
    if sharpness <= 1 / WIDEST:
        return f"{1 / WIDEST:g} or less"
    return f"{sharpness:.2f}"


def setting_text(method: str, k: K | None, split: float | None) -> str:
    """A family with its k and split, such as "kNN, k = 5, no split"."""
    number = ""
    if k is not None:
        number = f"k = {'√n' if k == 'sqrt' else k}, "
    share = "no split"
    if split is not None:
        share = f"split {100 * split:.0f} %"
    return f"{ESTIMATORS[method].title}, {number}{share}"


def work(
    data: Data, d: int, request: MeasurementRequest, made: Surrogate, title: str
) -> work_box.WorkRequest:
    """The tasks that measure the requested settings on surrogates, those of dimension d first.

    Raises ValueError for settings that the surrogates' sample sizes do not allow.
    """
    later = [each for each in sorted(request.dims) if each != d]
    problems = [made.problem()]
    if later:
        problems += surrogate_problems(_sources(data), later, "kernels", made.seed, ("pair",))
    grid = SweepGrid(
        problems,
        request.methods,
        request.ks,
        splits=request.splits,
        ns=(request.n,),
        repeats=request.repeats,
    )
    tasks = sweep_cells(grid)
    key = ("stand-in", data.pair.digest, d, request)
    own = (data.pair.real.n, data.pair.generated.n)
    share = 1.0
    if request.n is not None:
        share = request.n / min(own)
    counts = [math.ceil(n * share) for n in own]
    seconds = sum(predicted_seconds(data.pair, each) for each in later)
    for each in (d, *later):
        seconds += TRUTH + TRUTH_SAMPLE * sum(own)
        for split in request.splits:
            work = passes(request.methods, ks=len(request.ks), split=split, drawn=True)
            seconds += request.repeats * estimate_seconds(counts[0], counts[1], each, **work)
    return work_box.WorkRequest(
        key, title, tasks, COLUMNS, seconds, data.private, at_once=seconds <= AT_ONCE
    )
