"""Features of a convolutional network with random weights, fixed by a seed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, libraries, sha256_of, whole
from prviz.embed.pictures import SquareTransform

_SIZE = 64
# Channels of the layers: 3 x 3, He's normal weights, ReLU, each halves the side.
_CHANNELS = (3, 32, 64, 128, 256)


class RandomNetworkEncoder(EmbeddingEncoder):
    """Four convolutions with random weights, each position of the last one averaged over."""

    prefix, argument, takes = "random", "SEED", "pictures"
    used = "random features; Sykes et al. 2026 (5.2) use a VGG16 with random weights, as Naeem et al. 2020"

    def __init__(self, seed: int, side: int = _SIZE) -> None:
        rng = np.random.default_rng(seed)
        self._weights: list[NDArray[np.float32]] = [
            (rng.standard_normal((9 * inner, outer)) * np.sqrt(2 / (9 * inner))).astype(np.float32)
            for inner, outer in pairwise(_CHANNELS)
        ]
        self.name, self.versions, self.weights_sha256 = f"random:{seed}", libraries(), sha256_of(*self._weights)
        self.prepare = transform = SquareTransform(side, side)
        self.transform = f"{transform.described()}, values from -1 to 1"

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> RandomNetworkEncoder:
        """``random:SEED``."""
        return cls(0 if argument == "0" else whole(argument, "random", 2**31))

    def encode(self, batch: Any) -> Features:
        """Means over the positions of the last layer, 256 features."""
        maps = batch.astype(np.float32) / np.float32(127.5) - np.float32(1)
        for weights in self._weights:
            padded = np.pad(maps, ((0, 0), (1, 1), (1, 1), (0, 0)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))[:, ::2, ::2]
            shape = windows.shape[:3]
            maps = np.maximum(windows.reshape(-1, weights.shape[0]) @ weights, 0).reshape(*shape, -1)
        return np.asarray(maps.mean(axis=(1, 2), dtype=np.float64), np.float32)
