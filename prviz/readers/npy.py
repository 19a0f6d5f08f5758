"""Readers of .npy and .npz files (format: see `numpy.lib.format`)."""

from __future__ import annotations

import ast
import lzma
import math
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO, Literal, cast

import numpy as np

from prviz.arrays import Array
from prviz.readers.arrays import (
    Header,
    as_one_sample,
    check_counts,
    check_exact,
    check_finite,
    check_header,
    check_values,
    load,
)
from prviz.readers.columns import ColumnChoice, Contents, sort_columns
from prviz.readers.errors import (
    ReadError,
    beside,
    beside_other_parsers,
    corrupt_unless_read,
    literal,
    quoted,
)
from prviz.readers.source import (
    FileSource,
    Limits,
    check_claim,
    check_keys,
    human_size,
    refuse_pickle,
)

# Files of at least this many bytes are memory-mapped. Smaller ones are read, so that later changes
# on disk do not matter.
MAPPED_FROM = 1 << 24

_BEGINNING = b"\x93NUMPY"
# Most bytes of a header, as in numpy.
_LONGEST_HEADER = 10_000
# Two forms in a header that ast.literal_eval can't read: a name as np.str_('name'), and a Python 2
# integer such as 10L.
_OTHER = re.compile(r"""np\.str_\(('[^']*'|"[^"]*")\)|(?<=\d)L(?=[,)])""")
# Most bytes of one label in an archive.
_LONGEST_LABEL = 256


_HEADER_ERRORS = (
    AttributeError,
    LookupError,
    MemoryError,
    OverflowError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
    Warning,
)


def read_npy_header(
    stream: BinaryIO, size: int, source: FileSource, key: str | None = None
) -> Header:
    """Header of an .npy stream of ``size`` bytes; reads at most 10 kB of it.

    key : name of the array in an archive.

    Raises
    ------
    ReadError : not an .npy stream, or a header that is truncated, corrupt or longer than any real
    one.
    """
    where = source.where
    if key is not None:
        where = f"{where}, key {quoted(key)}"
    head = stream.read(_LONGEST_HEADER + 12)
    if not head.startswith(_BEGINNING):
        raise ReadError(
            f"{where}: corrupt, or not an .npy array (it does not begin like one). Save it with "
            f"np.save."
        )
    begin = 10 if head[6:7] == b"\x01" else 12
    length = int.from_bytes(head[8:begin], "little")
    if length > _LONGEST_HEADER:
        raise ReadError(
            f"{where}: corrupt (its header claims to be {human_size(length)} long). Save a plain "
            "2-D array with np.save."
        )
    end = begin + length
    with corrupt_unless_read(where, ValueError):
        if end > len(head) or head[6:7] not in (b"\x01", b"\x02", b"\x03"):
            raise ValueError("its header")
        shape, fortran_order, dtype = _parsed(
            head[begin:end].decode("utf-8" if head[6] == 3 else "latin1")
        )
    if any(length < 0 for length in shape):
        raise ReadError(f"{where}: corrupt (a negative shape). Write it again.")
    # ml_dtypes (of JAX and TensorFlow) saves bfloat16, which NumPy lacks, as two-byte records.
    bfloat16 = dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None
    return Header(
        file=source.name,
        path=source.typed,
        key=key,
        where=where,
        shape=shape,
        dtype=np.dtype("<u2") if bfloat16 else dtype,
        dtype_name="bfloat16" if bfloat16 else dtype.name[:40],
        offset=end,
        stored=size - end,
        fortran_order=fortran_order,
        bfloat16=bfloat16,
    )


def _parsed(text: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and dtype from the text of a header, which is a Python dict. Raises ValueError
    for other texts.
    """
    try:
        if "\\" in text:  # Python would warn of invalid escapes
            raise ValueError("a backslash")
        entries = _OTHER.sub(r"\1", text.strip())
        held = beside_other_parsers(lambda: ast.literal_eval(entries))
        shape = tuple(held.pop("shape"))
        order = held.pop("fortran_order")
        described = held["descr"]
        if isinstance(described, str) and described.lstrip("<>|=").startswith("a"):
            # NumPy would warn of this type.
            raise ValueError("bytes by their old name")
        dtype = np.lib.format.descr_to_dtype(described)
        names = dtype.names or ()
        plain = type(order) is bool and all(type(length) is int for length in shape)
        if len(held) > 1 or not plain or (names and isinstance(described, str)):
            raise ValueError("other entries")
    except _HEADER_ERRORS:
        raise ValueError("its header") from None
    for name in names:
        if dtype[name].base.names is not None or len(dtype[name].shape) > 1:
            dtype = np.dtype("V7")  # stands for nested records, which are not read
            break
    return shape, order, dtype


def read_records(source: FileSource, limits: Limits, choice: ColumnChoice) -> Contents | None:
    """Values, labels and feature names of records (a structured array); None for any other .npy
    file.

    Features are the fields that the user has chosen; without a choice, all fields of numbers that
    are no labels. Labels are fields with the name of a label (see `is_label`), and those that the
    user drops or groups by; beside chosen features, texts too. Other fields are left out. Raises
    ReadError for a chosen field that is missing or holds no numbers.
    """
    with source.open() as stream:
        header = read_npy_header(stream, source.size, source)
        stored = header.dtype
        if stored.names is None or stored.hasobject or len(header.shape) != 1:
            return None
        features, others = _fields(stored, choice, header.where)
        widths = {name: math.prod(stored[name].shape) for name in features}
        n = header.shape[0]
        d = sum(widths.values())
        check_counts(header.where, n, d, limits)
        check_claim(header.where, n * max(stored.itemsize, 8 * d), limits)
        if header.stored != n * stored.itemsize:
            raise ReadError(
                f"{header.where}: truncated or corrupt. Write it again, or copy it again."
            )
        stream.seek(header.offset)
        table = np.frombuffer(stream.read(header.stored), stored)
    kinds = [stored[name].base for name in features]
    narrow = all(kind.kind == "f" and kind.itemsize <= 4 for kind in kinds)
    values = np.empty((n, d), np.float32 if narrow else np.float64)
    columns: list[str] = []

    def position(start: int, row: int, column: int) -> str:
        return f"{header.where}, row {row + 1}, field {quoted(columns[start + column])}"

    for name, width in widths.items():
        start = len(columns)
        columns += [name] * width
        field = table[name].reshape(n, width)
        check_exact(field, partial(position, start), columns[start:])
        values[:, start : start + width] = field
    check_values(values, partial(position, 0))
    labels = {}
    for name in others:
        if stored[name].kind in "fiubUS":
            column = table[name]
            labels[name] = column.astype(str) if stored[name].kind == "S" else column.copy()
    return Contents(values, labels, tuple(features) if d == len(features) else ())


def _fields(stored: np.dtype[Any], choice: ColumnChoice, where: str) -> tuple[list[str], list[str]]:
    """Names of the fields that are features, and of those that may be labels."""
    names = stored.names or ()
    numeric = [stored[name].base.kind in "fiub" for name in names]
    places, others = sort_columns(names, numeric, choice, where)
    for place in places:
        if choice.features and not numeric[place]:
            raise ReadError(
                f"{where}, field {quoted(names[place])}: holds {quoted(str(stored[place]))}, not "
                "numbers. Leave it out of the features."
            )
    features = [names[place] for place in places if numeric[place]]
    return features, [names[place] for place in others]


def values_at(stream: BinaryIO, header: Header, limits: Limits) -> Array:
    """Check the header, then read and check the values."""
    header = as_one_sample(header, limits)
    check_header(header, limits)
    values = load(stream, header)
    check_finite(values, header)
    return values


def label_at(stream: BinaryIO, header: Header, n: int) -> Array:
    """The labels of n samples: whole numbers, booleans or texts."""
    dtype = header.dtype
    labels = dtype.kind in "biuU" and dtype.itemsize <= _LONGEST_LABEL
    if not labels or header.bfloat16 or header.shape != (n,):
        raise ReadError(
            f"{header.where}: {header.dtype_name} of shape {header.shape}; a label for each of the "
            f"{n} samples is needed, a whole number or a text."
        )
    stream.seek(header.offset)
    data = stream.read(n * dtype.itemsize)
    if len(data) < n * dtype.itemsize:
        raise ReadError(
            f"{header.where}: truncated. Write it again, or copy it again if it was copied."
        )
    return np.frombuffer(data, dtype)


# Extensions of the pickles in an archive that torch.save writes.
PICKLED = (".pkl", ".pickle")


def read_npy(source: FileSource, limits: Limits) -> Array:
    """The (n, d) values of an .npy file.

    Large files on disk are mapped, not read: memory holds only the parts in use, and
    ``limits.max_bytes`` applies only to values that must be widened or transposed. A mapped file
    must not change while its samples are used: that may end the process. With ``limits.copied``
    only files larger than ``limits.max_bytes`` are mapped.
    """
    with source.open() as stream:
        header = read_npy_header(stream, source.size, source)
        _refuse_second(stream, header)
        small = header.stored < MAPPED_FROM or (limits.copied and header.stored <= limits.max_bytes)
        # Integers are read, to check that float64 holds them exactly; so are rarer types.
        floating = header.dtype.kind == "f" and header.itemsize <= 8
        if source.path is None or small or not floating:
            return values_at(stream, header, limits)
        # True if `Samples` can use the stored values without a copy: aligned float32 or float64,
        # native byte order, row by row.
        as_stored = header.dtype in (np.float32, np.float64) and not header.fortran_order
        as_stored = as_stored and header.offset % header.itemsize == 0
        check_header(header, replace(limits, max_bytes=sys.maxsize) if as_stored else limits)
        with corrupt_unless_read(source.where, OSError, ValueError):
            order: Literal["C", "F"] = "F" if header.fortran_order else "C"
            file = cast(Any, stream)
            values: Array = np.asarray(
                np.memmap(file, header.dtype, "r", header.offset, header.shape, order)
            )
            values = values.reshape(header.table)
    check_finite(values, header)
    return (
        values
        if as_stored
        else values.astype(np.float32 if header.held_itemsize == 4 else np.float64, order="C")
    )


def _refuse_second(stream: BinaryIO, header: Header) -> None:
    """Raise ReadError for a file of several arrays saved one after the other, with the lines that
    join them.
    """
    claimed = math.prod(header.shape) * header.itemsize
    if claimed >= header.stored:
        return
    stream.seek(header.offset + claimed)
    if stream.read(len(_BEGINNING)) != _BEGINNING:
        return
    name = literal(header.path)
    raise ReadError(
        f"{header.where}: several arrays in a row. If they are parts of one set, join "
        f"them:\nimport numpy as np, os\n"
        f"stream = open({name}, 'rb'); parts = []\n"
        f"while stream.tell() < os.path.getsize({name}): parts.append(np.load(stream))\n"
        "parts = [each for each in parts if each.shape[1:] == parts[0].shape[1:]]\n"
        f"np.save({beside(header.path, '_joined.npy')}, np.concatenate(parts))"
    )


_ERRORS = (EOFError, OSError, RuntimeError, ValueError, LookupError, OverflowError)
ZIP_ERRORS = (*_ERRORS, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
# First bytes of every entry in the directory of a zip archive.
ENTRY = b"PK\x01\x02"
# Compression methods of np.savez and np.savez_compressed; others unpack slowly or allocate
# gigabytes first.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class NpzFile:
    """An open .npz archive."""

    metadata = None  # .npz has no metadata

    def __init__(self, source: FileSource, archive: zipfile.ZipFile) -> None:
        self.where = source.where
        self.path = source.typed
        self._source = source
        self._archive = archive
        arrays = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        self._members = {info.filename.removesuffix(".npy"): info for info in arrays}
        if len(self._members) < len(arrays):
            raise ReadError(f"{self.where}: two arrays have the same name. Write it again.")
        self.keys: Sequence[str] = tuple(self._members)

    def header(self, key: str) -> Header:
        """Inner .npy header of one member."""
        with self._member(key) as stream:
            # file_size is only a claim of the zip directory, but zipfile never returns more bytes.
            return read_npy_header(stream, self._members[key].file_size, self._source, key)

    def values(self, key: str, limits: Limits) -> Array:
        """The checked (n, d) values of one member."""
        with self._behind_header(key) as (stream, header):
            return values_at(stream, header, limits)

    def label(self, key: str, n: int) -> Array:
        """The labels of n samples in one member: whole numbers, booleans or texts."""
        with self._behind_header(key) as (stream, header):
            return label_at(stream, header, n)

    @contextmanager
    def _behind_header(self, key: str) -> Iterator[tuple[BinaryIO, Header]]:
        """The stream of an array, behind its header. The header is read, because seeking past it
        would skip the check of the checksum.
        """
        header = self.header(key)
        with self._member(key) as stream:
            stream.read(header.offset)
            yield stream, header

    def _where(self, key: str) -> str:
        return f"{self.where}, key {quoted(key)}"

    @contextmanager
    def _member(self, key: str) -> Iterator[BinaryIO]:
        if self._members[key].compress_type not in METHODS:
            raise ReadError(
                f"{self._where(key)}: packed by an unusual method. Save it with "
                f"np.savez_compressed."
            )
        with (
            corrupt_unless_read(self._where(key), *ZIP_ERRORS),
            self._archive.open(self._members[key]) as stream,
        ):
            yield cast(BinaryIO, stream)


class _Guarded:
    """Stream of an archive that raises ReadError for a zip directory of more bytes or entries than
    the limits.
    """

    def __init__(self, stream: BinaryIO, where: str, limits: Limits) -> None:
        self._stream = stream
        self._where = where
        self._limits = limits
        self.opening = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def read(self, size: int = -1) -> bytes:
        if self.opening and size > self._limits.max_header_bytes:
            raise ReadError(
                f"{self._where}: its zip directory claims {human_size(size)}, more than any real "
                f"archive of arrays."
            )
        data = self._stream.read(size)
        if self.opening:
            check_keys(self._where, data.count(ENTRY), self._limits)
        return data


@contextmanager
def _open_zip(source: FileSource, limits: Limits) -> Iterator[zipfile.ZipFile]:
    with source.open() as stream:
        guarded = _Guarded(stream, source.where, limits)
        with corrupt_unless_read(source.where, *ZIP_ERRORS):
            archive = zipfile.ZipFile(cast(BinaryIO, guarded))
        guarded.opening = False
        with archive:
            yield archive


def zip_members(source: FileSource, limits: Limits) -> list[str]:
    """Names of the files in a zip archive without those that macOS adds; none if it is broken."""
    try:
        with _open_zip(source, limits) as archive:
            names = archive.namelist()
    except ReadError:
        return []
    return [name for name in names if not name.startswith("__MACOSX/") and name[-1:] != "/"]


@contextmanager
def open_npz(source: FileSource, limits: Limits) -> Iterator[NpzFile]:
    """Archive of ``source``; only its directory is read.

    Raises
    ------
    ReadError : no zip archive, a corrupt or oversized directory, or an archive around a pickle.
    """
    with _open_zip(source, limits) as archive:
        if any(name.endswith(PICKLED) for name in archive.namelist()):
            raise refuse_pickle(source, torch_archive=True)
        yield NpzFile(source, archive)
