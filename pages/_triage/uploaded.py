"""Uploaded files, in a private folder that is deleted with the session."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from pages._shared import cache
from pages._shared.text import plain
from pages._shared.uploads import LIMIT_MB, say_refused
from pages._triage import source
from pages._triage.checkpoints import count_of
from pages._triage.session import REMOVED, session
from pages._triage.source import CheckpointSource
from prviz.readers import ACCEPTED_TEXT
from prviz.readers.source import human_size
from prviz.server import sessions
from prviz.server.private_folders import PrivateFolder, private_bytes
from prviz.triage.inputs import Checkpoint, named
from prviz.triage.result_cache import ResultCache

# Bytes: most for the files of one session and of all sessions, and least left free on the disk.
MOST_BYTES, ALL_BYTES, LEAST_FREE = 8 * 1024**3, 32 * 1024**3, 256 * 1024**2
# Bytes of a name and of its extension (most file systems allow 255 together).
LONGEST_NAME, LONGEST_EXTENSION = 200, 20


@dataclass(kw_only=True)
class UploadedFiles:
    """Uploaded files: the reference, the checkpoints by path with their names, a table, other real samples.

    removed : removed checkpoints, which the table may still name.
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
        return [each for each in (self.reference, self.table, self.holdout, *self.checkpoints) if each is not None]

    def put(self, name: str, data: memoryview) -> Path:
        """Write a file into a folder of its own. Raises OSError if it can't be written."""
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
        """Raise OSError, with the bytes in use, if there is no room for `size` more."""
        held = sum(path.stat().st_size for path in self.paths)
        if held + size > MOST_BYTES:
            use = f"the files of this session may take {human_size(MOST_BYTES)} and {human_size(held)} are in use"
            raise OSError(f"{use}; remove some first, or start the app on their folder: prviz app --data DIR")
        others = private_bytes()
        if others + size > ALL_BYTES:
            use = f"the files of all visitors may take {human_size(ALL_BYTES)} and {human_size(others)} are in use"
            raise OSError(
                f"{use}, {human_size(held)} of that by this session; remove some, or wait for others to leave"
            )
        free = shutil.disk_usage(self.folder.path).free
        if free - size < LEAST_FREE:
            raise OSError(f"its disk has {human_size(free)} left, and the last {human_size(LEAST_FREE)} stay free")

    def take(self, kind: str, path: Path, upload_name: str) -> None:
        """Give a file that is written its part: "real", "table-of", "held-out", or "many", a checkpoint."""
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
        kept = [(gone, name) for gone, name in self.removed.items() if gone.name != path.name and name != shown]
        self.removed = dict(kept)  # the table's line of that name is about this file now

    def remove(self, path: Path) -> None:
        if path in self.checkpoints:
            self.removed[path] = self.checkpoints.pop(path)
            self.drop(path)

    def named(self, table: Path | None) -> list[Checkpoint]:
        """The checkpoints, with the table's metadata."""
        return [each for each in named(self.checkpoints | self.removed, table) if each.path in self.checkpoints]

    def drop(self, path: Path | None) -> None:
        if path is not None:
            shutil.rmtree(path.parent, ignore_errors=True)


def choose() -> CheckpointSource | None:
    held = session().uploads
    st.caption(
        f"Rows are samples, columns are features: {ACCEPTED_TEXT}, up to {LIMIT_MB} MB each. Files and results "
        "stay in this session, are deleted with it, and never enter a link."
    )
    _fields(held)
    say_refused()
    for each in session().upload_messages:
        st.error(each, icon=":material/save:")
    if held is not None:
        size = sum(path.stat().st_size for path in held.paths if path.exists())
        parts = []
        if held.reference is not None:
            parts.append(f"reference **{plain(held.reference.name)}**")
        if held.checkpoints:
            parts.append(count_of(len(held.checkpoints), "checkpoint"))
        if held.table is not None:
            parts.append(f"metadata **{plain(held.table.name)}**")
        if held.holdout is not None:
            parts.append(f"other real samples **{plain(held.holdout.name)}**")
        missing = "" if held.reference else " Now add the reference."
        missing = missing or ("" if held.checkpoints else " Now add the checkpoints.")
        with st.container(horizontal=True, vertical_alignment="center"):
            there = f"Here: {', '.join(parts)}; {human_size(size)}." if parts else ""
            st.markdown(f"{there}{missing}")
            if len(held.checkpoints) > 1:
                with st.popover("Remove some", icon=":material/playlist_remove:", key="triage-removal"):
                    names = {path: plain(name) for path, name in held.checkpoints.items()}
                    st.pills(
                        "Checkpoints to remove",
                        list(names),
                        format_func=names.__getitem__,
                        selection_mode="multi",
                        key=REMOVED,
                    )
                    st.button("Remove", on_click=_remove, key="triage-remove", icon=":material/delete:")
            st.button("Forget them", on_click=_forget, key="triage-forget", icon=":material/delete:")
    if held is None or held.reference is None or not held.checkpoints:
        return None
    which = ("upload", held.folder.path)
    source.ask_array(which)
    real = source.read_reference(which, held.reference, None)
    if real is None:
        return None
    checkpoints = source.with_metadata(which, held.table, held.named)
    return source.assembled(
        which,
        real,
        checkpoints,
        lambda: ResultCache(held.folder.path / "results", needed=False, holds=held.folder),
        dict.fromkeys(held.checkpoints, None),  # each was written once
        holdout=None if held.holdout is None else source.read_holdout(which, real, held.holdout),
        link={"data": "upload"},
        title="Uploads",
    )


def _fields(held: UploadedFiles | None) -> None:
    """Draw the fields; each is emptied once its files are written, so that memory holds them once."""
    emptied = session().emptied
    keys = {name: f"triage-{name}-{emptied[name]}" for name in ("real", "many", "table-of", "held-out")}
    left, right = st.columns(2)
    real = left.file_uploader("Reference: the real samples", key=keys["real"], max_upload_size=LIMIT_MB)
    many = right.file_uploader(
        "Checkpoints, all at once", accept_multiple_files=True, key=keys["many"], max_upload_size=LIMIT_MB
    )
    table = other = None
    if held is not None and held.checkpoints:
        label = "Metadata (optional): a CSV with the columns file, step and run, and any others of numbers"
        table = st.file_uploader(label, key=keys["table-of"], max_upload_size=16)
        label = "Other real samples (optional): show what is possible, else two halves of the reference do"
        other = st.file_uploader(label, key=keys["held-out"], max_upload_size=LIMIT_MB)
    if not (real or table or other or many):
        return
    if held is None:
        held = session().uploads = UploadedFiles()
    messages = []
    kinds = [("real", real), *(("many", each) for each in many), ("table-of", table), ("held-out", other)]
    for kind, upload in kinds:
        if upload is None:
            continue
        sessions.uploads.arrived(upload.name)
        try:
            path = held.put(upload.name, memoryview(upload.getvalue()))  # `getbuffer` would copy the file
        except OSError as error:
            messages.append(
                f"**{plain(upload.name)}** can't be kept on this machine: {plain(error.strerror or error)}."
            )
            continue
        finally:
            sessions.uploads.release(upload.file_id)
        held.take(kind, path, upload.name)
    session().upload_messages = messages
    for name, files in zip(keys, (real, many, table, other), strict=True):
        emptied[name] += bool(files)
    st.rerun()


def _remove() -> None:
    """Remove the files that are ticked. The session's: Streamlit keeps what a button holds, and so its folder."""
    if (held := session().uploads) is not None:
        for path in st.session_state[REMOVED]:
            held.remove(path)
    st.session_state[REMOVED] = []


def _forget() -> None:
    """Delete the files, and everything read or measured in this session."""
    kept = session()
    kept.stop_runs()
    if kept.uploads is not None:
        shutil.rmtree(kept.uploads.folder.path, ignore_errors=True)
    kept.uploads = kept.listed = kept.steady = None
    kept.upload_messages = []
    for store in (kept.runs, kept.arrays, kept.columns, kept.metadata, kept.labels):
        store.clear()
    cache.session().pictures = ("", None)
    cache.session().clear()


def _safe(name: str) -> str:
    """A safe file name: no folders, no special or control characters, and not too long."""

    def cut(text: str, most: int) -> str:
        return text.encode()[:most].decode(errors="ignore")

    base = name.replace("\\", "/").rpartition("/")[2]
    harmful = {letter for letter in base if letter in '<>:"|?*' or unicodedata.category(letter)[0] == "C"}
    kept = "".join("_" if letter in harmful else letter for letter in base).strip(". ")
    stem, dot, extension = kept.rpartition(".")
    if not dot:
        return cut(kept, LONGEST_NAME) or "file"
    return f"{cut(stem, LONGEST_NAME) or 'file'}.{cut(extension, LONGEST_EXTENSION)}"


def _unique_name(name: str, others: Iterable[str]) -> str:
    """Unique name of a checkpoint: its file's name, with a number if that is taken."""
    stem = " ".join(_safe(name).rpartition(".")[0].split()) or _safe(name)
    taken, number, unique = set(others), 1, stem
    while unique in taken:
        number += 1
        unique = f"{stem} ({number})"
    return unique
