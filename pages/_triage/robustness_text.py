"""Sentences on the measurements of the part "How firm is it?"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from pages._shared.widgets import plain
from prviz.estimators import ESTIMATORS
from prviz.triage.ranking import listed
from prviz.triage.robustness import WinnerMap


def sign(place: int) -> str:
    """Letters that stand for a checkpoint, by its place in the list (counted from 0): A, B ... Z,
    AA, AB ...
    """
    word = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        word = chr(ord("A") + letter) + word
    return word


def goal_text(value: float) -> str:
    goals = {
        0.0: "precision first",
        0.5: "both alike: the area under the curve (AuC)",
        1.0: "recall first",
    }
    word = goals.get(value) or (
        "precision more than recall" if value < 0.5 else "recall more than precision"
    )
    return f"Goal {value:.2f}: {word}"


def percent(share: float) -> str:
    """A share as a rounded percentage. It is 0 % or 100 % only if the share is exactly 0 or 1."""
    return f"{min(max(round(100 * share), 1), 99) if 0 < share < 1 else round(100 * share)} %"


# ---- texts on the map over families and k ----


def verdict(found: WinnerMap, signs: Mapping[str, str], chance: float = 0.0) -> str:
    """A sentence on the checkpoint that wins most cells of the map, its share of the cells, and the
    largest region with another winner.
    """
    measured = len(found.won)
    wins = f"**{_named(found.verdict, signs)}**"
    close = measured < len(found.cells)
    clear = ""
    if close:
        clear = f" whose lead is more than chance ({chance:.3f})"
    cells = f"{measured} cells{clear}"
    if measured == 1:
        return f"{wins} wins in the one cell {clear.strip() or 'that is measured'}."
    if not any(cell.flips for cell in found.cells):
        return f"{wins} wins in all {cells}: whichever family and k, the verdict is the same."
    first, *more = flips(found, signs)
    others = ""
    if more:
        others = f", and to others in {len(more)} more region{'s' * (len(more) > 1)}"
    return f"{wins} wins in **{percent(found.share)}** of the {cells}; it flips to {first}{others}."


def flips(found: WinnerMap, signs: Mapping[str, str]) -> list[str]:
    """Texts on the regions of the map with another winner, the largest first. Families with equal
    regions share one text.
    """
    regions: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for row in range(len(found.methods)):
        others: dict[str, tuple[int, ...]] = {}
        for cell in found.won:
            if cell.row == row and cell.flips:
                name = str(cell.winner)
                others[name] = (*others.get(name, ()), cell.column)
        for region in others.items():
            regions.setdefault(region, []).append(row)
    ordered = sorted(regions.items(), key=lambda each: -len(each[1]) * len(each[0][1]))
    texts = []
    for (name, columns), rows in ordered:
        families = listed([plain(ESTIMATORS[found.methods[row]].title) for row in rows])
        inside = [cell for cell in found.cells if cell.row in rows and cell.column in columns]
        margin = max(cell.margin for cell in inside)
        up_to = "up to " if len(inside) > 1 else ""
        if margin >= 0.0005:
            ahead = f"ahead by {up_to}{margin:.3f}"
        else:
            ahead = f"ahead by {up_to}{margin:.1g}"
        texts.append(
            f"**{_named(name, signs)}** {_where_k(found.ks, columns)}with {families}, {ahead}"
        )
    return texts


def _where_k(ks: Sequence[int | None], columns: Sequence[int]) -> str:
    """Text that names columns of the map, such as "for k ≤ 8". Neighbouring values of k are joined
    to ranges.
    """
    if len(ks) == 1 and ks[0] is None:
        return ""
    if len(columns) == len(ks):
        return "at every k "
    breaks = [place for place in range(1, len(columns)) if columns[place] != columns[place - 1] + 1]
    starts = [0, *breaks]
    ends = [*breaks, len(columns)]
    runs = [(columns[start], columns[end - 1]) for start, end in zip(starts, ends, strict=True)]
    return f"for {listed([_run(ks, *run) for run in runs])} "


def _run(ks: Sequence[int | None], first: int, last: int) -> str:
    if first == last:
        return f"k = {ks[first]}"
    if first == 0:
        return f"k ≤ {ks[last]}"
    if last == len(ks) - 1:
        return f"k ≥ {ks[first]}"
    return f"k = {ks[first]} to {ks[last]}"


def in_use(found: WinnerMap, method: str, ks: Sequence[int], signs: Mapping[str, str]) -> str:
    """Text on the winner with the page's own settings; "" if it is the same as in the verdict.

    ks : every k that the page's settings give; empty for a family without k.
    """
    if len(ks) > 1:
        return (
            f"With the settings of this page k is √n of each checkpoint's own set, from {ks[0]} to"
            f" {ks[-1]}, so no one column here is the ranking of this page; with equal sizes"
            " one is."
        )
    k = ks[0] if ks else None
    used = (method, found.ks[0] if k is None else k)
    for cell in found.cells:
        if cell.flips and (found.methods[cell.row], found.ks[cell.column]) == used:
            how = plain(ESTIMATORS[method].title) + ("" if k is None else f", k = {k}")
            return (
                f"With the settings of this page ({how}) **{_named(str(cell.winner), signs)}** "
                "wins, in one of those cells."
            )
    return ""


def _named(name: str, signs: Mapping[str, str]) -> str:
    return f"{signs[name]}: {plain(name)}"


def firm_from(stability: pd.DataFrame) -> int | None:
    """The smallest n from which on the winner on all samples also wins every draw of n samples;
    None if there is no such n.
    """
    fewer = stability.sort_values("n", ascending=False)[1:]
    kept = None
    for n, same in zip(fewer["n"], fewer["same_winner"], strict=True):
        if same < 1:
            break
        kept = int(n)
    return kept


def fewer_samples(
    stability: pd.DataFrame, method: str, winner: str, signs: Mapping[str, str]
) -> str:
    """Text on the number of samples from which on all draws have the same winner, and on Kendall's
    τ.
    """
    ordered = stability.sort_values("n")
    most = ordered.iloc[-1]
    fewer = ordered.iloc[:-1]
    how = (
        f"With {plain(ESTIMATORS[method].title)}, the k in use and all {int(most['n']):,} real"
        " samples"
    )
    wins = f"{how} **{_named(winner, signs)}** wins"
    kept = firm_from(ordered)
    largest = fewer.iloc[-1]
    if kept is None:
        share = (
            f"{percent(1 - float(largest['same_winner']))} of the draws of n ="
            f" {int(largest['n']):,}"
        )
        text = (
            f"{wins}, but in {share} another one does: the winner depends on which samples were"
            " drawn."
        )
    elif kept == int(fewer.iloc[0]["n"]):
        text = f"{wins}, and in every draw of fewer samples too, from n = {kept:,} on."
    else:
        below = fewer[fewer["n"] < kept].iloc[-1]
        text = (
            f"{wins}; from n = {kept:,} on in all draws, at n = {int(below['n']):,} in "
            f"{percent(float(below['same_winner']))} of them."
        )
    taus = [
        f"{tau:.2f} at n = {int(n):,}"
        for n, tau in zip(fewer["n"], fewer["tau"], strict=True)
        if math.isfinite(tau)
    ]
    if taus:
        return f"{text} Kendall's τ of the whole order: {listed(taus)}."
    return text


def agreement(table: pd.DataFrame) -> str:
    """Text on the two families whose rankings agree most, and the two that agree least."""
    names = list(table.columns)
    pairs = [
        (float(table[other][one]), one, other)
        for place, one in enumerate(names)
        for other in names[place + 1 :]
    ]
    known = sorted(pair for pair in pairs if math.isfinite(pair[0]))
    if not known:
        return "No two families can be compared yet."
    if known[0][0] >= 1 - 1e-9:
        return "All families put the checkpoints in the same order."
    least, *unlike = known[0]
    most, *alike = known[-1]
    low, high = (f"{tau:.2f}".replace("-", "\N{MINUS SIGN}") for tau in (least, most))
    last, first = (
        " and ".join(plain(ESTIMATORS[name].title) for name in pair) for pair in (unlike, alike)
    )
    if len(known) == 1:
        return f"{last}: τ = {low}."
    return f"{first} (τ = {high}) agree most; {last} (τ = {low}) agree least."
