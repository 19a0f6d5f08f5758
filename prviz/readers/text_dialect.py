"""How a table of text is written: its encoding, the mark between its fields, and what a cell says."""

from __future__ import annotations

import codecs
import re
import tempfile
from typing import BinaryIO

from prviz.readers.errors import ReadError

# First bytes of a text -> its encoding; of two encodings the longer mark counts.
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# Bytes of a text in another encoding that are held in memory, and turned into UTF-8 at a time.
_IN_MEMORY, _PIECE = 1 << 26, 1 << 20
# Bytes of a file that its delimiter is judged by.
_HEAD = 1 << 20
_QUOTED = re.compile(r'"[^"]*"')
SEPARATOR = re.compile(r"sep=(.)\s*")
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")
_TRUTH = {"true": 1.0, "false": 0.0}
# What NumPy, PyTorch and Python write around the numbers of a list.
_WRAPPED = re.compile(r"(?:np\.|numpy\.)?(?:float|int|uint)\d+\(([^()]*)\)")
_ARRAY = re.compile(r"(?:np\.|numpy\.)?(?:array|tensor)\((.*?)(?:,\s*(?:dtype|device)=[^()]*)?\)", re.DOTALL)


def encoding_of(head: bytes) -> str:
    """The encoding of a text that begins with these bytes: UTF-8 unless a mark, or every second byte, says UTF-16."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    if len(head) >= 4 and 0 not in head[::2] and not any(head[1::2]):
        return "utf-16-le"
    if len(head) >= 4 and 0 not in head[1::2] and not any(head[::2]):
        return "utf-16-be"
    return "utf-8"


def as_utf8(stream: BinaryIO, encoding: str, where: str) -> BinaryIO:
    """The text as UTF-8, in a file of its own beyond 64 MiB. Raises ReadError for a text that is cut off."""
    decoder = codecs.getincrementaldecoder(encoding)()
    copy = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
    stream.seek(0)
    try:
        while piece := stream.read(_PIECE):
            copy.write(decoder.decode(piece).encode())
        copy.write(decoder.decode(b"", final=True).encode())
    except UnicodeError as error:
        copy.close()
        raise ReadError(f"{where}: not {encoding.upper()} text to its end. Write it again, as UTF-8.") from error
    copy.seek(0)
    return copy  # type: ignore[return-value]


def delimiter_of(stream: BinaryIO, extension: str) -> str:
    """The mark between the fields: what Excel's first line says, or divides the first lines into as many fields."""
    lines = stream.read(_HEAD).decode("utf-8-sig", errors="replace").splitlines()
    stream.seek(0)
    first = lines[0] if lines else ""
    if said := SEPARATOR.fullmatch(first):
        return said[1]
    if extension == ".tsv":
        return "\t"
    if "\t" in first and not {";", ","} & set(_QUOTED.sub("", first)):
        return "\t"
    heads = [_QUOTED.sub('""', line) for line in lines if line.strip() and not line.startswith("#")][:3]
    for mark in (";", "\t"):
        counts = {line.count(mark) for line in heads}
        if len(heads) > 1 and len(counts) == 1 and 0 not in counts:
            return mark
    for mark in (";", ",", "\t"):
        if mark in first:
            return mark
    return " " if _divided_by_spaces(heads) else ","


def _divided_by_spaces(lines: list[str]) -> bool:
    """True for lines of as many words each, the first with one less where R names the rows, none with a mark."""
    counts = [len(line.split(" ")) for line in lines]
    if len(counts) < 2 or any(mark in line for line in lines for mark in ";,\t[") or counts[-1] < 2:
        return False
    return len(set(counts[1:])) == 1 and counts[0] in (counts[1], counts[1] - 1)


class Numbers:
    """The numbers in cells. commas : True once a decimal comma has been met, after which no point is one."""

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter
        self.commas = False

    def number(self, text: str) -> float | None:
        """The number that a cell says, True and False among them; None for anything else."""
        if (truth := _TRUTH.get(text.strip().lower())) is not None:
            return truth
        if _COMMA.fullmatch(text) and self._means_decimals(text):
            self.commas = True
            text = text.replace(",", ".")
        elif self.commas and "." in text:
            return None
        try:
            return None if "_" in text else float(text)  # float() takes Python's 1_000, which no table means
        except ValueError:
            return None

    def _means_decimals(self, text: str) -> bool:
        if self.commas or self.delimiter == ";":
            return True
        return self.delimiter != "," and _THOUSANDS.fullmatch(text) is None


def looks_like_list(text: str) -> bool:
    """True for a cell such as ``[0.1, 0.2]``, ``[0.1 0.2]`` or ``array([0.1, 0.2])``."""
    inner = text.strip()
    return inner.endswith(("]", ")")) and (inner.startswith("[") or _ARRAY.match(inner) is not None)


def listed_numbers(text: str) -> list[float] | None:
    """The numbers of such a cell; None where it holds anything else, or NumPy has left some out (``...``)."""
    if array := _ARRAY.fullmatch(text.strip()):
        text = array[1]
    inner = _WRAPPED.sub(r"\1", text.strip())
    while inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1].strip()
    try:
        return None if "_" in inner else [float(each) for each in inner.replace(",", " ").split()]
    except ValueError:
        return None


def is_index_line(fields: list[str]) -> bool:
    """True for the third header line of pandas, the name of the index alone."""
    return bool(fields[0].strip()) and len(fields) > 1 and not any(text.strip() for text in fields[1:])
