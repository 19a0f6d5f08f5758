"""The ranking, a table that the browser draws (pages/_triage/table.js), and the user's choices in
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages._live.figure import load_published, told_by
from pages._triage.session import CheckpointChoice
from prviz.live.modules import as_text, bundle

KEY = "triage-ranking"
# Name of the group of linked views: a checkpoint under the pointer in one of them is highlighted in
# the table and in all figures.
GROUP = "triage"
# Colours of the compared checkpoints, the same in every view. At most this many are compared; the
# first colour is that of the selected checkpoint.
COLORS = ("#0072B2", "#B84A00", "#009E73", "#8561C5")
_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "prviz_checkpoints",
    html='<div class="ranking" data-prviz="ranking"></div>',
    css=(_FOLDER / "table.css").read_text(encoding="utf-8"),
    js=load_published(bundle(_FOLDER / "table.js"), announced=False),
    isolate_styles=False,
)


def draw(
    rows: Sequence[Mapping[str, Any]],
    families: Sequence[Mapping[str, Any]],
    *,
    spread: str,
    ceiling: float | None,
    choice: CheckpointChoice,
    compared: Sequence[str],
) -> None:
    """Draw the ranking. When the user changes the choice in the browser, `choice` is updated.

    rows, families : the checkpoints and the columns of scores, in the form that
    pages/_triage/table.js reads.
    spread : title of the column with the scores' intervals. compared : the ticked checkpoints, or
    the default ones if the user has ticked none.
    """
    content = {
        "heard": told_by(KEY, "values"),
        "group": GROUP,
        "spread": spread,
        "ceiling": ceiling,
        "families": families,
        "rows": rows,
        "choice": {
            "selected": choice.selected,
            "ticked": list(compared),
            "starred": choice.starred,
            "hidden": choice.hidden,
            "notes": choice.notes,
        },
    }

    def changed() -> None:
        values = told_by(KEY, "values")
        if isinstance(values, Mapping):
            unticked = choice.ticked is None and values.get("ticked") == list(compared)
            choice.take(values)
            if unticked:  # the user has ticked nothing: the browser has only repeated the default
                choice.ticked = None

    _component(key=KEY, data=as_text(content), default={"values": None}, on_values_change=changed)
