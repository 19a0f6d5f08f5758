"""The base class of encoders, and the options of `prviz embed` for them."""

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
    """Options of `prviz embed` for encoders; None: the user did not give the option.

    size, resize, interpolation, mean, std, scale, layout, output, average : for an ONNX network,
        see `prviz.embed.encoders.onnx_file`.
    weights : file with weights, or with the arrays of a fitted encoder.
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
    prefix : str
        Part of ``--encoder`` before the colon, such as "pixels" in ``pixels:32``.
    takes : "pictures" or "texts"
        What the encoder takes.
    needs, extra : str
        The module that the encoder needs, and the extra of prviz that installs this module; "" for
        none.
    used : str
        What papers use the encoder for.
    """

    prefix: ClassVar[str]
    argument: ClassVar[str]
    takes: Kind
    needs: ClassVar[str] = ""
    extra: ClassVar[str] = ""
    used: ClassVar[str] = ""

    # Set by each encoder: its name, a hash of its weights ("" if it has none), its transform in
    # words, and the versions of the libraries that it computes with.
    name: str
    weights_sha256: str = ""
    transform: str
    versions: Mapping[str, str]
    # Converts a decoded picture to an array of values from 0 to 255; must work in any process. None
    # for encoders of texts.
    prepare: Callable[[Picture], Array] | None = None

    @classmethod
    def installed(cls) -> bool:
        """True if the module that the encoder needs is installed, or it needs none."""
        return not cls.needs or find_spec(cls.needs) is not None

    @classmethod
    @abstractmethod
    def load(cls, argument: str, options: EncoderOptions) -> EmbeddingEncoder:
        """The encoder for the text after the colon of ``--encoder``.

        Raises ValueError if the text is not valid.
        """

    @abstractmethod
    def encode(self, batch: Any) -> Features:
        """Features (n, d) of n prepared pictures, stacked into one array, or of n texts in a
        list.
        """

    def fit(self, batches: Iterable[Array]) -> None:  # noqa: ARG002
        """Fit the encoder to the prepared pictures of a source, if it must be fitted."""
        raise TypeError(f"{self.name} is not fitted")

    @property
    def fits(self) -> bool:
        """True if the encoder must be fitted before it encodes."""
        return False

    @property
    def tensors(self) -> Mapping[str, Array]:
        """Arrays of a fitted encoder that are stored beside the features, by name."""
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
    """Path of a file of an installed package, without importing the package; raises ValueError if
    there is no such file.
    """
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        file = Path(folder, path)
        if file.is_file():
            return file
    raise ValueError(f"this version of {package} has no file {path}")


def whole(text: str, name: str, most: int) -> int:
    """The whole number from 1 to ``most`` after the colon in an ``--encoder`` option.

    ``name`` is the part before the colon. Raises ValueError for any other text.

    Raises ValueError for any other text.
    """
    if text.isascii() and text.isdigit() and len(text) < 12 and 1 <= int(text) <= most:
        return int(text)
    raise ValueError(
        f"--encoder {name}:{text}; a whole number from 1 to {most} is needed behind the colon"
    )


def libraries(*names: str) -> dict[str, str]:
    """Versions of the named packages; by default of NumPy and Pillow."""
    from importlib.metadata import version

    return {name: version(name) for name in names or ("numpy", "pillow")}
