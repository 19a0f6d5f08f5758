"""Reads files of embeddings as `Samples`: .npy, .npz, .safetensors, .csv, .tsv, .parquet, .feather.

Nothing is ever unpickled. Claims of a file are checked before its data are read, only the selected
array is read, and anything else is refused with a message that says what it is, where, and what to
do instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from prviz.arguments import checked_path
from prviz.array_input import EMBED_PICTURES
from prviz.arrays import Array
from prviz.readers.arrays import check_counts
from prviz.readers.columns import (
    EVERY,
    ColumnChoice,
    Contents,
    decimals_in,
    index_columns,
    is_class,
    is_label,
    is_measured,
    is_path,
    own_names,
    sort_columns,
)
from prviz.readers.conversion import load_torch, refuse_container, refuse_misnamed, save_arrays
from prviz.readers.errors import (
    AmbiguousKeyError,
    ReadError,
    SuspectColumnsError,
    TextColumnError,
    beside,
    listed,
    literal,
    quoted,
)
from prviz.readers.keyed import (
    KNOWN_KEYS,
    KeyedFile,
    choose_key,
    column_values,
    columns_in,
    find_roles,
    labels_beside,
    open_tensors,
    refuse_mixture,
    refuse_quantised,
    required_roles,
)
from prviz.readers.npy import PICKLED, open_npz, read_npy, read_records, zip_members
from prviz.readers.paths import PathLike
from prviz.readers.row_roles import (
    find_row_roles,
    refuse_lists,
    require_row_roles,
    row_choices,
    rows_of,
    split_key,
)
from prviz.readers.source import (
    ACCEPTED,
    ACCEPTED_TEXT,
    PICKLE_EXTENSIONS,
    SAVED_AS,
    FileSource,
    Limits,
    SourceLike,
    as_source,
    check_source,
    kind_of,
    looks_pickled,
    refuse_pickle,
    table_beside,
    unreadable,
)
from prviz.readers.suspects import (
    FIRST_ROWS,
    beside_lists,
    bits_note,
    check_upright,
    checked_columns,
)
from prviz.samples import SamplePair, Samples
from prviz.warning import warn

__all__ = [
    "ACCEPTED",
    "ACCEPTED_TEXT",
    "KNOWN_KEYS",
    "PICTURES",
    "TABLES",
    "WITH_KEYS",
    "AmbiguousKeyError",
    "Limits",
    "ReadError",
    "SourceLike",
    "SuspectColumnsError",
    "TextColumnError",
    "kind_of",
    "load_torch",
    "read",
    "read_label",
    "read_pair",
    "recognise",
    "roles",
    "row_choices",
    "save_arrays",
    "table_beside",
]

# First bytes of a file -> (name of the format, extension of a format that is read, else None).
_MAGIC = {
    b"\x93NUMPY": ("a numpy array", ".npy"),
    b"PK\x03\x04": ("a zip archive", ".npz"),
    b"PK\x05\x06": ("an empty zip archive", ".npz"),
    b"PAR1": ("a Parquet file", ".parquet"),
    b"ARROW1": ("a Feather (Arrow) file", ".feather"),
    b"\xff\xff\xff\xff": ("an Arrow stream", ".feather"),
    b"FEA1": ("a Feather file", ".feather"),
    b"\x89HDF": ("an HDF5 file", None),
    b"\x1f\x8b": ("a gzip archive", None),
    b"\x89PNG": ("a PNG image", None),
    b"\xff\xd8\xff": ("a JPEG image", None),
    b"%PDF": ("a PDF document", None),
}
# What a message says of a web page that was saved in place of the file.
_PAGE = "a page of the web in place of the file, such as an error. Fetch the file again"
# First bytes of a text that was downloaded in place of the file -> what the text is.
_PLACEHOLDERS = {
    b"version https://": "a pointer of Git LFS in place of the file. Fetch the file: git lfs pull",
    b"<!doctype": _PAGE,
    b"<html": _PAGE,
}
# First bytes of a compressed table that can be read -> its extension.
_PACKED_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
# Number of bytes at the start of a text that are searched for signs of another format.
_LOOKED_AT = 1 << 16
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
_TEXT = (".csv", ".tsv", ".jsonl")
# Keys of a file's metadata that are copied to `Samples.encoder`.
_ENCODER = ("encoder", "sides", "source", "transform", "versions", "weights_sha256")
# Most characters copied from one of these entries of the metadata, as a file may hold anything.
_LONGEST = 1_000


def recognise(source: FileSource, limits: Limits) -> str:
    """The file's extension, if its first bytes agree with it.

    Raises
    ------
    ReadError : empty, a pickle (whatever it is called), an extension that is not accepted, or
    contents of
        another kind than the extension says.
    """
    head = source.head(16)
    extension = source.kind
    archive = head.startswith(b"PK\x03\x04")
    if extension in PICKLE_EXTENSIONS or looks_pickled(head, text=extension in _TEXT):
        raise refuse_pickle(source)
    members = []
    if archive and extension != ".npz":
        members = zip_members(source, limits)
    if any(name.endswith(PICKLED) for name in members):
        raise refuse_pickle(source, torch_archive=True)
    if extension in PICTURES:
        raise ReadError(f"{source.where}: an image. Embed the images first: {EMBED_PICTURES}.")
    if extension == ".zip":
        _refuse_packed_table(source, members)
        raise ReadError(
            f"{source.where}: a zip archive. Embed pictures first (FOLDER may be the archive): "
            f"{EMBED_PICTURES}. Save embeddings as one of {', '.join(SAVED_AS)}."
        )
    # The first file of the archive ends in .npy. Its name stands within the first 2 kB, even if
    # Python has written a header with times in front of it.
    if extension == ".tar" and b".npy\0" in source.head(1 << 11):
        folder = beside(source.typed, "")
        raise ReadError(
            f"{source.where}: a tar archive of arrays. Unpack it, and use the folder:\nimport os, "
            f"tarfile\n"
            f"os.makedirs({folder}, exist_ok=True)\narchive = "
            f"tarfile.open({literal(source.typed)})\n"
            "for each in filter(tarfile.TarInfo.isfile, archive):\n"
            f"    open(os.path.join({folder}, each.name.replace('/', '-')), 'wb')"
            ".write(archive.extractfile(each).read())"
        )
    if extension == ".tar":
        raise ReadError(
            f"{source.where}: a tar archive, such as a shard of WebDataset. Extract it; embed its "
            f"pictures ({EMBED_PICTURES}), or stack its arrays into one .npy array."
        )
    if not source.name.lower().endswith(ACCEPTED):
        raise _not_accepted(source, extension, head)
    if not head:
        raise ReadError(
            f"{source.where}: empty (0 bytes). Was it still being written? Save or copy it again."
        )
    _check_contents(source, head)
    return extension


def _not_accepted(source: FileSource, extension: str, head: bytes) -> ReadError:
    """Error for an extension that is not accepted: how to convert the file, or what it holds."""
    found = "has no extension"
    if extension:
        found = f"the extension {quoted(extension)} is not accepted"
    for magic, (what, right) in _MAGIC.items():
        if head.startswith(magic) and right not in (None, ".npz"):
            return ReadError(
                f"{source.where}: {found}, but it holds {what}. Rename it to end in {right}."
            )
    if error := refuse_container(source.where, source.typed, extension, source.head, source.size):
        return error
    texts = ""
    if extension == ".txt":
        texts = " Texts, one a line, are embedded first: prviz embed FILE."
    return ReadError(
        f"{source.where}: {found}. Save the embeddings as one of {', '.join(SAVED_AS)}.{texts}"
    )


def _refuse_packed_table(source: FileSource, names: list[str]) -> None:
    """Raise ReadError for a zip archive of embeddings, with the lines that unpack it."""
    # A zip archive of one text table, as pandas writes it.
    if len(names) == 1 and Path(names[0]).suffix.lower() in (
        "",
        ".zip",
        ".txt",
        ".dat",
    ):
        table = beside(source.typed, ".csv")
        raise ReadError(
            f"{source.where}: a zip archive of one file, {quoted(names[0])}. If it is a table of "
            f"text, use this file:\n"
            "import zipfile\nheld = "
            f"zipfile.ZipFile({literal(source.typed)}).read({literal(names[0])})\n"
            f"open({table}, 'wb').write(held)"
        )
    if {Path(name).name for name in names} & {"zarr.json", ".zgroup", ".zarray"}:
        raise ReadError(
            f"{source.where}: a zip archive of a Zarr store, which needs one more library: pip "
            "install zarr. Convert it, and use the new file:\nimport zarr, prviz.readers\n"
            f"store = zarr.storage.ZipStore({literal(source.typed)}, mode='r')\n"
            f"prviz.readers.save_arrays(zarr.open(store, mode='r'), {beside(source.typed, '.npz')})"
        )
    held = [name for name in names if name.lower().endswith(ACCEPTED)]
    if held and not any(name.lower().endswith(PICTURES) for name in names):
        folder = beside(source.typed, "_unpacked")
        raise ReadError(
            f"{source.where}: a zip archive of {listed(held, most=2)}. Unpack it, and use the "
            f"folder:\n"
            f"import zipfile\nzipfile.ZipFile({literal(source.typed)}).extractall({folder})"
        )


def _check_text(source: FileSource, head: bytes) -> None:
    """Raise ReadError for a text table that is compressed, or whose text is of another format."""
    where = source.where
    begun = source.head(_LOOKED_AT)
    whole = len(begun) < _LOOKED_AT
    if b"\0" not in begun and (error := refuse_misnamed(where, source.typed, begun, whole)):
        raise error
    for magic, packed in _PACKED_MAGIC.items():
        if head.startswith(magic) and not source.name.lower().endswith(packed):
            raise ReadError(f"{where}: packed. Rename it to end in {source.extension}{packed}.")


def _check_contents(source: FileSource, head: bytes) -> None:
    where = source.where
    text = source.extension in _TEXT
    if source.extension in (".csv", ".tsv"):
        _check_text(source, head)
    for beginning, said in _PLACEHOLDERS.items():
        if head.lower().startswith(beginning):
            raise ReadError(f"{where}: {said}.")
    if head.startswith(b"PK") and any(
        name in source.head(64) for name in (b"[Content_Types]", b"docProps/", b"xl/")
    ):
        raise ReadError(f"{where}: holds a spreadsheet of Excel. Rename it to end in .xlsx.")
    as_expected = source.kind not in dict(_MAGIC.values()).values()
    for magic, (what, extension) in _MAGIC.items():
        if not head.startswith(magic):
            continue
        if extension == source.kind:
            as_expected = True
        # A text that begins with these bytes may still be a table.
        elif not (text and head.isascii() and head.decode("ascii").isprintable()):
            advice = (
                f"Rename it to end in {extension}."
                if extension
                else f"Save it as one of {', '.join(SAVED_AS)}."
            )
            raise ReadError(f"{where}: named {source.extension}, but holds {what}. {advice}")
    if not as_expected:
        start = "".join(head.decode("ascii", errors="replace").split())
        advice = (
            "It begins like a table of text: rename it to end in .csv"
            if start.isprintable()
            else "Save it again"
        )
        raise ReadError(
            f"{where}: corrupt, or not a {source.extension} file (it does not begin like one). "
            f"{advice}."
        )


_ARROW = (".parquet", ".feather", ".jsonl")
_KEYED = (".npz", ".safetensors")
TABLES = (".csv", ".tsv", ".jsonl", ".parquet", ".feather")


# Formats that may hold several arrays or list columns, so that `read` takes a key.
WITH_KEYS = (*_KEYED, *_ARROW)


def read(
    source: SourceLike,
    *,
    key: str | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] = (),
    group: str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
    below: PathLike | None = None,
) -> Samples:
    """Read the samples of one distribution.

    Parameters
    ----------
    source : path-like or (str, bytes)
        A path, or the file name and the contents of an upload. A folder is one set in shards, in
        the order of their numbers, such as ``img_emb_0.npy``, ``img_emb_1.npy``.
    key : str, optional
        Array of an .npz or .safetensors file, or list column of a .parquet or .feather file. By
        default the only 2-D numeric one among `KNOWN_KEYS`, else the only 2-D numeric one in the
        file. Or rows of a table by a label, written COLUMN=VALUE: ``role=real``,
        ``source=stylegan``; of one of several list columns ``clip[role=real]``.
    columns : str or sequence of str, optional
        The features of a table: names, or patterns such as ``f*``. By default every column that is
        not named like a label. Columns without a header line are named by their numbers, from 1.
    drop : str or sequence of str
        Columns of a table, by names or patterns, that are no features; they become labels.
    group : str, optional
        Column of a table, or array of an .npz file, that says what each sample belongs to, such as
        its video; it becomes ``groups``.
    name : str, optional
        Name of the samples; by default the file's name without its folder.
    limits : Limits, optional
        How much the file may claim; by default ``Limits()``.
    below : path-like, optional
        Folder that the path must be in, links resolved; by default any path is opened.

    Returns
    -------
    Samples
        Values (n, d), float32 for files in float16, bfloat16 or float32, else float64. Columns of a
        table (.csv and .tsv with a header line, .parquet, .feather) that are named like ids,
        labels, splits or paths become ``labels``, never cut, and the names of the others
        ``features``; ``image`` or ``path`` then names each sample's picture, ``text`` is its text
        (see `prviz.readers.media`). So do 1-D arrays of such a name, or ``y``, in .npz and
        .safetensors files. What `prviz embed` wrote of the encoder becomes ``encoder``.

    Raises
    ------
    AmbiguousKeyError
        Several arrays fit, or a table holds real and generated rows; its ``choices`` are their
        keys.
    SuspectColumnsError
        ``columns`` of a table look like no features, such as a seed, a step, a place in a plot or a
        key.
    ReadError
        Any other reason why the file can't be read.
    """
    check_source(source)
    for named, given, kind, what in (
        ("key", key, str, "the name of an array or of a column"),
        ("name", name, str, "a text"),
        ("limits", limits, Limits, "prviz.readers.Limits(...)"),
    ):
        if given is not None and not isinstance(given, kind):
            raise TypeError(f"{named} = {given!r}; {what} is needed")
    choice = ColumnChoice.of(columns, drop, group)
    samples = read_chosen(source, choice, key=key, name=name, limits=limits, below=below)
    warn_of_notes(samples)
    return samples


def warn_of_notes(samples: Samples) -> None:
    """Issue a `PrvizWarning` for every decision that the readers took, such as a column left
    out.
    """
    for note in samples.notes:
        warn(samples.digest, f"{samples.name}: {note}")


def read_chosen(
    source: SourceLike,
    choice: ColumnChoice,
    *,
    key: str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
    below: PathLike | None = None,
) -> Samples:
    """`read`, with the columns chosen by a `ColumnChoice`, which several files may share."""
    limits = limits or Limits()
    if not isinstance(source, tuple) and below is None and _is_folder(source):
        from prviz.readers.shards import read_shards

        return read_shards(Path(source), _alike(choice, key), name, limits)
    file = as_source(source, below, limits)
    limits = limits.of_file(file.size)
    with _reading(file):
        recognise(file, limits)
        contents = _contents(file, key, limits, choice)
        return _samples(file, contents, file.name if name is None else name, choice)


def _is_folder(source: PathLike) -> bool:
    """True if the path leads to a folder; False also for a path that can't be accessed."""
    with suppress(OSError):
        return checked_path("source", source).is_dir()
    return False


def _alike(choice: ColumnChoice, key: str | None) -> Callable[..., Samples]:
    """A function that reads the files of one set, one by one. Columns that are found to be no
    features in the first file are left out of the others too.
    """
    left_out: list[str] = []

    def read_part(path: Path, limits: Limits) -> Samples:
        alike = replace(
            choice, drop=(*choice.drop, *left_out), shared=bool(left_out) or choice.shared
        )
        part = read_chosen(path, alike, key=key, limits=limits)
        if not left_out:
            left_out.extend(name for name in part.labels if not is_label(name))
        return part

    return read_part


def read_label(
    source: SourceLike, name: str, samples: Samples, *, below: PathLike | None = None
) -> Array | None:
    """The label of every sample of a file, as texts or numbers.

    Parameters
    ----------
    source : path-like or (str, bytes)
        The file that ``samples`` were read from.
    name : str
        A column of a table, or an array of an .npz file with one value per sample.
    samples : Samples
        What `read` gave.
    below : path-like, optional
        As in `read`.

    Returns
    -------
    ndarray or None
        (n,) labels; None: the file has no such column or array.

    Raises
    ------
    ReadError
        The array holds no labels of these samples, or the file can't be read.
    """
    if name in samples.labels:
        return samples.labels[name]
    file = as_source(source, below)
    if file.kind != ".npz":
        return None

    with _reading(file), open_npz(file, Limits().of_file(file.size)) as arrays:
        if name in arrays.keys:
            return arrays.label(name, samples.n)
        return None


def read_pair(
    source: SourceLike,
    *,
    keys: tuple[str, str] | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] = (),
    group: str | None = None,
    limits: Limits | None = None,
) -> SamplePair:
    """Read real and generated samples from one file: two arrays of an .npz or .safetensors file, or
    rows of a table.

    Parameters
    ----------
    source : path-like or (str, bytes)
        A path, or the file name and the contents of an upload.
    keys : tuple of (str, str), optional
        Keys of the real and of the generated samples, in this order, as `read` takes them. By
        default the only 2-D numeric array named real, ref or reference, and the only one named
        fake, gen, generated or sample (or real_feats ...); of a table, the rows of a column with
        two such values, or of truth values such as ``is_generated``.
    columns, drop : str or sequence of str
        The features of a table, and columns that are none, as in `read`.
    group : str, optional
        Column that says what each sample belongs to, as in `read`.
    limits : Limits, optional
        How much each of the two arrays may claim; by default ``Limits()``.

    Returns
    -------
    SamplePair
        Real and generated samples, of the same dimension.

    Raises
    ------
    AmbiguousKeyError
        No column of a table says which rows are which; its ``choices`` are sets of rows by column
        and value.
    ReadError
        As `read`; one of the two arrays is missing; or the two differ in dimension.
    """
    check_source(source)
    if keys is not None:
        keys = _two_keys(keys)
    pair = read_chosen_pair(source, ColumnChoice.of(columns, drop, group), keys=keys, limits=limits)
    for note in dict.fromkeys((*pair.real.notes, *pair.generated.notes)):
        warn(pair.digest, note)
    return pair


def _two_keys(keys: object) -> tuple[str, str]:
    """The keys of both sets; TypeError for anything but two texts."""
    if isinstance(keys, tuple | list) and list(map(type, keys)) == [str, str]:
        return keys[0], keys[1]
    raise TypeError(
        f"keys = {keys!r}; two texts are needed, the real set's first, such as ('role=real',"
        " 'role=generated')"
    )


def read_chosen_pair(
    source: SourceLike,
    choice: ColumnChoice,
    *,
    keys: tuple[str, str] | None = None,
    limits: Limits | None = None,
) -> SamplePair:
    """`read_pair`, with the columns chosen by a `ColumnChoice`."""
    if not isinstance(source, tuple) and _is_folder(source):
        inside = sorted(
            each for each in Path(source).iterdir() if each.is_dir() and each.name[0] != "."
        )
        if len(inside) > 1:
            raise ReadError(
                f"{quoted(Path(source).name)}: a folder, not a file with both sets. Name the "
                f"folder of each, such as {quoted(str(inside[-1]))} and {quoted(str(inside[0]))}."
            )
    file = as_source(source, limits=limits)
    limits = (limits or Limits()).of_file(file.size)
    with _reading(file):
        if recognise(file, limits) in TABLES:
            sides = _pair_of_rows(file, keys, limits, choice)
        elif file.kind not in _KEYED:
            raise ReadError(
                f"{file.where}: {file.kind} files hold one set of samples. Read real and "
                f"generated from two files."
            )
        else:
            sides = []
            with _keyed(file, limits) as arrays:
                chosen = [choose_key(arrays, key) for key in (keys or required_roles(arrays))]
                choice.refuse_arrays(file.where)
                for key in chosen:
                    side = _beside(arrays, arrays.values(key, limits), choice, {})
                    sides.append(_samples(file, _noted(side, file, key), file.name, choice))
        real, generated = sides
        if real.d != generated.d:
            raise ReadError(
                f"{file.where}: the real samples have {real.d} features, the generated ones "
                f"{generated.d}. Both must come from the same encoder."
            )
        return SamplePair(real, generated)


def _pair_of_rows(
    file: FileSource, keys: tuple[str, str] | None, limits: Limits, choice: ColumnChoice
) -> list[Samples]:
    """Samples of both roles from a table: its real and its generated rows, or two of its list
    columns.
    """
    held: dict[str | None, Contents] = {}
    choice = choice.by(*(split_key(key)[1] for key in keys or ()))

    def table(column: str | None) -> Contents:  # cached, as both roles may use it
        if column not in held:
            held[column] = _table_or_choices(file, column, limits, choice)
        return held[column]

    if keys is None:
        with suppress(TextColumnError):
            table(None)
        if None not in held:  # a text column gives the roles, or is no feature
            choice = _by_texts(file, limits, choice)
    sides = []
    for key in keys or require_row_roles(table(None).labels, file.where):
        column, rows = split_key(key)
        if rows is None:
            side = _contents(file, key, limits, choice)
        else:
            side = _rows(file, rows, table(column), limits)
        sides.append((key, side))
    return [_samples(file, side, f"{file.name}, {key}", choice) for key, side in sides]


def _by_texts(file: FileSource, limits: Limits, choice: ColumnChoice) -> ColumnChoice:
    """``choice`` with the text columns of the table as labels, by which the user may name the real
    and the generated rows.

    Raises the error of the first text column if another column already gives the roles.
    """
    first: TextColumnError | None = None
    while True:
        try:
            table = _table_or_choices(file, None, limits, choice)
        except TextColumnError as error:
            first = first or error
            choice = replace(choice, rows=(*choice.rows, error.column))
        else:
            if first is not None and find_row_roles(table.labels) is not None:
                raise first
            return choice


def roles(source: SourceLike, *, limits: Limits | None = None) -> tuple[str, str] | None:
    """Keys of the real and of the generated samples if one file holds both, else None. A table is
    read as a whole.

    Raises
    ------
    ReadError : the file can't be read at all.
    """
    file = as_source(source, limits=limits)
    limits = limits or Limits()
    with _reading(file):
        if recognise(file, limits) in TABLES:
            try:
                return find_row_roles(_table(file, None, limits.of_file(file.size), EVERY).labels)
            except AmbiguousKeyError:  # the table has several list columns
                return None
        if file.kind not in _KEYED:
            return None
        with _keyed(file, limits) as arrays:
            return find_roles(arrays)


def _keyed(file: FileSource, limits: Limits) -> AbstractContextManager[KeyedFile]:

    if file.kind == ".npz":
        return open_npz(file, limits)
    return open_tensors(file, limits)


def _contents(file: FileSource, key: str | None, limits: Limits, choice: ColumnChoice) -> Contents:
    """The contents of one set in the file."""
    if file.kind in _KEYED:
        with _keyed(file, limits) as arrays:
            if key is None and not limits.one_sample and (names := columns_in(arrays)):
                return _columns(arrays, names, file, limits, choice)
            choice.refuse_arrays(file.where)
            chosen = choose_key(arrays, key, one_sample=limits.one_sample)
            values = arrays.values(chosen, limits)
            if key is None:
                refuse_quantised(arrays, chosen)
            labels = labels_beside(arrays, len(values)) | _group_beside(file, values, choice)
            return _noted(_beside(arrays, values, choice, labels), file, chosen)
    if file.kind not in TABLES:
        if key is not None:
            raise ReadError(f"{file.where}: .npy files have no keys. Give no key.")
        records = read_records(file, limits, choice)
        if records is not None:
            return _checked(records, choice, file)
        choice.refuse_arrays(file.where)
        return _noted(Contents(read_npy(file, limits), {}), file)
    try:
        contents = _table_or_choices(file, key, limits, choice)
    except ReadError:
        column, rows = (None, None) if key is None else split_key(key)
        if rows is None:
            raise
        table = _table_or_choices(file, column, limits, choice.by(rows))
        return _rows(file, rows, table, limits)
    pair = find_row_roles(contents.labels)
    if pair is None:
        return contents
    raise refuse_mixture(file.where, pair) if key is None else refuse_lists(file.where, [key], pair)


def _noted(found: Contents, file: FileSource, key: str | None = None) -> Contents:
    """The contents of an array, with a note if its values look like packed bits or like the raw
    bits of numbers.
    """
    library = "np.load"
    if file.kind == ".safetensors":
        library = "safetensors.numpy.load_file"
    loads = f"{library}({quoted(file.name)})" + ("" if key is None else f"[{quoted(key)}]")
    note = bits_note(found.values, file.name, loads)
    if note:
        return found._replace(notes=(*found.notes, note))
    return found


def _columns(
    arrays: KeyedFile, names: list[str], file: FileSource, limits: Limits, choice: ColumnChoice
) -> Contents:
    """Contents of a file whose arrays are the columns of a table."""
    places, dropped = sort_columns(names, [True] * len(names), choice, file.where)
    features = tuple(names[place] for place in places)
    values = column_values(arrays, features, limits)
    labels = {
        name: each for name, each in labels_beside(arrays, len(values)).items() if is_label(name)
    }
    labels |= {
        names[place]: column_values(arrays, [names[place]], limits)[:, 0] for place in dropped
    }
    note = (
        f"its {len(features)} arrays of {len(values):,} numbers are read as the columns of a table"
    )
    return _checked(Contents(values, labels, features, arrays.metadata, (note,)), choice, file)


def _beside(
    arrays: KeyedFile, values: Array, choice: ColumnChoice, labels: dict[str, Array]
) -> Contents:
    """Values of one array with their labels. The column of groups that the user chose is one of the
    labels.
    """
    if choice.group is not None and choice.group in arrays.keys:
        labels[choice.group] = arrays.label(choice.group, len(values))
    return Contents(values, labels, metadata=arrays.metadata)


def _group_beside(file: FileSource, values: Array, choice: ColumnChoice) -> dict[str, Array]:
    """The groups from the table that `prviz embed` wrote beside the file; {} if there is none for
    the same values.
    """
    if choice.group is None or file.path is None or file.below is not None:
        return {}
    table = file.path.with_name(table_beside(file.name))
    if table == file.path or not table.is_file():
        return {}
    held = read_chosen(table, EVERY, limits=Limits(min_rows=1))
    groups = held.labels.get(choice.group)
    same = held.values.shape == values.shape and bool((held.values == values).all())
    if same and groups is not None:
        return {choice.group: groups}
    return {}


def _table_or_choices(
    file: FileSource, key: str | None, limits: Limits, choice: ColumnChoice
) -> Contents:
    """The table as `_checked` returns it. If several list columns hold both real and generated
    rows, the error offers the real and the generated rows of each list.
    """
    try:
        return _checked(_table(file, key, limits, choice), choice, file)
    except AmbiguousKeyError as error:
        with suppress(ReadError):
            pair = find_row_roles(_table(file, error.choices[0], limits, choice).labels)
            if pair is not None:
                error = refuse_lists(file.where, error.choices, pair)
        raise error from None


def _table(file: FileSource, key: str | None, limits: Limits, choice: ColumnChoice) -> Contents:
    """Contents of a table.

    key : name of a list column.
    """
    if file.kind not in _ARROW:
        from prviz.readers.delimited import read_delimited

        found = read_delimited(file, limits, choice, key)
        if found.features:
            return found
        return found._replace(notes=beside_lists(found.labels))
    from prviz.readers.arrow import READERS

    found = READERS[file.kind](file, key, limits, choice)
    index = [
        name
        for name in index_columns(found.metadata)
        if name in found.labels and not is_label(name) and not choice.drops(name)
        if not choice.features or choice.takes(name)
    ]
    notes: tuple[str, ...] = ()
    if not found.features:
        others = {name: held for name, held in found.labels.items() if name not in index}
        notes = beside_lists(others)
    elif index:
        notes = (f"left out: {listed(index)} (the table's index)",)
    return found._replace(notes=notes)


def _checked(table: Contents, choice: ColumnChoice, file: FileSource) -> Contents:
    """The table without the columns that are no features. Raises `SuspectColumnsError` if the user
    has to decide.
    """
    values = table.values
    features = table.features
    labels = table.labels
    if not features:  # its features are the entries of one list column
        return table
    if not choice.features:
        # Columns named like labels, such as body_mass_index, are features if they have decimals.
        measured: dict[str, Array] = {}
        for name, column in labels.items():
            if is_measured(name) and name != choice.group and not choice.drops(name):
                where = f"{file.where}, column {quoted(name)}"
                numbers = decimals_in(column, where, is_path(name))
                if numbers is not None:
                    measured[name] = numbers
        if measured:
            values = np.column_stack([values, *measured.values()])
            features = (*features, *measured)
            labels = {name: held for name, held in labels.items() if name not in measured}
        check_upright(labels, len(values), features, file.typed)
    found = checked_columns(values, features, choice, file.where, file.typed)
    notes = (*table.notes, *found.notes)
    named = [name for name, held in labels.items() if is_class(name) and _has_decimals(held)]
    if left := [name for name in named if not choice.drops(name) and name != choice.group]:
        said = "they are named like labels"
        if len(left) == 1:
            said = "it is named like a label"
        notes = (
            *notes,
            f"left out: {listed(left)} ({said}); columns= (--features) takes such by name",
        )
    return Contents(found.values, labels | found.labels, found.features, table.metadata, notes)


def _has_decimals(column: Array) -> bool:
    with suppress(ReadError):
        return decimals_in(column[:FIRST_ROWS], "") is not None
    return False


def _rows(file: FileSource, key: str, table: Contents, limits: Limits) -> Contents:
    """The rows of a table that ``key``, written COLUMN=VALUE, selects."""
    rows = rows_of(table.labels, key, file.where)
    check_counts(
        f"{file.where}, rows {quoted(key)}", int(rows.sum()), table.values.shape[1], limits
    )
    labels = {name: column[rows] for name, column in table.labels.items()}
    return table._replace(values=table.values[rows], labels=labels)


def _samples(file: FileSource, contents: Contents, name: str, choice: ColumnChoice) -> Samples:
    groups = None
    notes = contents.notes
    if choice.group is not None:
        groups = contents.labels.get(choice.group)
        if groups is None and not choice.shared:
            raise ReadError(
                f"{file.where}: has no column of groups {quoted(choice.group)}. Its labels: "
                f"{listed(contents.labels) or 'none'}."
            )
        if groups is None:
            said = f"no column {quoted(choice.group)}: each row counts as independent of the others"
            notes = (*notes, said)
        else:  # else empty cells would count as one group
            missing = np.isnan(groups) if groups.dtype.kind == "f" else groups == ""
            if missing.any():
                raise ReadError(
                    f"{file.where}: {missing.sum():,} of {len(groups):,} cells of "
                    f"{quoted(choice.group)} are empty, the first in sample "
                    f"{np.argmax(missing) + 1:,}; say of each which group it belongs to, or leave "
                    "these rows out."
                )
    # `Samples` copies a writeable array. This one is used nowhere else, so it is made read-only.
    contents.values.flags.writeable = False
    return Samples(
        contents.values,
        name,
        contents.labels,
        encoder=_encoder(contents.metadata),
        features=own_names(contents.features),
        groups=groups,
        notes=notes,
    )


def _encoder(metadata: Any) -> dict[str, str]:
    """What a file's metadata say about the encoder, as `prviz embed` writes it; empty if they say
    nothing.
    """
    if not isinstance(metadata, Mapping):
        return {}
    found = {}
    for key in _ENCODER:
        text = metadata.get(key, metadata.get(key.encode()))
        if isinstance(text, bytes):
            text = text.decode(errors="replace")
        if isinstance(text, str):
            found[key] = text[:_LONGEST]
    if found.get("encoder"):
        return found
    return {}


@contextmanager
def _reading(file: FileSource) -> Iterator[None]:
    """Turn running out of memory, a file system error, or a file that changed while it was read
    into a `ReadError`.
    """
    try:
        yield
        file.check_unchanged()
    except OSError as error:
        raise unreadable(file.where, error) from error
    except MemoryError as error:
        raise ReadError(
            f"{file.where}: does not fit into this computer's memory. Save a random subset of the "
            f"rows."
        ) from error
