"""The refused tables of `file_zoo_refused`: .csv, .tsv, .parquet and .feather."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pyarrow as pa

from prviz.readers import Limits
from tests import file_builders as build
from tests.file_builders import HOSTILE, INF, NAN, SMALL, VALUES, WHOLE, Refused


def refused_text() -> Iterator[Refused]:
    data = build.csv(header="a,b,c,d")
    yield Refused(
        "short-line.csv",
        data.replace(b"\n", b"\n1,2,3\n", 2)[:-1],
        "line 2: 3 fields, but 4 before it",
    )
    yield Refused(
        "long-line.csv", build.csv() + b"1,2,3,4,5\n", "line 25: 5 fields, but 4 before it"
    )
    yield Refused("blank-then-ragged.csv", b"1,2\n\n3,4\n\n5\n", "line 5: 1 fields, but 2")
    yield Refused(
        "word.csv", b"a,b\n1,2\n3,oops\n5,6\n", "line 3, column 2 'b': 'oops' is not a number"
    )
    yield Refused(
        "word-no-header.tsv", b"1\t2\n3\t4\n5\tx y\n", "line 3, column 2: 'x y' is not a number"
    )
    yield Refused(
        "names-no-header.csv",
        b"cat,1.5\ndog,2.5\ncow,3.5\n",
        "line 1, column 1: 'cat' is not a number",
    )
    yield Refused("empty-field.csv", b"1,2\n3,\n5,6\n", "line 2, column 2: empty")
    yield Refused("nan.csv", b"a,b\n1,2\n3,4\n5,NaN\n", "line 4, column 2 'b': NaN")
    yield Refused(
        "nan-after-label.csv", b"id,a,b\n1,2,3\n4,5,nan\n6,7,8\n", "line 3, column 3 'b': NaN"
    )
    yield Refused(
        "overflow.csv", b"1,2\n3,-1e999\n5,6\n", "line 2, column 2: -inf (infinite or too large)"
    )
    yield Refused(
        "underscore.csv", b"1,2\n3,1_000\n5,6\n", "line 2, column 2: '1_000' is not a number"
    )
    yield Refused(
        "both-decimals.csv",
        b"1,5;2,5\n1.5;2,5\n",
        "line 2, column 1: '1.5' is not a number. Earlier lines",
    )
    yield Refused("thousands.tsv", b"1,500\t2.5\n1,500\t2.5\n", "write decimals with a point")
    yield Refused(
        "quoted-commas.csv", b'"1,500","2.5"\n"1,500","2.5"\n', "write decimals with a point"
    )
    yield Refused(
        "names-or-values.csv", b"0,1\n.5,.25\n.5,.75\n.5,.1\n", "could be column names or values"
    )
    yield Refused("spaces.csv", b"1 2 3\n4 5 6 7\n7 8 9\n", "not by spaces")
    yield Refused(
        "hostile.csv", f'a,"{HOSTILE}"\n1,=cmd()\n'.encode(), f"column 2 '{HOSTILE}': '=cmd()'"
    )
    yield Refused("long-text.csv", b"1,2\n3," + b"z" * 5000 + b"\n", "'" + "z" * 70)
    yield Refused(
        "latin.csv", "a,b\n1,2\nü,3\n".encode("latin1"), "line 3, column 1 'a': 'ü' is not a number"
    )
    yield Refused("utf-16.csv", "a,b\n1,2\n".encode("utf-16"), "has 1 row")
    yield Refused(
        "cut-utf-16.csv", "a,b\n1,2\n".encode("utf-16")[:-1], "not UTF-16 text to its end"
    )
    yield Refused(
        "ragged-lists.csv",
        b'e\n"[1, 2]"\n"[1, 2, 3]"\n',
        "line 3, column 1 'e': 3 values, but 2 before it",
    )
    yield Refused(
        "cut-list.csv", b'e\n"[1. 2. ... 9.]"\n"[1. 2. 3.]"\n', "NumPy has left numbers out"
    )
    yield Refused(
        "nan-list.csv", b'e\n"[1, 2]"\n"[nan, 3]"\n"[1, 2]"\n', "line 3, column 1 'e', entry 1: NaN"
    )
    yield Refused(
        "two-lists.csv",
        b'e,g\n"[1, 2]","[1]"\n' * 3,
        "several list columns could be the samples: 'e', 'g'",
    )
    yield Refused(
        "empty-column.csv", b"a,b\n1,\n2,\n3,\n", "column 2 'b': empty in every row. Leave it out"
    )
    yield Refused(
        "category.csv",
        b"a,job\n1,x\n2,y\n3,x\n",
        "make numbers of its categories, for both tables at once",
    )
    yield Refused("nul.csv", b"1,2\n3,\x004\n", "line 2: binary data")
    yield Refused("open-quote.csv", b'1,2\n3,"4\n5,6\n', "line 2: can't be split into fields")
    yield Refused("only-header.csv", b"a,b\n", "has 0 rows")
    yield Refused("only-labels.csv", b"id,label\n1,2\n3,4\n5,6\n", "has no feature columns")
    yield Refused("only-blank.csv", b"\n\n \n", "there is no line with values")
    yield Refused(
        "one-long-line.csv",
        b"1," * 3000,
        "line 1: longer than",
        limits=Limits(max_header_bytes=2000),
    )
    spread = b'1,"2\n' + b"3\n" * 1000 + b'"\n'
    yield Refused(
        "spread.csv",
        spread,
        "line 999: part of a record longer than",
        limits=Limits(max_header_bytes=2000),
    )
    yield Refused(
        "wide.csv", build.csv(), "line 1: more than 3 columns", limits=Limits(max_columns=3)
    )
    yield Refused("too-many-values.csv", b"0,0\n" * 100_000, "more than the limit", limits=SMALL)
    yield Refused(
        "too-big.csv",
        b"1.00000000000,2.00000000000\n" * 40_000,
        "more than the limit",
        limits=SMALL,
    )
    yield Refused(
        "real-zip.csv", build.npz(feats=VALUES), "named .csv, but holds a zip archive. Rename it"
    )


def _refused_tables() -> Iterator[tuple[str, dict[str, object], str]]:
    floats = pa.float64()
    emb = pa.list_(floats)
    rows = VALUES.tolist()
    yield (
        "ragged",
        {"emb": pa.array([*rows[:4], [1.0], rows[5]])},
        "row 5, column 'emb': 1 values, but 4 before it",
    )
    yield "null-list", {"emb": pa.array([*rows[:5], None])}, "row 6, column 'emb': empty"
    yield (
        "null-entry",
        {"emb": pa.array([*rows[:5], [1.0, None, 2.0, 3.0]])},
        "row 6, column 'emb', entry 2: empty",
    )
    yield "nan-list", {"emb": build.lists(emb, NAN)}, "row 3, column 'emb', entry 2: NaN"
    yield "nan", build.numbers(floats, NAN), "row 3, column 'f1': NaN"
    yield "inf", build.numbers(floats, INF), "row 5, column 'f3': -inf"
    signalling = np.full(6, 0x7FA00000, "u4").view("f4")
    yield (
        "signalling-nan",
        {"a": pa.array(np.zeros(6)), "b": pa.array(signalling)},
        "row 1, column 'b': NaN",
    )
    yield "null", {"a": pa.array([1.0, 2.0, 3.0, None])}, "row 4, column 'a': empty"
    yield "null-int", {"a": pa.array([1, None, 3, 4])}, "row 2, column 'a': empty"
    yield (
        "words",
        {"a": pa.array([1.0] * build.N), HOSTILE: pa.array(build.LABEL)},
        f"column '{HOSTILE}': holds 'string'",
    )
    yield (
        "dates",
        {"a": pa.array(WHOLE[:, 0], pa.timestamp("s"))},
        "column 'a': holds 'timestamp[",
    )
    yield (
        "nested",
        {"emb": pa.array([[[1.0, 2.0], [3.0, 4.0]]] * 6)},
        "column 'emb': 2 lists of numbers a sample",
    )
    square = pa.FixedShapeTensorArray.from_numpy_ndarray(np.zeros((6, 2, 2)))
    yield "square-tensor", {"emb": square}, "column 'emb': 2 x 2 numbers a sample"
    yield (
        "nested-null",
        {"emb": pa.array([[[1.0]], [[2.0]], None, [[3.0]]])},
        "row 3, column 'emb': empty",
    )
    views = pa.array([[1.0], [2.0], None, [3.0]], pa.list_view(floats))
    yield "null-view", {"emb": views}, "row 3, column 'emb': empty"
    yield "bytes", {"emb": pa.array([b"1234"] * 6)}, "column 'emb': holds bytes, not numbers"
    yield (
        "only-labels",
        {"id": pa.array(range(build.N)), "text": pa.array(build.LABEL)},
        "has no feature columns",
    )
    yield "two-rows", {"emb": build.lists(emb, VALUES[:2])}, "has 2 rows; at least 3"
    yield "no-rows", {"emb": build.lists(emb, VALUES[:0])}, "has 0 rows"
    yield "no-columns", {"emb": pa.array([[]] * 6, emb)}, "has no feature columns"
    big = pa.array([2**60] * 6)
    yield "huge-int", {"a": big}, "row 1, column 'a': the integer"
    yield (
        "huge-int-list",
        {"a": pa.array([[1, 2]] * 5 + [[1, -(2**60)]])},
        "row 6, column 'a', entry 2: the integer",
    )


def refused_packed() -> Iterator[Refused]:
    """JSON lines, and packed tables."""
    bomb = gzip.compress(b"1,2\n" * 20_000_000, 1)
    yield Refused("bomb.csv.gz", bomb, "times the file itself; without being asked")
    yield Refused("cut.csv.gz", gzip.compress(build.csv())[:-9], "truncated or corrupt")
    yield Refused("no-zip.csv.zst", build.csv(), "truncated or corrupt")
    yield Refused("word.jsonl", b"hello\n", "truncated or corrupt ('Expecting value")
    yield Refused("number.jsonl", b"1\n2\n3\n", "neither a JSON object nor a list")
    yield Refused("nan.jsonl", b'{"a":1}\n{"a":NaN}\n{"a":1}\n', "row 2, column 'a': NaN")
    yield Refused(
        "ragged.jsonl", b"[1,2]\n[1,2]\n[1]\n", "row 3, column 'values': 1 values, but 2 before it"
    )
    yield Refused("deep.jsonl", b'{"a":' + b"[" * 200_000, "truncated or corrupt")
    names = b"\n".join(b'{"a%d":1}' % number for number in range(20_000))
    yield Refused("names.jsonl", b'{"a":1}\n' + names, "row 2, column 'a': empty")


def refused_arrow() -> Iterator[Refused]:
    for name, columns, message in _refused_tables():
        with suppress(pa.ArrowNotImplementedError):  # an older pyarrow writes no views to Parquet
            yield Refused(f"{name}.parquet", build.parquet(columns), message)
        yield Refused(f"{name}.feather", build.feather(columns), message)
    yield Refused("version-1.feather", b"FEA1" + bytes(60) + b"FEA1", "version 1")
    # Arrow's kernels crash on offsets like these.
    texts = build.feather(
        {"a": pa.array([1.0] * 4), "label": pa.array(["abc"] * 4)}, compression="uncompressed"
    )
    wrong = texts.replace(
        struct.pack("<5i", 0, 3, 6, 9, 12), struct.pack("<5i", 0, 3, -(2**30), 9, 12)
    )
    yield Refused("offsets.feather", wrong, "truncated or corrupt")
    zeros = {"emb": pa.array(np.zeros(1_000_000)), "f": pa.array(np.zeros(1_000_000))}
    flat = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(1_000_000)), 10)
    for extension, write in {"parquet": build.parquet, "feather": build.feather}.items():
        yield Refused(
            f"zeros.{extension}",
            write(zeros, compression="zstd"),
            "more than the limit",
            limits=SMALL,
        )
        yield Refused(
            f"zero-lists.{extension}",
            write({"emb": flat}, compression="zstd"),
            "more than the limit",
            limits=SMALL,
        )
        wide = write(build.numbers(pa.float64()))
        yield Refused(
            f"wide.{extension}", wide, "more than 3 columns", limits=Limits(max_columns=3)
        )
    flat = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(1_000_000, "f4")), 100)
    options = {
        "use_dictionary": False,
        "data_page_size": 2**24,
        "compression": "zstd",
        "write_statistics": False,
    }
    lying = build.understated(build.parquet({"emb": flat}, **options, store_schema=False))
    yield Refused(
        "understated.parquet", lying, "claims 3.9 MiB of values, more than the limit", limits=SMALL
    )
    _, view, text = pa.array(["x" * 10_000], pa.string_view()).buffers()
    same = pa.Array.from_buffers(
        pa.string_view(), 2000, [None, pa.py_buffer(view.to_pybytes() * 2000), text]
    )
    views = {"a": pa.array(np.zeros(2000)), "text": same}
    yield Refused(
        "views.feather",
        build.feather(views),
        "claims 19.1 MiB of values, more than the limit",
        limits=SMALL,
    )
    # Many views of the same values.
    whole = pa.py_buffer(np.zeros(10_000))
    begins = pa.py_buffer(np.zeros(2000, "i4"))
    ends = pa.py_buffer(np.full(2000, 10_000, "i4"))
    inner = pa.Array.from_buffers(pa.float64(), 10_000, [None, whole])
    same = pa.Array.from_buffers(
        pa.list_view(pa.float64()), 2000, [None, begins, ends], children=[inner]
    )
    stream = build.arrow_stream({"emb": same})
    yield Refused(
        "list-views.ipc", stream, "claims 152.6 MiB of values", limits=Limits(max_bytes=10**8)
    )
    many = {"a": pa.array([1.0, 2.0, 3.0]), "label": pa.array(["x" * 400_000] * 3)}
    yield Refused(
        "long-labels.feather",
        build.feather(many, compression="zstd"),
        "more than the limit",
        limits=SMALL,
    )
