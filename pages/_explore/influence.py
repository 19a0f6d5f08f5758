"""Extremes, enlarged: both ends of the curves over k and split, their influential samples, the effect of duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from pages._explore import duplicates, extremes
from pages._live.figure import Pane, live_figure
from pages._shared import answers
from pages._shared.text import plain
from prviz import figures
from prviz.diagnostics.influence import Extremes, Influence, Removal, carries, influence, removals
from prviz.estimators import ESTIMATORS
from prviz.live import results
from prviz.live.problems import Problem
from prviz.measure.estimates import Progress
from prviz.measure.workload import estimate_seconds
from prviz.neighbors.balls import ROLES, Role
from prviz.reports.settings import ExploreSettings
from prviz.samples import Samples

# Number of influential samples listed.
LISTED = 10
# Measurements in one influence analysis: the carried samples, all samples, and without the top 1, 2 and 5.
PASSES = 5
SIDES: dict[Role, str] = {"real": "Precision end, α∞", "generated": "Recall end, β0"}
ENDS: dict[Role, str] = {"real": "α∞", "generated": "β0"}
OTHER: dict[Role, Role] = {"real": "generated", "generated": "real"}
# Published metrics that equal the carried share where there is no split.
PUBLISHED = {
    ("ipr", "real"): "improved precision",
    ("ipr", "generated"): "improved recall",
    ("coverage", "generated"): "coverage",
}
EXAMPLE = ExploreSettings(
    problem="outlier",
    parameters={"d": 64, "mu": 3 / 8, "value": 4.0},
    n=1000,
    k=4,
    split=None,
)


@dataclass(frozen=True, eq=False)
class InfluenceResult:
    """The influence of single samples in one family, and its extreme without the most influential ones."""

    found: Influence
    falls: tuple[Removal, ...]

    @property
    def nbytes(self) -> int:
        return self.found.ball_members.nbytes + self.found.rows.nbytes


def draw(problem: Problem, settings: ExploreSettings, found: results.Results, *, single: bool) -> None:
    """Draw both ends; with `single`, the influence of single samples and duplicates too.

    The quick parts are measured first; their containers keep the order on screen.
    """
    st.caption(
        "Extreme precision α∞ (the curve's left end) and extreme recall β0 (its right end) are all that most published "
        "metrics report. Their true values are masses of the **co-support**, the part of space that both distributions "
        "reach: Q(cosupp) and P(cosupp). Q(supp P), the mass inside the support of the real data, is what improved "
        "precision reports; it can be 1 where the co-support is empty."
    )
    both, over_k, samples, copies = (st.container() for _ in range(4))
    with both:
        extremes.ends(problem, settings, found)
    if settings.approximate:
        st.info("Over k, single samples and duplicates are measured exactly, so not while curves are approximate.")
        return
    if single:
        with samples:
            _single(problem, settings)
        with copies:
            duplicates.draw(problem, settings)
    with over_k:
        extremes.over_k(problem, settings, found)


def _single(problem: Problem, settings: ExploreSettings) -> None:
    st.markdown("##### Whom the ends hang on")
    _example(settings)
    able = [name for name in settings.methods if carries(name)]
    left = [ESTIMATORS[name].title for name in settings.methods if name not in able]
    if left:
        st.caption(f"Left out, because they do not count single samples in one ball each: {plain(', '.join(left))}.")
    if not able:
        st.info("Choose kNN, KDE, iPR or Coverage to see which samples carry others.")
        return
    name, role = _choose(able)
    key = ("autopsy", problem.key, name, settings.k, settings.bandwidth, settings.split, role)
    drawn = problem.toy is not None
    seconds = PASSES * estimate_seconds(*problem.sizes, methods=1, split=settings.split, drawn=drawn)
    made = answers.tab_result(key, seconds, partial(_influence, problem, settings, name, role))
    if made is not None:
        _result(problem, settings, made)


def _example(settings: ExploreSettings) -> None:
    """Link the paper's own example, or explain it where it is on screen."""
    if replace(settings, lam=1.0, seed=0, methods=EXAMPLE.methods) == EXAMPLE:
        st.caption(
            "This is the worked example: the last real row lies far from all else, at (4, ..., 4). Its ball out to its "
            "4th nearest real sample reaches back over the whole set, so that in iPR it makes look real whatever is "
            "generated there, true or not."
        )
        return
    link = f"{st.context.url}?{urlencode(EXAMPLE.to_query())}"
    st.link_button("Worked example: one outlier", link, icon=":material/open_in_new:", help=EXAMPLE_HELP)


EXAMPLE_HELP = (
    "Two shifted Gaussians, one real sample far away at (4, ..., 4), k = 4 and no split (Sykes et al. 2024, 4.3). "
    "It opens in a new tab; open Extremes there."
)


def _choose(able: Sequence[str]) -> tuple[str, Role]:
    with st.container(horizontal=True):
        titles = {name: ESTIMATORS[name].title for name in able}
        default = "ipr" if "ipr" in able else able[0]
        name = st.segmented_control(
            "Family", able, format_func=titles.__getitem__, required=True, default=default, key="autopsy-method"
        )
        role = st.segmented_control(
            "End", list(SIDES), format_func=SIDES.__getitem__, required=True, default="real", key="autopsy-side"
        )
    return (name if name is not None and name in able else default), (role if role in ROLES else "real")


def _influence(problem: Problem, settings: ExploreSettings, name: str, role: Role, tick: Progress) -> InfluenceResult:
    """The influence of the samples of one role in one family; for any thread."""
    (pair, seed), split = problem.draw(0), settings.split
    part = 1 / PASSES
    found = influence(
        pair,
        name,
        role=role,
        k=settings.k,
        bandwidth=results.width(problem, settings),
        split=split,
        seed=seed,
        progress=lambda done: tick(part * done),
    )
    rest: Progress = lambda done: tick(part + (1 - part) * done)  # noqa: E731
    return InfluenceResult(found, removals(pair, found, split=split, seed=seed, progress=rest))


def _result(problem: Problem, settings: ExploreSettings, made: InfluenceResult) -> None:
    found, falls, role = made.found, made.falls, made.found.role
    other = OTHER[role]
    counts = found.ball_members.counts
    published = PUBLISHED.get((found.method, role)) if settings.split is None else None
    means = f", which is what {published} reports" if published else ""
    st.caption(
        f"A {role} sample *carries* a {other} one if it is among the {role} samples that "
        f"{ESTIMATORS[found.method].title} counts for it, and carries it *alone* if nobody else is. **Carried** is the "
        f"share of {other} samples that at least one carries{means}. **{ENDS[role]}**, the end of the curve, is the "
        f"lowest share of {other} samples called {role} by a classifier that is right about every {role} one: it may "
        "ask for more than one carrier and lie lower, and it is 1 where no classifier is right about all of them."
    )
    if not falls:
        st.info(f"k = {found.k} needs every sample; none can be taken away.")
        return
    top = found.top(LISTED)
    before = f"{ENDS[role]} = {falls[0].extreme:.3f}, carried: {falls[0].share:.1%} of {len(counts):,} {other} samples"
    if len(falls) > 1:
        (row,) = falls[1].rows
        after = (
            f" **Row {row + 1}** of the {role} samples carries {found.carried[top[0]]:,} of them, "
            f"{found.alone[top[0]] or 'none'} alone. Measured again without it: {ENDS[role]} = {falls[1].extreme:.3f}, "
            f"carried: {falls[1].share:.1%}."
        )
    else:
        after = f" No {role} sample that carries any can be taken away."
    st.markdown(f"{before}.{after}")
    truth = None if problem.truth is None else Extremes.of(problem.truth)[ROLES.index(role)]
    drawn(found, falls, truth)
    side = problem.pair.real if role == "real" else problem.pair.generated
    _table(found, top, side)


def drawn(found: Influence, falls: Sequence[Removal], truth: float | None = None) -> None:
    """Draw the samples that carry most, and the end of the curve without them. truth: the true end."""
    role, top = found.role, found.top(LISTED)
    color = figures.REAL_COLOR if role == "real" else figures.GENERATED_COLOR
    bars = figures.carriers_figure(
        [f"row {row + 1}" for row in found.rows[top]],
        found.alone[top].tolist(),
        found.carried[top].tolist(),
        color=color,
    )
    fall = figures.fall_figure(
        [len(each.rows) for each in falls],
        extreme=[each.extreme for each in falls],
        share=[each.share for each in falls],
        subtracted=[each.subtracted for each in falls],
        labels=(f"{ENDS[role]}, measured again", "carried, measured again"),
        color=figures.colors([found.method])[found.method],
        truth=truth,
    )
    why = "Without a sample the others' balls may change, so what is measured again can differ from a subtraction."
    who = f"How many {OTHER[role]} samples each {role} one carries, alone and in all."
    live_figure(
        "autopsy",
        [
            Pane("carriers", bars, f"The {role} samples that carry most", caption=who),
            Pane("fall", fall, "Without the top 1, 2 and 5", caption=why),
        ],
    )


def _table(found: Influence, top: NDArray[np.intp], side: Samples) -> None:
    rows = found.rows[top]
    labels = {f"{name} ": side.labels[name][rows].astype(str) for name in list(side.labels)[:3]}
    table = pd.DataFrame(
        {
            "row": rows + 1,
            **labels,
            "carried alone": found.alone[top],
            "carried": found.carried[top],
            "carried, share": found.carried[top] / len(found.ball_members.counts),
        }
    )
    with st.expander("The same as a table", icon=":material/table_rows:"):
        share = st.column_config.NumberColumn(format="percent")
        st.dataframe(table, hide_index=True, column_config={"carried, share": share}, key="autopsy-table")
        st.caption("Rows are counted from 1 in the sample's own file or draw.")
