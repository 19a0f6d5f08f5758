"""Small rules of the readers on inputs that are written out: columns, labels, sizes, roles, errors,
metadata.
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.checks.row_order import CONSEQUENCE
from prviz.quoting import drop_text
from prviz.readers import Limits, ReadError, read, read_label, roles
from prviz.readers.arrow import (
    _json_kind,
)
from prviz.readers.atomic_files import locked, write_all
from prviz.readers.bundled import (
    BUNDLED,
    SAME_FILE,
    bundled_names,
    bundled_pair,
    family_of,
    zoo_checkpoints,
)
from prviz.readers.columns import (
    ColumnChoice,
    columns_offered,
    group_text,
    index_columns,
    is_label,
    label_array,
    label_names,
    parsed,
    sort_columns,
    with_buttons,
)
from prviz.readers.conversion import arrays_in, save_arrays
from prviz.readers.delimited import summary_rows
from prviz.readers.errors import corrupt_unless_read, described, error_text, one_line
from prviz.readers.media import ZipPictures
from prviz.readers.media.looks import PictureLimits, end_alike, plain_path
from prviz.readers.row_roles import (
    find_row_roles,
    require_row_roles,
    row_choices,
    rows_of,
    split_key,
)
from prviz.readers.safe_folder import Below
from prviz.readers.source import (
    FileSource,
    as_source,
    check_claim,
    check_columns,
    check_keys,
    extension_of,
    human_size,
    kind_of,
    refuse_pickles,
)
from prviz.readers.suspects import (
    _counting,
    _in_order,
    _repeats,
    are_samples,
    are_weights,
    beside_lists,
    called_weights,
    check_upright,
    checked_columns,
    is_key,
    look_packed,
    may_be_keys,
    suspects,
)
from tests.readers.answers import refusal

# ---- columns and labels ----


def test_names_of_labels_are_told_from_names_of_features() -> None:
    labels = (
        "id,ids,idx,Index,class,file name,is-real,unnamed:_0.1,level_2,my_label,,Unnamed: 0,"
        " __index_level_0__ ,text"
    )
    assert [name for name in labels.split(",") if not is_label(name)] == []
    assert [
        name
        for name in ("idle", "classy", "real", "x_idx2", "level_", "f0", "texts", "unnamed")
        if is_label(name)
    ] == []


def test_features_and_labels_by_names_and_choices() -> None:
    names = ["id", "f0", "f1", "word", "2", "10"]
    numeric = [True, True, True, False, True, True]

    def sorted_by(index: tuple[str, ...] = (), **given: Any) -> tuple[list[int], list[int]]:
        return sort_columns(names, numeric, ColumnChoice(**given), "t", index)

    assert sorted_by() == ([1, 2, 3, 4, 5], [0])
    assert sorted_by(features=("f*",)) == ([1, 2], [0, 3])
    assert sorted_by(features=("id", "f1")) == ([0, 2], [3])
    assert sorted_by(drop=("f*", "word")) == ([4, 5], [0, 1, 2, 3])
    assert sorted_by(group="f0", drop=("word",)) == ([2, 4, 5], [0, 1, 3])
    assert sorted_by(("f1",), drop=("word",)) == ([1, 4, 5], [0, 2, 3])
    assert sorted_by(("f1",), features=("f1", "f0")) == ([1, 2], [0, 3])
    assert sorted_by(("f1",), features=("f*",)) == ([1], [0, 2, 3])
    assert sort_columns(["10", "9", "id"], [True] * 3, ColumnChoice(), "t") == ([1, 0], [2])
    for wrong in ({"features": ("z",)}, {"drop": ("z*",)}, {"group": "f*"}):
        with pytest.raises(ReadError, match="t: has no column "):
            sorted_by(**wrong)
    shared = ColumnChoice(features=("z",), drop=("f0",), group="g", shared=True)
    assert shared.unknown(names) == ["z", "g"]
    assert shared.known(names) == ColumnChoice((), ("f0",), None)
    assert shared.known([*names, "g", "z"]) == ColumnChoice(("z",), ("f0",), "g")
    shared.check(names, "t")
    assert shared.met == set(names)
    ColumnChoice(shared=True).check(["a"], "t")
    assert not ColumnChoice(shared=True)
    assert all((ColumnChoice(features=("a",)), ColumnChoice(drop=("a",)), ColumnChoice(group="")))
    shared.refuse_arrays("t")
    ColumnChoice(group="g").refuse_arrays("t")
    for one in (ColumnChoice(features=("a",)), ColumnChoice(drop=("a",))):
        with pytest.raises(ReadError, match="an array, without names"):
            one.refuse_arrays("t")
    for given in ({"columns": 3}, {"columns": [3]}, {"drop": [None]}, {"group": 3}):
        with pytest.raises((ReadError, TypeError)):
            ColumnChoice.of(**{"columns": None, "drop": (), "group": None, **given})  # type: ignore[arg-type]


def test_what_leaves_columns_out_in_words() -> None:
    assert drop_text(["a b"]) == "drop='a b' (--drop 'a b')"
    assert drop_text(["a", "b,c"]) == "drop=['a', 'b,c'] (--drop 'a,\"b,c\"')"
    assert drop_text(["x" * 200]).startswith("drop='xxx")
    for names in (["a b"], ["a", "b,c"], ["it's"], ["x (--drop y)", '"'], ["f1"], ["Größe [m]"]):
        said = f"Leave it out with {drop_text(names)}, or not ('a')."
        assert columns_offered(said) == tuple(names)
        assert with_buttons(said) == "Leave it out with the button below, or not ('a')."
        assert with_buttons(f"leave it out, {drop_text(names)}.") == "leave it out."
    assert columns_offered(drop_text(["a\n"])) == ()
    for said in (group_text("it's"), CONSEQUENCE, "clips with --group clip (group='clip'):"):
        assert re.search(r"--group \S+ in the shell, not on a page", with_buttons(said))
        assert not re.search("groups?=", with_buttons(said))
    assert drop_text(["x" * 201]) == drop_text(["a\n"]) == "drop=... (--drop COLUMNS)"


def test_labels_are_numbers_texts_or_long_texts() -> None:
    for values, kind in (
        ([1, True, -(2**63)], "i"),
        ([1, 2**63], "U"),
        ([1.5, 2.0], "f"),
        ([1, 2.0], "U"),
        (["a", None], "U"),
        (["a"] * 99 + ["b" * 9_999], "O"),
        (["a" * 40] * 9, "U"),
    ):
        assert label_array(values).dtype.kind == kind
    assert label_array(["a", None]).tolist() == ["a", ""]
    assert label_array([]).dtype.kind == "i"
    assert parsed(["1", "-2", "0"]) == [1, -2, 0]
    for texts in (["007", "1"], ["-0"], ["1.0"], ["--1"], ["9" * 18], [""], ["1", "x"]):
        assert parsed(texts) == texts
    assert parsed(["9" * 17]) == [10**17 - 1]
    assert label_names(["", "a", "a", "index", " a ", "a (2)"]) == [
        "index",
        "a",
        "a (2)",
        "index (2)",
        "a (3)",
        "a (2) (2)",
    ]


def test_the_index_of_pandas_is_read_from_its_metadata() -> None:
    for text, names in (
        (b'{"index_columns": ["a", {"kind": "range"}, "b"]}', ("a", "b")),
        *(
            (text, ())
            for text in (b'{"index_columns": "a"}', b'{"x": 1}', b"{", b"[1]", b"", b"[" * 9_999)
        ),
    ):
        assert index_columns({b"pandas": text}) == names
    assert index_columns({}) == index_columns(None) == ()


# ---- columns that are no features ----


def test_weights_keys_counts_and_units_are_known_by_their_values() -> None:
    assert [
        name
        for name in ("weight", "sample_weight", "W", "wgt", "My-WT")
        if not called_weights(name)
    ] == []
    assert [name for name in ("height", "weighted", "w2", "weight_1") if called_weights(name)] == []
    bodies = np.array([60.0, 82.0, 71.0])
    assert not are_weights([bodies])
    for column in (
        bodies - 70,
        bodies / 71,
        bodies / 71 + 0.19,
        np.full(3, 5.0),
        bodies / 71 - 0.19,
    ):
        assert are_weights([column])
    assert not are_weights([bodies / 71 + 0.21])
    assert not are_weights([np.full(3, 5.0), bodies])
    assert are_weights([np.full(3, 5.0), np.full(4, 6.0)])
    assert are_weights([bodies, bodies / 71])
    even = np.arange(64.0) * 7
    assert is_key(even)
    assert is_key(even[::-1])
    assert not is_key(even + 0.5)
    assert not is_key(np.r_[even, even[:1]])
    assert not is_key(np.arange(64.0) ** 6)
    unevenly = np.r_[np.arange(250.0) * 9, np.arange(250.0) * 20 + 9000]
    assert is_key(unevenly)
    assert not is_key(unevenly[1:])
    assert not is_key(np.arange(500.0) ** 3)  # skewed, as amounts are
    assert not is_key(np.r_[np.arange(63.0), 10_000])
    values = np.c_[even, even + 0.5, np.r_[0.0, even[:-1]]]
    assert may_be_keys(values).tolist() == [True, False, False]
    assert may_be_keys(np.r_[even, 0.0, 0.5][:, None]).tolist() == [True]  # by the first rows
    count = np.arange(9.0)
    assert _counting(np.c_[count + 5, count * 2, count + 0.5, np.r_[count[:-1], 7.0], -count]) == [
        0
    ]
    assert _counting(count[:8, None]) == [0]
    assert _counting(count[:7, None]) == []
    grown = np.arange(80.0) / 1000
    uneven = grown + 1e-4 * np.sin(np.arange(80.0))
    assert _in_order(np.c_[grown, uneven, -grown, np.sin(grown * 900)]) == ({0, 2}, {1})
    assert _in_order(np.c_[grown, uneven][:63]) == ({0}, set())
    assert _repeats(np.array([1.0, 1, 2, 2, 3, 3]))
    assert _repeats(np.array([1.0, 1, 2]))
    assert not _repeats(np.array([1.0, 2, 3, 3]))
    assert not _repeats(np.ones(4))
    assert not _repeats(np.array([0.5, 0.5, 1, 1]))


def test_a_key_is_one_of_few_columns_of_enough_rows() -> None:
    rng = np.random.default_rng(0)
    key = rng.permutation(64.0 * np.arange(64))
    others = rng.normal(size=(64, 3))
    names = ["a", "b", "c", "d"]
    assert suspects(np.c_[others, key], names).keys() == {"d"}
    assert not suspects(np.c_[others, key][:63], names)
    assert suspects(np.c_[others[:, 0], key], names[:2]).keys() == {"b"}
    assert not suspects(np.c_[others[:, 0], key, key[::-1]], names[:3])


@pytest.mark.parametrize(
    ("names", "sure", "doubtful"),
    [
        ("f0 f1 f2 score", "score", ""),
        ("f0 f1 score", "", "score"),
        ("f0 a b score", "", "score"),
        ("f0 f1 f2 a b c d score", "", "score"),
        ("a b score", "", "score"),
        ("f0 f1 f2 latency_ms", "latency_ms", ""),
        ("a b latency_ms", "", ""),
        ("f0 f1 f2 f3 f4 f5 f6 f7 age", "", "age"),
        ("f0 f1 f2 f3 f4 f5 f6 my_age my_size", "", ""),
        ("f0 f1 f2 f3 f4 f5 f6 f7 my_age my_size", "", ""),
        ("f0 f1 f2 f3 f4 f5 f6 f7 my_age", "", "my_age"),
        ("umap_1 umap_2 a", "umap_1 umap_2", ""),
        ("umap_1 umap_2 umap_3 umap_4 a", "", ""),
        ("umap_1 umap_2 umap_3 a", "umap_1 umap_2 umap_3", ""),
        ("seed step epoch", "", ""),
        ("seed x y", "seed", ""),
        ("patient a b", "patient", ""),
        ("weight a b", "weight", ""),
    ],
)
def test_names_beside_each_other(names: str, sure: str, doubtful: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(30, len(names.split())))
    if names.startswith("patient"):
        values[:, 0] = np.arange(30) // 3
    assert [*suspects(values, names.split())] == sure.split()
    if not sure:
        notes = checked_columns(values, names.split(), ColumnChoice(), "t").notes
        assert [note.partition("else: ")[2].partition(";")[0] for note in notes] == [
            repr(doubtful)
        ] * bool(doubtful)


def test_columns_of_one_byte_each_are_no_packed_bits() -> None:
    bytes_of = np.random.default_rng(0).integers(0, 256, (64, 64)).astype(float)
    assert look_packed(bytes_of)
    assert not look_packed(np.tile(bytes_of[:1], (64, 1)))
    assert not look_packed(bytes_of[:63])
    assert not look_packed(bytes_of[:, :31])  # fewer than 2,000 bytes
    assert look_packed(bytes_of[:, :32])
    for wrong in (bytes_of + 0.5, bytes_of - 1, bytes_of + 1, bytes_of % 2):
        assert not look_packed(wrong)


def test_tables_whose_rows_are_features() -> None:
    values = {"gene": np.array(["f3", "f4", "f5"])}
    for labels, n in (
        (values, 3),
        ({"g": np.array(["f3", "f5"])}, 2),
        ({"g": np.array(["a", "b"])}, 2),
        ({}, 2),
    ):
        check_upright(labels, n, ["a", "b", "c"], "t.csv")
    with pytest.raises(ReadError, match=r"each row is a feature \('f3', 'f4' ...\)"):
        check_upright(values, 3, list("abcd"), "t.csv")
    with pytest.raises(ReadError, match=r"each column is a sample \('cell1', 'cell2' ...\)"):
        check_upright(values, 9, ["cell1", "cell2", "cell3"], "t.csv")
    check_upright({}, 9, ["cell1", "cell2", "cell3"], "t.csv")
    assert not are_samples(["cell1", "cell2"])
    assert not are_samples(["cell1", "cell2", "x"])


def test_decimals_beside_lists_are_said_not_to_be_read() -> None:
    labels: dict[str, Any] = {
        "size": np.array([1.5, 2.0]),
        "width": np.array(["1.5", "2.0"]),
        "note": np.array(["a.b", "c"]),
        "count": np.array(["1", "2"]),
        "seed": np.array([1.5, 2.5]),
        "score": np.array([1.5, 2.5]),
        "umap_x": np.array([1.5, 2.5]),
        "id": np.array([1.5, 2.5]),
        "minus": np.array(["-1.0", "2.0"]),
    }
    assert beside_lists(labels) == ("not read beside the lists of numbers: 'size', 'width'",)
    assert beside_lists({"a": np.array([1, 2])}) == ()


def test_sums_below_a_table_are_found_without_a_warning() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 3)) * 1e306
    assert summary_rows(np.r_[rows, rows.sum(axis=0)[None]]) == (0, 1)
    assert summary_rows(np.full((20, 2), 1e308)) == (0, 0)
    constant = np.c_[np.ones(20), np.arange(20.0)]
    assert summary_rows(np.r_[constant, constant.sum(axis=0)[None]]) == (0, 0)


# ---- rows of both roles ----

REAL_AND_MADE = np.array(["real", "fake", "real"])


@pytest.mark.parametrize(
    ("name", "values", "pair"),
    [
        ("x", ["real", "fake"], ("x=real", "x=fake")),
        ("x", ["Train", "SYNTH"], ("x=Train", "x=SYNTH")),
        ("x", ["real", "other"], None),
        ("x", ["real", "fake", "gen"], None),
        ("x", ["real", "test"], None),
        ("is_real", ["1", "0"], ("is_real=1", "is_real=0")),
        ("is_real", ["no", "yes"], ("is_real=yes", "is_real=no")),
        ("IsFake", ["no", "yes"], ("IsFake=no", "IsFake=yes")),
        ("generated", [1, 0], ("generated=0", "generated=1")),
        ("generated", ["yes", "real"], None),
        ("generated", ["real", "fake"], ("generated=real", "generated=fake")),
        ("other", ["1", "0"], None),
    ],
)
def test_which_value_is_real(name: str, values: list[Any], pair: tuple[str, str] | None) -> None:
    assert find_row_roles({name: np.array(values)}) == pair


def test_roles_of_several_columns_must_agree() -> None:
    both = {"a": REAL_AND_MADE, "is_real": np.array([1, 0, 1])}
    assert find_row_roles(both) == ("a=real", "a=fake")
    assert find_row_roles({**both, "is_real": np.array([1, 0, 0])}) is None
    assert find_row_roles({}) is None
    assert require_row_roles(both, "t") == ("a=real", "a=fake")
    many = {"n": np.arange(21), "role": np.array(["u", "v", "w"]), "one": np.array(["z"] * 3)}
    with pytest.raises(ReadError, match=r"'role' has 'u', 'v', 'w'\. Name both sets") as caught:
        require_row_roles(many, "t")
    assert "'n'" not in str(caught.value)
    with pytest.raises(ReadError, match="Add a column 'role'"):
        require_row_roles({"n": np.arange(21)}, "t")
    assert row_choices({**many, "split": np.arange(20), "is_real": np.array([1, 0])})[:4] == (
        "role=u",
        "role=v",
        "role=w",
        "split=0",
    )
    assert row_choices({"split": np.arange(21), "fold": np.array(["a"])}) == ()
    assert rows_of({"a": REAL_AND_MADE}, "a=real", "t").tolist() == [True, False, True]
    assert rows_of({"a": np.array(["x"]), "a=b": np.array(["c"])}, "a=b=c", "t").tolist() == [True]
    with pytest.raises(ReadError, match=r"no row has 'z'\. Its values: 'real', 'fake'"):
        rows_of({"a": REAL_AND_MADE}, "a=z", "t")
    with pytest.raises(ReadError, match="It has more than 20 values"):
        rows_of({"a": np.arange(21)}, "a=z", "t")
    keys = {
        "clip[a=b]": ("clip", "a=b"),
        "a=b": (None, "a=b"),
        "clip": ("clip", None),
        "a=[b=c]": (None, "a=[b=c]"),
    }
    assert {key: split_key(key) for key in keys} == keys


def test_labels_beside_an_array_are_read_by_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.ones((4, 2)), y=np.arange(4), extra=np.array(list("abcd")))
    samples = read(tmp_path / "a.npz")
    found = [read_label(tmp_path / "a.npz", name, samples) for name in ("y", "extra", "none")]
    assert [None if each is None else each.tolist() for each in found] == [
        [0, 1, 2, 3],
        list("abcd"),
        None,
    ]
    np.save(tmp_path / "a.npy", np.ones((4, 2)))
    assert read_label(tmp_path / "a.npy", "y", read(tmp_path / "a.npy")) is None
    assert roles(tmp_path / "a.npy") is None


# ---- sizes, sources, errors ----


def test_sizes_in_words_and_limits_of_claims() -> None:
    sizes = {
        0: "0 bytes",
        1023: "1023 bytes",
        1024: "1.0 KiB",
        1536: "1.5 KiB",
        1024**2: "1.0 MiB",
        1024**4: "1.0 TiB",
    }
    assert {size: human_size(size) for size in sizes} == sizes
    assert human_size(2**63) == "more than a million TiB"
    assert human_size(5 * 10**5 * 1024**4) == "500,000.0 TiB"
    limits = Limits(max_bytes=10**9, max_expansion=2, max_keys=3, max_columns=3)
    check_claim("t", 10**9, limits)
    of_file = limits.of_file(10**8)
    check_claim("t", 2 * 10**8, of_file)
    with pytest.raises(ReadError, match=r"3 times the file itself.*max_expansion=3"):
        check_claim("t", 2 * 10**8 + 1, of_file)
    assert (of_file.most_bytes, limits.of_file(1).most_bytes, limits.of_file(10**9).most_bytes) == (
        2 * 10**8,
        64 * 1024**2,
        10**9,
    )
    for check in (check_keys, check_columns):
        check("t", 3, limits)
        with pytest.raises(ReadError, match="more than 3"):
            check("t", 4, limits)
    for name in (
        "max_bytes",
        "min_rows",
        "max_header_bytes",
        "max_keys",
        "max_columns",
        "max_expansion",
    ):
        Limits(**{name: 1})
        with pytest.raises(ValueError, match=f"{name} = 0; an integer from 1"):
            Limits(**{name: 0})


def test_the_default_expansion_is_a_whole_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("7", "9" * 9):
        monkeypatch.setenv("PRVIZ_MAX_EXPANSION", text)
        assert Limits().max_expansion == int(text)
    for text in ("", "-1", "1.5", "9" * 10, "\u0663", "x"):
        monkeypatch.setenv("PRVIZ_MAX_EXPANSION", text)
        with pytest.raises(ValueError, match="a whole number such as 100 is needed"):
            Limits()


def test_endings_of_names() -> None:
    kinds = {
        "a.NPY": ".npy",
        "a.pq": ".parquet",
        "b.csv.GZ": ".csv",
        "a.gz": ".gz",
        "a.npy.gz": ".gz",
        "a": "",
        ".npy": ".npy",
    }
    assert {name: kind_of(name) for name in kinds} == kinds
    assert (extension_of("a.pq"), extension_of("a.ndjson.zst"), kind_of("a.ndjson")) == (
        ".pq",
        ".zst",
        ".jsonl",
    )
    assert as_source(("C:\\x\\a.npy", b"12")).name == as_source(("x/a.npy", b"12")).name == "a.npy"
    assert FileSource("a.npy", 0, path=Path("x/a.npy")).typed == str(Path("x/a.npy"))


def test_a_folder_of_pickles_is_saved_beside_it() -> None:
    assert str(refuse_pickles("'d.v2'", "d.v2", ".pkl")).endswith(
        "glob.glob('d.v2/*.pkl'))], 'd.v2.npz')"
    )
    assert "import glob, prviz.readers\n" in str(refuse_pickles("t", "d", ".pt"))
    assert "import glob, joblib, prviz.readers\n" in str(refuse_pickles("t", "d", ".joblib"))


def test_errors_in_words() -> None:
    for error, words in ((ValueError("x"), "x"), (ValueError(), "ValueError")):
        with (
            pytest.raises(ReadError, match=rf"t: truncated or corrupt \('{words}'\)"),
            corrupt_unless_read("t", ValueError),
        ):
            raise error
    with pytest.raises(ReadError, match=r"^own$"), corrupt_unless_read("t", ValueError):
        raise ReadError("own")
    texts = {
        "No such file": OSError(2, "No such file"),
        "f: No such file": OSError(2, "No such file", "f"),
        "x": OSError("x\ny"),
        "not enough memory": MemoryError(),
        "KeyError": KeyError(""),
    }
    assert {
        error_text(error) if text != "KeyError" else described(KeyError())
        for text, error in texts.items()
    } == set(texts)
    assert error_text(ValueError("")) == "ValueError"
    assert described(ZeroDivisionError("division by zero")) == "ZeroDivisionError: division by zero"
    assert one_line("a\n b\x1b[31m\u202e") == "a b\\x1b[31m\\x202e"


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    good = tmp_path / "a"
    bad = tmp_path / "none" / "b"
    with pytest.raises(OSError, match="none/b" if sys.platform != "win32" else "b") as caught:
        write_all({good: b"1", bad: b"2"})
    assert caught.value.filename == str(bad)
    assert list(tmp_path.iterdir()) == []
    write_all({good: b"1", tmp_path / "c": b"2"})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "c"]
    with locked(good):
        assert (tmp_path / ".a.lock").exists()
        with pytest.raises(OSError, match="another process has held"), locked(good, seconds=0.0):
            pass
    assert not (tmp_path / ".a.lock").exists()


def test_folders_below_are_listed_in_order_and_to_some_depth(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefghijklmno")
    deep.mkdir(parents=True)
    for name in ("b", "a/z", ".hidden"):
        (tmp_path / name).mkdir(exist_ok=True)
    below = Below(tmp_path)
    found = below.folders()
    assert found[:3] == ["a", "a/b", "a/b/c"]
    assert max(each.count("/") for each in found) == 12
    assert found[-2:] == ["a/z", "b"]
    assert below.folders(3) == found[:3]


def test_paths_of_pictures() -> None:
    paths = {
        "a\\b": "a/b",
        "/a//./b": "a/b",
        "../x/../a": "a",
        "A": "A",
        "e\u0301": "\u00e9",
        "a/..": "",
        "e\u0301" * 128: "e\u0301" * 128,
    }
    assert {path: plain_path(path) for path in paths} == paths
    assert end_alike("a/b", "b")
    assert end_alike("b", "a/b")
    assert not end_alike("ab", "b")
    for name in ("entries", "file_bytes", "ratio", "small_bytes"):
        PictureLimits(**{name: 1})
        with pytest.raises(ValueError, match=f"{name} = 0"):
            PictureLimits(**{name: 0})


# ---- Arrow and what other libraries hold ----


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


def test_arrays_in_what_other_libraries_hold(tmp_path: Path) -> None:
    rows = {"a.png": [1.0, 2.0], "b.png": [3.0, 4.0], "c.png": [5.0, 6.0]}
    found = arrays_in(rows)
    assert (found["values"].tolist(), found["id"].tolist()) == (list(rows.values()), list(rows))
    assert set(arrays_in(dict(list(rows.items())[:2]))) == {"a.png", "b.png"}
    assert set(arrays_in({**rows, "d": [1.0]})) == {*rows, "d"}
    assert {name: each.shape for name, each in arrays_in(([[1, 2]], [3])).items()} == {
        "0": (1, 2),
        "1": (1,),
    }
    assert arrays_in([{"emb": [1, 2], "y": 0}, {"emb": [3, 4], "y": 1}])["emb"].tolist() == [
        [1, 2],
        [3, 4],
    ]
    batches = [{"emb": [[1, 2]], "y": [0]}, {"emb": [[3, 4], [5, 6]], "y": [1, 1]}]
    assert {name: each.tolist() for name, each in arrays_in(batches).items()} == {
        "emb": [[1, 2], [3, 4], [5, 6]],
        "y": [0, 1, 1],
    }
    assert arrays_in([1, "a"]) == arrays_in([]) == arrays_in({"__x": 1}) == {}
    assert arrays_in({"a": {"b": np.ones((2, 2))}}).keys() == {"a.b"}
    assert arrays_in(np.array({"a": np.ones((2, 2))}, dtype=object)).keys() == {"a"}
    assert arrays_in(np.array([[1.5, 2]], dtype=object))["values"].dtype == np.float64
    assert arrays_in([np.ones(2), np.ones((2, 2))]) == {}
    assert arrays_in([np.ones((2, 2)), np.ones((2, 3))]) == {}
    assert arrays_in([np.ones(2), np.array(["a"])]) == {}
    path = save_arrays({"file": np.ones((3, 2)), "x": np.ones(3)}, tmp_path / "a.npz")
    with np.load(path) as saved:
        assert set(saved) == {"file_", "x"}
    with pytest.raises(
        ValueError, match=r"no 2-D array of numbers in it: 'values' \(3,\); pool each"
    ):
        save_arrays([1, 2, 3], tmp_path / "b.npz")
    with pytest.raises(ValueError, match=r"no 2-D array of numbers in it: no arrays at all$"):
        save_arrays({}, tmp_path / "b.npz")
    masked = np.ma.masked_array(np.ones((2, 2)), [[0, 1], [0, 0]])
    with pytest.raises(ValueError, match="1 values are masked"):
        save_arrays({"x": masked}, tmp_path / "b.npz")
    with pytest.warns(UserWarning, match="1 of 2 rows have masked values, and are left out"):
        save_arrays(masked, tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz") as saved:
        assert saved["values"].tolist() == [[1, 1]]


# ---- bundled embeddings ----


def test_names_of_bundled_checkpoints() -> None:
    pair = bundled_pair("truncation-0.7")
    assert pair.generated.name == "Truncation sweep, psi = 0.7"
    assert (
        bundled_pair("latent-1").generated.name == "Truncation of an autoencoder, VAE truncated 1"
    )
    said = {each.name: each.summary for each in BUNDLED["truncation"].checkpoints}
    assert said["truncation-0.0"] == "Every sample is the one mean picture: full collapse."
    assert said["truncation-1.0"].startswith("The converged mixture as it is")
    assert (
        said["truncation-0.1"]
        == "Latent vectors pulled to their mean: 0.1 of each one's distance is left."
    )
    assert [family_of(name) for name in ("words-0", "diffusion-e300", "topics-1")] == [
        "text",
        "zoo",
        "topics",
    ]
    assert not set(SAME_FILE) & {each.name for each in zoo_checkpoints()}
    assert {each.name for each in zoo_checkpoints()} >= {"guidance-0", "gan-e50"}
    assert len(set(bundled_names())) == len(bundled_names())
    words = {each.name: each.summary for each in BUNDLED["text"].checkpoints}
    assert (words["words-0"], words["words-1"]) == (
        "Words without order.",
        "Each word drawn after the one before it.",
    )
    topics = {each.name: each.summary for each in BUNDLED["topics"].checkpoints}
    assert (topics["topics-1"], topics["topics-2"]) == (
        "New sentences of one topic.",
        "New sentences of the first 2 topics.",
    )


def test_files_of_a_folder_are_claimed_together(tmp_path: Path) -> None:
    for place, n in enumerate((3, 6)):
        np.save(tmp_path / f"x_{place}.npy", np.ones((n, 2), "f4"))
    assert read(tmp_path, limits=Limits(max_bytes=72)).n == 9
    refusal(
        tmp_path,
        r"claims 72 bytes of values, more than the limit of 71 bytes",
        limits=Limits(max_bytes=71),
    )


def test_pictures_of_an_archive_in_any_buffer() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a/1.png", b"x")
    for held in (data.getvalue(), bytearray(data.getvalue()), memoryview(data.getvalue())):
        assert ZipPictures("a.zip", held).get("1.png") == b"x"
