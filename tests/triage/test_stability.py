"""The measurements that tell how firm a verdict is: every row against a single run, and whatever
the order of work.
"""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import prviz
from prviz.estimators import ESTIMATORS
from prviz.readers import read
from prviz.samples import Samples
from prviz.studies.tasks import run_tasks
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint, TriageSettings
from prviz.triage.ranking import score
from prviz.triage.robustness import draw_map, rank_stability
from prviz.triage.stability import (
    COLUMNS,
    REPEATS,
    RobustnessGrid,
    StabilityTask,
    full_rows,
    known_rows,
    least,
    rows_in_use,
    scored,
    stability_seconds,
    stability_tasks,
    usual_ks,
    usual_shares,
)
from tests.triage.test_robustness import grid_of
from tests.triage_files import measure_all

N = 64
METHODS = ("knn", "kde", "ipr", "cluster")


def load(checkpoint: Checkpoint) -> Samples:
    return read(checkpoint.path)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Samples, list[MeasuredCheckpoint]]:
    """A reference, and a narrow, a wide and a shifted checkpoint of it, the last one smaller, in
    files.
    """
    folder = tmp_path_factory.mktemp("checkpoints")
    rng = np.random.default_rng(5)
    sets = {
        "narrow": rng.normal(0, 0.3, (N, 2)),
        "wide": rng.normal(0, 3, (N, 2)),
        "moved": rng.normal(3, 1, (50, 2)),
    }
    for name, values in sets.items():
        np.save(folder / f"{name}.npy", values)
    reference = Samples(rng.normal(0, 1, (N, 2)), "real")
    checkpoints = [Checkpoint(folder / f"{name}.npy", name) for name in sets]
    return reference, [
        each.measured[0] for each in measure_all(reference, checkpoints, TriageSettings())
    ]


def tasks(
    data: tuple[Samples, list[MeasuredCheckpoint]],
    settings: TriageSettings | None = None,
    **options: object,
) -> list:
    return asked(data[0], data[1], settings or TriageSettings(), **options)


def asked(reference, measured, settings, methods=None, ks=None, shares=None, repeats=REPEATS):
    """The tasks of what is given, and of what is usual."""
    n = least(measured)
    own = replace(settings, methods=tuple(methods or settings.methods))
    grid = RobustnessGrid(
        own.methods,
        usual_ks(n, own) if ks is None else ks,
        usual_shares(n, own) if shares is None else shares,
        repeats,
    )
    return stability_tasks(reference, measured, load, settings, grid)


def rows(listed: list[StabilityTask], **options: object) -> pd.DataFrame:
    with ThreadPoolExecutor(2) as pool:
        return run_tasks(listed, COLUMNS, pool, **options)


SMALL = {"methods": METHODS, "ks": (1, 5), "shares": (0.5,), "repeats": 2}


@pytest.fixture(scope="module")
def measured(data: tuple[Samples, list[MeasuredCheckpoint]]) -> pd.DataFrame:
    return rows(tasks(data, **SMALL))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "settings",
    [TriageSettings(seed=3), TriageSettings(k=4, bandwidth=0.7), TriageSettings(k=2, split=None)],
)
def test_rows_of_whole_sets_are_single_runs_and_make_the_score_of_any_goal(data, settings):
    methods = ("knn", "kde", "ipr") if settings.split is None else METHODS
    found = full_rows(rows(tasks(data, settings, methods=methods, ks=(1, 5), shares=())))
    fixed = {"cluster"} | ({"kde"} if settings.bandwidth else set())
    sets = {each.checkpoint.name: load(each.checkpoint) for each in data[1]}
    used = dict.fromkeys(sets, settings.k)
    if settings.k == "sqrt":
        used = {"narrow": 8, "wide": 8, "moved": 7}
    options = {name: getattr(settings, name) for name in ("bandwidth", "split", "seed")}
    for (name, method), own in found.groupby(["checkpoint", "method"]):
        expected = set() if method in fixed else {1, 5, *used.values()}
        assert set(own["k"].dropna()) == expected
        for row in own.itertuples():
            k = 5 if pd.isna(row.k) else int(row.k)
            curve = prviz.pr_curve(data[0], sets[name], method, k=k, **options)
            assert (row.n, row.n_generated) == (N, sets[name].n)
            assert row.in_use == (pd.isna(row.k) or k == used[name])
            for goal in (0.0, 0.3, 1.0):
                found_score = scored(own, goal).loc[row.Index, "score"]
                assert found_score == pytest.approx(score(curve, goal), abs=1e-15)


@pytest.mark.exhaustive
def test_what_the_page_has_measured_already_is_not_measured_again(data, measured):
    listed = tasks(data, **SMALL)
    known = known_rows(listed, data[1])
    assert len(known) == 3
    for one in data[1]:  # by the task alone that asks for it
        assert (
            sum(
                len(task.known(one))
                for task in listed
                if task.checkpoint.name == one.checkpoint.name
            )
            == 1
        )
    expected = measured.set_index("key").loc[list(known)].reset_index()
    pd.testing.assert_frame_equal(
        pd.DataFrame(known.values())[list(COLUMNS)].astype(COLUMNS), expected
    )
    assert known_rows(tasks(data, TriageSettings(seed=1)), []) == {}
    # less leaves too few samples
    assert {each.share for task in tasks(data) for each in task.asked} == {
        0.5,
        1.0,
    }


@pytest.mark.exhaustive
def test_neither_the_order_of_work_nor_a_stop_changes_a_row(data, measured, tmp_path):
    def ordered(table: pd.DataFrame) -> pd.DataFrame:
        return table.sort_values("key", ignore_index=True)

    listed = tasks(data, **SMALL)
    pd.testing.assert_frame_equal(ordered(rows(listed[::-1])), ordered(measured))
    path = tmp_path / "rows.parquet"

    def stop(share: float) -> None:
        if share > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rows(listed, out=path, progress=stop)
    assert 0 < len(pd.read_parquet(path)) < len(measured)
    pd.testing.assert_frame_equal(rows(listed, out=path), measured)
    half = {row["key"]: row for row in measured[::2].to_dict("records")}
    left = [each for task in listed if (each := task.left(half)) is not None]
    assert [key for task in left for key in task.keys] == measured["key"][1::2].tolist()
    pd.testing.assert_frame_equal(rows(listed, known=half), measured)
    again = pickle.loads(pickle.dumps(listed[0]))
    assert again.keys == listed[0].keys
    assert again.run() == listed[0].run()


def test_in_one_draw_all_checkpoints_meet_the_same_real_samples(data):
    met: list[np.ndarray] = []

    def noted(fit: object, evaluate: object) -> tuple[np.ndarray, np.ndarray]:
        met.append(np.unique(np.vstack([fit.real, evaluate.real]), axis=0))
        ones = np.ones(len(evaluate.real) + len(evaluate.generated))
        return ones, ones

    prviz.register("noted", noted)
    try:
        listed = tasks(data, methods=("noted",), shares=(0.5, 0.75), repeats=2)
        parts = [each.run() for each in listed]
    finally:
        ESTIMATORS.pop("noted")
    found = pd.DataFrame([row for part in parts for row in part])
    real = {tuple(row) for row in data[0].values.tolist()}
    draws = {}
    for _, own in found.groupby(["share", "repeat"]):
        sets = {frozenset(map(tuple, met[place].tolist())) for place in own.index}
        assert len(sets) == 1
        drawn = sets.pop()
        assert len(drawn) == own["n"].iloc[0] == round(own["share"].iloc[0] * N)
        assert drawn <= real
        draws[tuple(own[["share", "repeat"]].iloc[0])] = drawn
    assert len(set(draws.values())) == 5
    assert found[found["share"] == 0.75]["n_generated"].tolist() == [48, 48, 38, 48, 48, 38]


def test_on_fewer_samples_k_is_by_the_same_rule(data, measured):
    fewer = measured[(measured["share"] == 0.5) & (measured["method"] == "knn")]
    assert fewer["k"].tolist() == [5, 5, 5] * 2
    assert fewer["in_use"].all()
    fixed = rows(tasks(data, TriageSettings(k=3), ks=(), shares=(0.5,), repeats=1))
    assert set(fixed["k"]) == {3}
    unequal = rows(tasks(data, methods=["knn"], ks=(), shares=(0.8,), repeats=1))
    unequal = unequal[unequal["share"] == 0.8].set_index("checkpoint")
    # of 51 and 51 samples, and of 51 and 40
    assert unequal["k"].to_dict() == {
        "narrow": 7,
        "wide": 7,
        "moved": 6,
    }
    assert unequal["in_use"].all()
    for each in ("knn", "cluster"):
        told = rank_stability(scored(rows_in_use(measured, each)))
        assert told[["n", "draws"]].to_numpy().tolist() == [[32, 2], [64, 1]]
        assert draw_map(scored(rows_in_use(measured, each))).ks == (32,)


def test_a_file_that_is_gone_or_changed_is_told_by_name(data, tmp_path):
    path = tmp_path / "late.npy"
    np.save(path, np.random.default_rng(0).normal(size=(N, 2)))
    late = next(iter(measure_all(data[0], [Checkpoint(path, "late")], TriageSettings()))).measured[
        0
    ]
    task = asked(data[0], [late], TriageSettings(), shares=())[0]
    np.save(path, np.random.default_rng(1).normal(size=(N, 2)))
    with pytest.raises(
        ValueError, match="late has changed since it was measured; measure it again"
    ):
        task.run()
    path.unlink()
    with pytest.raises(ValueError, match=r"late can't be read any more: .*late\.npy"):
        task.run()


def test_checkpoints_of_the_same_contents_keep_rows_of_their_own(data):
    twins = [data[1][0], data[1][0]]
    found = rows(asked(data[0], twins, TriageSettings(), ks=(), shares=()))
    assert len(set(found["key"])) == 2
    assert found["precision"].nunique() == 1


def test_the_usual_ks_reach_from_1_to_twice_the_root_and_hold_the_one_in_use():
    assert usual_ks(1797, TriageSettings()) == (1, 2, 4, 9, 19, 42, 84)
    assert usual_ks(100, TriageSettings(k=5)) == (1, 2, 3, 5, 7, 12, 20)
    for n in (20, 57, 400, 50_000):
        for settings in (
            TriageSettings(),
            TriageSettings(k=3),
            TriageSettings(split=None),
            TriageSettings(k=9),
            TriageSettings(k=1),
        ):
            found = usual_ks(n, settings)
            assert found == tuple(sorted(set(found)))
            assert (math.isqrt(n) if settings.k == "sqrt" else settings.k) in found
            assert found[0] == 1


WRONG = [
    ({"ks": (0,)}, "k = 0; an integer from 1 to 24"),
    ({"ks": (25,)}, "k = 25; an integer from 1 to 24"),
    ({"methods": ("x",)}, "methods = "),
    (
        {"methods": ("classifier",), "settings": TriageSettings(split=None)},
        "split = None, but classifier needs",
    ),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_what_can_not_be_measured_is_refused_at_once(data, change, message):
    with pytest.raises(ValueError, match=message):
        tasks(data, **{"shares": (), **change})


def test_the_estimate_of_a_task_is_that_of_its_draws(data):
    listed = tasks(data, methods=("knn", "kde"), ks=(2, 3), shares=(0.5,), repeats=2)
    draws = [each for each in listed if each.checkpoint == listed[0].checkpoint]
    assert len(draws) > 2
    whole = replace(listed[0], asked=tuple(row for each in draws for row in each.asked))
    assert whole.seconds == pytest.approx(sum(each.seconds for each in draws))
    assert stability_seconds([]) == 0.0 < stability_seconds(draws) < stability_seconds(listed)
    for each in draws:
        fewer = replace(each, asked=each.asked[:1])
        assert 0 < fewer.seconds < each.seconds


def test_a_task_leaves_the_rows_that_are_known(data):
    (task, *_) = tasks(data, ks=(2, 3), shares=())
    left = task.left(task.keys[1:])
    assert left is not None
    assert left.asked == task.asked[:1]
    assert task.left(task.keys) is None
    assert task.left([]).asked == task.asked


def test_a_drawn_winner_is_held_against_the_one_of_all_samples():
    table = pd.DataFrame(
        [
            (name, n, repeat, value)
            for n, repeat, a, b in DRAWS
            for name, value in (("a", a), ("b", b))
        ],
        columns=["checkpoint", "n", "repeat", "score"],
    )
    found = draw_map(table)
    assert (found.verdict, found.methods, found.ks) == ("a", ("draw 1", "draw 2"), (10, 20))
    assert grid_of(found, "winner") == [["b", "a"], ["a", "a"]]
    assert grid_of(found, "flips") == [[True, False], [False, False]]
    np.testing.assert_allclose(grid_of(found, "margin"), [[0.3, 0.1], [0.2, 0.0]], atol=1e-12)
    lucky = table.assign(
        score=table["score"].where((table["checkpoint"] == "a") | (table["n"] > 10), 9.0)
    )
    assert draw_map(lucky).verdict == "a"
    with pytest.raises(ValueError, match="no draw on fewer samples"):
        draw_map(table[table["n"] == 40])


DRAWS = [
    (10, 0, 0.2, 0.5),
    (10, 1, 0.5, 0.3),
    (20, 0, 0.5, 0.4),
    (20, 1, 0.5, 0.5),
    (40, 0, 0.6, 0.4),
]


def test_paths_are_no_part_of_a_key(data, tmp_path):
    moved = tmp_path / "elsewhere.npy"
    one = data[1][0]
    moved.write_bytes(Path(one.checkpoint.path).read_bytes())
    there = next(
        iter(measure_all(data[0], [Checkpoint(moved, "renamed")], TriageSettings()))
    ).measured[0]
    keys = [
        [k for t in asked(data[0], [each], TriageSettings(), shares=()) for k in t.keys]
        for each in (one, there)
    ]
    assert keys[0] == keys[1]
