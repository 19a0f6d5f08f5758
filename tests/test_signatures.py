"""Names, order and defaults of the parameters of everything public: a changed one changes numbers
of whoever calls.

`python -m tests.test_signatures` writes what is kept anew.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import prviz

KEPT = Path(__file__).with_name("signatures.txt")


def _parameters(of: Any) -> str:
    """The parameters of a function or class without their types."""
    signature = inspect.signature(of)
    bare = [
        each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
    ]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def signatures() -> Iterator[str]:
    """A line for each public function, class and method."""
    for name in prviz.__all__:
        public = getattr(prviz, name)
        if not callable(public) or (inspect.isclass(public) and issubclass(public, Exception)):
            continue
        yield f"{name}{_parameters(public)}"
        if not inspect.isclass(public):
            continue
        for method, found in sorted(vars(public).items()):
            function = found.__func__ if isinstance(found, classmethod | staticmethod) else found
            if inspect.isfunction(function) and not method.startswith("_"):
                yield f"{name}.{method}{_parameters(function)}"


def test_parameters_and_their_defaults_are_those_that_are_kept() -> None:
    assert list(signatures()) == KEPT.read_text("utf-8").splitlines()


if __name__ == "__main__":
    KEPT.write_text("\n".join(signatures()) + "\n", "utf-8")
