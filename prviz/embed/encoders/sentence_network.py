"""Encoder by a model of sentence-transformers, from a folder or the cache of the Hugging Face
hub.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, file_sha256, libraries
from prviz.embed.networks import check_device, state_sha256
from prviz.readers.errors import error_text, one_line

# Files besides the weights that determine the embeddings (settings, vocabularies, tokenizer rules).
# Folders with the weights in other formats, such as onnx/, are not loaded, so not hashed.
_SETTINGS = (".json", ".txt", ".model", ".jinja", ".spm", ".bpe", ".vocab")
_NOT_LOADED = ("onnx", "openvino")


class SentenceEncoder(EmbeddingEncoder):
    """Sentence embeddings by a stored model; downloads nothing, and runs no Python code from the
    model's folder.
    """

    prefix = "st"
    argument = "NAME_OR_FOLDER"
    takes = "texts"
    needs = "sentence_transformers"
    extra = "text"
    used = "sentence embeddings by sentence-transformers"

    def __init__(self, argument: str, options: EncoderOptions) -> None:
        from sentence_transformers import SentenceTransformer

        folder = Path(argument)
        device = check_device(options.device)
        if folder.is_dir() and not (folder / "modules.json").is_file():
            raise ValueError(
                f"--encoder st:{argument}: no modules.json there; name a folder of"
                " sentence-transformers"
            )
        try:
            self._model = SentenceTransformer(
                argument, device=device, local_files_only=True, trust_remote_code=False
            )
        except (OSError, ValueError, RuntimeError, LookupError, AttributeError) as error:
            raise ValueError(
                f"--encoder st:{argument}: no model that can be loaded from this computer, and"
                " prviz downloads nothing; name a local folder, --encoder st:FOLDER"
                f" ({one_line(error_text(error))})"
            ) from None
        self.name = f"st:{folder.resolve().name if folder.is_dir() else argument}"
        self.weights_sha256 = _sha256(
            state_sha256(self._model), folder if folder.is_dir() else _cached(argument)
        )
        self.transform = f"first {self._model.get_max_seq_length()} tokens"
        self.versions = libraries("numpy", "sentence-transformers", "torch", "transformers")

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> SentenceEncoder:
        """The encoder written ``st:NAME_OR_FOLDER``."""
        return cls(argument, options)

    def encode(self, batch: Any) -> Features:
        """Embeddings of texts."""
        return np.asarray(self._model.encode(batch, show_progress_bar=False), np.float32)


def _cached(name: str) -> Path:
    """The folder of a model in the cache of the Hugging Face hub."""
    from huggingface_hub import snapshot_download

    names = [name] if "/" in name else [f"sentence-transformers/{name}", name]
    for each in names:
        try:
            return Path(snapshot_download(each, local_files_only=True))
        except (OSError, ValueError):
            continue
    raise ValueError(
        f"--encoder st:{name}: no folder of it in the cache; name a local folder, --encoder"
        " st:FOLDER"
    )


def _sha256(weights: str, folder: Path) -> str:
    """SHA-256 of the loaded weights and of the settings files in the order of their paths."""
    hasher = hashlib.sha256(weights.encode())
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder)
        if file.suffix in _SETTINGS and file.is_file() and path.parts[0] not in _NOT_LOADED:
            hasher.update(f"{path.as_posix()}\0{file_sha256(file)}".encode())
    return hasher.hexdigest()
