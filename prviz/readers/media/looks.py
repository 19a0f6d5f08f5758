"""Pictures and texts of samples by their labels; thumbnails are decoded under limits, by contents,
not by name.
"""

from __future__ import annotations

import base64
import io
import struct
import unicodedata
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from prviz.arguments import checked_whole
from prviz.readers.errors import quoted
from prviz.samples import Samples

if TYPE_CHECKING:
    from PIL import Image

Result = TypeVar("Result")

FORMATS = ("PNG", "JPEG", "GIF", "WebP", "BMP")
# Pixels on the longer side of a thumbnail.
SIDE = 128
# Most pixels of a picture, checked before it is decoded: 50 million take 200 MB.
MAX_PIXELS = 50_000_000
# Number of pixels that a picture may have whatever the size of its file.
_SMALL_PIXELS = 4096**2
# Most pixels per byte of the file, for pictures of more than _SMALL_PIXELS. A file with more is no
# picture, or a flat one.
_PIXELS_PER_BYTE = 100

# First bytes of a scan in a JPEG file.
_SCAN = b"\xff\xda"
# Most scans of a JPEG file, which usually has 1 or 10: each takes a pass over the whole picture.
_MOST_SCANS = 50
_QUALITY = 85
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF87a": "GIF",
    b"GIF89a": "GIF",
    b"BM": "BMP",
}
_BEGINNINGS |= dict.fromkeys((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), "TIFF")
# TIFF tag with the bits per value of each band.
_BITS = 258
# TIFF tag with the number of bands.
_BANDS = 277
# TIFF tags with the offsets and lengths of the values, in strips or in tiles.
_PLACES = ((273, 279), (324, 325))
# Exceptions that Pillow raises for truncated, corrupt or hostile files.
_BROKEN = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    ArithmeticError,
    MemoryError,
)


class MediaError(ValueError):
    """Raised for a picture or source that can't be used; the message says what is wrong, where, and
    what to do.
    """


class MissingPictureError(MediaError):
    """Raised if a source has no picture of this name; another source may have it."""


# Longest part of a path that is normalised, as file systems allow no longer one: normalising takes
# quadratic time.
_LONGEST_PART = 255


def plain_path(name: str) -> str:
    """`name` as a path inside an archive: without a root, empty parts, and the parts before the
    last ``..``.

    Backslashes become slashes and accented letters their composed form (NFC); case is kept.
    """
    parts = name.replace("\\", "/").split("/")
    above = max((i + 1 for i, part in enumerate(parts) if part == ".."), default=0)
    kept = (part for part in parts[above:] if part not in ("", "."))
    return "/".join(
        unicodedata.normalize("NFC", part) if len(part) <= _LONGEST_PART else part for part in kept
    )


def end_alike(path: str, other: str) -> bool:
    """True if one of two plain paths ends with the other."""
    return f"/{path}".endswith(f"/{other}") or f"/{other}".endswith(f"/{path}")


@dataclass(frozen=True)
class PictureLimits:
    """Limits on a source of pictures.

    Parameters
    ----------
    entries : most files in a zip archive.
    file_bytes : most bytes of one picture file, uncompressed.
    ratio : largest expansion of a file of more than `small_bytes` in an archive. Pictures are
    compressed already: a
        file that shrinks far more is no picture, or a flat one.
    small_bytes : bytes up to which the ratio is not checked.

    Raises
    ------
    ValueError : a limit below 1.
    """

    entries: int = 100_000
    file_bytes: int = 32 * 1024**2
    ratio: int = 100
    small_bytes: int = 1024**2

    def __post_init__(self) -> None:
        for name in ("entries", "file_bytes", "ratio", "small_bytes"):
            checked_whole(name, getattr(self, name), 1)


def thumbnail(data: bytes) -> str:
    """Thumbnail of a picture file's contents, "data:image/png;base64,..." or
    "data:image/jpeg;base64,...".

    At most `SIDE` pixels wide and high, never enlarged, rotated by its EXIF orientation, the first
    frame of an animation, without metadata. Shrunk pictures without transparency are JPEG, others
    PNG.

    Raises
    ------
    MediaError : the contents are none of `FORMATS`, whatever the file is called (SVG is a program,
    not a picture);
        more than `MAX_PIXELS` pixels, or too many for the bytes of the file; or broken. The message
        does not name the file.
    """
    with opened_picture(data) as image:
        small, lossy = _shrunk(image)
        stream = io.BytesIO()
        kind = "jpeg" if lossy else "png"
        small.save(stream, kind, **({"quality": _QUALITY} if lossy else {}))
        return f"data:image/{kind};base64,{base64.b64encode(stream.getvalue()).decode('ascii')}"


@contextmanager
def opened_picture(data: bytes, formats: Sequence[str] = FORMATS) -> Iterator[Image.Image]:
    """The picture in a file's contents, opened by Pillow under limits. Errors in the block become a
    `MediaError` that calls the picture broken.

    Raises
    ------
    MediaError : as `thumbnail`.
    """
    found = next(
        (name for beginning, name in _BEGINNINGS.items() if data.startswith(beginning)), None
    )
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        found = "WebP"
    if found is None or found not in formats:
        raise MediaError(f"its contents are no picture that can be shown ({', '.join(formats)}).")
    if found == "JPEG" and data.count(_SCAN) > _MOST_SCANS:
        raise MediaError(
            f"more than {_MOST_SCANS} scans, which take long to go over. Save it as an ordinary"
            " JPEG picture."
        )
    from PIL import Image, UnidentifiedImageError

    # Pillow advises so: an error for a decompression bomb instead of a warning.
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    # Pillow warns of damaged metadata, which are not used.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")
    most = min(MAX_PIXELS, max(_SMALL_PIXELS, _PIXELS_PER_BYTE * len(data)))
    too_large = (Image.DecompressionBombError, Image.DecompressionBombWarning)
    try:
        with Image.open(io.BytesIO(data), formats=[found.upper()]) as image:
            if image.width * image.height > most:
                raise Image.DecompressionBombError
            yield image
    except MediaError:
        raise
    except too_large as error:
        raise MediaError(
            f"more than {most:,} pixels from {len(data):,} bytes; save a smaller picture."
        ) from error
    except (*_BROKEN, struct.error, zlib.error) as error:
        if data.startswith(b"MM\0+"):
            raise MediaError(
                "a BigTIFF of another byte order, which Pillow can't read. Save it as a TIFF."
            ) from error
        if (
            found == "TIFF"
            and isinstance(error, UnidentifiedImageError)
            and (bands := _stored_bands(data))
        ):
            raise MediaError(
                f"{bands}; one band (grey) or three (red, green, blue) of 8 or 16 bits, with alpha"
                " or without, are accepted. Save the bands that count so, or all values as .npy,"
                " which prviz reads as features."
            ) from error
        raise MediaError(
            f"a broken {found} picture. Save it again, or copy it again if it was copied."
        ) from error


def _stored_bands(data: bytes) -> str:
    """Bands and bits of a TIFF picture, in words; "" if its tags are damaged."""
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    try:
        stream = io.BytesIO(data)
        head = stream.read(16 if data[2:3] == b"+" else 8)
        directory: Any = ImageFileDirectory_v2(head)
        stream.seek(directory.next)
        directory.load(stream)
        places, sizes = next(
            (directory[at], directory[size]) for at, size in _PLACES if at in directory
        )
        ends = [place + size for place, size in zip(places, sizes, strict=True)]
        if max(ends) > len(data):
            return ""
        bands = int(directory.get(_BANDS, 1))
        bits = sorted(set(directory.get(_BITS, (1,))))
    except (*_BROKEN, StopIteration, struct.error):
        return ""
    return f"{bands} band{'s' if bands != 1 else ''} of {' and '.join(map(str, bits))} bits"


def _shrunk(image: Image.Image) -> tuple[Image.Image, bool]:
    """Thumbnail in grey, colour, or colour with transparency; and True if it may be saved as JPEG
    (shrunk and opaque).
    """
    from PIL import Image, ImageOps

    larger = max(image.size) > SIDE
    # Decodes a JPEG at low resolution.
    image.draft(None, (2 * SIDE, 2 * SIDE))
    if image.mode.startswith("I"):  # grey of 16 bits
        image = Image.fromarray((np.asarray(image) // 256).astype(np.uint8))
    transparent = image.has_transparency_data
    mode = "L" if image.mode in ("1", "L") else "RGB"
    small = image.convert("RGBA" if transparent else mode)
    small.thumbnail((SIDE, SIDE))
    small = ImageOps.exif_transpose(small)
    small.info = {}  # drops profiles and comments, which may be large
    return small, larger and not transparent


_PICTURE_COLUMNS = ("image", "path")
_TEXT_COLUMN = "text"


class Pictures(Protocol):
    """A source of pictures: `ZipPictures` or `FolderPictures`."""

    title: str

    def locate(self, name: str) -> str:
        """Path of a picture in the source. Raises `MissingPictureError` if there is none,
        `MediaError` if the picture may not be used.
        """
        ...

    def get(self, name: str) -> bytes:
        """Contents of a picture's file. Raises the errors of `locate`."""
        ...


@dataclass(frozen=True, eq=False)
class Look:
    """One sample: the name of its picture, its text (each "" if there is none), or its (height,
    width) uint8 image.
    """

    name: str
    text: str
    image: NDArray[np.uint8] | None


def _column(samples: Samples, *names: str) -> str | None:
    """The label with one of these names, the first that exists, spelled as in the samples; case is
    ignored.
    """
    written: dict[str, str] = {}
    for label in samples.labels:
        written.setdefault(label.strip().lower(), label)
    return next((written[name] for name in names if name in written), None)


def picture_column(samples: Samples) -> str | None:
    """The label that names the samples' pictures: ``image``, else ``path``."""
    return _column(samples, *_PICTURE_COLUMNS)


def _entry(samples: Samples, column: str | None, row: int) -> str:
    if column is None:
        return ""
    return str(samples.labels[column][row]).strip()


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
    return _first([source.get for source in sources], name, sources)


def _first(
    calls: Sequence[Callable[[str], Result]], name: str, sources: Sequence[Pictures]
) -> Result:
    """The result of the first call, one for each source, that finds the picture."""
    for call in calls:
        try:
            return call(name)
        except MissingPictureError:
            continue
    titles = " or ".join(quoted(source.title) for source in sources) or "any source of pictures"
    raise MissingPictureError(f"{quoted(name)}: not in {titles}")


@dataclass(frozen=True)
class Found:
    """Numbers of samples, of the first `rows`, that name a picture and whose picture the sources
    have.

    loosely : number of pictures found by their file name alone, in another folder than named. first
        : row (counted from 0), name, and error of the first picture not found; no error if it is
        just missing.
    """

    column: str
    rows: int
    named: int
    found: int
    loosely: int
    first: tuple[int, str, str] | None


def count_found(
    samples: Samples, sources: Sequence[Pictures], *, most: int = 10_000
) -> Found | None:
    """Count how many of the first `most` samples have a picture, without reading any. None if no
    column names pictures.
    """
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
            loosely += not end_alike(
                _first([source.locate for source in sources], name, sources), plain_path(name)
            )
            found += 1
        except MediaError as error:
            first = first or (
                row,
                name,
                "" if isinstance(error, MissingPictureError) else str(error),
            )
    return Found(column, rows, named, found, loosely, first)
