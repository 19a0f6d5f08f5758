"""Errors for text tables that are refused, with the Python lines that repair them."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from prviz.quoting import drop_text
from prviz.readers.columns import MOST_COLUMNS, plain_name, sets_text
from prviz.readers.conversion import BRACKETS, PRINTED_CUT
from prviz.readers.errors import (
    EmptyCellError,
    ReadError,
    TextColumnError,
    beside,
    listed,
    literal,
    quoted,
)
from prviz.readers.long_form import LongForm, long_form
from prviz.readers.notations import (
    FRACTIONS,
    UNITS,
    are_times_of_a_log,
    is_complex,
    notation_of,
    unit_of,
    without_units,
)
from prviz.readers.row_roles import find_row_roles
from prviz.readers.source import PACKED
from prviz.readers.suspects import (
    is_bookkeeping,
    names_features,
    one_family,
    others_than,
    refuse_turned,
    samples_among,
)
from prviz.readers.text_dialect import (
    UNDECORATED,
    Numbers,
    TextRows,
    decorated,
    is_missing,
    thousands_in,
    undecorated,
)

# Most characters of column names in a recipe.
_LONGEST_RECIPE = 200
# Most different texts of a column that may be categories, in a long table.
_MOST_CATEGORIES = 50
# Most different texts of a column that may be categories, in a table of few rows.
_FEW_CATEGORIES = 20
# Most first rows by which a mark is judged to separate thousands or decimals.
_FEW_ROWS = 1000
# Labels of summary rows.
_SUMMARY = re.compile(
    r"(\S+ )?(sub)?-?totals?|((weighted|overall) )?(sums?|means?|averages?|avg|medians?)|overall"
    r"|std|sd|stdev|standard deviation|min(imum)?|max(imum)?"
    r"|count|variance|(zwischen|gesamt)?summe|gesamt|mittelwert|durchschnitt|somme|moyenne",
    re.IGNORECASE,
)
# Largest share of rows whose labels are those of summary rows.
_SUMMARIES = 0.25
# Most different numerators, or denominators, for a column such as 6/4 to hold fractions; otherwise
# a cell such as 120/80 holds two numbers.
_MOST_FRACTIONS = 12
# Most different units in one column of numbers; more are parts of names.
_MOST_UNITS = 8
# Texts for a missing number that pandas does not recognise by default.
_ALSO_MISSING = ("-", "?", ".", "#DIV/0!", "#VALUE!")
_INFINITE = [sign + word for sign in ("", "-", "+") for word in ("inf", "Inf", "INF", "Infinity")]
# Names of the column of values in a table in long form.
_VALUE = ("value", "values", "val")
# Names of the column of features in a table in long form.
_VARIABLE = ("variable", "feature", "column", "col", "j", "metric", "gene", "probe")
_HEX = re.compile(r"([0-9a-fA-F]{8}){4,}")
_BASE64 = re.compile(r"(?=.{20})([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?")


# A date, also with the first digits of a time after a space. Dates are no categories.
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4}|\d{8} \d{4,6}$")
# A month, quarter or week with its year.
_PERIOD = re.compile(r"\d{4}[-:/ ]?[MQW]\d{1,2}|[MQW]\d{1,2}[-:/ ]\d{4}", re.IGNORECASE)
_OF_A_DAY = re.compile(r"(.*_)?(time|clock|hour)(_.*)?")
_SEPARATE = "Separate values by commas (or tabs in .tsv) and write decimals with a point."


def _sums_up(text: str) -> bool:
    """True for a label such as Total or Average, whose row is no sample."""
    return _SUMMARY.fullmatch(text.rstrip(" :0123456789")) is not None


class TextError(ReadError):
    """Raised for a text in a column of numbers; ``column`` is the index of its column, ``place``
    describes the place in the file.
    """

    def __init__(self, place: str, text: str, column: int) -> None:
        super().__init__(f"{place}: {quoted(text)} is not a number.")
        self.place = place
        self.text = text
        self.column = column


def bracketed(where: str, typed: str, cut: bool) -> ReadError:
    """Error for rows of numbers in brackets, as Python and NumPy print them."""
    if cut:
        return ReadError(f"{where}: {PRINTED_CUT}.")
    lines = BRACKETS.format(file=literal(typed), npy=beside(typed, ".npy"))
    return ReadError(f"{where}: rows of numbers in brackets. Save them as an array:\n{lines}")


def refuse_comma_pairs(where: str, typed: str, names: int) -> ReadError:
    """Error for numbers with decimal commas in a table whose delimiter is the comma."""
    other = ""
    under = f"{names} names"
    if names == 1:
        other = ", give the names of the rows a name of their own"
        under = "one name"
    return ReadError(
        f"{where}: {2 * names} fields under {under}; its decimal commas can't be told from those "
        f"between the fields. Divide fields by semicolons{other}, or, if every number has "
        "decimals, write points:\n"
        "import csv\n"
        f"names, *rows = csv.reader(open({literal(typed)}))\n"
        "rows = [map('.'.join, zip(row[::2], row[1::2])) for row in rows]\n"
        f"csv.writer(open({beside(typed, '_points.csv')}, 'w', newline='')).writerows([names, "
        f"*rows])"
    )


def refuse_long(
    where: str,
    form: LongForm,
    columns: Sequence[str],
    held: Sequence[str | int],
    loading: str,
    typed: str,
) -> ReadError:
    """Error for a table in long form, with the lines that make one row per sample.

    held : the columns as the data frame names them. loading : lines that load the file as the data
        frame ``table``.
    """
    said = [quoted(columns[place]) for place in form.samples]
    value = columns[form.value]
    index = [held[place] for place in form.samples]
    samples = index[0] if len(index) == 1 else index
    places = f"{samples!r}, columns={held[form.feature]!r}, values={held[form.value]!r}"
    text = f"table = table.pivot(index={places})\n"
    if form.sparse:
        text += (
            f"every = [range({form.first}, int(each.max()) + 1) for each in (table.index, "
            f"table.columns)]\n"
            "table = table.reindex(index=every[0], columns=every[1]).fillna(0).add_prefix('column "
            "')\n"
        )
    return ReadError(
        f"{where}: one value a row, of the sample in {' and '.join(said)} and the feature in "
        f"{quoted(columns[form.feature])}. Save one row per sample (where each row is one, "
        f"columns={value!r}, --features {shlex.quote(value)}, takes its value):\n{loading}\n{text}"
        f"table.to_csv({literal(f'{stem_of(typed)}_wide.csv')}, index=False)"
    )


def separators(numbers: Numbers, options: str = "") -> str:
    """Arguments of pandas' read_csv that name the delimiter and the decimal comma of a table.

    options : further arguments, which may name the decimal mark.
    """
    mark = numbers.delimiter
    said = ""
    if mark == " ":  # any number of spaces separates two columns
        said = r", sep=r'\s+'"
    elif mark != ",":
        said = f", sep={mark!r}"
    if numbers.commas and "decimal" not in options:
        said += ', decimal=","'
    return said


def stem_of(typed: str) -> str:
    """The path of a file without its extension; both extensions are removed from a compressed text
    table, such as .csv.gz.
    """
    path = Path(typed)
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    return str(path.with_suffix(""))


@dataclass
class Layout:
    """Columns of a table, and how its file is written.

    columns : names of the columns, or their numbers from 1. features, labels, categories : indices
        of the features, of the labels, and of the text columns among the features.
    typed, encoding, skipped : path and encoding of the file, and the lines (from 0) that a recipe
        has to skip.
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
    skipped: tuple[int, ...] = ()

    def column(self, index: int) -> str:
        """Text for column ``index``, counted from 1, with its name if there is one."""
        return f"column {index + 1}" + (f" {quoted(self.names[index])}" if self.names else "")

    def not_a_number(self, line: int, fields: list[str], index: int) -> ReadError:
        """Error for a cell in a feature column that holds no number."""
        text = fields[index].strip()
        place = f"{self.where}, line {line}, {self.column(index)}"
        if text and not is_missing(text):
            return TextError(place, text, index)
        what = "empty. Fill the value in, or leave that sample out, and all such samples:"
        if text:
            what = (
                f"{quoted(text)} is not a number but a missing one. Fill it in, or leave such "
                f"samples out:"
            )
        missing = sorted({text, fields[index], *_ALSO_MISSING} - {""})
        return EmptyCellError(f"{place}: {what}\n{self._complete(missing)}", index)

    def refuse_nan(self, error: ReadError) -> ReadError:
        """The error for NaN or infinity, with the lines that leave out every sample with one."""
        infinite = () if isinstance(error, EmptyCellError) else _INFINITE
        lines = self._complete([*_ALSO_MISSING, *infinite])
        return ReadError(f"{str(error).removesuffix('.')}, and all such samples:\n{lines}")

    def category(self, index: int, text: str, rows: TextRows) -> ReadError:
        """Error for a text column with some cells empty, such as a box that was not ticked.

        text : one of the texts.
        """
        self.categories = sorted({*self.categories, index})
        advice = self._without_categories(index, rows)
        place = f"{self.where}, {self.column(index)}"
        return TextColumnError(
            f"{place}: {quoted(text)} is not a number. {advice}", self.columns[index]
        )

    def advised(self, error: TextError, rows: TextRows, begun: bool) -> ReadError:
        """The error for a text among numbers, with advice on what to do.

        rows : rows by which the text is judged; the first holds it. begun : True if rows of values
            come before them.
        """
        text = error.text
        index = error.column
        column = _cells(rows, index)
        if turned := self._turned(text, index, rows[0], column):
            return turned
        if not begun and (form := self._long_form(rows)):
            return self.refuse_long(form)
        if len({*map(len, column)}) == 1 and all(re.fullmatch("0b[01]+", each) for each in column):
            return ReadError(f"{error.place}: {self._split_bits(index, text)}")
        if _sums_up(text):
            values = (place for place, each in enumerate(column) if not _sums_up(each))
            above = 0 if begun else next(values, 0)
            return self.refuse_summary(error.place, above, 0 if above else len(column), text)
        advice = (
            self._plain_numbers(text, rows)
            or self._packed(text)
            or self._in_notation(text, rows, index)
            or self._words_among_numbers(rows, index)
        )
        if not advice:
            words = text.split()
            parts = re.split("[;,]", text)
            if len(parts) > 1 and (len(self.columns) == 1 or all(map(self.numbers.holds, parts))):
                advice = _SEPARATE
            elif self.numbers.commas and Numbers(",").holds(text):
                advice = (
                    "Earlier lines have decimal commas. Write all decimals alike, and no "
                    "thousands apart."
                )
            elif len(words) > 1 and all(map(self.numbers.holds, words)) and not _DATE.match(text):
                advice = "Separate values by commas (or by tabs in .tsv), not by spaces."
            elif index in self.categories:
                advice = self._without_categories(index, rows)
                said = f"{error.place}: {quoted(text)} is not a number. {advice}"
                return TextColumnError(said, self.columns[index])
            else:
                advice = (
                    f"Leave the column out with {drop_text([self.columns[index]])}; named id, "
                    "label, split, path or text in a header line, it is kept as a label of the "
                    "samples."
                )
        return ReadError(f"{error.place}: {quoted(text)} is not a number. {advice}")

    def refuse_blocks(self, place: str) -> ReadError:
        """Error for a line of names below rows of values: wide tables are printed in blocks of
        columns.
        """
        return ReadError(
            f"{place}: more names below the values, as of a table printed in blocks. Put these "
            f"side by side:\n"
            f"import csv\nlines = [line.rstrip(' \\\\\\n').split() for line in "
            f"open({literal(self.typed)})]\n"
            "lines = [line for line in lines if line]\n"
            "digits = [any(word.strip('-.')[:1].isdigit() for word in line) for line in lines]\n"
            "begin = [place for place, known in enumerate(digits) if not known]\n"
            "blocks = [lines[first:last] for first, last in zip(begin, [*begin[1:], None])]\n"
            "blocks = [[row[-len(block[0]):] for row in block] for block in blocks]\n"
            "rows = [sum(parts, []) for parts in zip(*blocks, strict=True)]\n"
            f"csv.writer(open({beside(self.typed, '_whole.csv')}, 'w', newline='')).writerows(rows)"
        )

    def names_again(self, fields: Sequence[str]) -> bool:
        """True for a line of words between rows of values in a table as printed, with spaces
        between the columns.
        """
        spaces = self.numbers.delimiter == " " and self.names is not None
        return spaces and len(fields) > 1 and not any(map(self.numbers.holds, fields))

    def other_table(self, rows: TextRows, narrower: int = 2) -> ReadError | None:
        """The error for a table below lines of another width, with the lines that read the table;
        None if there is none, or if it is no wider than ``narrower`` and without names.
        """
        widths = Counter(map(len, rows))
        width, count = widths.most_common(1)[0]
        if width == len(self.columns) or 2 * count < len(rows):
            return None
        places = [place for place, row in enumerate(rows) if len(row) == width]
        bare = [
            place for place in places[: count // 2] if not any(map(self.numbers.holds, rows[place]))
        ]
        named = bare and places[0] > 1
        if width <= 2 or (width <= narrower and not named):
            return None
        above = places.index(bare[-1]) if bare else 0
        table = rows[places[above] + 1 : places[above] + count - above]
        while above and places[above] - 1 == places[above - 1] in bare:
            above -= 1  # skip rows of units, up to the names
        if {width} != {*map(len, table)}:
            return None
        numeric = [all(map(self.numbers.holds, column)) for column in zip(*table, strict=True)]
        if sum(numeric) < 2:
            return None
        mark = self.numbers.delimiter
        return ReadError(
            f"{self.where}: lines of {len(self.columns)} fields above a table of {width}. Save "
            f"those of the table:\n"
            f"import csv\nlines = open({literal(self.typed)}, encoding={self.encoding!r}, "
            f"newline='')\n"
            f"rows = [row for row in csv.reader(lines, delimiter={mark!r}) if len(row) == "
            f"{width}]\n"
            f"csv.writer(open({beside(self.typed, '_table.csv')}, 'w', newline='')).writerows(rows"
            f"{f'[{above}:]' if above else ''})"
        )

    def _turned(
        self, text: str, index: int, row: Sequence[str], column: Sequence[str]
    ) -> ReadError | None:
        """The error for a table whose rows are features; None for others."""
        numbers = [self.columns[place] for place in self.features if place != index]
        if known := samples_among(numbers, self.columns[index]):
            what = f"each column is a sample ({quoted(known[0])} ...)"
        elif len(column) < len(numbers) and names_features(self.columns[index], column):
            known = one_family(numbers)
            what = f"each row is a feature ({quoted(text)} ...)"
        else:
            return None
        first = next(place for place, each in enumerate(row) if not self.numbers.holds(each))
        held = [name or f"Unnamed: {place}" for place, name in enumerate(self.columns)]
        del held[first]
        loaded = self.loaded(f", index_col={first}")
        return refuse_turned(what, self.typed, others_than(known, held), loaded)

    def _plain_numbers(self, text: str, rows: TextRows) -> str:
        """Recipe for numbers with thousands separators or with signs around them; empty for other
        texts.
        """
        apart = thousands_in(text)
        if not apart and not decorated(text):
            return ""
        # Columns with other texts are left out: signs are part of these texts.
        known = ("".__eq__, decorated, thousands_in, is_missing, self.numbers.holds)
        places = [
            place
            for place in self.features
            if all(any(check(row[place].strip()) for check in known) for row in rows)
        ]
        cells = [row[place].strip() for row in rows[:_FEW_ROWS] for place in places]
        signed = any(decorated(each) and not thousands_in(each) for each in cells)
        if apart and not signed:
            options = f", thousands={apart[0]!r}, decimal={apart[1]!r}, engine='python'"
            said = "Set no thousands apart and write decimals with a point:\n"
            return said + self._rewritten(options)
        every = (undecorated(row[place].strip()) for row in rows for place in places)
        change = UNDECORATED + _ungrouping(map(undecorated, cells), every)
        also = ""
        if "%" in text:
            also = " (5 for 5 %, in both tables)"
        return f"Write numbers alone{also}:\n" + self._rewritten(", dtype=str", change, places)

    def _long_form(self, rows: TextRows) -> LongForm | None:
        """The columns of the table in long form, by its values alone, whatever their names; None
        for other tables.
        """
        width = len(self.columns)
        if not 2 < width <= MOST_COLUMNS:
            return None
        columns: dict[int, np.ndarray[Any, Any]] = {}
        for place in range(width):
            texts = _cells(rows, place)
            found = [self.numbers.number(_ungrouped(text)) for text in texts]
            columns[place] = np.array(texts if None in found else found)
        return long_form(columns, dict(enumerate(self.columns)))

    def _in_notation(self, text: str, rows: TextRows, index: int) -> str:
        """Recipe for numbers in another notation; empty if the column holds other texts."""
        noted = notation_of(text)
        column = _cells(rows, index)
        others = [each for each in column if not self.numbers.holds(each)]
        if is_complex(text) and all(map(is_complex, others)):
            return (
                "Complex numbers have two parts; save both:\nimport numpy as np, pandas as pd\n"
                f"table = {self.loaded(', dtype=str')}\n"
                f"rows = table[table.columns{self._span}].to_numpy()\n"
                "values = np.array([[complex(each.replace('i', 'j')) for each in row] for row in "
                "rows])\n"
                f"np.save({literal(f'{self._stem}_parts.npy')}, np.hstack([values.real, "
                f"values.imag]))"
            )
        out = drop_text([self.columns[index]])
        if all(map(_PERIOD.fullmatch, others)):
            return f"These are dates: leave the column out with {out}."
        if noted is None or any(notation_of(each) is not noted for each in others):
            return ""
        if noted is FRACTIONS and (said := self._two_numbers(others, index)):
            return said
        of_a_day = _OF_A_DAY.fullmatch(plain_name(self.columns[index]))
        if are_times_of_a_log(sorted(column) if of_a_day else column):
            return f"These are times in the order of the rows: leave the column out with {out}."
        change = noted.change
        if noted is UNITS:
            different = len({*map(unit_of, column)})
            # A column with many units holds serial numbers, such as 22GQ071.
            if different > max(_MOST_UNITS, len(column) / 2):
                return f"Leave the column out with {out}."
            texts = [[row[place] for row in rows] for place in self.features]
            change = without_units(texts)
            if not change:
                units = {*map(unit_of, chain.from_iterable(texts))} - {""}
                return (
                    f"Write all numbers of a column in one unit, without it; units here are "
                    f"{listed(sorted(units))}."
                )
        lines = self._rewritten(", dtype=str", change)
        return f"These are {noted.what}. Write plain numbers:\n{lines}"

    def _two_numbers(self, texts: Sequence[str], index: int) -> str:
        """Recipe for two numbers in a cell, with a slash between; empty for fractions."""
        if is_bookkeeping(self.columns[index]):
            return f"Leave the column out with {drop_text([self.columns[index]])}."
        parts = zip(*(each.split("/") for each in texts), strict=True)
        if min(len({*each}) for each in parts) <= _MOST_FRACTIONS:
            return ""
        return (
            "These are two numbers each. Make a column of either:\nimport pandas as pd\n"
            f"table = {self.loaded(', dtype=str')}\nname = table.columns[{index}]\n"
            "table[[f'{name} 1', f'{name} 2']] = table.pop(name).str.split('/', expand=True)\n"
            f"table.to_csv({self.saved('columns')})"
        )

    def _words_among_numbers(self, rows: TextRows, index: int) -> str:
        """Advice to leave out samples with a word in place of a number; "" if the column is not
        mostly numbers.
        """
        column = _cells(rows, index)
        numbers = list(map(self.numbers.holds, column))
        words = {text for text, number in zip(column, numbers, strict=True) if text and not number}
        # The words are numbers with decimal points, while others have decimal commas.
        if any(map(Numbers(",").holds, words)):
            return ""
        if 2 * sum(numbers) <= len(column) or len(words) > _FEW_CATEGORIES:
            return ""
        as_written = {row[index] for row in rows if row[index].strip() in words}
        lines = self._complete(sorted({*words, *as_written, *_ALSO_MISSING}))
        return (
            f"Most of its column are numbers; where such words mean a missing one, leave these "
            f"samples out:\n{lines}"
        )

    def _complete(self, words: Sequence[str]) -> str:
        """Recipe that leaves out every sample with one of these words in place of a number."""
        # Text columns keep their decimal commas, so that numbers must be written with commas too.
        as_it_was = ""
        if self.numbers.commas:
            as_it_was = f", sep={self.numbers.delimiter!r}, decimal=','"
        return (
            f"import pandas as pd\ntable = {self.loaded(f', na_values={list(words)}')}\n"
            f"table.dropna(subset=table.columns{self._span}).to_csv("
            f"{self.saved('complete')}{as_it_was})"
        )

    def _without_categories(self, index: int, rows: TextRows) -> str:
        """The advice to leave out text columns or, if they have few categories, to number the
        categories.
        """
        if len(self.columns) == 1:
            return _SEPARATE
        most = min(_MOST_CATEGORIES, max(_FEW_CATEGORIES, len(rows) / 2))
        words = []
        free = []
        for place in self.categories:
            texts = _cells(rows, place)
            known = [text for text in texts if text and not is_missing(text)]
            if known and not is_written(known[0]):
                words.append(place)
                few = 1 < len(set(texts)) <= most
                if not few or _DATE.match(known[0]) or is_bookkeeping(self.columns[place]):
                    free.append(place)
        column = _cells(rows, index)
        says_which = ""
        if 1 < len(set(column)) <= _FEW_CATEGORIES:
            says_which = f", or, {sets_text(self.columns[index])}"
        two_sets = find_row_roles({"": np.array(column)}) is not None
        alone = len(words) == len(self.features) and not two_sets
        if alone and (free or not self.names):
            return (
                "No column holds numbers: save one row per sample and one column of numbers "
                "per feature."
            )
        if two_sets or not self.names or index in free:
            out = [index] if two_sets or index not in free else free
            which = "the column" if len(out) == 1 else "columns of texts"
            return (
                f"Leave {which} out with "
                f"{drop_text([self.columns[place] for place in out])}{says_which}."
            )
        names = [self.columns[each] for each in words if each not in free]
        advice = f"Leave the column out with {drop_text([self.columns[index]])}{says_which}"
        if alone:
            advice = "No column holds numbers: save features as numbers"
        if len("".join(names)) > _LONGEST_RECIPE or not "".join(names).isprintable():
            return (
                f"{advice}, or make numbers of its categories, for both tables at once "
                f"(pandas.get_dummies)."
            )
        path = Path(self.typed)
        return (
            f"{advice}, or make numbers of its categories, for both tables at once:\nimport "
            f"pandas as pd, pathlib\n"
            f"tables = {{name: pd.read_csv(name{self._written('')}) for name in "
            f"pathlib.Path({literal(str(path.parent))}).glob('*{path.suffix}')}}\n"
            "alike = {name: each for name, each in tables.items() "
            f"if set(each) == set(tables[pathlib.Path({literal(self.typed)})])}}\n"
            f"both = pd.get_dummies(pd.concat(alike), columns=[{', '.join(map(repr, names))}], "
            f"dtype=int)\n"
            "for name in alike: both.loc[name].to_csv(name.with_name(f'{name.stem}_numbers.csv'), "
            "index=False)"
        )

    def _packed(self, text: str) -> str:
        """Recipe for vectors in a cell, written in hexadecimal digits, base64 or a JSON object."""
        if len(self.features) > 1 or not self.names:
            return ""
        held = f"{self.loaded('')}[{literal(self.columns[self.features[0]])}]"
        if text.startswith("{") and ":" in text:
            return (
                "Save its numbers as columns:\nimport json, pandas as pd\n"
                "pd.DataFrame([json.loads(each) for each in "
                f"{held}]).to_csv({self.saved('columns')})"
            )
        if _HEX.fullmatch(text):
            module = "numpy as np"
            bytes_of = "bytes.fromhex(each)"
        elif _BASE64.fullmatch(text):
            module = "base64, numpy as np"
            bytes_of = "base64.b64decode(each)"
        else:
            return ""
        return (
            f"If its bytes are numbers of float32:\nimport {module}, pandas as pd\n"
            f"rows = [np.frombuffer({bytes_of}, 'float32') for each in {held}]\n"
            f"np.save({literal(self._stem + '.npy')}, np.stack(rows))"
        )

    def refuse_thousands(self, mark: str, proven: bool) -> ReadError:
        """Error for a table of whole numbers with a mark that separates thousands, or may do so."""
        what = "may set thousands apart, three digits stand behind each"
        if proven:
            what = "sets thousands apart"
        other = "." if mark == "," else ","
        loaded = self.loaded(f", thousands={mark!r}, decimal={other!r}")
        decimals = "  # if it stands before decimals, leave out thousands and decimal"
        if proven:
            decimals = ""
        return ReadError(
            f"{self.where}: {quoted(mark)} {what}. Write numbers without:\nimport pandas as pd\n"
            f"table = {loaded}{decimals}\ntable.to_csv({self.saved('plain')})"
        )

    def check_wide(self, rows: TextRows) -> None:
        """Raise ReadError for a table in long form by the names of its three columns.

        rows : first rows, which share a sample or a feature.
        """
        plain = list(map(plain_name, self.names or ()))
        value = next((place for place, name in enumerate(plain) if name in _VALUE), None)
        feature = next((place for place, name in enumerate(plain) if name in _VARIABLE), None)
        if value is None or feature is None or len(plain) != 3:
            return
        sample = 3 - value - feature
        if any(len({row[place] for row in rows}) < len(rows) for place in (sample, feature)):
            sparse = plain[feature] in ("col", "j")
            raise self.refuse_long(LongForm((sample,), feature, value, sparse=sparse))

    def refuse_long(self, form: LongForm) -> ReadError:
        """Error for a table in long form, with the lines that make one row per sample."""
        held: list[str | int] = [*self.columns] if self.names else [*range(len(self.columns))]
        return refuse_long(
            self.where,
            form,
            self.columns,
            held,
            f"import pandas as pd\ntable = {self.loaded('')}",
            self.typed,
        )

    def refuse_summary(self, place: str, first: int, last: int, text: str = "") -> ReadError:
        """Error for the first or last rows of a table, which are summaries of the others."""
        count = first or last
        row = text or (
            "this row"
            if count == 1
            else f"this row, {count} from the {'end' if last else 'start'},"
        )
        which, left = ("below", f"{first}:") if first else ("above", f":-{last}")
        return ReadError(
            f"{place}: {row} sums up the rows {which} and is no sample. Leave such rows "
            f"out:\nimport pandas as pd\n"
            f"{self.loaded('')}.iloc[{left}].to_csv({self.saved('samples')})"
        )

    def check_summaries(self, texts: Sequence[str], index: int, known: Sequence[str] = ()) -> None:
        """Raise ReadError for rows whose label says that they are summaries, if they are few and at
        an end of the table.

        texts : texts of the label column ``index``. known : texts that mark a summary, besides
            words such as Total.
        """
        if not any(each in known or _sums_up(each) for each in (*texts[:1], *texts[-1:])):
            return
        named = [each for each in texts if each in known or _sums_up(each)]
        if len(named) > _SUMMARIES * len(texts):
            return
        sums = {*named}
        repeated = len({*texts} - sums) < (len(texts) - len(named)) / 2
        # These may be categories, such as std and pro, or a person called Max.
        if (repeated and len(named) > 2) or sums == {"Max"}:
            return
        written = f"delimiter={self.numbers.delimiter!r}"
        opened = f"newline='', encoding={self.encoding!r}"
        said = "the row without a name"
        if named[-1]:
            said = quoted(named[-1])
        raise ReadError(
            f"{self.where}, {self.column(index)}: {said} sums up other rows and is no "
            "sample. Leave such rows out:\nimport csv\n"
            f"sums = {sorted(sums)}\n"
            f"rows = csv.reader(open({literal(self.typed)}, {opened}), {written}, "
            f"skipinitialspace=True)\nrows = [row for row in rows if "
            f"not any(text.strip() in sums for text in row[{index}:{index + 1}])]\n"
            f"csv.writer(open({literal(f'{self._stem}_samples.csv')}, 'w', {opened}), {written})"
            ".writerows(rows)"
        )

    def check_bits(self, rows: TextRows) -> None:
        """Raise ReadError for a column of equally long strings of 0 and 1: each would be read as
        one number.

        rows : the features of the first samples, as texts.
        """
        for place, texts in zip(self.features, zip(*rows, strict=True), strict=True):
            cells = [text.strip() for text in texts]
            alike = len({*map(len, cells)}) == 1 < len(cells[0]) and {*"".join(cells)} == {"0", "1"}
            alike &= len(cells[0]) > 2 or len({*cells}) > 2  # 01 and 10 may be months
            if alike and any(cell[0] == "0" for cell in cells):
                raise ReadError(
                    f"{self.where}, {self.column(place)}: {self._split_bits(place, cells[0])}"
                )

    def _split_bits(self, place: int, text: str) -> str:
        """Recipe that makes a column of each bit; text : the first string of bits."""
        name = self.columns[place]
        held = literal(name) if self.names else str(place)
        bits = "each.strip()"
        if text[:2] == "0b":
            bits = "each.strip()[2:]"
        return (
            f"{quoted(text)} is a row of bits, not one number. Make a column of each:\nimport "
            f"pandas as pd\n"
            f"table = {self.loaded(f', dtype={{{held}: str}}')}\n"
            f"bits = pd.DataFrame([list({bits}) for each in "
            f"table.pop({held})]).add_prefix({f'{name}_'!r})\n"
            f"table.rename(columns=str).join(bits).to_csv({literal(self._stem + '_bits.csv')}, "
            f"index=False)"
        )

    @property
    def _stem(self) -> str:
        return stem_of(self.typed)

    @property
    def _span(self) -> str:
        """Indices of the features among the columns, as Python code."""
        return _span_of(self.features)

    def loaded(self, options: str) -> str:
        """The pandas call that reads the file."""
        return f"pd.read_csv({literal(self.typed)}{self._written(options)})"

    def _written(self, options: str) -> str:
        """Arguments of the pandas call that reads the file: encoding, delimiter, skipped lines,
        ``options``.
        """
        said = separators(self.numbers, options)
        if self.encoding != "utf-8":
            said += f", encoding={self.encoding!r}"
        if not self.names:
            said += ", header=None"
        if not self.numbers.in_quotes:
            said += ", quoting=3"
        if self.skipped:
            said += f", skiprows={list(self.skipped)}"
        return said + options

    def saved(self, word: str) -> str:
        """Arguments of to_csv that save a data frame beside the file."""
        return (
            f"{literal(f'{self._stem}_{word}.csv')}, "
            f"index=False{'' if self.names else ', header=False'}"
        )

    def _rewritten(self, options: str, change: str = "", places: Sequence[int] = ()) -> str:
        """Recipe that saves the table with plain numbers.

        change : pandas code for a text column. places : indices of such columns, by default of all
            features.
        """
        modules = "pandas as pd"
        if "(re." in change or " re." in change:
            modules = "re, pandas as pd"
        lines = f"import {modules}\ntable = {self.loaded(options)}\n"
        if change:
            lines += f"names = table.columns{_span_of(places or self.features)}\n"
            lines += f"table[names] = table[names].apply(lambda column: column{change})\n"
        return f"{lines}table.to_csv({self.saved('plain')})"


def _cells(rows: TextRows, place: int) -> list[str]:
    """The cells of one column, without spaces around them."""
    return [row[place].strip() for row in rows]


def _ungrouping(some: Iterable[str], every: Iterable[str]) -> str:
    """The expression that removes thousands separators; "" if there are none, or the numbers
    disagree.

    The number of ``some`` with most marks shows which one separates thousands; a single point may
    also be a decimal one.
    """
    longest = max(filter(thousands_in, some), key=_marks, default="")
    marks = thousands_in(longest)
    if marks is None or (marks[0] == "." and _marks(longest) == 1):
        return ""
    if any(thousands_in(each) != marks for each in every if marks[0] in each):
        return ""
    decimal = ""
    if marks[1] == ",":
        decimal = ".str.replace(',', '.', regex=False)"
    return f".str.replace({marks[0]!r}, '', regex=False){decimal}"


def _marks(text: str) -> int:
    """Number of marks between digits."""
    return len(re.findall(r"\d\D", text))


def _ungrouped(text: str) -> str:
    """A number without thousands separators; any other text unchanged."""
    marks = thousands_in(text)
    if marks:
        return text.replace(marks[0], "").replace(marks[1], ".")
    return text


def _span_of(places: Sequence[int]) -> str:
    first = places[0]
    last = places[-1]
    if last - first + 1 == len(places):
        return f"[{first}:{last + 1}]"
    return f"[{list(places)}]"


def is_written(text: str) -> bool:
    """True for a number in any notation, and a word for a missing number."""
    known = (decorated, notation_of, is_complex, is_missing, thousands_in, Numbers(",").holds)
    return any(each(text) for each in known)
