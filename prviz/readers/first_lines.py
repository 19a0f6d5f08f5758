"""The first lines of a table of text: comments, titles, names, units, and where the values
begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import chain, islice
from typing import NamedTuple

from prviz.readers.columns import is_label
from prviz.readers.errors import ReadError, beside, literal, quoted
from prviz.readers.notations import is_complex, notation_of
from prviz.readers.number_names import (
    BELOW_NAMES,
    DOUBTFUL,
    SURE,
    count_up,
    in_two_levels,
    is_unlike,
    may_be_names,
    points,
    rows_to_compare,
)
from prviz.readers.text_advice import bracketed, refuse_comma_pairs, separators
from prviz.readers.text_dialect import (
    Numbers,
    TextRows,
    decorated,
    is_index_line,
    is_missing,
    looks_like_bare_list,
    looks_like_list,
    names_in_comment,
    names_of_columns,
    thousands_in,
)

Record = tuple[int, list[str]]


class Head(NamedTuple):
    """Names of the columns or None, the line of the names, the first records with values, and notes
    on doubtful names.
    """

    names: list[str] | None
    line: int
    below: list[Record]
    notes: tuple[str, ...] = ()


# Number of first records by which the columns are recognised.
_AHEAD = 4
# Most lines of titles above a table.
_MOST_TITLES = 16
# A cell with the digits before a decimal comma, if the line was split at that comma.
_BEFORE = re.compile(r"[+-]?\d*")
# A cell with the digits after a decimal comma, if the line was split at that comma.
_BEHIND = re.compile(r"\d+([eE][+-]?\d+)?")
# A cell in a line of dashes between the names and the values.
_RULER = re.compile(r"[-=_]{2,}")
# A number with a decimal point.
_DECIMAL = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


def _count(numbers: Sequence[str]) -> bool:
    """True for 0, 1, 2 ... or 1, 2, 3 ... in order, also written as 0.0, 1.0, 2.0."""
    plain = [text.removesuffix(".0") for text in numbers]
    return plain[0] in ("0", "1") and count_up(plain)


def _is_header(first: Record, second: Sequence[str], where: str, numbered: Numbers) -> bool:
    """True if the first record names the columns. Raises ReadError if it is one or two numbers that
    could be names or values.
    """
    # A header has no numbers, or only numbers that count the columns: pandas names unnamed columns
    # 0, 1, 2 ... They must stand beside the name of a label, or above a record without integers.
    line, fields = first
    numbers = [text.strip() for text in fields if numbered.holds(text)]
    places = set(map(str, range(len(numbers))))
    if len(numbers) < len(fields):
        if _are_in_notations(fields, second) or any(map(looks_like_list, fields)):
            return False
        counts = set(map(str, range(1, len(numbers) + 1)))
        return not numbers or set(numbers) in (places, counts)
    whole = [text.strip().lstrip("+-").isdecimal() for text in second]
    if len(numbers) > 2 and _count(numbers) and not all(whole):
        return True
    if set(numbers) != places or any(whole) or not second:
        return False
    if len(numbers) < 3:
        raise ReadError(
            f"{where}, line {line}: {quoted(','.join(numbers))} could be column names or values. "
            "Name the columns (f0, f1), or write the values as 0.0 and 1.0."
        )
    return True


def _are_in_notations(first: Sequence[str], second: Sequence[str]) -> bool:
    """True if most cells of both lines are lists or numbers in other notations, such as 12.3 kg:
    then the first line is no header.
    """
    pairs = zip(first, second, strict=False)
    count = sum(
        all(
            decorated(text) or is_complex(text) or notation_of(text) or looks_like_bare_list(text)
            for text in pair
        )
        for pair in pairs
    )
    return 2 * count > len(first)


def is_comment(fields: Sequence[str]) -> bool:
    """True for a record that begins with a comment mark, # or %."""
    return fields[0].lstrip().startswith(("#", "%"))


def _is_title(rows: Sequence[list[str]], numbers: Numbers) -> bool:
    """True for a line of words above the header line or the values."""
    first, second, third = rows[:3]
    if len(second) < 2 or any(map(numbers.holds, first)):
        return False
    names = [text for text in second if text.strip()]
    header = len(names) > 1 and not any(map(numbers.holds, names))
    if len(first) < len(second) == len(third):
        return header or len(first) < len(second) - 1
    return header and len(first) == len(second) and sum(bool(text.strip()) for text in first) == 1


def _stands_above_names(rows: Sequence[list[str]], numbers: Numbers) -> bool:
    """True for a line of words and numbers about the whole table, above a line of names, as data
    loggers write it.
    """
    if len(rows) < 3 or all(map(numbers.holds, rows[0])):
        return False
    names = [text.strip() for text in rows[1]]
    if len(names) < 2 or len(set(names)) < len(names) or not all(names):
        return False
    if any(numbers.holds(text) or is_missing(text) or decorated(text) for text in names):
        return False
    values = [row for row in rows[2:] if len(row) == len(names)]
    return any(2 * sum(map(numbers.holds, row)) > len(row) for row in values)


def opens_bracket(fields: Sequence[str]) -> bool:
    """True for the beginning of a printed array: the first cell opens a bracket that another cell
    closes.
    """
    inner = fields[0].strip()
    if inner[:1] not in ("[", "(") or looks_like_list(inner):
        return False
    words = inner.lstrip("([ ").split()
    try:
        return bool(words) and float(words[0].rstrip(",;")) == float(words[0].rstrip(",;"))
    except ValueError:
        return False


def _halved(names: Sequence[str], rows: TextRows) -> bool:
    """True if there are two whole numbers below each name, which are the halves of numbers with
    decimal commas.
    """
    values = rows[0]
    if len(values) != 2 * len(names) or any(text.strip().isdecimal() for text in names):
        return False
    if len(names) > 1:
        return all(text.strip().lstrip("+-").isdecimal() for text in values)
    begun = []
    for row in rows:
        if len(row) == len(values):
            first, second = map(str.strip, row)
            if not (_BEFORE.fullmatch(first) and _BEHIND.fullmatch(second)):
                return False
            begun.append(first)
    # Consecutive numbers in the first cells are rather names of rows.
    return not count_up(begun)


class FirstLines:
    """The first records of a table, by which the names of its columns are found.

    typed : the file, as the user wrote it.
    """

    def __init__(self, records: Iterator[Record], where: str, numbers: Numbers, typed: str) -> None:
        self.records = records
        self.where = where
        self.numbers = numbers
        self.typed = typed
        self.ahead: list[Record] = []
        self._read(_AHEAD)

    def _read(self, count: int) -> None:
        """Read ``count`` more records."""
        self.ahead += islice(self.records, max(0, count))

    def _rows(self, start: int) -> list[list[str]]:
        """The fields of all records read so far, from the one at ``start`` on."""
        return [fields for _, fields in self.ahead[start:]]

    def _drop(self) -> None:
        """Drop the first record, and read one more."""
        del self.ahead[0]
        self._read(1)

    def head(self) -> Head:
        """What the first lines say. Raises ReadError if they can be read in several ways."""
        ahead = self.ahead
        where = self.where
        numbers = self.numbers
        if numbers.delimiter == "," and len(ahead) > 1 and _halved(ahead[0][1], self._rows(1)):
            raise refuse_comma_pairs(where, self.typed, len(ahead[0][1]))
        # A first line such as sep=; tells Excel the delimiter.
        if ahead and len(ahead[0][1]) == 2 and ahead[0][1][0].strip() == "sep=":
            del ahead[0]
        self._drop_titles()
        if not ahead:
            raise ReadError(
                f"{where}: empty, there is no line with values. Save one line per sample."
            )
        line, first = ahead[0]
        second = ahead[1][1] if len(ahead) > 1 else []
        if opens_bracket(first):
            cut = any("..." in text for text in chain.from_iterable(self._rows(0)))
            raise bracketed(where, self.typed, cut)
        names = list(map(str.strip, first))
        if len(second) == len(first) + 1 and not any(map(numbers.holds, first)):
            if not second[-1].strip():  # each line of values ends in a comma
                return Head([*names, ""], line, ahead[1:])
            self._check_names_of_rows()
            # R's write.table writes names of rows, but no name for their column.
            return Head(["", *names], line, ahead[1:])
        if not numbers.quoted_names and not _is_header(ahead[0], second, where, numbers):
            return self._numbers_as_names()
        names = [name.removeprefix("#").strip() for name in names]
        if len(second) == len(names) - 1 and not names[-1]:
            names.pop()  # only the line of names ends in a delimiter
        return self._named(names)

    def _drop_titles(self) -> None:
        """Drop everything above the column names: comments, titles, and lines about the whole
        table.
        """
        ahead = self.ahead
        # Names may be in the last comment, as np.savetxt writes them, or spread over several
        # comments.
        comments = []
        while len(ahead) > 1 and is_comment(ahead[0][1]):
            names = self._names_in_comment()
            if names:
                ahead[0] = (ahead[0][0], names)
                break
            comments.append(ahead[0][1])
            line = ahead[0][0]
            self._drop()
        names = names_of_columns(comments)
        if ahead and len(names) == len(ahead[0][1]) > 1:
            ahead.insert(0, (line, names))
            return
        while len(ahead) > 2 and _is_title(self._rows(0), self.numbers):
            self._drop()
        if ahead and any(map(self.numbers.holds, ahead[0][1])):
            self._read(_AHEAD + 2 - len(ahead))
            if _stands_above_names(self._rows(0), self.numbers):
                del ahead[0]
        widths = set(map(len, self._rows(0)))
        if len(ahead) < _AHEAD or (len(widths) == 1 and widths != {1}):
            return
        self._read(_MOST_TITLES - len(ahead))
        width = len(ahead[-1][1]) - 1
        while len(ahead[0][1]) < width and not self.numbers.holds(ahead[0][1][0]):
            del ahead[0]

    def _names_in_comment(self) -> list[str]:
        """Names of all columns from the first line, which is a comment; [] unless it has a word for
        each column.
        """
        comment = self.ahead[0][1]
        below = self.ahead[1][1]
        if is_comment(below) or len(below) == 1:
            return []
        words = names_in_comment(comment)
        spaces = self.numbers.delimiter == " "
        if len(words) == len(below) == len(comment):
            return words
        if spaces and len(words) == len(below) and not any(map(self.numbers.holds, words)):
            return words
        # A lone "#" is itself a name if the delimiter is no space, or if its column counts the
        # rows.
        named = not spaces or count_up([fields[0] for fields in self._rows(1)])
        if named and len(comment) == len(below):
            return comment
        return []

    def _check_names_of_rows(self) -> None:
        """Raise ReadError if there is one name less than values and the first cells are decimals,
        which can't be names of rows.
        """
        names = self.ahead[0][1]
        begin = [fields[0].strip() for fields in self._rows(1) if len(fields) == len(names) + 1]
        if not all(map(_DECIMAL.fullmatch, begin)):
            return
        line = self.ahead[1][0]
        under = "one name"
        if len(names) != 1:
            under = f"{len(names)} names"
        raise ReadError(
            f"{self.where}, line {line}: {len(names) + 1} fields under {under}, and "
            f"{quoted(begin[0])} names no row. Name every column; or where these are no names "
            f"({listed_names(names)}), leave the lines above out:\n"
            "import pandas as pd\n"
            f"table = pd.read_csv({literal(self.typed)}{separators(self.numbers)}, "
            f"skiprows={line - 1}, header=None)\n"
            f"table.add_prefix('column ').to_csv({beside(self.typed, '_values.csv')}, index=False)"
        )

    def _named(self, names: list[str]) -> Head:
        """`head` for one or more lines of names."""
        line = self.ahead[0][0]
        if len(set(names)) < len(names):
            self._read(rows_to_compare(names))
        both = _second_header(names, self._rows(1), self.numbers)
        begin = 1
        if both is not None:
            begin = 2
            if is_index_line(self.ahead[2][1]):
                begin = 3
        elif len(set(names)) < len(names) and len(self.ahead) > 3:
            # DeepLabCut writes three lines of names.
            second, third, *_ = self._rows(1)
            if not any(map(self.numbers.holds, (*second, *third))):
                pairs = zip(names, second, strict=False)
                two = [f"{name}_{own.strip()}" for name, own in pairs]
                both = _second_header(two, self._rows(2), self.numbers)
                begin = 1 if both is None else 3
        del self.ahead[:begin]
        self._drop_words(both or names)
        below = self.ahead
        if both is None and below and may_be_names(below[0][1], self.numbers):
            self._read(rows_to_compare(names))
            if points(below[0][1], self._rows(1), self.numbers) >= BELOW_NAMES:
                raise self._names_or_sample(f", skiprows=[{below[0][0] - 1}]")
        names = _all_named(both or names, below[0][1] if below else [], self.numbers)
        return Head(names, line, below)

    def _numbers_as_names(self) -> Head:
        """`head` for a first line with numbers. These may be names, such as years, or the first
        sample.
        """
        ahead = self.ahead
        numbers = self.numbers
        line = ahead[0][0]
        first = list(map(str.strip, ahead[0][1]))
        levels = len(ahead) > 2 and in_two_levels(first, ahead[1][1], self._rows(2), numbers)
        if not levels and not may_be_names(first, numbers):
            return Head(None, line, ahead)  # without more rows, which may be long
        self._read(rows_to_compare(first))
        rows = self._rows(1)
        named = listed_names(first)
        if levels and in_two_levels(first, rows[0], rows[1:], numbers):
            both = [
                f"{group}_{own.strip()}".strip("_")
                for group, own in zip(first, rows[0], strict=True)
            ]
            below = ahead[3:] if is_index_line(rows[1]) else ahead[2:]
            note = f"its first two lines ({named}) are read as names of columns"
            return Head(both, line, below, (note,))
        found = points(first, rows, numbers)
        if found >= SURE:
            note = f"its first line ({named}) is read as names of columns"
            return Head(first, line, ahead[1:], (note,))
        if found >= DOUBTFUL:
            raise self._names_or_sample("")
        return Head(None, line, ahead)

    def _names_or_sample(self, options: str) -> ReadError:
        """Error for numbers in the first record that may be names of columns or a sample."""
        line, fields = self.ahead[0]
        options = separators(self.numbers) + options
        other = "add header=None"
        if "skiprows" in options:
            other = "leave skiprows out"
        return ReadError(
            f"{self.where}, line {line}: {quoted(listed_names(fields))} could be names of columns "
            "or a sample. If they are names:\nimport pandas as pd\n"
            f"table = pd.read_csv({literal(self.typed)}{options})  # if a sample, {other}\n"
            f"table.add_prefix('column ').to_csv({beside(self.typed, '_named.csv')}, index=False)"
        )

    def _drop_words(self, names: list[str]) -> None:
        """Drop lines of units or types between the names and the values."""
        probe = copy(self.numbers)  # a copy, as a decimal comma changes its state
        places = [place for place, name in enumerate(names) if not is_label(name)]

        def are_words(first: list[str], other: list[str]) -> bool:
            """True if the cells above the numbers of the next row are words: no numbers, and no
            marks of missing ones.
            """
            if len(other) != len(names):
                return False
            texts = [first[place].strip() for place in places]
            above = [
                text
                for text, place in zip(texts, places, strict=True)
                if probe.holds(other[place].strip())
            ]
            if len(above) < 2:
                return False
            if all(map(_RULER.fullmatch, texts)):
                return True
            numbers = (probe.holds, decorated, thousands_in, is_missing, looks_like_list)
            return not any(each(text) for text in above for each in numbers)

        self._read(_AHEAD - 1 - len(self.ahead))
        while self.ahead:
            first, *others = self._rows(0)
            if len(first) != len(names) or not any(are_words(first, other) for other in others):
                break
            self._drop()


def listed_names(names: Sequence[str]) -> str:
    """The first three names that are not missing, for a note; "..." stands for the others."""
    said = [name for name in names if name]
    return ", ".join(said[:3]) + (" ..." if len(said) > 3 else "")


def _all_named(names: list[str], values: Sequence[str], numbers: Numbers) -> list[str]:
    """The names of the columns, in which some missing ones become "column 3" and the like, counted
    from 1.

    A missing name stays "" if no column before it has a name, or if its first value is no number.

    values : the first value of each column.
    """
    named = list(names)
    begun = next((place for place, name in enumerate(names) if name), len(names))
    for place, text in enumerate(values):
        if place > begun and numbers.holds(text) and place < len(names) and not names[place]:
            named[place] = f"column {place + 1}"
    return named


def _merged(
    names: list[str], said: list[str], records: list[list[str]], numbers: Numbers
) -> list[str] | None:
    """Column names from two lines, where a name in the first line spans several columns; else None.

    If all names of the second line differ, they are the names. Otherwise each name of the first
    line is put in front of those below it.
    """
    if all(names[1:]) or any(not text or numbers.holds(text) for text in said[1:]):
        return None
    if not any(map(numbers.holds, chain.from_iterable(records[1:]))):
        return None
    if len(set(said)) == len(said):
        return said
    for place in range(1, len(names)):
        names[place] = names[place] or names[place - 1]
    return [f"{group}_{own}" for group, own in zip(names, said, strict=True)]


def _second_header(
    names: list[str], records: list[list[str]], numbers: Numbers
) -> list[str] | None:
    """The names from two header lines, such as the two levels of pandas; None if the second line
    holds values.
    """
    if len(records) < 2 or len(records[0]) != len(names) or len(records[1]) != len(names):
        return None
    said = list(map(str.strip, records[0]))
    if merged := _merged(names, said, records, numbers):
        return merged
    places = [place for place, name in enumerate(names) if name and not is_label(name)]
    groups: dict[str, list[str]] = {}
    for place in places:
        groups.setdefault(names[place], []).append(said[place])
    repeated = len(groups) < len(places)
    joined = [
        f"{name}_{own}".strip("_") if own else name for name, own in zip(names, said, strict=True)
    ]
    known = [numbers.holds(said[place]) for place in places]
    if repeated and len(set(joined)) == len(joined):
        counted = all(map(_count, groups.values()))
        if counted or not any(known) or (all(known) and is_unlike(said, records[1:], numbers)):
            return joined
    values = records[1]
    if is_index_line(values) and len(records) > 2:
        values = records[2]
    below = len(values) == len(names) and [numbers.holds(values[place]) for place in places]
    words = all(said[place] for place in places) and not any(known)
    if below and words and all(below) and not any(looks_like_list(said[place]) for place in places):
        if repeated:
            return joined
        return names
    return None
