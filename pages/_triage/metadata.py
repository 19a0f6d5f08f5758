"""The table that says more about the checkpoints: used where it fits, else the page says why and loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from pages._shared.text import plain
from prviz.triage.inputs import Checkpoint

T = TypeVar("T")


def fitting(which: Hashable, table: T | None, made: Callable[[T | None], list[Checkpoint]]) -> list[Checkpoint]:
    """The checkpoints of these files with what the table says of them; where it can't be used, with the former one.

    made : the checkpoints with what a table says, None: without; raises ValueError for one that can't be used.
    """
    plainly = made(None)  # what fails here is no fault of the table
    good: dict[Hashable, T | None] = st.session_state.setdefault("_triage_metadata", {})
    if table is None:
        good.pop(which, None)
        return plainly
    try:
        found = made(table)
    except ValueError as error:
        st.error(f"**Metadata**: {plain(error)}. None of it is used.", icon=":material/block:")
    else:
        good[which] = table
        return found
    try:
        return made(good.get(which))
    except ValueError:  # it does not fit any more either
        good.pop(which, None)
        return plainly
