"""Bars of the live figure that one pulls: one new amount leaves a distribution."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from playwright.sync_api import Page


def with_amount(amounts: list[float], index: int, amount: float, total: bool) -> list[float]:
    """The slow twin."""
    value = min(max(amount, 0.0), 1.0)
    found = [value if i == index else each for i, each in enumerate(amounts)]
    if total:
        rest = sum(amounts) - amounts[index]
        others = len(amounts) - 1
        found = [
            (
                value
                if i == index
                else (each * (1 - value) / rest if rest > 0 else (1 - value) / others)
            )
            for i, each in enumerate(amounts)
        ]
    rounded = [round(each, 4) for each in found]
    return rounded if any(rounded) else amounts


@pytest.mark.one_in(3)
@pytest.mark.parametrize("total", [True, False])
@pytest.mark.parametrize("amounts", [[0.2, 0.2, 0.6, 0.0], [1.0, 0.0, 0.0], [0.0, 0.3], [0.25] * 4])
def test_one_new_amount_leaves_a_distribution(
    blank: Page, amounts: list[float], total: bool
) -> None:
    moves = [*product(range(len(amounts)), (0.0, 0.35, 1.0, 7.0, -1.0))]
    every = blank.evaluate(
        """([amounts, moves, total]) =>
            moves.map(([i, amount]) => live.bars.withAmount(amounts, i, amount, total))""",
        [amounts, moves, total],
    )
    for (index, amount), found in zip(moves, every, strict=True):
        np.testing.assert_allclose(found, with_amount(amounts, index, amount, total), atol=1.01e-4)
        assert any(found)
        if total and any(each > 0 for i, each in enumerate(amounts) if i != index):
            assert sum(found) == pytest.approx(1, abs=2e-4)
