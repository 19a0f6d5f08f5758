"""Every kind of file that the readers refuse, as bytes, with a part of the message that each must
give.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache

import ml_dtypes
import numpy as np
import pyarrow as pa
import safetensors.numpy

from prviz.readers import Limits
from tests import file_builders as build
from tests.file_builders import HOSTILE, INF, NAN, SMALL, VALUES, WHOLE, Refused
from tests.file_zoo_accepted import every_accepted
from tests.file_zoo_refused_tables import refused_arrow, refused_packed, refused_text

# Bytes of a file that a pickle would create in the working folder if it were opened.
TRAP = "pickle-was-opened"


def refused_pickles(trap: str = TRAP) -> Iterator[Refused]:
    never = "Pickles are never opened"
    for extension in ("pkl", "pickle", "pt", "pth", "joblib", "ckpt"):
        yield Refused(f"a.{extension}", build.pickled(trap, 4), never)
    for protocol in range(6):
        yield Refused(f"protocol-{protocol}.npy", build.pickled(trap, protocol), never)
    for extension in ("npz", "csv", "tsv", "parquet", "feather", "safetensors", "bin"):
        yield Refused(f"disguised.{extension}", build.pickled(trap, 4), never)
    yield Refused("list.npy", b"(lp0\nF1.5\na.", never)
    yield Refused("empty.pkl", b"", never)
    torch = build.archive({"archive/data.pkl": build.pickled(trap, 2), "archive/data/0": b"1234"})
    yield Refused("torch.pt", torch, "prviz.readers.load_torch('torch.pt')")
    for extension in ("npz", "npy", "csv", "bin"):
        yield Refused(f"torch.{extension}", torch, "PyTorch archive")
    objects = build.object_array(trap)
    yield Refused(
        "objects.npy",
        build.npy(objects, allow_pickle=True),
        "np.load('objects.npy', allow_pickle=True)",
    )
    yield Refused(
        "objects.npz",
        build.npz(feats=objects),
        "np.load('objects.npz', allow_pickle=True)['feats']",
    )
    record = np.zeros(6, dtype=[("a", "f4"), ("b", object)])
    yield Refused("record-of-objects.npy", build.npy(record, allow_pickle=True), never)


def refused_contents() -> Iterator[Refused]:
    """Readable arrays that are no embeddings."""
    picture = np.zeros((5, 8, 8, 3), dtype=np.uint8)
    yield Refused("fid.npz", build.npz(mu=VALUES[0], sigma=np.eye(4)), "no samples in it")
    yield Refused(
        "fid-key.npz", build.npz(mu=VALUES[0], sigma=np.eye(4)), "no samples in it", key="sigma"
    )
    yield Refused("images.npz", build.npz(arr_0=picture), "Embed them first")
    adm = {
        "arr_0": picture,
        "mu": VALUES[0],
        "sigma": np.eye(4),
        "mu_s": VALUES[0],
        "sigma_s": np.eye(4),
    }
    yield Refused("reference-batch.npz", build.npz(**adm), "Embed them first")
    yield Refused("images.npy", build.npy(picture), "Embed them first")
    yield Refused("channels-first.npy", build.npy(np.zeros((5, 3, 8, 8), "f4")), "Embed them first")
    yield Refused("grey.npy", build.npy(np.zeros((5, 8, 8), np.uint8)), "Embed them first")
    yield Refused("0-D.npy", build.npy(np.float64(1)), "shape () is not a table")
    yield Refused("1-D.npy", build.npy(np.arange(6.0)), "values.reshape(-1, 1)")
    yield Refused("3-D.npy", build.npy(np.zeros((6, 4, 2))), "shape (6, 4, 2) is not a table")
    yield Refused("4-D.npy", build.npy(np.zeros((6, 5, 7, 7))), "shape (6, 5, 7, 7) is not a table")
    yield Refused("5-D.npz", build.npz(feats=np.zeros((6, 4, 1, 2, 1))), "is not a table")
    yield Refused("complex.npy", build.npy(VALUES * 1j), "complex numbers")
    yield Refused("text.npy", build.npy(VALUES.astype(str)), "holds text")
    yield Refused("bytes.npy", build.npy(VALUES.astype("S5")), "holds text")
    yield Refused("dates.npy", build.npy(WHOLE.astype("M8[s]")), "holds dates")
    yield Refused("durations.npz", build.npz(feats=WHOLE.astype("m8[s]")), "holds time differences")
    yield Refused("records.npy", build.npy(np.zeros((6, 4), dtype=[("ä", "f4")])), "holds records")
    text = np.zeros(6, dtype=[("id", "i4"), ("name", "U3")])
    yield Refused("records-of-labels.npy", build.npy(text), "has no feature columns")
    empty = np.array([(0.0, 1), (np.nan, 2), (1.0, 3)], dtype=[("a", "f4"), ("id", "i4")])
    yield Refused("records-with-nan.npy", build.npy(empty), "row 2, field 'a': NaN")
    yield Refused("void.npy", build.npy(np.zeros((6, 4), dtype="V7")), "holds records")
    yield Refused("longdouble.npy", build.npy(VALUES.astype(np.longdouble)), "Save them as float64")
    yield Refused(
        "float8.safetensors",
        build.tensor("F8_E4M3", np.zeros((6, 4), ml_dtypes.float8_e4m3)),
        "'F8_E4M3'",
    )
    yield Refused("huge-int.npy", build.npy(WHOLE + 2**60), "row 1, column 1: the integer")
    yield Refused("nan.npy", build.npy(NAN), "row 3, column 2: NaN")
    yield Refused(
        "nan-fortran.npy", build.npy(np.asfortranarray(NAN.astype(">f2"))), "row 3, column 2: NaN"
    )
    signalling = np.full((6, 4), 0x7D01, "<u2").view("<f2")
    yield Refused("signalling-nan.npy", build.npy(signalling), "row 1, column 1: NaN")
    yield Refused("inf.npz", build.npz(feats=INF), "key 'feats', row 5, column 4: -inf")
    yield Refused(
        "nan.safetensors",
        build.tensor("F32", NAN.astype("f4")),
        "key 'feats', row 3, column 2: NaN",
    )
    yield Refused(
        "inf.safetensors",
        build.tensor("BF16", INF.astype(ml_dtypes.bfloat16)),
        "row 5, column 4: -inf",
    )
    for extension, data in {
        "npy": build.npy(VALUES[:2]),
        "npz": build.npz(x=VALUES[:2]),
        "csv": build.csv(VALUES[:2]),
    }.items():
        yield Refused(f"two-rows.{extension}", data, "has 2 rows; at least 3")
    yield Refused(
        "few-rows.npy", build.npy(VALUES), "has 24 rows; at least 25", limits=Limits(min_rows=25)
    )
    yield Refused("no-rows.npy", build.npy(VALUES[:0]), "has 0 rows")
    yield Refused("no-columns.npy", build.npy(VALUES[:, :0]), "has no feature columns")
    yield Refused(
        "no-columns.safetensors", build.tensor("F32", VALUES[:, :0]), "has no feature columns"
    )


def refused_keys() -> Iterator[Refused]:
    yield Refused(
        "several.npz",
        build.npz(feats=VALUES, reps=VALUES),
        "several arrays could be the samples: 'feats', 'reps'",
    )
    yield Refused(
        "unknown.npz",
        build.npz(a=VALUES, b=VALUES),
        "several arrays could be the samples: 'a', 'b'",
    )
    yield Refused(
        "pair.npz",
        build.npz(real=VALUES, fake=WHOLE),
        "holds both real ('real') and generated ('fake')",
    )
    yield Refused(
        "missing.npz", build.npz(feats=VALUES), "has no key 'nope'. It has: 'feats'", key="nope"
    )
    yield Refused("no-arrays.npz", build.archive({"readme.txt": b"hello"}), "holds no arrays")
    yield Refused(
        "none-fits.npz",
        build.npz(a=np.arange(5), b=np.zeros((2, 2, 2))),
        "none of its arrays is a 2-D table",
    )
    yield Refused("hostile-key.npz", build.npz(**{HOSTILE: NAN}), f"key '{HOSTILE}', row 3")
    yield Refused(
        "two.safetensors", safetensors.numpy.save({"a": VALUES, "b": WHOLE}), "Choose one with key"
    )
    yield Refused("keyed.npy", build.npy(VALUES), "have no keys", key="feats")
    yield Refused("keyed.csv", build.csv(), "has no list column 'feats'", key="feats")
    lists = {"a": build.lists(pa.list_(pa.float32())), "b": build.lists(pa.list_(pa.float32()))}
    yield Refused(
        "two-lists.parquet",
        build.parquet(lists),
        "several list columns could be the samples: 'a', 'b'",
    )
    yield Refused("missing.feather", build.feather(lists), "has no list column 'c'", key="c")


def refused_claims() -> Iterator[Refused]:
    """Headers that promise more than the limit, or more than is there."""
    over = "more than the limit"
    cut = "truncated"
    yield Refused(
        "zeros.npz", build.zeros_archive(megabytes=9), over, limits=Limits(max_bytes=8 * 1024**2)
    )
    yield Refused("zeros.npy", build.raw_npy(build.npy_header("<f8", (10**9, 10**9))), over)
    yield Refused("wide-types.npy", build.npy(np.zeros((200_000, 1), bool)), over, limits=SMALL)
    yield Refused(
        "more-rows.npy", build.raw_npy(build.npy_header("<f4", (1000, 10)), bytes(100)), cut
    )
    yield Refused(
        "negative.npy", build.raw_npy(build.npy_header("<f4", (-6, 4)), bytes(96)), "negative shape"
    )
    for number, descr in enumerate((r"\\i1", "<a2", "f4, f4", "f4' 'f4", "O4.5")):
        lines = build.raw_npy(build.npy_header(descr, (6, 4)), bytes(96))
        yield Refused(f"descr-{number}.npy", lines, "truncated or corrupt ('its header')")
    text = build.npy_header("<f4", (6, 4))
    for number, wrong in enumerate(
        (text.replace("F", "f"), "x" + text, text.replace("'shape'", "'descr'"), text * 2)
    ):
        yield Refused(
            f"header-{number}.npy", build.raw_npy(wrong, bytes(96)), "truncated or corrupt"
        )
    yield Refused("long-header.npy", build.raw_npy("{}", length=60_000), "its header claims to be")
    yield Refused(
        "longer-header.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "its header claims to be"
    )
    yield Refused("nested-header.npy", build.raw_npy("(" * 9000), "corrupt")
    yield Refused("two-arrays.npy", build.npy(VALUES) * 2, "several arrays in a row")
    inner = build.raw_npy(build.npy_header("<f4", (10**6, 10**4)), bytes(100))
    yield Refused("inner-header.npz", build.archive({"feats.npy": inner}), over)
    lies = build.raw_npy(build.npy_header("<f4", (100, 10)), bytes(100))
    yield Refused("inner-lie.npz", build.archive({"feats.npy": lies}), cut)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 2**31, 0, 0)
    yield Refused("directory.npz", b"PK\x03\x04" + end, "truncated or corrupt")
    long = build.archive({f"{i}{'a' * 3000}.npy": build.npy(VALUES) for i in range(3)})
    yield Refused(
        "long-directory.npz", long, "its zip directory claims", limits=Limits(max_header_bytes=8000)
    )
    unasked = build.raw_npy(build.npy_header("<f4", (17_000, 1024)), bytes(100))
    yield Refused(
        "unasked.npz",
        build.archive({"feats.npy": unasked}),
        "times the file itself; without being asked",
    )
    # FileMetaData with 900,000 row groups, all of them empty
    groups = b"\x49\xfc\xa0\xf7\x36" + bytes(900_001)
    yield Refused(
        "empty-groups.parquet",
        build.parquet_footer(groups),
        "truncated or corrupt ('an empty struct')",
    )
    few = Limits(max_keys=2)
    yield Refused(
        "many-keys.npz", build.npz(a=VALUES, b=VALUES, c=VALUES), "more than 2 arrays", limits=few
    )
    yield Refused(
        "many-keys.safetensors",
        safetensors.numpy.save(dict.fromkeys("abc", VALUES)),
        "more than 2",
        limits=few,
    )
    entry = {"dtype": "F32", "shape": [10**6, 10**6], "data_offsets": [0, 16]}
    yield Refused("claim.safetensors", build.tensors({"feats": entry}, bytes(16)), over)
    entry = {"dtype": "F32", "shape": [100, 100], "data_offsets": [0, 40_000]}
    yield Refused("cut.safetensors", build.tensors({"feats": entry}, bytes(16)), cut)
    yield Refused("header.safetensors", struct.pack("<Q", 2**50) + b"{}", "its header claims")
    yield Refused(
        "over-header.safetensors",
        build.tensors(b" " * 5000),
        "its header claims",
        limits=Limits(max_header_bytes=4000),
    )


def refused_broken() -> Iterator[Refused]:
    whole = {file.name: file.data for file in every_accepted()}
    for name in (
        "float64.npy",
        "key-feats.npz",
        "list-64.parquet",
        "list-64.feather",
        "F64.safetensors",
    ):
        extension = name.rpartition(".")[2]
        yield Refused(f"half.{extension}", whole[name][: len(whole[name]) // 2], "truncated")
        yield Refused(f"garbage.{extension}", b"definitely not this format", "corrupt")
    for extension in ("npy", "npz", "csv", "tsv", "parquet", "feather", "safetensors"):
        yield Refused(f"empty.{extension}", b"", "empty (0 bytes)")
    rotten = bytearray(build.npz(feats=VALUES))
    rotten[rotten.index(VALUES.tobytes()[:16])] ^= 1
    yield Refused("checksum.npz", bytes(rotten), "truncated or corrupt")
    rotten = bytearray(build.npz(compressed=True, feats=np.arange(9000.0).reshape(90, 100)))
    rotten[2000:2010] = b"\xff" * 10
    yield Refused("deflate.npz", bytes(rotten), "corrupt")
    bzip2 = build.archive({"feats.npy": build.npy(VALUES)}, zipfile.ZIP_BZIP2)
    yield Refused("bzip2.npz", bzip2, "key 'feats': packed by an unusual method")
    twice = build.npz(feat1=VALUES, feat2=WHOLE).replace(b"feat2", b"feat1")
    yield Refused("twice.npz", twice, "two arrays have the same name")
    twice = safetensors.numpy.save({"feat1": VALUES, "feat2": VALUES}).replace(b"feat2", b"feat1")
    yield Refused("twice.safetensors", twice, "a key is there twice")
    yield Refused("not-npy.npz", build.archive({"feats.npy": b"hello"}), "corrupt")
    for text in (b"not json", b"[1, 2]", b"{" * 3000, b'{"feats": "\xff"}'):
        yield Refused(
            f"json-{len(text)}-{text[:1].hex()}.safetensors", build.tensors(text), "corrupt"
        )
    for number, entry in enumerate(
        [
            {},
            3,
            {"dtype": 1, "shape": [1], "data_offsets": [0, 1]},
            {"dtype": "F32", "shape": "ab", "data_offsets": [0, 1]},
            {"dtype": "F32", "shape": [6, 4], "data_offsets": [0, True]},
            {"dtype": "U8", "shape": [2, 5], "data_offsets": [-1, 9]},
            {"dtype": "U8", "shape": [-1, -1], "data_offsets": [0, 1]},
        ]
    ):
        yield Refused(
            f"entry-{number}.safetensors", build.tensors({"feats": entry}, bytes(9)), "corrupt"
        )


def refused_names() -> Iterator[Refused]:
    for name in (
        "table.xlsx",
        "feats.h5",
        "feats.npy.gz",
        "cells.h5ad",
        "feats.zarr",
        "index.faiss",
        "rows.json",
    ):
        yield Refused(name, b"some bytes", "Convert it, and use the new file:")
    listed = ".npy, .npz, .csv, .tsv, .parquet, .feather, .safetensors"
    for name in ("notes.txt", "archive.tgz", "sound.wav", "unknown.bin"):
        yield Refused(name, b"some bytes", listed)
    yield Refused("photo.PNG", b"\x89PNG....", "an image. Embed the images first")
    yield Refused("nothing", b"some bytes", "has no extension")
    yield Refused("", build.npy(VALUES), "has no extension")
    yield Refused(
        "really-npy.npz",
        build.npy(VALUES),
        "named .npz, but holds a numpy array. Rename it to end in .npy",
    )
    yield Refused("really-png.npy", b"\x89PNG\r\n\x1a\n", "holds a PNG image")
    yield Refused(
        "really-gz.csv", b"\x1f\x8b" + zlib.compress(b"1,2"), "packed. Rename it to end in .csv.gz"
    )
    yield Refused(f"../../{HOSTILE.replace('/', '')}.txt", b"x", f"'{HOSTILE}.txt': the extension")


@cache
def every_refused() -> list[Refused]:
    """One file of every refused kind, names without repetition."""
    return [
        *refused_pickles(),
        *refused_contents(),
        *refused_keys(),
        *refused_text(),
        *refused_arrow(),
        *refused_packed(),
        *refused_claims(),
        *refused_broken(),
        *refused_names(),
    ]
