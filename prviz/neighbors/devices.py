"""Where the products and comparisons of distances are done: here, or on a device of PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prviz.missing import installed
from prviz.neighbors import point_sets


@contextmanager
def on_device(device: str | None) -> Iterator[None]:
    """Compute distances on a device, with PyTorch: ``pip install "prviz[torch]"``.

    For what this thread measures inside. The numbers are the same, bit for bit: what the device's
    float32 can't decide is decided here by reference distances.

    Parameters
    ----------
    device : str or None
        "cuda", "cuda:1", or "cpu", which is PyTorch's own; None: no device, as outside.

    Raises
    ------
    ModuleNotFoundError
        Without PyTorch.
    ValueError
        If PyTorch has no such device here; while it measures, if PyTorch multiplies in less than
        float32, as in TF32, or if the device has too little free memory.

    Notes
    -----
    Half of the device's free memory is used. Fewer than eight features, and splits of fewer
    than 1,500 samples that are measured many times, stay on the processor, as do other processes.

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
