"""Writes the result of an embedding: features with their provenance in a .safetensors file, and a
Parquet table beside it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from prviz.arrays import Array, Floats32
from prviz.embed.base import SourceItem
from prviz.readers.atomic_files import beside, named


@contextlib.contextmanager
def whole_pair(features: Path, table: Path) -> Iterator[tuple[Path, Path]]:
    """Yield two temporary paths to write to; afterwards replace the features and the table by them,
    either both or neither.

    A new table never stands beside old features, even if the process fails or is killed in between.
    """
    drafts = [beside(path) for path in (features, table)]
    old = beside(table)
    try:
        yield drafts[0], drafts[1]
        with contextlib.suppress(FileNotFoundError):
            table.replace(old)
        try:
            with named(features):
                drafts[0].replace(features)
        except OSError:
            with contextlib.suppress(FileNotFoundError):
                old.replace(table)
            raise
        with named(table):
            drafts[1].replace(table)
    finally:
        for each in (*drafts, old):
            each.unlink(missing_ok=True)


def write_features(
    out: Path,
    parts: Iterable[Floats32],
    shape: tuple[int, int],
    extra: Mapping[str, Array],
    metadata: Mapping[str, str],
) -> None:
    """Write features as `put_features` does; an existing file is replaced only when everything is
    written.
    """
    draft = beside(out)
    try:
        with named(out):
            put_features(draft, parts, shape, extra, metadata)
            draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)


def put_features(
    out: Path,
    parts: Iterable[Floats32],
    shape: tuple[int, int],
    extra: Mapping[str, Array],
    metadata: Mapping[str, str],
) -> None:
    """Write ``features`` (n, d), whose rows come in parts, and the float32 arrays ``extra`` to a
    new .safetensors file.
    """
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for name, size in {
        "features": shape,
        **{name: array.shape for name, array in extra.items()},
    }.items():
        begin = end
        end = end + 4 * int(np.prod(size))
        header[name] = {"dtype": "F32", "shape": list(size), "data_offsets": [begin, end]}
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with out.open("xb") as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        # written in parts, since all features may not fit into memory
        for array in chain(parts, extra.values()):
            stream.write(np.ascontiguousarray(array, "<f4").tobytes())
        stream.flush()
        os.fsync(stream.fileno())


def put_table(
    path: Path,
    parts: Iterable[tuple[Floats32, Sequence[SourceItem]]],
    column: str,
    metadata: Mapping[str, str],
    root: str,
) -> None:
    """Write a Parquet table of features, names and labels that the pages can read.

    column : what names a sample: "path" (``root`` followed by the item's path), "row" or "text".
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    with path.open("xb") as stream:
        for rows, items in parts:
            names = [item.text if column == "text" else f"{root}{item.path}" for item in items]
            flat = pa.array(rows.reshape(-1), pa.float32())
            columns = {
                "features": pa.FixedSizeListArray.from_arrays(flat, rows.shape[1]),
                column: pa.array(names, pa.string()),
                "label": pa.array([item.label for item in items], pa.string()),
            }
            table = pa.table(columns).replace_schema_metadata(dict(metadata))
            writer = writer or pq.ParquetWriter(stream, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
        stream.flush()
        os.fsync(stream.fileno())
