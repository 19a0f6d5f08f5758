"""Reads pictures one by one from one array: .npy files, and .npz files as diffusion projects write
them (pictures arr_0, labels arr_1).
"""

from __future__ import annotations

import threading
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from prviz.arrays import Array
from prviz.embed.base import Kind, SourceItem
from prviz.readers.arrays import Header
from prviz.readers.errors import ReadError, listed, quoted
from prviz.readers.media.looks import MAX_PIXELS, MediaError
from prviz.readers.npy import ZIP_ERRORS, NpzFile, open_npz, read_npy_header
from prviz.readers.source import Limits, as_source

# Usual names of the array of labels in an .npz file; `np.savez` calls unnamed arrays arr_0, arr_1,
# ...
_LABELS = ("arr_1", "label", "labels", "y")
# Usual name of the array of pictures.
_PICTURES = "arr_0"
_ACCEPTED = (
    "pictures as an array (n, height, width, 3), (n, height, width) or (n, 3, height, width) of"
    " uint8 or uint16 are needed"
)
# The current thread's open stream. One is enough, since the pictures of an array are read in order.
_held = threading.local()


@dataclass(frozen=True)
class PictureArray:
    """Pictures in one array, each named by its row.

    offset : byte of the first value, in the file or, if ``member`` is not "", in the unpacked
        member of the archive.
    shape, dtype : of one picture.
    first : True if the first axis of a picture is its colours.
    """

    file: Path
    name: str
    offset: int
    shape: tuple[int, ...]
    dtype: str
    first: bool
    member: str = ""
    items: tuple[SourceItem, ...] = field(default=(), repr=False)
    kind: Kind = "pictures"
    notes: tuple[str, ...] = ()
    column: str = "row"

    def get(self, item: SourceItem) -> Array:
        """Values of a picture, (height, width) or (height, width, 1, 3 or 4).

        Raises MediaError for a truncated or corrupt file.
        """
        size = prod(self.shape) * np.dtype(self.dtype).itemsize
        begin = self.offset + int(item.path) * size
        key = (str(self.file), self.member, item.version)
        failed = getattr(_held, "failed", None)
        if failed is not None and failed[0] == key and begin >= failed[1]:
            # reported again without unpacking the file up to the damage once more
            raise MediaError(failed[2])
        try:
            if self.member:
                stream = self._unpacked(key)
                stream.seek(begin)
                data = stream.read(size)
            else:
                with self.file.open("rb") as whole:
                    whole.seek(begin)
                    data = whole.read(size)
            if len(data) < size:
                raise EOFError("cut off")
        except ZIP_ERRORS as error:
            close_held()
            reason = f"corrupt ({quoted(str(error) or type(error).__name__)}); write it again."
            _held.failed = (key, begin, reason)
            raise MediaError(reason) from None
        values = np.frombuffer(data, self.dtype).reshape(self.shape)
        if self.first:
            return np.moveaxis(values, 0, -1)
        return values

    def head(self, item: SourceItem) -> None:  # noqa: ARG002
        """Always None, since a row of an array is not a picture file."""
        return

    def seen_from(self, folder: Path) -> str:  # noqa: ARG002
        """An empty text, since a row of an array has no path."""
        return ""

    def _unpacked(self, key: tuple[str, str, str]) -> BinaryIO:
        """The current thread's stream of the compressed member, opened if necessary.

        Reading onwards is fast; seeking backwards unpacks the member again from its beginning.
        """
        if getattr(_held, "key", None) != key:
            close_held()
            with ExitStack() as stack:
                archive = stack.enter_context(zipfile.ZipFile(self.file))
                _held.stream = stack.enter_context(archive.open(self.member))
                _held.open = stack.pop_all()
            _held.key = key
        return cast(BinaryIO, _held.stream)


def close_held() -> None:
    """Close the current thread's open stream, if there is one."""
    if getattr(_held, "key", None) is not None:
        _held.key = None
        _held.open.close()


def open_array(path: Path, key: str | None) -> PictureArray:
    """The pictures in an .npy or .npz file; only its headers and labels are read now.

    Raises
    ------
    ValueError : no array of pictures, several arrays but no ``key``, or a truncated or corrupt
    file.
    """
    source = as_source(path)
    limits = Limits(min_rows=1)
    state = path.stat()
    version = f"{state.st_size} {state.st_mtime_ns} {state.st_ino}"
    if path.suffix.lower() == ".npy":
        with source.open() as stream:
            header = read_npy_header(stream, source.size, source)
        return _array(path, header, header.offset, "", None, version)
    with open_npz(source, limits) as file:
        header = _chosen(file, key)
        name = str(header.key)
        labels: list[str] | None = None
        for each in _LABELS:
            if each in file.keys and each != name and file.header(each).shape == header.shape[:1]:
                labels = [str(label) for label in file.label(each, header.shape[0])]
                break
        member, offset = _place(path, f"{name}.npy", header.offset)
    return _array(path, header, offset, member, labels, version)


def _chosen(file: NpzFile, key: str | None) -> Header:
    """Header of the array named ``key``, or, without a key, of the array that holds pictures."""
    if key is not None and key not in file.keys:
        raise ReadError(f"{file.where}: has no array {quoted(key)}; it has {listed(file.keys)}")
    if key is not None:
        return file.header(key)
    headers = {each: file.header(each) for each in file.keys}
    fitting = [each for each, header in headers.items() if len(header.shape) in (3, 4)]
    if _PICTURES in fitting or len(fitting) == 1:
        return headers[_PICTURES if _PICTURES in fitting else fitting[0]]
    if fitting:
        raise ReadError(
            f"{file.where}: several arrays may be pictures, {listed(fitting)}; choose one with"
            " --key"
        )
    shapes = ", ".join(
        f"{quoted(each)} {header.shape}" for each, header in list(headers.items())[:10]
    )
    features = any(len(header.shape) == 2 for header in headers.values())
    remedy = ""
    if features:
        remedy = "; features (n, d) are no pictures: prviz curve and triage take the file as it is"
    raise ReadError(f"{file.where}: holds {shapes or 'no array'}; {_ACCEPTED}{remedy}")


def _place(path: Path, name: str, offset: int) -> tuple[str, int]:
    """Where an array's values begin: ("", byte in the file) if it is stored uncompressed, else
    (name of the member, byte in the unpacked member).
    """
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED:
        return name, offset
    with path.open("rb") as stream:
        stream.seek(info.header_offset)
        local = stream.read(30)
    behind = int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
    return "", info.header_offset + 30 + behind + offset


def _array(
    path: Path, header: Header, offset: int, member: str, labels: list[str] | None, version: str
) -> PictureArray:
    """A `PictureArray` for the array with this header; raises ReadError unless it holds
    pictures.
    """
    shape = header.shape
    found = f"{header.where}: {header.dtype_name} of shape {shape}"
    colours = [at for at in (3, 1) if len(shape) == 4 and shape[at] in (1, 3, 4)]
    if len(shape) == 5:
        raise ReadError(
            f"{found}; {_ACCEPTED}; of videos take the frames, values.reshape(-1,"
            " *values.shape[2:])"
        )
    if len(shape) == 3 and shape[2] in (3, 4) and min(shape[:2]) > shape[2]:
        raise ReadError(
            f"{found}, which is one picture in colours; {_ACCEPTED}: save np.expand_dims(values, 0)"
            " if it is"
        )
    if len(shape) != 3 and not colours:
        remedy = "; features (n, d) are no pictures: prviz curve and triage take the file as it is"
        raise ReadError(f"{found}; {_ACCEPTED}{remedy if len(shape) == 2 else ''}")
    if header.dtype.kind != "u" or header.dtype.itemsize > 2 or header.bfloat16:
        if header.dtype.kind in "iub" and not header.bfloat16:
            factor = ""
            if header.dtype.kind == "b":
                factor = " * 255"
            raise ReadError(f"{found}; {_ACCEPTED}: save values.astype('uint8'){factor}")
        raise ReadError(
            f"{found}; {_ACCEPTED}: save values.round().astype('uint8') for values from 0 to 255, "
            "(values * 255).round().astype('uint8') for values from 0 to 1, "
            "((values + 1) * 127.5).round().astype('uint8') for values from -1 to 1"
        )
    if header.fortran_order and len(shape) > 1:
        raise ReadError(
            f"{found}, saved column by column; save np.ascontiguousarray(values) instead"
        )
    if min(shape) < 1 or prod(shape[1:]) > 4 * MAX_PIXELS:
        raise ReadError(f"{found}; pictures of 1 to {MAX_PIXELS:,} pixels are needed")
    if prod(shape) * header.dtype.itemsize != header.stored:
        raise ReadError(
            f"{found}: truncated or corrupt ({header.stored} bytes of values). Write it again."
        )
    labels = labels or [""] * shape[0]
    items = tuple(SourceItem(str(row), label, version=version) for row, label in enumerate(labels))
    first = bool(colours) and colours[0] == 1
    return PictureArray(path, path.name, offset, shape[1:], header.dtype.str, first, member, items)
