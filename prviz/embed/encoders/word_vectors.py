"""Encoder by means of the token vectors in the package wordllama; no network runs."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from prviz.embed.base import (
    EmbeddingEncoder,
    EncoderOptions,
    Features,
    file_sha256,
    installed_file,
    libraries,
    whole,
)

VECTORS_D = 256
# Files of the package wordllama. They are read directly, because its loader expects another name
# for the tokenizer.
_FILES = (
    f"weights/l2_supercat_{VECTORS_D}.safetensors",
    "tokenizers/l2_supercat_tokenizer_config.json",
)


class WordVectorEncoder(EmbeddingEncoder):
    """The mean of a text's token vectors, of which only the first d numbers are used; they were
    trained to be cut in this way.
    """

    prefix = "wordllama"
    argument = "D"
    takes = "texts"
    needs = "wordllama"
    extra = "networks"
    used = "trained token vectors that pip installs, the first D of 256 numbers"

    def __init__(self, d: int) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        weights, tokens = (installed_file(self.needs, name) for name in _FILES)
        self._vectors = load_file(weights)["embedding.weight"][:, :d].astype(np.float32)
        self._tokenizer = Tokenizer.from_file(str(tokens))
        self.name = f"{self.prefix}:{d}"
        hashes = file_sha256(weights) + file_sha256(tokens)
        self.weights_sha256 = hashlib.sha256(hashes.encode()).hexdigest()
        self.transform = f"mean of the tokens' vectors, first {d} numbers"
        self.versions = libraries("numpy", "tokenizers", "wordllama")

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> WordVectorEncoder:
        """The encoder written ``wordllama:D``."""
        return cls(whole(argument, cls.prefix, VECTORS_D))

    def encode(self, batch: Any) -> Features:
        """Means of token vectors; zeros for a text without tokens."""
        found = np.zeros((len(batch), self._vectors.shape[1]), np.float32)
        for row, tokens in zip(
            found, self._tokenizer.encode_batch(batch, add_special_tokens=False), strict=True
        ):
            if tokens.ids:
                row[:] = self._vectors[tokens.ids].mean(axis=0)
        return found
