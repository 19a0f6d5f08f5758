"""Pictures and texts of samples by their labels, and a count of the named pictures that exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from prviz.readers.errors import quoted
from prviz.readers.media.errors import MediaError, MissingPictureError
from prviz.readers.media.names import end_alike, plain_path
from prviz.samples import Samples

__all__ = ["Found", "Look", "Pictures", "count_found", "find_picture", "look", "picture_column"]

_PICTURE_COLUMNS = ("image", "path")
_TEXT_COLUMN = "text"


class Pictures(Protocol):
    """A source of pictures: `ZipPictures` or `FolderPictures`."""

    title: str

    def locate(self, name: str) -> str:
        """Path in the source. Raises `MissingPictureError` if there is none, `MediaError` if it may not be used."""
        ...

    def get(self, name: str) -> bytes:
        """Contents of the file. Raises as `locate`."""
        ...


@dataclass(frozen=True, eq=False)
class Look:
    """One sample: the name of its picture, its text (each "" if there is none), or its (height, width) uint8 image."""

    name: str
    text: str
    image: NDArray[np.uint8] | None


def _column(samples: Samples, *names: str) -> str | None:
    """First of the names that is a label, as written there; case is ignored."""
    written: dict[str, str] = {}
    for label in samples.labels:
        written.setdefault(label.strip().lower(), label)
    return next((written[name] for name in names if name in written), None)


def picture_column(samples: Samples) -> str | None:
    """The label that names the samples' pictures: ``image``, else ``path``."""
    return _column(samples, *_PICTURE_COLUMNS)


def _entry(samples: Samples, column: str | None, row: int) -> str:
    return "" if column is None else str(samples.labels[column][row]).strip()


def look(samples: Samples, row: int) -> Look:
    """Picture and text of the sample at `row`, counted from 0."""
    name = _entry(samples, picture_column(samples), row)
    image: Any = None if samples.images is None else samples.images[row]
    return Look(name, _entry(samples, _column(samples, _TEXT_COLUMN), row), image)


def find_picture(name: str, sources: Sequence[Pictures]) -> bytes:
    """Contents of the picture called `name`, from the first source that has it.

    Raises
    ------
    MissingPictureError : no source has the picture.
    MediaError : the first source that has the picture can't read it.
    """
    for source in sources:
        try:
            return source.get(name)
        except MissingPictureError:
            continue
    raise _missing(name, sources)


def _missing(name: str, sources: Sequence[Pictures]) -> MissingPictureError:
    titles = " or ".join(quoted(source.title) for source in sources) or "any source of pictures"
    return MissingPictureError(f"{quoted(name)}: not in {titles}")


@dataclass(frozen=True)
class Found:
    """Number of the first `rows` samples that name a picture, and number of these names that the sources have.

    loosely : number of pictures found by their file name alone, in another folder than named.
    first : row (counted from 0) and name of the first picture not found, and the reason unless it is missing.
    """

    column: str
    rows: int
    named: int
    found: int
    loosely: int
    first: tuple[int, str, str] | None


def count_found(samples: Samples, sources: Sequence[Pictures], *, most: int = 10_000) -> Found | None:
    """Count the names of the first `most` samples that lead to a picture, reading none. None: no column of names."""
    column = picture_column(samples)
    if column is None:
        return None
    named = found = loosely = 0
    first: tuple[int, str, str] | None = None
    rows = min(most, samples.n)
    for row in range(rows):
        name = _entry(samples, column, row)
        if not name:
            continue
        named += 1
        try:
            loosely += not end_alike(_located(name, sources), plain_path(name))
            found += 1
        except MediaError as error:
            first = first or (row, name, "" if isinstance(error, MissingPictureError) else str(error))
    return Found(column, rows, named, found, loosely, first)


def _located(name: str, sources: Sequence[Pictures]) -> str:
    for source in sources:
        try:
            return source.locate(name)
        except MissingPictureError:
            continue
    raise _missing(name, sources)
