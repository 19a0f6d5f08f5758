"""Turns the files that the user has chosen, in the app's folder or uploaded, into a
`CheckpointSource`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import streamlit as st

from pages._shared import cache
from pages._shared.uploads import ask_columns, pictures_box, say_unread
from pages._shared.widgets import plain, say_refusal
from pages._triage.session import ARRAY, CheckpointSource, session
from prviz.live.problems import Uploaded
from prviz.readers import TABLES, AmbiguousKeyError, ReadError, SuspectColumnsError, kind_of
from prviz.readers.columns import SHARED, ColumnChoice, columns_offered, with_buttons
from prviz.readers.media import picture_column
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint, FileState, file_state
from prviz.triage.measure import samples_at
from prviz.triage.measured import ResultCache, TriageSettings
from prviz.triage.memorisation import check_holdout

T = TypeVar("T")


# A file that can't be read counts as unfinished until it has not changed for this many seconds;
# then it counts as broken.
YOUNG = 60.0


def is_young(path: Path) -> bool:
    """True if the file was changed so recently that its writer may not have finished yet."""
    try:
        return time.time() - path.stat().st_mtime < YOUNG
    except OSError:
        return False


def signature(path: Path) -> FileState | None:
    """State of a file; another state means that the file has changed. None if the file is gone."""
    try:
        return file_state(path)
    except OSError:
        return None


def array(which: Hashable) -> str | None:
    """Name of the array that the user has chosen for the files of this source; None if none is
    chosen.
    """
    chosen: str | None = st.session_state.get(ARRAY)
    if chosen in session().arrays.get(which, ()):
        return chosen
    return None


def chosen(which: Hashable) -> TriageSettings:
    """Settings with what the user has chosen for the files of this source: the array, and the
    columns of tables.
    """
    columns = session().columns.get(which, SHARED)
    return TriageSettings(key=array(which), features=columns.features, drop=columns.drop)


def _take_columns(which: Hashable, choice: ColumnChoice) -> None:
    """Callback: read the files of this source again, with this choice of columns."""
    session().columns[which] = choice


def offer_without(which: Hashable, messages: Sequence[str]) -> None:
    """If these messages offer to drop columns, draw a button that leaves them out in all files."""
    before = session().columns.get(which, SHARED)
    offered = dict.fromkeys(name for each in messages for name in columns_offered(each))
    if offered:
        args = which, before.without(offered)
        st.button("Leave out", key="noted-out", on_click=_take_columns, args=args)


def read_reference(
    which: Hashable, path: Path, signed: FileState | None, below: Path | None = None
) -> Samples | None:
    """Read the reference; it is cached by its file's signature. None, with a message, if it can't
    be read yet.
    """
    settings = chosen(which)
    key = (which, path, signed, settings)
    try:
        with st.spinner(f"Reading {plain(path.name)}"):
            found = cache.held_samples(
                ("triage-reference", *key), lambda: samples_at(path, settings, below)
            )
    except SuspectColumnsError as error:
        ask_columns(
            path.name, error.columns, session().columns.get(which, SHARED), _take_columns, which
        )
    except AmbiguousKeyError as error:
        if offer(which, error.choices):
            st.rerun()
        st.info(
            f"{plain(path.name)} holds several arrays: choose one, for all files.",
            icon=":material/data_array:",
        )
    except (ReadError, OSError) as error:
        before = session().columns.get(which, SHARED)
        say_unread("Reference", error, before, _take_columns, which)
    else:
        if found.notes:
            notes = "; ".join(map(with_buttons, found.notes))
            st.caption(f"Columns of {plain(path.name)}: {plain(notes)}.")
        offer_without(which, found.notes)
        return found
    return None


def read_holdout(
    which: Hashable, reference: Samples, path: Path, below: Path | None = None
) -> Samples | None:
    """Read the held-out real samples; None, with a message, if they can't be used."""
    settings = chosen(which)
    key = (which, path, signature(path), settings, reference.digest)

    def load() -> Samples:
        found = samples_at(path, settings, below)
        check_holdout(reference, found)
        return found

    try:
        return cache.held_samples(("triage-holdout", *key), load)
    except (ValueError, OSError) as error:
        reason, _, recipe = str(error).partition("\n")
        say_refusal(f"**Held-out real samples** are not used. {plain(reason)}")
        if recipe:
            st.code(recipe, language="python", wrap_lines=True)
    return None


def assembled(
    which: Hashable,
    reference: Samples,
    checkpoints: Sequence[Checkpoint],
    store: Callable[[], ResultCache],
    signatures: Mapping[Path, FileState | None],
) -> CheckpointSource:
    """The source that consists of the files that the user has chosen.

    Draws a field for a zip of pictures if the tables name pictures.
    """
    settings = chosen(which)
    signed = {each.path: signatures.get(each.path) for each in checkpoints}
    base = (which, settings, reference.digest)

    def load(checkpoint: Checkpoint) -> Samples:
        return samples_at(checkpoint.path, settings, checkpoint.below)

    def readable(checkpoint: Checkpoint) -> Samples | None:
        try:
            return load(checkpoint)
        # ignored here: the failure is reported when the checkpoint is measured
        except (ValueError, OSError):
            return None

    first = next((each for each in checkpoints if kind_of(each.path.name) in TABLES), None)
    other = reference
    if first is not None:
        key = ("triage-first", base, first.path, signed[first.path])
        other = cache.held_samples(key, lambda: readable(first)) or reference
    uploaded = None
    if picture_column(reference) is not None or picture_column(other) is not None:
        pair = SamplePair(reference, other if other.d == reference.d else reference)
        uploaded = Uploaded(pair, (), (None, None), base, pictures_box(pair, base))
    return CheckpointSource(
        which=which,
        base=base,
        reference=reference,
        checkpoints=tuple(checkpoints),
        load=load,
        store=store,
        signatures=signed,
        uploaded=uploaded,
    )


def offer(which: Hashable, choices: tuple[str, ...]) -> bool:
    """Add arrays to those from which the user may choose; True if at least one of them is new."""
    arrays = session().arrays
    before = arrays.get(which, ())
    arrays[which] = tuple(dict.fromkeys((*before, *choices)))
    return arrays[which] != before


def ask_array(which: Hashable) -> None:
    """Draw the choice of the array, if the files contain several."""
    offered = session().arrays.get(which)
    if offered:
        # keep the earlier choice only if these files have the array too
        st.session_state[ARRAY] = array(which)
        st.selectbox(
            "Which array of the files?",
            list(offered),
            index=None,
            key=ARRAY,
            placeholder="Several fit: choose one",
            help=(
                "For the reference and every checkpoint, in formats that can hold several: .npz,"
                " .safetensors, .parquet, .feather, .jsonl."
            ),
            persist_state="session",
        )


def with_metadata(
    which: Hashable, table: T | None, checkpoints: Callable[[T | None], list[Checkpoint]]
) -> list[Checkpoint]:
    """The checkpoints, with metadata from this table.

    If `checkpoints` refuses the table, the metadata are those of the last table that it accepted.
    """
    bare = checkpoints(None)  # without a table first: an error of this call is not due to the table
    usable = session().metadata
    if table is None:
        usable.pop(which, None)
        return bare
    try:
        found = checkpoints(table)
    except ValueError as error:
        say_refusal(f"**Metadata**: {plain(error)}. None of it is used.")
    else:
        usable[which] = table
        return found
    try:
        return checkpoints(usable.get(which))
    except ValueError:  # raised if the last usable table does not fit the checkpoints any more
        usable.pop(which, None)
        return bare
