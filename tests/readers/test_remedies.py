"""Every printed recipe is run, literally, in a fresh process, on a file that triggers it, and gives
the samples.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import importlib.util
import io
import json
import lzma
import pickle
import re
import sqlite3
import struct
import subprocess
import sys
import tarfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
import safetensors.numpy
import scipy.io
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal

import prviz
from prviz.readers import read
from prviz.readers.conversion import CONVERTED
from prviz.readers.source import PICKLE_EXTENSIONS
from tests import file_builders as build
from tests.readers.answers import followed, refusal, write

N = 60
D = 16
VALUES = np.random.default_rng(0).normal(size=(N, D)).astype("f4")
LABELS = np.arange(N) % 3
ROWS = [[float(value) for value in row] for row in VALUES]
NAMES = [f"f{place}" for place in range(D)]
FRAME = pd.DataFrame(VALUES.astype("f8"), columns=NAMES)
FULL = FRAME.to_csv(index=False)
BODY = FULL.partition("\n")[2]
BATCHES = [VALUES[:25], VALUES[25:50], VALUES[50:]]
BY_NAME = {f"{place:02d}": row for place, row in enumerate(VALUES)}
OBJECTS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
HELD = np.empty(N, object)
HELD[:] = list(VALUES)
Write = Callable[[Path], object]
# Files that only a library writes: name -> writes the file.
CASES: dict[str, Write] = {}
# The libraries that a file or its recipe needs.
NEEDED: dict[str, tuple[str, ...]] = {}


def case(name: str, *needed: str) -> Callable[[Write], Write]:
    def add(write: Write) -> Write:
        assert name not in CASES
        CASES[name] = write
        NEEDED[name] = needed
        return write

    return add


# ---- texts ----


def lines(row: Callable[[int, list[float]], str], end: str = "\n") -> str:
    """A line for each row, of its place and values."""
    return end.join(row(place, values) for place, values in enumerate(ROWS))


def rows(mark: str, before: str = "", behind: str = "") -> str:
    """The values between marks."""
    return lines(lambda _, row: before + mark.join(map(str, row)) + behind)


def written(form: Callable[[float], str], mark: str = ",") -> str:
    """A table with every value in another form, that no quotes are put around."""
    return "\n".join([mark.join(NAMES), lines(lambda _, row: mark.join(map(form, row)))])


def signed(before: str, behind: str) -> str:
    """Negative numbers with signs around them, in place of a minus."""
    return written(lambda value: f"{before}{-value}{behind}" if value < 0 else str(value))


def in_land(thousands: str, decimals: str) -> str:
    """Numbers times 10,000, with the marks of a land."""
    marks = str.maketrans({",": thousands, ".": decimals})
    return written(lambda value: f'"{value * 10000:,.6f}"'.translate(marks), ";")


def whole(mark: str, form: Callable[[int], str]) -> str:
    """Numbers times 10,000, without decimals."""
    return written(lambda value: form(round(value * 10_000)), mark)


def lakh(value: int) -> str:
    digits = str(abs(value)).zfill(6)
    return ("-" if value < 0 else "") + f"{digits[:-5]},{digits[-5:-3]},{digits[-3:]}".lstrip("0,")


def points(value: int) -> str:
    return f"{value:,}".replace(",", ".")


def libsvm(head: str = "0", behind: str = "") -> str:
    return lines(
        lambda _, row: (
            " ".join([head, *(f"{at}:{value!r}" for at, value in enumerate(row, start=1))]) + behind
        )
    )


def one_of_orange(mark: str) -> str:
    head = [
        [*NAMES, "target", "iris"],
        [*["continuous"] * (D + 1), "discrete"],
        [*[""] * D, *["class"] * 2],
    ]
    body = lines(lambda at, row: mark.join([*map(str, row), "0.5", "ab"[at % 2]]))
    return "\n".join([*map(mark.join, head), body])


def atoms(step: int, start: int, stop: int) -> str:
    sizes = f"{stop - start}\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"
    names = f"ITEM: ATOMS id type {' '.join(NAMES)}\n"
    body = lines(lambda at, row: f"{at} 1 {' '.join(map(str, row))}").splitlines()[start:stop]
    return f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n{sizes}{names}" + "\n".join(body) + "\n"


def kaldi(binary: bool, size: int) -> bytes:
    """An archive of vectors, or of matrices of so many rows."""
    held = b""
    for place, part in enumerate(VALUES.reshape(-1, size, D)):
        held += f"utterance-{place} ".encode()
        sizes = (D,) if size == 1 else part.shape
        mark = b"\0BFV " if size == 1 else b"\0BFM "
        if binary:
            held += mark + b"".join(b"\4" + struct.pack("<i", each) for each in sizes)
            held += part.astype("<f4").tobytes()
        else:
            texts = [" ".join(map(repr, row)) for row in part.astype("f8").tolist()]
            held += (" [ " + "\n  ".join([""] * (size > 1) + texts) + " ]\n").encode()
    return held


LANDS = {
    "english.csv": in_land(",", "."),
    "german.csv": in_land(".", ","),
    "swiss.csv": in_land("'", "."),
    "french.csv": in_land("\u202f", ","),
}
WHOLES = {
    "whole-german.csv": whole(";", points),
    "whole-german.tsv": whole("\t", points),
    "whole-commas.csv": whole(";", "{:,}".format),
    "whole-quoted.csv": whole(",", '"{:,}"'.format),
    "whole-underscores.csv": whole(",", "{:_}".format),
    "whole-lakh.csv": whole(";", lakh),
}
# What a file means, where it is not VALUES.
MEANT = {
    **dict.fromkeys(LANDS, VALUES * np.float64(10_000)),
    **dict.fromkeys(WHOLES, np.rint(VALUES.astype("f8") * 10_000)),
}
WORDS = lines(lambda at, row: f"w{at} " + " ".join(map(str, row)))
GAPS = "\n".join(",".join([*map(str, ROWS[0][1:]), gap]) for gap in ("", "?", "-", "#DIV/0!", "NA"))
ATTRIBUTES = "".join(f"@attribute {name} numeric\n" for name in NAMES)
PRINTED = np.array2string(VALUES.astype("f8"), threshold=10**6, precision=12)
RULER = "+---" * D + "+"
WIDE = FRAME.add_prefix("特徴").to_csv(index=False, sep="\t")
TEXTS: dict[str, str | bytes] = {
    **LANDS,
    **WHOLES,
    "plain": FULL,
    "spaces.txt": rows(" "),
    "commas.txt": rows(","),
    "comment.dat": f"# made by hand\n{rows(' ')}",
    "table.cat": f"# 1 MAG_AUTO  magnitude [mag]\n{rows(' ')}",
    "octave.mat": f"# Created by Octave 9.2\n# name: X\n# type: matrix\n{rows(' ')}",
    "tabs.txt": FULL.replace(",", "\t"),
    **{
        f"table.{ending}": FULL.replace(",", "|")
        for ending in ("txt", "dat", "tab", "psv", "asc", "prn", "data")
    },
    "mark.txt": WIDE.encode("utf-16"),
    "le.txt": WIDE.encode("utf-16-le"),
    "be.txt": WIDE.encode("utf-16-be"),
    "4.txt": WIDE.encode("utf-32"),
    "wide.dat": rows(" ").encode("utf-16-le"),
    "table.out": FULL,
    # numbers
    "percent.csv": written("{}%".format),
    "dollars.csv": written("${}".format),
    "quotes.csv": written("'{}'".format),
    "formulas.csv": written('="{}"'.format),
    "fortran.csv": written(lambda value: f"{value:.12E}".replace("E", "D")),
    "accounts.csv": signed("(", ")"),
    "dollar-accounts.csv": written(lambda value: f"$({-value})" if value < 0 else f"${value}"),
    "minus-behind.csv": signed("", "-"),
    "euros.csv": written(lambda value: f"{value:.9f} \u20ac".replace(".", ","), ";"),
    "comma-pairs.csv": written(lambda value: f"{value:.9f}".replace(".", ",")),
    "missing.csv": FULL + ",".join([*map(str, ROWS[0][1:]), "n/a"]),
    "missing.tsv": FULL.replace(",", "\t") + "\t".join(["?", *map(str, ROWS[0][1:])]),
    "all-gaps.csv": FULL + GAPS,
    "total.csv": FULL + ",".join(map(str, FRAME.sum())) + "\n",
    "described.csv": pd.concat([FRAME, FRAME.describe()]).to_csv(index=False),
    "named-total.csv": pd.concat(
        [FRAME, FRAME.mean().to_frame("Mean").T, FRAME.std().to_frame("Std").T]
    ).to_csv(index_label="name"),
    # a sample in a cell
    "hexadecimal.csv": "emb\n" + "\n".join(row.tobytes().hex() for row in VALUES),
    "base64.csv": "emb\n" + "\n".join(base64.b64encode(row).decode() for row in VALUES),
    "objects.csv": pd.DataFrame({"emb": list(map(json.dumps, OBJECTS))}).to_csv(),
    "tuples.csv": lines(lambda _, row: str(tuple(row))),
    "lists.txt": lines(lambda _, row: str(row)),
    "repr.txt": repr(ROWS),
    "printed.txt": PRINTED,
    "printed.csv": PRINTED,
    # between bars and other marks
    "bars.md": "\n".join(f"| {' | '.join(row)} |" for row in [NAMES, ["---"] * D])
    + f"\n{rows(' | ', '| ', ' |')}",
    "psql.txt": f" {' | '.join(NAMES)}\n{'+'.join(['----'] * D)}\n{rows(' | ', ' ')}\n({N} rows)\n",
    "mysql.txt": f"{RULER}\n|{'|'.join(NAMES)}|\n{RULER}\n{rows(' | ', '| ', ' |')}\n{RULER}\n"
    f"{N} rows in set (0.00 sec)",
    "r-matrix.txt": "      "
    + "  ".join(f"[,{at + 1}]" for at in range(D))
    + "\n"
    + lines(lambda at, row: f"[{at + 1},]  " + "  ".join(map(str, row))),
    "touching.txt": lines(lambda _, row: "".join(f"{value:11.8f}" for value in row)),
    "fortran.txt": lines(
        lambda _, row: "  ".join(f"{value:.10E}".replace("E", "D") for value in row)
    ),
    # of other programs
    "words.txt": f"{N} {D}\n{WORDS}",
    "words.vec": f"{N} {D}\n"
    + lines(lambda at, row: f"w{at}\x85\u2028 " + " ".join(map(str, row))),
    "words.bin": f"{N} {D}\n".encode()
    + b"".join(b"word%d %b\n" % (at, row.tobytes()) for at, row in enumerate(VALUES)),
    "libsvm.txt": libsvm(),
    **{f"rows.{ending}": libsvm() for ending in ("svm", "libsvm", "svmlight")},
    "queries.txt": libsvm("2 qid:1", " # page"),
    "table.arff": f"@relation r\n{ATTRIBUTES}@data\n{BODY}",
    "zeros.arff": f"@relation x\n{ATTRIBUTES}@data\n"
    + lines(lambda _, row: "{" + ", ".join(f"{at} {x}" for at, x in enumerate(row)) + "}"),
    "strings.arff": "@RELATION sound\n@ATTRIBUTE name string\n"
    + "".join(f"@attribute 'f {at}' numeric\n" for at in range(D))
    + "@DATA\n% by hand\n"
    + lines(lambda at, row: f"'clip, {at}'," + ",".join(map(repr, row))),
    "genes.gct": f"#1.2\n{D}\t{N}\n"
    + FRAME.T.add_prefix("s")
    .assign(Description="a gene")
    .set_index("Description", append=True)
    .to_csv(sep="\t", index_label=["Name", "Description"]),
    "rows.sql": f"INSERT INTO t ({', '.join(NAMES)}) VALUES\n"
    + lines(lambda _, row: f"({', '.join(map(str, row))})", ",\n")
    + ";\n",
    "table.tex": "\\begin{tabular}{l}\n"
    + " & ".join(NAMES)
    + f" \\\\\n{rows(' & ', behind=' ' + 2 * chr(92))}\n",
    "one.lammpstrj": atoms(0, 0, N),
    "two.dump": atoms(0, 0, 30) + atoms(100, 30, N),
    "orange.tab": one_of_orange("\t"),
    "orange.csv": one_of_orange(","),
    "curves.xvg": f'# by hand\n@    title "RMSD"\n@ s0 legend "a"\n{rows(" ")}\n',
    "cloud.ply": f"ply\nformat ascii 1.0\nelement vertex {N}\nend_header\n{rows(' ')}\n3 0 1 2\n",
    "grid.asc": f"ncols {D}\nnrows {N}\n{rows(' ')}\n",
    "logger.lvm": "LabVIEW\nWriter_Version\t2\n" + FULL.replace(",", "\t"),
    "list.yaml": lines(lambda _, row: f"- {row}"),
    "list.m": "{" + lines(lambda _, row: "{" + ", ".join(map(str, row)) + "}", ",\n") + "}\n",
    "vectors.ark": kaldi(False, 1),
    "matrices.ark": kaldi(False, 15),
    "vectors of bytes.ark": kaldi(True, 1),
    "matrices of bytes.ark": kaldi(True, 15),
    "kaldi.txt": kaldi(False, 1),
    "kaldi.bin": kaldi(True, 15),
    **{f"page.{ending}": FRAME.to_html(float_format="%.12f") for ending in ("html", "htm")},
    # in JSON
    "lists.json": json.dumps(ROWS),
    "records.json": json.dumps([{"id": at, "embedding": row} for at, row in enumerate(ROWS)]),
    "service.json": json.dumps(
        {"data": [{"index": at, "embedding": row} for at, row in enumerate(ROWS)], "model": "m"}
    ),
    "table.json": json.dumps({"columns": NAMES, "data": ROWS}),
    "arrays.json": json.dumps({"embeddings": ROWS, "ids": LABELS.tolist()}),
    "by-name.json": json.dumps({f"{at}.png": row for at, row in enumerate(ROWS)}),
    "frame.json": FRAME.to_json(double_precision=12),
    "schema.json": FRAME.to_json(orient="table", double_precision=15),
    "lines.json": lines(lambda _, row: json.dumps({"emb": row})),
    "whole.jsonl": json.dumps([{"emb": row} for row in ROWS], indent=1),
    "squares.jsonl": lines(lambda _, row: json.dumps({"emb": np.reshape(row, (4, 4)).tolist()})),
    "texts.jsonl": lines(lambda _, row: json.dumps({"emb": str(row)})),
    "deep.jsonl": lines(
        lambda at, row: json.dumps({"id": str(at), "body": {"data": [{"embedding": row}]}})
    ),
    "features.jsonl": lines(
        lambda at, row: json.dumps(
            {"line": at, "features": [{"layers": [{"index": -1, "values": row}]}]}
        )
    ),
    "properties.geojson": json.dumps(
        {
            "type": "FeatureCollection",
            "features": [
                {"type": "Feature", "geometry": None, "properties": row} for row in OBJECTS
            ],
        }
    ),
}
NEEDED |= {
    name: ("lxml",) if name.startswith("page") else ("kaldiio",)
    for name in TEXTS
    if name.endswith((".html", ".htm", ".ark")) or name.startswith("kaldi")
}

# ---- pickles, arrays and tables ----

WHOLE = struct.pack("<ii", N, D) + VALUES.tobytes()
SQUARES = {"emb": VALUES.reshape(N, 4, 4).tolist()}
PACKED = {"id": range(N), "emb": [row.tobytes() for row in VALUES]}
TENSORS = {"emb": pa.FixedShapeTensorArray.from_numpy_ndarray(VALUES.reshape(N, 4, 4))}
MAPS = pa.array(
    [list(zip(NAMES, row, strict=True)) for row in ROWS], pa.map_(pa.string(), pa.float64())
)
TEXTS |= {
    **{
        name: pickle.dumps(held)
        for name, held in {
            "array.pkl": VALUES,
            "it's.pkl": VALUES,
            "lists.pickle": ROWS,
            "batches.pkl": BATCHES,
            "dict.pkl": {"features": VALUES, "labels": LABELS},
            "nested.pkl": {"model": {"pool": VALUES, "n": 3}, "path": "x"},
            "by-name.pkl": BY_NAME,
            "records.pkl": [
                {"emb": row, "label": "a", "id": place} for place, row in enumerate(VALUES)
            ],
            "pairs.pkl": [(f"{place}.png", row) for place, row in enumerate(VALUES)],
            "loader.pkl": [{"f": part, "y": LABELS[: len(part)]} for part in BATCHES],
            "tuple.pkl": (VALUES, LABELS),
            "frame.pkl": pd.DataFrame(VALUES, columns=NAMES),
        }.items()
    },
    "dict.npy": build.npy(np.array({"emb": VALUES})),
    "dict.npz": build.npz(x=np.array({"emb": VALUES})),
    "objects.npy": build.npy(HELD),
    "objects.npz": build.npz(feats=HELD),
    "texts.npy": build.npy(VALUES.astype("f8").astype("U25")),
    "texts.npz": build.npz(emb=VALUES.astype("f8").astype("U25")),
    "wide.npy": build.npy(VALUES.astype(np.longdouble)),
    "twice.npy": b"".join(map(build.npy, BATCHES)),
    "then-labels.npy": build.npy(VALUES) + build.npy(LABELS),
    "a-sample-an-array.npz": build.npz(**BY_NAME),
    "a-sample-an-array.safetensors": safetensors.numpy.save(BY_NAME),
    "parts.npz": build.npz(**{f"arr_{at}": part for at, part in enumerate(BATCHES)}),
    "parts.safetensors": safetensors.numpy.save(
        {f"batch_{at}": part for at, part in enumerate(BATCHES)}
    ),
    "packed.npy.gz": gzip.compress(build.npy(VALUES)),
    "packed.npy.bz2": bz2.compress(build.npy(VALUES)),
    "packed.npy.xz": lzma.compress(build.npy(VALUES)),
    "table.zip": build.archive({"of a table.csv": FULL, "__MACOSX/._of a table.csv": b"x"}),
    "arrays.zip": build.archive(
        {f"part_{at}.npy": build.npy(part) for at, part in enumerate(BATCHES)}
        | {"README.md": b"made by hand"}
    ),
    "sizes.bin": WHOLE,
    "sizes.fbin": WHOLE,
    "rows.fvecs": b"".join(struct.pack("<i", D) + row.tobytes() for row in VALUES),
    **{
        f"{kind}.{ending}": save(columns)
        for kind, columns in {"squares": SQUARES, "bytes": PACKED}.items()
        for ending, save in {
            "parquet": build.parquet,
            "feather": build.feather,
            "arrow": build.arrow_stream,
        }.items()
    },
    "tensors.parquet": build.parquet(TENSORS),
    "maps.parquet": build.parquet({"id": range(N), "features": MAPS}),
    "texts.parquet": build.parquet({"id": range(N), "emb": list(map(str, ROWS))}),
    "text-numbers.parquet": FRAME.astype(str).to_parquet(),
}
for name, text in TEXTS.items():
    held = text.encode() if isinstance(text, str) else text
    case(name, *NEEDED.get(name, ()))(lambda path, held=held: path.write_bytes(held))  # type: ignore[misc]


# ---- what a library writes ----


def torch_case(name: str, made: Callable[[Any], Any]) -> None:
    def write(path: Path) -> None:
        import torch

        torch.save(made(torch.from_numpy(VALUES)), path)

    case(name, "torch")(write)


torch_case("tensor.pt", lambda tensor: tensor)
torch_case("tensor.ckpt", lambda tensor: tensor.double())
torch_case("batches.pt", lambda tensor: list(tensor.split(25)))
torch_case("rows.pth", list)
torch_case("dict.pt", lambda tensor: {"features": tensor, "labels": tensor[:, 0]})
torch_case("sparse.pt", lambda tensor: tensor.to_sparse())
torch_case("nested.pt", lambda tensor: {"features": {"pool": tensor}})
torch_case(
    "numpy.pt", lambda tensor: {"features": tensor.numpy(), "epoch": 3, "loss": np.float64(0.5)}
)
torch_case("numpy.ckpt", lambda _: BATCHES)


@case("array.joblib", "joblib")
def _joblib(path: Path) -> None:
    import joblib

    joblib.dump(VALUES, path)


def hdf5(path: Path, arrays: dict[str, Any]) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        for key, array in arrays.items():
            file[key] = array


for name, arrays in {
    "named.h5": {"features": VALUES, "labels": LABELS},
    "deep.hdf5": {"a/b/emb": VALUES},
    "by-name.hdf": BY_NAME,
    "plain.he5": {"x": VALUES},
    "raw.h5ad": {"obsm/X_pca": VALUES},
    "cells.loom": {"matrix": VALUES.T, "col_attrs/CellID": LABELS},
    "model.weights": {"emb": VALUES},
    "nc-4.nc": {"emb": VALUES, "sample": np.arange(N)},
}.items():
    case(name, *(("h5py", "anndata") if name == "raw.h5ad" else ("h5py",)))(
        lambda path, arrays=arrays: hdf5(path, arrays)  # type: ignore[misc]
    )
for name, arrays in {
    "matlab.mat": {"X": VALUES, "labels": LABELS, "n": 3},
    "struct-5.mat": {"data": {"features": VALUES, "labels": LABELS}},
    "columns.mat": dict(zip(NAMES, VALUES.T[:, :, None], strict=True)),
}.items():
    case(name)(lambda path, arrays=arrays: scipy.io.savemat(path, arrays))  # type: ignore[misc]


@case("matlab-7.mat", "h5py")
def _matlab_7(path: Path) -> None:
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = VALUES.T
    data = path.read_bytes()
    path.write_bytes(b"MATLAB 7.3 MAT-file" + data[19:])


@case("struct.mat", "h5py")
def _matlab_7_struct(path: Path) -> None:
    hdf5(path, {"data/features": VALUES.T, "data/labels": LABELS[None], "#refs#/a": VALUES.T})
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + path.read_bytes())


case("fixed.h5", "tables")(lambda path: FRAME.to_hdf(path, key="features"))
case("store.h5", "tables")(lambda path: FRAME.to_hdf(path, key="features", format="table"))


@case("classic.nc")
def _netcdf(path: Path) -> None:
    with scipy.io.netcdf_file(path, "w") as file:
        file.createDimension("sample", N)
        file.createDimension("feature", D)
        file.createVariable("emb", "f4", ("sample", "feature"))[:] = VALUES


for ending in (".nc4", ".cdf"):
    case(f"classic{ending}")(_netcdf)


def cells_case(name: str, module: str, *, reduced: bool = True) -> None:
    def write(path: Path) -> None:
        import anndata

        held = anndata.AnnData(np.zeros((N, 5), "f4") if reduced else VALUES)
        if reduced:
            held.obsm["X_pca"] = VALUES
        (held.write_zarr if path.suffix == ".zarr" else held.write_h5ad)(path)

    case(name, module, "anndata")(write)


cells_case("cells.h5ad", "h5py")
cells_case("cells-alone.h5ad", "h5py", reduced=False)
cells_case("cells.zarr", "zarr")


@case("cytometer.fcs", "flowio")
def _flow(path: Path) -> None:
    import flowio

    with path.open("wb") as file:
        flowio.create_fcs(file, VALUES.ravel().tolist(), NAMES)


@case("store.zarr.zip", "zarr")
def _zarr_zip(path: Path) -> None:
    import zarr

    with zarr.storage.ZipStore(str(path), mode="w") as store:
        zarr.create_array(store=store, data=VALUES)


@case("group.zarr", "zarr")
def _group(path: Path) -> None:
    import zarr

    group = zarr.open_group(str(path), mode="w")
    group["emb"] = VALUES
    group["labels"] = LABELS


@case("array.zarr", "zarr")
def _zarr(path: Path) -> None:
    import zarr

    zarr.save(str(path), VALUES)


@case("vectors.lance", "lance")
def _lance(path: Path) -> None:
    import lance

    lance.write_dataset(pa.table({"id": range(N), "vector": ROWS}), str(path))


for ending, module in {"xlsx": "openpyxl", "xlsm": "openpyxl", "ods": "odf"}.items():
    case(f"sheet.{ending}", module)(lambda path: FRAME.to_excel(path, index=False))
case("no-header.xlsx", "openpyxl")(lambda path: FRAME.to_excel(path, index=False, header=False))


@case("sheets.xlsx", "openpyxl")
def _sheets(path: Path) -> None:
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"About": ["this table", "and its numbers"]}).to_excel(book, sheet_name="a")
        FRAME.to_excel(book, sheet_name="b", index=False)


case("columns.orc")(FRAME.to_orc)
case("stata.dta")(
    lambda path: FRAME.to_stata(
        path, write_index=False, value_labels={NAMES[0]: {0: "never", 1: "always"}}
    )
)


@case("coded.sav", "pyreadstat")
def _spss(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_sav(FRAME, path, variable_value_labels={NAMES[0]: {VALUES[0, 0]: "never"}})


@case("version8.xpt", "pyreadstat")
def _xport(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_xport(FRAME, path)


@case("polars.avro", "polars")
def _avro(path: Path) -> None:
    import polars

    polars.DataFrame(FRAME.to_dict("list")).write_avro(path)


@case("old.feather")
def _old_feather(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        feather.write_feather(FRAME, str(path), version=1)


case("market.mtx")(lambda path: scipy.io.mmwrite(path, VALUES))
case("sparse.npz")(lambda path: scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(VALUES)))


def faiss_index(path: Path) -> None:
    import faiss

    index = faiss.IndexFlatL2(D)
    index.add(VALUES)
    faiss.write_index(index, str(path))


for ending in ("faiss", "index", "bin"):
    case(f"flat.{ending}", "faiss")(faiss_index)

# ---- databases ----

ABOUT = pd.DataFrame({"key": ["a"], "value": ["b"]})


def sqlite(path: Path, **tables: pd.DataFrame) -> None:
    base = sqlite3.connect(path)
    for name, table in tables.items():
        table.to_sql(name, base, index=False)
    base.close()


def duck(path: Path, **tables: pd.DataFrame) -> None:
    import duckdb

    with duckdb.connect(str(path)) as base:
        for name, table in tables.items():
            base.register("frame", table)
            base.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")


for ending in ("db", "sqlite", "sqlite3"):
    case(f"table.{ending}")(lambda path: sqlite(path, t=FRAME))
case("beside.sqlite")(lambda path: sqlite(path, about=ABOUT, vectors=FRAME))
case("table.duckdb", "duckdb")(lambda path: duck(path, t=FRAME))
case("beside.duckdb", "duckdb")(lambda path: duck(path, about=ABOUT, vectors=FRAME))

# ---- several files ----


@case("arrays.tar")
def _shard(path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        for place, row in enumerate(VALUES):
            member = tarfile.TarInfo(f"{place:06d}.emb.npy")
            data = build.npy(row)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


@case("places.scp", "kaldiio")
def _scp(path: Path) -> None:
    held = kaldi(True, 1)
    archive = path.parent.parent / "held.ark"
    archive.write_bytes(held)
    starts = [match.end() for match in re.finditer(rb"utterance-\d+ (?=\0B)", held)]
    lines = [f"utterance-{place} {archive}:{start}\n" for place, start in enumerate(starts)]
    path.write_text("".join(lines))


def in_folder(
    name: str, file: str, write: Callable[[Path, Any], object], parts: Any = VALUES, *needed: str
) -> None:
    """A file for each part, named by its place."""

    def write_all(path: Path) -> None:
        for place, part in enumerate(parts):
            held = path / file.format(place, place // 30, "abcdefgh"[place % 8] * 3)
            held.parent.mkdir(parents=True, exist_ok=True)
            write(held, part)

    case(name, *needed)(write_all)


in_folder("pickles", "{:02d}.pkl", lambda path, row: path.write_bytes(pickle.dumps(row)))
in_folder("columns", "{:02d}.npy", lambda path, row: np.save(path, row[:, None]))
in_folder("columns of text", "{:02d}.csv", np.savetxt)
in_folder("lines of text", "{:02d}.txt", np.savetxt)
in_folder(
    "objects of JSON",
    "{:02d}.json",
    lambda path, row: path.write_text(json.dumps({"emb": row.tolist()})),
)
in_folder("files of MATLAB", "{:02d}.mat", lambda path, row: scipy.io.savemat(path, {"emb": row}))
in_folder("words", "{2}.npy", np.save, BATCHES)
in_folder("below", "class {1}/{0:02d}.npy", np.save)
in_folder(
    "batches of HDF5",
    "{}.h5",
    lambda path, part: hdf5(path, {"emb": part, "labels": LABELS[: len(part)]}),
    BATCHES,
    "h5py",
)

# Kinds whose files no installed library writes: of .bvecs and the like the values are whole
# numbers.
WRITTEN_ELSEWHERE = {".bvecs", ".u8bin", ".i8bin", ".xls", ".tfrecord", ".tfrecords", ".hdf"}
WRITTEN_ELSEWHERE |= {".sas7bdat", ".zsav", ".rds", ".rdata", ".rda"}
# Plain bytes don't say how wide a sample is: see below.
WRITTEN_ELSEWHERE |= {".raw", ".f32"}
# See `test_tables_of_astronomers`.
WRITTEN_ELSEWHERE |= {".fits", ".fit", ".fts", ".ecsv", ".vot", ".votable"}


def test_every_kind_of_file_with_a_recipe_is_tried() -> None:
    tried = {Path(name).suffix for name in CASES} | WRITTEN_ELSEWHERE | {".zarr"}
    assert {ending for ending in CONVERTED if ending != ".h5ad.zarr"} <= tried
    assert tried >= PICKLE_EXTENSIONS


# One process runs the recipes of all files, each in a namespace of its own.
_RUN = """
import json, sys, traceback
for name, recipe in json.load(sys.stdin).items():
    try:
        exec(recipe, {})
    except Exception:
        print(name, traceback.format_exc())
"""


@pytest.mark.thorough
def test_every_recipe_gives_the_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are named by a relative path, as in a shell; libraries that are not installed are left
    out.
    """
    monkeypatch.chdir(tmp_path)
    recipes = {}
    known = {}
    for name, make in CASES.items():
        if not all(importlib.util.find_spec(module) for module in NEEDED[name]):
            continue
        folder = Path(f"in {name}")
        folder.mkdir()
        make(folder / name)
        known[name] = set(folder.iterdir())
        sentence, *recipe = str(refusal(folder / name)).splitlines()
        assert sentence.endswith(":"), (name, sentence)
        assert 1 < len(recipe) < 8, name
        recipes[name] = "\n".join(recipe)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _RUN],
        input=json.dumps(recipes),
        capture_output=True,
        text=True,
    )
    assert not done.stdout, done.stdout
    for name in recipes:
        (made,) = {*Path(f"in {name}").iterdir()} - known[name]
        right = MEANT.get(name, VALUES)
        assert_allclose(read(made).values, right, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("kind", ["parquet", "feather", "jsonl"])
def test_rows_with_an_empty_cell_are_left_out(kind: str, tmp_path: Path) -> None:
    frame = FRAME.assign(label=["a", None] * (N // 2))
    frame.loc[[3, 8], "f2"] = np.nan
    path = write(tmp_path / f"t.{kind}", frame)
    found = followed(path, r"row 4, column 'f2': empty. Fill it in, or")
    assert_allclose(found.values, np.delete(VALUES, [3, 8], 0))
    assert read(path, drop="f2").d == D - 1


def test_complex_numbers_become_their_parts() -> None:
    file = "x.npy", build.npy(VALUES + 1j * VALUES[:, ::-1])
    found = followed(file, "holds complex numbers")
    assert_array_equal(found.values, np.hstack([VALUES, VALUES[:, ::-1]]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("name", ["x.raw", "x.bin", "x.dat"])
def test_plain_bytes_need_the_width_of_a_sample(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda asked: str(D))
    refusal((name, b"\0\0\0\0"), "look like float32")
    values = np.random.default_rng(0).normal(size=(N, D))
    said = f"do not say how many values a sample has .* look like {kind}"
    assert_allclose(followed((name, values.astype(kind).tobytes()), said).values, values, 1e-5)


IDX = struct.pack(">HBBII", 0, 14, 2, N, D) + VALUES.astype(">f8").tobytes()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("x.zip", build.archive({"x": FULL}), "a zip archive of one file, 'x'"),
        ("x-idx2-double", IDX, "an IDX file"),
        ("x.idx2", IDX, "an IDX file"),
        ("x.npy", build.npy(VALUES.reshape(6, 10, D)), "such as a frame of a clip"),
        (
            "y.npy",
            build.npy(VALUES.astype(ml_dtypes.float8_e4m3fn)),
            "numbers of 8 bits whose type the file does not name",
        ),
    ],
)
def test_lines_for_files_that_say_what_they_are(name: str, data: bytes, said: str) -> None:
    rough = 0.07 if name == "y.npy" else 1e-6
    assert_allclose(followed((name, data), said).values, VALUES, rtol=rough, atol=0.002)


@pytest.mark.parametrize(
    ("name", "format_"),
    [("x.fits", None), ("x.ecsv", None), ("x.vot", "votable"), ("x.xml", "votable")],
)
def test_tables_of_astronomers(name: str, format_: str | None, tmp_path: Path) -> None:
    table = pytest.importorskip("astropy.table")
    path = tmp_path / name
    table.Table(dict(zip(NAMES, VALUES.T, strict=True))).write(path, format=format_)
    said = "The lines need one more library: pip install astropy"
    assert_array_equal(followed(path, said).values, VALUES)


def test_what_numpy_has_cut_is_not_converted(tmp_path: Path) -> None:
    (tmp_path / "cut.txt").write_text(str(np.tile(VALUES, (30, 1))))
    refusal(tmp_path / "cut.txt", r"printed by NumPy, which has left numbers out \(\.\.\.\)")


# ---- what is read at once now ----


@pytest.mark.exhaustive
def test_a_folder_of_one_vector_a_file_is_one_set(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    real = rng.normal(size=(400, 16)).astype("f4")
    generated = (rng.normal(size=(400, 16)) * 0.8 + 0.3).astype("f4")
    for name, values in {"real": real, "generated": generated}.items():
        (tmp_path / name).mkdir()
        for place, row in enumerate(values):
            np.save(tmp_path / name / f"{place}.npy", row)
    found = [read(tmp_path / name) for name in ("real", "generated")]
    assert_array_equal(found[0].values, real)
    assert prviz.pr_curve(*found, method="knn", k=5, split=None).auc == pytest.approx(
        0.2812, abs=1e-4
    )


@pytest.mark.parametrize(
    "names", [[f"rank{i // 4}_batch{i % 4}.npy" for i in range(12)], ["b 2.npy", "a.npy", "c.npy"]]
)
def test_ranks_and_single_rows_are_one_set(names: list[str], tmp_path: Path) -> None:
    parts = np.array_split(VALUES, 12) if len(names) == 12 else [row[None] for row in VALUES[:3]]
    for name, part in zip(names, parts, strict=True):
        np.save(tmp_path / name, part)
    assert read(tmp_path).n == sum(map(len, parts))


def test_folders_of_data_sets_say_what_to_name(tmp_path: Path) -> None:
    table = pa.table({"emb": ROWS + ROWS, "role": ["real"] * N + ["generated"] * N})
    pq.write_to_dataset(table, tmp_path / "hive", partition_cols=["role"])
    said = r"'role=generated', 'role=real'. Name one of these folders, such as "
    error = refusal(tmp_path / "hive", said)
    assert read(str(error).rpartition("such as '")[2].rstrip("'.")).n == N
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("data-00000-of-00002.arrow", "data-00001-of-00002.arrow", "cache-1234.arrow"):
        (kept / name).write_bytes(build.arrow_stream({"emb": ROWS}))
    listed = [{"filename": f"data-0000{place}-of-00002.arrow"} for place in range(2)]
    (kept / "state.json").write_text(json.dumps({"_data_files": listed}))
    assert read(kept).n == 2 * N
    refusal(tmp_path, r"holds data sets, .*'kept'\. Name one")


@pytest.mark.parametrize("name", [name for name in CASES if NEEDED[name] == ("torch",)])
def test_prviz_embed_converts_what_pytorch_has_saved(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from prviz.embed.tensors import convert

    CASES[name](tmp_path / name)
    assert convert(tmp_path / name, tmp_path / "x.safetensors") == (N, D)
    assert_allclose(read(tmp_path / "x.safetensors").values, VALUES, rtol=1e-6)
