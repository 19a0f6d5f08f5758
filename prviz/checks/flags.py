"""Flags: findings that change what a number measured on two sets means.

A flag is a `Finding` whose level is not "ok". Most are judged on up to 512 rows of each set, drawn
with a fixed seed; equal rows are counted in whole sets.

All texts are plain text: they hold names from untrusted files, so callers must not render them as
markup.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from prviz.arrays import Floats
from prviz.checks.facts import ROWS, SURE, VALUES, DataFacts, data_facts, row_classes, set_facts
from prviz.checks.features import (
    KEY,
    NEVER_VARIES,
    SCALES,
    WEIGHTS,
    constant_features,
    keys,
    norms,
    scales,
    scales_of,
    spread,
    weights,
)
from prviz.checks.finding import Finding, Findings, features_text, grade, grade_of, in_order, ratio
from prviz.checks.missing_values import stand_ins
from prviz.checks.provenance import encoders, names, picture_sizes, reordered, sets_cut, texts
from prviz.checks.row_order import (
    CONSEQUENCE,
    TOGETHER,
    RowOrder,
    dependence_text,
    dependent_rows,
    dependent_sets,
)
from prviz.quoting import every_name
from prviz.readers.columns import is_label, is_measured, is_path
from prviz.readers.delimited import summary_rows
from prviz.readers.suspects import reasons_text, suspects
from prviz.samples import SamplePair, Samples, by_role, pair_of
from prviz.warning import from_outside, warn

# Ratios of the larger set's size to the smaller one's above which sizes are a note, and a warning.
SIZE_RATIOS = (1.01, 2.0)
# Share of repeated rows, and of rows in both sets, above which they are a warning.
MANY_ROWS = 0.01
# Number of samples below which having fewer samples than features is a warning.
FEW_SAMPLES = 100
# Features count as discrete if their distinct values are at most this share of all their values,
# the commonest value of each feature left out of both counts.
_FEW_VALUES = 0.5
# Where features are discrete, s generated rows that equal a real row are no warning if
# s <= _ACROSS * r + _FEW_SHARED. r is the number of rows that repeat an earlier row of their own
# set, added over both sets.
_ACROSS = 2
_FEW_SHARED = 10
_TRANSPOSED = "Transposed"
# Least correlation between the means of the i-th real and the i-th generated row for which the rows
# may be features.
_SAME_ROWS = 0.98
# Most values (rows times features) of a set whose first and last rows are tested for being totals,
# means or counts of the others.
_MOST_SUMMED = 10_000_000
# Values below this have squares that begin to lose digits in float64.
_TINY = 1e-150
_flags_of_pairs: WeakKeyDictionary[SamplePair, Findings] = WeakKeyDictionary()


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
        by_row = [shared_rows(facts), scales(facts), *few_samples(*pair), *reordered(pair)]
        return in_order([*encoders(pair), *by_row])
    by_name = [*encoders(pair), *picture_sizes(pair), *names(pair)]
    return in_order(_without_effects([*value_findings(facts), *only_seen(facts), *by_name]))


def _without_effects(findings: Sequence[Finding]) -> list[Finding]:
    """The findings without those that merely follow from a warning about units or about columns
    that are no features.
    """
    by_title = {each.title: each for each in findings if each.level == "warning"}
    left_out = set[str]()
    if "Norms" in by_title and "Spread" in by_title:
        left_out.add("Spread" if "normalised" in by_title["Norms"].effect else "Norms")
    named = set[str]()
    for title in (KEY, WEIGHTS):
        if title in by_title:
            named.update(by_title[title].features)
    for title in ("Constant features", SCALES, "Spread"):
        features = by_title[title].features if title in by_title else ()
        if features and named.issuperset(features):
            left_out.add(title)
    # Copies, keys, transposed tables and uneven scales also place nearest neighbours close together
    # in the file.
    if any(title.startswith((KEY, _TRANSPOSED, SCALES, "Duplicates")) for title in by_title):
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
        *tiny_values(pair),
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


def flags_of_set(samples: Samples) -> Findings:
    """Flags of one set by itself, warnings first."""
    facts = set_facts(samples)
    counts = np.bincount(row_classes([samples]))
    repeated = samples.n - int(np.count_nonzero(counts))
    if samples.n > 1 and repeated == samples.n - 1:
        return (_single("", samples.n),)
    natural = repeated > MANY_ROWS * samples.n and discrete(facts.rows)
    found = [_repeats("", samples.n, repeated, int(counts.max()), natural=natural, held_out=True)]
    found.append(scales_of(facts, samples, "two samples"))
    constant = np.flatnonzero(facts.moments.constant)
    if len(constant):
        value = f"{len(constant):,} of {samples.d:,} never vary{features_text(samples, constant)}"
        found.append(Finding("Constant features", value, "note", NEVER_VARIES))
    found += few_samples(samples)
    if (by_order := dependent_rows(samples)) is not None:
        found += dependent_order({"": by_order})
    return in_order(_without_effects(found))


def checked_pair(real: Any, generated: Any = None) -> SamplePair:
    """The pair of two sets, or ``real`` if it is a pair already, after a `PrvizWarning` for each
    flag of level "warning".

    Every public function that measures a pair calls this first. Calls from inside prviz do not
    warn: studies and pages measure thousands of pairs, and functions that call each other would
    repeat the warnings.
    """
    pair = pair_of(real, generated)
    if from_outside():
        say(pair)
        _say_columns(pair, (real, generated))
    return pair


def _say_columns(pair: SamplePair, given: Sequence[Any]) -> None:
    """Warn about columns of data frames that do not look like features. For files, the reader does
    that.
    """
    found: dict[str, str] = {}
    drop = "drop(columns="
    for frame, samples in zip(given, pair, strict=False):
        if not hasattr(frame, "columns"):
            continue
        for name, column in zip(samples.features, samples.values.T, strict=False):
            measured = is_measured(name) and (is_path(name) or (column != np.rint(column)).any())
            if is_label(name) and not measured:
                found[name] = "by name a label or a key"
        if samples.features:
            found |= suspects(samples.values, samples.features)
        if hasattr(frame, "drop_columns"):  # a table of pyarrow
            drop = "drop_columns("
        elif not hasattr(frame, "iloc"):  # a frame of polars
            drop = "drop("
    if found:
        what = "look like no features"
        if len(found) == 1:
            what = "looks like no feature"
        warn(
            pair.digest,
            f"Columns: {', '.join(map(repr, found))} {what} ({reasons_text(found)}); "
            f"frame.{drop}{list(found)!r}) leaves out what is none",
        )


def say(pair: SamplePair, *, once_for: str | None = None) -> None:
    """Issue a `PrvizWarning` for each flag of level "warning", once for each text and pair.

    once_for : digest by which pairs count as the same; None: the pair's own.
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
    value = f"{facts.pair.d:,} features"
    if features := facts.pair.features:
        value += f" ({every_name(features)})"
    real, generated = (each.values.dtype for each in facts.pair)
    if real == generated:
        effect = (
            "One space, one precision: every estimator measures distances between the values as"
            " given."
        )
        return Finding("Dimension", f"{value}, {real}", "ok", effect)
    effect = (
        "Values stored in different precisions differ by rounding, so copies across the sets go"
        " unnoticed here and lie at a small distance in every estimator."
    )
    return Finding("Dimension", f"{value}, real {real}, generated {generated}", "note", effect)


def single_rows(facts: DataFacts) -> list[Finding]:
    """A warning for each set that is one row repeated."""
    found = []
    repeated = (facts.rows.counts.real, facts.rows.counts.generated)
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
    copies = facts.rows.counts
    sides = [
        (facts.pair.real.n, copies.real, copies.most_real),
        (facts.pair.generated.n, copies.generated, copies.most_generated),
    ]
    if role == "generated":
        sides.reverse()
    (n, count, most), (others, copied, _) = sides
    other = copied / others
    by_chance = abs(count - other * n) <= SURE * math.sqrt(count + other * n)
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
    """A warning if the rows look like features: the i-th row has the same mean in both sets, though
    its values are unrelated.
    """
    n = pair.real.n
    most = min(pair.d - 1, ROWS, 2 * VALUES // pair.d)
    if n != pair.generated.n or not FEW_SAMPLES <= n <= most:
        return []
    with np.errstate(over="ignore"):
        means = [each.values.mean(axis=1, dtype=float) for each in pair]
    ranks = np.argsort(np.argsort(means[0])).astype(float)
    # Means agree row by row if the real samples are sorted by their means.
    if abs(_correlation(ranks, np.arange(float(n)))) > 0.8:
        return []
    if _correlation(*means) < _SAME_ROWS:
        return []
    left = []
    for samples in pair:
        each = samples.values.astype(float)
        left.append(each - each.mean(axis=1, keepdims=True) - each.mean(axis=0) + each.mean())
    # Values that correlate entry by entry: each generated row was made from the real row at the
    # same place, such as a reconstruction.
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


def shared_rows(facts: DataFacts) -> Finding:
    """Finding on rows that occur in both sets."""
    title = "Rows in both sets"
    shared = facts.rows.counts.shared_generated
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
    distinct = n - facts.rows.counts.generated
    many = shared > MANY_ROWS * n and facts.rows.shared > MANY_ROWS * distinct
    # At most two distinct rows in both sets, such as a row of zeros, are put down to the data.
    usual = many and facts.rows.shared <= 2 and distinct > 20
    # Rows of discrete features repeat within a set as often as across the sets.
    within = facts.rows.counts.real + facts.rows.counts.generated
    natural = many and shared <= _ACROSS * within + _FEW_SHARED and _takes_few_values(facts)
    return Finding(title, value, grade(True, many and not usual and not natural), effect)


def _takes_few_values(facts: DataFacts) -> bool:
    """True if the features of both sets are discrete, such as one-hot columns and small counts."""
    return all(discrete(each.rows) for each in facts.drawn)


def discrete(rows: Floats) -> bool:
    """True if the features take few different values, not counting each feature's commonest value
    (such as 0).
    """
    different = np.unique(rows, axis=0)[:256]
    if len(different) < 2:
        return False
    # Only two numbers occur, as in one-hot columns. With many categories, a column may have a
    # single 1, which the counts below would not take as few values.
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
    # Rows are surely samples if an encoder wrote them: no advice to transpose.
    if all(each.encoder for each in sets):
        effect += "."
    else:
        effect += f"; if the rows are features, transpose the table: {d:,} samples of {n:,}."
    return [Finding("Few samples", f"{n:,} {samples} of {d:,} features", "warning", effect)]


def tiny_values(pair: SamplePair) -> list[Finding]:
    """A warning if values of a set are so small that squares of their differences underflow."""
    tiny = {}
    for role, samples in by_role(pair):
        largest = max(map(abs, samples.extremes))
        if 0 < largest < _TINY:
            tiny[role] = largest
    if not tiny:
        return []
    which = "either"
    if len(tiny) == 1:
        which = f"the {next(iter(tiny))}"
    effect = (
        "Squares of such differences lose their digits, down to 0, so that no neighbour can be told"
        " from another: multiply both sets by one number."
    )
    value = f"no value of {which} set is beyond {max(tiny.values()):.2g}"
    return [Finding("Tiny values", value, "warning", effect)]


def _summed(pair: SamplePair) -> list[Finding]:
    """Warnings about first or last rows of a table that are totals, means or counts of the others;
    for sets with names of features only.
    """
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
    """A warning about rows that stand next to their nearest neighbours in the file. found : the row
    order by role, "" for a set without a role.
    """
    if not found:
        return []
    return [Finding(TOGETHER, dependence_text(found), "warning", CONSEQUENCE)]
