"""Findings on missing values that were written as numbers, such as -999."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

import numpy as np

from prviz.arrays import Floats
from prviz.checks.facts import DataFacts, SetFacts
from prviz.checks.finding import Finding, features_text
from prviz.samples import Samples, by_role

_LONGEST_LINE = 300  # characters of a line of Python
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


# By index of a column, the numbers in it that stand for missing values.
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
    # a column of 0 and 255 is a mask
    if not usual and (there.sum() < 2 or len(np.unique(others)) < 3):
        return {}
    return dict.fromkeys(columns.tolist(), (value,))


def _missing(role: str, samples: Samples, codes: _Codes) -> Finding:
    """The warning that some numbers of a set stand for missing values."""
    rows = np.zeros(samples.n, bool)
    for column, held in codes.items():
        rows |= np.isin(samples.values[:, column], held)
    what = ", ".join(f"{each:.10g}" for each in sorted({*chain.from_iterable(codes.values())}))
    count = np.count_nonzero(rows)
    value = f"{what} in {count:,} of {samples.n:,} {role} rows{features_text(samples, codes)}"
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
    if near:  # codes are above all other numbers: 77 may be an age in a column where 99 is a code
        here &= every > every[~here].max(initial=-np.inf)
    # try all of them, then without the lowest ones, which may be ordinary numbers
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
