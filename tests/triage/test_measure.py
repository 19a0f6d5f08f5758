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
from prviz.triage.measure import CheckpointEvaluator, CheckpointOutcome, TriageSettings
from prviz.triage.measured import CACHE_VARIABLE, ResultCache, cache_folder, kept
from prviz.triage.triage import Triage
from tests import file_builders
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


@pytest.fixture
def store(tmp_path: Path) -> ResultCache:
    return ResultCache(tmp_path / "kept")


Measure = Callable[..., list[CheckpointOutcome]]


@pytest.fixture
def measured(reference: Samples, checkpoints: list[Checkpoint]) -> Measure:
    """The outcomes of all checkpoints, or of some others."""

    def outcomes(
        *settings: TriageSettings, of: list[Checkpoint] = checkpoints, **options: Any
    ) -> list[CheckpointOutcome]:
        return list(measure_all(reference, of, *settings, **options))

    return outcomes


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
    options = {name: getattr(settings, name) for name in ("k", "split", "seed", "bandwidth")}
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
@pytest.mark.parametrize(
    "settings",
    [
        TriageSettings(FAMILIES, k=3, seed=3),
        TriageSettings(FAMILIES, k=3, split=None, seed=3),
        TriageSettings(FAMILIES, split=0.4, seed=3),
        TriageSettings(("cluster",)),  # of several runs
    ],
    ids=["k", "without split", "sqrt", "several runs"],
)
def test_every_result_is_that_of_the_pair_alone_and_kept_whole(
    reference: Samples, measured: Measure, store: ResultCache, settings: TriageSettings
) -> None:
    first, again = (measured(settings, store=store) for _ in range(2))
    for outcome in first:
        check_alike(outcome, reference, read(outcome.checkpoint.path), settings)
    assert numbers(first) == numbers(again)
    assert [each.fresh for each in first] == [settings.methods] * 4
    assert [each.fresh for each in again] == [()] * 4
    assert [each.measured[0].seconds for each in first] == [
        each.measured[0].seconds for each in again
    ]


def test_radii_inside_the_reference_are_found_once(
    measured: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    find = engine.own_radii

    def watched(prepared, own, runner):
        asked.append({role: list(ks) for role, ks in own.items()})
        return find(prepared, own, runner)

    monkeypatch.setattr(engine, "own_radii", watched)
    measured(TriageSettings(("kde", "ipr"), k=3))
    assert asked == [{"real": [3], "generated": [3]}, *[{"generated": [3]}] * 3]


def test_radii_of_other_real_samples_are_refused(reference: Samples) -> None:
    radii = RealRadii()
    pair = SamplePair(reference, Samples(drawn(80, 1)))
    Distances(pair.split(0.5, 0), real_radii=radii)
    same = SamplePair(Samples(reference.values.copy()), pair.generated)
    Distances(same.split(0.5, 0), real_radii=radii)
    other = SamplePair(Samples(np.nextafter(reference.values, 9)), pair.generated)
    for wrong in (other.split(0.5, 0), pair.split(0.5, 1), pair.split(None)):
        with pytest.raises(ValueError, match="belong to other real fit samples"):
            Distances(wrong, real_radii=radii)


def test_order_and_company_change_nothing(measured: Measure, checkpoints: list[Checkpoint]) -> None:
    settings = TriageSettings(("kde", "ipr"), equal_sizes=True, seed=1)
    forth = measured(settings)
    back = measured(settings, of=checkpoints[::-1])
    assert [each.checkpoint for each in back] == checkpoints[::-1]
    assert numbers(forth) == numbers(back)
    plain = TriageSettings(("kde", "ipr"))
    alone = [each for one in checkpoints for each in measured(plain, of=[one])]
    assert numbers(alone) == numbers(measured(plain))


def test_equal_sizes_are_a_seeded_subsample_of_all_that_can_be_measured(
    reference: Samples, measured: Measure, checkpoints: list[Checkpoint], tmp_path: Path
) -> None:
    np.save(tmp_path / "few.npy", drawn(19, 5))
    np.save(tmp_path / "other.npy", drawn(30, 5, d=3))
    listed = [*checkpoints, *checkpoints_of([tmp_path / "few.npy", tmp_path / "other.npy"])]
    settings = TriageSettings(("knn",), seed=7, equal_sizes=True)
    outcomes = [each for each in measured(settings, of=listed) if each.measured]
    assert [each.checkpoint for each in outcomes] == checkpoints
    real = reference.take(subsample_rows(80, 60, 7))
    for each in outcomes:
        whole = read(each.checkpoint.path)
        check_alike(each, real, whole.take(subsample_rows(whole.n, 60, 7)), settings)


def test_each_broken_file_has_its_reason_and_the_others_go_on(
    measured: Measure, checkpoints: list[Checkpoint], tmp_path: Path, store: ResultCache
) -> None:
    bad = drawn(80, 6)
    bad[4, 2] = np.nan
    whole = file_builders.npz(features=drawn(80, 6))
    broken = {
        "nan.npy": (file_builders.npy(bad), "row 5, column 3: NaN"),
        "dimension.npy": (
            file_builders.npy(drawn(80, 6, d=5)),
            "generated ones have 5; both must come from the same encoder",
        ),
        "few.npy": (file_builders.npy(drawn(19, 6)), "19 rows; at least 20"),
        "huge.npy": (file_builders.npy(np.full((80, 4), 1e200)), "at most 1e153"),
        "corrupt.npz": (whole[: len(whole) // 2], "truncated or corrupt"),
        "empty.npy": (b"", "empty"),
        "pickled.npy": (b"\x80\x04\x95", "pickle"),
        "text.csv": (b"hello\n", "'text.csv'"),
        "gone.npy": (None, "No such file"),
    }
    for name, (data, _) in broken.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
    first, *others = (Checkpoint(tmp_path / name, name) for name in broken)
    mixed = [first, *checkpoints[:2], *others, *checkpoints[2:]]
    found = measured(of=mixed, store=store)
    assert [each.checkpoint for each in found] == mixed
    failed = {each.checkpoint.name: each.reason or "" for each in found if not each.measured}
    assert set(failed) == set(broken)
    for name, (_, reason) in broken.items():
        assert reason in failed[name], (name, failed[name])
        assert "\n" not in failed[name]
    assert numbers(found) == numbers(measured())
    assert len(list(store.folder.iterdir())) == 4


def test_a_k_too_large_for_one_checkpoint_fails_it_alone(measured: Measure) -> None:
    found = measured(TriageSettings(k=35))
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
    reference: Samples, measured: Measure, checkpoints: list[Checkpoint], store: ResultCache
) -> None:
    settings = TriageSettings(("knn", "ipr"))
    running = measure_all(reference, checkpoints, settings, store=store)
    assert len([next(running), next(running)]) == 2
    running.close()

    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured(settings, store=store, progress=stop)
    assert len(list(store.folder.iterdir())) == 4
    found = measured(settings, store=store)
    assert [each.fresh for each in found] == [(), (), ("knn", "ipr"), ("knn", "ipr")]
    assert numbers(found) == numbers(measured(settings))
    more = measured(TriageSettings(("kde", "ipr")), store=store)
    assert [each.fresh for each in more] == [("kde",)] * 4
    changed = read(checkpoints[0].path).values.copy()
    changed[0, 0] = np.nextafter(changed[0, 0], 9)
    np.save(checkpoints[0].path, changed)
    assert [each.fresh for each in measured(settings, store=store)] == [("knn", "ipr"), (), (), ()]
    for other in ({"k": 3}, {"seed": 1}, {"split": 0.4}, {"split": None}):
        (found,) = measured(TriageSettings(("knn",), **other), of=checkpoints[1:2], store=store)
        assert found.fresh == ("knn",)


@pytest.mark.parametrize("equal_sizes", [False, True])
def test_workers_take_the_array_and_the_sizes_that_the_settings_say(
    reference: Samples, checkpoints: list[Checkpoint], tmp_path: Path, equal_sizes: bool
) -> None:
    settings = TriageSettings(("knn", "ipr"), key="own", equal_sizes=equal_sizes)
    real = tmp_path / "real.npz"
    small = tmp_path / "small.npz"
    np.savez(real, own=reference.values, other=reference.values + 1)
    np.savez(small, own=drawn(50, 7), other=drawn(90, 8))
    both = [*checkpoints[:1], Checkpoint(small, "small")]
    triage = Triage(reference=read(real, key="own"), settings=settings)
    here = list(measure_all(triage.reference, both, settings))
    with ThreadPoolExecutor(2) as executor:
        found = list(measure_elsewhere(triage, both, executor, reference=real))
    assert all(each.reason is None for each in here)
    assert numbers(here) == numbers(found)
    sizes = {(one.n_real, one.n_generated) for each in here for one in each.measured}
    assert (sizes == {(50, 50)}) == equal_sizes


def test_files_replaced_while_workers_measure_are_told(
    reference: Samples,
    measured: Measure,
    checkpoints: list[Checkpoint],
    tmp_path: Path,
    store: ResultCache,
) -> None:
    path = tmp_path / "real.npy"
    np.save(path, reference.values)
    triage = Triage(reference=read(path), settings=TriageSettings(), store=store)
    with ThreadPoolExecutor(1) as executor:
        alike = list(measure_elsewhere(triage, checkpoints[:1], executor, reference=path))
    assert numbers(alike) == numbers(measured(of=checkpoints[:1]))
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
    assert changed.measured == ()
    assert changed.reason == "it changed while it was measured; start again"


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
    store: ResultCache, change: Change
) -> None:
    c_real, c_generated = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1]])
    supports = Supports(c_real, c_generated, 4, None, None, np.array([0, 1, 1, 2]))
    store.put(KEPT_KEY, Estimate("knn", 3, None, (supports,)), 0.5)
    kept = store.get(KEPT_KEY)
    assert kept is not None
    (run,) = kept[0].runs
    assert (kept[0].k, kept[1], run.n_real) == (3, 0.5, 4)
    np.testing.assert_array_equal(run.groups, supports.groups)
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
    measured: Measure,
    checkpoints: list[Checkpoint],
    store: ResultCache,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("prviz.estimators.ESTIMATORS", ESTIMATORS)
    prviz.register(
        "kept_not",
        lambda _, evaluate: (np.concatenate(evaluate)[:, 0] ** 2, np.ones(sum(map(len, evaluate)))),
    )
    try:
        for _ in range(2):
            (found,) = measured(TriageSettings(("kept_not",)), of=checkpoints[:1], store=store)
            assert found.fresh == ("kept_not",)
    finally:
        del ESTIMATORS["kept_not"]
    assert not store.folder.exists()


def known(store: ResultCache, most: int) -> list[int]:
    """Those of the first facts that are still kept."""
    return [n for n in range(most) if store.facts({"n": n}) is not None]


@pytest.fixture
def limited(store: ResultCache) -> ResultCache:
    """A store with room for the facts that it has, for others, and for half of more."""
    store.put_facts({"n": 0}, 1.0)
    (only,) = store.folder.iterdir()
    return ResultCache(store.folder, int(2.5 * only.stat().st_size))


def test_a_store_of_limited_size_forgets_what_was_used_longest_ago(limited: ResultCache) -> None:
    mine = limited.folder / "mine.txt"
    mine.write_text("x" * (limited.most_bytes or 0))
    (only,) = limited.folder.glob("*.npz")
    limited.put_facts({"n": 1}, 1.0)
    for place, path in enumerate([only, *(set(limited.folder.glob("*.npz")) - {only})]):
        os.utime(path, ns=(place, place))
    assert known(limited, 1) == [0]
    limited.put_facts({"n": 2}, 1.0)
    assert known(limited, 3) == [0, 2]
    assert mine.exists()
    tiny = ResultCache(limited.folder, 1)
    tiny.put_facts({"n": 3}, 1.0)
    assert known(tiny, 4) == [3]


def test_a_store_of_limited_size_is_not_looked_through_at_every_result(
    limited: ResultCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[Path]()
    iterdir = Path.iterdir

    def looked(path: Path) -> Iterator[Path]:
        looks.append(path)
        return iterdir(path)

    limit = 16 * (limited.most_bytes or 0)
    store = ResultCache(limited.folder, limit)
    monkeypatch.setattr(Path, "iterdir", looked)
    for n in range(100):
        store.put_facts({"n": n}, 1.0)
        assert sum(each.stat().st_size for each in iterdir(store.folder)) <= limit
        assert store.facts({"n": n}) == 1.0
    assert len(list(iterdir(store.folder))) > 30  # not more than need be is forgotten
    assert len(looks) <= 50  # each takes as long as there are results


def test_a_clock_that_was_ahead_makes_no_result_stay_for_ever(limited: ResultCache) -> None:
    (only,) = limited.folder.iterdir()
    in_ten_years = time.time_ns() + 10 * 365 * 86_400 * 10**9
    os.utime(only, ns=(in_ten_years, in_ten_years))
    for n in (1, 2):
        limited.put_facts({"n": n}, 1.0)
    assert known(limited, 3) == [1, 2]


def test_a_folder_that_can_not_be_written_is_told(
    measured: Measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(ValueError, match=r"out = .* is a file; a folder is needed"):
        ResultCache(file)
    with pytest.raises(OSError, match="a result can't be kept there"):
        measured(store=ResultCache(file / "inside"))
    monkeypatch.setenv(CACHE_VARIABLE, str(file / "inside"))
    store = ResultCache.cache()
    assert store.folder == file / "inside"
    assert all(each.measured for each in measured(store=store))
    assert "can't be kept" in (store.trouble or "")
    assert file.read_text() == "mine"
    # what is found is remembered
    for _ in range(2):
        assert kept(store, {"a": 1}, lambda facts: facts, iter([[1.5]]).__next__) == [1.5]
    assert store.facts({"a": 1}) is None


def test_a_cache_that_is_a_file_is_named_by_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(file: Path) -> str:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        with pytest.raises(ValueError, match="' is a file; a folder is needed") as error:
            ResultCache.cache()
        return str(error.value)

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    assert refused(tmp_path / "file").startswith(f"PRVIZ_CACHE = '{tmp_path}/file")
    monkeypatch.delenv(CACHE_VARIABLE)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert refused(cache_folder()).startswith("the cache of results = '")


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
