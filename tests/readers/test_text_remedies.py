"""Tables of text in forms that are refused: each remedy, followed to the letter, gives the samples
that were meant.
"""

from __future__ import annotations

import gzip
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from prviz.readers import ReadError, read

# The printed lines leave files to Python to close.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
VALUES = np.random.default_rng(11).normal(size=(30, 4))
NAMES = ["f0", "f1", "f2", "f3"]
FRAME = pd.DataFrame(VALUES, columns=NAMES)
LONG = FRAME.reset_index().melt("index")
SPARSE = np.where(np.random.default_rng(2).random((30, 40)) < 0.15, 1.0 + np.arange(40), 0.0)
BITS = (VALUES > 0).astype(int)


GAPS = FRAME.mask(np.arange(30)[:, None] % 9 == np.arange(4))
WHOLE = VALUES[~GAPS.isna().any(axis=1)]


def table(frame: pd.DataFrame, **options: object) -> str:
    return frame.to_csv(index=False, **options)  # type: ignore[call-overload,no-any-return]


def above(unit: str, text: str) -> str:
    """The table with a line of units below its names."""
    names, _, values = text.partition("\n")
    return f"{names}\n{','.join([unit] * 4)}\n{values}"


def written(form: str) -> str:
    """Every value in another form, by Python's format."""
    return table(FRAME.map(lambda value: form.format(value)))


def triplets(values: NDArray[np.float64], names: str = "", base: int = 0) -> str:
    rows = [
        f"{i + base},{j + base},{float(values[i, j])!r}" for i, j in np.argwhere(values).tolist()
    ]
    return "\n".join([*([names] if names else []), *rows])


def long(*names: str, **more: object) -> str:
    frame = LONG.set_axis(names, axis=1)
    for name, value in more.items():
        frame.insert(1, name, value)
    return table(frame)


def raised(power: str) -> str:
    return str(int(power)).translate(
        str.maketrans(
            "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
        )
    )


MEANS = pd.concat([FRAME.mean().to_frame().T, FRAME.std().to_frame().T])
SIXTIETHS = np.abs(np.round(VALUES * 3600) / 3600)
WORDS = [
    ('"' if place == 7 else f"w{place}") + "\t" + "\t".join(map(repr, row))
    for place, row in enumerate(VALUES.tolist())
]
# Name -> text, and the values that are meant.
CASES: dict[str, tuple[str, NDArray[np.float64]]] = {
    "id, time, value": (long("id", "time", "value").replace("f", ""), VALUES),
    "unit, t, y": (long("unit", "t", "y").replace("f", ""), VALUES),
    "of any names": (long("subject", "param", "val").replace("f", "p"), VALUES),
    "and a time": (long("patient", "marker", "conc", time=0), VALUES),
    "places": (triplets(VALUES), VALUES),
    "named places": (triplets(VALUES, "i,j,v", base=1), VALUES),
    "sparse places": (triplets(SPARSE, "row,col,data"), SPARSE),
    "sparse places from 1": (triplets(SPARSE, base=1), SPARSE),
    "bits": ("fp\n" + "\n".join("".join(map(str, row)) for row in BITS.tolist()), BITS),
    "bits beside numbers": (
        table(FRAME.assign(mask=["".join(map(str, row)) for row in BITS.tolist()])),
        np.hstack([VALUES, BITS]),
    ),
    "units": (written("{!r} kg"), VALUES),
    "a unit in one column": (
        table(FRAME.assign(f0=[f"{value!r}mm" for value in VALUES[:, 0].tolist()])),
        VALUES,
    ),
    "units without names": (written("{!r} kg").partition("\n")[2], VALUES),
    "a space behind a minus": (
        table(FRAME.map(lambda value: f"{value!r}".replace("-", "- "))),
        VALUES,
    ),
    "errors": (written("{!r} \u00b1 0.1"), VALUES),
    "errors in brackets": (written("{!r} (0.1)"), VALUES),
    "units before": (written("USD {!r}"), VALUES),
    "bits of Python": (
        "fp\n" + "\n".join("0b" + "".join(map(str, row)) for row in BITS.tolist()),
        BITS,
    ),
    "rounded means above": (table(pd.concat([FRAME.mean().round(4).to_frame().T, FRAME])), VALUES),
    "lone marks": (
        "\n".join(
            ["''", ",", ";", "|"][place] + line[2:] if place < 4 else line
            for place, line in enumerate("\n".join(WORDS).replace("\t", " ").splitlines())
        ),
        VALUES,
    ),
    "powers in places": (
        "\n".join("".join(f"{v:26.16E}" for v in row).replace("E", "D") for row in VALUES.tolist()),
        VALUES,
    ),
    "powers": (table(FRAME.map(lambda value: f"{value:.17e}".replace("e", " x 10^"))), VALUES),
    "names before": (written("v={!r}"), VALUES),
    "limits": (
        table(FRAME.astype(object).mask(np.arange(30)[:, None] % 9 == np.arange(4), "<0.05")),
        np.where(np.arange(30)[:, None] % 9 == np.arange(4), 0.05, VALUES),
    ),
    "hexadecimal": (table(FRAME.map(float.hex)), VALUES),
    "hexadecimal column": (
        table(FRAME.assign(f1=[float.hex(value) for value in VALUES[:, 1].tolist()])),
        VALUES,
    ),
    "sixtieths": (
        table(
            pd.DataFrame(SIXTIETHS, columns=NAMES).map(
                lambda each: (
                    f"{int(each)}:{int(each * 3600) % 3600 // 60:02d}:{round(each * 3600) % 60:02d}"
                )
            )
        ),
        SIXTIETHS,
    ),
    "words for missing": (
        table(FRAME.astype(object).mask(np.arange(30)[:, None] + 0 * np.arange(4) == 3, "refused")),
        np.delete(VALUES, 3, axis=0),
    ),
    "means above": (table(pd.concat([MEANS, FRAME])), VALUES),
    "means below": (table(pd.concat([FRAME, MEANS])), VALUES),
    "described above": (table(pd.concat([FRAME.describe(), FRAME])), VALUES),
    "complex": (
        "\n".join(
            ",".join(f"({a!r}{b:+}j)" for a, b in zip(row[:2], row[2:], strict=True))
            for row in VALUES.tolist()
        ),
        VALUES,
    ),
    "arff": (
        "@RELATION x\n"
        + "".join(f"@ATTRIBUTE {name} NUMERIC\n" for name in NAMES)
        + "@DATA\n"
        + table(FRAME, header=False),
        VALUES,
    ),
    "market": (
        "%%MatrixMarket matrix array real general\n30 4\n"
        + "\n".join(map(repr, VALUES.T.ravel().tolist())),
        VALUES,
    ),
    "libsvm": (
        "\n".join(
            "0 " + " ".join(f"{place + 1}:{value!r}" for place, value in enumerate(row))
            for row in VALUES.tolist()
        ),
        VALUES,
    ),
    "word2vec": (
        "30 4\n"
        + "\n".join(
            f"w{place} " + " ".join(map(repr, row)) for place, row in enumerate(VALUES.tolist())
        ),
        VALUES.astype("f4"),
    ),
    "page": (FRAME.to_html(index=False, float_format=repr), VALUES),
    "psql": (
        " f0 | f1 | f2 | f3\n----+----+----+----\n"
        + "\n".join(" " + " | ".join(map(repr, row)) for row in VALUES.tolist())
        + "\n(30 rows)\n",
        VALUES,
    ),
    "log": (
        "\n".join(
            f"2024-01-01 00:00:{place:02d} INFO "
            + " ".join(f"f{i}={value!r}" for i, value in enumerate(row))
            for place, row in enumerate(VALUES.tolist())
        ),
        VALUES,
    ),
    "places in any order": (
        "\n".join(np.random.default_rng(3).permutation(triplets(VALUES).splitlines()).tolist()),
        VALUES,
    ),
    "sparse places in any order": (
        "\n".join(np.random.default_rng(3).permutation(triplets(SPARSE).splitlines()).tolist()),
        SPARSE,
    ),
    "decimal commas under one name": (
        "value\n" + "\n".join(f"{value:.3f}".replace(".", ",") for value in VALUES[:, 0].tolist()),
        np.round(VALUES[:, :1], 3),
    ),
    "powers under one name": (
        "value\n" + "\n".join(f"{value:.3e}".replace(".", ",") for value in VALUES[:, 0].tolist()),
        np.array([[float(f"{value:.3e}")] for value in VALUES[:, 0].tolist()]),
    ),
    "one name less": ("My,table\n" + table(FRAME[NAMES[:3]], header=False), VALUES[:, :3]),
    "least and greatest above": (
        table(pd.concat([FRAME.min().to_frame().T, FRAME.max().to_frame().T, FRAME])),
        VALUES,
    ),
    "greatest and least below": (
        table(pd.concat([FRAME, FRAME.max().to_frame().T, FRAME.min().to_frame().T])),
        VALUES,
    ),
    "raised powers": (
        table(
            FRAME.map(
                lambda value: re.sub(
                    "e(.*)", lambda power: f"\u00d710{raised(power[1])}", f"{value:.17e}"
                )
            )
        ),
        VALUES,
    ),
    "times of a log": (
        table(FRAME.assign(clock=[f"00:01:{place:02d}" for place in range(30)])),
        VALUES,
    ),
    "bytes beside their scale": (
        table(
            FRAME.mul(50)
            .round()
            .assign(scale=0.25, zero_point=3, id=[f"n{place}" for place in range(30)])
        ),
        (np.round(VALUES * 50) - 3) * 0.25,
    ),
    "bytes beside scale and minimum": (
        table(FRAME.mul(50).round().assign(scale=np.linspace(0.1, 0.2, 30), offset=-1.5)),
        np.round(VALUES * 50) * np.linspace(0.1, 0.2, 30)[:, None] - 1.5,
    ),
    "stars": (table(FRAME.map(lambda value: f"{value!r}{'*' * (value > 1)}")), VALUES),
    "nan": (table(GAPS, na_rep="nan"), WHOLE),
    "empty cells below comments": ("# made by hand\n#\n" + table(GAPS), WHOLE),
    "empty cells below a title": ("Features of run 7\n\n" + table(GAPS), WHOLE),
    "empty cells below units": (above("mm", table(GAPS)), WHOLE),
    "empty cells below Excel's mark": ("sep=;\n" + table(GAPS).replace(",", ";"), WHOLE),
    "categories below a title": (
        "Features of run 7\n" + table(FRAME.assign(colour=["red", "blue"] * 15)),
        np.c_[VALUES, np.tile([[0, 1], [1, 0]], (15, 1))],
    ),
    "a date beside decimal commas": (
        table(FRAME.assign(day="01.02.2020")[["day", *NAMES]], sep=";", decimal=","),
        VALUES,
    ),
    "lone quote": ("\n".join(WORDS), VALUES),
    "lone quote, spaces": ("\n".join(WORDS).replace("\t", " "), VALUES),
    "counted rows": (
        table(
            pd.DataFrame(
                {"a": [1, 1, 2, 2, 3, 3], "b": [0, 1, 0, 1, 0, 1], "count": [2, 1, 3, 1, 1, 2]}
            )
        ),
        np.repeat([[1.0, 0], [1, 1], [2, 0], [2, 1], [3, 0], [3, 1]], [2, 1, 3, 1, 1, 2], axis=0),
    ),
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
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = read(path, drop=drop)
        except ReadError as error:
            sentence, *lines = str(error).splitlines()
            if not lines:
                drop = re.findall(r"drop='([^']*)'", sentence)
                assert drop, sentence
                continue
            held = set(Path().iterdir())
            exec("\n".join(lines), {})
            (path,) = set(Path().iterdir()) - held
        else:
            break
    held = (
        found.values[np.lexsort(found.values.T[::-1])] if name == "counted rows" else found.values
    )
    np.testing.assert_allclose(held, values, rtol=1e-12 if values.dtype != "f4" else 0)


def test_triplets_stay_refused_without_their_index() -> None:
    data = triplets(VALUES, "i,j,v").encode()
    for drop in (["i"], ["j"], ["i", "j"]):
        with pytest.raises(ReadError, match="one value a row"):
            read(("t.csv", data), drop=drop)
    assert read(("t.csv", data), columns="v").values.shape == (120, 1)


@pytest.mark.parametrize("size", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
def test_places_as_pytorch_keeps_them(
    axis: int, size: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    places = np.argwhere(SPARSE)
    more = {"size": np.array(SPARSE.shape)} if size else {}
    np.savez("t.npz", indices=places.T if axis else places, values=SPARSE[tuple(places.T)], **more)
    with pytest.raises(
        ReadError, match="a sparse matrix, of 'values' at the places 'indices'"
    ) as error:
        read("t.npz")
    exec(str(error.value).partition("\n")[2], {})
    np.testing.assert_array_equal(read("t_whole.npy").values, SPARSE)


@pytest.mark.parametrize("form", ["{}_err", "{}_flag", "e_{}", "{}_unc"])
def test_errors_beside_their_values_are_asked_about(form: str) -> None:
    frame = FRAME.assign(**{form.format("f1"): np.abs(VALUES[:, 2])})
    with pytest.raises(
        ReadError,
        match=rf"column '{form.format('f1')}' looks like no feature \(the error, or a mark",
    ):
        read(("t.csv", table(frame).encode()))
    assert read(("t.csv", table(frame.drop(columns="f1")).encode())).d == 4


def test_categories_in_another_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(
        table(FRAME.assign(kind=["na\u00efve", "plain"] * 15)), encoding="latin-1"
    )
    with pytest.raises(ReadError, match="make numbers of its categories") as error:
        read("t.csv")
    exec(str(error.value).partition("\n")[2], {})
    assert read("t_numbers.csv").values[:, 4:].tolist() == [[1, 0], [0, 1]] * 15


def test_the_sign_of_the_euro_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        ";".join(f"{value!r} \u20ac".replace(".", ",") for value in row) for row in VALUES.tolist()
    ]
    Path("t.csv").write_text("\n".join([";".join(NAMES), *rows]), encoding="cp1252")
    with pytest.raises(ReadError, match="Write numbers alone") as error:
        read("t.csv")
    exec(str(error.value).partition("\n")[2], {})
    np.testing.assert_array_equal(read("t_plain.csv").values, VALUES)


@pytest.mark.parametrize("form", ["${:,}", "{:,} €", "{:,} %"])
def test_signs_and_thousands_of_whole_numbers_go_at_once(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(3).integers(1000, 900_000, (30, 3))
    frame = pd.DataFrame(values, columns=NAMES[:3]).map(form.format)
    Path("t.csv").write_text(table(frame.assign(f1=values[:, 1], f3=1.5)))
    with pytest.raises(ReadError, match="Write numbers alone") as error:
        read("t.csv")
    exec(str(error.value).partition("\n")[2], {})
    np.testing.assert_array_equal(read("t_plain.csv").values[:, :3], values)
    # A single point may be a decimal one.
    Path("t.csv").write_text(table(pd.DataFrame({"a": ["$1.250", "$2.500"] * 9, "b": 1.5})))
    with pytest.raises(ReadError, match="Write numbers alone") as error:
        read("t.csv")
    exec(str(error.value).partition("\n")[2], {})
    np.testing.assert_array_equal(read("t_plain.csv").values[:2, 0], [1.25, 2.5])


@pytest.mark.parametrize("marks", [",.", ".,", "'."])
def test_units_behind_thousands_and_decimal_commas(
    marks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(4).uniform(10, 9e5, (30, 3)).round(2)
    of_land = str.maketrans(",.", marks)
    frame = pd.DataFrame(values, columns=NAMES[:3])
    Path("t.csv").write_text(
        table(frame.map(lambda value: f"{value:,.2f} kg".translate(of_land)), sep=";")
    )
    name = "t.csv"
    for what in ("These are numbers with units", "Set no thousands apart"):
        with pytest.raises(ReadError, match=what) as error:
            read(name)
        exec(str(error.value).partition("\n")[2], {})
        name = name.replace(".csv", "_plain.csv")
    np.testing.assert_allclose(read(name).values, values)


def test_a_table_of_objects_beside_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("t.npz", vectors=VALUES.astype(object), names=np.array(["a"] * 30, object))
    with pytest.raises(ReadError, match="key 'vectors': an array of Python objects") as error:
        read("t.npz")
    exec(str(error.value).partition("\n")[2], {})
    np.testing.assert_array_equal(read("t.arrays.npz").values, VALUES)


@pytest.mark.parametrize("name", ["t_s", "t", "elapsed_s", "time_ms", "seconds", "charge"])
def test_a_column_in_even_steps_is_asked_about(name: str) -> None:
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(64, 4)), columns=list("abcd"))
    frame[name] = np.round(5 + 0.1 * np.arange(64), 1)
    with pytest.raises(ReadError, match=f"column '{name}' looks like no feature"):
        read(("t.csv", table(frame).encode()))
    assert read(("t.csv", table(frame).encode()), drop=name).d == 4
    if name == "t":
        assert read(("t.csv", table(frame[:15]).encode())).d == 5
        frame.loc[40, name] += 0.001
        assert read(("t.csv", table(frame).encode())).d == 5
        assert read(("t.csv", table(frame.assign(t=1.5)).encode())).d == 5


def test_a_column_that_only_grows_or_falls_is_remarked() -> None:
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(64, 4)), columns=list("abcd"))
    for name, values in (("b", frame["b"].sort_values()), ("c", frame["c"].sort_values()[::-1])):
        found = read(("t.csv", table(frame.assign(**{name: values.to_numpy()})).encode()))
        [note] = found.notes
        assert note.startswith("read as a feature, though it grows or falls from row to row")
        assert note.endswith(f"to leave out: drop={name!r} (--drop {name})")
    assert not read(("t.csv", table(frame).encode())).notes


@pytest.mark.one_in(4)
@pytest.mark.parametrize("extension", [".parquet", ".feather", ".jsonl"])
@pytest.mark.parametrize("form", ["names", "numbers", "categories", "index"])
def test_one_value_a_row_of_a_binary_table(
    extension: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = LONG.set_axis(["unit", "feature", "value"], axis=1)
    if form == "numbers":
        frame = frame.assign(feature=frame["feature"].str[1:].astype(int))
    elif form == "categories":
        frame = frame.astype({"feature": "category"})
    elif form == "index" and extension == ".parquet":
        frame = frame.set_index(["unit", "feature"])
    if extension == ".jsonl":
        frame.to_json("t.jsonl", orient="records", lines=True, double_precision=15)
    else:
        getattr(frame, f"to_{extension[1:]}")(f"t{extension}")
    with pytest.raises(
        ReadError, match="one value a row, of the sample in 'unit' and the feature in 'feature'"
    ) as error:
        read(f"t{extension}")
    exec(str(error.value).partition("\n")[2], {})
    np.testing.assert_allclose(read("t_wide.csv").values, VALUES, rtol=1e-12)
    assert read(f"t{extension}", columns="value").values.shape == (120, 1)


@pytest.mark.parametrize("kind", [pa.binary(), pa.binary(16), pa.large_binary()])
def test_bytes_of_numbers_in_a_binary_table_become_lists(kind: pa.DataType, tmp_path: Path) -> None:
    rows = [row.tobytes() for row in VALUES.astype("f4")]
    pq.write_table(pa.table({"pk": range(30), "v": pa.array(rows, kind)}), tmp_path / "t.parquet")
    with pytest.raises(ReadError, match="holds bytes, not numbers") as error:
        read(tmp_path / "t.parquet")
    exec(str(error.value).partition("\n")[2], {})
    np.testing.assert_array_equal(read(tmp_path / "t_numbers.parquet").values, VALUES.astype("f4"))


def test_texts_beside_numbers_of_a_binary_table_are_refused_by_name(tmp_path: Path) -> None:
    FRAME.assign(city=["a", "b"] * 15).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ReadError, match=r"column 'city': holds .*string', not numbers"):
        read(tmp_path / "t.parquet")


@pytest.mark.parametrize("rows", [["7,12", "9,40", "11,3"], ["1,5", "2,3", "3,8"]])
def test_counted_names_of_rows_need_no_name(rows: list[str]) -> None:
    counted = rows[0] == "1,5"
    data = "\n".join(["value", *rows, *(f"{place},1" for place in range(4, 9))]).encode()
    if counted:
        assert read(("t.csv", data)).values[:3, 0].tolist() == [5, 3, 8]
    else:
        with pytest.raises(ReadError, match="2 fields under one name"):
            read(("t.csv", data))


def test_a_row_that_is_there_twice_is_no_summary() -> None:
    values = np.sort(VALUES, axis=0)  # each column rises, so that the first row is the least of all
    assert (
        len(read(("t.csv", table(pd.DataFrame(np.vstack([values[:1], values]))).encode())).values)
        == 31
    )
    few = np.vstack([np.zeros((1, 4)), BITS, np.ones((1, 4))])
    assert len(read(("t.csv", table(pd.DataFrame(few, columns=NAMES)).encode())).values) == 32


def test_tables_of_three_columns_are_no_triplets() -> None:
    rng = np.random.default_rng(0)
    for seed in range(20):
        n = int(rng.integers(24, 400))
        columns = {
            "a": rng.integers(0, 30, n),
            "b": rng.integers(0, 40, n),
            "c": rng.normal(size=n),
        }
        frame = pd.DataFrame(columns).sort_values(["a", "b"]) if seed % 2 else pd.DataFrame(columns)
        assert (
            read(
                (
                    "t.csv",
                    table(
                        frame.drop_duplicates(["a", "b"]).sample(frac=1, random_state=1)
                    ).encode(),
                )
            ).d
            == 3
        )


def test_texts_of_many_kinds_are_no_categories() -> None:
    frame = FRAME.assign(
        city=[f"c{place % 3}" for place in range(30)], note=[f"n{place} x" for place in range(30)]
    )
    with pytest.raises(ReadError, match=r"columns=\['city'\]"):
        read(("t.csv", table(frame).encode()))
    with pytest.raises(ReadError, match=r"drop='note' \(--drop note\)\.$"):
        read(("t.csv", table(frame[[*NAMES, "note", "city"]]).encode()))
    with pytest.raises(ReadError, match="No column holds numbers"):
        read(("t.csv", table(frame[["note", "city"]]).encode()))
    assert (
        read(
            ("t.csv", table(frame.rename(columns={"note": "SMILES"})[["SMILES", *NAMES]]).encode())
        ).d
        == 4
    )


def test_several_units_in_one_column_are_not_left_out() -> None:
    frame = FRAME.assign(
        f0=[f"{value} {unit}" for value, unit in zip(VALUES[:, 0], ["kg", "g"] * 15, strict=True)]
    )
    with pytest.raises(ReadError, match=r"in one unit, without it; units here are 'g', 'kg'\.$"):
        read(("t.csv", table(frame).encode()))


def test_a_packed_table_is_renamed() -> None:
    with pytest.raises(ReadError, match=r"Rename it to end in \.csv\.gz\.$"):
        read(("t.csv", gzip.compress(table(FRAME).encode())))
    assert read(("t.csv.gz", gzip.compress(table(FRAME).encode()))).d == 4


def test_counts_beside_any_rows_are_features() -> None:
    frame = FRAME.assign(count=np.random.default_rng(0).integers(1, 9, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read(("t.csv", table(frame).encode())).d == 5


def test_serials_of_digits_around_letters_are_left_out() -> None:
    rows = "".join(f"{2000 + place}KX{7 * place:04d},{place % 7}\n" for place in range(40))
    with pytest.raises(ReadError, match=r"'2000KX0000' is not a number\. Leave the column out"):
        read(("t.csv", f"kit,size\n{rows}".encode()))


@pytest.mark.parametrize(
    ("text", "number"), [("matched (3)", None), ("(3)", -3), ("EUR (3)", -3), ("$ (3.5)", -3.5)]
)
def test_words_before_a_number_in_brackets_make_no_negative_number(
    text: str, number: float | None
) -> None:
    frame = FRAME.assign(kit=[text] * len(FRAME))
    with pytest.raises(ReadError, match="is not a number") as caught:
        read(("t.csv", table(frame).encode()))
    assert ("Leave the column out" in str(caught.value)) == (number is None)
