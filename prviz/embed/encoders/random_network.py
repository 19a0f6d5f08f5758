"""Encoder by a convolutional network with random weights, fixed by a seed."""

from __future__ import annotations

from typing import Any

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, libraries, sha256_of, whole
from prviz.embed.pictures import SquareTransform
from prviz.random_network import random_features, random_weights

_SIZE = 64


class RandomNetworkEncoder(EmbeddingEncoder):
    """Four convolutions with random weights; the features are the last layer's means over all
    positions.
    """

    prefix = "random"
    argument = "SEED"
    takes = "pictures"
    used = (
        "random features; Sykes et al. 2026 (5.2) use a VGG16 with random weights, as Naeem et al."
        " 2020"
    )

    def __init__(self, seed: int, side: int = _SIZE) -> None:
        self._weights = random_weights(seed)
        self.name, self.versions, self.weights_sha256 = (
            f"random:{seed}",
            libraries(),
            sha256_of(*self._weights),
        )
        self.prepare = transform = SquareTransform(side, side)
        self.transform = f"{transform.described()}, values from -1 to 1"

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> RandomNetworkEncoder:
        """The encoder written ``random:SEED``."""
        return cls(0 if argument == "0" else whole(argument, "random", 2**31))

    def encode(self, batch: Any) -> Features:
        """Means of the last layer over all positions: 256 features per picture."""
        return random_features(batch, self._weights)
