"""What programs of many fields write beside features, or in place of them: asked about, or put
right by the printed lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import prviz
from prviz.curves import PRCurve
from prviz.readers import ReadError, read
from prviz.readers.safe_folder import Below
from prviz.triage.inputs import checkpoints_of
from tests.readers.answers import csv, followed, refusal, run_lines

N = 120
RNG = np.random.default_rng(11)
WORDS = ["mass", "length", "pressure", "ozone"]
FRAME = pd.DataFrame(RNG.normal(size=(N, 4)).round(4), columns=WORDS)


# ---- columns that are no features ----


def test_the_greatest_score_in_every_column_is_a_sample_where_many_have_it() -> None:
    rng = np.random.default_rng(0)
    scores = np.minimum(rng.integers(40, 120, (60, 2)), 100)
    scores[-2] = 100
    table = pd.DataFrame(scores, columns=["algebra", "reading"])
    assert read(csv(table)).n == 60
    table.iloc[-2] = 150
    table = table.assign(more=rng.normal(size=60))
    refusal(csv(pd.concat([table, table.max().to_frame().T])), "sums up the rows above")


# ---- rows that are no samples ----


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("share", [1, 0.9])
def test_a_row_of_totals_without_a_name_is_left_out_by_the_printed_lines(
    place: str, share: float
) -> None:
    """As web statistics have them: users are counted once, rates are means by their weights."""
    counts = pd.DataFrame(RNG.integers(10, 900, (N, 3)), columns=["users", "visits", "views"])
    total = (counts.sum() * [0.8, share, 0.7]).to_frame().T.assign(path="")
    rows = [counts.assign(path=[f"/p/{at}" for at in range(N)]), total]
    both = pd.concat(rows if place == "last" else rows[::-1])[["path", *counts]]
    found = followed(csv(both), "the row without a name sums up other rows")
    assert_array_equal(found.values, counts)


def test_a_sample_without_a_name_is_a_sample() -> None:
    table = FRAME.assign(path=[f"/p/{at}" for at in range(N - 1)] + [""])
    assert read(csv(table)).n == N


GENES = [f"ENSG{at:011d}" for at in range(60)]


@pytest.mark.parametrize("samples", [[f"ctrl_{at}" for at in range(8)], list("ABCDEFGH")])
@pytest.mark.parametrize("places", [False, True])
def test_a_table_of_genes_is_turned_by_the_printed_lines(samples: list[str], places: bool) -> None:
    counts = pd.DataFrame(RNG.poisson(80, (60, 8)), columns=samples, index=GENES)
    table = counts
    if places:  # as featureCounts writes them
        more = {"Chr": "chr1;chr1", "Start": "5;9", "End": "7;11", "Strand": "+;+", "Length": 90}
        table = pd.DataFrame(more, index=pd.Index(GENES, name="Geneid")).join(counts)
    file = csv(table, index=True)
    if samples[0] == "A" and not places:  # may be features of genes
        assert read(file).n == 60
    else:
        found = followed(file, r"transposed, each (row is a feature|column is a)")
        assert_array_equal(found.values, counts.T)


def test_vectors_of_genes_are_samples() -> None:
    table = pd.DataFrame(RNG.normal(size=(60, 8)), index=GENES)
    assert read(csv(table, index=True)).n == 60
    assert read(csv(table.add_prefix("dim_"), index=True)).n == 60


def test_ends_of_peaks_are_no_samples() -> None:
    areas = pd.DataFrame(RNG.lognormal(9, 1, (30, 8)).round(1))
    areas.columns = [f"{'KO' if at % 2 else 'WT'}_{at:02d}" for at in range(8)]
    peaks = {"mz": np.linspace(80, 900, 30) ** 1.1, "mzmin": 1.5, "rt": RNG.random(30), "npeaks": 9}
    table = pd.DataFrame(peaks).join(areas)
    table.index = pd.Index([f"FT{at:04d}" for at in range(30)])
    found = followed(csv(table, index=True), "transposed, each row is a feature")
    assert_allclose(found.values, areas.T)


def test_months_of_two_digits_are_no_bits() -> None:
    table = FRAME.assign(level=["01", "10"] * (N // 2))
    assert read(csv(table)).d == 5


def test_a_link_to_what_is_not_there_is_not_left_out_of_a_folder(tmp_path: Path) -> None:
    for place in range(3):
        np.save(tmp_path / f"x_{place}.npy", FRAME.to_numpy())
    (tmp_path / "x_3.npy").symlink_to(tmp_path / "gone.npy")
    refusal(tmp_path, r"'x_3.npy' is a link to what is not there. Fetch it")
    assert tmp_path / "x_3.npy" in [each.path for each in checkpoints_of(tmp_path)]
    assert "x_3.npy" in Below(tmp_path).files()[0]


# ---- calls from Python ----


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": 3}, "source is int; a path is needed, or a tuple of a file name and its"),
        ({"source": np.ones((3, 2))}, "An array goes to prviz.Samples"),
        ({"source": ("t.csv", 3)}, "source is tuple; a path is needed"),
        ({"columns": 3}, r"columns = '3'; names or patterns of columns are needed"),
        ({"drop": 3}, r"drop = '3'; names or patterns of columns are needed"),
        ({"key": 3}, "key = 3; the name of an array or of a column is needed"),
        ({"name": 3}, "name = 3; a text is needed"),
        ({"limits": 3}, r"limits = 3; prviz.readers.Limits\(...\) is needed"),
    ],
)
def test_arguments_of_other_types_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises((TypeError, ReadError), match=message):
        read(**{"source": csv(FRAME), **options})  # type: ignore[arg-type]


MADE = FRAME.to_numpy() + 0.2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda curve: curve.alpha("a"), r"lam = 'a'; numbers in \[0, inf\] are needed"),
        (lambda curve: curve.beta([1, "b"]), r"lam = \[1, 'b'\]; numbers"),
        (lambda _: prviz.estimate(FRAME, MADE, progress=True), "progress = True; a function"),
        (lambda _: prviz.kid(FRAME, MADE, progress=1), "progress = 1; a function"),
        (lambda _: prviz.sweep(["modes"], ns=[50], executor=3), "executor = 3; an executor of"),
        (lambda _: prviz.compare(FRAME, MADE, MADE).differences["foo"], "'foo' is no summary"),
        (lambda _: prviz.compare(FRAME, MADE, MADE).difference("foo"), "'foo' is no summary"),
        (lambda _: prviz.pr_curve(FRAME), "generated is missing"),
    ],
)
def test_calls_that_can_not_be_are_answered_with_what_can(
    call: Callable[[PRCurve], object], message: str
) -> None:
    curve = prviz.pr_curve(FRAME, MADE)
    with pytest.raises((TypeError, ValueError, KeyError), match=message):
        call(curve)


def test_one_curve_of_a_pair_as_estimates_of_it() -> None:
    pair = prviz.SamplePair(FRAME, MADE)
    right = prviz.estimate(pair, "kde")["kde"].curve.auc
    assert prviz.pr_curve(pair, method="kde").auc == right
    assert prviz.pr_curve(pair, "kde").auc == right  # type: ignore[arg-type]


def test_rows_of_plain_lists_that_are_not_finite_are_left_out_by_the_printed_expression() -> None:
    values = [[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]]
    with pytest.raises(ValueError, match="row 2, column 1 is nan") as caught:
        prviz.Samples(values)
    line = str(caught.value).split("; ")[-1].removesuffix(" leaves such rows out")
    found = eval(line, {"values": values, "numpy": np})  # noqa: S307
    assert_array_equal(found, [[1, 2], [4, 5]])


# ---- other lines and notations ----


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (
            [f"{a}/{b}" for a in (1, 3) for b in (2, 4, 8)],
            [a / b for a in (1, 3) for b in (2, 4, 8)],
        ),
        ([f"6/{a}" for a in (4, 5, 6, 9, 12, 18)], [6 / a for a in (4, 5, 6, 9, 12, 18)]),
        (["1 1/2", "2", "3/4", "2 1/4", "1/2", "1"], [1.5, 2, 0.75, 2.25, 0.5, 1]),
    ],
)
def test_fractions_become_their_quotients(cells: list[str], numbers: list[float]) -> None:
    file = csv(FRAME.assign(cut=cells * 20))
    found = followed(file, "These are fractions, of which this takes")
    assert_allclose(found.values, FRAME.assign(cut=numbers * 20), atol=1e-9)


def test_two_numbers_with_a_stroke_become_two_columns() -> None:
    high, low = RNG.integers(100, 160, N), RNG.integers(60, 95, N)
    table = FRAME.assign(bp=[f"{a}/{b}" for a, b in zip(high, low, strict=True)])
    found = followed(csv(table), "These are two numbers each")
    assert_allclose(found.values, FRAME.assign(high=high, low=low))


@pytest.mark.parametrize("cell", ["1990M{:02d}", "1990Q{}", "2020-W{}", "Q{} 2020"])
def test_months_and_quarters_are_dates(cell: str) -> None:
    table = FRAME.assign(obs=[cell.format(1 + at % 4) for at in range(N)])
    refusal(csv(table), r"These are dates: leave the column out with drop='obs'")


def test_percent_is_said_where_its_signs_are_left_out() -> None:
    table = FRAME.assign(fat=[f"{at % 7}.5 %" for at in range(N)])
    refusal(csv(table), r"Write numbers alone \(5 for 5 %, in both tables\):")


HEADER, BODY = FRAME.to_csv(index=False).split("\n", 1)
TABS = BODY.replace(",", "\t")


@pytest.mark.parametrize(
    ("name", "text", "features"),
    [
        (
            "zeek.csv",
            "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tc\n"
            "#open\t2024\n#open\t2024\n#open\t2024\n#fields\t" + HEADER.replace(",", "\t")
            + "\n#types\tcount\tcount\tcount\tcount\n" + TABS + "#close\t2024\n",
            WORDS,
        ),
        (
            "w3c.csv",
            "#Software: IIS\n#Fields: " + HEADER.replace(",", " ") + "\n" + BODY.replace(",", " "),
            WORDS,
        ),
        (
            "sextractor.csv",
            "".join(f"#  {at + 1} {name}   Length of it  [mm]\n" for at, name in enumerate(WORDS))
            + BODY.replace(",", "  "),
            WORDS,
        ),
        (
            "deeplabcut.csv",
            "scorer,net,net,net,net\nparts,nose,nose,tail,tail\ncoords,x,y,x,y\n"
            + "".join(f"{at},{line}\n" for at, line in enumerate(BODY.splitlines())),
            ["net_nose_x", "net_nose_y", "net_tail_x", "net_tail_y"],
        ),
        (
            "salesforce.csv",
            f'{HEADER}\n{BODY}\n\n"Pipeline report"\n"Copyright (c) 2024 we, inc."\n"By: me 1/2/2024"\n',
            WORDS,
        ),
    ],
    ids=lambda each: each if isinstance(each, str) and len(each) < 20 else "",
)  # fmt: skip
def test_names_and_sentences_around_a_table_are_none_of_its_rows(
    name: str, text: str, features: list[str]
) -> None:
    found = read((name, text.encode()))
    assert list(found.features) == features
    assert_array_equal(found.values, FRAME)


LEGEND = '# by gmx energy\n@ title "E"\n@ s0 legend "T"\n'
STATION = (
    '"TOA5","CR1000","x","1","CR1000.Std","CPU","1","T"\n'
    f'"TIMESTAMP",{HEADER}\n"TS","mm","mm","mm","mm"\n"","Avg","Avg","Avg","Avg"\n'
)
NAMED = "Database\tx\n\nMeasurement\ty\n\n" + FRAME.set_axis(
    [f"Mean {each} [µm]" for each in WORDS], axis=1
).to_csv(index=False, sep="\t")
PLATE = f"* Block = 96-Well\n* Name = x\n\n[Results]\nWell\tTarget\tOmit\tTask\tDye\t{HEADER}\n"


@pytest.mark.parametrize(
    ("name", "text", "drop"),
    [
        ("energy.xvg", LEGEND + BODY.replace(",", "  "), ()),
        ("station.dat", STATION + "".join(f'"2024-01-{1 + at % 9}",{each}\n' for at, each in enumerate(BODY.splitlines())), "TIMESTAMP"),
        ("plate.txt", PLATE.replace(",", "\t") + "".join(f"A{at}\tg\tno\ty\tr\t{each}\n" for at, each in enumerate(TABS.splitlines())), ("Well", "Target", "Omit", "Task", "Dye")),
        ("stars.cat", "".join(f"# {at + 1} {each}  it\n" for at, each in enumerate(WORDS)) + BODY.replace(",", " "), ()),
        ("micro.txt", NAMED, ()),
    ],
)  # fmt: skip
def test_texts_of_instruments_are_converted_by_the_printed_lines(
    name: str, text: str, drop: str | tuple[str, ...]
) -> None:
    found = followed((name, text.encode()), "Convert it, and use the new file", drop=drop)
    assert_allclose(found.values, FRAME)
    if name == "micro.txt":  # of several words
        assert found.features == tuple(f"Mean {each} [µm]" for each in WORDS)


@pytest.mark.parametrize(
    ("row", "said"),
    [([1.7e9] * 4, "is far from all others"), ([5, 2, 5, 6], "alone has no decimals")],
)
def test_a_first_row_unlike_all_others_is_remarked_with_what_leaves_it_out(
    row: list[float], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = FRAME.abs() + 0.00005
    pd.concat([pd.DataFrame([row], columns=WORDS), table]).to_csv("t.csv", index=False)
    with pytest.warns(prviz.PrvizWarning, match=f"its first row {said}") as caught:
        assert read("t.csv").n == N + 1
    run_lines(caught[0].message, "use what this saves: ")
    found = read("t_samples.csv")
    assert_array_equal(found.values, table)
    assert not found.notes


def test_a_narrower_table_below_its_settings_keeps_its_names() -> None:
    above = "Format,File,,,Book,\nVenue,Spa\nCar,x\n\n"
    text = f"{above}{HEADER}\ns,m,kg,Pa\n\n{BODY}"
    found = followed(("t.csv", text.encode()), "lines of 6 fields above a table of 4")
    assert found.features == tuple(WORDS)
    assert_array_equal(found.values, FRAME)


def test_rows_of_an_answer_of_json_beside_what_it_says_of_itself() -> None:
    held = {"meta": {"generated": "2023"}, "data": FRAME.to_dict("records")}
    found = followed(("t.json", json.dumps(held).encode()), "Convert it, and use the new file")
    assert_array_equal(found.values, FRAME)


def test_names_of_genes_and_names_of_samples_around_a_number_tell_a_turned_table() -> None:
    counts = pd.DataFrame(RNG.poisson(80, (60, 8)), columns=[f"S{at}.gut" for at in range(8)])
    counts.insert(0, "#OTU ID", [f"{7 * at:x}a" for at in range(60)])
    refusal(
        ("t.tsv", counts.to_csv(index=False, sep="\t").encode()),
        "transposed, each row is a feature",
    )
