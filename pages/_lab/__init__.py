"""The sections of the bias lab in their order: each module has an IDEA in a few sentences, and
`show`.
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
