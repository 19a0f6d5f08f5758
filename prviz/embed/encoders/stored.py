"""The trained network whose features of what is bundled come along: no network is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features
from prviz.embed.pictures import SquareTransform
from prviz.readers.bundled import BUNDLED, TRAINED, bundled_pair, family_of
from prviz.readers.media import MediaError


class StoredEncoder(EmbeddingEncoder):
    """Looks up samples of bundled checkpoints of one real set, as `prviz.bundled_pair` has them."""

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
        """Of checkpoints with commas between them."""
        return cls(argument.split(","))

    def encode(self, batch: Any) -> Features:
        """The stored features. Raises MediaError for a picture or text of no such checkpoint."""
        if self.takes == "pictures":
            batch = [each[..., 0].tobytes() for each in batch]
        if not all(key in self._features for key in batch):
            raise MediaError(f"not all {self.takes} are bundled")
        return np.stack([self._features[key] for key in batch])
