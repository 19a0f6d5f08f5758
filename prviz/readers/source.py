"""Sources of bytes (files and uploads), limits on what a file may claim, and the refusal of
pickles.
"""

from __future__ import annotations

import io
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from prviz.arguments import checked_path, checked_whole
from prviz.array_input import EMBED_PICTURES
from prviz.readers.errors import ReadError, beside, corrupt_unless_read, literal, quoted
from prviz.readers.paths import PathLike
from prviz.readers.safe_folder import Below, open_regular

# Environment variable with the default of `Limits.max_expansion`.
EXPANSION_VARIABLE = "PRVIZ_MAX_EXPANSION"

# Extensions recommended for saving embeddings.
SAVED_AS = (".npy", ".npz", ".csv", ".tsv", ".parquet", ".feather", ".safetensors")
# Other extensions that are read -> the extension of the format.
_ALSO = {
    ".pq": ".parquet",
    ".arrow": ".feather",
    ".ipc": ".feather",
    ".arrows": ".feather",
    ".ftr": ".feather",
    ".ndjson": ".jsonl",
}
_TEXTS = (".csv", ".tsv", ".jsonl")
PACKED = {".gz": "gzip", ".zst": "zstd"}
ACCEPTED = (*SAVED_AS, ".jsonl", *_ALSO, *(text + packed for text in _TEXTS for packed in PACKED))
# `ACCEPTED` as text for messages.
ACCEPTED_TEXT = (
    ".npy, .npz, .csv, .tsv or .jsonl (also .gz, .zst), .parquet (.pq), .feather (.arrow, .ipc),"
    " .safetensors"
)


def extension_of(name: str) -> str:
    """Lower-case extension with its dot; for a compressed text table the inner one (``.csv`` of
    ``a.csv.gz``).
    """
    name = name.lower()
    stem, dot, last = name.rpartition(".")
    if dot + last in PACKED and stem.endswith(_TEXTS):
        stem, dot, last = stem.rpartition(".")
    if dot:
        return dot + last
    return ""


def kind_of(name: str) -> str:
    """The extension that stands for a format's other extensions: ``.parquet`` for ``a.pq``."""
    extension = extension_of(name)
    return _ALSO.get(extension, extension)


# Bytes that samples may take however small their file is: 20,000 samples of 768 features in
# float32.
_ALWAYS = 64 * 1024**2


def _max_expansion() -> int:
    text = os.environ.get(EXPANSION_VARIABLE, "100")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ValueError(
            f"{EXPANSION_VARIABLE} = {quoted(text)}; a whole number such as 100 is needed"
        )
    return int(text)


@dataclass(frozen=True)
class Limits:
    """Limits on what a file may claim.

    Parameters
    ----------
    max_bytes : most bytes that the samples may take in memory once read (float32 or float64).
    min_rows : fewest samples worth reading; whether they suffice for a given k is decided where k
    is known.
    max_header_bytes : longest directory or header, and the longest record of a text file.
    max_keys : most arrays of an .npz or .safetensors file.
    max_columns : most columns of a table (.csv, .tsv, .parquet, .feather).
    max_expansion : how many times larger than their file the samples may be, where they take more
    than 64 MiB:
        compression and repeated values let a few kilobytes claim gigabytes. The default is 100, or
        the number in the environment variable ``PRVIZ_MAX_EXPANSION``.
    copied : True if values are always copied into memory, up to ``max_bytes``, so that later
    changes of the file have
        no effect; else large .npy files are mapped, see `prviz.readers.npy.read_npy`.

    Raises
    ------
    ValueError : a limit below 1.
    """

    max_bytes: int = 2 * 1024**3
    min_rows: int = 3
    max_header_bytes: int = 16 * 1024**2
    max_keys: int = 10_000
    max_columns: int = 100_000
    max_expansion: int = field(default_factory=_max_expansion)
    copied: bool = False
    # True if every file of a folder holds one sample, so that an array (d,) is one; set by readers.
    one_sample: bool = field(default=False, repr=False)
    # Size of the file in bytes, set by readers. 0: unknown, so that `max_expansion` has no effect.
    file_bytes: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        for name in (
            "max_bytes",
            "min_rows",
            "max_header_bytes",
            "max_keys",
            "max_columns",
            "max_expansion",
        ):
            checked_whole(name, getattr(self, name), 1)

    @property
    def most_bytes(self) -> int:
        """Most bytes that the samples may take, by `max_bytes` and `max_expansion`."""
        expanded = max(_ALWAYS, self.max_expansion * self.file_bytes)
        if self.file_bytes:
            return min(self.max_bytes, expanded)
        return self.max_bytes

    def of_file(self, size: int) -> Limits:
        """Limits for a file of ``size`` bytes, to which `max_expansion` refers."""
        return replace(self, file_bytes=size)


def table_beside(name: str) -> str:
    """Name of the table that `prviz embed` writes beside a file, with the samples' paths, texts and
    labels.
    """
    return f"{name.removesuffix('.safetensors')}.samples.parquet"


def human_size(count: int) -> str:
    """``count`` bytes as text, e.g. ``"256.0 MiB"``."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            if unit == "bytes":
                return f"{count} bytes"
            return f"{size:.1f} {unit}"
        size /= 1024
    if size < 1e6:
        return f"{size:,.1f} TiB"
    return "more than a million TiB"


def check_claim(where: str, claimed: int, limits: Limits) -> None:
    """Refuse a claim of more memory than allowed.

    Raises
    ------
    ReadError : ``claimed`` bytes are more than ``limits.max_bytes``, or far more than the file
    itself has.
    """
    if claimed > limits.max_bytes:
        raise ReadError(
            f"{where}: claims {human_size(claimed)} of values, more than the limit of"
            f" {human_size(limits.max_bytes)}. Save a random subset of the rows, or float32 instead"
            " of float64."
        )
    if claimed > limits.most_bytes:
        needed = -(-claimed // limits.file_bytes)
        raise ReadError(
            f"{where}: claims {human_size(claimed)} of values, {needed} times the file itself; "
            f"without being asked, {human_size(limits.most_bytes)} of a file of this size are "
            "read. If it is meant, read it with "
            f"limits=prviz.readers.Limits(max_expansion={needed}), set "
            f"{EXPANSION_VARIABLE}={needed} before prviz is started, or save the values as .npy."
        )


def check_keys(where: str, keys: int, limits: Limits) -> None:
    """Refuse a file of more than ``limits.max_keys`` arrays."""
    if keys > limits.max_keys:
        raise ReadError(
            f"{where}: more than {limits.max_keys:,} arrays. Are these the weights of a model? Save"
            " the embeddings as one array in a file of their own."
        )


def check_columns(where: str, columns: int, limits: Limits) -> None:
    """Refuse a table of more than ``limits.max_columns`` columns."""
    if columns > limits.max_columns:
        raise ReadError(
            f"{where}: more than {limits.max_columns:,} columns. Is this one line or row per"
            " sample? Save embeddings as wide as that as one .npy array."
        )


Buffer = bytes | bytearray | memoryview
SourceLike = PathLike | tuple[str, Buffer]


@dataclass(frozen=True)
class FileSource:
    """A named, sized file: on disk (``path``) or in memory (``data``).

    below : folder through which the path is opened; None: the path is opened directly.
    version : device, inode, size and time of change, by which a changed file is noticed.
    packed : the compressed file that ``data`` were unpacked from.
    """

    name: str
    size: int
    path: Path | None = field(default=None, repr=False)
    data: Buffer = field(default=b"", repr=False)
    below: Below | None = field(default=None, repr=False)
    version: tuple[int, ...] = field(default=(), repr=False)
    packed: FileSource | None = field(default=None, repr=False)

    @property
    def where(self) -> str:
        """Name of the file, quoted for messages."""
        return quoted(self.name)

    @property
    def typed(self) -> str:
        """The path as the user wrote it, for use in recipes; the bare name for an upload or in a
        served folder.
        """
        if self.path is None or self.below is not None:
            return self.name
        return str(self.path)

    @property
    def extension(self) -> str:
        """Lower-case extension with its dot, or an empty text; see `extension_of`."""
        return extension_of(self.name)

    @property
    def kind(self) -> str:
        """The extension that stands for the file's format, see `kind_of`."""
        return kind_of(self.name)

    def open(self) -> BinaryIO:
        """Open a seekable binary stream at byte 0. Raises `ReadError` if the file has changed."""
        if self.path is None:
            return io.BytesIO(self.data)
        try:
            stream = open_regular(self.path) if self.below is None else self.below.open(self.path)
        except OSError as error:
            raise unreadable(self.where, error) from error
        if _version(os.fstat(stream.fileno())) == self.version:
            return stream
        stream.close()
        raise self._changed()

    def check_unchanged(self) -> None:
        """Refuse a file that was replaced or changed: values read from it may be a mixture."""
        if self.packed is not None:
            self.packed.check_unchanged()
        if self.path is None:
            return
        try:
            same = _version(self.path.stat()) == self.version
        except OSError:
            same = False
        if not same:
            raise self._changed()

    def _changed(self) -> ReadError:
        return ReadError(
            f"{self.where}: it changed while it was read. Read it again when it is written whole."
        )

    def head(self, count: int) -> bytes:
        """The first ``count`` bytes, or fewer if there are no more."""
        with self.open() as stream:
            return stream.read(count)


def _version(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def unreadable(
    where: str, error: OSError, remedy: str = "Check path and permissions."
) -> ReadError:
    """Error for a file that the system can't open or read."""
    return ReadError(f"{where}: can't be opened: {error.strerror or error}. {remedy}")


# Bytes to unpack at a time.
_UNPACKED = 1 << 20


def as_source(
    source: SourceLike, below: PathLike | None = None, limits: Limits | None = None
) -> FileSource:
    """Source for a path or a ``(file name, bytes)`` pair; its name has no folder. A packed table of
    text is unpacked.

    below : folder that the path must be in, see `prviz.readers.safe_folder.Below`; None: anywhere.

    Raises
    ------
    ReadError : no such file, no permission, a folder or a device, or not below that folder; a
    packed file that becomes
        larger than the limits allow, or is corrupt.
    """
    found = _as_stored(source, below)
    last = Path(found.name.lower()).suffix
    if not found.name.lower().endswith(ACCEPTED) or last not in PACKED or not found.size:
        return found
    return _unpacked(found, PACKED[last], (limits or Limits()).of_file(found.size))


def _unpacked(packed: FileSource, codec: str, limits: Limits) -> FileSource:
    """The contents of a compressed file, unpacked. Raises ReadError as soon as they exceed the
    limits.
    """
    import pyarrow as pa

    data = bytearray()
    with (
        packed.open() as stream,
        corrupt_unless_read(packed.where, OSError, pa.ArrowException, ValueError),
        pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), codec) as unpacked,
    ):
        while part := unpacked.read(_UNPACKED):
            data += part
            check_claim(packed.where, len(data), limits)
    return FileSource(packed.name, len(data), data=bytes(data), packed=packed)


def check_source(source: object) -> None:
    """Raise TypeError for anything but a path or a file name with its contents."""
    if isinstance(source, str | os.PathLike):
        if os.fspath(source) in ("", b""):
            raise ReadError("'': an empty path. Name a file.")
        return
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], str):
        with suppress(TypeError):
            memoryview(source[1])
            return
    raise TypeError(
        f"source is {type(source).__name__}; a path is needed, or a tuple of a file name and its"
        " contents in bytes. An array goes to prviz.Samples"
    )


def _as_stored(source: SourceLike, below: PathLike | None) -> FileSource:
    if isinstance(source, tuple):
        name, data = source
        base = name.replace("\\", "/").rpartition("/")[2]
        return FileSource(base, memoryview(data).nbytes, data=data)
    path = checked_path("source", source)
    where = quoted(path.name)
    if below is not None:
        return _held_below(path, checked_path("below", below), where)
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise unreadable(where, error, _no_file(str(path))) from error
    except OSError as error:
        raise unreadable(where, error) from error
    except ValueError as error:
        raise ReadError(f"{where}: not a possible path. Check it for stray characters.") from error
    if not stat.S_ISREG(found.st_mode):
        pictures = ""
        if stat.S_ISDIR(found.st_mode):
            pictures = f" A folder of pictures is embedded first: {EMBED_PICTURES}."
        raise ReadError(
            f"{where}: a folder or device, not a file. Name one file with embeddings in"
            f" it.{pictures}"
        )
    return FileSource(path.name, found.st_size, path=path, version=_version(found))


def _no_file(path: str) -> str:
    """What to do about a path that leads to no file."""
    if re.match("[a-z][a-z0-9]+:/", path):
        return "An address is not opened here: download the file, and name that."
    if path.startswith("~"):
        return "'~' is no folder here: write the whole path (pathlib.Path.home() begins it)."
    if re.search("[*?[]", path):
        return "A pattern is not expanded here: name one file."
    return "Check path and permissions."


def _held_below(path: Path, folder: Path, where: str) -> FileSource:
    """Source for a path in a folder, absolute or relative to that folder; nothing outside it is
    opened.
    """
    try:
        holder = Below(folder)
        name = path.relative_to(folder) if path.is_relative_to(folder) else path
        found = holder.find(name.as_posix())
        with holder.open(found) as stream:
            here = os.fstat(stream.fileno())
        return FileSource(path.name, here.st_size, path=found, below=holder, version=_version(here))
    except OSError as error:
        raise unreadable(where, error) from error
    except (RuntimeError, ValueError) as error:
        raise unreadable(where, OSError("not a possible path")) from error


# ---- pickles, which are never opened ----

# Extension of a pickle -> module that its recipe imports, and the call that loads the file.
_LOADERS = {
    ".pkl": ("numpy as np", "np.load({name}, allow_pickle=True)"),
    ".pickle": ("numpy as np", "np.load({name}, allow_pickle=True)"),
    ".joblib": ("joblib", "joblib.load({name})"),
    **dict.fromkeys((".pt", ".pth", ".ckpt"), ("", "prviz.readers.load_torch({name})")),
}
PICKLE_EXTENSIONS = frozenset(_LOADERS)

# Beginning of a pickle of protocol 0 or 1: a list, a dict, or a global "cmodule\nname".
_OLD_PROTOCOL = re.compile(rb"\(lp|\(dp|\]q|\}q|c[A-Za-z_][\w.]*\n[A-Za-z_]")


def looks_pickled(head: bytes, *, text: bool) -> bool:
    """True if a file that begins with ``head`` (16 bytes) is a pickle.

    text : True if the file should be a text table.
    """
    if head[:1] == b"\x80" and head[1:2] <= b"\x05" and head[2:3] not in (b"", b"\x00"):
        # A .safetensors file begins with the length of its header, which may look like the start of
        # a pickle.
        return not (head[8:9] == b"{" and head[4:8] == bytes(4))
    return not text and _OLD_PROTOCOL.match(head) is not None


def _refusal(
    where: str, what: str, saved: str, module: str, load: str, also: str = ""
) -> ReadError:
    """The error for a pickle, with the two lines that convert it.

    saved : Python literal of the new file's name.
    """
    return ReadError(
        f"{where}: {what}. Pickles are never opened here, because opening one runs the code in it."
        f" If you trust its origin, convert it yourself{also} and use the new file:\nimport"
        f" {module}{', ' if module else ''}prviz.readers\nprviz.readers.save_arrays({load},"
        f" {saved})"
    )


def refuse_pickle(source: FileSource, *, torch_archive: bool = False) -> ReadError:
    """The error for a pickle file, with the lines that convert it to .npz."""
    extension = ".pt"
    if not torch_archive:
        extension = source.extension
    module, load = _LOADERS.get(extension, _LOADERS[".pkl"])
    what = also = ""
    if not module:
        what = " (PyTorch archive)"
        also = " (prviz embed FILE.pt -o FILE.safetensors, which needs torch, or these lines)"
    load = load.format(name=literal(source.typed))
    return _refusal(
        source.where, f"a pickle{what}", _arrays_beside(source.typed), module, load, also
    )


def refuse_pickles(where: str, folder: str, extension: str) -> ReadError:
    """The error for a folder of pickles, with the lines that convert them to one file."""
    module, load = _LOADERS[extension]
    files = f"sorted(glob.glob({literal(f'{folder}/*{extension}')}))"
    load = f"[{load.format(name='name')} for name in {files}]"
    modules = f"glob, {module}" if module else "glob"
    return _refusal(
        where, f"a folder of pickles ({extension})", literal(f"{folder}.npz"), modules, load
    )


def refuse_object_array(where: str, path: str, load: str) -> ReadError:
    """The error for a numpy array of Python objects, which numpy stores as a pickle.

    load : Python that loads the array.
    """
    return _refusal(
        where, "an array of Python objects (a pickle)", _arrays_beside(path), "numpy as np", load
    )


def _arrays_beside(path: str) -> str:
    """Python literal of the name of the .npz file to which a file is converted."""
    return beside(path, ".arrays.npz" if path.endswith(".npz") else ".npz")
