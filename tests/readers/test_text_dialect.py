"""Tables of text as spreadsheets, R, pandas and notebooks write them: every kind gives the values
that were saved.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import prviz
from prviz.cli.main import main
from prviz.readers import AmbiguousKeyError, ReadError, delimited, read
from prviz.readers.columns import ColumnChoice
from prviz.readers.text_dialect import delimiter_of, encoding_of

N = 60
D = 4
VALUES = np.random.default_rng(1).normal(size=(N, D)) * 100
NAMES = ["a", "b", "c", "d"]
FRAME = pd.DataFrame(VALUES, columns=NAMES)
SHELL = ["--method", "knn", "--k", "5", "--split", "none"]


def r_table(sep: str) -> str:
    """As R's write.table writes it: rows have names, their column has none."""
    rows = FRAME.rename(index=str).to_csv(sep=sep, header=False, quoting=2)
    return sep.join(f'"{name}"' for name in NAMES) + "\n" + rows


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("german.csv", FRAME.to_csv(sep=";", decimal=",", index=False).encode()),
        ("german.tsv", FRAME.to_csv(sep="\t", decimal=",", index=False).encode()),
        ("tabs.csv", FRAME.to_csv(sep="\t", decimal=",", index=False).encode()),
        ("sep.csv", ("sep=;\n" + FRAME.to_csv(sep=";", index=False)).encode()),
        ("sep-comma.csv", ("sep=,\r\n" + FRAME.to_csv(index=False)).encode()),
        (
            "sep-marked.csv",
            ("\ufeffsep=;\n" + FRAME.to_csv(sep=";", decimal=",", index=False)).encode(),
        ),
        ("unicode.csv", FRAME.to_csv(sep="\t", index=False).encode("utf-16")),
        ("utf-16-be.csv", FRAME.to_csv(index=False).encode("utf-16-be")),
        ("utf-16-le.csv", FRAME.to_csv(index=False).encode("utf-16-le")),
        ("spaces.csv", FRAME.to_csv(sep=" ", index=False).encode()),
        ("savetxt.csv", FRAME.to_csv(sep=" ", index=False, header=False).encode()),
        ("r.csv", r_table(" ").encode()),
        ("r-comma.csv", r_table(",").encode()),
        ("r.tsv", r_table("\t").encode()),
        ("r-german.csv", r_table(";").replace(".", ",").encode()),
        ("latin.csv", FRAME.assign(name="Zoë").to_csv(index=False).encode("latin-1")),
        (
            "units.csv",
            FRAME.to_csv(index=False).replace("a,b,c,d\n", "a,b,c,d\nkm,s,kg,m\n").encode(),
        ),
    ],
)
@pytest.mark.parametrize("worth", [0, 1 << 30])
def test_every_way_to_write_a_table_gives_its_values(
    name: str, data: bytes, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "_WORTH_ARROW", worth)
    found = read((name, data))
    np.testing.assert_array_equal(found.values, VALUES)
    assert found.features in (tuple(NAMES), ())
    assert not found.notes
    if name == "latin.csv":
        assert set(found.labels["name"]) == {"Zoë"}


def test_whole_numbers_before_decimal_commas_are_read() -> None:
    data = b"a;b\n1;2\n3;4\n5;6\n7;8\n1,5;-,25\n"
    assert read(("t.csv", data)).values[-1].tolist() == [1.5, -0.25]


@pytest.mark.parametrize("levels", [("x", "y"), (0, 1), (1, 2), ("", "")])
@pytest.mark.parametrize("index", [True, False])
def test_two_header_lines_name_the_columns(levels: tuple[object, object], index: bool) -> None:
    if levels == ("", ""):
        columns = pd.MultiIndex.from_product([NAMES, ["mean"]])
        names = tuple(NAMES)
    else:
        columns = pd.MultiIndex.from_product([["u", "v"], levels])
        names = tuple(f"{name}_{level}" for name in "uv" for level in levels)
    frame = pd.DataFrame(VALUES, columns=columns)
    frame.index.name = "sample_id" if index else None
    found = read(("t.csv", frame.to_csv(index=index).encode()))
    np.testing.assert_array_equal(found.values, VALUES)
    assert found.features == names
    wide = pd.DataFrame(VALUES, columns=pd.MultiIndex.from_product([["emb"], range(D)]))
    np.testing.assert_array_equal(read(("t.csv", wide.to_csv(index=index).encode())).values, VALUES)


def lists(values: np.ndarray) -> dict[str, list[str]]:
    return {
        "json": [str(row) for row in values.tolist()],
        "numpy": [str(row) for row in values],
        "numpy, many lines": [str(np.concatenate([row] * 6)) for row in values],
        "scalars of numpy": [str([np.float64(each) for each in row]) for row in values],
        "repr": [repr(row) for row in values.astype("f4")],
        "nested": [str([row]) for row in values.tolist()],
    }


@pytest.mark.parametrize("kind", lists(VALUES))
def test_cells_that_hold_a_list_are_its_numbers(kind: str) -> None:
    frame = pd.DataFrame(
        {"id": range(N), "text": "a, b", "embedding": lists(VALUES)[kind], "seed": 7}
    )
    found = read(("t.csv", frame.to_csv(index=False).encode()))
    wanted = np.tile(VALUES, 6) if kind == "numpy, many lines" else VALUES
    np.testing.assert_allclose(found.values, wanted, rtol=1e-6)
    if kind in ("json", "nested", "scalars of numpy"):
        np.testing.assert_array_equal(found.values, VALUES)
    assert found.features == ()
    assert set(found.labels) == {"id", "text", "seed"}


def test_one_of_several_columns_of_lists_is_chosen_by_key() -> None:
    cells = lists(VALUES)["json"]
    frame = pd.DataFrame(
        {
            "clip": cells,
            "dino": [f"[{row}]" for row in range(N)],
            "role": ["real", "fake"] * (N // 2),
        }
    )
    source = ("t.csv", frame.to_csv(index=False).encode())
    with pytest.raises(AmbiguousKeyError) as caught:
        read(source)
    assert caught.value.choices[0] == "clip[role=real]"
    np.testing.assert_array_equal(read(source, key="clip[role=fake]").values, VALUES[1::2])
    assert read(source, columns="clip", key="clip[role=real]").n == N // 2
    with pytest.raises(ReadError, match="has no list column 'clap'"):
        read(source, key="clap")


def test_true_and_false_are_numbers() -> None:
    frame = FRAME.assign(job_a=VALUES[:, 0] > 0, job_b=VALUES[:, 0] <= 0)
    found = read(("t.csv", frame.to_csv(index=False).encode()))
    np.testing.assert_array_equal(found.values, frame.astype(float))
    assert read(("t.csv", frame.to_csv(index=False).replace("True", "TRUE").encode())).d == D + 2


def people(seed: int, jobs: str) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(N, D)), columns=NAMES).assign(
        job=rng.choice(list(jobs), N)
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "written",
    [pytest.param({}, marks=pytest.mark.exhaustive), {"sep": ";", "decimal": ","}],
    ids=["commas", "german"],
)
def test_the_encoding_offered_for_categories_is_the_same_in_both_tables(
    written: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = people(0, "abc")
    made = people(1, "abd")
    for name, frame in (("real", real), ("generated", made)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False, **written)  # type: ignore[call-overload]
    files = [str(tmp_path / "real.csv"), str(tmp_path / "generated.csv")]
    with pytest.raises(
        ReadError, match=r"'real.csv', line 2, column 5 'job': '\w' is not a number"
    ) as caught:
        read(files[0])
    recipe = str(caught.value).partition("\n")[2]
    subprocess.run([sys.executable, "-c", recipe], cwd=tmp_path, check=True, env=os.environ)
    pair = prviz.SamplePair(
        *(read(tmp_path / f"{name}_numbers.csv") for name in ("real", "generated"))
    )
    assert pair.real.features == (*NAMES, "job_a", "job_b", "job_c", "job_d")
    np.testing.assert_array_equal(pair.generated.values[:, -1], made["job"] == "d")
    assert main(["curve", *files, *SHELL]) == 2
    left_out = re.findall(r"\((--drop .*?)\)", capsys.readouterr().err)[0]
    assert main(["curve", *files, *SHELL, *shlex.split(left_out)]) == 0
    assert f"{N} x {D}" in capsys.readouterr().out


def test_a_column_that_is_empty_in_every_row_is_called_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FRAME.to_csv(tmp_path / "real.csv", index=False)
    FRAME.assign(b=np.nan).to_csv(tmp_path / "empty.csv", index=False)
    files = [str(tmp_path / "real.csv"), str(tmp_path / "empty.csv")]
    assert main(["curve", *files, *SHELL]) == 2
    error = capsys.readouterr().err
    assert (
        "'empty.csv', column 2 'b': empty in every row. Leave it out, in both tables, with" in error
    )
    assert (
        main(["curve", *files, *SHELL, *shlex.split(re.findall(r"\((--drop .*?)\)", error)[0])])
        == 0
    )
    assert f"{N} x {D - 1}" in capsys.readouterr().out
    with pytest.raises(ReadError, match=r"line 2, column 2 'b': empty\. Fill the value in"):
        read(("t.csv", b"a,b\n1,\n2,3\n3,4\n"))


def test_a_parquet_file_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAME.assign(b=np.nan).to_parquet(path)
    with pytest.raises(ReadError, match="column 'b': empty in every row"):
        read(path)
    assert read(path, drop="b").d == D - 1
    people(0, "ab").to_parquet(path)
    with pytest.raises(
        ReadError, match=r"column 'job': holds .* \(--drop job\), make numbers of its categories"
    ):
        read(path)


def test_a_choice_finds_columns_of_every_way_to_write() -> None:
    data = FRAME.to_csv(sep=";", decimal=",", index=False).encode("utf-16")
    assert prviz.readers.read_chosen(
        ("t.csv", data), ColumnChoice(drop=("a", "z"), shared=True)
    ).features == (
        "b",
        "c",
        "d",
    )


def test_three_bytes_are_too_few_to_tell_utf_16_by() -> None:
    for four, encoding in ((b"1\x002\x00", "utf-16-le"), (b"\x001\x002", "utf-16-be")):
        assert encoding_of(four) == encoding
        assert encoding_of(four[:3]) == "utf-8"


def test_marks_in_a_comment_do_not_divide_the_rows() -> None:
    assert delimiter_of(io.BytesIO(b"# made by one, for all\n1;2\n3;4\n"), ".csv") == ";"


@pytest.mark.parametrize("last", ["(7", "7)", "7,8"])
def test_a_row_that_was_cut_off_is_no_remark(tmp_path: Path, last: str) -> None:
    path = tmp_path / "cut.csv"
    path.write_text(f"a,b,c\n1,2,3\n4,5,6\n5,5,5\n{last}\n")
    with pytest.raises(ReadError, match=r"line 5: . fields, but 3 before it"):
        read(path)
    path.write_text("a,b,c\n1,2,3\n4,5,6\n5,5,5\n(n = 2)\n")
    assert read(path).n == 3


def test_lines_that_widen_a_packed_table_keep_what_its_name_says(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "sample": np.repeat(np.arange(9), 3),
            "gene": ["a", "b", "c"] * 9,
            "value": np.arange(27.0),
        }
    )
    path = tmp_path / "run.1.csv.gz"
    table.to_csv(path, index=False)
    with pytest.raises(ReadError, match=r"run\.1_wide\.csv"):
        read(path)
