"""One sample that is embedded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["pictures", "texts"]


@dataclass(frozen=True)
class SourceItem:
    """One sample: its path or row, its label, its text, and what changes when its contents do."""

    path: str
    label: str = ""
    text: str = ""
    version: str = ""
