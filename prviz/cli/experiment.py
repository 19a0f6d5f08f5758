"""``prviz experiment``: runs an experiment of a paper.

Prints its numbers beside the published ones, and its conclusion.
"""

from __future__ import annotations

import argparse
import sys
from textwrap import fill

from prviz.cli.parity import add_conventions, chosen_convention
from prviz.cli.terminal import add_run, add_workers, measured
from prviz.measure.curve_conventions import CurveConvention
from prviz.neighbors.threads import available_threads
from prviz.studies.papers import EXPERIMENTS, Mode
from prviz.studies.papers.forensics import check_tried, read_by, spreads_by

_TEXT = """Run an experiment of the papers: its setting, our figures beside the published ones with
the difference, and what they show. Without a name: the list. A stopped run continues when the same
command with --out is given again."""

_WIDTH = 100


def add_experiment(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz experiment``, and the function that runs it."""
    parser.description = _TEXT
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="experiment to run; without it, all are listed"
    )
    add_run(parser)
    add_conventions(parser, "table1's figures by this convention (rays: 9, 13, 31 or 1001)")
    add_workers(parser)
    parser.set_defaults(run=_experiment)


def _experiment(arguments: argparse.Namespace) -> int:
    if arguments.name is None:
        width = max(map(len, EXPERIMENTS))
        lines = [
            f"{name:{width}}  {each.title}\n{'':{width}}  {each.source}\n"
            for name, each in EXPERIMENTS.items()
        ]
        sys.stdout.write("".join(lines))
        return 0
    if arguments.name not in EXPERIMENTS:
        raise ValueError(
            f"there is no experiment {arguments.name!r}; the names are {', '.join(EXPERIMENTS)}"
        )
    experiment = EXPERIMENTS[arguments.name]
    convention = chosen_convention(arguments)
    if convention is not None:
        if arguments.name != "table1":
            raise ValueError(
                "--self, --rays, --gammas and --convention are for the experiment table1 alone"
            )
        if isinstance(convention, CurveConvention):
            check_tried(convention)
        elif arguments.convention == "prdc":
            raise ValueError(
                "--convention prdc sets k and split, which are rows of table1: give 2024 or 2026"
            )
    mode: Mode = "paper" if arguments.paper else "quick"
    setting = experiment.setting(mode, repeats=arguments.repeats)
    sys.stdout.write(f"{experiment.title}\n{experiment.source}\n\n{fill(setting, _WIDTH)}\n\n")
    sys.stdout.flush()
    rows = measured(
        experiment.tasks(mode, arguments.seed, repeats=arguments.repeats),
        experiment.columns,
        arguments.out,
        experiment.seconds(mode, repeats=arguments.repeats) / available_threads(),
        scheduler=arguments.scheduler,
        dask=arguments.dask,
    )
    if convention is not None:
        rows = read_by(rows, convention)
    figures = spreads_by(experiment.figures(rows), convention)
    numbers = ["ours", "spread", "published", "difference", "bound"]
    empty = []
    if figures["bound"].isna().all():
        empty = ["bound"]
    figures = figures.drop(columns=empty)
    numbers = [name for name in numbers if name not in empty]
    words = {
        name: figures[name].map(lambda value: f"{value:.3f}" if value == value else "-")
        for name in numbers
    }
    kept = ""
    if arguments.out is not None:
        kept = f"{len(rows)} rows in {arguments.out}\n"
    table = figures.assign(**words).to_string(index=False)
    sys.stdout.write(f"{table}\n\n{fill(experiment.says(rows), _WIDTH)}\n{kept}")
    return 0
