# ruff: noqa: T201
"""Table 1 of Sykes, Simon, Rabin, Fadili 2026 (hal-05344404): mean IoU with the truth for shifted Gaussians.

All 64 cells: n = 10,000 samples in d = 64 dimensions, a shift of mu in {1, 5/3, 7/3, 3} / 8 per coordinate,
with split 0.5 and without, k = 4 and 100 (kde's bandwidth follows from the same k), 10 repeats. Writes a
markdown table, ours beside theirs, and fails if the mean absolute difference exceeds the limit.

    python -m tests.benchmarks.table1 --out table1.md
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np

from prviz.estimators import ESTIMATORS
from prviz.profiles import profile_pair
from prviz.toys import toy

PUBLISHED = Path(__file__).with_name("table1_published.csv")
SHIFTS = (1 / 8, 5 / 24, 7 / 24, 3 / 8)
SPLITS = {"0.5": 0.5, "none": None}
KS = (4, 100)
METHODS = ("ipr", "knn", "kde", "coverage")

Cell = tuple[str, int, str, str]


def published() -> dict[Cell, float]:
    """The printed values by (split, k, mu to two digits, method)."""
    lines = [line for line in PUBLISHED.read_text().splitlines() if not line.startswith("#")]
    rows = csv.DictReader(lines)
    return {(row["split"], int(row["k"]), row["mu"], m): float(row[m]) for row in rows for m in METHODS}


def measured(n: int, repeats: int) -> dict[Cell, list[float]]:
    """The IoU of every repeat, by the same keys."""
    found: dict[Cell, list[float]] = {}
    for mu in SHIFTS:
        problem = toy("shifted-gaussians", d=64, mu=mu)
        truth = problem.truth()
        for seed in range(repeats):
            pair = problem.sample(n, seed)
            for name, split in SPLITS.items():
                swept = profile_pair(pair, METHODS, ks=KS, bandwidths=(), split=split, seed=seed)
                for (method, k), each in swept.by_k.items():
                    found.setdefault((name, int(k), f"{mu:.2f}", method), []).append(each.curve.iou(truth))
        print(f"mu = {mu:.3f} done", file=sys.stderr)
    return found


def table(ours: dict[Cell, list[float]], theirs: dict[Cell, float]) -> str:
    """Markdown: one row per setting, ours / theirs per family, the largest difference of the row last."""
    titles = [ESTIMATORS[method].title for method in METHODS]
    lines = [
        "| split | k | μ | " + " | ".join(titles) + " | largest difference |",
        "|---|---|---|" + "---|" * (len(titles) + 1),
    ]
    for split, k, mu in dict.fromkeys(cell[:3] for cell in theirs):
        cells = [(float(np.mean(ours[split, k, mu, m])), theirs[split, k, mu, m]) for m in METHODS]
        worst = max(abs(a - b) for a, b in cells)
        values = " | ".join(f"{a:.2f} / {b:.2f}" for a, b in cells)
        lines.append(f"| {split} | {k} | {mu} | {values} | {worst:.2f} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=10_000, help="samples per distribution (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=10, help="independent draws (default: %(default)s)")
    parser.add_argument(
        "--limit", type=float, default=0.045, help="largest mean absolute difference (default: %(default)s)"
    )
    parser.add_argument("--out", type=Path, help="write the markdown table here besides printing it")
    choice = parser.parse_args()
    start = time.perf_counter()
    theirs, ours = published(), measured(choice.n, choice.repeats)
    differences = np.array([abs(np.mean(ours[cell]) - theirs[cell]) for cell in theirs])
    spread = max(float(np.std(values)) for values in ours.values())
    text = (
        f"Mean IoU with the truth, ours / published; n = {choice.n}, d = 64, {choice.repeats} repeats, "
        f"largest standard deviation {spread:.3f}.\n\n{table(ours, theirs)}\n\n"
        f"Mean absolute difference over {len(differences)} cells: {differences.mean():.4f}, "
        f"largest {differences.max():.3f}.\n"
    )
    print(text)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    if choice.out is not None:
        choice.out.write_text(text)
    return int(differences.mean() > choice.limit)


if __name__ == "__main__":
    sys.exit(main())
