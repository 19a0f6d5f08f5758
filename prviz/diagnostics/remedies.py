"""Remedies: changes applied to both sets that may remove what tells generated from real samples.
The area under the curve is then measured again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from prviz.arrays import Array
from prviz.diagnostics.named_columns import NamedColumns, number_text, round_number
from prviz.diagnostics.whole_rows import NEGATIVE, NOT_WHOLE, OF_LENGTH_ONE
from prviz.measure.kernel_scores import of_length_one
from prviz.samples import SamplePair

# Least gain of area, after a remedy, that counts as help.
_HELPS = 0.03
# Values up to a cut are called faint. The cut is the roundest number between these shares of the
# range of the real values.
_FAINT = (1 / 16, 1 / 8)
# Largest share of real values that a remedy may change: it should change generated values.
_FEW = 0.01
# Above this number of clipped ends, the text does not list them.
_SAID = 2


@dataclass(frozen=True)
class Remedy:
    """A change of both sets, and the area under the curve to believe ("tightest") after it.

    Parameters
    ----------
    words : str
        The change in words.
    area : float
        The area after the change.
    gain : float
        The area after the change minus the area before it.
    """

    words: str
    area: float
    gain: float

    @property
    def helps(self) -> bool:
        """True if the area grew by more than chance would explain."""
        return self.gain >= _HELPS

    @property
    def text(self) -> str:
        """The change and the area, with a note if the change does not help."""
        return f"{self.words}: {self.area:.2f}" + ("" if self.helps else ", which does not help")


class Change(NamedTuple):
    """A change of both sets in words, and the changed sets."""

    words: str
    pair: SamplePair


def changes(pair: SamplePair, named: Sequence[NamedColumns], rows: str) -> Iterator[Change]:
    """The remedies to try for what a witness found, one after another.

    Parameters
    ----------
    pair : SamplePair
        Two sets.
    named : sequence of NamedColumns
        `Witness.named`.
    rows : str
        `Witness.rows`.
    """
    for rule, (words, change) in _OF_ROWS.items():
        if rows.startswith(rule) and _spares_real(pair, change):
            yield Change(words, _changed(pair, change))
    if not rows.startswith(NEGATIVE):
        yield from _clipped(pair, named)
    yield from _blanked(pair, named)


# Beginning of `Witness.rows` -> the remedy in words, and its function.
_OF_ROWS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    NOT_WHOLE: ("rounded to whole numbers", np.rint),
    OF_LENGTH_ONE: ("all rows of length 1", of_length_one),
    NEGATIVE: ("values below 0 set to 0", lambda values: np.maximum(values, 0)),
}


def _changed(pair: SamplePair, change: Callable[[Array], Array]) -> SamplePair:
    return SamplePair(*(replace(each, values=change(each.values)) for each in pair))


def _spares_real(pair: SamplePair, change: Callable[[Array], Array]) -> bool:
    kept = np.isclose(change(pair.real.values), pair.real.values, rtol=1e-3, atol=0)
    return float(kept.mean()) >= 1 - _FEW


def _clipped(pair: SamplePair, named: Sequence[NamedColumns]) -> Iterator[Change]:
    """Clip columns at ends of the real values that some generated values exceed."""
    ends = dict[int, tuple[float, float]]()
    said = dict[str, None]()
    for each in named:
        if not each.alone or each.low == each.high:
            continue
        low = -np.inf if each.low is None else each.low
        high = np.inf if each.high is None else each.high
        for column in each.columns:
            real, generated = (side.values[:, column] for side in pair)
            if (
                low <= real.min()
                and real.max() <= high
                and (generated.min() < low or generated.max() > high)
            ):
                ends[column] = low, high
                if generated.min() < low:
                    said[f"values below {number_text(low)} set to {number_text(low)}"] = None
                if generated.max() > high:
                    said[f"values above {number_text(high)} set to {number_text(high)}"] = None

    def change(values: Array) -> Array:
        found = values.copy()
        for column, (low, high) in ends.items():
            found[:, column] = np.clip(found[:, column], low, high)
        return found

    if ends:
        words = (
            "values beyond all real ones set to the ends named"
            if len(said) > _SAID
            else " and ".join(said)
        )
        yield Change(words, _changed(pair, change))


def _blanked(pair: SamplePair, named: Sequence[NamedColumns]) -> Iterator[Change]:
    """Set faint values to the smallest value, in the first group of named columns whose rule is a
    single value that is more frequent among real samples.

    All other columns with this smallest value are changed too if they have similar largest values,
    as pixels have.
    """
    for each in named:
        value = each.low
        if value is None or value != each.high:
            continue
        own = list(each.columns)
        shares = [float((side.values[:, own] == value).mean()) for side in pair]
        least = pair.real.values.min(axis=0)
        most = pair.real.values.max(axis=0)
        columns = np.flatnonzero(least == value)
        tops = most[columns][most[columns] > value] - value
        if len(tops) and np.median(tops) < tops.max() / 2:
            columns = np.intersect1d(columns, own)
        top = float(most[columns].max(initial=value))
        if shares[0] <= shares[1] or top == value:
            continue
        faint = round_number(*(value + share * (top - value) for share in _FAINT))

        def change(
            values: Array, columns: Array = columns, faint: float = faint, to: float = value
        ) -> Array:
            found = values.copy()
            found[:, columns] = np.where(found[:, columns] <= faint, to, found[:, columns])
            return found

        what = "values of these"
        if len(columns) > len(own):
            what = "values"
        words = (
            f"{what} up to {number_text(faint)} of {number_text(top)} set to {number_text(value)}"
        )
        yield Change(words, _changed(pair, change))
        return
