"""Beside the families of an experiment: the upper bound of the truth by each of them."""

from __future__ import annotations

from dataclasses import dataclass

from prviz.curves.summaries import COMPARISONS
from prviz.measure.estimates import Estimate
from prviz.studies.sweeps import Cell, Files, WiderCell, measured
from prviz.studies.tasks import Columns, Row
from prviz.uncertainty.family_bound import known_bound

BESIDE_COLUMNS: Columns = {f"bound_{number}": "float64" for number in COMPARISONS}


@dataclass(frozen=True)
class BesideCell(WiderCell):
    """A cell whose rows also hold `BESIDE_COLUMNS`; see `measured_beside`."""

    def run(self) -> list[Row]:
        """The cell's rows, with what is measured beside them."""
        return [row for row, _ in measured_beside(self.cell)]


def measured_beside(cell: Cell) -> list[tuple[Row, Estimate]]:
    """As `measured`, with `BESIDE_COLUMNS` where the truth is known and samples are held out.

    bound_iou and so on : `prviz.upper_bound` by the row's own family and k; a deficit above 0 means
    that the bound does not hold.
    """
    truth = None if isinstance(cell.problem, Files) else cell.problem.truth()
    if truth is None or cell.split is None:
        return measured(cell)
    wider = []
    for row, estimate in measured(cell):
        bound = known_bound([estimate], held_out=True)
        compared = {} if bound is None else bound.compare(truth)._asdict()
        wider.append(
            (row | {f"bound_{number}": value for number, value in compared.items()}, estimate)
        )
    return wider
