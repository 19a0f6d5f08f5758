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
    for sets in (pair, (pair.real.values, pair.generated.values.tolist())):
        assert same(pr_curve(*sets, method, **options), curve)
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


def test_a_family_that_shares_no_pass_has_its_part_of_the_progress():
    drawn = gaussians().split(0.5, 0)
    hub = ("hub", 2, None)
    wanted = [hub, ("knn", 2, None), ("hub", 3, None), hub, ("kde", 3, 1.0)]
    seen = []
    measure(drawn, wanted, 0, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[0] < 0.5
    assert {0.5, 0.75, 1.0} <= set(seen)
    alone = []
    measure(drawn, [hub], 0, progress=alone.append)
    assert set(alone) == {0, 1}


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
    once: list[float] = []
    repeated: list[float] = []
    estimate(gaussians(), progress=once.append)
    estimate_repeated(gaussians, repeats=3, progress=repeated.append)
    for seen in (once, repeated):
        assert seen == sorted(seen)
        assert seen[-1] == 1
    assert repeated[0] < 0.4


def test_repeats_draw_and_split_by_their_seed():
    curves = estimate_repeated(gaussians, ("knn", "ipr"), repeats=3, k=3, seed=5)
    assert list(curves) == ["knn", "ipr"]
    for seed, each in enumerate(curves["knn"], start=5):
        assert same(each.curve, pr_curve(*gaussians(seed), "knn", k=3, seed=seed))


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


@pytest.mark.parametrize("split", [0.5, None])
def test_mean_radius_is_the_mean_of_both_sets(split):
    pair = gaussians()
    radii = [slow_twins.mean_own_radius(each.values, 4) for each in pair.split(split, 2).fit]
    assert mean_radius(pair, k=4, split=split, seed=2) == np.mean(radii)


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
    (cell,) = sweep_cells(SweepGrid("mixtures", "KNN", splits=[word]))
    assert cell.split is None
    with pytest.raises(ValueError, match=r"split = None; a share in \(0, 1\) is needed"):
        prviz.upper_bound(*pair, split=word)


PAIR = gaussians()
REAL, GENERATED = PAIR
METHODS = "one or more of knn, kde, ipr, coverage, eas, .* are needed"
METHOD = "method = .*; one of knn, kde, .* is needed"
SHARE = "a share between 0 and 1"
LIST_OF_K = 'ks = .*; a list of integers from 1 or "sqrt"'
LIST_OF_WIDTHS = "bandwidths = .*; a list of positive numbers is needed"
BYTES = "memory_limit = .*; a number of bytes is needed"
TWO_SETS = "generated is missing; two sets of samples are needed"


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ValueError, METHODS, partial(estimate, PAIR, "nearest")),
        (ValueError, METHODS, partial(estimate, PAIR, ("knn", "fid"))),
        (ValueError, METHODS, partial(estimate, PAIR, ())),
        (ValueError, "methods = 5; " + METHODS, partial(estimate, PAIR, 5)),
        (ValueError, "methods = 'K-NN'; " + METHODS, partial(estimate, PAIR, "K-NN")),
        (ValueError, METHOD, partial(pr_curve, *PAIR, None)),
        (ValueError, METHOD, partial(pr_curve, *PAIR, [])),
        (ValueError, METHOD, partial(pr_curve, *PAIR, ["knn", "ipr"])),
        (ValueError, METHOD, partial(prviz.compare, REAL, *PAIR, method=[])),
        (ValueError, METHOD, partial(prviz.compare, REAL, *PAIR, method=["knn", "ipr"])),
        (ValueError, "split = 0.0", partial(estimate, PAIR, split=0.0)),
        (ValueError, "split = 1.0", partial(estimate, PAIR, split=1.0)),
        (ValueError, "split = 1.5", partial(estimate, PAIR, split=1.5)),
        (TypeError, f"split = 'half'; {SHARE} .* or None", partial(estimate, PAIR, split="half")),
        (TypeError, f"split = True; {SHARE}", partial(estimate, PAIR, split=True)),
        (TypeError, f"split = '0.5'; {SHARE}", partial(prviz.preflight, PAIR, split="0.5")),
        (TypeError, f"split = 'half'; {SHARE}", partial(prviz.sweep, "mixtures", splits=["half"])),
        (TypeError, LIST_OF_K, partial(prviz.profile, *PAIR, "knn", 5)),
        (TypeError, LIST_OF_K, partial(prviz.profile, *PAIR, "knn", "sqrt")),
        (TypeError, LIST_OF_K, partial(prviz.upper_bound, *PAIR, "knn", ks=2.5)),
        (TypeError, LIST_OF_K, partial(prviz.upper_bound, *PAIR, "knn", ks="sqrt")),
        (TypeError, LIST_OF_WIDTHS, partial(prviz.profile, *PAIR, "kde", bandwidths=0.5)),
        (TypeError, LIST_OF_WIDTHS, partial(prviz.profile, *PAIR, "kde", bandwidths="all")),
        (TypeError, BYTES, partial(estimate, PAIR, memory_limit="1GB")),
        (TypeError, BYTES, partial(estimate, PAIR, memory_limit=None)),
        (TypeError, BYTES, partial(prviz.approximate, *PAIR, memory_limit="1GB")),
        (TypeError, BYTES, partial(prviz.witness, PAIR, memory_limit=None)),
        (ValueError, "k must be 1 to", partial(mean_radius, PAIR, k=60, split=None)),
        (ValueError, "repeats = 0", partial(estimate_repeated, gaussians, repeats=0)),
        (ValueError, "8 features, generated ones have 9", partial(pr_curve, REAL, np.eye(9))),
        (TypeError, TWO_SETS, partial(prviz.estimate, REAL)),
        (TypeError, TWO_SETS, partial(prviz.preflight, REAL)),
        (ValueError, "no generated set; at least 2", partial(prviz.compare, REAL, {})),
        (ValueError, "1 generated set; at least 2", partial(prviz.compare, REAL, {"a": GENERATED})),
        (
            TypeError,
            r"scalars\(\): nearest_k is called k here",
            partial(prviz.scalars, *PAIR, nearest_k=5),
        ),
        (
            TypeError,
            "fake_features is called generated here",
            partial(pr_curve, real_features=1, fake_features=2),
        ),
        (
            TypeError,
            "Samples; one Estimate is needed, such as prviz.estimate",
            partial(prviz.bootstrap, *PAIR),
        ),
        (
            TypeError,
            "type Estimates; one Estimate is needed",
            partial(prviz.bootstrap, prviz.estimate(PAIR)),
        ),
        (
            TypeError,
            r"curves = Estimates\(.*a list of curves is needed",
            partial(prviz.spread, prviz.estimate(PAIR)),
        ),
        (ValueError, "0 curves", partial(band, [])),
        (
            TypeError,
            "labels is list; a mapping of names to columns is needed",
            partial(Samples, REAL.values, labels=["a"]),
        ),
    ],
)
def test_what_is_refused_is_answered_by_what_is_accepted(error, message, call):
    with pytest.raises(error, match=message):
        call()


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


def test_a_family_that_was_not_measured_is_named_beside_those_that_were():
    found = prviz.estimate(gaussians(), ("knn", "ipr"))
    with pytest.raises(KeyError, match="'kde' was not measured; knn, ipr are there"):
        found["kde"]
    assert found.get("kde") is None
