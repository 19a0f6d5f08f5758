"""The optional table of metadata: used if it fits the checkpoints, else the page shows the reason."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from pages._shared.text import plain
from prviz.triage.inputs import Checkpoint

T = TypeVar("T")


def fitting(which: Hashable, table: T | None, made: Callable[[T | None], list[Checkpoint]]) -> list[Checkpoint]:
    """The checkpoints with the metadata of this table, or of the last usable one if this one can't be used.

    made : the checkpoints with a table's metadata (None: without); raises ValueError for a table that can't be used.
    """
    plainly = made(None)  # an error here is not the table's
    usable: dict[Hashable, T | None] = st.session_state.setdefault("_triage_metadata", {})
    if table is None:
        usable.pop(which, None)
        return plainly
    try:
        found = made(table)
    except ValueError as error:
        st.error(f"**Metadata**: {plain(error)}. None of it is used.", icon=":material/block:")
    else:
        usable[which] = table
        return found
    try:
        return made(usable.get(which))
    except ValueError:  # the last usable table does not fit any more
        usable.pop(which, None)
        return plainly
