"""Tables of text as spreadsheets, R, pandas and notebooks write them: every kind gives the values
that were saved.
"""

from __future__ import annotations

import gzip
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from prviz.readers import read, read_chosen
from prviz.readers.columns import ColumnChoice
from tests.readers.answers import csv, refusal, shell, write

N = 60
D = 4
VALUES = np.random.default_rng(1).normal(size=(N, D)) * 100
NAMES = ["a", "b", "c", "d"]
FRAME = pd.DataFrame(VALUES, columns=NAMES)
SHELL = ["--method", "knn", "--k", "5", "--split", "none"]


def test_whole_numbers_before_decimal_commas_are_read() -> None:
    data = b"a;b\n1;2\n3;4\n5;6\n7;8\n1,5;-,25\n"
    assert read(("t.csv", data)).values[-1].tolist() == [1.5, -0.25]


@pytest.mark.parametrize("levels", [("x", "y"), (0, 1), (1, 2), ("", "")])
@pytest.mark.parametrize("index", [True, False])
def test_two_header_lines_name_the_columns(levels: tuple[object, object], index: bool) -> None:
    if levels == ("", ""):
        columns = pd.MultiIndex.from_product([NAMES, ["mean"]])
        names = tuple(NAMES)
    else:
        columns = pd.MultiIndex.from_product([["u", "v"], levels])
        names = tuple(f"{name}_{level}" for name in "uv" for level in levels)
    frame = pd.DataFrame(VALUES, columns=columns)
    frame.index.name = "sample_id" if index else None
    found = read(csv(frame, index=index))
    assert_array_equal(found.values, VALUES)
    assert found.features == names
    wide = pd.DataFrame(VALUES, columns=pd.MultiIndex.from_product([["emb"], range(D)]))
    assert_array_equal(read(csv(wide, index=index)).values, VALUES)


def lists(values: np.ndarray) -> dict[str, list[str]]:
    return {
        "json": [str(row) for row in values.tolist()],
        "numpy": [str(row) for row in values],
        "numpy, many lines": [str(np.concatenate([row] * 6)) for row in values],
        "scalars of numpy": [str([np.float64(each) for each in row]) for row in values],
        "repr": [repr(row) for row in values.astype("f4")],
        "nested": [str([row]) for row in values.tolist()],
    }


@pytest.mark.parametrize("kind", lists(VALUES))
def test_cells_that_hold_a_list_are_its_numbers(kind: str) -> None:
    frame = pd.DataFrame(
        {"id": range(N), "text": "a, b", "embedding": lists(VALUES)[kind], "seed": 7}
    )
    found = read(csv(frame))
    wanted = np.tile(VALUES, 6) if kind == "numpy, many lines" else VALUES
    assert_allclose(found.values, wanted, rtol=1e-6)
    if kind in ("json", "nested", "scalars of numpy"):
        assert_array_equal(found.values, VALUES)
    assert found.features == ()
    assert set(found.labels) == {"id", "text", "seed"}


def test_one_of_several_columns_of_lists_is_chosen_by_key() -> None:
    columns = {"clip": lists(VALUES)["json"], "dino": [f"[{row}]" for row in range(N)]}
    source = csv(pd.DataFrame(columns).assign(role=["real", "fake"] * (N // 2)))
    assert refusal(source).choices[0] == "clip[role=real]"
    assert_array_equal(read(source, key="clip[role=fake]").values, VALUES[1::2])
    assert read(source, columns="clip", key="clip[role=real]").n == N // 2
    refusal(source, "has no list column 'clap'", key="clap")


def test_true_and_false_are_numbers() -> None:
    frame = FRAME.assign(job_a=VALUES[:, 0] > 0, job_b=VALUES[:, 0] <= 0)
    assert_array_equal(read(csv(frame)).values, frame.astype(float))
    assert_array_equal(read(csv(frame.replace(True, "TRUE"))).values, frame.astype(float))


def test_a_column_that_is_empty_in_every_row_is_called_that(tmp_path: Path) -> None:
    real = write(tmp_path / "real.csv", FRAME)
    empty = write(tmp_path / "empty.csv", FRAME.assign(b=np.nan))
    error = shell("curve", real, empty, *SHELL, code=2)
    said = "'empty.csv', column 2 'b': empty in every row. Leave it out, in both tables, with"
    assert said in error
    (left_out,) = re.findall(r"\((--drop .*?)\)", error)
    assert f"{N} x {D - 1}" in shell("curve", real, empty, *SHELL, *shlex.split(left_out))
    refusal(("t.csv", b"a,b\n1,\n2,3\n3,4\n"), r"line 2, column 2 'b': empty\. Fill the value in")


def test_a_parquet_file_says_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", FRAME.assign(b=np.nan))
    refusal(path, "column 'b': empty in every row")
    assert read(path, drop="b").d == D - 1
    write(path, FRAME.assign(job=["a", "b"] * (N // 2)))
    refusal(path, r"column 'job': holds .* \(--drop job\), make numbers of its categories")


def test_a_choice_finds_columns_of_every_way_to_write() -> None:
    data = FRAME.to_csv(sep=";", decimal=",", index=False).encode("utf-16")
    choice = ColumnChoice(drop=("a", "z"), shared=True)
    assert read_chosen(("t.csv", data), choice).features == ("b", "c", "d")


@pytest.mark.parametrize("last", ["(7", "7)", "7,8"])
def test_a_row_that_was_cut_off_is_no_remark(last: str) -> None:
    table = "a,b,c\n1,2,3\n4,5,6\n5,5,5\n"
    refusal(("t.csv", f"{table}{last}\n".encode()), r"line 5: . fields, but 3 before it")
    assert read(("t.csv", f"{table}(n = 2)\n".encode())).n == 3


def test_lines_that_widen_a_packed_table_keep_what_its_name_says() -> None:
    rows = "".join(f"{row},{gene},{row * 3 + 1}\n" for row in range(9) for gene in "abc")
    table = gzip.compress(f"sample,gene,value\n{rows}".encode())
    refusal(("run.1.csv.gz", table), r"run\.1_wide\.csv")
