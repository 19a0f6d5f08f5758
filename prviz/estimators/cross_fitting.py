"""Cross-fitting: every sample gets a score from learners and weights that were fitted without
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prviz.arrays import Flags, Floats, Ints
from prviz.estimators.learners import PairTables, Votes, votes
from prviz.estimators.stack import Stack
from prviz.neighbors.threads import Progress, part_of
from prviz.recent import LeastRecentlyUsed
from prviz.samples import SamplePair, Samples, Split

Rows = tuple[Ints, Ints]

FOLDS = 5
# Learners are fitted on at most this many features, drawn by the seed, because their time grows
# with the number of features. The result stays valid: any classifier's curve lies above the true
# one.
MOST_FEATURES = 2_048

# Cache of the tables of the last pair only: usually the scores of all samples of a pair are
# computed, and then the scores of half of them.
_TABLES = LeastRecentlyUsed(1)


@dataclass(frozen=True, eq=False)
class Scores:
    """Log odds that each sample is generated, if both sets had equal weight; 0 where the learners
    can't tell real from generated.

    real, generated : (n,) and (m,), in the order of the samples.
    """

    real: Floats
    generated: Floats

    def levels(self, cuts: int) -> Ints:
        """Level of each sample, real ones first: the number of cuts below its score plus the number
        at or below it. Levels run from 0 to 2 ``cuts`` and are odd where the score equals a cut.

        Cut i is a log odds, log tan(theta) with theta = (i + 1/2) / cuts of a right angle: the
        threshold at which the best classifier for lam = tan(theta) begins to call samples
        generated.
        """
        odds = np.concatenate([self.real, self.generated])
        places = cut_places(cuts)
        return np.searchsorted(places, odds, side="left") + np.searchsorted(
            places, odds, side="right"
        )


def cut_places(cuts: int) -> Floats:
    """The log odds of the cuts, (cuts,), exactly symmetric about 0."""
    places: Floats = np.log(np.tan((np.arange(cuts) + 0.5) / cuts * np.pi / 2))
    return (places - places[::-1]) / 2


def of_all(pair: SamplePair, seed: int, progress: Progress | None = None) -> Scores:
    """The score of every sample, fold by fold: learners and their weights are fitted on the other
    folds alone.

    Parameters
    ----------
    pair : SamplePair
        With at least two samples in each set, or two groups where samples have groups.
    seed : int
        Seed of the folds and of the learners.
    progress : callable, optional
        Called with the fraction done; may raise to stop.

    Returns
    -------
    Scores
        The log odds. Exchanging the roles exactly changes their signs.
    """
    ordered, exchanged = _in_order(pair, seed)
    everything = np.arange(ordered.real.n), np.arange(ordered.generated.n)
    table, folds = _out_of_fold(ordered, everything, seed, progress, _tables(pair, ordered, seed))
    generated = np.arange(len(folds)) >= ordered.real.n
    odds = np.zeros(len(folds))
    for fold in np.unique(folds):
        own = folds == fold
        weights = Stack.fit(_of(table, ~own), generated[~own])
        odds[own] = weights.log_odds(_of(table, own))
    return _scores(odds, ordered.real.n, exchanged=exchanged)


def of_evaluation(split: Split, seed: int, progress: Progress | None = None) -> Scores:
    """The score of every evaluation sample, by one classifier fitted on the fit samples alone.

    Parameters
    ----------
    split : Split
        A split with held-out evaluation samples.
    seed, progress
        As in `of_all`; the seed is that of the folds inside the fit samples.

    Returns
    -------
    Scores
        The log odds of the evaluation samples, which are independent of each other given the fit
        samples.
    """
    ordered, exchanged = _in_order(split.pair, seed)
    rows = split.fit_rows, split.evaluate_rows
    (fit, other_fit), (judged, other_judged) = (
        (side[1], side[0]) if exchanged else side for side in rows
    )
    tables = _tables(split.pair, ordered, seed)
    split = Split(ordered, (fit, other_fit), (judged, other_judged), held_out=True)
    table, folds = _out_of_fold(
        ordered, split.fit_rows, seed, part_of(progress, 0, FOLDS + 1, FOLDS), tables
    )
    weights = Stack.fit(table, np.arange(len(folds)) >= len(split.fit_rows[0]))
    (found,) = votes([split], seed, part_of(progress, FOLDS, FOLDS + 1), tables)
    return _scores(weights.log_odds(found), len(split.evaluate_rows[0]), exchanged=exchanged)


def _in_order(pair: SamplePair, seed: int) -> tuple[SamplePair, bool]:
    """The two sets in an order that does not depend on which of them is real, so that rounding is
    the same for swapped roles; and True if they were exchanged. If there are more features than
    MOST_FEATURES, that many are drawn.
    """
    exchanged = pair.real.digest > pair.generated.digest
    sets = [pair.generated, pair.real] if exchanged else [pair.real, pair.generated]
    if pair.d > MOST_FEATURES:
        columns = np.sort(np.random.default_rng(seed).permutation(pair.d)[:MOST_FEATURES])
        sets = [each.take_features(columns) for each in sets]
    return SamplePair(*sets), exchanged


def _tables(pair: SamplePair, ordered: SamplePair, seed: int) -> PairTables:
    """The tables of a pair, from the cache or computed for ``ordered``, the pair as `_in_order`
    returns it.
    """
    key = pair.digest, seed if pair.d > MOST_FEATURES else None
    return _TABLES.remembered(key, lambda: PairTables.of(ordered))


def _scores(odds: Floats, n_first: int, *, exchanged: bool) -> Scores:
    first, second = np.split(odds, [n_first])
    if exchanged:
        return Scores(-second, -first)
    return Scores(first, second)


def _out_of_fold(
    pair: SamplePair, rows: Rows, seed: int, progress: Progress | None, tables: PairTables
) -> tuple[dict[str, Floats], Ints]:
    """Log odds of the samples in these rows, by learners fitted on the other folds; and the fold of
    each sample.
    """
    units = [_units(samples, own) for samples, own in zip(pair, rows, strict=True)]
    count = min(FOLDS, *(int(each.max()) + 1 for each in units))
    parts = [_folds(each, count, seed) for each in units]
    splits = [
        Split(
            pair,
            _chosen(rows, parts, fold, own=False),
            _chosen(rows, parts, fold, own=True),
            held_out=True,
        )
        for fold in range(count)
    ]
    found = votes(splits, seed, progress, tables)
    folds = np.concatenate(parts)
    table = {}
    for name, first in found[0].items():
        columns = np.empty((len(first), len(folds)))
        for fold, each in enumerate(found):
            columns[:, folds == fold] = each[name]
        table[name] = columns
    return table, folds


def _units(samples: Samples, rows: Ints) -> Ints:
    """For each row, the index of the unit that must stay in one fold: its group, or the row
    itself.
    """
    groups = samples.group_numbers
    if groups is None:
        return np.arange(len(rows))
    return np.unique(groups[rows], return_inverse=True)[1].reshape(-1)


def _folds(units: Ints, count: int, seed: int) -> Ints:
    """The fold of every sample of one set.

    It depends only on the number of units (groups or single samples) in that set, so that equal
    sets get equal folds.
    """
    order = np.random.default_rng(seed).permutation(int(units.max()) + 1)
    fold = np.empty(len(order), dtype=np.intp)
    fold[order] = np.arange(len(order)) % count
    return fold[units]


def _chosen(rows: Rows, parts: Sequence[Ints], fold: int, *, own: bool) -> Rows:
    """The rows of this fold if ``own`` is True, otherwise the rows of all other folds."""
    real, generated = (side[(part == fold) == own] for side, part in zip(rows, parts, strict=True))
    return real, generated


def _of(table: Votes, chosen: Flags) -> dict[str, Floats]:
    return {name: columns[:, chosen] for name, columns in table.items()}
