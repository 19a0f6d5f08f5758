"""Files as other programs write them, each of a kind: the meant samples, or a remedy that gives
them.
"""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import safetensors.numpy
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from prviz.array_input import as_array
from prviz.checks.flags import flags_of
from prviz.readers import (
    ReadError,
    read,
    read_pair,
)
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import checkpoints_of
from tests import file_builders as build
from tests.readers.answers import csv, followed, json_lines, refusal, run_lines, shell, write

pytestmark = pytest.mark.filterwarnings("ignore::prviz.PrvizWarning")
N = 80
VALUES = np.random.default_rng(8).normal(size=(N, 4)).round(3)
WORDS = ["age", "income", "hours", "rate"]
FRAME = pd.DataFrame(VALUES, columns=WORDS)
BODY = FRAME.to_csv(index=False)
RECORDS = FRAME.to_dict("records")


@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_rows_of_arrays_that_are_not_finite_are_left_out_by_the_printed_lines(bad: float) -> None:
    values = np.insert(VALUES, [3, 3, 9], VALUES[:3], axis=0)
    values[[3, 4, 11], [0, 2, 1]] = bad
    for file in (
        ("t.npy", build.npy(values)),
        ("t.npz", build.npz(features=values, others=VALUES[:3, :2])),
    ):
        assert_array_equal(followed(file).values, VALUES)


@pytest.mark.parametrize("none", [{"b": None}, {}])
@pytest.mark.parametrize("within", [False, True])
def test_numbers_that_the_first_object_of_json_has_not_are_a_column(
    none: dict[str, None], within: bool
) -> None:
    rows = [{"a": 1.5} | none, *FRAME[WORDS[:2]].set_axis(["a", "b"], axis=1).to_dict("records")]
    said = r"row 1, column '(x\.)?b': empty"
    if within:
        refusal(json_lines([{"x": row} for row in rows]), said)
    else:
        assert_allclose(followed(json_lines(rows), said).values, VALUES[:, :2])


def test_numbers_as_texts_of_a_parquet_file_are_told_how_to_be_numbers() -> None:
    texts = FRAME.astype({"age": str})
    caught = refusal(("t.parquet", texts.to_parquet()), "string', not numbers")
    assert "or of its digits (table.astype({'age': float}))" in str(caught)
    numbers = texts.astype({"age": float}).to_parquet()
    assert_array_equal(read(("t.parquet", numbers)).values, VALUES)


# ---- tables of text ----


def test_a_first_row_in_brackets_of_accountants_is_no_line_of_units() -> None:
    values = np.round(VALUES * 900)
    values[0] = -np.abs(values[0]) - 1
    cells = pd.DataFrame(values, columns=WORDS).map(
        lambda value: f"({-value:.0f})" if value < 0 else f"{value:.0f}"
    )
    assert_array_equal(followed(csv(cells)).values, values)


@pytest.mark.parametrize(
    ("words", "sep", "decimal"), [(("fehlt", "kA"), ";", ","), ((": ", " ?"), ",", ".")]
)
def test_two_words_for_missing_numbers(words: tuple[str, str], sep: str, decimal: str) -> None:
    table = FRAME.map(lambda value: str(value).replace(".", decimal))
    table.iloc[3, 1], table.iloc[8, 2] = words
    found = followed(csv(table, sep=sep), "is not a number", "is not a number")
    assert_array_equal(found.values, np.delete(VALUES, [3, 8], axis=0))


@pytest.mark.parametrize("above", ["Operator: M\nLaser: 633 nm\n", "Run: 1, 2\nOperator: M\n\n"])
def test_lines_of_words_above_decide_no_mark_between_fields(above: str) -> None:
    found = read(("t.csv", f"Instrument: XQ-12\n{above}\n[Data]\n{BODY}".encode()))
    assert_array_equal(found.values, VALUES)
    assert found.features == tuple(WORDS)


@pytest.mark.parametrize("more", ["", ',"p.CR1","5555"'])
def test_a_line_on_the_logger_above_the_names_is_no_sample(more: str) -> None:
    logged = FRAME.assign(RECORD=range(N))[["RECORD", *WORDS]]
    names, _, values = logged.to_csv(index=False).partition("\n")
    above = (
        f'"TOA5","CR1000","CR1000","1234","Std.32"{more}\n{names}\n"RN","degC","%","m/s","deg"\n'
    )
    found = read(("t.csv", f'{above}"","Avg","Smp","Avg","Avg"\n{values}'.encode()))
    assert_array_equal(found.values, VALUES)
    assert found.features == tuple(WORDS)
    first = FRAME.assign(site="a").astype(object)
    first.loc[1] = ["NA", "-", "n/a", "?", "b"]  # no names
    refusal(csv(first, columns=[*WORDS, "site"]), "line 3, column 1 'age': 'NA'", drop="site")


def test_a_number_below_one_has_no_thousands() -> None:
    table = pd.DataFrame(np.full((N, 2), "0,125"), columns=["a", "b"])
    table.iloc[5, 1] = "0.125"
    caught = refusal(csv(table, sep=";"), "Write all decimals alike")
    assert "thousands=" not in str(caught)


def test_keys_with_low_lines_are_texts_and_other_texts_are_not_rewritten() -> None:
    keyed = FRAME.assign(system=[f"{place:05}_0" for place in range(N)], geo='{"type": "Dot"}')
    refusal(csv(keyed), r"--drop system,geo")
    paid = FRAME.map(lambda value: f"{value}%").assign(made='Dot "D"')
    found = followed(csv(paid), drop="made")
    assert_array_equal(found.values, VALUES)
    assert set(found.labels["made"]) == {'Dot "D"'}


@pytest.mark.parametrize("word", ["inf", "-Inf", "Infinity"])
def test_infinite_samples_are_left_out_by_the_printed_lines(word: str) -> None:
    table = FRAME.astype(object)
    table.iloc[7, 2] = word
    assert_array_equal(followed(csv(table)).values, np.delete(VALUES, 7, axis=0))


def test_a_time_that_runs_on_in_uneven_steps_is_asked_about() -> None:
    times = np.floor(np.cumsum(np.random.default_rng(0).random(N) * 3))
    assert (np.diff(times) == 0).any()
    refusal(csv(FRAME.assign(Time=times)), "runs on from row to row")
    assert "Time" in read(csv(FRAME.assign(Time=times[::-1].copy() % 17))).features


def test_a_target_with_decimals_is_left_out_with_a_word() -> None:
    noted = read(csv(FRAME.assign(target=VALUES[:, 0] * 2, label=np.arange(N) % 3)))
    assert [note for note in noted.notes if note.startswith("left out: 'target' (it is named")]
    assert read(csv(FRAME.assign(target=VALUES[:, 0] * 2)), columns=[*WORDS, "target"]).d == 5
    assert not read(csv(FRAME.assign(label=np.arange(N) % 3))).notes


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_text_that_tells_two_sets_apart_is_asked_for_its_values(
    ending: str, tmp_path: Path
) -> None:
    both = FRAME.assign(method=np.where(np.arange(N) % 2, "CTGAN", "original data"))
    path = write(tmp_path / f"t.{ending}", both)
    caught = refusal(path, "'method' has 'original data', 'CTGAN'", by=read_pair)
    pair = read_pair(path, keys=caught.choices)
    assert_array_equal(pair.generated.values, VALUES[1::2])
    # no longer asked for the sets, but for the text
    refusal(csv(both.assign(role=["real", "fake"] * (N // 2))), "'method'", by=read_pair)


def test_a_code_behind_the_comma_of_a_weather_station_is_no_decimal() -> None:
    values = np.round(VALUES * 100)
    values[0] = 3
    coded = [
        [f"{int(value):+05d},{place % 3}" for place, value in enumerate(row)] for row in values
    ]
    assert_array_equal(followed(csv(pd.DataFrame(coded, columns=WORDS))).values, values)
    commas = FRAME.abs().map(lambda value: f"0{value:.1f}".replace(".", ","))
    assert read(csv(commas, sep=";")).d == 4  # decimals where semicolons divide


def test_exponents_of_three_digits_as_fortran_writes_them() -> None:
    written = FRAME.map("{:.5f}".format)
    written.iloc[3, 1:] = ["1.23400-103", "-2.50000+101", "-123"]
    expected = VALUES.copy()
    expected[3, 1:] = [1.234e-103, -2.5e101, -123]
    assert_array_equal(followed(csv(written)).values, expected)


def test_marks_in_names_do_not_divide_the_rows() -> None:
    named = FRAME.rename(columns=lambda name: f"{name};{name}2")
    assert read(csv(named)).features == tuple(named)


@pytest.mark.parametrize("name", ["a; b", "a; b, c", "a\tb, c"])
def test_marks_in_a_quoted_name_do_not_divide_the_rows(name: str) -> None:
    named = FRAME.rename(columns={"rate": name})
    assert read(csv(named)).features == tuple(named)


def test_answers_of_several_words_are_no_kinds_of_orange() -> None:
    answers = np.array(["1 - Fully agree", "2 - Agree", "3 - Rather not"])[np.arange(4 * N) % 3]
    frame = pd.DataFrame(answers.reshape(N, 4), columns=WORDS)
    assert followed(csv(frame), "make numbers of its categories").d == 12


def test_a_text_with_commas_is_left_out() -> None:
    shape = "POLYGON ((0.5 0, 1 1, 2 0.5))"
    refusal(
        csv(FRAME.assign(WKT=[f"{shape[:-1]}, {place} 0)" for place in range(N)])), r"--drop WKT\)"
    )


def test_numbers_in_a_dictionary_are_numbers() -> None:
    columns = {name: pa.array(FRAME[name]).dictionary_encode() for name in WORDS}
    for file in (
        ("t.parquet", build.parquet(columns)),
        ("t.arrow", build.feather(columns, compression="uncompressed")),
    ):
        assert_array_equal(read(file).values, VALUES)
    columns["age"] = pa.array([*VALUES[:7, 0], None, *VALUES[8:, 0]]).dictionary_encode()
    refusal(("t.parquet", build.parquet(columns)), "row 8, column 'age': empty")


@pytest.mark.parametrize("names", [["C#a", "C#b", "C#c", "C#d"], ["a", "b", "c", "d"]])
def test_kinds_before_the_names_of_orange(names: list[str]) -> None:
    table = pd.DataFrame(VALUES, columns=names)
    table.insert(0, "cC#y", np.arange(N) % 3)
    found = followed(("t.tab", table.to_csv(sep="\t", index=False).encode()))
    assert_array_equal(found.values, VALUES)
    assert found.features == tuple("abcd")


def test_half_tones_are_no_kinds_of_orange() -> None:
    tones = FRAME.rename(columns=dict(zip(WORDS, ["C", "C#", "D", "D#"], strict=True)))
    assert read(csv(tones)).features == ("C", "C#", "D", "D#")


def test_a_number_and_a_list_are_no_names() -> None:
    rows = "".join(f"{place}\t{row}\n" for place, row in enumerate(VALUES.tolist()))
    assert_array_equal(read(("t.tsv", rows.encode())).values, VALUES)


def test_records_in_records_beside_single_values_are_a_table() -> None:
    rows = [{"id": f"a{place}", "values": row} for place, row in enumerate(RECORDS)]
    held = json.dumps({"data": rows, "meta": {"total": N}}).encode()
    assert_array_equal(followed(("t.json", held)).values, VALUES)


@pytest.mark.parametrize("mark", ["$numberDouble", "N", "doubleValue"])
def test_values_of_databases_are_taken_out_of_their_objects(mark: str) -> None:
    rows = [
        {name: {mark: str(value)} for name, value in row.items()}
        | {"_id": {"$oid": f"5f{place:022x}"}}
        for place, row in enumerate(RECORDS)
    ]
    assert_array_equal(followed(json_lines(rows)).values, VALUES)


def test_rows_of_a_data_base_are_taken_out_of_their_answer() -> None:
    rows = [{"f": [{"v": str(value)} for value in row]} for row in VALUES]
    held = json.dumps({"kind": "response", "rows": rows, "totalRows": str(N)}).encode()
    assert_array_equal(followed(("t.json", held)).values, VALUES)


@pytest.mark.parametrize("words", [("WAHR", "FALSCH"), ("VRAI", "FAUX"), ("ИСТИНА", "ЛОЖЬ")])
def test_truth_values_of_spreadsheets_are_numbers_in_every_language(words: tuple[str, str]) -> None:
    done = FRAME.assign(done=np.where(VALUES[:, 0] > 0, *words))
    assert_array_equal(read(csv(done)).values[:, 4], VALUES[:, 0] > 0)


def test_lists_of_julia_are_lists() -> None:
    rows = [f"Float32{row}" for row in VALUES.tolist()]
    assert_array_equal(read(csv(pd.DataFrame({"id": range(N), "e": rows}))).values, VALUES)


@pytest.mark.parametrize("place", [0, 5])
def test_a_box_that_is_not_ticked_is_no_missing_number(place: int) -> None:
    ticked = np.arange(N) % 3 != place % 3
    frame = FRAME.assign(done=np.where(ticked, "checked", ""))
    found = followed(csv(frame), "--drop done")
    assert_array_equal(found.values, np.c_[VALUES, ticked])
    signs = FRAME.assign(sign=np.where(ticked, "-", "+")[::-1])  # not missing, but a class
    refusal(csv(signs), "--drop sign")


@pytest.mark.parametrize("form", ["{}-", "({})", "{} \u20ac"])
def test_thousands_and_signs_are_left_out_together(form: str) -> None:
    values = np.round(VALUES * 90_000, 2)
    marks = str.maketrans(",.", ".,")

    def written(value: float) -> str:
        said = f"{abs(value):,.2f}".translate(marks)
        if "-" in form or "(" in form:
            return form.format(said) if value < 0 else said
        return form.format(("-" if value < 0 else "") + said)

    cells = pd.DataFrame(values, columns=WORDS).map(written)
    assert_allclose(followed(csv(cells, sep=";")).values, values)


def test_one_mark_in_a_number_with_a_sign_stands_before_decimals() -> None:
    cells = (FRAME + 1).map("${:.3f}".format)
    assert_allclose(followed(csv(cells)).values, VALUES + 1)


def test_marks_that_mean_two_things_are_not_left_out() -> None:
    frame = FRAME.abs().map("({:.2f})".format).assign(age="1.234,50")
    found = followed(csv(frame, sep=";"), "Write numbers alone", drop="age")
    assert found.values[0, 0] == -round(abs(VALUES[0, 1]), 2)


def test_one_value_a_row_may_have_thousands_apart() -> None:
    values = np.round(VALUES * 90_000, 2)
    rows = [(f"C{i}", WORDS[j], f"{values[i, j]:,.2f}") for i, j in np.ndindex(values.shape)]
    table = pd.DataFrame(rows, columns=["Customer", "Measure Names", "Measure Values"])
    found = np.sort(
        followed(csv(table), "one value a row", "Set no thousands apart").values, axis=0
    )
    assert_allclose(found, np.sort(values[:, np.argsort(WORDS)], axis=0))


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("<TIME>", "{hour:02d}:00:00"),
        ("obs", "{year}:{hour}"),
        ("<DATE>", "{year}.01.02"),
        ("stamp", "{year}0102 {hour:02d}0000"),
    ],
)
def test_times_and_dates_in_any_order_are_left_out(name: str, cell: str) -> None:
    texts = [cell.format(hour=place % 9, year=1990 + place // 4) for place in range(N)]
    caught = refusal(csv(FRAME.assign(**{name: texts})), f"--drop '?{name}'?")
    assert "\n" not in str(caught)


# ---- numbers in what programs print ----


def blocks(values: np.ndarray, head: str, above: str, row: str = "") -> str:
    """A matrix of 4 columns printed two at a time; `head` and `row` are formatted with their
    number.
    """
    lines = [above]
    for start in (0, 2):
        lines += [head.format(start + 1, start + 2), ""]
        for place, cells in enumerate(values[:, start : start + 2], 1):
            lines.append(row.format(place) + "  ".join(f"{cell:9.4f}" for cell in cells))
        lines.append("")
    return "\n".join(lines) + "\n"


def dput(column: np.ndarray) -> str:
    return f"c({', '.join(map(str, column.tolist()))})"


PRINTED = {
    "columns of MATLAB": blocks(VALUES, "  Columns {} through {}", "\nX =\n"),
    "columns of Octave": blocks(VALUES, " Columns {} and {}:", "X =\n"),
    "columns of R": blocks(VALUES, "          [,{}]     [,{}]", "", " [{},] "),
    "a scale of MATLAB": "\nX =\n\n   1.0e-01 *\n\n"
    + "\n".join("   ".join(f"{cell * 10:.4f}" for cell in row) for row in VALUES),
    "a frame of R": "structure(list(\n"
    + ",\n".join(f"{name} = {dput(column)}" for name, column in zip(WORDS, VALUES.T, strict=True))
    + ", kind = structure(c(1L, 2L), levels = c('a', 'b'), class = 'factor')), "
    f'class = "data.frame", row.names = c(NA, -{N}L))',
    "a matrix of R": f"structure({dput(VALUES.T.ravel())}, dim = c({N}L, 4L))",
    "a table of LaTeX": "\\begin{tabular}{rrrr}\n\\toprule\n"
    + "".join(
        f"{' & '.join(map(str, row))} \\\\\n"
        for row in [[*map("\\textbf{{{}}}".format, WORDS)], *VALUES]
    )
    + "\\bottomrule\n\\end{tabular}\n",
}

INSERTED = "INSERT INTO `t` VALUES\n" + ",\n".join(
    f"({place}, 'it''s; (so)', {', '.join(map(str, row))})" for place, row in enumerate(VALUES)
)
TAB = "\t"


def lines_of(mark: str, before: str = "", behind: str = "") -> str:
    return "".join(before + mark.join(map(str, row)) + behind + "\n" for row in VALUES)


ACTIONS = [
    json.dumps(each)
    for place, row in enumerate(VALUES.tolist())
    for each in ({"index": {"_id": str(place)}}, {"title": "t", "vector": row})
]
POINTS = [{"id": place, "vector": row} for place, row in enumerate(VALUES.tolist())]
WIDE = np.vstack([abs(VALUES[:2]), VALUES * 1000])
OTHERS = {
    **{f"{kind}.{ending}": text for kind, text in PRINTED.items() for ending in ("txt", "csv")},
    "t.sql": "CREATE TABLE `t` (\n  `id` int,\n  `remark` text,\n"
    + "".join(f"  `{name}` double,\n" for name in WORDS)
    + f"  PRIMARY KEY (`id`)\n);\n{INSERTED};\n",
    "named.sql": INSERTED.replace("`t`", f"t (id, remark, {', '.join(WORDS)})") + ";\n",
    "t.yaml": "features:\n" + "".join(f"- {row}\n" for row in VALUES.tolist()),
    "touching.dat": "\n".join("".join(f"{cell:8.3f}" for cell in row) for row in WIDE),
    "igor.itx": f"IGOR\nWAVES/D\ta\tb\tc\td\nBEGIN\n{lines_of(TAB, TAB)}END\nX SetScale\n",
    "t.cdl": "netcdf t {\nvariables:\n\tfloat f(n, d) ;\ndata:\n\n f =\n"
    + lines_of(", ", "  ", ",")[:-2]
    + " ;\n}\n",
    "ctd.cnv": f"* Sea-Bird SBE 9\n* name = a b\n# name 0 = p\n*END*\n{lines_of('   ', '  ')}",
    "scan.txt": f"{'*' * 9}\n* a * b * c * d *\n{'*' * 9}\n{lines_of(' * ', '* ', ' *')}{'*' * 9}\n",
    "levels.txt": f"a\tb\tc\td\nmm\tmm\tmm\tmm\nx\tx\ty\ty\n{lines_of(TAB)}",
    "words.txt": "name\tkind\tside\ta\tb\tc\td\n" + lines_of("\t", "w\tCell\tleft\t"),
    "words.vec": lines_of(" ", "word "),
    "bulk.jsonl": "\n".join(ACTIONS),
    "points.json": json.dumps({"result": {"points": POINTS}, "status": "ok"}),
    "dump.sql": "SET x = 0;\n\nCOPY public.t (id, a, b, c, d) FROM stdin;\n"
    + "".join(f"{place}\t{line}\n" for place, line in enumerate(lines_of(TAB).splitlines()))
    + "\\.\n\n-- done\n",
    "list of SAP.txt": "01.02.2024   List   1\n"
    + f"{'-' * 40}\n|a |b |c |d |\n{'-' * 40}\n{lines_of('|', '|', '|')}{'-' * 40}\n",
}


def test_a_missing_number_among_bare_ones_stays() -> None:
    text = OTHERS["igor.itx"].replace(str(VALUES[5, 1]), "NaN")
    with pytest.raises(ReadError, match="NaN"):
        followed(("t.itx", text.encode()))


def test_times_behind_commas_are_no_rows_of_libsvm() -> None:
    rows = [f'"2020-01-01 0{place % 9}:00:00",{place * 0.5},{place % 7}.5' for place in range(N)]
    refusal(("t.csv", "\n".join(rows).encode()), r"--drop 1\)")


def test_a_text_that_is_called_raw_is_no_plain_bytes() -> None:
    refusal(("t.raw", FRAME.to_csv(sep=" ", index=False).encode()), "a table of numbers")
    refusal(("t.raw", VALUES.astype("f4").tobytes()), "plain bytes")


def test_a_table_of_categories_alone_becomes_numbers() -> None:
    found = followed(csv(pd.DataFrame(np.where(VALUES > 0, "ja", "nein"), columns=WORDS)))
    assert_array_equal(found.values[:, ::2], VALUES > 0)


DROPPED = {
    "t.sql": "remark",
    "named.sql": "remark",
    "words.vec": "1",
    "words.txt": ["kind", "side"],
}


@pytest.mark.parametrize("name", OTHERS)
def test_texts_of_other_programs_are_converted_by_the_printed_lines(name: str) -> None:
    found = followed((name, OTHERS[name].encode()), drop=DROPPED.get(name, ()))
    assert_allclose(found.values, WIDE if name == "touching.dat" else VALUES, atol=1e-12)
    named = {(), tuple("abcd"), tuple(WORDS)}
    assert found.features in ({tuple(WORDS)} if name.endswith("named.sql") else named)


SETTINGS = "".join(f"MTD\tkey {place}\tsome value\n" for place in range(20))


@pytest.mark.parametrize(
    ("above", "said", "more"),
    [
        (
            SETTINGS,
            "lines of 3 fields above a table of 5",
            {"PRH": "PRT"},
        ),
        # a plate reader, and an oscilloscope
        ("User: U,Path: C,ID: 3\nTest: GFP\n", "fields above a table of 4", {}),
        (
            "Model,M\nFirmware,1.26\n,\nFormat,Y,\nUnits,s\nStep,4e-09\n,\n",
            "fields above a table of 4",
            {},
        ),
    ],
)
def test_a_table_below_lines_of_another_width_is_taken_out(
    above: str, said: str, more: dict[str, str]
) -> None:
    ending, mark = ("tsv", "\t") if "\t" in above else ("csv", ",")
    body = FRAME.assign(**more).to_csv(index=False, sep=mark)
    found = followed((f"t.{ending}", (above + body).encode()), said, drop=more)
    assert_array_equal(found.values, VALUES)


def test_lines_of_words_alone_hold_no_numbers() -> None:
    refusal(("t.tsv", SETTINGS.encode()), "No column holds numbers")


def test_lines_of_two_widths_by_turns_are_no_table_below_another() -> None:
    lines = [f"1.5,{place % 7}.25,3.5,4" + ",5" * (place % 3 > 0) for place in range(60)]
    refusal(
        ("t.csv", "\n".join(["a,b,c,d", *lines]).encode()),
        "Every line needs the same number of values",
    )


# ---- names ----


@pytest.mark.parametrize(
    "spell",
    [
        lambda name: f"syn_{name}",
        lambda name: f"{name} (generated)",
        lambda name: f"Real.{name}",
    ],
)
def test_names_that_also_say_the_set_are_the_same_in_either_set(spell) -> None:  # type: ignore[no-untyped-def]
    other = FRAME[WORDS[::-1]].rename(columns=spell)
    pair = SamplePair(FRAME, other)
    assert pair.renamed
    assert_array_equal(pair.generated.values, VALUES)
    assert_array_equal(SamplePair(other, FRAME).generated.values, VALUES[:, ::-1])


def test_accents_may_be_written_in_two_ways() -> None:
    names = ["d\u00e9bit", "\u00e2ge", "a", "b"]
    other = ["de\u0301bit", "a\u0302ge", "a", "b"]
    pair = SamplePair(
        Samples(VALUES, features=names),
        Samples(VALUES[:, [1, 0, 2, 3]], features=[other[1], other[0], *other[2:]]),
    )
    assert_array_equal(pair.generated.values, VALUES)


def test_another_word_in_front_of_all_names_is_named() -> None:
    with pytest.raises(ValueError, match="Those of the generated set have 'log_' in front"):
        SamplePair(FRAME, FRAME.add_prefix("log_"))
    with pytest.raises(ValueError, match="Those of the real set have '_z' behind"):
        SamplePair(FRAME.add_suffix("_z"), FRAME)
    for names in (["y1", "y2", "y3", "y4"], ["age", "income", "hours", "speed"]):
        with pytest.raises(ValueError, match="different features") as caught:
            SamplePair(
                Samples(VALUES, features=["x1", "x2", "x3", "x4"]), Samples(VALUES, features=names)
            )
        assert "in front" not in str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "names"),
    [("cp1251", "Возраст Доход Рост Вес"), ("cp932", "ポイント 重さ 高さ 表示")],
)
def test_names_in_another_encoding_are_told_from_other_names(encoding: str, names: str) -> None:
    table = FRAME.set_axis(names.split(), axis=1).to_csv(index=False)
    real = read(("real.csv", table.encode(encoding)))
    generated = read(("generated.csv", table.encode()))
    with pytest.raises(ValueError, match=f"file of the real set is in {encoding}: save it as UTF"):
        SamplePair(real, generated)


def test_places_on_a_plate_are_no_categories() -> None:
    place = FRAME.assign(Row=["A", "B"] * (N // 2), Column=np.arange(N) % 5)
    caught = refusal(csv(place), "--drop Row")
    assert "get_dummies" not in str(caught)
    refusal(csv(place), "--drop Column", drop="Row")


def test_values_beside_their_units_are_taken_out_of_objects() -> None:
    rows = [
        {"id": place, "m": {name: {"value": each, "unit": "mm"} for name, each in row.items()}}
        for place, row in enumerate(RECORDS)
    ]
    assert_array_equal(followed(json_lines(rows)).values, VALUES)


def test_names_of_one_set_alone_are_said() -> None:
    def said(names: list[str]) -> list[str]:
        return [
            each.effect
            for each in flags_of(SamplePair(Samples(VALUES, features=names), VALUES + 1.0))
        ]

    assert any(each.startswith("They are matched by place") for each in said(WORDS))
    assert not any(each.startswith("They are matched") for each in said(["f0", "f1", "f2", "f3"]))


def test_columns_that_are_numbers_stand_in_their_order() -> None:
    numbered = pd.DataFrame(VALUES)
    shuffled = Samples(numbered[[2, 0, 3, 1]])
    assert_array_equal(shuffled.values, VALUES)
    assert shuffled.notes
    assert not Samples(numbered).notes


# ---- arrays in Python ----


def test_the_remedy_for_a_column_of_lists_takes_that_column() -> None:
    held = pd.DataFrame({"id": range(N), "emb": VALUES.tolist()})
    for values in (held, held.to_dict("records")):
        with pytest.raises(TypeError, match=r"values\['emb'\]"):
            as_array(values, "set")
    assert_array_equal(as_array(held["emb"], "set"), VALUES)


def test_batches_of_rows_are_told_from_rows() -> None:
    with pytest.raises(ValueError, match=r"numpy\.concatenate"):
        as_array([VALUES[:50], VALUES[50:]], "set")
    with pytest.raises(ValueError, match="all rows need the same number") as caught:
        as_array([VALUES[0], VALUES[1, :3]], "set")
    assert "concatenate" not in str(caught.value)


def test_cells_name_their_arrays() -> None:
    class Cells:
        obsm = None

    with pytest.raises(TypeError, match=r"values\.X or values\.obsm"):
        as_array(Cells(), "set")


def test_rows_that_are_not_finite_are_left_out_by_the_printed_expression() -> None:
    values = VALUES.copy()
    values[3, 1] = np.nan
    values[5, 2] = -np.inf
    with pytest.raises(ValueError, match="leaves such rows out") as caught:
        Samples(values)
    expression = re.search(r"values\[numpy.*\]", str(caught.value))
    assert expression is not None
    held = {"values": values, "numpy": np}
    exec(f"left = {expression[0]}", held)
    assert_array_equal(held["left"], np.delete(VALUES, [3, 5], axis=0))


@pytest.mark.parametrize("missing", [None, np.nan])
def test_groups_that_are_missing_are_no_group(missing: float | None) -> None:
    groups = [missing, missing, *range(N - 2)]
    with pytest.raises(ValueError, match="2 of 80 groups are missing, the first of sample 1"):
        Samples(VALUES, groups=groups)
    Samples(VALUES, groups=["", *map(str, range(N - 1))])


# ---- Parquet, Arrow, folders ----


class Foreign(pa.ExtensionType):
    """A type like that of Hugging Face's arrays, whose ``value_type`` is a text."""

    value_type = "float32"
    shape = (1, 4)

    def __init__(self) -> None:
        super().__init__(pa.list_(pa.list_(pa.float32())), "tests.foreign")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: object, serialized: bytes) -> Foreign:
        return cls()


def test_extension_types_of_another_library_are_their_storage() -> None:
    pa.register_extension_type(Foreign())
    try:
        storage = pa.array(VALUES[:, None].tolist(), Foreign().storage_type)
        column = pa.ExtensionArray.from_storage(Foreign(), storage)
        found = read(("t.parquet", build.parquet({"emb": column})))
        assert_array_equal(found.values, VALUES.astype("f4"))
    finally:
        pa.unregister_extension_type("tests.foreign")


def test_columns_of_other_types_are_left_out_together() -> None:
    more = {"none": pa.nulls(N), "when": pa.array(np.arange(N), pa.timestamp("ms"))}
    file = "t.parquet", build.parquet({**FRAME.to_dict("list"), **more})
    assert "get_dummies" not in str(refusal(file, r"\(--drop none,when\)"))
    assert_array_equal(read(file, drop=["none", "when"]).values, VALUES)


def test_lists_of_texts_are_made_numbers_by_the_printed_line() -> None:
    rows = json_lines([{"emb": list(map(str, row))} for row in VALUES])
    assert_array_equal(followed(rows, "lists of 'string'").values, VALUES)


def test_pictures_in_a_table_are_saved_and_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pictures = np.random.default_rng(0).integers(0, 256, (4, 8, 8, 3), dtype=np.uint8)
    held = []
    for picture in pictures:
        stream = io.BytesIO()
        Image.fromarray(picture).save(stream, "PNG")
        held.append({"bytes": stream.getvalue(), "path": "a.png"})
    Path("t.parquet").write_bytes(build.parquet({"image": held, "label": [0, 1, 2, 3]}))
    error = refusal("t.parquet", "holds pictures")
    encoder = ("-o", "o.safetensors", "--encoder", "pixels:8")
    assert str(error) in shell("embed", "t.parquet", *encoder, code=2)
    run_lines(error)
    shell("embed", "t_pictures", *encoder)
    (found,) = safetensors.numpy.load_file("o.safetensors").values()
    assert_allclose(found.reshape(pictures.shape) * 255, pictures, atol=1e-3)


def test_files_of_labels_beside_those_of_features_are_not_joined_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for rank, rows in enumerate(np.split(VALUES, 4)):
        np.save(folder / f"rank{rank}_feats.npy", rows)
        np.save(folder / f"rank{rank}_ids.npy", np.arange(len(rows)))
    assert_array_equal(followed(folder).values, VALUES)


def test_checkpoints_in_folders_of_their_own_are_named(tmp_path: Path) -> None:
    # of all runs, also where each has folders of its own
    for folders in (["a", "b"], ["a/1", "a/2", "b/1"]):
        models = tmp_path / f"models {len(folders)}"
        for name in folders:
            (models / name).mkdir(parents=True)
            np.save(models / name / "samples.npy", VALUES)
        with pytest.raises(ValueError, match="in folders of it: name them") as caught:
            checkpoints_of(models)
        pattern = shlex.split(str(caught.value).rpartition("as in ")[2])[0]
        paths = sorted(tmp_path.glob(str(Path(pattern).relative_to(tmp_path))))
        assert [each.name for each in checkpoints_of(paths)] == [f"{f}/samples" for f in folders]


@pytest.mark.parametrize(
    "header", ["# seed b c d", "#! FIELDS seed b c d", "# seed,b,c,d", "# seed\tb\tc\td"]
)
def test_names_in_the_comment_above_decide(header: str) -> None:
    mark = next((each for each in ",\t" if each in header), " ")
    file = "t.csv", build.csv(VALUES, header, mark)
    refusal(file, "column 'seed' looks like no feature")
    assert read(file, drop="seed").features == ("b", "c", "d")


def test_words_of_a_comment_are_no_names() -> None:
    found = read(("t.csv", build.csv(VALUES, "# made by hand", " ")))
    assert_array_equal(found.values, VALUES)
    assert not found.features


def test_the_names_of_a_text_stay_with_the_file_that_is_made_of_it() -> None:
    file = "COLVAR", build.csv(VALUES, "#! FIELDS time b c d", " ")
    assert followed(file, "a table of numbers").features == ("time", "b", "c", "d")


def test_even_steps_are_seen_in_few_rows() -> None:
    few = FRAME[:16].assign(age=0.5 * np.arange(16))
    refusal(csv(few, header=False), "in even steps from row to row")


def test_atoms_and_elements_stand_in_columns_of_their_own() -> None:
    file = "mol.xyz", f"{N}\nmade by hand\n{lines_of(' ', 'C ')}".encode()
    said = "a text with a table of numbers in it"
    assert_array_equal(followed(file, said, drop="1").values, VALUES)
    with pytest.raises(ReadError, match=r"Leave the column out with drop='1' \(--drop 1\)"):
        followed(file, said)


def test_prose_with_numbers_is_no_table() -> None:
    prose = b"Of 3 sets\n2 are real.\nThe third, 7, is not\n" * 5
    refusal(("notes.rst", prose), r"the extension '\.rst' is not accepted")


@pytest.mark.parametrize("wide", [4, 5, 6])
@pytest.mark.parametrize("index", [True, False])
def test_a_frame_printed_in_blocks_is_put_side_by_side(wide: int, index: bool) -> None:
    frame = FRAME.join((-FRAME).add_suffix("_2"))
    blocks = [frame.iloc[:, each].to_string(index=index) for each in (slice(wide), slice(wide, 8))]
    first = blocks[0].replace("\n", " \\\n", 1) if index else blocks[0]  # as pandas marks them
    found = followed(("t.csv", f"{first}\n\n{blocks[1]}\n".encode()))
    assert_array_equal(found.values, frame)
    assert found.features == tuple(frame)


def test_a_sentence_below_a_printed_frame_is_no_block() -> None:
    assert read(("t.csv", f"{FRAME.to_string()}\n\nmade by the institute\n".encode())).n == N
