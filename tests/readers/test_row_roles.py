"""Both roles in one table, told apart by a column of labels; and one set in the numbered files of a
folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import prviz
from prviz.readers import ReadError, read, read_pair, roles
from prviz.readers.row_roles import (
    find_row_roles,
    require_row_roles,
    row_choices,
    rows_of,
    split_key,
)
from prviz.triage.measure import samples_at
from prviz.triage.measured import TriageSettings
from tests import file_builders as build
from tests.readers.answers import csv, refusal, shell, write

VALUES = np.random.default_rng(3).normal(size=(10, 3))
REAL = np.arange(10) % 3 > 0


def table(extension: str, **labels: object) -> tuple[str, bytes]:
    frame = pd.DataFrame(VALUES, columns=list("abc")).assign(**labels)
    if extension == "csv":
        return csv(frame)
    listed = pd.DataFrame({"features": list(VALUES), **{name: frame[name] for name in labels}})
    return "t.parquet", listed.to_parquet()


@pytest.mark.parametrize("extension", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("name", "values"),
    [("role", ("real", "generated")), ("is_fake", (False, True)), ("is_real", (1.0, 0.0))],
)
def test_a_column_of_roles_gives_both_sides(
    extension: str, name: str, values: tuple[object, object]
) -> None:
    source = table(extension, **{name: np.where(REAL, *values)})
    pair = read_pair(source)
    assert_array_equal(pair.real.values, VALUES[REAL])
    assert_array_equal(pair.generated.values, VALUES[~REAL])
    assert len(set(pair.real.labels[name].tolist())) == 1
    keys = roles(source)
    assert refusal(source, "holds both real").choices == keys  # one set of both would be neither
    assert_array_equal(read(source, key=keys[1]).values, VALUES[~REAL])


def test_unclear_roles_are_asked_for_by_column_and_value() -> None:
    source = table("csv", split=["train", "model", "test", "model", "train"] * 2, id=range(10))
    assert roles(source) is None
    assert read(source).n == 10
    caught = refusal(source, "'split' has 'train', 'model', 'test'", by=read_pair)
    assert caught.choices[:3] == ("split=train", "split=model", "split=test")
    pair = read_pair(source, keys=("split=train", "split=model"))
    assert_array_equal(pair.generated.values, VALUES[[1, 3, 6, 8]])
    assert pair.real.name == "t.csv, split=train"
    for key, said in {
        "split=tests": r"no row has 'tests'\. Its values: 'train', 'model', 'test'",
        "fold=train": "Write COLUMN=VALUE with a column of the table: 'split', 'id'",
        "split=test": "rows 'split=test': has 2 rows",
    }.items():
        refusal(source, said, key=key)


def test_rows_of_one_of_several_list_columns(tmp_path: Path) -> None:
    role = np.where(REAL, "real", "fake")
    frame = pd.DataFrame({"clip": list(VALUES), "dino": list(VALUES[:, :2]), "role": role})
    file = write(tmp_path / "t.parquet", frame)
    keys = ("clip[role=real]", "clip[role=fake]", "dino[role=real]", "dino[role=fake]")
    assert roles(file) is None
    for reading in (read, read_pair):
        said = "each of the list columns 'clip', 'dino' holds both"
        assert refusal(file, said, by=reading).choices == keys
    refusal(file, "such as 'clip", key="role=real")
    assert refusal(file, "column 'dino' holds both real", key="dino").choices == keys[2:]
    assert_array_equal(read(file, key=keys[3]).values, VALUES[~REAL, :2])
    pair = read_pair(file, keys=keys[:2])
    assert_array_equal(pair.real.values, VALUES[REAL])
    assert_array_equal(pair.generated.values, VALUES[~REAL])
    said = "real samples have 3 features, the generated ones 2"
    refusal(file, said, by=read_pair, keys=(keys[0], keys[3]))
    said = "--real-key 'clip[role=real]' --generated-key 'clip[role=fake]'"
    assert said in shell("curve", file, code=2)
    chosen = ["--real-key", keys[0], "--generated-key", keys[1]]
    shell("curve", file, *chosen, "--split", "none")
    write(file, frame.assign(dino=list(-VALUES)).drop(columns="role"))
    assert_array_equal(read_pair(file, keys=("clip", "dino")).generated.values, -VALUES)


@pytest.mark.parametrize("extension", ["csv", "parquet"])
@pytest.mark.parametrize("values", [("stim", "ctrl"), (1, 0), (2.0, 1.0)])
def test_rows_are_named_by_a_column_of_any_name(
    extension: str, values: tuple[object, object]
) -> None:
    source = table(extension, condition=np.where(REAL, *values))
    keys = [f"condition={str(value).removesuffix('.0')}" for value in values]
    pair = read_pair(source, keys=keys)
    assert_array_equal(pair.real.values, VALUES[REAL])
    assert_array_equal(pair.generated.values, VALUES[~REAL])
    assert_array_equal(read(source, key=keys[1]).values, VALUES[~REAL])


def test_no_role_is_proposed_where_none_is_said(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": VALUES[:, 0], "real_or_fake": REAL.astype(float)})
    file = write(tmp_path / "t.csv", frame.assign(split=["x", "y"] * 5))
    said = "--real-key COLUMN=VALUE --generated-key COLUMN=VALUE, each with"
    assert said in shell("curve", file, code=2)
    write(file, frame.assign(condition=["x", "y"] * 5, real_or_fake="c"))
    said = "--real-key condition=VALUE --generated-key condition=VALUE"
    assert said in shell("curve", file, code=2)


def test_in_the_shell(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(60, 2))
    frame = pd.DataFrame({"features": list(values), "source": ["ffhq", "gan"] * 30})
    line = ["curve", write(tmp_path / "t.parquet", frame), "--method", "knn"]
    said = "Here: --real-key source=VALUE --generated-key source=VALUE, each with its own VALUE."
    assert said in shell(*line, code=2)
    chosen = ["--real-key", "source=ffhq", "--generated-key", "source=gan"]
    assert "t.parquet, source=gan  30 x 2" in shell(*line, *chosen)
    write(tmp_path / "t.parquet", frame.assign(role=["real", "fake"] * 30))
    assert "t.parquet, role=fake  30 x 2" in shell(*line)


def test_the_reference_of_a_triage_may_be_the_real_rows_of_a_table(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(60, 2))
    settings = TriageSettings(key="role=real")
    pd.DataFrame(values).add_prefix("f").assign(role=["real", "fake"] * 30).to_csv(
        tmp_path / "t.csv", index=False
    )
    np.save(tmp_path / "a.npy", values)
    assert_array_equal(samples_at(tmp_path / "t.csv", settings).values, values[::2])
    assert samples_at(tmp_path / "a.npy", settings).n == 60


# ---- folders ----


def shards(folder: Path, *names: str) -> list[np.ndarray]:
    folder.mkdir(parents=True, exist_ok=True)
    parts = [VALUES[:1] + place for place in range(len(names))]
    for name, part in zip(names, parts, strict=True):
        np.save(folder / name, part.astype(np.float16))
    return parts


def test_a_folder_of_shards_is_one_set_in_natural_order(tmp_path: Path) -> None:
    names = [f"img_emb_{number}.npy" for number in range(12)]
    parts = shards(tmp_path / "img_emb", *names)
    samples = prviz.read(tmp_path / "img_emb")
    assert_array_equal(samples.values, np.concatenate(parts).astype(np.float16).astype(np.float32))
    assert samples.name == "img_emb"
    refusal(tmp_path, "clip-retrieval, with the sets 'img_emb'")
    (tmp_path / "img_emb" / "img_emb_05.npy").write_bytes(build.npy(VALUES))
    refusal(tmp_path / "img_emb", "have a number twice")


def test_shards_keep_their_labels(tmp_path: Path) -> None:
    for place, rows in enumerate((slice(0, 4), slice(4, 10))):
        frame = pd.DataFrame(
            {"features": list(VALUES[rows]), "text": [f"{n}" for n in range(10)[rows]]}
        )
        frame.to_parquet(tmp_path / f"part-{place:05}-of-00002.parquet")
    samples = prviz.read(tmp_path)
    assert samples.labels["text"].astype(str).tolist() == [str(n) for n in range(10)]
    refusal(tmp_path, "claims", limits=prviz.readers.Limits(max_bytes=100))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("img_emb_0.npy", "text_emb_0.npy"), "differ by one running number alone"),
        (("a_1_x_1.npy", "a_2_x_2.npy"), "differ by one running number alone"),
        (("step-1000.npy", "step-2000.npy"), "a folder of checkpoints"),
        ((), "A folder of pictures is embedded first: prviz embed"),
    ],
)
def test_other_folders_are_refused_by_name(
    tmp_path: Path, names: tuple[str, ...], message: str
) -> None:
    shards(tmp_path / "f", *names)
    refusal(tmp_path / "f", message)


def test_files_of_webdataset_are_refused_by_name(tmp_path: Path) -> None:
    each = build.npz(**{f"{place:06}": row for place, row in enumerate(VALUES)})
    refusal(("x.npz", each), r"(?s)one 1-D array per sample .*WebDataset.*np\.stack")
    refusal(("000.tar", b"x" * 600), "a tar archive, such as a shard of WebDataset")
    (tmp_path / "000.tar").write_bytes(bytes(600))
    refusal(tmp_path, "a folder of tar archives")


REAL_AND_MADE = np.array(["real", "fake", "real"])


@pytest.mark.parametrize(
    ("name", "values", "pair"),
    [
        ("x", ["real", "fake"], ("x=real", "x=fake")),
        ("x", ["Train", "SYNTH"], ("x=Train", "x=SYNTH")),
        ("role", ["original", "synthetic"], ("role=original", "role=synthetic")),
        ("split", ["Reference", "fake"], ("split=Reference", "split=fake")),
        ("x", ["real", "other"], None),
        ("x", ["real", "fake", "gen"], None),
        ("x", ["real", "test"], None),
        ("is_real", ["1", "0"], ("is_real=1", "is_real=0")),
        ("is_real", ["no", "yes"], ("is_real=yes", "is_real=no")),
        ("IsFake", ["no", "yes"], ("IsFake=no", "IsFake=yes")),
        ("isGenuine", ["T", "F"], ("isGenuine=T", "isGenuine=F")),
        ("was generated", ["-1", "1"], ("was generated=-1", "was generated=1")),
        ("fake", ["False", "True"], ("fake=False", "fake=True")),
        ("synthetic", [0, 1], ("synthetic=0", "synthetic=1")),
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
