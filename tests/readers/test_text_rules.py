"""The rules by which a text is a table: encodings, marks between fields, numbers, thousands, lists.
One case a slip.
"""

from __future__ import annotations

import io

import numpy as np
import pytest

from prviz.readers.text_dialect import (
    Numbers,
    _divided_by_spaces,
    as_utf8,
    decorated,
    delimiter_of,
    encoding_of,
    is_index_line,
    is_missing,
    listed_numbers,
    looks_like_bare_list,
    looks_like_list,
    may_be_grouped,
    sets_thousands_apart,
    thousands_in,
)


@pytest.mark.parametrize(
    ("encoding", "heads"),
    [
        ("utf-32", [b"\xff\xfe\0\0a\0\0\0", b"\0\0\xfe\xff"]),
        ("utf-16", [b"\xff\xfea\0", b"\xfe\xff\0a"]),
        ("utf-16-le", [b"1\0,\0"]),
        ("utf-16-be", [b"\0001\0,"]),
        (
            "utf-8",
            [
                b"",
                b"1,2",
                b"\xef\xbb\xbfa",
                b"1\0,\1",
                b"\0001\1,",
                b"1\0\0\0",
                bytes(4),
                b"1\0,",
                b"\0001\0",
            ],
        ),
    ],
)
def test_encodings_are_known_by_marks_and_by_every_second_byte(
    encoding: str, heads: list[bytes]
) -> None:
    assert {encoding_of(head) for head in heads} == {encoding}


def test_any_line_end_becomes_a_line_feed() -> None:
    with as_utf8(io.BytesIO("é\r\nb\rc\n".encode("utf-16")), "utf-16", "x") as copy:
        assert copy.read() == "é\nb\nc\n".encode()


@pytest.mark.parametrize(
    ("mark", "texts"),
    [
        (
            ";",
            [
                "1;2\n3;4",
                "1,5;2\n3,5;4",
                "a,b;c,d\n1,2;3,4\n",
                "sep=;",
                "a;b\n1,2\n",
                "a;b,c\n1,2\n",
                "\ufeff1;2\n3;4",
            ],
        ),
        (
            ";",
            [
                "Title\n\n1;2\n3;4\n",
                "Title\n1;2\n3;4\n",
                "Title\nsecond\n1;2\n3;4\n",
                "\n1;2\n",
                "a;b\n\n1;2\n",
            ],
        ),
        (
            ";",
            ["# x\n1;2\n", "# a;b\n1,2\n3,4\n", "a;b\n1;2\n3\n4;5", "# made, by one\n1;2\n3;4\n"],
        ),
        (
            ",",
            [
                "",
                "1.5",
                "a,b\n1;2\n",
                "Title\nsecond\nthird\n1;2\n",
                "1, 2\n3, 4\n",
                "a|b,c\n1|2\n",
                "x\ny\n",
            ],
        ),
        (
            ",",
            [
                "a b\nx\n",
                "a b\n1\n2\n",
                "a b c d\nx 1 2\n",
                "a b\n1 2 3\n4 5\n",
                "[1 2]\n[3 4]\n",
                "a b\n[1 2]\n",
            ],
        ),
        (
            "\t",
            ["1\t2\n3\t4", "a\tb;c\n1\t2\n", "a\tb,c\n1\t2\n", '"x,y"\tb\n1\t2\n', "# a\tb\n1;2\n"],
        ),
        (
            " ",
            [
                "1 2\n3 4\n",
                "a b\n1,5 2,5\n3,5 4,5\n",
                "a,b c\n1,2 3\n",
                "a b\nx 1 2\n",
                "1 ,2 ,3\n4 ,5 ,6\n",
            ],
        ),
        ("|", ["1|2\n3|4", "sep=|\n1;2"]),
    ],
)
def test_the_mark_between_fields_divides_the_first_lines_alike(mark: str, texts: list[str]) -> None:
    assert {
        text: delimiter_of(io.BytesIO(text.encode()), ".csv") for text in texts
    } == dict.fromkeys(texts, mark)


def test_the_name_of_a_tsv_counts_for_more_than_its_lines_and_for_less_than_what_they_say() -> None:
    stream = io.BytesIO(b"1;2\n3;4")
    assert delimiter_of(stream, ".tsv") == "\t"
    assert stream.tell() == 0
    assert delimiter_of(io.BytesIO(b"sep=,\n1,2"), ".tsv") == ","


@pytest.mark.parametrize(
    ("lines", "divided"),
    [
        (["1 2", "3 4"], True),
        (["1 2", "3 4 5"], True),
        (["a b c", "1 2 3", "4 5 6"], True),
        (["a,b c", "1 2", "3 4"], True),
        (["1,5 2", "+,4 4"], True),
        (["a", "1 2"], True),
        (["1 2"], False),
        (["1 2", "3"], False),
        (["1 2 3 4", "3 4 5", "6 7 8"], False),
        (["1 2", "3 4 5", "6 7"], False),
        (["1,5 2", "x 4"], False),
        (["a b", "x;y z"], False),
        (["a b", "1\t2"], False),
        (["a b", "[1 2]"], False),
    ],
)
def test_spaces_divide_lines_of_as_many_words(lines: list[str], divided: bool) -> None:
    assert _divided_by_spaces(lines) is divided


@pytest.mark.parametrize(
    ("delimiter", "cells"),
    [
        (
            ",",
            {
                "1": 1.0,
                " -2.5 ": -2.5,
                "1e5": 1e5,
                "\u22121.5": -1.5,
                "True": 1.0,
                " FALSE": 0.0,
                "[1.5]": 1.5,
            },
        ),
        (
            ",",
            {
                "np.float64(2)": 2.0,
                "tensor(3.)": 3.0,
                "array([4])": 4.0,
                "[1, 2]": None,
                "[]": None,
                "[x]": None,
            },
        ),
        (
            ",",
            dict.fromkeys(
                ("", " ", "x", "yes", "1_000", "0x10", "1,", "1,5,6", "1,500", "-12,345", "1.234,5")
            ),
        ),
        (
            ",",
            {
                "1,500": None,
                "1,5": 1.5,
                "2,500": 2.5,
                "1.5": None,
                "7": 7.0,
                "1e3": 1e3,
                "TRUE": 1.0,
            },
        ),
        (",", {"0,123": 0.123, "1,500": 1.5}),
        (",", {"1234,567": 1234.567, "1,500": 1.5}),
        (",", {"+1,25E-2": 0.0125, ",5": 0.5, "-,5": -0.5}),
        (";", {"1.5": 1.5, "1,500": 1.5, "2.5": None, "[2.5]": 2.5}),
        ("\t", {"1,5": 1.5, "x.y": None}),
    ],
)
def test_cells_are_numbers_with_points_until_a_decimal_comma_is_met(
    delimiter: str, cells: dict[str, float | None]
) -> None:
    numbers = Numbers(delimiter)
    assert {cell: numbers.number(cell) for cell in cells} == cells


MISSING = "NA;n/a;N.A.;<NA>;#N/A;null;NULL!;#null!;none;nil;missing;unknown;-;--;?;.;#DIV/0!;#ref;#num?; NA "


def test_words_for_missing_numbers() -> None:
    assert [word for word in MISSING.split(";") if not is_missing(word)] == []
    assert [word for word in ("0", "nan", "x", "nothing", "..", "1-") if is_missing(word)] == []


@pytest.mark.parametrize(
    ("signs", "texts"),
    [
        (
            (",", "."),
            [
                "1,234",
                "1,234,567",
                "1,23,456",
                "12,34,567.5",
                "1,234.5",
                "-1,234",
                "+1,234.",
                " 1,234 ",
            ],
        ),
        ((".", ","), ["1.234", "1.234,5", "1.234.567", "1.234.567,8"]),
        ((" ", "."), ["1 234", "1 234.5"]),
        ((" ", ","), ["1 234,5"]),
        (("'", "."), ["1'234", "1'234.5"]),
        (("'", ","), ["1'234,5"]),
        (("\u2019", ","), ["1\u2019234,5"]),
        (None, ["1,2", "1234", "1,234,56", "1.234.5", "1234,567", "1,234,5", "1,23", "x", ""]),
    ],
)
def test_marks_between_thousands(signs: tuple[str, str] | None, texts: list[str]) -> None:
    assert {text: thousands_in(text) for text in texts} == dict.fromkeys(texts, signs)


def test_signs_around_numbers() -> None:
    with_signs = [
        "$1",
        "1%",
        "€1.5",
        "'1'",
        '"1"',
        "=1",
        "(1)",
        "$(1)",
        "1-",
        "\u22121",
        "1D5",
        "$1,234",
        "$1,5",
        "1.5 %",
    ]
    assert [text for text in with_signs if not decorated(text)] == []
    plain = ["1", "1,234", "1,5", "5x", "(x)", "$", "", "$x", "1(2)", "D", "1D"]
    assert [text for text in plain if decorated(text)] == []


@pytest.mark.parametrize(
    ("numbers", "cells"),
    [
        (
            [1.0, 2.0],
            [
                "[1, 2]",
                "[1 2]",
                "(1,2)",
                "{1,2}",
                "c(1, 2)",
                "[[1, 2]]",
                "[1,, 2]",
                "[1, 2,]",
                "; 1|2 ;",
                " 1;2",
            ],
        ),
        (
            [1.0, 2.0],
            [
                "array([1, 2], dtype=float32)",
                "tensor([1., 2.], device='cuda:0')",
                "np.array([[1, 2]])",
            ],
        ),
        ([1.5, 2.0], ["[np.float64(1.5), np.float32(2)]", "[float16(1.5), int64(2)]"]),
        ([], ["", "[]", " "]),
        (None, ["c(1, [2])", "[1, 2", "[1_0]", "[a]", "[1 ... 3]", "array([1, 2]", "[1], [2]"]),
    ],
)
def test_numbers_of_lists(numbers: list[float] | None, cells: list[str]) -> None:
    assert {cell: listed_numbers(cell) for cell in cells} == dict.fromkeys(cells, numbers)


def test_which_cells_look_like_lists() -> None:
    lists = [
        "[1, 2]",
        "[1 2]",
        "array([1, 2])",
        "np.array([1])",
        "[a, b]",
        "[1 ... 2]",
        "[1...2]",
        "[]",
        " [1] ",
    ]
    assert [cell for cell in lists if not looks_like_list(cell)] == []
    none = [
        "(1, 2)",
        "(a, b)",
        "[mm]",
        "1, 2",
        "[1, 2",
        "array([a b])",
        "array(x)",
        "f(1, 2)",
        "x]",
    ]
    assert [cell for cell in none if looks_like_list(cell)] == []
    bare = ["0.1;0.2;0.3", "0.1 0.2 0.3", "{0.1,0.2,3}", "c(0.1, 0.2, 0.3)", "1|2|.5"]
    assert [cell for cell in bare if not looks_like_bare_list(cell)] == []
    assert [
        cell
        for cell in ("0.1;0.2", "1;2;3", "1 234 567.5", "a.b;c;d")
        if looks_like_bare_list(cell)
    ] == []


def test_the_name_of_the_index_stands_alone() -> None:
    assert is_index_line(["id", " ", ""])
    assert not any(map(is_index_line, (["id"], ["", ""], [" ", ""], ["id", "x"], ["id", "", "x"])))


@pytest.mark.parametrize(
    ("values", "grouped"),
    [
        ([1.5], True),
        ([0.0, 1.5], True),
        ([-1.234, 999.999], True),
        ([2.0, 1.0], False),
        ([0.5, 1.5], False),
        ([1.5, 1000.0], False),
        ([1.2345], False),
        ([1.5, *[1.0] * (1 << 14)], True),
        ([*[1.0] * (1 << 14), 1.5], True),
        ([1.5, *[1.0] * (1 << 14), 0.5], False),
    ],
)
def test_values_that_may_be_thousands(values: list[float], grouped: bool) -> None:
    assert may_be_grouped(np.array(values)[:, None]) is grouped
    assert may_be_grouped(np.array([values, values])) is grouped


@pytest.mark.parametrize(
    ("apart", "columns"),
    [
        (True, ["1.230 5"]),
        (True, ["1.230 -5 +1.234"]),
        (True, [" ".join(["1.230"] * 50 + ["5"])]),
        (True, ["5 5", "1.230 7"]),
        (False, [" ".join(["1.234"] * 50 + ["5"])]),
        *(
            (False, [column])
            for column in ("1.234 1.5", "0.234", "01.234", "1.234.567", "1234.567", "1.230 5 x")
        ),
        (None, ["1.234 5"]),
        (None, [" ".join(["1.234"] * 50)]),
        (None, [" ".join(["1.234"] * 49 + ["5"])]),
        (None, ["1.230 0"]),
        (None, ["1.230 1.231", "7 8"]),
        (None, ["12.345 123.450"]),
    ],
)
def test_thousands_are_told_from_decimals_by_zeros_and_whole_numbers(
    apart: bool | None, columns: list[str]
) -> None:
    rows = list(zip(*(column.split() for column in columns), strict=True))
    assert sets_thousands_apart(rows, ".") is apart
    assert (
        sets_thousands_apart([[cell.replace(".", ",") for cell in row] for row in rows], ",")
        is apart
    )
