"""Helpers for encoders that compute with PyTorch: a check of the device, and a hash of the
weights.
"""

from __future__ import annotations

import hashlib
from typing import Any

from prviz.readers.errors import error_text


def check_device(device: str) -> str:
    """Test that PyTorch can compute on ``device``, and return ``device``; raises ValueError if it
    can't.
    """
    import torch

    try:
        torch.zeros(1, device=device) + 1
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = error_text(error)
        raise ValueError(
            f"--device {device}: PyTorch can't compute there ({reason}); leave --device out"
        ) from None
    return device


def state_sha256(network: Any) -> str:
    """SHA-256 of the loaded weights with their names, independent of the file format."""
    import torch

    hasher = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        hasher.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        hasher.update(
            tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        )
    return hasher.hexdigest()
