"""``prviz triage --rerun``: measures a report's triage again and compares it number by number."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from prviz.cli.terminal import watched
from prviz.readers.errors import one_line

__all__ = ["again"]

# Options that the report sets, with their defaults.
_REPORTED: dict[str, Any] = {
    **dict.fromkeys(("reference", "method", "key", "metadata", "out", "report", "tensorboard", "metrics", "scheduler")),
    **{"k": "sqrt", "split": 0.5, "seed": 0, "goal": 0.5, "equal_sizes": False},
}
# Most differences that are listed; the others are only counted.
_MOST_LISTED = 20


def again(arguments: argparse.Namespace) -> int:
    """Measure the report's checkpoints again. Returns 0 if all numbers are equal, else 1."""
    from prviz.reports.report_json import read_report
    from prviz.reports.rerun import rerun

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
    for each in found.differences[:_MOST_LISTED]:
        sys.stdout.write(f"  {one_line(each)}\n")
    if (more := found.different - _MOST_LISTED) > 0:
        sys.stdout.write(f"  and {more} more\n")
    return 1


def _check_alone(arguments: argparse.Namespace) -> None:
    """Refuse options that would be ignored."""
    for name, usual in _REPORTED.items():
        if getattr(arguments, name) != usual:
            option = "REFERENCE and CHECKPOINTS" if name == "reference" else f"--{name.replace('_', '-')}"
            raise ValueError(f"--rerun and {option} can't be given together; the report says all but where it is")
