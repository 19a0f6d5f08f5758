"""Imports of the pages' modules, one thread at a time: two that import in another order can meet
half a module.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading

_lock = threading.Lock()
_imported: set[str] = set()


def import_folder(name: str) -> None:
    """Import all modules of a folder of pages, such as "pages._triage"; at once where that has been
    done.
    """
    if name in _imported:
        return
    with _lock:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__, f"{name}."):
            importlib.import_module(module.name)
        _imported.add(name)
