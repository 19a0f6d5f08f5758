"""Reads the Protocol Buffers messages of an ONNX file: finds the files that hold its weights, and
makes an inner tensor an output.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterator
from pathlib import Path

from prviz.embed.base import file_sha256

# Where tensors lie in onnx.proto: kind of message -> number of a field -> kind of message in this
# field.
_INSIDE = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
# Field of a tensor message that describes its external file.
_ENTRY = 13
# Field of a tensor message that says where its values are.
_PLACE = 14
# Value of the field _PLACE if the values are in an external file.
_EXTERNAL = 1
# Wire type of a varint in Protocol Buffers.
_VARINT = 0
# Wire type of bytes that follow their length.
_BYTES = 2
# Wire types of fixed size -> size in bytes.
_FIXED = {1: 8, 5: 4}


def external_files(network: Path) -> list[str]:
    """Sorted paths of the external files with a network's weights, relative to the network's
    folder.

    Raises
    ------
    ValueError : the file is no ONNX network.
    """
    with network.open("rb") as stream:
        if not stream.read(1):
            raise ValueError("an empty file")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return sorted(set(_locations(data)))


def weights_sha256(network: Path) -> str:
    """SHA-256 of the network's file; if it names external files, of their names and contents
    too.
    """
    own = file_sha256(network)
    names = external_files(network)
    if not names:
        return own
    hasher = hashlib.sha256(own.encode())
    for name in names:
        file = network.parent / name
        contents = "missing"
        if file.is_file():
            contents = file_sha256(file)
        hasher.update(f"{name}\0{contents}".encode())
    return hasher.hexdigest()


def with_output(network: bytes, name: str) -> bytes:
    """The network with the tensor ``name`` as its last output.

    Nothing is parsed: Protocol Buffers merge repeated messages, so an appended model message whose
    graph has one output adds this output.
    """
    message = name.encode()
    for field in (1, 12, 7):  # fields: name of an output, output of a graph, graph of a model
        message = bytes([field << 3 | _BYTES]) + _as_varint(len(message)) + message
    return network + message


def _as_varint(value: int) -> bytes:
    """The number as a Protocol Buffers varint: seven bits in each byte, the lowest first."""
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def _locations(data: mmap.mmap) -> Iterator[str]:
    # a stack in place of recursion, since messages nest to any depth
    waiting = [("model", 0, len(data))]
    while waiting:
        message, begin, end = waiting.pop()
        if message == "tensor":
            yield from _location(data, begin, end)
            continue
        inside = _INSIDE[message]
        for number, kind, start, stop in _fields(data, begin, end):
            if kind == _BYTES and number in inside:
                waiting.append((inside[number], start, stop))


def _location(data: mmap.mmap, begin: int, end: int) -> Iterator[str]:
    external = False
    names: list[str] = []
    for number, kind, start, stop in _fields(data, begin, end):
        if number == _PLACE and kind == _VARINT:
            external = _varint(data, start, end)[0] == _EXTERNAL
        elif number == _ENTRY and kind == _BYTES:
            fields = _fields(data, start, stop)
            entry = {field: data[first:last] for field, _, first, last in fields}
            if entry.get(1) == b"location":
                names.append(entry.get(2, b"").decode())
    if external:
        yield from names


def _fields(data: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Number, wire type, start and end of every field of a message in bytes ``at`` to ``end``."""
    while at < end:
        tag, at = _varint(data, at, end)
        kind = tag & 7
        start = at
        if kind == _VARINT:
            _, at = _varint(data, at, end)
        elif kind == _BYTES:
            length, start = _varint(data, at, end)
            at = start + length
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            raise ValueError("not in the format of ONNX")
        if at > end:
            raise ValueError("cut off")
        yield tag >> 3, kind, start, at


def _varint(data: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    """The varint that begins at byte ``at``, and the position after it."""
    value = 0
    for place, shift in enumerate(range(0, 70, 7), start=at):
        if place >= end:
            break
        value |= (data[place] & 127) << shift
        if data[place] < 128:
            return value, place + 1
    raise ValueError("cut off")
