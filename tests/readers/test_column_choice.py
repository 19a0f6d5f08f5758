"""Features, labels and groups of tables by the user's choice; every reader keeps the names of the
features.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy
from numpy.testing import assert_array_equal

from prviz.checks.row_order import CONSEQUENCE
from prviz.quoting import drop_text
from prviz.readers import ReadError, read, read_label, read_pair, roles
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
from prviz.samples import REORDERED
from prviz.triage.measure import samples_at
from prviz.triage.measured import ResultCache, TriageSettings
from tests import file_builders as build
from tests.readers.answers import refusal, shell, write

N = 30
VALUES = np.random.default_rng(5).normal(size=(N, 3))
NAMES = ("age", "rate", "size")
KINDS = ("csv", "tsv", "parquet", "feather")


def frame(**more: object) -> pd.DataFrame:
    return pd.DataFrame(VALUES, columns=list(NAMES)).assign(**more)


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_keeps_the_names_of_its_features(kind: str, tmp_path: Path) -> None:
    role = np.where(np.arange(N) % 2, "real", "fake")
    path = write(
        tmp_path / f"t.{kind}", frame(role=role, file_id=[f"row {row}" for row in range(N)])
    )
    assert read(path, key="role=real").features == NAMES
    assert [side.features for side in read_pair(path)] == [NAMES, NAMES]
    folder = tmp_path / "shards"
    folder.mkdir()
    for number in range(2):
        write(folder / f"part_{number}.{kind}", frame())
    shards = read(folder)
    assert shards.features == NAMES
    assert shards.n == 2 * N


@pytest.mark.parametrize("kind", KINDS)
def test_features_are_chosen_by_name_or_pattern(kind: str, tmp_path: Path) -> None:
    table = frame(video_id=np.arange(N) // 5, job=["a", "b"] * (N // 2), extra=VALUES[:, 0] ** 2)
    path = write(tmp_path / f"t.{kind}", table)
    refusal(path, r"column .*'job'")
    for chosen in (NAMES, ("*a*e", "size"), ["size", "rate", "age"]):
        found = read(path, columns=chosen)
        assert found.features == NAMES
        assert_array_equal(found.values, VALUES)
        assert set(found.labels) == {"video_id", "job"}
    found = read(path, drop=["job", "ext*"], group="video_id")
    assert found.features == NAMES
    assert set(found.labels) == {"video_id", "job", "extra"}
    assert found.groups is not None
    assert_array_equal(found.groups, table["video_id"])
    assert_array_equal(read(path, columns="video_id").values[:, 0], table["video_id"])
    assert read(path, columns="*", drop="job").features == (*NAMES, "extra")
    for wrong in ({"columns": "g*"}, {"drop": "jobs"}, {"drop": "job", "group": "patient"}):
        refusal(path, r"has no column '(g\*|jobs|patient)'\. Its columns: 'age'", **wrong)


def test_columns_without_names_are_chosen_by_number() -> None:
    data = "\n".join(",".join(map(repr, row)) for row in VALUES.tolist()).encode()
    found = read(("t.csv", data), drop="1")
    assert_array_equal(found.values, VALUES[:, 1:])
    assert_array_equal(found.labels["1"].astype(float), VALUES[:, 0])
    assert found.features == ()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_numbered_columns_stand_in_the_order_of_their_numbers(kind: str, tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(5, 12))
    table = pd.DataFrame(values, columns=list(map(str, range(12))))
    found = read(write(tmp_path / f"t.{kind}", table[sorted(table)]))
    assert_array_equal(found.values, values)
    assert found.features == ()


def test_a_list_column_is_a_choice_too(tmp_path: Path) -> None:
    table = frame(embedding=list(VALUES[:, :2]), other=list(VALUES))
    path = write(tmp_path / "t.parquet", table)
    assert read(path, columns="embedding").d == 2
    assert read(path, drop="embedding").d == 3
    assert read(path, columns=NAMES).features == NAMES
    refusal(path, "has no column 'embeding'", columns="embeding")


def test_groups_of_arrays_and_files_without_columns() -> None:
    file = "a.npz", build.npz(feats=VALUES, video=np.arange(N) // 3)
    assert_array_equal(read(file, group="video").groups, np.arange(N) // 3)
    refusal(file, r"no column of groups 'patient'\. Its labels: ", group="patient")
    refusal(file, "without names of columns", drop="video")
    refusal(file, "names or patterns of columns are needed", columns=[3])


def test_options_of_the_shell(tmp_path: Path) -> None:
    real = write(tmp_path / "real.csv", frame(extra=VALUES[:, 0] * 2))
    other = frame(video=np.arange(N) // 3)[["size", "video", "age", "rate"]]
    made = write(tmp_path / "made.parquet", other)
    line = ["curve", real, made, "--method", "knn", "--k", "3"]
    said = "if 'video' says which rows belong together, give group='video' (--group video)"
    assert said in shell(*line, code=2)
    said = "only real has 'extra'; only generated has 'video'"
    assert said in shell(*line, "--features", "*", code=2)
    for choice in (["--drop", "extra, video"], ["--features", "age,rate", "--features", "size"]):
        found = shell(*line, *choice)
        assert "1.0000" in found
        assert found.count(f"prviz: warning: {REORDERED}\n") == 1
    found = shell("parity", real, made, "--drop", "extra", "--group", "video")
    assert found.count(REORDERED) == 1
    said = "--drop extras: no file has such a column; they have age, rate, size, extra"
    assert said in shell(*line, "--drop", "extras,extra,video", code=2)
    said = "--group clip: no file has such a column"
    assert said in shell(*line, "--drop", "extra,video", "--group", "clip", code=2)


def test_groups_are_part_of_what_identifies_a_measurement(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", frame(video_id=np.arange(N) // 3, clip_id=np.arange(N) // 6))
    digests = {
        samples_at(path, TriageSettings(group=group)).digest
        for group in (None, "video_id", "clip_id")
    }
    assert len(digests) == 3
    assert samples_at(path, TriageSettings(drop=["rate"])).features == ("age", "size")  # type: ignore[arg-type]
    np.save(tmp_path / "a.npy", VALUES)
    assert (
        samples_at(tmp_path / "a.npy", TriageSettings(features=("age",), group="video_id")).d == 3
    )
    assert ResultCache(tmp_path / "kept").folder.name == "kept"


def test_fields_of_a_structured_array_are_chosen_as_columns_are(tmp_path: Path) -> None:
    kinds = [("age", "f4"), ("size", "f4"), ("seed", "i4"), ("clip", "i8"), ("word", "U4")]
    seeds = np.random.default_rng(0).permutation(1000)[:N]
    clips = np.arange(N) // 3
    rows = np.empty(N, kinds)
    for name, column in zip(
        rows.dtype.names, (VALUES[:, 0], VALUES[:, 1], seeds, clips, "w"), strict=True
    ):
        rows[name] = column
    path = tmp_path / "made.npy"
    np.save(path, rows)
    said = r"'made.npy': columns 'seed', 'clip' look like no features .*--drop seed"
    refusal(path, said)
    dropped = read(path, drop=["seed", "clip"], group="clip")
    assert (tuple(dropped.features), dropped.d) == (("age", "size"), 2)
    assert_array_equal(dropped.values, VALUES[:, :2].astype(np.float32))
    assert_array_equal(dropped.labels["seed"], seeds)
    assert_array_equal(dropped.groups, clips)
    assert read(path, columns=["size", "age"]).features == ("age", "size")
    refusal(path, r"has no column 'sed'. Its columns: 'age', 'size', 'seed'", drop="sed")
    refusal(path, "field 'word': holds '<U4', not numbers", columns=["age", "word"])
    refusal(path, "has no feature columns", drop=["age", "size", "seed", "clip"])
    shell("curve", path, path, "--method", "knn", "--k", "3", "--drop", "seed,clip")


def test_groups_of_embeddings_are_in_the_table_beside_them(tmp_path: Path) -> None:
    values = np.random.default_rng(3).normal(size=(40, 3)).astype("f4")
    path = tmp_path / "real.safetensors"
    safetensors.numpy.save_file({"features": values}, path)
    refusal(path, r"has no column of groups 'video'. Its labels: none\.", group="video")
    beside = pa.table({"features": values.tolist(), "video": np.repeat(np.arange(8), 5)})
    pq.write_table(beside, tmp_path / "real.samples.parquet")
    assert read(path, group="video").n_independent == 8
    # the table is of other samples
    safetensors.numpy.save_file({"features": values[::-1].copy()}, path)
    refusal(path, r"has no column of groups 'video'", group="video")


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
    assert shared.without(["h"]).drop == ("f0", "h")
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
        (["a"] * 99 + ["b" * 9_999], "O"),  # which does not make the others as long
        (["a" * 2_800] + ["b"] * 2_799, "O"),
        (["a" * 40] * 9, "U"),
        (["cat", "a longer name"], "U"),
    ):
        found = label_array(values)
        assert found.dtype.kind == kind
        assert kind != "O" or found.tolist() == values
    assert label_array(["a", None]).tolist() == ["a", ""]
    assert label_array([]).dtype.kind == "i"
    assert parsed(["1", "-2", "0"]) == [1, -2, 0]
    assert parsed(["9" * 17]) == [10**17 - 1]
    for text in ("007", "-0", "1.0", "--1", "9" * 18, "", "x", "-", "+5", "5-", "٣"):
        assert parsed([text, "1"]) == [text, "1"]
    names = ["", "a", "a", "index", " a ", "a (2)"]
    numbered = ["index", "a", "a (2)", "index (2)", "a (3)", "a (2) (2)"]
    assert label_names(names) == numbered


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


def test_labels_beside_an_array_are_read_by_name() -> None:
    file = "a.npz", build.npz(x=np.ones((4, 2)), y=np.arange(4), extra=np.array(list("abcd")))
    samples = read(file)
    assert read_label(file, "y", samples).tolist() == [0, 1, 2, 3]
    assert read_label(file, "extra", samples).tolist() == list("abcd")
    assert read_label(file, "none", samples) is None
    alone = "a.npy", build.npy(np.ones((4, 2)))
    assert read_label(alone, "y", read(alone)) is None
    assert roles(alone) is None
