"""Every public number is the same, bit for bit, whether the inner loops are compiled or NumPy does
their work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prviz
from prviz.diagnostics.confusion_groups import OptimalClassifiers
from prviz.diagnostics.cosupport import class_shares, says_support, support_classes, supports_at
from prviz.diagnostics.influence import carries, distinct, extremes_over_k, influence, removals
from prviz.diagnostics.support_balls import support_balls
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import Estimate, estimate, mean_radius
from prviz.measure.scalars import scalars
from prviz.neighbors import engine, nearest_rows, radii_to
from prviz.samples import SamplePair
from prviz.triage.findings import findings
from prviz.triage.inputs import checkpoints_of
from prviz.triage.measured import TriageSettings
from tests.hard_pairs import make_pair
from tests.marks import exhaustive_but
from tests.neighbors.test_native import both_ways
from tests.ranked import rank
from tests.triage_files import measure_all

LEAST = engine._LEAST_MEMORY
# The others look at no distances of this engine's, or at those of FAISS besides.
NEAR = tuple(
    name for name in ESTIMATORS if not name.startswith(("classifier", "cluster", "hub", "tightest"))
)
K = 4


def bits(value: Any) -> Any:
    """What can be compared, and is equal only for the same numbers to the last bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, float):
        return value.hex()
    if is_dataclass(value):
        return [bits(getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, Mapping):
        return {key: bits(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [bits(each) for each in value]
    return value


def measured(
    pair: SamplePair, split: float | None, methods: Iterable[str] = NEAR
) -> Mapping[str, Estimate]:
    return estimate(pair, list(methods), k=K, split=split, memory_limit=LEAST)


def curves(pair: SamplePair, split: float | None) -> Any:
    found = {
        name: (each.runs, each.curve, each.band) for name, each in measured(pair, split).items()
    }
    single = [
        prviz.pr_curve(*pair, method=name, k=1, split=split, memory_limit=LEAST)
        for name in ("knn", "ppr")
    ]
    return (
        found,
        single,
        mean_radius(pair, k=K, split=split),
        estimate(pair, "kde", bandwidth=2.0, split=split),
    )


def profiles(pair: SamplePair, split: float | None) -> Any:
    return prviz.profile(
        *pair, NEAR, ks=(1, 2, K, 7), bandwidths=None, split=split, memory_limit=LEAST
    )


def published(pair: SamplePair, split: float | None) -> Any:
    """The scalars, which know of no split: of all samples, or of those to evaluate."""
    pair = pair.split(split).evaluate
    rows = np.arange(5)
    return (
        [scalars(*pair, k=K, ball=ball, prc_k=2, ppr_k=3) for ball in ("closed", "open")],
        [score(*pair, k=K) for score in (prviz.realism, prviz.rarity)],
        radii_to(pair.generated.values, pair.real.values, K),
        nearest_rows(pair.generated.values, rows, K, pair.real.values),
    )


def confusion(pair: SamplePair, split: float | None) -> Any:
    found = {
        name: OptimalClassifiers.from_supports(each.supports)
        for name, each in measured(pair, split).items()
    }
    return {
        name: (each, [each.groups(lam) for lam in (0.0, 0.5, 1.0, 3.0, np.inf)])
        for name, each in found.items()
    }


def influences(pair: SamplePair, split: float | None) -> Any:
    options = {"split": split, "memory_limit": LEAST}
    found = [
        influence(pair, name, role=role, k=K, **options)
        for name in NEAR
        if carries(name)
        for role in ("real", "generated")
    ]
    return found, [removals(pair, each, (1,), **options) for each in found]


def ends(pair: SamplePair, split: float | None) -> Any:
    options = {"split": split, "memory_limit": LEAST}
    return extremes_over_k(pair, NEAR, (2, K), **options), distinct(pair, NEAR, k=K, **options)


def cosupports(pair: SamplePair, split: float | None) -> Any:
    drawn = pair.split(split)
    names = [name for name in NEAR if says_support(name) == "everywhere"]
    there = supports_at(
        drawn,
        np.concatenate([side.values[:9] for side in pair]) + 0.5,
        names,
        k=K,
        memory_limit=LEAST,
    )
    found = measured(pair, split)
    return (
        there,
        {name: support_classes(*each) for name, each in there.items()},
        {name: class_shares(each.supports) for name, each in found.items()},
        [support_balls(drawn, name, k=K, radii=each.bandwidth) for name, each in found.items()],
    )


def resampled(pair: SamplePair, split: float | None) -> Any:
    spreads = {name: prviz.bootstrap(each, 3) for name, each in measured(pair, split).items()}
    paired = prviz.compare(
        *pair, pair.generated.values[::-1] / 2, "ppr", k=K, split=split, replicates=3
    )
    return {
        name: (each.intervals, each.band(7)) for name, each in spreads.items()
    }, paired.differences


NUMBERS = (curves, profiles, published, confusion, influences, ends, cosupports, resampled)
# Products and many comparisons re-done, distances by coordinates, duplicates that are merged;
# several blocks and tiles.
PAIRS = {
    "products, split": ("near ties", 10, 40, 33, 0.5),
    "products": ("near ties", 10, 40, 33, None),
    "coordinates, split": ("ternary", 3, 33, 40, 0.5),
    "merged": ("duplicates", 9, 40, 33, None),
    "blocks, split": ("continuous", 12, 530, 270, 0.5),
    "blocks": ("continuous", 12, 530, 270, None),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("case", exhaustive_but(PAIRS, "merged", "blocks, split"))
def test_numbers_are_the_same_without_the_library(
    case: str, numbers: Callable[[SamplePair, float | None], Any]
) -> None:
    kind, d, n_real, n_generated, split = PAIRS[case]
    pair = make_pair(kind, d, n_real, n_generated)
    one, other = both_ways(lambda: bits(numbers(pair, split)))
    assert one == other


@pytest.mark.exhaustive
@pytest.mark.parametrize("split", exhaustive_but([0.5, None], 0.5))
def test_curves_of_all_other_families_are_the_same_without_the_library(split: float | None) -> None:
    pair = make_pair("continuous", 9, 60, 50)
    others = [
        name
        for name, each in ESTIMATORS.items()
        if name not in NEAR and (split or not each.needs_split)
    ]
    one, other = both_ways(lambda: bits(measured(pair, split, others)))
    assert len(one) == len(others) > 1
    assert one == other


@pytest.mark.exhaustive
def test_a_triage_is_the_same_without_the_library(tmp_path: Path) -> None:
    reference = make_pair("continuous", 9, 50, 40).real
    for kind in ("duplicates", "near ties", "ternary"):
        np.save(tmp_path / f"{kind}.npy", make_pair(kind, 9, 40, 45).generated.values)

    def triage() -> Any:
        settings = TriageSettings(NEAR, k=K, equal_sizes=True)
        found = list(measure_all(reference, checkpoints_of(tmp_path), settings, memory_limit=LEAST))
        pairs = [SamplePair(reference, np.load(each.checkpoint.path)) for each in found]
        return (
            [
                [(each.method, each.estimate.runs, each.summaries) for each in one.measured]
                for one in found
            ],
            [
                rank([one.measured[place] for one in found], bootstrap=3).to_dict()
                for place in range(len(NEAR))
            ],
            [findings(pair, estimate(pair, "ipr", k=K)["ipr"], replicates=3) for pair in pairs],
        )

    one, other = both_ways(lambda: bits(triage()))
    assert one == other
    assert [len(each) for each in one] == [3, len(NEAR), 3]
