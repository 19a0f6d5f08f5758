"""Features, labels and groups of tables by the user's choice; every reader keeps the names of the
features.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy

from prviz.cli.main import main
from prviz.readers import ReadError, read, read_pair
from prviz.samples import REORDERED
from prviz.triage.measure import samples_at
from prviz.triage.measured import ResultCache, TriageSettings

N = 30
VALUES = np.random.default_rng(5).normal(size=(N, 3))
NAMES = ("age", "rate", "size")
KINDS = ("csv", "tsv", "parquet", "feather")


def frame(**more: object) -> pd.DataFrame:
    return pd.DataFrame(VALUES, columns=list(NAMES)).assign(**more)


def write(path: Path, table: pd.DataFrame) -> Path:
    if path.suffix in (".csv", ".tsv"):
        table.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_feather(path)
    return path


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
    with pytest.raises(ReadError, match=r"column .*'job'"):
        read(path)
    for chosen in (NAMES, ("*a*e", "size"), ["size", "rate", "age"]):
        found = read(path, columns=chosen)
        assert found.features == NAMES
        np.testing.assert_array_equal(found.values, VALUES)
        assert set(found.labels) == {"video_id", "job"}
    found = read(path, drop=["job", "ext*"], group="video_id")
    assert found.features == NAMES
    assert set(found.labels) == {"video_id", "job", "extra"}
    assert found.groups is not None
    np.testing.assert_array_equal(found.groups, table["video_id"])
    np.testing.assert_array_equal(read(path, columns="video_id").values[:, 0], table["video_id"])
    assert read(path, columns="*", drop="job").features == (*NAMES, "extra")
    for wrong in ({"columns": "g*"}, {"drop": "jobs"}, {"drop": "job", "group": "patient"}):
        with pytest.raises(
            ReadError, match=r"has no column '(g\*|jobs|patient)'\. Its columns: 'age'"
        ):
            read(path, **wrong)


def test_columns_without_names_are_chosen_by_number() -> None:
    data = "\n".join(",".join(map(repr, row)) for row in VALUES.tolist()).encode()
    found = read(("t.csv", data), drop="1")
    np.testing.assert_array_equal(found.values, VALUES[:, 1:])
    np.testing.assert_array_equal(found.labels["1"].astype(float), VALUES[:, 0])
    assert found.features == ()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_numbered_columns_stand_in_the_order_of_their_numbers(kind: str, tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(5, 12))
    table = pd.DataFrame(values, columns=list(map(str, range(12))))
    found = read(write(tmp_path / f"t.{kind}", table[sorted(table)]))
    np.testing.assert_array_equal(found.values, values)
    assert found.features == ()


def test_a_list_column_is_a_choice_too(tmp_path: Path) -> None:
    table = frame(embedding=list(VALUES[:, :2]), other=list(VALUES))
    path = write(tmp_path / "t.parquet", table)
    assert read(path, columns="embedding").d == 2
    assert read(path, drop="embedding").d == 3
    assert read(path, columns=NAMES).features == NAMES
    with pytest.raises(ReadError, match="has no column 'embeding'"):
        read(path, columns="embeding")


def test_groups_of_arrays_and_files_without_columns(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", feats=VALUES, video=np.arange(N) // 3)
    groups = read(tmp_path / "a.npz", group="video").groups
    assert groups is not None
    np.testing.assert_array_equal(groups, np.arange(N) // 3)
    with pytest.raises(ReadError, match=r"no column of groups 'patient'\. Its labels: "):
        read(tmp_path / "a.npz", group="patient")
    with pytest.raises(ReadError, match="without names of columns"):
        read(tmp_path / "a.npz", drop="video")
    with pytest.raises(ReadError, match="names or patterns of columns are needed"):
        read(tmp_path / "a.npz", columns=[3])  # type: ignore[list-item]


def test_options_of_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real = write(tmp_path / "real.csv", frame(extra=VALUES[:, 0] * 2))
    made = write(
        tmp_path / "made.parquet", frame(video=np.arange(N) // 3)[["size", "video", "age", "rate"]]
    )
    line = [str(real), str(made)]
    knn = ["--method", "knn", "--k", "3"]
    assert main(["curve", *line, *knn]) == 2
    assert (
        "if 'video' says which rows belong together, give group='video' (--group video)"
        in capsys.readouterr().err
    )
    assert main(["curve", *line, *knn, "--features", "*"]) == 2
    assert "only real has 'extra'; only generated has 'video'" in capsys.readouterr().err
    for choice in (["--drop", "extra, video"], ["--features", "age,rate", "--features", "size"]):
        assert main(["curve", *line, *knn, *choice]) == 0
        said = capsys.readouterr()
        assert "1.0000" in said.out
        assert said.err.count(f"prviz: warning: {REORDERED}\n") == 1
    assert main(["parity", *line, "--drop", "extra", "--group", "video"]) == 0
    assert capsys.readouterr().err.count(REORDERED) == 1
    assert main(["curve", *line, *knn, "--drop", "extras,extra,video"]) == 2
    assert (
        "--drop extras: no file has such a column; they have age, rate, size, extra"
        in capsys.readouterr().err
    )
    assert main(["curve", *line, *knn, "--drop", "extra,video", "--group", "clip"]) == 2
    assert "--group clip: no file has such a column" in capsys.readouterr().err


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
    rng = np.random.default_rng(0)
    seeds = rng.permutation(1000)[:N]
    rows = [(row[0], row[1], seeds[at], at // 3, "w") for at, row in enumerate(VALUES)]
    np.save(tmp_path / "made.npy", np.array(rows, dtype=kinds))
    with pytest.raises(
        ReadError, match=r"'made.npy': columns 'seed', 'clip' look like no features"
    ) as said:
        read(tmp_path / "made.npy")
    assert "--drop seed" in str(said.value)
    dropped = read(tmp_path / "made.npy", drop=["seed", "clip"], group="clip")
    assert (tuple(dropped.features), dropped.d) == (("age", "size"), 2)
    np.testing.assert_array_equal(dropped.values, VALUES[:, :2].astype(np.float32))
    np.testing.assert_array_equal(dropped.labels["seed"], seeds)
    assert dropped.groups is not None
    assert dropped.groups.tolist() == [at // 3 for at in range(N)]
    chosen = read(tmp_path / "made.npy", columns=["size", "age"])
    assert chosen.features == ("age", "size")
    with pytest.raises(ReadError, match=r"has no column 'sed'. Its columns: 'age', 'size', 'seed'"):
        read(tmp_path / "made.npy", drop="sed")
    with pytest.raises(ReadError, match="field 'word': holds '<U4', not numbers"):
        read(tmp_path / "made.npy", columns=["age", "word"])
    with pytest.raises(ReadError, match="has no feature columns"):
        read(tmp_path / "made.npy", drop=["age", "size", "seed", "clip"])
    line = [str(tmp_path / "made.npy")] * 2
    assert main(["curve", *line, "--method", "knn", "--k", "3", "--drop", "seed,clip"]) == 0


def test_groups_of_embeddings_are_in_the_table_beside_them(tmp_path: Path) -> None:
    values = np.random.default_rng(3).normal(size=(40, 3)).astype("f4")
    path = tmp_path / "real.safetensors"
    safetensors.numpy.save_file({"features": values}, path)
    with pytest.raises(ReadError, match=r"has no column of groups 'video'. Its labels: none\."):
        read(path, group="video")
    beside = pa.table({"features": values.tolist(), "video": np.repeat(np.arange(8), 5)})
    pq.write_table(beside, tmp_path / "real.samples.parquet")
    assert read(path, group="video").n_independent == 8
    # the table is of other samples
    safetensors.numpy.save_file({"features": values[::-1].copy()}, path)
    with pytest.raises(ReadError, match=r"has no column of groups 'video'"):
        read(path, group="video")
