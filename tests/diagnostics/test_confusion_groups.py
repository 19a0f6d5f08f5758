"""The groups at lam are those of the best of all thresholds, counted to the last sample."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prviz.curves import PRCurve
from prviz.diagnostics.confusion_groups import GROUPS, NO_SUPPORT, OptimalClassifiers
from prviz.estimators import ESTIMATORS, Supports
from prviz.measure.estimates import estimate
from prviz.neighbors import nearest_rows
from prviz.toys import TOYS, toy
from tests import slow_twins
from tests.hard_pairs import KINDS, make_pair

LAMS = (0.0, 1e-3, 0.3, 0.5, 1.0, 2.0, 7.0, 1e4, math.inf)


def ratio(c_real: float, c_generated: float) -> float:
    if c_real == c_generated == 0:
        return 1.0
    return c_generated / c_real if c_real > 0 else math.inf


def slow_groups(supports: Supports, lam: float) -> list[set[int]]:
    """Samples called real by the best of all classifiers of the family, by trying each; several
    results at a tie.
    """
    c_real = supports.c_real.tolist()
    c_generated = supports.c_generated.tolist()
    keys = [ratio(*each) for each in zip(c_real, c_generated, strict=True)]
    n = supports.n_real
    m = len(keys) - supports.n_real
    ends = (
        {i for i, c in enumerate(c_real) if c > 0},
        {i for i, c in enumerate(c_generated) if c == 0},
    )
    prefixes = [
        {i for i, key in enumerate(keys) if key <= cut} for cut in {-math.inf, *keys} - {math.inf}
    ]
    tried: dict[tuple[int, int], list[set[int]]] = {}
    for real in [*ends, *prefixes, set(range(n + m))]:
        tried.setdefault((n - sum(i < n for i in real), sum(i >= n for i in real)), []).append(real)
    # Where an error costs nothing, nobody makes more of it than another that is as good.
    sensible = [
        a for a in tried if not any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in tried)
    ]
    cost = {
        each: each[0] / n if lam == math.inf else lam * each[0] / n + each[1] / m
        for each in sensible
    }
    best = min(cost.values()) + 1e-12  # costs are rounded
    return [real for each in sensible if cost[each] <= best for real in tried[each]]


def check(supports: Supports, lam: float) -> None:
    found = OptimalClassifiers.from_supports(supports)
    curve = supports.rates().curve()
    n = supports.n_real
    m = len(supports.c_real) - supports.n_real
    fpr, fnr = curve.vertices[curve.vertex_at(lam)]
    groups = found.groups(lam)
    assert len(groups.missed) == round(n * fpr)
    assert len(groups.accepted) == round(m * fnr)
    assert (len(groups.missed) / n, len(groups.accepted) / m) == (fpr, fnr)
    assert sorted(np.concatenate(groups)) == list(range(n + m))
    assert (np.concatenate(groups[:2]) < n).all()
    assert (np.concatenate(groups[2:]) >= n).all()
    assert {*groups.kept.tolist(), *groups.accepted.tolist()} in slow_groups(supports, lam)
    whole = found.part(np.arange(n + m), lam)
    assert (whole.alpha, whole.beta) == pytest.approx(
        (curve.alpha(lam), curve.beta(lam)), abs=1e-12
    )


counts = st.integers(0, 4)


@given(st.lists(st.tuples(counts, counts), min_size=2, max_size=14), st.data())
def test_any_supports_with_ties_and_empty_ones(pairs, data) -> None:
    n_real = data.draw(st.integers(1, len(pairs) - 1))
    supports = Supports(*np.array(pairs, dtype=float).T, n_real)
    for lam in (*LAMS, *supports.rates().curve().breakpoints.tolist()):
        check(supports, lam)


@pytest.mark.parametrize(
    ("c_real", "c_generated"),
    [
        ([1, 1, 1, 1], [1, 1, 1, 1]),  # one key: nothing but the trivial classifiers
        ([0, 0, 0, 0], [0, 0, 0, 0]),
        ([0, 0, 0, 0], [1, 1, 1, 1]),  # every key is inf: (0, 1) calls them real all the same
        ([0, 0, 1, 1], [1, 1, 0, 0]),  # the wrong way round
        ([1, 1, 0, 0], [0, 0, 1, 1]),  # perfect
    ],
)
@pytest.mark.parametrize("lam", LAMS)
def test_trivial_classifiers(c_real, c_generated, lam) -> None:
    check(Supports(np.array(c_real), np.array(c_generated), 2), lam)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", ESTIMATORS)
def test_every_family(method) -> None:
    pair = toy("mixtures", d=3).sample(60, 1)
    run = estimate(pair, method)[method].runs[0]
    for lam in LAMS:
        check(run, lam)


@pytest.mark.parametrize("name", TOYS)
def test_the_truth_calls_real_what_is_likelier_real(name) -> None:
    problem = toy(name)
    pair = problem.sample(40, 0)
    logs = np.concatenate([problem.log_ratio(side) for side in pair])
    found = OptimalClassifiers.from_log_ratio(logs, 40)
    assert np.isfinite(found.breakpoints).all()
    for lam in (0.0, 0.5, 1.0, 3.0, math.inf):
        with np.errstate(divide="ignore"):
            bound = np.log(lam)
        real = (logs < bound - 1e-9) | (logs == -np.inf)
        unsure = np.isfinite(logs) & np.isclose(logs, bound, rtol=0, atol=1e-9)
        called = np.zeros(80, dtype=bool)
        groups = found.groups(lam)
        called[np.concatenate([groups.kept, groups.accepted])] = True
        assert (called == real)[~unsure].all()
        missed, accepted = (each[found.index_at(lam)] for each in found.counts)
        assert (missed, accepted) == (len(groups.missed), len(groups.accepted))


def test_the_truths_tie_goes_where_the_curves_does() -> None:
    """Of two optimal classifiers at one lam, the one of larger fpr: `PRCurve.vertex_at`."""
    found = OptimalClassifiers.from_log_ratio(np.log([0.5, 2.0, 0.5, 2.0]), 2)
    curve = PRCurve.from_error_rates([0.0, 0.5, 1.0], [1.0, 0.25, 0.0])
    assert [len(found.groups(lam).missed) for lam in (2.0, np.nextafter(2.0, 3))] == [1, 0]
    assert curve.vertices[curve.vertex_at(curve.breakpoints[0]), 0] == 0.5


def random_supports(seed: int = 0) -> Supports:
    rng = np.random.default_rng(seed)
    real = np.arange(80) < 50
    return Supports(rng.integers(0, 5, 80) + 2 * real, rng.integers(0, 5, 80) + 2 * ~real, 50)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_one_number_per_sample_regroups_at_any_lam(share: float) -> None:
    some = random_supports()
    supported = np.random.default_rng(1).random(80) >= share
    found = OptimalClassifiers.from_supports(
        Supports(some.c_real * supported, some.c_generated * supported, 50)
    )
    assert np.isnan(found.keys).any() == (share > 0)
    for lam in LAMS:
        index = int(np.sum(found.breakpoints >= lam))  # what a front end counts
        groups = found.groups(lam)
        called = [
            found.unsupported[index] if level == NO_SUPPORT else level >= found.needed[index]
            for level in found.levels.tolist()
        ]
        assert groups.kept.tolist() == [i for i in range(50) if called[i]]
        assert groups.rejected.tolist() == [i for i in range(50, 80) if not called[i]]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("lam", [0.5, 1.0, 2.0])
def test_the_most_extreme_are_farthest_beyond_the_cut(group, lam) -> None:
    found = OptimalClassifiers.from_supports(random_supports(3))
    cut = found.cuts[found.index_at(lam)]
    places = getattr(found.groups(lam), group).tolist()
    distance = {
        i: math.inf if found.keys[i] == math.inf else abs(found.keys[i] - cut) for i in places
    }
    expected = sorted(places, key=lambda i: (-distance[i], i))
    assert len(places) >= 2
    assert found.most_extreme(group, lam, 1000).tolist() == expected
    assert found.most_extreme(group, lam, 3).tolist() == expected[:3]
    with pytest.raises(ValueError, match="kept, missed"):
        found.most_extreme("lost", lam, 3)


@pytest.mark.parametrize("lam", LAMS)
def test_parts_add_up_and_count_each_sample_once(lam) -> None:
    supports = random_supports(5)
    found = OptimalClassifiers.from_supports(supports)
    curve = supports.rates().curve()
    order = np.random.default_rng(0).permutation(80)
    parts = [found.part(some, lam) for some in (order[:30], order[30:], [])]
    assert sum(part.alpha for part in parts) == pytest.approx(curve.alpha(lam))
    assert sum(part.beta for part in parts) == pytest.approx(curve.beta(lam))
    assert sum(part.n_real for part in parts) == found.n_real
    groups = found.groups(lam)
    one = found.part([*order[:30], *order[:5]], lam)
    assert one == parts[0]
    assert one.missed == len(set(order[:30].tolist()) & set(groups.missed.tolist()))
    assert one.accepted == len(set(order[:30].tolist()) & set(groups.accepted.tolist()))
    with pytest.raises(ValueError, match="0 to 79"):
        found.part([80], lam)


def test_what_is_wrong_is_refused_and_pickles_come_back() -> None:
    keys = np.array([0.5, 2.0, 1.0])
    for options in (
        {"n_real": 3},
        {"cuts": [1.0]},
        {"unsupported": [True]},
        {"breakpoints": [1.0, 1.0]},
    ):
        given = {"keys": keys, "n_real": 1, "breakpoints": [1.0], "cuts": [2.0, 1.0]}
        given |= {"unsupported": [False, False]} | options
        with pytest.raises(ValueError, match=r"n_real|cuts|breakpoints"):
            OptimalClassifiers(**given)
    found = OptimalClassifiers.from_log_ratio(np.log(keys), 1)
    for lam in (-1.0, math.nan):
        with pytest.raises(ValueError, match=r"\[0, inf\]"):
            found.index_at(lam)
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.levels, found.levels)
    assert not again.keys.flags.writeable


@pytest.mark.one_in(4)
@pytest.mark.parametrize("d", [1, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_in_the_other_set(kind, d) -> None:
    real, generated = (side.values for side in make_pair(kind, d))
    rows = np.array([0, 3, 14, 7])
    for k in (1, 3, 40):
        found, distances = nearest_rows(real, rows, k, generated)
        assert found.shape == (4, min(k, len(generated)))
        for row, columns, reached in zip(rows, found, distances, strict=True):
            squared = [slow_twins.squared_distance(real[row], y) for y in generated]
            expected = sorted(
                range(len(generated)), key=lambda j, squared=squared: (squared[j], j)
            )[:k]
            assert columns.tolist() == expected
            assert reached.tolist() == [math.sqrt(squared[j]) for j in expected]


def test_what_a_generator_drops_is_kept_not_missed() -> None:
    """The best classifier recognises the real samples of a dropped mode: keeping them is what
    recall loses.
    """
    problem = toy(
        "finite", real_weights=(0.5, 0.5, 0.0, 0.0), generated_weights=(1.0, 0.0, 0.0, 0.0)
    )
    real, generated = problem.sample(400, 0)
    logs = np.concatenate([problem.log_ratio(real), problem.log_ratio(generated)])
    lam = 0.5
    groups = OptimalClassifiers.from_log_ratio(logs, real.n).groups(lam)
    dropped = np.flatnonzero(np.isneginf(problem.log_ratio(real)))
    np.testing.assert_array_equal(groups.kept, dropped)
    assert len(groups.missed) / real.n == pytest.approx(problem.truth().beta(lam), abs=0.05)
