"""Beside the families of an experiment: `tightest`, and the upper bound of the truth by each family."""

from __future__ import annotations

from dataclasses import dataclass, replace

from prviz.curves.summaries import COMPARISONS
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import Estimate
from prviz.studies.sweeps import Cell, Files, WiderCell, measured
from prviz.studies.tasks import Columns, Row
from prviz.uncertainty.upper_bound import known_bound

TIGHTEST = ESTIMATORS["tightest"]
BESIDE_COLUMNS: Columns = {f"{name}_{number}": "float64" for name in ("tightest", "bound") for number in COMPARISONS}


@dataclass(frozen=True)
class BesideCell(WiderCell):
    """A cell whose rows also hold `BESIDE_COLUMNS`; see `measured_beside`."""

    def run(self) -> list[Row]:
        """The cell's rows, with what is measured beside them."""
        return [row for row, _ in measured_beside(self.cell)]


def measured_beside(cell: Cell) -> list[tuple[Row, Estimate]]:
    """As `measured`, with `BESIDE_COLUMNS` where the truth is known and samples are held out.

    tightest_iou and so on : `tightest` on the same samples and split, the same in all rows of the cell. bound_iou and
    so on : `prviz.upper_bound` by the row's own family and k; a deficit above 0 means that the bound does not hold.
    """
    truth = None if isinstance(cell.problem, Files) else cell.problem.truth()
    if truth is None or cell.split is None:
        return measured(cell)
    *found, (tightest, _) = measured(replace(cell, wanted=(*cell.wanted, (TIGHTEST.name, None, None))))
    wider = []
    for row, estimate in found:
        more = {f"tightest_{number}": tightest[number] for number in COMPARISONS}
        if (bound := known_bound([estimate], held_out=True)) is not None:
            more |= {f"bound_{number}": value for number, value in bound.compare(truth)._asdict().items()}
        wider.append((row | more, estimate))
    return wider
