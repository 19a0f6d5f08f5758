"""Choice of reference and checkpoints by uploading files. These lie in a private folder that is
deleted at the end of the session.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages._shared import cache
from pages._shared.uploads import say_refused
from pages._shared.widgets import plain
from pages._triage import source
from pages._triage.checkpoints import count_of
from pages._triage.session import REMOVED, CheckpointSource, UploadedFiles, session
from prviz.readers import ACCEPTED_TEXT
from prviz.readers.source import human_size
from prviz.server.uploads import uploads
from prviz.triage.measured import ResultCache


def choose() -> CheckpointSource | None:
    held = session().uploads
    st.caption(
        f"Rows are samples, columns are features: {ACCEPTED_TEXT}, up to"
        f" {uploads.file_mb} MB each. Files and results stay in this session, are"
        " deleted with it, and never enter a link."
    )
    _fields(held)
    say_refused()
    for each in session().upload_messages:
        st.error(each, icon=":material/save:")
    if held is not None:
        _list(held)
    if held is None or held.reference is None or not held.checkpoints:
        return None
    which = ("upload", held.folder.path)
    source.ask_array(which)
    real = source.read_reference(which, held.reference, None)
    if real is None:
        return None
    checkpoints = source.with_metadata(which, held.table, held.named)
    holdout = None
    if held.holdout is not None:
        holdout = source.read_holdout(which, real, held.holdout)
    assembled = source.assembled(
        which,
        real,
        checkpoints,
        lambda: ResultCache(held.folder.path / "results", needed=False, holds=held.folder),
        # no file states, since uploaded files never change
        dict.fromkeys(held.checkpoints, None),
    )
    return replace(
        assembled,
        holdout=holdout,
        link={"data": "upload"},
        title="Uploads",
    )


def _list(held: UploadedFiles) -> None:
    """Draw which files are uploaded and which are missing, and buttons that remove uploaded
    files.
    """
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
    missing = " Now add the reference."
    if held.reference:
        missing = ""
    missing = missing or ("" if held.checkpoints else " Now add the checkpoints.")
    with st.container(horizontal=True, vertical_alignment="center"):
        there = ""
        if parts:
            there = f"Here: {', '.join(parts)}; {human_size(size)}."
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


def _fields(held: UploadedFiles | None) -> None:
    """Draw the upload fields.

    Once a field's files are on disk, the field is emptied, so that memory holds no second copy of
    them.
    """
    emptied = session().emptied
    keys = {
        name: f"triage-{name}-{emptied[name]}" for name in ("real", "many", "table-of", "held-out")
    }
    left, right = st.columns(2)
    real = left.file_uploader(
        "Reference: the real samples", key=keys["real"], max_upload_size=uploads.file_mb
    )
    many = right.file_uploader(
        "Checkpoints, all at once",
        accept_multiple_files=True,
        key=keys["many"],
        max_upload_size=uploads.file_mb,
    )
    table = other = None
    if held is not None and held.checkpoints:
        label = (
            "Metadata (optional): a CSV with the columns file, step and run, and any others of"
            " numbers"
        )
        table = st.file_uploader(label, key=keys["table-of"], max_upload_size=16)
        label = (
            "Other real samples (optional): show what is possible, else two halves of the"
            " reference do"
        )
        other = st.file_uploader(label, key=keys["held-out"], max_upload_size=uploads.file_mb)
    if not (real or table or other or many):
        return
    if held is None:
        held = session().uploads = UploadedFiles()
    messages = []
    kinds = [
        ("real", real),
        *(("many", each) for each in many),
        ("table-of", table),
        ("held-out", other),
    ]
    for kind, upload in kinds:
        if upload is None:
            continue
        uploads.arrived(upload.name)
        try:
            # not `getbuffer`, which would copy the file
            path = held.put(upload.name, memoryview(upload.getvalue()))
        except OSError as error:
            messages.append(
                f"**{plain(upload.name)}** can't be kept on this machine:"
                f" {plain(error.strerror or error)}."
            )
            continue
        finally:
            uploads.release(upload.file_id)
        held.take(kind, path, upload.name)
    session().upload_messages = messages
    for name, files in zip(keys, (real, many, table, other), strict=True):
        emptied[name] += bool(files)
    st.rerun()


def _remove() -> None:
    """Callback: remove the ticked files.

    It gets the files from the session, not as arguments: Streamlit keeps a button's arguments in
    memory, and the files' folder would stay too.
    """
    if (held := session().uploads) is not None:
        for path in st.session_state[REMOVED]:
            held.remove(path)
    st.session_state[REMOVED] = []


def _forget() -> None:
    """Callback: delete the uploaded files, and everything that was read or measured in this
    session.
    """
    session().clear()
    cache.session().pictures = ("", None)
    cache.session().clear()
