"""f-divergences of a curve against sums over finite sets, an integral over lam, and closed
forms.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from prviz.curves import ErrorRates, PRCurve
from prviz.curves.ground_truth import discrete_curve
from prviz.curves.summaries import DIVERGENCES
from prviz.toys import toy

NAMES = ("kl", "js", "hellinger", "chi2", "tv")


def term(name: str, p: float, q: float) -> float:
    """What one point of a finite set adds, from the divergence's own definition."""
    if name == "kl":
        return 0.0 if q == 0 else math.inf if p == 0 else q * math.log(q / p)
    if name == "js":
        mean = (p + q) / 2
        return (term("kl", mean, q) + term("kl", mean, p)) / 2 if mean else 0.0
    if name == "hellinger":
        return (math.sqrt(p) - math.sqrt(q)) ** 2 / 2
    if name == "chi2":
        return 0.0 if p == q == 0 else math.inf if p == 0 else (q - p) ** 2 / p
    return abs(p - q) / 2


weights = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8)


@pytest.mark.one_in(3)
@given(weights.filter(lambda pairs: all(sum(side) > 0 for side in zip(*pairs, strict=True))))
@pytest.mark.parametrize("name", NAMES)
def test_finite_sets(name, pairs) -> None:
    p, q = (np.array(side) / sum(side) for side in zip(*pairs, strict=True))
    expected = sum(term(name, a, b) for a, b in zip(p.tolist(), q.tolist(), strict=True))
    assert discrete_curve(p, q).divergence(name) == pytest.approx(expected, abs=1e-12)


@given(
    weights.filter(lambda pairs: all(sum(side) > 0 for side in zip(*pairs, strict=True))),
    st.floats(0, 100),
)
def test_precision_is_what_total_variation_leaves_at_every_lam(pairs, lam) -> None:
    """hal-05344404, equation 2: alpha(lam) = (lam + 1) / 2 - || lam P - Q ||_TV."""
    p, q = (np.array(side) / sum(side) for side in zip(*pairs, strict=True))
    curve = discrete_curve(p, q)
    assert curve.weighted_variation(lam) == pytest.approx(np.abs(lam * p - q).sum() / 2, abs=1e-10)
    assert curve.weighted_variation(1.0) == pytest.approx(curve.total_variation, abs=1e-12)


def test_total_variation_of_two_densities_at_every_lam() -> None:
    """The same of two Gaussians, by an integral."""
    x = np.linspace(-12, 12, 200_001)
    p = norm.pdf(x)
    q = norm.pdf(x, 1.5)
    lams = np.array([0.0, 0.2, 1.0, 3.0, 50.0])
    expected = [np.trapezoid(np.abs(lam * p - q), x) / 2 for lam in lams]
    truth = toy("shifted-gaussians", d=1, mu=1.5).truth()
    np.testing.assert_allclose(truth.weighted_variation(lams), expected, atol=1e-4)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("kl", lambda t: 1 / t),
        ("js", lambda t: 1 / (2 * t * (t + 1))),
        ("hellinger", lambda t: t**-1.5 / 4),
        ("chi2", lambda t: np.full_like(t, 2.0)),
    ],
)
def test_the_area_that_the_definition_weighs(name, second) -> None:
    curve = PRCurve.from_error_rates([0.0, 0.1, 0.4, 1.0], [1.0, 0.5, 0.2, 0.0])
    lam = np.exp(np.linspace(math.log(1e-9), math.log(1e3), 2_000_001))
    height = (np.minimum(1, lam) - curve.alpha(lam)) * second(lam)
    assert curve.divergence(name) == pytest.approx(
        np.trapezoid(height * lam, np.log(lam)), rel=1e-4
    )


def test_shifted_gaussians() -> None:
    problem = toy("shifted-gaussians", d=4, mu=0.5)  # shift 1
    truth = problem.truth()
    shift = 1.0
    assert truth.divergence("kl") == pytest.approx(shift**2 / 2, rel=0.01)
    assert truth.divergence("hellinger") == pytest.approx(1 - math.exp(-(shift**2) / 8), rel=0.01)
    assert truth.divergence("chi2") == pytest.approx(math.exp(shift**2) - 1, rel=0.05)
    assert truth.divergence("tv") == pytest.approx(truth.total_variation)


def test_ends() -> None:
    equal = PRCurve.from_error_rates([], []).divergence
    apart = PRCurve.from_error_rates([0.0], [0.0]).divergence
    assert [apart(name) for name in NAMES] == [math.inf, math.log(2), 1, math.inf, 1]
    assert [equal(name) for name in NAMES] == pytest.approx([0] * 5)
    # half of the generated samples where nothing real is
    invents = PRCurve.from_error_rates([0.0], [0.5])
    assert [math.isinf(invents.divergence(name)) for name in NAMES] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert [math.isinf(invents.mirrored().divergence(name)) for name in NAMES] == [False] * 5
    with pytest.raises(ValueError, match="name = 'fid'; one of kl, js"):
        equal("fid")


def test_a_single_sample_decides_whether_it_is_infinite() -> None:
    supports = np.array([2.0, 1, 2, 1, 2]), np.array([1.0, 6, 2, 3, 3])
    alone = supports[0].copy()
    alone[4] = 0.0  # of the last generated sample
    before, after = (
        ErrorRates.from_supports(real, supports[1], 2).curve() for real in (supports[0], alone)
    )
    known = {each.key: (each.of(before), each.of(after)) for each in DIVERGENCES}
    assert all(math.isfinite(one) for one, _ in known.values())
    assert {key for key, (_, one) in known.items() if math.isinf(one)} == {"kl", "chi2"}
    assert all(each.explanation.endswith("never that it is at most one.") for each in DIVERGENCES)
