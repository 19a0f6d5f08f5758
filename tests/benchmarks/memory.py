"""Peak memory of one call, above what the process holds before it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

__all__ = ["peak_megabytes"]


def peak_megabytes(work: Callable[[], object]) -> float:
    """Megabytes that the call adds at its peak to the resident memory before it (Linux only)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    before = _bytes("VmRSS")
    work()
    return (_bytes("VmHWM") - before) / 1e6


def _bytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
