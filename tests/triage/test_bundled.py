"""What every family sees of the bundled checkpoints: training that helps, truncation, collapse; and
which does not.

A registered family that is in no table of exceptions has to see everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from prviz.estimators import ESTIMATORS
from prviz.triage.measured import TriageSettings
from prviz.triage.ranking import SharedReference, together
from tests.triage_found import bundled_found

FAMILIES = tuple(ESTIMATORS)
# Where all samples take too long: so many of them. All families at 400 are no choice: kernels see
# less there.
FEWER = {"cluster": 400, "classifier-mlp": 400, "hub": 400}
STEPS = {
    "mixture-em": ("1", "5", "20"),
    "rbm-epoch": ("1", "100", "300"),
    "truncation": ("0.0", "0.4", "0.7", "1.0"),
}
# So many standard errors apart, over resamplings of the same samples for both, count as apart.
SURE = 2.0


class Sweep(NamedTuple):
    """One family along one list of checkpoints: values, and how sure their differences are."""

    steps: tuple[str, ...]
    found: SharedReference

    def change(self, weights: tuple[float, float], first: str, last: str) -> float:
        """How many standard errors the mean of the sides, so weighted, goes up from one step to
        another.
        """
        one = self.steps.index(first)
        other = self.steps.index(last)
        return self.apart(weights, one, weights, other)

    def lead(self, step: str) -> float:
        """How many standard errors the precision side is ahead of the recall side."""
        at = self.steps.index(step)
        return self.apart((0.0, 1.0), at, (1.0, 0.0), at)

    def apart(
        self, weights: tuple[float, float], one: int, others: tuple[float, float], other: int
    ) -> float:
        def difference(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values[..., other, :] @ others - values[..., one, :] @ weights

        error = difference(self.found.replicates).std(ddof=1)
        return float(difference(self.found.values) / max(error, 1e-9))

    def grows(self, weights: tuple[float, float]) -> bool:
        """Whether it goes up from the first to the last, and down nowhere, as far as the samples
        tell.
        """
        pairs = zip(self.steps, self.steps[1:], strict=False)
        return self.change(weights, self.steps[0], self.steps[-1]) > SURE and all(
            self.change(weights, *pair) > -SURE for pair in pairs
        )


AREA = (0.5, 0.5)
PRECISION = (1.0, 0.0)
RECALL = (0.0, 1.0)
Sweeps = Mapping[str, Sweep]


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, Sweep]]:
    """By family and by list of checkpoints."""
    sweeps: dict[str, dict[str, Sweep]] = {name: {} for name in FAMILIES}
    for n, (series, steps) in product({None, *FEWER.values()}, STEPS.items()):
        names = tuple(name for name in FAMILIES if FEWER.get(name) == n)
        settings = TriageSettings(names, equal_sizes=True)
        found = bundled_found([f"{series}-{step}" for step in steps], settings, n=n or 1797)
        for name in names:
            assert len(found.by(name)) == len(steps)
            sweeps[name][series] = Sweep(steps, together(found.by(name), bootstrap=20))
    return sweeps


def collapses(of: Sweeps) -> bool:
    areas = of["truncation"].found.values @ AREA
    return bool(areas[0] < areas[-1] / 10)


def trades_precision(of: Sweeps) -> bool:
    """Whether the precision side of a wider psi is surely below that of a narrower one, the
    collapse left out.
    """
    sweep = of["truncation"]
    return any(sweep.change(PRECISION, *pair) < -SURE for pair in combinations(sweep.steps[1:], 2))


# What should be seen, by what it is called in EXCEPTIONS.
CLAIMS: dict[str, Callable[[Sweeps], bool]] = {
    "area grows along EM": lambda of: of["mixture-em"].grows(AREA),
    "precision side grows along EM": lambda of: of["mixture-em"].grows(PRECISION),
    "area grows along the machine's epochs": lambda of: of["rbm-epoch"].grows(AREA),
    "machine is not less precise than diverse": lambda of: of["rbm-epoch"].lead("100") > -SURE,
    "psi = 0 is a collapse": collapses,
    "recall side grows with psi": lambda of: of["truncation"].grows(RECALL),
    "precision side falls with psi": trades_precision,
}
# Latent vectors are pulled to the mean of all digits, not of their own: pictures in between are no
# digits, and lie where generated samples are dense and real ones rare. Who compares densities sees
# less of both sides, not a trade.
_BLENDS = (
    "truncated pictures are blends like no digit: the precision side rises with psi, from 0 to"
)
_PILED = (
    "what the machine draws at epoch 100 is piled up where few digits are: precision side, recall"
    " side"
)
EXCEPTIONS: dict[str, dict[str, str]] = {
    "area grows along the machine's epochs": {"ppr": "area 0.10 at epoch 100, 0.07 at epoch 300"},
    "machine is not less precise than diverse": {
        "knn": f"{_PILED} 0.10, 0.16",
        "coverage": f"{_PILED} 0.11, 0.23",
        "eas": f"{_PILED} 0.01, 0.03",
    },
    "psi = 0 is a collapse": {
        "prc": (
            "the few balls that hold the one picture are all that counts: area 0.35, of 0.81 at"
            " psi = 1"
        ),
        "classifier": (
            "no plane parts one picture from the digits around it: area 0.11, of 0.76 at psi = 1"
        ),
    },
    "precision side falls with psi": {
        "knn": f"{_BLENDS} 0.61",
        "kde": f"{_BLENDS} 0.84",
        "ipr": f"{_BLENDS} 0.89",
        "coverage": f"{_BLENDS} 0.65",
        "eas": f"{_BLENDS} 0.45",
        "ppr": f"{_BLENDS} 0.72",
        "cluster": (
            "clusters of truncated pictures hold hardly a digit: the precision side rises with psi,"
            " to 0.98"
        ),
        "classifier-boosting": f"{_BLENDS} 0.03",
        "classifier-mlp": f"{_BLENDS} 0.87",
        "hub": f"{_BLENDS} 0.99",
        "tightest": f"{_BLENDS} 0.45",
    },
}


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_sees_it_or_is_a_known_exception(
    seen: dict[str, dict[str, Sweep]], family: str, claim: str
) -> None:
    known = EXCEPTIONS.get(claim, {}).get(family)
    told = {
        series: np.round(sweep.found.values, 3).tolist() for series, sweep in seen[family].items()
    }
    assert CLAIMS[claim](seen[family]) == (known is None), (known, told)


def test_exceptions_are_of_families_that_there_are() -> None:
    assert {family for some in EXCEPTIONS.values() for family in some} <= set(FAMILIES)
    assert set(EXCEPTIONS) <= set(CLAIMS)
