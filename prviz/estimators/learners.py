"""Learners: classifiers of many kinds, whose log odds `prviz.estimators.stack` adds up.

A learner gives one or several columns of log odds that a sample is generated, for equal weights of
the two sets. The samples must not be those that it was fitted on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import AnyFloats, Array, Floats, Floats32, Ints
from prviz.estimators.coverage import COVERAGE
from prviz.estimators.ipr import IPR
from prviz.estimators.kde import KDE
from prviz.estimators.knn import KNN
from prviz.missing import needed_for
from prviz.neighbors import MEMORY_LIMIT, Distances, WholeDistances
from prviz.neighbors.kernels import sort_numbered
from prviz.neighbors.point_sets import slices
from prviz.neighbors.threads import (
    Progress,
    available_memory,
    available_threads,
    one_blas_thread,
    one_openmp_thread,
    run_blocks,
)
from prviz.samples import SamplePair, Split

# Largest absolute value after rescaling: its square, times any number of features, is finite in
# float64.
_LARGEST = 1e150


@contextmanager
def one_thread() -> Iterator[None]:
    """Restrict BLAS and OpenMP to one thread, so that a fitted model does not depend on the number
    of cores.

    The library that fits the model must be loaded before.
    """
    with one_blas_thread(), one_openmp_thread():
        yield


@dataclass(frozen=True, eq=False)
class Rescaled:
    """Rescaling of values: divide by ``first``, subtract ``shift`` (d,), divide by ``second``. The
    two steps keep squares from overflowing.
    """

    first: float
    shift: Floats
    second: float

    @classmethod
    def of(cls, values: Array) -> Rescaled:
        """The rescaling after which these values have mean 0 and their largest norm is 1."""
        first = float(np.abs(values).max()) or 1.0
        scaled = values / first
        shift = scaled.mean(axis=0, dtype=float)
        scaled = scaled - shift
        return cls(first, shift, float(np.sqrt(np.einsum("ij,ij->i", scaled, scaled).max())) or 1.0)

    def apply(self, values: Array) -> Floats:
        """Rescale values and clip them to +-1e150."""
        with np.errstate(over="ignore"):
            scaled = (np.asarray(values, dtype=float) / self.first - self.shift) / self.second
        return np.clip(scaled, -_LARGEST, _LARGEST)


Table = Floats32
Places = NDArray[np.signedinteger]
Rows = tuple[Ints, Ints]
Votes: TypeAlias = Mapping[str, Floats]

NEIGHBOURS = (KNN, KDE, IPR, COVERAGE)
# Values of k of the neighbour families, each about 2.5 times the one before.
KS = (4, 10, 25, 60, 150, 377)
# Weight decays of the logistic regressions, relative to the mean log loss.
DECAYS = (1.0, 0.1, 0.01, 0.001)
# Two forests are fitted, one on values and one on their ranks, as random thresholds on ranks also
# separate values that are close. TREES: trees of each forest. FOREST_PARTS: parts, one per task, in
# which a forest is fitted.
TREES = 30
FOREST_PARTS = 3
# Most features with which boosting is used: its time grows with them, while it adds less and less
# to what forests find.
MOST_BOOSTED = 40
# Boosting: number of trees, learning rate, and the least p (1 - p) by which a Newton step is
# divided.
ROUNDS = 100
_RATE = 0.1
_LEAST_SPREAD = 0.02
# Most fit samples of each set; from larger sets, this many are drawn by the seed. MOST_NEIGHBOURS
# is for the neighbour families, whose time grows with the square, MOST_FITTED for all other
# learners.
MOST_NEIGHBOURS = 4_000
MOST_FITTED = 10_000
# Number of values that are scaled and ranked at a time: eight arrays of this size fit the
# processor's cache.
_BLOCK = 1 << 16
# The sorted order of a pair's values is kept in memory for pairs of at most this many values; each
# takes two or four bytes.
_MOST_ORDERED = 1 << 23
# Rough share of the time that the neighbour families take, for the progress.
_NEIGHBOURS_SHARE = 0.2

_loading = threading.Lock()


class _Standard(NamedTuple):
    """The samples of a split in two forms: standardised by the fit samples, and as ranks among the
    fit samples.

    fit, evaluate : (n, d) and (m, d) standardised samples. ranks : ranks of fit and of evaluation
    samples, of the same shapes, see `_shares_below`. generated : (n,) 1 for generated fit samples,
    0 for real ones.
    weights : (n,) weights of the fit samples, with equal sums for both sets.
    """

    fit: Table
    evaluate: Table
    ranks: tuple[Table, Table]
    generated: Ints
    weights: Floats


@dataclass(frozen=True, eq=False)
class PairTables:
    """Tables that all splits of a pair share, computed once per pair.

    Parameters
    ----------
    whole : WholeDistances, optional
        All distances of the pair; None if it has too many samples.
    order : ndarray, optional
        (d, n) for each feature, the indices that sort the samples, real ones first; scaling does
        not change the order. None if there are too many values.
    """

    whole: WholeDistances | None
    order: Places | None

    @classmethod
    def of(cls, pair: SamplePair) -> PairTables:
        """Compute the tables of a pair of any size."""
        n = pair.real.n + pair.generated.n
        order = None
        if n * pair.d <= _MOST_ORDERED:
            order = np.empty((pair.d, n), np.int16 if n < 1 << 15 else np.int32)
            for columns in slices(pair.d, max(1, _BLOCK // n)):
                pooled = np.concatenate([each.values[:, columns] for each in pair]).T
                keys = np.array(pooled, dtype=float, order="C")
                order[columns] = sort_numbered(keys, pooled.dtype)[1]
        return cls(WholeDistances.of(pair), order)


class _Learner(NamedTuple):
    """A kind of classifier, fitted in one or several parts.

    learn : function of a split and a part's seed that returns numbers (c, m).
    parts : number of parts, whose numbers are summed.
    odds : function that converts the sum to log odds.
    """

    learn: Callable[[_Standard, int], Floats]
    parts: int = 1
    odds: Callable[[Floats], Floats] = lambda total: total


class _Task(NamedTuple):
    """One part of a learner to be fitted, on the split with the index ``place``."""

    place: int
    name: str
    part: int


def votes(
    splits: Sequence[Split],
    seed: int,
    progress: Progress | None = None,
    tables: PairTables | None = None,
) -> list[dict[str, Floats]]:
    """For several splits, the log odds that each evaluation sample is generated, by every learner
    fitted on the fit samples.

    Parameters
    ----------
    splits : sequence of Split
        Splits of one pair with held-out evaluation samples, which no learner sees.
    seed : int
        Seed of the trees and, where there are more fit samples than a learner takes, of their
        choice.
    progress : callable, optional
        Called with the fraction done; may raise to stop.
    tables : PairTables, optional
        Tables of the pair; None: they are computed.

    Returns
    -------
    list of dict of str to ndarray
        For each split, by learner, (c, m) log odds for c settings of the learner and m evaluation
        samples, real ones first.
    """
    tick = progress or (lambda _: None)
    learners = {
        "logistic": _Learner(_logistic),
        "trees": _Learner(_trees, FOREST_PARTS, _odds_of_trees),
    }
    if splits[0].pair.d <= MOST_BOOSTED:
        learners["boosting"] = _Learner(_boosting)
    found: list[dict[str, Floats]] = []
    # All splits use the same values of k, so each k must be smaller than the smallest fit set.
    numbers = [k for k in KS if k < min(len(rows) for split in splits for rows in split.fit_rows)]
    tables = tables or PairTables.of(splits[0].pair)
    order = tables.order
    for split in splits:
        tick(_NEIGHBOURS_SHARE * len(found) / len(splits))
        found.append(_neighbour_votes(split, numbers, seed, tables.whole))
    tasks = [
        _Task(place, name, part)
        for place in range(len(splits))
        for name in learners
        for part in range(learners[name].parts)
    ]
    _library()
    standard: dict[int, _Standard] = {}
    lock = threading.Lock()
    done = 0

    def work(task: _Task) -> Floats:
        with lock:
            if task.place not in standard:
                standard[task.place] = _standardised(splits[task.place], seed, order)
            own = standard[task.place]
        own_seed = int(np.random.SeedSequence((seed, task.part)).generate_state(1)[0])
        with _plain():
            return learners[task.name].learn(own, own_seed)

    def keep(task: _Task, part: Floats) -> None:
        nonlocal done
        total = found[task.place]
        total[task.name] = total[task.name] + part if task.name in total else part
        done += 1
        if done * len(splits) % len(tasks) == 0:
            # Results come in the order of the tasks, so this was the split's last one.
            del standard[task.place]
        tick(_NEIGHBOURS_SHARE + (1 - _NEIGHBOURS_SHARE) * done / len(tasks))

    run_blocks(work, tasks, available_threads(), keep)
    for each in found:
        each |= {name: learner.odds(each[name]) for name, learner in learners.items()}
    return found


@cache
def _library(module: str = "sklearn.tree") -> Any:
    """Import a module of scikit-learn, one thread at a time, because a second thread would see it
    half loaded.
    """
    with _loading, needed_for("the curve to believe"):
        return import_module(module)


def load() -> None:
    """Load scikit-learn, if it is installed; called in the background, so that nobody waits for it
    later.
    """
    with suppress(ImportError):
        _library()


def _drawn(split: Split, most: int, seed: int) -> Rows:
    """Rows of at most ``most`` fit samples of each set; of larger sets, rows drawn by the seed."""
    real, generated = (
        rows if len(rows) <= most else np.sort(np.random.default_rng(seed).permutation(rows)[:most])
        for rows in split.fit_rows
    )
    return real, generated


def _neighbour_votes(
    split: Split, numbers: Sequence[int], seed: int, whole: WholeDistances | None
) -> dict[str, Floats]:
    if not numbers:
        return {}
    rows = _drawn(split, MOST_NEIGHBOURS, seed)
    sizes = len(rows[0]), len(rows[1])
    balls = [
        family.balls(k=k, bandwidth=None, sizes=sizes)[0] for family in NEIGHBOURS for k in numbers
    ]
    few = Split(split.pair, rows, split.evaluate_rows, held_out=True)
    balance = np.log(sizes[0]) - np.log(sizes[1])
    if whole is None:
        counts = Distances(few, memory_limit=available_memory(MEMORY_LIMIT)).count(balls)
    else:
        counts = whole.count(few, balls)
    odds = [
        np.log(np.add(each.generated, 0.5)) - np.log(np.add(each.real, 0.5)) + balance
        for each in counts
    ]
    return {
        family.name: np.stack(odds[place * len(numbers) : (place + 1) * len(numbers)])
        for place, family in enumerate(NEIGHBOURS)
    }


def _standardised(split: Split, seed: int, order: Places | None = None) -> _Standard:
    """The samples of a split, standardised by its fit samples and ranked, one block of features at
    a time.

    order : `PairTables.order` of this split's pair; None: the ranks are found by a sort.
    """
    rows = _drawn(split, MOST_FITTED, seed)
    fit, evaluate = (
        np.concatenate([side.values[part] for side, part in zip(split.pair, parts, strict=True)])
        for parts in (rows, split.evaluate_rows)
    )
    n, d = fit.shape
    width = n + len(evaluate)
    place = None
    if order is not None:
        place = _places(split.pair, (*rows, *split.evaluate_rows))
    # Stored column-major, because trees read the fit samples feature by feature.
    fitted = np.empty((n, d), np.float32, order="F")
    asked = np.empty((len(evaluate), d), np.float32)
    ranks = np.empty((n, d), np.float32, order="F"), np.empty((len(evaluate), d), np.float32)
    # At least two features at a time: NumPy would add a single one in another order, with other
    # rounding.
    count = max(1, d // max(2, _BLOCK // width))
    ends = np.linspace(0, d, count + 1).astype(int)
    for first, last in pairwise(ends.tolist()):
        columns = slice(first, last)
        fitted[:, columns], asked[:, columns] = _scaled(fit[:, columns], evaluate[:, columns])
        pooled = np.concatenate([fitted.T[columns], asked.T[columns]], axis=1)
        if order is None or place is None:
            places = sort_numbered(pooled.astype(float), pooled.dtype)[1]
        else:
            places = place[order[columns]]
            places = places[places >= 0].reshape(len(pooled), width)
        shares = _shares_below(pooled, places, n)
        ranks[0].T[columns] = shares[:, :n]
        ranks[1][:, columns] = shares[:, n:].T
    sizes = np.array([len(side) for side in rows])
    generated = np.repeat([0, 1], sizes)
    weights = (sizes.sum() / 2 / sizes)[generated]
    return _Standard(fitted, asked, ranks, generated, weights)


def _scaled(fit: AnyFloats, evaluate: AnyFloats) -> tuple[Floats, Floats]:
    """Fit and evaluation samples, each feature with mean 0 and deviation 1 over the fit samples."""
    fit = fit.astype(float)
    # Divide by the largest value first, because squares of huge values would overflow.
    largest = np.maximum(fit.max(axis=0), -fit.min(axis=0))
    largest[largest == 0] = 1.0
    fit /= largest
    mean = fit.mean(axis=0)
    deviation = fit.std(axis=0)
    deviation[deviation == 0] = 1.0
    with np.errstate(over="ignore"):
        one, other = (
            np.clip((each - mean) / deviation, -1e6, 1e6) for each in (fit, evaluate / largest)
        )
    return one, other


def _places(pair: SamplePair, rows: Sequence[Ints]) -> Ints:
    """For each sample of a pair, real ones first, its position in the concatenation of these rows
    of both sets; -1 if it is not among them.
    """
    found = np.full(pair.real.n + pair.generated.n, -1)
    taken = np.concatenate([rows[0], rows[1] + pair.real.n, rows[2], rows[3] + pair.real.n])
    found[taken] = np.arange(len(taken))
    return found


def _shares_below(values: Table, places: Ints, n: int) -> Table:
    """For each value, the share of fit samples (the first n values of its row) that are smaller;
    equal values count half.

    places : for each row, the indices that sort its values.
    """
    count, width = values.shape
    # Written with flat indices, because `numpy.take_along_axis` takes four times as long.
    flat = places + (width * np.arange(count))[:, None]
    ordered = values.take(flat)
    # Twice the number of fit samples below a value. A fit sample adds 1 for itself, as equal values
    # count half.
    is_fit = places < n
    up_to = np.cumsum(is_fit, axis=1, dtype=np.int32)
    both = 2 * up_to
    both -= is_fit
    # If values are tied, the number below the first of them is added to the number up to the last.
    differ = ordered[:, 1:] != ordered[:, :-1]
    tied = np.flatnonzero(~differ.all(axis=1))
    if len(tied):
        ends = np.ones((len(tied), width + 1), dtype=bool)
        ends[:, 1:-1] = differ[tied]
        first = np.where(ends[:, :-1], (up_to - is_fit)[tied], 0)
        last = np.where(ends[:, 1:], up_to[tied], n)[:, ::-1]
        both[tied] = np.maximum.accumulate(first, axis=1)
        both[tied] += np.minimum.accumulate(last, axis=1)[:, ::-1]
    shares = np.empty(values.shape, values.dtype)
    shares.ravel()[flat] = both / (2 * n)
    return shares


def _logistic(split: _Standard, seed: int) -> Floats:  # noqa: ARG001
    n = len(split.generated)
    fit = np.ascontiguousarray(split.fit)
    models = [
        _library("sklearn.linear_model").LogisticRegression(C=1.0 / (decay * n), max_iter=10_000)
        for decay in DECAYS
    ]
    fitted = [model.fit(fit, split.generated, split.weights) for model in models]
    return np.stack([model.decision_function(split.evaluate) for model in fitted]).astype(
        np.float64
    )


def _trees(split: _Standard, seed: int) -> Floats:
    """For both forests and each evaluation sample, the share of generated fit samples in its leaf,
    summed over the trees of one part.
    """
    called = np.zeros((2, len(split.evaluate)))
    for place, (fit, evaluate) in enumerate(((split.fit, split.evaluate), split.ranks)):
        for tree in _forest(fit, split, seed, TREES // FOREST_PARTS):
            called[place] += _leaf_values(tree, evaluate)[:, 1]
    return called


def _forest(fit: Table, split: _Standard, seed: int, count: int) -> Iterator[Any]:
    """Randomised trees, fitted to the given values of the fit samples.

    They are fitted one by one because a forest of scikit-learn changes the process's warning
    filters, which other threads share.
    """
    # Equal weights are left out: scikit-learn checks weights again for every tree, and without them
    # a fit of few samples takes half the time.
    weights = None
    if not np.all(split.weights == 1):
        weights = split.weights
    for state in _random_states(seed, count):
        tree = _library().ExtraTreeClassifier(
            min_samples_leaf=3, max_features="sqrt", random_state=state
        )
        yield tree.fit(fit, split.generated, weights, check_input=False)


def _random_states(seed: int, count: int) -> Iterator[np.random.RandomState]:
    """Random generators for ``count`` seeds: one generator, set to each seed in turn.

    A new generator per seed would first ask the system for random bytes, which takes longer than a
    tree of few samples.
    """
    state = np.random.RandomState(0)
    for own_seed in np.random.SeedSequence(seed).generate_state(count).tolist():
        state.seed(own_seed)
        yield state


def _leaf_values(tree: Any, values: Table) -> Floats:
    """The value of the leaf that each sample falls into: class shares (m, 2) or a number (m, 1)."""
    return np.asarray(tree.tree_.predict(values))


def _odds_of_trees(called: Floats, trees: int = TREES) -> Floats:
    """Log odds from the class shares summed over all trees; half a tree is added to both classes to
    keep the log odds finite.
    """
    return np.log(called + 0.5) - np.log(trees - called + 0.5)


def _boosting(split: _Standard, seed: int) -> Floats:
    """Log odds by LogitBoost, as one column of votes."""
    found = np.zeros(len(split.evaluate))
    for tree in _boosted(split.fit, split, seed):
        found += _RATE * _leaf_values(tree, split.evaluate)[:, 0]
    return found[None]


def _boosted(fit: Table, split: _Standard, seed: int) -> Iterator[Any]:
    """The trees of LogitBoost (Friedman, Hastie, Tibshirani 2000), one after the other; each tree
    is a Newton step.

    They are fitted one by one because scikit-learn's boosting changes the process's warning
    filters.
    """
    from scipy.special import expit

    odds = np.zeros(len(fit))
    for state in _random_states(seed, ROUNDS):
        share = expit(odds)
        spread = np.maximum(share * (1 - share), _LEAST_SPREAD)
        tree = _library().DecisionTreeRegressor(
            max_depth=3, min_samples_leaf=10, max_features=0.25, random_state=state
        )
        tree.fit(fit, (split.generated - share) / spread, spread * split.weights, check_input=False)
        odds += _RATE * _leaf_values(tree, fit)[:, 0]
        yield tree


@dataclass(frozen=True, eq=False)
class Judge:
    """Randomised and boosted trees, fitted to the ranks of the fit samples, that score other
    samples. Made by `fit`.

    Parameters
    ----------
    split : _Standard
        The standardised and ranked samples.
    seed : int
        Seed of the trees.
    """

    split: _Standard
    seed: int

    @classmethod
    def fit(cls, split: Split, seed: int) -> Judge:
        """Prepare the fit samples, at most `MOST_FITTED` of each set, for trees, which are fitted
        when they are first used.

        Parameters
        ----------
        split : Split
            A split with held-out evaluation samples.
        seed : int
            Seed of the trees and, where there are more fit samples, of their choice.

        Returns
        -------
        Judge

        Raises
        ------
        ImportError
            If scikit-learn is not installed.
        """
        _library()
        return cls(_standardised(split, seed), seed)

    @property
    def evaluate(self) -> Table:
        """Ranks of the evaluation samples, (m, d), real ones first."""
        return self.split.ranks[1]

    @cached_property
    def _boosted(self) -> list[Any]:
        """The boosted trees; none if there are more than `MOST_BOOSTED` features."""
        few = self.evaluate.shape[1] <= MOST_BOOSTED
        with _plain():
            return list(_boosted(self.split.ranks[0], self.split, self.seed)) if few else []

    @cached_property
    def _randomised(self) -> list[Any]:
        with _plain():
            return list(_forest(self.split.ranks[0], self.split, self.seed, 2 * TREES))

    def log_odds(self, ranks: Table) -> Floats:
        """Log odds, (m,), that samples are generated: the log odds by randomised trees plus those
        by boosted trees.

        Parameters
        ----------
        ranks : ndarray
            (m, d) ranks, such as `evaluate` or a copy of it with some values changed.

        Returns
        -------
        ndarray
        """
        with _plain():
            shares = [_leaf_values(tree, ranks)[:, 1] for tree in self._randomised]
            steps = [_leaf_values(tree, ranks)[:, 0] for tree in self._boosted]
        odds = _odds_of_trees(np.sum(shares, axis=0), len(shares))
        return odds + _RATE * np.sum(steps, axis=0) if steps else odds

    @property
    def gains(self) -> Floats:
        """Importance of each feature, (d,): the impurity removed by splits on the feature, averaged
        over the randomised trees.
        """
        return np.asarray(np.mean([tree.feature_importances_ for tree in self._randomised], axis=0))


@contextmanager
def _plain() -> Iterator[None]:
    """Context in which models are fitted on one thread and without scikit-learn's checks: all
    values are known to be finite and all parameters to be valid.
    """
    plain = _library("sklearn").config_context(assume_finite=True, skip_parameter_validation=True)
    with one_thread(), plain:
        yield
