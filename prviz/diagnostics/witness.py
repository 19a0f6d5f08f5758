"""The witness: which columns and which samples tell two sets apart, and what remains without these columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.checks.facts import row_blocks, row_classes
from prviz.checks.flags import MANY_ROWS
from prviz.diagnostics.column_tests import LEVEL, ColumnCounts, column_tests, fisher, holm
from prviz.diagnostics.named_columns import (
    MOST,
    NamedColumns,
    column_of,
    column_text,
    histogram,
    named_columns,
    share_text,
)
from prviz.measure.estimates import pr_curve
from prviz.measure.workload import subsample
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import one_blas_thread, one_openmp_thread
from prviz.samples import SamplePair, Samples, pair_of

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

# Rows of a set that columns are tested on at most, and those that trees are fitted on and judged by.
_TESTED, _ROWS = 100_000, 20_000
# Samples of a set that areas are measured on, from the least to the most, and values: these take longer than all else.
_LEAST_OF_AREAS, _MOST_OF_AREAS, _VALUES_OF_AREAS = 300, 2_000, 64_000
# Bytes of memory for each value that trees see: ranks, their copies in scikit-learn, and one that is shuffled.
_VALUE_BYTES = 64
# Fewest independent rows of a set for trees, which see nothing in fewer.
_LEAST_ROWS = 40
# Columns up to which trees are boosted; of more, randomised ones are far cheaper.
_BOOSTED = 300
_TREES = 100
# Columns that are shuffled, and how often each.
_SHUFFLED, _SHUFFLES = 10, 3
# Samples that are shown of either kind.
_SHOWN = 8
# Fewest repeated rows that are looked at, and how many times as often rows must repeat within a set as across the two,
# or as in the other one.
_FEW_REPEATS, _TIMES = 5, 3.0
# Distinct values of a column over different rows, from which rows don't repeat by chance.
_CONTINUOUS = 0.5
# Least difference of the shares of rows that a rule holds for, the share of one set that none or all is taken for, and
# how far a length may be from 1.
_ROWS_DIFFER, _ALMOST, _ONE = 0.1, 0.001, 2e-3
# Difference of two correlations, in standard errors of Fisher's z, that is no chance among all columns.
_SURE = 5.0
# What the witness is called wherever it stands.
GIVES_AWAY = "What gives it away"
NOTHING = "no feature tells the sets apart"
WITHOUT_TREES = "without scikit-learn only columns are tested, each by itself"
DRAWN = f"of more than {_TESTED:,} samples so many were tested, drawn by the seed"
AREAS_DRAWN = "both areas are of {:,} samples of each set at most, drawn by the seed"
GROUPS = "samples belong to groups: one of each was tested"


@dataclass(frozen=True)
class Witness:
    """What tells two sets apart.

    Parameters
    ----------
    d : int
        Number of columns.
    named : tuple of NamedColumns
        The columns that tell the sets apart, at most three names, groups before single ones, the plainest first.
    differing : tuple of int
        All columns whose own distribution differs, counted from 0, the surest first.
    rows : str
        What tells whole rows of the sets apart: that they repeat, hold numbers that are not whole, or
        negative ones, or have one length, in one set only. Empty: nothing of these.
    p_apart : float, optional
        Probability that trees which were fitted on one half tell the other half apart so well by
        chance; None: no trees.
    most_generated : tuple of int
        Rows of the generated samples that are most surely generated, counted from 0, of the half that was judged.
    most_missing : tuple of int
        Rows of the real samples that are most surely not generated.
    area, area_without : float, optional
        Area under the curve to believe with all columns, and without those named.
    notes : tuple of str
        What was not tested, and why.
    """

    d: int
    named: tuple[NamedColumns, ...]
    differing: tuple[int, ...]
    rows: str
    p_apart: float | None
    most_generated: tuple[int, ...]
    most_missing: tuple[int, ...]
    area: float | None
    area_without: float | None
    notes: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """True if more than half of the columns differ: whole rows, or their scale, more than any column."""
        return self.d > MOST and len(self.differing) > self.d / 2

    @property
    def told_apart(self) -> bool:
        """True if the sets differ by more than chance."""
        by_trees = self.p_apart is not None and self.p_apart < LEVEL
        return by_trees or bool(self.named or self.rows)

    @property
    def columns(self) -> tuple[int, ...]:
        """All named columns, counted from 0."""
        return tuple(column for each in self.named for column in each.columns)

    @property
    def of_all(self) -> tuple[str, ...]:
        """What is said of whole rows, and where no feature is named; one line at most."""
        if self.rows:
            return (self.rows,)
        if self.whole:
            return (f"{len(self.differing)} of {self.d} features differ: whole rows or their scale",)
        if self.named:
            return ()
        return ("the sets differ, in no single feature" if self.told_apart else NOTHING,)

    @property
    def statements(self) -> tuple[str, ...]:
        """What is said of the sets, a line each: at least one."""
        said = [*self.of_all, *(each.text for each in self.named)]
        if self.area is not None and self.area_without is not None:
            said.append(f"area {self.area:.2f}; without these {self.area_without:.2f}")
        return tuple(said)

    @property
    def text(self) -> str:
        """The witness in one line."""
        return "; ".join(self.statements)

    def entry(self) -> dict[str, Any]:
        """The witness in JSON's own types.

        Returns
        -------
        dict
            All attributes, and the lines that say them as ``statements``.
        """
        names = ("d", "rows", "whole", "told_apart", "p_apart", "area", "area_without")
        rows = ("differing", "most_generated", "most_missing", "notes")
        return {
            "statements": list(self.statements),
            "named": [each.entry() for each in self.named],
            **{name: getattr(self, name) for name in names},
            **{name: list(getattr(self, name)) for name in rows},
        }


def witness(
    real: SamplePair | Samples | ArrayLike,
    generated: Samples | ArrayLike | None = None,
    *,
    without: bool = True,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
) -> Witness:
    """What gives generated samples away: the columns and samples that tell them from real ones.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. Or one `SamplePair`.
    without : bool
        True: also measure the area under the curve with all columns and without those named.
    seed : int
        Seed of the split in halves, of the trees and of the shuffles.
    memory_limit : int
        As in `prviz.pr_curve`.

    Returns
    -------
    Witness
        ``named`` has at most three columns or groups of them, each with a sentence that can be checked in the file;
        ``text`` is all in one line.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve`.

    Notes
    -----
    First every column is tested by itself, on all rows: Kolmogorov-Smirnov, the same of the distances from the pooled
    median, and Fisher's exact test of the share of the commonest value; three times the least p, and Holm's procedure
    at .01 over the columns. Then trees are fitted on half of the samples without the columns that differ: only where
    they tell the other half apart (Mann-Whitney, p < .01) the ten columns that randomised trees split by most are
    shuffled there, and named where the weighted log loss rises (one-sided paired t, Holm at .01).

    Where one set repeats rows and the other one does not, this is said, and columns are tested on different rows. Of
    samples in groups one of each is tested, so that all are independent.

    Examples
    --------
    >>> import numpy as np
    >>> import prviz
    >>> real, generated = np.random.default_rng(0).normal(size=(2, 600, 4))
    >>> generated[:, 2] = np.maximum(generated[:, 2], -1)
    >>> prviz.witness(real, generated, without=False).text
    'feature 3 below −1: 0 % generated, 17 % real'
    """
    pair = pair_of(real, generated)
    grouped = any(each.groups is not None for each in pair)
    independent = _one_of_each_group(pair, seed)
    notes = [GROUPS] if grouped else []
    if max(each.n for each in independent.pair) > _TESTED:
        independent = _drawn(independent, seed)
        notes.append(DRAWN)
    repeats = _repeats(independent.pair)
    tested = _without_repeats(independent, repeats)
    differ = [] if repeats.by_value else _differing(tested.pair)
    named = named_columns(tested.pair, differ)
    judged = None
    if min(len(each) for each in tested.rows) < _LEAST_ROWS:
        notes.append(f"too few samples for trees: {_LEAST_ROWS} of each set are needed")
    elif not repeats.by_value:
        try:
            judged = _judge(tested.pair, list(range(pair.d)), seed, memory_limit)
        except ImportError:
            notes.append(WITHOUT_TREES)
    whole = len(differ) > pair.d / 2
    if judged is not None and judged.p < LEVEL and len(named) < MOST and not whole:
        named += _together(tested.pair, differ, judged, seed, memory_limit)[: MOST - len(named)]
    found = Witness(
        d=pair.d,
        named=named,
        differing=tuple(differ),
        rows=repeats.text or _rows_text(tested.pair),
        p_apart=None if judged is None else judged.p,
        most_generated=() if judged is None else _rows(tested, judged, 1),
        most_missing=() if judged is None else _rows(tested, judged, 0),
        area=None,
        area_without=None,
        notes=tuple(notes),
    )
    return with_areas(found, pair, seed=seed, memory_limit=memory_limit) if without and named else found


def leaving_out(pair: SamplePair, columns: Sequence[int]) -> SamplePair:
    """The pair without some columns.

    Parameters
    ----------
    pair : SamplePair
        Two sets.
    columns : sequence of int
        Counted from 0; not all of them.

    Returns
    -------
    SamplePair
        Copies of the other columns, with their names.
    """
    kept = np.setdiff1d(np.arange(pair.d), columns)
    return SamplePair(*(each.take_features(kept) for each in pair))


def _area(pair: SamplePair, seed: int, memory_limit: int) -> float:
    """Area under the curve to believe."""
    return pr_curve(pair.real, pair.generated, "tightest", split=0.5, seed=seed, memory_limit=memory_limit).auc


def with_areas(found: Witness, pair: SamplePair, *, seed: int = 0, memory_limit: int = MEMORY_LIMIT) -> Witness:
    """The witness with the areas with all columns and without those named; as it is where none remain.

    Parameters
    ----------
    found : Witness
        Of this pair.
    pair : SamplePair
        Two sets.
    seed, memory_limit : int
        As in `witness`.

    Returns
    -------
    Witness
    """
    if len(found.columns) >= pair.d or min(each.n_independent for each in pair) < _LEAST_ROWS:
        return found
    notes = found.notes
    most = max(_LEAST_OF_AREAS, min(_MOST_OF_AREAS, _VALUES_OF_AREAS // pair.d))
    if max(each.n for each in pair) > most:
        pair = subsample(pair, most, seed)
        notes = (*notes, AREAS_DRAWN.format(most))
    left = leaving_out(pair, found.columns)
    areas = [_area(each, seed, memory_limit) for each in (pair, left)]
    return replace(found, area=areas[0], area_without=areas[1], notes=notes)


# ---- rows that are tested ----


class _Tested(NamedTuple):
    """Rows of a pair that are tested, and their numbers in it, by role."""

    pair: SamplePair
    rows: tuple[Ints, Ints]

    def taken(self, chosen: Sequence[Ints]) -> _Tested:
        """Some of these rows; itself where they are all."""
        if all(len(some) == len(rows) for some, rows in zip(chosen, self.rows, strict=True)):
            return self
        sides = [each.take(some) for each, some in zip(self.pair, chosen, strict=True)]
        real, generated = (rows[some] for rows, some in zip(self.rows, chosen, strict=True))
        return _Tested(SamplePair(*sides), (real, generated))


def _one_of_each_group(pair: SamplePair, seed: int) -> _Tested:
    """Independent rows: one of each group where samples belong to groups."""
    everything = _Tested(pair, (np.arange(pair.real.n), np.arange(pair.generated.n)))
    if pair.real.groups is None and pair.generated.groups is None:
        return everything
    numbered = [replace(each, labels={"row": np.arange(each.n)}) for each in pair]
    rows = [np.asarray(each.one_of_each_group(seed).labels["row"], dtype=np.intp) for each in numbered]
    taken = everything.taken(rows)
    sides = [replace(each, groups=None) for each in taken.pair]
    return _Tested(SamplePair(*sides), taken.rows)


def _drawn(tested: _Tested, seed: int) -> _Tested:
    """At most _TESTED rows of either set."""
    rng = np.random.default_rng(seed)
    return tested.taken([np.sort(rng.permutation(len(rows))[:_TESTED]) for rows in tested.rows])


class _Repeats(NamedTuple):
    """Rows that repeat more often than by chance.

    text : what is said of it; "" where both sets repeat rows alike. first : by role, the first of
    each set of equal rows, or None where all rows count. by_value : True if values are few, so that
    different rows would be no fair draw.
    """

    text: str
    first: tuple[Ints | None, Ints | None]
    by_value: bool


def _repeats(pair: SamplePair) -> _Repeats:
    sizes = pair.real.n, pair.generated.n
    classes = row_classes(pair)
    sides = classes[: sizes[0]], classes[sizes[0] :]
    count = int(classes.max()) + 1
    counts = [np.bincount(side, minlength=count).astype(float) for side in sides]
    extra = [size - int(np.count_nonzero(each)) for size, each in zip(sizes, counts, strict=True)]
    across = float(counts[0] @ counts[1]) / (sizes[0] * sizes[1])
    within = [float(each @ (each - 1)) / (size * max(size - 1, 1)) for size, each in zip(sizes, counts, strict=True)]
    first: list[Ints | None] = [None, None]
    unusual = [False, False]
    fine = [False, False]
    for role, samples in enumerate(pair):
        if extra[role] < max(_FEW_REPEATS, MANY_ROWS * sizes[role]):
            continue
        places = np.sort(np.unique(sides[role], return_index=True)[1])
        fine[role] = _takes_many_values(samples.values, places)
        unusual[role] = within[role] > _TIMES * max(across, within[1 - role])
        rare = extra[1 - role] < MANY_ROWS * sizes[1 - role]
        fine[role] = fine[role] or (unusual[role] and rare)
        if fine[role]:
            first[role] = places
    shares = [some / size for some, size in zip(extra, sizes, strict=True)]
    more = int(shares[1] > shares[0])
    told = shares[more] - shares[1 - more] > max(MANY_ROWS, shares[more] / _TIMES) and (fine[more] or unusual[more])
    if not told:
        return _Repeats("", (first[0], first[1]), by_value=False)
    repeating, other = ("generated", "real") if more else ("real", "generated")
    often, rarely = share_text(shares[more]), share_text(shares[1 - more])
    text = f"{often} of the {repeating} rows repeat an earlier one, {rarely} of the {other} ones"
    return _Repeats(text, (first[0], first[1]), by_value=not fine[more])


def _takes_many_values(values: NDArray[Any], rows: Ints) -> bool:
    """True if a column takes so many values in some rows that these would not repeat by chance."""
    needed = _CONTINUOUS * len(rows)
    columns = (values[rows, place] for place in range(values.shape[1]))
    return any(len(np.unique(column)) > needed for column in columns)


def _rows_text(pair: SamplePair) -> str:
    """What nearly all rows of one set are, and far fewer of the other; "" where there is no such thing."""
    for words, held in _RULES:
        shares = [float(held(each.values).mean()) for each in pair]
        real, generated = (np.array([round(share * each.n)]) for share, each in zip(shares, pair, strict=True))
        few, many = sorted(shares)
        if many - few < _ROWS_DIFFER or min(few, 1 - many) > _ALMOST:
            continue
        if fisher(real, generated, pair.real.n, pair.generated.n)[0] < LEVEL / len(_RULES):
            return f"{words}: {share_text(shares[1])} of the generated rows, {share_text(shares[0])} of the real ones"
    return ""


def _not_whole(values: NDArray[Any]) -> NDArray[np.bool_]:
    return _by_blocks(values, lambda block: np.any(block != np.rint(block), axis=1))


def _negative(values: NDArray[Any]) -> NDArray[np.bool_]:
    return _by_blocks(values, lambda block: np.any(block < 0, axis=1))


def _of_length_one(values: NDArray[Any]) -> NDArray[np.bool_]:
    def held(block: NDArray[Any]) -> NDArray[np.bool_]:
        with np.errstate(over="ignore"):
            lengths = np.sqrt(np.einsum("ij,ij->i", block, block, dtype=np.float64))
        return np.asarray(np.abs(lengths - 1) < _ONE)

    return _by_blocks(values, held)


def _by_blocks(values: NDArray[Any], held: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> NDArray[np.bool_]:
    return np.concatenate([held(values[rows]) for rows in row_blocks(*values.shape)])


# What rows of a set may have in common, in words, and which of them do.
_RULES: tuple[tuple[str, Callable[[NDArray[Any]], NDArray[np.bool_]]], ...] = (
    ("values that are no whole numbers", _not_whole),
    ("rows of length 1", _of_length_one),
    ("values below 0", _negative),
)


def _without_repeats(tested: _Tested, repeats: _Repeats) -> _Tested:
    chosen = [
        np.arange(len(rows)) if some is None else some for rows, some in zip(tested.rows, repeats.first, strict=True)
    ]
    return tested.taken(chosen)


def _differing(pair: SamplePair) -> list[int]:
    return [int(each) for each in column_tests(pair.real.values, pair.generated.values).differ]


# ---- trees ----


class _Judged(NamedTuple):
    """Trees that were fitted on one half, and what they say of the other.

    p : that they tell it apart by chance. columns : those that they see. model : the trees.
    ranks : of the judged samples. real : True for the real ones. scores : log odds of being real.
    rows : of the judged samples in their sets. fit, side : ranks of the samples of the fit, and True
    for the real ones.
    """

    p: float
    columns: list[int]
    model: Any
    ranks: NDArray[np.float32]
    real: NDArray[np.bool_]
    scores: Floats
    rows: tuple[Ints, Ints]
    fit: NDArray[np.float32]
    side: NDArray[np.bool_]


def _judge(pair: SamplePair, columns: list[int], seed: int, memory_limit: int) -> _Judged:
    """Fit trees on half of the samples, in some columns, and let them judge the other half."""
    from scipy.stats import mannwhitneyu
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

    most = min(_ROWS, max(2 * _LEAST_ROWS, memory_limit // (2 * _VALUE_BYTES * len(columns))))
    split = pair.split(0.5, seed)
    fit = [rows[: most // 2] for rows in _shuffled(split.fit_rows, seed)]
    judged = [rows[: most // 2] for rows in _shuffled(split.evaluate_rows, seed)]
    ranks = _ranks(pair, [np.concatenate(each) for each in zip(fit, judged, strict=True)], columns)
    sides = [np.split(each, [len(rows)]) for each, rows in zip(ranks, fit, strict=True)]
    known = np.concatenate([sides[0][0], sides[1][0]])
    other = np.concatenate([sides[0][1], sides[1][1]])
    side = np.arange(len(known)) < len(fit[0])
    real = np.arange(len(other)) < len(judged[0])
    model: Any
    if len(columns) <= _BOOSTED:
        model = HistGradientBoostingClassifier(
            max_iter=_TREES,
            max_depth=3,
            max_bins=32,
            max_features=min(1.0, max(0.25, 1 / len(columns))),
            min_samples_leaf=10,
            early_stopping=False,
            class_weight="balanced",
            random_state=seed,
        )
    else:
        model = ExtraTreesClassifier(
            _TREES, min_samples_leaf=3, class_weight="balanced", random_state=seed, n_jobs=None
        )
    with one_blas_thread(), one_openmp_thread():
        model.fit(known, side)
        scores = _log_odds(model, other)
    p = float(mannwhitneyu(scores[real], scores[~real], alternative="greater", method="asymptotic").pvalue)
    return _Judged(p, columns, model, other, real, scores, (judged[0], judged[1]), known, side)


def _shuffled(rows: tuple[Ints, Ints], seed: int) -> list[Ints]:
    """Rows of either role in random order, so that their first ones are a fair draw."""
    return [np.random.default_rng(seed).permutation(each) for each in rows]


def _ranks(pair: SamplePair, rows: Sequence[Ints], columns: Sequence[int]) -> list[NDArray[np.float32]]:
    """Ranks of the values of each column among those of both sets: trees split by them as by the values."""
    found = [np.empty((len(each), len(columns)), dtype=np.float32) for each in rows]
    for place, column in enumerate(columns):
        values = np.concatenate([side.values[some, column] for side, some in zip(pair, rows, strict=True)])
        ranks = np.unique(values, return_inverse=True)[1].reshape(-1)
        found[0][:, place] = ranks[: len(rows[0])]
        found[1][:, place] = ranks[len(rows[0]) :]
    return found


def _log_odds(model: Any, ranks: NDArray[np.float32]) -> Floats:
    """Log odds of being real, finite for all."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(ranks), dtype=np.float64)
    real = np.clip(model.predict_proba(ranks)[:, 1], 0.5 / _TREES, 1 - 0.5 / _TREES)
    return np.asarray(np.log(real) - np.log1p(-real))


def _rows(tested: _Tested, judged: _Judged, role: int) -> tuple[int, ...]:
    """Rows of a set that are most surely not of the other one; () where trees see nothing."""
    if judged.p >= LEVEL:
        return ()
    scores = judged.scores[judged.real] if role == 0 else -judged.scores[~judged.real]
    best = np.argsort(-scores, kind="stable")[:_SHOWN]
    best = best[scores[best] > 0]
    return tuple(int(row) for row in tested.rows[role][judged.rows[role][best]])


# ---- columns that tell only together with others ----


def _together(
    pair: SamplePair, differ: Sequence[int], judged: _Judged, seed: int, memory_limit: int
) -> tuple[NamedColumns, ...]:
    """Columns that trees need though each by itself is alike, of those that are left without the ones that differ."""
    left = [place for place in range(pair.d) if place not in set(differ)]
    if len(left) < 2:
        return ()
    seen = judged if len(left) == pair.d else _judge(pair, left, seed, memory_limit)
    if seen.p >= LEVEL:
        return ()
    likely = _split_by(seen, seed)
    p = _rise_by_chance(seen, likely, seed)
    return tuple(_named_together(pair, left[likely[place]], left) for place in holm(p))


def _split_by(seen: _Judged, seed: int) -> Ints:
    """The columns that randomised trees, fitted on the same half, gain most by."""
    from sklearn.ensemble import ExtraTreesClassifier

    model = seen.model
    if not hasattr(model, "feature_importances_"):
        model = ExtraTreesClassifier(_TREES, min_samples_leaf=3, class_weight="balanced", random_state=seed)
        model.fit(seen.fit, seen.side)
    return np.argsort(-model.feature_importances_, kind="stable")[:_SHUFFLED]


def _rise_by_chance(seen: _Judged, likely: Ints, seed: int) -> Floats:
    """Chance of such a rise of the log loss of the judged samples, each role alike, when a column is shuffled."""
    from scipy.special import stdtr

    rng = np.random.default_rng(seed)
    sign = np.where(seen.real, 1.0, -1.0)
    weight = np.where(seen.real, 0.5 / seen.real.mean(), 0.5 / (~seen.real).mean())
    before = np.logaddexp(0.0, -sign * seen.scores)
    found = np.ones(len(likely))
    with one_blas_thread(), one_openmp_thread():
        for at, place in enumerate(likely):
            shuffled = seen.ranks.copy()
            rises = np.zeros(len(before))
            for _ in range(_SHUFFLES):
                shuffled[:, place] = rng.permutation(seen.ranks[:, place])
                after = np.logaddexp(0.0, -sign * _log_odds(seen.model, shuffled))
                rises += weight * (after - before) / _SHUFFLES
            spread = float(rises.std(ddof=1))
            if spread > 0:
                found[at] = stdtr(len(rises) - 1, -rises.mean() / spread * np.sqrt(len(rises)))
    return found


def _named_together(pair: SamplePair, place: int, left: Sequence[int]) -> NamedColumns:
    """A column that tells beside others, with the correlation that differs most where one does."""
    name = column_text(pair, place)
    column: ColumnCounts = column_of(pair, place)
    sentence = "alike by itself, not beside the other features"
    others = [each for each in left if each != place]
    both = [_correlations(each, place, others) for each in pair]
    with np.errstate(divide="ignore"):
        apart = np.abs(np.subtract(*(np.arctanh(np.clip(each, -0.999_999, 0.999_999)) for each in both)))
    error = np.sqrt(sum(1 / max(each.n - 3, 1) for each in pair))
    best = int(np.argmax(apart))
    if apart[best] > _SURE * error:
        partner = column_text(pair, others[best])
        made, real = (f"{each[best]:.2f}".replace("-", "−") for each in reversed(both))
        sentence = f"correlation with {partner}: {made} generated, {real} real"
    return NamedColumns(name, (place,), sentence, histogram(column), alone=False)


def _correlations(samples: Samples, place: int, others: Sequence[int]) -> Floats:
    """Pearson's correlation of a column with others; 0 where either is constant."""
    values = samples.values[:, [place, *others]].astype(np.float64)
    values /= np.abs(values).max(axis=0) + np.finfo(float).tiny
    values -= values.mean(axis=0)
    spread = values.std(axis=0)
    values /= np.where(spread > 0, spread, np.inf)
    return np.asarray(values[:, 0] @ values[:, 1:] / len(values))
