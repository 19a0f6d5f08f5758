"""What ``prviz triage --rerun`` does: the triage of a report again, compared number by number."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from prviz.cli.terminal import watched
from prviz.readers.errors import one_line

__all__ = ["again"]

# What the report says, with what each is where it was not given.
_SAID: dict[str, Any] = {
    **dict.fromkeys(("reference", "method", "key", "metadata", "out", "report", "tensorboard", "metrics", "scheduler")),
    **{"k": "sqrt", "split": 0.5, "seed": 0, "goal": 0.5, "equal_sizes": False},
}
# Told one by one; more of them only as a number.
_MOST_TOLD = 20


def again(arguments: argparse.Namespace) -> int:
    """Measure the report's checkpoints again; 0: all numbers are equal, 1: some are not."""
    from prviz.reports.rerun import rerun
    from prviz.reports.text import read_report

    _check_alone(arguments)
    report = read_report(arguments.rerun)
    with watched(None) as line:
        found = rerun(report, arguments.rerun.parent, memory_limit=arguments.memory_limit, progress=line)
    for note in found.notes:
        sys.stdout.write(f"Note: {one_line(note)}\n")
    if not found.differences:
        sys.stdout.write(f"all {found.numbers} numbers equal\n")
        return 0
    sys.stdout.write(f"of {found.numbers} numbers and the words between them, {found.different} differ:\n")
    for each in found.differences[:_MOST_TOLD]:
        sys.stdout.write(f"  {one_line(each)}\n")
    if (more := found.different - _MOST_TOLD) > 0:
        sys.stdout.write(f"  and {more} more\n")
    return 1


def _check_alone(arguments: argparse.Namespace) -> None:
    """Refuse what would be ignored."""
    for name, usual in _SAID.items():
        if getattr(arguments, name) != usual:
            told = "REFERENCE and CHECKPOINTS" if name == "reference" else f"--{name.replace('_', '-')}"
            raise ValueError(f"--rerun and {told} can't be given together; the report says all but where it is")
