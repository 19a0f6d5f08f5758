"""What is said of a table of text that is refused: the lines of Python that put it right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from prviz.readers.columns import drop_text, plain_name, sets_text
from prviz.readers.conversion import BRACKETS, PRINTED_CUT
from prviz.readers.errors import EmptyCellError, ReadError, beside, literal, quoted
from prviz.readers.row_roles import find_row_roles
from prviz.readers.source import PACKED
from prviz.readers.suspects import are_samples, refuse_turned
from prviz.readers.text_dialect import UNDECORATED, Numbers, decorated, is_missing, thousands_in

# Most characters of the names of columns in a recipe.
_LONGEST_RECIPE = 200
# Most different texts that are categories, in whatever many rows and in few.
_MOST_CATEGORIES, _FEW_CATEGORIES = 50, 20
# First words of rows that sum up the others.
_SUMMARY = re.compile(
    r"(grand |sub)?totals?|sums?|means?|averages?|avg|medians?|std|sd|stdev|standard deviation|min(imum)?|max(imum)?"
    r"|count|variance|summe|gesamt|mittelwert",
    re.IGNORECASE,
)
# What stands for missing numbers beside what pandas knows.
_ALSO_MISSING = ("-", "?", ".", "#DIV/0!", "#VALUE!")
# Names of the columns of tables with one value a row.
_VALUE = ("value", "values", "val")
_VARIABLE = ("variable", "feature", "column", "col", "j", "metric", "gene", "probe")
_HEX, _BASE64 = (
    re.compile(r"([0-9a-fA-F]{8}){4,}"),
    re.compile(r"(?=.{20})([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?"),
)


class TextError(ReadError):
    """Raised for a text in a column of numbers; ``column`` is the place of its column, ``place`` says where it is."""

    def __init__(self, place: str, text: str, column: int) -> None:
        super().__init__(f"{place}: {quoted(text)} is not a number.")
        self.place, self.text, self.column = place, text, column


def bracketed(where: str, typed: str, cut: bool) -> ReadError:
    """Error for rows of numbers in brackets, as Python and NumPy print them."""
    if cut:
        return ReadError(f"{where}: {PRINTED_CUT}.")
    lines = BRACKETS.format(file=literal(typed), npy=beside(typed, ".npy"))
    return ReadError(f"{where}: rows of numbers in brackets. Save them as an array:\n{lines}")


def refuse_comma_pairs(where: str, typed: str, names: int) -> ReadError:
    """Error for decimal commas between commas."""
    return ReadError(
        f"{where}: {2 * names} fields under {names} names; its decimal commas can't be told from those between the "
        "fields. Divide fields by semicolons, or, if every number has decimals, write points:\nimport csv\n"
        f"names, *rows = csv.reader(open({literal(typed)}))\n"
        "rows = [map('.'.join, zip(row[::2], row[1::2])) for row in rows]\n"
        f"csv.writer(open({beside(typed, '_points.csv')}, 'w', newline='')).writerows([names, *rows])"
    )


@dataclass
class Layout:
    """Columns of a table, and how its file is written.

    columns : the names, or numbers from 1 in place of them. categories : columns of texts among the features.
    typed, encoding : how to read the file, for recipes.
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

    def column(self, index: int) -> str:
        """Text for column ``index``, counted from 1, with its name if there is one."""
        return f"column {index + 1}" + (f" {quoted(self.names[index])}" if self.names else "")

    def not_a_number(self, line: int, fields: list[str], index: int) -> ReadError:
        """Error for the cell of a column of features that holds no number."""
        text = fields[index].strip()
        place = f"{self.where}, line {line}, {self.column(index)}"
        if not text or is_missing(text):
            what = "empty. Fill the value in, or leave that sample out, and all such samples:"
            if text:
                what = f"{quoted(text)} is not a number but a missing one. Fill it in, or leave such samples out:"
            missing = sorted({text, *_ALSO_MISSING} - {""})
            lines = (
                f"import pandas as pd\ntable = {self._loaded(f', na_values={missing}')}\n"
                f"table.dropna(subset=table.columns{self._span}).to_csv({self._saved('complete')})"
            )
            return EmptyCellError(f"{place}: {what}\n{lines}", index)
        return TextError(place, text, index)

    def advised(self, error: TextError, column: Sequence[str]) -> ReadError:
        """The error with what to do about it; column : texts of its column, of as many rows as are judged."""
        text, index = error.text, error.column
        numbers = [self.columns[place] for place in self.features if place != index]
        if index == 0 and are_samples(numbers):
            return refuse_turned(f"each column is a sample ({quoted(numbers[0])} ...)", self.typed)
        if _SUMMARY.fullmatch(text):
            return self.refuse_summary(error.place, text, len(column))
        if apart := thousands_in(text):
            options = f", thousands={apart[0]!r}, decimal={apart[1]!r}, engine='python'"
            advice = "Set no thousands apart and write decimals with a point:\n" + self._rewritten(options, "plain")
        elif decorated(text):
            advice = "Write numbers alone:\n" + self._rewritten(", dtype=str", "plain", UNDECORATED)
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
        if 1 < distinct <= _FEW_CATEGORIES:
            advice += f", or, {sets_text(self.columns[index])}"
        two_sets = find_row_roles({"": np.array(column)}) is not None
        many = distinct > min(_MOST_CATEGORIES, max(_FEW_CATEGORIES, len(column) / 2))
        if two_sets or many or not self.names:
            return f"{advice}."
        if len("".join(names)) > _LONGEST_RECIPE or not "".join(names).isprintable():
            return f"{advice}, or make numbers of its categories, for both tables at once (pandas.get_dummies)."
        lines = _encoded(names, self.numbers, self.typed)
        return f"{advice}, or make numbers of its categories, for both tables at once:\n{lines}"

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

    def refuse_thousands(self, mark: str, proven: bool) -> ReadError:
        """Error for a table of whole numbers whose thousands a mark sets apart, or may do."""
        what = "sets thousands apart" if proven else "may set thousands apart, three digits stand behind each"
        other = "." if mark == "," else ","
        loaded = self._loaded(f", thousands={mark!r}, decimal={other!r}")
        decimals = "" if proven else "  # if it stands before decimals, leave out thousands and decimal"
        return ReadError(
            f"{self.where}: {quoted(mark)} {what}. Write numbers without:\nimport pandas as pd\n"
            f"table = {loaded}{decimals}\ntable.to_csv({self._saved('plain')})"
        )

    def check_wide(self, rows: Sequence[Sequence[str]]) -> None:
        """Raise ReadError for a table with one value a row, beside the names of its sample and its feature.

        rows : the first ones, in which the sample or the feature is the same.
        """
        plain = [plain_name(name) for name in self.names or ()]
        value = next((place for place, name in enumerate(plain) if name in _VALUE), None)
        feature = next((place for place, name in enumerate(plain) if name in _VARIABLE), None)
        if value is None or feature is None or len(plain) != 3:
            return
        sample = 3 - value - feature
        if all(len({row[place] for row in rows}) == len(rows) for place in (sample, feature)):
            return
        names = {"index": sample, "columns": feature, "values": value}
        pivot = ", ".join(f"{option}={self.columns[place]!r}" for option, place in names.items())
        zeros = ".fillna(0)" if plain[feature] in ("col", "j") else ""
        raise ReadError(
            f"{self.where}: one value a row, of the sample in {quoted(self.columns[sample])} and the feature in "
            f"{quoted(self.columns[feature])}. Save one row per sample:\nimport pandas as pd\n"
            f"table = {self._loaded('')}.pivot({pivot}){zeros}\ntable.to_csv({self._saved('wide')})"
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
            lines += [f"table[names] = table[names].apply(lambda column: column{change})"]
        return "\n".join([*lines, f"table.to_csv({self._saved(word)})"])


def _encoded(columns: Sequence[str], numbers: Numbers, typed: str) -> str:
    """Lines of Python that make 0 and 1 of categories, in all tables beside this one with the same columns."""
    written = "" if numbers.delimiter == "," else f", sep={numbers.delimiter!r}"
    written += ', decimal=","' if numbers.commas else ""
    path = Path(typed)
    folder = literal(str(path.parent))
    return (
        "import pandas as pd, pathlib\n"
        f"tables = {{name: pd.read_csv(name{written}) for name in pathlib.Path({folder}).glob('*{path.suffix}')}}\n"
        "alike = {name: each for name, each in tables.items() "
        f"if set(each) == set(tables[pathlib.Path({literal(typed)})])}}\n"
        f"both = pd.get_dummies(pd.concat(alike), columns=[{', '.join(map(repr, columns))}], dtype=int)\n"
        "for name in alike: both.loc[name].to_csv(name.with_name(f'{name.stem}_numbers.csv'), index=False)"
    )
