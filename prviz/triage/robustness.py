"""How far a verdict on the best checkpoint holds over families and k, and on fewer samples. Pure
functions of a table of scores.

The table's columns are checkpoint, method, k and score (larger is better), and n and repeat where
checkpoints were measured on subsamples.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prviz.triage.ranking import ROUNDING

if TYPE_CHECKING:
    import pandas as pd


class MapCell(NamedTuple):
    """A cell of a map of winners, in which every checkpoint was measured.

    row, column : the cell's indices, from 0.
    winner : the name of the best checkpoint; None where its lead is within noise, so that the cell
        counts for none.
    margin : the best score minus the second best; 0 if two are best, nan if only one was measured.
    flips : True where another checkpoint than the map's verdict wins.
    """

    row: int
    column: int
    winner: str | None
    margin: float
    flips: bool


class WinnerMap(NamedTuple):
    """The best checkpoint for every family and k; in `draw_map`, for every draw and size.

    methods, ks : the rows, in the order of the input, and the columns, increasing; in `draw_map`
        draws and sizes.
    verdict : the winner of most cells (two winners of one cell count half each); of several such,
        the one with the largest mean score. In `draw_map` the winner with all samples.
    """

    methods: tuple[str, ...]
    ks: tuple[int | None, ...]
    cells: tuple[MapCell, ...]
    verdict: str

    @property
    def won(self) -> list[MapCell]:
        """The cells with a winner."""
        return [cell for cell in self.cells if cell.winner is not None]

    @property
    def share(self) -> float:
        """Share of the cells with a winner in which the verdict wins."""
        return 1.0 - sum(cell.flips for cell in self.won) / len(self.won)


def winner_map(rows: pd.DataFrame, noise: float = 0.0) -> WinnerMap:
    """The winner for every family and k, and the cells that the overall winner loses.

    rows : one score per checkpoint, method and k, or several repeats, which are averaged. A family
        without k fills every column of its row. Cells in which some checkpoints were not measured
        are left out.
    noise : largest lead that counts as chance: such cells have no winner, unless all are such.
    """
    methods = tuple(dict.fromkeys(rows["method"]))
    numbers = sorted({int(k) for k in rows["k"].dropna()})
    ks: tuple[int | None, ...] = tuple(numbers) or (None,)
    everyone = rows["checkpoint"].nunique()
    cells = {}
    for row, method in enumerate(methods):
        own = rows[rows["method"] == method]
        for column, k in enumerate(ks):
            if k is None or own["k"].isna().all():
                cell = own[own["k"].isna()]
            else:
                cell = own[own["k"] == k]
            means = cell.groupby("checkpoint")["score"].mean()
            if len(means) == everyone:
                cells[row, column] = means
    if not cells:
        raise ValueError(
            "rows has no family and k at which every checkpoint was measured; there is no winner"
        )
    close = {place for place, means in cells.items() if noise > 0.0 and _lead(means) <= noise}
    if len(close) == len(cells):
        close = set()
    verdict = _verdict([means for place, means in cells.items() if place not in close])
    return _map(methods, ks, cells, verdict, close)


def _map(
    methods: tuple[str, ...],
    ks: tuple[int | None, ...],
    scores: dict[tuple[int, int], pd.Series[float]],
    verdict: str,
    close: Container[tuple[int, int]] = (),
) -> WinnerMap:
    """The winner of each cell (row, column) by the scores of all checkpoints in it; no winner in
    cells of `close`.
    """
    cells = []
    for place, means in scores.items():
        winner = None
        if place not in close:
            best = _best(means)
            winner = verdict if verdict in best else best[0]
        cells.append(MapCell(*place, winner, _lead(means), winner not in (None, verdict)))
    return WinnerMap(methods, ks, tuple(cells), verdict)


def _lead(means: pd.Series[float]) -> float:
    """The best score minus the second best; nan if only one checkpoint was measured."""
    if len(means) < 2:
        return float("nan")
    next_best, first = np.sort(means.to_numpy(dtype=float))[-2:]
    return float(first - next_best)


def kendall_between_families(rows: pd.DataFrame) -> pd.DataFrame:
    """Kendall's tau between the rankings of every two families: 1 the same order, -1 the reverse, 0
    unrelated.

    rows : as in `winner_map`; the scores of a family are averaged over k and repeats. tau is tau-b,
    which corrects for equal scores.

    Returns a table of families by families, the diagonal 1; nan where two share fewer than two
    checkpoints, or one of the two scores all of them equally.

    Source: Kendall 1945, The treatment of ties in ranking problems.
    """
    methods = list(dict.fromkeys(rows["method"]))
    means = rows.groupby(["checkpoint", "method"])["score"].mean().unstack("method")
    table = means[methods].corr("kendall")
    for name in methods:
        table.loc[name, name] = 1.0
    return table.rename_axis(index=None, columns=None)


def rank_stability(rows: pd.DataFrame) -> pd.DataFrame:
    """Stability of the ranking of one family on fewer samples.

    rows : checkpoint, n, repeat, score, one per checkpoint in every draw (n, repeat). The mean
        score over the draws of the largest n is the reference. Draws in which some checkpoints were
        not measured are left out.

    Returns a line per n, increasing: n, draws (their number), tau (mean of Kendall's tau between a
    draw and the reference, over the draws in which it is defined; nan: in none), same_winner (share
    of the draws that the winner of the reference wins; a draw with several winners counts in part),
    winner (of most draws).

    Raises ValueError: there is no draw in which every checkpoint was measured.
    """
    import pandas as pd

    table = _draws(rows)
    sizes = table.index.get_level_values("n")
    reference = table[sizes == sizes.max()].mean()
    first = _best(reference)[0]
    lines = []
    for n in sorted(set(sizes)):
        scores = [draw for _, draw in table[sizes == n].iterrows()]
        wins = [(first in best) / len(best) for best in map(_best, scores)]
        taus = table[sizes == n].corrwith(reference, axis=1, method="kendall")
        lines.append(
            {
                "n": int(n),
                "draws": len(scores),
                "tau": float(taus.mean()),
                "same_winner": float(np.mean(wins)),
                "winner": _verdict(scores),
            }
        )
    return pd.DataFrame(lines)


def draw_map(rows: pd.DataFrame) -> WinnerMap:
    """The winner of one family in every draw on fewer samples, and the draws that the winner with
    all samples loses.

    rows : as in `rank_stability`; the draws of the largest n give the verdict and no cells.
    """
    table = _draws(rows)
    sizes = table.index.get_level_values("n")
    verdict = _best(table[sizes == sizes.max()].mean())[0]
    fewer = table[sizes < sizes.max()]
    if not len(fewer):
        raise ValueError("rows has no draw on fewer samples in which every checkpoint was measured")
    repeats, ns = (
        sorted({int(each) for each in fewer.index.get_level_values(name)})
        for name in ("repeat", "n")
    )
    cells = {
        (repeats.index(repeat), ns.index(n)): scores for (n, repeat), scores in fewer.iterrows()
    }
    return _map(tuple(f"draw {repeat + 1}" for repeat in repeats), tuple(ns), cells, verdict)


def _draws(rows: pd.DataFrame) -> pd.DataFrame:
    """Scores by draw (n, repeat) and checkpoint, without draws in which a checkpoint was not
    measured.
    """
    table = rows.pivot(index=["n", "repeat"], columns="checkpoint", values="score").dropna()
    if not len(table):
        raise ValueError("rows has no draw in which every checkpoint was measured")
    return table


def _best(means: pd.Series[float]) -> list[str]:
    """The names of the best checkpoints, equal but for rounding, in alphabetical order."""
    return sorted(means.index[means >= means.max() - ROUNDING])


def _verdict(cells: list[pd.Series[float]]) -> str:
    """The winner of most cells; among several the one of the largest mean score, then the first by
    name.
    """
    won = {str(name): 0.0 for name in cells[0].index}
    for means in cells:
        best = _best(means)
        for name in best:
            won[name] += 1.0 / len(best)
    total = {name: float(np.mean([means[name] for means in cells])) for name in won}
    return min(won, key=lambda name: (-round(won[name], 9), -total[name], name))
