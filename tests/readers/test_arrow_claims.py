"""What Arrow and Parquet files claim to hold, by their footers, batches and pages: every claim is
known before anything is unpacked, and none that can't be true is believed.
"""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from prviz.readers import Limits, read
from prviz.readers.arrow import (
    _Chunk,
    _claims_of_file,
    _claims_of_stream,
    _Clamped,
    _Compact,
    _count,
    _field,
    _follow,
    _int,
    _pages,
    read_footer,
    read_parquet,
)
from prviz.readers.arrow_rows import _valid, plan_columns, read_batches
from prviz.readers.columns import EVERY
from prviz.readers.source import FileSource
from tests import file_builders as build
from tests.readers.answers import refusal


def arrow(*batches: pa.RecordBatch, opened: Any = pa.ipc.new_file, **options: Any) -> bytes:
    """Batches, at least one, as a file or stream of Arrow."""
    stream = io.BytesIO()
    settings = pa.ipc.IpcWriteOptions(**options)
    with opened(stream, batches[0].schema, options=settings) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return stream.getvalue()


def claims(data: bytes | bytearray, **limits: int) -> list[Any]:
    return list(_claims_of_file(io.BytesIO(data), len(data), Limits(**limits)))


def footer_of(data: bytes) -> tuple[int, bytes]:
    """Where the footer of an Arrow file begins, and the footer."""
    start = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    return start, bytes(data[start:-10])


def blocks_of(data: bytes) -> int:
    """Place of what the footer says of the first batch."""
    start, footer = footer_of(data)
    return start + _follow(footer, _field(footer, _follow(footer, 0), 3)) + 4


def with_block(data: bytes, *block: int) -> bytes:
    """The file with another offset, length of head and length of body in its footer."""
    held = bytearray(data)
    struct.pack_into("<qi4xq", held, blocks_of(data), *block)
    return bytes(held)


def parquet_source(data: bytes) -> FileSource:
    return FileSource("a.parquet", len(data), data=data)


PLAIN = arrow(pa.record_batch({"a": np.arange(1_001.0)}))
OFFSET, HEAD, BODY = struct.unpack_from("<qi4xq", PLAIN, blocks_of(PLAIN))
BUFFER = struct.pack("<qq", 0, 8_008)


# ---- Arrow ----


def test_a_stream_never_reads_past_its_end() -> None:
    stream = _Clamped(io.BytesIO(b"abcdef"), 4)
    assert [stream.read(size) for size in (0, 1, -1, 9)] == [b"", b"a", b"bcd", b""]
    assert (stream.seek(-2, 1), stream.tell(), stream.read(1), stream.read(5)) == (2, 2, b"c", b"d")
    assert (stream.seek(1), stream.closed) == (1, False)
    stream.close()
    assert stream.closed


def test_offsets_of_flatbuffers_lie_inside() -> None:
    # a vtable of two fields, the second left out, and its table
    data = struct.pack("<HHHHii", 8, 8, 4, 0, 8, 7)
    assert [_field(data, 8, number) for number in range(3)] == [12, None, None]
    assert _int(data, 12, "<i") == 7
    with pytest.raises(IndexError, match="before the beginning"):
        _int(data, -1, "<i")
    with pytest.raises(KeyError, match="a required field is missing"):
        _follow(data, None)
    assert _follow(data, 8) == 16


def test_an_arrow_file_whose_footer_names_a_batch_again_and_again_is_refused() -> None:
    data = arrow(*(pa.record_batch({"a": np.arange(float(n))}) for n in (4_000, 5, 5, 5)))
    assert [each.rows for each in claims(data)] == [4_000, 5, 5, 5]
    place = blocks_of(data)
    blocks = [data[at : at + 24] for at in range(place, place + 96, 24)]
    large, small = (sum(struct.unpack("<qi4xq", each)[1:]) for each in blocks[:2])
    assert 2 * large > len(data) >= large + 3 * small
    for order, fine in (([0, 1, 2, 3], True), ([1, 1, 1, 0], True), ([0, 0, 1, 1], False)):
        again = data[:place] + b"".join(blocks[each] for each in order) + data[place + 96 :]
        if fine:
            assert len(claims(again)) == 4
            continue
        with pytest.raises(IndexError, match="a batch outside the file"):
            claims(again)


def test_a_footer_that_leaves_dictionaries_out_lists_its_batches_all_the_same() -> None:
    data = bytearray(PLAIN)
    start, footer = footer_of(data)
    root = start + _follow(footer, 0)
    table = root - int.from_bytes(data[root : root + 4], "little", signed=True)
    data[table + 8 : table + 10] = bytes(2)  # the third field
    assert [each.rows for each in claims(data)] == [each.rows for each in claims(PLAIN)] == [1_001]


def test_claims_of_buffers_lie_in_their_batch() -> None:
    assert PLAIN.count(BUFFER) == 1
    assert [(each.rows, each.size) for each in claims(PLAIN)] == [(1_001, 8_008)]
    assert claims(PLAIN.replace(BUFFER, struct.pack("<qq", 8, 0)))[0].size == 0
    for start, size in ((-8, 8_008), (0, -8)):
        with pytest.raises(IndexError, match="a buffer outside its batch"):
            claims(PLAIN.replace(BUFFER, struct.pack("<qq", start, size)))
    with pytest.raises(IndexError, match="a negative number of rows"):
        claims(PLAIN.replace(struct.pack("<q", 1_001), struct.pack("<q", -1)))


SCHEMA = 8 + int.from_bytes(PLAIN[12:16], "little")
OUTSIDE = "a batch outside the file"


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ((OFFSET, HEAD + 8, BODY - 8), "a message of another length"),
        ((8, SCHEMA, 0), "no batch where the footer says"),
        ((8, 8, 0), "a message of another length"),
        ((8, 8, len(PLAIN) - 16), "a message of another length"),
        ((8, 8, len(PLAIN) - 15), OUTSIDE),
        ((7, 8, 0), OUTSIDE),
        ((0, HEAD, BODY), OUTSIDE),
        ((OFFSET, 7, BODY), OUTSIDE),
        ((OFFSET, HEAD, -1), OUTSIDE),
        ((OFFSET, HEAD, BODY + len(PLAIN)), OUTSIDE),
    ],
)
def test_a_batch_lies_inside_of_its_file(block: tuple[int, int, int], said: str) -> None:
    with pytest.raises((IndexError, ValueError), match=said):
        claims(with_block(PLAIN, *block))


def test_packed_buffers_claim_what_they_say() -> None:
    data = arrow(pa.record_batch({"a": np.zeros(1_000)}), compression="zstd")
    (plain,) = claims(data)
    assert plain.size == 8_000
    offset, head, _ = struct.unpack_from("<qi4xq", data, blocks_of(data))
    packed = bytearray(data)
    struct.pack_into("<q", packed, offset + head, -1)  # left as it is: its own size
    assert 8 < claims(packed)[0].size < 1_000
    struct.pack_into("<q", packed, offset + head, -2)
    with pytest.raises(IndexError, match="a negative length"):
        claims(packed)
    # of eight bytes, which say it
    written = [size for size in range(9, 400) if data.count(struct.pack("<qq", 0, size)) == 1]
    short = data.replace(struct.pack("<qq", 0, written[0]), struct.pack("<qq", 0, 8))
    assert claims(short) == [plain]


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("opened", [pa.ipc.new_file, pa.ipc.new_stream])
def test_batches_of_any_age_and_dictionaries_claim_what_they_hold(
    legacy: bool, opened: Any
) -> None:
    text = pa.array(["a", "b", "a"] * 3).dictionary_encode()
    batch = pa.record_batch({"x": np.arange(9) / 4, "y": np.ones(9), "label": text})
    data = arrow(batch, batch[:2], batch[:0], opened=opened, use_legacy_format=legacy)
    of_file = opened is pa.ipc.new_file
    found = claims(data) if of_file else list(_claims_of_stream(io.BytesIO(data)))
    held = [(each.rows, each.dictionary) for each in found]
    assert held == [(2, True), (9, False), (2, False), (0, False)]
    assert found[1].size >= 9 * (8 + 8 + 4) > found[2].size >= 2 * 20
    assert found[0].size >= 2 + 3 * 4
    if not legacy or of_file:
        samples = read(("a.arrow", data))
        assert samples.values[:, 0].tolist() == [*(np.arange(9) / 4), 0.0, 0.25]
        assert samples.labels["label"].tolist() == ["a", "b", "a"] * 3 + ["a", "b"]


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_a_stream_of_arrow_is_read_packed_or_not(compression: str | None) -> None:
    values = np.c_[np.arange(400) / 4, np.zeros(400)]
    batch = pa.record_batch({"a": values[:, 0], "b": values[:, 1]})
    data = arrow(batch, opened=pa.ipc.new_stream, compression=compression)
    assert_array_equal(read(("a.arrows", data), columns="*").values, values)


def test_lists_of_decimals_of_every_kind_are_numbers() -> None:
    values = [[1.0, 2.5], [3.0, 4.0], [5.0, 6.0]]
    for kind in (pa.list_, pa.large_list, lambda inner: pa.list_(inner, 2)):
        column = (
            pa.array(values).cast(pa.list_(pa.decimal128(5, 2))).cast(kind(pa.decimal128(5, 2)))
        )
        assert read(("a.arrow", arrow(pa.record_batch({"emb": column})))).values.tolist() == values


def test_narrow_numbers_claim_what_their_values_hold() -> None:
    column = np.arange(100, dtype=np.int8) ** 2
    data = "t.arrow", arrow(pa.record_batch({f"f{place}": column for place in range(4)}))
    assert read(data, limits=Limits(max_bytes=100 * 4 * 8)).shape == (100, 4)
    said = r"claims 3\.1 KiB of values, more than the limit"
    refusal(data, said, limits=Limits(max_bytes=100 * 4 * 8 - 1))


def test_a_footer_may_fill_its_file_and_the_limit() -> None:
    stream = io.BytesIO()
    pa.ipc.new_file(stream, pa.schema({"a": pa.float64()})).close()
    data = stream.getvalue()
    start, footer = footer_of(data)
    alone = b"ARROW1\0\0" + data[start:]
    assert claims(alone) == claims(data, max_header_bytes=len(footer)) == []
    for wrong, limits in (
        (alone[1:], {}),
        (data, {"max_header_bytes": len(footer) - 1}),
        (bytes(32) + b"ARROW2", {}),
        (bytes(28) + b"\x64\0\0\0ARROW1", {}),
    ):
        with pytest.raises(ValueError, match="no footer"):
            claims(wrong, **limits)


# ---- rows of tables ----


@pytest.mark.parametrize(("rows", "words"), [(2, "more rows"), (3, ""), (4, "truncated")])
def test_a_table_has_the_rows_that_it_claims(rows: int, words: str) -> None:
    batch = pa.record_batch({"x": [1.0, 2.0, 4.0], "y": [3.0, 1.0, 0.5]})
    limits = Limits(min_rows=1)
    given = (plan_columns(batch.schema, "t", None, limits, EVERY), rows, [batch], limits)
    if words:
        refusal(given[0], words, by=lambda plan: read_batches(plan, *given[1:]))
    else:
        assert read_batches(*given)[0].shape == (3, 2)


def test_labels_from_a_dictionary_are_those_of_plain_texts() -> None:
    texts = pa.array(["a", "b", None, "b"] * 3)
    for label in (texts, texts.dictionary_encode()):
        columns = {"x": np.arange(12.0) ** 2, "y": np.ones(12), "label": label}
        labels = read(("t.parquet", build.parquet(columns, row_group_size=5))).labels["label"]
        assert labels.tolist() == ["a", "b", "", "b"] * 3


def test_places_of_a_dictionary_are_inside_it() -> None:
    assert len(_valid(pa.array([0, 2, None]), 3)) == 3
    assert len(_valid(pa.array([None], pa.int8()), 0)) == 1
    for outside in (-1, 3):
        with pytest.raises(ValueError, match="outside"):
            _valid(pa.array([0, outside]), 3)


# ---- Parquet ----


def test_numbers_of_the_compact_protocol() -> None:
    for data, varint in ((b"\x01", 1), (b"\xff\x01", 255), (b"\x80\x80\x01", 16_384)):
        assert _Compact(data)._varint() == varint
    assert [_Compact(bytes([byte]))._integer() for byte in range(4)] == [0, -1, 1, -2]
    assert _Compact(b"\xff" * 9 + b"\x00")._varint() == 2**63 - 1
    with pytest.raises(ValueError, match="more than 64 bits"):
        _Compact(b"\xff" * 10 + b"\x00")._varint()


LONG_LIST = b"\x19" + b"\xf5\x10" + b"\x02" * 16 + b"\x00"


@pytest.mark.parametrize(
    ("data", "wanted", "found"),
    [
        (b"\x39\x25\x02\x04\x25\x06\x00", {3: None, 5: None}, {3: [1, 2], 5: 3}),
        (b"\x05\x06\x02\x15\x08\x00", {3: None, 4: None}, {3: 1, 4: 4}),
        (LONG_LIST, {1: None}, {1: [1] * 16}),
        (b"\x1c" * 30 + bytes(31), {}, {}),
        (b"\x1c" * 31 + bytes(32), {}, "nested too deeply"),
        (b"\x1c" * 40 + bytes(41), {4: None}, "nested too deeply"),
        (b"\x1c" * 40 + bytes(41), {1: {1: None}}, "nested too deeply"),
        (b"\x15\x02\x00", {2: None}, "an empty struct"),
        (b"\x1b\x00", {1: None}, "unknown type"),
        (b"\x1d\x00", {1: None}, "unknown type"),
        (b"\x1f\x00", {1: None}, "unknown type"),
        (b"\x19\xf5\xc0\x84\x3d", {1: None}, "too many parts"),
    ],
)
def test_structs_of_the_compact_protocol(
    data: bytes, wanted: dict[int, Any], found: dict[int, Any] | str
) -> None:
    if isinstance(found, str):
        with pytest.raises(ValueError, match=found):
            _Compact(data).struct(wanted)
    else:
        assert _Compact(data).struct(wanted) == found


# Values of Thrift's compact protocol by their type, as they stand in a list.
OF_KIND = {
    **{1: b"\x01", 2: b"\x02", 3: b"\x07", 4: b"\x80\x01", 5: b"\x0e", 6: b"\xff\xff\x03"},
    **{7: bytes(8), 8: b"\x03abc", 9: b"\x25\x02\x04", 10: b"\x15\x02", 12: b"\x15\x02\x00"},
}


@pytest.mark.parametrize("kind", OF_KIND)
def test_fields_of_every_type_are_passed_over(kind: int) -> None:
    alone = b"" if kind < 3 else OF_KIND[kind]  # a truth value is in the type itself
    two = bytes([0x29, 0x20 | kind]) + 2 * OF_KIND[kind]
    data = bytes([0x10 | kind]) + alone + two + b"\x15\x0e\x00"  # fields 1, 3 and 4, which is 7
    assert _Compact(data).struct({4: None}) == {4: 7}


def test_sizes_are_whole_numbers_from_0() -> None:
    assert [_count(number) for number in (0, 1, 2**40)] == [0, 1, 2**40]
    for number in (-1, -(2**40), 1.0, None, b"1"):
        with pytest.raises(ValueError, match="an impossible size"):
            _count(number)


def test_a_page_whose_header_is_cut_off_ends_the_reading() -> None:
    with pytest.raises(IndexError):
        next(_pages(io.BytesIO(b"\x15"), _Chunk((), 1, 0), 1))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_pages_of_either_version_are_counted(version: str, dictionary: bool) -> None:
    values = np.arange(60.0).reshape(20, 3)
    data = build.parquet(
        build.numbers(pa.float64(), values),
        data_page_version=version,
        use_dictionary=dictionary,
        write_statistics=False,
    )
    assert_array_equal(read(("some.parquet", data)).values, values)


@pytest.mark.parametrize("dictionary", [False, True])
def test_values_of_a_parquet_file_are_counted_without_those_of_dictionaries(
    dictionary: bool,
) -> None:
    columns = {"emb": [[1.0, 2.0]] * 20, "b": [1.0] * 20}
    data = build.parquet(columns, use_dictionary=dictionary, row_group_size=8)
    footer = read_footer(parquet_source(data), Limits())
    emb, b, none = (footer.claims([name]) for name in ("emb", "b", "none"))
    assert (emb.values, b.values, none.values) == (40, 20, 0)
    assert emb.size > b.size > none.size == 0


@pytest.mark.parametrize("header", [300, 3000])
def test_the_claims_of_a_parquet_file_are_those_of_its_pages(header: int) -> None:
    """Page headers may be long, with texts in their statistics."""
    columns = {
        "emb": build.lists(pa.list_(pa.float32())),
        "text": pa.array(["x" * header] * build.N),
    }
    data = build.parquet(columns, use_dictionary=False, compression="none", row_group_size=7)
    footer = read_footer(parquet_source(data), Limits())
    assert footer.rows == build.N
    assert footer.claims(["emb"]).values == build.VALUES.size
    assert footer.claims(["text"]).values == build.N
    assert build.N * header < footer.claims({"text"}).size < build.N * (header + 100)
    assert footer.claims(["te"]).size == 0


def test_labels_count_towards_what_a_parquet_file_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything of them is read."""
    columns = {
        "f": pa.array(range(20), pa.float64()),
        "label": pa.array([chr(97 + place) * 1100 for place in range(20)]),
    }
    source = parquet_source(build.parquet(columns, compression="none", use_dictionary=False))
    assert len(read_parquet(source, None, Limits())[0]) == 20
    monkeypatch.setattr("prviz.readers.arrow.read_batches", None)
    refusal(source, "claims", by=lambda file: read_parquet(file, None, Limits(max_bytes=20_500)))


def test_sizes_of_parquet_headers_lie_in_the_file_and_the_limit() -> None:
    data = build.parquet({"a": np.arange(9) / 4, "b": np.ones(9)})
    length = int.from_bytes(data[-8:-4], "little")
    assert read_footer(parquet_source(data), Limits(max_header_bytes=length)).rows == 9

    def claiming(size: int, most: int = len(data)) -> str:
        changed = data[:-8] + size.to_bytes(4, "little") + data[-4:]
        limits = Limits(max_header_bytes=most)
        return str(refusal(parquet_source(changed), by=lambda file: read_footer(file, limits)))

    assert "its footer is" in claiming(length, length - 1)
    for size in (len(data) - 11, len(data) - 12):
        assert "truncated or corrupt" in claiming(size)
        assert ("no footer" in claiming(size)) == (size == len(data) - 11)
