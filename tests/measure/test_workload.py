"""Expected times are monotone; subsamples are seeded and keep labels and images of their rows."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.measure import workload
from prviz.measure.workload import (
    approximate_seconds,
    default_rows,
    estimate_seconds,
    live_size,
    needs_subsample,
    subsample,
)
from prviz.readers.bundled import bundled_pair
from prviz.samples import SamplePair, Samples


def points(n: int = 400, d: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def pair(real: np.ndarray, generated: np.ndarray) -> SamplePair:
    return SamplePair(Samples(real), Samples(generated))


def test_subsample_is_seeded_without_replacement_and_keeps_rows_together() -> None:
    digits = bundled_pair("mixture-converged")
    drawn, again, other = subsample(digits, 100, 7), subsample(digits, 100, 7), subsample(digits, 100, 8)
    assert drawn.digest == again.digest != other.digest
    for small, full in zip(drawn, digits, strict=True):
        assert small.n == 100
        assert small.images is not None
        assert np.array_equal(np.rint(small.images * (16 / 255)), small.values.reshape(-1, 8, 8))
        assert set(small.labels) == set(full.labels)
    rows = pair(np.arange(50.0)[:, None], np.arange(9.0)[:, None])
    part = subsample(rows, 20, 1)
    assert len(np.unique(part.real.values)) == 20
    assert np.all(np.diff(part.real.values[:, 0]) > 0)
    assert part.generated is rows.generated


def test_subsample_commutes_with_swapping_the_roles() -> None:
    one = pair(points(60), points(50, seed=1))
    swapped = SamplePair(one.generated, one.real)
    real, generated = subsample(one, 20, 3)
    other_real, other_generated = subsample(swapped, 20, 3)
    assert (real.digest, generated.digest) == (other_generated.digest, other_real.digest)


def test_time_grows_with_the_work() -> None:
    small = estimate_seconds(1000, 1000, 64)
    assert 0 < small < estimate_seconds(4000, 1000, 64) < estimate_seconds(4000, 4000, 64)
    assert small < estimate_seconds(1000, 1000, 2048)
    assert small < estimate_seconds(1000, 1000, 64, split=None)
    assert small < estimate_seconds(1000, 1000, 64, ks=20) < estimate_seconds(1000, 1000, 64, ks=20, bandwidths=9)
    assert small < estimate_seconds(1000, 1000, 64, drawn=True)
    assert small < estimate_seconds(1000, 1000, 64, direct=1) < estimate_seconds(1000, 1000, 64, direct=1, ks=2)
    assert estimate_seconds(1000, 1000, 64, methods=0, direct=1) < estimate_seconds(1000, 1000, 64, direct=1)
    assert small > estimate_seconds(1000, 1000, 64, methods=1)


def test_the_live_size_is_the_largest_that_needs_no_subsample() -> None:
    size = live_size(10**6, 10**6, 64, limit=0.5)
    assert not needs_subsample(size, size, 64, limit=0.5)
    assert needs_subsample(size + 1, size + 1, 64, limit=0.5)
    assert live_size(300, 500, 8, limit=10**6) == 500
    assert live_size(300, 500, 8, limit=0) == 2


def test_a_subsample_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="n = 1; a subsample of at least 2"):
        subsample(pair(points(), points()), 1)


def test_approximate_curves_take_longer_for_more_but_not_in_proportion() -> None:
    times = [approximate_seconds(n, n, 64) for n in (100, 1000, 10_000, 100_000, 1_000_000)]
    assert times == sorted(times)
    assert times[-1] < 4 * times[-2]
    assert approximate_seconds(1000, 1000, 512) > times[1]
    assert approximate_seconds(1_000_000, 1_000_000, 64) < estimate_seconds(1_000_000, 1_000_000, 64) / 10


def test_default_rows_are_the_same_on_every_machine_and_never_nearly_all(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [(n, m, d) for n in (500, 9_000, 10_500, 30_000, 200_000) for m in (n, 700) for d in (8, 768, 20_000)]
    found = [default_rows(*size) for size in sizes]
    monkeypatch.setattr(workload, "_speed", lambda: (1e-6, 1e-5))
    monkeypatch.setattr(workload, "available_threads", lambda: 64)
    assert [default_rows(*size) for size in sizes] == found
    for (n, m, _), rows in zip(sizes, found, strict=True):
        assert rows == max(n, m) or (rows in workload.FILE_ROWS and rows <= workload.NEARLY_ALL * max(n, m))
    assert len(set(found)) > 4
    assert default_rows(2_000, 2_000, 64) == 2_000
