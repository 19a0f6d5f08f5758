"""Flags: what the values of two sets show that changes what a number measured on them means.

A flag is a `Finding` that is not "ok". Most are judged on up to 512 rows of each set, drawn with a
fixed seed; equal rows are counted in whole sets. All texts are plain text: they hold names from
untrusted files, so callers must not render them as markup.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from prviz.arrays import Floats, Ints
from prviz.checks.facts import (
    Duplicates,
    EqualRows,
    Moments,
    compare_rows,
    largest_of,
    moments_of,
    row_classes,
)
from prviz.checks.row_order import (
    CONSEQUENCE,
    TOGETHER,
    RowOrder,
    dependence_text,
    dependent_rows,
    dependent_sets,
)
from prviz.quoting import first_names, listed, short_name
from prviz.readers.columns import drop_text, is_label, is_measured
from prviz.readers.delimited import summary_rows
from prviz.readers.suspects import (
    FIRST_ROWS,
    are_weights,
    called_weights,
    is_key,
    may_be_keys,
    reasons_text,
    suspect_names,
)
from prviz.samples import CUT, RENAMED, REORDERED, SamplePair, Samples, by_role, pair_of
from prviz.warning import from_outside, warn

Level = Literal["ok", "note", "warning"]

# Most rows of a set, and most values in them, that its spreads are judged on, but at least
# _LEAST_ROWS rows.
_ROWS = 512
_VALUES = 2**21
_LEAST_ROWS = 32
# Of n rows with many features fewer are judged: as many as hold _QUICK values (about a
# millisecond), or n * n / _CURVE (a hundredth of the time of a curve) if that is more.
_QUICK = 2**18
_CURVE = 2**15

# Ratios between the two sets (or their inverse) above which a mismatch is a note, or a warning.
SIZE_RATIOS = (1.01, 2.0)
NORM_RATIOS = (1.25, 2.0)
SPREAD_RATIOS = (1.25, 3.0)
MANY_ROWS = 0.01  # share of duplicated rows that is a warning
# Share of a set's variance, in features that are constant in the other set, that is a warning.
LARGE_VARIANCE = 0.05
FEW_SAMPLES = 100  # samples below which fewer samples than features is a warning
_LONGEST_LINE = 300  # characters of a line of Python

# Effective number of features that hold the real variance, as a number and as a share of all, below
# which a few features decide all distances.
FEW_FEATURES = (1.5, 0.05)
# Share of the squared distance between two samples above which one or two features decide it. Of
# fewer than five features each holds much, so that more is needed.
_DECIDES = 0.95
_DECIDES_OF_FEW = 0.99
# Standard error of the logarithm of an interquantile range over n rows, times sqrt(n), for heavy
# tails, the worst case met.
_RANGE_ERROR = 1.6
# Least ratio of the interquartile range to the range between the first and last decile, for a
# spread that most rows share rather than a few.
_BODY = 0.05
# Ratio of the interquartile ranges up to which the bulk of both sets spreads alike.
_BULK = 2.0
_SURE = 3.5  # standard errors above which a difference is not put down to chance
# Least share of the distances that a feature must hold for its spread to matter, in units of 1 / d.
_MATTERS = 0.25
# Largest share of features reported as keys: where more look like keys, all are whole numbers by
# nature.
_KEYS_AT_MOST = 0.2
# Features take few values by nature where their distinct values number at most this share of their
# values, both without each feature's commonest value.
_FEW_VALUES = 0.5
# Rows in both sets may be equal by nature up to _ACROSS for each row that repeats within a set, and
# _FEW_SHARED besides.
_ACROSS = 2
_FEW_SHARED = 10
# Number of samples with some value that a set should hold, judging by the other set, above which it
# holds none not by chance.
_RARELY = 20.0
# Probability that the row of the set with the shorter median is the longer one of two, above which
# the medians of the two sets say little.
_LENGTHS_OVERLAP = 0.25
_LENGTH_RATIOS = (1.25, 1.5)  # of the median lengths of texts: for a note, and for a warning
_NEVER_VARIES = (
    "A feature that never varies tells no estimator anything, unless its two constants differ."
)
_KEY = "Key among the features"
_WEIGHTS = "Weights among the features"
_TRANSPOSED = "Transposed"
_SCALES = "Feature scales"
_TEXT_LABELS = ("text", "sentence", "caption", "prompt")
# Least correlation of the means of each real row and the generated row at its place, for rows that
# look like features.
_SAME_ROWS = 0.98
# Absolute values of numbers that stand for missing values, and how many times as large as all other
# numbers of their columns these must be. The first _SMALL of them may also be codes of
# questionnaires.
_STAND_INS = (
    99,
    999,
    9999,
    99999,
    999999,
    99.9,
    99.99,
    999.9,
    9999.9,
    1e20,
    1e30,
    1e36,
    9.96921e36,
    3.4028235e38,
)
_FAR = 3
_SMALL = _STAND_INS.index(1e20)
# Most values of a set whose first and last rows are searched for sums of the others.
_MOST_SUMMED = 10_000_000
# Codes of questionnaires for "don't know", "refused" and the like, of which a column may have
# several: those above and those below 0, and the least share of the rows that the commonest one
# takes.
_ANSWERS = (77, 88, *range(96, 100), 777, 888, *range(996, 1000), 7777, 8888, *range(9996, 10000))
_BELOW_0 = (-1, -7, -8, -9, -999.25, *(-each for each in _ANSWERS))
_ANSWERED_SO = 0.01
# Codes of one digit, which count only where several columns have them. A code may also follow the
# other numbers of a column behind a gap: at least _GAP times their range, and _OF_GAPS times the
# widest gap between them.
_DIGITS = (7, 8, 9)
_GAP = 0.5
_OF_GAPS = 3
# Ends of integer types, which stand for missing values where they repeat and are _FAR_END times as
# large as all other numbers of their columns.
_ENDS = (-128, 255, -32768, -32767, 32767, 65535, -(2**31), 1 - 2**31, 2**31 - 1, 2**32 - 1)
_FAR_END = 2


@dataclass(frozen=True)
class Finding:
    """One finding: title, value as text, level, effect on the estimators, and names of the features
    it concerns.
    """

    title: str
    value_text: str
    level: Level
    effect: str
    features: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Value and effect, as sentences."""
        if self.effect:
            return f"{self.value_text}. {self.effect}"
        return self.value_text

    @property
    def line(self) -> str:
        """Title and text, as the shell and a `PrvizWarning` say them."""
        if self.effect:
            return f"{self.title}: {self.text}"
        return self.text

    def entry(self) -> dict[str, Any]:
        """The finding as JSON types: level, title, text, and features if it concerns any."""
        found: dict[str, Any] = {"level": self.level, "title": self.title, "text": self.text}
        if self.features:
            found["features"] = list(self.features)
        return found


Findings: TypeAlias = tuple[Finding, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class SetFacts:
    """Facts about one set, from some rows drawn at random.

    rows : (m, d) drawn rows in units of ``unit``, their largest absolute value.
    moments : of the drawn rows in the units of the data, but `constant` is that of all rows.
    shares : (d,) mean share of the squared distance between two samples that each feature holds; 0
        where all rows are equal.
    top : share that the largest of these features holds in the median pair of samples, and that the
        two largest hold.
    """

    rows: Floats
    unit: float
    moments: Moments
    shares: Floats
    top: tuple[float, float]

    def ranges(self, features: Ints) -> Floats:
        """Interquartile range, and range from first to last decile, of some features: (2, number of
        features).
        """
        ends = np.quantile(self.rows[:, features], (0.1, 0.25, 0.75, 0.9), axis=0)
        return np.stack([ends[2] - ends[1], ends[3] - ends[0]]) * self.unit


@dataclass(frozen=True, eq=False, kw_only=True)
class DataFacts:
    """Facts about a pair that all findings on its values share, computed once.

    k : number of neighbours. held_out : True if a split is used.
    """

    pair: SamplePair
    k: int
    held_out: bool
    rows: EqualRows
    real: Moments
    generated: Moments
    drawn: tuple[SetFacts, SetFacts]

    @property
    def copies(self) -> Duplicates:
        """Numbers of equal rows."""
        return self.rows.counts


_facts_of_sets: WeakKeyDictionary[Samples, SetFacts] = WeakKeyDictionary()
_flags_of_pairs: WeakKeyDictionary[SamplePair, Findings] = WeakKeyDictionary()


def grade(note: bool, warning: bool = False) -> Level:
    """Level of a finding: "warning" or "note" where these are True, else "ok"."""
    if warning:
        return "warning"
    if note:
        return "note"
    return "ok"


def grade_of(far: float, ratios: tuple[float, float]) -> Level:
    """Level of a ratio of the two sets, by those above which it is a note and a warning."""
    return grade(far > ratios[0], far > ratios[1])


# ---- facts ----


def set_facts(samples: Samples) -> SetFacts:
    """The facts about a set, computed once."""
    if samples not in _facts_of_sets:
        _facts_of_sets[samples] = _set_facts(samples)
    return _facts_of_sets[samples]


def _set_facts(samples: Samples) -> SetFacts:
    n = samples.n
    d = samples.d
    rng = np.random.default_rng(0)
    most = max(_LEAST_ROWS, min(_ROWS, _VALUES // d, max(_QUICK // d, n * n // _CURVE)))
    values = samples.values
    if n > most:
        values = values[np.sort(rng.choice(n, most, replace=False))]
    drawn = values.astype(float)
    unit = largest_of(drawn)
    drawn /= unit
    found = moments_of(drawn, 1.0).times(unit)
    if n > most:
        found = _with_all_rows(found, samples)
    squares = drawn[rng.permutation(len(drawn))]
    squares -= drawn
    squares *= squares
    totals = squares.sum(axis=1)
    apart = np.flatnonzero(totals > np.finfo(np.float64).tiny)
    shares = np.zeros(d)
    top = (0.0, 0.0)
    if len(apart):
        weights = np.zeros(len(totals))
        weights[apart] = 1 / totals[apart]
        shares = np.einsum("i,ij->j", weights, squares) / len(apart)
        largest = np.argsort(-shares, kind="stable")[:2]
        held = np.cumsum(squares[np.ix_(apart, largest)], axis=1) / totals[apart, None]
        held = np.median(held, axis=0)  # the median, as outliers are in few pairs
        top = (float(held[0]), float(held[-1]))
    return SetFacts(rows=drawn, unit=unit, moments=found, shares=shares, top=top)


def _with_all_rows(found: Moments, samples: Samples) -> Moments:
    """Moments of drawn rows; features that are constant among these are measured in all rows."""
    columns = np.flatnonzero(found.constant)
    sd = found.sd.copy()
    constant = found.constant.copy()
    step = max(1, _VALUES // samples.n)
    for at in range(0, len(columns), step):  # in blocks, so that no large copy is made
        some = columns[at : at + step]
        block = samples.values[:, some]
        whole = moments_of(block, largest_of(block))
        sd[some] = whole.sd
        constant[some] = whole.constant
    return found._replace(sd=sd, constant=constant)


def data_facts(pair: SamplePair) -> DataFacts:
    """The facts about a pair, at the default number of neighbours and split."""
    drawn = set_facts(pair.real), set_facts(pair.generated)
    return DataFacts(
        pair=pair,
        k=math.isqrt(pair.smaller),
        held_out=True,
        rows=compare_rows(pair),
        real=drawn[0].moments,
        generated=drawn[1].moments,
        drawn=drawn,
    )


# ---- flags ----


def flags_of(pair: SamplePair) -> Findings:
    """Findings that change the meaning of numbers measured on a pair, warnings first.

    A finding that only follows from another one is left out: a set that is one row repeated has no
    spread either.
    """
    if pair not in _flags_of_pairs:
        _flags_of_pairs[pair] = _flags(pair)
    return _flags_of_pairs[pair]


def _flags(pair: SamplePair) -> Findings:
    facts = data_facts(pair)
    if single := single_rows(facts):
        by_name = [*encoders(pair), *picture_sizes(pair), *reordered(pair)]
        return in_order([*single, sizes(facts), *by_name])
    if facts.rows.same:
        by_value = [shared_rows(facts), scales(facts), *few_samples(*pair)]
        return in_order([*encoders(pair), *by_value, *reordered(pair)])
    by_name = [*encoders(pair), *picture_sizes(pair), *names(pair)]
    return in_order(_without_effects([*value_findings(facts), *only_seen(facts), *by_name]))


def _without_effects(findings: Sequence[Finding]) -> list[Finding]:
    """The findings without those that only follow from a warning of units or of columns that are no
    features.
    """
    by_title = {each.title: each for each in findings if each.level == "warning"}
    left_out = set[str]()
    if "Norms" in by_title and "Spread" in by_title:
        left_out.add("Spread" if "normalised" in by_title["Norms"].effect else "Norms")
    named = set[str]()
    for title in (_KEY, _WEIGHTS):
        if title in by_title:
            named.update(by_title[title].features)
    for title in ("Constant features", _SCALES, "Spread"):
        features = by_title[title].features if title in by_title else ()
        if features and named.issuperset(features):
            left_out.add(title)
    # copies, row numbers, features as rows and uneven scales bring rows together, too
    explains = (_KEY, _TRANSPOSED, _SCALES, "Duplicates")
    if any(title.startswith(explains) for title in by_title):
        left_out.add(TOGETHER)
    return [each for each in findings if each.title not in left_out]


def value_findings(facts: DataFacts) -> list[Finding]:
    """Findings that every pair has, in reading order, including those that are "ok"."""
    return [
        sizes(facts),
        dimension(facts),
        repeats(facts, "real"),
        repeats(facts, "generated"),
        shared_rows(facts),
        constant_features(facts),
        norms(facts),
        spread(facts),
        scales(facts),
    ]


def only_seen(facts: DataFacts) -> list[Finding]:
    """Findings that exist only where something is wrong."""
    pair = facts.pair
    return [
        *few_samples(*pair),
        *_transposed(pair),
        *dependent_order(dependent_sets(pair)),
        *_summed(pair),
        *keys(pair),
        *weights(facts),
        *stand_ins(facts),
        *texts(pair),
        *sets_cut(pair),
        *reordered(pair),
    ]


def sets_cut(pair: SamplePair) -> list[Finding]:
    """A finding if only a random draw from a set is measured."""
    said = []
    for role, samples in by_role(pair):
        said += [f"the {role} set is {note}" for note in samples.notes if note.startswith(CUT)]
    effect = "Numbers are those of the samples that were drawn, and move with the seed."
    if said:
        return [Finding("Sets cut", ", ".join(said), "note", effect)]
    return []


def reordered(pair: SamplePair) -> list[Finding]:
    """Findings if the two sets order or spell features differently, or only one names them."""
    found = []
    if pair.renamed:
        found.append(Finding("Names of features", RENAMED, "warning", ""))
    if pair.reordered:
        found.append(Finding("Order of features", REORDERED, "warning", ""))
    named = [role for role, samples in by_role(pair) if samples.features]
    if len(named) == 1:
        features = pair.real.features or pair.generated.features
        if 2 * sum(name[-1:].isdigit() for name in features) < len(features):
            text = f"only the {named[0]} set names its features ({listed(features, most=3)})"
            effect = "They are matched by place: see that both sets have the same order."
            found.append(Finding("Names of features", text, "warning", effect))
    return found


def flags_of_set(samples: Samples) -> Findings:
    """Flags of one set by itself, warnings first."""
    facts = set_facts(samples)
    counts = np.bincount(row_classes([samples]))
    repeated = samples.n - int(np.count_nonzero(counts))
    if samples.n > 1 and repeated == samples.n - 1:
        return (_single("", samples.n),)
    natural = repeated > MANY_ROWS * samples.n and discrete(facts.rows)
    found = [_repeats("", samples.n, repeated, int(counts.max()), natural=natural, held_out=True)]
    found.append(_scales(facts, samples, "two samples"))
    constant = np.flatnonzero(facts.moments.constant)
    if len(constant):
        value = f"{len(constant):,} of {samples.d:,} never vary{_named(samples, constant)}"
        found.append(Finding("Constant features", value, "note", _NEVER_VARIES))
    found += few_samples(samples)
    if (by_order := dependent_rows(samples)) is not None:
        found += dependent_order({"": by_order})
    return in_order(_without_effects(found))


def in_order(findings: Iterable[Finding]) -> Findings:
    """The findings that are not ok, warnings first."""
    troubles = (each for each in findings if each.level != "ok")
    return tuple(sorted(troubles, key=lambda each: each.level != "warning"))


def checked_pair(real: Any, generated: Any = None) -> SamplePair:
    """The pair of two sets, or ``real`` itself where that is a pair, after a `PrvizWarning` for
    each of its warnings.

    Each public function that measures a pair calls it first. Calls from inside prviz warn of
    nothing: studies and pages measure thousands of pairs, and functions that call each other would
    repeat the warnings.
    """
    pair = pair_of(real, generated)
    if from_outside():
        say(pair)
        _say_columns(pair, (real, generated))
    return pair


def _say_columns(pair: SamplePair, given: Sequence[Any]) -> None:
    """Warn of columns of data frames that do not look like features; for files the reader does."""
    names: dict[str, None] = {}
    reasons = ""
    drop = "drop(columns="
    for frame, samples in zip(given, pair, strict=False):
        if not hasattr(frame, "columns"):
            continue
        for name, column in zip(samples.features, samples.values.T, strict=False):
            if is_label(name) and not (is_measured(name) and (column != np.rint(column)).any()):
                names[name] = None
        if samples.features and (found := suspect_names(samples.values, samples.features)):
            names |= dict.fromkeys(found)
            reasons = reasons or reasons_text(samples.values, samples.features)
        if hasattr(frame, "drop_columns"):  # a pyarrow table
            drop = "drop_columns("
        elif not hasattr(frame, "iloc"):  # a polars frame
            drop = "drop("
    if names:
        what = "look like no features"
        if len(names) == 1:
            what = "looks like no feature"
        warn(
            pair.digest,
            f"Columns: {', '.join(map(repr, names))} {what} "
            f"({reasons or 'by name a label or a key'}); frame.{drop}{list(names)!r}) leaves out"
            " what is none",
        )


def say(pair: SamplePair, *, once_for: str | None = None) -> None:
    """Issue a `PrvizWarning` for each warning on a pair, once for each text and pair, or digest
    ``once_for``.
    """
    for flag in flags_of(pair):
        if flag.level == "warning":
            warn(once_for or pair.digest, flag.line)


# ---- findings on rows ----


def sizes(facts: DataFacts) -> Finding:
    """Finding on the numbers of samples."""
    real = facts.pair.real.n
    generated = facts.pair.generated.n
    far = ratio(real, generated)
    effect = (
        "Sizes as good as equal: counts and radii of both sets are comparable in every estimator."
    )
    if far > SIZE_RATIOS[0]:
        effect = (
            "Counts scale with a set's size and the smaller set's k-NN balls are wider: without"
            " split the curves of kNN and Coverage come out lower. Draw equal sizes."
        )
    return Finding(
        "Sizes", f"{real:,} real, {generated:,} generated", grade_of(far, SIZE_RATIOS), effect
    )


def dimension(facts: DataFacts) -> Finding:
    """Finding on the number of features, and on the precision of the values of both sets."""
    real, generated = (each.values.dtype for each in facts.pair)
    value = f"{facts.pair.d:,} features, "
    if real == generated:
        effect = (
            "One space, one precision: every estimator measures distances between the values as"
            " given."
        )
        return Finding("Dimension", f"{value}{real}", "ok", effect)
    effect = (
        "Values stored in different precisions differ by rounding, so copies across the sets go"
        " unnoticed here and lie at a small distance in every estimator."
    )
    return Finding("Dimension", f"{value}real {real}, generated {generated}", "note", effect)


def single_rows(facts: DataFacts) -> list[Finding]:
    """A warning for each set that is one row repeated."""
    found = []
    repeated = (facts.copies.real, facts.copies.generated)
    for (role, samples), count in zip(by_role(facts.pair), repeated, strict=True):
        if samples.n > 1 and count == samples.n - 1:
            found.append(_single(role, samples.n))
    return found


def _single(role: str, n: int) -> Finding:
    which = f"the {role} set" if role else "the set"
    effect = (
        "It has no spread and its k-NN radii are 0, so that no curve means anything: give different"
        " samples."
    )
    return Finding("One row repeated", f"{which} is one row {n:,} times", "warning", effect)


def repeats(facts: DataFacts, role: Literal["real", "generated"]) -> Finding:
    """Finding on the rows of a set that repeat an earlier one."""
    copies = facts.copies
    sides = [
        (facts.pair.real.n, copies.real, copies.most_real),
        (facts.pair.generated.n, copies.generated, copies.most_generated),
    ]
    if role == "generated":
        sides.reverse()
    (n, count, most), (others, copied, _) = sides
    other = copied / others
    by_chance = abs(count - other * n) <= _SURE * math.sqrt(count + other * n)
    alike = count > 0 and (by_chance or (other > 0 and ratio(count / n, other) < 2))
    natural = alike and _takes_few_values(facts)
    found = _repeats(role, n, count, most, natural=natural, held_out=facts.held_out)
    if most > facts.k and not natural:
        return replace(found, level="warning")
    return found


def _repeats(role: str, n: int, count: int, most: int, *, natural: bool, held_out: bool) -> Finding:
    title = "Duplicates"
    if role:
        title = f"Duplicates inside the {role} set"
    if not count:
        effect = "No row repeats, so no copy shrinks a radius of iPR, KDE or Coverage."
        return Finding(title, "none", "ok", effect)
    effect = (
        "Copies shrink the k-NN radii of their set, to 0 for a row that occurs more than k times:"
        " iPR and KDE see a smaller support"
    )
    if held_out:
        effect += ", and a row with copies on both sides of the split is not held out"
    which = f"{role} " if role else ""
    value = (
        f"{count:,} of {n:,} {which}rows repeat an earlier one; the commonest row occurs {most:,}"
        " times"
    )
    return Finding(title, value, grade(True, count > MANY_ROWS * n and not natural), effect + ".")


def _transposed(pair: SamplePair) -> list[Finding]:
    """A warning if rows look like features: each has the same mean in both sets, though its values
    are unrelated.
    """
    n = pair.real.n
    most = min(pair.d - 1, _ROWS, 2 * _VALUES // pair.d)
    if n != pair.generated.n or not FEW_SAMPLES <= n <= most:
        return []
    with np.errstate(over="ignore"):
        means = [each.values.mean(axis=1, dtype=float) for each in pair]
    ranks = np.argsort(np.argsort(means[0])).astype(float)
    if abs(_correlation(ranks, np.arange(float(n)))) > 0.8:  # sorted samples
        return []
    if _correlation(*means) < _SAME_ROWS:
        return []
    left = []
    for samples in pair:
        each = samples.values.astype(float)
        left.append(each - each.mean(axis=1, keepdims=True) - each.mean(axis=0) + each.mean())
    # each generated row was made from the real row at its place
    if abs(_correlation(left[0].ravel(), left[1].ravel())) > 0.3:
        return []
    effect = f"Save the transposed table: {pair.d:,} samples of {n:,} features."
    value = f"row by row, the means of the {n:,} rows agree in both sets, as those of features do"
    return [Finding(_TRANSPOSED, value, "warning", effect)]


def _correlation(first: Floats, second: Floats) -> float:
    a = first - first.mean()
    b = second - second.mean()
    size = float(np.sqrt(np.square(a).sum() * np.square(b).sum()))
    if size:
        return float((a * b).sum()) / size
    return 0.0


def _called_all(samples: Samples, features: Iterable[int]) -> tuple[str, ...]:
    return tuple(called(samples, int(each)) for each in features)


def shared_rows(facts: DataFacts) -> Finding:
    """Finding on rows that occur in both sets."""
    title = "Rows in both sets"
    shared = facts.copies.shared_generated
    n = facts.pair.generated.n
    if not shared:
        effect = (
            "No generated row is an exact copy of a real one, so no estimator rewards mere memory."
        )
        return Finding(title, "none", "ok", effect)
    if facts.rows.same:
        effect = "It may be one file twice: every estimator compares a set with itself."
        return Finding(title, f"both sets hold the same {n:,} rows", "warning", effect)
    effect = (
        "A copy lies at distance 0 from its real row: a generator that repeats real rows scores as"
        " a perfect one."
    )
    value = f"{shared:,} of {n:,} generated rows are exact copies of real ones"
    distinct = n - facts.copies.generated
    many = shared > MANY_ROWS * n and facts.rows.shared > MANY_ROWS * distinct
    usual = many and facts.rows.shared <= 2 and distinct > 20  # a row of zeros, for instance
    # rows that are equal by nature repeat within a set as often as across the sets
    within = facts.copies.real + facts.copies.generated
    natural = many and shared <= _ACROSS * within + _FEW_SHARED and _takes_few_values(facts)
    return Finding(title, value, grade(True, many and not usual and not natural), effect)


def _takes_few_values(facts: DataFacts) -> bool:
    """True if the features of both sets take few values by nature, as one-hot columns and small
    counts do.
    """
    return all(discrete(each.rows) for each in facts.drawn)


def discrete(rows: Floats) -> bool:
    """True if the features take few values, each feature's commonest value (such as 0) aside."""
    different = np.unique(rows, axis=0)[:256]
    if len(different) < 2:
        return False
    # one-hot columns: each of many categories has one of these rows
    if len(different) > 2 and len(np.unique(different)) <= 2:
        return True
    values = 0
    others = 0
    for column in different.T[:: max(1, different.shape[1] // 64)]:
        _, counts = np.unique(column, return_counts=True)
        values += len(counts) - 1
        others += len(column) - int(counts.max())
    return values <= _FEW_VALUES * others


def few_samples(*sets: Samples) -> list[Finding]:
    """A warning if there are few samples, and fewer than features."""
    n = min(each.n for each in sets)
    d = sets[0].d
    if n >= d or n >= FEW_SAMPLES:
        return []
    samples = "sample" if n == 1 else "samples"
    effect = f"So few say little about {d:,} features"
    # an encoder writes samples as rows
    if all(each.encoder for each in sets):
        effect += "."
    else:
        effect += f"; if the rows are features, transpose the table: {d:,} samples of {n:,}."
    return [Finding("Few samples", f"{n:,} {samples} of {d:,} features", "warning", effect)]


def _summed(pair: SamplePair) -> list[Finding]:
    """Warnings of first or last rows of a table that sum up the others; arrays have none."""
    found = []
    for role, samples in by_role(pair):
        if not samples.features or samples.values.size > _MOST_SUMMED:
            continue
        first, last = summary_rows(samples.values)
        if count := first or last:
            rows = "row sums"
            if count != 1:
                rows = f"{count} rows sum"
            value = f"the {'first' if first else 'last'} {rows} up the others in the {role} set"
            effect = f"No samples: leave them out, values[{f'{first}:' if first else f':-{last}'}]."
            found.append(Finding("Summaries", value, "warning", effect))
    return found


def dependent_order(found: Mapping[str, RowOrder]) -> list[Finding]:
    """A warning of rows whose nearest neighbours stand next to them; ``found`` by the role of their
    set.
    """
    if not found:
        return []
    return [Finding(TOGETHER, dependence_text(found), "warning", CONSEQUENCE)]


# ---- findings on features ----


def called(samples: Samples, feature: int) -> str:
    """A feature by its name, or by its number, counted from 1."""
    if samples.features:
        return short_name(samples.features[feature])
    return f"feature {feature + 1}"


def _named(samples: Samples, features: Iterable[int]) -> str:
    """The first names of some features after a colon; "" where features have none."""
    if samples.features:
        return f": {first_names(_called_all(samples, features))}"
    return ""


def _dropped(samples: Samples, features: Sequence[int]) -> str:
    """Code that leaves features out by name, after a comma; "" where they have no names."""
    if not samples.features:
        return ""
    return f", {drop_text([samples.features[each] for each in features])}"


def _leave_out(samples: Samples, features: Sequence[int]) -> str:
    return f"leave {'it' if len(features) == 1 else 'them'} out{_dropped(samples, features)}"


def variances(moments: Moments) -> Floats:
    """Variances in units of the largest one, so that none overflows."""
    largest = float(moments.sd.max())
    if largest:
        return np.square(moments.sd / largest)
    return moments.sd


def _alone(one: Moments, other: Moments) -> float:
    """Share of one set's variance in features that never vary in the other set."""
    squares = variances(one)
    if squares.any():
        return float(squares[other.constant].sum() / squares.sum())
    return 0.0


def constant_features(facts: DataFacts) -> Finding:
    """Finding on features that never vary in one set, or in both."""
    title = "Constant features"
    samples = facts.pair.real
    both = np.flatnonzero(facts.real.constant & facts.generated.constant)
    one = np.flatnonzero(facts.real.constant ^ facts.generated.constant)
    if not len(both) and not len(one):
        effect = "Every feature varies in both sets and counts in the distances of every estimator."
        return Finding(title, "none", "ok", effect)
    value = f"{len(both):,} in both sets, {len(one):,} in one set only, of {samples.d:,}"
    if apart := _other_constants(facts, both):
        features = _called_all(samples, apart)
        effect = (
            f"Each set has a value of its own in {', '.join(features[:4])}, which tells the sets"
            f" apart by itself: {_leave_out(samples, apart)}."
        )
        return Finding(title, value, "warning", effect, features)
    if not len(one):
        return Finding(title, value, "note", _NEVER_VARIES)
    share = max(_alone(facts.real, facts.generated), _alone(facts.generated, facts.real))
    amount = "under 0.1 %"
    if share >= 0.001:
        amount = f"{100 * share:.1f} %"
    value += f"; the latter hold {amount} of the other set's variance{_named(samples, one)}"
    effect = (
        "A feature that varies in one set only tells the sets apart by itself, which lowers the"
        " curves of kNN, KDE, iPR and Coverage, the more of the variance it holds."
    )
    tells = share > LARGE_VARIANCE and _surely_alone(facts, one) > LARGE_VARIANCE
    return Finding(title, value, grade(True, tells), effect, _called_all(samples, one))


def _surely_alone(facts: DataFacts, features: Ints) -> float:
    """`_alone` without features that may be constant by chance: a feature that is rarely not 0 can
    be constant in few samples.
    """
    sides = list(zip(facts.pair, (facts.real, facts.generated), strict=True))
    largest = 0.0
    for (fixed, of_fixed), (moving, of_moving) in (sides, sides[::-1]):
        here = features[of_fixed.constant[features]]
        differs = (moving.values[:, here] != fixed.values[0, here]).mean(axis=0)
        squares = variances(of_moving)
        if squares.any():
            sure = here[differs * fixed.n > _RARELY]
            largest = max(largest, float(squares[sure].sum() / squares.sum()))
    return largest


def _other_constants(facts: DataFacts, constant: Ints) -> list[int]:
    """Features that are constant in each set, at values that differ by more than rounding."""
    if min(each.n for each in facts.pair) < _RARELY:
        return []
    real, generated = (each.values[0, constant].astype(float) for each in facts.pair)
    with np.errstate(over="ignore"):
        far = np.abs(real - generated) > 1e-3 * np.maximum(np.abs(real), np.abs(generated))
    return [int(each) for each in constant[far]]


def norms(facts: DataFacts) -> Finding:
    """Finding on the lengths of the rows."""
    real = facts.real
    generated = facts.generated
    value = f"median {real.norm:.4g} real, {generated.norm:.4g} generated"
    if real.normalised and generated.normalised:
        effect = "Distances of every estimator are those between directions."
        return Finding("Norms", "both sets are l2-normalised", "ok", effect)
    if real.normalised or generated.normalised:
        which = "generated"
        if real.normalised:
            which = "real"
        effect = (
            f"Only the {which} set is l2-normalised, and distances measure just that: normalise"
            " both or none."
        )
        return Finding("Norms", value, "warning", effect)
    far = ratio(real.norm, generated.norm)
    if far <= NORM_RATIOS[0]:
        effect = "Vectors of similar length: no estimator sees a difference of units."
    elif _overlap(facts) > _LENGTHS_OVERLAP:
        effect = "Vectors of both sets have many lengths, which overlap."
        far = 1.0
    else:
        effect = (
            "One set lies further out, as after another preprocessing or encoder, which alone"
            " lowers the curves of kNN, KDE, iPR and Coverage."
        )
    return Finding("Norms", value, grade_of(far, NORM_RATIOS), effect)


def _overlap(facts: DataFacts) -> float:
    """Probability that a row of the set with the shorter median is longer than one of the other
    set.
    """
    scale = max(each.unit for each in facts.drawn)
    real, generated = (
        np.sort(np.linalg.norm(each.rows * (each.unit / scale), axis=1)) for each in facts.drawn
    )
    longer = float(np.searchsorted(generated, real).mean()) / len(generated)
    return min(longer, 1 - longer)


def spread(facts: DataFacts) -> Finding:
    """Finding on the spreads of the features, generated over real: the median ratio, and the
    feature that differs most.
    """
    varying = (facts.real.sd > 0) & (facts.generated.sd > 0)
    if not varying.any():
        effect = (
            "At least one set has no spread: its k-NN radii are 0, so iPR and KDE see nothing but"
            " its own points."
        )
        return Finding("Spread", "no feature varies in both sets", "warning", effect)
    ratios = facts.generated.sd[varying] / facts.real.sd[varying]
    middle = float(np.median(ratios))
    far = ratio(middle, 1.0)
    value = (
        f"generated sd / real sd: median {middle:.3g}, from {ratios.min():.3g} to"
        f" {ratios.max():.3g}"
    )
    sure = _unlike_spreads(facts)
    if far > SPREAD_RATIOS[1] or (far > SPREAD_RATIOS[0] and not sure):
        direction = "wider, which costs precision most"
        if middle < 1:
            direction = "narrower, which costs recall most"
        effect = f"The generated set is {direction}; collapse does that, but so do other units."
        level = grade(True, far > SPREAD_RATIOS[1] and _bulk_differs(facts))
        return Finding("Spread", value, level, effect)
    if sure:
        features = _called_all(facts.pair.real, sure)
        effect = f"Another spread in {first_names(features)}: units or coding may differ there."
        return Finding("Spread", value, "warning", effect, features)
    apart = np.maximum(ratios, 1 / ratios)
    unlike = _unlike_spreads(facts, SPREAD_RATIOS[0], 0.0)
    at = int(np.argmax(apart))
    widest = int(np.flatnonzero(varying)[at])
    if not unlike and apart[at] > SPREAD_RATIOS[1]:
        unlike = [widest]
    if unlike:
        features = _called_all(facts.pair.real, unlike)
        do = "does" if len(features) == 1 else "do"
        effect = f"Most features spread alike, but {first_names(features)} {do} not."
        return Finding("Spread", value, "note", effect, features)
    effect = (
        "Both sets spread alike, feature by feature: radii of iPR, KDE and Coverage are comparable."
    )
    if apart[at] > SPREAD_RATIOS[0]:
        wider = "generated" if ratios[at] > 1 else "real"
        effect = (
            f"{called(facts.pair.real, widest)} spreads {apart[at]:.3g} times as far in the "
            f"{wider} set, which these samples can't tell from {SPREAD_RATIOS[0]:g} times: radii "
            "of balls are comparable."
        )
    return Finding("Spread", value, "ok", effect)


def _bulk_differs(facts: DataFacts) -> bool:
    """True unless most features have about the same interquartile range in both sets, so that only
    their tails differ.
    """
    real, generated = (each.ranges(np.arange(facts.pair.d))[0] for each in facts.drawn)
    known = (real > 0) & (generated > 0)
    if known.mean() < 0.5:  # most features are mostly 0, and their quartiles say nothing
        return True
    return ratio(float(np.median(generated[known] / real[known])), 1.0) > _BULK


def _unlike_spreads(
    facts: DataFacts, factor: float = SPREAD_RATIOS[1], matters: float = _MATTERS
) -> list[int]:
    """Features whose spread differs by more than ``factor`` and chance, by every measure, the worst
    first.

    The measures are the standard deviation, which alone would flag heavy tails, and two
    interquantile ranges, which alone would flag features that are mostly 0.

    matters : least share of the distances that a feature must hold, in units of 1 / d.
    """
    real, generated = facts.drawn
    error = _RANGE_ERROR * math.sqrt(sum(1 / len(each.rows) for each in facts.drawn))
    beyond = math.log(factor) + _SURE * error
    held = np.maximum(real.shares, generated.shares)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_sd = np.log(generated.moments.sd) - np.log(real.moments.sd)
    # quantiles of all features would take most of the time of all flags
    columns = np.flatnonzero((held > matters / facts.pair.d) & ~(np.abs(by_sd) <= beyond))
    if not len(columns):
        return []
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        measured, others = (
            np.vstack([each.ranges(columns), each.moments.sd[columns]]) for each in facts.drawn
        )
        logs = np.log(others) - np.log(measured)
    known = np.isfinite(logs)
    known[:, ~known[1]] = False  # where the range of deciles is 0, too few rows vary
    least = np.where(known, np.abs(logs), np.inf).min(axis=0)
    wider = (np.where(known, logs, 1) > 0).all(axis=0)
    narrower = (np.where(known, logs, -1) < 0).all(axis=0)
    quartiles, deciles = np.where(others[1] > measured[1], others[:2], measured[:2])
    # without such a body only a few rows make the wider set wide
    sure = (wider | narrower) & (quartiles > _BODY * deciles) & np.isfinite(least)
    found = np.flatnonzero(sure & (least > beyond))
    return [int(each) for each in columns[found[np.argsort(-least[found])]]]


def scales(facts: DataFacts) -> Finding:
    """Finding on features that decide the distances between real samples."""
    return _scales(facts.drawn[0], facts.pair.real, "two real samples")


def deciding(facts: SetFacts) -> int:
    """How many features decide the distances between samples alone: 1, 2, or 0 where more do."""
    d = len(facts.shares)
    if d < 5:
        return int(d > 1 and facts.top[0] > _DECIDES_OF_FEW)
    return next((number for number in (1, 2) if facts.top[number - 1] > _DECIDES), 0)


def _scales(facts: SetFacts, samples: Samples, between: str) -> Finding:
    d = samples.d
    order = np.argsort(-facts.shares, kind="stable")
    if few := deciding(facts):
        features = _called_all(samples, order[:few])
        share = facts.top[few - 1]
        amount = "over 99.9 %"
        if share < 0.999:
            amount = f"{100 * share:.1f} %"
        hold = "holds" if few == 1 else "hold"
        value = f"{' and '.join(features)} {hold} {amount} of the distance between {between}"
        rest = f"the other {d - few:,} features hardly count"
        if d - few == 1:
            rest = "the other one hardly counts"
        how = _dropped(samples, order[:few].tolist())
        effect = f"So {rest}: leave out what is no feature{how}, or bring all to one scale."
        return Finding(_SCALES, value, "warning", effect, features)
    weights = variances(facts.moments)
    squares = float(np.square(weights).sum())
    count = float(weights.sum()) ** 2 / squares if squares else 0.0  # effective number of features
    uneven = d > 1 and count < max(FEW_FEATURES[0], FEW_FEATURES[1] * d)
    value = (
        f"about {count:.1f} of {d:,} features hold the variance of {between.replace('two ', '')}"
    )
    effect = (
        "The variance is shared by many features, so all of them count in every estimator's"
        " distances."
    )
    if uneven:
        effect = (
            "The features of largest spread decide all distances of every estimator: consider"
            " scaling."
        )
    return Finding(_SCALES, value, grade(uneven), effect)


def keys(pair: SamplePair) -> list[Finding]:
    """A warning of keys: features whose values are whole and all different in both sets, so that
    they number the samples.
    """
    if pair.d < 2 or pair.smaller < FIRST_ROWS:
        return []
    candidates = np.flatnonzero(may_be_keys(pair.real.values) & may_be_keys(pair.generated.values))
    if len(candidates) > max(1, _KEYS_AT_MOST * pair.d):
        return []
    found = [
        each
        for each in candidates.tolist()
        if all(is_key(samples.values[:, each]) for samples in pair)
    ]
    what = "whole numbers, all different in both sets"
    said = "A key says which sample it is, not what it is like, and hides copies"
    return _no_features(_KEY, pair.real, found, what, said)


def weights(facts: DataFacts) -> list[Finding]:
    """A warning of weights: features that are weights of samples by name and by values
    (`are_weights`).
    """
    names = facts.pair.real.features
    found = [feature for feature, name in enumerate(names) if called_weights(name)]
    looks = (are_weights([each.rows[:, at] * each.unit for each in facts.drawn]) for at in found)
    # else the name may be that of a measurement, such as several weights of a body
    if not all(looks):
        found = []
    what = "by name and values weights of samples"
    said = "Weights are not supported, and are compared as features are"
    return _no_features(_WEIGHTS, facts.pair.real, found, what, said)


def _no_features(
    title: str, samples: Samples, found: Sequence[int], what: str, said: str
) -> list[Finding]:
    """A warning of columns that are no features."""
    features = _called_all(samples, found)
    effect = f"{said}: {_leave_out(samples, found)}."
    value = f"{', '.join(features)}: {what}"
    if found:
        return [Finding(title, value, "warning", effect, features)]
    return []


def stand_ins(facts: DataFacts) -> list[Finding]:
    """Warnings of missing values that were written as numbers, such as -999 or 1e30, far from all
    others.
    """
    found: list[Finding] = []
    for (role, samples), drawn in zip(by_role(facts.pair), facts.drawn, strict=True):
        known = set[int]()
        for value in sorted(set(samples.extremes)):
            if codes := _stand_in(samples, value):
                known |= codes.keys()
                found.append(_missing(role, samples, codes))
        answers = _answers(samples, drawn)
        if codes := {column: held for column, held in answers.items() if column not in known}:
            found.append(_missing(role, samples, codes))
    return found


# The numbers that stand for missing values, by the place of their column.
_Codes: TypeAlias = dict[int, tuple[float, ...]]


def _stand_in(samples: Samples, value: float) -> _Codes:
    """Columns in which ``value``, an end of a set's numbers, stands for missing values."""
    usual = any(math.isclose(abs(value), each, rel_tol=1e-6) for each in _STAND_INS)
    if not usual and value not in _ENDS:
        return {}
    there = samples.values == value
    columns = np.flatnonzero(there.any(axis=0))
    others = np.abs(samples.values[:, columns][~there[:, columns]])
    if others.size == 0 or abs(value) < (_FAR if usual else _FAR_END) * float(others.max()):
        return {}
    # a mask holds 0 and 255
    if not usual and (there.sum() < 2 or len(np.unique(others)) < 3):
        return {}
    return dict.fromkeys(columns.tolist(), (value,))


def _missing(role: str, samples: Samples, codes: _Codes) -> Finding:
    """The warning of numbers that were missing values in some rows."""
    rows = np.zeros(samples.n, bool)
    for column, held in codes.items():
        rows |= np.isin(samples.values[:, column], held)
    what = ", ".join(f"{each:.10g}" for each in sorted({*chain.from_iterable(codes.values())}))
    count = np.count_nonzero(rows)
    value = f"{what} in {count:,} of {samples.n:,} {role} rows{_named(samples, codes)}"
    effect = (
        "Missing values count as numbers here: fill them in, or leave these rows out"
        f"{_without_codes(samples, codes)}."
    )
    return Finding("Missing values as numbers", value, "warning", effect)


def _without_codes(samples: Samples, codes: _Codes) -> str:
    """Code that takes these rows out of a data frame; "" where features have no names, or the code
    is long.
    """
    if not samples.features:
        return ""
    held = {}
    for column, values in codes.items():
        held[samples.features[column]] = [
            int(each) if each == int(each) and abs(each) < 2**53 else each for each in values
        ]
    text = f", table[~table.isin({held}).any(axis=1)]"
    if text.isprintable() and len(text) <= _LONGEST_LINE:
        return text
    return ""


def _answers(samples: Samples, drawn: SetFacts) -> _Codes:
    """Codes of questionnaires by column, which stand far from all other numbers of the column,
    behind a wide gap, or alone below 0.
    """
    ends = np.array([drawn.rows.min(axis=0), drawn.rows.max(axis=0)]) * drawn.unit
    known = (*_DIGITS, *_ANSWERS, *_STAND_INS[:_SMALL], *_BELOW_0)
    found = {}
    for column in np.flatnonzero(np.isin(np.round(ends, 6), known).any(axis=0)).tolist():
        values = samples.values[:, column]
        for some in (_BELOW_0, (*_ANSWERS, *_BELOW_0), known):
            if codes := _codes(values, some, near=some is known):
                found[column] = codes
                break
    digits = {column for column, codes in found.items() if max(codes) in _DIGITS}
    if len(digits) == 1:
        del found[digits.pop()]
    return found


@np.errstate(all="ignore")
def _codes(values: Floats, known: Sequence[float], near: bool) -> tuple[float, ...]:
    """The numbers of a column that are codes, among those known; () if they are like the other
    numbers.

    near : True if codes may follow the other numbers behind a wide gap.
    """
    every, counts = np.unique(values, return_counts=True)
    here = np.isin(every, known)
    if near:  # only numbers above all others: 77 may be an age, and 99 the code of that column
        here &= every > every[~here].max(initial=-np.inf)
    # all of them, or without the lowest ones, which may be like the other numbers
    for first in range(np.count_nonzero(here) if near else 1):
        codes = np.flatnonzero(here)[first:]
        others = np.delete(every, codes)
        if len(others) < 2 or counts[codes].max(initial=0) < max(2, _ANSWERED_SO * len(values)):
            continue
        held = every[codes]
        gaps = np.diff(others)
        alone = held[-1] < min(0, others[0] - 1) and others[0] >= 0
        far = np.abs(held).min() >= _FAR * np.abs(others).max()
        wide = max(_GAP * np.ptp(others), _OF_GAPS * gaps.max())
        if alone or far or (near and len(others) > 2 and held[0] - others[-1] >= wide):
            return tuple(held.tolist())
    return ()


def texts(pair: SamplePair) -> list[Finding]:
    """A finding if the texts that were embedded differ in length, where both sets have them as
    labels.
    """
    shared = pair.real.labels.keys() & pair.generated.labels.keys()
    label = next((name for name in _TEXT_LABELS if name in shared), None)
    if label is None or any(each.labels[label].dtype.kind not in "UO" for each in pair):
        return []
    lengths = [list(map(len, map(str, each.labels[label]))) for each in pair]
    real, generated = (float(np.median(each)) for each in lengths)
    far = ratio(real, generated)
    if far <= _LENGTH_RATIOS[0]:
        return []
    value = f"median {real:,.0f} characters real, {generated:,.0f} generated"
    effect = "Encoders see the length of a text: cut both sets alike."
    return [Finding("Lengths of texts", value, grade_of(far, _LENGTH_RATIOS), effect)]


# ---- findings on names and encoders ----

# Last number of `Samples.encoder`'s entry "sides", the median shorter side of a set's pictures as
# `prviz embed` writes it; ratio of two from which a warning is due.
_SIDE = re.compile(r"(\d{1,9})$")
_UNLIKE_SIDES = 2.0
# Entries of `Samples.encoder` that decide the features; source and versions may differ.
_SAME_ENCODER = ("encoder", "weights_sha256", "transform")

# Words of a file name that say which set it holds.
_WORDS = {
    "generated": re.compile(
        r"fakes?|gen|generated|generator|samples?|sampled|synth|synthetic|epochs?|steps?|iter"
        r"|checkpoint|ckpt|gan|vae|diffusion"
    ),
    "real": re.compile(
        r"reals?|ref|reference|train|training|val|valid|validation|test|ground|groundtruth|gt"
        r"|truth|original"
    ),
}


def encoder_difference(pair: SamplePair) -> str:
    """What differs between the encoders of the two sets, as plain text; "" unless both are known
    and differ.
    """
    real = pair.real.encoder
    generated = pair.generated.encoder
    differing = [key for key in _SAME_ENCODER if real.get(key, "") != generated.get(key, "")]
    if not differing or not real or not generated:
        return ""
    key = differing[0]
    ends = [short_name(each.get(key, "")) or "none" for each in (real, generated)]
    return f"{key.replace('_', ' ')}: {ends[0]} real, {ends[1]} generated"


def encoders(pair: SamplePair) -> Findings:
    """Finding on the encoders of both sets, where a file names one."""
    known = [side for side in pair if side.encoder]
    if not known:
        return ()
    name = short_name(known[0].encoder["encoder"])
    if difference := encoder_difference(pair):
        effect = (
            "Two encoders put the same sample at two places: no estimator compares anything then."
            " Embed both by one."
        )
        return (Finding("Encoder", difference, "warning", effect),)
    if len(known) == 1:
        side = "generated"
        if known[0] is pair.real:
            side = "real"
        effect = (
            "The other file does not say what made it; only one encoder for both makes samples"
            " comparable."
        )
        return (Finding("Encoder", f"{name}, {side} samples only", "note", effect),)
    return (
        Finding("Encoder", name, "ok", "Both sets are of the same encoder, weights and transform."),
    )


def picture_sizes(pair: SamplePair) -> Findings:
    """A warning of pictures of very different sizes in the two sets, where both files state the
    sizes.
    """
    ends = [_SIDE.search(side.encoder.get("sides", "")) for side in pair]
    real, generated = (0 if end is None else int(end[1]) for end in ends)
    if not min(real, generated) or max(real, generated) < _UNLIKE_SIDES * min(real, generated):
        return ()
    value = f"sides of {real:,} pixels real, {generated:,} generated"
    effect = "Save both at one size, by one method, so that resizing is no part of the difference."
    return (Finding("Picture sizes", value, "warning", effect),)


def names(pair: SamplePair) -> Findings:
    """A finding if the names of the two sets look swapped."""
    roles = (_role(pair.real.name), _role(pair.generated.name))
    if roles not in {("generated", "real"), ("generated", ""), ("", "real")}:
        return ()
    value = f"real: {short_name(pair.real.name)}; generated: {short_name(pair.generated.name)}"
    effect = (
        "If the names mean what they say, precision and recall of every estimator are exchanged:"
        " swap the files."
    )
    return (Finding("These look swapped", value, grade(True, all(roles)), effect),)


def _role(name: str) -> str:
    """Role named by the words of a file name; "" where they name none or both."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[a-z]+", spaced.lower())
    roles = [role for role, known in _WORDS.items() if any(known.fullmatch(word) for word in words)]
    if len(roles) == 1:
        return roles[0]
    return ""


def ratio(first: float, second: float) -> float:
    """Ratio of the larger to the smaller; 1 for equal values, inf when only one of them is 0 or
    infinite.
    """
    if first == second:
        return 1.0
    low, high = sorted((first, second))
    if low == 0 or math.isinf(high):
        return math.inf
    return high / low
