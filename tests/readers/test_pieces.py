"""Values in pieces, such as whole numbers and their scale: the printed lines give what is meant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal

import prviz
from prviz.readers import read
from tests import file_builders as build
from tests.readers.answers import followed, json_lines, refusal

X = np.random.default_rng(0).normal(size=(40, 5))


def saved(kind: str, **arrays: np.ndarray) -> tuple[str, bytes]:
    """The arrays as a file of a kind; those of one row per sample in tables."""
    if kind == ".npz":
        return "a.npz", build.npz(**arrays)
    if kind == ".safetensors":
        held = {name: np.array(each, order="C") for name, each in arrays.items()}
        return "a.safetensors", safetensors.numpy.save(held)
    columns = {name: each.tolist() for name, each in arrays.items()}
    if kind == ".jsonl":
        return json_lines(
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        )
    return f"a{kind}", (build.parquet if kind == ".parquet" else build.feather)(columns)


def coded(by_row: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    axis = 1 if by_row else 0
    low = X.min(axis, keepdims=True)
    step = (X.max(axis, keepdims=True) - low) / 255
    return np.rint((X - low) / step), step, low


BY_ROW = coded(True)
Q, STEP, LOW = coded(False)
ZERO = np.rint(-LOW / STEP)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", [".npz", ".safetensors", ".parquet", ".feather", ".jsonl"])
@pytest.mark.parametrize("low", ["offset", "min", "zero", "emb.lo"])
def test_whole_numbers_with_a_scale_for_each_row_and_the_lowest_one(kind: str, low: str) -> None:
    q, step, lows = BY_ROW
    parts = {"emb": q.astype("u1"), "scale": step[:, 0], low: lows[:, 0]}
    assert_allclose(followed(saved(kind, **parts)).values, q * step + lows, atol=1e-12)


@pytest.mark.parametrize(
    ("parts", "right"),
    [
        ({"q": Q.astype("u1"), "scale": STEP, "zero": LOW}, Q * STEP + LOW),
        (
            {"q": Q.astype("u1"), "scale": np.repeat(STEP[0, :1], 40)[:, None]},
            Q * STEP[0, 0],
        ),
        ({"q": Q.astype("u1"), "q_scale": STEP[0], "zp": ZERO[0].astype("i4")}, (Q - ZERO) * STEP),
        ({"q": Q.astype("u1"), "min": LOW[0], "max": X.max(0)}, Q * STEP + LOW),
        ({"q": (Q - 128).astype("i1"), "lo": LOW[0], "hi": X.max(0)}, Q * STEP + LOW),
        ({"q": Q.astype("i2"), "scale_factor": STEP, "add_offset": LOW}, Q * STEP + LOW),
    ],
)
def test_whole_numbers_with_a_scale_for_each_column(
    parts: dict[str, np.ndarray], right: np.ndarray
) -> None:
    assert_allclose(followed(saved(".npz", **parts)).values, right, atol=1e-12)


def test_arrays_as_large_as_the_whole_numbers_are_no_scale() -> None:
    file = saved(".npz", q=Q.astype("u1"), scale=X)
    refusal(file, "several arrays could be the samples: 'q', 'scale'")


PLACES = np.sort(np.argsort(-abs(X), 1)[:, :3], 1)
TOP = np.take_along_axis(X, PLACES, 1)
WHOLE = np.zeros_like(X)
np.put_along_axis(WHOLE, PLACES, TOP, 1)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", [".npz", ".safetensors", ".parquet", ".feather", ".jsonl"])
@pytest.mark.parametrize(
    "names", [("indices", "values"), ("topk_idx", "topk_vals"), ("col", "data")]
)
def test_places_and_the_values_there(kind: str, names: tuple[str, str]) -> None:
    file = saved(kind, **{names[0]: PLACES, names[1]: TOP})
    assert_allclose(followed(file).values, WHOLE, atol=1e-12)  # pandas rounds numbers of JSON
    assert_array_equal(read(file, key=names[1]).values, TOP)


@pytest.mark.parametrize("spark", [True, False])
def test_sparse_rows_in_objects(spark: bool) -> None:
    sparse = np.where(abs(X) > 1, X, 0)
    sparse[:, -1] = 0
    rows = [{"indices": np.flatnonzero(row), "values": row[row != 0]} for row in sparse]
    if spark:
        rows = [{"type": 0, "size": 5, **row} for row in rows]
        rows[3] = {"type": 1, "size": None, "indices": None, "values": sparse[3]}
    width = 5 if spark else np.flatnonzero(sparse.any(0))[-1] + 1
    file = "a.parquet", pd.DataFrame({"v": rows}).to_parquet()
    assert_array_equal(followed(file).values, sparse[:, :width])


def test_dense_vectors_of_spark_are_read() -> None:
    rows = [{"type": 1, "size": None, "indices": None, "values": row} for row in X]
    file = "a.parquet", pd.DataFrame({"v": rows}).to_parquet()
    assert_array_equal(read(file).values, X)


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "bsr", "dia"])
def test_sparse_matrices_of_scipy(kind: str, tmp_path: Path) -> None:
    sparse = np.where(abs(X) > 1, X, 0)
    scipy.sparse.save_npz(tmp_path / "a.npz", scipy.sparse.coo_matrix(sparse).asformat(kind))
    assert_array_equal(followed(tmp_path / "a.npz").values, sparse)


def test_lists_of_whole_numbers_that_stand_for_themselves_are_read() -> None:
    counts = np.random.default_rng(1).integers(0, 9, (40, 5))
    for beside in ({"id": np.arange(40)}, {"weight": X[:, 0]}, {"min": X[:, 0]}):
        assert_array_equal(read(saved(".parquet", counts=counts, **beside)).values, counts)


@pytest.mark.parametrize("kind", [".npz", ".safetensors"])
def test_arrays_of_one_length_are_columns_matched_by_name(kind: str) -> None:
    columns = {f"f{place}": column for place, column in enumerate(X.T)}
    one = saved(kind, **columns, id=np.arange(40))
    remark = "its 5 arrays of 40 numbers are read as the columns of a table"
    with pytest.warns(prviz.PrvizWarning, match=remark):
        real = read(one)
    generated = read(saved(kind, **dict(reversed(columns.items()))), drop="f4")
    assert_array_equal(real.values, X)
    assert (real.features, real.labels["id"].tolist()) == (tuple(columns), list(range(40)))
    assert (set(generated.features), generated.d) == ({"f0", "f1", "f2", "f3"}, 4)
    refusal(one, "has no column 'g'", drop="g")


@pytest.mark.parametrize(
    "names",
    [
        ["real", "fake"],
        ["mean", "std"],
        ["a.jpg", "b.jpg", "c.jpg"],
        ["sample_0", "sample_1", "sample_2"],
        ["000010", "000011"],
        ["deadbeef00", "deadbeef01"],
    ],
)
def test_arrays_called_like_samples_or_sums_are_no_columns(names: list[str]) -> None:
    refusal(saved(".npz", **dict(zip(names, X.T, strict=False))))


def test_more_arrays_than_numbers_in_each_are_samples() -> None:
    rows = {f"f{place}": row for place, row in enumerate(X)}
    refusal(saved(".npz", **rows), "one 1-D array per sample")


@pytest.mark.parametrize("names", [("row", "col", "data"), ("i", "j", "v"), ("0", "1", "2")])
def test_arrays_of_one_length_that_are_put_together(names: tuple[str, str, str]) -> None:
    held = [*np.nonzero(abs(X) > 0.5), X[abs(X) > 0.5]]
    meant = np.column_stack(held) if names[0] == "0" else np.where(abs(X) > 0.5, X, 0)
    file = saved(".npz", **dict(zip(names, held, strict=True)))
    assert_array_equal(followed(file).values, meant)


def test_the_end_of_a_type_stands_for_a_missing_value() -> None:
    whole = np.arange(20).reshape(5, 4)
    whole[2, 1] = np.iinfo(np.int64).min
    file = "a.npy", build.npy(whole)
    refusal(file, r"row 3, column 2: .* stands for a missing value")
