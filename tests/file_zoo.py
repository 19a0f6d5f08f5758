"""Files for the upload box: one or a few of every kind, accepted or refused, that need no key and
no limit.

`file_zoo_accepted` and `file_zoo_refused` have all of them, with the values or the message to
expect.
"""

from __future__ import annotations

from tests.file_zoo_accepted import every_accepted, pairs
from tests.file_zoo_refused import every_refused

__all__ = ["accepted", "pairs", "refused"]

_ACCEPTED = [
    "float64.npy",
    "float32.npy",
    "float16.npy",
    "bfloat16.npy",
    "fortran.npy",
    "big-endian-32.npy",
    "int-i4.npy",
    "bool.npy",
    "squeezed.npy",
    "key-feats.npz",
    "compressed.npz",
    "only-table.npz",
    "with-statistics.npz",
    "plain.csv",
    "header.csv",
    "pandas-index.csv",
    "labels.csv",
    "plain.tsv",
    "list-32.parquet",
    "columns-64.parquet",
    "labels.parquet",
    "fixed-list.feather",
    "columns-32.feather",
    "zstd-chunks.feather",
    "tensor.pq",
    "stream.arrow",
    "stream.arrows",
    "short.ftr",
    "view.ipc",
    "zstd-footer-alone.feather",
    "packed.csv.gz",
    "packed.csv.zst",
    "packed.tsv.gz",
    "packed.tsv.zst",
    "lists.jsonl",
    "lists.ndjson",
    "packed.jsonl.gz",
    "packed.jsonl.zst",
    "F32.safetensors",
    "F16.safetensors",
    "BF16.safetensors",
]
_REFUSED = [
    "a.pkl",
    "a.pt",
    "a.joblib",
    "protocol-0.npy",
    "disguised.csv",
    "torch.pt",
    "torch.npz",
    "objects.npy",
    "objects.npz",
    "fid.npz",
    "images.npz",
    "1-D.npy",
    "3-D.npy",
    "complex.npy",
    "text.npy",
    "dates.npy",
    "nan.npy",
    "inf.npz",
    "nan.safetensors",
    "two-rows.npy",
    "no-columns.npy",
    "no-arrays.npz",
    "none-fits.npz",
    "short-line.csv",
    "word.csv",
    "empty-field.csv",
    "nan.csv",
    "hostile.csv",
    "latin.csv",
    "only-labels.csv",
    "real-zip.csv",
    "ragged.parquet",
    "nan.parquet",
    "words.parquet",
    "null-entry.feather",
    "zeros.npy",
    "inner-header.npz",
    "claim.safetensors",
    "directory.npz",
    "long-header.npy",
    "empty.npy",
    "half.npz",
    "half.parquet",
    "half.feather",
    "half.safetensors",
    "garbage.npy",
    "checksum.npz",
    "notes.txt",
    "photo.PNG",
]


def accepted() -> list[tuple[str, bytes]]:
    """File name and contents of files that are read."""
    files = {file.name: file.data for file in every_accepted()}
    return [(name, files[name]) for name in _ACCEPTED]


def refused() -> list[tuple[str, bytes, str]]:
    """File name, contents and a part of the message of files that are refused."""
    files = {file.name: file for file in every_refused()}
    return [(name, files[name].data, files[name].message) for name in _REFUSED]
