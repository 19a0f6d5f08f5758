"""Readers of .parquet and .feather files by pyarrow, after a check of the sizes that their metadata claim."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from prviz.readers.arrays import Array, check_counts
from prviz.readers.arrow_limits import claimed_by_batches
from prviz.readers.columns import plan_columns, read_batches
from prviz.readers.errors import corrupt_unless_read
from prviz.readers.limits import Limits, check_claim
from prviz.readers.parquet_footer import read_footer
from prviz.readers.source import FileSource

__all__ = ["read_feather", "read_parquet"]

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


@contextmanager
def _opened(source: FileSource) -> Iterator[Any]:
    """Source as an Arrow file; errors of pyarrow become a `ReadError`."""
    import pyarrow as pa

    errors = (
        pa.ArrowException,
        OSError,
        ValueError,
        KeyError,
        IndexError,
        OverflowError,
        TypeError,
        RecursionError,
    )
    with source.open() as stream, corrupt_unless_read(source.where, *errors):
        yield pa.PythonFile(_Clamped(stream, source.size), mode="r")


def read_parquet(source: FileSource, key: str | None, limits: Limits) -> tuple[Array, dict[str, Array]]:
    """Values (n, d) and labels of a Parquet file; only their columns are read.

    Raises
    ------
    ReadError : see `plan_columns`; ragged or missing values with their row; a corrupt file; a claim over the limit.
    """
    import pyarrow.parquet as pq

    footer = read_footer(source, limits)
    with _opened(source) as stream:
        plan = plan_columns(pq.ParquetFile(stream).schema_arrow, source.where, key, limits)
    features, labels = footer.claims(plan.features), footer.claims(plan.labels)
    values = features.values if plan.as_list else footer.rows * len(plan.features)
    check_claim(source.where, features.size + labels.size, limits)
    plan.check_claim(footer.rows, values, limits)
    check_counts(source.where, footer.rows, len(plan.features), limits)
    with _opened(source) as stream:
        # Dictionaries stay dictionaries: a file may repeat one long text a million times for nothing.
        file = pq.ParquetFile(stream, read_dictionary=list(plan.labels))
        # Large batches, because each batch repeats its dictionaries.
        size = max(1, _BATCH_BYTES * footer.rows // (8 * values + labels.size or 1))
        return read_batches(plan, footer.rows, file.iter_batches(batch_size=size, columns=plan.columns), limits)


def read_feather(source: FileSource, key: str | None, limits: Limits) -> tuple[Array, dict[str, Array]]:
    """Values (n, d) and labels of a Feather (version 2, Arrow IPC) file; only their columns are decompressed.

    Raises
    ------
    ReadError : as `read_parquet`.
    """
    import pyarrow as pa

    with _opened(source) as stream:
        # After eight bytes of magic the file is an Arrow stream. Both check and read use that stream, as the footer
        # has a second table of contents that may differ.
        rows, size = claimed_by_batches(stream, source.where)
        check_claim(source.where, size, limits)
        stream.seek(8)
        schema = pa.ipc.open_stream(stream).schema
        plan = plan_columns(schema, source.where, key, limits)
        plan.check_claim(rows, 0 if plan.as_list else rows * len(plan.features), limits)
        check_counts(source.where, rows, len(plan.features), limits)
        stream.seek(8)
        options = pa.ipc.IpcReadOptions(included_fields=[schema.get_field_index(name) for name in plan.columns])
        return read_batches(plan, rows, pa.ipc.open_stream(stream, options=options), limits)
