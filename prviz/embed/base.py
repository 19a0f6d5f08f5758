"""The base class of encoders, and the options that the shell command passes to them."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from prviz.arrays import Array, Floats32
from prviz.embed.pictures import Picture

Kind: TypeAlias = Literal["pictures", "texts"]


@dataclass(frozen=True)
class SourceItem:
    """One sample to embed.

    path : its path or row.
    label : its label.
    text : its text; "" for a picture.
    version : text that changes when the item's contents change.
    """

    path: str
    label: str = ""
    text: str = ""
    version: str = ""


Features = Floats32


@dataclass(frozen=True, kw_only=True)
class EncoderOptions:
    """Options of the encoders; None: not given.

    size, resize, interpolation, mean, std, scale, layout, output, average : for an ONNX network,
        see `prviz.embed.encoders.onnx_file`.
    weights : file of weights, or of a fitted encoder.
    device : where PyTorch computes.
    """

    size: int | None = None
    resize: int | None = None
    interpolation: str | None = None
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None
    scale: float | None = None
    layout: str | None = None
    output: str | None = None
    average: tuple[int, ...] | None = None
    weights: Path | None = None
    device: str = "cpu"


class EmbeddingEncoder(ABC):
    """Maps pictures or texts to features.

    Attributes
    ----------
    prefix : str Begins the encoder's text, such as "pixels" in ``pixels:32``.
    takes : "pictures" or "texts" What it encodes.
    needs, extra : str The module it needs, and the extra of prviz that installs it; "" for none.
    used : str What papers use it for.
    """

    prefix: ClassVar[str]
    argument: ClassVar[str]
    takes: Kind
    needs: ClassVar[str] = ""
    extra: ClassVar[str] = ""
    used: ClassVar[str] = ""

    # Name, hash of the weights ("" without any), transform in words, and versions of the libraries
    # that compute.
    name: str
    weights_sha256: str = ""
    transform: str
    versions: Mapping[str, str]
    # Maps a decoded picture to an array of values from 0 to 255, in any process; None for texts.
    prepare: Callable[[Picture], Array] | None = None

    @classmethod
    def installed(cls) -> bool:
        """True if the encoder needs no module, or its module is installed."""
        return not cls.needs or find_spec(cls.needs) is not None

    @classmethod
    @abstractmethod
    def load(cls, argument: str, options: EncoderOptions) -> EmbeddingEncoder:
        """The encoder for the text behind the colon; raises ValueError if this text is not
        valid.
        """

    @abstractmethod
    def encode(self, batch: Any) -> Features:
        """Features (n, d) of n prepared pictures, stacked, or of a list of n texts."""

    def fit(self, batches: Iterable[Array]) -> None:  # noqa: ARG002
        """Fit to the prepared pictures of the source, for encoders that must be fitted."""
        raise TypeError(f"{self.name} is not fitted")

    @property
    def fits(self) -> bool:
        """True if the encoder must be fitted before it encodes."""
        return False

    @property
    def tensors(self) -> Mapping[str, Array]:
        """Arrays to store in the file of features."""
        return {}


def sha256_of(*arrays: Array) -> str:
    """SHA-256 of the bytes of arrays, with their shapes."""
    hasher = hashlib.sha256()
    for array in arrays:
        hasher.update(f"{array.shape}{array.dtype.str}".encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def installed_file(package: str, path: str) -> Path:
    """A file of an installed package, found without importing it; raises ValueError if there is
    none.
    """
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        file = Path(folder, path)
        if file.is_file():
            return file
    raise ValueError(f"this version of {package} has no file {path}")


def whole(text: str, name: str, most: int) -> int:
    """The whole number from 1 to ``most`` that stands behind an encoder's colon.

    Raises ValueError for any other text.
    """
    if text.isascii() and text.isdigit() and len(text) < 12 and 1 <= int(text) <= most:
        return int(text)
    raise ValueError(
        f"--encoder {name}:{text}; a whole number from 1 to {most} is needed behind the colon"
    )


def libraries(*names: str) -> dict[str, str]:
    """Versions of these packages; by default of NumPy and Pillow."""
    from importlib.metadata import version

    return {name: version(name) for name in names or ("numpy", "pillow")}
