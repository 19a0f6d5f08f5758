"""The numbers of a report as one tidy table: CSV for spreadsheets, Parquet for everything else.

One row is one number. ``quantity`` is its name: a key of `prviz.curves.summaries`; a vertex of the curve, ``fpr`` or
``fnr``, numbered by ``vertex``; or a column of the ranking: ``place``, ``score``, ``best``, ``tied_with_best``,
``front`` (both 0 or 1), ``precision_side`` and ``recall_side``. ``low`` and ``high`` are the interval, if any. A
checkpoint that failed is one row with a ``reason`` and no quantity. All other columns describe the measurement, those
of the metadata with ``extra_`` before their names.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from prviz.reports.document import Document
from prviz.reports.export import csv_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["decodable", "table", "to_csv", "to_parquet"]

# Key of the Parquet metadata that hold the report without its numbers.
METADATA_KEY = b"prviz"
_NUMBERS = ("checkpoints", "rankings")
_OF_THE_RANKING = {
    "best": "best",
    "tied_with_best": "tied_with_best",
    "front": "front",
    "precision": "precision_side",
    "recall": "recall_side",
}
_TEXTS = ("prviz", "checkpoint", "path", "digest", "reference", "reference_digest", "family", "quantity", "reason")
_WHOLE = ("schema_version", "n_real", "n_generated", "k", "seed", "replicates", "vertex")


def decodable(text: str) -> str:
    """The text with escapes for what UTF-8 can't hold, as in file names of another encoding."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def table(report: Document) -> pd.DataFrame:
    """The table described above."""
    import pandas as pd

    found = pd.DataFrame(list(_rows(report)))
    for name in found.columns:
        if name in _TEXTS:
            found[name] = found[name].astype(object).where(found[name].notna(), None)
        else:
            found[name] = found[name].astype("Int64" if name in _WHOLE else "Float64")
    return found


def to_csv(report: Document) -> str:
    """The table as CSV without formulas; missing values are empty."""
    rows = list(_rows(report))
    return csv_text([list(rows[0]), *(list(row.values()) for row in rows)])


def to_parquet(report: Document) -> bytes:
    """The table as Parquet, with the rest of the report as JSON in the metadata under "prviz"."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rest = {key: value for key, value in report.items() if key not in _NUMBERS}
    written = pa.Table.from_pandas(table(report), preserve_index=False)
    metadata = {**(written.schema.metadata or {}), METADATA_KEY: json.dumps(rest, allow_nan=False).encode()}
    stream = io.BytesIO()
    pq.write_table(written.replace_schema_metadata(metadata), stream)
    return stream.getvalue()


def _rows(report: Document) -> Iterator[dict[str, Any]]:
    extras = list(dict.fromkeys(name for each in report["checkpoints"] for name in each["extra"]))
    for each in report["checkpoints"]:
        of = _of(report, each, extras)
        if not each["families"]:
            yield of | _number(None, None)
        for family, found in each["families"].items():
            about = of | {"family": family, "k": found["k"], **_bandwidth(found)}
            for number in _numbers(report, each["name"], family, found):
                yield about | number


def _of(report: Document, checkpoint: Document, extras: list[str]) -> dict[str, Any]:
    """The columns that all numbers of a checkpoint have in common; every row has the same columns."""
    settings, reference = report["settings"], report["reference"]
    reason = checkpoint["reason"]
    return {
        "schema_version": report["schema_version"],
        "prviz": report["versions"]["prviz"],
        "checkpoint": decodable(checkpoint["name"]),
        "path": decodable(checkpoint["path"]),
        "step": checkpoint["step"],
        **{f"extra_{decodable(name)}": checkpoint["extra"].get(name) for name in extras},
        "digest": checkpoint["digest"],
        "reference": decodable(reference["path"]),
        "reference_digest": reference["digest"],
        "n_real": reference["n"],
        "n_generated": checkpoint["n"],
        "split": settings["split"],
        "seed": settings["seed"],
        "replicates": report["bootstrap"]["replicates"],
        "goal": report["goal"],
        "reason": None if reason is None else decodable(reason),
        "family": None,
        "k": None,
        "bandwidth_real": None,
        "bandwidth_generated": None,
    }


def _bandwidth(found: Document) -> dict[str, Any]:
    sigma = found["bandwidth"] or {"real": None, "generated": None}
    return {"bandwidth_real": sigma["real"], "bandwidth_generated": sigma["generated"]}


def _numbers(report: Document, name: str, family: str, found: Document) -> Iterator[dict[str, Any]]:
    for key, each in found["summaries"].items():
        yield _number(key, each["value"], each["low"], each["high"])
    for place, line in enumerate(report["rankings"][family]["lines"], start=1):
        if line["checkpoint"] == name:
            yield _number("place", place)
            yield _number("score", line["score"], line["low"], line["high"])
            for key, quantity in _OF_THE_RANKING.items():
                yield _number(quantity, float(line[key]))
    for side, values in found["vertices"].items():
        for vertex, value in enumerate(values):
            yield _number(side, value, vertex=vertex)


def _number(
    quantity: str | None,
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    vertex: Any = None,
) -> dict[str, Any]:
    return {"quantity": quantity, "vertex": vertex, "value": value, "low": low, "high": high}
