"""A convolutional network with random weights, fixed by a seed: features of pictures that no
training data has shaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from prviz.arrays import Array, Floats32

# Channels before and after each layer. A layer is a 3 x 3 convolution with He's normal weights and
# ReLU, and halves the side.
_CHANNELS = (3, 32, 64, 128, 256)

Weights = Sequence[Floats32]


def random_weights(seed: int) -> list[Floats32]:
    """The weights of the four layers, each (9 * channels in, channels out)."""
    rng = np.random.default_rng(seed)
    return [
        (rng.standard_normal((9 * inner, outer)) * np.sqrt(2 / (9 * inner))).astype(np.float32)
        for inner, outer in pairwise(_CHANNELS)
    ]


def random_features(pictures: Array, layers: Weights) -> Floats32:
    """Features (n, 256) of pictures (n, height, width, 3) with values 0 to 255: the last layer
    averaged over its positions.
    """
    maps = pictures.astype(np.float32) / np.float32(127.5) - np.float32(1)
    for weights in layers:
        padded = np.pad(maps, ((0, 0), (1, 1), (1, 1), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))[:, ::2, ::2]
        shape = windows.shape[:3]
        maps = np.maximum(windows.reshape(-1, weights.shape[0]) @ weights, 0).reshape(*shape, -1)
    return np.asarray(maps.mean(axis=(1, 2), dtype=float), np.float32)
