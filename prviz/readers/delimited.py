"""Reader of .csv and .tsv files, with or without a header line.

The reader in this module knows the line of every value, and decides what is read or refused. The
lines of a large file are first parsed by pyarrow, about five times as fast; whatever pyarrow
refuses, or could read differently, is read again from its first line by the reader in this module
(`tests/readers/test_delimited.py` holds both against each other).
"""

from __future__ import annotations

import codecs
import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import BinaryIO, Literal

import numpy as np

from prviz.arrays import Array
from prviz.quoting import drop_text
from prviz.readers.arrays import check_counts, check_values
from prviz.readers.columns import (
    EVERY,
    MOST_COLUMNS,
    ColumnChoice,
    Contents,
    label_array,
    label_bytes,
    label_names,
    one_list,
    parsed,
    sort_columns,
)
from prviz.readers.errors import EmptyCellError, ReadError, quoted
from prviz.readers.first_lines import FirstLines, Record, is_comment
from prviz.readers.long_form import long_form
from prviz.readers.source import FileSource, Limits, check_claim, check_columns, human_size
from prviz.readers.suspects import check_upright
from prviz.readers.text_advice import Layout, TextError, is_written
from prviz.readers.text_dialect import (
    Numbers,
    as_utf8,
    delimiter_of,
    encoding_of,
    is_missing,
    listed_numbers,
    looks_like_bare_list,
    looks_like_list,
    may_be_grouped,
    quotes_names_alone,
    sets_thousands_apart,
    stands_alone,
)

# Size of a file in bytes from which importing pyarrow's parser saves time.
_WORTH_ARROW = 1 << 20
# Bytes passed to pyarrow at a time.
_PART = 1 << 23
# Bytes that one thread of pyarrow parses at a time.
_BLOCK = 1 << 20
# Most records of a narrow table by which the content of a text column is judged.
_MOST_JUDGED = 500_000
# Most records of any table by which the content of a text column is judged.
_JUDGED = 1000
# Most first rows that are checked for summary rows and for numbers in other notations.
_FIRST = 64
# Most cells in the first rows that are checked.
_FIRST_CELLS = 20_000
# Number of bytes at the start of a file by which its encoding is judged.
_HEAD = 1 << 12
# A first row that alone has no decimals gets a note, if the probability of that, by the rows below,
# is less than this.
_RARELY = 1e-4
# Fewest rows for which an unnamed first or last row may count as the sum of the others.
_COUNTED = 8
# Most rows at either end of a table that may be summaries of the others.
_MOST_SUMMARIES = 8
# Relative error up to which a sum or a mean in a table counts as rounded.
_ROUNDED = 1e-3
# Largest error of a mean in a table, divided by the column's standard deviation, at which a row
# still counts as the mean of the others.
_NEAR = 1e-2
# Largest probability that one row has the greatest value of every column by chance, for which that
# row counts as a summary. The probability is high if rows are few or many scores end at 100.
_BY_CHANCE = 0.1

# The csv module has one limit for the process, too low for long texts. `_Lines` checks its own.
csv.field_size_limit(max(csv.field_size_limit(), Limits().max_header_bytes))


class _NotUtf8Error(Exception):
    """Raised for a line that is not UTF-8: the table is then read again as Latin-1."""


class _RaggedError(ReadError):
    """Raised for a line that has more or fewer fields than the lines above it."""


class _LoneQuoteError(Exception):
    """Raised for a quotation mark alone in a field, as in word vectors: the table is then read with
    quotation marks as texts.
    """


class _BareReturnsError(Exception):
    """Raised for lines that end in carriage returns alone, as old Macintosh programs write them."""


class _Lines:
    """Decoded lines, one at a time, so that an error can name its line.

    record : bytes of the current record so far; a record with quotes may span many lines. quotes :
        True if the last line has a quotation mark.
    """

    def __init__(self, stream: BinaryIO, where: str, numbers: Numbers, limits: Limits) -> None:
        self._stream = stream
        self.where = where
        self._mark = numbers.delimiter.encode()
        self._limits = limits
        self.numbers = numbers
        self.record = 0
        self.quotes = False

    def __iter__(self) -> Iterator[str]:
        number = 0
        longest = self._limits.max_header_bytes
        mark = self._mark
        columns = self._limits.max_columns
        while line := self._stream.readline(longest + 1):
            number += 1
            self.record += len(line)
            self.quotes = b'"' in line
            if self.quotes and self.numbers.in_quotes and stands_alone(line, self._mark):
                raise _LoneQuoteError
            if line.strip() == b"\x1a" and not self._stream.read(1):
                return  # DOS programs end a file by this byte
            if self.record > longest:
                found = "part of a record longer"
                if self.record == len(line):
                    found = "longer"
                raise ReadError(
                    f"{self.where}, line {number}: {found} than {human_size(longest)}. Is this one"
                    " line per sample?"
                )
            if len(line) > columns and line.count(mark) >= columns:
                check_columns(f"{self.where}, line {number}", line.count(mark) + 1, self._limits)
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise _NotUtf8Error from error
            if "\0" in text:
                raise ReadError(
                    f"{self.where}, line {number}: binary data or UTF-16, not text. Save the table"
                    " as UTF-8 text."
                )
            yield text


def _records(lines: _Lines) -> Iterator[Record]:
    """The records that are not blank: the number of the record's first line, and its fields."""
    numbers = lines.numbers
    delimiter = numbers.delimiter
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if numbers.in_quotes else csv.QUOTE_NONE
    reader = csv.reader(
        lines, delimiter=delimiter, strict=True, skipinitialspace=delimiter == " ", quoting=quoting
    )
    line = 1
    try:
        for fields in reader:
            lines.record = 0
            if delimiter == " " and len(fields) > 1 and not fields[-1]:
                del fields[-1]
            # An empty text in quotes is a cell; a row of nothing but commas is what Excel leaves of
            # a deleted row.
            if any(text.strip() for text in fields) or (len(fields) == 1 and lines.quotes):
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        if "new-line character" in str(error):
            raise _BareReturnsError from error
        raise ReadError(
            f"{lines.where}, line {line}: can't be split into fields ({quoted(str(error))}). Check"
            " quotes and line ends."
        ) from error


@dataclass
class _Table(Layout):
    """Columns of a table and the rows read so far.

    as_list : True if one column holds the features as lists. d : number of features, 0 before the
        first row. footer : line number and number of fields of a sentence below the rows. notes :
        how the file was read, for the user.
    """

    as_list: bool = False
    d: int = 0
    values: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    texts: list[list[str]] = field(default_factory=list)
    label_bytes: int = 0
    footer: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def append(self, line: int, fields: list[str]) -> None:
        """Add one record; a `ReadError` names its line and column."""
        if len(fields) != self.width and is_comment(fields):
            return
        # Skip a header line repeated in the middle, where tables were joined.
        if (
            self.names
            and fields[0].strip() == self.names[0]
            and list(map(str.strip, fields)) == self.names
        ):
            return
        if len(fields) == self.width + 1 and not fields[-1].strip():
            del fields[-1]
        if len(fields) < self.width and self._is_footer(fields):
            self.footer = self.footer or (line, len(fields))
            return
        if len(fields) != self.width or self.footer:
            place, count = self.footer or (line, len(fields))
            below = self.footer is not None and len(fields) - count in (0, 1)
            if self.numbers.delimiter == " " and (below or self.names_again(fields)):
                raise self.refuse_blocks(f"{self.where}, line {place}")
            raise _RaggedError(
                f"{self.where}, line {place}: {count} fields, but {self.width} before it. Every"
                " line needs the same number of values."
            )
        row = [fields[index] for index in self.features]
        numbers = self._listed(line, row[0]) if self.as_list else self._numbers(line, fields, row)
        self.values.extend(numbers)
        self.d = len(numbers)
        self.lines.append(line)
        for texts, index in zip(self.texts, self.labels, strict=True):
            texts.append(fields[index].strip())
            self.label_bytes += label_bytes(texts[-1])

    def _is_footer(self, fields: list[str]) -> bool:
        """True for a sentence below the table, such as its source. A row that was cut off does not
        count: it has numbers, or few words.
        """
        text = self.numbers.delimiter.join(fields).strip()
        words = text.split()
        # A sentence alone in its line has at least two words; one that commas split has more.
        few = 1 if len(fields) == 1 else 2
        if len(words) > few and 2 * sum(map(self.numbers.holds, words)) < len(words):
            return True
        return text[:1] == "(" and text[-1:] == ")"

    def position(self, row: int, column: int) -> str:
        """Text for the place of a value."""
        entry = ""
        if self.as_list:
            entry = f", entry {column + 1}"
        feature = self.column(self.features[0 if self.as_list else column])
        return f"{self.where}, line {self.lines[row]}, {feature}{entry}"

    def _numbers(self, line: int, fields: list[str], row: list[str]) -> list[float]:
        try:
            values = list(map(float, row))
            # float() would read 1_000, which is no number in a table, as 1000.
            if not self.numbers.commas and "_" not in ",".join(row):
                return values
        except ValueError:
            pass
        found = [self.numbers.number(text) for text in row]
        if None in found:
            raise self.not_a_number(line, fields, self.features[found.index(None)])
        return [value for value in found if value is not None]

    def _listed(self, line: int, text: str) -> list[float]:
        found = listed_numbers(text)
        place = f"{self.where}, line {line}, {self.column(self.features[0])}"
        if not text.strip():
            raise ReadError(f"{place}: empty. Fill the value in, or leave that sample out.")
        if found is None:
            cut = "..." in text
            advice = "A list of numbers is needed"
            if cut:
                advice = "NumPy has left numbers out; save the table as .parquet"
            raise ReadError(f"{place}: {quoted(text.strip())} is no list of numbers. {advice}.")
        if self.d and len(found) != self.d:
            raise ReadError(
                f"{place}: {len(found)} values, but {self.d} before it. Every sample needs the same"
                " number of values."
            )
        return found

    def append_plain(self, stream: BinaryIO, limits: Limits) -> bool:
        """Add all further lines by pyarrow and return True; add nothing and return False unless
        every line is plain.

        A plain line has as many fields as those before and no quotes, and its features are finite
        decimal numbers: pyarrow and `append` read such lines alike.
        """
        import pyarrow as pa

        known = len(self.values)
        longest = limits.max_header_bytes
        texts: list[list[str]] = [[] for _ in self.labels]
        label_total = self.label_bytes
        while part := stream.read(min(_PART, longest)):
            part += stream.readline(longest)
            too_long = len(part) - part.rfind(b"\n", 0, -1) > longest
            bare_return = b"\r" in part and part.count(b"\r") != part.count(b"\r\n")
            marked = part.startswith(codecs.BOM_UTF8)  # pyarrow would skip a byte order mark
            if too_long or bare_return or marked or b'"' in part or b"\0" in part:
                break
            try:
                rows, columns = _parsed_by_arrow(part, self)
            except pa.ArrowException:
                break
            if rows.size:  # else the part has only blank lines
                self.values.frombytes(rows.data.cast("B"))
            for held, column in zip(texts, columns, strict=True):
                held += column
                label_total += sum(map(label_bytes, column))
            if (
                not np.isfinite(rows).all()
                or 8 * len(self.values) + label_total > limits.most_bytes
            ):
                break
        else:
            self.label_bytes = label_total
            for held, column in zip(self.texts, texts, strict=True):
                held += column
            return True
        del self.values[known:]
        return False

    @property
    def claimed(self) -> int:
        """Bytes of the values and labels held so far."""
        return 8 * len(self.values) + self.label_bytes


def _parsed_by_arrow(part: bytes, table: _Table) -> tuple[Array, list[list[str]]]:
    """Values (rows, features) and label texts of whole lines, parsed by pyarrow. Raises
    pyarrow.ArrowException.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = list(map(str, range(table.width)))
    kinds = {names[index]: pa.string() for index in table.labels}
    kinds |= {names[index]: pa.float64() for index in table.features}
    read = arrow_csv.read_csv(
        pa.BufferReader(part),
        read_options=arrow_csv.ReadOptions(column_names=names, block_size=_BLOCK),
        parse_options=arrow_csv.ParseOptions(delimiter=table.numbers.delimiter, quote_char=False),
        convert_options=arrow_csv.ConvertOptions(
            column_types=kinds,
            null_values=[],
            include_columns=list(kinds),
            decimal_point="," if table.numbers.commas else ".",
        ),
    )
    rows = np.empty((len(read), len(table.features)))
    for place, index in enumerate(table.features):
        rows[:, place] = read.column(names[index]).to_numpy()
    return rows, [
        [text.strip() for text in read.column(names[index]).to_pylist()] for index in table.labels
    ]


def _begin(
    records: Iterator[Record],
    source: FileSource,
    choice: ColumnChoice,
    numbers: Numbers,
    key: str | None,
) -> tuple[_Table, list[Record]]:
    """The empty table with its columns, and those of its first records that hold values."""
    where = source.where
    names, line, ahead, notes = FirstLines(records, where, numbers, source.typed).head()
    values = ahead[0][1] if ahead else []
    # Columns without names are called by their numbers, from 1.
    columns = names or [str(number + 1) for number in range(len(values))]
    listing = one_list(_lists(columns, values, choice, key, numbers), key, columns, where)
    numeric = [not text.strip() or numbers.holds(text) for text in values]
    numeric += [True] * (len(columns) - len(numeric))
    if listing is None:
        features, labels = sort_columns(columns, numeric, choice, where)
    else:
        choice.check(columns, where)
        features = [columns.index(listing)]
        labels = [place for place in range(len(columns)) if place not in features]
    begun = ahead[0][0] if ahead else 1
    table = _Table(
        where,
        names,
        columns,
        features,
        labels,
        numbers,
        [place for place in features if not numeric[place]],
        source.typed,
        skipped=tuple(each - 1 for each in range(1, begun) if names is None or each != line),
        as_list=listing is not None,
        texts=[[] for _ in labels],
        notes=notes,
    )
    if not choice:
        table.check_wide([fields for _, fields in ahead if len(fields) == table.width])
    return table, ahead


def _lists(
    columns: list[str],
    values: list[str],
    choice: ColumnChoice,
    key: str | None,
    numbers: Numbers,
) -> list[str]:
    """Names of the columns that hold lists."""
    cells = [
        (name, text)
        for name, text in zip(columns, values, strict=False)
        if choice.may_be_list(name, key)
    ]
    lists = [each for each in cells if looks_like_list(each[1])]
    if len(lists) > 1 and all(numbers.holds(text) for _, text in lists):
        # The table has one number per cell, each written as a list.
        lists = []
    if not lists and not any(numbers.holds(text) for _, text in cells):
        lists = [each for each in cells if looks_like_bare_list(each[1])]
    return [name for name, _ in lists]


@np.errstate(all="ignore")
def summary_rows(values: Array) -> tuple[int, int]:
    """Number of the first rows, and of the last rows, that are the sum, the mean or the count of
    the others.
    """
    n, d = values.shape
    middle = values[n // 4 : n - n // 4]
    if n < 2 * _MOST_SUMMARIES or d < 2 or not np.ptp(middle, axis=0).all():
        return 0, 0
    total = values[_MOST_SUMMARIES:-_MOST_SUMMARIES].sum(axis=0)
    near = np.nan_to_num(_NEAR * middle.std(axis=0), nan=0.0, posinf=0.0)
    return _summed(values, total, near), _summed(values[::-1], total, near)


def _summed(values: Array, total: Array, near: Array) -> int:
    """Number of first rows that are summaries of the rows after them, see `summary_rows`."""
    rows = values[:_MOST_SUMMARIES]
    rest = total + rows.sum(axis=0) + values[: -_MOST_SUMMARIES - 1 : -1].sum(axis=0)
    found = 0
    for count, last in enumerate(rows, start=1):
        rest = rest - last
        left = len(values) - count
        mean = rest / left
        for place, row in enumerate(rows[:count], start=1):
            off = np.abs(row - mean)
            close = (off <= _ROUNDED * np.abs(mean)) | (off <= _NEAR * near)
            sums = (
                (place == count and _is_extreme(row, values))
                or ((off <= near) & close).all()
                or _alike(row, rest)
                or _alike(row, np.full(len(row), left))
            )
            if sums and (place == count or _are_statistics(rows[:count], values[count:])):
                found = count
    return found


@np.errstate(all="ignore")
def _first_row_note(table: _Table, values: Array) -> tuple[str, ...]:
    """A note if the first row is unlike all others: it may hold, say, codes of how columns were
    changed. Else ().
    """
    rest = values[1:]
    if table.as_list or len(rest) < 2 * _MOST_SUMMARIES or rest.shape[1] < 2:
        return ()
    row = values[0]
    # The second row is left out, as it may be unlike the others too.
    low = rest[1:].min(axis=0)
    high = rest[1:].max(axis=0)
    away = np.maximum(low - row, row - high) > high - low
    if away.sum() > 1 and 2 * away.sum() > len(away):
        said = "its first row is far from all others"
    elif (row != np.rint(row)).any():
        return ()
    else:
        # Probability of a whole number in each column, by the rows below.
        whole = np.mean(rest == np.rint(rest), axis=0) + 1 / len(values)
        if np.prod(whole) > _RARELY:
            return ()
        said = "its first row alone has no decimals"
    lines = f"import pandas as pd; {table.loaded('')}.iloc[1:].to_csv({table.saved('samples')})"
    return (f"{said}; if it is no sample, use what this saves: {lines}",)


@np.errstate(all="ignore")
def _summed_without_a_name(texts: Sequence[str], values: Array) -> bool:
    """True if only the first or the last row has no label, and that row is the sum or mean of the
    others, or exceeds them in most columns.
    """
    if texts.count("") != 1 or len(texts) < _COUNTED or (texts[0] and texts[-1]):
        return False
    row, others = (values[-1], values[:-1]) if texts[0] else (values[0], values[1:])
    sums = others.sum(axis=0)
    # Sums of numbers around 0, and of few different numbers, agree by chance.
    summed = np.isclose(row, sums, rtol=_ROUNDED, atol=0) & (np.abs(sums) > np.ptp(others, axis=0))
    beyond = np.abs(row) > np.abs(others).max(axis=0)
    return bool(summed.any()) or _alike(row, others.mean(axis=0)) or 2 * beyond.sum() > len(row)


def _is_extreme(row: Array, values: Array) -> bool:
    """True for a row with the least value of every column or the greatest of every column, if some
    of these values occur in other rows too.
    """
    some = values[:_FIRST]
    if not (row <= some).all() and not (row >= some).all():
        return False
    least = (row == values.min(axis=0)).all()
    if not least and not (row == values.max(axis=0)).all():
        return False
    again = values == row
    # Rows that share only some of these values: neither the row itself nor its duplicates.
    again = again[again.any(axis=1) & ~again.all(axis=1)]
    differ = [len(np.unique(column)) > len(values) / 2 for column in values.T]
    by_chance = np.prod(again[:, differ].sum(axis=0) / len(values)) * _MOST_SUMMARIES
    return sum(differ) > 1 and 0 < by_chance < _BY_CHANCE


def _are_statistics(rows: Array, rest: Array) -> bool:
    """True if each of these rows is a statistic of the rest, as in tables of pandas' describe."""
    known = [
        *(rest.sum(axis=0), rest.mean(axis=0), np.full(rest.shape[1], len(rest))),
        *(rest.std(axis=0), rest.std(axis=0, ddof=1), rest.var(axis=0), rest.var(axis=0, ddof=1)),
        *np.percentile(rest, [0, 5, 10, 25, 50, 75, 90, 95, 100], axis=0),
    ]
    return all(any(_alike(row, each) for each in known) for row in rows)


def _alike(row: Array, summed: Array) -> bool:
    return bool((np.abs(row - summed) <= _ROUNDED * np.abs(summed)).all())


def read_delimited(
    source: FileSource, limits: Limits, choice: ColumnChoice = EVERY, key: str | None = None
) -> Contents:
    """Values (n, d) as float64; the label columns; the names of the features, numbers from 1 if
    there is no header; notes.

    key : the column of lists, where several are.

    Raises
    ------
    AmbiguousKeyError : several columns of lists.
    ReadError : no table of numbers, with line, column and text; or more values than the limit.
    """
    check_claim(source.where, source.size, limits)
    with source.open() as stream:
        encoding = encoding_of(stream.read(_HEAD))
        stream.seek(0)
        try:
            if encoding == "utf-8":
                return _read(stream, source, limits, choice, key)
        except _NotUtf8Error:
            stream.seek(0)
            encoding = _encoding_of_windows(stream)
        except _BareReturnsError:
            encoding = "utf-8"
        except _LoneQuoteError:
            stream.seek(0)
            return _read(stream, source, limits, choice, key, in_quotes=False)
        with as_utf8(stream, encoding, source.where) as copy:
            return _read(copy, source, limits, choice, key, encoding)


def _encoding_of_windows(stream: BinaryIO) -> str:
    """The Windows code page cp1252 if the text has its characters, such as the euro sign; else
    latin-1.
    """
    found: set[int] = set()
    while piece := stream.read(_PART):
        found |= {*piece}
    signs = {byte for byte in found if 0x80 <= byte < 0xA0}
    if signs and not signs & {0x81, 0x8D, 0x8F, 0x90, 0x9D}:
        return "cp1252"
    return "latin-1"


def _append_all(
    table: _Table,
    ahead: list[Record],
    records: Iterator[Record],
    stream: BinaryIO,
    source: FileSource,
    limits: Limits,
) -> None:
    """Add all records to the table. The error for a text or an empty cell gives advice that depends
    on the rest of its column.
    """
    line = 0
    fields: list[str] = []
    most = limits.most_bytes

    def append(some: Iterable[Record]) -> None:
        nonlocal line, fields
        for line, fields in some:
            table.append(line, fields)
            if table.claimed > most:
                check_claim(source.where, table.claimed, limits)

    try:
        append(ahead)
        begun = stream.tell()
        plain = source.size >= _WORTH_ARROW and table.features and not table.as_list
        if not (plain and table.append_plain(stream, limits)):
            stream.seek(begun)
            append(records)
    except EmptyCellError as error:
        more = chain([fields], (each for _, each in chain(ahead, records)))
        raise _of_empty_cell(error, table, more) from None
    except _RaggedError as error:
        every = [fields, *islice((each for _, each in chain(ahead, records)), _MOST_JUDGED)]
        begun = 2 * len(table.lines) > len(every)
        other = None if begun else table.other_table(every, max(2, table.width))
        raise other or ReadError(str(error)) from None
    except TextError as error:
        if table.lines and table.names_again(fields):
            raise table.refuse_blocks(error.place) from None
        behind = (each for place, each in chain(ahead, records) if place > line)
        most_rows = _MOST_JUDGED if len(fields) <= MOST_COLUMNS else _JUDGED
        every = [fields, *islice(behind, most_rows)]
        rows = [each for each in every if len(each) == len(fields)]
        other = None if table.lines else table.other_table(every)
        raise (other or table.advised(error, rows, begun=bool(table.lines))) from None


def _of_empty_cell(error: EmptyCellError, table: _Table, more: Iterable[list[str]]) -> ReadError:
    """The error for an empty cell, with advice that depends on the other cells of its column.

    more : the fields of the cell's record and of all later records.
    """
    column = error.column
    held = (each for each in more if len(each) == table.width)
    rows = []
    if not table.lines:
        rows = list(islice(held, _JUDGED))
    known = (each[column].strip() for each in chain(rows, held))
    known = (text for text in known if text and not is_missing(text))
    text = next(known, "")
    if not table.lines and not text:
        return ReadError(
            f"{table.where}, {table.column(column)}: empty in every row. Leave it out,"
            f" in both tables, with {drop_text([table.columns[column]])}."
        )
    if rows and not any(table.numbers.holds(each) or is_written(each) for each in (text, *known)):
        return table.category(column, text, rows)
    return error


def _cells(
    stream: BinaryIO, source: FileSource, table: _Table, limits: Limits
) -> Iterator[list[str]]:
    """The feature cells of every row as texts, read from the file a second time."""
    stream.seek(0)
    numbers = table.numbers
    for _, fields in _records(_Lines(stream, source.where, numbers, limits)):
        if len(fields) >= table.width:
            row = [fields[index] for index in table.features]
            if all(map(numbers.holds, row)):
                yield row


def _read(
    stream: BinaryIO,
    source: FileSource,
    limits: Limits,
    choice: ColumnChoice,
    key: str | None,
    encoding: str = "utf-8",
    *,
    in_quotes: bool = True,
) -> Contents:
    """`read_delimited` for a stream of UTF-8.

    encoding : of the file as stored. in_quotes : False if quotation marks are texts.
    """
    delimiter = delimiter_of(stream, source.extension)
    numbers = Numbers(delimiter, quoted_names=quotes_names_alone(stream, delimiter))
    numbers.in_quotes = in_quotes
    records = _records(_Lines(stream, source.where, numbers, limits))
    table, ahead = _begin(records, source, choice, numbers, key)
    table.encoding = encoding
    _append_all(table, ahead, records, stream, source, limits)
    d = table.d if table.as_list else len(table.features)
    # table.lines lacks the lines that `append_plain` has added.
    n = len(table.values) // d if d else len(table.lines)
    check_counts(table.where, n, d, limits)
    values = np.frombuffer(table.values, dtype=float).reshape(n, d)
    try:
        check_values(values, table.position)
    except ReadError as error:
        raise error if table.as_list else table.refuse_nan(error) from None
    _refuse_other_numbers(stream, source, table, values, limits)
    table.notes += _first_row_note(table, values)
    features = tuple(table.columns[index] for index in table.features)
    names = label_names([table.columns[index] for index in table.labels])
    held = zip(names, map(parsed, table.texts), strict=True)
    labels = {name: label_array(texts) for name, texts in held}
    if table.as_list:
        return Contents(values, labels)
    if table.skipped and table.names and not choice.features:
        check_upright(labels, n, features, table.typed, table.loaded(", index_col=0"))
    if not choice.features and len(table.columns) <= MOST_COLUMNS:
        columns = dict(zip(table.features, values.T, strict=True))
        columns |= dict(zip(table.labels, labels.values(), strict=True))
        if form := long_form(columns, dict(enumerate(table.columns))):
            raise table.refuse_long(form)
    return Contents(values, labels, features, notes=table.notes)


def _refuse_other_numbers(
    stream: BinaryIO, source: FileSource, table: _Table, values: Array, limits: Limits
) -> None:
    """Raise ReadError for numbers with thousands separators, rows of bits, and rows that sum up the
    others.
    """
    if not table.as_list:
        mark = "," if table.numbers.commas else "."
        if values.size and may_be_grouped(values):
            apart = sets_thousands_apart(_cells(stream, source, table, limits), mark)
            if apart or (apart is None and mark == "." and table.numbers.delimiter == ";"):
                raise table.refuse_thousands(mark, bool(apart))
        if (values[:_FIRST] == np.rint(values[:_FIRST])).all(axis=0).any():
            most = max(4, min(_FIRST, _FIRST_CELLS // values.shape[1]))
            table.check_bits(list(islice(_cells(stream, source, table, limits), most)))
    first, last = summary_rows(values)
    if first or last:
        place = table.where
        if len(table.lines) == len(values):
            place += f", line {table.lines[first - 1 if first else -last]}"
        raise table.refuse_summary(place, first, last)
    for index, texts in zip(table.labels, table.texts, strict=True):
        unnamed = _summed_without_a_name(texts, values)
        table.check_summaries(texts, index, ("",) if unnamed else ())
