"""Imports the modules of pages in one thread at a time. Two threads that import the same modules in
different orders could see modules that are only half initialised.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading

_lock = threading.Lock()
_imported: set[str] = set()


def import_folder(name: str) -> None:
    """Import all modules in a folder of pages, such as "pages._triage"; does nothing the second
    time.
    """
    if name in _imported:
        return
    with _lock:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__, f"{name}."):
            importlib.import_module(module.name)
        _imported.add(name)
