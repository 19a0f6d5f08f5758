"""Where the files beside the code are: the app's pages and the bundled embeddings."""

from __future__ import annotations

from pathlib import Path

__all__ = ["app_root", "data_folder"]


def app_root() -> Path:
    """The folder that holds ``app.py``, ``pages/`` and ``data/``.

    An installed package carries them in its own ``_app`` folder; in a checkout they lie beside the package.
    """
    package = Path(__file__).resolve().parent
    carried = package / "_app"
    return carried if carried.is_dir() else package.parent


def data_folder() -> Path:
    """The folder of the bundled embeddings."""
    return app_root() / "data"
