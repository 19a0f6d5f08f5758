"""The guide that a first visit to Explore starts with: five steps, from a line between two sets of
samples to Explore's own controls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from scipy.special import ndtr

from pages._explore.session import explore_session
from pages._live.figure import load_published
from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.ground_truth import mixture_log_ratio
from prviz.live.modules import as_text, bundle
from prviz.live.problems import problem_of
from prviz.live.snapshots import flat
from prviz.measure.profiles import profile_pair
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair
from prviz.toys import toy

_FOLDER = Path(__file__).parent
# COOKIE: cookie of visitors who have seen or skipped the guide. STEP: the link's parameter with the
# step. KEY: key of the component. SHOWN: session-state key, True if the guide is shown.
COOKIE = "prviz-guide"
STEP = "step"
KEY = "guide"
SHOWN = "guide-shown"

MEANS = (-3.5, -1.0, 1.0, 3.5)
REAL = (0.2, 0.6, 0.2, 0.0)
GENERATED = (0.0, 0.1, 0.5, 0.4)
# Settings of the guide, and of Explore right after it: four modes in a row in the plane.
SETTINGS = ExploreSettings(
    problem="mixtures",
    parameters={"d": 2, "means": MEANS, "real_weights": REAL, "generated_weights": GENERATED},
    n=400,
    methods=("knn",),
    seed=1,
)
# Seeds of the draws of samples through which the visitor can step.
SEEDS = range(SETTINGS.seed, SETTINGS.seed + 4)
# Offsets of the line: its positions along the row of modes, 0 in the middle.
OFFSETS = np.linspace(-4.4, 4.4, 441)
# The guide shows the neighbours of the held-out real sample nearest to the point with both
# coordinates equal to this.
WATCHED = 0.4


def lines(offsets: np.ndarray = OFFSETS) -> list[list[float]]:
    """For each offset of the line: the offset, fpr, fnr, and the lam at which this line is the best
    of all classifiers.

    As a classifier, the line calls samples with a smaller offset real, all others generated.
    """
    centres = np.multiply(MEANS, math.sqrt(2))
    from_centres = offsets[:, None] - centres
    fpr = ndtr(-from_centres) @ REAL
    fnr = ndtr(from_centres) @ GENERATED
    lam = np.exp(mixture_log_ratio(offsets, centres, np.array(REAL), np.array(GENERATED)))
    found: list[list[float]] = np.stack([offsets.round(2), fpr, fnr, lam], axis=1).tolist()
    return found


def draw_of(seed: int, truth: PRCurve) -> dict[str, Any]:
    """Data of one draw: the samples of this seed, kNN's curve at each k of Explore's slider, and
    the neighbours of one held-out real sample.
    """
    problem = problem_of(replace(SETTINGS, seed=seed))
    ks, _ = problem.stops
    pair = problem.pair
    profile = profile_pair(pair, SETTINGS.methods, ks=ks, split=SETTINGS.split, seed=seed)
    curves = {}
    for k in ks:
        curve = profile.curve("knn", k)
        curves[k] = {"vertices": flat(curve), "overlap": curve.iou(truth)}
    return {
        "seed": seed,
        "real": pair.real.values.round(2).tolist(),
        "generated": pair.generated.values.round(2).tolist(),
        "curves": curves,
        **neighbours(pair, seed, max(ks)),
    }


def neighbours(pair: SamplePair, seed: int, k: int) -> dict[str, Any]:
    """A held-out real sample near the middle ("watched"), and the distance of each of its k nearest
    fit samples, with True for real ones.
    """
    split = pair.split(SETTINGS.split, seed)
    held_out = split.evaluate.real.values
    watched = held_out[np.argmin(np.linalg.norm(held_out - WATCHED, axis=1))]
    fit = np.concatenate([side.values for side in split.fit])
    distances = np.linalg.norm(fit - watched, axis=1)
    nearest = np.argsort(distances, kind="stable")[:k]
    return {
        "watched": watched.round(3).tolist(),
        "distances": distances[nearest].round(3).tolist(),
        "are_real": (nearest < split.fit.real.n).tolist(),
    }


@cache
def content() -> dict[str, Any]:
    """All data that the guide's JavaScript draws; the same for all visitors."""
    truth: PRCurve = toy(SETTINGS.problem, **SETTINGS.parameters).truth()
    problem = problem_of(SETTINGS)
    return {
        "lines": lines(),
        "truth": flat(truth),
        "draws": [draw_of(seed, truth) for seed in SEEDS],
        "ks": problem.stops[0],
        "usual": problem.k,
        "color": figures.FAMILY_COLORS["knn"],
        "cookie": COOKIE,
    }


_component = st.components.v2.component(
    "prviz_guide",
    html='<div class="guide-root"></div>',
    css=(_FOLDER / "guide.css").read_text(encoding="utf-8"),
    js=load_published(bundle(_FOLDER / "guide.js"), announced=False),
    isolate_styles=False,
)


def show(shown: bool) -> None:
    """Show the guide from the next run on (True), or Explore itself (False)."""
    st.session_state[SHOWN] = shown


def is_due() -> bool:
    """True if the guide is shown in place of Explore.

    It is if the link names a step of the guide, or at a visitor's first visit without a link.
    """
    if SHOWN not in st.session_state:
        asked = st.query_params.to_dict()
        st.session_state[SHOWN] = STEP in asked or not (
            asked or COOKIE in st.context.cookies.to_dict()
        )
    return bool(st.session_state[SHOWN])


def draw() -> None:
    """Draw the guide. After it, Explore shows the guide's samples, or, if it was skipped, its first
    view.
    """
    _component(key=KEY, data=as_text(content()), on_over_change=_over)


def _over() -> None:
    """Callback: leave the guide for Explore.

    The browser sends the last lam and seed; lam is None if the guide was skipped.
    """
    told = st.session_state[KEY]
    over = None
    if isinstance(told, Mapping):
        over = told.get("over")
    at = over if isinstance(over, Mapping) else {}
    lam = at.get("lam")
    show(False)
    if isinstance(lam, int | float) and 0 <= lam < math.inf:
        seed = next((seed for seed in SEEDS if seed == at.get("seed")), SETTINGS.seed)
        explore_session().next = replace(SETTINGS, lam=float(f"{lam:.6g}"), seed=seed), None
