"""Which of the sources is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages._shared.text import plain
from pages._triage import bundled, folder, link, uploaded
from pages._triage import source as _source
from pages._triage.source import CheckpointSource

SOURCE = "triage.data"
SOURCES: Mapping[str, tuple[str, Callable[[], CheckpointSource | None]]] = {
    "bundled": ("Bundled", bundled.choose),
    "folder": ("Folder", folder.choose),
    "upload": ("Uploads", uploaded.choose),
}


def choose() -> CheckpointSource | None:
    """Reference and checkpoints; None where there are none yet, and the page says what is missing."""
    asked = link.start().get("data", "bundled")
    if asked not in SOURCES:
        link.refuse("data", f"The link names no source of data: {plain(asked)}.")
    chosen = st.segmented_control(
        "Data",
        list(SOURCES),
        format_func=lambda name: SOURCES[name][0],
        required=True,
        key=link.begin(SOURCE, asked if asked in SOURCES else "bundled"),
        **link.KEEP,
    )
    return SOURCES[chosen][1]()


def array(source: CheckpointSource | None) -> str | None:
    """The array that was chosen of its files."""
    return None if source is None else _source.array(source.which)
