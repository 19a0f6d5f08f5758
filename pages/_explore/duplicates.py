"""The effect of duplicates on both ends of the curves, measured again with one of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages._shared import answers
from prviz.checks.facts import Duplicates, duplicates
from prviz.diagnostics.influence import Distinct, distinct
from prviz.estimators import ESTIMATORS
from prviz.live import results
from prviz.live.problems import Problem
from prviz.measure.estimates import Progress
from prviz.reports.settings import ExploreSettings

# Seconds to hash one float64 value of the samples.
VALUE_SECONDS = 1.5e-8
TITLES = ("all rows", "one of each", "no copies across")


def draw(problem: Problem, settings: ExploreSettings) -> None:
    st.markdown("##### Duplicates")
    n_real, n_generated, d = problem.sizes
    key = ("copies", problem.key)
    seconds = (n_real + n_generated) * d * VALUE_SECONDS
    found = answers.tab_result(key, seconds, lambda _: duplicates(problem.pair))
    if found is None:
        return
    if not (found.real or found.generated or found.shared_generated):
        st.caption("No row occurs twice, neither inside a set nor across the two: nothing to reduce.")
        return
    st.markdown(counted(found, n_real, n_generated))
    measured = ("distinct", problem.key, settings.methods, settings.k, settings.bandwidth, settings.split)
    seconds = len(TITLES) * results.seconds(problem, settings) / results.repeats(problem, settings)

    def measure(tick: Progress) -> tuple[Distinct, ...]:
        """Both ends on all rows and on fewer; for any thread."""
        (pair, seed), split = problem.draw(0), settings.split
        width = results.width(problem, settings)
        methods, k = settings.methods, settings.k
        return distinct(pair, methods, k=k, bandwidth=width, split=split, seed=seed, progress=tick)

    ends = answers.tab_result(measured, seconds, measure)
    if ends is not None:
        table(ends, settings.methods)


def counted(found: Duplicates, n_real: int, n_generated: int) -> str:
    """The number of rows that repeat others, as text."""
    return (
        f"**{found.real:,}** of {n_real:,} real and **{found.generated:,}** of {n_generated:,} generated rows repeat "
        f"an earlier one of their set; **{found.shared_generated:,}** generated rows are exact copies of real ones. "
        "Copies shrink the balls of their own set, and a generated copy of a real fit sample is always carried by it."
    )


def table(found: tuple[Distinct, ...], methods: Sequence[str]) -> None:
    """Both ends of these families' curves on all rows and on fewer."""
    for title, each in zip(TITLES, found, strict=True):
        if each.extremes is None:
            st.info(f"{title.capitalize()}: too few rows are left for this k.")
    measured = [(title, each.extremes) for title, each in zip(TITLES, found, strict=True) if each.extremes is not None]
    columns: dict[str, list[Any]] = {"estimator": [ESTIMATORS[name].title for name in methods]}
    for side, end in enumerate(("α∞", "β0")):
        for title, ends in measured:
            columns[f"{end}, {title}"] = [ends[name][side] for name in methods]
    numbers = {name: st.column_config.NumberColumn(format="%.3f") for name in columns if name != "estimator"}
    st.dataframe(pd.DataFrame(columns), hide_index=True, column_config=numbers, key="copies-table")
    dropped = found[1].dropped, found[2].dropped
    st.caption(
        f"One of each: of equal rows in a set only the first stays ({dropped[0][0]:,} real and {dropped[0][1]:,} "
        f"generated rows go). No copies across: generated rows that equal a real one go besides "
        f"({dropped[1][1] - dropped[0][1]:,} more). Each is measured again; rows keep their part of the split."
    )
