"""The columns that tell two sets apart, under as few names as possible, each with a sentence that a
user can check in the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Array, Floats, Ints
from prviz.checks.finding import called
from prviz.diagnostics.column_tests import ColumnCounts
from prviz.samples import SamplePair, Samples

# Largest number of names that `named_columns` returns.
MOST = 3
BINS = 24
# Share of the values at either end that the inner bins of a histogram need not cover. Otherwise a
# single outlier would put all other values into one bin.
_OUTER = 0.005
# A rounder cut is preferred to the best one if it has at least this share of its evidence.
_ROUNDER = 0.97
# A simpler kind of rule is preferred to the best one if it has at least this share of its evidence.
_SIMPLER = 0.9
# A rule that holds for no sample of one set is preferred if it has at least this share of the best
# rule's evidence.
_NEVER = 0.5
# A rounder cut outside the range of one set's values is preferred if it has at least this share of
# the best cut's evidence.
_ROUND_END = 0.75
# Fewest columns of a group.
_LEAST_GROUP = 3
# In a group by name, at least this share of the columns must differ.
_MOST_OF_GROUP = 0.75
# In a group by name, the share of columns that differ must be this many times that of all other
# columns.
_TIMES = 2.0
# Columns form a group by correlation if their absolute correlation with the first column is at
# least this.
_TOGETHER = 0.9
# Number of rows on which the correlations of a group are computed.
_ROWS = 2_000
# Largest number of columns that are tried for a group by correlation.
_COMPARED = 256
# Most characters of a number in a rule. Where it has more, a rule that is nearly as good is easier
# to check, and replaces it.
_LONG = 8
# Rules "exactly this value" are tried if at least this share of a set has the column's commonest
# value.
_MOSTLY = 0.5
# If at least this share of a set has one value, such as blank paper, columns that share this value
# are grouped first.
_NEARLY_ALL = 0.9
_SEPARATORS = re.compile(r"[\s_.:/\\-]+")


@dataclass(frozen=True)
class Histogram:
    """How often the values of a column fall into bins, for both sets.

    Parameters
    ----------
    edges : tuple of float
        The edges of the bins, one more than there are bins. The outer bins also count values beyond
        them.
    real, generated : tuple of int
        Numbers of samples in each bin.
    """

    edges: tuple[float, ...]
    real: tuple[int, ...]
    generated: tuple[int, ...]


@dataclass(frozen=True)
class NamedColumns:
    """A column, or a group of columns, that tells real from generated samples.

    Parameters
    ----------
    name : str
        The feature's name, or its number counted from 1 if features have no names.
    columns : tuple of int
        All columns of the group, counted from 0; the one that the sentence is about comes first.
    sentence : str
        A statement about the values that can be checked in the files.
    histogram : Histogram
        The distribution of the first column in both sets.
    alone : bool
        True if the distribution of the column by itself differs; False if only its relation to
        others does.
    low, high : float, optional
        The sentence is about values below low or above high, or about a single value if both are
        equal. None: there is no such bound.
    """

    name: str
    columns: tuple[int, ...]
    sentence: str
    histogram: Histogram
    alone: bool = True
    low: float | None = None
    high: float | None = None

    @property
    def text(self) -> str:
        """The name with the sentence."""
        if not self.alone:
            return f"{self.name}: {self.sentence}"
        if len(self.columns) > 1:
            return f"{self.name} ({self.sentence})"
        return f"{self.name} {self.sentence}"

    def entry(self) -> dict[str, Any]:
        """The fields as types that JSON has.

        Returns
        -------
        dict
            All fields; the histogram is a dict, too.
        """
        ends = {"low": self.low, "high": self.high}
        bins = {
            name: list(getattr(self.histogram, name)) for name in ("edges", "real", "generated")
        }
        told = {
            "name": self.name,
            "columns": list(self.columns),
            "sentence": self.sentence,
            "alone": self.alone,
        }
        return {**told, **ends, "histogram": bins}


class Cut(NamedTuple):
    """A rule on the values of a column that holds for different shares of the two sets.

    evidence : how surely the shares differ: twice the log of a likelihood ratio.
    low, high : as in `NamedColumns`.
    words : the rule.
    real, generated : share of each set for which the rule holds.
    """

    evidence: float
    low: float | None
    high: float | None
    words: str
    real: float
    generated: float

    @property
    def way(self) -> tuple[Any, ...]:
        """The kind of rule without its numbers, and whether the rule holds more often in the real
        set.
        """
        more = self.real > self.generated
        if self.low is not None and self.low == self.high:
            return "exactly", self.low, more, self.nearly_all
        return self.low is None, self.high is None, more

    @property
    def nearly_all(self) -> bool:
        """True if the rule names a single value that nearly all samples of one set have."""
        one = self.low is not None and self.low == self.high
        return one and max(self.real, self.generated) >= _NEARLY_ALL

    @property
    def sentence(self) -> str:
        """The rule in words, with the shares of both sets for which it holds."""
        return f"{self.words}: {share_text(self.generated)} generated, {share_text(self.real)} real"


def share_text(share: float) -> str:
    """A share in percent; "0 %" and "100 %" appear only if they are exact."""
    percent = 100 * share
    if 0 < percent < 0.1:
        return "under 0.1 %"
    if 99.9 < percent < 100:
        return "over 99.9 %"
    if 0 < percent < 1 or 99 < percent < 100:
        return f"{percent:.1f} %"
    return f"{percent:.0f} %"


# ---- the cut of one column ----


def best_cut(column: ColumnCounts) -> Cut:
    """The rule with the strongest evidence that a column differs; among rules with nearly as much
    evidence, the simplest one with the roundest numbers.
    """
    sizes = int(column.real.sum()), int(column.generated.sum())
    of_sides = _side_evidence(column)
    side = _side(column, of_sides, _ROUNDER)
    found = side
    folded = column.folded()
    beyond = _evidence(np.cumsum(folded.real)[:-1], np.cumsum(folded.generated)[:-1], *sizes)
    if beyond.max() * _SIMPLER > side.evidence:
        outside = _outside(column, folded, beyond)
        found = outside if outside.evidence * _SIMPLER > side.evidence else side
    at = column.commonest
    value = float(column.values[at])
    shares = column.real[at] / sizes[0], column.generated[at] / sizes[1]
    if max(shares) >= _MOSTLY:
        evidence = float(_evidence(column.real[at], column.generated[at], *sizes))
        long = len(number_text(value)) > _LONG and found.evidence >= _SIMPLER * evidence
        if evidence >= _SIMPLER * found.evidence and not long:
            words = "exactly"
            if shares == (1, 1):
                words = "always"
            return Cut(evidence, value, value, f"{words} {number_text(value)}", *shares)
    never = _never(column, of_sides)
    if never is not None and never.evidence >= _NEVER * found.evidence:
        return never
    return found


def _never(column: ColumnCounts, evidence: Floats) -> Cut | None:
    """The best rule "below a number" or "above a number" that holds for no sample of one set; None
    if there is no such rule.

    evidence : `_side_evidence` of the column.
    """
    found = list[Cut]()
    last = len(column.values) - 1
    for counts in (column.real, column.generated):
        there = np.flatnonzero(counts)
        least = int(there[0])
        most = int(there[-1])
        if least > 0:
            found.append(_side(column, evidence, _ROUND_END, slice(0, least)))
        if most < last:
            found.append(_side(column, evidence, _ROUND_END, slice(most, last)))
    return max(found, key=lambda each: each.evidence, default=None)


def _evidence(real: Any, generated: Any, n: int, m: int) -> Any:
    """Twice the log likelihood ratio of two binomial models: a share of its own for each set,
    against one share for both.
    """

    def entropy(count: Any, size: int) -> Any:
        share = np.asarray(count) / size
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = share * np.log(share) + (1 - share) * np.log1p(-share)
        return np.where((share > 0) & (share < 1), terms, 0.0)

    return 2 * (
        n * entropy(real, n)
        + m * entropy(generated, m)
        - (n + m) * entropy(real + generated, n + m)
    )


def _side_evidence(column: ColumnCounts) -> Floats:
    """Evidence of a cut just above each distinct value except the largest."""
    real = np.cumsum(column.real)
    generated = np.cumsum(column.generated)
    return np.asarray(_evidence(real[:-1], generated[:-1], int(real[-1]), int(generated[-1])))


def _side(
    column: ColumnCounts, evidence: Floats, rounder: float, among: slice = slice(None)
) -> Cut:
    """The best rule "below" or "above" a cut, with the cut moved to the roundest number that has
    nearly the same evidence.

    evidence : `_side_evidence` of the column.
    rounder : share of the best evidence that a rounder cut must reach.
    among : slice of the cuts to choose from.
    """
    start, stop, _ = among.indices(len(evidence))
    first = start + int(np.argmax(evidence[among]))
    last = first
    good = evidence >= rounder * evidence[first]
    while first > start and good[first - 1]:
        first -= 1
    while last < stop - 1 and good[last + 1]:
        last += 1
    cut = round_number(float(column.values[first]), float(column.values[last + 1]))
    place = int(np.searchsorted(column.values, cut))
    found = float(evidence[place - 1])
    below = _share_of(column, slice(0, place))
    if sum(below) <= 1:
        return Cut(found, cut, None, f"below {number_text(cut)}", *below)
    # "below" would hold for most samples: "above" names the rarer side, which is easier to check.
    # "or more" only if a value equals the cut.
    above = _share_of(column, slice(place, None))
    if column.values[place] == cut:
        words = f"{number_text(cut)} or more"
    else:
        words = f"above {number_text(cut)}"
    return Cut(found, None, cut, words, *above)


def _outside(column: ColumnCounts, folded: ColumnCounts, beyond: Floats) -> Cut:
    """The best rule "inside" or "outside" a range around the median, with rounded ends."""
    best = int(np.argmax(beyond))
    # distances in `folded` are halved: the sum of two neighbours is the middle between both
    # distances
    reach = float(folded.values[best]) + float(folded.values[best + 1])
    low = column.median - reach
    high = column.median + reach
    if math.isfinite(reach) and reach > 0:
        step = 10.0 ** math.floor(math.log10(2 * reach) - 2)
    else:
        step = 0.0
    if step:
        low = float(f"{step * round(low / step):.12g}")
        high = float(f"{step * round(high / step):.12g}")
    if (column.values == np.rint(column.values)).all():
        low = math.ceil(low)
        high = math.floor(high)
    ends = np.searchsorted(column.values, low), np.searchsorted(column.values, high, side="right")
    inside = slice(int(ends[0]), int(ends[1]))
    within = _share_of(column, inside)
    shares = 1 - within[0], 1 - within[1]
    words = f"outside {number_text(low)} to {number_text(high)}"
    if sum(shares) > 1:
        words = f"from {number_text(low)} to {number_text(high)}"
        shares = within
    counts = column.real[inside].sum(), column.generated[inside].sum()
    evidence = float(_evidence(*counts, int(column.real.sum()), int(column.generated.sum())))
    return Cut(evidence, low, high, words, *shares)


def _share_of(column: ColumnCounts, places: slice) -> tuple[float, float]:
    real = column.real[places].sum() / column.real.sum()
    generated = column.generated[places].sum()
    return float(real), float(generated / column.generated.sum())


def round_number(low: float, high: float) -> float:
    """The number with the fewest digits that is > low and <= high."""
    if low < 0 <= high:
        return 0.0
    width = high - low
    if not math.isfinite(width):
        return high
    for power in range(math.ceil(math.log10(max(abs(low), abs(high)))) + 1, -330, -1):
        # factors are integers, so that their text has no exponent
        for factor in (5, 2, 1):
            step = float(f"{factor}e{power}")
            found = float(f"{factor * (math.floor(low / step) + 1)}e{power}") if step else high
            if low < found <= high:
                return found
        if 10.0**power < width / 1_000:
            break
    return high


def number_text(value: float) -> str:
    """A number as a person would type it: six significant digits if they give exactly this number,
    otherwise all.
    """
    short = f"{value:.6g}"
    text = short if float(short) == value else repr(value)
    if not text[0].isdigit():
        return text.replace("-", "−")
    return text


# ---- the distributions of both sets ----


def histogram(column: ColumnCounts) -> Histogram:
    """The distributions of both sets in bins of equal width, or with a bin per value if there are
    few distinct values.
    """
    values = column.values
    if len(values) <= BINS:
        middle = (values[1:] + values[:-1]) / 2
        first, last = (
            (2 * values[0] - middle[0], 2 * values[-1] - middle[-1]) if len(middle) else (0.0, 0.0)
        )
        if len(middle):
            edges = np.concatenate([[first], middle, [last]])
        else:
            edges = values[0] + np.array([-0.5, 0.5])
    else:
        counts = np.cumsum(column.real + column.generated)
        ends = np.searchsorted(counts, counts[-1] * np.array([_OUTER, 1 - _OUTER]))
        low = values[ends[0]]
        high = values[min(int(ends[1]), len(values) - 1)]
        if not (np.isfinite(high - low) and high > low):
            low = values[0] / 2
            high = values[-1] / 2
        edges = np.linspace(low, high, BINS + 1)
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    sides = [
        np.bincount(place, each, len(edges) - 1).astype(int).tolist()
        for each in (column.real, column.generated)
    ]
    return Histogram(tuple(edges.tolist()), tuple(sides[0]), tuple(sides[1]))


# ---- groups before single columns ----


class Group(NamedTuple):
    """Columns that are named together, the one with the strongest evidence first.

    value : the value that all columns of a group by value often take; otherwise None.
    """

    columns: list[int]
    name: str
    value: float | None = None


Grouping = Callable[[int, Sequence[int]], Group | None]


def groupings(pair: SamplePair, cuts: Mapping[int, Cut]) -> Iterator[Grouping]:
    """The ways to group columns, in the order in which they are tried: by name, by a value that
    nearly all samples have, as a region of pixels, by correlation, and by any frequent value.
    """
    if pair.real.features:
        yield lambda lead, differ: _by_name(lead, differ, pair.real.features)
    shape = _picture_shape(pair.real)
    kind = "features" if shape is None else "pixels"
    yield (
        lambda lead, differ: (
            _of_one_value(lead, differ, cuts, kind) if cuts[lead].nearly_all else None
        )
    )
    if shape is not None:
        yield lambda lead, differ: _region(lead, _alike(lead, differ, cuts), shape)
    yield lambda lead, differ: _moving_together(lead, _alike(lead, differ, cuts), pair)
    yield lambda lead, differ: _of_one_value(lead, differ, cuts, kind)


def _alike(lead: int, differ: Sequence[int], cuts: Mapping[int, Cut]) -> list[int]:
    """The columns with the same kind of rule as the column ``lead``."""
    return [place for place in differ if cuts[place].way == cuts[lead].way]


def _of_one_value(
    lead: int, differ: Sequence[int], cuts: Mapping[int, Cut], kind: str
) -> Group | None:
    """Columns in which one set takes the same value more often than the other, such as pixels of a
    blank background.
    """
    cut = cuts[lead]
    found = _alike(lead, differ, cuts)
    if cut.way[0] != "exactly" or len(found) < _LEAST_GROUP:
        return None
    return Group(found, f"{len(found)} {kind}", cut.low)


def _picture_shape(samples: Samples) -> tuple[int, int] | None:
    """Height and width of the pictures, if the features are their pixels; otherwise None."""
    if samples.images is None or samples.images[0].size != samples.d:
        return None
    height, width = samples.images.shape[1:]
    return int(height), int(width)


def pixel_text(place: int, shape: tuple[int, int]) -> str:
    """The name of a pixel: its row and column, counted from 1."""
    return f"pixel in row {place // shape[1] + 1}, column {place % shape[1] + 1}"


def _region(lead: int, differ: Sequence[int], shape: tuple[int, int]) -> Group | None:
    """A group: the pixel ``lead``, and all pixels of ``differ`` that are connected to it by steps
    to neighbouring pixels, diagonal ones included.
    """
    left = set(differ)
    found = [lead]
    left.discard(lead)
    for place in found:  # found grows during the loop
        row, column = divmod(place, shape[1])
        near = [
            each
            for each in left
            if max(abs(each // shape[1] - row), abs(each % shape[1] - column)) <= 1
        ]
        found += sorted(near)
        left -= set(near)
    if len(found) < _LEAST_GROUP:
        return None
    rows, columns = np.divmod(np.array(found), shape[1])
    where = [_ends("row", rows), _ends("column", columns)]
    return Group(found, f"{len(found)} pixels that touch, {where[0]}, {where[1]}")


def _ends(name: str, numbers: Ints) -> str:
    least = int(numbers.min()) + 1
    most = int(numbers.max()) + 1
    if least == most:
        return f"{name} {least}"
    return f"{name}s {least} to {most}"


def _by_name(lead: int, differ: Sequence[int], features: Sequence[str]) -> Group | None:
    """Columns whose names share the first or the last word with ``lead``, if nearly all of them
    differ and far fewer of the other columns do.
    """
    words = [_SEPARATORS.split(name.strip()) for name in features]
    sure = set(differ)
    for end, shown in ((0, "“{} …”"), (-1, "“… {}”")):
        word = words[lead][end]
        if len(words[lead]) < 2 or not word:
            continue
        group = [place for place, each in enumerate(words) if len(each) > 1 and each[end] == word]
        inside = sum(place in sure for place in group) / len(group)
        others = len(features) - len(group)
        outside = 1.0
        if others:
            outside = len(sure - set(group)) / others
        if len(group) >= _LEAST_GROUP and inside >= _MOST_OF_GROUP and inside >= _TIMES * outside:
            columns = [lead, *(place for place in group if place != lead)]
            return Group(columns, f"{len(group)} features {shown.format(word)}")
    return None


def _moving_together(lead: int, differ: Sequence[int], pair: SamplePair) -> Group | None:
    """A group: the column ``lead``, and all columns of ``differ`` that are highly correlated with
    it in the real set.
    """
    others = [place for place in differ if place != lead][:_COMPARED]
    if not others:
        return None
    alike = np.abs(correlations(pair.real.values[:_ROWS], lead, others)) >= _TOGETHER
    found = [lead, *(place for place, near in zip(others, alike, strict=True) if near)]
    if len(found) < _LEAST_GROUP:
        return None
    return Group(
        found, f"{called(pair.real, lead)} and {len(found) - 1} features that move with it"
    )


def correlations(values: Array, place: int, others: Sequence[int]) -> Floats:
    """Pearson correlations of one column with others; 0 if either is constant."""
    found = values[:, [place, *others]].astype(float)
    found /= np.abs(found).max(axis=0) + np.finfo(float).tiny
    found -= found.mean(axis=0)
    spread = found.std(axis=0)
    found /= np.where(spread > 0, spread, np.inf)
    return np.asarray(found[:, 0] @ found[:, 1:] / len(found))


def named_columns(pair: SamplePair, differ: Sequence[int]) -> tuple[NamedColumns, ...]:
    """Names and sentences for the columns ``differ``: at most MOST, those with the strongest
    evidence first.
    """
    cuts = {place: best_cut(column_of(pair, place)) for place in differ}
    left = sorted(differ, key=lambda place: (-cuts[place].evidence, place))
    found = list[NamedColumns]()
    ways = list(groupings(pair, cuts))
    while left and len(found) < MOST:
        lead = left[0]
        groups = (way(lead, left) for way in ways)
        group = next(
            (each for each in groups if each is not None), Group([lead], column_text(pair, lead))
        )
        found.append(_named(pair, group, cuts[lead]))
        left = [place for place in left if place not in set(group.columns)]
    return tuple(found)


def column_text(pair: SamplePair, place: int) -> str:
    """A column's text: its feature name, its pixel, or its number."""
    shape = _picture_shape(pair.real)
    if shape is None or pair.real.features:
        return called(pair.real, place)
    return pixel_text(place, shape)


def column_of(pair: SamplePair, place: int) -> ColumnCounts:
    """The counts of a column's values in both sets."""
    return ColumnCounts.of(pair.real.values[:, place], pair.generated.values[:, place])


def _named(pair: SamplePair, group: Group, cut: Cut) -> NamedColumns:
    lead = group.columns[0]
    own = column_text(pair, lead)
    sentence = cut.sentence if group.name.startswith(own) else f"{own} {cut.sentence}"
    if group.value is not None:
        sentence = _all_of_one_value(pair, group.columns, group.value, cut) or sentence
    bins = histogram(column_of(pair, lead))
    return NamedColumns(
        group.name, tuple(group.columns), sentence, bins, low=cut.low, high=cut.high
    )


def _all_of_one_value(pair: SamplePair, columns: list[int], value: float, cut: Cut) -> str:
    """A sentence about the samples that have the value in every column of a group; "" if its
    evidence is weaker than that of the first column's sentence.
    """
    held = [int((each.values[:, columns] == value).all(axis=1).sum()) for each in pair]
    if _evidence(held[0], held[1], pair.real.n, pair.generated.n) < cut.evidence:
        return ""
    shares = share_text(held[1] / pair.generated.n), share_text(held[0] / pair.real.n)
    return f"all exactly {number_text(value)}: {shares[0]} generated, {shares[1]} real"
