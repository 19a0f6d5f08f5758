"""Readers of Parquet and Arrow (Feather) files by pyarrow, after a check of the sizes that their
metadata claim.

The sizes of a Parquet file are read from its footer and from the headers of its pages without
pyarrow: pyarrow's accessors for single columns end the whole process on some corrupt files (a C++
exception that its Python layer does not catch), and one bad upload must not end every session.
pyarrow takes the sizes of pages from the headers of the pages, whatever the footer says, so these
are added up here. Footer and headers are Thrift structs in the compact protocol (layout:
parquet.thrift).

pyarrow also reads Arrow files and streams; what is decoded here are the few numbers that say how
large each batch becomes once it is decompressed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import json as arrow_json

from prviz.quoting import drop_text
from prviz.readers.arrays import check_counts
from prviz.readers.arrow_rows import plan_columns, read_batches
from prviz.readers.arrow_types import PlainColumns, frame_lines, is_list, is_number
from prviz.readers.columns import EVERY, MOST_COLUMNS, ColumnChoice, Contents, is_label
from prviz.readers.conversion import refuse_container
from prviz.readers.errors import (
    EmptyCellError,
    ReadError,
    beside,
    corrupt_unless_read,
    literal,
    quoted,
)
from prviz.readers.long_form import long_form
from prviz.readers.source import FileSource, Limits, check_claim, check_columns, human_size
from prviz.readers.suspects import others_than, refuse_turned, samples_among
from prviz.readers.text_advice import refuse_long
from prviz.readers.text_dialect import encoding_of

_Wanted = Mapping[int, Any]
# Numbers of the fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData in parquet.thrift.
_NUM_ROWS = 3
_ROW_GROUPS = 4
_COLUMNS = 1
_META_DATA = 3
_PATH = 3
_NUM_VALUES = 5
_DATA_OFFSET = 9
_DICTIONARY_OFFSET = 11
_COLUMN: _Wanted = dict.fromkeys((_PATH, _NUM_VALUES, _DATA_OFFSET, _DICTIONARY_OFFSET))
_FILE: _Wanted = {_NUM_ROWS: None, _ROW_GROUPS: {_COLUMNS: {_META_DATA: _COLUMN}}}
# Numbers of the fields of PageHeader in parquet.thrift. Field 1 of either kind of data page is its
# number of values.
_TYPE = 1
_UNCOMPRESSED = 2
_COMPRESSED = 3
_DATA_PAGE = 5
_DATA_PAGE_2 = 8
_PAGE: _Wanted = {
    _TYPE: None,
    _UNCOMPRESSED: None,
    _COMPRESSED: None,
    _DATA_PAGE: {1: None},
    _DATA_PAGE_2: {1: None},
}
# Number of a page's type, for pages of data -> field of PageHeader that describes such a page.
_KINDS = {0: _DATA_PAGE, 3: _DATA_PAGE_2}
# Number of JSON objects at the start of the text whose keys become the columns of the table.
_FIRST_OBJECTS = 100
# Bytes read for a page header: enough for nearly all, except those with long texts as statistics.
_PAGE_HEADER = 4096
# Most levels of nested structs and lists in Thrift metadata.
_DEEPEST = 30
# Most structs and list entries in Thrift metadata: several times as many as the longest footer that
# is read can hold. This stops lists that claim more entries than there are bytes.
_MOST_PARTS = 1_000_000


class _Compact:
    """A decoder of Thrift's compact protocol; reading past the end is an IndexError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0
        self._parts = 0

    def _varint(self) -> int:
        result = shift = 0
        while (byte := self._data[self.at]) & 0x80:
            result |= (byte & 0x7F) << shift
            shift += 7
            self.at += 1
            if shift > 63:
                raise ValueError("an integer of more than 64 bits")
        self.at += 1
        return result | byte << shift

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def _count_parts(self, count: int, depth: int) -> None:
        self._parts += count
        if self._parts > _MOST_PARTS or depth > _DEEPEST:
            raise ValueError("too many parts, or nested too deeply")

    def struct(self, wanted: _Wanted, depth: int = 0) -> dict[int, Any]:
        """The ``wanted`` fields of a struct, by number; structs in it are read in the same way.
        Other fields are skipped.
        """
        self._count_parts(1, depth)
        fields: dict[int, Any] = {}
        number = 0
        while head := self._data[self.at]:
            self.at += 1
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            # Kinds 1 and 2 are truth values, which take no further bytes.
            if kind > 2:
                value = self._value(kind, wanted.get(number) or {}, depth)
                if number in wanted:
                    fields[number] = value
        self.at += 1
        # A list of empty structs could claim any length.
        if wanted and not fields:
            raise ValueError("an empty struct")
        return fields

    def _value(self, kind: int, wanted: _Wanted, depth: int) -> Any:
        """The next value. A value may claim to reach past the end of the data: reading on then
        raises IndexError.
        """
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 8:
            size = self._varint()
            self.at += size
            return self._data[self.at - size : self.at]
        if kind in (9, 10):
            head = self._data[self.at]
            self.at += 1
            size = self._varint() if head >> 4 == 15 else head >> 4
            self._count_parts(size, depth)
            return [self._value(head & 15, wanted, depth + 1) for _ in range(size)]
        if kind == 12:
            return self.struct(wanted, depth + 1)
        if kind not in (1, 2, 3, 7):
            raise ValueError(f"an unknown type ({kind})")
        self.at += 8 if kind == 7 else 1
        return None


@dataclass(frozen=True)
class _Chunk:
    """One column of one row group: its path, number of values, and the position of its first
    page.
    """

    path: tuple[str, ...]
    values: int
    start: int


@dataclass(frozen=True)
class Claims:
    """The number of values that columns claim (list entries counted one by one), and their
    uncompressed bytes.
    """

    values: int
    size: int


@dataclass(frozen=True)
class Footer:
    """A Parquet footer: the number of rows, and all column chunks."""

    source: FileSource
    rows: int
    chunks: tuple[_Chunk, ...]

    def claims(self, columns: Collection[str]) -> Claims:
        """What the pages of these columns claim. Raises `ReadError` for a corrupt page header."""
        columns = frozenset(columns)
        values = size = 0
        with (
            self.source.open() as stream,
            corrupt_unless_read(
                self.source.where, IndexError, KeyError, TypeError, ValueError, AttributeError
            ),
        ):
            for chunk in self.chunks:
                path = chunk.path
                if not any(".".join(path[:depth]) in columns for depth in range(1, len(path) + 1)):
                    continue  # a chunk of another column
                for page in _pages(stream, chunk, self.source.size):
                    values += page.values
                    size += page.size
        return Claims(values, size)


def _pages(stream: BinaryIO, chunk: _Chunk, end: int) -> Iterator[Claims]:
    """Number of values and size that each page of a chunk claims in its header; reading stops at
    the chunk's number of values.
    """
    at = chunk.start
    seen = 0
    longest = _PAGE_HEADER
    while seen < chunk.values:
        stream.seek(at)
        header = _Compact(stream.read(longest))
        try:
            fields = header.struct(_PAGE)
        except IndexError:
            if at + longest >= end:
                raise
            longest *= 16
            continue
        at += header.at + _count(fields[_COMPRESSED])
        kind = _KINDS.get(fields[_TYPE])
        values = 0
        if kind is not None:
            values = _count(fields[kind][1])
        seen = seen + values
        longest = _PAGE_HEADER
        yield Claims(values, _count(fields[_UNCOMPRESSED]))


def read_footer(source: FileSource, limits: Limits) -> Footer:
    """The claims of a Parquet file.

    Raises
    ------
    ReadError : no footer, one that is corrupt, encrypted, or longer than
    ``limits.max_header_bytes``.
    """
    with source.open() as stream:
        stream.seek(max(0, source.size - 8))
        tail = stream.read(8)
        if tail[4:] == b"PARE":
            raise ReadError(
                f"{source.where}: an encrypted Parquet file. Save it without encryption."
            )
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != b"PAR1" or length > source.size - 12:
            raise ReadError(
                f"{source.where}: truncated or corrupt (no footer). Write it again, or copy it "
                f"again."
            )
        if length > limits.max_header_bytes:
            raise ReadError(
                f"{source.where}: its footer is {human_size(length)} long, more than the limit of "
                f"{human_size(limits.max_header_bytes)}. Save fewer columns, e.g. one column of "
                f"lists."
            )
        stream.seek(source.size - 8 - length)
        data = stream.read(length)
    with corrupt_unless_read(
        source.where, IndexError, KeyError, TypeError, ValueError, AttributeError
    ):
        fields = _Compact(data).struct(_FILE)
        columns = [chunk[_META_DATA] for group in fields[_ROW_GROUPS] for chunk in group[_COLUMNS]]
        chunks = []
        for column in columns:
            # pyarrow ignores a dictionary page at offset 0 or behind the data; so does this.
            first = _count(column[_DATA_OFFSET])
            dictionary = _count(column.get(_DICTIONARY_OFFSET, 0))
            path = tuple(part.decode() for part in column[_PATH])
            chunks.append(
                _Chunk(path, _count(column[_NUM_VALUES]), min(first, dictionary or first))
            )
        return Footer(source, _count(fields[_NUM_ROWS]), tuple(chunks))


def _count(number: object) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"an impossible size ({quoted(repr(number))})")
    return number


# First and last bytes of an Arrow file.
_IPC_MAGIC = b"ARROW1"
# First bytes of every message of an Arrow stream.
_CONTINUED = b"\xff\xff\xff\xff"
# Numbers of the fields of Footer, Message, DictionaryBatch and RecordBatch in File.fbs and
# Message.fbs of Arrow. _DICTIONARY and _RECORD_BATCH are values of _MESSAGE_KIND.
_FOOTER_DICTIONARIES = 2
_FOOTER_BATCHES = 3
_MESSAGE_KIND = 1
_MESSAGE_HEADER = 2
_DICTIONARY = 2
_RECORD_BATCH = 3
_DICTIONARY_DATA = 1
_LENGTH = 0
_BUFFERS = 2
_COMPRESSION = 3


def _field(data: bytes, table: int, number: int) -> int | None:
    """Position of a field of a flatbuffer table; None if the field is left out (its default)."""
    vtable = table - _int(data, table, "<i")
    if 4 + 2 * number >= _int(data, vtable, "<H"):
        return None
    offset = _int(data, vtable + 4 + 2 * number, "<H")
    if offset:
        return table + offset
    return None


def _int(data: bytes, position: int, layout: str) -> int:
    # A negative position would count from the end.
    if position < 0:
        raise IndexError("an offset before the beginning")
    (value,) = struct.unpack_from(layout, data, position)
    return int(value)


def _follow(data: bytes, position: int | None) -> int:
    if position is None:
        raise KeyError("a required field is missing")
    return position + _int(data, position, "<I")


@dataclass(frozen=True)
class _BatchClaim:
    """Rows of one batch, its uncompressed bytes, and whether it is a dictionary."""

    rows: int
    size: int
    dictionary: bool


def _claim(message: bytes, part: Callable[[int, int], bytes]) -> _BatchClaim | None:
    """The claim of one message; None for a message that is no batch.

    part : function that returns bytes of the message's body, from their start and number.
    """
    root = _follow(message, 0)
    kind = _field(message, root, _MESSAGE_KIND)
    kind = 0 if kind is None else message[kind]
    if kind not in (_DICTIONARY, _RECORD_BATCH):
        return None
    batch = _follow(message, _field(message, root, _MESSAGE_HEADER))
    if kind == _DICTIONARY:
        batch = _follow(message, _field(message, batch, _DICTIONARY_DATA))
    length = _field(message, batch, _LENGTH)
    rows = 0
    if length is not None:
        rows = _int(message, length, "<q")
    buffers = _follow(message, _field(message, batch, _BUFFERS))
    compressed = _field(message, batch, _COMPRESSION) is not None
    claimed = 0
    for index in range(_int(message, buffers, "<I")):
        start, size = struct.unpack_from("<qq", message, buffers + 4 + 16 * index)
        if start < 0 or size < 0:
            raise IndexError("a buffer outside its batch")
        # A compressed buffer begins with its uncompressed length, or -1 if it is stored
        # uncompressed.
        original = -1
        if compressed and size >= 8:
            original = _int(part(start, 8), 0, "<q")
        if original < -1:
            raise IndexError("a negative length")
        claimed += original if original >= 0 else size
    if rows < 0:
        raise IndexError("a negative number of rows")
    return _BatchClaim(rows, claimed, kind == _DICTIONARY)


def _claims_of_file(stream: BinaryIO, size: int, limits: Limits) -> Iterator[_BatchClaim]:
    """Claims of the batches that the footer of an Arrow file lists. pyarrow reads only those
    batches.
    """
    stream.seek(max(0, size - 10))
    tail = stream.read(10)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _IPC_MAGIC or length > min(size - 18, limits.max_header_bytes):
        raise ValueError("no footer")
    stream.seek(size - 10 - length)
    footer = stream.read(length)
    root = _follow(footer, 0)
    left = size
    for field in (_FOOTER_DICTIONARIES, _FOOTER_BATCHES):
        place = _field(footer, root, field)
        if place is None:
            continue
        blocks = _follow(footer, place)
        for index in range(_int(footer, blocks, "<I")):
            offset, head, body = struct.unpack_from("<qi4xq", footer, blocks + 4 + 24 * index)
            left -= head + body
            if offset < 8 or head < 8 or body < 0 or left < 0 or offset + head + body > size:
                raise IndexError("a batch outside the file")
            yield _claim_at(stream, offset, head)


def _claim_at(stream: BinaryIO, offset: int, head: int) -> _BatchClaim:
    """The claim of a message in a file at offset: ``head`` bytes of metadata, then the body."""
    stream.seek(offset)
    data = stream.read(head)
    # Arrow before 0.15 wrote the length without the marker in front.
    begin = 8 if data[:4] == _CONTINUED else 4
    if begin + _int(data, begin - 4, "<i") != head:
        raise ValueError("a message of another length than its footer says")

    def part(start: int, count: int) -> bytes:
        stream.seek(offset + head + start)
        return stream.read(count)

    claim = _claim(data[begin:], part)
    if claim is None:
        raise ValueError("no batch where the footer says")
    return claim


def _claims_of_stream(stream: Any) -> Iterator[_BatchClaim]:
    """Claims of the batches of an Arrow stream, which has no footer."""
    for message in pa.ipc.MessageReader.open_stream(stream):
        body = memoryview(message.body or b"")

        def part(start: int, count: int, body: memoryview = body) -> bytes:
            return bytes(body[start : start + count])

        claim = _claim(message.metadata.to_pybytes(), part)
        if claim is not None:
            yield claim


# Bytes of values and texts decoded at a time.
_BATCH_BYTES = 64 * 1024**2


class _Clamped:
    """Stream that never reads past its end: Arrow requests as much as a corrupt header claims."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._size = size
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._size - self._stream.tell())
        return self._stream.read(left if size < 0 else min(size, left))

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def close(self) -> None:
        self.closed = True


_ARROW_ERRORS = (
    pa.ArrowException,
    OSError,
    ValueError,
    LookupError,
    OverflowError,
    TypeError,
    RecursionError,
)


@contextmanager
def _opened(source: FileSource) -> Iterator[Any]:
    """Source as an Arrow file; errors of pyarrow become a `ReadError`."""
    with source.open() as stream, corrupt_unless_read(source.where, *_ARROW_ERRORS):
        try:
            yield pa.PythonFile(_Clamped(stream, source.size), mode="r")
        except pa.ArrowNotImplementedError as error:
            if source.kind != ".parquet" or "64 bits" not in str(error):
                raise
            raise ReadError(
                f"{source.where}: whole numbers of 128 bits, which pyarrow can't read. Save them "
                f"with 64:\n"
                f"import polars as pl\ntable = pl.read_parquet({literal(source.typed)})\n"
                f"table.cast({{pl.Int128: "
                f"pl.Int64}}).write_parquet({beside(source.typed, '_64.parquet')})"
            ) from None


def read_parquet(
    source: FileSource, key: str | None, limits: Limits, choice: ColumnChoice = EVERY
) -> Contents:
    """Values (n, d), labels, names of features and metadata of a Parquet file; no other column is
    read.

    Raises
    ------
    ReadError : see `plan_columns`; ragged or missing values with their row; a corrupt file; a claim
    over the limit.
    """
    footer = read_footer(source, limits)
    with _opened(source) as stream:
        reading = _Reading(pq.ParquetFile(stream).schema_arrow, source, key, limits, choice)
    plan = reading.plan
    features = footer.claims(plan.features)
    labels = footer.claims(plan.labels)
    values = features.values if plan.as_list else footer.rows * len(plan.features)
    check_claim(source.where, features.size + labels.size, limits)
    reading.check(footer.rows, values)
    with _opened(source) as stream:
        # Labels stay dictionary-encoded: expanding them would copy one long text for each row that
        # has it.
        file = pq.ParquetFile(stream, read_dictionary=list(plan.labels))
        # Each batch repeats its dictionaries, so that few large batches take less time.
        size = max(1, _BATCH_BYTES * footer.rows // (8 * values + labels.size or 1))
        batches = file.iter_batches(batch_size=size, columns=plan.columns)
        return reading.rows(footer.rows, batches)


def read_feather(
    source: FileSource, key: str | None, limits: Limits, choice: ColumnChoice = EVERY
) -> Contents:
    """Like `read_parquet`, for an Arrow file (Feather version 2) or stream. Only the columns that
    are read are decompressed.

    Raises
    ------
    ReadError : as `read_parquet`.
    """
    head = source.head(8)
    if head.startswith(b"FEA1"):
        raise ReadError(
            f"{source.where}: a Feather file of version 1. Save it again as version 2 (the "
            f"default by now):\n"
            "import pyarrow.feather as feather\n"
            f"feather.write_feather(feather.read_table({literal(source.typed)}), "
            f"{beside(source.typed, '_2.feather')})"
        )
    is_file = head.startswith(_IPC_MAGIC)
    opened = pa.ipc.open_file if is_file else pa.ipc.open_stream
    with (
        _opened(source) as stream,
        corrupt_unless_read(source.where, struct.error, IndexError, KeyError),
    ):
        rows = size = 0
        for claim in (
            _claims_of_file(stream, source.size, limits) if is_file else _claims_of_stream(stream)
        ):
            rows += 0 if claim.dictionary else claim.rows
            size += claim.size
        check_claim(source.where, size, limits)
        stream.seek(0)
        reading = _Reading(opened(stream).schema, source, key, limits, choice)
        plan = reading.plan
        reading.check(rows, 0 if plan.as_list else rows * len(plan.features))
        stream.seek(0)
        fields = pa.ipc.IpcReadOptions(included_fields=reading.plain.places(plan.columns))
        held = opened(stream, options=fields)
        return reading.rows(
            rows, map(held.get_batch, range(held.num_record_batches)) if is_file else held
        )


def read_json_lines(
    source: FileSource, key: str | None, limits: Limits, choice: ColumnChoice = EVERY
) -> Contents:
    """`read_parquet` for a text with one JSON object or list of numbers in each line; the first
    lines name the columns.

    Raises
    ------
    ReadError : as `read_parquet`; a first line that is no JSON.
    """
    held, table = _json_table(source, limits)
    reading = _Reading(table.schema, source, key, limits, choice, held)
    return reading.rows(
        len(table), table.select(reading.plain.places(reading.plan.columns)).to_batches()
    )


def _json_table(source: FileSource, limits: Limits) -> tuple[dict[str, Any], Any]:
    """The columns, as the first object with missing or null entries filled in from the next
    objects; and the Arrow table of all objects with these columns.
    """
    check_claim(source.where, source.size, limits)
    with source.open() as stream:
        data = stream.read()
    encoding = encoding_of(data[:16])
    with corrupt_unless_read(source.where, UnicodeDecodeError):
        if encoding != "utf-8":
            data = data.decode(encoding).encode()
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    first = data.partition(b"\n")[0].strip()
    whole = b"\n" not in data.rstrip() and first.startswith((b"[{", b"[["))
    if whole or first in (b"[", b"{"):
        error = refuse_container(source.where, source.typed, ".json", source.head, source.size)
        if error is not None:
            raise error
    if first.startswith(b"["):
        data = b"\n".join(b'{"values":' + line + b"}" for line in data.splitlines() if line.strip())
    with corrupt_unless_read(source.where, ValueError, RecursionError):
        held = json.loads(first)
        if isinstance(held, list):
            held = {"values": held}
        if not isinstance(held, dict):
            raise ValueError("its first line is neither a JSON object nor a list")
    # An error in these lines is left to the parser of all lines.
    with suppress(ValueError, RecursionError):
        for line in islice(BytesIO(data), 1, _FIRST_OBJECTS):
            _add_numbers(held, json.loads(line))
    check_columns(source.where, len(held), limits)
    options = arrow_json.ReadOptions(use_threads=False, block_size=limits.max_header_bytes)
    with corrupt_unless_read(source.where, pa.ArrowException, ValueError):
        # A fixed schema, since otherwise every new name would add a column to the whole table.
        parsing = arrow_json.ParseOptions(
            pa.schema(_json_fields(held)), unexpected_field_behavior="ignore"
        )
        return held, arrow_json.read_json(pa.BufferReader(data), options, parsing)


class _Reading:
    """A table that is being read: which columns are read, and their values.

    schema : the Arrow schema as stored. first : the first object of a text in JSON.

    Raises
    ------
    ReadError : as `plan_columns`; a table in which each column is a sample and each row a feature.
    """

    def __init__(
        self,
        schema: Any,
        source: FileSource,
        key: str | None,
        limits: Limits,
        choice: ColumnChoice,
        first: Mapping[str, Any] | None = None,
    ) -> None:
        self._source = source
        self._limits = limits
        self._choice = choice
        self._metadata = schema.metadata
        self.plain = PlainColumns(schema, source, key, limits)
        plain = self.plain.schema
        if first is not None:
            if key is None:
                self.plain.refuse_pieces(_whole_lists(first))
            self._check_depth(plain)
        numbers = [plain.names[place] for place, kind in enumerate(plain.types) if is_number(kind)]
        samples = samples_among(numbers)
        if samples and len(numbers) < len(plain) and not choice.features:
            said = f"each column is a sample ({quoted(samples[0])} ...)"
            raise refuse_turned(said, source.typed, others_than(samples, plain.names))
        self.plan = plan_columns(plain, source.where, key, limits, choice, self._changed)

    def _changed(self, change: str) -> str:
        """Python lines for a recipe: load the file as the data frame ``table``, run the line
        ``change``, and save it as a new file.
        """
        new = beside(self._source.typed, "_numbers.parquet")
        return f"{frame_lines(self._source)}\n{change}\ntable.to_parquet({new})"

    def _check_depth(self, plain: Any) -> None:
        """Raise ReadError if the numbers are deeper in nested JSON objects, with nothing but labels
        on the first level.
        """
        kinds = [each.type for each in plain if not (is_label(each.name) and is_number(each.type))]
        # If there are lists, they hold the samples, and single numbers beside them do not count.
        inner = [kind.value_type for kind in kinds if is_list(kind)] or kinds
        if any(is_number(kind) or is_list(kind) for kind in inner):
            return
        if any(map(pa.types.is_struct, inner)):
            source = self._source
            rows = "rows"
            # Elasticsearch writes an action such as {"index": ...} above each document
            if self.plain.schema.names in (["index"], ["create"]):
                rows = f"[row for row in rows if [*row] != {self.plain.schema.names}]"
            raise ReadError(
                f"{source.where}: its numbers are deeper in its objects. Save them as arrays:\n"
                "import json, prviz.readers\n"
                f"rows = [json.loads(line) for line in open({literal(source.typed)}, "
                f"encoding='utf-8')]\n"
                f"prviz.readers.save_arrays({rows}, {beside(source.typed, '.npz')})"
            )

    def check(self, rows: int, values: int) -> None:
        """Raise ReadError for a table without features, with fewer rows than ``limits.min_rows``,
        or whose values would take more bytes of memory than `Limits` allow.
        """
        self.plan.check_claim(rows, values, self._limits)
        check_counts(self._source.where, rows, len(self.plan.features), self._limits)

    def rows(self, rows: int, batches: Iterable[Any]) -> Contents:
        """Values, labels, feature names and metadata from stored batches; see `read_batches`.

        Raises ReadError for a table with one value a row, and `Plan.refusal` for a column
        of texts.
        """
        plan = self.plan
        source = self._source
        try:
            found = read_batches(plan, rows, map(self.plain.batch, batches), self._limits)
        except EmptyCellError as error:
            if plan.as_list:
                raise
            name = plan.features[error.column]
            raise ReadError(
                f"{str(error).removesuffix('.')}, and all such rows (or the column, in both "
                f"tables, with {drop_text([name])}):\n{frame_lines(source)}\n"
                f"features = table.columns.difference({list(plan.labels)!r})\n"
                f"table.dropna(subset=features).to_parquet("
                f"{beside(source.typed, '_complete.parquet')}, index=False)"
            ) from None
        names = plan.columns
        if not self._choice.features and not plan.as_list and len(names) <= MOST_COLUMNS:
            columns = dict(enumerate([*found.values.T, *found.labels.values()]))
            if form := long_form(columns, dict(enumerate(names))):
                loading = frame_lines(source)
                raise refuse_long(source.where, form, names, names, loading, source.typed)
        if plan.refusal is not None:
            raise plan.refusal
        return found._replace(metadata=self._metadata)


def _add_numbers(held: dict[str, Any], more: Any) -> None:
    """Fill entries that are missing or null in the first JSON object with numbers from another
    object.
    """
    for name, value in more.items() if isinstance(more, dict) and held.keys() <= {*more} else ():
        if isinstance(held.get(name), dict):
            _add_numbers(held[name], value)
        elif held.get(name) is None and isinstance(value, int | float | list):
            held[name] = value


def _json_fields(held: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names and types of the entries of a JSON object that become columns."""
    kinds = [(name, _json_kind(name, value)) for name, value in held.items()]
    return [each for each in kinds if each[1] is not None]


def _whole_lists(held: Mapping[str, Any], within: str = "") -> list[str]:
    """Names of the lists of whole numbers in a JSON object, also those in nested objects."""
    found = []
    for name, value in held.items():
        if isinstance(value, dict):
            found += _whole_lists(value, f"{within}{name}.")
        elif isinstance(value, list) and value and all(type(each) is int for each in value):
            found.append(f"{within}{name}")
    return found


def _json_kind(name: str, value: object) -> Any:
    """Arrow type of the column for a JSON value; None for a value that makes no column."""
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int) and is_label(name):
        return pa.int64()
    if isinstance(value, int | float):
        return pa.float64()
    if isinstance(value, str):
        return pa.string()
    if isinstance(value, dict):
        fields = _json_fields(value)
        if fields:
            return pa.struct(fields)
        return None
    if isinstance(value, list) and value and (inner := _json_kind("", value[0])) is not None:
        return pa.list_(pa.float64() if pa.types.is_integer(inner) else inner)
    return None


READERS = {".parquet": read_parquet, ".feather": read_feather, ".jsonl": read_json_lines}
