"""A model of sentence-transformers, from a folder or from the cache of the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, libraries
from prviz.embed.networks import check_device, state_sha256
from prviz.readers.errors import error_text, one_line


class SentenceEncoder(EmbeddingEncoder):
    """Sentence embeddings; nothing is downloaded, and no code of a model is run."""

    prefix, argument, takes, needs, extra = "st", "NAME_OR_FOLDER", "texts", "sentence_transformers", "text"
    used = "sentence embeddings by sentence-transformers"

    def __init__(self, argument: str, options: EncoderOptions) -> None:
        from sentence_transformers import SentenceTransformer

        folder, device = Path(argument), check_device(options.device)
        if folder.is_dir() and not (folder / "modules.json").is_file():
            raise ValueError(f"--encoder st:{argument}: no modules.json there; name a folder of sentence-transformers")
        try:
            self._model = SentenceTransformer(argument, device=device, local_files_only=True, trust_remote_code=False)
        except (OSError, ValueError, RuntimeError, LookupError, AttributeError) as error:
            raise ValueError(
                f"--encoder st:{argument}: no model that can be loaded from this computer, and prviz downloads "
                f"nothing; name a local folder, --encoder st:FOLDER ({one_line(error_text(error))})"
            ) from None
        self.name = f"st:{folder.resolve().name if folder.is_dir() else argument}"
        self.weights_sha256 = state_sha256(self._model)
        self.transform = f"first {self._model.get_max_seq_length()} tokens"
        self.versions = libraries("numpy", "sentence-transformers", "torch", "transformers")

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> SentenceEncoder:
        """``st:NAME_OR_FOLDER``."""
        return cls(argument, options)

    def encode(self, batch: Any) -> Features:
        """Embeddings of texts."""
        return np.asarray(self._model.encode(batch, show_progress_bar=False), np.float32)
