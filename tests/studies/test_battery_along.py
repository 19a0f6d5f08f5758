"""A check's sweeps one by one: means, the truth beside them, and what each rule leaves to the
sweep.
"""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

from prviz.studies.battery import CHECKS, READINGS, SIDES, battery_tasks, judge, oracle_rows
from prviz.studies.battery.judge import SweepResult, along, criteria_of
from prviz.studies.battery.tasks import COLUMNS
from prviz.studies.tasks import table

CHECK = "gaussian-mixture-mode-dropping-invention"


def rows(repeats: int):
    tasks = battery_tasks([CHECK], ["knn@10", "density/coverage"], n=100, repeats=repeats)
    return table(itertools.chain.from_iterable(task.run() for task in tasks), COLUMNS)


@pytest.mark.parametrize("name", CHECKS)
def test_a_rule_passes_exactly_where_the_sweep_keeps_to_what_it_leaves(name: str) -> None:
    rng = np.random.default_rng(0)
    seen = set()
    for criterion in dict.fromkeys(CHECKS[name].criteria):
        points = np.array(CHECKS[name].points(CHECKS[name].dims[0]))
        m = len(points)
        shapes = [
            np.zeros(m),
            np.ones(m),
            np.full(m, 0.2),
            np.linspace(1, 0, m),
            np.linspace(0, 1, m),
            np.exp(-(np.linspace(-3, 3, m) ** 2)),
            np.linspace(1, 0, m) ** 0.3,
            np.minimum(np.arange(m) / 4, 1),
        ]
        for shape in shapes:
            for noise in (0.0, 0.02, 0.08):
                y = shape + noise * rng.standard_normal(m)
                found = SweepResult(1, "", points, y, np.arange(m), y, np.full(m, np.nan), 1)
                kept = all(found.keeps_to(each) for each in found.allowed(criterion))
                passed = found.judge(criterion).verdict != "F"
                assert kept == passed, (criterion.rule.words, y)
                seen.add(passed)
    assert seen == {True, False}


@pytest.mark.parametrize("side", SIDES)
def test_means_and_spread_are_those_over_the_repeats_and_the_verdict_is_the_cells(
    side: str,
) -> None:
    measured = rows(2)
    place = SIDES.index(side)
    for reading in ("knn@10", "density/coverage"):
        column = READINGS[reading].columns[place]
        (found,) = along(measured, CHECK, reading, side)
        mine = measured[measured["method"] == READINGS[reading].method]
        for at in range(10):
            values = mine[mine["place"] == at][column].to_numpy(float)
            assert len(values) == found.repeats == 2
            assert found.mean[at] == pytest.approx(sum(values) / 2)
            assert found.spread[at] == pytest.approx(abs(values[0] - values[1]) / 2**0.5)
        true = oracle_rows([CHECK], reading)[column].to_numpy(float)
        np.testing.assert_array_equal(found.truth, true)
        judged = judge(measured, [reading])
        for tag in ("bounds", "purpose"):
            asked = criteria_of(CHECK, tag, side, "")
            cell = judged[(judged["tag"] == tag) & (judged["side"] == side)].iloc[0]
            assert cell["margin"] == pytest.approx(min(found.judge(each).margin for each in asked))


def test_of_a_part_of_the_rows_nothing_is_judged_yet() -> None:
    part = rows(1).query("place < 4")
    (found,) = along(part, CHECK, "knn@10", "fidelity")
    assert (list(found.measured), found.whole, found.repeats) == ([0, 1, 2, 3], False, 0)
    assert np.isnan(found.spread).all()
    criterion, *_ = criteria_of(CHECK, "bounds", "fidelity", "")
    assert found.judge(criterion) is None
    assert found.judge_truth(criterion).verdict == "T"
    assert all(found.keeps_to(each) for each in found.allowed(criterion))  # the truth does
    (nothing,) = along(None, CHECK, "knn@10", "fidelity")
    assert len(nothing.measured) == 0
    np.testing.assert_array_equal(nothing.truth, found.truth)


def test_every_setting_of_a_check_has_a_sweep_and_its_own_criteria() -> None:
    name = "discrete-numerical-vs-continuous-numerical"
    found = along(None, name, "i-prec/i-rec", "fidelity")
    assert [each.scenario for each in found] == ["real_discrete", "real_continuous"]
    words = [
        [each.rule.words for each in criteria_of(name, "bounds", "fidelity", one.scenario)]
        for one in found
    ]
    assert words == [
        ["0 at the left end", "0 at the right end"],
        ["1 at the left end", "1 at the right end"],
    ]
    assert len(along(None, "gaussian-mean-difference-with-outlier", "knn@10", "diversity")) == 6


def test_a_sweep_travels_and_stays_as_it_is() -> None:
    (found,) = along(None, CHECK, "knn@1", "diversity")
    twin = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(twin.truth, found.truth)
    with pytest.raises(ValueError, match="read-only"):
        twin.truth[0] = 2.0
    with pytest.raises(ValueError, match="side = 'both'; one of fidelity, diversity is needed"):
        along(None, CHECK, "knn@1", "both")
