"""P = Q with and without split: the first version of hal-05344404, Figure 5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from prviz.studies.papers.base import Experiment, Mode, Size, cells, counted, told
from prviz.studies.papers.charts import CurveChart
from prviz.studies.papers.curves import curve_cells, curve_panels, true_band
from prviz.studies.tasks import Task
from prviz.toys import toy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SameExperiment"]

_FAMILIES = ("ipr", "knn", "kde", "coverage")


class SameExperiment(Experiment):
    """A perfect generator: the true curve fills the square."""

    name = "same"
    title = "P = Q, with and without split"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), appendix, Figure 5"
    question = "What does an estimate see of a perfect generator, and does a split make it better?"
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(1_000, 3, 0.6), "paper": Size(10_000, 3, 17.0)}
    labels = ("split", "k", "family")
    numbers: ClassVar[Mapping[str, str]] = {"IoU": "iou", "α∞": "alpha_inf", "β0": "beta_0"}

    def _words(self, size: Size) -> str:
        return (
            f"P = Q = N(0, I) in d = 64 dimensions, n = {size.n:,} samples of each, "
            f"{counted(size.repeats, 'repeat')}; k = 4 and k = √n neighbours; half of the samples define the "
            "classifiers and half measure them (split 50%), or all do both (split none). Precision and recall are "
            "truly 1 everywhere. The figure has no numbers; for iPR's ends between two equal Gaussians "
            "hal-05344404, 5.4.2 prints 0.66 and 0.67."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        return curve_cells(cells([toy("identical")], _FAMILIES, (4, "sqrt"), (None, 0.5), size, seed))

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with their settings in words."""
        return told(rows)

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves, a panel for every k with and without split."""
        found = self.ordered(rows)
        panels = curve_panels(found, "split " + found["split"] + ", k = " + found["k"], found["family"])
        truth = true_band(toy("identical").truth())
        return CurveChart(panels, {title: {"truth": truth} for title in panels})

    def _says(self, figures: pd.DataFrame) -> str:
        names = {"none": "without split", "50%": "with split"}
        parts, means = [], {}
        for split in (name for name in names if name in set(figures["split"])):
            found = figures[figures["split"] == split]
            area = found["figure"] == "IoU"
            areas, ends = found.loc[area, "ours"], found.loc[~area, "ours"]
            means[split] = float(areas.mean())
            parts.append(
                f"{names[split]} the curves fill {areas.min():.2f} to {areas.max():.2f} of the square, and their "
                f"lowest end stands at {ends.min():.2f} in place of 1"
            )
        text = "; ".join(parts)
        said = f"{text[0].upper()}{text[1:]}."
        if len(means) < len(names):
            return said
        better = "is closer to" if means["50%"] > means["none"] else "is no closer to"
        return f"{said} On average over families and k the split {better} the truth."
