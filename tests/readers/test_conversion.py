"""What files of other programs are told to be, by their extension, their beginning and their
lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.readers.arrow import _json_kind
from prviz.readers.conversion import (
    _table_within,
    arrays_in,
    refuse_container,
    refuse_misnamed,
    save_arrays,
)
from prviz.readers.source import refuse_pickles

HDF5 = b"\x89HDF\r\n\x1a\n"
ROWS = b"".join(b"%d.5 %d.25 3.5\n" % (row, row**2) for row in range(9))
OCTAVE = b"# Created by Octave\n# name: x\n# type: matrix\n# rows: 2\n# columns: 2\n 1 2\n 3 4\n"
KALDI = b"utt1 \0BFM \4"


@pytest.mark.parametrize(
    ("extension", "data", "what", "lines"),
    [
        (".nc", HDF5, "an HDF5 file", "h5py"),
        (".nc", b"CDF\1", "a NetCDF file", "scipy.io.netcdf_file"),
        (".h5", HDF5, "an HDF5 file", "h5py"),
        (".h5", HDF5 + b"pandas_type", "an HDF5 file", "pd.HDFStore"),
        (".mat", b"MATLAB 7.3 MAT-file", "a file of MATLAB 7.3", "h5py"),
        (".mat", b"MATLAB 5.0 MAT-file", "a file of MATLAB.", "scipy.io.loadmat"),
        (".mat", OCTAVE, "a table of numbers", "np.loadtxt"),
        (".other", HDF5, "an HDF5 file", "h5py"),
        (".other", HDF5 + b"pandas_type", "an HDF5 file", "pd.HDFStore"),
        (".other", bytes(8) + b"DUCK", "a database of DuckDB", "duckdb"),
        (".other", b"SQLite format 3\0", "a database of SQLite", "sqlite3"),
        (".other", ROWS, "a table of numbers", "np.loadtxt"),
        (".other", b"\0\1\2", "", ""),
        (".txt", ROWS.decode().encode("utf-16"), "a table of numbers in UTF-16", "shutil.copy"),
        (".txt", KALDI, "rows of Kaldi", "kaldiio"),
        (".dat", b"\0\1" * 40, "plain bytes", "float32"),
        ("", b"\0\1" * 40, "", ""),
        (".raw", b"\0\1" * 40, "plain bytes", "float32"),
        (".xml", b"<?xml?><VOTABLE>", "a VOTable", "astropy"),
        (".xml", b"<?xml?>", "", ""),
        (".arff", b"@relation x\n@data\n{0 1}", "a table of Weka", "pd, re\ntext"),
        (".arff", b"@relation x\n@data\n0,1", "a table of Weka", "io, pandas as pd, re\nhead"),
        (".json", b'{"a": 1}\n{"a": 2}\n', "JSON lines", "a.jsonl"),
        (".json", b'{"a": 1}', "a JSON file", "save_arrays"),
        (".json", b'{"schema": {"fields"', "a table in JSON", "orient='table'"),
        (".json", b'{"columns": ["a"], "data": [[1]]}', "a table in JSON", "held['columns']"),
        (".json", b'{"a": {"0": 1}}', "a table in JSON", "pd.read_json('a.json').rename"),
        (".json", b'{"a": {"0": [1]}}', "a table in JSON", "pd.read_json('a.json').rename"),
        (".json", b'[{"a": 1}]', "rows in JSON", "pd.DataFrame(json.load"),
        (".json", b"[[1, 2]]", "a JSON file", "save_arrays"),
        (".json", b'{"a": [1, 2]}', "a JSON file", "save_arrays"),
    ],
)
def test_a_file_of_another_program_is_told_and_converted(
    extension: str, data: bytes, what: str, lines: str
) -> None:
    found = refuse_container("here", f"a{extension}", extension, lambda n: data[:n], len(data))
    if not what:
        assert found is None
        return
    assert str(found).startswith(f"here: {what}")
    assert lines in str(found)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"| a | b |\n|---|---|\n| 1 | 2 |\n", "a table drawn with bars"),
        (b"| a | b |\n| 3 | 4 |\n| 1 | 2 |\n", ""),
        (b"+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n", "a table drawn with bars"),
        (b"\xef\xbb\xbf %%MatrixMarket matrix\n1 1 1\n", "a matrix in the Matrix Market format"),
        (b"<html><table></table>", "a page, whose first table"),
        (b"<html>no\n", ""),
        (b"% c\n@relation x\n@data\n1,2\n", "a table of Weka"),
        (b"a\tb\ncontinuous\tdiscrete\n\n1\tx\n", "a table of Orange"),
        (b"a,b\ncontinuous,discrete\n,class\n1,x\n", "a table of Orange"),
        (b"a\ncontinuous\n\n1\n", ""),
        (b"C#a,D#b,x\n1,x,2\n2,y,3\n", "a table of Orange"),
        (b"C#a,b\n1,2\n2,3\n", ""),
        (b"mC#a,b,x\n1,2,3\n2,3,4\n", "a table of Orange"),
        (b"a,b\n1,2\n2,3\n", ""),
    ],
)
def test_a_text_that_is_named_as_a_table_is_told(data: bytes, what: str) -> None:
    found = refuse_misnamed("here", "a.csv", data, True)
    if what:
        assert str(found).startswith(f"here: {what}")
    else:
        assert found is None


@pytest.mark.parametrize(
    ("lines", "recipe"),
    [
        (["a b c", *["1 2 3"] * 3], "len(row) == 3"),
        (["1 2 3"] * 4, "len(row) == 3"),
        (["1 2 3"] * 3, ""),
        (["1 2 3"] * 4 + [*"wxyz"], ""),
        (["1 2 3"] * 5 + [*"wxyz"], "len(row) == 3"),
        (["1 2"] * 9, ""),
        (["1 x 2 y"] * 9, ""),
        (["1 x 2 3"] * 9, "len(row) == 4"),
        (["1\t2\t3"] * 9, "shutil.copy"),
        (["1;2;3"] * 9, "shutil.copy"),
        (["a,1,2"] * 9, "shutil.copy"),
        (["a,b,2"] * 9, ""),
    ],
)
def test_a_text_holds_a_table_where_most_lines_are_its_rows(lines: list[str], recipe: str) -> None:
    found = _table_within([each.encode() for each in lines])
    assert (found is not None) == bool(recipe)
    assert found is None or recipe in found[1]


def test_types_of_json_values() -> None:
    kinds = [
        (True, "bool"),
        (1, "double"),
        (1.5, "double"),
        ("a", "string"),
        (None, "None"),
        ([], "None"),
        ([None], "None"),
        ({}, "None"),
        ({"a": None}, "None"),
        ({"a": 1, "b": None, "id": 2}, "struct<a: double, id: int64>"),
        ([1], "list<item: double>"),
        (["a"], "list<item: string>"),
        ([[1]], "list<item: list<item: double>>"),
        ([True], "list<item: bool>"),
    ]
    for value, kind in kinds:
        assert str(_json_kind("a", value)).replace("element:", "item:") == kind
    assert str(_json_kind("id", 1)) == "int64"
    assert str(_json_kind("id", True)) == "bool"


ROWS_BY_NAME = {"a.png": [1.0, 2.0], "b.png": [3.0, 4.0], "c.png": [5.0, 6.0]}


OF_ONE = np.ones((2, 2))


@pytest.mark.parametrize(
    ("held", "arrays"),
    [
        (ROWS_BY_NAME, {"values": [*ROWS_BY_NAME.values()], "id": [*ROWS_BY_NAME]}),
        ({"a": [1, 2], "b": [3, 4]}, {"a": [1, 2], "b": [3, 4]}),
        ({**ROWS_BY_NAME, "d": [1.0]}, {**ROWS_BY_NAME, "d": [1.0]}),
        (([[1, 2]], [3]), {"0": [[1, 2]], "1": [3]}),
        (
            [{"emb": [1, 2], "y": 0}, {"emb": [3, 4], "y": 1}],
            {"emb": [[1, 2], [3, 4]], "y": [0, 1]},
        ),
        (
            [{"emb": [[1, 2]], "y": [0]}, {"emb": [[3, 4], [5, 6]], "y": [1, 1]}],
            {"emb": [[1, 2], [3, 4], [5, 6]], "y": [0, 1, 1]},
        ),
        ({"a": {"b": OF_ONE}}, {"a.b": [[1, 1], [1, 1]]}),
        (np.array({"a": OF_ONE}, dtype=object), {"a": [[1, 1], [1, 1]]}),
        (np.array([[1.5, 2]], dtype=object), {"values": [[1.5, 2]]}),
        *(
            (nothing, {})
            for nothing in (
                [1, "a"],
                [],
                {"__x": 1},
                [np.ones(2), OF_ONE],
                [OF_ONE, np.ones((2, 3))],
                [np.ones(2), np.array(["a"])],
            )
        ),
    ],
)
def test_arrays_in_what_other_libraries_hold(held: Any, arrays: dict[str, Any]) -> None:
    found = arrays_in(held)
    assert {name: array.tolist() for name, array in found.items()} == arrays
    assert all(array.dtype != object for array in found.values())


def test_arrays_are_saved_by_names_that_numpy_takes(tmp_path: Path) -> None:
    path = save_arrays({"file": np.ones((3, 2)), "x": np.ones(3)}, tmp_path / "a.npz")
    with np.load(path) as saved:
        assert set(saved) == {"file_", "x"}


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ([1, 2, 3], r"no 2-D array of numbers in it: 'values' \(3,\); pool each"),
        ({"a": [1, 2], "b": None}, r"no 2-D array of numbers in it: 'a' \(2,\)"),
        ({}, r"no 2-D array of numbers in it: no arrays at all$"),
        ({"x": np.ma.masked_array(OF_ONE, [[0, 1], [0, 0]])}, "1 values are masked; fill them in"),
    ],
)
def test_what_holds_no_table_is_not_saved(held: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        save_arrays(held, tmp_path / "b.npz")
    assert not list(tmp_path.iterdir())


def test_rows_with_masked_values_are_left_out(tmp_path: Path) -> None:
    masked = np.ma.masked_array(OF_ONE, [[0, 1], [0, 0]])
    with pytest.warns(UserWarning, match="1 of 2 rows have masked values, and are left out"):
        save_arrays(masked, tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz") as saved:
        assert saved["values"].tolist() == [[1, 1]]


def test_a_folder_of_pickles_is_saved_beside_it() -> None:
    assert str(refuse_pickles("'d.v2'", "d.v2", ".pkl")).endswith(
        "glob.glob('d.v2/*.pkl'))], 'd.v2.npz')"
    )
    assert "import glob, prviz.readers\n" in str(refuse_pickles("t", "d", ".pt"))
    assert "import glob, joblib, prviz.readers\n" in str(refuse_pickles("t", "d", ".joblib"))
