"""What is embedded: folders and zip archives of pictures, text files, columns of tables; items in a fixed order."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from prviz.embed.pictures import EXTENSIONS
from prviz.readers.errors import listed, quoted
from prviz.readers.media.folders import FolderPictures, inner_path, read_member
from prviz.readers.media.looks import MediaError, PictureLimits
from prviz.readers.npy import ZIP_ERRORS
from prviz.readers.source import human_size

Kind: TypeAlias = Literal["pictures", "texts"]


@dataclass(frozen=True)
class SourceItem:
    """One sample: its path or row, its label, its text, and what changes when its contents do."""

    path: str
    label: str = ""
    text: str = ""
    version: str = ""


class EmbeddingSource(Protocol):
    """Items in a fixed order, and the contents of one item; it can be sent to another process."""

    @property
    def name(self) -> str:
        """Name of the folder or file."""
        ...

    @property
    def kind(self) -> Kind:
        """What the items are."""
        ...

    @property
    def items(self) -> tuple[SourceItem, ...]:
        """The items in their order."""
        ...

    def get(self, item: SourceItem) -> bytes:
        """Contents of an item. Raises MediaError if they can't be read."""
        ...

    def seen_from(self, folder: Path) -> str:
        """What a picture's path begins with in a table in ``folder``, such as "real/"; "" for others."""
        ...


@dataclass(frozen=True)
class PictureFolder:
    """Pictures in a folder and its sub-folders, by sorted relative path; a sub-folder is the label.

    below : a folder above that the pictures must be in, links followed; None: links may lead anywhere.
    """

    root: Path
    name: str
    items: tuple[SourceItem, ...] = field(default=(), repr=False)
    kind: Kind = "pictures"
    below: Path | None = None

    def get(self, item: SourceItem) -> bytes:
        """Contents of a picture file. Raises MediaError for one that can't be read or is too large."""
        most = PictureLimits().file_bytes
        if self.below is not None:
            return FolderPictures(self.below).get((self.root / item.path).relative_to(self.below).as_posix())
        try:
            with open(f"{self.root}/{item.path}", "rb") as stream:  # noqa: PTH123 - faster than by Path
                data = stream.read(min(os.fstat(stream.fileno()).st_size, most) + 1)
        except OSError as error:
            raise MediaError(f"can't be opened: {error.strerror or error}.") from None
        if len(data) > most:
            raise MediaError(f"more than {human_size(most)}.")
        return data

    def seen_from(self, folder: Path) -> str:
        """Path of the pictures' folder in ``below``, else in ``folder``, else its name, with a slash."""
        root, folder = self.root.resolve(), (self.below or folder).resolve()
        return f"{root.relative_to(folder).as_posix()}/" if folder in root.parents else f"{root.name}/"


@dataclass(frozen=True)
class PictureZip:
    """Pictures in a zip archive, by sorted path."""

    archive: Path
    name: str
    items: tuple[SourceItem, ...] = field(default=(), repr=False)
    kind: Kind = "pictures"

    def get(self, item: SourceItem) -> bytes:
        """Contents of a picture. Raises MediaError as `prviz.readers.media.ZipPictures.get`."""
        opened = _ARCHIVES.get(self.archive)
        if opened is None:
            archive = zipfile.ZipFile(self.archive)
            members = {path: info for info in archive.infolist() if (path := inner_path(info)) is not None}
            opened = _ARCHIVES[self.archive] = archive, members
        return read_member(opened[0], opened[1][item.path], quoted(item.path), PictureLimits())

    def seen_from(self, folder: Path) -> str:  # noqa: ARG002
        """Nothing: the pictures' paths are those in the archive."""
        return ""


# Archives that this process has open: the directory of one is read once.
_ARCHIVES: dict[Path, tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]] = {}


@dataclass(frozen=True)
class Texts:
    """Texts, one an item."""

    name: str
    items: tuple[SourceItem, ...] = field(default=(), repr=False)
    kind: Kind = "texts"

    def get(self, item: SourceItem) -> bytes:
        """The text in UTF-8. Raises MediaError for an empty one."""
        if not item.text.strip():
            raise MediaError("no text.")
        return item.text.encode()

    def seen_from(self, folder: Path) -> str:  # noqa: ARG002
        """Nothing: texts have no path."""
        return ""


def open_source(path: Path, column: str | None = None, *, below: Path | None = None) -> EmbeddingSource:
    """The source at a path.

    Parameters
    ----------
    path : Path
        A folder or zip archive of pictures, a text file (.txt, one text a line), a table (.csv, .tsv, .parquet).
    column : str, optional
        Column of a table that holds the texts; by default ``text``.
    below : Path, optional
        Folder that pictures of a folder must be in, links followed; by default links may lead anywhere.

    Raises
    ------
    ValueError
        Nothing there that can be embedded, or no such column.
    OSError
        It can't be read.
    """
    extension = path.suffix.lower()
    if path.is_dir():
        source: EmbeddingSource = PictureFolder(path, path.resolve().name, tuple(_folder_items(path)), below=below)
    elif extension == ".zip":
        source = PictureZip(path, path.name, _zip_items(path))
    elif extension in (".csv", ".tsv", ".parquet"):
        source = Texts(path.name, _table_items(path, column))
    elif extension == ".txt":
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise ValueError(f"{quoted(path.name)}: not text in UTF-8; save it as UTF-8") from None
        source = Texts(path.name, tuple(SourceItem(f"line {n}", text=line) for n, line in enumerate(lines, start=1)))
    else:
        raise ValueError(
            f"{quoted(str(path))}: a folder or a .zip of pictures, a .txt, .csv, .tsv or .parquet of texts, or a .pt "
            "tensor is needed"
        )
    if not source.items:
        raise ValueError(f"{quoted(path.name)}: nothing to embed there ({', '.join(EXTENSIONS)}, or lines of text)")
    return source


def _folder_items(root: Path) -> list[SourceItem]:
    items = []  # paths as texts: a Path for each file is slow
    for folder, folders, files in os.walk(root):
        folders[:] = [each for each in folders if not each.startswith(".")]
        label = Path(folder).relative_to(root).as_posix()
        for name in files:
            if name.lower().endswith(EXTENSIONS) and not name.startswith("."):
                status = os.lstat(f"{folder}/{name}")
                relative = name if label == "." else f"{label}/{name}"
                version = f"{status.st_size} {status.st_mtime_ns}"
                items.append(SourceItem(relative, "" if label == "." else label, version=version))
    return sorted(items, key=lambda item: item.path)


def _zip_items(path: Path) -> tuple[SourceItem, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name: info for info in archive.infolist() if (name := inner_path(info)) is not None}
    except ZIP_ERRORS as error:
        raise ValueError(f"{quoted(path.name)}: no zip archive, or a corrupt one ({quoted(str(error))})") from None
    return tuple(
        SourceItem(name, name.rpartition("/")[0], version=f"{members[name].file_size} {members[name].CRC}")
        for name in sorted(members)
        if name.lower().endswith(EXTENSIONS)
    )


def _table_items(path: Path, column: str | None) -> tuple[SourceItem, ...]:
    import pandas as pd
    import pyarrow as pa

    try:
        if path.suffix.lower() == ".parquet":
            table = pd.read_parquet(path)
        else:
            separator = "\t" if path.suffix.lower() == ".tsv" else ","
            table = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    except (pa.ArrowException, ValueError) as error:
        raise ValueError(f"{quoted(path.name)}: no table that can be read ({quoted(str(error))})") from None
    wanted = "text" if column is None else column
    if wanted not in table.columns:
        raise ValueError(
            f"{quoted(path.name)}: has no column {quoted(wanted)}; choose one with --column: "
            f"{listed(map(str, table.columns))}"
        )
    labels = table["label"].astype(str) if "label" in table.columns else [""] * len(table)
    texts = table[wanted].fillna("").astype(str)
    pairs = enumerate(zip(labels, texts, strict=True), start=1)
    return tuple(SourceItem(f"row {n}", label, text) for n, (label, text) in pairs)
