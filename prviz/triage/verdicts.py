"""A ranking in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GOALS", "listed", "marks", "verdict"]

GOALS = {"precision": 0.0, "balanced": 0.5, "recall": 1.0}
"""Goals by name."""

_MOST_NAMES = 4


def verdict(table: pd.DataFrame, told: Callable[[str], str] = str) -> str:
    """A sentence on the best checkpoint and its ties.

    table : result of `prviz.triage.ranking.ranking`. told : escapes names for markup.
    """
    best, rest = table.iloc[0], table.iloc[1:]
    name, score = told(best["checkpoint"]), f"{best['score']:.3f}"
    interval = f"interval {best['low']:.3f} to {best['high']:.3f}"
    if not len(rest):
        return f"{name} is the only one measured: score {score}, {interval}. A ranking needs two."
    ties = [told(each) for each in rest.loc[rest["tied_with_best"], "checkpoint"]]
    if ties:
        apart = f"{name} and {ties[0]} can't be told apart"
        apart = apart if len(ties) == 1 else f"{name} can't be told apart from {listed(ties, 'or')}"
        return (
            f"{apart} at this n; more samples are needed. {name} has the highest score, {score} ({interval}), and "
            f"comes out best in {_share(best['best'])}."
        )
    second = rest.iloc[0]
    return (
        f"{name} is best: score {score} ({interval}), told apart from every other. It comes out best in "
        f"{_share(best['best'])}; next is {told(second['checkpoint'])} with {second['score']:.3f}."
    )


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names as "A, B and C"; of many the first ones and the number of the rest."""
    most = _MOST_NAMES
    shown = list(names) if len(names) <= most + 1 else [*names[:most], f"{len(names) - most} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"


def marks(place: int, line: Mapping[Any, Any]) -> str:
    """Remarks on a line of a ranking: ties, and being beaten by none; place counts from 1."""
    remarks = (
        ("can't be told apart from the best", line["tied_with_best"] and place > 1),
        ("beaten in both directions by none", line["front"]),
    )
    return ", ".join(remark for remark, holds in remarks if holds)


def _share(share: float) -> str:
    """A share of the replicates in words; 0 % and 100 % only where they are exact."""
    percent = f"{100 * share:.0f} %"
    if 0 < share < 1 and percent in ("0 %", "100 %"):
        percent = "less than 1 %" if share < 0.5 else "more than 99 %"
    return f"{percent} of the resamplings"
