"""Builders of files with embeddings as bytes, truthful and lying ones: the parts of `file_zoo`."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from prviz.readers import Limits

# Eighths below 5 are exact in every float type down to bfloat16.
N = 24
VALUES = np.random.default_rng(7).integers(-39, 40, size=(N, 4)) / 8
WHOLE = np.random.default_rng(8).integers(-100, 100, size=(N, 4))
LABEL = ["cat", "dog", "cat", "<b>ox</b>", "=1+1", "ünï"] * 4
SMALL = Limits(max_bytes=1_000_000)
HOSTILE = "<img src=x onerror=alert(1)>"
NAN = VALUES.copy()
NAN[2, 1] = np.nan
INF = VALUES.copy()
INF[4, 3] = -np.inf


@dataclass(frozen=True)
class Accepted:
    """A file, what it holds, and how to read it."""

    name: str
    data: bytes
    values: np.ndarray = field(default_factory=lambda: VALUES)
    dtype: str = "float64"
    labels: Mapping[str, list[Any]] = field(default_factory=dict)
    key: str | None = None


@dataclass(frozen=True)
class Refused:
    """A file that must not be read, and a part of the message that says so."""

    name: str
    data: bytes
    message: str
    key: str | None = None
    limits: Limits = field(default_factory=Limits)


def npy(array: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npy_version(array: np.ndarray, version: tuple[int, int]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def raw_npy(header: str, data: bytes = b"", *, length: int | None = None) -> bytes:
    """An .npy file with any header text, truthful or not."""
    text = header.encode("latin1")
    return (
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(text) if length is None else length)
        + text
        + data
    )


def npz(compressed: bool = False, **arrays: Any) -> bytes:
    stream = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(stream, **arrays)
    return stream.getvalue()


def archive(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of any members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return stream.getvalue()


def csv(values: np.ndarray = VALUES, header: str = "", mark: str = ",", end: str = "\n") -> bytes:
    lines = ([header] if header else []) + [
        mark.join(repr(float(x)) for x in row) for row in values
    ]
    return (end.join(lines) + end).encode()


def parquet(columns: Mapping[str, Any], **options: Any) -> bytes:
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(dict(columns)), stream, **options)
    return stream.getvalue()


def _thrift(number: int, width: int = 1) -> bytes:
    """An integer of Thrift's compact protocol, in at least so many bytes."""
    rest = number << 1
    parts = []
    while rest or len(parts) < width:
        parts.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*parts[:-1], parts[-1] & 0x7F])


def understated(data: bytes) -> bytes:
    """A Parquet file of one row group and one column whose footer claims 3 rows, 300 values and 300
    bytes.
    """
    length = int.from_bytes(data[-8:-4], "little")
    body = data[: -8 - length]
    footer = data[-8 - length : -8]
    tail = data[-8:]
    group = pyarrow.parquet.read_metadata(io.BytesIO(data)).row_group(0)
    for true, claim in {
        group.column(0).num_values: 300,
        group.column(0).total_uncompressed_size: 300,
        group.num_rows: 3,
    }.items():
        assert _thrift(true) in footer
        footer = footer.replace(_thrift(true), _thrift(claim, len(_thrift(true))))
    return body + footer + tail


def parquet_footer(footer: bytes) -> bytes:
    """A Parquet file without data and with any footer."""
    return b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1"


def feather(columns: Mapping[str, Any], **options: Any) -> bytes:
    stream = io.BytesIO()
    pyarrow.feather.write_feather(pa.table(dict(columns)), stream, **options)
    return stream.getvalue()


def arrow_stream(columns: Mapping[str, Any]) -> bytes:
    """An Arrow stream, as Hugging Face's ``save_to_disk`` writes it."""
    stream = io.BytesIO()
    table = pa.table(dict(columns))
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table, max_chunksize=7)
    return stream.getvalue()


def schema_in_footer_alone(data: bytes) -> bytes:
    """An Arrow file of which only the footer holds the schema, as polars 1.44 and later write
    it.
    """
    length = int.from_bytes(data[12:16], "little")
    return data[:8] + bytes(8 + length) + data[16 + length :]


def tensors(header: Mapping[str, Any] | bytes, data: bytes = b"") -> bytes:
    """A .safetensors file with any header, truthful or not."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(dtype: str, array: np.ndarray, shape: tuple[int, ...] | None = None) -> bytes:
    data = array.tobytes()
    entry = {
        "dtype": dtype,
        "shape": list(array.shape if shape is None else shape),
        "data_offsets": [0, len(data)],
    }
    return tensors({"feats": entry}, data)


def lists(kind: pa.DataType, values: np.ndarray = VALUES) -> pa.Array:
    return pa.array(list(values.astype(kind.value_type.to_pandas_dtype())), type=kind)


def numbers(kind: pa.DataType, values: np.ndarray = VALUES) -> dict[str, pa.Array]:
    return {
        f"f{i}": pa.array(column.astype(kind.to_pandas_dtype()), type=kind)
        for i, column in enumerate(values.T)
    }


def bfloat16() -> np.ndarray:
    return VALUES.astype(ml_dtypes.bfloat16)


class Payload:
    """Unpickling this would create a file of the given name: no reader may."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self.path, "w")


def pickled(path: str, protocol: int) -> bytes:
    return pickle.dumps(Payload(path), protocol=protocol)


def object_array(path: str) -> np.ndarray:
    """An array of Python objects, one of which is a `Payload`."""
    array = np.empty((N, 4), dtype=object)
    array[0, 0] = Payload(path)
    return array


def zeros_archive(key: str = "feats", megabytes: int = 256) -> bytes:
    """A small .npz that claims ``megabytes`` MiB of zeros."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as zipped,
        zipped.open(f"{key}.npy", "w") as member,
    ):
        member.write(raw_npy(npy_header("<f4", (megabytes * 256, 1024))))
        for _ in range(megabytes):
            member.write(bytes(1024**2))
    return stream.getvalue()


def npy_header(descr: str, shape: tuple[int, ...]) -> str:
    """The text of an .npy header."""
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"
