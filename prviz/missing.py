"""What is not installed, in a sentence with the command that installs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

# Modules whose packages have other names.
_PACKAGES = {"sklearn": "scikit-learn", "PIL": "pillow", "faiss": "faiss-cpu"}


def missing(error: ModuleNotFoundError, asked: str) -> str:
    """What was asked, and what it needs; a message that is a sentence already stays."""
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
    """Around imports: what is missing is said in a sentence that begins with ``asked``."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(missing(error, asked), name=error.name) from error


def installed(module: str) -> bool:
    """True if there is such a module; it is looked up, not imported."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # something keeps it out
        return False


def require(modules: Sequence[str], asked: str) -> None:
    """Raise ModuleNotFoundError, with all that is missing in one sentence, before any work is
    done.
    """
    absent = [name for name in modules if not installed(name)]
    if absent:
        raise ModuleNotFoundError(_sentence(asked, absent), name=absent[0])
