"""Every toy problem: sampler against log ratio against truth."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from prviz.curves import ground_truth
from prviz.toys import TOYS, SupportMasses, ToyProblem, toy

CASES = [(name, label) for name in TOYS for label in toy(name).presets or {"default": {}}]
N = 25_000
CHUNK = 25_000
CHUNK_VALUES = 5_120_000
# Away from the ratios at which the finite problems have atoms.
THRESHOLDS = np.array([-3.0, -1.5, -0.8, -0.4, -0.05, 0.05, 0.4, 0.8, 1.5, 3.0]) + 0.0137


def preset(name: str, label: str) -> ToyProblem:
    return toy(name, **toy(name).presets.get(label, {}))


def chunk_size(problem: ToyProblem, n: int) -> int:
    """Number of samples held in memory at once."""
    return min(CHUNK, n, CHUNK_VALUES // problem.d)


def log_ratios(problem: ToyProblem, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Log ratios of n samples per side, drawn in chunks of their own seeds."""
    chunk = chunk_size(problem, n)
    ratios = [
        [problem.log_ratio(side) for side in problem.sample(chunk, seed)]
        for seed in range(n // chunk)
    ]
    real, generated = (np.concatenate(side) for side in zip(*ratios, strict=True))
    return real, generated


def assert_rates_agree(problem: ToyProblem, n: int) -> None:
    real, generated = log_ratios(problem, n)
    fpr, fnr = ground_truth.likelihood_ratio_rates(real, generated, THRESHOLDS)
    lam = np.exp(THRESHOLDS)
    truth = problem.truth()
    f, g = truth.vertices[truth.vertex_at(lam)].T
    # One outlier per chunk moves a rate by 1 / chunk; a rate near 0 has a Poisson tail, hence the +
    # 1.
    slack = 1 / chunk_size(problem, n)
    f_error, g_error = (5 * np.sqrt((rate * (1 - rate) + 1 / n) / n) + slack for rate in (f, g))
    # The classifier has the truth's value at its own lam ...
    assert np.all(np.abs(lam * fpr + fnr - truth.alpha(lam)) <= lam * f_error + g_error)
    # ... at the truth's own place, up to the distance of two vertices.
    assert np.all(np.abs(fpr - f) <= f_error + 0.002)
    assert np.all(np.abs(fnr - g) <= g_error + 0.002)
    # dQ = exp(log ratio) dP on any set where both have mass.
    for low, high in ((-2.0, -0.02), (-0.02, 0.02), (0.02, 2.0)):
        weights = np.where((real > low) & (real <= high), np.exp(np.minimum(real, high)), 0.0)
        share = np.mean((generated > low) & (generated <= high))
        error = np.sqrt((weights.var() + share * (1 - share) + 1 / n) / n)
        assert weights.mean() == pytest.approx(share, abs=5 * error + 10 * slack)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "label"), CASES)
def test_the_likelihood_ratio_classifier_has_the_rates_of_the_truth(name, label):
    problem = preset(name, label)
    # A shift's rates don't depend on the dimension: fewer samples suffice where each is long.
    assert_rates_agree(problem, N if problem.d < 1000 else N // 10)


@pytest.mark.parametrize("shift", [1.0, 2.0])
def test_the_truth_of_a_shift_does_not_depend_on_the_dimension(shift):
    problem = toy("high-dimension", shift=shift)
    assert problem.d == 2048
    assert problem.truth().auc == toy("high-dimension", shift=shift, d=64).truth().auc


@pytest.mark.parametrize("name", ["mixtures", "narrow-gaussian"])
def test_the_truth_agrees_with_monte_carlo(name):
    problem = toy(name, d=2, **({"sigma": 0.4} if name == "narrow-gaussian" else {}))
    sampled = problem.truth_by_sampling(100_000, seed=4)
    assert sampled.curve.auc == pytest.approx(problem.truth().auc, abs=5 * sampled.auc_error)


# --- the log ratio against densities written out in full ---


def gaussian_log_densities(problem, z):
    """(log p, log q) by scipy, from the parameters alone."""
    ones = np.ones(problem.d)
    identity = np.eye(problem.d)
    values = problem.parameters
    place = values.get("mu", values.get("position", values.get("shift", 0) / np.sqrt(problem.d)))
    scale = values.get("scale", values.get("sigma", 1))
    p = stats.multivariate_normal(0 * ones, identity).logpdf(z)
    return p, stats.multivariate_normal(place * ones, scale**2 * identity).logpdf(z)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("shifted-gaussians", {"mu": 0.7}),
        ("shifted-gaussians", {"mu": 0.0}),
        ("identical", {}),
        ("outlier", {"mu": 0.3}),
        ("high-dimension", {"shift": 2.5}),
        ("scaled-gaussian", {"scale": 0.4}),
        ("scaled-gaussian", {"scale": 3.0}),
        ("narrow-gaussian", {"position": -0.5, "sigma": 0.3}),
    ],
)
def test_gaussian_log_ratios_are_differences_of_log_densities(name, parameters):
    problem = toy(name, d=5, **parameters)
    z = np.random.default_rng(0).normal(0, 2, (50, 5))
    p, q = gaussian_log_densities(problem, z)
    assert_allclose(problem.log_ratio(z), q - p, atol=1e-9)


def test_the_mixtures_log_ratio_is_that_of_the_full_densities():
    problem = toy(
        "mixtures", d=3, means=(0, -1, 2), real_weights=(1, 1, 0), generated_weights=(0, 0.2, 0.6)
    )
    z = np.random.default_rng(0).normal(0, 2, (50, 3))
    modes = np.array([stats.multivariate_normal(np.full(3, m)).pdf(z) for m in (0, -1, 2)])
    expected = np.log([0, 0.25, 0.75] @ modes) - np.log([0.5, 0.5, 0] @ modes)
    assert_allclose(problem.log_ratio(z), expected, atol=1e-9)


def test_log_ratios_of_boxes_and_classes():
    nested = toy("boxes", d=2, volume=0.25, overlap=1.0)  # [0.5, 1]^2 inside [0, 1]^2
    points = [[0.75, 0.6], [0.25, 0.6], [1.5, 0.5]]
    assert_allclose(nested.log_ratio(points), [np.log(4), -np.inf, 0])
    overlapping = toy("boxes", d=2, volume=1.0, overlap=0.25)  # [0.5, 1.5]^2
    assert_allclose(
        overlapping.log_ratio([[0.6, 0.9], [1.4, 1.4], [0.1, 0.1]]), [0, np.inf, -np.inf]
    )
    example = toy("finite", real_weights=(0.9, 0.1, 0, 0), generated_weights=(0.5, 0, 0.5, 0))
    centres = np.array([[0, 0], [3, 0], [0, 3], [3, 3], [1.5, 0], [-3, 0]])
    assert_allclose(example.log_ratio(centres), [np.log(5 / 9), -np.inf, np.inf, 0, 0, 0])


def test_the_dirac_problem_is_singular():
    problem = toy("dirac", d=3, position=0.5)
    assert_allclose(problem.log_ratio([[0.5, 0.5, 0.5], [0.5, 0.5, 0.4]]), [np.inf, -np.inf])
    assert problem.support_masses == SupportMasses(1, 0, 0, 0)
    assert problem.truth().auc == 0
    assert (problem.truth().extreme_precision, problem.truth().extreme_recall) == (0, 0)


# --- closed forms of single problems ---


def test_classes_in_common_make_a_rectangle():
    for share in (0, 0.25, 0.5, 1):
        problem = toy("classes", share=share)
        truth = problem.truth()
        assert_allclose(truth.alpha([0.3, 1.0, 5.0]), share * np.array([0.3, 1, 1]), atol=1e-12)
    rounded = toy("classes", classes=7, share=0.5)
    assert rounded.rho == 4 / 7
    assert rounded.truth().extreme_precision == pytest.approx(4 / 7)


def test_classes_are_far_apart_and_all_drawn():
    problem = toy("classes", d=3, classes=20, share=0.5, separation=5.0)
    real, generated = problem.sample(4000, seed=1)
    seen = [set(problem.cell_of(side.values).tolist()) for side in (real, generated)]
    assert seen == [set(range(20)), set(range(10, 30))]
    classes = problem.cell_of(real.values)
    centres = np.array([real.values[classes == c].mean(axis=0) for c in range(20)])
    gaps = np.linalg.norm(centres[:, None] - centres, axis=2)[~np.eye(20, dtype=bool)]
    assert gaps.min() > 4.5


def test_boxes_make_a_rectangle():
    for volume, overlap in ((1, 0.2), (0.2, 1), (5, 1), (1, 0), (2, 0.3)):
        truth = toy("boxes", volume=volume, overlap=overlap).truth()
        common = overlap * min(1, volume)
        lam = np.array([0.1, 1, 4])
        assert_allclose(truth.alpha(lam), np.minimum(lam * common, common / volume), atol=1e-12)


def test_the_six_small_examples():
    truths = {label[1]: preset("finite", label).truth() for label in toy("finite").presets}
    extremes = {
        key: (truth.extreme_precision, truth.extreme_recall) for key, truth in truths.items()
    }
    assert extremes["a"] == (1, 0.5)
    assert extremes["b"] == (0.5, 1)
    assert truths["c"].auc == 1
    assert truths["d"].auc == 0
    assert extremes["e"] == extremes["f"] == (1, 1)
    # (e) keeps full precision up to recall 5/9, (f) full recall up to precision 5/9.
    assert truths["e"].precision_at(5 / 9) == pytest.approx(1)
    assert truths["f"].recall_at(5 / 9) == pytest.approx(1)
    assert truths["e"].recall_at(1) == pytest.approx(5 / 9)
    assert truths["e"].f_score(8, leaning="precision") > truths["e"].f_score(8, leaning="recall")


SWAPPED = [
    (
        ("mixtures", {}),
        ("mixtures", {"real_weights": (0, 0.5, 0.1, 0.4), "generated_weights": (0.2, 0.2, 0.6, 0)}),
    ),
    (("boxes", {"volume": 4.0, "overlap": 0.6}), ("boxes", {"volume": 0.25, "overlap": 0.6})),
    (
        ("finite", {}),
        ("finite", {"real_weights": (1, 0, 0, 0), "generated_weights": (0.5, 0.5, 0, 0)}),
    ),
    (("scaled-gaussian", {"scale": 0.8}), ("scaled-gaussian", {"scale": 1.25})),
    (("classes", {"share": 0.3}), ("classes", {"share": 0.3})),
    (("shifted-gaussians", {}), ("shifted-gaussians", {})),
]


@pytest.mark.parametrize(("problem", "swapped"), SWAPPED)
def test_swapping_the_roles_mirrors_the_truth(problem, swapped):
    lam = np.exp(np.linspace(-3, 3, 13))
    curve, mirror = (toy(name, **parameters).truth() for name, parameters in (problem, swapped))
    assert_allclose(mirror.alpha(lam), curve.beta(1 / lam), atol=3e-6)


@pytest.mark.parametrize(("name", "label"), CASES)
def test_the_masses_of_the_co_support_are_the_extremes(name, label):
    problem = preset(name, label)
    masses = problem.support_masses
    truth = problem.truth()
    assert truth.extreme_precision == pytest.approx(masses.q_of_cosupp, abs=1e-12)
    assert truth.extreme_recall == pytest.approx(masses.p_of_cosupp, abs=1e-12)
    assert masses.q_of_supp_p >= masses.q_of_cosupp
    assert masses.p_of_supp_q >= masses.p_of_cosupp
    assert problem.truth() is truth
    assert 0 <= problem.truth_error <= 1e-6
