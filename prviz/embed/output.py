"""The result of an embedding: features with their origin in a .safetensors file, and a Parquet table beside it."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.embed.sources import SourceItem
from prviz.readers.atomic_files import named


def write_features(
    out: Path,
    parts: Iterable[NDArray[np.float32]],
    shape: tuple[int, int],
    extra: Mapping[str, NDArray[Any]],
    metadata: Mapping[str, str],
) -> None:
    """Write ``features`` (n, d), part by part, and other float32 arrays; an older file stays until all is written."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for name, size in {"features": shape, **{name: array.shape for name, array in extra.items()}}.items():
        begin, end = end, end + 4 * int(np.prod(size))
        header[name] = {"dtype": "F32", "shape": list(size), "data_offsets": [begin, end]}
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    beside = out.with_name(f".{out.stem[:64]}.{secrets.token_hex(8)}.tmp")
    try:
        with named(out), beside.open("xb") as stream:
            stream.write(len(text).to_bytes(8, "little") + text)
            for array in (*parts, *extra.values()):
                stream.write(np.ascontiguousarray(array, "<f4").tobytes())
            stream.flush()
            os.fsync(stream.fileno())
        with named(out):
            beside.replace(out)
    finally:
        beside.unlink(missing_ok=True)


def write_table(
    path: Path,
    parts: Iterable[tuple[NDArray[np.float32], Sequence[SourceItem]]],
    kind: str,
    metadata: Mapping[str, str],
    root: str,
) -> None:
    """Write features, path (``root`` and the item's own) or text, and label of the samples, as the pages read them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    beside, writer = path.with_name(f".{path.stem[:64]}.{secrets.token_hex(8)}.tmp"), None
    column = "path" if kind == "pictures" else "text"
    try:
        for rows, items in parts:
            flat = pa.array(rows.reshape(-1), pa.float32())
            columns = {
                "features": pa.FixedSizeListArray.from_arrays(flat, rows.shape[1]),
                column: pa.array(
                    [f"{root}{item.path}" if kind == "pictures" else item.text for item in items], pa.string()
                ),
                "label": pa.array([item.label for item in items], pa.string()),
            }
            table = pa.table(columns).replace_schema_metadata(dict(metadata))
            writer = writer or pq.ParquetWriter(beside, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
