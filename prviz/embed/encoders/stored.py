"""Encoder for bundled samples: looks up their features by a trained network, which are bundled
too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features
from prviz.embed.pictures import SquareTransform
from prviz.readers.bundled import BUNDLED, TRAINED, bundled_pair, family_of
from prviz.readers.media import MediaError


class StoredEncoder(EmbeddingEncoder):
    """Looks up bundled features of samples from bundled checkpoints with a common real set; see
    `prviz.bundled_pair`.
    """

    prefix = ""
    argument = "CHECKPOINT,..."

    def __init__(self, checkpoints: Sequence[str]) -> None:
        network = TRAINED[BUNDLED[family_of(checkpoints[0])].real]
        self.name = network.title
        self.transform = f"{network.encoder}, principal components"
        self.versions = {}
        self.takes = "texts"
        self._features: dict[str | bytes, Features] = {}
        for name in checkpoints:
            sides = zip(bundled_pair(name), bundled_pair(name, trained=True), strict=True)
            for samples, embedded in sides:
                if samples.images is None:
                    keys: list[Any] = samples.labels["text"].tolist()
                else:
                    keys = [each.tobytes() for each in samples.images]
                    self.takes = "pictures"
                    self.prepare = SquareTransform(*samples.images.shape[1:])
                self._features.update(zip(keys, embedded.values, strict=True))

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> StoredEncoder:
        """The encoder for names of bundled checkpoints, separated by commas."""
        return cls(argument.split(","))

    def encode(self, batch: Any) -> Features:
        """The stored features of pictures or texts; raises MediaError if no checkpoint has one of
        them.
        """
        if self.takes == "pictures":
            batch = [each[..., 0].tobytes() for each in batch]
        if not all(key in self._features for key in batch):
            raise MediaError(f"not all {self.takes} are bundled")
        return np.stack([self._features[key] for key in batch])
