"""Arrays as they come: every holder of the same rows gives the same array, every refusal names its
remedy.
"""

from __future__ import annotations

import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

import prviz
from prviz.array_input import as_array
from prviz.samples import SamplePair, Samples

ROWS = np.random.default_rng(0).normal(size=(5, 3))


class Exchanged:
    """An array that offers itself by DLPack alone, from the CPU or another device."""

    def __init__(self, values: np.ndarray, kind: int = 1) -> None:
        self.values = values
        self.kind = kind

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0


HOLDERS = {
    "array": ROWS,
    "samples": Samples(ROWS),
    "rows": [list(row) for row in ROWS],
    "arrays": list(ROWS),
    "objects": np.array([*ROWS, None], dtype=object)[:5],
    "decimals": np.array([[decimal.Decimal(x) for x in row] for row in ROWS], dtype=object),
    "DLPack": Exchanged(ROWS),
    "frame": pd.DataFrame(ROWS),
    "nullable frame": pd.DataFrame(ROWS).astype("Float64"),
    "pandas column": pd.Series(list(ROWS)),
    "frame of one column": pd.DataFrame({"embedding": list(ROWS)}),
    "list array": pa.array([list(row) for row in ROWS]),
    "fixed lists": pa.array([list(row) for row in ROWS], type=pa.list_(pa.float64(), 3)),
    "chunked": pa.chunked_array(
        [pa.array([list(row) for row in half]) for half in (ROWS[:2], ROWS[2:])]
    ),
    "record batch": pa.record_batch({name: ROWS[:, at] for at, name in enumerate("abc")}),
    "table": pa.table({name: ROWS[:, at] for at, name in enumerate("abc")}),
    "table of one column": pa.table({"embedding": [list(row) for row in ROWS]}),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_every_holder_gives_the_same_curve(name: str) -> None:
    assert np.array_equal(as_array(HOLDERS[name], "real").astype(float), ROWS)
    curve = prviz.pr_curve(HOLDERS[name], ROWS[::-1] + 0.1, k=1, split=None)
    assert np.array_equal(
        curve.vertices, prviz.pr_curve(ROWS, ROWS[::-1] + 0.1, k=1, split=None).vertices
    )


def test_a_mapped_file_is_not_copied(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", ROWS)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert np.shares_memory(Samples(mapped).values, mapped)


TEXT = pd.DataFrame(ROWS, columns=list("xyz")).assign(name="a")


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (
            "real.npy",
            TypeError,
            r"real: 'real.npy' is a path or a text; prviz.read\(path\) gives its samples",
        ),
        (Path("real.npy"), TypeError, r"prviz.read"),
        (None, TypeError, "None was given"),
        ({"a": ROWS}, TypeError, r"mapping of 1 entries was given; .* values\['a'\]"),
        ({}, TypeError, "mapping of 0 entries"),
        (dict(zip("abc", ROWS.T, strict=True)), TypeError, r"numpy.column_stack\(list\("),
        (SamplePair(ROWS, ROWS), TypeError, "values.real and values.generated are its sets"),
        (ROWS[:, 0], ValueError, r"numpy.reshape\(values, \(-1, 1\)\) makes each number a sample"),
        (np.stack([ROWS, ROWS], 2), ValueError, r"numpy.reshape\(values, \(len\(values\), -1\)\)"),
        ([ROWS, ROWS], ValueError, r"; numpy.concatenate\(list\(values\)\) joins batches; "),
        ([[1, 2], [3]], ValueError, "row 2 has 1 value, row 1 has 2"),
        (scipy.sparse.csr_matrix(ROWS), TypeError, r"values.toarray\(\)"),
        (
            (row for row in ROWS),
            TypeError,
            r"generator is no array.*numpy.stack\(list\(values\)\) makes one of rows",
        ),
        (
            pd.DataFrame(ROWS).to_records(),
            TypeError,
            r"pandas.DataFrame\(values\) makes a table of its fields",
        ),
        (
            pd.DataFrame(ROWS).to_dict("records"),
            TypeError,
            r"pandas.DataFrame\(values\) makes a table of such rows",
        ),
        (
            pa.Table.from_pandas(TEXT),
            TypeError,
            r"column 'name' has.*values.to_pandas\(\).select_dtypes\('number'\)",
        ),
        (
            ROWS.astype(complex),
            TypeError,
            r"numpy.hstack\(\[values.real, values.imag\]\) makes them columns",
        ),
        (ROWS.astype(str), TypeError, r"numpy.array\(values, float\) converts texts"),
        (
            Exchanged(ROWS, kind=2),
            TypeError,
            r"on device 2:0; bring them to the CPU first: values.cpu\(\)",
        ),
        ([[1, 2], [1, 2, 3]], ValueError, "row 2 has 3 values, row 1 has 2"),
        (
            np.array([[1, 2], [1, 2, 3]], dtype=object),
            ValueError,
            "row 2 has 3 values, row 1 has 2",
        ),
        ([[1.0, 2.0], None], ValueError, "row 2 is None"),
        ([[1, 2], [None, 3]], TypeError, "row 2, column 1 is None"),
        (TEXT, TypeError, r"row 1, column 4 is 'a'.*'name'.*select_dtypes\('number'\)"),
        (
            pd.DataFrame(ROWS).astype("Float64").mask(ROWS > 1.2),
            TypeError,
            r"<NA>; a number.*values.dropna\(\) leaves",
        ),
        ([[1.0], ["a"]], TypeError, "dtype <U"),
        (
            pd.Series([np.array(["1", "2"]), np.array(["3", "4"])]),
            TypeError,
            "dtype <U1; real numbers are needed",
        ),
        (
            pd.DataFrame({"x": [1.0, 2.0], "y": ["3", "4"]}),
            TypeError,
            "row 1, column 2 is '3'; a number is needed",
        ),
        (
            pd.Series([np.array([1j, 2]), np.array([3, 4])]),
            TypeError,
            "complex128; real numbers are needed",
        ),
        (
            np.ma.masked_array(ROWS, ROWS > 1.2),
            TypeError,
            r"row \d, column \d is masked; .*1 of 15.*numpy.ma.compress_rows\(values\)",
        ),
    ],
)
def test_a_refusal_says_what_to_do(values: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        prviz.pr_curve(values, ROWS)


def test_values_whose_squares_overflow_are_to_be_divided() -> None:
    with pytest.raises(
        ValueError, match=r"values 1e\+154 or more from .* divide both sets by one number"
    ):
        prviz.pr_curve(1e200 * ROWS, ROWS, k=1)


def test_torch() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(ROWS)
    assert np.array_equal(as_array(tensor, "real"), ROWS)
    assert np.array_equal(as_array(list(tensor), "real"), ROWS)
    for other, remedy in (
        (tensor.clone().requires_grad_(), r"values.detach\(\)"),
        (tensor.bfloat16(), r"\.float\(\)"),
        (tensor.to_sparse(), "to_dense"),
        (tensor.to("meta"), "device meta, which holds no values"),
        (tensor.to(torch.float8_e4m3fn), r"\.float\(\)"),
        ([row.bfloat16() for row in tensor], r"\.float\(\)"),
    ):
        with pytest.raises(TypeError, match=remedy):
            as_array(other, "real")


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    for holder in (
        polars.DataFrame(ROWS),
        polars.Series([list(row) for row in ROWS]),
        polars.Series([list(row) for row in ROWS], dtype=polars.Array(polars.Float64, 3)),
        polars.DataFrame({"embedding": [list(row) for row in ROWS]}),
    ):
        assert np.array_equal(as_array(holder, "real"), ROWS)
    with pytest.raises(ValueError, match="row 2 is None"):
        as_array(polars.Series([[1.0], None]), "real")


def test_jax() -> None:
    numpy = pytest.importorskip("jax.numpy")
    assert np.array_equal(as_array(numpy.array(ROWS), "real"), ROWS.astype(np.float32))
    with pytest.raises(TypeError, match=r"bfloat16.*astype\('float32'\)"):
        as_array(numpy.array(ROWS, dtype=numpy.bfloat16), "real")


@pytest.mark.parametrize(
    ("values", "remedy"),
    [
        ((row for row in ROWS), "np.stack(list(values))"),
        (pd.DataFrame(ROWS).to_records(index=False), "pd.DataFrame(values)"),
        (pd.DataFrame(ROWS).to_dict("records"), "pd.DataFrame(values)"),
        (pa.Table.from_pandas(TEXT), "values.to_pandas().select_dtypes('number')"),
        (ROWS.astype(str), "np.array(values, float)"),
        (dict(zip("abc", ROWS.T, strict=True)), "np.column_stack(list(values.values()))"),
        (ROWS[:, :, None].repeat(2, axis=2)[..., :1], "np.reshape(values, (len(values), -1))"),
    ],
)
def test_remedies_give_the_rows(values: Any, remedy: str) -> None:
    held = {"values": values, "np": np, "pd": pd}
    exec(f"values = {remedy}", held)
    found = as_array(held["values"], "x")
    np.testing.assert_array_equal(found[:, :3], ROWS)


@pytest.mark.parametrize("form", ["{!r}", "[{!r}, 1.0]"])
def test_texts_that_hold_numbers_are_read_by_the_printed_remedy(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    numbers = (np.arange(20) / 8).tolist()
    values = pd.DataFrame({"id": range(20), "e": [form.format(each) for each in numbers]})
    with pytest.raises(TypeError, match="reads numbers in texts") as caught:
        as_array(values, "x")
    saved, _, rest = str(caught.value).rpartition("; ")[2].partition(", and ")
    held: dict[str, Any] = {"values": values, "prviz": prviz}
    exec(f"{saved}\nfound = {rest.partition(' reads')[0]}", held)
    np.testing.assert_array_equal(held["found"].values[:, 0], numbers)


def test_tables_of_pyarrow_keep_the_names_of_their_columns() -> None:
    table = pa.table({"b": ROWS[:, 1], "a": ROWS[:, 0]})
    assert Samples(table).features == ("b", "a")
    assert Samples(table.to_batches()[0]).features == ("b", "a")


def test_what_dlpack_does_not_know_is_taken_as_an_array() -> None:
    class Lists:
        """As lists of pyarrow before 23."""

        def __dlpack_device__(self) -> tuple[int, int]:
            raise TypeError("DataType is not compatible with DLPack spec: list<item: double>")

        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.arange(12.0).reshape(4, 3)

    assert as_array(Lists(), "these").shape == (4, 3)
