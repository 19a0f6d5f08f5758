"""Messages on packages that are not installed, with the command that installs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

# Module -> the package to install, where the names differ.
_PACKAGES = {"sklearn": "scikit-learn", "PIL": "pillow", "faiss": "faiss-cpu"}


def missing(error: ModuleNotFoundError, asked: str) -> str:
    """The message for an import error: what ``asked`` needs, and how to install it.

    A message that is a sentence already is returned unchanged.
    """
    if not error.name or not str(error).startswith("No module named"):
        return str(error)
    return _sentence(asked, [error.name.partition(".")[0]])


def _sentence(asked: str, modules: Sequence[str]) -> str:
    packages = [_PACKAGES.get(name, name) for name in modules]
    verb = "is" if len(packages) == 1 else "are"
    return (
        f"{asked} needs {' and '.join(packages)}, which {verb} not installed: pip install"
        f" {' '.join(packages)}"
    )


@contextmanager
def needed_for(asked: str) -> Iterator[None]:
    """Context for imports: if a module is missing, the error says that ``asked`` needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(missing(error, asked), name=error.name) from error


def installed(module: str) -> bool:
    """True if the module can be found; it is not imported."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # the module or its package is blocked or broken
        return False


def require(modules: Sequence[str], asked: str) -> None:
    """Raise ModuleNotFoundError that names all missing modules, before any work is done."""
    absent = [name for name in modules if not installed(name)]
    if absent:
        raise ModuleNotFoundError(_sentence(asked, absent), name=absent[0])
