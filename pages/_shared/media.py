"""Small pictures and texts of samples, for at most some tens of samples at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pages._shared.cache import session
from pages._shared.uploads import ending
from prviz.figures import picture_data_uri
from prviz.live.problems import HeldPictures, Uploaded
from prviz.readers.media import MediaError, find_picture, look, picture_column, thumbnail
from prviz.samples import SamplePair, Samples

# Most characters of a text beside a picture (TEXT_LENGTH), and of a label in a hover text
# (NOTE_LENGTH). Longer ones are clipped on the page, not in files.
TEXT_LENGTH = 300
NOTE_LENGTH = 32
# Limits of pictures in the hover labels of points: HOVER_MOST pictures, HOVER_BYTES bytes of files
# read for them. All other points show the name of their picture.
HOVER_MOST = 200
HOVER_BYTES = 2_000_000


@dataclass(frozen=True)
class Shown:
    """Picture and text of one sample; each field is "" if there is none.

    picture : a data URI. problem : why there is no picture. name : the picture's name.
    """

    picture: str
    text: str
    problem: str
    name: str = ""


def shown(samples: Samples, rows: Iterable[int], uploaded: Uploaded | None) -> list[Shown]:
    """Pictures and texts of the samples at these rows, counted from 0.

    The first time, a row takes 1 to 2 ms if its picture has some hundred pixels a side, and 50 ms
    if it is a camera's full-size photo.

    If a picture is missing, refused or broken, its row has a `problem`. If the user has given
    neither a zip nor a folder of pictures, rows have no picture and no problem.
    """
    return [_one(samples, int(row), _held(uploaded))[0] for row in rows]


def view_key(uploaded: Uploaded | None) -> Hashable:
    """Identifies the pictures that are available: a part of the cache key of results that show
    pictures.
    """
    return _held(uploaded).key


def _held(uploaded: Uploaded | None) -> HeldPictures:
    if uploaded is None or uploaded.pictures is None:
        return HeldPictures()
    return uploaded.pictures


@dataclass(frozen=True)
class _Small:
    """A small picture, or the reason why there is none, and the size of the picture's file in
    bytes.
    """

    picture: str
    problem: str
    read: int

    @property
    def nbytes(self) -> int:
        return len(self.picture) + len(self.problem)


def _one(samples: Samples, row: int, held: HeldPictures) -> tuple[Shown, int]:
    """Picture and text of one sample, and the size of its picture's file in bytes."""
    seen = look(samples, row)
    text = _clipped(seen.text, TEXT_LENGTH)
    if seen.image is not None:
        return Shown(picture_data_uri(seen.image), text, "", seen.name), seen.image.nbytes
    if not seen.name or not held.sources:
        return Shown("", text, "", seen.name), 0
    small = session().thumbnails.remembered((held.key, seen.name), lambda: _small(seen.name, held))
    return Shown(small.picture, text, small.problem, seen.name), small.read


def _small(name: str, held: HeldPictures) -> _Small:
    try:
        data = find_picture(name, held.sources)
    except MediaError as error:
        return _Small("", str(error), 0)
    try:
        return _Small(thumbnail(data), "", len(data))
    except MediaError as error:
        return _Small("", f"{ending(name, NOTE_LENGTH)}: {error}", len(data))


def hover_pictures(pair: SamplePair, uploaded: Uploaded | None) -> tuple[str, ...]:
    """For each sample, real ones first, its picture, or "" if it has none; () if no sample has
    one.

    If the samples' own files contain the pictures, all are included. Pictures in separate files are
    read for randomly drawn samples, until HOVER_MOST pictures or HOVER_BYTES bytes are read.
    """
    images = [side.images for side in pair if side.images is not None]
    if len(images) == 2:
        return tuple(picture_data_uri(image) for role in images for image in role)
    held = _held(uploaded)
    left = HOVER_BYTES
    if not held.sources:
        return ()
    samples = [(side, row) for side in pair for row in range(side.n)]
    named = [place for place, (side, _) in enumerate(samples) if picture_column(side) is not None]
    found = [""] * len(samples)
    for place in np.random.default_rng(0).permutation(named)[:HOVER_MOST].tolist():
        side, row = samples[place]
        seen, size = _one(side, row, held)
        found[place] = seen.picture
        left -= size
        if left <= 0:
            break
    if any(found):
        return tuple(found)
    return ()


def note(side: Samples, row: int, *, text: bool = True) -> str:
    """Text with up to three labels of one sample, each clipped: first the picture's name and the
    text, then others.
    """
    return notes(side, [row], text=text)[0]


def notes(side: Samples, rows: Sequence[int], *, text: bool = True) -> list[str]:
    """Texts with the labels of several samples, as `note` makes them."""
    picture = picture_column(side)
    names = [name for name in side.labels if text or name.strip().lower() != "text"]
    columns = sorted(names, key=lambda name: (name != picture, name.strip().lower() != "text"))[:3]
    cut = {name: ending if name == picture else _clipped for name in columns}
    return [
        ", ".join(
            f"{name} {cut[name](str(side.labels[name][row]), NOTE_LENGTH)}" for name in columns
        )
        for row in rows
    ]


def _clipped(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[: most - 1].rstrip() + "…"
