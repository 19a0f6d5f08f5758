"""Names of columns that are numbers: told from samples by the rows below, and never seen in tables
without names.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from prviz.readers import read
from prviz.readers.number_names import _is_name, points
from prviz.readers.text_dialect import Numbers
from prviz.samples import Samples
from tests.readers.answers import followed

VALUES = np.random.default_rng(3).normal(size=(40, 6))
COUNTS = np.random.default_rng(3).poisson(20, (40, 6))
BODY = "\n".join(",".join(map(repr, row)) for row in VALUES.tolist())
WHOLE = "\n".join(",".join(map(str, row)) for row in COUNTS.tolist())
ABOVE_FOUR = "\n".join(line.rsplit(",", 2)[0] for line in BODY.splitlines())


def numbered(body: str, first: str = "s") -> str:
    """The lines with a name of each row in front."""
    return "\n".join(f"{first}{place},{line}" for place, line in enumerate(body.splitlines()))


@pytest.mark.parametrize(
    ("head", "body", "d"),
    [
        ("2015,2016,2017,2018,2019,2020", BODY, 6),
        ("2020,2019,2018,2017,2016,2015", WHOLE, 6),
        ("400.5,410.5,420.5,430.5,440.5,450.5", BODY, 6),
        ("1,10,100,1000,10000,100000", BODY, 6),
        ("50.1,51.3,54.2,60.1,61.9,70.4", BODY, 6),
        ("0.1,0.2,0.3,0.4,0.5,0.6", BODY, 6),
        ('"3.5","1.5","2.5","9.5","8.5","0.5"', BODY, 6),
        ("id,400.5,410.5,420.5,430.5,440.5,450.5", numbered(BODY), 6),
        (",2015,2016,2017,2018,2019,2020", numbered(BODY, ""), 6),
        ("2019,2019,2019,2020,2020,2020\n1,2,3,1,2,3", BODY, 6),
        (",2019,2019,2019,2020,2020,2020\n,1,2,3,1,2,3", numbered(BODY), 6),
        ("a,a,a,b,b,b\n7,14,28,7,14,28", BODY, 6),
        ("2015,2016,2017,2018", ABOVE_FOUR, 4),
    ],
)
def test_numbers_above_a_table_are_names(head: str, body: str, d: int) -> None:
    samples = read_quietly(f"{head}\n{body}")
    assert samples.values.shape == (40, d)
    values = COUNTS if body == WHOLE else VALUES[:, :d]
    if head.startswith("2020"):  # in the order of their numbers
        values = values[:, ::-1]
    assert_array_equal(samples.values, values)


def read_quietly(text: str) -> Samples:
    """The samples of a table, without what is said of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(("t.csv", text.encode()))


def test_names_that_are_numbers_are_said_and_kept() -> None:
    samples = read_quietly(f"2015,2016,2017,2018,2019,2020\n{BODY}")
    assert samples.notes == ("its first line (2015, 2016, 2017 ...) is read as names of columns",)
    assert samples.features == ("2015", "2016", "2017", "2018", "2019", "2020")
    assert read_quietly(f"0,1,2,3,4,5\n{BODY}").features == ()


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("10,20,30,40,50,60", WHOLE),
        ("7157,672,1956,3845,207,4609", BODY),
        ("7157 672  1956 3845  207 4609", BODY.replace(",", "  ")),
        ("f0,f1,f2,f3,f4,f5\n400.5,410.5,420.5,430.5,440.5,450.5", BODY),
    ],
)
def test_doubtful_names_are_asked_about(head: str, body: str) -> None:
    file = "t.csv", f"{head}\n{body}\n".encode()
    found = followed(file, "could be names of columns or a sample")
    assert_array_equal(found.values, COUNTS if body == WHOLE else VALUES)


def kinds(rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Tables without names, of which none may be taken for one with them."""
    n = int(rng.integers(20, 80))
    d = int(rng.integers(1, 11))
    normal = rng.normal(size=(n, d))
    return {
        "normal": normal,
        "rounded": normal.round(1),
        "sorted": np.sort(normal, axis=0),
        "sorted rows": np.sort(normal, axis=1),
        "counts": rng.poisson(3, (n, d)),
        "sorted counts": np.sort(rng.poisson(30, (n, d)), axis=0),
        "cumulated": np.cumsum(rng.poisson(3, (n, d)), axis=1),
        "lines": rng.normal(size=(n, 1)) + rng.normal(size=(n, 1)) * np.linspace(0, 1, d),
        "walks": np.cumsum(normal, axis=1),
        "outliers": rng.standard_cauchy((n, d)),
        "of one size": np.exp(3 * rng.normal(size=(n, 1))) * (1 + 0.1 * normal),
        "answers": rng.integers(1, 6, (n, d)),
    }


@pytest.mark.parametrize("seed", range(40))
def test_samples_are_no_names(seed: int) -> None:
    for kind, values in kinds(np.random.default_rng(seed)).items():
        first, *rows = ([repr(value) for value in row] for row in values.tolist())
        assert points(first, rows[:64], Numbers(",")) < 3, kind


def test_infinities_are_compared_without_a_warning() -> None:
    first = ["0.0", "1.0", "2.0", "1" + "0" * 400]
    row = ["1.5", "2.5", "3.5", "-1" + "0" * 400]
    assert points(first, [row, row, row], Numbers(",")) >= 0


@pytest.mark.parametrize(
    ("below", "counted"),
    [(["0", "1", "2"], True), (["7", "8", "9"], True), (["0", "2", "1"], False)],
)
def test_no_name_stands_above_a_count(below: list[str], counted: bool) -> None:
    assert _is_name("", below) is counted
