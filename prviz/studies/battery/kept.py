"""The battery at full size on the published scores, kept with the package: its table is there at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from prviz.readers.paths import data_folder
from prviz.studies.battery.checks import CHECKS
from prviz.studies.battery.scores import SCORES
from prviz.studies.battery.tasks import COLUMNS
from prviz.studies.kept_rows import KeptRows, Provenance, keep_rows, kept_rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["folder", "keep", "kept"]

_NEEDED = ("check", "dim", "scenario", "place", "x", "method", "n", "repeat", "score_fidelity", "score_diversity")


def folder() -> Path:
    """Folder of the kept results."""
    return data_folder() / "battery"


def kept(checks: Iterable[str] | None = None, where: Path | None = None) -> KeptRows | None:
    """The kept rows of these checks, as `judge` takes them, and how the newest came about; None: none are kept."""
    import pandas as pd

    place = folder() if where is None else where
    found = [kept_rows(name, COLUMNS, place) for name in (CHECKS if checks is None else checks)]
    there = [each for each in found if each is not None]
    if not there:
        return None
    newest = max(there, key=lambda each: each.facts.date)
    rows = pd.concat([each.rows for each in there], ignore_index=True)
    return KeptRows(rows.fillna({"scenario": ""}), newest.facts)  # the one scenario of most checks has no name


def keep(rows: pd.DataFrame, facts: Provenance, where: Path | None = None) -> list[Path]:
    """Write the rows of the published scores, one file for each check."""
    place = folder() if where is None else where
    mine = rows.loc[rows["method"].isin(list(SCORES)), list(_NEEDED)]
    return [keep_rows(part, str(name), facts, place) for name, part in mine.groupby("check", sort=False)]
