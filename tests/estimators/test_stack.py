"""The weighted sum of learners that the curve to believe takes: the least of a loss, said again in
loops.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from prviz.estimators import stack

PENALTY = 1e-3


def votes(seed: int, n_real: int = 30, n_generated: int = 12):
    """Log odds of two learners that know something, in several columns, and of one that is
    wrong.
    """
    rng = np.random.default_rng(seed)
    generated = np.arange(n_real + n_generated) >= n_real
    signs = np.where(generated, 1.0, -1.0)
    noise = rng.normal(size=(7, len(signs)))
    found = {
        "near": np.stack([0.2 * signs, 1.1 * signs - 0.7]) + noise[:2],
        "large": 300 * (np.stack([0.8 * signs + 2, 0.3 * signs]) + noise[2:4]),
        "weak": (0.3 * signs + noise[6])[None],
        "wrong": np.stack([-0.9 * signs, -0.4 * signs]) + noise[4:6],
    }
    return found, generated


def log_loss(odds, generated) -> float:
    """Mean log loss, real and generated samples counting alike."""
    total = 0.0
    for role in (False, True):
        own = np.asarray(odds)[generated == role]
        sign = 1 if role else -1
        total += 0.5 * sum(math.log1p(math.exp(-sign * value)) for value in own) / len(own)
    return total


def calibration_loss(slope: float, add: float, column, generated) -> float:
    """The loss of slope * column + add; the slope counts in units of the column's spread."""
    scale = math.sqrt(sum((value - column.mean()) ** 2 for value in column) / len(column))
    odds = [slope * value + add for value in column]
    return log_loss(odds, generated) + PENALTY / 2 * (slope * scale) ** 2


def check_least(slope: float, add: float, column, generated, apart: float, step: float) -> None:
    """No slope and no addend near these has a lower loss."""
    least = calibration_loss(slope, add, column, generated)
    for share, more in itertools.product((1 - apart, 1, 1 + apart), (-step, 0, step)):
        other = calibration_loss(share * slope, add + more, column, generated)
        assert other >= least - 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_no_slope_or_intercept_has_a_lower_loss(seed):
    found, generated = votes(seed)
    fitted = stack.Stack.fit(found, generated)
    for name in ("near", "large", "weak"):
        chosen = fitted.chosen[name]
        column = found[name][chosen.column]
        check_least(chosen.slope, chosen.intercept, column, generated, 0.1, 0.03)


@pytest.mark.parametrize("seed", range(3))
def test_no_weight_or_intercept_has_a_lower_loss(seed):
    found, generated = votes(seed)
    fitted = stack.Stack.fit(found, generated)

    def loss(weights, intercept: float) -> float:
        odds = np.full(len(generated), intercept)
        for weight, (name, each) in zip(weights, fitted.chosen.items(), strict=True):
            odds = odds + weight * (each.slope * found[name][each.column] + each.intercept)
        return log_loss(odds, generated) + PENALTY / 2 * sum(weight**2 for weight in weights)

    own = [each.weight for each in fitted.chosen.values()]
    least = loss(own, fitted.intercept)
    assert min(own) >= 0
    assert max(own) > 0.5
    for steps in itertools.product((-0.02, 0.0, 0.02), repeat=5):
        weights = [max(weight + step, 0.0) for weight, step in zip(own, steps[:4], strict=True)]
        assert loss(weights, fitted.intercept + steps[4]) >= least - 1e-8


def test_the_column_of_least_loss_is_taken_and_a_wrong_learner_counts_nothing():
    found, generated = votes(0)
    fitted = stack.Stack.fit(found, generated)
    assert [fitted.chosen[name].column for name in ("near", "large")] == [1, 0]
    wrong = fitted.chosen["wrong"]
    assert (wrong.slope, wrong.intercept) == (0.0, 0.0)


def test_odds_are_the_sum_that_was_fitted():
    chosen = {"a": stack.Chosen(1, 2.0, -1.0, 0.5), "b": stack.Chosen(0, 3.0, 4.0, 0.25)}
    table = {"a": np.array([[9.0, 9.0, 9.0], [1.0, 2.0, 3.0]]), "b": np.array([[1.0, -1.0, 0.0]])}
    assert stack.Stack(chosen, 0.125).log_odds(table).tolist() == [
        0.125 + 0.5 * 1.0 + 0.25 * 7.0,
        0.125 + 0.5 * 3.0 + 0.25 * 1.0,
        0.125 + 0.5 * 5.0 + 0.25 * 4.0,
    ]


def test_samples_told_apart_by_far_end_at_the_least_loss_too():
    """From so far away that whole steps of Newton's method would run off."""
    generated = np.arange(40) >= 25
    column = 1e4 * (np.where(generated, 1.0, -1.0) + 0.01 * np.arange(40))
    fitted = stack.Stack.fit({"only": column[None]}, generated).chosen["only"]
    check_least(fitted.slope, fitted.intercept, column, generated, 0.02, 0.02)
    assert_allclose(stack._PENALTY, PENALTY)


def test_a_learner_that_says_the_same_of_all_samples_counts_nothing():
    same = {"same": np.full((1, 30), 3.0)}
    fitted = stack.Stack.fit(same, np.arange(30) >= 12)
    assert_allclose(fitted.log_odds(same), 0, atol=1e-6)
