"""Table 1 of hal-05344404: the IoU of four families on shifted Gaussians, 64 cells."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from prviz.studies.cells import COLUMNS
from prviz.studies.papers.base import Experiment, Mode, Size, cells, counted, mean_of, title_of, told
from prviz.studies.papers.charts import HeatMap
from prviz.studies.tasks import Columns, Task
from prviz.toys import toy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PUBLISHED", "Table1Experiment"]

_FAMILIES = ("ipr", "knn", "kde", "coverage")
_KS = ("4", "√n")
_SPLITS = ("50%", "none")
# As the table rounds them: thirds of 1/8, that is 1, 5/3, 7/3 and 3 times 1/8.
_SHIFTS = {"0.12": 1 / 8, "0.21": 5 / 24, "0.29": 7 / 24, "0.38": 3 / 8}

# Rows as printed: split, k, shift; then iPR, kNN, KDE, Cov.
_PRINTED = """
50% 4 0.12 0.69 0.71 0.72 0.73
50% 4 0.21 0.42 0.49 0.49 0.55
50% 4 0.29 0.24 0.38 0.34 0.48
50% 4 0.38 0.13 0.33 0.24 0.48
50% √n 0.12 0.81 0.87 0.84 0.92
50% √n 0.21 0.69 0.84 0.78 0.90
50% √n 0.29 0.65 0.84 0.75 0.90
50% √n 0.38 0.63 0.84 0.75 0.93
none 4 0.12 0.43 0.7 0.62 0.76
none 4 0.21 0.55 0.81 0.68 0.84
none 4 0.29 0.62 0.79 0.68 0.77
none 4 0.38 0.55 0.61 0.62 0.63
none √n 0.12 0.91 0.93 0.94 0.96
none √n 0.21 0.88 0.93 0.92 0.97
none √n 0.29 0.84 0.92 0.90 0.95
none √n 0.38 0.83 0.91 0.90 0.96
"""


def _published() -> dict[tuple[str, str, str, str, str], float]:
    found: dict[tuple[str, str, str, str, str], float] = {}
    for line in _PRINTED.split("\n")[1:-1]:
        split, k, shift, *values = line.split()
        for method, value in zip(_FAMILIES, values, strict=True):
            found[split, k, shift, title_of(method), "IoU"] = float(value)
    return found


PUBLISHED: Mapping[tuple[Any, ...], float] = MappingProxyType(_published())
"""The paper's mean IoU by (split, k, shift, family, "IoU"): n = 10,000, d = 64; k = √n is 100."""


class Table1Experiment(Experiment):
    """Table 1, with Figure 2's setting."""

    name = "table1"
    title = "Table 1: four families on shifted Gaussians"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.1 and Table 1"
    question = "How close do four families come to the truth, with few and many neighbours, with and without split?"
    columns: ClassVar[Columns] = COLUMNS
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(1_000, 2, 1.5), "paper": Size(10_000, 10, 250.0)}
    labels = ("split", "k", "shift", "family")
    numbers: ClassVar[Mapping[str, str]] = {"IoU": "iou"}
    published = PUBLISHED

    def _words(self, size: Size) -> str:
        return (
            "P = N(0, I) and Q = N(μ·1, I) in d = 64 dimensions, each shifted by μ = 1/8, 5/24, 7/24 or 3/8; n = "
            f"{size.n:,} samples of each, {counted(size.repeats, 'repeat')}; k = 4 and k = √n neighbours; half of "
            "the samples define the classifiers and half measure them (split 50%), or all do both (split none). The "
            "figure is the mean IoU of a curve with the true one; the paper's are for n = 10,000, where √n is 100."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        problems = [toy("shifted-gaussians", mu=mu) for mu in _SHIFTS.values()]
        return [*cells(problems, _FAMILIES, (4, "sqrt"), (0.5, None), size, seed)]

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the shift as the table prints it."""
        found = told(rows, shift="mu")
        names = list(_SHIFTS)
        values = np.array([*_SHIFTS.values()])
        return found.assign(shift=[names[int(np.argmin(np.abs(values - mu)))] for mu in found["shift"]])

    def chart(self, rows: pd.DataFrame) -> HeatMap:
        """Ours and the paper's table side by side."""
        figures = self.figures(rows)
        places = [(split, k, shift) for split in _SPLITS for k in _KS for shift in _SHIFTS]

        def ours(split: str, k: str, shift: str, family: str) -> float:
            return mean_of(figures, "IoU", split=split, k=k, shift=shift, family=title_of(family))

        measured = [[ours(*place, family) for family in _FAMILIES] for place in places]
        printed = [[PUBLISHED[(*place, title_of(family), "IoU")] for family in _FAMILIES] for place in places]
        y = tuple(f"split {split}, k = {k}, μ = {shift}" for split, k, shift in places)
        panels = {"ours": np.array(measured), "published": np.array(printed)}
        return HeatMap(tuple(map(title_of, _FAMILIES)), y, panels, "IoU with the truth")

    def _says(self, figures: pd.DataFrame) -> str:
        off = figures["difference"].abs()
        worst = figures.iloc[int(off.to_numpy().argmax())]
        means = figures.groupby("family", sort=False)["ours"].mean()
        few, many = (mean_of(figures, "IoU", k=k) for k in _KS)
        compared = "" if few != few or many != many else f"; over all families {few:.2f} with k = 4, {many:.2f} with √n"
        return (
            f"{len(figures)} of {len(PUBLISHED)} cells: {off.mean():.3f} from the published IoU on average, "
            f"{off.max():.3f} at most ({worst['family']}, split {worst['split']}, k = {worst['k']}, μ = "
            f"{worst['shift']}). Closest to the truth here is {means.idxmax()} with a mean IoU of {means.max():.2f}, "
            f"furthest {means.idxmin()} with {means.min():.2f}{compared}."
        )
