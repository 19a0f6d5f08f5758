"""Part of the Triage page: which checkpoint is best for a goal, and how sure the samples are of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages._live.figure import Pane, live_figure
from pages._shared.text import plain
from pages._triage import ranked
from pages._triage.checkpoints import NONE_YET, CheckpointResults, select, selected
from pages._triage.ranked import BOOTSTRAP, CONFIDENCE, GOAL, RankingTable
from prviz.estimators import ESTIMATORS
from prviz.figures.triage_ranking import RankedLine, ranking_figure, sides_figure
from prviz.triage.ranking import listed, verdict
from prviz.triage.robustness import kendall_between_families

PRESETS = {"Precision first": 0.0, "Balanced: AuC": ranked.BALANCED, "Recall first": 1.0}
PRESET, TABLE = "triage-goal-preset", "triage-ranking-table"
_SHOWN = "_triage-ranking-shown"
# Visible rows of the table, and their height in pixels.
MOST_ROWS = 12
_ROW_PIXELS = 35
_BEST = "Share of the resamplings in which this checkpoint has the highest score; ties are divided equally."


def show(found: CheckpointResults) -> None:
    if not found.measured:
        st.info(NONE_YET)
        return
    _choose_goal()
    made = ranked.ranked(found)
    if made is None:
        return
    _show_verdict(found, made)
    _table(found, made.table)
    _figures(found, made.table)
    _explained(found, made)


# ---- the goal ----


def _choose_goal() -> None:
    """Draw the goal's slider, and buttons for its ends and its middle."""
    st.session_state.setdefault(GOAL, ranked.BALANCED)
    now = {value: name for name, value in PRESETS.items()}.get(st.session_state[GOAL])
    if st.session_state.get(PRESET) != now:
        st.session_state[PRESET] = now
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control("What the best is to be best at", list(PRESETS), key=PRESET, on_change=_take_preset)
        st.slider(
            "Goal g, from precision first (0) to recall first (1)",
            0.0,
            1.0,
            step=0.05,
            key=GOAL,
            persist_state="session",
            help="The score is (1 - g) times the precision side of a curve plus g times its recall side.",
        )


def _take_preset() -> None:
    name = st.session_state.get(PRESET)
    if name in PRESETS:
        st.session_state[GOAL] = PRESETS[name]


# ---- the verdict ----


def _show_verdict(found: CheckpointResults, made: RankingTable) -> None:
    text = verdict(made.table, plain)
    if len(made.table) < 2:
        st.info(text, icon=":material/hourglass_empty:")
    elif made.table["tied_with_best"].iloc[0]:
        st.warning(text, icon=":material/balance:")
    else:
        st.success(text, icon=":material/trophy:")
    for words in (_so_far(found, made), _families(found)):
        if words:
            st.markdown(words)


def _so_far(found: CheckpointResults, made: RankingTable) -> str:
    """Text on the results that the ranking lacks so far."""
    left, new = found.total - len(found.outcomes), len(found.measured) - len(made.table)
    words = [f"**So far:** a ranking of the {len(made.table)} measured first"] if left or new else []
    words += [f"{left} more are still to come"] if left else []
    words += [f"{new} are being worked in"] if new else []
    few = f"from {made.bootstrap} resamplings for now, {BOOTSTRAP} in the end" if made.bootstrap < BOOTSTRAP else ""
    return f"{'; '.join(filter(None, [*words, few]))}." if words or few else ""


def _families(found: CheckpointResults) -> str:
    """Text that says if the families agree; empty for one family."""
    methods, known, wanted = found.settings.methods, ranked.sides_of(found), ranked.goal()
    shared = sorted(set.intersection(*(set(known[method]) for method in methods)))
    if len(methods) < 2 or len(shared) < 2:
        return ""
    rows = pd.DataFrame(
        [(name, method, known[method][name].score(wanted)) for method in methods for name in shared],
        columns=["checkpoint", "method", "score"],
    )
    first: dict[str, list[str]] = {}
    for method, own in rows.groupby("method", sort=False):
        best = own.sort_values(["score", "checkpoint"], ascending=[False, True])["checkpoint"].iloc[0]
        first.setdefault(best, []).append(plain(ESTIMATORS[str(method)].title))
    if len(first) == 1:
        words = f"All {len(methods)} families put **{plain(next(iter(first)))}** first."
    else:
        each = [f"**{plain(name)}** is first by {listed(titles)}" for name, titles in first.items()]
        words = f"The families don't agree on the best: {'; '.join(each)}."
    return f"{words}{_taus(rows)} *How firm is it?* looks closer."


def _taus(rows: pd.DataFrame) -> str:
    taus = kendall_between_families(rows).to_numpy()
    taus = taus[np.triu_indices(len(taus), 1)]
    taus = taus[np.isfinite(taus)]
    if not len(taus):
        return ""
    low, high = f"{taus.min():.2f}", f"{taus.max():.2f}"
    between = f"is {low}" if low == high else f"lies between {low} and {high}"
    return f" Between their orders of all checkpoints Kendall's τ {between} (1: the same order, -1: the reverse)."


# ---- the table ----


def _table(found: CheckpointResults, table: pd.DataFrame) -> None:
    """Draw the table, best first; the selected row is the selected checkpoint."""
    names = table["checkpoint"].tolist()
    st.session_state[_SHOWN] = names
    name = selected(found)
    rows = [names.index(name)] if name in names else []
    if _rows() != rows:
        st.session_state[TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    shown = _cells(table)
    st.dataframe(
        shown.drop(columns=["step"] * bool(table["step"].isna().all())),
        hide_index=True,
        column_config=_columns(),
        height=_ROW_PIXELS * (min(len(shown), MOST_ROWS) + 1) + 3,
        key=TABLE,
        on_select=_take_row,
        selection_mode="single-row",
        alt="Ranking of the checkpoints, best first",
    )


def _cells(table: pd.DataFrame) -> pd.DataFrame:
    """The table's cells, one row per checkpoint."""
    return pd.DataFrame(
        {
            "place": range(1, len(table) + 1),
            "checkpoint": table["checkpoint"],
            "step": table["step"],
            "score": table["score"],
            "low": table["low"],
            "high": table["high"],
            "best": 100 * table["best"],
            "against": [_against(place, row) for place, row in enumerate(table.to_dict("records"))],
            "front": np.where(table["front"], "by none", "by another"),
            "ties": table["ties"],
        }
    )


def _columns() -> dict[str, Any]:
    percent = f"{100 * CONFIDENCE:g} %"
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "place": number("Place", width=60),
        "checkpoint": text("Checkpoint"),
        "step": number("Step", width=70),
        "score": number("Score", format="%.3f", width=70),
        "low": number(f"{percent} from", format="%.3f", width=85, help="Lower end of the score's interval."),
        "high": number("to", format="%.3f", width=70, help="Upper end of the score's interval."),
        "best": number("Probability of being best", format="%.1f %%", width=165, help=_BEST),
        "against": text("Against the best"),
        "front": text(
            "Beaten on both sides?", help="By another checkpoint that is better in precision and in recall at once."
        ),
        "ties": text("Ties"),
    }


def _rows() -> list[int]:
    """The rows of the table that are selected."""
    state = st.session_state.get(TABLE) or {}
    return list(state.get("selection", {}).get("rows", []))


def _take_row() -> None:
    names, rows = st.session_state.get(_SHOWN, []), _rows()
    select(names[rows[0]] if rows and rows[0] < len(names) else None)


def _against(place: int, row: Mapping[Hashable, Any]) -> str:
    if place == 0:
        return "highest score, not alone at this n" if row["tied_with_best"] else "the best"
    return "can't be told apart from the best at this n" if row["tied_with_best"] else "worse than the best"


# ---- the figures ----


def _figures(found: CheckpointResults, table: pd.DataFrame) -> None:
    fields = ["checkpoint", "score", "low", "high", "tied_with_best", "front", "precision", "recall"]
    lines = [RankedLine(*row) for row in table[fields].itertuples(index=False, name=None)]
    name, front = selected(found), table["checkpoint"][table["front"]].tolist()
    panes = [
        Pane(
            "triage-ranking-intervals",
            ranking_figure(lines, selected=name, level=CONFIDENCE),
            f"Scores and their {100 * CONFIDENCE:g} % intervals, best first",
            "The numbers of the table. The dashed line is the score of the best.",
            half=True,
        ),
        Pane(
            "triage-ranking-sides",
            sides_figure(lines, ranked.goal(), selected=name),
            "Precision side against recall side",
            f"Up and to the right is better. {_beaten(len(front), len(lines))} Everything on the dashed line would "
            "score as much as the best at this goal; the slider turns it.",
            half=True,
        ),
    ]
    live_figure("triage-ranking", panes)


def _beaten(front: int, of: int) -> str:
    if of == 1:
        return ""
    if front == 1:
        return "One (filled) beats all others in both directions: it is best at every goal."
    return f"{front} of {of} (filled, on the dotted stairs) are beaten by no other in both directions."


# ---- what it means ----


def _explained(found: CheckpointResults, made: RankingTable) -> None:
    st.caption(
        f"**The interval** holds {100 * CONFIDENCE:g} % of the scores that came out when the evaluation samples were "
        f"drawn again, with replacement, {made.bootstrap} times, the real ones together for all checkpoints. It covers "
        "the choice of these samples alone: not the samples that the family was fitted on, and not its bias, which "
        "cancels between two checkpoints as far as both have the same. Overview resamples each checkpoint by "
        f"itself, so its intervals differ a little.\n\n{_told_apart(len(made.table))} **n** is the number of "
        f"evaluation samples: {_sizes(found)}."
    )
    with st.expander("What is the score?", icon=":material/help:"):
        st.markdown(
            "Each ray from the origin of the precision-recall plane meets a curve in one point; there precision is α, "
            "recall β, and λ = α / β says which of the two is the larger.\n"
            "- **P**, the precision side, sums up the half of the curve with λ ≥ 1: the mean of α² over its rays, even "
            "in 1 / λ.\n"
            "- **R**, the recall side, sums up the half with λ ≤ 1: the mean of β² over its rays, even in λ.\n"
            "- **Score** = (1 - g) P + g R, with the goal g. At g = 0.5 it is AuC, the area under the curve.\n\n"
            "All are between 0 and 1; 1 is a perfect generator. A curve that lies above another everywhere scores at "
            "least as much at every goal, and the best at any goal is beaten by none on both sides at once."
        )


def _told_apart(count: int) -> str:
    if count < 2:
        return ""
    return (
        f"**Told apart** are two whose difference is larger than any that chance alone would show between any two of "
        f"{count} equal checkpoints, in {100 * CONFIDENCE:g} % of the cases. Intervals of two that are told apart may "
        "overlap, since both are compared on the same real samples; and one may come out best almost always without "
        "being told apart, since of many equal ones some pair always looks different."
    )


def _sizes(found: CheckpointResults) -> str:
    first = [each.estimate.supports for each in found.measured]
    generated = sorted({len(run.c_real) - run.n_real for run in first})
    between = f"{generated[0]:,}" + (f" to {generated[-1]:,}" if len(generated) > 1 else "")
    return f"{first[0].n_real:,} real and {between} generated"
