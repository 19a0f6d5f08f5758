"""What is not installed, in a sentence with the command that installs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# Modules whose packages have other names.
_PACKAGES = {"sklearn": "scikit-learn", "PIL": "pillow", "faiss": "faiss-cpu"}


def missing(error: ModuleNotFoundError, asked: str) -> str:
    """What was asked, and what it needs; a message that is a sentence already stays."""
    if not error.name or not str(error).startswith("No module named"):
        return str(error)
    module = error.name.partition(".")[0]
    package = _PACKAGES.get(module, module)
    return f"{asked} needs {package}, which is not installed: pip install {package}"


@contextmanager
def needed_for(asked: str) -> Iterator[None]:
    """Around imports: what is missing is said in a sentence that begins with ``asked``."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(missing(error, asked), name=error.name) from error
