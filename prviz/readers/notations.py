"""Numbers in other notations, such as ``12.3 kg``, ``0x1.8p+3`` and ``<0.05``, with the pandas code
that converts them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_NUMBER = r"[-+\u2212]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
# Characters between degrees (or hours), minutes and seconds.
_PARTS = "[\u00b0:hmd'\u2032\u2019\"\u2033s]+"
# Superscript signs and digits, for exponents.
_RAISED = "\u207a\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
_UNIT = re.compile(
    rf"(?:{_NUMBER}(?<!\.)|[-+\u2212]?\d+(?:[.,']\d{{3}})*(?:[.,]\d+)?(?![eE][-+]?\d))"
    r"\s*((?:[^\W\d_]|[\u00b0%\u2030])[\w\u00b0/%^*.\u00b7\u207b-]*)"
)

# A number padded with zeros, a comma, and a code of its quality, such as +0123,1 from a weather
# station.
CODED = re.compile(r"[+-]?0\d+,\d{1,2}")


class Notation(NamedTuple):
    """A notation: its description, the pattern of its texts, and the pandas code that converts a
    column to numbers.
    """

    what: str
    pattern: re.Pattern[str]
    change: str


FRACTIONS = Notation(
    "fractions, of which this takes the quotient",
    re.compile(r"(\d+\s+)?\d+(\.\d+)?\s*/\s*0*[1-9]\d*(\.\d+)?"),
    ".map(lambda each: sum(float(part.partition('/')[0]) / float(part.partition('/')[2] or 1) "
    "for part in re.sub(r'\\s*/\\s*', '/', each).split()))",
)
NOTATIONS = (
    FRACTIONS,
    Notation(
        "hexadecimal numbers",
        re.compile(r"[-+]?0x[0-9a-f]*\.?[0-9a-f]+(p[-+]?\d+)?", re.IGNORECASE),
        ".map(lambda each: float.fromhex(each) if 'x' in each.casefold() else float(each))",
    ),
    Notation(
        "degrees or hours with minutes",
        re.compile(
            rf"[-+]?\d{{1,3}}\s*{_PARTS}\s*\d+(\.\d*)?"
            rf"(\s*{_PARTS}\s*(\d+(\.\d*)?)?\s*({_PARTS})?)?\s*[NSEW]?"
        ),
        ".map(lambda each: (-1 if each.strip()[0] == '-' or each.strip()[-1] in 'SW' else 1) * "
        "sum(float(part) / 60**place for place, part in enumerate(re.findall(r'[\\d.]+', each))))",
    ),
    Notation(
        "limits, of which this takes the limit itself",
        re.compile(rf"(?:[<>\u2264\u2265~\u2248]=?|ca\.?)\s*{_NUMBER}"),
        ".str.replace(r'^\\s*([<>\u2264\u2265~\u2248]=?|ca\\.?)\\s*', '', regex=True)",
    ),
    Notation(
        "numbers with their errors, which this leaves out",
        re.compile(rf"{_NUMBER}\s*(?:(?:\u00b1|\+/?-)\s*{_NUMBER}|\(\s*{_NUMBER}\s*\))"),
        ".str.replace(r'\\s*(\u00b1|\\+/?-|\\().*$', '', regex=True)",
    ),
    Notation(
        "powers of ten",
        re.compile(
            rf"[-+]?[\d.]+\s*[x\u00d7*\u00b7]\s*10(\^?\(?[-+]?\d+\)?"
            rf"|[{_RAISED[:2]}]?[{_RAISED[2:]}]+)"
        ),
        f".str.translate(str.maketrans('{_RAISED}', '+-0123456789'))"
        ".str.replace(r'\\s*[x\u00d7*\u00b7]\\s*10\\^?\\(?', 'e', regex=True).str.rstrip(')')",
    ),
    Notation(
        "powers of ten without their e, as Fortran writes exponents of three digits",
        re.compile(r"[-+]?\d?\.\d{3,}[-+][123]\d\d"),
        ".str.replace(r'(\\.\\d+)([-+]\\d{3})$', r'\\1e\\2', regex=True)",
    ),
    Notation(
        "numbers with a code behind their comma, which this leaves out",
        CODED,
        ".str.split(',').str[0]",
    ),
    Notation(
        "names before the numbers",
        re.compile(rf"[^\W\d]\w*(?:\s*[=:]\s*{_NUMBER}|\s+[-+]?\d*\.\d+(?:[eE][-+]?\d+)?)"),
        ".str.replace(r'^\\s*[^\\W\\d]\\w*(\\s*[=:]\\s*|\\s+)', '', regex=True)",
    ),
)
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d*)?)?")
# It has no fixed conversion: `without_units` makes one from the units at hand.
UNITS = Notation("numbers with units", _UNIT, "")
_COMPLEX = re.compile(
    rf"\(?(?:{_NUMBER}(?=\s*[-+]))?\s*[-+]?\s*(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[ij]\)?"
)


def notation_of(text: str) -> Notation | None:
    """The notation of a text that holds a number in another notation; None for a plain number or
    other text.
    """
    text = text.strip()
    for each in NOTATIONS:
        if each.pattern.fullmatch(text):
            return each
    if unit_of(text):
        return UNITS
    return None


def are_times_of_a_log(texts: Sequence[str]) -> bool:
    """True if the texts are times of day, such as 12:05:30, that never go back from row to row."""
    if len(texts) < 3 or not all(_CLOCK.fullmatch(text.strip()) for text in texts):
        return False
    times = [list(map(float, text.split(":"))) for text in texts]
    return times == sorted(times)


def unit_of(text: str) -> str:
    """The unit behind a number; empty where there is none."""
    found = _UNIT.fullmatch(text.strip())
    if found is None or re.fullmatch(_NUMBER, found[0]):
        return ""
    return found[1]


def is_complex(text: str) -> bool:
    """True for a number with an imaginary part."""
    return _COMPLEX.fullmatch(text.strip()) is not None


def without_units(columns: Sequence[Sequence[str]]) -> str:
    """The pandas code that removes units from text columns; "" if a column mixes units."""
    units = [{unit for text in column if (unit := unit_of(text))} for column in columns]
    if any(len(each) > 1 for each in units):
        return ""
    every = "|".join(re.escape(unit) for unit in sorted(set().union(*units), key=len, reverse=True))
    return f".str.replace(r'\\s*({every})\\s*$', '', regex=True)"
