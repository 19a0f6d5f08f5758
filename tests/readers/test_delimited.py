"""Tables of text read by pyarrow and by the reader of single lines: the same values, labels and
refusals.
"""

from __future__ import annotations

from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st
from numpy.testing import assert_array_equal

from prviz.readers import Limits, ReadError, delimited, read
from prviz.readers.delimited import summary_rows
from tests.readers.answers import csv, followed, refusal

# Fields that parsers are known to read differently, or that no table should hold.
ODD = (
    *(
        "nan",
        "NaN",
        "inf",
        "-Infinity",
        "1e400",
        "-1e400",
        "1e-400",
        "0x10",
        "1_000",
        "1,5",
        "+1",
        ".5",
        "5.",
        ".",
    ),
    *(
        "",
        " ",
        "-",
        "NA",
        "null",
        "true",
        "1e",
        "1e5",
        "1E+05",
        "007",
        " 1",
        "1 ",
        "1 2",
        "\t1",
        "\x0b1",
        "1\xa0",
    ),
    *(
        "٣",
        "1f",
        "1d5",
        "-0",
        "-0.0",
        "#1",
        "#N/A",
        '"1"',
        '"1',
        '1"',
        "'1'",
        "1;2",
        "1\r",
        "\x001",
        "\ufeff1",
        "€",
    ),
    *(
        "4.9e-324",
        "2.5e-324",
        "2.4e-324",
        "1.7976931348623158e308",
        "9007199254740993",
        "1" + "0" * 400,
        "0." + "1" * 99,
    ),
)
DECIMALS = st.from_regex(r"-?[0-9]{1,30}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr), st.integers().map(str), DECIMALS
)
# Rows that the reader of lines sees before pyarrow gets the file.
AHEAD = 80
FIELDS = st.one_of(*[NUMBERS] * 9, st.sampled_from(ODD))
ENDS = st.sampled_from(
    ("\n",) * 12 + ("\r\n", "\n\n", "\r", " \n", "\n \n", "\r\r\n", "\n#\n", '"\n', "\x1c\n")
)
TEXTS = st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), max_size=5)


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A table with or without a header, a label, a comment and a byte order mark."""
    mark = draw(st.sampled_from(",,,;\t"))
    width = draw(st.integers(1, 4))
    labelled = draw(st.booleans())
    names = [f"f{place}" for place in range(width)]
    header = mark.join(["id", *names] if labelled else names) + "\n"
    text = draw(st.sampled_from(("", "\ufeff", "# by hand\n")))
    text += header if labelled else draw(st.sampled_from(("", header)))
    end = draw(st.sampled_from(("\n", "\r\n")))
    plain = draw(st.sampled_from((0, AHEAD)))
    text += plain * (mark.join(["x", *"1" * width] if labelled else "1" * width) + end)
    for _ in range(draw(st.integers(3, 6))):
        fields = [draw(FIELDS) for _ in range(width)]
        text += mark.join([draw(TEXTS), *fields] if labelled else fields)
        text += end if draw(st.integers(0, 9)) else draw(ENDS)
    return (text if draw(st.booleans()) else text.rstrip()).encode()


def outcome(data: bytes, worth: int, limits: Limits | None = None) -> tuple[object, ...]:
    """What reading gives where pyarrow parses files from ``worth`` bytes."""
    with mock.patch.object(delimited, "_WORTH_ARROW", worth):
        try:
            samples = read(("x.csv", data), limits=limits)
        except ReadError as error:
            return type(error), str(error)
    labels = {name: (column.dtype, column.tolist()) for name, column in samples.labels.items()}
    return samples.values.shape, samples.values.tobytes(), labels


@settings(max_examples=50)
@given(tables())
@example(b"0,1\n" + b"1.5,2\n" * AHEAD + b'"1.5","2"\n')
@example(b"a,b\n" + b"1.5,2\n" * AHEAD + b"true,2\n1,3\n")
@example(b"id,a\n" + b" 1 ,2\n" * AHEAD + b" \n x\t,3")
def test_both_parsers_read_and_refuse_alike(data: bytes) -> None:
    assert outcome(data, 0) == outcome(data, len(data) + 1)


@pytest.mark.exhaustive
@settings(max_examples=20)
@given(
    st.lists(NUMBERS.filter(lambda text: abs(float(text)) < float("inf")), min_size=40, max_size=40)
)
@example(
    [
        "4.9e-324",
        "2.5e-324",
        "-2.4e-324",
        "1.7976931348623158e308",
        "9007199254740993",
        "0." + "1" * 99,
        "1e-400",
    ]
)
def test_both_parsers_give_the_same_doubles(numbers: list[str]) -> None:
    data = ("0.5,0.5\n" * 3 + "\n".join(f"{text},1" for text in numbers)).encode()
    shape, values, _ = outcome(data, 0)
    by_lines = outcome(data, len(data) + 1)
    assert shape == (3 + len(numbers), 2)
    assert values == by_lines[1]


@pytest.mark.parametrize("part", [64, 1 << 23])
def test_a_plain_table_is_parsed_by_pyarrow_alone(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "_WORTH_ARROW", 0)
    monkeypatch.setattr(delimited, "_PART", part)
    lines: list[int] = []
    append = delimited._Table.append
    monkeypatch.setattr(
        delimited._Table,
        "append",
        lambda table, line, fields: append(table, lines.append(line) or line, fields),
    )
    values = np.random.default_rng(0).normal(size=(50, 3))
    text = "id,a,b,c\r\n" + "".join(
        f"é {n},{','.join(map(repr, row))}\r\n" for n, row in enumerate(values.tolist())
    )
    samples = read(("x.csv", text.encode()))
    assert_array_equal(samples.values, values)
    assert samples.labels["id"].tolist() == [f"é {n}" for n in range(50)]
    assert lines == [2, 3, 4]
    read(("x.csv", text.replace("é 40", '"é 40"').encode()))
    assert lines == [2, 3, 4, 2, 3, 4, *range(5, 52)]
    del lines[:]
    read(("x.csv", text.encode()), limits=Limits(max_header_bytes=len(text) // 2))
    assert lines == [2, 3, 4]


def test_limits_hold_for_both_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"1.5,2\n" * 400
    wide = b"1.5,2\n" * 20 + b"1" * 90 + b",2\n" + b"1.5,2\n" * 20
    for limits, table in (
        (Limits(max_bytes=4000), data),
        (Limits(max_header_bytes=80), wide),
        (Limits(min_rows=500), data),
    ):
        refused = outcome(table, 0, limits)
        assert refused == outcome(table, 1 << 30, limits)
        assert refused[0] is ReadError


@pytest.mark.parametrize("rows", [0, 1 << 30])
def test_the_longest_line_is_taken_in_every_place(rows: int) -> None:
    data = b"1.25,2.25\n" * 5
    assert outcome(data, rows, Limits(max_header_bytes=10))[0] is not ReadError
    assert outcome(data, rows, Limits(max_header_bytes=9))[0] is ReadError


def test_lists_of_one_number_each_are_numbers_and_longer_ones_ask_which() -> None:
    one = "t.csv", b'a,b\n"[1.5]","[2.5]"\n"[3.5]","[4]"\n"[0]","[1]"\n'
    assert read(one).values.tolist() == [[1.5, 2.5], [3.5, 4.0], [0.0, 1.0]]
    two = "t.csv", b'a,b\n"[1.5, 2]","[2.5, 7]"\n"[3.5, 1]","[4.5, 8]"\n"[0, 0]","[1, 1]"\n'
    refusal(two, "several list columns could be the samples: 'a', 'b'")


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25, 0.75, 0.9, 0.95])
def test_a_quantile_above_the_mean_is_no_sample(share: float) -> None:
    table = pd.DataFrame(np.random.default_rng(5).normal(size=(60, 4)), columns=list("abcd"))
    above = pd.concat([table.quantile([share]), table.mean().to_frame().T, table])
    refusal(csv(above), "sums up the rows below")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize(("head", "end"), [("item", "Total"), ("", "Summe")])
def test_a_row_that_its_label_calls_a_total_is_no_sample_whatever_it_holds(
    mark: str, head: str, end: str
) -> None:
    values = np.random.default_rng(5).normal(size=(40, 2)).round(3)
    rows = [(f"x{place}", *row) for place, row in enumerate(values.tolist())]
    rows.insert(20, ("Subtotal 1", 3.5, 4.5))
    names = [head, "a", "b"] if head else ["a", "b"]  # as R writes its tables
    lines = [names, *rows, (f"{end}:", 7, 9)]
    text = "".join(mark.join(map(str, line)) + "\n" for line in lines)
    drop = {"drop": names[:-2]}
    found = followed(("t.csv", text.encode()), f"{end}:' sums up other rows", first=drop, **drop)
    assert_array_equal(found.values, values)


@pytest.mark.parametrize(
    "labels",
    [
        ["mean", "max"] * 20,
        [*(["pro", "mini", "lite", "air"] * 9), *["std"] * 4],
        [*map(chr, range(97, 136)), "Max"],
    ],
)
def test_labels_that_are_words_of_sums_are_labels_of_kinds_and_people(labels: list[str]) -> None:
    table = pd.DataFrame(np.random.default_rng(5).normal(size=(40, 2)), columns=["a", "b"])
    table["label"] = labels
    assert read(csv(table)).n == 40


def test_sums_below_a_table_are_found_without_a_warning() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 3)) * 1e306
    assert summary_rows(np.r_[rows, rows.sum(axis=0)[None]]) == (0, 1)
    assert summary_rows(np.full((20, 2), 1e308)) == (0, 0)
    constant = np.c_[np.ones(20), np.arange(20.0)]
    assert summary_rows(np.r_[constant, constant.sum(axis=0)[None]]) == (0, 0)
