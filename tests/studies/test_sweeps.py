"""Sweeps: every row equals a measurement of its own, whatever order, workers and restarts."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prviz
from prviz.cli.main import main
from prviz.estimators import ESTIMATORS
from prviz.studies import sweeps as _sweeps
from prviz.studies.battery import battery_tasks
from prviz.studies.papers.digits import TruncatedDigits
from prviz.studies.sweeps import (
    COLUMNS,
    SETTINGS,
    Cell,
    Files,
    SweepGrid,
    sweep_cells,
    sweep_means,
    sweep_seconds,
    wanted_rows,
)
from prviz.studies.tasks import run_tasks

GRID = {
    "problems": ["shifted-gaussians", prviz.toy("finite", d=2)],
    "methods": ["knn", "kde", "classifier"],
    "ks": (3, "sqrt"),
    "bandwidths": (None, 1.5),
    "splits": (0.5, None),
    "ns": (60,),
    "dims": (2, 5),
    "repeats": 2,
}
# Per split, k and bandwidth: knn 2, kde 2 + 1, the classifier 1 with a split alone.
ROWS = 2 * 2 * 2 * (6 + 5)


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    with ThreadPoolExecutor(2) as pool:
        return prviz.sweep(**GRID, executor=pool)


def without_time(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="seconds")


def test_the_grid_is_complete_and_tidy(whole: pd.DataFrame) -> None:
    assert len(whole) == ROWS
    assert whole["key"].is_unique
    assert set(whole["problem"]) == {"shifted-gaussians", "finite"}
    assert set(whole["d"]) == {2, 5}
    assert (
        whole["k"].isna().sum()
        == (whole["method"] == "classifier").sum() + whole["bandwidth"].notna().sum()
    )
    assert set(whole.loc[whole["method"] == "classifier", "split"]) == {0.5}
    np.testing.assert_allclose(whole[["iou", "excess", "deficit"]].sum(axis=1), 1)


@pytest.mark.parametrize("place", [0, 3, 50, ROWS - 1])
def test_a_row_equals_its_own_measurement(whole: pd.DataFrame, place: int) -> None:
    row = whole.iloc[place]
    problem = prviz.toy(row["problem"], d=int(row["d"]))
    split = None if pd.isna(row["split"]) else float(row["split"])
    drawn_by = Cell(problem, int(row["n"]), split, int(row["repeat"]), 0, ()).drawn_by
    k = 1 if pd.isna(row["k"]) else row["k"] if row["k"] == "sqrt" else int(row["k"])
    curve = prviz.pr_curve(
        *problem.sample(int(row["n"]), drawn_by),
        row["method"],
        k=k,
        bandwidth=None if pd.isna(row["bandwidth"]) else row["bandwidth"],
        split=split,
        seed=drawn_by,
    )
    assert row["auc"] == curve.auc
    assert row["iou"] == curve.iou(problem.truth())


def test_order_and_workers_change_nothing(whole: pd.DataFrame) -> None:
    turned = {
        name: tuple(reversed(value)) if name != "repeats" else value for name, value in GRID.items()
    }
    found = prviz.sweep(**turned)  # in processes of its own
    assert list(found["key"]) != list(whole["key"])
    same = without_time(found).set_index("key").loc[list(whole["key"])].reset_index()
    pd.testing.assert_frame_equal(same, without_time(whole))


class _StopError(Exception):
    pass


def test_a_stopped_sweep_goes_on_where_it_was(whole: pd.DataFrame, tmp_path: Path) -> None:
    out = tmp_path / "sweep.parquet"
    came = []

    def stop(rows: pd.DataFrame) -> None:
        came.append(len(rows))
        if len(came) == 5:
            raise _StopError

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(_StopError):
            prviz.sweep(**GRID, executor=pool, out=out, on_rows=stop)
        kept = pd.read_parquet(out)
        assert len(kept) == sum(came)
        again = []
        shares = []
        found = prviz.sweep(
            **GRID, executor=pool, out=out, on_rows=again.append, progress=shares.append
        )
        assert sum(map(len, again)) == ROWS - len(kept)
        assert not set(kept["key"]) & set(pd.concat(again)["key"])
        assert shares == sorted(shares)
        assert shares[-1] == 1
        pd.testing.assert_frame_equal(without_time(found), without_time(whole))
        # More of the grid measures what is new alone, and the file keeps both.
        more = prviz.sweep(**{**GRID, "ks": (3, 4)}, executor=pool, out=out, on_rows=again.append)
        assert set(again[-1]["k"].dropna()) == {"4"}
        assert set(pd.read_parquet(out)["key"]) == {*found["key"], *more["key"]}
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.parquet"]


CONFIG = """
problems = [{real = "real.npy", generated = "generated.npy"}]
methods = ["knn"]
ks = [4]
splits = ["none"]
"""


def saved(folder: Path, **sets: np.ndarray) -> tuple[Path, ...]:
    for name, values in sets.items():
        np.save(folder / f"{name}.npy", values)
    return tuple(folder / f"{name}.npy" for name in sets)


def shell(folder: Path, config: str, *options: str) -> int:
    path = folder / "grid.toml"
    path.write_text(config, "utf-8")
    return main(["sweep", str(path), *options])


def test_files_are_read_where_they_are_measured(tmp_path: Path) -> None:
    sets = np.random.default_rng(0).normal(size=(2, 80, 3))
    paths = saved(tmp_path, real=sets[0], generated=sets[1])
    found = prviz.sweep([paths], ["knn"], ks=(4,), splits=(None,), ns=(None, 50))
    assert list(found["n_real"]) == [80, 50]
    assert found["iou"].isna().all()
    assert found["auc"][0] == prviz.pr_curve(*sets, "knn", k=4, split=None).auc


def test_other_contents_of_the_same_files_are_measured_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "grid.parquet"
    real = np.random.default_rng(0).normal(size=(60, 2))
    paths = saved(tmp_path, real=real, generated=real + 0.01)
    options = {"problems": [paths], "methods": ["knn"], "ks": (4,), "splits": (None,), "out": out}
    with ThreadPoolExecutor(1) as pool:
        before = prviz.sweep(**options, executor=pool)
        saved(tmp_path, generated=real + 9.0)
        after = prviz.sweep(**options, executor=pool)
        assert before["auc"][0] > 0.9
        assert after["auc"][0] == prviz.pr_curve(real, real + 9.0, "knn", k=4, split=None).auc < 0.1
        # What was measured before stays, told apart by the digests: no mean is of both.
        kept = pd.read_parquet(out)
        assert set(kept["key"]) == {before["key"][0], after["key"][0]}
        assert list(sweep_means(kept, "auc")["repeats"]) == [1, 1]
        saved(tmp_path, generated=real + 0.01)
        again = prviz.sweep(**options, executor=pool)
    pd.testing.assert_frame_equal(again, before)
    assert shell(tmp_path, CONFIG) == 0
    told = f"{out} also holds 1 row of other contents of these files"
    assert told in capsys.readouterr().out


@pytest.mark.parametrize("mapped", [False, True])
def test_a_file_that_changes_before_it_is_measured_ends_the_sweep_without_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapped: bool
) -> None:
    values = np.random.default_rng(0).normal(size=(60, 2))
    out = tmp_path / "rows.parquet"
    plain = _sweeps.measure
    paths = saved(tmp_path, real=values, generated=values + 1.0)
    cells = sweep_cells(SweepGrid([paths], ["knn"], ks=(4,)))

    def changed(*given: Any, **options: Any) -> Any:
        """While it is measured: a large file is mapped, so that its samples change with it."""
        written = np.load(paths[1], mmap_mode="r+")
        written[:] = values + 2.0
        written.flush()
        return plain(*given, **options)

    if mapped:
        monkeypatch.setattr("prviz.readers.npy.MAPPED_FROM", 1)
        monkeypatch.setattr(_sweeps, "measure", changed)
    else:
        saved(tmp_path, generated=values[:, :1])
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(
            ValueError, match=r"generated\.npy' holds other samples than when the sweep began"
        ),
    ):
        run_tasks(cells, COLUMNS, pool, out=out)
    assert not out.exists()


def test_keys_name_the_version_of_the_computation_and_the_data_and_draws_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = (("knn", 3, None),)
    files = Files(Path("/a/real.npy"), Path("/a/gen.npy"), ("1", "2"))
    tasks = [
        Cell(prviz.toy("mixtures"), 100, 0.5, 3, 7, wanted),
        Cell(TruncatedDigits(0.3), None, 0.5, 1, 0, wanted),
        Cell(files, 50, None, 1, 2, wanted),
        battery_tasks(["sphere-torus"], seed=4)[0],
    ]
    assert [each.drawn_by for each in tasks] == [1875326364, 229118833, 4103454930, 4153790753]
    before = [each.keys[0] for each in tasks]
    other = replace(tasks[2], problem=replace(files, digests=("1", "3")))
    assert other.keys[0] != before[2]
    assert other.drawn_by == tasks[2].drawn_by
    with monkeypatch.context() as patched:
        patched.setattr("prviz.studies.papers.bundled_problems._digest", lambda _: "other pictures")
        after = [each.keys[0] for each in tasks]
    assert after[1] != before[1]
    assert [after[0], *after[2:]] == [before[0], *before[2:]]
    for module in ("prviz.studies.sweeps", "prviz.studies.battery.tasks"):
        monkeypatch.setattr(f"{module}.COMPUTATION", 99)
    assert not {each.keys[0] for each in tasks} & set(before)


def test_a_family_of_the_user_is_measured_again(tmp_path: Path) -> None:
    """Its name does not tell what it does."""
    out = tmp_path / "rows.parquet"
    known = dict(ESTIMATORS)
    try:
        for sign in (1.0, -1.0):

            def densities(_: Any, z: Any, sign: float = sign) -> tuple[np.ndarray, ...]:
                first = sign * np.concatenate(z)[:, 0]
                return np.exp(first), np.exp(-first)

            prviz.register("mine", densities)
            with ThreadPoolExecutor(1) as pool:
                options = {"problems": "shifted-gaussians", "ns": (60,), "executor": pool}
                prviz.sweep(methods=["mine", "knn"], ks=(3,), out=out, **options)
                fresh = prviz.sweep(methods=["mine"], **options)
            found = pd.read_parquet(out).set_index("method")
            assert len(found) == 2
            assert found["auc"]["mine"] == fresh["auc"][0]
    finally:
        ESTIMATORS.clear()
        ESTIMATORS.update(known)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"problems": "mixturez"}, r"problems has 'mixturez'; one of modes"),
        ({"problems": []}, "problems is empty"),
        ({"problems": [("a.npy", "b.npy")]}, "which is not a file here"),
        ({"problems": [(__file__, __file__)]}, "test_sweeps.py"),
        ({"problems": [3]}, "problems has 3"),
        (
            {"problems": [(np.ones((9, 9)), np.ones((9, 9)))]},
            r"problems has .{,150} paths is needed; prviz.estimate measures samples in memory",
        ),
        ({"methods": ["no"]}, "methods = .*knn"),
        ({"methods": ["classifier"], "splits": (None,)}, "need a split"),
        (
            {"ks": (40,)},
            r'k = 40; an integer from 1 to 29 or "sqrt", with n = 60 and split = 0.5, is needed',
        ),
        ({"ks": "sqrt"}, "ks = 'sqrt'; a list"),
        ({"splits": (1.5,)}, "split = 1.5"),
        ({"ns": (1,)}, "n = 1; an integer from 2, or None, is"),
        ({"bandwidths": (-1.0,)}, "bandwidth = -1.0"),
        ({"repeats": 0}, "repeats = 0"),
        ({"seed": -1}, "seed = -1"),
        ({"out": "/nowhere/at/all.parquet"}, "its folder does not exist"),
    ],
)
def test_what_can_not_be_measured_is_said_before_the_start(changed: dict, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        prviz.sweep(**{**GRID, **changed})


@pytest.mark.parametrize(
    ("content", "message"), [(b"no", "can't be read as Parquet"), (None, "is not a sweep's file")]
)
def test_a_foreign_file_is_left_alone(tmp_path: Path, content: bytes | None, message: str) -> None:
    out = tmp_path / "mine.parquet"
    if content is None:
        pd.DataFrame({"a": [1]}).to_parquet(out)
    else:
        out.write_bytes(content)
    before = out.read_bytes()
    with pytest.raises(ValueError, match=message):
        prviz.sweep("identical", ns=(50,), out=out)
    assert out.read_bytes() == before


def test_methods_have_the_rows_that_mean_something_to_them() -> None:
    assert wanted_rows(["cluster", "knn"], (3,), (None, 2.0), 0.5) == (
        ("cluster", None, None),
        ("knn", 3, None),
    )
    assert wanted_rows(["kde"], (3, 4), (2.0,), 0.5) == (("kde", None, 2.0),)
    assert wanted_rows(["classifier"], (3,), (None,), None) == ()


def test_means_and_spreads_are_those_of_the_repeats_of_each_setting(whole: pd.DataFrame) -> None:
    means = sweep_means(whole, "deficit")
    assert len(means) == len(whole) / GRID["repeats"]
    assert set(means["repeats"]) == {2}
    known = whole.drop_duplicates(list(SETTINGS), ignore_index=True)
    # in the order of the rows
    pd.testing.assert_frame_equal(means[list(SETTINGS)], known[list(SETTINGS)])
    rows = whole.to_dict("records")
    for place in (0, 17, len(means) - 1):
        setting = [str(known[name][place]) for name in SETTINGS]
        alike = [row["deficit"] for row in rows if [str(row[name]) for name in SETTINGS] == setting]
        assert len(alike) == 2
        assert means["mean"][place] == pytest.approx(np.mean(alike))
        assert means["spread"][place] == pytest.approx(np.std(alike, ddof=1))
    alone = sweep_means(whole[whole["repeat"] == 0])
    assert alone["spread"].isna().all()
    assert set(alone["repeats"]) == {1}


def test_the_time_is_estimated_before_the_start(tmp_path: Path) -> None:
    def seconds(**changed: object) -> float:
        found = sweep_seconds(sweep_cells(SweepGrid(**{**GRID, **changed})))
        assert found is not None
        return found

    assert seconds(ns=(2000,)) < seconds(ns=(4000,)) < seconds(ns=(4000,), dims=(500,))
    assert seconds(repeats=40) == pytest.approx(20 * seconds(repeats=2))
    paths = saved(tmp_path, real=np.eye(9), generated=np.eye(9))
    assert sweep_seconds(sweep_cells(SweepGrid([paths], ks=(2,)))) is None


def test_columns_that_are_no_features_are_named_for_all_files_of_a_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    for name in ("real", "made"):
        table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
        table["seed"] = rng.permutation(60) * 7
        table["clip"] = np.arange(60) // 3
        table.to_csv(tmp_path / f"{name}.csv", index=True, index_label="rank")
    pair = (tmp_path / "real.csv", tmp_path / "made.csv")
    pool = ThreadPoolExecutor(1)
    options: dict[str, Any] = {"ks": (3,), "executor": pool}
    chosen: dict[str, Any] = {"drop": ["seed", "clip", "rank"], "group": "clip"}
    found = prviz.sweep(pair, "knn", **options, **chosen)
    assert (found.d[0], found.n_real[0]) == (3, 60)
    sets = [prviz.read(path, **chosen) for path in pair]
    digests = {each.digest[:32] for each in sets}
    assert set(json.loads(found.parameters[0]).values()) == digests
    same = prviz.sweep(pair, "knn", **options, columns=["a", "b", "c"], group="clip")
    assert same.key.equals(found.key)
    for problems, drop, message in (
        (pair, ["rank"], "--drop seed"),
        (pair, ["sed", *chosen["drop"]], "no file .* has a column 'sed'; they have 'a', "),
        ("mixtures", "seed", "has a column 'seed'; none has columns"),
    ):
        with pytest.raises(ValueError, match=message):
            prviz.sweep(problems, "knn", drop=drop, **options)

    def measured(cells: Any, columns: Any, out: Path, *_: Any, **__: Any) -> pd.DataFrame:
        return run_tasks(cells, columns, pool, out=out)

    monkeypatch.setattr("prviz.cli.sweep.measured", measured)
    grid = 'problems = [{real = "real.csv", generated = "made.csv"}]\nmethods = ["knn"]\nks = [3]\n'
    assert shell(tmp_path, grid, "--drop", "seed,clip", "--group", "clip") == 0
    assert capsys.readouterr().err.count("prviz: note: real.csv: left out: 'rank'") == 1
    assert pd.read_parquet(tmp_path / "grid.parquet").key.equals(found.key)


def test_warnings_on_the_files_of_a_sweep_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real, generated = np.random.default_rng(4).normal(size=(2, 120, 4)) * [1, 1, 1, 1e5]
    pair = saved(tmp_path, real=real, generated=generated)
    with pytest.warns(prviz.PrvizWarning, match="Feature scales: feature 4 holds over 99.9 %"):
        sweep_cells(SweepGrid([pair], methods=["knn"]))
    assert shell(tmp_path, CONFIG) == 0
    assert capsys.readouterr().err.count("prviz: warning: Feature scales: feature 4 holds") == 1
