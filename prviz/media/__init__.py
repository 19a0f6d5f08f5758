"""What samples look like: pictures from a zip archive or from below one folder, and texts, by the labels of `Samples`.

A label column ``image``, else ``path``, names each sample's picture; ``text`` is its text; `Samples.images` are
pictures that travel with the samples. Nothing is fetched, extracted or run: pictures are read into memory, known by
their contents, and shrunk.
"""

from __future__ import annotations

from prviz.media.errors import MediaError, MissingPictureError
from prviz.media.folders import FolderPictures
from prviz.media.limits import PictureLimits
from prviz.media.looks import Found, Look, Pictures, count_found, find_picture, look, picture_column
from prviz.media.thumbnails import FORMATS, SIDE, thumbnail
from prviz.media.zips import ZipPictures

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
