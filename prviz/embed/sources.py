"""Sources of items to embed: folders and zip archives of pictures, arrays of pictures, text files,
and columns of tables.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from prviz.arrays import Array
from prviz.embed.base import Kind, SourceItem
from prviz.embed.picture_arrays import open_array
from prviz.embed.pictures import EXTENSIONS
from prviz.readers.errors import listed, literal, quoted
from prviz.readers.media.folders import FolderPictures, inner_path, read_member
from prviz.readers.media.looks import MediaError, PictureLimits, plain_path
from prviz.readers.npy import ZIP_ERRORS
from prviz.readers.safe_folder import BelowError, open_regular
from prviz.readers.source import human_size
from prviz.readers.text_dialect import as_utf8, delimiter_of, encoding_of

# A sub-folder with at least this many pictures may be a separate set, and a note says so.
_MANY = 10
# Number of bytes at the beginning of a picture file that identify its format.
HEAD = 32


class EmbeddingSource(Protocol):
    """Items in a fixed order, with access to the contents of each. A source can be pickled for
    worker processes.
    """

    @property
    def name(self) -> str:
        """Name of the folder or file."""
        ...

    @property
    def kind(self) -> Kind:
        """Kind of all items: "pictures" or "texts"."""
        ...

    @property
    def column(self) -> str:
        """Name of the column that identifies an item in the table of features: "path", "row" or
        "text".
        """
        ...

    @property
    def items(self) -> tuple[SourceItem, ...]:
        """The items in their order."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user on how the source was read."""
        ...

    def get(self, item: SourceItem) -> bytes | Array:
        """Contents of an item: bytes of a file, or values of a picture.

        Raises MediaError if they can't be read.
        """
        ...

    def head(self, item: SourceItem) -> bytes | None:
        """First bytes of an item that is a picture file; None for values.

        Raises MediaError or OSError if they can't be read.
        """
        ...

    def seen_from(self, folder: Path) -> str:
        """Prefix of picture paths, such as "real/", in a table that lies in ``folder``.

        "" for items that are not files.
        """
        ...


@dataclass(frozen=True)
class PictureFolder:
    """Pictures in a folder and its sub-folders, ordered by relative path; the sub-folder is the
    label.

    below : the folder in which every picture must lie after links are resolved; None: no limit.
    """

    root: Path
    name: str
    items: tuple[SourceItem, ...] = field(default=(), repr=False)
    kind: Kind = "pictures"
    below: Path | None = None
    notes: tuple[str, ...] = ()
    column: str = "path"

    def get(self, item: SourceItem) -> bytes:
        """Contents of a picture file; raises MediaError if it can't be read or is too large."""
        most = PictureLimits().file_bytes
        data = self._read(item, most + 1)
        if len(data) > most:
            raise MediaError(f"more than {human_size(most)}.")
        return data

    def head(self, item: SourceItem) -> bytes:
        """First bytes of a picture file."""
        return self._read(item, HEAD)

    def _read(self, item: SourceItem, most: int) -> bytes:
        if self.below is not None:
            return FolderPictures(self.below).get(
                (self.root / item.path).relative_to(self.below).as_posix()
            )
        if not is_utf8(item.path):
            raise MediaError("its name is not in UTF-8; rename it.")
        try:
            with open_regular(Path(f"{self.root}/{item.path}")) as stream:
                return stream.read(min(os.fstat(stream.fileno()).st_size + 1, most))
        except BelowError:
            raise MediaError("no regular file, such as a pipe.") from None
        except OSError as error:
            raise MediaError(f"can't be opened: {error.strerror or error}.") from None

    def seen_from(self, folder: Path) -> str:
        """Path of this folder with a final slash, relative to ``below`` or, without it, to
        ``folder``.

        If this folder lies outside, only its name.
        """
        root = self.root.resolve()
        folder = (self.below or folder).resolve()
        if folder in root.parents:
            return f"{root.relative_to(folder).as_posix()}/"
        return f"{root.name}/"


@dataclass(frozen=True)
class PictureZip:
    """Pictures in a zip archive, ordered by path.

    version : the archive's `_version`, which changes when the archive changes.
    """

    archive: Path
    name: str
    version: str
    items: tuple[SourceItem, ...] = field(default=(), repr=False)
    kind: Kind = "pictures"
    notes: tuple[str, ...] = ()
    column: str = "path"

    def get(self, item: SourceItem) -> bytes:
        """Contents of a picture; raises the MediaErrors of
        `prviz.readers.media.ZipPictures.get`.
        """
        opened = _ARCHIVES.get(self.archive)
        if opened is None or opened[2] != self.version:
            archive = zipfile.ZipFile(self.archive)
            opened = _ARCHIVES[self.archive] = archive, _members(archive), self.version
        return read_member(opened[0], opened[1][item.path], quoted(item.path), PictureLimits())

    def head(self, item: SourceItem) -> bytes:
        """First bytes of a picture."""
        return self.get(item)[:HEAD]

    def seen_from(self, folder: Path) -> str:  # noqa: ARG002
        """An empty text: paths in the archive need no prefix."""
        return ""


# Archives open in this process, with their members and version, so that a directory is read only
# once.
_ARCHIVES: dict[Path, tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo], str]] = {}


@dataclass(frozen=True)
class Texts:
    """Texts, one per item."""

    name: str
    items: tuple[SourceItem, ...] = field(default=(), repr=False)
    kind: Kind = "texts"
    notes: tuple[str, ...] = ()
    column: str = "text"

    def get(self, item: SourceItem) -> bytes:
        """The text in UTF-8; raises MediaError if it is empty."""
        if not item.text.strip():
            raise MediaError("no text.")
        return item.text.encode()

    def head(self, item: SourceItem) -> None:
        """Always None, since a text is not a picture."""

    def seen_from(self, folder: Path) -> str:  # noqa: ARG002
        """An empty text, since texts have no path."""
        return ""


# Extensions of pictures that are not read; Pillow could convert those in _BY_PILLOW.
_BY_PILLOW = (
    ".gif",
    ".ppm",
    ".pgm",
    ".pbm",
    ".pnm",
    ".tga",
    ".avif",
    ".jp2",
    ".j2k",
    ".jfif",
    ".ico",
    ".dds",
    ".pcx",
)
_NOT_READ = (
    *_BY_PILLOW,
    ".heic",
    ".heif",
    ".svg",
    ".dcm",
    ".nii",
    ".exr",
    ".hdr",
    ".psd",
    ".cr2",
    ".nef",
    ".dng",
)
# For a table with one column: a separator that occurs in no text.
_NO_MARK = "\x1f"
# Bytes at the beginning of a text that reveal its encoding.
_HEAD = 16


def is_utf8(text: str) -> bool:
    """True if a file name is valid UTF-8, which tables require."""
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def open_source(
    path: Path, column: str | None = None, *, key: str | None = None, below: Path | None = None
) -> EmbeddingSource:
    """The source at a path.

    Parameters
    ----------
    path : Path
        A folder or zip archive of pictures, an .npy or .npz array of pictures, a text file (.txt,
        one text per line), or a table (.csv, .tsv, .jsonl, .parquet).
    column : str, optional
        Column of a table that holds the texts; by default ``text``.
    key : str, optional
        Which array of an .npz file; by default ``arr_0``, or the only one that can be pictures.
    below : Path, optional
        Folder in which pictures must lie after links are resolved; by default no limit.

    Raises
    ------
    ValueError
        Nothing at the path can be embedded, or it has no such column or array.
    OSError
        The path can't be read.
    """
    extension = path.suffix.lower()
    if not is_utf8(path.resolve().name):
        raise ValueError(f"{quoted(str(path))}: its name is not in UTF-8; rename it")
    if path.is_dir():
        items = _folder_items(path)
        notes = tuple(filter(None, [_sets_note(items), _others_note(path, items)]))
        source: EmbeddingSource = PictureFolder(
            path, path.resolve().name, tuple(items), below=below, notes=notes
        )
    elif extension in (".npy", ".npz"):
        source = open_array(path, key)
    elif extension == ".zip":
        source = _picture_zip(path)
    elif extension in (".csv", ".tsv", ".parquet", ".jsonl"):
        source = Texts(path.name, _table_items(path, column))
    elif extension == ".txt":
        source = Texts(path.name, _line_items(path))
    else:
        raise ValueError(
            f"{quoted(str(path))}: a folder, a .zip, an .npz or an .npy of pictures, a .txt, .csv, "
            ".tsv, .jsonl or .parquet of texts, or a .pt tensor is needed"
        )
    if not source.items and path.is_dir():
        _refuse_others(path)
    if not source.items:
        raise ValueError(
            f"{quoted(path.name)}: nothing to embed there ({', '.join(EXTENSIONS)}, or lines of "
            f"text)"
        )
    return source


def _folder_items(root: Path) -> list[SourceItem]:
    items = []  # paths stay strings: a Path object for each file would be slow
    for folder, folders, files in os.walk(root):
        folders[:] = [each for each in folders if not each.startswith(".")]
        label = Path(folder).relative_to(root).as_posix()
        for name in files:
            if name.lower().endswith(EXTENSIONS) and not name.startswith("."):
                relative = name if label == "." else f"{label}/{name}"
                version = _version(f"{folder}/{name}")
                items.append(SourceItem(relative, "" if label == "." else label, version=version))
    return sorted(items, key=lambda item: item.path)


def _others(root: Path) -> Counter[str]:
    """Number of files by extension, of pictures and texts in formats that are not read here."""
    found = (
        Path(name).suffix.lower()
        for _, _, files in os.walk(root)
        for name in files
        if name[0] != "."
    )
    return Counter(
        extension for extension in found if extension in _NOT_READ or extension == ".txt"
    )


def _others_note(root: Path, items: Sequence[SourceItem]) -> str:
    """A note on pictures in other formats beside those that are read; "" if there are none."""
    others = _others(root)
    del others[".txt"]
    if not others or not items:
        return ""
    counted = ", ".join(f"{count} {extension}" for extension, count in sorted(others.items()))
    return f"left out, as kinds that are not read: {counted}"


def _refuse_others(root: Path) -> None:
    """Raise ValueError for a folder that has only pictures or texts of other formats.

    The message has lines of Python that convert them.
    """
    others = _others(root)
    if not others:
        return
    extension, count = others.most_common(1)[0]
    found = f"{quoted(root.name)}: {count} {extension} files, which are not read as they are"
    pattern = literal(f"{root}/**/*{extension}")
    if extension == ".txt":
        raise ValueError(
            f"{found}. Write a text a row:\nimport glob, pathlib, pandas as pd\n"
            f"names = sorted(glob.glob({pattern}, recursive=True))\n"
            "texts = [pathlib.Path(name).read_text('utf-8') for name in names]\n"
            f"pd.DataFrame({{'path': names, 'text': "
            f"texts}}).to_parquet({literal(f'{root}.parquet')})"
        )
    if extension not in _BY_PILLOW:
        raise ValueError(f"{found}; save the pictures as PNG")
    raise ValueError(
        f"{found}. Save them as PNG, beside the old ones:\nimport glob\nfrom PIL import Image\n"
        f"[Image.open(name).convert('RGB').save(name + '.png') for name in glob.glob({pattern}, "
        f"recursive=True)]"
    )


def _version(path: str) -> str:
    """Text that changes when a file's contents change: its size, modification time and inode; links
    are followed.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - faster than Path.stat
    except OSError:  # A broken link; opening it reports the error
        status = os.lstat(path)
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"


def sub_folders(items: Iterable[SourceItem]) -> Counter[str]:
    """Number of pictures in each sub-folder; those directly in the folder count under ""."""
    return Counter(item.path.partition("/")[0] if "/" in item.path else "" for item in items)


def _sets_note(items: Iterable[SourceItem]) -> str:
    """A note if the sub-folders could be separate sets; "" if they are few or small."""
    counts = sub_folders(items)
    del counts[""]
    large = [name for name, count in counts.items() if count >= _MANY]
    if len(large) < 2 or len(large) < len(counts) / 2:
        return ""
    names = sorted(counts)
    shown = ", ".join(names[:2]) + (", ..." if len(names) > 2 else "")
    return (
        f"its {len(names)} sub-folders ({shown}) are one set, with their names as labels; where "
        "each holds the pictures of another model, --each makes one file of each"
    )


def _line_items(path: Path) -> tuple[SourceItem, ...]:
    """The lines of a text file as items; lines end with LF or CRLF, and any other character belongs
    to the text.
    """
    data = path.read_bytes()
    encoding = encoding_of(data[:_HEAD])
    try:
        text = data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError:
        raise ValueError(f"{quoted(path.name)}: not text in UTF-8; save it as UTF-8") from None
    # a file without LF: old Macintosh programs end lines with CR
    end = "\n" if "\n" in text else "\r"
    lines = [line.rstrip("\r") for line in text.split(end)]
    while lines and not lines[-1].strip():  # drops empty lines at the end
        lines.pop()
    return tuple(SourceItem(f"line {n}", text=line) for n, line in enumerate(lines, start=1))


def _picture_zip(path: Path) -> PictureZip:
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive)
            pictures = [each for each in archive.infolist() if _is_picture(each)]
    except ZIP_ERRORS as error:
        raise ValueError(
            f"{quoted(path.name)}: no zip archive, or a corrupt one ({quoted(str(error))})"
        ) from None
    names = sorted(name for name, info in members.items() if _is_picture(info))
    items = tuple(
        SourceItem(
            name, name.rpartition("/")[0], version=f"{members[name].file_size} {members[name].CRC}"
        )
        for name in names
    )
    notes: list[str] = []
    if dropped := len(pictures) - len(items):
        notes.append(
            f"{dropped} of {len(pictures)} pictures of the archive "
            f"{'is' if dropped == 1 else 'are'} left out: their paths lead out of it, they are "
            "links, or others have the same path"
        )
    return PictureZip(path, path.name, _version(str(path)), items, notes=tuple(notes))


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Files of an archive by path, without links and without paths that lead out of the target
    folder.
    """
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        path = inner_path(info)
        if path is not None and not stat.S_ISLNK(info.external_attr >> 16):
            found[path] = info
    return found


def _is_picture(info: zipfile.ZipInfo) -> bool:
    """True if a member's name is that of a picture, and not of a file that macOS adds to
    archives.
    """
    path = plain_path(info.filename)
    name = path.rpartition("/")[2]
    return (
        name.lower().endswith(EXTENSIONS)
        and not name.startswith("._")
        and not path.startswith("__MACOSX/")
    )


def _text_table(path: Path) -> Any:
    """Read a table of texts; its encoding and its separator are detected."""
    import pandas as pd

    with ExitStack() as stack:
        stream: BinaryIO = stack.enter_context(path.open("rb"))
        encoding = encoding_of(stream.read(_HEAD))
        stream.seek(0)
        if encoding != "utf-8":
            stream = stack.enter_context(as_utf8(stream, encoding, quoted(path.name)))
        mark = delimiter_of(stream, path.suffix.lower())
        # a separator that the header lacks occurs only in the texts, and separates no columns
        in_header = mark.encode() in stream.readline()
        stream.seek(0)
        return pd.read_csv(
            stream, sep=mark if in_header else _NO_MARK, dtype=str, keep_default_na=False
        )


def _table_items(path: Path, column: str | None) -> tuple[SourceItem, ...]:
    import pandas as pd
    import pyarrow as pa

    try:
        if path.suffix.lower() == ".parquet":
            table = pd.read_parquet(path)
        elif path.suffix.lower() == ".jsonl":
            table = pd.read_json(path, lines=True, dtype=False)
        else:
            table = _text_table(path)
    except (pa.ArrowException, ValueError) as error:
        raise ValueError(
            f"{quoted(path.name)}: no table that can be read ({quoted(str(error))})"
        ) from None
    wanted = "text" if column is None else column
    first: Any = table.iloc[0] if len(table) else {}
    for name, held in first.items():
        if isinstance(held, dict) and "bytes" in held and wanted in ("text", name):
            from prviz.readers.arrow_types import refuse_pictures

            read = f"pd.read_parquet({literal(str(path))})"
            raise refuse_pictures(quoted(path.name), str(name), read, str(path))
    if wanted not in table.columns:
        raise ValueError(
            f"{quoted(path.name)}: has no column {quoted(wanted)}; choose one with --column: "
            f"{listed(map(str, table.columns))}"
        )
    labels = table["label"].astype(str) if "label" in table.columns else [""] * len(table)
    texts = table[wanted].fillna("").astype(str)
    pairs = enumerate(zip(labels, texts, strict=True), start=1)
    return tuple(SourceItem(f"row {n}", label, text) for n, (label, text) in pairs)
