"""How firm a verdict is, on tables whose answer is known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import kendalltau

from prviz.triage.robustness import (
    draw_map,
    kendall_between_families,
    rank_stability,
    winner_map,
)


def table(scores: dict[tuple[str, int | None], dict[str, float]]) -> pd.DataFrame:
    rows = [
        {"checkpoint": name, "method": method, "k": k, "score": score}
        for (method, k), cell in scores.items()
        for name, score in cell.items()
    ]
    return pd.DataFrame(rows).astype({"k": "Int64"})


def grid_of(found, name):
    """A field of the cells, by row and column; None where there is none."""
    cells = {(cell.row, cell.column): getattr(cell, name) for cell in found.cells}
    columns = range(len(found.ks))
    return [[cells.get((row, column)) for column in columns] for row in range(len(found.methods))]


def test_the_map_shows_winners_margins_and_where_the_verdict_flips():
    rows = table(
        {
            ("knn", 5): {"a": 0.9, "b": 0.7, "c": 0.1},
            ("knn", 3): {"a": 0.9, "b": 0.8, "c": 0.1},
            ("ipr", 3): {"a": 0.5, "b": 0.6, "c": 0.2},
            ("ipr", 5): {"a": 0.6, "b": 0.6, "c": 0.2},
            ("hub", None): {"a": 0.1, "b": 0.2, "c": 0.4},
        }
    )
    found = winner_map(rows)
    assert (found.methods, found.ks, found.verdict) == (("knn", "ipr", "hub"), (3, 5), "a")
    assert grid_of(found, "winner") == [["a", "a"], ["b", "a"], ["c", "c"]]
    assert grid_of(found, "flips") == [[False, False], [True, False], [True, True]]
    np.testing.assert_allclose(grid_of(found, "margin"), [[0.1, 0.2], [0.1, 0.0], [0.2, 0.2]])
    assert found.share == pytest.approx(0.5)
    left = rows[~((rows["checkpoint"] == "c") & (rows["k"] == 5) & (rows["method"] == "ipr"))]
    assert grid_of(winner_map(left), "winner")[1] == ["b", None]
    assert winner_map(left).share == pytest.approx(2 / 5)


def test_cells_whose_lead_is_noise_crown_nobody():
    rows = table(
        {
            ("knn", 1): {"a": 0.500005, "b": 0.5, "c": 0.1},
            ("ipr", 1): {"a": 0.30001, "b": 0.3, "c": 0.1},
            ("knn", 5): {"a": 0.6, "b": 0.7, "c": 0.1},
        }
    )
    assert winner_map(rows).verdict == "a"  # by leads of 5e-06 and 1e-05
    found = winner_map(rows, 0.01)
    assert (found.verdict, found.share) == ("b", 1.0)
    assert grid_of(found, "winner") == [[None, "b"], [None, None]]
    # Without noise a cell with two winners still counts half for each of them.
    even = {("knn", 1), ("knn", 5), ("ipr", 1)}
    cells = {
        **{key: {"a": 0.5, "b": 0.5, "c": 0.1} for key in even},
        ("kde", 1): {"a": 0.3, "b": 0.2, "c": 0.9},
    }
    assert winner_map(table(cells)).verdict == "a"
    every = winner_map(rows, 1.0)  # all are noise: as without
    assert (every.verdict, len(every.won)) == ("a", len(every.cells))


@pytest.mark.exhaustive
@settings(max_examples=40)
@given(st.permutations(range(12)), st.lists(st.floats(0, 1), min_size=12, max_size=12))
def test_the_map_is_the_double_loop_whatever_the_order_of_the_rows(order, scores):
    keys = list(itertools.product(["x", "y"], [2, 4], ["a", "b", "c"]))
    rows = pd.DataFrame(keys, columns=["method", "k", "checkpoint"]).assign(score=scores)
    found = winner_map(rows.iloc[order])
    for (i, method), (j, k) in itertools.product(enumerate(found.methods), enumerate(found.ks)):
        cell = {
            name: score
            for (m, n, name), score in zip(keys, scores, strict=True)
            if (m, n) == (method, k)
        }
        best = [name for name, score in cell.items() if score >= max(cell.values()) - 1e-12]
        assert grid_of(found, "winner")[i][j] in best
        assert grid_of(found, "flips")[i][j] == (found.verdict not in best)


@pytest.mark.exhaustive
@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=2, max_size=8))
def test_kendalls_tau_between_families_is_scipys(scores):
    families = ("x", "y", "z")
    columns = dict(zip(families, np.transpose(scores).astype(float), strict=True))
    names = [f"c{place}" for place in range(len(scores))]
    rows = table(
        {(name, 3): dict(zip(names, values, strict=True)) for name, values in columns.items()}
    )
    found = kendall_between_families(rows)
    assert (tuple(found.index), tuple(found.columns)) == (families, families)
    for one, other in itertools.product(families, repeat=2):
        expected = 1.0
        if one != other:
            expected = kendalltau(columns[one], columns[other]).statistic
        assert found.loc[one, other] == pytest.approx(expected, nan_ok=True)


def test_a_ranking_of_known_scores_becomes_stable_with_n():
    rng = np.random.default_rng(0)
    true = {"a": 0.8, "b": 0.7, "c": 0.6, "d": 0.5}
    keys = itertools.product((1000, 10, 100), range(20), true)
    rows = pd.DataFrame(keys, columns=["n", "repeat", "checkpoint"]).assign(method="knn")
    rows["score"] = rows["checkpoint"].map(true) + rng.normal(size=len(rows)) * 3 / rows["n"]
    found = rank_stability(rows.sample(frac=1, random_state=1))
    assert found["n"].tolist() == [10, 100, 1000]
    assert found["draws"].tolist() == [20, 20, 20]
    assert found["tau"].is_monotonic_increasing
    assert found["same_winner"].is_monotonic_increasing
    assert found.iloc[-1][["tau", "same_winner", "winner"]].tolist() == [1.0, 1.0, "a"]
    draws = rows[rows["n"] == 10].pivot(index="repeat", columns="checkpoint", values="score")
    taus = [kendalltau(list(true.values()), row).statistic for row in draws.to_numpy()]
    assert found["tau"][0] == pytest.approx(np.mean(taus))
    assert found["tau"][0] < 0.8
    assert found["same_winner"][0] == pytest.approx(np.mean(draws.idxmax(axis=1) == "a"))


def test_one_checkpoint_by_a_family_without_k_has_no_margin():
    found = winner_map(table({("hub", None): {"a": 0.25}}))
    assert found.ks == (None,)
    assert [math.isnan(cell.margin) for cell in found.cells] == [True]


def test_a_map_without_a_whole_cell_and_draws_without_all_checkpoints_are_refused():
    with pytest.raises(ValueError, match="every checkpoint"):
        winner_map(table({("x", 3): {"a": 0.5}, ("y", 3): {"b": 0.4}}))
    rows = pd.DataFrame(
        {"checkpoint": ["a", "b"], "n": [5, 6], "repeat": [0, 0], "score": [0.1, 0.2]}
    )
    for call in (rank_stability, draw_map):
        with pytest.raises(ValueError, match="no draw in which every checkpoint was measured"):
            call(rows)
    assert rank_stability(rows.assign(n=5))["winner"].tolist() == ["b"]
