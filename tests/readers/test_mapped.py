"""Memory-mapped .npy files: the same values and the same refusals as when they are read, and no
copy.
"""

from __future__ import annotations

import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import prviz
from prviz.readers import Limits, npy, read
from prviz.samples import SamplePair, Samples, as_samples
from tests.file_builders import Accepted
from tests.file_zoo_accepted import every_accepted
from tests.file_zoo_refused import Refused, every_refused
from tests.readers.answers import refusal

ACCEPTED = [file for file in every_accepted() if file.name.endswith(".npy")]
REFUSED = [file for file in every_refused() if file.name.endswith(".npy")]


@pytest.fixture
def map_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npy, "MAPPED_FROM", 1)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A file of 64 MB."""
    path = tmp_path / "large.npy"
    values = np.lib.format.open_memmap(path, "w+", np.float32, (20_000, 800))
    values[:] = np.arange(800, dtype=np.float32)
    values[-1, -1] = 0.5
    return path


def mapped_file(array: np.ndarray) -> str | None:
    """Name of the file that an array is a view of."""
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)  # of bytes there is none
    return None if array is None else Path(array.filename).name


@pytest.mark.parametrize("file", ACCEPTED, ids=lambda file: file.name)
def test_mapped_files_give_their_values(
    file: Accepted, tmp_path: Path, map_everything: None
) -> None:
    path = tmp_path / file.name
    path.write_bytes(file.data)
    samples = read(path, key=file.key)
    assert_array_equal(samples.values, file.values)
    assert samples.values.dtype == np.dtype(file.dtype)
    assert samples.values.dtype.isnative
    assert samples.values.flags.c_contiguous
    assert samples.values.flags.aligned
    assert not samples.values.flags.writeable
    assert samples.digest == read((file.name, file.data)).digest


@pytest.mark.parametrize("file", REFUSED, ids=lambda file: file.name)
def test_mapped_files_are_refused_as_uploads_are(
    file: Refused, tmp_path: Path, map_everything: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(file.name)  # the lines of a recipe name it as it was typed
    path.write_bytes(file.data)
    from_path = refusal(path, key=file.key, limits=file.limits)
    from_bytes = refusal((file.name, file.data), key=file.key, limits=file.limits)
    assert str(from_path) == str(from_bytes)


def test_a_large_file_is_never_held_in_memory(large: Path) -> None:
    tracemalloc.start()
    try:
        one = prviz.read(large, limits=Limits(max_bytes=1_000_000))
        other = Samples(np.load(large, mmap_mode="r"))
        assert one.digest == other.digest
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (one.n, one.d, float(one.values[-1, -1])) == (20_000, 800, 0.5)
    assert peak < large.stat().st_size / 3  # other threads of these tests allocate too
    assert mapped_file(one.values) == mapped_file(other.values) == "large.npy"


def test_a_small_file_may_change_after_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "small.npy"
    np.save(path, np.ones((5, 2), np.float32))
    samples = read(path)
    np.save(path, np.zeros((5, 2), np.float32))
    assert samples.values.all()
    assert mapped_file(samples.values) is None


def test_what_has_to_be_widened_or_turned_keeps_to_the_limit(large: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.npy"
    np.save(half, np.load(large, mmap_mode="r").astype(np.float16))
    refusal(half, r"claims .* of values, more than the limit", limits=Limits(max_bytes=1_000_000))
    tracemalloc.start()
    try:
        samples = read(half)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert samples.values.dtype == np.float32
    # The widened values and nothing else: the stored ones are not read besides.
    assert peak < samples.values.nbytes + 10_000_000


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_value_far_down_a_mapped_file_is_named(large: Path, bad: float) -> None:
    np.load(large, mmap_mode="r+")[[7_000, 15_000], [3, 4]] = bad
    refusal(large, rf"row 7001, column 4: {'NaN' if np.isnan(bad) else 'inf'}")
    with pytest.raises(
        ValueError, match=rf"row 7001, column 4 is {bad}; .* \(2 of 16000000 are not\)"
    ):
        Samples(np.load(large, mmap_mode="r"))


def test_a_map_that_can_be_written_is_copied(large: Path) -> None:
    for mode in ("r+", "c"):
        samples = Samples(np.load(large, mmap_mode=mode))
        assert mapped_file(samples.values) is None
        assert not samples.values.flags.writeable


def test_mapped_samples_can_be_pickled_and_measured(large: Path) -> None:
    samples = read(large)
    again = pickle.loads(pickle.dumps(samples))
    assert again.digest == samples.digest
    assert mapped_file(again.values) is None
    few = np.sort(np.random.default_rng(0).choice(samples.n, 50, replace=False))
    pair = SamplePair(samples.take(few), as_samples(np.array(samples.values[few[:40]])))
    assert prviz.estimate(pair, "knn", k=3)["knn"].curve.auc > 0
