"""Tables as people and programs write them beside the plain way: read as they were meant, or
remarked.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

import prviz
from prviz.cli.main import main
from prviz.readers import ReadError, SuspectColumnsError, read, read_pair

N = 80
D = 8
VALUES = np.random.default_rng(5).normal(size=(N, D))
NAMES = [f"f{place}" for place in range(D)]
FRAME = pd.DataFrame(VALUES, columns=NAMES)
HEADER, BODY = FRAME.to_csv(index=False).split("\n", 1)
LINES = BODY.splitlines()
HALVES = "\n".join(LINES[:40]), "\n".join(LINES[40:])
SPACED = "\n".join(" ".join(map(repr, row)) for row in VALUES.tolist()).encode()


def cells(before: str, between: str, behind: str) -> bytes:
    """A column of vectors, each in one cell."""
    rows = [before + between.join(map(repr, row)) + behind for row in VALUES.tolist()]
    return pd.DataFrame({"id": range(N), "emb": rows}).to_csv(index=False).encode()


@pytest.mark.parametrize(
    ("name", "data"),
    {
        "title.csv": f"Features of run 7\n{HEADER}\n{BODY}".encode(),
        "title and blank.csv": f"Features of run 7\n\n{HEADER}\n{BODY}".encode(),
        "title of a sheet.csv": f"Features{',' * (D - 1)}\n{HEADER}\n{BODY}".encode(),
        "title, semicolons.csv": f"Run 7\n{HEADER}\n{BODY}".replace(",", ";").encode(),
        "three header lines.csv": f"Run 7\n{','.join(['pool'] * D)}\n{HEADER}\n{BODY}".encode(),
        "units.csv": f"{HEADER}\n{','.join(['[mm]'] * D)}\n{BODY}".encode(),
        "names and values above.csv": f"model,sd 15\ndate,2024-01-01\nencoder,dino\n\n{HEADER}\n{BODY}".encode(),
        "words above.csv": f"Model: sd 15\nDate: 2024\n\n{HEADER}\n{BODY}".encode(),
        "units and types.csv": f"{HEADER}\n{','.join(['mm'] * D)}\n{','.join(['mean'] * D)}\n{BODY}".encode(),
        "units above names.csv": f"id,{HEADER}\n,{','.join(['mm'] * D)}\n".encode()
        + "\n".join(f"s{place},{line}" for place, line in enumerate(LINES)).encode(),
        "a ruler.csv": f"{HEADER}\n{','.join(['mag'] * D)}\n{','.join(['-----'] * D)}\n{BODY}".encode(),
        "wide letters.csv": f"{HEADER}\n{BODY}".replace("f", "特徴").encode("utf-16-le"),
        "mark behind the names.csv": f"{HEADER},\n{BODY}".encode(),
        "tensors of one.csv": FRAME.map(lambda value: f"tensor({value!r})")
        .to_csv(index=False)
        .encode(),
        "scalars of numpy.csv": FRAME.map(lambda value: f"np.float64({float(value)!r})")
        .to_csv(index=False)
        .encode(),
        "lists of one.csv": FRAME.map(lambda value: f"[{float(value)!r}]")
        .to_csv(index=False)
        .encode(),
        "utf-16.jsonl": "\n".join(json.dumps({"emb": row}) for row in VALUES.tolist()).encode(
            "utf-16"
        ),
        "merged.csv": f"a{',' * (D // 2)}b{',' * (D // 2 - 1)}\n{HEADER}\n{BODY}".encode(),
        "merged, with units.csv": (
            f"a{',' * (D // 2)}b{',' * (D // 2 - 1)}\n{HEADER}\n{','.join(['mm'] * D)}\n{BODY}".encode()
        ),
        "merged beside names.csv": (
            f",a{',' * (D // 2)}b{',' * (D // 2 - 1)}\nid,{HEADER}\n"
            + "\n".join(f"s{place},{line}" for place, line in enumerate(LINES))
        ).encode(),
        "source below.csv": f"{HEADER}\n{BODY}\nSource: our own measurements\n".encode(),
        "count below.csv": f"{HEADER}\n{BODY}({N} rows)\n".encode(),
        "empty columns.csv": f"{HEADER}\n{BODY}".replace("\n", ",,\n").encode(),
        "spaces and decimal commas.csv": "\n".join(
            "  ".join(np.format_float_positional(x).replace(".", ",") for x in row)
            for row in VALUES
        ).encode(),
        "comments.csv": f"{HEADER}\n{HALVES[0]}\n# half\n{HALVES[1]}\n# 80 rows\n".encode(),
        "percent comment.csv": f"% made by hand, twice\n{HEADER}\n{BODY}".encode(),
        "header again.csv": f"{HEADER}\n{HALVES[0]}\n{HEADER}\n{HALVES[1]}\n".encode(),
        "numbers from 1.csv": f"{','.join(map(str, range(1, D + 1)))}\n{BODY}".encode(),
        "float numbers.csv": f"{','.join(f'{i}.0' for i in range(D))}\n{BODY}".encode(),
        "bars.csv": FRAME.to_csv(index=False, sep="|").encode(),
        "aligned.csv": "\n".join(
            "   ".join(f"{x:24.17g}" for x in row) + "  " for row in VALUES
        ).encode(),
        "quoted commas.csv": FRAME.to_csv(index=False, decimal=",").encode(),
        "minus.csv": f"{HEADER}\n{BODY}".replace("-0", "\u22120").encode(),
        "utf-32.csv": f"{HEADER}\n{BODY}".encode("utf-32"),
        "returns.csv": f"{HEADER}\n{BODY}".replace("\n", "\r").encode(),
        "mixed ends.csv": f"{HEADER}\r{HALVES[0]}\r\n{HALVES[1]}\r".encode(),
        "empty rows.csv": f"{HEADER}\n{BODY}{',' * (D - 1)}\n{',' * (D - 1)}\n".encode(),
        "comma behind.csv": f"{HEADER}\n{BODY}".replace("\n", ",\n")
        .replace(HEADER + ",", HEADER)
        .encode(),
        "dos.csv": f"{HEADER}\n{BODY}\x1a".encode(),
        "tuples.csv": cells("(", ", ", ")"),
        "semicolons in cells.csv": cells("", ";", ""),
        "spaces in cells.csv": cells("", " ", ""),
        "bars in cells.csv": cells("", "|", ""),
        "commas in cells.csv": cells("", ",", ""),
        "postgres.csv": cells("{", ",", "}"),
        "r.csv": cells("c(", ", ", ")"),
        **{
            f"{head.strip()} above spaces.{ending}": head.encode() + SPACED
            for ending, heads in (
                ("tsv", ["", "# a b\n"]),
                ("csv", ["% a b\n", "% by hand, once\n"]),
            )
            for head in heads
        },
        "nested.jsonl": "\n".join(
            json.dumps({"id": 1, "out": {"pool": row}}) for row in VALUES.tolist()
        ).encode(),
    }.items(),
)
def test_tables_are_read_as_they_were_meant(name: str, data: bytes) -> None:
    found = read((name, data))
    np.testing.assert_array_equal(found.values, VALUES)
    assert not found.notes


@pytest.mark.parametrize(
    "line", ["a,1,1,1,1,1,1,1", '""', ",,,,,,,1", "1,2,3", "1;2;3;4;5;6;7;8", "\0", "total,,,,,,,"]
)
def test_what_could_be_a_sample_is_never_skipped(line: str) -> None:
    with pytest.raises(ReadError, match=r"line 42"):
        read(("t.csv", f"{HEADER}\n{HALVES[0]}\n{line}\n{HALVES[1]}\n".encode()))


def test_a_number_in_brackets_is_none() -> None:
    """Accountants write negative numbers so."""
    held = FRAME.astype(object)
    held.iloc[5, 0] = "(1.5)"
    with pytest.raises(ReadError, match=r"line 7, column 1 'f0': '\(1.5\)' is not a number"):
        read(("t.csv", held.to_csv(index=False).encode()))


def test_one_column_without_a_known_mark_is_not_to_be_left_out() -> None:
    with pytest.raises(ReadError, match=r"Separate values by commas"):
        read(("t.csv", f"{HEADER}\n{BODY}".replace(",", ":").encode()))


def test_an_empty_vector_is_refused() -> None:
    rows = [str(row) for row in VALUES.tolist()]
    rows[3] = ""
    with pytest.raises(ReadError, match=r"line 5, column 1 'emb': empty. Fill"):
        read(("t.csv", pd.DataFrame({"emb": rows}).to_csv(index=False).encode()))


@pytest.mark.parametrize(
    "word", ["NA", "null", "None", "-", "?", "N/A", "#N/A", "missing", "#DIV/0!", "."]
)
def test_a_missing_number_is_called_missing(word: str) -> None:
    held = FRAME.astype(object)
    held.iloc[7, 2] = word
    with pytest.raises(
        ReadError, match=r"line 9, column 3 'f2': .* is not a number but a missing one. Fill it in"
    ):
        read(("t.csv", held.to_csv(index=False).encode()))


def test_numbers_of_texts_are_offered_for_categories_alone() -> None:
    for texts, offered in ((["a", "b"] * 40, True), ([f"2024-01-{i}" for i in range(N)], False)):
        with pytest.raises(ReadError, match=r"Leave the column out with drop='when'") as caught:
            read(("t.csv", FRAME.assign(when=texts).to_csv(index=False).encode()))
        assert ("get_dummies" in str(caught.value)) == offered


def test_sums_of_ordinary_rows_are_no_totals() -> None:
    for made in (
        np.eye(40),
        np.ones((40, 3)),
        np.arange(120.0).reshape(40, 3),
        np.zeros((40, 2)),
        VALUES[:, :1],
    ):
        frame = pd.DataFrame(made, columns=[f"f{place}" for place in range(made.shape[1])])
        read(("t.csv", frame.to_csv(index=False).encode()), columns="*")


@pytest.mark.parametrize("name", ["sensor", "machine", "aesthetic"])
def test_a_name_beside_numbered_features_is_remarked(name: str) -> None:
    beside = FRAME.assign(**{name: np.random.default_rng(0).integers(0, 8, N)})
    assert (
        f"read as a feature, though its name may say something else: {name!r}"
        in read(("t.csv", beside.to_csv(index=False).encode())).notes[0]
    )
    words = FRAME.set_axis(
        ["age", "hours", "rate", "rooms", "area", "floor", "rent", "fee"], axis=1
    ).assign(**{name: beside[name]})
    assert not read(("t.csv", words.to_csv(index=False).encode())).notes


def test_a_second_family_of_names_is_not_remarked() -> None:
    names = [*(f"f{place}" for place in range(8)), "job_a", "job_b"]
    two = pd.DataFrame(np.c_[VALUES, VALUES[:, :2] > 0], columns=names)
    assert not read(("t.csv", two.to_csv(index=False).encode())).notes


def test_a_plot_s_coordinate_is_asked_about_however_it_is_written() -> None:
    with pytest.raises(SuspectColumnsError, match=r"tsne-2d-one"):
        read(
            (
                "t.csv",
                FRAME.assign(**{"tsne-2d-one": 9 * VALUES[:, 0]}).to_csv(index=False).encode(),
            )
        )


def test_numbers_beside_lists_are_said(tmp_path: Path) -> None:
    held = pd.DataFrame(
        {"id": range(N), "seed": range(N), "emb": VALUES.tolist(), "size": VALUES[:, 0]}
    )
    held.to_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").notes == ("not read beside the lists of numbers: 'size'",)
    assert read(("t.csv", held.to_csv(index=False).encode())).notes == (
        "not read beside the lists of numbers: 'size'",
    )
    held.drop(columns="size").to_parquet(tmp_path / "t.parquet")
    assert not read(tmp_path / "t.parquet").notes


def test_lists_of_tokens_are_not_taken_for_features(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"input_ids": [[1, 2, 3]] * N, "emb": VALUES.tolist()}), tmp_path / "t.parquet"
    )
    np.testing.assert_array_equal(read(tmp_path / "t.parquet").values, VALUES)


@pytest.mark.parametrize(
    "spell", [str.upper, lambda name: f" {name} ", lambda name: f"F_{name[1:]}"]
)
def test_names_that_differ_in_capitals_spaces_and_signs_are_the_same(spell) -> None:  # type: ignore[no-untyped-def]
    other = FRAME[NAMES[::-1]].rename(columns=spell)
    with warnings.catch_warnings():  # once per pair, so that only the first of these tests sees it
        warnings.simplefilter("ignore")
        pair = prviz.SamplePair(FRAME, other)
    np.testing.assert_array_equal(pair.generated.values, VALUES)
    assert pair.renamed
    with pytest.raises(ValueError, match=r"only real has 'f0'"):
        prviz.SamplePair(FRAME, FRAME.rename(columns={"f0": "f_1_0"}))


def test_features_of_one_set_alone_are_left_out_by_the_remedy(tmp_path: Path) -> None:
    paths = [tmp_path / "real.csv", tmp_path / "made.csv"]
    FRAME.to_csv(paths[0], index=False)
    FRAME.assign(margin=1.5, gap=2.5).to_csv(paths[1], index=False)
    with pytest.raises(ValueError, match=r"different features") as caught:
        prviz.SamplePair(*map(read, paths))
    remedy = "drop=['margin', 'gap'] (--drop margin,gap)"
    assert f"Leave out of it what is no feature, {remedy}." in str(caught.value)
    assert main(["curve", *map(str, paths), "--method", "knn", "--drop", "margin,gap"]) == 0


def test_names_that_only_signs_tell_apart_stay_apart() -> None:
    with pytest.raises(ValueError, match=r"different features"):
        prviz.SamplePair(
            pd.DataFrame(VALUES[:, :2], columns=["a_1", "a1"]),
            pd.DataFrame(VALUES[:, :2], columns=["A_1", "A1"]),
        )


@pytest.mark.parametrize(
    ("column", "values"),
    [("fake", [False, True]), ("synthetic", [0, 1]), ("role", ["original", "synthetic"])],
)
def test_both_roles_are_found_by_a_short_name(column: str, values: list[object]) -> None:
    held = FRAME.assign(**{column: [values[place % 2] for place in range(N)]})
    pair = read_pair(("t.csv", held.to_csv(index=False).encode()))
    np.testing.assert_array_equal(pair.real.values, VALUES[::2])
    with pytest.raises(SuspectColumnsError, match=r"'real'"):
        read_pair(
            (
                "t.csv",
                held.rename(columns={column: "real"})
                .assign(real=[True, False] * 40)
                .to_csv(index=False)
                .encode(),
            )
        )


# ---- folders ----


def shards(folder: Path, parts: list[pd.DataFrame], name: str = "part_{}.csv") -> Path:
    folder.mkdir(exist_ok=True)
    for place, part in enumerate(parts):
        part.to_csv(folder / name.format(place), index=False)
    return folder


def test_parts_with_their_columns_in_another_order_are_put_right(tmp_path: Path) -> None:
    folder = shards(tmp_path / "s", [FRAME[:40], FRAME[NAMES[::-1]][40:]])
    np.testing.assert_array_equal(read(folder).values, VALUES)
    shards(folder, [FRAME[:40], FRAME[40:].rename(columns={"f0": "g"})])
    with pytest.raises(
        ReadError, match=r"'part_1.csv' has other features than 'part_0.csv': 'g' there alone"
    ):
        read(folder)


def test_missing_and_doubled_parts_are_said(tmp_path: Path) -> None:
    halves = [FRAME[:40], FRAME[40:]]
    assert read(shards(tmp_path / "of", halves, "x-0000{}-of-00003.csv")).notes == (
        "2 of 3 files are there, the others are missing",
    )
    gap = shards(tmp_path / "gap", [FRAME[place::4] for place in range(4)])
    (gap / "part_2.csv").rename(gap / "part_4.csv")
    assert read(gap).notes == ("no file has the number 2; are samples missing?",)
    copied = shards(tmp_path / "copy", halves)
    (copied / "part_1 (1).csv").write_bytes((copied / "part_1.csv").read_bytes())
    with pytest.raises(ReadError, match=r"'part_1 \(1\).csv' is named like a copy"):
        read(copied)


def test_a_table_in_folders_by_a_column_is_one_set(tmp_path: Path) -> None:
    table = pa.table(
        {
            "emb": VALUES.tolist(),
            "year": [2020 + i % 2 for i in range(N)],
            "part": [i % 3 for i in range(N)],
        }
    )
    pq.write_to_dataset(table, tmp_path / "deep", partition_cols=["year", "part"])
    found = read(tmp_path / "deep")
    assert sorted(found.values[:, 0]) == sorted(VALUES[:, 0])
    assert found.notes
    pq.write_to_dataset(table, tmp_path / "models", partition_cols=["year"])
    (tmp_path / "models" / "year=2020").rename(tmp_path / "models" / "model=a")
    with pytest.raises(ReadError, match=r"Name one of these folders"):
        read(tmp_path / "models")


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((3, 5), "no file has the number 4; are samples missing?"),
        ((0, 3), ""),  # two of two are too many to miss
        ((0, 4), ""),
        (range(1, 9), ""),
        ((*range(10), *range(11, 20)), "no file has the number 10; are samples missing?"),
        ((*range(10), *range(12, 22)), "no file has the number 10, 11; are samples missing?"),
        ((*range(10), *range(12, 21)), ""),
        ((0, 100), ""),
    ],
)
def test_few_numbers_that_no_part_has_are_said(
    tmp_path: Path, numbers: Sequence[int], said: str
) -> None:
    for number in numbers:
        np.save(tmp_path / f"part_{number}.npy", VALUES[:2])
    assert read(tmp_path).notes == ((said,) if said else ())


@pytest.mark.parametrize("sets", ["deep", "beside"])
def test_folders_by_a_column_that_tells_sets_apart_are_not_one_set(
    tmp_path: Path, sets: str
) -> None:
    rows = tmp_path / "year=2020" / ("model=a" if sets == "deep" else "part=1")
    rows.mkdir(parents=True)
    np.save(rows / "0.npy", VALUES)
    if sets == "beside":
        assert read(tmp_path).n == N
        (tmp_path / "model=a").mkdir()
        np.save(tmp_path / "model=a" / "0.npy", VALUES)
    with pytest.raises(ReadError):
        read(tmp_path)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((".zgroup", "obsm/x"), "AnnData"),
        ((".zgroup", "x"), "zarr"),
        (("zarr.json",), "zarr"),
        ((".zarray", "x"), "zarr"),
        (("_versions/1", "data/x"), "lance"),
    ],
)
def test_folders_of_other_programs_are_named(
    tmp_path: Path, names: tuple[str, ...], words: str
) -> None:
    for name in names:
        path = tmp_path / "set" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}")
    with pytest.raises(ReadError, match=words):
        read(tmp_path / "set")


@pytest.mark.parametrize(
    ("encoder", "d", "one_set"),
    [("one", D, True), ("two", D, False), ("one", D - 1, False), ("", D, False)],
)
def test_parts_of_a_set_come_from_one_encoder(
    tmp_path: Path, encoder: str, d: int, one_set: bool
) -> None:
    for place, (name, width) in enumerate((("one", D), (encoder, d))):
        values = np.ascontiguousarray(VALUES[:, :width])
        save_file({"x": values}, tmp_path / f"{place}.safetensors", {"encoder": name})
    if one_set:
        assert (read(tmp_path).n, read(tmp_path).encoder) == (2 * N, {"encoder": "one"})
        return
    said = encoder or "an encoder without a name"
    with pytest.raises(ReadError, match=f"has {d} features by {said}.* must come from the same"):
        read(tmp_path)


def test_a_folder_in_place_of_one_file_names_its_folders(tmp_path: Path) -> None:
    for role in ("real", "generated"):
        (tmp_path / role).mkdir()
    with pytest.raises(ReadError, match=r"Name the folder of each"):
        read_pair(tmp_path)


def test_names_may_differ_in_the_capitals_of_their_extension(tmp_path: Path) -> None:
    for place, ending in enumerate(["npy", "NPY", "npy"]):
        with (tmp_path / f"part{place}.{ending}").open("wb") as file:
            np.save(file, VALUES[place::3])
    assert read(tmp_path).n == N


def test_a_folder_around_the_files_is_named(tmp_path: Path) -> None:
    shards(tmp_path / "data", [FRAME[:40], FRAME[40:]])
    with pytest.raises(
        ReadError, match=r"its files are in a folder inside it. Give that: "
    ) as caught:
        read(tmp_path)
    assert read(str(caught.value).split("Give that: '")[1].rstrip("'.")).n == N


def test_extensions_of_arrow_s_own(tmp_path: Path) -> None:
    table = pa.table({"emb": VALUES.tolist()})
    for name, opened in (("t.arrows", pa.ipc.new_stream), ("t.ftr", pa.ipc.new_file)):
        with pa.OSFile(str(tmp_path / name), "wb") as file, opened(file, table.schema) as writer:
            writer.write_table(table)
        np.testing.assert_array_equal(read(tmp_path / name).values, VALUES)


def test_an_array_without_extension_says_what_it_is(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        np.save(file, VALUES)
    with pytest.raises(ReadError, match=r"holds a numpy array. Rename it to end in .npy"):
        read(tmp_path / "x")


LARGE = np.random.default_rng(6).uniform(1, 999, (N, D)).round(3)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_three_decimals_are_thousands_only_where_that_is_proven(delimiter: str) -> None:
    """Fixed decimals are refused where nothing tells them from thousands: between semicolons, none
    of them below 1.
    """

    def table(cell: str, values: np.ndarray) -> tuple[str, bytes]:
        rows = [delimiter.join(cell.format(value) for value in row) for row in values]
        return "t.csv", "\n".join([delimiter.join(NAMES), *rows]).encode()

    # some below 1
    np.testing.assert_array_equal(read(table("{:.3f}", LARGE - 2)).values, np.round(LARGE - 2, 3))
    np.testing.assert_array_equal(read(table("{}", LARGE)).values, LARGE)  # some of fewer decimals
    np.testing.assert_array_equal(read(table("{:.0f}", LARGE)).values, np.rint(LARGE))
    unclear = table("{:.3f}", LARGE)
    if delimiter == ";":
        with pytest.raises(ReadError, match=r"'t.csv': '\.' may set thousands apart") as caught:
            read(unclear)
        assert "# if it stands before decimals, leave out thousands and decimal" in str(
            caught.value
        )
    else:
        np.testing.assert_array_equal(read(unclear).values, LARGE)
    rows = [
        delimiter.join(f"{value:,.0f}".replace(",", ".") for value in row) for row in LARGE * 10
    ]
    with pytest.raises(ReadError, match=r"'t.csv': '\.' sets thousands apart"):
        read(("t.csv", "\n".join([delimiter.join(NAMES), *rows]).encode()))


def test_a_column_of_no_name_between_named_ones_is_a_feature() -> None:
    names = ["f0", "", *NAMES[2:]]
    found = read(("t.csv", FRAME.to_csv(index=False, header=names).encode()))
    np.testing.assert_array_equal(found.values, VALUES)
    assert found.features[:2] == ("f0", "column 2")


def test_a_sentence_below_the_rows_ends_them() -> None:
    with pytest.raises(ReadError, match=rf"line {N + 2}: 1 fields, but {D} before it"):
        read(("t.csv", f"{HEADER}\n{BODY}Source: our own measurements\n{LINES[0]}\n".encode()))
    for cut in (",".join(LINES[0].split(",")[:3]), "s9"):  # a row that was cut off
        with pytest.raises(ReadError, match=f"line {N + 2}: .* fields, but {D} before it"):
            read(("t.csv", f"{HEADER}\n{BODY}{cut}".encode()))


def test_a_column_missing_in_every_row_is_left_out() -> None:
    data = FRAME.assign(none="NA").to_csv(index=False).encode()
    with pytest.raises(
        ReadError, match=r"column 9 'none': empty in every row. Leave it out, .*--drop none"
    ):
        read(("t.csv", data))
    np.testing.assert_array_equal(read(("t.csv", data), drop="none").values, VALUES)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["timestamp", "map", "lists of texts"])
def test_columns_of_any_type_are_left_out_in_the_shell(kind: str, tmp_path: Path) -> None:
    from prviz.cli.main import main

    column = {
        "timestamp": pa.array(pd.date_range("2024", periods=N)),
        "map": pa.array([[("a", 1.0)]] * N, pa.map_(pa.string(), pa.float64())),
        "lists of texts": pa.array([["a"]] * N),
    }[kind]
    path = tmp_path / "t.parquet"
    pq.write_table(
        pa.table({**{name: VALUES[:, at] for at, name in enumerate(NAMES)}, "made": column}), path
    )
    words = ["curve", str(path), str(path), "--method", "knn", "--k", "5", "--split", "none"]
    assert main([*words, "--drop", "made"]) == 0
    assert main([*words, "--drop", "mad"]) == 2


def test_a_table_whose_columns_are_samples_is_refused_with_lines_that_turn_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "genes.csv"
    names = [f"cell_{place}" for place in range(N)]
    turned = pd.DataFrame(VALUES.T, columns=names)
    for names_of_rows in (["BRCA1", "TP53", "EGFR", "MYC", "KRAS", "PTEN", "RB1", "VHL"], NAMES):
        turned.assign(gene=names_of_rows)[["gene", *names]].to_csv(path, index=False)
        with pytest.raises(
            ReadError, match=r"'genes.csv': transposed, each column is a sample \('cell_0'"
        ) as caught:
            read(path)
        exec("\n".join(str(caught.value).splitlines()[1:]), {})
        found = read(tmp_path / "genes_turned.csv")
        np.testing.assert_array_equal(found.values, VALUES)
        assert found.features == tuple(names_of_rows)
    wide = pd.DataFrame(
        VALUES.T, columns=[f"G{place}" for place in range(N)], index=[f"TCGA-{i}" for i in range(D)]
    )
    assert read(("t.csv", wide.to_csv().encode())).n == D  # samples by their names: nothing tells


@pytest.mark.parametrize("name", ["lat", "gpu", "elapsed_ms", "week", "file_bytes"])
def test_what_a_table_of_words_may_hold_is_asked_about_beside_numbered_features(name: str) -> None:
    with pytest.raises(SuspectColumnsError, match=f"column '{name}' looks like no feature"):
        read(("t.csv", FRAME.assign(**{name: VALUES[:, 0] + 40}).to_csv(index=False).encode()))
    words = FRAME.set_axis(
        ["age", "hours", "rate", "rooms", "area", "floor", "rent", "fee"], axis=1
    )
    assert not read(
        ("t.csv", words.assign(**{name: VALUES[:, 0] + 40}).to_csv(index=False).encode())
    ).notes


@pytest.mark.parametrize(
    ("names", "values"),
    [
        (("sample", "feature", "value"), VALUES),
        (("row", "col", "val"), np.where(VALUES > 0, VALUES, 0)),
    ],
)
def test_a_table_of_one_value_a_row_is_refused_with_lines_that_widen_it(
    names: tuple[str, ...], values: np.ndarray, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    rows, columns = np.nonzero(values)
    features = columns if names[1] == "col" else np.array(NAMES)[columns]
    pd.DataFrame(dict(zip(names, (rows, features, values[rows, columns]), strict=True))).to_csv(
        path, index=False
    )
    with pytest.raises(
        ReadError, match=f"one value a row, of the sample in '{names[0]}' and the feature in"
    ) as caught:
        read(path)
    exec("\n".join(str(caught.value).splitlines()[1:]), {})
    np.testing.assert_array_equal(read(tmp_path / "t_wide.csv").values, values)


def test_pixels_with_several_colours_each_are_rows() -> None:
    rng = np.random.default_rng(6)
    rows, columns = np.divmod(np.arange(400), 20)
    frame = pd.DataFrame({"row": rows, "col": columns, "r": rng.integers(0, 150, 400)})
    frame = frame.assign(g=rng.integers(0, 150, 400), nir=rng.normal(size=400))
    with pytest.raises(SuspectColumnsError) as caught:
        read(("t.csv", frame.to_csv(index=False).encode()))
    assert caught.value.columns == ("row", "col")
    with pytest.raises(ReadError, match="one value a row"):
        read(("t.csv", frame.drop(columns="r").to_csv(index=False).encode()))


def test_features_called_value_and_metric_are_a_table() -> None:
    named = FRAME.iloc[:, :3].set_axis(["value", "metric", "extra"], axis=1)
    assert read(("t.csv", named.to_csv(index=False).encode())).d == 3


def test_a_column_of_two_sets_leads_to_the_rows_of_each(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    FRAME.assign(kind=np.repeat(["train", "synthetic"], N // 2)).to_csv(path, index=False)
    with pytest.raises(
        ReadError,
        match=r"'train' is not a number. Leave .*drop='kind' \(--drop kind\), or, where it says",
    ):
        read(path)
    with pytest.raises(
        ReadError, match=r"holds both real \('kind=train'\) and generated \('kind=synthetic'\)"
    ):
        read(path, drop="kind")
    np.testing.assert_array_equal(
        read(path, drop="kind", key="kind=train").values, VALUES[: N // 2]
    )


def test_what_stands_in_place_of_a_file_is_named(tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    for name, data, said in (
        (
            "x.npy",
            pointer,
            r"a pointer of Git LFS in place of the file. Fetch the file: git lfs pull",
        ),
        (
            "x.csv",
            b"<!DOCTYPE html>\n<html><body>404</body></html>",
            "a page of the web in place of the file",
        ),
        (
            "x.npy",
            FRAME.to_csv(index=False).encode(),
            "begins like a table of text: rename it to end in .csv",
        ),
        (
            "x.csv",
            b"PK\x03\x04" + bytes(26) + b"docProps/app.xml",
            "a spreadsheet of Excel. Rename it to end in .xlsx",
        ),
    ):
        with pytest.raises(ReadError, match=said):
            read((name, data))


@pytest.mark.parametrize("sep", [",", ";"])
def test_categories_become_numbers_in_both_tables_whatever_they_are_called(
    sep: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(8)
    colours = {"a.csv": ["red", "green"], "b of model.csv": ["red", "blue"]}
    for name, known in colours.items():
        FRAME.assign(colour=rng.choice(known, N)).to_csv(tmp_path / name, index=False, sep=sep)
    (tmp_path / "notes.csv").write_text("x\n1\n")
    with pytest.raises(
        ReadError, match="make numbers of its categories, for both tables at once"
    ) as caught:
        read(tmp_path / "a.csv")
    exec("\n".join(str(caught.value).splitlines()[1:]), {})
    found = [read(tmp_path / name.replace(".csv", "_numbers.csv")) for name in colours]
    for samples, name in zip(found, colours, strict=True):
        assert samples.features == (*NAMES, "colour_blue", "colour_green", "colour_red")
        table = pd.read_csv(tmp_path / name, sep=sep)
        np.testing.assert_allclose(samples.values[:, :D], VALUES)
        np.testing.assert_array_equal(samples.values[:, -1], table["colour"] == "red")
    assert len(list(tmp_path.iterdir())) == 5
