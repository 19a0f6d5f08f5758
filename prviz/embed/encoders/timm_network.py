"""Encoder by a network of timm, with timm's transform and with weights stored on this computer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from prviz.arrays import Array
from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, libraries
from prviz.embed.networks import check_device, state_sha256
from prviz.embed.pictures import Picture, narrowed
from prviz.readers.errors import error_text, one_line

# Side in pixels of the largest usual input. It decides how much of a long picture is cut off at
# both ends before resizing, to save memory.
_SIDE = 512
# Exceptions that PyTorch and timm raise for files without weights.
_UNREADABLE = (
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OSError,
    EOFError,
    UnpicklingError,
)


@dataclass(frozen=True)
class TimmTransform:
    """timm's transform of a network without its last step, the normalisation by mean and std."""

    transform: Any

    def __call__(self, picture: Picture) -> Array:
        """Array (3, height, width) of uint8, or of floats from 0 to 255 if the picture has
        floats.
        """
        parts: list[Array] = [
            self.transform(narrowed(band, _SIDE)).numpy() for band in picture.bands
        ]
        if parts[0].shape[0] == 3:
            return parts[0]
        return np.concatenate(parts * 3 if len(parts) == 1 else parts).clip(0, 255)


class TimmEncoder(EmbeddingEncoder):
    """Pooled features of a network of timm, without its classifier.

    Nothing is downloaded: weights come from ``--weights``, else from the cache of the Hugging Face
    hub.
    """

    prefix = "timm"
    argument = "NAME"
    takes = "pictures"
    needs = "timm"
    extra = "images"
    used = "pretrained networks, DINOv2 (Sykes et al. 2026, 5.2) among them"

    def __init__(self, name: str, options: EncoderOptions) -> None:
        import timm
        import torch

        if not timm.is_model(name):
            raise ValueError(
                f"--encoder timm:{one_line(name)}: timm {timm.__version__} has no network of this"
                " name"
            )
        self._device = check_device(options.device)
        weights = _weights_file(name, options.weights)
        # Two loads with different initial weights: if they differ, the file lacks some of the
        # weights.
        self._network, again = (_network(name, weights, seed) for seed in (0, 1))
        self.weights_sha256 = state_sha256(self._network)
        if self.weights_sha256 != state_sha256(again):
            raise ValueError(
                f"--weights {weights}: some weights of {name} are not in it; it is of another"
                " network"
            )
        self._network.to(self._device)
        config = timm.data.resolve_model_data_config(self._network)
        self._mean, self._std = (
            torch.tensor(config[key], device=self._device).reshape(-1, 1, 1)
            for key in ("mean", "std")
        )
        # The normalisation (value / 255 - mean) / std is left to `encode`, so that processes
        # exchange bytes and not floats.
        self.prepare = TimmTransform(
            timm.data.create_transform(**config, is_training=False, use_prefetcher=True)
        )
        self.name = f"timm:{name}"
        self.transform = (
            f"timm: {', '.join(f'{key} {value}' for key, value in sorted(config.items()))}"
        )
        self.versions = libraries("numpy", "pillow", "timm", "torch")

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> TimmEncoder:
        """The encoder written ``timm:NAME``."""
        return cls(argument, options)

    def encode(self, batch: Any) -> Features:
        """Pooled features of a batch of prepared pictures."""
        import torch

        with torch.inference_mode():
            values = (
                torch.from_numpy(batch).to(self._device).float() / 255 - self._mean
            ) / self._std
            return np.asarray(self._network(values).float().cpu().numpy(), np.float32)


def _weights_file(name: str, given: Path | None) -> Path:
    import timm
    from huggingface_hub import try_to_load_from_cache

    if given is not None:
        if not given.is_file():
            raise ValueError(f"--weights {given}: no such file")
        return given
    config = timm.get_pretrained_cfg(name)
    hub = None if config is None else config.hf_hub_id
    for file in ("model.safetensors", "pytorch_model.bin") if hub else ():
        if isinstance(cached := try_to_load_from_cache(str(hub), file), str):
            return Path(cached)
    where = ""
    if hub:
        where = f" (https://huggingface.co/{hub} has them)"
    raise ValueError(
        f"--encoder timm:{name}: its weights are not on this computer, and prviz downloads nothing;"
        f" name their file, --weights FILE{where}"
    )


def _network(name: str, weights: Path, seed: int) -> Any:
    """The network without its classifier; weights that the file lacks stay random, drawn with
    ``seed``.
    """
    import timm
    import torch
    from safetensors import SafetensorError

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            state = timm.models.load_state_dict(str(weights), weights_only=True)
            overlay = {"state_dict": state, "custom_load": False, "source": ""}
            network = timm.create_model(
                name, pretrained=True, pretrained_cfg_overlay=overlay, num_classes=0
            )
        except (*_UNREADABLE, SafetensorError) as error:
            reason = error_text(error).partition(". ")[0]
            raise ValueError(
                f"--weights {weights}: no weights of {name} ({one_line(reason)})"
            ) from None
    return network.eval()
