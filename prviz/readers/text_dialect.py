"""How a text table is written: its encoding, its delimiter, and what number each cell holds."""

from __future__ import annotations

import codecs
import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import BinaryIO

import numpy as np

from prviz.arrays import Array
from prviz.readers.errors import ReadError
from prviz.readers.notations import CODED

# Cells of a table as texts, row by row.
TextRows = Sequence[Sequence[str]]

# First bytes of a text -> its encoding. If two fit, the longer one counts.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Most bytes of a text that are held in memory while it is converted to UTF-8.
_IN_MEMORY = 1 << 26
# Bytes converted to UTF-8 at a time.
_PIECE = 1 << 20
# Number of bytes at the start of a file by which its delimiter is found.
_HEAD = 1 << 20
# Most lines above a table.
_MOST_ABOVE = 16
# Fewest lines with equally many delimiters that make a table.
_OF_A_TABLE = 4
# Number of first lines by which the delimiter is found.
_HEADS = 8
# Fewest rows of a table among the first lines by which its delimiter is found.
_ROWS = 3
_QUOTED = re.compile(r'"[^"]*"')
# A line of word vectors in which the word is a delimiter, such as a comma.
_WORD = re.compile(r'^[;,|"] (?!.*[;,|])')
SEPARATOR = re.compile(r"sep=(.)\s*")
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")
# A number with thousands separators, as written in any country.
_APART = re.compile(
    r"[+-]?(?!0)\d{1,3}([ .,'\u00a0\u2019\u202f])\d{2,3}(?:\1\d{2,3})*(?<=\d{3})(?:(?!\1)[.,]\d*)?"
)
# Mark -> pattern of a number such as 1.234: with the mark between thousands, or with three
# decimals.
_GROUPED = {mark: re.compile(rf"[1-9]\d{{0,2}}{re.escape(mark)}\d{{3}}") for mark in ".,"}
# Fewest numbers with three decimals of which some must end in 0, unless the file omits such zeros.
_SOME = 50
# Number of values that are checked at a time.
_AT_ONCE = 1 << 14
# Arguments of str.maketrans: signs to replace, their replacements, and signs around numbers to
# remove.
_AROUND = ("\u2212Dd", "-ee", "%$\u20ac\u00a3\u00a5'\"=_")
# Pattern of negative numbers as accountants write them, (1.5) and 1.5-, and its replacement.
_NEGATIVE = (r"^(?:[^\W\d_]{1,3}\b|[^\w(])*\((.*)\)$|^(.*\d)-$|^[-\u2212] +(\d.*)$", r"-\1\2\3")
# Marks of footnotes and significance behind a number.
_BEHIND = "*\u2020\u2021 "
# An underscore that separates no thousands, as in keys such as 000012_0.
_NO_GROUPS = re.compile(r"_(?!\d{3}(?!\d))|(?<!\d)_")
# The pandas code that removes from a text column all signs that `undecorated` removes from a text.
UNDECORATED = (
    f".str.rstrip({_BEHIND!r}).str.replace(*{_NEGATIVE!r}, "
    f"regex=True).str.translate(str.maketrans{_AROUND!r})"
)
# The word in a comment in front of the column names.
_FIELDS = re.compile(r"fields:?", re.IGNORECASE)
# Words and marks for a missing number.
_MISSING = re.compile(
    r"#?n/?a\.?|n\.a\.?|<na>|#?null!?|none|nil|missing|unknown|-+|\?+|\.|#(div/0|value|ref|num"
    r"|name)[!?]?",
    re.I,
)
# Truth value in lower case, as spreadsheets write it in many languages -> its number.
_TRUTH = {
    **dict.fromkeys(("true", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar"), 1.0),
    **dict.fromkeys(("prawda", "sant", "истина"), 1.0),
    **dict.fromkeys(("false", "falsch", "faux", "falso", "onwaar"), 0.0),
    **dict.fromkeys(("fałsz", "falskt", "ложь"), 0.0),
}
# Delimiters between the numbers of a list in one cell.
_BETWEEN = re.compile(r"\s*[,;|]\s*|\s+")
# Brackets of a list as PostgreSQL, R and tuples write it.
_BRACKETS = re.compile(r"(?:c\(|\(|\{)([^(){}\[\]]*)[)}]")
# A number in a list as NumPy prints it, such as np.float32(0.1).
_WRAPPED = re.compile(r"(?:np\.|numpy\.)?(?:float|int|uint)\d+\(([^()]*)\)")
# The type in front of the brackets of a list, as Julia writes it.
_JULIA = re.compile(r"^(?:Float|U?Int)\d+(?=\[)")
_ONE = ("[", "np.", "numpy.", "tensor(", "array(")
_ARRAY = re.compile(
    r"(?:np\.|numpy\.)?(?:array|tensor)\((.*?)(?:,\s*(?:dtype|device)=[^()]*)?\)", re.DOTALL
)


def encoding_of(head: bytes) -> str:
    """The encoding of a text that begins with these bytes: UTF-8 unless a byte order mark, or a
    zero in every second byte, shows UTF-16.
    """
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    if len(head) >= 4:
        for name, first, second in (
            ("utf-16-le", head[::2], head[1::2]),
            ("utf-16-be", head[1::2], head[::2]),
        ):
            if 0 not in first and 4 * second.count(0) > len(head):
                return name
    return "utf-8"


def as_utf8(stream: BinaryIO, encoding: str, where: str) -> BinaryIO:
    """The text as UTF-8 with line feeds, in memory up to 64 MiB, else in a temporary file. Raises
    ReadError for a truncated text.
    """
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    copy = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
    stream.seek(0)
    try:
        while piece := stream.read(_PIECE):
            copy.write(decoder.decode(piece).encode())
        copy.write(decoder.decode(b"", final=True).encode())
    except UnicodeError as error:
        copy.close()
        raise ReadError(
            f"{where}: not {encoding.upper()} text to its end. Write it again, as UTF-8."
        ) from error
    copy.seek(0)
    return copy  # type: ignore[return-value]


def delimiter_of(stream: BinaryIO, extension: str) -> str:
    """The delimiter: given by a first line for Excel (sep=;), else the one that splits the first
    lines into equally many fields.
    """
    lines = stream.read(_HEAD).decode("utf-8-sig", errors="replace").splitlines()
    stream.seek(0)
    del lines[: _lines_above(lines[: _MOST_ABOVE + _OF_A_TABLE])]
    while (
        len(lines) > 1
        and not _divided(lines[0])
        and (not lines[0].strip() or any(map(_divided, lines[1:3])))
    ):
        del lines[0]  # drop a title and the blank line below it
    comments = sum(1 for _ in takewhile(lambda line: line.startswith("#"), lines))
    # The last of many comments may name the columns.
    begun = comments - 1 if comments > _HEADS - _ROWS else 0
    lines = [_WORD.sub("word ", line) for line in lines[begun : begun + _HEADS]]
    first = lines[0] if lines else ""
    if said := SEPARATOR.fullmatch(first):
        return said[1]
    if extension == ".tsv":
        return "\t"
    if "\t" in first and not {";", ","} & set(_QUOTED.sub("", first)):
        return "\t"
    heads = [
        _QUOTED.sub('""', line) for line in lines if line.strip() and not line.startswith("#")
    ][:3]
    for mark in (";", "\t"):
        counts = {line.count(mark) for line in heads}
        if len(heads) > 1 and len(counts) == 1 and 0 not in counts:
            return mark
    if _in_names_alone(heads):
        return ","
    unquoted = _QUOTED.sub('""', first)
    first = unquoted if _divided(unquoted) else first
    for mark in (";", ",", "\t", "|"):
        if mark in first and not (mark == "," and _divided_by_spaces(heads)):
            return mark
    return " " if _divided_by_spaces(heads) else ","


def quotes_names_alone(stream: BinaryIO, delimiter: str) -> bool:
    """True for a first line of several quoted cells above unquoted numbers."""
    rows = []
    for _ in range(4):
        line = stream.readline(_HEAD).decode("utf-8-sig", errors="replace")
        if line.strip():
            cells = map(str.strip, line.split(delimiter))
            rows.append([cell[:1] == cell[-1:] == '"' and len(cell) > 1 for cell in cells])
    stream.seek(0)
    if len(rows) < 2 or len(set(map(len, rows))) > 1 or len(rows[0]) < 2:
        return False
    return all(rows[0]) and not any(row[-1] for row in rows[1:])


def stands_alone(line: bytes, mark: bytes) -> bool:
    """True for a line of numbers with one quotation mark as a field of its own, as in word
    vectors.
    """
    fields = [field.strip() for field in line.split(mark)]
    if line.count(b'"') != 1 or b'"' not in fields[:-1]:
        return False
    fields.remove(b'"')
    try:
        return all(float(field) < np.inf for field in fields)
    except ValueError:
        return False


def _lines_above(lines: list[str]) -> int:
    """Number of lines above a table, for example on the instrument; 0 if the first line has a
    delimiter.
    """
    plain = [_QUOTED.sub("", line) for line in lines]
    if not plain or _divided(plain[0]):
        return 0
    for above in range(1, len(plain) - _OF_A_TABLE + 1):
        table = plain[above : above + _OF_A_TABLE]
        for mark in ";,\t|":
            counts = {line.count(mark) for line in table}
            if len(counts) == 1 and 0 not in counts:
                return above
    return 0


def _in_names_alone(lines: list[str]) -> bool:
    """True if only the first line has semicolons, and all lines have equally many commas."""
    commas = {line.count(",") for line in lines}
    if len(lines) < 3 or len(commas) > 1 or 0 in commas or ";" not in lines[0]:
        return False
    return not any(";" in line for line in lines[1:])


def _divided(line: str) -> bool:
    """True for a line with a delimiter between fields."""
    return any(mark in _QUOTED.sub("", line) for mark in ";,\t|")


def _divided_by_spaces(lines: list[str]) -> bool:
    """True for lines of equally many words and no other delimiter. The first line may have one word
    less, if R names the rows.
    """
    counts = [len(line.split()) for line in lines]
    decimals = all(
        _COMMA.fullmatch(word) or word.isdecimal() for line in lines[1:] for word in line.split()
    )
    marks = ";\t[" if decimals else ";,\t["
    if len(counts) < 2 or any(mark in line for line in lines for mark in marks) or counts[-1] < 2:
        return False
    return len(set(counts[1:])) == 1 and counts[0] in (counts[1], counts[1] - 1)


class Numbers:
    """Reads the numbers in cells.

    commas : True once a decimal comma was met; a point is no decimal point then. quoted_names :
        True if only the cells of the first line, the names, are quoted. in_quotes : False if
        quotation marks are texts.
    """

    def __init__(self, delimiter: str, *, quoted_names: bool = False) -> None:
        self.delimiter = delimiter
        self.commas = False
        self.quoted_names = quoted_names
        self.in_quotes = True

    def number(self, text: str) -> float | None:
        """The number in a cell (True and False count as numbers); None for anything else."""
        if (truth := _TRUTH.get(text.strip().lower())) is not None:
            return truth
        if text.lstrip().startswith(_ONE) and len(one := listed_numbers(text) or []) == 1:
            # The text is a list, tensor or array of one number.
            return one[0]
        decimals = self.commas or self.delimiter == ";"
        if self.delimiter == "," and CODED.fullmatch(text.strip()):
            return None
        if _COMMA.fullmatch(text) and (decimals or not _THOUSANDS.fullmatch(text)):
            self.commas = True
            text = text.replace(",", ".")
        elif self.commas and "." in text:
            return None
        try:
            # float() takes 1_000, which is no number in a table, but not the Unicode minus sign.
            if "_" in text:
                return None
            return float(text.replace("\u2212", "-"))
        except ValueError:
            return None

    def holds(self, text: str) -> bool:
        """True if a cell holds a number."""
        return self.number(text) is not None

    def values(self, texts: Iterable[str]) -> Array:
        """The numbers in cells; NaN for other cells."""
        return np.array(list(map(self.number, texts)), dtype=float)


def is_missing(text: str) -> bool:
    """True for a word that stands for a missing number, such as NA or a dash."""
    return _MISSING.fullmatch(text.strip()) is not None


def thousands_in(text: str) -> tuple[str, str] | None:
    """The marks between thousands and before decimals in a number such as ``1,234.5`` or
    ``1.234,5``; None for others.
    """
    apart = _APART.fullmatch(text.strip())
    if apart is None:
        return None
    return apart[1], "," if apart[1] == "." or (apart[1] != "," and "," in text) else "."


def decorated(text: str) -> bool:
    """True for a number with a currency sign, a percent sign, brackets or quotes around it."""
    if _NO_GROUPS.search(text):
        return False
    plain = undecorated(text)
    if plain == text or thousands_in(plain) or _COMMA.fullmatch(plain):
        return plain != text
    try:
        float(plain)
    except ValueError:
        return False
    return True


def undecorated(text: str) -> str:
    """The text of a number without the signs around it."""
    return re.sub(*_NEGATIVE, text.rstrip(_BEHIND)).translate(str.maketrans(*_AROUND)).strip()


def may_be_grouped(values: Array) -> bool:
    """True if all values are 0 or between 1 and 1,000 with at most three decimals, and some have
    decimals.
    """
    rows = max(1, _AT_ONCE // values.shape[1])
    decimals = False
    for start in range(0, len(values), rows):
        sizes = np.abs(values[start : start + rows])
        within = ((sizes < 1000) & ((sizes >= 1) | (sizes == 0))).all()
        if not within or (np.rint(sizes * 1000) / 1000 != sizes).any():
            return False
        decimals = decimals or bool((sizes % 1).any())
    return decimals


def sets_thousands_apart(rows: Iterable[Sequence[str]], mark: str) -> bool | None:
    """True if ``mark`` separates thousands, False if it separates decimals, None if nothing shows
    which. rows : cells as texts.

    In a column where only some numbers have the mark, one that ends in 0 shows thousands. If 50
    have the mark and none ends in 0, these are decimals whose last zeros the file omits.
    """
    grouped: Counter[int] = Counter()
    bare: set[int] = set()
    zeros: set[int] = set()
    for row in rows:
        for place, cell in enumerate(row):
            text = cell.strip().lstrip("+-")
            if text.isdecimal():
                if text != "0":
                    bare.add(place)
            elif _GROUPED[mark].fullmatch(text):
                grouped[place] += 1
                if text.endswith("0"):
                    zeros.add(place)
            else:
                return False
    if grouped.keys() & bare & zeros:
        return True
    unsure = any(place not in bare or count < _SOME for place, count in grouped.items())
    if unsure:
        return None
    return False


def looks_like_list(text: str) -> bool:
    """True for a cell such as ``[0.1, 0.2]``, ``[0.1 0.2]`` or ``array([0.1, 0.2])``; False for a
    unit such as [mm].
    """
    inner = _JULIA.sub("", text.strip())
    if not inner.endswith(("]", ")")) or not (inner.startswith("[") or _ARRAY.match(inner)):
        return False
    return listed_numbers(text) is not None or "..." in inner or "," in inner


def looks_like_bare_list(text: str) -> bool:
    """True for a cell with three or more numbers without square brackets, such as
    ``0.1;0.2;0.3``.
    """
    return len(listed_numbers(text) or ()) > 2 and "." in text and thousands_in(text) is None


def listed_numbers(text: str) -> list[float] | None:
    """The numbers in a cell with a list; None if it holds anything else, or if NumPy abbreviated it
    (``...``).
    """
    text = _JULIA.sub("", text.strip())
    if found := _ARRAY.fullmatch(text) or _BRACKETS.fullmatch(text):
        text = found[1].strip()
    inner = _WRAPPED.sub(r"\1", text)
    while inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1].strip()
    if "_" in inner:
        return None
    try:
        return [float(each) for each in _BETWEEN.split(inner.strip(" ,;|")) if each]
    except ValueError:
        return None


def names_in_comment(fields: Sequence[str]) -> list[str]:
    """The words of a comment, without its mark and without the word FIELDS that PLUMED writes."""
    first = fields[0].strip().lstrip("#%!").strip()
    words = [first, *map(str.strip, fields[1:])]
    if not first:
        del words[0]
    if _FIELDS.fullmatch("".join(words[:1])):
        return words[1:]
    return words


def names_of_columns(comments: Sequence[Sequence[str]]) -> list[str]:
    """The names of all columns from comments: one line of fields, as web servers and Zeek write it,
    or a numbered line for each column, as in SExtractor. [] if there are none.
    """
    numbered: list[str] = []
    for fields in comments:
        words = " ".join(fields).lstrip("#%!").split()
        if _FIELDS.fullmatch("".join(words[:1])):
            return words[1:]
        if len(words) > 1 and words[0] == str(len(numbered) + 1):
            numbered.append(words[1])
    return numbered


def is_index_line(fields: list[str]) -> bool:
    """True for the third header line of pandas, which holds nothing but the name of the index."""
    first, *others = map(str.strip, fields)
    return bool(first and others) and not any(others)
