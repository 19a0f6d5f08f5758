"""Encoder whose features are the pixels themselves, as values from 0 to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, libraries, whole
from prviz.embed.pictures import SquareTransform


class PixelEncoder(EmbeddingEncoder):
    """Pixels of the central square of a picture."""

    prefix = "pixels"
    argument = "SIZE"
    takes = "pictures"
    used = "the simplest baseline"

    def __init__(self, size: int) -> None:
        self.name, self.versions = f"pixels:{size}", libraries()
        self.prepare = transform = SquareTransform(size, size)
        self.transform = transform.described()

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> PixelEncoder:
        """The encoder written ``pixels:SIZE``."""
        return cls(whole(argument, "pixels", 512))

    def encode(self, batch: Any) -> Features:
        """Values from 0 to 1, row by row, with red, green and blue of a pixel side by side."""
        return np.asarray(batch.reshape(len(batch), -1) / np.float32(255), np.float32)
