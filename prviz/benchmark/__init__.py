"""A frozen benchmark of estimators: it never changes within a version.

It has pairs of samples whose true curve is known, and scores how close an estimate comes to that
curve.

`score.py` has the pairs, runs an estimator and scores it. `shapes.py` compares points (precision,
recall) that another package returns with the true curve. `digests.json` has the digests of samples.
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
