"""Every kind of file that the readers take, as bytes with what is in it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import safetensors.numpy

from prviz.readers import KNOWN_KEYS
from tests.file_builders import (
    LABEL,
    VALUES,
    WHOLE,
    Accepted,
    N,
    arrow_stream,
    bfloat16,
    csv,
    feather,
    lists,
    npy,
    npy_version,
    npz,
    numbers,
    parquet,
    schema_in_footer_alone,
    tensor,
    tensors,
)


def accepted_npy() -> Iterator[Accepted]:
    single = VALUES.astype("f4")
    yield Accepted("float64.npy", npy(VALUES))
    yield Accepted("float32.npy", npy(single), dtype="float32")
    yield Accepted("float16.npy", npy(VALUES.astype("f2")), dtype="float32")
    yield Accepted("bfloat16.npy", npy(bfloat16()), dtype="float32")
    yield Accepted("fortran.npy", npy(np.asfortranarray(VALUES)))
    yield Accepted("big-endian-64.npy", npy(VALUES.astype(">f8")))
    yield Accepted("big-endian-32.npy", npy(VALUES.astype(">f4")), dtype="float32")
    yield Accepted(
        "big-endian-fortran.npy", npy(np.asfortranarray(VALUES.astype(">f2"))), dtype="float32"
    )
    yield Accepted("big-endian-int.npy", npy(WHOLE.astype(">i4")), WHOLE)
    for dtype in ("i1", "i2", "i4", "i8"):
        yield Accepted(f"int-{dtype}.npy", npy(WHOLE.astype(dtype)), WHOLE)
    for dtype in ("u1", "u2", "u4", "u8"):
        yield Accepted(f"uint-{dtype}.npy", npy(abs(WHOLE).astype(dtype)), abs(WHOLE))
    yield Accepted("bool.npy", npy(WHOLE > 0), WHOLE > 0)
    yield Accepted("squeezed.npy", npy(VALUES[:, :, None, None]))
    yield Accepted("squeezed-1-n-d.npy", npy(VALUES[None]))
    yield Accepted("squeezed-n-1-d.npy", npy(VALUES[:, None]))
    yield Accepted("squeezed-n-1-1-d.npy", npy(np.asfortranarray(VALUES[:, None, None])))
    yield Accepted("squeezed-n-d-1-1-1.npy", npy(VALUES[:, :, None, None, None]))
    fields = [*VALUES.T, np.array(LABEL)]
    records = np.rec.fromarrays(fields, names=["a", "b", "c", "d", "label"])
    yield Accepted("records.npy", npy(records), labels={"label": LABEL})
    rows = np.array(
        [(place, row) for place, row in enumerate(VALUES)],
        dtype=[("id", "i4"), ("emb", ">f4", (4,))],
    )
    yield Accepted("records-of-rows.npy", npy(rows), dtype="float32", labels={"id": list(range(N))})
    yield Accepted("squeezed-fortran.npy", npy(np.asfortranarray(VALUES[:, :, None, None])))
    yield Accepted("one-feature.npy", npy(VALUES[:, :1]), VALUES[:, :1])
    yield Accepted("version-2.npy", npy_version(VALUES, (2, 0)))
    yield Accepted("version-3.npy", npy_version(VALUES, (3, 0)))
    yield Accepted("UPPER.NPY", npy(VALUES))


def accepted_npz() -> Iterator[Accepted]:
    for key in KNOWN_KEYS:
        yield Accepted(
            f"key-{key}.npz", npz(**{key: VALUES, "logits": WHOLE, "note": np.array("text")})
        )
    yield Accepted("compressed.npz", npz(compressed=True, feats=VALUES))
    only = npz(whatever=VALUES, labels=np.arange(N), picture=np.zeros((N, 8, 8), "u1"))
    yield Accepted("only-table.npz", only, labels={"labels": list(range(N))})
    yield Accepted("unnamed.npz", npz(arr_0=VALUES))
    yield Accepted("named-key.npz", npz(feats=WHOLE, mine=VALUES), key="mine")
    yield Accepted("one-role.npz", npz(real=VALUES, generated=WHOLE), key="real")
    yield Accepted("with-statistics.npz", npz(feats=VALUES, mu=VALUES[0], sigma=np.eye(4)))
    yield Accepted("pool-3.npz", npz(pool_3=VALUES[:, :, None, None].astype("f2")), dtype="float32")
    yield Accepted("bfloat16.npz", npz(feats=bfloat16()), dtype="float32")
    yield Accepted("1-D-x.npz", npz(x=np.arange(float(N)), table=VALUES))


def accepted_text() -> Iterator[Accepted]:
    names = "a,b,c,d"
    yield Accepted("plain.csv", csv())
    yield Accepted("header.csv", csv(header=names))
    yield Accepted("plain.tsv", csv(mark="\t"))
    yield Accepted("header.tsv", csv(header=names.replace(",", "\t"), mark="\t"))
    yield Accepted("semicolons.csv", csv(mark=";"))
    yield Accepted("windows.csv", b"\xef\xbb\xbf" + csv(header=names, end="\r\n"))
    yield Accepted("no-last-newline.csv", csv().rstrip())
    yield Accepted("blank-lines.csv", csv(header=names).replace(b"\n", b"\n\n"))
    quoted = "\n".join(",".join(f'"{x}"' for x in row) for row in VALUES)
    yield Accepted("quoted.csv", ('"a","b, c","d","e"\n' + quoted).encode())
    yield Accepted("comment.csv", b"# made by hand\n# in two lines\n" + csv())
    yield Accepted("comment-names.csv", b"# a,b,c,d\n" + csv())
    yield Accepted("one-column.csv", csv(VALUES[:, :1]), VALUES[:, :1])
    yield Accepted("one-named-column.csv", csv(VALUES[:, :1], header="only"), VALUES[:, :1])
    yield Accepted(
        "exponents.csv",
        b"1e-3, 2E2 ,-.5\n1,+2,3.\n7,8,9e0\n",
        np.array([[1e-3, 200, -0.5], [1, 2, 3], [7, 8, 9]]),
    )
    yield Accepted(
        "integers.csv", "\n".join(",".join(map(str, row)) for row in WHOLE).encode(), WHOLE
    )
    yield Accepted(
        "counting-from-1.csv", b"1,2\n.5,.25\n3,4\n", np.array([[1, 2], [0.5, 0.25], [3, 4]])
    )
    yield Accepted("counting-data.csv", b"0,1\n1,0\n0,1\n", np.array([[0, 1], [1, 0], [0, 1]]))
    frame = pd.DataFrame(VALUES)
    yield Accepted("pandas-index.csv", frame.to_csv().encode(), labels={"index": list(range(N))})
    yield Accepted("pandas-no-index.csv", frame.to_csv(index=False).encode())
    frame = frame.rename(columns=str).assign(
        label=LABEL, split=["train"] * N, sample_id=[f"{i:03}" for i in range(N)]
    )
    labels = {"label": LABEL, "split": ["train"] * N, "sample_id": [f"{i:03}" for i in range(N)]}
    yield Accepted("labels.csv", frame.to_csv(index=False).encode(), labels=labels)
    yield Accepted(
        "labels-first.tsv",
        frame[frame.columns[::-1]]
        .to_csv(index=False, sep="\t")
        .encode(),  # numbered, so in the order of numbers
        labels=labels,
    )
    text = b'caption,a\n"two\nlines, one ""quote""",1\nb,2\nc,3\n'
    yield Accepted(
        "captions.csv",
        text,
        np.array([[1], [2], [3]]),
        labels={"caption": ['two\nlines, one "quote"', "b", "c"]},
    )
    yield Accepted(
        "same-names.csv",
        b"id,id,a\n1,x,1\n2,y,2\n3,z,3\n",
        np.array([[1], [2], [3]]),
        labels={"id": [1, 2, 3], "id (2)": ["x", "y", "z"]},
    )


def _arrow_tables() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Name, columns, and what differs from VALUES as float64 without labels."""
    single = {"dtype": "float32"}
    yield "list-64", {"emb": lists(pa.list_(pa.float64()))}, {}
    yield "list-32", {"emb": lists(pa.list_(pa.float32()))}, single
    yield "list-16", {"emb": lists(pa.list_(pa.float16()))}, single
    yield "large-list", {"emb": lists(pa.large_list(pa.float32()))}, single
    yield "fixed-list", {"emb": lists(pa.list_(pa.float32(), 4))}, single
    yield "list-int", {"emb": lists(pa.list_(pa.int16()), WHOLE)}, {"values": WHOLE}
    yield "columns-64", numbers(pa.float64()), {}
    yield "columns-32", numbers(pa.float32()), single
    yield "columns-16", numbers(pa.float16()), single
    yield "columns-int", numbers(pa.int32(), WHOLE), {"values": WHOLE}
    yield (
        "columns-bool",
        {f"f{i}": pa.array(column > 0) for i, column in enumerate(WHOLE.T)},
        {"values": WHOLE > 0},
    )
    mixed = numbers(pa.float32()) | {"f0": pa.array(VALUES[:, 0])}
    yield "columns-mixed", mixed, {}
    named = {
        "label": pa.array(LABEL),
        "class": pa.array(LABEL).dictionary_encode(),
        "index": pa.array(range(N)),
    }
    labels = {"label": LABEL, "class": LABEL, "index": list(range(N))}
    yield "labels", named | numbers(pa.float64()), {"labels": labels}
    extra = {
        "emb": lists(pa.list_(pa.float64())),
        "score": pa.array(VALUES[:, 0]),
        "note": pa.array([*LABEL[:-1], None]),
    }
    yield "list-labels", extra, {"labels": {"score": list(VALUES[:, 0]), "note": [*LABEL[:-1], ""]}}
    picture = pa.array([{"bytes": b"x", "path": "p"}] * N)
    yield "skipped", {"image": picture, "emb": lists(pa.list_(pa.float64()))}, {}
    two = {"a": lists(pa.list_(pa.float64())), "b": lists(pa.list_(pa.int32()), WHOLE)}
    yield "chosen", two, {"key": "a"}
    yield (
        "hostile.names",
        {"a.b": pa.array(VALUES[:, 0]), "a": pa.array(VALUES[:, 1])},
        {"values": VALUES[:, :2]},
    )


def _other_columns() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """As `_arrow_tables`, of types that have to be unpacked."""
    single = {"dtype": "float32"}
    floats = VALUES.astype("f4")
    rows = VALUES.tolist()
    yield "tensor", {"emb": pa.FixedShapeTensorArray.from_numpy_ndarray(floats)}, single
    yield (
        "tensor-1-d",
        {"emb": pa.FixedShapeTensorArray.from_numpy_ndarray(floats[:, None, :])},
        single,
    )
    yield (
        "tensor-d-1-1",
        {"emb": pa.FixedShapeTensorArray.from_numpy_ndarray(floats[:, :, None, None])},
        single,
    )
    yield "nested-1-d", {"emb": pa.array([[row] for row in rows])}, {}
    yield "nested-d-1", {"emb": pa.array([[[value] for value in row] for row in rows])}, {}
    yield "view", {"emb": pa.array(rows, pa.list_view(pa.float32()))}, single
    yield "large-view", {"emb": pa.array(rows, pa.large_list_view(pa.float64()))}, {}
    decimals = {
        f"f{i}": pa.array([Decimal(x) for x in column.tolist()])
        for i, column in enumerate(VALUES.T)
    }
    yield "decimal", decimals, {}
    yield "list-decimal", {"emb": pa.array([[Decimal(x) for x in row] for row in rows])}, {}
    struct = {
        "id": pa.array(range(N)),
        "emb": pa.array([{"values": row, "model": "m"} for row in rows]),
    }
    yield "struct-list", struct, {"labels": {"id": list(range(N)), "emb.model": ["m"] * N}}
    yield (
        "struct-chosen",
        struct,
        {"labels": {"id": list(range(N)), "emb.model": ["m"] * N}, "key": "emb.values"},
    )
    fields = {"emb": pa.array([{f"f{i}": x for i, x in enumerate(row)} for row in rows])}
    yield "struct-numbers", fields, {}


def accepted_containers() -> Iterator[Accepted]:
    """Other names of the same kinds, streams, JSON lines and packed tables."""
    for name, columns, more in _other_columns():
        with suppress(pa.ArrowNotImplementedError):  # an older pyarrow writes no views to Parquet
            yield Accepted(f"{name}.pq", parquet(columns), **more)
        yield Accepted(f"{name}.arrow", feather(columns, compression="zstd", chunksize=7), **more)
        yield Accepted(f"{name}.ipc", arrow_stream(columns), **more)
    columns = {"emb": lists(pa.list_(pa.float64())), "label": pa.array(LABEL).dictionary_encode()}
    yield Accepted("stream.arrow", arrow_stream(columns), labels={"label": LABEL})
    yield Accepted("stream.arrows", arrow_stream(columns), labels={"label": LABEL})
    yield Accepted(
        "short.ftr", feather(columns, compression="zstd", chunksize=7), labels={"label": LABEL}
    )
    for compression in ("uncompressed", "lz4", "zstd"):
        data = schema_in_footer_alone(feather(columns, compression=compression, chunksize=4))
        yield Accepted(f"{compression}-footer-alone.feather", data, labels={"label": LABEL})
    for packed, pack in {
        "gz": gzip.compress,
        "zst": partial(pa.compress, codec="zstd", asbytes=True),
    }.items():
        yield Accepted(f"packed.csv.{packed}", pack(csv(header="a,b,c,d")))
        yield Accepted(f"packed.tsv.{packed}", pack(csv(mark="\t")))
        yield Accepted(f"packed.jsonl.{packed}", pack(json_lines(VALUES.tolist())))
    yield Accepted("UPPER.CSV.GZ", gzip.compress(csv()))
    rows = [{"id": i, "embedding": row, "text": "ünï"} for i, row in enumerate(VALUES.tolist())]
    yield Accepted(
        "lists.jsonl", json_lines(rows), labels={"id": list(range(N)), "text": ["ünï"] * N}
    )
    yield Accepted("lists.ndjson", json_lines(VALUES.tolist()))
    numbers = [dict(zip("abcd", row, strict=True)) for row in VALUES.tolist()]
    yield Accepted("numbers.jsonl", b"\xef\xbb\xbf" + json_lines(numbers))


def json_lines(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def accepted_arrow() -> Iterator[Accepted]:
    for name, columns, more in _arrow_tables():
        yield Accepted(f"{name}.parquet", parquet(columns), **more)
        yield Accepted(f"{name}.feather", feather(columns), **more)
    columns = {"emb": lists(pa.list_(pa.float64())), "label": pa.array(LABEL)}
    for compression in ("none", "zstd", "gzip"):
        data = parquet(columns, compression=compression, row_group_size=4)
        yield Accepted(f"{compression}-groups.parquet", data, labels={"label": LABEL})
    for compression in ("uncompressed", "lz4", "zstd"):
        data = feather(columns, compression=compression, chunksize=4)
        yield Accepted(f"{compression}-chunks.feather", data, labels={"label": LABEL})
    frame = pd.DataFrame(VALUES, columns=list("abcd"), index=pd.Index(LABEL))
    yield Accepted("pandas.parquet", frame.to_parquet(), labels={"index": LABEL})


def accepted_tensors() -> Iterator[Accepted]:
    for name, values in {
        "F64": VALUES,
        "F32": VALUES.astype("f4"),
        "F16": VALUES.astype("f2"),
    }.items():
        yield Accepted(
            f"{name}.safetensors",
            safetensors.numpy.save({"feats": values}),
            dtype="float64" if name == "F64" else "float32",
        )
    yield Accepted("BF16.safetensors", tensor("BF16", bfloat16()), dtype="float32")
    for dtype in ("i1", "i2", "i4", "i8"):
        yield Accepted(
            f"{dtype}.safetensors", safetensors.numpy.save({"any": WHOLE.astype(dtype)}), WHOLE
        )
    for dtype in ("u1", "u2", "u4", "u8"):
        yield Accepted(
            f"{dtype}.safetensors",
            safetensors.numpy.save({"any": abs(WHOLE).astype(dtype)}),
            abs(WHOLE),
        )
    yield Accepted("bool.safetensors", safetensors.numpy.save({"any": WHOLE > 0}), WHOLE > 0)
    several = {"logits": WHOLE.astype("f4"), "features": VALUES, "ids": np.arange(N)}
    data = safetensors.numpy.save(several, metadata={"made": "by hand"})
    yield Accepted("several.safetensors", data, labels={"ids": list(range(N))})
    yield Accepted("chosen.safetensors", safetensors.numpy.save({"a": WHOLE, "b": VALUES}), key="b")
    yield Accepted("squeezed.safetensors", tensor("F64", VALUES, (N, 4, 1, 1)))
    # A header of 640 bytes begins the file like a pickle of protocol 2.
    entry = {"dtype": "F64", "shape": [N, 4], "data_offsets": [0, VALUES.nbytes]}
    text = json.dumps({"feats": entry}).encode().ljust(640)
    yield Accepted("pickle-like.safetensors", tensors(text, VALUES.tobytes()))


@cache
def every_accepted() -> list[Accepted]:
    """One file of every accepted kind, names without repetition."""
    return [
        *accepted_npy(),
        *accepted_npz(),
        *accepted_text(),
        *accepted_arrow(),
        *accepted_containers(),
        *accepted_tensors(),
    ]


def pairs() -> list[tuple[str, bytes]]:
    """Files with both roles: real samples are VALUES, generated ones WHOLE."""
    result = [
        (f"{real}-{generated}.npz", npz(**{generated: WHOLE, "extra": np.arange(3), real: VALUES}))
        for real, generated in [
            ("real", "fake"),
            ("ref", "gen"),
            ("reference", "generated"),
            ("real", "sample"),
            ("real_feats", "fake_feats"),
        ]
    ]
    return [
        *result,
        ("both.safetensors", safetensors.numpy.save({"generated": WHOLE, "real": VALUES})),
    ]
