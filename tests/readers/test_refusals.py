"""Refused files: each with its own message, before data are read, and never by running what is in
them.
"""

from __future__ import annotations

import os
import pickle
import re
import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from prviz.readers import ACCEPTED, Limits, ReadError, read
from prviz.samples import Samples
from tests import file_builders as build, file_zoo, file_zoo_refused as refusals
from tests.file_builders import Refused
from tests.file_zoo_accepted import every_accepted
from tests.readers.answers import refusal

REFUSED = refusals.every_refused()


def test_names_in_the_zoo_are_different() -> None:
    assert len({file.name for file in REFUSED}) == len(REFUSED)


@pytest.mark.parametrize("file", REFUSED, ids=lambda file: file.name)
def test_every_refused_file_gives_its_message(
    file: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    caught = refusal(
        (file.name, file.data), re.escape(file.message), key=file.key, limits=file.limits
    )
    message = str(caught)
    assert len(message) < 1000
    assert "\0" not in message
    assert str(tmp_path) not in message
    assert not list(tmp_path.iterdir())
    # in the working folder: lines of a recipe name it as it was typed
    path = Path(Path(file.name).name or "no-name")
    path.write_bytes(file.data)
    refusal(path, re.escape(file.message), key=file.key, limits=file.limits)
    assert not Path(refusals.TRAP).exists()


def test_the_trap_works(tmp_path: Path) -> None:
    """Unpickling the payload does create its file: the test above would notice."""
    trap = tmp_path / "trap"
    # The only place where the payload is meant to run.
    pickle.loads(build.pickled(str(trap), 4)).close()
    assert trap.exists()


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    refusal(tmp_path / "missing.npy", "can't be opened: No such file")
    (tmp_path / "folder.npy").mkdir()
    refusal(tmp_path / "folder.npy", "a folder without files of embeddings")
    refusal("/dev/zero", "a folder or device")
    refusal("nul\0byte.npy", r"can't be opened|not a possible path")
    fifo = tmp_path / "pipe.npy"
    os.mkfifo(fifo)
    refusal(fifo, "a folder or device")


@pytest.mark.parametrize("file", [*refusals.refused_claims()], ids=lambda file: file.name)
def test_claims_are_refused_without_reading_the_data(file: Refused) -> None:
    """Peak memory stays around the size of the file, whatever it claims."""
    tracemalloc.start()
    try:
        refusal((file.name, file.data), key=file.key, limits=file.limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * len(file.data) + 3_000_000


def test_arrow_claims_are_refused_without_decompressing() -> None:
    flat = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(8_000_000)), 1000)
    for extension, write in {"parquet": build.parquet, "feather": build.feather}.items():
        data = write({"emb": flat}, compression="zstd")
        assert len(data) < 1_000_000
        before = pa.total_allocated_bytes()
        refusal((f"x.{extension}", data), "more than the limit", limits=build.SMALL)
        assert pa.total_allocated_bytes() - before < 1_000_000


def test_long_hostile_names_are_shortened_and_escaped() -> None:
    name = "\u202e\x1b[31m<script>" + "A" * 500 + ".npy"
    caught = refusal((name, b"x"))
    message = str(caught)
    assert "\u202e" not in message
    assert "\x1b" not in message
    assert "\\u202e\\x1b[31m<script>AAA" in message
    assert len(message.split(": ")[0]) <= 80


def test_only_the_known_extensions_are_accepted() -> None:
    names = [file.name.lower() for file in every_accepted()]
    assert all(name.endswith(ACCEPTED) for name in names)
    assert all(any(name.endswith(ending) for name in names) for ending in ACCEPTED)


@pytest.mark.thorough
def test_the_zoo_of_the_page_holds_what_it_says(tmp_path: Path) -> None:
    """Files of the zoo are read or refused without keys and limits, as the browser tests need."""
    accepted = file_zoo.accepted()
    assert all(any(name.endswith(ending) for name, _ in accepted) for ending in ACCEPTED)
    for name, content in accepted:
        assert read((name, content)).n >= 3
    refused = file_zoo.refused()
    assert len(refused) > 30
    for name, content, fragment in refused:
        refusal((name, content), re.escape(fragment))


def check_read(name: str, data: bytes) -> None:
    """Either a `ReadError` or valid samples, nothing else."""
    with suppress(ReadError):
        samples = read((name, data), limits=Limits(max_bytes=50_000_000))
        assert isinstance(samples, Samples)
        assert np.isfinite(samples.values).all()
        assert samples.n >= 3


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "masks", [(0x01, 0x80), pytest.param((0x80, 0x01), marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize("extension", ["parquet", "feather"])
def test_no_wrong_byte_ends_the_process(extension: str, masks: tuple[int, int]) -> None:
    """pyarrow crashes on some corrupt footers and string offsets when it is asked without care."""
    columns = {"label": pa.array(build.LABEL), "emb": build.lists(pa.list_(pa.float32()))}
    data = bytearray(
        build.parquet(columns)
        if extension == "parquet"
        else build.feather(columns, compression="uncompressed")
    )
    for place in range(len(data)):
        mask = masks[place % 2]
        data[place] ^= mask
        check_read(f"x.{extension}", bytes(data))
        data[place] ^= mask


@given(data=st.binary(max_size=200), extension=st.sampled_from([*ACCEPTED, ".pkl", ".txt"]))
@settings(max_examples=200, deadline=None)
def test_any_bytes_never_do_worse_than_a_read_error(data: bytes, extension: str) -> None:
    check_read("x" + extension, data)
