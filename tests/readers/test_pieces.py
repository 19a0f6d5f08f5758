"""Values in pieces, such as whole numbers and their scale: the printed lines give what is meant."""

from __future__ import annotations

import gc
import io
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import scipy.sparse

import prviz
from prviz.readers import AmbiguousKeyError, ReadError, read

X = np.random.default_rng(0).normal(size=(40, 5))


def followed(source: Path) -> np.ndarray:
    """What the printed lines save, run where the file is."""
    with pytest.raises(ReadError) as caught:
        read(source)
    before = set(source.parent.iterdir())
    code = str(caught.value).partition("\n")[2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # np.load keeps an .npz file open
        exec(code, {})
        gc.collect()
    [saved] = set(source.parent.iterdir()) - before
    return read(saved).values


def saved(path: Path, **arrays: np.ndarray) -> Path:
    """The arrays as a file of the kind that its extension says; those of one row per sample in
    tables.
    """
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    elif path.suffix == ".safetensors":
        safetensors.numpy.save_file(
            {name: np.array(each, order="C") for name, each in arrays.items()}, path
        )
    elif path.suffix == ".jsonl":
        rows = zip(*(each.tolist() for each in arrays.values()), strict=True)
        path.write_text("\n".join(json.dumps(dict(zip(arrays, row, strict=True))) for row in rows))
    else:
        frame = pd.DataFrame({name: list(each) for name, each in arrays.items()})
        frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_feather(path)
    return path


def coded(by_row: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    axis = 1 if by_row else 0
    low = X.min(axis, keepdims=True)
    step = (X.max(axis, keepdims=True) - low) / 255
    return np.rint((X - low) / step), step, low


BY_ROW = coded(True)
BY_COLUMN = coded(False)
ZERO = np.rint(-BY_COLUMN[2] / BY_COLUMN[1])


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", [".npz", ".safetensors", ".parquet", ".feather", ".jsonl"])
@pytest.mark.parametrize("low", ["offset", "min", "zero", "emb.lo"])
def test_whole_numbers_with_a_scale_for_each_row_and_the_lowest_one(
    kind: str, low: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    q, step, lows = BY_ROW
    parts = {"emb": q.astype("u1"), "scale": step[:, 0], low: lows[:, 0]}
    found = followed(saved(Path("a" + kind).absolute(), **parts))
    np.testing.assert_allclose(found, q * step + lows, atol=1e-12)


@pytest.mark.parametrize(
    ("parts", "right"),
    [
        ({"q": BY_COLUMN[0].astype("u1"), "scale": BY_COLUMN[1], "zero": BY_COLUMN[2]}, "low"),
        (
            {"q": BY_COLUMN[0].astype("u1"), "scale": np.repeat(BY_COLUMN[1][0, :1], 40)[:, None]},
            "same",
        ),
        (
            {
                "q": BY_COLUMN[0].astype("u1"),
                "q_scale": BY_COLUMN[1][0],
                "zp": ZERO[0].astype("i4"),
            },
            "zero",
        ),
        ({"q": BY_COLUMN[0].astype("u1"), "min": BY_COLUMN[2][0], "max": X.max(0)}, "low"),
        ({"q": (BY_COLUMN[0] - 128).astype("i1"), "lo": BY_COLUMN[2][0], "hi": X.max(0)}, "low"),
        (
            {
                "q": BY_COLUMN[0].astype("i2"),
                "scale_factor": BY_COLUMN[1],
                "add_offset": BY_COLUMN[2],
            },
            "low",
        ),
    ],
)
def test_whole_numbers_with_a_scale_for_each_column(
    parts: dict[str, np.ndarray], right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    q, step, low = BY_COLUMN
    meant = {"low": q * step + low, "zero": (q - ZERO) * step, "same": q * step[0, 0]}[right]
    np.testing.assert_allclose(followed(saved(tmp_path / "a.npz", **parts)), meant, atol=1e-12)
    np.testing.assert_array_equal(read(tmp_path / "a.npz", key="q").values, parts["q"])


def test_arrays_as_large_as_the_whole_numbers_are_no_scale(tmp_path: Path) -> None:
    with pytest.raises(
        AmbiguousKeyError, match="several arrays could be the samples: 'q', 'scale'"
    ):
        read(saved(tmp_path / "a.npz", q=BY_COLUMN[0].astype("u1"), scale=X))


PLACES = np.sort(np.argsort(-abs(X), 1)[:, :3], 1)
TOP = np.take_along_axis(X, PLACES, 1)
WHOLE = np.zeros_like(X)
np.put_along_axis(WHOLE, PLACES, TOP, 1)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", [".npz", ".safetensors", ".parquet", ".feather", ".jsonl"])
@pytest.mark.parametrize(
    "names", [("indices", "values"), ("topk_idx", "topk_vals"), ("col", "data")]
)
def test_places_and_the_values_there(
    kind: str, names: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = saved(tmp_path / f"a{kind}", **{names[0]: PLACES, names[1]: TOP})
    np.testing.assert_allclose(followed(file), WHOLE, atol=1e-12)  # pandas rounds numbers of JSON
    np.testing.assert_array_equal(read(file, key=names[1]).values, TOP)


@pytest.mark.parametrize("spark", [True, False])
def test_sparse_rows_in_objects(
    spark: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sparse = np.where(abs(X) > 1, X, 0)
    sparse[:, -1] = 0
    rows = [{"indices": np.flatnonzero(row), "values": row[row != 0]} for row in sparse]
    if spark:
        rows = [{"type": 0, "size": 5, **row} for row in rows]
        rows[3] = {"type": 1, "size": None, "indices": None, "values": sparse[3]}
    pd.DataFrame({"v": rows}).to_parquet("a.parquet")
    width = 5 if spark else np.flatnonzero(sparse.any(0))[-1] + 1
    np.testing.assert_array_equal(followed(tmp_path / "a.parquet"), sparse[:, :width])


def test_dense_vectors_of_spark_are_read() -> None:
    rows = [{"type": 1, "size": None, "indices": None, "values": row} for row in X]
    file = io.BytesIO()
    pd.DataFrame({"v": rows}).to_parquet(file)
    np.testing.assert_array_equal(read(("a.parquet", file.getvalue())).values, X)


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "bsr", "dia"])
def test_sparse_matrices_of_scipy(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sparse = np.where(abs(X) > 1, X, 0)
    scipy.sparse.save_npz(tmp_path / "a.npz", scipy.sparse.coo_matrix(sparse).asformat(kind))
    np.testing.assert_array_equal(followed(tmp_path / "a.npz"), sparse)


def test_lists_of_whole_numbers_that_stand_for_themselves_are_read(tmp_path: Path) -> None:
    counts = np.random.default_rng(1).integers(0, 9, (40, 5))
    for number, beside in enumerate(({"id": np.arange(40)}, {"weight": X[:, 0]}, {"min": X[:, 0]})):
        found = read(saved(tmp_path / f"{number}.parquet", counts=counts, **beside))
        np.testing.assert_array_equal(found.values, counts)


@pytest.mark.parametrize("kind", [".npz", ".safetensors"])
def test_arrays_of_one_length_are_columns_matched_by_name(kind: str, tmp_path: Path) -> None:
    columns = {f"f{place}": column for place, column in enumerate(X.T)}
    one = saved(tmp_path / f"a{kind}", **columns, id=np.arange(40))
    other = saved(tmp_path / f"b{kind}", **dict(reversed(columns.items())))
    remark = "its 5 arrays of 40 numbers are read as the columns of a table"
    with pytest.warns(prviz.PrvizWarning, match=remark):  # noqa: PT031
        real = read(one)
        generated = read(other, drop="f4")
    np.testing.assert_array_equal(real.values, X)
    assert (real.features, real.labels["id"].tolist()) == (tuple(columns), list(range(40)))
    assert (set(generated.features), generated.d) == ({"f0", "f1", "f2", "f3"}, 4)
    with pytest.raises(ReadError, match="has no column 'g'"):
        read(one, drop="g")


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
def test_arrays_called_like_samples_or_sums_are_no_columns(
    names: list[str], tmp_path: Path
) -> None:
    with pytest.raises(ReadError):
        read(saved(tmp_path / "a.npz", **{name: X[:, place] for place, name in enumerate(names)}))


def test_more_arrays_than_numbers_in_each_are_samples(tmp_path: Path) -> None:
    rows = {f"f{place}": row for place, row in enumerate(X)}
    with pytest.raises(ReadError, match="one 1-D array per sample"):
        read(saved(tmp_path / "a.npz", **rows))


@pytest.mark.parametrize("names", [("row", "col", "data"), ("i", "j", "v"), ("0", "1", "2")])
def test_arrays_of_one_length_that_are_put_together(
    names: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows, columns = np.nonzero(abs(X) > 0.5)
    held = dict(zip(names, (rows, columns, X[rows, columns]), strict=True))
    meant = (
        np.column_stack(list(held.values())) if names[0] == "0" else np.where(abs(X) > 0.5, X, 0)
    )
    np.testing.assert_array_equal(followed(saved(tmp_path / "a.npz", **held)), meant)


def test_the_end_of_a_type_stands_for_a_missing_value(tmp_path: Path) -> None:
    whole = np.arange(20).reshape(5, 4)
    whole[2, 1] = np.iinfo(np.int64).min
    np.save(tmp_path / "a.npy", whole)
    with pytest.raises(ReadError, match=r"row 3, column 2: .* stands for a missing value"):
        read(tmp_path / "a.npy")
