"""The table of checkpoints as the browser draws it (pages/_triage/table.js), and what the user
chooses in it.
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
# The group of linked views: the table and the figures.
GROUP = "triage"
# Most checkpoints that are compared at a time, and their colours in every view, the first being the
# one looked at.
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
    """Draw the table; `choice` takes over what the user chooses in it.

    rows, families : checkpoints, and columns of their scores, as pages/_triage/table.js has them.
    spread : head of the column of spreads. compared : of the choice, or in its place.
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
            if unticked:  # the browser says again what stands in the place of a choice
                choice.ticked = None

    _component(key=KEY, data=as_text(content), default={"values": None}, on_values_change=changed)
