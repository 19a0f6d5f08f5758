"""Figures 8 to 10 of hal-05344404 (section 5.3), on the bundled digits; and figures with lines over
k or d for all surrogates.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, cast

import numpy as np
import pandas as pd
import streamlit as st

from pages._live.figure import live_figure
from pages._shared import work_box
from pages._shared.widgets import choose_one
from prviz import figures
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.figures import SettingLine
from prviz.live.figure import Pane
from prviz.measure.estimates import K
from prviz.readers.bundled import BUNDLED, bundled_pair
from prviz.samples import SamplePair, Samples
from prviz.studies.papers.printed import printed_in
from prviz.studies.surrogate import Scenario, SurrogateSources, surrogate_problems
from prviz.studies.sweeps import COLUMNS, Cell, SweepGrid, sweep_cells

Measure = Literal["iou", "excess", "deficit"]
NAMES: dict[Measure, str] = {"iou": "IoU with the truth", "excess": "excess", "deficit": "deficit"}
SAYS: dict[Measure, str] = {
    "iou": "Shared area over joint area of estimate and truth: 1 is perfect.",
    "excess": "Area that the estimate has invented, as a share of the joint area: too optimistic.",
    "deficit": "Area that the estimate has missed, as a share of the joint area: too pessimistic.",
}
MARKS = (
    "Filled marks: with a split; open marks: without. Bars: ± one standard deviation over the"
    " repeats."
)


def at_k(rows: pd.DataFrame, k: K) -> pd.DataFrame:
    """Rows with this k, and rows of families without k."""
    return rows[(rows["k"] == str(k)) | rows["k"].isna()]


def lines(rows: pd.DataFrame, x: Literal["k_used", "d"], measure: Measure) -> list[SettingLine]:
    """The lines of a figure over `x`: one for each family and split, in the order of the rows."""
    found = []
    for _, part in rows.groupby(["method", "split"], dropna=False, sort=False):
        method = str(part["method"].iloc[0])
        split = part["split"].iloc[0]
        xs: list[float] = []
        means = [part[measure].mean()]
        spreads = [_spread(part[measure])]
        if part[x].notna().any():
            groups = part.groupby(x)[measure]
            xs = [float(value) for value in groups.mean().index]
            means = groups.mean().tolist()
            spreads = [_spread(values) for _, values in groups]
        found.append(
            SettingLine(method, None if pd.isna(split) else float(split), xs, means, spreads)
        )
    return found


def _spread(values: pd.Series) -> float:
    if len(values) > 1:
        return float(np.std(values, ddof=1))
    return 0.0


def panes(
    rows: pd.DataFrame, x: Literal["k_used", "d"], xlabel: str, measures: Sequence[Measure]
) -> list[Pane]:
    """Panes with a measure over `x`: the first measure's is wide and has a legend, the others are
    side by side.
    """
    found = []
    for place, measure in enumerate(measures):
        figure = figures.setting_lines_figure(
            lines(rows, x, measure),
            xlabel=xlabel,
            ylabel=NAMES[measure],
            top=1.0 if measure == "iou" else None,
            legend=place == 0,
            height=420 if place == 0 else 300,
        )
        caption = f"{SAYS[measure]} {MARKS}" if place == 0 else SAYS[measure]
        title = f"{NAMES[measure][0].upper()}{NAMES[measure][1:]} over {xlabel}"
        found.append(Pane(f"{x}-{measure}", figure, title, caption, wide=place == 0))
    return found


DIMS = (2, 4, 8, 16, 32, 50, 61)
KS: tuple[K, ...] = ("sqrt", 4)
SPLITS = (None, 0.5)
# Estimated seconds of one task, a measurement at one d and split, on one core: drawing samples, all
# families at both k, and the task's share of fitting surrogates and computing truths.
SECONDS_EACH = 0.9
FIGURES = {
    "pair": (
        "Figure 8: real against truncated",
        (
            "Mean over the truncations of real data against each truncated set. In many dimensions"
            " the true overlap is almost none, which favours estimators that see too little. Where"
            " the truth has no area at all, as at psi = 0, an IoU is 1 for an estimate without"
            " area, and 0 for any other."
        ),
    ),
    "generated-generated": (
        "Figure 9: each against itself",
        (
            "Mean over the truncations of each truncated set against itself: the truth is a perfect"
            " overlap, which favours estimators that see too much."
        ),
    ),
    "common": (
        "Figure 10: mixtures with a common half",
        (
            "Half of both is the set at psi = 0.3; the other half is that at 0.5 on one side, at"
            " 0.9 on the other."
        ),
    ),
}
# By d, the IoU of kNN with split that the paper's text gives for its figure 8 (section 5.3.1).
PUBLISHED = dict(
    zip((2, 50), (value for (value,) in printed_in("2026: Figure 8").values()), strict=True)
)
SETTING = (
    "The paper takes embeddings of 50,000 faces and of 50,000 images of a generator whose latents"
    " are truncated by psi, from 0 (every image the same) to 1 (no truncation). It keeps their"
    " first d principal components, fits a Gaussian to each set and asks how close the estimates"
    " from fresh samples come to the truth, for ever more d. Here the faces are the **bundled"
    " 1,797 digits**, the generator is the bundled mixture, and fresh samples are as many as the"
    f" digits are; d = {', '.join(map(str, DIMS))}: the digits vary in no more than 61 directions."
)


@lru_cache(maxsize=1)
def tasks(dims: tuple[int, ...] = DIMS, n: int | None = None) -> tuple[Cell, ...]:
    """One task for each d, split and truncation. Their order fills all three figures evenly."""

    def cells(sources: SurrogateSources, *scenarios: Scenario) -> list[Cell]:
        problems = surrogate_problems(sources, dims, "gaussian", 0, scenarios)
        return sweep_cells(SweepGrid(problems, DEFAULT_METHODS, KS, splits=SPLITS, ns=(n,)))

    generated = [bundled_pair(point.name) for point in reversed(BUNDLED["truncation"].checkpoints)]
    digits = bundled_pair("truncation-0.3").real
    ends = SamplePair(_set("truncation-0.5"), _set("truncation-0.9"))
    found = cells(SurrogateSources(ends, _set("truncation-0.3"), digits), "common")
    for pair in generated:
        found += cells(SurrogateSources(pair), "pair", "generated-generated")
    return tuple(found)


def _set(checkpoint: str) -> Samples:
    return bundled_pair(checkpoint).generated


def draw() -> None:
    st.markdown(SETTING)
    listed = tasks()
    key = ("stand-in-paper", DIMS, KS, SPLITS)
    title = "Figures 8 to 10 on the bundled digits"
    work_box.box(
        work_box.WorkRequest(key, title, listed, COLUMNS, SECONDS_EACH * len(listed)), draw_rows
    )


def draw_rows(rows: pd.DataFrame, complete: bool) -> None:
    with st.container(horizontal=True):
        titles = {k: "√n" if k == "sqrt" else str(k) for k in KS}
        k = choose_one("Neighbours k", titles, KS[0], key="stand-in-paper.k")
        measure = choose_one("Shown", NAMES, "iou", key="stand-in-paper.measure")
    found = at_k(with_scenario(rows), k)
    st.caption(f"{SAYS[measure]} {MARKS.partition('over')[0]}over the truncations.")
    panes = [
        Pane(
            name,
            figures.setting_lines_figure(
                lines(found[found["scenario"] == name], "d", measure),
                xlabel="dimension d",
                ylabel=NAMES[measure],
                top=1.0 if measure == "iou" else None,
                height=440,
            ),
            title,
            caption,
        )
        for name, (title, caption) in FIGURES.items()
    ]
    live_figure("stand-in-paper", panes)
    if not complete:
        st.caption("So far: the means change as more truncations come, from psi = 1 down to 0.")
    for sentence in says(with_scenario(rows)):
        st.markdown(sentence)


def with_scenario(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with an additional column, the scenario, which their parameters name."""
    of = {text: json.loads(text)["scenario"] for text in rows["parameters"].unique()}
    return rows.assign(scenario=rows["parameters"].map(of))


def says(rows: pd.DataFrame) -> list[str]:
    """Sentences on the best setting of each figure at its largest d, and on the two numbers that
    the paper's text gives.
    """
    found = []
    for name, (title, _) in FIGURES.items():
        own = rows[rows["scenario"] == name]
        if len(own):
            top = own[own["d"] == own["d"].max()]
            means = top.groupby(["method", "k", "split"], dropna=False)["iou"].mean()
            method, k, split = cast(tuple[str, K, float], means.idxmax())
            best = means.max()
            how = (
                f"k = {'√n' if k == 'sqrt' else k}, "
                f"{'no split' if pd.isna(split) else f'split {100 * split:.0f} %'}"
            )
            # settings with the same IoU to two decimals count as tied
            others = int((means.round(2) == round(best, 2)).sum()) - 1
            tied = ""
            if others == 1:
                tied = ", and another is as close"
            elif others > 1:
                tied = f", and {others} others are as close"
            text = f"{ESTIMATORS[method].title} ({how}), IoU {best:.2f}{tied}"
            found.append(
                f"**{title.partition(':')[0]}**: at d = {int(top['d'].iloc[0])} the closest is"
                f" {text}."
            )
    # The two numbers that the paper's text gives, each beside the one measured here.
    knn = rows[
        (rows["scenario"] == "pair")
        & (rows["method"] == "knn")
        & rows["split"].notna()
        & (rows["k"] == "sqrt")
    ]
    ours = {
        d: float(np.mean(knn.loc[knn["d"] == d, "iou"])) for d in PUBLISHED if (knn["d"] == d).any()
    }
    if beside := [f"{PUBLISHED[d]:.1f} at d = {d} (here {mean:.2f})" for d, mean in ours.items()]:
        name = ESTIMATORS["knn"].title
        found.append(
            f"The paper's text says of {name} with split in its figure 8: IoU about"
            f" {', '.join(beside)}."
        )
    return found
