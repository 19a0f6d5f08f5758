"""Reader of .safetensors files, and choice of the array that holds the samples, also in .npz files.

The safetensors library reads whole files or needs a path, and has no numpy type for bfloat16. The
header (JSON with dtype, shape and offsets of every tensor) is simple and must be checked before
anything is read, so it is parsed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, BinaryIO, Protocol

import numpy as np

from prviz.arrays import Array
from prviz.quoting import first_names
from prviz.readers.arrays import (
    UNKNOWN,
    Header,
    check_counts,
    check_header,
    fits,
    looks_like_images,
)
from prviz.readers.columns import is_label
from prviz.readers.errors import (
    AmbiguousKeyError,
    ReadError,
    beside,
    corrupt_unless_read,
    listed,
    literal,
    quoted,
)
from prviz.readers.npy import label_at, values_at
from prviz.readers.pieces import (
    Stored,
    coordinates,
    is_piece,
    pairs_of_places,
    quantised,
    sparse,
)
from prviz.readers.source import FileSource, Limits, check_claim, check_keys, human_size
from prviz.readers.suspects import are_samples

_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}


class TensorFile:
    """An open .safetensors file."""

    def __init__(
        self, source: FileSource, stream: BinaryIO, entries: dict[str, Any], start: int
    ) -> None:
        self.where = source.where
        self.path = source.typed
        self._source = source
        self._stream = stream
        self._start = start
        self._entries = {key: entry for key, entry in entries.items() if key != "__metadata__"}
        self.keys: Sequence[str] = tuple(self._entries)
        self.metadata = entries.get("__metadata__")

    def header(self, key: str) -> Header:
        """Header of one tensor from the JSON, checked against the size of the file."""
        where = f"{self.where}, key {quoted(key)}"
        entry = self._entries[key]
        with corrupt_unless_read(where, KeyError, TypeError, ValueError):
            name = entry["dtype"]
            shape = entry["shape"]
            begin, end = entry["data_offsets"]
            counts = all(
                type(number) is int and 0 <= number < 2**63 for number in (*shape, begin, end)
            )
            if not isinstance(name, str) or not counts:
                raise ReadError(
                    f"{where}: corrupt (dtype, shape or data_offsets make no sense). Write it"
                    " again."
                )
        if begin > end or self._start + end > self._source.size:
            raise ReadError(
                f"{where}: truncated or corrupt (it claims bytes {begin} to {end} of "
                f"{human_size(self._source.size - self._start)}). Write it again, or copy it again."
            )
        bfloat16 = name == "BF16"
        dtype = UNKNOWN
        if name in _DTYPES:
            dtype = np.dtype(_DTYPES[name])
            name = "bfloat16" if bfloat16 else dtype.name
        else:
            name = quoted(name)
        return Header(
            file=self._source.name,
            path=self.path,
            key=key,
            where=where,
            shape=tuple(shape),
            dtype=dtype,
            dtype_name=name,
            offset=self._start + begin,
            stored=end - begin,
            bfloat16=bfloat16,
        )

    def values(self, key: str, limits: Limits) -> Array:
        """The checked (n, d) values of one tensor."""
        return values_at(self._stream, self.header(key), limits)

    def label(self, key: str, n: int) -> Array:
        """The labels of n samples in one tensor of whole numbers or booleans."""
        return label_at(self._stream, self.header(key), n)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON object without repeated keys, as the format requires: of two equal keys, json would lose
    one.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


@contextmanager
def open_tensors(source: FileSource, limits: Limits) -> Iterator[TensorFile]:
    """File of ``source``; only its header is read.

    Raises
    ------
    ReadError : a header that is corrupt, truncated, or longer than ``limits.max_header_bytes``; too
    many tensors.
    """
    with source.open() as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > limits.max_header_bytes or length > source.size - 8:
            raise ReadError(
                f"{source.where}: truncated or corrupt: its header claims {human_size(length)}, "
                f"the file has {human_size(source.size)} and the limit is "
                f"{human_size(limits.max_header_bytes)}. Write it again."
            )
        with corrupt_unless_read(source.where, ValueError, RecursionError):
            entries = json.loads(stream.read(length).decode(), object_pairs_hook=_distinct)
        if not isinstance(entries, dict):
            raise ReadError(
                f"{source.where}: corrupt (its header is no JSON object). Write it again."
            )
        check_keys(source.where, len(entries), limits)
        yield TensorFile(source, stream, entries, 8 + length)


# ---- choice of the array that holds the samples ----


KNOWN_KEYS = ("feats", "reps", "real_feats", "features", "embeddings", "pool_3", "x", "X")
REAL = re.compile(r"(real|ref|reference)(_(feats|features|reps|embeddings))?", re.IGNORECASE)
GENERATED = re.compile(
    r"(fake|gen|generated|sample)(_(feats|features|reps|embeddings))?", re.IGNORECASE
)
_RUNNING = re.compile(r"\d+")
_STATISTICS = re.compile(r"(mu|sigma)(_s)?")


class KeyedFile(Protocol):
    """A file of named arrays, whose headers can be read without their values."""

    where: str
    path: str  # path as the user wrote it
    keys: Sequence[str]
    metadata: Any  # metadata of the whole file, not checked

    def header(self, key: str) -> Header:
        """Header of one array. Raises `ReadError` if it is corrupt or no array."""
        ...

    def values(self, key: str, limits: Limits) -> Array:
        """The checked (n, d) values of one array; nothing else is read."""
        ...

    def label(self, key: str, n: int) -> Array:
        """The labels of n samples in one array. Raises `ReadError` if it holds none."""
        ...


def labels_beside(file: KeyedFile, n: int) -> dict[str, Array]:
    """The arrays named like labels (or ``y``) with one value for each of the n samples."""
    found = {}
    for key in file.keys:
        if key.lower() == "y" or is_label(key):
            with suppress(ReadError):  # not an array of n labels
                found[key] = file.label(key, n)
    return found


# Number of arrays that are checked before a file counts as one with an array for each sample.
_LOOKED_AT = 100


def _is_sample(header: Header) -> bool:
    return len(header.shape) == 1 and header.shape[0] > 0 and _is_number(header)


def _is_number(header: Header) -> bool:
    return header.dtype.kind in "fiu"


def _is_whole(header: Header) -> bool:
    return header.dtype.kind in "iu" and not header.bfloat16


def _of_shape(*shape: int) -> Callable[[Header], bool]:
    return lambda header: header.shape == shape


def _holding(
    file: KeyedFile, what: Callable[[Header], bool], keys: Iterable[str] | None = None
) -> list[str]:
    """Names of the arrays whose header passes the test ``what``, among ``keys`` or all. An
    unreadable header does not pass.
    """
    found = []
    for key in file.keys if keys is None else keys:
        with suppress(ReadError):
            if what(file.header(key)):
                found.append(key)
    return found


def _refuse_statistics(file: KeyedFile) -> ReadError:
    return ReadError(
        f"{file.where}: FID statistics (mu and sigma), no samples in it. A mean and a covariance do"
        " not determine a precision-recall curve: save the embeddings that they were computed"
        " from."
    )


def find_roles(file: KeyedFile) -> tuple[str, str] | None:
    """Keys of the real and of the generated samples if the file has exactly one of each, else
    None.
    """
    real = _holding(file, fits, filter(REAL.fullmatch, file.keys))
    generated = _holding(file, fits, filter(GENERATED.fullmatch, file.keys))
    if len(real) == len(generated) == 1:
        return (real[0], generated[0])
    return None


def required_roles(file: KeyedFile) -> tuple[str, str]:
    """`find_roles`, but raises an error that lists the needed and the existing keys instead of
    returning None.
    """
    found = find_roles(file)
    if found is None:
        raise ReadError(
            f"{file.where}: not one array of real and one of generated samples. Name them 'real'"
            " (or ref, reference) and 'generated' (or fake, gen, sample), or say which keys they"
            f" are. It has: {_contents(file)}."
        )
    return found


def refuse_mixture(where: str, pair: tuple[str, str]) -> AmbiguousKeyError:
    """The error for a table, or a file of arrays, with real and generated samples where one set is
    needed.
    """
    return AmbiguousKeyError(
        f"{where}: holds both real ({quoted(pair[0])}) and generated ({quoted(pair[1])}) samples."
        f" Read both with prviz.readers.read_pair(...), or one of them with key={quoted(pair[0])}.",
        pair,
    )


def refuse_quantised(file: KeyedFile, key: str) -> None:
    """Raise ReadError for quantised values (whole numbers beside their scale). Its message has the
    Python lines that decode them.
    """
    header = file.header(key)
    if not _is_whole(header):
        return
    others = [name for name in _holding(file, _is_beside(header.table)) if name != key]
    if error := quantised(_stored(file), key, others):
        raise error


def _is_beside(table: tuple[int, ...]) -> Callable[[Header], bool]:
    """Test of a header: one number for the whole table, one for each row, or one for each
    column.
    """
    shapes = {(), (1,), (1, 1), *((length,) for length in table), (1, table[-1]), (table[0], 1)}
    return lambda header: header.shape in shapes and _is_number(header)


def _refuse_sparse(file: KeyedFile) -> None:
    """Raise ReadError for a sparse matrix of any kind, with the lines that make it dense."""
    if {"shape", "data"} < set(file.keys) and {"format", "indptr"} & set(file.keys):
        raise ReadError(
            f"{file.where}: a sparse matrix of SciPy. Save all its values:\nimport numpy as np, "
            f"scipy.sparse\nnp.save({beside(file.path, '.npy')}, "
            f"scipy.sparse.load_npz({literal(file.path)}).toarray())"
        )
    tables = _holding(file, fits)
    shapes = {name: file.header(name).shape for name in tables}
    for places in _holding(file, _is_whole, tables):
        shape = shapes[places]
        error = None
        if len(shape) == 2 and 2 in shape:
            alike = _holding(file, _of_shape(max(shape)))
            error = pairs_of_places(_stored(file), places, alike, file.keys)
        alike = [name for name in tables if shapes[name] == shape]
        error = error or sparse(_stored(file), alike, [places])
        if error:
            raise error


def _fitting(file: KeyedFile, keys: Sequence[str]) -> list[str]:
    """Names of the arrays that can be the samples, without the scales and offsets of quantised
    samples.
    """
    fitting = _holding(file, fits, keys)
    whole = _holding(file, _is_whole, fitting)
    if len(whole) != 1:
        return fitting
    pieces = _holding(file, _is_beside(file.header(whole[0]).table), filter(is_piece, fitting))
    return [name for name in fitting if name not in pieces]


# Names of arrays that are only numbers, such as arr_0.
_NUMBERS = re.compile(r"(arr_)?\d+")
# Names of arrays that hold one sample each: file names of pictures, paths, hashes, long numbers.
_OF_A_SAMPLE = re.compile(r".*\.\w{2,5}|.*[/\\].*|[0-9a-f]{8,}|.*\d{5,}.*")
# Names of statistics over all samples, whose arrays are no columns of a table.
_SUMS = re.compile(r"(.*_)?(mu|sigma|std|sd|var|variance|median|count)s?", re.IGNORECASE)
# Largest number of numbered 1-D arrays that may be the columns of a table.
_FEW_COLUMNS = 20
# Least ratio of the length of numbered 1-D arrays to their number, for them to be columns of a
# table.
_LONGER = 5


def columns_in(file: KeyedFile) -> list[str]:
    """Names of 1-D arrays that are the columns of a table: all of one length, fewer than that
    length, and named like features.

    Raises
    ------
    ReadError : they are the places and the values of a sparse matrix.
    """
    if _holding(file, lambda header: len(header.shape) > 1):
        return []
    names = [key for key in _holding(file, _is_sample) if not is_label(key)]
    lengths = {file.header(name).shape[0] for name in names}
    if len(names) < 2 or len(lengths) > 1 or len(names) >= lengths.pop():
        return []
    if error := coordinates(_stored(file), names):
        raise error
    others = (_NUMBERS, _OF_A_SAMPLE, _SUMS, REAL, GENERATED)
    for name in names:
        if is_piece(name) or any(each.fullmatch(name) for each in others):
            return []
    if are_samples(names):
        return []
    return names


def column_values(file: KeyedFile, names: Sequence[str], limits: Limits) -> Array:
    """The (n, d) values of columns, each a 1-D array."""
    n = file.header(names[0]).shape[0]
    check_counts(file.where, n, len(names), limits)
    check_claim(file.where, 8 * n * len(names), limits)
    rows = [file.values(name, replace(limits, one_sample=True, min_rows=1)) for name in names]
    return np.ascontiguousarray(np.concatenate(rows).T)


def choose_key(file: KeyedFile, key: str | None, *, one_sample: bool = False) -> str:
    """Key of the array to read: the given key, else the only array that can be the samples.

    one_sample : True if an array (d,) counts as one sample when no other array fits.

    Raises
    ------
    AmbiguousKeyError : several arrays fit.
    ReadError : the given array is missing, both roles have arrays, or no array fits.
    """
    if not file.keys:
        raise ReadError(
            f"{file.where}: holds no arrays. Save the embeddings as a 2-D array, one row per"
            " sample."
        )
    statistics = {"mu", "sigma"} <= set(file.keys)
    if key is not None:
        if key not in file.keys:
            raise ReadError(f"{file.where}: has no key {quoted(key)}. It has: {listed(file.keys)}.")
        if statistics and _STATISTICS.fullmatch(key):
            raise _refuse_statistics(file)
        return key
    pair = find_roles(file)
    if pair is not None:
        raise refuse_mixture(file.where, pair)
    _refuse_sparse(file)
    keys = [name for name in file.keys if not (statistics and _STATISTICS.fullmatch(name))]
    known = [name for name in KNOWN_KEYS if name in keys]
    for group in (known, [name for name in keys if name not in known]):
        fitting = _fitting(file, group)
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise _refuse_several(file, fitting)
    alone = [name for name in _holding(file, _is_sample, keys) if not is_label(name)]
    if one_sample and len(alone) == 1:
        return alone[0]
    raise _refuse_contents(file, keys, known, statistics)


def _refuse_several(file: KeyedFile, fitting: Sequence[str]) -> AmbiguousKeyError:
    one = ""
    if len({_RUNNING.sub("", name) for name in fitting}) == 1 and len(fitting) > 2:
        one = " If they are parts of one set, these lines join them:\n"
        one += _stacking(file, "concatenate")
    return AmbiguousKeyError(
        f"{file.where}: several arrays could be the samples: {listed(fitting)}. Choose one"
        f" with key=...{one}",
        fitting,
    )


def _refuse_contents(
    file: KeyedFile, keys: Sequence[str], known: Sequence[str], statistics: bool
) -> ReadError:
    """The error for a file without an array of samples, with the likeliest reason."""
    if len(keys) > 2 and _holding(file, _is_sample, keys[:_LOOKED_AT]) == list(keys[:_LOOKED_AT]):
        length = file.header(keys[0]).shape[0]
        numbered = any(map(_NUMBERS.fullmatch, keys))
        if numbered and len(keys) <= min(_FEW_COLUMNS, length / _LONGER):
            lines = _stacking(file, "stack", ", axis=1")
            return ReadError(
                f"{file.where}: {len(keys)} arrays of {length:,} numbers ({listed(keys, most=2)}),"
                " which may be the columns of a table. Stack them as columns (if each is a sample,"
                f" without axis=1):\n{lines}"
            )
        return ReadError(
            f"{file.where}: one 1-D array per sample ({listed(keys, most=2)}), as WebDataset has"
            f" them. Stack them, and use the new file:\n{_stacking(file)}"
        )
    images = _holding(file, looks_like_images, keys)
    if not images and statistics:
        return _refuse_statistics(file)
    objects = _holding(file, lambda each: each.dtype.hasobject and len(each.shape) == 2, keys)
    likely = [*images, *known, *(keys if len(keys) == 1 else objects)]
    if likely:
        try:
            check_header(file.header(likely[0]), Limits())
        except ReadError as error:
            return error
    return ReadError(
        f"{file.where}: none of its arrays is a 2-D table of real numbers. It has:"
        f" {_contents(file)}. Save the embeddings as (n, d), one row per sample."
    )


def _stacking(file: KeyedFile, how: str = "stack", options: str = "") -> str:
    """Python that joins all arrays: np.stack for arrays of one sample each, np.concatenate for
    others.
    """
    saved = beside(file.path, ".npy")
    joined = f"np.{how}([arrays[key] for key in arrays]{options})"
    return f"{_stored(file).loading}\nnp.save({saved}, {joined})"


def _stored(file: KeyedFile) -> Stored:
    """The file with the lines that load all its arrays."""
    path = file.path
    modules = "numpy as np, safetensors.numpy"
    load = "safetensors.numpy.load_file"
    if path.lower().endswith(".npz"):
        modules = "numpy as np"
        load = "np.load"
    return Stored(file.where, f"import {modules}\narrays = {load}({literal(path)})", path)


# Most arrays whose types a message gives.
_NAMED = 10


def _contents(file: KeyedFile) -> str:
    parts = []
    for key in file.keys[:_NAMED]:
        try:
            header = file.header(key)
            parts.append(f"{quoted(key)} ({header.dtype_name}, {len(header.shape)}-D)")
        except ReadError:
            parts.append(f"{quoted(key)} (unreadable)")
    return first_names(parts, _NAMED, len(file.keys))
