"""Which settings come closest to the truth on a surrogate."""

from __future__ import annotations

import json

import numpy as np
import pytest

from prviz.studies.surrogate import verdict
from prviz.studies.sweeps import COLUMNS
from prviz.studies.tasks import Row, table


def row(
    method: str, iou: float, excess: float, repeat: int, d: int = 2, scenario: str = "pair"
) -> Row:
    return dict.fromkeys(COLUMNS, np.nan) | {
        "key": f"{method} {repeat} {d} {scenario}",
        "problem": "hybrid",
        "parameters": json.dumps({"scenario": scenario}),
        "d": d,
        "n": None,
        "method": method,
        "k": "sqrt",
        "bandwidth": None,
        "split": 0.5,
        "repeat": repeat,
        "seed": 0,
        "iou": iou,
        "excess": excess,
        "deficit": 1 - iou - excess,
    }


BY_HAND = [
    row("knn", 0.70, 0.1, 0),
    row("knn", 0.74, 0.1, 1),
    row("ipr", 0.69, 0.0, 0),
    row("ipr", 0.73, 0.0, 1),
    row("kde", 0.50, 0.05, 0),
    row("kde", 0.52, 0.05, 1),
    row("knn", 0.3, 0.2, 0, d=5),
    row("knn", 0.3, 0.2, 1, d=5),
    row("ipr", 0.4, 0.1, 0, d=5),
    row("ipr", 0.4, 0.1, 1, d=5),
]


def test_the_verdict_ranks_and_ties_by_hand() -> None:
    found = verdict(table(BY_HAND, COLUMNS))
    assert list(zip(found["d"], found["rank"], found["method"], found["tied"], strict=True)) == [
        (2, 1, "knn", True),
        (2, 2, "ipr", True),
        (2, 3, "kde", False),
        (5, 1, "ipr", True),
        (5, 2, "knn", False),
    ]
    best = found.iloc[0]
    assert best["iou"] == pytest.approx(0.72)
    assert best["spread"] == pytest.approx(0.02 * np.sqrt(2))
    assert (best["excess"], best["deficit"]) == (pytest.approx(0.1), pytest.approx(0.18))
    assert (best["repeats"], best["scenarios"], best["split"], best["k"]) == (2, 1, 0.5, "sqrt")


def test_the_verdict_can_prefer_one_side() -> None:
    found = verdict(table(BY_HAND, COLUMNS), prefer="excess")
    assert list(found["method"]) == ["ipr", "kde", "knn", "ipr", "knn"]
    assert found["spread"].max() == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match="one of iou, excess, deficit"):
        verdict(table(BY_HAND, COLUMNS), prefer="auc")  # type: ignore[arg-type]


def test_scenarios_count_the_same_and_unfinished_settings_come_last() -> None:
    more = [row("knn", 0.2, 0.8, i, scenario="real-real") for i in range(4)]
    more += [row("ipr", 0.6, 0.0, 0, scenario="real-real")]
    found = verdict(table([each for each in BY_HAND if each["d"] == 2] + more, COLUMNS))
    assert list(found["method"]) == ["ipr", "knn", "kde"]
    assert found["iou"].tolist() == pytest.approx([(0.71 + 0.6) / 2, (0.72 + 0.2) / 2, 0.51])
    assert found["scenarios"].tolist() == [2, 2, 1]
    assert found["tied"].tolist() == [True, False, False]


def test_a_single_repeat_has_no_spread_and_equal_values_one_rank() -> None:
    found = verdict(
        table([row("knn", 0.5, 0.1, 0), row("ipr", 0.5, 0.1, 0), row("kde", 0.4, 0.1, 0)], COLUMNS)
    )
    assert found["rank"].tolist() == [1, 1, 3]
    assert found["tied"].tolist() == [True, True, False]
    assert found["spread"].isna().all()
    assert verdict(table([], COLUMNS)).empty


def test_the_interval_of_the_area_s_error_is_that_of_one_more_sample() -> None:
    # of the true area 0.4: estimates 0.5, 0.3 and, without any area, 0
    rows = [row("knn", 0.8, 0.2, 0) | {"auc": 0.5}, row("knn", 0.75, 0.0, 1) | {"auc": 0.3}]
    rows += [row("ipr", 0.0, 0.0, 0) | {"auc": 0.0}]
    knn, ipr = (verdict(table(rows, COLUMNS)).iloc[place] for place in (0, 1))
    half = 12.706 * 0.1 * np.sqrt(2) * np.sqrt(1 + 1 / 2)  # Student's t of 1 degree of freedom
    assert (knn["error"], knn["low"], knn["high"]) == pytest.approx((0, -half, half), rel=1e-4)
    assert (ipr["error"], ipr["low"], ipr["high"]) == pytest.approx((-0.4, -0.4, -0.4))
