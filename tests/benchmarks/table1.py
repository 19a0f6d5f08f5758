# ruff: noqa: T201 - it prints its table
"""Which conventions that the paper leaves open explain which cells of its Table 1, from the rows at
paper size.

python -m tests.benchmarks.table1                 from the kept rows of `prviz experiment table1
--paper` python -m tests.benchmarks.table1 --repeats 3     from rows measured now, about 80 s a
repeat on two cores
"""

from __future__ import annotations

import argparse
import sys

import pandas as pd

from prviz.studies.papers import EXPERIMENTS
from prviz.studies.papers.base import stored
from prviz.studies.papers.forensics import CONVENTIONS, TableReading
from prviz.studies.papers.gaussians import PUBLISHED, Table1Experiment
from prviz.studies.tasks import run_tasks
from tests.benchmarks.results import earlier, record

COMMAND = "python -m tests.benchmarks.table1"
TITLES = {"own": "prviz", "self": "self-counting", "rays": "rays", "both": "both"}
CLOSEST = "closest for these cells alone"


def words(reading: TableReading) -> str:
    """The choice of conventions."""
    counted = [
        f"{family} {each}" for family, each in reading.self_counting.items() if each != "count"
    ]
    drawn = (
        "" if reading.rays is None else f"{reading.rays} rays" + ", thresholds too" * reading.gammas
    )
    return "; ".join(filter(None, [", ".join(counted), drawn])) or "as it is"


def cell(off: pd.Series, explained: pd.Series) -> str:
    """Mean distance from the published IoU, and how many cells are within chance of it."""
    return f"{off.mean():.3f} ({explained.sum()} of {len(off)})"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--repeats", type=int, help="measure now, so many repeats (default: the kept rows)"
    )
    choice = parser.parse_args()
    experiment = EXPERIMENTS["table1"]
    assert isinstance(experiment, Table1Experiment)
    provenance = {}
    if choice.repeats:
        rows = run_tasks(experiment.tasks("paper", repeats=choice.repeats), experiment.columns)
    elif (kept := stored(experiment)) is not None:
        rows = kept.rows
        provenance = earlier(kept.facts, COMMAND)
    else:
        parser.error("there are no kept rows; give --repeats")
    found = experiment.readings(rows)
    assert found is not None
    record(
        "table1",
        "choice",
        figures={TITLES[name]: words(each) for name, each in found.items()},
        **provenance,
    )
    every = {TITLES[name]: cell(each.off, each.explained) for name, each in found.items()}
    record("table1", "all 64 cells", figures=every, **provenance)
    groups = experiment.labelled(rows).groupby(list(experiment.labels), sort=False)
    off = groups[[each.key for each in CONVENTIONS]].mean()
    off = off.sub(pd.Series({at: PUBLISHED[(*at, "IoU")] for at in off.index}), axis=0).abs()
    tolerance = experiment.tolerances(rows)
    blocks = ["split", "k", "family"]
    for (split, k, family), part in off.groupby(level=blocks, sort=False):
        figures = {
            TITLES[name]: cell(each.off[part.index], each.explained[part.index])
            for name, each in found.items()
        }
        best = min(CONVENTIONS, key=lambda each: part[each.key].mean())
        alone = cell(part[best.key], part[best.key] <= tolerance[part.index])
        figures[CLOSEST] = f"{alone}: {best.key.removeprefix('iou_').replace('_', ' ')}"
        record("table1", f"split {split}, k = {k}, {family}", figures=figures, **provenance)
        print(split, k, family, figures)
    print(every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
