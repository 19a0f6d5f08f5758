"""Checkpoints measured in the background: other names keep what is worked out, equal sizes stay
equal.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pages._shared import cache
from pages._triage.run import Run
from pages._triage.work import _heads
from prviz.live.need import Need
from prviz.server.private_folders import PrivateFolder
from prviz.triage.inputs import Checkpoint, checkpoints_of
from prviz.triage.measured import ResultCache, TriageSettings
from tests.triage_files import REFERENCE, drawn, folder_of


def run_of(folder: Path, checkpoints: Sequence[Checkpoint], settings: TriageSettings) -> Run:
    store = ResultCache(folder.parent / "cache")
    return Run(REFERENCE, checkpoints, settings, store=store, seconds=1.0)


def measured(folder: Path, settings: TriageSettings) -> tuple[Run, Sequence[Checkpoint]]:
    checkpoints = checkpoints_of(folder)
    run = run_of(folder, checkpoints, settings)
    run.start()
    return ended(run), checkpoints


def ended(run: Run) -> Run:
    while run.working:
        pass
    assert run.error is None
    return run


def test_another_name_or_step_keeps_what_is_worked_out_of_the_curve(tmp_path: Path) -> None:
    run, checkpoints = measured(folder_of(tmp_path / "run"), TriageSettings())
    before = [outcome.measured[0] for outcome in run.outcomes(checkpoints)]
    curves = [(each.curve, each.summaries) for each in before]
    called = [replace(each, name=f"{each.name}'", step=None) for each in checkpoints]
    after = [outcome.measured[0] for outcome in run.outcomes(called)]
    assert [each.checkpoint for each in after] == called
    for one, (curve, summaries) in zip(after, curves, strict=True):
        assert one.curve is curve
        assert one.summaries is summaries
    assert [each.checkpoint.name for each in before] == ["step-1", "step-2", "step-3"]


def test_what_is_kept_is_taken_read_once_and_nothing_else_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path / "run")
    before, checkpoints = measured(folder, TriageSettings())
    np.save(folder / "step-9.npy", drawn(9))
    (folder / "step-8.npy").write_bytes(b"no numbers")
    found = checkpoints_of(folder)
    keys = []
    get = ResultCache.get
    monkeypatch.setattr(
        ResultCache, "get", lambda self, key: keys.append(key["generated"]) or get(self, key)
    )
    run = run_of(folder, found, TriageSettings())
    run.look()
    outcomes = ended(run).outcomes(found)
    stems = [each.checkpoint.path.stem for each in outcomes]
    assert stems == ["step-1", "step-2", "step-3", "step-8"]
    assert [bool(each.reason) for each in outcomes] == [False] * 3 + [True]
    assert len(keys) == len(set(keys)) == len(checkpoints) + 1
    for one, other in zip(outcomes, before.outcomes(checkpoints), strict=False):
        assert one.measured[0].curve.auc == other.measured[0].curve.auc


def test_a_result_that_comes_after_its_folder_is_forgotten_leaves_nothing_behind() -> None:
    folder = PrivateFolder()
    path = folder.path
    store = ResultCache(folder.path / "results", needed=False, holds=folder)
    shutil.rmtree(path)  # as "Forget them" does
    del folder
    gc.collect()
    store.put_facts({"late": True}, [1.0])  # by a job that was at work
    assert path.exists()
    del store  # the job's end
    gc.collect()
    assert not path.exists()


def test_what_a_tab_waited_for_is_forgotten_with_all_that_it_holds() -> None:
    folder = PrivateFolder()
    held = cache.Session()
    path = folder.path
    held.waited_for = Need(("late",), lambda progress, store=folder: store, 1.0)
    del folder
    held.clear()
    gc.collect()
    assert not path.exists()


def test_one_that_is_smaller_and_readable_at_last_cuts_all(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run")
    (folder / "step-4.npy").write_bytes(b"no numbers")
    run, checkpoints = measured(folder, TriageSettings(equal_sizes=True))
    assert [len(each.measured) for each in run.outcomes(checkpoints)] == [1, 1, 1, 0]
    np.save(folder / "step-4.npy", drawn(4, n=40))
    run.retry()
    found = [each.measured[0] for each in ended(run).outcomes(checkpoints)]
    assert {(each.n_real, each.n_generated) for each in found} == {(40, 40)}
    assert {each.digests.real for each in found} == {found[-1].digests.real}


def test_columns_of_metadata_never_pass_for_others() -> None:
    assert _heads(["n", "n (metadata)", "AuC, kNN", "scale"]) == [
        "n (metadata)",
        "n (metadata)'",
        "AuC, kNN (metadata)",
        "scale",
    ]


@pytest.mark.exhaustive
def test_neighbours_rank_first_and_the_best_classifier_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path / "run")
    (folder / "step-4.npy").write_bytes(b"no numbers")
    checkpoints = checkpoints_of(folder)
    settings = TriageSettings(("tightest", "knn", "coverage"))
    run = run_of(folder, checkpoints, settings)
    seen: list[tuple[int, int, set[str], tuple[str, ...]]] = []
    report = run._report

    def spied(share: float) -> None:
        report(share)
        outcomes = run.outcomes(checkpoints)
        families = {one.method for each in outcomes for one in each.measured}
        seen.append((run.done, len(outcomes), families, run.shown_settings().methods))
        assert 0 <= run.share <= 1

    monkeypatch.setattr(run, "_report", spied)
    run.start()
    ended(run)
    quick = {"knn", "coverage"}
    # all by the neighbours before any by the best classifier
    assert (0, 4, quick, ("knn", "coverage")) in seen
    assert any(
        "tightest" in families and methods == ("knn", "coverage")
        for _, _, families, methods in seen
    )
    assert (run.done, run.shown_settings()) == (4, settings)
    outcomes = {each.checkpoint.name: each for each in run.outcomes(checkpoints)}
    assert outcomes.pop("step-4").reason is not None
    for each in outcomes.values():
        first, *others = each.measured
        assert [first.method, *(one.method for one in others)] == ["tightest", "knn", "coverage"]
        assert first.bound is first.own_bound is not None
    again = run_of(folder, checkpoints, settings)
    again.look()
    ended(again)
    for name, each in outcomes.items():
        kept = next(one for one in again.outcomes(checkpoints) if one.checkpoint.name == name)
        assert np.array_equal(kept.measured[0].bound.vertices, each.measured[0].bound.vertices)  # type: ignore[union-attr]
