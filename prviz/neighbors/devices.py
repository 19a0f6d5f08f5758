"""Choice of where distances are computed and compared: on the processor, or on a device of
PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prviz.missing import installed
from prviz.neighbors import point_sets


@contextmanager
def on_device(device: str | None) -> Iterator[None]:
    """Compute distances on a device, with PyTorch: ``pip install "prviz[torch]"``.

    The device is used for what this thread measures inside the ``with`` block. The results are the
    same as without it, bit for bit: comparisons that the device's float32 can't decide are decided
    on the processor by reference distances.

    Parameters
    ----------
    device : str or None
        "cuda", "cuda:1", or "cpu" (the processor, but through PyTorch); None: no device, as outside
        the block.

    Raises
    ------
    ModuleNotFoundError
        Without PyTorch.
    ValueError
        If PyTorch does not have this device here. During a measurement also if PyTorch multiplies
        with less precision than float32, as TF32 does, or if the device has too little free memory.

    Notes
    -----
    Half of the device's free memory is used. Computed on the processor all the same: samples of
    fewer than eight features, small pairs (up to 1,500 samples) that are split many times, and what
    other processes measure.

    Examples
    --------
    >>> import prviz
    >>> real, generated = prviz.toy("mixtures").sample(400, seed=0)
    >>> with prviz.on_device(None):
    ...     curve = prviz.pr_curve(real, generated)
    """
    chosen = None
    if device is not None:
        if not installed("torch"):
            raise ModuleNotFoundError(
                f"device {device!r} needs PyTorch, which is not installed: pip install"
                " 'prviz[torch]'",
                name="torch",
            )
        from prviz.neighbors.torch_tiles import TorchDevice

        chosen = TorchDevice(device)
    token = point_sets.device.set(chosen)
    try:
        yield
    except RuntimeError as error:
        if chosen is None or type(error).__name__ != "OutOfMemoryError":
            raise
        raise ValueError(
            f"device {device!r} has too little free memory: end what else uses it, or measure"
            " without it"
        ) from error
    finally:
        point_sets.device.reset(token)
