"""The table of checkpoints: name, step, state and AuC."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages._shared.text import plain
from pages._triage.run import Run
from pages._triage.session import session
from pages._triage.source import CheckpointSource
from prviz.estimators import ESTIMATORS
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome

NAME, STEP, STATE = "Name", "Step", "State"
LONGEST_NAME = 200
# Visible rows; heights of a row and of the head in pixels.
MOST_ROWS, ROW, HEAD = 12, 35, 38
_AREA = (
    "Area under the precision-recall curve (AuC) by the selected family: 1 where the generated samples can't "
    "be told from the real ones, 0 where they have nothing in common."
)

Label = tuple[str, float | None]


def labels(source: CheckpointSource) -> dict[Path, Label]:
    return session().labels.setdefault(source.which, {})


def labelled(source: CheckpointSource) -> list[Checkpoint]:
    """The checkpoints with the user's names and steps, in the order of the list."""
    typed = labels(source)
    return [
        replace(each, name=typed[each.path][0], step=typed[each.path][1]) if each.path in typed else each
        for each in source.checkpoints
    ]


def show(source: CheckpointSource, run: Run, outcomes: Sequence[CheckpointOutcome], method: str) -> None:
    """Draw the table, in which names and steps can be edited without measuring again."""
    checkpoints, by_path = labelled(source), {each.checkpoint.path: each for each in outcomes}
    columns = list(dict.fromkeys(name for each in checkpoints for name in each.extra))
    heads = _heads(columns)
    rows = [_row(each, by_path.get(each.path), run, method, columns) for each in checkpoints]
    area = f"AuC, {ESTIMATORS[method].title}"
    kept = session()
    # Not handed to `_take`: Streamlit keeps what the callbacks of all widgets hold that a session ever had.
    kept.listed = source
    # What was typed is held by its place in the list.
    listed = hash((source.which, *(each.path for each in checkpoints)))
    key = f"triage-table-{listed}-{kept.refused_labels}"
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    st.data_editor(
        pd.DataFrame(rows, columns=[NAME, STEP, area, STATE, "n", *heads]),
        key=key,
        hide_index=True,
        height=HEAD + ROW * min(len(rows), MOST_ROWS),
        row_height=ROW,
        disabled=[area, STATE, "n", *heads],
        column_config={
            NAME: text(width="medium", required=True, max_chars=LONGEST_NAME),
            STEP: number(width="small", help="Training step, epoch, or whatever orders the list."),
            area: number(format="%.4f", width="small", help=_AREA),
            STATE: text(width="medium"),
            "n": number(width="small", help="Generated samples that were measured."),
        },
        placeholder="–",
        on_change=_take,
        args=(key,),
        alt=f"Checkpoints: name, step, AuC, state and number of samples of {len(rows)}.",
    )
    if kept.refused_label is not None and kept.refused_label[0] == source.key:
        st.error(plain(kept.refused_label[1]), icon=":material/block:")


def _heads(columns: Sequence[str]) -> list[str]:
    """Titles for columns of the metadata, different from each other and from the table's own."""
    heads: list[str] = []
    for name in columns:
        own = name in (NAME, STEP, STATE, "n") or name.startswith("AuC,")
        head = f"{name} (metadata)" if own else name
        while head in heads:
            head += "'"
        heads.append(head)
    return heads


def _row(
    each: Checkpoint, outcome: CheckpointOutcome | None, run: Run, method: str, columns: Sequence[str]
) -> list[Any]:
    measured = next((one for one in outcome.measured if one.method == method), None) if outcome else None
    if outcome is None:
        state = "at work" if run.now == each.path else "waits" if run.working else "not measured"
    elif outcome.reason is not None:
        state = f"failed: {outcome.reason}"
    else:
        state = "measured" if outcome.fresh else "kept from before"
    return [
        each.name,
        math.nan if each.step is None else each.step,
        measured.summaries["auc"] if measured else math.nan,
        state,
        measured.n_generated if measured else None,
        *(each.extra.get(name, math.nan) for name in columns),
    ]


def _take(key: str) -> None:
    """Callback: take edited names and steps, or keep a reason to refuse them."""
    kept = session()
    source = kept.listed
    if source is None:
        return
    typed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    before = labelled(source)
    after: list[Label] = [(each.name, each.step) for each in before]
    for place, cells in typed.items():
        name, step = after[place]
        if NAME in cells:
            name = " ".join(str(cells[NAME] or "").split())
        if STEP in cells:
            step = cells[STEP] if cells[STEP] is None or math.isfinite(cells[STEP]) else None
        after[place] = name, None if step is None else float(step)
    reason = _refusal([name for name, _ in after])
    kept.refused_label = None if reason is None else (source.key, reason)
    if reason is not None:
        kept.refused_labels += 1  # a new key makes a new table, which shows the names that are still valid
        return
    selected = kept.selected
    for each, label in zip(before, after, strict=True):
        if label != (each.name, each.step):
            labels(source)[each.path] = label
        if selected == each.name:
            kept.selected = label[0]


def _refusal(names: Sequence[str]) -> str | None:
    if not all(names):
        return "Every checkpoint needs a name; the former one stays."
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    return None if twice is None else f"Two checkpoints can't both be called {twice}; the former name stays."
