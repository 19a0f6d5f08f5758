"""A tensor that PyTorch has saved, as a .safetensors file; only from the shell, on the user's own machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from prviz.embed.output import write_features
from prviz.readers.errors import error_text, listed, quoted
from prviz.samples import Samples

EXTENSIONS = (".pt", ".pth", ".ckpt")
# Least version of PyTorch: before it, a file could run code even with weights_only=True.
_LEAST = (2, 10)


def convert(path: Path, out: Path, key: str | None = None) -> tuple[int, int]:
    """Write the tensor in a PyTorch file as ``features``; nothing else in the file is accepted.

    Parameters
    ----------
    path, out : Path
        The file, and the .safetensors file.
    key : str, optional
        Which tensor of a dict.

    Returns
    -------
    tuple of (int, int)
        Number of samples and features.

    Raises
    ------
    ValueError
        No PyTorch or an old one; a file of more than tensors; no tensor (n, d) of finite numbers.
    """
    try:
        import torch
    except ImportError:
        raise ValueError(
            f"{quoted(path.name)} needs torch, which is not installed: pip install 'prviz[images]'"
        ) from None
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if version < _LEAST:
        raise ValueError(f"torch {torch.__version__} can't open {quoted(path.name)} safely; 2.10 or newer is needed")
    try:
        held: Any = torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError, EOFError, ValueError, KeyError) as error:
        reason = quoted(error_text(error))
        raise ValueError(f"{quoted(path.name)}: holds more than tensors, or is corrupt ({reason})") from None
    if isinstance(held, Mapping):
        names = [str(name) for name, value in held.items() if torch.is_tensor(value)]
        if key is None and len(names) != 1:
            raise ValueError(f"{quoted(path.name)}: holds {listed(names)}; choose one with --key")
        if key is not None and key not in names:
            raise ValueError(f"{quoted(path.name)}: has no tensor {quoted(key)}; it has {listed(names)}")
        held = held[names[0] if key is None else key]
    if not torch.is_tensor(held):
        raise ValueError(f"{quoted(path.name)}: holds {type(held).__name__}, no tensor; save one of shape (n, d)")
    values = Samples(held.detach().float(), path.name).values.astype(np.float32, copy=False)
    write_features(out, [values], values.shape, {}, {})
    return int(values.shape[0]), int(values.shape[1])
