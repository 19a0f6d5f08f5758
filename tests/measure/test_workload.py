"""Expected times are monotone; subsamples are seeded and keep labels and images of their rows."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest

from prviz.measure import workload
from prviz.measure.workload import (
    CUT,
    LIST,
    LIST_FIT,
    LIST_VALUE,
    LISTS_AT_MOST,
    Machine,
    Options,
    _seconds,
    approximate_seconds,
    cut,
    default_rows,
    duration,
    estimate_seconds,
    live_size,
    needs_subsample,
    subsample,
    subsample_rows,
)
from prviz.readers.bundled import bundled_pair
from prviz.samples import SamplePair, Samples
from tests.estimators.pairs import gaussians, swapped


def test_subsample_is_seeded_without_replacement_and_keeps_rows_together() -> None:
    digits = bundled_pair("mixture-converged")
    drawn = subsample(digits, 100, 7)
    again = subsample(digits, 100, 7)
    other = subsample(digits, 100, 8)
    assert drawn.digest == again.digest != other.digest
    for small, full in zip(drawn, digits, strict=True):
        assert small.n == 100
        assert small.images is not None
        assert np.array_equal(np.rint(small.images * (16 / 255)), small.values.reshape(-1, 8, 8))
        assert set(small.labels) == set(full.labels)
    rows = SamplePair(np.arange(50.0)[:, None], np.arange(9.0)[:, None])
    part = subsample(rows, 20, 1)
    assert len(np.unique(part.real.values)) == 20
    assert np.all(np.diff(part.real.values[:, 0]) > 0)
    assert part.generated is rows.generated


def test_subsample_commutes_with_swapping_the_roles() -> None:
    one = gaussians(60, 50)
    other = subsample(swapped(one), 20, 3)
    assert subsample(one, 20, 3).digest == swapped(other).digest


def test_time_grows_with_the_work() -> None:
    small = estimate_seconds(1000, 1000, 64)
    assert 0 < small < estimate_seconds(4000, 1000, 64) < estimate_seconds(4000, 4000, 64)
    assert small < estimate_seconds(1000, 1000, 2048)
    seconds = partial(estimate_seconds, 1000, 1000, 64)
    assert small < seconds(split=None)
    assert small < seconds(ks=20) < seconds(ks=20, bandwidths=9)
    assert small < seconds(drawn=True)
    assert small < seconds(direct=1) < seconds(direct=1, ks=2)
    assert seconds(methods=0, direct=1) < seconds(direct=1)
    assert small > seconds(methods=1)


def test_the_live_size_is_the_largest_that_needs_no_subsample() -> None:
    size = live_size(10**6, 10**6, 64, limit=0.5)
    assert not needs_subsample(size, size, 64, limit=0.5)
    assert needs_subsample(size + 1, size + 1, 64, limit=0.5)
    assert live_size(300, 500, 8, limit=10**6) == 500
    assert live_size(300, 500, 8, limit=0) == 2


def test_a_subsample_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="n = 1; a subsample of at least 2"):
        subsample(gaussians(), 1)


def test_approximate_curves_take_longer_for_more_but_not_in_proportion() -> None:
    times = [approximate_seconds(n, n, 64) for n in (100, 1000, 10_000, 100_000, 1_000_000)]
    assert times == sorted(times)
    assert times[-1] < 4 * times[-2]
    assert approximate_seconds(1000, 1000, 512) > times[1]
    assert (
        approximate_seconds(1_000_000, 1_000_000, 64)
        < estimate_seconds(1_000_000, 1_000_000, 64) / 10
    )


def test_default_rows_are_the_same_on_every_machine_and_never_nearly_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = (500, 9_000, 10_500, 30_000, 200_000)
    pairs = [*zip(counts, counts, strict=True), *product(counts, [700])]
    sizes = [(*pair, d) for pair, d in product(pairs, (8, 768, 20_000))]
    found = [default_rows(*size) for size in sizes]
    monkeypatch.setattr(workload, "_speed", lambda: (1e-6, 1e-5))
    monkeypatch.setattr(workload, "available_threads", lambda: 64)
    assert [default_rows(*size) for size in sizes] == found
    for (n, m, _), rows in zip(sizes, found, strict=True):
        assert rows == max(n, m) or (
            rows in workload.FILE_ROWS and rows <= workload.NEARLY_ALL * max(n, m)
        )
    assert len(set(found)) > 4
    assert default_rows(2_000, 2_000, 64) == 2_000


OPTIONS: tuple[Options, ...] = (
    {},
    {"split": None},
    {"split": None, "methods": 1},
    {"methods": 1, "ks": 3},
    {"methods": 0, "direct": 2},
    {"methods": 0, "direct": 1, "ks": 4, "split": None},
    {"fixed": 2},
    {"drawn": True, "bandwidths": 5},
    {"methods": 6, "ks": 7, "split": 0.2},
)


@pytest.mark.parametrize(
    ("threads", "sizes", "seconds"),
    [
        (
            1,
            (500, 700, 16),
            (
                "0.0724742 0.1438912 0.1301152 0.0689682 0.2290328 1.0091136 0.3300742 0.1932852"
                " 0.2679888"
            ),
        ),
        (
            1,
            (20_000, 3_000, 512),
            "41.86644 49.0269 44.26116 40.45855 166.87584 390.83872 77.39444 50.95807 29.583328",
        ),
        (
            4,
            (500, 700, 16),
            (
                "0.037715675 0.0852688 0.0802408 0.036416925 0.0899987 0.5401344 0.295315675"
                " 0.07816455 0.1080126"
            ),
        ),
        (
            4,
            (20_000, 3_000, 512),
            "11.40048 13.8957225 12.3436575 10.942315 45.012 109.7893 46.92848 14.5967275 8.775898",
        ),
    ],
)
def test_expected_seconds_are_those_kept(
    threads: int, sizes: tuple[int, int, int], seconds: str
) -> None:
    machine = Machine(2e-10, 3e-9, threads, compiled=threads == 1)
    found = [_seconds(machine, *sizes, options) for options in OPTIONS]
    assert found == pytest.approx([float(each) for each in seconds.split()], rel=1e-8)


def test_durations_and_rows_in_words_and_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        0.2: "about 1 s",
        89.4: "about 89 s",
        90.0: "about 2 min",
        5_399.0: "about 90 min",
        5_400.0: "about 1.5 h",
    }
    assert {seconds: duration(seconds) for seconds in said} == said
    monkeypatch.setattr(workload, "available_threads", lambda: 2)
    once = approximate_seconds(100, 200, 16)
    assert approximate_seconds(200, 100, 16) == once
    monkeypatch.setattr(workload, "available_threads", lambda: 4)
    assert approximate_seconds(100, 200, 16) - 0.1 == pytest.approx((once - 0.1) / 2)
    large = approximate_seconds(10**6, 10, 16) - 0.1
    assert large == pytest.approx(
        LISTS_AT_MOST * (LIST + LIST_VALUE * 16 + LIST_FIT * 500_000**0.5) / 2
    )
    assert subsample_rows(3, 3).tolist() == [0, 1, 2]
    assert len(subsample_rows(9, 3)) == 3
    samples = Samples(np.arange(9.0)[:, None])
    assert cut(samples, 9, 0) is samples
    assert cut(samples, 8, 0).notes == (f"{CUT} 8 of 9 samples",)
    assert subsample(gaussians(3, 2), 2).real.n == 2
