# ruff: noqa: T201 - it prints its table
"""`prviz benchmark` on all families and on what another package computes of the same samples, for
docs/measured.md.

python -m tests.benchmarks.frozen [--draws 3]

Functions of this module are estimators too: `prviz benchmark tests.benchmarks.frozen:improved`.
"""

from __future__ import annotations

import argparse
from typing import Any

from numpy.typing import NDArray
from prdc import compute_prdc

from prviz.benchmark import DRAWS, benchmark, of_family, plugin, summary
from prviz.estimators import ESTIMATORS
from tests.benchmarks.results import record

Array = NDArray[Any]
K = 5


def improved(real: Array, generated: Array) -> tuple[float, float]:
    """Improved precision and recall, one point."""
    found = compute_prdc(real, generated, K)
    return found["precision"], found["recall"]


def density_coverage(real: Array, generated: Array) -> tuple[float, float]:
    """Density, which may exceed 1 and is cut there, and coverage, one point."""
    found = compute_prdc(real, generated, K)
    return min(found["density"], 1.0), found["coverage"]


def main() -> None:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    given = parser.parse_args()
    theirs = [plugin(f"{__spec__.name}:{name}") for name in ("improved", "density_coverage")]
    families = [each for name in ESTIMATORS for each in of_family(name)]
    table = summary(benchmark([*families, *theirs], draws=given.draws))
    print(table.to_string(index=False))
    for row in table.to_dict("records"):
        name = (
            str(row["estimator"]).replace(f"{__spec__.name}:", "prdc 0.2, ").replace("_", " and ")
        )
        setting = f"k = {K}, no split" if name.startswith("prdc") else row["setting"]
        titles = {
            "iou": "IoU",
            "worst": "of the worst pair",
            "excess": "excess",
            "deficit": "deficit",
        }
        titles |= {
            "holds": "intervals that hold",
            "products": "time in products",
            "peak_mb": "peak MB",
        }
        record(
            "frozen",
            f"{name}: {setting}",
            figures={title: row[key] for key, title in titles.items()},
        )


if __name__ == "__main__":
    main()
