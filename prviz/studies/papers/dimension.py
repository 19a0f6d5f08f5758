"""Shifted Gaussians in 64 to 2048 dimensions: the first version of hal-05344404, section 4.4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from prviz.studies.cells import COLUMNS
from prviz.studies.papers.base import Experiment, Mode, Size, cells, counted, lines, mean_of, told
from prviz.studies.papers.charts import LineChart
from prviz.studies.tasks import Columns, Task
from prviz.toys import toy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DimensionExperiment"]

_FAMILIES = ("ipr", "knn", "kde", "coverage")
_DIMENSIONS = (64, 128, 256, 512, 1024, 2048)
_DISTANCES = (1.0, 2.0)


class DimensionExperiment(Experiment):
    """Figure 4's setting, and the dimensions between Figure 2's and its own."""

    name = "dimension"
    title = "Ambient dimension, 64 to 2048"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.4 and Figure 4"
    question = "The truth stays the same while the dimension grows: do the estimates?"
    columns: ClassVar[Columns] = COLUMNS
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(500, 3, 1.8), "paper": Size(10_000, 5, 230.0)}
    labels = ("distance", "d", "family")
    numbers: ClassVar[Mapping[str, str]] = {"IoU": "iou", "excess": "excess", "deficit": "deficit"}

    def _words(self, size: Size) -> str:
        return (
            "P = N(0, I) and Q = N(m, I) with |m| = 1 or 2, spread evenly over d = 64, 128, 256, 512, 1024 or 2048 "
            f"coordinates; n = {size.n:,} samples of each, half of them to measure, k = √n, "
            f"{counted(size.repeats, 'repeat')}. The true curve depends on |m| alone. The paper shows the curves of "
            "d = 2048 and prints no numbers."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        problems = [toy("high-dimension", d=d, shift=shift) for d in _DIMENSIONS for shift in _DISTANCES]
        return [*cells(problems, _FAMILIES, ("sqrt",), (0.5,), size, seed)]

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the distance of the means."""
        return told(rows, distance="shift")

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """IoU and excess over d, two panels for each distance."""
        figures = self.figures(rows)
        panels = {}
        for distance in _DISTANCES:
            for figure in ("IoU", "excess"):
                wanted = figures[(figures["distance"] == distance) & (figures["figure"] == figure)]
                if len(wanted):
                    panels[f"|m| = {distance:g}: {figure}"] = lines(wanted, "d", "family")
        return LineChart(panels, "dimension d", "share of the area", log_x=True)

    def _says(self, figures: pd.DataFrame) -> str:
        few, many = int(figures["d"].min()), int(figures["d"].max())
        if few == many:
            return f"Only d = {few} is measured yet: mean excess {mean_of(figures, 'excess'):.2f}."
        low, high = (mean_of(figures, "excess", d=d) for d in (few, many))
        grows = "grows" if high > low else "does not grow"
        ious = [mean_of(figures, "IoU", d=d) for d in (few, many)]
        return (
            f"From d = {few} to d = {many} the mean excess, what estimates see in common that is not there, {grows}: "
            f"{low:.2f} to {high:.2f}, while the mean IoU goes from {ious[0]:.2f} to {ious[1]:.2f}."
        )
