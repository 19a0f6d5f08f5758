"""Finds the encoders that a page can offer: files below one folder, timm's downloads, and installed
packages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Kind
from prviz.embed.encoders.onnx_file import OnnxEncoder
from prviz.embed.encoders.onnx_weights import external_files
from prviz.embed.encoders.recogniser import RECOGNISER_SIDE, RecogniserEncoder
from prviz.embed.encoders.timm_network import TimmEncoder
from prviz.embed.encoders.word_vectors import VECTORS_D, WordVectorEncoder
from prviz.embed.registered import load_encoder
from prviz.readers import table_beside
from prviz.readers.errors import error_text
from prviz.readers.safe_folder import Below

_WEIGHTS = (".safetensors", ".pt", ".pth", ".bin")
# File names of weights that do not name the network; then the folder's name does.
_NAMELESS = ("model", "pytorch_model")


@dataclass(frozen=True, order=True)
class LocalEncoder:
    """An encoder as the text for `prviz embed`, and the path of its weights.

    Paths are relative to the folder in which encoders are searched.
    """

    encoder: str
    weights: str = ""

    @property
    def takes(self) -> Kind:
        """What the encoder takes: "pictures" or "texts"."""
        if self.encoder.startswith(f"{WordVectorEncoder.prefix}:"):
            return "texts"
        return "pictures"

    @property
    def title(self) -> str:
        """The encoder's name on a page."""
        if self.weights:
            return f"{self.encoder}, {self.weights}"
        return self.encoder

    def signature(self, below: Below) -> tuple[tuple[int, int], ...]:
        """Sizes and modification times of the encoder's file, of the TOML file beside it, and of
        external weights.

        Equal signatures mean that the encoder has not changed.
        """
        file = below.root / (self.weights or self.encoder)
        files = [
            file,
            file.with_suffix(".toml"),
            *(file.with_name(each) for each in _external(file)),
        ]
        states = [path.stat() for path in files if path.is_file()]
        return tuple((state.st_size, state.st_mtime_ns) for state in states)

    def load(self, below: Below) -> EmbeddingEncoder:
        """The encoder, loaded; all its files must lie in the folder ``below``.

        Raises
        ------
        ValueError : the encoder can't be loaded; the message gives paths relative to the folder.
        """
        try:
            if not self.encoder.endswith(".onnx"):
                weights = None
                if self.weights:
                    weights = below.find(self.weights)
                return load_encoder(self.encoder, EncoderOptions(weights=weights))
            file = below.find(self.encoder)
            # a link could lead out of the folder
            if file.with_suffix(".toml").is_symlink():
                raise ValueError(
                    f"{self.encoder}: its TOML file is a link; put the file itself beside the"
                    " network"
                )
            for name in _external(file):
                below.find(str(PurePosixPath(self.encoder).parent / name))
            return load_encoder(str(file))
        except OSError as error:
            raise ValueError(f"{self.title}: {error_text(error)}") from None
        except ValueError as error:
            raise ValueError(str(error).replace(f"{below.root}/", "")) from None


def encoders_below(below: Below, most: int = 500) -> list[LocalEncoder]:
    """All encoders whose packages are installed, in at most ``most`` folders below one folder.

    A weights file must be named after its network of timm, or lie in a folder with this name, such
    as ``resnet18.a1_in1k.safetensors`` or ``resnet18.a1_in1k/model.safetensors``. PyTorch is
    imported only where files could be weights.
    """
    found = set[LocalEncoder]()
    weights: list[tuple[str, str]] = []
    for folder in ["", *below.folders(most)]:
        try:
            names, _ = below.files(folder)
        except OSError:  # the folder is not readable, or was removed
            continue
        for name in names:
            path = f"{folder}/{name}" if folder else name
            file = Path(name)
            if file.suffix.lower() == ".onnx" and OnnxEncoder.installed():
                found.add(LocalEncoder(path))
            elif file.suffix.lower() in _WEIGHTS and table_beside(name) not in names:
                weights.append(
                    (PurePosixPath(folder).name if file.stem in _NAMELESS else file.stem, path)
                )
    if TimmEncoder.installed():
        found |= {LocalEncoder(f"timm:{name}", path) for name, path in weights if _is_timm(name)}
        found |= {LocalEncoder(f"timm:{name}") for name in _downloaded()}
    return sorted(found)


def installed_encoders() -> list[LocalEncoder]:
    """Encoders inside installed packages."""
    known = ((RecogniserEncoder, RECOGNISER_SIDE), (WordVectorEncoder, VECTORS_D))
    return [
        LocalEncoder(f"{encoder.prefix}:{number}")
        for encoder, number in known
        if encoder.installed()
    ]


def _external(file: Path) -> list[str]:
    """Names of an ONNX network's external weight files.

    Empty for other files, and for files that can't be read, whose loading reports the error.
    """
    try:
        state = file.stat()
        if file.suffix.lower() == ".onnx":
            return _external_files(file, state.st_size, state.st_mtime_ns)
        return []
    except (OSError, ValueError):
        return []


@lru_cache(64)
def _external_files(file: Path, size: int, changed: int) -> list[str]:  # noqa: ARG001 - cache key
    return external_files(file)


def _is_timm(name: str) -> bool:
    import timm

    return bool(timm.is_model(name))


def _downloaded() -> Iterator[str]:
    """Names of timm's networks in the cache of the Hugging Face hub."""
    from huggingface_hub.constants import HF_HUB_CACHE

    prefix = "models--timm--"
    for folder in Path(HF_HUB_CACHE).glob(f"{prefix}*"):
        name = folder.name.removeprefix(prefix)
        if any(folder.glob("snapshots/*/*.safetensors")) and _is_timm(name):
            yield name
