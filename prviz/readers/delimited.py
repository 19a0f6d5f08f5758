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
from itertools import chain, islice
from typing import BinaryIO

import numpy as np

from prviz.readers.arrays import Array, check_counts, check_values
from prviz.readers.columns import (
    EVERY,
    ColumnChoice,
    drop_text,
    is_label,
    label_array,
    label_bytes,
    label_names,
    parsed,
    sort_columns,
)
from prviz.readers.errors import AmbiguousKeyError, EmptyCellError, ReadError, listed, quoted
from prviz.readers.source import FileSource, Limits, check_claim, check_columns, human_size
from prviz.readers.text_dialect import (
    Numbers,
    as_utf8,
    delimiter_of,
    encoding_of,
    is_index_line,
    listed_numbers,
    looks_like_list,
)

Record = tuple[int, list[str]]
# Bytes of a file from which importing pyarrow's parser pays, of the lines parsed at a time, and of a piece that one
# thread parses.
_WORTH_ARROW, _PART, _BLOCK = 1 << 20, 1 << 23, 1 << 20
# Most characters of the names of columns in a recipe.
_LONGEST_RECIPE = 200
# Records that decide what the columns are.
_AHEAD = 4

# The parser's limit is global to the process and too low for long texts; `_Lines` has its own limit.
csv.field_size_limit(max(csv.field_size_limit(), Limits().max_header_bytes))


class _NotUtf8Error(Exception):
    """Raised for a line that is no UTF-8: the table is of an older program, and read as Latin-1."""


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
                raise _NotUtf8Error from error
            if "\0" in text:
                raise ReadError(
                    f"{self._where}, line {number}: binary data or UTF-16, not text. Save the table as UTF-8 text."
                )
            yield text


def _records(lines: _Lines, where: str, delimiter: str) -> Iterator[Record]:
    """Number of each record's first line, and its fields, without blank lines."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=delimiter == " ")
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


def _is_header(first: Record, second: Sequence[str], where: str, numbered: Numbers) -> bool:
    """True if the first record names the columns; ReadError if its one or two numbers could be names or values."""
    # A header has no numbers, or numbers that merely count the columns, as pandas names unnamed ones: 0, 1, 2 ...
    # beside the name of a label, or above a record without integers.
    line, fields = first
    numbers = [text.strip() for text in fields if numbered.number(text) is not None]
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

    columns : the names, or numbers from 1 in place of them. categories : columns of texts among the features.
    as_list : True if one column holds the features, as lists. d : number of features, 0 before the first row.
    """

    where: str
    names: list[str] | None
    columns: list[str]
    features: list[int]
    labels: list[int]
    numbers: Numbers
    categories: list[int]
    as_list: bool = False
    d: int = 0
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
        numbers = self._listed(line, row[0]) if self.as_list else self._numbers(line, fields, row)
        self.values.extend(numbers)
        self.d = len(numbers)
        self.lines.append(line)
        for texts, index in zip(self.texts, self.labels, strict=True):
            texts.append(fields[index].strip())
            self.label_bytes += label_bytes(texts[-1])

    def _numbers(self, line: int, fields: list[str], row: list[str]) -> list[float]:
        try:
            values = list(map(float, row))
            if not self.numbers.commas and "_" not in ",".join(row):  # float() takes Python's 1_000
                return values
        except ValueError:
            pass
        found = [self.numbers.number(text) for text in row]
        if None in found:
            raise self._not_a_number(line, fields, self.features[found.index(None)])
        return [value for value in found if value is not None]

    def _listed(self, line: int, text: str) -> list[float]:
        found = listed_numbers(text)
        place = f"{self.where}, line {line}, {self.column(self.features[0])}"
        if found is None:
            cut = "..." in text
            advice = "NumPy has left numbers out; save the table as .parquet" if cut else "A list of numbers is needed"
            raise ReadError(f"{place}: {quoted(text.strip())} is no list of numbers. {advice}.")
        if self.d and len(found) != self.d:
            raise ReadError(
                f"{place}: {len(found)} values, but {self.d} before it. Every sample needs the same number of values."
            )
        return found

    def _not_a_number(self, line: int, fields: list[str], index: int) -> ReadError:
        text = fields[index].strip()
        place = f"{self.where}, line {line}, {self.column(index)}"
        if not text:
            return EmptyCellError(f"{place}: empty. Fill the value in, or leave that sample out.", index)
        advice = "Remove the column, or name it id, label, split, path or text in a header line to keep it."
        if ";" in text or "," in text:
            advice = "Separate values by commas (or tabs in .tsv) and write decimals with a point."
        elif self.numbers.commas and "." in text:
            advice = "Earlier lines have decimal commas. Write all decimals alike, and no thousands apart."
        elif len(text.split()) > 1 and all(self.numbers.number(each) is not None for each in text.split()):
            advice = "Separate values by commas (or by tabs in .tsv), not by spaces."
        elif index in self.categories and self.names:
            names = [self.columns[each] for each in self.categories]
            advice = f"Leave the column out with {drop_text([self.columns[index]])}"
            if len("".join(names)) > _LONGEST_RECIPE or not "".join(names).isprintable():
                advice += ", or make numbers of its categories, for both tables at once (pandas.get_dummies)."
            else:
                advice += (
                    f", or make numbers of its categories, for both tables at once:\n{_encoded(names, self.numbers)}"
                )
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
                rows, columns = _parsed_by_arrow(part, self, delimiter)
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


def _parsed_by_arrow(part: bytes, table: _Table, delimiter: str) -> tuple[Array, list[list[str]]]:
    """Values (rows, features) and the texts of the labels of whole lines. Raises pyarrow.ArrowException."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(index) for index in range(table.width)]
    kinds = {names[index]: pa.string() for index in table.labels}
    kinds |= {names[index]: pa.float64() for index in table.features}
    read = arrow_csv.read_csv(
        pa.BufferReader(part),
        read_options=arrow_csv.ReadOptions(column_names=names, block_size=_BLOCK),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
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
    return rows, [[text.strip() for text in read.column(names[index]).to_pylist()] for index in table.labels]


def _is_comment(fields: Sequence[str]) -> bool:
    return fields[0].lstrip().startswith("#")


def _header(records: Iterator[Record], where: str, numbers: Numbers) -> tuple[list[str] | None, list[Record]]:
    """Names of the columns, None where there are none, and the first records with values."""
    ahead = list(islice(records, _AHEAD))
    if ahead and len(ahead[0][1]) == 2 and ahead[0][1][0].strip() == "sep=":  # as Excel writes its delimiter
        del ahead[0]
    # Skip comment lines, such as the header of np.savetxt; the last one may name the columns.
    while len(ahead) > 1 and _is_comment(ahead[0][1]):
        if len(ahead[0][1]) == len(ahead[1][1]) and not _is_comment(ahead[1][1]):
            break
        del ahead[0]
        ahead += islice(records, 1)
    if not ahead:
        raise ReadError(f"{where}: empty, there is no line with values. Save one line per sample.")
    first = ahead[0][1]
    second = ahead[1][1] if len(ahead) > 1 else []
    if len(second) == len(first) + 1 and all(numbers.number(text) is None for text in first):
        return ["", *(name.strip() for name in first)], ahead[1:]  # R's write.table names the rows, not their column
    if not _is_header(ahead[0], second, where, numbers):
        return None, ahead
    names = [name.strip().removeprefix("#").strip() for name in first]
    both = _second_header(names, [fields for _, fields in ahead[1:]], numbers)
    if both is None:
        return names, ahead[1:]
    return both, ahead[3:] if is_index_line(ahead[2][1]) else ahead[2:]


def _begin(
    records: Iterator[Record], where: str, choice: ColumnChoice, numbers: Numbers, key: str | None
) -> tuple[_Table, list[Record]]:
    """Columns of the table from its first records, and those of them that hold values."""
    names, ahead = _header(records, where, numbers)
    values = ahead[0][1] if ahead else []
    columns = names or [str(number + 1) for number in range(len(values))]  # without names chosen by their numbers
    lists = _list_columns(columns, values, choice, where, key)
    numeric = [not text.strip() or numbers.number(text) is not None for text in values]
    numeric += [True] * (len(columns) - len(numeric))
    if lists:
        choice.check(columns, where)
        features = lists
        labels = [place for place in range(len(columns)) if place not in lists]
    else:
        features, labels = sort_columns(columns, numeric, choice, where)
    categories = [place for place in features if not numeric[place]]
    texts: list[list[str]] = [[] for _ in labels]
    table = _Table(where, names, columns, features, labels, numbers, categories, bool(lists), texts=texts)
    return table, ahead


def _list_columns(
    columns: list[str], values: list[str], choice: ColumnChoice, where: str, key: str | None
) -> list[int]:
    """Place of the column whose cells hold lists; empty where there is none. Raises as `plan_columns`."""
    lists = [
        place
        for place, text in enumerate(values[: len(columns)])
        if looks_like_list(text) and (columns[place] == key or not is_label(columns[place]))
        if not choice.drops(columns[place]) and (not choice.features or columns[place] in choice.features)
    ]
    if key is not None:
        lists = [place for place in lists if columns[place] == key]
        if not lists:
            raise ReadError(f"{where}: has no list column {quoted(key)}. Its columns: {listed(columns)}.")
    if len(lists) > 1:
        names = [columns[place] for place in lists]
        raise AmbiguousKeyError(
            f"{where}: several list columns could be the samples: {listed(names)}. Choose one with key=...", names
        )
    return lists


def _second_header(names: list[str], records: list[list[str]], numbers: Numbers) -> list[str] | None:
    """The names in two header lines, such as pandas writes for columns of two levels; None for a line of values."""
    if len(records) < 2:
        return None
    second, third = records[0], records[1]
    if len(second) != len(names) or len(third) != len(names):
        return None
    said = [text.strip() for text in second]
    places = [place for place, name in enumerate(names) if name and not is_label(name)]
    groups = {name: [said[place] for place in places if names[place] == name] for name in names}
    repeated = any(len(group) > 1 for group in groups.values())
    joined = [f"{name}_{own}".strip("_") if own else name for name, own in zip(names, said, strict=True)]
    if repeated and len(set(joined)) == len(joined):
        counted = all(
            group in ([str(start + each) for each in range(len(group))] for start in (0, 1))
            for group in groups.values()
            if group
        )
        if counted or all(numbers.number(said[place]) is None for place in places):
            return joined
    words = places and all(said[place] and numbers.number(said[place]) is None for place in places)
    values = third if not is_index_line(third) else (records[2] if len(records) > 2 else third)
    below = [numbers.number(values[place]) is not None for place in places] if len(values) == len(names) else []
    alike = any(looks_like_list(said[place]) for place in places)
    if words and below and all(below) and not alike:
        return joined if repeated else names
    return None


def _encoded(columns: Sequence[str], numbers: Numbers) -> str:
    """Lines of Python that make 0 and 1 of categories, in both tables together."""
    written = "" if numbers.delimiter == "," else f", sep={numbers.delimiter!r}"
    written += ', decimal=","' if numbers.commas else ""
    return (
        "import pandas as pd\n"
        f'both = pd.concat({{name: pd.read_csv(f"{{name}}.csv"{written}) for name in ("real", "generated")}})\n'
        f"both = pd.get_dummies(both, columns=[{', '.join(map(repr, columns))}], dtype=int)\n"
        'both.loc["real"].to_csv("real_numbers.csv", index=False)\n'
        'both.loc["generated"].to_csv("generated_numbers.csv", index=False)'
    )


def read_delimited(
    source: FileSource, limits: Limits, choice: ColumnChoice = EVERY, key: str | None = None
) -> tuple[Array, dict[str, Array], tuple[str, ...]]:
    """Values (n, d) as float64, the label columns, and the names of the features: numbers from 1 without a header.

    key : the column of lists, where several are.

    Raises
    ------
    AmbiguousKeyError : several columns of lists.
    ReadError : no table of numbers, with line, column and text; or more values than the limit.
    """
    check_claim(source.where, source.size, limits)
    with source.open() as stream:
        encoding = encoding_of(stream.read(16))
        stream.seek(0)
        if encoding != "utf-8":
            with as_utf8(stream, encoding, source.where) as copy:
                return _read(copy, source, limits, choice, key)
        try:
            return _read(stream, source, limits, choice, key)
        except _NotUtf8Error:
            with as_utf8(stream, "latin-1", source.where) as copy:
                return _read(copy, source, limits, choice, key)


def _read(
    stream: BinaryIO, source: FileSource, limits: Limits, choice: ColumnChoice, key: str | None
) -> tuple[Array, dict[str, Array], tuple[str, ...]]:
    """`read_delimited` of a text in UTF-8."""
    delimiter = delimiter_of(stream, source.extension)
    records = _records(_Lines(stream, source.where, delimiter, limits), source.where, delimiter)
    table, ahead = _begin(records, source.where, choice, Numbers(delimiter), key)
    most = limits.most_bytes
    try:
        for line, fields in ahead:
            table.append(line, fields)
        begun = stream.tell()
        plain = source.size >= _WORTH_ARROW and table.features and not table.as_list
        if not (plain and table.append_plain(stream, delimiter, limits)):
            stream.seek(begun)
            for line, fields in records:
                table.append(line, fields)
                if table.claimed > most:
                    check_claim(source.where, table.claimed, limits)
    except EmptyCellError as error:
        rest = (fields for _, fields in chain(ahead, records) if len(fields) > error.column)
        if not table.lines and all(not fields[error.column].strip() for fields in rest):
            name = table.columns[error.column]
            raise ReadError(
                f"{source.where}, {table.column(error.column)}: empty in every row. Leave it out, in both tables, with "
                f"{drop_text([name])}."
            ) from None
        raise
    shape = (len(table.lines), table.d) if table.as_list else (0, 0)
    if not table.as_list:
        d = len(table.features)
        shape = (len(table.values) // d if d else len(table.lines), d)
    check_counts(table.where, *shape, limits)
    values = np.frombuffer(table.values, dtype=np.float64).reshape(shape)

    def position(row: int, column: int) -> str:
        if table.as_list:
            return f"{table.where}, line {table.lines[row]}, {table.column(table.features[0])}, entry {column + 1}"
        return f"{table.where}, line {table.lines[row]}, {table.column(table.features[column])}"

    check_values(values, position)
    names = label_names([table.columns[index] for index in table.labels])
    labels = {name: label_array(parsed(texts)) for name, texts in zip(names, table.texts, strict=True)}
    return values, labels, () if table.as_list else tuple(table.columns[index] for index in table.features)
