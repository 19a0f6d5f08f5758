"""PRCurve against a fine grid, brute force and its own invariants."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prviz.curves import ErrorRates, PRCurve

RATE = st.floats(0, 1, allow_subnormal=False).map(lambda value: round(value, 3))
COUNTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=0, max_size=25)
LAMS = np.concatenate(([0.0], np.tan(np.linspace(0.001, np.pi / 2 - 0.001, 500)), [np.inf]))
THETA = (np.arange(100_000) + 0.5) / 100_000 * np.pi / 2


@st.composite
def curves(draw: st.DrawFn) -> PRCurve:
    if draw(st.booleans()):
        points = np.array(draw(COUNTS)).reshape(-1, 2) / 40
    else:
        points = np.array(draw(st.lists(st.tuples(RATE, RATE), max_size=25))).reshape(-1, 2)
    return PRCurve.from_error_rates(points[:, 0], points[:, 1])


def radius(curve: PRCurve) -> np.ndarray:
    return curve.alpha(np.tan(THETA)) / np.sin(THETA)


def sector(radii: np.ndarray) -> float:
    return float(0.5 * np.mean(radii**2) * np.pi / 2)


@given(st.lists(st.tuples(RATE, RATE), max_size=25))
def test_alpha_is_the_minimum_over_all_classifiers(points: list[tuple[float, float]]) -> None:
    fpr, fnr = np.array([*points, (0.0, 1.0), (1.0, 0.0)]).T
    curve = PRCurve.from_error_rates(fpr, fnr)
    lams = LAMS[1:-1]
    brute = np.min(lams[:, None] * fpr + fnr, axis=1)
    np.testing.assert_allclose(curve.alpha(lams), brute, rtol=1e-9, atol=1e-12)
    assert curve.extreme_precision == min(n for f, n in zip(fpr, fnr, strict=True) if f == 0)
    assert curve.extreme_recall == min(f for f, n in zip(fpr, fnr, strict=True) if n == 0)


@given(curves())
def test_bounds_monotonicity_and_the_ray(curve: PRCurve) -> None:
    lam = LAMS
    alpha = curve.alpha(LAMS)
    beta = curve.beta(LAMS)
    assert np.all((alpha >= 0) & (alpha <= 1 + 1e-12))
    assert np.all((beta >= 0) & (beta <= 1 + 1e-12))
    assert np.all(np.diff(alpha) >= -1e-12)
    assert np.all(np.diff(beta) <= 1e-12)
    np.testing.assert_allclose(beta[1:-1], alpha[1:-1] / lam[1:-1], rtol=1e-12)
    assert alpha[0] == 0
    assert beta[-1] == 0
    assert (alpha[-1], beta[0]) == (curve.extreme_precision, curve.extreme_recall)
    assert 0 <= curve.auc <= 1 + 1e-12
    assert curve.total_variation == pytest.approx(1 - curve.alpha(1.0))


@given(curves())
def test_vertices_are_optimal_between_their_breakpoints(curve: PRCurve) -> None:
    assert np.all(np.diff(curve.breakpoints) < 0)
    middles = 0.5 * (curve.breakpoints[1:] + curve.breakpoints[:-1])
    np.testing.assert_array_equal(curve.vertex_at(middles), np.arange(1, len(curve.vertices) - 1))


@given(curves())
def test_swapping_the_roles_mirrors_the_curve(curve: PRCurve) -> None:
    mirrored = PRCurve.from_error_rates(curve.vertices[:, 1], curve.vertices[:, 0])
    np.testing.assert_allclose(
        mirrored.alpha(LAMS[1:-1]), curve.beta(1 / LAMS[1:-1]), rtol=1e-9, atol=1e-12
    )
    assert mirrored.extreme_precision == curve.extreme_recall
    assert mirrored.auc == pytest.approx(curve.auc, abs=1e-12)
    assert mirrored.f_score(8, leaning="precision") == pytest.approx(
        curve.f_score(8, leaning="recall"), abs=1e-12
    )
    assert mirrored.recall_at(0.05) == pytest.approx(curve.precision_at(0.05), abs=1e-9)


@pytest.mark.exhaustive
@given(curves())
def test_area_against_a_fine_grid(curve: PRCurve) -> None:
    assert curve.auc == pytest.approx(sector(radius(curve)), abs=1e-6)


@pytest.mark.exhaustive
@given(curves(), curves())
def test_comparison_against_a_fine_grid(estimate: PRCurve, truth: PRCurve) -> None:
    e = radius(estimate)
    t = radius(truth)
    union = sector(np.maximum(e, t))
    result = estimate.compare(truth)
    assert result.iou + result.excess + result.deficit == pytest.approx(1, abs=1e-12)
    if min(sector(e), sector(t)) > 1e-3:  # a thin curve falls between the grid's rays
        assert result.iou == pytest.approx(sector(np.minimum(e, t)) / union, abs=1e-5)
        assert result.excess == pytest.approx((union - sector(t)) / union, abs=1e-5)
        assert result.deficit == pytest.approx((union - sector(e)) / union, abs=1e-5)
    back = truth.compare(estimate)
    assert (back.iou, back.excess, back.deficit) == pytest.approx(
        (result.iou, result.deficit, result.excess), abs=1e-12
    )


@given(curves(), curves())
def test_iou_is_one_only_for_equal_curves(a: PRCurve, b: PRCurve) -> None:
    assert a.iou(a) == 1.0
    equal = np.allclose(a.alpha(LAMS), b.alpha(LAMS), atol=1e-9) and np.allclose(
        a.beta(LAMS), b.beta(LAMS), atol=1e-9
    )
    if not equal and max(a.auc, b.auc) > 1e-3:
        assert a.iou(b) < 1
    assert 0 <= a.iou(b) <= 1


@given(curves(), st.floats(0.1, 20), st.sampled_from(["precision", "recall"]))
def test_f_score_is_the_largest_harmonic_mean(curve: PRCurve, b: float, leaning: str) -> None:
    lams = np.unique(np.concatenate((LAMS[1:-1], curve.breakpoints)))
    alpha = curve.alpha(lams)
    beta = curve.beta(lams)
    weights = (b**2, 1.0) if leaning == "precision" else (1.0, b**2)
    positive = (alpha > 0) & (beta > 0)
    with np.errstate(divide="ignore"):
        scores = np.where(positive, (b**2 + 1) / (weights[0] / alpha + weights[1] / beta), 0.0)
    assert curve.f_score(b, leaning=leaning) == pytest.approx(scores.max(), abs=1e-9)


@given(curves())
def test_f_scores_tend_to_the_extremes(curve: PRCurve) -> None:
    if curve.auc > 0 and curve.breakpoints.max() < 1e3 and curve.breakpoints.min() > 1e-3:
        assert curve.f_score(1e6, leaning="precision") == pytest.approx(
            curve.extreme_precision, abs=1e-6
        )
        assert curve.f_score(1e6, leaning="recall") == pytest.approx(curve.extreme_recall, abs=1e-6)


@given(curves())
def test_the_median_ray_halves_the_area(curve: PRCurve) -> None:
    lam, alpha, beta = curve.median
    if curve.auc == 0:
        assert np.isnan(lam)
        assert (alpha, beta) == (0, 0)
        return
    below = np.arctan(lam) > THETA
    share = np.sum(radius(curve)[below] ** 2) / np.sum(radius(curve) ** 2)
    assert share == pytest.approx(0.5, abs=5e-3)
    assert (alpha, beta) == (curve.alpha(lam), curve.beta(lam))


@given(curves(), st.floats(0.01, 1))
def test_precision_at_a_recall_against_brute_force(curve: PRCurve, recall: float) -> None:
    value = curve.precision_at(recall)
    lams = np.unique(np.concatenate((LAMS[1:-1], curve.breakpoints)))
    reached = curve.alpha(lams)[curve.beta(lams) >= recall]
    assert value >= max(reached, default=0.0) - 1e-9
    assert np.all(curve.beta(lams)[curve.alpha(lams) > value + 1e-9] < recall + 1e-9)
    if recall > curve.extreme_recall:
        assert value == 0


def test_the_largest_precision_at_exactly_the_extreme_recall() -> None:
    rectangle = PRCurve.from_error_rates([0, 0.6], [0.3, 0])
    assert rectangle.auc == pytest.approx(0.18)
    assert rectangle.precision_at(0.6) == pytest.approx(0.3)
    assert rectangle.precision_at(0.6 + 1e-9) == 0
    assert rectangle.precision_at(0) == pytest.approx(0.3)
    assert tuple(rectangle.median) == pytest.approx((0.5, 0.3, 0.6))


@given(st.lists(curves(), min_size=1, max_size=4))
def test_the_mean_curve_has_the_mean_precision_on_every_ray(items: list[PRCurve]) -> None:
    mean = PRCurve.mean(items)
    lams = LAMS[1:-1]
    expected = np.mean([curve.alpha(lams) for curve in items], axis=0)
    np.testing.assert_allclose(mean.alpha(lams), expected, rtol=1e-8, atol=1e-10)
    assert mean.extreme_precision == pytest.approx(
        np.mean([curve.extreme_precision for curve in items]), abs=1e-12
    )


def test_equal_distributions_and_disjoint_ones() -> None:
    equal = PRCurve.from_error_rates([], [])
    np.testing.assert_array_equal(equal.alpha(np.array([0, 0.5, 1, 3, np.inf])), [0, 0.5, 1, 1, 1])
    assert (equal.auc, equal.total_variation, equal.f_score(8, leaning="recall")) == (1, 0, 1)
    disjoint = PRCurve.from_error_rates([0], [0])
    assert (disjoint.auc, disjoint.total_variation, disjoint.precision_at(0.05)) == (0, 1, 0)
    assert disjoint.f_score(8, leaning="precision") == 0
    assert tuple(disjoint.compare(equal)) == (0, 0, 1)
    # P = (0.8, 0.2), Q = (0.3, 0.7)
    two = PRCurve.from_error_rates([0.2], [0.3])
    assert two.divergence("js") == pytest.approx(0.1325054509170478, rel=1e-12)
    assert tuple(equal.compare(disjoint)) == (0, 1, 0)
    assert tuple(disjoint.compare(PRCurve.from_error_rates([0], [0]))) == (1, 0, 0)


def test_collinear_classifiers_are_one_edge() -> None:
    fpr = np.arange(8) / 7
    curve = PRCurve.from_error_rates(fpr, 1 - fpr)
    assert curve.vertices.tolist() == [[0, 1], [1, 0]]


def test_drawing_points_hold_both_ends_and_every_corner() -> None:
    curve = PRCurve.from_error_rates([0, 0.1, 0.5], [0.9, 0.4, 0.0])
    lam, alpha, beta = curve.sample(50)
    assert (lam[0], lam[-1]) == (0, np.inf)
    assert (alpha[0], beta[0], alpha[-1], beta[-1]) == (0, 0.5, 0.9, 0)
    assert set(curve.breakpoints) <= set(lam)
    assert np.all(np.diff(lam) > 0)


def test_a_drawn_smooth_curve_has_few_points_and_stays_close() -> None:
    angle = np.linspace(0, np.pi / 2, 3000)
    curve = PRCurve.from_error_rates(1 - np.sin(angle), 1 - np.cos(angle))
    lam, alpha, beta = curve.sample(200)
    assert len(lam) < 250
    fine = np.tan(np.linspace(0.01, np.pi / 2 - 0.01, 5000))
    drawn = np.interp(curve.beta(fine), beta[::-1], alpha[::-1])
    np.testing.assert_allclose(drawn, curve.alpha(fine), atol=2e-3)


@given(curves())
def test_a_drawn_curve_without_area_or_edges_still_has_its_ends(curve: PRCurve) -> None:
    lam, alpha, beta = curve.sample(20)
    assert (lam[0], lam[-1]) == (0, np.inf)
    assert (beta[0], alpha[-1]) == (curve.extreme_recall, curve.extreme_precision)


def slow_rates(c_real: list[int], c_generated: list[int], n_real: int) -> set[tuple[float, float]]:
    """Every gamma in [0, inf]: between two keys, both sides of each, and both ends, straight from
    the definition.
    """
    keys = [y / x for x, y in zip(c_real, c_generated, strict=True) if x > 0] + [1.0]
    gammas = sorted({g for key in keys for g in (key * 0.999999, key, key * 1.000001)} | {1.0})
    pairs = list(zip(c_real, c_generated, strict=True))
    between = [
        [
            gamma * x >= y * (1 - 1e-12) if gamma >= 1 else gamma * x > y * (1 + 1e-12)
            for x, y in pairs
        ]
        for gamma in gammas
    ]
    found = set()
    n_generated = len(c_real) - n_real
    for called in [*between, [x > 0 for x in c_real], [y == 0 for y in c_generated]]:
        found.add(((n_real - sum(called[:n_real])) / n_real, sum(called[n_real:]) / n_generated))
    return found


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12),
    st.integers(1, 11),
)
def test_error_rates_follow_the_definition(supports: list[tuple[int, int]], n_real: int) -> None:
    n_real = min(n_real, len(supports) - 1)
    c_real, c_generated = (list(column) for column in zip(*supports, strict=True))
    rates = ErrorRates.from_supports(c_real, c_generated, n_real)
    ours = set(zip(rates.fpr.tolist(), rates.fnr.tolist(), strict=True)) | {(1.0, 0.0)}
    assert slow_rates(c_real, c_generated, n_real) <= ours | {(1.0, 0.0)}
    brute = PRCurve.from_error_rates(*zip(*slow_rates(c_real, c_generated, n_real), strict=True))
    assert rates.curve().iou(brute) == pytest.approx(1, abs=1e-9)


def test_never_real_and_undecided_keys() -> None:
    # Real: 3/1, 0/0. Generated: 0/5 (never real), 0/0. Two prefixes, then [c_X > 0] and [c_Y = 0].
    rates = ErrorRates.from_supports([3, 0, 0, 0], [1, 0, 5, 0], 2)
    assert list(zip(rates.fpr, rates.fnr, strict=True)) == [
        (0.5, 0.0),
        (0.0, 0.5),
        (0.5, 0.0),
        (0.5, 0.5),
    ]


def test_samples_in_no_ball_are_called_generated_at_one_end_and_real_at_the_other() -> None:
    # Three real and four generated samples; the last generated one lies in balls of both kinds, as
    # do two real ones.
    rates = ErrorRates.from_supports([1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 1], 3)
    assert (1 / 3, 1 / 4) in set(zip(rates.fpr, rates.fnr, strict=True))  # [c_X > 0]
    assert rates.curve().alpha(1.0) == pytest.approx(7 / 12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: PRCurve.from_error_rates([1.2], [0]),
            r"fpr holds 1.2; every rate must lie in \[0, 1\]",
        ),
        (lambda: PRCurve.from_error_rates([float("nan")], [0]), "fpr holds nan"),
        (lambda: PRCurve.from_error_rates([0.1, 0.2], [0]), "fpr has 2 entries, fnr has 1"),
        (lambda: PRCurve(np.array([[0.1, 0.2]])), "from_error_rates"),
        *(
            (lambda vertices=vertices: PRCurve(np.array(vertices)), "vertices")
            for vertices in (
                [0.0, 1.0],
                [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
                np.empty((0, 2)),
                [[0.0, 1.0], [1.0, 0.1]],
                [[0.0, 1.0], [0.0, 0.5], [1.0, 0.0]],
                [[0.0, 1.0], [0.5, 0.0], [1.0, 0.0]],
                [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]],
                [[0.0, 1.0], [0.6, 0.6], [1.0, 0.0]],
                [[0.0, 1.5], [1.0, 0.0]],
                [[0.0, 1.0], [0.5, 0.2], [1.5, 0.0]],
                [[0.0, 1.0], [0.5, 0.25], [0.4, 0.0]],
            )
        ),
        (lambda: PRCurve.mean([]), "at least one curve"),
        (lambda: PRCurve.from_error_rates([], []).alpha(-1), "lam = -1"),
        (lambda: PRCurve.from_error_rates([], []).f_score(0, leaning="recall"), "b = 0"),
        (lambda: PRCurve.from_error_rates([], []).f_score(8, leaning="both"), "leaning = 'both'"),
        (lambda: PRCurve.from_error_rates([], []).precision_at(2), "recall = 2"),
        (
            lambda: ErrorRates.from_supports([1, 2], [1, 2], 2),
            "n_real = 2; an integer from 1 to 1 of 2",
        ),
        (lambda: ErrorRates.from_supports([1, -2], [1, 2], 1), "non-negative"),
        (lambda: ErrorRates.from_supports([1, 2, 3], [1, 2], 1), "shapes"),
        (lambda: ErrorRates.from_supports([[1], [2]], [[1], [2]], 1), "shapes"),
    ],
)
def test_bad_input_is_named(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_curves_are_read_only_and_survive_a_pickle() -> None:
    curve = PRCurve.from_error_rates([0.1], [0.2])
    again = pickle.loads(pickle.dumps(curve))
    for item in (curve, again):
        with pytest.raises(ValueError, match="read-only"):
            item.vertices[0, 0] = 1
    assert np.array_equal(curve.vertices, again.vertices)


def test_arrays_of_two_axes_keep_their_places() -> None:
    curve = PRCurve.from_error_rates([0.0, 0.2, 0.5], [0.6, 0.2, 0.0])
    lams = np.array([[0.1, 0.5, 1.0], [2.0, 5.0, np.inf]])
    for values in (curve.alpha, curve.beta):
        np.testing.assert_array_equal(values(lams), [[values(lam) for lam in row] for row in lams])


def test_one_lam_gives_the_bits_that_an_array_of_them_gives():
    rng = np.random.default_rng(0)
    for size in (0, 1, 3, 40):
        curve = PRCurve.from_error_rates(*(1 - rng.random((2, size)) ** 3))
        lams = np.concatenate(
            ([0.0, 1e-300, 1.0, 1e300, np.inf], curve.breakpoints, rng.exponential(size=20))
        )
        for values, one in ((curve.alpha(lams), curve.alpha), (curve.beta(lams), curve.beta)):
            single = [one(float(lam)) for lam in lams]
            assert {type(each) for each in single} == {float}
            assert single == values.tolist()
            # of a NumPy float too
            assert [type(one(lam)) for lam in lams[:3]] == [
                float,
                float,
                float,
            ]


def test_rates_are_real_and_curves_are_compared_with_curves():
    with pytest.raises(TypeError, match=r"fpr = array.*; rates in \[0, 1\] are needed"):
        PRCurve.from_error_rates([0.1j], [0.0])
    with pytest.raises(TypeError, match="list"):
        PRCurve.from_error_rates([], []).compare([])


def test_the_precision_at_the_last_recall_is_that_of_the_last_corner():
    """Where rounding puts the corner's recall on either side of the one that is asked for."""
    for seed in range(40):
        rates = np.random.default_rng(seed).uniform(0.1, 0.9, (2, 6))
        curve = PRCurve.from_error_rates([*rates[0], 0.9], [*rates[1], 0.0])
        expected = curve.alpha(curve.breakpoints[-1])
        assert curve.precision_at(curve.extreme_recall) == pytest.approx(expected, rel=1e-9)
