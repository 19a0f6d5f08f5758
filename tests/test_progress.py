"""What is told of progress: it begins at 0 or later, never goes back, and ends at 1 or before the
last part.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from subprocess import PIPE
from typing import Any

import numpy as np
import pytest

import prviz
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import estimate_repeated
from prviz.measure.scalars import numbers_of_sets
from prviz.samples import SamplePair
from prviz.triage.findings import findings
from prviz.uncertainty.bootstrap import replicated
from prviz.uncertainty.paired import compare_estimates

PAIR = SamplePair.of(*np.random.default_rng(0).normal(size=(2, 90, 3)))
FAMILIES = [name for name in ESTIMATORS if not name.startswith("classifier-")]
ONE = prviz.estimate(PAIR.real, PAIR.generated, ["knn"], k=3)["knn"]
# Functions that take `progress`.
CALLS: dict[str, Callable[..., Any]] = {
    "estimate": partial(prviz.estimate, *PAIR, FAMILIES, k=3),
    "estimate without split": partial(
        prviz.estimate, *PAIR, ["knn", "hub", "ppr"], k=3, split=None
    ),
    "profile": partial(prviz.profile, *PAIR, ["knn", "kde", "ppr"], ks=[1, 3]),
    "repeats": partial(estimate_repeated, lambda _: PAIR, "knn", repeats=3),
    "scalars": partial(prviz.scalars, *PAIR, k=3),
    "scalars in open balls": partial(prviz.scalars, *PAIR, k=3, ball="open"),
    "witness": partial(prviz.witness, *PAIR),
    "kid": partial(prviz.kid, *PAIR),
    "kid of subsets": partial(prviz.kid, *PAIR, subsets=3, subset_size=20),
    "numbers": partial(numbers_of_sets, PAIR, 3),
    "replicates": lambda progress: list(replicated([ONE.runs], 5, 0, progress)),
    "compared": lambda progress: compare_estimates(ONE, ONE, 5, 0, 0.9, progress),
    "findings": partial(findings, PAIR, ONE, replicates=5),
    "approximate": partial(prviz.approximate, *PAIR, ["knn"], k=3),
}

# Replicates are told of before each of them.
LAST = {"replicates": 0.8, "compared": 0.8}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CALLS)
def test_progress_grows_to_one(name: str) -> None:
    told: list[float] = []
    CALLS[name](progress=told.append)
    assert told
    assert min(told) >= 0
    assert all(np.diff(told) >= -1e-12)
    assert told[-1] == pytest.approx(LAST.get(name, 1.0))


LONG = """
import sys
import numpy as np, prviz
real, generated = np.random.default_rng(0).normal(size=(2, 20_000, 256)).astype(np.float32)
prviz.{name}(real, generated, progress=lambda share: print(share, flush=True))
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("name", ["scalars", "witness"])
def test_control_c_ends_a_long_call(name: str) -> None:
    line = [sys.executable, "-c", LONG.format(name=name)]
    with subprocess.Popen(line, stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stdout is not None
        assert float(process.stdout.readline()) < 0.5
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode != 0
