"""Both roles in one table, told apart by a column of labels; and one set in the numbered files of a
folder.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import prviz
from prviz.readers import read, read_pair, roles
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
    [
        ("role", ("real", "generated")),
        ("split", ("Reference", "fake")),
        ("source", ("real", "synthetic")),
        ("is_generated", (0, 1)),
        ("is_fake", (False, True)),
        ("is_real", (True, False)),
        ("is_real", (1.0, 0.0)),
        ("isGenuine", ("T", "F")),
        ("was generated", (-1, 1)),
        ("Synthetic", ("no", "yes")),
    ],
)
def test_a_column_of_roles_gives_both_sides(
    extension: str, name: str, values: tuple[object, object]
) -> None:
    source = table(extension, **{name: [values[0] if real else values[1] for real in REAL]})
    pair = read_pair(source)
    assert_array_equal(pair.real.values, VALUES[REAL])
    assert_array_equal(pair.generated.values, VALUES[~REAL])
    assert len(set(pair.real.labels[name].tolist())) == 1
    keys = roles(source)
    assert keys is not None
    caught = refusal(source, "holds both real")  # one set of both would be neither
    assert caught.choices == keys
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
    source = table(extension, condition=[values[0] if real else values[1] for real in REAL])
    keys = tuple(f"condition={str(value).removesuffix('.0')}" for value in values)
    pair = read_pair(source, keys=(keys[0], keys[1]))
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


def test_columns_that_disagree_are_unclear() -> None:
    words = ["real" if real else "fake" for real in REAL]
    assert roles(table("csv", role=words, is_generated=~REAL)) == ("role=real", "role=fake")
    assert roles(table("csv", role=words, is_generated=REAL)) is None
    assert roles(table("csv", role=["real", "fake", "held-out"] * 3 + ["real"])) is None


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
