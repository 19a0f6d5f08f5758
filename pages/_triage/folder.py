"""Checkpoints below the folder that the app was started with; nothing outside it is ever listed or opened.

The browser identifies an option of a field by its label. So the label of a folder or file is its path alone: a label
with the number of files would become another option when that number changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages._shared.text import plain
from pages._triage import link as _link
from pages._triage import metadata as _metadata
from pages._triage import source
from pages._triage.source import CheckpointSource, Signature
from prviz.readers import ACCEPTED
from prviz.readers.paths import served_folder
from prviz.readers.safe_folder import Below
from prviz.triage.inputs import Checkpoint, checkpoints_below, natural
from prviz.triage.result_cache import ResultCache

FOLDER, REFERENCE, TABLE = "triage.folder", "triage.reference", "triage.metadata"
MOST_FOLDERS = 500
_LIKELY = re.compile(r"(?:^|[^a-z])(?:real|reference|ref|target|ground)(?:[^a-z]|$)", re.IGNORECASE)


@dataclass(frozen=True)
class _Listing:
    """Contents of the folder when it was last read.

    files : by folder, files that may hold samples. tables : by folder, files that may hold metadata. out : by folder,
    the number of links that lead out. signatures : by path, size and time of every file.
    """

    below: Below
    files: dict[str, list[str]]
    tables: dict[str, list[str]]
    out: dict[str, int]
    signatures: dict[Path, Signature]


def choose() -> CheckpointSource | None:
    listing = _listed()
    if listing is None:
        return None
    folder = _folder(listing)
    reference = None if folder is None else _reference(listing, folder)
    if folder is None or reference is None:
        return None
    table = _table(listing, folder)
    root = listing.below.root
    which = ("folder", root, folder, reference)
    source.ask_array(which)
    real = source.read_reference(which, root / reference, listing.signatures.get(root / reference), root)
    if real is None:
        return None

    def made(metadata: str | None) -> list[Checkpoint]:
        others = (
            [reference] if table is None else [reference, table]
        )  # a table that can't be used as metadata is no checkpoint either
        return checkpoints_below(listing.below, listing.files[folder], metadata, leave_out=others)

    try:
        checkpoints = _metadata.fitting(which, table, made)
    except ValueError:
        st.info("The folder holds no other file: checkpoints are the files beside the reference.")
        return None
    link = {"data": "folder", "folder": folder or ".", "reference": reference}
    return source.assembled(which, real, checkpoints, ResultCache.cache, listing.signatures, link=link)


def _listed() -> _Listing | None:
    """The folder as last read; draws a message and a button to read it again if it has no files."""
    served = served_folder()
    if served is None:
        st.info(
            "To use files of this computer without uploading them, start the app on their folder: "
            "`prviz app --data DIR`. Nothing outside it is ever listed or opened."
        )
        return None
    held = st.session_state.get("_triage_listing")
    if held is None or held[0] != served:
        try:
            with st.spinner("Looking at the folder"):
                held = st.session_state["_triage_listing"] = served, _read(served)
        except (OSError, RuntimeError, ValueError):
            st.warning("The folder that this app was started with is gone.", icon=":material/folder_off:")
            return None
    listing: _Listing = held[1]
    if not any(listing.files.values()):
        st.info(f"No files below the app's folder end in {', '.join(ACCEPTED)}.")
        st.button("Look again", on_click=look_again, key="triage-look", icon=":material/refresh:")
        return None
    return listing


def look_again() -> None:
    st.session_state.pop("_triage_listing", None)


def _read(served: Path) -> _Listing:
    below = Below(served)
    listing = _Listing(below, {}, {}, {}, {})
    for folder in ["", *below.folders(MOST_FOLDERS)]:
        try:
            names, out = below.files(folder)
        except OSError:  # not readable, or gone
            continue
        shown = sorted((name for name in names if not name.startswith(".")), key=natural)
        listing.files[folder] = [_joined(folder, name) for name in shown if name.lower().endswith(ACCEPTED)]
        listing.tables[folder] = [_joined(folder, name) for name in shown if name.lower().endswith(".csv")]
        listing.out[folder] = out
        for name in listing.files[folder]:
            listing.signatures[below.root / name] = source.signature(below.root / name)
    return listing


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _folder(listing: _Listing) -> str | None:
    """Draw the choice of the checkpoints' folder; the first default has more than one file."""
    options = sorted((folder for folder, files in listing.files.items() if files), key=natural)
    first = next((each for each in options if len(listing.files[each]) > 1), options[0])

    def default() -> str:
        asked = _asked("folder", options)
        return asked if asked in options else first

    with st.container(horizontal=True, vertical_alignment="bottom"):
        folder: str = st.selectbox(
            "Folder",
            options,
            format_func=lambda name: f"{name}/" if name else "the folder itself",
            key=_kept(FOLDER, options, default),
            **_link.KEEP,
        )
        st.button("Look again", on_click=look_again, key="triage-look", icon=":material/refresh:")
        count = len(listing.files[folder])
        st.caption(f"{count} file{'s' * (count != 1)} in it")
    if len(listing.files) > MOST_FOLDERS:
        st.caption(f"The first {MOST_FOLDERS} folders are offered; start the app on a smaller one for the others.")
    if listing.out.get(folder):
        st.caption(f"{listing.out[folder]} of its links lead out of the app's folder and are left out.")
    return folder


def _reference(listing: _Listing, folder: str) -> str | None:
    """Draw the choice of the file with the real samples, in the folder or one of its parents."""
    parts = folder.split("/") if folder else []
    above = ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
    options = [name for each in above for name in listing.files.get(each, [])]
    likely = next((name for name in options if _LIKELY.search(name.rpartition("/")[2])), None)
    chosen: str | None = st.selectbox(
        "Reference: the file with the real samples",
        options,
        index=None,
        key=_kept(REFERENCE, options, lambda: _asked("reference", options) or likely),
        placeholder="Choose it; all other files of the folder are checkpoints",
        **_link.KEEP,
    )
    return chosen


def _table(listing: _Listing, folder: str) -> str | None:
    options = listing.tables.get(folder, [])
    if not options:
        st.session_state.pop(TABLE, None)
        return None
    return st.selectbox(
        "Metadata (optional): a table with the columns file and step, and any others of numbers",
        options,
        index=None,
        key=_kept(TABLE, options, lambda: None),
        placeholder="None",
        **_link.KEEP,
    )


def _kept(key: str, options: Sequence[str], first: Callable[[], str | None]) -> str:
    """The key of a field, reset to `first()` if its value is no option any more."""
    if key not in st.session_state or (st.session_state[key] is not None and st.session_state[key] not in options):
        st.session_state[key] = first()
    return key


def _asked(name: str, options: Sequence[str]) -> str | None:
    """The value of a part of the link, read once, if it is one of these options; "." is the app's folder itself."""
    asked = st.session_state.setdefault("_triage_asked", dict(_link.start()))
    text = asked.pop(name, None)
    if text is None or text in options or text == ".":
        return "" if text == "." else text
    _link.refuse(name, f"The link names the {name} {plain(text)}, which is not in the app's folder; it is ignored.")
    return None
