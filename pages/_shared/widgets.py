"""Widgets that the pages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")


def begin(key: str, value: Any) -> str:
    """The key of a widget, set to `value` if the session has no value for it."""
    st.session_state.setdefault(key, value)
    return key


def choose_one(label: str, options: Mapping[T, str] | Sequence[T], first: T | None = None, **more: Any) -> T:
    """Draw a segmented control with one option chosen: `first`, or at the start the value that its key holds.

    options : the options, or their titles by option. more : of `st.segmented_control`. A value that is no option,
    from a link or from before the options changed, counts as the first choice.
    """
    known = list(options)
    if isinstance(options, Mapping):
        more["format_func"] = options.__getitem__
    chosen = st.segmented_control(label, known, default=first, required=True, **more)
    return chosen if chosen in known else known[0] if first is None else first
