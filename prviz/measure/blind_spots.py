"""The blind spots of the reported scalars: what each of them can't see, in one line.
`tests/measure/test_reported_numbers.py` has an example of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# : For each scalar, by its name in `prviz.scalars`: the failure of a generator that it can't see.
BLIND_SPOTS: Mapping[str, str] = MappingProxyType(
    {
        "precision": "modes that are missing: a single good mode scores 1",
        "recall": "bad samples between good ones, and that one far sample's ball covers all",
        "density": "modes that are missing; many samples in one dense spot score above 1",
        "coverage": "bad samples: half of them may be noise",
        "frechet_distance": (
            "shape beyond mean and covariance, and whether quality or diversity is lost"
        ),
        "kid": "shape beyond the third moments, and whether quality or diversity is lost",
        "clipped_density": "modes that are missing",
        "clipped_coverage": "why it is low: noise among good samples looks like missing modes",
        "vendi_real": "quality: it looks at one set alone",
        "vendi_generated": "quality: noise can be more diverse than data",
        "rke_real": "quality: it looks at one set alone",
        "rke_generated": "quality: noise can be more diverse than data",
        "class_score": "diversity inside a class, and classes that are real more often than others",
    }
)

_TITLES = {
    "frechet_distance": "Fréchet distance",
    "kid": "KID",
    "vendi_real": "Vendi of real",
    "vendi_generated": "Vendi",
    "rke_real": "RKE of real",
    "rke_generated": "RKE",
}


def number_title(name: str) -> str:
    """Name of a scalar as it is written in texts, such as "Vendi of real"."""
    return _TITLES.get(name, name.replace("_", " "))
