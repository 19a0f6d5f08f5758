"""State of Triage in one browser session: one object for what no widget holds, the widgets' keys,
and the link.
"""

from __future__ import annotations

import shutil
from collections import Counter, OrderedDict
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import streamlit as st

from pages._shared.cache import of_session
from pages._triage.files import CheckpointSource, FolderListing, UploadedFiles
from pages._triage.run import Run
from pages._work.embedding_run import EmbeddingRun
from prviz.readers.columns import ColumnChoice
from prviz.triage.inputs import ArrivalWatch
from prviz.triage.measured import CheckpointOutcome

# Keys of the widgets that code reads or sets; those of the settings are also in the link.
SOURCE = "triage.data"
SET = "triage.set"
ARRAY = "triage.key"
FOLDER = "triage.folder"
REFERENCE = "triage.reference"
TABLE = "triage.metadata"
HOLDOUT = "triage.holdout"
METHODS = "triage.methods"
K = "triage.k"
SPLIT = "triage.split"
SEED = "triage.seed"
EQUAL = "triage.equal"
METHOD = "triage.method"
PART = "triage-part"
REMOVED = "triage-removed"
GOAL = "triage-goal"
PAIR = ("triage-pair-a", "triage-pair-b")
DIAGNOSED = "triage-fault-checkpoint"

# Key of the session's object.
KEY = "_TriageSession"
# Characters of a value that are read from the link.
_LONGEST = 500


@dataclass(kw_only=True)
class CheckpointChoice:
    """What the user has chosen among the checkpoints, by their names.

    ticked : to be compared; None: not chosen yet.
    """

    selected: str | None = None
    ticked: list[str] | None = None
    starred: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)

    def take(self, values: Mapping[str, Any]) -> None:
        """Take over what the browser sends; anything of another form is left out."""
        for name in ("ticked", "starred", "hidden"):
            setattr(self, name, [str(each) for each in values.get(name) or ()])
        chosen = values.get("selected")
        notes = values.get("notes")
        self.selected = chosen if isinstance(chosen, str) else None
        if isinstance(notes, Mapping):
            self.notes = {str(each): str(text) for each, text in notes.items()}
        else:
            self.notes = {}

    def rename(self, before: str, after: str) -> None:
        """The checkpoint of one name has another one now."""

        def named(names: list[str]) -> list[str]:
            return [after if name == before else name for name in names]

        self.selected = after if self.selected == before else self.selected
        self.ticked = None if self.ticked is None else named(self.ticked)
        self.starred, self.hidden = named(self.starred), named(self.hidden)
        self.notes = {after if name == before else name: text for name, text in self.notes.items()}


@dataclass(kw_only=True)
class TriageSession:
    """State of the Triage page that outlasts a run of its script and belongs to no widget."""

    # The link when the session first opened the page, its parts that the folder's fields have not
    # read yet, and why others were refused.
    link: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    # The folder that the app serves, as it was last listed.
    listing: FolderListing | None = None
    # Looks at new and changed files of that folder, and those that are not complete yet.
    arrivals: ArrivalWatch | None = None
    arriving: frozenset[Path] = frozenset()
    # The running or stopped embedding, and lines on the pictures that were left out of the last
    # one.
    embedding: EmbeddingRun | None = None
    embedded: list[str] = field(default_factory=list)
    # Uploaded files, messages on those that could not be kept, and how often each field was
    # emptied.
    uploads: UploadedFiles | None = None
    upload_messages: list[str] = field(default_factory=list)
    emptied: Counter[str] = field(default_factory=Counter)
    # By choice of files: arrays to choose from, the last usable table of metadata, names and steps
    # typed by the user.
    arrays: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)
    # By choice of files: the columns that the user has chosen.
    columns: dict[Hashable, ColumnChoice] = field(default_factory=dict)
    metadata: dict[Hashable, Any] = field(default_factory=dict)
    labels: dict[Hashable, dict[Path, tuple[str, float | None]]] = field(default_factory=dict)
    # The source that the table lists, why the last edit was refused (with the source's key), and
    # how many were.
    listed: CheckpointSource | None = None
    refused_label: tuple[Hashable, str] | None = None
    refused_labels: int = 0
    # Measurements by source and settings, the last one on screen; and the outcomes that a running
    # job works with.
    runs: OrderedDict[Hashable, tuple[CheckpointSource, Run]] = field(default_factory=OrderedDict)
    steady: tuple[Hashable, tuple[CheckpointOutcome, ...]] | None = None
    # True if the form is folded into the bar. titles : of its two halves there.
    folded: bool = True
    titles: tuple[str, str] = ("Data", "Settings")
    # The link without what the first screen adds. Equal sizes: True if the user has chosen, and if
    # sizes ask for them.
    base_link: dict[str, str | None] = field(default_factory=dict)
    # sized : the source that the last is about.
    equal_chosen: bool = False
    sized: Hashable = None
    equal_by_default: bool = False
    equal_wished: bool = False
    # What is chosen among the checkpoints, in all views.
    choice: CheckpointChoice = field(default_factory=CheckpointChoice)
    # Compare two: the selected checkpoint at the last drawing, the pair shown then, and the pair
    # that the user chose.
    pair_selected: str | None = None
    pair_shown: tuple[str, str] = ("", "")
    pair_chosen: tuple[str, str] | None = None
    # How firm is it?: checkpoints begun with while others were still being measured, and the last
    # request.
    begun_with: tuple[Path, ...] = ()
    robustness_request: Hashable = None
    # What is wrong with it?: the finding whose evidence is open, and the checkpoint shown while
    # others are measured.
    open_finding: str | None = None
    pinned: str | None = None

    def stop_runs(self) -> None:
        for _, run in self.runs.values():
            run.stop()

    def clear(self) -> None:
        """Forget everything read or measured in this session."""
        self.stop_runs()
        if self.uploads is not None:
            shutil.rmtree(self.uploads.folder.path, ignore_errors=True)
        self.uploads = self.listing = self.listed = self.steady = None
        self.upload_messages = []
        for store in (self.runs, self.arrays, self.columns, self.metadata, self.labels):
            store.clear()


def session() -> TriageSession:
    opened = KEY not in st.session_state
    found = of_session(TriageSession)
    if opened:
        link = found.link = {
            name: text[:_LONGEST] for name, text in st.query_params.to_dict().items()
        }
        found.unread, found.choice = dict(link), _linked_choice(link)
        if "part" in link:
            st.session_state.setdefault(PART, link["part"])
        with suppress(KeyError, ValueError):
            if 0 <= float(link["goal"]) <= 1:
                st.session_state.setdefault(GOAL, float(link["goal"]))
    return found


def _linked_choice(link: Mapping[str, str]) -> CheckpointChoice:
    ticked = link.get("ticked")
    names = None if ticked is None else [unquote(name) for name in ticked.split(",") if name]
    return CheckpointChoice(selected=link.get("chosen"), ticked=names)


def refuse(name: str, reason: str) -> None:
    """Note why a part of the link is ignored; the page says so."""
    session().refused.setdefault(name, reason)


def write_link(parts: Mapping[str, str | None]) -> None:
    """Set the link; a part that is None is left out. A link never names an uploaded file."""
    values = {name: text for name, text in parts.items() if text is not None}
    if st.query_params.to_dict() != values:
        st.query_params.from_dict(values)
