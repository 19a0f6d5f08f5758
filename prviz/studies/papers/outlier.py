"""One outlier among the real samples: the first version of hal-05344404, section 4.3 and Figure 7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from prviz.studies.papers.base import Experiment, Mode, Size, cells, counted, listed, told
from prviz.studies.papers.charts import CurveChart
from prviz.studies.papers.curves import curve_cells, curve_panels, true_band
from prviz.studies.tasks import Task
from prviz.toys import toy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OutlierExperiment"]

_FAMILIES = ("ipr", "knn", "kde", "coverage")
_SHIFT = 3 / 8


class OutlierExperiment(Experiment):
    """The same samples without and with one of them moved far away."""

    name = "outlier"
    title = "One outlier among the real samples"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.3 and Figure 7"
    question = "How far does a single outlier among the real samples move a curve?"
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(1_000, 3, 0.7), "paper": Size(10_000, 10, 85.0)}
    labels = ("k", "outlier", "family")
    numbers: ClassVar[Mapping[str, str]] = {"IoU": "iou", "α∞": "alpha_inf", "α@0.05": "alpha_at_005", "β0": "beta_0"}

    def _words(self, size: Size) -> str:
        return (
            f"P = N(0, I) and Q = N(μ·1, I) in d = 64 dimensions, μ = 3/8, n = {size.n:,} samples of each, without "
            f"split, k = 4 and k = √n neighbours, {counted(size.repeats, 'repeat')} (the paper has one). With "
            "outlier, the last real sample lies at (4, ..., 4) and all others are the same. The truth stays that of "
            "the clean pair. The paper shows curves and prints no numbers."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        pair = [toy("shifted-gaussians", mu=_SHIFT), toy("outlier", mu=_SHIFT)]
        return curve_cells(cells(pair, _FAMILIES, (4, "sqrt"), (None,), size, seed))

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the word that tells whether the outlier is there."""
        return told(rows).assign(outlier=["with" if name == "outlier" else "without" for name in rows["problem"]])

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves, a panel for every k without and with the outlier."""
        found = self.ordered(rows)
        panels = curve_panels(found, "k = " + found["k"] + ", " + found["outlier"] + " outlier", found["family"])
        truth = true_band(toy("outlier", mu=_SHIFT).truth())
        return CurveChart(panels, {title: {"truth": truth} for title in panels})

    def _says(self, figures: pd.DataFrame) -> str:
        wide = figures.pivot_table("ours", ["k", "family", "figure"], "outlier", sort=False)
        if not {"with", "without"} <= set(wide):
            return "Only one side is measured yet, the outlier's effect is not known."
        change = (wide["with"] - wide["without"]).dropna()
        parts = []
        for k, moved in change.groupby(level="k", sort=False):
            most = [_most(moved, figure) for figure in ("α∞", "α@0.05", "IoU")]
            parts.append(f"with k = {k} it moves {listed(most)}")
        return f"One sample of n moves a rate of errors by 1/n; {'; '.join(parts)}."


def _most(moved: pd.Series[float], figure: str) -> str:
    """The largest change of one number, and its family."""
    changes = moved[moved.index.get_level_values("figure") == figure]
    place = int(changes.abs().to_numpy().argmax())
    return f"{figure} by {abs(changes.iloc[place]):.3f} at most ({changes.index[place][1]})"
