"""Runs of tasks: rows as they come, stop and continue, errors, who waits for them, and what is
held.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

import pytest

from pages._work import background
from pages._work.task_runs import TaskRun, held_runs
from prviz.server.limits import TOO_LONG, limits
from prviz.server.work_queue import WorkQueue
from tests.browser import ROOT
from tests.waiting import until

LONG = 20.0  # seconds that no test should wait
COLUMNS = {"key": "string", "value": "Int64"}


@dataclass
class Gate:
    """A gate at which tasks wait until they may continue, and note that they ran."""

    open: threading.Event = field(default_factory=threading.Event)
    ran: list[int] = field(default_factory=list)
    broken: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Count:
    """Two rows of one number; numbers of at least 4 wait at the gate."""

    number: int
    gate: Gate

    @property
    def keys(self) -> list[str]:
        return [f"{self.number}a", f"{self.number}b"]

    def left(self, known: Container[str]) -> Count | None:
        return None if self.keys[0] in known else self

    def run(self) -> list[dict[str, Any]]:
        if self.number in self.gate.broken:
            raise ValueError(f"number = {self.number}; another one is needed")
        if self.number >= 4:
            assert self.gate.open.wait(LONG)
        self.gate.ran.append(self.number)
        return [{"key": key, "value": self.number} for key in self.keys]


@pytest.fixture
def gate() -> Any:
    found = Gate()
    yield found
    found.open.set()  # no thread is left behind


def run_of(gate: Gate, numbers: int = 40) -> TaskRun:
    return TaskRun([Count(number, gate) for number in range(numbers)], COLUMNS, 10.0)


def begun(gate: Gate) -> TaskRun:
    """A run that waits at the gate, after four of its forty tasks."""
    run = run_of(gate)
    run.start("me")
    until(lambda: run.done == 4)
    return run


def values(run: TaskRun) -> list[int]:
    return [int(value) for value in run.rows()["value"]]


def test_rows_come_while_it_is_at_work_and_end_in_the_order_of_the_tasks(gate: Gate) -> None:
    run = run_of(gate)
    assert (run.complete, run.size, len(run.rows())) == (False, 0, 0)
    run.start("me")
    until(lambda: run.done == 4)
    assert values(run) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert run.working
    assert not run.complete
    gate.open.set()
    until(lambda: run.complete)
    assert values(run) == sorted([*range(40), *range(40)])
    assert list(run.rows()["key"][:2]) == ["0a", "0b"]
    assert run.rows().dtypes.astype(str).to_dict() == COLUMNS
    assert sorted(gate.ran) == list(range(40))


def test_stopped_it_keeps_its_rows_and_goes_on_with_the_rest_alone(gate: Gate) -> None:
    run = begun(gate)
    run.leave("me")
    assert run.stopping
    gate.open.set()
    until(lambda: not run.working)
    kept = run.done
    known = set(values(run))
    assert 4 <= kept < 40
    assert len(known) == kept
    gate.ran.clear()
    run.start("me")
    until(lambda: run.complete)
    assert not known & set(gate.ran)
    assert set(values(run)) == set(range(40))


def test_a_start_that_follows_a_stop_at_once_is_not_lost(gate: Gate) -> None:
    run = begun(gate)
    run.leave("me")
    run.start("me")
    assert run.working
    assert not run.stopping
    gate.open.set()
    until(lambda: run.complete)
    assert set(values(run)) == set(range(40))


def test_an_error_is_kept_with_the_rows_before_it_and_the_next_start_tries_again(
    gate: Gate,
) -> None:
    gate.open.set()
    gate.broken.add(17)
    run = run_of(gate)
    run.start("me")
    until(lambda: not run.working)
    assert str(run.error) == "number = 17; another one is needed"
    assert not run.complete
    assert 0 < run.size < 80
    gate.broken.clear()
    run.start("me")
    assert run.error is None
    until(lambda: run.complete)
    assert set(values(run)) == set(range(40))


def test_what_nobody_asks_about_stops_itself(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun(gate)
    monkeypatch.setattr(TaskRun, "idle_seconds", -1.0)
    gate.open.set()
    until(lambda: not run.working)
    assert 4 <= run.done < 40
    monkeypatch.setattr(TaskRun, "idle_seconds", LONG)
    run.start("me")
    until(lambda: run.complete)


def test_it_goes_on_for_the_others_until_the_last_one_leaves(gate: Gate) -> None:
    run = run_of(gate)
    run.start("me")
    run.touch("you")
    run.leave("me")
    assert not run.stopping
    run.leave("you")
    assert run.stopping


def test_what_is_left_follows_the_estimate_and_then_the_newest_pace(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(gate)
    assert run.seconds_left == 10
    clock = itertools.count(100.0)  # a second for every look
    monkeypatch.setattr(background.time, "monotonic", lambda: next(clock))
    run.start("me")
    until(lambda: run.done == 4)
    pace = run.seconds_left / 36
    assert pace > 0.25  # the estimate's
    run.leave("me")
    gate.open.set()
    until(lambda: not run.working)
    assert run.seconds_left > 0.25 * (40 - run.done)  # it is remembered
    run.start("me")
    until(lambda: run.complete)
    assert run.seconds_left == 0


def test_runs_are_shared_by_key_and_bounded_in_number_and_rows(gate: Gate) -> None:
    runs = held_runs(3, 20)
    first = runs.put("first", run_of(gate), replace=False)
    assert runs.get("other") is None
    assert runs.put("first", run_of(gate), replace=False) is first is runs.get("first")
    first.start("me")
    until(lambda: first.done == 4)
    for name in ("second", "third"):
        runs.put(name, run_of(gate), replace=False)
    assert len(runs) == 3
    runs.get("first")
    runs.put("fourth", run_of(gate), replace=False)
    assert runs.get("second") is None
    assert runs.get("first") is first
    gate.open.set()
    until(lambda: first.complete)
    assert first.size == 80
    runs.put("fifth", run_of(gate), replace=False)
    assert runs.get("first") is None  # more rows than may be held
    assert runs.get("fifth") is not None
    runs.clear()
    assert len(runs) == 0


def test_a_run_that_is_pushed_out_stops(gate: Gate) -> None:
    runs = held_runs(1, 1000)
    run = runs.put("first", run_of(gate), replace=False)
    run.start("me")
    until(lambda: run.done == 4)
    runs.put("second", run_of(gate), replace=False)
    assert run.stopping
    assert len(runs) == 1


@pytest.mark.exhaustive
def test_the_server_ends_whatever_is_at_work() -> None:
    code = """
import threading
from pages._work.task_runs import _workers
begun = threading.Event()
def work():
    begun.set()
    threading.Event().wait()
for _ in range(100):
    _workers().submit(work)
begun.wait()
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


def test_rows_that_are_known_are_not_measured_again() -> None:
    gate = Gate()
    known = {
        f"{number}{side}": {"key": f"{number}{side}", "value": -number}
        for number in (1, 9)
        for side in "ab"
    }
    held = TaskRun([Count(number, gate) for number in range(3)], COLUMNS, 10.0, known)
    assert (held.done, held.complete, held.rows()["value"].tolist()) == (1, False, [-1, -1])
    held.start("me")
    until(lambda: held.complete)
    assert gate.ran == [0, 2]
    assert held.rows()["value"].tolist()[2:4] == [-1, -1]


def test_runs_wait_for_their_turn_and_know_their_place(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_queue", WorkQueue(1))
    runs = [run_of(gate, 5) for _ in range(3)]
    for run in runs:
        run.start("me")
        until(lambda run=run: run.done == 4 or run.place)
    assert [run.place for run in runs] == [0, 1, 2]
    assert {run.done for run in runs[1:]} == {0}
    runs[1].leave("me")
    until(lambda: not runs[1].working and runs[2].place == 1)
    gate.open.set()
    until(lambda: runs[2].complete)
    assert runs[2].place == 0


def test_a_run_ends_at_the_time_limit_with_its_rows(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(gate)
    monkeypatch.setattr(limits, "seconds", 0.0)
    gate.open.set()
    until(lambda: not run.working)
    assert str(run.error) == TOO_LONG
    assert run.size >= 8
