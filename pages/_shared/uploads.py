"""The two upload fields, which turn files into a pair of samples. The page explains why it refuses
a file. Until a new pair is complete, the old one stays on screen.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._shared import cache
from pages._shared.cache import session
from pages._shared.widgets import begin, choose_one, plain, say_refusal
from prviz import readers
from prviz.live.problems import HeldPictures, Uploaded
from prviz.measure.workload import default_rows, duration, estimate_seconds
from prviz.readers.bundled import bundled_pair
from prviz.readers.columns import SHARED, ColumnChoice, columns_offered, with_buttons
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
from prviz.server.uploads import uploads

FORMS = (
    "Rows are samples, columns are features. One .npz may hold both, as real and fake. Columns of a"
    " table may say what a sample looks like: `text`, and `image` or `path` for its picture. Files"
    " stay in this session and never enter a link."
)
ROWS = (
    "Rows of each set, drawn by the seed; every k and bandwidth together take several times as long"
    " as one curve. For a first look at millions of rows there are approximate neighbour lists, at"
    " the end of this sidebar."
)
# The bundled checkpoint that the button "Try an example" uploads.
EXAMPLE = "mixture-converged"
# Style rules that are in the page only while the upload fields or a refusal cover the figure. In
# the style sheet, the browser would have to test them at every change of the page.
_COVERED = (
    ":is(.st-key-part-pr-figure, .st-key-part-warnings, .st-key-part-notice,"
    " [data-prviz-place=rows], .st-key-part-diagnostics, .st-key-far-off, .st-key-far-off-found)"
)
_TARGETS = (
    f"<style>{_COVERED}, {_COVERED} * {{ visibility: hidden !important; }} "
    ".st-key-part-targets { display: flex !important; }</style>"
)
_NO_PAIR = (
    '<i class="prviz-no-pair"></i>'
    "<style>:is([data-prviz-place=data], [data-prviz-place=details]) { display: none; }</style>"
)
_DIMMED = "<style>.st-key-part-pr-figure { opacity: .3 !important; }</style>"
# Most characters of a file's name in the sidebar.
CHIP = 18


def limits() -> readers.Limits:
    """The limits of size within which an uploaded file is read."""
    return readers.Limits(max_bytes=uploads.file_mb * 1024**2)


class _RefusedError(Exception):
    """Raised if an upload can't be used, after the page has said why."""


class _IncompleteError(Exception):
    """Raised if a file or the choice of an array is still missing, after the page has said
    which.
    """


class Fields(NamedTuple):
    """Content of the two upload fields. files : ids of their files. pair : the pair that the files
    give. refused : True if a file was refused. incomplete : True if a file is missing.
    """

    files: tuple[str | None, ...]
    pair: Uploaded | None
    refused: bool = False
    incomplete: bool = False


def box(k: int | str) -> Uploaded | None:
    """Draw the two upload fields and return the pair that was last read in this session. A file
    that can't be read does not replace that pair.

    k : number of neighbours for which a set must have enough rows.
    """
    said = st.container()
    fields = _fields(k, said)
    held = session()
    if fields.pair is None and held.uploaded is not None:
        st.caption(f"Still on screen: {' and '.join(map(plain, held.uploaded.files))}.")
        st.button("Forget them", on_click=forget)
    return _held(fields)


def stage(k: int | str, place: DeltaGenerator) -> Uploaded | None:
    """Draw the names of the current pair where this is called, and the two upload fields in
    `place`, over the figure.

    The fields are visible until there is a pair, and after a click on Replace; the message on a
    refused file is always visible.
    """
    held = session()
    with place:
        targets = st.container(key="part-targets")
        said = st.container(key="part-refusal")
        shown = said.container()
        with targets:
            fields = _fields(k, said)
            if held.uploaded is None and fields.pair is None:
                st.button("Try an example", icon=":material/science:", on_click=_take_example)
    uploaded = _held(fields)
    opened = uploaded is None or fields.incomplete or held.replaced_files == fields.files
    refused = fields.refused or uploads.refused() is not None
    if opened:
        place.html(_TARGETS + _NO_PAIR * (uploaded is None))
    elif refused:
        place.html(_DIMMED)
    if uploaded is not None and (opened or refused):
        shown.markdown(f"Shown: **{' against '.join(plain(side.name) for side in uploaded.pair)}**")
        with said.container(horizontal=True):
            if not opened:
                st.button("Choose another file", on_click=_replace, args=(fields.files,))
            st.button("Keep what is shown", key="keep-shown", on_click=_empty_fields)
    if uploaded is not None:
        for role, side in zip(("Real", "Generated"), uploaded.pair, strict=True):
            name = f"{plain(ending(side.name, CHIP))} · {side.n:,} × {side.d:,}"
            st.caption(name, help=f"{role} samples: {plain(side.name)}.")
        with st.container(horizontal=True, key="part-files"):
            st.button(
                "Replace",
                key="replace-files",
                type="tertiary",
                on_click=_replace,
                args=(fields.files,),
            )
            st.button("Remove both", key="forget", type="tertiary", on_click=forget)
    return uploaded


def _held(fields: Fields) -> Uploaded | None:
    """The pair in the fields or, if they have none, the pair last read; the session stores it."""
    uploaded = fields.pair or session().uploaded
    if uploaded is not None:
        uploaded = replace(uploaded, pictures=pictures_box(uploaded.pair, uploaded.origin))
        session().uploaded = uploaded
    return uploaded


def _fields(k: int | str, said: DeltaGenerator) -> Fields:
    """Draw the two upload fields side by side; in `said`, messages on what is wrong with their
    files or is missing.
    """
    emptied = session().emptied
    files = []
    for column, role in zip(st.columns(2), ("real", "generated"), strict=True):
        key = f"upload-{role}.{emptied}" if emptied else f"upload-{role}"
        files.append(
            column.file_uploader(
                f"{role.capitalize()} samples", key=key, max_upload_size=uploads.file_mb
            )
        )
    st.caption(f"{readers.ACCEPTED_TEXT}, up to {uploads.file_mb} MB", help=FORMS)
    for each in filter(None, files):
        uploads.arrived(each.name)
    ids = tuple(None if each is None else str(each.file_id) for each in files)
    with said:
        say_refused()
        try:
            found = _both(*files)
            for role, side in zip(("real", "generated"), found.pair if found else (), strict=False):
                if isinstance(k, int) and side.n < k + 2:
                    needed = f"{side.n} {role} rows; k = {k} needs at least {k + 2}."
                    raise _explained(
                        side.name,
                        ValueError(f"{needed} Lower k in the figure, or choose √n, first."),
                    )
        except (_RefusedError, _IncompleteError) as error:
            refused = isinstance(error, _RefusedError)
            return Fields(ids, None, refused, not refused)
    return Fields(ids, found)


def _replace(files: tuple[str | None, ...]) -> None:
    """Callback: show the upload fields until they contain other files than these."""
    session().replaced_files = files


def _empty_fields() -> None:
    """Callback: empty the upload fields and forget refused files; the current pair stays."""
    held = session()
    held.emptied += 1
    held.replaced_files = None
    held.columns = SHARED
    uploads.forget_refused()


def show(uploaded: Uploaded) -> None:
    """Make this the current pair. The upload fields are emptied, as their files would replace it
    again otherwise.
    """
    _empty_fields()
    session().uploaded = uploaded


def swap() -> None:
    """Swap real and generated of the uploaded pair."""
    uploaded = session().uploaded
    if uploaded is not None:
        show(uploaded.swapped())


def _take_example() -> None:
    """Callback: read an example as if it were uploaded in two files: the bundled digits, and
    samples of a generator of digits.
    """
    pair = bundled_pair(EXAMPLE)
    read = []
    for name, side in zip(("digits.npy", "mixture.npy"), pair, strict=True):
        file = io.BytesIO()
        np.save(file, side.values)
        read.append(readers.read((name, file.getvalue()), limits=limits()))
    show(Uploaded(SamplePair(*read), ("digits.npy", "mixture.npy"), (None, None)))


def say_refused() -> None:
    """Draw a message if the server has refused files for lack of memory: which, how much memory is
    in use, and what to remove.
    """
    refused = uploads.refused()
    if refused is not None:
        st.error(
            f"**Not taken: {plain(refused.names)}**. {plain(refused.reason)}",
            icon=":material/memory:",
        )
        st.button("Dismiss", on_click=uploads.forget_refused, key="refused-dismiss")


def forget() -> None:
    """Callback: remove the uploaded pair and everything that was read or computed in this
    session.
    """
    held = session()
    _empty_fields()
    held.uploaded = None
    held.shown = None
    held.pictures = ("", None)
    held.clear()


def _both(real: Any, generated: Any) -> Uploaded | None:
    if real is None and generated is None:
        session().columns = SHARED
        return None
    for title, one, other in (
        ("Real samples", real, generated),
        ("Generated samples", generated, real),
    ):
        if one is not None and other is None:
            together = _in_one_file(title, one)
            if together is not None:
                return together
    first = _one("Real samples", "real", real)
    second = _one("Generated samples", "generated", generated)
    if first is None or second is None:
        st.info(f"Now add the {'real' if real is None else 'generated'} samples.")
        raise _IncompleteError
    try:
        pair = SamplePair(first[0], second[0])
    except ValueError as error:
        raise _explained("These two do not fit together", error) from None
    origin = (
        (real.file_id, generated.file_id)
        if any(side.labels or side.encoder for side in pair)
        else ()
    )
    keys = first[1], second[1]
    return Uploaded(pair, (real.name, generated.name), keys, origin, choice=session().columns)


def _in_one_file(title: str, upload: Any) -> Uploaded | None:
    """The pair that one file contains; None if the file contains one set only."""
    # not `getbuffer`, which would copy the file
    source = (upload.name, memoryview(upload.getvalue()))
    kept = f"rows-chosen-{upload.file_id}"
    try:
        table = readers.kind_of(upload.name) in readers.TABLES
        keys = _roles(upload, source, table=table)
        chosen = None
        if keys is None and table:
            keys = chosen = st.session_state.get(kept) or _rows_of_roles(upload, source)
        if keys is None:
            return None
        with st.spinner(f"Reading {plain(upload.name)}"):
            pair = cache.held_samples(
                ("pair", upload.file_id, chosen, session().columns),
                lambda: readers.read_chosen_pair(
                    source, session().columns, keys=chosen, limits=limits()
                ),
            )
    except readers.ReadError as error:
        raise _explained(title, error) from None
    if chosen is not None and kept not in st.session_state:
        # run the page again: the upload fields must no longer cover the figure
        st.session_state[kept] = chosen
        st.rerun()
    origin = (upload.file_id,) if table else ()
    return Uploaded(pair, (upload.name,), keys, origin, choice=session().columns)


def _roles(upload: Any, source: tuple[str, memoryview], *, table: bool) -> tuple[str, str] | None:
    """The keys of the real and of the generated set in a file that names both; else None."""
    if table:
        try:
            _read(upload, source, None)
        except readers.AmbiguousKeyError:  # the table has both sets, or several list columns
            pass
        # the table has columns of texts: `_rows_of_roles` lets the user choose among these
        except readers.TextColumnError:
            return None
        else:
            return None
    return cache.remembered(
        ("roles", upload.file_id), lambda: readers.roles(source, limits=limits())
    )


def _rows_of_roles(upload: Any, source: tuple[str, memoryview]) -> tuple[str, str] | None:
    """If a table has a column such as ``split`` that separates both sets, let the user choose which
    rows are real and which are generated.

    Returns the choice; None if there is none to make, or it is not made yet. Raises
    _IncompleteError while a choice is missing without which the file can't be read: if several list
    columns each have rows of both sets.
    """
    several = False
    try:
        choices = readers.row_choices(_read(upload, source, None).labels)
    except readers.AmbiguousKeyError as error:
        choices = tuple(each for each in error.choices if "=" in each)
        several = bool(choices)
    except readers.TextColumnError:
        choices = _rows_by_texts(source)
    if not choices:
        return None
    st.markdown(f"{'Both' if several else 'Or both'} sets are rows of **{plain(upload.name)}**:")
    real, generated = (
        column.selectbox(
            f"{role.capitalize()} rows", choices, index=None, key=f"rows-{role}-{upload.file_id}"
        )
        for column, role in zip(st.columns(2), ("real", "generated"), strict=True)
    )
    if real is not None and generated is not None and real != generated:
        return real, generated
    if several:
        raise _IncompleteError
    return None


def _rows_by_texts(source: tuple[str, memoryview]) -> tuple[str, ...]:
    """The sets of rows to choose from in a table of texts: rows with equal entries in a text
    column.
    """
    try:
        readers.read_chosen_pair(source, session().columns, limits=limits())
    except readers.AmbiguousKeyError as error:
        return error.choices
    except readers.ReadError:
        pass
    return ()


def _one(title: str, role: str, upload: Any) -> tuple[Samples, str | None] | None:
    if upload is None:
        return None
    source = (upload.name, memoryview(upload.getvalue()))
    try:
        try:
            return _read(upload, source, None), None
        except readers.AmbiguousKeyError as error:
            label = f"{title}: several arrays fit. Which one?"
            key = st.selectbox(label, list(error.choices), index=None, key=f"key-{role}")
        if key is None:
            raise _IncompleteError
        return _read(upload, source, key), key
    except readers.ReadError as error:
        raise _explained(title, error) from None


def _read(upload: Any, source: tuple[str, memoryview], key: str | None) -> Samples:
    """Read the samples in a file. Raises _IncompleteError if some columns do not look like features
    and the user has not decided whether to use them.
    """
    choice = session().columns
    try:
        with st.spinner(f"Reading {plain(upload.name)}"):
            return cache.held_samples(
                ("file", upload.file_id, key, choice),
                lambda: readers.read_chosen(source, choice, key=key, limits=limits()),
            )
    except readers.SuspectColumnsError as error:
        ask_columns(upload.name, error.columns, choice, _take_columns)
        raise _IncompleteError from None


def _take_columns(choice: ColumnChoice) -> None:
    """Callback: read both files again, with this choice of columns."""
    session().columns = choice


def ask_columns(
    name: str,
    columns: Sequence[str],
    choice: ColumnChoice,
    take: Callable[..., None],
    *args: Hashable,
) -> None:
    """Ask the user whether to use columns that do not look like features. Each answer is a button,
    which calls `take(*args, choice)` with the resulting choice of columns.
    """
    shown = ", ".join(f"**{plain(column[:LONGEST])}**" for column in columns[:CHIP])
    more = ""
    if len(columns) > CHIP:
        more = f" and {len(columns) - CHIP} more"
    st.info(
        f"Columns of {plain(name)} look like no features: {shown}{more}. A seed, a step, a place in"
        " a plot or a key would be part of every distance.",
        icon=":material/view_column:",
    )
    whole = replace(choice, features=("*",))
    with st.container(horizontal=True):
        st.button(
            "Leave them out",
            key="columns-out",
            type="primary",
            on_click=take,
            args=(*args, choice.without(columns)),
        )
        st.button("Use them as features", key="columns-in", on_click=take, args=(*args, whole))


def _explained(title: str, error: Exception) -> _RefusedError:
    """Draw why a file can't be used, and return the error to raise."""
    say_unread(title, error, session().columns, _take_columns)
    return _RefusedError()


def say_unread(
    title: str,
    error: Exception,
    choice: ColumnChoice,
    take: Callable[..., None],
    *args: Hashable,
) -> None:
    """Draw why a file can't be read, a button that leaves out the columns at fault, if any, and
    code to convert the file, if the error's text has some. `take`, `args` : as in `ask_columns`.
    """
    reason, _, recipe = str(error).partition("\n")
    say_refusal(f"**{plain(title)}**: {plain(with_buttons(reason))}")
    if columns := columns_offered(reason):
        st.button(
            "Leave it out" if len(columns) == 1 else "Leave them out",
            key="columns-out",
            type="primary",
            on_click=take,
            args=(*args, choice.without(columns)),
        )
    if recipe:
        st.code(recipe, language="python", wrap_lines=True)


def rows_to_use(pair: SamplePair, *, approximate: bool) -> int:
    """Number of rows of each set to measure: all; or, if exact curves of all rows would be slow,
    the number that the user chooses.
    """
    rows = max(pair.real.n, pair.generated.n)
    sizes = (pair.real.n, pair.generated.n, pair.d)
    few = default_rows(*sizes)
    if approximate or few == rows:
        return rows
    titles = {few: f"{few:,} rows", rows: f"all {rows:,} ({duration(estimate_seconds(*sizes))})"}
    key = begin(f"rows-{'-'.join(sorted(side.digest[:12] for side in pair))}", few)
    return choose_one(
        "Rows to measure",
        titles,
        key=key,
        help=ROWS,
        label_visibility="collapsed",
        persist_state="session",
    )


FOLDER = "the app's folder"
# Most characters of a file's or column's name in a message.
LONGEST = 120


def pictures_box(pair: SamplePair, origin: Hashable) -> HeldPictures:
    """If a table of the pair names pictures, draw an upload field for a zip of pictures, and how
    many pictures were found.
    origin : identifies the pair's uploaded files.
    """
    if all(picture_column(side) is None for side in pair):
        return HeldPictures()
    folder = _folder()
    st.caption(
        f"The `image` or `path` column names pictures: {', '.join(FORMATS)}, in one zip of up to"
        f" {uploads.file_mb} MB."
        + (
            " What it lacks is looked for in the folder that this app was started with."
            if folder
            else ""
        )
    )
    key, zipped = _zip(
        st.file_uploader("Pictures (zip)", key="upload-pictures", max_upload_size=uploads.file_mb)
    )
    sources: tuple[Pictures, ...] = tuple(each for each in (zipped, folder) if each is not None)
    held = HeldPictures((key, None if folder is None else served_folder()), sources)
    if sources:
        counts = cache.remembered(
            ("pictures", origin, held.key), lambda: [count_found(side, sources) for side in pair]
        )
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
        st.warning(
            "The folder that this app was started with is gone.", icon=":material/folder_off:"
        )
        return None


def _zip(upload: Any) -> tuple[str, ZipPictures | None]:
    """Key and content of the zip of pictures that was last read in this session. A later file that
    can't be read does not replace it.
    """
    key, held = session().pictures
    if upload is not None and upload.file_id != key:
        try:
            with st.spinner(f"Reading {plain(upload.name)}"):
                key, held = session().pictures = (
                    upload.file_id,
                    ZipPictures(upload.name, upload.getvalue()),
                )
        except MediaError as error:
            say_refusal(f"**Pictures**: {plain(error)}")
    if held is not None and (upload is None or upload.file_id != key):
        st.caption(f"Still used: {plain(held.title)}.")
        st.button("Forget the pictures", on_click=forget_pictures)
    return key, held


def forget_pictures() -> None:
    """Callback: forget the zip of pictures, and all thumbnails."""
    session().pictures = ("", None)
    session().thumbnails.clear()


def _say(side: Samples, found: Found, where: str) -> None:
    """Draw a message: how many pictures of one set were found, and which is the first missing
    one.
    """
    if not found.named:
        st.caption(f"**{plain(side.name)}**: its column {plain(found.column)} is empty.")
        return
    loose = (
        f", {found.loosely:,} of them by the file's name alone, in another folder: the right ones?"
    )
    if not found.loosely:
        loose = ""
    among = ""
    if found.rows < side.n:
        among = f" (in the first {found.rows:,} rows)"
    text = (
        f"**{plain(side.name)}**: {found.found:,} of {found.named:,} names found in"
        f" {plain(where)}{loose}{among}"
    )
    if found.first is not None:
        row, name, reason = found.first
        text += f"; first missing: row {row + 1:,}, {plain(reason or ending(name, LONGEST + 1))}"
    text = text.rstrip(".") + "."
    if found.found and not found.loosely:
        st.caption(text)
    else:
        st.warning(text, icon=":material/image_not_supported:")


def ending(name: str, most: int) -> str:
    """The name, or its end if it is too long: names of pictures usually differ at the end."""
    if len(name) <= most:
        return name
    return "…" + name[1 - most :]
