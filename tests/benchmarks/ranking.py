# ruff: noqa: T201 - a script that prints its figures
"""Whether `prviz triage` puts checkpoints of a known order in that order, and what it says of
checkpoints that are all as good as real.

    python -m tests.benchmarks.ranking [--sizes 400 1500] [--seed 0]

Sets are those of `tests.benchmarks.fresh_kinds`, which tuned nothing. A folder holds six checkpoints
under names drawn by chance: one as good as real and five with more and more of one fault, or six as
good as real. Each sample is drawn anew.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.faults import FAULTS, Case
from tests.benchmarks.fresh_kinds import FRESH
from tests.benchmarks.results import record

STRENGTHS = (0.0, 0.15, 0.3, 0.5, 0.7, 0.9)
WORSE = ("dropped", "off the manifold", "noise")
# Findings that name no fault.
NO_FAULT = {"unclear", "few"}


def ranked(
    kind: str, fault: str | None, n: int, seed: int
) -> tuple[dict[str, Any], dict[str, int]]:
    """What triage finds in a folder, and the place of each checkpoint in the true order."""
    count = len(STRENGTHS)
    places = np.random.default_rng((seed, 3)).permutation(count)
    known = {f"step-{number}": int(place) if fault else 0 for number, place in enumerate(places)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run").mkdir()
        real = FRESH[kind](n, 100 * seed).values
        np.save(folder / "real.npy", real)
        for number, place in enumerate(places):
            fresh = FRESH[kind](3 * n, 100 * seed + 1 + number)
            values = fresh.values[:n]
            if fault and place:
                rng = np.random.default_rng((seed, 4))
                case = Case(fresh, real, n, rng, 1, rng.bit_generator.state)
                values = FAULTS[fault].put(case, STRENGTHS[place])
            np.save(folder / "run" / f"step-{number}.npy", values)
        line = ["triage", "real.npy", "run", "--out", "kept", "--json", "found.json"]
        subprocess.run(
            [sys.executable, "-m", "prviz", *line], cwd=folder, check=True, capture_output=True
        )
        return json.loads((folder / "found.json").read_text()), known


def judged(found: dict[str, Any], known: dict[str, int]) -> Counter[str]:
    """Counts of one folder."""
    verdict = found["verdict"]
    order = [line["checkpoint"] for line in found["rankings"][verdict["family"]]["lines"]]
    best = {name for name, place in known.items() if place == 0}
    named = {verdict["best"], *verdict["also"]}
    counts = Counter(folders=1, kept=best <= named, alone=best == named)
    for better, worse in combinations(sorted(known, key=known.__getitem__), 2):
        if known[better] < known[worse]:
            counts["pairs"] += 1
            counts["in order"] += order.index(better) < order.index(worse)
    for each in found["checkpoints"]:
        if each["name"] in best:
            counts["perfect"] += 1
            counts["accused"] += not NO_FAULT.issuperset(one["key"] for one in each["findings"])
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[400, 1500])
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for n in given.sizes:
        for title, faults in (("of a known order", WORSE), ("all as good as real", (None,))):
            total = Counter[str]()
            for number, kind in enumerate(FRESH):
                fault = faults[number % len(faults)]
                counts = judged(*ranked(kind, fault, n, 1000 * given.seed + n + number))
                print(kind, fault, dict(counts), flush=True)
                total += counts
            shares = {
                "folders": total["folders"],
                "the best are among those that may be": total["kept"],
                "no other is": total["alone"],
            }
            if total["pairs"]:
                shares["pairs in order (%)"] = round(100 * total["in order"] / total["pairs"], 1)
            shares["as good as real"] = total["perfect"]
            shares["of these with a fault"] = total["accused"]
            case = f"six checkpoints of {n:,} samples, {title}"
            print(case, shares)
            record("ranking", case, figures=shares)


if __name__ == "__main__":
    main()
