"""A source of reference and checkpoints: bundled, below the app's folder, or uploaded."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from pages._shared import cache, pictures
from pages._shared.text import plain
from pages._shared.uploads import Uploaded
from pages._triage import link as _link
from prviz.readers import AmbiguousKeyError, ReadError
from prviz.readers.media import picture_column
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import samples_at
from prviz.triage.measured import TriageSettings
from prviz.triage.result_cache import ResultCache

KEY = "triage.key"
# Formats whose columns may name pictures.
TABLES = (".csv", ".tsv", ".parquet", ".feather")

# Size and time of a file, by which a change is noticed.
Signature = tuple[int, int]


@dataclass(frozen=True, eq=False)
class CheckpointSource:
    """One reference and its checkpoints.

    which : key of the choice of files. base : key of that choice, the array and the contents of the reference.
    load : reads all samples of a checkpoint, with labels and pictures.
    store : makes the cache of results. signatures : size and time of the checkpoints' files.
    holds : keeps a private folder alive as long as it is needed. link : the source's parts of the link.
    """

    which: Hashable
    base: Hashable
    reference: Samples
    checkpoints: tuple[Checkpoint, ...]
    load: Callable[[Checkpoint], Samples]
    store: Callable[[], ResultCache]
    signatures: Mapping[Path, Signature] = field(default_factory=dict)
    uploaded: Uploaded | None = None
    holds: object = None
    link: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> Hashable:
        """Equal for equal files, judged by their signatures."""
        return self.base, tuple(each.path for each in self.checkpoints), frozenset(self.signatures.items())


def signature(path: Path) -> Signature:
    """Signature of a file; (-1, -1) for one that is gone."""
    try:
        status = path.stat()
    except OSError:
        return (-1, -1)
    return status.st_size, status.st_mtime_ns


def array(which: Hashable) -> str | None:
    """The array that the user has chosen for the files of this source."""
    chosen: str | None = st.session_state.get(KEY)
    return chosen if chosen in _choices().get(which, ()) else None


def read_reference(which: Hashable, path: Path, signed: Signature | None, below: Path | None = None) -> Samples | None:
    """The reference, cached by its signature; None, with a message, if it can't be read yet."""
    key = (which, path, signed, array(which))
    try:
        with st.spinner(f"Reading {plain(path.name)}"):
            return cache.held_samples(
                ("triage-reference", *key), lambda: samples_at(path, TriageSettings(key=array(which)), below)
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


def assembled(
    which: Hashable,
    reference: Samples,
    checkpoints: Sequence[Checkpoint],
    store: Callable[[], ResultCache],
    signatures: Mapping[Path, Signature],
    *,
    holds: object = None,
    link: dict[str, str],
) -> CheckpointSource:
    """The source of files that the user has chosen, with the pictures that their tables name."""
    settings = TriageSettings(key=array(which))
    signed = {each.path: signatures.get(each.path, (-1, -1)) for each in checkpoints}

    def load(checkpoint: Checkpoint) -> Samples:
        return samples_at(checkpoint.path, settings, checkpoint.below)

    base = (which, array(which), reference.digest)
    uploaded = _pictures(base, reference, checkpoints, load, signed)
    return CheckpointSource(which, base, reference, tuple(checkpoints), load, store, signed, uploaded, holds, link)


def _pictures(
    base: Hashable,
    reference: Samples,
    checkpoints: Sequence[Checkpoint],
    load: Callable[[Checkpoint], Samples],
    signed: Mapping[Path, Signature],
) -> Uploaded | None:
    """Draw the field for a zip of pictures, if the reference or the first checkpoint in a table names some."""
    first = next((each for each in checkpoints if each.path.suffix.lower() in TABLES), None)
    other = reference
    if first is not None:
        key = ("triage-first", base, first.path, signed[first.path])
        other = cache.held_samples(key, lambda: _readable(first, load)) or reference
    if picture_column(reference) is None and picture_column(other) is None:
        return None
    pair = SamplePair(reference, other if other.d == reference.d else reference)
    return Uploaded(pair, (), (None, None), base, pictures.box(pair, base))


def _readable(checkpoint: Checkpoint, load: Callable[[Checkpoint], Samples]) -> Samples | None:
    try:
        return load(checkpoint)
    except (ValueError, OSError):  # reported when it is measured
        return None


def _choices() -> dict[Hashable, tuple[str, ...]]:
    """Arrays to choose from, by source, where files hold several."""
    found: dict[Hashable, tuple[str, ...]] = st.session_state.setdefault("_triage_choices", {})
    return found


def offer(which: Hashable, choices: tuple[str, ...]) -> bool:
    """Add these to the arrays to choose from; True if one of them is new."""
    held = _choices().get(which, ())
    _choices()[which] = tuple(dict.fromkeys((*held, *choices)))
    return _choices()[which] != held


def ask_array(which: Hashable) -> None:
    """Draw the choice of the array, where files hold several."""
    offered = _choices().get(which)
    if offered:
        st.session_state[KEY] = array(which)  # an array chosen for other files may be missing here
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
