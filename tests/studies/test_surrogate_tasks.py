"""Measurements on stand-ins: keys, draws and rows; the verdict."""

from __future__ import annotations

import itertools
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import prviz
from prviz.samples import SamplePair, Samples
from prviz.studies.surrogate import (
    SurrogateProblem,
    SurrogateSources,
    fit_pair,
    surrogate_problems,
    verdict,
)
from prviz.studies.sweeps import COLUMNS, Cell, Known, SweepGrid, sweep_cells
from prviz.studies.tasks import run_tasks, table

Floats = NDArray[np.float64]


def gaussian(n: int, d: int, seed: int, shift: float = 0.0) -> Floats:
    return (
        np.random.default_rng(seed).standard_normal((n, d)) / np.sqrt(np.arange(1, d + 1)) + shift
    )


PAIR = SamplePair(
    Samples(gaussian(120, 6, 0), "real"), Samples(gaussian(80, 6, 1, 0.5), "generated")
)
GRID: dict[str, Any] = {
    "ds": (2, 4),
    "scenarios": ("pair", "real-real", "common"),
    "methods": ["knn", "coverage"],
    "ks": (3, "sqrt"),
    "splits": (0.5, None),
    "repeats": 2,
}


def surrogate_tasks(pair: SamplePair, *, ds: tuple[int, ...], **given: Any) -> list[Cell]:
    """Tasks that measure estimators on surrogates of the pair."""
    sources = SurrogateSources(pair, given.pop("shared", None), given.pop("basis", None))
    fitted = {
        "fit": given.pop("fit", "gaussian"),
        "seed": given.pop("fit_seed", 0),
        "scenarios": given.pop("scenarios", ("pair",)),
    }
    if "common" in given:
        fitted["common"] = given.pop("common")
    return sweep_cells(SweepGrid(surrogate_problems(sources, ds, **fitted), **given))


def first_key(pair: SamplePair, **given: Any) -> str:
    return surrogate_tasks(pair, **{"ds": (2,), "methods": "knn", **given})[0].keys[0]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    with ThreadPoolExecutor(2) as pool:
        return run_tasks(surrogate_tasks(PAIR, **GRID), COLUMNS, pool)


def without_time(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="seconds")


# ---- problems ----


def test_samples_follow_from_the_seed_and_keep_the_sizes() -> None:
    problem = fit_pair(*PAIR, d=3).problem()
    assert isinstance(problem, Known)
    assert problem.default_n == 80
    first = problem.sample(80, 5)
    again = problem.sample(80, 5)
    other = problem.sample(80, 6)
    assert first.digest == again.digest != other.digest
    assert (first.real.n, first.generated.n) == (120, 80)
    assert [each.n for each in problem.sample(40)] == [60, 40]
    assert not np.intersect1d(first.real.values, first.generated.values).size
    assert not first.real.values.flags.writeable
    with pytest.raises(ValueError, match="n = 0; an integer from 1"):
        problem.sample(0)


def test_keys_name_all_that_decides_a_problem() -> None:
    other = SamplePair(PAIR.real, Samples(PAIR.generated.values + 1e-9))
    third = Samples(gaussian(50, 6, 3))
    changes: list[tuple[SamplePair, dict[str, Any]]] = [
        (PAIR, {}),
        (other, {}),
        (SamplePair(PAIR.generated, PAIR.real), {}),
        (PAIR, {"ds": (3,)}),
        (PAIR, {"fit": "kernels"}),
        (PAIR, {"fit": "kernels", "fit_seed": 1}),
        (PAIR, {"scenarios": ("real-real",)}),
        (PAIR, {"scenarios": ("generated-generated",)}),
        (PAIR, {"scenarios": ("common",)}),
        (PAIR, {"scenarios": ("common",), "common": 0.4}),
        (PAIR, {"scenarios": ("common",), "shared": third}),
        (PAIR, {"basis": third}),
        (PAIR, {"ns": (40,)}),
        (PAIR, {"seed": 1}),
    ]
    keys = [first_key(pair, **change) for pair, change in changes]
    assert len(set(keys)) == len(changes)
    copy = SamplePair(Samples(PAIR.real.values.copy()), Samples(PAIR.generated.values.copy()))
    assert first_key(copy) == keys[0]
    # What means nothing to a fit or a scenario is not in its key.
    assert first_key(PAIR, fit_seed=5, common=0.3, shared=third) == keys[0]


def test_tasks_of_a_stand_in_are_those_of_its_pair() -> None:
    stand_in = fit_pair(*PAIR, d=2)
    tasks = [
        *surrogate_tasks(PAIR, ds=(2,), methods="knn", seed=3),
        *sweep_cells(SweepGrid(stand_in.problem(), "knn", seed=3)),
    ]
    assert tasks[0].keys == tasks[1].keys
    found = [without_time(table(task.run(), COLUMNS)) for task in tasks]
    pd.testing.assert_frame_equal(*found)


# ---- rows ----


def test_a_row_is_a_measurement_of_the_stand_in(rows: pd.DataFrame) -> None:
    assert len(rows) == 2 * 3 * 2 * 2 * 4
    assert rows["key"].is_unique
    sizes = rows[["d", "n_real", "n_generated"]].drop_duplicates()
    assert sizes.to_numpy().tolist() == [[2, 120, 80], [4, 120, 80]]
    np.testing.assert_allclose(rows[["iou", "excess", "deficit"]].sum(axis=1), 1)
    row = rows[
        (rows["d"] == 4) & (rows["split"] == 0.5) & rows["parameters"].str.contains("common")
    ].iloc[0]
    problem = fit_pair(*PAIR, d=4).problem("common")
    assert json.loads(row["parameters"]) == problem.parameters
    drawn_by = Cell(problem, None, 0.5, int(row["repeat"]), 0, ()).drawn_by
    k = row["k"] if row["k"] == "sqrt" else int(row["k"])
    curve = prviz.pr_curve(
        *problem.sample(80, drawn_by), row["method"], k=k, split=0.5, seed=drawn_by
    )
    assert row["auc"] == curve.auc
    assert row["iou"] == curve.iou(problem.truth())


def test_order_and_place_change_nothing(rows: pd.DataFrame) -> None:
    turned = {
        name: tuple(reversed(value)) if isinstance(value, tuple | list) else value
        for name, value in GRID.items()
    }
    tasks = surrogate_tasks(PAIR, **turned)
    fourth = tasks[::4]  # as in another process: by pickle
    runs = (pickle.loads(pickle.dumps(task)).run() for task in fourth)
    found = table(itertools.chain.from_iterable(runs), COLUMNS)
    assert {key for task in tasks for key in task.keys} == set(rows["key"])
    expected = rows.set_index("key").loc[list(found["key"])].reset_index()
    pd.testing.assert_frame_equal(without_time(found), without_time(expected))


def test_a_d_is_fitted_once_and_only_when_it_is_needed() -> None:
    tasks: list[Any] = surrogate_tasks(PAIR, **GRID)
    first = tasks[0].problem
    last = tasks[3].problem
    assert first == last
    assert first.real is last.real
    by_scenario = {task.problem.scenario: task.problem for task in tasks if task.problem.d == 2}
    assert by_scenario["real-real"].real is first.real
    assert by_scenario["common"].real is by_scenario["common"].parts()[0]
    assert len(pickle.dumps(tasks[0])) < 10_000  # the densities, not the sets
    wide = SamplePair(
        Samples(np.ones((40, 5)) * np.arange(40)[:, None]), Samples(gaussian(40, 5, 0))
    )
    # nothing is refused before it is computed
    late = surrogate_tasks(wide, ds=(1, 3), methods="knn")
    assert isinstance(late[0].run()[0]["iou"], float)
    with pytest.raises(ValueError, match="the directions in which the real set varies"):
        late[1].run()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ds": (2, 7)}, "d = 7; an integer from 1 to 6, with 6 features and 120 real samples, is"),
        ({"ds": ()}, "at least one of each"),
        ({"scenarios": ()}, "at least one of each"),
        ({"scenarios": ("both",)}, "one of pair"),
        ({"methods": "knm"}, "methods = 'knm'"),
        ({"ks": (40,)}, "k = 40; an integer from 1"),
        ({"fit": "kde"}, "one of gaussian, kernels"),
        ({"fit": "kernels"}, "'common' needs fit = 'gaussian'"),
    ],
)
def test_arguments_are_checked_before_anything_runs(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        surrogate_tasks(PAIR, **{**GRID, **change})


def test_equal_problems_are_one() -> None:
    first, again = (fit_pair(*PAIR, d=2).problem() for _ in range(2))
    assert first == again != fit_pair(*PAIR, d=3).problem()
    assert len({first, again}) == 1
    copy: SurrogateProblem = pickle.loads(pickle.dumps(first))
    assert copy == first
    assert copy.truth().auc == first.truth().auc


def test_the_verdict_of_real_rows_does_not_depend_on_their_order(rows: pd.DataFrame) -> None:
    found = verdict(rows)
    assert len(found) == 2 * 8
    assert found.groupby("d")["iou"].first().equals(found.groupby("d")["iou"].max())
    assert (found["scenarios"] == 3).all()
    np.testing.assert_allclose(found[["iou", "excess", "deficit"]].sum(axis=1), 1)
    pd.testing.assert_frame_equal(verdict(rows.sample(frac=1, random_state=0)), found)
    with pytest.raises(ValueError, match="truth is known"):
        verdict(rows.assign(iou=np.nan))
