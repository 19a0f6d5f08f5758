"""The lessons in their order: each module has a TITLE, an IDEA in two or three sentences, and `show`."""

from __future__ import annotations

from types import MappingProxyType

from pages._lessons import classifier, modes, overlap, painting

LESSONS = MappingProxyType(
    {
        "1 Overlap": overlap,
        "2 Classifier": classifier,
        "3 Modes": modes,
        "Draw": painting,
    }
)
