"""What every measure says of drawn pairs is what was kept: see kept_numbers.py."""

from __future__ import annotations

import json

import pytest

from tests.kept_numbers import FILE, GROUPS, codes, of_number

KEPT = json.loads(FILE.read_text())


@pytest.mark.parametrize(
    "group",
    # of a triage the kept decisions hold what decides
    [
        pytest.param(each, marks=pytest.mark.thorough) if each == "triage" else each
        for each in GROUPS
    ],
)
def test_numbers_of_drawn_pairs_are_those_kept(group: str) -> None:
    found = " ".join(codes(group)).split()
    kept = " ".join(KEPT[group]).split()
    other = [
        number for number, (now, then) in enumerate(zip(found, kept, strict=True)) if now != then
    ]
    assert not other, (
        f"{len(other)} of {len(found)} differ; where this is meant: python -m tests.kept_numbers. "
        f"Now number {other[0]} is {of_number(group, other[0])}"
    )
