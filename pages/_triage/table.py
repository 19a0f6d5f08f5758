"""The table of checkpoints: name, step, state and AuC."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages._shared.text import plain
from pages._triage.checkpoints import SELECTED
from pages._triage.run import Run
from pages._triage.source import CheckpointSource
from prviz.estimators import ESTIMATORS
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome

NAME, STEP, STATE = "Name", "Step", "State"
LONGEST_NAME = 200
LISTED = "_triage_listed"  # session key of the source whose checkpoints the table has
# Visible rows; heights of a row and of the head in pixels.
MOST_ROWS, ROW, HEAD = 12, 35, 38

Label = tuple[str, float | None]


def labels(source: CheckpointSource) -> tuple[tuple[Path, Label], ...]:
    """Names and steps edited by the user, by file."""
    return tuple(_edited(source).items())


def labelled(source: CheckpointSource) -> list[Checkpoint]:
    """The checkpoints with the user's names and steps, in the order of the list."""
    edited = _edited(source)
    return [
        replace(each, name=edited[each.path][0], step=edited[each.path][1]) if each.path in edited else each
        for each in source.checkpoints
    ]


def _edited(source: CheckpointSource) -> dict[Path, Label]:
    held: dict[Hashable, dict[Path, Label]] = st.session_state.setdefault("_triage_labels", {})
    return held.setdefault(source.which, {})


def show(source: CheckpointSource, run: Run, outcomes: Sequence[CheckpointOutcome], method: str) -> None:
    """Draw the table, in which names and steps can be edited without measuring again."""
    checkpoints, found = labelled(source), {each.checkpoint.path: each for each in outcomes}
    columns = list(dict.fromkeys(name for each in checkpoints for name in each.extra))
    heads = _heads(columns)
    rows = [_row(each, found.get(each.path), run, method, columns) for each in checkpoints]
    area = f"AuC, {ESTIMATORS[method].title}"
    table = pd.DataFrame(rows, columns=[NAME, STEP, area, STATE, "n", *heads])
    # Not handed to `_take`: Streamlit keeps what the callbacks of all widgets hold that a session ever had.
    st.session_state[LISTED] = source
    # What was typed is held by its place in the list.
    listed = hash((source.which, *(each.path for each in checkpoints)))
    key = f"triage-table-{listed}-{st.session_state.get('_triage_table', 0)}"
    st.data_editor(
        table,
        key=key,
        hide_index=True,
        height=HEAD + ROW * min(len(rows), MOST_ROWS),
        row_height=ROW,
        disabled=[area, STATE, "n", *heads],
        column_config={
            NAME: st.column_config.TextColumn(width="medium", required=True, max_chars=LONGEST_NAME),
            STEP: st.column_config.NumberColumn(
                width="small", help="Training step, epoch, or whatever orders the list."
            ),
            area: st.column_config.NumberColumn(format="%.4f", width="small", help=_AREA),
            STATE: st.column_config.TextColumn(width="medium"),
            "n": st.column_config.NumberColumn(width="small", help="Generated samples that were measured."),
        },
        placeholder="–",
        on_change=_take,
        args=(key,),
        alt=f"Checkpoints: name, step, AuC, state and number of samples of {len(rows)}.",
    )
    refused = st.session_state.get("_triage_refused")
    if refused is not None and refused[0] == source.key:
        st.error(plain(refused[1]), icon=":material/block:")


_AREA = (
    "Area under the precision-recall curve (AuC) by the selected family: 1 where the generated samples can't "
    "be told from the real ones, 0 where they have nothing in common."
)


def _heads(columns: Sequence[str]) -> list[str]:
    """Titles for columns of the metadata, different from each other and from the table's own."""
    found: list[str] = []
    for name in columns:
        own = name in (NAME, STEP, STATE, "n") or name.startswith("AuC,")
        head = f"{name} (metadata)" if own else name
        while head in found:
            head += "'"
        found.append(head)
    return found


def _row(each: Checkpoint, found: CheckpointOutcome | None, run: Run, method: str, columns: Sequence[str]) -> list[Any]:
    measured = next((one for one in found.measured if one.method == method), None) if found else None
    area = measured.summaries["auc"] if measured else math.nan
    size = measured.n_generated if measured else None
    step = math.nan if each.step is None else each.step
    return [
        each.name,
        step,
        area,
        _state(each, found, run),
        size,
        *(each.extra.get(name, math.nan) for name in columns),
    ]


def _state(each: Checkpoint, found: CheckpointOutcome | None, run: Run) -> str:
    if found is None:
        return "at work" if run.now == each.path else "waits" if run.working else "not measured"
    if found.reason is not None:
        return f"failed: {found.reason}"
    return "measured" if found.fresh else "kept from before"


def _take(key: str) -> None:
    """Callback: take edited names and steps, or keep a reason to refuse them."""
    source: CheckpointSource = st.session_state[LISTED]
    typed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    new_labels = [(each.name, each.step) for each in labelled(source)]
    for place, cells in typed.items():
        name, step = new_labels[place]
        name = " ".join(str(cells[NAME] or "").split()) if NAME in cells else name
        step = _number(cells[STEP]) if STEP in cells else step
        new_labels[place] = name, step
    reason = _refusal([name for name, _ in new_labels])
    st.session_state["_triage_refused"] = None if reason is None else (source.key, reason)
    if reason is not None:
        # A new key makes a new table, which shows the names that are still valid.
        st.session_state["_triage_table"] = st.session_state.get("_triage_table", 0) + 1
        return
    looked_at = st.session_state.get(SELECTED)
    for each, label in zip(labelled(source), new_labels, strict=True):
        if label != (each.name, each.step):
            _edited(source)[each.path] = label
        if looked_at == each.name:
            st.session_state[SELECTED] = label[0]


def _number(cell: Any) -> float | None:
    return None if cell is None or not math.isfinite(cell) else float(cell)


def _refusal(names: Sequence[str]) -> str | None:
    if not all(names):
        return "Every checkpoint needs a name; the former one stays."
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return f"Two checkpoints can't both be called {name}; the former name stays."
        seen.add(name)
    return None
