"""What the readers make of drawn files is what was kept: see kept_outcomes.py."""

from __future__ import annotations

import json

import pytest

from tests.marks import exhaustive_but
from tests.readers.kept_outcomes import FILE, KINDS, codes, of_number

KEPT = json.loads(FILE.read_text())


@pytest.mark.parametrize(
    "kind", exhaustive_but(KINDS, "arrays", "records", "damaged", "held", "others")
)
def test_drawn_files_are_read_or_refused_as_kept(kind: str) -> None:
    found = " ".join(codes(kind)).split()
    kept = " ".join(KEPT[kind]).split()
    other = [
        number for number, (now, then) in enumerate(zip(found, kept, strict=True)) if now != then
    ]
    assert not other, (
        f"{len(other)} of {len(found)} differ; where this is meant: python -m"
        f" tests.readers.kept_outcomes. Now number {other[0]} gives:\n{of_number(kind, other[0])}"
    )
