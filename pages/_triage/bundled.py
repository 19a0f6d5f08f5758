"""The bundled checkpoints, with the digits as their reference."""

from __future__ import annotations

import streamlit as st

from pages._shared.text import plain
from pages._triage import link
from pages._triage.source import CheckpointSource
from prviz.readers.bundled import BUNDLED, bundled_pair
from prviz.readers.paths import data_folder
from prviz.samples import Samples
from prviz.triage.inputs import Checkpoint, step_of
from prviz.triage.result_cache import ResultCache

FAMILIES = ("mixture", "rbm", "truncation")
# Step of the checkpoint "EM converged": its iteration of EM.
CONVERGED = 23.0


def choose() -> CheckpointSource:
    asked = link.start().get("set", FAMILIES[0])
    if asked not in FAMILIES:
        link.refuse("set", f"The link names no bundled set: {plain(asked)}.")
    chosen = st.segmented_control(
        "Checkpoints of",
        FAMILIES,
        format_func=lambda name: BUNDLED[name].title,
        required=True,
        key=link.begin("triage.set", asked if asked in FAMILIES else FAMILIES[0]),
        **link.KEEP,
    )
    family = BUNDLED[chosen]
    st.caption(
        f"{plain(family.summary)} The reference is 1,797 digits of 8 x 8 pixels; half of them trained the generators."
    )
    checkpoints = tuple(
        Checkpoint(data_folder() / f"{each.name}.npz", each.title, _step(each.title)) for each in family.checkpoints
    )
    reference = bundled_pair(family.checkpoints[0].name).real
    key = ("bundled", chosen)
    return CheckpointSource(key, key, reference, checkpoints, _load, ResultCache.cache, link={"set": chosen})


def _step(title: str) -> float | None:
    return CONVERGED if title == "EM converged" else step_of(title)


def _load(checkpoint: Checkpoint) -> Samples:
    return bundled_pair(checkpoint.path.stem).generated
