"""classifier: never below the truth, never measured on fit samples; and `classifier_curve` for any
classifier.
"""

from __future__ import annotations

import io
import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import prviz
from prviz.curves import ErrorRates, PRCurve
from prviz.estimators import learners
from prviz.estimators.classifier import CLASSIFIER_BOOSTING, MEMBERS, WEIGHT_DECAY
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair
from tests import hard_pairs
from tests.marks import exhaustive_but

FAMILIES = ("classifier", "classifier-boosting", "classifier-mlp")


def gaussians(
    n_real: int = 300, n_generated: int = 240, d: int = 4, shift: float = 0.8
) -> SamplePair:
    rng = np.random.default_rng(6)
    return SamplePair(rng.normal(size=(n_real, d)), rng.normal(size=(n_generated, d)) + shift)


def shortfall(curve: PRCurve, truth: PRCurve) -> float:
    """Largest distance of a curve below the truth, in units of the error rates: alpha / (1 + lam)
    is their mean.
    """
    lam = np.tan(np.linspace(0.001, np.pi / 2 - 0.001, 400))
    return float(np.max((truth.alpha(lam) - curve.alpha(lam)) / (1 + lam)))


def noise(n: int) -> float:
    """Bound that a curve of n evaluation samples per set exceeds below the truth once in 1,000
    times.

    Both error rates of all thresholds at once are within it (Dvoretzky, Kiefer, Wolfowitz;
    one-sided, two sets).
    """
    return float(np.sqrt(np.log(2000) / (2 * n)))


SMALL = {"d": 8}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("family", exhaustive_but(FAMILIES, "classifier"))
@pytest.mark.parametrize("name", prviz.TOYS)
def test_theorem_5_no_held_out_classifier_is_below_the_truth(name, family):
    toy = prviz.toy(
        name, **({} if family == "classifier" or "d" not in prviz.TOYS[name] else SMALL)
    )
    pair = toy.sample(1000, seed=1)
    curve = prviz.pr_curve(*pair, family, seed=1)
    assert shortfall(curve, toy.truth()) < noise(500) + toy.truth_error


@pytest.mark.parametrize("family", exhaustive_but(FAMILIES, "classifier"))
def test_theorem_5_fails_on_the_samples_of_the_fit(family):
    """Without a split the bound fails at the same sizes."""
    rng = np.random.default_rng(0)
    pair = SamplePair(*(rng.normal(size=(200, 50)) for _ in range(2)))
    truth = PRCurve.from_error_rates([], [])
    assert shortfall(prviz.pr_curve(*pair, family), truth) < noise(100)
    whole = np.concatenate([side.values for side in pair])
    model = prviz.ESTIMATORS[family].fitted(whole, np.repeat([1, 0], 200), 0)
    assert shortfall(prviz.classifier_curve(*pair, model), truth) > noise(200)


@pytest.mark.parametrize("family", FAMILIES)
def test_without_split_it_refuses(family):
    with pytest.raises(
        ValueError, match="split = None; a trained classifier is measured on held-out samples only"
    ):
        estimate(gaussians(), ("knn", family), split=None)
    with pytest.raises(ValueError, match="split = None"):
        prviz.classifier_curve(*gaussians(), split=None)
    with pytest.raises(ValueError, match="split = None; a classifier that is yet to be fitted"):
        prviz.classifier_curve(*gaussians(), LogisticRegression(), split=None)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("family", FAMILIES)
def test_evaluation_samples_decide_nothing_but_their_own_votes(family):
    """Others in their place leave the votes of the rest to the last bit: nothing was fitted or
    scaled on them.
    """
    pair = gaussians()
    drawn = pair.split(0.5, 3)
    real = np.array(pair.real.values)
    real[drawn.evaluate_rows[0][5:]] += 1000.0
    one = estimate(pair, family, seed=3)[family].supports
    other = estimate(SamplePair(real, pair.generated), family, seed=3)[family].supports
    kept = np.r_[:5, one.n_real : len(one.c_real)]
    np.testing.assert_allclose(one.c_real[kept], other.c_real[kept], rtol=1e-12)
    assert not np.allclose(one.c_real[5 : one.n_real], other.c_real[5 : one.n_real])


@pytest.mark.parametrize("family", exhaustive_but(FAMILIES, "classifier"))
def test_a_seed_gives_one_result(family):
    pair = gaussians()
    one, again, other = (estimate(pair, family, seed=seed)[family] for seed in (2, 2, 5))
    assert one.k is None
    assert len(one.runs) == 1
    assert np.array_equal(one.supports.c_real, again.supports.c_real)
    assert len(one.supports.c_real) == 270
    assert not np.array_equal(one.supports.c_real, other.supports.c_real)
    np.testing.assert_allclose(one.supports.c_real + one.supports.c_generated, 1.0)


def test_the_ensemble_is_the_median_of_ten_logistic_regressions():
    pair = gaussians(200, 120)
    drawn = pair.split(0.5, 7)
    fit = [side.values for side in drawn.fit]
    scaler = StandardScaler().fit(np.concatenate(fit))
    evaluated = scaler.transform(np.concatenate([side.values for side in drawn.evaluate]))
    votes = []
    for child in np.random.SeedSequence(7).generate_state(MEMBERS).tolist():
        rows = [np.random.default_rng(child).integers(len(side), size=100) for side in fit]
        z = scaler.transform(
            np.concatenate([side[some] for side, some in zip(fit, rows, strict=True)])
        )
        model = LogisticRegression(C=1 / (WEIGHT_DECAY * 200), max_iter=10_000)
        votes.append(model.fit(z, [1] * 100 + [0] * 100).predict_proba(evaluated)[:, 1])
    found = estimate(pair, "classifier", seed=7)["classifier"].supports
    np.testing.assert_allclose(found.c_real, np.median(votes, axis=0), rtol=1e-6)


def test_classes_are_balanced():
    """Ten times as many real samples change no support: at a point between two mirrored point sets
    it is 1/2.
    """
    rng = np.random.default_rng(1)
    pair = SamplePair(rng.normal(size=(4000, 2)) - 1, rng.normal(size=(400, 2)) + 1)
    for family in FAMILIES:
        supports = estimate(pair, family)[family].supports
        z = np.concatenate([side.values for side in pair.split(0.5, 0).evaluate]).sum(axis=1)
        between = np.abs(z) < 0.3
        assert abs(float(np.median(supports.c_real[between])) - 0.5) < 0.2, family


@pytest.mark.parametrize("kind", hard_pairs.SOME_KINDS)
@pytest.mark.parametrize("family", exhaustive_but(FAMILIES, "classifier", "classifier-boosting"))
def test_hard_pairs_give_legal_curves(kind, family):
    found = estimate(hard_pairs.make_pair(kind, 3), family)[family]
    assert 0 <= found.curve.auc <= 1


def test_two_samples_of_each_are_enough():
    pair = SamplePair([[0.0], [1.0]], [[5.0], [6.0]])
    for family in FAMILIES:
        assert 0 <= estimate(pair, family)[family].curve.auc <= 1


# ---- any other classifier ----


def scored(scores, n_real: int) -> PRCurve:
    """The curve of every threshold on one score, large for real: the obvious loop."""
    real = scores[:n_real]
    generated = scores[n_real:]
    cuts = np.unique(scores)
    return PRCurve.from_error_rates(
        [np.mean(real < t) for t in cuts], [np.mean(generated >= t) for t in cuts]
    )


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        RandomForestClassifier(20),
    ],
    ids=["scores", "pipeline", "probabilities"],
)
def test_one_that_is_yet_to_be_fitted_is_fitted_on_its_share(classifier):
    if "random_state" in classifier.get_params():
        classifier.set_params(random_state=0)
    pair = gaussians()
    curve = prviz.classifier_curve(*pair, classifier, split=0.4, seed=2)
    assert not hasattr(classifier, "classes_")
    drawn = pair.split(0.4, 2)
    model = classifier.fit(
        np.concatenate([side.values for side in drawn.fit]),
        np.repeat([1, 0], [drawn.fit.real.n, drawn.fit.generated.n]),
    )
    z = np.concatenate([side.values for side in drawn.evaluate])
    scores = (
        model.decision_function(z)
        if hasattr(model, "decision_function")
        else model.predict_proba(z)[:, 1]
    )
    np.testing.assert_allclose(
        curve.vertices, scored(scores, drawn.evaluate.real.n).vertices, atol=1e-12
    )


def test_one_that_is_fitted_is_used_as_it_is_on_all_samples():
    rng = np.random.default_rng(8)
    pair = gaussians()
    z = np.concatenate([rng.normal(size=(500, 4)), rng.normal(size=(500, 4)) + 0.8])
    named = LogisticRegression().fit(z, ["real"] * 500 + ["generated"] * 500)
    numbered = LogisticRegression().fit(z, [1] * 500 + [0] * 500)
    coefficients = named.coef_.copy()
    one, other = (prviz.classifier_curve(*pair, model, split=None) for model in (named, numbered))
    scores = named.decision_function(np.concatenate([side.values for side in pair]))
    assert np.array_equal(one.vertices, scored(scores, pair.real.n).vertices)
    np.testing.assert_allclose(one.vertices, other.vertices, atol=1e-12)
    assert np.array_equal(named.coef_, coefficients)
    assert prviz.classifier_curve(*pair, named, split=0.3, seed=5).auc == one.auc


class Scorer:
    """A classifier with nothing but a score: minus the first feature."""

    def decision_function(self, z):
        return -1e4 * z[:, 0]


def test_a_score_alone_is_enough_and_keeps_its_digits():
    pair = gaussians(d=1, shift=0.1)
    # 1 / (1 + exp(-s)) would be 1 for nearly all real samples.
    scores = Scorer().decision_function(np.concatenate([side.values for side in pair]))
    inner = np.abs(scores) < 700
    assert inner.sum() > 20
    small = SamplePair(pair.real.values * 0.01, pair.generated.values * 0.01)
    scores = Scorer().decision_function(np.concatenate([side.values for side in small]))
    assert np.array_equal(
        prviz.classifier_curve(*small, Scorer()).vertices, scored(scores, small.real.n).vertices
    )


def test_the_family_is_the_default():
    pair = gaussians()
    curve = prviz.classifier_curve(*pair, seed=4)
    assert np.array_equal(curve.vertices, prviz.pr_curve(*pair, "classifier", seed=4).vertices)
    supports = estimate(pair, "classifier", seed=4)["classifier"].supports
    rates = ErrorRates.from_supports(supports.c_real, supports.c_generated, supports.n_real)
    assert np.array_equal(curve.vertices, rates.curve().vertices)


class _Wrong(ClassifierMixin):
    def __init__(self, scores) -> None:
        self.scores = scores

    def decision_function(self, z):
        return self.scores(z)


@pytest.mark.parametrize(
    ("classifier", "error", "message"),
    [
        (LogisticRegression, TypeError, "the class LogisticRegression; an object"),
        ("logistic", TypeError, "classifier is str; fit, decision_function or predict_proba"),
        (
            _Wrong(lambda z: z),
            ValueError,
            r"scores of shape \(540, 4\); finite ones of shape \(540,\)",
        ),
        (_Wrong(lambda z: np.full(len(z), np.nan)), ValueError, "finite ones"),
    ],
)
def test_what_is_no_classifier_is_refused(classifier, error, message):
    with pytest.raises(error, match=message):
        prviz.classifier_curve(*gaussians(), classifier)


def test_other_classes_and_scoreless_ones_are_refused():
    z = np.random.default_rng(0).normal(size=(60, 4))
    three = LogisticRegression().fit(z, np.arange(60) % 3)
    with pytest.raises(
        ValueError, match=r"knows the classes \[.*0.*1.*2.*\]; generated and real alone"
    ):
        prviz.classifier_curve(*gaussians(), three)

    class Silent(LogisticRegression):
        decision_function = predict_proba = property()

    with pytest.raises(TypeError, match="Silent has neither decision_function nor predict_proba"):
        prviz.classifier_curve(*gaussians(), Silent())


def test_boosted_trees_are_fitted_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = []
    most = []

    class Slow:
        def __init__(self, **_: object) -> None: ...

        def fit(self, *_: object) -> Slow:
            inside.append(self)
            time.sleep(0.01)
            most.append(len(inside))
            inside.remove(self)
            return self

    monkeypatch.setattr(sklearn.ensemble, "HistGradientBoostingClassifier", Slow)
    with ThreadPoolExecutor(3) as pool:
        list(
            pool.map(
                lambda seed: CLASSIFIER_BOOSTING.fitted(np.zeros((2, 1)), np.array([0, 1]), seed),
                range(3),
            )
        )
    assert most == [1, 1, 1]


def test_boosting_adds_a_tenth_of_each_newton_step() -> None:
    """Of sets that one cut tells apart a step is 1 over the chance of the right one."""
    values = np.linspace(-1, 1, 40, dtype=np.float32)[:, None]
    generated = (values[:, 0] > 0).astype(int)
    split = learners._Standard(values, values, (values, values), generated, np.ones(40))
    odds = 0.0
    for _ in range(learners.ROUNDS):
        odds += 0.1 * min(1 + math.exp(-odds), 1 / (1 + math.exp(odds)) / 0.02)
    found = learners._boosting(split, 0)[0]
    np.testing.assert_allclose(found, odds * (2 * generated - 1), rtol=1e-6)


@pytest.mark.parametrize(
    "measure",
    [
        partial(prviz.pr_curve, method="classifier-mlp"),
        partial(prviz.classifier_curve, classifier=MLPClassifier((4,), verbose=True)),
    ],
    ids=["family", "own"],
)
def test_ctrl_c_ends_the_training_of_a_network(
    monkeypatch: pytest.MonkeyPatch, measure: Callable[..., PRCurve]
) -> None:
    """scikit-learn turns it into a warning, and a curve of the half-trained network would follow."""

    class Interrupted(io.StringIO):
        """Ctrl-C comes while an epoch's loss is printed."""

        def write(self, _: str) -> int:
            raise KeyboardInterrupt

    monkeypatch.setattr(
        "sklearn.neural_network.MLPClassifier", partial(MLPClassifier, verbose=True)
    )
    monkeypatch.setattr(sys, "stdout", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        measure(*np.random.default_rng(0).normal(size=(2, 40, 2)))
