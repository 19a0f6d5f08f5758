"""Outputs of ``prviz triage`` besides the ranking: reports, and summaries for trackers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prviz.readers.errors import one_line

if TYPE_CHECKING:
    from prviz.triage.inputs import Checkpoint
    from prviz.triage.measured import CheckpointOutcome, TriageSettings

__all__ = ["Outputs", "add_outputs"]


def add_outputs(parser: argparse.ArgumentParser, instead_of: Sequence[argparse.Action]) -> None:
    """Give ``parser`` the arguments of reports and trackers.

    instead_of : arguments that are not required with --rerun.
    """
    add = parser.add_argument
    add(
        "--report",
        type=Path,
        action="append",
        metavar="FILE",
        help="write a report; its name ends in .html (a page that stands alone), .json (everything), .csv or .parquet "
        "(the numbers); repeat it for several",
    )
    add(
        "--rerun",
        type=Path,
        action=_Instead,
        instead_of=instead_of,
        metavar="REPORT",
        help="instead of REFERENCE and CHECKPOINTS: measure the files of this report.json again, without kept "
        "results, and compare every number; opens the files that it names and never unpickles",
    )
    add(
        "--tensorboard",
        type=Path,
        metavar="DIR",
        help="append the summaries to TensorBoard event files, by step; a folder of their own, such as "
        "runs/today-prviz (extra prviz[tensorboard])",
    )
    add(
        "--metrics",
        type=Path,
        metavar="FILE.csv",
        help="append the summaries of new steps to a CSV for other trackers: a column step, one of each metric",
    )


class _Instead(argparse.Action):
    """Option that makes other arguments optional."""

    def __init__(self, *args: Any, instead_of: Sequence[argparse.Action], **options: Any) -> None:
        super().__init__(*args, **options)
        self._instead_of = instead_of

    def __call__(self, _: Any, namespace: argparse.Namespace, values: Any, __: str | None = None) -> None:
        """Store the path and make the other arguments optional."""
        setattr(namespace, self.dest, values)
        for each in self._instead_of:
            each.required = False


class Outputs:
    """Files to write after the measurements. Raises ValueError at once for files that can't be written."""

    def __init__(
        self, arguments: argparse.Namespace, checkpoints: Sequence[Checkpoint], settings: TriageSettings
    ) -> None:
        self._arguments, self._settings = arguments, settings
        self._reports: list[Path] = arguments.report or []
        self._steps: dict[str, int] = {}
        if self._reports:
            from prviz.reports.files import check_targets

            others = [each for each in (arguments.metadata, arguments.metrics) if each is not None]
            check_targets(self._reports, [arguments.reference, *(each.path for each in checkpoints), *others])
        if arguments.tensorboard is not None or arguments.metrics is not None:
            self._check_trackers(checkpoints)

    def _check_trackers(self, checkpoints: Sequence[Checkpoint]) -> None:
        from prviz.reports.trackers import check_csv, require_tensorboard, steps_of

        if self._arguments.tensorboard is not None:
            require_tensorboard()
        if self._arguments.metrics is not None:
            check_csv(self._arguments.metrics, self._settings.methods)
        found = steps_of(checkpoints)
        self._steps = dict(found.steps)
        if found.left_out is not None:
            _say(found.left_out)

    def write(self, outcomes: Sequence[CheckpointOutcome]) -> None:
        """Write reports and summaries. Raises OSError where that fails."""
        arguments = self._arguments
        if self._steps:
            from prviz.reports.trackers import log_csv, log_tensorboard, rows_of

            rows = rows_of(outcomes, self._steps)
            if arguments.tensorboard is not None:
                _logged(arguments.tensorboard, len(log_tensorboard(arguments.tensorboard, rows)), len(rows))
            if arguments.metrics is not None:
                _logged(arguments.metrics, len(log_csv(arguments.metrics, rows)), len(rows))
        if self._reports:
            from prviz.reports.document import document
            from prviz.reports.files import write_reports
            from prviz.triage.measure import samples_at

            reference = samples_at(arguments.reference, self._settings)
            report = document(reference, arguments.reference, outcomes, self._settings, arguments.goal)
            write_reports(report, self._reports)
            _say(f"wrote {', '.join(str(path) for path in self._reports)}")


def _logged(where: Path, new: int, all_of_them: int) -> None:
    there = "" if new == all_of_them else f", {all_of_them - new} were there already"
    _say(f"{where}: {new} new steps{there}")


def _say(text: str) -> None:
    sys.stderr.write(f"prviz: {one_line(text)}\n")
