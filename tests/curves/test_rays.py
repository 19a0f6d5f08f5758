"""Curves on rays, against polygons of many thin strips and against the classifiers written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from prviz.curves import ErrorRates, PRCurve
from prviz.curves.hull import _lam_for_area
from prviz.curves.rays import iou_on_rays, rates_on_rays

RNG = np.random.default_rng(0)


def some_curve(points: int) -> PRCurve:
    return PRCurve.from_error_rates(*RNG.random((2, points)) * RNG.choice([0.2, 1.0]))


def slow_iou(curve: PRCurve, truth: PRCurve, rays: int, strips: int = 400) -> float:
    """Every sector between two rays in thin sectors, along each of which a polyline's distance is
    that of its chord.
    """
    step = math.pi / 2 / (rays + 1)
    shared = joint = 0.0
    for i in range(rays + 1):
        chords = []
        for each in (curve, truth):
            corners = []
            for angle in (i * step, (i + 1) * step):
                if angle < 1e-12:
                    corners.append(each.extreme_recall)
                elif angle > math.pi / 2 - 1e-12:
                    corners.append(each.extreme_precision)
                else:
                    corners.append(
                        math.hypot(each.alpha(math.tan(angle)), each.beta(math.tan(angle)))
                    )
            chords.append(corners)
        for strip in range(strips):
            angle = (strip + 0.5) / strips * step
            at = [
                (
                    0.0
                    if a * b == 0
                    else a * b * math.sin(step) / (a * math.sin(angle) + b * math.sin(step - angle))
                )
                for a, b in chords
            ]
            shared = shared + min(at) ** 2
            joint = joint + max(at) ** 2
    return shared / joint


@pytest.mark.one_in(3)
@pytest.mark.parametrize("rays", [9, 12, 31])
def test_iou_is_that_of_the_polylines(rays: int) -> None:
    for points in (1, 2, 5, 30):
        one = some_curve(points)
        other = some_curve(points)
        assert iou_on_rays(one, other, rays) == pytest.approx(slow_iou(one, other, rays), abs=2e-4)
        assert iou_on_rays(one, other, rays) == pytest.approx(iou_on_rays(other, one, rays))


def test_many_rays_give_the_exact_iou_and_equal_curves_one() -> None:
    for _ in range(5):
        one = some_curve(8)
        other = some_curve(8)
        assert iou_on_rays(one, other, 1001) == pytest.approx(one.iou(other), abs=5e-3)
        assert iou_on_rays(one, one, 9) == pytest.approx(1.0)
    nothing = PRCurve.from_error_rates([0.0], [0.0])
    assert iou_on_rays(nothing, nothing, 9) == 1.0
    assert iou_on_rays(nothing, some_curve(3), 9) == 0.0


@pytest.mark.parametrize("rays", [9, 10, 64])
def test_rates_are_those_of_the_thresholds_on_the_rays(rays: int) -> None:
    c_real, c_generated = RNG.integers(0, 4, (2, 60))
    found = rates_on_rays(c_real, c_generated, 25, rays)
    for i in range(rays):
        degrees = 90 * (i + 1) / (rays + 1)
        gamma = 1.0 if degrees == 45 else math.tan(math.radians(degrees))
        real = [
            g * gamma >= c if gamma >= 1 else g * gamma > c
            for g, c in zip(c_real, c_generated, strict=True)
        ]
        for j in np.flatnonzero((c_real == 0) & (c_generated == 0)):  # 0/0 has the key 1
            real[j] = gamma >= 1
        assert found.fpr[i] == pytest.approx(1 - np.mean(real[:25]))
        assert found.fnr[i] == pytest.approx(np.mean(real[25:]))
    assert found.fpr[rays:] == pytest.approx(
        [np.mean(c_real[:25] == 0), np.mean(c_generated[:25] > 0)]
    )
    assert found.fnr[rays:] == pytest.approx(
        [np.mean(c_real[25:] > 0), np.mean(c_generated[25:] == 0)]
    )
    exact = ErrorRates.from_supports(c_real, c_generated, 25).curve()
    lams = np.tan(np.linspace(0.01, 1.56, 50))
    assert (found.curve().alpha(lams) >= exact.alpha(lams) - 1e-12).all()


@pytest.mark.parametrize("rays", [8, 1002, 9.0, True, "9"])
def test_numbers_of_rays_that_are_refused(rays: object) -> None:
    error = ValueError if type(rays) is int else TypeError
    with pytest.raises(error, match=r"rays = .*; an integer from 9 to 1,001 is needed"):
        iou_on_rays(some_curve(2), some_curve(2), rays)  # type: ignore[arg-type]


@pytest.mark.parametrize("lam", [0.5, 1.0, 3.0])
def test_the_lam_that_leaves_an_area_below_it(lam: float) -> None:
    lo = 0.25
    hi = 8.0
    assert _lam_for_area(0.5, 0.0, lo, hi, 0.125 * (lam - lo)) == pytest.approx(lam)
    assert _lam_for_area(0.0, 0.5, lo, hi, 0.125 * (1 / lo - 1 / lam)) == pytest.approx(lam)
    f = 0.3
    n = 0.4
    area = (f * f * (lam - lo) + n * n * (1 / lo - 1 / lam)) / 2 + f * n * math.log(lam / lo)
    assert _lam_for_area(f, n, lo, hi, area) == pytest.approx(lam)


def test_the_lam_of_a_whole_area_is_the_end() -> None:
    assert (
        _lam_for_area(0.0, 1.0, 1.0, math.inf, 0.5)
        == _lam_for_area(0.0, 1.0, 1.0, math.inf, 0.6)
        == math.inf
    )
    assert _lam_for_area(1.0, 0.0, 0.0, 2.0, 9.0) == 2.0
    assert _lam_for_area(0.0, 1.0, 1.0, 4.0, -1.0) == 1.0
