"""Warnings on the samples of many checkpoints: once of the reference, and each checkpoint's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from prviz.checks.finding import Finding
from prviz.triage.flagged import by_checkpoint
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome


class _Measured:
    def __init__(self, *flags: Finding) -> None:
        self.flags = flags


def outcome(name: str, *flags: Finding) -> CheckpointOutcome:
    measured: Any = (_Measured(*flags),)
    return CheckpointOutcome(Checkpoint(Path(name), name), measured)


def warning(title: str, value: str = "", features: tuple[str, ...] = ()) -> Finding:
    return Finding(title, value, "warning", "So.", features)


SCALES = warning("Feature scales", "seed holds 99 %", ("seed",))
REAL = warning("One row repeated", "the real set is one row 9 times")
MADE = warning("One row repeated", "the generated set is one row 9 times")
SPREAD = warning("Spread", "median 9")


@pytest.mark.parametrize(
    "flag", [SCALES, REAL, warning("Duplicates inside the real set", "9 of 9")]
)
def test_what_is_said_of_the_reference_is_no_checkpoint_s_own_even_where_there_is_one(
    flag: Finding,
) -> None:
    assert by_checkpoint([outcome("a", flag)], {}) == ((flag,), {"a": ()})
    # Another warning of a checkpoint may hide it there.
    assert by_checkpoint([outcome("a", flag), outcome("b", MADE)], {}) == (
        (flag,),
        {"a": (), "b": (MADE,)},
    )


def test_what_holds_of_all_alike_is_said_once_and_of_a_single_one_beside_it() -> None:
    assert by_checkpoint([outcome("a", SPREAD), outcome("b", SPREAD)], {}) == (
        (SPREAD,),
        {"a": (), "b": ()},
    )
    assert by_checkpoint([outcome("a", SPREAD)], {}) == ((), {"a": (SPREAD,)})
    other = warning("Spread", "median 8")
    found = by_checkpoint([outcome("a", SPREAD), outcome("b", other)], {})
    assert found == ((), {"a": (SPREAD,), "b": (other,)})


def test_notes_what_findings_say_and_failed_checkpoints_are_left_out() -> None:
    failed = CheckpointOutcome(Checkpoint(Path("c"), "c"), (), reason="corrupt")
    note = Finding("Spread", "median 2", "note", "")
    named = warning("Spread", "x1 differs", ("x1",))
    outcomes = [
        outcome("a", SPREAD, note, warning("Sizes", "1 and 9")),
        outcome("b", named),
        failed,
    ]
    shifted: Any = Mock(key="shift")
    assert by_checkpoint(outcomes, {"a": [shifted], "b": [shifted]}) == (
        (),
        {"a": (), "b": (named,)},
    )
    few: Any = Mock(key="few")  # of the spread it says nothing
    assert by_checkpoint(outcomes, {"a": [few]}) == ((), {"a": (SPREAD,), "b": (named,)})
    assert by_checkpoint(outcomes, {"a": []}) == ((), {"a": (SPREAD,), "b": (named,)})
