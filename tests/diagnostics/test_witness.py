"""The witness: planted columns are named, with sentences that hold, and nothing is where there is
nothing.
"""

from __future__ import annotations

import json
import math
import sys
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import prviz
from prviz.diagnostics import column_tests as tests_module, witness as module
from prviz.diagnostics.column_tests import (
    ColumnCounts,
    ColumnTests,
    column_tests,
    constant_in_one,
    known_tests,
)
from prviz.diagnostics.named_columns import (
    NamedColumns,
    best_cut,
    number_text,
    round_number,
    share_text,
)
from prviz.diagnostics.witness import (
    DRAWN,
    GROUPS,
    WITHOUT_TREES,
    Witness,
    leaving_out,
    with_areas,
)
from prviz.estimators import learners
from prviz.estimators.tightest import FEWEST
from prviz.measure.workload import subsample_rows
from prviz.recent import LeastRecentlyUsed
from prviz.samples import SamplePair, Samples
from prviz.triage.column_faults import differing

N = 600


def drawn(seed: int, n: int = N, d: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def shifted() -> np.ndarray:
    """Generated samples of which one column gives them away."""
    generated = drawn(1)
    generated[:, 2] += 1
    return generated


def quick(real: Any, generated: Any, **options: Any) -> Witness:
    """Without the areas."""
    return prviz.witness(real, generated, without=False, **options)


def share_of(named: NamedColumns, values: np.ndarray) -> float:
    """The share of values that the sentence speaks of, counted anew by its ends."""
    column = values[:, named.columns[0]]
    low = named.low
    high = named.high
    if low is not None and low == high:
        return float((column == low).mean())
    outside = np.zeros(len(column), bool)
    if low is not None:
        outside |= column < low
    if high is not None:
        outside |= column >= high if low is None else column > high
    share = float(outside.mean())
    return 1 - share if "from" in named.sentence else share


def test_the_tests_of_a_column_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    real = rng.normal(size=(50, 3))
    generated = rng.normal(0.5, 1.0, size=(70, 3))
    real[:, 1] = rng.poisson(0.4, 50)
    generated[:, 1] = rng.poisson(1.0, 70)
    real[:, 2] = rng.normal(size=50)
    generated[:, 2] = rng.normal(size=70) * 3
    expected = []
    for place in range(3):
        one = real[:, place]
        other = generated[:, place]
        pooled = np.sort(np.concatenate([one, other]))
        middle = pooled[(len(pooled) - 1) // 2]
        least = []
        for sides in ((one, other), (abs(one - middle), abs(other - middle))):
            step = stats.ks_2samp(*sides, method="asymp").statistic
            least.append(10 / 3 * stats.kstwobign.sf(step * np.sqrt(50 * 70 / 120)))
        values = stats.mode(pooled).mode, pooled[0], pooled[-1]
        for value, weight in zip(values, (10 / 3, 20, 20), strict=True):
            count = int((pooled == value).sum())
            if count >= 8:
                with_value = int((one == value).sum())
                law = stats.hypergeom(120, count, 50)
                least.append(weight * 2 * min(law.cdf(with_value), law.sf(with_value - 1)))
        expected.append(min(1.0, *least))
    assert column_tests(real, generated).p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("narrow", ["f4", "f8"])
@pytest.mark.parametrize("kind", ["continuous", "rounded", "mostly zero", "constant"])
def test_all_columns_at_once_are_counted_as_one_by_one(kind: str, narrow: str) -> None:
    rng = np.random.default_rng(0)
    for n, m in ((1, 1), (2, 31), (40, 33)):
        sets = [rng.normal(size=(size, 6)).astype(narrow) for size in (n, m)]
        if kind == "rounded":
            sets = [np.round(each) for each in sets]
        if kind == "mostly zero":
            sets = [np.maximum(each, -0.0) for each in sets]
        if kind == "constant":
            for each in sets:
                each[:, ::2] = 7
        steps, shares = tests_module._steps_and_shares(np.concatenate(sets).T, n)
        for place in range(6):
            column = ColumnCounts.of(*(each[:, place] for each in sets))
            at = [column.commonest, 0, -1]
            found = column.largest_step(), column.folded().largest_step()
            counts = np.stack([column.real[at], column.generated[at]], axis=1)
            if len(column.values) == 1:
                counts[0] = 0
            assert tuple(steps[:, place]) == found
            np.testing.assert_array_equal(shares[:, :, place], counts)


def test_a_rare_value_at_an_end_of_counts_gives_them_away() -> None:
    real, generated = np.random.default_rng(0).integers(1, 6, (2, 400, 4)).astype(float)
    assert quick(real, generated).differing == ()
    for role, code in ((real, -9), (generated, 99)):
        kept = role[:20, 2].copy()
        role[:20, 2] = code
        found = quick(real, generated)
        assert found.differing == (2,)
        share = "0 % generated, 5 % real" if role is real else "5 % generated, 0 % real"
        assert share in found.text
        role[:20, 2] = kept


def test_columns_of_a_checkpoint_are_tested_once_for_its_witness_and_its_findings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = list[int]()

    def counted(real: np.ndarray, generated: np.ndarray) -> ColumnTests:
        calls.append(len(real))
        return column_tests(real, generated)

    monkeypatch.setattr(tests_module, "column_tests", counted)
    monkeypatch.setattr(tests_module, "_KNOWN", LeastRecentlyUsed(2))
    groups = np.arange(60) // 2
    real = drawn(0, 60)
    generated = drawn(1, 60)
    generated[:, 2] += 3
    one, again = (
        SamplePair(Samples(real, groups=groups), Samples(generated, groups=groups))
        for _ in range(2)
    )
    seen = prviz.witness(one, without=False).differing
    assert differing(again).columns == seen == (2,)
    assert calls == [30]
    for n in (50, 40, 50, 60):  # two are known at a time
        known_tests(SamplePair(real[:n], generated[:n]))
    assert calls == [30, 50, 40, 60]


def test_columns_constant_in_one_set_are_told_from_chance_of_all_that_could_be() -> None:
    n = 40
    m = 50
    rng = np.random.default_rng(0)
    rare = rng.integers(0, 30, (2, 60))
    rare[0, :20] = 0
    rare[1, 20:30] = 0
    expected = []
    for side, (size, other) in enumerate(((n, m), (m, n))):
        both = rare.sum(axis=0)
        chance = stats.hypergeom(n + m, both, size).pmf(0) * (both > 0) * (both <= other)
        expected += [
            place
            for place in np.flatnonzero((rare[side] == 0) & (both > 0))
            if chance[both >= both[place]].sum() <= 0.0025
        ]
    found = constant_in_one(n - rare[0], m - rare[1], n, m)
    assert found.tolist() == sorted(expected)
    assert 0 < len(found) < 30


@pytest.mark.one_in(3)
@pytest.mark.parametrize("fault", ["shifted", "spread", "clipped", "dead", "negative"])
def test_a_planted_column_is_named_and_its_sentence_holds(fault: str) -> None:
    real = np.abs(drawn(0)) + 0.1
    generated = np.abs(drawn(1)) + 0.1
    column = generated[:, 4]
    generated[:, 4] = {
        "shifted": column + 0.3,
        "spread": 0.9 + 1.7 * (column - 0.9),
        "clipped": np.clip(column, *np.quantile(column, (0.08, 0.92))),
        "dead": np.full(N, 0.5),
        "negative": np.where(np.arange(N) % 8 == 0, -column, column),
    }[fault]
    found = quick(real, generated)
    (named,) = found.named
    assert named.columns == (4,)
    assert named.name == "feature 5"
    shares = [share_text(share_of(named, side)) for side in (generated, real)]
    assert f"{shares[0]} generated, {shares[1]} real" in named.sentence
    assert sum(named.histogram.real) == sum(named.histogram.generated) == N
    assert found.told_apart
    assert not found.whole
    if fault == "negative":
        assert named.sentence.startswith("below 0: ")
        assert "0 % real" in named.sentence
    if fault == "dead":
        assert named.sentence.startswith("exactly 0.5: 100 % generated, 0 % real")


def test_nothing_is_named_of_two_sets_that_are_alike() -> None:
    found = quick(drawn(0), drawn(1))
    assert found.named == ()
    assert not found.told_apart
    assert found.text == "no feature tells the sets apart"
    assert found.most_generated == found.most_missing == ()


@pytest.mark.exhaustive
def test_the_result_is_the_same_again_and_goes_into_json() -> None:
    generated = shifted()
    one, two = (quick(drawn(0), generated, seed=3) for _ in range(2))
    assert one == two
    entry = json.loads(json.dumps(one.entry(), allow_nan=False))
    assert entry["named"][0]["columns"] == [2]
    assert entry["statements"] == list(one.statements)
    assert one.area is one.area_without is None
    # those most surely generated are where none are real
    assert (generated[list(one.most_generated), 2] > 1).all()
    assert (drawn(0)[list(one.most_missing), 2] < 0).all()


def estimates_of(area: float) -> dict[str, SimpleNamespace]:
    return {"tightest": SimpleNamespace(curve=SimpleNamespace(auc=area))}


@pytest.mark.exhaustive
def test_the_area_is_that_of_the_curve_to_believe_of_all_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = drawn(0, 200, 3)
    generated = drawn(1, 200, 3)
    generated[:, 1] = np.abs(generated[:, 1])
    generated[::3, 1] *= -1
    real[:, 1] = np.abs(real[:, 1])
    pair = SamplePair(real, generated)
    measured = prviz.witness(pair)
    area = prviz.pr_curve(real, generated, "tightest").auc
    assert measured.area == area
    with monkeypatch.context() as patched:
        patched.setattr(module, "estimate", lambda *_, **__: estimates_of(0))
        known = with_areas(replace(measured, area=None), pair, area=area)
    assert known.area == area  # not measured again
    assert [each.area for each in known.remedies] == [0, 0]
    left = prviz.pr_curve(real[:, [0, 2]], generated[:, [0, 2]], "tightest").auc
    assert measured.area_without == left
    _, remedy = measured.remedies
    clipped = prviz.pr_curve(real, np.maximum(generated, [-np.inf, 0, -np.inf]), "tightest").auc
    assert (remedy.words, remedy.area) == ("values below 0 set to 0", clipped)
    said = f"area {area:.2f}; without this one: {left:.2f}; values below 0 set to 0: {clipped:.2f}"
    assert measured.statements[-1] in (said, f"{said}, which does not help")
    first = {"words": "without this one", "area": left}
    assert measured.entry()["remedies"] == [first, {"words": remedy.words, "area": clipped}]


@pytest.mark.exhaustive
def test_areas_of_many_samples_are_of_as_many_of_each_set_with_remedies_and_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "AREA_SAMPLES", FEWEST)
    measured = list[SamplePair]()

    def estimate(pair: SamplePair, *_: object, **__: object) -> dict[str, SimpleNamespace]:
        measured.append(pair)
        return estimates_of(len(measured) / 4)

    monkeypatch.setattr(module, "estimate", estimate)
    real = drawn(0, FEWEST + 50, 3)
    generated = drawn(1, FEWEST, 3)
    real[:, 1] = np.abs(real[:, 1])
    pair = SamplePair(real, generated)
    found = with_areas(prviz.witness(pair, without=False), pair, area=0.9)
    rows = subsample_rows(len(real), FEWEST, 0)
    whole, left, clipped = (
        measured  # what is known of all samples is not compared with areas of fewer
    )
    assert np.array_equal(whole.real.values, real[rows])
    assert np.array_equal(left.real.values, real[np.ix_(rows, [0, 2])])
    assert np.array_equal(clipped.real.values, real[rows])
    assert clipped.generated.values[:, 1].min() >= 0 > generated[:, 1].min()
    assert found.area_samples == found.entry()["area_samples"] == FEWEST
    assert found.statements[-1].startswith(
        f"area 0.25, of at most {FEWEST} samples of each set; without this one: 0.50; values"
        " below 0"
    )


@pytest.mark.exhaustive
def test_columns_of_one_name_are_named_together() -> None:
    features = ["mean a", "mean b", "mean c", "a error", "b error", "c error"]
    generated = drawn(1)
    generated[:, 3:] += 1
    found = quick(*(Samples(each, features=features) for each in (drawn(0), generated)))
    (named,) = found.named
    assert named.name == "3 features “… error”"
    assert sorted(named.columns) == [3, 4, 5]
    assert named.sentence.split(" error ")[0] in "abc"
    assert found.text.startswith(named.name)


@pytest.mark.exhaustive
def test_pixels_of_blank_paper_are_named_together() -> None:
    rng = np.random.default_rng(0)
    sides = rng.integers(1, 200, (2, N, 6, 6)).astype(np.uint8)
    sides[0, :, :, 0] = 0
    sides[1, :, :, 0] = rng.random((N, 6)) < 0.3
    pictures = [Samples(each.reshape(N, 36).astype(float), images=each) for each in sides]
    (named,) = quick(*pictures).named
    assert sorted(named.columns) == [0, 6, 12, 18, 24, 30]
    assert named.name == "6 pixels"
    blank = share_text(float((sides[1][:, :, 0] == 0).all(axis=1).mean()))
    assert named.sentence == f"all exactly 0: {blank} generated, 100 % real"


@pytest.mark.exhaustive
def test_columns_that_move_together_are_one_name() -> None:
    rng = np.random.default_rng(0)
    sides = []
    for seed, shift in enumerate((0.0, 1.0)):
        alike = rng.normal(shift, 1, (N, 1)) + 0.05 * rng.normal(size=(N, 3))
        sides.append(np.hstack([drawn(seed), alike]))
    (named,) = quick(*sides).named
    assert sorted(named.columns) == [6, 7, 8]
    assert named.name.endswith("and 2 features that move with it")


@pytest.mark.exhaustive
def test_a_lost_dependence_is_named_by_its_correlation() -> None:
    real = drawn(0, 2_000, 3)
    generated = drawn(1, 2_000, 3)
    real[:, 1] = 0.9 * real[:, 0] + np.sqrt(1 - 0.81) * real[:, 1]
    found = quick(real, generated)
    assert found.differing == ()
    assert found.p_apart is not None
    assert found.p_apart < 0.01
    assert {each.columns for each in found.named} == {(0,), (1,)}
    assert all(not each.alone for each in found.named)
    assert any(
        "correlation with feature 2: " in each.sentence and "0.90 real" in each.sentence
        for each in found.named
    )


def test_repeated_rows_are_called_that_and_accuse_no_column() -> None:
    generated = drawn(1)
    generated[:240] = generated[0]
    found = quick(drawn(0), generated)
    assert found.rows == "40 % of the generated rows repeat an earlier one, 0 % of the real ones"
    assert found.named == ()
    assert found.text == found.rows


@pytest.mark.parametrize(
    "sides",
    [
        [np.repeat(drawn(seed, 200), 3, axis=0) for seed in (0, 1)],
        np.random.default_rng(0).integers(0, 3, (2, N, 3)),
    ],
    ids=["copies", "few values"],
)
def test_rows_that_repeat_alike_in_both_sets_say_nothing(sides: Sequence[np.ndarray]) -> None:
    found = quick(*sides)
    assert (found.rows, found.named) == ("", ())


@pytest.mark.parametrize(
    ("words", "real", "generated"),
    [
        ("no whole numbers", np.round(4 * drawn(0)), 4 * drawn(1)),
        (
            "rows of length 1",
            drawn(0) / np.linalg.norm(drawn(0), axis=1, keepdims=True),
            drawn(1) / 2.4,
        ),
        ("values below 0", np.abs(drawn(0)), drawn(1)),
    ],
)
def test_what_whole_rows_are_is_said_first(
    words: str, real: np.ndarray, generated: np.ndarray
) -> None:
    assert words in quick(real, generated).text.split(";")[0]


def test_most_columns_mean_whole_rows_or_scale() -> None:
    found = quick(drawn(0), 2 * drawn(1))
    assert found.whole
    assert found.text.startswith("6 of 6 features differ: whole rows or their scale; ")


def test_samples_of_groups_are_no_evidence_of_their_own() -> None:
    rng = np.random.default_rng(0)
    sides = []
    for _ in range(2):
        means = rng.normal(size=(30, 1, 5))
        values = (means + 0.01 * rng.normal(size=(30, 20, 5))).reshape(N, 5)
        sides.append(Samples(values, groups=np.repeat(np.arange(30), 20)))
    assert quick(*(replace(each, groups=None) for each in sides)).named
    found = quick(*sides)
    assert found.named == ()
    assert GROUPS in found.notes
    assert found.p_apart is None


def test_columns_are_tested_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    learners._library.cache_clear()
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    found = quick(drawn(0), shifted())
    assert found.columns == (2,)
    assert found.notes == (WITHOUT_TREES,)


def test_single_rows_and_constant_columns() -> None:
    one = prviz.witness(np.zeros((1, 2)), np.ones((3, 2)))
    assert one.named == ()
    values = drawn(0)
    values[:, 0] = 7
    assert quick(values, values).named == ()


def test_the_ends_of_floating_point() -> None:
    real = drawn(0, 200) * 1e300
    generated = drawn(1, 200) * 1e300
    generated[:, 1] = np.abs(generated[:, 1]) * 1e7
    found = quick(real, generated)
    assert found.named[0].columns == (1,)
    json.dumps(found.entry(), allow_nan=False)


def test_columns_are_left_out_with_their_names() -> None:
    pair = SamplePair(*(Samples(drawn(seed), features=list("abcdef")) for seed in (0, 1)))
    left = leaving_out(pair, (1, 4))
    assert left.real.features == left.generated.features == ("a", "c", "d", "f")
    assert (left.generated.values == drawn(1)[:, [0, 2, 3, 5]]).all()


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-3.0, 4.0, 0.0),
        (0.0, 0.3, 0.2),
        (3.0, 4.0, 4.0),
        (0.03412, 0.0352, 0.035),
        (-7.3, -6.1, -7.0),
        (99.0, 260.0, 200.0),
    ],
)
def test_a_cut_is_the_roundest_number_between(low: float, high: float, expected: float) -> None:
    assert round_number(low, high) == expected


def test_a_round_number_between_neighbours_is_the_greater_one() -> None:
    """Its 17 digits times a factor are written without an exponent of their own."""
    low = 1.4581823046899465
    assert round_number(low, math.nextafter(low, 2)) == math.nextafter(low, 2)


def test_numbers_and_shares_are_said_so_that_they_hold() -> None:
    numbers = {-0.5: "−0.5", 3.0: "3", 0.1 + 0.2: "0.30000000000000004"}
    assert {each: number_text(each) for each in numbers} == numbers
    shares = {
        0: "0 %",
        0.0004: "under 0.1 %",
        0.004: "0.4 %",
        0.5: "50 %",
        0.996: "99.6 %",
        0.9999: "over 99.9 %",
        1: "100 %",
    }
    assert {each: share_text(each) for each in shares} == shares


def test_whole_numbers_get_whole_ranges() -> None:
    rng = np.random.default_rng(0)
    sides = (rng.integers(low, high, 900).astype(float) for low, high in ((0, 20), (6, 14)))
    cut = best_cut(ColumnCounts.of(*sides))
    assert cut.words == "outside 6 to 14"
    assert cut.generated == 0


@pytest.mark.exhaustive
def test_of_many_samples_some_are_drawn_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TESTED", 200)
    found = quick(drawn(0), shifted())
    assert found.columns == (2,)
    assert found.notes == (DRAWN,)
    assert sum(found.named[0].histogram.real) == 200
    assert quick(drawn(0)[:100], shifted()[:100]).notes == ()


def test_a_value_that_nobody_types_is_not_what_is_said() -> None:
    rng = np.random.default_rng(0)
    real, generated = (np.where(rng.random(900) < 0.9, 0.0, rng.random(900)) for _ in range(2))
    assert best_cut(ColumnCounts.of(real, generated + 0.1 / 3)).words == "below 0.02"


def test_columns_that_have_one_value_less_often_are_named_together() -> None:
    rng = np.random.default_rng(0)
    real, generated = (
        np.where(rng.random((N, 5)) < share, 0.0, rng.random((N, 5)))
        for share in (0.6, [0.3] * 4 + [0.6])
    )
    (named,) = quick(real, generated).named
    assert sorted(named.columns) == [0, 1, 2, 3]
    assert named.name == "4 features"
    assert named.sentence.startswith(f"feature {named.columns[0] + 1} exactly 0: ")


@pytest.mark.exhaustive
@pytest.mark.parametrize("whole", [False, True])
def test_trees_take_no_more_memory_than_is_counted_for_their_values(whole: bool) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0, 3, size=(2, 4_000, 96))
    pair = SamplePair(*(Samples(each.round() if whole else each) for each in values))
    prviz.witness(SamplePair(*(each.take(range(200)) for each in pair)), without=False)  # imports
    tracemalloc.start()
    try:
        prviz.witness(pair, without=False)
        assert tracemalloc.get_traced_memory()[1] < module.VALUE_BYTES * values.size
    finally:
        tracemalloc.stop()
