"""Encoder by principal components of the pixels; fitted on the reference, whose file of features
stores the components.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from prviz.arrays import Array
from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, libraries, sha256_of, whole
from prviz.embed.pictures import SquareTransform
from prviz.readers.keyed import open_tensors
from prviz.readers.source import Limits, as_source

_SIZE = 32
# Name under which the file of features stores the mean of the pixels, as one row.
_MEAN = "pca_mean"
# Name under which the file of features stores the components.
_AXES = "pca_axes"


class PrincipalEncoder(EmbeddingEncoder):
    """Coordinates along the first principal components of pictures of 32 x 32 pixels."""

    prefix = "pca"
    argument = "M"
    takes = "pictures"
    used = (
        "how many dimensions: Sykes et al. 2026 (5.3) project embeddings on d components; here the"
        " pixels. Generated: --weights REFERENCE.safetensors"
    )

    def __init__(self, components: int, stored: tuple[Array, Array] | None = None) -> None:
        self.name, self.versions, self._m = f"pca:{components}", libraries(), components
        self.prepare = transform = SquareTransform(_SIZE, _SIZE)
        self.transform = f"{transform.described()}, values from 0 to 1"
        self._stored = stored
        if stored is not None:
            self.weights_sha256 = sha256_of(*stored)

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> PrincipalEncoder:
        """The encoder written ``pca:M``; with ``--weights`` it has the components stored in that
        file.
        """
        components = whole(argument, "pca", 3 * _SIZE**2)
        return cls(
            components, None if options.weights is None else _stored(options.weights, components)
        )

    @property
    def fits(self) -> bool:
        """True unless the components were read from a file."""
        return self._stored is None

    def fit(self, batches: Iterable[Array]) -> None:
        """Compute the mean and the leading eigenvectors of the covariance, with sums over batches
        in float64.
        """
        from scipy.linalg import eigh

        d = 3 * _SIZE**2
        n = 0
        total = np.zeros(d)
        squares = np.zeros((d, d))
        for batch in batches:
            rows = batch.reshape(len(batch), -1) / 255.0
            total = total + rows.sum(axis=0)
            squares = squares + rows.T @ rows
            n = n + len(rows)
        if n <= self._m:
            raise ValueError(f"--encoder {self.name}: {n} pictures; more than {self._m} are needed")
        mean = total / n
        _, vectors = eigh(squares / n - np.outer(mean, mean), subset_by_index=(d - self._m, d - 1))
        axes = vectors[:, ::-1].T
        axes = axes * np.sign(axes[np.arange(self._m), np.abs(axes).argmax(axis=1)])[:, None]
        self._stored = mean[None].astype(np.float32), np.ascontiguousarray(axes, np.float32)
        self.weights_sha256 = sha256_of(*self._stored)

    def encode(self, batch: Any) -> Features:
        """Coordinates of pictures along the components."""
        stored = self._stored
        if stored is None:
            raise ValueError(f"{self.name} is not fitted")
        mean, axes = stored
        rows = batch.reshape(len(batch), -1) / np.float32(255)
        return np.asarray((rows - mean) @ axes.T, np.float32)

    @property
    def tensors(self) -> Mapping[str, Array]:
        """Mean and components; empty before fitting."""
        if self._stored is None:
            return {}
        return dict(zip((_MEAN, _AXES), self._stored, strict=True))


def _stored(path: Path, components: int) -> tuple[Array, Array]:
    source = as_source(path)
    limits = Limits(min_rows=1)
    with open_tensors(source, limits) as file:
        if not {_MEAN, _AXES} <= set(file.keys):
            raise ValueError(
                f"--weights {path}: no principal components in it; name the embedded reference"
            )
        mean, axes = (file.values(key, limits) for key in (_MEAN, _AXES))
    if axes.shape != (components, 3 * _SIZE**2) or mean.shape != (1, 3 * _SIZE**2):
        raise ValueError(f"--weights {path}: {len(axes)} components; {components} are needed")
    return mean, axes
