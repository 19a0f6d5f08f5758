"""The choice of the source."""

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
    """Draw the choice; returns reference and checkpoints, or None, with a message, if there are none yet."""
    linked = link.start().get("data", "bundled")
    if linked not in SOURCES:
        link.refuse("data", f"The link names no source of data: {plain(linked)}.")
    chosen = st.segmented_control(
        "Data",
        list(SOURCES),
        format_func=lambda name: SOURCES[name][0],
        required=True,
        key=link.begin(SOURCE, linked if linked in SOURCES else "bundled"),
        **link.KEEP,
    )
    return SOURCES[chosen][1]()


def array(source: CheckpointSource | None) -> str | None:
    """The array chosen for the source's files."""
    return None if source is None else _source.array(source.which)
