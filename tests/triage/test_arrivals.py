"""Files that arrive while they are watched: the half-written wait, the whole ones are complete."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from prviz.triage.arrivals import ArrivalWatch, file_state, is_still


def test_a_file_is_complete_when_it_is_readable_and_has_stayed_the_same(tmp_path: Path) -> None:
    path, whole = tmp_path / "step-1.npy", tmp_path / "whole.npy"
    np.save(whole, np.zeros((30, 2)))
    data, watch = whole.read_bytes(), ArrivalWatch(0.0)
    assert watch.look([path]).waiting[path].endswith("No such file or directory")
    path.write_bytes(data[:200])
    assert watch.look([path]) == ({}, {path: "still being written"})
    assert "truncated" in watch.look([path]).waiting[path]  # the same, and not readable
    with path.open("ab") as stream:
        stream.write(data[200:])
    assert watch.look([path]).waiting == {path: "still being written"}
    assert list(watch.look([path]).complete) == [path]
    path.write_bytes(data[:300])
    assert watch.look([path]).waiting == {path: "still being written"}


def test_a_complete_file_is_read_once_and_a_pause_is_kept(tmp_path: Path) -> None:
    path, asked = tmp_path / "a.npy", list[Path]()
    path.write_bytes(b"x")

    def problem(given: Path) -> str:
        asked.append(given)
        return ""

    watch = ArrivalWatch(0.0, problem=problem)
    states = [watch.look([path]).complete for _ in range(4)]
    assert [list(each) for each in states] == [[], [path], [path], [path]]
    assert asked == [path]
    os.utime(path, ns=(1, 1))
    assert not watch.look([path]).complete
    assert watch.look([path]).complete[path] != states[-1][path]
    assert asked == [path, path]
    assert watch.look([]) == ({}, {})
    slow = ArrivalWatch(3600.0, problem=problem)
    assert [slow.look([path]).waiting[path] for _ in range(2)] == ["still being written"] * 2


def test_a_file_that_has_gone_or_changed_is_not_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(b"x")
    state = file_state(path)
    assert is_still(path, state)
    path.write_bytes(b"xy")
    assert not is_still(path, state)
    path.unlink()
    assert not is_still(path, state)
