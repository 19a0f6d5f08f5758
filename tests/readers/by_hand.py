"""Small files written by hand, each at a rule of the readers: what becomes of them is kept, see
kept_outcomes.py.

by_hand.jsonl holds the texts: name, contents (a character a byte), and arguments. The others are
made here.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import struct
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

TEXTS = Path(__file__).with_suffix(".jsonl")
# Name, contents, and perhaps arguments of `read`: key, columns, drop, group; others are limits.
HandMade = tuple[str, bytes] | tuple[str, bytes, dict[str, Any]]
Shape = tuple[int, ...]


# ---- texts ----


def summed(n: int, lasts: Sequence[Sequence[float]], d: int = 2) -> str:
    """A table of n rows with rows of sums below."""
    rows = [[float(place), *[place % 5 + 2.0] * (d - 1)] for place in range(n)]
    return "".join(",".join(map(str, row)) + "\n" for row in [list("ab")[:d], *rows, *lasts])


def texts() -> Iterator[HandMade]:
    for row in TEXTS.read_text("utf-8").splitlines():
        name, text, *given = json.loads(row)
        yield name, text.encode("latin-1"), given[0] if given else {}
    yield from long_texts()
    yield from encoded_texts()


def long_texts() -> Iterator[HandMade]:
    for n in (8, 12, 13, 15, 16):
        lines = [
            *(f"L{place}:,x" for place in range(n)),
            "a,b,c,d",
            *["1,2,3,4", "5,6,7,8", "1,1,2,2"] * 3,
            "",
        ]
        yield "t.csv", "\n".join(lines).encode()
    for n, few in ((30, 20), (30, 21), (50, 25), (50, 26), (200, 50), (200, 51), (1100, 3)):
        yield (
            "t.csv",
            ("a,kind\n" + "".join(f"{row},k{row % few}\n" for row in range(n))).encode(),
        )
    for n in (200, 201):
        yield "t.csv", f"a,{'k' * n}\n1,x\n2,y\n3,x\n".encode()
    for n in (14, 15, 16, 20):
        sums = [n * (n - 1) / 2, sum(place % 5 + 2.0 for place in range(n))]
        yield "t.csv", summed(n, [sums]).encode()
    for last in ([9.5, 4.0], [20.0, 20.0], [9.51, 4.0], [190.1, 80.01], [21.0, 21.0], [0.0, 0.0]):
        yield "t.csv", summed(20, [last]).encode()
        yield "t.csv", summed(20, [last, [1.0, 2.0]]).encode()
    for n in (7, 8):
        yield "t.csv", summed(20, [[190.0, 80.0], *[[1.0, 2.0]] * n]).encode()
    yield "t.csv", summed(20, [[190.0]], d=1).encode()
    yield "t.csv", (summed(20, [[190.0, 80.0]]) + "(n = 20)\n").encode()
    yield "t.txt", b"1 2\n" * 20_000


def encoded_texts() -> Iterator[HandMade]:
    encoded = "id,Größe,b\nä,1,2\nö,3,4\nü,5,x\n"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        yield "t.csv", encoded.encode(encoding)
        yield "t.csv", encoded.replace("x", "6").encode(encoding)
    yield "t.csv", encoded.encode("utf-16")[:-1]
    yield "t.jsonl", '{"a":1}\n{"a":2}\n{"a":3}\n'.encode("utf-16")
    yield "a.b.csv.gz", gzip.compress(b"a,b\n1,x\n3,4\n5,6\n")
    yield "t.csv.gz", gzip.compress(b"1.5,2\n3,4\n5,6\n")[:-9]


# ---- arrays ----


def npy(array: Any, version: tuple[int, int] | None = None) -> bytes:
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are no Latin
        np.lib.format.write_array(stream, np.asanyarray(array), version)
    return stream.getvalue()


def counted(*shape: int, kind: str = "f4") -> np.ndarray:
    """An array of different numbers."""
    values = (np.arange(math.prod(shape)) % 100).reshape(shape)
    return values.astype("S2").astype(kind) if kind[0] in "UV" else values.astype(kind)


def header(text: str, data: bytes = b"", version: int = 1, length: int | None = None) -> bytes:
    """An .npy file with any header."""
    size = len(text) if length is None else length
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + size.to_bytes(2 if version == 1 else 4, "little")
        + text.encode()
        + data
    )


def zipped(members: Mapping[str, Any], method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, held in members.items():
            archive.writestr(zipfile.ZipInfo(name), held if isinstance(held, bytes) else npy(held))
    return stream.getvalue()


def npz(**arrays: Any) -> bytes:
    return zipped({f"{name}.npy": np.asarray(array) for name, array in arrays.items()})


def tensors(entries: Any, data: bytes = b"", length: int | None = None) -> bytes:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(
    kind: Any = "F32", shape: Shape = (3, 2), begin: Any = 0, end: Any = 24
) -> dict[str, Any]:
    return {"dtype": kind, "shape": list(shape), "data_offsets": [begin, end]}


ONE = counted(3, 2)
PAIR = counted(3, 3)
OF_FLOATS = "|3|1,3|3,1,2|1,3,2|3,2,1,1|3,2,2|2,3,4|4,3,2|3,0|0,3|2,3|3,3,3|1,1,3,2|3,8,8,2|2,2,2,2,2,2,2|64,70"
OF_BYTES = "3,8,8|3,8,8,3|3,3,8,8|3,8,8,2|3,4,8,8|3,8,8,4|3,2|3,8,8,1|3,1,8,8|3,2,8,8|3,5,8,8|8,3,5,5|1,8,3,2"
OF_BYTES += "|64,70|3,8,8,5"
KINDS = "f2 >f8 i1 >i8 u8 ? c8 U2 S2 M8[s] m8[s] V2 V3"
FIELDS: tuple[list[Any], ...] = (
    [("a", "f4"), ("b", "f4")],
    [("a", "f4"), ("b", "f8"), ("id", "i4")],
    [("a", "f4", (2,)), ("b", "i2"), ("label", "U3")],
    [("id", "S2"), ("a", "f4"), ("t", "M8[s]")],
    [("label", "f4", (2,)), ("a", "i8")],
    [("a", "f4", (2, 2))],
    [("label", "U3")],
    [("a", "U3"), ("b", "f4")],
)
PLAIN = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"
# What stands in place of a part of a plain header.
CHANGED = (
    *(
        ("", ""),
        ("3, 2", "3L, 2L"),
        ("3,", "-3,"),
        ("False", "True"),
        ("False", "Maybe"),
        ("(3, 2)", "()"),
        (" }", "}"),
    ),
    *(
        ("'descr'", "'desc'"),
        (", }", ", 'x': 1}"),
        ("'<f4'", "'|O'"),
        ("'<f4'", "[]"),
        ("'<f4'", "'<q9'"),
    ),
    *(("'<f4'", "[('a', '|O'), ('b', '<f4')]"), ("'<f4'", "[('a', '<f4'), ('a', '<f4')]")),
    ("'<f4'", "[('a', [('b', '<f4')])]"),
)


def plain_arrays() -> Iterator[HandMade]:
    for shapes, kind in ((OF_FLOATS, "f4"), (OF_BYTES, "u1")):
        for text in shapes.split("|"):
            yield "a.npy", npy(counted(*map(int, filter(None, text.split(","))), kind=kind))
    for kind in KINDS.split():
        yield "a.npy", npy(counted(3, 2, kind=kind))
    for old, new in CHANGED:
        yield "a.npy", header(PLAIN.replace(old, new) if old else PLAIN, ONE.tobytes())
    for version in (0, 2, 3, 4):
        yield "a.npy", header(PLAIN, ONE.tobytes(), version)
    for length in (0, 20, 9_999, 10_000, 10_001):
        yield "a.npy", header(PLAIN, ONE.tobytes(), length=length)
        yield "a.npy", header(PLAIN.ljust(length), ONE.tobytes())
    yield from broken_arrays()
    yield from records_of_fields()


def broken_arrays() -> Iterator[HandMade]:
    whole = npy(ONE)
    for data in (
        whole[:-1],
        whole + b"x",
        whole * 2,
        whole + npy(counted(2, 3)),
        whole[:60],
        whole[:8],
    ):
        yield "a.npy", data
    yield "a.npy", npy(np.asfortranarray(ONE))
    for place in (0, 1, 4_095, 4_096, 4_099):
        many = np.ones((4_100, 2), "f4")
        many[place, place % 2] = (np.nan, np.inf, -np.inf)[place % 3]
        yield "a.npy", npy(many)
    for beyond in (0, 1):
        for place in (0, 2):
            large = np.zeros((3, 3), "i8")
            large[1, place] = 2**53 + beyond
            for values in (large, -large, large.astype("u8")):
                yield "a.npy", npy(values)
    for options in (
        {"key": "a"},
        {"columns": "a"},
        {"max_bytes": 24},
        {"max_bytes": 23},
        {"min_rows": 4},
    ):
        yield "a.npy", npy(ONE), options


def records_of_fields() -> Iterator[HandMade]:
    for fields in FIELDS:
        records = np.zeros(4, fields)
        for place, name in enumerate(records.dtype.names or ()):
            records[name] = 1 + place
        for options in (
            {},
            {"columns": "a"},
            {"columns": "b"},
            {"drop": "a"},
            {"group": "id"},
            {"columns": ("a", "label")},
        ):
            yield "a.npy", npy(records), options
        yield "a.npy", npy(records)[:-1]


def named_arrays() -> Iterator[dict[str, Any]]:
    """Arrays that are together in a file."""
    for name in ("feats", "x", "X", "real_feats", "arr_0", "pool_3"):
        yield {name: ONE, "other": PAIR}
    yield {"x": ONE, "feats": PAIR}
    for names in (
        "real fake",
        "Ref gen_feats",
        "real other",
        "ref reference",
        "x0 x1",
        "x0 x1 x2",
        "x0 x1 y2",
    ):
        yield dict.fromkeys(names.split(), ONE)
    statistics = {"mu": counted(2), "sigma": counted(2, 2)}
    pictures = {"images": counted(3, 8, 8, 3, kind="u1")}
    for more in ({}, {"x": ONE}, pictures, {"sigma_s": ONE}):
        yield {**statistics, **more}
    yield from (pictures, {"mu": ONE, "mu_s": ONE}, {"mu": ONE}, {"x": counted(3, 2, 2)})
    for kind, scale in (
        ("i1", "scale"),
        ("u1", "x_scales"),
        ("i2", "scale"),
        ("f4", "scale"),
        ("i1", "sc"),
    ):
        yield {"x": counted(3, 2, kind=kind), scale: np.float32(0.5)}
    for zero in ("zero_point", "zp", "z"):
        yield {"x": counted(3, 2, kind="i1"), "delta": np.ones(3), zero: np.ones(3)}
    for n in (1, 2, 3, 12):
        yield {f"s{place}": counted(3) for place in range(n)}
        yield {f"t{place}": counted(3, kind="U1") for place in range(8 + n)}
    yield {"a": counted(3), "b": counted(3, kind="U1"), "c": counted(3)}
    for more in ({}, {"x": ONE}):
        yield {
            "indices": counted(3),
            "indptr": counted(4),
            "data": counted(3),
            "shape": np.array([3, 2]),
            **more,
        }
    texts = np.array(["a", "b", "c"])
    for name, label in (
        ("y", np.arange(3)),
        ("Y", texts),
        ("label", texts),
        ("z", np.arange(3)),
        ("id", np.arange(4)),
    ):
        yield {"x": ONE, name: label}
    for label in (
        np.ones(3),
        np.array(["x" * 64] * 3),
        np.array(["x" * 65] * 3),
        np.ones((3, 1), "i4"),
        texts == "a",
    ):
        yield {"x": ONE, "id": label}


def archives() -> Iterator[HandMade]:
    for named in named_arrays():
        yield "a.npz", npz(**named)
    held = {
        "x": ONE,
        "feats": PAIR,
        "g": np.arange(3),
        "t": np.array(["a", "b", "c"]),
        "w": np.ones(3),
        "v": np.ones(4),
    }
    for key in ("x", "feats", "g", "z"):
        yield "a.npz", npz(**held), {"key": key}
    for options in (
        {"columns": "a"},
        {"drop": "a"},
        *({"group": name} for name in "gtwvz"),
        {"max_keys": 5},
        {"max_keys": 6},
    ):
        yield "a.npz", npz(**held), {"key": "x", **options}
    for lost in (1, 8):
        cut = {"x.npy": ONE, "y.npy": npy(np.arange(3))[:-lost]}
        yield "a.npz", zipped(cut), {"group": "y"}
        yield "a.npz", zipped(cut)
    for key in ("mu", "sigma", "x"):
        yield "a.npz", npz(mu=counted(2), sigma=counted(2, 2)), {"key": key}
    yield "a.npz", npz(x=counted(3, 2, kind="i1"), scale=np.ones(3)), {"key": "x"}
    notes = {"notes.txt": b"x"}
    pickled = {"x.npy": ONE, "data.pkl": b"x"}
    for members in (
        *(
            {},
            notes,
            {"x.npy": ONE, **notes},
            {"x.npy": b"\x93NUMPY"},
            pickled,
            {"x.npy": ONE, "y.npy": b"junk"},
        ),
        *({"a/data.pickle": b"x"}, {"x.npy": npy(ONE)[:-1]}, {"folder/x.npy": ONE}),
    ):
        for name in ("a.npz", "a.zip", "a.npy"):
            yield name, zipped(members)
    for members in (
        *(
            {"a.csv": b"1"},
            {"a.csv": b"1", "b.npy": ONE, "c.npy": ONE},
            {"a.csv": b"1", "x.png": b"x"},
            {"f.csv/": b""},
        ),
        *({"__MACOSX/a.csv": b"x"}, {"__MACOSX/a.png": b"x", "a.csv": b"1"}),
    ):
        yield "a.zip", zipped(members)
    yield "a.npz", zipped({"x.npy": ONE}, zipfile.ZIP_LZMA)
    for end in (10, -1, -20):
        yield "a.npz", npz(x=ONE)[:end]


def tensor_files() -> Iterator[HandMade]:
    whole = {"x": tensor()}
    data = ONE.tobytes()
    for metadata in (
        {"encoder": "e", "source": "s", "more": "m"},
        {"source": "s"},
        {"encoder": "e" * 1_001},
        {},
    ):
        yield "a.safetensors", tensors({**whole, "__metadata__": metadata}, data)
    for begin, end in (
        (0, 25),
        (0, 23),
        (1, 24),
        (25, 24),
        (0, -1),
        (0, True),
        (0, 24.0),
        (0, 2**63),
    ):
        yield "a.safetensors", tensors({"x": tensor(begin=begin, end=end)}, data)
    for entry in (
        {},
        tensor(1),
        tensor("F8"),
        tensor(shape=(3, -2)),
        {**tensor(), "data_offsets": [0]},
    ):
        yield "a.safetensors", tensors({"x": entry}, data)
    for kind, size in (
        ("BF16", 12),
        ("F16", 12),
        ("F64", 48),
        ("I8", 6),
        ("BOOL", 6),
        ("U64", 48),
        ("F4", 3),
    ):
        yield "a.safetensors", tensors({"x": tensor(kind, end=size)}, bytes(48))
    both = {"x": tensor(), "y": tensor("I64", (3,), 24, 48)}
    for options in ({}, {"group": "y"}, {"key": "y"}, {"max_keys": 1}, {"max_keys": 2}):
        yield "a.safetensors", tensors(both, bytes(48)), options
    for options in ({}, {"key": "b"}):
        yield "a.safetensors", tensors({"a": tensor(), "b": tensor()}, data), options
    for text in (b"[]", b"{", b"{}", b'{"x":1,"x":2}', b"[" * 2_000, b"\xff"):
        yield "a.safetensors", tensors(text)
    for length in (0, 1, 10**9):
        yield "a.safetensors", tensors(whole, data, length)


def binary() -> Iterator[HandMade]:
    """Files that begin with sizes or marks."""
    for rows, columns, size in (
        (3, 2, 6),
        (3, 2, 24),
        (3, 2, 25),
        (3, 2, 12),
        (0, 6, 24),
        (6, 0, 24),
        (2, 3, 24),
    ):
        yield "t.bin", struct.pack("<II", rows, columns) + bytes(size)
    for size in (0, 4, 5, 2**31):
        yield "t.parquet", b"PAR1" + bytes(4) + struct.pack("<I", size) + b"PAR1"
    for data in (b"PAR1", b"PAR1PAR1", b"PAR1" + bytes(8) + b"PARE"):
        yield "t.parquet", data
    for data in (b"FEA1", b"ARROW1", b"\xff\xff\xff\xff"):
        yield "t.feather", data + bytes(20)
    for name in ("x.npy", "x.png"):
        yield "t.tar", name.encode().ljust(512, b"\0")
    yield "t.npy", b"\0\1\2" * 9


# ---- folders ----


def numbered(name: str, places: Sequence[int], held: Any = ONE) -> dict[str, Any]:
    """A file for each number."""
    return {name.format(place): held for place in places}


ROWS = ("1.5,2,x", "3,4,y", "5,6,z")
TABLE = "\n".join(("a,b,id", *ROWS, "")).encode()


def encoded(name: str) -> bytes:
    return tensors({"x": tensor(), "__metadata__": {"encoder": name}}, ONE.tobytes())


def folders() -> Iterator[dict[str, Any]]:
    """Contents of folders by path: bytes, or an array."""
    yield from numbered_folders()
    yield from folders_of_names()
    yield from folders_of_tables()
    yield from folders_of_others()


def numbered_folders() -> Iterator[dict[str, Any]]:
    for name in (
        "x_{}.npy",
        "x-{}-of-3.npy",
        "x-{}-of-5.npy",
        "x{}.NPY",
        "step_{}.npy",
        "epoch={}.npy",
        "r{}_b0.npy",
    ):
        yield {name.format(place): ONE + place for place in range(3)}
    gaps = "0,1,3|0,1,2,4,6|1,2,9|0,2,4,6|3,4,5|0,1000|9,10,11|0,1,2,3,4,5,6,7,8,9,12,14|0,1,2,3,4,5,6,7,8,9,10,12"
    for places in gaps.split("|"):
        yield numbered("x_{}.npy", [int(place) for place in places.split(",")])
    yield numbered("x_{}.npy", [*range(20), 21])
    yield numbered("x_{}.npy", [0, 1, 3], counted(1, 2))
    for n, shape in (
        (3, (2,)),
        (3, (1, 2)),
        (3, (5, 1)),
        (7, (2, 1)),
        (8, (2, 1)),
        (8, (1, 1)),
        (8, (2, 2)),
        (2, (1, 2)),
    ):
        yield numbered("x_{}.npy", range(n), counted(*shape))
    yield {**numbered("x_{}.npy", range(7), counted(2, 1)), "x_7.npy": counted(3, 1)}
    for n in (7, 8):
        yield numbered("x_{}.csv", range(n), b"a\n1\n2\n3\n")


def folders_of_names() -> Iterator[dict[str, Any]]:
    for shape in ((2,), (1, 2), (2, 2), (3, 2)):
        yield {f"{name}.npy": counted(*shape) for name in "abc"}
    for names in ("a b", "a", "a b. .c"):
        yield {f"{name}.npy": counted(2) for name in names.split()}
    copies = (
        "x_0 (1).npy|x_0 - Copy.npy|x_0_copy.npy|x_0 copy "
        "2.npy|x_00.npy|y_1.npy|X_1.npy|x_1.txt|_x.npy|x_1.csv"
    )
    for other in copies.split("|"):
        yield {"x_0.npy": ONE, other: ONE}
    for other in ("rank1_batch0", "rank1_batch1", "node1_batch1"):
        yield {"rank0_batch0.npy": ONE, f"{other}.npy": ONE}
    for one, two in (("rank", "_batch"), ("seed", "_step"), ("a", "-of-"), ("x", "_shard")):
        yield {f"{one}{first}{two}{second}.npy": ONE for first, second in ((0, 0), (0, 1), (1, 0))}
    yield {"x_0.npy": ONE, "x_1.npy": PAIR}


def folders_of_tables() -> Iterator[dict[str, Any]]:
    for second in ("b,a,id", "a,c,id", "id,a,b", "n,m,id"):
        yield {"x_0.csv": TABLE, "x_1.csv": "\n".join((second, *ROWS, "")).encode()}
    for second in (
        b"a,b\n1.5,2\n3,4\n5,6\n",
        b"1.5,2\n3,4\n5,6\n",
        b"a,id\n1,x\n2,y\n4,z\n",
        b"a,b,c\n1,2,4\n2,4,5\n4,5,5\n",
    ):
        yield {"x_0.csv": TABLE, "x_1.csv": second}
    count = b"n,a\n0,1.5\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n7,8\n"
    yield {"x_0.csv": count, "x_1.csv": b"n,a\n8,1.5\n9,2\n10,3\n"}
    for more in ({}, {"x.samples.parquet": b""}, {"y.samples.parquet": b""}):
        yield {"x.safetensors": encoded("e"), **more}
    for one, other in (("e", "e"), ("e", "f"), ("", "e")):
        yield {"x_0.safetensors": encoded(one), "x_1.safetensors": encoded(other)}


def folders_of_others() -> Iterator[dict[str, Any]]:
    for column in ("day", "split", "Model", "my_method", "seed", "kind_", "year=1/month"):
        yield {f"{column}={value}/{value}.npy": ONE for value in (1, 2)}
    for other in (
        "year=1/_0.npy",
        "year=1/.0.npy",
        "year=2/split=a/0.npy",
        "year=2/note.txt",
        "x.txt",
    ):
        yield {"year=1/0.npy": ONE, other: ONE}
    single = (
        "a.json a.txt a.JSON a.tar a.pkl a.pt a.bin .zgroup zarr.json img_emb/0.npy "
        "train/0.npy a/b/0.npy"
    )
    for names in (
        *single.split(),
        "img_emb/0.npy text_emb/0.npy",
        "train/0.npy test/0.npy",
        "train/.0.npy",
        "train/0.npy test/.0.npy",
        "a.pkl b.pt c.pt",
        "zarr.json obsm/x",
        "",
        "_versions/x data/x",
        "_versions/x",
        "a/state.json",
        "a.lance/x",
        "k=1/x.txt",
        "x_0.npy x_1.npy sub/x.npy",
    ):
        yield {name: ONE if name.endswith(".npy") else b"{}" for name in names.split()}
    for state in (
        b'{"_data_files": [{"filename": "b_0.npy"}]}',
        b'{"_data_files": [{"filename": "c"}]}',
        b"{}",
        b"[",
    ):
        yield {**numbered("{}_0.npy", ["a", "b"], ONE), "a_1.npy": ONE, "state.json": state}  # type: ignore[list-item]


def fill(folder: Path, held: Mapping[str, Any]) -> None:
    """Write files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, contents in held.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents if isinstance(contents, bytes) else npy(contents))


def files() -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    for made in (texts, plain_arrays, archives, tensor_files, binary):
        for name, data, *given in made():
            yield name, data, given[0] if given else {}
