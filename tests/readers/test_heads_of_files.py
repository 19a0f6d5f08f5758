"""What the first bytes of files say: pickles, and headers that are too long."""

from __future__ import annotations

import numpy as np
import pytest
import safetensors.numpy

from prviz.readers import Limits, ReadError
from prviz.readers.keyed import open_tensors
from prviz.readers.source import FileSource, looks_pickled
from tests import file_builders as build
from tests.readers.answers import refusal


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
        refusal((name, data), "one 1-D array per sample")
    packed = {name: np.zeros(4, np.bool_) for name in held}
    refused = refusal(("b.npz", build.npz(**packed)))
    assert "array per sample" not in str(refused)


def test_headers_of_tensors_may_fill_the_file_and_the_limit_but_no_more() -> None:
    with open_tensors(_tensors(2), Limits(max_header_bytes=2)):
        pass
    for length, limits in ((3, Limits()), (2, Limits(max_header_bytes=1)), (2**63, Limits())):
        with (
            pytest.raises(ReadError, match="its header claims"),
            open_tensors(_tensors(length), limits),
        ):
            pass
