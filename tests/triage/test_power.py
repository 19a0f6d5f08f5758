"""Power: how often faults planted in half of a reference are named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from prviz.samples import SamplePair, Samples
from prviz.triage import power as power_module
from prviz.triage.finding import percent
from prviz.triage.findings import NUMBERS
from prviz.triage.power import FEWEST, LEAST, PLANTED, _dropped, power
from tests.benchmarks.faults import BASES

REAL = BASES["6 modes, d = 16"].draw(1600, 0).values


@pytest.mark.exhaustive
def test_larger_references_find_more_and_nothing_is_found_in_real_samples() -> None:
    few, many = (
        {each.fault: each for each in power(Samples(REAL[:n]), tries=3, seconds=60.0)}
        for n in (200, 1600)
    )
    assert [len(few), len(many)] == [len(PLANTED)] * 2
    assert few["nothing"].named == many["nothing"].named == 0
    assert sum(each.named for each in few.values()) < sum(each.named for each in many.values())
    dropped = next(
        each for fault, each in many.items() if fault.startswith("a larger dropped mode")
    )
    assert dropped.share > 0.6
    assert (many["nothing"].size, many["nothing"].tries) == (800, 3)


@pytest.mark.exhaustive
def test_it_is_the_same_again_and_stops_in_time() -> None:
    real = Samples(REAL[:150])
    assert power(real, tries=1) == power(real, tries=1)
    assert power(real, tries=1000, seconds=0.0)[0].tries == FEWEST
    assert power(Samples(np.eye(20))) == ()
    assert {key for key, _ in PLANTED.values()} - {""} <= set(NUMBERS)


def test_halves_of_too_few_samples_are_not_tried() -> None:
    real = Samples(REAL[: 2 * LEAST])
    (*_, nothing) = power(real, tries=1)
    assert (nothing.size, nothing.tries) == (LEAST, 1)
    assert power(real.take(np.arange(2 * LEAST - 1)), tries=1) == ()


@pytest.mark.exhaustive
def test_the_share_that_is_said_is_the_share_that_was_planted() -> None:
    found = power(Samples(REAL[:400]), tries=1, seconds=60.0)
    rng = np.random.default_rng(0)
    order = rng.permutation(400)
    fresh = REAL[order[200:]]
    kept = PLANTED["a dropped mode, {} of the samples"][1](fresh, REAL[order[:200]], rng)
    assert found[1].fault == f"a dropped mode, {percent(1 - len(kept) / 200)} of the samples"


def test_tries_count_what_is_named_and_end_after_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []

    def found(pair: SamplePair, _: object) -> tuple[Any, ...]:
        """In every other try of a fault a dropped mode, else something else."""
        seen.append((pair.real.n, pair.generated.n))
        named = len(seen) // len(PLANTED) % 2
        return (SimpleNamespace(key="dropping" if named else "invention"),)

    monkeypatch.setattr(power_module, "sample_faults", found)
    monkeypatch.setattr(power_module, "clusters", lambda values, *_: values[:4])
    parts: list[float] = []
    for tries, seconds, done in ((7, 60.0, 7), (7, -1.0, FEWEST), (FEWEST - 1, -1.0, FEWEST - 1)):
        del seen[:], parts[:]
        all_faults = power(Samples(REAL[:161]), tries=tries, seconds=seconds, progress=parts.append)
        assert parts == [turn / tries for turn in range(done)]
        assert len(seen) == done * len(PLANTED)
        assert {real for real, _ in seen} == {80}
        named = {"": done, "dropping": done // 2, "invention": done - done // 2}
        for each in all_faults:
            assert (each.named, each.tries, each.size) == (named.get(each.key, 0), done, 80)
            assert each.share == each.named / done


def test_of_a_group_one_sample_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(power_module, "sample_faults", lambda *_: ())
    monkeypatch.setattr(power_module, "clusters", lambda values, *_: values[:4])
    grouped = Samples(REAL[:400], groups=np.arange(400) // 2)
    assert {each.size for each in power(grouped, tries=1)} == {100}


def test_the_mode_that_is_dropped_is_the_one_nearest_to_the_share_asked_for() -> None:
    modes = np.repeat([[0.0], [40.0], [80.0]], [50, 35, 15], axis=0)
    rng = np.random.default_rng(0)
    values = modes + rng.normal(size=modes.shape)
    assert len(_dropped(0.33)(values, values, np.random.default_rng(1))) == 65
