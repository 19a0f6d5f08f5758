"""Part "Compare two": the difference of two curves, and samples that only one checkpoint covers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from pages._live.figure import live_figure
from pages._shared import answers, media
from pages._shared.widgets import described, plain
from pages._triage import gallery
from pages._triage.checkpoints import (
    BASE_SECONDS,
    BOOTSTRAP,
    CONFIDENCE,
    SAMPLE_SECONDS,
    CheckpointResults,
    by_score,
    measurement,
    selected,
)
from pages._triage.session import PAIR, session
from prviz.curves.summaries import SUMMARIES
from prviz.figures.triage_pairs import PAIR_SIGNS, pair_curves_figure, pair_difference_figure
from prviz.live.figure import Pane
from prviz.measure.estimates import Progress, judged
from prviz.neighbors.threads import part_of
from prviz.reports.export import table_csv
from prviz.samples import SamplePair
from prviz.triage.comparison import COVERED, PairedDifference, compare_curves, difference_of
from prviz.triage.measured import MeasuredCheckpoint
from prviz.uncertainty.paired import Difference

MOST_SHOWN = 24
NOT_TOLD = "can't be told at this n"
# Estimated seconds of one bootstrap replicate of a comparison: all summaries of both curves, and
# their difference on all rays.
_SUMMARY_SECONDS = 1.3e-3


class Compared(NamedTuple):
    """Comparison of two checkpoints: the differences of their curves at every lam, and of every
    summary.
    """

    along: PairedDifference
    summaries: Mapping[str, Difference]


def draw(found: CheckpointResults) -> None:
    names = found.names
    if len(names) < 2:
        st.info(
            "Two measured checkpoints are needed to compare them; "
            + ("one is" if names else "none is")
            + " there."
        )
        return
    a, b = (found.one(name) for name in _choose(found))
    compared = _compared(found, a, b)
    if compared is None:
        return
    _verdict(a, b, compared.along)
    _figures(a, b, compared.along)
    _numbers(compared)
    _samples(found, a, b, compared.along)


def _verdict(a: MeasuredCheckpoint, b: MeasuredCheckpoint, along: PairedDifference) -> None:
    """Draw sentences on which of the two checkpoints is better, and at which λ."""
    sides = (
        ("A", a, (along.alpha_low > 0) | (along.beta_low > 0)),
        ("B", b, (along.alpha_high < 0) | (along.beta_high < 0)),
    )
    parts = []
    for letter, one, rays in sides:
        if rays.any():
            name = plain(one.checkpoint.name)
            parts.append(f"**{letter}** ({name}) is better {_where(along, rays)}")
    if not parts:
        st.warning(
            "At no λ do 95 % of the draws say which of the two is better.",
            icon=":material/balance:",
        )
    else:
        rest = " Elsewhere the draws don't say."
        if along.apart.all():
            rest = ""
        st.info(f"{'; '.join(parts)}.{rest}", icon=":material/compare_arrows:")


def _figures(a: MeasuredCheckpoint, b: MeasuredCheckpoint, along: PairedDifference) -> None:
    """Draw both curves, and their difference in precision and in recall."""
    st.caption(
        "Each ray from the origin of the first figure meets both curves; λ = α / β is precision"
        " over recall there. The other two show by how much A lies above B on each ray, in"
        f" precision α and in recall β. **The band** holds {100 * CONFIDENCE:g} % of the draws of"
        f" that difference: the evaluation samples are drawn again {BOOTSTRAP} times, the real ones"
        " for both at once, on each ray by itself. Where it leaves out 0 the ground is shaded and"
        f" the line bears {PAIR_SIGNS[0]} where A is better, {PAIR_SIGNS[1]} where B is. It"
        " covers the choice of evaluation samples, not a bias by which the two checkpoints differ."
        f" **n** is the number of these samples, {len(along.rows):,} real ones here."
    )
    bands = {
        "precision α": (along.alpha, along.alpha_low, along.alpha_high),
        "recall β": (along.beta, along.beta_low, along.beta_high),
    }
    panes = [
        Pane(
            "triage-pair-curves",
            pair_curves_figure((a.curve, b.curve), _names(a, b)),
            "Both curves",
            square=True,
            alt=f"Precision against recall of {a.checkpoint.name} and {b.checkpoint.name}.",
        )
    ]
    for quantity, band in bands.items():
        figure = pair_difference_figure(along.lam, *band, quantity=quantity, level=CONFIDENCE)
        word = quantity.split()[0]
        reach = f"from {band[0].min():+.3f} to {band[0].max():+.3f}"
        alt = (
            f"{word} of A minus that of B along lambda, {reach}; the sentence above says where it"
            " is sure."
        )
        panes.append(
            Pane(f"triage-pair-{word}", figure, f"Difference of {word}, A minus B", alt=alt)
        )
    live_figure("triage-pair", panes)


def _numbers(compared: Compared) -> None:
    """Draw a table of every summary of both curves, with the interval of the difference."""
    rows = []
    for each in SUMMARIES:
        one = compared.summaries[each.key]
        if one.low > 0:
            larger = f"{PAIR_SIGNS[0]} A"
        elif one.high < 0:
            larger = f"{PAIR_SIGNS[1]} B"
        else:
            larger = NOT_TOLD
        rows.append(
            (each.label, one.a, one.b, one.difference, one.low, one.high, larger, each.explanation)
        )
    number = st.column_config.NumberColumn
    text = st.column_config.TextColumn
    config = {
        "summary": text("Summary"),
        "a": number("A", format="%.3f", width=70),
        "b": number("B", format="%.3f", width=70),
        "difference": number("A minus B", format="%.3f", width=90),
        "low": number(f"{100 * CONFIDENCE:g} % from", format="%.3f", width=85),
        "high": number("to", format="%.3f", width=70),
        "says": text("Which is larger"),
        "means": text("What it is"),
    }
    st.markdown("##### Every number of the two curves")
    st.dataframe(
        pd.DataFrame(rows, columns=list(config)),
        hide_index=True,
        column_config=config,
        height="content",
        key="triage-pair-summaries",
        **described("Summaries of both curves and their paired differences"),
    )
    st.caption(
        "The ends are those of the draws of the difference, for each number by itself: of ten"
        " numbers of equal checkpoints one or the other may leave out 0 by chance."
    )


# ---- the choice of the two checkpoints ----


def _choose(found: CheckpointResults) -> tuple[str, str]:
    """Draw the choice of the two checkpoints to compare, and return their names.

    By default the selected checkpoint and the best other one; without a selection, the best two.
    """
    best = by_score(found)
    name = selected(found)
    kept = session()
    if kept.pair_selected != name:
        kept.pair_chosen = None
    pair = kept.pair_chosen
    if pair is None or not set(pair) <= set(best):
        pair = (name, next(each for each in best if each != name)) if name else (best[0], best[1])
    kept.pair_selected = name
    kept.pair_shown = pair
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for place, key in enumerate(PAIR):
            st.session_state[key] = pair[place]
            label = f"{'AB'[place]} {PAIR_SIGNS[place]}"
            st.selectbox(label, found.names, key=key, on_change=_take, args=(place,))
        st.button("Swap", icon=":material/swap_horiz:", on_click=_swap, key="triage-pair-swap")
    return pair


def _take(place: int) -> None:
    """Callback: make the chosen checkpoint A or B of the pair. Choosing the checkpoint that is the
    other one swaps the two.
    """
    pair = list(session().pair_shown)
    chosen = st.session_state[PAIR[place]]
    if chosen == pair[1 - place]:
        pair[1 - place] = pair[place]
    pair[place] = chosen
    session().pair_chosen = pair[0], pair[1]


def _swap() -> None:
    a, b = session().pair_shown
    session().pair_chosen = b, a


def _compared(
    found: CheckpointResults, a: MeasuredCheckpoint, b: MeasuredCheckpoint
) -> Compared | None:
    key = ("triage-pair", *(measurement(found.settings, each) for each in (a, b)), BOOTSTRAP)
    runs = len(a.estimate.runs)
    n = len(a.estimate.supports.c_real) / 2
    seconds = BOOTSTRAP * (2 * runs * (BASE_SECONDS + SAMPLE_SECONDS * n) + _SUMMARY_SECONDS)

    def compute(progress: Progress) -> Compared:
        curves = compare_curves(
            a, b, BOOTSTRAP, found.settings.seed, CONFIDENCE, part_of(progress, 0, 2)
        )
        along = difference_of(a, b, curves)
        progress(0.75)
        areas = [math.inf if most is None else most for most in map(found.most, (a, b))]
        return Compared(along, {**curves.differences, "auc": curves.difference("auc", *areas)})

    return answers.tab_result(key, seconds, compute)


# ---- texts and pictures ----


def _names(a: MeasuredCheckpoint, b: MeasuredCheckpoint) -> tuple[str, str]:
    return a.checkpoint.name, b.checkpoint.name


def _where(along: PairedDifference, better: Any) -> str:
    if better.all():
        return "at every λ"
    precise = better[along.lam > 1]
    complete = better[along.lam < 1]
    sides = [("the precision side (λ > 1)", precise), ("the recall side (λ < 1)", complete)]
    parts = [
        f"on {'' if half.all() else f'{100 * max(half.mean(), 0.01):.0f} % of the rays on '}{name}"
        for name, half in sides
        if half.any()
    ]
    return " and ".join(parts)


def _samples(
    found: CheckpointResults, a: MeasuredCheckpoint, b: MeasuredCheckpoint, along: PairedDifference
) -> None:
    st.markdown("##### Real samples that only one of the two covers")
    st.caption(
        f"Of the {len(along.rows):,} real evaluation samples. A checkpoint covers a sample if it is"
        f" at least {COVERED:g} times as dense there as the real samples are, by this family's"
        " estimate. Samples for which the two differ most come first. Rows are counted from 1."
    )
    evaluated = _evaluated(found, a.method)[along.rows]
    columns = st.columns(2)
    for place, (column, places) in enumerate(
        zip(columns, (along.only_a, along.only_b), strict=True)
    ):
        name = _names(a, b)[place]
        rows = evaluated[places]
        letter = "AB"[place]
        with column:
            st.markdown(
                f"**{PAIR_SIGNS[place]} Only {letter} covers {len(rows):,}** ({plain(name)})"
            )
            if not len(rows):
                st.caption(f"Whatever {letter} covers, {'BA'[place]} covers too.")
                continue
            shown = rows[:MOST_SHOWN].tolist()
            gallery.tiles(
                found.reference, shown, media.shown(found.reference, shown, found.uploaded), "real"
            )
            if len(rows) > MOST_SHOWN:
                st.caption(f"The first {MOST_SHOWN} of {len(rows):,}; the file has all.")
            st.download_button(
                "All as CSV",
                partial(only_csv, found, rows, name),
                f"prviz-only-{letter.lower()}.csv",
                "text/csv",
                on_click="ignore",
                key=f"triage-pair-csv-{letter}",
            )


def _evaluated(found: CheckpointResults, method: str) -> Any:
    """Row numbers of the real samples on which a family is evaluated, which are the same for every
    checkpoint.
    """
    pair = SamplePair(found.reference, found.reference)
    return judged(method, pair.split(found.settings.split, found.settings.seed)).evaluate_rows[0]


def only_csv(found: CheckpointResults, rows: Any, name: str) -> str:
    """CSV of the real samples that only one of the two checkpoints covers: row (counted from 1),
    labels, and the checkpoint's name.
    """
    labels = {key: column[rows] for key, column in found.reference.labels.items()}
    table = pd.DataFrame(
        {**labels, "only covered by": [name] * len(rows)},
        index=pd.Index(np.asarray(rows) + 1, name="row"),
    )
    return table_csv(table)
