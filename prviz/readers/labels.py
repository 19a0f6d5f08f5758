"""Label columns of tables, recognised by their names: they describe a sample and are no features."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LABEL_BYTES", "is_label", "label_array", "label_bytes", "label_names", "parsed"]

# Least bytes that one label of one sample counts towards the memory limit.
LABEL_BYTES = 64
# Names that pandas gives to an index without a name.
_INDEX = ("", "Unnamed: 0", "__index_level_0__")
_NAMES = frozenset(
    {
        "id",
        "ids",
        "idx",
        "index",
        "uid",
        "uuid",
        "label",
        "labels",
        "class",
        "classes",
        "target",
        "targets",
        "category",
        "split",
        "fold",
        "subset",
        "partition",
        "path",
        "paths",
        "file",
        "files",
        "filename",
        "file_name",
        "filepath",
        "file_path",
        "image",
        "images",
        "img",
        "text",
        "caption",
        "prompt",
        "url",
        "name",
        "names",
    }
)
_ENDINGS = ("_id", "_idx", "_index", "_label", "_class", "_name", "_path", "_file", "_split")


def is_label(name: str) -> bool:
    """True if a column of this name is an id, a label or a split rather than a feature."""
    if name.strip() in _INDEX:
        return True
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    return plain in _NAMES or plain.endswith(_ENDINGS)


def label_names(names: Sequence[str]) -> list[str]:
    """Names of the labels: ``index`` for pandas' unnamed index, repeated ones numbered (``label (2)``)."""
    result: dict[str, None] = {}
    numbers: Counter[str] = Counter()
    for name in names:
        base = candidate = "index" if name.strip() in _INDEX else name.strip()
        while candidate in result:
            numbers[base] += 1
            candidate = f"{base} ({numbers[base] + 1})"
        result[candidate] = None
    return list(result)


def parsed(texts: Sequence[str]) -> Sequence[str | int]:
    """Texts as integers if all are plainly written integers (``"007"`` is a text), else unchanged."""
    if not all(text.removeprefix("-").isdecimal() and len(text) < 18 for text in texts):
        return texts
    numbers = [int(text) for text in texts]
    return numbers if all(str(number) == text for number, text in zip(numbers, texts, strict=True)) else texts


def label_bytes(text: str) -> int:
    """Bytes that one text counts towards the memory limit."""
    return max(LABEL_BYTES, sys.getsizeof(text))


def label_array(values: Sequence[Any]) -> NDArray[Any]:
    """One label per sample: integers, floats, or texts, whole however long (missing: "")."""
    kinds = {type(value) for value in values}
    if kinds <= {int, bool} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    if kinds <= {float}:
        return np.array(values, dtype=np.float64)
    texts = ["" if value is None else str(value) for value in values]
    # Fixed-width text (four bytes a character) only where that takes about as much memory: one long label would widen
    # all others.
    padded = 4 * len(texts) * max(map(len, texts), default=0)
    return np.array(texts, dtype=str if padded <= 2 * sum(map(label_bytes, texts)) else object)
