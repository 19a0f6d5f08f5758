"""The published scalars, against their definitions in double loops and against the package prdc."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from prdc import compute_prdc

import prviz
from prviz import rarity, realism
from prviz.measure.scalars import scalars as published_scalars
from tests import slow_twins
from tests.estimators.pairs import dropped_mode, gaussians, ties
from tests.hard_pairs import SOME_KINDS, make_pair
from tests.marks import exhaustive_but

NAMES = ["precision", "recall", "density", "coverage", "coverage_precision"]
NAMES += [
    f"{family}_{side}" for family in ("eas", "prc", "ppr") for side in ("precision", "recall")
]


def scalars(*args, **kwargs):
    """The shares in balls alone; `test_reported_numbers` has the other numbers."""
    found = prviz.scalars(*args, **kwargs)
    assert list(found)[: len(NAMES)] == NAMES
    return {name: found[name] for name in NAMES}


def squared(a, b):
    return np.array([[slow_twins.squared_distance(x, y) for y in b] for x in a])


def distances(a, b):
    return np.sqrt(squared(a, b))


def slow_scalars(pair, k=5, ball="closed", prc_k=3, prc_c=3, ppr_k=4, ppr_a=1.2):
    """Every number as its formula reads, from the three matrices of distances."""
    real, generated = (side.values for side in pair)
    between = distances(real, generated)
    within = [distances(each, each) for each in (real, generated)]
    squares = squared(real, generated)
    own_squares = [squared(each, each) for each in (real, generated)]

    def radii(role, order, matrices=within):
        own = matrices[role]
        return np.array(
            [sorted(np.delete(own[i], i))[min(order, len(own) - 1) - 1] for i in range(len(own))]
        )

    def inside(
        role, order
    ):  # closed balls compare squares, as the curves do; open ones distances, as prdc does
        shape = (-1, 1) if role == 0 else (1, -1)
        if ball == "closed":
            return squares <= radii(role, order, own_squares).reshape(shape)
        return between < radii(role, order).reshape(shape)

    def chance(role, matrix):  # samples with tents down, points across
        radius = ppr_a * (math.fsum(radii(role, ppr_k)) / len(within[role]))
        found = []
        for column in matrix.T:
            missed = 1.0
            for d in column:
                missed *= 1.0 - (max(0.0, 1.0 - d / radius) if radius > 0 else float(d == 0))
            found.append(1.0 - missed)
        return math.fsum(found) / len(found)

    in_real = inside(0, k)
    in_generated = inside(1, k)
    precision = in_real.any(axis=0).mean()
    recall = in_generated.any(axis=1).mean()
    coverage = in_real.any(axis=1).mean()
    mirrored = in_generated.any(axis=0).mean()
    covers = [
        (inside(1, prc_c * prc_k).sum(axis=0) >= prc_k).mean(),
        (inside(0, prc_c * prc_k).sum(axis=1) >= prc_k).mean(),
    ]
    values = [
        precision,
        recall,
        in_real.sum() / (k * len(generated)),
        coverage,
        mirrored,
        min(precision, mirrored),
        min(recall, coverage),
        *covers,
        chance(0, between),
        chance(1, between.T),
    ]
    return dict(zip(NAMES, map(float, values), strict=True))


PAIRS = pytest.mark.parametrize(
    "pair", [gaussians(), ties(), gaussians(30, 70, 2)], ids=["gaussians", "ties", "plane"]
)


@pytest.mark.one_in(5)
@PAIRS
@pytest.mark.parametrize("ball", ["closed", "open"])
@pytest.mark.parametrize("k", exhaustive_but((1, 5, 12), 1, 5))
def test_they_equal_their_definitions(pair, ball, k):
    found = scalars(*pair, k=k, ball=ball)
    assert all(type(value) is float for value in found.values())
    assert found == slow_scalars(pair, k, ball)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", SOME_KINDS)
@pytest.mark.parametrize("d", [2, 11])
def test_they_equal_their_definitions_on_pairs_that_break_fast_distances(kind, d):
    pair = make_pair(kind, d)
    for ball in ("closed", "open"):
        assert scalars(*pair, k=3, ball=ball) == slow_scalars(pair, 3, ball)


def test_their_own_parameters_change_prc_and_ppr_alone():
    pair = gaussians()
    published = scalars(*pair)
    for given in ({"prc_k": 2, "prc_c": 1}, {"prc_c": 50}, {"ppr_k": 9, "ppr_a": 0.9}):
        found = scalars(*pair, **given)
        assert found == slow_scalars(pair, **given)
        changed = {name for name in NAMES if found[name] != published[name]}
        assert changed
        assert {name.split("_")[0] for name in changed} == {next(iter(given)).split("_")[0]}


def test_covers_reach_as_far_as_each_set_has_samples():
    pair = gaussians(30, 70, 2)
    for ball in ("closed", "open"):
        given = {"ball": ball, "prc_c": 50}
        assert scalars(*pair, **given) == slow_scalars(pair, **given)


def test_prc_with_one_neighbour_is_coverage_and_its_mirror():
    found = scalars(*gaussians(shift=1.0), k=1, prc_k=1, prc_c=1)
    assert found["prc_recall"] == found["coverage"]
    assert found["prc_precision"] == found["coverage_precision"]


@PAIRS
def test_swapping_the_roles_swaps_each_pair_of_numbers(pair):
    one = scalars(*pair)
    other = scalars(pair.generated, pair.real)
    for family in ("", "eas_", "prc_", "ppr_"):
        assert one[f"{family}precision"] == other[f"{family}recall"]
        assert one[f"{family}recall"] == other[f"{family}precision"]
    assert one["coverage_precision"] == other["coverage"]


def test_a_collapsed_model_keeps_its_precision_and_loses_its_recall():
    found = scalars(*dropped_mode())
    for family in ("", "eas_", "prc_", "ppr_"):
        assert found[f"{family}precision"] > 0.7
        assert found[f"{family}recall"] < 0.51
    assert found["coverage"] < 0.51


def test_open_balls_of_radius_zero_hold_nothing():
    same = np.zeros((6, 2))
    closed = scalars(same, same)
    opened = scalars(same, same, ball="open")
    assert [closed[name] for name in NAMES[:2]] == [1.0, 1.0]
    assert all(opened[name] == 0 for name in NAMES if not name.startswith("ppr"))
    assert opened["ppr_precision"] == closed["ppr_precision"] == 1


@pytest.mark.parametrize(
    ("name", "value", "error", "needed"),
    [
        ("k", 0, ValueError, "an integer from 1 to 10, one less than the smaller set, is needed"),
        ("k", 11, ValueError, "an integer from 1 to 10"),
        ("k", 2.0, TypeError, "an integer from 1 to 10"),
        ("k", True, TypeError, "an integer"),
        ("k", "sqrt", TypeError, "an integer"),
        ("prc_k", 11, ValueError, "an integer from 1 to 10"),
        ("prc_c", 0, ValueError, "an integer from 1 is needed"),
        ("ppr_k", 0, ValueError, "an integer from 1 to 10"),
        ("ppr_a", 0.0, ValueError, "a positive finite number"),
        ("ppr_a", math.nan, ValueError, "a positive finite number"),
        ("ppr_a", "wide", TypeError, "a positive finite number"),
        ("ball", "half", ValueError, "one of closed, open is needed"),
    ],
)
def test_illegal_parameters(name, value, error, needed):
    with pytest.raises(error, match=f"{name} = {value!r}; {needed}"):
        scalars(*make_pair("continuous", 3), **{name: value})


def test_every_legal_k_is_taken():
    pair = make_pair("continuous", 3)
    for k in (1, 10):
        assert scalars(*pair, k=k, prc_k=k, ppr_k=k)["density"] > 0
    with pytest.raises(ValueError, match="k = 1 with a single sample; at least 2 are needed"):
        scalars(np.zeros((1, 2)), np.zeros((3, 2)), k=1)
    with pytest.raises(ValueError, match="real samples have 2 features, generated ones have 3"):
        scalars(np.zeros((9, 2)), np.zeros((9, 3)))


def test_arrays_and_samples_are_taken_and_the_function_stays_the_function():
    pair = gaussians()
    assert scalars(pair.real.values, pair.generated.values.tolist()) == scalars(*pair)
    assert prviz.scalars is published_scalars


# ---- the package prdc ----


def compared(real, generated, k, ball):
    """Ours and prdc's, density as the number of pairs it counts."""
    ours = scalars(real, generated, k=k, ball=ball, ppr_a=1e-6)
    theirs = compute_prdc(real, generated, k)
    per = k * len(generated)
    names = ("precision", "recall", "coverage")
    found = [
        [*(float(each[name]) for name in names), round(float(each["density"]) * per)]
        for each in (ours, theirs)
    ]
    assert float(theirs["density"]) == pytest.approx(found[1][-1] / per, rel=1e-12)
    assert ours["density"] == found[0][-1] / per
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("d", exhaustive_but([1, 8, 512], 8))
@pytest.mark.parametrize(("n_real", "n_generated"), [(250, 180), (180, 250)])
def test_on_continuous_data_they_are_those_of_prdc(d, n_real, n_generated):
    rng = np.random.default_rng(d)
    real = rng.normal(size=(n_real, d))
    generated = rng.normal(size=(n_generated, d)) * 0.9 + 0.4 / math.sqrt(d)
    for k, ball in product((1, 5), ("closed", "open")):
        ours, theirs = compared(real, generated, k, ball)
        assert ours == theirs


@pytest.mark.one_in(2)
@pytest.mark.parametrize("d", exhaustive_but([1, 8, 64], 8))
@pytest.mark.parametrize("high", [2, 5])
def test_on_tied_data_open_balls_are_those_of_prdc(d, high):
    rng = np.random.default_rng(d)
    real = rng.integers(0, high, (200, d)).astype(np.float64)
    generated = rng.integers(0, high + 1, (150, d)).astype(np.float64)
    for k in (1, 5):
        ours, theirs = compared(real, generated, k, "open")
        assert ours == theirs
        if d < 64:
            assert compared(real, generated, k, "closed")[0] != theirs


def test_far_from_the_origin_prdc_rounds_and_these_do_not():
    rng = np.random.default_rng(0)
    # Multiples of 2^-10 up to 2^26: a shift loses no bit, so no number may change.
    near = [np.round(rng.normal(size=(400, 16)) * 2**10) / 2**10 + shift for shift in (0.0, 0.25)]
    far = [each + 2.0**26 for each in near]
    assert scalars(*far, k=5) == scalars(*near, k=5)
    assert compute_prdc(*far, 5) != compute_prdc(*near, 5)


@pytest.mark.exhaustive
def test_single_precision_samples_are_measured_as_what_they_are():
    rng = np.random.default_rng(0)
    real, generated = (
        rng.normal(size=(n, 64)).astype(np.float32) + np.float32(0.5) for n in (900, 700)
    )
    ours, theirs = compared(real, generated, 5, "open")
    assert ours == theirs
    wide = compared(real.astype(np.float64), generated.astype(np.float64), 5, "open")
    assert wide == [ours, theirs]


# ---- realism and rarity ----


def check_realism_and_rarity(pair, k):
    radii = np.sqrt(slow_twins.own_radii(list(pair.real.values), k)).tolist()
    ratios = []
    smallest = []
    for row in distances(pair.generated.values, pair.real.values).tolist():
        balls = list(zip(row, radii, strict=True))
        left = [(d, r) for d, r in balls if r <= np.median(radii)]
        ratios.append(max(r / d if d > 0 else math.inf for d, r in left))
        smallest.append(min((r for d, r in balls if d <= r), default=math.nan))
    assert realism(*pair, k=k).tolist() == ratios
    np.testing.assert_array_equal(rarity(*pair, k=k), smallest)


@pytest.mark.one_in(3)
@PAIRS
@pytest.mark.parametrize("k", [1, 3, 9])
def test_realism_and_rarity_equal_their_definitions(pair, k):
    check_realism_and_rarity(pair, k)


@pytest.mark.parametrize("kind", SOME_KINDS)
def test_realism_and_rarity_on_pairs_that_break_fast_distances(kind):
    for d in (2, 11):
        check_realism_and_rarity(make_pair(kind, d), 3)


def test_realism_is_a_ratio_of_distances_over_balls_up_to_the_median():
    # Radii 1, 1, 2, 97 at k = 1: the median is 1.5, so the balls of radius 2 and 97 are out.
    real = np.array([[0.0], [1.0], [3.0], [100.0]])
    found = realism(real, np.array([[5.0], [0.5], [1.0], [3.0], [100.0]]), k=1)
    assert found.tolist() == [0.25, 2, math.inf, 0.5, 1 / 99]
    radii = rarity(real, np.array([[5.0], [0.5], [60.0], [-50.0]]), k=1)
    np.testing.assert_array_equal(radii, [2, 1, 97, math.nan])


def test_samples_inside_a_ball_that_is_left_are_realistic_and_have_a_rarity():
    pair = gaussians(200, 150, 5)
    found = realism(*pair, k=5)
    radii = rarity(*pair, k=5)
    assert 0 < np.mean(found >= 1) < 1
    assert np.all(np.isfinite(radii[found >= 1]))
    assert np.mean(np.isfinite(radii)) == scalars(*pair, k=5)["precision"]


@pytest.mark.parametrize("score", [realism, rarity])
def test_the_scores_need_a_legal_k_of_the_real_set_alone(score):
    real = np.arange(8.0)[:, None]
    generated = np.array([[1.5], [2.5]])
    assert score(real, generated, k=7).shape == (2,)
    with pytest.raises(
        ValueError, match="k = 8; an integer from 1 to 7, one less than the real set, is needed"
    ):
        score(real, generated, k=8)
    with pytest.raises(TypeError, match="k = '3'; an integer"):
        score(real, generated, k="3")


def test_a_pair_with_itself_is_alike():
    real = gaussians().real
    found = scalars(real, real)
    assert {found[name] for name in NAMES if name != "density"} == {1.0}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_stand_in_has_prdcs_names_and_digits(
    dtype: type, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    real = rng.normal(size=(120, 6)).astype(dtype)
    fake = (rng.normal(size=(90, 6)) + 0.3).astype(dtype)
    for k in (1, 3, 5):
        theirs = compute_prdc(real, fake, k)
        capsys.readouterr()
        assert prviz.compute_prdc(real_features=real, fake_features=fake, nearest_k=k) == theirs
        assert not capsys.readouterr().out
    with pytest.raises(ValueError, match="nearest_k = 90"):
        prviz.compute_prdc(real, fake, 90)
