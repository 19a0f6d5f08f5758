"""The lessons in their order: each module has a TITLE, an IDEA in two or three sentences, and `show`."""

from __future__ import annotations

from types import MappingProxyType

from pages._learn import classifier, dimension, extremes, modes, one_number, overlap, painting, samples

LESSONS = MappingProxyType(
    {
        "1 Overlap": overlap,
        "2 Classifier": classifier,
        "3 Modes": modes,
        "4 Samples": samples,
        "5 Extremes": extremes,
        "6 One number": one_number,
        "7 Dimension": dimension,
        "Draw": painting,
    }
)
