"""What the first and last bytes of files say: pickles, headers that are too long, footers that are
none, pages.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy

from prviz.readers import Limits, ReadError, read
from prviz.readers.arrow import _Chunk, _claims_of_file, _Compact, _count, _pages
from prviz.readers.keyed import open_tensors
from prviz.readers.source import FileSource, looks_pickled
from prviz.readers.text_dialect import thousands_in
from tests import file_builders as build


@pytest.mark.parametrize(
    ("head", "pickled"),
    [
        (b"\x80\x04\x95\x10" + bytes(4) + b"\x8c", True),
        (b"\x80\x05\x95\x10" + bytes(4) + b"\x8c", True),
        (b"\x80\x06\x95\x10" + bytes(4) + b"\x8c", False),  # no such protocol
        (b"\x80\x04", False),
        (b"\x80\x04\x00\x01" + bytes(4) + b"[", False),
        (b"\x80\x04\x01\x00" + bytes(4) + b'{"a"', False),  # the length of a header of .safetensors
        (b"\x80\x04\x01\x00" + bytes(4) + b"[", True),
        (b"\x80\x04\x01\x00" + b"\x01\x00\x00\x00" + b"{", True),
        (b"(lp0\n", True),
        (b"(dp0\n", True),
        (b"cnumpy\nndarray", True),
        (b"x,y\n1,2", False),
    ],
)
def test_pickles_are_known_by_their_first_bytes(head: bytes, pickled: bool) -> None:
    assert looks_pickled(head, text=False) is pickled
    assert looks_pickled(head, text=True) is (pickled and head[:1] == b"\x80")


def _tensors(length: int, header: bytes = b"{}") -> FileSource:
    data = length.to_bytes(8, "little") + header
    return FileSource("some.safetensors", len(data), data=data)


def test_an_array_per_sample_is_to_be_stacked_if_it_holds_numbers() -> None:
    held = {f"a{place}": np.arange(4.0) + place for place in range(12)}
    for name, data in (
        ("s.npz", build.npz(**held)),
        ("s.safetensors", safetensors.numpy.save(held)),
    ):
        with pytest.raises(ReadError, match="one 1-D array per sample"):
            read((name, data))
    packed = {name: np.zeros(4, np.bool_) for name in held}
    with pytest.raises(ReadError) as refused:
        read(("b.npz", build.npz(**packed)))
    assert "array per sample" not in str(refused.value)


def test_headers_of_tensors_may_fill_the_file_and_the_limit_but_no_more() -> None:
    with open_tensors(_tensors(2), Limits(max_header_bytes=2)):
        pass
    for length, limits in ((3, Limits()), (2, Limits(max_header_bytes=1)), (2**63, Limits())):
        with (
            pytest.raises(ReadError, match="its header claims"),
            open_tensors(_tensors(length), limits),
        ):
            pass


@pytest.mark.parametrize(
    ("length", "magic", "limits"),
    [
        (0, b"ARROW2", Limits()),
        (100, b"ARROW1", Limits()),
        (10, b"ARROW1", Limits(max_header_bytes=9)),
    ],
)
def test_an_arrow_file_without_its_footer_has_none(
    length: int, magic: bytes, limits: Limits
) -> None:
    data = bytes(28) + length.to_bytes(4, "little") + magic
    with pytest.raises(ValueError, match="no footer"):
        list(_claims_of_file(io.BytesIO(data), len(data), limits))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_pages_of_either_version_are_counted(
    tmp_path: Path, version: str, dictionary: bool
) -> None:
    values = np.arange(60.0).reshape(20, 3)
    table = pa.table({f"f{place}": column for place, column in enumerate(values.T)})
    options = {
        "data_page_version": version,
        "use_dictionary": dictionary,
        "write_statistics": False,
    }
    pq.write_table(table, tmp_path / "some.parquet", **options)
    np.testing.assert_array_equal(read(tmp_path / "some.parquet").values, values)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("1,234.5", (",", ".")),
        ("1.234,5", (".", ",")),
        ("1.234.567", (".", ",")),
        ("1,234,567", (",", ".")),
    ],
)
def test_what_stands_between_thousands_tells_what_stands_before_decimals(
    text: str, signs: tuple[str, str]
) -> None:
    assert thousands_in(text) == signs


@pytest.mark.parametrize("text", ["1'234.5", "1 234.5", "1'234", "1 234"])
def test_between_other_thousands_a_point_stands_before_decimals(text: str) -> None:
    assert thousands_in(text) == (text[1], ".")
    assert thousands_in(text.replace(".", ",")) == (text[1], "," if "." in text else ".")


# Values of Thrift's compact protocol by their type, as they stand in a list.
OF_KIND = {
    **{
        1: b"\x01",
        2: b"\x02",
        3: b"\x07",
        4: b"\x80\x01",
        5: b"\x0e",
        6: b"\xff\xff\x03",
        7: bytes(8),
    },
    **{8: b"\x03abc", 9: b"\x25\x02\x04", 10: b"\x15\x02", 12: b"\x15\x02\x00"},
}


@pytest.mark.parametrize("kind", OF_KIND)
def test_fields_of_every_type_are_passed_over(kind: int) -> None:
    alone = b"" if kind < 3 else OF_KIND[kind]  # a truth value is in the type itself
    two = bytes([0x29, 0x20 | kind]) + 2 * OF_KIND[kind]
    data = bytes([0x10 | kind]) + alone + two + b"\x15\x0e\x00"  # fields 1, 3 and 4, which is 7
    assert _Compact(data).struct({4: None}) == {4: 7}


@pytest.mark.parametrize("wanted", [{4: None}, {1: {1: None}}])
def test_structs_in_structs_end_at_some_depth(wanted: dict[int, Any]) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        _Compact(b"\x1c" * 40 + bytes(41)).struct(wanted)


def test_sizes_are_whole_numbers_from_0() -> None:
    assert [_count(number) for number in (0, 1, 2**40)] == [0, 1, 2**40]
    for number in (-1, -(2**40), 1.0, None, b"1"):
        with pytest.raises(ValueError, match="an impossible size"):
            _count(number)


def test_a_packed_buffer_of_eight_bytes_alone_claims_what_they_say() -> None:
    data = build.feather({"a": pa.array(np.zeros(1_000))}, compression="zstd")
    (plain,) = _claims_of_file(io.BytesIO(data), len(data), Limits())
    assert plain.size == 8_000
    written = [size for size in range(9, 400) if data.count(struct.pack("<qq", 0, size)) == 1]
    short = data.replace(struct.pack("<qq", 0, written[0]), struct.pack("<qq", 0, 8))
    assert list(_claims_of_file(io.BytesIO(short), len(short), Limits())) == [plain]


def test_a_page_whose_header_is_cut_off_ends_the_reading() -> None:
    with pytest.raises(IndexError):
        next(_pages(io.BytesIO(b"\x15"), _Chunk((), 1, 0), 1))
