"""Where reference and checkpoints come from: bundled with the app, below the folder it was started with, or uploads."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from pages import _cache
from pages._text import plain
from pages._triage import _link
from pages._uploads import Uploaded
from prviz.readers import AmbiguousKeyError, ReadError
from prviz.samples import Samples
from prviz.triage.desk import samples_at
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import Settings
from prviz.triage.store import Store

KEY = "triage.key"


@dataclass(frozen=True, eq=False)
class Source:
    """One reference and its checkpoints.

    key : equal keys, equal files, as far as their sizes and times tell. which : these files, whatever array of them.
    load : the samples of a checkpoint with labels and pictures, whole.
    store : where results are kept. holds : keeps a private folder there as long as anybody needs it.
    link : what the address says of it.
    """

    key: Hashable
    which: Hashable
    reference: Samples
    checkpoints: tuple[Checkpoint, ...]
    load: Callable[[Checkpoint], Samples]
    store: Callable[[], Store]
    uploaded: Uploaded | None = None
    holds: object = None
    link: dict[str, str] = field(default_factory=dict)


def signature(path: Path) -> tuple[int, int]:
    """Size and time of a file, by which a change is noticed; of one that is gone nothing."""
    try:
        status = path.stat()
    except OSError:
        return (-1, -1)
    return status.st_size, status.st_mtime_ns


def array(which: Hashable) -> str | None:
    """The array that the user has chosen for the files of this source."""
    chosen: str | None = st.session_state.get(KEY) if which in _choices() else None
    return chosen


def read_reference(which: Hashable, path: Path, below: Path | None = None) -> Samples | None:
    """The reference, held while it is the same file; None where it can't be read yet, and the page says why."""
    key = (which, path, signature(path), array(which))
    try:
        with st.spinner(f"Reading {plain(path.name)}"):
            return _cache.held_samples(
                ("triage-reference", *key), lambda: samples_at(path, Settings(key=array(which)), below)
            )
    except AmbiguousKeyError as error:
        if offer(which, error.choices):
            st.rerun()
        st.info(f"{plain(path.name)} holds several arrays: choose one, for all files.", icon=":material/data_array:")
    except (ReadError, OSError) as error:
        reason, _, recipe = str(error).partition("\n")
        st.error(f"**Reference**: {plain(reason)}", icon=":material/block:")
        if recipe:
            st.code(recipe, language="python", wrap_lines=True)
    return None


def _choices() -> dict[Hashable, tuple[str, ...]]:
    """The arrays to choose from, by source, where files hold several."""
    found: dict[Hashable, tuple[str, ...]] = st.session_state.setdefault("_triage_choices", {})
    return found


def offer(which: Hashable, choices: tuple[str, ...]) -> bool:
    """Let the user choose among these too; whether that is news."""
    held = _choices().get(which, ())
    _choices()[which] = tuple(dict.fromkeys((*held, *choices)))
    return _choices()[which] != held


def ask_array(which: Hashable) -> None:
    """The field for the array, where files hold several."""
    offered = _choices().get(which)
    if offered:
        st.selectbox(
            "Which array of the files?",
            list(offered),
            index=None,
            key=KEY,
            placeholder="Several fit: choose one",
            help="For the reference and every checkpoint, in formats that can hold several: .npz, .safetensors, "
            ".parquet, .feather.",
            **_link.KEEP,
        )
