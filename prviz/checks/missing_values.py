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

# Most characters of a line of Python in a message.
_LONGEST_LINE = 300
# Absolute values that stand for missing values. Those before _SMALL may also be codes of
# questionnaires.
_STAND_INS = (
    *(99, 999, 9999, 99999, 999999),
    *(99.9, 99.99, 99.999, 99.9999, 999.9, 999.99, 999.999, 9999.9, 9999.99, 9999.999),
    1e20,
    1e30,
    1e36,
    9.96921e36,
    3.4028235e38,
)
# Least ratio of a number that stands for missing values to the largest other absolute value in its
# columns.
_FAR = 3
_SMALL = _STAND_INS.index(1e20)
# Codes of questionnaires for "don't know", "refused" and the like; a column may have several of
# them.
_ANSWERS = (77, 88, *range(96, 100), 777, 888, *range(996, 1000), 7777, 8888, *range(9996, 10000))
# Codes of questionnaires below 0.
_BELOW_0 = (-1, -7, -8, -9, -999.25, *(-each for each in _ANSWERS))
# Least share of the rows that the commonest code of a column takes.
_ANSWERED_SO = 0.01
# Codes of one digit; they count only if several columns have them.
_DIGITS = (7, 8, 9)
# Least width of the gap between the codes and the other numbers of a column, as a share of the
# range of the others.
_GAP = 0.5
# Least width of the gap between the codes and the other numbers, as a multiple of the widest gap
# among the other numbers.
_OF_GAPS = 3
# Least ratio of the mean to the standard deviation of the other numbers of a column in which 0
# stands for a missing value; the least other number is then above this share of the mean.
_FROM_0 = 4.0
# Share of the rows from which 0 is a number like others, as of what a sample does not have.
_OFTEN = 0.1
# Most different numbers of a column of codes or counts, where 0 may be one of them.
_FEW = 8
# Ends of integer types. They stand for missing values if they repeat and are _FAR_END times as
# large as all other numbers of their columns.
_ENDS = (-128, 255, -32768, -32767, 32767, 65535, -(2**31), 1 - 2**31, 2**31 - 1, 2**32 - 1)
_FAR_END = 2


def stand_ins(facts: DataFacts) -> list[Finding]:
    """Warnings about missing values that were written as numbers far from all others, such as -999
    or 1e30, and notes on zeros that may be such.
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
        zeros: _Codes = {column: (0.0,) for column in _zeros(drawn.rows) if column not in answers}
        if zeros:
            found.append(_missing(role, samples, zeros))
    return found


# Column index -> the numbers in that column that stand for missing values.
_Codes: TypeAlias = dict[int, tuple[float, ...]]


def _stand_in(samples: Samples, value: float) -> _Codes:
    """The columns in which ``value``, the least or greatest of the set, stands for missing
    values.
    """
    usual = any(math.isclose(abs(value), each, rel_tol=1e-6) for each in _STAND_INS)
    if not usual and value not in _ENDS:
        return {}
    there = samples.values == value
    columns = np.flatnonzero(there.any(axis=0))
    others = np.abs(samples.values[:, columns][~there[:, columns]])
    if others.size == 0 or abs(value) < (_FAR if usual else _FAR_END) * float(others.max()):
        return {}
    # A column of 0 and 255 is a mask, where 255 is a value like others.
    if not usual and (there.sum() < 2 or len(np.unique(others)) < 3):
        return {}
    return dict.fromkeys(columns.tolist(), (value,))


def _missing(role: str, samples: Samples, codes: _Codes) -> Finding:
    """The warning that some numbers of a set stand for missing values; a note that 0 may."""
    rows = np.zeros(samples.n, bool)
    for column, held in codes.items():
        rows |= np.isin(samples.values[:, column], held)
    what = ", ".join(f"{each:.10g}" for each in sorted({*chain.from_iterable(codes.values())}))
    count = np.count_nonzero(rows)
    value = f"{what} in {count:,} of {samples.n:,} {role} rows{features_text(samples, codes)}"
    remedy = f"fill them in, or leave these rows out{_without_codes(samples, codes)}."
    if what == "0":
        effect = "All other numbers there are far above 0. If 0 stands for missing values,"
        return Finding("Zeros", value, "note", f"{effect} {remedy}")
    effect = f"Missing values count as numbers here: {remedy}"
    return Finding("Missing values as numbers", value, "warning", effect)


def _without_codes(samples: Samples, codes: _Codes) -> str:
    """Code that leaves rows with missing values out of a data frame; "" if the set has no names of
    features, or the code is long.
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
    """Codes of questionnaires by column: numbers far from all others of the column, behind a wide
    gap, or the only ones below 0.
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


def _zeros(rows: Floats) -> list[int]:
    """Columns in which 0 recurs far below all other numbers, as for a missing blood pressure; none
    if half of the columns are such.
    """
    found = []
    share = (rows == 0).mean(axis=0)
    some = (share >= max(_ANSWERED_SO, 2 / len(rows))) & (share < _OFTEN) & (rows.min(axis=0) == 0)
    for column in np.flatnonzero(some).tolist():
        others = rows[rows[:, column] > 0, column]
        mean = others.mean()
        far = mean > _FROM_0 * others.std() and mean < _FROM_0 * others.min()
        if far and len(np.unique(others)) > _FEW:
            found.append(column)
    if 2 * len(found) > rows.shape[1]:
        return []
    return found


@np.errstate(all="ignore")
def _codes(values: Floats, known: Sequence[float], near: bool) -> tuple[float, ...]:
    """The numbers of a column that are codes among the ``known`` ones; () if they do not stand
    apart from the other numbers.

    near : True if a wide gap is enough to stand apart; codes must then be above all other numbers.
    """
    every, counts = np.unique(values, return_counts=True)
    here = np.isin(every, known)
    if near:  # 77 may be an age in a column where 99 is a code
        here &= every > every[~here].max(initial=-np.inf)
    # All known codes are tried together first, then without the lowest ones, which may be ordinary
    # numbers.
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
