"""Limits for infinitely many samples: against sequences drawn by eta, and against large samples of
toys.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import KDTree

from prviz import pr_curve
from prviz.curves import ErrorRates
from prviz.curves.ground_truth import discrete_curve
from prviz.curves.limits import LIMITS, _coverage, limit_curve
from prviz.toys import toy

P = np.array([0.5, 0.3, 0.2, 0.0])
Q = np.array([0.1, 0.3, 0.4, 0.2])


def supports(rng: np.random.Generator, method: str, k: int, cell: int) -> tuple[int, int]:
    """Numbers of real and of generated samples that one point of a cell counts, neighbour by
    neighbour.
    """
    real = rng.random(400) < P[cell] / (P[cell] + Q[cell])
    if method == "knn":
        return int(real[:k].sum()), int((~real)[:k].sum())
    reached = [np.flatnonzero(side)[k - 1] if side.sum() >= k else 400 for side in (~real, real)]
    return int(real[: reached[0] + 1].sum()), int((~real)[: reached[1] + 1].sum())


@pytest.mark.one_in(5)
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("method", ["knn", "coverage"])
def test_neighbours_drawn_one_by_one(method: str, k: int) -> None:
    rng = np.random.default_rng(0)
    cells = [rng.choice(4, size=4000, p=side) for side in (P, Q)]
    counted = np.array(
        [supports(rng, method, k, cell) for cell in np.concatenate(cells)], dtype=float
    )
    drawn = ErrorRates.from_supports(*counted.T, 4000).curve()
    limit = limit_curve(discrete_curve(P, Q), method, k)
    lam = np.tan(np.linspace(0, np.pi / 2, 30)[1:-1])
    np.testing.assert_allclose(
        drawn.alpha(lam) / np.maximum(lam, 1), limit.alpha(lam) / np.maximum(lam, 1), atol=0.025
    )


@pytest.mark.parametrize("method", LIMITS)
@pytest.mark.parametrize("name", ["mixtures", "boxes", "finite", "identical", "dirac"])
def test_a_limit_lies_above_the_truth_and_tends_to_it(name: str, method: str) -> None:
    problem = toy(name)
    truth = problem.truth()
    lam = np.tan(np.linspace(0, np.pi / 2, 60)[1:-1])
    # what it tends to: the rectangle of the extremes for ipr, which sees nothing but the supports
    last = truth.extreme_precision * truth.extreme_recall if method == "ipr" else truth.auc
    areas = []
    for k in (1, 5, 40):
        limit = problem.limit(method, k)
        assert np.all(limit.alpha(lam) >= truth.alpha(lam) - 1e-4 * np.maximum(lam, 1))
        areas.append(limit.auc)
    assert truth.auc - 1e-4 <= areas[2] <= areas[1] + 1e-9 <= areas[0] + 1e-9
    assert abs(areas[2] - last) < 0.06


@pytest.mark.parametrize("name", ["shifted-gaussians", "mixtures"])
def test_a_hundred_steps_are_enough_for_a_pixel(name: str) -> None:
    truth = toy(name).truth()
    for k in (1, 10, 30):
        quick = limit_curve(truth, "coverage", k, steps=100)
        assert quick.iou(truth) == pytest.approx(
            limit_curve(truth, "coverage", k).iou(truth), abs=0.002
        )


def test_the_price_of_k_for_the_shift_of_table_1() -> None:
    """At a shift of 3 k = 4 of knn can't exceed an IoU of 0.51, k = 100 reaches 0.94."""
    problem = toy("shifted-gaussians", mu=3 / 8)
    assert [round(problem.limit("knn", k).iou(problem.truth()), 2) for k in (4, 100)] == [
        0.51,
        0.94,
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(
    ("name", "parameters"), [("shifted-gaussians", {"mu": 1.5}), ("mixtures", {})]
)
def test_simulation_with_200_000_samples(name: str, parameters: dict[str, float], d: int) -> None:
    problem = toy(name, d=d, **parameters)
    real, generated = (side.values for side in problem.sample(200_000, 0))
    fit = (real[::2], generated[::2])
    judged = np.concatenate([real[1::2], generated[1::2]])
    for method in ("knn", "coverage"):
        for k in (4, 40):
            drawn = ErrorRates.from_supports(*counted(method, k, fit, judged), 100_000).curve()
            limit = problem.limit(method, k)
            assert drawn.iou(limit) > 0.975
            assert drawn.iou(problem.truth()) == pytest.approx(
                limit.iou(problem.truth()), abs=0.025
            )


@pytest.mark.exhaustive
def test_improved_precision_and_recall_see_the_supports_alone() -> None:
    """Where both are everywhere all is alike; where one mode is dropped and one invented, weights
    are not seen.
    """
    alike = toy("shifted-gaussians", mu=1.5, d=1)
    assert alike.limit("ipr", 5).auc == pytest.approx(1.0)
    assert alike.truth().auc < 0.5
    assert pr_curve(*alike.sample(16_000, 0), "ipr", k=5).auc > 0.98
    modes = toy(
        "finite", d=8, real_weights=(0.2, 0.2, 0.6, 0.0), generated_weights=(0.0, 0.5, 0.1, 0.4)
    )
    limit = modes.limit("ipr", 5)
    assert modes.limit("ipr", 15).auc == pytest.approx(0.6 * 0.8, abs=0.001)
    assert limit.iou(modes.truth()) < 0.7
    assert pr_curve(*modes.sample(16_000, 0), "ipr", k=5).iou(limit) > 0.93


@pytest.mark.exhaustive
def test_a_point_outside_all_balls_is_as_rare_as_the_limit_says_in_high_dimension() -> None:
    """On a torus, which has no border: exp(-k), and rarer in low dimension."""
    rng = np.random.default_rng(0)
    low, high = (empty_share(rng.random((2_000, d)), rng.random((2_000, d)), 1) for d in (1, 10))
    assert high == pytest.approx(np.exp(-1), abs=0.04)
    assert low == pytest.approx(0.25, abs=0.03)


def empty_share(fit: np.ndarray, judged: np.ndarray, k: int) -> float:
    """Share of the judged points that lie in the k-NN ball of no fit sample."""
    radii = KDTree(fit, boxsize=1.0).query(fit, [k + 1])[0][:, 0]
    inside = KDTree(judged, boxsize=1.0).query_ball_point(fit, radii)
    return 1.0 - len(np.unique(np.concatenate(inside))) / len(judged)


def counted(
    method: str, k: int, fit: tuple[np.ndarray, np.ndarray], judged: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Real and generated fit samples counted around every judged one, by SciPy's trees."""
    pooled = KDTree(np.concatenate(fit))
    if method == "knn":
        real = (
            (pooled.query(judged, k)[1].reshape(len(judged), k) < len(fit[0]))
            .sum(axis=1)
            .astype(float)
        )
        return real, k - real
    trees = [KDTree(side) for side in fit]
    radii = [tree.query(judged, [k])[0][:, 0] for tree in trees]
    return tuple(
        tree.query_ball_point(judged, radius, return_length=True).astype(float)
        for tree, radius in zip(trees, radii[::-1], strict=True)
    )


def test_what_has_no_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="method = 'kde'; one of knn, coverage, ipr is needed"):
        toy("finite").limit("kde", 3)
    for k, error in ((0, ValueError), (10**9, ValueError), (True, TypeError), (2.5, TypeError)):
        with pytest.raises(error, match="an integer from 1"):
            toy("finite").limit("knn", k)  # type: ignore[arg-type]


def test_coverage_below_a_threshold_grows_with_it() -> None:
    found = _coverage(np.linspace(0.01, 0.99, 50), 5, 40)
    assert len(found) == 41  # 0, one threshold at each angle, and 1 from both sides
    assert (np.diff(found, axis=0) >= -1e-12).all()
