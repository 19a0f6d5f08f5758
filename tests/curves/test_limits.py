"""Limits for infinitely many samples: against sequences drawn by eta, and against large samples of toys."""

from __future__ import annotations

import numpy as np
import pytest

import prviz
from prviz.curves import ErrorRates
from prviz.curves.ground_truth import discrete_curve
from prviz.curves.limits import LIMITS, limit_curve
from prviz.toys import toy

P, Q = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.1, 0.3, 0.4, 0.2])


def supports(rng: np.random.Generator, method: str, k: int, cell: int) -> tuple[int, int]:
    """Numbers of real and of generated samples that one point of a cell counts, neighbour by neighbour."""
    real = rng.random(400) < P[cell] / (P[cell] + Q[cell])
    if method == "knn":
        return int(real[:k].sum()), int((~real)[:k].sum())
    reached = [np.flatnonzero(side)[k - 1] if side.sum() >= k else 400 for side in (~real, real)]
    return int(real[: reached[0] + 1].sum()), int((~real)[: reached[1] + 1].sum())


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("method", LIMITS)
def test_neighbours_drawn_one_by_one(method: str, k: int) -> None:
    rng = np.random.default_rng(0)
    cells = [rng.choice(4, size=4000, p=side) for side in (P, Q)]
    counted = np.array([supports(rng, method, k, cell) for cell in np.concatenate(cells)], dtype=float)
    drawn = ErrorRates.from_supports(*counted.T, 4000).curve()
    limit = limit_curve(discrete_curve(P, Q), method, k)
    lam = np.tan(np.linspace(0, np.pi / 2, 30)[1:-1])
    np.testing.assert_allclose(drawn.alpha(lam) / np.maximum(lam, 1), limit.alpha(lam) / np.maximum(lam, 1), atol=0.025)


@pytest.mark.parametrize("method", LIMITS)
@pytest.mark.parametrize("name", ["mixtures", "boxes", "finite", "identical", "dirac"])
def test_a_limit_lies_above_the_truth_and_tends_to_it(name: str, method: str) -> None:
    problem = toy(name)
    truth, lam = problem.truth(), np.tan(np.linspace(0, np.pi / 2, 60)[1:-1])
    areas = []
    for k in (1, 5, 40):
        limit = problem.limit(method, k)
        assert np.all(limit.alpha(lam) >= truth.alpha(lam) - 1e-4 * np.maximum(lam, 1))
        areas.append(limit.auc)
    assert truth.auc - 1e-4 <= areas[2] <= areas[1] + 1e-9 <= areas[0] + 1e-9
    assert areas[2] - truth.auc < 0.06


def test_the_price_of_k_for_the_shift_of_table_1() -> None:
    """At a shift of 3 k = 4 of knn can't exceed an IoU of 0.51, k = 100 reaches 0.94."""
    problem = toy("shifted-gaussians", mu=3 / 8)
    assert [round(problem.limit("knn", k).iou(problem.truth()), 2) for k in (4, 100)] == [0.51, 0.94]


@pytest.mark.parametrize("d", [1, 2])
def test_large_samples(d: int) -> None:
    problem = toy("shifted-gaussians", d=d, mu=1.5)
    for method, found in prviz.estimate(problem.sample(20_000, 0), tuple(LIMITS), k=4).items():
        assert found.curve.iou(problem.limit(method, 4)) > 0.97
        assert found.curve.iou(problem.truth()) < 0.9


def test_what_has_no_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="method = 'ipr'; the limit is known of knn, coverage"):
        toy("finite").limit("ipr", 3)
    for k in (0, True, 2.5):
        with pytest.raises(ValueError, match="an integer from 1"):
            toy("finite").limit("knn", k)  # type: ignore[arg-type]
