"""Choice of checkpoints in the app's folder. Nothing outside this folder is listed or opened.

The browser identifies an option of a select box by its label. So the label of a folder is only its
path: with its number of files in the label, a new file would make it another option.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

import streamlit as st

from pages._shared.widgets import plain
from pages._triage import embedding, source
from pages._triage.checkpoints import count_of
from pages._triage.session import (
    FOLDER,
    HOLDOUT,
    REFERENCE,
    TABLE,
    CheckpointSource,
    FolderListing,
    refuse,
    session,
)
from prviz.array_input import EMBED_PICTURES
from prviz.embed.pictures import EXTENSIONS
from prviz.readers import ACCEPTED, ACCEPTED_TEXT, table_beside
from prviz.readers.paths import served_folder
from prviz.readers.safe_folder import Below
from prviz.triage.inputs import ArrivalWatch, Checkpoint, checkpoints_below, natural
from prviz.triage.measured import ResultCache

MOST_FOLDERS = 500
_LIKELY = re.compile(r"(?:^|[^a-z])(?:real|reference|ref|target|ground)(?:[^a-z]|$)", re.IGNORECASE)


def choose() -> CheckpointSource | None:
    listing = _listed()
    if listing is None:
        return None
    embedding.draw(listing)
    if not any(listing.files.values()):
        return None
    folder = _folder(listing)
    options = _above(listing, folder)
    reference = _reference(listing, folder, options)
    if reference is None:
        return None
    table = _table(listing, folder)
    root = listing.below.root
    which = ("folder", root, folder, reference)
    source.ask_array(which)
    real = source.read_reference(
        which, root / reference, listing.signatures.get(root / reference), root
    )
    if real is None:
        return None

    others = [name for name in options if name != reference]
    held_out: str | None = st.selectbox(
        "Other real samples (optional)",
        others,
        index=None,
        key=_kept(HOLDOUT, others, lambda: _linked("holdout", options)),
        placeholder="None: two halves of the reference",
        help=(
            "Held-out real samples show what is possible: what real samples get against real ones,"
            " and how often they lie close to the reference."
        ),
        persist_state="session",
    )
    holdout = None
    if held_out is not None:
        holdout = source.read_holdout(which, real, root / held_out, root)
    # The table with metadata is no checkpoint, even if it can't be used.
    left_out = [each for each in (reference, table, held_out) if each is not None]

    def checkpoints_with(metadata: str | None) -> list[Checkpoint]:
        return checkpoints_below(listing.below, listing.files[folder], metadata, leave_out=left_out)

    try:
        checkpoints = source.with_metadata(which, table, checkpoints_with)
    except ValueError:
        st.info("The folder holds no other file: checkpoints are the files beside the reference.")
        return None
    link = {"data": "folder", "folder": folder or ".", "reference": reference}
    if held_out is not None:
        link["holdout"] = held_out
    return replace(
        source.assembled(which, real, checkpoints, ResultCache.cache, listing.signatures),
        link=link,
        title=f"{folder}/" if folder else "folder",
        watch=lambda: _has_grown(folder),
        look=partial(_look, listing.below, folder),
        holdout=holdout,
    )


def _listed() -> FolderListing | None:
    """The listing of the app's folder.

    If the folder has no usable files, draws a message and a button that lists the folder again.
    """
    served = served_folder()
    if served is None:
        st.info(
            "To use files of this computer without uploading them, start the app on their folder: "
            "`prviz app --data DIR`. Nothing outside it is ever listed or opened."
        )
        return None
    listing = session().listing
    if listing is None or listing.served != served:
        session().arrivals, session().arriving = None, frozenset()
        try:
            with st.spinner("Looking at the folder"):
                listing = session().listing = _read(served)
        except (OSError, RuntimeError, ValueError):
            st.warning(
                "The folder that this app was started with is gone.", icon=":material/folder_off:"
            )
            return None
    if not any(listing.files.values()) and not listing.pictures:
        st.info(
            f"No files below the app's folder end in {ACCEPTED_TEXT}. Pictures are embedded first:"
            f" `{EMBED_PICTURES}`."
        )
        st.button("Look again", on_click=_look_again, key="triage-look", icon=":material/refresh:")
        return None
    return listing


def _look_again() -> None:
    session().listing = None


def _look(below: Below, folder: str) -> Hashable:
    """Names and states of the files in the folder: a change of these shows that the folder has
    changed.
    """
    try:
        names, _ = below.files(folder)
    except OSError:
        return None
    return tuple((name, source.signature(below.root / folder / name)) for name in names)


def _has_grown(folder: str) -> bool:
    """True if the folder has new or changed files that are complete.

    Such files are added to the listing, for the next run of the page.
    """
    kept = session()
    listing = session().listing
    if listing is None:
        return False
    root = listing.below.root
    kept.arrivals = kept.arrivals or ArrivalWatch(below=root)
    try:
        names, _ = listing.below.files(folder)
    except OSError:
        return False
    paths = [
        root / folder / name
        for name in names
        if not name.startswith(".") and name.lower().endswith(ACCEPTED)
    ]
    found = kept.arrivals.look(
        path for path in paths if listing.signatures.get(path) != source.signature(path)
    )
    # Files that were changed recently may still be written: wait for them. An older unreadable file
    # is listed, so that the page says what is wrong with it.
    waiting = [path for path in found.waiting if source.is_young(path)]
    kept.arriving = frozenset(waiting)
    if len(waiting) == len(found.waiting) and not found.complete:
        return False
    fresh = kept.listing = _read(listing.served)
    for path in waiting:
        if path not in listing.signatures:
            name = path.relative_to(root).as_posix()
            fresh.files[folder] = [each for each in fresh.files[folder] if each != name]
        fresh.signatures[path] = listing.signatures.get(path)
    return True


def _read(served: Path) -> FolderListing:
    below = Below(served)
    listing = FolderListing(
        served=served, below=below, files={}, tables={}, out={}, signatures={}, pictures=[]
    )
    pictured = set[str]()
    for folder in ["", *below.folders(MOST_FOLDERS)]:
        try:
            names, out = below.files(folder)
        except OSError:  # raised if the folder is unreadable or gone
            continue
        shown = sorted((name for name in names if not name.startswith(".")), key=natural)
        paths = [f"{folder}/{name}" if folder else name for name in shown]
        files = _ending(paths, ACCEPTED)
        pictures = _ending(paths, EXTENSIONS)
        # prviz embed writes two files with the same features: list only the table, which also has
        # paths, texts and labels.
        listing.files[folder] = [path for path in files if table_beside(path) not in files]
        listing.tables[folder] = _ending(paths, (".csv",))
        listing.out[folder] = out
        listing.skipped[folder] = len(paths) - len(files) - len(pictures)
        if pictures:
            pictured |= set(map(str, (PurePosixPath(folder), *PurePosixPath(folder).parents)))
        for path in files:
            listing.signatures[below.root / path] = source.signature(below.root / path)
    listing.pictures.extend(sorted(pictured - {"."}, key=natural))
    return listing


def _ending(paths: Sequence[str], ends: tuple[str, ...]) -> list[str]:
    """Those of the paths that end in one of `ends`, whether in lower or upper case."""
    return [path for path in paths if path.lower().endswith(ends)]


def _folder(listing: FolderListing) -> str:
    """Draw the choice of the folder with the checkpoints; the default is the first folder with
    several files.
    """
    options = sorted((folder for folder, files in listing.files.items() if files), key=natural)
    first = next((each for each in options if len(listing.files[each]) > 1), options[0])

    def default() -> str:
        linked = _linked("folder", options)
        if linked in options:
            return linked
        return first

    with st.container(horizontal=True, vertical_alignment="bottom"):
        folder: str = st.selectbox(
            "Folder",
            options,
            format_func=lambda name: f"{name}/" if name else "the folder itself",
            key=_kept(FOLDER, options, default),
            persist_state="session",
        )
        st.button("Look again", on_click=_look_again, key="triage-look", icon=":material/refresh:")
        skipped = listing.skipped.get(folder, 0)
        left_out = ""
        if skipped:
            left_out = f", {skipped} skipped: no format of samples"
        st.caption(f"{count_of(len(listing.files[folder]), 'file')} in it{left_out}")
    if len(listing.files) > MOST_FOLDERS:
        st.caption(
            f"The first {MOST_FOLDERS} folders are offered; start the app on a smaller one for the"
            " others."
        )
    if listing.out.get(folder):
        st.caption(
            f"{listing.out[folder]} of its links lead out of the app's folder and are left out."
        )
    return folder


def _above(listing: FolderListing, folder: str) -> list[str]:
    """The files that may be the reference: those in the folder and in all folders above it."""
    parts = folder.split("/") if folder else []
    above = ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
    return [name for each in above for name in listing.files.get(each, [])]


def _reference(listing: FolderListing, folder: str, options: Sequence[str]) -> str | None:
    """Draw the choice of the reference, the file with the real samples; return the chosen file."""
    # The default must not be one of the checkpoints: by its name, a checkpoint such as
    # copy_of_ref.npy would look like a reference.
    above_only = [name for name in options if name not in listing.files[folder]]
    candidates = [name for name in above_only if _LIKELY.search(name.rpartition("/")[2])]
    likely = None
    if len(candidates) == 1:
        likely = candidates[0]
    return st.selectbox(
        "Reference: the file with the real samples",
        options,
        index=None,
        key=_kept(REFERENCE, options, lambda: _linked("reference", options) or likely),
        placeholder="Choose it; all other files of the folder are checkpoints",
        persist_state="session",
    )


def _table(listing: FolderListing, folder: str) -> str | None:
    options = listing.tables.get(folder, [])
    if not options:
        st.session_state.pop(TABLE, None)
        return None
    return st.selectbox(
        "Metadata (optional): a table with the columns file, step and run, and any others of"
        " numbers",
        options,
        index=None,
        key=_kept(TABLE, options, lambda: None),
        placeholder="None",
        persist_state="session",
    )


def _kept(key: str, options: Sequence[str], first: Callable[[], str | None]) -> str:
    """The key of a select box. If the box has no value, or one that is no longer an option, it is
    reset to `first()`.
    """
    if key not in st.session_state or (
        st.session_state[key] is not None and st.session_state[key] not in options
    ):
        st.session_state[key] = first()
    return key


def _linked(name: str, options: Sequence[str]) -> str | None:
    """The value that the link gives for a field, the first time that it is read; None if it is not
    one of these options.

    "." in the link means the app's folder itself, and gives "".
    """
    text = session().unread.pop(name, None)
    if text is None or text in options or text == ".":
        if text == ".":
            return ""
        return text
    refuse(
        name,
        f"The link names the {name} {plain(text)}, which is not in the app's folder; it is"
        " ignored.",
    )
    return None
