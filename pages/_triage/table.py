"""The ranking, a table drawn in the browser (pages/_triage/table.js), and the user's choices in
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
# Name that links views: a row under the pointer stands out in the table and in all figures.
GROUP = "triage"
# Colours of the compared checkpoints in every view, at most this many; the first is the checkpoint
# looked at.
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
    """Draw the table; `choice` is updated when the user changes it in the browser.

    rows : the checkpoints, and families : columns of scores, as pages/_triage/table.js reads them.
    spread : title of the column of spreads. compared : the ticked checkpoints, or default ones.
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
            if unticked:  # the user has ticked nothing: the browser only repeats the default
                choice.ticked = None

    _component(key=KEY, data=as_text(content), default={"values": None}, on_values_change=changed)
