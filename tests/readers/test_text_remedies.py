"""Tables of text in forms that are refused: each remedy, followed to the letter, gives the samples
that were meant.
"""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from prviz.readers import ReadError, read
from prviz.readers.columns import columns_offered
from tests import file_builders as build
from tests.readers.answers import csv, followed, refusal, run_lines, write

VALUES = np.random.default_rng(11).normal(size=(30, 4))
NAMES = ["f0", "f1", "f2", "f3"]
FRAME = pd.DataFrame(VALUES, columns=NAMES)
LONG = FRAME.reset_index().melt("index")
SPARSE = np.where(np.random.default_rng(2).random((30, 40)) < 0.15, 1.0 + np.arange(40), 0.0)
BITS = (VALUES > 0).astype(int)


def table(frame: pd.DataFrame, **options: object) -> str:
    return frame.to_csv(index=False, **options)  # type: ignore[call-overload,no-any-return]


def cells(form: Callable[[float], str]) -> str:
    """The table with every value in another form."""
    return table(FRAME.map(form))


def lines(row: Callable[[int, list[float]], str]) -> str:
    """A line for each row, of its place and values."""
    return "\n".join(row(place, values) for place, values in enumerate(VALUES.tolist()))


def below(*rows: pd.Series) -> pd.DataFrame:
    """The table with more rows at its end."""
    return pd.concat([FRAME, *(row.to_frame().T for row in rows)])


def above(*rows: pd.Series) -> pd.DataFrame:
    return pd.concat([*(row.to_frame().T for row in rows), FRAME])


def triplets(values: NDArray[np.float64], names: str = "", base: int = 0) -> str:
    rows = [
        f"{i + base},{j + base},{float(values[i, j])!r}" for i, j in np.argwhere(values).tolist()
    ]
    return "\n".join([*([names] if names else []), *rows])


def in_any_order(text: str) -> str:
    return "\n".join(np.random.default_rng(3).permutation(text.splitlines()).tolist())


def long(*names: str, **more: object) -> str:
    frame = LONG.set_axis(names, axis=1)
    for name, value in more.items():
        frame.insert(1, name, value)
    return table(frame)


def raised(value: float) -> str:
    """A number with its power in small digits."""
    digits = "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
    number, _, power = f"{value:.17e}".partition("e")
    return f"{number}\u00d710{str(int(power)).translate(str.maketrans('-0123456789', digits))}"


def sixtieths(value: float) -> str:
    seconds = round(value * 3600)
    return f"{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"


PLACED = np.arange(30)[:, None] % 9 == np.arange(4)
GAPS = table(FRAME.mask(PLACED))
WHOLE = VALUES[~PLACED.any(axis=1)]
HEADER, BODY = table(FRAME).split("\n", 1)
GAPS_ALONE = GAPS.partition("\n")[2]
BIT_ROWS = ["".join(map(str, row)) for row in BITS.tolist()]
SIXTIETHS = np.abs(np.round(VALUES * 3600) / 3600)
BYTES = FRAME.mul(50).round()
WORDS = lines(lambda place, row: "\t".join([f"w{place}", *map(repr, row)])).replace("w7\t", '"\t')
SPACED = WORDS.replace("\t", " ")
COUNTED = pd.DataFrame(
    {"a": [1, 1, 2, 2, 3, 3], "b": [0, 1, 0, 1, 0, 1], "count": [2, 1, 3, 1, 1, 2]}
)
# Texts that mean VALUES.
PLAIN: dict[str, str] = {
    "id, time, value": long("id", "time", "value").replace("f", ""),
    "unit, t, y": long("unit", "t", "y").replace("f", ""),
    "of any names": long("subject", "param", "val").replace("f", "p"),
    "and a time": long("patient", "marker", "conc", time=0),
    "places": triplets(VALUES),
    "named places": triplets(VALUES, "i,j,v", base=1),
    "places in any order": in_any_order(triplets(VALUES)),
    "units": cells("{!r} kg".format),
    "a unit in one column": table(FRAME.assign(f0=FRAME["f0"].map("{!r}mm".format))),
    "units without names": cells("{!r} kg".format).partition("\n")[2],
    "a space behind a minus": cells(lambda value: f"{value!r}".replace("-", "- ")),
    "errors": cells("{!r} \u00b1 0.1".format),
    "errors in brackets": cells("{!r} (0.1)".format),
    "units before": cells("USD {!r}".format),
    "names before": cells("v={!r}".format),
    "stars": cells(lambda value: f"{value!r}{'*' * (value > 1)}"),
    "powers": cells(lambda value: f"{value:.17e}".replace("e", " x 10^")),
    "raised powers": cells(raised),
    "powers in places": lines(
        lambda _, row: "".join(f"{value:26.16E}" for value in row).replace("E", "D")
    ),
    "hexadecimal": cells(float.hex),
    "hexadecimal column": table(FRAME.assign(f1=FRAME["f1"].map(float.hex))),
    "rounded means above": table(above(FRAME.mean().round(4))),
    "means above": table(above(FRAME.mean(), FRAME.std())),
    "means below": table(below(FRAME.mean(), FRAME.std())),
    "described above": table(pd.concat([FRAME.describe(), FRAME])),
    "least and greatest above": table(above(FRAME.min(), FRAME.max())),
    "greatest and least below": table(below(FRAME.max(), FRAME.min())),
    "lone quote": WORDS,
    "lone quote, spaces": SPACED,
    "lone marks": "\n".join(
        [mark + line[2:] for mark, line in zip(["''", *",;|"], SPACED.splitlines(), strict=False)]
        + SPACED.splitlines()[4:]
    ),
    "complex": lines(lambda _, row: f"({row[0]!r}{row[2]:+}j),({row[1]!r}{row[3]:+}j)"),
    "arff": "@RELATION x\n"
    + "".join(f"@ATTRIBUTE {name} NUMERIC\n" for name in NAMES)
    + f"@DATA\n{BODY}",
    "market": "%%MatrixMarket matrix array real general\n30 4\n"
    + "\n".join(map(repr, VALUES.T.ravel().tolist())),
    "libsvm": lines(
        lambda _, row: "0 " + " ".join(f"{at}:{value!r}" for at, value in enumerate(row, start=1))
    ),
    "page": FRAME.to_html(index=False, float_format=repr),
    "psql": " f0 | f1 | f2 | f3\n----+----+----+----\n"
    + lines(lambda _, row: " " + " | ".join(map(repr, row)))
    + "\n(30 rows)\n",
    "log": lines(
        lambda place, row: (
            f"2024-01-01 00:00:{place:02d} INFO "
            + " ".join(f"f{at}={value!r}" for at, value in enumerate(row))
        )
    ),
    "times of a log": table(FRAME.assign(clock=[f"00:01:{place:02d}" for place in range(30)])),
    "a date beside decimal commas": table(
        FRAME.assign(day="01.02.2020")[["day", *NAMES]], sep=";", decimal=","
    ),
}
# Texts, and the values that are meant.
CASES: dict[str, tuple[str, NDArray[np.float64]]] = {
    **{name: (text, VALUES) for name, text in PLAIN.items()},
    "sparse places": (triplets(SPARSE, "row,col,data"), SPARSE),
    "sparse places from 1": (triplets(SPARSE, base=1), SPARSE),
    "sparse places in any order": (in_any_order(triplets(SPARSE)), SPARSE),
    "bits": ("\n".join(["fp", *BIT_ROWS]), BITS),
    "bits of Python": ("\n".join(["fp", *map("0b".__add__, BIT_ROWS)]), BITS),
    "bits beside numbers": (table(FRAME.assign(mask=BIT_ROWS)), np.hstack([VALUES, BITS])),
    "limits": (
        table(FRAME.astype(object).mask(PLACED, "<0.05")),
        np.where(PLACED, 0.05, VALUES),
    ),
    "sixtieths": (table(pd.DataFrame(SIXTIETHS, columns=NAMES).map(sixtieths)), SIXTIETHS),
    "words for missing": (
        table(FRAME.astype(object).mask(np.arange(30)[:, None] == 4 * [3], "refused")),
        np.delete(VALUES, 3, axis=0),
    ),
    "word2vec": (
        "30 4\n" + lines(lambda place, row: " ".join([f"w{place}", *map(repr, row)])),
        VALUES.astype("f4"),
    ),
    "one name less": ("My,table\n" + table(FRAME[NAMES[:3]], header=False), VALUES[:, :3]),
    "powers under one name": (
        "value\n" + lines(lambda _, row: f"{row[0]:.3e}".replace(".", ",")),
        np.array([[float(f"{value:.3e}")] for value in VALUES[:, 0]]),
    ),
    "decimal commas under one name": (
        "value\n" + lines(lambda _, row: f"{row[0]:.3f}".replace(".", ",")),
        np.round(VALUES[:, :1], 3),
    ),
    "bytes beside scale and minimum": (
        table(BYTES.assign(scale=np.linspace(0.1, 0.2, 30), offset=-1.5)),
        np.round(VALUES * 50) * np.linspace(0.1, 0.2, 30)[:, None] - 1.5,
    ),
    "nan": (table(FRAME.mask(PLACED), na_rep="nan"), WHOLE),
    "bytes beside their scale": (
        table(BYTES.assign(scale=0.25, zero_point=3, id=[f"n{place}" for place in range(30)])),
        (np.round(VALUES * 50) - 3) * 0.25,
    ),
    "empty cells below comments": (f"# made by hand\n#\n{GAPS}", WHOLE),
    "empty cells below a title": (f"Features of run 7\n\n{GAPS}", WHOLE),
    "empty cells below units": (f"{HEADER}\nmm,mm,mm,mm\n{GAPS_ALONE}", WHOLE),
    "empty cells below Excel's mark": ("sep=;\n" + GAPS.replace(",", ";"), WHOLE),
    "categories below a title": (
        "Features of run 7\n" + table(FRAME.assign(colour=["red", "blue"] * 15)),
        np.c_[VALUES, np.tile([[0, 1], [1, 0]], (15, 1))],
    ),
    "counted rows": (table(COUNTED), np.repeat(COUNTED[["a", "b"]], COUNTED["count"], axis=0)),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CASES)
def test_a_remedy_gives_the_samples_that_were_meant(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, values = CASES[name]
    monkeypatch.chdir(tmp_path)
    path = Path("t.csv")
    path.write_text(text, encoding="utf-8")
    drop: list[str] = []
    for _ in range(4):
        try:
            found = read(path, drop=drop).values
        except ReadError as error:
            if made := run_lines(error):
                (path,) = made
            else:
                drop += columns_offered(str(error))
        else:
            break
    if name == "counted rows":
        found = found[np.lexsort(found.T[::-1])]
    assert_allclose(found, values, rtol=1e-12 if values.dtype != "f4" else 0)


def test_triplets_stay_refused_without_their_index() -> None:
    data = triplets(VALUES, "i,j,v").encode()
    for drop in (["i"], ["j"], ["i", "j"]):
        refusal(("t.csv", data), "one value a row", drop=drop)
    assert read(("t.csv", data), columns="v").values.shape == (120, 1)


@pytest.mark.parametrize("size", [{}, {"size": np.array(SPARSE.shape)}])
@pytest.mark.parametrize("axis", [0, 1])
def test_places_as_pytorch_keeps_them(axis: int, size: dict[str, np.ndarray]) -> None:
    places = np.argwhere(SPARSE)
    values = SPARSE[tuple(places.T)]
    held = build.npz(indices=places.T if axis else places, values=values, **size)
    found = followed(("t.npz", held), "a sparse matrix, of 'values' at the places 'indices'")
    assert_array_equal(found.values, SPARSE)


def test_categories_in_another_encoding() -> None:
    text = table(FRAME.assign(kind=["na\u00efve", "plain"] * 15))
    found = followed(("t.csv", text.encode("latin-1")), "make numbers of its categories")
    assert found.values[:, 4:].tolist() == [[1, 0], [0, 1]] * 15


def test_the_sign_of_the_euro_of_windows() -> None:
    text = table(FRAME.map(lambda value: f"{value!r} \u20ac".replace(".", ",")), sep=";")
    found = followed(("t.csv", text.encode("cp1252")), "Write numbers alone")
    assert_array_equal(found.values, VALUES)


@pytest.mark.parametrize("form", ["${:,}", "{:,} €", "{:,} %"])
def test_signs_and_thousands_of_whole_numbers_go_at_once(form: str) -> None:
    values = np.random.default_rng(3).integers(1000, 900_000, (30, 3))
    frame = pd.DataFrame(values, columns=NAMES[:3]).map(form.format)
    found = followed(csv(frame.assign(f1=values[:, 1], f3=1.5)), "Write numbers alone")
    assert_array_equal(found.values[:, :3], values)


def test_a_single_point_behind_a_sign_may_be_a_decimal_one() -> None:
    frame = pd.DataFrame({"a": ["$1.250", "$2.500"] * 9, "b": 1.5})
    assert_array_equal(followed(csv(frame), "Write numbers alone").values[:2, 0], [1.25, 2.5])


@pytest.mark.parametrize("marks", [",.", ".,", "'."])
def test_units_behind_thousands_and_decimal_commas(marks: str) -> None:
    values = np.random.default_rng(4).uniform(10, 9e5, (30, 3)).round(2)
    of_land = str.maketrans(",.", marks)
    frame = pd.DataFrame(values).map(lambda value: f"{value:,.2f} kg".translate(of_land))
    said = ("These are numbers with units", "Set no thousands apart")
    assert_allclose(followed(csv(frame.add_prefix("f"), sep=";"), *said).values, values)


def test_a_table_of_objects_beside_texts() -> None:
    held = build.npz(vectors=VALUES.astype(object), names=np.array(["a"] * 30, object))
    found = followed(("t.npz", held), "key 'vectors': an array of Python objects")
    assert_array_equal(found.values, VALUES)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("extension", [".parquet", ".feather", ".jsonl"])
@pytest.mark.parametrize("form", ["names", "numbers", "categories", "index"])
def test_one_value_a_row_of_a_binary_table(extension: str, form: str, tmp_path: Path) -> None:
    frame = LONG.set_axis(["unit", "feature", "value"], axis=1)
    if form == "numbers":
        frame = frame.assign(feature=frame["feature"].str[1:].astype(int))
    elif form == "categories":
        frame = frame.astype({"feature": "category"})
    elif form == "index" and extension == ".parquet":
        frame = frame.set_index(["unit", "feature"])
    path = write(tmp_path / f"t{extension}", frame)
    assert read(path, columns="value").values.shape == (120, 1)
    found = followed(path, "one value a row, of the sample in 'unit' and the feature in 'feature'")
    assert_allclose(found.values, VALUES, rtol=1e-12)


@pytest.mark.parametrize("kind", [pa.binary(), pa.binary(16), pa.large_binary()])
def test_bytes_of_numbers_in_a_binary_table_become_lists(kind: pa.DataType) -> None:
    rows = pa.array([row.tobytes() for row in VALUES.astype("f4")], kind)
    held = build.parquet({"pk": range(30), "v": rows})
    found = followed(("t.parquet", held), "holds bytes, not numbers")
    assert_array_equal(found.values, VALUES.astype("f4"))


def test_texts_beside_numbers_of_a_binary_table_are_refused_by_name() -> None:
    held = FRAME.assign(city=["a", "b"] * 15).to_parquet()
    refusal(("t.parquet", held), r"column 'city': holds .*string', not numbers")


@pytest.mark.parametrize("rows", [["7,12", "9,40", "11,3"], ["1,5", "2,3", "3,8"]])
def test_counted_names_of_rows_need_no_name(rows: list[str]) -> None:
    counted = rows[0] == "1,5"
    data = "\n".join(["value", *rows, *(f"{place},1" for place in range(4, 9))]).encode()
    if counted:
        assert read(("t.csv", data)).values[:3, 0].tolist() == [5, 3, 8]
    else:
        refusal(("t.csv", data), "2 fields under one name")


def test_a_row_that_is_there_twice_is_no_summary() -> None:
    values = np.sort(VALUES, axis=0)  # each column rises, so that the first row is the least of all
    assert len(read(csv(pd.DataFrame(np.vstack([values[:1], values])))).values) == 31
    few = np.vstack([np.zeros((1, 4)), BITS, np.ones((1, 4))])
    assert len(read(csv(pd.DataFrame(few, columns=NAMES))).values) == 32


def test_tables_of_three_columns_are_no_triplets() -> None:
    rng = np.random.default_rng(0)
    for seed in range(20):
        n = int(rng.integers(24, 400))
        columns = {"a": rng.integers(0, 30, n), "b": rng.integers(0, 40, n)}
        frame = pd.DataFrame(columns).assign(c=rng.normal(size=n)).drop_duplicates(["a", "b"])
        if seed % 2:
            frame = frame.sort_values(["a", "b"])
        assert read(csv(frame.sample(frac=1, random_state=1))).d == 3


def test_texts_of_many_kinds_are_no_categories() -> None:
    frame = FRAME.assign(
        city=[f"c{place % 3}" for place in range(30)], note=[f"n{place} x" for place in range(30)]
    )
    refusal(csv(frame), r"columns=\['city'\]")
    refusal(
        csv(frame[[*NAMES, "note", "city"]]),
        r"drop='note' \(--drop note\)\.$",
    )
    refusal(csv(frame[["note", "city"]]), "No column holds numbers")
    assert read(csv(frame.rename(columns={"note": "SMILES"})[["SMILES", *NAMES]])).d == 4


def test_several_units_in_one_column_are_not_left_out() -> None:
    frame = FRAME.assign(
        f0=[f"{value} {unit}" for value, unit in zip(VALUES[:, 0], ["kg", "g"] * 15, strict=True)]
    )
    refusal(csv(frame), r"in one unit, without it; units here are 'g', 'kg'\.$")


def test_a_packed_table_is_renamed() -> None:
    refusal(("t.csv", gzip.compress(table(FRAME).encode())), r"Rename it to end in \.csv\.gz\.$")
    assert read(("t.csv.gz", gzip.compress(table(FRAME).encode()))).d == 4


def test_counts_beside_any_rows_are_features() -> None:
    frame = FRAME.assign(count=np.random.default_rng(0).integers(1, 9, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read(csv(frame)).d == 5


def test_serials_of_digits_around_letters_are_left_out() -> None:
    rows = "".join(f"{2000 + place}KX{7 * place:04d},{place % 7}\n" for place in range(40))
    refusal(
        ("t.csv", f"kit,size\n{rows}".encode()),
        r"'2000KX0000' is not a number\. Leave the column out",
    )


@pytest.mark.parametrize(
    ("text", "number"), [("matched (3)", None), ("(3)", -3), ("EUR (3)", -3), ("$ (3.5)", -3.5)]
)
def test_words_before_a_number_in_brackets_make_no_negative_number(
    text: str, number: float | None
) -> None:
    frame = FRAME.assign(kit=[text] * len(FRAME))
    caught = refusal(csv(frame), "is not a number")
    assert ("Leave the column out" in str(caught)) == (number is None)
