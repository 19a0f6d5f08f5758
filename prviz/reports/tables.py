"""The numbers of a report as one tidy table: CSV for spreadsheets, Parquet for everything else.

Each row is one number, and ``quantity`` is its name:

    a key of `prviz.curves.summaries`
    fpr, fnr          of a vertex of the curve; ``vertex`` numbers the vertices
    auc_at_most       area of the upper bound at 95 %
    share_of_ceiling  score over the ceiling, which is that of real samples against real samples
    place, score, best, tied_with_best, front (both 0 or 1), precision_side, recall_side
                      a column of the ranking

``low`` and ``high`` are the interval, if any. A checkpoint that failed has one row with a
``reason`` and no quantity. All other columns describe the measurement; columns of the metadata
begin with ``extra_``.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prviz.reports.document import Document
from prviz.reports.export import csv_text

if TYPE_CHECKING:
    import pandas as pd

# Key of the Parquet metadata under which the rest of the report is stored.
METADATA_KEY = b"prviz"
# Entries of a report whose numbers are in the table.
_NUMBERS = ("checkpoints", "rankings")
# Bytes at the beginning of a CSV, and at the end of a Parquet file, that hold the columns' names.
_NAMES = 2**20
# Column of a ranking -> its ``quantity`` in the table.
_OF_THE_RANKING = {
    "best": "best",
    "tied_with_best": "tied_with_best",
    "front": "front",
    "precision": "precision_side",
    "recall": "recall_side",
}
# Columns that describe a family or a number; empty in the row of a failed checkpoint.
_OF_NUMBERS = (
    "family",
    "k",
    "bandwidth_real",
    "bandwidth_generated",
    "quantity",
    "vertex",
    "value",
    "low",
    "high",
)
_TEXTS = (
    "prviz",
    "checkpoint",
    "path",
    "digest",
    "reference",
    "reference_digest",
    "family",
    "quantity",
    "reason",
)
_WHOLE = ("schema_version", "n_real", "n_generated", "k", "seed", "replicates", "vertex")


def decodable(text: str) -> str:
    """The text, with escapes for characters that UTF-8 can't encode, such as those of file names in
    another encoding.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def table(report: Document) -> pd.DataFrame:
    """The tidy table of a report, which the module's docstring describes."""
    import pandas as pd

    found = pd.DataFrame(list(_rows(report)))
    for name in found.columns:
        if name in _TEXTS:
            found[name] = found[name].astype(object).where(found[name].notna(), None)
        else:
            found[name] = found[name].astype("Int64" if name in _WHOLE else "Float64")
    return found


def to_csv(report: Document) -> str:
    """The table as CSV, in which no cell is a formula for a spreadsheet; missing values are
    empty.
    """
    rows = list(_rows(report))
    return csv_text([list(rows[0]), *(list(row.values()) for row in rows)])


def to_parquet(report: Document) -> bytes:
    """The table as Parquet, with the rest of the report as JSON in the metadata under "prviz"."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rest = {key: value for key, value in report.items() if key not in _NUMBERS}
    written = pa.Table.from_pandas(table(report), preserve_index=False)
    metadata = {
        **(written.schema.metadata or {}),
        METADATA_KEY: json.dumps(rest, allow_nan=False).encode(),
    }
    stream = io.BytesIO()
    pq.write_table(written.replace_schema_metadata(metadata), stream)
    return stream.getvalue()


def is_table(path: Path) -> bool:
    """True if the file is a table of a report, by the names of its columns."""
    with path.open("rb") as file:
        if path.suffix.lower() == ".parquet":
            file.seek(max(path.stat().st_size - _NAMES, 0))
        names = file.read(_NAMES)
    return b"reference_digest" in names and b"schema_version" in names


def _rows(report: Document) -> Iterator[dict[str, Any]]:
    """All rows; each has the columns of its checkpoint, then those of its family, then those of its
    number.
    """
    extras = list(dict.fromkeys(name for each in report["checkpoints"] for name in each["extra"]))
    for each in report["checkpoints"]:
        checkpoint = _of_checkpoint(report, each, extras)
        if not each["families"]:
            yield checkpoint
        for name, found in each["families"].items():
            family = checkpoint | {"family": name, "k": found["k"]}
            family |= {
                f"bandwidth_{role}": value for role, value in (found["bandwidth"] or {}).items()
            }
            for key, one in found["summaries"].items():
                yield family | {
                    "quantity": key,
                    **{name: one[name] for name in ("value", "low", "high")},
                }
            most = (found.get("upper_bound") or {}).get("auc")
            yield family | {"quantity": "auc_at_most", "value": most, "low": None, "high": None}
            yield from (family | number for number in _scores(report, each, name))
            for side, values in found["vertices"].items():
                for vertex, value in enumerate(values):
                    yield family | {"quantity": side, "vertex": vertex, "value": value}


def _of_checkpoint(report: Document, each: Document, extras: Sequence[str]) -> dict[str, Any]:
    """The columns that describe a checkpoint, then empty columns for a family and a number."""
    reference = report["reference"]
    return {
        "schema_version": report["schema_version"],
        "prviz": report["versions"]["prviz"],
        "checkpoint": decodable(each["name"]),
        "path": decodable(each["path"]),
        "step": each["step"],
        **{f"extra_{decodable(name)}": each["extra"].get(name) for name in extras},
        "digest": each["digest"],
        "reference": decodable(reference["path"]),
        "reference_digest": reference["digest"],
        "n_real": reference["n"],
        "n_generated": each["n"],
        "split": report["settings"]["split"],
        "seed": report["settings"]["seed"],
        "replicates": report["bootstrap"]["replicates"],
        "goal": report["goal"],
        "reason": None if each["reason"] is None else decodable(each["reason"]),
        **dict.fromkeys(_OF_NUMBERS),
    }


def _scores(report: Document, checkpoint: Document, family: str) -> Iterator[dict[str, Any]]:
    """Rows of the table on one checkpoint and one family of estimators. The first is its share of
    the ceiling, the score of real samples against real samples, if that was measured. The others
    are its place, its score and the columns of _OF_THE_RANKING in the family's ranking.
    """
    if share := checkpoint.get("share_of_ceiling", {}).get(family):
        yield {
            "quantity": "share_of_ceiling",
            "value": share["share"],
            "low": share["low"],
            "high": share["high"],
        }
    for place, line in enumerate(report["rankings"][family]["lines"], start=1):
        if line["checkpoint"] == checkpoint["name"]:
            yield {"quantity": "place", "value": place}
            yield {
                "quantity": "score",
                "value": line["score"],
                "low": line["low"],
                "high": line["high"],
            }
            for key, quantity in _OF_THE_RANKING.items():
                value = line[key]
                yield {"quantity": quantity, "value": None if value is None else float(value)}
