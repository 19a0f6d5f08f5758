# ruff: noqa: T201 - a script that says how far it is
"""Run the papers' experiments at paper size and keep their rows under data/experiments/, with date
and machine.

    python -m tests.benchmarks.experiments [NAME...]
    python -m tests.benchmarks.experiments --kept            what the kept rows say, nothing
    measured

Rows are kept as they come in a Parquet file per experiment in the folder --rows: the same line goes
on where a run was stopped. The kept seconds are those of all runs together.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

from prviz.studies.kept_rows import Provenance, this_machine, today, versions
from prviz.studies.papers import EXPERIMENTS
from prviz.studies.papers.base import Experiment, folder, keep, stored
from prviz.studies.tasks import run_tasks
from tests.benchmarks.results import earlier, record

COMMAND = "python -m tests.benchmarks.experiments"
ROWS = Path(tempfile.gettempdir()) / "prviz-experiments"


def spent(path: Path) -> float:
    """Seconds of earlier runs."""
    return float(path.read_text()) if path.exists() else 0.0


def measured(experiment: Experiment, mode: str, rows: Path) -> tuple[pd.DataFrame, float]:
    """All rows, and the seconds that they took in this run and those before."""
    out = rows / f"{experiment.name}-{mode}.parquet"
    clock = rows / f"{experiment.name}-{mode}.seconds"
    began = time.monotonic()
    before = spent(clock)

    def progress(share: float) -> None:
        clock.write_text(str(before + time.monotonic() - began))
        print(f"\r{experiment.name}: {share:.0%} ", end="", file=sys.stderr, flush=True)

    tasks = experiment.tasks(mode)  # type: ignore[arg-type]
    found = run_tasks(tasks, experiment.columns, out=out, progress=progress)
    print(file=sys.stderr)
    return found, spent(clock)


def _record(
    experiment: Experiment, rows: pd.DataFrame, seconds: float, **provenance: object
) -> None:
    says = {"what was measured": experiment.says(rows)}
    record("experiments", experiment.title, seconds=seconds, figures=says, **provenance)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(EXPERIMENTS)} (default: all)"
    )
    parser.add_argument(
        "--mode", choices=("quick", "paper"), default="paper", help="default: %(default)s"
    )
    parser.add_argument(
        "--kept", action="store_true", help="record what the kept rows say, measure nothing"
    )
    parser.add_argument(
        "--rows", type=Path, default=ROWS, help="folder of unfinished rows (default: %(default)s)"
    )
    parser.add_argument(
        "--out", type=Path, default=folder(), help="folder of the results (default: %(default)s)"
    )
    choice = parser.parse_args()
    unknown = [name for name in choice.names if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"{unknown[0]!r} is no experiment; one of {', '.join(EXPERIMENTS)} is needed")
    choice.rows.mkdir(parents=True, exist_ok=True)
    for name in choice.names or EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        if choice.kept:
            known = stored(experiment, choice.out)
            if known is not None:
                _record(
                    experiment, known.rows, known.facts.seconds, **earlier(known.facts, COMMAND)
                )
            continue
        rows, seconds = measured(experiment, choice.mode, choice.rows)
        command = f"prviz experiment {name}" + (" --paper" if choice.mode == "paper" else "")
        facts = Provenance(today(), versions(), this_machine(), command, round(seconds, 1))
        path = keep(experiment, rows, facts, choice.out)
        if choice.mode == "paper":
            _record(experiment, rows, seconds)
        print(
            f"{path}: {len(rows)} rows, {path.stat().st_size} bytes, {seconds:.0f} s."
            f" {experiment.says(rows)}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
