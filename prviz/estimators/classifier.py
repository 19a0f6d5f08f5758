"""The families "classifier", "classifier-boosting" and "classifier-mlp": trained classifiers,
measured on samples that were not used to fit them.
"""

from __future__ import annotations

import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Array, Counts, Floats, Ints
from prviz.checks.flags import checked_pair
from prviz.curves import ErrorRates, PRCurve
from prviz.estimators.base import About, Estimator, Runs, Supports
from prviz.estimators.learners import Rescaled, one_thread
from prviz.missing import needed_for
from prviz.neighbors.threads import Progress, available_threads, run_blocks
from prviz.samples import SamplesLike, Split, SplitRatio

Votes = tuple[Floats, Floats]

# The paper's settings: number of linear classifiers, weight decay, number of epochs.
MEMBERS = 10
WEIGHT_DECAY = 0.1
EPOCHS = 50
# Lock that lets only one boosting be fitted at a time. While scikit-learn bins features it changes
# the process's warning filters and then restores those it found. Of two fits at once, one would
# restore filters that the other had changed.
_ALONE = threading.Lock()
# scikit-learn's warning in place of KeyboardInterrupt.
_INTERRUPTED = "Training interrupted by user"
# First sentence of `About.biases` for every trained classifier.
ABOVE = (
    "Above the truth (Theorem 5), or a little below, as the threshold is chosen on the evaluation"
    " samples. "
)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Context in which Ctrl-C ends a fit. Otherwise scikit-learn's networks only warn, and are used
    unfinished. Only the main thread gets Ctrl-C, and only there are the process's warning filters
    changed.

    Only the main thread gets Ctrl-C, and only there are the process's warning filters changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("error", _INTERRUPTED)
        try:
            yield
        except UserWarning as warning:
            if not str(warning).startswith(_INTERRUPTED):
                raise
            raise KeyboardInterrupt from None


class _Classifiers(Estimator, ABC):
    """c_X(z) = p, c_Y(z) = 1 - p, where p is the median of the members' probabilities that z is
    real.

    Features are standardised by the fit samples. Members of an ensemble are fitted on bootstrap
    draws with equal numbers of real and generated fit samples. A family with a single member fits
    it on all samples of the smaller set and as many of the larger one. The evaluation samples have
    no influence on the fit. A float64 copy of the samples is held in memory.
    """

    needs_split = True
    members: int = 1

    @abstractmethod
    def fitted(self, z: Floats, y: Counts, seed: int) -> Any:
        """Fit a classifier on standardised samples z (n, d), with y = 1 for real samples."""

    def runs(
        self,
        split: Split,
        *,
        k: int,
        seed: int,
        progress: Progress,
    ) -> Runs:
        """Supports of the evaluation samples of ``split``; there is one run."""
        if not split.held_out:
            raise ValueError(
                "split = None; a trained classifier is measured on held-out samples only: a share"
                " between 0 and 1 is needed"
            )
        fit, evaluate = _standardised(split)
        votes: list[Votes] = []

        def work(child: int) -> Votes:
            rows = [_rows(len(side), fit, child, bootstrap=self.members > 1) for side in fit]
            z = np.concatenate([side[drawn] for side, drawn in zip(fit, rows, strict=True)])
            with one_thread():
                return _votes(self.fitted(z, _labels(*map(len, rows)), child), evaluate)

        def done(_: int, vote: Votes) -> None:
            votes.append(vote)
            progress(len(votes) / self.members)

        seeds = np.random.SeedSequence(seed).generate_state(self.members).tolist()
        run_blocks(work, seeds, available_threads(), done)
        c_real, c_generated = (np.median(side, axis=0) for side in zip(*votes, strict=True))
        return (Supports(c_real, c_generated, split.evaluate.real.n),)


class _Linear(_Classifiers):
    """The family "classifier": ten logistic regressions, with the paper's weight decay as penalty:
    0.05 |w|^2 beside the mean log loss.
    """

    name = "classifier"
    title = "Linear classifiers"
    idea = (
        "Do ten linear classifiers, trained on other samples, think on median that the point is"
        " real?"
    )
    source = "Simon, Webster, Rabin 2019, Algorithm 1 and section 6"
    about = About(
        paper="Trained classifiers · Simon et al. 2019",
        formula=(
            r"c_X(z) = p, \quad c_Y(z) = 1 - p, \quad p = \operatorname{median}\ \text{of ten"
            r" members'} \quad "
            r"P(\text{real} \mid z)"
        ),
        cost="Ten logistic regressions; no neighbours. Neither k nor the bandwidth matters.",
        biases=(
            ABOVE
            + "Near the truth where a hyperplane is the best test, as for shifted Gaussians; far"
            " too high on mixtures."
        ),
        published=(
            "split 50 %, on embeddings of an Inception network. It needs a split: the original code"
            " stopped training by the half it reported."
        ),
    )
    members = MEMBERS

    def fitted(self, z: Floats, y: Counts, seed: int) -> Any:
        """Fit a logistic regression, in which nothing is random."""
        with needed_for(f"the family {self.name}"):
            from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=1.0 / (WEIGHT_DECAY * len(y)), max_iter=10_000).fit(z, y)


class _Boosting(_Classifiers):
    """The family "classifier-boosting": scikit-learn's histogram gradient boosting with 100 trees
    of depth 3.

    With deeper trees, scikit-learn's default, curves come no closer to the truth of the toys, and
    the fit takes three times as long.
    """

    name = "classifier-boosting"
    title = "Boosted trees"
    idea = "Do gradient-boosted trees, trained on other samples, think that the point is real?"
    source = "Simon, Webster, Rabin 2019, Algorithm 1; the choice of classifier is this package's"
    about = About(
        paper="Trained classifiers · Simon et al. 2019",
        formula=(
            r"c_X(z) = p, \quad c_Y(z) = 1 - p, \quad p = P(\text{real} \mid z) \quad "
            r"\text{of 100 boosted trees}"
        ),
        cost="One gradient boosting; no neighbours. Neither k nor the bandwidth matters.",
        biases=(
            ABOVE
            + "Near the truth on well separated modes; too high where the sets differ a little"
            " along many features."
        ),
        published="not published: Theorem 5 holds for any classifier, this one is scikit-learn's.",
    )

    def fitted(self, z: Floats, y: Counts, seed: int) -> Any:
        """Fit a fixed number of boosted trees, without early stopping."""
        with needed_for(f"the family {self.name}"):
            from sklearn.ensemble import HistGradientBoostingClassifier

        with _ALONE:
            return HistGradientBoostingClassifier(
                max_depth=3, early_stopping=False, random_state=seed
            ).fit(z, y)


class _MLP(_Classifiers):
    """The family "classifier-mlp": scikit-learn's multi-layer perceptron with one hidden layer of
    64.
    """

    name = "classifier-mlp"
    title = "MLP"
    idea = "Does a small neural network, trained on other samples, think that the point is real?"
    source = "Simon, Webster, Rabin 2019, Algorithm 1; the choice of classifier is this package's"
    about = About(
        paper="Trained classifiers · Simon et al. 2019",
        formula=(
            r"c_X(z) = p, \quad c_Y(z) = 1 - p, \quad p = P(\text{real} \mid z) \quad "
            r"\text{of one hidden layer of 64}"
        ),
        cost="One small network, 50 epochs; no neighbours. Neither k nor the bandwidth matters.",
        biases=(
            ABOVE
            + "Near the truth on mixtures and a small shift; too high where the sets differ in"
            " scale."
        ),
        published="not published: Theorem 5 holds for any classifier, this one is scikit-learn's.",
    )

    def fitted(self, z: Floats, y: Counts, seed: int) -> Any:
        """Fit a perceptron for the paper's number of epochs."""
        with needed_for(f"the family {self.name}"):
            from sklearn.neural_network import MLPClassifier

        model = MLPClassifier((64,), alpha=1.0, random_state=seed)
        with _interruptible():
            for _ in range(EPOCHS):
                model.partial_fit(z, y, classes=[0, 1])
        return model


CLASSIFIER = _Linear()
CLASSIFIER_BOOSTING = _Boosting()
CLASSIFIER_MLP = _MLP()


def classifier_curve(
    real: SamplesLike,
    generated: SamplesLike,
    classifier: Any = None,
    *,
    split: SplitRatio = 0.5,
    seed: int = 0,
) -> PRCurve:
    """The precision-recall curve of any classifier's scores on samples not used to fit it.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    classifier : object, optional
        None: the ensemble of linear classifiers, the family "classifier". Otherwise an object like
        scikit-learn's classifiers with two classes. The second in the order of ``classes_`` means
        real: 1 of 0 and 1, "real" of "generated" and "real". Its ``decision_function``, or else
        ``predict_proba``, scores the samples. An unfitted classifier is cloned, and the clone is
        fitted with y = 1 for real samples, without scaling. A fitted classifier is applied to all
        samples, which must not be those of its fit.
    split : float, optional
        Share of each set that an unfitted classifier is fitted on; the rest measures it.
    seed : int
        Seed of the split and of the ensemble.

    Returns
    -------
    PRCurve
        The curve of all thresholds on the scores.

    Raises
    ------
    TypeError
        If the classifier can't be fitted or can't score samples.
    ValueError
        If samples are malformed, an unfitted classifier comes without a split, the classes are not
        two, or the scores are not one finite number per sample.

    Notes
    -----
    In the limit of many samples the curve lies on or above the true curve, for any classifier
    (Theorem 5). Source: Simon, Webster, Rabin 2019, Algorithm 1 and Theorem 5.
    """
    pair = checked_pair(real, generated)
    if classifier is None:
        (supports,) = CLASSIFIER.runs(
            pair.split(split, seed), k=1, seed=seed, progress=lambda _: None
        )
        return supports.rates().curve()
    if not _is_fitted(classifier):
        drawn = pair.split(split, seed)
        if not drawn.held_out:
            raise ValueError(
                "split = None; a classifier that is yet to be fitted needs a share between 0 and 1"
            )
        from sklearn.base import clone

        fit = drawn.fit
        pair = drawn.evaluate
        z = np.concatenate([side.values for side in fit])
        with _interruptible():
            classifier = clone(classifier).fit(z, _labels(fit.real.n, fit.generated.n))
    z = np.concatenate([side.values for side in pair])
    return ErrorRates.from_supports(*_votes(classifier, z), pair.real.n).curve()


def _is_fitted(classifier: Any) -> bool:
    """True if the classifier is fitted (has an attribute like ``classes_``, as in scikit-learn) or
    has no ``fit``.
    """
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if isinstance(classifier, type):
        raise TypeError(f"classifier is the class {classifier.__name__}; an object of it is needed")
    if not any(hasattr(classifier, name) for name in ("fit", "decision_function", "predict_proba")):
        raise TypeError(
            f"classifier is {type(classifier).__name__}; fit, decision_function or predict_proba is"
            " needed"
        )
    if not hasattr(classifier, "fit"):
        return True
    try:
        check_is_fitted(classifier)
    except NotFittedError:
        return False
    return True


def _labels(n_real: int, n_generated: int) -> Counts:
    return np.repeat(np.array([1, 0]), [n_real, n_generated])


def _votes(classifier: Any, z: Array) -> Votes:
    """Supports p and 1 - p, (m,) each, where p is the probability of "real".

    A score s gives p = 1 / (1 + exp(-s)). 1 - p is computed from -s, so that it stays accurate
    where p is near 1.
    """
    if len(classes := getattr(classifier, "classes_", (0, 1))) != 2:
        raise ValueError(
            f"the classifier knows the classes {list(classes)}; generated and real alone are needed"
        )
    if hasattr(classifier, "decision_function"):
        scores = _scores(classifier.decision_function(z), (len(z),))
        return _sigmoid(scores), _sigmoid(-scores)
    if hasattr(classifier, "predict_proba"):
        scores = _scores(classifier.predict_proba(z), (len(z), 2))
        return scores[:, 1], scores[:, 0]
    raise TypeError(f"{type(classifier).__name__} has neither decision_function nor predict_proba")


def _scores(values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    scores = np.asarray(values, dtype=float)
    if scores.shape != shape or not bool(np.all(np.isfinite(scores))):
        raise ValueError(
            f"the classifier gave scores of shape {scores.shape}; finite ones of shape {shape} are"
            " needed"
        )
    return scores


def _sigmoid(scores: Floats) -> Floats:
    with np.errstate(over="ignore"):
        result: Floats = 1.0 / (1.0 + np.exp(-scores))
    return result


def _standardised(split: Split) -> tuple[tuple[Floats, Floats], Floats]:
    """Fit samples (real, generated) and all evaluation samples, scaled so that each feature has
    mean 0 and deviation 1 over the fit samples.

    A feature that is constant over the fit samples is only centred.
    """
    unit = Rescaled.of(np.concatenate([side.values for side in split.fit]))
    real, generated = (unit.apply(side.values) for side in split.fit)
    pooled = np.concatenate([real, generated])
    mean = pooled.mean(axis=0)
    deviation = pooled.std(axis=0)
    deviation[deviation == 0] = 1.0
    evaluate = np.concatenate([unit.apply(side.values) for side in split.evaluate])
    return ((real - mean) / deviation, (generated - mean) / deviation), (
        evaluate - mean
    ) / deviation


def _rows(n: int, fit: tuple[Floats, Floats], seed: int, *, bootstrap: bool) -> Ints:
    """Rows of a fit set of size n on which one classifier is fitted: with ``bootstrap`` as many as
    the larger of both sets has, drawn with replacement, otherwise as many as the smaller set has.

    The draws of real and of generated rows start from the same seed, so that swapping the roles
    swaps the draws.
    """
    sizes = list(map(len, fit))
    rng = np.random.default_rng(seed)
    if bootstrap:
        return rng.integers(n, size=max(sizes))
    return np.sort(rng.permutation(n)[: min(sizes)])
