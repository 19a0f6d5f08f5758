"""Tables as people and programs write them beside the plain way: read as they were meant, or
remarked.
"""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.numpy import save_file

import prviz
from prviz.readers import delimited, read, read_pair
from tests import file_builders as build
from tests.readers.answers import csv, followed, json_lines, refusal, run_lines, shell, write

N = 80
D = 8
VALUES = np.random.default_rng(5).normal(size=(N, D))
NAMES = [f"f{place}" for place in range(D)]
FRAME = pd.DataFrame(VALUES, columns=NAMES)
TABLE = FRAME.to_csv(index=False)
HEADER, BODY = TABLE.split("\n", 1)
LINES = BODY.splitlines()
HALVES = "\n".join(LINES[:40]), "\n".join(LINES[40:])
SPACED = BODY.replace(",", " ")
NAMED = "\n".join(f"s{place},{line}" for place, line in enumerate(LINES))
MERGED = f"a{',' * (D // 2)}b{',' * (D // 2 - 1)}"


def each(text: str) -> str:
    """The same text in every column."""
    return ",".join([text] * D)


def cells(form: str) -> str:
    """The table with every number written in another form."""
    return FRAME.map(lambda value: form.format(float(value))).to_csv(index=False)


def vectors(before: str, between: str, behind: str) -> str:
    """A column of vectors, each in one cell."""
    rows = [before + between.join(map(repr, row)) + behind for row in VALUES.tolist()]
    return pd.DataFrame({"id": range(N), "emb": rows}).to_csv(index=False)


def r_table(sep: str) -> str:
    """As R's write.table writes it: rows have names, their column has none."""
    rows = FRAME.rename(index=str).to_csv(sep=sep, header=False, quoting=2)
    return sep.join(f'"{name}"' for name in NAMES) + "\n" + rows


GERMAN = FRAME.to_csv(sep=";", decimal=",", index=False)
# Texts, in UTF-8 unless they are bytes already.
WRITTEN: dict[str, str | bytes] = {
    # lines above, below and between
    "title.csv": f"Features of run 7\n{TABLE}",
    "title and blank.csv": f"Features of run 7\n\n{TABLE}",
    "title of a sheet.csv": f"Features{',' * (D - 1)}\n{TABLE}",
    "title, semicolons.csv": f"Run 7\n{TABLE}".replace(",", ";"),
    "three header lines.csv": f"Run 7\n{each('pool')}\n{TABLE}",
    "units.csv": f"{HEADER}\n{each('[mm]')}\n{BODY}",
    "units without brackets.csv": f"{HEADER}\n{each('mm')}\n{BODY}",
    "names and values above.csv": f"model,sd 15\ndate,2024-01-01\nencoder,dino\n\n{TABLE}",
    "words above.csv": f"Model: sd 15\nDate: 2024\n\n{TABLE}",
    "units and types.csv": f"{HEADER}\n{each('mm')}\n{each('mean')}\n{BODY}",
    "units above names.csv": f"id,{HEADER}\n,{each('mm')}\n{NAMED}",
    "a ruler.csv": f"{HEADER}\n{each('mag')}\n{each('-----')}\n{BODY}",
    "merged.csv": f"{MERGED}\n{TABLE}",
    "merged, with units.csv": f"{MERGED}\n{HEADER}\n{each('mm')}\n{BODY}",
    "merged beside names.csv": f",{MERGED}\nid,{HEADER}\n{NAMED}",
    "source below.csv": f"{TABLE}\nSource: our own measurements\n",
    "count below.csv": f"{TABLE}({N} rows)\n",
    "comments.csv": f"{HEADER}\n{HALVES[0]}\n# half\n{HALVES[1]}\n# 80 rows\n",
    "percent comment.csv": f"% made by hand, twice\n{TABLE}",
    "header again.csv": f"{HEADER}\n{HALVES[0]}\n{HEADER}\n{HALVES[1]}\n",
    "numbers from 1.csv": f"{','.join(map(str, range(1, D + 1)))}\n{BODY}",
    "float numbers.csv": f"{','.join(f'{i}.0' for i in range(D))}\n{BODY}",
    "empty rows.csv": f"{TABLE}{',' * (D - 1)}\n{',' * (D - 1)}\n",
    "dos.csv": f"{TABLE}\x1a",
    # marks between fields and behind lines
    "german.csv": GERMAN,
    "german.tsv": GERMAN.replace(";", "\t"),
    "tabs.csv": GERMAN.replace(";", "\t"),
    "sep.csv": "sep=;\n" + TABLE.replace(",", ";"),
    "sep-comma.csv": f"sep=,\r\n{TABLE}",
    "sep-marked.csv": f"\ufeffsep=;\n{GERMAN}",
    "spaces.csv": TABLE.replace(",", " "),
    "r.csv": r_table(" "),
    "r-comma.csv": r_table(","),
    "r.tsv": r_table("\t"),
    "r-german.csv": r_table(";").replace(".", ","),
    "bars.csv": TABLE.replace(",", "|"),
    "mark behind the names.csv": f"{HEADER},\n{BODY}",
    "empty columns.csv": TABLE.replace("\n", ",,\n"),
    "comma behind.csv": f"{HEADER}\n" + BODY.replace("\n", ",\n"),
    "aligned.csv": "\n".join("   ".join(f"{x:24.17g}" for x in row) + "  " for row in VALUES),
    "savetxt.csv": SPACED,
    "a comment above spaces.tsv": f"# a b\n{SPACED}",
    "spaces.tsv": SPACED,
    "percent above spaces.csv": f"% a b\n{SPACED}",
    "percent and words above spaces.csv": f"% by hand, once\n{SPACED}",
    "returns.csv": TABLE.replace("\n", "\r"),
    "mixed ends.csv": f"{HEADER}\r{HALVES[0]}\r\n{HALVES[1]}\r",
    # numbers
    "tensors of one.csv": cells("tensor({!r})"),
    "scalars of numpy.csv": cells("np.float64({!r})"),
    "lists of one.csv": cells("[{!r}]"),
    "quoted commas.csv": FRAME.to_csv(index=False, decimal=","),
    "minus.csv": TABLE.replace("-0", "\u22120"),
    "spaces and decimal commas.csv": "\n".join(
        "  ".join(np.format_float_positional(x).replace(".", ",") for x in row) for row in VALUES
    ),
    # encodings
    "wide letters.csv": TABLE.replace("f", "特徴").encode("utf-16-le"),
    "utf-16.jsonl": json_lines({"emb": row} for row in VALUES.tolist())[1]
    .decode()
    .encode("utf-16"),
    "utf-16.csv": TABLE.replace(",", "\t").encode("utf-16"),
    "utf-16-be.csv": TABLE.encode("utf-16-be"),
    "utf-16-le.csv": TABLE.encode("utf-16-le"),
    "utf-32.csv": TABLE.encode("utf-32"),
    "latin.csv": FRAME.assign(name="Zoë").to_csv(index=False).encode("latin-1"),
    # vectors
    "tuples.csv": vectors("(", ", ", ")"),
    "semicolons in cells.csv": vectors("", ";", ""),
    "spaces in cells.csv": vectors("", " ", ""),
    "bars in cells.csv": vectors("", "|", ""),
    "commas in cells.csv": vectors("", ",", ""),
    "postgres.csv": vectors("{", ",", "}"),
    "r vectors.csv": vectors("c(", ", ", ")"),
    "nested.jsonl": json_lines({"id": 1, "out": {"pool": row}} for row in VALUES.tolist())[1],
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("worth", [0, 1 << 30])
def test_tables_are_read_as_they_were_meant(
    name: str, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By both parsers of numbers."""
    monkeypatch.setattr(delimited, "_WORTH_ARROW", worth)
    text = WRITTEN[name]
    found = read((name, text.encode() if isinstance(text, str) else text))
    assert_array_equal(found.values, VALUES)
    assert not found.notes
    own = name.startswith(("merged", "wide", "three", "float"))
    assert own or found.features in ((), tuple(NAMES))
    if name == "latin.csv":
        assert set(found.labels["name"]) == {"Zoë"}


@pytest.mark.parametrize(
    "line", ["a,1,1,1,1,1,1,1", '""', ",,,,,,,1", "1,2,3", "1;2;3;4;5;6;7;8", "\0", "total,,,,,,,"]
)
def test_what_could_be_a_sample_is_never_skipped(line: str) -> None:
    refusal(("t.csv", f"{HEADER}\n{HALVES[0]}\n{line}\n{HALVES[1]}\n".encode()), r"line 42")


def test_a_number_in_brackets_is_none() -> None:
    """Accountants write negative numbers so."""
    refusal(csv(with_cell("(1.5)", 5, 0)), r"line 7, column 1 'f0': '\(1.5\)' is not a number")


def with_cell(text: str, row: int, column: int) -> pd.DataFrame:
    """The table with a text in one cell."""
    held = FRAME.astype(object)
    held.iloc[row, column] = text
    return held


def test_one_column_without_a_known_mark_is_not_to_be_left_out() -> None:
    refusal(("t.csv", TABLE.replace(",", ":").encode()), r"Separate values by commas")


def test_an_empty_vector_is_refused() -> None:
    rows = [str(row) for row in VALUES.tolist()]
    rows[3] = ""
    refusal(csv(pd.DataFrame({"emb": rows})), r"line 5, column 1 'emb': empty. Fill")


@pytest.mark.parametrize(
    "word", ["NA", "null", "None", "-", "?", "N/A", "#N/A", "missing", "#DIV/0!", "."]
)
def test_a_missing_number_is_called_missing(word: str) -> None:
    refusal(
        csv(with_cell(word, 7, 2)),
        r"line 9, column 3 'f2': .* is not a number but a missing one. Fill it in",
    )


def test_numbers_of_texts_are_offered_for_categories_alone() -> None:
    for texts, offered in ((["a", "b"] * 40, True), ([f"2024-01-{i}" for i in range(N)], False)):
        caught = refusal(csv(FRAME.assign(when=texts)), "Leave the column out with drop='when'")
        assert ("get_dummies" in str(caught)) == offered


def test_sums_of_ordinary_rows_are_no_totals() -> None:
    for made in (
        np.eye(40),
        np.ones((40, 3)),
        np.arange(120.0).reshape(40, 3),
        np.zeros((40, 2)),
        VALUES[:, :1],
    ):
        assert read(csv(pd.DataFrame(made).add_prefix("f")), columns="*").n == len(made)


def test_numbers_beside_lists_are_said(tmp_path: Path) -> None:
    held = pd.DataFrame({"id": range(N), "seed": range(N), "emb": VALUES.tolist()})
    more = held.assign(size=VALUES[:, 0])
    for file in (csv(more), write(tmp_path / "t.parquet", more)):
        assert read(file).notes == ("not read beside the lists of numbers: 'size'",)
    assert not read(write(tmp_path / "t.parquet", held)).notes


def test_lists_of_tokens_are_not_taken_for_features() -> None:
    columns = {"input_ids": [[1, 2, 3]] * N, "emb": VALUES.tolist()}
    assert_array_equal(read(("t.parquet", build.parquet(columns))).values, VALUES)


@pytest.mark.parametrize(
    "spell", [str.upper, lambda name: f" {name} ", lambda name: f"F_{name[1:]}"]
)
def test_names_that_differ_in_capitals_spaces_and_signs_are_the_same(spell) -> None:  # type: ignore[no-untyped-def]
    other = FRAME[NAMES[::-1]].rename(columns=spell)
    with warnings.catch_warnings():  # once per pair, so that only the first of these tests sees it
        warnings.simplefilter("ignore")
        pair = prviz.SamplePair(FRAME, other)
    assert_array_equal(pair.generated.values, VALUES)
    assert pair.renamed
    with pytest.raises(ValueError, match=r"only real has 'f0'"):
        prviz.SamplePair(FRAME, FRAME.rename(columns={"f0": "f_1_0"}))


def test_features_of_one_set_alone_are_left_out_by_the_remedy(tmp_path: Path) -> None:
    real = write(tmp_path / "real.csv", FRAME)
    made = write(tmp_path / "made.csv", FRAME.assign(margin=1.5, gap=2.5))
    with pytest.raises(ValueError, match=r"different features") as caught:
        prviz.SamplePair(read(real), read(made))
    remedy = "drop=['margin', 'gap'] (--drop margin,gap)"
    assert f"Leave out of it what is no feature, {remedy}." in str(caught.value)
    shell("curve", real, made, "--method", "knn", "--drop", "margin,gap")


def test_names_that_only_signs_tell_apart_stay_apart() -> None:
    two = FRAME[["f0", "f1"]]
    with pytest.raises(ValueError, match=r"different features"):
        prviz.SamplePair(two.set_axis(["a_1", "a1"], axis=1), two.set_axis(["A_1", "A1"], axis=1))


# ---- folders ----


def shards(folder: Path, parts: list[pd.DataFrame], name: str = "part_{}.csv") -> Path:
    folder.mkdir(exist_ok=True)
    for place, part in enumerate(parts):
        write(folder / name.format(place), part)
    return folder


def test_parts_with_their_columns_in_another_order_are_put_right(tmp_path: Path) -> None:
    folder = shards(tmp_path / "s", [FRAME[:40], FRAME[NAMES[::-1]][40:]])
    assert_array_equal(read(folder).values, VALUES)
    shards(folder, [FRAME[:40], FRAME[40:].rename(columns={"f0": "g"})])
    refusal(folder, r"'part_1.csv' has other features than 'part_0.csv': 'g' there alone")


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
    refusal(copied, r"'part_1 \(1\).csv' is named like a copy")


def test_a_table_in_folders_by_a_column_is_one_set(tmp_path: Path) -> None:
    columns = {"emb": VALUES.tolist(), "year": 2020 + np.arange(N) % 2, "part": np.arange(N) % 3}
    table = pa.table(columns)
    pq.write_to_dataset(table, tmp_path / "deep", partition_cols=["year", "part"])
    found = read(tmp_path / "deep")
    assert sorted(found.values[:, 0]) == sorted(VALUES[:, 0])
    assert found.notes
    pq.write_to_dataset(table, tmp_path / "models", partition_cols=["year"])
    (tmp_path / "models" / "year=2020").rename(tmp_path / "models" / "model=a")
    refusal(tmp_path / "models", r"Name one of these folders")


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
    refusal(tmp_path)


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
    refusal(tmp_path / "set", words)


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
    refusal(tmp_path, f"has {d} features by {said}.* must come from the same")


def test_a_folder_in_place_of_one_file_names_its_folders(tmp_path: Path) -> None:
    for role in ("real", "generated"):
        (tmp_path / role).mkdir()
    refusal(tmp_path, r"Name the folder of each", by=read_pair)


def test_names_may_differ_in_the_capitals_of_their_extension(tmp_path: Path) -> None:
    for place, ending in enumerate(["npy", "NPY", "npy"]):
        (tmp_path / f"part{place}.{ending}").write_bytes(build.npy(VALUES[place::3]))
    assert read(tmp_path).n == N


def test_a_folder_around_the_files_is_named(tmp_path: Path) -> None:
    shards(tmp_path / "data", [FRAME[:40], FRAME[40:]])
    caught = refusal(tmp_path, r"its files are in a folder inside it. Give that: ")
    assert read(str(caught).split("Give that: '")[1].rstrip("'.")).n == N


def test_extensions_of_arrow_s_own() -> None:
    columns = {"emb": VALUES.tolist()}
    for file in (
        ("t.arrows", build.arrow_stream(columns)),
        ("t.ftr", build.feather(columns, compression="uncompressed")),
    ):
        assert_array_equal(read(file).values, VALUES)


LARGE = np.random.default_rng(6).uniform(1, 999, (N, D)).round(3)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_three_decimals_are_thousands_only_where_that_is_proven(mark: str) -> None:
    """Fixed decimals are refused where nothing tells them from thousands: between semicolons, none
    of them below 1.
    """

    def table(form: Callable[[float], str], values: np.ndarray = LARGE) -> tuple[str, bytes]:
        return csv(pd.DataFrame(values, columns=NAMES).map(form), sep=mark)

    fixed = "{:.3f}".format
    assert_array_equal(read(table(fixed, LARGE - 2)).values, np.round(LARGE - 2, 3))  # some below 1
    assert_array_equal(read(table(str)).values, LARGE)  # some of fewer decimals
    assert_array_equal(read(table("{:.0f}".format)).values, np.rint(LARGE))
    if mark == ";":
        caught = refusal(table(fixed), r"'t.csv': '\.' may set thousands apart")
        assert "# if it stands before decimals, leave out thousands and decimal" in str(caught)
    else:
        assert_array_equal(read(table(fixed)).values, LARGE)
    apart = table(lambda value: f"{value * 10:,.0f}".replace(",", "."))
    refusal(apart, r"'t.csv': '\.' sets thousands apart")


def test_a_column_of_no_name_between_named_ones_is_a_feature() -> None:
    names = ["f0", "", *NAMES[2:]]
    found = read(csv(FRAME, header=names))
    assert_array_equal(found.values, VALUES)
    assert found.features[:2] == ("f0", "column 2")


def test_a_sentence_below_the_rows_ends_them() -> None:
    for below in (
        f"Source: our own measurements\n{LINES[0]}\n",
        ",".join(LINES[0].split(",")[:3]),  # a row that was cut off
        "s9",
    ):
        said = f"line {N + 2}: . fields, but {D} before it"
        refusal(("t.csv", f"{TABLE}{below}".encode()), said)


def test_a_column_missing_in_every_row_is_left_out() -> None:
    file = csv(FRAME.assign(none="NA"))
    refusal(file, r"column 9 'none': empty in every row. Leave it out, .*--drop none")
    assert_array_equal(read(file, drop="none").values, VALUES)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["timestamp", "map", "lists of texts"])
def test_columns_of_any_type_are_left_out_in_the_shell(kind: str, tmp_path: Path) -> None:
    made = {
        "timestamp": pa.array(pd.date_range("2024", periods=N)),
        "map": pa.array([[("a", 1.0)]] * N, pa.map_(pa.string(), pa.float64())),
        "lists of texts": pa.array([["a"]] * N),
    }[kind]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({**FRAME.to_dict("list"), "made": made}), path)
    words = ["curve", path, path, "--method", "knn", "--k", "5", "--split", "none", "--drop"]
    shell(*words, "made")
    shell(*words, "mad", code=2)


def test_a_table_whose_columns_are_samples_is_refused_with_lines_that_turn_it() -> None:
    turned = FRAME.T.add_prefix("cell_")
    for names in (["BRCA1", "TP53", "EGFR", "MYC", "KRAS", "PTEN", "RB1", "VHL"], NAMES):
        turned.index = pd.Index(names, name="gene")
        said = r"'t.csv': transposed, each column is a sample \('cell_0'"
        found = followed(csv(turned, index=True), said)
        assert_array_equal(found.values, VALUES)
        assert found.features == tuple(names)
    wide = FRAME.T.add_prefix("G").set_axis([f"TCGA-{i}" for i in range(D)])
    assert read(csv(wide, index=True)).n == D  # samples by their names: nothing tells


@pytest.mark.parametrize(
    ("names", "values"),
    [
        (("sample", "feature", "value"), VALUES),
        (("row", "col", "val"), np.where(VALUES > 0, VALUES, 0)),
    ],
)
def test_a_table_of_one_value_a_row_is_refused_with_lines_that_widen_it(
    names: tuple[str, ...], values: np.ndarray
) -> None:
    rows, columns = np.nonzero(values)
    features = columns if names[1] == "col" else np.array(NAMES)[columns]
    held = pd.DataFrame(dict(zip(names, (rows, features, values[rows, columns]), strict=True)))
    said = f"one value a row, of the sample in '{names[0]}' and the feature in"
    assert_array_equal(followed(csv(held), said).values, values)


def test_pixels_with_several_colours_each_are_rows() -> None:
    rng = np.random.default_rng(6)
    rows, columns = np.divmod(np.arange(400), 20)
    frame = pd.DataFrame({"row": rows, "col": columns, "r": rng.integers(0, 150, 400)})
    frame = frame.assign(g=rng.integers(0, 150, 400), nir=rng.normal(size=400))
    caught = refusal(csv(frame))
    assert caught.columns == ("row", "col")
    refusal(csv(frame.drop(columns="r")), "one value a row")


def test_features_called_value_and_metric_are_a_table() -> None:
    named = FRAME.iloc[:, :3].set_axis(["value", "metric", "extra"], axis=1)
    assert read(csv(named)).d == 3


def test_a_column_of_two_sets_leads_to_the_rows_of_each() -> None:
    file = csv(FRAME.assign(kind=np.repeat(["train", "synthetic"], N // 2)))
    refusal(
        file,
        r"'train' is not a number. Leave .*drop='kind' \(--drop kind\), or, where it says",
    )
    refusal(
        file,
        r"holds both real \('kind=train'\) and generated \('kind=synthetic'\)",
        drop="kind",
    )
    assert_array_equal(read(file, drop="kind", key="kind=train").values, VALUES[: N // 2])


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "x.npy",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            r"a pointer of Git LFS in place of the file. Fetch the file: git lfs pull",
        ),
        (
            "x.csv",
            b"<!DOCTYPE html>\n<html><body>404</body></html>",
            "a page of the web in place of the file",
        ),
        (
            "x.npy",
            csv(FRAME)[1],
            "begins like a table of text: rename it to end in .csv",
        ),
        (
            "x.csv",
            b"PK\x03\x04" + bytes(26) + b"docProps/app.xml",
            "a spreadsheet of Excel. Rename it to end in .xlsx",
        ),
        ("x", build.npy(VALUES), "holds a numpy array. Rename it to end in .npy"),
    ],
)
def test_what_stands_in_place_of_a_file_is_named(name: str, data: bytes, said: str) -> None:
    refusal((name, data), said)


@pytest.mark.parametrize(("sep", "decimal"), [(",", "."), (";", ",")])
def test_categories_become_numbers_in_both_tables_whatever_they_are_called(
    sep: str, decimal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    colours = {"a": ["red", "green"], "b of model": ["red", "blue"]}
    for name, known in colours.items():
        held = csv(FRAME.assign(colour=rng.choice(known, N)), sep=sep, decimal=decimal)
        Path(f"{name}.csv").write_bytes(held[1])
    Path("notes.csv").write_text("x\n1\n")
    said = r"'a.csv', line 2, column 9 'colour': '\w+' is not a number\. .* for both tables at once"
    made = run_lines(refusal(Path("a.csv"), said))
    assert made == {Path(f"{name}_numbers.csv") for name in colours}
    for name in colours:
        samples = read(f"{name}_numbers.csv")
        assert samples.features == (*NAMES, "colour_blue", "colour_green", "colour_red")
        table = pd.read_csv(f"{name}.csv", sep=sep)
        assert_allclose(samples.values[:, :D], VALUES)
        assert_array_equal(samples.values[:, -1], table["colour"] == "red")
    command = ["curve", "a.csv", "b of model.csv", "--method", "knn"]
    (left_out, *_) = re.findall(r"\((--drop .*?)\)", shell(*command, code=2))
    assert f"{N} x {D}" in shell(*command, *shlex.split(left_out))
