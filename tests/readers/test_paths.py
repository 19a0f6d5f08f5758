"""Names of files, files that are written together, and folders below a folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from prviz.readers.atomic_files import locked, write_all
from prviz.readers.safe_folder import Below
from prviz.readers.source import (
    FileSource,
    as_source,
    extension_of,
    kind_of,
)


def test_endings_of_names() -> None:
    kinds = {
        "a.NPY": ".npy",
        "a.pq": ".parquet",
        "b.csv.GZ": ".csv",
        "a.gz": ".gz",
        "a.npy.gz": ".gz",
        "a": "",
        ".npy": ".npy",
    }
    assert {name: kind_of(name) for name in kinds} == kinds
    assert (extension_of("a.pq"), extension_of("a.ndjson.zst"), kind_of("a.ndjson")) == (
        ".pq",
        ".zst",
        ".jsonl",
    )
    assert as_source(("C:\\x\\a.npy", b"12")).name == as_source(("x/a.npy", b"12")).name == "a.npy"
    assert FileSource("a.npy", 0, path=Path("x/a.npy")).typed == str(Path("x/a.npy"))


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    good = tmp_path / "a"
    bad = tmp_path / "none" / "b"
    with pytest.raises(OSError, match="none/b" if sys.platform != "win32" else "b") as caught:
        write_all({good: b"1", bad: b"2"})
    assert caught.value.filename == str(bad)
    assert list(tmp_path.iterdir()) == []
    write_all({good: b"1", tmp_path / "c": b"2"})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "c"]
    with locked(good):
        assert (tmp_path / ".a.lock").exists()
        with pytest.raises(OSError, match="another process has held"), locked(good, seconds=0.0):
            pass
    assert not (tmp_path / ".a.lock").exists()


def test_folders_below_are_listed_in_order_and_to_some_depth(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefghijklmno")
    deep.mkdir(parents=True)
    for name in ("b", "a/z", ".hidden"):
        (tmp_path / name).mkdir(exist_ok=True)
    below = Below(tmp_path)
    found = below.folders()
    assert found[:3] == ["a", "a/b", "a/b/c"]
    assert max(each.count("/") for each in found) == 12
    assert found[-2:] == ["a/z", "b"]
    assert below.folders(3) == found[:3]
