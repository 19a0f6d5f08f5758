"""Readers of .npy and .npz files (format: see `numpy.lib.format`)."""

from __future__ import annotations

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
from typing import Any, BinaryIO, Literal, cast

import numpy as np

from prviz.readers.arrays import (
    Array,
    Header,
    as_one_sample,
    check_counts,
    check_exact,
    check_header,
    check_values,
    load,
)
from prviz.readers.columns import ColumnChoice, sort_columns
from prviz.readers.errors import ReadError, beside, corrupt_unless_read, literal, quoted
from prviz.readers.source import (
    FileSource,
    Limits,
    check_claim,
    check_keys,
    human_size,
    refuse_pickle,
)

# Bytes from which files are mapped; smaller ones are read into memory and not needed any more.
MAPPED_FROM = 1 << 24

_BEGINNING = b"\x93NUMPY"
# Bytes of the longest header, the limit of numpy.
_LONGEST_HEADER = 10_000
# An entry of the header: text, a truth value, a tuple of integers (of Python 2 with an L), or a
# list of records.
_ENTRY = re.compile(
    r"""(["'])(descr|fortran_order|shape)\1\s*:\s*("[^"]*"|'[^']*'|True|False|\([-\dL, ]*\)|\[)"""
)
# Most bytes of one label in an archive.
_LONGEST_LABEL = 256
# A plain dtype; "a" is a deprecated name for bytes.
_PLAIN = re.compile(r"""["']([<>|=]?[?b-zA-Z]\d{0,9}(?:\[\w{1,9}\])?)["']""")
_FIELD = re.compile(
    r"""\(\s*["']([^"'\\]{1,200})["']\s*,\s*["']([<>|=]?[?b-zA-Z]\d{0,9})["']\s*(?:,\s*\((\d{1,9}),?\)\s*)?\)"""
)
_OBJECT = re.compile(r"""["'][<>|=]?O\d?["']""")


def read_npy_header(
    stream: BinaryIO, size: int, *, file: str, key: str | None, where: str, path: str = ""
) -> Header:
    """Header of an .npy stream of ``size`` bytes; reads at most 10 kB of it.

    Raises
    ------
    ReadError : not an .npy stream, or a header that is truncated, corrupt or longer than any real
    one.
    """
    head = stream.read(_LONGEST_HEADER + 12)
    if not head.startswith(_BEGINNING):
        raise ReadError(
            f"{where}: corrupt, or not an .npy array (it does not begin like one). Save it with np.save."
        )
    begin = 10 if head[6:7] == b"\x01" else 12
    length = int.from_bytes(head[8:begin], "little")
    if length > _LONGEST_HEADER:
        raise ReadError(
            f"{where}: corrupt (its header claims to be {human_size(length)} long). Save a plain 2-D array with "
            "np.save."
        )
    end = begin + length
    with corrupt_unless_read(where, ValueError, TypeError, KeyError, OverflowError):
        if end > len(head) or head[6:7] not in (b"\x01", b"\x02", b"\x03"):
            raise ValueError("its header")
        shape, fortran_order, dtype = _parsed(
            head[begin:end].decode("utf-8" if head[6] == 3 else "latin1")
        )
    if any(length < 0 for length in shape):
        raise ReadError(f"{where}: corrupt (a negative shape). Write it again.")
    # bfloat16 is no numpy type: ml_dtypes (jax, tensorflow) saves it as two bytes without a
    # meaning.
    bfloat16 = dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None
    return Header(
        file=file,
        key=key,
        where=where,
        shape=shape,
        dtype=np.dtype("<u2") if bfloat16 else dtype,
        dtype_name="bfloat16" if bfloat16 else dtype.name[:40],
        offset=end,
        stored=size - end,
        fortran_order=fortran_order,
        bfloat16=bfloat16,
        path=path,
    )


def _parsed(text: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and dtype of a header; numpy's own parser evaluates it as Python and warns."""
    entries = _ENTRY.findall(text)
    found = {name: value for _, name, value in entries}
    descr = found["descr"]
    order = found["fortran_order"]
    shape = found["shape"].strip("()")
    if descr == "[":
        dtype = np.dtype(object) if _OBJECT.search(text) else _record_dtype(text)
    elif (plain := _PLAIN.fullmatch(descr)) and "".join(_ENTRY.sub("", text).split()) in (
        "{,,}",
        "{,,,}",
    ):
        dtype = np.dtype(plain[1])
    else:
        raise ValueError("its header")
    return (
        tuple(int(length.removesuffix("L")) for length in shape.split(",") if length.strip()),
        order == "True",
        dtype,
    )


def _record_dtype(text: str) -> np.dtype[Any]:
    """The dtype of records of plain fields; one without names for any other records, which are not read."""
    listed = text[text.index("[") + 1 : text.rindex("]")]
    fields = list(_FIELD.finditer(listed))
    between = "".join(_FIELD.sub("", listed).split()).strip(",")
    names = [field[1] for field in fields]
    if between or not names or len(set(names)) < len(names):
        return np.dtype("V7")
    return np.dtype(
        [(field[1], field[2], (int(field[3]),) if field[3] else ()) for field in fields]
    )


def read_records(
    source: FileSource, limits: Limits, choice: ColumnChoice
) -> tuple[Array, dict[str, Array], tuple[str, ...]] | None:
    """Values, labels and names of the features of records (a structured array); None for any other .npy file.

    Fields of numbers are features, those that are named like labels or dropped are labels, others
    are left out. Raises ReadError for a chosen field that is missing or holds no numbers.
    """
    with source.open() as stream:
        header = read_npy_header(
            stream, source.size, file=source.name, key=None, where=source.where
        )
        if header.dtype is None or header.dtype.names is None or len(header.shape) != 1:
            return None
        stored = header.dtype
        names = header.dtype.names
        kinds = {name: stored[name].base.kind for name in names}
        numeric = [kinds[name] in "fiub" for name in names]
        places, others = sort_columns(names, numeric, choice, header.where)
        for place in places:
            if choice.features and not numeric[place]:
                raise ReadError(
                    f"{header.where}, field {quoted(names[place])}: holds {quoted(str(stored[place]))}, not numbers. "
                    "Leave it out of the features."
                )
        features = [names[place] for place in places if numeric[place]]
        widths = [stored[name].shape[0] if stored[name].shape else 1 for name in features]
        n = header.shape[0]
        check_counts(header.where, n, sum(widths), limits)
        check_claim(header.where, n * max(stored.itemsize, 8 * sum(widths)), limits)
        if header.stored != n * stored.itemsize:
            raise ReadError(
                f"{header.where}: truncated or corrupt. Write it again, or copy it again."
            )
        stream.seek(header.offset)
        table = np.frombuffer(stream.read(header.stored), stored)
    narrow = all(
        stored[name].base.kind == "f" and stored[name].base.itemsize <= 4 for name in features
    )
    values = np.empty((n, sum(widths)), np.float32 if narrow else np.float64)
    columns = [name for name, width in zip(features, widths, strict=True) for _ in range(width)]

    def position(row: int, column: int) -> str:
        return f"{header.where}, row {row + 1}, field {quoted(columns[column])}"

    start = 0
    for name, width in zip(features, widths, strict=True):
        field = table[name].reshape(n, width)
        check_exact(field, lambda row, column, start=start: position(row, start + column))  # type: ignore[misc]
        values[:, start : start + width] = field
        start += width
    check_values(values, position)
    beside = [names[place] for place in others]
    labels = [name for name in beside if kinds[name] in "fiubUS" and not stored[name].shape]
    texts = {
        name: table[name].astype(str) if kinds[name] == "S" else table[name].copy()
        for name in labels
    }
    return values, texts, tuple(features) if len(columns) == len(features) else ()


def values_at(stream: BinaryIO, header: Header, limits: Limits) -> Array:
    """Check the header, then read and check the values."""
    header = as_one_sample(header, limits)
    check_header(header, limits)
    values = load(stream, header)
    check_values(values, header.position)
    return values


def label_at(stream: BinaryIO, header: Header, n: int) -> Array:
    """The labels of n samples: whole numbers, booleans or texts."""
    dtype = header.dtype
    labels = (
        dtype is not None
        and dtype.kind in "biuU"
        and not header.bfloat16
        and dtype.itemsize <= _LONGEST_LABEL
    )
    if dtype is None or not labels or header.shape != (n,):
        raise ReadError(
            f"{header.where}: {header.dtype_name} of shape {header.shape}; a label for each of the {n} samples "
            "is needed, a whole number or a text."
        )
    stream.seek(header.offset)
    data = stream.read(n * dtype.itemsize)
    if len(data) < n * dtype.itemsize:
        raise ReadError(
            f"{header.where}: truncated. Write it again, or copy it again if it was copied."
        )
    return np.frombuffer(data, dtype)


def read_npy(source: FileSource, limits: Limits) -> Array:
    """The (n, d) values of an .npy file.

    Large files on disk are mapped, not read: memory holds only the parts in use, and
    ``limits.max_bytes`` applies only to values that must be widened or transposed. A mapped file
    must not change while its samples are used: that may end the process. With ``limits.copied``
    only files larger than ``limits.max_bytes`` are mapped.
    """
    with source.open() as stream:
        header = read_npy_header(
            stream, source.size, file=source.name, key=None, where=source.where, path=source.typed
        )
        _refuse_second(stream, header)
        small = header.stored < MAPPED_FROM or (limits.copied and header.stored <= limits.max_bytes)
        # Integers, which have checks of their own, and rarer types are read.
        floating = (
            header.dtype is not None and header.dtype.kind == "f" and header.dtype.itemsize <= 8
        )
        if source.path is None or small or not floating:
            return values_at(stream, header, limits)
        # True if `Samples` can keep the stored values: float32 or float64, native, row by row,
        # aligned.
        as_stored = header.dtype in (np.float32, np.float64) and not header.fortran_order
        as_stored = as_stored and header.offset % header.itemsize == 0
        check_header(header, replace(limits, max_bytes=sys.maxsize) if as_stored else limits)
        with corrupt_unless_read(source.where, OSError, ValueError):
            order: Literal["C", "F"] = "F" if header.fortran_order else "C"
            dtype = cast("np.dtype[Any]", header.dtype)
            file = cast(Any, stream)
            values: Array = np.asarray(
                np.memmap(file, dtype, "r", header.offset, header.shape, order)
            )
            values = values.reshape(header.table)
    check_values(values, header.position)
    return (
        values
        if as_stored
        else values.astype(np.float32 if header.held_itemsize == 4 else np.float64, order="C")
    )


def _refuse_second(stream: BinaryIO, header: Header) -> None:
    """Raise ReadError, with the lines that join them, for arrays that were saved one behind the other."""
    claimed = math.prod(header.shape) * header.itemsize
    if claimed >= header.stored:
        return
    stream.seek(header.offset + claimed)
    if stream.read(len(_BEGINNING)) != _BEGINNING:
        return
    name = literal(header.path)
    raise ReadError(
        f"{header.where}: several arrays in a row. If they are parts of one set, join them:\nimport numpy as np, os\n"
        f"stream = open({name}, 'rb'); parts = []\n"
        f"while stream.tell() < os.path.getsize({name}): parts.append(np.load(stream))\n"
        "parts = [each for each in parts if each.shape[1:] == parts[0].shape[1:]]\n"
        f"np.save({beside(header.path, '_joined.npy')}, np.concatenate(parts))"
    )


_ERRORS = (EOFError, OSError, RuntimeError, ValueError, LookupError, OverflowError)
ZIP_ERRORS = (*_ERRORS, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
# First bytes of every entry of an archive's directory.
ENTRY = b"PK\x01\x02"
# Methods of np.savez and np.savez_compressed; others unpack slowly or allocate gigabytes first.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class NpzFile:
    """An open .npz archive."""

    metadata = None  # the format has none

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
            return self._header(stream, key)

    def values(self, key: str, limits: Limits) -> Array:
        """The checked (n, d) values of one member."""
        with self._member(key) as stream:
            return values_at(stream, self._header(stream, key), limits)

    def label(self, key: str, n: int) -> Array:
        """The labels of n samples in one member: whole numbers, booleans or texts."""
        with self._member(key) as stream:
            return label_at(stream, self._header(stream, key), n)

    def _header(self, stream: BinaryIO, key: str) -> Header:
        # file_size is the claim of the zip directory; zipfile never returns more bytes than that.
        where = self._where(key)
        size = self._members[key].file_size
        file = self._source
        return read_npy_header(stream, size, file=file.name, key=key, where=where, path=file.typed)

    def _where(self, key: str) -> str:
        return f"{self.where}, key {quoted(key)}"

    @contextmanager
    def _member(self, key: str) -> Iterator[BinaryIO]:
        if self._members[key].compress_type not in METHODS:
            raise ReadError(
                f"{self._where(key)}: packed by an unusual method. Save it with np.savez_compressed."
            )
        with (
            corrupt_unless_read(self._where(key), *ZIP_ERRORS),
            self._archive.open(self._members[key]) as stream,
        ):
            yield cast(BinaryIO, stream)


class _Guarded:
    """Stream of an archive that refuses a directory of more bytes or entries than the limits allow."""

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
                f"{self._where}: its zip directory claims {human_size(size)}, more than any real archive of arrays."
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


def holds_pickle(source: FileSource, limits: Limits) -> bool:
    """True if the file is a readable zip archive with a pickle inside, as torch.save writes it."""
    try:
        with _open_zip(source, limits) as archive:
            return any(name.endswith((".pkl", ".pickle")) for name in archive.namelist())
    except ReadError:
        return False


def zip_members(source: FileSource, limits: Limits) -> list[str]:
    """Names of the files in a readable zip archive, without what macOS adds; none of a broken one."""
    try:
        with _open_zip(source, limits) as archive:
            return [
                name
                for name in archive.namelist()
                if not name.startswith("__MACOSX/") and name[-1:] != "/"
            ]
    except ReadError:
        return []


@contextmanager
def open_npz(source: FileSource, limits: Limits) -> Iterator[NpzFile]:
    """Archive of ``source``; only its directory is read.

    Raises
    ------
    ReadError : no zip archive, a corrupt or oversized directory, or an archive around a pickle.
    """
    with _open_zip(source, limits) as archive:
        if any(name.endswith((".pkl", ".pickle")) for name in archive.namelist()):
            raise refuse_pickle(source, torch_archive=True)
        yield NpzFile(source, archive)
