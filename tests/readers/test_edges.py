"""Values on the very edge of the readers' rules, each on the side where it belongs."""

from __future__ import annotations

import io
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from prviz.readers import read, read_pair
from prviz.readers.arrow_rows import _is_label_type
from prviz.readers.conversion import _is_idx, _plain_bytes, _rows
from prviz.readers.delimited import _alike, _encoding_of_windows, _is_extreme
from prviz.readers.errors import EmptyCellError, SuspectColumnsError
from prviz.readers.first_lines import _halved, _merged, _stands_above_names
from prviz.readers.long_form import _feature
from prviz.readers.notations import are_times_of_a_log
from prviz.readers.number_names import _in_equal_steps, in_two_levels, is_unlike, points
from prviz.readers.source import Limits, human_size
from prviz.readers.suspects import (
    _counts_rows,
    look_packed,
    names_features,
    one_family,
    samples_among,
)
from prviz.readers.text_dialect import Numbers, names_in_comment, quotes_names_alone, stands_alone
from tests import file_builders as build
from tests.readers.answers import json_lines, refusal

CELLS = ["cell1", "cell2", "cell3"]
COMMA = Numbers(",")
BITS = np.random.default_rng(0).integers(0, 256, (200, 10)).astype(float)
# Eight rows that differ, in no order, of three columns with four values each, beside counts.
SPREAD = np.array([1, 2, 9, 4, 5, 6, 7, 3])
COUNTED = np.column_stack(
    [SPREAD, [0, 1, 2, 3, 3, 2, 1, 0], [3, 1, 0, 2, 0, 3, 2, 1], [1, 1, 2, 2, 3, 3, 0, 0]]
).astype(float)
REPEATED = np.array([[4.0, 0, 0], [3, 0, 0], [2, 1, 1], [1, 1, 1]])
TWO_OF_FOUR = np.array([[0.0, 0], [1, 0], [2, 1], [0, 1]])
YEARS = ["2019", "2019", "2020", "2020"]
# Eight numbers in order, in steps that are not equal, far above rows of numbers in no order.
IN_ORDER = ["100", "110", "130", "170", "250", "410", "730", "1370"]
UNORDERED = [
    [str(value) for value in np.random.default_rng(row).permutation(8)] for row in range(9)
]
NUMBERED = [["r", "1", "2", "3"]] * 2
TWO_LEVELS = ["i_n", "a_x", "a_y", "b_x"]


def idx(axes: int) -> bytes:
    return bytes([0, 0, 8, axes]) + 4 * b"\0\0\0\1"


def doubles(*kinds: str) -> bytes:
    """Doubles that are usual, or not, or as two floats are usual in one of them alone."""
    bits = {"usual": 0x3FF00000_00000000, "half": 0x3FF00000_7F000000, "huge": 0x7E37E43C_8800759C}
    return b"".join(struct.pack("<Q", bits[each]) for each in kinds)


# Rule, what it is given, and what it answers.
RULES: tuple[tuple[Any, ...], ...] = (
    (samples_among, ["cell1", "cell2", "a"], []),
    (samples_among, [*CELLS, "a", "b"], CELLS),
    (samples_among, [*CELLS, "a", "b", "c"], []),
    (one_family, ["a1", "a2", "b"], ["a1", "a2"]),
    (one_family, ["a1", "a2", "b", "c"], ["a1", "a2", "b", "c"]),
    (_in_equal_steps, np.array([0.0, 20, 41]), True),
    (_in_equal_steps, np.array([0.0, 20, 41.1]), False),
    (_in_equal_steps, np.array([0, 19.5, 40, 59.5, 80, 99.5, 120]), True),
    (_in_equal_steps, np.array([1.0, 20, 400, 8400]), True),
    (_in_equal_steps, np.array([1.0, 20, 400, 8401]), False),
    (is_unlike, ["a", "b"], [["1", "2"]] * 8, COMMA, False),
    (is_unlike, ["30", "40"], [["1.5", "2"], ["2.5", "3"]] * 4, COMMA, True),
    (is_unlike, ["1.7", "2.1"], [["1.5", "2"], ["2.5", "3"]] * 4, COMMA, False),
    (is_unlike, ["2", "3"], [["1.5", "2.5"], ["2.5", "3.5"]] * 4, COMMA, True),
    (is_unlike, ["1500", "1600"], [["1000", "1001"], ["1001", "1000"]] * 4, COMMA, True),
    (is_unlike, ["1002", "1002"], [["1000", "1001"], ["1001", "1000"]] * 4, COMMA, False),
    (is_unlike, ["-150", "-160"], [["-100", "-101"], ["-101", "-100"]] * 4, COMMA, True),
    (in_two_levels, YEARS, ["1", "2", "1", "2"], [["0.12345"] * 4] * 3, COMMA, True),
    (in_two_levels, YEARS, ["1", "x", "1", "x"], [["0.12345"] * 4] * 3, COMMA, False),
    (points, IN_ORDER, UNORDERED, COMMA, 4),
    (points, IN_ORDER[:7], [row[:7] for row in UNORDERED], COMMA, 3),
    (are_times_of_a_log, ["9:59", "10:00", "10:01"], True),
    (are_times_of_a_log, ["10:00:59", "10:01:00.5", "10:01:01"], True),
    (are_times_of_a_log, ["10:00", "9:59", "10:01"], False),
    (are_times_of_a_log, ["9:59", "10:00"], False),
    (names_features, "unit", ["m", "s", "m"], True),
    (names_features, "unit", ["m", "m"], False),
    (names_features, "feature_name", ["a", "b"], True),
    (names_features, "feature", ["a", "a"], False),
    (names_features, "x", ["f1", "f2"], True),
    (names_features, "x", ["f1", "f3"], False),
    (_feature, [0, 1], [30, 20], {0: "0", 1: "1"}, 1),
    (_feature, [0, 1], [20, 30], {0: "time", 1: "gene"}, 1),
    (_feature, [0, 1], [20, 30], {0: "time", 1: "t"}, 0),
    (_feature, [0, 1], [30, 20], {0: "gene", 1: "probe"}, 1),
    (_stands_above_names, [["run", "7"], ["a", "b"], ["1", "2"]], COMMA, True),
    (_stands_above_names, [["run", "7"], ["a", "b"]], COMMA, False),
    (_stands_above_names, [["1", "7"], ["a", "b"], ["1", "2"]], COMMA, False),
    (_stands_above_names, [["run", "7"], ["a", "a"], ["1", "2"]], COMMA, False),
    (_stands_above_names, [["run", "7"], ["a", "b"], ["1", "x"]], COMMA, False),
    (_halved, ["a", "b"], [["1", "5", "-2", "3"]], True),
    (_halved, ["a", "b"], [["1", "5", "2.5", "3"]], False),
    (stands_alone, b'1,",2', b",", True),
    (stands_alone, b'1,2,"', b",", False),
    (stands_alone, b'1,",x', b",", False),
    (stands_alone, b'inf,",2', b",", False),
    (_merged, ["i", "a", "", "b"], ["n", "x", "y", "x"], NUMBERED, COMMA, TWO_LEVELS),
    (_merged, ["i", "a", "", "b"], ["n", "x", "y", "z"], NUMBERED, COMMA, ["n", *"xyz"]),
    (_merged, ["i", "a", "b"], ["n", "x", "x"], NUMBERED, COMMA, None),
    (_merged, ["i", "a", ""], ["n", "x", "2"], NUMBERED, COMMA, None),
    (_merged, ["i", "a", ""], ["n", "x", "x"], [["k", "l"]] * 2, COMMA, None),
    (names_in_comment, ["# a", "b"], ["a", "b"]),
    (names_in_comment, ["#! FIELDS", "a", "b"], ["a", "b"]),
    (names_in_comment, ["#!", "FIELDS", "a"], ["a"]),
    (quotes_names_alone, io.BytesIO(b'"a","b"\n1,2\n'), ",", True),
    (quotes_names_alone, io.BytesIO(b'"a","b"\n1,"2"\n'), ",", False),
    (_encoding_of_windows, io.BytesIO(b"\x80"), "cp1252"),
    (_encoding_of_windows, io.BytesIO(b"\x9f"), "cp1252"),
    (_encoding_of_windows, io.BytesIO(b"\x7f\xa0"), "latin-1"),
    (_encoding_of_windows, io.BytesIO(b"\x80\x81"), "latin-1"),
    (_alike, np.zeros(2), np.zeros(2), True),
    (_is_extreme, np.zeros(2), TWO_OF_FOUR, False),
    (_counts_rows, REPEATED, 0, False),
    (_counts_rows, COUNTED, 0, True),
    (look_packed, BITS, True),
    (look_packed, BITS[1:], False),
    (_is_label_type, pa.dictionary(pa.int8(), pa.string()), True),
    (_is_label_type, pa.dictionary(pa.int8(), pa.list_(pa.string())), False),
    (_is_idx, idx(0), 5, False),
    (_is_idx, idx(4), 21, True),
    (_is_idx, idx(5), 24, False),
    (_rows, {"a": [1, 2], "b": [1, 2, 3], "c": [1, 2]}, None),
    (_rows, {"a": ["1", "2"], "b": ["1", "2"], "c": ["1", "2"]}, None),
    (human_size, 1e6 * 2**40, "more than a million TiB"),
)


@pytest.mark.parametrize("case", RULES)
def test_a_rule_at_its_edge(case: tuple[Any, ...]) -> None:
    rule, *given, answer = case
    assert rule(*given) == answer


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (doubles(*["half"] * 2, *["usual"] * 8), "float64"),
        (doubles("half", *["usual"] * 9), "float32"),
        (doubles("huge", "half", *["usual"] * 18), "float32"),
        (doubles("huge", "half", *["usual"] * 19), "float64"),
    ],
)
def test_plain_bytes_are_wide_where_more_than_most_are_usual_and_not_as_narrow_ones(
    data: bytes, kind: str
) -> None:
    assert _plain_bytes(data)[0].endswith(kind)


# ---- arrays


TABLE = np.arange(48.0).reshape(12, 4) ** 1.5


def rows_of(texts: list[str]) -> bytes:
    """A table in text, a column of texts before those of `TABLE`."""
    rows = zip(texts, TABLE.round(3).tolist(), strict=True)
    lines = [",".join([text, *map(str, row)]) for text, row in rows]
    return "\n".join(["t,a,b,c,d", *lines]).encode()


def test_means_beside_samples_refuse_their_own_keys_alone() -> None:
    file = "a.npz", build.npz(mu=np.zeros(4), sigma=np.eye(4), x=TABLE)
    assert_array_equal(read(file, key="x").values, TABLE)
    refusal(file, r"statistics|means", key="mu")


def test_a_shape_and_data_alone_are_no_sparse_matrix() -> None:
    file = "a.npz", build.npz(shape=np.arange(3), data=np.arange(3), x=TABLE)
    assert_array_equal(read(file).values, TABLE)


def test_where_every_file_is_a_sample_one_array_of_numbers_is_it() -> None:
    one = Limits(one_sample=True, min_rows=1)
    labelled = "a.npz", build.npz(f=TABLE[0], label=np.arange(4))
    assert read(labelled, limits=one).shape == (1, 4)
    refusal(("a.npz", build.npz(f=TABLE[0])))
    refusal(("a.npz", build.npz(f=TABLE[0], g=TABLE[1])), limits=one)


@pytest.mark.parametrize(
    ("number", "length", "columns"), [(20, 100, True), (20, 99, False), (21, 105, False)]
)
def test_a_few_long_arrays_may_be_columns(number: int, length: int, columns: bool) -> None:
    held = {f"arr_{place}": np.arange(float(length)) for place in range(number)}
    error = refusal(("a.npz", build.npz(**held)), limits=Limits(one_sample=True))
    assert ("columns of a table" in str(error)) == columns


def test_two_bytes_with_names_are_two_numbers() -> None:
    held = np.zeros(12, [("f0", "u1"), ("f1", "u1")])
    held["f1"] = np.arange(12) % 5
    assert_array_equal(read(("a.npy", build.npy(held))).values[:, 1], held["f1"])


INSIDE_OF_RECORDS = np.zeros(12, [("a", [("b", "f4")]), ("c", "f4")])
TABLES_IN_RECORDS = np.zeros(12, [("a", "f4", (2, 2)), ("c", "f4")])


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        (
            "a.npy",
            build.npy(TABLE.reshape(1, 2, 1, 24)),
            r"has one entry\. If it is .* save values\[0\]",
        ),
        ("a.npy", build.npy(INSIDE_OF_RECORDS), r"records \(a structured dtype\)"),
        ("a.npy", build.npy(TABLES_IN_RECORDS), r"records \(a structured dtype\)"),
        (
            "a.csv",
            rows_of([f"12:{row:02d}" for row in range(12)]),
            "times in the order .*--drop t",
        ),
        ("a.csv", rows_of([f"0b{row:04b}" for row in range(12)]), "bits.*Make a column of each"),
        ("a.csv", b"unit,a,b,c,d,e\nm,1,2,3,4,5\ns,2,3,4,5,9\nm,4,2,7,1,1\n", "each row is a fea"),
        ("a.csv", b"a,b\n" + b"red,x\nblue,y\n" * 6, "No column holds numbers"),
        ("a.csv", b"a" * 3000 + b",b\n" + b"red,1\nblue,2\n" * 6, "both tables at once \\(pandas"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused_with_what_to_do(
    name: str, data: bytes, words: str
) -> None:
    refusal((name, data), f"(?s){words}")


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((), r"\(\)"),
        ((300,), r"\(300,\)"),
        ((10**15 - 1,), r"\(999999999999999,\)"),
        ((10**15,), r"\(>1e15,\)"),
        ((2, 3, 4, 5, 6, 7), r"\(2, 3, 4, 5, 6, 7\)"),
        ((2, 3, 4, 5, 6, 7, 8), r"\(2, 3, 4, 5, 6, 7, …\)"),
    ],
)
def test_the_shape_of_what_is_no_table_is_said(shape: tuple[int, ...], said: str) -> None:
    file = "a.npy", build.raw_npy(build.npy_header("<f8", shape))
    refusal(file, f"float64 of shape {said}")


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("mark", [",", "\t", ";", " "])
def test_a_comment_names_two_columns_or_more(d: int, mark: str) -> None:
    data = build.csv(TABLE[:, :d], "# " + mark.join("xyz"[:d]), mark)
    found = read(("a.csv", data))
    assert_array_equal(found.values, TABLE[:, :d])
    assert found.features == (tuple("xyz"[:d]) if d > 1 else ())


@pytest.mark.parametrize(
    ("cells", "bits"), [(["011", "101"], True), (["100", "110"], False), (["0", "1"], False)]
)
def test_cells_of_0_and_1_are_rows_of_bits_where_one_begins_with_0(
    cells: list[str], bits: bool
) -> None:
    data = rows_of(cells * 6)
    if bits:
        refusal(("a.csv", data), "is a row of bits, not one number")
    else:
        assert read(("a.csv", data)).d == 5


def test_a_mark_behind_every_row_is_no_column() -> None:
    data = build.csv(TABLE[:, :2], "a,b", end=",\n").replace(b"b,", b"b")
    assert_array_equal(read(("a.csv", data)).values, TABLE[:, :2])


# ---- tables


def test_columns_of_one_name_are_refused() -> None:
    stream = io.BytesIO()
    pq.write_table(pa.table([TABLE[:, 0], TABLE[:, 1]], ["x", "x"]), stream)
    refusal(("t.parquet", stream.getvalue()), "the same name")


def test_columns_named_like_samples_are_those_beside_a_text_alone() -> None:
    numbers = pd.DataFrame(TABLE[:, :3], columns=CELLS)
    assert read(("t.parquet", numbers.to_parquet())).d == 3
    turned = "t.parquet", numbers.assign(what=[f"gene{place}" for place in range(12)]).to_parquet()
    assert read(turned, columns=CELLS).d == 3
    refusal(turned, "transposed")


def test_objects_in_objects_beside_numbers_are_left_out_by_name() -> None:
    rows = [{"x": 1.1 * row, "y": 0.3 * row**2, "m": {"a": {"b": row}}} for row in range(12)]
    refusal(json_lines(rows), r"column 'm'.* Leave it out")
    assert read(json_lines(rows), drop="m").features == ("x", "y")
    deep = json_lines({"m": {"a": {"b": {"c": row["x"]}}}} for row in rows)
    refusal(deep, "deeper in its objects")


def test_an_empty_cell_above_a_sentence_is_named() -> None:
    refusal(("t.csv", b"a,b\n1,2\n3,\n4,5\n(made by hand)\n"), r"line 3.*empty")


# ---- folders and errors


def test_a_folder_of_both_sets_has_two_folders_that_are_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "about.txt").write_text("x")
    assert "Name the folder of each" not in str(refusal(tmp_path, by=read_pair))
    (tmp_path / "generated").mkdir()
    refusal(tmp_path, "Name the folder of each", by=read_pair)


def test_errors_reach_another_process_whole() -> None:
    suspect = pickle.loads(pickle.dumps(SuspectColumnsError("x looks odd", ("x",))))
    assert (str(suspect), suspect.columns) == ("x looks odd", ("x",))
    empty = pickle.loads(pickle.dumps(EmptyCellError("line 3: empty", 2)))
    assert (str(empty), empty.column) == ("line 3: empty", 2)
