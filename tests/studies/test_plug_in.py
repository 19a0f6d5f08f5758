"""The plug-in estimate: against exact densities of the box on a line, closed forms, and the
identity with variation.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from prviz.studies.plug_in import KERNELS, plug_in_curve
from prviz.toys import toy

LAMS = (0.0, 0.3, 1.0, 2.5, 20.0)


def box_variation(real: np.ndarray, generated: np.ndarray, width: float, lam: float) -> float:
    """|| lam P_hat - Q_hat ||_TV of two box estimates on a line, exactly: both are constant between
    their jumps.
    """
    jumps = np.unique(
        np.concatenate([side + sign * width for side in (real, generated) for sign in (-1, 1)])
    )
    middles = (jumps[1:] + jumps[:-1]) / 2
    lengths = np.diff(jumps)
    p, q = (
        np.mean(np.abs(middles[:, None] - side) <= width, axis=1) / (2 * width)
        for side in (real, generated)
    )
    return float(np.abs(lam * p - q) @ lengths / 2)


def test_the_box_on_a_line_is_the_exact_integral() -> None:
    rng = np.random.default_rng(0)
    real = rng.normal(size=40)
    generated = rng.normal(1.0, 2.0, size=30)
    curve = plug_in_curve(real[:, None], generated[:, None], 0.4)
    for lam in LAMS:
        assert curve.alpha(lam) == pytest.approx(
            (lam + 1) / 2 - box_variation(real, generated, 0.4, lam), abs=0.01
        )


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("kernel", ["box", "gaussian"])
def test_single_samples_have_the_kernels_own_overlap(kernel: str, d: int) -> None:
    """Two bells, or two balls, of the same width at a distance."""
    apart = 0.75
    width = 0.5  # a whole number of cells
    curve = plug_in_curve(np.zeros((1, d)), np.eye(1, d) * apart, width, kernel)
    if kernel == "gaussian":
        expected = 2 * norm.cdf(-apart / width / 2)
    else:
        half = apart / 2 / width
        expected = {1: 1 - half, 2: 2 / np.pi * (np.arccos(half) - half * np.sqrt(1 - half**2))}[d]
    assert curve.alpha(1.0) == pytest.approx(expected, abs=0.01 if d == 1 else 0.03)


def test_a_kernel_of_higher_order_has_less_bias() -> None:
    """A smooth pair, so many samples that only the bias is left, at one bandwidth for all."""
    problem = toy("shifted-gaussians", d=1, mu=1.0)
    truth = problem.truth().alpha(1.0)
    pair = problem.sample(200_000, 0)
    off = {
        name: abs(plug_in_curve(*pair, 0.6, name).alpha(1.0) - truth)
        for name in ("gaussian", "fourth")
    }
    assert off["fourth"] < 0.5 * off["gaussian"]


def test_kernels_have_mass_one_and_vanishing_moments_below_their_order() -> None:
    line = np.linspace(-8, 8, 16_001)
    for kernel in KERNELS.values():
        weights = kernel.weight([line])
        for moment in range(1, kernel.order):
            assert weights @ line**moment == pytest.approx(0.0, abs=1e-6 * weights.sum())
    assert KERNELS["fourth"].weight([line]).min() < 0
    assert KERNELS["box"].bandwidth(1_000, 1) == pytest.approx(1.5 * 0.1)


def test_what_can_not_be_estimated_is_said() -> None:
    line = np.zeros((3, 1))
    for given, message in (
        ((np.zeros((3, 3)), np.zeros((3, 3)), 1.0), "d = 3; 1 or 2 features"),
        ((line, line, 1.0, "tent"), "kernel = 'tent'; one of box, gaussian, fourth"),
        ((line, line, 0.0), "bandwidth = 0"),
        (([[0, 0], [9, 9]], np.zeros((3, 2)), 1e-3), "too small for these samples"),
    ):
        with pytest.raises(ValueError, match=message):
            plug_in_curve(*given)
