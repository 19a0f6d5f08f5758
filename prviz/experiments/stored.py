"""Results of the experiments at paper size, kept as small files: found at once, with where and when they were made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from prviz._cells import COLUMNS
from prviz._kept import Facts, Kept, keep_rows, kept_rows
from prviz.experiments.curves import CURVE_COLUMNS
from prviz.paths import data_folder

if TYPE_CHECKING:
    import pandas as pd

    from prviz.experiments.base import Experiment

__all__ = ["folder", "keep", "needed", "stored"]

# Of a row: what it is a measurement of.
_SETTINGS = ("problem", "parameters", "d", "n", "method", "k", "split")


def folder() -> Path:
    """Where the kept results are."""
    return data_folder() / "experiments"


def stored(experiment: Experiment, where: Path | None = None) -> Kept | None:
    """The kept rows of this experiment, with the columns that it needs filled; see `prviz._kept`."""
    return kept_rows(experiment.name, experiment.columns, folder() if where is None else where)


def keep(experiment: Experiment, rows: pd.DataFrame, facts: Facts, where: Path | None = None) -> Path:
    """Write the rows in the columns that the experiment needs, and the facts; see `prviz._kept`."""
    return keep_rows(rows[needed(experiment)], experiment.name, facts, folder() if where is None else where)


def needed(experiment: Experiment) -> list[str]:
    """The columns that its figures, words and chart are made of: the settings of a row, its numbers, its curve."""
    curve = [name for name in CURVE_COLUMNS if name not in COLUMNS]
    ends = ["alpha_inf", "beta_0"] if set(curve) <= set(experiment.columns) else []
    wanted = {*_SETTINGS, *experiment.numbers.values(), *curve, *ends}
    return [name for name in experiment.columns if name in wanted]
