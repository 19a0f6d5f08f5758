"""What the readers make of drawn files, kept as a code for each: a slip moves a few of them and
breaks nothing.

A file's number decides all of it. Where another outcome is meant: `python -m
tests.readers.kept_outcomes` writes the codes anew; `python -m tests.readers.kept_outcomes tables
37` prints one outcome, to be compared with an earlier commit.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import safetensors.numpy

from prviz.readers import ReadError, read_chosen, read_chosen_pair, roles
from prviz.readers.columns import EVERY, ColumnChoice
from prviz.readers.conversion import CONVERTED, arrays_in
from prviz.readers.source import Limits
from prviz.samples import SamplePair, Samples
from tests.readers.by_hand import files, fill, folders, npy, npz
from tests.readers.drawn_rules import Rng, pick, rules

FILE = Path(__file__).with_suffix(".json")
SEED = 5
# Columns of a table by name: features, what is beside them, and what looks like none.
FAMILIES = (
    "f{}",
    "emb_{}",
    "{}",
    "x.{}",
    "pc{}",
    "Dim {}",
    "gene{}",
    "cell_{}",
    "v[{}]",
    "λ{}",
    "λ_{}",
    "Δ{}",
    "é{}",
)
WORDS = ("age", "height", "weight", "score", "mass", "time", "lat", "x", "y", "z", "loss", "rating")
BESIDE = (
    "label",
    "class",
    "id",
    "sample_id",
    "path",
    "image",
    "text",
    "split",
    "role",
    "source",
    "",
    "Unnamed: 0",
    "seed",
    "step",
    "epoch",
    "umap_x",
    "umap_y",
    "tsne_1",
    "cluster",
    "cfg_scale",
    "patient",
    "video_id",
    "run",
    "importance_weight",
    "latency_ms",
    "timestamp",
    "row",
    "y_pred",
    "name",
    "species",
    "count",
    "elapsed",
)
MISSING = ("NA", "", "nan", "-", "n/a", "NULL", "#N/A", "?", "inf", "-inf", "None", ".")
ROLES = (
    ("real", "generated"),
    ("real", "fake"),
    ("train", "synthetic"),
    ("0", "1"),
    ("a", "b"),
    ("True", "False"),
)


# ---- tables of text ----


def beside(rng: Rng, name: str, n: int) -> list[str]:
    """The cells of a column beside the features."""
    kind = int(rng.integers(9))
    if name in ("role", "source", "split") and kind < 6:
        pair = pick(rng, ROLES)
        return [pair[place % 2] for place in range(n)]
    if kind == 0:
        return [f"{pick(rng, 'abc')}{place % 3}" for place in range(n)]
    if kind == 1:
        return [str(place + int(rng.integers(2) * 0)) for place in range(n)]
    if kind == 2:
        return [str(each) for each in rng.permutation(10 * n)[:n]]
    if kind in (3, 4):
        return [str(each) for each in np.sort(rng.integers(0, max(2, n // 3), n))]
    if kind == 5:
        return [str(pick(rng, (True, False))) for _ in range(n)]
    if kind == 6:
        return [f"2024-01-{1 + place % 28:02d}" for place in range(n)]
    if kind == 7:
        return ["1"] * n
    return [f"{place:03d}.png" for place in range(n)]


def numbers(rng: Rng, n: int) -> list[str]:
    """The cells of a feature, written in one of many ways."""
    kind = int(rng.integers(12))
    values = rng.normal(size=n) * 10.0 ** int(rng.integers(-3, 5))
    if kind < 5:
        return [f"{each:.{kind + 2}g}" for each in values]
    if kind == 5:
        return [str(int(each)) for each in rng.integers(0, pick(rng, (2, 5, 256, 100_000)), n)]
    if kind == 6:
        return [f"{each:.3f}" for each in values]
    if kind == 7:
        return [f"{each:e}" for each in values]
    if kind == 8:
        return [f"{each:,.2f}" for each in 1e4 * values]
    if kind == 9:
        return [
            pick(rng, ("${:.2f}", "{:.1f}%", "({:.2f})", "'{:.2f}'", "{:.2f}-")).format(abs(each))
            for each in values
        ]
    if kind == 10:
        return [f"{each:.3f}".replace(".", ",") for each in values]
    return [repr(float(each)) for each in values]


def cells(rng: Rng) -> tuple[list[str], list[list[str]]]:
    """Names of the columns, and the columns."""
    n = pick(rng, (3, 8, 9, 20, 20, 20, 64, 70))
    family = pick(rng, FAMILIES)
    d = pick(rng, (1, 2, 3, 4, 8))
    named = (
        [family.format(place) for place in range(d)]
        if rng.random() < 0.7
        else list(rng.permutation(WORDS)[:d])
    )
    same = int(rng.integers(2**31))
    alike = rng.random() < 0.8
    columns = [numbers(np.random.default_rng(same) if alike else rng, n) for _ in named]
    if alike:  # one way of writing, other numbers
        columns = [list(rng.permutation(column)) for column in columns]
    for _ in range(pick(rng, (0, 0, 1, 1, 2, 3))):
        name = pick(rng, BESIDE)
        place = int(rng.integers(len(named) + 1))
        named.insert(place, name)
        columns.insert(place, beside(rng, name, n))
    return named, columns


def spoiled(rng: Rng, named: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Names and rows, of some with a cell that is missing or one too many, as lists, or turned."""
    if rng.random() < 0.15:
        rows[int(rng.integers(len(rows)))][int(rng.integers(len(named)))] = pick(rng, MISSING)
    if rng.random() < 0.05:
        rows[int(rng.integers(len(rows)))].append("1")
    if rng.random() < 0.05:
        rows[int(rng.integers(len(rows)))].pop()
    if rng.random() < 0.06:
        rows = [[f"[{', '.join(row)}]", "a"] for row in rows]
        named = ["emb", "label"]
    if rng.random() < 0.05:
        rows = [list(row) for row in zip(*rows, strict=False)]
        named = [f"cell{place}" for place in range(len(rows[0]))]
    return named, rows


def table(rng: Rng) -> tuple[str, bytes]:
    """A table of text, as people and programs write them."""
    named, columns = cells(rng)
    named, rows = spoiled(rng, named, [list(row) for row in zip(*columns, strict=True)])
    if rng.random() < 0.8:
        rows.insert(0, named)
    if rng.random() < 0.06:
        rows.insert(1, [pick(rng, ("mm", "", "float", "1"))] * len(named))
    mark = pick(rng, ",,,,;;\t\t| ")
    quote = rng.random() < 0.15 or mark == ","
    lines = [
        mark.join(f'"{cell}"' if quote and mark in cell else cell for cell in row) for row in rows
    ]
    if rng.random() < 0.08:
        lines.insert(
            0, pick(rng, ("# a comment", f"sep={mark}", "A title", "", "# " + mark.join(named)))
        )
    if rng.random() < 0.06:
        lines.append(
            pick(rng, ("", f"mean{mark}1", f"({len(lines)} rows)", mark.join(["0"] * len(named))))
        )
    if rng.random() < 0.05:
        lines = [line + mark for line in lines]
    text = pick(rng, ("\n", "\n", "\n", "\r\n", "\r")).join(lines) + "\n"
    encoding = pick(rng, ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1"))
    return f"t.{'tsv' if mark == chr(9) and rng.random() < 0.8 else 'csv'}", text.encode(
        encoding, "replace"
    )


def records(rng: Rng) -> tuple[str, bytes]:
    """Lines of JSON."""
    named, columns = cells(rng)
    rows: list[dict[str, Any]] = []
    for row in zip(*columns, strict=True):
        found: dict[str, Any] = {}
        for name, cell in zip(named, row, strict=True):
            try:
                found[name] = float(cell) if rng.random() < 0.98 else cell
            except ValueError:
                found[name] = cell
        rows.append(found)
    if rng.random() < 0.4:
        rows = [
            {"emb": list(map(len, map(str, row.values()))), "label": place % 2}
            for place, row in enumerate(rows)
        ]
    if rng.random() < 0.2:
        name = pick(rng, list(rows[0]))
        rows[-1][name] = pick(rng, (None, "NA", [1.0], True, 2**60, {"a": 1}))
    return "t.jsonl", "\n".join(map(json.dumps, rows)).encode()


# ---- arrays ----


def array(rng: Rng) -> np.ndarray:
    """An array of one of many shapes and types."""
    n = pick(rng, (3, 8, 12, 12, 64))
    d = pick(rng, (1, 2, 5, 8))
    shape = pick(
        rng,
        (
            (n, d),
            (n, d),
            (n, d),
            (n, d),
            (n,),
            (1, n, d),
            (n, 1, d),
            (n, d, 1, 1),
            (n, d, 2),
            (),
            (n, 0),
        ),
    )
    dtype = pick(rng, ("f4", "f8", "f2", ">f4", "i4", "i8", "u1", "?", "U3", "S2", "c8", "M8[s]"))
    whole = rng.integers(0, pick(rng, (2, 20, 128)), shape)
    size = pick(rng, (1.0, 100.0, 1e4))
    values = (size * rng.normal(size=shape)).astype("f8")
    found = (whole if dtype[0] in "iu?USM" else values).astype(dtype)
    if found.dtype.kind == "f" and found.size and rng.random() < 0.08:
        found.flat[int(rng.integers(found.size))] = pick(rng, (np.nan, np.inf))
    return np.asfortranarray(found) if rng.random() < 0.2 else found


def structured(rng: Rng) -> np.ndarray:
    """Records of several fields."""
    named, columns = cells(rng)
    named = list(dict.fromkeys(name or "empty" for name in named))
    kinds = [pick(rng, ("f4", "f4", "f8", "i4", "U4", "S3", "?", "(2,)f4")) for _ in named]
    found = np.zeros(len(columns[0]), dtype=list(zip(named, kinds, strict=True)))
    for name, kind in zip(named, kinds, strict=True):
        if kind not in ("U4", "S3"):
            found[name] = rng.integers(0, 100, found[name].shape) / 4
        else:
            found[name] = [f"a{place % 3}" for place in range(len(found))]
    return found


KEYS = (
    "feats",
    "features",
    "x",
    "X",
    "embeddings",
    "real",
    "generated",
    "fake",
    "ref",
    "labels",
    "y",
    "mu",
    "sigma",
    "arr_0",
    "other",
    "scale",
    "zero_point",
    "id",
    "images",
    "reps",
    "real_feats",
    "sample",
    "0",
    "1",
    "2",
)


def arrays(rng: Rng) -> tuple[str, bytes]:
    """Files of one or several arrays."""
    kind = int(rng.integers(10))
    if kind < 3:
        return "a.npy", npy(array(rng), pick(rng, (None, (2, 0), (3, 0))))
    if kind in (3, 4):
        return "a.npy", npy(structured(rng), pick(rng, (None, (3, 0))))
    keys = list(rng.permutation(KEYS)[: pick(rng, (1, 2, 2, 3, 4))])
    n = pick(rng, (3, 12, 64))
    named = {}
    for key in keys:
        found = array(rng)
        if rng.random() < 0.6:
            found = (rng.integers(0, 120, (n, 4)) / 3).astype(pick(rng, ("f4", "f8", "i4", "u1")))
        if key in ("labels", "y", "id", "scale", "zero_point") and rng.random() < 0.7:
            found = (
                rng.integers(0, 5, n)
                if rng.random() < 0.7
                else np.array([f"c{place % 3}" for place in range(n)])
            )
        named[key] = found
    if kind < 8:
        return "a.npz", npz(**named)
    plain = {
        key: np.ascontiguousarray(found)
        for key, found in named.items()
        if found.dtype.str[1:] in ("f4", "f8", "i4", "u1")
    }
    return "a.safetensors", safetensors.numpy.save(plain or {"x": np.zeros((4, 2), "f4")})


def damaged(rng: Rng) -> tuple[str, bytes]:
    """One of these files with a few bytes changed, cut off or put in, mostly where it begins."""
    name, data = pick(rng, (arrays, table, records))(rng)
    found = bytearray(data)
    for _ in range(int(rng.integers(1, 3))):
        place = min(int(rng.random() ** 2 * len(found)), len(found) - 1)
        kind = int(rng.integers(4))
        if kind == 0:
            found[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            found[place] = pick(rng, (0, 1, 255, 44, 34, 46, 10))
        elif kind == 2:
            del found[place : place + int(rng.integers(1, 5))]
        else:
            del found[max(place, 4) :]
    return name, bytes(found)


# ---- what becomes of them ----

# What another library says of a broken file, in brackets.
LIBRARY = re.compile(
    r"(?<=truncated or corrupt) \(.*\)|(?<=can't be split into fields) \(.*\)|\(unreadable\)"
)


def code(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:5]


def described(found: Any) -> str:
    """Everything that was read, in words, and the values in a code."""
    if isinstance(found, SamplePair):
        return "\n".join(map(described, found))
    if not isinstance(found, Samples):
        return str(found)
    values = hashlib.sha256(np.ascontiguousarray(found.values).tobytes()).hexdigest()[:8]
    labels = {name: (column.dtype.kind, column.tolist()) for name, column in found.labels.items()}
    groups = None if found.groups is None else found.groups.tolist()
    return f"{found} {values} {found.features} {labels} {groups} {found.notes}"


def attempt(reading: Callable[..., Any], *given: Any, **options: Any) -> tuple[str, Sequence[str]]:
    """What is read, or why it isn't, and the keys that are offered instead."""
    try:
        return described(reading(*given, **options)), ()
    except ReadError as error:
        choices = getattr(error, "choices", "")
        return f"{type(error).__name__}: {error} {choices}", choices


def readings(
    source: tuple[str, bytes], choice: ColumnChoice, limits: Limits, key: str | None = None
) -> str:
    """What is read of a file, by the first key that it offers, and of both its roles."""
    found, choices = attempt(read_chosen, source, choice, key=key, limits=limits)
    others = [attempt(read_chosen, source, choice, key=first) for first in choices[:1]]
    others += [attempt(roles, source), attempt(read_chosen_pair, source, choice, limits=limits)]
    return "\n".join([found, *(text for text, _ in others)])


def outcome(rng: Rng, name: str, data: bytes) -> str:
    """What is read of a file, of some by a choice of columns or with small limits."""
    option = pick(rng, ("columns", "drop", "group", *[""] * 9))
    given = {option: pick(rng, ("*", "f*", "label", "emb*", "patient", *BESIDE))}
    choice = ColumnChoice.of(
        given.get("columns"), given.get("drop", ()), given.get("group"), shared=rng.random() < 0.5
    )
    own = name.endswith((".parquet", ".arrow"))  # whose sizes depend on the version that wrote them
    limits = Limits(
        min_rows=10 if rng.random() < 0.05 else 3,
        max_bytes=pick(rng, (400, 1_500)) if rng.random() < 0.08 and not own else 10**9,
        max_columns=4 if rng.random() < 0.03 else 100_000,
    )
    return readings((name, data), choice, limits)


def of_folder(held: Mapping[str, Any]) -> str:
    """What is read of a folder of these files."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        fill(Path("some"), held)
        return attempt(read_chosen, Path("some"), EVERY)[0]


# ---- columns of types, folders, what other programs hold ----


def quarters(rng: Rng, *shape: int) -> np.ndarray:
    return rng.integers(0, 99, shape) / 4


TYPES: dict[str, Callable[[Rng, int], Any]] = {
    "float": lambda rng, n: pa.array(rng.integers(-99, 99, n) / 4, pa.float32()),
    "double": lambda rng, n: pa.array(rng.integers(-99, 99, n) / 3),
    "half": lambda rng, n: pa.array((rng.integers(-99, 99, n) / 4).astype("f2")),
    "whole": lambda rng, n: pa.array(rng.integers(0, 9, n)),
    "truth": lambda rng, n: pa.array(rng.integers(0, 2, n) > 0),
    "text": lambda rng, n: pa.array([pick(rng, "abc") for _ in range(n)]),
    "missing": lambda rng, n: pa.array(np.arange(n) % 3.0, mask=np.arange(n) == n // 2),
    "categories": lambda rng, n: pa.array([pick(rng, "ab") for _ in range(n)]).dictionary_encode(),
    "list": lambda rng, n: pa.array(quarters(rng, n, 3).tolist()),
    "wide list": lambda rng, n: pa.array(quarters(rng, n, 3).tolist(), pa.large_list(pa.float32())),
    "fixed": lambda rng, n: pa.array(quarters(rng, n, 2).tolist(), pa.list_(pa.float32(), 2)),
    "ragged": lambda rng, n: pa.array([[1.0] * (1 + place % 3) for place in range(n)]),
    "nested": lambda rng, n: pa.array(rng.integers(0, 9, (n, 1, 3)).astype("f8").tolist()),
    "squares": lambda rng, n: pa.array(rng.integers(0, 9, (n, 2, 2)).astype("f8").tolist()),
    "struct": lambda rng, n: pa.array([{"a": 1.0, "b": place / 2} for place in range(n)]),
    "dates": lambda rng, n: pa.array(np.arange(n).astype("M8[s]")),
    "bytes": lambda rng, n: pa.array([bytes(12)] * n),
    "texts of numbers": lambda rng, n: pa.array(list(map(str, quarters(rng, n).tolist()))),
    "texts of lists": lambda rng, n: pa.array([str([0.5, place / 2]) for place in range(n)]),
    "decimals": lambda rng, n: pa.array(
        [Decimal(int(each)) / 4 for each in rng.integers(0, 99, n)]
    ),
    "nothing": lambda rng, n: pa.nulls(n),
    "large": lambda rng, n: pa.array([2**60 + place for place in range(n)]),
    "nan": lambda rng, n: pa.array([float("nan")] + [1.0] * (n - 1)),
}
USUAL = ("float", "double", "whole", "float", "list", "fixed", "half", "truth")


def typed(rng: Rng) -> tuple[str, bytes]:
    """A table of Arrow's types."""
    n = pick(rng, (3, 12, 12, 64))
    names = [
        *(pick(rng, FAMILIES).format(place) for place in range(int(rng.integers(1, 5)))),
        pick(rng, BESIDE),
    ]
    kind = pick(rng, USUAL)
    columns = {}
    for place, name in enumerate(names):
        chosen = kind if place < len(names) - 1 and rng.random() < 0.8 else pick(rng, list(TYPES))
        columns[name] = TYPES[chosen](rng, n)
    held = pa.table(columns)
    stream = io.BytesIO()
    if rng.random() < 0.5:
        pq.write_table(
            held, stream, row_group_size=pick(rng, (5, 100)), use_dictionary=rng.random() < 0.5
        )
        return "t.parquet", stream.getvalue()
    opened = pick(rng, (pa.ipc.new_file, pa.ipc.new_stream))
    with opened(stream, held.schema) as writer:
        writer.write_table(held, max_chunksize=pick(rng, (5, 100)))
    return "t.arrow", stream.getvalue()


NAMES = (
    "img_emb_{}.npy",
    "part-{:03}.npy",
    "{}.npy",
    "rank{}_batch0.npy",
    "step_{}.npy",
    "x{}.csv",
    "y{}.csv",
    "a{}.NPY",
    "feats ({}).npy",
    "epoch={}.npy",
    "{}-of-5.npy",
    "x_{}.json",
    "x{}.pkl",
    "note.txt",
    "split=a{}/part.npy",
    "train/{}.npy",
    "day={}/0.npy",
    "img_emb/{}.npy",
    ".hidden{}.npy",
    "x{}.npz",
    "x{}_copy.npy",
    "data.tar",
    ".zgroup",
)


def folder_outcome(rng: Rng) -> str:
    """What is read of a folder of arrays and other files."""
    chosen = [
        pick(rng, NAMES[:8] if rng.random() < 0.5 else NAMES)
        for _ in range(1 if rng.random() < 0.6 else 2)
    ]
    width = pick(rng, (2, 2, 2, 3))
    shape = pick(rng, ((4, 2), (4, 2), (2,), (1, 2)))
    held: dict[str, Any] = {}
    for pattern in chosen:
        for place in range(int(rng.integers(1, 5))):
            name = pattern.format(place + int(rng.integers(0, 2)))
            values = quarters(rng, *shape) if rng.random() < 0.95 else np.ones((4, width))
            if name.endswith(".csv"):
                header = pick(rng, ("a,b\n", "a,b\n", "b,a\n", "a,c\n", ""))
                held[name] = f"{header}1.5,2\n3,4.5\n2,7\n".encode()
            elif name.endswith(".npz"):
                held[name] = npz(feats=values)
            else:
                held[name] = values if name.lower().endswith(".npy") else b"{}"
    return of_folder(held)


def held(rng: Rng, depth: int = 0) -> Any:
    """What another library has loaded, nested."""
    kind = int(rng.integers(12 if depth < 3 else 4))
    shape = pick(rng, ((4, 3), (4, 3), (3,), (4,), (2, 3, 2)))
    if kind < 3:
        return rng.integers(0, 99, shape) / 4
    if kind in (3, 4):
        return pick(
            rng,
            ("a text", 3, 2.5, None, [1, 2, 3], ["a", "b", "c"], [1, "a"], [], b"x", [[1, 2], [3]]),
        )
    if kind < 6:
        return {
            pick(rng, ("feats", "y", "__version__", "file", "a b", 3)): held(rng, depth + 1)
            for _ in range(3)
        }
    if kind < 9:
        same = int(rng.integers(2**31))
        return [
            held(np.random.default_rng(same), depth + 1) for _ in range(int(rng.integers(1, 5)))
        ]
    if kind == 9:
        return tuple(held(rng, depth + 1) for _ in range(2))
    if kind == 10:
        return {
            f"{place}.png": rng.integers(0, 9, 3) / 2 for place in range(int(rng.integers(2, 5)))
        }
    return [{"emb": rng.integers(0, 9, 3) / 2, "label": "a", "id": place} for place in range(4)]


def held_outcome(rng: Rng) -> str:
    """The arrays that are found in nested things."""
    try:
        found = arrays_in(held(rng))
    except ValueError as error:
        return str(error)
    return str(
        {name: (array.shape, array.dtype.kind, array.tolist()) for name, array in found.items()}
    )


HEADS = (
    b"1.5 2.5\n3.5 4.5\n",
    b"a;b\n1;2\n3;4\n",
    b"[[1.0 2.0]\n [3.0 4.0]]",
    b"| a | b |\n|---|---|\n| 1 | 2 |\n",
    b"{}",
    b'[{"a": 1}]',
    b'{"a": 1}\n{"a": 2}\n',
    b'{"columns":["a"],"data":[[1]]}',
    b'{"a":{"0":1}}',
    b"MATLAB 7.3 MAT-file",
    b"\0\0\0\1DUCKDUCK",
    b"IxF2",
    b"\2\0\0\0\1\0\0\0" + bytes(8),
    bytes(12),
    b"<!DOCTYPE html>",
    b"PK\3\4",
    b"x",
    b"version https://git-lfs",
    b"\x1f\x8b",
    b"1D0 2.5D1\n3D0 4D0\n",
    b"1.5-2.5\n",
    b"# only\n1 2\n3 4\n",
    b"a,b\nx,y\n",
)


def other_outcome(rng: Rng) -> str:
    """Why a file of another program is not read, and how it is converted."""
    name = "it" + pick(rng, ("", " is", "'"))
    name += pick(rng, [*CONVERTED, ".npy", ".csv", ".zip", ".h5", ".PNG", ""])
    data = pick(rng, HEADS) * pick(rng, (1, 1, 3))
    return attempt(read_chosen, (name, data), EVERY)[0]


BY_HAND = [*files()]
FOLDERS = [*folders()]


def outcome_by_hand(number: int) -> str:
    """What is read of a file that is written by hand."""
    name, data, given = BY_HAND[number]
    options = {"columns": None, "drop": (), "group": None, "key": None, **given}
    choice = ColumnChoice.of(*(options.pop(each) for each in ("columns", "drop", "group")))
    return readings((name, data), choice, key=options.pop("key"), limits=Limits(**options))


def of_file(made: Callable[[Rng], tuple[str, bytes]]) -> Callable[[Rng], str]:
    """The outcome of a file that is made."""
    return lambda rng: outcome(rng, *made(rng))


DRAWN: dict[str, tuple[Callable[[Rng], str], int]] = {
    "tables": (of_file(table), 800),
    "records": (of_file(records), 120),
    "arrays": (of_file(arrays), 400),
    "damaged": (of_file(damaged), 300),
    "types": (of_file(typed), 300),
    "folders": (folder_outcome, 120),
    "held": (held_outcome, 500),
    "others": (other_outcome, 600),
    "rules": (rules, 1600),
}
WRITTEN: dict[str, tuple[Callable[[int], str], int]] = {
    "by hand": (outcome_by_hand, len(BY_HAND)),
    "folders by hand": (lambda number: of_folder(FOLDERS[number]), len(FOLDERS)),
}
KINDS = {**DRAWN, **WRITTEN}


def of_number(kind: str, number: int) -> str:
    if kind in WRITTEN:
        return LIBRARY.sub("", WRITTEN[kind][0](number))
    return LIBRARY.sub(
        "", DRAWN[kind][0](np.random.default_rng([SEED, list(DRAWN).index(kind), number]))
    )


def codes(kind: str) -> list[str]:
    """The code of each file, sixteen a line."""
    found = [code(of_number(kind, number)) for number in range(KINDS[kind][1])]
    return [" ".join(found[start : start + 16]) for start in range(0, len(found), 16)]


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write(of_number(sys.argv[1], int(sys.argv[2])) + "\n")
    else:
        FILE.write_text(json.dumps({kind: codes(kind) for kind in KINDS}, indent=0) + "\n")
