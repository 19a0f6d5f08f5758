"""Pictures as bytes, and tables that name them."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from prviz.readers.media import ZipPictures

RED = (210, 30, 30)
BLUE = (30, 60, 210)


def picture(
    kind: str = "PNG",
    size: tuple[int, int] = (40, 30),
    color: Any = RED,
    mode: str = "RGB",
    **options: Any,
) -> bytes:
    stream = io.BytesIO()
    Image.new(mode, size, color).save(stream, kind, **options)
    return stream.getvalue()


def claiming_png(width: int, height: int) -> bytes:
    """A small PNG that claims any size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(1000)))
        + chunk(b"IEND", b"")
    )


def encrypted(data: bytes) -> bytes:
    """The archive, with every entry of its directory marked as encrypted."""
    parts = data.split(b"PK\x01\x02")
    return parts[0] + b"".join(
        b"PK\x01\x02" + part[:4] + bytes([part[4] | 1]) + part[5:] for part in parts[1:]
    )


def packed(members: Sequence[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of any members in this order, names repeated or not."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as zipped:
        for name, data in members:
            zipped.writestr(name, data)
    return stream.getvalue()


def table(
    names: Sequence[str], seed: int = 0, column: str = "image", texts: Sequence[str] = ()
) -> bytes:
    """A .csv of embeddings in three dimensions with a column of names, and one of texts."""
    values = np.random.default_rng(seed).normal(size=(len(names), 3))
    head = f"{column}," + ("text," if texts else "") + "f0,f1,f2\n"
    rows = [
        ",".join([name, *([f'"{texts[i]}"'] if texts else []), *map(str, values[i])])
        for i, name in enumerate(names)
    ]
    return (head + "\n".join(rows)).encode()


def zipped(*names: str) -> ZipPictures:
    """An archive whose every file holds its own path."""
    return ZipPictures("pictures.zip", packed([(name, name.encode()) for name in names]))
