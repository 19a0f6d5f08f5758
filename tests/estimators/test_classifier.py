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
from tests.estimators.pairs import gaussians, pooled, supports
from tests.marks import exhaustive_but

FAMILIES = ("classifier", "classifier-boosting", "classifier-mlp")


PAIR = gaussians(300, 240, 4, 0.8, seed=6)


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


@pytest.mark.one_in(5)
@pytest.mark.parametrize("family", exhaustive_but(FAMILIES, "classifier"))
@pytest.mark.parametrize("name", prviz.TOYS)
def test_theorem_5_no_held_out_classifier_is_below_the_truth(name, family):
    small = family != "classifier" and "d" in prviz.TOYS[name]
    toy = prviz.toy(name, d=8) if small else prviz.toy(name)
    curve = prviz.pr_curve(*toy.sample(1000, seed=1), family, seed=1)
    assert shortfall(curve, toy.truth()) < noise(500) + toy.truth_error


@pytest.mark.parametrize("family", exhaustive_but(FAMILIES, "classifier"))
def test_theorem_5_fails_on_the_samples_of_the_fit(family):
    """Without a split the bound fails at the same sizes."""
    rng = np.random.default_rng(0)
    pair = SamplePair(*(rng.normal(size=(200, 50)) for _ in range(2)))
    truth = PRCurve.from_error_rates([], [])
    assert shortfall(prviz.pr_curve(*pair, family), truth) < noise(100)
    model = prviz.ESTIMATORS[family].fitted(pooled(pair), np.repeat([1, 0], 200), 0)
    assert shortfall(prviz.classifier_curve(*pair, model), truth) > noise(200)


@pytest.mark.parametrize("family", FAMILIES)
def test_without_split_it_refuses(family):
    with pytest.raises(
        ValueError, match="split = None; a trained classifier is measured on held-out samples only"
    ):
        estimate(PAIR, ("knn", family), split=None)


def test_without_split_no_classifier_is_fitted():
    with pytest.raises(ValueError, match="split = None"):
        prviz.classifier_curve(*PAIR, split=None)
    with pytest.raises(ValueError, match="split = None; a classifier that is yet to be fitted"):
        prviz.classifier_curve(*PAIR, LogisticRegression(), split=None)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("family", FAMILIES)
def test_evaluation_samples_decide_nothing_but_their_own_votes(family):
    """Others in their place leave the votes of the rest to the last bit: nothing was fitted or
    scaled on them.
    """
    real = np.array(PAIR.real.values)
    real[PAIR.split(0.5, 3).evaluate_rows[0][5:]] += 1000.0
    one = supports(PAIR, family, seed=3)
    other = supports(SamplePair(real, PAIR.generated), family, seed=3)
    kept = np.r_[:5, one.n_real : len(one.c_real)]
    np.testing.assert_allclose(one.c_real[kept], other.c_real[kept], rtol=1e-12)
    assert not np.allclose(one.c_real[5 : one.n_real], other.c_real[5 : one.n_real])


@pytest.mark.parametrize("family", exhaustive_but(FAMILIES, "classifier"))
def test_a_seed_gives_one_result(family):
    found = estimate(PAIR, family, seed=2)[family]
    assert found.k is None
    assert len(found.runs) == 1
    again, other = (supports(PAIR, family, seed=seed).c_real for seed in (2, 5))
    assert np.array_equal(found.supports.c_real, again)
    assert len(again) == 270
    assert not np.array_equal(again, other)
    np.testing.assert_allclose(again + found.supports.c_generated, 1.0)


def test_the_ensemble_is_the_median_of_ten_logistic_regressions():
    pair = gaussians(200, 120, 4, 0.8, seed=6)
    drawn = pair.split(0.5, 7)
    scaler = StandardScaler().fit(pooled(drawn.fit))
    fit = [scaler.transform(side.values) for side in drawn.fit]
    evaluated = scaler.transform(pooled(drawn.evaluate))
    votes = []
    for child in np.random.SeedSequence(7).generate_state(MEMBERS).tolist():
        rows = [np.random.default_rng(child).integers(len(side), size=100) for side in fit]
        z = np.concatenate([side[some] for side, some in zip(fit, rows, strict=True)])
        model = LogisticRegression(C=1 / (WEIGHT_DECAY * 200), max_iter=10_000)
        votes.append(model.fit(z, [1] * 100 + [0] * 100).predict_proba(evaluated)[:, 1])
    found = supports(pair, "classifier", seed=7)
    np.testing.assert_allclose(found.c_real, np.median(votes, axis=0), rtol=1e-6)


def test_classes_are_balanced():
    """Ten times as many real samples change no support: at a point between two mirrored point sets
    it is 1/2.
    """
    rng = np.random.default_rng(1)
    pair = SamplePair(rng.normal(size=(4000, 2)) - 1, rng.normal(size=(400, 2)) + 1)
    between = np.abs(pooled(pair.split(0.5, 0).evaluate).sum(axis=1)) < 0.3
    for family in FAMILIES:
        median = np.median(supports(pair, family).c_real[between])
        assert median == pytest.approx(0.5, abs=0.2), family


@pytest.mark.parametrize("kind", hard_pairs.SOME_KINDS)
@pytest.mark.parametrize("family", exhaustive_but(FAMILIES, "classifier", "classifier-boosting"))
def test_hard_pairs_give_legal_curves(kind, family):
    assert 0 <= prviz.pr_curve(*hard_pairs.make_pair(kind, 3), family).auc <= 1


def test_two_samples_of_each_are_enough():
    for family in FAMILIES:
        assert 0 <= prviz.pr_curve([[0.0], [1.0]], [[5.0], [6.0]], family).auc <= 1


# ---- any other classifier ----


def scored(scores, n_real: int) -> PRCurve:
    """The curve of every threshold on one score, large for real: the obvious loop."""
    cuts = np.unique(scores)
    fpr = [np.mean(scores[:n_real] < cut) for cut in cuts]
    fnr = [np.mean(scores[n_real:] >= cut) for cut in cuts]
    return PRCurve.from_error_rates(fpr, fnr)


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        RandomForestClassifier(20, random_state=0),
    ],
    ids=["scores", "pipeline", "probabilities"],
)
def test_one_that_is_yet_to_be_fitted_is_fitted_on_its_share(classifier):
    curve = prviz.classifier_curve(*PAIR, classifier, split=0.4, seed=2)
    assert not hasattr(classifier, "classes_")
    drawn = PAIR.split(0.4, 2)
    classes = np.repeat([1, 0], [drawn.fit.real.n, drawn.fit.generated.n])
    model = classifier.fit(pooled(drawn.fit), classes)
    z = pooled(drawn.evaluate)
    if hasattr(model, "decision_function"):
        scores = model.decision_function(z)
    else:
        scores = model.predict_proba(z)[:, 1]
    expected = scored(scores, drawn.evaluate.real.n)
    np.testing.assert_allclose(curve.vertices, expected.vertices, atol=1e-12)


def test_one_that_is_fitted_is_used_as_it_is_on_all_samples():
    rng = np.random.default_rng(8)
    z = np.concatenate([rng.normal(size=(500, 4)), rng.normal(size=(500, 4)) + 0.8])
    named = LogisticRegression().fit(z, ["real"] * 500 + ["generated"] * 500)
    numbered = LogisticRegression().fit(z, [1] * 500 + [0] * 500)
    coefficients = named.coef_.copy()
    one, other = (prviz.classifier_curve(*PAIR, model, split=None) for model in (named, numbered))
    scores = named.decision_function(pooled(PAIR))
    assert np.array_equal(one.vertices, scored(scores, PAIR.real.n).vertices)
    np.testing.assert_allclose(one.vertices, other.vertices, atol=1e-12)
    assert np.array_equal(named.coef_, coefficients)
    assert prviz.classifier_curve(*PAIR, named, split=0.3, seed=5).auc == one.auc


class Scorer(ClassifierMixin):
    """A classifier with nothing but a score."""

    def __init__(self, scores) -> None:
        self.scores = scores

    def decision_function(self, z):
        return self.scores(z)


def test_a_score_alone_is_enough_and_keeps_its_digits():
    pair = gaussians(300, 240, 1, 0.1, seed=6)
    # 1 / (1 + exp(-s)) would be 1 for nearly all real samples.
    scorer = Scorer(lambda z: -1e2 * z[:, 0])
    scores = scorer.decision_function(pooled(pair))
    assert np.count_nonzero(np.abs(scores) > 40) > 300
    expected = scored(scores, pair.real.n)
    assert np.array_equal(prviz.classifier_curve(*pair, scorer).vertices, expected.vertices)


def test_the_family_is_the_default():
    curve = prviz.classifier_curve(*PAIR, seed=4)
    assert np.array_equal(curve.vertices, prviz.pr_curve(*PAIR, "classifier", seed=4).vertices)
    found = supports(PAIR, "classifier", seed=4)
    rates = ErrorRates.from_supports(found.c_real, found.c_generated, found.n_real)
    assert np.array_equal(curve.vertices, rates.curve().vertices)


class Silent(LogisticRegression):
    decision_function = predict_proba = property()


THREE = LogisticRegression().fit(np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 3)


@pytest.mark.parametrize(
    ("classifier", "error", "message"),
    [
        (LogisticRegression, TypeError, "the class LogisticRegression; an object"),
        ("logistic", TypeError, "classifier is str; fit, decision_function or predict_proba"),
        (
            Scorer(lambda z: z),
            ValueError,
            r"scores of shape \(540, 4\); finite ones of shape \(540,\)",
        ),
        (Scorer(lambda z: np.full(len(z), np.nan)), ValueError, "finite ones"),
        (THREE, ValueError, r"knows the classes \[.*0.*1.*2.*\]; generated and real alone"),
        (Silent(), TypeError, "Silent has neither decision_function nor predict_proba"),
    ],
)
def test_what_is_no_classifier_is_refused(classifier, error, message):
    with pytest.raises(error, match=message):
        prviz.classifier_curve(*PAIR, classifier)


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
    fit = partial(CLASSIFIER_BOOSTING.fitted, np.zeros((2, 1)), np.array([0, 1]))
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(fit, range(3)))
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
