"""Values on the very edge of the readers' rules, each on the side where it belongs."""

from __future__ import annotations

import io
import json
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from prviz.readers import ReadError, read, read_chosen, read_chosen_pair
from prviz.readers.arrow import _claims_of_file, _Compact
from prviz.readers.arrow_rows import _is_label_type, _valid, plan_columns, read_batches
from prviz.readers.columns import EVERY, ColumnChoice
from prviz.readers.conversion import _is_idx, _plain_bytes, _rows
from prviz.readers.delimited import _alike, _encoding_of_windows, _is_extreme
from prviz.readers.errors import EmptyCellError, SuspectColumnsError
from prviz.readers.first_lines import _merged, _stands_above_names
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


RULES: tuple[tuple[Callable[..., Any], tuple[Any, ...], Any], ...] = (
    (samples_among, (["cell1", "cell2", "a"],), []),
    (samples_among, ([*CELLS, "a", "b"],), CELLS),
    (samples_among, ([*CELLS, "a", "b", "c"],), []),
    (one_family, (["a1", "a2", "b"],), ["a1", "a2"]),
    (one_family, (["a1", "a2", "b", "c"],), ["a1", "a2", "b", "c"]),
    (_in_equal_steps, (np.array([0.0, 20, 41]),), True),
    (_in_equal_steps, (np.array([0.0, 20, 41.1]),), False),
    (_in_equal_steps, (np.array([0, 19.5, 40, 59.5, 80, 99.5, 120]),), True),
    (_in_equal_steps, (np.array([1.0, 20, 400, 8400]),), True),
    (_in_equal_steps, (np.array([1.0, 20, 400, 8401]),), False),
    (is_unlike, (["a", "b"], [["1", "2"]] * 8, COMMA), False),
    (is_unlike, (["30", "40"], [["1.5", "2"], ["2.5", "3"]] * 4, COMMA), True),
    (is_unlike, (["1.7", "2.1"], [["1.5", "2"], ["2.5", "3"]] * 4, COMMA), False),
    (is_unlike, (["2", "3"], [["1.5", "2.5"], ["2.5", "3.5"]] * 4, COMMA), True),
    (is_unlike, (["1500", "1600"], [["1000", "1001"], ["1001", "1000"]] * 4, COMMA), True),
    (is_unlike, (["1002", "1002"], [["1000", "1001"], ["1001", "1000"]] * 4, COMMA), False),
    (is_unlike, (["-150", "-160"], [["-100", "-101"], ["-101", "-100"]] * 4, COMMA), True),
    (in_two_levels, (YEARS, ["1", "2", "1", "2"], [["0.12345"] * 4] * 3, COMMA), True),
    (in_two_levels, (YEARS, ["1", "x", "1", "x"], [["0.12345"] * 4] * 3, COMMA), False),
    (points, (IN_ORDER, UNORDERED, COMMA), 4),
    (points, (IN_ORDER[:7], [row[:7] for row in UNORDERED], COMMA), 3),
    (are_times_of_a_log, (["9:59", "10:00", "10:01"],), True),
    (are_times_of_a_log, (["10:00:59", "10:01:00.5", "10:01:01"],), True),
    (are_times_of_a_log, (["10:00", "9:59", "10:01"],), False),
    (are_times_of_a_log, (["9:59", "10:00"],), False),
    (names_features, ("unit", ["m", "s", "m"]), True),
    (names_features, ("unit", ["m", "m"]), False),
    (names_features, ("feature_name", ["a", "b"]), True),
    (names_features, ("feature", ["a", "a"]), False),
    (names_features, ("x", ["f1", "f2"]), True),
    (names_features, ("x", ["f1", "f3"]), False),
    (_feature, ([0, 1], [30, 20], {0: "0", 1: "1"}), 1),
    (_feature, ([0, 1], [20, 30], {0: "time", 1: "gene"}), 1),
    (_feature, ([0, 1], [20, 30], {0: "time", 1: "t"}), 0),
    (_feature, ([0, 1], [30, 20], {0: "gene", 1: "probe"}), 1),
    (_stands_above_names, ([["run", "7"], ["a", "b"], ["1", "2"]], COMMA), True),
    (_stands_above_names, ([["run", "7"], ["a", "b"]], COMMA), False),
    (_stands_above_names, ([["1", "7"], ["a", "b"], ["1", "2"]], COMMA), False),
    (_stands_above_names, ([["run", "7"], ["a", "a"], ["1", "2"]], COMMA), False),
    (_stands_above_names, ([["run", "7"], ["a", "b"], ["1", "x"]], COMMA), False),
    (stands_alone, (b'1,",2', b","), True),
    (stands_alone, (b'1,2,"', b","), False),
    (stands_alone, (b'1,",x', b","), False),
    (stands_alone, (b'inf,",2', b","), False),
    (_merged, (["i", "a", "", "b"], ["n", "x", "y", "x"], NUMBERED, COMMA), TWO_LEVELS),
    (_merged, (["i", "a", "", "b"], ["n", "x", "y", "z"], NUMBERED, COMMA), ["n", *"xyz"]),
    (_merged, (["i", "a", "b"], ["n", "x", "x"], NUMBERED, COMMA), None),
    (_merged, (["i", "a", ""], ["n", "x", "2"], NUMBERED, COMMA), None),
    (_merged, (["i", "a", ""], ["n", "x", "x"], [["k", "l"]] * 2, COMMA), None),
    (names_in_comment, (["# a", "b"],), ["a", "b"]),
    (names_in_comment, (["#! FIELDS", "a", "b"],), ["a", "b"]),
    (names_in_comment, (["#!", "FIELDS", "a"],), ["a"]),
    (quotes_names_alone, (io.BytesIO(b'"a","b"\n1,2\n'), ","), True),
    (quotes_names_alone, (io.BytesIO(b'"a","b"\n1,"2"\n'), ","), False),
    (_encoding_of_windows, (io.BytesIO(b"\x80"),), "cp1252"),
    (_encoding_of_windows, (io.BytesIO(b"\x9f"),), "cp1252"),
    (_encoding_of_windows, (io.BytesIO(b"\x7f\xa0"),), "latin-1"),
    (_encoding_of_windows, (io.BytesIO(b"\x80\x81"),), "latin-1"),
    (_alike, (np.zeros(2), np.zeros(2)), True),
    (_is_extreme, (np.zeros(2), TWO_OF_FOUR), False),
    (_counts_rows, (REPEATED, 0), False),
    (_counts_rows, (COUNTED, 0), True),
    (look_packed, (BITS,), True),
    (look_packed, (BITS[1:],), False),
    (_is_label_type, (pa.dictionary(pa.int8(), pa.string()),), True),
    (_is_label_type, (pa.dictionary(pa.int8(), pa.list_(pa.string())),), False),
    (_is_idx, (idx(0), 5), False),
    (_is_idx, (idx(4), 21), True),
    (_is_idx, (idx(5), 24), False),
    (_rows, ({"a": [1, 2], "b": [1, 2, 3], "c": [1, 2]},), None),
    (_rows, ({"a": ["1", "2"], "b": ["1", "2"], "c": ["1", "2"]},), None),
    (human_size, (1e6 * 2**40,), "more than a million TiB"),
)


@pytest.mark.parametrize(("rule", "given", "expected"), RULES)
def test_a_rule_at_its_edge(
    rule: Callable[..., Any], given: tuple[Any, ...], expected: Any
) -> None:
    assert rule(*given) == expected


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


def npz(**arrays: Any) -> tuple[str, bytes]:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return "a.npz", stream.getvalue()


TABLE = np.arange(48.0).reshape(12, 4) ** 1.5


def rows_of(texts: list[str]) -> bytes:
    """A table in text, a column of texts before those of `TABLE`."""
    rows = zip(texts, TABLE.round(3).tolist(), strict=True)
    lines = [",".join([text, *map(str, row)]) for text, row in rows]
    return "\n".join(["t,a,b,c,d", *lines]).encode()


def test_means_beside_samples_refuse_their_own_keys_alone() -> None:
    file = npz(mu=np.zeros(4), sigma=np.eye(4), x=TABLE)
    np.testing.assert_array_equal(read_chosen(file, EVERY, key="x").values, TABLE)
    with pytest.raises(ReadError, match=r"statistics|means"):
        read_chosen(file, EVERY, key="mu")


def test_a_shape_and_data_alone_are_no_sparse_matrix() -> None:
    file = npz(shape=np.arange(3), data=np.arange(3), x=TABLE)
    np.testing.assert_array_equal(read_chosen(file, EVERY).values, TABLE)


def test_where_every_file_is_a_sample_one_array_of_numbers_is_it() -> None:
    one = Limits(one_sample=True, min_rows=1)
    assert read_chosen(npz(f=TABLE[0], label=np.arange(4)), EVERY, limits=one).values.shape == (
        1,
        4,
    )
    with pytest.raises(ReadError):
        read_chosen(npz(f=TABLE[0]), EVERY)
    with pytest.raises(ReadError):
        read_chosen(npz(f=TABLE[0], g=TABLE[1]), EVERY, limits=one)


@pytest.mark.parametrize(
    ("number", "length", "columns"), [(20, 100, True), (20, 99, False), (21, 105, False)]
)
def test_a_few_long_arrays_may_be_columns(number: int, length: int, columns: bool) -> None:
    file = npz(**{f"arr_{place}": np.arange(float(length)) for place in range(number)})
    with pytest.raises(ReadError) as error:
        read_chosen(file, EVERY, limits=Limits(one_sample=True))
    assert ("columns of a table" in str(error.value)) == columns


def test_two_bytes_with_names_are_two_numbers() -> None:
    held = np.zeros(12, [("f0", "u1"), ("f1", "u1")])
    held["f1"] = np.arange(12) % 5
    stream = io.BytesIO()
    np.save(stream, held)
    assert read_chosen(("a.npy", stream.getvalue()), EVERY).values[:, 1].tolist() == [
        *held["f1"].tolist()
    ]


def npy(values: np.ndarray[Any, Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


INSIDE_OF_RECORDS = np.zeros(12, [("a", [("b", "f4")]), ("c", "f4")])
TABLES_IN_RECORDS = np.zeros(12, [("a", "f4", (2, 2)), ("c", "f4")])


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.npy", npy(TABLE.reshape(1, 2, 1, 24)), r"has one entry\. If it is .* save values\[0\]"),
        ("a.npy", npy(INSIDE_OF_RECORDS), r"records \(a structured dtype\)"),
        ("a.npy", npy(TABLES_IN_RECORDS), r"records \(a structured dtype\)"),
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
    with pytest.raises(ReadError, match=f"(?s){words}"):
        read_chosen((name, data), EVERY)


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
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)  # type: ignore[arg-type]
    with pytest.raises(ReadError, match=f"float64 of shape {said}"):
        read_chosen(("a.npy", stream.getvalue()), EVERY)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("mark", [",", "\t", ";", " "])
def test_a_comment_names_two_columns_or_more(d: int, mark: str) -> None:
    lines = ["# " + mark.join("xyz"[:d])]
    lines += [mark.join(map(str, row)) for row in TABLE[:, :d].tolist()]
    found = read_chosen(("a.csv", "\n".join(lines).encode()), EVERY)
    np.testing.assert_array_equal(found.values, TABLE[:, :d])
    assert found.features == (tuple("xyz"[:d]) if d > 1 else ())


@pytest.mark.parametrize(
    ("cells", "bits"), [(["011", "101"], True), (["100", "110"], False), (["0", "1"], False)]
)
def test_cells_of_0_and_1_are_rows_of_bits_where_one_begins_with_0(
    cells: list[str], bits: bool
) -> None:
    data = rows_of(cells * 6)
    if bits:
        with pytest.raises(ReadError, match="is a row of bits, not one number"):
            read_chosen(("a.csv", data), EVERY)
    else:
        assert read_chosen(("a.csv", data), EVERY).d == 5


def test_a_mark_behind_every_row_is_no_column() -> None:
    rows = "".join(f"{first},{second},\n" for first, second in TABLE[:, :2])
    found = read_chosen(("a.csv", f"a,b\n{rows}".encode()), EVERY)
    np.testing.assert_array_equal(found.values, TABLE[:, :2])


# ---- tables


def parquet(columns: list[Any], names: list[str]) -> tuple[str, bytes]:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns, names=names), stream)
    return "t.parquet", stream.getvalue()


def test_columns_of_one_name_are_refused() -> None:
    with pytest.raises(ReadError, match="the same name"):
        read_chosen(parquet([TABLE[:, 0], TABLE[:, 1]], ["x", "x"]), EVERY)


def test_columns_named_like_samples_are_those_beside_a_text_alone() -> None:
    numbers = [TABLE[:, place] for place in range(3)]
    text = [f"gene{place}" for place in range(12)]
    assert read_chosen(parquet(numbers, CELLS), EVERY).d == 3
    turned = parquet([*numbers, text], [*CELLS, "what"])
    assert read_chosen(turned, ColumnChoice.of(CELLS, (), None, shared=False)).d == 3
    with pytest.raises(ReadError, match="transposed"):
        read_chosen(turned, EVERY)


@pytest.mark.parametrize(("rows", "words"), [(2, "more rows"), (3, ""), (4, "truncated")])
def test_a_table_has_the_rows_that_it_claims(rows: int, words: str) -> None:
    batch = pa.record_batch({"x": [1.0, 2.0, 4.0], "y": [3.0, 1.0, 0.5]})
    limits = Limits(min_rows=1)
    plan = plan_columns(batch.schema, "t", None, limits, EVERY)
    if not words:
        assert read_batches(plan, rows, [batch], limits)[0].shape == (3, 2)
        return
    with pytest.raises(ReadError, match=words):
        read_batches(plan, rows, [batch], limits)


def test_labels_from_a_dictionary_are_those_of_plain_texts() -> None:
    texts = pa.array(["a", "b", None, "b"] * 3)
    for label in (texts, texts.dictionary_encode()):
        stream = io.BytesIO()
        table = pa.table({"x": np.arange(12.0) ** 2, "y": np.ones(12), "label": label})
        pq.write_table(table, stream, row_group_size=5)
        labels = read(("t.parquet", stream.getvalue())).labels["label"]
        assert labels.tolist() == ["a", "b", "", "b"] * 3


def test_places_of_a_dictionary_are_inside_it() -> None:
    assert len(_valid(pa.array([0, 2, None]), 3)) == 3
    assert len(_valid(pa.array([None], pa.int8()), 0)) == 1
    for outside in (-1, 3):
        with pytest.raises(ValueError, match="outside"):
            _valid(pa.array([0, outside]), 3)


def test_objects_in_objects_beside_numbers_are_left_out_by_name() -> None:
    rows = [{"x": 1.1 * row, "y": 0.3 * row**2, "m": {"a": {"b": row}}} for row in range(12)]
    file = ("a.jsonl", "\n".join(map(json.dumps, rows)).encode())
    with pytest.raises(ReadError, match=r"column 'm'.* Leave it out"):
        read_chosen(file, EVERY)
    assert read_chosen(file, EVERY.without(["m"])).features == ("x", "y")
    deep = "\n".join(json.dumps({"m": {"a": {"b": {"c": row["x"]}}}}) for row in rows)
    with pytest.raises(ReadError, match="deeper in its objects"):
        read_chosen(("a.jsonl", deep.encode()), EVERY)


def test_an_empty_cell_above_a_sentence_is_named() -> None:
    with pytest.raises(ReadError, match=r"line 3.*empty"):
        read_chosen(("t.csv", b"a,b\n1,2\n3,\n4,5\n(made by hand)\n"), EVERY)


def test_structs_are_nested_thirty_deep_at_most() -> None:
    for depth in (30, 31):
        nested = _Compact(b"\x1c" * depth + bytes(depth + 1))
        if depth == 30:
            assert nested.struct({}) == {}
            continue
        with pytest.raises(ValueError, match="nested too deeply"):
            nested.struct({})


def arrow_file() -> tuple[bytearray, int, int]:
    """An Arrow file of one batch, the place of what its footer says of the batch, and the footer's
    length.
    """
    stream = io.BytesIO()
    batch = pa.record_batch({"a": np.arange(30.0)})
    with pa.ipc.new_file(stream, batch.schema) as writer:
        writer.write_batch(batch)
    data = bytearray(stream.getvalue())
    length = int.from_bytes(data[-10:-6], "little")
    (claim,) = _claims_of_file(io.BytesIO(data), len(data), Limits())
    assert claim.rows == 30
    start = len(data) - 10 - length
    blocks = [
        place
        for place in range(start, len(data) - 34)
        if data[place : place + 4] == b"\1\0\0\0" and _is_block(data, place + 4, start)
    ]
    return data, blocks[0] + 4, length


def _is_block(data: bytearray, place: int, start: int) -> bool:
    offset, head, body = struct.unpack_from("<qi4xq", data, place)
    return 8 <= offset < start and 8 <= head < start and offset + head + body <= start


@pytest.mark.parametrize(
    ("offset", "head", "body", "outside"),
    [
        (7, 8, 0, True),
        (8, 7, 0, True),
        (8, 8, -1, True),
        (8, 8, 0, False),
        (8, 8, "rest", False),
        (8, 8, "more", True),
    ],
)
def test_a_batch_lies_inside_of_its_file(
    offset: int, head: int, body: int | str, outside: bool
) -> None:
    data, place, _ = arrow_file()
    left = len(data) - offset - head
    size = {"rest": left, "more": left + 1}.get(body, body) if isinstance(body, str) else body
    struct.pack_into("<qi4xq", data, place, offset, head, size)
    with pytest.raises((ValueError, IndexError)) as error:
        list(_claims_of_file(io.BytesIO(data), len(data), Limits()))
    assert ("a batch outside the file" in str(error.value)) == outside


def test_a_footer_may_fill_its_file() -> None:
    stream = io.BytesIO()
    with pa.ipc.new_file(stream, pa.schema({"a": pa.float64()})):
        pass
    data = stream.getvalue()
    length = int.from_bytes(data[-10:-6], "little")
    alone = b"ARROW1\0\0" + data[-10 - length :]
    assert list(_claims_of_file(io.BytesIO(alone), len(alone), Limits())) == []
    with pytest.raises(ValueError, match="no footer"):
        list(_claims_of_file(io.BytesIO(alone[1:]), len(alone) - 1, Limits()))
    exact = Limits(max_header_bytes=length)
    assert list(_claims_of_file(io.BytesIO(data), len(data), exact)) == []
    with pytest.raises(ValueError, match="no footer"):
        list(_claims_of_file(io.BytesIO(data), len(data), Limits(max_header_bytes=length - 1)))


# ---- folders and errors


def test_a_folder_of_both_sets_has_two_folders_that_are_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "about.txt").write_text("x")
    with pytest.raises(ReadError) as error:
        read_chosen_pair(tmp_path, EVERY)
    assert "Name the folder of each" not in str(error.value)
    (tmp_path / "generated").mkdir()
    with pytest.raises(ReadError, match="Name the folder of each"):
        read_chosen_pair(tmp_path, EVERY)


def test_errors_reach_another_process_whole() -> None:
    suspect = pickle.loads(pickle.dumps(SuspectColumnsError("x looks odd", ("x",))))
    assert (str(suspect), suspect.columns) == ("x looks odd", ("x",))
    empty = pickle.loads(pickle.dumps(EmptyCellError("line 3: empty", 2)))
    assert (str(empty), empty.column) == ("line 3: empty", 2)
