"""Every printed recipe is run, literally, in a fresh process, on a file that triggers it, and gives
the samples.
"""

from __future__ import annotations

import base64
import bz2
import gc
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
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

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
from prviz.readers import ReadError, read
from prviz.readers.conversion import CONVERTED, save_arrays
from prviz.readers.source import PICKLE_EXTENSIONS
from tests.readers.answers import refusal

N = 60
D = 16
VALUES = np.random.default_rng(0).normal(size=(N, D)).astype("f4")
LABELS = np.arange(N) % 3
ROWS = [[float(value) for value in row] for row in VALUES]
NAMES = [f"f{place}" for place in range(D)]
Write = Callable[[Path], object]
# Name -> writes the file; the libraries that the file or its recipe needs are named in `NEEDED`.
CASES: dict[str, Write] = {}
NEEDED: dict[str, tuple[str, ...]] = {}


def case(name: str, *needed: str) -> Callable[[Write], Write]:
    def add(write: Write) -> Write:
        assert name not in CASES
        CASES[name] = write
        NEEDED[name] = needed
        return write

    return add


def batches(values: Any) -> list[Any]:
    return [values[:25], values[25:50], values[50:]]


def objects() -> np.ndarray:
    held = np.empty(N, object)
    held[:] = list(VALUES)
    return held


# ---- pickles ----

for name, held in {
    "array.pkl": VALUES,
    "lists.pickle": ROWS,
    "batches.pkl": batches(VALUES),
    "dict.pkl": {"features": VALUES, "labels": LABELS},
    "nested.pkl": {"model": {"pool": VALUES, "n": 3}, "path": "x"},
    "by-name.pkl": {f"{place}.png": row for place, row in enumerate(VALUES)},
    "records.pkl": [{"emb": row, "label": "a", "id": place} for place, row in enumerate(VALUES)],
    "pairs.pkl": [(f"{place}.png", row) for place, row in enumerate(VALUES)],
    "loader.pkl": [{"f": part, "y": LABELS[: len(part)]} for part in batches(VALUES)],
    "tuple.pkl": (VALUES, LABELS),
    "frame.pkl": pd.DataFrame(VALUES, columns=NAMES),
}.items():
    case(name)(lambda path, held=held: path.write_bytes(pickle.dumps(held)))  # type: ignore[misc]
case("it's.pkl")(lambda path: path.write_bytes(pickle.dumps(VALUES)))
case("dict.npy")(lambda path: np.save(path, np.array({"emb": VALUES})))
case("dict.npz")(lambda path: np.savez(path, np.array({"emb": VALUES})))
case("objects.npy")(lambda path: np.save(path, objects()))
case("objects.npz")(lambda path: np.savez(path, feats=objects()))


@case("properties.geojson")
def _geojson(path: Path) -> None:
    features = [
        {"type": "Feature", "geometry": None, "properties": dict(zip(NAMES, row, strict=True))}
        for row in ROWS
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


@case("array.joblib", "joblib")
def _joblib(path: Path) -> None:
    import joblib

    joblib.dump(VALUES, path)


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


# ---- folders, and arrays of other shapes ----


def in_folder(name: str, ending: str, write: Callable[[Path, Any], object]) -> None:
    def write_all(path: Path) -> None:
        path.mkdir()
        for place, row in enumerate(VALUES):
            write(path / f"{place:02d}{ending}", row)

    case(name)(write_all)


in_folder("pickles", ".pkl", lambda path, row: path.write_bytes(pickle.dumps(row)))


@case("words")
def _words(path: Path) -> None:
    path.mkdir()
    for word, part in zip(("cat", "dog", "eel"), batches(VALUES), strict=True):
        np.save(path / f"{word}.npy", part)


case("a-sample-an-array.npz")(
    lambda path: np.savez(path, **{f"{place:02d}": row for place, row in enumerate(VALUES)})
)
case("a-sample-an-array.safetensors")(
    lambda path: safetensors.numpy.save_file(
        {f"{place:02d}": row for place, row in enumerate(VALUES)}, path
    )
)


# ---- tables ----


def arrow_file(path: Path, columns: dict[str, Any], opened: Any) -> None:
    table = pa.table(columns)
    with pa.OSFile(str(path), "wb") as file, opened(file, table.schema) as writer:
        writer.write_table(table)


SQUARES: dict[str, Any] = {"emb": VALUES.reshape(N, 4, 4).tolist()}
PACKED: dict[str, Any] = {"id": range(N), "emb": [row.tobytes() for row in VALUES]}
for kind, columns in {"squares": SQUARES, "bytes": PACKED}.items():
    case(f"{kind}.parquet")(lambda path, columns=columns: pq.write_table(pa.table(columns), path))  # type: ignore[misc]
    case(f"{kind}.feather")(
        lambda path, columns=columns: arrow_file(path, columns, pa.ipc.new_file)
    )  # type: ignore[misc]
    case(f"{kind}.arrow")(
        lambda path, columns=columns: arrow_file(path, columns, pa.ipc.new_stream)
    )  # type: ignore[misc]
TENSORS = {"emb": pa.FixedShapeTensorArray.from_numpy_ndarray(VALUES.reshape(N, 4, 4))}
case("tensors.parquet")(lambda path: pq.write_table(pa.table(TENSORS), path))
case("squares.jsonl")(
    lambda path: path.write_text("\n".join(json.dumps({"emb": row}) for row in SQUARES["emb"]))
)


# ---- other programs ----


def hdf5(path: Path, arrays: dict[str, Any]) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        for key, array in arrays.items():
            file[key] = array


case("named.h5", "h5py")(lambda path: hdf5(path, {"features": VALUES, "labels": LABELS}))
case("deep.hdf5", "h5py")(lambda path: hdf5(path, {"a/b/emb": VALUES}))
case("by-name.hdf", "h5py")(
    lambda path: hdf5(path, {f"{place:02d}": row for place, row in enumerate(VALUES)})
)
case("plain.he5", "h5py")(lambda path: hdf5(path, {"x": VALUES}))
case("raw.h5ad", "h5py", "anndata")(lambda path: hdf5(path, {"obsm/X_pca": VALUES}))
case("matlab.mat")(lambda path: scipy.io.savemat(path, {"X": VALUES, "labels": LABELS, "n": 3}))


@case("matlab-7.mat", "h5py")
def _matlab_7(path: Path) -> None:
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = VALUES.T
    data = path.read_bytes()
    path.write_bytes(b"MATLAB 7.3 MAT-file" + data[19:])


def cells(path: Path, *, reduced: bool) -> None:
    import anndata

    held = anndata.AnnData(np.zeros((N, 5), "f4") if reduced else VALUES)
    if reduced:
        held.obsm["X_pca"] = VALUES
    (held.write_zarr if path.suffix == ".zarr" else held.write_h5ad)(path)


@case("struct.mat", "h5py")
def _matlab_7_struct(path: Path) -> None:
    hdf5(path, {"data/features": VALUES.T, "data/labels": LABELS[None], "#refs#/a": VALUES.T})
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + path.read_bytes())


case("struct-5.mat")(
    lambda path: scipy.io.savemat(path, {"data": {"features": VALUES, "labels": LABELS}})
)
case("octave.mat")(
    lambda path: np.savetxt(path, VALUES, header="Created by Octave 9.2\nname: X\ntype: matrix")
)
case("cells.loom", "h5py")(
    lambda path: hdf5(path, {"matrix": VALUES.T, "col_attrs/CellID": LABELS})
)
case("model.weights", "h5py")(lambda path: hdf5(path, {"emb": VALUES}))
case("nc-4.nc", "h5py")(lambda path: hdf5(path, {"emb": VALUES, "sample": np.arange(N)}))
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


case("cells.h5ad", "h5py", "anndata")(lambda path: cells(path, reduced=True))
case("cells-alone.h5ad", "h5py", "anndata")(lambda path: cells(path, reduced=False))
case("cells.zarr", "anndata", "zarr")(lambda path: cells(path, reduced=True))


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
    case(f"sheet.{ending}", module)(
        lambda path: pd.DataFrame(VALUES, columns=NAMES).to_excel(path, index=False)
    )
case("no-header.xlsx", "openpyxl")(
    lambda path: pd.DataFrame(VALUES).to_excel(path, index=False, header=False)
)


@case("columns.orc")
def _orc(path: Path) -> None:
    from pyarrow import orc

    orc.write_table(pa.table(dict(zip(NAMES, VALUES.T, strict=True))), str(path))


def faiss_index(path: Path) -> None:
    import faiss

    index = faiss.IndexFlatL2(D)
    index.add(VALUES)
    faiss.write_index(index, str(path))


for ending in ("faiss", "index"):
    case(f"flat.{ending}", "faiss")(faiss_index)
case("flat.bin", "faiss")(faiss_index)
WHOLE = struct.pack("<ii", N, D) + VALUES.tobytes()
case("sizes.bin")(lambda path: path.write_bytes(WHOLE))
case("sizes.fbin")(lambda path: path.write_bytes(WHOLE))
case("rows.fvecs")(
    lambda path: path.write_bytes(b"".join(struct.pack("<i", D) + row.tobytes() for row in VALUES))
)
case("words.vec")(
    lambda path: path.write_text(
        f"{N} {D}\n"
        + "\n".join(f"w{i}\x85\u2028 " + " ".join(map(str, row)) for i, row in enumerate(ROWS)),
        encoding="utf-8",
    )
)


def database(path: Path) -> None:
    base = sqlite3.connect(path)
    pd.DataFrame(VALUES, columns=NAMES).to_sql("t", base, index=False)
    base.close()


for ending in ("db", "sqlite", "sqlite3"):
    case(f"table.{ending}")(database)


@case("table.duckdb", "duckdb")
def _duckdb(path: Path) -> None:
    import duckdb

    base = duckdb.connect(str(path))
    base.register("held", pd.DataFrame(VALUES, columns=NAMES))
    base.execute("CREATE TABLE t AS SELECT * FROM held")
    base.close()


for name, shown in {
    "lists.json": ROWS,
    "records.json": [{"id": place, "embedding": row} for place, row in enumerate(ROWS)],
    "service.json": {
        "data": [{"index": place, "embedding": row} for place, row in enumerate(ROWS)],
        "model": "m",
    },
    "table.json": {"columns": NAMES, "data": ROWS},
    "arrays.json": {"embeddings": ROWS, "ids": LABELS.tolist()},
    "by-name.json": {f"{place}.png": row for place, row in enumerate(ROWS)},
}.items():
    case(name)(lambda path, shown=shown: path.write_text(json.dumps(shown)))  # type: ignore[misc]
case("frame.json")(
    lambda path: pd.DataFrame(VALUES, columns=NAMES).to_json(path, double_precision=12)
)
case("lines.json")(
    lambda path: path.write_text("\n".join(json.dumps({"emb": row}) for row in ROWS))
)
case("spaces.txt")(lambda path: np.savetxt(path, VALUES))
case("commas.txt")(lambda path: np.savetxt(path, VALUES, delimiter=","))
case("comment.dat")(lambda path: np.savetxt(path, VALUES, header="made by hand"))


def packed_case(ending: str, module: ModuleType) -> None:
    def write(path: Path) -> None:
        np.save(path.with_suffix(""), VALUES)
        path.write_bytes(module.compress(path.with_suffix("").read_bytes()))
        path.with_suffix("").unlink()

    case(f"packed.npy.{ending}")(write)


packed_case("gz", gzip)
packed_case("bz2", bz2)
packed_case("xz", lzma)

# ---- Kaldi ----


def kaldi(binary: bool, rows: int) -> bytes:
    """An archive of vectors, or of matrices of so many rows."""
    held = b""
    for place, part in enumerate(VALUES.reshape(-1, rows, D)):
        held += f"utterance-{place} ".encode()
        sizes = (D,) if rows == 1 else part.shape
        mark = b"\0BFV " if rows == 1 else b"\0BFM "
        if binary:
            held += mark + b"".join(b"\4" + struct.pack("<i", size) for size in sizes)
            held += part.astype("<f4").tobytes()
        else:
            lines = [" ".join(map(repr, row)) for row in part.astype("f8").tolist()]
            held += (" [ " + "\n  ".join([""] * (rows > 1) + lines) + " ]\n").encode()
    return held


for name, binary, rows in (
    ("vectors.ark", False, 1),
    ("matrices.ark", False, 15),
    ("vectors of bytes.ark", True, 1),
    ("matrices of bytes.ark", True, 15),
    ("kaldi.txt", False, 1),
    ("kaldi.bin", True, 15),
):
    case(name, "kaldiio")(
        lambda path, binary=binary, rows=rows: path.write_bytes(kaldi(binary, rows))  # type: ignore[misc]
    )


@case("places.scp", "kaldiio")
def _scp(path: Path) -> None:
    held = kaldi(True, 1)
    archive = path.parent.parent / "held.ark"
    archive.write_bytes(held)
    starts = [match.end() for match in re.finditer(rb"utterance-\d+ (?=\0B)", held)]
    lines = [f"utterance-{place} {archive}:{start}\n" for place, start in enumerate(starts)]
    path.write_text("".join(lines))


# ---- texts in UTF-16, and tables of more programs ----

FRAME = pd.DataFrame(VALUES.astype("f8"), columns=NAMES)
for name, encoding in (
    ("mark", "utf-16"),
    ("le", "utf-16-le"),
    ("be", "utf-16-be"),
    ("4", "utf-32"),
):
    case(f"{name}.txt")(
        lambda path, encoding=encoding: FRAME.add_prefix("特徴").to_csv(  # type: ignore[misc]
            path, index=False, sep="\t", encoding=encoding
        )
    )
case("wide.dat")(
    lambda path: FRAME.to_csv(path, index=False, header=False, sep=" ", encoding="utf-16-le")
)
case("table.cat")(lambda path: np.savetxt(path, VALUES, header="1 MAG_AUTO  magnitude [mag]"))


@case("genes.gct")
def _gct(path: Path) -> None:
    table = pd.DataFrame(VALUES.T, columns=[f"s{place}" for place in range(N)])
    table.insert(0, "Description", "a gene")
    table.insert(0, "Name", NAMES)
    path.write_text(f"#1.2\n{D}\t{N}\n{table.to_csv(sep=chr(9), index=False)}")


@case("queries.txt")
def _queries(path: Path) -> None:
    lines = [
        f"2 qid:{place // 5} "
        + " ".join(f"{at + 1}:{value!r}" for at, value in enumerate(row))
        + " # page"
        for place, row in enumerate(ROWS)
    ]
    path.write_text("\n".join(lines))


@case("strings.arff")
def _strings(path: Path) -> None:
    head = ["@RELATION sound", "@ATTRIBUTE name string"]
    head += [f"@attribute 'f {place}' numeric" for place in range(D)]
    lines = [f"'clip, {place}'," + ",".join(map(repr, row)) for place, row in enumerate(ROWS)]
    path.write_text("\n".join([*head, "@DATA", "% by hand", *lines]))


@case("sheets.xlsx", "openpyxl")
def _sheets(path: Path) -> None:
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"About": ["this table", "and its numbers"]}).to_excel(book, sheet_name="a")
        FRAME.to_excel(book, sheet_name="b", index=False)


case("columns.mat")(
    lambda path: scipy.io.savemat(path, dict(zip(NAMES, VALUES.T[:, :, None], strict=True)))
)

# Tables of text under other names, or written in ways of which each needs its own options.
FULL = FRAME.to_csv(index=False)
case("plain")(lambda path: path.write_text(FULL))
for ending in ("txt", "dat", "tab", "psv", "asc", "prn", "data"):
    case(f"table.{ending}")(lambda path: path.write_text(FRAME.to_csv(index=False, sep="|")))
case("tabs.txt")(lambda path: path.write_text(FRAME.to_csv(index=False, sep="\t")))


def written(sep: str, cell: Callable[[float], str]) -> str:
    """The table with each number times 10,000 or as it is, by ``cell``."""
    return "\n".join([sep.join(NAMES), *(sep.join(map(cell, row)) for row in ROWS)])


def in_land(thousands: str, decimals: str) -> Callable[[float], str]:
    marks = str.maketrans({",": thousands, ".": decimals})
    return lambda value: f'"{value * 10000:,.6f}"'.translate(marks)


LANDS = {
    "english.csv": in_land(",", "."),
    "german.csv": in_land(".", ","),
    "swiss.csv": in_land("'", "."),
    "french.csv": in_land("\u202f", ","),
}
for name, cell in LANDS.items():
    case(name)(lambda path, cell=cell: path.write_text(written(";", cell), "utf-8"))  # type: ignore[misc]
for name, form in {
    "percent.csv": "{}%",
    "dollars.csv": "${}",
    "quotes.csv": "'{}'",
    "formulas.csv": '="{}"',
}.items():
    case(name)(lambda path, form=form: path.write_text(written(",", form.format)))  # type: ignore[misc]
case("fortran.csv")(
    lambda path: path.write_text(written(",", lambda value: f"{value:.12E}".replace("E", "D")))
)
case("missing.csv")(
    lambda path: path.write_text(FULL + ",".join([*map(str, ROWS[0][:-1]), "n/a"]) + "\n")
)
case("missing.tsv")(
    lambda path: path.write_text(
        FRAME.to_csv(index=False, sep="\t") + "\t".join(["?", *map(str, ROWS[0][1:])])
    )
)
case("total.csv")(lambda path: path.write_text(FULL + ",".join(map(str, FRAME.sum())) + "\n"))
case("described.csv")(lambda path: pd.concat([FRAME, FRAME.describe()]).to_csv(path, index=False))
case("named-total.csv")(
    lambda path: pd.concat(
        [FRAME, FRAME.mean().to_frame("Mean").T, FRAME.std().to_frame("Std").T]
    ).to_csv(path, index_label="name")
)
case("hexadecimal.csv")(
    lambda path: pd.DataFrame({"emb": [row.tobytes().hex() for row in VALUES]}).to_csv(path)
)
case("base64.csv")(
    lambda path: pd.DataFrame(
        {"emb": [base64.b64encode(row.tobytes()).decode() for row in VALUES]}
    ).to_csv(path)
)
OBJECTS = [json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS]
case("objects.csv")(lambda path: pd.DataFrame({"emb": OBJECTS}).to_csv(path))
case("texts.parquet")(
    lambda path: pd.DataFrame({"id": range(N), "emb": list(map(str, ROWS))}).to_parquet(path)
)
case("text-numbers.parquet")(lambda path: FRAME.astype(str).to_parquet(path))


@case("old.feather")
def _old_feather(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        feather.write_feather(FRAME, str(path), version=1)


case("whole.jsonl")(
    lambda path: path.write_text(json.dumps([{"emb": row} for row in ROWS], indent=1))
)
case("table.arff")(
    lambda path: path.write_text(
        "@relation r\n"
        + "".join(f"@attribute {name} numeric\n" for name in NAMES)
        + "@data\n"
        + FULL.split("\n", 1)[1]
    )
)
for ending in ("svm", "libsvm", "svmlight"):
    case(f"rows.{ending}")(
        lambda path: path.write_text(
            "".join(
                "0 " + " ".join(f"{i}:{x}" for i, x in enumerate(row, start=1)) + "\n"
                for row in ROWS
            )
        )
    )


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("of a table.csv", FULL)
        archive.writestr("__MACOSX/._of a table.csv", b"x")


case("table.zip")(zipped)
case("sparse.npz")(lambda path: scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(VALUES)))
case("parts.npz")(lambda path: np.savez(path, *batches(VALUES)))
case("parts.safetensors")(
    lambda path: safetensors.numpy.save_file(
        {f"batch_{i}": part for i, part in enumerate(batches(VALUES))}, path
    )
)
in_folder("columns", ".npy", lambda path, row: np.save(path, row[:, None]))
in_folder("columns of text", ".csv", lambda path, row: np.savetxt(path, row))
in_folder(
    "objects of JSON", ".json", lambda path, row: path.write_text(json.dumps({"emb": row.tolist()}))
)
in_folder("files of MATLAB", ".mat", lambda path, row: scipy.io.savemat(path, {"emb": row}))


@case("batches of HDF5", "h5py")
def _batches_of_hdf5(path: Path) -> None:
    path.mkdir()
    for place, part in enumerate(batches(VALUES)):
        hdf5(path / f"{place}.h5", {"emb": part, "labels": LABELS[: len(part)]})


in_folder("lines of text", ".txt", lambda path, row: np.savetxt(path, row))
case("texts.jsonl")(
    lambda path: path.write_text("\n".join(json.dumps({"emb": str(row)}) for row in ROWS))
)


@case("below")
def _below(path: Path) -> None:
    for place, row in enumerate(VALUES):
        folder = path / f"class {place // 30}"
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / f"{place:02d}.npy", row)


# ---- numbers and tables as people and programs print them ----

ROUNDED = np.rint(VALUES.astype("f8") * 10_000)


def whole(sep: str, cell: Callable[[int], str]) -> str:
    return "\n".join(
        [sep.join(NAMES), *(sep.join(cell(int(value)) for value in row) for row in ROUNDED)]
    )


def lakh(value: int) -> str:
    digits = str(abs(value)).zfill(6)
    return ("-" if value < 0 else "") + f"{digits[:-5]},{digits[-5:-3]},{digits[-3:]}".lstrip("0,")


def points(value: int) -> str:
    return f"{value:,}".replace(",", ".")


WHOLES = {
    "whole-german.csv": whole(";", points),
    "whole-german.tsv": whole("\t", points),
    "whole-commas.csv": whole(";", "{:,}".format),
    "whole-quoted.csv": whole(",", '"{:,}"'.format),
    "whole-underscores.csv": whole(",", "{:_}".format),
    "whole-lakh.csv": whole(";", lakh),
}
for name, text in WHOLES.items():
    case(name)(lambda path, text=text: path.write_text(text))  # type: ignore[misc]


def form(cell: Callable[[float], str]) -> str:
    return written(",", cell)


for name, text in {
    "accounts.csv": form(lambda value: f"({-value})" if value < 0 else str(value)),
    "dollar-accounts.csv": form(lambda value: f"$({-value})" if value < 0 else f"${value}"),
    "minus-behind.csv": form(lambda value: f"{-value}-" if value < 0 else str(value)),
    "euros.csv": written(";", lambda value: f"{value:.9f} \u20ac".replace(".", ",")),
    "comma-pairs.csv": form(lambda value: f"{value:.9f}".replace(".", ",")),
    "tuples.csv": "\n".join(map(str, map(tuple, ROWS))),
    "lists.txt": "\n".join(map(str, ROWS)),
    "repr.txt": repr(ROWS),
    "printed.txt": np.array2string(VALUES.astype("f8"), threshold=10**6, precision=12),
    "printed.csv": np.array2string(VALUES.astype("f8"), threshold=10**6, precision=12),
    "all-gaps.csv": FULL
    + "\n".join(
        ",".join([*map(str, ROWS[0][:-1]), gap]) for gap in ("", "?", "-", "#DIV/0!", "NA")
    ),
    "bars.md": "\n".join(
        f"| {' | '.join(row)} |" for row in [NAMES, ["---"] * D, *(map(str, row) for row in ROWS)]
    ),
    "psql.txt": " "
    + " | ".join(NAMES)
    + "\n"
    + "+".join(["----"] * D)
    + "\n"
    + "\n".join(" " + " | ".join(map(str, row)) for row in ROWS)
    + f"\n({N} rows)\n",
    "mysql.txt": "\n".join(
        ["+---" * D + "+", "|" + "|".join(NAMES) + "|", "+---" * D + "+"]
        + [f"| {' | '.join(map(str, row))} |" for row in ROWS]
        + ["+---" * D + "+", f"{N} rows in set (0.00 sec)"]
    ),
    "r-matrix.txt": "      "
    + "  ".join(f"[,{i + 1}]" for i in range(D))
    + "\n"
    + "\n".join(f"[{i + 1},]  " + "  ".join(map(str, row)) for i, row in enumerate(ROWS)),
    "words.txt": f"{N} {D}\n"
    + "\n".join(f"w{i} " + " ".join(map(str, row)) for i, row in enumerate(ROWS)),
    "libsvm.txt": "".join(
        "0 " + " ".join(f"{i}:{x}" for i, x in enumerate(row, start=1)) + "\n" for row in ROWS
    ),
    "touching.txt": "\n".join("".join(f"{value:11.8f}" for value in row) for row in ROWS),
    "fortran.txt": "\n".join(
        "  ".join(f"{value:.10E}".replace("E", "D") for value in row) for row in ROWS
    ),
    "deep.jsonl": "\n".join(
        json.dumps({"id": str(i), "body": {"data": [{"embedding": r}]}}) for i, r in enumerate(ROWS)
    ),
}.items():
    case(name)(lambda path, text=text: path.write_text(text))  # type: ignore[misc]
case("rows.sql")(
    lambda path: path.write_text(
        f"INSERT INTO t ({', '.join(NAMES)}) VALUES\n"
        + ",\n".join(f"({', '.join(map(str, row))})" for row in ROWS)
        + ";\n"
    )
)
case("table.tex")(
    lambda path: path.write_text(
        "\\begin{tabular}{l}\n"
        + "".join(
            " & ".join(map(str, row)) + " \\\\\n" for row in [NAMES, *FRAME.to_numpy().tolist()]
        )
    )
)

for ending in ("html", "htm"):
    case(f"page.{ending}", "lxml")(
        lambda path: path.write_text(FRAME.to_html(float_format="%.12f"))
    )
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


case("market.mtx")(lambda path: scipy.io.mmwrite(path, VALUES))


@case("polars.avro", "polars")
def _avro(path: Path) -> None:
    import polars

    polars.DataFrame(FRAME.to_dict("list")).write_avro(path)


# ---- arrays ----


@case("twice.npy")
def _twice(path: Path) -> None:
    with path.open("wb") as file:
        for part in batches(VALUES):
            np.save(file, part)


@case("then-labels.npy")
def _then_labels(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, VALUES)
        np.save(file, LABELS)


case("texts.npy")(lambda path: np.save(path, VALUES.astype("f8").astype("U25")))
case("wide.npy")(lambda path: np.save(path, VALUES.astype(np.longdouble)))
case("texts.npz")(lambda path: np.savez(path, emb=VALUES.astype("f8").astype("U25")))
torch_case(
    "numpy.pt", lambda tensor: {"features": tensor.numpy(), "epoch": 3, "loss": np.float64(0.5)}
)
torch_case("numpy.ckpt", lambda tensor: batches(tensor.numpy()))


def array_bytes(values: Any) -> bytes:
    held = io.BytesIO()
    np.save(held, values)
    return held.getvalue()


@case("arrays.zip")
def _arrays(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for place, part in enumerate(batches(VALUES)):
            archive.writestr(f"part_{place}.npy", array_bytes(part))
        archive.writestr("README.md", "made by hand")


@case("arrays.tar")
def _shard(path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        for place, row in enumerate(VALUES):
            member = tarfile.TarInfo(f"{place:06d}.emb.npy")
            data = array_bytes(row)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


# ---- texts of other programs, whose contents say what they are ----

TABS = "\t".join
ATOMS = [f"{place} 1 {' '.join(map(str, row))}" for place, row in enumerate(ROWS)]


def frame_of_atoms(step: int, atoms: list[str]) -> str:
    sizes = (
        f"{step}\nITEM: NUMBER OF ATOMS\n{len(atoms)}\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"
    )
    return (
        f"ITEM: TIMESTEP\n{sizes}ITEM: ATOMS id type {' '.join(NAMES)}\n" + "\n".join(atoms) + "\n"
    )


def of_orange(mark: str) -> str:
    head = [
        [*NAMES, "target", "iris"],
        [*["continuous"] * (D + 1), "discrete"],
        [*[""] * D, *["class"] * 2],
    ]
    rows = [[*map(str, row), "0.5", "ab"[place % 2]] for place, row in enumerate(ROWS)]
    return "\n".join(map(mark.join, [*head, *rows]))


SPACED = [" ".join(map(str, row)) for row in ROWS]
BRACES = ["{" + ", ".join(map(str, row)) + "}" for row in ROWS]
LINES = "\n".join(SPACED)
for name, text in {
    "one.lammpstrj": frame_of_atoms(0, ATOMS),
    "two.dump": frame_of_atoms(0, ATOMS[:30]) + frame_of_atoms(100, ATOMS[30:]),
    "orange.tab": of_orange("\t"),
    "orange.csv": of_orange(","),
    "curves.xvg": f'# by hand\n@    title "RMSD"\n@ s0 legend "a"\n{LINES}\n',
    "cloud.ply": f"ply\nformat ascii 1.0\nelement vertex {N}\nend_header\n{LINES}\n3 0 1 2\n",
    "grid.asc": f"ncols {D}\nnrows {N}\n{LINES}\n",
    "logger.lvm": f"LabVIEW\nWriter_Version\t2\n{TABS(NAMES)}\n"
    + "\n".join(TABS(map(str, row)) for row in ROWS),
    "table.out": FULL,
    "list.yaml": "\n".join(f"- {row}" for row in ROWS),
    "list.m": "{" + ",\n".join(BRACES) + "}\n",
    "zeros.arff": "@relation x\n"
    + "".join(f"@attribute {name} numeric\n" for name in NAMES)
    + "@data\n"
    + "\n".join(
        "{" + ", ".join(f"{place} {value}" for place, value in enumerate(row)) + "}" for row in ROWS
    ),
    "features.jsonl": "\n".join(
        json.dumps({"line": place, "features": [{"layers": [{"index": -1, "values": row}]}]})
        for place, row in enumerate(ROWS)
    ),
    "schema.json": FRAME.to_json(orient="table", double_precision=15),
}.items():
    case(name)(lambda path, text=text: path.write_text(text))  # type: ignore[misc]
case("words.bin")(
    lambda path: path.write_bytes(
        f"{N} {D}\n".encode()
        + b"".join(b"word%d %b\n" % (place, row.tobytes()) for place, row in enumerate(VALUES))
    )
)


@case("beside.sqlite")
def _two_tables(path: Path) -> None:
    base = sqlite3.connect(path)
    pd.DataFrame({"key": ["a"], "value": ["b"]}).to_sql("about", base, index=False)
    FRAME.to_sql("vectors", base, index=False)
    base.close()


@case("beside.duckdb", "duckdb")
def _two_of_duckdb(path: Path) -> None:
    import duckdb

    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE about AS SELECT 'a' AS key, 'b' AS value")

        base.register("frame", FRAME)
        base.execute("CREATE TABLE vectors AS SELECT * FROM frame")


MAPS = pa.array(
    [list(zip(NAMES, row, strict=True)) for row in ROWS], pa.map_(pa.string(), pa.float64())
)
case("maps.parquet")(
    lambda path: pq.write_table(pa.table({"id": range(N), "features": MAPS}), path)
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


def new_file(folder: Path, known: set[Path]) -> Path:
    made = {path for path in folder.iterdir() if path not in known}
    assert len(made) == 1, made
    return made.pop()


@pytest.mark.thorough
def test_every_recipe_gives_the_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are named by a relative path, as in a shell; libraries that are not installed are left
    out.
    """
    monkeypatch.chdir(tmp_path)
    recipes = {}
    known = {}
    for name, write in CASES.items():
        if not all(importlib.util.find_spec(module) for module in NEEDED[name]):
            continue
        folder = Path(f"in {name}")
        folder.mkdir()
        write(folder / name)
        known[name] = set(folder.iterdir())
        caught = refusal(folder / name)
        sentence, *recipe = str(caught).splitlines()
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
        samples = read(new_file(Path(f"in {name}"), known[name]))
        right = ROUNDED if name in WHOLES else VALUES * np.float64(10_000 if name in LANDS else 1)
        assert_allclose(samples.values, right, rtol=1e-5, atol=1e-6, err_msg=name)


def followed(path: Path, error: ReadError) -> prviz.Samples:
    """The samples of the file that the recipe in a message makes."""
    known = set(path.parent.iterdir())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # np.load keeps an .npz file open
        exec("\n".join(str(error).splitlines()[1:]), {})
        gc.collect()
    return read(new_file(path.parent, known))


@pytest.mark.parametrize("kind", ["parquet", "feather", "jsonl"])
def test_rows_with_an_empty_cell_are_left_out(kind: str, tmp_path: Path) -> None:
    frame = FRAME.assign(label=["a", None] * (N // 2))
    frame.loc[[3, 8], "f2"] = np.nan
    path = tmp_path / f"t.{kind}"
    if kind == "jsonl":
        frame.to_json(path, orient="records", lines=True, double_precision=15)
    else:
        getattr(frame, f"to_{kind}")(path)
    caught = refusal(path, r"row 4, column 'f2': empty. Fill it in, or")
    assert_allclose(followed(path, caught).values, np.delete(VALUES, [3, 8], 0))
    assert read(path, drop="f2").d == D - 1


def test_complex_numbers_become_their_parts(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", VALUES + 1j * VALUES[:, ::-1])
    caught = refusal(tmp_path / "x.npy", "holds complex numbers")
    found = followed(tmp_path / "x.npy", caught)
    assert_array_equal(found.values, np.hstack([VALUES, VALUES[:, ::-1]]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("name", ["x.raw", "x.bin", "x.dat"])
def test_plain_bytes_need_the_width_of_a_sample(
    name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda asked: str(D))
    (tmp_path / name).write_bytes(b"\0\0\0\0")
    refusal(tmp_path / name, "look like float32")
    path = tmp_path / name
    path.write_bytes(np.random.default_rng(0).normal(size=(N, D)).astype(kind).tobytes())
    caught = refusal(path, f"do not say how many values a sample has .* look like {kind}")
    assert_allclose(
        followed(path, caught).values, np.random.default_rng(0).normal(size=(N, D)), 1e-5
    )


def float8(path: Path) -> None:
    import ml_dtypes

    np.save(path, VALUES.astype(ml_dtypes.float8_e4m3fn))


def packed_table(path: Path) -> None:
    pd.DataFrame(VALUES, columns=NAMES).to_csv(path, index=False)


def idx(path: Path) -> None:
    path.write_bytes(struct.pack(">HBBII", 0, 14, 2, N, D) + VALUES.astype(">f8").tobytes())


@pytest.mark.parametrize(
    ("name", "write", "said"),
    [
        ("x.zip", packed_table, "a zip archive of one file, 'x'"),
        ("x-idx2-double", idx, "an IDX file"),
        ("x.idx2", idx, "an IDX file"),
        (
            "x.npy",
            lambda path: np.save(path, VALUES.reshape(6, 10, D)),
            "such as a frame of a clip",
        ),
        ("y.npy", float8, "numbers of 8 bits whose type the file does not name"),
    ],
)
def test_lines_for_files_that_say_what_they_are(
    name: str, write: Write, said: str, tmp_path: Path
) -> None:
    write(tmp_path / name)
    caught = refusal(tmp_path / name, said)
    rough = 0.07 if name == "y.npy" else 1e-6
    assert_allclose(followed(tmp_path / name, caught).values, VALUES, rtol=rough, atol=0.002)


@pytest.mark.parametrize(
    ("name", "format_"),
    [("x.fits", None), ("x.ecsv", None), ("x.vot", "votable"), ("x.xml", "votable")],
)
def test_tables_of_astronomers(name: str, format_: str | None, tmp_path: Path) -> None:
    table = pytest.importorskip("astropy.table")
    table.Table(dict(zip(NAMES, VALUES.T, strict=True))).write(tmp_path / name, format=format_)
    caught = refusal(tmp_path / name, "The lines need one more library: pip install astropy")
    assert_array_equal(followed(tmp_path / name, caught).values, VALUES)


def test_what_numpy_has_cut_or_masked_is_not_converted(tmp_path: Path) -> None:
    (tmp_path / "cut.txt").write_text(str(np.tile(VALUES, (30, 1))))
    refusal(tmp_path / "cut.txt", r"printed by NumPy, which has left numbers out \(\.\.\.\)")
    with pytest.raises(ValueError, match="values are masked; fill them in"):
        save_arrays({"x": np.ma.masked_greater(VALUES, 1)}, tmp_path / "x.npz")


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
    caught = refusal(
        tmp_path / "hive", r"'role=generated', 'role=real'. Name one of these folders, such as "
    )
    assert read(str(caught).rpartition("such as '")[2].rstrip("'.")).n == N
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("data-00000-of-00002.arrow", "data-00001-of-00002.arrow", "cache-1234.arrow"):
        arrow_file(kept / name, {"emb": ROWS}, pa.ipc.new_stream)
    listed = [{"filename": f"data-0000{place}-of-00002.arrow"} for place in range(2)]
    (kept / "state.json").write_text(json.dumps({"_data_files": listed}))
    assert read(kept).n == 2 * N
    refusal(tmp_path, r"holds data sets, .*'kept'\. Name one")


def test_what_holds_no_table_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no 2-D array of numbers in it: 'a' \(2,\)"):
        save_arrays({"a": [1, 2], "b": None}, tmp_path / "x.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [name for name in CASES if NEEDED[name] == ("torch",)])
def test_prviz_embed_converts_what_pytorch_has_saved(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from prviz.embed.tensors import convert

    CASES[name](tmp_path / name)
    assert convert(tmp_path / name, tmp_path / "x.safetensors") == (N, D)
    assert_allclose(read(tmp_path / "x.safetensors").values, VALUES, rtol=1e-6)
