"""The first lines of a table of text: comments, titles, names, units, and where the values begin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import chain, islice

from prviz.readers.columns import is_label
from prviz.readers.errors import ReadError, beside, literal, quoted
from prviz.readers.notations import is_complex, notation_of
from prviz.readers.number_names import (
    BELOW_NAMES,
    DOUBTFUL,
    SURE,
    in_two_levels,
    is_unlike,
    may_be_names,
    points,
    rows_to_compare,
)
from prviz.readers.text_advice import bracketed, refuse_comma_pairs
from prviz.readers.text_dialect import (
    Numbers,
    decorated,
    is_index_line,
    is_missing,
    looks_like_list,
)

Record = tuple[int, list[str]]
# Records that decide what the columns are.
_AHEAD = 4
# Most lines of titles above a table.
_MOST_TITLES = 16
# What stands before and behind a decimal comma, and a number with a decimal point.
_BEFORE = re.compile(r"[+-]?\d*")
_BEHIND = re.compile(r"\d+([eE][+-]?\d+)?")
# A line below the names that divides them from the values.
_RULER = re.compile(r"[-=_]{2,}")
_DECIMAL = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


def _count(numbers: Sequence[str]) -> bool:
    """True for 0, 1, 2 ... or 1, 2, 3 ... in this order, also as 0.0, 1.0, 2.0."""
    values = [float(text) if text.replace(".", "", 1).isdecimal() else -1.0 for text in numbers]
    return values[0] in (0, 1) and values == [values[0] + place for place in range(len(values))]


def _is_header(first: Record, second: Sequence[str], where: str, numbered: Numbers) -> bool:
    """True if the first record names the columns; ReadError if its one or two numbers could be names or values."""
    # A header has no numbers, or numbers that merely count the columns, as pandas names unnamed
    # ones: 0, 1, 2 ... beside the name of a label, or above a record without integers.
    line, fields = first
    numbers = [text.strip() for text in fields if numbered.number(text) is not None]
    if len(numbers) < len(fields):
        counts = ({str(start + i) for i in range(len(numbers))} for start in (0, 1))
        if _are_in_notations(fields, second):
            return False
        return not numbers or any(set(numbers) == count for count in counts)
    if (
        len(numbers) > 2
        and _count(numbers)
        and not all(text.strip().lstrip("+-").isdecimal() for text in second)
    ):
        return True
    if (
        set(numbers) != {str(i) for i in range(len(numbers))}
        or any(text.strip().lstrip("+-").isdecimal() for text in second)
        or not second
    ):
        return False
    if len(numbers) < 3:
        raise ReadError(
            f"{where}, line {line}: {quoted(','.join(numbers))} could be column names or values. "
            "Name the columns (f0, f1), or write the values as 0.0 and 1.0."
        )
    return True


def _are_in_notations(first: Sequence[str], second: Sequence[str]) -> bool:
    """True if most cells of both lines are numbers in another notation, such as 12.3 kg, and so no names."""
    pairs = zip(first, second, strict=False)
    count = sum(
        all(decorated(text) or is_complex(text) or notation_of(text) for text in pair)
        for pair in pairs
    )
    return 2 * count > len(first)


def is_comment(fields: Sequence[str]) -> bool:
    """True for a line that is a comment."""
    return fields[0].lstrip().startswith(("#", "%"))


def _is_title(first: list[str], second: list[str], third: list[str], numbers: Numbers) -> bool:
    """True for a line of words above the header line or the values."""
    if len(second) < 2 or any(numbers.number(text) is not None for text in first):
        return False
    names = [text for text in second if text.strip()]
    header = len(names) > 1 and all(numbers.number(text) is None for text in names)
    if len(first) < len(second) == len(third):
        return header or len(first) < len(second) - 1
    return header and len(first) == len(second) and sum(bool(text.strip()) for text in first) == 1


def _drop_titles(ahead: list[Record], records: Iterator[Record], numbers: Numbers) -> None:
    """Leave out of the first records what stands above the names: comments, titles, names and values of the table."""
    # The last comment, such as the header of np.savetxt, may name the columns.
    while len(ahead) > 1 and is_comment(ahead[0][1]):
        if len(ahead[0][1]) == len(ahead[1][1]) > 1 and not is_comment(ahead[1][1]):
            break
        del ahead[0]
        ahead += islice(records, 1)
    while len(ahead) > 2 and _is_title(ahead[0][1], ahead[1][1], ahead[2][1], numbers):
        del ahead[0]
        ahead += islice(records, 1)
    if len(ahead) < _AHEAD or len({len(fields) for _, fields in ahead}) == 1:
        return
    ahead += islice(records, _MOST_TITLES - len(ahead))
    width = len(ahead[-1][1])
    while (
        len(ahead) > 2 and len(ahead[0][1]) < width - 1 and numbers.number(ahead[0][1][0]) is None
    ):
        del ahead[0]


def opens_bracket(fields: Sequence[str]) -> bool:
    """True for the first numbers of an array as it is printed, in a bracket that is not closed in its cell."""
    inner = fields[0].strip()
    if inner[:1] not in ("[", "(") or looks_like_list(inner):
        return False
    words = inner.lstrip("([ ").split()
    try:
        return bool(words) and float(words[0].rstrip(",;")) == float(words[0].rstrip(",;"))
    except ValueError:
        return False


def _halved(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """True for two whole numbers under each name: what is before and behind a decimal comma."""
    values = rows[0]
    if len(values) != 2 * len(names) or any(text.strip().isdecimal() for text in names):
        return False
    if len(names) > 1:
        return all(text.strip().lstrip("+-").isdecimal() for text in values)
    pairs = [tuple(text.strip() for text in row) for row in rows if len(row) == len(values)]
    if not all(_BEFORE.fullmatch(first) and _BEHIND.fullmatch(second) for first, second in pairs):
        return False
    begun = [int(first or 0) for first, _ in pairs if first not in ("+", "-")]
    # no names of rows
    return len(begun) < len(pairs) or begun != list(range(begun[0], begun[0] + len(begun)))


def _check_names_of_rows(
    names: Sequence[str], rows: Sequence[Record], where: str, typed: str, mark: str
) -> None:
    """Raise ReadError for one name less than values in lines that begin with decimals, which are no names of rows."""
    begin = [fields[0].strip() for _, fields in rows if len(fields) == len(names) + 1]
    if not all(_DECIMAL.fullmatch(text) for text in begin):
        return
    sep = "" if mark == "," else f", sep={mark!r}"
    line = rows[0][0]
    under = "one name" if len(names) == 1 else f"{len(names)} names"
    raise ReadError(
        f"{where}, line {line}: {len(names) + 1} fields under {under}, and {quoted(begin[0])} names no row. "
        f"Name every column; or where these are no names ({listed_names(names)}), leave the lines above out:\n"
        f"import pandas as pd\ntable = pd.read_csv({literal(typed)}{sep}, skiprows={line - 1}, header=None)\n"
        f"table.add_prefix('column ').to_csv({beside(typed, '_values.csv')}, index=False)"
    )


def header(
    records: Iterator[Record], where: str, numbers: Numbers, typed: str
) -> tuple[list[str] | None, list[Record], tuple[str, ...], int]:
    """Names of the columns, None where there are none, the first records with values, a note on doubtful names.

    The last of the four is the line of the names.

    typed : the file, as the user wrote it.
    """
    ahead = list(islice(records, _AHEAD))
    if (
        numbers.delimiter == ","
        and len(ahead) > 1
        and _halved(ahead[0][1], [fields for _, fields in ahead[1:]])
    ):
        raise refuse_comma_pairs(where, typed, len(ahead[0][1]))
    # as Excel writes its delimiter
    if ahead and len(ahead[0][1]) == 2 and ahead[0][1][0].strip() == "sep=":
        del ahead[0]
    _drop_titles(ahead, records, numbers)
    if not ahead:
        raise ReadError(f"{where}: empty, there is no line with values. Save one line per sample.")
    line, first = ahead[0]
    second = ahead[1][1] if len(ahead) > 1 else []
    if opens_bracket(first):
        raise bracketed(where, typed, any("..." in text for _, fields in ahead for text in fields))
    if len(second) == len(first) + 1 and all(numbers.number(text) is None for text in first):
        if not second[-1].strip():  # a comma behind each line of values
            return [*(name.strip() for name in first), ""], ahead[1:], (), line
        _check_names_of_rows(first, ahead[1:], where, typed, numbers.delimiter)
        # R's write.table names the rows, not their column
        return ["", *(name.strip() for name in first)], ahead[1:], (), line
    if not numbers.quoted_names and not _is_header(ahead[0], second, where, numbers):
        return *_numbers_as_names(ahead, records, where, numbers, typed), line
    names = [name.strip().removeprefix("#").strip() for name in first]
    if len(second) == len(names) - 1 and not names[-1]:
        names.pop()  # a mark behind the names alone
    return *_named(names, ahead, records, where, numbers, typed), line


def _named(
    names: list[str],
    ahead: list[Record],
    records: Iterator[Record],
    where: str,
    numbers: Numbers,
    typed: str,
) -> tuple[list[str], list[Record], tuple[str, ...]]:
    """`header` of a file whose first line has names: with those of a second line, and what is below."""
    if len(set(names)) < len(names):
        ahead += islice(records, rows_to_compare(names))
    both = _second_header(names, [fields for _, fields in ahead[1:]], numbers)
    below = ahead[1:]
    if both is not None:
        below = ahead[3:] if is_index_line(ahead[2][1]) else ahead[2:]
    below = _without_words(both or names, below, records, numbers)
    if both is None and below and may_be_names(below[0][1], numbers):
        below += islice(records, rows_to_compare(names))
        if points(below[0][1], [fields for _, fields in below[1:]], numbers) >= BELOW_NAMES:
            raise _names_or_sample(
                where, typed, below[0], numbers, f", skiprows=[{below[0][0] - 1}]"
            )
    return _all_named(both or names, below[0][1] if below else [], numbers), below, ()


def _numbers_as_names(
    ahead: list[Record], records: Iterator[Record], where: str, numbers: Numbers, typed: str
) -> tuple[list[str] | None, list[Record], tuple[str, ...]]:
    """`header` of a file whose first line holds numbers: names, such as years, or the first sample."""
    first = [text.strip() for text in ahead[0][1]]
    levels = len(ahead) > 2 and in_two_levels(
        first, ahead[1][1], [fields for _, fields in ahead[2:]], numbers
    )
    if not levels and not may_be_names(first, numbers):
        return None, ahead, ()
    ahead += islice(records, rows_to_compare(first))
    rows = [fields for _, fields in ahead[1:]]
    named = listed_names(first)
    if levels and in_two_levels(first, rows[0], rows[1:], numbers):
        both = [
            f"{group}_{own.strip()}".strip("_") for group, own in zip(first, rows[0], strict=True)
        ]
        below = ahead[3:] if is_index_line(rows[1]) else ahead[2:]
        return both, below, (f"its first two lines ({named}) are read as names of columns",)
    found = points(first, rows, numbers)
    if found >= SURE:
        return first, ahead[1:], (f"its first line ({named}) is read as names of columns",)
    if found >= DOUBTFUL:
        raise _names_or_sample(where, typed, ahead[0], numbers, "")
    return None, ahead, ()


def listed_names(names: Sequence[str]) -> str:
    """The first few names, for a note."""
    said = [name for name in names if name]
    return ", ".join(said[:3]) + (" ..." if len(said) > 3 else "")


def _names_or_sample(
    where: str, typed: str, line: Record, numbers: Numbers, options: str
) -> ReadError:
    """Error for numbers that may be names or values."""
    mark = "" if numbers.delimiter == "," else f", sep={numbers.delimiter!r}"
    mark += ', decimal=","' if numbers.commas else ""
    other = "leave skiprows out" if options else "add header=None"
    return ReadError(
        f"{where}, line {line[0]}: {quoted(listed_names(line[1]))} could be names of columns or a sample. If they are "
        f"names:\nimport pandas as pd\ntable = pd.read_csv({literal(typed)}{mark}{options})  # if a sample, {other}\n"
        f"table.add_prefix('column ').to_csv({beside(typed, '_named.csv')}, index=False)"
    )


def _all_named(names: list[str], values: Sequence[str], numbers: Numbers) -> list[str]:
    """The names, with a place in place of a missing one behind the first name where the column holds numbers."""
    begun = next((place for place, name in enumerate(names) if name), len(names))
    unnamed = [
        place
        for place, text in enumerate(values)
        if place > begun and numbers.number(text) is not None
    ]
    return [
        f"column {place + 1}" if place in unnamed and not name else name
        for place, name in enumerate(names)
    ]


def _without_words(
    names: list[str], ahead: list[Record], records: Iterator[Record], numbers: Numbers
) -> list[Record]:
    """The first records without lines of units or types between the names and the values."""
    probe = copy(numbers)  # which learns of decimal commas as it reads
    places = [place for place, name in enumerate(names) if not is_label(name)]

    def said(fields: list[str]) -> list[str]:
        return [fields[place].strip() for place in places] if len(fields) == len(names) else []

    def are_words(texts: list[str], below: list[str]) -> bool:
        """True if no cell above a number of the row below holds one, nor says that it is missing."""
        above = [
            text
            for text, number in zip(texts, below, strict=False)
            if probe.number(number) is not None
        ]
        if len(above) < 2:
            return False
        return all(_RULER.fullmatch(text) for text in texts) or not any(
            probe.number(text) is not None or is_missing(text) or looks_like_list(text)
            for text in above
        )

    ahead += islice(records, max(0, _AHEAD - 1 - len(ahead)))
    while ahead and any(are_words(said(ahead[0][1]), said(fields)) for _, fields in ahead[1:]):
        del ahead[0]
        ahead += islice(records, 1)
    return ahead


def _second_header(
    names: list[str], records: list[list[str]], numbers: Numbers
) -> list[str] | None:
    """The names in two header lines, such as pandas writes for columns of two levels; None for a line of values."""
    if len(records) < 2:
        return None
    second = records[0]
    third = records[1]
    if len(second) != len(names) or len(third) != len(names):
        return None
    said = [text.strip() for text in second]
    merged = not all(names[1:]) and all(text and numbers.number(text) is None for text in said[1:])
    if merged and any(
        numbers.number(text) is not None for text in chain.from_iterable(records[1:])
    ):
        if len(set(said)) == len(said):
            return said
        for place in range(1, len(names)):
            names[place] = names[place] or names[place - 1]
        return [f"{group}_{own}" for group, own in zip(names, said, strict=True)]
    places = [place for place, name in enumerate(names) if name and not is_label(name)]
    groups = {name: [said[place] for place in places if names[place] == name] for name in names}
    repeated = any(len(group) > 1 for group in groups.values())
    joined = [
        f"{name}_{own}".strip("_") if own else name for name, own in zip(names, said, strict=True)
    ]
    if repeated and len(set(joined)) == len(joined):
        counted = all(
            group in ([str(start + each) for each in range(len(group))] for start in (0, 1))
            for group in groups.values()
            if group
        )
        known = [numbers.number(said[place]) is not None for place in places]
        if counted or not any(known) or (all(known) and is_unlike(said, records[1:], numbers)):
            return joined
    words = places and all(said[place] and numbers.number(said[place]) is None for place in places)
    values = third if not is_index_line(third) else (records[2] if len(records) > 2 else third)
    below = (
        [numbers.number(values[place]) is not None for place in places]
        if len(values) == len(names)
        else []
    )
    alike = any(looks_like_list(said[place]) for place in places)
    if words and below and all(below) and not alike:
        return joined if repeated else names
    return None
