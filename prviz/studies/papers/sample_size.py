"""How curves vary with the number of samples: hal-05344404, section 5.1.3 and Figure 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from prviz.studies.papers.base import Experiment, Mode, Size, cells, counted, mean_of, told
from prviz.studies.papers.charts import CurveChart
from prviz.studies.papers.curves import curve_cells, curve_panels, true_band
from prviz.studies.tasks import Task
from prviz.toys import toy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SampleSizeExperiment"]

_FAMILIES = ("ipr", "knn", "kde", "coverage")
_NS = (10, 100, 1_000, 10_000)
_SHIFT = 5 / 24


class SampleSizeExperiment(Experiment):
    """The mean curve and its standard deviation at four sizes."""

    name = "sample-size"
    title = "Sample size, 10 to 10,000"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.3 and Figure 4"
    question = "How many samples does it take until chance no longer moves the curve?"
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(1_000, 10, 0.6), "paper": Size(10_000, 100, 105.0)}
    labels = ("n", "family")
    numbers: ClassVar[Mapping[str, str]] = {"IoU": "iou", "AuC": "auc", "1 - TV": "one_minus_tv"}

    def _words(self, size: Size) -> str:
        return (
            "P = N(0, I) and Q = N(μ·1, I) in d = 64 dimensions, μ = 5/24 (0.21), half of the samples to measure, k "
            f"= √n; n = {', '.join(f'{n:,}' for n in self._ns(size))} samples of each, "
            f"{counted(size.repeats, 'repeat')}. Curves are means over the repeats at every lam = α / β, plus and "
            "minus one standard deviation. The paper shows curves and prints no numbers."
        )

    @staticmethod
    def _ns(size: Size) -> list[int]:
        return [n for n in _NS if size.n is None or n <= max(size.n, _NS[0])]

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        problem = [toy("shifted-gaussians", mu=_SHIFT)]
        found = [
            cell
            for n in self._ns(size)
            for cell in cells(problem, _FAMILIES, ("sqrt",), (0.5,), size._replace(n=n), seed)
        ]
        return curve_cells(sorted(found, key=lambda cell: cell.repeat))

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with their settings in words."""
        return told(rows)

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves with their deviation, a panel for every n."""
        found = self.ordered(rows)
        titles = found["n"].map(lambda n: f"n = {n:,}")
        panels = curve_panels(found, titles, found["family"])
        truth = true_band(toy("shifted-gaussians", mu=_SHIFT).truth())
        return CurveChart(panels, {title: {"truth": truth} for title in panels})

    def _says(self, figures: pd.DataFrame) -> str:
        few, many = int(figures["n"].min()), int(figures["n"].max())
        ious = [mean_of(figures, "IoU", n=n) for n in (few, many)]
        spreads = [mean_of(figures, "1 - TV", "spread", n=n) for n in (few, many)]
        closer = "come closer to the truth" if ious[1] > ious[0] else "come no closer to the truth"
        varied = (
            f"the standard deviation of 1 - TV, the middle of the curve, goes from {spreads[0]:.3f} to {spreads[1]:.3f}"
            if spreads[0] == spreads[0]
            else "there is one repeat, so that nothing is known of chance"
        )
        return (
            f"From n = {few:,} to n = {many:,} the estimates {closer} (mean IoU {ious[0]:.2f} to {ious[1]:.2f}), and "
            f"{varied}."
        )

    def _quick(self, size: Size) -> str:
        return (
            f"n up to {size.n:,} in place of 10,000, {size.repeats} in place of {self.sizes['paper'].repeats} repeats"
        )
