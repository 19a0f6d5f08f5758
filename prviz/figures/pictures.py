"""Encodes grey pictures as PNG data URIs. Front ends show them beside a figure, since Plotly's
hover labels can't hold pictures.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def picture_data_uri(image: NDArray[np.uint8]) -> str:
    """A (height, width) uint8 picture, 0 black and 255 white, as "data:image/png;base64,...".

    Raises
    ------
    TypeError : not uint8.
    ValueError : not two-dimensional, or empty.
    """
    if image.dtype != np.uint8:
        raise TypeError(f"image has dtype {image.dtype}; uint8 is needed")
    if image.ndim != 2 or image.size == 0:
        raise ValueError(
            f"image has shape {image.shape}; (height, width), both at least 1, is needed"
        )
    height, width = image.shape
    # PNG begins each row with a filter byte; 0 means "no filter".
    rows = np.zeros((height, width + 1), dtype=np.uint8)
    rows[:, 1:] = image
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # one 8-bit grey channel
    chunks = (
        _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows.tobytes()))
        + _chunk(b"IEND", b"")
    )
    return "data:image/png;base64," + base64.b64encode(_SIGNATURE + chunks).decode("ascii")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
