"""Figures of the rows so far: the map of winners, the ranking on fewer samples, the agreement between families."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pages._live.figure import Pane, live_figure
from pages._triage import ranked
from pages._triage import robustness_text as words
from pages._triage.checkpoints import CheckpointResults
from pages._triage.link import KEEP
from pages._triage.robustness_form import RobustnessGrid
from prviz import figures
from prviz.estimators import ESTIMATORS
from prviz.figures import Contender
from prviz.triage.robustness import WinnerMap, draw_map, kendall_between_families, rank_stability, winner_map
from prviz.triage.stability import full_rows, rows_in_use, scored


def draw(
    rows: pd.DataFrame, complete: bool, names: Sequence[str], grid: RobustnessGrid, found: CheckpointResults
) -> None:
    goal = ranked.goal()
    st.caption(
        f"{words.goal(goal)}. A checkpoint's score is (1 − g) P + g R with the goal g, from 0 to 1, and the largest "
        "wins. P and R are the halves of the area under its precision-recall curve, each doubled: P where precision is "
        "the larger of the two, R where recall is."
    )
    table, contenders = scored(rows, goal), _contenders(names)
    _winners(full_rows(table), complete, names, grid, found, contenders)
    _fewer(table, complete, names, grid, found, contenders)
    _agreement(full_rows(rows_in_use(table)), names, grid)


def _contenders(names: Sequence[str]) -> dict[str, Contender]:
    """Letter and colour of every checkpoint, by its place in the list."""
    color = figures.colors(names)
    return {name: Contender(words.sign(place), color[name]) for place, name in enumerate(names)}


def _signs(contenders: Mapping[str, Contender]) -> dict[str, str]:
    return {name: each.sign for name, each in contenders.items()}


def _complete_rows(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The rows, or none of them while a checkpoint has none: its winner would not be the winner of all."""
    return rows if rows["checkpoint"].nunique() == len(names) else rows[:0]


# ---- over families and k ----


def _winners(
    rows: pd.DataFrame,
    complete: bool,
    names: Sequence[str],
    grid: RobustnessGrid,
    found: CheckpointResults,
    contenders: Mapping[str, Contender],
) -> None:
    st.subheader("Who wins, by family and k", anchor=False)
    try:
        won = winner_map(_complete_rows(rows, names))
    except ValueError:
        st.caption("The map begins when every checkpoint is measured by one family.")
        return
    st.markdown(("" if complete else "So far: ") + words.verdict(won, _signs(contenders)))
    if settings := words.in_use(won, found.method, _ks_in_use(found), _signs(contenders)):
        st.markdown(settings)
    every = sorted({*grid.ks, *(k for k in won.ks if k is not None)})
    ks: list[int | None] = [*every] if any(k is not None for k in won.ks) else [None]
    winners, flips, tooltips = _map_cells(won, grid.methods, ks)
    figure = figures.winners_figure(
        winners,
        flips,
        tooltips,
        contenders,
        rows=[ESTIMATORS[name].title for name in grid.methods],
        columns=["any" if k is None else str(k) for k in ks],
        column_title="neighbours k",
    )
    caption = (
        "Each cell: the checkpoint with the largest score by that family at that k, all samples used; hover it to "
        "see by how much it is ahead. The verdict is who wins most cells; a family without k counts at every k. A "
        "dashed border: another checkpoint than the verdict wins there."
    )
    live_figure("firmness-winners", [Pane("winners", figure, caption=caption, wide=True)])
    _cell_table(won)


def _ks_in_use(found: CheckpointResults) -> list[int]:
    """Values of k in the measurements: several if k follows the sizes of the sets and these differ."""
    return sorted({each.k for each in found.measured if each.k is not None})


def _map_cells(
    found: WinnerMap, methods: Sequence[str], ks: Sequence[int | None]
) -> tuple[list[list[str | None]], list[list[bool]], list[list[str]]]:
    """Winner, flip and tooltip of every cell of the requested grid; cells not yet measured are None, False and ""."""
    row = {name: place for place, name in enumerate(found.methods)}
    column = {k: place for place, k in enumerate(found.ks)}
    winners: list[list[str | None]] = []
    flips: list[list[bool]] = []
    tooltips: list[list[str]] = []
    for method in methods:
        places = [(row[method], column[k]) if method in row and k in column else None for k in ks]
        winners.append([None if place is None else found.winners[place] for place in places])
        flips.append([place is not None and bool(found.flips[place]) for place in places])
        title = figures.plain(ESTIMATORS[method].title)
        heads = [f"{title}, k = {k}" if k is not None else title for k in ks]
        tooltips.append(
            [
                "" if p is None else f"{head}<br>{_ahead(found.margins[p])}"
                for head, p in zip(heads, places, strict=True)
            ]
        )
    return winners, flips, tooltips


def _ahead(margin: float) -> str:
    if math.isnan(margin):
        return "nobody else"
    return f"ahead of the next by {margin:.3f}" if margin >= 0.0005 else f"ahead of the next by only {margin:.1g}"


def _cell_table(found: WinnerMap) -> None:
    with st.expander("Every cell as a table"):
        listed = [
            (ESTIMATORS[method].title, k, found.winners[r, c], found.margins[r, c], bool(found.flips[r, c]))
            for r, method in enumerate(found.methods)
            for c, k in enumerate(found.ks)
            if found.winners[r, c] is not None
        ]
        table = pd.DataFrame(listed, columns=["family", "k", "winner", "ahead by", "flips"])
        st.dataframe(table.round({"ahead by": 4}), hide_index=True)


# ---- on fewer samples ----


def _fewer(
    rows: pd.DataFrame,
    complete: bool,
    names: Sequence[str],
    grid: RobustnessGrid,
    found: CheckpointResults,
    contenders: Mapping[str, Contender],
) -> None:
    if not grid.shares:
        return
    st.subheader("Who wins on fewer samples", anchor=False)
    method = _family(grid, found)
    own = rows_in_use(_complete_rows(rows, names), method)
    try:
        stability, drawn = rank_stability(own), draw_map(own)
    except ValueError:
        st.caption("This begins when every checkpoint is measured on one subsample.")
        return
    if float(own["share"].max()) < 1.0:
        return
    text = words.fewer_samples(stability, method, drawn.verdict, _signs(contenders))
    st.markdown(("" if complete else "So far: ") + text)
    live_figure("firmness-fewer", _fewer_panes(drawn, stability, contenders))
    with st.expander("These numbers as a table"):
        shown = stability.rename(columns={"tau": "Kendall's τ", "same_winner": "same winner", "winner": "most wins"})
        st.dataframe(shown.round(3), hide_index=True)


def _family(grid: RobustnessGrid, found: CheckpointResults) -> str:
    """The selected family, or another one measured here."""
    first = found.method if found.method in grid.methods else grid.methods[0]
    if len(grid.methods) == 1:
        return first
    key = f"firmness.family.{first}"
    if st.session_state.get(key) not in grid.methods:
        st.session_state.pop(key, None)
    chosen = st.segmented_control(
        "Family in this part",
        grid.methods,
        format_func=lambda name: ESTIMATORS[name].title,
        default=first,
        required=True,
        key=key,
        **KEEP,
    )
    return chosen if chosen in grid.methods else first


def _fewer_panes(drawn: WinnerMap, stability: pd.DataFrame, contenders: Mapping[str, Contender]) -> list[Pane]:
    tooltips = [
        [
            "" if drawn.winners[r, c] is None else f"{each}, n = {n:,}<br>{_ahead(drawn.margins[r, c])}"
            for c, n in enumerate(drawn.ks)
        ]
        for r, each in enumerate(drawn.methods)
    ]
    winners = figures.winners_figure(
        drawn.winners.tolist(),
        drawn.flips.tolist(),
        tooltips,
        contenders,
        rows=list(drawn.methods),
        columns=[f"{n:,}" for n in drawn.ks],
        column_title="real samples n",
        flipped="dashed border: not the winner of all samples",
    )
    lines = figures.fewer_samples_figure(*(stability[name].tolist() for name in ("n", "same_winner", "tau")))
    return [
        Pane(
            "draws",
            winners,
            "The winner of every draw",
            "Each draw takes another part of the real and of the generated samples, the same real ones for all "
            "checkpoints; k follows n as the settings say. A dashed border: not the winner of all samples.",
            half=True,
        ),
        Pane(
            "fewer",
            lines,
            "How far the ranking holds",
            "Solid line: share of the draws won by the winner of all samples. Dotted line: Kendall's τ, how alike the "
            "order of a draw is to that of all samples, mean over the draws: 1 the same order, 0 unrelated, −1 "
            "reversed. Draws of half the samples have many in common, so they are more alike than fresh ones would be.",
            half=True,
        ),
    ]


# ---- between families ----


def _agreement(rows: pd.DataFrame, names: Sequence[str], grid: RobustnessGrid) -> None:
    if len(grid.methods) < 2:
        return
    st.subheader("Do the families agree?", anchor=False)
    whole = rows.groupby("method")["checkpoint"].nunique()
    known = [name for name in grid.methods if whole.get(name, 0) == len(names)]
    if len(known) < 2:
        st.caption("This begins when two families have measured every checkpoint.")
        return
    table = kendall_between_families(rows[rows["method"].isin(known)]).reindex(index=known, columns=known)
    st.markdown(words.agreement(table))
    figure = figures.agreement_figure(known, table.to_numpy().tolist())
    caption = (
        "Kendall's τ between the orders in which two families put the checkpoints, all samples and the k in use: of "
        "all pairs of checkpoints, the share ordered alike less the share ordered the other way round. 1: the same "
        "order, 0: unrelated, −1: reversed."
        + (" Of two checkpoints it can only be 1 or −1." if len(names) == 2 else "")
    )
    live_figure("firmness-agreement", [Pane("agreement", figure, caption=caption, wide=len(known) > 6)])
