"""The choice of the source, and the bundled checkpoints, which have the digits as their reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages._shared.text import plain
from pages._triage import folder, uploaded
from pages._triage.session import SET, SOURCE, begin, refuse, session
from pages._triage.source import CheckpointSource
from prviz.readers.bundled import BUNDLED, bundled_pair
from prviz.readers.paths import data_folder
from prviz.samples import Samples
from prviz.triage.inputs import Checkpoint, step_of
from prviz.triage.result_cache import ResultCache

FAMILIES = ("mixture", "rbm", "truncation")
# Step of the checkpoint "EM converged": its iteration of EM.
CONVERGED = 23.0


def choose() -> CheckpointSource | None:
    """Draw the choice; returns reference and checkpoints, or None, with a message, if there are none yet."""
    linked = session().link.get("data", "bundled")
    if linked not in SOURCES:
        refuse("data", f"The link names no source of data: {plain(linked)}.")
    first = linked if linked in SOURCES else "bundled"
    chosen = st.segmented_control(
        "Data",
        list(SOURCES),
        format_func=lambda name: SOURCES[name][0],
        required=True,
        key=begin(SOURCE, first),
        persist_state="session",
    )
    return SOURCES[chosen or first][1]()


def _bundled() -> CheckpointSource:
    linked = session().link.get("set", FAMILIES[0])
    if linked not in FAMILIES:
        refuse("set", f"The link names no bundled set: {plain(linked)}.")
    first = linked if linked in FAMILIES else FAMILIES[0]
    chosen = st.segmented_control(
        "Checkpoints of",
        FAMILIES,
        format_func=lambda name: BUNDLED[name].title,
        required=True,
        key=begin(SET, first),
        persist_state="session",
    )
    name = chosen or first
    family = BUNDLED[name]
    st.caption(
        f"{plain(family.summary)} The reference is 1,797 digits of 8 x 8 pixels; half of them trained the generators."
    )
    key = ("bundled", name)
    return CheckpointSource(
        which=key,
        base=key,
        reference=bundled_pair(family.checkpoints[0].name).real,
        checkpoints=tuple(
            Checkpoint(
                data_folder() / f"{each.name}.npz",
                each.title,
                CONVERGED if each.title == "EM converged" else step_of(each.title),
            )
            for each in family.checkpoints
        ),
        load=_load,
        store=ResultCache.cache,
        link={"set": name},
    )


def _load(checkpoint: Checkpoint) -> Samples:
    return bundled_pair(checkpoint.path.stem).generated


SOURCES: Mapping[str, tuple[str, Callable[[], CheckpointSource | None]]] = {
    "bundled": ("Bundled", _bundled),
    "folder": ("Folder", folder.choose),
    "upload": ("Uploads", uploaded.choose),
}
