"""Peak memory of one call, above what the process holds before it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

__all__ = ["memory_of", "peak_megabytes"]


def peak_megabytes(work: Callable[[], object]) -> float:
    """Megabytes that the call adds at its peak to the resident memory before it (Linux only)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    before = memory_of("self")[0]
    work()
    return memory_of("self")[1] - before


def memory_of(process: int | str) -> tuple[float, float]:
    """Megabytes that a process holds in resident memory now, and at its peak so far (Linux
    only).
    """
    lines = dict(
        line.split(":", 1)
        for line in Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    )
    now, peak = (int(lines[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))
    return now, peak
