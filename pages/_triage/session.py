"""State of Triage in one browser session: one object for what no widget holds, the widgets' keys, and the link."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    from pages._triage.folder import FolderListing
    from pages._triage.ranking import Replicates
    from pages._triage.run import Run
    from pages._triage.source import CheckpointSource
    from pages._triage.uploaded import UploadedFiles
    from prviz.triage.measured import CheckpointOutcome

# Keys of the widgets that code reads or sets; those of the settings are also in the link.
SOURCE, SET, ARRAY = "triage.data", "triage.set", "triage.key"
FOLDER, REFERENCE, TABLE = "triage.folder", "triage.reference", "triage.metadata"
HOLDOUT = "triage.holdout"
METHODS, K, SPLIT = "triage.methods", "triage.k", "triage.split"
SEED, EQUAL = "triage.seed", "triage.equal"
METHOD, PART, REMOVED = "triage.method", "triage-part", "triage-removed"
GOAL, PRESET, RANKING_TABLE = "triage-goal", "triage-goal-preset", "triage-ranking-table"
PAIR = ("triage-pair-a", "triage-pair-b")
DIAGNOSED = "triage-fault-checkpoint"

# Key of the session object.
KEY = "triage"
# Characters of a value that are read from the link.
_LONGEST = 500


@dataclass(kw_only=True)
class TriageSession:
    """State of the Triage page that outlasts a run of its script and belongs to no widget."""

    # The link when the session first opened the page, its parts that the folder's fields have not read yet, and those
    # that were refused with a warning.
    link: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    refused_parts: set[str] = field(default_factory=set)
    # The folder that the app serves, as it was last listed.
    listing: FolderListing | None = None
    # Lines on the pictures that were left out of the last embedding.
    embedded: list[str] = field(default_factory=list)
    # Uploaded files, messages on those that could not be kept, and how often each field was emptied.
    uploads: UploadedFiles | None = None
    upload_messages: list[str] = field(default_factory=list)
    emptied: Counter[str] = field(default_factory=Counter)
    # By choice of files: arrays to choose from, the last usable table of metadata, names and steps typed by the user.
    arrays: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)
    metadata: dict[Hashable, Any] = field(default_factory=dict)
    labels: dict[Hashable, dict[Path, tuple[str, float | None]]] = field(default_factory=dict)
    # The source that the table lists, why the last edit was refused (with the source's key), and how many were.
    listed: CheckpointSource | None = None
    refused_label: tuple[Hashable, str] | None = None
    refused_labels: int = 0
    # Measurements by source and settings, the last one on screen; and the outcomes that a running job works with.
    runs: OrderedDict[Hashable, tuple[CheckpointSource, Run]] = field(default_factory=OrderedDict)
    steady: tuple[Hashable, tuple[CheckpointOutcome, ...]] | None = None
    # The open part when the page was left: Streamlit forgets it.
    left_part: str | None = None
    # Name of the selected checkpoint, shared by all parts.
    selected: str | None = None
    # Ranking: the last replicates, and the checkpoints in the order of the table's rows.
    replicates: Replicates | None = None
    ranking_names: list[str] = field(default_factory=list)
    # Compare two: the selected checkpoint at the last drawing, the pair shown then, and the pair that the user chose.
    pair_selected: str | None = None
    pair_shown: tuple[str, str] = ("", "")
    pair_chosen: tuple[str, str] | None = None
    # How firm is it?: checkpoints begun with while others were still being measured, and the last request.
    begun_with: tuple[Path, ...] = ()
    robustness_request: Hashable = None
    # What is wrong with it?: the finding whose evidence is open, and the checkpoint shown while others are measured.
    open_finding: str | None = None
    pinned: str | None = None

    def stop_runs(self) -> None:
        for _, run in self.runs.values():
            run.stop()


def session() -> TriageSession:
    if KEY not in st.session_state:
        link = {name: text[:_LONGEST] for name, text in st.query_params.to_dict().items()}
        st.session_state[KEY] = TriageSession(link=link, unread=dict(link))
    found: TriageSession = st.session_state[KEY]
    return found


def refuse(name: str, reason: str) -> None:
    """Warn once that a part of the link is ignored."""
    refused = session().refused_parts
    if name not in refused:
        refused.add(name)
        st.warning(reason, icon=":material/link:")


def write_link(parts: Mapping[str, str | None]) -> None:
    """Set the link; a part that is None is left out. A link never names an uploaded file."""
    values = {name: text for name, text in parts.items() if text is not None}
    if st.query_params.to_dict() != values:
        st.query_params.from_dict(values)
