"""Files that arrive while they are watched: the half-written wait, the whole ones are complete."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from prviz.triage.inputs import ArrivalWatch, file_state, is_still


def test_a_file_is_complete_when_it_is_readable_and_has_stayed_the_same(tmp_path: Path) -> None:
    path = tmp_path / "step-1.npy"
    whole = tmp_path / "whole.npy"
    np.save(whole, np.zeros((30, 2)))
    data = whole.read_bytes()
    watch = ArrivalWatch(0.0)
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
    path = tmp_path / "a.npy"
    asked = list[Path]()
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


def test_a_file_is_complete_as_soon_as_the_pause_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.npy"
    clock = [5.0]
    path.write_bytes(b"x")
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    watch = ArrivalWatch(2.0, problem=lambda _: "")
    for now, complete in ((5.0, False), (6.5, False), (7.0, True)):
        clock[0] = now
        assert bool(watch.look([path]).complete) == complete


def test_a_file_that_has_gone_or_changed_is_not_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(b"x")
    state = file_state(path)
    assert is_still(path, state)
    path.write_bytes(b"xy")
    assert not is_still(path, state)
    path.unlink()
    assert not is_still(path, state)


def test_files_of_every_odd_kind_wait_with_a_reason_and_the_whole_ones_beside_them_are_found(
    tmp_path: Path,
) -> None:
    whole = np.random.default_rng(0).normal(size=(30, 2))
    for name in ("old", "ahead", "link", "whole"):
        np.save(tmp_path / f"{name}.npy", whole)
    np.savez(tmp_path / "several.npz", a=whole, b=whole)
    (tmp_path / "seed.csv").write_text("f0,f1,seed\n1,2,3\n4,5,3\n7,8,9\n")
    os.utime(tmp_path / "old.npy", (0, 0))
    os.utime(tmp_path / "ahead.npy", (4e9, 4e9))
    (tmp_path / "link.npy").rename(tmp_path / "target")
    (tmp_path / "link.npy").symlink_to(tmp_path / "target")
    np.save(tmp_path / "nan.npy", np.full((30, 2), np.nan))
    np.save(tmp_path / "none.npy", np.zeros((0, 2)))
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "dangling.npy").symlink_to(tmp_path / "nothing")
    (tmp_path / "circle.npy").symlink_to(tmp_path / "circle.npy")
    (tmp_path / "endless.npy").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.npy")
    paths = sorted(tmp_path.glob("*.*"))
    watch = ArrivalWatch(0.0)
    watch.look(paths)
    found = watch.look(paths)
    assert {path.stem for path in found.complete} == {
        *("old", "ahead", "link", "whole", "several", "seed")
    }
    assert {path.stem for path in found.waiting} == {
        *("nan", "none", "empty", "folder", "dangling", "circle", "endless", "pipe")
    }
    assert all(reason and "\n" not in reason for reason in found.waiting.values())
    np.save(tmp_path / "nan.npy", whole)
    (tmp_path / "folder.npy").rmdir()
    np.save(tmp_path / "folder.npy", whole)
    assert watch.look(paths).waiting[tmp_path / "nan.npy"] == "still being written"
    assert {"nan", "folder"} <= {path.stem for path in watch.look(paths).complete}
