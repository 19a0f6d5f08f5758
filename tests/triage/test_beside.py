"""What is found of the samples alone while curves are fitted: the same, once, and within the
memory.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.neighbors import threads
from prviz.neighbors.threads import ThreadsBeside, available_threads, run_blocks
from prviz.samples import SamplePair, Samples, as_samples
from prviz.triage import findings, triage as triage_module
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import ResultCache, TriageSettings
from prviz.triage.triage import Triage, TriageResults

SECONDS = 60.0


def test_work_goes_on_beside_this_thread_without_a_turn_and_one_after_the_other() -> None:
    """The work waits for this thread, which holds all turns."""
    more = ThreadsBeside(1)
    go = threading.Event()
    seen: list[Any] = []

    def work(progress: Any) -> None:
        assert go.wait(SECONDS)
        progress(0.5)
        run_blocks(lambda each: each, [1, 2], 1, lambda _, result: seen.append(result))
        seen.append(available_threads())

    held = [threads._turns[False] for _ in range(available_threads())]
    for turn in held:
        turn.__enter__()
    try:
        more.start(work)
        more.start(lambda _: seen.append("last"))
        assert more.busy
        go.set()
        more.wait()
    finally:
        for turn in held:
            turn.__exit__()
    assert seen == [1, 2, 1, "last"]
    assert not more.busy


def test_work_is_stopped_where_it_reports_and_its_errors_are_dropped() -> None:
    more = ThreadsBeside(1)
    begun = threading.Event()
    ended: list[str] = []

    def endless(progress: Any) -> None:
        begun.set()
        try:
            while True:
                progress(0.0)
        except InterruptedError:
            ended.append("stopped")
            raise

    more.start(endless)
    more.start(lambda _: ended.append("never begun"))
    assert begun.wait(SECONDS)
    more.stop()
    assert ended == ["stopped"]
    more.start(lambda _: ended.append("again"))
    more.wait()
    assert ended == ["stopped", "again"]
    more.stop()


def drawn(seed: int, shift: float = 0.0) -> Samples:
    return as_samples(np.random.default_rng(seed).normal(shift, 1.0, size=(240, 5)), name="set")


def triage(
    folder: Path, store: ResultCache, *, beside: bool, memory_limit: int = 10**9
) -> TriageResults:
    folder.mkdir(exist_ok=True)
    np.save(folder / "one.npy", drawn(1, 0.4).values)
    checkpoints = [Checkpoint(folder / "one.npy", "one", None, {})]
    settings = TriageSettings(("knn",))
    of = Triage(reference=drawn(0), settings=settings, store=store, memory_limit=memory_limit)
    evaluator = of.evaluator(of.reference.n, beside=beside)
    try:
        return of.results([evaluator.outcome(each, lambda _: None) for each in checkpoints])
    finally:
        of.close()


def said(found: TriageResults) -> Any:
    return (
        found.findings,
        found.memorisation,
        found.witnesses,
        [(each.method, each.curve.vertices.tolist()) for each in found.measured],
        found.judgement and found.judgement.decision,
    )


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which of the searches ran in which thread; nothing is known from other tests."""
    ran: list[str] = []
    monkeypatch.setattr(threads, "available_threads", lambda: 2)
    monkeypatch.setattr(triage_module, "available_threads", lambda: 2)
    for name in ("sample_faults", "memorisation", "witness"):
        search = getattr(triage_module, name)

        def noted(*given: Any, search: Any = search, name: str = name, **options: Any) -> Any:
            main = threading.current_thread() is threading.main_thread()
            ran.append(f"{name} {'here' if main else 'beside'}")
            return search(*given, **options)

        monkeypatch.setattr(triage_module, name, noted)
    return ran


def test_beside_its_curves_a_checkpoint_is_looked_at_once_and_with_the_same_results(
    tmp_path: Path, alone: list[str]
) -> None:
    expected = said(triage(tmp_path / "a", ResultCache(tmp_path / "kept"), beside=False))
    assert set(alone) == {"sample_faults here", "memorisation here", "witness here"}
    alone.clear()
    found = said(triage(tmp_path / "a", ResultCache(tmp_path / "other"), beside=True))
    assert found == expected
    assert found[0]["one"]
    assert sorted(set(alone)) == ["memorisation beside", "sample_faults beside", "witness beside"]


@pytest.mark.parametrize("why", ["little memory", "many values", "one core"])
def test_nothing_is_done_beside_where_there_is_no_room(
    why: str, tmp_path: Path, alone: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "many values":
        monkeypatch.setattr(triage_module, "VALUE_BYTES", 10**9 // (2 * 2 * 240 * 5) + 1)
    if why == "one core":
        monkeypatch.setattr(triage_module, "available_threads", lambda: 1)
    limit = 10**9 - 1 if why == "little memory" else 10**9
    triage(tmp_path / "a", ResultCache(tmp_path / "kept"), beside=True, memory_limit=limit)
    assert alone
    assert all(each.endswith("here") for each in alone)


@pytest.mark.parametrize("at_once", [1, 2])
def test_as_many_pairs_are_looked_at_at_once_as_cores_and_memory_allow(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(triage_module, "available_threads", lambda: 2)
    monkeypatch.setattr(triage_module, "VALUE_BYTES", 10**9 // (2 * at_once * 2 * 240 * 5))
    together = threading.Barrier(at_once, timeout=SECONDS)
    running: list[int] = []
    most: list[int] = []

    def look(self: Any, pair: SamplePair, progress: Any) -> None:
        running.append(1)
        together.wait()
        most.append(len(running))
        together.wait()
        running.pop()

    monkeypatch.setattr(Triage, "_look_at", look)
    of = Triage(reference=drawn(0), settings=TriageSettings(("knn",)), memory_limit=10**9)
    for seed in range(4):
        assert of.beside(SamplePair(drawn(0), drawn(seed)))
    of._threads.wait()
    of.close()
    assert most == [at_once] * 4


def test_a_measurement_beside_other_work_takes_half_of_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[int] = []
    results = CheckpointEvaluator._results

    def noted(self: Any, pair: SamplePair, names: Any, memory: int, progress: Any) -> Any:
        limits.append(memory)
        return results(self, pair, names, memory, progress)

    monkeypatch.setattr(CheckpointEvaluator, "_results", noted)
    checkpoint = Checkpoint(Path("one.npy"), "one", None, {})
    for busy in (True, False):
        evaluator = CheckpointEvaluator(
            drawn(0), TriageSettings(), None, 10**9, beside=lambda _, busy=busy: busy
        )
        evaluator.measured(checkpoint, SamplePair(drawn(0), drawn(1)))
    assert limits == [10**9 // 2, 10**9]


def test_the_search_of_faults_can_be_stopped() -> None:
    """It reports before each halving."""
    reported: list[float] = []
    pair = SamplePair(drawn(0), drawn(1, 0.4))
    facts = triage_module.preflight(pair).facts
    findings.sample_faults(pair, facts, progress=reported.append)
    assert reported[:3] == [0, 1 / 6, 2 / 6]


def test_copies_are_searched_once_for_the_list_and_for_the_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[Any] = []
    search = triage_module.memorisation

    def noted(*given: Any, **options: Any) -> Any:
        searched.append(given)
        return search(*given, **options)

    for module in (triage_module, findings):
        monkeypatch.setattr(module, "memorisation", noted)
    triage(tmp_path / "run", ResultCache(tmp_path / "kept"), beside=False)
    assert len(searched) == 1
