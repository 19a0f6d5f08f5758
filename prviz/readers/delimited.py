"""Reader of .csv and .tsv files, with or without a header line.

The reader here knows the line of every value, and decides what is read and what is refused. Where a file is large,
pyarrow parses its lines first, about five times as fast; whatever pyarrow refuses, or could read as something else, is
read again from its first line by the reader here (`tests/readers/test_delimited.py` holds both against each other).
"""

from __future__ import annotations

import codecs
import csv
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
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
from prviz.readers.errors import AmbiguousKeyError, EmptyCellError, ReadError, listed, literal, quoted
from prviz.readers.source import PACKED, FileSource, Limits, check_claim, check_columns, human_size
from prviz.readers.text_dialect import (
    AROUND,
    Numbers,
    as_utf8,
    decorated,
    delimiter_of,
    encoding_of,
    is_index_line,
    is_missing,
    listed_numbers,
    looks_like_bare_list,
    looks_like_list,
    thousands_in,
)

Record = tuple[int, list[str]]
# Bytes of a file from which importing pyarrow's parser pays, of the lines parsed at a time, and of a piece that one
# thread parses.
_WORTH_ARROW, _PART, _BLOCK = 1 << 20, 1 << 23, 1 << 20
# Most characters of the names of columns in a recipe.
_LONGEST_RECIPE = 200
# Records that decide what the columns are.
_AHEAD = 4
# Most lines of titles above a table.
_MOST_TITLES = 16
# Records in which a column of texts is judged, and most different texts that are categories.
_JUDGED, _MOST_CATEGORIES = 1000, 50
# First words of rows that sum up the others, and most of such rows.
_SUMMARY = re.compile(
    r"(grand |sub)?totals?|sums?|means?|averages?|avg|medians?|std|sd|stdev|standard deviation|min(imum)?|max(imum)?"
    r"|count|variance|summe|gesamt|mittelwert",
    re.IGNORECASE,
)
_MOST_SUMMARIES = 8
# Share by which a sum or a mean may be rounded in a table.
_ROUNDED = 1e-3
_FEW_CATEGORIES = 20
_HEX, _BASE64 = (
    re.compile(r"([0-9a-fA-F]{8}){4,}"),
    re.compile(r"(?=.{20})([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?"),
)

# The parser's limit is global to the process and too low for long texts; `_Lines` has its own limit.
csv.field_size_limit(max(csv.field_size_limit(), Limits().max_header_bytes))


class _NotUtf8Error(Exception):
    """Raised for a line that is no UTF-8: the table is of an older program, and read as Latin-1."""


class _BareReturnsError(Exception):
    """Raised for lines that end in carriage returns, as old Macintosh programs write them."""


class _TextError(ReadError):
    """Raised for a text in a column of numbers; ``column`` is the place of its column, ``place`` says where it is."""

    def __init__(self, place: str, text: str, column: int) -> None:
        super().__init__(f"{place}: {quoted(text)} is not a number.")
        self.place, self.text, self.column = place, text, column


class _Lines:
    """Decoded lines, one at a time, so that an error names its line.

    record : bytes of the current record so far, which may span many lines by quotes. quotes : True if its last line
    has any.
    """

    def __init__(self, stream: BinaryIO, where: str, delimiter: str, limits: Limits) -> None:
        self._stream, self._where = stream, where
        self._mark, self._limits = delimiter.encode(), limits
        self.record = 0
        self.quotes = False

    def __iter__(self) -> Iterator[str]:
        number, longest, mark, columns = 0, self._limits.max_header_bytes, self._mark, self._limits.max_columns
        while line := self._stream.readline(longest + 1):
            number += 1
            self.record += len(line)
            self.quotes = b'"' in line
            if line.strip() == b"\x1a" and not self._stream.read(1):
                return  # the end of a file of DOS
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
            if delimiter == " " and len(fields) > 1 and not fields[-1]:
                del fields[-1]
            # An empty text in quotes is a cell; a row of nothing but commas is what Excel leaves of a deleted one.
            if any(text.strip() for text in fields) or (len(fields) == 1 and lines.quotes):
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        if "new-line character" in str(error):
            raise _BareReturnsError from error
        raise ReadError(
            f"{where}, line {line}: can't be split into fields ({quoted(str(error))}). Check quotes and line ends."
        ) from error


def _count(numbers: Sequence[str]) -> bool:
    """True for 0, 1, 2 ... or 1, 2, 3 ... in this order, also as 0.0, 1.0, 2.0."""
    values = [float(text) if text.replace(".", "", 1).isdecimal() else -1.0 for text in numbers]
    return values[0] in (0, 1) and values == [values[0] + place for place in range(len(values))]


def _is_header(first: Record, second: Sequence[str], where: str, numbered: Numbers) -> bool:
    """True if the first record names the columns; ReadError if its one or two numbers could be names or values."""
    # A header has no numbers, or numbers that merely count the columns, as pandas names unnamed ones: 0, 1, 2 ...
    # beside the name of a label, or above a record without integers.
    line, fields = first
    numbers = [text.strip() for text in fields if numbered.number(text) is not None]
    if len(numbers) < len(fields):
        counts = ({str(start + i) for i in range(len(numbers))} for start in (0, 1))
        return not numbers or any(set(numbers) == count for count in counts)
    if len(numbers) > 2 and _count(numbers) and not all(text.strip().lstrip("+-").isdecimal() for text in second):
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


@dataclass
class _Table:
    """Columns of a table and the rows read so far.

    columns : the names, or numbers from 1 in place of them. categories : columns of texts among the features.
    typed, encoding : how to read the file, for recipes.
    as_list : True if one column holds the features, as lists. d : number of features, 0 before the first row.
    """

    where: str
    names: list[str] | None
    columns: list[str]
    features: list[int]
    labels: list[int]
    numbers: Numbers
    categories: list[int]
    typed: str
    encoding: str = "utf-8"
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
        if len(fields) != self.width and _is_comment(fields):
            return
        if self.names and fields[0].strip() == self.names[0] and [text.strip() for text in fields] == self.names:
            return  # the header line again, of tables written one behind the other
        if len(fields) == self.width + 1 and not fields[-1].strip():
            del fields[-1]
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
        if not text.strip():
            raise ReadError(f"{place}: empty. Fill the value in, or leave that sample out.")
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
        if is_missing(text):
            lines = (
                f"import pandas as pd\ntable = {self._loaded(f', na_values=[{text!r}]')}\n"
                f"table.dropna(subset=table.columns{self._span}).to_csv({self._saved('complete')})"
            )
            return ReadError(
                f"{place}: {quoted(text)} is not a number but a missing one. Fill it in, or leave such samples "
                f"out:\n{lines}"
            )
        return _TextError(place, text, index)

    def advised(self, error: _TextError, column: Sequence[str]) -> ReadError:
        """The error with what to do about it; column : texts of its column, of as many rows as are judged."""
        text, index = error.text, error.column
        if _SUMMARY.fullmatch(text):
            return self.refuse_summary(error.place, text, len(column))
        if apart := thousands_in(text):
            options = f", thousands={apart[0]!r}, decimal={apart[1]!r}, engine='python'"
            advice = "Set no thousands apart and write decimals with a point:\n" + self._rewritten(options, "plain")
        elif decorated(text):
            advice = "Write numbers alone:\n" + self._rewritten(", dtype=str", "plain", f"str.maketrans{AROUND!r}")
        elif packed := self._packed(text):
            advice = packed
        elif ";" in text or "," in text:
            advice = "Separate values by commas (or tabs in .tsv) and write decimals with a point."
        elif self.numbers.commas and "." in text:
            advice = "Earlier lines have decimal commas. Write all decimals alike, and no thousands apart."
        elif len(text.split()) > 1 and all(self.numbers.number(each) is not None for each in text.split()):
            advice = "Separate values by commas (or by tabs in .tsv), not by spaces."
        elif index in self.categories:
            advice = self._without_categories(index, column)
        else:
            advice = "Remove the column, or name it id, label, split, path or text in a header line to keep it."
        return ReadError(f"{error.place}: {quoted(text)} is not a number. {advice}")

    def _without_categories(self, index: int, column: Sequence[str]) -> str:
        """Leaving a column of texts out; where it holds categories also numbers for them."""
        names = [self.columns[each] for each in self.categories]
        advice = f"Leave the column out with {drop_text([self.columns[index]])}"
        distinct = len(set(column))
        if len(self.features) == 1 and len(self.columns) == 1:
            return "Separate values by commas (or tabs in .tsv) and write decimals with a point."
        if not self.names or distinct > _MOST_CATEGORIES or distinct > max(_FEW_CATEGORIES, len(column) / 2):
            return f"{advice}."
        if len("".join(names)) > _LONGEST_RECIPE or not "".join(names).isprintable():
            return f"{advice}, or make numbers of its categories, for both tables at once (pandas.get_dummies)."
        return f"{advice}, or make numbers of its categories, for both tables at once:\n{_encoded(names, self.numbers)}"

    def _packed(self, text: str) -> str:
        """The lines that unpack vectors which are written as hexadecimal digits, in base64 or as an object of JSON."""
        if len(self.features) > 1 or not self.names:
            return ""
        held = f"{self._loaded('')}[{literal(self.columns[self.features[0]])}]"
        if text.startswith("{") and ":" in text:
            return (
                "Save its numbers as columns:\nimport json, pandas as pd\n"
                f"pd.DataFrame([json.loads(each) for each in {held}]).to_csv({self._saved('columns')})"
            )
        if _HEX.fullmatch(text):
            module, bytes_of = "numpy as np", "bytes.fromhex(each)"
        elif _BASE64.fullmatch(text):
            module, bytes_of = "base64, numpy as np", "base64.b64decode(each)"
        else:
            return ""
        return (
            f"If its bytes are numbers of float32:\nimport {module}, pandas as pd\n"
            f"rows = [np.frombuffer({bytes_of}, 'float32') for each in {held}]\n"
            f"np.save({literal(self._stem + '.npy')}, np.stack(rows))"
        )

    def refuse_summary(self, place: str, text: str, count: int) -> ReadError:
        """Error for the last rows of a table, which sum up the others."""
        return ReadError(
            f"{place}: {text} sums up the rows above and is no sample. Leave such rows out:\nimport pandas as pd\n"
            f"{self._loaded('')}.iloc[:-{count}].to_csv({self._saved('samples')})"
        )

    @property
    def _stem(self) -> str:
        path = Path(self.typed)
        path = path.with_suffix("") if path.suffix.lower() in PACKED else path
        return str(path.with_suffix(""))

    @property
    def _span(self) -> str:
        """Places of the features among the columns, as Python writes them."""
        first, last = self.features[0], self.features[-1]
        return f"[{first}:{last + 1}]" if last - first + 1 == len(self.features) else f"[{self.features}]"

    def _loaded(self, options: str) -> str:
        """The call that reads the file as a data frame."""
        mark = "" if self.numbers.delimiter == "," else f", sep={self.numbers.delimiter!r}"
        decimal = ', decimal=","' if self.numbers.commas and "decimal" not in options else ""
        encoding = "" if self.encoding == "utf-8" else f", encoding={self.encoding!r}"
        header = "" if self.names else ", header=None"
        return f"pd.read_csv({literal(self.typed)}{mark}{decimal}{encoding}{header}{options})"

    def _saved(self, word: str) -> str:
        """Arguments that write a data frame beside the file."""
        return f"{literal(f'{self._stem}_{word}.csv')}, index=False{'' if self.names else ', header=False'}"

    def _rewritten(self, options: str, word: str, change: str = "") -> str:
        lines = ["import pandas as pd", f"table = {self._loaded(options)}"]
        if change:
            lines += [f"names = table.columns{self._span}"]
            lines += [f"table[names] = table[names].apply(lambda column: column.str.translate({change}))"]
        return "\n".join([*lines, f"table.to_csv({self._saved(word)})"])

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
    while len(ahead) > 1 and _is_comment(ahead[0][1]):
        if len(ahead[0][1]) == len(ahead[1][1]) > 1 and not _is_comment(ahead[1][1]):
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
    while len(ahead) > 2 and len(ahead[0][1]) < width - 1 and numbers.number(ahead[0][1][0]) is None:
        del ahead[0]


def _header(records: Iterator[Record], where: str, numbers: Numbers) -> tuple[list[str] | None, list[Record]]:
    """Names of the columns, None where there are none, and the first records with values."""
    ahead = list(islice(records, _AHEAD))
    if ahead and len(ahead[0][1]) == 2 and ahead[0][1][0].strip() == "sep=":  # as Excel writes its delimiter
        del ahead[0]
    _drop_titles(ahead, records, numbers)
    if not ahead:
        raise ReadError(f"{where}: empty, there is no line with values. Save one line per sample.")
    first = ahead[0][1]
    second = ahead[1][1] if len(ahead) > 1 else []
    if len(second) == len(first) + 1 and all(numbers.number(text) is None for text in first):
        if not second[-1].strip():  # a comma behind each line of values
            return [*(name.strip() for name in first), ""], ahead[1:]
        return ["", *(name.strip() for name in first)], ahead[1:]  # R's write.table names the rows, not their column
    if not _is_header(ahead[0], second, where, numbers):
        return None, ahead
    names = [name.strip().removeprefix("#").strip() for name in first]
    if len(second) == len(names) - 1 and not names[-1]:
        names.pop()  # a mark behind the names alone
    both = _second_header(names, [fields for _, fields in ahead[1:]], numbers)
    below = ahead[1:]
    if both is not None:
        below = ahead[3:] if is_index_line(ahead[2][1]) else ahead[2:]
    return both or names, _without_words(both or names, below, records, numbers)


def _without_words(names: list[str], ahead: list[Record], records: Iterator[Record], numbers: Numbers) -> list[Record]:
    """The first records without lines of units or types between the names and the values."""
    places = [place for place, name in enumerate(names) if not is_label(name)]

    def said(fields: list[str]) -> list[str]:
        return [fields[place].strip() for place in places] if len(fields) == len(names) else []

    def are_numbers(fields: list[str]) -> bool:
        return bool(said(fields)) and all(numbers.number(text) is not None for text in said(fields))

    def are_words(texts: list[str]) -> bool:
        if len(texts) < 2:
            return False
        return all(
            numbers.number(text) is None and not is_missing(text) and not looks_like_list(text) for text in texts
        )

    ahead += islice(records, max(0, _AHEAD - 1 - len(ahead)))
    while are_words(said(ahead[0][1]) if ahead else []) and any(are_numbers(fields) for _, fields in ahead[1:]):
        del ahead[0]
        ahead += islice(records, 1)
    return ahead


def _begin(
    records: Iterator[Record], source: FileSource, choice: ColumnChoice, numbers: Numbers, key: str | None
) -> tuple[_Table, list[Record]]:
    """Columns of the table from its first records, and those of them that hold values."""
    where = source.where
    names, ahead = _header(records, where, numbers)
    values = ahead[0][1] if ahead else []
    columns = names or [str(number + 1) for number in range(len(values))]  # without names chosen by their numbers
    lists = _list_columns(columns, values, choice, where, key, numbers)
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
    table = _Table(
        where, names, columns, features, labels, numbers, categories, source.typed, as_list=bool(lists), texts=texts
    )
    return table, ahead


def _list_columns(
    columns: list[str], values: list[str], choice: ColumnChoice, where: str, key: str | None, numbers: Numbers
) -> list[int]:
    """Place of the column whose cells hold lists; empty where there is none. Raises as `plan_columns`."""
    cells = {
        place: text
        for place, text in enumerate(values[: len(columns)])
        if columns[place] == key or not is_label(columns[place])
        if not choice.drops(columns[place]) and (not choice.features or columns[place] in choice.features)
    }
    lists = [place for place, text in cells.items() if looks_like_list(text)]
    if len(lists) > 1 and all(numbers.number(cells[place]) is not None for place in lists):
        lists = []  # a list of one number in each
    if not lists and not any(numbers.number(text) is not None for text in cells.values()):
        lists = [place for place, text in cells.items() if looks_like_bare_list(text)]
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


@np.errstate(all="ignore")
def _summaries(values: Array) -> int:
    """How many of the last rows begin with one that holds the sums, the means or the number of the rows above."""
    n, d = values.shape
    if n < 2 * _MOST_SUMMARIES or d < 2 or not np.ptp(values[: n // 2], axis=0).all():
        return 0
    rest = values.sum(axis=0)
    found = 0
    for count in range(1, _MOST_SUMMARIES + 1):
        last = values[-count]
        rest = rest - last
        totals = (rest, rest / (n - count), np.full(d, n - count))
        if any((np.abs(last - each) <= _ROUNDED * np.abs(each)).all() for each in totals):
            found = count
    return found


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
        try:
            if encoding == "utf-8":
                return _read(stream, source, limits, choice, key)
        except _NotUtf8Error:
            encoding = "latin-1"
        except _BareReturnsError:
            encoding = "utf-8"
        with as_utf8(stream, encoding, source.where) as copy:
            return _read(copy, source, limits, choice, key, encoding)


def _append_all(
    table: _Table,
    ahead: list[Record],
    records: Iterator[Record],
    stream: BinaryIO,
    source: FileSource,
    limits: Limits,
) -> None:
    """Add every record to the table, with advice on a text or an empty cell by what its column holds elsewhere."""
    most = limits.most_bytes
    try:
        for line, fields in ahead:
            table.append(line, fields)
        begun = stream.tell()
        plain = source.size >= _WORTH_ARROW and table.features and not table.as_list
        if not (plain and table.append_plain(stream, table.numbers.delimiter, limits)):
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
    except _TextError as error:
        behind = islice(chain(ahead, records), _JUDGED)
        column = [fields[error.column].strip() for _, fields in behind if len(fields) > error.column]
        raise table.advised(error, column) from None


def _read(
    stream: BinaryIO,
    source: FileSource,
    limits: Limits,
    choice: ColumnChoice,
    key: str | None,
    encoding: str = "utf-8",
) -> tuple[Array, dict[str, Array], tuple[str, ...]]:
    """`read_delimited` of a text in UTF-8; encoding : of the file."""
    delimiter = delimiter_of(stream, source.extension)
    records = _records(_Lines(stream, source.where, delimiter, limits), source.where, delimiter)
    table, ahead = _begin(records, source, choice, Numbers(delimiter), key)
    table.encoding = encoding
    _append_all(table, ahead, records, stream, source, limits)
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
    if count := _summaries(values):
        place = f"{table.where}, line {table.lines[-count]}" if len(table.lines) == len(values) else table.where
        raise table.refuse_summary(place, "this row" if count == 1 else f"this row, {count} from the end,", count)
    names = label_names([table.columns[index] for index in table.labels])
    labels = {name: label_array(parsed(texts)) for name, texts in zip(names, table.texts, strict=True)}
    return values, labels, () if table.as_list else tuple(table.columns[index] for index in table.features)
