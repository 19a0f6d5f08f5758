"""The sections of the Bias lab page, in order. A section is a module with a text IDEA and a
function `draw`.
"""

from __future__ import annotations

from types import MappingProxyType

from pages._lab import battery, errata, experiments, surrogate, sweep

SECTIONS = MappingProxyType(
    {
        "Experiments": experiments,
        "Data like yours": surrogate,
        "Sanity battery": battery,
        "Sweep": sweep,
        "Errata": errata,
    }
)
