"""The witness: finds columns and samples that tell generated from real samples, and measures the
area without these columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Flags, Floats, Ints
from prviz.checks.twins import rows_without_twins
from prviz.diagnostics.column_tests import ColumnCounts, holm, known_tests
from prviz.diagnostics.correlation_tests import SURE, correlated_otherwise
from prviz.diagnostics.named_columns import (
    MOST,
    NamedColumns,
    column_of,
    column_text,
    correlations,
    histogram,
    named_columns,
)
from prviz.diagnostics.remedies import Change, Remedy, changes
from prviz.diagnostics.whole_rows import Repeats, repeats, row_property
from prviz.estimators.learners import Judge
from prviz.estimators.tightest import FEWEST, TIGHTEST
from prviz.measure.estimates import estimate
from prviz.measure.workload import subsample
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.engine import checked_bytes
from prviz.neighbors.threads import Progress, part_of
from prviz.samples import SamplePair, SamplesLike, Split, pair_of

# Significance level at which trees tell real from generated samples.
APART = 0.0025
# Largest number of rows of a set on which columns are tested.
_TESTED = 100_000
# Largest number of rows of a set on which trees are fitted and judged.
_ROWS = 20_000
# Largest number of samples of a set from which an area is computed. Every remedy needs the curve of
# the family "tightest", which takes a minute for 10,000 samples of 384 features.
AREA_SAMPLES = 2_000
# Bytes per value while trees are fitted: standardised values, their ranks, and shuffled ranks.
VALUE_BYTES = 32
# Fewest independent rows of a set on which trees are fitted; on fewer rows trees find no
# differences.
_LEAST_ROWS = 40
# Number of columns that are shuffled to see whether trees need them.
_SHUFFLED = 10
# Number of times that each shuffled column is shuffled.
_SHUFFLES = 3
# Number of samples shown of each role, those that trees assign to it most surely.
_SHOWN = 8
# Heading above the witness's statements on pages and in reports.
GIVES_AWAY = "What gives it away"
NOTHING = "no feature tells the sets apart"
WITHOUT_TREES = "without scikit-learn only columns are tested, each by itself"
DRAWN = f"of larger sets {_TESTED:,} samples were tested, drawn by the seed"
TWINS = "samples have others far nearer than all the rest: one of each such group was tested"
GROUPS = "samples belong to groups: one of each was tested"


@dataclass(frozen=True)
class Witness:
    """What tells two sets apart.

    Parameters
    ----------
    d : int
        Number of columns.
    named : tuple of NamedColumns
        The columns that tell the sets apart: at most three columns or groups of columns, those that
        show the difference best first.
    differing : tuple of int
        All columns whose own distribution differs, counted from 0, the surest first.
    rows : str
        What whole rows of only one set have: they repeat, or contain fractional or negative
        numbers, or all have length 1. Empty: none of these.
    p_apart : float, optional
        P-value of how well trees that were fitted on one half tell real from generated samples in
        the other half; None: no trees were fitted.
    most_generated : tuple of int
        Rows, counted from 0, of the samples in the judged half of the generated set that are most
        surely generated.
    most_missing : tuple of int
        Rows of the samples in the judged half of the real set that are most surely real.
    area : float, optional
        Area under the curve to believe ("tightest"), with all columns.
    remedies : tuple of Remedy
        Changes of both sets that were tried, each with the area it leaves; the first one leaves out
        the named columns.
    notes : tuple of str
        What was not tested, and why.
    area_samples : int, optional
        All areas are computed from at most this number of samples of each set, drawn by the seed;
        None: from all samples.
    """

    d: int
    named: tuple[NamedColumns, ...]
    differing: tuple[int, ...]
    rows: str
    p_apart: float | None
    most_generated: tuple[int, ...]
    most_missing: tuple[int, ...]
    area: float | None
    remedies: tuple[Remedy, ...]
    notes: tuple[str, ...]
    area_samples: int | None = None

    @property
    def whole(self) -> bool:
        """True if more than half of the columns differ: then whole rows, or their scale, differ
        rather than single columns.
        """
        return self.d > MOST and len(self.differing) > self.d / 2

    @property
    def told_apart(self) -> bool:
        """True if the differences between the sets are larger than chance explains."""
        by_trees = self.p_apart is not None and self.p_apart < APART
        return by_trees or bool(self.named or self.rows)

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns that are named, counted from 0."""
        return tuple(column for each in self.named for column in each.columns)

    @property
    def of_all(self) -> tuple[str, ...]:
        """At most one line on all columns together: a property of whole rows, or that no single
        feature is named.
        """
        if self.rows:
            return (self.rows,)
        if self.whole:
            return (
                f"{len(self.differing)} of {self.d} features differ: whole rows or their scale",
            )
        if self.named:
            return ()
        return ("the sets differ, in no single feature" if self.told_apart else NOTHING,)

    @property
    def statements(self) -> tuple[str, ...]:
        """All statements on the sets, in this order: on all columns together (see `of_all`), on
        each named column, and on the areas under the curve if they were measured. There is at least
        one: if no column is named, `of_all` has one.
        """
        said = [*self.of_all, *(each.text for each in self.named)]
        if self.area is not None:
            if self.area_samples is None:
                of = ""
            else:
                of = f", of at most {self.area_samples:,} samples of each set"
            said.append(
                "; ".join([f"area {self.area:.2f}{of}", *(each.text for each in self.remedies)])
            )
        return tuple(said)

    @property
    def area_without(self) -> float | None:
        """The area without the named columns; None if it was not measured."""
        if self.remedies and 0 < len(self.columns) < self.d:
            return self.remedies[0].area
        return None

    @property
    def text(self) -> str:
        """All statements in one line."""
        return "; ".join(self.statements)

    def entry(self) -> dict[str, Any]:
        """The witness as types that JSON has.

        Returns
        -------
        dict
            All attributes, and ``statements``.
        """
        names = (
            "d",
            "rows",
            "whole",
            "told_apart",
            "p_apart",
            "area",
            "area_without",
            "area_samples",
        )
        rows = ("differing", "most_generated", "most_missing", "notes")
        return {
            "statements": list(self.statements),
            "named": [each.entry() for each in self.named],
            **{name: getattr(self, name) for name in names},
            **{name: list(getattr(self, name)) for name in rows},
            "remedies": [{"words": each.words, "area": each.area} for each in self.remedies],
        }


def witness(
    real: SamplePair | SamplesLike,
    generated: SamplesLike | None = None,
    *,
    without: bool = True,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Witness:
    """What gives generated samples away: the columns and samples that tell them from real ones.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. Or one `SamplePair`.
    without : bool
        True: also measure the area under the curve to believe ("tightest") with all columns,
        without the named ones, and after changes such as rounding that may remove the difference.
        Each area takes one such curve, of at most 2,000 samples of each set. With fewer than 200
        independent samples in a set no area is measured.
    seed : int
        Seed of the split in halves, of the trees and of the shuffles.
    memory_limit : int
        As in `prviz.pr_curve`.
    progress : callable, optional
        Called with the fraction done; may raise to stop.

    Returns
    -------
    Witness
        ``named`` has at most three columns or groups of columns, each with a sentence that can be
        checked in the file; ``text`` says everything in one line.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve`.

    Notes
    -----
    First every column is tested by itself, on all rows: Kolmogorov-Smirnov on the values and on
    their distances from the pooled median, and Fisher's exact test on the shares of the commonest,
    the least and the greatest value. The column's p-value is the least of these, corrected for
    their number (the ends get the least weight); Holm's procedure at .01 corrects for the number of
    columns. Then the rank correlations of pairs of the other columns are tested, if there are at
    most 128: a pair is named if its correlations in the two sets differ more than any in 499 random
    divisions of the same rows. Then trees are fitted on half of the samples, without the columns
    that differ. If no correlation is named and the trees tell the sets apart in the other half
    (Mann-Whitney, p < .0025), the ten columns that matter most to randomised trees are shuffled in
    that half. A column is named if shuffling it raises the weighted log loss (one-sided paired t,
    Holm at .01).

    If one set repeats rows and the other does not, a statement says so, and columns are tested on
    distinct rows. If samples belong to groups, one sample of each group is tested, so that all are
    independent.

    Examples
    --------
    >>> import numpy as np
    >>> import prviz
    >>> real, generated = np.random.default_rng(0).normal(size=(2, 600, 4))
    >>> generated[:, 2] = np.maximum(generated[:, 2], -1)
    >>> prviz.witness(real, generated, without=False).text
    'feature 3 below −1: 0 % generated, 17 % real'
    """
    tick = part_of(progress, 0, 8)
    memory_limit = checked_bytes(memory_limit)
    pair = pair_of(real, generated)
    grouped = any(each.groups is not None for each in pair)
    independent = _one_of_each_group(pair, seed)
    notes = [GROUPS] if grouped else []
    if not grouped and independent.pair is not pair:
        notes.append(TWINS)
    if max(each.n for each in independent.pair) > _TESTED:
        independent = _drawn(independent, seed)
        notes.append(DRAWN)
    repeated = repeats(independent.pair)
    tested = _without_repeats(independent, repeated)
    differ = []
    if not repeated.by_value:
        differ = known_tests(tested.pair).differ.tolist()
    tick(1)
    named = named_columns(tested.pair, differ)
    tick(2)
    judged = None
    if min(len(each) for each in tested.rows) < _LEAST_ROWS:
        notes.append(f"too few samples for trees: {_LEAST_ROWS} of each set are needed")
    elif not repeated.by_value:
        try:
            judged = _judge(tested.pair, seed, memory_limit)
        except ImportError:
            notes.append(WITHOUT_TREES)
    tick(3)
    whole = len(differ) > pair.d / 2
    if judged is not None and len(named) < MOST and not whole:
        apart = _correlated(tested.pair, differ, seed)
        if judged.p < APART and not apart:
            apart = _together(tested.pair, differ, judged, seed, memory_limit)
        named += apart[: MOST - len(named)]
    found = Witness(
        d=pair.d,
        named=named,
        differing=tuple(differ),
        rows=repeated.text or _property_text(tested.pair),
        p_apart=None if judged is None else judged.p,
        most_generated=() if judged is None else _rows(tested, judged, 1),
        most_missing=() if judged is None else _rows(tested, judged, 0),
        area=None,
        remedies=(),
        notes=tuple(notes),
    )
    if without:
        rest = part_of(progress, 4, 8, 4)
        found = with_areas(found, pair, seed=seed, memory_limit=memory_limit, progress=rest)
    tick(8)
    return found


def leaving_out(pair: SamplePair, columns: Sequence[int]) -> SamplePair:
    """The pair without some columns.

    Parameters
    ----------
    pair : SamplePair
        Two sets.
    columns : sequence of int
        Columns to leave out, counted from 0; not all columns.

    Returns
    -------
    SamplePair
        Copies of the other columns, with their names.
    """
    kept = np.setdiff1d(np.arange(pair.d), columns)
    return SamplePair(*(each.take_features(kept) for each in pair))


def with_areas(
    found: Witness,
    pair: SamplePair,
    *,
    area: float | None = None,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Witness:
    """The witness with areas added: with all columns, without the named ones, and after each
    remedy.

    Parameters
    ----------
    found : Witness
        The witness of this pair.
    pair : SamplePair
        Two sets.
    area : float, optional
        Area under the curve to believe with all columns, of all samples and the same seed, if it is
        already known. It is used only if no set has more than AREA_SAMPLES samples. None: it is
        measured.
    seed, memory_limit : int
        As in `witness`.
    progress : callable, optional
        Called with the fraction done; may raise to stop.

    Returns
    -------
    Witness
        The witness with areas, or unchanged if nothing is named and nothing can be tried, or if
        samples are too few.
    """
    tried = list(changes(pair, found.named, found.rows))
    if 0 < (count := len(found.columns)) < pair.d:
        words = "without this one"
        if count != 1:
            words = f"without these {count}"
        tried.insert(0, Change(words, leaving_out(pair, found.columns)))
    drawn = subsample(pair, AREA_SAMPLES, seed)
    if not tried or min(each.n_independent for each in drawn) < FEWEST:
        return found
    number = None
    if max(each.n for each in pair) > AREA_SAMPLES:
        number = AREA_SAMPLES
        # Areas after remedies are measured on drawn samples. An area of all samples can't be
        # compared with them, so it is measured on drawn samples too.
        area = None
    sets = [
        *([drawn] if area is None else []),
        *(subsample(each.pair, AREA_SAMPLES, seed) for each in tried),
    ]
    best = TIGHTEST.name
    options: dict[str, Any] = {"split": 0.5, "seed": seed, "memory_limit": memory_limit}
    areas = []
    for place, each in enumerate(sets):
        part = part_of(progress, place, len(sets))
        areas.append(estimate(each, [best], **options, progress=part)[best].curve.auc)
    known = areas.pop(0) if area is None else area
    pairs = zip(tried, areas, strict=True)
    remedies = tuple(Remedy(each.words, left, left - known) for each, left in pairs)
    return replace(found, area=known, remedies=remedies, area_samples=number)


# ---- rows that are tested ----


class _Tested(NamedTuple):
    """The tested samples, and for each role their row numbers in the original pair."""

    pair: SamplePair
    rows: tuple[Ints, Ints]

    def taken(self, chosen: Sequence[Ints]) -> _Tested:
        """The samples at the positions ``chosen``, by role; the object itself if these are all."""
        if all(len(some) == len(rows) for some, rows in zip(chosen, self.rows, strict=True)):
            return self
        sides = [each.take(some) for each, some in zip(self.pair, chosen, strict=True)]
        real, generated = (rows[some] for rows, some in zip(self.rows, chosen, strict=True))
        return _Tested(SamplePair(*sides), (real, generated))


def _one_of_each_group(pair: SamplePair, seed: int) -> _Tested:
    """Independent rows: one sample of each group; all samples if they have no groups."""
    everything = _Tested(pair, (np.arange(pair.real.n), np.arange(pair.generated.n)))
    if pair.real.groups is None and pair.generated.groups is None:
        alone = rows_without_twins(pair)
        return everything if alone is None else everything.taken(alone)
    numbered = [replace(each, labels={"row": np.arange(each.n)}) for each in pair]
    rows = [
        np.asarray(each.one_of_each_group(seed).labels["row"], dtype=np.intp) for each in numbered
    ]
    taken = everything.taken(rows)
    sides = [replace(each, groups=None) for each in taken.pair]
    return _Tested(SamplePair(*sides), taken.rows)


def _drawn(tested: _Tested, seed: int) -> _Tested:
    """At most _TESTED rows of each set, drawn by the seed."""
    rng = np.random.default_rng(seed)
    return tested.taken([np.sort(rng.permutation(len(rows))[:_TESTED]) for rows in tested.rows])


def _without_repeats(tested: _Tested, repeated: Repeats) -> _Tested:
    chosen = [
        np.arange(len(rows)) if some is None else some
        for rows, some in zip(tested.rows, repeated.first, strict=True)
    ]
    return tested.taken(chosen)


def _property_text(pair: SamplePair) -> str:
    """The `row_property` in words; "" if there is none."""
    if (found := row_property(pair)) is None:
        return ""
    return found.text


# ---- trees ----


class _Judged(NamedTuple):
    """How trees that were fitted on one half of the samples judge the other half.

    p : p-value of how well they tell real from generated.
    judge : the trees.
    real : True for judged samples that are real.
    scores : log odds that a judged sample is real.
    rows : by role, the rows of the judged samples in their set.
    """

    p: float
    judge: Judge
    real: Flags
    scores: Floats
    rows: tuple[Ints, Ints]


def _judge(pair: SamplePair, seed: int, memory_limit: int) -> _Judged:
    """Fit trees on one half of the samples and judge the other half with them."""
    from scipy.stats import mannwhitneyu

    most = min(_ROWS, max(2 * _LEAST_ROWS, memory_limit // (2 * VALUE_BYTES * pair.d))) // 2
    split = pair.split(0.5, seed)
    fit, judged = (_some(rows, most, seed) for rows in (split.fit_rows, split.evaluate_rows))
    judge = Judge.fit(Split(pair, fit, judged, held_out=True), seed)
    scores = -judge.log_odds(judge.evaluate)
    real = np.arange(len(scores)) < len(judged[0])
    p = float(
        mannwhitneyu(scores[real], scores[~real], alternative="greater", method="asymptotic").pvalue
    )
    return _Judged(p, judge, real, scores, judged)


def _some(rows: tuple[Ints, Ints], most: int, seed: int) -> tuple[Ints, Ints]:
    """At most ``most`` rows of each role, drawn by the seed."""
    real, generated = (np.random.default_rng(seed).permutation(each)[:most] for each in rows)
    return real, generated


def _rows(tested: _Tested, judged: _Judged, role: int) -> tuple[int, ...]:
    """The rows of one role that trees most surely assign to this role; () if trees can't tell the
    sets apart.
    """
    if judged.p >= APART:
        return ()
    scores = judged.scores[judged.real] if role == 0 else -judged.scores[~judged.real]
    best = np.argsort(-scores, kind="stable")[:_SHOWN]
    best = best[scores[best] > 0]
    return tuple(int(row) for row in tested.rows[role][judged.rows[role][best]])


# ---- columns that differ only in their relation to other columns ----


def _correlated(pair: SamplePair, differ: Sequence[int], seed: int) -> tuple[NamedColumns, ...]:
    """Columns whose correlation with another column differs between the sets.

    A column that differs with several others is named alone; of a pair that differs only with each
    other, both are named.
    """
    left = np.setdiff1d(np.arange(pair.d), differ)
    pairs = [each.tolist() for each in correlated_otherwise(pair, left, seed)]
    found = list[int]()
    while pairs:
        times = Counter(column for each in pairs for column in each)
        most, number = times.most_common(1)[0]
        if number > 1:
            found += [most]
        else:
            found += pairs[0]
        pairs = [each for each in pairs if not set(each) & set(found)]
    return tuple(_named_together(pair, place, left.tolist()) for place in found[:MOST])


def _together(
    pair: SamplePair, differ: Sequence[int], judged: _Judged, seed: int, memory_limit: int
) -> tuple[NamedColumns, ...]:
    """Columns that trees need to tell the sets apart, among those whose own distributions do not
    differ.
    """
    left = np.setdiff1d(np.arange(pair.d), differ)
    if len(left) < 2:
        return ()
    seen = judged if len(left) == pair.d else _judge(leaving_out(pair, differ), seed, memory_limit)
    if seen.p >= APART:
        return ()
    likely = np.argsort(-seen.judge.gains, kind="stable")[:_SHUFFLED]
    p = _rise_by_chance(seen, likely, seed)
    return tuple(
        _named_together(pair, int(left[likely[place]]), left.tolist()) for place in holm(p)
    )


def _rise_by_chance(seen: _Judged, likely: Ints, seed: int) -> Floats:
    """For each column in ``likely``, the p-value of the rise of the log loss of the judged samples
    when this column is shuffled.

    Both roles have equal weight in the loss.
    """
    from scipy.special import stdtr

    rng = np.random.default_rng(seed)
    sign = np.where(seen.real, 1.0, -1.0)
    weight = np.where(seen.real, 0.5 / seen.real.mean(), 0.5 / (~seen.real).mean())
    before = np.logaddexp(0.0, -sign * seen.scores)
    ranks = seen.judge.evaluate
    found = np.ones(len(likely))
    for at, place in enumerate(likely):
        shuffled = ranks.copy()
        rises = np.zeros(len(before))
        for _ in range(_SHUFFLES):
            shuffled[:, place] = rng.permutation(ranks[:, place])
            after = np.logaddexp(0.0, sign * seen.judge.log_odds(shuffled))
            rises += weight * (after - before) / _SHUFFLES
        spread = float(rises.std(ddof=1))
        if spread > 0:
            found[at] = stdtr(len(rises) - 1, -rises.mean() / spread * np.sqrt(len(rises)))
    return found


def _named_together(pair: SamplePair, place: int, left: Sequence[int]) -> NamedColumns:
    """`NamedColumns` of a column that differs only in its relation to others.

    The sentence names the correlation that differs most, if its difference is significant.
    """
    name = column_text(pair, place)
    column: ColumnCounts = column_of(pair, place)
    sentence = "alike by itself, but not in relation to the other features"
    others = [each for each in left if each != place]
    both = [correlations(each.values, place, others) for each in pair]
    with np.errstate(divide="ignore"):
        apart = np.abs(
            np.subtract(*(np.arctanh(np.clip(each, -0.999_999, 0.999_999)) for each in both))
        )
    error = np.sqrt(sum(1 / max(each.n - 3, 1) for each in pair))
    best = int(np.argmax(apart))
    if apart[best] > SURE * error:
        partner = column_text(pair, others[best])
        made, real = (f"{each[best]:.2f}".replace("-", "−") for each in reversed(both))
        sentence = f"correlation with {partner}: {made} generated, {real} real"
    return NamedColumns(name, (place,), sentence, histogram(column), alone=False)
