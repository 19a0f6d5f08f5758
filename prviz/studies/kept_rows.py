"""Stores rows of long runs, with their provenance, as small files that are bundled with the
package.
"""

from __future__ import annotations

import dataclasses
import datetime
import gzip
import hashlib
import io
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prviz.readers.atomic_files import write_all
from prviz.studies.tasks import COMPUTATION, Columns

if TYPE_CHECKING:
    import pandas as pd

# Largest size in bytes of a file of rows, since the package contains these files.
LARGEST = 150_000
MANIFEST = "manifest.json"
_LIBRARIES = {"prviz": "prviz", "NumPy": "numpy", "SciPy": "scipy", "scikit-learn": "scikit-learn"}


@dataclass(frozen=True)
class Provenance:
    """Origin of rows: date, versions by library, the machine in words, and the shell command with
    its duration in seconds.
    """

    date: str
    versions: Mapping[str, str]
    machine: str
    command: str
    seconds: float


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Bundled rows, and their provenance. Columns that were not stored are empty."""

    rows: pd.DataFrame
    facts: Provenance


def kept_rows(name: str, columns: Columns, place: Path) -> KeptRows | None:
    """The rows stored under a name.

    None if no rows have this name, or if another version of the computation measured them. Raises
    ValueError if the file or its entry in the manifest has changed since it was written.
    """
    import pandas as pd

    entry = _manifest(place).get(name)
    if entry is None or entry.get("computation") != COMPUTATION:
        return None
    try:
        path = place / entry["file"]
        content = path.read_bytes()
        whole = entry["sha256"] == _digest(entry, content)
    except (KeyError, OSError, ValueError):  # ValueError: the manifest names an impossible file
        whole = False
    if not whole:
        raise ValueError(
            f"{entry.get('file', name)} is not the file that {MANIFEST} lists; install prviz again"
        )
    rows = pd.read_csv(
        io.BytesIO(content),
        dtype=dict(columns),
        compression="gzip" if path.suffix == ".gz" else None,
    )
    facts = Provenance(
        **{field.name: entry[field.name] for field in dataclasses.fields(Provenance)}
    )
    return KeptRows(rows.reindex(columns=list(columns)).astype(dict(columns)), facts)


def keep_rows(
    rows: pd.DataFrame, name: str, facts: Provenance, place: Path, plain: int | None = None
) -> Path:
    """Write rows to a file, and their provenance to the manifest beside it.

    Numbers are rounded to 5 digits; empty columns are left out. A file of more than ``plain`` bytes
    (None: LARGEST) is compressed. If it is still larger than LARGEST, ValueError is raised and
    nothing is written.
    """
    filled = rows.dropna(axis="columns", how="all")
    file = f"{name}.csv"
    content = filled.to_csv(index=False, float_format="%.5g", lineterminator="\n").encode()
    if len(content) > (LARGEST if plain is None else plain):
        content = gzip.compress(content, mtime=0)
        file = f"{file}.gz"
    if len(content) > LARGEST:
        raise ValueError(f"{name}: {len(content)} bytes of rows; at most {LARGEST} are kept")
    place.mkdir(parents=True, exist_ok=True)
    path = place / file
    entry = {
        **dataclasses.asdict(facts),
        "computation": COMPUTATION,
        "file": file,
        "rows": len(rows),
    }
    entry["sha256"] = _digest(entry, content)
    manifest = dict(sorted((_manifest(place) | {name: entry}).items()))
    write_all({path: content, place / MANIFEST: (json.dumps(manifest, indent=1) + "\n").encode()})
    return path


def _digest(entry: Mapping[str, Any], content: bytes) -> str:
    """SHA-256 of a file of rows together with its manifest entry."""
    fields = {name: value for name, value in entry.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode() + b"\n" + content).hexdigest()


def this_machine() -> str:
    """Processor and number of cores of this machine, as text."""
    info = Path("/proc/cpuinfo")
    lines = []
    if info.exists():
        lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores"


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that the numbers depend on."""
    libraries = {title: version(name) for title, name in _LIBRARIES.items()}
    return {"Python": platform.python_version(), **libraries}


def today() -> str:
    """Today's date in UTC."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _manifest(place: Path) -> dict[str, dict[str, Any]]:
    path = place / MANIFEST
    try:
        found = {}
        if path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name} is damaged ({error}); install prviz again") from None
    return {name: entry for name, entry in found.items() if isinstance(entry, dict)}
