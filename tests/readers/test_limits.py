"""Limits: work and memory grow with the size of a file, and a file that changes while it is read is
refused.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from prviz.readers import Limits, ReadError, read, read_pair, source as source_module
from prviz.readers.keyed import choose_key, open_tensors, required_roles
from prviz.readers.npy import zip_members
from prviz.readers.source import (
    EXPANSION_VARIABLE,
    FileSource,
    as_source,
    check_claim,
    check_columns,
    check_keys,
    human_size,
)
from tests import file_builders as build
from tests.browser import ROOT
from tests.file_builders import VALUES
from tests.readers.answers import refusal
from tests.readers.test_readers import CountingFile

# ---- work ----


class CountedKeys(tuple[str, ...]):
    """Keys that count how often one of them is accessed."""

    looked = 0

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            CountedKeys.looked += 1
            yield key

    def __contains__(self, key: object) -> bool:
        CountedKeys.looked += len(self)
        return super().__contains__(key)


@pytest.mark.parametrize("choose", [lambda file: choose_key(file, None), required_roles])
def test_every_key_is_looked_at_a_few_times(
    choose: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"dtype": "F32", "shape": [2, 2, 3], "data_offsets": [0, 48]}
    data = build.tensors({f"k{i}": entry for i in range(500)}, bytes(48))
    monkeypatch.setattr(CountedKeys, "looked", 0)
    with open_tensors(as_source(("x.safetensors", data)), Limits()) as file:
        file.keys = CountedKeys(file.keys)
        with pytest.raises(ReadError, match=r"\(float32, 3-D\) and 490 more"):
            choose(file)
    assert CountedKeys.looked < 20 * 500


_HOSTILE = """
import io
import pyarrow as pa
from prviz.readers import read

columns = 50_000
data = ("x," + ",".join(["id"] * columns) + "\\n" + ("1," + ",".join(["a"] * columns) + "\\n") * 3).encode()
names = list(read(("x.csv", data)).labels)
assert (names[0], names[-1]) == ("id", f"id ({columns})")

texts = pa.array(["y" * 30_000_000])
schema = pa.schema([("f", pa.float32()), ("text", pa.dictionary(pa.int8(), pa.string()))])
row = [pa.array([1.0], pa.float32()), pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), texts)]
stream = io.BytesIO()
with pa.ipc.new_file(stream, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
    for _ in range(2000):
        file.write_batch(pa.record_batch(row, schema=schema))
found = read(("x.feather", stream.getvalue()))
assert len({id(text) for text in found.labels["text"]}) == 1
"""


@pytest.mark.thorough
def test_hostile_tables_are_read_in_seconds() -> None:
    """The most labels of one name, and a large dictionary for every row: minutes to hours without
    limits.
    """
    subprocess.run([sys.executable, "-c", _HOSTILE], cwd=ROOT, timeout=60, check=True)


# ---- memory ----


@pytest.mark.exhaustive
def test_lines_of_text_are_held_one_at_a_time() -> None:
    data = (b"10," * 2000 + b"1\n") * 128
    tracemalloc.start()
    try:
        values = read(("x.csv", data)).values
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert values.shape == (128, 2001)
    assert peak < 3 * values.nbytes


def flat_feather(megabytes: int) -> bytes:
    rows = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(megabytes * 2**18, "f4")), 1024)
    return build.feather({"emb": rows}, compression="zstd")


def test_what_a_small_file_may_become_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    source = ("flat.feather", flat_feather(65))
    caught = refusal(source, r"claims 65\.0 MiB of values, (\d+) times the file itself")
    times = int(str(caught).split(" times")[0].rpartition(" ")[2])
    assert f"limits=prviz.readers.Limits(max_expansion={times})" in str(caught)
    assert f"set {EXPANSION_VARIABLE}={times} before" in str(caught)
    assert read(source, limits=Limits(max_expansion=times)).n == 65 * 256
    refusal(source, "without being asked", limits=Limits(max_expansion=times - 1))
    monkeypatch.setenv(EXPANSION_VARIABLE, str(times))
    assert Limits().max_expansion == times
    assert read(source).n == 65 * 256


def test_the_limit_grows_with_the_file_up_to_that_of_every_file() -> None:
    mebi = 2**20
    for file, most in {1: 64, 640_000: 64, mebi: 100, 8 * mebi: 800, 50 * mebi: 2048}.items():
        limits = Limits().of_file(file)
        check_claim("x", most * mebi, limits)
        with pytest.raises(
            ReadError,
            match="times the file itself" if most < 2048 else "more than the limit of 2.0 GiB",
        ):
            check_claim("x", most * mebi + 1, limits)


# ---- a file that changes while it is read ----

_OTHER = {
    "npy": build.npy(VALUES[:, :3]),
    "csv": build.csv(VALUES[:, :3]),
    "npz": build.npz(feats=VALUES[:, :3]),
    "parquet": build.parquet(build.numbers(pa.float32(), VALUES[:, :3])),
    "feather": build.feather(build.numbers(pa.float32(), VALUES[:, :3])),
}


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("extension", _OTHER)
def test_another_file_put_there_is_not_read_as_the_one_that_was_found(
    extension: str, below: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replaced file is noticed whichever opening comes after the change."""
    path = tmp_path / f"x.{extension}"
    other = tmp_path / "other"
    opened = source_module.FileSource.open
    left = 0
    times = 0
    refusals = []

    def replaced(source: source_module.FileSource) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            other.write_bytes(_OTHER[extension] + bytes(1))
            other.replace(path)
        return opened(source)

    monkeypatch.setattr(source_module.FileSource, "open", replaced)
    while left <= 0:
        times += 1
        left = times
        path.write_bytes(_OTHER[extension])
        try:
            samples = read(path, below=tmp_path if below else None)
        except ReadError as error:
            refusals.append(str(error))
        else:
            assert left > 0, (
                f"what was put there before it was opened for the {times}. time was read"
            )
    assert samples.d == 3
    assert len(refusals) > 1
    assert all("it changed while it was read" in refusal for refusal in refusals)


def test_a_file_that_changes_after_it_was_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(build.npz(real=VALUES, fake=VALUES))

    closed = 0

    class Growing(CountingFile):
        def close(self) -> None:
            nonlocal closed
            closed += not self.closed
            if closed == 2:  # once its first bytes were looked at, and once it was read
                with path.open("ab") as stream:
                    stream.write(b"more")
            super().close()

    monkeypatch.setattr(
        source_module, "open_regular", lambda at: io.BufferedReader(Growing(at, "r"))
    )
    for reading in (lambda: read(path, key="real"), lambda: read_pair(path)):
        closed = 0
        with pytest.raises(
            ReadError, match=r"'x\.npz': it changed while it was read. Read it again when"
        ):
            reading()


def test_a_pipe_put_there_meanwhile_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(build.npy(VALUES))
    found = as_source(path)
    path.unlink()
    os.mkfifo(path)
    told: list[str] = []

    def opening() -> None:
        try:
            found.open()
        except ReadError as error:
            told.append(str(error))

    thread = threading.Thread(target=opening, daemon=True)
    thread.start()
    thread.join(30)
    assert told == ["'x.npy': can't be opened: no regular file. Check path and permissions."]


def test_what_breaks_off_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(build.npy(VALUES))

    class Broken(CountingFile):
        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(
        source_module, "open_regular", lambda at: io.BufferedReader(Broken(at, "r"))
    )
    refusal(path, r"'x\.npy': can't be opened: Input/output error")


def test_members_of_a_zip_are_its_files_without_folders_and_what_macos_adds() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in ("a/", "a/one.npy", "__MACOSX/a/one.npy", "/", "x"):
            archive.writestr(name, b"")
    assert zip_members(FileSource("some.zip", 0, data=stream.getvalue()), Limits()) == [
        "a/one.npy",
        "x",
    ]
    assert zip_members(FileSource("some.zip", 4, data=b"PK\x03\x04"), Limits()) == []


def test_sizes_in_words_and_limits_of_claims() -> None:
    sizes = {
        0: "0 bytes",
        1023: "1023 bytes",
        1024: "1.0 KiB",
        1536: "1.5 KiB",
        1024**2: "1.0 MiB",
        1024**4: "1.0 TiB",
    }
    assert {size: human_size(size) for size in sizes} == sizes
    assert human_size(2**63) == "more than a million TiB"
    assert human_size(5 * 10**5 * 1024**4) == "500,000.0 TiB"
    limits = Limits(max_keys=3, max_columns=3)
    for check in (check_keys, check_columns):
        check("t", 3, limits)
        with pytest.raises(ReadError, match="more than 3"):
            check("t", 4, limits)
    for name in (
        "max_bytes",
        "min_rows",
        "max_header_bytes",
        "max_keys",
        "max_columns",
        "max_expansion",
    ):
        Limits(**{name: 1})
        with pytest.raises(ValueError, match=f"{name} = 0; an integer from 1"):
            Limits(**{name: 0})


def test_the_default_expansion_is_a_whole_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("7", "9" * 9):
        monkeypatch.setenv("PRVIZ_MAX_EXPANSION", text)
        assert Limits().max_expansion == int(text)
    for text in ("", "-1", "1.5", "9" * 10, "\u0663", "x"):
        monkeypatch.setenv("PRVIZ_MAX_EXPANSION", text)
        with pytest.raises(ValueError, match="a whole number such as 100 is needed"):
            Limits()


def test_files_of_a_folder_are_claimed_together(tmp_path: Path) -> None:
    for place, n in enumerate((3, 6)):
        np.save(tmp_path / f"x_{place}.npy", np.ones((n, 2), "f4"))
    assert read(tmp_path, limits=Limits(max_bytes=72)).n == 9
    refusal(
        tmp_path,
        r"claims 72 bytes of values, more than the limit of 71 bytes",
        limits=Limits(max_bytes=71),
    )
