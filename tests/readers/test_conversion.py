"""What files of other programs are told to be, by their extension, their beginning and their
lines.
"""

from __future__ import annotations

import pytest

from prviz.readers.conversion import _table_within, refuse_container, refuse_misnamed

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
