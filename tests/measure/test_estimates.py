"""Estimates: one pass or many, repeats and their band, and illegal arguments."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import prviz
from prviz.curves import ErrorRates, PRCurve
from prviz.curves.band import band
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, Estimator, Supports
from prviz.measure.estimates import (
    Estimate,
    estimate,
    estimate_repeated,
    judged,
    mean_radius,
    measure,
    of_evaluation,
    pr_curve,
)
from prviz.measure.profiles import profile, profile_pair
from prviz.samples import SamplePair, Samples
from prviz.studies.sweeps import SweepGrid, sweep_cells
from prviz.triage.measured import TriageSettings
from tests import slow_twins


def gaussians(seed: int = 0, n_real: int = 80, n_generated: int = 60, d: int = 8) -> SamplePair:
    rng = np.random.default_rng(seed)
    return SamplePair(rng.normal(size=(n_real, d)), rng.normal(size=(n_generated, d)) + 0.5)


def same(one: PRCurve, other: PRCurve) -> bool:
    return np.array_equal(one.vertices, other.vertices)


@pytest.mark.parametrize("method", DEFAULT_METHODS)
def test_every_way_to_one_curve_gives_the_same(method):
    pair = gaussians()
    options = {"k": 4, "split": 0.4, "seed": 7}
    found = estimate(pair, **options)[method]
    twin = slow_twins.supports(pair.split(0.4, 7), method, 4, None)
    curve = ErrorRates.from_supports(*twin, found.supports.n_real).curve()
    assert same(found.curve, curve)
    assert same(found.rates.curve(), curve)
    assert same(estimate(pair, method, **options)[method].curve, curve)
    assert same(pr_curve(pair.real, pair.generated, method, **options), curve)
    assert same(
        pr_curve(pair.real.values, pair.generated.values.tolist(), method, **options), curve
    )
    assert same(profile(*pair, [method], [4], (), 0.4, 7).curve(method, 4), curve)


def test_methods_keep_the_order_asked_for():
    assert list(estimate(gaussians(), ["coverage", "knn", "coverage"])) == ["coverage", "knn"]
    assert list(estimate(gaussians())) == list(DEFAULT_METHODS)


def test_the_seed_draws_the_split():
    pair = gaussians()
    one, again, other = (
        estimate(pair, "knn", seed=seed)["knn"].supports.c_real for seed in (1, 1, 2)
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_float16_and_integers_count_as_what_they_are():
    rng = np.random.default_rng(0)
    real, generated = rng.normal(size=(2, 50, 8)).astype(np.float16)
    wide = pr_curve(real.astype(np.float64), generated.astype(np.float64), k=3)
    assert same(pr_curve(real, generated, k=3), wide)
    assert same(pr_curve(Samples(real), generated, k=3), wide)


@pytest.mark.parametrize("methods", ["nearest", ("knn", "fid"), ()])
def test_unknown_methods_are_named(methods):
    with pytest.raises(
        ValueError, match=r"one or more of knn, kde, ipr, coverage, eas, .* are needed"
    ):
        estimate(gaussians(), methods)


def test_dimensions_must_agree():
    with pytest.raises(ValueError, match="8 features, generated ones have 9"):
        pr_curve(np.zeros((9, 8)), np.zeros((9, 9)))


@pytest.mark.parametrize("split", [0.0, 1.0, 1.5])
def test_split_must_be_a_share(split):
    with pytest.raises(ValueError, match="split = "):
        estimate(gaussians(), split=split)


def test_a_family_that_shares_no_pass_has_its_part_of_the_progress():
    drawn = gaussians().split(0.5, 0)
    wanted = [
        ("hub", 2, None),
        ("knn", 2, None),
        ("hub", 3, None),
        ("hub", 2, None),
        ("kde", 3, 1.0),
    ]
    seen = []
    measure(drawn, wanted, 0, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[0] < 0.5
    assert {0.5, 0.75, 1.0} <= set(seen)
    alone = []
    measure(drawn, wanted[:1], 0, progress=alone.append)
    assert sorted(set(alone)) == [0.0, 1.0]


@pytest.mark.parametrize("method", ["hub", "ppr"])
@pytest.mark.parametrize("ks", [(1, 2, 3, 4), range(1, 9)], ids=["one by one", "by a table"])
def test_a_profile_of_a_slow_family_can_be_stopped_between_two_k(method, ks):
    seen = []

    def stop(fraction):
        seen.append(fraction)
        if fraction >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        profile_pair(gaussians(), (method,), ks=ks, progress=stop)
    assert seen[-1] == 0.5


def test_progress_covers_the_whole():
    seen: list[float] = []
    estimate(gaussians(), progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    seen.clear()
    estimate_repeated(gaussians, repeats=3, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert any(fraction < 0.4 for fraction in seen)


def test_repeats_draw_and_split_by_their_seed():
    curves = estimate_repeated(gaussians, ("knn", "ipr"), repeats=3, k=3, seed=5)
    assert list(curves) == ["knn", "ipr"]
    for repeat, each in enumerate(curves["knn"]):
        assert same(
            each.curve, estimate(gaussians(5 + repeat), "knn", k=3, seed=5 + repeat)["knn"].curve
        )
    with pytest.raises(ValueError, match="repeats = 0"):
        estimate_repeated(gaussians, repeats=0)


def test_band_is_mean_and_deviation_along_rays():
    curves = [each.curve for each in estimate_repeated(gaussians, "knn", repeats=5)["knn"]]
    spread = band(curves, points=41)
    assert len(spread.lam) == 41
    assert spread.lam[0] == 0
    assert spread.lam[-1] == np.inf
    assert spread.lam[20] == pytest.approx(1)
    alphas = np.array([[curve.alpha(lam) for lam in spread.lam] for curve in curves])
    np.testing.assert_allclose(spread.alpha_mean, alphas.mean(axis=0))
    np.testing.assert_allclose(spread.alpha_sd, alphas.std(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        spread.alpha_mean, PRCurve.mean(curves).alpha(spread.lam), atol=1e-12
    )
    inner = slice(1, -1)
    for beta, alpha in ((spread.beta_low, spread.alpha_low), (spread.beta_high, spread.alpha_high)):
        np.testing.assert_allclose(spread.lam[inner] * beta[inner], alpha[inner], atol=1e-12)
    assert spread.beta_mean[0] == pytest.approx(np.mean([curve.extreme_recall for curve in curves]))
    assert spread.alpha_mean[-1] == pytest.approx(
        np.mean([curve.extreme_precision for curve in curves])
    )


def test_band_of_one_curve_has_no_width():
    spread = band([estimate(gaussians(), "knn")["knn"].curve])
    assert np.all(spread.alpha_sd == 0)
    assert np.array_equal(spread.beta_low, spread.beta_high)
    with pytest.raises(ValueError, match="0 curves"):
        band([])


@pytest.mark.parametrize("split", [0.5, None])
def test_mean_radius_is_the_mean_of_both_sets(split):
    pair = gaussians()
    radii = [slow_twins.mean_own_radius(each.values, 4) for each in pair.split(split, 2).fit]
    assert mean_radius(pair, k=4, split=split, seed=2) == np.mean(radii)
    with pytest.raises(ValueError, match="k must be 1 to"):
        mean_radius(pair, k=60, split=split)


class _Norm(Estimator):
    """A family that counts in no balls: the farther out, the more it looks generated."""

    name = "norm"
    about = ESTIMATORS["knn"].about
    title = "Norm"
    idea = "How far out?"
    source = "this test"
    tunes = "k"

    def runs(self, split, *, k, seed, progress) -> tuple[Supports, ...]:
        norms = np.concatenate([np.linalg.norm(each.values, axis=1) for each in split.evaluate])
        return (Supports(np.ones(len(norms)), norms**k, split.evaluate.real.n),)


def test_a_family_may_compute_its_supports_itself(monkeypatch):
    monkeypatch.setitem(ESTIMATORS, "norm", _Norm())
    pair = gaussians()
    found = estimate(pair, ("norm", "knn"), k=2)
    evaluated = pair.split(0.5, 0).evaluate
    norms = [np.sum(each.values**2, axis=1) for each in evaluated]
    keys = np.unique(np.concatenate(norms))
    fpr = [np.mean(norms[0] > key) for key in keys]
    fnr = [np.mean(norms[1] <= key) for key in keys]
    assert same(found["norm"].curve, PRCurve.from_error_rates(fpr, fnr))
    assert same(found["knn"].curve, estimate(pair, "knn", k=2)["knn"].curve)
    assert profile(*pair, ("norm",), (3,)).estimate("norm", 3).method == "norm"


def test_two_sets_do_where_a_pair_does():
    pair = gaussians()
    for two, one in (
        (prviz.estimate(*pair, ("knn", "ipr"), k=3), prviz.estimate(pair, ("knn", "ipr"), k=3)),
        (prviz.estimate(*map(np.asarray, pair)), prviz.estimate(pair)),
    ):
        assert list(two) == list(one)
        assert all(same(two[name].curve, one[name].curve) for name in two)
    assert prviz.preflight(*pair, k=3).findings == prviz.preflight(pair, k=3).findings
    for call in (prviz.estimate, prviz.preflight):
        with pytest.raises(TypeError, match="generated is missing; two sets of samples are needed"):
            call(pair.real)


@pytest.mark.parametrize("word", ["none", "None", "NONE "])
def test_the_words_of_the_shell_mean_the_same_in_python(word):
    pair = gaussians()
    plain = {"k": 3, "split": None}
    spelled = {"k": 3, "split": word}
    assert same(prviz.pr_curve(*pair, "KNN", **spelled), prviz.pr_curve(*pair, "knn", **plain))
    assert list(prviz.estimate(*pair, "Prc:c=4", **spelled)) == ["prc:c=4"]
    assert prviz.profile(*pair, "KnN", [3], (), word).ks == (3,)
    assert prviz.preflight(pair, **spelled).findings == prviz.preflight(pair, **plain).findings
    assert TriageSettings(("KNN",), split=word) == TriageSettings(("knn",), split=None)
    assert [cell.split for cell in sweep_cells(SweepGrid("mixtures", "KNN", splits=[word]))] == [
        None
    ]
    with pytest.raises(ValueError, match=r"split = None; a share in \(0, 1\) is needed"):
        prviz.upper_bound(*pair, split=word)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda pair: prviz.pr_curve(*pair, split="half"),
            "split = 'half'; a share between 0 and 1 .* or None",
        ),
        (lambda pair: prviz.pr_curve(*pair, split=True), "split = True; a share between 0 and 1"),
        (lambda pair: prviz.preflight(pair, split="0.5"), "split = '0.5'; a share between 0 and 1"),
        (
            lambda pair: sweep_cells(SweepGrid("mixtures", splits=["half"])),
            "split = 'half'; a share between 0 and 1",
        ),
        (
            lambda pair: prviz.estimate(*pair, 5),
            "methods = 5; one or more of knn, kde, .* are needed",
        ),
        (lambda pair: prviz.estimate(*pair, "K-NN"), "methods = 'K-NN'; one or more of knn"),
        (
            lambda pair: prviz.scalars(*pair, nearest_k=5),
            r"scalars\(\): nearest_k is called k here",
        ),
        (
            lambda pair: prviz.pr_curve(real_features=1, fake_features=2),
            "fake_features is called generated here",
        ),
        (
            lambda pair: prviz.bootstrap(*pair),
            r"Samples; one Estimate is needed, such as prviz.estimate",
        ),
        (
            lambda pair: prviz.bootstrap(prviz.estimate(pair)),
            "type Estimates; one Estimate is needed",
        ),
    ],
)
def test_what_is_misspelled_is_answered_by_what_is_accepted(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(gaussians())


@pytest.mark.parametrize("grouped", [False, True])
def test_of_a_family_that_judges_all_those_of_the_evaluation_are_taken(grouped):
    split = gaussians().split(0.5, 0)
    n = split.pair.real.n + split.pair.generated.n
    groups = np.arange(n) // 2 if grouped else None
    supports = Supports(np.arange(n), n - np.arange(n), split.pair.real.n, groups=groups)
    assert of_evaluation(Estimate("knn", 1, None, (supports,)), split) is supports
    assert judged("knn", split) is split
    taken = of_evaluation(Estimate("tightest", None, None, (supports,)), split)
    real, generated = split.evaluate_rows
    rows = [*real, *(split.pair.real.n + generated)]
    assert taken.c_real.tolist() == rows
    assert taken.c_generated.tolist() == (n - np.array(rows)).tolist()
    assert taken.n_real == len(real)
    assert (taken.groups is None) == (not grouped)
    if grouped:
        assert taken.groups.tolist() == (np.array(rows) // 2).tolist()
    assert [len(each) for each in judged("tightest", split).evaluate_rows] == [80, 60]


@pytest.mark.parametrize("method", [None, [], ["knn", "ipr"]])
def test_a_single_curve_is_of_one_method(method):
    pair = gaussians()
    for call in (prviz.pr_curve, partial(prviz.compare, pair.real)):
        with pytest.raises(ValueError, match=r"method = .*; one of knn, kde, .* is needed"):
            call(*pair, method=method)


@pytest.mark.parametrize("ks", [5, "sqrt", 2.5])
def test_several_k_are_a_list(ks):
    for call in (prviz.profile, prviz.upper_bound):
        with pytest.raises(TypeError, match=r'ks = .*; a list of integers from 1 or "sqrt"'):
            call(*gaussians(), "knn", ks=ks)


@pytest.mark.parametrize("widths", [0.5, "all"])
def test_bandwidths_are_a_list(widths):
    with pytest.raises(TypeError, match=r"bandwidths = .*; a list of positive numbers is needed"):
        prviz.profile(*gaussians(), "kde", bandwidths=widths)


@pytest.mark.parametrize("limit", ["1GB", None])
def test_a_memory_limit_is_a_number_of_bytes(limit):
    with pytest.raises(TypeError, match=r"memory_limit = .*; a number of bytes is needed"):
        prviz.estimate(gaussians(), memory_limit=limit)
    with pytest.raises(TypeError, match=r"memory_limit = .*; a number of bytes is needed"):
        prviz.approximate(*gaussians(), memory_limit=limit)
    with pytest.raises(TypeError, match=r"memory_limit = .*; a number of bytes is needed"):
        prviz.witness(gaussians(), memory_limit=limit)


def test_a_family_that_was_not_measured_is_named_beside_those_that_were():
    found = prviz.estimate(gaussians(), ("knn", "ipr"))
    with pytest.raises(KeyError, match="'kde' was not measured; knn, ipr are there"):
        found["kde"]
    assert found.get("kde") is None


def test_curves_and_labels_of_another_kind_are_named():
    pair = gaussians()
    with pytest.raises(TypeError, match=r"curves = Estimates\(.*a list of curves is needed"):
        prviz.spread(prviz.estimate(pair))
    with pytest.raises(TypeError, match="labels is list; a mapping of names to columns is needed"):
        prviz.Samples(pair.real.values, labels=["a"] * pair.real.n)


def test_one_and_no_generated_set_are_too_few_to_compare():
    real, generated = gaussians()
    for sets, number in (({}, "no"), ({"a": generated}, "1")):
        with pytest.raises(ValueError, match=f"{number} generated set; at least 2 are needed"):
            prviz.compare(real, sets)
