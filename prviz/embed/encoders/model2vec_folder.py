"""A static embedding by model2vec: the mean of the vectors of a text's tokens."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, file_sha256, libraries
from prviz.readers.errors import error_text, one_line

# Files of a model's folder whose contents determine the embeddings; their hash is stored.
_FILES = ("config.json", "model.safetensors", "tokenizer.json")


class Model2VecEncoder(EmbeddingEncoder):
    """Static embeddings: token vectors are looked up, and no network runs."""

    prefix = "model2vec"
    argument = "FOLDER"
    takes = "texts"
    needs = "model2vec"
    extra = "text"
    used = "static embeddings: means of token vectors"

    def __init__(self, folder: Path) -> None:
        from model2vec import StaticModel
        from safetensors import SafetensorError

        where = f"--encoder model2vec:{folder}"
        if missing := [name for name in _FILES if not (folder / name).is_file()]:
            raise ValueError(
                f"{where}: {', '.join(missing)} missing; name a local folder of model2vec"
            )
        try:
            self._model = StaticModel.from_pretrained(folder)
        except (
            OSError,
            ValueError,
            RuntimeError,
            LookupError,
            AttributeError,
            SafetensorError,
        ) as error:
            raise ValueError(
                f"{where}: no model that can be loaded ({one_line(error_text(error))})"
            ) from None
        self.name = f"model2vec:{folder.resolve().name}"
        hashes = "".join(file_sha256(folder / name) for name in _FILES)
        self.weights_sha256 = hashlib.sha256(hashes.encode()).hexdigest()
        self.transform = "mean of the tokens' vectors, as config.json says"
        self.versions = libraries("model2vec", "numpy", "tokenizers")

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> Model2VecEncoder:
        """The encoder written ``model2vec:FOLDER``."""
        return cls(Path(argument))

    def encode(self, batch: Any) -> Features:
        """Embeddings of texts."""
        return np.asarray(self._model.encode(batch, use_multiprocessing=False), np.float32)
