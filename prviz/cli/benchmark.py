"""``prviz benchmark``: scores estimators against the exact truth on a fixed list of pairs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from prviz.benchmark import DRAWS, PAIRS, VERSION, benchmark, of_family, plugin, summary
from prviz.cli.terminal import watched
from prviz.estimators import ESTIMATORS


def add_benchmark(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz benchmark``, and the function that runs it."""
    parser.description = (
        "How near does an estimator come to the true curve? 12 pairs of samples with an exactly"
        " known truth, the same on every machine. An estimator is a family of prviz, or"
        " MODULE:FUNCTION, a function of the real and the generated samples that returns a curve or"
        " points (precision, recall)."
    )
    parser.epilog = (
        "iou: overlap with the truth; worst: that of the worst pair; excess, deficit: area beyond"
        " the truth and area lacking, as shares; holds: share of 95 % intervals of the area that"
        " hold the true area; products: time in matrix products of the two sets; MB: peak memory."
    )
    parser.add_argument(
        "estimators", nargs="*", metavar="ESTIMATOR", help="which (default: all families)"
    )
    parser.add_argument("--pairs", nargs="+", metavar="NAME", help="which pairs (default: all)")
    parser.add_argument("--draws", type=int, help="draws of each pair, at most 3 (default: all)")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="CSV file for a row of each estimator, pair and draw",
    )
    parser.set_defaults(run=_benchmark)


def _benchmark(arguments: argparse.Namespace) -> int:
    contestants = []
    for name in arguments.estimators or ESTIMATORS:
        if ":" in name and name not in ESTIMATORS:
            contestants += [plugin(name)]
        else:
            contestants += of_family(name)
    pairs = arguments.pairs or list(PAIRS)
    draws = DRAWS if arguments.draws is None else arguments.draws
    with watched(None) as progress:
        rows = benchmark(contestants, pairs, draws=draws, progress=progress)
    if arguments.out is not None:
        rows.to_csv(arguments.out, index=False)
    table = summary(rows).round(
        {"iou": 3, "worst": 3, "excess": 3, "deficit": 3, "holds": 2, "products": 0}
    )
    table = table.rename(columns={"peak_mb": "MB"}).round({"MB": 1})
    sys.stdout.write(f"prviz benchmark {VERSION}: {len(pairs)} pairs, {draws} draws\n")
    sys.stdout.write(table.to_string(index=False, na_rep="-") + "\n")
    for _, row in rows[rows["error"] != ""].iterrows():
        sys.stdout.write(f"{row['estimator']}, {row['pair']}, draw {row['draw']}: {row['error']}\n")
    return 0
