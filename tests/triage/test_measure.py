"""Checkpoints against one reference: the same as `prviz.estimate`, each once, kept, and the broken
ones told.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prviz
from prviz.curves.summaries import summaries
from prviz.estimators import ESTIMATORS, Supports
from prviz.measure.estimates import Estimate, estimate
from prviz.measure.workload import subsample_rows
from prviz.neighbors import MEMORY_LIMIT, Distances, RealRadii, engine
from prviz.readers import read
from prviz.samples import SamplePair, Samples
from prviz.triage.elsewhere import measure_elsewhere
from prviz.triage.inputs import Checkpoint, checkpoints_of
from prviz.triage.measure import CheckpointEvaluator, CheckpointOutcome, TriageSettings, unequal
from prviz.triage.measured import CACHE_VARIABLE, ResultCache, cache_folder, kept
from prviz.triage.triage import Triage
from tests.triage_files import measure_all

FAMILIES = ("knn", "kde", "ipr", "coverage", "eas", "prc", "ppr", "hub")


def drawn(n: int, seed: int, shift: float = 0.0, d: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)) + shift


@pytest.fixture
def reference() -> Samples:
    """80 real samples, every other one twice: duplicates that are merged."""
    return Samples(np.repeat(drawn(60, 0), [1, 2] * 30, axis=0)[:80], "real")


@pytest.fixture
def checkpoints(tmp_path: Path) -> list[Checkpoint]:
    """Unlike in size, type and scale, so that each is computed in another arithmetic."""
    folder = tmp_path / "run"
    folder.mkdir()
    np.save(folder / "step-1.npy", drawn(80, 1, 0.5))
    np.save(folder / "step-2.npy", drawn(60, 2).astype(np.float32))
    np.save(folder / "step-3.npy", np.round(4 * drawn(90, 3)) / 4)
    np.save(folder / "step-4.npy", np.where(np.arange(80)[:, None] < 5, 1e7, drawn(80, 4)))
    return checkpoints_of(folder)


def numbers(found: list[CheckpointOutcome]) -> dict[tuple[str, str], tuple[bytes, ...]]:
    """All that was measured, to the last bit."""
    return {
        (each.checkpoint.name, each.method): tuple(
            np.asarray(array).tobytes()
            for run in each.estimate.runs
            for array in (run.c_real, run.c_generated, run.bandwidth or ())
        )
        for outcome in found
        for each in outcome.measured
    }


def check_alike(
    outcome: CheckpointOutcome, real: Samples, generated: Samples, settings: TriageSettings
) -> None:
    """The slow twin: the pair measured by itself."""
    options = {
        "k": settings.k,
        "split": settings.split,
        "seed": settings.seed,
        "bandwidth": settings.bandwidth,
    }
    single = estimate(SamplePair(real, generated), settings.methods, **options)
    assert tuple(each.method for each in outcome.measured) == tuple(single)
    for each, alone in zip(outcome.measured, single.values(), strict=True):
        assert (each.k, len(each.estimate.runs)) == (alone.k, len(alone.runs))
        for ours, theirs in zip(each.estimate.runs, alone.runs, strict=True):
            np.testing.assert_array_equal(ours.c_real, theirs.c_real)
            np.testing.assert_array_equal(ours.c_generated, theirs.c_generated)
            assert (ours.n_real, ours.bandwidth) == (theirs.n_real, theirs.bandwidth)
            assert (ours.rows is None) == (theirs.rows is None)
        np.testing.assert_array_equal(each.curve.vertices, alone.curve.vertices)
        assert each.summaries == summaries(alone.curve)
        assert each.digests == (real.digest, generated.digest)
        assert (each.n_real, each.n_generated) == (real.n, generated.n)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("k", "split"), [(3, 0.5), (3, None), ("sqrt", 0.4)])
def test_every_result_is_that_of_the_pair_alone(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path, k: int, split: float | None
) -> None:
    settings = TriageSettings(FAMILIES, k=k, split=split, seed=3)
    store = ResultCache(tmp_path / "kept")
    first = list(measure_all(reference, checkpoints, settings, store=store))
    again = list(measure_all(reference, checkpoints, settings, store=store))
    for outcome in first:
        check_alike(outcome, reference, read(outcome.checkpoint.path), settings)
    assert numbers(first) == numbers(again)
    assert [each.fresh for each in first] == [FAMILIES] * 4
    assert [each.fresh for each in again] == [()] * 4
    assert [each.measured[0].seconds for each in first] == [
        each.measured[0].seconds for each in again
    ]


def test_a_family_with_several_runs_is_kept_whole(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    settings = TriageSettings(("cluster",))
    store = ResultCache(tmp_path / "kept")
    first, again = (
        next(measure_all(reference, checkpoints[:1], settings, store=store)) for _ in range(2)
    )
    assert (first.fresh, again.fresh) == (("cluster",), ())
    assert len(first.measured[0].estimate.runs) > 1
    check_alike(again, reference, read(checkpoints[0].path), settings)


def test_radii_inside_the_reference_are_found_once(
    reference: Samples, checkpoints: list[Checkpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    find = engine.own_radii

    def watched(prepared, own, runner):
        asked.append({role: list(ks) for role, ks in own.items()})
        return find(prepared, own, runner)

    monkeypatch.setattr(engine, "own_radii", watched)
    list(measure_all(reference, checkpoints, TriageSettings(("kde", "ipr"), k=3)))
    assert asked == [{"real": [3], "generated": [3]}, *[{"generated": [3]}] * 3]


def test_radii_of_other_real_samples_are_refused(reference: Samples) -> None:
    radii = RealRadii()
    generated = Samples(drawn(80, 1))
    split = SamplePair(reference, generated).split(0.5, 0)
    Distances(split, real_radii=radii)
    Distances(
        SamplePair(Samples(reference.values.copy()), generated).split(0.5, 0), real_radii=radii
    )
    other = Samples(np.nextafter(reference.values, 9))
    for wrong in (
        SamplePair(other, generated).split(0.5, 0),
        split.pair.split(0.5, 1),
        split.pair.split(None),
    ):
        with pytest.raises(ValueError, match="belong to other real fit samples"):
            Distances(wrong, real_radii=radii)


def test_order_and_company_change_nothing(
    reference: Samples, checkpoints: list[Checkpoint]
) -> None:
    settings = TriageSettings(("kde", "ipr"), equal_sizes=True, seed=1)
    forth = list(measure_all(reference, checkpoints, settings))
    back = list(measure_all(reference, checkpoints[::-1], settings))
    assert [each.checkpoint for each in back] == checkpoints[::-1]
    assert numbers(forth) == numbers(back)
    plain = TriageSettings(("kde", "ipr"))
    alone = [each for one in checkpoints for each in measure_all(reference, [one], plain)]
    assert numbers(alone) == numbers(list(measure_all(reference, checkpoints, plain)))


def test_equal_sizes_are_a_seeded_subsample_of_all_that_can_be_measured(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    np.save(tmp_path / "few.npy", drawn(19, 5))
    np.save(tmp_path / "other.npy", drawn(30, 5, d=3))
    listed = [*checkpoints, *checkpoints_of([tmp_path / "few.npy", tmp_path / "other.npy"])]
    settings = TriageSettings(("knn",), seed=7, equal_sizes=True)
    outcomes = [each for each in measure_all(reference, listed, settings) if each.measured]
    assert [each.checkpoint for each in outcomes] == checkpoints
    real = reference.take(subsample_rows(80, 60, 7))
    for each in outcomes:
        whole = read(each.checkpoint.path)
        check_alike(each, real, whole.take(subsample_rows(whole.n, 60, 7)), settings)
    found = [each.measured[0] for each in outcomes]
    assert {(each.n_real, each.n_generated) for each in found} == {(60, 60)}
    assert unequal(found) is None
    plain = [each.measured[0] for each in measure_all(reference, checkpoints)]
    assert "60 to 90 samples" in (unequal(plain) or "")


def test_each_broken_file_has_its_reason_and_the_others_go_on(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    bad = drawn(80, 6)
    bad[4, 2] = np.nan
    np.save(tmp_path / "nan.npy", bad)
    np.save(tmp_path / "dimension.npy", drawn(80, 6, d=5))
    np.save(tmp_path / "few.npy", drawn(19, 6))
    np.save(tmp_path / "huge.npy", np.full((80, 4), 1e200))
    np.savez(tmp_path / "corrupt.npz", features=drawn(80, 6))
    whole = (tmp_path / "corrupt.npz").read_bytes()
    (tmp_path / "corrupt.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "pickled.npy").write_bytes(b"\x80\x04\x95")
    (tmp_path / "text.csv").write_text("hello\n")
    reasons = {
        "nan.npy": "row 5, column 3: NaN",
        "dimension.npy": "generated ones have 5; both must come from the same encoder",
        "few.npy": "19 rows; at least 20",
        "huge.npy": "at most 1e153",
        "corrupt.npz": "truncated or corrupt",
        "empty.npy": "empty",
        "pickled.npy": "pickle",
        "text.csv": "'text.csv'",
        "gone.npy": "No such file",
    }
    broken = [Checkpoint(tmp_path / name, name) for name in reasons]
    mixed = [each for pair in zip(broken[:4], checkpoints, strict=True) for each in pair] + broken[
        4:
    ]
    found = list(measure_all(reference, mixed, store=ResultCache(tmp_path / "kept")))
    assert [each.checkpoint for each in found] == mixed
    failed = {each.checkpoint.name: each.reason or "" for each in found if not each.measured}
    assert set(failed) == set(reasons)
    for name, reason in reasons.items():
        assert reason in failed[name], (name, failed[name])
        assert "\n" not in failed[name]
    good = [each for each in found if each.measured]
    assert numbers(good) == numbers(list(measure_all(reference, checkpoints)))
    assert len(list((tmp_path / "kept").iterdir())) == 4


def test_a_k_too_large_for_one_checkpoint_fails_it_alone(
    reference: Samples, checkpoints: list[Checkpoint]
) -> None:
    found = list(measure_all(reference, checkpoints, TriageSettings(k=35)))
    assert [each.reason is None for each in found] == [True, False, True, True]
    assert "k must be 1 to 29" in (found[1].reason or "")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"methods": ("knn", "k-NN")}, "methods = "),
        ({"k": 40}, "k must be 1 to 39"),
        ({"k": 0}, "k = 0"),
        ({"split": 1.0}, "split = 1.0"),
        ({"methods": ("classifier",), "split": None}, "split = None, but classifier"),
        ({"bandwidth": -1.0}, "bandwidth = -1.0"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_settings_that_fit_no_checkpoint_are_an_error_before_the_first(
    reference: Samples, checkpoints: list[Checkpoint], settings: dict, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        measure_all(reference, checkpoints, TriageSettings(**settings))
    with pytest.raises(ValueError, match="reference: 19 samples; at least 20"):
        measure_all(Samples(drawn(19, 0)), checkpoints)


def test_a_stopped_run_goes_on_where_it_was(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    store = ResultCache(tmp_path / "kept")
    settings = TriageSettings(("knn", "ipr"))
    running = measure_all(reference, checkpoints, settings, store=store)
    assert len([next(running), next(running)]) == 2
    running.close()

    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(measure_all(reference, checkpoints, settings, store=store, progress=stop))
    assert len(list(store.folder.iterdir())) == 4
    found = list(measure_all(reference, checkpoints, settings, store=store))
    assert [each.fresh for each in found] == [(), (), ("knn", "ipr"), ("knn", "ipr")]
    assert numbers(found) == numbers(list(measure_all(reference, checkpoints, settings)))
    more = list(measure_all(reference, checkpoints, TriageSettings(("kde", "ipr")), store=store))
    assert [each.fresh for each in more] == [("kde",)] * 4
    changed = read(checkpoints[0].path).values.copy()
    changed[0, 0] = np.nextafter(changed[0, 0], 9)
    np.save(checkpoints[0].path, changed)
    again = list(measure_all(reference, checkpoints, settings, store=store))
    assert [each.fresh for each in again] == [("knn", "ipr"), (), (), ()]
    for other in ({"k": 3}, {"seed": 1}, {"split": 0.4}, {"split": None}):
        found = list(
            measure_all(reference, checkpoints[1:2], TriageSettings(("knn",), **other), store=store)
        )
        assert found[0].fresh == ("knn",)


@pytest.mark.parametrize("equal_sizes", [False, True])
def test_workers_take_the_array_and_the_sizes_that_the_settings_say(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path, equal_sizes: bool
) -> None:
    settings = TriageSettings(("knn", "ipr"), key="own", equal_sizes=equal_sizes)
    (tmp_path / "keyed").mkdir()
    real = tmp_path / "real.npz"
    small = tmp_path / "keyed" / "small.npz"
    np.savez(real, own=reference.values, other=reference.values + 1)
    np.savez(small, own=drawn(50, 7), other=drawn(90, 8))
    both = [*checkpoints[:1], Checkpoint(small, "small")]
    here = list(measure_all(read(real, key="own"), both, settings))
    triage = Triage(reference=read(real, key="own"), settings=settings)
    with ThreadPoolExecutor(2) as executor:
        found = {
            each.checkpoint.name: each
            for each in measure_elsewhere(triage, both, executor, reference=real)
        }
    assert all(each.reason is None for each in here)
    assert numbers(here) == numbers([found[each.checkpoint.name] for each in here])
    sizes = {(one.n_real, one.n_generated) for each in here for one in each.measured}
    assert (sizes == {(50, 50)}) == equal_sizes


def test_files_replaced_while_workers_measure_are_told(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    path = tmp_path / "real.npy"
    np.save(path, reference.values)
    kept_in = ResultCache(tmp_path / "kept")
    triage = Triage(reference=read(path), settings=TriageSettings(), store=kept_in)
    with ThreadPoolExecutor(1) as executor:
        alike = list(measure_elsewhere(triage, checkpoints[:1], executor, reference=path))
        assert numbers(alike) == numbers(list(measure_all(reference, checkpoints[:1])))
    with ThreadPoolExecutor(1) as executor:
        outcomes = measure_elsewhere(triage, checkpoints[:2], executor, reference=path)
        np.save(path, reference.values[::-1])
        kept, lost = outcomes
    assert (kept.fresh, kept.reason) == ((), None)
    assert "has other contents there" in (lost.reason or "")
    evaluator = CheckpointEvaluator(reference, TriageSettings(), None, MEMORY_LIMIT)
    looked = evaluator.look(checkpoints[1])
    np.save(checkpoints[1].path, drawn(60, 9))
    changed = evaluator.joined(looked, evaluator.outcome(checkpoints[1], lambda _: None))
    assert (changed.measured, changed.reason) == (
        (),
        "it changed while it was measured; start again",
    )


def test_a_damaged_result_counts_as_absent(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    store = ResultCache(tmp_path / "kept")
    first = list(measure_all(reference, checkpoints, store=store))
    one, two, three, _ = sorted(store.folder.iterdir())
    one.write_bytes(one.read_bytes()[:200])
    two.write_bytes(three.read_bytes())
    three.write_bytes(b"\x80\x04\x95 not a result")
    second = list(measure_all(reference, checkpoints, store=store))
    assert sum(each.fresh == ("knn",) for each in second) == 3
    assert numbers(first) == numbers(second)
    assert all(each.fresh == () for each in measure_all(reference, checkpoints, store=store))


Change = Callable[[dict[str, Any], dict[str, np.ndarray[Any, Any]]], object]
KEPT_KEY = {"method": "knn", "n": 7}


@pytest.mark.parametrize(
    "change",
    [
        lambda about, _: about.update(key="{}"),
        lambda about, _: about.update(runs=[]),
        lambda about, _: about["runs"][0].update(n_real=-1),
        lambda about, _: about["runs"][0].update(n_real=5),
        lambda about, _: about["runs"][0].update(rows=True),
        lambda about, _: about.pop("seconds"),
        lambda _, arrays: arrays.update(c_real_0=np.ones(3)),
        lambda _, arrays: arrays.update(c_real_0=np.ones((2, 2)), c_generated_0=np.ones((2, 2))),
        lambda _, arrays: arrays.update(c_real_0=np.array([1.0, 0, 1, -1e-9])),
        lambda _, arrays: arrays.update(c_generated_0=np.array([1.0, 0, 1, np.nan])),
        lambda _, arrays: arrays.update(groups_0=np.array([0, 1, 1, -1])),
        lambda _, arrays: arrays.update(groups_0=np.array([0.0, 1, 1, 2])),
        lambda _, arrays: arrays.update(groups_0=np.array([0, 1, 1])),
        lambda _, arrays: arrays.pop("groups_0"),
    ],
)
def test_a_kept_result_with_anything_wrong_in_it_counts_as_absent(
    tmp_path: Path, change: Change
) -> None:
    supports = Supports(
        np.array([1.0, 0, 1, 0]), np.array([0.0, 1, 0, 1]), 4, None, None, np.array([0, 1, 1, 2])
    )
    store = ResultCache(tmp_path / "kept")
    store.put(KEPT_KEY, Estimate("knn", 3, None, (supports,)), 0.5)
    kept = store.get(KEPT_KEY)
    assert kept is not None
    (run,) = kept[0].runs
    assert (kept[0].k, kept[1], run.n_real) == (3, 0.5, 4)
    assert run.groups is not None
    assert run.groups.tolist() == [0, 1, 1, 2]
    (file,) = store.folder.iterdir()
    with np.load(file) as archive:
        arrays = dict(archive)
    about = json.loads(arrays.pop("about").tobytes())
    for changed in (False, True):
        if changed:
            change(about, arrays)
        text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        np.savez_compressed(file, about=text, **arrays)
        assert (store.get(KEPT_KEY) is None) == changed


def test_families_of_the_user_are_not_kept(
    reference: Samples,
    checkpoints: list[Checkpoint],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("prviz.estimators.ESTIMATORS", ESTIMATORS)
    prviz.register(
        "kept_not",
        lambda _, evaluate: (np.concatenate(evaluate)[:, 0] ** 2, np.ones(sum(map(len, evaluate)))),
    )
    try:
        for _ in range(2):
            found = list(
                measure_all(
                    reference,
                    checkpoints[:1],
                    TriageSettings(("kept_not",)),
                    store=ResultCache(tmp_path / "kept"),
                )
            )
            assert found[0].fresh == ("kept_not",)
    finally:
        del ESTIMATORS["kept_not"]
    assert not (tmp_path / "kept").exists()


def test_a_store_of_limited_size_forgets_what_was_used_longest_ago(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    (outcome,) = measure_all(reference, checkpoints[:1])
    kept = outcome.measured[0].estimate
    folder = tmp_path / "kept"
    ResultCache(folder).put({"method": "knn", "n": 0}, kept, 1.0)
    (only,) = folder.iterdir()
    limit = int(2.5 * only.stat().st_size)
    (folder / "mine.txt").write_text("x" * limit)
    store = ResultCache(folder, limit)
    store.put({"method": "knn", "n": 1}, kept, 1.0)
    for place, path in enumerate([only, *(set(folder.glob("*.npz")) - {only})]):
        os.utime(path, ns=(place, place))
    assert store.get({"method": "knn", "n": 0}) is not None
    store.put({"method": "knn", "n": 2}, kept, 1.0)
    assert [store.get({"method": "knn", "n": n}) is not None for n in range(3)] == [
        True,
        False,
        True,
    ]
    assert (folder / "mine.txt").exists()
    tiny = ResultCache(folder, 1)
    tiny.put({"method": "knn", "n": 3}, kept, 1.0)
    assert [tiny.get({"method": "knn", "n": n}) is not None for n in range(4)] == [
        False,
        False,
        False,
        True,
    ]


def test_a_store_of_limited_size_is_not_looked_through_at_every_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept"
    looks = list[Path]()
    iterdir = Path.iterdir

    def looked(path: Path) -> Iterator[Path]:
        looks.append(path)
        return iterdir(path)

    ResultCache(folder).put_facts({"n": -1}, 1.0)
    (only,) = folder.iterdir()
    limit = 40 * only.stat().st_size
    store = ResultCache(folder, limit)
    monkeypatch.setattr(Path, "iterdir", looked)
    for n in range(100):
        store.put_facts({"n": n}, 1.0)
        assert sum(each.stat().st_size for each in iterdir(folder)) <= limit
        assert store.facts({"n": n}) == 1.0
    assert len(list(iterdir(folder))) > 30  # not more than need be is forgotten
    assert len(looks) <= 50  # each takes as long as there are results


def test_a_clock_that_was_ahead_makes_no_result_stay_for_ever(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    (outcome,) = measure_all(reference, checkpoints[:1])
    kept = outcome.measured[0].estimate
    folder = tmp_path / "kept"
    ResultCache(folder).put({"method": "knn", "n": 0}, kept, 1.0)
    (only,) = folder.iterdir()
    in_ten_years = time.time_ns() + 10 * 365 * 86_400 * 10**9
    os.utime(only, ns=(in_ten_years, in_ten_years))
    store = ResultCache(folder, int(2.5 * only.stat().st_size))
    for n in (1, 2):
        store.put({"method": "knn", "n": n}, kept, 1.0)
    assert [store.get({"method": "knn", "n": n}) is not None for n in range(3)] == [
        False,
        True,
        True,
    ]


def test_a_folder_that_can_not_be_written_is_told(
    reference: Samples,
    checkpoints: list[Checkpoint],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match=r"out = .* is a file; a folder is needed"):
        ResultCache(tmp_path / "file")
    with pytest.raises(OSError, match="a result can't be kept there"):
        list(measure_all(reference, checkpoints, store=ResultCache(tmp_path / "file" / "inside")))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file" / "inside"))
    assert cache_folder() == tmp_path / "file" / "inside"
    store = ResultCache.cache()
    assert all(each.measured for each in measure_all(reference, checkpoints, store=store))
    assert "can't be kept" in (store.trouble or "")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_cache_that_is_a_file_is_named_by_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "file"))
    with pytest.raises(ValueError, match=r"^PRVIZ_CACHE = '.*file' is a file; a folder is needed"):
        ResultCache.cache()
    monkeypatch.delenv("PRVIZ_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = cache_folder()
    folder.parent.mkdir(parents=True)
    folder.write_text("")
    with pytest.raises(
        ValueError, match=r"^the cache of results = '.*triage' is a file; a folder is needed"
    ):
        ResultCache.cache()


def test_what_is_found_is_remembered_where_the_folder_can_not_keep_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = ResultCache(tmp_path / "file" / "below", needed=False)
    for _ in range(2):
        assert kept(store, {"a": 1}, lambda facts: facts, iter([[1.5]]).__next__) == [1.5]
    assert store.known({"a": 1}) == [1.5]
    assert store.facts({"a": 1}) is None
    assert "a result can't be kept there" in (store.trouble or "")


@pytest.mark.exhaustive
def test_results_show_their_decision_in_a_notebook(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for step in (1, 2):
        np.save(folder / f"step-{step}.npy", drawn(80, step, step))
    real = Samples(drawn(80, 0), "real")
    settings = TriageSettings(("knn",))
    triage = Triage(reference=real, settings=settings)
    found = triage.results(measure_all(real, checkpoints_of(folder), settings), areas=False)
    text = found._repr_html_()
    assert "best" in repr(found).lower()
    assert "\n" not in repr(found)
    assert f"<b>{found.judgement.decision.headline.head}.</b>" in text
    assert text.count("<tr>") == 1 + len(found.judgement.candidates)
    assert len(text) < 30_000
    empty = triage.results([])
    assert "none is measured" in repr(empty)
    assert "none is measured" in empty._repr_html_()
