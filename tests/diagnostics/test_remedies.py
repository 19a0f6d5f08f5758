"""Remedies: what may be tried against what gives samples away, and that the real samples stay as
they are.
"""

from __future__ import annotations

import numpy as np
import pytest

from prviz.diagnostics.named_columns import Histogram, NamedColumns
from prviz.diagnostics.remedies import Remedy, changes
from prviz.samples import SamplePair

WHOLE = np.arange(12.0).reshape(4, 3)


def named(*columns: int, low: float | None = None, high: float | None = None) -> NamedColumns:
    return NamedColumns(
        "name", columns, "sentence", Histogram((0, 1), (1,), (1,)), low=low, high=high
    )


@pytest.mark.parametrize(
    ("rows", "real", "generated", "words", "expected"),
    [
        (
            "values that are no whole numbers: …",
            WHOLE,
            WHOLE + 0.2,
            "rounded to whole numbers",
            WHOLE,
        ),
        ("values below 0: …", WHOLE, -WHOLE, "values below 0 set to 0", 0 * WHOLE),
        ("rows of length 1: …", np.eye(3), 5 * np.eye(3), "all rows of length 1", np.eye(3)),
    ],
)
def test_what_the_generated_rows_alone_are_is_undone(
    rows: str, real: np.ndarray, generated: np.ndarray, words: str, expected: np.ndarray
) -> None:
    (found,) = changes(SamplePair(real, generated), (), rows)
    assert found.words == words
    assert found.pair.generated.values == pytest.approx(expected)
    assert found.pair.real.values == pytest.approx(real)
    # no remedy for what the real ones are
    assert not list(changes(SamplePair(generated, real), (), rows))


def test_values_beyond_an_end_that_no_real_one_passes_are_clipped() -> None:
    real = np.array([[0.0, 1.0], [2.0, 3.0]])
    generated = np.array([[-1.0, 9.0], [9.0, -1.0]])
    pair = SamplePair(real, generated)
    (found,) = changes(pair, [named(0, low=0.0)], "")
    assert found.words == "values below 0 set to 0"
    assert found.pair.generated.values.tolist() == [[0, 9], [9, -1]]
    (found,) = changes(pair, [named(1, low=0.5, high=4.0)], "")
    assert found.words == "values below 0.5 set to 0.5 and values above 4 set to 4"
    assert found.pair.generated.values.tolist() == [[-1, 4], [9, 0.5]]
    (found,) = changes(pair, [named(0, low=0.0, high=20.0)], "")
    assert found.words == "values below 0 set to 0"  # no value passes the other end
    (found,) = changes(pair, [named(0, low=0.0), named(1, low=0.5, high=4.0)], "")
    assert found.words == "values beyond all real ones set to the ends named"
    assert not list(changes(pair, [named(1, low=2.0)], ""))  # a real one passes it


def test_faint_values_are_blanked_where_real_ones_are_exactly_blank() -> None:
    real = np.zeros((3, 4))
    real[:, 2] = 16, 0, 8
    real[:, 3] = 16, 2, 8
    generated = np.array([[2.0, 1, 3, 16]] * 3)
    blank = [named(0, 1, low=0.0, high=0.0)]
    (found,) = changes(SamplePair(real, generated), blank, "")
    assert found.words == "values up to 2 of 16 set to 0"
    assert found.pair.generated.values.tolist() == [[0, 0, 3, 16]] * 3
    assert found.pair.real.values[:, 2].tolist() == [16, 0, 8]
    assert found.pair.real.values[:, 3].tolist() == [16, 2, 8]  # no blank one among them
    assert not list(changes(SamplePair(generated, real), blank, ""))


def test_of_columns_of_other_scales_only_those_named_are_blanked() -> None:
    real = np.array([[0.0, 0, 0, 0], [8, 0.5, 0.4, 0.3]])
    generated = np.array([[1.0, 0.5, 0.5, 0.5], [8, 0, 0, 0]])
    generated[1, 0] = 1
    (found,) = changes(SamplePair(real, generated), [named(0, low=0.0, high=0.0)], "")
    assert found.words == "values of these up to 1 of 8 set to 0"
    assert found.pair.generated.values.tolist() == [[0, 0.5, 0.5, 0.5], [0, 0, 0, 0]]


def test_a_remedy_that_does_not_help_says_so() -> None:
    assert Remedy("rounded", 0.5, 0.3).text == "rounded: 0.50"
    assert Remedy("rounded", 0.21, 0.01).text == "rounded: 0.21, which does not help"
