"""Estimated supports at any points, their classes and balls, against `estimate` and slow twins."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.diagnostics.cosupport import (
    CLASSES,
    class_shares,
    grid_over,
    says_support,
    support_classes,
    supports_at,
    true_classes,
)
from prviz.diagnostics.support_balls import support_balls
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.measure.scalars import scalars
from prviz.samples import SamplePair
from prviz.toys import TOYS, toy
from tests import slow_twins

EVERYWHERE = [name for name in ESTIMATORS if says_support(name) == "everywhere"]


def pair_of(d: int, n: int = 60, seed: int = 0) -> SamplePair:
    """Sets of unlike sizes with ties, duplicates and an outlier."""
    rng = np.random.default_rng(seed)
    real = rng.normal(size=(n, d)).round(1)
    generated = rng.normal(0.7, 0.6, (n + 9, d)).round(1)
    real[3] = real[5]
    real[-1] = 9.0
    return SamplePair(real, generated)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("method", EVERYWHERE)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_at_evaluation_samples_they_are_the_supports_of_the_normal_path(
    method: str, d: int
) -> None:
    pair = pair_of(d)
    split = pair.split(0.5, 3)
    points = np.concatenate([side.values for side in split.evaluate])
    for k, width in ((3, None), (7, 0.5)):
        expected = estimate(pair, method, k=k, bandwidth=width, split=0.5, seed=3)[method].supports
        c_real, c_generated = supports_at(split, points, method, k=k, bandwidth=width, seed=3)[
            method
        ]
        np.testing.assert_array_equal(c_real, expected.c_real)
        np.testing.assert_array_equal(c_generated, expected.c_generated)


@pytest.mark.parametrize("method", ["knn", "kde", "ipr", "coverage"])
@pytest.mark.parametrize("split_at", [0.5, None])
def test_at_newcomers_they_are_those_of_the_double_loop(
    method: str, split_at: float | None
) -> None:
    pair = pair_of(2)
    split = pair.split(split_at, 1)
    points = np.random.default_rng(1).uniform(-3, 4, (25, 2))
    # The twin with the points as evaluation samples held out.
    both = [np.concatenate([side.values, points]) for side in split.fit]
    sizes = [side.n for side in split.fit]
    asked = tuple(np.arange(n, n + 25) for n in sizes)
    twin = type(split)(SamplePair(*both), tuple(map(np.arange, sizes)), asked, held_out=True)
    c_real, c_generated = slow_twins.supports(twin, method, 4, None)
    found = supports_at(split, points, ["coverage", method], k=4)[method]
    np.testing.assert_array_equal(found[0], c_real[:25])
    np.testing.assert_array_equal(found[1], c_generated[:25])


def test_eas_decides_on_the_samples_and_not_on_the_points() -> None:
    pair = pair_of(2)
    split = pair.split(0.5, 3)
    far = np.full((500, 2), 8.9)  # inside iPR's ball of the outlier
    alone = supports_at(split, far[:1], "eas", k=3)["eas"]
    many = supports_at(split, far, "eas", k=3)["eas"]
    assert all(
        (each[:1] == other).all() and (each == each[0]).all()
        for each, other in zip(many, alone, strict=True)
    )


def test_families_without_a_support_at_points_are_refused() -> None:
    split = pair_of(2).split(0.5)
    assert {name: says_support(name) for name in ("classifier", "hub", "cluster")} == {
        "classifier": "never",
        "hub": "samples",
        "cluster": "everywhere",
    }
    for method in ("hub", "classifier-mlp"):
        with pytest.raises(ValueError, match=f"{method} states no support"):
            supports_at(split, [[0.0, 0.0]], ["knn", method], k=2)
    with pytest.raises(ValueError, match="points have 3 features; the samples have 2"):
        supports_at(split, [[0.0, 0.0, 0.0]], "knn", k=2)


def test_classes_and_their_shares() -> None:
    np.testing.assert_array_equal(support_classes([0, 2, 0, 1], [0, 0, 3, 0.5]), [0, 1, 2, 3])
    assert CLASSES == ("neither", "P only", "Q only", "both")
    found = estimate(pair_of(2), "ipr", k=3, split=None)["ipr"]
    shares = class_shares(found.supports)
    assert shares.real.sum() == pytest.approx(1)
    assert shares.generated.sum() == pytest.approx(1)
    # Without split every sample is in its own ball: these are improved precision and recall.
    published = scalars(*pair_of(2), k=3)
    assert shares.q_of_cosupport == published["precision"]
    assert shares.p_of_cosupport == published["recall"]


def test_a_grid_covers_all_samples_and_reshapes_to_rows_and_columns() -> None:
    pair = SamplePair([[0.0, 10.0], [1.0, 20.0]], [[4.0, 12.0]])
    grid = grid_over(pair, 5, margin=0.25)
    assert grid.shape == (5, 5)
    np.testing.assert_allclose(grid.axes[0], np.linspace(-1, 5, 5))
    np.testing.assert_allclose(grid.axes[1], np.linspace(7.5, 22.5, 5))
    np.testing.assert_array_equal(
        grid.points.reshape(5, 5, 2)[1, 2], [grid.axes[0][2], grid.axes[1][1]]
    )
    assert grid_over(SamplePair([[2.0]], [[2.0]]), 3).axes[0].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="d = 3"):
        grid_over(pair_of(3), 5)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", TOYS)
@pytest.mark.parametrize("d", [1, 3])
def test_true_supports_have_the_masses_that_the_problem_states(name: str, d: int) -> None:
    problem = toy(name, d=d)
    real, generated = problem.sample(20_000, 5)
    masses = problem.support_masses
    of_real = problem.in_supports(real)
    of_generated = problem.in_supports(generated)
    slack = 5 * 0.5 / np.sqrt(20_000)
    assert of_real.real.all()
    assert of_generated.generated.all()
    assert of_generated.real.mean() == pytest.approx(masses.q_of_supp_p, abs=slack)
    assert of_generated.both.mean() == pytest.approx(masses.q_of_cosupp, abs=slack)
    assert of_real.generated.mean() == pytest.approx(masses.p_of_supp_q, abs=slack)
    assert of_real.both.mean() == pytest.approx(masses.p_of_cosupp, abs=slack)
    shares = [
        np.bincount(true_classes(problem, side), minlength=4) / 20_000 for side in (real, generated)
    ]
    assert shares[0][[0, 2]].sum() == shares[1][[0, 1]].sum() == 0
    assert shares[0][3] == of_real.both.mean()


def test_true_classes_of_known_places() -> None:
    boxes = toy("boxes", d=1, volume=1.0, overlap=0.25)  # P on [0, 1], Q on [0.75, 1.75]
    assert true_classes(boxes, [[-0.1], [0.2], [0.8], [1.2], [1.8]]).tolist() == [0, 1, 3, 2, 0]
    assert true_classes(toy("dirac", d=1), [[0.99], [1.0]]).tolist() == [1, 2]
    assert toy("dirac", d=1).in_supports([[1.0]]).real.all()
    finite = toy("finite", d=1)  # the second box is real alone, the third nobody's
    assert true_classes(finite, [[0.2], [1.5], [3.1], [6.0]]).tolist() == [3, 0, 1, 0]


@pytest.mark.parametrize("method", ["knn", "ipr", "coverage", "prc", "kde", "ppr"])
@pytest.mark.parametrize("split_at", [0.5, None])
def test_drawn_balls_are_those_that_are_counted_in(method: str, split_at: float | None) -> None:
    rng = np.random.default_rng(8)
    k = 4
    # No ties: a radius, the root of a squared distance, cannot tell squares that differ in their
    # last digit.
    pair = SamplePair(rng.normal(size=(60, 2)), rng.normal(0.7, 0.6, (69, 2)))
    found = estimate(pair, method, k=k, split=split_at, seed=2)[method]
    split = pair.split(split_at, 2)
    balls = support_balls(split, method, k=k, radii=found.bandwidth, most=1000)
    assert [each.role for each in balls] == (["both"] if method == "knn" else ["real", "generated"])
    samples = np.concatenate([side.values for side in split.evaluate])
    for each, support in zip(
        balls, (found.supports.c_real, found.supports.c_generated), strict=method != "knn"
    ):
        assert len(each.radii) == len(each.centres) == each.total
        assert (np.diff(each.radii) >= 0).all()
        fit = getattr(split.fit, "generated" if each.role == "generated" else "real").values
        if each.around == "fit":
            reach = np.sqrt(((samples[:, None] - each.centres[None]) ** 2).sum(-1))
            inside = (reach < each.radii if method == "ppr" else reach <= each.radii).any(1)
            if split_at is not None or method != "ppr":  # whose samples leave themselves out
                np.testing.assert_array_equal(inside, support > 0)
        else:
            reach = np.sqrt(((each.centres[:, None] - fit[None]) ** 2).sum(-1))
            held = np.sort((reach <= each.radii[:, None]).sum(1))
            held = np.where(held >= (k if method == "prc" else 1), held, 0)
            np.testing.assert_array_equal(np.sort(held), np.sort(support))


def test_some_balls_of_all_sizes_are_drawn() -> None:
    balls = support_balls(pair_of(2).split(0.5), "ipr", k=3, most=7)
    everyone = support_balls(pair_of(2).split(0.5), "ipr", k=3, most=1000)
    for some, each in zip(balls, everyone, strict=True):
        assert len(some.radii) == 7
        assert some.total == len(each.radii)
        assert {some.radii[0], some.radii[-1]} == {each.radii[0], each.radii[-1]}
    for method in ("eas", "cluster", "hub"):
        assert support_balls(pair_of(2).split(0.5), method, k=3) == ()
