"""Estimates how far each family's area may be from the true area if no truth is known: by the
family's error on a surrogate of the pair.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import NamedTuple

import streamlit as st

from pages._explore.session import explore_session
from pages._shared import answers
from pages._shared.widgets import pressed
from prviz.live import bounds, results
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.measure.estimates import Progress, estimate
from prviz.measure.profiles import bandwidth_unit
from prviz.neighbors.threads import part_of
from prviz.studies.surrogate.predictive import predicted_seconds
from prviz.studies.surrogate.surrogate import SurrogateSources, surrogate_of

# MOST_DIMENSIONS: most principal components that the surrogate keeps. SEED: seed of the sample that
# is drawn from the surrogate.
MOST_DIMENSIONS = 32
SEED = 1
# Rough seconds to compute the surrogate's true curve, in addition to fitting it and measuring a
# sample.
TRUTH_SECONDS = 3.0
ABOUT = (
    "The surrogate is a small Gaussian around every sample, each real or generated as often as a"
    " classifier that has not seen it says; its true curve is known. ± is how far the area of each"
    " family is from the true one on a fresh sample of it, with these settings."
)
SAID = "± on a surrogate; the curve to believe is bold"
UNKNOWN = "How far each is off is unknown: no surrogate resembles the data."
POOR = (
    " Here estimators measure other areas on the surrogate than on the data, or the errors measured"
    " on it contradict the upper bound of the true area: these errors say nothing about the data."
)


class SurrogateErrors(NamedTuple):
    """Errors of each family on a sample of a surrogate.

    area : area under the estimated curve minus the true area, by family. poor : True if the
    surrogate fails its predictive check.
    """

    area: Mapping[str, float]
    poor: bool

    @property
    def known(self) -> Mapping[str, float] | None:
        """By family, the error of its area on the surrogate; None if the surrogate is poor, which
        makes the errors unknown.
        """
        if self.poor:
            return None
        return self.area


def _key(problem: Problem) -> tuple[Hashable, ...]:
    return ("far-off", *results.key(problem.having(repeats=1)))


def known(problem: Problem) -> SurrogateErrors | None:
    """The measured errors on the surrogate, marked as poor if they contradict the upper bound of
    the true area; None until measured.
    """
    found: SurrogateErrors | None = problem.stores.results.get(_key(problem))
    if found is None:
        return None
    return against_bound(problem, found)


def against_bound(problem: Problem, found: SurrogateErrors) -> SurrogateErrors:
    """The errors on the surrogate, marked as poor if they contradict the upper bound of the true
    area.

    They contradict it if a family's area minus its error exceeds the bound.
    """
    bound = bounds.bound(problem)
    curves = results.known_curves(problem)
    areas = [curves[name].auc - error for name, error in found.area.items() if name in curves]
    if bound is None or max(areas, default=0.0) <= bound.auc:
        return found
    return found._replace(poor=True)


def draw(problem: Problem) -> None:
    """Draw a button that measures the errors on a surrogate, or a caption on them.

    Draws nothing for a toy, whose truth is known.
    """
    if problem.toy is not None or problem.settings.approximate:
        return
    key = _key(problem)
    wanted = explore_session().far_off
    if key not in wanted and known(problem) is None:
        st.button(
            "How far could each be off?",
            key="far-off",
            type="tertiary",
            on_click=wanted.add,
            args=(key,),
        )
        return
    pair = problem.pair
    d = min(MOST_DIMENSIONS, problem.pair.d)
    seconds = predicted_seconds(pair, d) + TRUTH_SECONDS + results.seconds(problem)
    work = partial(measure, problem)
    found = answers.result(Need(key, work, seconds, "The open part", problem.stores.results))
    if found is not None:
        found = against_bound(problem, found)
        with st.container(horizontal=True, vertical_alignment="center", key="far-off-found"):
            said = UNKNOWN if found.poor else SAID
            st.caption(said, help=ABOUT + POOR * found.poor, width="content")
            if found.poor and pressed("See why", "far-off", type="tertiary"):
                st.switch_page("pages/bias_lab.py", query_params={"section": "Data like yours"})


def measure(problem: Problem, progress: Progress) -> SurrogateErrors:
    """Make a surrogate of the pair, and measure a sample of it with the pair's settings."""
    settings = problem.settings
    sources = SurrogateSources(problem.pair)
    d = min(MOST_DIMENSIONS, sources.components.most)
    made = surrogate_of(sources, d, progress=part_of(progress, 0, 2))
    fitted = made.problem()
    sample = fitted.sample(fitted.default_n, SEED)
    split = settings.split
    width = settings.bandwidth
    found = estimate(
        sample,
        settings.methods,
        k=settings.k,
        bandwidth=width and width * (bandwidth_unit(sample, split=split, seed=SEED) or 1.0),
        split=split,
        seed=SEED,
        progress=part_of(progress, 1, 2),
    )
    truth = fitted.truth().auc
    poor = made.prediction is None or not made.prediction.passes
    return SurrogateErrors({name: each.curve.auc - truth for name, each in found.items()}, poor)
