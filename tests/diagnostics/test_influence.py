"""Influence on the extremes against double loops; the extremes without these samples;
duplicates.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from prviz.curves import ErrorRates
from prviz.diagnostics import influence as extremes
from prviz.diagnostics.influence import REMOVED, carries, influence, removals
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.measure.estimates import estimate, measure
from prviz.measure.profiles import profile_pair
from prviz.neighbors.balls import ROLES
from prviz.samples import SamplePair, Split
from prviz.toys import toy
from tests import slow_twins
from tests.hard_pairs import KINDS, make_pair, typical_radius
from tests.marks import exhaustive_but
from tests.slow_twins import kth_smallest, squared_distance

# Four families, and KDE with a given bandwidth, on every kind of pair, in few and in many
# dimensions.
CASES = [(kind, 12) for kind in KINDS] + [
    (kind, 1) for kind in ("continuous", "ternary", "duplicates", "near ties")
]


def slow_carriers(split, method: str, k: int, bandwidth: float | None, role: str) -> list[set[int]]:
    """Per evaluation sample of the other role, the places of the fit samples of ``role`` that count
    for it.
    """
    other = ROLES[1 - ROLES.index(role)]
    fit = {each: list(getattr(split.fit, each).values) for each in ROLES}
    own = slow_twins.own_radii(fit[role], k) if method == "ipr" else []
    sigma = slow_twins.mean_own_radius(fit[role], k) if bandwidth is None else bandwidth
    found = []
    for i, z in enumerate(getattr(split.evaluate, other).values):
        near = [squared_distance(z, x) for x in fit[role]]
        # Without split the point is the other role's fit sample of the same index, and no radius
        # counts it.
        others = [
            squared_distance(z, y) for j, y in enumerate(fit[other]) if split.held_out or j != i
        ]
        if method == "kde":
            found.append({j for j, squared in enumerate(near) if np.sqrt(squared) <= sigma})
            continue
        radius = {"knn": near + others, "coverage": others}
        limits = own if method == "ipr" else [kth_smallest(radius[method], k)] * len(near)
        found.append(
            {
                j
                for j, (squared, limit) in enumerate(zip(near, limits, strict=True))
                if squared <= limit
            }
        )
    return found


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("kind", "d"), CASES)
@pytest.mark.parametrize("split", exhaustive_but((None, 0.5), 0.5))
def test_carriers_are_those_of_a_double_loop(kind, d, split):
    pair = make_pair(kind, d)
    for method, bandwidth in [
        *((name, None) for name in DEFAULT_METHODS),
        ("kde", typical_radius(pair)),
    ]:
        drawn = pair.split(split, 3)
        options = {"k": 3, "bandwidth": bandwidth, "split": split, "seed": 3}
        supports = estimate(pair, method, **options)[method].supports
        halves = supports.c_generated[: supports.n_real], supports.c_real[supports.n_real :]
        for role, counted in zip(ROLES, reversed(halves), strict=True):
            slow = slow_carriers(drawn, method, 3, bandwidth, role)
            found = influence(pair, method, role=role, **options)
            sizes = [len(each) for each in slow]
            assert found.ball_members.counts.tolist() == sizes == counted.tolist()
            n = len(found.rows)
            assert found.carried.tolist() == [sum(j in each for each in slow) for j in range(n)]
            assert found.alone.tolist() == [sum(each == {j} for each in slow) for j in range(n)]
            assert found.share == np.mean([bool(each) for each in slow])
            keys = list(zip(-found.alone, -found.carried, found.rows, strict=True))
            order = sorted(np.flatnonzero(found.carried), key=keys.__getitem__)
            for count in (1, 2, 5):
                top = found.top(count).tolist()
                assert top == order[:count]
                left = [bool(each - set(top)) for each in slow]
                assert found.share_without(top) == np.mean(left)


def test_blocks_and_pickles_are_the_same():
    pair = toy("mixtures", d=9).sample(1500, seed=1)
    found = influence(pair, "coverage", role="generated", k=4, split=None)
    real, generated = (side.values for side in pair)
    own = np.sum((real[:, None, :] - real) ** 2, axis=2)
    np.fill_diagonal(own, np.inf)
    inside = (
        np.sum((real[:, None, :] - generated) ** 2, axis=2) <= np.partition(own, 3, axis=1)[:, 3:4]
    )
    assert np.array_equal(found.ball_members.counts, inside.sum(axis=1))
    assert np.array_equal(found.carried, inside.sum(axis=0))
    assert np.array_equal(found.alone, inside[inside.sum(axis=1) == 1].sum(axis=0))
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.alone, found.alone)
    assert not again.rows.flags.writeable


def copies(n_real: int = 60, n_generated: int = 45, d: int = 3) -> SamplePair:
    """Duplicates inside the real set and inside the generated one, and copies of real samples among
    the generated.
    """
    rng = np.random.default_rng(5)
    real = rng.normal(size=(n_real, d))
    generated = rng.normal(size=(n_generated, d)) + 0.3
    real[10:14] = real[3]
    generated[20:22] = generated[1]
    generated[30:35] = real[5:10]
    return SamplePair(real, generated)


def left_of(pair: SamplePair, fit, evaluate, split: float | None) -> Split:
    """The split of these rows alone; without split the data are these rows."""
    if split is None:
        return SamplePair(pair.real.values[fit[0]], pair.generated.values[fit[1]]).split(None)
    return Split(pair, tuple(fit), tuple(evaluate), held_out=True)


def slow_ends(split, method: str, k: int) -> extremes.Extremes:
    """Both ends of the curve from supports by double loops."""
    rates = ErrorRates.from_supports(
        *slow_twins.supports(split, method, k, None), len(split.evaluate_rows[0])
    )
    return extremes.Extremes.of(rates.curve())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("split", [None, 0.4])
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("method", exhaustive_but(DEFAULT_METHODS, "knn", "coverage"))
def test_the_fall_is_measured_again_on_the_data_without_these_rows(method, role, split):
    pair = copies()
    found = influence(pair, method, role=role, k=3, split=split, seed=2)
    measured = removals(pair, found, split=split, seed=2)
    assert [len(each.rows) for each in measured] == [0, *REMOVED]
    side = ROLES.index(role)
    drawn = pair.split(split, 2)
    for each in measured:
        assert each.rows == tuple(found.rows[found.top(len(each.rows))])
        # By hand: out of the fit samples alone, or, without split, out of the data.
        fit = list(drawn.fit_rows)
        fit[side] = np.array([row for row in fit[side] if row not in each.rows])
        left = left_of(pair, fit, drawn.evaluate_rows, split)
        assert each.extreme == slow_ends(left, method, 3)[side]
        carriers = slow_carriers(left, method, 3, None, role)
        assert each.share == np.mean([bool(one) for one in carriers])
    assert measured[0][2:] == (found.share, found.share)


@pytest.mark.exhaustive
def test_one_outlier_makes_improved_precision():
    """Section 4.3 of the paper's first version: one real sample at 4 carries most of what iPR calls
    precise.
    """
    settings = {"d": 64, "mu": 3 / 8}
    pair, clean = (
        toy(name, **settings).sample(1000, seed=0) for name in ("outlier", "shifted-gaussians")
    )
    assert np.array_equal(pair.real.values[:-1], clean.real.values[:-1])
    found = influence(pair, "ipr", role="real", k=4, split=None)
    (top,) = found.top(1)
    assert found.rows[top] == 999
    assert found.alone[top] > 10 * np.sort(found.alone)[-2]
    published = estimate(clean, DEFAULT_METHODS, k=4, split=None)
    fall = removals(pair, found, (1,), split=None)
    true = published["ipr"].curve.extreme_precision
    # It was twice as high with the outlier as on clean data; without that one row it is there
    # again.
    assert fall[0].extreme > 1.8 * true
    assert abs(fall[1].extreme - true) < 0.01
    assert fall[1].share < 0.6 * fall[0].share
    # None of the others is fooled.
    for name in ("knn", "kde", "coverage"):
        other = influence(pair, name, role="real", k=4, split=None)
        assert 999 not in other.rows[other.top(5)]
        before, after = removals(pair, other, (1,), split=None)
        assert before.share - after.share < 0.02


def test_samples_that_carry_nothing_are_never_removed():
    pair = SamplePair(np.arange(12.0)[:, None], np.arange(12.0)[:, None] + 1000)
    found = influence(pair, "ipr", role="real", k=2, split=None)
    assert len(found.top(5)) == 0
    (only,) = removals(pair, found, split=None)
    assert (only.rows, only.extreme, only.share) == ((), 0.0, 0.0)


def test_removing_stops_where_too_few_are_left():
    pair = SamplePair(np.arange(8.0)[:, None], np.arange(9.0)[:, None] + 0.25)
    found = influence(pair, "knn", role="real", k=5, split=None)
    assert [len(each.rows) for each in removals(pair, found, split=None)] == [0, 1, 2]


def test_what_has_no_balls_has_no_carriers():
    pair = copies()
    able = [name for name in ESTIMATORS if carries(name)]
    assert able == list(DEFAULT_METHODS)
    for method, given, message in (
        ("cluster", {"role": "real"}, "'cluster'; a family that counts samples in balls is needed"),
        ("knn", {"role": "both"}, 'role = \'both\'; "real" or "generated" is needed'),
        ("knn", {"role": "real", "k": 60, "split": None}, "k = 60 with 60 real and 45 generated"),
    ):
        with pytest.raises(ValueError, match=message):
            influence(pair, method, **given)
    with pytest.raises(ValueError, match="places has 6 entries; at most 5 are possible"):
        influence(pair, "knn", role="real").share_without(np.arange(6))


@pytest.mark.parametrize("split", [None, 0.5])
def test_extremes_over_k_are_those_of_a_profile(split):
    pair = copies()
    names = ["knn", "ppr", "cluster", "eas"]
    shown = []
    found = extremes.extremes_over_k(
        pair, names, [2, 5], split=split, seed=1, progress=shown.append
    )
    made = profile_pair(pair, names, ks=[2, 5], split=split, seed=1)
    for name in names:
        curves = [made.curve(name, k) for k in (2, 5)]
        assert found[name] == [(curve.extreme_precision, curve.extreme_recall) for curve in curves]
    assert shown == sorted(shown)
    assert shown[-1] == 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize("split", [None, 0.5])
def test_duplicates_are_reduced_to_one_and_all_is_measured_again(split):
    pair = copies()
    names = ["knn", "ipr", "cluster"]
    everything, inside, across = extremes.distinct(pair, names, k=4, split=split, seed=1)
    whole = estimate(pair, names, k=4, split=split, seed=1)
    assert everything.dropped == (0, 0)
    assert everything.extremes == {
        name: extremes.Extremes.of(each.curve) for name, each in whole.items()
    }
    assert inside.dropped == (4, 2)
    assert across.dropped == (4, 7)
    kept = [[r for r in range(60) if not 10 <= r < 14], [r for r in range(45) if r not in (20, 21)]]
    fresh = [r for r in kept[1] if not 30 <= r < 35]
    drawn = pair.split(split, 1)
    for found, generated in ((inside, kept[1]), (across, fresh)):
        fit, evaluate = (
            [np.intersect1d(part[0], kept[0]), np.intersect1d(part[1], generated)]
            for part in (drawn.fit_rows, drawn.evaluate_rows)
        )
        left = left_of(pair, fit, evaluate, split)
        for name in ("knn", "ipr"):
            assert found.extremes[name] == slow_ends(left, name, 4)
        (fitted,) = measure(left, [("cluster", 4, None)], seed=1)
        assert found.extremes["cluster"] == extremes.Extremes.of(fitted.curve)


def test_data_without_duplicates_are_measured_once(monkeypatch):
    pair = toy("mixtures").sample(60)
    measured = []
    monkeypatch.setattr(extremes, "measure", lambda *given: measured.append(1) or measure(*given))
    found = extremes.distinct(pair, ["knn"], k=3)
    assert len(measured) == 1
    assert found[0] == found[1] == found[2]
    assert found[0].dropped == (0, 0)


def test_too_few_rows_that_differ_are_said_to_be_so():
    pair = SamplePair(np.repeat(np.eye(2), 20, axis=0), np.repeat(np.eye(2), 15, axis=0))
    for split in (None, 0.5):
        everything, inside, across = extremes.distinct(pair, ["knn"], k=3, split=split)
        assert everything.extremes is not None
        assert inside == ((38, 28), None)
        assert across == ((38, 30), None)
