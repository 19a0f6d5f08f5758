"""What the rules say of many statistics is what was kept: see kept_decisions.py."""

from __future__ import annotations

import json

import pytest

from tests.triage.kept_decisions import FILE, as_before, decisions, statistics, sums_of_few_samples

KEPT = json.loads(FILE.read_text())
HOW = "where this is meant: python -m tests.triage.kept_decisions, and raise RULES"


def test_the_statistics_of_planted_faults_are_those_kept() -> None:
    found = statistics()
    assert set(found) == set(KEPT["statistics"]), HOW
    for name, values in found.items():
        # one cluster, whose centre is the mean: a ratio of two roundings
        if abs(values["stretch_z"]) < 1e-9:
            values["stretch"] = KEPT["statistics"][name]["stretch"]
        assert values == pytest.approx(KEPT["statistics"][name], rel=1e-6, abs=1e-9, nan_ok=True), (
            f"{name}; {HOW}"
        )


def test_the_statistics_of_few_samples_are_those_kept() -> None:
    assert sums_of_few_samples() == pytest.approx(KEPT["few samples"], abs=1e-5), HOW


def test_last_digits_of_another_machine_are_not_written() -> None:
    kept = {"a": {"b": 1.0, "c": 2.0}, "d": ["x"]}
    found = {"a": {"b": 1.0 + 1e-12, "c": 2.1, "e": 3.0}, "d": ["y"]}
    assert as_before(found, kept) == {"a": {"b": 1.0, "c": 2.1, "e": 3.0}, "d": ["y"]}
    assert as_before(found, kept)["a"]["b"] == 1.0


@pytest.mark.thorough
def test_the_rules_decide_around_planted_faults_as_kept() -> None:
    found = decisions(KEPT["statistics"], KEPT["decisive ties"])
    kept = dict(KEPT["decisions"])
    assert found.pop("sum of sizes") == pytest.approx(kept.pop("sum of sizes"), rel=1e-9), HOW
    assert found == kept, HOW
