"""A frozen benchmark of estimators: it never changes within a version.

It has pairs of samples whose true curve is known, and scores how close an estimate comes to that
curve.

`pairs.py` has the pairs and their digests, `shapes.py` compares points that another package gives
with the true curve, `score.py` runs an estimator and scores it.
"""

from prviz.benchmark.score import (
    DRAWS,
    PAIRS,
    SETTINGS,
    VERSION,
    BenchmarkPair,
    Contestant,
    benchmark,
    of_family,
    plugin,
    summary,
)

__all__ = [
    "DRAWS",
    "PAIRS",
    "SETTINGS",
    "VERSION",
    "BenchmarkPair",
    "Contestant",
    "benchmark",
    "of_family",
    "plugin",
    "summary",
]
