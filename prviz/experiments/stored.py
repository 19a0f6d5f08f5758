"""Results of the experiments at paper size, kept as small files: found at once, with where and when they were made."""

from __future__ import annotations

import dataclasses
import datetime
import gzip
import hashlib
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prviz._cells import COLUMNS
from prviz.experiments.curves import CURVE_COLUMNS
from prviz.paths import data_folder

if TYPE_CHECKING:
    import pandas as pd

    from prviz.experiments.base import Experiment

__all__ = ["LARGEST", "Facts", "Stored", "folder", "keep", "needed", "stored", "this_machine", "today", "versions"]

# Bytes of one file of rows: it travels with the package.
LARGEST = 150_000
MANIFEST = "manifest.json"
# Of a row: what it is a measurement of.
_SETTINGS = ("problem", "parameters", "d", "n", "method", "k", "split")
_LIBRARIES = {"prviz": "prviz", "NumPy": "numpy", "SciPy": "scipy", "scikit-learn": "scikit-learn"}


@dataclass(frozen=True)
class Facts:
    """How rows came about: date, versions by name, the machine in words, the shell line, and the seconds it took."""

    date: str
    versions: Mapping[str, str]
    machine: str
    command: str
    seconds: float


@dataclass(frozen=True, eq=False)
class Stored:
    """Kept rows, with the columns that the experiment needs filled and the others empty."""

    rows: pd.DataFrame
    facts: Facts


def folder() -> Path:
    """Where the kept results are."""
    return data_folder() / "experiments"


def stored(experiment: Experiment, where: Path | None = None) -> Stored | None:
    """The kept rows of this experiment; None: none are kept.

    Raises ValueError for a file that is not the one that the manifest tells of.
    """
    import pandas as pd

    place = folder() if where is None else where
    entry = _manifest(place).get(experiment.name)
    if entry is None:
        return None
    path = place / entry["file"]
    if hashlib.sha256(path.read_bytes()).hexdigest() != entry["sha256"]:
        raise ValueError(f"{path.name} is not the file that {MANIFEST} tells of")
    found = pd.read_csv(path, dtype=dict(experiment.columns))
    facts = Facts(**{field.name: entry[field.name] for field in dataclasses.fields(Facts)})
    return Stored(found.reindex(columns=list(experiment.columns)).astype(dict(experiment.columns)), facts)


def keep(experiment: Experiment, rows: pd.DataFrame, facts: Facts, where: Path | None = None) -> Path:
    """Write the rows, numbers to 5 digits, in the columns that the experiment needs, and the facts in the manifest.

    A file larger than LARGEST bytes is compressed. Raises ValueError if it still is; nothing is written then.
    """
    place = folder() if where is None else where
    filled, name = rows[needed(experiment)].dropna(axis="columns", how="all"), f"{experiment.name}.csv"
    content = filled.to_csv(index=False, float_format="%.5g", lineterminator="\n").encode()
    if len(content) > LARGEST:
        content, name = gzip.compress(content, mtime=0), f"{name}.gz"
    if len(content) > LARGEST:
        raise ValueError(f"{experiment.name}: {len(content)} bytes of rows; at most {LARGEST} are kept")
    place.mkdir(parents=True, exist_ok=True)
    path = place / name
    path.write_bytes(content)
    told = {**dataclasses.asdict(facts), "file": name, "rows": len(rows)}
    told["sha256"] = hashlib.sha256(content).hexdigest()
    manifest = dict(sorted((_manifest(place) | {experiment.name: told}).items()))
    (place / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return path


def needed(experiment: Experiment) -> list[str]:
    """The columns that its figures, words and chart are made of: the settings of a row, its numbers, its curve."""
    curve = [name for name in CURVE_COLUMNS if name not in COLUMNS]
    ends = ["alpha_inf", "beta_0"] if set(curve) <= set(experiment.columns) else []
    wanted = {*_SETTINGS, *experiment.numbers.values(), *curve, *ends}
    return [name for name in experiment.columns if name in wanted]


def this_machine() -> str:
    """Processor and cores, in words."""
    return f"{_processor()}, {os.cpu_count()} cores"


def versions() -> dict[str, str]:
    """Of Python and the libraries that decide the numbers."""
    libraries = {title: version(name) for title, name in _LIBRARIES.items()}
    return {"Python": platform.python_version(), **libraries}


def today() -> str:
    """The date, by the clock of the world."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8", errors="replace").splitlines() if told.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _manifest(place: Path) -> dict[str, Any]:
    path = place / MANIFEST
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found
