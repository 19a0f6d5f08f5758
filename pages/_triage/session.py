"""State of the Triage page in one browser session, the keys of its widgets, and its link.

All state that is not in a widget is in one object, `TriageSession`.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import streamlit as st

from pages._shared.cache import note_address, of_session
from pages._triage.run import Run
from pages._work.embedding_run import EmbeddingRun
from prviz.live.problems import Uploaded
from prviz.readers.columns import ColumnChoice
from prviz.readers.safe_folder import Below
from prviz.readers.source import human_size
from prviz.samples import Samples
from prviz.server.limits import limits
from prviz.server.private_folders import PrivateFolder, private_bytes
from prviz.triage.inputs import ArrivalWatch, Checkpoint, FileState, named
from prviz.triage.measured import CheckpointOutcome, ResultCache

# Limits in bytes. MOST_BYTES: uploaded files of one session; ALL_BYTES: those of all sessions;
# LEAST_FREE: space to leave free on the disk.
MOST_BYTES = 8 * 1024**3
ALL_BYTES = 32 * 1024**3
LEAST_FREE = 256 * 1024**2
# Most bytes of a file's name (LONGEST_NAME) and of its extension (LONGEST_EXTENSION): most file
# systems allow 255 for both together.
LONGEST_NAME = 200
LONGEST_EXTENSION = 20


@dataclass(frozen=True, eq=False, kw_only=True)
class CheckpointSource:
    """One reference and its checkpoints.

    which : identifies the files that the user has chosen.
    base : `which`, the chosen array and columns, and the contents of the reference.
    load : reads all samples of a checkpoint, with labels and pictures.
    store : returns the cache of results.
    signatures : by path, the state (size, time, identity) of each checkpoint's file.
    holdout : other real samples, for the ceiling and for finding copies.
    uploaded : where pictures of the samples come from.
    link : the parts of the page's link that name this source.
    title : name of the source in the bar.
    watch : for a folder that may grow, returns True if files in it have changed. look : returns the
    current state of these files; callable from any thread.
    """

    which: Hashable
    base: Hashable
    reference: Samples
    checkpoints: tuple[Checkpoint, ...]
    load: Callable[[Checkpoint], Samples]
    store: Callable[[], ResultCache]
    signatures: Mapping[Path, FileState | None] = field(default_factory=dict)
    holdout: Samples | None = None
    uploaded: Uploaded | None = None
    link: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    watch: Callable[[], bool] | None = None
    look: Callable[[], Hashable] | None = None

    @property
    def key(self) -> Hashable:
        """Key of this source: equal if the files are, as far as their signatures tell."""
        return (
            self.base,
            tuple(each.path for each in self.checkpoints),
            frozenset(self.signatures.items()),
        )


@dataclass(frozen=True, kw_only=True)
class FolderListing:
    """Contents of the folder that the app serves, when it was last read.

    files : by folder, files that may hold samples. tables : by folder, files that may hold
    metadata. out : by folder, its number of links that lead out of the app's folder. skipped : by
    folder, its number of files whose format is not one for samples. signatures : by path, the state
    of every file. pictures : folders that contain pictures, also in sub-folders.
    """

    served: Path
    below: Below
    files: dict[str, list[str]]
    tables: dict[str, list[str]]
    out: dict[str, int]
    signatures: dict[Path, FileState | None]
    pictures: list[str]
    skipped: dict[str, int] = field(default_factory=dict)


@dataclass(kw_only=True)
class UploadedFiles:
    """The uploaded reference, checkpoints, metadata table and held-out real samples.

    checkpoints : by path, the checkpoints' names. removed : likewise, those that the user has
    removed and that the table may still name.
    """

    folder: PrivateFolder = field(default_factory=PrivateFolder)
    count: int = 0
    reference: Path | None = None
    checkpoints: dict[Path, str] = field(default_factory=dict)
    removed: dict[Path, str] = field(default_factory=dict)
    table: Path | None = None
    holdout: Path | None = None

    @property
    def paths(self) -> list[Path]:
        return [
            each
            for each in (self.reference, self.table, self.holdout, *self.checkpoints)
            if each is not None
        ]

    def put(self, name: str, data: memoryview) -> Path:
        """Write a file into a new folder of its own. Raises OSError if it can't be written."""
        self._check_room(data.nbytes)
        self.count += 1
        path = self.folder.path / "files" / str(self.count) / _safe(name)
        path.parent.mkdir(parents=True)
        try:
            path.write_bytes(data)
        except OSError:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return path

    def _check_room(self, size: int) -> None:
        """Raise OSError, naming the bytes in use, if there is no room for `size` more bytes."""
        held = sum(path.stat().st_size for path in self.paths)
        most = limits.part(MOST_BYTES)
        everybodys = limits.part(ALL_BYTES)
        if held + size > most:
            use = (
                f"the files of this session may take {human_size(most)} and"
                f" {human_size(held)} are in use"
            )
            if not limits.public:
                use = f"{use}; start the app on their folder: prviz app --data DIR"
            raise OSError(f"{use}; remove some first")
        others = private_bytes()
        if others + size > everybodys:
            use = (
                f"the files of all visitors may take {human_size(everybodys)} and"
                f" {human_size(others)} are in use"
            )
            raise OSError(
                f"{use}, {human_size(held)} of that by this session; remove some, or wait for"
                " others to leave"
            )
        free = shutil.disk_usage(self.folder.path).free
        if free - size < LEAST_FREE:
            raise OSError(
                f"its disk has {human_size(free)} left, and the last {human_size(LEAST_FREE)} stay"
                " free"
            )

    def take(self, kind: str, path: Path, upload_name: str) -> None:
        """Make a file that was written to disk the reference, the metadata, the held-out samples or
        a checkpoint.

        kind : the upload field: "real" (reference), "table-of" (metadata), "held-out", or "many" (a
        checkpoint).
        """
        if kind == "real":
            self.drop(self.reference)
            self.reference = path
        elif kind == "table-of":
            self.table = path
        elif kind == "held-out":
            self.drop(self.holdout)
            self.holdout = path
        else:
            self.add(path, upload_name)

    def add(self, path: Path, upload_name: str) -> None:
        shown = self.checkpoints[path] = _unique_name(upload_name, self.checkpoints.values())
        kept = [
            (gone, name)
            for gone, name in self.removed.items()
            if gone.name != path.name and name != shown
        ]
        # the table's metadata for this file name now belong to the new file
        self.removed = dict(kept)

    def remove(self, path: Path) -> None:
        if path in self.checkpoints:
            self.removed[path] = self.checkpoints.pop(path)
            self.drop(path)

    def named(self, table: Path | None) -> list[Checkpoint]:
        """The uploaded checkpoints, with the metadata that the table has for them."""
        return [
            each
            for each in named(self.checkpoints | self.removed, table)
            if each.path in self.checkpoints
        ]

    def drop(self, path: Path | None) -> None:
        if path is not None:
            shutil.rmtree(path.parent, ignore_errors=True)


def _safe(name: str) -> str:
    """The name, made safe as a file name on disk: without folders, special or control characters,
    and not too long.
    """

    def cut(text: str, most: int) -> str:
        return text.encode()[:most].decode(errors="ignore")

    base = name.replace("\\", "/").rpartition("/")[2]
    harmful = {
        letter for letter in base if letter in '<>:"|?*' or unicodedata.category(letter)[0] == "C"
    }
    kept = "".join("_" if letter in harmful else letter for letter in base).strip(". ")
    stem, dot, extension = kept.rpartition(".")
    if not dot:
        return cut(kept, LONGEST_NAME) or "file"
    return f"{cut(stem, LONGEST_NAME) or 'file'}.{cut(extension, LONGEST_EXTENSION)}"


def _unique_name(name: str, others: Iterable[str]) -> str:
    """Name for a checkpoint: that of its file, with a number added if another one has this name."""
    stem = " ".join(_safe(name).rpartition(".")[0].split()) or _safe(name)
    taken = set(others)
    number = 1
    unique = stem
    while unique in taken:
        number += 1
        unique = f"{stem} ({number})"
    return unique


# Keys of widgets that other code reads or sets.
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

# Key of the TriageSession in `st.session_state`.
KEY = "_TriageSession"
# Most characters that are read of one value in the link.
_LONGEST = 500


@dataclass(kw_only=True)
class CheckpointChoice:
    """What the user has chosen among the checkpoints; each is given by its name.

    ticked : checkpoints to compare; None until the user ticks one.
    """

    selected: str | None = None
    ticked: list[str] | None = None
    starred: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)

    def take(self, values: Mapping[str, Any]) -> None:
        """Take over the choice that the browser sends; values of a wrong type are dropped."""
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
        """Replace a checkpoint's old name by its new one in all choices."""

        def named(names: list[str]) -> list[str]:
            return [after if name == before else name for name in names]

        self.selected = after if self.selected == before else self.selected
        self.ticked = None if self.ticked is None else named(self.ticked)
        self.starred, self.hidden = named(self.starred), named(self.hidden)
        self.notes = {after if name == before else name: text for name, text in self.notes.items()}


@dataclass(kw_only=True)
class TriageSession:
    """State of the Triage page in one session that is not the value of a widget."""

    # link : the query of the address with which the page was opened, name -> value. unread : its
    # parts that the form has not read yet. refused : name of a part -> why it is ignored.
    link: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    # The query that the page's first view asked for, see `write_link`; None before.
    bare: dict[str, str] | None = None
    refused: dict[str, str] = field(default_factory=dict)
    # The last listing of the app's folder.
    listing: FolderListing | None = None
    # arrivals : watches the app's folder for new and changed files. arriving : its files that are
    # not complete yet.
    arrivals: ArrivalWatch | None = None
    arriving: frozenset[Path] = frozenset()
    # embedding : the running or stopped embedding. embedded : messages on the pictures that the
    # last embedding left out.
    embedding: EmbeddingRun | None = None
    embedded: list[str] = field(default_factory=list)
    # uploads : the uploaded files. upload_messages : on files that could not be stored. emptied :
    # by upload field, how often it was emptied.
    uploads: UploadedFiles | None = None
    upload_messages: list[str] = field(default_factory=list)
    emptied: Counter[str] = field(default_factory=Counter)
    # By `CheckpointSource.which`, the arrays from which the user may choose.
    arrays: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)
    # By `CheckpointSource.which`: the chosen columns; the last usable metadata table; and by path
    # the name and step that the user has typed for a checkpoint.
    columns: dict[Hashable, ColumnChoice] = field(default_factory=dict)
    metadata: dict[Hashable, Any] = field(default_factory=dict)
    labels: dict[Hashable, dict[Path, tuple[str, float | None]]] = field(default_factory=dict)
    # listed : the source in the table of names and steps. refused_label : its key, and why the last
    # edit of the table was refused. refused_labels : number of refused edits.
    listed: CheckpointSource | None = None
    refused_label: tuple[Hashable, str] | None = None
    refused_labels: int = 0
    # runs : by source and settings, the measurements; the one on screen is last. steady : the
    # outcomes that the page shows while a job works on them.
    runs: OrderedDict[Hashable, tuple[CheckpointSource, Run]] = field(default_factory=OrderedDict)
    steady: tuple[Hashable, tuple[CheckpointOutcome, ...]] | None = None
    # folded : True if the form is folded into the bar. titles : of the two halves of the folded
    # form.
    folded: bool = True
    titles: tuple[str, str] = ("Data", "Settings")
    # The page's link, without the parts that the first screen adds.
    base_link: dict[str, str | None] = field(default_factory=dict)
    # The toggle for equal sizes. equal_chosen : the user has set it. equal_by_default : uneven
    # sizes of the source `sized` have switched it on. equal_wished : the user has just clicked "Use
    # equal sizes".
    equal_chosen: bool = False
    sized: Hashable = None
    equal_by_default: bool = False
    equal_wished: bool = False
    # The user's choice among the checkpoints, which all views share.
    choice: CheckpointChoice = field(default_factory=CheckpointChoice)
    # Part "Compare two". pair_selected : the checkpoint that was selected when the part was drawn
    # last. pair_shown : the pair that it showed then. pair_chosen : the pair that the user has
    # chosen.
    pair_selected: str | None = None
    pair_shown: tuple[str, str] = ("", "")
    pair_chosen: tuple[str, str] | None = None
    # Part "How firm is it?". begun_with : the checkpoints with which the user has chosen to begin
    # while others were still being measured. robustness_request : key of the last request.
    begun_with: tuple[Path, ...] = ()
    robustness_request: Hashable = None
    # Part "What is wrong with it?". open_finding : the finding whose evidence is open. pinned : the
    # checkpoint that stays on screen while others are measured.
    open_finding: str | None = None
    pinned: str | None = None

    def stop_runs(self) -> None:
        for _, run in self.runs.values():
            run.stop()

    def clear(self) -> None:
        """Forget everything that was read or measured in this session."""
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
    names = None
    if ticked is not None:
        names = [unquote(name) for name in ticked.split(",") if name]
    return CheckpointChoice(selected=link.get("chosen"), ticked=names)


def refuse(name: str, reason: str) -> None:
    """Record why a part of the link is ignored, for a message on the page."""
    session().refused.setdefault(name, reason)


def write_link(parts: Mapping[str, str | None]) -> None:
    """Set the query in the page's address, from which a link opens the same view.

    If the page was opened by an address without a query, it gets none before the view first
    changes: a changed address is one more entry of the browser's history, and one more press of
    Back to leave the page.

    parts : name in the query -> its value; None: the name is left out. Names of uploaded files must
        not be among them.
    """
    values = {name: text for name, text in parts.items() if text is not None}
    found = session()
    if found.bare is None:
        found.bare = values
    if values == found.bare and not (found.link or st.query_params):
        return
    if st.query_params.to_dict() != values:
        st.query_params.from_dict(values)
    note_address("triage")
