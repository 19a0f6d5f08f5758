"""Networks that a page may offer: ONNX files and weights of timm below one folder, and timm's downloads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from prviz.embed.base import EmbeddingEncoder, EncoderOptions
from prviz.embed.encoders.onnx_file import OnnxEncoder
from prviz.embed.encoders.timm_network import TimmEncoder
from prviz.embed.registered import load_encoder
from prviz.readers import table_beside
from prviz.readers.errors import error_text
from prviz.readers.safe_folder import Below

_WEIGHTS = (".safetensors", ".pt", ".pth", ".bin")
# Names of weights that say nothing of their network, which the folder's name then does.
_NAMELESS = ("model", "pytorch_model")


@dataclass(frozen=True, order=True)
class LocalEncoder:
    """An ``encoder`` as `prviz embed` takes it, and the path of its ``weights``, both by paths below a folder."""

    encoder: str
    weights: str = ""

    @property
    def title(self) -> str:
        """Its name on a page."""
        return f"{self.encoder}, {self.weights}" if self.weights else self.encoder

    def signature(self, below: Below) -> tuple[tuple[int, int], ...]:
        """Size and time of its file, and of the settings beside it: equal ones, the same encoder."""
        file = below.root / (self.weights or self.encoder)
        states = [path.stat() for path in (file, file.with_suffix(".toml")) if path.is_file()]
        return tuple((state.st_size, state.st_mtime_ns) for state in states)

    def load(self, below: Below) -> EmbeddingEncoder:
        """The encoder; all its files are only opened below the folder.

        Raises
        ------
        ValueError : it can't be loaded; the message names files by their paths below the folder.
        """
        try:
            if not self.encoder.endswith(".onnx"):
                weights = below.find(self.weights) if self.weights else None
                return load_encoder(self.encoder, EncoderOptions(weights=weights))
            file = below.find(self.encoder)
            if file.with_suffix(".toml").is_symlink():  # which would be followed
                raise ValueError(f"{self.encoder}: its TOML file is a link; put the file itself beside the network")
            return load_encoder(str(file))
        except OSError as error:
            raise ValueError(f"{self.title}: {error_text(error)}") from None
        except ValueError as error:
            raise ValueError(str(error).replace(f"{below.root}/", "")) from None


def encoders_below(below: Below, most: int = 500) -> list[LocalEncoder]:
    """All networks in at most so many folders, as far as the packages that run them are installed.

    Weights of timm are named after their network, such as ``resnet18.a1_in1k.safetensors`` or
    ``resnet18.a1_in1k/model.safetensors``. PyTorch is only imported where files could be weights.
    """
    found = set[LocalEncoder]()
    weights: list[tuple[str, str]] = []
    for folder in ["", *below.folders(most)]:
        try:
            names, _ = below.files(folder)
        except OSError:  # not readable, or gone
            continue
        for name in names:
            path, file = f"{folder}/{name}" if folder else name, Path(name)
            if file.suffix.lower() == ".onnx" and OnnxEncoder.installed():
                found.add(LocalEncoder(path))
            elif file.suffix.lower() in _WEIGHTS and table_beside(name) not in names:
                weights.append((PurePosixPath(folder).name if file.stem in _NAMELESS else file.stem, path))
    if TimmEncoder.installed():
        found |= {LocalEncoder(f"timm:{name}", path) for name, path in weights if _is_timm(name)}
        found |= {LocalEncoder(f"timm:{name}") for name in _downloaded()}
    return sorted(found)


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
