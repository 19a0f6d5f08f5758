"""Small pictures and texts of samples, for some tens of rows at a time."""

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

# Most characters of a text beside a picture, and of a label shown by hovering; longer ones are
# clipped on the page only.
TEXT_LENGTH = 300
NOTE_LENGTH = 32
# Most points that show a picture when hovered over, and most bytes of files that are read for
# these. Every point shows its picture's name.
HOVER_MOST = 200
HOVER_BYTES = 2_000_000


@dataclass(frozen=True)
class Shown:
    """How one sample is shown: picture as a data URI, text, why there is no picture, and the
    picture's name; "" for none.
    """

    picture: str
    text: str
    problem: str
    name: str = ""


def shown(samples: Samples, rows: Iterable[int], uploaded: Uploaded | None) -> list[Shown]:
    """Pictures and texts of the samples at these rows, counted from 0.

    A row takes 1 to 2 ms the first time if its picture has some hundred pixels a side, 50 ms if it
    comes straight from a camera.

    If a picture is missing, refused or broken, its row has a `problem`. Without a zip and a folder
    in which there could be pictures, rows have neither picture nor problem.
    """
    return [_one(samples, int(row), _held(uploaded))[0] for row in rows]


def view_key(uploaded: Uploaded | None) -> Hashable:
    """Identifies the available pictures, for the keys of results that depend on them."""
    return _held(uploaded).key


def _held(uploaded: Uploaded | None) -> HeldPictures:
    if uploaded is None or uploaded.pictures is None:
        return HeldPictures()
    return uploaded.pictures


@dataclass(frozen=True)
class _Small:
    """A small picture, or why there is none, and the number of bytes of its file."""

    picture: str
    problem: str
    read: int

    @property
    def nbytes(self) -> int:
        return len(self.picture) + len(self.problem)


def _one(samples: Samples, row: int, held: HeldPictures) -> tuple[Shown, int]:
    """How one sample is shown, and the number of bytes of its picture's file."""
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
    """A picture for each sample, real ones first, "" for none; () if no sample has one.

    Pictures in the samples' files are all included. Those in separate files are read for samples
    drawn at random, until there are `HOVER_MOST` of them or `HOVER_BYTES` are read.
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
    """The labels of one sample, clipped: first the picture's name and the text, then as many others
    as fit.
    """
    return notes(side, [row], text=text)[0]


def notes(side: Samples, rows: Sequence[int], *, text: bool = True) -> list[str]:
    """The labels of several samples, each clipped as by `note`."""
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
