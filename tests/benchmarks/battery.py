# ruff: noqa: T201
"""The sanity battery at full size: how the published scores do against the verdicts that were
published of them.

    python -m tests.benchmarks.battery [--repeats 10] [--out battery.parquet] [--workers 2]
    [--checks NAME ...]

    python -m tests.benchmarks.battery --kept                the rows that the package carries,
    nothing measured

--repeats 120 judges every ten repeats by themselves too: how often a verdict is another one by
chance alone.

Resumes with the rows that --out holds. Prints each cell whose verdict differs from the published
one, with the value that decides, its margin and its spread over repeats.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pandas as pd

from prviz.studies.battery import (
    CHECKS,
    COLUMNS,
    PASSES,
    SCORES,
    battery_seconds,
    battery_tasks,
    judge,
    passed,
)
from prviz.studies.battery.tasks import keep, kept
from prviz.studies.kept_rows import Provenance, this_machine, today, versions
from prviz.studies.tasks import run_tasks
from tests.benchmarks.results import earlier, record

CLOSE = 0.02
DRAW = 10  # repeats of a published verdict
SHOWN = [
    "check",
    "tag",
    "reading",
    "side",
    "verdict",
    "published",
    "oracle",
    "value",
    "threshold",
    "margin",
    "spread",
]


def main() -> None:
    """Measure what is missing, then compare."""
    asked = _arguments()
    if asked.kept:
        carried = kept()
        assert carried is not None
        facts = carried.facts
        _record(
            judge(carried.rows), len(carried.rows), facts.seconds, **earlier(facts, facts.command)
        )
        return
    tasks = battery_tasks(
        asked.checks, asked.readings, mode="paper", repeats=asked.repeats, n=asked.n
    )
    print(f"{len(tasks)} tasks, about {battery_seconds(tasks):,.0f} s on one core")
    began = time.perf_counter()
    with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as pool:
        rows = run_tasks(tasks, COLUMNS, pool, out=asked.out)
    measured = rows.drop_duplicates(["check", "dim", "scenario", "place", "repeat"])[
        "seconds"
    ].sum()
    print(f"{time.perf_counter() - began:,.0f} s here; {measured:,.0f} s of one core in all")
    if asked.keep:
        wanted = "" if asked.readings == list(SCORES) else f" --readings {' '.join(asked.readings)}"
        wanted += "" if asked.repeats == DRAW else f" --repeats {asked.repeats}"
        command = f"python -m tests.benchmarks.battery{wanted} --keep"
        for path in keep(
            rows, Provenance(today(), versions(), this_machine(), command, round(measured, 1))
        ):
            print(f"{path}: {path.stat().st_size} bytes")
    if not {*SCORES} & {*asked.readings}:  # nothing was published of them
        print(passed(judge(rows)).to_string(index=False))
    elif asked.repeats > DRAW:
        by_chance(rows)
    else:
        judged = judge(rows)
        compare(judged)
        _record(judged, len(rows), measured)


def _record(judged: pd.DataFrame, rows: int, seconds: float, **provenance: object) -> None:
    """Keep how many verdicts are the published ones."""
    told = judged[judged["published"].notna()]
    agree = int((told["verdict"] == told["published"]).sum())
    figures = {"verdicts as published": agree, "of": len(told), "rows": rows}
    case = f"{judged['check'].nunique()} checks, {judged['repeats'].max()} repeats"
    record("battery", case, seconds=seconds, figures=figures, **provenance)


def by_chance(rows: pd.DataFrame) -> None:
    """In how many draws of ten repeats each cell has its published verdict; those that always have
    it are left out.
    """
    draws = [judge(part) for _, part in rows.groupby(rows["repeat"] // DRAW)]
    told = pd.concat(draws)[lambda found: found["published"].notna()]
    told = told.assign(agrees=told["verdict"] == told["published"])
    counted = told.groupby(["check", "tag", "reading", "side"], sort=False)["agrees"].agg(
        ["sum", "count"]
    )
    print(f"cells by draws of {DRAW} repeats: how many have the published verdict, of how many")
    print(counted[counted["sum"] < counted["count"]].to_string())


def compare(judged: pd.DataFrame) -> None:
    """Print what differs from the published verdicts, the close ones apart."""
    told = judged[judged["published"].notna()]
    differs = told[told["verdict"] != told["published"]]
    close = differs["margin"].abs() < CLOSE
    passes = (told["verdict"].isin(PASSES) != told["published"].isin(PASSES)).sum()
    print(
        f"{len(told)} cells with a published verdict, {len(differs)} differ, {passes} of them in"
        " passing;",
        end=" ",
    )
    print(f"{close.sum()} of these within {CLOSE} of the threshold")
    with pd.option_context(
        "display.width", 250, "display.max_columns", 30, "display.max_rows", 500
    ):
        print(
            differs[~close][[*SHOWN, "dim", "scenario", "condition"]]
            .round(4)
            .to_string(index=False)
        )
        print("\nwithin the margin")
        print(
            differs[close][[*SHOWN, "dim", "scenario", "condition"]].round(4).to_string(index=False)
        )
        print(passed(judged).to_string(index=False))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checks", nargs="+", choices=list(CHECKS), metavar="NAME")
    parser.add_argument("--readings", nargs="+", default=list(SCORES), metavar="NAME")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--n", type=int, default=None)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--kept", action="store_true", help="judge the rows below data/battery, measure nothing"
    )
    parser.add_argument(
        "--keep", action="store_true", help="write the rows below data/battery, for the Bias lab"
    )
    parser.add_argument("--out", default=None, help="Parquet file that keeps the rows")
    return parser.parse_args()


if __name__ == "__main__":
    main()
