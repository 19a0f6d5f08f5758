"""Values on the very edge of what a triage decides, each on the side where it belongs."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from prviz.checks.flags import Finding
from prviz.curves import PRCurve
from prviz.estimators import Supports
from prviz.measure.estimates import Estimate
from prviz.samples import SamplePair, Samples
from prviz.triage import result_cache
from prviz.triage.classes import _MOST_CLASSES, LEAST_OF_CLASS, _share, _texts
from prviz.triage.curve_findings import (
    FEW_EVALUATED,
    KINK_INSIDE,
    OUTLIERS,
    OUTLIERS_SHARE,
    WIDE,
    _few,
    _flat,
    mode_reweighting,
    outlier_faults,
)
from prviz.triage.finding import TriageFinding
from prviz.triage.findings import ALIKE, BY_SHARES, MOSTLY, _alike, _lost
from prviz.triage.flagged import warnings_of
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import UNEVEN, CheckpointEvaluator, SetSizes, uneven
from prviz.triage.measured import TriageSettings
from prviz.triage.memorisation import Excess, Memorisation
from prviz.triage.ranking import share_text
from prviz.triage.reported import all_numbers
from prviz.triage.result_cache import ResultCache
from prviz.triage.robustness import winner_map
from tests.ranked import rank
from tests.triage.test_comparison import measured

RNG = np.random.default_rng(0)
NOTHING = Excess(0, 0.0, 0.0, 0.0, 0.1)
SOME = Excess(9, 0.1, 0.0, 0.05, 0.2)


def fault(key: str, number: float, unit: str = "share") -> TriageFinding:
    return TriageFinding(key, key, key, number, "note", "preflight", unit)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("exact", "near", "copies"),
    [(NOTHING, NOTHING, False), (SOME, NOTHING, True), (NOTHING, SOME, True)],
)
def test_copies_are_more_than_chance(exact: Excess, near: Excess, copies: bool) -> None:
    assert Memorisation(exact, near, 0.1, (), "").memorised == copies


def test_twice_the_size_is_not_yet_uneven() -> None:
    assert UNEVEN == 2
    one = measured(Supports(np.ones(9), np.ones(9), 4))
    for most, expected in ((200, False), (201, True)):
        assert SetSizes(100, most, "").uneven == expected
        assert uneven([dataclasses.replace(one, n_real=100, n_generated=most)]) == expected
    assert not uneven([])


def test_classes_have_fifty_samples_and_are_two_hundred_at_most() -> None:
    for n, few in ((LEAST_OF_CLASS - 1, True), (LEAST_OF_CLASS, False)):
        assert _share("a", "real", np.zeros(n, bool), 9, 0.1).few == few
    samples = Samples(RNG.normal(size=(_MOST_CLASSES + 1, 1)))
    names = [f"c{place}" for place in range(samples.n)]
    assert len(set(_texts([*names[:-1], names[0]], samples, "real"))) == _MOST_CLASSES
    with pytest.raises(ValueError, match="201 different"):
        _texts(names, samples, "real")


@pytest.mark.parametrize(
    ("width", "n", "said"),
    [
        (WIDE, FEW_EVALUATED, False),
        (WIDE * 1.01, FEW_EVALUATED, True),
        (WIDE, FEW_EVALUATED - 1, True),
    ],
)
def test_few_samples_are_said_where_areas_vary_or_steps_show(
    width: float, n: int, said: bool
) -> None:
    spread: Any = SimpleNamespace(interval_of=lambda _: (0.0, width))
    found = _few(spread, n)
    assert (found is not None) == said
    if found is not None:
        assert (found.level == "warning") == (n < FEW_EVALUATED)


@pytest.mark.parametrize(
    ("generated", "sd", "said"), [(10.0, 1.0, False), (9.9, 1.0, True), (9.9, 1.1, False)]
)
def test_half_of_the_directions_are_not_yet_lost(generated: float, sd: float, said: bool) -> None:
    sides = {"real": (20.0, 1.0), "generated": (generated, sd)}
    facts: Any = SimpleNamespace(
        effective=[SimpleNamespace(value=value) for value, _ in sides.values()],
        **{role: SimpleNamespace(sd=np.array([spread])) for role, (_, spread) in sides.items()},
    )
    assert (_flat(facts) is not None) == said


@pytest.mark.parametrize(
    ("lost", "n", "said"),
    [
        (OUTLIERS, 1000, False),
        (OUTLIERS * 1.01, 1000, True),
        (OUTLIERS_SHARE * 5 / 50, 50, False),
        (OUTLIERS_SHARE * 5 / 50 + 0.01, 50, True),
    ],
)
def test_an_extreme_hangs_on_outliers_that_carry_more_than_their_share(
    lost: float, n: int, said: bool
) -> None:
    found: Any = SimpleNamespace(
        top=lambda most: list(range(most)),
        share=lost,
        share_without=lambda _: 0.0,
        rows=range(n),
        role="real",
    )
    assert bool(outlier_faults(found)) == said


@pytest.mark.parametrize(
    ("fpr", "fnr", "inside"),
    [
        ([KINK_INSIDE], [0.3], True),
        ([KINK_INSIDE - 0.001], [0.3], False),
        ([0.5 - KINK_INSIDE, 0.5], [1.5 * KINK_INSIDE, 0.0], True),
        ([0.501 - KINK_INSIDE, 0.5], [1.5 * KINK_INSIDE, 0.0], False),
    ],
)
def test_a_mode_is_re_weighted_inside_of_the_curve(
    fpr: list[float], fnr: list[float], inside: bool
) -> None:
    for curve in (PRCurve.from_error_rates(fpr, fnr), PRCurve.from_error_rates(fnr, fpr)):
        assert (mode_reweighting(curve).ratio > 1) == inside


@pytest.mark.parametrize(
    ("number", "apart", "lost"),
    [
        (0.3, BY_SHARES * 0.3, False),
        (0.3, BY_SHARES * 0.29, True),
        (MOSTLY, 0.1, False),
        (MOSTLY - 0.01, 0.1, True),
    ],
)
def test_missing_samples_explain_features_that_move_less(
    number: float, apart: float, lost: bool
) -> None:
    assert _lost((fault("dropping", number),), apart) == lost


@pytest.mark.parametrize(
    ("number", "usual", "unit", "alike"),
    [
        (ALIKE * 0.2 + 0.02, 0.2, "share", True),
        (ALIKE * 0.2 + 0.03, 0.2, "share", False),
        (1.0, 1.0, "ratio", False),
        (1.2, 1.5, "ratio", True),
        (0.8, 1.5, "ratio", False),
        (3.0, 1.5, "ratio", False),
    ],
)
def test_a_fault_as_large_as_that_of_real_samples_is_alike(
    number: float, usual: float, unit: str, alike: bool
) -> None:
    assert _alike(fault("off", number, unit), fault("off", usual, unit)) == alike
    assert not _alike(fault("off", number, unit), fault("wide", usual, unit))


def test_a_frechet_distance_needs_more_samples_than_features() -> None:
    for n, known in ((6, False), (7, True)):
        pair = SamplePair(RNG.normal(size=(n, 6)), RNG.normal(size=(n + 1, 6)))
        assert math.isfinite(all_numbers(pair, k=2)["frechet_distance"]) == known


def test_no_share_of_draws_is_said_where_none_is_known() -> None:
    assert share_text(math.nan) == "-"
    assert [share_text(each) for each in (0.01, 0.99)] == ["1 %", "99 %"]


def test_a_lead_of_just_the_noise_names_no_winner() -> None:
    import pandas as pd

    scores = {"a": (0.5, 0.75), "b": (0.25, 0.5), "c": (0.25, 0.25)}
    rows = pd.DataFrame(
        [
            {"method": "knn", "k": k, "checkpoint": name, "score": each[place]}
            for name, each in scores.items()
            for place, k in enumerate((2, 3))
        ]
    )
    assert winner_map(rows, noise=0.25).close.tolist() == [[False, False]]  # where all are, none is
    rows.loc[(rows["checkpoint"] == "a") & (rows["k"] == 3), "score"] = 1.0
    assert winner_map(rows, noise=0.25).close.tolist() == [[True, False]]
    assert winner_map(rows, noise=0.24).close.tolist() == [[False, False]]


def flag(title: str, text: str = "text") -> Finding:
    return Finding(title, "3", "warning", text)


def test_warnings_are_one_of_each_kind_with_the_checkpoints_that_they_concern() -> None:
    supports = Supports(np.ones(9), np.ones(9), 4)
    flags = {"a": [flag("x"), flag("y")], "b": [flag("x")], "c": [flag("x"), flag("y", "other")]}
    outcomes: list[Any] = [
        SimpleNamespace(
            checkpoint=SimpleNamespace(name=name),
            measured=[dataclasses.replace(measured(supports), flags=tuple(own))],
        )
        for name, own in flags.items()
    ]
    outcomes.append(SimpleNamespace(checkpoint=SimpleNamespace(name="d"), measured=()))
    found = {each.title: each.value_text for each in warnings_of(outcomes, {})}
    assert found == {"x": "3", "y": "a and 1 more: 3"}
    alone = {each.title: each.value_text for each in warnings_of(outcomes[1:2], {})}
    assert alone == {"x": "3"}
    few = {each.title: each.value_text for each in warnings_of([outcomes[0], outcomes[1]], {})}
    assert few == {"x": "3", "y": "a: 3"}


def test_results_are_found_again_by_the_digest_alone(tmp_path: Any) -> None:
    real = Samples(RNG.normal(size=(40, 3)))
    generated = Samples(RNG.normal(size=(33, 3)), groups=np.arange(33) // 3)
    settings = TriageSettings(("knn", "kde"))
    store = ResultCache(tmp_path / "kept")
    evaluator = CheckpointEvaluator(real, settings, store, 10**9)
    checkpoint = Checkpoint(tmp_path / "a.npy", "a")
    assert evaluator.kept(checkpoint, generated.digest, generated.n) == ()
    fresh = evaluator.measured(checkpoint, SamplePair(real, generated))
    again = evaluator.kept(checkpoint, generated.digest, generated.n)
    assert [each.method for each in again] == ["knn", "kde"]
    for one, other in zip(fresh, again, strict=True):
        np.testing.assert_array_equal(one.curve.vertices, other.curve.vertices)
        np.testing.assert_array_equal(one.estimate.supports.groups, other.estimate.supports.groups)
        assert (other.n_real, other.n_generated, other.k) == (40, 33, one.k)


@pytest.mark.parametrize("limit", ["_MOST_ABOUT", "_MOST_BYTES"])
def test_a_result_that_unpacks_to_more_than_any_is_none(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    store = ResultCache(tmp_path / "kept")
    key = {"method": "knn"}
    store.put(key, Estimate("knn", 1, None, (Supports(np.ones(9), np.ones(9), 4),)), 1.0)
    assert store.get(key) is not None
    monkeypatch.setattr(result_cache, limit, 10)
    assert store.get(key) is None


def test_equal_checkpoints_divide_the_draws() -> None:
    supports = Supports(np.array([0, 3, 2, 1, 0, 1]), np.array([1, 0, 2, 2, 3, 0]), 3)
    one = measured(supports)
    named = [
        dataclasses.replace(one, checkpoint=dataclasses.replace(one.checkpoint, name=name))
        for name in "ab"
    ]
    table = rank(named, bootstrap=10)
    assert table["best"].tolist() == [0.5, 0.5]
    assert table["loses"].tolist() == [0, 0]
