"""Pictures (from a zip archive or from one folder) and texts of samples, by the labels of
`Samples`.

A label column ``image``, else ``path``, names each sample's picture; ``text`` is its text;
`Samples.images` are pictures that travel with the samples. Nothing is fetched, extracted or run:
pictures are read into memory, recognised by their contents, and shrunk.
"""

from __future__ import annotations

from prviz.readers.media.folders import FolderPictures, ZipPictures
from prviz.readers.media.looks import (
    FORMATS,
    SIDE,
    Found,
    Look,
    MediaError,
    MissingPictureError,
    PictureLimits,
    Pictures,
    count_found,
    find_picture,
    look,
    picture_column,
    thumbnail,
)

__all__ = [
    "FORMATS",
    "SIDE",
    "FolderPictures",
    "Found",
    "Look",
    "MediaError",
    "MissingPictureError",
    "PictureLimits",
    "Pictures",
    "ZipPictures",
    "count_found",
    "find_picture",
    "look",
    "picture_column",
    "thumbnail",
]
