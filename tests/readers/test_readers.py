"""Accepted files: every format gives the values, dtype, labels and name that were saved."""

from __future__ import annotations

import io
import pickle
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import safetensors.numpy
from numpy.testing import assert_array_equal

import prviz
from prviz.readers import Limits, ReadError, SourceLike, read, read_pair, roles
from prviz.readers.npy import NpzFile
from tests import file_builders as build
from tests.file_builders import VALUES, WHOLE, Accepted
from tests.file_zoo_accepted import every_accepted, pairs
from tests.readers.answers import refusal

ACCEPTED = every_accepted()


def test_names_in_the_zoo_are_different() -> None:
    assert len({file.name for file in ACCEPTED}) == len(ACCEPTED)


@pytest.mark.parametrize("file", ACCEPTED, ids=lambda file: file.name)
def test_every_accepted_file_gives_its_values(file: Accepted, tmp_path: Path) -> None:
    path = tmp_path / file.name
    path.write_bytes(file.data)
    sources: list[SourceLike] = [
        path,
        str(path),
        (file.name, file.data),
        (file.name, memoryview(file.data)),
    ]
    for source in sources:
        samples = read(source, key=file.key)
        assert_array_equal(samples.values, file.values)
        assert samples.values.dtype == np.dtype(file.dtype)
        assert samples.values.dtype.isnative
        assert samples.values.flags.c_contiguous
        assert not samples.values.flags.writeable
        assert samples.name == file.name
        assert {name: column.tolist() for name, column in samples.labels.items()} == dict(
            file.labels
        )


@pytest.mark.parametrize(("name", "data"), pairs(), ids=[name for name, _ in pairs()])
def test_a_file_with_both_roles_is_read_as_a_pair(name: str, data: bytes) -> None:
    pair = read_pair((name, data))
    assert_array_equal(pair.real.values, VALUES)
    assert_array_equal(pair.generated.values, WHOLE)
    keys = roles((name, data))
    assert keys is not None
    assert_array_equal(read((name, data), key=keys[0]).values, VALUES)
    assert_array_equal(read((name, data), key=keys[1]).values, WHOLE)
    caught = refusal((name, data), "read_pair")
    assert caught.choices == keys


def test_the_keys_of_a_pair_can_be_given() -> None:
    data = build.npz(a=VALUES, b=WHOLE, real=WHOLE, ref=WHOLE)
    pair = read_pair(("x.npz", data), keys=("a", "b"))
    assert_array_equal(pair.real.values, VALUES)
    assert_array_equal(pair.generated.values, WHOLE)


@pytest.mark.parametrize(
    "data",
    [
        build.npz(real=VALUES),
        build.npz(real=VALUES, ref=VALUES, fake=VALUES),
        build.npz(real=VALUES, fake=np.arange(build.N)),
    ],
)
def test_without_one_array_of_each_role_there_is_no_pair(data: bytes) -> None:
    assert roles(("x.npz", data)) is None
    refusal(("x.npz", data), "not one array of real and one of generated samples", by=read_pair)


def test_formats_for_one_set_hold_no_pair() -> None:
    assert roles(("x.csv", build.csv())) is None
    refusal(("x.csv", build.csv()), "Add a column 'role'", by=read_pair)
    refusal(("x.npy", build.npy(VALUES)), "Read real and generated from two files", by=read_pair)


def test_a_pair_of_different_dimensions_names_both() -> None:
    refusal(
        ("x.npz", build.npz(real=VALUES, fake=VALUES[:, :3])),
        "have 4 features, the generated ones 3",
        by=read_pair,
    )


def test_the_choices_of_an_ambiguous_file_can_be_read_one_by_one() -> None:
    source = ("x.npz", build.npz(X=WHOLE, feats=VALUES, other=np.arange(3)))
    caught = refusal(source)
    assert caught.choices == ("feats", "X")
    assert_array_equal(read(source, key="feats").values, VALUES)
    assert_array_equal(read(source, key="X").values, WHOLE)
    again = pickle.loads(pickle.dumps(caught))
    assert (str(again), again.choices) == (str(caught), caught.choices)


def test_names_are_given_or_the_base_name() -> None:
    data = build.npy(VALUES)
    assert read(("folder/../<i>x</i>.npy", data)).name == "i>.npy"
    assert read(("C:\\folder\\x.npy", data)).name == "x.npy"
    assert read(("x.npy", data), name="mine").name == "mine"


def test_the_package_offers_the_readers() -> None:
    assert_array_equal(prviz.read(("x.npy", build.npy(VALUES))).values, VALUES)
    assert prviz.ReadError is ReadError


@pytest.mark.parametrize("checked_after_a_move", [True, False], ids=["any", "from 3.14 on"])
def test_only_the_wanted_key_is_read(
    monkeypatch: pytest.MonkeyPatch, checked_after_a_move: bool
) -> None:
    """Broken values of the other members are never read; those of the wanted one are found."""
    seek = zipfile.ZipExtFile.seek

    def ends_the_check(member: zipfile.ZipExtFile, offset: int, whence: int = 0) -> int:
        if offset != member.tell():
            member._expected_crc = None
        return seek(member, offset, whence)

    if not checked_after_a_move:
        monkeypatch.setattr(zipfile.ZipExtFile, "seek", ends_the_check)
    asked = []
    values = NpzFile.values
    monkeypatch.setattr(
        NpzFile, "values", lambda self, key, limits: asked.append(key) or values(self, key, limits)
    )
    data = bytearray(
        build.npz(aside=np.full((50, 50), 1.25), feats=VALUES, zoo=np.full((50, 50), 2.25))
    )
    for number in (1.25, 2.25):
        position = data.index(np.full(9, number).tobytes())
        data[position] ^= 0xFF
    assert_array_equal(read(("x.npz", bytes(data))).values, VALUES)
    refusal(("x.npz", bytes(data)), "key 'aside': truncated or corrupt", key="aside")
    assert asked == ["feats", "aside"]


class CountingFile(io.FileIO):
    """Counts the bytes that are read from any file while it is installed."""

    total = 0

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        count = super().readinto(buffer) or 0
        CountingFile.total += count
        return count

    def read(self, size: int = -1) -> bytes:  # type: ignore[override]
        data = super().read(size) or b""
        CountingFile.total += len(data)
        return data


@pytest.mark.parametrize("extension", ["npz", "safetensors", "parquet"])
def test_most_of_a_file_stays_unread(
    extension: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ballast = np.random.default_rng(0).normal(size=(build.N, 50_000))
    if extension == "npz":
        data = build.npz(ballast=ballast, feats=VALUES)
    elif extension == "safetensors":
        data = safetensors.numpy.save({"ballast": ballast, "feats": VALUES})
    else:
        wide = pa.list_(pa.float64())
        data = build.parquet(
            {"ballast": build.lists(wide, ballast), "feats": build.lists(wide)},
            use_dictionary=False,
        )
    path = tmp_path / f"x.{extension}"
    path.write_bytes(data)
    monkeypatch.setattr(CountingFile, "total", 0)
    monkeypatch.setattr(
        "prviz.readers.source.open_regular", lambda at: io.BufferedReader(CountingFile(at, "r"))
    )
    assert_array_equal(read(path, key="feats").values, VALUES)
    assert 0 < CountingFile.total < 1_000_000 < len(data)


@pytest.mark.exhaustive
def test_only_the_wanted_feather_column_is_held() -> None:
    wide = pa.list_(pa.float64())
    ballast = build.lists(wide, np.zeros((build.N, 125_000)))
    data = build.feather({"ballast": ballast, "feats": build.lists(wide)}, compression="zstd")
    before = pa.default_memory_pool().max_memory()
    assert_array_equal(read(("x.feather", data), key="feats").values, VALUES)
    assert pa.default_memory_pool().max_memory() <= max(before, 8_000_000)


def test_headers_of_python_2_are_read() -> None:
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (24L, 4L), }\n"
    assert_array_equal(read(("old.npy", build.raw_npy(header, VALUES.tobytes()))).values, VALUES)


def test_a_big_file_is_not_copied_more_than_once(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.ones((50_000, 20)))
    tracemalloc.start()
    try:
        samples = read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert samples.n == 50_000
    assert peak < 3.5 * samples.values.nbytes


def test_as_many_bytes_as_the_limit_are_read() -> None:
    assert read(("x.npy", build.npy(VALUES)), limits=Limits(max_bytes=VALUES.nbytes)).n == build.N
    refusal(
        ("x.npy", build.npy(VALUES)),
        "more than the limit",
        limits=Limits(max_bytes=VALUES.nbytes - 1),
    )


def test_records_are_read_as_numpy_two_writes_them_and_beside_dates() -> None:
    """Names that were texts of NumPy stand as ``np.str_('a')`` in the file, which NumPy itself
    can't read.
    """
    names = np.array(["a", "b"])
    table = np.zeros(6, dtype=[(names[0], "f4"), (names[1], "f4"), ("taken", "M8[s]")])
    table["a"] = np.arange(6) ** 2
    stream = io.BytesIO()
    np.save(stream, table)
    found = read(("t.npy", stream.getvalue()))
    assert found.features == ("a", "b")
    assert found.values[:, 0].tolist() == table["a"].tolist()
