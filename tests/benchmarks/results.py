"""Results of the benchmarks: a JSON line per case and run in results/<benchmark>.jsonl, the newest
last.

A line says what was measured (``case``), by which ``command``, when, on which ``commit`` (with a +
where the code had changes on top of it) and ``machine``, with the kernel of its BLAS and the
OPENBLAS settings that choose it; ``seconds`` and ``peak_mb`` of prviz,
``other_seconds`` and ``other_peak_mb`` of what it is held against, their ``ratio``, and other
figures by the title of their column.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

from prviz.neighbors.threads import available_threads

__all__ = ["FOLDER", "earlier", "newest", "numpy_kernel", "record"]

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).with_name("results")


def record(
    benchmark: str,
    case: str,
    *,
    seconds: float | None = None,
    other_seconds: float | None = None,
    peak_mb: float | None = None,
    other_peak_mb: float | None = None,
    figures: Mapping[str, float | str] | None = None,
    **provenance: Any,
) -> dict[str, Any]:
    """Append one line; ``provenance`` replaces the facts of this run where the case was measured in
    an earlier one.
    """
    line: dict[str, Any] = {
        "case": case,
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
        "machine": {"cores": available_threads(), "cpu": _cpu(), "blas": _blas()},
        "command": shlex.join(
            ["python", "-m", f"tests.benchmarks.{benchmark}", *map(_anywhere, sys.argv[1:])]
        ),
        "seconds": _rounded(seconds),
        "other_seconds": _rounded(other_seconds),
        "ratio": (
            _rounded(seconds / other_seconds) if seconds is not None and other_seconds else None
        ),
        "peak_mb": _rounded(peak_mb),
        "other_peak_mb": _rounded(other_peak_mb),
        "figures": {
            name: _rounded(value) for name, value in (figures or {}).items() if value == value
        },  # no nan
    } | provenance
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / f"{benchmark}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return line


def newest(benchmark: str) -> list[dict[str, Any]]:
    """The last line of each case, in the order in which the cases first came."""
    path = FOLDER / f"{benchmark}.jsonl"
    lines = (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    )
    return list({line["case"]: line for line in lines}.values())


def earlier(facts: Any, command: str) -> dict[str, Any]:
    """The provenance of rows that this command measured before, by their
    `prviz.studies.kept_rows.Provenance`.
    """
    cpu, _, cores = facts.machine.rpartition(", ")
    machine = {"cores": int(cores.split()[0]), "cpu": cpu}
    return {"date": facts.date, "commit": None, "machine": machine, "command": command}


def blas_kernels() -> dict[str, str]:
    """The kernel of each loaded BLAS, such as SkylakeX, by the folder of its library: NumPy's is
    numpy.libs in a wheel.
    """
    found = ThreadpoolController().select(user_api="blas").info()
    return {
        Path(each["filepath"]).parent.name: str(each.get("architecture", each["internal_api"]))
        for each in found
    }


def numpy_kernel() -> str:
    """The kernel of NumPy's BLAS; without a wheel's own library, of the first that is loaded."""
    kernels = blas_kernels()
    return kernels.get("numpy.libs") or next(iter(kernels.values()), "unknown")


def _blas() -> str:
    """NumPy's kernel, those of other libraries where they differ, and what the environment sets:
    all of it changes the speed of matrix products.
    """
    first = numpy_kernel()
    others = [f"{kernel} in {name}" for name, kernel in blas_kernels().items() if kernel != first]
    settings = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith("OPENBLAS_")
    ]
    return ", ".join([first, *others, *settings])


def _rounded(value: Any) -> Any:
    """Four significant digits of a number."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _anywhere(argument: str) -> str:
    """A path of this machine without its folders, which no other machine has."""
    return Path(argument).name if Path(argument).is_absolute() else argument


def _commit() -> str:
    if shutil.which("git") is None:
        return "unknown"

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True
        ).stdout.strip()

    changed = git("status", "--porcelain", "--", "prviz", "pages", "app.py")
    return git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")


def _cpu() -> str:
    facts = Path("/proc/cpuinfo")
    found = (
        re.search(r"model name\s*:\s*(.+)", facts.read_text("utf-8")) if facts.exists() else None
    )
    return found[1].strip() if found else platform.processor() or platform.machine()
