"""Converts a tensor saved by PyTorch to a .safetensors file. Only the shell command calls this, on
the user's own machine.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from prviz.array_input import squeezed
from prviz.embed.output import write_features
from prviz.readers.conversion import arrays_in, load_torch
from prviz.readers.errors import listed, quoted
from prviz.samples import Samples

EXTENSIONS = (".pt", ".pth", ".ckpt")
# Largest number of arrays that an error names.
_SHOWN = 10


def convert(path: Path, out: Path, key: str | None = None) -> tuple[int, int]:
    """Write a tensor of a PyTorch file as ``features`` to a .safetensors file; raises if the
    PyTorch file holds anything but tensors.

    Parameters
    ----------
    path, out : Path
        The PyTorch file, and the .safetensors file to write.
    key : str, optional
        Name of the tensor in a dict, with dots for nested dicts, such as ``features.pool``.

    Returns
    -------
    tuple of (int, int)
        Number of samples and features.

    Raises
    ------
    ValueError
        PyTorch is missing or too old; the file holds more than tensors; or it has no tensor (n, d)
        of finite numbers.
    """
    arrays = arrays_in(load_torch(path))
    tables = [
        name
        for name, array in arrays.items()
        if len(squeezed(array.shape)) == 2 and array.dtype.kind in "fiub"
    ]
    if key is not None and key not in arrays:
        raise ValueError(
            f"{quoted(path.name)}: has no tensor {quoted(key)}; it has {listed(arrays) or 'none'}"
        )
    if key is None and len(tables) != 1:
        shapes = ", ".join(
            f"{quoted(name)} {array.shape}" for name, array in list(arrays.items())[:_SHOWN]
        )
        if tables:
            raise ValueError(f"{quoted(path.name)}: holds {listed(tables)}; choose one with --key")
        raise ValueError(
            f"{quoted(path.name)}: holds no tensor of shape (n, d), but {shapes or 'nothing'};"
            " save one"
        )
    held = arrays[tables[0] if key is None else key]
    values = Samples(held, path.name).values.astype(np.float32, copy=False)
    write_features(out, [values], values.shape, {}, {})
    return int(values.shape[0]), int(values.shape[1])
