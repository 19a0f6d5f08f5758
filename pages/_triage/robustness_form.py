"""The form of the robustness part: families, k and subsamples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from pages._triage.checkpoints import CheckpointResults
from pages._triage.link import KEEP
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.stability import REPEATS, least, usual_ks, usual_shares

# Most rows, characters and draws that one page may request of the server.
MOST_ROWS, MOST_CHARACTERS, MOST_REPEATS = 20_000, 200, 50
OFFERED = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4)


class RobustnessGrid(NamedTuple):
    """The request: families, k besides the one in use, shares of the samples, and draws of each share."""

    methods: tuple[str, ...]
    ks: tuple[int, ...]
    shares: tuple[float, ...]
    repeats: int


def chosen(found: CheckpointResults, measured: Sequence[MeasuredCheckpoint]) -> RobustnessGrid:
    """Draw the form. Raises ValueError for an entry that is no number, or for too many rows."""
    n = least(measured)
    with st.expander("Families, k and subsamples", icon=":material/tune:"):
        methods = _methods(found)
        ks = _ks(found, n)
        settings = replace(found.settings, methods=methods)
        offered = usual_shares(n, settings, OFFERED)
        shares = st.pills(
            "Shares of the samples",
            offered,
            selection_mode="multi",
            default=usual_shares(n, settings),
            format_func=lambda share: f"{_fraction(share)} (n = {round(share * found.reference.n):,})",
            key=f"firmness.shares.{n}.{found.reference.n}.{settings.k}.{settings.split}",
            help="The ranking is repeated on this share of the samples, drawn anew each time.",
            **KEEP,
        )
        repeats = st.number_input(
            "Draws at each share",
            1,
            MOST_REPEATS,
            REPEATS,
            key="firmness.repeats",
            help="In one draw all checkpoints are measured against the same real samples.",
            **KEEP,
        )
    grid = RobustnessGrid(methods, ks, tuple(sorted(shares)), int(repeats))
    rows = len(measured) * len(methods) * (len(ks) + len(shares) * grid.repeats)
    if rows > MOST_ROWS:
        raise ValueError(f"{rows:,} curves are asked for; at most {MOST_ROWS:,}: take fewer k, families or draws")
    return grid


def _methods(found: CheckpointResults) -> tuple[str, ...]:
    """Draw the choice of families that the split allows; first those measured and the default ones."""
    split = found.settings.split
    able = [name for name, each in ESTIMATORS.items() if split is not None or not each.needs_split]
    first = [name for name in able if name in found.settings.methods or name in DEFAULT_METHODS]
    chosen = st.pills(
        "Families of classifiers",
        able,
        selection_mode="multi",
        default=first,
        format_func=lambda name: ESTIMATORS[name].title,
        key=f"firmness.methods.{split}.{'.'.join(found.settings.methods)}",
        help="Those that have neighbours k are measured at every k in one go; trained classifiers take the longest.",
        **KEEP,
    )
    if not chosen:
        raise ValueError("Families of classifiers: none is chosen; at least one is needed")
    return tuple(name for name in able if name in chosen)


def _ks(found: CheckpointResults, n: int) -> tuple[int, ...]:
    usual = usual_ks(n, found.settings)
    text = st.text_input(
        "Neighbours k",
        ", ".join(map(str, usual)),
        key=f"firmness.ks.{n}.{found.settings.k}.{found.settings.split}",
        max_chars=MOST_CHARACTERS,
        help="How many nearest neighbours a ball holds: from very local to smooth. The k of the settings is measured "
        "besides, if it is not listed. KDE's radius is the mean distance to the k-th neighbour.",
        **KEEP,
    )
    parts = [part for part in re.split(r"[,;\s]+", text or "") if part]
    try:
        return tuple(sorted({int(part) for part in parts}))
    except ValueError:
        raise ValueError(f"Neighbours k: {text!r} was given; whole numbers are needed, such as 1, 4, 16") from None


def _fraction(share: float) -> str:
    top, bottom = share.as_integer_ratio()
    return f"{top}/{bottom}"
