"""Headers and checked values of stored arrays, for .npy, .npz and .safetensors files."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, cast

import numpy as np

from prviz.array_input import EMBED_PICTURES, inexact_integer, squeezed
from prviz.arrays import Array
from prviz.quoting import drop_text
from prviz.readers.errors import EmptyCellError, ReadError, beside, literal
from prviz.readers.source import Limits, check_claim, human_size, refuse_object_array

# Bytes read at a time.
_CHUNK = 1 << 24
# Number of rows checked for NaN and inf at a time.
_BLOCK_ROWS = 4096
# Stands for a type that numpy lacks.
UNKNOWN = np.dtype("V")

_WRONG_KINDS = {
    "T": "text. Save the embeddings as numbers",
    "M": "dates. Save the embeddings as numbers",
    "m": "time differences. Save the embeddings as numbers",
    "V": "records (a structured dtype). Save one plain 2-D array of numbers, or the records alone "
    "as a .npy file",
}


# Kind of dtype -> its name in messages, and the expression that turns ``values`` into numbers.
_FLOAT64 = "values.astype('float64')"
_CHANGED = {
    "c": (
        "complex numbers. Save the real and the imaginary parts",
        "np.hstack([values.real, values.imag])",
    ),
    "U": ("text. If it says numbers, save these", _FLOAT64),
    "S": ("text. If it says numbers, save these", _FLOAT64),
    "f": ("numbers of more than 64 bits, which can't be read. Save them as float64", _FLOAT64),
}


@dataclass(frozen=True, kw_only=True)
class Header:
    """Header of one array of a file, before any value is read.

    Parameters
    ----------
    file, path, key : names for messages and recipes; path: the file as the user wrote it; key None:
    the file holds just this array.
    shape, dtype, fortran_order : as stored; dtype UNKNOWN: a type that numpy lacks, named by
    dtype_name.
    offset, stored : position of the values in the stream, and number of their bytes there.
    bfloat16 : True if the two-byte dtype holds the upper halves of float32 numbers.
    """

    file: str
    path: str
    key: str | None
    where: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtype_name: str
    offset: int
    stored: int
    fortran_order: bool = False
    bfloat16: bool = False

    @property
    def table(self) -> tuple[int, ...]:
        """The shape with (n, d, 1, ...), (n, 1, ..., d) and (1, n, d) squeezed to (n, d)."""
        return squeezed(self.shape, picture=self.dtype == np.uint8)

    def position(self, row: int, column: int) -> str:
        """Text for the place of a value, counted from 1."""
        return f"{self.where}, row {row + 1}, column {column + 1}"

    @property
    def numpy(self) -> bool:
        """True for an array of a .npy or .npz file."""
        return self.file.lower().endswith((".npy", ".npz"))

    @property
    def itemsize(self) -> int:
        """Bytes per stored value."""
        return self.dtype.itemsize

    @property
    def held_itemsize(self) -> int:
        """Bytes per value once widened: 4 for float16, bfloat16 and float32, else 8."""
        if self.bfloat16 or (self.dtype.kind == "f" and self.itemsize <= 4):
            return 4
        return 8


def looks_like_images(header: Header) -> bool:
    """True for shapes (n, h, w, channels), (n, channels, h, w), and (n, h, w) of bytes."""
    shape = header.table
    if len(shape) == 4:
        return shape[3] in (1, 3, 4) or shape[1] in (1, 3, 4)
    return len(shape) == 3 and header.dtype == np.uint8


def _loaded(header: Header, options: str = "") -> str:
    """The call that loads an array of .npy or .npz."""
    key = ""
    if header.key is not None:
        key = f"[{literal(header.key)}]"
    return f"np.load({literal(header.path)}{options}){key}"


def _check_dtype(header: Header) -> None:
    if header.dtype == UNKNOWN:
        raise ReadError(
            f"{header.where}: {header.dtype_name} numbers, which can't be read. Save them as "
            f"float32."
        )
    if header.dtype.hasobject:
        load = _loaded(header, ", allow_pickle=True")
        raise refuse_object_array(header.where, header.path, load)
    if header.bfloat16:
        return
    if kept := _CHANGED.get(
        header.dtype.kind if header.itemsize > 8 or header.dtype.kind != "f" else ""
    ):
        what, change = kept
        raise ReadError(
            f"{header.where}: holds {what}:\nimport numpy as np\nvalues = {_loaded(header)}\n"
            f"np.save({beside(header.path, '_numbers.npy')}, {change})"
        )
    if header.dtype.kind == "V" and header.dtype.names is None and header.itemsize == 1:
        raise ReadError(
            f"{header.where}: numbers of 8 bits whose type the file does not name. If it is "
            "float8_e4m3fn (another is float8_e5m2):\nimport ml_dtypes, numpy as np\nvalues = "
            f"{_loaded(header)}.view(ml_dtypes.float8_e4m3fn)\n"
            f"np.save({beside(header.path, '_numbers.npy')}, values.astype('float32'))"
        )
    if header.dtype.kind in _WRONG_KINDS:
        raise ReadError(f"{header.where}: holds {_WRONG_KINDS[header.dtype.kind]}.")


def _check_shape(header: Header) -> None:
    shape = header.table
    if len(shape) == 2:
        return
    sizes = ", ".join(str(size) if size < 10**15 else ">1e15" for size in header.shape[:6])
    end = ", …" if len(header.shape) > 6 else ""
    if len(header.shape) == 1:
        end = ","
    found = f"{header.where}: {header.dtype_name} of shape ({sizes}{end})"
    if looks_like_images(header):
        remedy = f"save them as .npy, and {EMBED_PICTURES}"
        if header.numpy:
            remedy = EMBED_PICTURES.replace("FOLDER", header.file)
        raise ReadError(f"{found} looks like images, not embeddings. Embed them first: {remedy}.")
    frames = ""
    if len(shape) == 3 and header.numpy:
        saved = beside(header.path, "_frames.npz")
        frames = (
            " If each row of the last axis is a sample, such as a frame of a clip, save the "
            "frames, and name their clips with --group clip (group='clip'):\nimport numpy as "
            f"np\nvalues = {_loaded(header)}\n"
            "clips = np.repeat(np.arange(len(values)), values.shape[1])\n"
            f"np.savez({saved}, frames=values.reshape(-1, values.shape[2]), clip=clips)"
        )
    raise ReadError(f"{found} is not a table of samples. {_shape_advice(shape)}{frames}")


def _shape_advice(shape: tuple[int, ...]) -> str:
    if not shape:
        return "Save a 2-D array, one row per sample."
    if len(shape) == 1:
        return (
            "A 2-D array (n, d) is needed. If it is one sample of d features, keep one such file "
            "for each in a folder, and name the folder; if it is n samples flattened, save "
            "values.reshape(n, d) with their number; only if it is one number per sample, "
            "values.reshape(-1, 1)."
        )
    if shape[0] == 1:
        return (
            "A 2-D array (n, d) is needed: the first axis has one entry. If it is one batch, "
            "save values[0]."
        )
    advice = (
        "A 2-D array (n, d) is needed: pool or flatten each sample to one row, "
        "values.reshape(len(values), -1)"
    )
    if len(shape) == 3 and shape[0] < shape[1]:  # the first axis is short: likely batches
        return (
            f"{advice}; if the first axis counts batches of samples, save values.reshape(-1, "
            f"values.shape[-1])."
        )
    return f"{advice}."


def as_one_sample(header: Header, limits: Limits) -> Header:
    """The header of an array (d,) as that of one sample (1, d), if the caller reads one sample per
    file; otherwise the header unchanged.
    """
    one = limits.one_sample and len(header.shape) == 1 and header.shape[0] > 0
    if one:
        return replace(header, shape=(1, *header.shape))
    return header


def fits(header: Header) -> bool:
    """True if this is a 2-D array of real numbers, whatever its size."""
    try:
        _check_dtype(header)
        _check_shape(header)
    except ReadError:
        return False
    return True


def check_counts(where: str, rows: int, columns: int, limits: Limits) -> None:
    """Refuse a table without columns or with fewer rows than ``limits.min_rows``."""
    if columns < 1:
        raise ReadError(
            f"{where}: has no feature columns. Save one row per sample and one column per feature."
        )
    if rows < limits.min_rows:
        raise ReadError(
            f"{where}: has {rows} row{'s' * (rows != 1)}; at least {limits.min_rows} samples are "
            "needed. Save one row per sample (is the array transposed?)."
        )


def check_header(header: Header, limits: Limits) -> None:
    """Refuse everything that can be refused before the values are read.

    Raises
    ------
    ReadError : dtype or shape of something other than embeddings, too few rows or columns, more
    memory than
        the limit, or a size that differs from what the file has.
    """
    _check_dtype(header)
    _check_shape(header)
    rows, columns = header.table
    check_counts(header.where, rows, columns, limits)
    check_claim(header.where, rows * columns * header.held_itemsize, limits)
    claimed = math.prod(header.shape) * header.itemsize
    if claimed == header.stored:
        return
    found = (
        f"its header claims {human_size(claimed)} of values, {human_size(header.stored)} are there"
    )
    if claimed > header.stored:
        raise ReadError(
            f"{header.where}: truncated or corrupt ({found}). Write it again, or copy it again."
        )
    raise ReadError(
        f"{header.where}: corrupt, or several arrays in a row ({found}). Save one array per file."
    )


def load(stream: BinaryIO, header: Header) -> Array:
    """Values of a checked header: (n, d), C-contiguous, float32 or float64 in native byte order."""
    raw: Array = np.empty(math.prod(header.shape) * header.itemsize, dtype=np.uint8)
    view = memoryview(cast(Any, raw))
    stream.seek(header.offset)
    position = 0
    while position < len(view):
        part = stream.read(min(_CHUNK, len(view) - position))
        if not part:
            raise ReadError(
                f"{header.where}: truncated. Write it again, or copy it again if it was copied."
            )
        view[position : position + len(part)] = part
        position += len(part)
    stored = raw.view(header.dtype).reshape(
        header.table, order="F" if header.fortran_order else "C"
    )
    if header.bfloat16:
        return (stored.astype(np.uint32, order="C") << np.uint32(16)).view(np.float32)
    check_exact(stored, header.position)
    held = np.float32 if header.held_itemsize == 4 else np.float64
    return stored.astype(held, order="C", copy=False)


def check_exact(
    values: Array, position: Callable[[int, int], str], names: Sequence[str] = ()
) -> None:
    """Refuse integers of which float64 does not hold every digit, see `inexact_integer`.

    names : names of the columns, of which the message offers to leave one out.
    """
    if found := inexact_integer(values):
        place, text = found
        if names:
            text += f" To leave the column out: {drop_text([names[place[-1]]])}."
        raise ReadError(f"{position(*place)}: {text}")


def check_values(values: Array, position: Callable[[int, int], str]) -> None:
    """Refuse NaN and inf. ``position(row, column)``, both counted from 0, describes the place in
    the file.
    """
    for start in range(0, len(values), _BLOCK_ROWS):
        bad = ~np.isfinite(values[start : start + _BLOCK_ROWS])
        if bad.any():
            row, column = map(int, np.argwhere(bad)[0])
            found = values[start + row, column]
            name = "NaN (not a number)"
            if not np.isnan(found):
                name = f"{'-' * bool(found < 0)}inf (infinite or too large)"
            said = (
                f"{position(start + row, column)}: {name}. Find out where it comes from, or "
                f"leave that sample out."
            )
            raise EmptyCellError(said, column) if np.isnan(found) else ReadError(said)


def check_finite(values: Array, header: Header) -> None:
    """`check_values` of an array; the error has the lines that leave out every sample with NaN or
    inf.
    """
    try:
        check_values(values, header.position)
    except ReadError as error:
        if len(header.shape) != 2 or not header.numpy:
            raise
        raise ReadError(
            f"{str(error).removesuffix('.')}, and all such samples:\nimport numpy as np\n"
            f"values = {_loaded(header)}\n"
            f"np.save({beside(header.path, '_finite.npy')}, "
            "values[np.isfinite(values).all(axis=1)])"
        ) from None
