"""Power: how often faults planted in half of a reference are named."""

from __future__ import annotations

import numpy as np

from prviz.samples import Samples
from prviz.triage.findings import NUMBERS
from prviz.triage.power import FEWEST, PLANTED, power
from tests.benchmarks.faults import BASES

REAL = BASES["6 modes, d = 16"].draw(1600, 0).values


def test_larger_references_find_more_and_nothing_is_found_in_real_samples() -> None:
    few, many = ({each.fault: each for each in power(Samples(REAL[:n]), tries=6, seconds=60.0)} for n in (200, 1600))
    assert set(few) == set(PLANTED)
    assert few["nothing"].named == many["nothing"].named == 0
    faults = [fault for fault in PLANTED if fault != "nothing"]
    assert sum(few[fault].named for fault in faults) < sum(many[fault].named for fault in faults)
    assert many["a dropped mode of about 10 %"].share > 0.6
    assert (many["nothing"].size, many["nothing"].tries) == (800, 6)
    assert "of 6 tries with 800 samples per set" in many["a dropped mode of about 10 %"].sentence


def test_it_is_the_same_again_and_stops_in_time() -> None:
    real = Samples(REAL[:300])
    assert power(real, tries=FEWEST) == power(real, tries=FEWEST)
    assert power(real, tries=1000, seconds=0.0)[0].tries == FEWEST
    assert power(Samples(np.eye(20))) == ()
    assert {key for key, _ in PLANTED.values()} - {""} <= set(NUMBERS)
