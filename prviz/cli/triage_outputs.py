"""What ``prviz triage`` writes beside its text: reports, the best checkpoint's path, and summaries
for trackers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from os.path import realpath
from pathlib import Path

from prviz.readers.atomic_files import write_whole
from prviz.readers.errors import one_line
from prviz.reports.document import document
from prviz.reports.files import check_targets, write_reports
from prviz.reports.page import to_html
from prviz.reports.trackers import (
    check_csv,
    log_csv,
    log_tensorboard,
    require_tensorboard,
    rows_of,
    steps_of,
)
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import TriageSettings
from prviz.triage.result_cache import ResultCache
from prviz.triage.triage import TriageResults

STDOUT = Path("-")


def say(text: str) -> None:
    """Print one line on stderr."""
    sys.stderr.write(f"prviz: {one_line(text)}\n")
    sys.stderr.flush()


class TriageOutputs:
    """Files to write after the measurements. Raises ValueError at once for files that can't be
    written.
    """

    def __init__(self, arguments: argparse.Namespace, settings: TriageSettings) -> None:
        self._arguments = arguments
        given: list[Path] = [
            *(arguments.report or []),
            *([] if arguments.json is None else [arguments.json]),
        ]
        self._reports = [path for path in given if path != STDOUT]
        self._said: str | None = None
        self.takes_stdout = STDOUT in given
        if given.count(STDOUT) > 1:
            raise ValueError(
                "--json - and --report - both write to standard output; give one of them a file"
            )
        if arguments.json not in (None, STDOUT) and arguments.json.suffix.lower() != ".json":
            raise ValueError(
                f"json = {str(arguments.json)!r}: its name must end in .json; - is standard output"
            )
        if arguments.metrics is not None:
            check_csv(arguments.metrics, settings.methods)
        if arguments.tensorboard is not None:
            require_tensorboard()
        if arguments.best_file is not None and not arguments.best_file.absolute().parent.is_dir():
            raise ValueError(f"best-file = {str(arguments.best_file)!r}: there is no folder for it")

    @property
    def has_reports(self) -> bool:
        """True if a report is written, with intervals of every number."""
        return bool(self._reports) or self.takes_stdout

    def check(self, checkpoints: Sequence[Checkpoint]) -> None:
        """Raise ValueError for reports that would replace an input, and for steps that no tracker
        counts in.
        """
        arguments = self._arguments
        others = [
            each
            for each in (arguments.metadata, arguments.metrics, arguments.holdout)
            if each is not None
        ]
        sources = [arguments.reference, *(each.path for each in checkpoints), *others]
        if self._reports:
            check_targets(self._reports, sources)
        if arguments.best_file is not None and realpath(arguments.best_file) in map(
            realpath, sources
        ):
            raise ValueError(
                f"best-file = {str(arguments.best_file)!r} would take the place of samples or of a"
                " table"
            )
        self._steps(checkpoints)

    def _steps(self, checkpoints: Sequence[Checkpoint]) -> Mapping[str, int]:
        if self._arguments.tensorboard is None and self._arguments.metrics is None:
            return {}

        found = steps_of(checkpoints)
        if found.left_out is not None and found.left_out != self._said:
            say(found.left_out)
            self._said = found.left_out
        return found.steps

    def write(
        self,
        found: TriageResults,
        text: str,
        *,
        store: ResultCache,
        total: int,
    ) -> None:
        """Write all, and the text to standard output unless a report goes there. Raises OSError
        where that fails.

        store : keeps what the reports draw again. total : number of checkpoints when all are
        measured.
        """
        (sys.stderr if self.takes_stdout else sys.stdout).write(text)
        arguments = self._arguments
        if steps := self._steps([each.checkpoint for each in found.outcomes]):
            rows = rows_of(found.outcomes, steps)
            for where, log in (
                (arguments.tensorboard, log_tensorboard),
                (arguments.metrics, log_csv),
            ):
                if where is not None:
                    new = len(log(where, rows))
                    there = "" if new == len(rows) else f", {len(rows) - new} were there already"
                    say(f"{where}: {new} new steps{there}")
        if self.has_reports:
            self._write_reports(found, store, total)
        if arguments.best_file is not None and found.judgement is not None:
            best = next(
                each
                for each in found.outcomes
                if each.checkpoint.name == found.judgement.decision.best
            )
            write_whole(
                Path(realpath(arguments.best_file)),
                f"{best.checkpoint.path}\n".encode(errors="surrogateescape"),
            )
        sys.stdout.flush()

    def _write_reports(self, found: TriageResults, store: ResultCache, total: int) -> None:
        arguments = self._arguments
        report = document(found, arguments.reference, store=store, total=total)
        if self._reports:
            write_reports(report, self._reports)
            say(f"wrote {', '.join(str(path) for path in self._reports)}")
        if arguments.json == STDOUT:
            # one line, so that --watch gives one a change
            sys.stdout.write(json.dumps(report, allow_nan=False) + "\n")
        elif self.takes_stdout:
            sys.stdout.write(to_html(report))
