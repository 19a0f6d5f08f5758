"""Products added to an array: equal to those of NumPy, and added as the error bound assumes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import prviz
from prviz.estimators import DEFAULT_METHODS
from prviz.neighbors import products
from prviz.neighbors.products import PART, add_products, add_products_by_numpy, adds_once

Array = NDArray[Any]
SHAPES = [
    (1, 1, 1),
    (1, 5, 3),
    (4, 1, 7),
    (3, 3, PART),
    (130, 257, PART),
    (61, 40, 100),
    (0, 3, 4),
    (3, 0, 4),
]


def integers(rng: np.random.Generator, shape: tuple[int, ...], dtype: type) -> Array:
    """Integers so small that sums of their products are exact."""
    return rng.integers(-8, 9, size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "n", "k"), SHAPES)
def test_products_are_those_of_integers(m: int, n: int, k: int, dtype: type) -> None:
    rng = np.random.default_rng(0)
    left, right, out = (integers(rng, shape, dtype) for shape in ((m, k), (n, k), (m, n)))
    expected = out.astype(np.int64) + left.astype(np.int64) @ right.T.astype(np.int64)
    for add in (add_products, add_products_by_numpy):
        found = out.copy()
        add(left, right, found)
        np.testing.assert_array_equal(found, expected)
        add(left, right, found, -2.0)
        np.testing.assert_array_equal(found, 2 * out - expected)


@pytest.mark.parametrize("wrong", ["left", "right", "out", "precision"])
def test_factors_that_do_not_belong_together_are_refused(wrong: str) -> None:
    left = np.ones((4, 6))
    right = np.ones((5, 6))
    out = np.ones((4, 5))
    left = left[:, :-1] if wrong == "left" else left
    out = out.T if wrong == "out" else out
    right = {"right": right[:, :-1], "precision": right.astype(np.float32)}.get(wrong, right)
    with pytest.raises(ValueError, match=r"are needed"):
        add_products(left, right, out)


@pytest.mark.parametrize("rows", [1, 6])
def test_parts_of_rows_and_of_columns_are_written_where_they_belong(rows: int) -> None:
    rng = np.random.default_rng(1)
    left = integers(rng, (9, 50), np.float32)
    right = integers(rng, (30, 50), np.float32)
    whole = integers(rng, (9, 40), np.float32)
    expected = whole.copy()
    expected[:rows, 5:35] += left[:rows, 10:40] @ right[:, 10:40].T
    add_products(left[:rows, 10:40], right[:, 10:40], whole[:rows, 5:35])
    np.testing.assert_array_equal(whole, expected)


@pytest.mark.parametrize("first", [1, PART // 2, PART - 1])
def test_adding_in_two_goes_is_found_out(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def in_two(left: Array, right: Array, out: Array) -> None:
        out += left[:, :first] @ right[:, :first].T
        out += left[:, first:] @ right[:, first:].T

    monkeypatch.setattr(products, "_add_by_blas", in_two)
    for dtype in (np.float32, np.float64):
        assert not adds_once.__wrapped__(np.dtype(dtype), PART)


def test_what_is_there_added_first_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def term_by_term(left: Array, right: Array, out: Array) -> None:
        for term in range(left.shape[1]):
            out += left[:, term, None] * right[None, :, term]

    monkeypatch.setattr(products, "_add_by_blas", term_by_term)
    assert not adds_once.__wrapped__(np.dtype(np.float32), PART)


def test_without_blas_s_function_everything_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    real = rng.normal(size=(300, 700))
    generated = rng.normal(0.05, 1, size=(280, 700))

    def found() -> list[list[list[float]]]:
        return [
            prviz.pr_curve(real, generated, method, k=5).vertices.tolist()
            for method in DEFAULT_METHODS
        ]

    expected = found()
    monkeypatch.setattr(products, "_routine", lambda _: None)
    adds_once.cache_clear()
    try:
        assert not adds_once(np.dtype(np.float32), PART)
        assert found() == expected
    finally:
        adds_once.cache_clear()


# Of small integers, for which nothing needs a product before the threads have been started.
_FIRST_RUN = """
import threading
import numpy as np
from threadpoolctl import threadpool_info
import prviz
from prviz.neighbors import products

seen, add = set(), products._add_by_blas

def spy(*arguments):
    if threading.current_thread() is not threading.main_thread():
        seen.update(each["num_threads"] for each in threadpool_info())
    add(*arguments)

products._add_by_blas = spy
pair = np.random.default_rng(0).integers(0, 3, (2, 3000, 700)).astype(np.float32)
prviz.pr_curve(*pair, "ipr", split=None, k=3)
print(seen)
"""


@pytest.mark.exhaustive
def test_blas_starts_no_threads_inside_ours_in_the_first_run_either() -> None:
    told = subprocess.run(
        [sys.executable, "-c", _FIRST_RUN], check=True, capture_output=True, text=True, timeout=120
    )
    assert told.stdout.strip() in {"{1}", "set()"}  # of one core, there are no threads of ours
