"""Sources of the pictures of uploaded samples: a zip, and the folder that the app was started with."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages._shared import cache
from pages._shared.cache import session
from pages._shared.text import plain
from prviz.readers.media import (
    FORMATS,
    FolderPictures,
    Found,
    MediaError,
    Pictures,
    ZipPictures,
    count_found,
    picture_column,
)
from prviz.readers.paths import served_folder
from prviz.samples import SamplePair, Samples

LIMIT_MB = 500
FOLDER = "the app's folder"
# Most characters of a name in a message.
LONGEST = 120


@dataclass(frozen=True, eq=False)
class Held:
    """Sources of pictures, in the order in which they are searched; equal keys mean the same pictures."""

    key: Hashable = ()
    sources: tuple[Pictures, ...] = ()


def box(pair: SamplePair, origin: Hashable) -> Held:
    """The field for a zip of pictures, where a table names some, and what was found; without such a table nothing.

    origin: stands for the files that the pair was read from.
    """
    if all(picture_column(side) is None for side in pair):
        return Held()
    folder = _folder()
    st.caption(
        f"The `image` or `path` column names pictures: {', '.join(FORMATS)}, in one zip of up to {LIMIT_MB} MB."
        + (" What it lacks is looked for in the folder that this app was started with." if folder else "")
    )
    key, zipped = _zip(st.file_uploader("Pictures (zip)", key="upload-pictures", max_upload_size=LIMIT_MB))
    sources: tuple[Pictures, ...] = tuple(each for each in (zipped, folder) if each is not None)
    held = Held((key, None if folder is None else served_folder()), sources)
    if sources:
        counts = cache.remembered(("pictures", origin, held.key), lambda: [count_found(side, sources) for side in pair])
        titles = [each.title for each in sources]
        for side, found in zip(pair, counts, strict=True):
            if found is not None:
                _say(side, found, " or ".join(titles))
    return held


def _folder() -> FolderPictures | None:
    served = served_folder()
    if served is None:
        return None
    try:
        return FolderPictures(served, title=FOLDER)
    except MediaError:
        st.warning("The folder that this app was started with is gone.", icon=":material/folder_off:")
        return None


def _zip(upload: Any) -> tuple[str, ZipPictures | None]:
    """The zip last read in this session, and its key; a later one that can't be read does not replace it."""
    key, held = session().pictures
    if upload is not None and upload.file_id != key:
        try:
            with st.spinner(f"Reading {plain(upload.name)}"):
                key, held = session().pictures = upload.file_id, ZipPictures(upload.name, upload.getvalue())
        except MediaError as error:
            st.error(f"**Pictures**: {plain(error)}", icon=":material/block:")
    if held is not None and (upload is None or upload.file_id != key):
        st.caption(f"Still used: {plain(held.title)}.")
        st.button("Forget the pictures", on_click=forget)
    return key, held


def forget() -> None:
    """Drop the zip and the thumbnails."""
    session().pictures = ("", None)
    session().thumbnails.clear()


def _say(side: Samples, found: Found, where: str) -> None:
    """Say how many pictures of one set were found, and which is the first missing."""
    if not found.named:
        st.caption(f"**{plain(side.name)}**: its column {plain(found.column)} is empty.")
        return
    loose = f", {found.loosely:,} of them by the file's name alone, in another folder: the right ones?"
    loose = loose if found.loosely else ""
    among = f" (in the first {found.rows:,} rows)" if found.rows < side.n else ""
    text = f"**{plain(side.name)}**: {found.found:,} of {found.named:,} names found in {plain(where)}{loose}{among}"
    if found.first is not None:
        row, name, reason = found.first
        text += f"; first missing: row {row + 1:,}, {plain(reason or ending(name, LONGEST + 1))}"
    text = text.rstrip(".") + "."
    if found.found and not found.loosely:
        st.caption(text)
    else:
        st.warning(text, icon=":material/image_not_supported:")


def ending(name: str, most: int) -> str:
    """The end of a long name, since ends tell pictures apart."""
    return name if len(name) <= most else "…" + name[1 - most :]
