"""Reader of .csv and .tsv files, with or without a header line.

The reader here knows the line of every value, and decides what is read and what is refused. Where a file is large,
pyarrow parses its lines first, about five times as fast; whatever pyarrow refuses, or could read as something else, is
read again from its first line by the reader here (`tests/readers/test_delimited.py` holds both against each other).
"""

from __future__ import annotations

import codecs
import csv
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from prviz.readers.arrays import Array, check_counts, check_values
from prviz.readers.columns import (
    EVERY,
    ColumnChoice,
    label_array,
    label_bytes,
    label_names,
    parsed,
    sort_columns,
)
from prviz.readers.errors import ReadError, quoted
from prviz.readers.source import FileSource, Limits, check_claim, check_columns, human_size

Record = tuple[int, list[str]]
# Bytes of a file from which importing pyarrow's parser pays, of the lines parsed at a time, and of a piece that one
# thread parses.
_WORTH_ARROW, _PART, _BLOCK = 1 << 20, 1 << 23, 1 << 20

# The parser's limit is global to the process and too low for long texts; `_Lines` has its own limit.
csv.field_size_limit(max(csv.field_size_limit(), Limits().max_header_bytes))


class _Lines:
    """Decoded lines, one at a time, so that an error names its line.

    record : bytes of the current record so far, which may span many lines by quotes.
    """

    def __init__(self, stream: BinaryIO, where: str, delimiter: str, limits: Limits) -> None:
        self._stream, self._where = stream, where
        self._mark, self._limits = delimiter.encode(), limits
        self.record = 0

    def __iter__(self) -> Iterator[str]:
        number, longest, mark, columns = 0, self._limits.max_header_bytes, self._mark, self._limits.max_columns
        while line := self._stream.readline(longest + 1):
            number += 1
            self.record += len(line)
            if self.record > longest:
                found = "longer" if self.record == len(line) else "part of a record longer"
                raise ReadError(
                    f"{self._where}, line {number}: {found} than {human_size(longest)}. Is this one line per sample?"
                )
            if len(line) > columns and line.count(mark) >= columns:
                check_columns(f"{self._where}, line {number}", line.count(mark) + 1, self._limits)
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise ReadError(f"{self._where}, line {number}: not UTF-8 text. Save the table as UTF-8.") from error
            if "\0" in text:
                raise ReadError(
                    f"{self._where}, line {number}: binary data or UTF-16, not text. Save the table as UTF-8 text."
                )
            yield text


def _records(lines: _Lines, where: str, delimiter: str) -> Iterator[Record]:
    """Number of each record's first line, and its fields, without blank lines."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = 1
    try:
        for fields in reader:
            lines.record = 0
            if len(fields) > 1 or (fields and fields[0].strip()):
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise ReadError(
            f"{where}, line {line}: can't be split into fields ({quoted(str(error))}). Check quotes and line ends."
        ) from error


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _is_header(first: Record, second: Sequence[str], where: str) -> bool:
    """True if the first record names the columns; ReadError if its one or two numbers could be names or values."""
    # A header has no numbers, or numbers that merely count the columns, as pandas names unnamed ones: 0, 1, 2 ...
    # beside the name of a label, or above a record without integers.
    line, fields = first
    numbers = [text.strip() for text in fields if _is_number(text)]
    if len(numbers) < len(fields):
        counts = ({str(start + i) for i in range(len(numbers))} for start in (0, 1))
        return not numbers or any(set(numbers) == count for count in counts)
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


@dataclass
class _Table:
    """Columns of a table and the rows read so far.

    columns : the names, or numbers from 1 in place of them.
    """

    where: str
    names: list[str] | None
    columns: list[str]
    features: list[int]
    labels: list[int]
    values: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    texts: list[list[str]] = field(default_factory=list)
    label_bytes: int = 0

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def column(self, index: int) -> str:
        """Text for column ``index``, counted from 1, with its name if there is one."""
        return f"column {index + 1}" + (f" {quoted(self.names[index])}" if self.names else "")

    def append(self, line: int, fields: list[str]) -> None:
        """Add one record; a `ReadError` names its line and column."""
        if len(fields) != self.width:
            raise ReadError(
                f"{self.where}, line {line}: {len(fields)} fields, but {self.width} before it. Every line needs the "
                "same number of values."
            )
        row = [fields[index] for index in self.features]
        try:
            self.values.extend(map(float, row))
            strict = "_" not in ",".join(row)  # float() takes Python's 1_000, which no table means
        except ValueError:
            strict = False
        if not strict:
            raise self._not_a_number(line, fields)
        self.lines.append(line)
        for texts, index in zip(self.texts, self.labels, strict=True):
            texts.append(fields[index].strip())
            self.label_bytes += label_bytes(texts[-1])

    def _not_a_number(self, line: int, fields: list[str]) -> ReadError:
        index = next(index for index in self.features if not _is_number(fields[index]))
        text = fields[index].strip()
        place = f"{self.where}, line {line}, {self.column(index)}"
        if not text:
            return ReadError(f"{place}: empty. Fill the value in, or leave that sample out.")
        advice = "Remove the column, or name it id, label, split, path or text in a header line to keep it."
        if ";" in text or "," in text:
            advice = "Separate values by commas (or tabs in .tsv) and write decimals with a point."
        elif len(text.split()) > 1 and all(map(_is_number, text.split())):
            advice = "Separate values by commas (or by tabs in .tsv), not by spaces."
        return ReadError(f"{place}: {quoted(text)} is not a number. {advice}")

    def append_plain(self, stream: BinaryIO, delimiter: str, limits: Limits) -> bool:
        """Add the rest of the stream by pyarrow; False, and nothing added, unless every line of it is plain.

        Plain are lines of as many fields as before, without quotes, whose features are finite decimal numbers: these
        pyarrow and `append` read alike.
        """
        import pyarrow as pa

        known, longest = len(self.values), limits.max_header_bytes
        texts: list[list[str]] = [[] for _ in self.labels]
        label_total = self.label_bytes
        while part := stream.read(min(_PART, longest)):
            part += stream.readline(longest)
            too_long = len(part) - part.rfind(b"\n", 0, -1) > longest
            bare_return = b"\r" in part and part.count(b"\r") != part.count(b"\r\n")
            marked = part.startswith(codecs.BOM_UTF8)  # which pyarrow skips
            if too_long or bare_return or marked or b'"' in part or b"\0" in part:
                break
            try:
                rows, columns = _parsed_by_arrow(part, self.width, self.features, self.labels, delimiter)
            except pa.ArrowException:
                break
            self.values.frombytes(rows.data.cast("B"))
            for held, column in zip(texts, columns, strict=True):
                held += column
                label_total += sum(map(label_bytes, column))
            if not np.isfinite(rows).all() or 8 * len(self.values) + label_total > limits.most_bytes:
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
        """Bytes held so far."""
        return 8 * len(self.values) + self.label_bytes


def _parsed_by_arrow(
    part: bytes, width: int, features: list[int], labels: list[int], delimiter: str
) -> tuple[Array, list[list[str]]]:
    """Values (rows, features) and the texts of the labels of whole lines. Raises pyarrow.ArrowException."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(index) for index in range(width)]
    kinds = {names[index]: pa.string() for index in labels} | {names[index]: pa.float64() for index in features}
    table = arrow_csv.read_csv(
        pa.BufferReader(part),
        read_options=arrow_csv.ReadOptions(column_names=names, block_size=_BLOCK),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
        convert_options=arrow_csv.ConvertOptions(column_types=kinds, null_values=[], include_columns=list(kinds)),
    )
    rows = np.empty((len(table), len(features)))
    for place, index in enumerate(features):
        rows[:, place] = table.column(names[index]).to_numpy()
    return rows, [[text.strip() for text in table.column(names[index]).to_pylist()] for index in labels]


def _is_comment(fields: Sequence[str]) -> bool:
    return fields[0].lstrip().startswith("#")


def _begin(records: Iterator[Record], where: str, choice: ColumnChoice) -> tuple[_Table, list[Record]]:
    """Columns of the table from its first two records, and those of them that hold values."""
    first, second = next(records, None), next(records, None)
    # Skip comment lines, such as the header of np.savetxt; the last one may name the columns.
    while first and second and _is_comment(first[1]) and (len(first[1]) != len(second[1]) or _is_comment(second[1])):
        first, second = second, next(records, None)
    if first is None:
        raise ReadError(f"{where}: empty, there is no line with values. Save one line per sample.")
    names = None
    if _is_header(first, second[1] if second else (), where):
        names = [name.strip().removeprefix("#").strip() for name in first[1]]
    values = second[1] if names and second else first[1]
    columns = names or [str(number + 1) for number in range(len(first[1]))]  # without names chosen by their numbers
    numeric = [not text.strip() or _is_number(text) for text in values]
    features, labels = sort_columns(columns, numeric, choice, where)
    table = _Table(where, names, columns, features, labels, texts=[[] for _ in labels])
    return table, [record for record in (None if names else first, second) if record]


def read_delimited(
    source: FileSource, limits: Limits, choice: ColumnChoice = EVERY
) -> tuple[Array, dict[str, Array], tuple[str, ...]]:
    """Values (n, d) as float64, the label columns, and the names of the features: numbers from 1 without a header.

    Raises
    ------
    ReadError : no table of numbers, with line, column and text; or more values than the limit.
    """
    check_claim(source.where, source.size, limits)
    with source.open() as stream:
        first = stream.readline(limits.max_header_bytes).decode("utf-8", errors="replace")
        stream.seek(0)
        delimiter = next((mark for mark in (";", ",", "\t") if mark in first), ",")
        delimiter = "\t" if source.extension == ".tsv" else delimiter
        records = _records(_Lines(stream, source.where, delimiter, limits), source.where, delimiter)
        table, ahead = _begin(records, source.where, choice)
        for line, fields in ahead:
            table.append(line, fields)
        begun, most = stream.tell(), limits.most_bytes
        if not (source.size >= _WORTH_ARROW and table.features and table.append_plain(stream, delimiter, limits)):
            stream.seek(begun)
            for line, fields in records:
                table.append(line, fields)
                if table.claimed > most:
                    check_claim(source.where, table.claimed, limits)
    d = len(table.features)
    shape = (len(table.values) // d if d else len(table.lines), d)
    check_counts(table.where, *shape, limits)
    values = np.frombuffer(table.values, dtype=np.float64).reshape(shape)
    check_values(
        values,
        lambda row, column: f"{table.where}, line {table.lines[row]}, {table.column(table.features[column])}",
    )
    names = label_names([table.columns[index] for index in table.labels])
    labels = {name: label_array(parsed(texts)) for name, texts in zip(names, table.texts, strict=True)}
    return values, labels, tuple(table.columns[index] for index in table.features)
