"""Paths of the files beside the code: the app's pages and the bundled embeddings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

PathLike: TypeAlias = str | os.PathLike[str]

# Environment variable that names the folder whose embeddings and pictures the app may open; `prviz
# app --data` sets it.
PICTURES_VARIABLE = "PRVIZ_DATA"


def app_root() -> Path:
    """The folder that holds ``app.py``, ``pages/`` and ``data/``.

    In an installed package that is its own ``_app`` folder, in a checkout the folder of the
    package.
    """
    package = Path(__file__).resolve().parents[1]
    carried = package / "_app"
    if carried.is_dir():
        return carried
    return package.parent


def data_folder() -> Path:
    """The folder of the bundled embeddings."""
    return app_root() / "data"


def served_folder() -> Path | None:
    """Folder that the app was started with; None if the app opens only its own files on this
    computer.
    """
    named = os.environ.get(PICTURES_VARIABLE)
    if named:
        return Path(named)
    return None


def leads_nowhere(path: Path) -> bool:
    """True for a link to a missing file; False for links in a circle."""
    try:
        path.stat()
    except FileNotFoundError:
        return path.is_symlink()
    except OSError:
        return False
    return False
