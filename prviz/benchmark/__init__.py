"""A frozen benchmark of estimators.

Pairs of samples whose true curve is known, and how near an estimate comes to it.

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
