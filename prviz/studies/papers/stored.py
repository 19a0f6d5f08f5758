"""Results of the experiments at paper size, kept as small files with their provenance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from prviz.readers.paths import data_folder
from prviz.studies.cells import COLUMNS
from prviz.studies.kept_rows import KeptRows, Provenance, keep_rows, kept_rows
from prviz.studies.papers.curves import CURVE_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

    from prviz.studies.papers.base import Experiment

__all__ = ["folder", "keep", "needed", "stored"]

# Columns that identify the measurement of a row.
_SETTINGS = ("problem", "parameters", "d", "n", "method", "k", "split")


def folder() -> Path:
    """Folder of the kept results."""
    return data_folder() / "experiments"


def stored(experiment: Experiment, where: Path | None = None) -> KeptRows | None:
    """The kept rows of this experiment, with the columns that it needs filled; see `prviz.studies.kept_rows`."""
    return kept_rows(experiment.name, experiment.columns, folder() if where is None else where)


def keep(experiment: Experiment, rows: pd.DataFrame, facts: Provenance, where: Path | None = None) -> Path:
    """Write the rows in the columns that the experiment needs, and the facts; see `prviz.studies.kept_rows`."""
    return keep_rows(rows[needed(experiment)], experiment.name, facts, folder() if where is None else where)


def needed(experiment: Experiment) -> list[str]:
    """The columns that its figures, words and chart are made of: the settings of a row, its numbers, its curve."""
    curve = [name for name in CURVE_COLUMNS if name not in COLUMNS]
    ends = ["alpha_inf", "beta_0"] if set(curve) <= set(experiment.columns) else []
    wanted = {*_SETTINGS, *experiment.numbers.values(), *curve, *ends}
    return [name for name in experiment.columns if name in wanted]
